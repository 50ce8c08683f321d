/* src/inspect/text.h -- builds text in a buffer of fixed size.
 *
 * For:      renderers that must know the length of a text before printing it.
 * Never:    overflows: text that does not fit is cut off between two characters.
 */
#ifndef SB_INSPECT_TEXT_H
#define SB_INSPECT_TEXT_H

#include <starbase/base.h>

#include "inspect/output.h"

#include <string.h>

typedef struct sb_text {
    char  *data;
    size_t capacity;
    size_t size;
} sb_text;

static inline void sb_text_add(sb_text *t, const char *text, size_t size)
{
    size_t free_bytes = t->capacity - t->size;
    if (size > free_bytes) {
        size = free_bytes;
        while (size > 0 && ((unsigned char)text[size] & 0xC0) == 0x80) size--;
    }
    memcpy(t->data + t->size, text, size);
    t->size += size;
}

static inline void sb_text_add_char(sb_text *t, char c)
{
    sb_text_add(t, &c, 1);
}

static inline void sb_text_add_string(sb_text *t, const char *text)
{
    sb_text_add(t, text, strlen(text));
}

void sb_text_add_number(sb_text *t, int64_t number);
void sb_text_add_hex_number(sb_text *t, uint32_t number, size_t digits);
/* Adds "1C FF 3F"; if there are more than `max` bytes, the first `max` and their total number. */
void sb_text_add_bytes(sb_text *t, sb_span bytes, size_t max);
/* Adds a Windows-1252 text in quotes, control characters escaped. */
void sb_text_add_quoted(sb_text *t, sb_span bytes);
/* Adds a UTF-16LE text in quotes, without its terminator. */
void sb_text_add_quoted_utf16(sb_text *t, sb_span bytes);
/* Reads the code point at offset `at` of UTF-16LE bytes, `*taken` bytes long. False: malformed. */
bool sb_utf16_read_point(sb_span bytes, size_t at, uint32_t *code_point, size_t *taken);

/* Columns of a UTF-8 text on a terminal, if each character takes one. */
size_t sb_text_columns(const char *text, size_t size);

/* ---- styles, printed only if the output is coloured ---- */

#define SB_STYLE_RESET   "\033[0m"
#define SB_STYLE_DIM     "\033[2m"
#define SB_STYLE_BOLD    "\033[1m"
#define SB_STYLE_RED     "\033[31m"
#define SB_STYLE_GREEN   "\033[32m"
#define SB_STYLE_YELLOW  "\033[33m"
#define SB_STYLE_BLUE    "\033[34m"
#define SB_STYLE_MAGENTA "\033[35m"
#define SB_STYLE_CYAN    "\033[36m"

static inline void sb_output_style(sb_output *o, const char *style)
{
    if (o->colour) sb_output_text(o, style);
}

static inline void sb_output_spaces(sb_output *o, size_t count)
{
    while (count-- > 0) sb_output_char(o, ' ');
}

/* Prints `text` in `style` (NULL: plain), padded with blanks to `columns`. */
void sb_output_cell(sb_output *o, const char *style, const char *text, size_t size, size_t columns);

/* Prints at most 511 characters by a format of printf. */
__attribute__((format(printf, 2, 3))) void sb_output_print(sb_output *o, const char *format, ...);

/* Returns space for `count` characters, at most 64; the caller adds what it used to `size`, or
 * calls sb_output_end_at. */
static inline char *sb_output_reserve(sb_output *o, size_t count)
{
    if (o->capacity - o->size < count) sb_output_flush(o);
    return o->data + o->size;
}

/* Sets the end of the output, after characters were written to reserved space. */
static inline void sb_output_end_at(sb_output *o, const char *end)
{
    o->size = (size_t)(end - o->data);
}

#endif
