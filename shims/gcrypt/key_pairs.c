/* Offers libgcrypt's key pairs: scalar multiplication on the curves of RFC 7748, and ECDH,
 * signatures and RSA, whose keys, messages and values are S-expressions. Building the
 * expression of a value to sign, a secret or a ciphertext is part of a call. */
#include "words.h"

#include "../der.h"

#include "expressions.h"

#include "rsa.h"

#include "keys.h"

static const cpb_provider provider = CPB_KEY_PAIRS;

static int tries_first(char *words) {
    char said[80];
    if (words != NULL) {
        snprintf(said, sizeof said, "%.79s", words);
        refuse_by(said, words, CPB_KEY_REASON_BYTES);
    }
    return is_in_fips_mode();
}

static void forget(void *kept) { gcry.keys.release(kept); }

static int keep(const struct cpb_key_case *given, status failed, expression made, char *reason) {
    gcry.keys.release(*given->kept);
    *given->kept = made;
    return failed == 0 ? 0 : words(failed, reason);
}

/* Builds an expression of this form. The canonical form does not allow empty strings. */
static status build(expression *made, const char *form, const void *bytes, size_t length) {
    /* No message is longer than 1 GiB, so the length fits an int. */
    return gcry.keys.build(made, NULL, form, (int)length, bytes);
}

/* Builds the expression of the value that is signed for a message. */
static status value_of(const struct algorithm *how, struct cpb_bytes message, expression *value) {
    uint8_t hash[64];
    if (how->hash_bytes == 0) return build(value, how->form, message.bytes, message.length);
    gcry.keys.hash(how->number, hash, message.bytes, message.length);
    return build(value, how->form, hash, how->hash_bytes);
}

CPB_RUN(sign) {
    const struct ready *ready = memory;
    expression value = NULL, made = NULL;
    status failed = value_of(ready->how, given->in[CPB_MESSAGE], &value);
    if (failed == 0) failed = gcry.keys.sign(&made, value, ready->key);
    gcry.keys.release(value);
    return keep(given, failed, made, reason);
}
static int encode_signature(const void *how, const struct cpb_key_case *given, char *reason) {
    const struct cpb_bytes to = given->out[CPB_SIGNATURE];
    const size_t half = to.length / 2;
    const bool fits = ((const struct algorithm *)how)->family == RSA
                          ? write_number(*given->kept, "s", to.bytes, to.length)
                          : write_number(*given->kept, "r", to.bytes, half) &&
                                write_number(*given->kept, "s", to.bytes + half, half);
    return fits ? 0
                : cpb_key_refuse(reason,
                                 "the signature's numbers are not as long as they should be");
}

CPB_RUN(verify) {
    const struct ready *ready = memory;
    expression value = NULL, signature = NULL;
    status failed = value_of(ready->how, given->in[CPB_MESSAGE], &value);
    if (failed == 0) failed = gcry.keys.parse(&signature, ready->signature, ready->signature_bytes, 0);
    if (failed == 0) failed = gcry.keys.verify(signature, value, ready->key);
    gcry.keys.release(signature);
    gcry.keys.release(value);
    return failed == 0 ? 0 : words(failed, reason);
}

CPB_RUN(encrypt) {
    const struct ready *ready = memory;
    const struct cpb_bytes secret = given->in[CPB_SHARED_SECRET];
    expression value = NULL, made = NULL;
    status failed = build(&value, ready->how->form, secret.bytes, secret.length);
    if (failed == 0) failed = gcry.keys.encrypt(&made, value, ready->key);
    gcry.keys.release(value);
    return keep(given, failed, made, reason);
}
static int encode_ciphertext(const void *how, const struct cpb_key_case *given, char *reason) {
    const struct cpb_bytes to = given->out[CPB_CIPHERTEXT];
    const bool fits = write_number(*given->kept, "a", to.bytes, to.length);
    return fits ? 0 : cpb_key_refuse(reason, "the ciphertext is not as long as it should be");
}

CPB_RUN(decrypt) {
    static const char form[] = "(enc-val (flags oaep) (hash-algo sha256) (rsa (a %b)))";
    const struct ready *ready = memory;
    const struct cpb_bytes ciphertext = given->in[CPB_CIPHERTEXT];
    expression value = NULL, made = NULL;
    status failed = build(&value, form, ciphertext.bytes, ciphertext.length);
    if (failed == 0) failed = gcry.keys.decrypt(&made, value, ready->key);
    gcry.keys.release(value);
    return keep(given, failed, made, reason);
}
static int encode_secret(const void *how, const struct cpb_key_case *given, char *reason) {
    const struct cpb_bytes to = given->out[CPB_SHARED_SECRET];
    const uint8_t *bytes;
    size_t length = 0;
    expression list = find_bytes(*given->kept, "value", &bytes, &length);
    const bool is_secret = bytes != NULL && length == to.length;
    if (is_secret) memcpy(to.bytes, bytes, length);
    gcry.keys.release(list);
    return is_secret ? 0 : cpb_key_refuse(reason, "there is no such secret in what it put out");
}

