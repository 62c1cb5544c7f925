/* Checks crypto_scalarmult: makes the calls that its checksums cover. */
#include "crypto_scalarmult.h"

#define SMALL_LOOPS 64
#define BIG_LOOPS 512
#define BIG_BYTES 0
#include "check.h"

static struct buffer secret[2] = {{.bytes = crypto_scalarmult_SCALARBYTES},
                                  {.bytes = crypto_scalarmult_SCALARBYTES}};
static struct buffer public[2] = {{.bytes = crypto_scalarmult_BYTES},
                                  {.bytes = crypto_scalarmult_BYTES}};
static struct buffer shared[2] = {{.bytes = crypto_scalarmult_BYTES},
                                  {.bytes = crypto_scalarmult_BYTES}};

static int make_public(int i) { return crypto_scalarmult_base(public[i].now, secret[i].now); }
static int first_public(void) { return make_public(0); }
static int second_public(void) { return make_public(1); }

static int share(int i) {
    return crypto_scalarmult(shared[i].now, secret[i].now, public[1 - i].now);
}
static int first_share(void) { return share(0); }
static int second_share(void) { return share(1); }

#define BASE "crypto_scalarmult_base"
#define RULES (REPEATS | OVERLAPS)
static struct call calls[] = {
    {BASE, first_public, 0, RULES, {&public[0]}, {&secret[0]}},
    {BASE, second_public, 0, RULES, {&public[1]}, {&secret[1]}},
    {"crypto_scalarmult", first_share, 0, RULES, {&shared[0]}, {&secret[0], &public[1]}},
    {"crypto_scalarmult", second_share, 0, RULES, {&shared[1]}, {&secret[1], &public[0]}},
};

BUFFERS(0, &secret[0], &public[0], &shared[0], &secret[1], &public[1], &shared[1])

static void test(length loops, length most) {
    for (; loops != 0; loops--) {
        next_turn();
        for (int i = 0; i < 4; i++) try_call(&calls[i]);
        if (memcmp(shared[0].at, shared[1].at, shared[0].bytes) != 0)
            fail("crypto_scalarmult", "gives two sides different secrets");
    }
}
