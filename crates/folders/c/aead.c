/* Offers crypto_aead: sealing and opening, with the tag wherever the ciphertext
 * has it. */
#include "crypto_aead.h"

#include "offers.h"

#if crypto_aead_NSECBYTES
static unsigned char secret_nonce[crypto_aead_NSECBYTES];
#define SECRET_NONCE secret_nonce
#else
#define SECRET_NONCE NULL
#endif

PART seal_message(struct call *call, void *state) {
    unsigned long long bytes = 0;
    expect(call, crypto_aead_encrypt(call->in.destination, &bytes, MESSAGE, AAD, SECRET_NONCE,
                                     call->in.nonce, call->in.key));
    expect(call, bytes != call->in.message_bytes + crypto_aead_ABYTES);
}
ROUTINE(seal, char, nothing, seal_message, nothing)

PART open_message(struct call *call, void *state) {
    unsigned long long bytes = 0;
    expect(call, crypto_aead_decrypt(call->in.destination, &bytes, SECRET_NONCE, call->in.message,
                                     call->in.message_bytes + crypto_aead_ABYTES, AAD,
                                     call->in.nonce, call->in.key));
    expect(call, bytes != call->in.message_bytes);
}
ROUTINE(open, char, nothing, open_message, nothing)

static void add_offers(void) {
    struct offer *first =
        add_aead(&seal, &open, name(CPB_PRIMITIVE), name(CPB_SPELLING), crypto_aead_KEYBYTES,
                 crypto_aead_NPUBBYTES, crypto_aead_ABYTES);
    first[1].joins = true;
}
