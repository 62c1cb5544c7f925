/* What is offered, and a call that is ready to run. */
#ifndef CPB_NETTLE_CALL_H
#define CPB_NETTLE_CALL_H

#include "../symmetric.h"
#include "library.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define LENGTH_OF(array) (sizeof(array) / sizeof(array)[0])

struct call;

/* What a call does: its key, and the timed loop. */
struct routine {
    void (*key)(struct call *);
    void (*run)(struct call *, uint64_t calls);
};

/* An implementation: how it is shown, and what its calls are made of. */
struct offer {
    cpb_implementation shown;
    struct cpb_symmetric_lengths lengths;
    char primitive[48], spelling[48], row_mode[16];
    bool (*make)(struct call *);
    const struct nettle_hash *hash;
    const struct nettle_cipher *cipher;
    const struct nettle_mac *mac;
    const void *how; /* its line of the table that `make` knows */
};

/* A call that is ready to run. What `in` says is cpb's, but where `make` puts a text of our
 * own, or leaves out what bench-slopes leaves out. */
struct call {
    const struct offer *offer;
    const struct routine *routine;
    const cpb_workload *workload;
    struct cpb_symmetric in;
    bool failed;
    /* Copies of what the library's descriptors say. */
    struct nettle_hash hash;
    struct nettle_cipher cipher;
    struct nettle_mac mac;
    nettle_set_key_func *set_key, *set_nonce;
    nettle_cipher_func *crypt;
    nettle_crypt_func *stream;
    chain_func *chain;
    cbc_func *cbc;
    pbkdf2_func *pbkdf2;
    void *context[3];
    uint8_t *scratch;
    void *contexts, *text; /* to be freed */
    char reason[160];
};

/* What functions of the library take together: lengths come first. */
#define KEY call->in.key_bytes, call->in.key
#define NONCE call->in.nonce_bytes, call->in.nonce
#define AAD call->in.aad_bytes, call->in.aad
#define MESSAGE call->in.message_bytes, call->in.message
#define OUTPUT call->in.output_bytes, call->in.destination
#define CONTEXTS call->context[0], call->context[1], call->context[2]
#define TEXT call->in.message_bytes, call->in.destination, call->in.message

/* The timed loop of a routine, with its two parts inlined. It works on a copy, whose
 * address the library never sees: what a call needs is loaded once, not in every call. */
#define PART static inline __attribute__((always_inline)) void
#define ROUTINE(name, key_part, call_part)                                                       \
    static void key_##name(struct call *call) { key_part(call); }                                \
    static void run_##name(struct call *prepared, uint64_t calls) {                              \
        struct call call = *prepared;                                                            \
        if (call.in.contract == CPB_ONESHOT) {                                                   \
            for (; calls != 0; calls--) {                                                        \
                key_part(&call);                                                                 \
                call_part(&call);                                                                \
            }                                                                                    \
        } else {                                                                                 \
            for (; calls != 0; calls--) call_part(&call);                                        \
        }                                                                                        \
        prepared->failed = call.failed;                                                          \
    }                                                                                            \
    static const struct routine name = {key_##name, run_##name};

PART no_key(struct call *call) { (void)call; }

PART set_key(struct call *call) { call->set_key(call->context[0], call->in.key); }

__attribute__((format(printf, 2, 3))) static bool refuse(struct call *call, const char *format,
                                                         ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(call->reason, sizeof call->reason, format, values);
    va_end(values);
    return false;
}

/* Memory: the same place in its page in every process. */

#define PAGE_BYTES 4096
#define LINE_BYTES 64

static void *pages(struct call *call, size_t bytes) {
    const size_t rounded = (bytes / PAGE_BYTES + 1) * PAGE_BYTES;
    void *memory = aligned_alloc(PAGE_BYTES, rounded);
    if (memory == NULL) refuse(call, "there is no memory for a buffer of %zu bytes", bytes);
    return memory;
}

/* Zeroed contexts of these sizes, none of which shares a cache line with another, and
 * behind them a line of scratch. */
static bool contexts(struct call *call, size_t first, size_t second, size_t third) {
    const size_t sizes[] = {first, second, third};
    size_t bytes = 0, places[LENGTH_OF(sizes)];
    for (size_t i = 0; i < LENGTH_OF(sizes); i++) {
        places[i] = bytes;
        bytes += (sizes[i] + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    }
    uint8_t *memory = pages(call, bytes + LINE_BYTES);
    if (memory == NULL) return false;
    memset(memory, 0, bytes + LINE_BYTES);
    for (size_t i = 0; i < LENGTH_OF(sizes); i++) call->context[i] = memory + places[i];
    call->scratch = memory + bytes;
    call->contexts = memory;
    return true;
}

/* Refuses a key that the library calls weak. */
static bool check_key(struct call *call, void *context) {
    typedef int check_key_func(void *, const uint8_t *);
    const struct nettle_cipher *cipher = call->offer->cipher;
    if (cipher != &blowfish && cipher != &des3 && cipher != &des) return true;
    if (AS(check_key_func, cipher->set_encrypt_key)(context, call->in.key) != 0) return true;
    return refuse(call, "nettle calls the key of %s weak", cipher->name);
}

#endif
