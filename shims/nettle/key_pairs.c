/* Offers Nettle's key pairs, which are in its library hogweed, over GMP. curves.h and
 * rsa.h have the work on each.
 *
 * Signing with RSA uses the functions that blind and check (`_tr`): the others leak
 * timing to an observer, and PSS has no others. */
#define _GNU_SOURCE
#include <nettle/version.h>

#include "../key_pairs.h"

static const cpb_provider provider = CPB_KEY_PAIRS;

#if NETTLE_USE_MINI_GMP

/* With mini-gmp, the library's numbers differ from those of GMP's header, so nothing
 * is offered. */
const cpb_provider *cpb_key_pairs(void) { return &provider; }

#else

#include "curves.h"
#include "rsa.h"

static const struct curve p256 = {32, nettle_get_secp_256r1, &nettle_sha256};
static const struct curve p384 = {48, nettle_get_secp_384r1, &nettle_sha384};
static const struct curve p521 = {66, nettle_get_secp_521r1, &nettle_sha512};

static const struct montgomery x25519 = {32, nettle_curve25519_mul_g, nettle_curve25519_mul};
static const struct edwards ed25519 = {32, nettle_ed25519_sha512_public_key,
                                       nettle_ed25519_sha512_sign,
                                       nettle_ed25519_sha512_verify};
static const struct montgomery x448 = {56, nettle_curve448_mul_g, nettle_curve448_mul};
static const struct edwards ed448 = {57, nettle_ed448_shake256_public_key,
                                     nettle_ed448_shake256_sign, nettle_ed448_shake256_verify};

static const struct padding pkcs1 = {false}, pss = {true};

/* A primitive, and the work for each of its operations, in the order of `enum
 * cpb_operation` from CPB_KEYGEN on. */
static const struct {
    const char *primitive, *spelling;
    struct cpb_key_sizes sizes;
    const void *how;
    const struct cpb_key_work *works[5];
} table[] = {
#define MONTGOMERY {&montgomery_keygen, &montgomery_public_key, &montgomery_agree}
#define EDWARDS {&edwards_keygen, &edwards_public_key, NULL, &edwards_sign, &edwards_verify}
#define ECDH {&curve_keygen, &curve_public_key, &curve_agree}
#define ECDSA {&curve_keygen, &curve_public_key, NULL, &curve_sign, &curve_verify}
/* Making a key does not depend on its later use. */
#define PKCS1 {&rsa_keygen, NULL, NULL, &rsa_sign, &rsa_verify}
#define PSS {NULL, NULL, NULL, &rsa_sign, &rsa_verify}
    {"x25519", "curve25519", CPB_MONTGOMERY(32), &x25519, MONTGOMERY},
    {"x448", "curve448", CPB_MONTGOMERY(56), &x448, MONTGOMERY},
    {"ecdh-p256", "ecdh_secp256r1", CPB_CURVE(32), &p256, ECDH},
    {"ecdh-p384", "ecdh_secp384r1", CPB_CURVE(48), &p384, ECDH},
    {"ecdh-p521", "ecdh_secp521r1", CPB_CURVE(66), &p521, ECDH},
    {"ed25519", "ed25519_sha512", CPB_EDWARDS(32), &ed25519, EDWARDS},
    {"ed448", "ed448_shake256", CPB_EDWARDS(57), &ed448, EDWARDS},
    {"ecdsa-p256", "ecdsa_secp256r1", CPB_CURVE(32), &p256, ECDSA},
    {"ecdsa-p384", "ecdsa_secp384r1", CPB_CURVE(48), &p384, ECDSA},
    {"ecdsa-p521", "ecdsa_secp521r1", CPB_CURVE(66), &p521, ECDSA},
    {"rsa-2048-pkcs1", "rsa_2048_sha256", CPB_RSA(256), &pkcs1, PKCS1},
    {"rsa-3072-pkcs1", "rsa_3072_sha256", CPB_RSA(384), &pkcs1, PKCS1},
    {"rsa-4096-pkcs1", "rsa_4096_sha256", CPB_RSA(512), &pkcs1, PKCS1},
    {"rsa-2048-pss", "rsa_2048_pss_sha256", CPB_RSA(256), &pss, PSS},
    {"rsa-3072-pss", "rsa_3072_pss_sha256", CPB_RSA(384), &pss, PSS},
    {"rsa-4096-pss", "rsa_4096_pss_sha256", CPB_RSA(512), &pss, PSS},
};

const cpb_provider *cpb_key_pairs(void) {
    if (cpb_key_offer_count != 0 || !seed_chance()) return &provider;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (uint32_t operation = CPB_KEYGEN; operation <= CPB_VERIFY; operation++) {
            const struct cpb_key_work *work = table[i].works[operation - CPB_KEYGEN];
            if (work != NULL)
                cpb_offer_key(operation, table[i].primitive, table[i].spelling, &table[i].sizes,
                              work, table[i].how);
        }
    return &provider;
}

#endif
