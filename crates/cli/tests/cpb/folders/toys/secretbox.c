#include "crypto_secretbox.h"
#include "toy.h"

int crypto_secretbox(unsigned char *c, const unsigned char *m, unsigned long long bytes,
                     const unsigned char *nonce, const unsigned char *k) {
    return toy_seal(c, m, bytes, nonce, k);
}

int crypto_secretbox_open(unsigned char *m, const unsigned char *c, unsigned long long bytes,
                          const unsigned char *nonce, const unsigned char *k) {
    return toy_open(m, c, bytes, nonce, k);
}
