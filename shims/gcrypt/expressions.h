/* Writes and reads S-expressions, in which libgcrypt takes keys, messages and values. They
 * are written in canonical form, which states all lengths, and read in the form that the
 * library returns. */

/* Holds an expression that is being written. A secret key of RSA with 4096 bits takes some
 * 1900 bytes. */
struct text {
    size_t length;
    uint8_t bytes[4096];
};

static void put(struct text *text, const void *bytes, size_t length) {
    if (length > sizeof text->bytes - text->length) abort();
    if (length != 0) memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
}

/* Writes a string of bytes, or after `sign` those of a number, which keeps it from reading as
 * negative. */
static void put_atom(struct text *text, const char *sign, size_t sign_bytes, const void *bytes,
                     size_t length) {
    char digits[24];
    size_t at = sizeof digits, left = length + sign_bytes;
    digits[--at] = ':';
    do digits[--at] = (char)('0' + left % 10); while ((left /= 10) != 0);
    put(text, digits + at, sizeof digits - at);
    put(text, sign, sign_bytes);
    put(text, bytes, length);
}
static void put_word(struct text *text, const char *word) {
    put_atom(text, "", 0, word, strlen(word));
}

/* Begin a list, and a text with one in another; and end some. */
static void put_list(struct text *text, const char *name) {
    put(text, "(", 1);
    put_word(text, name);
}
static void put_lists(struct text *text, const char *outer, const char *inner) {
    text->length = 0;
    put_list(text, outer);
    put_list(text, inner);
}
static void put_ends(struct text *text, int lists) {
    while (lists-- > 0) put(text, ")", 1);
}

static void put_named(struct text *text, const char *name, const void *bytes, size_t length) {
    put_list(text, name);
    put_atom(text, "", 0, bytes, length);
    put_ends(text, 1);
}
static void put_positive(struct text *text, const char *name, const void *bytes, size_t length) {
    put_list(text, name);
    put_atom(text, "", 1, bytes, length);
    put_ends(text, 1);
}

static status parse(expression *made, const struct text *text) {
    return gcry.keys.parse(made, text->bytes, text->length, 0);
}

/* Returns the bytes called `name` in an expression; they live as long as the returned list. */
static expression find_bytes(expression in, const char *name, const uint8_t **bytes,
                             size_t *length) {
    expression list = gcry.keys.find(in, name, 0);
    *bytes = list == NULL ? NULL : (const uint8_t *)gcry.keys.data(list, 1, length);
    return list;
}

/* Writes the number called `name` in `room` bytes; returns false if it needs more. */
static bool write_number(expression in, const char *name, uint8_t *to, size_t room) {
    const uint8_t *bytes;
    size_t length = 0;
    expression list = find_bytes(in, name, &bytes, &length);
    bool fits = bytes != NULL;
    for (; fits && length > room; bytes++, length--) fits = *bytes == 0;
    if (fits) {
        memset(to, 0, room - length);
        memcpy(to + room - length, bytes, length);
    }
    gcry.keys.release(list);
    return fits;
}
