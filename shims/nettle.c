/* Nettle as a provider of cpb_provider.h.
 *
 * The library has no objects of its own: it exports functions and lists of
 * descriptors, and leaves the memory for contexts to its caller. So what the
 * contract oneshot adds to keyed is the key schedule. */
#define _GNU_SOURCE
#include "joined.h"
#include "key_pairs.h"
#include "nettle/offers.h"

#include <dlfcn.h>

#define EXPORTED __attribute__((visibility("default")))

/* The library does not say which code it took. A fat build shows what it can choose
 * from, by functions that are not in its headers; the words are those that the variable
 * takes which overrides the choice. */
static const char *code_path(void) {
    static const char *const variants[][2] = {
        {"_nettle_aes128_encrypt_aesni", "aesni"},
        {"_nettle_ghash_update_pclmul", "pclmul"},
        {"_nettle_sha1_compress_sha_ni", "sha_ni"},
        {"_nettle_aes128_encrypt_arm64", "aes"},
        {"_nettle_ghash_update_arm64", "pmull"},
        {"_nettle_sha1_compress_arm64", "sha1"},
        {"_nettle_sha256_compress_n_arm64", "sha2"},
    };
    static char text[512];
    size_t used = 0;
    for (size_t i = 0; i < LENGTH_OF(variants); i++) {
        if (dlsym(RTLD_DEFAULT, variants[i][0]) == NULL) continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                 used == 0 ? "fat build with " : ", ", variants[i][1]);
    }
    if (used == 0) return NULL;
    const char *told = getenv("NETTLE_FAT_OVERRIDE");
    snprintf(text + used, sizeof text - used, "%s%s",
             told != NULL ? "; NETTLE_FAT_OVERRIDE=" : ", each where the CPU has it",
             told != NULL ? told : "");
    return text;
}

static uint64_t count(void) { return offers_count; }

static const cpb_implementation *implementation(uint64_t index) {
    return index < offers_count ? &shown[index]->shown : NULL;
}

static void release(void *handle) {
    struct call *call = handle;
    free(call->contexts);
    free(call->text);
    free(call);
}

static int prepare(uint64_t index, const cpb_workload *workload, void **handle, char *reason,
                   uint64_t reason_bytes) {
    struct call *call = calloc(1, sizeof *call);
    if (call == NULL || index >= offers_count) {
        snprintf(reason, reason_bytes, "%s", call ? "no such implementation" : "no memory");
        free(call);
        return 1;
    }
    const struct offer *offer = call->offer = shown[index];
    call->workload = workload;
    if (offer->hash != NULL) call->hash = *offer->hash;
    if (offer->cipher != NULL) call->cipher = *offer->cipher;
    if (offer->mac != NULL) call->mac = *offer->mac;
    const bool has_one_case = cpb_symmetric_of(&call->in, offer->shown.operation, workload) == 0;
    if (!has_one_case) refuse(call, "a call of it has one case");
    if (!has_one_case || !offer->make(call)) {
        snprintf(reason, reason_bytes, "%s", call->reason);
        release(call);
        return 1;
    }
    call->routine->key(call);
    *handle = call;
    return 0;
}

static void run(void *handle, uint64_t calls) {
    struct call *call = handle;
    call->routine->run(call, calls);
}

static int output(void *handle, cpb_buffer *outputs, uint64_t count, char *reason,
                  uint64_t reason_bytes) {
    const struct call *call = handle;
    /* Under compat, what is opened is noise. */
    if (call->failed && call->in.contract != CPB_COMPAT) {
        snprintf(reason, reason_bytes, "nettle rejects the tag");
        return 1;
    }
    cpb_symmetric_share(call->workload, call->in.destination, call->in.output_bytes, outputs,
                        count);
    if (count == 2 && ((const struct aead *)call->offer->how)->tag == BEFORE) {
        outputs[0].bytes = call->in.destination + TAG_BYTES;
        outputs[1].bytes = call->in.destination;
    }
    return 0;
}

EXPORTED const cpb_provider *cpb_provider_v2(void) {
    static char version[32];
    static const cpb_provider provider = {
        CPB_PROVIDER_ABI, 0,       "nettle", version, code_path, count,
        implementation,   prepare, run,      output,  release,
    };
    if (offers_count == 0) {
        snprintf(version, sizeof version, "%d.%d", nettle_version_major(), nettle_version_minor());
        add_everything();
    }
    return cpb_join(&provider, cpb_key_pairs());
}
