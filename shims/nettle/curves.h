/* Work on the curves of RFC 7748, RFC 8032 and NIST. */
#ifndef CPB_NETTLE_CURVES_H
#define CPB_NETTLE_CURVES_H

#include "chance.h"

#include <nettle/curve25519.h>
#include <nettle/curve448.h>
#include <nettle/ecc-curve.h>
#include <nettle/ecc.h>
#include <nettle/ecdsa.h>
#include <nettle/eddsa.h>

/* The library takes bytes, so there is nothing to prepare. */

struct montgomery {
    size_t bytes;
    void (*multiply_base)(uint8_t *point, const uint8_t *number);
    void (*multiply)(uint8_t *point, const uint8_t *number, const uint8_t *other);
};

struct edwards {
    size_t bytes;
    void (*public_key)(uint8_t *public_key, const uint8_t *secret_key);
    void (*sign)(const uint8_t *public_key, const uint8_t *secret_key, size_t length,
                 const uint8_t *message, uint8_t *signature);
    int (*verify)(const uint8_t *public_key, size_t length, const uint8_t *message,
                  const uint8_t *signature);
};

struct on_bytes {
    const void *how;
    uint8_t public_key[64]; /* that of the secret key, where it is needed */
};

CPB_BEGIN(begin_bytes) {
    ((struct on_bytes *)memory)->how = how;
    return 0;
}

static void end_bytes(void *memory) {}

CPB_RUN(run_montgomery_public_key) {
    const struct montgomery *how = ((struct on_bytes *)memory)->how;
    how->multiply_base(given->out[CPB_PUBLIC_KEY].bytes, given->in[CPB_SECRET_KEY].bytes);
    return 0;
}

CPB_RUN(run_montgomery_keygen) {
    const struct montgomery *how = ((struct on_bytes *)memory)->how;
    uint8_t *secret = given->out[CPB_SECRET_KEY].bytes;
    chance(&yarrow, how->bytes, secret);
    how->multiply_base(given->out[CPB_PUBLIC_KEY].bytes, secret);
    return 0;
}

CPB_RUN(run_montgomery_agree) {
    const struct montgomery *how = ((struct on_bytes *)memory)->how;
    how->multiply(given->out[CPB_SHARED_SECRET].bytes, given->in[CPB_SECRET_KEY].bytes,
                  given->in[CPB_PUBLIC_KEY].bytes);
    return 0;
}

CPB_RUN(run_edwards_public_key) {
    const struct edwards *how = ((struct on_bytes *)memory)->how;
    how->public_key(given->out[CPB_PUBLIC_KEY].bytes, given->in[CPB_SECRET_KEY].bytes);
    return 0;
}

CPB_RUN(run_edwards_keygen) {
    const struct edwards *how = ((struct on_bytes *)memory)->how;
    uint8_t *secret = given->out[CPB_SECRET_KEY].bytes;
    chance(&yarrow, how->bytes, secret);
    how->public_key(given->out[CPB_PUBLIC_KEY].bytes, secret);
    return 0;
}

/* Signing needs the public key, too, so a prepared key has both halves. */
CPB_BEGIN(begin_edwards_sign) {
    struct on_bytes *it = memory;
    it->how = how;
    ((const struct edwards *)how)->public_key(it->public_key, given->in[CPB_SECRET_KEY].bytes);
    return 0;
}

CPB_RUN(run_edwards_sign) {
    const struct on_bytes *it = memory;
    ((const struct edwards *)it->how)
        ->sign(it->public_key, given->in[CPB_SECRET_KEY].bytes, MESSAGE_OF(given),
               given->out[CPB_SIGNATURE].bytes);
    return 0;
}

CPB_RUN(run_edwards_verify) {
    const struct edwards *how = ((struct on_bytes *)memory)->how;
    if (how->verify(given->in[CPB_PUBLIC_KEY].bytes, MESSAGE_OF(given),
                    given->in[CPB_SIGNATURE].bytes))
        return 0;
    return cpb_key_refuse(reason, "nettle rejects the signature");
}

