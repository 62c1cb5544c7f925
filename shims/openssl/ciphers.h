/* Ciphers without a tag and with one, and any of them as bench-slopes times it. */
#ifndef CPB_OPENSSL_CIPHERS_H
#define CPB_OPENSSL_CIPHERS_H

#include "call.h"

#define TAG_BYTES 16

END(ciphers)

/* Processes the message; returns whether the output has its length. */
STEP put_through(const struct call *call) {
    const int bytes = (int)call->in.message_bytes;
    uint8_t *to = call->in.destination;
    int done = 0, rest = 0;
    return call->way.update(call->context, to, &done, call->in.message, bytes) == 1 &&
           call->way.finish(call->context, to + done, &rest) == 1 && done + rest == bytes;
}

static bool take_way(struct call *call) {
    const uint32_t operation = call->offer->shown.operation;
    const bool decrypts = operation == CPB_DECRYPT || operation == CPB_OPEN;
    call->way = decrypts ? ssl.decryption : ssl.encryption;
    if (call->offer->starts_by_algorithm) call->algorithm_again = call->how;
    if (call->offer->starts_by_key) call->key_again = call->in.key;
    return is_too_long(call, call->in.message_bytes) || is_too_long(call, call->in.aad_bytes);
}

/* Times any cipher as bench-slopes does: in place, with a nonce of zeros in every call,
 * without a tag, with padding on. It finishes a message if a part was held back, and ignores
 * all errors. CPB_AUTH passes its message as associated data. */

PART row_begin(struct call *call, void *state) {
    call->context = ssl.ciphers.new();
    TRY(call->context != NULL);
    TRY_OR_FREE(ciphers, call->way.init(call->context, call->how, NULL, call->in.key, NULL));
}

PART row_message(struct call *call, void *state) {
    static const uint8_t zeros[MOST_NONCE_BYTES];
    const bool is_auth = call->which;
    uint8_t *message = call->in.message;
    const int bytes = (int)call->in.message_bytes;
    int done = 0, rest = 0;
    call->way.init(call->context, NULL, NULL, NULL, zeros);
    call->way.update(call->context, is_auth ? NULL : message, &done, message, bytes);
    if (done != bytes) {
        call->way.finish(call->context, message + (is_auth ? 0 : done), &rest);
    }
}
ROUTINE(row, char, row_begin, row_message, ciphers_end)

static bool refuses_row(struct call *call) {
    call->routine = &row;
    call->which = call->offer->shown.operation == CPB_AUTH;
    if (call->which) call->in.message_bytes = call->in.aad_bytes;
    if (call->in.output_bytes > call->in.message_bytes) {
        call->in.output_bytes = call->in.message_bytes;
    }
    call->in.destination = call->in.message;
    return false;
}

/* Ciphers without a tag, whose state is the initial value. */

PART cipher_begin(struct call *call, uint8_t *nonce) {
    call->context = ssl.ciphers.new();
    TRY(call->context != NULL);
    TRY_OR_FREE(ciphers, call->way.init(call->context, call->how, NULL, call->in.key, nonce));
    TRY_OR_FREE(ciphers, ssl.ciphers.padding(call->context, 0));
}

PART cipher_message(struct call *call, uint8_t *nonce) {
    AGAIN(call->way.init(call->context, NULL, NULL, call->key_again, nonce));
    TRY(put_through(call));
}
ROUTINE(cipher_only, uint8_t, cipher_begin, cipher_message, ciphers_end)

static bool refuses_cipher(struct call *call) {
    if (take_way(call)) return true;
    if (call->in.contract == CPB_COMPAT) return refuses_row(call);
    /* The nonce of libcrypto's ChaCha20 begins with the block counter. */
    const uint64_t end = call->offer->counter_bytes + call->in.nonce_bytes;
    if (end > MOST_NONCE_BYTES) {
        return refuse(call, "EVP takes no initial value of %llu bytes", (unsigned long long)end);
    }
    uint8_t *nonce = call->state = pages(call, MOST_NONCE_BYTES);
    if (nonce == NULL) return true;
    memcpy(nonce + call->offer->counter_bytes, NONCE);
    return false;
}

/* Authenticated encryption. */

/* Sets cipher, key and nonce, as far as they are not null. `which` marks CCM, whose lengths
 * of nonce and tag are set before the key. */
STEP set(const struct call *call, const void *cipher, const uint8_t *key) {
    void *context = call->context;
    if (!call->which || cipher == NULL) {
        return call->way.init(context, cipher, NULL, key, call->in.nonce) == 1;
    }
    return call->way.init(context, cipher, NULL, NULL, NULL) == 1 &&
           ssl.ciphers.control(context, SET_NONCE_LENGTH, (int)call->in.nonce_bytes, NULL) == 1 &&
           ssl.ciphers.control(context, SET_TAG, TAG_BYTES, NULL) == 1 &&
           call->way.init(context, NULL, NULL, key, call->in.nonce) == 1;
}

/* Passes the associated data; for CCM, passes the length of the message before it. */
STEP associate(const struct call *call) {
    const int bytes = (int)call->in.aad_bytes;
    int done = 0;
    if (call->which &&
        call->way.update(call->context, NULL, &done, NULL, (int)call->in.message_bytes) != 1) {
        return false;
    }
    return bytes == 0 || call->way.update(call->context, NULL, &done, call->in.aad, bytes) == 1;
}

PART aead_begin(struct call *call, void *state) {
    call->context = ssl.ciphers.new();
    TRY(call->context != NULL);
    TRY_OR_FREE(ciphers, set(call, call->how, call->in.key));
}

PART seal_message(struct call *call, void *state) {
    AGAIN(set(call, call->algorithm_again, call->key_again));
    TRY(associate(call));
    TRY(put_through(call));
    TRY(ssl.ciphers.control(call->context, GET_TAG, TAG_BYTES, TAG_BEHIND));
}
ROUTINE(seal, char, aead_begin, seal_message, ciphers_end)

PART open_message(struct call *call, void *state) {
    AGAIN(set(call, call->algorithm_again, call->key_again));
    TRY(ssl.ciphers.control(call->context, SET_TAG, TAG_BYTES, (void *)(uintptr_t)call->in.tag));
    TRY(associate(call));
    TRY(put_through(call));
}
ROUTINE(unseal, char, aead_begin, open_message, ciphers_end)

static bool refuses_aead(struct call *call) {
    if (take_way(call)) return true;
    if (call->in.contract == CPB_COMPAT) return refuses_row(call);
    call->which = call->offer->declares_lengths;
    if (call->in.nonce_bytes == 0) call->in.nonce = NULL;
    return call->offer->shown.operation == CPB_OPEN && call->in.tag_bytes != TAG_BYTES &&
           refuse(call, "a tag has %d bytes", TAG_BYTES);
}

#endif
