/* src/web/buffer.c -- see buffer.h. */
#include "web/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

enum { FIRST_CAPACITY = 16384 };

void sb_web_buffer_free(sb_web_buffer *b)
{
    free(b->data);
    *b = (sb_web_buffer){ 0 };
}

/* True if `more` bytes and a NUL fit. */
static bool reserve(sb_web_buffer *b, size_t more)
{
    size_t wanted = b->capacity ? b->capacity : FIRST_CAPACITY;
    if (b->failed) return false;
    while (wanted < b->size + more + 1) wanted *= 2;
    if (wanted == b->capacity) return true;
    char *data = wanted <= SB_WEB_TEXT_MAX ? realloc(b->data, wanted) : NULL;
    if (!data) {
        b->failed = true;
        return false;
    }
    b->data = data;
    b->capacity = wanted;
    return true;
}

void sb_web_print(sb_web_buffer *b, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int size = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (size < 0 || !reserve(b, (size_t)size)) return;
    va_start(list, format);
    b->size += (size_t)vsnprintf(b->data + b->size, (size_t)size + 1, format, list);
    va_end(list);
}

static void append(sb_web_buffer *b, const char *bytes, size_t size)
{
    if (!reserve(b, size)) return;
    memcpy(b->data + b->size, bytes, size);
    b->size += size;
    b->data[b->size] = '\0';
}

/* Both formats escape the same two characters; a line end is invisible. */
static void append_escaped(sb_web_buffer *b, const char *text)
{
    const uint8_t *bytes = (const uint8_t *)text;
    for (size_t left = strlen(text); left > 0;) {
        uint32_t code;
        size_t   size = sb_utf8_read(bytes, left, &code);
        bool     shown = size > 0 && sb_is_visible(code);
        if (shown && (code == '"' || code == '\\')) append(b, "\\", 1);
        if (shown) append(b, (const char *)bytes, size);
        else append(b, "?", 1);
        if (size == 0) size = 1;
        bytes += size;
        left -= size;
    }
}

void sb_web_print_label(sb_web_buffer *b, const char *text)
{
    append_escaped(b, text);
}

void sb_web_print_json(sb_web_buffer *b, const char *text)
{
    append(b, "\"", 1);
    append_escaped(b, text);
    append(b, "\"", 1);
}
