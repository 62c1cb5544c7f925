/* symmetric.h: what our shims share. Every symmetric operation has one case with the
 * same few inputs, which this names. For C and C++. */
#ifndef CPB_SYMMETRIC_H
#define CPB_SYMMETRIC_H

#include "cpb_provider.h"

#include <string.h>

/* A workload of one case. Inputs with the same purpose share a field: a password is
 * the key, a salt the nonce, an info the associated data; and a ciphertext, a text,
 * or the associated data of CPB_AUTH is the message. */
struct cpb_symmetric {
    uint32_t contract;
    uint8_t *message;
    uint64_t message_bytes;
    const uint8_t *key;
    uint64_t key_bytes;
    const uint8_t *nonce;
    uint64_t nonce_bytes;
    const uint8_t *aad;
    uint64_t aad_bytes;
    const uint8_t *tag; /* the tag of a ciphertext to open */
    uint64_t tag_bytes;
    uint8_t *destination; /* room for all outputs */
    uint64_t output_bytes;
    uint64_t iterations;
};

static inline void cpb_symmetric_take(struct cpb_symmetric *it, uint32_t operation,
                                      const cpb_buffer *input) {
#define CPB_TAKE(field) it->field = input->bytes, it->field##_bytes = input->length
    const uint32_t role = input->role;
    if (role == CPB_KEY || role == CPB_PASSWORD)
        CPB_TAKE(key);
    else if (role == CPB_NONCE || role == CPB_SALT)
        CPB_TAKE(nonce);
    else if (role == CPB_TAG)
        CPB_TAKE(tag);
    else if ((role == CPB_INFO || role == CPB_AAD) && operation != CPB_AUTH)
        CPB_TAKE(aad);
    else
        CPB_TAKE(message);
#undef CPB_TAKE
}

/* Returns 0; or 1 if the workload does not have exactly one case. */
static inline int cpb_symmetric_of(struct cpb_symmetric *it, uint32_t operation,
                                   const cpb_workload *workload) {
    memset(it, 0, sizeof *it);
    if (workload->case_count != 1) return 1;
    it->contract = workload->contract;
    it->iterations = workload->iterations;
    const cpb_case *only = workload->cases;
    for (uint64_t i = 0; i < only->input_count; ++i)
        cpb_symmetric_take(it, operation, &only->inputs[i]);
    for (uint64_t i = 0; i < only->output_count; ++i) it->output_bytes += only->outputs[i].length;
    if (only->output_count != 0) it->destination = only->outputs[0].bytes;
    return 0;
}

/* Distributes `length` bytes from `bytes` on over the outputs: each takes as many as its
 * case has room for, the last one the rest. */
static inline void cpb_symmetric_share(const cpb_workload *workload, const uint8_t *bytes,
                                       uint64_t length, cpb_buffer *outputs, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
        uint64_t room = workload->cases->outputs[i].length;
        outputs[i].bytes = (uint8_t *)bytes;
        outputs[i].length = i + 1 == count || room > length ? length : room;
        bytes += bytes ? outputs[i].length : 0;
        length -= outputs[i].length;
    }
}

/* The lengths of an implementation. */
struct cpb_symmetric_lengths {
    cpb_length all[5];
    uint64_t count;
};

static inline void cpb_symmetric_length(struct cpb_symmetric_lengths *lengths, uint32_t role,
                                        uint64_t least, uint64_t usual, uint64_t most) {
    cpb_length length = {role, 0, least, usual, most};
    if (most != 0) lengths->all[lengths->count++] = length;
}

/* Returns the lengths that are usual for the operation: an HMAC takes a key of any
 * length; a derivation takes a password and a salt, and an info unless it is a
 * password-based one; sealing and opening take associated data. `key`, `nonce` and
 * `output` (a digest or tag) are the usual lengths, or 0. */
static inline struct cpb_symmetric_lengths cpb_symmetric_usual(uint32_t operation,
                                                               const char *primitive,
                                                               uint64_t key, uint64_t nonce,
                                                               uint64_t output) {
    static const char *const of_passwords[] = {"pbkdf2-", "bcrypt-", "scrypt-", "argon2"};
    struct cpb_symmetric_lengths lengths;
    int has_info = 1;
    uint64_t i;
    memset(&lengths, 0, sizeof lengths);
    switch (operation) {
    case CPB_HASH:
        cpb_symmetric_length(&lengths, CPB_DIGEST, output, output, output);
        break;
    case CPB_XOF:
        cpb_symmetric_length(&lengths, CPB_OUTPUT, 0, 32, CPB_ANY);
        break;
    case CPB_DERIVE:
        for (i = 0; i < sizeof of_passwords / sizeof *of_passwords; ++i)
            if (strncmp(primitive, of_passwords[i], strlen(of_passwords[i])) == 0) has_info = 0;
        cpb_symmetric_length(&lengths, CPB_PASSWORD, 0, key, CPB_ANY);
        cpb_symmetric_length(&lengths, CPB_SALT, 0, nonce, CPB_ANY);
        if (has_info) cpb_symmetric_length(&lengths, CPB_INFO, 0, 0, CPB_ANY);
        cpb_symmetric_length(&lengths, CPB_OUTPUT, 0, 32, CPB_ANY);
        break;
    default:
        if (operation == CPB_MAC && strncmp(primitive, "hmac-", 5) == 0)
            cpb_symmetric_length(&lengths, CPB_KEY, 0, key, CPB_ANY);
        else
            cpb_symmetric_length(&lengths, CPB_KEY, key, key, key);
        cpb_symmetric_length(&lengths, CPB_NONCE, nonce, nonce, nonce);
        if (operation == CPB_SEAL || operation == CPB_OPEN)
            cpb_symmetric_length(&lengths, CPB_AAD, 0, 0, CPB_ANY);
        cpb_symmetric_length(&lengths, CPB_TAG, output, output, output);
    }
    return lengths;
}

#endif
