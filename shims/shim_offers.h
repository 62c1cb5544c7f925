/* shim_offers.h: the offers of a shim. shim.h includes it, whose types it needs. */
#ifndef CPB_SHIM_OFFERS_H
#define CPB_SHIM_OFFERS_H

#define MOST_OFFERS 2048
/* The last offer takes what is too many or not wanted, and is never shown. */
static struct offer offers[MOST_OFFERS + 1];
static size_t offers_count;

/* The spelling, the operation and the backend of the only offer wanted; all are wanted where it
 * is null. */
static const char *wanted, *wanted_backend;
static uint32_t wanted_operation;

/* Limits the offers to this one, because timing a first use needs no list. Called before
 * everything else, or never. */
EXPORTED void cpb_shim_want(const char *spelling, uint32_t operation) {
    wanted = spelling;
    wanted_operation = operation;
}
/* Another backend may be offered all the same if that takes no time. */
EXPORTED void cpb_shim_want_backend(const char *backend) { wanted_backend = backend; }

/* Whether it is worth looking for offers with this operation, or with this spelling. */
__attribute__((unused)) static bool wants(enum cpb_operation operation) {
    return wanted == NULL || wanted_operation == (uint32_t)operation;
}
static bool wants_spelling(const char *spelling) {
    return wanted == NULL || strcmp(wanted, spelling) == 0;
}

struct name {
    char text[48];
};

__attribute__((format(printf, 1, 2), unused)) static struct name name(const char *format, ...) {
    struct name name;
    va_list values;
    va_start(values, format);
    vsnprintf(name.text, sizeof name.text, format, values);
    va_end(values);
    return name;
}

__attribute__((unused)) static struct name lower(const char *spelling) {
    struct name lower = name("%s", spelling);
    for (char *c = lower.text; *c != '\0'; c++) {
        if (*c >= 'A' && *c <= 'Z') *c += 'a' - 'A';
    }
    return lower;
}

/* Converts a name to the form that the catalogue uses. */
__attribute__((unused)) static struct name with_hyphens(struct name name) {
    for (char *c = name.text; *c != '\0'; c++) {
        if (*c == '_') *c = '-';
    }
    return name;
}

/* Texts are processed whole. */
static uint32_t granularity(enum cpb_operation operation, const char *primitive) {
    if (operation != CPB_DECODE) return 1;
    return strcmp(primitive, "base16") == 0 ? 2 : 4;
}

/* Adds an offer for the caller to complete. The usual lengths are those of a key or password, of
 * a nonce or salt, and of a digest or tag. */
static struct offer *add(enum cpb_operation operation, const struct routine *routine,
                         struct name primitive, struct name spelling, uint32_t key_bytes,
                         uint32_t nonce_bytes, uint32_t output_bytes) {
    const bool is_wanted = wants_spelling(spelling.text);
    struct offer *offer = &offers[is_wanted ? offers_count : MOST_OFFERS];
    if (is_wanted && offers_count < MOST_OFFERS) offers_count++;
    memset(offer, 0, sizeof *offer);
    memcpy(offer->primitive, primitive.text, sizeof offer->primitive);
    memcpy(offer->spelling, spelling.text, sizeof offer->spelling);
    offer->routine = routine;
    offer->lengths = cpb_symmetric_usual(operation, offer->primitive, key_bytes, nonce_bytes,
                                         output_bytes);
    offer->shown = (cpb_implementation){
        .primitive = offer->primitive,
        .spelling = offer->spelling,
        .backend = "default",
        .operation = operation,
        .is_default = 1,
        .lengths = offer->lengths.all,
        .length_count = offer->lengths.count,
        .granularity = granularity(operation, primitive.text),
    };
    return offer;
}

/* Sets the lengths of one role; all 0 removes it. */
__attribute__((unused)) static void set_length(struct offer *offer, enum cpb_role role,
                                               uint64_t least, uint64_t usual, uint64_t most) {
    struct cpb_symmetric_lengths *lengths = &offer->lengths;
    size_t place = 0;
    while (place < lengths->count && lengths->all[place].role != (uint32_t)role) place++;
    if (most == 0) {
        if (place < lengths->count) lengths->all[place] = lengths->all[--lengths->count];
    } else if (place < LENGTH_OF(lengths->all)) {
        lengths->all[place] = (cpb_length){role, 0, least, usual, most};
        if (place == lengths->count) lengths->count++;
    }
    offer->shown.length_count = lengths->count;
}

/* Gives an offer its row of bench-slopes; the texts must stay valid. */
__attribute__((unused)) static void set_row(struct offer *offer, const char *group,
                                            const char *algorithm, const char *mode) {
    offer->shown.row_group = group;
    offer->shown.row_algorithm = algorithm;
    offer->shown.row_mode = mode;
}

/* Offers encryption and decryption without a tag. Returns the first of two offers. */
__attribute__((unused)) static struct offer *
add_cipher(const struct routine *encrypt, const struct routine *decrypt, struct name primitive,
           struct name spelling, uint32_t key_bytes, uint32_t nonce_bytes) {
    struct offer *first =
        add(CPB_ENCRYPT, encrypt, primitive, spelling, key_bytes, nonce_bytes, 0);
    add(CPB_DECRYPT, decrypt, primitive, spelling, key_bytes, nonce_bytes, 0);
    return first;
}

/* Offers sealing, opening, and the tag of an empty plaintext. Returns the first of three offers. */
__attribute__((unused)) static struct offer *
add_aead(const struct routine *seal, const struct routine *open, struct name primitive,
         struct name spelling, uint32_t key_bytes, uint32_t nonce_bytes, uint32_t tag_bytes) {
    struct offer *first =
        add(CPB_SEAL, seal, primitive, spelling, key_bytes, nonce_bytes, tag_bytes);
    add(CPB_OPEN, open, primitive, spelling, key_bytes, nonce_bytes, tag_bytes);
    add(CPB_AUTH, seal, primitive, spelling, key_bytes, nonce_bytes, tag_bytes);
    return first;
}

/* Offers encoding and decoding. Returns the first of two offers. */
__attribute__((unused)) static struct offer *
add_codec(const struct routine *encode, const struct routine *decode, const char *primitive,
          const char *spelling) {
    struct offer *first =
        add(CPB_ENCODE, encode, name("%s", primitive), name("%s", spelling), 0, 0, 0);
    add(CPB_DECODE, decode, name("%s", primitive), name("%s", spelling), 0, 0, 0);
    return first;
}

/* HKDF counts its blocks in one byte, which limits the output. */
__attribute__((unused)) static struct offer *add_hkdf(const struct routine *routine,
                                                      struct name primitive,
                                                      struct name spelling,
                                                      uint32_t digest_bytes) {
    struct offer *offer = add(CPB_DERIVE, routine, primitive, spelling, 16, 16, 0);
    set_length(offer, CPB_OUTPUT, 0, 32, 255 * digest_bytes);
    return offer;
}

#endif
