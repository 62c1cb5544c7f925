/* shim.h: everything of a shim in C except its library: its offers, its calls with their memory
 * and timed loop, and the provider.
 *
 * A shim defines LIBRARY, its name in cpb, includes this, and then defines `version`,
 * `code_path` and `add_offers`. Its offers consist of routines, whose parts are inlined into the
 * timed loop. Before the include it may define:
 *
 * HAS_KEY_PAIRS, if a source of its own includes key_pairs.h; ONLY_LISTS, if the library needs
 * no initialization; CALL_FIELDS and OFFER_FIELDS, the fields that its calls and offers add;
 * HAS_WORDS, if it describes errors itself. FORBIDS_LATE() then says whether the library may
 * refuse an operation only when it is done, so that calls are tried before they are ready. */
#ifndef CPB_SHIM_H
#define CPB_SHIM_H

#ifdef HAS_KEY_PAIRS
#include "joined.h"
#include "key_pairs.h"
#endif
#include "symmetric.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define LENGTH_OF(array) (sizeof(array) / sizeof(array)[0])
#define EXPORTED __attribute__((visibility("default")))

#ifdef ONLY_LISTS
/* The library needs no initialization: `add_offers` calls only functions that return names and
 * lengths. */
EXPORTED extern const char cpb_shim_only_lists;
const char cpb_shim_only_lists = 1;
#endif

/* The shim defines these. */
static const char *version(void);
static const char *code_path(void);
static void add_offers(void);
#ifdef HAS_WORDS
/* Write the library's words for a failed status, and for an operation that it does not begin,
 * with the remedy. */
static void say(int64_t status, char *text, size_t room);
static void say_refused(int64_t status, char *text, size_t room);
#endif

struct call;

/* The parts of a call. `begin` makes its objects and sets the key, `end` releases them; the
 * contract oneshot has both in each call, keyed outside. */
struct routine {
    size_t state_bytes;
    void (*begin)(struct call *);
    void (*run)(struct call *, uint64_t calls);
    void (*end)(struct call *);
};

/* An implementation: how it is shown, and how its calls are made. */
struct offer {
    cpb_implementation shown;
    struct cpb_symmetric_lengths lengths;
    char primitive[48], spelling[48];
    const struct routine *routine;
    const void *how;  /* the library's function or object, if a routine serves several */
    intptr_t which;   /* the same as a number */
    bool joins;       /* open takes ciphertext and tag as one buffer, with the tag last */
    bool tag_first;   /* the same with the tag first, which is also the order of seal */
    const char *unavailable; /* why it cannot run here, and a remedy */
    bool is_variant;  /* another path of an implementation that is offered; run on request */
    size_t overhang;  /* bytes written after an output, such as a text's final zero */
    /* Prepares what shim.h does not, or says why the workload cannot run. */
    bool (*refuses)(struct call *);
#ifdef OFFER_FIELDS
    OFFER_FIELDS
#endif
};

struct call {
    const struct offer *offer;
    const struct routine *routine; /* the offer's, unless `refuses` chooses another */
    const cpb_workload *workload;
    struct cpb_symmetric in;
    const void *how;
    intptr_t which;
    void *state, *text; /* freed on release; `refuses` may allocate them */
    int64_t failed;     /* the first status of the library that was not a success */
    char reason[256];
    size_t object_bytes; /* size of the library's objects in `state` */
#ifdef CALL_FIELDS
    CALL_FIELDS
#endif
};

#define PART static inline __attribute__((always_inline)) void

/* Keeps a status that is not 0, which is success. */
PART expect(struct call *call, int64_t status) {
    call->failed = call->failed == 0 ? status : call->failed;
}

PART nothing(struct call *call, void *state) {
}

/* Whether two tags differ, in a time that does not depend on where. */
static inline int differ(const uint8_t *tag, const uint8_t *other, size_t bytes) {
    uint8_t difference = 0;
    for (size_t i = 0; i < bytes; i++) difference |= tag[i] ^ other[i];
    return difference;
}

/* The timed loop of a routine, with its parts inlined. It works on a copy of the call, whose
 * address the library never sees: its fields are loaded once, not in every call. */
