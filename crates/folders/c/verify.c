/* Offers crypto_verify: compares a string with an equal one. */
#include "crypto_verify.h"

#include "fixed.h"

PART compare_strings(struct call *call, void *copy) {
    const int answer = crypto_verify(call->in.message, copy);
    *call->in.destination = (uint8_t)answer;
    expect(call, answer);
}

PART copy_string(struct call *call, void *copy) {
    memcpy(copy, call->in.message, crypto_verify_BYTES);
}

struct string {
    uint8_t bytes[crypto_verify_BYTES];
};
ROUTINE(compare, struct string, copy_string, compare_strings, nothing)

static void add_offers(void) { add_fixed(CPB_COMPARE, &compare, crypto_verify_BYTES, 0, 1); }