CPB_RUN(agree) {
    const struct ready *ready = memory;
    expression made = NULL;
    const status failed = gcry.keys.decrypt(&made, ready->peer, ready->key);
    return keep(given, failed, made, reason);
}
/* Writes the x coordinate of an uncompressed point. */
static int encode_agreed(const void *how, const struct cpb_key_case *given, char *reason) {
    const struct cpb_bytes to = given->out[CPB_SHARED_SECRET];
    uint8_t agreed[1 + 2 * 66];
    const size_t bytes = 1 + 2 * to.length;
    const bool fits =
        bytes <= sizeof agreed && write_number(*given->kept, "value", agreed, bytes);
    if (fits) memcpy(to.bytes, agreed + 1, to.length);
    return fits ? 0 : cpb_key_refuse(reason, "what was agreed on is no point");
}

static int write_pair(const struct algorithm *how, expression pair,
                      const struct cpb_key_case *given) {
    const struct cpb_bytes public_key = given->out[CPB_PUBLIC_KEY];
    const struct cpb_bytes secret_key = given->out[CPB_SECRET_KEY];
    if (how->family == RSA) return write_rsa_pair(pair, public_key, secret_key);
    return write_number(pair, "q", public_key.bytes, public_key.length) &&
           write_number(pair, "d", secret_key.bytes, secret_key.length);
}
/* Generates a pair, which libgcrypt tests by signing something. Under oneshot, encoding it
 * is part of the call. */
CPB_RUN(generate) {
    const struct ready *ready = memory;
    expression made = NULL;
    status failed = gcry.keys.generate(&made, ready->key);
    if (given->contract != CPB_ONESHOT) return keep(given, failed, made, reason);
    if (failed == 0 && !write_pair(ready->how, made, given)) failed = UNEXPLAINED;
    gcry.keys.release(made);
    return words(failed, reason);
}
static int encode_pair(const void *how, const struct cpb_key_case *given, char *reason) {
    const int fits = write_pair(how, *given->kept, given);
    return fits ? 0 : cpb_key_refuse(reason, "the key pair has another length than it should");
}

/* Keys of RFC 7748 are bytes, so there is nothing to prepare. */
CPB_RUN(multiply) {
    const struct ready *ready = memory;
    const struct cpb_bytes peer = given->in[CPB_PUBLIC_KEY];
    const uint32_t role = peer.length == 0 ? CPB_PUBLIC_KEY : CPB_SHARED_SECRET;
    return words(gcry.keys.multiply(ready->how->number, given->out[role].bytes,
                                    given->in[CPB_SECRET_KEY].bytes,
                                    peer.length == 0 ? NULL : peer.bytes),
                 reason);
}

CPB_RUN(write_public_key) {
    const struct algorithm *how = ((const struct ready *)memory)->how;
    const struct cpb_bytes secret = given->in[CPB_SECRET_KEY], none = {NULL, 0};
    struct cpb_bytes to = given->out[CPB_PUBLIC_KEY];
    struct text text;
    if (how->family == ED448) return words(write_ed448_public(secret, &to), reason);
    put_secret(&text, how, secret, none);
    return words(write_public(how, &text, &to), reason);
}

#define HANDLES offsetof(struct ready, signature_bytes)
#define WORK(name, bytes, begin, run, encode)                                                    \
    static const struct cpb_key_work name = {bytes,  begin,  run,           end,                 \
                                             encode, forget, tries_first}
WORK(generating, HANDLES, begin_generate, generate, encode_pair);
WORK(multiplying, HANDLES, begin_nothing, multiply, NULL);
WORK(making_public, HANDLES, begin_nothing, write_public_key, NULL);
WORK(agreeing, HANDLES, begin_agree, agree, encode_agreed);
WORK(signing, HANDLES, begin_sign, sign, encode_signature);
WORK(verifying, sizeof(struct ready), begin_verify, verify, NULL);
WORK(encrypting, HANDLES, begin_public, encrypt, encode_ciphertext);
WORK(decrypting, HANDLES, begin_secret, decrypt, encode_secret);

#define SIGNED "(data (flags raw) (value %b))"
#define PKCS1_FORM "(data (flags pkcs1) (hash sha256 %b))"
#define PSS_FORM "(data (flags pss) (salt-length 2:32) (hash sha256 %b))"
#define OAEP_FORM "(data (flags oaep) (hash-algo sha256) (value %b))"

static const struct algorithm x25519 = {.family = MONTGOMERY, .number = 1};
static const struct algorithm x448 = {.family = MONTGOMERY, .number = 2};
static const struct algorithm ed25519 = {
    ED25519, "Ed25519", 0, 0, "(data (flags eddsa) (hash-algo sha512) (value %b))"};
static const struct algorithm ed448 = {ED448, "Ed448", 0, 0, "(data (value %b))"};
static const struct algorithm rsa_pkcs1 = {RSA, "", SHA256, 32, PKCS1_FORM};
static const struct algorithm rsa_pss = {RSA, "", SHA256, 32, PSS_FORM};
static const struct algorithm rsa_oaep = {RSA, "", 0, 0, OAEP_FORM};

