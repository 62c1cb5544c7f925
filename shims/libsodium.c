/* Offers libsodium as a provider of cpb_provider.h.
 *
 * Most of it is functions without objects, for which keyed and oneshot are the same
 * call. MACs and AES-256-GCM have a state with the key in it, which keyed makes outside
 * the call. */
#define LIBRARY "libsodium"
#include "shim.h"

#include <sodium.h>

static const char *version(void) { return sodium_version_string(); }

/* It chooses by CPU features when it starts. */
static const char *code_path(void) {
    static char text[160];
    const struct {
        const char *name;
        int is_there;
    } features[] = {
        {"ssse3", sodium_runtime_has_ssse3()},   {"sse4.1", sodium_runtime_has_sse41()},
        {"aesni", sodium_runtime_has_aesni()},   {"pclmul", sodium_runtime_has_pclmul()},
        {"avx", sodium_runtime_has_avx()},       {"avx2", sodium_runtime_has_avx2()},
        {"avx512f", sodium_runtime_has_avx512f()}, {"neon", sodium_runtime_has_neon()},
    };
    size_t used = 0;
    for (size_t i = 0; i < LENGTH_OF(features); i++) {
        if (!features[i].is_there) continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                 used == 0 ? "sees " : ", ", features[i].name);
    }
    return used == 0 ? NULL : text;
}

/* Hashes. */

