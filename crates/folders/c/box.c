/* Offers crypto_box: sealing and opening between the owners of two key pairs. Under
 * keyed, the shared key is prepared and a call is crypto_box_afternm; under oneshot a
 * call is crypto_box. */
#include "crypto_box.h"

#define HAS_KEY_PAIRS
#define ZERO_BYTES crypto_box_ZEROBYTES
#define BOX_ZERO_BYTES crypto_box_BOXZEROBYTES
#include "boxed.h"

#include "random.h"

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

static int begin_nothing(void *ready, const void *how, const struct cpb_key_case *given,
                         char *reason) {
    return 0;
}
static void end_nothing(void *ready) {}

static int answer(int status, char *reason) {
    if (status != 0) snprintf(reason, CPB_KEY_REASON_BYTES, "it returns %d", status);
    return status != 0;
}

static int run_keygen(void *ready, const struct cpb_key_case *given, char *reason) {
    return answer(crypto_box_keypair(given->out[CPB_PUBLIC_KEY].bytes,
                                     given->out[CPB_SECRET_KEY].bytes), reason);
}

static int run_agree(void *ready, const struct cpb_key_case *given, char *reason) {
    return answer(crypto_box_beforenm(given->out[CPB_SHARED_SECRET].bytes,
                                      given->in[CPB_PUBLIC_KEY].bytes,
                                      given->in[CPB_SECRET_KEY].bytes), reason);
}

const cpb_provider *cpb_key_pairs(void) {
    static const struct cpb_key_work keygen = {0, begin_nothing, run_keygen, end_nothing};
    static const struct cpb_key_work agree = {0, begin_nothing, run_agree, end_nothing};
    static const struct cpb_key_sizes sizes = {.public_key = crypto_box_PUBLICKEYBYTES,
                                               .secret_key = crypto_box_SECRETKEYBYTES,
                                               .shared_secret = crypto_box_BEFORENMBYTES};
    static const cpb_provider provider = CPB_KEY_PAIRS;
    if (cpb_key_offer_count == 0) {
        cpb_offer_key(CPB_KEYGEN, CPB_PRIMITIVE, CPB_SPELLING, &sizes, &keygen, NULL);
        cpb_offer_key(CPB_AGREE, CPB_PRIMITIVE, CPB_SPELLING, &sizes, &agree, NULL);
    }
    return &provider;
}

static void add_offers(void) {
    add_box(CPB_SEAL, &seal_ready, make_pairs, 0, crypto_box_NONCEBYTES);
    add_box(CPB_OPEN, &open_ready, make_pairs, 0, crypto_box_NONCEBYTES);
}
