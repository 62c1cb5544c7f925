/* Implements SHA-256 (FIPS 180-4 section 6.2) plainly, because the library does not
 * export its own, and its ECDSA takes a digest that the caller has computed. */
#ifndef CPB_LIBSECP256K1_SHA256_H
#define CPB_LIBSECP256K1_SHA256_H

#include <stdint.h>
#include <string.h>

enum { SHA256_BLOCK = 64, SHA256_LENGTH_AT = 56 };

static inline uint32_t rotated_right(uint32_t word, int bits) {
    return word >> bits | word << (32 - bits);
}

static inline uint32_t big_endian(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void sha256_block(uint32_t state[8], const uint8_t *block) {
    static const uint32_t constants[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
        0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
        0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
        0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
        0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
        0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
        0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2};
    uint32_t words[64], a, b, c, d, e, f, g, h;
    for (int t = 0; t < 16; t++) words[t] = big_endian(block + 4 * t);
    for (int t = 16; t < 64; t++) {
        const uint32_t early = words[t - 15], late = words[t - 2];
        words[t] = words[t - 16] + words[t - 7] +
                   (rotated_right(early, 7) ^ rotated_right(early, 18) ^ early >> 3) +
                   (rotated_right(late, 17) ^ rotated_right(late, 19) ^ late >> 10);
    }
    a = state[0], b = state[1], c = state[2], d = state[3];
    e = state[4], f = state[5], g = state[6], h = state[7];
/* The next step renames the words instead of moving them by one. */
#define STEP(a, b, c, d, e, f, g, h, t)                                                          \
    h += (rotated_right(e, 6) ^ rotated_right(e, 11) ^ rotated_right(e, 25)) +                   \
         (g ^ (e & (f ^ g))) + constants[t] + words[t];                                          \
    d += h;                                                                                      \
    h += (rotated_right(a, 2) ^ rotated_right(a, 13) ^ rotated_right(a, 22)) +                   \
         ((a & b) | (c & (a | b)));
    for (int t = 0; t < 64; t += 8) {
        STEP(a, b, c, d, e, f, g, h, t)
        STEP(h, a, b, c, d, e, f, g, t + 1)
        STEP(g, h, a, b, c, d, e, f, t + 2)
        STEP(f, g, h, a, b, c, d, e, t + 3)
        STEP(e, f, g, h, a, b, c, d, t + 4)
        STEP(d, e, f, g, h, a, b, c, t + 5)
        STEP(c, d, e, f, g, h, a, b, t + 6)
        STEP(b, c, d, e, f, g, h, a, t + 7)
    }
#undef STEP
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

static void sha256(const uint8_t *message, uint64_t bytes, uint8_t digest[32]) {
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    /* Holds the rest of the message, one bit, zeros, and the length in bits. */
    uint8_t last[2 * SHA256_BLOCK] = {0};
    uint64_t left = bytes;
    for (; left >= SHA256_BLOCK; left -= SHA256_BLOCK, message += SHA256_BLOCK)
        sha256_block(state, message);
    const int blocks = left < SHA256_LENGTH_AT ? 1 : 2;
    if (left != 0) memcpy(last, message, left);
    last[left] = 0x80;
    for (int i = 0; i < 8; i++)
        last[blocks * SHA256_BLOCK - 1 - i] = (uint8_t)(bytes * 8 >> 8 * i);
    for (int i = 0; i < blocks; i++) sha256_block(state, last + i * SHA256_BLOCK);
    for (int i = 0; i < 32; i++) digest[i] = (uint8_t)(state[i / 4] >> (24 - i % 4 * 8));
}

#endif
