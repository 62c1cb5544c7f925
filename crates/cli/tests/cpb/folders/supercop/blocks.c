/* Compresses whole blocks with SHA-256 (FIPS 180-4), like crypto_hashblocks/sha256. */
#include "crypto_hashblocks.h"
#include <stdint.h>

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t load(const unsigned char *x)
{
    return (uint32_t)x[0] << 24 | (uint32_t)x[1] << 16 | (uint32_t)x[2] << 8 | x[3];
}

static uint32_t turn(uint32_t x, int n) { return x >> n | x << (32 - n); }

int crypto_hashblocks(unsigned char *state, const unsigned char *in, unsigned long long bytes)
{
    uint32_t h[8];
    for (int i = 0; i < 8; ++i) h[i] = load(state + 4 * i);
    for (; bytes >= 64; in += 64, bytes -= 64) {
        uint32_t w[64], s[8];
        for (int i = 0; i < 16; ++i) w[i] = load(in + 4 * i);
        for (int i = 16; i < 64; ++i) {
            uint32_t a = w[i - 15], b = w[i - 2];
            w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[i - 7]
                   + (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
        }
        for (int i = 0; i < 8; ++i) s[i] = h[i];
        for (int i = 0; i < 64; ++i) {
            uint32_t e = s[4], a = s[0];
            uint32_t one = s[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & s[5]) ^ (~e & s[6]))
                           + K[i] + w[i];
            uint32_t two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22))
                           + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
            for (int j = 7; j > 0; --j) s[j] = s[j - 1];
            s[4] += one;
            s[0] = one + two;
        }
        for (int i = 0; i < 8; ++i) h[i] += s[i];
    }
    for (int i = 0; i < 32; ++i) state[i] = h[i / 4] >> (24 - 8 * (i % 4));
    return bytes;
}
