/* Hashes, MACs and derivations. */
#ifndef CPB_WOLFSSL_DIGESTS_H
#define CPB_WOLFSSL_DIGESTS_H

#define TEXT call->in.message, (word32)call->in.message_bytes

/* Hashes with the library's common interface; finishing one prepares it for the next
 * message. */
struct hash {
    wc_HashAlg hash;
};
#define TYPE (enum wc_HashType) call->which
PART hash_begin(struct call *call, struct hash *state) {
    expect(call, wc_HashInit(&state->hash, TYPE));
}
PART hash_message(struct call *call, struct hash *state) {
    expect(call, wc_HashUpdate(&state->hash, TYPE, TEXT));
    expect(call, wc_HashFinal(&state->hash, TYPE, call->in.destination));
}
PART hash_end(struct call *call, struct hash *state) {
    wc_HashFree(&state->hash, TYPE);
}
ROUTINE(hash, struct hash, hash_begin, hash_message, hash_end)

/* Hashes with an interface of their own, which each call initializes; `expect` checks
 * the result of each part, and `trust` is for functions that return none. */
#define trust(call, part) part
#define HASH(hash, type, ask, init, update, final)                                               \
    PART hash##_message(struct call *call, type *state) {                                        \
        ask(call, init);                                                                         \
        ask(call, update(state, TEXT));                                                          \
        ask(call, final);                                                                        \
    }                                                                                            \
    ROUTINE(hash, type, nothing, hash##_message, nothing)
#define DIGEST call->in.destination
#define DIGEST_BYTES (word32) call->in.output_bytes
#ifdef WOLFSSL_MD2
HASH(md2, Md2, trust, wc_InitMd2(state), wc_Md2Update, wc_Md2Final(state, DIGEST))
#endif
#ifndef NO_MD4
HASH(md4, Md4, trust, wc_InitMd4(state), wc_Md4Update, wc_Md4Final(state, DIGEST))
#endif
#ifdef WOLFSSL_RIPEMD
HASH(ripemd, RipeMd, expect, wc_InitRipeMd(state), wc_RipeMdUpdate, wc_RipeMdFinal(state, DIGEST))
#endif
#ifdef HAVE_BLAKE2B
HASH(plain_blake2b, Blake2b, expect, wc_InitBlake2b(state, DIGEST_BYTES), wc_Blake2bUpdate,
     wc_Blake2bFinal(state, DIGEST, DIGEST_BYTES))
HASH(keyed_blake2b, Blake2b, expect,
     wc_InitBlake2b_WithKey(state, DIGEST_BYTES, call->in.key, (word32)call->in.key_bytes),
     wc_Blake2bUpdate, wc_Blake2bFinal(state, DIGEST, DIGEST_BYTES))
#endif
#ifdef HAVE_BLAKE2S
HASH(plain_blake2s, Blake2s, expect, wc_InitBlake2s(state, DIGEST_BYTES), wc_Blake2sUpdate,
     wc_Blake2sFinal(state, DIGEST, DIGEST_BYTES))
HASH(keyed_blake2s, Blake2s, expect,
     wc_InitBlake2s_WithKey(state, DIGEST_BYTES, call->in.key, (word32)call->in.key_bytes),
     wc_Blake2sUpdate, wc_Blake2sFinal(state, DIGEST, DIGEST_BYTES))
#endif
#ifdef WOLFSSL_SHAKE128
HASH(shake128, wc_Shake, expect, wc_InitShake128(state, NULL, INVALID_DEVID), wc_Shake128_Update,
     wc_Shake128_Final(state, DIGEST, DIGEST_BYTES))
#endif
#ifdef WOLFSSL_SHAKE256
HASH(shake256, wc_Shake, expect, wc_InitShake256(state, NULL, INVALID_DEVID), wc_Shake256_Update,
     wc_Shake256_Final(state, DIGEST, DIGEST_BYTES))
#endif

/* MACs. */

PART hmac_begin(struct call *call, Hmac *state) {
    expect(call, wc_HmacInit(state, NULL, INVALID_DEVID));
    expect(call, wc_HmacSetKey(state, (int)call->which, call->in.key, (word32)call->in.key_bytes));
}
PART hmac_message(struct call *call, Hmac *state) {
    expect(call, wc_HmacUpdate(state, TEXT));
    expect(call, wc_HmacFinal(state, call->in.destination));
}
PART hmac_end(struct call *call, Hmac *state) {
    wc_HmacFree(state);
}
ROUTINE(hmac, Hmac, hmac_begin, hmac_message, hmac_end)

#ifdef WOLFSSL_CMAC
/* Finishing wipes it, so the one with the key is copied. */
struct cmac {
    Cmac keyed, used;
};
PART cmac_begin(struct call *call, struct cmac *state) {
    expect(call, wc_InitCmac(&state->keyed, call->in.key, (word32)call->in.key_bytes, WC_CMAC_AES,
                             NULL));
}
PART cmac_message(struct call *call, struct cmac *state) {
    word32 length = AES_BLOCK_SIZE;
    state->used = state->keyed;
    expect(call, wc_CmacUpdate(&state->used, TEXT));
    expect(call, wc_CmacFinal(&state->used, call->in.destination, &length));
}
ROUTINE(cmac, struct cmac, cmac_begin, cmac_message, nothing)
#endif

struct poly1305 {
    Poly1305 keyed, used;
};
PART poly1305_begin(struct call *call, struct poly1305 *state) {
    expect(call, wc_Poly1305SetKey(&state->keyed, call->in.key, (word32)call->in.key_bytes));
}
PART poly1305_message(struct call *call, struct poly1305 *state) {
    state->used = state->keyed;
    expect(call, wc_Poly1305Update(&state->used, TEXT));
    expect(call, wc_Poly1305Final(&state->used, call->in.destination));
}
ROUTINE(poly1305, struct poly1305, poly1305_begin, poly1305_message, nothing)

#ifdef WOLFSSL_SIPHASH
PART siphash_message(struct call *call, void *state) {
    expect(call, wc_SipHash(call->in.key, TEXT, call->in.destination,
                            (unsigned char)call->in.output_bytes));
}
ROUTINE(siphash, char, nothing, siphash_message, nothing)
#endif

/* Derivations. */

PART hkdf_derive(struct call *call, void *state) {
    expect(call, wc_HKDF((int)call->which, call->in.key, (word32)call->in.key_bytes,
                         call->in.nonce, (word32)call->in.nonce_bytes, call->in.aad,
                         (word32)call->in.aad_bytes, call->in.destination,
                         (word32)call->in.output_bytes));
}
ROUTINE(hkdf, char, nothing, hkdf_derive, nothing)

PART pbkdf2_derive(struct call *call, void *state) {
    expect(call, wc_PBKDF2(call->in.destination, call->in.key, (int)call->in.key_bytes,
                           call->in.nonce, (int)call->in.nonce_bytes, (int)call->in.iterations,
                           (int)call->in.output_bytes, (int)call->which));
}
ROUTINE(pbkdf2, char, nothing, pbkdf2_derive, nothing)

static bool has_too_many_iterations(struct call *call) {
    return call->in.iterations > INT32_MAX &&
           refuse(call, "wolfSSL counts iterations up to %d", INT32_MAX);
}

#ifdef HAVE_SCRYPT
/* The cost is given as a logarithm: 2 to the 14th is 16384. */
PART scrypt_derive(struct call *call, void *state) {
    expect(call, wc_scrypt(call->in.destination, call->in.key, (int)call->in.key_bytes,
                           call->in.nonce, (int)call->in.nonce_bytes, 14, 8, 1,
                           (int)call->in.output_bytes));
}
ROUTINE(scrypt, char, nothing, scrypt_derive, nothing)
#endif

static void add_hash(enum wc_HashType type, const char *primitive, const char *spelling) {
    const int bytes = wc_HashGetDigestSize(type);
    if (bytes <= 0) return;
    add(CPB_HASH, &hash, name("%s", primitive), name("%s", spelling), 0, 0, (uint32_t)bytes)
        ->which = type;
    if (wc_HmacSizeByType((int)type) != bytes) return;
    add(CPB_MAC, &hmac, name("hmac-%s", primitive), name("HMAC-%s", spelling), 32, 0,
        (uint32_t)bytes)
        ->which = type;
    add_hkdf(&hkdf, name("hkdf-%s", primitive), name("HKDF-%s", spelling), (uint32_t)bytes)
        ->which = type;
    struct offer *offer = add(CPB_DERIVE, &pbkdf2, name("pbkdf2-hmac-%s", primitive),
                              name("PBKDF2-%s", spelling), 16, 16, 0);
    offer->which = type;
    offer->refuses = has_too_many_iterations;
}

static void add_other_hashes(void) {
#ifdef WOLFSSL_MD2
    add(CPB_HASH, &md2, name("md2"), name("MD2"), 0, 0, 16);
#endif
#ifndef NO_MD4
    add(CPB_HASH, &md4, name("md4"), name("MD4"), 0, 0, 16);
#endif
#ifdef WOLFSSL_RIPEMD
    add(CPB_HASH, &ripemd, name("ripemd160"), name("RIPEMD"), 0, 0, 20);
#endif
#ifdef HAVE_BLAKE2B
    add(CPB_HASH, &plain_blake2b, name("blake2b-512"), name("BLAKE2B"), 0, 0, 64);
    add(CPB_MAC, &keyed_blake2b, name("keyed-blake2b-512"), name("BLAKE2B with key"), 32, 0, 64);
#endif
#ifdef HAVE_BLAKE2S
    add(CPB_HASH, &plain_blake2s, name("blake2s-256"), name("BLAKE2S"), 0, 0, 32);
    add(CPB_MAC, &keyed_blake2s, name("keyed-blake2s-256"), name("BLAKE2S with key"), 32, 0, 32);
#endif
#ifdef WOLFSSL_SHAKE128
    add(CPB_XOF, &shake128, name("shake128"), name("SHAKE128"), 0, 0, 0);
#endif
#ifdef WOLFSSL_SHAKE256
    add(CPB_XOF, &shake256, name("shake256"), name("SHAKE256"), 0, 0, 0);
#endif
}

static void add_digests(void) {
    add_hash(WC_HASH_TYPE_MD5, "md5", "MD5");
    add_hash(WC_HASH_TYPE_SHA, "sha1", "SHA");
    add_hash(WC_HASH_TYPE_SHA224, "sha224", "SHA224");
    add_hash(WC_HASH_TYPE_SHA256, "sha256", "SHA256");
    add_hash(WC_HASH_TYPE_SHA384, "sha384", "SHA384");
    add_hash(WC_HASH_TYPE_SHA512, "sha512", "SHA512");
#ifndef WOLFSSL_NOSHA512_224
    add_hash(WC_HASH_TYPE_SHA512_224, "sha512-224", "SHA512_224");
#endif
#ifndef WOLFSSL_NOSHA512_256
    add_hash(WC_HASH_TYPE_SHA512_256, "sha512-256", "SHA512_256");
#endif
    add_hash(WC_HASH_TYPE_SHA3_224, "sha3-224", "SHA3_224");
    add_hash(WC_HASH_TYPE_SHA3_256, "sha3-256", "SHA3_256");
    add_hash(WC_HASH_TYPE_SHA3_384, "sha3-384", "SHA3_384");
    add_hash(WC_HASH_TYPE_SHA3_512, "sha3-512", "SHA3_512");
    add_other_hashes();
#ifdef WOLFSSL_CMAC
    for (uint32_t bits = 128; bits <= 256; bits += 64) {
        add(CPB_MAC, &cmac, name("cmac-aes-%u", bits), name("CMAC AES-%u", bits), bits / 8, 0, 16);
    }
#endif
    add(CPB_MAC, &poly1305, name("poly1305"), name("Poly1305"), 32, 0, 16);
#ifdef WOLFSSL_SIPHASH
    add(CPB_MAC, &siphash, name("siphash-2-4"), name("SipHash 8"), 16, 0, 8);
    add(CPB_MAC, &siphash, name("siphash-2-4-128"), name("SipHash 16"), 16, 0, 16);
#endif
#ifdef HAVE_SCRYPT
    add(CPB_DERIVE, &scrypt, name("scrypt-16384-8-1"), name("scrypt 14 8 1"), 16, 16, 0);
#endif
}

#endif
