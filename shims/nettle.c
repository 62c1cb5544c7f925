/* Nettle as a provider of cpb_provider.h.
 *
 * The library has no objects of its own: it exports functions and lists of
 * descriptors, and leaves the memory for contexts to its caller. So what the
 * contract oneshot adds to keyed is the key schedule.
 *
 * The library that is loaded may be older than these headers. All of one soname
 * have what 3.6 has, the first with it; what came later is referred to weakly,
 * and offered where it is there.
 */
#define _GNU_SOURCE
#include <nettle/version.h>
#if NETTLE_VERSION_MAJOR != 3 || NETTLE_VERSION_MINOR < 6
#error "cpb knows Nettle 3.6 and what follows it before 4, and these are other headers"
#endif
#define SINCE(minor) (NETTLE_VERSION_MINOR >= minor)

#include "symmetric.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nettle/arcfour.h>
#include <nettle/blowfish.h>
#include <nettle/cbc.h>
#include <nettle/ccm.h>
#include <nettle/cfb.h>
#include <nettle/chacha-poly1305.h>
#include <nettle/chacha.h>
#include <nettle/cmac.h>
#include <nettle/ctr.h>
#include <nettle/des.h>
#include <nettle/eax.h>
#include <nettle/gcm.h>
#include <nettle/hkdf.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <nettle/nettle-meta.h>
#include <nettle/pbkdf2.h>
#include <nettle/poly1305.h>
#include <nettle/salsa20.h>
#include <nettle/sha3.h>
#include <nettle/siv-cmac.h>
#include <nettle/umac.h>
#include <nettle/xts.h>

#if SINCE(7)
#pragma weak nettle_hmac_streebog256_set_key
#pragma weak nettle_hmac_streebog512_set_key
#endif
#if SINCE(8)
#pragma weak nettle_cbc_aes128_encrypt
#pragma weak nettle_cbc_aes192_encrypt
#pragma weak nettle_cbc_aes256_encrypt
#pragma weak nettle_hmac_sm3_set_key
#pragma weak nettle_pbkdf2_hmac_sha384
#pragma weak nettle_pbkdf2_hmac_sha512
#endif
#if SINCE(9)
#include <nettle/ocb.h>
#include <nettle/siv-gcm.h>
#pragma weak nettle_ocb_set_key
#pragma weak nettle_ocb_encrypt_message
#pragma weak nettle_ocb_decrypt_message
#pragma weak nettle_siv_gcm_encrypt_message
#pragma weak nettle_siv_gcm_decrypt_message
#endif
#if SINCE(10)
#pragma weak nettle_sha3_128_init
#pragma weak nettle_sha3_128_update
#pragma weak nettle_sha3_128_shake
#endif

#define EXPORTED __attribute__((visibility("default")))
#define LENGTH_OF(array) (sizeof(array) / sizeof(array)[0])
#define TAG_BYTES 16
/* The longest block of any cipher that is offered. */
#define LONGEST_BLOCK 16
/* The longest digest of any hash of an HKDF. */
#define LONGEST_DIGEST 64
/* HKDF counts its blocks in one byte. */
#define HKDF_BLOCKS 255
/* CCM with a nonce of 12 bytes counts the message's in three. */
#define CCM_LONGEST ((1u << 24) - 1)
/* The nonce of every row of bench-slopes that has one. */
#define ROW_NONCE_BYTES 12

typedef void chain_func(const void *, nettle_cipher_func *, size_t, uint8_t *, size_t, uint8_t *,
                        const uint8_t *);
typedef void cbc_func(const void *, uint8_t *, size_t, uint8_t *, const uint8_t *);
typedef int check_key_func(void *, const uint8_t *);
typedef void pbkdf2_func(size_t, const uint8_t *, unsigned, size_t, const uint8_t *, size_t,
                         uint8_t *);

struct call;

/* What a call does: its key, and the timed loop. */
struct routine {
    void (*key)(struct call *);
    void (*run)(struct call *, uint64_t calls);
};

/* A block cipher. */
struct cipher {
    const struct nettle_cipher *is;
    check_key_func *check_key; /* of one that knows weak keys */
    char canonical[32];
    bool has_rows;
};

/* An implementation: how it is shown, and what its calls are made of. */
struct offer {
    cpb_implementation shown;
    uint32_t key_bytes, nonce_bytes, output_bytes; /* of a digest or tag */
    struct cpb_symmetric_lengths lengths;
    char primitive[48], spelling[48], row_mode[16];
    bool (*make)(struct call *, const struct cpb_symmetric *);
    const struct nettle_hash *hash;
    const struct cipher *cipher;
    const void *how; /* its line of the table that `make` knows */
    const struct nettle_mac *mac;
    uint64_t longest_output; /* 0: as long as one wants */
};

/* A call that is ready to run. What it reads and writes is cpb's, but `text`. */
struct call {
    const struct offer *offer;
    const struct routine *routine;
    uint8_t *source, *destination;
    size_t length;
    const uint8_t *key, *nonce, *aad, *tag;
    size_t key_bytes, nonce_bytes, aad_bytes, output_bytes, result_bytes;
    unsigned iterations;
    bool oneshot, failed;
    const cpb_workload *asked;
    void *context[3];
    const struct nettle_cipher *cipher;
    nettle_set_key_func *set_key;
    nettle_cipher_func *crypt;
    chain_func *chain;
    cbc_func *cbc;
    uint8_t initial[LONGEST_BLOCK], value[LONGEST_BLOCK], digest[LONGEST_DIGEST];
    void *contexts, *text, *turned; /* to be freed */
    char reason[160];
};

