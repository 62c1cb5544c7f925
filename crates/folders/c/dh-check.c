/* Checks crypto_dh: makes the calls that its checksums cover. */
#include "crypto_dh.h"

#define SMALL_LOOPS 64
#define BIG_LOOPS 512
#define BIG_BYTES 0
#include "check.h"

static struct buffer secret[2] = {{.bytes = crypto_dh_SECRETKEYBYTES},
                                  {.bytes = crypto_dh_SECRETKEYBYTES}};
static struct buffer public[2] = {{.bytes = crypto_dh_PUBLICKEYBYTES},
                                  {.bytes = crypto_dh_PUBLICKEYBYTES}};
static struct buffer shared[2] = {{.bytes = crypto_dh_BYTES}, {.bytes = crypto_dh_BYTES}};

static int make_pair(int i) { return crypto_dh_keypair(public[i].now, secret[i].now); }
static int first_pair(void) { return make_pair(0); }
static int second_pair(void) { return make_pair(1); }

static int share(int i) { return crypto_dh(shared[i].now, public[1 - i].now, secret[i].now); }
static int first_share(void) { return share(0); }
static int second_share(void) { return share(1); }

#define RULES (REPEATS | OVERLAPS)
static struct call calls[] = {
    {"crypto_dh_keypair", first_pair, 0, 0, {&public[0], &secret[0]}, {NULL}},
    {"crypto_dh_keypair", second_pair, 0, 0, {&public[1], &secret[1]}, {NULL}},
    {"crypto_dh", first_share, 0, RULES, {&shared[0]}, {&public[1], &secret[0]}},
    {"crypto_dh", second_share, 0, RULES, {&shared[1]}, {&public[0], &secret[1]}},
};

BUFFERS(0, &secret[0], &public[0], &shared[0], &secret[1], &public[1], &shared[1])

static void test(length loops, length most) {
    for (; loops != 0; loops--) {
        next_turn();
        for (int i = 0; i < 4; i++) try_call(&calls[i]);
        if (memcmp(shared[0].at, shared[1].at, shared[0].bytes) != 0)
            fail("crypto_dh", "gives two sides different secrets");
    }
}
