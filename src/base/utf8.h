/* src/base/utf8.h -- reads and writes one UTF-8 character; checks that it is safe to show.
 *
 * For:      code that handles untrusted text: configurations, command lines, names, and chat that
 *           goes to a log or a terminal. Whole strings: base/text.h.
 * Never:    reads past the given size, or accepts malformed bytes.
 * Tests:    tests/base/utf8_test.c
 */
#ifndef SB_BASE_UTF8_H
#define SB_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the character at `text`, which has `left` bytes, and returns its size. Returns 0 if the
 * bytes are malformed: cut off, overlong, a surrogate, or beyond U+10FFFF. */
static inline size_t sb_utf8_read(const uint8_t *text, size_t left, uint32_t *code_point)
{
    static const uint32_t min_code_point[] = { 0, 0, 0x80, 0x800, 0x10000 }; /* by size */
    if (left == 0) return 0;
    uint8_t  lead = text[0];
    size_t   size = lead < 0x80 ? 1 : lead < 0xC0 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    uint32_t code = size == 1 ? lead : lead & (0xFFu >> (size + 1));
    if (size == 0 || size > left || lead > 0xF4) return 0;
    for (size_t i = 1; i < size; i++) {
        if ((text[i] & 0xC0) != 0x80) return 0;
        code = code << 6 | (text[i] & 0x3Fu);
    }
    if (code < min_code_point[size] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
        return 0;
    *code_point = code;
    return size;
}

/* Writes the character (1 to 4 bytes) and returns its size. */
static inline size_t sb_utf8_write(char *out, uint32_t code_point)
{
    static const uint8_t lead[] = { 0, 0, 0xC0, 0xE0, 0xF0 };
    size_t   size = code_point < 0x80 ? 1 : code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    uint32_t left = code_point;
    for (size_t i = size; i-- > 1; left >>= 6) out[i] = (char)(0x80 | (left & 0x3F));
    out[0] = (char)(lead[size] | left);
    return size;
}

/* Reads one character of a NUL-terminated string and advances *text past it. A malformed byte
 * reads as '?' and advances by one. */
static inline uint32_t sb_utf8_next(const char **text)
{
    const uint8_t *at = (const uint8_t *)*text;
    uint32_t       code = '?';
    size_t         left = 0;
    while (left < 4 && at[left]) left++;
    size_t size = sb_utf8_read(at, left, &code);
    *text += size ? size : 1;
    return code;
}

/* False for characters that control a terminal or mislead a reader: control characters, line
 * separators, marks that reverse the writing direction, characters without width (Unicode category
 * Cf), and the blank Hangul letters. */
static inline bool sb_is_visible(uint32_t code_point)
{
    static const struct {
        uint32_t first, last;
    } hidden[] = {
        { 0x0000, 0x001F },   { 0x007F, 0x009F },   { 0x00AD, 0x00AD },   { 0x0600, 0x0605 },
        { 0x061C, 0x061C },   { 0x06DD, 0x06DD },   { 0x070F, 0x070F },   { 0x0890, 0x0891 },
        { 0x08E2, 0x08E2 },   { 0x115F, 0x1160 },   { 0x180E, 0x180E },   { 0x200B, 0x200F },
        { 0x2028, 0x202E },   { 0x2060, 0x206F },   { 0x3164, 0x3164 },   { 0xFEFF, 0xFEFF },
        { 0xFFA0, 0xFFA0 },   { 0xFFF0, 0xFFFB },   { 0x110BD, 0x110BD }, { 0x110CD, 0x110CD },
        { 0x13430, 0x1343F }, { 0x1BCA0, 0x1BCA3 }, { 0x1D173, 0x1D17A }, { 0xE0000, 0xE0FFF },
    };
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (code_point >= hidden[i].first && code_point <= hidden[i].last) return false;
    return true;
}

#endif
