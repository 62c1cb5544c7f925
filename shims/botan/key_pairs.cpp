// Offers Botan's key pairs.
//
// ECDSA draws no random number for a signature: Botan derives it from key and message
// (RFC 6979) if it was built with that.
#include "key_work.hpp"

namespace {

using namespace cpb;

#if BOTAN_VERSION_MAJOR >= 3
#define HASHED(hash) hash
#define PKCS1 "PKCS1v15(SHA-256)"
#define PSS "PSS(SHA-256)"
#else
#define HASHED(hash) "EMSA1(" hash ")"
#define PKCS1 "EMSA_PKCS1(SHA-256)"
#define PSS "PSSR(SHA-256)"
#endif

const Primitive agreements[] = {
#if defined(SHIM_HAS_X25519)
    {"x25519", "X25519", CPB_MONTGOMERY(32), x25519, "", ""},
#endif
#if defined(BOTAN_HAS_X448)
    {"x448", "X448", CPB_MONTGOMERY(56), x448, "", ""},
#endif
#if defined(BOTAN_HAS_ECDH)
    {"ecdh-p256", "ECDH-secp256r1", CPB_CURVE(32), ecdh, "secp256r1", ""},
    {"ecdh-p384", "ECDH-secp384r1", CPB_CURVE(48), ecdh, "secp384r1", ""},
    {"ecdh-p521", "ECDH-secp521r1", CPB_CURVE(66), ecdh, "secp521r1", ""},
    {"ecdh-secp256k1", "ECDH-secp256k1", CPB_CURVE(32), ecdh, "secp256k1", ""},
    {"ecdh-brainpoolp256r1", "ECDH-brainpool256r1", CPB_CURVE(32), ecdh, "brainpool256r1", ""},
    {"ecdh-brainpoolp384r1", "ECDH-brainpool384r1", CPB_CURVE(48), ecdh, "brainpool384r1", ""},
    {"ecdh-brainpoolp512r1", "ECDH-brainpool512r1", CPB_CURVE(64), ecdh, "brainpool512r1", ""},
#endif
#if defined(BOTAN_HAS_DIFFIE_HELLMAN)
    {"ffdh-2048", "DH-ffdhe-2048", CPB_FFDH(256), dh, "ffdhe/ietf/2048", ""},
    {"ffdh-3072", "DH-ffdhe-3072", CPB_FFDH(384), dh, "ffdhe/ietf/3072", ""},
#endif
};

const Primitive signatures[] = {
#if defined(BOTAN_HAS_ED25519)
    {"ed25519", "Ed25519", CPB_EDWARDS(32), ed25519, "", "Pure"},
#endif
#if defined(BOTAN_HAS_ED448)
    {"ed448", "Ed448", CPB_EDWARDS(57), ed448, "", "Pure"},
#endif
#if defined(BOTAN_HAS_ECDSA)
    {"ecdsa-p256", "ECDSA-secp256r1", CPB_CURVE(32), ecdsa, "secp256r1", HASHED("SHA-256")},
    {"ecdsa-p384", "ECDSA-secp384r1", CPB_CURVE(48), ecdsa, "secp384r1", HASHED("SHA-384")},
    {"ecdsa-p521", "ECDSA-secp521r1", CPB_CURVE(66), ecdsa, "secp521r1", HASHED("SHA-512")},
    {"ecdsa-secp256k1", "ECDSA-secp256k1", CPB_CURVE(32), ecdsa, "secp256k1", HASHED("SHA-256")},
    {"ecdsa-brainpoolp256r1", "ECDSA-brainpool256r1", CPB_CURVE(32), ecdsa, "brainpool256r1",
     HASHED("SHA-256")},
    {"ecdsa-brainpoolp384r1", "ECDSA-brainpool384r1", CPB_CURVE(48), ecdsa, "brainpool384r1",
     HASHED("SHA-384")},
    {"ecdsa-brainpoolp512r1", "ECDSA-brainpool512r1", CPB_CURVE(64), ecdsa, "brainpool512r1",
     HASHED("SHA-512")},
#endif
};

#if defined(BOTAN_HAS_RSA)
#define PSS_ROW(bits, bytes)                                                                     \
    {"rsa-" bits "-pss", "RSA-" bits "-PSS", CPB_RSA(bytes), rsa, bits, PSS}
const Primitive pss[] = {CPB_RSA_ROWS(PSS_ROW)};

#define PKCS1_ROW(bits, bytes)                                                                   \
    {"rsa-" bits "-pkcs1", "RSA-" bits "-PKCS1", CPB_RSA(bytes), rsa, bits, PKCS1}
// Making a key does not depend on its later use, so key pairs are made for these
// primitives.
const Primitive pkcs1[] = {CPB_RSA_ROWS(PKCS1_ROW)};

#define OAEP_ROW(bits, bytes)                                                                    \
    {"rsa-" bits "-oaep", "RSA-" bits "-OAEP", CPB_RSA_OAEP(bytes), rsa, bits, "OAEP(SHA-256)"}
const Primitive encryptions[] = {CPB_RSA_ROWS(OAEP_ROW)};
#endif

template <class Ready> void offer(uint32_t operation, const Primitive &of) {
    cpb_offer_key(operation, of.primitive, of.spelling, &of.sizes, &Work<Ready>::value, &of);
}

void offer_pairs_of(const Primitive &of) {
    offer<Generation>(CPB_KEYGEN, of);
    offer<PublicKeyOf>(CPB_PUBLIC_KEY_OF, of);
}

void offer_signatures_of(const Primitive &of) {
    offer<Signing>(CPB_SIGN, of);
    offer<Verification>(CPB_VERIFY, of);
}

void offer_everything() {
    for (const Primitive &of : agreements) {
        offer_pairs_of(of);
        offer<Agreement>(CPB_AGREE, of);
    }
    for (const Primitive &of : signatures) {
        offer_pairs_of(of);
        offer_signatures_of(of);
    }
#if defined(BOTAN_HAS_RSA)
    for (const Primitive &of : pss) offer_signatures_of(of);
    for (const Primitive &of : pkcs1) {
        offer<Generation>(CPB_KEYGEN, of);
        offer_signatures_of(of);
    }
    for (const Primitive &of : encryptions) {
        offer<Encryption>(CPB_PUBLIC_ENCRYPT, of);
        offer<Decryption>(CPB_PRIVATE_DECRYPT, of);
    }
#endif
}

const cpb_provider provider = CPB_KEY_PAIRS;

} // namespace

const cpb_provider *cpb_key_pairs(void) {
    if (cpb_key_offer_count == 0) offer_everything();
    return &provider;
}
