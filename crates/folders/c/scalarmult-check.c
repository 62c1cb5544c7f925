/* Checks crypto_scalarmult: makes the calls that its checksums cover. */
#include "crypto_scalarmult.h"

#define OPERATION "crypto_scalarmult"
#define PAIRING "crypto_scalarmult_base"
#define SECRET_BYTES crypto_scalarmult_SCALARBYTES
#define PUBLIC_BYTES crypto_scalarmult_BYTES
#define SHARED_BYTES crypto_scalarmult_BYTES
#define MAKE_PAIR(i) crypto_scalarmult_base(public[i].now, secret[i].now)
#define PAIRS(i) RULES, {&public[i]}, {&secret[i]}
#define SHARE(i) crypto_scalarmult(shared[i].now, secret[i].now, public[1 - (i)].now)
#include "agreement-check.h"
