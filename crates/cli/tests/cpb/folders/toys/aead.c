#include "crypto_aead.h"
#include "toy.h"

static void tag(unsigned char *out, const unsigned char *m, unsigned long long bytes,
                const unsigned char *aad, unsigned long long aad_bytes, const unsigned char *nonce,
                const unsigned char *key) {
    toy_sum(out, m, bytes, key);
    toy_sum(out, aad, aad_bytes, out);
    toy_sum(out, nonce, 8, out);
}

int crypto_aead_encrypt(unsigned char *c, unsigned long long *c_bytes, const unsigned char *m,
                        unsigned long long bytes, const unsigned char *aad,
                        unsigned long long aad_bytes, const unsigned char *secret,
                        const unsigned char *nonce, const unsigned char *key) {
    unsigned char own[8], last[8];
    tag(last, m, bytes, aad, aad_bytes, nonce, key);
    memcpy(own, key, 8);
    memmove(c, m, bytes);
    for (unsigned long long i = 0; i < bytes; i++) c[i] ^= own[i % 8];
    memcpy(c + bytes, last, 8);
    *c_bytes = bytes + 8;
    return 0;
}

int crypto_aead_decrypt(unsigned char *m, unsigned long long *m_bytes, unsigned char *secret,
                        const unsigned char *c, unsigned long long c_bytes,
                        const unsigned char *aad, unsigned long long aad_bytes,
                        const unsigned char *nonce, const unsigned char *key) {
    static unsigned char text[1 << 20];
    unsigned char own[8], last[8], right[8];
    const unsigned long long bytes = c_bytes - 8;
    if (c_bytes < 8 || bytes > sizeof text) return -1;
    memcpy(own, key, 8);
    memcpy(last, c + bytes, 8);
    for (unsigned long long i = 0; i < bytes; i++) text[i] = c[i] ^ own[i % 8];
    tag(right, text, bytes, aad, aad_bytes, nonce, key);
    if (memcmp(last, right, 8) != 0) return -1;
    memcpy(m, text, bytes);
    *m_bytes = bytes;
    return 0;
}
