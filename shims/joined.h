/* joined.h: joins two providers to one, so that they can be two object files. For
 * C and C++. */
#ifndef CPB_JOINED_H
#define CPB_JOINED_H

#include "cpb_provider.h"

#include <stdio.h>
#include <stdlib.h>

/* The provider whose implementations come first, and the second one. */
static const cpb_provider *cpb_parts[2];

struct cpb_joined_call {
    const cpb_provider *part;
    void *call;
};

/* Returns the provider that has the implementation with this index, and makes the
 * index relative to it. */
static inline const cpb_provider *cpb_part_of(uint64_t *index) {
    const uint64_t first = cpb_parts[0]->count();
    if (*index < first) return cpb_parts[0];
    *index -= first;
    return cpb_parts[1];
}

static inline uint64_t cpb_joined_count(void) {
    return cpb_parts[0]->count() + cpb_parts[1]->count();
}

static inline const cpb_implementation *cpb_joined_implementation(uint64_t index) {
    return cpb_part_of(&index)->implementation(index);
}

static inline int cpb_joined_prepare(uint64_t index, const cpb_workload *workload, void **handle,
                                     char *reason, uint64_t reason_bytes) {
    struct cpb_joined_call *joined = (struct cpb_joined_call *)malloc(sizeof *joined);
    if (joined == NULL) {
        snprintf(reason, reason_bytes, "there is no memory for a call");
        return 1;
    }
    joined->part = cpb_part_of(&index);
    if (joined->part->prepare(index, workload, &joined->call, reason, reason_bytes) != 0) {
        free(joined);
        return 1;
    }
    *handle = joined;
    return 0;
}

/* Returns the part that a call belongs to, and replaces the handle by the part's
 * own. */
static inline int cpb_joined_part(void **handle) {
    const struct cpb_joined_call *joined = (const struct cpb_joined_call *)*handle;
    *handle = joined->call;
    return joined->part != cpb_parts[0];
}

static inline void cpb_joined_run(void *handle, uint64_t calls) {
    struct cpb_joined_call *joined = (struct cpb_joined_call *)handle;
    joined->part->run(joined->call, calls);
}

static inline int cpb_joined_output(void *handle, cpb_buffer *outputs, uint64_t count,
                                    char *reason, uint64_t reason_bytes) {
    struct cpb_joined_call *joined = (struct cpb_joined_call *)handle;
    return joined->part->output(joined->call, outputs, count, reason, reason_bytes);
}

static inline void cpb_joined_release(void *handle) {
    struct cpb_joined_call *joined = (struct cpb_joined_call *)handle;
    joined->part->release(joined->call);
    free(joined);
}

/* Returns a provider that offers the implementations of both; its name, version and
 * code path are those of the first. */
static inline const cpb_provider *cpb_join(const cpb_provider *first,
                                           const cpb_provider *second) {
    static cpb_provider joined;
    cpb_parts[0] = first;
    cpb_parts[1] = second;
    joined = *first;
    joined.count = cpb_joined_count;
    joined.implementation = cpb_joined_implementation;
    joined.prepare = cpb_joined_prepare;
    joined.run = cpb_joined_run;
    joined.output = cpb_joined_output;
    joined.release = cpb_joined_release;
    return &joined;
}

#endif
