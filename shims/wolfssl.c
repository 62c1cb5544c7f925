/* Offers wolfSSL's wolfCrypt as a provider of cpb_provider.h. The caller owns its
 * structures; the library initializes and frees their contents, which is part of a
 * oneshot call. options.h, which must come before all other headers, states Debian's
 * build options. */
#define LIBRARY "wolfssl"
#include <wolfssl/options.h>

#include <wolfssl/ssl.h>
#include <wolfssl/wolfcrypt/aes.h>
#include <wolfssl/wolfcrypt/arc4.h>
#include <wolfssl/wolfcrypt/blake2.h>
#include <wolfssl/wolfcrypt/camellia.h>
#include <wolfssl/wolfcrypt/chacha.h>
#include <wolfssl/wolfcrypt/chacha20_poly1305.h>
#include <wolfssl/wolfcrypt/cmac.h>
#include <wolfssl/wolfcrypt/coding.h>
#include <wolfssl/wolfcrypt/des3.h>
#include <wolfssl/wolfcrypt/hash.h>
#include <wolfssl/wolfcrypt/hmac.h>
#include <wolfssl/wolfcrypt/md2.h>
#include <wolfssl/wolfcrypt/md4.h>
#include <wolfssl/wolfcrypt/poly1305.h>
#include <wolfssl/wolfcrypt/pwdbased.h>
#include <wolfssl/wolfcrypt/ripemd.h>
#include <wolfssl/wolfcrypt/sha3.h>
#include <wolfssl/wolfcrypt/siphash.h>

#include "shim.h"

#include "wolfssl/ciphers.h"
#include "wolfssl/digests.h"

static const char *version(void) { return wolfSSL_lib_version(); }

/* The library does not report its code path. */
static const char *code_path(void) { return NULL; }

#ifdef WOLFSSL_BASE64_ENCODE
PART encode_base64(struct call *call, void *state) {
    word32 length = (word32)call->in.output_bytes + 1;
    expect(call, Base64_Encode_NoNl(call->in.message, (word32)call->in.message_bytes,
                                    call->in.destination, &length));
}
PART decode_base64(struct call *call, void *state) {
    word32 length = (word32)call->in.output_bytes;
    expect(call, Base64_Decode(call->in.message, (word32)call->in.message_bytes,
                               call->in.destination, &length));
    expect(call, length != call->in.output_bytes);
}
ROUTINE(base64_encoding, char, nothing, encode_base64, nothing)
ROUTINE(base64_decoding, char, nothing, decode_base64, nothing)
#endif

static void add_offers(void) {
    if (wolfCrypt_Init() != 0) return;
    add_digests();
    add_ciphers();
#ifdef WOLFSSL_BASE64_ENCODE
    add_codec(&base64_encoding, &base64_decoding, "base64", "Base64")->overhang = 1;
#endif
}
