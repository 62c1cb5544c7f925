/* Offers: first what bench-slopes has rows for, in its order, then the rest. */
#ifndef CPB_NETTLE_OFFERS_H
#define CPB_NETTLE_OFFERS_H

#include "aeads.h"
#include "ciphers.h"
#include "derivations.h"
#include "digests.h"

/* The hashes of bench-slopes' own list, in its order, then what else the library
 * lists. */
static const struct nettle_hash *hashes[64] = {
    &nettle_md2,       &nettle_md4,      &nettle_md5,        &nettle_gosthash94,
    &nettle_ripemd160, &nettle_sha1,     &nettle_sha224,     &nettle_sha256,
    &nettle_sha384,    &nettle_sha512,   &nettle_sha512_224, &nettle_sha512_256,
    &nettle_sha3_224,  &nettle_sha3_256, &nettle_sha3_384,   &nettle_sha3_512,
};
static size_t hashes_count = 16;

/* The same for ciphers; the stream ciphers come between the first ones and the others. */
#define OWN_CIPHERS 16
static const struct nettle_cipher *ciphers[64] = {
    &nettle_aes128,      &nettle_aes192,      &nettle_aes256,      &nettle_camellia128,
    &nettle_camellia192, &nettle_camellia256, &nettle_serpent128,  &nettle_serpent192,
    &nettle_serpent256,  &nettle_twofish128,  &nettle_twofish192,  &nettle_twofish256,
    &nettle_cast128,     &blowfish,           &nettle_arctwo128,   &des3,
};
static size_t ciphers_count = OWN_CIPHERS;

static struct name hash_name(const char *spelling) {
    if (strcmp(spelling, "gosthash94cp") == 0) return name("gosthash94-cp");
    if (strcmp(spelling, "streebog256") == 0) return name("streebog-256");
    if (strcmp(spelling, "streebog512") == 0) return name("streebog-512");
    return with_hyphens(name("%s", spelling));
}

/* Returns the canonical name of a cipher, which mostly ends with its key's bits. */
static struct name cipher_name(const char *spelling) {
    static const char *const others[][2] = {
        {"arctwo40", "rc2-40"},   {"arctwo64", "rc2-64"},
        {"arctwo128", "rc2-128"}, {"arctwo_gutmann128", "rc2-gutmann-128"},
        {"cast128", "cast5-128"}, {"blowfish", "blowfish-128"},
        {"des3", "3des"},         {"sm4", "sm4"},
    };
    for (size_t i = 0; i < LENGTH_OF(others); i++) {
        if (strcmp(others[i][0], spelling) == 0) return name("%s", others[i][1]);
    }
    const size_t letters = strcspn(spelling, "0123456789");
    const char *bits = spelling + letters;
    return with_hyphens(name("%.*s%s%s", (int)letters, spelling, *bits ? "-" : "", bits));
}

static bool has_cipher(const struct nettle_cipher *cipher) {
    for (size_t i = 0; i < ciphers_count; i++) {
        if (strcmp(ciphers[i]->name, cipher->name) == 0) return true;
    }
    return ciphers_count == LENGTH_OF(ciphers);
}

static const struct nettle_hash *hash_of(const char *spelling) {
    for (size_t i = 0; i < hashes_count; i++) {
        if (strcmp(hashes[i]->name, spelling) == 0) return hashes[i];
    }
    return NULL;
}

static void find_hashes_and_ciphers(void) {
    const struct nettle_hash *const *hash = nettle_get_hashes();
    for (; *hash != NULL && hashes_count < LENGTH_OF(hashes); hash++) {
        if (hash_of((*hash)->name) == NULL) hashes[hashes_count++] = *hash;
    }
    const struct nettle_cipher *const *cipher = nettle_get_ciphers();
    for (; *cipher != NULL; cipher++) {
        const unsigned block = (*cipher)->block_size;
        if (!has_cipher(*cipher) && block >= 1 && block <= LONGEST_BLOCK) {
            ciphers[ciphers_count++] = *cipher;
        }
    }
    if (!has_cipher(&des)) ciphers[ciphers_count++] = &des;
}

