/* crypto_onetimeauth: a message and a key to a tag; what its checksums are over. */
#include "crypto_onetimeauth.h"

#define OPERATION "crypto_onetimeauth"
#define MAKE_TAG crypto_onetimeauth
#define VERIFY_TAG crypto_onetimeauth_verify
#define TAG_BYTES crypto_onetimeauth_BYTES
#define KEY_BYTES crypto_onetimeauth_KEYBYTES
#include "mac-check.h"
