/* Offers BearSSL as a provider of cpb_provider.h. It has several implementations of
 * most primitives, which are the backends here; the default is the one that its own
 * TLS would choose.
 *
 * Its ciphers work in place. A call must not change the message, so each call copies
 * it first, and the copy is timed with the rest. */
#define _GNU_SOURCE
#define ONLY_LISTS
#define LIBRARY "bearssl"
#include "shim.h"

#include <bearssl.h>
#include <dlfcn.h>

/* The library states no version; this is that of its file, as in libbearssl.so.0.6. */
static const char *version(void) {
    static char text[32] = "unknown";
    Dl_info file;
    if (dladdr((void *)(uintptr_t)br_sha256_init, &file) == 0) return text;
    char *path = realpath(file.dli_fname, NULL);
    const char *ending = path != NULL ? strstr(path, ".so.") : NULL;
    if (ending != NULL) snprintf(text, sizeof text, "%s", ending + strlen(".so."));
    free(path);
    return text;
}

static const char *code_path(void) { return NULL; }

/* Hashes and what is built from them. */

PART hash_message(struct call *call, br_hash_compat_context *state) {
    const br_hash_class *hash = call->how;
    hash->init(&state->vtable);
    hash->update(&state->vtable, MESSAGE);
    hash->out(&state->vtable, call->in.destination);
}
ROUTINE(hash, br_hash_compat_context, nothing, hash_message, nothing)

struct hmac {
    br_hmac_key_context key;
    br_hmac_context used;
};
PART hmac_begin(struct call *call, struct hmac *state) {
    br_hmac_key_init(&state->key, call->how, KEY);
}
PART hmac_message(struct call *call, struct hmac *state) {
    br_hmac_init(&state->used, &state->key, 0);
    br_hmac_update(&state->used, MESSAGE);
    br_hmac_out(&state->used, call->in.destination);
}
ROUTINE(hmac, struct hmac, hmac_begin, hmac_message, nothing)

PART hkdf_derive(struct call *call, br_hkdf_context *state) {
    br_hkdf_init(state, call->how, NONCE);
    br_hkdf_inject(state, KEY);
    br_hkdf_flip(state);
    br_hkdf_produce(state, AAD, OUTPUT);
}
ROUTINE(hkdf, br_hkdf_context, nothing, hkdf_derive, nothing)

static void add_hash(const br_hash_class *how, const char *primitive) {
    const uint32_t bytes = (how->desc >> BR_HASHDESC_OUT_OFF) & BR_HASHDESC_OUT_MASK;
    add(CPB_HASH, &hash, name("%s", primitive), name("%s", primitive), 0, 0, bytes)->how = how;
    add(CPB_MAC, &hmac, name("hmac-%s", primitive), name("hmac %s", primitive), 32, 0, bytes)
        ->how = how;
    add_hkdf(&hkdf, name("hkdf-%s", primitive), name("hkdf %s", primitive), bytes)->how = how;
}

/* AES and DES in all their implementations. */

#define BLOCK_BYTES 16
#define TAG_BYTES 16

struct block_cipher {
    const char *backend, *with_ghash;
    const br_block_cbcenc_class *cbc_encryption;
    const br_block_cbcdec_class *cbc_decryption;
    const br_block_ctr_class *ctr;
    const br_block_ctrcbc_class *both; /* CTR and CBC-MAC */
    br_ghash ghash;
};

PART copy_message(struct call *call) {
    memcpy(call->in.destination, call->in.message, call->in.message_bytes);
}

