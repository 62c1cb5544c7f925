/* Offers OpenSSL's libcrypto as a provider of cpb_provider.h, through EVP: 1.1.1, 3.x and
 * later.
 *
 * Algorithms are fetched once, when the library is opened, and contexts are reused as its
 * manual pages advise. Some contexts can only be reset together with their key, so each call
 * sets it, even under the contract keyed: RC4, whose state is its key; Poly1305 and SipHash;
 * SIV and GCM-SIV, which libcrypto limits to one message. Variants, measured on request, show
 * what it costs to find an algorithm in every call.
 *
 * The legacy provider is loaded if it is installed. Its algorithms have rows in bench-slopes
 * only if the system's configuration activates it. */
#define _GNU_SOURCE
#include "openssl/offers.h"

struct openssl ssl;

/* Fills the table; returns the name of the first missing function without which this is not
 * OpenSSL. */
EXPORTED const char *cpb_shim_use(void *library) {
#define MUST(group, GROUP)                                                                       \
    do {                                                                                         \
        const char *missing = CPB_FILL(library, ssl.group, GROUP);                               \
        if (missing != NULL) return missing;                                                     \
    } while (0)
#define MAY(group, GROUP) (CPB_FILL(library, ssl.group, GROUP) == NULL)
    static const char *const renamed[] = {RENAMED};
    MUST(core, CORE);
    MUST(digests, DIGESTS);
    MUST(ciphers, CIPHERS);
    const char *missing = cpb_fill(library, &ssl.properties, renamed, LENGTH_OF(renamed));
    if (missing != NULL) return missing;
    MUST(encryption, ENCRYPTION);
    MUST(decryption, DECRYPTION);
    ssl.has_providers = MAY(providers, PROVIDERS);
    ssl.has_digest_fetching = MAY(digest_fetching, DIGEST_FETCHING);
    ssl.has_cipher_fetching = MAY(cipher_fetching, CIPHER_FETCHING);
    ssl.has_whole = MAY(whole, WHOLE_MESSAGES);
    ssl.has_random = MAY(random, RANDOMNESS);
    ssl.has_macs = MAY(macs, MACS);
    ssl.has_derivations = MAY(derivations, DERIVATIONS);
    ssl.has_hmac = MAY(hmac, OLD_HMAC);
    ssl.has_cmac = MAY(cmac, OLD_CMAC);
    ssl.has_old_derivations = MAY(old_derivations, OLD_DERIVATIONS);
    ssl.has_keys = MAY(keys, KEYS);
    return NULL;
}

/* Initializes the library, which may refuse. */
EXPORTED const char *cpb_shim_refusal(const char **remedy) {
    static char text[256];
    *remedy = NULL;
    if (ssl.core.initialise(LOAD_CONFIGURATION, NULL) == 1) return NULL;
    in_words(last_error(), text, sizeof text);
    return text;
}

/* Returns "OpenSSL 1.1.1w  11 Sep 2023". */
EXPORTED const char *cpb_shim_banner(void) {
    const char *banner = ssl.core.version(VERSION_TEXT);
    return banner != NULL ? banner : "unknown";
}

/* Before 3.0 the version is the second word of the banner; there is no shorter form. */
static const char *version(void) {
    static char text[64];
    return sscanf(cpb_shim_banner(), "%*s %63s", text) == 1 ? text : cpb_shim_banner();
}

static const char *code_path(void) {
    return ssl.has_providers ? ssl.providers.info(CPU_SETTINGS) : NULL;
}

static void add_offers(void) {
    ssl.wanted = wanted;
    if (wanted != NULL) wanted_hash = cpb_openssl_hash_of(wanted);
    if (wanted == NULL) load_legacy();
    offer_all();
    if (wanted != NULL && offers_count == 0 && !cpb_openssl_has_keys(wanted)) {
        /* The wanted algorithm may be in the legacy provider, which a program would load for
         * it. */
        load_legacy();
        offer_all();
        is_unknown = offers_count == 0;
        if (is_unknown) offer_all();
    }
    for (size_t i = 0; i < digests_count; i++) {
        const char *spelling = digests[i].spelling.text;
        if (strcmp(spelling, "SHA256") == 0) ssl.sha256 = digests[i].is.algorithm;
        if (strcmp(spelling, "SHA384") == 0) ssl.sha384 = digests[i].is.algorithm;
        if (strcmp(spelling, "SHA512") == 0) ssl.sha512 = digests[i].is.algorithm;
    }
}
