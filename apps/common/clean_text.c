/* apps/common/clean_text.c -- makes received text safe to print.
 *
 * Tests:    tests/apps/query_test.py, tests/apps/bot_test.py
 */
#include "common/clean_text.h"

#include "base/utf8.h"
#include "base/windows1252.h"
#include "inspect/text.h"

#include <string.h>

/* Appends one character; false: it does not fit. */
static bool append_point(char *out, size_t *size, size_t capacity, uint32_t point)
{
    char   bytes[4];
    size_t count = sb_utf8_write(bytes, sb_is_visible(point) ? point : '?');
    if (*size + count >= capacity) return false;
    memcpy(out + *size, bytes, count);
    *size += count;
    return true;
}

size_t sb_clean_game_text(sb_span text, char *out, size_t capacity)
{
    size_t size = 0;
    for (size_t i = 0; i < text.size; i++)
        if (!append_point(out, &size, capacity, sb_windows1252_code_point(text.data[i]))) break;
    out[size] = '\0';
    return size;
}

size_t sb_clean_utf8(const char *text, char *out, size_t capacity)
{
    size_t size = 0;
    while (*text && append_point(out, &size, capacity, sb_utf8_next(&text))) continue;
    out[size] = '\0';
    return size;
}

void sb_clean_print_json(FILE *out, const char *text)
{
    putc('"', out);
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\') putc('\\', out);
        putc(*c, out);
    }
    putc('"', out);
}

size_t sb_clean_columns(const char *text)
{
    return sb_text_columns(text, strlen(text));
}

/* The number of bytes in the first `columns` characters. */
static int prefix_bytes(const char *text, size_t columns)
{
    size_t at = 0;
    while (text[at] && columns > 0) {
        at++;
        while (((unsigned char)text[at] & 0xC0) == 0x80) at++;
        columns--;
    }
    return (int)at;
}

void sb_clean_print_cell(FILE *out, const char *text, size_t columns)
{
    size_t width = sb_clean_columns(text);
    if (columns > 0 && width > columns) {
        fprintf(out, "%.*s…", prefix_bytes(text, columns - 1), text);
        return;
    }
    fputs(text, out);
    for (; width < columns; width++) putc(' ', out);
}
