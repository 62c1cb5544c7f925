/* offers.h: what the providers of all operations of a folder share. */
#ifndef CPB_OFFERS_H
#define CPB_OFFERS_H

#define LIBRARY CPB_LIBRARY
#include "shim.h"

static const char *version(void) { return CPB_VERSION; }
static const char *code_path(void) { return NULL; }

#endif
