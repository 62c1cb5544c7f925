#include "crypto_stream.h"
#include "toy.h"

int crypto_stream_xor(unsigned char *out, const unsigned char *in, unsigned long long bytes,
                      const unsigned char *nonce, const unsigned char *key) {
    unsigned char first[8], block[8];
    memcpy(first, nonce, 8);
    unsigned char own[8];
    memcpy(own, key, 8);
    for (unsigned long long i = 0; i < bytes; i++) {
        if (i % 8 == 0) {
            toy_sum(block, first, 8, own);
            memcpy(first, block, 8);
        }
        out[i] = in[i] ^ block[i % 8];
    }
    return 0;
}

int crypto_stream(unsigned char *out, unsigned long long bytes, const unsigned char *nonce,
                  const unsigned char *key) {
    unsigned char zeros[4096] = {0};
    return crypto_stream_xor(out, zeros, bytes, nonce, key);
}
