/* slow_provider.c: a provider of exactly known cost, to test whether a slowdown
 * is found.
 *
 *     cc -O2 -shared -fPIC slow_provider.c -o libslow.so
 *     cpb compare slow=./libslow.so 'slow=./libslow.so;CPB_BURN=10' --precision 0.1%
 *
 * Its one hash is a chain of dependent multiplications: CPB_WORK thousand links
 * (20 if not set) at any message length, and CPB_BURN more in a thousand. Every
 * link of the chain takes the same cycles, so one call costs 1 + CPB_BURN / 1000
 * times its cost without CPB_BURN, apart from the dozen cycles of calling it.
 *
 * This file is in the public domain (CC0).
 */
#include "cpb_provider.h"

#include <stdio.h>
#include <stdlib.h>

struct call {
    uint64_t message_bytes;
    cpb_buffer digest;
    uint64_t links;
};

static uint64_t environment(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static const cpb_length digest = {CPB_DIGEST, 0, 8, 8, 8};

static const cpb_implementation hash = {
    .primitive = "known-chain",
    .spelling = "known chain",
    .backend = "default",
    .operation = CPB_HASH,
    .is_default = 1,
    .lengths = &digest,
    .length_count = 1,
    .granularity = 1,
};

static uint64_t count(void) { return 1; }

static const cpb_implementation *implementation(uint64_t index) {
    return index == 0 ? &hash : NULL;
}

static int prepare(uint64_t index, const cpb_workload *workload, void **prepared, char *reason,
                   uint64_t reason_bytes) {
    (void)index;
    struct call *call = malloc(sizeof *call);
    if (!call) {
        snprintf(reason, reason_bytes, "out of memory");
        return 1;
    }
    const uint64_t links = 1000 * environment("CPB_WORK", 20);
    call->message_bytes = workload->cases->inputs->length;
    call->digest = *workload->cases->outputs;
    call->links = links + links * environment("CPB_BURN", 0) / 1000;
    *prepared = call;
    return 0;
}

/* The empty assembler text hides the value, so that no link is optimized away. */
static void run(void *prepared, uint64_t calls) {
    const struct call *call = prepared;
    for (uint64_t i = 0; i < calls; ++i) {
        uint64_t value = call->message_bytes | 1;
        for (uint64_t link = 0; link < call->links; ++link) {
            value *= 0x100000001b3u;
            __asm__ volatile("" : "+r"(value));
        }
        __asm__ volatile("" : : "r"(value));
    }
}

/* The digest does not depend on the number of links, because slowness is not a
 * wrong answer. */
static int output(void *prepared, cpb_buffer *outputs, uint64_t count, char *reason,
                  uint64_t reason_bytes) {
    (void)count;
    (void)reason;
    (void)reason_bytes;
    const struct call *call = prepared;
    for (int byte = 0; byte < 8; ++byte)
        call->digest.bytes[byte] = (uint8_t)(call->message_bytes >> 8 * byte);
    outputs[0] = call->digest;
    return 0;
}

static const cpb_provider provider = {
    .abi = CPB_PROVIDER_ABI,
    .name = "slow",
    .version = "1.0",
    .count = count,
    .implementation = implementation,
    .prepare = prepare,
    .run = run,
    .output = output,
    .release = free,
};

const cpb_provider *cpb_provider_v2(void) { return &provider; }
