/* check.h: computes SUPERCOP's checksums. An operation describes its buffers and its
 * calls, and chooses in `test` their lengths and the order of the calls. This tests each
 * call: it must give the same result again, write only to its outputs, leave its inputs
 * unchanged, and, if allowed, accept an output in the place of an input.
 *
 * SUPERCOP defines every byte of the inputs, and the sum over all outputs: Salsa20 with
 * fixed keys, where nonces count the requests. The other tests are ours. */
#ifndef CPB_CHECK_H
#define CPB_CHECK_H

#include "random.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned char byte;
typedef unsigned long long length;

#define BESIDE 16 /* bytes on either side of a buffer that must not change */

static jmp_buf cpb_failed;
static char cpb_reason[160];

__attribute__((noreturn)) static void fail(const char *function, const char *what) {
    snprintf(cpb_reason, sizeof cpb_reason, "%s %s", function, what);
    longjmp(cpb_failed, 1);
}

/* The words of Salsa20 are little-endian, as are those of all CPUs that cpb runs on. */
static void salsa_block(byte out[64], const byte in[16], const byte key[32]) {
    static const byte constant[16] = "expand 32-byte k";
    uint32_t start[16];
    for (int i = 0; i < 4; i++) memcpy(start + 5 * i, constant + 4 * i, 4);
    memcpy(start + 1, key, 16);
    memcpy(start + 6, in, 16);
    memcpy(start + 11, key + 16, 16);
    /* Variables of their own are in registers where an array is not, such as with -O1. */
    uint32_t x0 = start[0], x1 = start[1], x2 = start[2], x3 = start[3];
    uint32_t x4 = start[4], x5 = start[5], x6 = start[6], x7 = start[7];
    uint32_t x8 = start[8], x9 = start[9], x10 = start[10], x11 = start[11];
    uint32_t x12 = start[12], x13 = start[13], x14 = start[14], x15 = start[15];
#define ROTATED(x, by) ((x) << (by) | (x) >> (32 - (by)))
#define QUARTER(a, b, c, d) \
    (b ^= ROTATED(a + d, 7), c ^= ROTATED(b + a, 9), \
     d ^= ROTATED(c + b, 13), a ^= ROTATED(d + c, 18))
    for (int round = 0; round < 10; round++) {
        /* The columns, each starting on the diagonal, and the rows. */
        QUARTER(x0, x4, x8, x12), QUARTER(x5, x9, x13, x1);
        QUARTER(x10, x14, x2, x6), QUARTER(x15, x3, x7, x11);
        QUARTER(x0, x1, x2, x3), QUARTER(x5, x6, x7, x4);
        QUARTER(x10, x11, x8, x9), QUARTER(x15, x12, x13, x14);
    }
#undef QUARTER
#undef ROTATED
    const uint32_t x[16] = {x0, x1, x2,  x3,  x4,  x5,  x6,  x7,
                            x8, x9, x10, x11, x12, x13, x14, x15};
    for (int i = 0; i < 16; i++) start[i] += x[i];
    memcpy(out, start, 64);
}

/* A source of bytes, which uses a new nonce for each request. */
struct source {
    const char *key;
    byte nonce[8];
};

static struct source test_bytes = {.key = "generate inputs for test vectors"};
static struct source beside_bytes = {.key = "generate pad to catch overwrites"};

static void count_up(byte counter[8]) {
    for (int i = 0; i < 8 && ++counter[i] == 0; i++) {}
}

static void draw(struct source *source, byte *to, length bytes) {
    byte in[16] = {0}, block[64];
    memcpy(in, source->nonce, 8);
    while (bytes != 0) {
        const length part = bytes < sizeof block ? bytes : sizeof block;
        salsa_block(block, in, (const byte *)source->key);
        memcpy(to, block, part);
        count_up(in + 8);
        to += part;
        bytes -= part;
    }
    count_up(source->nonce);
}

/* Draws a number from 0 to most. */
static length number(length most) {
    byte bytes[8];
    length value = 0;
    draw(&test_bytes, bytes, 8);
    for (int i = 7; i >= 0; i--) value = value << 8 | bytes[i];
    return value % (most + 1);
}

/* The sum over all outputs. */
static byte sum[64];

static void add_to_sum(const byte *bytes, length count) {
    byte last[16] = {0};
    for (; count >= 16; bytes += 16, count -= 16) salsa_block(sum, bytes, sum);
    memcpy(last, bytes, count);
    last[count] = 1;
    sum[0] ^= 1;
    salsa_block(sum, last, sum);
}

