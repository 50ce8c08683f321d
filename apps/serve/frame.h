/* apps/serve/frame.h -- a picture for a terminal, made line by line and sent as one.
 *
 * For:      serve_view.c, which says what is in it.
 * Never:    lets a line be longer than the terminal is wide, or waits for one that takes nothing.
 */
#ifndef SB_APPS_SERVE_FRAME_H
#define SB_APPS_SERVE_FRAME_H

#include <stdbool.h>
#include <stddef.h>

enum { SERVE_FRAME_BYTES = 1 << 17, SERVE_FRAME_TEXT = 512 };

typedef struct serve_frame {
    int    screen; /* the terminal */
    bool   colour;
    int    rows, columns; /* of it */
    int    line, column;  /* the next to be drawn; column: as if there were no edge */
    size_t size, sent;    /* of bytes */
    char   bytes[SERVE_FRAME_BYTES];
} serve_frame;

/* A place in the line, to return to if what follows is too long. */
typedef struct serve_mark {
    size_t size;
    int    column;
} serve_mark;

serve_mark serve_frame_mark(const serve_frame *f);
/* Takes back what was put after `m` if it leaves less than `reserve` columns. */
bool serve_frame_keep_if_fits(serve_frame *f, serve_mark m, int reserve);

void serve_frame_append(serve_frame *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A text, cleaned of what could steer the terminal. */
void serve_frame_append_clean(serve_frame *f, const char *text);
/* The same, at most so many columns of it, one per code point; returns how many. */
int serve_frame_append_columns(serve_frame *f, const char *text, int columns);
/* A blank and the text, cut or filled; nothing if `columns` is 0. */
void serve_frame_append_cell(serve_frame *f, const char *text, int columns);
/* A blank and the bar; likewise. */
void serve_frame_append_bar(serve_frame *f, float ratio, int columns);
void serve_frame_erase_rest(serve_frame *f);
void serve_frame_end_line(serve_frame *f);

/* A picture that was begun is finished before the next one begins. False: not yet. */
bool serve_frame_send(serve_frame *f);

#endif
