#include "crypto_kem.h"
#include "randombytes.h"
#include "toy.h"

int crypto_kem_keypair(unsigned char *pk, unsigned char *sk) {
    randombytes(sk, 8);
    memcpy(pk, sk, 8);
    return 0;
}

int crypto_kem_enc(unsigned char *c, unsigned char *k, const unsigned char *pk) {
    randombytes(c, 8);
    toy_sum(k, c, 8, pk);
    return 0;
}

int crypto_kem_dec(unsigned char *k, const unsigned char *c, const unsigned char *sk) {
    toy_sum(k, c, 8, sk);
    return 0;
}
