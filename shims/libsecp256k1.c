/* Offers libsecp256k1 as a provider of cpb_provider.h: ECDH, ECDSA and BIP 340's Schnorr
 * signatures on secp256k1.
 *
 * The context is made and blinded once, as its header recommends; no call pays for it.
 * Secret keys are bytes, except for BIP 340. Agreement and Schnorr signatures are
 * modules, which the library found at run time may lack. */
#define LIBRARY "libsecp256k1"
#define _GNU_SOURCE
#include "file_version.h"
#include "key_pairs.h"
#include "libsecp256k1/sha256.h"

#include <secp256k1.h>
#include <secp256k1_ecdh.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>
#include <stdbool.h>
#include <unistd.h>

#pragma weak secp256k1_ecdh
#pragma weak secp256k1_keypair_create
#pragma weak secp256k1_keypair_xonly_pub
#pragma weak secp256k1_schnorrsig_sign_custom
#pragma weak secp256k1_schnorrsig_verify
#pragma weak secp256k1_xonly_pubkey_parse
#pragma weak secp256k1_xonly_pubkey_serialize

enum { NUMBER = 32, POINT = 65, DIGEST = 32 };

/* All calls use it, and none changes it. */
static secp256k1_context *context;

/* Holds what `begin` keeps; each operation uses only part of it. */
struct ready {
    secp256k1_pubkey point;
    secp256k1_xonly_pubkey x;
    secp256k1_keypair pair;
};

#define NO_SECRET_KEY "libsecp256k1 takes no such secret key"
#define NO_PUBLIC_KEY "libsecp256k1 finds no point of the curve in the public key"
#define NO_SIGNATURE "libsecp256k1 rejects the signature"

CPB_BEGIN(begin_nothing) { return 0; }

static void end(void *memory) {}

/* Key pairs. The library draws no secrets: like its examples, this asks the kernel for
 * each. */

static int draw_secret(uint8_t *secret, char *reason) {
    do {
        if (getentropy(secret, NUMBER) != 0)
            return cpb_key_refuse(reason, "the kernel gives no chance");
    } while (!secp256k1_ec_seckey_verify(context, secret));
    return 0;
}

static int write_point(uint8_t *out, const uint8_t *secret, char *reason) {
    secp256k1_pubkey point;
    size_t bytes = POINT;
    if (!secp256k1_ec_pubkey_create(context, &point, secret))
        return cpb_key_refuse(reason, NO_SECRET_KEY);
    secp256k1_ec_pubkey_serialize(context, out, &bytes, &point, SECP256K1_EC_UNCOMPRESSED);
    return 0;
}

CPB_RUN(run_public_key) {
    return write_point(given->out[CPB_PUBLIC_KEY].bytes, given->in[CPB_SECRET_KEY].bytes, reason);
}

CPB_RUN(run_keygen) {
    uint8_t *secret = given->out[CPB_SECRET_KEY].bytes;
    if (draw_secret(secret, reason) != 0) return 1;
    return write_point(given->out[CPB_PUBLIC_KEY].bytes, secret, reason);
}

CPB_BEGIN(begin_with_point) {
    struct ready *it = memory;
    const struct cpb_bytes key = given->in[CPB_PUBLIC_KEY];
    if (secp256k1_ec_pubkey_parse(context, &it->point, key.bytes, key.length)) return 0;
    return cpb_key_refuse(reason, NO_PUBLIC_KEY);
}

/* ECDH. By default the library hashes the point; here the secret is its x coordinate. */

static int take_x(unsigned char *out, const unsigned char *x, const unsigned char *y, void *data) {
    memcpy(out, x, NUMBER);
    return 1;
}

CPB_RUN(run_agree) {
    const struct ready *it = memory;
    if (secp256k1_ecdh(context, given->out[CPB_SHARED_SECRET].bytes, &it->point,
                       given->in[CPB_SECRET_KEY].bytes, take_x, NULL))
        return 0;
    return cpb_key_refuse(reason, NO_SECRET_KEY);
}

