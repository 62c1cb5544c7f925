/* A provider for the tests of `cpb scale`: hashes of a few hundred cycles, parallel
 * or one thread at a time, and hashes that fail in a second thread. */
#define _GNU_SOURCE
#include "cpb_provider.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DIGEST_BYTES 32
#define STEPS 400

enum { FREE, LOCKED, CRASH, EXIT, LEAVE, UNWIND, HANG, DISAGREE, COUNT };

static const cpb_length digest = {CPB_DIGEST, 0, DIGEST_BYTES, DIGEST_BYTES, DIGEST_BYTES};

#define HASH(NAME) {NAME, NAME, "default", CPB_HASH, 1, &digest, 1, 1, 0, 0, 0, 0}

static const cpb_implementation hashes[COUNT] = {
    HASH("toy-free"),  HASH("toy-locked"), HASH("toy-crash"), HASH("toy-exit"),
    HASH("toy-leave"), HASH("toy-unwind"), HASH("toy-hang"),  HASH("toy-disagree"),
};

struct call {
    const cpb_case *given;
    uint64_t which;
    /* Whether another thread prepared the same before and still has it. */
    int is_second;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int prepared[COUNT];

static uint64_t count(void) { return COUNT; }

static const cpb_implementation *implementation(uint64_t index) {
    return index < COUNT ? &hashes[index] : NULL;
}

static int prepare(uint64_t index, const cpb_workload *workload, void **handle, char *reason,
                   uint64_t reason_bytes) {
    struct call *call = malloc(sizeof *call);
    if (call == NULL) {
        strncpy(reason, "no memory", reason_bytes - 1);
        return 1;
    }
    call->given = workload->cases;
    call->which = index;
    call->is_second = atomic_fetch_add(&prepared[index], 1) > 0;
    *handle = call;
    return 0;
}

static void release(void *handle) {
    struct call *call = handle;
    atomic_fetch_sub(&prepared[call->which], 1);
    free(call);
}

static void go_wrong(uint64_t which, uint8_t *output) {
    switch (which) {
    case CRASH: raise(SIGSEGV); break;
    case EXIT: _exit(7);
    case LEAVE: syscall(SYS_exit, 0); break;
    case UNWIND: pthread_exit(NULL);
    case HANG: for (;;) { pause(); }
    case DISAGREE: output[0] ^= 1; break;
    default: break;
    }
}

static void hash(const struct call *call) {
    uint8_t *bytes = call->given->outputs[0].bytes;
    uint64_t state = 88172645463325252u;
    for (int step = 0; step < STEPS; ++step) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    memset(bytes, 0, DIGEST_BYTES);
    memcpy(bytes, &state, sizeof state);
    if (call->is_second) {
        go_wrong(call->which, bytes);
    }
}

static void run(void *handle, uint64_t calls) {
    struct call *call = handle;
    for (; calls != 0; --calls) {
        if (call->which == LOCKED) {
            pthread_mutex_lock(&lock);
        }
        hash(call);
        if (call->which == LOCKED) {
            pthread_mutex_unlock(&lock);
        }
        CPB_EVERY_CALL_COUNTS;
    }
}

static int output(void *handle, cpb_buffer *outputs, uint64_t count_of_outputs, char *reason,
                  uint64_t reason_bytes) {
    (void)count_of_outputs, (void)reason, (void)reason_bytes;
    outputs[0] = ((struct call *)handle)->given->outputs[0];
    return 0;
}

CPB_EXPORT const cpb_provider *cpb_provider_v2(void) {
    static const cpb_provider provider = {
        CPB_PROVIDER_ABI, 0, "toy", "1", NULL, count, implementation, prepare, run, output, release,
    };
    return &provider;
}
