/* fixed.h: makes a provider of a function whose inputs and output each have one
 * length. */
#ifndef CPB_FIXED_H
#define CPB_FIXED_H

#include "offers.h"

static inline struct offer *add_fixed(enum cpb_operation operation, const struct routine *routine,
                                      size_t input, size_t key, size_t output) {
    struct offer *offer = add(operation, routine, name(CPB_PRIMITIVE), name(CPB_SPELLING), 0, 0, 0);
    set_length(offer, CPB_INPUT, input, input, input);
    set_length(offer, CPB_KEY, key, key, key);
    set_length(offer, CPB_OUTPUT, output, output, output);
    return offer;
}

#endif
