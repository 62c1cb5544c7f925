/* Offers NSS as a provider of cpb_provider.h, through its PK11 functions, which are
 * what programs can call. These go through PKCS #11 with its sessions, objects and
 * locks to the library's own software token, whose algorithms cannot be called
 * directly. All of this is timed, because every user of NSS pays for it.
 *
 * Keys of keyed calls are imported outside the call. A context continues from message
 * to message, so each call of a mode with an initial value or a tag uses one of the
 * functions for a whole message. */
#define LIBRARY "nss"
#include "shim.h"

#include <nss.h>
#include <pk11pub.h>
#include <secoid.h>

#define TAG_BYTES 16
#define BLOCK_BYTES 16

static const char *version(void) { return NSS_GetVersion(); }
static const char *code_path(void) { return NULL; }

static PK11SlotInfo *slot;

#define SUCCEED(status) expect(call, (status) != SECSuccess)
#define MECHANISM (CK_MECHANISM_TYPE) call->which

/* A hash, by the number of its object identifier. */

struct hash {
    PK11Context *context;
};
PART hash_begin(struct call *call, struct hash *state) {
    state->context = PK11_CreateDigestContext((SECOidTag)call->which);
    expect(call, state->context == NULL);
}
PART digest(struct call *call, PK11Context *context) {
    unsigned length = 0;
    SUCCEED(PK11_DigestBegin(context));
    SUCCEED(PK11_DigestOp(context, call->in.message, (unsigned)call->in.message_bytes));
    SUCCEED(PK11_DigestFinal(context, call->in.destination, &length,
                             (unsigned)call->in.output_bytes));
}
PART hash_message(struct call *call, struct hash *state) { digest(call, state->context); }
PART hash_end(struct call *call, struct hash *state) {
    if (state->context != NULL) PK11_DestroyContext(state->context, PR_TRUE);
    state->context = NULL;
}
ROUTINE(hash, struct hash, hash_begin, hash_message, hash_end)

/* The state of what has a key. */

struct keyed {
    PK11SymKey *key;
    PK11Context *context;
};
PART import(struct call *call, struct keyed *state, CK_MECHANISM_TYPE mechanism,
            CK_ATTRIBUTE_TYPE operation) {
    SECItem item = {siBuffer, (unsigned char *)call->in.key, (unsigned)call->in.key_bytes};
    state->key = PK11_ImportSymKey(slot, mechanism, PK11_OriginUnwrap, operation, &item, NULL);
    expect(call, state->key == NULL);
}
PART key_end(struct call *call, struct keyed *state) {
    if (state->context != NULL) PK11_DestroyContext(state->context, PR_TRUE);
    if (state->key != NULL) PK11_FreeSymKey(state->key);
    state->context = NULL;
    state->key = NULL;
}

PART mac_begin(struct call *call, struct keyed *state) {
    SECItem none = {siBuffer, NULL, 0};
    import(call, state, MECHANISM, CKA_SIGN);
    if (call->failed != 0) return;
    state->context = PK11_CreateContextBySymKey(MECHANISM, CKA_SIGN, state->key, &none);
    expect(call, state->context == NULL);
}
PART mac_message(struct call *call, struct keyed *state) { digest(call, state->context); }
ROUTINE(mac, struct keyed, mac_begin, mac_message, key_end)

PART encryption_begin(struct call *call, struct keyed *state) {
    import(call, state, MECHANISM, CKA_ENCRYPT);
}
PART decryption_begin(struct call *call, struct keyed *state) {
    import(call, state, MECHANISM, CKA_DECRYPT);
}

/* The parameter of a mechanism besides the key, built on the stack as callers do. */
union parameter {
    CK_AES_CTR_PARAMS ctr;
    CK_NSS_GCM_PARAMS gcm;
    CK_NSS_AEAD_PARAMS aead;
    struct {
        uint32_t counter;
        uint8_t nonce[12];
    } chacha20;
};
static inline SECItem parameter_of(const struct call *call, union parameter *parameter) {
    SECItem item = {siBuffer, (unsigned char *)parameter, 0};
    switch (call->which) {
    case CKM_AES_CTR:
        parameter->ctr.ulCounterBits = 128;
        memcpy(parameter->ctr.cb, call->in.nonce, BLOCK_BYTES);
        item.len = sizeof parameter->ctr;
        break;
    case CKM_AES_GCM:
        parameter->gcm = (CK_NSS_GCM_PARAMS){(CK_BYTE_PTR)call->in.nonce, call->in.nonce_bytes,
                                             (CK_BYTE_PTR)call->in.aad, call->in.aad_bytes,
                                             8 * TAG_BYTES};
        item.len = sizeof parameter->gcm;
        break;
    case CKM_NSS_CHACHA20_POLY1305:
        parameter->aead = (CK_NSS_AEAD_PARAMS){(CK_BYTE_PTR)call->in.nonce, call->in.nonce_bytes,
                                               (CK_BYTE_PTR)call->in.aad, call->in.aad_bytes,
                                               TAG_BYTES};
        item.len = sizeof parameter->aead;
        break;
    case CKM_NSS_CHACHA20_CTR:
        parameter->chacha20.counter = 0;
        memcpy(parameter->chacha20.nonce, call->in.nonce, 12);
        item.len = sizeof parameter->chacha20;
        break;
    default:
        item.data = (unsigned char *)call->in.nonce;
        item.len = (unsigned)call->in.nonce_bytes;
    }
    return item;
}