/* A primitive, and the work for each of its operations. */
#define MOST_WORKS 4
static const struct row {
    const char *primitive, *spelling;
    struct cpb_key_sizes sizes;
    const struct algorithm *how;
    struct {
        uint32_t operation;
        const struct cpb_key_work *work;
    } works[MOST_WORKS];
} rows[] = {
#define OF_MONTGOMERY {{CPB_PUBLIC_KEY_OF, &multiplying}, {CPB_AGREE, &multiplying}}
#define OF_ECDH {{CPB_KEYGEN, &generating}, {CPB_PUBLIC_KEY_OF, &making_public}, {CPB_AGREE, &agreeing}}
#define OF_SIGNATURES                                                                            \
    {{CPB_KEYGEN, &generating},                                                                  \
     {CPB_PUBLIC_KEY_OF, &making_public},                                                        \
     {CPB_SIGN, &signing},                                                                       \
     {CPB_VERIFY, &verifying}}
/* Making a key does not depend on its later use. */
#define OF_PKCS1 {{CPB_KEYGEN, &generating}, {CPB_SIGN, &signing}, {CPB_VERIFY, &verifying}}
#define OF_PSS {{CPB_SIGN, &signing}, {CPB_VERIFY, &verifying}}
#define OF_OAEP {{CPB_PUBLIC_ENCRYPT, &encrypting}, {CPB_PRIVATE_DECRYPT, &decrypting}}
#define CURVE(name) (&(const struct algorithm){ECDH, name, 0, 0, ""})
#define HASHED(name, hash, bytes) (&(const struct algorithm){ECDSA, name, hash, bytes, SIGNED})
    {"x25519", "X25519", CPB_MONTGOMERY(32), &x25519, OF_MONTGOMERY},
    {"x448", "X448", CPB_MONTGOMERY(56), &x448, OF_MONTGOMERY},
    {"ed25519", "Ed25519", CPB_EDWARDS(32), &ed25519, OF_SIGNATURES},
    {"ed448", "Ed448", CPB_EDWARDS(57), &ed448, OF_SIGNATURES},
/* The curves, with the hash that is as strong and its bytes. */
#define CURVES(row)                                                                              \
    row("p256", "NIST P-256", 32, SHA256, 32), row("p384", "NIST P-384", 48, SHA384, 48),        \
        row("p521", "NIST P-521", 66, SHA512, 64),                                               \
        row("secp256k1", "secp256k1", 32, SHA256, 32),                                           \
        row("brainpoolp256r1", "brainpoolP256r1", 32, SHA256, 32),                               \
        row("brainpoolp384r1", "brainpoolP384r1", 48, SHA384, 48),                               \
        row("brainpoolp512r1", "brainpoolP512r1", 64, SHA512, 64)
#define ECDH_ROW(name, own, bytes, hash, hash_bytes)                                             \
    {"ecdh-" name, "ECDH/" own, CPB_CURVE(bytes), CURVE(own), OF_ECDH}
    CURVES(ECDH_ROW),
#define ECDSA_ROW(name, own, bytes, hash, hash_bytes)                                            \
    {"ecdsa-" name, "ECDSA/" own, CPB_CURVE(bytes), HASHED(own, hash, hash_bytes), OF_SIGNATURES}
    CURVES(ECDSA_ROW),
    {"rsa-2048-pkcs1", "RSA-2048/PKCS1", CPB_RSA(256), &rsa_pkcs1, OF_PKCS1},
    {"rsa-3072-pkcs1", "RSA-3072/PKCS1", CPB_RSA(384), &rsa_pkcs1, OF_PKCS1},
    {"rsa-4096-pkcs1", "RSA-4096/PKCS1", CPB_RSA(512), &rsa_pkcs1, OF_PKCS1},
    {"rsa-2048-pss", "RSA-2048/PSS", CPB_RSA(256), &rsa_pss, OF_PSS},
    {"rsa-3072-pss", "RSA-3072/PSS", CPB_RSA(384), &rsa_pss, OF_PSS},
    {"rsa-4096-pss", "RSA-4096/PSS", CPB_RSA(512), &rsa_pss, OF_PSS},
    {"rsa-2048-oaep", "RSA-2048/OAEP", CPB_RSA_OAEP(256), &rsa_oaep, OF_OAEP},
    {"rsa-3072-oaep", "RSA-3072/OAEP", CPB_RSA_OAEP(384), &rsa_oaep, OF_OAEP},
    {"rsa-4096-oaep", "RSA-4096/OAEP", CPB_RSA_OAEP(512), &rsa_oaep, OF_OAEP},
};

const cpb_provider *cpb_key_pairs(void) {
    if (cpb_key_offer_count != 0 || !gcry.has_keys) return &provider;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t j = 0; j < MOST_WORKS && rows[i].works[j].work != NULL; j++) {
            cpb_offer_key(rows[i].works[j].operation, rows[i].primitive, rows[i].spelling,
                          &rows[i].sizes, rows[i].works[j].work, rows[i].how);
        }
    }
    return &provider;
}
