/* Converts RSA keys between expressions and PKCS #1 (RFC 8017 appendix A.1), which stores
 * numbers in DER. */

/* Reads a sequence of exactly `count` numbers. */
static bool read_numbers(struct cpb_bytes der, struct cpb_bytes *numbers, size_t count) {
    struct cpb_bytes content;
    if (!der_element(&der, DER_SEQUENCE, &content) || der.length != 0) return false;
    for (size_t i = 0; i < count; i++) {
        if (!der_element(&content, DER_INTEGER, &numbers[i])) return false;
    }
    return content.length == 0;
}

static void put_rsa(struct text *text, const char *kind, const char *const *names,
                    const struct cpb_bytes *const *numbers, size_t count) {
    put_lists(text, kind, "rsa");
    for (size_t i = 0; i < count; i++) {
        put_positive(text, names[i], numbers[i]->bytes, numbers[i]->length);
    }
    put_ends(text, 2);
}

/* RSAPrivateKey has a version, n, e, d, p, q, two exponents and a coefficient. libgcrypt's u
 * is the inverse of its p modulo its q; the coefficient is the inverse of q modulo p. */
static bool put_rsa_secret(struct text *text, struct cpb_bytes der) {
    static const char *const names[] = {"n", "e", "d", "p", "q", "u"};
    struct cpb_bytes in[9];
    if (!read_numbers(der, in, 9)) return false;
    const struct cpb_bytes *const numbers[] = {&in[1], &in[2], &in[3], &in[5], &in[4], &in[8]};
    put_rsa(text, "private-key", names, numbers, 6);
    return true;
}

static bool put_rsa_public(struct text *text, struct cpb_bytes der) {
    static const char *const names[] = {"n", "e"};
    struct cpb_bytes in[2];
    if (!read_numbers(der, in, 2)) return false;
    const struct cpb_bytes *const numbers[] = {&in[0], &in[1]};
    put_rsa(text, "public-key", names, numbers, 2);
    return true;
}

/* A number of a generated key, from its first byte that is not zero. */
#define MOST_RSA_BYTES 512
struct number_of_rsa {
    size_t length;
    uint8_t bytes[MOST_RSA_BYTES];
};

static bool read_number_of_rsa(expression in, const char *name, struct number_of_rsa *number) {
    const uint8_t *bytes;
    size_t length = 0;
    expression list = find_bytes(in, name, &bytes, &length);
    for (; bytes != NULL && length != 0 && *bytes == 0; bytes++) length--;
    const bool is_there = bytes != NULL && length != 0 && length <= MOST_RSA_BYTES;
    number->length = is_there ? length : 0;
    if (is_there) memcpy(number->bytes, bytes, length);
    gcry.keys.release(list);
    return is_there;
}

/* Computes `number` modulo `prime` - 1, where `prime` is odd. */
static bool find_remainder(const struct number_of_rsa *number, const struct number_of_rsa *prime,
                           struct number_of_rsa *remainder) {
    struct number_of_rsa less = *prime;
    integer dividend = NULL, divisor = NULL;
    less.bytes[less.length - 1] &= 0xfe;
    status failed =
        gcry.keys.scan(&dividend, UNSIGNED_INTEGER, number->bytes, number->length, NULL);
    if (failed == 0) {
        failed = gcry.keys.scan(&divisor, UNSIGNED_INTEGER, less.bytes, less.length, NULL);
    }
    if (failed == 0) {
        gcry.keys.remainder(dividend, dividend, divisor);
        failed = gcry.keys.print(UNSIGNED_INTEGER, remainder->bytes, MOST_RSA_BYTES,
                                 &remainder->length, dividend);
    }
    gcry.keys.release_integer(dividend);
    gcry.keys.release_integer(divisor);
    return failed == 0;
}

/* Writes a sequence of numbers; returns whether there is room for it. */
static bool write_sequence(struct cpb_bytes to, const struct number_of_rsa *const *numbers,
                           size_t count) {
    uint8_t content[4096], *at = content;
    for (size_t i = 0; i < count; i++) {
        /* A number that would read as negative gets a leading zero, and so does an empty one. */
        const size_t sign = numbers[i]->length == 0 || numbers[i]->bytes[0] >= 0x80;
        at = put_der_head(at, DER_INTEGER, numbers[i]->length + sign);
        *at = 0;
        memcpy(at + sign, numbers[i]->bytes, numbers[i]->length);
        at += numbers[i]->length + sign;
    }
    const size_t length = (size_t)(at - content);
    if (length + 4 > to.length) return false;
    memcpy(put_der_head(to.bytes, DER_SEQUENCE, length), content, length);
    return true;
}

/* Writes both keys of a generated pair. */
static bool write_rsa_pair(expression pair, struct cpb_bytes public_key,
                           struct cpb_bytes secret_key) {
    static const struct number_of_rsa zero = {0, {0}};
    struct number_of_rsa n, e, d, p, q, u, by_p, by_q;
    expression secret = gcry.keys.find(pair, "private-key", 0);
    const bool is_read = secret != NULL && read_number_of_rsa(secret, "n", &n) &&
                         read_number_of_rsa(secret, "e", &e) &&
                         read_number_of_rsa(secret, "d", &d) &&
                         read_number_of_rsa(secret, "p", &p) &&
                         read_number_of_rsa(secret, "q", &q) &&
                         read_number_of_rsa(secret, "u", &u) && find_remainder(&d, &q, &by_q) &&
                         find_remainder(&d, &p, &by_p);
    gcry.keys.release(secret);
    const struct number_of_rsa *const public_numbers[] = {&n, &e};
    const struct number_of_rsa *const secret_numbers[] = {&zero, &n, &e, &d, &q, &p, &by_q, &by_p,
                                                          &u};
    return is_read && write_sequence(public_key, public_numbers, 2) &&
           write_sequence(secret_key, secret_numbers, 9);
}
