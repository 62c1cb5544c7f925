/* Offers crypto_onetimeauth, which turns a message and a key into a tag. */
#include "crypto_onetimeauth.h"

#define OPERATION "crypto_onetimeauth"
#define MAKE_TAG crypto_onetimeauth
#define VERIFY_TAG crypto_onetimeauth_verify
#define TAG_BYTES crypto_onetimeauth_BYTES
#define KEY_BYTES crypto_onetimeauth_KEYBYTES
#include "mac.h"