#define ROUTINE(name, state_type, begin, body, end)                                              \
    static void begin_##name(struct call *call) { begin(call, call->state); }                    \
    static void end_##name(struct call *call) { end(call, call->state); }                        \
    static void run_##name(struct call *prepared, uint64_t calls) {                              \
        struct call call = *prepared;                                                            \
        state_type *state = call.state;                                                          \
        if (call.in.contract == CPB_ONESHOT) {                                                   \
            for (; calls != 0; calls--) {                                                        \
                begin(&call, state);                                                             \
                body(&call, state);                                                              \
                end(&call, state);                                                               \
            }                                                                                    \
        } else {                                                                                 \
            for (; calls != 0; calls--) body(&call, state);                                      \
        }                                                                                        \
        prepared->failed = call.failed;                                                          \
    }                                                                                            \
    static const struct routine name = {sizeof(state_type), begin_##name, run_##name, end_##name};

/* Arguments that functions of libraries take together. */
#define MESSAGE call->in.message, call->in.message_bytes
#define KEY call->in.key, call->in.key_bytes
#define NONCE call->in.nonce, call->in.nonce_bytes
#define AAD call->in.aad, call->in.aad_bytes
#define OUTPUT call->in.destination, call->in.output_bytes
/* Where an AEAD puts the tag behind the ciphertext. */
#define TAG_BEHIND (call->in.destination + call->in.message_bytes)

#include "shim_offers.h"

/* Calls. */

#define PAGE_BYTES 4096

__attribute__((format(printf, 2, 3))) static bool refuse(struct call *call, const char *format,
                                                         ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(call->reason, sizeof call->reason, format, values);
    va_end(values);
    return true;
}

/* Returns zeroed memory at the same offset in its page in every process. */
static void *pages(struct call *call, size_t bytes) {
    const size_t rounded = (bytes / PAGE_BYTES + 1) * PAGE_BYTES;
    void *memory = aligned_alloc(PAGE_BYTES, rounded);
    if (memory != NULL) return memset(memory, 0, rounded);
    refuse(call, "there is no memory for a buffer of %zu bytes", bytes);
    return NULL;
}

/* Joins the ciphertext and its tag to one source text, aligned like the ciphertext. */
static bool join(struct call *call) {
    const size_t bytes = call->in.message_bytes;
    const size_t offset = (uintptr_t)call->in.message % PAGE_BYTES;
    call->text = pages(call, offset + bytes + call->in.tag_bytes);
    if (call->text == NULL) return false;
    uint8_t *text = (uint8_t *)call->text + offset;
    const bool tag_first = call->offer->tag_first;
    if (bytes != 0) memcpy(text + (tag_first ? call->in.tag_bytes : 0), call->in.message, bytes);
    if (call->in.tag_bytes != 0) {
        memcpy(text + (tag_first ? 0 : bytes), call->in.tag, call->in.tag_bytes);
    }
    call->in.message = text;
    return true;
}

static bool make(struct call *call) {
    const struct offer *offer = call->offer;
    const uint32_t operation = offer->shown.operation;
    if (cpb_symmetric_of(&call->in, operation, call->workload) != 0) {
        return !refuse(call, "a call of it has one case");
    }
    const bool is_row = call->in.contract == CPB_COMPAT && offer->shown.row_group != NULL;
    if (call->in.contract != CPB_KEYED && call->in.contract != CPB_ONESHOT && !is_row) {
        return !refuse(call, "%s has no such contract", LIBRARY);
    }
    if (operation == CPB_AUTH) {
        /* The message is the associated data. */
        call->in.aad = call->in.message;
        call->in.aad_bytes = call->in.message_bytes;
        call->in.message_bytes = 0;
    }
    if (offer->refuses != NULL && offer->refuses(call)) return false;
    if (operation == CPB_OPEN && !is_row && (offer->joins || offer->tag_first) && !join(call)) {
        return false;
    }
    if (offer->overhang != 0) {
        call->text = pages(call, call->in.output_bytes + offer->overhang);
        if (call->text == NULL) return false;
        call->in.destination = call->text;
    }
    if (call->state == NULL) {
        call->state = pages(call, call->routine->state_bytes);
        /* A routine without objects has a state of one character, and a handle is not an object. */
        if (call->routine->state_bytes > sizeof(void *)) {
            call->object_bytes = call->routine->state_bytes;
        }
    }
    return call->state != NULL;
}

static void release(void *handle) {
    struct call *call = handle;
    if (call->in.contract != CPB_ONESHOT && call->state != NULL) call->routine->end(call);
    free(call->state);
    free(call->text);
    free(call);
}

static int prepare(uint64_t index, const cpb_workload *workload, void **handle, char *reason,
                   uint64_t reason_bytes) {
    struct call *call = calloc(1, sizeof *call);
    if (call == NULL || index >= offers_count) {
        snprintf(reason, reason_bytes, "%s", call ? "no such implementation" : "no memory");
        free(call);
        return 1;
    }
    call->offer = &offers[index];
    call->routine = call->offer->routine;
    call->workload = workload;
    call->how = call->offer->how;
    call->which = call->offer->which;
    if (make(call)) {
        call->routine->begin(call);
        if (call->in.contract == CPB_ONESHOT) call->routine->end(call);
#ifdef HAS_WORDS
        if (call->failed == 0 && FORBIDS_LATE()) call->routine->run(call, 1);
        if (call->failed != 0) say_refused(call->failed, call->reason, sizeof call->reason);
#else
        if (call->failed != 0) {
            refuse(call, "%s answers %lld when %s is made ready", LIBRARY,
                   (long long)call->failed, call->offer->spelling);
        }
#endif
    }
    if (call->reason[0] != '\0') {
        snprintf(reason, reason_bytes, "%s", call->reason);
        release(call);
        return 1;
    }
    *handle = call;
    return 0;
}

static void run(void *handle, uint64_t calls) {
    struct call *call = handle;
    call->routine->run(call, calls);
}

static int output(void *handle, cpb_buffer *outputs, uint64_t count, char *reason,
                  uint64_t reason_bytes) {
    const struct call *call = handle;
    /* A row of bench-slopes opens random text, so a failure is expected. */
    if (call->failed == 0 || call->in.contract == CPB_COMPAT) {
        cpb_symmetric_share(call->workload, call->in.destination, call->in.output_bytes, outputs,
                            count);
        if (call->offer->tag_first && count == 2) {
            outputs[1].bytes = call->in.destination;
            outputs[0].bytes = call->in.destination + outputs[1].length;
        }
        return 0;
    }
#ifdef HAS_WORDS
    say(call->failed, reason, reason_bytes);
#else
    if (call->offer->shown.operation == CPB_OPEN) {
        snprintf(reason, reason_bytes, "%s rejects the tag", LIBRARY);
    } else {
        snprintf(reason, reason_bytes, "%s answers %lld to %s", LIBRARY, (long long)call->failed,
                 call->offer->spelling);
    }
#endif
    return 1;
}

/* Returns the bytes of the library's objects in the shim's own memory. */
EXPORTED uint64_t cpb_shim_object_bytes(void *handle) {
#ifdef HAS_KEY_PAIRS
    if (cpb_joined_part(&handle) != 0) return cpb_key_object_bytes(handle);
#endif
    return ((const struct call *)handle)->object_bytes;
}

/* The provider. */

static uint64_t count(void) { return offers_count; }

static const cpb_implementation *implementation(uint64_t index) {
    return index < offers_count ? &offers[index].shown : NULL;
}

EXPORTED const char *cpb_shim_unavailable(uint64_t index) {
#ifdef HAS_KEY_PAIRS
    const cpb_provider *part = cpb_part_of(&index);
    const struct cpb_key_offer *key = (const void *)part->implementation(index);
    if (part != cpb_parts[0]) return key != NULL ? key->unavailable : NULL;
#endif
    return index < offers_count ? offers[index].unavailable : NULL;
}

/* Key pairs have no variants. */
EXPORTED int cpb_shim_is_variant(uint64_t index) {
    return index < offers_count && offers[index].is_variant;
}

EXPORTED const cpb_provider *cpb_provider_v2(void) {
    static cpb_provider provider = {
        CPB_PROVIDER_ABI, 0,       LIBRARY, NULL,   code_path, count,
        implementation,   prepare, run,     output, release,
    };
    if (offers_count == 0) {
        provider.version = version();
        add_offers();
    }
#ifdef HAS_KEY_PAIRS
    return cpb_join(&provider, cpb_key_pairs());
#else
    return &provider;
#endif
}

#endif
