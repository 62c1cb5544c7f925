/* Offers crypto_decode, which turns a string into integers. */
#include "crypto_decode.h"

#include "fixed.h"

PART decode_items(struct call *call, void *state) {
    crypto_decode(call->in.destination, call->in.message);
}
ROUTINE(decode, char, nothing, decode_items, nothing)

static void add_offers(void) {
    add_fixed(CPB_DECODE_ITEMS, &decode, crypto_decode_STRBYTES, 0,
              crypto_decode_ITEMS * crypto_decode_ITEMBYTES);
}
