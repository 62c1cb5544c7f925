/* Offers crypto_stream: encrypts or decrypts a message with a keystream. */
#include "crypto_stream.h"

#include "offers.h"

PART stream_message(struct call *call, void *state) {
    expect(call, crypto_stream_xor(call->in.destination, MESSAGE, call->in.nonce, call->in.key));
}
ROUTINE(stream, char, nothing, stream_message, nothing)

static void add_offers(void) {
    add_cipher(&stream, &stream, name(CPB_PRIMITIVE), name(CPB_SPELLING), crypto_stream_KEYBYTES,
               crypto_stream_NONCEBYTES);
}
