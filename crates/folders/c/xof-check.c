/* Checks crypto_xof: makes the calls that its checksums cover. */
#include "crypto_xof.h"

#define SMALL_LOOPS 64
#define BIG_LOOPS 512
#define BIG_BYTES 16384
#include "check.h"

static struct buffer output, message;

static int make_xof(void) {
    crypto_xof(output.now, (long long)output.bytes, message.now, (long long)message.bytes);
    return 0;
}

#if crypto_xof_NOOVERLAP == 1
#define RULES REPEATS
#else
#define RULES (REPEATS | OVERLAPS)
#endif
static struct call xof = {"crypto_xof", make_xof, 0, RULES, {&output}, {&message}};

BUFFERS(0, &output, &message)

static void test(length most) {
    message.bytes = number(most);
    output.bytes = number(most);
    try_call(&xof);
}
