/* What a call of OpenSSL holds besides, and how its answers are taken: 1 is success. */
#ifndef CPB_OPENSSL_CALL_H
#define CPB_OPENSSL_CALL_H

#include "functions.h"
#include "parameters.h"

#define LIBRARY "openssl"
#define HAS_KEY_PAIRS
#define HAS_WORDS
#define FORBIDS_LATE() false
/* The context; what takes one back to the start, as far as it is not null; and by which
 * functions and parameters. */
#define CALL_FIELDS                                                                              \
    void *context;                                                                               \
    const void *algorithm_again;                                                                 \
    const uint8_t *key_again;                                                                    \
    struct way way;                                                                              \
    const OSSL_PARAM *settings, *each_message;
/* `parameter` names the digest or cipher that a MAC or derivation is made of. */
#define OFFER_FIELDS                                                                             \
    char row_mode[16];                                                                           \
    bool starts_by_key, starts_by_algorithm, declares_lengths;                                   \
    uint8_t counter_bytes, tag_bytes;                                                            \
    const char *parameter, *made_of;
#include "../shim.h"

#include <limits.h>

/* What is kept of an answer that is no success: the first error. */
__attribute__((cold, noinline)) static int64_t first_error(int64_t before) {
    const int64_t error = last_error();
    return before != 0 ? before : error;
}

/* Where that is no success, keeps it and leaves the part. The library never sees the address of
 * the call, so that all else in it is loaded once. */
#define TRY(status)                                                                              \
    do {                                                                                         \
        if ((status) != 1) {                                                                     \
            call->failed = first_error(call->failed);                                            \
            return;                                                                              \
        }                                                                                        \
    } while (0)

/* The same in what begins a context of this kind. */
#define TRY_OR_FREE(kind, status)                                                                \
    do {                                                                                         \
        if ((status) != 1) {                                                                     \
            call->failed = first_error(call->failed);                                            \
            ssl.kind.free(call->context);                                                        \
            call->context = NULL;                                                                \
            return;                                                                              \
        }                                                                                        \
    } while (0)

/* Takes back to the start a context that stays; one that is new may not have been made. */
#define AGAIN(status)                                                                            \
    if (call->in.contract != CPB_ONESHOT)                                                        \
        TRY(status);                                                                             \
    else                                                                                         \
        TRY(call->context != NULL)

/* A step of a part, which says whether it was a success. */
#define STEP static inline __attribute__((always_inline)) bool

#define END(kind)                                                                                \
    PART kind##_end(struct call *call, void *state) {                                            \
        ssl.kind.free(call->context);                                                            \
        call->context = NULL;                                                                    \
    }

static void say(int64_t status, char *text, size_t room) { in_words(status, text, room); }
static void say_refused(int64_t status, char *text, size_t room) { say(status, text, room); }

/* EVP counts bytes in an int. */
static bool is_too_long(struct call *call, uint64_t bytes) {
    return bytes > INT_MAX &&
           refuse(call, "OpenSSL's EVP takes no %llu bytes at once", (unsigned long long)bytes);
}

#endif
