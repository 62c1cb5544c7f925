#include "crypto_verify.h"
#include "crypto_uint64.h"

int crypto_verify(const unsigned char *x, const unsigned char *y) {
    const crypto_uint64 differs = crypto_uint64_load(x) ^ crypto_uint64_load(y);
    return -(int)crypto_uint64_nonzero_01(differs);
}
