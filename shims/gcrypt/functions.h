/* Declares the functions and numbers of libgcrypt from version 1.8 on, so that no header is
 * needed. Where the header is present, the compiler compares both. */
#ifndef CPB_GCRYPT_FUNCTIONS_H
#define CPB_GCRYPT_FUNCTIONS_H

#include "../table.h"

/* Key objects are expressions, whose memory the library allocates. */
#define CPB_KEY_HANDLES_ALONE

#include <stdbool.h>
#include <stdint.h>

#if __has_include(<gcrypt.h>) && !defined(CPB_NO_HEADERS)
#include <gcrypt.h>
#define CPB_HAS_HEADERS
#endif

/* A gcry_error_t: 0, or a code of the failure and its source. */
typedef unsigned status;
/* Stands for the enums that functions take. */
typedef unsigned number;
typedef struct gcry_md_handle *digest;
typedef struct gcry_mac_handle *authenticator;
typedef struct gcry_cipher_handle *cipher;
typedef struct gcry_kdf_handle *derivation;
typedef struct gcry_sexp *expression;
typedef struct gcry_mpi *integer;
typedef struct gcry_mpi_point *point;
typedef struct gcry_context *context;

struct gcry_kdf_thread_ops;

#define CORE(F)                                                                                  \
    F(const char *, check_version, gcry_check_version, (const char *))                           \
    F(status, control, gcry_control, (number, ...))                                              \
    F(const char *, strerror, gcry_strerror, (status))                                           \
    F(void, free, gcry_free, (void *))                                                           \
    F(void, randomize, gcry_randomize, (void *, size_t, number))

#define DIGESTS(F)                                                                               \
    F(const char *, name, gcry_md_algo_name, (int))                                              \
    F(status, info, gcry_md_algo_info, (int, int, void *, size_t *))                             \
    F(unsigned, length, gcry_md_get_algo_dlen, (int))                                            \
    F(status, open, gcry_md_open, (digest *, int, unsigned))                                     \
    F(void, close, gcry_md_close, (digest))                                                      \
    F(void, reset, gcry_md_reset, (digest))                                                      \
    F(status, control, gcry_md_ctl, (digest, int, void *, size_t))                               \
    F(void, write, gcry_md_write, (digest, const void *, size_t))                                \
    F(unsigned char *, read, gcry_md_read, (digest, int))                                        \
    F(status, extract, gcry_md_extract, (digest, int, void *, size_t))

#define MACS(F)                                                                                  \
    F(const char *, name, gcry_mac_algo_name, (int))                                             \
    F(status, info, gcry_mac_algo_info, (int, int, void *, size_t *))                            \
    F(unsigned, key_length, gcry_mac_get_algo_keylen, (int))                                     \
    F(unsigned, length, gcry_mac_get_algo_maclen, (int))                                         \
    F(status, open, gcry_mac_open, (authenticator *, int, unsigned, context))                    \
    F(void, close, gcry_mac_close, (authenticator))                                              \
    F(status, control, gcry_mac_ctl, (authenticator, int, void *, size_t))                       \
    F(status, set_key, gcry_mac_setkey, (authenticator, const void *, size_t))                   \
    F(status, set_nonce, gcry_mac_setiv, (authenticator, const void *, size_t))                  \
    F(status, write, gcry_mac_write, (authenticator, const void *, size_t))                      \
    F(status, read, gcry_mac_read, (authenticator, void *, size_t *))

