/* Ciphers with and without a tag. */
#ifndef CPB_WOLFSSL_CIPHERS_H
#define CPB_WOLFSSL_CIPHERS_H

#define CRYPT call->in.destination, call->in.message, (word32)call->in.message_bytes
#define KEYED call->in.key, (word32)call->in.key_bytes
#define INITIAL call->in.nonce, (word32)call->in.nonce_bytes
#define ASSOCIATED call->in.aad, (word32)call->in.aad_bytes

/* AES. */

PART aes_begin_encryption(struct call *call, Aes *state) {
    expect(call, wc_AesInit(state, NULL, INVALID_DEVID));
    expect(call, wc_AesSetKey(state, KEYED, NULL, AES_ENCRYPTION));
}
PART aes_begin_decryption(struct call *call, Aes *state) {
    expect(call, wc_AesInit(state, NULL, INVALID_DEVID));
    expect(call, wc_AesSetKey(state, KEYED, NULL, AES_DECRYPTION));
}
PART aes_end(struct call *call, Aes *state) {
    wc_AesFree(state);
}
/* Also discards what a message that ended inside a block left over. */
PART aes_set_initial_value(struct call *call, Aes *state) {
    if (call->in.nonce_bytes == 0) return;
    expect(call, wc_AesSetIV(state, call->in.nonce));
    state->left = 0;
}

