/* What all work with key pairs needs of Nettle: random bytes, and numbers as
 * bytes. */
#ifndef CPB_NETTLE_CHANCE_H
#define CPB_NETTLE_CHANCE_H

#include "../key_pairs.h"

#include <nettle/bignum.h>
#include <nettle/nettle-meta.h>
#include <nettle/sha2.h>
#include <nettle/yarrow.h>

#include <stdbool.h>
#include <unistd.h>

/* Feeds the library, which takes any generator from its caller and provides this
 * one. */
static struct yarrow256_ctx yarrow;

static bool seed_chance(void) {
    uint8_t seed[YARROW256_SEED_FILE_SIZE];
    if (getentropy(seed, sizeof seed) != 0) return false;
    nettle_yarrow256_init(&yarrow, 0, NULL);
    nettle_yarrow256_seed(&yarrow, sizeof seed, seed);
    return true;
}

static void chance(void *context, size_t length, uint8_t *bytes) {
    nettle_yarrow256_random((struct yarrow256_ctx *)context, length, bytes);
}

#define CHANCE &yarrow, chance

#define MESSAGE_OF(given) (given)->in[CPB_MESSAGE].length, (given)->in[CPB_MESSAGE].bytes

#endif
