/* Offers GnuTLS as a provider of cpb_provider.h, through its own interface for
 * algorithms (gnutls/crypto.h). It takes some from Nettle, and has faster code of its
 * own for others. Handles are made and keyed outside a keyed call, and inside a oneshot
 * call. */
#define LIBRARY "gnutls"
#include "shim.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

static const char *version(void) { return gnutls_check_version(NULL); }

/* The library does not report which CPU features it uses; GNUTLS_CPUID_OVERRIDE can
 * override them. */
static const char *code_path(void) { return NULL; }

#define DATUM(role) {(unsigned char *)call->in.role, (unsigned)call->in.role##_bytes}

/* Hashes. Reading the digest leaves the handle ready for the next message. */

PART hash_begin(struct call *call, gnutls_hash_hd_t *state) {
    expect(call, gnutls_hash_init(state, (gnutls_digest_algorithm_t)call->which));
}
PART hash_message(struct call *call, gnutls_hash_hd_t *state) {
    expect(call, gnutls_hash(*state, MESSAGE));
    gnutls_hash_output(*state, call->in.destination);
}
PART hash_end(struct call *call, gnutls_hash_hd_t *state) {
    if (*state != NULL) gnutls_hash_deinit(*state, NULL);
    *state = NULL;
}
ROUTINE(hash, gnutls_hash_hd_t, hash_begin, hash_message, hash_end)

/* MACs. */

PART mac_begin(struct call *call, gnutls_hmac_hd_t *state) {
    expect(call, gnutls_hmac_init(state, (gnutls_mac_algorithm_t)call->which, KEY));
}
PART mac_message(struct call *call, gnutls_hmac_hd_t *state) {
    if (call->in.nonce_bytes != 0) gnutls_hmac_set_nonce(*state, NONCE);
    expect(call, gnutls_hmac(*state, MESSAGE));
    gnutls_hmac_output(*state, call->in.destination);
}
PART mac_end(struct call *call, gnutls_hmac_hd_t *state) {
    if (*state != NULL) gnutls_hmac_deinit(*state, NULL);
    *state = NULL;
}
ROUTINE(mac, gnutls_hmac_hd_t, mac_begin, mac_message, mac_end)

/* Derivations, by the number of the HMAC. */

PART pbkdf2_derive(struct call *call, void *state) {
    const gnutls_datum_t key = DATUM(key), salt = DATUM(nonce);
    expect(call, gnutls_pbkdf2((gnutls_mac_algorithm_t)call->which, &key, &salt,
                               (unsigned)call->in.iterations, OUTPUT));
}
ROUTINE(pbkdf2, char, nothing, pbkdf2_derive, nothing)

typedef uint8_t digest[64];
PART hkdf_derive(struct call *call, digest *extracted) {
    const gnutls_mac_algorithm_t hmac = (gnutls_mac_algorithm_t)call->which;
    const gnutls_datum_t key = DATUM(key), salt = DATUM(nonce), info = DATUM(aad);
    expect(call, gnutls_hkdf_extract(hmac, &key, &salt, *extracted));
    const gnutls_datum_t inner = {*extracted, gnutls_hmac_get_len(hmac)};
    expect(call, gnutls_hkdf_expand(hmac, &inner, &info, OUTPUT));
}
ROUTINE(hkdf, digest, nothing, hkdf_derive, nothing)

/* Ciphers. */

#define LONGEST_IV 16

struct cipher {
    gnutls_cipher_hd_t handle;
    uint8_t iv[LONGEST_IV];
};
/* ChaCha20's initial value starts with the counter, which is 0, followed by the nonce. */
PART cipher_begin(struct call *call, struct cipher *state) {
    const size_t bytes = gnutls_cipher_get_iv_size((gnutls_cipher_algorithm_t)call->which);
    const gnutls_datum_t key = DATUM(key), iv = {state->iv, (unsigned)bytes};
    memcpy(state->iv + bytes - call->in.nonce_bytes, call->in.nonce, call->in.nonce_bytes);
    expect(call, gnutls_cipher_init(&state->handle, (gnutls_cipher_algorithm_t)call->which, &key,
                                    bytes == 0 ? NULL : &iv));
}
PART cipher_set_iv(struct call *call, struct cipher *state) {
    gnutls_cipher_set_iv(state->handle, state->iv,
                         gnutls_cipher_get_iv_size((gnutls_cipher_algorithm_t)call->which));
}
PART cipher_encrypt(struct call *call, struct cipher *state) {
    cipher_set_iv(call, state);
    expect(call, gnutls_cipher_encrypt2(state->handle, MESSAGE, OUTPUT));
}
PART cipher_decrypt(struct call *call, struct cipher *state) {
    cipher_set_iv(call, state);
    expect(call, gnutls_cipher_decrypt2(state->handle, MESSAGE, OUTPUT));
}
PART cipher_end(struct call *call, struct cipher *state) {
    if (state->handle != NULL) gnutls_cipher_deinit(state->handle);
    state->handle = NULL;
}
ROUTINE(encryption, struct cipher, cipher_begin, cipher_encrypt, cipher_end)
ROUTINE(decryption, struct cipher, cipher_begin, cipher_decrypt, cipher_end)

