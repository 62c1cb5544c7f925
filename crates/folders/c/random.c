/* random.c: the random bytes of an implementation. They come from ChaCha20, whose key is
 * replaced in each refill, from a fixed start as in SUPERCOP's tests; or at first from bytes
 * that cpb chose; or from NIST's generator. Also defines other symbols that implementations
 * expect. */
#include "random.h"

#include "drbg.h"

#define CPB_BLOCKS 12
#define CPB_KEY_BYTES 32

static struct {
    unsigned char bytes[64 * CPB_BLOCKS]; /* the next key, and then the output */
    size_t used;
    const unsigned char *chosen;
    size_t chosen_bytes;
} cpb_random = {.used = sizeof cpb_random.bytes};

/* Computes blocks 0 to 11 of ChaCha20 with the nonce 0, side by side in vectors. */
__attribute__((noinline)) static void cpb_refill(void) {
    uint32_t start[16], x[16][CPB_BLOCKS];
    memcpy(start, "expand 32-byte k", 16);
    memcpy(start + 4, cpb_random.bytes, CPB_KEY_BYTES);
    memset(start + 12, 0, 16);
    for (int i = 0; i < 16; i++) {
        for (int b = 0; b < CPB_BLOCKS; b++) x[i][b] = start[i] + (i == 12 ? (uint32_t)b : 0);
    }
#define MIX(a, b, c, by)                                                          \
    for (int k = 0; k < CPB_BLOCKS; k++) {                                        \
        x[a][k] += x[b][k];                                                       \
        const uint32_t mixed = x[c][k] ^ x[a][k];                                 \
        x[c][k] = mixed << (by) | mixed >> (32 - (by));                           \
    }
#define QUARTER(a, b, c, d) MIX(a, b, d, 16) MIX(c, d, b, 12) MIX(a, b, d, 8) MIX(c, d, b, 7)
    for (int round = 0; round < 10; round++) {
        QUARTER(0, 4, 8, 12) QUARTER(1, 5, 9, 13) QUARTER(2, 6, 10, 14) QUARTER(3, 7, 11, 15)
        QUARTER(0, 5, 10, 15) QUARTER(1, 6, 11, 12) QUARTER(2, 7, 8, 13) QUARTER(3, 4, 9, 14)
    }
#undef QUARTER
#undef MIX
    for (int b = 0; b < CPB_BLOCKS; b++) {
        for (int i = 0; i < 16; i++) {
            const uint32_t word = x[i][b] + start[i] + (i == 12 ? (uint32_t)b : 0);
            memcpy(cpb_random.bytes + 64 * b + 4 * i, &word, 4);
        }
    }
    cpb_random.used = CPB_KEY_BYTES;
}

void cpb_start_over(void) {
    cpb_drbg.is_on = 0;
    memset(&cpb_random, 0, sizeof cpb_random);
    cpb_random.used = sizeof cpb_random.bytes;
}

void cpb_choose(const unsigned char *bytes, size_t count) {
    cpb_random.chosen = bytes;
    cpb_random.chosen_bytes = count;
}

void cpb_seed(const unsigned char *seed) {
    memset(&cpb_drbg, 0, sizeof cpb_drbg);
    cpb_drbg_update(seed);
    cpb_drbg.is_on = 1;
}

void kernelrandombytes(unsigned char *to, unsigned long long count);
void crypto_declassify(const void *secret, unsigned long long bytes);

void randombytes(unsigned char *to, unsigned long long count) {
    if (cpb_drbg.is_on) {
        cpb_drbg_draw(to, count);
        return;
    }
    while (count != 0 && cpb_random.chosen_bytes != 0) {
        *to++ = *cpb_random.chosen++;
        cpb_random.chosen_bytes--;
        count--;
    }
    while (count != 0) {
        if (cpb_random.used == sizeof cpb_random.bytes) cpb_refill();
        size_t part = sizeof cpb_random.bytes - cpb_random.used;
        if (part > count) part = count;
        memcpy(to, cpb_random.bytes + cpb_random.used, part);
        memset(cpb_random.bytes + cpb_random.used, 0, part);
        cpb_random.used += part;
        to += part;
        count -= part;
    }
}

void kernelrandombytes(unsigned char *to, unsigned long long count) { randombytes(to, count); }

/* PQClean calls it by this name. */
int PQCLEAN_randombytes(unsigned char *to, size_t count);
int PQCLEAN_randombytes(unsigned char *to, size_t count) {
    randombytes(to, count);
    return 0;
}

/* Only tools that follow secrets through a run need it. */
void crypto_declassify(const void *secret, unsigned long long bytes) {
    (void)secret, (void)bytes;
}

/* These are zeros that compilers cannot recognize; headers of a tree's own need them. */
volatile int8_t supercop_int8_optblocker, supercop_uint8_signed_optblocker;
volatile int16_t supercop_int16_optblocker, supercop_uint16_signed_optblocker;
volatile int32_t supercop_int32_optblocker, supercop_uint32_signed_optblocker;
volatile int64_t supercop_int64_optblocker, supercop_uint64_signed_optblocker;
