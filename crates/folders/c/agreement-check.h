/* agreement-check.h: makes the calls that the checksums of crypto_dh and crypto_scalarmult
 * cover: two sides each make a pair, and agree. An operation says how side i does so, and with
 * which rules, outputs and inputs it makes a pair. */
#define SMALL_LOOPS 64
#define BIG_LOOPS 512
#define BIG_BYTES 0
#include "check.h"

static struct buffer secret[2] = {{.bytes = SECRET_BYTES}, {.bytes = SECRET_BYTES}};
static struct buffer public[2] = {{.bytes = PUBLIC_BYTES}, {.bytes = PUBLIC_BYTES}};
static struct buffer shared[2] = {{.bytes = SHARED_BYTES}, {.bytes = SHARED_BYTES}};

static int first_pair(void) { return MAKE_PAIR(0); }
static int second_pair(void) { return MAKE_PAIR(1); }
static int first_share(void) { return SHARE(0); }
static int second_share(void) { return SHARE(1); }

#define RULES (REPEATS | OVERLAPS)
static struct call calls[] = {
    {PAIRING, first_pair, 0, PAIRS(0)},
    {PAIRING, second_pair, 0, PAIRS(1)},
    {OPERATION, first_share, 0, RULES, {&shared[0]}, {&public[1], &secret[0]}},
    {OPERATION, second_share, 0, RULES, {&shared[1]}, {&public[0], &secret[1]}},
};

BUFFERS(0, &secret[0], &public[0], &shared[0], &secret[1], &public[1], &shared[1])

static void test(length most) {
    for (int i = 0; i < 4; i++) try_call(&calls[i]);
    expect_same(&shared[0], &shared[1], OPERATION, "gives two sides different secrets");
}