/* An input or output; its twin is used by a second call. */
struct buffer {
    length bytes;
    byte *at, *twin;
    byte *now;     /* its address in the current call */
    length room;   /* how much may be written, if more than `bytes` */
    int is_filled; /* whether it has its contents for this turn */
};

#define MOST_BUFFERS 12
static struct buffer *buffers[MOST_BUFFERS];
static int buffer_count;

static byte *memory(length bytes, int shift) {
    byte *start = malloc(bytes + 320);
    if (start == NULL) fail("the check", "has no memory for its buffers");
    memset(start, 0, bytes + 320);
    start += 64;
    return start + (63 & -(uintptr_t)start) + shift;
}

/* Allocates a buffer for up to `most` bytes, at an offset of `shift` from a multiple of
 * 64. */
static void make_room(struct buffer *buffer, length most, int shift) {
    buffer->at = memory(most, shift);
    buffer->twin = memory(most, shift);
    buffer->now = buffer->at;
    buffers[buffer_count++] = buffer;
}

/* Fills the memory beside the buffer and beside its twin with the same bytes. */
static void guard(struct buffer *buffer) {
    draw(&beside_bytes, buffer->at - BESIDE, BESIDE);
    draw(&beside_bytes, buffer->at + buffer->bytes, BESIDE);
    memcpy(buffer->twin - BESIDE, buffer->at - BESIDE, BESIDE);
    memcpy(buffer->twin + buffer->bytes, buffer->at + buffer->bytes, BESIDE);
}

static void prepare_output(struct buffer *buffer) {
    buffer->room = buffer->bytes;
    draw(&beside_bytes, buffer->at - BESIDE, buffer->bytes + 2 * BESIDE);
    memcpy(buffer->twin - BESIDE, buffer->at - BESIDE, buffer->bytes + 2 * BESIDE);
}

static void prepare_input(struct buffer *buffer) {
    if (!buffer->is_filled) draw(&test_bytes, buffer->at, buffer->bytes);
    buffer->is_filled = 1;
    memcpy(buffer->twin, buffer->at, buffer->bytes);
    guard(buffer);
}

enum {
    REPEATS = 1,       /* the same inputs have the same outputs */
    OVERLAPS = 2,      /* an output may have the same address as an input */
    WRITES_ROOM = 4,   /* it may write the whole room of its output */
};

/* A function of the implementation, and its arguments: inputs are filled in this order,
 * and outputs are summed in this order. `both` is read and written. */
struct call {
    const char *name;
    int (*make)(void); /* calls it with each buffer's `now`; returns its return value */
    int expected;
    int rules;
    struct buffer *out[3], *in[6], *both[1];
    void (*look)(void); /* checks further properties of the outputs; may be null */
};

static void make_call(const struct call *call) {
    if (call->make() != call->expected) fail(call->name, "returns another value than it should");
}

static void compare_guards(const struct call *call, const struct buffer *buffer) {
    const length end = call->rules & WRITES_ROOM ? buffer->room : buffer->bytes;
    if (memcmp(buffer->twin - BESIDE, buffer->at - BESIDE, BESIDE) != 0)
        fail(call->name, "writes before its output");
    if (memcmp(buffer->twin + end, buffer->at + end, BESIDE) != 0)
        fail(call->name, "writes behind its output");
}

#define EACH(list, it) \
    for (struct buffer *const *place = (list), *it; \
         place < (list) + sizeof(list) / sizeof *(list) && (it = *place) != NULL; place++)

static void prepare(struct call *call) {
    EACH(call->out, it) prepare_output(it);
    EACH(call->in, it) prepare_input(it);
    EACH(call->both, it) prepare_input(it);
}

/* Makes the call, adds its outputs to the sum, and checks the memory that it must not
 * change. */
static void perform(struct call *call) {
    make_call(call);
    if (call->look != NULL) call->look();
    EACH(call->out, it) add_to_sum(it->at, it->bytes);
    EACH(call->both, it) add_to_sum(it->at, it->bytes);
    EACH(call->out, it) it->is_filled = 1;
    EACH(call->out, it) compare_guards(call, it);
    EACH(call->both, it) compare_guards(call, it);
    EACH(call->in, it) {
        if (memcmp(it->twin - BESIDE, it->at - BESIDE, it->bytes + 2 * BESIDE) != 0)
            fail(call->name, "writes to its input");
    }
}

static void use_twin(struct buffer *buffer) {
    guard(buffer);
    buffer->now = buffer->twin;
}

