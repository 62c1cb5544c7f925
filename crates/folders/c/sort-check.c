/* Checks crypto_sort: makes the calls that its checksums cover. */
#include "crypto_sort.h"

#define SMALL_LOOPS 1024
#define BIG_LOOPS 4096
#define BIG_BYTES 4096
#include "check.h"

static struct buffer given, sorted;

static int sort_now(void) {
    crypto_sort(sorted.now, (long long)(sorted.bytes / crypto_sort_BYTES));
    return 0;
}

static struct call sorting = {"crypto_sort", sort_now, 0, 0, {&sorted}, {&given}};

static void allocate(length most) {
    make_room(&given, most * crypto_sort_BYTES, crypto_sort_BYTES);
    make_room(&sorted, most * crypto_sort_BYTES, crypto_sort_BYTES);
}

static void sort_twin(const char *fault) {
    guard(&sorted);
    sorted.now = sorted.twin;
    sort_now();
    sorted.now = sorted.at;
    if (memcmp(sorted.twin, sorted.at, sorted.bytes) != 0) fail("crypto_sort", fault);
}

static void test(length most) {
    given.bytes = sorted.bytes = number(most) * crypto_sort_BYTES;
    prepare(&sorting);
    memcpy(sorted.at, given.at, given.bytes);
    perform(&sorting);
    memcpy(sorted.twin, given.at, given.bytes);
    sort_twin("puts out something else for the same inputs");
    sort_twin("changes what is in order");
}
