/* Authenticated encryption, and how handles of ciphers are opened and closed. */

/* A mode as the library and bench-slopes name it. */
struct mode {
    const char *name;
    int number;
    /* The kinds of ciphers it works with, which the library checks late or not at
     * all. */
    enum { BLOCKS, WIDE_BLOCKS, WIDE_BLOCKS_PLAIN_KEY, STREAMS, CHACHA20_ALONE } ciphers;
    /* Whether it computes a tag; the lengths of its nonce and of bench-slopes'. */
    bool has_tag;
    uint32_t nonce_bytes, row_nonce_bytes;
};

PART cipher_open(struct call *call, void *state) {
    const struct mode *mode = call->how;
    cipher handle = NULL;
    const status failed = gcry.ciphers.open(&handle, (int)call->which, mode->number, 0);
    expect(call, failed != 0 ? failed : gcry.ciphers.set_key(handle, KEY));
    call->handle = handle;
}
PART cipher_close(struct call *call, void *state) {
    if (call->handle != NULL) gcry.ciphers.close(call->handle);
    call->handle = NULL;
}
/* Sends a command that takes no buffer. */
static inline __attribute__((always_inline)) status cipher_command(cipher handle, int command) {
    return gcry.ciphers.control(handle, command, NULL, 0);
}
/* Tells CCM the lengths in advance. */
static inline __attribute__((always_inline)) status tell_lengths(cipher handle, uint64_t text,
                                                                 uint64_t aad, uint64_t tag) {
    uint64_t lengths[3] = {text, aad, tag};
    return gcry.ciphers.control(handle, SET_CCM_LENGTHS, lengths, sizeof lengths);
}

/* Sets everything that comes before the text. */
PART aead_introduce(struct call *call, void *state) {
    if (call->way.resets && call->in.contract != CPB_ONESHOT) {
        expect(call, cipher_command(call->handle, RESET));
    }
    if (call->in.nonce_bytes != 0) expect(call, gcry.ciphers.set_nonce(call->handle, NONCE));
    if (call->way.tells_lengths) {
        expect(call, tell_lengths(call->handle, call->in.message_bytes, call->in.aad_bytes,
                                  call->way.tag_bytes));
    }
    if (call->in.aad_bytes != 0) expect(call, gcry.ciphers.authenticate(call->handle, AAD));
    if (!call->way.tells_lengths) expect(call, cipher_command(call->handle, FINALIZE));
}
/* The modes that compute their tag over the plaintext must be told if it is empty. */
PART aead_seal(struct call *call, void *state) {
    aead_introduce(call, state);
    expect(call, gcry.ciphers.encrypt(call->handle, call->in.destination, call->in.message_bytes, MESSAGE));
    expect(call, gcry.ciphers.take_tag(call->handle, TAG_BEHIND, call->way.tag_bytes));
}
PART aead_open(struct call *call, void *state) {
    aead_introduce(call, state);
    if (call->way.tag_first) {
        /* Any earlier, GCM-SIV would accept no associated data. */
        expect(call, gcry.ciphers.control(call->handle, SET_DECRYPTION_TAG, (void *)call->in.tag,
                                          call->in.tag_bytes));
    }
    expect(call, gcry.ciphers.decrypt(call->handle, call->in.destination, call->in.message_bytes, MESSAGE));
    if (!call->way.tag_first) {
        expect(call, gcry.ciphers.check_tag(call->handle, call->in.tag, call->in.tag_bytes));
    }
}
ROUTINE(sealing, char, cipher_open, aead_seal, cipher_close)
ROUTINE(opening, char, cipher_open, aead_open, cipher_close)

/* bench-slopes times these in place, without associated data, and opens text that was
 * never sealed. */
#define ROW_TAG_BYTES 16
#define ROW_CCM_TAG_BYTES 8

/* The nonce is set even where there is none, and the result is not checked; a failure
 * shows later. Most modes refuse a tag that is set before. */
