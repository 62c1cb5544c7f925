/* Ciphers in modes without a tag, and the offers of every cipher. */

PART cipher_message(struct call *call, void *state) {
    if (call->way.resets && call->in.contract != CPB_ONESHOT) {
        expect(call, cipher_command(call->handle, RESET));
    }
    if (call->way.set_nonce != NULL) expect(call, call->way.set_nonce(call->handle, NONCE));
    expect(call, call->way.crypt(call->handle, call->way.destination, call->in.message_bytes, MESSAGE));
}
ROUTINE(ciphering, char, cipher_open, cipher_message, cipher_close)

/* A row of bench-slopes works in place, with whatever nonce a reset leaves. */
static bool choose_cipher(struct call *call) {
    const struct mode *mode = call->how;
    const bool is_row = call->in.contract == CPB_COMPAT;
    const bool is_counter = strcmp(mode->name, "CTR") == 0;
    call->way.resets = is_row || call->offer->keeps_state;
    call->way.set_nonce = is_row || call->in.nonce_bytes == 0 ? NULL
                          : is_counter                        ? gcry.ciphers.set_counter
                                                              : gcry.ciphers.set_nonce;
    call->way.crypt = call->offer->shown.operation == CPB_DECRYPT ? gcry.ciphers.decrypt
                                                                  : gcry.ciphers.encrypt;
    call->way.destination = is_row ? call->in.message : call->in.destination;
    return is_row && !begin_row(call);
}

/* The modes are in the order of the rows; CFB8 has none. Nonces have the standard length
 * where there is a choice; SIV derives its own from the message. */
#define ROWS_OF_MODES 14
static const struct mode modes[] = {
    {"ECB", 1, BLOCKS, false, 0, 0},
    {"CBC", 3, BLOCKS, false, 0, 0},
    {"CFB", 2, BLOCKS, false, 0, 0},
    {"OFB", 5, BLOCKS, false, 0, 0},
    {"CTR", 6, BLOCKS, false, 0, 0},
    {"XTS", 13, WIDE_BLOCKS, false, 0, 0},
    {"CCM", 8, WIDE_BLOCKS, true, 12, 11},
    {"EAX", 14, BLOCKS, true, 16, 16},
    {"GCM", 9, WIDE_BLOCKS, true, 12, 12},
    {"OCB", 11, WIDE_BLOCKS, true, 12, 15},
    {"SIV", 15, WIDE_BLOCKS, true, 0, 0},
    {"GCM-SIV", 16, WIDE_BLOCKS_PLAIN_KEY, true, 12, 12},
    {"STREAM", 4, STREAMS, false, 0, 0},
    {"POLY1305", 10, CHACHA20_ALONE, true, 12, 8},
    {"CFB8", 12, BLOCKS, false, 0, 0},
};

#define WIDE_BLOCK_BYTES 16

/* A cipher as the library describes it. */
struct block_cipher {
    int algorithm;
    const char *own, *unavailable;
    struct name primitive; /* without a mode */
    uint32_t key_bytes, block_bytes;
};

static bool is_mode(const struct mode *mode, const char *name) {
    return strcmp(mode->name, name) == 0;
}

/* ChaCha20 takes RFC 8439's nonce. */
static uint32_t stream_nonce_bytes(const char *own) {
    if (begins_with(own, "SALSA20")) return 8;
    return strcmp(own, "CHACHA20") == 0 ? 12 : 0;
}

static bool fits(const struct block_cipher *it, const struct mode *mode) {
    const bool is_wide = it->block_bytes == WIDE_BLOCK_BYTES;
    switch (mode->ciphers) {
    case BLOCKS: return it->block_bytes >= 2 && it->block_bytes <= WIDE_BLOCK_BYTES;
    case WIDE_BLOCKS: return is_wide;
    case WIDE_BLOCKS_PLAIN_KEY: return is_wide && (it->key_bytes == 16 || it->key_bytes == 32);
    case STREAMS: return it->block_bytes == 1;
    default: return strcmp(it->own, "CHACHA20") == 0;
    }
}

/* Whether the cipher opens in this mode. A cipher that is refused is refused in every mode,
 * so its modes are unknown. */