#define CIPHERS(F)                                                                               \
    F(const char *, name, gcry_cipher_algo_name, (int))                                          \
    F(status, info, gcry_cipher_algo_info, (int, int, void *, size_t *))                         \
    F(size_t, key_length, gcry_cipher_get_algo_keylen, (int))                                    \
    F(size_t, block_length, gcry_cipher_get_algo_blklen, (int))                                  \
    F(status, open, gcry_cipher_open, (cipher *, int, int, unsigned))                            \
    F(void, close, gcry_cipher_close, (cipher))                                                  \
    F(status, control, gcry_cipher_ctl, (cipher, int, void *, size_t))                           \
    F(status, set_key, gcry_cipher_setkey, (cipher, const void *, size_t))                       \
    F(status, set_nonce, gcry_cipher_setiv, (cipher, const void *, size_t))                      \
    F(status, set_counter, gcry_cipher_setctr, (cipher, const void *, size_t))                   \
    F(status, authenticate, gcry_cipher_authenticate, (cipher, const void *, size_t))            \
    F(status, encrypt, gcry_cipher_encrypt, (cipher, void *, size_t, const void *, size_t))      \
    F(status, decrypt, gcry_cipher_decrypt, (cipher, void *, size_t, const void *, size_t))      \
    F(status, take_tag, gcry_cipher_gettag, (cipher, void *, size_t))                            \
    F(status, check_tag, gcry_cipher_checktag, (cipher, const void *, size_t))

#define DERIVATIONS(F)                                                                           \
    F(status, derive, gcry_kdf_derive,                                                           \
      (const void *, size_t, int, int, const void *, size_t, unsigned long, size_t, void *))

/* Reports of the library about this machine. */
#define CONFIGURATION(F) F(char *, line, gcry_get_config, (int, const char *))

/* Derivations in several steps, since 1.10. */
#define STEPS(F)                                                                                 \
    F(status, open, gcry_kdf_open,                                                               \
      (derivation *, int, int, const unsigned long *, unsigned, const void *, size_t,            \
       const void *, size_t, const void *, size_t, const void *, size_t))                        \
    F(status, compute, gcry_kdf_compute, (derivation, const struct gcry_kdf_thread_ops *))       \
    F(status, finish, gcry_kdf_final, (derivation, size_t, void *))                              \
    F(void, close, gcry_kdf_close, (derivation))

/* Key pairs, since 1.9. */
#define KEYS(F)                                                                                  \
    F(status, multiply, gcry_ecc_mul_point,                                                      \
      (int, unsigned char *, const unsigned char *, const unsigned char *))                      \
    F(status, sign, gcry_pk_sign, (expression *, expression, expression))                        \
    F(status, verify, gcry_pk_verify, (expression, expression, expression))                      \
    F(status, encrypt, gcry_pk_encrypt, (expression *, expression, expression))                  \
    F(status, decrypt, gcry_pk_decrypt, (expression *, expression, expression))                  \
    F(status, generate, gcry_pk_genkey, (expression *, expression))                              \
    F(status, parse, gcry_sexp_new, (expression *, const void *, size_t, int))                   \
    F(status, build, gcry_sexp_build, (expression *, size_t *, const char *, ...))               \
    F(void, release, gcry_sexp_release, (expression))                                            \
    F(expression, find, gcry_sexp_find_token, (expression, const char *, size_t))                \
    F(const char *, data, gcry_sexp_nth_data, (expression, int, size_t *))                 \
    F(void, hash, gcry_md_hash_buffer, (int, void *, const void *, size_t))                      \
    F(status, new_curve, gcry_mpi_ec_new, (context *, expression, const char *))                 \
    F(void, release_curve, gcry_ctx_release, (context))                                          \
    F(integer, integer_of, gcry_mpi_ec_get_mpi, (const char *, context, int))                    \
    F(void *, opaque, gcry_mpi_get_opaque, (integer, unsigned *))                                \
    F(status, print, gcry_mpi_print,                                                             \
      (number, unsigned char *, size_t, size_t *, integer))                                      \
    F(void, release_integer, gcry_mpi_release, (integer))                                        \
    F(status, scan, gcry_mpi_scan, (integer *, number, const void *, size_t, size_t *))          \
    F(void, remainder, gcry_mpi_mod, (integer, integer, integer))                                \
    F(point, point_of, gcry_mpi_ec_get_point, (const char *, context, int))                      \
    F(status, set_point, gcry_mpi_ec_set_point, (const char *, point, context))                  \
    F(point, new_point, gcry_mpi_point_new, (unsigned))                                          \
    F(void, release_point, gcry_mpi_point_release, (point))                                      \
    F(void, multiply_point, gcry_mpi_ec_mul, (point, integer, point, context))

