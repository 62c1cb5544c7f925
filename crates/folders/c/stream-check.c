/* Checks crypto_stream: makes the calls that its checksums cover. */
#include "crypto_stream.h"

#define SMALL_LOOPS 512
#define BIG_LOOPS 4096
#define BIG_BYTES 4096
#include "check.h"

static struct buffer key = {.bytes = crypto_stream_KEYBYTES};
static struct buffer nonce = {.bytes = crypto_stream_NONCEBYTES};
static struct buffer message, ciphertext, stream;

static int make_stream(void) {
    return crypto_stream(stream.now, stream.bytes, nonce.now, key.now);
}

static int make_xor(void) {
    return crypto_stream_xor(ciphertext.now, message.now, message.bytes, nonce.now, key.now);
}

static struct call alone = {"crypto_stream", make_stream, 0, REPEATS, {&stream}, {&nonce, &key}};
static struct call xored = {"crypto_stream_xor", make_xor, 0, REPEATS | OVERLAPS,
                            {&ciphertext}, {&message, &nonce, &key}};

BUFFERS(0, &key, &nonce, &message, &ciphertext, &stream)

static void test(length most) {
    message.bytes = ciphertext.bytes = stream.bytes = number(most);
    try_call(&alone);
    try_call(&xored);
    for (length i = 0; i < message.bytes; i++) {
        if ((stream.at[i] ^ message.at[i]) != ciphertext.at[i])
            fail("crypto_stream_xor", "adds another stream than crypto_stream");
    }
}
