/* How OpenSSL's return values are taken in a call: 1 is success. */
#ifndef CPB_OPENSSL_CALL_H
#define CPB_OPENSSL_CALL_H

#include "settings.h"
/* It takes the settings. */
#include "../shim.h"

#include <limits.h>

/* Returns what is kept of a failure: the first error. */
__attribute__((cold, noinline)) static int64_t first_error(int64_t before) {
    const int64_t error = last_error();
    return before != 0 ? before : error;
}

/* Records a failure and leaves the part. The library never sees the address of the call, so
 * that its other fields are loaded only once. */
#define TRY(status)                                                                              \
    do {                                                                                         \
        if ((status) != 1) {                                                                     \
            call->failed = first_error(call->failed);                                            \
            return;                                                                              \
        }                                                                                        \
    } while (0)

/* Does the same where a new context of this kind must be freed. */
#define TRY_OR_FREE(kind, status)                                                                \
    do {                                                                                         \
        if ((status) != 1) {                                                                     \
            call->failed = first_error(call->failed);                                            \
            ssl.kind.free(call->context);                                                        \
            call->context = NULL;                                                                \
            return;                                                                              \
        }                                                                                        \
    } while (0)

/* Resets a context that is reused; a new one may have failed to be made. */
#define AGAIN(status)                                                                            \
    if (call->in.contract != CPB_ONESHOT)                                                        \
        TRY(status);                                                                             \
    else                                                                                         \
        TRY(call->context != NULL)

/* A step of a part, which returns whether it succeeded. */
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
