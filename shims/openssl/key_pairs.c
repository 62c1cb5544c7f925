/* Offers public-key primitives, by libcrypto's names, in an object of its own, which
 * shim.h joins to the rest. */
#include "signatures.h"

/* Lists the curves: the end of their canonical names, what we call them, libcrypto's names, the
 * hash that is as strong, and the bytes of a number. */
#define CURVES(row)                                                                              \
    row("p256", "P-256", "prime256v1", "SHA256", 32),                                            \
        row("p384", "P-384", "secp384r1", "SHA384", 48),                                         \
        row("p521", "P-521", "secp521r1", "SHA512", 66),                                         \
        row("secp256k1", "secp256k1", "secp256k1", "SHA256", 32),                                \
        row("brainpoolp256r1", "brainpoolP256r1", "brainpoolP256r1", "SHA256", 32),              \
        row("brainpoolp384r1", "brainpoolP384r1", "brainpoolP384r1", "SHA384", 48),              \
        row("brainpoolp512r1", "brainpoolP512r1", "brainpoolP512r1", "SHA512", 64)
#define ECDH(end, own, name, hash, n)                                                            \
    {"ecdh-" end, "ECDH-" own, name, CURVE, AGREEMENT, NULL, CPB_CURVE(n)}
#define ECDSA(end, own, name, hash, n)                                                           \
    {"ecdsa-" end, "ECDSA-" own, name, CURVE, HASHED, hash, CPB_CURVE(n)}
#define ALONE(primitive, own, manner, ...) {primitive, own, own, RAW, manner, NULL, __VA_ARGS__}
#define ML_KEM(bits, public_key, secret_key, ciphertext)                                         \
    ALONE("ml-kem-" #bits, "ML-KEM-" #bits, KEM,                                                 \
          {public_key, secret_key, 0, ciphertext, 32, 64, 32, 0})
#define HYBRID(primitive, own, public_key, secret_key, ciphertext, secret)                       \
    ALONE(primitive, own, KEM, {public_key, secret_key, 0, ciphertext, secret, 0, 0, 0})
#define ML_DSA(level, public_key, secret_key, signature)                                         \
    ALONE("ml-dsa-" #level, "ML-DSA-" #level, WHOLE_WITH_CHANCE,                                 \
          {public_key, secret_key, signature, 0, 0, 32, 0, 0})
#define SLH_DSA(end, own, n, signature)                                                          \
    ALONE("slh-dsa-" end, "SLH-DSA-" own, WHOLE_WITH_CHANCE,                                     \
          {2 * (n), 4 * (n), signature, 0, 0, 3 * (n), 0, 0})

static const struct key_type types[] = {
    ALONE("x25519", "X25519", AGREEMENT, CPB_MONTGOMERY(32)),
    ALONE("x448", "X448", AGREEMENT, CPB_MONTGOMERY(56)),
    CURVES(ECDH),
    {"ffdh-2048", "FFDHE-2048", "ffdhe2048", GROUP, AGREEMENT, NULL, CPB_FFDH(256)},
    {"ffdh-3072", "FFDHE-3072", "ffdhe3072", GROUP, AGREEMENT, NULL, CPB_FFDH(384)},
    ALONE("ed25519", "ED25519", WHOLE, CPB_EDWARDS(32)),
    ALONE("ed448", "ED448", WHOLE, CPB_EDWARDS(57)),
    CURVES(ECDSA),
    {"rsa-2048-pkcs1", "RSA-2048-PKCS1", "RSA", RSA, PKCS1, "SHA256", CPB_RSA(256)},
    {"rsa-3072-pkcs1", "RSA-3072-PKCS1", "RSA", RSA, PKCS1, "SHA256", CPB_RSA(384)},
    {"rsa-4096-pkcs1", "RSA-4096-PKCS1", "RSA", RSA, PKCS1, "SHA256", CPB_RSA(512)},
    {"rsa-2048-pss", "RSA-2048-PSS", "RSA", RSA, PSS, "SHA256", CPB_RSA(256)},
    {"rsa-3072-pss", "RSA-3072-PSS", "RSA", RSA, PSS, "SHA256", CPB_RSA(384)},
    {"rsa-4096-pss", "RSA-4096-PSS", "RSA", RSA, PSS, "SHA256", CPB_RSA(512)},
    {"rsa-2048-oaep", "RSA-2048-OAEP", "RSA", RSA, OAEP, NULL, CPB_RSA_OAEP(256)},
    {"rsa-3072-oaep", "RSA-3072-OAEP", "RSA", RSA, OAEP, NULL, CPB_RSA_OAEP(384)},
    {"rsa-4096-oaep", "RSA-4096-OAEP", "RSA", RSA, OAEP, NULL, CPB_RSA_OAEP(512)},
    ML_KEM(512, 800, 1632, 768),
    ML_KEM(768, 1184, 2400, 1088),
    ML_KEM(1024, 1568, 3168, 1568),
    HYBRID("x25519mlkem768", "X25519MLKEM768", 1216, 2432, 1120, 64),
    HYBRID("x448mlkem1024", "X448MLKEM1024", 1624, 3224, 1624, 88),
    HYBRID("secp256r1mlkem768", "SecP256r1MLKEM768", 1249, 2432, 1153, 64),
    HYBRID("secp384r1mlkem1024", "SecP384r1MLKEM1024", 1665, 3216, 1665, 80),
    ML_DSA(44, 1312, 2560, 2420),
    ML_DSA(65, 1952, 4032, 3309),
    ML_DSA(87, 2592, 4896, 4627),
    SLH_DSA("sha2-128s", "SHA2-128s", 16, 7856),
    SLH_DSA("sha2-128f", "SHA2-128f", 16, 17088),
    SLH_DSA("sha2-192s", "SHA2-192s", 24, 16224),
    SLH_DSA("sha2-192f", "SHA2-192f", 24, 35664),
    SLH_DSA("sha2-256s", "SHA2-256s", 32, 29792),
    SLH_DSA("sha2-256f", "SHA2-256f", 32, 49856),
    SLH_DSA("shake-128s", "SHAKE-128s", 16, 7856),
    SLH_DSA("shake-128f", "SHAKE-128f", 16, 17088),
    SLH_DSA("shake-192s", "SHAKE-192s", 24, 16224),
    SLH_DSA("shake-192f", "SHAKE-192f", 24, 35664),
    SLH_DSA("shake-256s", "SHAKE-256s", 32, 29792),
    SLH_DSA("shake-256f", "SHAKE-256f", 32, 49856),
};
#define TYPES_END (types + sizeof types / sizeof *types)

