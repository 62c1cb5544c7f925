/* Includes Nettle's headers.
 *
 * The library loaded at run time may be older than they are. All versions of one
 * soname have what 3.6 has, the first of them; later functions are weak references,
 * and are offered if present. */
#ifndef CPB_NETTLE_LIBRARY_H
#define CPB_NETTLE_LIBRARY_H

#include <nettle/version.h>
#if NETTLE_VERSION_MAJOR != 3 || NETTLE_VERSION_MINOR < 6
#error "cpb knows Nettle 3.6 and what follows it before 4, and these are other headers"
#endif
#define SINCE(minor) (NETTLE_VERSION_MINOR >= minor)

#include <nettle/arcfour.h>
#include <nettle/blowfish.h>
#include <nettle/cbc.h>
#include <nettle/ccm.h>
#include <nettle/cfb.h>
#include <nettle/chacha-poly1305.h>
#include <nettle/chacha.h>
#include <nettle/cmac.h>
#include <nettle/ctr.h>
#include <nettle/des.h>
#include <nettle/eax.h>
#include <nettle/gcm.h>
#include <nettle/hkdf.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <nettle/nettle-meta.h>
#include <nettle/pbkdf2.h>
#include <nettle/poly1305.h>
#include <nettle/salsa20.h>
#include <nettle/sha3.h>
#include <nettle/siv-cmac.h>
#include <nettle/umac.h>
#include <nettle/xts.h>

#if SINCE(8)
#pragma weak nettle_cbc_aes128_encrypt
#pragma weak nettle_cbc_aes192_encrypt
#pragma weak nettle_cbc_aes256_encrypt
#pragma weak nettle_pbkdf2_hmac_sha384
#pragma weak nettle_pbkdf2_hmac_sha512
#endif
#if SINCE(9)
#include <nettle/ocb.h>
#include <nettle/siv-gcm.h>
#pragma weak nettle_ocb_set_key
#pragma weak nettle_ocb_encrypt_message
#pragma weak nettle_ocb_decrypt_message
#pragma weak nettle_siv_gcm_encrypt_message
#pragma weak nettle_siv_gcm_decrypt_message
#endif
#if SINCE(10)
#pragma weak nettle_sha3_128_init
#pragma weak nettle_sha3_128_update
#pragma weak nettle_sha3_128_shake
#endif

typedef void chain_func(const void *, nettle_cipher_func *, size_t, uint8_t *, size_t, uint8_t *,
                        const uint8_t *);
typedef void cbc_func(const void *, uint8_t *, size_t, uint8_t *, const uint8_t *);
typedef void pbkdf2_func(size_t, const uint8_t *, unsigned, size_t, const uint8_t *, size_t,
                         uint8_t *);

/* Casts a function to a type of the library's descriptors. The library does the same:
 * its functions take any context as void, and return values are ignored. */
#define AS(type, function) ((type *)(void (*)(void))(function))

/* Ciphers for which the library has functions, but no descriptor. Their functions that
 * set a key return 0 for a weak one. */
#define BY_ITSELF(name, key_bytes, set_key, cipher)                                              \
    {name, sizeof(struct cipher##_ctx), 8, key_bytes, AS(nettle_set_key_func, set_key),          \
     AS(nettle_set_key_func, set_key), AS(nettle_cipher_func, cipher##_encrypt),                 \
     AS(nettle_cipher_func, cipher##_decrypt)}
static const struct nettle_cipher blowfish =
    BY_ITSELF("blowfish", 16, blowfish128_set_key, blowfish);
static const struct nettle_cipher des3 = BY_ITSELF("des3", 24, des3_set_key, des3);
static const struct nettle_cipher des = BY_ITSELF("des", 8, des_set_key, des);
#undef BY_ITSELF

#endif
