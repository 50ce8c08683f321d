/* apps/serve/view.c -- shows rooms, players, hulls, shields and traffic in the terminal, four times
 * a second.
 *
 * For:      serve.c, with --view.
 * Never:    blocks a room: other threads run the rooms, the view requests snapshots and draws the
 *           latest ones. Never blocks on the terminal: a stopped one (Ctrl-S) misses frames.
 * Tests:    tests/apps/view_test.py
 */
#include "serve/frame.h"
#include "serve/serve.h"

#include "base/utf8.h"
#include "common/clean_text.h"
#include "platform/clock.h"
#include "platform/nonblocking.h"
#include "platform/terminal.h"

#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum {
    ROOMS_SHOWN = 16,
    OTHERS_PER_DRAW = 16, /* further rooms, whose players are only counted: requested in rotation */
    REQUESTS_MAX = ROOMS_SHOWN + OTHERS_PER_DRAW,
    MIN_LOG_LINES = 5,
    RESTORE_TIMEOUT_MS = 200,
};

/* The columns of a player's row by the width of the terminal; 0: column left out. Narrow terminals
 * lose ping, ship, shields, hull, kills and deaths, in this order. */
typedef struct layout {
    int  from; /* smallest width of the terminal for this layout */
    int  name, ship, hull, facing;
    bool tallies, ping;
} layout;

static const layout layouts[] = {
    { 120, 18, 13, 10, 5, true, true }, { 100, 18, 13, 10, 3, true, true },
    { 80, 12, 10, 5, 2, true, true },   { 71, 12, 10, 5, 2, true, false },
    { 60, 12, 0, 5, 2, true, false },   { 42, 12, 0, 5, 0, true, false },
    { 36, 12, 0, 0, 0, true, false },   { 0, 12, 0, 0, 0, false, false },
};

typedef struct rates {
    double datagrams_in, bytes_in, datagrams_out, bytes_out; /* per second */
} rates;

typedef struct traffic_counts {
    uint64_t datagrams_in, bytes_in, datagrams_out, bytes_out;
} traffic_counts;

/* Rows of rooms and players, of which the screen shows those from `scroll` on. */
typedef struct row_window {
    int        scroll;     /* rows above the screen */
    int        row, total; /* the next row, and how many the last frame had */
    int        first_room_rows;
    size_t     below; /* rooms whose line did not fit */
    serve_mark start; /* of the row that is being drawn */
} row_window;

/* A request for the snapshot of a room. */
typedef struct snapshot_request {
    size_t room;
    bool   asked; /* true until the answer has arrived */
} snapshot_request;

struct serve_view {
    serve            *s;
    struct termios    before;
    bool              has_before;
    const layout     *layout;
    sb_time           drawn_at;
    size_t            first, shown; /* the rooms that can be shown: `shown` from index `first` on */
    size_t            next_other;   /* the next room that is only counted */
    int               name_columns; /* enough for the longest name, if there is space */
    row_window        rows;
    traffic_counts    last[ROOMS_SHOWN], last_all;
    rates             rate[ROOMS_SHOWN], rate_all;
    snapshot_request  requests[REQUESTS_MAX]; /* the first ones are for the rooms that are shown */
    sb_room_snapshot *answers;                /* by snapshot_request */
    sb_room_snapshot *seen;                   /* by room that is shown */
    uint32_t         *in_game;                /* by room */
    serve_frame       frame;
};

/* ---- the terminal ---- */

static void update_size(serve_view *v)
{
    struct winsize size;
    bool           known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    v->frame.rows = known && size.ws_row > 0 ? size.ws_row : 24;
    v->frame.columns = known && size.ws_col > 0 ? size.ws_col : 80;
    v->layout = layouts;
    while (v->frame.columns < v->layout->from) v->layout++;
}

