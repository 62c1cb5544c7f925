/* Offers crypto_dh: key pairs, and shared secrets. */
#include "crypto_dh.h"

#include "keys.h"

WORK(agree) {
    return answer(crypto_dh(OUT(CPB_SHARED_SECRET), IN(CPB_PUBLIC_KEY), IN(CPB_SECRET_KEY)), reason);
}

WORK(keygen) {
    choose(given);
    return answer(crypto_dh_keypair(OUT(CPB_PUBLIC_KEY), OUT(CPB_SECRET_KEY)), reason);
}

static void add_offers(void) {
    static const struct cpb_key_sizes sizes = {.public_key = crypto_dh_PUBLICKEYBYTES,
                                               .secret_key = crypto_dh_SECRETKEYBYTES,
                                               .shared_secret = crypto_dh_BYTES};
    OFFER(CPB_AGREE, agree);
    OFFER(CPB_KEYGEN, keygen);
}
