/* src/inspect/number_text.h -- numbers to text, fast and exactly.
 *
 * For:      the renderers; a capture makes tens of millions of numbers.
 * Never:    allocates, depends on the locale, or ends its text with a NUL.
 *
 * Each writes to `out` and returns how many characters; SB_NUMBER_TEXT_MAX are always enough,
 * except for sb_format_hex, which needs two per byte.
 */
#ifndef SB_INSPECT_NUMBER_TEXT_H
#define SB_INSPECT_NUMBER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SB_NUMBER_TEXT_MAX = 32 };

size_t sb_format_u64(char *out, uint64_t value);
size_t sb_format_i64(char *out, int64_t value);
/* Microseconds as seconds: 1.234567 */
size_t sb_format_micros(char *out, int64_t micros);
/* Pairs of upper case digits, nothing between them. */
size_t sb_format_hex(char *out, const uint8_t *bytes, size_t count);
/* 0x and `digits` digits, 1..8. */
size_t sb_format_hex_number(char *out, uint32_t value, size_t digits);
size_t sb_format_address(char *out, uint32_t address);

/* The shortest decimal that reads back as the same float, also when it is read as a double first;
 * a JSON number. Not finite: null. */
size_t sb_format_float(char *out, float value);
/* For people: at most `decimals` (0..4) digits behind the point, no zeros at the end. A value that
 * would look like zero, or is huge, as above. */
size_t sb_format_rounded(char *out, float value, unsigned decimals);

#endif
