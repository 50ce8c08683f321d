/* apps/serve/view.h -- the state of --view, which its files share.
 *
 * For:      view.c       the terminal, snapshots of rooms, rates, scrolling, frames
 *           view_draw.c  what a frame shows
 */
#ifndef SB_APPS_SERVE_VIEW_H
#define SB_APPS_SERVE_VIEW_H

#include "serve/frame.h"
#include "serve/serve.h"

#include <termios.h>

enum {
    VIEW_ROOMS = 16,           /* rooms that can be shown at a time */
    VIEW_OTHERS_PER_DRAW = 16, /* further rooms, whose players are only counted: requested in
                                  rotation */
    VIEW_REQUESTS_MAX = VIEW_ROOMS + VIEW_OTHERS_PER_DRAW,
    VIEW_LOG_LINES_MIN = 5,
};

/* The columns of a player's row by the width of the terminal; 0: column left out. Narrow terminals
 * lose ping, ship, shields, hull, kills and deaths, in this order. */
typedef struct view_layout {
    int  from; /* smallest width of the terminal for this layout */
    int  name, ship, hull, facing;
    bool tallies, ping;
} view_layout;

typedef struct view_rates {
    double datagrams_in, bytes_in, datagrams_out, bytes_out; /* per second */
} view_rates;

typedef struct view_traffic {
    uint64_t datagrams_in, bytes_in, datagrams_out, bytes_out;
} view_traffic;

/* Rows of rooms and players, of which the screen shows those from `scroll` on. */
typedef struct view_rows {
    int        scroll;     /* rows above the screen */
    int        row, total; /* the next row, and how many the last frame had */
    int        first_room_rows;
    size_t     below; /* rooms whose line did not fit */
    serve_mark start; /* of the row that is being drawn */
} view_rows;

/* A request for the snapshot of a room. */
typedef struct view_request {
    size_t room;
    bool   asked; /* true until the answer has arrived */
} view_request;

struct serve_view {
    serve             *s;
    struct termios     before;
    bool               has_before;
    const view_layout *layout;
    sb_time            drawn_at;
    size_t       first, shown; /* the rooms that can be shown: `shown` from index `first` on */
    size_t       next_other;   /* the next room that is only counted */
    int          name_columns; /* enough for the longest name, if there is space */
    view_rows    rows;
    view_traffic last[VIEW_ROOMS], last_all;
    view_rates   rate[VIEW_ROOMS], rate_all;
    view_request requests[VIEW_REQUESTS_MAX]; /* the first `shown` ones: rooms that are shown */
    sb_room_snapshot *answers;                /* by request */
    sb_room_snapshot *seen;                   /* by room that is shown */
    uint32_t         *in_game;                /* by room */
    serve_frame       frame;
};

/* ---- view_draw.c ---- */

/* Gives free columns to the names, as many as the longest one needs. */
void serve_view_measure_names(serve_view *v);
/* Appends all lines of the frame but the prompt, and counts the rows of rooms. */
void serve_view_append_lines(serve_view *v, sb_time now);
/* Appends the line for commands. */
void serve_view_append_prompt(serve_view *v);

#endif
