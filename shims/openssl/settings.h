/* What OpenSSL's shim tells shim.h of itself, and what its calls and offers add. */
#ifndef CPB_OPENSSL_SETTINGS_H
#define CPB_OPENSSL_SETTINGS_H

#include "functions.h"
#include "parameters.h"

#define LIBRARY "openssl"
#define HAS_KEY_PAIRS
#define HAS_WORDS
#define FORBIDS_LATE() false
/* The context; what resets it, as far as it is not null; and the functions and
 * parameters that do so. */
#define CALL_FIELDS                                                                              \
    void *context;                                                                               \
    const void *algorithm_again;                                                                 \
    const uint8_t *key_again;                                                                    \
    struct way way;                                                                              \
    const OSSL_PARAM *settings, *each_message;
/* `parameter` names the digest or cipher that a MAC or derivation is built from. */
#define OFFER_FIELDS                                                                             \
    char row_mode[16];                                                                           \
    bool starts_by_key, starts_by_algorithm, declares_lengths;                                   \
    uint8_t counter_bytes, tag_bytes;                                                            \
    const char *parameter, *made_of;

#endif
