/* Finds algorithms: fetches them from providers since 3.0, looks them up by name before. */
#ifndef CPB_OPENSSL_SOURCES_H
#define CPB_OPENSSL_SOURCES_H

#include "call.h"

#define MOST_OTHERS 128

/* Of the key pairs: return whether some have this spelling, and the hash that its signatures
 * need, or null. */
__attribute__((visibility("hidden"))) bool cpb_openssl_has_keys(const char *spelling);
__attribute__((visibility("hidden"))) const char *cpb_openssl_hash_of(const char *spelling);

/* The hash that the wanted spelling needs. */
static const char *wanted_hash;

/* The legacy provider: whether it was active before this shim loaded it, because only then a
 * program that loads no providers, such as bench-slopes, sees it; and whether it is active
 * now. */
static struct {
    bool unasked, there;
} legacy;

/* Loads it into the default context, if it is installed, beside what is active. */
static void load_legacy(void) {
    if (!ssl.has_providers) {
        legacy.unasked = legacy.there = true;
        return;
    }
    /* The null provider marks a process in which this was done before. */
    const bool was_here = ssl.providers.available(NULL, "null") == 1;
    const bool is_active = ssl.providers.available(NULL, "legacy") == 1;
    /* Loading one provider explicitly ends the automatic loading of the default one. If a
     * configuration left that out, it stays out. */
    const bool default_is_active = ssl.providers.available(NULL, "default") == 1;
    legacy.unasked = is_active && !was_here;
    legacy.there = is_active || ssl.providers.load(NULL, "legacy") != NULL;
    if (!was_here) ssl.providers.load(NULL, "null");
    if (default_is_active) ssl.providers.load(NULL, "default");
    ssl.core.error_clear();
}

static bool is_legacy(const OSSL_PROVIDER *provider) {
    return ssl.has_providers && strcmp(ssl.providers.name(provider), "legacy") == 0;
}

static const char *behind(const char *text, const char *beginning) {
    const size_t length = strlen(beginning);
    return strncmp(text, beginning, length) == 0 ? text + length : NULL;
}

/* Returns the digest that the wanted algorithm is built from, or the algorithm itself. */
static const char *wanted_digest(void) {
    static const char *const of_hashes[] = {"HMAC-", "PBKDF2-HMAC-", "HKDF-"};
    for (size_t i = 0; i < LENGTH_OF(of_hashes); i++) {
        const char *hash = behind(wanted, of_hashes[i]);
        if (hash != NULL) return hash;
    }
    return wanted;
}

/* Whether the wanted algorithm needs the digest or cipher of this name. */
static bool needs(const char *name) {
    if (wanted == NULL || strcmp(wanted, name) == 0 || strcmp(wanted_digest(), name) == 0)
        return true;
    static const char *const of_ciphers[][2] = {{"CMAC-", "-CBC"}, {"GMAC-", "-GCM"}};
    for (size_t i = 0; i < LENGTH_OF(of_ciphers); i++) {
        const char *cipher = behind(wanted, of_ciphers[i][0]);
        const char *mode = cipher != NULL ? behind(name, cipher) : NULL;
        if (mode != NULL && strcmp(mode, of_ciphers[i][1]) == 0) return true;
    }
    return wanted_hash != NULL && strcmp(wanted_hash, name) == 0;
}

/* Whether an algorithm whose spelling begins like this is wanted. */
static bool wants_beginning(const char *beginning) {
    return wanted == NULL || behind(wanted, beginning) != NULL;
}

/* Holds an algorithm, or null. It is never freed. */
struct found {
    const void *algorithm;
    bool in_bench_slopes;
    const char *unavailable;
};

static const char *why_nobody_has_it(void) {
    char error[256], text[512];
    in_words(last_error(), error, sizeof error);
    if (legacy.there) {
        snprintf(text, sizeof text, "no provider that is loaded has it (%s)", error);
    } else {
        snprintf(text, sizeof text,
                 "it may be in OpenSSL's legacy provider (legacy.so), which is not there (from "
                 "Debian 13 on, package openssl-provider-legacy); %s",
                 error);
    }
    return strdup(text);
}

/* Whether the wanted algorithm was not among those known by name. */
static bool is_unknown;

/* Finds algorithms of providers that have none of these names. */
struct search {
    const struct name *known;
    size_t known_count, count;
    struct name found[MOST_OTHERS];
};

static void add_found(struct search *search, const char *name) {
    if (search->count == MOST_OTHERS || strlen(name) >= sizeof search->found->text) return;
    for (size_t i = 0; i < search->count; i++) {
        if (strcmp(search->found[i].text, name) == 0) return;
    }
    strcpy(search->found[search->count++].text, name);
}

/* For one kind, defines find_…, which looks up by name, and other_…, which returns all others.
 * Where algorithms can be fetched, its name alone reveals only what bench-slopes would find. */
#define SOURCE(kind, TYPE, table)                                                                \
    static struct found find_##kind(const char *name) {                                          \
        if (!needs(name)) return (struct found){NULL, false, NULL};                              \
        const bool is_fetched = ssl.has_##kind##_fetching;                                       \
        const TYPE *named = is_fetched && wanted != NULL ? NULL : ssl.table.by_name(name);       \
        if (!is_fetched) return (struct found){named, true, NULL};                               \
        ssl.core.error_clear();                                                                  \
        const TYPE *fetched = ssl.kind##_fetching.fetch(NULL, name, NULL);                       \
        if (fetched == NULL) {                                                                   \
            const char *why_not = named != NULL ? why_nobody_has_it() : NULL;                    \
            ssl.core.error_clear();                                                              \
            return (struct found){named, false, why_not};                                        \
        }                                                                                        \
        const bool is_asked = is_legacy(ssl.kind##_fetching.provider(fetched));                  \
        return (struct found){fetched, named != NULL && (!is_asked || legacy.unasked), NULL};    \
    }                                                                                            \
    static void note_##kind(TYPE *algorithm, void *handle) {                                     \
        struct search *search = handle;                                                          \
        for (size_t i = 0; i < search->known_count; i++) {                                       \
            if (ssl.kind##_fetching.is_a(algorithm, search->known[i].text) == 1) return;         \
        }                                                                                        \
        const char *name = ssl.kind##_fetching.name(algorithm);                                  \
        if (name != NULL) add_found(search, name);                                               \
    }                                                                                            \
    static void other_##kind##s(struct search *search) {                                         \
        if (!ssl.has_##kind##_fetching) return;                                                  \
        if (wanted == NULL) {                                                                    \
            ssl.kind##_fetching.all(NULL, note_##kind, search);                                  \
        } else if (is_unknown) {                                                                 \
            add_found(search, wanted_digest());                                                  \
        }                                                                                        \
    }
SOURCE(digest, EVP_MD, digests)
SOURCE(cipher, EVP_CIPHER, ciphers)

static EVP_MAC *fetch_mac(const char *name) {
    EVP_MAC *mac = ssl.has_macs ? ssl.macs.fetch(NULL, name, NULL) : NULL;
    ssl.core.error_clear();
    return mac;
}

static EVP_KDF *fetch_derivation(const char *name) {
    EVP_KDF *kdf = ssl.has_derivations && wants_beginning(name)
                       ? ssl.derivations.fetch(NULL, name, NULL)
                       : NULL;
    ssl.core.error_clear();
    return kdf;
}

#endif
