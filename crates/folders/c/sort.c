/* Offers crypto_sort: sorts integers in place, in a different order each time. Copying
 * them there is part of a call. */
#include "crypto_sort.h"

#include "offers.h"

/* The CPU would learn an order that repeats. */
#define ORDERS 32

PART sort_message(struct call *call, size_t *from) {
    const size_t bytes = call->in.message_bytes;
    memcpy(call->in.destination, (const uint8_t *)call->text + *from, bytes);
    crypto_sort(call->in.destination, (long long)(bytes / crypto_sort_BYTES));
    *from += (bytes / crypto_sort_BYTES / ORDERS | 1) * crypto_sort_BYTES;
    if (*from >= bytes) *from = 0;
}
ROUTINE(sort, size_t, nothing, sort_message, nothing)

/* Stores the message twice, so that a different order of the same integers starts at
 * each of them. */
static bool double_message(struct call *call) {
    const size_t bytes = call->in.message_bytes;
    call->text = pages(call, 2 * bytes);
    if (call->text == NULL) return true;
    if (bytes != 0) memcpy(call->text, call->in.message, bytes);
    if (bytes != 0) memcpy((uint8_t *)call->text + bytes, call->in.message, bytes);
    return false;
}

static void add_offers(void) {
    struct offer *offer = add(CPB_SORT, &sort, name(CPB_PRIMITIVE), name(CPB_SPELLING), 0, 0, 0);
    offer->refuses = double_message;
    offer->shown.granularity = crypto_sort_BYTES;
}
