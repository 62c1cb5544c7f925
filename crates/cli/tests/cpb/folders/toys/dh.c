#include "crypto_dh.h"
#include "crypto_scalarmult_toy.h"
#include "randombytes.h"

int crypto_dh_keypair(unsigned char *pk, unsigned char *sk) {
    randombytes(sk, 8);
    return crypto_scalarmult_toy_base(pk, sk);
}

int crypto_dh(unsigned char *shared, const unsigned char *pk, const unsigned char *sk) {
    return crypto_scalarmult_toy(shared, sk, pk);
}
