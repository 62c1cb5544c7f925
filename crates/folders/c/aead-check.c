/* Checks crypto_aead: makes the calls that its checksums cover. */
#include "crypto_aead.h"

#define SMALL_LOOPS 64
#define BIG_LOOPS 512
#define BIG_BYTES 4096
#include "check.h"

static struct buffer key = {.bytes = crypto_aead_KEYBYTES};
static struct buffer secret_nonce = {.bytes = crypto_aead_NSECBYTES};
static struct buffer opened_nonce = {.bytes = crypto_aead_NSECBYTES};
static struct buffer nonce = {.bytes = crypto_aead_NPUBBYTES};
static struct buffer aad, message, ciphertext, opened;

static int seal(void) {
    return crypto_aead_encrypt(ciphertext.now, &ciphertext.bytes, message.now, message.bytes,
                               aad.now, aad.bytes, secret_nonce.now, nonce.now, key.now);
}

static int unseal(void) {
    return crypto_aead_decrypt(opened.now, &opened.bytes, opened_nonce.now, ciphertext.now,
                               ciphertext.bytes, aad.now, aad.bytes, nonce.now, key.now);
}

static int is_opened(void) {
    return opened.bytes == message.bytes && memcmp(opened.at, message.at, message.bytes) == 0 &&
           memcmp(opened_nonce.at, secret_nonce.at, secret_nonce.bytes) == 0;
}

static void after_sealing(void) {
    if (ciphertext.bytes < message.bytes || ciphertext.bytes > message.bytes + crypto_aead_ABYTES)
        fail("crypto_aead_encrypt", "puts out a ciphertext of another length");
}

static void after_opening(void) {
    if (!is_opened()) fail("crypto_aead_decrypt", "does not give back what was sealed");
}

#if crypto_aead_NOOVERLAP == 1
#define RULES REPEATS
#else
#define RULES (REPEATS | OVERLAPS)
#endif
static struct call sealing = {"crypto_aead_encrypt", seal, 0, RULES, {&ciphertext},
                              {&message, &aad, &secret_nonce, &nonce, &key},
                              .look = after_sealing};
static struct call opening = {"crypto_aead_decrypt", unseal, 0, RULES | WRITES_ROOM,
                              {&opened, &opened_nonce}, {&ciphertext, &aad, &nonce, &key},
                              .look = after_opening};

BUFFERS(crypto_aead_ABYTES, &key, &secret_nonce, &opened_nonce, &nonce, &aad, &message,
        &ciphertext, &opened)

static void test(length most) {
    message.bytes = number(most);
    aad.bytes = number(most);
    ciphertext.bytes = message.bytes + crypto_aead_ABYTES;
    try_call(&sealing);
    opened.bytes = ciphertext.bytes;
    try_call(&opening);
    for (int i = 0; i < 3; i++) {
        damage(&ciphertext);
        if (unseal() == 0 && !is_opened())
            fail("crypto_aead_decrypt", "opens what was changed");
    }
}
