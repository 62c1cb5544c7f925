/* Offers crypto_encode, which turns integers into a string. */
#include "crypto_encode.h"

#include "fixed.h"

PART encode_items(struct call *call, void *state) {
    crypto_encode(call->in.destination, call->in.message);
}
ROUTINE(encode, char, nothing, encode_items, nothing)

static void add_offers(void) {
    add_fixed(CPB_ENCODE_ITEMS, &encode, crypto_encode_ITEMS * crypto_encode_ITEMBYTES, 0,
              crypto_encode_STRBYTES);
}