/* Their encoding of secret keys cannot be used: the curve's half is passed on as bytes where
 * a number is expected, and vice versa (OpenSSL 3.5 to 4.0). */
static const char *const sealed[] = {"secp256r1mlkem768", "secp384r1mlkem1024"};
static const char *const why_sealed =
    "OpenSSL can neither write nor read its secret keys, so that no key outlives the "
    "process that made it";

static const struct key_type *type_of(const char *spelling) {
    for (const struct key_type *type = types; type != TYPES_END; type++) {
        if (strcmp(type->spelling, spelling) == 0) return type;
    }
    return NULL;
}

bool cpb_openssl_has_keys(const char *spelling) { return type_of(spelling) != NULL; }

const char *cpb_openssl_hash_of(const char *spelling) {
    const struct key_type *type = type_of(spelling);
    return type != NULL ? type->hash : NULL;
}

/* Oneshot calls make their own keys, and so does key generation. */
int cpb_shim_share_keys(uint32_t operation, uint32_t contract) {
    shares_keys = operation > CPB_KEYGEN && operation <= CPB_PRIVATE_DECRYPT &&
                  contract != CPB_ONESHOT && ssl.has_keys;
    return shares_keys;
}

static bool is_there(const struct key_type *type) {
    if (type->hash != NULL && digest_of(type) == NULL) return false;
    if (type->form == RSA) return true;
    if (type->form == CURVE) return group_of(type->name) != NULL;
    if (type->form == GROUP) {
        DH *dh = ssl.keys.dh(ssl.keys.object(type->name));
        ssl.keys.free_dh(dh);
        return dh != NULL;
    }
    EVP_PKEY_CTX *context = ssl.keys.context_by_name(NULL, type->name, NULL);
    ssl.keys.free_context(context);
    return context != NULL;
}

static void offer(const struct key_type *type, uint32_t operation,
                  const struct cpb_key_work *work) {
    struct cpb_key_offer *offer =
        cpb_offer_key(operation, type->primitive, type->spelling, &type->sizes, work, type);
    for (size_t i = 0; i < sizeof sealed / sizeof *sealed; i++) {
        if (strcmp(type->primitive, sealed[i]) == 0) offer->unavailable = why_sealed;
    }
}

static void offer_operations(const struct key_type *type) {
    const enum manner manner = type->manner;
    const bool is_whole = manner == WHOLE || manner == WHOLE_WITH_CHANCE;
    /* Making an RSA key does not depend on its later use. */
    if (type->form != RSA || manner == PKCS1) offer(type, CPB_KEYGEN, &generation);
    if (manner == AGREEMENT || manner == WHOLE || manner == HASHED) {
        offer(type, CPB_PUBLIC_KEY_OF,
              type->form == RAW     ? &raw_public
              : type->form == CURVE ? &curve_public
                                    : &group_public);
    }
    switch (manner) {
    case AGREEMENT:
        offer(type, CPB_AGREE, &agreement);
        break;
    case KEM:
        offer(type, CPB_ENCAPSULATE, &encapsulation);
        offer(type, CPB_DECAPSULATE, &decapsulation);
        break;
    case OAEP:
        offer(type, CPB_PUBLIC_ENCRYPT, &encryption);
        offer(type, CPB_PRIVATE_DECRYPT, &decryption);
        break;
    default:
        offer(type, CPB_SIGN, is_whole ? &whole_signing : &signing);
        offer(type, CPB_VERIFY, is_whole ? &whole_verification : &verification);
    }
}

const cpb_provider *cpb_key_pairs(void) {
    static const cpb_provider provider = CPB_KEY_PAIRS;
    if (cpb_key_offer_count != 0 || !ssl.has_keys) return &provider;
    for (const struct key_type *type = types; type != TYPES_END; type++) {
        const bool is_wanted = ssl.wanted == NULL || strcmp(ssl.wanted, type->spelling) == 0;
        if (is_wanted && is_there(type)) offer_operations(type);
    }
    /* Failed look-ups leave entries in the error queue. */
    ssl.core.error_clear();
    return &provider;
}