/* Arcfour's state is its key schedule, and handles cannot be copied, so each call sets the
 * key. */
PART arcfour_message(struct call *call, struct cipher *state) {
    cipher_begin(call, state);
    if (call->failed == 0) expect(call, gnutls_cipher_encrypt2(state->handle, MESSAGE, OUTPUT));
    cipher_end(call, state);
}
ROUTINE(arcfour, struct cipher, nothing, arcfour_message, nothing)

PART aead_begin(struct call *call, gnutls_aead_cipher_hd_t *state) {
    const gnutls_datum_t key = DATUM(key);
    expect(call, gnutls_aead_cipher_init(state, (gnutls_cipher_algorithm_t)call->which, &key));
}
PART aead_end(struct call *call, gnutls_aead_cipher_hd_t *state) {
    if (*state != NULL) gnutls_aead_cipher_deinit(*state);
    *state = NULL;
}
PART aead_seal(struct call *call, gnutls_aead_cipher_hd_t *state) {
    const size_t tag_bytes = call->in.output_bytes - call->in.message_bytes;
    size_t length = call->in.output_bytes;
    expect(call, gnutls_aead_cipher_encrypt(*state, NONCE, AAD, tag_bytes, MESSAGE,
                                            call->in.destination, &length));
}
PART aead_open(struct call *call, gnutls_aead_cipher_hd_t *state) {
    size_t length = call->in.output_bytes;
    expect(call, gnutls_aead_cipher_decrypt(*state, NONCE, AAD, call->in.tag_bytes,
                                            call->in.message,
                                            call->in.message_bytes + call->in.tag_bytes,
                                            call->in.destination, &length));
}
ROUTINE(sealing, gnutls_aead_cipher_hd_t, aead_begin, aead_seal, aead_end)
ROUTINE(opening, gnutls_aead_cipher_hd_t, aead_begin, aead_open, aead_end)

/* Codecs. A base64 text must be copied from the library's memory. */

PART encode_base16(struct call *call, void *state) {
    const gnutls_datum_t message = DATUM(message);
    size_t room = call->in.output_bytes + 1;
    expect(call, gnutls_hex_encode(&message, (char *)call->in.destination, &room));
}
PART decode_base16(struct call *call, void *state) {
    const gnutls_datum_t text = DATUM(message);
    size_t room = call->in.output_bytes;
    expect(call, gnutls_hex_decode(&text, call->in.destination, &room));
}
#define CODE_BASE64(way, function)                                                               \
    PART way##_base64(struct call *call, void *state) {                                          \
        const gnutls_datum_t given = DATUM(message);                                             \
        gnutls_datum_t made = {NULL, 0};                                                         \
        expect(call, function(&given, &made));                                                   \
        expect(call, made.size != call->in.output_bytes);                                        \
        if (call->failed == 0) memcpy(call->in.destination, made.data, made.size);               \
        gnutls_free(made.data);                                                                  \
    }
CODE_BASE64(encode, gnutls_base64_encode2)
CODE_BASE64(decode, gnutls_base64_decode2)
ROUTINE(base16_encoding, char, nothing, encode_base16, nothing)
ROUTINE(base16_decoding, char, nothing, decode_base16, nothing)
ROUTINE(base64_encoding, char, nothing, encode_base64, nothing)
ROUTINE(base64_decoding, char, nothing, decode_base64, nothing)

