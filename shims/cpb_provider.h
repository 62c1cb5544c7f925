/* cpb_provider.h: how an implementation offers itself to cpb.
 *
 * A provider is a shared library that exports one function,
 *
 *     const cpb_provider *cpb_provider_v1(void);
 *
 * and is measured with `cpb run --library mine=./libmine.so`. It may be written
 * in any language with C calling conventions. cpb loads it into a process of
 * its own, which it calls from one thread only. Lengths are in bytes.
 *
 * This file is in the public domain (CC0); copy it into your project.
 */
#ifndef CPB_PROVIDER_H
#define CPB_PROVIDER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. A provider of another version is refused. */
#define CPB_PROVIDER_ABI 1u

/* What is done with a primitive. */
enum cpb_operation {
    CPB_HASH = 1,    /* message to digest */
    CPB_XOF = 2,     /* message to output_bytes of output */
    CPB_MAC = 3,     /* key and message to tag */
    CPB_ENCRYPT = 4, /* plaintext to ciphertext of the same length, no tag */
    CPB_DECRYPT = 5, /* the reverse */
    CPB_SEAL = 6,    /* plaintext and aad to ciphertext and tag */
    CPB_OPEN = 7,    /* the reverse, tag compared */
    CPB_AUTH = 8,    /* the message is the associated data of an empty plaintext; to tag */
    CPB_DERIVE = 9,  /* key (password), nonce (salt) and aad (info) to output_bytes */
    CPB_ENCODE = 11, /* bytes to text */
    CPB_DECODE = 12  /* text to bytes; the message is the text, output_bytes the bytes */
};

/* What one call does. A provider may refuse those it does not have. */
enum cpb_contract {
    CPB_KEYED = 1, /* key schedule in prepare; nonce, tag, finalisation in the call */
    CPB_COLD = 2,  /* making and keying the context in the call, too */
    CPB_COMPAT = 3 /* what bench-slopes times for the row */
};

/* One implementation. Strings stay valid as long as the provider is loaded.
 *
 * A workload has the lengths stated here, none above 1 GiB. Others are asked for only
 * where a primitive has a choice: of key and nonce (password and salt) under
 * CPB_DERIVE, of the key of a MAC whose canonical name begins with "hmac-", of the
 * output under CPB_XOF and CPB_DERIVE where output_bytes is 0, and of the aad under
 * CPB_SEAL, CPB_OPEN and CPB_DERIVE (not pbkdf2-, bcrypt-, scrypt- and argon2, which
 * have no info). What is not supported of these, `prepare` refuses with a reason. */
typedef struct cpb_implementation {
    const char *primitive;     /* canonical name, such as "aes-128-gcm" */
    const char *spelling;      /* the library's own name; unique with operation and backend */
    const char *backend;       /* which of its code paths; "default" where it has one only */
    uint32_t operation;        /* enum cpb_operation */
    uint32_t is_default;       /* 1: what the library uses when not told otherwise */
    uint32_t key_bytes;        /* 0 without a key; of a password under CPB_DERIVE */
    uint32_t nonce_bytes;      /* 0 without one; of a salt under CPB_DERIVE */
    uint32_t tag_bytes;        /* 0 without one */
    uint32_t granularity;      /* messages are a multiple of this; at least 1 */
    uint32_t block_bytes;      /* steps in which the cost rises; 0 if not known */
    uint32_t output_bytes;     /* of digest or tag where fixed, else 0 */
    const char *row_group;     /* row of bench-slopes: "hash", "mac", "cipher", "kdf"; or NULL */
    const char *row_algorithm; /* "AES-128" */
    const char *row_mode;      /* "CBC enc"; "" where there is none */
} cpb_implementation;

/* What to prepare. All memory is cpb's, stays where it is until release, and
 * may be read and written. */
typedef struct cpb_workload {
    uint32_t contract;        /* enum cpb_contract */
    uint32_t reserved;        /* 0 */
    uint8_t *message;         /* the plaintext or message */
    uint64_t message_bytes;
    uint8_t *destination;     /* message_bytes + tag_bytes, or output_bytes, if that is more */
    uint64_t destination_bytes;
    const uint8_t *key;
    uint64_t key_bytes;
    const uint8_t *nonce;
    uint64_t nonce_bytes;
    const uint8_t *aad;
    uint64_t aad_bytes;
    uint64_t iterations;      /* under CPB_DERIVE */
    uint64_t output_bytes;    /* wanted under CPB_XOF and CPB_DERIVE, due under codecs */
} cpb_workload;

typedef struct cpb_provider {
    uint32_t abi;             /* CPB_PROVIDER_ABI */
    uint32_t reserved;        /* 0 */
    const char *name;         /* "botan" */
    const char *version;      /* "2.19.3", as the library states it */

    /* Which code path the library takes on this machine, in its own words;
     * may be a null pointer, and may return one. */
    const char *(*code_path)(void);

    /* How many implementations there are, and the one with this index. */
    uint64_t (*count)(void);
    const cpb_implementation *(*implementation)(uint64_t index);

    /* Makes a call ready: contexts and, under CPB_KEYED, keys are in place.
     * Under CPB_DECRYPT and CPB_OPEN (keyed and cold), prepare first encrypts
     * `message`, so that calls decrypt valid ciphertext. Returns 0 and the call
     * in *call; or 1, with the reason as text of at most reason_bytes - 1 bytes
     * and a zero in reason. */
    int (*prepare)(uint64_t index, const cpb_workload *workload, void **call,
                   char *reason, uint64_t reason_bytes);

    /* Makes the call this many times. Never prints, never exits. */
    void (*run)(void *call, uint64_t calls);

    /* What the last call put out: digest, tag, ciphertext followed by tag,
     * plaintext, or derived key. Length and pointer are checked: an output that is
     * not as long as this implementation states (under CPB_COMPAT: longer) or stands
     * at a null pointer is a wrong answer. The bytes are copied before the next call.
     * Returns 0; or 1 with the reason, such as a tag that did not verify. */
    int (*output)(void *call, const uint8_t **bytes, uint64_t *length,
                  char *reason, uint64_t reason_bytes);

    /* Releases the call. */
    void (*release)(void *call);
} cpb_provider;

const cpb_provider *cpb_provider_v1(void);

#ifdef __cplusplus
}
#endif

#endif
