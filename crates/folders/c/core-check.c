/* Checks crypto_core: makes the calls that its checksums cover. */
#include "crypto_core.h"

#define SMALL_LOOPS 512
#define BIG_LOOPS 4096
#define BIG_BYTES 0
#include "check.h"

static struct buffer output = {.bytes = crypto_core_OUTPUTBYTES};
static struct buffer input = {.bytes = crypto_core_INPUTBYTES};
static struct buffer key = {.bytes = crypto_core_KEYBYTES};
static struct buffer constant = {.bytes = crypto_core_CONSTBYTES};

static int make_core(void) { return crypto_core(output.now, input.now, key.now, constant.now); }

static struct call core = {"crypto_core", make_core, 0, REPEATS | OVERLAPS, {&output},
                           {&input, &key, &constant}};

BUFFERS(0, &output, &input, &key, &constant)

static void test(length most) {
    try_call(&core);
}
