/* Hashes and XOFs. */
#ifndef CPB_OPENSSL_DIGESTS_H
#define CPB_OPENSSL_DIGESTS_H

#include "call.h"

PART hash_begin(struct call *call, void *state) {
    call->context = ssl.digests.new();
    TRY(call->context != NULL);
    TRY_OR_FREE(digests, ssl.digests.init(call->context, call->how, NULL));
}
END(digests)

PART hash_message(struct call *call, void *state) {
    AGAIN(ssl.digests.init(call->context, call->algorithm_again, NULL));
    TRY(ssl.digests.update(call->context, MESSAGE));
    TRY(ssl.digests.finish(call->context, call->in.destination, NULL));
}
ROUTINE(hash, char, hash_begin, hash_message, digests_end)

PART xof_message(struct call *call, void *state) {
    AGAIN(ssl.digests.init(call->context, call->algorithm_again, NULL));
    TRY(ssl.digests.update(call->context, MESSAGE));
    TRY(ssl.digests.finish_xof(call->context, OUTPUT));
}
ROUTINE(xof, char, hash_begin, xof_message, digests_end)

/* Follows bench-slopes: an XOF puts out its own length, whatever length is requested,
 * and errors are ignored. */
PART hash_row_message(struct call *call, void *state) {
    unsigned length = 0;
    ssl.digests.init(call->context, call->algorithm_again, NULL);
    ssl.digests.update(call->context, MESSAGE);
    ssl.digests.finish(call->context, call->in.destination, &length);
}
ROUTINE(hash_row, char, hash_begin, hash_row_message, digests_end)

static bool refuses_hash(struct call *call) {
    if (call->offer->starts_by_algorithm) call->algorithm_again = call->how;
    if (call->in.contract != CPB_COMPAT) return false;
    /* Since 3.4 an XOF has no length of its own. */
    const int own = ssl.properties.digest_bytes(call->how);
    if (own <= 0 || call->in.output_bytes > (uint64_t)own) {
        call->in.output_bytes = own > 0 ? (uint64_t)own : 0;
    }
    call->routine = &hash_row;
    call->text = call->in.destination = pages(call, MOST_DIGEST_BYTES);
    return call->text == NULL;
}

/* Whether it hashes without parameters: a provider may have digests that require some. */
static bool hashes(const EVP_MD *digest, bool is_xof) {
    uint8_t output[MOST_DIGEST_BYTES] = {0};
    EVP_MD_CTX *context = ssl.digests.new();
    const bool does = context != NULL && ssl.digests.init(context, digest, NULL) == 1 &&
                      ssl.digests.update(context, output, sizeof output) == 1 &&
                      (is_xof ? ssl.digests.finish_xof(context, output, sizeof output)
                              : ssl.digests.finish(context, output, NULL)) == 1;
    ssl.digests.free(context);
    return does;
}

/* Hashes a whole message by one function, which finds the algorithm and makes a context
 * each time: nothing is kept between calls. */

PART digest_at_once(struct call *call, void *state) {
    TRY(ssl.whole.digest(MESSAGE, call->in.destination, NULL, call->how, NULL));
}
ROUTINE(whole_digest, char, nothing, digest_at_once, nothing)

PART digest_by_name(struct call *call, void *state) {
    size_t written = call->in.output_bytes;
    TRY(ssl.whole.quick_digest(NULL, call->how, NULL, MESSAGE, call->in.destination, &written));
}
ROUTINE(quick_digest, char, nothing, digest_by_name, nothing)

PART hmac_by_name(struct call *call, void *state) {
    size_t written = call->in.output_bytes;
    TRY(ssl.whole.quick_mac(NULL, "HMAC", NULL, call->how, NULL, KEY, MESSAGE, OUTPUT,
                            &written) != NULL);
}
ROUTINE(quick_mac, char, nothing, hmac_by_name, nothing)

#endif
