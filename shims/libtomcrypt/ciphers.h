/* Ciphers with and without a tag. */
#ifndef CPB_LIBTOMCRYPT_CIPHERS_H
#define CPB_LIBTOMCRYPT_CIPHERS_H

#define CIPHER (int)call->which
#define SCHEDULED call->in.key, (int)call->in.key_bytes
#define TEXT call->in.message, call->in.destination, call->in.message_bytes

/* Block ciphers in modes that keep their key. */

PART no_initial_value(struct call *call, symmetric_ECB *state) {}
#define MODE(mode, type, start, set_initial_value)                                               \
    PART mode##_begin(struct call *call, type *state) { expect(call, start); }                   \
    PART mode##_encrypt_message(struct call *call, type *state) {                                \
        set_initial_value;                                                                       \
        expect(call, mode##_encrypt(TEXT, state));                                               \
    }                                                                                            \
    PART mode##_decrypt_message(struct call *call, type *state) {                                \
        set_initial_value;                                                                       \
        expect(call, mode##_decrypt(TEXT, state));                                               \
    }                                                                                            \
    PART mode##_end(struct call *call, type *state) { mode##_done(state); }                      \
    ROUTINE(mode##_encryption, type, mode##_begin, mode##_encrypt_message, mode##_end)           \
    ROUTINE(mode##_decryption, type, mode##_begin, mode##_decrypt_message, mode##_end)
#define START(mode) mode##_start(CIPHER, call->in.nonce, SCHEDULED, 0, state)
#define SET(mode) expect(call, mode##_setiv(NONCE, state))
MODE(ecb, symmetric_ECB, ecb_start(CIPHER, SCHEDULED, 0, state), no_initial_value(call, state))
MODE(cbc, symmetric_CBC, START(cbc), SET(cbc))
MODE(cfb, symmetric_CFB, START(cfb), SET(cfb))
MODE(ofb, symmetric_OFB, START(ofb), SET(ofb))
MODE(ctr, symmetric_CTR,
     ctr_start(CIPHER, call->in.nonce, SCHEDULED, 0, CTR_COUNTER_BIG_ENDIAN, state), SET(ctr))

/* The tweak is advanced, so each call begins with a copy. */
#define BLOCK_BYTES 16
PART xts_begin(struct call *call, symmetric_xts *state) {
    const size_t half = call->in.key_bytes / 2;
    expect(call, xts_start(CIPHER, call->in.key, call->in.key + half, half, 0, state));
}
#define XTS(way)                                                                                 \
    PART xts_##way##_message(struct call *call, symmetric_xts *state) {                          \
        uint8_t tweak[BLOCK_BYTES];                                                              \
        memcpy(tweak, call->in.nonce, BLOCK_BYTES);                                              \
        expect(call, xts_##way(MESSAGE, call->in.destination, tweak, state));                    \
    }
XTS(encrypt)
XTS(decrypt)
PART xts_end(struct call *call, symmetric_xts *state) {
    xts_done(state);
}
ROUTINE(xts_encryption, symmetric_xts, xts_begin, xts_encrypt_message, xts_end)
ROUTINE(xts_decryption, symmetric_xts, xts_begin, xts_decrypt_message, xts_end)

/* Authenticated encryption. */

#define TAG_BYTES 16

PART check_tag(struct call *call, const uint8_t *tag) {
    expect(call, mem_neq(tag, call->in.tag, TAG_BYTES));
}

/* Modes that keep their key. */
#define KEYED_AEAD(mode, begin, add_nonce, encrypts, decrypts)                                   \
    PART mode##_begin(struct call *call, mode##_state *state) { expect(call, begin); }           \
    PART mode##_pass(struct call *call, mode##_state *state, uint8_t *plain, uint8_t *sealed,    \
                     int way, uint8_t *tag) {                                                    \
        unsigned long room = TAG_BYTES;                                                          \
        expect(call, mode##_reset(state));                                                       \
        expect(call, add_nonce(state, NONCE));                                                   \
        expect(call, mode##_add_aad(state, AAD));                                                \
        expect(call, mode##_process(state, plain, call->in.message_bytes, sealed, way));         \
        expect(call, mode##_done(state, tag, &room));                                            \
    }                                                                                            \
    PART mode##_seal(struct call *call, mode##_state *state) {                                   \
        mode##_pass(call, state, call->in.message, call->in.destination, encrypts, TAG_BEHIND);  \
    }                                                                                            \
    PART mode##_open(struct call *call, mode##_state *state) {                                   \
        uint8_t tag[TAG_BYTES];                                                                  \
        mode##_pass(call, state, call->in.destination, call->in.message, decrypts, tag);         \
        check_tag(call, tag);                                                                    \
    }                                                                                            \
    ROUTINE(mode##_sealing, mode##_state, mode##_begin, mode##_seal, nothing)                    \
    ROUTINE(mode##_opening, mode##_state, mode##_begin, mode##_open, nothing)
KEYED_AEAD(gcm, gcm_init(state, CIPHER, SCHEDULED), gcm_add_iv, GCM_ENCRYPT, GCM_DECRYPT)
/* The state holds the lengths of the message and the associated data. */
KEYED_AEAD(ccm,
           ccm_init(state, CIPHER, SCHEDULED, (int)call->in.message_bytes, TAG_BYTES,
                    (int)call->in.aad_bytes),
           ccm_add_nonce, CCM_ENCRYPT, CCM_DECRYPT)

/* Modes whose object serves one message. */
#define IN_ONE(mode, seal, open)                                                                 \
    PART mode##_seal(struct call *call, void *state) {                                           \
        unsigned long room = call->in.output_bytes - call->in.message_bytes;                     \
        expect(call, seal(CIPHER, KEY, NONCE, AAD, MESSAGE, call->in.destination, TAG_BEHIND,    \
                          &room));                                                               \
    }                                                                                            \
    PART mode##_open(struct call *call, void *state) {                                           \
        int is_right = 0;                                                                        \
        expect(call, open(CIPHER, KEY, NONCE, AAD, MESSAGE, call->in.destination,                \
                          (uint8_t *)call->in.tag, call->in.tag_bytes, &is_right));              \
        expect(call, !is_right);                                                                 \
    }                                                                                            \
    ROUTINE(mode##_sealing, char, nothing, mode##_seal, nothing)                                 \
    ROUTINE(mode##_opening, char, nothing, mode##_open, nothing)
IN_ONE(eax, eax_encrypt_authenticate_memory, eax_decrypt_verify_memory)
IN_ONE(ocb3, ocb3_encrypt_authenticate_memory, ocb3_decrypt_verify_memory)

struct chachapoly {
    chacha20poly1305_state keyed, used;
};
PART chachapoly_begin(struct call *call, struct chachapoly *state) {
    expect(call, chacha20poly1305_init(&state->keyed, KEY));
}
#define CHACHAPOLY(way, tag)                                                                     \
    unsigned long room = TAG_BYTES;                                                              \
    state->used = state->keyed;                                                                  \
    expect(call, chacha20poly1305_setiv(&state->used, NONCE));                                   \
    if (call->in.aad_bytes != 0) expect(call, chacha20poly1305_add_aad(&state->used, AAD));      \
    expect(call, chacha20poly1305_##way(&state->used, MESSAGE, call->in.destination));           \
    expect(call, chacha20poly1305_done(&state->used, tag, &room));
PART chachapoly_seal(struct call *call, struct chachapoly *state) {
    CHACHAPOLY(encrypt, TAG_BEHIND)
}
PART chachapoly_open(struct call *call, struct chachapoly *state) {
    uint8_t tag[TAG_BYTES];
    CHACHAPOLY(decrypt, tag)
    check_tag(call, tag);
}
ROUTINE(chachapoly_sealing, struct chachapoly, chachapoly_begin, chachapoly_seal, nothing)
ROUTINE(chachapoly_opening, struct chachapoly, chachapoly_begin, chachapoly_open, nothing)

/* The library pads associated data when a message begins, and so not if there is
 * none: the tag of associated data alone is wrong, and CPB_AUTH is not offered. */
static bool is_aad_alone(struct call *call) {
    return call->in.message_bytes == 0 && call->in.aad_bytes != 0 &&
           refuse(call, "libtomcrypt's chacha20poly1305 is wrong for associated data alone");
}

/* Stream ciphers. */

PART chacha_begin(struct call *call, chacha_state *state) {
    expect(call, chacha_setup(state, KEY, 20));
}
PART chacha_message(struct call *call, chacha_state *state) {
    expect(call, chacha_ivctr32(state, NONCE, 0));
    expect(call, chacha_crypt(state, MESSAGE, call->in.destination));
}
PART chacha_djb_message(struct call *call, chacha_state *state) {
    expect(call, chacha_ivctr64(state, NONCE, 0));
    expect(call, chacha_crypt(state, MESSAGE, call->in.destination));
}
ROUTINE(chacha, chacha_state, chacha_begin, chacha_message, nothing)
ROUTINE(chacha_djb, chacha_state, chacha_begin, chacha_djb_message, nothing)

/* RC4's state is its key schedule, which is copied to restart it. */
struct rc4 {
    rc4_state keyed, used;
};
PART rc4_begin(struct call *call, struct rc4 *state) {
    expect(call, rc4_stream_setup(&state->keyed, KEY));
}
PART rc4_message(struct call *call, struct rc4 *state) {
    state->used = state->keyed;
    expect(call, rc4_stream_crypt(&state->used, MESSAGE, call->in.destination));
}
ROUTINE(rc4, struct rc4, rc4_begin, rc4_message, nothing)

/* Offers. */

static const struct mode {
    const char *name;
    const struct routine *encryption, *decryption;
    bool whole_blocks, has_initial_value;
} modes[] = {
    {"ecb", &ecb_encryption, &ecb_decryption, true, false},
    {"cbc", &cbc_encryption, &cbc_decryption, true, true},
    {"cfb", &cfb_encryption, &cfb_decryption, false, true},
    {"ofb", &ofb_encryption, &ofb_decryption, false, true},
    {"ctr", &ctr_encryption, &ctr_decryption, false, true},
};

static const struct aead {
    const char *name;
    const struct routine *sealing, *opening;
    uint32_t nonce_bytes;
} aeads[] = {
    {"gcm", &gcm_sealing, &gcm_opening, 12},
    {"ccm", &ccm_sealing, &ccm_opening, 12},
    {"eax", &eax_sealing, &eax_opening, 16},
    {"ocb", &ocb3_sealing, &ocb3_opening, 12},
};

/* The library's own names, and the offered key lengths in bits; names with only one
 * length have none. Other lengths that it accepts are not offered. Skipjack is left
 * out, because other libraries take its bytes in another order. */
static const struct cipher {
    const char *own, *primitive;
    uint32_t bits[3];
    bool has_bits;
} ciphers[] = {
    {"aes", "aes", {128, 192, 256}, true},      {"twofish", "twofish", {128, 192, 256}, true},
    {"camellia", "camellia", {128, 192, 256}, true}, {"rc6", "rc6", {128, 192, 256}, true},
    {"anubis", "anubis", {128, 192, 256}, true}, {"blowfish", "blowfish", {128}, true},
    {"rc2", "rc2", {128}, true},                {"rc5", "rc5", {128}, true},
    {"cast5", "cast5", {128}, true},            {"xtea", "xtea", {128}, true},
    {"kasumi", "kasumi", {128}, true},          {"khazad", "khazad", {128}, true},
    {"safer+", "safer-plus", {128}, true},
    /* Noekeon is used in direct mode; other libraries use its indirect mode. */
    {"noekeon", "noekeon-direct", {128}, false}, {"seed", "seed", {128}, false},
    {"des", "des", {64}, false},                {"3des", "3des", {192}, false},
};

static void add_mode(const struct mode *mode, int index, struct name cipher, uint32_t key_bytes) {
    const uint32_t block = (uint32_t)cipher_descriptor[index].block_length;
    const size_t first = offers_count;
    add_cipher(mode->encryption, mode->decryption, name("%s-%s", cipher.text, mode->name),
               name("%s %s", mode->name, cipher.text), key_bytes,
               mode->has_initial_value ? block : 0);
    for (size_t i = first; i < offers_count; i++) {
        offers[i].which = index;
        if (mode->whole_blocks) offers[i].shown.granularity = block;
    }
}

static void add_wide_modes(int index, struct name cipher, uint32_t key_bytes) {
    static const struct mode xts = {"xts", &xts_encryption, &xts_decryption, true, true};
    /* XTS takes two keys, which a cipher's name does not show. */
    if (key_bytes != 24) add_mode(&xts, index, cipher, 2 * key_bytes);
    for (size_t i = 0; i < LENGTH_OF(aeads); i++) {
        const size_t first = offers_count;
        add_aead(aeads[i].sealing, aeads[i].opening, name("%s-%s", cipher.text, aeads[i].name),
                 name("%s %s", aeads[i].name, cipher.text), key_bytes, aeads[i].nonce_bytes,
                 TAG_BYTES);
        for (size_t added = first; added < offers_count; added++) offers[added].which = index;
    }
}

static void add_ciphers(void) {
    for (size_t i = 0; i < LENGTH_OF(ciphers); i++) {
        const struct cipher *it = &ciphers[i];
        const int index = find_cipher(it->own);
        if (index < 0) continue;
        const uint32_t block = (uint32_t)cipher_descriptor[index].block_length;
        for (size_t j = 0; j < LENGTH_OF(it->bits) && it->bits[j] != 0; j++) {
            const uint32_t key_bytes = it->bits[j] / 8;
            const struct name cipher = it->has_bits ? name("%s-%u", it->primitive, it->bits[j])
                                                    : name("%s", it->primitive);
            for (size_t k = 0; k < LENGTH_OF(modes); k++) {
                add_mode(&modes[k], index, cipher, key_bytes);
            }
            add(CPB_MAC, &omac_routine, name("cmac-%s", cipher.text), name("omac %s", cipher.text),
                key_bytes, 0, block)
                ->which = index;
            if (block == BLOCK_BYTES) add_wide_modes(index, cipher, key_bytes);
        }
    }
    add_cipher(&chacha, &chacha, name("chacha20"), name("chacha ivctr32"), 32, 12);
    add_cipher(&chacha_djb, &chacha_djb, name("chacha20-djb"), name("chacha ivctr64"), 32, 8);
    add_cipher(&rc4, &rc4, name("rc4-128"), name("rc4_stream"), 16, 0);
    add(CPB_SEAL, &chachapoly_sealing, name("chacha20-poly1305"), name("chacha20poly1305"), 32, 12,
        TAG_BYTES)
        ->refuses = is_aad_alone;
    add(CPB_OPEN, &chachapoly_opening, name("chacha20-poly1305"), name("chacha20poly1305"), 32, 12,
        TAG_BYTES)
        ->refuses = is_aad_alone;
}

#endif
