/* Offers crypto_encrypt: encryption of 32 bytes, the length of a key, to a public key, and
 * decryption. A ciphertext may be shorter than its maximum, so its length is stored behind
 * it. */
#include "crypto_encrypt.h"

#include "keys.h"

#define SECRET_BYTES 32
#define MOST_BYTES (SECRET_BYTES + crypto_encrypt_BYTES)

WORK(keygen) {
    choose(given);
    return answer(crypto_encrypt_keypair(OUT(CPB_PUBLIC_KEY), OUT(CPB_SECRET_KEY)), reason);
}

WORK(encrypt) {
    unsigned char *ciphertext = OUT(CPB_CIPHERTEXT);
    unsigned long long bytes = 0;
    const int status =
        crypto_encrypt(ciphertext, &bytes, IN(CPB_SHARED_SECRET), SECRET_BYTES, IN(CPB_PUBLIC_KEY));
    if (status != 0) return answer(status, reason);
    if (bytes > MOST_BYTES)
        return cpb_key_refuse(reason, "its ciphertext is longer than its api.h says");
    const uint64_t length = bytes;
    memset(ciphertext + bytes, 0, MOST_BYTES - bytes);
    memcpy(ciphertext + MOST_BYTES, &length, sizeof length);
    return 0;
}

WORK(decrypt) {
    const unsigned char *ciphertext = IN(CPB_CIPHERTEXT);
    unsigned char opened[MOST_BYTES];
    unsigned long long bytes = 0;
    uint64_t length;
    memcpy(&length, ciphertext + MOST_BYTES, sizeof length);
    for (uint64_t i = length; i < MOST_BYTES; i++) {
        if (ciphertext[i] != 0) length = MOST_BYTES + 1;
    }
    if (length > MOST_BYTES)
        return cpb_key_refuse(reason, "there is something behind its ciphertext");
    const int status = crypto_encrypt_open(opened, &bytes, ciphertext, length, IN(CPB_SECRET_KEY));
    if (status != 0) return answer(status, reason);
    if (bytes != SECRET_BYTES)
        return cpb_key_refuse(reason, "it decrypts to something of another length");
    memcpy(OUT(CPB_SHARED_SECRET), opened, SECRET_BYTES);
    return 0;
}

static void add_offers(void) {
    static const struct cpb_key_sizes sizes = {.public_key = crypto_encrypt_PUBLICKEYBYTES,
                                               .secret_key = crypto_encrypt_SECRETKEYBYTES,
                                               .ciphertext = MOST_BYTES + sizeof(uint64_t),
                                               .shared_secret = SECRET_BYTES};
    OFFER(CPB_KEYGEN, keygen);
    OFFER(CPB_PUBLIC_ENCRYPT, encrypt);
    OFFER(CPB_PRIVATE_DECRYPT, decrypt);
}
