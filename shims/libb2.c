/* Offers BLAKE2's C library as a provider of cpb_provider.h. Starting a hash also sets
 * its key, and the caller owns its structures, so keyed and oneshot are the same call. */
#define ONLY_LISTS
#define LIBRARY "libb2"
#define _GNU_SOURCE
#include "file_version.h"
#include "shim.h"

#include <blake2.h>

static const char *version(void) { return file_version((uintptr_t)blake2b_init); }

/* It chooses by CPU features and does not report the choice. */
static const char *code_path(void) { return NULL; }

#define BLAKE2(blake2)                                                                           \
    PART blake2##_message(struct call *call, blake2##_state *state) {                            \
        expect(call, blake2##_init(state, call->in.output_bytes));                               \
        expect(call, blake2##_update(state, MESSAGE));                                           \
        expect(call, blake2##_final(state, OUTPUT));                                             \
    }                                                                                            \
    PART blake2##_keyed_message(struct call *call, blake2##_state *state) {                      \
        expect(call, blake2##_init_key(state, call->in.output_bytes, KEY));                      \
        expect(call, blake2##_update(state, MESSAGE));                                           \
        expect(call, blake2##_final(state, OUTPUT));                                             \
    }                                                                                            \
    ROUTINE(plain_##blake2, blake2##_state, nothing, blake2##_message, nothing)                  \
    ROUTINE(keyed_##blake2, blake2##_state, nothing, blake2##_keyed_message, nothing)
BLAKE2(blake2b)
BLAKE2(blake2s)
BLAKE2(blake2bp)
BLAKE2(blake2sp)

static void add_both(const struct routine *plain, const struct routine *keyed,
                     const char *spelling, uint32_t bytes) {
    const struct name primitive = name("%s-%u", spelling, 8 * bytes);
    add(CPB_HASH, plain, primitive, name("%s", spelling), 0, 0, bytes);
    add(CPB_MAC, keyed, name("keyed-%s", primitive.text), name("%s with key", spelling), 32, 0,
        bytes);
}

static void add_offers(void) {
    add_both(&plain_blake2b, &keyed_blake2b, "blake2b", BLAKE2B_OUTBYTES);
    add_both(&plain_blake2s, &keyed_blake2s, "blake2s", BLAKE2S_OUTBYTES);
    add_both(&plain_blake2bp, &keyed_blake2bp, "blake2bp", BLAKE2B_OUTBYTES);
    add_both(&plain_blake2sp, &keyed_blake2sp, "blake2sp", BLAKE2S_OUTBYTES);
}
