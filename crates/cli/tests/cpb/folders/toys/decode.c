#include "crypto_decode.h"
#include "crypto_uint16.h"

/* Decodes two integers of 12 bits from three bytes, twice. */
void crypto_decode(void *items, const unsigned char *s) {
    crypto_uint16 *x = items;
    for (int i = 0; i < 2; i++, s += 3) {
        *x++ = s[0] | (s[1] & 15) << 8;
        *x++ = s[1] >> 4 | s[2] << 4;
    }
}
