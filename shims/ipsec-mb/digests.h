/* Hashes, checksums and MACs. */
#ifndef CPB_IPSEC_MB_DIGESTS_H
#define CPB_IPSEC_MB_DIGESTS_H

/* The functions for one message. */
#define HASH(hash)                                                                               \
    PART hash##_message(struct call *call, void *state) {                                        \
        MANAGER->hash(MESSAGE, call->in.destination);                                            \
    }                                                                                            \
    ROUTINE(hash##_routine, char, nothing, hash##_message, nothing)
HASH(sha1)
HASH(sha224)
HASH(sha256)
HASH(sha384)
HASH(sha512)

/* This is the CRC of Ethernet; the library's CRC for SCTP differs from the
 * CRC-32C of other libraries. */
PART crc32_message(struct call *call, void *state) {
    const uint32_t sum = __builtin_bswap32(MANAGER->crc32_ethernet_fcs(MESSAGE));
    memcpy(call->in.destination, &sum, sizeof sum);
}
ROUTINE(crc32, char, nothing, crc32_message, nothing)

/* MACs are jobs without a cipher. */

static void begin_mac(const struct call *call, struct state *state) {
    IMB_JOB *job = &state->job;
    job->cipher_mode = IMB_CIPHER_NULL;
    job->cipher_direction = IMB_DIR_ENCRYPT;
    job->chain_order = IMB_ORDER_HASH_CIPHER;
    job->hash_alg = HASH_OF(call->which);
    job->src = call->in.message;
    job->msg_len_to_hash_in_bytes = call->in.message_bytes;
    job->auth_tag_output = call->in.destination;
    job->auth_tag_output_len_in_bytes = call->in.output_bytes;
}

/* The caller must compute HMAC's inner and outer state from the key. */
static const struct hmac {
    IMB_HASH_ALG hash;
    const char *name;
    uint32_t block_bytes, digest_bytes;
    size_t of_block, of_message; /* offsets of its functions in a manager */
} hmacs[] = {
#define HMAC(number, hash, block, digest)                                                        \
    {IMB_AUTH_HMAC_SHA_##number, #hash, block, digest, offsetof(IMB_MGR, hash##_one_block),      \
     offsetof(IMB_MGR, hash)}
    HMAC(1, sha1, 64, 20),     HMAC(224, sha224, 64, 28),  HMAC(256, sha256, 64, 32),
    HMAC(384, sha384, 128, 48), HMAC(512, sha512, 128, 64),
};

static const struct hmac *hmac_of(IMB_HASH_ALG hash) {
    size_t i = 0;
    while (hmacs[i].hash != hash) i++;
    return &hmacs[i];
}

static void expand_hmac(const struct call *call, struct state *state) {
    const struct hmac *hmac = hmac_of(HASH_OF(call->which));
    const uint8_t *manager = call->how;
    hash_one_block_t of_block;
    hash_fn_t of_message;
    memcpy(&of_block, manager + hmac->of_block, sizeof of_block);
    memcpy(&of_message, manager + hmac->of_message, sizeof of_message);
    uint8_t key[LONGEST_HASH_BLOCK] = {0}, block[LONGEST_HASH_BLOCK];
    if (call->in.key_bytes > hmac->block_bytes) of_message(KEY, key);
    else memcpy(key, call->in.key, call->in.key_bytes);
    for (size_t i = 0; i < sizeof key; i++) block[i] = key[i] ^ 0x36;
    of_block(block, state->inner);
    for (size_t i = 0; i < sizeof key; i++) block[i] = key[i] ^ 0x5c;
    of_block(block, state->outer);
}
PART hmac_begin(struct call *call, struct state *state) {
    begin_mac(call, state);
    expand_hmac(call, state);
    state->job.u.HMAC._hashed_auth_key_xor_ipad = state->inner;
    state->job.u.HMAC._hashed_auth_key_xor_opad = state->outer;
}
ROUTINE(hmac, struct state, hmac_begin, run_job, nothing)

PART cmac_begin(struct call *call, struct state *state) {
    begin_mac(call, state);
    expand_aes(MANAGER, call->in.key, call->in.key_bytes, state->encryption, state->decryption);
    if (call->in.key_bytes == 16) {
        IMB_AES_CMAC_SUBKEY_GEN_128(MANAGER, state->encryption, state->inner, state->outer);
    } else {
        IMB_AES_CMAC_SUBKEY_GEN_256(MANAGER, state->encryption, state->inner, state->outer);
    }
    state->job.u.CMAC._key_expanded = state->encryption;
    state->job.u.CMAC._skey1 = state->inner;
    state->job.u.CMAC._skey2 = state->outer;
}
ROUTINE(cmac, struct state, cmac_begin, run_job, nothing)

PART gmac_begin(struct call *call, struct state *state) {
    begin_mac(call, state);
    if (call->in.key_bytes == 16) IMB_AES128_GCM_PRE(MANAGER, call->in.key, &state->gcm);
    if (call->in.key_bytes == 24) IMB_AES192_GCM_PRE(MANAGER, call->in.key, &state->gcm);
    if (call->in.key_bytes == 32) IMB_AES256_GCM_PRE(MANAGER, call->in.key, &state->gcm);
    state->job.u.GMAC._key = &state->gcm;
    state->job.u.GMAC._iv = call->in.nonce;
    state->job.u.GMAC.iv_len_in_bytes = call->in.nonce_bytes;
}
ROUTINE(gmac, struct state, gmac_begin, run_job, nothing)

PART poly1305_begin(struct call *call, struct state *state) {
    begin_mac(call, state);
    state->job.u.POLY1305._key = padded_key(call, state);
}
ROUTINE(poly1305, struct state, poly1305_begin, run_job, nothing)

static struct offer *add_mac(const struct routine *routine, IMB_HASH_ALG hash,
                             const char *primitive, const char *spelling, uint32_t key_bytes,
                             uint32_t nonce_bytes, uint32_t tag_bytes) {
    struct offer *offer = add(CPB_MAC, routine, name("%s", primitive), name("%s", spelling),
                              key_bytes, nonce_bytes, tag_bytes);
    offer->which = KIND(IMB_CIPHER_NULL, hash, IMB_DIR_ENCRYPT);
    return offer;
}

static void add_digests(void) {
    add(CPB_HASH, &sha1_routine, name("sha1"), name("SHA1"), 0, 0, 20);
    add(CPB_HASH, &sha224_routine, name("sha224"), name("SHA224"), 0, 0, 28);
    add(CPB_HASH, &sha256_routine, name("sha256"), name("SHA256"), 0, 0, 32);
    add(CPB_HASH, &sha384_routine, name("sha384"), name("SHA384"), 0, 0, 48);
    add(CPB_HASH, &sha512_routine, name("sha512"), name("SHA512"), 0, 0, 64);
    add(CPB_HASH, &crc32, name("crc32"), name("CRC32_ETHERNET_FCS"), 0, 0, 4);
    for (size_t i = 0; i < LENGTH_OF(hmacs); i++) {
        add_mac(&hmac, hmacs[i].hash, name("hmac-%s", hmacs[i].name).text,
                name("HMAC %s", hmacs[i].name).text, 32, 0, hmacs[i].digest_bytes)
            ->refuses = does_not_fit;
    }
    add_mac(&cmac, IMB_AUTH_AES_CMAC, "cmac-aes-128", "AES_CMAC", 16, 0, 16)->refuses =
        is_too_long;
    add_mac(&cmac, IMB_AUTH_AES_CMAC_256, "cmac-aes-256", "AES_CMAC_256", 32, 0, 16)->refuses =
        is_too_long;
    add_mac(&gmac, IMB_AUTH_AES_GMAC_128, "gmac-aes-128", "AES_GMAC_128", 16, 12, 16);
    add_mac(&gmac, IMB_AUTH_AES_GMAC_192, "gmac-aes-192", "AES_GMAC_192", 24, 12, 16);
    add_mac(&gmac, IMB_AUTH_AES_GMAC_256, "gmac-aes-256", "AES_GMAC_256", 32, 12, 16);
    add_mac(&poly1305, IMB_AUTH_POLY1305, "poly1305", "POLY1305", 32, 0, 16);
}

#endif
