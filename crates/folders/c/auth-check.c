/* Checks crypto_auth, which turns a message and a key into a tag: makes the
 * calls that its checksums cover. */
#include "crypto_auth.h"

#define OPERATION "crypto_auth"
#define MAKE_TAG crypto_auth
#define VERIFY_TAG crypto_auth_verify
#define TAG_BYTES crypto_auth_BYTES
#define KEY_BYTES crypto_auth_KEYBYTES
#include "mac-check.h"
