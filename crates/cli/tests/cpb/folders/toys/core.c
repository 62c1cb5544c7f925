#include "crypto_core.h"
#include "toy.h"

int crypto_core(unsigned char *out, const unsigned char *in, const unsigned char *k,
                const unsigned char *c) {
    unsigned char first[8];
    toy_sum(first, in, 16, k);
    toy_sum(out, c, 8, first);
    return 0;
}
