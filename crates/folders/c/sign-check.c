/* Checks crypto_sign: makes the calls that its checksums cover. */
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

#if crypto_sign_DETERMINISTIC == 1
#define RULES (REPEATS | OVERLAPS)
#else
#define RULES 0
#endif
static struct call pairing = {"crypto_sign_keypair", make_pair, 0, 0, {&public, &secret}, {NULL}};
static struct call signing = {"crypto_sign", make_text, 0, RULES, {&text}, {&message, &secret},
                              .look = after_signing};
static struct call opening = {"crypto_sign_open", open_text, 0, REPEATS | OVERLAPS | WRITES_ROOM,
                              {&opened}, {&text, &public}, .look = after_opening};

BUFFERS(crypto_sign_BYTES, &public, &secret, &message, &text, &opened)

static void test(length most) {
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

#include "nist.h"

int cpb_nist(const uint8_t *seed, const uint8_t *message, uint64_t bytes, cpb_hear *hear,
             void *to) {
    unsigned long long signed_bytes = 0, opened_bytes = 0;
    byte *pk = malloc(crypto_sign_PUBLICKEYBYTES), *sk = malloc(crypto_sign_SECRETKEYBYTES);
    byte *sm = malloc(bytes + crypto_sign_BYTES), *opened = malloc(bytes + crypto_sign_BYTES);
    int wrong = pk == NULL || sk == NULL || sm == NULL || opened == NULL;
    cpb_seed(seed);
    wrong = wrong || crypto_sign_keypair(pk, sk) != 0 ||
            crypto_sign(sm, &signed_bytes, message, bytes, sk) != 0 ||
            signed_bytes > bytes + crypto_sign_BYTES ||
            crypto_sign_open(opened, &opened_bytes, sm, signed_bytes, pk) != 0 ||
            opened_bytes != bytes || memcmp(opened, message, bytes) != 0;
    if (!wrong) {
        hear(to, "pk", pk, crypto_sign_PUBLICKEYBYTES);
        hear(to, "sk", sk, crypto_sign_SECRETKEYBYTES);
        hear(to, "sm", sm, signed_bytes);
    }
    free(pk), free(sk), free(sm), free(opened);
    return wrong;
}
