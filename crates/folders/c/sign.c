/* Offers crypto_sign: signatures, which precede the signed message. */
#include "crypto_sign.h"

#include "keys.h"

#include <stdlib.h>

/* Where other libraries use the seed of a key pair as its secret key, this does,
 * too. */
#ifdef CPB_SEED_BYTES
#define SECRET_BYTES CPB_SEED_BYTES
#else
#define SECRET_BYTES crypto_sign_SECRETKEYBYTES
#endif

WORK(keygen) {
    unsigned char secret[crypto_sign_SECRETKEYBYTES];
    choose(given);
    const int status = crypto_sign_keypair(OUT(CPB_PUBLIC_KEY), secret);
    memcpy(OUT(CPB_SECRET_KEY), secret, SECRET_BYTES);
    return answer(status, reason);
}

/* The implementation's own form of the secret key, and room for the signed
 * message. */
struct signing {
    unsigned char *secret, *text;
};

static void end_signing(void *memory) {
    struct signing *signing = (struct signing *)memory;
    free(signing->secret);
    free(signing->text);
}

static int begin_text(struct signing *signing, const struct cpb_key_case *given, char *reason) {
    signing->secret = (unsigned char *)malloc(crypto_sign_SECRETKEYBYTES);
    signing->text = (unsigned char *)malloc(2 * (given->in[CPB_MESSAGE].length + crypto_sign_BYTES));
    if (signing->secret != NULL && signing->text != NULL) return 0;
    end_signing(signing);
    return cpb_key_refuse(reason, "there is no memory for a signed message");
}

CPB_BEGIN(begin_sign) {
    struct signing *signing = (struct signing *)memory;
    if (begin_text(signing, given, reason) != 0) return 1;
#ifdef CPB_SEED_BYTES
    unsigned char public[crypto_sign_PUBLICKEYBYTES];
    cpb_choose(IN(CPB_SECRET_KEY), CPB_SEED_BYTES);
    if (answer(crypto_sign_keypair(public, signing->secret), reason) == 0) return 0;
    end_signing(signing);
    return 1;
#else
    memcpy(signing->secret, IN(CPB_SECRET_KEY), crypto_sign_SECRETKEYBYTES);
    return 0;
#endif
}

CPB_RUN(run_sign) {
    struct signing *signing = (struct signing *)memory;
    const struct cpb_bytes message = given->in[CPB_MESSAGE];
    unsigned long long bytes = 0;
    const int status =
        crypto_sign(signing->text, &bytes, message.bytes, message.length, signing->secret);
    if (status != 0) return answer(status, reason);
    memcpy(OUT(CPB_SIGNATURE), signing->text, crypto_sign_BYTES);
    if (bytes == message.length + crypto_sign_BYTES &&
        memcmp(signing->text + crypto_sign_BYTES, message.bytes, message.length) == 0)
        return 0;
    return cpb_key_refuse(reason,
                          "its signed message is no signature with the message behind it");
}
static const struct cpb_key_work sign = {sizeof(struct signing), begin_sign, run_sign, end_signing};

CPB_BEGIN(begin_verify) {
    struct signing *signing = (struct signing *)memory;
    const struct cpb_bytes message = given->in[CPB_MESSAGE];
    if (begin_text(signing, given, reason) != 0) return 1;
    memcpy(signing->text, IN(CPB_SIGNATURE), crypto_sign_BYTES);
    memcpy(signing->text + crypto_sign_BYTES, message.bytes, message.length);
    return 0;
}

CPB_RUN(run_verify) {
    struct signing *signing = (struct signing *)memory;
    const unsigned long long bytes = given->in[CPB_MESSAGE].length + crypto_sign_BYTES;
    unsigned long long opened = 0;
    const int status =
        crypto_sign_open(signing->text + bytes, &opened, signing->text, bytes, IN(CPB_PUBLIC_KEY));
    if (status == 0 && opened == bytes - crypto_sign_BYTES) return 0;
    return answer(status == 0 ? -1 : status, reason);
}
static const struct cpb_key_work verify = {sizeof(struct signing), begin_verify, run_verify,
                                           end_signing};

#ifdef CPB_SEED_BYTES
WORK(public_key) {
    unsigned char secret[crypto_sign_SECRETKEYBYTES];
    cpb_choose(IN(CPB_SECRET_KEY), CPB_SEED_BYTES);
    return answer(crypto_sign_keypair(OUT(CPB_PUBLIC_KEY), secret), reason);
}
#endif

static void add_offers(void) {
    static const struct cpb_key_sizes sizes = {.public_key = crypto_sign_PUBLICKEYBYTES,
                                               .secret_key = SECRET_BYTES,
                                               .signature = crypto_sign_BYTES,
                                               .for_pair = CPB_FOR_PAIR};
    OFFER(CPB_KEYGEN, keygen);
    OFFER(CPB_SIGN, sign);
    OFFER(CPB_VERIFY, verify);
#ifdef CPB_SEED_BYTES
    OFFER(CPB_PUBLIC_KEY_OF, public_key);
#endif
}