static struct offer *add_of_hash(enum cpb_operation operation, const struct routine *routine,
                                 bool (*refuses)(struct call *), struct name primitive,
                                 const char *prefix, const struct nettle_hash *hash,
                                 uint32_t key_bytes) {
    struct offer *offer = add(operation, routine, primitive, name("%s%s", prefix, hash->name),
                              key_bytes, 0, hash->digest_size);
    offer->refuses = refuses;
    offer->hash = hash;
    offer->shown.block_bytes = hash->block_size;
    return offer;
}

static void add_mode(const struct nettle_cipher *cipher, const struct mode *mode, bool has_row) {
    const uint32_t block = cipher->block_size;
    const uint32_t keys = mode->encryption == &xts_encryption ? 2 : 1;
    if (keys == 2 && block != 16) return;
    if ((mode->rows[0] != NULL && cipher != &des) != has_row) return;
    struct offer *both =
        add_cipher(mode->encryption, mode->decryption,
                   name("%s-%s", cipher_name(cipher->name).text, mode->name),
                   name("%s%s", mode->prefix, cipher->name), keys * cipher->key_size,
                   mode->encryption == &blocks ? 0 : block);
    for (size_t i = 0; i < 2; i++) {
        both[i].refuses = refuses_mode;
        both[i].cipher = cipher;
        both[i].how = mode;
        if (mode->whole_blocks) both[i].shown.granularity = block;
        if (has_row) set_row(&both[i], "cipher", cipher->name, mode->rows[i]);
    }
}

static void add_stream(const struct stream *stream, bool has_row) {
    static const char *const rows[] = ROWS("STREAM");
    if ((stream->row != NULL) != has_row) return;
    const struct routine *routine = stream->set_nonce != NULL ? &streaming : &arcfour;
    struct offer *both = add_cipher(routine, routine, name("%s", stream->primitive),
                                    name("%s", stream->spelling), stream->key_bytes,
                                    stream->nonce_bytes);
    for (size_t i = 0; i < 2; i++) {
        both[i].refuses = refuses_stream;
        both[i].how = stream;
        if (has_row) set_row(&both[i], "cipher", stream->spelling, rows[i]);
    }
}

static void add_mode_with_tag(const struct aead *aead, const struct nettle_cipher *cipher,
                              struct name primitive, struct name spelling, const char *algorithm,
                              uint32_t key_bytes) {
    struct offer *all = add_aead(aead->sealing, aead->opening, primitive, spelling,
                                 aead->keys * key_bytes, aead->nonce_bytes, TAG_BYTES);
    for (size_t i = 0; i < LENGTH_OF(aead->rows); i++) {
        all[i].refuses = refuses_aead;
        all[i].cipher = cipher;
        all[i].how = aead;
        all[i].joins = aead->tag == BEHIND;
        all[i].tag_first = aead->tag == BEFORE;
        if (aead->rows[i] != NULL) set_row(&all[i], "cipher", algorithm, aead->rows[i]);
    }
}

/* Adds GMAC, which is the tag of an empty plaintext. */
static void add_gmac(const struct nettle_cipher *cipher, const struct aead *gcm) {
    struct offer *offer =
        add(CPB_MAC, gcm->sealing, name("gmac-%s", cipher_name(cipher->name).text),
            name("gmac_%s", cipher->name), cipher->key_size, gcm->nonce_bytes, TAG_BYTES);
    offer->refuses = refuses_aead;
    offer->cipher = cipher;
    offer->how = gcm;
}

/* Adds the modes of a cipher that have rows, in their order, or those that have none. */
static void add_modes(const struct nettle_cipher *cipher, bool with_rows) {
    for (size_t i = 0; i < LENGTH_OF(modes); i++) add_mode(cipher, &modes[i], with_rows);
    if (cipher->block_size != 16) return;
    for (size_t i = 0; i < LENGTH_OF(aeads); i++) {
        const struct aead *aead = &aeads[i];
        if (aead->is_there != NULL && !aead->is_there()) continue;
        if ((aead->rows[0] != NULL) == with_rows) {
            add_mode_with_tag(aead, cipher,
                              name("%s-%s", cipher_name(cipher->name).text, aead->name),
                              name("%s_%s", aead->spelling, cipher->name), cipher->name,
                              cipher->key_size);
        }
        if (aead->sealing == &gcm_sealing && !with_rows) add_gmac(cipher, aead);
    }
}

