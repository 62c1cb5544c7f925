/* Tests pairs of numbers in DER, as OpenSSL's shim reads and writes them, and prints where
 * one is wrong. */
#include "openssl/der.h"

#include <assert.h>

static uint64_t written(uint8_t *pair, uint64_t bytes, uint8_t *der) {
    const struct cpb_bytes given = {pair, bytes};
    return of_pair(given, der, 1024);
}

static bool is_read(const uint8_t *der, uint64_t length, uint8_t *pair, uint64_t bytes) {
    const struct cpb_bytes room = {pair, bytes};
    return pair_of(der, length, room);
}

static void pairs_come_back(void) {
    static const uint64_t lengths[] = {4, 64, 96, 132};
    static const uint8_t firsts[][2] = {{0, 1}, {0x7f, 0x80}, {0xff, 0}, {1, 0xff}};
    uint8_t pair[132], again[132], der[1024];
    for (int i = 0; i < 16; i++) {
        const uint64_t bytes = lengths[i / 4];
        memset(pair, 7, bytes);
        pair[0] = firsts[i % 4][0];
        pair[bytes / 2] = firsts[i % 4][1];
        memset(again, 9, sizeof again);
        assert(is_read(der, written(pair, bytes, der), again, bytes));
        assert(memcmp(pair, again, bytes) == 0);
    }
    static const uint8_t right[] = {0x30, 7, 2, 2, 0, 0x80, 2, 1, 0};
    uint8_t small[] = {0x80, 0};
    assert(written(small, 2, der) == sizeof right && memcmp(der, right, sizeof right) == 0);
}

static void what_is_no_pair_is_none(void) {
    uint8_t pair[] = {0x80, 1, 2, 3}, room[4], der[1024];
    const uint64_t length = written(pair, sizeof pair, der);
    assert(is_read(der, length, room, 4));
    for (uint64_t end = 0; end < length; end++) assert(!is_read(der, end, room, 4));
    der[length] = 0;
    assert(!is_read(der, length + 1, room, 4));
    assert(!is_read(der, length, room, 2));
    static const uint8_t long_head[] = {0x30, 0x80};
    assert(!is_read(long_head, sizeof long_head, room, 4));
}

int main(void) {
    pairs_come_back();
    what_is_no_pair_is_none();
    return 0;
}