/* Switches echo and line editing off. Ctrl-C still sends SIGINT. */
static void enter_screen(serve_view *v)
{
    static const char begin[] = "\033[?1049h\033[?25l\033[2J";
    v->has_before = tcgetattr(STDIN_FILENO, &v->before) == 0;
    if (v->has_before) {
        struct termios quiet = v->before;
        quiet.c_lflag &= ~(tcflag_t)(ECHO | ICANON);
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &quiet);
    }
    (void)sb_nonblocking_write(v->frame.screen, begin, sizeof begin - 1);
}

/* Clears IXON first: output stopped by Ctrl-S resumes, and the screen can be restored. */
static void leave_screen(serve_view *v)
{
    static const char end[] = "\033[0m\033[?7h\033[?25h\033[?1049l";
    struct pollfd     ready = { .fd = v->frame.screen, .events = POLLOUT };
    struct termios    flowing = v->before;
    flowing.c_iflag &= ~(tcflag_t)IXON;
    if (v->has_before) (void)tcsetattr(STDIN_FILENO, TCSANOW, &flowing);
    (void)poll(&ready, 1, RESTORE_TIMEOUT_MS);
    (void)sb_nonblocking_write(v->frame.screen, end, sizeof end - 1);
    if (v->has_before) (void)tcsetattr(STDIN_FILENO, TCSANOW, &v->before);
}

static void free_view(serve_view *v)
{
    if (v->frame.screen >= 0) (void)close(v->frame.screen);
    free(v->answers);
    free(v->seen);
    free(v->in_game);
    free(v);
}

serve_view *serve_view_open(serve *s)
{
    if (!sb_terminal_is_open(stdout)) {
        sb_log_message(&s->log, SB_LOG_WARNING, "server", SB_LOG_NO_ROOM,
                       "--view needs a terminal on stdout; the server runs without it");
        return NULL;
    }
    serve_view *v = calloc(1, sizeof *v);
    if (!v) return NULL;
    v->s = s;
    v->shown = s->room_count < ROOMS_SHOWN ? s->room_count : ROOMS_SHOWN;
    v->frame.screen = sb_nonblocking_open(STDOUT_FILENO);
    v->frame.colour = sb_terminal_has_colour(stdout);
    v->answers = calloc(REQUESTS_MAX, sizeof *v->answers);
    v->seen = calloc(v->shown, sizeof *v->seen);
    v->in_game = calloc(s->room_count, sizeof *v->in_game);
    if (v->frame.screen < 0 || !v->answers || !v->seen || !v->in_game) {
        free_view(v);
        return NULL;
    }
    if (sb_terminal_is_open(stderr)) sb_log_redirect(&s->log, -1);
    enter_screen(v);
    s->console.editing = v->has_before && s->console.terminal;
    return v;
}

/* Waits until the rooms no longer use the snapshots, at most a second for each. */
static void wait_for_answers(serve_view *v)
{
    for (size_t i = 0; i < REQUESTS_MAX; i++)
        for (int k = 0; v->requests[i].asked && k < 1000; k++) {
            if (atomic_load_explicit(&v->answers[i].done, memory_order_acquire))
                v->requests[i].asked = false;
            else (void)usleep(1000);
        }
}

void serve_view_close(serve_view *v)
{
    v->s->console.editing = false;
    leave_screen(v);
    sb_log_redirect(&v->s->log, STDERR_FILENO);
    wait_for_answers(v);
    free_view(v);
}

/* ---- answers ---- */

static void store_answer(serve_view *v, size_t room, const sb_room_snapshot *answer)
{
    sb_room_snapshot *seen = &v->seen[room];
    memcpy(seen, answer, sizeof *seen);
    for (uint32_t k = 0; k < seen->player_count; k++) {
        sb_player_snapshot *p = &seen->players[k];
        if (p->view.ship) p->view.ship = &p->ship;
    }
}

