/* Encryption without a tag: modes of block ciphers, and stream ciphers.
 *
 * bench-slopes works in place, begins with zeros, and continues from call to call. */
#ifndef CPB_NETTLE_CIPHERS_H
#define CPB_NETTLE_CIPHERS_H

#include "call.h"

/* The longest block of any cipher that is offered. */
#define LONGEST_BLOCK 16

PART crypt_blocks(struct call *call) { call->crypt(call->context[0], TEXT); }
WORK(blocks, set_key, crypt_blocks)

/* The third context holds the initial value, and the library advances the copy. */
PART set_initial_value(struct call *call) {
    if (call->in.contract != CPB_COMPAT) memcpy(call->scratch, call->context[2], LONGEST_BLOCK);
}

PART crypt_chain(struct call *call) {
    set_initial_value(call);
    call->chain(call->context[0], call->crypt, call->cipher.block_size, call->scratch, TEXT);
}
WORK(chained, set_key, crypt_chain)

PART encrypt_cbc(struct call *call) {
    set_initial_value(call);
    call->cbc(call->context[0], call->scratch, TEXT);
}
WORK(cbc_in_one, set_key, encrypt_cbc)

/* Sets the key of the data, then that of the tweak. */
PART set_xts_keys(struct call *call) {
    call->set_key(call->context[0], call->in.key);
    call->cipher.set_encrypt_key(call->context[1], call->in.key + call->cipher.key_size);
}
PART encrypt_xts(struct call *call) {
    xts_encrypt_message(call->context[0], call->context[1], call->cipher.encrypt,
                        call->context[2], TEXT);
}
PART decrypt_xts(struct call *call) {
    xts_decrypt_message(call->context[0], call->context[1], call->cipher.decrypt,
                        call->cipher.encrypt, call->context[2], TEXT);
}
WORK(xts_encryption, set_xts_keys, encrypt_xts)
WORK(xts_decryption, set_xts_keys, decrypt_xts)

/* With `inverse`, decryption uses the inverse cipher. bench-slopes decrypts CFB with
 * the inverse key schedule and XTS with the forward one, which costs the same and gives
 * a wrong result. */
static const struct mode {
    const char *name, *prefix, *rows[2];
    bool whole_blocks, inverse, inverse_in_row;
    const struct routine *encryption, *decryption;
    chain_func *encrypt, *decrypt;
} modes[] = {
#define ROWS(mode) {mode " enc", mode " dec"}
    {"ecb", "", ROWS("ECB"), true, true, true, &blocks, &blocks, NULL, NULL},
    {"cbc", "cbc_", ROWS("CBC"), true, true, true, &chained, &chained, cbc_encrypt, cbc_decrypt},
    {"cfb", "cfb_", ROWS("CFB"), false, false, true, &chained, &chained, cfb_encrypt, cfb_decrypt},
    {"ctr", "ctr_", ROWS("CTR"), false, false, false, &chained, &chained, ctr_crypt, ctr_crypt},
    {"xts", "xts_", ROWS("XTS"), true, true, false, &xts_encryption, &xts_decryption, NULL, NULL},
    {"cfb8", "cfb8_", {NULL, NULL}, false, false, true, &chained, &chained, cfb8_encrypt, cfb8_decrypt},
};

/* Returns the one function that does CBC encryption with AES, if there is one. */
static cbc_func *cbc_in_one_of(const struct nettle_cipher *cipher) {
#if SINCE(8)
    if (cipher == &nettle_aes128) return AS(cbc_func, cbc_aes128_encrypt);
    if (cipher == &nettle_aes192) return AS(cbc_func, cbc_aes192_encrypt);
    if (cipher == &nettle_aes256) return AS(cbc_func, cbc_aes256_encrypt);
#endif
    return NULL;
}

