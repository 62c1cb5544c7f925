/* crypto_kem: what its checksums are over. */
#include "crypto_kem.h"

#define SMALL_LOOPS 8
#define BIG_LOOPS 64
#define BIG_BYTES 4096
#include "check.h"

static struct buffer public = {.bytes = crypto_kem_PUBLICKEYBYTES};
static struct buffer secret = {.bytes = crypto_kem_SECRETKEYBYTES};
static struct buffer shared = {.bytes = crypto_kem_BYTES};
static struct buffer ciphertext = {.bytes = crypto_kem_CIPHERTEXTBYTES};
static struct buffer found = {.bytes = crypto_kem_BYTES};

static int make_pair(void) { return crypto_kem_keypair(public.now, secret.now); }
static int make_secret(void) { return crypto_kem_enc(ciphertext.now, shared.now, public.now); }
static int find_secret(void) { return crypto_kem_dec(found.now, ciphertext.now, secret.now); }

static struct call pairing = {"crypto_kem_keypair", make_pair, 0, 0, {&public, &secret}, {NULL}};
static struct call making = {"crypto_kem_enc", make_secret, 0, 0, {&ciphertext, &shared}, {&public}};
static struct call finding = {"crypto_kem_dec", find_secret, 0, REPEATS | OVERLAPS, {&found},
                              {&ciphertext, &secret}};

static void allocate(length most) {
    struct buffer *all[] = {&public, &secret, &shared, &ciphertext, &found};
    const length all_bytes = crypto_kem_PUBLICKEYBYTES + crypto_kem_SECRETKEYBYTES +
                             crypto_kem_BYTES + crypto_kem_CIPHERTEXTBYTES;
    EACH(all, it) make_room(it, all_bytes, 1);
}

static void after_finding(void) {
    if (memcmp(found.at, shared.at, shared.bytes) != 0)
        fail("crypto_kem_dec", "does not find the secret");
}

static void test(length loops, length most) {
    finding.look = after_finding;
    for (; loops != 0; loops--) {
        next_turn();
        try_call(&pairing);
        try_call(&making);
        try_call(&finding);
        for (int i = 0; i < 3; i++) {
            damage(&ciphertext);
            struct buffer *put_out = find_secret() == 0 ? &found : &ciphertext;
            add_to_sum(put_out->at, put_out->bytes);
        }
    }
}