static void collect_answers(serve_view *v)
{
    for (size_t i = 0; i < REQUESTS_MAX; i++) {
        snapshot_request *q = &v->requests[i];
        if (!q->asked || !atomic_load_explicit(&v->answers[i].done, memory_order_acquire)) continue;
        q->asked = false;
        v->in_game[q->room] = v->answers[i].in_game;
        if (q->room - v->first < v->shown) store_answer(v, q->room - v->first, &v->answers[i]);
    }
}

static size_t next_unshown_room(serve_view *v)
{
    if (v->next_other - v->first < v->shown) v->next_other = v->first + v->shown;
    if (v->next_other >= v->s->room_count) v->next_other = v->first > 0 ? 0 : v->shown;
    return v->next_other++;
}

static void request_snapshots(serve_view *v)
{
    size_t others = v->s->room_count - v->shown;
    for (size_t i = 0; i < v->shown + (others < OTHERS_PER_DRAW ? others : OTHERS_PER_DRAW); i++) {
        snapshot_request *q = &v->requests[i];
        if (q->asked) continue;
        q->room = i < v->shown ? v->first + i : next_unshown_room(v);
        const serve_room *r = &v->s->rooms[q->room];
        sb_room_command   c = { .type = SB_ROOM_SNAPSHOT, .room = (int)r->index };
        c.snapshot = &v->answers[i];
        atomic_store_explicit(&v->answers[i].done, false, memory_order_relaxed);
        q->asked = sb_room_loop_post(v->s->loops[r->loop], &c);
    }
}

/* ---- rates ---- */

static traffic_counts read_counters(const sb_room_traffic *t)
{
    return (traffic_counts){ atomic_load_explicit(&t->datagrams_in, memory_order_relaxed),
                             atomic_load_explicit(&t->bytes_in, memory_order_relaxed),
                             atomic_load_explicit(&t->datagrams_out, memory_order_relaxed),
                             atomic_load_explicit(&t->bytes_out, memory_order_relaxed) };
}

/* Averages the old and the new rate, so that the figures are readable. */
static double smooth(double before, uint64_t now, uint64_t last, double seconds)
{
    return seconds > 0 ? (before + (double)(now - last) / seconds) / 2 : before;
}

static void update_rates(rates *r, traffic_counts *last, traffic_counts now, double seconds)
{
    r->datagrams_in = smooth(r->datagrams_in, now.datagrams_in, last->datagrams_in, seconds);
    r->bytes_in = smooth(r->bytes_in, now.bytes_in, last->bytes_in, seconds);
    r->datagrams_out = smooth(r->datagrams_out, now.datagrams_out, last->datagrams_out, seconds);
    r->bytes_out = smooth(r->bytes_out, now.bytes_out, last->bytes_out, seconds);
    *last = now;
}

static void update_all_rates(serve_view *v, double seconds)
{
    traffic_counts all = { 0, 0, 0, 0 };
    for (size_t i = 0; i < v->s->room_count; i++) {
        traffic_counts now = read_counters(&v->s->rooms[i].room.traffic);
        all.datagrams_in += now.datagrams_in;
        all.bytes_in += now.bytes_in;
        all.datagrams_out += now.datagrams_out;
        all.bytes_out += now.bytes_out;
        size_t k = i - v->first;
        if (k < v->shown) update_rates(&v->rate[k], &v->last[k], now, seconds);
    }
    update_rates(&v->rate_all, &v->last_all, all, seconds);
}

/* ---- drawing ---- */

static bool has_free_line(const serve_view *v)
{
    return v->frame.line < v->frame.rows - MIN_LOG_LINES;
}

/* A row above the screen is taken back, so that the next one has its place. */
static void end_row(serve_view *v)
{
    row_window *w = &v->rows;
    if (w->row++ < w->scroll) {
        v->frame.size = w->start.size;
        v->frame.column = w->start.column;
    } else serve_frame_end_line(&v->frame);
    w->start = serve_frame_mark(&v->frame);
}

static float hull_ratio(const sb_ship *ship)
{
    for (unsigned i = 0; ship->model && i < ship->model->subsystem_count; i++)
        if (ship->model->subsystems[i].type == SB_SUBSYSTEM_HULL) return sb_ship_ratio(ship, i);
    return 0;
}

