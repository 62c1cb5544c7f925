/* Checks crypto_hashblocks: makes the calls that its checksums cover. */
#include "crypto_hashblocks.h"

#define SMALL_LOOPS 4096
#define BIG_LOOPS 32768
#define BIG_BYTES 4096
#include "check.h"

static struct buffer state = {.bytes = crypto_hashblocks_STATEBYTES}, message;

static int make_blocks(void) { return crypto_hashblocks(state.now, message.now, message.bytes); }

static struct call blocks = {"crypto_hashblocks", make_blocks, 0, REPEATS, {NULL}, {&message},
                             {&state}};

BUFFERS(0, &state, &message)

static void test(length most) {
    message.bytes = number(most);
    /* The function leaves the bytes of a partial block, and returns their
     * number. */
    blocks.expected = (int)(message.bytes % crypto_hashblocks_BLOCKBYTES);
    try_call(&blocks);
}
