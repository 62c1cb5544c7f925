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

int crypto_box_afternm(unsigned char *c, const unsigned char *m, unsigned long long bytes,
                       const unsigned char *nonce, const unsigned char *k) {
    return toy_seal(c, m, bytes, nonce, k);
}

int crypto_box_open_afternm(unsigned char *m, const unsigned char *c, unsigned long long bytes,
                            const unsigned char *nonce, const unsigned char *k) {
    return toy_open(m, c, bytes, nonce, k);
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