static void append_ship(serve_view *v, const sb_ship *ship)
{
    serve_frame_append_bar(&v->frame, hull_ratio(ship), v->layout->hull);
    for (int i = 0; i < SB_FACINGS; i++) {
        float max = ship->model ? ship->model->shield_max[i] : 0;
        serve_frame_append_bar(&v->frame, max > 0 ? ship->facing[i] / max : 0, v->layout->facing);
    }
}

/* Appends a text in the place of the bars. */
static void append_state(serve_view *v, const char *text)
{
    const layout *l = v->layout;
    serve_frame_append(&v->frame, "\033[2m");
    serve_frame_append_cell(&v->frame, text,
                            l->hull + (l->facing ? SB_FACINGS * (1 + l->facing) : 0));
    serve_frame_append(&v->frame, "\033[0m");
}

static void draw_player(serve_view *v, const sb_player_view *p)
{
    const sb_ship *ship = p->ship;
    double         ping_ms = (double)p->peer.round_trip_us / 1000;
    serve_frame_append(&v->frame, "%3u", p->peer_id);
    serve_frame_append_cell(&v->frame, p->name[0] ? p->name : "?", v->name_columns);
    char shown[64] = "";
    if (ship) snprintf(shown, sizeof shown, "%s%s", p->mod_ship ? "?" : "", serve_name_of_ship(p));
    serve_frame_append_cell(&v->frame, shown, v->layout->ship);
    if (ship && !p->exploding) append_ship(v, ship);
    else append_state(v, p->exploding ? "destroyed" : sb_player_phase_text(p->phase));
    if (v->layout->tallies) serve_frame_append(&v->frame, " %5d %5d", p->kills, p->deaths);
    serve_frame_append(&v->frame, " %7d", p->score);
    if (v->layout->ping && ping_ms > 0)
        serve_frame_append(&v->frame, " %5.*f ms", ping_ms < 10 ? 1 : 0, ping_ms);
    end_row(v);
}

static void append_bytes(serve_view *v, double bytes)
{
    if (bytes < 1000) serve_frame_append(&v->frame, "%3.0f B/s", bytes);
    else if (bytes < 1e6) serve_frame_append(&v->frame, "%.1f kB/s", bytes / 1e3);
    else serve_frame_append(&v->frame, "%.1f MB/s", bytes / 1e6);
}

/* Leaves out the datagram rates, or all rates, if the line is too short. */
static void append_rates(serve_view *v, const rates *r)
{
    for (int datagrams = 1; datagrams >= 0; datagrams--) {
        serve_mark before = serve_frame_mark(&v->frame);
        serve_frame_append(&v->frame, "in ");
        if (datagrams) serve_frame_append(&v->frame, "%.0f/s ", r->datagrams_in);
        append_bytes(v, r->bytes_in);
        serve_frame_append(&v->frame, "  out ");
        if (datagrams) serve_frame_append(&v->frame, "%.0f/s ", r->datagrams_out);
        append_bytes(v, r->bytes_out);
        if (serve_frame_keep_if_fits(&v->frame, before, 0)) return;
    }
}

/* Formats players, time left and team kills; returns the number of columns. */
static int format_standing(const sb_room_snapshot *seen, unsigned limit, char *out, size_t capacity)
{
    char left[32] = "", teams[48] = "";
    if (seen->over) snprintf(left, sizeof left, "  match over");
    else if (seen->seconds_left >= 0)
        snprintf(left, sizeof left, "  %d:%02d left", seen->seconds_left / 60,
                 seen->seconds_left % 60);
    if (seen->teams)
        snprintf(teams, sizeof teams, "  teams %d : %d", seen->team_kills[0], seen->team_kills[1]);
    return snprintf(out, capacity, "%u/%u players%s%s", seen->in_game, limit, left, teams);
}

