/* crypto_sort: integers, each time in another order, sorted where they stand; to bring them
 * there is part of a call. */
#include "crypto_sort.h"

#include "offers.h"

/* The same order again and again is one that the CPU would learn. */
#define ORDERS 32

PART sort_message(struct call *call, size_t *from) {
    const size_t bytes = call->in.message_bytes;
    memcpy(call->in.destination, (const uint8_t *)call->text + *from, bytes);
    crypto_sort(call->in.destination, (long long)(bytes / crypto_sort_BYTES));
    *from += (bytes / crypto_sort_BYTES / ORDERS | 1) * crypto_sort_BYTES;
    if (*from >= bytes) *from = 0;
}
ROUTINE(sort, size_t, nothing, sort_message, nothing)

/* The message twice, so that another begins at each of its integers, of the same ones. */
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
