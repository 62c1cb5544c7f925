#include "crypto_sign.h"
#include "randombytes.h"
#include "toy.h"

int crypto_sign_keypair(unsigned char *pk, unsigned char *sk) {
    randombytes(sk, 8);
    memcpy(pk, sk, 8);
    return 0;
}

int crypto_sign(unsigned char *sm, unsigned long long *sm_bytes, const unsigned char *m,
                unsigned long long bytes, const unsigned char *sk) {
    unsigned char signature[8];
    toy_sum(signature, m, bytes, sk);
    memmove(sm + 8, m, bytes);
    memcpy(sm, signature, 8);
    *sm_bytes = bytes + 8;
    return 0;
}

int crypto_sign_open(unsigned char *m, unsigned long long *m_bytes, const unsigned char *sm,
                     unsigned long long bytes, const unsigned char *pk) {
    unsigned char right[8];
    if (bytes < 8) return -1;
    toy_sum(right, sm + 8, bytes - 8, pk);
    if (memcmp(sm, right, 8) != 0) return -1;
    *m_bytes = bytes - 8;
    memmove(m, sm + 8, bytes - 8);
    return 0;
}
