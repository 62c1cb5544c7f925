/* Computes a simple sum, for toys of which only the form matters. */
#include <string.h>

static inline void toy_sum(unsigned char *to, const unsigned char *from, unsigned long long bytes,
                           const unsigned char *key) {
    unsigned long long sum = 0xcbf29ce484222325u;
    for (int i = 0; i < 8; i++) sum = (sum ^ key[i]) * 0x100000001b3u;
    for (unsigned long long i = 0; i < bytes; i++) sum = (sum ^ from[i]) * 0x100000001b3u;
    memcpy(to, &sum, 8);
}

static inline void toy_mask(unsigned char *to, const unsigned char *from, unsigned long long bytes,
                            const unsigned char *nonce, const unsigned char *key) {
    unsigned char block[8];
    toy_sum(block, nonce, 8, key);
    memmove(to, from, bytes);
    for (unsigned long long i = 16; i < bytes; i++) to[i] ^= block[i % 8];
}

/* Boxes a message after 16 zeros, as 8 zeros, a tag and the masked message. */
static inline int toy_seal(unsigned char *c, const unsigned char *m, unsigned long long bytes,
                           const unsigned char *nonce, const unsigned char *k) {
    unsigned char key[8], own[8];
    if (bytes < 16) return -1;
    memcpy(key, k, 8);
    memcpy(own, nonce, 8);
    toy_mask(c, m, bytes, own, key);
    memset(c, 0, 8);
    toy_sum(c + 8, c + 16, bytes - 16, key);
    return 0;
}

static inline int toy_open(unsigned char *m, const unsigned char *c, unsigned long long bytes,
                           const unsigned char *nonce, const unsigned char *k) {
    unsigned char key[8], own[8], tag[8];
    if (bytes < 16) return -1;
    memcpy(key, k, 8);
    memcpy(own, nonce, 8);
    toy_sum(tag, c + 16, bytes - 16, key);
    if (memcmp(tag, c + 8, 8) != 0) return -1;
    toy_mask(m, c, bytes, own, key);
    memset(m, 0, 16);
    return 0;
}
