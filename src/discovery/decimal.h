/* src/discovery/decimal.h -- integers as decimal text.
 *
 * For:      answers and heartbeats. The core does not use stdio.
 */
#ifndef SB_DISCOVERY_DECIMAL_H
#define SB_DISCOVERY_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

typedef struct sb_decimal {
    char text[21]; /* "-9223372036854775808" and its NUL */
} sb_decimal;

static inline sb_decimal sb_decimal_of(int64_t value)
{
    sb_decimal out = { "" };
    uint64_t   left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    size_t     size = value < 0 ? 2 : 1;
    for (uint64_t rest = left / 10; rest > 0; rest /= 10) size++;
    if (value < 0) out.text[0] = '-';
    do {
        out.text[--size] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    return out;
}

#endif
