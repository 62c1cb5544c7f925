/* Declares the functions of libcrypto that are called, in groups, so that this compiles
 * without OpenSSL's headers and supports versions unknown to them. headers.c compares both.
 * Without CORE, DIGESTS, CIPHERS, ENCRYPTION and DECRYPTION a library is not OpenSSL. The
 * other groups came or went with a version, and what depends on one is offered if the whole
 * group is present. */
#ifndef CPB_OPENSSL_FUNCTIONS_H
#define CPB_OPENSSL_FUNCTIONS_H

#include "../table.h"

/* Key objects are allocated by the library. */
#define CPB_KEY_HANDLES_ALONE

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct ossl_lib_ctx_st OSSL_LIB_CTX;
typedef struct ossl_provider_st OSSL_PROVIDER;
typedef struct ossl_init_settings_st OPENSSL_INIT_SETTINGS;
typedef struct engine_st ENGINE;
typedef struct evp_md_st EVP_MD;
typedef struct evp_md_ctx_st EVP_MD_CTX;
typedef struct evp_cipher_st EVP_CIPHER;
typedef struct evp_cipher_ctx_st EVP_CIPHER_CTX;
typedef struct evp_mac_st EVP_MAC;
typedef struct evp_mac_ctx_st EVP_MAC_CTX;
typedef struct evp_kdf_st EVP_KDF;
typedef struct evp_kdf_ctx_st EVP_KDF_CTX;
typedef struct hmac_ctx_st HMAC_CTX;
typedef struct CMAC_CTX_st CMAC_CTX;
typedef struct evp_pkey_st EVP_PKEY;
typedef struct evp_pkey_ctx_st EVP_PKEY_CTX;
typedef struct bignum_st BIGNUM;
typedef struct bignum_ctx BN_CTX;
typedef struct ec_group_st EC_GROUP;
typedef struct ec_point_st EC_POINT;
typedef struct dh_st DH;
#ifndef OPENSSL_EC_H
typedef enum { POINT_CONVERSION_COMPRESSED = 2 } point_conversion_form_t;
#endif

#define PARAMETER                                                                                \
    const char *key;                                                                             \
    unsigned data_type;                                                                          \
    void *data;                                                                                  \
    size_t data_size, return_size;
#ifndef OPENSSL_CORE_H
typedef struct ossl_param_st {
    PARAMETER
} OSSL_PARAM;
#endif

#define CORE(F)                                                                                  \
    F(const char *, version, OpenSSL_version, (int))                                             \
    F(int, initialise, OPENSSL_init_crypto, (uint64_t, const OPENSSL_INIT_SETTINGS *))           \
    F(unsigned long, error_peek, ERR_peek_last_error, (void))                                    \
    F(void, error_text, ERR_error_string_n, (unsigned long, char *, size_t))                     \
    F(void, error_clear, ERR_clear_error, (void))

#define DIGESTS(F)                                                                               \
    F(const EVP_MD *, by_name, EVP_get_digestbyname, (const char *))                             \
    F(EVP_MD_CTX *, new, EVP_MD_CTX_new, (void))                                                 \
    F(void, free, EVP_MD_CTX_free, (EVP_MD_CTX *))                                               \
    F(int, init, EVP_DigestInit_ex, (EVP_MD_CTX *, const EVP_MD *, ENGINE *))                    \
    F(int, update, EVP_DigestUpdate, (EVP_MD_CTX *, const void *, size_t))                       \
    F(int, finish, EVP_DigestFinal_ex, (EVP_MD_CTX *, unsigned char *, unsigned *))              \
    F(int, finish_xof, EVP_DigestFinalXOF, (EVP_MD_CTX *, unsigned char *, size_t))

