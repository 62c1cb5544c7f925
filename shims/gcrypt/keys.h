/* Builds key expressions, derives public keys from secret ones, and prepares calls. */

enum family { MONTGOMERY, ECDH, ECDSA, ED25519, ED448, RSA };

/* How one algorithm is called. */
struct algorithm {
    enum family family;
    const char *curve;
    int number; /* number of the curve, or of the hash function of a signature */
    size_t hash_bytes;
    const char *form; /* expression of what is signed or encrypted; %b stands for bytes */
};

/* Writes the curve, and for Ed25519 the flag that selects the variant. */
static void put_curve(struct text *text, const struct algorithm *how, const char *flag) {
    put_named(text, "curve", how->curve, strlen(how->curve));
    if (how->family != ED25519 && flag == NULL) return;
    put_list(text, "flags");
    if (how->family == ED25519) put_word(text, "eddsa");
    if (flag != NULL) put_word(text, flag);
    put_ends(text, 1);
}

/* Writes a secret key, with its public half if that is known; returns whether it is
 * valid. */
static bool put_secret(struct text *text, const struct algorithm *how, struct cpb_bytes secret,
                       struct cpb_bytes public_key) {
    if (how->family == RSA) return put_rsa_secret(text, secret);
    put_lists(text, "private-key", "ecc");
    put_curve(text, how, NULL);
    if (public_key.length != 0) put_named(text, "q", public_key.bytes, public_key.length);
    if (how->family == ED25519 || how->family == ED448) {
        put_named(text, "d", secret.bytes, secret.length);
    } else {
        put_positive(text, "d", secret.bytes, secret.length);
    }
    put_ends(text, 2);
    return true;
}

static bool put_public(struct text *text, const struct algorithm *how, struct cpb_bytes key) {
    if (how->family == RSA) return put_rsa_public(text, key);
    put_lists(text, "public-key", "ecc");
    put_curve(text, how, NULL);
    put_named(text, "q", key.bytes, key.length);
    put_ends(text, 2);
    return true;
}

/* Writes the public key of a curve's context in the encoding of RFC 8032, and sets its
 * length. */
static status write_compressed(context curve, struct cpb_bytes *to) {
    unsigned bits = 0;
    integer number = gcry.keys.integer_of("q@eddsa", curve, 1);
    const void *bytes = number == NULL ? NULL : gcry.keys.opaque(number, &bits);
    const size_t length = (bits + 7) / 8;
    const bool fits = bytes != NULL && length <= to->length;
    if (fits) memcpy(to->bytes, bytes, length);
    if (fits) to->length = length;
    gcry.keys.release_integer(number);
    return fits ? 0 : UNEXPLAINED;
}

/* Writes the public half of the secret key in `text`, and sets its length. */
static status write_public(const struct algorithm *how, const struct text *text,
                           struct cpb_bytes *to) {
    expression secret = NULL;
    context curve = NULL;
    status failed = parse(&secret, text);
    if (failed == 0) failed = gcry.keys.new_curve(&curve, secret, NULL);
    if (failed == 0 && how->family == ED25519) {
        failed = write_compressed(curve, to);
    } else if (failed == 0) {
        integer number = gcry.keys.integer_of("q", curve, 1);
        failed = number == NULL ? UNEXPLAINED
                                : gcry.keys.print(UNSIGNED_INTEGER, to->bytes, to->length,
                                                  &to->length, number);
        gcry.keys.release_integer(number);
    }
    gcry.keys.release_curve(curve);
    gcry.keys.release(secret);
    return failed;
}

/* Does the same for Ed448. libgcrypt 1.10 derives a wrong public key if it is asked for one
 * by name: it takes 32 of the 57 bytes of the scalar. Its signing and its own key generation
 * take all of them, so here it does the same steps one by one (RFC 8032 section 5.2.5). */
#define ED448_BYTES 57
static status find_scalar(struct cpb_bytes secret, uint8_t *scalar) {
    uint8_t digest_bytes[ED448_BYTES];
    digest hashing = NULL;
    status failed = gcry.digests.open(&hashing, SHAKE256, 0);
    if (failed != 0) return failed;
    gcry.digests.write(hashing, secret.bytes, secret.length);
    failed = gcry.digests.extract(hashing, SHAKE256, digest_bytes, ED448_BYTES);
    gcry.digests.close(hashing);
    digest_bytes[0] &= 0xfc;
    digest_bytes[ED448_BYTES - 2] |= 0x80;
    digest_bytes[ED448_BYTES - 1] = 0;
    for (size_t i = 0; i < ED448_BYTES; i++) scalar[i] = digest_bytes[ED448_BYTES - 1 - i];
    return failed;
}
static status write_ed448_public(struct cpb_bytes secret, struct cpb_bytes *to) {
    uint8_t scalar[ED448_BYTES];
    integer number = NULL;
    context curve = NULL;
    point base = NULL, product = NULL;
    status failed = find_scalar(secret, scalar);
    if (failed == 0) {
        failed = gcry.keys.scan(&number, UNSIGNED_INTEGER, scalar, sizeof scalar, NULL);
    }
    if (failed == 0) failed = gcry.keys.new_curve(&curve, NULL, "Ed448");
    if (failed == 0) {
        base = gcry.keys.point_of("g", curve, 1);
        product = gcry.keys.new_point(0);
        failed = base == NULL || product == NULL ? UNEXPLAINED : 0;
    }
    if (failed == 0) {
        gcry.keys.multiply_point(product, number, base, curve);
        failed = gcry.keys.set_point("q", product, curve);
    }
    if (failed == 0) failed = write_compressed(curve, to);
    if (product != NULL) gcry.keys.release_point(product);
    if (base != NULL) gcry.keys.release_point(base);
    gcry.keys.release_curve(curve);
    gcry.keys.release_integer(number);
    return failed;
}

