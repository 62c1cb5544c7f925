/* cpb_provider.h: how an implementation offers itself to cpb.
 *
 * A provider is a shared library that exports one function,
 *
 *     const cpb_provider *cpb_provider_v2(void);
 *
 * and is measured with `cpb run --library mine=./libmine.so`. It may be written in any
 * language with C calling conventions. cpb loads it into a process of its own and calls it
 * from one thread only. The exception is `cpb scale`: there several threads call `run`,
 * `output` and `release` at once, each with calls that it prepared itself; `prepare` is
 * never called by two threads at once. Lengths are in bytes.
 *
 * This file is in the public domain (CC0); copy it into your project.
 */
#ifndef CPB_PROVIDER_H
#define CPB_PROVIDER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. cpb rejects a provider of another version. */
#define CPB_PROVIDER_ABI 2u

/* The role of a buffer. */
enum cpb_role {
    CPB_MESSAGE = 1, /* what is hashed, encrypted, signed or encoded */
    CPB_KEY,
    CPB_PASSWORD,    /* the secret input of a derivation, also if it is key material */
    CPB_NONCE,       /* a nonce or initial value */
    CPB_SALT,
    CPB_INFO,
    CPB_AAD,         /* associated data */
    CPB_PUBLIC_KEY,  /* from here to CPB_SHARED_SECRET: encoded as METHODOLOGY.md says */
    CPB_SECRET_KEY,
    CPB_SIGNATURE,
    CPB_CIPHERTEXT,
    CPB_SHARED_SECRET,
    CPB_TAG,
    CPB_DIGEST,
    CPB_TEXT,        /* the encoding of a message as characters */
    CPB_RANDOMNESS,  /* empty if the library draws its own */
    CPB_OUTPUT,      /* the output of an XOF or a derivation */
    CPB_INPUT        /* an input of fixed length without a role of its own */
};

/* What is done with a primitive: its inputs and its outputs. */
enum cpb_operation {
    CPB_HASH = 1,    /* message: digest */
    CPB_XOF = 2,     /* message: output */
    CPB_MAC = 3,     /* key, nonce, message: tag */
    CPB_ENCRYPT = 4, /* key, nonce, message: ciphertext of the same length */
    CPB_DECRYPT = 5, /* key, nonce, ciphertext: message */
    CPB_SEAL = 6,    /* key, nonce, aad, message: ciphertext, tag */
    CPB_OPEN = 7,    /* key, nonce, aad, ciphertext, tag: message, tag compared */
    CPB_AUTH = 8,    /* key, nonce, aad: tag of an empty plaintext */
    CPB_DERIVE = 9,  /* password, salt, info: output */
    CPB_ENCODE = 11, /* message: text */
    CPB_DECODE = 12, /* text: message */
    CPB_KEYGEN = 13, /* randomness: public key, secret key */
    CPB_PUBLIC_KEY_OF = 14, /* secret key: its public key */
    CPB_AGREE = 15,  /* peer's public key, own secret key: shared secret */
    CPB_SIGN = 16,   /* secret key, message, randomness: signature */
    CPB_VERIFY = 17, /* public key, message, signature: nothing; output fails if it is invalid */
    CPB_ENCAPSULATE = 18, /* public key, randomness: ciphertext, shared secret */
    CPB_DECAPSULATE = 19, /* secret key, ciphertext: shared secret */
    CPB_PUBLIC_ENCRYPT = 20, /* public key, shared secret: ciphertext */
    CPB_PRIVATE_DECRYPT = 21, /* secret key, ciphertext: shared secret */
    CPB_COMPARE = 22, /* input: one byte of output, 0 if a copy of the input equals it */
    CPB_SORT = 23,    /* message of integers of granularity bytes: the same in ascending order */
    CPB_CORE = 24,    /* input, key followed by a constant: output */
    CPB_ENCODE_ITEMS = 25, /* input (integers): output (a string) */
    CPB_DECODE_ITEMS = 26, /* input (a string): output (integers) */
    CPB_RNG = 27,     /* key: output followed by the next key */
    CPB_RANDOM = 28   /* nothing: unpredictable output */
};

/* What one call includes. A provider may refuse contracts that it does not support. */
enum cpb_contract {
    CPB_KEYED = 1,   /* key schedule in prepare; nonce, tag, finalisation in the call */
    CPB_ONESHOT = 2, /* the call also creates the context and sets its key */
    CPB_COLD = CPB_ONESHOT, /* an older name */
    CPB_COMPAT = 3   /* what bench-slopes times for the row */
};

