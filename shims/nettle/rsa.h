/* Work with RSA keys (RFC 8017) and signatures with SHA-256. */
#ifndef CPB_NETTLE_RSA_H
#define CPB_NETTLE_RSA_H

#include "../der.h"

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

/* DER (RFC 8017 appendix A.1), which Nettle reads but does not write. */

static const unsigned EXPONENT = 65537;

static size_t head_bytes(size_t content) { return content < 0x80 ? 2 : content < 0x100 ? 3 : 4; }

/* Writes a sequence of numbers; returns false if there is not enough room. */
static bool put_sequence(const struct cpb_bytes room, mpz_srcptr const *numbers, size_t count) {
    size_t content = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t bytes = nettle_mpz_sizeinbase_256_s(numbers[i]);
        content += head_bytes(bytes) + bytes;
    }
    if (head_bytes(content) + content > room.length) return false;
    uint8_t *at = put_der_head(room.bytes, DER_SEQUENCE, content);
    for (size_t i = 0; i < count; i++) {
        const size_t bytes = nettle_mpz_sizeinbase_256_s(numbers[i]);
        at = put_der_head(at, DER_INTEGER, bytes);
        nettle_mpz_get_str_256(bytes, at, numbers[i]);
        at += bytes;
    }
    return true;
}

CPB_BEGIN(begin_rsa_keygen) {
    new_of_rsa(memory, how);
    return 0;
}

CPB_RUN(run_rsa_keygen) {
    struct of_rsa *it = memory;
    const unsigned bits = 8 * (given->out[CPB_PUBLIC_KEY].length - CPB_RSA_PUBLIC_BESIDE);
    mpz_srcptr public_key[] = {it->public_key.n, it->public_key.e};
    mpz_srcptr secret_key[] = {it->signature,     it->public_key.n, it->public_key.e,
                               it->secret_key.d,  it->secret_key.p, it->secret_key.q,
                               it->secret_key.a,  it->secret_key.b, it->secret_key.c};
    mpz_set_ui(it->public_key.e, EXPONENT);
    mpz_set_ui(it->signature, 0); /* the version */
    if (!rsa_generate_keypair(&it->public_key, &it->secret_key, CHANCE, NULL, NULL, bits, 0))
        return cpb_key_refuse(reason, "nettle makes no key pair of this length");
    if (!put_sequence(given->out[CPB_PUBLIC_KEY], public_key, 2) ||
        !put_sequence(given->out[CPB_SECRET_KEY], secret_key, 9))
        return cpb_key_refuse(reason, "nettle made longer keys");
    return 0;
}

CPB_BEGIN(begin_rsa_sign) {
    struct of_rsa *it = memory;
    const struct cpb_bytes key = given->in[CPB_SECRET_KEY];
    new_of_rsa(it, how);
    if (rsa_keypair_from_der(&it->public_key, &it->secret_key, 0, key.length, key.bytes) &&
        it->public_key.size == given->out[CPB_SIGNATURE].length)
        return 0;
    end_rsa(it);
    return cpb_key_refuse(reason, "nettle finds no key of this length in the secret key");
}

CPB_BEGIN(begin_rsa_verify) {
    struct of_rsa *it = memory;
    const struct cpb_bytes key = given->in[CPB_PUBLIC_KEY];
    struct asn1_der_iterator der;
    new_of_rsa(it, how);
    if (asn1_der_iterator_first(&der, key.length, key.bytes) == ASN1_ITERATOR_CONSTRUCTED &&
        der.type == ASN1_SEQUENCE && rsa_public_key_from_der_iterator(&it->public_key, 0, &der))
        return 0;
    end_rsa(it);
    return cpb_key_refuse(reason, "nettle finds no key in the public key");
}

CPB_RUN(run_rsa_sign) {
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
    if (!signs) return cpb_key_refuse(reason, "nettle does not sign with this key");
    nettle_mpz_get_str_256(signature.length, signature.bytes, it->signature);
    return 0;
}

CPB_RUN(run_rsa_verify) {
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
    return is_right ? 0 : cpb_key_refuse(reason, "nettle rejects the signature");
}

static const struct cpb_key_work rsa_keygen = {sizeof(struct of_rsa), begin_rsa_keygen,
                                               run_rsa_keygen, end_rsa};
static const struct cpb_key_work rsa_sign = {sizeof(struct of_rsa), begin_rsa_sign, run_rsa_sign,
                                             end_rsa};
static const struct cpb_key_work rsa_verify = {sizeof(struct of_rsa), begin_rsa_verify,
                                               run_rsa_verify, end_rsa};

#endif
