/* Checks crypto_encode: makes the calls that its checksums cover. */
#include "crypto_encode.h"

#define SMALL_LOOPS 1024
#define BIG_LOOPS 4096
#define BIG_BYTES 0
#include "check.h"

static struct buffer text = {.bytes = crypto_encode_STRBYTES};
static struct buffer items = {.bytes = crypto_encode_ITEMS * crypto_encode_ITEMBYTES};

static int make_text(void) {
    crypto_encode(text.now, items.now);
    return 0;
}

static struct call encoding = {"crypto_encode", make_text, 0, REPEATS, {&text}, {&items}};

static void allocate(length most) {
    make_room(&text, crypto_encode_STRBYTES, 1);
    make_room(&items, crypto_encode_ITEMS * crypto_encode_ITEMBYTES, crypto_encode_ITEMBYTES);
}

static void test(length most) {
    try_call(&encoding);
}