static void add_ciphers(bool with_rows) {
    for (size_t i = 0; i < OWN_CIPHERS; i++) add_modes(ciphers[i], with_rows);
    for (size_t i = 0; i < LENGTH_OF(streams); i++) add_stream(&streams[i], with_rows);
    if (with_rows) {
        add_mode_with_tag(&chacha_poly1305, NULL, name("chacha20-poly1305"),
                          name("chacha_poly1305"), "chacha", 32);
    }
    for (size_t i = OWN_CIPHERS; i < ciphers_count; i++) add_modes(ciphers[i], with_rows);
}

static void add_cmac(const struct nettle_cipher *cipher) {
    const uint32_t block = cipher->block_size;
    if (block != 8 && block != 16) return;
    struct offer *offer = add(CPB_MAC, block == 8 ? &cmac64 : &cmac128,
                              name("cmac-%s", cipher_name(cipher->name).text),
                              name("cmac_%s", cipher->name), cipher->key_size, 0, block);
    offer->refuses = refuses_cmac;
    offer->cipher = cipher;
    offer->shown.block_bytes = block;
}

static void add_nonce_mac(const struct nonce_mac *mac) {
    struct offer *offer =
        add(CPB_MAC, mac->routine, name("%s", mac->primitive), name("%s", mac->spelling),
            mac->key_bytes, mac->nonce_bytes, mac->tag_bytes);
    offer->refuses = refuses_nonce_mac;
    offer->how = mac;
    offer->shown.block_bytes = mac->block_bytes;
}

static struct offer *add_pbkdf2(const struct routine *routine, const char *hash) {
    return add(CPB_DERIVE, routine, name("pbkdf2-hmac-%s", hash_name(hash).text),
               name("pbkdf2_hmac_%s", hash), 16, 16, 0);
}

/* Returns the hash of an HMAC that the library lists; null for its other MACs, and if
 * there is no room for what HKDF extracts. */
static const struct nettle_hash *hash_of_mac(const struct nettle_mac *mac) {
    const char *prefix = "hmac_";
    if (strncmp(mac->name, prefix, strlen(prefix)) != 0) return NULL;
    const struct nettle_hash *hash = hash_of(mac->name + strlen(prefix));
    const bool fits = hash != NULL && mac->context_size == 3 * hash->context_size &&
                      mac->digest_size <= LINE_BYTES;
    return fits ? hash : NULL;
}

/* Whether some versions have PBKDF2 with this hash, even if the loaded one does not. */
static bool has_pbkdf2(const char *hash) {
    for (size_t i = 0; i < LENGTH_OF(pbkdf2s); i++) {
        if (strcmp(pbkdf2s[i].hash, hash) == 0) return true;
    }
    return false;
}

static void add_generic_derivation(const struct nettle_mac *mac, bool expands) {
    const struct nettle_hash *hash = hash_of_mac(mac);
    if (hash == NULL || (!expands && has_pbkdf2(hash->name))) return;
    struct offer *offer =
        expands ? add_hkdf(&hkdf, name("hkdf-%s", hash_name(hash->name).text),
                           name("hkdf_hmac_%s", hash->name), mac->digest_size)
                : add_pbkdf2(&pbkdf2_generic, hash->name);
    offer->refuses = refuses_generic;
    offer->hash = hash;
    offer->mac = mac;
}

/* Adds PBKDF2 with its own functions, then with the generic one, and HKDF. */
static void add_derivations(void) {
    for (size_t i = 0; i < LENGTH_OF(pbkdf2s); i++) {
        if (pbkdf2s[i].function == NULL) continue;
        add_pbkdf2(&pbkdf2_of_its_own, pbkdf2s[i].hash)->how = &pbkdf2s[i];
    }
    for (int expands = 0; expands < 2; expands++) {
        const struct nettle_mac *const *mac = nettle_get_macs();
        for (; *mac != NULL; mac++) add_generic_derivation(*mac, expands != 0);
    }
}

#endif
