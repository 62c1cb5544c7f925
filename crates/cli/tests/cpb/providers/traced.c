/* Offers useless hashes whose executed code is known exactly. */
#include "cpb_provider.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BYTES 8
/* The bytes allocated while a call is prepared. */
#define SCHEDULE 1000

/* A function in assembly. */
#define FUNCTION(name, code)                                                                      \
    __asm__(".text\n.globl " #name "\n.type " #name ", %function\n" #name ":\n" code              \
            ".size " #name ", . - " #name "\n");                                                  \
    void name(const uint8_t *message, uint64_t bytes, uint8_t *digest);

#if defined(__aarch64__)
/* Runs 1 + 100 * 3 + 1 instructions. */
#define HUNDRED "  mov w9, #100\n1:\n  eor v0.16b, v0.16b, v0.16b\n  subs w9, w9, #1\n  b.ne 1b\n  ret\n"
FUNCTION(traced_exact, HUNDRED)
/* Runs one more instruction. */
FUNCTION(traced_more, "  nop\n" HUNDRED)
/* Uses 4096 bytes of the stack. */
FUNCTION(traced_deep, "  sub sp, sp, #4096\n  strb wzr, [sp]\n  add sp, sp, #4096\n  ret\n")
FUNCTION(traced_wide, "  .arch armv8.2-a+sve\n  mov w9, #100\n1:\n  add z0.s, z0.s, z0.s\n"
                      "  subs w9, w9, #1\n  b.ne 1b\n  ret\n  .arch armv8-a\n")
/* Runs 1 + 10 * 6 + 1 instructions, of which 20 access memory exclusively. */
FUNCTION(traced_exclusive, "  mov w9, #10\n1:\n  ldaxr w10, [x2]\n  add w10, w10, #1\n"
                           "  stlxr w11, w10, [x2]\n  cbnz w11, 1b\n  subs w9, w9, #1\n"
                           "  b.ne 1b\n  ret\n")
#else
/* Runs 1 + 100 * 3 + 1 instructions in 5 + 4 + 2 + 2 + 1 bytes. */
#define HUNDRED "  movl $100, %ecx\n1:\n  pxor %xmm0, %xmm0\n  decl %ecx\n  jnz 1b\n  ret\n"
FUNCTION(traced_exact, HUNDRED)
/* Runs one more instruction, of 7 bytes. */
FUNCTION(traced_more, "  .byte 0x0f, 0x1f, 0x80, 0, 0, 0, 0\n" HUNDRED)
/* Uses 4096 bytes of the stack, and the return address. */
FUNCTION(traced_deep, "  subq $4096, %rsp\n  movb $1, (%rsp)\n  addq $4096, %rsp\n  ret\n")
FUNCTION(traced_wide, "  movl $100, %ecx\n1:\n  vpaddd %ymm0, %ymm0, %ymm0\n  decl %ecx\n"
                      "  jnz 1b\n  vzeroupper\n  ret\n")
#endif

#if defined(WITH_AES) && defined(__aarch64__)
#include <arm_neon.h>
__attribute__((target("+crypto"))) static void traced_aes(const uint8_t *message, uint64_t bytes,
                                                          uint8_t *digest) {
    uint8x16_t state = vdupq_n_u8(0);
    for (uint64_t at = 0; at + 16 <= bytes; at += 16) state = vaeseq_u8(state, vld1q_u8(message + at));
    vst1_u8(digest, vget_low_u8(state));
}
#elif defined(WITH_AES)
#include <immintrin.h>
__attribute__((target("aes,sse2"))) static void traced_aes(const uint8_t *message, uint64_t bytes,
                                                          uint8_t *digest) {
    __m128i state = _mm_setzero_si128();
    for (uint64_t at = 0; at + 16 <= bytes; at += 16)
        state = _mm_aesenc_si128(state, _mm_loadu_si128((const __m128i *)(message + at)));
    _mm_storel_epi64((__m128i *)digest, state);
}
#else
static void traced_aes(const uint8_t *message, uint64_t bytes, uint8_t *digest) {
    uint64_t state = 0;
    for (uint64_t at = 0; at < bytes; at++) state = (state ^ message[at]) * 0x100000001b3u;
    memcpy(digest, &state, BYTES);
}
#endif

static void calling(const uint8_t *message, uint64_t bytes, uint8_t *digest) {
    uint8_t *volatile one = malloc(bytes + 1), *volatile two = malloc(bytes + 2);
    (void)message, (void)digest;
    if (one != NULL && two != NULL) one[0] = two[0] = 1;
    free(one);
    free(two);
    one = calloc(25, 4);
    if (one != NULL) one[0] = 1;
    one = realloc(one, 110);
    free(one);
    for (int i = 0; i < 3; i++) syscall(SYS_getppid);
}

/* Its distance depends on what else is in the file. */
static const uint8_t table[256] = {3, 1, 4, 1, 5, 9};

/* The two functions process all bytes between them. */
static __attribute__((noinline)) void short_message(const uint8_t *message, uint64_t bytes, uint8_t *digest) {
    for (uint64_t i = 0; i < bytes; i++) digest[i % BYTES] ^= table[message[i]];
}
static __attribute__((noinline)) void long_message(const uint8_t *message, uint64_t bytes, uint8_t *digest) {
    for (uint64_t i = 0; i < bytes; i++) digest[i % BYTES] += (uint8_t)(message[i] * 3);
}
static void of_length(const uint8_t *message, uint64_t bytes, uint8_t *digest) {
    (bytes < 256 ? short_message : long_message)(message, bytes, digest);
}

/* Each call reads all 256 bytes: four lines. */
static const uint8_t __attribute__((aligned(64))) box[256] = {1, 2, 3};

/* The reads use a pointer that is computed in the same block. */
static __attribute__((noinline)) void all_of_box(const uint8_t *message, uint64_t bytes, uint8_t *digest) {
    (void)message, (void)bytes;
    for (unsigned i = 0; i < 256; i++) digest[i % BYTES] ^= *(const volatile uint8_t *)&box[i * 7 % 256];
}
/* Reads one line of it, whatever the message. */
static __attribute__((noinline)) void line_of_box(const uint8_t *message, uint64_t bytes, uint8_t *digest) {
    for (uint64_t i = 0; i < bytes; i++) digest[i % BYTES] ^= *(const volatile uint8_t *)&box[64 + message[i] % 64];
}

static void *nothing(void *given) { return given; }

static void starting(const uint8_t *message, uint64_t bytes, uint8_t *digest) {
    pthread_t thread;
    (void)message, (void)bytes, (void)digest;
    if (pthread_create(&thread, NULL, nothing, NULL) == 0) pthread_join(thread, NULL);
}

static void ignored(int number) { (void)number; }

static void signalling(const uint8_t *message, uint64_t bytes, uint8_t *digest) {
    (void)message, (void)bytes, (void)digest;
    signal(SIGUSR1, ignored);
    raise(SIGUSR1);
}

static void long_call(const uint8_t *message, uint64_t bytes, uint8_t *digest) {
    (void)message, (void)bytes;
    for (volatile uint64_t i = 0; i < 1000000; i++) digest[0]++;
}

/* The calls that end before the traced one. */
static int calls_before;

static void waiting(const uint8_t *message, uint64_t bytes, uint8_t *digest) {
    (void)message, (void)bytes, (void)digest;
    if (calls_before++ >= 3) pause();
}

static void crashing(const uint8_t *message, uint64_t bytes, uint8_t *digest) {
    (void)message, (void)bytes, (void)digest;
    if (calls_before++ >= 3) *(volatile int *)(intptr_t)calls_before = 1;
}

/* Gives a wrong answer in every process except the first: a process's first call is never
 * right. */
static void forgetful(const uint8_t *message, uint64_t bytes, uint8_t *digest) {
    (void)message, (void)bytes;
    digest[0] = calls_before++ == 0;
}

struct hash {
    const char *name, *backend;
    void (*work)(const uint8_t *, uint64_t, uint8_t *);
    int is_default;
};

static const struct hash hashes[] = {
    {"traced-exact", "default", traced_exact, 1}, {"traced-more", "default", traced_more, 1},
    {"traced-wide", "default", traced_wide, 1},  {"traced-deep", "default", traced_deep, 1},
    {"aes-toy", "default", traced_aes, 1},        {"traced-calls", "default", calling, 1},
    {"traced-lengths", "default", of_length, 1},  {"traced-twice", "one", short_message, 1},
    {"traced-twice", "two", short_message, 0},    {"traced-twice", "three", long_message, 0},
    {"traced-thread", "default", starting, 1},    {"traced-signal", "default", signalling, 1},
    {"traced-long", "default", long_call, 1},     {"traced-wait", "default", waiting, 1},
    {"traced-crash", "default", crashing, 1},     {"traced-box", "default", all_of_box, 1},
    {"traced-line", "default", line_of_box, 1},   {"traced-wrong", "default", forgetful, 1},
#if defined(__aarch64__)
    {"traced-exclusive", "default", traced_exclusive, 1},
#endif
};
#define COUNT (sizeof hashes / sizeof *hashes)

struct call {
    const cpb_case *given;
    const struct hash *hash;
};

static uint64_t count(void) { return COUNT; }

static const cpb_implementation *implementation(uint64_t index) {
    static const cpb_length digest = {CPB_DIGEST, 0, BYTES, BYTES, BYTES};
    static cpb_implementation offers[COUNT];
    const struct hash *hash = &hashes[index];
    const cpb_implementation it = {hash->name, hash->name, hash->backend, CPB_HASH,
                                   (uint32_t)hash->is_default, &digest, 1, 1, 0, 0, 0, 0};
    offers[index] = it;
    return &offers[index];
}

static int prepare(uint64_t index, const cpb_workload *workload, void **handle, char *reason,
                   uint64_t reason_bytes) {
    struct call *call = calloc(1, sizeof *call);
    uint8_t *volatile schedule = malloc(SCHEDULE);
    (void)reason, (void)reason_bytes;
    if (call == NULL || schedule == NULL) return 1;
    /* The result computed from it is kept, but this is not. */
    schedule[0] = 1;
    free(schedule);
    call->given = workload->cases;
    call->hash = &hashes[index];
    *handle = call;
    return 0;
}

static void run(void *handle, uint64_t calls) {
    const struct call *call = handle;
    for (; calls != 0; calls--)
        call->hash->work(call->given->inputs[0].bytes, call->given->inputs[0].length,
                         call->given->outputs[0].bytes);
}

static int output(void *handle, cpb_buffer *outputs, uint64_t count, char *reason,
                  uint64_t reason_bytes) {
    (void)count, (void)reason, (void)reason_bytes;
    outputs[0] = ((const struct call *)handle)->given->outputs[0];
    return 0;
}

static void release(void *handle) { free(handle); }

static const cpb_provider provider = {
    CPB_PROVIDER_ABI, 0, "traced", "1", NULL, count, implementation, prepare, run, output, release,
};

CPB_EXPORT const cpb_provider *cpb_provider_v2(void) { return &provider; }
