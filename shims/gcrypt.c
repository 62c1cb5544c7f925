/* Offers libgcrypt 1.8 and newer as a provider of cpb_provider.h.
 *
 * The library lists its algorithms by number, with names of its own, so nearly all offers
 * come from these lists. A cipher in a mode is spelt AES/GCM. Under the contract keyed a
 * handle is open and has its key, and each call resets it where a new nonce is not enough;
 * a oneshot call opens and closes one. bench-slopes' rows come first, in its order. */
#define _POSIX_C_SOURCE 200809L
#define LIBRARY "gcrypt"
#define HAS_KEY_PAIRS
#define HAS_WORDS
#define FORBIDS_LATE() is_in_fips_mode()
/* The names of a row, which offers carry. */
#define OFFER_FIELDS char row_algorithm[48], row_mode[16]; bool keeps_state;
/* The handle is part of the call, which the timed loop copies, so it is in a register. */
#define CALL_FIELDS                                                                              \
    void *handle;                                                                                \
    struct way way;

#include "gcrypt/functions.h"

/* Says how a call is made where several share a routine; each looks up only what it needs. */
struct way {
    status (*set_nonce)(cipher, const void *, size_t);
    status (*crypt)(cipher, void *, size_t, const void *, size_t);
    uint8_t *destination;
    size_t tag_bytes;
    /* Whether a new nonce is not enough to start again; whether decryption itself compares
     * the tag; whether all lengths are set in advance. */
    bool resets, tag_first, tells_lengths;
};

#include "gcrypt/words.h"

#include "shim.h"

struct gcrypt gcry;

/* Runs over the numbers of digests and ciphers, and of MACs, that bench-slopes tries. */
#define EVERY_ALGORITHM(number) (int number = 1; number < 400; number++)
#define EVERY_MAC(number) (int number = 1; number < 600; number++)

/* The library returns a question mark as the name of an unknown algorithm. */
static bool is_known(const char *name) { return name != NULL && strcmp(name, "?") != 0; }

/* Sets the names of an offer's row. */
static struct offer *with_row(struct offer *offer, const char *group, const char *algorithm,
                              const char *mode) {
    snprintf(offer->row_algorithm, sizeof offer->row_algorithm, "%s", algorithm);
    snprintf(offer->row_mode, sizeof offer->row_mode, "%.15s", mode);
    set_row(offer, group, offer->row_algorithm, offer->row_mode);
    return offer;
}

/* Returns why the library refuses an algorithm, or null if it does not. */
static const char *refusal(status (*info)(int, int, void *, size_t *), int algorithm) {
    char text[256];
    const status failed = info(algorithm, TEST_ALGORITHM, NULL, NULL);
    if (failed == 0) return NULL;
    say_refused(failed, text, sizeof text);
    /* The text lives as long as the offer. */
    return strdup(text);
}

/* Converts a name to lower case with hyphens. */
static struct name plain(const char *own) { return with_hyphens(lower(own)); }

/* Prepares a row of bench-slopes, which has no output to compare. Where a row has lengths
 * of its own, its memory begins with a key, and has a nonce at offset 256. */
static bool begin_row(struct call *call) {
    call->in.output_bytes = 0;
    call->text = pages(call, 512);
    if (call->text == NULL) return false;
    for (int i = 0; i < 256; i++) {
        ((uint8_t *)call->text)[i] = (uint8_t)((17 * i + 5) % 251);
        ((uint8_t *)call->text)[256 + i] = (uint8_t)((13 * i + 3) % 251);
    }
    return true;
}
static void give_key(struct call *call, size_t bytes) {
    call->in.key = call->text;
    call->in.key_bytes = bytes;
}
static void give_nonce(struct call *call, size_t bytes) {
    call->in.nonce = (uint8_t *)call->text + 256;
    call->in.nonce_bytes = bytes;
}

#include "gcrypt/digests.h"

#include "gcrypt/macs.h"

#include "gcrypt/aeads.h"

#include "gcrypt/ciphers.h"

#include "gcrypt/derivations.h"

PART random_bytes(struct call *call, void *state) { gcry.core.randomize(OUTPUT, STRONG_RANDOM); }
ROUTINE(randomness, char, nothing, random_bytes, nothing)

static void add_offers(void) {
    if (wants(CPB_HASH) || wants(CPB_XOF)) add_digests();
    for (int extras = 0; extras < 2; extras++) {
        if (wants(CPB_MAC)) add_macs(extras);
        if (wanted == NULL || strchr(wanted, '/') != NULL) add_ciphers(extras);
        if (wants(CPB_DERIVE)) add_derivations(extras);
    }
    if (!wants(CPB_RANDOM)) return;
    struct offer *random = add(CPB_RANDOM, &randomness, name("random"), name("gcry_randomize"), 0,
                               0, 0);
    random->lengths.count = 0;
    set_length(random, CPB_OUTPUT, 0, 32, CPB_ANY);
}

EXPORTED const char *cpb_shim_use(void *library) {
    const char *lacking = CPB_FILL(library, gcry.core, CORE);
    if (lacking == NULL) lacking = CPB_FILL(library, gcry.digests, DIGESTS);
    if (lacking == NULL) lacking = CPB_FILL(library, gcry.macs, MACS);
    if (lacking == NULL) lacking = CPB_FILL(library, gcry.ciphers, CIPHERS);
    if (lacking == NULL) lacking = CPB_FILL(library, gcry.derivations, DERIVATIONS);
    gcry.has_configuration = CPB_FILL(library, gcry.configuration, CONFIGURATION) == NULL;
    gcry.has_steps = CPB_FILL(library, gcry.steps, STEPS) == NULL;
    gcry.has_keys = CPB_FILL(library, gcry.keys, KEYS) == NULL;
    return lacking;
}

/* Requesting no particular version is how the library is initialized. */
static const char *version(void) {
    const char *version = gcry.core.check_version(NULL);
    return version == NULL ? "unknown" : version;
}

/* Makes the library usable. */
EXPORTED const char *cpb_shim_refusal(const char **remedy) {
    static char reason[96];
    const char *found = version();
    if (gcry.core.check_version("1.8.0") == NULL) {
        snprintf(reason, sizeof reason, "version %s is too old; 1.8 or newer is needed", found);
        return reason;
    }
    if (gcry.core.control(INITIALIZATION_FINISHED_P) == 0) {
        /* Locked memory is scarce, and nothing here is secret. */
        gcry.core.control(DISABLE_SECURE_MEMORY, 0);
        gcry.core.control(INITIALIZATION_FINISHED, 0);
    }
    return NULL;
}

EXPORTED const char *cpb_shim_banner(void) {
    static char banner[64];
    snprintf(banner, sizeof banner, "libgcrypt: %s", version());
    return banner;
}

/* Returns the CPU features that the library found and was not told to ignore. */
static const char *code_path(void) {
    static char features[1024];
    static const char heading[] = "hwflist:";
    char *line = gcry.has_configuration ? gcry.configuration.line(0, "hwflist") : NULL;
    if (line == NULL) return NULL;
    const bool is_headed = strncmp(line, heading, strlen(heading)) == 0;
    snprintf(features, sizeof features, "%s", line + (is_headed ? strlen(heading) : 0));
    gcry.core.free(line);
    size_t end = strlen(features);
    while (end > 0 && strchr(":\n", features[end - 1]) != NULL) features[--end] = '\0';
    return features;
}
