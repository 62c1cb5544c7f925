/* Finds every digest and cipher of the library: those of bench-slopes in its order, more by
 * name, and since 3.0 whatever else providers have. */
#ifndef CPB_OPENSSL_FOUND_H
#define CPB_OPENSSL_FOUND_H

#include "digests.h"
#include "sources.h"

#include <strings.h>

struct found_digest {
    struct found is;
    struct name spelling;
    bool is_xof, has_row;
    uint32_t bytes, block; /* 0 for none */
};
static struct found_digest digests[256];
static size_t digests_count;

struct mode {
    const char *name;
    bool has_tag;
    uint8_t nonce_bytes; /* if it has a tag; else the cipher states it */
    bool doubles_key;    /* the key consists of two, of which the name counts one */
};
/* The modes of bench-slopes in its order, of which a stream cipher has one or two, and more.
 * A name that ends with another one stands behind it. */
static const struct mode modes[] = {
    {"ECB", false, 0, false},
    {"CBC", false, 0, false},
    {"CFB", false, 0, false},
    {"OFB", false, 0, false},
    {"CTR", false, 0, false},
    {"XTS", false, 0, true},
    {"GCM", true, 12, false},
    {"OCB", true, 12, false},
    {"STREAM", false, 0, false},
    {"POLY1305", true, 12, false},
    {"CFB8", false, 0, false},
    {"CCM", true, 12, false},
    /* Its initial value is derived from the message. */
    {"SIV", true, 0, true},
    {"GCM-SIV", true, 12, false},
};
enum { ECB = 0, CBC = 1, XTS = 5, GCM = 6, STREAM = 8, POLY1305 = 9, MODES_WITH_ROWS = 10 };
enum { CCM = 11, SIV = 12, GCM_SIV = 13 };

struct found_cipher {
    struct found is;
    struct name spelling, primitive; /* libcrypto's with the mode; the canonical one without */
    size_t mode;
    uint32_t key_bytes, nonce_bytes;
    uint32_t block;  /* block length of the cipher itself, in every mode */
    const char *row; /* its name in bench-slopes, or null */
};
static struct found_cipher ciphers[512];
static size_t ciphers_count;

static const char *const row_digests[] = {
    "MD2",      "MD4",      "MD5",      "BLAKE2b512", "BLAKE2s256", "SHA1",     "SHA224",
    "SHA256",   "SHA384",   "SHA512",   "RIPEMD160",  "whirlpool",  "SHA3-224", "SHA3-256",
    "SHA3-384", "SHA3-512", "SHAKE128", "SHAKE256",   "SM3",
};
static const char *const more_digests[] = {"SHA512-224", "SHA512-256", "SHA256-192", "MD5-SHA1",
                                           "MDC2"};
/* Names listed as digests that are not usable as such: without output, or an inner part of
 * KMAC. */
static const char *const no_digests[] = {"NULL", "KECCAK-KMAC-128", "KECCAK-KMAC-256"};

/* Ciphers by the name in bench-slopes' rows, and by libcrypto's. */
static const char *const row_ciphers[][2] = {
    {"idea", "IDEA"},
    {"des-ede3", "DES-EDE3"},
    {"cast5", "CAST5"},
    {"bf", "BF"},
    {"aes-128", "AES-128"},
    {"aes-192", "AES-192"},
    {"aes-256", "AES-256"},
    {"rc4", "RC4"},
    {"des", "DES"},
    {"rc2", "RC2"},
    {"seed", "SEED"},
    {"camellia-128", "CAMELLIA-128"},
    {"camellia-192", "CAMELLIA-192"},
    {"camellia-256", "CAMELLIA-256"},
    {"aria-128", "ARIA-128"},
    {"aria-192", "ARIA-192"},
    {"aria-256", "ARIA-256"},
    {"chacha20", "ChaCha20"},
    {"sm4", "SM4"},
};
static const char *const more_ciphers[] = {"RC2-40-CBC",  "RC2-64-CBC",  "RC4-40",
                                           "DESX-CBC",    "DES-EDE-ECB", "DES-EDE-CBC",
                                           "DES-EDE-CFB", "DES-EDE-OFB"};
/* Names listed as ciphers that fit no operation: RC4-HMAC-MD5 makes records of TLS. Ciphers
 * in other modes (key wrapping, ciphertext stealing, CFB of single bits, CBC joined with
 * HMAC) are left out because cpb has no name for these modes. */
static const char *const no_ciphers[] = {"NULL", "RC4-HMAC-MD5"};

/* libcrypto's 0 and -1 stand for no length. */
static uint32_t positive(int length) { return length > 0 ? (uint32_t)length : 0; }

static struct found_digest *add_digest(const char *name, bool has_row) {
    const struct found found = find_digest(name);
    if (found.algorithm == NULL || digests_count == LENGTH_OF(digests)) return NULL;
    struct found_digest *it = &digests[digests_count++];
    it->is = found;
    snprintf(it->spelling.text, sizeof it->spelling.text, "%s", name);
    it->is_xof = ssl.properties.digest_flags(found.algorithm) & DIGEST_IS_XOF;
    it->has_row = has_row && found.in_bench_slopes;
    it->bytes = positive(ssl.properties.digest_bytes(found.algorithm));
    it->block = positive(ssl.properties.digest_block(found.algorithm));
    return it;
}