/* The lengths of one role that an implementation supports: from `least` to `most`, and
 * `usual` where none is requested. All three are equal if the length is fixed. cpb never
 * requests more than 1 GiB, which CPB_ANY stands for. */
typedef struct cpb_length {
    uint32_t role;      /* enum cpb_role */
    uint32_t reserved;  /* 0 */
    uint64_t least;
    uint64_t usual;
    uint64_t most;
} cpb_length;

#define CPB_ANY (UINT64_C(1) << 30)

/* One implementation. Everything that it points to must stay valid while the provider is
 * loaded.
 *
 * `lengths` names each role at most once. A role that is not named has no bytes. There are
 * two exceptions: the role that gives a workload its length (message, ciphertext, text, and
 * the aad of CPB_AUTH), which may be any multiple of `granularity`, and roles whose length
 * follows from it. Digest, tag and output must be named where they are outputs, and so must
 * all inputs and outputs of CPB_KEYGEN and the operations after it. */
typedef struct cpb_implementation {
    const char *primitive;     /* canonical name, such as "aes-128-gcm" */
    const char *spelling;      /* the library's own name; unique with operation and backend */
    const char *backend;       /* the code path; "default" if the library has only one */
    uint32_t operation;        /* enum cpb_operation */
    uint32_t is_default;       /* 1 if the library uses it by default, else 0 */
    const cpb_length *lengths;
    uint64_t length_count;
    uint32_t granularity;      /* message lengths are multiples of this; at least 1 */
    uint32_t block_bytes;      /* step in bytes in which the cost rises; 0 if unknown */
    const char *row_group;     /* row of bench-slopes: "hash", "mac", "cipher", "kdf"; or NULL */
    const char *row_algorithm; /* "AES-128" */
    const char *row_mode;      /* "CBC enc"; "" if there is none */
} cpb_implementation;

/* A buffer; if it is empty, the pointer may be null. */
typedef struct cpb_buffer {
    uint32_t role;      /* enum cpb_role */
    uint32_t reserved;  /* 0 */
    uint8_t *bytes;
    uint64_t length;
} cpb_buffer;

/* The inputs of one call, by role, and room for its outputs. The outputs lie one behind the
 * other, so that a ciphertext can be written with its tag behind it. */
typedef struct cpb_case {
    const cpb_buffer *inputs;
    uint64_t input_count;
    const cpb_buffer *outputs;
    uint64_t output_count;
} cpb_case;

/* What to prepare. All memory belongs to cpb, does not move until release, and may be read
 * and written.
 *
 * An operation that undoes another one gets the output of that one: for CPB_DECRYPT,
 * CPB_OPEN and CPB_DECODE, cpb first runs CPB_ENCRYPT, CPB_SEAL or CPB_ENCODE of the same
 * primitive, spelling and backend. Only under CPB_COMPAT is the input arbitrary, and the tag
 * empty. The public keys, signatures and ciphertexts that are inputs of CPB_AGREE and the
 * operations after it are made in the same way, for every case. */
typedef struct cpb_workload {
    uint32_t contract;     /* enum cpb_contract */
    uint32_t reserved;     /* 0 */
    uint64_t iterations;   /* under CPB_DERIVE, if the primitive has iterations; else 1 */
    const cpb_case *cases; /* calls use them in turn: the first, the second, ... */
    uint64_t case_count;   /* at most 64 from CPB_KEYGEN on, where prepare processes the keys
                            * of every case; else 1 */
} cpb_workload;

typedef struct cpb_provider {
    uint32_t abi;             /* CPB_PROVIDER_ABI */
    uint32_t reserved;        /* 0 */
    const char *name;         /* "botan" */
    const char *version;      /* "2.19.3", as the library states it */

    /* Returns the code path that the library takes on this machine, in its own words. The
     * function may be a null pointer, and may return one. */
    const char *(*code_path)(void);

    /* Return the number of implementations, and the one with this index. */
    uint64_t (*count)(void);
    const cpb_implementation *(*implementation)(uint64_t index);

    /* Prepares a call: contexts and, under CPB_KEYED, keys are set up. Returns 0 and the
     * call in *call; or 1, with the reason in `reason` as text of at most reason_bytes - 1
     * bytes and a terminating zero. */
    int (*prepare)(uint64_t index, const cpb_workload *workload, void **call,
                   char *reason, uint64_t reason_bytes);

    /* Makes the call this many times. It must never print and never exit. */
    void (*run)(void *call, uint64_t calls);

    /* Returns the outputs of the last call: `outputs` has the roles of its case, in their
     * order; the provider sets the address and length of each. An output whose length
     * differs from the one this implementation states (under CPB_COMPAT: is longer), or
     * whose address is null, is a wrong answer. cpb copies the bytes before the next call.
     * Returns 0; or 1 with the reason, such as a tag that did not verify. */
    int (*output)(void *call, cpb_buffer *outputs, uint64_t count,
                  char *reason, uint64_t reason_bytes);

    /* Releases the call. */
    void (*release)(void *call);
} cpb_provider;