/* Leaves out port and mode if the standing would not fit. */
static void draw_room_line(serve_view *v, size_t i)
{
    const serve_room       *r = &v->s->rooms[v->first + i];
    const sb_room_snapshot *seen = &v->seen[i];
    const sb_room_config   *c = r->config;
    char                    standing[128];
    unsigned limit = seen->mode ? seen->player_limit : c->server.max_players; /* in force */
    int      needed = format_standing(seen, limit, standing, sizeof standing);
    serve_frame_append(&v->frame, "\033[1mroom %u  ", r->number);
    (void)serve_frame_append_columns(&v->frame, c->shown_name, v->frame.columns / 2);
    serve_frame_append(&v->frame, "\033[0m  ");
    serve_mark before = serve_frame_mark(&v->frame);
    serve_frame_append(&v->frame, "port %u  ", r->room.udp.local.port);
    (void)serve_frame_keep_if_fits(&v->frame, before, needed);
    before = serve_frame_mark(&v->frame);
    serve_frame_append(&v->frame, "%s in ",
                       seen->mode ? seen->mode->label : c->server.match.mode->label);
    serve_frame_append_clean(&v->frame, seen->mode ? seen->system : c->place->name);
    serve_frame_append(&v->frame, "  ");
    (void)serve_frame_keep_if_fits(&v->frame, before, needed);
    serve_frame_append(&v->frame, "%s  \033[2m", standing);
    append_rates(v, &v->rate[i]);
    end_row(v);
}

static void draw_room(serve_view *v, size_t i)
{
    const sb_room_snapshot *seen = &v->seen[i];
    draw_room_line(v, i);
    for (uint32_t k = 0; k < seen->player_count; k++)
        if (has_free_line(v)) draw_player(v, &seen->players[k].view);
        else v->rows.row++;
    if (seen->player_count > 0) return;
    if (!has_free_line(v)) {
        v->rows.row++;
        return;
    }
    serve_frame_append(&v->frame,
                       "\033[2m  no players yet; `starbase bot -n 4 localhost:%u` adds some",
                       v->s->rooms[v->first + i].room.udp.local.port);
    end_row(v);
}

/* Draws as many rows as fit, and counts all of them. */
static void draw_rooms(serve_view *v)
{
    row_window *w = &v->rows;
    w->row = 0;
    w->below = v->s->room_count - v->first - v->shown;
    w->start = serve_frame_mark(&v->frame);
    for (size_t i = 0; i < v->shown; i++) {
        if (has_free_line(v)) draw_room(v, i);
        else {
            w->row += 1 + (v->seen[i].player_count ? (int)v->seen[i].player_count : 1);
            w->below++;
        }
        if (i == 0) w->first_room_rows = w->row;
    }
    w->total = w->row;
}

static void draw_below(serve_view *v)
{
    size_t below = v->rows.below;
    serve_frame_append(&v->frame, "\033[2m");
    if (below > 0)
        serve_frame_append(&v->frame, "+%zu room%s below; PgDn and the arrows scroll", below,
                           below == 1 ? "" : "s");
    else if (v->rows.scroll > 0 || v->first > 0) serve_frame_append(&v->frame, "PgUp scrolls back");
    serve_frame_end_line(&v->frame);
}

/* ---- scrolling ---- */

/* Moves the window by one room, and forgets what is known of the room that leaves it. */
static void move_rooms(serve_view *v, bool down)
{
    size_t kept = v->shown - 1, to = down ? 0 : 1, from = down ? 1 : 0, fresh = down ? kept : 0;
    memmove(&v->seen[to], &v->seen[from], kept * sizeof *v->seen);
    memmove(&v->last[to], &v->last[from], kept * sizeof *v->last);
    memmove(&v->rate[to], &v->rate[from], kept * sizeof *v->rate);
    memset(&v->seen[fresh], 0, sizeof *v->seen);
    for (size_t i = 0; i < v->shown; i++)
        for (uint32_t k = 0; k < v->seen[i].player_count; k++) {
            sb_player_snapshot *p = &v->seen[i].players[k];
            if (p->view.ship) p->view.ship = &p->ship;
        }
    v->first = down ? v->first + 1 : v->first - 1;
    v->last[fresh] = read_counters(&v->s->rooms[v->first + fresh].room.traffic);
    v->rate[fresh] = (rates){ 0 };
}

