/* Checks crypto_rng: makes the calls that its checksums cover. */
#include "crypto_rng.h"

#define SMALL_LOOPS 64
#define BIG_LOOPS 512
#define BIG_BYTES 0
#include "check.h"

static struct buffer key = {.bytes = crypto_rng_KEYBYTES};
static struct buffer output = {.bytes = crypto_rng_OUTPUTBYTES};
static struct buffer next_key = {.bytes = crypto_rng_KEYBYTES};

static int make_output(void) { return crypto_rng(output.now, next_key.now, key.now); }

static struct call drawing = {"crypto_rng", make_output, 0, REPEATS | OVERLAPS,
                              {&output, &next_key}, {&key}};

BUFFERS(0, &key, &output, &next_key)

static void test(length most) {
    try_call(&drawing);
}
