/* A provider of all operations with key pairs, by exclusive or of 32 bytes, which
 * anybody could forge. The operation with the number in SHORT returns one byte too
 * few. */
#include "cpb_provider.h"
#include <stdlib.h>
#include <string.h>

#define BYTES 32
#define OF(role) {role, 0, BYTES, BYTES, BYTES}

static const cpb_length lengths[][3] = {
    {OF(CPB_PUBLIC_KEY), OF(CPB_SECRET_KEY)},                      /* keygen */
    {OF(CPB_SECRET_KEY), OF(CPB_PUBLIC_KEY)},                      /* public-key */
    {OF(CPB_PUBLIC_KEY), OF(CPB_SECRET_KEY), OF(CPB_SHARED_SECRET)}, /* agree */
    {OF(CPB_SECRET_KEY), OF(CPB_SIGNATURE)},                       /* sign */
    {OF(CPB_PUBLIC_KEY), OF(CPB_SIGNATURE)},                       /* verify */
    {OF(CPB_PUBLIC_KEY), OF(CPB_CIPHERTEXT), OF(CPB_SHARED_SECRET)}, /* encapsulate */
    {OF(CPB_SECRET_KEY), OF(CPB_CIPHERTEXT), OF(CPB_SHARED_SECRET)}, /* decapsulate */
    {OF(CPB_PUBLIC_KEY), OF(CPB_SHARED_SECRET), OF(CPB_CIPHERTEXT)}, /* public-encrypt */
    {OF(CPB_SECRET_KEY), OF(CPB_CIPHERTEXT), OF(CPB_SHARED_SECRET)}, /* private-decrypt */
};
#define OPERATIONS (sizeof lengths / sizeof *lengths)
static cpb_implementation offers[OPERATIONS];

static uint64_t count(void) { return OPERATIONS; }

static const cpb_implementation *implementation(uint64_t index) {
    const uint32_t operation = CPB_KEYGEN + (uint32_t)index;
    const int has_two = operation == CPB_KEYGEN || operation == CPB_PUBLIC_KEY_OF ||
                        operation == CPB_SIGN || operation == CPB_VERIFY;
    const cpb_implementation it = {
        "exclusive-or", "exclusive-or", "default", operation, 1, lengths[index], has_two ? 2 : 3,
        1, 0, NULL, NULL, NULL,
    };
    offers[index] = it;
    return &offers[index];
}

struct call {
    const cpb_case *cases;
    uint64_t case_count, next;
    const cpb_case *last;
    uint32_t operation;
    int refuses;
};

static int prepare(uint64_t index, const cpb_workload *workload, void **handle, char *reason,
                   uint64_t reason_bytes) {
    struct call *call = calloc(1, sizeof *call);
    (void)reason;
    (void)reason_bytes;
    if (call == NULL) return 1;
    call->cases = workload->cases;
    call->case_count = workload->case_count;
    call->operation = CPB_KEYGEN + (uint32_t)index;
    *handle = call;
    return 0;
}

static uint8_t *bytes_of(const cpb_buffer *buffers, uint64_t count, uint32_t role) {
    for (uint64_t i = 0; i < count; i++)
        if (buffers[i].role == role && buffers[i].length >= BYTES) return buffers[i].bytes;
    return NULL;
}

static void combine(uint8_t *to, const uint8_t *one, const uint8_t *other) {
    for (int i = 0; to != NULL && one != NULL && i < BYTES; i++)
        to[i] = one[i] ^ (other != NULL ? other[i] : 0);
}

static void one_call(struct call *call, const cpb_case *it) {
    uint8_t made[BYTES];
#define IN(role) bytes_of(it->inputs, it->input_count, role)
#define OUT(role) bytes_of(it->outputs, it->output_count, role)
    for (int i = 0; i < BYTES; i++) made[i] = (uint8_t)(call->next * 7 + i);
    switch (call->operation) {
    case CPB_KEYGEN:
        combine(OUT(CPB_PUBLIC_KEY), made, NULL);
        combine(OUT(CPB_SECRET_KEY), made, NULL);
        break;
    case CPB_PUBLIC_KEY_OF: combine(OUT(CPB_PUBLIC_KEY), IN(CPB_SECRET_KEY), NULL); break;
    case CPB_AGREE:
        combine(OUT(CPB_SHARED_SECRET), IN(CPB_SECRET_KEY), IN(CPB_PUBLIC_KEY));
        break;
    case CPB_SIGN: combine(OUT(CPB_SIGNATURE), IN(CPB_SECRET_KEY), IN(CPB_MESSAGE)); break;
    case CPB_VERIFY:
        combine(made, IN(CPB_PUBLIC_KEY), IN(CPB_MESSAGE));
        call->refuses |= memcmp(made, IN(CPB_SIGNATURE), BYTES) != 0;
        break;
    case CPB_ENCAPSULATE:
        combine(OUT(CPB_SHARED_SECRET), made, NULL);
        combine(OUT(CPB_CIPHERTEXT), made, IN(CPB_PUBLIC_KEY));
        break;
    case CPB_PUBLIC_ENCRYPT:
        combine(OUT(CPB_CIPHERTEXT), IN(CPB_SHARED_SECRET), IN(CPB_PUBLIC_KEY));
        break;
    default: /* CPB_DECAPSULATE, CPB_PRIVATE_DECRYPT */
        combine(OUT(CPB_SHARED_SECRET), IN(CPB_SECRET_KEY), IN(CPB_CIPHERTEXT));
    }
}

static void run(void *handle, uint64_t calls) {
    struct call *call = handle;
    for (; calls != 0; calls--) {
        call->last = &call->cases[call->next];
        one_call(call, call->last);
        call->next = call->next + 1 == call->case_count ? 0 : call->next + 1;
    }
}

static int output(void *handle, cpb_buffer *outputs, uint64_t count, char *reason,
                  uint64_t reason_bytes) {
    const struct call *call = handle;
    const char *is_short = getenv("SHORT");
    if (call->refuses) {
        strncpy(reason, "no such signature", reason_bytes - 1);
        return 1;
    }
    for (uint64_t i = 0; i < count; i++) outputs[i] = call->last->outputs[i];
    if (is_short != NULL && strtoul(is_short, NULL, 10) == call->operation && count != 0)
        outputs[count - 1].length--;
    return 0;
}

static void release(void *handle) { free(handle); }

static const cpb_provider provider = {
    CPB_PROVIDER_ABI, 0, "key pairs", "1", NULL, count, implementation,
    prepare, run, output, release,
};

const cpb_provider *cpb_provider_v2(void) { return &provider; }