#define CBC(way, keys_type)                                                                      \
    union cbc_##way {                                                                            \
        const br_block_##way##_class *vtable;                                                    \
        keys_type aes;                                                                           \
        br_des_gen_##way##_keys des;                                                             \
    };                                                                                           \
    PART way##_begin(struct call *call, union cbc_##way *state) {                                \
        const br_block_##way##_class *cipher = call->how;                                        \
        cipher->init(&state->vtable, KEY);                                                       \
    }                                                                                            \
    PART way##_message(struct call *call, union cbc_##way *state) {                              \
        uint8_t iv[BLOCK_BYTES];                                                                 \
        memcpy(iv, call->in.nonce, call->in.nonce_bytes);                                        \
        copy_message(call);                                                                      \
        state->vtable->run(&state->vtable, iv, call->in.destination, call->in.message_bytes);    \
    }                                                                                            \
    ROUTINE(way, union cbc_##way, way##_begin, way##_message, nothing)
CBC(cbcenc, br_aes_gen_cbcenc_keys)
CBC(cbcdec, br_aes_gen_cbcdec_keys)

/* The library takes the counter apart from the nonce; it has 32 bits. */
static inline uint32_t counter_of(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}
PART ctr_begin(struct call *call, br_aes_gen_ctr_keys *state) {
    const struct block_cipher *cipher = call->how;
    cipher->ctr->init(&state->vtable, KEY);
}
PART ctr_message(struct call *call, br_aes_gen_ctr_keys *state) {
    copy_message(call);
    state->vtable->run(&state->vtable, call->in.nonce, counter_of(call->in.nonce + 12),
                       call->in.destination, call->in.message_bytes);
}
ROUTINE(ctr, br_aes_gen_ctr_keys, ctr_begin, ctr_message, nothing)

struct gcm {
    br_aes_gen_ctr_keys key;
    br_gcm_context context;
};
PART gcm_begin(struct call *call, struct gcm *state) {
    const struct block_cipher *cipher = call->how;
    cipher->ctr->init(&state->key.vtable, KEY);
    br_gcm_init(&state->context, &state->key.vtable, cipher->ghash);
}
struct eax {
    br_aes_gen_ctrcbc_keys key;
    br_eax_context context;
};
PART eax_begin(struct call *call, struct eax *state) {
    const struct block_cipher *cipher = call->how;
    cipher->both->init(&state->key.vtable, KEY);
    br_eax_init(&state->context, &state->key.vtable);
}
struct ccm {
    br_aes_gen_ctrcbc_keys key;
    br_ccm_context context;
};
PART ccm_begin(struct call *call, struct ccm *state) {
    const struct block_cipher *cipher = call->how;
    cipher->both->init(&state->key.vtable, KEY);
    br_ccm_init(&state->context, &state->key.vtable);
}
#define RESET(mode) br_##mode##_reset(&state->context, NONCE)
#define RESET_CCM                                                                                \
    expect(call, !br_ccm_reset(&state->context, NONCE, call->in.aad_bytes,                       \
                               call->in.message_bytes, TAG_BYTES))
#define AEAD(mode, reset)                                                                        \
    PART mode##_pass(struct call *call, struct mode *state, int encrypts) {                      \
        reset;                                                                                   \
        br_##mode##_aad_inject(&state->context, AAD);                                            \
        br_##mode##_flip(&state->context);                                                       \
        copy_message(call);                                                                      \
        br_##mode##_run(&state->context, encrypts, call->in.destination,                         \
                        call->in.message_bytes);                                                 \
    }                                                                                            \
    PART mode##_seal(struct call *call, struct mode *state) {                                    \
        mode##_pass(call, state, 1);                                                             \
        br_##mode##_get_tag(&state->context, TAG_BEHIND);                                        \
    }                                                                                            \
    PART mode##_open(struct call *call, struct mode *state) {                                    \
        mode##_pass(call, state, 0);                                                             \
        expect(call, !br_##mode##_check_tag(&state->context, call->in.tag));                     \
    }                                                                                            \
    ROUTINE(mode##_sealing, struct mode, mode##_begin, mode##_seal, nothing)                     \
    ROUTINE(mode##_opening, struct mode, mode##_begin, mode##_open, nothing)
AEAD(gcm, RESET(gcm))
AEAD(eax, RESET(eax))
AEAD(ccm, RESET_CCM)

/* ChaCha20 and Poly1305, in functions without an object. */

struct chacha {
    const char *backend, *with_poly1305;
    br_chacha20_run chacha20;
    br_poly1305_run poly1305;
};
PART chacha_message(struct call *call, void *state) {
    const struct chacha *how = call->how;
    copy_message(call);
    how->chacha20(call->in.key, call->in.nonce, 0, call->in.destination, call->in.message_bytes);
}
ROUTINE(chacha, char, nothing, chacha_message, nothing)

PART chachapoly_seal(struct call *call, void *state) {
    const struct chacha *how = call->how;
    copy_message(call);
    how->poly1305(call->in.key, call->in.nonce, call->in.destination, call->in.message_bytes, AAD,
                  TAG_BEHIND, how->chacha20, 1);
}
PART chachapoly_open(struct call *call, void *state) {
    const struct chacha *how = call->how;
    uint8_t tag[TAG_BYTES];
    copy_message(call);
    how->poly1305(call->in.key, call->in.nonce, call->in.destination, call->in.message_bytes, AAD,
                  tag, how->chacha20, 0);
    expect(call, differ(tag, call->in.tag, TAG_BYTES));
}
ROUTINE(chachapoly_sealing, char, nothing, chachapoly_seal, nothing)
ROUTINE(chachapoly_opening, char, nothing, chachapoly_open, nothing)

/* Offers. */

/* Gives the offers added since `first` their backend; the first of several backends is
 * the default. */
static void complete(size_t first, const char *backend, const void *how) {
    for (size_t i = first; i < offers_count; i++) {
        offers[i].how = how;
        offers[i].shown.backend = backend;
        for (size_t j = 0; j < first && offers[i].shown.is_default; j++) {
            offers[i].shown.is_default = strcmp(offers[j].primitive, offers[i].primitive) != 0;
        }
    }
}

static void add_cbc(const char *primitive, const char *backend, uint32_t key_bytes,
                    uint32_t block, const br_block_cbcenc_class *encryption,
                    const br_block_cbcdec_class *decryption) {
    const size_t first = offers_count;
    add_cipher(&cbcenc, &cbcdec, name("%s", primitive), name("%s", primitive), key_bytes, block);
    complete(first, backend, encryption);
    offers[first + 1].how = decryption;
    offers[first].shown.granularity = offers[first + 1].shown.granularity = block;
}

static void add_aes(const struct block_cipher *aes) {
    for (uint32_t bits = 128; bits <= 256; bits += 64) {
        add_cbc(name("aes-%u-cbc", bits).text, aes->backend, bits / 8, BLOCK_BYTES,
                aes->cbc_encryption, aes->cbc_decryption);
        size_t first = offers_count;
        add_cipher(&ctr, &ctr, name("aes-%u-ctr", bits), name("aes-%u-ctr", bits), bits / 8,
                   BLOCK_BYTES);
        add_aead(&eax_sealing, &eax_opening, name("aes-%u-eax", bits), name("aes-%u-eax", bits),
                 bits / 8, 16, TAG_BYTES);
        add_aead(&ccm_sealing, &ccm_opening, name("aes-%u-ccm", bits), name("aes-%u-ccm", bits),
                 bits / 8, 12, TAG_BYTES);
        complete(first, aes->backend, aes);
        if (aes->ghash == NULL) continue;
        first = offers_count;
        add_aead(&gcm_sealing, &gcm_opening, name("aes-%u-gcm", bits), name("aes-%u-gcm", bits),
                 bits / 8, 12, TAG_BYTES);
        complete(first, aes->with_ghash, aes);
    }
}

#define AES(backend, with_ghash, ghash)                                                          \
    {#backend, with_ghash, &br_aes_##backend##_cbcenc_vtable, &br_aes_##backend##_cbcdec_vtable, \
     &br_aes_##backend##_ctr_vtable, &br_aes_##backend##_ctrcbc_vtable, ghash}

static void add_ciphers(void) {
    static struct block_cipher of_the_cpu[2];
    of_the_cpu[0] = (struct block_cipher){
        "x86ni", "x86ni-pclmul", br_aes_x86ni_cbcenc_get_vtable(),
        br_aes_x86ni_cbcdec_get_vtable(), br_aes_x86ni_ctr_get_vtable(),
        br_aes_x86ni_ctrcbc_get_vtable(), br_ghash_pclmul_get()};
    of_the_cpu[1] = (struct block_cipher){
        "pwr8", "pwr8", br_aes_pwr8_cbcenc_get_vtable(), br_aes_pwr8_cbcdec_get_vtable(),
        br_aes_pwr8_ctr_get_vtable(), br_aes_pwr8_ctrcbc_get_vtable(), br_ghash_pwr8_get()};
    static const struct block_cipher portable[] = {
        AES(ct64, "ct64-ctmul64", br_ghash_ctmul64), AES(ct, "ct-ctmul32", br_ghash_ctmul32),
        AES(big, "big-ctmul", br_ghash_ctmul),       AES(small, NULL, NULL),
    };
    for (size_t i = 0; i < LENGTH_OF(of_the_cpu); i++) {
        if (of_the_cpu[i].both != NULL) add_aes(&of_the_cpu[i]);
    }
    for (size_t i = 0; i < LENGTH_OF(portable); i++) add_aes(&portable[i]);
    add_cbc("3des-cbc", "ct", 24, 8, &br_des_ct_cbcenc_vtable, &br_des_ct_cbcdec_vtable);
    add_cbc("3des-cbc", "tab", 24, 8, &br_des_tab_cbcenc_vtable, &br_des_tab_cbcdec_vtable);
    add_cbc("des-cbc", "ct", 8, 8, &br_des_ct_cbcenc_vtable, &br_des_ct_cbcdec_vtable);
    add_cbc("des-cbc", "tab", 8, 8, &br_des_tab_cbcenc_vtable, &br_des_tab_cbcdec_vtable);
}

static void add_chacha(void) {
    static struct chacha with[4];
    const br_chacha20_run sse2 = br_chacha20_sse2_get();
    const br_chacha20_run best = sse2 != NULL ? sse2 : br_chacha20_ct_run;
    const char *backend = sse2 != NULL ? "sse2" : "ct";
    with[0] = (struct chacha){backend, sse2 != NULL ? "sse2-ctmulq" : "ct-ctmulq", best,
                              br_poly1305_ctmulq_get()};
    with[1] = (struct chacha){"ct", "ct-ctmul", br_chacha20_ct_run, br_poly1305_ctmul_run};
    with[2] = (struct chacha){NULL, "ct-ctmul32", br_chacha20_ct_run, br_poly1305_ctmul32_run};
    with[3] = (struct chacha){NULL, "ct-i15", br_chacha20_ct_run, br_poly1305_i15_run};
    for (size_t i = 0; i < LENGTH_OF(with); i++) {
        size_t first = offers_count;
        const bool is_another = i == 0 || with[i].chacha20 != with[0].chacha20;
        if (with[i].backend != NULL && is_another) {
            add_cipher(&chacha, &chacha, name("chacha20"), name("chacha20"), 32, 12);
            complete(first, with[i].backend, &with[i]);
        }
        if (with[i].poly1305 == NULL) continue;
        first = offers_count;
        add_aead(&chachapoly_sealing, &chachapoly_opening, name("chacha20-poly1305"),
                 name("chacha20-poly1305"), 32, 12, TAG_BYTES);
        complete(first, with[i].with_poly1305, &with[i]);
    }
}

static void add_offers(void) {
    add_hash(&br_md5_vtable, "md5");
    add_hash(&br_sha1_vtable, "sha1");
    add_hash(&br_md5sha1_vtable, "md5-sha1");
    add_hash(&br_sha224_vtable, "sha224");
    add_hash(&br_sha256_vtable, "sha256");
    add_hash(&br_sha384_vtable, "sha384");
    add_hash(&br_sha512_vtable, "sha512");
    add_ciphers();
    add_chacha();
}
