/* Offers every digest and cipher that was found, and what is built from them. Those with a row
 * of bench-slopes come first, in its order. */
#ifndef CPB_OPENSSL_OFFERS_H
#define CPB_OPENSSL_OFFERS_H

#include "ciphers.h"
#include "found.h"
#include "macs.h"

static struct offer *as_variant(struct offer *offer, const char *backend, const void *how) {
    offer->shown.backend = backend;
    offer->shown.is_default = 0;
    offer->is_variant = true;
    offer->how = how;
    return offer;
}

static struct name hash_name(const char *spelling) { return with_hyphens(lower(spelling)); }

static struct offer *offer_digest(const struct found_digest *digest) {
    struct offer *offer =
        add(digest->is_xof ? CPB_XOF : CPB_HASH, digest->is_xof ? &xof : &hash,
            hash_name(digest->spelling.text), digest->spelling, 0, 0, digest->bytes);
    offer->how = digest->is.algorithm;
    offer->refuses = refuses_hash;
    offer->unavailable = digest->is.unavailable;
    offer->shown.block_bytes = digest->block;
    return offer;
}

static struct offer *offer_cipher(const struct found_cipher *cipher, enum cpb_operation operation,
                                  const char *label) {
    const struct mode *mode = &modes[cipher->mode];
    const struct routine *routine = !mode->has_tag          ? &cipher_only
                                    : operation == CPB_OPEN ? &unseal
                                                            : &seal;
    struct name primitive = cipher->primitive;
    /* Its XTS of SM4 is that of GB/T 17964 unless the parameter xts_standard says IEEE: blocks
     * after the first differ from IEEE 1619's, which other libraries have. */
    const bool is_gb = strcmp(cipher->spelling.text, "SM4-XTS") == 0;
    const char *mode_name = is_gb ? "XTS-GB" : mode->name;
    if (cipher->mode != STREAM) primitive = lower(name("%s-%s", primitive.text, mode_name).text);
    struct offer *offer = add(operation, routine, primitive, cipher->spelling, cipher->key_bytes,
                              cipher->nonce_bytes, mode->has_tag ? TAG_BYTES : 0);
    offer->how = cipher->is.algorithm;
    offer->unavailable = cipher->is.unavailable;
    offer->refuses = mode->has_tag ? refuses_aead : refuses_cipher;
    offer->declares_lengths = cipher->mode == CCM;
    /* RC4's state is its key. libcrypto's SIV takes one message each time the key is set; its
     * GCM-SIV also keeps the associated data until the cipher is set. */
    offer->starts_by_algorithm = cipher->mode == GCM_SIV;
    offer->starts_by_key = cipher->mode == SIV || cipher->mode == GCM_SIV ||
                           (cipher->mode == STREAM && cipher->nonce_bytes == 0);
    offer->counter_bytes = strcmp(primitive.text, "chacha20-256") == 0 ? 4 : 0;
    if (cipher->mode == ECB || cipher->mode == CBC) {
        offer->shown.granularity = cipher->block != 0 ? cipher->block : 1;
    }
    if (cipher->mode == XTS) offer->shown.granularity = 16;
    if (cipher->row != NULL) {
        snprintf(offer->row_mode, sizeof offer->row_mode, "%s %s", mode->name, label);
        set_row(offer, "cipher", cipher->row, offer->row_mode);
    }
    return offer;
}

static void offer_operations(const struct found_cipher *cipher) {
    if (!modes[cipher->mode].has_tag) {
        offer_cipher(cipher, CPB_ENCRYPT, "enc");
        offer_cipher(cipher, CPB_DECRYPT, "dec");
        return;
    }
    offer_cipher(cipher, CPB_SEAL, "enc");
    offer_cipher(cipher, CPB_OPEN, "dec");
    /* libcrypto computes no tag without a message. */
    if (cipher->mode != SIV && cipher->mode != GCM_SIV) offer_cipher(cipher, CPB_AUTH, "auth");
}

static void offer_digests_and_ciphers(bool have_rows) {
    for (size_t i = 0; i < digests_count; i++) {
        if (digests[i].has_row != have_rows) continue;
        struct offer *offer = offer_digest(&digests[i]);
        if (have_rows) set_row(offer, "hash", digests[i].spelling.text, "");
    }
    for (size_t i = 0; i < ciphers_count; i++) {
        if ((ciphers[i].row != NULL) == have_rows) offer_operations(&ciphers[i]);
    }
}

/* Whether a hash runs here and works with HMAC. MD5-SHA1 serves one protocol only, and an XOF
 * has no fixed output length. */
static bool is_of_hmac(const struct found_digest *digest) {
    return digest->is.unavailable == NULL && !digest->is_xof && digest->bytes != 0 &&
           strcmp(digest->spelling.text, "MD5-SHA1") != 0;
}

