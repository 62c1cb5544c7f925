#include "crypto_encrypt.h"
#include "randombytes.h"
#include "toy.h"

int crypto_encrypt_keypair(unsigned char *pk, unsigned char *sk) {
    randombytes(sk, 8);
    memcpy(pk, sk, 8);
    return 0;
}

/* The ciphertext is a sum and a masked message, shorter than CRYPTO_BYTES
 * allows. */
int crypto_encrypt(unsigned char *c, unsigned long long *c_bytes, const unsigned char *m,
                   unsigned long long bytes, const unsigned char *pk) {
    toy_sum(c, m, bytes, pk);
    for (unsigned long long i = 0; i < bytes; i++) c[8 + i] = m[i] ^ pk[i % 8];
    *c_bytes = bytes + 8;
    return 0;
}

int crypto_encrypt_open(unsigned char *m, unsigned long long *m_bytes, const unsigned char *c,
                        unsigned long long c_bytes, const unsigned char *sk) {
    static unsigned char text[1 << 16];
    unsigned char key[8], sum[8], right[8];
    if (c_bytes < 8 || c_bytes > sizeof text) return -1;
    memcpy(key, sk, 8);
    memcpy(sum, c, 8);
    for (unsigned long long i = 0; i < c_bytes - 8; i++) text[i] = c[8 + i] ^ key[i % 8];
    toy_sum(right, text, c_bytes - 8, key);
    if (memcmp(right, sum, 8) != 0) return -1;
    *m_bytes = c_bytes - 8;
    memcpy(m, text, c_bytes - 8);
    return 0;
}
