/* Offers crypto_box: sealing and opening between the owners of two key pairs. Under
 * keyed, the shared key is prepared and a call is crypto_box_afternm; under oneshot a
 * call is crypto_box. */
#include "crypto_box.h"

#define HAS_KEY_PAIRS
#define ZERO_BYTES crypto_box_ZEROBYTES
#define BOX_ZERO_BYTES crypto_box_BOXZEROBYTES
#include "boxed.h"

#include "keys.h"

struct pair {
    uint8_t public[crypto_box_PUBLICKEYBYTES], secret[crypto_box_SECRETKEYBYTES];
};

/* The key pairs of both sides, which derive the same shared key. */
static struct pair sender, receiver;

struct shared {
    uint8_t key[crypto_box_BEFORENMBYTES];
};

PART share(struct call *call, struct shared *shared) {
    expect(call, crypto_box_beforenm(shared->key, receiver.public, sender.secret));
}

PART seal_shared(struct call *call, struct shared *shared) {
    take_message(call);
    expect(call, crypto_box_afternm(call->boxed, call->plain, BOXED_BYTES, call->in.nonce,
                                    shared->key));
}
ROUTINE(seal_ready, struct shared, share, seal_shared, nothing)

PART open_shared(struct call *call, struct shared *shared) {
    expect(call, crypto_box_open_afternm(call->plain, call->boxed, BOXED_BYTES, call->in.nonce,
                                         shared->key));
}
ROUTINE(open_ready, struct shared, share, open_shared, nothing)

PART seal_message(struct call *call, struct shared *shared) {
    take_message(call);
    expect(call, crypto_box(call->boxed, call->plain, BOXED_BYTES, call->in.nonce,
                            receiver.public, sender.secret));
}
ROUTINE(seal, struct shared, nothing, seal_message, nothing)

PART open_box(struct call *call, struct shared *shared) {
    expect(call, crypto_box_open(call->plain, call->boxed, BOXED_BYTES, call->in.nonce,
                                 sender.public, receiver.secret));
}
ROUTINE(open, struct shared, nothing, open_box, nothing)

/* Makes the same two key pairs in every process, because the random bytes are the
 * same. */
static bool make_pairs(struct call *call) {
    cpb_start_over();
    if (crypto_box_keypair(sender.public, sender.secret) != 0 ||
        crypto_box_keypair(receiver.public, receiver.secret) != 0)
        return refuse(call, "crypto_box_keypair fails");
    if (call->in.contract == CPB_ONESHOT)
        call->routine = call->offer->shown.operation == CPB_SEAL ? &seal : &open;
    return place_box(call);
}

WORK(keygen) {
    return answer(crypto_box_keypair(OUT(CPB_PUBLIC_KEY), OUT(CPB_SECRET_KEY)), reason);
}

WORK(agree) {
    return answer(
        crypto_box_beforenm(OUT(CPB_SHARED_SECRET), IN(CPB_PUBLIC_KEY), IN(CPB_SECRET_KEY)),
        reason);
}

const cpb_provider *cpb_key_pairs(void) {
    static const struct cpb_key_sizes sizes = {.public_key = crypto_box_PUBLICKEYBYTES,
                                               .secret_key = crypto_box_SECRETKEYBYTES,
                                               .shared_secret = crypto_box_BEFORENMBYTES};
    static const cpb_provider provider = CPB_KEY_PAIRS;
    if (cpb_key_offer_count == 0) {
        OFFER(CPB_KEYGEN, keygen);
        OFFER(CPB_AGREE, agree);
    }
    return &provider;
}

static void add_offers(void) {
    add_box(CPB_SEAL, &seal_ready, make_pairs, 0, crypto_box_NONCEBYTES);
    add_box(CPB_OPEN, &open_ready, make_pairs, 0, crypto_box_NONCEBYTES);
}
