/* Checks crypto_kem: makes the calls that its checksums cover. */
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

static void after_finding(void) {
    expect_same(&found, &shared, "crypto_kem_dec", "does not find the secret");
}

static struct call pairing = {"crypto_kem_keypair", make_pair, 0, 0, {&public, &secret}, {NULL}};
static struct call making = {"crypto_kem_enc", make_secret, 0, 0, {&ciphertext, &shared}, {&public}};
static struct call finding = {"crypto_kem_dec", find_secret, 0, REPEATS | OVERLAPS, {&found},
                              {&ciphertext, &secret}, .look = after_finding};

BUFFERS(0, &public, &secret, &shared, &ciphertext, &found)

static void test(length most) {
    try_call(&pairing);
    try_call(&making);
    try_call(&finding);
    for (int i = 0; i < 3; i++) {
        damage(&ciphertext);
        struct buffer *put_out = find_secret() == 0 ? &found : &ciphertext;
        add_to_sum(put_out->at, put_out->bytes);
    }
}

#include "nist.h"

int cpb_nist(const uint8_t *seed, const uint8_t *message, uint64_t bytes, cpb_hear *hear,
             void *to) {
    byte *pk = malloc(crypto_kem_PUBLICKEYBYTES), *sk = malloc(crypto_kem_SECRETKEYBYTES);
    byte *ct = malloc(crypto_kem_CIPHERTEXTBYTES), *ss = malloc(2 * crypto_kem_BYTES);
    int wrong = pk == NULL || sk == NULL || ct == NULL || ss == NULL;
    (void)message, (void)bytes;
    cpb_seed(seed);
    wrong = wrong || crypto_kem_keypair(pk, sk) != 0 || crypto_kem_enc(ct, ss, pk) != 0 ||
            crypto_kem_dec(ss + crypto_kem_BYTES, ct, sk) != 0 ||
            memcmp(ss, ss + crypto_kem_BYTES, crypto_kem_BYTES) != 0;
    if (!wrong) {
        hear(to, "pk", pk, crypto_kem_PUBLICKEYBYTES);
        hear(to, "sk", sk, crypto_kem_SECRETKEYBYTES);
        hear(to, "ct", ct, crypto_kem_CIPHERTEXTBYTES);
        hear(to, "ss", ss, crypto_kem_BYTES);
    }
    free(pk), free(sk), free(ct), free(ss);
    return wrong;
}