#define AES(mode, encrypt, decrypt, inverse)                                                     \
    PART mode##_encrypt(struct call *call, Aes *state) {                                         \
        aes_set_initial_value(call, state);                                                      \
        expect(call, encrypt(state, CRYPT));                                                     \
    }                                                                                            \
    PART mode##_decrypt(struct call *call, Aes *state) {                                         \
        aes_set_initial_value(call, state);                                                      \
        expect(call, decrypt(state, CRYPT));                                                     \
    }                                                                                            \
    ROUTINE(mode##_encryption, Aes, aes_begin_encryption, mode##_encrypt, aes_end)               \
    ROUTINE(mode##_decryption, Aes, inverse, mode##_decrypt, aes_end)
AES(ecb, wc_AesEcbEncrypt, wc_AesEcbDecrypt, aes_begin_decryption)
AES(cbc, wc_AesCbcEncrypt, wc_AesCbcDecrypt, aes_begin_decryption)
AES(cfb, wc_AesCfbEncrypt, wc_AesCfbDecrypt, aes_begin_encryption)
AES(cfb8, wc_AesCfb8Encrypt, wc_AesCfb8Decrypt, aes_begin_encryption)
AES(ofb, wc_AesOfbEncrypt, wc_AesOfbDecrypt, aes_begin_encryption)
AES(ctr, wc_AesCtrEncrypt, wc_AesCtrEncrypt, aes_begin_encryption)

#define XTS(way, direction, crypt)                                                               \
    PART xts_begin_##way(struct call *call, XtsAes *state) {                                     \
        expect(call, wc_AesXtsSetKey(state, KEYED, direction, NULL, INVALID_DEVID));             \
    }                                                                                            \
    PART xts_##way##_message(struct call *call, XtsAes *state) {                                 \
        expect(call, crypt(state, CRYPT, INITIAL));                                              \
    }                                                                                            \
    ROUTINE(xts_##way, XtsAes, xts_begin_##way, xts_##way##_message, xts_end)
PART xts_end(struct call *call, XtsAes *state) {
    wc_AesXtsFree(state);
}
XTS(encryption, AES_ENCRYPTION, wc_AesXtsEncrypt)
XTS(decryption, AES_DECRYPTION, wc_AesXtsDecrypt)

#define TAG_BYTES 16
#define AES_AEAD(mode, set_key, encrypt, decrypt)                                                \
    PART mode##_begin(struct call *call, Aes *state) {                                           \
        expect(call, wc_AesInit(state, NULL, INVALID_DEVID));                                    \
        expect(call, set_key(state, KEYED));                                                     \
    }                                                                                            \
    PART mode##_seal(struct call *call, Aes *state) {                                            \
        expect(call, encrypt(state, CRYPT, INITIAL, TAG_BEHIND, TAG_BYTES, ASSOCIATED));         \
    }                                                                                            \
    PART mode##_open(struct call *call, Aes *state) {                                            \
        expect(call, decrypt(state, CRYPT, INITIAL, call->in.tag, TAG_BYTES, ASSOCIATED));       \
    }                                                                                            \
    ROUTINE(mode##_sealing, Aes, mode##_begin, mode##_seal, aes_end)                             \
    ROUTINE(mode##_opening, Aes, mode##_begin, mode##_open, aes_end)
AES_AEAD(gcm, wc_AesGcmSetKey, wc_AesGcmEncrypt, wc_AesGcmDecrypt)
AES_AEAD(ccm, wc_AesCcmSetKey, wc_AesCcmEncrypt, wc_AesCcmDecrypt)

PART gmac_begin(struct call *call, Gmac *state) {
    expect(call, wc_AesInit(&state->aes, NULL, INVALID_DEVID));
    expect(call, wc_GmacSetKey(state, KEYED));
}
PART gmac_message(struct call *call, Gmac *state) {
    expect(call, wc_GmacUpdate(state, INITIAL, call->in.message, (word32)call->in.message_bytes,
                               call->in.destination, TAG_BYTES));
}
PART gmac_end(struct call *call, Gmac *state) {
    wc_AesFree(&state->aes);
}
ROUTINE(gmac, Gmac, gmac_begin, gmac_message, gmac_end)

/* The modes of a block cipher. */
static const struct mode {
    const char *name;
    const struct routine *encryption, *decryption;
    uint32_t granularity, nonce_bytes;
} aes_modes[] = {
    {"ecb", &ecb_encryption, &ecb_decryption, 16, 0},
    {"cbc", &cbc_encryption, &cbc_decryption, 16, 16},
    {"cfb", &cfb_encryption, &cfb_decryption, 1, 16},
    {"cfb8", &cfb8_encryption, &cfb8_decryption, 1, 16},
    {"ofb", &ofb_encryption, &ofb_decryption, 1, 16},
    {"ctr", &ctr_encryption, &ctr_decryption, 1, 16},
};

static void add_mode(const struct mode *mode, struct name primitive, struct name spelling,
                     uint32_t key_bytes) {
    const size_t first = offers_count;
    add_cipher(mode->encryption, mode->decryption, primitive, spelling, key_bytes,
               mode->nonce_bytes);
    for (size_t i = first; i < offers_count; i++) offers[i].shown.granularity = mode->granularity;
}

static void add_aes(uint32_t bits) {
    for (size_t i = 0; i < LENGTH_OF(aes_modes); i++) {
        add_mode(&aes_modes[i], name("aes-%u-%s", bits, aes_modes[i].name),
                 name("AES-%u-%s", bits, aes_modes[i].name), bits / 8);
    }
    static const struct mode xts = {"xts", &xts_encryption, &xts_decryption, 16, 16};
    if (bits != 192) {
        add_mode(&xts, name("aes-%u-xts", bits), name("AES-%u-xts", bits), bits / 4);
    }
    add_aead(&gcm_sealing, &gcm_opening, name("aes-%u-gcm", bits), name("AES-%u-gcm", bits),
             bits / 8, 12, TAG_BYTES);
    add_aead(&ccm_sealing, &ccm_opening, name("aes-%u-ccm", bits), name("AES-%u-ccm", bits),
             bits / 8, 12, TAG_BYTES);
    add(CPB_MAC, &gmac, name("gmac-aes-%u", bits), name("GMAC AES-%u", bits), bits / 8, 12,
        TAG_BYTES);
}

/* Other block ciphers. */

#define DES3(way, direction)                                                                     \
    PART des3_begin_##way(struct call *call, Des3 *state) {                                      \
        expect(call, wc_Des3Init(state, NULL, INVALID_DEVID));                                   \
        expect(call, wc_Des3_SetKey(state, call->in.key, NULL, direction));                      \
    }
DES3(encryption, DES_ENCRYPTION)
DES3(decryption, DES_DECRYPTION)
PART des3_end(struct call *call, Des3 *state) {
    wc_Des3Free(state);
}
#define DES3_CBC(way, crypt)                                                                     \
    PART des3_cbc_##way##_message(struct call *call, Des3 *state) {                              \
        expect(call, wc_Des3_SetIV(state, call->in.nonce));                                      \
        expect(call, crypt(state, CRYPT));                                                       \
    }                                                                                            \
    ROUTINE(des3_cbc_##way, Des3, des3_begin_##way, des3_cbc_##way##_message, des3_end)
DES3_CBC(encryption, wc_Des3_CbcEncrypt)
DES3_CBC(decryption, wc_Des3_CbcDecrypt)

PART camellia_begin(struct call *call, Camellia *state) {
    expect(call, wc_CamelliaSetKey(state, KEYED, NULL));
}
#define CAMELLIA(way, cbc, direct)                                                               \
    PART camellia_cbc_##way##_message(struct call *call, Camellia *state) {                      \
        expect(call, wc_CamelliaSetIV(state, call->in.nonce));                                   \
        expect(call, cbc(state, CRYPT));                                                         \
    }                                                                                            \
    PART camellia_ecb_##way##_message(struct call *call, Camellia *state) {                      \
        for (size_t at = 0; at < call->in.message_bytes; at += CAMELLIA_BLOCK_SIZE)              \
            expect(call, direct(state, call->in.destination + at, call->in.message + at));       \
    }                                                                                            \
    ROUTINE(camellia_cbc_##way, Camellia, camellia_begin, camellia_cbc_##way##_message, nothing) \
    ROUTINE(camellia_ecb_##way, Camellia, camellia_begin, camellia_ecb_##way##_message, nothing)
CAMELLIA(encryption, wc_CamelliaCbcEncrypt, wc_CamelliaEncryptDirect)
CAMELLIA(decryption, wc_CamelliaCbcDecrypt, wc_CamelliaDecryptDirect)

static const struct mode des3_cbc = {"cbc", &des3_cbc_encryption, &des3_cbc_decryption, 8, 8};
static const struct mode camellia_modes[] = {
    {"ecb", &camellia_ecb_encryption, &camellia_ecb_decryption, 16, 0},
    {"cbc", &camellia_cbc_encryption, &camellia_cbc_decryption, 16, 16},
};

/* Stream ciphers. */

PART chacha_begin(struct call *call, ChaCha *state) { expect(call, wc_Chacha_SetKey(state, KEYED)); }
PART chacha_message(struct call *call, ChaCha *state) {
    expect(call, wc_Chacha_SetIV(state, call->in.nonce, 0));
    expect(call, wc_Chacha_Process(state, CRYPT));
}
ROUTINE(chacha, ChaCha, chacha_begin, chacha_message, nothing)

#ifdef HAVE_XCHACHA
/* The key of a message also depends on its nonce. */
PART xchacha_message(struct call *call, ChaCha *state) {
    expect(call, wc_XChacha_SetKey(state, KEYED, INITIAL, 0));
    expect(call, wc_Chacha_Process(state, CRYPT));
}
ROUTINE(xchacha, ChaCha, nothing, xchacha_message, nothing)
#endif

#ifndef NO_RC4
/* RC4's state is its key schedule, which is copied to restart it. */
struct arc4 {
    Arc4 keyed, used;
};
PART arc4_begin(struct call *call, struct arc4 *state) {
    expect(call, wc_Arc4Init(&state->keyed, NULL, INVALID_DEVID));
    expect(call, wc_Arc4SetKey(&state->keyed, KEYED));
}
PART arc4_message(struct call *call, struct arc4 *state) {
    state->used = state->keyed;
    expect(call, wc_Arc4Process(&state->used, CRYPT));
}
PART arc4_end(struct call *call, struct arc4 *state) {
    wc_Arc4Free(&state->keyed);
}
ROUTINE(arc4, struct arc4, arc4_begin, arc4_message, arc4_end)
#endif

/* ChaCha20-Poly1305, in functions without an object. */

#define SEALED_TEXT call->in.message, (word32)call->in.message_bytes
PART chachapoly_seal(struct call *call, void *state) {
    expect(call, wc_ChaCha20Poly1305_Encrypt(call->in.key, call->in.nonce, ASSOCIATED,
                                             SEALED_TEXT, call->in.destination, TAG_BEHIND));
}
PART chachapoly_open(struct call *call, void *state) {
    expect(call, wc_ChaCha20Poly1305_Decrypt(call->in.key, call->in.nonce, ASSOCIATED,
                                             SEALED_TEXT, call->in.tag, call->in.destination));
}
ROUTINE(chachapoly_sealing, char, nothing, chachapoly_seal, nothing)
ROUTINE(chachapoly_opening, char, nothing, chachapoly_open, nothing)

#ifdef HAVE_XCHACHA
PART xchachapoly_seal(struct call *call, void *state) {
    expect(call, wc_XChaCha20Poly1305_Encrypt(OUTPUT, MESSAGE, AAD, NONCE, KEY));
}
PART xchachapoly_open(struct call *call, void *state) {
    expect(call, wc_XChaCha20Poly1305_Decrypt(call->in.destination, call->in.message_bytes,
                                              call->in.message,
                                              call->in.message_bytes + TAG_BYTES, AAD, NONCE,
                                              KEY));
}
ROUTINE(xchachapoly_sealing, char, nothing, xchachapoly_seal, nothing)
ROUTINE(xchachapoly_opening, char, nothing, xchachapoly_open, nothing)
#endif

static void add_ciphers(void) {
    for (uint32_t bits = 128; bits <= 256; bits += 64) {
        add_aes(bits);
        for (size_t i = 0; i < LENGTH_OF(camellia_modes); i++) {
            const struct mode *mode = &camellia_modes[i];
            add_mode(mode, name("camellia-%u-%s", bits, mode->name),
                     name("CAMELLIA-%u-%s", bits, mode->name), bits / 8);
        }
    }
    add_mode(&des3_cbc, name("3des-cbc"), name("DES3-cbc"), 24);
    add_cipher(&chacha, &chacha, name("chacha20"), name("ChaCha"), 32, 12);
    add_aead(&chachapoly_sealing, &chachapoly_opening, name("chacha20-poly1305"),
             name("ChaCha20Poly1305"), 32, 12, TAG_BYTES);
#ifdef HAVE_XCHACHA
    add_cipher(&xchacha, &xchacha, name("xchacha20"), name("XChaCha"), 32, 24);
    const size_t first = offers_count;
    add_aead(&xchachapoly_sealing, &xchachapoly_opening, name("xchacha20-poly1305"),
             name("XChaCha20Poly1305"), 32, 24, TAG_BYTES);
    for (size_t i = first; i < offers_count; i++) offers[i].joins = true;
#endif
#ifndef NO_RC4
    add_cipher(&arc4, &arc4, name("rc4-128"), name("ARC4"), 16, 0);
#endif
}

#endif