static bool opens(const struct block_cipher *it, const struct mode *mode) {
    cipher handle = NULL;
    if (it->unavailable != NULL) return true;
    if (gcry.ciphers.open(&handle, it->algorithm, mode->number, 0) != 0) return false;
    gcry.ciphers.close(handle);
    return true;
}

/* A new nonce is not enough for RC4, which has none, and for CryptoPro's key meshing, which
 * changes the key itself every 1024 bytes. */
static bool keeps_state(const char *own) {
    return strcmp(own, "ARCFOUR") == 0 || strcmp(own, "GOST28147_MESH") == 0;
}

static void add_in_mode(const struct block_cipher *it, const struct mode *mode,
                        struct name spelling) {
    const bool is_stream = is_mode(mode, "STREAM"), is_xts = is_mode(mode, "XTS");
    const uint32_t keys = is_xts || is_mode(mode, "SIV") ? 2 : 1;
    const uint32_t nonce = is_stream               ? stream_nonce_bytes(it->own)
                           : mode->has_tag         ? mode->nonce_bytes
                           : is_mode(mode, "ECB")  ? 0
                                                   : it->block_bytes;
    const uint32_t tag = is_mode(mode, "EAX") ? it->block_bytes : 16;
    const struct name primitive =
        is_stream ? it->primitive : name("%.36s-%s", it->primitive.text, lower(mode->name).text);
    const size_t first = offers_count;
    if (mode->has_tag) {
        add_aead(&sealing, &opening, primitive, spelling, keys * it->key_bytes, nonce, tag);
    } else {
        add_cipher(&ciphering, &ciphering, primitive, spelling, keys * it->key_bytes, nonce);
    }
    for (size_t added = first; added < offers_count; added++) {
        static const char *const steps[] = {"enc", "dec", "auth"};
        struct offer *offer = &offers[added];
        offer->how = mode;
        offer->which = it->algorithm;
        offer->refuses = mode->has_tag ? choose_aead : choose_cipher;
        offer->keeps_state = keeps_state(it->own);
        offer->unavailable = it->unavailable;
        if (is_mode(mode, "ECB") || is_mode(mode, "CBC")) offer->shown.granularity = it->block_bytes;
        if (is_xts) offer->shown.granularity = 16;
        if (!is_mode(mode, "CFB8")) {
            with_row(offer, "cipher", it->own, name("%s %s", mode->name, steps[added - first]).text);
        }
    }
}

static void add_cipher_modes(int algorithm, const char *own, bool extras) {
    struct block_cipher it = {
        .algorithm = algorithm,
        .own = own,
        .key_bytes = (uint32_t)gcry.ciphers.key_length(algorithm),
        .block_bytes = (uint32_t)gcry.ciphers.block_length(algorithm),
        .unavailable = refusal(gcry.ciphers.info, algorithm),
    };
    if (it.key_bytes == 0 || it.block_bytes == 0) return;
    /* Some names include the length of the key. */
    const struct name bits = name("%u", 8 * it.key_bytes);
    struct name without = plain(own);
    const size_t end = strlen(without.text) - strlen(bits.text);
    if (strlen(without.text) > strlen(bits.text) && strcmp(without.text + end, bits.text) == 0) {
        without.text[end - (without.text[end - 1] == '-')] = '\0';
    }
    it.primitive = name("%.30s-%s", without.text, bits.text);
    for (size_t i = extras ? ROWS_OF_MODES : 0; i < (extras ? LENGTH_OF(modes) : ROWS_OF_MODES);
         i++) {
        const struct name spelling = name("%.36s/%s", own, modes[i].name);
        if (fits(&it, &modes[i]) && wants_spelling(spelling.text) && opens(&it, &modes[i])) {
            add_in_mode(&it, &modes[i], spelling);
        }
    }
}

static void add_ciphers(bool extras) {
    for EVERY_ALGORITHM(algorithm) {
        const char *own = gcry.ciphers.name(algorithm);
        const size_t length = own == NULL ? 0 : strlen(own);
        if (!is_known(own) || (wanted != NULL && strncmp(wanted, own, length) != 0)) continue;
        add_cipher_modes(algorithm, own, extras);
    }
}
