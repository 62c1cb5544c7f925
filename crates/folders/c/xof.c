/* Offers crypto_xof, which turns a message into an output of any length. */
#include "crypto_xof.h"

#include "offers.h"

PART xof_message(struct call *call, void *state) {
    crypto_xof(OUTPUT, MESSAGE);
}
ROUTINE(xof, char, nothing, xof_message, nothing)

static void add_offers(void) {
    add(CPB_XOF, &xof, name(CPB_PRIMITIVE), name(CPB_SPELLING), 0, 0, 0);
}
