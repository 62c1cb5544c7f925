/* mac.h: a provider of crypto_auth and crypto_onetimeauth, which turn a message
 * and a key into a tag. */
#include "offers.h"

PART tag_message(struct call *call, void *state) {
    expect(call, MAKE_TAG(call->in.destination, MESSAGE, call->in.key));
}
ROUTINE(mac, char, nothing, tag_message, nothing)

static void add_offers(void) {
    struct offer *offer =
        add(CPB_MAC, &mac, name(CPB_PRIMITIVE), name(CPB_SPELLING), KEY_BYTES, 0, TAG_BYTES);
    set_length(offer, CPB_KEY, KEY_BYTES, KEY_BYTES, KEY_BYTES);
}
