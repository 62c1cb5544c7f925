/* Computes SHA-256 with another primitive of the tree, like
 * crypto_hash/sha256/blocks. */
#include "crypto_hash.h"
#include "crypto_hashblocks_sha256.h"

static const unsigned char iv[32] = {
    0x6a, 0x09, 0xe6, 0x67, 0xbb, 0x67, 0xae, 0x85, 0x3c, 0x6e, 0xf3, 0x72, 0xa5, 0x4f, 0xf5, 0x3a,
    0x51, 0x0e, 0x52, 0x7f, 0x9b, 0x05, 0x68, 0x8c, 0x1f, 0x83, 0xd9, 0xab, 0x5b, 0xe0, 0xcd, 0x19,
};

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long bytes)
{
    unsigned char state[32], last[128] = {0};
    unsigned long long rest = bytes % 64, padded = rest < 56 ? 64 : 128;
    for (int i = 0; i < 32; ++i) state[i] = iv[i];
    crypto_hashblocks_sha256(state, in, bytes);
    for (unsigned long long i = 0; i < rest; ++i) last[i] = in[bytes - rest + i];
    last[rest] = 0x80;
    for (int i = 0; i < 8; ++i) last[padded - 1 - i] = bytes * 8 >> 8 * i;
    crypto_hashblocks_sha256(state, last, padded);
    for (int i = 0; i < 32; ++i) out[i] = state[i];
    return 0;
}
