/* apps/serve/frame.c -- builds a frame for a terminal: cut lines, cells, bars.
 *
 * Tests:    tests/apps/view_test.py
 */
#include "serve/frame.h"

#include "base/utf8.h"
#include "common/clean_text.h"
#include "platform/nonblocking.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the escape sequence at `at`; 0: none. All sequences used here are ESC [ ... letter. */
static size_t escape_bytes(const char *at, const char *end)
{
    if (end - at < 2 || *at != '\033') return 0;
    const char *c = at + 2;
    while (c < end && (unsigned char)*c < 0x40) c++;
    return (size_t)(c - at) + (c < end);
}

static size_t character_bytes(const char *at, const char *end)
{
    const char *c = at + 1;
    while (c < end && ((unsigned char)*c & 0xC0) == 0x80) c++;
    return (size_t)(c - at);
}

/* Cuts the text appended at `from` to the width of the terminal. A character has one column, an
 * escape sequence none. */
static void cut_to_width(serve_frame *f, size_t from)
{
    char       *out = f->bytes + from;
    const char *end = f->bytes + f->size;
    for (const char *at = out; at < end;) {
        size_t escape = escape_bytes(at, end), size = escape ? escape : character_bytes(at, end);
        bool   stays = escape || f->column < f->columns;
        if (!escape) f->column++;
        if (stays) out = (char *)memmove(out, at, size) + size;
        at += size;
    }
    f->size = (size_t)(out - f->bytes);
}

void serve_frame_append(serve_frame *f, const char *format, ...)
{
    va_list list;
    size_t  from = f->size, left = sizeof f->bytes - from;
    va_start(list, format);
    int size = vsnprintf(f->bytes + from, left, format, list);
    va_end(list);
    if (size > 0) f->size += (size_t)size < left ? (size_t)size : left - 1;
    cut_to_width(f, from);
}

serve_mark serve_frame_mark(const serve_frame *f)
{
    return (serve_mark){ f->size, f->column };
}

bool serve_frame_keep_if_fits(serve_frame *f, serve_mark m, int reserve)
{
    if (f->column + reserve <= f->columns) return true;
    f->size = m.size;
    f->column = m.column;
    return false;
}

/* Does not erase after a full line: the terminal would delete its last character. */
void serve_frame_erase_rest(serve_frame *f)
{
    serve_frame_append(f, "\033[0m%s", f->column < f->columns ? "\033[K" : "");
    f->column = 0;
}

void serve_frame_end_line(serve_frame *f)
{
    serve_frame_erase_rest(f);
    if (++f->line < f->rows) serve_frame_append(f, "\r\n");
    f->column = 0;
}

void serve_frame_append_clean(serve_frame *f, const char *text)
{
    char clean[SERVE_FRAME_TEXT];
    (void)sb_clean_utf8(text, clean, sizeof clean);
    serve_frame_append(f, "%s", clean);
}

int serve_frame_append_columns(serve_frame *f, const char *text, int columns)
{
    char clean[SERVE_FRAME_TEXT];
    int  used = 0;
    (void)sb_clean_utf8(text, clean, sizeof clean);
    for (const char *c = clean; *c && used < columns; used++) {
        const char *next = c;
        (void)sb_utf8_next(&next);
        serve_frame_append(f, "%.*s", (int)(next - c), c);
        c = next;
    }
    return used;
}

void serve_frame_append_cell(serve_frame *f, const char *text, int columns)
{
    if (columns <= 0) return;
    serve_frame_append(f, " ");
    serve_frame_append(f, "%*s", columns - serve_frame_append_columns(f, text, columns), "");
}

static const char *colour_of(float ratio)
{
    return ratio > 0.66f ? "\033[32m" : ratio > 0.33f ? "\033[33m" : "\033[31m";
}

/* Draws eighths of a column, so that ten columns show eighty values. Without colours, dots fill the
 * rest of the bar. */
void serve_frame_append_bar(serve_frame *f, float ratio, int columns)
{
    static const char *const eighths[] = { " ", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
    if (columns <= 0) return;
    if (!(ratio > 0)) ratio = 0;
    if (ratio > 1) ratio = 1;
    int steps = (int)(ratio * (float)columns * 8 + 0.5f);
    serve_frame_append(f, " ");
    if (f->colour) serve_frame_append(f, "%s\033[48;5;236m", colour_of(ratio));
    for (int i = 0; i < columns; i++) {
        int here_steps = steps - 8 * i;
        if (here_steps <= 0) serve_frame_append(f, "%s", f->colour ? " " : "·");
        else serve_frame_append(f, "%s", here_steps >= 8 ? "█" : eighths[here_steps]);
    }
    if (f->colour) serve_frame_append(f, "\033[0m");
}

bool serve_frame_send(serve_frame *f)
{
    ssize_t written = sb_nonblocking_write(f->screen, f->bytes + f->sent, f->size - f->sent);
    f->sent = written < 0 ? f->size : f->sent + (size_t)written;
    return f->sent == f->size;
}
