/* Work with RSA keys (RFC 8017), signatures of SHA-256. */
#ifndef CPB_NETTLE_RSA_H
#define CPB_NETTLE_RSA_H

#include "chance.h"

#include <nettle/asn1.h>
#include <nettle/rsa.h>

struct padding {
    bool is_pss;
};

struct of_rsa {
    const struct padding *how;
    struct rsa_public_key public_key;
    struct rsa_private_key secret_key;
    mpz_t signature;
};

static void new_of_rsa(struct of_rsa *it, const void *how) {
    it->how = how;
    rsa_public_key_init(&it->public_key);
    rsa_private_key_init(&it->secret_key);
    mpz_init(it->signature);
}

static void end_rsa(void *memory) {
    struct of_rsa *it = memory;
    rsa_public_key_clear(&it->public_key);
    rsa_private_key_clear(&it->secret_key);
    mpz_clear(it->signature);
}

static int begin_rsa_sign(void *memory, const void *how, const struct cpb_key_case *given,
                          char *reason) {
    struct of_rsa *it = memory;
    const struct cpb_bytes key = given->in[CPB_SECRET_KEY];
    new_of_rsa(it, how);
    if (rsa_keypair_from_der(&it->public_key, &it->secret_key, 0, key.length, key.bytes) &&
        it->public_key.size == given->out[CPB_SIGNATURE].length)
        return 0;
    end_rsa(it);
    return fail(reason, "nettle finds no key of this length in the secret key");
}

static int begin_rsa_verify(void *memory, const void *how, const struct cpb_key_case *given,
                            char *reason) {
    struct of_rsa *it = memory;
    const struct cpb_bytes key = given->in[CPB_PUBLIC_KEY];
    struct asn1_der_iterator der;
    new_of_rsa(it, how);
    if (asn1_der_iterator_first(&der, key.length, key.bytes) == ASN1_ITERATOR_CONSTRUCTED &&
        der.type == ASN1_SEQUENCE && rsa_public_key_from_der_iterator(&it->public_key, 0, &der))
        return 0;
    end_rsa(it);
    return fail(reason, "nettle finds no key in the public key");
}

static int run_rsa_sign(void *memory, const struct cpb_key_case *given, char *reason) {
    struct of_rsa *it = memory;
    const struct cpb_bytes signature = given->out[CPB_SIGNATURE];
    struct sha256_ctx hash;
    uint8_t digest[SHA256_DIGEST_SIZE], salt[SHA256_DIGEST_SIZE];
    int signs;
    sha256_init(&hash);
    sha256_update(&hash, MESSAGE_OF(given));
    if (it->how->is_pss) {
        sha256_digest(&hash, sizeof digest, digest);
        chance(&yarrow, sizeof salt, salt);
        signs = rsa_pss_sha256_sign_digest_tr(&it->public_key, &it->secret_key, CHANCE,
                                              sizeof salt, salt, digest, it->signature);
    } else {
        signs = rsa_sha256_sign_tr(&it->public_key, &it->secret_key, CHANCE, &hash,
                                   it->signature);
    }
    if (!signs) return fail(reason, "nettle does not sign with this key");
    nettle_mpz_get_str_256(signature.length, signature.bytes, it->signature);
    return 0;
}

static int run_rsa_verify(void *memory, const struct cpb_key_case *given, char *reason) {
    struct of_rsa *it = memory;
    const struct cpb_bytes signature = given->in[CPB_SIGNATURE];
    struct sha256_ctx hash;
    uint8_t digest[SHA256_DIGEST_SIZE];
    int is_right;
    sha256_init(&hash);
    sha256_update(&hash, MESSAGE_OF(given));
    nettle_mpz_set_str_256_u(it->signature, signature.length, signature.bytes);
    if (it->how->is_pss) {
        sha256_digest(&hash, sizeof digest, digest);
        is_right = rsa_pss_sha256_verify_digest(&it->public_key, SHA256_DIGEST_SIZE, digest,
                                                it->signature);
    } else {
        is_right = rsa_sha256_verify(&it->public_key, &hash, it->signature);
    }
    return is_right ? 0 : fail(reason, "nettle rejects the signature");
}

static const struct cpb_key_work rsa_sign = {sizeof(struct of_rsa), begin_rsa_sign, run_rsa_sign,
                                             end_rsa};
static const struct cpb_key_work rsa_verify = {sizeof(struct of_rsa), begin_rsa_verify,
                                               run_rsa_verify, end_rsa};

#endif
