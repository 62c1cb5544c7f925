/* A provider with terminal control sequences in its names. If HOSTILE_FLOOD is
 * set, it floods the pipe of its worker. */
#include "cpb_provider.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAYLOAD "\033]0;owned\007\033[2J\342\200\256\302\233" "31m\nFAKE ROW\r=1"

static const cpb_length digest = {CPB_DIGEST, 0, 4, 4, 4};
static const cpb_implementation offers[] = {
    {"acting-hash" PAYLOAD, "Acting" PAYLOAD, "code" PAYLOAD, CPB_HASH, 1, &digest, 1, 1, 0,
     NULL, NULL, NULL},
};

static uint64_t count(void) { return 1; }
static const cpb_implementation *implementation(uint64_t index) { return &offers[index]; }
static const char *code_path(void) { return "path" PAYLOAD; }

static int prepare(uint64_t index, const cpb_workload *workload, void **call, char *reason,
                   uint64_t reason_bytes) {
    (void)index;
    if (getenv("HOSTILE_FLOOD")) {
        static char block[1 << 16];
        memset(block, 'x', sizeof block);
        for (;;) {
            for (int pipe = 3; pipe < 16; pipe++) {
                struct stat about;
                if (fstat(pipe, &about) == 0 && S_ISFIFO(about.st_mode))
                    (void)!write(pipe, block, sizeof block);
            }
        }
    }
    if (getenv("HOSTILE_REASON")) {
        strncpy(reason, "no" PAYLOAD, reason_bytes - 1);
        return 1;
    }
    *call = workload->cases->outputs->bytes;
    return 0;
}

static void run(void *call, uint64_t calls) {
    volatile uint8_t *bytes = call;
    while (calls--)
        for (int i = 0; i < 2000; i++) bytes[i % 4] = 7;
}

static int output(void *call, cpb_buffer *outputs, uint64_t count, char *reason,
                  uint64_t reason_bytes) {
    (void)reason;
    (void)reason_bytes;
    (void)count;
    outputs->bytes = call;
    outputs->length = 4;
    return 0;
}

static void release(void *call) { (void)call; }

static const cpb_provider provider = {
    CPB_PROVIDER_ABI, 0, "acting" PAYLOAD, "1" PAYLOAD, code_path, count, implementation,
    prepare, run, output, release,
};

const cpb_provider *cpb_provider_v2(void) { return &provider; }
