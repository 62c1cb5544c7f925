/* Offers LibTomCrypt as a provider of cpb_provider.h. Ciphers and hashes are
 * descriptors in a table, and modes and MACs take any of them by its index.
 *
 * The caller owns the objects. Where an object cannot take a second message, the one
 * with the key is copied; those of HMAC, EAX and OCB cannot be copied, so each of
 * their calls sets the key. */
#define LIBRARY "libtomcrypt"
#include "shim.h"

#include <tomcrypt.h>

#include "libtomcrypt/digests.h"
#include "libtomcrypt/ciphers.h"

/* The first line of its build information has the version. */
static const char *version(void) {
    static char text[32];
    const char *line = crypt_build_settings;
    const char *number = line + strcspn(line, "0123456789");
    snprintf(text, sizeof text, "%.*s", (int)strspn(number, "0123456789."), number);
    return text;
}

/* It has only one code path for each algorithm. */
static const char *code_path(void) { return NULL; }

PART encode_base64(struct call *call, void *state) {
    unsigned long room = call->in.output_bytes + 1;
    expect(call, base64_encode(MESSAGE, call->in.destination, &room));
}
PART decode_base64(struct call *call, void *state) {
    unsigned long room = call->in.output_bytes;
    expect(call, base64_strict_decode(MESSAGE, call->in.destination, &room));
    expect(call, room != call->in.output_bytes);
}
ROUTINE(base64_encoding, char, nothing, encode_base64, nothing)
ROUTINE(base64_decoding, char, nothing, decode_base64, nothing)

static void add_offers(void) {
    /* Ciphers come first: one hash is built from a cipher, and the library aborts if that
     * is missing. */
    if (register_all_ciphers() != CRYPT_OK || register_all_hashes() != CRYPT_OK) return;
    add_digests();
    add_ciphers();
    add_codec(&base64_encoding, &base64_decoding, "base64", "base64")->overhang = 1;
}
