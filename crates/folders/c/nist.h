/* nist.h: what the known answers of NIST's post-quantum competition are of. */
#ifndef CPB_NIST_H
#define CPB_NIST_H

#include "random.h"

#include <stdlib.h>
#include <string.h>

/* Hears what a field has. */
typedef void cpb_hear(void *to, const char *name, const uint8_t *bytes, uint64_t count);

/* Makes what a record has of this seed, and of the message of a signature. Returns 0, or 1
 * where it does not work. */
__attribute__((visibility("default"))) int cpb_nist(const uint8_t *seed, const uint8_t *message,
                                                    uint64_t bytes, cpb_hear *hear, void *to);

#endif
