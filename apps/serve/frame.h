/* apps/serve/frame.h -- a frame for a terminal: built line by line, written without blocking.
 *
 * For:      view.c.
 * Never:    makes a line longer than the terminal is wide, or blocks on a stopped terminal.
 */
#ifndef SB_APPS_SERVE_FRAME_H
#define SB_APPS_SERVE_FRAME_H

#include <stdbool.h>
#include <stddef.h>

enum { SERVE_FRAME_BYTES = 1 << 17, SERVE_FRAME_TEXT = 512 };

typedef struct serve_frame {
    int    screen; /* descriptor of the terminal */
    bool   colour;
    int    rows, columns; /* size of the terminal */
    int    line, column;  /* position of the next character; column may exceed `columns` */
    size_t size, sent;    /* bytes built and bytes written so far */
    char   bytes[SERVE_FRAME_BYTES];
} serve_frame;

/* A position in the line to which serve_frame_keep_if_fits can return. */
typedef struct serve_mark {
    size_t size;
    int    column;
} serve_mark;

serve_mark serve_frame_mark(const serve_frame *f);
/* Removes the text appended after `m` unless `reserve` columns are left after it.
 * True: it stays. */
bool serve_frame_keep_if_fits(serve_frame *f, serve_mark m, int reserve);

void serve_frame_append(serve_frame *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends a text; invisible characters become '?'. */
void serve_frame_append_clean(serve_frame *f, const char *text);
/* Appends at most `columns` columns of a text, one per code point; returns how many. */
int serve_frame_append_columns(serve_frame *f, const char *text, int columns);
/* Appends a blank and the text, cut or padded to `columns`; nothing if `columns` is 0. */
void serve_frame_append_cell(serve_frame *f, const char *text, int columns);
/* Appends a blank and a bar of `columns`; nothing if `columns` is 0. */
void serve_frame_append_bar(serve_frame *f, float ratio, int columns);
void serve_frame_erase_rest(serve_frame *f);
void serve_frame_end_line(serve_frame *f);

/* Writes as much of the frame as the terminal accepts. True: the whole frame was written, and the
 * next one may be started. */
bool serve_frame_send(serve_frame *f);

#endif