struct gcrypt {
    struct { CORE(CPB_FIELD) } core;
    struct { DIGESTS(CPB_FIELD) } digests;
    struct { MACS(CPB_FIELD) } macs;
    struct { CIPHERS(CPB_FIELD) } ciphers;
    struct { DERIVATIONS(CPB_FIELD) } derivations;
    struct { CONFIGURATION(CPB_FIELD) } configuration;
    struct { STEPS(CPB_FIELD) } steps;
    struct { KEYS(CPB_FIELD) } keys;
    bool has_configuration, has_steps, has_keys;
};

/* Holds the functions of the library that was passed to this shim. */
extern __attribute__((visibility("hidden"))) struct gcrypt gcry;

enum {
    /* Commands of the …_ctl, …_info and gcry_control functions. */
    RESET = 4,
    FINALIZE = 5,
    TEST_ALGORITHM = 8,
    DISABLE_SECURE_MEMORY = 37,
    INITIALIZATION_FINISHED = 38,
    INITIALIZATION_FINISHED_P = 39,
    FIPS_MODE_P = 55,
    SET_CCM_LENGTHS = 69,
    SET_DECRYPTION_TAG = 80,
    /* GPG_ERR_GENERAL, for failures without a reason, and GPG_ERR_CHECKSUM, for a wrong tag. */
    UNEXPLAINED = 1,
    WRONG_TAG = 10,
    /* The bits of a status that hold the error code. */
    STATUS_BITS = 0xffff,
    STRONG_RANDOM = 1,
    SHA256 = 8,
    SHA384 = 9,
    SHA512 = 10,
    SHAKE256 = 317,
    UNSIGNED_INTEGER = 5,
};

#ifdef CPB_HAS_HEADERS
#define SAME(ours, theirs) _Static_assert((long)ours == (long)theirs, #theirs " is another number");
CORE(CPB_AGREES)
DIGESTS(CPB_AGREES)
MACS(CPB_AGREES)
CIPHERS(CPB_AGREES)
DERIVATIONS(CPB_AGREES)
CONFIGURATION(CPB_AGREES)
#if GCRYPT_VERSION_NUMBER >= 0x010900
KEYS(CPB_AGREES)
#endif
#if GCRYPT_VERSION_NUMBER >= 0x010a00
STEPS(CPB_AGREES)
SAME(SET_DECRYPTION_TAG, GCRYCTL_SET_DECRYPTION_TAG)
#endif
SAME(RESET, GCRYCTL_RESET)
SAME(FINALIZE, GCRYCTL_FINALIZE)
SAME(TEST_ALGORITHM, GCRYCTL_TEST_ALGO)
SAME(DISABLE_SECURE_MEMORY, GCRYCTL_DISABLE_SECMEM)
SAME(INITIALIZATION_FINISHED, GCRYCTL_INITIALIZATION_FINISHED)
SAME(INITIALIZATION_FINISHED_P, GCRYCTL_INITIALIZATION_FINISHED_P)
SAME(FIPS_MODE_P, GCRYCTL_FIPS_MODE_P)
SAME(SET_CCM_LENGTHS, GCRYCTL_SET_CCM_LENGTHS)
SAME(UNEXPLAINED, GPG_ERR_GENERAL)
SAME(WRONG_TAG, GPG_ERR_CHECKSUM)
SAME(STATUS_BITS, GPG_ERR_CODE_MASK)
SAME(STRONG_RANDOM, GCRY_STRONG_RANDOM)
SAME(SHA256, GCRY_MD_SHA256)
SAME(SHA384, GCRY_MD_SHA384)
SAME(SHA512, GCRY_MD_SHA512)
SAME(SHAKE256, GCRY_MD_SHAKE256)
SAME(UNSIGNED_INTEGER, GCRYMPI_FMT_USG)
#endif

#endif
