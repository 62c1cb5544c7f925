/* key_pairs.h: what our shims with key pairs share. A shim says what it offers and how one
 * case is processed; this header adds the rotation of cases, the lengths by operation, and
 * the provider. For C and C++. */
#ifndef CPB_KEY_PAIRS_H
#define CPB_KEY_PAIRS_H

#include "cpb_provider.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPB_KEY_ROLES (CPB_OUTPUT + 1)
#define CPB_KEY_REASON_BYTES 256
/* Exceeds the number of primitives in the catalogue. */
#define CPB_MOST_KEY_OFFERS 256

struct cpb_bytes {
    uint8_t *bytes;
    uint64_t length;
};

/* Holds a case, by role. */
struct cpb_key_case {
    struct cpb_bytes in[CPB_KEY_ROLES], out[CPB_KEY_ROLES];
    uint32_t contract;
    void **kept; /* the result that `run` leaves for `encode`; null before the first call */
};

/* The work on one case. `begin` makes key objects in memory of `ready_bytes`, `run` is one
 * call with them, `end` releases them; under the contract oneshot a call does all three.
 * `begin` and `run` return 0, or 1 with the reason in words. After a failed `begin`, `end`
 * is not called.
 *
 * A library may put out its result in a form of its own. Encoding it is then no part of a
 * call: `run` keeps it, `encode` writes it out when it is requested, and `forget` releases
 * the last result kept. */
struct cpb_key_work {
    uint64_t ready_bytes;
    int (*begin)(void *ready, const void *how, const struct cpb_key_case *given, char *reason);
    int (*run)(void *ready, const struct cpb_key_case *given, char *reason);
    void (*end)(void *ready);
    int (*encode)(const void *how, const struct cpb_key_case *given, char *reason);
    void (*forget)(void *kept);
    /* Whether calls must be tried before they are ready, because some are refused late. If
     * `words` is not null, it holds the error of a failed call, which the function turns
     * into a refusal. */
    int (*tries_first)(char *words);
};

/* The heads of the functions `begin` and `run` of a work, whose objects are in `memory`. */
#define CPB_BEGIN(function)                                                                      \
    static int function(void *memory, const void *how, const struct cpb_key_case *given,         \
                        char *reason)
#define CPB_RUN(function)                                                                        \
    static int function(void *memory, const struct cpb_key_case *given, char *reason)

/* Lengths in bytes; 0 where a primitive has no such value. Randomness is for a key pair and
 * for a ciphertext, where the library accepts it. */
struct cpb_key_sizes {
    uint32_t public_key, secret_key, signature, ciphertext, shared_secret;
    uint32_t for_pair, for_ciphertext;
    /* A secret key in DER may be shorter by this much, because leading zeros are left out. */
    uint32_t secret_key_varies_by;
};

#define CPB_MONTGOMERY(n) {n, n, 0, 0, n, 0, 0, 0}
#define CPB_FFDH(n) CPB_MONTGOMERY(n)
#define CPB_EDWARDS(n) {n, n, 2 * (n), 0, 0, 0, 0, 0}
#define CPB_CURVE(n) {2 * (n) + 1, n, 2 * (n), 0, n, 0, 0, 0}
/* The bytes of an RSA public key in DER beyond those of its modulus. */
#define CPB_RSA_PUBLIC_BESIDE 14
/* For n bytes: n and d, the values for the Chinese remainder theorem, and headers. */
#define CPB_RSA(n) {(n) + CPB_RSA_PUBLIC_BESIDE, (n) / 2 * 9 + 40, n, 0, 0, 0, 0, 16}
/* The same for encryption, of secrets of 32 bytes. */
#define CPB_RSA_OAEP(n) {(n) + CPB_RSA_PUBLIC_BESIDE, (n) / 2 * 9 + 40, 0, n, 32, 0, 0, 16}
/* Lists the usual moduli, in bits and bytes, as rows of a table. */
#define CPB_RSA_ROWS(row) row("2048", 256), row("3072", 384), row("4096", 512)

struct cpb_key_offer {
    cpb_implementation shown;
    cpb_length lengths[4];
    const struct cpb_key_work *work;
    const void *how; /* the argument of `begin` */
    const char *unavailable; /* why it cannot run here, and a remedy */
};

/* The offers of the shim that includes this. Filled before the provider is returned, and
 * never changed afterwards. */