/* The library may know an algorithm without implementing it. */
static bool has_hash(gnutls_digest_algorithm_t digest) {
    gnutls_hash_hd_t handle = NULL;
    if (gnutls_hash_get_len(digest) == 0 || gnutls_hash_init(&handle, digest) != 0) return false;
    gnutls_hash_deinit(handle, NULL);
    return true;
}

static struct name hash_name(const char *own) {
    if (strcmp(own, "GOSTR341194") == 0) return name("gosthash94-cp");
    return lower(own);
}

static void add_hashes(void) {
    const gnutls_digest_algorithm_t *digest = gnutls_digest_list();
    for (; *digest != GNUTLS_DIG_UNKNOWN; digest++) {
        if (!has_hash(*digest)) continue;
        const char *own = gnutls_digest_get_name(*digest);
        add(CPB_HASH, &hash, hash_name(own), name("%s", own), 0, 0, gnutls_hash_get_len(*digest))
            ->which = *digest;
    }
}

/* MACs with the names of hashes are HMACs. */
static void add_hmac(gnutls_mac_algorithm_t hmac, const char *own) {
    const struct name hash = hash_name(own);
    const uint32_t bytes = gnutls_hmac_get_len(hmac);
    add(CPB_MAC, &mac, name("hmac-%s", hash.text), name("HMAC-%s", own), 32, 0, bytes)->which =
        hmac;
    add_hkdf(&hkdf, name("hkdf-%s", hash.text), name("HKDF-%s", own), bytes)->which = hmac;
    add(CPB_DERIVE, &pbkdf2, name("pbkdf2-hmac-%s", hash.text), name("PBKDF2-%s", own), 16, 16, 0)
        ->which = hmac;
}

static void add_macs(void) {
    static const struct {
        gnutls_mac_algorithm_t mac;
        const char *primitive;
        uint32_t nonce_bytes;
    } others[] = {
        {GNUTLS_MAC_AES_CMAC_128, "cmac-aes-128", 0},  {GNUTLS_MAC_AES_CMAC_256, "cmac-aes-256", 0},
        {GNUTLS_MAC_AES_GMAC_128, "gmac-aes-128", 12}, {GNUTLS_MAC_AES_GMAC_192, "gmac-aes-192", 12},
        {GNUTLS_MAC_AES_GMAC_256, "gmac-aes-256", 12}, {GNUTLS_MAC_UMAC_96, "umac-96", 8},
        {GNUTLS_MAC_UMAC_128, "umac-128", 8},
    };
    for (const gnutls_mac_algorithm_t *it = gnutls_mac_list(); *it != GNUTLS_MAC_UNKNOWN; it++) {
        const char *own = gnutls_mac_get_name(*it);
        const gnutls_digest_algorithm_t digest = gnutls_digest_get_id(own);
        if (digest != GNUTLS_DIG_UNKNOWN && has_hash(digest)) add_hmac(*it, own);
        for (size_t i = 0; i < LENGTH_OF(others); i++) {
            if (others[i].mac != *it) continue;
            add(CPB_MAC, &mac, name("%s", others[i].primitive), name("%s", own),
                (uint32_t)gnutls_mac_get_key_size(*it), others[i].nonce_bytes,
                gnutls_hmac_get_len(*it))
                ->which = *it;
        }
    }
}

/* Salsa20 is left out, because this interface gives it no nonce, and so are GOST's ciphers,
 * which a new initial value does not reset. */
