#include "crypto_hashblocks.h"
#include "toy.h"

int crypto_hashblocks(unsigned char *state, const unsigned char *in, unsigned long long bytes) {
    for (; bytes >= 16; in += 16, bytes -= 16) toy_sum(state, in, 16, state);
    return (int)bytes;
}
