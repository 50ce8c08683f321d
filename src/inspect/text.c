/* src/inspect/text.c -- adds numbers, bytes and strings of the wire to a text.
 *
 * Tests:    tests/inspect/render_test.c
 */
#include "inspect/text.h"

#include "base/utf8.h"
#include "base/windows1252.h"
#include "inspect/number_text.h"

#include <stdarg.h>
#include <stdio.h>

void sb_text_add_number(sb_text *t, int64_t number)
{
    char buffer[SB_NUMBER_TEXT_MAX];
    sb_text_add(t, buffer, sb_format_i64(buffer, number));
}

void sb_text_add_hex_number(sb_text *t, uint32_t number, size_t digits)
{
    char buffer[SB_NUMBER_TEXT_MAX];
    sb_text_add(t, buffer, sb_format_hex_number(buffer, number, digits));
}

void sb_text_add_bytes(sb_text *t, sb_span bytes, size_t max)
{
    size_t count = bytes.size < max ? bytes.size : max;
    for (size_t i = 0; i < count; i++) {
        char pair[2];
        if (i > 0) sb_text_add_char(t, ' ');
        sb_text_add(t, pair, sb_format_hex(pair, bytes.data + i, 1));
    }
    if (count == bytes.size) return;
    sb_text_add_string(t, " … (");
    sb_text_add_number(t, (int64_t)bytes.size);
    sb_text_add_string(t, " bytes)");
}

static uint32_t utf16_unit(sb_span bytes, size_t at)
{
    return (uint32_t)(bytes.data[at] | bytes.data[at + 1] << 8);
}

bool sb_utf16_read_point(sb_span bytes, size_t at, uint32_t *code_point, size_t *taken)
{
    if (bytes.size - at < 2) return false;
    uint32_t first = utf16_unit(bytes, at);
    *code_point = first;
    *taken = 2;
    if (first < 0xD800 || first > 0xDFFF) return true;
    if (first > 0xDBFF || bytes.size - at < 4) return false;
    uint32_t second = utf16_unit(bytes, at + 2);
    if (second < 0xDC00 || second > 0xDFFF) return false;
    *code_point = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
    *taken = 4;
    return true;
}

/* Control characters, which could steer a terminal, are escaped as \x1B. */
static void add_code_point(sb_text *t, uint32_t c)
{
    char buffer[8] = "\\x";
    if (c < 0x20 || (c >= 0x7F && c < 0xA0)) {
        uint8_t byte = (uint8_t)c;
        (void)sb_format_hex(buffer + 2, &byte, 1);
        sb_text_add(t, buffer, 4);
        return;
    }
    if (c == '"' || c == '\\') sb_text_add_char(t, '\\');
    sb_text_add(t, buffer, sb_utf8_write(buffer, c));
}

void sb_text_add_quoted(sb_text *t, sb_span bytes)
{
    sb_text_add_char(t, '"');
    for (size_t i = 0; i < bytes.size; i++)
        add_code_point(t, sb_windows1252_code_point(bytes.data[i]));
    sb_text_add_char(t, '"');
}

void sb_text_add_quoted_utf16(sb_text *t, sb_span bytes)
{
    sb_text_add_char(t, '"');
    for (size_t at = 0; at < bytes.size;) {
        uint32_t c = 0;
        size_t   taken = 2;
        if (!sb_utf16_read_point(bytes, at, &c, &taken)) c = 0xFFFD;
        if (c != 0 || at + 2 < bytes.size) add_code_point(t, c);
        at += taken;
    }
    sb_text_add_char(t, '"');
}

size_t sb_text_columns(const char *text, size_t size)
{
    size_t columns = 0;
    for (size_t i = 0; i < size; i++) columns += ((unsigned char)text[i] & 0xC0) != 0x80;
    return columns;
}

void sb_output_print(sb_output *o, const char *format, ...)
{
    char    piece[512];
    va_list list;
    va_start(list, format);
    int size = vsnprintf(piece, sizeof piece, format, list);
    va_end(list);
    if (size > 0)
        sb_output_write(o, piece, (size_t)size < sizeof piece ? (size_t)size : sizeof piece - 1);
}

void sb_output_cell(sb_output *o, const char *style, const char *text, size_t size, size_t columns)
{
    size_t taken = sb_text_columns(text, size);
    if (style) sb_output_style(o, style);
    sb_output_write(o, text, size);
    if (style) sb_output_style(o, SB_STYLE_RESET);
    if (taken < columns) sb_output_spaces(o, columns - taken);
}