enum kind { BLOCKS, STREAM, ARCFOUR, AEAD, AEAD_TAG_FIRST };
static const struct {
    gnutls_cipher_algorithm_t cipher;
    const char *primitive;
    enum kind kind;
    uint32_t nonce_bytes; /* 0 stands for the length of the library's initial value */
} ciphers[] = {
    {GNUTLS_CIPHER_AES_128_CBC, "aes-128-cbc", BLOCKS, 0},
    {GNUTLS_CIPHER_AES_192_CBC, "aes-192-cbc", BLOCKS, 0},
    {GNUTLS_CIPHER_AES_256_CBC, "aes-256-cbc", BLOCKS, 0},
    {GNUTLS_CIPHER_AES_128_CFB8, "aes-128-cfb8", STREAM, 0},
    {GNUTLS_CIPHER_AES_192_CFB8, "aes-192-cfb8", STREAM, 0},
    {GNUTLS_CIPHER_AES_256_CFB8, "aes-256-cfb8", STREAM, 0},
    {GNUTLS_CIPHER_AES_128_XTS, "aes-128-xts", BLOCKS, 0},
    {GNUTLS_CIPHER_AES_256_XTS, "aes-256-xts", BLOCKS, 0},
    {GNUTLS_CIPHER_CAMELLIA_128_CBC, "camellia-128-cbc", BLOCKS, 0},
    {GNUTLS_CIPHER_CAMELLIA_192_CBC, "camellia-192-cbc", BLOCKS, 0},
    {GNUTLS_CIPHER_CAMELLIA_256_CBC, "camellia-256-cbc", BLOCKS, 0},
    {GNUTLS_CIPHER_3DES_CBC, "3des-cbc", BLOCKS, 0},
    {GNUTLS_CIPHER_DES_CBC, "des-cbc", BLOCKS, 0},
    {GNUTLS_CIPHER_RC2_40_CBC, "rc2-40-cbc", BLOCKS, 0},
    {GNUTLS_CIPHER_ARCFOUR_128, "rc4-128", ARCFOUR, 0},
    {GNUTLS_CIPHER_CHACHA20_32, "chacha20", STREAM, 12},
    {GNUTLS_CIPHER_CHACHA20_64, "chacha20-djb", STREAM, 8},
    {GNUTLS_CIPHER_AES_128_GCM, "aes-128-gcm", AEAD, 0},
    {GNUTLS_CIPHER_AES_192_GCM, "aes-192-gcm", AEAD, 0},
    {GNUTLS_CIPHER_AES_256_GCM, "aes-256-gcm", AEAD, 0},
    {GNUTLS_CIPHER_CAMELLIA_128_GCM, "camellia-128-gcm", AEAD, 0},
    {GNUTLS_CIPHER_CAMELLIA_256_GCM, "camellia-256-gcm", AEAD, 0},
    {GNUTLS_CIPHER_AES_128_CCM, "aes-128-ccm", AEAD, 0},
    {GNUTLS_CIPHER_AES_256_CCM, "aes-256-ccm", AEAD, 0},
    {GNUTLS_CIPHER_AES_128_CCM_8, "aes-128-ccm-8", AEAD, 0},
    {GNUTLS_CIPHER_AES_256_CCM_8, "aes-256-ccm-8", AEAD, 0},
    {GNUTLS_CIPHER_CHACHA20_POLY1305, "chacha20-poly1305", AEAD, 0},
    {GNUTLS_CIPHER_AES_128_SIV, "aes-128-siv-cmac", AEAD_TAG_FIRST, 0},
    {GNUTLS_CIPHER_AES_256_SIV, "aes-256-siv-cmac", AEAD_TAG_FIRST, 0},
};

static void add_ciphers(void) {
    for (size_t i = 0; i < LENGTH_OF(ciphers); i++) {
        const gnutls_cipher_algorithm_t cipher = ciphers[i].cipher;
        const enum kind kind = ciphers[i].kind;
        const char *own = gnutls_cipher_get_name(cipher);
        const uint32_t key = (uint32_t)gnutls_cipher_get_key_size(cipher);
        const uint32_t iv = gnutls_cipher_get_iv_size(cipher);
        const uint32_t nonce = ciphers[i].nonce_bytes != 0 ? ciphers[i].nonce_bytes : iv;
        if (own == NULL || key == 0 || iv > LONGEST_IV) continue;
        const size_t first = offers_count;
        if (kind >= AEAD) {
            add_aead(&sealing, &opening, name("%s", ciphers[i].primitive), name("%s", own), key,
                     nonce, gnutls_cipher_get_tag_size(cipher));
        } else {
            add_cipher(kind == ARCFOUR ? &arcfour : &encryption,
                       kind == ARCFOUR ? &arcfour : &decryption, name("%s", ciphers[i].primitive),
                       name("%s", own), key, nonce);
        }
        for (size_t added = first; added < offers_count; added++) {
            offers[added].which = cipher;
            offers[added].joins = true;
            offers[added].tag_first = kind == AEAD_TAG_FIRST;
            if (kind == BLOCKS) {
                offers[added].shown.granularity = gnutls_cipher_get_block_size(cipher);
            }
        }
    }
}

static void add_offers(void) {
    add_hashes();
    add_macs();
    add_ciphers();
    add_codec(&base16_encoding, &base16_decoding, "base16", "hex")->overhang = 1;
    add_codec(&base64_encoding, &base64_decoding, "base64", "base64");
}