static struct offer *offer_mac(const EVP_MAC *mac_or_null, const struct routine *old,
                               const void *of_old, struct name primitive, struct name spelling,
                               uint32_t key_bytes, uint32_t nonce_bytes, uint32_t tag_bytes) {
    const bool is_old = mac_or_null == NULL;
    struct offer *offer =
        add(CPB_MAC, is_old ? old : &mac, primitive, spelling, key_bytes, nonce_bytes, tag_bytes);
    offer->how = is_old ? of_old : mac_or_null;
    offer->refuses = is_old ? refuses_to_restart : refuses_mac;
    return offer;
}

static struct offer *offer_hmac(const EVP_MAC *hmac, const struct found_digest *digest) {
    struct offer *offer = offer_mac(hmac, &old_hmac, digest->is.algorithm,
                                    name("hmac-%s", hash_name(digest->spelling.text).text),
                                    name("HMAC-%s", digest->spelling.text), 32, 0, digest->bytes);
    offer->parameter = "digest";
    offer->made_of = digest->spelling.text;
    offer->shown.block_bytes = digest->block;
    return offer;
}

/* Offers a MAC for every block cipher of bench-slopes that has this mode. */
static void offer_cipher_macs(const char *construction, size_t mode, bool has_old) {
    const EVP_MAC *mac = wants_beginning(construction) ? fetch_mac(construction) : NULL;
    if (mac == NULL && !has_old) return;
    for (size_t i = 0; i < ciphers_count; i++) {
        const struct found_cipher *cipher = &ciphers[i];
        if (cipher->mode != mode || cipher->is.unavailable != NULL) continue;
        for (size_t row = 0; row < LENGTH_OF(row_ciphers); row++) {
            const char *own = row_ciphers[row][1];
            if (strcmp(in_mode(own, mode).text, cipher->spelling.text) != 0) continue;
            struct offer *offer =
                offer_mac(mac, &old_cmac, cipher->is.algorithm,
                          lower(name("%s-%s", construction, cipher->primitive.text).text),
                          name("%s-%s", construction, own), cipher->key_bytes,
                          mode == GCM ? 12 : 0, mode == GCM ? TAG_BYTES : cipher->block);
            offer->parameter = "cipher";
            offer->made_of = cipher->spelling.text;
        }
    }
}

/* Offers MACs without a digest or cipher in their name. SipHash is SipHash-2-4, and must be
 * told the length of its tag. Poly1305's key serves one message; 3.0 forgets SipHash's key
 * after each message. */
static void offer_plain_macs(void) {
    static const struct plain_mac {
        const char *name, *primitive, *spelling;
        uint8_t key_bytes, tag_bytes;
        bool starts_by_key, is_told_tag;
    } plain_macs[] = {
        {"POLY1305", "poly1305", "POLY1305", 32, 16, true, false},
        {"KMAC-128", "kmac128", "KMAC-128", 32, 32, false, false},
        {"KMAC-256", "kmac256", "KMAC-256", 32, 64, false, false},
        {"BLAKE2BMAC", "keyed-blake2b-512", "BLAKE2BMAC", 32, 64, false, false},
        {"BLAKE2SMAC", "keyed-blake2s-256", "BLAKE2SMAC", 32, 32, false, false},
        {"SIPHASH", "siphash-2-4", "SIPHASH-64", 16, 8, true, true},
        {"SIPHASH", "siphash-2-4-128", "SIPHASH-128", 16, 16, true, true},
    };
    for (const struct plain_mac *it = plain_macs; it != plain_macs + LENGTH_OF(plain_macs);
         it++) {
        const EVP_MAC *mac = wants_beginning(it->spelling) ? fetch_mac(it->name) : NULL;
        if (mac == NULL) continue;
        struct offer *offer =
            offer_mac(mac, NULL, NULL, name("%s", it->primitive), name("%s", it->spelling),
                      it->key_bytes, 0, it->tag_bytes);
        offer->starts_by_key = it->starts_by_key;
        if (it->is_told_tag) offer->tag_bytes = it->tag_bytes;
    }
}

static void offer_macs(void) {
    const EVP_MAC *hmac = wants_beginning("HMAC") ? fetch_mac("HMAC") : NULL;
    for (size_t i = 0; i < digests_count && (hmac != NULL || ssl.has_hmac); i++) {
        if (is_of_hmac(&digests[i])) offer_hmac(hmac, &digests[i]);
    }
    offer_cipher_macs("CMAC", CBC, ssl.has_cmac);
    offer_cipher_macs("GMAC", GCM, false);
    offer_plain_macs();
}

static bool is_one_of(struct name spelling, const char *const *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(spelling.text, list[i]) == 0) return true;
    }
    return false;
}