static struct cpb_key_offer cpb_key_offers[CPB_MOST_KEY_OFFERS];
static uint64_t cpb_key_offer_count;

static inline void cpb_key_length(struct cpb_key_offer *offer, uint32_t role, uint32_t bytes,
                                  uint32_t varies_by) {
    cpb_length length = {role, 0, bytes - varies_by, bytes, bytes + varies_by};
    if (bytes != 0) offer->lengths[offer->shown.length_count++] = length;
}

/* Adds the lengths of its inputs and outputs; only encapsulation takes randomness for a ciphertext
 * from the caller. */
static inline void cpb_key_lengths(struct cpb_key_offer *offer, const struct cpb_key_sizes *size) {
    const uint32_t operation = offer->shown.operation;
    const int makes = operation == CPB_ENCAPSULATE || operation == CPB_PUBLIC_ENCRYPT;
    const int opens = operation == CPB_DECAPSULATE || operation == CPB_PRIVATE_DECRYPT;
    if (operation == CPB_KEYGEN) cpb_key_length(offer, CPB_RANDOMNESS, size->for_pair, 0);
    if (operation != CPB_SIGN && !opens)
        cpb_key_length(offer, CPB_PUBLIC_KEY, size->public_key, 0);
    if (operation != CPB_VERIFY && !makes)
        cpb_key_length(offer, CPB_SECRET_KEY, size->secret_key, size->secret_key_varies_by);
    if (makes) cpb_key_length(offer, CPB_RANDOMNESS, size->for_ciphertext, 0);
    if (operation == CPB_SIGN || operation == CPB_VERIFY)
        cpb_key_length(offer, CPB_SIGNATURE, size->signature, 0);
    if (makes || opens) cpb_key_length(offer, CPB_CIPHERTEXT, size->ciphertext, 0);
    if (makes || opens || operation == CPB_AGREE)
        cpb_key_length(offer, CPB_SHARED_SECRET, size->shared_secret, 0);
}

/* Adds an offer and returns it; its arguments must stay valid. */
static inline struct cpb_key_offer *cpb_offer_key(uint32_t operation, const char *primitive,
                                                  const char *spelling,
                                                  const struct cpb_key_sizes *sizes,
                                                  const struct cpb_key_work *work,
                                                  const void *how) {
    struct cpb_key_offer *offer = &cpb_key_offers[cpb_key_offer_count];
    if (cpb_key_offer_count == CPB_MOST_KEY_OFFERS) abort();
    ++cpb_key_offer_count;
    offer->shown.primitive = primitive;
    offer->shown.spelling = spelling;
    offer->shown.backend = "default";
    offer->shown.operation = operation;
    offer->shown.is_default = 1;
    offer->shown.granularity = 1;
    offer->shown.lengths = offer->lengths;
    offer->work = work;
    offer->how = how;
    cpb_key_lengths(offer, sizes);
    return offer;
}

/* A call that is ready to run. */
struct cpb_key_call {
    const struct cpb_key_offer *offer;
    uint32_t contract;
    uint64_t case_count;
    uint64_t next; /* index of the next case */
    const struct cpb_key_case *last;
    struct cpb_key_case *cases;
    uint8_t *ready; /* key objects of each case; under oneshot, of the current one */
    uint64_t stride;
    uint64_t ready_count; /* number of cases with key objects */
    void *kept;           /* the last call's result, for `encode` */
    uint8_t *encoded;     /* its encoding; apart from the outputs, which calls may write */
    int failed;           /* whether a call failed; `reason` is that of the first failure */
    char reason[CPB_KEY_REASON_BYTES];
};

/* Says why something failed, and returns 1. */
static inline int cpb_key_refuse(char *reason, const char *text) {
    snprintf(reason, CPB_KEY_REASON_BYTES, "%s", text);
    return 1;
}

static inline struct cpb_bytes cpb_key_bytes(const cpb_buffer *buffer) {
    struct cpb_bytes bytes = {buffer->bytes, buffer->length};
    return bytes;
}

static inline void cpb_key_case_of(struct cpb_key_case *it, const cpb_case *given) {
    uint64_t i;
    for (i = 0; i < given->input_count; ++i)
        if (given->inputs[i].role < CPB_KEY_ROLES)
            it->in[given->inputs[i].role] = cpb_key_bytes(&given->inputs[i]);
    for (i = 0; i < given->output_count; ++i)
        if (given->outputs[i].role < CPB_KEY_ROLES)
            it->out[given->outputs[i].role] = cpb_key_bytes(&given->outputs[i]);
}

