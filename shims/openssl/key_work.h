/* Defines the work with key pairs: one function of each kind for all types. */
#ifndef CPB_OPENSSL_KEY_WORK_H
#define CPB_OPENSSL_KEY_WORK_H

#include "der.h"
#include "keys.h"

#define IN(role) given->in[role].bytes, given->in[role].length

/* Defines the work of `name`_begin and `name`_run; for outputs in a form of libcrypto's own, with
 * what encodes and forgets them. */
#define WORK(name, ...)                                                                          \
    static const struct cpb_key_work name = {.ready_bytes = sizeof(struct ready),                \
                                             .begin = name##_begin,                              \
                                             .run = name##_run,                                  \
                                             .end = end_ready,                                   \
                                             __VA_ARGS__};

/* Does nothing: the result is kept in `ready`. */
static void stays(void *kept) {}

/* Takes a key of this half, and makes a context of it. */
static bool take_key(struct ready *ready, const struct cpb_key_case *given, uint32_t role) {
    ready->key = key_of(ready->type, given, role);
    if (ready->key == NULL) return false;
    ready->context = ssl.keys.context_of(NULL, ready->key, NULL);
    return ready->context != NULL;
}

/* Defines a beginning with a key of this half, whose context takes these steps. */
#define BEGIN_WITH(function, role, steps)                                                        \
    CPB_BEGIN(function) {                                                                        \
        struct ready *ready = empty(memory, how);                                                \
        return begun(ready, take_key(ready, given, role) && steps, reason);                      \
    }

static bool write_pair(const struct key_type *type, const EVP_PKEY *pair,
                       const struct cpb_key_case *given) {
    return write_public(type, pair, given->out[CPB_PUBLIC_KEY]) &&
           write_secret(type, pair, given->out[CPB_SECRET_KEY]);
}

/* Makes key pairs from libcrypto's own randomness, or from seeds where it accepts them.
 * Except under oneshot, a pair stays an object. */
CPB_BEGIN(generation_begin) {
    struct ready *ready = empty(memory, how);
    const struct key_type *type = how;
    const bool is_of_numbers = type->form == CURVE || type->form == GROUP;
    const char *name = is_of_numbers ? of_numbers(type) : type->name;
    ready->context = ssl.keys.context_by_name(NULL, name, NULL);
    return begun(ready, ready->context != NULL && ssl.keys.begin_generating(ready->context) == 1,
                 reason);
}
CPB_RUN(generation_run) {
    struct ready *ready = memory;
    struct parameters list = {0};
    EVP_PKEY *pair = NULL;
    if (ready->type->form == RSA) {
        const uint64_t bytes = given->out[CPB_PUBLIC_KEY].length - CPB_RSA_PUBLIC_BESIDE;
        set_number(&list, "bits", 8 * bytes);
    } else if (ready->type->form != RAW) {
        set_text(&list, "group", ready->type->name);
    } else if (given->in[CPB_RANDOMNESS].length != 0) {
        set_bytes(&list, "seed", IN(CPB_RANDOMNESS));
    }
    if ((list.count != 0 && ssl.keys.set(ready->context, list.list) != 1) ||
        ssl.keys.generate(ready->context, &pair) != 1) {
        return done(false, reason);
    }
    if (given->contract == CPB_ONESHOT) {
        const bool is_written = write_pair(ready->type, pair, given);
        ssl.keys.free(pair);
        return done(is_written, reason);
    }
    if (*given->kept != NULL) ssl.keys.free(*given->kept);
    *given->kept = pair;
    return 0;
}
static int generation_encode(const void *how, const struct cpb_key_case *given, char *reason) {
    return done(write_pair(how, *given->kept, given), reason);
}
static void generation_forget(void *pair) { ssl.keys.free(pair); }
WORK(generation, .encode = generation_encode, .forget = generation_forget)

/* Derives the public key from a secret one. libcrypto does so while it reads the bytes, so
 * there is nothing to prepare. */
CPB_BEGIN(raw_public_begin) {
    empty(memory, how);
    return 0;
}
CPB_RUN(raw_public_run) {
    const struct ready *ready = memory;
    EVP_PKEY *key = key_of(ready->type, given, CPB_SECRET_KEY);
    const bool is_written =
        key != NULL && write_public(ready->type, key, given->out[CPB_PUBLIC_KEY]);
    if (key != NULL) ssl.keys.free(key);
    return done(is_written, reason);
}
WORK(raw_public)

/* Multiplies the curve's base point, as libcrypto's own key generation does. */
CPB_BEGIN(curve_public_begin) {
    struct ready *ready = empty(memory, how);
    ready->group = group_of(ready->type->name);
    ready->number = ssl.keys.number(given->in[CPB_SECRET_KEY].bytes,
                                    (int)given->in[CPB_SECRET_KEY].length, NULL);
    if (ready->group != NULL) ready->point = ssl.keys.point(ready->group);
    ready->numbers = ssl.keys.new_numbers();
    return begun(ready, ready->number != NULL && ready->point != NULL && ready->numbers != NULL,
                 reason);
}
CPB_RUN(curve_public_run) {
    const struct ready *ready = memory;
    const struct cpb_bytes out = given->out[CPB_PUBLIC_KEY];
    return done(ssl.keys.multiply(ready->group, ready->point, ready->number, NULL, NULL,
                                  ready->numbers) == 1 &&
                    ssl.keys.write_point(ready->group, ready->point, UNCOMPRESSED, out.bytes,
                                         out.length, ready->numbers) == out.length,
                reason);
}
WORK(curve_public)

/* Raises the generator of a finite-field group to a power, by libcrypto's own key generation,
 * which draws no secret number if it is given one. */
