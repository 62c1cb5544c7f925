/* Checks whether crypto_verify distinguishes strings. Its checksum covers no output. */
#include "crypto_verify.h"

/* SUPERCOP makes ten times as many tests, which changes no checksum. */
#define SMALL_LOOPS 10000
#define BIG_LOOPS 100000
#define BIG_BYTES 0
#include "check.h"

static struct buffer first = {.bytes = crypto_verify_BYTES}, second = {.bytes = crypto_verify_BYTES};

static void compare(void) {
    const int found = crypto_verify(first.at, second.at);
    const int expected = memcmp(first.at, second.at, crypto_verify_BYTES) == 0 ? 0 : -1;
    if (found != expected) fail("crypto_verify", "takes equal strings for others, or others for equal");
}

BUFFERS(0, &first, &second)

static void test(length most) {
    randombytes(first.at, crypto_verify_BYTES);
    randombytes(second.at, crypto_verify_BYTES);
    compare();
    memcpy(second.at, first.at, crypto_verify_BYTES);
    compare();
    for (int i = 0; i < 3; i++) {
        byte *changed = &second.at[number(crypto_verify_BYTES - 1)];
        *changed = (byte)number(255);
        compare();
    }
}
