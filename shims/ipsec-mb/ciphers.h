/* Ciphers with and without a tag. */
#ifndef CPB_IPSEC_MB_CIPHERS_H
#define CPB_IPSEC_MB_CIPHERS_H

static void expand_aes(IMB_MGR *manager, const uint8_t *key, size_t bytes, uint8_t *encryption,
                       uint8_t *decryption) {
    if (bytes == 16) IMB_AES_KEYEXP_128(manager, key, encryption, decryption);
    if (bytes == 24) IMB_AES_KEYEXP_192(manager, key, encryption, decryption);
    if (bytes == 32) IMB_AES_KEYEXP_256(manager, key, encryption, decryption);
}

static void expand_des(IMB_MGR *manager, struct state *state, const uint8_t *key, size_t bytes) {
    for (size_t i = 0; i < bytes / 8; i++) {
        IMB_DES_KEYSCHED(manager, state->des[i], key + 8 * i);
        state->des_keys[i] = state->des[i];
    }
}

/* Copies a key of 32 bytes to a longer buffer, because the AVX2 code reads 16 bytes
 * beyond it. */
static const uint8_t *padded_key(const struct call *call, struct state *state) {
    memcpy(state->encryption, call->in.key, call->in.key_bytes);
    return state->encryption;
}

/* Sets the parts of a job that every cipher has. */
static void begin_job(const struct call *call, struct state *state) {
    const IMB_CIPHER_MODE mode = MODE_OF(call->which);
    IMB_JOB *job = &state->job;
    job->cipher_mode = mode;
    job->hash_alg = HASH_OF(call->which);
    job->cipher_direction = DIRECTION_OF(call->which);
    job->key_len_in_bytes = call->in.key_bytes;
    job->src = call->in.message;
    job->dst = call->in.destination;
    job->iv = call->in.nonce;
    job->iv_len_in_bytes = call->in.nonce_bytes;
    job->msg_len_to_cipher_in_bytes = call->in.message_bytes;
    job->enc_keys = state->encryption;
    job->dec_keys = state->decryption;
    if (mode == IMB_CIPHER_DES || mode == IMB_CIPHER_DES3) {
        expand_des(MANAGER, state, call->in.key, call->in.key_bytes);
        const bool is_one = mode == IMB_CIPHER_DES;
        job->enc_keys = job->dec_keys =
            is_one ? (const void *)state->des[0] : (const void *)state->des_keys;
    } else if (mode == IMB_CIPHER_CHACHA20_POLY1305) {
        job->enc_keys = job->dec_keys = padded_key(call, state);
    } else {
        expand_aes(MANAGER, call->in.key, call->in.key_bytes, state->encryption,
                   state->decryption);
    }
}

PART cipher_begin(struct call *call, struct state *state) {
    begin_job(call, state);
    state->job.chain_order = IMB_ORDER_CIPHER_HASH;
}
ROUTINE(cipher, struct state, cipher_begin, run_job, nothing)

/* CCM computes its tag over the message, ChaCha20-Poly1305 over the ciphertext, and the
 * order must say so. */
PART aead_begin(struct call *call, struct state *state) {
    begin_job(call, state);
    IMB_JOB *job = &state->job;
    const bool is_ccm = job->cipher_mode == IMB_CIPHER_CCM;
    const bool seals = job->cipher_direction == IMB_DIR_ENCRYPT;
    job->chain_order = seals == is_ccm ? IMB_ORDER_HASH_CIPHER : IMB_ORDER_CIPHER_HASH;
    job->msg_len_to_hash_in_bytes = call->in.message_bytes;
    job->auth_tag_output = seals ? TAG_BEHIND : state->tag;
    job->auth_tag_output_len_in_bytes = TAG_BYTES;
    if (is_ccm) {
        job->u.CCM.aad = call->in.aad;
        job->u.CCM.aad_len_in_bytes = call->in.aad_bytes;
    } else {
        job->u.CHACHA20_POLY1305.aad = call->in.aad;
        job->u.CHACHA20_POLY1305.aad_len_in_bytes = call->in.aad_bytes;
    }
}
PART aead_open(struct call *call, struct state *state) {
    run_job(call, state);
    expect(call, differ(state->tag, call->in.tag, TAG_BYTES));
}
ROUTINE(sealing, struct state, aead_begin, run_job, nothing)
ROUTINE(opening, struct state, aead_begin, aead_open, nothing)