#define HASH(hash)                                                                               \
    PART hash##_message(struct call *call, void *state) {                                        \
        crypto_hash_##hash(call->in.destination, MESSAGE);                                       \
    }                                                                                            \
    ROUTINE(hash, char, nothing, hash##_message, nothing)
HASH(sha256)
HASH(sha512)

PART generichash_message(struct call *call, void *state) {
    crypto_generichash(OUTPUT, MESSAGE, NULL, 0);
}
ROUTINE(generichash, char, nothing, generichash_message, nothing)

/* MACs. Each message copies the state with the key. */

#define MAC(mac, key_bytes)                                                                      \
    struct mac {                                                                                 \
        mac##_state keyed, used;                                                                 \
    };                                                                                           \
    PART mac##_begin(struct call *call, struct mac *state) {                                     \
        expect(call, mac##_init(&state->keyed, key_bytes));                                      \
    }                                                                                            \
    PART mac##_message(struct call *call, struct mac *state) {                                   \
        state->used = state->keyed;                                                              \
        mac##_update(&state->used, MESSAGE);                                                     \
        mac##_final(&state->used, call->in.destination);                                         \
    }                                                                                            \
    ROUTINE(mac##_routine, struct mac, mac##_begin, mac##_message, nothing)
MAC(crypto_auth_hmacsha256, KEY)
MAC(crypto_auth_hmacsha512, KEY)
MAC(crypto_auth_hmacsha512256, KEY)
MAC(crypto_onetimeauth, call->in.key)

PART keyed_generichash_message(struct call *call, void *state) {
    crypto_generichash(OUTPUT, MESSAGE, KEY);
}
ROUTINE(keyed_generichash, char, nothing, keyed_generichash_message, nothing)

#define SHORTHASH(mac)                                                                           \
    PART mac##_message(struct call *call, void *state) {                                         \
        mac(call->in.destination, MESSAGE, call->in.key);                                        \
    }                                                                                            \
    ROUTINE(mac##_routine, char, nothing, mac##_message, nothing)
SHORTHASH(crypto_shorthash_siphash24)
SHORTHASH(crypto_shorthash_siphashx24)

/* Stream ciphers. */

#define STREAM(cipher)                                                                           \
    PART cipher##_message(struct call *call, void *state) {                                      \
        crypto_stream_##cipher##_xor(call->in.destination, MESSAGE, call->in.nonce,              \
                                     call->in.key);                                              \
    }                                                                                            \
    ROUTINE(cipher, char, nothing, cipher##_message, nothing)
STREAM(chacha20)
STREAM(chacha20_ietf)
STREAM(xchacha20)
STREAM(salsa20)
STREAM(salsa2012)
STREAM(salsa208)
STREAM(xsalsa20)

/* Authenticated encryption. */

#define AEAD_STATELESS(mode)                                                                     \
    PART mode##_seal_message(struct call *call, void *state) {                                   \
        crypto_aead_##mode##_encrypt_detached(call->in.destination, TAG_BEHIND, NULL, MESSAGE,   \
                                              AAD, NULL, call->in.nonce, call->in.key);          \
    }                                                                                            \
    PART mode##_open_message(struct call *call, void *state) {                                   \
        expect(call, crypto_aead_##mode##_decrypt_detached(call->in.destination, NULL, MESSAGE,  \
                                                           call->in.tag, AAD, call->in.nonce,    \
                                                           call->in.key));                       \
    }                                                                                            \
    ROUTINE(mode##_seal, char, nothing, mode##_seal_message, nothing)                            \
    ROUTINE(mode##_open, char, nothing, mode##_open_message, nothing)
AEAD_STATELESS(chacha20poly1305)
AEAD_STATELESS(chacha20poly1305_ietf)
AEAD_STATELESS(xchacha20poly1305_ietf)

PART aes256gcm_begin(struct call *call, crypto_aead_aes256gcm_state *state) {
    expect(call, crypto_aead_aes256gcm_beforenm(state, call->in.key));
}
PART aes256gcm_seal_message(struct call *call, crypto_aead_aes256gcm_state *state) {
    crypto_aead_aes256gcm_encrypt_detached_afternm(call->in.destination, TAG_BEHIND, NULL,
                                                   MESSAGE, AAD, NULL, call->in.nonce, state);
}
PART aes256gcm_open_message(struct call *call, crypto_aead_aes256gcm_state *state) {
    expect(call, crypto_aead_aes256gcm_decrypt_detached_afternm(
                     call->in.destination, NULL, MESSAGE, call->in.tag, AAD, call->in.nonce,
                     state));
}
ROUTINE(aes256gcm_seal, crypto_aead_aes256gcm_state, aes256gcm_begin, aes256gcm_seal_message,
        nothing)
ROUTINE(aes256gcm_open, crypto_aead_aes256gcm_state, aes256gcm_begin, aes256gcm_open_message,
        nothing)

/* NaCl's secret-key box has no associated data. */
#define SECRETBOX(box)                                                                           \
    PART box##_seal_message(struct call *call, void *state) {                                    \
        crypto_##box##_detached(call->in.destination, TAG_BEHIND, MESSAGE, call->in.nonce,       \
                                call->in.key);                                                   \
    }                                                                                            \
    PART box##_open_message(struct call *call, void *state) {                                    \
        expect(call, crypto_##box##_open_detached(call->in.destination, call->in.message,        \
                                                  call->in.tag, call->in.message_bytes,          \
                                                  call->in.nonce, call->in.key));                \
    }                                                                                            \
    ROUTINE(box##_seal, char, nothing, box##_seal_message, nothing)                              \
    ROUTINE(box##_open, char, nothing, box##_open_message, nothing)
SECRETBOX(secretbox)
SECRETBOX(secretbox_xchacha20poly1305)

static void add_secretbox(const struct routine *seal, const struct routine *open,
                          const char *primitive, const char *spelling) {
    set_length(add(CPB_SEAL, seal, name("%s", primitive), name("%s", spelling), 32, 24, 16),
               CPB_AAD, 0, 0, 0);
    set_length(add(CPB_OPEN, open, name("%s", primitive), name("%s", spelling), 32, 24, 16),
               CPB_AAD, 0, 0, 0);
}

/* Derivations. */

#define ARGON2_BYTES (UINT64_C(1024) * 1024)

#define ARGON2(argon2)                                                                           \
    PART argon2##_derive(struct call *call, void *state) {                                       \
        expect(call, crypto_pwhash_##argon2(OUTPUT, (const char *)KEY, call->in.nonce,           \
                                            call->in.iterations, ARGON2_BYTES,                   \
                                            crypto_pwhash_##argon2##_ALG_##argon2##13));         \
    }                                                                                            \
    ROUTINE(argon2, char, nothing, argon2##_derive, nothing)
#define crypto_pwhash_argon2i_ALG_argon2i13 crypto_pwhash_argon2i_ALG_ARGON2I13
#define crypto_pwhash_argon2id_ALG_argon2id13 crypto_pwhash_argon2id_ALG_ARGON2ID13
ARGON2(argon2i)
ARGON2(argon2id)

static void add_argon2(const struct routine *argon2, const char *primitive,
                       const char *spelling) {
    struct offer *offer =
        add(CPB_DERIVE, argon2, name("%s", primitive), name("%s", spelling), 16, 16, 0);
    set_length(offer, CPB_SALT, crypto_pwhash_SALTBYTES, crypto_pwhash_SALTBYTES,
               crypto_pwhash_SALTBYTES);
    set_length(offer, CPB_OUTPUT, crypto_pwhash_BYTES_MIN, 32, CPB_ANY);
}

#define SCRYPT(scrypt, n, p)                                                                     \
    PART scrypt##_derive(struct call *call, void *state) {                                       \
        expect(call, crypto_pwhash_scryptsalsa208sha256_ll(KEY, NONCE, n, 8, p, OUTPUT));        \
    }                                                                                            \
    ROUTINE(scrypt, char, nothing, scrypt##_derive, nothing)
SCRYPT(scrypt_16384_8_1, 16384, 1)
/* The iterations are scrypt's parameter p. */
SCRYPT(scrypt_1024_8, 1024, (uint32_t)call->in.iterations)

/* Codecs. */

PART encode_base16(struct call *call, void *state) {
    sodium_bin2hex((char *)call->in.destination, call->in.output_bytes + 1, MESSAGE);
}
PART decode_base16(struct call *call, void *state) {
    size_t length = 0;
    expect(call, sodium_hex2bin(OUTPUT, (const char *)MESSAGE, NULL, &length, NULL));
    expect(call, length != call->in.output_bytes);
}
PART encode_base64(struct call *call, void *state) {
    sodium_bin2base64((char *)call->in.destination, call->in.output_bytes + 1, MESSAGE,
                      sodium_base64_VARIANT_ORIGINAL);
}
PART decode_base64(struct call *call, void *state) {
    size_t length = 0;
    expect(call, sodium_base642bin(OUTPUT, (const char *)MESSAGE, NULL, &length, NULL,
                                   sodium_base64_VARIANT_ORIGINAL));
    expect(call, length != call->in.output_bytes);
}
ROUTINE(base16_encoding, char, nothing, encode_base16, nothing)
ROUTINE(base16_decoding, char, nothing, decode_base16, nothing)
ROUTINE(base64_encoding, char, nothing, encode_base64, nothing)
ROUTINE(base64_decoding, char, nothing, decode_base64, nothing)

static void add_macs(void) {
    add(CPB_MAC, &crypto_auth_hmacsha256_routine, name("hmac-sha256"), name("auth_hmacsha256"),
        32, 0, 32);
    add(CPB_MAC, &crypto_auth_hmacsha512_routine, name("hmac-sha512"), name("auth_hmacsha512"),
        32, 0, 64);
    /* This is not HMAC of SHA-512/256 but the first half of HMAC of SHA-512. */
    add(CPB_MAC, &crypto_auth_hmacsha512256_routine, name("hmac-sha512-half"),
        name("auth_hmacsha512256"), 32, 0, 32);
    add(CPB_MAC, &crypto_onetimeauth_routine, name("poly1305"), name("onetimeauth"), 32, 0, 16);
    add(CPB_MAC, &keyed_generichash, name("keyed-blake2b-512"), name("generichash"), 32, 0, 64);
    add(CPB_MAC, &crypto_shorthash_siphash24_routine, name("siphash-2-4"),
        name("shorthash_siphash24"), 16, 0, 8);
    add(CPB_MAC, &crypto_shorthash_siphashx24_routine, name("siphash-2-4-128"),
        name("shorthash_siphashx24"), 16, 0, 16);
}

static void add_streams(void) {
    static const struct {
        const struct routine *routine;
        const char *primitive, *spelling;
        uint32_t nonce_bytes;
    } streams[] = {
        {&chacha20_ietf, "chacha20", "stream_chacha20_ietf", 12},
        {&chacha20, "chacha20-djb", "stream_chacha20", 8},
        {&xchacha20, "xchacha20", "stream_xchacha20", 24},
        {&salsa20, "salsa20", "stream_salsa20", 8},
        {&salsa2012, "salsa20-12", "stream_salsa2012", 8},
        {&salsa208, "salsa20-8", "stream_salsa208", 8},
        {&xsalsa20, "xsalsa20", "stream_xsalsa20", 24},
    };
    for (size_t i = 0; i < LENGTH_OF(streams); i++) {
        add_cipher(streams[i].routine, streams[i].routine, name("%s", streams[i].primitive),
                   name("%s", streams[i].spelling), 32, streams[i].nonce_bytes);
    }
}

static void add_aeads(void) {
    add_aead(&chacha20poly1305_ietf_seal, &chacha20poly1305_ietf_open, name("chacha20-poly1305"),
             name("aead_chacha20poly1305_ietf"), 32, 12, 16);
    /* This is the construction before RFC 8439, with another nonce length and another
     * order of the lengths. */
    add_aead(&chacha20poly1305_seal, &chacha20poly1305_open, name("chacha20-poly1305-djb"),
             name("aead_chacha20poly1305"), 32, 8, 16);
    add_aead(&xchacha20poly1305_ietf_seal, &xchacha20poly1305_ietf_open,
             name("xchacha20-poly1305"), name("aead_xchacha20poly1305_ietf"), 32, 24, 16);
    if (crypto_aead_aes256gcm_is_available()) {
        add_aead(&aes256gcm_seal, &aes256gcm_open, name("aes-256-gcm"), name("aead_aes256gcm"),
                 32, 12, 16);
    }
    add_secretbox(&secretbox_seal, &secretbox_open, "xsalsa20-poly1305-secretbox", "secretbox");
    add_secretbox(&secretbox_xchacha20poly1305_seal, &secretbox_xchacha20poly1305_open,
                  "xchacha20-poly1305-secretbox", "secretbox_xchacha20poly1305");
}

static void add_offers(void) {
    if (sodium_init() < 0) return;
    add(CPB_HASH, &sha256, name("sha256"), name("hash_sha256"), 0, 0, 32);
    add(CPB_HASH, &sha512, name("sha512"), name("hash_sha512"), 0, 0, 64);
    add(CPB_HASH, &generichash, name("blake2b-512"), name("generichash"), 0, 0, 64);
    add_macs();
    add_streams();
    add_aeads();
    add_argon2(&argon2i, "argon2i-m1024-p1", "pwhash_argon2i 1 MiB");
    add_argon2(&argon2id, "argon2id-m1024-p1", "pwhash_argon2id 1 MiB");
    add(CPB_DERIVE, &scrypt_16384_8_1, name("scrypt-16384-8-1"),
        name("pwhash_scryptsalsa208sha256 16384 8 1"), 16, 16, 0);
    add(CPB_DERIVE, &scrypt_1024_8, name("scrypt-1024-8"),
        name("pwhash_scryptsalsa208sha256 1024 8"), 16, 16, 0);
    /* The texts end with a zero byte. */
    add_codec(&base16_encoding, &base16_decoding, "base16", "hex")->overhang = 1;
    add_codec(&base64_encoding, &base64_decoding, "base64", "base64")->overhang = 1;
}
