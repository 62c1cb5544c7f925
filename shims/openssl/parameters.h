/* Builds lists of parameters (OSSL_PARAM). They point to their values, which must stay
 * valid. */
#ifndef CPB_OPENSSL_PARAMETERS_H
#define CPB_OPENSSL_PARAMETERS_H

#include "functions.h"

#include <string.h>

/* OSSL_PARAM_UNSIGNED_INTEGER, OSSL_PARAM_UTF8_STRING, OSSL_PARAM_OCTET_STRING. */
enum { UNSIGNED_INTEGER = 2, UTF8_STRING = 4, OCTET_STRING = 5 };

#define MOST_PARAMETERS 6

/* A list must not be moved, because it contains numbers that it points to. Zeroed, it is
 * empty and terminated. */
struct parameters {
    OSSL_PARAM list[MOST_PARAMETERS + 1];
    uint64_t numbers[MOST_PARAMETERS];
    size_t count;
};

static inline void set_parameter(struct parameters *it, const char *key, unsigned type,
                                 const void *data, size_t bytes) {
    /* The last field is OSSL_PARAM_UNMODIFIED. */
    it->list[it->count++] = (OSSL_PARAM){key, type, (void *)(uintptr_t)data, bytes, SIZE_MAX};
}

static inline void set_text(struct parameters *it, const char *key, const char *text) {
    set_parameter(it, key, UTF8_STRING, text, strlen(text));
}

static inline void set_bytes(struct parameters *it, const char *key, const void *data,
                             size_t bytes) {
    set_parameter(it, key, OCTET_STRING, data, bytes);
}

static inline void set_number(struct parameters *it, const char *key, uint64_t number) {
    it->numbers[it->count] = number;
    set_parameter(it, key, UNSIGNED_INTEGER, &it->numbers[it->count], sizeof number);
}

#endif
