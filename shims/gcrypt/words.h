/* Turns libgcrypt's errors into text. */
#ifndef CPB_GCRYPT_WORDS_H
#define CPB_GCRYPT_WORDS_H

#include "functions.h"

#include <stdio.h>

static inline bool is_in_fips_mode(void) { return gcry.core.control(FIPS_MODE_P) != 0; }

static inline void say(int64_t failed, char *text, size_t room) {
    snprintf(text, room, "%s", gcry.core.strerror((status)failed));
}

/* Says why an operation is unavailable when it fails in this way. */
static inline void refuse_by(const char *words, char *text, size_t room) {
    if (is_in_fips_mode()) {
        snprintf(text, room,
                 "libgcrypt is in FIPS mode and refuses it (%s); leave that mode: "
                 "unset LIBGCRYPT_FORCE_FIPS_MODE, or see /etc/gcrypt/fips_enabled",
                 words);
    } else {
        snprintf(text, room, "libgcrypt knows it and refuses it (%s); use another build of it",
                 words);
    }
}
static inline void say_refused(int64_t failed, char *text, size_t room) {
    refuse_by(gcry.core.strerror((status)failed), text, room);
}

#endif
