/* Offers crypto_core, which turns an input, a key and a constant behind the key into an
 * output. */
#include "crypto_core.h"

#include "fixed.h"

PART core_input(struct call *call, void *state) {
    expect(call, crypto_core(call->in.destination, call->in.message, call->in.key,
                             call->in.key + crypto_core_KEYBYTES));
}
ROUTINE(core, char, nothing, core_input, nothing)

static void add_offers(void) {
    add_fixed(CPB_CORE, &core, crypto_core_INPUTBYTES, crypto_core_KEYBYTES + crypto_core_CONSTBYTES,
              crypto_core_OUTPUTBYTES);
}
