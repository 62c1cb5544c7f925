/* random.h: what an implementation draws at random, and how cpb chooses it. */
#ifndef CPB_RANDOM_H
#define CPB_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Begins anew, with what SUPERCOP's tests draw. */
void cpb_start_over(void);

/* Has these bytes drawn first. */
void cpb_choose(const unsigned char *bytes, size_t count);

/* Has NIST's generator draw from here on, from these 48 bytes. */
void cpb_seed(const unsigned char *seed);

void randombytes(unsigned char *to, unsigned long long count);

#endif
