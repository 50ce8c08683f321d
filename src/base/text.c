/* src/base/text.c -- see text.h. */
#include "base/text.h"

#include "base/assert.h"
#include "base/bytes.h"
#include "base/utf8.h"
#include "base/windows1252.h"

/* ---- to UTF-8 ---- */

static uint32_t replace_unshowable(uint32_t code_point)
{
    if (code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0)) return ' ';
    if (code_point >= 0xD800 && code_point < 0xE000) return 0xFFFD;
    return code_point;
}

/* False: the character and the NUL after it do not fit. */
static bool append_utf8(uint32_t code_point, char *out, size_t *size, size_t capacity)
{
    char   bytes[4];
    size_t count = sb_utf8_write(bytes, replace_unshowable(code_point));
    SB_ASSERT(*size < capacity);
    if (count >= capacity - *size) return false;
    memcpy(out + *size, bytes, count);
    *size += count;
    return true;
}

/* Reads the character at *at and advances *at past it. An unpaired surrogate is returned as it is.
 * At least two bytes must be left. */
static uint32_t next_utf16(sb_span text, size_t *at)
{
    uint32_t unit = sb_load_u16(text.data + *at);
    *at += 2;
    if (unit < 0xD800 || unit >= 0xDC00 || *at + 2 > text.size) return unit;
    uint32_t low = sb_load_u16(text.data + *at);
    if (low < 0xDC00 || low >= 0xE000) return unit;
    *at += 2;
    return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
}

size_t sb_utf8_from_utf16(sb_span text, char *out, size_t capacity)
{
    size_t size = 0;
    for (size_t at = 0; at + 2 <= text.size;)
        if (!append_utf8(next_utf16(text, &at), out, &size, capacity)) break;
    out[size] = '\0';
    return size;
}

size_t sb_utf8_from_windows1252(sb_span text, char *out, size_t capacity)
{
    size_t size = 0;
    for (size_t i = 0; i < text.size; i++)
        if (!append_utf8(sb_windows1252_code_point(text.data[i]), out, &size, capacity)) break;
    out[size] = '\0';
    return size;
}

/* ---- to Windows-1252 ---- */

static uint8_t windows1252_or_question_mark(uint32_t code_point)
{
    uint8_t byte = '?';
    (void)sb_windows1252_byte(code_point, &byte); /* on failure `byte` stays '?' */
    return byte;
}

size_t sb_windows1252_from_utf16(sb_span text, uint8_t *out, size_t capacity)
{
    size_t size = 0;
    for (size_t at = 0; at + 2 <= text.size && size < capacity; size++)
        out[size] = windows1252_or_question_mark(next_utf16(text, &at));
    return size;
}

size_t sb_windows1252_from_utf8(const char *text, uint8_t *out, size_t capacity)
{
    size_t size = 0;
    for (; *text && size < capacity; size++)
        out[size] = windows1252_or_question_mark(sb_utf8_next(&text));
    return size;
}

/* ---- to UTF-16LE ---- */

size_t sb_utf16_from_utf8(const char *text, uint8_t *out, size_t units)
{
    size_t count = 0;
    while (*text) {
        uint32_t code_point = sb_utf8_next(&text);
        size_t   needed = code_point >= 0x10000 ? 2 : 1;
        if (needed > units - count) break;
        if (needed == 2) {
            sb_store_u16(out + 2 * count++, (uint16_t)(0xD800 + ((code_point - 0x10000) >> 10)));
            code_point = 0xDC00 + ((code_point - 0x10000) & 0x3FF);
        }
        sb_store_u16(out + 2 * count++, (uint16_t)code_point);
    }
    return 2 * count;
}
