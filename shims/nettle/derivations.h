/* Derivations: PBKDF2 and HKDF over the HMACs that the library lists. A call has a
 * password as its key, a salt as its nonce, an info as its associated data. */
#ifndef CPB_NETTLE_DERIVATIONS_H
#define CPB_NETTLE_DERIVATIONS_H

#include "call.h"

/* PBKDF2 in functions of its own. */
static const struct pbkdf2 {
    const char *hash;
    pbkdf2_func *function;
} pbkdf2s[] = {
    {"sha1", pbkdf2_hmac_sha1},
    {"sha256", pbkdf2_hmac_sha256},
#if SINCE(8)
    {"sha384", pbkdf2_hmac_sha384},
    {"sha512", pbkdf2_hmac_sha512},
#endif
    {"gosthash94cp", pbkdf2_hmac_gosthash94cp},
};

PART derive_pbkdf2(struct call *call) {
    const struct pbkdf2 *pbkdf2 = call->how;
    pbkdf2->function(KEY, (unsigned)call->in.iterations, NONCE, OUTPUT);
}
WORK(pbkdf2_of_its_own, no_key, derive_pbkdf2)

/* The library's descriptors take keys of one length only; its function for any length
 * takes the three contexts of HMAC separately. */
PART set_mac_key(struct call *call, size_t bytes, const uint8_t *key) {
    hmac_set_key(CONTEXTS, call->offer->hash, bytes, key);
}

#define HMAC call->context[0], call->mac.update, call->mac.digest, call->mac.digest_size

PART derive_pbkdf2_generic(struct call *call) {
    set_mac_key(call, KEY);
    pbkdf2(HMAC, (unsigned)call->in.iterations, NONCE, OUTPUT);
}
WORK(pbkdf2_generic, no_key, derive_pbkdf2_generic)

/* Extracts, then expands with the info. */
PART derive_hkdf(struct call *call) {
    set_mac_key(call, NONCE);
    hkdf_extract(HMAC, KEY, call->scratch);
    set_mac_key(call, call->mac.digest_size, call->scratch);
    hkdf_expand(HMAC, AAD, OUTPUT);
}
WORK(hkdf, no_key, derive_hkdf)

/* The contexts of a MAC follow each other without a gap, as in HMAC's own structures. */
static bool refuses_generic(struct call *call) {
    if (lacks_contexts(call, call->offer->mac->context_size, 0, 0)) return true;
    for (size_t i = 1; i < 3; i++) {
        call->context[i] = (uint8_t *)call->context[0] + i * call->hash.context_size;
    }
    return false;
}

#endif