#define CIPHERS(F)                                                                               \
    F(const EVP_CIPHER *, by_name, EVP_get_cipherbyname, (const char *))                         \
    F(EVP_CIPHER_CTX *, new, EVP_CIPHER_CTX_new, (void))                                         \
    F(void, free, EVP_CIPHER_CTX_free, (EVP_CIPHER_CTX *))                                       \
    F(int, control, EVP_CIPHER_CTX_ctrl, (EVP_CIPHER_CTX *, int, int, void *))                   \
    F(int, padding, EVP_CIPHER_CTX_set_padding, (EVP_CIPHER_CTX *, int))

/* Older names follow the newer ones: RENAMED lists them for cpb_fill, in the same order. */
#define PROPERTIES(F)                                                                            \
    F(int, digest_bytes, EVP_MD_get_size, (const EVP_MD *))                                      \
    F(int, digest_block, EVP_MD_get_block_size, (const EVP_MD *))                                \
    F(unsigned long, digest_flags, EVP_MD_get_flags, (const EVP_MD *))                           \
    F(int, key_bytes, EVP_CIPHER_get_key_length, (const EVP_CIPHER *))                           \
    F(int, nonce_bytes, EVP_CIPHER_get_iv_length, (const EVP_CIPHER *))                          \
    F(int, cipher_block, EVP_CIPHER_get_block_size, (const EVP_CIPHER *))                        \
    F(unsigned long, cipher_flags, EVP_CIPHER_get_flags, (const EVP_CIPHER *))
#define RENAMED                                                                                  \
    "EVP_MD_get_size\0EVP_MD_size\0", "EVP_MD_get_block_size\0EVP_MD_block_size\0",              \
        "EVP_MD_get_flags\0EVP_MD_flags\0", "EVP_CIPHER_get_key_length\0EVP_CIPHER_key_length\0", \
        "EVP_CIPHER_get_iv_length\0EVP_CIPHER_iv_length\0",                                      \
        "EVP_CIPHER_get_block_size\0EVP_CIPHER_block_size\0",                                    \
        "EVP_CIPHER_get_flags\0EVP_CIPHER_flags\0"