PART row_introduce(struct call *call, void *state, uint8_t *tag) {
    if (call->way.tells_lengths) {
        (void)gcry.ciphers.set_nonce(call->handle, NONCE);
        expect(call, tell_lengths(call->handle, call->in.message_bytes, 0, ROW_CCM_TAG_BYTES));
        return;
    }
    expect(call, cipher_command(call->handle, RESET));
    if (tag != NULL) (void)gcry.ciphers.control(call->handle, SET_DECRYPTION_TAG, tag, ROW_TAG_BYTES);
    (void)gcry.ciphers.set_nonce(call->handle, NONCE);
    (void)cipher_command(call->handle, FINALIZE);
}
PART row_encrypt(struct call *call, void *state, uint8_t *text, size_t bytes) {
    uint8_t tag[ROW_TAG_BYTES];
    expect(call, gcry.ciphers.encrypt(call->handle, text, bytes, text, bytes));
    expect(call, gcry.ciphers.take_tag(call->handle, tag, call->way.tag_bytes));
}
PART row_seal(struct call *call, void *state) {
    row_introduce(call, state, NULL);
    row_encrypt(call, state, MESSAGE);
}
/* A wrong tag is expected where random text is opened. */
PART expect_or_wrong_tag(struct call *call, status answer) {
    expect(call, (answer & STATUS_BITS) == WRONG_TAG ? 0 : answer);
}
PART row_open(struct call *call, void *state) {
    uint8_t tag[ROW_TAG_BYTES] = {0};
    row_introduce(call, state, tag);
    expect_or_wrong_tag(call, gcry.ciphers.decrypt(call->handle, MESSAGE, MESSAGE));
    expect_or_wrong_tag(call, gcry.ciphers.check_tag(call->handle, tag, call->way.tag_bytes));
}
PART row_authenticate(struct call *call, void *state) {
    uint8_t text = 0xff;
    if (call->way.tells_lengths) {
        (void)gcry.ciphers.set_nonce(call->handle, NONCE);
        expect(call, tell_lengths(call->handle, 1, call->in.aad_bytes, ROW_CCM_TAG_BYTES));
    } else {
        expect(call, cipher_command(call->handle, RESET));
        if (call->in.nonce_bytes != 0) expect(call, gcry.ciphers.set_nonce(call->handle, NONCE));
    }
    expect(call, gcry.ciphers.authenticate(call->handle, AAD));
    if (!call->way.tells_lengths) (void)cipher_command(call->handle, FINALIZE);
    row_encrypt(call, state, &text, 1);
}
ROUTINE(row_sealing, char, cipher_open, row_seal, cipher_close)
ROUTINE(row_opening, char, cipher_open, row_open, cipher_close)
ROUTINE(row_authentication, char, cipher_open, row_authenticate, cipher_close)

static bool choose_aead(struct call *call) {
    const struct mode *mode = call->how;
    const uint32_t operation = call->offer->shown.operation;
    const bool is_siv = strcmp(mode->name, "SIV") == 0 || strcmp(mode->name, "GCM-SIV") == 0;
    call->way.tells_lengths = strcmp(mode->name, "CCM") == 0;
    call->way.tag_first = is_siv;
    /* SIV and GCM-SIV refuse to start again; EAX continues with the keystream left over
     * from a partial last block, which gives wrong results. */
    call->way.resets = call->offer->keeps_state || is_siv || strcmp(mode->name, "EAX") == 0;
    call->way.tag_bytes = operation == CPB_OPEN ? call->in.tag_bytes
                                                : call->in.output_bytes - call->in.message_bytes;
    if (call->in.contract != CPB_COMPAT) return false;
    call->way.tag_bytes = call->way.tells_lengths ? ROW_CCM_TAG_BYTES : ROW_TAG_BYTES;
    call->routine = operation == CPB_SEAL   ? &row_sealing
                    : operation == CPB_OPEN ? &row_opening
                                            : &row_authentication;
    if (!begin_row(call)) return true;
    give_nonce(call, mode->row_nonce_bytes);
    return false;
}
