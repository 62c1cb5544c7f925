/* Offers crypto_scalarmult: shared secrets, and public keys. */
#include "crypto_scalarmult.h"

#include "keys.h"

WORK(agree) {
    return answer(crypto_scalarmult(OUT(CPB_SHARED_SECRET), IN(CPB_SECRET_KEY), IN(CPB_PUBLIC_KEY)),
                  reason);
}

WORK(public_key) {
    return answer(crypto_scalarmult_base(OUT(CPB_PUBLIC_KEY), IN(CPB_SECRET_KEY)), reason);
}

static void add_offers(void) {
    static const struct cpb_key_sizes sizes = {.public_key = crypto_scalarmult_BYTES,
                                               .secret_key = crypto_scalarmult_SCALARBYTES,
                                               .shared_secret = crypto_scalarmult_BYTES};
    OFFER(CPB_AGREE, agree);
    OFFER(CPB_PUBLIC_KEY_OF, public_key);
}