PART encrypt_message(struct call *call, struct keyed *state) {
    union parameter parameter;
    SECItem item = parameter_of(call, &parameter);
    unsigned length = 0;
    SUCCEED(PK11_Encrypt(state->key, MECHANISM, &item, call->in.destination, &length,
                         (unsigned)call->in.output_bytes, call->in.message,
                         (unsigned)call->in.message_bytes));
    expect(call, length != call->in.output_bytes);
}
/* An AEAD decrypts the tag together with the ciphertext. */
PART decrypt_message(struct call *call, struct keyed *state) {
    union parameter parameter;
    SECItem item = parameter_of(call, &parameter);
    unsigned length = 0;
    const unsigned given = (unsigned)(call->in.message_bytes + call->in.tag_bytes);
    SUCCEED(PK11_Decrypt(state->key, MECHANISM, &item, call->in.destination, &length, given,
                         call->in.message, given));
    expect(call, length != call->in.output_bytes);
}
ROUTINE(encryption, struct keyed, encryption_begin, encrypt_message, key_end)
ROUTINE(decryption, struct keyed, decryption_begin, decrypt_message, key_end)

/* HKDF writes its output to an object, from which it is read. */
PART hkdf_derive(struct call *call, struct keyed *state) {
    CK_HKDF_PARAMS hkdf = {
        .bExtract = CK_TRUE,
        .bExpand = CK_TRUE,
        .prfHashMechanism = MECHANISM,
        .ulSaltType = call->in.nonce_bytes != 0 ? CKF_HKDF_SALT_DATA : CKF_HKDF_SALT_NULL,
        .pSalt = (CK_BYTE_PTR)call->in.nonce,
        .ulSaltLen = call->in.nonce_bytes,
        .pInfo = (CK_BYTE_PTR)call->in.aad,
        .ulInfoLen = call->in.aad_bytes,
    };
    SECItem item = {siBuffer, (unsigned char *)&hkdf, sizeof hkdf};
    PK11SymKey *derived = PK11_Derive(state->key, CKM_HKDF_DATA, &item, CKM_HKDF_DERIVE,
                                      CKA_DERIVE, (int)call->in.output_bytes);
    expect(call, derived == NULL);
    if (derived == NULL) return;
    SUCCEED(PK11_ExtractKeyValue(derived));
    const SECItem *value = PK11_GetKeyData(derived);
    expect(call, value == NULL || value->len != call->in.output_bytes);
    if (call->failed == 0) memcpy(call->in.destination, value->data, value->len);
    PK11_FreeSymKey(derived);
}
PART hkdf_begin(struct call *call, struct keyed *state) {
    import(call, state, CKM_HKDF_DERIVE, CKA_DERIVE);
}
ROUTINE(hkdf, struct keyed, hkdf_begin, hkdf_derive, key_end)

/* Offers. */

static const struct {
    SECOidTag hash;
    CK_MECHANISM_TYPE mechanism, hmac;
    const char *primitive, *spelling;
    uint32_t bytes;
} hashes[] = {
    {SEC_OID_MD2, CKM_MD2, 0, "md2", "MD2", 16},
    {SEC_OID_MD5, CKM_MD5, CKM_MD5_HMAC, "md5", "MD5", 16},
    {SEC_OID_SHA1, CKM_SHA_1, CKM_SHA_1_HMAC, "sha1", "SHA1", 20},
    {SEC_OID_SHA224, CKM_SHA224, CKM_SHA224_HMAC, "sha224", "SHA224", 28},
    {SEC_OID_SHA256, CKM_SHA256, CKM_SHA256_HMAC, "sha256", "SHA256", 32},
    {SEC_OID_SHA384, CKM_SHA384, CKM_SHA384_HMAC, "sha384", "SHA384", 48},
    {SEC_OID_SHA512, CKM_SHA512, CKM_SHA512_HMAC, "sha512", "SHA512", 64},
};

