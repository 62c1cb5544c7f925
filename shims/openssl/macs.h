/* MACs and key derivations, through EVP_MAC and EVP_KDF since 3.0 and through their own
 * functions before; and random bytes. */
#ifndef CPB_OPENSSL_MACS_H
#define CPB_OPENSSL_MACS_H

#include "call.h"

END(macs)
END(hmac)
END(cmac)
END(derivations)

PART mac_begin(struct call *call, void *state) {
    call->context = ssl.macs.new((EVP_MAC *)(uintptr_t)call->how);
    TRY(call->context != NULL);
    TRY_OR_FREE(macs, ssl.macs.init(call->context, KEY, call->settings));
}

/* A context that keeps its key gets none. */
PART mac_message(struct call *call, void *state) {
    const size_t key_bytes = call->key_again != NULL ? call->in.key_bytes : 0;
    size_t written = 0;
    AGAIN(ssl.macs.init(call->context, call->key_again, key_bytes, call->each_message));
    TRY(ssl.macs.update(call->context, MESSAGE));
    TRY(ssl.macs.finish(call->context, call->in.destination, &written, call->in.output_bytes));
    TRY(written == call->in.output_bytes);
}
ROUTINE(mac, char, mac_begin, mac_message, macs_end)

PART hmac_begin(struct call *call, void *state) {
    call->context = ssl.hmac.new();
    TRY(call->context != NULL);
    const int key_bytes = (int)call->in.key_bytes;
    TRY_OR_FREE(hmac, ssl.hmac.init(call->context, call->in.key, key_bytes, call->how, NULL));
}
PART hmac_message(struct call *call, void *state) {
    unsigned written = 0;
    AGAIN(ssl.hmac.init(call->context, NULL, 0, NULL, NULL));
    TRY(ssl.hmac.update(call->context, MESSAGE));
    TRY(ssl.hmac.finish(call->context, call->in.destination, &written));
    TRY(written == call->in.output_bytes);
}
ROUTINE(old_hmac, char, hmac_begin, hmac_message, hmac_end)

PART cmac_begin(struct call *call, void *state) {
    call->context = ssl.cmac.new();
    TRY(call->context != NULL);
    TRY_OR_FREE(cmac, ssl.cmac.init(call->context, KEY, call->how, NULL));
}
PART cmac_message(struct call *call, void *state) {
    size_t written = 0;
    AGAIN(ssl.cmac.init(call->context, NULL, 0, NULL, NULL));
    TRY(ssl.cmac.update(call->context, MESSAGE));
    TRY(ssl.cmac.finish(call->context, call->in.destination, &written));
    TRY(written == call->in.output_bytes);
}
ROUTINE(old_cmac, char, cmac_begin, cmac_message, cmac_end)

/* Early versions of 3.0 did not reset every context, and reported no error, so under the
 * contract keyed the first two tags must be equal. */
static bool refuses_to_restart(struct call *call) {
    uint8_t first[256];
    const size_t bytes = call->in.output_bytes;
    if (call->in.contract != CPB_KEYED || bytes > sizeof first) return false;
    call->routine->begin(call);
    if (call->failed == 0) call->routine->run(call, 1);
    memcpy(first, call->in.destination, bytes);
    if (call->failed == 0) call->routine->run(call, 1);
    call->routine->end(call);
    return call->failed == 0 && memcmp(first, call->in.destination, bytes) != 0 &&
           refuse(call, "this OpenSSL cannot start a message anew with the same key");
}

/* Returns room for two lists, which lives as long as the call. */
static struct parameters *lists(struct call *call) {
    struct parameters *lists = call->text = calloc(2, sizeof *lists);
    if (lists == NULL) {
        refuse(call, "there is no memory for parameters");
        return NULL;
    }
    call->settings = lists[0].list;
    call->each_message = lists[1].list;
    return lists;
}

static bool refuses_mac(struct call *call) {
    const struct offer *offer = call->offer;
    struct parameters *settings = lists(call);
    if (settings == NULL) return true;
    if (offer->made_of != NULL) set_text(settings, offer->parameter, offer->made_of);
    if (offer->tag_bytes != 0) set_number(settings, "size", offer->tag_bytes);
    if (call->in.nonce_bytes != 0) {
        set_bytes(settings, "iv", NONCE);
        set_bytes(settings + 1, "iv", NONCE);
    }
    if (offer->starts_by_key) call->key_again = call->in.key;
    return refuses_to_restart(call);
}

