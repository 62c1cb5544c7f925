/* Offers BLAKE3's C library as a provider of cpb_provider.h. The caller owns its
 * structure, and each call starts the hash and sets the key, so keyed and oneshot are the
 * same call. */
#define ONLY_LISTS
#define LIBRARY "libblake3"
#include "shim.h"

#include <blake3.h>

static const char *version(void) { return blake3_version(); }

/* It chooses by CPU features and does not report the choice. */
static const char *code_path(void) { return NULL; }

PART hash_message(struct call *call, blake3_hasher *state) {
    blake3_hasher_init(state);
    blake3_hasher_update(state, MESSAGE);
    blake3_hasher_finalize(state, OUTPUT);
}
PART keyed_message(struct call *call, blake3_hasher *state) {
    blake3_hasher_init_keyed(state, call->in.key);
    blake3_hasher_update(state, MESSAGE);
    blake3_hasher_finalize(state, OUTPUT);
}
ROUTINE(hash, blake3_hasher, nothing, hash_message, nothing)
ROUTINE(keyed, blake3_hasher, nothing, keyed_message, nothing)

static void add_offers(void) {
    add(CPB_HASH, &hash, name("blake3"), name("blake3"), 0, 0, BLAKE3_OUT_LEN);
    add(CPB_XOF, &hash, name("blake3"), name("blake3"), 0, 0, 0);
    add(CPB_MAC, &keyed, name("keyed-blake3"), name("blake3 with key"), BLAKE3_KEY_LEN, 0,
        BLAKE3_OUT_LEN);
}
