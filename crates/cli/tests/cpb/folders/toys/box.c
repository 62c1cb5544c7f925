#include "crypto_box.h"
#include "randombytes.h"
#include "toy.h"

/* A secret key is its own public key; the shared key is the sum of both. */
int crypto_box_keypair(unsigned char *pk, unsigned char *sk) {
    randombytes(sk, 8);
    memcpy(pk, sk, 8);
    return 0;
}

int crypto_box_beforenm(unsigned char *k, const unsigned char *pk, const unsigned char *sk) {
    unsigned char shared[8];
    for (int i = 0; i < 8; i++) shared[i] = pk[i] ^ sk[i];
    memcpy(k, shared, 8);
    return 0;
}

static void mask(unsigned char *to, const unsigned char *from, unsigned long long bytes,
                 const unsigned char *nonce, const unsigned char *key) {
    unsigned char block[8];
    toy_sum(block, nonce, 8, key);
    memmove(to, from, bytes);
    for (unsigned long long i = 16; i < bytes; i++) to[i] ^= block[i % 8];
}

int crypto_box_afternm(unsigned char *c, const unsigned char *m, unsigned long long bytes,
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

int crypto_box_open_afternm(unsigned char *m, const unsigned char *c, unsigned long long bytes,
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

int crypto_box(unsigned char *c, const unsigned char *m, unsigned long long bytes,
               const unsigned char *nonce, const unsigned char *pk, const unsigned char *sk) {
    unsigned char key[8];
    crypto_box_beforenm(key, pk, sk);
    return crypto_box_afternm(c, m, bytes, nonce, key);
}

int crypto_box_open(unsigned char *m, const unsigned char *c, unsigned long long bytes,
                    const unsigned char *nonce, const unsigned char *pk,
                    const unsigned char *sk) {
    unsigned char key[8];
    crypto_box_beforenm(key, pk, sk);
    return crypto_box_open_afternm(m, c, bytes, nonce, key);
}
