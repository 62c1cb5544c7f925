/* The elements of DER (X.690) that our shims read and write themselves, of less than 64 KiB. */
#ifndef CPB_DER_H
#define CPB_DER_H

#include "key_pairs.h"

#include <stdbool.h>

enum { DER_INTEGER = 2, DER_SEQUENCE = 0x30 };

/* Reads the content of the first element of `der`, which must have this tag; `der` then
 * holds what follows it. */
static inline bool der_element(struct cpb_bytes *der, uint8_t tag, struct cpb_bytes *content) {
    if (der->length < 2 || der->bytes[0] != tag || der->bytes[1] == 0x80) return false;
    const uint64_t head = der->bytes[1] < 0x80 ? 2 : der->bytes[1] - 0x80u + 2;
    if (head > 4 || der->length < head) return false;
    uint64_t length = head == 2 ? der->bytes[1] : 0;
    for (uint64_t at = 2; at < head; at++) length = length << 8 | der->bytes[at];
    if (length > der->length - head) return false;
    *content = (struct cpb_bytes){der->bytes + head, length};
    *der = (struct cpb_bytes){content->bytes + length, der->length - head - length};
    return true;
}

/* Writes the head of an element, and returns where its content begins. */
static inline uint8_t *put_der_head(uint8_t *at, uint8_t tag, uint64_t length) {
    *at++ = tag;
    if (length >= 0x80) *at++ = length < 0x100 ? 0x81 : 0x82;
    if (length >= 0x100) *at++ = (uint8_t)(length >> 8);
    *at++ = (uint8_t)length;
    return at;
}

#endif