/* Offers other ways to call offered algorithms, where each call pays for finding the
 * algorithm: `implicit-fetch` calls EVP_sha256() and the like each time that a context starts
 * a message. */
static void offer_variants(void) {
    static const char *const hashes[] = {"SHA256", "SHA512", "SHA3-256"};
    static const char *const seals[] = {"AES-128-GCM", "AES-256-GCM", "ChaCha20-Poly1305"};
    const bool is_unwanted = wanted_backend != NULL && strcmp(wanted_backend, "default") == 0;
    if (!ssl.has_whole || is_unwanted) return;
    for (struct found_digest *it = digests; it != digests + digests_count; it++) {
        if (!is_one_of(it->spelling, hashes, LENGTH_OF(hashes))) continue;
        const EVP_MD *named = ssl.digests.by_name(it->spelling.text);
        if (named == NULL) continue;
        struct offer *offer = as_variant(offer_digest(it), "implicit-fetch", named);
        offer->starts_by_algorithm = true;
        offer = as_variant(offer_digest(it), "EVP_Digest", named);
        offer->routine = &whole_digest;
        offer->refuses = NULL;
        offer = as_variant(offer_digest(it), "EVP_Q_digest", it->spelling.text);
        offer->routine = &quick_digest;
        offer->refuses = NULL;
    }
    for (struct found_cipher *it = ciphers; it != ciphers + ciphers_count; it++) {
        if (!is_one_of(it->spelling, seals, LENGTH_OF(seals))) continue;
        const EVP_CIPHER *named = ssl.ciphers.by_name(it->spelling.text);
        struct found_cipher cipher = *it;
        cipher.row = NULL;
        const size_t first = offers_count;
        if (named != NULL) offer_operations(&cipher);
        for (size_t i = first; i < offers_count; i++) {
            struct offer *offer = as_variant(&offers[i], "implicit-fetch", named);
            offer->starts_by_algorithm = offer->starts_by_key = true;
        }
    }
    for (struct found_digest *it = digests; it != digests + digests_count; it++) {
        if (!is_one_of(it->spelling, hashes, LENGTH_OF(hashes)) || !is_of_hmac(it)) continue;
        struct offer *offer = as_variant(offer_hmac(NULL, it), "EVP_Q_mac", it->spelling.text);
        offer->routine = &quick_mac;
        offer->refuses = NULL;
    }
}

static struct offer *offer_derivation(const EVP_KDF *kdf, const struct routine *old,
                                      const void *of_old, struct name primitive,
                                      struct name spelling) {
    struct offer *offer =
        add(CPB_DERIVE, kdf != NULL ? &derive : old, primitive, spelling, 16, 16, 0);
    offer->how = kdf != NULL ? kdf : of_old;
    offer->refuses = kdf != NULL ? refuses_derivation : refuses_old_derivation;
    return offer;
}

static void offer_derivations(void) {
    static const char *const of_hashes[][2] = {{"PBKDF2", "PBKDF2-HMAC"}, {"HKDF", "HKDF"}};
    for (size_t which = 0; which < LENGTH_OF(of_hashes); which++) {
        const EVP_KDF *kdf = fetch_derivation(of_hashes[which][0]);
        if (kdf == NULL && (which != 0 || !ssl.has_old_derivations)) continue;
        for (size_t i = 0; i < digests_count; i++) {
            const char *own = digests[i].spelling.text;
            if (!is_of_hmac(&digests[i])) continue;
            struct name primitive =
                lower(name("%s-%s", of_hashes[which][1], hash_name(own).text).text);
            offer_derivation(kdf, &old_pbkdf2, digests[i].is.algorithm, primitive,
                             name("%s-%s", of_hashes[which][1], own))
                ->made_of = own;
        }
    }
    const EVP_KDF *scrypt = fetch_derivation("SCRYPT");
    if (scrypt == NULL && !ssl.has_old_derivations) return;
    const struct name scrypts = name("SCRYPT-%d-%d-%d", SCRYPT_N, SCRYPT_R, SCRYPT_P);
    offer_derivation(scrypt, &old_scrypt, NULL, lower(scrypts.text), scrypts);
}

static void offer_random(void) {
    if (!ssl.has_random) return;
    struct offer *offer =
        add(CPB_RANDOM, &random_bytes, name("random"), name("RAND_bytes"), 0, 0, 0);
    set_length(offer, CPB_OUTPUT, 0, 32, CPB_ANY);
    offer->refuses = refuses_random;
}

static void offer_all(void) {
    find_digests();
    find_ciphers();
    offer_digests_and_ciphers(true);
    offer_digests_and_ciphers(false);
    offer_macs();
    offer_variants();
    offer_derivations();
    offer_random();
}

#endif
