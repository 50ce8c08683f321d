/* src/inspect/number_text.h -- formats numbers as text, fast and exactly.
 *
 * For:      the renderers, which print tens of millions of numbers for a large capture.
 * Never:    allocates, depends on the locale, or ends its text with a NUL.
 *
 * Each function writes to `out` and returns the number of characters. SB_NUMBER_TEXT_MAX characters
 * are enough, except for sb_format_hex, which needs two per byte.
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
/* Upper case digits without separators. */
size_t sb_format_hex(char *out, const uint8_t *bytes, size_t count);
/* "0x" and `digits` digits, 1 to 8. */
size_t sb_format_hex_number(char *out, uint32_t value, size_t digits);
/* An IPv4 address, first octet in the high byte: 10.0.0.1 */
size_t sb_format_address(char *out, uint32_t address);

/* A JSON number: the shortest decimal that parses to the same float, even if parsed as a double
 * first. "null" if the value is not finite. */
size_t sb_format_float(char *out, float value);
/* For people: at most `decimals` (0 to 4) digits after the point, without trailing zeros. Values of
 * 1e9 and more, and values that would round to zero, are formatted by sb_format_float. */
size_t sb_format_rounded(char *out, float value, unsigned decimals);

/* Texts of floats formatted before, by the float's bits: captures repeat the same few hundred
 * values, such as the coordinates of compressed vectors. All zeros: empty. */
enum { SB_FLOAT_TEXTS = 512, SB_FLOAT_TEXT_MAX = 16 };

typedef struct sb_float_text {
    uint32_t bits;
    uint32_t size; /* 0: the row is empty */
    char     text[SB_FLOAT_TEXT_MAX];
} sb_float_text;

/* As sb_format_float. */
size_t sb_format_known_float(sb_float_text rows[SB_FLOAT_TEXTS], char *out, float value);

#endif