/* ECDSA with SHA-256, its nonces by RFC 6979. */

static void digest_of(const struct cpb_key_case *given, uint8_t *digest) {
    sha256(given->in[CPB_MESSAGE].bytes, given->in[CPB_MESSAGE].length, digest);
}

CPB_RUN(run_ecdsa_sign) {
    uint8_t digest[DIGEST];
    secp256k1_ecdsa_signature signature;
    digest_of(given, digest);
    if (!secp256k1_ecdsa_sign(context, &signature, digest, given->in[CPB_SECRET_KEY].bytes, NULL,
                              NULL))
        return cpb_key_refuse(reason, NO_SECRET_KEY);
    secp256k1_ecdsa_signature_serialize_compact(context, given->out[CPB_SIGNATURE].bytes,
                                                &signature);
    return 0;
}

/* The library accepts only the lower of the two values of s, unless a signature is
 * normalized first, which its header recommends for signatures of other origin. */
CPB_RUN(run_ecdsa_verify) {
    const struct ready *it = memory;
    uint8_t digest[DIGEST];
    secp256k1_ecdsa_signature signature;
    digest_of(given, digest);
    if (!secp256k1_ecdsa_signature_parse_compact(context, &signature,
                                                 given->in[CPB_SIGNATURE].bytes))
        return cpb_key_refuse(reason, NO_SIGNATURE);
    secp256k1_ecdsa_signature_normalize(context, &signature, &signature);
    if (secp256k1_ecdsa_verify(context, &signature, digest, &it->point)) return 0;
    return cpb_key_refuse(reason, NO_SIGNATURE);
}

/* Schnorr signatures of BIP 340: public keys are an x coordinate, and the auxiliary
 * randomness is 32 zeros. */

static int make_pair(secp256k1_keypair *pair, const uint8_t *secret, char *reason) {
    if (secp256k1_keypair_create(context, pair, secret)) return 0;
    return cpb_key_refuse(reason, NO_SECRET_KEY);
}

static int write_x(uint8_t *out, const uint8_t *secret, char *reason) {
    secp256k1_keypair pair;
    secp256k1_xonly_pubkey x;
    if (make_pair(&pair, secret, reason) != 0) return 1;
    if (!secp256k1_keypair_xonly_pub(context, &x, NULL, &pair))
        return cpb_key_refuse(reason, NO_PUBLIC_KEY);
    secp256k1_xonly_pubkey_serialize(context, out, &x);
    return 0;
}

CPB_RUN(run_x_public_key) {
    return write_x(given->out[CPB_PUBLIC_KEY].bytes, given->in[CPB_SECRET_KEY].bytes, reason);
}

CPB_RUN(run_x_keygen) {
    uint8_t *secret = given->out[CPB_SECRET_KEY].bytes;
    if (draw_secret(secret, reason) != 0) return 1;
    return write_x(given->out[CPB_PUBLIC_KEY].bytes, secret, reason);
}

CPB_BEGIN(begin_with_pair) {
    return make_pair(&((struct ready *)memory)->pair, given->in[CPB_SECRET_KEY].bytes, reason);
}

CPB_RUN(run_schnorr_sign) {
    const struct ready *it = memory;
    if (secp256k1_schnorrsig_sign_custom(context, given->out[CPB_SIGNATURE].bytes,
                                         given->in[CPB_MESSAGE].bytes,
                                         given->in[CPB_MESSAGE].length, &it->pair, NULL))
        return 0;
    return cpb_key_refuse(reason, "libsecp256k1 does not sign");
}

CPB_BEGIN(begin_with_x) {
    struct ready *it = memory;
    if (secp256k1_xonly_pubkey_parse(context, &it->x, given->in[CPB_PUBLIC_KEY].bytes)) return 0;
    return cpb_key_refuse(reason, NO_PUBLIC_KEY);
}

