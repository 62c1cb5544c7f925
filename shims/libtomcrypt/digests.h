/* Hashes, MACs and derivations. */
#ifndef CPB_LIBTOMCRYPT_DIGESTS_H
#define CPB_LIBTOMCRYPT_DIGESTS_H

PART hash_message(struct call *call, hash_state *state) {
    const struct ltc_hash_descriptor *hash = call->how;
    expect(call, hash->init(state));
    expect(call, hash->process(state, MESSAGE));
    expect(call, hash->done(state, call->in.destination));
}
ROUTINE(hash, hash_state, nothing, hash_message, nothing)

/* The number is the strength in bits. */
PART shake_message(struct call *call, hash_state *state) {
    expect(call, sha3_shake_init(state, (int)call->which));
    expect(call, sha3_process(state, MESSAGE));
    expect(call, sha3_shake_done(state, OUTPUT));
}
ROUTINE(shake, hash_state, nothing, shake_message, nothing)

/* MACs. Each message copies the state with the key. */
#define MAC(mac, init)                                                                           \
    struct mac {                                                                                 \
        mac##_state keyed, used;                                                                 \
    };                                                                                           \
    PART mac##_begin(struct call *call, struct mac *state) { expect(call, init); }               \
    PART mac##_message(struct call *call, struct mac *state) {                                   \
        unsigned long room = call->in.output_bytes;                                              \
        state->used = state->keyed;                                                              \
        expect(call, mac##_process(&state->used, MESSAGE));                                      \
        expect(call, mac##_done(&state->used, call->in.destination, &room));                     \
    }                                                                                            \
    ROUTINE(mac##_routine, struct mac, mac##_begin, mac##_message, nothing)
#define OF_ALGORITHM(mac) mac##_init(&state->keyed, (int)call->which, KEY)
MAC(omac, OF_ALGORITHM(omac))
MAC(pmac, OF_ALGORITHM(pmac))
MAC(xcbc, OF_ALGORITHM(xcbc))
MAC(poly1305, poly1305_init(&state->keyed, KEY))
MAC(blake2smac, blake2smac_init(&state->keyed, call->in.output_bytes, KEY))
MAC(blake2bmac, blake2bmac_init(&state->keyed, call->in.output_bytes, KEY))

/* A started HMAC owns memory, which finishing frees, so it serves one message. */
PART hmac_message(struct call *call, void *state) {
    unsigned long room = call->in.output_bytes;
    expect(call, hmac_memory((int)call->which, KEY, MESSAGE, call->in.destination, &room));
}
ROUTINE(hmac_routine, char, nothing, hmac_message, nothing)

/* Derivations. */

PART hkdf_derive(struct call *call, void *state) {
    expect(call, hkdf((int)call->which, NONCE, AAD, KEY, OUTPUT));
}
ROUTINE(hkdf_routine, char, nothing, hkdf_derive, nothing)

PART pbkdf2_derive(struct call *call, void *state) {
    unsigned long room = call->in.output_bytes;
    expect(call, pkcs_5_alg2(KEY, NONCE, (int)call->in.iterations, (int)call->which,
                             call->in.destination, &room));
}
ROUTINE(pbkdf2, char, nothing, pbkdf2_derive, nothing)

static bool has_too_many_iterations(struct call *call) {
    return call->in.iterations > INT32_MAX &&
           refuse(call, "libtomcrypt counts iterations up to %d", INT32_MAX);
}

static struct name hash_name(const char *own) {
    return strncmp(own, "rmd", 3) == 0 ? name("ripemd%s", own + 3) : name("%s", own);
}

/* HMAC, and derivations built on it, accept no empty key. */
static void add_hash(int index) {
    const struct ltc_hash_descriptor *it = &hash_descriptor[index];
    const struct name canonical = hash_name(it->name);
    const uint32_t bytes = (uint32_t)it->hashsize;
    struct offer *offer =
        add(CPB_HASH, &hash, canonical, name("%s", it->name), 0, 0, bytes);
    offer->how = it;
    offer->shown.block_bytes = (uint32_t)it->blocksize;
    offer = add(CPB_MAC, &hmac_routine, name("hmac-%s", canonical.text),
                name("hmac %s", it->name), 32, 0, bytes);
    set_length(offer, CPB_KEY, 1, 32, CPB_ANY);
    offer->which = index;
    offer = add_hkdf(&hkdf_routine, name("hkdf-%s", canonical.text), name("hkdf %s", it->name),
                     bytes);
    offer->which = index;
    offer = add(CPB_DERIVE, &pbkdf2, name("pbkdf2-hmac-%s", canonical.text),
                name("pkcs_5_alg2 %s", it->name), 16, 16, 0);
    set_length(offer, CPB_PASSWORD, 1, 16, CPB_ANY);
    offer->which = index;
    offer->refuses = has_too_many_iterations;
}

static void add_cipher_macs(void) {
    const int aes = find_cipher("aes");
    for (uint32_t bits = 128; aes >= 0 && bits <= 256; bits += 64) {
        add(CPB_MAC, &pmac_routine, name("pmac-aes-%u", bits), name("pmac aes-%u", bits), bits / 8,
            0, 16)
            ->which = aes;
        add(CPB_MAC, &xcbc_routine, name("xcbc-aes-%u", bits), name("xcbc aes-%u", bits), bits / 8,
            0, 16)
            ->which = aes;
    }
}

static void add_digests(void) {
    for (int i = 0; i < TAB_SIZE; i++) {
        /* A hash that is built from a cipher needs one to be selected. */
        const char *own = hash_descriptor[i].name;
        if (own != NULL && strcmp(own, "chc_hash") != 0) add_hash(i);
    }
    add(CPB_XOF, &shake, name("shake128"), name("sha3_shake 128"), 0, 0, 0)->which = 128;
    add(CPB_XOF, &shake, name("shake256"), name("sha3_shake 256"), 0, 0, 0)->which = 256;
    add_cipher_macs();
    add(CPB_MAC, &poly1305_routine, name("poly1305"), name("poly1305"), 32, 0, 16);
    add(CPB_MAC, &blake2smac_routine, name("keyed-blake2s-256"), name("blake2smac"), 32, 0, 32);
    add(CPB_MAC, &blake2bmac_routine, name("keyed-blake2b-512"), name("blake2bmac"), 32, 0, 64);
}

#endif
