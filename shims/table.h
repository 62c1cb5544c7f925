/* table.h: finds a library's functions by name, for a shim that is linked with no library and
 * gets an open one. So the shim works with any version, whichever was present when it was
 * compiled.
 *
 * A group of functions is a list of F(result, field, symbol, (arguments)). It defines the
 * fields of a struct, the names, and a comparison of our types with those of the library's
 * headers, where these are installed. A version of the library has the whole group, or the
 * group is not used. */
#ifndef CPB_TABLE_H
#define CPB_TABLE_H

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define CPB_FIELD(result, field, symbol, arguments) result(*field) arguments;
/* The list ends with an empty name; an older name of the same function may come before it. */
#define CPB_NAME(result, field, symbol, arguments) #symbol "\0",
#define CPB_AGREES(result, field, symbol, arguments)                                             \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&symbol), result(*) arguments),       \
                   #symbol " has another type in the headers");

/* Returns the function of the first of these names that the library has. */
static inline void *cpb_function(void *library, const char *names) {
    void *function = NULL;
    for (; function == NULL && *names != '\0'; names += strlen(names) + 1)
        function = dlsym(library, names);
    return function;
}

/* Fills a struct of `count` functions; returns the first missing name, or null. */
static inline const char *cpb_fill(void *library, void *functions, const char *const *names,
                                   size_t count) {
    for (size_t i = 0; i < count; ++i) {
        void *function = cpb_function(library, names[i]);
        if (function == NULL) return names[i];
        memcpy((char *)functions + i * sizeof function, &function, sizeof function);
    }
    return NULL;
}

/* Does the same for a group's list. */
#define CPB_FILL(library, functions, GROUP)                                                      \
    cpb_fill(library, &(functions), (const char *const[]){GROUP(CPB_NAME)},                      \
             sizeof((const char *const[]){GROUP(CPB_NAME)}) / sizeof(char *))

#endif
