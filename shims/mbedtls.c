/* Offers Mbed TLS as a provider of cpb_provider.h, through its generic layers for hashes
 * and ciphers, as its own TLS uses them. The objects of keyed calls are made and keyed
 * outside the call; oneshot sets them up, keys and frees them in each call. */
#define ONLY_LISTS
#define LIBRARY "mbedtls"
#include "shim.h"

#include <mbedtls/version.h>

#include <mbedtls/base64.h>
#include <mbedtls/cipher.h>
#include <mbedtls/cmac.h>
#include <mbedtls/hkdf.h>
#include <mbedtls/md.h>
#include <mbedtls/pkcs5.h>
#include <mbedtls/poly1305.h>
#ifdef MBEDTLS_ARC4_C
#include <mbedtls/arc4.h>
#endif

static const char *version(void) {
    static char text[32];
    mbedtls_version_get_string(text);
    return text;
}

/* The library does not report whether it found AES-NI. */
static const char *code_path(void) { return NULL; }

/* Hashes and what is built from them. */

PART hash_begin(struct call *call, mbedtls_md_context_t *state) {
    mbedtls_md_init(state);
    expect(call, mbedtls_md_setup(state, call->how, 0));
}
PART hash_message(struct call *call, mbedtls_md_context_t *state) {
    expect(call, mbedtls_md_starts(state));
    expect(call, mbedtls_md_update(state, MESSAGE));
    expect(call, mbedtls_md_finish(state, call->in.destination));
}
PART hash_end(struct call *call, mbedtls_md_context_t *state) {
    mbedtls_md_free(state);
}
ROUTINE(hash, mbedtls_md_context_t, hash_begin, hash_message, hash_end)

PART hmac_setup(struct call *call, mbedtls_md_context_t *state) {
    mbedtls_md_init(state);
    expect(call, mbedtls_md_setup(state, call->how, 1));
}
PART hmac_begin(struct call *call, mbedtls_md_context_t *state) {
    hmac_setup(call, state);
    expect(call, mbedtls_md_hmac_starts(state, KEY));
}
PART hmac_message(struct call *call, mbedtls_md_context_t *state) {
    expect(call, mbedtls_md_hmac_reset(state));
    expect(call, mbedtls_md_hmac_update(state, MESSAGE));
    expect(call, mbedtls_md_hmac_finish(state, call->in.destination));
}
ROUTINE(hmac, mbedtls_md_context_t, hmac_begin, hmac_message, hash_end)

PART hkdf_derive(struct call *call, void *state) {
    expect(call, mbedtls_hkdf(call->how, NONCE, KEY, AAD, OUTPUT));
}
ROUTINE(hkdf, char, nothing, hkdf_derive, nothing)

PART pbkdf2_derive(struct call *call, mbedtls_md_context_t *state) {
    expect(call, mbedtls_pkcs5_pbkdf2_hmac(state, KEY, NONCE, (unsigned)call->in.iterations,
                                           (uint32_t)call->in.output_bytes,
                                           call->in.destination));
}
ROUTINE(pbkdf2, mbedtls_md_context_t, hmac_setup, pbkdf2_derive, hash_end)

static void add_hash(const mbedtls_md_info_t *info) {
    const char *own = mbedtls_md_get_name(info);
    const uint32_t bytes = mbedtls_md_get_size(info);
    const struct name canonical = lower(own);
    add(CPB_HASH, &hash, canonical, name("%s", own), 0, 0, bytes)->how = info;
    add(CPB_MAC, &hmac, name("hmac-%s", canonical.text), name("HMAC-%s", own), 32, 0, bytes)->how =
        info;
    add_hkdf(&hkdf, name("hkdf-%s", canonical.text), name("HKDF-%s", own), bytes)->how = info;
    add(CPB_DERIVE, &pbkdf2, name("pbkdf2-hmac-%s", canonical.text), name("PBKDF2-HMAC-%s", own),
        16, 16, 0)
        ->how = info;
}

/* Ciphers. */

PART cipher_setup(struct call *call, mbedtls_cipher_context_t *state) {
    mbedtls_cipher_init(state);
    expect(call, mbedtls_cipher_setup(state, call->how));
}
PART cipher_begin(struct call *call, mbedtls_cipher_context_t *state, mbedtls_operation_t way) {
    cipher_setup(call, state);
    expect(call, mbedtls_cipher_setkey(state, call->in.key, (int)call->in.key_bytes * 8, way));
    if (mbedtls_cipher_get_cipher_mode(state) == MBEDTLS_MODE_CBC) {
        expect(call, mbedtls_cipher_set_padding_mode(state, MBEDTLS_PADDING_NONE));
    }
}
PART encryption_begin(struct call *call, mbedtls_cipher_context_t *state) {
    cipher_begin(call, state, MBEDTLS_ENCRYPT);
}
PART decryption_begin(struct call *call, mbedtls_cipher_context_t *state) {
    cipher_begin(call, state, MBEDTLS_DECRYPT);
}
PART cipher_end(struct call *call, mbedtls_cipher_context_t *state) {
    mbedtls_cipher_free(state);
}

