/* Message authentication codes. */

/* The key length of bench-slopes if the library prefers none. */
#define ROW_KEY_BYTES 32
/* The part of a Poly1305 key that the cipher does not use. */
#define POLY1305_R_BYTES 16
#define POLY1305_NONCE_BYTES 16
#define GMAC_NONCE_BYTES 12

PART mac_open(struct call *call, void *state) {
    authenticator handle = NULL;
    const status failed = gcry.macs.open(&handle, (int)call->which, 0, NULL);
    expect(call, failed != 0 ? failed : gcry.macs.set_key(handle, KEY));
    call->handle = handle;
}
PART mac_close(struct call *call, void *state) {
    if (call->handle != NULL) gcry.macs.close(call->handle);
    call->handle = NULL;
}
/* A new nonce also begins a message; without one, a reset is refused. */
PART mac_message(struct call *call, void *state) {
    size_t tag_bytes = call->in.output_bytes;
    if (call->in.nonce_bytes != 0) {
        expect(call, gcry.macs.set_nonce(call->handle, NONCE));
    } else if (call->in.contract != CPB_ONESHOT) {
        expect(call, gcry.macs.control(call->handle, RESET, NULL, 0));
    }
    expect(call, gcry.macs.write(call->handle, MESSAGE));
    expect(call, gcry.macs.read(call->handle, call->in.destination, &tag_bytes));
}
ROUTINE(mac, char, mac_open, mac_message, mac_close)

/* Follows bench-slopes: it reads one byte of the tag, which GMAC refuses without being
 * noticed, and sets a nonce at most once, for Poly1305. */
PART mac_row_open(struct call *call, void *state) {
    mac_open(call, state);
    if (call->failed == 0 && call->in.nonce_bytes == POLY1305_NONCE_BYTES) {
        expect(call, gcry.macs.set_nonce(call->handle, NONCE));
    }
}
PART mac_row_message(struct call *call, void *state) {
    size_t tag_bytes = 1;
    expect(call, gcry.macs.control(call->handle, RESET, NULL, 0));
    expect(call, gcry.macs.write(call->handle, MESSAGE));
    (void)gcry.macs.read(call->handle, call->in.destination, &tag_bytes);
}
ROUTINE(mac_row, char, mac_row_open, mac_row_message, mac_close)

/* Returns the key length that the library prefers. */
static uint32_t mac_key_bytes(int algorithm) {
    const uint32_t preferred = gcry.macs.key_length(algorithm);
    return preferred == 0 ? ROW_KEY_BYTES : preferred;
}

static bool choose_mac(struct call *call) {
    if (call->in.contract != CPB_COMPAT) return false;
    call->routine = &mac_row;
    if (!begin_row(call)) return true;
    give_key(call, mac_key_bytes((int)call->which));
    return false;
}

static bool begins_with(const char *text, const char *beginning) {
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

static struct offer *add_mac(int algorithm, const char *own, struct name spelling,
                             uint32_t key_bytes) {
    const struct name whole = plain(own);
    struct name primitive = whole;
    uint32_t nonce_bytes = 0;
    if (begins_with(own, "CMAC_") || begins_with(own, "GMAC_")) {
        nonce_bytes = own[0] == 'G' ? GMAC_NONCE_BYTES : 0;
        primitive = name("%.40s-%u", whole.text, 8 * key_bytes);
    } else if (begins_with(own, "POLY1305_")) {
        nonce_bytes = POLY1305_NONCE_BYTES;
        primitive = name("%.40s-%u", whole.text, 8 * (key_bytes - POLY1305_R_BYTES));
    }
    struct offer *offer = add(CPB_MAC, &mac, primitive, spelling, key_bytes, nonce_bytes,
                              gcry.macs.length(algorithm));
    offer->which = algorithm;
    offer->refuses = choose_mac;
    offer->unavailable = refusal(gcry.macs.info, algorithm);
    return offer;
}

/* Whether the library accepts a key of this length. */
static bool takes_key(int algorithm, size_t bytes) {
    static const uint8_t key[32] = {0x5a};
    authenticator handle = NULL;
    if (gcry.macs.open(&handle, algorithm, 0, NULL) != 0) return false;
    const bool takes = gcry.macs.set_key(handle, key, bytes) == 0;
    gcry.macs.close(handle);
    return takes;
}

/* Offers further key lengths of ciphers with 16-byte blocks. The library has one MAC for
 * each cipher, which accepts all lengths; bench-slopes has a row for one of them only. */
static void add_other_keys(int algorithm, const char *own, uint32_t key_bytes) {
    static const char *const several[] = {"AES", "CAMELLIA", "TWOFISH", "SERPENT", "ARIA"};
    bool has_several = false;
    if (!begins_with(own, "CMAC_") && !begins_with(own, "GMAC_")) return;
    for (size_t i = 0; i < LENGTH_OF(several); i++) {
        has_several |= strcmp(own + strlen("CMAC_"), several[i]) == 0;
    }
    for (uint32_t bytes = 16; has_several && bytes <= 32; bytes += 8) {
        const struct name spelling = name("%.40s/%u", own, 8 * bytes);
        if (bytes == key_bytes || !wants_spelling(spelling.text)) continue;
        if (takes_key(algorithm, bytes)) add_mac(algorithm, own, spelling, bytes);
    }
}

static void add_macs(bool extras) {
    for EVERY_MAC(algorithm) {
        const char *own = gcry.macs.name(algorithm);
        if (!is_known(own)) continue;
        const uint32_t key_bytes = mac_key_bytes(algorithm);
        if (extras) {
            add_other_keys(algorithm, own, key_bytes);
        } else if (wants_spelling(own)) {
            const bool is_hmac = begins_with(own, "HMAC_");
            struct offer *offer = add_mac(algorithm, own, name("%s", own),
                                          is_hmac ? 32 : key_bytes);
            with_row(offer, "mac", own, "");
        }
    }
}