/* ECDH and ECDSA. */

struct curve {
    size_t bytes;
    const struct ecc_curve *(*curve)(void);
    const struct nettle_hash *hash;
};

/* Each operation uses only part of this. */
struct on_curve {
    const struct curve *how;
    struct ecc_scalar secret;
    struct ecc_point point, shared;
    struct dsa_signature pair; /* or x and y */
};

static void end_curve(void *memory) {
    struct on_curve *it = memory;
    if (it->secret.p != NULL) ecc_scalar_clear(&it->secret);
    if (it->point.p != NULL) ecc_point_clear(&it->point);
    if (it->shared.p != NULL) ecc_point_clear(&it->shared);
    dsa_signature_clear(&it->pair);
}

static void new_on_curve(struct on_curve *it, const struct curve *how) {
    memset(it, 0, sizeof *it);
    it->how = how;
    dsa_signature_init(&it->pair);
}

static bool read_secret(struct on_curve *it, const struct cpb_key_case *given) {
    ecc_scalar_init(&it->secret, it->how->curve());
    nettle_mpz_set_str_256_u(it->pair.r, it->how->bytes, given->in[CPB_SECRET_KEY].bytes);
    return ecc_scalar_set(&it->secret, it->pair.r);
}

/* Reads an uncompressed point (SEC 1). */
static bool read_point(struct on_curve *it, const struct cpb_key_case *given) {
    const uint8_t *bytes = given->in[CPB_PUBLIC_KEY].bytes;
    ecc_point_init(&it->point, it->how->curve());
    nettle_mpz_set_str_256_u(it->pair.r, it->how->bytes, bytes + 1);
    nettle_mpz_set_str_256_u(it->pair.s, it->how->bytes, bytes + 1 + it->how->bytes);
    return bytes[0] == 4 && ecc_point_set(&it->point, it->pair.r, it->pair.s);
}

static void write_pair(const struct on_curve *it, uint8_t *bytes) {
    nettle_mpz_get_str_256(it->how->bytes, bytes, it->pair.r);
    nettle_mpz_get_str_256(it->how->bytes, bytes + it->how->bytes, it->pair.s);
}

static void write_point(struct on_curve *it, const struct cpb_key_case *given) {
    uint8_t *bytes = given->out[CPB_PUBLIC_KEY].bytes;
    ecc_point_get(&it->point, it->pair.r, it->pair.s);
    bytes[0] = 4;
    write_pair(it, bytes + 1);
}

CPB_BEGIN(begin_curve_keygen) {
    struct on_curve *it = memory;
    new_on_curve(it, how);
    ecc_scalar_init(&it->secret, it->how->curve());
    ecc_point_init(&it->point, it->how->curve());
    return 0;
}

CPB_BEGIN(begin_with_secret) {
    new_on_curve(memory, how);
    if (read_secret(memory, given)) return 0;
    end_curve(memory);
    return cpb_key_refuse(reason, "nettle takes no such secret key");
}

CPB_BEGIN(begin_with_point) {
    new_on_curve(memory, how);
    if (read_point(memory, given)) return 0;
    end_curve(memory);
    return cpb_key_refuse(reason, "nettle finds no point of the curve in the public key");
}

CPB_BEGIN(begin_curve_public_key) {
    struct on_curve *it = memory;
    if (begin_with_secret(memory, how, given, reason) != 0) return 1;
    ecc_point_init(&it->point, it->how->curve());
    return 0;
}

CPB_BEGIN(begin_curve_agree) {
    struct on_curve *it = memory;
    if (begin_with_secret(memory, how, given, reason) != 0) return 1;
    ecc_point_init(&it->shared, it->how->curve());
    if (read_point(it, given)) return 0;
    end_curve(it);
    return cpb_key_refuse(reason, "nettle finds no point of the curve in the public key");
}

