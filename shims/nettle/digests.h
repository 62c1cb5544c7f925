/* Hashes, XOFs and MACs. */
#ifndef CPB_NETTLE_DIGESTS_H
#define CPB_NETTLE_DIGESTS_H

#include "call.h"

PART hash_message(struct call *call) {
    call->hash.init(call->context[0]);
    call->hash.update(call->context[0], MESSAGE);
    call->hash.digest(call->context[0], OUTPUT);
}
WORK(hash, no_key, hash_message)

static bool refuses_hash(struct call *call) {
    /* bench-slopes reads one byte of the digest. */
    if (call->in.contract == CPB_COMPAT) call->in.output_bytes = 1;
    return lacks_contexts(call, call->offer->hash->context_size, 0, 0);
}

/* The library has no descriptors of XOFs. */
#define SHAKE(bits)                                                                              \
    {                                                                                            \
        "sha3_" #bits "_shake", sizeof(struct sha3_##bits##_ctx), 0, SHA3_##bits##_BLOCK_SIZE,   \
            AS(nettle_hash_init_func, sha3_##bits##_init),                                       \
            AS(nettle_hash_update_func, sha3_##bits##_update),                                   \
            AS(nettle_hash_digest_func, sha3_##bits##_shake)                                     \
    }
static const struct xof {
    const char *primitive;
    struct nettle_hash hash;
} xofs[] = {
    {"shake256", SHAKE(256)},
#if SINCE(10)
    {"shake128", SHAKE(128)},
#endif
};

/* Reading the digest of a MAC leaves the state ready for the next message. */

PART key_hmac_contexts(struct call *call) {
    hmac_set_key(CONTEXTS, call->offer->hash, KEY);
}
PART hmac_message(struct call *call) {
    hmac_update(call->context[2], call->offer->hash, MESSAGE);
    hmac_digest(CONTEXTS, call->offer->hash, OUTPUT);
}
WORK(hmac, key_hmac_contexts, hmac_message)

static bool refuses_hmac(struct call *call) {
    const size_t bytes = call->offer->hash->context_size;
    return lacks_contexts(call, bytes, bytes, bytes);
}

/* Defines CMAC for blocks of `bits` bits. */
#define CMAC(bits)                                                                               \
    PART key_cmac##bits##_contexts(struct call *call) {                                          \
        call->cipher.set_encrypt_key(call->context[2], call->in.key);                            \
        cmac##bits##_set_key(call->context[0], call->context[2], call->cipher.encrypt);          \
        cmac##bits##_init(call->context[1]);                                                     \
    }                                                                                            \
    PART cmac##bits##_message(struct call *call) {                                               \
        cmac##bits##_update(call->context[1], call->context[2], call->cipher.encrypt, MESSAGE);  \
        cmac##bits##_digest(call->context[1], call->context[0], call->context[2],                \
                            call->cipher.encrypt, bits / 8, call->in.destination);               \
    }                                                                                            \
    WORK(cmac##bits, key_cmac##bits##_contexts, cmac##bits##_message)
CMAC(64)
CMAC(128)

static bool refuses_cmac(struct call *call) {
    return lacks_contexts(call, sizeof(struct cmac128_key), sizeof(struct cmac128_ctx),
                          call->offer->cipher->context_size) ||
           is_weak(call, call->context[2]);
}

/* MACs with a nonce. Every digest increments it, so each call sets it. */
#define NONCE_MAC(mac, ...)                                                                      \
    PART mac##_message(struct call *call) {                                                      \
        mac##_set_nonce(call->context[0], __VA_ARGS__);                                          \
        mac##_update(call->context[0], MESSAGE);                                                 \
        mac##_digest(call->context[0], OUTPUT);                                                  \
    }                                                                                            \
    WORK(mac, set_key, mac##_message)
NONCE_MAC(umac32, NONCE)
NONCE_MAC(umac64, NONCE)
NONCE_MAC(umac96, NONCE)
NONCE_MAC(umac128, NONCE)
NONCE_MAC(poly1305_aes, call->in.nonce)

/* UMAC takes nonces of up to 16 bytes; RFC 4418 uses 8. */
static const struct nonce_mac {
    const char *spelling, *primitive;
    uint32_t key_bytes, nonce_bytes, tag_bytes, block_bytes;
    size_t context_bytes;
    nettle_set_key_func *set_key;
    const struct routine *routine;
} nonce_macs[] = {
#define MAC(mac) sizeof(struct mac##_ctx), AS(nettle_set_key_func, mac##_set_key), &mac
    {"umac32", "umac-32", 16, 8, 4, 1024, MAC(umac32)},
    {"umac64", "umac-64", 16, 8, 8, 1024, MAC(umac64)},
    {"umac96", "umac-96", 16, 8, 12, 1024, MAC(umac96)},
    {"umac128", "umac-128", 16, 8, 16, 1024, MAC(umac128)},
    {"poly1305_aes", "poly1305-aes-128", 32, 16, 16, 16, MAC(poly1305_aes)},
};

static bool refuses_nonce_mac(struct call *call) {
    const struct nonce_mac *mac = call->how;
    call->set_key = mac->set_key;
    return lacks_contexts(call, mac->context_bytes, 0, 0);
}

#endif