static void compare_twin(const struct call *call, struct buffer *buffer) {
    if (memcmp(buffer->twin, buffer->at, buffer->bytes) != 0)
        fail(call->name, "puts out something else for the same inputs");
    buffer->now = buffer->at;
}

/* Makes the call again, with the twins. */
static void repeat(struct call *call) {
    EACH(call->out, it) use_twin(it);
    EACH(call->both, it) use_twin(it);
    EACH(call->in, it) use_twin(it);
    make_call(call);
    EACH(call->out, it) compare_twin(call, it);
    EACH(call->both, it) compare_twin(call, it);
    EACH(call->in, it) it->now = it->at;
}

/* Makes the call with each output in the place of each input. */
static void overlap(struct call *call) {
    for (int o = 0; o < 3 && call->out[o] != NULL; o++) {
        struct buffer *output = call->out[o];
        EACH(call->out, it) guard(it);
        EACH(call->in, it) guard(it);
        for (int i = 0; i < 6 && call->in[i] != NULL; i++) {
            struct buffer *input = call->in[i];
            const length bytes = input->bytes;
            output->now = input->now = input->twin;
            make_call(call);
            if (memcmp(input->twin, output->at, output->bytes) != 0)
                fail(call->name, "cannot put out where an input stands");
            output->now = output->at;
            input->now = input->at;
            memcpy(input->twin, input->at, bytes);
        }
    }
}

/* Runs all tests of a call, once its inputs are ready. */
static void hold(struct call *call) {
    perform(call);
    if (call->rules & REPEATS) repeat(call);
    if (call->rules & OVERLAPS) overlap(call);
}

static void try_call(struct call *call) {
    prepare(call);
    hold(call);
}

/* Fails unless `found` has the contents of `expected`. */
__attribute__((unused)) static void expect_same(const struct buffer *found,
                                                const struct buffer *expected,
                                                const char *function, const char *otherwise) {
    if (found->bytes != expected->bytes || memcmp(found->at, expected->at, found->bytes) != 0)
        fail(function, otherwise);
}

/* Changes one byte at a random position; the difference is drawn first. */
__attribute__((unused)) static void damage(struct buffer *buffer) {
    const byte by = (byte)(1 + number(254));
    buffer->at[number(buffer->bytes - 1)] += by;
}

/* The operation defines these: its buffers, each with room for `most` bytes, and one turn of its
 * tests. */
static void allocate(length most);
static void test(length most);

/* Allocates these buffers. An output is also put where an input stands, so each has room for `most`
 * bytes with `beside` further ones, and for those of all whose length is fixed. */
#define BUFFERS(beside, ...)                                                                     \
    static void allocate(length most) {                                                          \
        struct buffer *all[] = {__VA_ARGS__};                                                    \
        length bytes = most + (beside);                                                          \
        EACH(all, it) bytes += it->bytes;                                                        \
        EACH(all, it) make_room(it, bytes, 1);                                                   \
    }

/* How many tests SUPERCOP makes of this operation and how long their inputs are, which a
 * primitive may change. */
#define SMALL
#define LOOPS SMALL_LOOPS
#define MAXTEST_BYTES 128
#include "test-loops.inc"
static length small_loops(void) { return LOOPS; }
#undef SMALL
#undef LOOPS
#define LOOPS BIG_LOOPS
#undef MAXTEST_BYTES
#define MAXTEST_BYTES BIG_BYTES
#include "test-loops.inc"
static length big_loops(void) { return LOOPS; }
#undef LOOPS
#undef MAXTEST_BYTES

/* Writes the checksum in hexadecimal to `text` and returns 0; or writes why there is
 * none, and returns 1. */
__attribute__((visibility("default"))) int cpb_check(int is_big, char *text, uint64_t room) {
    memset(sum, 0, sizeof sum);
    memset(test_bytes.nonce, 0, sizeof test_bytes.nonce);
    memset(beside_bytes.nonce, 0, sizeof beside_bytes.nonce);
    cpb_start_over();
    buffer_count = 0;
    if (setjmp(cpb_failed) != 0) {
        snprintf(text, room, "%s", cpb_reason);
        return 1;
    }
    const length most = is_big ? BIG_BYTES : 128;
    allocate(most);
    for (length turns = is_big ? big_loops() : small_loops(); turns != 0; turns--) {
        for (int i = 0; i < buffer_count; i++) buffers[i]->is_filled = 0;
        test(most);
    }
    for (int i = 0; i < 32 && 2 * i + 3 <= (int)room; i++) snprintf(text + 2 * i, 3, "%02x", sum[i]);
    return 0;
}

#endif
