/* file_version.h: finds a version for libraries that state none. */
#ifndef CPB_FILE_VERSION_H
#define CPB_FILE_VERSION_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the version in the name of the file that has `function`; files are numbered
 * differently from releases. Needs _GNU_SOURCE, and is called once. */
static const char *file_version(uintptr_t function) {
    static char text[64] = "unknown";
    Dl_info file;
    if (dladdr((void *)function, &file) == 0) return text;
    char *path = realpath(file.dli_fname, NULL);
    const char *last = path != NULL ? strrchr(path, '/') : NULL;
    if (last != NULL) snprintf(text, sizeof text, "unknown (%s)", last + 1);
    free(path);
    return text;
}

#endif
