/* Offers Intel's Multi-Buffer Crypto for IPsec as a provider of cpb_provider.h.
 *
 * The library is made to process many messages side by side. Here each call submits
 * one, as a job that is flushed at once: this measures the cost of a single message,
 * not what the library achieves with many. Hashes and AES-GCM have functions for one
 * message, which are used. The backends are the managers for each generation of CPUs;
 * the default is the one that the library chooses itself. */
#define LIBRARY "ipsec-mb"
#include "shim.h"

#define NO_COMPAT_IMB_API_053
#include <intel-ipsec-mb.h>
#include <stddef.h>

#define BLOCK_BYTES 16
#define TAG_BYTES 16
#define LONGEST_HASH_BLOCK 128
/* The longest job with AES in CBC mode or a block-cipher MAC, whose lengths are kept
 * in 16 bits. */
#define LONGEST_JOB 65534
/* CCM's associated data occupies three blocks together with its length. */
#define LONGEST_CCM_AAD 46

static const char *version(void) {
    const char *text = imb_get_version_str();
    return text + strcspn(text, "0123456789");
}

static struct manager {
    const char *backend;
    uint64_t features;
    void (*init)(IMB_MGR *);
    uint32_t arch;
    IMB_MGR *manager;
} managers[] = {
    {"sse", IMB_CPUFLAGS_SSE, init_mb_mgr_sse, IMB_ARCH_SSE, NULL},
    {"avx", IMB_CPUFLAGS_AVX, init_mb_mgr_avx, IMB_ARCH_AVX, NULL},
    {"avx2", IMB_CPUFLAGS_AVX2, init_mb_mgr_avx2, IMB_ARCH_AVX2, NULL},
    {"avx512", IMB_CPUFLAGS_AVX512, init_mb_mgr_avx512, IMB_ARCH_AVX512, NULL},
};
static IMB_ARCH chosen = IMB_ARCH_NONE;

static const char *code_path(void) {
    for (size_t i = 0; i < LENGTH_OF(managers); i++) {
        if (managers[i].arch == chosen) return managers[i].backend;
    }
    return NULL;
}

/* Keys as the library expands them, and the job template of each call. */
struct state {
    struct gcm_key_data gcm __attribute__((aligned(64)));
    uint8_t encryption[BLOCK_BYTES * 15] __attribute__((aligned(16)));
    uint8_t decryption[BLOCK_BYTES * 15] __attribute__((aligned(16)));
    uint8_t inner[64] __attribute__((aligned(16)));
    uint8_t outer[64] __attribute__((aligned(16)));
    uint64_t des[3][IMB_DES_KEY_SCHED_SIZE / 8] __attribute__((aligned(64)));
    const void *des_keys[3];
    struct gcm_context_data context;
    uint8_t tag[BLOCK_BYTES];
    IMB_JOB job;
};

#define MANAGER ((IMB_MGR *)(uintptr_t)call->how)

PART run_job(struct call *call, struct state *state) {
    IMB_MGR *manager = MANAGER;
    IMB_JOB *job = IMB_GET_NEXT_JOB(manager);
    *job = state->job;
    job = IMB_SUBMIT_JOB(manager);
    if (job == NULL) job = IMB_FLUSH_JOB(manager);
    if (job == NULL || job->status != IMB_STATUS_COMPLETED) {
        const int reason = imb_get_errno(manager);
        expect(call, reason != 0 ? reason : -1);
    }
}

static bool is_empty(struct call *call) {
    return call->in.message_bytes == 0 &&
           refuse(call, "ipsec-mb takes no empty message in a job of %s", call->offer->spelling);
}
static bool is_too_long(struct call *call) {
    return call->in.message_bytes > LONGEST_JOB &&
           refuse(call, "ipsec-mb takes up to %d bytes in a job of %s", LONGEST_JOB,
                  call->offer->spelling);
}
static bool does_not_fit(struct call *call) { return is_empty(call) || is_too_long(call); }

/* Encodes the kind of a job in the number of an offer. */
#define KIND(mode, hash, direction) ((intptr_t)(mode) << 16 | (intptr_t)(hash) << 2 | (direction))
#define MODE_OF(which) ((IMB_CIPHER_MODE)((which) >> 16))
#define HASH_OF(which) ((IMB_HASH_ALG)((which) >> 2 & 0x3fff))
#define DIRECTION_OF(which) ((IMB_CIPHER_DIRECTION)((which)&3))

#include "ipsec-mb/ciphers.h"
#include "ipsec-mb/digests.h"

static void add_offers(void) {
    IMB_MGR *probe = alloc_mb_mgr(0);
    if (probe == NULL) return;
    init_mb_mgr_auto(probe, &chosen);
    const uint64_t features = imb_get_feature_flags();
    free_mb_mgr(probe);
    for (size_t i = 0; i < LENGTH_OF(managers); i++) {
        struct manager *it = &managers[i];
        if ((features & it->features) != it->features) continue;
        /* The manager lives as long as the provider. */
        it->manager = alloc_mb_mgr(0);
        if (it->manager == NULL) continue;
        it->init(it->manager);
        if (imb_get_errno(it->manager) != 0) continue;
        const size_t first = offers_count;
        add_digests();
        add_ciphers();
        for (size_t j = first; j < offers_count; j++) {
            offers[j].how = it->manager;
            offers[j].shown.backend = it->backend;
            offers[j].shown.is_default = it->arch == chosen;
        }
    }
}
