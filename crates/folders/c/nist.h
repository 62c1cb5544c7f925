/* nist.h: computes the known answers of NIST's post-quantum competition. */
#ifndef CPB_NIST_H
#define CPB_NIST_H

#include "random.h"

#include <stdlib.h>
#include <string.h>

/* Receives the content of a field. */
typedef void cpb_hear(void *to, const char *name, const uint8_t *bytes, uint64_t count);

/* Computes the fields of the record with this seed, and for a signature with this
 * message. Returns 0, or 1 if that fails. */
__attribute__((visibility("default"))) int cpb_nist(const uint8_t *seed, const uint8_t *message,
                                                    uint64_t bytes, cpb_hear *hear, void *to);

#endif
