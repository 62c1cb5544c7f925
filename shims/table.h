/* table.h: a library's functions by their names, for a shim that is linked with none and handed
 * one that is open. So it takes any version, whatever was there when it was compiled.
 *
 * A group of functions is a list of F(result, field, symbol, (arguments)), of which are made its
 * fields, its names, and a comparison of our types with those of the library's headers, where
 * these are. Its fields alone make up a struct. A group may not be there: a version of the
 * library has all of it, or it is left alone. */
#ifndef CPB_TABLE_H
#define CPB_TABLE_H

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define CPB_FIELD(result, field, symbol, arguments) result(*field) arguments;
/* Ends in an empty one: an older name of the same function may stand in between. */
#define CPB_NAME(result, field, symbol, arguments) #symbol "\0",
#define CPB_AGREES(result, field, symbol, arguments)                                             \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&symbol), result(*) arguments),       \
                   #symbol " has another type in the headers");

/* The function of the first of these names that is there. */
static inline void *cpb_function(void *library, const char *names)
{
    void *function = NULL;
    for (; function == NULL && *names != '\0'; names += strlen(names) + 1)
        function = dlsym(library, names);
    return function;
}

/* Fills a struct of so many functions; returns the first name that is not there, or null. */
static inline const char *cpb_fill(void *library, void *functions, const char *const *names,
                                   size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        void *function = cpb_function(library, names[i]);
        if (function == NULL)
            return names[i];
        memcpy((char *)functions + i * sizeof function, &function, sizeof function);
    }
    return NULL;
}

/* The same by the group's list. */
#define CPB_FILL(library, functions, GROUP)                                                      \
    cpb_fill(library, &(functions), (const char *const[]){GROUP(CPB_NAME)},                      \
             sizeof((const char *const[]){GROUP(CPB_NAME)}) / sizeof(char *))

#endif