static inline uint64_t cpb_key_count(void) { return cpb_key_offer_count; }

static inline const cpb_implementation *cpb_key_implementation(uint64_t index) {
    return index < cpb_key_offer_count ? &cpb_key_offers[index].shown : NULL;
}

static inline void cpb_key_release(void *handle) {
    struct cpb_key_call *call = (struct cpb_key_call *)handle;
    for (; call->ready_count != 0; --call->ready_count)
        call->offer->work->end(call->ready + (call->ready_count - 1) * call->stride);
    if (call->kept != NULL) call->offer->work->forget(call->kept);
    free(call->encoded);
    free(call->ready);
    free(call->cases);
    free(call);
}

/* Finds cases by name, and allocates memory in which objects never share a cache line. */
static inline int cpb_key_place(struct cpb_key_call *call, const cpb_workload *workload) {
    const uint64_t line = 64;
    uint64_t slots = workload->contract == CPB_KEYED ? workload->case_count : 1, i;
    call->contract = workload->contract;
    call->case_count = workload->case_count;
    call->stride = (call->offer->work->ready_bytes + line) / line * line;
    call->cases = (struct cpb_key_case *)calloc(call->case_count, sizeof *call->cases);
    call->ready = (uint8_t *)aligned_alloc(line, slots * call->stride);
    if (call->cases == NULL || call->ready == NULL)
        return cpb_key_refuse(call->reason, "there is no memory for so many cases");
    for (i = 0; i < call->case_count; ++i) {
        cpb_key_case_of(&call->cases[i], &workload->cases[i]);
        call->cases[i].contract = call->contract;
        call->cases[i].kept = &call->kept;
    }
    return 0;
}

/* Shows the output of the last call, and encodes a result that was kept. */
static inline int cpb_key_encode(struct cpb_key_call *call, struct cpb_key_case *shown) {
    uint64_t bytes = 0, i;
    *shown = *call->last;
    if (call->kept == NULL) return 0;
    for (i = 0; i < CPB_KEY_ROLES; ++i) bytes += shown->out[i].length;
    if (call->encoded == NULL) call->encoded = (uint8_t *)malloc(bytes + 1);
    if (call->encoded == NULL)
        return cpb_key_refuse(call->reason, "there is no memory for what was put out");
    for (bytes = 0, i = 0; i < CPB_KEY_ROLES; ++i) {
        shown->out[i].bytes = call->encoded + bytes;
        bytes += shown->out[i].length;
    }
    return call->offer->work->encode(call->offer->how, shown, call->reason);
}

static inline int cpb_key_begin(struct cpb_key_call *call, const cpb_workload *workload) {
    const struct cpb_key_offer *offer = call->offer;
    if (workload->contract != CPB_KEYED && workload->contract != CPB_ONESHOT) {
        snprintf(call->reason, sizeof call->reason, "there is no contract compat for %s",
                 offer->shown.spelling);
        return 1;
    }
    if (workload->case_count == 0) return cpb_key_refuse(call->reason, "there is no case");
    if (cpb_key_place(call, workload) != 0) return 1;
    if (workload->contract == CPB_ONESHOT) return 0;
    for (; call->ready_count < call->case_count; ++call->ready_count)
        if (offer->work->begin(call->ready + call->ready_count * call->stride, offer->how,
                               &call->cases[call->ready_count], call->reason) != 0)
            return 1;
    return 0;
}

static inline void cpb_key_run(void *handle, uint64_t calls);

/* Makes one call where the library may refuse it. */
static inline int cpb_key_try(struct cpb_key_call *call) {
    int (*const tries_first)(char *) = call->offer->work->tries_first;
    if (tries_first == NULL || !tries_first(NULL)) return 0;
    cpb_key_run(call, 1);
    if (call->failed) tries_first(call->reason);
    call->next = 0;
    call->last = NULL;
    return call->failed;
}

/* Returns the bytes for one case besides what the library allocates itself. If a shim
 * defines CPB_KEY_HANDLES_ALONE, its objects are handles only, and the library allocates
 * everything. */
