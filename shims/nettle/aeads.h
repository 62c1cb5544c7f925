/* Authenticated encryption: each mode has a function for the key, one to seal and
 * one to open. */
#ifndef CPB_NETTLE_AEADS_H
#define CPB_NETTLE_AEADS_H

#include "call.h"

#define TAG_BYTES 16
/* CCM with a nonce of 12 bytes counts the message's bytes in three bytes. */
#define CCM_LONGEST ((1u << 24) - 1)
/* The length of the nonce in every row of bench-slopes that has one. */
#define ROW_NONCE_BYTES 12

#define AEAD(mode, key_part)                                                                     \
    WORK(mode##_sealing, key_part, seal_##mode)                                                  \
    WORK(mode##_opening, key_part, open_##mode)

/* Modes that the library processes in steps. Empty parts are left out, as callers
 * do. */

PART accept(struct call *call, int verdict) { expect(call, verdict == 0); }

/* Compares the tag in the scratch memory with the given one; bench-slopes never
 * does. */
PART compare_tag(struct call *call) {
    if (call->in.contract == CPB_COMPAT) return;
    accept(call, memeql_sec(call->scratch, call->in.tag, TAG_BYTES));
}

/* The first arguments of the functions of a cipher's mode. */
#define GCM call->context[1], call->context[0]
#define WITH_CIPHER call->context[2], call->cipher.encrypt
#define EAX GCM, WITH_CIPHER
#define CHACHA call->context[0]

PART set_gcm_key(struct call *call) {
    call->cipher.set_encrypt_key(call->context[2], call->in.key);
    gcm_set_key(call->context[0], WITH_CIPHER);
}
PART pass_gcm(struct call *call, __typeof__(gcm_encrypt) *crypt, uint8_t *tag) {
    gcm_set_iv(GCM, NONCE);
    if (call->in.aad_bytes != 0) gcm_update(GCM, AAD);
    if (call->in.message_bytes != 0) crypt(GCM, WITH_CIPHER, TEXT);
    gcm_digest(GCM, WITH_CIPHER, TAG_BYTES, tag);
}
PART seal_gcm(struct call *call) { pass_gcm(call, gcm_encrypt, TAG_BEHIND); }
PART open_gcm(struct call *call) {
    pass_gcm(call, gcm_decrypt, call->scratch);
    compare_tag(call);
}
AEAD(gcm, set_gcm_key)

PART set_eax_key(struct call *call) {
    call->cipher.set_encrypt_key(call->context[2], call->in.key);
    eax_set_key(call->context[0], WITH_CIPHER);
}
PART pass_eax(struct call *call, __typeof__(eax_encrypt) *crypt, uint8_t *tag) {
    eax_set_nonce(EAX, NONCE);
    if (call->in.aad_bytes != 0) eax_update(EAX, AAD);
    if (call->in.message_bytes != 0) crypt(EAX, TEXT);
    eax_digest(EAX, TAG_BYTES, tag);
}
PART seal_eax(struct call *call) { pass_eax(call, eax_encrypt, TAG_BEHIND); }
PART open_eax(struct call *call) {
    pass_eax(call, eax_decrypt, call->scratch);
    compare_tag(call);
}
AEAD(eax, set_eax_key)

PART set_chacha_key(struct call *call) { chacha_poly1305_set_key(CHACHA, call->in.key); }
PART pass_chacha(struct call *call, __typeof__(chacha_poly1305_encrypt) *crypt, uint8_t *tag) {
    chacha_poly1305_set_nonce(CHACHA, call->in.nonce);
    if (call->in.aad_bytes != 0) chacha_poly1305_update(CHACHA, AAD);
    if (call->in.message_bytes != 0) crypt(CHACHA, TEXT);
    chacha_poly1305_digest(CHACHA, TAG_BYTES, tag);
}
PART seal_chacha(struct call *call) { pass_chacha(call, chacha_poly1305_encrypt, TAG_BEHIND); }
PART open_chacha(struct call *call) {
    pass_chacha(call, chacha_poly1305_decrypt, call->scratch);
    compare_tag(call);
}
AEAD(chacha, set_chacha_key)

/* Modes that process a whole message at a time, with ciphertext and tag together. */

#define SEALED call->in.message_bytes + TAG_BYTES, call->in.destination, call->in.message

PART seal_ccm(struct call *call) {
    ccm_encrypt_message(call->context[0], call->cipher.encrypt, NONCE, AAD, TAG_BYTES, SEALED);
}
PART open_ccm(struct call *call) {
    accept(call, ccm_decrypt_message(call->context[0], call->cipher.encrypt, NONCE, AAD,
                                     TAG_BYTES, TEXT));
}
AEAD(ccm, set_key)

#define SIV_CMAC call->context[0], call->context[1], call->offer->cipher, call->context[2]

/* SIV of RFC 5297, with the nonce as a component of its own: the library has no other
 * form. */
PART set_siv_cmac_key(struct call *call) {
    siv_cmac_set_key(CONTEXTS, call->offer->cipher, call->in.key);
}
PART seal_siv_cmac(struct call *call) {
    siv_cmac_encrypt_message(SIV_CMAC, NONCE, AAD, SEALED);
}
PART open_siv_cmac(struct call *call) {
    accept(call, siv_cmac_decrypt_message(SIV_CMAC, NONCE, AAD, TEXT));
}
AEAD(siv_cmac, set_siv_cmac_key)

#if SINCE(9)
#define OCB call->context[0], call->context[1], call->cipher.encrypt

PART set_ocb_key(struct call *call) {
    call->cipher.set_encrypt_key(call->context[1], call->in.key);
    call->cipher.set_decrypt_key(call->context[2], call->in.key);
    ocb_set_key(OCB);
}
PART seal_ocb(struct call *call) {
    ocb_encrypt_message(OCB, NONCE, AAD, TAG_BYTES, SEALED);
}
PART open_ocb(struct call *call) {
    accept(call, ocb_decrypt_message(OCB, call->context[2], call->cipher.decrypt, NONCE, AAD,
                                     TAG_BYTES, TEXT));
}
AEAD(ocb, set_ocb_key)

/* The second context is for the key that the library derives for each message. */
#define SIV_GCM call->offer->cipher, call->context[0], call->context[1]

PART seal_siv_gcm(struct call *call) {
    siv_gcm_encrypt_message(SIV_GCM, NONCE, AAD, SEALED);
}
PART open_siv_gcm(struct call *call) {
    accept(call, siv_gcm_decrypt_message(SIV_GCM, NONCE, AAD, TEXT));
}
AEAD(siv_gcm, set_key)

static bool has_ocb(void) {
    return nettle_ocb_set_key && nettle_ocb_encrypt_message && nettle_ocb_decrypt_message;
}
static bool has_siv_gcm(void) {
    return nettle_siv_gcm_encrypt_message && nettle_siv_gcm_decrypt_message;
}
#endif

/* Where the library expects the tag relative to the ciphertext. */
enum tag_place { APART, BEHIND, BEFORE };

static const struct aead {
    const char *name, *spelling, *rows[3];
    uint32_t nonce_bytes, keys;
    enum tag_place tag;
    size_t contexts[2]; /* bytes of the mode's contexts, which the cipher's follow */
    const struct routine *sealing, *opening;
    bool (*is_there)(void); /* null for modes that Nettle 3.6 has */
} aeads[] = {
#define AEAD_ROWS(mode) {mode " enc", mode " dec", mode " auth"}
    {"gcm", "gcm", AEAD_ROWS("GCM"), 12, 1, APART, {sizeof(struct gcm_key), sizeof(struct gcm_ctx)},
     &gcm_sealing, &gcm_opening, NULL},
    {"eax", "eax", AEAD_ROWS("EAX"), 16, 1, APART, {sizeof(struct eax_key), sizeof(struct eax_ctx)},
     &eax_sealing, &eax_opening, NULL},
#if SINCE(9)
    {"ocb", "ocb", AEAD_ROWS("OCB"), 12, 1, BEHIND, {sizeof(struct ocb_key)},
     &ocb_sealing, &ocb_opening, has_ocb},
    {"gcm-siv", "siv_gcm", AEAD_ROWS("GCM-SIV"), 12, 1, BEHIND, {0},
     &siv_gcm_sealing, &siv_gcm_opening, has_siv_gcm},
#endif
    {"ccm", "ccm", {NULL}, 12, 1, BEHIND, {0}, &ccm_sealing, &ccm_opening, NULL},
    {"siv-cmac", "siv_cmac", {NULL}, 16, 2, BEFORE, {sizeof(struct cmac128_key)},
     &siv_cmac_sealing, &siv_cmac_opening, NULL},
};

static const struct aead chacha_poly1305 = {
    "poly1305", "chacha_poly1305", AEAD_ROWS("POLY1305"), 12, 1, APART,
    {sizeof(struct chacha_poly1305_ctx)}, &chacha_sealing, &chacha_opening, NULL,
};

static bool lacks_aead_contexts(struct call *call, const struct aead *aead) {
    const struct nettle_cipher *cipher = call->offer->cipher;
    size_t sizes[3], own = 0;
    for (; own < 2 && aead->contexts[own] != 0; own++) sizes[own] = aead->contexts[own];
    for (; own < 3; own++) sizes[own] = cipher != NULL ? cipher->context_size : 0;
    return lacks_contexts(call, sizes[0], sizes[1], sizes[2]);
}

/* bench-slopes encrypts in place, and decrypts random text at first, then its own
 * output. Where no tag is given, cpb's pattern continues behind the message. */
static bool lacks_text_of_row(struct call *call) {
    const size_t bytes = call->in.message_bytes;
    const size_t offset = (uintptr_t)call->in.message % PAGE_BYTES;
    call->text = pages(call, offset + bytes + TAG_BYTES);
    if (call->text == NULL) return true;
    uint8_t *text = (uint8_t *)call->text + offset;
    if (bytes != 0) memcpy(text, call->in.message, bytes);
    for (size_t i = 0; i < TAG_BYTES; i++) {
        const bool is_given = call->in.tag_bytes == TAG_BYTES;
        text[bytes + i] = is_given ? call->in.tag[i] : (uint8_t)((bytes + i) % 251);
    }
    call->in.message = call->in.destination = text;
    return false;
}

static bool refuses_aead(struct call *call) {
    const struct aead *aead = call->how;
    const uint32_t operation = call->offer->shown.operation;
    const uint64_t bytes = operation == CPB_AUTH ? call->in.aad_bytes : call->in.message_bytes;
    if (aead->sealing == &ccm_sealing && bytes > CCM_LONGEST) {
        return refuse(call, "nettle aborts on more than %u bytes under %s", CCM_LONGEST,
                      call->offer->spelling);
    }
    if (lacks_aead_contexts(call, aead)) return true;
    call->set_key = call->cipher.set_encrypt_key;
    if (operation == CPB_MAC) {
        /* The result is the tag of an empty plaintext. */
        call->in.aad = call->in.message;
        call->in.aad_bytes = call->in.message_bytes;
        call->in.message_bytes = 0;
    }
    if (call->in.contract != CPB_COMPAT) return false;
    call->in.nonce_bytes = ROW_NONCE_BYTES;
    if (operation == CPB_AUTH) return false;
    /* bench-slopes gives associated data only under auth. */
    call->in.aad_bytes = 0;
    return lacks_text_of_row(call);
}

#endif