PART cipher_message(struct call *call, mbedtls_cipher_context_t *state) {
    size_t length = 0;
    expect(call, mbedtls_cipher_crypt(state, NONCE, MESSAGE, call->in.destination, &length));
    expect(call, length != call->in.message_bytes);
}
ROUTINE(encryption, mbedtls_cipher_context_t, encryption_begin, cipher_message, cipher_end)
ROUTINE(decryption, mbedtls_cipher_context_t, decryption_begin, cipher_message, cipher_end)

/* ECB goes through this layer one block at a time. */
PART ecb_message(struct call *call, mbedtls_cipher_context_t *state) {
    const size_t block = mbedtls_cipher_get_block_size(state);
    for (size_t at = 0; at < call->in.message_bytes; at += block) {
        size_t length = 0;
        expect(call, mbedtls_cipher_update(state, call->in.message + at, block,
                                           call->in.destination + at, &length));
    }
}
ROUTINE(ecb_encryption, mbedtls_cipher_context_t, encryption_begin, ecb_message, cipher_end)
ROUTINE(ecb_decryption, mbedtls_cipher_context_t, decryption_begin, ecb_message, cipher_end)

#define TAG_BYTES 16

PART seal_message(struct call *call, mbedtls_cipher_context_t *state) {
    size_t length = 0;
    expect(call, mbedtls_cipher_auth_encrypt_ext(state, NONCE, AAD, MESSAGE, OUTPUT, &length,
                                                 TAG_BYTES));
}
PART open_message(struct call *call, mbedtls_cipher_context_t *state) {
    size_t length = 0;
    expect(call, mbedtls_cipher_auth_decrypt_ext(state, NONCE, AAD, call->in.message,
                                                 call->in.message_bytes + TAG_BYTES, OUTPUT,
                                                 &length, TAG_BYTES));
}
ROUTINE(sealing, mbedtls_cipher_context_t, encryption_begin, seal_message, cipher_end)
ROUTINE(opening, mbedtls_cipher_context_t, decryption_begin, open_message, cipher_end)

PART cmac_begin(struct call *call, mbedtls_cipher_context_t *state) {
    cipher_setup(call, state);
    expect(call, mbedtls_cipher_cmac_starts(state, call->in.key, call->in.key_bytes * 8));
}
PART cmac_message(struct call *call, mbedtls_cipher_context_t *state) {
    expect(call, mbedtls_cipher_cmac_reset(state));
    expect(call, mbedtls_cipher_cmac_update(state, MESSAGE));
    expect(call, mbedtls_cipher_cmac_finish(state, call->in.destination));
}
ROUTINE(cmac, mbedtls_cipher_context_t, cmac_begin, cmac_message, cipher_end)

static const struct mode {
    mbedtls_cipher_mode_t mode;
    const char *name;
    const struct routine *forward, *backward;
    bool has_tag, whole_blocks;
} modes[] = {
    {MBEDTLS_MODE_ECB, "-ecb", &ecb_encryption, &ecb_decryption, false, true},
    {MBEDTLS_MODE_CBC, "-cbc", &encryption, &decryption, false, true},
    {MBEDTLS_MODE_CFB, "-cfb", &encryption, &decryption, false, false},
    {MBEDTLS_MODE_OFB, "-ofb", &encryption, &decryption, false, false},
    {MBEDTLS_MODE_CTR, "-ctr", &encryption, &decryption, false, false},
    {MBEDTLS_MODE_XTS, "-xts", &encryption, &decryption, false, true},
    {MBEDTLS_MODE_GCM, "-gcm", &sealing, &opening, true, false},
    {MBEDTLS_MODE_CCM, "-ccm", &sealing, &opening, true, false},
    {MBEDTLS_MODE_STREAM, "", &encryption, &decryption, false, false},
    {MBEDTLS_MODE_CHACHAPOLY, "-poly1305", &sealing, &opening, true, false},
};

/* Finds the canonical name of a cipher from the beginning of its own. Arcfour, whose
 * state continues from call to call, is below; DES with two keys has no name. */
static bool cipher_name(const char *own, int key_bits, struct name *found) {
    static const struct {
        const char *beginning, *name;
        bool has_bits;
    } ciphers[] = {
        {"AES-", "aes", true},       {"CAMELLIA-", "camellia", true}, {"ARIA-", "aria", true},
        {"DES-EDE3-", "3des", false}, {"BLOWFISH-", "blowfish", true}, {"CHACHA20", "chacha20", false},
        {"DES-ECB", "des", false},   {"DES-CBC", "des", false},
    };
    for (size_t i = 0; i < LENGTH_OF(ciphers); i++) {
        if (strncmp(own, ciphers[i].beginning, strlen(ciphers[i].beginning)) != 0) continue;
        *found = ciphers[i].has_bits ? name("%s-%d", ciphers[i].name, key_bits)
                                     : name("%s", ciphers[i].name);
        return true;
    }
    return false;
}