static inline uint64_t cpb_key_object_bytes(void *handle) {
#ifdef CPB_KEY_HANDLES_ALONE
    (void)handle;
    return 0;
#else
    return ((const struct cpb_key_call *)handle)->offer->work->ready_bytes;
#endif
}

static inline int cpb_key_prepare(uint64_t index, const cpb_workload *workload, void **handle,
                                  char *reason, uint64_t reason_bytes) {
    struct cpb_key_call *call = (struct cpb_key_call *)calloc(1, sizeof *call);
    if (call == NULL || index >= cpb_key_offer_count) {
        snprintf(reason, reason_bytes, "%s", call ? "no such implementation" : "no memory");
        free(call);
        return 1;
    }
    call->offer = &cpb_key_offers[index];
    if (cpb_key_begin(call, workload) != 0 || cpb_key_try(call) != 0) {
        snprintf(reason, reason_bytes, "%s", call->reason);
        cpb_key_release(call);
        return 1;
    }
    *handle = call;
    return 0;
}

static inline int cpb_key_oneshot(struct cpb_key_call *call, const struct cpb_key_case *given) {
    const struct cpb_key_offer *offer = call->offer;
    int failed;
    if (offer->work->begin(call->ready, offer->how, given, call->reason) != 0) return 1;
    failed = offer->work->run(call->ready, given, call->reason);
    offer->work->end(call->ready);
    return failed;
}

/* Runs the timed loop. A failure ends it and is kept. */
static inline void cpb_key_run(void *handle, uint64_t calls) {
    struct cpb_key_call *call = (struct cpb_key_call *)handle;
    for (; calls != 0 && !call->failed; --calls) {
        const uint64_t turn = call->next;
        const struct cpb_key_case *given = call->last = &call->cases[turn];
        call->next = turn + 1 == call->case_count ? 0 : turn + 1;
        call->failed =
            call->contract == CPB_ONESHOT
                ? cpb_key_oneshot(call, given)
                : call->offer->work->run(call->ready + turn * call->stride, given, call->reason);
    }
}

/* Returns the length of an output: that of a generated secret key may vary, and is read from
 * its DER, which has more than 255 bytes. */
static inline uint64_t cpb_key_put_out(const struct cpb_key_offer *offer, uint32_t role,
                                       struct cpb_bytes out) {
    uint64_t i;
    for (i = 0; i < offer->shown.length_count; ++i)
        if (offer->lengths[i].role == role && offer->lengths[i].least != offer->lengths[i].most)
            return 4 + ((uint64_t)out.bytes[2] << 8 | out.bytes[3]);
    return out.length;
}

static inline int cpb_key_output(void *handle, cpb_buffer *outputs, uint64_t count, char *reason,
                                 uint64_t reason_bytes) {
    struct cpb_key_call *call = (struct cpb_key_call *)handle;
    struct cpb_key_case shown;
    uint64_t i;
    if (call->failed || call->last == NULL) {
        snprintf(reason, reason_bytes, "%s", call->failed ? call->reason : "no call was made");
        return 1;
    }
    if (cpb_key_encode(call, &shown) != 0) {
        snprintf(reason, reason_bytes, "%s", call->reason);
        return 1;
    }
    for (i = 0; i < count && outputs[i].role < CPB_KEY_ROLES; ++i) {
        outputs[i].bytes = shown.out[outputs[i].role].bytes;
        outputs[i].length =
            cpb_key_put_out(call->offer, outputs[i].role, shown.out[outputs[i].role]);
    }
    return 0;
}

/* Every shim with key pairs has this in an object file of its own. */
#ifdef __cplusplus
extern "C"
#endif
__attribute__((visibility("hidden"))) const cpb_provider *cpb_key_pairs(void);

/* A shim may define this: it makes all calls prepared from now on use the same key objects,
 * whichever thread makes them. Returns 1 if such calls can share keys; else 0, and none do. */
#ifdef __cplusplus
extern "C"
#endif
__attribute__((visibility("default"))) int cpb_shim_share_keys(uint32_t operation,
                                                               uint32_t contract);

#define CPB_KEY_PAIRS                                                                            \
    {CPB_PROVIDER_ABI, 0,           "",             "",                                          \
     NULL,             cpb_key_count, cpb_key_implementation, cpb_key_prepare,                   \
     cpb_key_run,      cpb_key_output, cpb_key_release}

#endif
