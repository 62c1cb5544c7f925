/* Checks crypto_encrypt: makes the calls that its checksums cover. */
#include "crypto_encrypt.h"

#define SMALL_LOOPS 8
#define BIG_LOOPS 64
#define BIG_BYTES 4096
#include "check.h"

static struct buffer public = {.bytes = crypto_encrypt_PUBLICKEYBYTES};
static struct buffer secret = {.bytes = crypto_encrypt_SECRETKEYBYTES};
static struct buffer message, ciphertext, opened;

static int make_pair(void) { return crypto_encrypt_keypair(public.now, secret.now); }

static int encrypt(void) {
    return crypto_encrypt(ciphertext.now, &ciphertext.bytes, message.now, message.bytes, public.now);
}

static int decrypt(void) {
    return crypto_encrypt_open(opened.now, &opened.bytes, ciphertext.now, ciphertext.bytes,
                               secret.now);
}

static void after_encrypting(void) {
    if (ciphertext.bytes < message.bytes || ciphertext.bytes > message.bytes + crypto_encrypt_BYTES)
        fail("crypto_encrypt", "puts out a ciphertext of another length");
}

static void after_opening(void) {
    expect_same(&opened, &message, "crypto_encrypt_open",
                "does not give back what was encrypted");
}

static struct call pairing = {"crypto_encrypt_keypair", make_pair, 0, 0, {&public, &secret}, {NULL}};
static struct call encrypting = {"crypto_encrypt", encrypt, 0, 0, {&ciphertext},
                                 {&message, &public}, .look = after_encrypting};
static struct call opening = {"crypto_encrypt_open", decrypt, 0, REPEATS | OVERLAPS | WRITES_ROOM,
                              {&opened}, {&ciphertext, &secret}, .look = after_opening};

BUFFERS(crypto_encrypt_BYTES, &public, &secret, &message, &ciphertext, &opened)

static void test(length most) {
    message.bytes = number(most);
    try_call(&pairing);
    ciphertext.bytes = message.bytes + crypto_encrypt_BYTES;
    try_call(&encrypting);
    opened.bytes = ciphertext.bytes;
    try_call(&opening);
}
