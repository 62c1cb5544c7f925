/* Checks crypto_box: makes the calls that its checksums cover. */
#include "crypto_box.h"

#define SMALL_LOOPS 512
#define BIG_LOOPS 4096
#define BIG_BYTES 4096
#include "check.h"

static struct buffer secret[2] = {{.bytes = crypto_box_SECRETKEYBYTES},
                                  {.bytes = crypto_box_SECRETKEYBYTES}};
static struct buffer public[2] = {{.bytes = crypto_box_PUBLICKEYBYTES},
                                  {.bytes = crypto_box_PUBLICKEYBYTES}};
static struct buffer shared[2] = {{.bytes = crypto_box_BEFORENMBYTES},
                                  {.bytes = crypto_box_BEFORENMBYTES}};
static struct buffer nonce = {.bytes = crypto_box_NONCEBYTES};
static struct buffer message, boxed, boxed_again, opened;

static int first_pair(void) { return crypto_box_keypair(public[0].now, secret[0].now); }
static int second_pair(void) { return crypto_box_keypair(public[1].now, secret[1].now); }
static int box(void) {
    return crypto_box(boxed.now, message.now, message.bytes, nonce.now, public[1].now,
                      secret[0].now);
}
static int unbox(void) {
    return crypto_box_open(opened.now, boxed.now, boxed.bytes, nonce.now, public[0].now,
                           secret[1].now);
}
static int first_share(void) {
    return crypto_box_beforenm(shared[0].now, public[1].now, secret[0].now);
}
static int second_share(void) {
    return crypto_box_beforenm(shared[1].now, public[0].now, secret[1].now);
}
static int box_again(void) {
    return crypto_box_afternm(boxed_again.now, message.now, message.bytes, nonce.now,
                              shared[0].now);
}
static int unbox_again(void) {
    return crypto_box_open_afternm(opened.now, boxed_again.now, boxed_again.bytes, nonce.now,
                                   shared[1].now);
}

static void after_boxing(void) {
    for (length i = 0; i < crypto_box_BOXZEROBYTES; i++) {
        if (boxed.at[i] != 0) fail("crypto_box", "does not clear what is before the box");
    }
}

static void after_boxing_again(void) {
    expect_same(&boxed_again, &boxed, "crypto_box_afternm", "puts out another box than crypto_box");
}

static void after_opening(void) {
    expect_same(&opened, &message, "crypto_box_open", "does not give back what was boxed");
}

#define RULES (REPEATS | OVERLAPS)
static struct call pairs[] = {
    {"crypto_box_keypair", first_pair, 0, 0, {&public[0], &secret[0]}, {NULL}},
    {"crypto_box_keypair", second_pair, 0, 0, {&public[1], &secret[1]}, {NULL}},
};
static struct call boxing = {"crypto_box", box, 0, RULES, {&boxed},
                             {&message, &nonce, &public[1], &secret[0]}, .look = after_boxing};
static struct call opening = {"crypto_box_open", unbox, 0, RULES, {&opened},
                              {&boxed, &nonce, &public[0], &secret[1]}, .look = after_opening};
static struct call shares[] = {
    {"crypto_box_beforenm", first_share, 0, RULES, {&shared[0]}, {&public[1], &secret[0]}},
    {"crypto_box_beforenm", second_share, 0, RULES, {&shared[1]}, {&public[0], &secret[1]}},
};
static struct call boxing_again = {"crypto_box_afternm", box_again, 0, RULES, {&boxed_again},
                                   {&message, &nonce, &shared[0]}, .look = after_boxing_again};
static struct call opening_again = {"crypto_box_open_afternm", unbox_again, 0, RULES, {&opened},
                                    {&boxed_again, &nonce, &shared[1]}, .look = after_opening};

BUFFERS(0, &secret[0], &secret[1], &public[0], &public[1], &shared[0], &shared[1], &nonce,
        &message, &boxed, &boxed_again, &opened)

static void test(length most) {
    message.bytes = boxed.bytes = boxed_again.bytes = opened.bytes = number(most);
    if (message.bytes < crypto_box_ZEROBYTES) return;
    for (int i = 0; i < 2; i++) try_call(&pairs[i]);
    prepare(&boxing);
    memset(message.at, 0, crypto_box_ZEROBYTES);
    memset(message.twin, 0, crypto_box_ZEROBYTES);
    hold(&boxing);
    try_call(&opening);
    for (int i = 0; i < 2; i++) try_call(&shares[i]);
    try_call(&boxing_again);
    try_call(&opening_again);
}
