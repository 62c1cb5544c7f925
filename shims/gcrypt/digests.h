/* Hashes, checksums and extendable-output functions. */

PART digest_open(struct call *call, void *state) {
    digest handle = NULL;
    expect(call, gcry.digests.open(&handle, (int)call->which, 0));
    call->handle = handle;
}
PART digest_close(struct call *call, void *state) {
    if (call->handle != NULL) gcry.digests.close(call->handle);
    call->handle = NULL;
}
/* A new handle needs no reset. */
PART digest_message(struct call *call, void *state) {
    if (call->in.contract != CPB_ONESHOT) gcry.digests.reset(call->handle);
    gcry.digests.write(call->handle, MESSAGE);
}
PART digest_read(struct call *call, void *state) {
    digest_message(call, state);
    const uint8_t *made = gcry.digests.read(call->handle, (int)call->which);
    if (made == NULL) {
        expect(call, UNEXPLAINED);
    } else {
        memcpy(call->in.destination, made, call->in.output_bytes);
    }
}
PART digest_extract(struct call *call, void *state) {
    digest_message(call, state);
    expect(call, gcry.digests.extract(call->handle, (int)call->which, OUTPUT));
}
/* The digest is computed and stays in its handle, as in bench-slopes. */
PART digest_finish(struct call *call, void *state) {
    digest_message(call, state);
    expect(call, gcry.digests.control(call->handle, FINALIZE, NULL, 0));
}
ROUTINE(hash, char, digest_open, digest_read, digest_close)
ROUTINE(xof, char, digest_open, digest_extract, digest_close)
ROUTINE(hash_row, char, digest_open, digest_finish, digest_close)

static bool choose_digest(struct call *call) {
    if (call->in.contract != CPB_COMPAT) return false;
    call->routine = &hash_row;
    return !begin_row(call);
}

/* Whether output can have any length. */
static bool extracts(int algorithm) {
    digest handle = NULL;
    uint8_t byte;
    if (gcry.digests.open(&handle, algorithm, 0) != 0) return false;
    const bool extracts = gcry.digests.extract(handle, algorithm, &byte, 1) == 0;
    gcry.digests.close(handle);
    return extracts;
}

/* Returns the length of a digest, or 0 for an extendable-output function, for which some
 * versions state a length. */
static uint32_t bytes_of_digest(int algorithm) {
    const uint32_t length = gcry.digests.length(algorithm);
    return length != 0 && extracts(algorithm) ? 0 : length;
}

static void add_digests(void) {
    for EVERY_ALGORITHM(algorithm) {
        const char *own = gcry.digests.name(algorithm);
        if (!is_known(own) || !wants_spelling(own)) continue;
        const uint32_t bytes = bytes_of_digest(algorithm);
        struct offer *offer = add(bytes == 0 ? CPB_XOF : CPB_HASH, bytes == 0 ? &xof : &hash,
                                  plain(own), name("%s", own), 0, 0, bytes);
        offer->which = algorithm;
        offer->refuses = choose_digest;
        offer->unavailable = refusal(gcry.digests.info, algorithm);
        with_row(offer, "hash", own, "");
    }
}
