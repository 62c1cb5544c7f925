/* crypto_sign: what its checksums are over. */
#include "crypto_sign.h"

#define SMALL_LOOPS 8
#define BIG_LOOPS 64
#define BIG_BYTES 4096
#include "check.h"

static struct buffer public = {.bytes = crypto_sign_PUBLICKEYBYTES};
static struct buffer secret = {.bytes = crypto_sign_SECRETKEYBYTES};
static struct buffer message, text, opened;

static int make_pair(void) { return crypto_sign_keypair(public.now, secret.now); }

static int make_text(void) {
    return crypto_sign(text.now, &text.bytes, message.now, message.bytes, secret.now);
}

static int open_text(void) {
    return crypto_sign_open(opened.now, &opened.bytes, text.now, text.bytes, public.now);
}

#if crypto_sign_DETERMINISTIC == 1
#define RULES (REPEATS | OVERLAPS)
#else
#define RULES 0
#endif
static struct call pairing = {"crypto_sign_keypair", make_pair, 0, 0, {&public, &secret}, {NULL}};
static struct call signing = {"crypto_sign", make_text, 0, RULES, {&text}, {&message, &secret}};
static struct call opening = {"crypto_sign_open", open_text, 0, REPEATS | OVERLAPS | WRITES_ROOM,
                              {&opened}, {&text, &public}};

static void allocate(length most) {
    struct buffer *all[] = {&public, &secret, &message, &text, &opened};
    const length beside =
        crypto_sign_PUBLICKEYBYTES + crypto_sign_SECRETKEYBYTES + crypto_sign_BYTES;
    EACH(all, it) make_room(it, most + beside, 1);
}

static int is_opened(void) {
    return opened.bytes == message.bytes && memcmp(opened.at, message.at, message.bytes) == 0;
}

static void after_signing(void) {
    if (text.bytes < message.bytes || text.bytes > message.bytes + crypto_sign_BYTES)
        fail("crypto_sign", "puts out a signed message of another length");
}

static void after_opening(void) {
    if (!is_opened()) fail("crypto_sign_open", "does not give back what was signed");
}

static void test(length loops, length most) {
    signing.look = after_signing;
    opening.look = after_opening;
    for (; loops != 0; loops--) {
        next_turn();
        message.bytes = number(most);
        try_call(&pairing);
        text.bytes = message.bytes + crypto_sign_BYTES;
        try_call(&signing);
        opened.bytes = text.bytes;
        try_call(&opening);
        for (int i = 0; i < 3; i++) {
            damage(&text);
            if (open_text() == 0 && !is_opened())
                fail("crypto_sign_open", "opens what was changed");
        }
    }
}
