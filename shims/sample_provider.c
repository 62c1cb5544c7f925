/* sample_provider.c: a provider to start from.
 *
 *     cc -O2 -shared -fPIC sample_provider.c -o libmine.so
 *     cpb list --library mine=./libmine.so
 *
 * A hash alone takes one line: CPB_PROVIDE_HASH of cpb_provider.h. This is a provider
 * with keys and nonces, too. It offers two primitives that are short to read: the hash
 * FNV-1a, and a stream cipher that is insecure and only shows how keys and nonces are
 * used. Replace them by your own functions. Every implementation is a line of
 * `implementations`; a call is whatever `prepare` allocates.
 *
 * This file is in the public domain (CC0); copy it into your project.
 */
#include "cpb_provider.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The primitives. */

static uint64_t fnv1a(const uint8_t *message, uint64_t length) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint64_t i = 0; i < length; ++i) hash = (hash ^ message[i]) * 0x100000001b3u;
    return hash;
}

/* The key schedule: one word of state made of key and nonce. */
struct stream {
    uint64_t key;
    uint64_t state;
};

static uint64_t load_word(const uint8_t *bytes) {
    uint64_t word = 0;
    for (int i = 0; i < 8; ++i) word |= (uint64_t)bytes[i] << 8 * i;
    return word;
}

static void stream_set_key(struct stream *stream, const uint8_t *key) {
    stream->key = load_word(key) ^ load_word(key + 8);
}

static void stream_set_nonce(struct stream *stream, const uint8_t *nonce) {
    stream->state = stream->key ^ load_word(nonce);
}

/* Adds the high bytes of a linear congruential generator to the text. */
static void stream_xor(struct stream *stream, const uint8_t *from, uint8_t *to, uint64_t length) {
    for (uint64_t i = 0; i < length; ++i) {
        stream->state = stream->state * 6364136223846793005u + 1442695040888963407u;
        to[i] = from[i] ^ (uint8_t)(stream->state >> 56);
    }
}

/* The offers. The length of a role that is not named is 0. */

static const cpb_length hash_lengths[] = {
    {CPB_DIGEST, 0, 8, 8, 8},
};

static const cpb_length stream_lengths[] = {
    {CPB_KEY, 0, 16, 16, 16},
    {CPB_NONCE, 0, 8, 8, 8},
};

static const cpb_implementation implementations[] = {
    {.primitive = "fnv1a-64",
     .spelling = "FNV-1a",
     .backend = "default",
     .operation = CPB_HASH,
     .is_default = 1,
     .lengths = hash_lengths,
     .length_count = 1,
     .granularity = 1},
    {.primitive = "sample-stream",
     .spelling = "sample stream",
     .backend = "default",
     .operation = CPB_ENCRYPT,
     .is_default = 1,
     .lengths = stream_lengths,
     .length_count = 2,
     .granularity = 1},
    {.primitive = "sample-stream",
     .spelling = "sample stream",
     .backend = "default",
     .operation = CPB_DECRYPT,
     .is_default = 1,
     .lengths = stream_lengths,
     .length_count = 2,
     .granularity = 1},
};

static uint64_t count(void) { return sizeof implementations / sizeof *implementations; }

static const cpb_implementation *implementation(uint64_t index) {
    return index < count() ? &implementations[index] : NULL;
}

/* A call that is ready to run. The workload does not move until release, so pointers
 * into it are enough. */
struct call {
    const cpb_implementation *implementation;
    uint32_t contract;
    const uint8_t *message;
    uint64_t message_bytes;
    const uint8_t *key;
    const uint8_t *nonce;
    uint8_t *output;
    uint64_t output_bytes;
    struct stream stream;
};

/* Returns what a case gives in this role. */
static const cpb_buffer *find(const cpb_case *given, uint32_t role) {
    static const cpb_buffer nothing;
    for (uint64_t i = 0; i < given->input_count; ++i)
        if (given->inputs[i].role == role) return &given->inputs[i];
    return &nothing;
}

static int refuse(const char *why, char *reason, uint64_t reason_bytes) {
    snprintf(reason, reason_bytes, "%s", why);
    return 1;
}

static int prepare(uint64_t index, const cpb_workload *workload, void **prepared, char *reason,
                   uint64_t reason_bytes) {
    /* bench-slopes does not know this provider. */
    if (workload->contract == CPB_COMPAT)
        return refuse("there is no such row", reason, reason_bytes);
    /* Signatures would have many cases, used in turn. */
    if (workload->case_count != 1)
        return refuse("a call of it has one case", reason, reason_bytes);

    struct call *call = calloc(1, sizeof *call);
    if (!call) return refuse("out of memory", reason, reason_bytes);
    const cpb_case *given = workload->cases;
    call->implementation = &implementations[index];
    call->contract = workload->contract;
    /* Decryption gets a ciphertext that cpb had us encrypt before. */
    const cpb_buffer *message = find(
        given, call->implementation->operation == CPB_DECRYPT ? CPB_CIPHERTEXT : CPB_MESSAGE);
    call->message = message->bytes;
    call->message_bytes = message->length;
    call->key = find(given, CPB_KEY)->bytes;
    call->nonce = find(given, CPB_NONCE)->bytes;
    call->output = given->outputs[0].bytes;
    call->output_bytes = given->outputs[0].length;
    if (call->implementation->operation != CPB_HASH) stream_set_key(&call->stream, call->key);
    *prepared = call;
    return 0;
}

/* The loop is what is timed: it must hold only the calls, and what keeps the compiler
 * from merging them into one. */
static void run(void *prepared, uint64_t calls) {
    struct call *call = prepared;
    if (call->implementation->operation == CPB_HASH) {
        for (uint64_t i = 0; i < calls; ++i) {
            const uint64_t hash = fnv1a(call->message, call->message_bytes);
            for (int byte = 0; byte < 8; ++byte)
                call->output[byte] = (uint8_t)(hash >> 8 * (7 - byte));
            CPB_EVERY_CALL_COUNTS;
        }
    } else if (call->contract == CPB_ONESHOT) {
        for (uint64_t i = 0; i < calls; ++i) {
            struct stream stream;
            stream_set_key(&stream, call->key);
            stream_set_nonce(&stream, call->nonce);
            stream_xor(&stream, call->message, call->output, call->message_bytes);
            CPB_EVERY_CALL_COUNTS;
        }
    } else {
        for (uint64_t i = 0; i < calls; ++i) {
            stream_set_nonce(&call->stream, call->nonce);
            stream_xor(&call->stream, call->message, call->output, call->message_bytes);
            CPB_EVERY_CALL_COUNTS;
        }
    }
}

static int output(void *prepared, cpb_buffer *outputs, uint64_t count, char *reason,
                  uint64_t reason_bytes) {
    const struct call *call = prepared;
    /* There is one output. A tag that did not verify would be a reason to return 1. */
    (void)count, (void)reason, (void)reason_bytes;
    outputs[0].bytes = call->output;
    outputs[0].length = call->output_bytes;
    return 0;
}

static void release(void *prepared) { free(prepared); }

static const cpb_provider provider = {
    .abi = CPB_PROVIDER_ABI,
    .name = "sample",
    .version = "1.0",
    .count = count,
    .implementation = implementation,
    .prepare = prepare,
    .run = run,
    .output = output,
    .release = release,
};

const cpb_provider *cpb_provider_v2(void) { return &provider; }
