#include "crypto_sort.h"
#include "crypto_int32.h"

/* Sorts by Batcher's method: Knuth's Algorithm M (5.2.2). */
void crypto_sort(void *array, long long n) {
    crypto_int32 *x = array;
    long long most = 1;
    while (2 * most < n) most *= 2;
    for (long long p = most; p > 0; p /= 2) {
        long long q = most, r = 0, d = p;
        for (;;) {
            for (long long i = 0; i + d < n; i++)
                if ((i & p) == r) crypto_int32_minmax(&x[i], &x[i + d]);
            if (q == p) break;
            d = q - p;
            q /= 2;
            r = p;
        }
    }
}
