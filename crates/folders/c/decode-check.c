/* Checks crypto_decode: makes the calls that its checksums cover. */
#include "crypto_decode.h"

#define SMALL_LOOPS 1024
#define BIG_LOOPS 4096
#define BIG_BYTES 0
#include "check.h"

static struct buffer text = {.bytes = crypto_decode_STRBYTES};
static struct buffer items = {.bytes = crypto_decode_ITEMS * crypto_decode_ITEMBYTES};

static int make_items(void) {
    crypto_decode(items.now, text.now);
    return 0;
}

static struct call decoding = {"crypto_decode", make_items, 0, REPEATS, {&items}, {&text}};

static void allocate(length most) {
    make_room(&text, crypto_decode_STRBYTES, 1);
    make_room(&items, crypto_decode_ITEMS * crypto_decode_ITEMBYTES, crypto_decode_ITEMBYTES);
}

static void test(length most) {
    try_call(&decoding);
}
