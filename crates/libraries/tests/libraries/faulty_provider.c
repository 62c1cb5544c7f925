/* The sample provider with a fault, which a macro selects; without a macro it is
 * correct. */
#define cpb_provider_v2 whole_provider
#include "../../../../shims/sample_provider.c"
#undef cpb_provider_v2

#ifndef FAULT_ABI
#define FAULT_ABI CPB_PROVIDER_ABI
#endif
#ifndef FAULT_REFUSAL
#define FAULT_REFUSAL NULL
#endif
#ifndef FAULT_FAILURE
#define FAULT_FAILURE NULL
#endif
#ifndef FAULT_PROVIDER
#define FAULT_PROVIDER &faulty
#endif
#ifndef FAULT_RUN
#define FAULT_RUN run
#endif
#ifndef FAULT_OUTPUT
#define FAULT_OUTPUT outputs[0].bytes
#endif
#ifndef FAULT_LENGTH
#define FAULT_LENGTH outputs[0].length
#endif
#ifndef FAULT_DIGEST_BYTES
#define FAULT_DIGEST_BYTES 8
#endif
#ifndef FAULT_KEY_BYTES
#define FAULT_KEY_BYTES 16
#endif
#ifndef FAULT_NONCE_BYTES
#define FAULT_NONCE_BYTES 8
#endif
#ifndef FAULT_STREAM
#define FAULT_STREAM "sample-stream"
#endif

static uint64_t faulty_bytes(const cpb_length *length) {
    switch (length->role) {
    case CPB_DIGEST:
        return FAULT_DIGEST_BYTES;
    case CPB_KEY:
        return FAULT_KEY_BYTES;
    default:
        return FAULT_NONCE_BYTES;
    }
}

static const cpb_implementation *faulty_implementation(uint64_t index) {
    static cpb_implementation changed[3];
    static cpb_length lengths[3][2];
    if (index >= count()) return NULL;
    changed[index] = implementations[index];
    for (uint64_t i = 0; i < changed[index].length_count; ++i) {
        cpb_length *length = &lengths[index][i];
        *length = implementations[index].lengths[i];
        length->least = length->usual = length->most = faulty_bytes(length);
    }
    changed[index].lengths = lengths[index];
    if (changed[index].operation != CPB_HASH) changed[index].primitive = FAULT_STREAM;
    return &changed[index];
}

static int faulty_prepare(uint64_t index, const cpb_workload *workload, void **prepared,
                          char *reason, uint64_t reason_bytes) {
    const char *refusal = FAULT_REFUSAL;
    if (refusal) return refuse(refusal, reason, reason_bytes);
    return prepare(index, workload, prepared, reason, reason_bytes);
}

static int faulty_output(void *prepared, cpb_buffer *outputs, uint64_t count, char *reason,
                         uint64_t reason_bytes) {
    const char *failure = FAULT_FAILURE;
    if (failure) return refuse(failure, reason, reason_bytes);
    const int status = output(prepared, outputs, count, reason, reason_bytes);
    outputs[0].bytes = FAULT_OUTPUT;
    outputs[0].length = FAULT_LENGTH;
    return status;
}

static const cpb_provider faulty = {
    .abi = FAULT_ABI,
    .name = "sample",
    .version = "1.0",
    .count = count,
    .implementation = faulty_implementation,
    .prepare = faulty_prepare,
    .run = FAULT_RUN,
    .output = faulty_output,
    .release = release,
};

const cpb_provider *cpb_provider_v2(void) { return FAULT_PROVIDER; }