/* One direction of a cipher. */
#define WAY(F, WAY)                                                                              \
    F(int, init, WAY##Init_ex,                                                                   \
      (EVP_CIPHER_CTX *, const EVP_CIPHER *, ENGINE *, const unsigned char *,                    \
       const unsigned char *))                                                                   \
    F(int, update, WAY##Update,                                                                  \
      (EVP_CIPHER_CTX *, unsigned char *, int *, const unsigned char *, int))                    \
    F(int, finish, WAY##Final_ex, (EVP_CIPHER_CTX *, unsigned char *, int *))
#define ENCRYPTION(F) WAY(F, EVP_Encrypt)
#define DECRYPTION(F) WAY(F, EVP_Decrypt)

/* Since 3.0. */
#define PROVIDERS(F)                                                                             \
    F(const char *, info, OPENSSL_info, (int))                                                   \
    F(int, available, OSSL_PROVIDER_available, (OSSL_LIB_CTX *, const char *))                   \
    F(OSSL_PROVIDER *, load, OSSL_PROVIDER_load, (OSSL_LIB_CTX *, const char *))                 \
    F(const char *, name, OSSL_PROVIDER_get0_name, (const OSSL_PROVIDER *))

/* Fetching one kind of algorithm, which is never freed: since 3.0. */
#define FETCHING(F, TYPE)                                                                        \
    F(TYPE *, fetch, TYPE##_fetch, (OSSL_LIB_CTX *, const char *, const char *))                 \
    F(const OSSL_PROVIDER *, provider, TYPE##_get0_provider, (const TYPE *))                     \
    F(const char *, name, TYPE##_get0_name, (const TYPE *))                                      \
    F(int, is_a, TYPE##_is_a, (const TYPE *, const char *))                                      \
    F(void, all, TYPE##_do_all_provided, (OSSL_LIB_CTX *, void (*)(TYPE *, void *), void *))
#define DIGEST_FETCHING(F) FETCHING(F, EVP_MD)
#define CIPHER_FETCHING(F) FETCHING(F, EVP_CIPHER)

/* Functions for a whole message: since 3.0. */
#define WHOLE_MESSAGES(F)                                                                        \
    F(int, digest, EVP_Digest,                                                                   \
      (const void *, size_t, unsigned char *, unsigned *, const EVP_MD *, ENGINE *))             \
    F(int, quick_digest, EVP_Q_digest,                                                           \
      (OSSL_LIB_CTX *, const char *, const char *, const void *, size_t, unsigned char *,        \
       size_t *))                                                                                \
    F(unsigned char *, quick_mac, EVP_Q_mac,                                                     \
      (OSSL_LIB_CTX *, const char *, const char *, const char *, const OSSL_PARAM *,             \
       const void *, size_t, const unsigned char *, size_t, unsigned char *, size_t, size_t *))

#define RANDOMNESS(F) F(int, bytes, RAND_bytes, (unsigned char *, int))

/* Since 3.0. */
#define MACS(F)                                                                                  \
    F(EVP_MAC *, fetch, EVP_MAC_fetch, (OSSL_LIB_CTX *, const char *, const char *))             \
    F(EVP_MAC_CTX *, new, EVP_MAC_CTX_new, (EVP_MAC *))                                          \
    F(void, free, EVP_MAC_CTX_free, (EVP_MAC_CTX *))                                             \
    F(int, init, EVP_MAC_init,                                                                   \
      (EVP_MAC_CTX *, const unsigned char *, size_t, const OSSL_PARAM *))                        \
    F(int, update, EVP_MAC_update, (EVP_MAC_CTX *, const unsigned char *, size_t))               \
    F(int, finish, EVP_MAC_final, (EVP_MAC_CTX *, unsigned char *, size_t *, size_t))

/* Since 3.0. */
#define DERIVATIONS(F)                                                                           \
    F(EVP_KDF *, fetch, EVP_KDF_fetch, (OSSL_LIB_CTX *, const char *, const char *))             \
    F(EVP_KDF_CTX *, new, EVP_KDF_CTX_new, (EVP_KDF *))                                          \
    F(void, free, EVP_KDF_CTX_free, (EVP_KDF_CTX *))                                             \
    F(int, set, EVP_KDF_CTX_set_params, (EVP_KDF_CTX *, const OSSL_PARAM *))                     \
    F(int, derive, EVP_KDF_derive,                                                               \
      (EVP_KDF_CTX *, unsigned char *, size_t, const OSSL_PARAM *))

/* Before 3.0. */
#define OLD_HMAC(F)                                                                              \
    F(HMAC_CTX *, new, HMAC_CTX_new, (void))                                                     \
    F(void, free, HMAC_CTX_free, (HMAC_CTX *))                                                   \
    F(int, init, HMAC_Init_ex, (HMAC_CTX *, const void *, int, const EVP_MD *, ENGINE *))        \
    F(int, update, HMAC_Update, (HMAC_CTX *, const unsigned char *, size_t))                     \
    F(int, finish, HMAC_Final, (HMAC_CTX *, unsigned char *, unsigned *))
#define OLD_CMAC(F)                                                                              \
    F(CMAC_CTX *, new, CMAC_CTX_new, (void))                                                     \
    F(void, free, CMAC_CTX_free, (CMAC_CTX *))                                                   \
    F(int, init, CMAC_Init, (CMAC_CTX *, const void *, size_t, const EVP_CIPHER *, ENGINE *))    \
    F(int, update, CMAC_Update, (CMAC_CTX *, const void *, size_t))                              \
    F(int, finish, CMAC_Final, (CMAC_CTX *, unsigned char *, size_t *))
#define OLD_DERIVATIONS(F)                                                                       \
    F(int, pbkdf2, PKCS5_PBKDF2_HMAC,                                                            \
      (const char *, int, const unsigned char *, int, int, const EVP_MD *, int,                  \
       unsigned char *))                                                                         \
    F(int, scrypt, EVP_PBE_scrypt,                                                               \
      (const char *, size_t, const unsigned char *, size_t, uint64_t, uint64_t, uint64_t,        \
       uint64_t, unsigned char *, size_t))

/* Key pairs (EVP_PKEY) and their operations: since 3.0, which makes keys from bytes by the
 * names of their types. */
#define OF_BYTES(F, field, symbol)                                                               \
    F(EVP_PKEY *, field, symbol,                                                                 \
      (OSSL_LIB_CTX *, const char *, const char *, const unsigned char *, size_t))
#define OF_DER(F, field, symbol)                                                                 \
    F(EVP_PKEY *, field, symbol, (int, EVP_PKEY **, const unsigned char **, long))
#define BEGIN_WHOLE(F, field, symbol)                                                            \
    F(int, field, symbol,                                                                        \
      (EVP_MD_CTX *, EVP_PKEY_CTX **, const char *, OSSL_LIB_CTX *, const char *, EVP_PKEY *,    \
       const OSSL_PARAM *))
#define BETWEEN(F, field, symbol)                                                                \
    F(int, field, symbol,                                                                        \
      (EVP_PKEY_CTX *, unsigned char *, size_t *, const unsigned char *, size_t))
#define KEYS(F)                                                                                  \
    OF_BYTES(F, raw_secret, EVP_PKEY_new_raw_private_key_ex)                                     \
    OF_BYTES(F, raw_public, EVP_PKEY_new_raw_public_key_ex)                                      \
    OF_DER(F, rsa_secret, d2i_PrivateKey)                                                        \
    OF_DER(F, rsa_public, d2i_PublicKey)                                                         \
    F(int, write_rsa_secret, i2d_PrivateKey, (const EVP_PKEY *, unsigned char **))               \
    F(int, write_rsa_public, i2d_PublicKey, (const EVP_PKEY *, unsigned char **))                \
    F(int, write_raw_secret, EVP_PKEY_get_raw_private_key,                                       \
      (const EVP_PKEY *, unsigned char *, size_t *))                                             \
    F(int, write_raw_public, EVP_PKEY_get_raw_public_key,                                        \
      (const EVP_PKEY *, unsigned char *, size_t *))                                             \
    F(int, number_of, EVP_PKEY_get_bn_param, (const EVP_PKEY *, const char *, BIGNUM **))        \
    F(int, octets_of, EVP_PKEY_get_octet_string_param,                                           \
      (const EVP_PKEY *, const char *, unsigned char *, size_t, size_t *))                       \
    F(void, free, EVP_PKEY_free, (EVP_PKEY *))                                                   \
    F(int, hold, EVP_PKEY_up_ref, (EVP_PKEY *))                                                  \
    F(EVP_PKEY_CTX *, context_by_name, EVP_PKEY_CTX_new_from_name,                               \
      (OSSL_LIB_CTX *, const char *, const char *))                                              \
    F(EVP_PKEY_CTX *, context_of, EVP_PKEY_CTX_new_from_pkey,                                    \
      (OSSL_LIB_CTX *, EVP_PKEY *, const char *))                                                \
    F(void, free_context, EVP_PKEY_CTX_free, (EVP_PKEY_CTX *))                                   \
    F(int, set, EVP_PKEY_CTX_set_params, (EVP_PKEY_CTX *, const OSSL_PARAM *))                   \
    F(int, begin_data, EVP_PKEY_fromdata_init, (EVP_PKEY_CTX *))                                 \
    F(int, of_data, EVP_PKEY_fromdata, (EVP_PKEY_CTX *, EVP_PKEY **, int, OSSL_PARAM *))         \
    F(int, begin_generating, EVP_PKEY_keygen_init, (EVP_PKEY_CTX *))                             \
    F(int, generate, EVP_PKEY_generate, (EVP_PKEY_CTX *, EVP_PKEY **))                           \
    F(int, begin_deriving, EVP_PKEY_derive_init, (EVP_PKEY_CTX *))                               \
    F(int, set_peer, EVP_PKEY_derive_set_peer, (EVP_PKEY_CTX *, EVP_PKEY *))                     \
    F(int, derive, EVP_PKEY_derive, (EVP_PKEY_CTX *, unsigned char *, size_t *))                 \
    F(int, begin_signing, EVP_PKEY_sign_init, (EVP_PKEY_CTX *))                                  \
    BETWEEN(F, sign, EVP_PKEY_sign)                                                              \
    F(int, begin_verifying, EVP_PKEY_verify_init, (EVP_PKEY_CTX *))                              \
    F(int, verify, EVP_PKEY_verify,                                                              \
      (EVP_PKEY_CTX *, const unsigned char *, size_t, const unsigned char *, size_t))            \
    BEGIN_WHOLE(F, begin_signing_whole, EVP_DigestSignInit_ex)                                   \
    F(int, sign_whole, EVP_DigestSign,                                                           \
      (EVP_MD_CTX *, unsigned char *, size_t *, const unsigned char *, size_t))                  \
    BEGIN_WHOLE(F, begin_verifying_whole, EVP_DigestVerifyInit_ex)                               \
    F(int, verify_whole, EVP_DigestVerify,                                                       \
      (EVP_MD_CTX *, const unsigned char *, size_t, const unsigned char *, size_t))              \
    F(int, begin_encapsulating, EVP_PKEY_encapsulate_init, (EVP_PKEY_CTX *, const OSSL_PARAM *)) \
    F(int, encapsulate, EVP_PKEY_encapsulate,                                                    \
      (EVP_PKEY_CTX *, unsigned char *, size_t *, unsigned char *, size_t *))                    \
    F(int, begin_decapsulating, EVP_PKEY_decapsulate_init, (EVP_PKEY_CTX *, const OSSL_PARAM *)) \
    BETWEEN(F, decapsulate, EVP_PKEY_decapsulate)                                                \
    F(int, begin_encrypting, EVP_PKEY_encrypt_init, (EVP_PKEY_CTX *))                            \
    BETWEEN(F, encrypt, EVP_PKEY_encrypt)                                                        \
    F(int, begin_decrypting, EVP_PKEY_decrypt_init, (EVP_PKEY_CTX *))                            \
    BETWEEN(F, decrypt, EVP_PKEY_decrypt)                                                        \
    F(BIGNUM *, number, BN_bin2bn, (const unsigned char *, int, BIGNUM *))                       \
    F(int, write_number, BN_bn2binpad, (const BIGNUM *, unsigned char *, int))                   \
    F(void, free_number, BN_free, (BIGNUM *))                                                    \
    F(BN_CTX *, new_numbers, BN_CTX_new, (void))                                                 \
    F(void, free_numbers, BN_CTX_free, (BN_CTX *))                                               \
    F(DH *, dh, DH_new_by_nid, (int))                                                            \
    F(void, free_dh, DH_free, (DH *))                                                            \
    F(int, set_dh, DH_set0_key, (DH *, BIGNUM *, BIGNUM *))                                      \
    F(int, generate_dh, DH_generate_key, (DH *))                                                 \
    F(const BIGNUM *, public_dh, DH_get0_pub_key, (const DH *))                                  \
    F(int, object, OBJ_txt2nid, (const char *))                                                  \
    F(EC_GROUP *, group, EC_GROUP_new_by_curve_name, (int))                                      \
    F(EC_POINT *, point, EC_POINT_new, (const EC_GROUP *))                                       \
    F(void, free_point, EC_POINT_free, (EC_POINT *))                                             \
    F(int, multiply, EC_POINT_mul,                                                               \
      (const EC_GROUP *, EC_POINT *, const BIGNUM *, const EC_POINT *, const BIGNUM *, BN_CTX *)) \
    F(size_t, write_point, EC_POINT_point2oct,                                                   \
      (const EC_GROUP *, const EC_POINT *, point_conversion_form_t, unsigned char *, size_t,     \
       BN_CTX *))

/* OPENSSL_INIT_LOAD_CONFIG, OPENSSL_VERSION, OPENSSL_INFO_CPU_SETTINGS. */
#define LOAD_CONFIGURATION UINT64_C(0x40)
#define VERSION_TEXT 0
#define CPU_SETTINGS 1008
/* EVP_MD_FLAG_XOF. */
#define DIGEST_IS_XOF 0x2ul
/* EVP_CIPH_MODE: the bits that hold the mode; 0 is a stream cipher. */
#define CIPHER_MODE_BITS 0xf0007ul
/* EVP_CTRL_AEAD_SET_IVLEN, EVP_CTRL_AEAD_GET_TAG, EVP_CTRL_AEAD_SET_TAG. */
#define SET_NONCE_LENGTH 0x9
#define GET_TAG 0x10
#define SET_TAG 0x11
/* EVP_MAX_MD_SIZE and EVP_MAX_IV_LENGTH. */
#define MOST_DIGEST_BYTES 64
#define MOST_NONCE_BYTES 16
/* EVP_PKEY_RSA; EVP_PKEY_KEYPAIR and EVP_PKEY_PUBLIC_KEY. */
#define KEY_TYPE_RSA 6
#define KEY_PAIR 0x87
#define PUBLIC_KEY 0x86
/* POINT_CONVERSION_UNCOMPRESSED. */
#define UNCOMPRESSED 4

struct way {
    ENCRYPTION(CPB_FIELD)
};

/* Holds everything that was found in the library, for every object of the shim. */
extern __attribute__((visibility("hidden"))) struct openssl {
    struct { CORE(CPB_FIELD) } core;
    struct { DIGESTS(CPB_FIELD) } digests;
    struct { CIPHERS(CPB_FIELD) } ciphers;
    struct { PROPERTIES(CPB_FIELD) } properties;
    struct way encryption, decryption;
    struct { PROVIDERS(CPB_FIELD) } providers;
    struct { DIGEST_FETCHING(CPB_FIELD) } digest_fetching;
    struct { CIPHER_FETCHING(CPB_FIELD) } cipher_fetching;
    struct { WHOLE_MESSAGES(CPB_FIELD) } whole;
    struct { RANDOMNESS(CPB_FIELD) } random;
    struct { MACS(CPB_FIELD) } macs;
    struct { DERIVATIONS(CPB_FIELD) } derivations;
    struct { OLD_HMAC(CPB_FIELD) } hmac;
    struct { OLD_CMAC(CPB_FIELD) } cmac;
    struct { OLD_DERIVATIONS(CPB_FIELD) } old_derivations;
    struct { KEYS(CPB_FIELD) } keys;
    bool has_providers, has_digest_fetching, has_cipher_fetching, has_whole, has_random, has_macs,
        has_derivations, has_hmac, has_cmac, has_old_derivations, has_keys;
    /* For key pairs: the only spelling that is wanted, or null; the available hashes. */
    const char *wanted;
    const EVP_MD *sha256, *sha384, *sha512;
} ssl;

/* Returns the last error as a nonzero number, and empties the queue. */
__attribute__((cold, noinline, unused)) static int64_t last_error(void) {
    const unsigned long code = ssl.core.error_peek();
    ssl.core.error_clear();
    return code != 0 ? (int64_t)code : -1;
}

/* Writes such an error in the library's words. */
__attribute__((unused)) static void in_words(int64_t error, char *text, size_t room) {
    if (error == -1) {
        snprintf(text, room, "OpenSSL states no reason");
    } else {
        ssl.core.error_text((unsigned long)error, text, room);
    }
}

#endif
