/* Offers crypto_secretbox: sealing and opening with a key, without associated
 * data. */
#include "crypto_secretbox.h"

#define ZERO_BYTES crypto_secretbox_ZEROBYTES
#define BOX_ZERO_BYTES crypto_secretbox_BOXZEROBYTES
#include "boxed.h"

PART seal_message(struct call *call, void *state) {
    take_message(call);
    expect(call, crypto_secretbox(call->boxed, call->plain, BOXED_BYTES, call->in.nonce,
                                  call->in.key));
}
ROUTINE(seal, char, nothing, seal_message, nothing)

PART open_box(struct call *call, void *state) {
    expect(call, crypto_secretbox_open(call->plain, call->boxed, BOXED_BYTES, call->in.nonce,
                                       call->in.key));
}
ROUTINE(open, char, nothing, open_box, nothing)

static void add_offers(void) {
    const size_t key = crypto_secretbox_KEYBYTES, nonce = crypto_secretbox_NONCEBYTES;
    add_box(CPB_SEAL, &seal, place_box, key, nonce);
    add_box(CPB_OPEN, &open, place_box, key, nonce);
}