static bool refuses_mode(struct call *call) {
    const bool decrypts = call->offer->shown.operation == CPB_DECRYPT;
    const bool compat = call->in.contract == CPB_COMPAT;
    const struct mode *mode = call->offer->how;
    const struct nettle_cipher *cipher = call->offer->cipher;
    if (mode->encryption == &xts_encryption && call->in.message_bytes < cipher->block_size) {
        return refuse(call, "nettle aborts on an XTS message shorter than a block");
    }
    if (lacks_contexts(call, cipher->context_size, cipher->context_size, LONGEST_BLOCK) ||
        is_weak(call, call->context[0])) {
        return true;
    }
    if (compat) {
        call->in.destination = call->in.message;
    } else if (call->in.nonce_bytes != 0) {
        memcpy(call->context[2], call->in.nonce, call->in.nonce_bytes);
    }
    const bool inverse_key = decrypts && (compat ? mode->inverse_in_row : mode->inverse);
    call->set_key = inverse_key ? cipher->set_decrypt_key : cipher->set_encrypt_key;
    call->crypt = decrypts && mode->inverse ? cipher->decrypt : cipher->encrypt;
    call->chain = decrypts ? mode->decrypt : mode->encrypt;
    if (call->chain == cbc_encrypt) {
        call->cbc = cbc_in_one_of(cipher);
        if (call->cbc != NULL) call->routine = &cbc_in_one;
    }
    return false;
}

/* Stream ciphers. Setting a nonce sets the counter to zero. */

static const struct stream {
    const char *spelling, *primitive;
    uint32_t key_bytes, nonce_bytes;
    nettle_set_key_func *set_key, *set_nonce;
    nettle_crypt_func *crypt, *row; /* `row`: what bench-slopes times, if it has a row */
} streams[] = {
#define STREAM(spelling, primitive, key_bytes, nonce_bytes, set_key, set_nonce, crypt, row)      \
    {spelling, primitive, key_bytes, nonce_bytes, AS(nettle_set_key_func, set_key),              \
     AS(nettle_set_key_func, set_nonce), AS(nettle_crypt_func, crypt), AS(nettle_crypt_func, row)}
    STREAM("arcfour", "rc4-128", 16, 0, arcfour128_set_key, NULL, arcfour_crypt, arcfour_crypt),
    STREAM("salsa20", "salsa20", 32, 8, salsa20_256_set_key, salsa20_set_nonce, salsa20_crypt,
           salsa20_crypt),
    STREAM("salsa20r12", "salsa20-12", 32, 8, salsa20_256_set_key, salsa20_set_nonce,
           salsa20r12_crypt, salsa20r12_crypt),
    /* RFC 8439: a nonce of 96 and a counter of 32 bits, which the first function keeps
     * separate. bench-slopes calls the other function. */
    STREAM("chacha", "chacha20", 32, 12, chacha_set_key, chacha_set_nonce96, chacha_crypt32,
           chacha_crypt),
    STREAM("chacha_nonce64", "chacha20-djb", 32, 8, chacha_set_key, chacha_set_nonce,
           chacha_crypt, NULL),
    STREAM("salsa20_128", "salsa20-128", 16, 8, salsa20_128_set_key, salsa20_set_nonce,
           salsa20_crypt, NULL),
    STREAM("salsa20r12_128", "salsa20-12-128", 16, 8, salsa20_128_set_key, salsa20_set_nonce,
           salsa20r12_crypt, NULL),
};

union stream_context {
    struct arcfour_ctx arcfour;
    struct salsa20_ctx salsa20;
    struct chacha_ctx chacha;
};

PART crypt_stream(struct call *call) {
    if (call->set_nonce != NULL) call->set_nonce(call->context[0], call->in.nonce);
    call->stream(call->context[0], TEXT);
}
WORK(streaming, set_key, crypt_stream)

/* Arcfour has no nonce, and its state is its key schedule, so each call that must start
 * again copies it back. */
PART set_arcfour_key(struct call *call) {
    call->set_key(call->context[0], call->in.key);
    memcpy(call->context[1], call->context[0], sizeof(struct arcfour_ctx));
}
PART crypt_arcfour(struct call *call) {
    memcpy(call->context[0], call->context[1], sizeof(struct arcfour_ctx));
    arcfour_crypt(call->context[0], TEXT);
}
WORK(arcfour, set_arcfour_key, crypt_arcfour)

static bool refuses_stream(struct call *call) {
    const struct stream *stream = call->offer->how;
    const bool compat = call->in.contract == CPB_COMPAT;
    call->set_key = stream->set_key;
    call->set_nonce = compat ? NULL : stream->set_nonce;
    call->stream = compat ? stream->row : stream->crypt;
    if (compat) {
        call->routine = &streaming;
        call->in.destination = call->in.message;
    }
    return lacks_contexts(call, sizeof(union stream_context), sizeof(struct arcfour_ctx), 0);
}

#endif
