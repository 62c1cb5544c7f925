#include "crypto_encode.h"
#include "crypto_uint16.h"

/* Encodes two integers of 12 bits in three bytes, twice. */
void crypto_encode(unsigned char *s, const void *items) {
    const crypto_uint16 *x = items;
    for (int i = 0; i < 2; i++, x += 2, s += 3) {
        s[0] = x[0];
        s[1] = (x[0] >> 8 & 15) | x[1] << 4;
        s[2] = x[1] >> 4;
    }
}
