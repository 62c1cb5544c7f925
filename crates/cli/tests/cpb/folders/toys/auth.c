#include "crypto_auth.h"
#include "crypto_verify_8.h"
#include "toy.h"

int crypto_auth(unsigned char *out, const unsigned char *in, unsigned long long bytes,
                const unsigned char *key) {
    toy_sum(out, in, bytes, key);
    return 0;
}

int crypto_auth_verify(const unsigned char *tag, const unsigned char *in, unsigned long long bytes,
                       const unsigned char *key) {
    unsigned char right[8];
    toy_sum(right, in, bytes, key);
    return crypto_verify_8(tag, right);
}