/* Key derivation. scrypt's N, r and p are the usual parameters for interactive logins
 * (Percival, "Stronger key derivation via sequential memory-hard functions", 2009). */
#define SCRYPT_N 16384
#define SCRYPT_R 8
#define SCRYPT_P 1
/* Exceeds the memory that these parameters take. */
#define SCRYPT_MOST_BYTES (64 << 20)

/* Under oneshot, each call passes the settings. */
PART derive_begin(struct call *call, void *state) {
    call->context = ssl.derivations.new((EVP_KDF *)(uintptr_t)call->how);
    TRY(call->context != NULL);
    if (call->in.contract == CPB_ONESHOT) return;
    TRY_OR_FREE(derivations, ssl.derivations.set(call->context, call->settings));
}
PART derive_output(struct call *call, void *state) {
    const bool is_keyed = call->in.contract != CPB_ONESHOT;
    TRY(is_keyed || call->context != NULL);
    TRY(ssl.derivations.derive(call->context, OUTPUT, is_keyed ? NULL : call->settings));
}
ROUTINE(derive, char, derive_begin, derive_output, derivations_end)

static bool refuses_derivation(struct call *call) {
    struct parameters *settings = lists(call);
    if (settings == NULL) return true;
    const char *spelling = call->offer->spelling;
    set_bytes(settings, "salt", NONCE);
    if (strncmp(spelling, "HKDF", 4) == 0) {
        set_bytes(settings, "key", KEY);
        /* Empty parts are left out, as callers do. */
        if (call->in.aad_bytes != 0) set_bytes(settings, "info", AAD);
    } else {
        set_bytes(settings, "pass", KEY);
    }
    if (call->offer->made_of != NULL) set_text(settings, "digest", call->offer->made_of);
    if (strncmp(spelling, "PBKDF2", 6) == 0) set_number(settings, "iter", call->in.iterations);
    if (strncmp(spelling, "SCRYPT", 6) == 0) {
        set_number(settings, "n", SCRYPT_N);
        set_number(settings, "r", SCRYPT_R);
        set_number(settings, "p", SCRYPT_P);
        set_number(settings, "maxmem_bytes", SCRYPT_MOST_BYTES);
    }
    return false;
}

/* These functions have no context, so the contracts do not differ. */
PART pbkdf2_output(struct call *call, void *state) {
    TRY(ssl.old_derivations.pbkdf2((const char *)call->in.key, (int)call->in.key_bytes,
                                   call->in.nonce, (int)call->in.nonce_bytes,
                                   (int)call->in.iterations, call->how,
                                   (int)call->in.output_bytes, call->in.destination));
}
ROUTINE(old_pbkdf2, char, nothing, pbkdf2_output, nothing)
PART scrypt_output(struct call *call, void *state) {
    TRY(ssl.old_derivations.scrypt((const char *)call->in.key, call->in.key_bytes, NONCE,
                                   SCRYPT_N, SCRYPT_R, SCRYPT_P, SCRYPT_MOST_BYTES, OUTPUT));
}
ROUTINE(old_scrypt, char, nothing, scrypt_output, nothing)

static bool refuses_old_derivation(struct call *call) {
    if (call->in.iterations > INT_MAX) {
        return refuse(call, "this OpenSSL takes no such number of iterations");
    }
    return call->in.output_bytes > INT_MAX &&
           refuse(call, "this OpenSSL takes no output of such length");
}

/* Random bytes. Each thread has its own generator (NIST SP 800-90A). The contracts do not
 * differ. */
PART random_output(struct call *call, void *state) {
    TRY(ssl.random.bytes(call->in.destination, (int)call->in.output_bytes));
}
ROUTINE(random_bytes, char, nothing, random_output, nothing)

static bool refuses_random(struct call *call) {
    return call->in.output_bytes > INT_MAX &&
           refuse(call, "this OpenSSL has no RAND_bytes of such length");
}

#endif
