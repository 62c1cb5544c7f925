/* Offers crypto_hashblocks, which adds whole blocks to the state of a hash, starting
 * from zeros. */
#include "crypto_hashblocks.h"

#include "offers.h"

PART hash_blocks(struct call *call, void *state) {
    memset(call->in.destination, 0, crypto_hashblocks_STATEBYTES);
    crypto_hashblocks(call->in.destination, MESSAGE);
}
ROUTINE(hashblocks, char, nothing, hash_blocks, nothing)

static void add_offers(void) {
    struct offer *offer = add(CPB_HASH, &hashblocks, name(CPB_PRIMITIVE), name(CPB_SPELLING), 0, 0,
                              crypto_hashblocks_STATEBYTES);
    offer->shown.granularity = crypto_hashblocks_BLOCKBYTES;
    offer->shown.block_bytes = crypto_hashblocks_BLOCKBYTES;
}
