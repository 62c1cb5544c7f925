/* Checks crypto_dh: makes the calls that its checksums cover. */
#include "crypto_dh.h"

#define OPERATION "crypto_dh"
#define PAIRING "crypto_dh_keypair"
#define SECRET_BYTES crypto_dh_SECRETKEYBYTES
#define PUBLIC_BYTES crypto_dh_PUBLICKEYBYTES
#define SHARED_BYTES crypto_dh_BYTES
#define MAKE_PAIR(i) crypto_dh_keypair(public[i].now, secret[i].now)
#define PAIRS(i) 0, {&public[i], &secret[i]}, {NULL}
#define SHARE(i) crypto_dh(shared[i].now, public[1 - (i)].now, secret[i].now)
#include "agreement-check.h"
