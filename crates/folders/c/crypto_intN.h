/* crypto_TYPE.h: arithmetic whose time does not depend on the values. Results pass
 * through a barrier, so that the compiler does not turn them into branches. */
#ifndef crypto_TYPE_h
#define crypto_TYPE_h

#include <stdint.h>

#define crypto_TYPE TYPE_t
#define crypto_TYPE_OTHERSIGN OTHER_t

#define CPB_HERE(result) __attribute__((unused)) static inline result

CPB_HERE(crypto_TYPE) cpb_TYPE_hidden(crypto_TYPE x) {
    __asm__("" : "+r"(x));
    return x;
}

CPB_HERE(crypto_TYPE) crypto_TYPE_load(const unsigned char *from) {
    uintBITS_t x = 0;
    for (int i = 0; i < BITS; i += 8) x |= (uintBITS_t)((uintBITS_t)*from++ << i);
    return (crypto_TYPE)x;
}

CPB_HERE(crypto_TYPE) crypto_TYPE_load_bigendian(const unsigned char *from) {
    uintBITS_t x = 0;
    for (int i = BITS - 8; i >= 0; i -= 8) x |= (uintBITS_t)((uintBITS_t)*from++ << i);
    return (crypto_TYPE)x;
}

CPB_HERE(void) crypto_TYPE_store(unsigned char *to, crypto_TYPE x) {
    for (int i = 0; i < BITS; i += 8) *to++ = (unsigned char)((uintBITS_t)x >> i);
}

CPB_HERE(void) crypto_TYPE_store_bigendian(unsigned char *to, crypto_TYPE x) {
    for (int i = BITS - 8; i >= 0; i -= 8) *to++ = (unsigned char)((uintBITS_t)x >> i);
}

/* Defines a truth value as 0 or 1, and as 0 or all bits. */
#define CPB_TRUTH(name, parameters, truth)                                                   \
    CPB_HERE(crypto_TYPE) crypto_TYPE_##name##_01 parameters {                               \
        return cpb_TYPE_hidden((crypto_TYPE)(truth));                                        \
    }                                                                                        \
    CPB_HERE(crypto_TYPE) crypto_TYPE_##name##_mask parameters {                             \
        return cpb_TYPE_hidden((crypto_TYPE)-(crypto_TYPE)(truth));                          \
    }

CPB_TRUTH(topbit, (crypto_TYPE x), (uintBITS_t)x >> (BITS - 1))
CPB_TRUTH(bottombit, (crypto_TYPE x), x & 1)
CPB_TRUTH(bitinrangepublicpos, (crypto_TYPE x, crypto_TYPE s), (uintBITS_t)x >> s & 1)
CPB_TRUTH(bitmod, (crypto_TYPE x, crypto_TYPE s), (uintBITS_t)x >> (s & (BITS - 1)) & 1)
CPB_TRUTH(nonzero, (crypto_TYPE x), x != 0)
CPB_TRUTH(zero, (crypto_TYPE x), x == 0)
CPB_TRUTH(unequal, (crypto_TYPE x, crypto_TYPE y), x != y)
CPB_TRUTH(equal, (crypto_TYPE x, crypto_TYPE y), x == y)
CPB_TRUTH(smaller, (crypto_TYPE x, crypto_TYPE y), x < y)
CPB_TRUTH(leq, (crypto_TYPE x, crypto_TYPE y), x <= y)
#if IS_SIGNED
CPB_TRUTH(negative, (crypto_TYPE x), x < 0)
CPB_TRUTH(positive, (crypto_TYPE x), x > 0)
CPB_HERE(uintBITS_t) crypto_TYPE_unsigned_topbit_01(uintBITS_t x) {
    return (uintBITS_t)crypto_TYPE_topbit_01((crypto_TYPE)x);
}
#else
CPB_HERE(intBITS_t) crypto_TYPE_signed_negative_mask(intBITS_t x) {
    return (intBITS_t)crypto_TYPE_topbit_mask((crypto_TYPE)x);
}
#endif
#undef CPB_TRUTH

/* Shifts by s modulo the number of bits. */
CPB_HERE(crypto_TYPE) crypto_TYPE_shlmod(crypto_TYPE x, crypto_TYPE s) {
    return cpb_TYPE_hidden((crypto_TYPE)((uintBITS_t)x << (s & (BITS - 1))));
}

CPB_HERE(crypto_TYPE) crypto_TYPE_shrmod(crypto_TYPE x, crypto_TYPE s) {
    return cpb_TYPE_hidden((crypto_TYPE)(x >> (s & (BITS - 1))));
}

CPB_HERE(crypto_TYPE) crypto_TYPE_min(crypto_TYPE x, crypto_TYPE y) {
    return cpb_TYPE_hidden(x < y ? x : y);
}

CPB_HERE(crypto_TYPE) crypto_TYPE_max(crypto_TYPE x, crypto_TYPE y) {
    return cpb_TYPE_hidden(x < y ? y : x);
}

CPB_HERE(void) crypto_TYPE_minmax(crypto_TYPE *p, crypto_TYPE *q) {
    const crypto_TYPE x = *p, y = *q;
    *p = crypto_TYPE_min(x, y);
    *q = crypto_TYPE_max(x, y);
}

CPB_HERE(int) crypto_TYPE_ones_num(crypto_TYPE x) {
    return __builtin_popcountll((uintBITS_t)x);
}

/* Counts the zeros below the lowest 1; for 0, returns the number of bits. */
CPB_HERE(int) crypto_TYPE_bottomzeros_num(crypto_TYPE x) {
    const uintBITS_t below = (uintBITS_t)(~(uintBITS_t)x & ((uintBITS_t)x - 1));
    return __builtin_popcountll(below);
}

#undef CPB_HERE

#endif
