/* Offers crypto_kem: key encapsulation. */
#include "crypto_kem.h"

#include "keys.h"

WORK(keygen) {
    choose(given);
    return answer(crypto_kem_keypair(OUT(CPB_PUBLIC_KEY), OUT(CPB_SECRET_KEY)), reason);
}

WORK(encapsulate) {
    choose(given);
    return answer(crypto_kem_enc(OUT(CPB_CIPHERTEXT), OUT(CPB_SHARED_SECRET), IN(CPB_PUBLIC_KEY)),
                  reason);
}

WORK(decapsulate) {
    return answer(crypto_kem_dec(OUT(CPB_SHARED_SECRET), IN(CPB_CIPHERTEXT), IN(CPB_SECRET_KEY)),
                  reason);
}

static void add_offers(void) {
    static const struct cpb_key_sizes sizes = {.public_key = crypto_kem_PUBLICKEYBYTES,
                                               .secret_key = crypto_kem_SECRETKEYBYTES,
                                               .ciphertext = crypto_kem_CIPHERTEXTBYTES,
                                               .shared_secret = crypto_kem_BYTES,
                                               .for_pair = CPB_FOR_PAIR,
                                               .for_ciphertext = CPB_FOR_CIPHERTEXT};
    OFFER(CPB_KEYGEN, keygen);
    OFFER(CPB_ENCAPSULATE, encapsulate);
    OFFER(CPB_DECAPSULATE, decapsulate);
}
