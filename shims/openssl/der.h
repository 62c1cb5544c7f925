/* Converts pairs of numbers from and to DER (RFC 3279 section 2.2.3: SEQUENCE { r INTEGER,
 * s INTEGER }), libcrypto's form of ECDSA signatures. */
#ifndef CPB_OPENSSL_DER_H
#define CPB_OPENSSL_DER_H

#include "../der.h"

static inline struct cpb_bytes without_zeros(struct cpb_bytes number) {
    while (number.length != 0 && *number.bytes == 0) {
        ++number.bytes;
        --number.length;
    }
    return number;
}

/* Writes each number to one half of `pair`; returns false if `der` holds no such pair. */
static inline bool pair_of(const uint8_t *der, uint64_t bytes, struct cpb_bytes pair) {
    struct cpb_bytes rest = {(uint8_t *)(uintptr_t)der, bytes}, both, number;
    const uint64_t half = pair.length / 2;
    if (!der_element(&rest, DER_SEQUENCE, &both) || rest.length != 0) return false;
    for (uint64_t end = half; end <= 2 * half; end += half) {
        if (!der_element(&both, DER_INTEGER, &number)) return false;
        number = without_zeros(number);
        if (number.length > half) return false;
        memset(pair.bytes + end - half, 0, half - number.length);
        memcpy(pair.bytes + end - number.length, number.bytes, number.length);
    }
    return both.length == 0;
}

/* Writes two numbers of the same length, which follow each other, as a pair in DER. Returns
 * its length, or 0 if there is no room. No pair has 256 bytes. */
static inline uint64_t of_pair(struct cpb_bytes pair, uint8_t *der, uint64_t room) {
    const uint64_t half = pair.length / 2;
    uint8_t both[256];
    uint64_t length = 0;
    if (2 * (half + 3) >= sizeof both || room < sizeof both + 3) return 0;
    for (uint64_t start = 0; start <= half && half != 0; start += half) {
        const struct cpb_bytes number =
            without_zeros((struct cpb_bytes){pair.bytes + start, half});
        /* A number takes at least one byte, and gets a leading zero if its first bit would be
         * a sign. */
        const bool has_zero = number.length == 0 || *number.bytes >= 0x80;
        both[length++] = DER_INTEGER;
        both[length++] = (uint8_t)(number.length + has_zero);
        if (has_zero) both[length++] = 0;
        memcpy(both + length, number.bytes, number.length);
        length += number.length;
    }
    uint8_t *content = put_der_head(der, DER_SEQUENCE, length);
    memcpy(content, both, length);
    return (uint64_t)(content - der) + length;
}

#endif