CPB_RUN(run_schnorr_verify) {
    const struct ready *it = memory;
    if (secp256k1_schnorrsig_verify(context, given->in[CPB_SIGNATURE].bytes,
                                    given->in[CPB_MESSAGE].bytes, given->in[CPB_MESSAGE].length,
                                    &it->x))
        return 0;
    return cpb_key_refuse(reason, NO_SIGNATURE);
}

#define WORK(name, begin, run)                                                                   \
    static const struct cpb_key_work name = {sizeof(struct ready), begin, run, end}

WORK(keygen, begin_nothing, run_keygen);
WORK(public_key, begin_nothing, run_public_key);
WORK(agree, begin_with_point, run_agree);
WORK(ecdsa_sign, begin_nothing, run_ecdsa_sign);
WORK(ecdsa_verify, begin_with_point, run_ecdsa_verify);
WORK(x_keygen, begin_nothing, run_x_keygen);
WORK(x_public_key, begin_nothing, run_x_public_key);
WORK(schnorr_sign, begin_with_pair, run_schnorr_sign);
WORK(schnorr_verify, begin_with_x, run_schnorr_verify);

static const struct cpb_key_sizes on_curve = CPB_CURVE(NUMBER);
static const struct cpb_key_sizes by_x = CPB_EDWARDS(NUMBER);

static void add_offers(void) {
    if (secp256k1_ecdh != NULL) {
        cpb_offer_key(CPB_KEYGEN, "ecdh-secp256k1", "ecdh", &on_curve, &keygen, NULL);
        cpb_offer_key(CPB_PUBLIC_KEY_OF, "ecdh-secp256k1", "ecdh", &on_curve, &public_key, NULL);
        cpb_offer_key(CPB_AGREE, "ecdh-secp256k1", "ecdh", &on_curve, &agree, NULL);
    }
    cpb_offer_key(CPB_KEYGEN, "ecdsa-secp256k1", "ecdsa", &on_curve, &keygen, NULL);
    cpb_offer_key(CPB_PUBLIC_KEY_OF, "ecdsa-secp256k1", "ecdsa", &on_curve, &public_key, NULL);
    cpb_offer_key(CPB_SIGN, "ecdsa-secp256k1", "ecdsa", &on_curve, &ecdsa_sign, NULL);
    cpb_offer_key(CPB_VERIFY, "ecdsa-secp256k1", "ecdsa", &on_curve, &ecdsa_verify, NULL);
    if (secp256k1_schnorrsig_verify != NULL) {
        cpb_offer_key(CPB_KEYGEN, "schnorr-secp256k1", "schnorrsig", &by_x, &x_keygen, NULL);
        cpb_offer_key(CPB_PUBLIC_KEY_OF, "schnorr-secp256k1", "schnorrsig", &by_x, &x_public_key,
                      NULL);
        cpb_offer_key(CPB_SIGN, "schnorr-secp256k1", "schnorrsig", &by_x, &schnorr_sign, NULL);
        cpb_offer_key(CPB_VERIFY, "schnorr-secp256k1", "schnorrsig", &by_x, &schnorr_verify,
                      NULL);
    }
}

static bool make_context(void) {
    uint8_t blinding[NUMBER];
    context = secp256k1_context_create(SECP256K1_CONTEXT_SIGN | SECP256K1_CONTEXT_VERIFY);
    return context != NULL && getentropy(blinding, sizeof blinding) == 0 &&
           secp256k1_context_randomize(context, blinding);
}

__attribute__((visibility("default"))) const cpb_provider *cpb_provider_v2(void) {
    static cpb_provider provider = CPB_KEY_PAIRS;
    if (context == NULL) {
        provider.name = LIBRARY;
        provider.version = file_version((uintptr_t)secp256k1_context_create);
        if (make_context()) add_offers();
    }
    return &provider;
}
