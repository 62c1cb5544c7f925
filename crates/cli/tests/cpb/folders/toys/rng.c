#include "crypto_rng.h"
#include "toy.h"

int crypto_rng(unsigned char *r, unsigned char *n, const unsigned char *g) {
    unsigned char key[8], next[8];
    memcpy(key, g, 8);
    toy_sum(next, key, 8, key);
    toy_sum(key, next, 8, key);
    memcpy(n, next, 8);
    memcpy(r, key, 8);
    memcpy(r + 8, next, 8);
    toy_sum(r + 8, r + 8, 8, key);
    return 0;
}
