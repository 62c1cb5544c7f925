/* boxed.h: what crypto_secretbox and crypto_box share: zeros precede a message and its
 * box, and a tag precedes the ciphertext. ZERO_BYTES and BOX_ZERO_BYTES are the numbers
 * of zeros. */
#ifndef CPB_BOXED_H
#define CPB_BOXED_H

#define CALL_FIELDS uint8_t *plain, *boxed;
#include "offers.h"

#define TAG_BYTES (ZERO_BYTES - BOX_ZERO_BYTES)
#define BOXED_BYTES (ZERO_BYTES + call->in.message_bytes)

/* The most bytes of a message that may be the output of the previous call. */
#define FED_BYTES 16

PART take_message(struct call *call) {
    if (call->in.message_bytes >= FED_BYTES)
        memcpy(call->plain + ZERO_BYTES, call->in.message, FED_BYTES);
}

/* Allocates both at the same offset in their pages as the message. */
static bool place_box(struct call *call) {
    const size_t bytes = call->in.message_bytes;
    const size_t offset = (uintptr_t)call->in.message % PAGE_BYTES;
    const size_t room = ((offset + ZERO_BYTES + bytes) / PAGE_BYTES + 1) * PAGE_BYTES;
    call->text = pages(call, 2 * room);
    if (call->text == NULL) return true;
    call->plain = (uint8_t *)call->text + offset;
    call->boxed = call->plain + room;
    const bool opens = call->offer->shown.operation == CPB_OPEN;
    if (opens && TAG_BYTES != 0) memcpy(call->boxed + BOX_ZERO_BYTES, call->in.tag, TAG_BYTES);
    if (bytes != 0) {
        memcpy((opens ? call->boxed : call->plain) + ZERO_BYTES, call->in.message, bytes);
    }
    call->in.destination = opens ? call->plain + ZERO_BYTES : call->boxed + BOX_ZERO_BYTES;
    return false;
}

static void add_box(enum cpb_operation operation, const struct routine *routine,
                    bool (*refuses)(struct call *), size_t key, size_t nonce) {
    struct offer *offer =
        add(operation, routine, name(CPB_PRIMITIVE), name(CPB_SPELLING), key, nonce, TAG_BYTES);
    set_length(offer, CPB_AAD, 0, 0, 0);
    offer->tag_first = operation == CPB_SEAL;
    offer->refuses = refuses;
}

#endif