/* Holds prepared expressions. Only a verification has a signature, whose expression each
 * call parses. */
struct ready {
    const struct algorithm *how;
    expression key, peer;
    size_t signature_bytes;
    uint8_t signature[640];
};

static struct ready *empty(void *memory, const void *how) {
    struct ready *ready = memory;
    ready->how = how;
    ready->key = ready->peer = NULL;
    return ready;
}

static int words(status failed, char *reason) {
    if (failed != 0) say(failed, reason, CPB_KEY_REASON_BYTES);
    return failed != 0;
}
static int refusal(status failed, char *reason) {
    if (failed != 0) say_refused(failed, reason, CPB_KEY_REASON_BYTES);
    return failed != 0;
}
static int not_encoded(char *reason) {
    return cpb_key_refuse(reason, "a key is not in its encoding");
}

/* Prepares the secret key. */
CPB_BEGIN(begin_secret) {
    struct ready *ready = empty(memory, how);
    struct text text;
    const struct cpb_bytes none = {NULL, 0};
    if (!put_secret(&text, how, given->in[CPB_SECRET_KEY], none)) return not_encoded(reason);
    return refusal(parse(&ready->key, &text), reason);
}

/* A prepared key has both halves; if only the seed is given, libgcrypt derives the other
 * half. RSA keys always have both. */
CPB_BEGIN(begin_sign) {
    const struct algorithm *algorithm = how;
    const struct cpb_bytes secret = given->in[CPB_SECRET_KEY], none = {NULL, 0};
    struct ready *ready = empty(memory, how);
    uint8_t point_bytes[133]; /* long enough for an uncompressed point of P-521 */
    struct cpb_bytes public_key = {point_bytes, sizeof point_bytes};
    struct text text;
    if (algorithm->family == RSA || given->contract == CPB_ONESHOT) {
        return begin_secret(memory, how, given, reason);
    }
    put_secret(&text, how, secret, none);
    if ((algorithm->family == ED448 ? write_ed448_public(secret, &public_key)
                                    : write_public(how, &text, &public_key)) == 0) {
        put_secret(&text, how, secret, public_key);
    }
    return refusal(parse(&ready->key, &text), reason);
}

CPB_BEGIN(begin_public) {
    struct ready *ready = empty(memory, how);
    struct text text;
    if (!put_public(&text, how, given->in[CPB_PUBLIC_KEY])) return not_encoded(reason);
    return refusal(parse(&ready->key, &text), reason);
}

/* libgcrypt takes the peer's point as if it were a ciphertext, and decodes and checks it in
 * the call. */
CPB_BEGIN(begin_agree) {
    const struct cpb_bytes peer = given->in[CPB_PUBLIC_KEY];
    struct ready *ready = memory;
    struct text text;
    if (begin_secret(memory, how, given, reason) != 0) return 1;
    put_lists(&text, "enc-val", "ecdh");
    put_named(&text, "e", peer.bytes, peer.length);
    put_ends(&text, 2);
    if (refusal(parse(&ready->peer, &text), reason) == 0) return 0;
    gcry.keys.release(ready->key);
    return 1;
}

/* Prepares r and s, of the same length, or for RSA one number. Each call parses it. */
CPB_BEGIN(begin_verify) {
    const struct algorithm *algorithm = how;
    const struct cpb_bytes signature = given->in[CPB_SIGNATURE];
    const size_t half = signature.length / 2;
    struct ready *ready = memory;
    struct text written, *text = &written;
    if (begin_public(memory, how, given, reason) != 0) return 1;
    if (algorithm->family == RSA) {
        put_lists(text, "sig-val", "rsa");
        put_positive(text, "s", signature.bytes, signature.length);
    } else if (algorithm->family == ECDSA) {
        put_lists(text, "sig-val", "ecdsa");
        put_positive(text, "r", signature.bytes, half);
        put_positive(text, "s", signature.bytes + half, half);
    } else {
        put_lists(text, "sig-val", "eddsa");
        put_named(text, "r", signature.bytes, half);
        put_named(text, "s", signature.bytes + half, half);
    }
    put_ends(text, 2);
    if (text->length > sizeof ready->signature) abort();
    ready->signature_bytes = text->length;
    memcpy(ready->signature, text->bytes, text->length);
    return 0;
}

/* Builds the request for a transient key pair, because other keys wait for more entropy. */
CPB_BEGIN(begin_generate) {
    const struct algorithm *algorithm = how;
    struct ready *ready = empty(memory, how);
    struct text text;
    char bits[16];
    if (algorithm->family == RSA) {
        const size_t modulus = given->out[CPB_PUBLIC_KEY].length - CPB_RSA_PUBLIC_BESIDE;
        put_lists(&text, "genkey", "rsa");
        snprintf(bits, sizeof bits, "%zu", 8 * modulus);
        put_named(&text, "nbits", bits, strlen(bits));
        put_named(&text, "rsa-use-e", "65537", 5);
        put_named(&text, "flags", "transient-key", 13);
    } else {
        put_lists(&text, "genkey", "ecc");
        put_curve(&text, algorithm, "transient-key");
    }
    put_ends(&text, 2);
    return refusal(parse(&ready->key, &text), reason);
}

CPB_BEGIN(begin_nothing) {
    empty(memory, how);
    return 0;
}

static void end(void *memory) {
    struct ready *ready = memory;
    gcry.keys.release(ready->key);
    gcry.keys.release(ready->peer);
}
