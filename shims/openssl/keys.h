/* Makes keys from bytes, writes them, and shares them among calls of several threads. The
 * catalogue defines the encoding of each type. */
#ifndef CPB_OPENSSL_KEYS_H
#define CPB_OPENSSL_KEYS_H

#include "../key_pairs.h"
#include "functions.h"
#include "parameters.h"

/* How keys are encoded: as raw bytes; as a number and a point of a curve; as two numbers of a
 * finite-field group; as PKCS #1 in DER. */
enum form { RAW, CURVE, GROUP, RSA };

/* What the keys are for: agreement; key encapsulation; signatures of the message's digest,
 * also with RSA's paddings; encryption with RSA's padding; signatures of the message itself,
 * also with randomness that libcrypto would otherwise draw. */
enum manner { AGREEMENT, KEM, HASHED, PKCS1, PSS, OAEP, WHOLE, WHOLE_WITH_CHANCE };

struct key_type {
    const char *primitive, *spelling;
    const char *name; /* libcrypto's name of the type or its curve */
    enum form form;
    enum manner manner;
    const char *hash; /* spelling of the hash function, if the message is hashed first */
    struct cpb_key_sizes sizes;
};

/* The inputs and results of a call; unused ones are null. */
struct ready {
    const struct key_type *type;
    EVP_PKEY *key, *peer;
    EVP_PKEY_CTX *context;
    EVP_MD_CTX *hashing;
    const EVP_MD *digest;
    BIGNUM *number;
    EC_POINT *point;
    BN_CTX *numbers;
    DH *dh;
    const EC_GROUP *group;
    /* The length of a signature or a plaintext in libcrypto's form, which is longer than the
     * output. */
    size_t length;
    uint8_t bytes[1024];
};

static inline void end_ready(void *handle) {
    struct ready *ready = handle;
    if (ready->context != NULL) ssl.keys.free_context(ready->context);
    if (ready->hashing != NULL) ssl.digests.free(ready->hashing);
    if (ready->key != NULL) ssl.keys.free(ready->key);
    if (ready->peer != NULL) ssl.keys.free(ready->peer);
    if (ready->number != NULL) ssl.keys.free_number(ready->number);
    if (ready->point != NULL) ssl.keys.free_point(ready->point);
    if (ready->numbers != NULL) ssl.keys.free_numbers(ready->numbers);
    if (ready->dh != NULL) ssl.keys.free_dh(ready->dh);
}

static inline struct ready *empty(void *handle, const void *type) {
    struct ready *ready = handle;
    memset(ready, 0, offsetof(struct ready, bytes));
    ready->type = type;
    return ready;
}

/* Returns 0 for a success, else 1 with the library's words. */
static inline int done(bool is_success, char *reason) {
    if (is_success) return 0;
    in_words(last_error(), reason, CPB_KEY_REASON_BYTES);
    return 1;
}

/* Does the same for `begin`, which must leave nothing behind if it fails. */
static inline int begun(struct ready *ready, bool is_success, char *reason) {
    if (!is_success) end_ready(ready);
    return done(is_success, reason);
}

/* Adds a number in the byte order of this machine. */
static inline void set_big_number(struct parameters *it, const char *key, struct cpb_bytes number,
                                  uint8_t *room) {
    for (uint64_t i = 0; i < number.length; i++) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        room[i] = number.bytes[i];
#else
        room[i] = number.bytes[number.length - 1 - i];
#endif
    }
    set_parameter(it, key, UNSIGNED_INTEGER, room, number.length);
}

enum { MOST_NUMBER_BYTES = 512 };

/* Returns the group of a curve, or null. It is made once, when the curve is offered, and kept,
 * so that no call waits for it and threads only read it. */
static inline const EC_GROUP *group_of(const char *curve) {
    static struct {
        const char *curve;
        EC_GROUP *group;
    } known[16];
    size_t i = 0;
    while (i + 1 < sizeof known / sizeof *known && known[i].group != NULL) {
        if (strcmp(known[i].curve, curve) == 0) return known[i].group;
        i++;
    }
    known[i].curve = curve;
    known[i].group = ssl.keys.group(ssl.keys.object(curve));
    return known[i].group;
}

static inline const char *of_numbers(const struct key_type *type) {
    return type->form == GROUP ? "DH" : "EC";
}

