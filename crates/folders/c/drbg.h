/* drbg.h: implements CTR_DRBG with AES-256 (NIST SP 800-90A Rev. 1, 10.2.1) without
 * derivation function, which drew the known answers of NIST's post-quantum competition. It
 * is not optimized for speed. */
#ifndef CPB_DRBG_H
#define CPB_DRBG_H

#include <stdint.h>
#include <string.h>

#define CPB_DRBG_SEED_BYTES 48

static struct {
    int is_on;
    uint8_t key[32], counter[16];
} cpb_drbg;

static uint8_t cpb_twice(uint8_t x) { return (uint8_t)(x << 1 ^ (x >> 7) * 0x1b); }

/* Computes the S-box of FIPS 197, 5.1.1: the inverse in GF(2^8), by powers of 3 and of its
 * inverse, then the affine map. */
static const uint8_t *cpb_boxes(void) {
    static uint8_t box[256];
    uint8_t p = 1, q = 1;
    if (box[0] != 0) return box;
    do {
        p ^= cpb_twice(p);
        q ^= (uint8_t)(q << 1);
        q ^= (uint8_t)(q << 2);
        q ^= (uint8_t)(q << 4);
        q ^= (q >> 7) * 0x09;
        uint8_t mixed = q;
        for (int by = 1; by < 5; by++) mixed ^= (uint8_t)(q << by | q >> (8 - by));
        box[p] = mixed ^ 0x63;
    } while (p != 1);
    box[0] = 0x63;
    return box;
}

static void cpb_aes(uint8_t block[16], const uint8_t key[32]) {
    const uint8_t *box = cpb_boxes();
    uint8_t w[240], mixed[16], constant = 1;
    memcpy(w, key, 32);
    for (int i = 32; i < 240; i += 4) {
        uint8_t t[4];
        memcpy(t, w + i - 4, 4);
        if (i % 32 == 0) {
            const uint8_t first = t[0];
            t[0] = box[t[1]] ^ constant;
            t[1] = box[t[2]];
            t[2] = box[t[3]];
            t[3] = box[first];
            constant = cpb_twice(constant);
        } else if (i % 32 == 16) {
            for (int j = 0; j < 4; j++) t[j] = box[t[j]];
        }
        for (int j = 0; j < 4; j++) w[i + j] = w[i + j - 32] ^ t[j];
    }
    for (int j = 0; j < 16; j++) block[j] ^= w[j];
    for (int round = 1; round < 15; round++) {
        /* These are SubBytes and ShiftRows. */
        for (int j = 0; j < 16; j++) mixed[j] = box[block[(j + 4 * (j % 4)) % 16]];
        for (int c = 0; c < 16; c += 4) {
            const uint8_t *m = mixed + c;
            const uint8_t all = m[0] ^ m[1] ^ m[2] ^ m[3];
            for (int j = 0; j < 4; j++) {
                const uint8_t other = round < 14 ? all ^ cpb_twice(m[j] ^ m[(j + 1) % 4]) : 0;
                block[c + j] = m[j] ^ other ^ w[16 * round + c + j];
            }
        }
    }
}

static void cpb_drbg_block(uint8_t block[16]) {
    for (int i = 15; i >= 0 && ++cpb_drbg.counter[i] == 0; i--) {}
    memcpy(block, cpb_drbg.counter, 16);
    cpb_aes(block, cpb_drbg.key);
}

static void cpb_drbg_update(const uint8_t *with) {
    uint8_t next[CPB_DRBG_SEED_BYTES];
    for (int i = 0; i < CPB_DRBG_SEED_BYTES; i += 16) cpb_drbg_block(next + i);
    for (int i = 0; with != NULL && i < CPB_DRBG_SEED_BYTES; i++) next[i] ^= with[i];
    memcpy(cpb_drbg.key, next, 32);
    memcpy(cpb_drbg.counter, next + 32, 16);
}

static void cpb_drbg_draw(uint8_t *to, unsigned long long count) {
    uint8_t block[16];
    while (count != 0) {
        const size_t part = count < 16 ? (size_t)count : 16;
        cpb_drbg_block(block);
        memcpy(to, block, part);
        to += part;
        count -= part;
    }
    cpb_drbg_update(NULL);
}

#endif
