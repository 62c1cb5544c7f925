/* Signatures of digests (ECDSA, RSA), where a call hashes the message and signs the digest,
 * and of whole messages (Ed25519, Ed448, ML-DSA, SLH-DSA). */
#ifndef CPB_OPENSSL_SIGNATURES_H
#define CPB_OPENSSL_SIGNATURES_H

#include "key_work.h"

static const EVP_MD *digest_of(const struct key_type *type) {
    if (strcmp(type->hash, "SHA512") == 0) return ssl.sha512;
    return strcmp(type->hash, "SHA384") == 0 ? ssl.sha384 : ssl.sha256;
}

/* Sets RSA's padding, and makes a context to hash with. */
static bool begin_hashing(struct ready *ready) {
    struct parameters list = {0};
    const enum manner manner = ready->type->manner;
    if (manner == PKCS1 || manner == PSS) {
        set_text(&list, "digest", "SHA256");
        set_text(&list, "pad-mode", manner == PSS ? "pss" : "pkcs1");
        if (manner == PSS) set_text(&list, "saltlen", "digest");
    }
    if (list.count != 0 && ssl.keys.set(ready->context, list.list) != 1) return false;
    ready->digest = digest_of(ready->type);
    ready->hashing = ssl.digests.new();
    return ready->hashing != NULL;
}

static inline bool hash_message(const struct ready *ready, const struct cpb_key_case *given,
                                uint8_t *digest, unsigned *bytes) {
    return ssl.digests.init(ready->hashing, ready->digest, NULL) == 1 &&
           ssl.digests.update(ready->hashing, IN(CPB_MESSAGE)) == 1 &&
           ssl.digests.finish(ready->hashing, digest, bytes) == 1;
}

BEGIN_WITH(signing_begin, CPB_SECRET_KEY,
           ssl.keys.begin_signing(ready->context) == 1 && begin_hashing(ready))
/* libcrypto writes r and s in DER. Its end is also the end of the signature, on which a next
 * call may be made to depend. */
CPB_RUN(signing_run) {
    struct ready *ready = memory;
    const struct cpb_bytes out = given->out[CPB_SIGNATURE];
    const bool is_pair = ready->type->form == CURVE;
    uint8_t digest[MOST_DIGEST_BYTES];
    unsigned digest_bytes = 0;
    size_t length = is_pair ? sizeof ready->bytes : out.length;
    if (!hash_message(ready, given, digest, &digest_bytes) ||
        ssl.keys.sign(ready->context, is_pair ? ready->bytes : out.bytes, &length, digest,
                      digest_bytes) != 1 ||
        (!is_pair && length != out.length)) {
        return done(false, reason);
    }
    if (is_pair) {
        ready->length = length;
        *given->kept = ready;
        memcpy(out.bytes + out.length - 4, ready->bytes + length - 4, 4);
    }
    return 0;
}
static int signing_encode(const void *how, const struct cpb_key_case *given, char *reason) {
    const struct ready *ready = *given->kept;
    if (pair_of(ready->bytes, ready->length, given->out[CPB_SIGNATURE])) return 0;
    return cpb_key_refuse(reason, "the signature is no pair of numbers in DER");
}
WORK(signing, .encode = signing_encode, .forget = stays)

CPB_BEGIN(verification_begin) {
    struct ready *ready = empty(memory, how);
    const struct cpb_bytes signature = given->in[CPB_SIGNATURE];
    if (ready->type->form == CURVE) {
        ready->length = of_pair(signature, ready->bytes, sizeof ready->bytes);
    } else if (signature.length <= sizeof ready->bytes) {
        ready->length = signature.length;
        memcpy(ready->bytes, signature.bytes, signature.length);
    }
    return begun(ready,
                 take_key(ready, given, CPB_PUBLIC_KEY) &&
                     ssl.keys.begin_verifying(ready->context) == 1 && begin_hashing(ready),
                 reason);
}
CPB_RUN(verification_run) {
    const struct ready *ready = memory;
    uint8_t digest[MOST_DIGEST_BYTES];
    unsigned digest_bytes = 0;
    return done(hash_message(ready, given, digest, &digest_bytes) &&
                    ssl.keys.verify(ready->context, ready->bytes, ready->length, digest,
                                    digest_bytes) == 1,
                reason);
}
WORK(verification)

/* Each call initializes the context, because since 3.4 one signs only once. */
static bool take_whole(struct ready *ready, const struct cpb_key_case *given, uint32_t role) {
    ready->key = key_of(ready->type, given, role);
    ready->hashing = ready->key != NULL ? ssl.digests.new() : NULL;
    return ready->hashing != NULL;
}

CPB_BEGIN(whole_signing_begin) {
    struct ready *ready = empty(memory, how);
    return begun(ready, take_whole(ready, given, CPB_SECRET_KEY), reason);
}
CPB_RUN(whole_signing_run) {
    const struct ready *ready = memory;
    const struct cpb_bytes out = given->out[CPB_SIGNATURE];
    struct parameters list = {0};
    size_t length = out.length;
    const bool draws = ready->type->manner == WHOLE_WITH_CHANCE;
    if (draws) set_number(&list, "deterministic", 1);
    return done(
        ssl.keys.begin_signing_whole(ready->hashing, NULL, NULL, NULL, NULL, ready->key,
                                     draws ? list.list : NULL) == 1 &&
            ssl.keys.sign_whole(ready->hashing, out.bytes, &length, IN(CPB_MESSAGE)) == 1 &&
            length == out.length,
        reason);
}
WORK(whole_signing)

CPB_BEGIN(whole_verification_begin) {
    struct ready *ready = empty(memory, how);
    return begun(ready, take_whole(ready, given, CPB_PUBLIC_KEY), reason);
}
CPB_RUN(whole_verification_run) {
    const struct ready *ready = memory;
    return done(
        ssl.keys.begin_verifying_whole(ready->hashing, NULL, NULL, NULL, NULL, ready->key,
                                       NULL) == 1 &&
            ssl.keys.verify_whole(ready->hashing, IN(CPB_SIGNATURE), IN(CPB_MESSAGE)) == 1,
        reason);
}
WORK(whole_verification)

#endif
