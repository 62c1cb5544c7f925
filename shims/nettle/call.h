/* What Nettle's offers and calls add to shim.h's, and their memory. */
#ifndef CPB_NETTLE_CALL_H
#define CPB_NETTLE_CALL_H

#include "library.h"

#define OFFER_FIELDS                                                                             \
    const struct nettle_hash *hash;                                                              \
    const struct nettle_cipher *cipher;                                                          \
    const struct nettle_mac *mac;

/* Copies of what the library's descriptors say, and contexts, which lie in the state. */
#define CALL_FIELDS                                                                              \
    struct nettle_hash hash;                                                                     \
    struct nettle_cipher cipher;                                                                 \
    struct nettle_mac mac;                                                                       \
    nettle_set_key_func *set_key, *set_nonce;                                                    \
    nettle_cipher_func *crypt;                                                                   \
    nettle_crypt_func *stream;                                                                   \
    chain_func *chain;                                                                           \
    cbc_func *cbc;                                                                               \
    void *context[3];                                                                            \
    uint8_t *scratch;

#include "../shim.h"

/* Arguments that the library's functions take together: here lengths come first. */
#undef KEY
#undef NONCE
#undef AAD
#undef MESSAGE
#undef OUTPUT
#define KEY call->in.key_bytes, call->in.key
#define NONCE call->in.nonce_bytes, call->in.nonce
#define AAD call->in.aad_bytes, call->in.aad
#define MESSAGE call->in.message_bytes, call->in.message
#define OUTPUT call->in.output_bytes, call->in.destination
#define CONTEXTS call->context[0], call->context[1], call->context[2]
#define TEXT call->in.message_bytes, call->in.destination, call->in.message

/* Defines a routine whose parts find their contexts in the call. */
#define WORK(name, key_part, call_part)                                                          \
    PART name##_key(struct call *call, void *state) { key_part(call); }                          \
    PART name##_call(struct call *call, void *state) { call_part(call); }                        \
    ROUTINE(name, char, name##_key, name##_call, nothing)

PART no_key(struct call *call) {}

PART set_key(struct call *call) { call->set_key(call->context[0], call->in.key); }

#define LINE_BYTES 64

/* Makes zeroed contexts of these sizes, each on cache lines of its own, followed by a
 * line of scratch memory; and copies the descriptors. */
static bool lacks_contexts(struct call *call, size_t first, size_t second, size_t third) {
    const struct offer *offer = call->offer;
    const size_t sizes[] = {first, second, third};
    size_t bytes = 0, places[LENGTH_OF(sizes)];
    if (offer->hash != NULL) call->hash = *offer->hash;
    if (offer->cipher != NULL) call->cipher = *offer->cipher;
    if (offer->mac != NULL) call->mac = *offer->mac;
    for (size_t i = 0; i < LENGTH_OF(sizes); i++) {
        places[i] = bytes;
        bytes += (sizes[i] + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    }
    uint8_t *memory = pages(call, bytes + LINE_BYTES);
    if (memory == NULL) return true;
    for (size_t i = 0; i < LENGTH_OF(sizes); i++) {
        call->context[i] = memory + places[i];
        call->object_bytes += sizes[i];
    }
    call->scratch = memory + bytes;
    call->state = memory;
    return false;
}

/* Whether the library calls the key weak. */
static bool is_weak(struct call *call, void *context) {
    typedef int check_key_func(void *, const uint8_t *);
    const struct nettle_cipher *cipher = call->offer->cipher;
    if (cipher != &blowfish && cipher != &des3 && cipher != &des) return false;
    return AS(check_key_func, cipher->set_encrypt_key)(context, call->in.key) == 0 &&
           refuse(call, "nettle calls the key of %s weak", cipher->name);
}

#endif
