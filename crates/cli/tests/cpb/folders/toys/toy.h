/* Computes a simple sum, for toys of which only the form matters. */
#include <string.h>

static inline void toy_sum(unsigned char *to, const unsigned char *from, unsigned long long bytes,
                           const unsigned char *key) {
    unsigned long long sum = 0xcbf29ce484222325u;
    for (int i = 0; i < 8; i++) sum = (sum ^ key[i]) * 0x100000001b3u;
    for (unsigned long long i = 0; i < bytes; i++) sum = (sum ^ from[i]) * 0x100000001b3u;
    memcpy(to, &sum, 8);
}
