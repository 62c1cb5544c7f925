/* keys.h: the provider of all operations of a folder that work with key pairs. An
 * operation defines `add_offers`. */
#ifndef CPB_KEYS_H
#define CPB_KEYS_H

#include "key_pairs.h"
#include "random.h"

static void add_offers(void);

__attribute__((visibility("default"))) const cpb_provider *cpb_provider_v2(void) {
    static const cpb_provider provider = CPB_KEY_PAIRS;
    if (cpb_key_offer_count == 0) add_offers();
    return &provider;
}

#define IN(role) given->in[role].bytes
#define OUT(role) given->out[role].bytes

/* Turns a function's return value, which is 0 for a success, into a result with a
 * reason. */
static inline int answer(int status, char *reason) {
    if (status != 0) snprintf(reason, CPB_KEY_REASON_BYTES, "it returns %d", status);
    return status != 0;
}

/* Makes the implementation draw the random bytes of the case, if it has any. */
static inline void choose(const struct cpb_key_case *given) {
    const struct cpb_bytes bytes = given->in[CPB_RANDOMNESS];
    if (bytes.length != 0) cpb_choose(bytes.bytes, bytes.length);
}

/* Work without key objects has nothing to do at begin and end. */
static inline int begin_nothing(void *ready, const void *how, const struct cpb_key_case *given,
                                char *reason) {
    return 0;
}
static inline void end_nothing(void *ready) {}

#define WORK(name) \
    static const struct cpb_key_work name = {0, begin_nothing, run_##name, end_nothing}

#define OFFER(operation, work) \
    cpb_offer_key(operation, CPB_PRIMITIVE, CPB_SPELLING, &sizes, &work, NULL)

#endif