/* GCM has functions that take one message. */
#define GCM(bits)                                                                                \
    PART gcm##bits##_begin(struct call *call, struct state *state) {                             \
        IMB_AES##bits##_GCM_PRE(MANAGER, call->in.key, &state->gcm);                             \
    }                                                                                            \
    PART gcm##bits##_seal(struct call *call, struct state *state) {                              \
        MANAGER->gcm##bits##_enc(&state->gcm, &state->context, call->in.destination, MESSAGE,    \
                                 call->in.nonce, AAD, TAG_BEHIND, TAG_BYTES);                    \
    }                                                                                            \
    PART gcm##bits##_open(struct call *call, struct state *state) {                              \
        MANAGER->gcm##bits##_dec(&state->gcm, &state->context, call->in.destination, MESSAGE,    \
                                 call->in.nonce, AAD, state->tag, TAG_BYTES);                    \
        expect(call, differ(state->tag, call->in.tag, TAG_BYTES));                               \
    }                                                                                            \
    ROUTINE(gcm##bits##_sealing, struct state, gcm##bits##_begin, gcm##bits##_seal, nothing)     \
    ROUTINE(gcm##bits##_opening, struct state, gcm##bits##_begin, gcm##bits##_open, nothing)
GCM(128)
GCM(192)
GCM(256)

static void add_mode(IMB_CIPHER_MODE mode, const char *primitive, const char *spelling,
                     uint32_t key_bytes, uint32_t nonce_bytes, uint32_t granularity) {
    const size_t first = offers_count;
    add_cipher(&cipher, &cipher, name("%s", primitive), name("%s", spelling), key_bytes,
               nonce_bytes);
    for (size_t i = first; i < offers_count; i++) {
        const bool encrypts = offers[i].shown.operation == CPB_ENCRYPT;
        offers[i].which =
            KIND(mode, IMB_AUTH_NULL, encrypts ? IMB_DIR_ENCRYPT : IMB_DIR_DECRYPT);
        offers[i].shown.granularity = granularity;
        offers[i].refuses = encrypts && mode != IMB_CIPHER_CNTR ? does_not_fit : is_empty;
    }
}

static void add_sealing(IMB_CIPHER_MODE mode, IMB_HASH_ALG hash, const char *primitive,
                        const char *spelling, uint32_t key_bytes, uint64_t longest_aad) {
    struct offer *both[] = {
        add(CPB_SEAL, &sealing, name("%s", primitive), name("%s", spelling), key_bytes, 12,
            TAG_BYTES),
        add(CPB_OPEN, &opening, name("%s", primitive), name("%s", spelling), key_bytes, 12,
            TAG_BYTES),
    };
    for (size_t i = 0; i < LENGTH_OF(both); i++) {
        both[i]->which = KIND(mode, hash, i == 0 ? IMB_DIR_ENCRYPT : IMB_DIR_DECRYPT);
        set_length(both[i], CPB_AAD, 0, 0, longest_aad);
        if (mode == IMB_CIPHER_CCM) both[i]->refuses = is_too_long;
    }
}

static void add_ciphers(void) {
    for (uint32_t bits = 128; bits <= 256; bits += 64) {
        const uint32_t key_bytes = bits / 8;
        add_mode(IMB_CIPHER_ECB, name("aes-%u-ecb", bits).text, name("ECB AES-%u", bits).text,
                 key_bytes, 0, BLOCK_BYTES);
        add_mode(IMB_CIPHER_CBC, name("aes-%u-cbc", bits).text, name("CBC AES-%u", bits).text,
                 key_bytes, BLOCK_BYTES, BLOCK_BYTES);
        add_mode(IMB_CIPHER_CNTR, name("aes-%u-ctr", bits).text, name("CNTR AES-%u", bits).text,
                 key_bytes, BLOCK_BYTES, 1);
    }
    add_mode(IMB_CIPHER_DES, "des-cbc", "DES", 8, 8, 8);
    add_mode(IMB_CIPHER_DES3, "3des-cbc", "DES3", 24, 8, 8);
    add_aead(&gcm128_sealing, &gcm128_opening, name("aes-128-gcm"), name("AES128_GCM"), 16, 12, 16);
    add_aead(&gcm192_sealing, &gcm192_opening, name("aes-192-gcm"), name("AES192_GCM"), 24, 12, 16);
    add_aead(&gcm256_sealing, &gcm256_opening, name("aes-256-gcm"), name("AES256_GCM"), 32, 12, 16);
    add_sealing(IMB_CIPHER_CCM, IMB_AUTH_AES_CCM, "aes-128-ccm", "CCM AES-128", 16,
                LONGEST_CCM_AAD);
    add_sealing(IMB_CIPHER_CCM, IMB_AUTH_AES_CCM, "aes-256-ccm", "CCM AES-256", 32,
                LONGEST_CCM_AAD);
    add_sealing(IMB_CIPHER_CHACHA20_POLY1305, IMB_AUTH_CHACHA20_POLY1305, "chacha20-poly1305",
                "CHACHA20_POLY1305", 32, CPB_ANY);
}

#endif