static void add_mode(const mbedtls_cipher_info_t *info, const mbedtls_cipher_context_t *of,
                     const struct mode *mode) {
    const char *own = mbedtls_cipher_get_name(of);
    const uint32_t block = mbedtls_cipher_get_block_size(of);
    const int bits = mbedtls_cipher_get_key_bitlen(of);
    const uint32_t key_bytes = (uint32_t)bits / 8;
    struct name cipher;
    if (!cipher_name(own, mode->mode == MBEDTLS_MODE_XTS ? bits / 2 : bits, &cipher)) return;
    const struct name primitive = name("%s%s", cipher.text, mode->name);
    const uint32_t nonce = (uint32_t)mbedtls_cipher_get_iv_size(of);
    const size_t first = offers_count;
    if (mode->has_tag) {
        add_aead(mode->forward, mode->backward, primitive, name("%s", own), key_bytes, nonce,
                 TAG_BYTES);
    } else {
        add_cipher(mode->forward, mode->backward, primitive, name("%s", own), key_bytes, nonce);
    }
    const bool has_cmac = mode->mode == MBEDTLS_MODE_ECB &&
                          (strncmp(own, "AES-", 4) == 0 || strncmp(own, "DES-EDE3-", 9) == 0);
    if (has_cmac) {
        add(CPB_MAC, &cmac, name("cmac-%s", cipher.text), name("CMAC-%s", cipher.text), key_bytes,
            0, block);
    }
    for (size_t i = first; i < offers_count; i++) {
        offers[i].how = info;
        offers[i].joins = true;
        if (mode->whole_blocks && offers[i].shown.operation != CPB_MAC) {
            offers[i].shown.granularity = mode->mode == MBEDTLS_MODE_XTS ? 16 : block;
        }
    }
}

static void add_cipher_of(const mbedtls_cipher_info_t *info) {
    mbedtls_cipher_context_t of;
    mbedtls_cipher_init(&of);
    if (mbedtls_cipher_setup(&of, info) == 0) {
        for (size_t i = 0; i < LENGTH_OF(modes); i++) {
            if (modes[i].mode == mbedtls_cipher_get_cipher_mode(&of)) {
                add_mode(info, &of, &modes[i]);
            }
        }
    }
    mbedtls_cipher_free(&of);
}

/* Algorithms that the generic layers leave out. */

PART poly1305_message(struct call *call, void *state) {
    expect(call, mbedtls_poly1305_mac(call->in.key, MESSAGE, call->in.destination));
}
ROUTINE(poly1305, char, nothing, poly1305_message, nothing)

#ifdef MBEDTLS_ARC4_C
/* RC4's state is its key schedule, which is copied to restart it. */
struct arc4 {
    mbedtls_arc4_context keyed, used;
};
PART arc4_begin(struct call *call, struct arc4 *state) {
    mbedtls_arc4_init(&state->keyed);
    mbedtls_arc4_setup(&state->keyed, call->in.key, (unsigned)call->in.key_bytes);
}
PART arc4_message(struct call *call, struct arc4 *state) {
    state->used = state->keyed;
    expect(call, mbedtls_arc4_crypt(&state->used, call->in.message_bytes, call->in.message,
                                    call->in.destination));
}
ROUTINE(arc4, struct arc4, arc4_begin, arc4_message, nothing)
#endif

PART encode_base64(struct call *call, void *state) {
    size_t length = 0;
    expect(call, mbedtls_base64_encode(call->in.destination, call->in.output_bytes + 1, &length,
                                       MESSAGE));
}
PART decode_base64(struct call *call, void *state) {
    size_t length = 0;
    expect(call, mbedtls_base64_decode(OUTPUT, &length, MESSAGE));
    expect(call, length != call->in.output_bytes);
}
ROUTINE(base64_encoding, char, nothing, encode_base64, nothing)
ROUTINE(base64_decoding, char, nothing, decode_base64, nothing)

static void add_offers(void) {
    for (const int *type = mbedtls_md_list(); *type != MBEDTLS_MD_NONE; type++) {
        const mbedtls_md_info_t *info = mbedtls_md_info_from_type((mbedtls_md_type_t)*type);
        if (info != NULL) add_hash(info);
    }
    for (const int *type = mbedtls_cipher_list(); *type != MBEDTLS_CIPHER_NONE; type++) {
        const mbedtls_cipher_info_t *info =
            mbedtls_cipher_info_from_type((mbedtls_cipher_type_t)*type);
        if (info != NULL) add_cipher_of(info);
    }
    add(CPB_MAC, &poly1305, name("poly1305"), name("POLY1305"), 32, 0, 16);
#ifdef MBEDTLS_ARC4_C
    add_cipher(&arc4, &arc4, name("rc4-128"), name("ARC4-128"), 16, 0);
#endif
    /* The text ends with a zero byte. */
    add_codec(&base64_encoding, &base64_decoding, "base64", "BASE64")->overhang = 1;
}
