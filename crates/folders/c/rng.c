/* Offers crypto_rng, which turns a key into random bytes and the next key. */
#include "crypto_rng.h"

#include "fixed.h"

PART draw_bytes(struct call *call, void *state) {
    expect(call, crypto_rng(call->in.destination, call->in.destination + crypto_rng_OUTPUTBYTES,
                            call->in.key));
}
ROUTINE(rng, char, nothing, draw_bytes, nothing)

static void add_offers(void) {
    add_fixed(CPB_RNG, &rng, 0, crypto_rng_KEYBYTES, crypto_rng_OUTPUTBYTES + crypto_rng_KEYBYTES);
}