static void scroll_one(serve_view *v, bool down)
{
    row_window *w = &v->rows;
    int         visible = v->frame.rows - MIN_LOG_LINES - 2;
    if (!down && w->scroll > 0) w->scroll--;
    else if (!down && v->first > 0) {
        move_rooms(v, false);
        w->total += 2;
    } else if (down && w->scroll < w->total - visible) w->scroll++;
    else if (down && v->first + v->shown < v->s->room_count) {
        move_rooms(v, true);
        w->scroll -= w->first_room_rows - 1;
        if (w->scroll < 0) w->scroll = 0;
    }
}

/* Obeys the keys that the console has read. */
static void scroll(serve_view *v)
{
    serve_console *c = &v->s->console;
    int            page = v->frame.rows - MIN_LOG_LINES - 3;
    int            lines = c->scroll_lines + c->scroll_pages * (page > 1 ? page : 1);
    c->scroll_lines = c->scroll_pages = 0;
    for (; lines > 0; lines--) scroll_one(v, true);
    for (; lines < 0; lines++) scroll_one(v, false);
}

/* ---- what stands around the rooms ---- */

/* The columns that the row of a player needs beside the name. */
static int columns_beside_name(const layout *l)
{
    return 4 + (l->ship ? 1 + l->ship : 0) + (l->hull ? 1 + l->hull : 0) +
           (l->facing ? SB_FACINGS * (1 + l->facing) : 0) + (l->tallies ? 12 : 0) + 8 +
           (l->ping ? 9 : 0);
}

/* Gives free columns to the names, as many as the longest one needs. */
static void measure_names(serve_view *v)
{
    int space = v->frame.columns - columns_beside_name(v->layout), longest = v->layout->name;
    for (size_t i = 0; i < v->shown; i++)
        for (uint32_t k = 0; k < v->seen[i].player_count; k++) {
            int columns = (int)sb_clean_columns(v->seen[i].players[k].view.name);
            if (columns > longest) longest = columns;
        }
    v->name_columns = longest < space ? longest : space;
    if (v->name_columns < v->layout->name) v->name_columns = v->layout->name;
}

static void draw_heading(serve_view *v)
{
    static const char *const facings[] = { "front", "rear", "top", "bot", "left", "right" };
    const layout            *l = v->layout;
    serve_frame_append(&v->frame, "\033[2m id");
    serve_frame_append_cell(&v->frame, "player", v->name_columns);
    serve_frame_append_cell(&v->frame, "ship", l->ship);
    serve_frame_append_cell(&v->frame, "hull", l->hull);
    for (int i = 0; i < SB_FACINGS; i++) serve_frame_append_cell(&v->frame, facings[i], l->facing);
    serve_frame_append(&v->frame, "%s   score%s", l->tallies ? " kills  lost" : "",
                       l->ping ? "     ping" : "");
    serve_frame_end_line(&v->frame);
}

static uint32_t count_players(const serve_view *v)
{
    uint32_t count = 0;
    for (size_t i = 0; i < v->s->room_count; i++) count += v->in_game[i];
    return count;
}

static void draw_title(serve_view *v, sb_time now)
{
    long long seconds = (long long)((now - v->s->started_at) / SB_SECOND);
    uint32_t  players = count_players(v);
    serve_frame_append(&v->frame,
                       "\033[0;7m starbase %s  %zu room%s  %u player%s  up %lld:%02lld:%02lld  ",
                       sb_version(), v->s->room_count, v->s->room_count == 1 ? "" : "s", players,
                       players == 1 ? "" : "s", seconds / 3600, seconds / 60 % 60, seconds % 60);
    append_rates(v, &v->rate_all);
    serve_mark before = serve_frame_mark(&v->frame);
    serve_frame_append(&v->frame, "  Ctrl-C stops ");
    (void)serve_frame_keep_if_fits(&v->frame, before, 0);
    serve_frame_end_line(&v->frame);
}