static size_t append(struct name *known, size_t count, const char *const *more,
                     size_t more_count) {
    for (size_t i = 0; i < more_count; i++) known[count++] = name("%s", more[i]);
    return count;
}
#define APPEND(list) count = append(known, count, list, LENGTH_OF(list))

static void find_digests(void) {
    static struct name known[64];
    static struct search search;
    size_t count = digests_count = 0;
    APPEND(row_digests);
    APPEND(more_digests);
    for (size_t i = 0; i < count; i++) add_digest(known[i].text, i < LENGTH_OF(row_digests));
    APPEND(no_digests);
    search = (struct search){.known = known, .known_count = count};
    other_digests(&search);
    for (size_t i = 0; i < search.count; i++) {
        const struct found_digest *other = add_digest(search.found[i].text, false);
        if (other != NULL && !hashes(other->is.algorithm, other->is_xof)) digests_count--;
    }
}

/* Returns the mode that a cipher's name ends with, and sets the length of the name before it;
 * returns STREAM if it ends with none, like that of a stream cipher. */
static size_t mode_of(const char *spelling, size_t *length) {
    const size_t bytes = strlen(spelling);
    for (size_t mode = LENGTH_OF(modes); mode-- != 0;) {
        const size_t own = strlen(modes[mode].name);
        if (mode == STREAM || bytes <= own || spelling[bytes - own - 1] != '-') continue;
        if (strcasecmp(spelling + bytes - own, modes[mode].name) != 0) continue;
        *length = bytes - own - 1;
        return mode;
    }
    *length = bytes;
    return STREAM;
}

static struct name in_mode(const char *cipher, size_t mode) {
    if (mode == STREAM) return name("%s", cipher);
    return name("%s-%s", cipher, mode == POLY1305 ? "Poly1305" : modes[mode].name);
}

static void add_cipher_of(struct name spelling, const char *row) {
    const struct found found = find_cipher(spelling.text);
    const EVP_CIPHER *cipher = found.algorithm;
    if (cipher == NULL || ciphers_count == LENGTH_OF(ciphers)) return;
    size_t length;
    const size_t mode = mode_of(spelling.text, &length);
    /* "DES", "BF" and the like without a mode are aliases of CBC. */
    if (mode == STREAM && (ssl.properties.cipher_flags(cipher) & CIPHER_MODE_BITS) != 0) return;
    struct found_cipher *it = &ciphers[ciphers_count++];
    it->is = found;
    it->spelling = spelling;
    it->mode = mode;
    it->row = found.in_bench_slopes ? row : NULL;
    it->block = positive(ssl.properties.cipher_block(cipher));
    it->key_bytes = positive(ssl.properties.key_bytes(cipher));
    it->nonce_bytes = positive(ssl.properties.nonce_bytes(cipher));
    if (mode == ECB) it->nonce_bytes = 0;
    if (modes[mode].has_tag) it->nonce_bytes = modes[mode].nonce_bytes;
    const struct name bits = name("-%u", it->key_bytes * (modes[mode].doubles_key ? 4 : 8));
    const size_t end = length - strlen(bits.text);
    if (length > strlen(bits.text) &&
        strncmp(spelling.text + end, bits.text, length - end) == 0) {
        length = end;
    }
    it->primitive =
        with_hyphens(lower(name("%.*s%s", (int)length, spelling.text, bits.text).text));
    /* This is RFC 8439's nonce; the counter then begins at 0. */
    if (mode == STREAM && strcmp(it->primitive.text, "chacha20-256") == 0) it->nonce_bytes = 12;
}

static void find_ciphers(void) {
    static struct name known[LENGTH_OF(row_ciphers) * LENGTH_OF(modes) + LENGTH_OF(more_ciphers) +
                             LENGTH_OF(no_ciphers)];
    static struct search search;
    size_t count = ciphers_count = 0;
    for (size_t part = 0; part < 2; part++) {
        const size_t first = part == 0 ? 0 : MODES_WITH_ROWS;
        const size_t end = part == 0 ? MODES_WITH_ROWS : LENGTH_OF(modes);
        for (size_t i = 0; i < LENGTH_OF(row_ciphers); i++) {
            for (size_t mode = first; mode < end; mode++) {
                known[count] = in_mode(row_ciphers[i][1], mode);
                add_cipher_of(known[count++], part == 0 ? row_ciphers[i][0] : NULL);
            }
        }
    }
    const size_t named = count;
    APPEND(more_ciphers);
    for (size_t i = named; i < count; i++) add_cipher_of(known[i], NULL);
    APPEND(no_ciphers);
    search = (struct search){.known = known, .known_count = count};
    other_ciphers(&search);
    for (size_t i = 0; i < search.count; i++) add_cipher_of(search.found[i], NULL);
}

#endif
