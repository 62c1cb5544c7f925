/* random.h: the random bytes of an implementation, and how cpb chooses them. */
#ifndef CPB_RANDOM_H
#define CPB_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Starts again, with the bytes of SUPERCOP's tests. */
void cpb_start_over(void);

/* Makes these the next bytes drawn. */
void cpb_choose(const unsigned char *bytes, size_t count);

/* Switches to NIST's generator, seeded with these 48 bytes. */
void cpb_seed(const unsigned char *seed);

void randombytes(unsigned char *to, unsigned long long count);

#endif