CPB_RUN(run_curve_keygen) {
    struct on_curve *it = memory;
    ecdsa_generate_keypair(&it->point, &it->secret, CHANCE);
    write_point(it, given);
    ecc_scalar_get(&it->secret, it->pair.r);
    nettle_mpz_get_str_256(it->how->bytes, given->out[CPB_SECRET_KEY].bytes, it->pair.r);
    return 0;
}

CPB_RUN(run_curve_public_key) {
    struct on_curve *it = memory;
    ecc_point_mul_g(&it->point, &it->secret);
    write_point(it, given);
    return 0;
}

CPB_RUN(run_curve_agree) {
    struct on_curve *it = memory;
    ecc_point_mul(&it->shared, &it->secret, &it->point);
    ecc_point_get(&it->shared, it->pair.r, it->pair.s);
    nettle_mpz_get_str_256(it->how->bytes, given->out[CPB_SHARED_SECRET].bytes, it->pair.r);
    return 0;
}

union hashing {
    struct sha256_ctx sha256;
    struct sha512_ctx sha512; /* SHA-384, too */
};

static void digest_of(const struct nettle_hash *hash, const struct cpb_key_case *given,
                      uint8_t *digest) {
    union hashing context;
    hash->init(&context);
    hash->update(&context, MESSAGE_OF(given));
    hash->digest(&context, hash->digest_size, digest);
}

CPB_RUN(run_curve_sign) {
    struct on_curve *it = memory;
    uint8_t digest[SHA512_DIGEST_SIZE];
    digest_of(it->how->hash, given, digest);
    ecdsa_sign(&it->secret, CHANCE, it->how->hash->digest_size, digest, &it->pair);
    write_pair(it, given->out[CPB_SIGNATURE].bytes);
    return 0;
}

CPB_RUN(run_curve_verify) {
    struct on_curve *it = memory;
    const uint8_t *signature = given->in[CPB_SIGNATURE].bytes;
    uint8_t digest[SHA512_DIGEST_SIZE];
    digest_of(it->how->hash, given, digest);
    nettle_mpz_set_str_256_u(it->pair.r, it->how->bytes, signature);
    nettle_mpz_set_str_256_u(it->pair.s, it->how->bytes, signature + it->how->bytes);
    if (ecdsa_verify(&it->point, it->how->hash->digest_size, digest, &it->pair)) return 0;
    return cpb_key_refuse(reason, "nettle rejects the signature");
}

#define WORK(name, ready, begin, run, end)                                                       \
    static const struct cpb_key_work name = {sizeof(struct ready), begin, run, end}

WORK(montgomery_keygen, on_bytes, begin_bytes, run_montgomery_keygen, end_bytes);
WORK(montgomery_public_key, on_bytes, begin_bytes, run_montgomery_public_key, end_bytes);
WORK(montgomery_agree, on_bytes, begin_bytes, run_montgomery_agree, end_bytes);
WORK(edwards_keygen, on_bytes, begin_bytes, run_edwards_keygen, end_bytes);
WORK(edwards_public_key, on_bytes, begin_bytes, run_edwards_public_key, end_bytes);
WORK(edwards_sign, on_bytes, begin_edwards_sign, run_edwards_sign, end_bytes);
WORK(edwards_verify, on_bytes, begin_bytes, run_edwards_verify, end_bytes);
WORK(curve_keygen, on_curve, begin_curve_keygen, run_curve_keygen, end_curve);
WORK(curve_public_key, on_curve, begin_curve_public_key, run_curve_public_key, end_curve);
WORK(curve_agree, on_curve, begin_curve_agree, run_curve_agree, end_curve);
WORK(curve_sign, on_curve, begin_with_secret, run_curve_sign, end_curve);
WORK(curve_verify, on_curve, begin_with_point, run_curve_verify, end_curve);

#endif