CPB_BEGIN(group_public_begin) {
    struct ready *ready = empty(memory, how);
    ready->dh = ssl.keys.dh(ssl.keys.object(ready->type->name));
    BIGNUM *number = ssl.keys.number(given->in[CPB_SECRET_KEY].bytes,
                                     (int)given->in[CPB_SECRET_KEY].length, NULL);
    /* If the call succeeds, the key owns the number. */
    const bool is_taken =
        ready->dh != NULL && number != NULL && ssl.keys.set_dh(ready->dh, NULL, number) == 1;
    if (!is_taken) ssl.keys.free_number(number);
    return begun(ready, is_taken, reason);
}
CPB_RUN(group_public_run) {
    const struct ready *ready = memory;
    const struct cpb_bytes out = given->out[CPB_PUBLIC_KEY];
    return done(ssl.keys.generate_dh(ready->dh) == 1 &&
                    ssl.keys.write_number(ssl.keys.public_dh(ready->dh), out.bytes,
                                          (int)out.length) == (int)out.length,
                reason);
}
WORK(group_public)

/* Agreement: prepares a context that knows the peer. */
CPB_BEGIN(agreement_begin) {
    struct ready *ready = empty(memory, how);
    struct parameters list = {0};
    /* TLS 1.3 pads the secret to the modulus' length; without padding, leading zeros are left
     * out. */
    if (ready->type->form == GROUP) set_number(&list, "pad", 1);
    return begun(ready,
                 take_key(ready, given, CPB_SECRET_KEY) &&
                     (ready->peer = key_of(ready->type, given, CPB_PUBLIC_KEY)) != NULL &&
                     ssl.keys.begin_deriving(ready->context) == 1 &&
                     (list.count == 0 || ssl.keys.set(ready->context, list.list) == 1) &&
                     ssl.keys.set_peer(ready->context, ready->peer) == 1,
                 reason);
}
CPB_RUN(agreement_run) {
    const struct ready *ready = memory;
    const struct cpb_bytes out = given->out[CPB_SHARED_SECRET];
    size_t length = out.length;
    return done(ssl.keys.derive(ready->context, out.bytes, &length) == 1 && length == out.length,
                reason);
}
WORK(agreement)

/* Key encapsulation. */
BEGIN_WITH(encapsulation_begin, CPB_PUBLIC_KEY,
           ssl.keys.begin_encapsulating(ready->context, NULL) == 1)
CPB_RUN(encapsulation_run) {
    const struct ready *ready = memory;
    const struct cpb_bytes ciphertext = given->out[CPB_CIPHERTEXT];
    const struct cpb_bytes secret = given->out[CPB_SHARED_SECRET];
    size_t bytes = ciphertext.length, secret_bytes = secret.length;
    /* Randomness serves one ciphertext, so each call sets it. */
    if (given->in[CPB_RANDOMNESS].length != 0) {
        struct parameters list = {0};
        set_bytes(&list, "ikme", IN(CPB_RANDOMNESS));
        if (ssl.keys.begin_encapsulating(ready->context, list.list) != 1) {
            return done(false, reason);
        }
    }
    return done(ssl.keys.encapsulate(ready->context, ciphertext.bytes, &bytes, secret.bytes,
                                     &secret_bytes) == 1 &&
                    bytes == ciphertext.length && secret_bytes == secret.length,
                reason);
}
WORK(encapsulation)

BEGIN_WITH(decapsulation_begin, CPB_SECRET_KEY,
           ssl.keys.begin_decapsulating(ready->context, NULL) == 1)
CPB_RUN(decapsulation_run) {
    const struct ready *ready = memory;
    const struct cpb_bytes out = given->out[CPB_SHARED_SECRET];
    size_t length = out.length;
    return done(
        ssl.keys.decapsulate(ready->context, out.bytes, &length, IN(CPB_CIPHERTEXT)) == 1 &&
            length == out.length,
        reason);
}
WORK(decapsulation)

/* Public-key encryption: RSA with OAEP. */
static bool set_oaep(const struct ready *ready) {
    struct parameters list = {0};
    set_text(&list, "digest", "SHA256");
    set_text(&list, "pad-mode", "oaep");
    return ssl.keys.set(ready->context, list.list) == 1;
}
BEGIN_WITH(encryption_begin, CPB_PUBLIC_KEY,
           ssl.keys.begin_encrypting(ready->context) == 1 && set_oaep(ready))
CPB_RUN(encryption_run) {
    const struct ready *ready = memory;
    const struct cpb_bytes out = given->out[CPB_CIPHERTEXT];
    size_t length = out.length;
    return done(
        ssl.keys.encrypt(ready->context, out.bytes, &length, IN(CPB_SHARED_SECRET)) == 1 &&
            length == out.length,
        reason);
}
WORK(encryption)

BEGIN_WITH(decryption_begin, CPB_SECRET_KEY,
           ssl.keys.begin_decrypting(ready->context) == 1 && set_oaep(ready))
/* libcrypto requires room for the size of the modulus. */
CPB_RUN(decryption_run) {
    struct ready *ready = *given->kept = memory;
    ready->length = sizeof ready->bytes;
    return done(
        ssl.keys.decrypt(ready->context, ready->bytes, &ready->length, IN(CPB_CIPHERTEXT)) == 1 &&
            ready->length == given->out[CPB_SHARED_SECRET].length,
        reason);
}
static int decryption_encode(const void *how, const struct cpb_key_case *given, char *reason) {
    const struct ready *ready = *given->kept;
    memcpy(given->out[CPB_SHARED_SECRET].bytes, ready->bytes, ready->length);
    return 0;
}
WORK(decryption, .encode = decryption_encode, .forget = stays)

#endif