static void add_hashes(void) {
    for (size_t i = 0; i < LENGTH_OF(hashes); i++) {
        const char *primitive = hashes[i].primitive, *own = hashes[i].spelling;
        add(CPB_HASH, &hash, name("%s", primitive), name("%s", own), 0, 0, hashes[i].bytes)
            ->which = (intptr_t)hashes[i].hash;
        if (hashes[i].hmac == 0) continue;
        struct offer *offer = add(CPB_MAC, &mac, name("hmac-%s", primitive), name("%s_HMAC", own),
                                  32, 0, hashes[i].bytes);
        /* The object of a key needs at least one byte. */
        set_length(offer, CPB_KEY, 1, 32, CPB_ANY);
        offer->which = (intptr_t)hashes[i].hmac;
        if (hashes[i].hash == SEC_OID_MD5) continue;
        offer = add_hkdf(&hkdf, name("hkdf-%s", primitive), name("HKDF_DATA %s", own),
                         hashes[i].bytes);
        set_length(offer, CPB_PASSWORD, 1, 16, CPB_ANY);
        set_length(offer, CPB_OUTPUT, 1, 32, 255 * hashes[i].bytes);
        offer->which = (intptr_t)hashes[i].mechanism;
    }
}

static void add_mode(CK_MECHANISM_TYPE mechanism, struct name primitive, struct name spelling,
                     uint32_t key_bytes, uint32_t nonce_bytes, uint32_t granularity) {
    const size_t first = offers_count;
    add_cipher(&encryption, &decryption, primitive, spelling, key_bytes, nonce_bytes);
    for (size_t i = first; i < offers_count; i++) {
        offers[i].which = (intptr_t)mechanism;
        offers[i].shown.granularity = granularity;
    }
}

static void add_sealing(CK_MECHANISM_TYPE mechanism, struct name primitive, struct name spelling,
                        uint32_t key_bytes) {
    const size_t first = offers_count;
    add_aead(&encryption, &decryption, primitive, spelling, key_bytes, 12, TAG_BYTES);
    for (size_t i = first; i < offers_count; i++) {
        offers[i].which = (intptr_t)mechanism;
        offers[i].joins = true;
    }
}

static void add_ciphers(void) {
    static const struct {
        CK_MECHANISM_TYPE mechanism;
        const char *cipher, *mode;
        uint32_t least_bits, most_bits, block;
        bool chains;
    } block_ciphers[] = {
        {CKM_AES_ECB, "aes", "ecb", 128, 256, 16, false},
        {CKM_AES_CBC, "aes", "cbc", 128, 256, 16, true},
        {CKM_CAMELLIA_ECB, "camellia", "ecb", 128, 256, 16, false},
        {CKM_CAMELLIA_CBC, "camellia", "cbc", 128, 256, 16, true},
        {CKM_SEED_ECB, "seed", "ecb", 128, 128, 16, false},
        {CKM_SEED_CBC, "seed", "cbc", 128, 128, 16, true},
        {CKM_DES_ECB, "des", "ecb", 64, 64, 8, false},
        {CKM_DES_CBC, "des", "cbc", 64, 64, 8, true},
        {CKM_DES3_ECB, "3des", "ecb", 192, 192, 8, false},
        {CKM_DES3_CBC, "3des", "cbc", 192, 192, 8, true},
    };
    for (size_t i = 0; i < LENGTH_OF(block_ciphers); i++) {
        const uint32_t block = block_ciphers[i].block;
        const uint32_t least = block_ciphers[i].least_bits, most = block_ciphers[i].most_bits;
        for (uint32_t bits = least; bits <= most; bits += 64) {
            const struct name cipher = least == most
                                           ? name("%s", block_ciphers[i].cipher)
                                           : name("%s-%u", block_ciphers[i].cipher, bits);
            const struct name whole = name("%s-%s", cipher.text, block_ciphers[i].mode);
            add_mode(block_ciphers[i].mechanism, whole, whole, bits / 8,
                     block_ciphers[i].chains ? block : 0, block);
        }
    }
    for (uint32_t bits = 128; bits <= 256; bits += 64) {
        const struct name ctr = name("aes-%u-ctr", bits), gcm = name("aes-%u-gcm", bits);
        add_mode(CKM_AES_CTR, ctr, ctr, bits / 8, BLOCK_BYTES, 1);
        add_sealing(CKM_AES_GCM, gcm, gcm, bits / 8);
        add(CPB_MAC, &mac, name("cmac-aes-%u", bits), name("cmac-aes-%u", bits), bits / 8, 0,
            BLOCK_BYTES)
            ->which = CKM_AES_CMAC;
    }
    add_mode(CKM_NSS_CHACHA20_CTR, name("chacha20"), name("CHACHA20_CTR"), 32, 12, 1);
    add_sealing(CKM_NSS_CHACHA20_POLY1305, name("chacha20-poly1305"), name("CHACHA20_POLY1305"),
                32);
}

static void add_offers(void) {
    if (NSS_NoDB_Init(NULL) != SECSuccess) return;
    /* The slot lives as long as the provider. */
    slot = PK11_GetInternalSlot();
    if (slot == NULL) return;
    add_hashes();
    add_ciphers();
}