static inline EVP_PKEY *key_of_numbers(const struct key_type *type, bool is_secret,
                                       struct cpb_bytes bytes) {
    struct parameters list = {0};
    uint8_t room[MOST_NUMBER_BYTES];
    EVP_PKEY *key = NULL;
    if (bytes.length > sizeof room) return NULL;
    set_text(&list, "group", type->name);
    if (is_secret || type->form == GROUP) {
        set_big_number(&list, is_secret ? "priv" : "pub", bytes, room);
    } else {
        set_bytes(&list, "pub", bytes.bytes, bytes.length);
    }
    EVP_PKEY_CTX *context = ssl.keys.context_by_name(NULL, of_numbers(type), NULL);
    if (context == NULL) return NULL;
    const int selection = is_secret ? KEY_PAIR : PUBLIC_KEY;
    if (ssl.keys.begin_data(context) != 1 ||
        ssl.keys.of_data(context, &key, selection, list.list) != 1) {
        key = NULL;
    }
    ssl.keys.free_context(context);
    return key;
}

/* Reads a key, or returns null. */
static inline EVP_PKEY *read_key(const struct key_type *type, bool is_secret,
                                 struct cpb_bytes bytes) {
    const unsigned char *at = bytes.bytes;
    switch (type->form) {
    case RAW:
        return is_secret ? ssl.keys.raw_secret(NULL, type->name, NULL, at, bytes.length)
                         : ssl.keys.raw_public(NULL, type->name, NULL, at, bytes.length);
    case RSA:
        return is_secret ? ssl.keys.rsa_secret(KEY_TYPE_RSA, NULL, &at, (long)bytes.length)
                         : ssl.keys.rsa_public(KEY_TYPE_RSA, NULL, &at, (long)bytes.length);
    default:
        return key_of_numbers(type, is_secret, bytes);
    }
}

/* Keys that calls of several threads share if requested. They are never freed. */
static struct shared_key {
    struct shared_key *next;
    const char *name;
    bool is_secret;
    EVP_PKEY *key;
    uint64_t length;
    uint8_t bytes[];
} *shared_keys;
static bool shares_keys;

static inline EVP_PKEY *shared_key(const struct key_type *type, bool is_secret,
                                   struct cpb_bytes bytes) {
    struct shared_key *it = shared_keys;
    for (; it != NULL; it = it->next) {
        if (it->name == type->name && it->is_secret == is_secret && it->length == bytes.length &&
            memcmp(it->bytes, bytes.bytes, bytes.length) == 0) {
            break;
        }
    }
    if (it == NULL) {
        it = malloc(sizeof *it + bytes.length);
        EVP_PKEY *key = it != NULL ? read_key(type, is_secret, bytes) : NULL;
        if (key == NULL) {
            free(it);
            return NULL;
        }
        *it = (struct shared_key){shared_keys, type->name, is_secret, key, bytes.length};
        memcpy(it->bytes, bytes.bytes, bytes.length);
        shared_keys = it;
    }
    return ssl.keys.hold(it->key) == 1 ? it->key : NULL;
}

/* Returns one half of a key pair; null if libcrypto rejects the bytes. */
static inline EVP_PKEY *key_of(const struct key_type *type, const struct cpb_key_case *given,
                               uint32_t role) {
    const bool is_secret = role == CPB_SECRET_KEY;
    return shares_keys && given->contract != CPB_ONESHOT
               ? shared_key(type, is_secret, given->in[role])
               : read_key(type, is_secret, given->in[role]);
}

/* Whether the encoding fills the room, or, if its length varies, fits it. */
static inline bool write_der(int (*write)(const EVP_PKEY *, unsigned char **),
                             const EVP_PKEY *key, struct cpb_bytes out) {
    unsigned char *at = out.bytes;
    const int length = write(key, NULL);
    return length > 0 && (uint64_t)length <= out.length && write(key, &at) == length;
}

static inline bool write_public(const struct key_type *type, const EVP_PKEY *key,
                                struct cpb_bytes out) {
    size_t length = out.length;
    switch (type->form) {
    case RSA:
        return write_der(ssl.keys.write_rsa_public, key, out);
    case RAW:
        return ssl.keys.write_raw_public(key, out.bytes, &length) == 1 && length == out.length;
    default:
        return ssl.keys.octets_of(key, type->form == GROUP ? "encoded-pub-key" : "pub", out.bytes,
                                  out.length, &length) == 1 &&
               length == out.length;
    }
}

static inline bool write_secret(const struct key_type *type, const EVP_PKEY *key,
                                struct cpb_bytes out) {
    size_t length = out.length;
    BIGNUM *number = NULL;
    switch (type->form) {
    case RSA:
        return write_der(ssl.keys.write_rsa_secret, key, out);
    case RAW:
        return ssl.keys.write_raw_secret(key, out.bytes, &length) == 1 && length == out.length;
    default:
        if (ssl.keys.number_of(key, "priv", &number) != 1) return false;
        const int written = ssl.keys.write_number(number, out.bytes, (int)out.length);
        ssl.keys.free_number(number);
        return written == (int)out.length;
    }
}

#endif
