/* keys.h: what all operations of a folder with key pairs share, and their provider. An
 * operation defines `add_offers`, unless key pairs are only a part of it. */
#ifndef CPB_KEYS_H
#define CPB_KEYS_H

#include "key_pairs.h"
#include "random.h"

#ifndef HAS_KEY_PAIRS
static void add_offers(void);

__attribute__((visibility("default"))) const cpb_provider *cpb_provider_v2(void) {
    static const cpb_provider provider = CPB_KEY_PAIRS;
    if (cpb_key_offer_count == 0) add_offers();
    return &provider;
}
#endif

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
CPB_BEGIN(begin_nothing) { return 0; }
static inline void end_nothing(void *memory) {}

/* Defines such work; the body of a call follows. */
#define WORK(name)                                                                               \
    CPB_RUN(run_##name);                                                                         \
    static const struct cpb_key_work name = {0, begin_nothing, run_##name, end_nothing};         \
    CPB_RUN(run_##name)

#define OFFER(operation, work) \
    cpb_offer_key(operation, CPB_PRIMITIVE, CPB_SPELLING, &sizes, &work, NULL)

#endif
