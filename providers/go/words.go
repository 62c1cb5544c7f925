package main

/*
#cgo CFLAGS: -I../../shims
#include "cpb_provider.h"
*/
import "C"

// The words of cpb_provider.h, for the other files.
const (
	roleMessage      = C.CPB_MESSAGE
	roleKey          = C.CPB_KEY
	rolePassword     = C.CPB_PASSWORD
	roleNonce        = C.CPB_NONCE
	roleSalt         = C.CPB_SALT
	roleInfo         = C.CPB_INFO
	roleAad          = C.CPB_AAD
	rolePublicKey    = C.CPB_PUBLIC_KEY
	roleSecretKey    = C.CPB_SECRET_KEY
	roleSignature    = C.CPB_SIGNATURE
	roleCiphertext   = C.CPB_CIPHERTEXT
	roleSharedSecret = C.CPB_SHARED_SECRET
	roleTag          = C.CPB_TAG
	roleDigest       = C.CPB_DIGEST
	roleOutput       = C.CPB_OUTPUT

	opHash           = C.CPB_HASH
	opXof            = C.CPB_XOF
	opMac            = C.CPB_MAC
	opEncrypt        = C.CPB_ENCRYPT
	opDecrypt        = C.CPB_DECRYPT
	opSeal           = C.CPB_SEAL
	opOpen           = C.CPB_OPEN
	opDerive         = C.CPB_DERIVE
	opKeygen         = C.CPB_KEYGEN
	opPublicKey      = C.CPB_PUBLIC_KEY_OF
	opAgree          = C.CPB_AGREE
	opSign           = C.CPB_SIGN
	opVerify         = C.CPB_VERIFY
	opPublicEncrypt  = C.CPB_PUBLIC_ENCRYPT
	opPrivateDecrypt = C.CPB_PRIVATE_DECRYPT
	opRandom         = C.CPB_RANDOM
)
