/* Offers Nettle as a provider of cpb_provider.h.
 *
 * The library has no objects of its own: it exports functions and lists of
 * descriptors, and leaves the memory for contexts to its caller. So the contract
 * oneshot adds the key schedule to keyed, and nothing else. */
#define _GNU_SOURCE
#define ONLY_LISTS
#define LIBRARY "nettle"
#define HAS_KEY_PAIRS
#include "nettle/offers.h"

#include <dlfcn.h>

static const char *version(void) {
    static char text[32];
    snprintf(text, sizeof text, "%d.%d", nettle_version_major(), nettle_version_minor());
    return text;
}

/* The library does not report which code it uses. A fat build reveals which code it
 * can choose, by functions that are not in its headers; the words are the values of
 * the environment variable that overrides the choice. */
static const char *code_path(void) {
    static const char *const variants[][2] = {
        {"_nettle_aes128_encrypt_aesni", "aesni"},
        {"_nettle_ghash_update_pclmul", "pclmul"},
        {"_nettle_sha1_compress_sha_ni", "sha_ni"},
        {"_nettle_aes128_encrypt_arm64", "aes"},
        {"_nettle_ghash_update_arm64", "pmull"},
        {"_nettle_sha1_compress_arm64", "sha1"},
        {"_nettle_sha256_compress_n_arm64", "sha2"},
    };
    static char text[512];
    size_t used = 0;
    for (size_t i = 0; i < LENGTH_OF(variants); i++) {
        if (dlsym(RTLD_DEFAULT, variants[i][0]) == NULL) continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                 used == 0 ? "fat build with " : ", ", variants[i][1]);
    }
    if (used == 0) return NULL;
    const char *told = getenv("NETTLE_FAT_OVERRIDE");
    snprintf(text + used, sizeof text - used, "%s%s",
             told != NULL ? "; NETTLE_FAT_OVERRIDE=" : ", each where the CPU has it",
             told != NULL ? told : "");
    return text;
}

/* Adds offers with rows before those without. */
static void add_offers(void) {
    find_hashes_and_ciphers();
    for (size_t i = 0; i < hashes_count; i++) {
        const char *own = hashes[i]->name;
        struct offer *offer =
            add_of_hash(CPB_HASH, &hash, refuses_hash, hash_name(own), "", hashes[i], 0);
        set_row(offer, "hash", own, "");
    }
    add_ciphers(true);
    add_ciphers(false);
    for (size_t i = 0; i < LENGTH_OF(xofs); i++) {
        const struct nettle_hash *xof = &xofs[i].hash;
        if (xof->init == NULL || xof->digest == NULL) continue;
        add_of_hash(CPB_XOF, &hash, refuses_hash, name("%s", xofs[i].primitive), "", xof, 0);
    }
    for (size_t i = 0; i < hashes_count; i++) {
        add_of_hash(CPB_MAC, &hmac, refuses_hmac,
                    name("hmac-%s", hash_name(hashes[i]->name).text), "hmac_", hashes[i], 32);
    }
    for (size_t i = 0; i < ciphers_count; i++) add_cmac(ciphers[i]);
    for (size_t i = 0; i < LENGTH_OF(nonce_macs); i++) add_nonce_mac(&nonce_macs[i]);
    add_derivations();
}
