#include "crypto_hash.h"
#include <stdint.h>
#include <string.h>

/* Computes Keccak-f[1600] as in FIPS 202, step by step. */
static uint64_t turned(uint64_t word, int by) { return by ? word << by | word >> (64 - by) : word; }

static void permute(uint64_t a[25]) {
    uint8_t feedback = 1;
    for (int round = 0; round < 24; round++) {
        uint64_t c[5], b[25];
        for (int x = 0; x < 5; x++) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
        for (int i = 0; i < 25; i++) a[i] ^= c[(i + 4) % 5] ^ turned(c[(i + 1) % 5], 1);
        b[0] = a[0];
        for (int t = 0, x = 1, y = 0; t < 24; t++) {
            const int next = (2 * x + 3 * y) % 5;
            b[y + 5 * next] = turned(a[x + 5 * y], (t + 1) * (t + 2) / 2 % 64);
            x = y;
            y = next;
        }
        for (int i = 0; i < 25; i++) {
            const int row = i / 5 * 5, x = i % 5;
            a[i] = b[i] ^ (~b[row + (x + 1) % 5] & b[row + (x + 2) % 5]);
        }
        for (int bit = 0; bit < 7; bit++) {
            if (feedback & 1) a[0] ^= UINT64_C(1) << ((1 << bit) - 1);
            feedback = (uint8_t)(feedback << 1 ^ (feedback >> 7) * 0x71);
        }
    }
}

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long bytes) {
    uint64_t state[25] = {0};
    unsigned char block[136];
    for (;; in += 136, bytes -= 136) {
        const int is_last = bytes < 136;
        memset(block, 0, sizeof block);
        memcpy(block, in, is_last ? bytes : 136);
        if (is_last) {
            block[bytes] ^= 6;
            block[135] ^= 128;
        }
        for (int i = 0; i < 17; i++) {
            uint64_t word;
            memcpy(&word, block + 8 * i, 8);
            state[i] ^= word;
        }
        permute(state);
        if (is_last) break;
    }
    memcpy(out, state, 32);
    return 0;
}
