/* Checks crypto_hash: makes the calls that its checksums cover. */
#include "crypto_hash.h"

#define SMALL_LOOPS 64
#define BIG_LOOPS 512
#define BIG_BYTES 4096
#include "check.h"

static struct buffer digest = {.bytes = crypto_hash_BYTES}, message;

static int make_hash(void) { return crypto_hash(digest.now, message.now, message.bytes); }

static struct call hash = {"crypto_hash", make_hash, 0, REPEATS | OVERLAPS, {&digest}, {&message}};

BUFFERS(0, &digest, &message)

static void test(length most) {
    message.bytes = number(most);
    try_call(&hash);
}