/* The timed loop of a routine, with its two parts inlined. */
#define ROUTINE(name, key, once)                                                                   \
    static void run_##name(struct call *call, uint64_t calls) {                                    \
        if (call->oneshot) {                                                                          \
            for (; calls != 0; calls--) {                                                          \
                key(call);                                                                         \
                once(call);                                                                        \
            }                                                                                      \
        } else {                                                                                   \
            for (; calls != 0; calls--) once(call);                                                \
        }                                                                                          \
    }                                                                                              \
    static const struct routine name = {key, run_##name};

static void key_nothing(struct call *call) { (void)call; }

static bool refuse(struct call *call, const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(call->reason, sizeof call->reason, format, values);
    va_end(values);
    return false;
}

/* Memory: the same place in its page in every process. */

#define PAGE_BYTES 4096
#define LINE_BYTES 64

static void *pages(struct call *call, size_t bytes) {
    const size_t rounded = (bytes / PAGE_BYTES + 1) * PAGE_BYTES;
    void *memory = aligned_alloc(PAGE_BYTES, rounded);
    if (memory == NULL) refuse(call, "there is no memory for a buffer of %zu bytes", bytes);
    return memory;
}

/* Zeroed contexts of these sizes, none of which shares a cache line with another. */
static bool contexts(struct call *call, size_t first, size_t second, size_t third) {
    const size_t sizes[] = {first, second, third};
    size_t bytes = 0, places[LENGTH_OF(sizes)];
    for (size_t i = 0; i < LENGTH_OF(sizes); i++) {
        places[i] = bytes;
        bytes += (sizes[i] + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    }
    call->contexts = pages(call, bytes);
    if (call->contexts == NULL) return false;
    memset(call->contexts, 0, bytes);
    for (size_t i = 0; i < LENGTH_OF(sizes); i++) {
        call->context[i] = (uint8_t *)call->contexts + places[i];
    }
    return true;
}

/* Room for ciphertext and tag that holds cpb's pattern, placed as the message is. */
static uint8_t *sealed_text(struct call *call) {
    const size_t bytes = call->length + TAG_BYTES;
    const size_t offset = (uintptr_t)call->source % PAGE_BYTES;
    call->text = pages(call, offset + bytes);
    if (call->text == NULL) return NULL;
    uint8_t *text = (uint8_t *)call->text + offset;
    for (size_t i = 0; i < bytes; i++) text[i] = (uint8_t)(i % 251);
    return text;
}

/* Hashes and XOFs */

static inline void once_hash(struct call *call) {
    const struct nettle_hash *hash = call->offer->hash;
    hash->init(call->context[0]);
    hash->update(call->context[0], call->length, call->source);
    hash->digest(call->context[0], call->output_bytes, call->destination);
}
ROUTINE(hashing, key_nothing, once_hash)

static bool make_hash(struct call *call, const struct cpb_symmetric *workload) {
    /* bench-slopes asks for one byte of the digest. */
    if (workload->contract == CPB_COMPAT) call->output_bytes = 1;
    call->result_bytes = call->output_bytes;
    call->routine = &hashing;
    return contexts(call, call->offer->hash->context_size, 0, 0);
}

#define SHAKE(bits, context)                                                                       \
    {                                                                                              \
        "sha3_" #bits "_shake", sizeof(struct context), 0, SHA3_##bits##_BLOCK_SIZE,               \
            (nettle_hash_init_func *)sha3_##bits##_init,                                           \
            (nettle_hash_update_func *)sha3_##bits##_update,                                       \
            (nettle_hash_digest_func *)sha3_##bits##_shake                                         \
    }

static const struct {
    const char *primitive;
    struct nettle_hash hash;
} shakes[] = {
    {"shake256", SHAKE(256, sha3_256_ctx)},
#if SINCE(10)
    {"shake128", SHAKE(128, sha3_128_ctx)},
#endif
};

/* Modes without a tag */

enum chaining { ECB, CBC, CFB, CTR, XTS };

static const struct mode {
    const char *name, *prefix, *row;
    enum chaining chaining;
    chain_func *encrypt, *decrypt;
} modes[] = {
    {"ecb", "", "ECB", ECB, NULL, NULL},
    {"cbc", "cbc_", "CBC", CBC, cbc_encrypt, cbc_decrypt},
    {"cfb", "cfb_", "CFB", CFB, cfb_encrypt, cfb_decrypt},
    {"ctr", "ctr_", "CTR", CTR, ctr_crypt, ctr_crypt},
    {"xts", "xts_", "XTS", XTS, NULL, NULL},
    {"cfb8", "cfb8_", NULL, CFB, cfb8_encrypt, cfb8_decrypt},
};

/* CBC encryption with AES in one function. */
static cbc_func *cbc_of(const struct nettle_cipher *cipher) {
#if SINCE(8)
    if (cipher == &nettle_aes128) return (cbc_func *)cbc_aes128_encrypt;
    if (cipher == &nettle_aes192) return (cbc_func *)cbc_aes192_encrypt;
    if (cipher == &nettle_aes256) return (cbc_func *)cbc_aes256_encrypt;
#endif
    (void)cipher;
    return NULL;
}

static void key_mode(struct call *call) { call->set_key(call->context[0], call->key); }

static inline void reset(struct call *call) { memcpy(call->value, call->initial, LONGEST_BLOCK); }

static inline void once_blocks(struct call *call) {
    call->crypt(call->context[0], call->length, call->destination, call->source);
}
ROUTINE(blocks, key_mode, once_blocks)

static inline void chain_on(struct call *call) {
    call->chain(call->context[0], call->crypt, call->cipher->block_size, call->value,
                call->length, call->destination, call->source);
}
static inline void once_chained(struct call *call) {
    reset(call);
    chain_on(call);
}
ROUTINE(chaining_on, key_mode, chain_on)
ROUTINE(chained, key_mode, once_chained)

static inline void cbc_on(struct call *call) {
    call->cbc(call->context[0], call->value, call->length, call->destination, call->source);
}
static inline void once_cbc(struct call *call) {
    reset(call);
    cbc_on(call);
}
ROUTINE(cbc_chaining_on, key_mode, cbc_on)
ROUTINE(cbc_chained, key_mode, once_cbc)

/* The key of the data, and then that of the tweak. */
static void key_xts(struct call *call) {
    call->set_key(call->context[0], call->key);
    call->cipher->set_encrypt_key(call->context[1], call->key + call->cipher->key_size);
}
static inline void seal_xts(struct call *call) {
    xts_encrypt_message(call->context[0], call->context[1], call->cipher->encrypt, call->initial,
                        call->length, call->destination, call->source);
}
static inline void open_xts(struct call *call) {
    xts_decrypt_message(call->context[0], call->context[1], call->cipher->decrypt,
                        call->cipher->encrypt, call->initial, call->length, call->destination,
                        call->source);
}
ROUTINE(xts_encryption, key_xts, seal_xts)
ROUTINE(xts_decryption, key_xts, open_xts)

/* Of a mode in one direction. bench-slopes chains on from call to call; it decrypts
 * CFB with the inverse key schedule and XTS with the other, which costs as much and
 * yields noise. */
static void set_direction(struct call *call, bool decrypts, bool compat) {
    const struct mode *mode = call->offer->how;
    const struct nettle_cipher *cipher = call->cipher;
    nettle_set_key_func *inverse = decrypts ? cipher->set_decrypt_key : cipher->set_encrypt_key;
    call->set_key = inverse;
    call->crypt = decrypts ? cipher->decrypt : cipher->encrypt;
    call->chain = decrypts ? mode->decrypt : mode->encrypt;
    call->routine = compat ? &chaining_on : &chained;
    switch (mode->chaining) {
    case ECB: call->routine = &blocks; break;
    case CBC:
        call->cbc = decrypts ? NULL : cbc_of(cipher);
        if (call->cbc != NULL) call->routine = compat ? &cbc_chaining_on : &cbc_chained;
        break;
    case CFB:
        call->crypt = cipher->encrypt;
        if (!compat) call->set_key = cipher->set_encrypt_key;
        break;
    case CTR:
        call->crypt = cipher->encrypt;
        call->set_key = cipher->set_encrypt_key;
        break;
    case XTS:
        if (compat) call->set_key = cipher->set_encrypt_key;
        call->routine = decrypts ? &xts_decryption : &xts_encryption;
        break;
    }
}

/* Refuses a key that the library calls weak. */
static bool check_key(struct call *call, void *context) {
    const struct cipher *cipher = call->offer->cipher;
    if (cipher->check_key == NULL || cipher->check_key(context, call->key) != 0) return true;
    return refuse(call, "nettle calls the key of %s weak", cipher->is->name);
}

static bool make_mode(struct call *call, const struct cpb_symmetric *workload) {
    const bool decrypts = call->offer->shown.operation == CPB_DECRYPT;
    const bool compat = workload->contract == CPB_COMPAT;
    const struct mode *mode = call->offer->how;
    const size_t context = call->cipher->context_size;
    if (mode->chaining == XTS && call->length < call->cipher->block_size) {
        return refuse(call, "nettle aborts on an XTS message shorter than a block");
    }
    if (!contexts(call, context, context, 0) || !check_key(call, call->context[0])) return false;
    call->result_bytes = call->length;
    if (compat) {
        call->destination = call->source;
    } else if (call->nonce_bytes != 0) {
        memcpy(call->initial, call->nonce, call->nonce_bytes);
    }
    set_direction(call, decrypts, compat);
    return true;
}

/* Stream ciphers */

static const struct stream {
    const char *spelling, *primitive;
    uint32_t key_bytes, nonce_bytes;
    nettle_set_key_func *set_key, *set_nonce; /* setting a nonce sets the counter to zero */
    nettle_crypt_func *crypt, *row;           /* what bench-slopes times, where it has a row */
} streams[] = {
#define STREAM(spelling, primitive, key_bytes, nonce_bytes, set_key, set_nonce, crypt, row)        \
    {spelling, primitive, key_bytes, nonce_bytes, (nettle_set_key_func *)set_key,                  \
     (nettle_set_key_func *)set_nonce, (nettle_crypt_func *)crypt, (nettle_crypt_func *)row}
    STREAM("arcfour", "rc4-128", 16, 0, arcfour128_set_key, NULL, arcfour_crypt, arcfour_crypt),
    STREAM("salsa20", "salsa20", 32, 8, salsa20_256_set_key, salsa20_set_nonce, salsa20_crypt,
           salsa20_crypt),
    STREAM("salsa20r12", "salsa20-12", 32, 8, salsa20_256_set_key, salsa20_set_nonce,
           salsa20r12_crypt, salsa20r12_crypt),
    /* RFC 8439: a nonce of 96 and a counter of 32 bits, which the first function
     * keeps apart. bench-slopes takes the other. */
    STREAM("chacha", "chacha20", 32, 12, chacha_set_key, chacha_set_nonce96, chacha_crypt32,
           chacha_crypt),
    STREAM("chacha_nonce64", "chacha20-djb", 32, 8, chacha_set_key, chacha_set_nonce, chacha_crypt,
           NULL),
    STREAM("salsa20_128", "salsa20-128", 16, 8, salsa20_128_set_key, salsa20_set_nonce,
           salsa20_crypt, NULL),
    STREAM("salsa20r12_128", "salsa20-12-128", 16, 8, salsa20_128_set_key, salsa20_set_nonce,
           salsa20r12_crypt, NULL),
#undef STREAM
};

union stream_context {
    struct arcfour_ctx arcfour;
    struct salsa20_ctx salsa20;
    struct chacha_ctx chacha;
};

static void key_stream(struct call *call) {
    ((const struct stream *)call->offer->how)->set_key(call->context[0], call->key);
}

static inline void once_stream(struct call *call) {
    const struct stream *stream = call->offer->how;
    stream->set_nonce(call->context[0], call->nonce);
    stream->crypt(call->context[0], call->length, call->destination, call->source);
}
ROUTINE(streaming, key_stream, once_stream)

/* Arcfour has no nonce, and its key schedule is its state: a call that is to begin at
 * the beginning copies that back. */
static void key_arcfour(struct call *call) {
    key_stream(call);
    memcpy(call->context[1], call->context[0], sizeof(struct arcfour_ctx));
}
static inline void once_arcfour(struct call *call) {
    memcpy(call->context[0], call->context[1], sizeof(struct arcfour_ctx));
    arcfour_crypt(call->context[0], call->length, call->destination, call->source);
}
ROUTINE(restoring, key_arcfour, once_arcfour)

/* As bench-slopes does it: no nonce is ever set, and the stream goes on from call to
 * call. */
static inline void stream_on(struct call *call) {
    const struct stream *stream = call->offer->how;
    stream->row(call->context[0], call->length, call->destination, call->source);
}
ROUTINE(streaming_on, key_stream, stream_on)

static bool make_stream(struct call *call, const struct cpb_symmetric *workload) {
    const struct stream *stream = call->offer->how;
    if (!contexts(call, sizeof(union stream_context), sizeof(struct arcfour_ctx), 0)) return false;
    call->result_bytes = call->length;
    if (workload->contract == CPB_COMPAT) {
        call->destination = call->source;
        call->routine = &streaming_on;
        return true;
    }
    call->routine = stream->set_nonce != NULL ? &streaming : &restoring;
    return true;
}

/* Authenticated encryption. A mode has key, seal, open, and what bench-slopes times as
 * decryption, which never looks at the tag: noise. */

#define SEALING(mode)                                                                              \
    static inline void check_##mode(struct call *call) { call->failed |= !open_##mode(call); }     \
    ROUTINE(mode##_sealing, key_##mode, seal_##mode)                                               \
    ROUTINE(mode##_opening, key_##mode, check_##mode)                                              \
    ROUTINE(mode##_noise, key_##mode, noise_##mode)

/* Modes that the library takes in steps. Of what they are handed, the dots are what
 * goes before length, destination and source. What is empty is left out, as callers do. */
#define IN_STEPS(mode, set_nonce, update, ...)                                                     \
    static inline void start_##mode(struct call *call) {                                           \
        set_nonce;                                                                                 \
        if (call->aad_bytes != 0) update;                                                          \
    }                                                                                              \
    static inline void seal_##mode(struct call *call) {                                            \
        start_##mode(call);                                                                        \
        if (call->length != 0) {                                                                   \
            mode##_encrypt(__VA_ARGS__, call->length, call->destination, call->source);            \
        }                                                                                          \
        mode##_digest(__VA_ARGS__, TAG_BYTES, call->destination + call->length);                   \
    }                                                                                              \
    static inline void noise_##mode(struct call *call) {                                           \
        start_##mode(call);                                                                        \
        if (call->length != 0) {                                                                   \
            mode##_decrypt(__VA_ARGS__, call->length, call->destination, call->source);            \
        }                                                                                          \
        mode##_digest(__VA_ARGS__, TAG_BYTES, call->digest);                                       \
    }                                                                                              \
    static inline bool open_##mode(struct call *call) {                                            \
        noise_##mode(call);                                                                        \
        return memeql_sec(call->digest, call->source + call->length, TAG_BYTES) != 0;              \
    }                                                                                              \
    SEALING(mode)

/* Modes that it takes a whole message at a time for; the dots as above. */
#define IN_MESSAGES(mode)                                                                          \
    static inline void noise_##mode(struct call *call) { open_##mode(call); }                      \
    SEALING(mode)
#define NONCE_AND_AAD call->nonce_bytes, call->nonce, call->aad_bytes, call->aad
#define TO_SEAL call->length + TAG_BYTES, call->destination, call->source
#define TO_OPEN call->length, call->destination, call->source

static void key_gcm(struct call *call) {
    call->cipher->set_encrypt_key(call->context[2], call->key);
    gcm_set_key(call->context[0], call->context[2], call->cipher->encrypt);
}
IN_STEPS(gcm, gcm_set_iv(call->context[1], call->context[0], call->nonce_bytes, call->nonce),
         gcm_update(call->context[1], call->context[0], call->aad_bytes, call->aad),
         call->context[1], call->context[0], call->context[2], call->cipher->encrypt)

static void key_eax(struct call *call) {
    call->cipher->set_encrypt_key(call->context[2], call->key);
    eax_set_key(call->context[0], call->context[2], call->cipher->encrypt);
}
#define EAX call->context[1], call->context[0], call->context[2], call->cipher->encrypt
IN_STEPS(eax, eax_set_nonce(EAX, call->nonce_bytes, call->nonce),
         eax_update(EAX, call->aad_bytes, call->aad), EAX)

static void key_chacha_poly1305(struct call *call) {
    chacha_poly1305_set_key(call->context[0], call->key);
}
IN_STEPS(chacha_poly1305, chacha_poly1305_set_nonce(call->context[0], call->nonce),
         chacha_poly1305_update(call->context[0], call->aad_bytes, call->aad), call->context[0])

static void key_ccm(struct call *call) {
    call->cipher->set_encrypt_key(call->context[0], call->key);
}
static inline void seal_ccm(struct call *call) {
    ccm_encrypt_message(call->context[0], call->cipher->encrypt, NONCE_AND_AAD, TAG_BYTES,
                        TO_SEAL);
}
static inline bool open_ccm(struct call *call) {
    return ccm_decrypt_message(call->context[0], call->cipher->encrypt, NONCE_AND_AAD, TAG_BYTES,
                               TO_OPEN) != 0;
}
IN_MESSAGES(ccm)

/* SIV of RFC 5297 with the nonce as a component of its own: the library has no other.
 * The tag stands before the ciphertext. */
static void key_siv_cmac(struct call *call) {
    siv_cmac_set_key(call->context[0], call->context[1], call->context[2], call->cipher,
                     call->key);
}
static inline void seal_siv_cmac(struct call *call) {
    siv_cmac_encrypt_message(call->context[0], call->context[1], call->cipher, call->context[2],
                             NONCE_AND_AAD, TO_SEAL);
}
static inline bool open_siv_cmac(struct call *call) {
    return siv_cmac_decrypt_message(call->context[0], call->context[1], call->cipher,
                                    call->context[2], NONCE_AND_AAD, TO_OPEN) != 0;
}
IN_MESSAGES(siv_cmac)

#if SINCE(9)
static void key_ocb(struct call *call) {
    call->cipher->set_encrypt_key(call->context[1], call->key);
    call->cipher->set_decrypt_key(call->context[2], call->key);
    ocb_set_key(call->context[0], call->context[1], call->cipher->encrypt);
}
static inline void seal_ocb(struct call *call) {
    ocb_encrypt_message(call->context[0], call->context[1], call->cipher->encrypt, NONCE_AND_AAD,
                        TAG_BYTES, TO_SEAL);
}
static inline bool open_ocb(struct call *call) {
    return ocb_decrypt_message(call->context[0], call->context[1], call->cipher->encrypt,
                               call->context[2], call->cipher->decrypt, NONCE_AND_AAD, TAG_BYTES,
                               TO_OPEN) != 0;
}
IN_MESSAGES(ocb)

/* The second context is for the key that the library derives for each message. */
static void key_siv_gcm(struct call *call) {
    call->cipher->set_encrypt_key(call->context[0], call->key);
}
static inline void seal_siv_gcm(struct call *call) {
    siv_gcm_encrypt_message(call->cipher, call->context[0], call->context[1], NONCE_AND_AAD,
                            TO_SEAL);
}
static inline bool open_siv_gcm(struct call *call) {
    return siv_gcm_decrypt_message(call->cipher, call->context[0], call->context[1], NONCE_AND_AAD,
                                   TO_OPEN) != 0;
}
IN_MESSAGES(siv_gcm)

static bool has_ocb(void) {
    return nettle_ocb_set_key && nettle_ocb_encrypt_message && nettle_ocb_decrypt_message;
}
static bool has_siv_gcm(void) {
    return nettle_siv_gcm_encrypt_message && nettle_siv_gcm_decrypt_message;
}
#endif

static const struct aead {
    const char *name, *spelling, *row;
    uint32_t nonce_bytes, keys;
    size_t contexts[2]; /* of the mode's own; those of the cipher come behind them */
    size_t longest;     /* of a plaintext, where the library aborts on others */
    bool tag_first;
    const struct routine *seal, *open, *noise;
    bool (*is_there)(void); /* of a mode that came after 3.6 */
} aeads[] = {
#define ROUTINES(mode) &mode##_sealing, &mode##_opening, &mode##_noise
    {"gcm", "gcm", "GCM", 12, 1, {sizeof(struct gcm_key), sizeof(struct gcm_ctx)}, 0, false,
     ROUTINES(gcm), NULL},
    {"eax", "eax", "EAX", 16, 1, {sizeof(struct eax_key), sizeof(struct eax_ctx)}, 0, false,
     ROUTINES(eax), NULL},
#if SINCE(9)
    {"ocb", "ocb", "OCB", 12, 1, {sizeof(struct ocb_key)}, 0, false, ROUTINES(ocb), has_ocb},
    {"gcm-siv", "siv_gcm", "GCM-SIV", 12, 1, {0}, 0, false, ROUTINES(siv_gcm), has_siv_gcm},
#endif
    {"ccm", "ccm", NULL, 12, 1, {0}, CCM_LONGEST, false, ROUTINES(ccm), NULL},
    {"siv-cmac", "siv_cmac", NULL, 16, 2, {sizeof(struct cmac128_key)}, 0, true,
     ROUTINES(siv_cmac), NULL},
};

static const struct aead chacha_poly1305 = {
    "poly1305", "chacha_poly1305", "POLY1305", 12, 1, {sizeof(struct chacha_poly1305_ctx)}, 0,
    false, ROUTINES(chacha_poly1305), NULL};

static bool aead_contexts(struct call *call) {
    const struct aead *aead = call->offer->how;
    size_t sizes[3];
    size_t own = 0;
    for (; own < 2 && aead->contexts[own] != 0; own++) sizes[own] = aead->contexts[own];
    for (; own < 3; own++) sizes[own] = call->cipher != NULL ? call->cipher->context_size : 0;
    return contexts(call, sizes[0], sizes[1], sizes[2]);
}

static bool make_aead(struct call *call, const struct cpb_symmetric *workload) {
    const struct aead *aead = call->offer->how;
    const bool compat = workload->contract == CPB_COMPAT;
    const uint32_t operation = call->offer->shown.operation;
    if (aead->longest != 0 && call->length > aead->longest) {
        return refuse(call, "nettle aborts on more than %zu bytes under %s", aead->longest,
                      call->offer->spelling);
    }
    if (!aead_contexts(call)) return false;
    if (compat) {
        /* bench-slopes gives no associated data but under auth. */
        call->nonce_bytes = ROW_NONCE_BYTES;
        call->aad_bytes = 0;
    }
    call->routine = aead->seal;
    if (operation == CPB_OPEN || (operation == CPB_SEAL && compat)) {
        uint8_t *text = sealed_text(call);
        if (text == NULL) return false;
        if (compat) {
            /* It decrypts noise: the pattern, and from then on its own output. */
            call->destination = text;
            call->routine = operation == CPB_OPEN ? aead->noise : aead->seal;
        } else {
            /* The library wants the tag beside the ciphertext. */
            memcpy(text + (aead->tag_first ? TAG_BYTES : 0), call->source, call->length);
            memcpy(text + (aead->tag_first ? 0 : call->length), call->tag, TAG_BYTES);
            call->routine = aead->open;
        }
        call->source = text;
    } else if (operation != CPB_SEAL) {
        /* The message is the associated data. */
        call->aad = call->source;
        call->aad_bytes = call->length;
        call->length = 0;
    }
    call->result_bytes = call->length + (operation == CPB_OPEN ? 0 : TAG_BYTES);
    if (aead->tag_first && operation != CPB_OPEN) {
        call->turned = pages(call, call->result_bytes);
        return call->turned != NULL;
    }
    return true;
}

/* MACs. Every digest leaves the state ready for the next message. */

static void key_hmac(struct call *call) {
    hmac_set_key(call->context[0], call->context[1], call->context[2], call->offer->hash,
                 call->key_bytes, call->key);
}
static inline void once_hmac(struct call *call) {
    hmac_update(call->context[2], call->offer->hash, call->length, call->source);
    hmac_digest(call->context[0], call->context[1], call->context[2], call->offer->hash,
                call->output_bytes, call->destination);
}
ROUTINE(hmac, key_hmac, once_hmac)

static bool make_hmac(struct call *call, const struct cpb_symmetric *workload) {
    (void)workload;
    const size_t bytes = call->offer->hash->context_size;
    call->routine = &hmac;
    return contexts(call, bytes, bytes, bytes);
}

#define CMAC(bits)                                                                                 \
    static void key_cmac##bits(struct call *call) {                                                \
        call->cipher->set_encrypt_key(call->context[2], call->key);                                \
        cmac##bits##_set_key(call->context[0], call->context[2], call->cipher->encrypt);           \
        cmac##bits##_init(call->context[1]);                                                       \
    }                                                                                              \
    static inline void once_cmac##bits(struct call *call) {                                        \
        cmac##bits##_update(call->context[1], call->context[2], call->cipher->encrypt,             \
                            call->length, call->source);                                           \
        cmac##bits##_digest(call->context[1], call->context[0], call->context[2],                  \
                            call->cipher->encrypt, bits / 8, call->destination);                   \
    }                                                                                              \
    ROUTINE(cmac##bits, key_cmac##bits, once_cmac##bits)
CMAC(64)
CMAC(128)

static bool make_cmac(struct call *call, const struct cpb_symmetric *workload) {
    (void)workload;
    call->routine = call->cipher->block_size == 8 ? &cmac64 : &cmac128;
    return contexts(call, sizeof(struct cmac128_key), sizeof(struct cmac128_ctx),
                    call->cipher->context_size) &&
           check_key(call, call->context[2]);
}

/* The library counts the nonce up in every digest, so each call sets it. */
#define NONCE_MAC(mac, ...)                                                                        \
    static void key_##mac(struct call *call) { mac##_set_key(call->context[0], call->key); }       \
    static inline void once_##mac(struct call *call) {                                             \
        mac##_set_nonce(call->context[0], __VA_ARGS__);                                            \
        mac##_update(call->context[0], call->length, call->source);                                \
        mac##_digest(call->context[0], call->output_bytes, call->destination);                     \
    }                                                                                              \
    ROUTINE(mac, key_##mac, once_##mac)
NONCE_MAC(umac32, call->nonce_bytes, call->nonce)
NONCE_MAC(umac64, call->nonce_bytes, call->nonce)
NONCE_MAC(umac96, call->nonce_bytes, call->nonce)
NONCE_MAC(umac128, call->nonce_bytes, call->nonce)
NONCE_MAC(poly1305_aes, call->nonce)

static const struct nonce_mac {
    const char *spelling, *primitive;
    uint32_t key_bytes, nonce_bytes, tag_bytes, block_bytes;
    size_t context;
    const struct routine *routine;
} nonce_macs[] = {
    /* UMAC takes nonces of up to 16 bytes; RFC 4418 uses 8. */
    {"umac32", "umac-32", 16, 8, 4, 1024, sizeof(struct umac32_ctx), &umac32},
    {"umac64", "umac-64", 16, 8, 8, 1024, sizeof(struct umac64_ctx), &umac64},
    {"umac96", "umac-96", 16, 8, 12, 1024, sizeof(struct umac96_ctx), &umac96},
    {"umac128", "umac-128", 16, 8, 16, 1024, sizeof(struct umac128_ctx), &umac128},
    {"poly1305_aes", "poly1305-aes-128", 32, 16, 16, 16, sizeof(struct poly1305_aes_ctx),
     &poly1305_aes},
};

static bool make_nonce_mac(struct call *call, const struct cpb_symmetric *workload) {
    (void)workload;
    const struct nonce_mac *mac = call->offer->how;
    call->routine = mac->routine;
    return contexts(call, mac->context, 0, 0);
}

/* Derivations: PBKDF2 and HKDF over the HMACs that the library lists */

/* Keys of any length: the library's descriptors have one only. */
static const struct hmac_key {
    const char *name;
    nettle_hash_update_func *set_key;
} hmac_keys[] = {
#define HMAC(hash) {"hmac_" #hash, (nettle_hash_update_func *)hmac_##hash##_set_key}
    HMAC(md5),    HMAC(ripemd160), HMAC(sha1),       HMAC(sha224),       HMAC(sha256),
    HMAC(sha384), HMAC(sha512),    HMAC(gosthash94), HMAC(gosthash94cp),
#if SINCE(7)
    HMAC(streebog256), HMAC(streebog512),
#endif
#if SINCE(8)
    HMAC(sm3),
#endif
#undef HMAC
};

static const struct pbkdf2 {
    const char *hash;
    pbkdf2_func *function;
} pbkdf2s[] = {
    {"sha1", pbkdf2_hmac_sha1},
    {"sha256", pbkdf2_hmac_sha256},
#if SINCE(8)
    {"sha384", pbkdf2_hmac_sha384},
    {"sha512", pbkdf2_hmac_sha512},
#endif
    {"gosthash94cp", pbkdf2_hmac_gosthash94cp},
};

static inline void once_pbkdf2(struct call *call) {
    ((const struct pbkdf2 *)call->offer->how)
        ->function(call->key_bytes, call->key, call->iterations, call->nonce_bytes, call->nonce,
                   call->output_bytes, call->destination);
}
ROUTINE(pbkdf2_of_its_own, key_nothing, once_pbkdf2)

static inline void set_hmac_key(struct call *call, size_t bytes, const uint8_t *key) {
    ((const struct hmac_key *)call->offer->how)->set_key(call->context[0], bytes, key);
}
static inline void once_pbkdf2_generic(struct call *call) {
    const struct nettle_mac *mac = call->offer->mac;
    set_hmac_key(call, call->key_bytes, call->key);
    pbkdf2(call->context[0], mac->update, mac->digest, mac->digest_size, call->iterations,
           call->nonce_bytes, call->nonce, call->output_bytes, call->destination);
}
ROUTINE(pbkdf2_generic, key_nothing, once_pbkdf2_generic)

static bool make_pbkdf2(struct call *call, const struct cpb_symmetric *workload) {
    /* The library aborts on 0. */
    if (workload->iterations == 0 || workload->iterations > UINT_MAX) {
        return refuse(call, "nettle takes 1 to %u iterations", UINT_MAX);
    }
    call->iterations = (unsigned)workload->iterations;
    const struct nettle_mac *mac = call->offer->mac;
    call->routine = mac == NULL ? &pbkdf2_of_its_own : &pbkdf2_generic;
    return contexts(call, mac == NULL ? 0 : mac->context_size, 0, 0);
}

/* Extract, then expand with the info. */
static inline void once_hkdf(struct call *call) {
    const struct nettle_mac *mac = call->offer->mac;
    set_hmac_key(call, call->nonce_bytes, call->nonce);
    hkdf_extract(call->context[0], mac->update, mac->digest, mac->digest_size, call->key_bytes,
                 call->key, call->digest);
    set_hmac_key(call, mac->digest_size, call->digest);
    hkdf_expand(call->context[0], mac->update, mac->digest, mac->digest_size, call->aad_bytes,
                call->aad, call->output_bytes, call->destination);
}
ROUTINE(hkdf, key_nothing, once_hkdf)

static bool make_hkdf(struct call *call, const struct cpb_symmetric *workload) {
    (void)workload;
    const struct nettle_mac *mac = call->offer->mac;
    if (mac->digest_size > LONGEST_DIGEST) {
        return refuse(call, "cpb has no room for digests of %u bytes", mac->digest_size);
    }
    call->routine = &hkdf;
    return contexts(call, mac->context_size, 0, 0);
}

/* What is offered */

static struct offer *offers;
static size_t offers_count, offers_room;
static bool has_memory = true;

/* A new offer at the end, for the caller to complete: what is put out is as long as its
 * message where it states nothing else. */
static struct offer *add(enum cpb_operation operation,
                         bool (*make)(struct call *, const struct cpb_symmetric *)) {
    static struct offer nowhere;
    if (offers_count == offers_room) {
        const size_t room = 2 * offers_room + 256;
        struct offer *grown = realloc(offers, room * sizeof *offers);
        if (grown == NULL) {
            has_memory = false;
            return &nowhere;
        }
        offers = grown;
        offers_room = room;
    }
    struct offer *offer = &offers[offers_count++];
    *offer = (struct offer){.make = make};
    offer->shown.backend = "default";
    offer->shown.is_default = 1;
    offer->shown.operation = operation;
    offer->shown.granularity = 1;
    return offer;
}

__attribute__((format(printf, 2, 3))) static void name(char text[static 48], const char *format,
                                                       ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(text, 48, format, values);
    va_end(values);
}

static void set_row(struct offer *offer, const char *group, const char *algorithm,
                    const char *mode, const char *direction) {
    offer->shown.row_group = group;
    offer->shown.row_algorithm = algorithm;
    snprintf(offer->row_mode, sizeof offer->row_mode, "%s%s", mode, direction);
}

/* The canonical name of a hash, or of a cipher, which mostly ends in its key's bits. */
static void canonical(char text[static 32], const char *spelling, bool is_cipher) {
    static const char *const others[][2] = {
        {"arctwo40", "rc2-40"},
        {"arctwo64", "rc2-64"},
        {"arctwo128", "rc2-128"},
        {"arctwo_gutmann128", "rc2-gutmann-128"},
        {"blowfish", "blowfish-128"},
        {"cast128", "cast5-128"},
        {"des3", "3des"},
        {"sm4", "sm4"},
        {"gosthash94cp", "gosthash94-cp"},
        {"streebog256", "streebog-256"},
        {"streebog512", "streebog-512"},
    };
    for (size_t i = 0; i < LENGTH_OF(others); i++) {
        if (strcmp(others[i][0], spelling) == 0) {
            snprintf(text, 32, "%s", others[i][1]);
            return;
        }
    }
    size_t letters = strlen(spelling);
    while (is_cipher && letters > 0 && strchr("0123456789", spelling[letters - 1])) letters--;
    const bool has_bits = is_cipher && spelling[letters] != '\0';
    snprintf(text, 32, "%.*s%s%s", (int)letters, spelling, has_bits ? "-" : "",
             spelling + letters);
    for (char *c = text; *c != '\0'; c++) {
        if (*c == '_') *c = '-';
    }
}

/* Those of bench-slopes' own list, in its order, and then what else the library lists. */
static const struct nettle_hash *hashes[64] = {
    &nettle_md2,        &nettle_md4,        &nettle_md5,      &nettle_gosthash94,
    &nettle_ripemd160,  &nettle_sha1,       &nettle_sha224,   &nettle_sha256,
    &nettle_sha384,     &nettle_sha512,     &nettle_sha512_224, &nettle_sha512_256,
    &nettle_sha3_224,   &nettle_sha3_256,   &nettle_sha3_384, &nettle_sha3_512,
};
static size_t hashes_count = 16;

#define BY_ITSELF(name, size, set_key, cipher)                                                     \
    {name, sizeof(struct cipher##_ctx), 8, size, (nettle_set_key_func *)set_key,                   \
     (nettle_set_key_func *)set_key, (nettle_cipher_func *)cipher##_encrypt,                       \
     (nettle_cipher_func *)cipher##_decrypt}

/* Ciphers that the library has functions for, but no descriptor. */
static const struct nettle_cipher by_itself[] = {
    BY_ITSELF("blowfish", 16, blowfish128_set_key, blowfish),
    BY_ITSELF("des3", 24, des3_set_key, des3),
    BY_ITSELF("des", 8, des_set_key, des),
};

/* The same; `own` are at the beginning. */
static struct cipher ciphers[64] = {
    {.is = &nettle_aes128},      {.is = &nettle_aes192},      {.is = &nettle_aes256},
    {.is = &nettle_camellia128}, {.is = &nettle_camellia192}, {.is = &nettle_camellia256},
    {.is = &nettle_serpent128},  {.is = &nettle_serpent192},  {.is = &nettle_serpent256},
    {.is = &nettle_twofish128},  {.is = &nettle_twofish192},  {.is = &nettle_twofish256},
    {.is = &nettle_cast128},     {.is = &by_itself[0]},       {.is = &nettle_arctwo128},
    {.is = &by_itself[1]},
};
#define OWN_CIPHERS 16
static size_t ciphers_count = OWN_CIPHERS;

static bool has_hash(const struct nettle_hash *hash) {
    for (size_t i = 0; i < hashes_count; i++) {
        if (strcmp(hashes[i]->name, hash->name) == 0) return true;
    }
    return hashes_count == LENGTH_OF(hashes);
}

static bool has_cipher(const struct nettle_cipher *cipher) {
    for (size_t i = 0; i < ciphers_count; i++) {
        if (strcmp(ciphers[i].is->name, cipher->name) == 0) return true;
    }
    return ciphers_count == LENGTH_OF(ciphers);
}

static void find_hashes_and_ciphers(void) {
    for (const struct nettle_hash *const *hash = nettle_get_hashes(); *hash != NULL; hash++) {
        if (!has_hash(*hash)) hashes[hashes_count++] = *hash;
    }
    for (const struct nettle_cipher *const *cipher = nettle_get_ciphers(); *cipher != NULL;
         cipher++) {
        const unsigned block = (*cipher)->block_size;
        if (!has_cipher(*cipher) && block >= 1 && block <= LONGEST_BLOCK) {
            ciphers[ciphers_count++].is = *cipher;
        }
    }
    const struct nettle_cipher *des = &by_itself[2];
    if (!has_cipher(des)) ciphers[ciphers_count++].is = des;
    for (size_t i = 0; i < ciphers_count; i++) {
        struct cipher *cipher = &ciphers[i];
        canonical(cipher->canonical, cipher->is->name, true);
        cipher->has_rows = cipher->is != des;
        if (cipher->is >= by_itself && cipher->is < by_itself + LENGTH_OF(by_itself)) {
            cipher->check_key = (check_key_func *)cipher->is->set_encrypt_key;
        }
    }
}

static struct offer *add_hash(enum cpb_operation operation, const struct nettle_hash *hash) {
    struct offer *offer = add(operation, make_hash);
    offer->hash = hash;
    offer->shown.block_bytes = hash->block_size;
    offer->output_bytes = hash->digest_size;
    name(offer->spelling, "%s", hash->name);
    canonical(offer->primitive, hash->name, false);
    return offer;
}

static void add_mode(const struct cipher *cipher, const struct mode *mode) {
    const uint32_t block = cipher->is->block_size;
    if (mode->chaining == XTS && block != 16) return;
    const bool whole_blocks = mode->chaining != CFB && mode->chaining != CTR;
    for (int decrypts = 0; decrypts < 2; decrypts++) {
        struct offer *offer = add(decrypts ? CPB_DECRYPT : CPB_ENCRYPT, make_mode);
        offer->cipher = cipher;
        offer->how = mode;
        offer->key_bytes = cipher->is->key_size * (mode->chaining == XTS ? 2 : 1);
        offer->nonce_bytes = mode->chaining == ECB ? 0 : block;
        offer->shown.granularity = whole_blocks ? block : 1;
        name(offer->primitive, "%s-%s", cipher->canonical, mode->name);
        name(offer->spelling, "%s%s", mode->prefix, cipher->is->name);
        if (mode->row != NULL && cipher->has_rows) {
            set_row(offer, "cipher", cipher->is->name, mode->row, decrypts ? " dec" : " enc");
        }
    }
}

static void add_aead(const struct aead *aead, const struct cipher *cipher, const char *primitive,
                     const char *spelling, const char *algorithm, uint32_t key_bytes) {
    static const struct {
        enum cpb_operation operation;
        const char *suffix;
    } directions[] = {{CPB_SEAL, " enc"}, {CPB_OPEN, " dec"}, {CPB_AUTH, " auth"}};
    for (size_t i = 0; i < LENGTH_OF(directions); i++) {
        struct offer *offer = add(directions[i].operation, make_aead);
        offer->cipher = cipher;
        offer->how = aead;
        offer->key_bytes = aead->keys * key_bytes;
        offer->nonce_bytes = aead->nonce_bytes;
        offer->output_bytes = TAG_BYTES;
        name(offer->primitive, "%s", primitive);
        name(offer->spelling, "%s", spelling);
        if (aead->row != NULL) {
            set_row(offer, "cipher", algorithm, aead->row, directions[i].suffix);
        }
    }
}

/* The MAC that is the tag of an empty plaintext. */
static void add_gmac(const struct cipher *cipher, const struct aead *gcm) {
    struct offer *offer = add(CPB_MAC, make_aead);
    offer->cipher = cipher;
    offer->how = gcm;
    offer->key_bytes = cipher->is->key_size;
    offer->nonce_bytes = gcm->nonce_bytes;
    offer->output_bytes = TAG_BYTES;
    name(offer->primitive, "gmac-%s", cipher->canonical);
    name(offer->spelling, "gmac_%s", cipher->is->name);
}

/* All modes of a cipher, in the order of the rows. */
static void add_cipher(const struct cipher *cipher) {
    for (size_t i = 0; i < LENGTH_OF(modes); i++) add_mode(cipher, &modes[i]);
    if (cipher->is->block_size != 16) return;
    for (size_t i = 0; i < LENGTH_OF(aeads); i++) {
        const struct aead *aead = &aeads[i];
        if (aead->is_there != NULL && !aead->is_there()) continue;
        char primitive[48], spelling[48];
        name(primitive, "%s-%s", cipher->canonical, aead->name);
        name(spelling, "%s_%s", aead->spelling, cipher->is->name);
        add_aead(aead, cipher, primitive, spelling, cipher->is->name, cipher->is->key_size);
        if (aead->seal == &gcm_sealing) add_gmac(cipher, aead);
    }
}

static void add_streams(void) {
    for (size_t i = 0; i < LENGTH_OF(streams); i++) {
        for (int decrypts = 0; decrypts < 2; decrypts++) {
            struct offer *offer = add(decrypts ? CPB_DECRYPT : CPB_ENCRYPT, make_stream);
            offer->how = &streams[i];
            offer->key_bytes = streams[i].key_bytes;
            offer->nonce_bytes = streams[i].nonce_bytes;
            name(offer->primitive, "%s", streams[i].primitive);
            name(offer->spelling, "%s", streams[i].spelling);
            if (streams[i].row != NULL) {
                set_row(offer, "cipher", streams[i].spelling, "STREAM", decrypts ? " dec" : " enc");
            }
        }
    }
    add_aead(&chacha_poly1305, NULL, "chacha20-poly1305", chacha_poly1305.spelling, "chacha", 32);
}

static void add_macs(void) {
    for (size_t i = 0; i < hashes_count; i++) {
        struct offer *offer = add_hash(CPB_MAC, hashes[i]);
        char hash[32];
        canonical(hash, hashes[i]->name, false);
        offer->make = make_hmac;
        offer->key_bytes = 32;
        name(offer->primitive, "hmac-%s", hash);
        name(offer->spelling, "hmac_%s", hashes[i]->name);
    }
    for (size_t i = 0; i < ciphers_count; i++) {
        const struct cipher *cipher = &ciphers[i];
        const uint32_t block = cipher->is->block_size;
        if (block != 8 && block != 16) continue;
        struct offer *offer = add(CPB_MAC, make_cmac);
        offer->cipher = cipher;
        offer->key_bytes = cipher->is->key_size;
        offer->shown.block_bytes = offer->output_bytes = block;
        name(offer->primitive, "cmac-%s", cipher->canonical);
        name(offer->spelling, "cmac_%s", cipher->is->name);
    }
    for (size_t i = 0; i < LENGTH_OF(nonce_macs); i++) {
        const struct nonce_mac *mac = &nonce_macs[i];
        struct offer *offer = add(CPB_MAC, make_nonce_mac);
        offer->how = mac;
        offer->key_bytes = mac->key_bytes;
        offer->nonce_bytes = mac->nonce_bytes;
        offer->shown.block_bytes = mac->block_bytes;
        offer->output_bytes = mac->tag_bytes;
        name(offer->primitive, "%s", mac->primitive);
        name(offer->spelling, "%s", mac->spelling);
    }
}

static struct offer *add_derivation(bool (*make)(struct call *, const struct cpb_symmetric *),
                                    const char *primitive, const char *construction,
                                    const char *hash) {
    struct offer *offer = add(CPB_DERIVE, make);
    char of[32];
    canonical(of, hash, false);
    offer->key_bytes = offer->nonce_bytes = 16;
    name(offer->primitive, "%s%s", primitive, of);
    name(offer->spelling, "%s_hmac_%s", construction, hash);
    return offer;
}

static const struct hmac_key *key_of(const struct nettle_mac *mac) {
    for (size_t i = 0; i < LENGTH_OF(hmac_keys); i++) {
        if (hmac_keys[i].set_key != NULL && strcmp(hmac_keys[i].name, mac->name) == 0) {
            return &hmac_keys[i];
        }
    }
    return NULL;
}

static bool has_pbkdf2(const char *hash) {
    for (size_t i = 0; i < LENGTH_OF(pbkdf2s); i++) {
        if (pbkdf2s[i].function != NULL && strcmp(pbkdf2s[i].hash, hash) == 0) return true;
    }
    return false;
}

/* PBKDF2 with functions of its own, then with the generic one; HKDF. */
static void add_derivations(void) {
    const size_t prefix = strlen("hmac_");
    for (size_t i = 0; i < LENGTH_OF(pbkdf2s); i++) {
        if (pbkdf2s[i].function == NULL) continue;
        add_derivation(make_pbkdf2, "pbkdf2-hmac-", "pbkdf2", pbkdf2s[i].hash)->how = &pbkdf2s[i];
    }
    for (int expands = 0; expands < 2; expands++) {
        for (const struct nettle_mac *const *mac = nettle_get_macs(); *mac != NULL; mac++) {
            const struct hmac_key *key = key_of(*mac);
            if (key == NULL || (!expands && has_pbkdf2((*mac)->name + prefix))) continue;
            struct offer *offer =
                expands ? add_derivation(make_hkdf, "hkdf-", "hkdf", (*mac)->name + prefix)
                        : add_derivation(make_pbkdf2, "pbkdf2-hmac-", "pbkdf2",
                                         (*mac)->name + prefix);
            offer->how = key;
            offer->mac = *mac;
            offer->longest_output = expands ? HKDF_BLOCKS * (*mac)->digest_size : 0;
        }
    }
}

/* The usual lengths, but for an output that comes to an end. */
static struct cpb_symmetric_lengths lengths_of(const struct offer *offer) {
    struct cpb_symmetric_lengths lengths =
        cpb_symmetric_usual(offer->shown.operation, offer->primitive, offer->key_bytes,
                            offer->nonce_bytes, offer->output_bytes);
    if (offer->longest_output != 0) lengths.all[lengths.count - 1].most = offer->longest_output;
    return lengths;
}

/* Those with rows before those without, and all texts where they stay. */
static void settle(void) {
    struct offer *settled = calloc(offers_count, sizeof *settled);
    has_memory = has_memory && settled != NULL;
    if (!has_memory) return;
    size_t next = 0;
    for (int without = 0; without < 2; without++) {
        for (size_t i = 0; i < offers_count; i++) {
            if ((offers[i].shown.row_group == NULL) != without) continue;
            struct offer *offer = &settled[next++];
            *offer = offers[i];
            offer->shown.primitive = offer->primitive;
            offer->shown.spelling = offer->spelling;
            offer->shown.row_mode = offer->row_mode;
            offer->lengths = lengths_of(offer);
            offer->shown.lengths = offer->lengths.all;
            offer->shown.length_count = offer->lengths.count;
        }
    }
    free(offers);
    offers = settled;
}

static void add_everything(void) {
    find_hashes_and_ciphers();
    for (size_t i = 0; i < hashes_count; i++) {
        set_row(add_hash(CPB_HASH, hashes[i]), "hash", hashes[i]->name, "", "");
    }
    for (size_t i = 0; i < OWN_CIPHERS; i++) add_cipher(&ciphers[i]);
    add_streams();
    for (size_t i = OWN_CIPHERS; i < ciphers_count; i++) add_cipher(&ciphers[i]);
    for (size_t i = 0; i < LENGTH_OF(shakes); i++) {
        if (shakes[i].hash.init == NULL || shakes[i].hash.digest == NULL) continue;
        struct offer *offer = add_hash(CPB_XOF, &shakes[i].hash);
        name(offer->primitive, "%s", shakes[i].primitive);
    }
    add_macs();
    add_derivations();
    settle();
}

/* The provider */

/* The library does not say which code it took. A fat build shows what it can choose
 * from, by functions that are not in its headers; the words are those that the variable
 * takes which overrides the choice. */
static const char *code_path(void) {
    static const char *const variants[][2] = {
        {"_nettle_aes128_encrypt_aesni", "aesni"},
        {"_nettle_ghash_update_pclmul", "pclmul"},
        {"_nettle_sha1_compress_sha_ni", "sha_ni"},
        {"_nettle_aes128_encrypt_arm64", "aes"},
        {"_nettle_ghash_update_arm64", "pmull"},
        {"_nettle_sha1_compress_arm64", "sha1"},
        {"_nettle_sha256_compress_n_arm64", "sha2"},
    };
    static char text[512];
    size_t used = 0;
    for (size_t i = 0; i < LENGTH_OF(variants); i++) {
        if (dlsym(RTLD_DEFAULT, variants[i][0]) == NULL) continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                 used == 0 ? "fat build with " : ", ", variants[i][1]);
    }
    if (used == 0) return NULL;
    const char *told = getenv("NETTLE_FAT_OVERRIDE");
    snprintf(text + used, sizeof text - used, "%s%s",
             told != NULL ? "; NETTLE_FAT_OVERRIDE=" : ", each where the CPU has it",
             told != NULL ? told : "");
    return text;
}

static uint64_t count(void) { return offers_count; }

static const cpb_implementation *implementation(uint64_t index) {
    return index < offers_count ? &offers[index].shown : NULL;
}

static void release(void *handle) {
    struct call *call = handle;
    free(call->contexts);
    free(call->text);
    free(call->turned);
    free(call);
}

static int prepare(uint64_t index, const cpb_workload *workload, void **handle, char *reason,
                   uint64_t reason_bytes) {
    struct call *call = calloc(1, sizeof *call);
    struct cpb_symmetric given;
    if (call == NULL || index >= offers_count ||
        cpb_symmetric_of(&given, offers[index].shown.operation, workload) != 0) {
        snprintf(reason, reason_bytes, "%s", call ? "no such implementation" : "no memory");
        free(call);
        return 1;
    }
    const struct offer *offer = &offers[index];
    call->offer = offer;
    call->asked = workload;
    call->cipher = offer->cipher != NULL ? offer->cipher->is : NULL;
    call->source = given.message;
    call->length = given.message_bytes;
    call->destination = given.destination;
    call->key = given.key;
    call->key_bytes = given.key_bytes;
    call->nonce = given.nonce;
    call->nonce_bytes = given.nonce_bytes;
    call->aad = given.aad;
    call->aad_bytes = given.aad_bytes;
    call->tag = given.tag;
    call->output_bytes = given.output_bytes;
    call->result_bytes = given.output_bytes;
    if (!offer->make(call, &given)) {
        snprintf(reason, reason_bytes, "%s", call->reason);
        release(call);
        return 1;
    }
    call->routine->key(call);
    call->oneshot = given.contract == CPB_ONESHOT;
    *handle = call;
    return 0;
}

static void run(void *handle, uint64_t calls) {
    struct call *call = handle;
    call->routine->run(call, calls);
}

static int output(void *handle, cpb_buffer *outputs, uint64_t count, char *reason,
                  uint64_t reason_bytes) {
    struct call *call = handle;
    if (call->failed) {
        snprintf(reason, reason_bytes, "nettle rejects the tag");
        return 1;
    }
    const uint8_t *bytes = call->destination;
    if (call->turned != NULL) {
        uint8_t *turned = call->turned;
        memcpy(turned, call->destination + TAG_BYTES, call->length);
        memcpy(turned + call->length, call->destination, TAG_BYTES);
        bytes = turned;
    }
    cpb_symmetric_share(call->asked, bytes, call->result_bytes, outputs, count);
    return 0;
}

EXPORTED const cpb_provider *cpb_provider_v2(void) {
    static char version[32];
    static const cpb_provider provider = {
        CPB_PROVIDER_ABI, 0,       "nettle", version, code_path, count,
        implementation,   prepare, run,      output,  release,
    };
    if (offers == NULL) {
        snprintf(version, sizeof version, "%d.%d", nettle_version_major(), nettle_version_minor());
        add_everything();
    }
    return has_memory ? &provider : NULL;
}