const cpb_provider *cpb_provider_v2(void);

/* Defines a whole provider of one hash, in C (from C99) or C++ (from C++11). Use it in one
 * file:
 *
 *     CPB_PROVIDE_HASH("mine", "1.0", "sha256", 32, my_sha256)
 *
 * where my_sha256 writes the 32 bytes of the digest:
 *
 *     void my_sha256(const uint8_t *message, uint64_t bytes, uint8_t *digest);
 *
 * Any function that can be called this way can be measured, in whichever language it is
 * written. Keys, nonces and several primitives need the functions above; sample_provider.c
 * shows them. */
#define CPB_PROVIDE_HASH(LIBRARY, VERSION, PRIMITIVE, DIGEST_BYTES, FUNCTION)                  \
    static uint64_t cpb_hash_count(void) { return 1; }                                         \
    static const cpb_implementation *cpb_hash_implementation(uint64_t index)                   \
    {                                                                                          \
        static const cpb_length digest = {                                                     \
            CPB_DIGEST, 0, (DIGEST_BYTES), (DIGEST_BYTES), (DIGEST_BYTES)};                    \
        static const cpb_implementation hash = {                                               \
            PRIMITIVE, PRIMITIVE, "default", CPB_HASH, 1, &digest, 1, 1, 0, 0, 0, 0};          \
        return index == 0 ? &hash : 0;                                                         \
    }                                                                                          \
    static int cpb_hash_prepare(uint64_t index, const cpb_workload *workload, void **call,     \
                                char *reason, uint64_t reason_bytes)                           \
    {                                                                                          \
        (void)index, (void)reason, (void)reason_bytes;                                         \
        /* The case stays where it is until release, and is all that a call needs. */          \
        *call = (void *)(uintptr_t)workload->cases;                                            \
        return 0;                                                                              \
    }                                                                                          \
    static void cpb_hash_run(void *call, uint64_t calls)                                       \
    {                                                                                          \
        const cpb_case *given = (const cpb_case *)call;                                        \
        for (; calls != 0; --calls) {                                                          \
            FUNCTION(given->inputs[0].bytes, given->inputs[0].length, given->outputs[0].bytes); \
            CPB_EVERY_CALL_COUNTS;                                                             \
        }                                                                                      \
    }                                                                                          \
    static int cpb_hash_output(void *call, cpb_buffer *outputs, uint64_t count, char *reason,  \
                               uint64_t reason_bytes)                                          \
    {                                                                                          \
        (void)count, (void)reason, (void)reason_bytes;                                         \
        outputs[0] = ((const cpb_case *)call)->outputs[0];                                     \
        return 0;                                                                              \
    }                                                                                          \
    static void cpb_hash_release(void *call) { (void)call; }                                   \
    CPB_EXPORT const cpb_provider *cpb_provider_v2(void)                                       \
    {                                                                                          \
        static const cpb_provider provider = {                                                 \
            CPB_PROVIDER_ABI, 0, LIBRARY, VERSION, 0, cpb_hash_count, cpb_hash_implementation, \
            cpb_hash_prepare, cpb_hash_run, cpb_hash_output, cpb_hash_release};                \
        return &provider;                                                                      \
    }

#if defined(__GNUC__)
/* Exports the function even if the project hides symbols by default. */
#define CPB_EXPORT __attribute__((visibility("default")))
/* Keeps the compiler, which sees the same input again, from merging the calls into one. */
#define CPB_EVERY_CALL_COUNTS __asm__ volatile("" ::: "memory")
#else
#define CPB_EXPORT
#define CPB_EVERY_CALL_COUNTS ((void)0)
#endif

#ifdef __cplusplus
}
#endif

#endif
