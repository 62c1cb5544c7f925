/* Compares our declarations with OpenSSL's headers, from 3.0 on, where they are installed. The
 * rest of the shim does not include them. */
#if !defined(CPB_NO_HEADERS) && __has_include(<openssl/configuration.h>)
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/cmac.h>
#include <openssl/dh.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/provider.h>
#include <openssl/rand.h>

#include "functions.h"
#include "parameters.h"

CORE(CPB_AGREES)
DIGESTS(CPB_AGREES)
CIPHERS(CPB_AGREES)
PROPERTIES(CPB_AGREES)
ENCRYPTION(CPB_AGREES)
DECRYPTION(CPB_AGREES)
PROVIDERS(CPB_AGREES)
DIGEST_FETCHING(CPB_AGREES)
CIPHER_FETCHING(CPB_AGREES)
WHOLE_MESSAGES(CPB_AGREES)
RANDOMNESS(CPB_AGREES)
MACS(CPB_AGREES)
DERIVATIONS(CPB_AGREES)
OLD_HMAC(CPB_AGREES)
OLD_CMAC(CPB_AGREES)
OLD_DERIVATIONS(CPB_AGREES)
KEYS(CPB_AGREES)

#define IS(condition) _Static_assert(condition, #condition)
IS(LOAD_CONFIGURATION == OPENSSL_INIT_LOAD_CONFIG);
IS(VERSION_TEXT == OPENSSL_VERSION && CPU_SETTINGS == OPENSSL_INFO_CPU_SETTINGS);
IS(DIGEST_IS_XOF == EVP_MD_FLAG_XOF && CIPHER_MODE_BITS == EVP_CIPH_MODE);
IS(SET_NONCE_LENGTH == EVP_CTRL_AEAD_SET_IVLEN);
IS(GET_TAG == EVP_CTRL_AEAD_GET_TAG && SET_TAG == EVP_CTRL_AEAD_SET_TAG);
IS(MOST_DIGEST_BYTES == EVP_MAX_MD_SIZE && MOST_NONCE_BYTES == EVP_MAX_IV_LENGTH);
IS(UNSIGNED_INTEGER == OSSL_PARAM_UNSIGNED_INTEGER && UTF8_STRING == OSSL_PARAM_UTF8_STRING);
IS(OCTET_STRING == OSSL_PARAM_OCTET_STRING && SIZE_MAX == OSSL_PARAM_UNMODIFIED);
IS(UNCOMPRESSED == POINT_CONVERSION_UNCOMPRESSED);
IS(KEY_TYPE_RSA == EVP_PKEY_RSA);
IS(KEY_PAIR == EVP_PKEY_KEYPAIR && PUBLIC_KEY == EVP_PKEY_PUBLIC_KEY);

struct parameter {
    PARAMETER
};
#define FIELD(type, field) __typeof__(((type *)NULL)->field)
#define IS_ALIKE(field)                                                                          \
    IS(offsetof(struct parameter, field) == offsetof(OSSL_PARAM, field));                        \
    IS(__builtin_types_compatible_p(FIELD(struct parameter, field), FIELD(OSSL_PARAM, field)))
IS(sizeof(struct parameter) == sizeof(OSSL_PARAM));
IS_ALIKE(key);
IS_ALIKE(data_type);
IS_ALIKE(data);
IS_ALIKE(data_size);
IS_ALIKE(return_size);
#endif
