/* Offers crypto_hash, which turns a message into a digest. */
#include "crypto_hash.h"

#include "offers.h"

PART hash_message(struct call *call, void *state) {
    expect(call, crypto_hash(call->in.destination, MESSAGE));
}
ROUTINE(hash, char, nothing, hash_message, nothing)

static void add_offers(void) {
    add(CPB_HASH, &hash, name(CPB_PRIMITIVE), name(CPB_SPELLING), 0, 0, crypto_hash_BYTES);
}
