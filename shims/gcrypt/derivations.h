/* Derivations of keys from passwords and from other keys. None keeps a handle between calls,
 * so the contracts do not differ. */

enum { PBKDF2 = 34, SCRYPT = 48, ARGON2 = 64, HKDF = 98 };

/* The password, salt and output of bench-slopes. */
#define ROW_PASSWORD_BYTES 6
#define ROW_SALT_BYTES 8
#define ROW_OUTPUT_BYTES 16

/* scrypt's N and p, the usual ones for interactive logins; the library fixes r at 8. */
#define SCRYPT_COST 16384
#define SCRYPT_LANES 1
/* The memory of Argon2, which uses one lane; the iterations are its passes. */
#define ARGON2_KIBIBYTES 1024

PART pbkdf2_derive(struct call *call, void *state) {
    expect(call, gcry.derivations.derive(KEY, PBKDF2, (int)call->which, NONCE,
                                         (unsigned long)call->in.iterations,
                                         call->in.output_bytes, call->in.destination));
}
PART pbkdf2_row(struct call *call, void *state) {
    expect(call, gcry.derivations.derive(KEY, PBKDF2, (int)call->which, NONCE,
                                         (unsigned long)call->in.iterations, ROW_OUTPUT_BYTES,
                                         call->way.destination));
}
PART scrypt_derive(struct call *call, void *state) {
    expect(call, gcry.derivations.derive(KEY, SCRYPT, (int)call->which, NONCE, SCRYPT_LANES,
                                         call->in.output_bytes, call->in.destination));
}

PART in_steps(struct call *call, derivation handle) {
    const status failed = gcry.steps.compute(handle, NULL);
    expect(call, failed != 0 ? failed : gcry.steps.finish(handle, call->in.output_bytes,
                                                          call->in.destination));
    gcry.steps.close(handle);
}
PART argon2_derive(struct call *call, void *state) {
    const unsigned long numbers[] = {(unsigned long)call->in.output_bytes,
                                     (unsigned long)call->in.iterations, ARGON2_KIBIBYTES, 1};
    derivation handle = NULL;
    expect(call, gcry.steps.open(&handle, ARGON2, (int)call->which, numbers, LENGTH_OF(numbers),
                                 KEY, NONCE, NULL, 0, NULL, 0));
    if (handle != NULL) in_steps(call, handle);
}
/* HKDF's salt is the key of its first HMAC. */
PART hkdf_derive(struct call *call, void *state) {
    const unsigned long numbers[] = {(unsigned long)call->in.output_bytes};
    derivation handle = NULL;
    expect(call, gcry.steps.open(&handle, HKDF, (int)call->which, numbers, LENGTH_OF(numbers), KEY,
                                 NULL, 0, NONCE, AAD));
    if (handle != NULL) in_steps(call, handle);
}
ROUTINE(pbkdf2, char, nothing, pbkdf2_derive, nothing)
ROUTINE(pbkdf2_of_row, char, nothing, pbkdf2_row, nothing)
ROUTINE(scrypt, char, nothing, scrypt_derive, nothing)
ROUTINE(argon2, char, nothing, argon2_derive, nothing)
ROUTINE(hkdf, char, nothing, hkdf_derive, nothing)

static bool choose_pbkdf2(struct call *call) {
    if (call->in.contract != CPB_COMPAT) return false;
    call->routine = &pbkdf2_of_row;
    if (!begin_row(call)) return true;
    give_key(call, ROW_PASSWORD_BYTES);
    give_nonce(call, ROW_SALT_BYTES);
    call->way.destination = (uint8_t *)call->text + 128;
    return false;
}

/* Whether the library has it under this number; the only way to find out is to try. */
static bool derives(const struct routine *routine, intptr_t which) {
    static const uint8_t secret[16] = {1}, salt[16] = {2};
    uint8_t output[32];
    struct call call = {
        .routine = routine,
        .in = {.contract = CPB_KEYED, .key = secret, .key_bytes = sizeof secret, .nonce = salt,
               .nonce_bytes = sizeof salt, .iterations = 1, .destination = output,
               .output_bytes = sizeof output},
        .which = which,
    };
    routine->run(&call, 1);
    return call.failed == 0;
}

/* Offers a derivation that may be missing; tries it with another number where that is cheaper. */
static void add_if_there(const struct routine *routine, struct name primitive,
                         struct name spelling, intptr_t which, intptr_t tried) {
    if (wants_spelling(spelling.text) && derives(routine, tried)) {
        add(CPB_DERIVE, routine, primitive, spelling, 16, 16, 0)->which = which;
    }
}

/* bench-slopes leaves out checksums and MD4, and algorithms without a digest. */
static void add_pbkdf2(int algorithm, const char *own) {
    const struct name spelling = name("PBKDF2-HMAC-%.30s", own);
    const bool is_left_out = begins_with(own, "CRC") || strcmp(own, "MD4") == 0;
    if (is_left_out || !wants_spelling(spelling.text) || bytes_of_digest(algorithm) == 0) return;
    struct offer *offer = add(CPB_DERIVE, &pbkdf2, name("pbkdf2-hmac-%.30s", plain(own).text),
                              spelling, 16, 16, 0);
    offer->which = algorithm;
    offer->refuses = choose_pbkdf2;
    offer->unavailable = refusal(gcry.digests.info, algorithm);
    with_row(offer, "kdf", spelling.text, "");
}

static void add_derivations(bool extras) {
    if (!extras) {
        for EVERY_ALGORITHM(algorithm) {
            const char *own = gcry.digests.name(algorithm);
            if (is_known(own)) add_pbkdf2(algorithm, own);
        }
        return;
    }
    for (int hmac = 1; gcry.has_steps && hmac < 600; hmac++) {
        const char *own = gcry.macs.name(hmac);
        if (!is_known(own) || !begins_with(own, "HMAC_")) continue;
        add_if_there(&hkdf, name("hkdf-%.30s", plain(own + strlen("HMAC_")).text),
                     name("HKDF-%.30s", own), hmac, hmac);
    }
    add_if_there(&scrypt, name("scrypt-%d-8-%d", SCRYPT_COST, SCRYPT_LANES), name("SCRYPT"),
                 SCRYPT_COST, 2);
    for (int variant = 0; gcry.has_steps && variant < 3; variant++) {
        static const char *const variants[] = {"ARGON2D", "ARGON2I", "ARGON2ID"};
        add_if_there(&argon2,
                     name("%s-m%d-p1", lower(variants[variant]).text, ARGON2_KIBIBYTES),
                     name("%s", variants[variant]), variant, variant);
    }
}
