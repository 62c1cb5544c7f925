/* Checks crypto_secretbox: makes the calls that its checksums cover. */
#include "crypto_secretbox.h"

#define SMALL_LOOPS 4096
#define BIG_LOOPS 32768
#define BIG_BYTES 4096
#include "check.h"

static struct buffer key = {.bytes = crypto_secretbox_KEYBYTES};
static struct buffer nonce = {.bytes = crypto_secretbox_NONCEBYTES};
static struct buffer message, boxed, opened;

static int box(void) {
    return crypto_secretbox(boxed.now, message.now, message.bytes, nonce.now, key.now);
}

static int unbox(void) {
    return crypto_secretbox_open(opened.now, boxed.now, boxed.bytes, nonce.now, key.now);
}

static void after_boxing(void) {
    for (length i = 0; i < crypto_secretbox_BOXZEROBYTES; i++) {
        if (boxed.at[i] != 0) fail("crypto_secretbox", "does not clear what is before the box");
    }
}

static void after_opening(void) {
    expect_same(&opened, &message, "crypto_secretbox_open", "does not give back what was boxed");
}

#define RULES (REPEATS | OVERLAPS)
static struct call boxing = {"crypto_secretbox", box, 0, RULES, {&boxed},
                             {&message, &nonce, &key}, .look = after_boxing};
static struct call opening = {"crypto_secretbox_open", unbox, 0, RULES, {&opened},
                              {&boxed, &nonce, &key}, .look = after_opening};

BUFFERS(0, &key, &nonce, &message, &boxed, &opened)

static void test(length most) {
    message.bytes = boxed.bytes = opened.bytes = number(most);
    if (message.bytes < crypto_secretbox_ZEROBYTES) return;
    prepare(&boxing);
    memset(message.at, 0, crypto_secretbox_ZEROBYTES);
    memset(message.twin, 0, crypto_secretbox_ZEROBYTES);
    hold(&boxing);
    try_call(&opening);
}