/* Draws the screen lines of a log line from number `from` on; a long line has several. */
static void draw_log_line(serve_view *v, const char *line, int from)
{
    const char *at = line;
    for (int i = 0; *at; i++) {
        const char *start = at;
        for (int columns = 0; *at && columns < v->frame.columns; columns++) (void)sb_utf8_next(&at);
        if (i < from) continue;
        char part[SB_LOG_RECENT_MAX];
        snprintf(part, sizeof part, "%.*s", (int)(at - start), start);
        serve_frame_append_clean(&v->frame, part);
        serve_frame_end_line(&v->frame);
    }
}

static int height_of(const serve_view *v, const char *line)
{
    return ((int)sb_clean_columns(line) + v->frame.columns - 1) / v->frame.columns;
}

/* Fills the rest of the frame with log lines; the last line is for commands. */
static void draw_log(serve_view *v)
{
    char line[SB_LOG_RECENT_MAX];
    int  space = v->frame.rows - v->frame.line - v->s->console.editing, used = 0, back = 0;
    for (; used < space && sb_log_recent_line(&v->s->log, (unsigned)back, line); back++)
        used += height_of(v, line);
    for (int blank = space - used; blank > 0; blank--) serve_frame_end_line(&v->frame);
    for (int cut = used > space ? used - space : 0; back > 0; cut = 0)
        if (sb_log_recent_line(&v->s->log, (unsigned)--back, line)) draw_log_line(v, line, cut);
}

/* Shows the end of a line that is too long. */
static void draw_prompt(serve_view *v)
{
    const serve_console *c = &v->s->console;
    char                 line[SERVE_LINE];
    if (!c->editing) return;
    snprintf(line, sizeof line, "%.*s", (int)c->size, c->line);
    const char *at = line;
    for (size_t width = sb_clean_columns(line); width + 4 > (size_t)v->frame.columns && *at;
         width--)
        (void)sb_utf8_next(&at);
    v->frame.column = 0;
    serve_frame_append(&v->frame, "\033[%d;1H\033[0m> ", v->frame.rows);
    serve_frame_append_clean(&v->frame, at);
    serve_frame_append(&v->frame, "\033[7m \033[0m%s",
                       c->size ? "" : "\033[2m help, status, say, kick ...");
    serve_frame_erase_rest(&v->frame);
}

/* Switches line wrapping off (?7l): the terminal may have become narrower since it was measured. */
static void start_frame(serve_view *v)
{
    v->frame.size = v->frame.sent = 0;
    v->frame.line = v->frame.column = 0;
    serve_frame_append(&v->frame, "\033[?7l");
}

static void end_frame(serve_view *v)
{
    draw_prompt(v);
    serve_frame_append(&v->frame, "\033[?7h");
    (void)serve_frame_send(&v->frame);
}

void serve_view_prompt(serve_view *v)
{
    if (!serve_frame_send(&v->frame)) return;
    start_frame(v);
    end_frame(v);
}

void serve_view_draw(serve_view *v)
{
    sb_time now = sb_clock_now();
    if (!serve_frame_send(&v->frame)) return;
    update_size(v);
    update_all_rates(v, v->drawn_at ? (double)(now - v->drawn_at) / 1e6 : 0);
    v->drawn_at = now;
    collect_answers(v);
    scroll(v);
    measure_names(v);
    start_frame(v);
    serve_frame_append(&v->frame, "\033[H");
    draw_title(v, now);
    draw_heading(v);
    draw_rooms(v);
    draw_below(v);
    if (v->frame.line < v->frame.rows) draw_log(v);
    request_snapshots(v);
    end_frame(v);
}
