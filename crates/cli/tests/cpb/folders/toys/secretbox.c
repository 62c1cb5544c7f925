#include "crypto_secretbox.h"
#include "toy.h"

/* 16 zeros precede a message; 8 zeros and a tag precede its box. */
static void mask(unsigned char *to, const unsigned char *from, unsigned long long bytes,
                 const unsigned char *nonce, const unsigned char *key) {
    unsigned char block[8];
    toy_sum(block, nonce, 8, key);
    memmove(to, from, bytes);
    for (unsigned long long i = 16; i < bytes; i++) to[i] ^= block[i % 8];
}

int crypto_secretbox(unsigned char *c, const unsigned char *m, unsigned long long bytes,
                     const unsigned char *nonce, const unsigned char *k) {
    unsigned char key[8], own[8];
    if (bytes < 16) return -1;
    memcpy(key, k, 8);
    memcpy(own, nonce, 8);
    mask(c, m, bytes, own, key);
    memset(c, 0, 8);
    toy_sum(c + 8, c + 16, bytes - 16, key);
    return 0;
}

int crypto_secretbox_open(unsigned char *m, const unsigned char *c, unsigned long long bytes,
                          const unsigned char *nonce, const unsigned char *k) {
    unsigned char key[8], own[8], tag[8];
    if (bytes < 16) return -1;
    memcpy(key, k, 8);
    memcpy(own, nonce, 8);
    toy_sum(tag, c + 16, bytes - 16, key);
    if (memcmp(tag, c + 8, 8) != 0) return -1;
    mask(m, c, bytes, own, key);
    memset(m, 0, 16);
    return 0;
}
