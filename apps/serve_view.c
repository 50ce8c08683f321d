/* apps/serve_view.c -- rooms, players, hulls, shields and traffic in the terminal, four times a
 * second.
 *
 * The rooms belong to other threads: each is asked for a snapshot and answers in its own time; what
 * is drawn is the last answer. Nothing here holds a room up.
 */
#include "serve.h"

#include "base/utf8.h"
#include "clean_text.h"
#include "host/clock.h"
#include "host/terminal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum {
    ROOMS_SHOWN = 16,
    FRAME_BYTES = 1 << 17,
    NAME_COLUMNS = 18,
    SHIP_COLUMNS = 13,
    HULL_COLUMNS = 10,
    LEAST_LOG_LINES = 5,
};

typedef struct rates {
    double datagrams_in, bytes_in, datagrams_out, bytes_out; /* per second */
} rates;

typedef struct counted {
    uint64_t datagrams_in, bytes_in, datagrams_out, bytes_out;
} counted;

struct serve_view {
    serve            *s;
    struct termios    before;
    bool              has_before;
    int               rows, columns, line; /* line: the next to be drawn */
    sb_time           drawn_at;
    size_t            shown; /* rooms */
    counted           last[ROOMS_SHOWN], last_all;
    rates             rate[ROOMS_SHOWN], rate_all;
    bool              asked[ROOMS_SHOWN];
    sb_room_snapshot *asking, *seen; /* by room */
    size_t            size;          /* of frame */
    char              frame[FRAME_BYTES];
};

/* ---- the terminal ---- */

static void write_all(const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, size);
        if (written <= 0) return;
        bytes += written;
        size -= (size_t)written;
    }
}

static void measure(serve_view *v)
{
    struct winsize size;
    v->rows = 24;
    v->columns = 80;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return;
    v->rows = size.ws_row;
    v->columns = size.ws_col;
}

/* What is typed shall not appear in the picture; Ctrl-C works as always. */
static void take_terminal(serve_view *v)
{
    static const char begin[] = "\033[?1049h\033[?25l\033[2J";
    v->has_before = tcgetattr(STDIN_FILENO, &v->before) == 0;
    if (v->has_before) {
        struct termios quiet = v->before;
        quiet.c_lflag &= ~(tcflag_t)(ECHO | ICANON);
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &quiet);
    }
    write_all(begin, sizeof begin - 1);
}

serve_view *serve_view_open(serve *s)
{
    if (!sb_is_terminal(stdout)) {
        sb_log_say(&s->log, SB_LOG_WARNING, "server", SB_LOG_NO_ROOM,
                   "there is no terminal to show the view in");
        return NULL;
    }
    serve_view *v = calloc(1, sizeof *v);
    if (!v) return NULL;
    v->s = s;
    v->shown = s->room_count < ROOMS_SHOWN ? s->room_count : ROOMS_SHOWN;
    v->asking = calloc(v->shown, sizeof *v->asking);
    v->seen = calloc(v->shown, sizeof *v->seen);
    if (!v->asking || !v->seen) {
        free(v->asking);
        free(v->seen);
        free(v);
        return NULL;
    }
    if (sb_is_terminal(stderr)) sb_log_redirect(&s->log, -1);
    take_terminal(v);
    s->console.editing = v->has_before && s->console.terminal;
    return v;
}

/* A room that has not answered yet still owns its snapshot. */
static void await_answers(serve_view *v)
{
    for (size_t i = 0; i < v->shown; i++)
        for (int k = 0; v->asked[i] && k < 1000; k++) {
            if (atomic_load_explicit(&v->asking[i].done, memory_order_acquire)) v->asked[i] = false;
            else (void)usleep(1000);
        }
}

void serve_view_close(serve_view *v)
{
    static const char end[] = "\033[?25h\033[?1049l";
    v->s->console.editing = false;
    write_all(end, sizeof end - 1);
    if (v->has_before) (void)tcsetattr(STDIN_FILENO, TCSANOW, &v->before);
    sb_log_redirect(&v->s->log, STDERR_FILENO);
    await_answers(v);
    free(v->asking);
    free(v->seen);
    free(v);
}

/* ---- asking ---- */

static void collect(serve_view *v, size_t i)
{
    if (!v->asked[i] || !atomic_load_explicit(&v->asking[i].done, memory_order_acquire)) return;
    memcpy(&v->seen[i], &v->asking[i], sizeof v->seen[i]);
    for (uint32_t k = 0; k < v->seen[i].player_count; k++) {
        sb_player_snapshot *p = &v->seen[i].players[k];
        if (p->view.ship) p->view.ship = &p->ship;
    }
    v->asked[i] = false;
}

static void ask(serve_view *v, size_t i)
{
    const serve_room *r = &v->s->rooms[i];
    sb_room_command   c = { .type = SB_ROOM_SNAPSHOT, .room = (int)r->index };
    if (v->asked[i]) return;
    c.snapshot = &v->asking[i];
    atomic_store_explicit(&v->asking[i].done, false, memory_order_relaxed);
    v->asked[i] = sb_room_loop_post(v->s->loops[r->loop], &c);
}

/* ---- rates ---- */

static counted read_counters(const sb_room_traffic *t)
{
    return (counted){ atomic_load_explicit(&t->datagrams_in, memory_order_relaxed),
                      atomic_load_explicit(&t->bytes_in, memory_order_relaxed),
                      atomic_load_explicit(&t->datagrams_out, memory_order_relaxed),
                      atomic_load_explicit(&t->bytes_out, memory_order_relaxed) };
}

/* Half old, half new: figures one can read. */
static double smooth(double before, uint64_t now, uint64_t last, double seconds)
{
    return seconds > 0 ? (before + (double)(now - last) / seconds) / 2 : before;
}

static void update_rates(rates *r, counted *last, counted now, double seconds)
{
    r->datagrams_in = smooth(r->datagrams_in, now.datagrams_in, last->datagrams_in, seconds);
    r->bytes_in = smooth(r->bytes_in, now.bytes_in, last->bytes_in, seconds);
    r->datagrams_out = smooth(r->datagrams_out, now.datagrams_out, last->datagrams_out, seconds);
    r->bytes_out = smooth(r->bytes_out, now.bytes_out, last->bytes_out, seconds);
    *last = now;
}

static void count_traffic(serve_view *v, double seconds)
{
    counted all = { 0, 0, 0, 0 };
    for (size_t i = 0; i < v->s->room_count; i++) {
        counted now = read_counters(&v->s->rooms[i].room.traffic);
        all.datagrams_in += now.datagrams_in;
        all.bytes_in += now.bytes_in;
        all.datagrams_out += now.datagrams_out;
        all.bytes_out += now.bytes_out;
        if (i < v->shown) update_rates(&v->rate[i], &v->last[i], now, seconds);
    }
    update_rates(&v->rate_all, &v->last_all, all, seconds);
}

/* ---- drawing ---- */

static void put(serve_view *v, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(serve_view *v, const char *format, ...)
{
    va_list list;
    size_t  left = sizeof v->frame - v->size;
    va_start(list, format);
    int size = vsnprintf(v->frame + v->size, left, format, list);
    va_end(list);
    if (size > 0) v->size += (size_t)size < left ? (size_t)size : left - 1;
}

/* Lines never wrap: the terminal is told not to (?7l) while a frame is drawn. */
static void end_line(serve_view *v)
{
    put(v, "\033[0m\033[K");
    if (++v->line < v->rows) put(v, "\r\n");
}

/* A text, cleaned of what could steer the terminal. */
static void put_clean(serve_view *v, const char *text)
{
    char clean[SERVE_LINE];
    (void)sb_clean_utf8(text, clean, sizeof clean);
    put(v, "%s", clean);
}

/* The same in so many columns, cut or filled; one column per code point. */
static void put_column(serve_view *v, const char *text, int columns)
{
    char clean[SERVE_LINE];
    int  used = 0;
    (void)sb_clean_utf8(text, clean, sizeof clean);
    for (const char *c = clean; *c && used < columns; used++) {
        const char *next = c;
        (void)sb_utf8_next(&next);
        put(v, "%.*s", (int)(next - c), c);
        c = next;
    }
    put(v, "%*s", columns - used, "");
}

static const char *colour_of(float ratio)
{
    return ratio > 0.66f ? "\033[32m" : ratio > 0.33f ? "\033[33m" : "\033[31m";
}

/* Eighths of a cell: a bar of ten shows eighty steps. */
static void put_bar(serve_view *v, float ratio, int columns)
{
    static const char *const eighths[] = { " ", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
    if (!(ratio > 0)) ratio = 0;
    if (ratio > 1) ratio = 1;
    int steps = (int)(ratio * (float)columns * 8 + 0.5f);
    put(v, "%s\033[48;5;236m", colour_of(ratio));
    for (int i = 0; i < columns; i++) {
        int here = steps - 8 * i;
        put(v, "%s", here >= 8 ? "█" : here > 0 ? eighths[here] : " ");
    }
    put(v, "\033[0m");
}

static float hull_ratio(const sb_ship *ship)
{
    for (unsigned i = 0; ship->model && i < ship->model->subsystem_count; i++)
        if (ship->model->subsystems[i].type == SB_SUBSYSTEM_HULL) return sb_ship_ratio(ship, i);
    return 0;
}

static int facing_columns(const serve_view *v)
{
    return v->columns >= 120 ? 5 : v->columns >= 100 ? 3 : 2;
}

static void put_ship(serve_view *v, const sb_ship *ship)
{
    put_bar(v, hull_ratio(ship), HULL_COLUMNS);
    for (int i = 0; i < SB_FACINGS; i++) {
        float most = ship->model ? ship->model->shield_max[i] : 0;
        put(v, " ");
        put_bar(v, most > 0 ? ship->facing[i] / most : 0, facing_columns(v));
    }
}

static void draw_player(serve_view *v, const sb_player_view *p)
{
    const sb_ship *ship = p->ship;
    put(v, "  ");
    put_column(v, p->name[0] ? p->name : "?", NAME_COLUMNS);
    put(v, " ");
    if (ship && ship->model) put_column(v, ship->model->name, SHIP_COLUMNS);
    else put_column(v, ship ? "unknown ship" : "", SHIP_COLUMNS);
    put(v, " ");
    if (ship && !p->exploding) put_ship(v, ship);
    else {
        put(v, "\033[2m");
        put_column(v, p->exploding ? "destroyed" : sb_player_phase_text(p->phase),
                   HULL_COLUMNS + SB_FACINGS * (1 + facing_columns(v)));
        put(v, "\033[0m");
    }
    put(v, " %5d %5d %7d", p->kills, p->deaths, p->score);
    double ping_ms = (double)p->peer.round_trip_us / 1000;
    if (ping_ms > 0) put(v, " %5.*f ms", ping_ms < 10 ? 1 : 0, ping_ms);
    end_line(v);
}

static void put_bytes(serve_view *v, double bytes)
{
    if (bytes < 1000) put(v, "%3.0f B/s", bytes);
    else if (bytes < 1e6) put(v, "%.1f kB/s", bytes / 1e3);
    else put(v, "%.1f MB/s", bytes / 1e6);
}

static void put_rates(serve_view *v, const rates *r)
{
    put(v, "in %.0f/s ", r->datagrams_in);
    put_bytes(v, r->bytes_in);
    put(v, "  out %.0f/s ", r->datagrams_out);
    put_bytes(v, r->bytes_out);
}

static void draw_room(serve_view *v, size_t i)
{
    const serve_room       *r = &v->s->rooms[i];
    const sb_room_snapshot *seen = &v->seen[i];
    const sb_room_config   *c = r->config;
    put(v, "\033[1mroom %u  ", r->number);
    put_clean(v, c->shown_name);
    put(v, "\033[0m  port %u  %s in %s  %u/%u players  ", r->room.udp.local.port,
        seen->mode ? seen->mode->label : c->server.match.mode->label,
        seen->mode ? seen->system : c->place->name, seen->in_game, c->server.max_players);
    if (seen->over) put(v, "match over  ");
    else if (seen->seconds_left >= 0)
        put(v, "%d:%02d left  ", seen->seconds_left / 60, seen->seconds_left % 60);
    if (seen->teams) put(v, "teams %d : %d  ", seen->team_kills[0], seen->team_kills[1]);
    put(v, "\033[2m");
    put_rates(v, &v->rate[i]);
    end_line(v);
    for (uint32_t k = 0; k < seen->player_count && v->line < v->rows - LEAST_LOG_LINES; k++)
        draw_player(v, &seen->players[k].view);
    if (seen->player_count > 0 || v->line >= v->rows - LEAST_LOG_LINES) return;
    put(v, "\033[2m  nobody is here yet; `starbase bot -n 4 localhost:%u` brings company",
        r->room.udp.local.port);
    end_line(v);
}

static void draw_heading(serve_view *v)
{
    static const char *const facings[] = { "front", "rear", "top", "bot", "left", "right" };
    put(v, "\033[2m  ");
    put_column(v, "player", NAME_COLUMNS + 1);
    put_column(v, "ship", SHIP_COLUMNS + 1);
    put_column(v, "hull", HULL_COLUMNS);
    for (int i = 0; i < SB_FACINGS; i++) {
        put(v, " ");
        put_column(v, facings[i], facing_columns(v));
    }
    put(v, " kills  lost   score     ping");
    end_line(v);
}

static uint32_t count_players(const serve_view *v)
{
    uint32_t count = 0;
    for (size_t i = 0; i < v->shown; i++) count += v->seen[i].in_game;
    return count;
}

static void draw_title(serve_view *v, sb_time now)
{
    long long seconds = (long long)((now - v->s->started_at) / SB_SECOND);
    uint32_t  players = count_players(v);
    put(v, "\033[7m starbase %s  %zu room%s  %u player%s  up %lld:%02lld:%02lld  ", sb_version(),
        v->s->room_count, v->s->room_count == 1 ? "" : "s", players, players == 1 ? "" : "s",
        seconds / 3600, seconds / 60 % 60, seconds % 60);
    put_rates(v, &v->rate_all);
    put(v, "  Ctrl-C ends ");
    end_line(v);
}

/* The last line of the picture is the operator's. */
static void draw_log(serve_view *v)
{
    char line[SB_LOG_RECENT_MAX];
    int  room = v->rows - v->line - v->s->console.editing;
    for (int back = room - 1; back >= 0; back--) {
        if (sb_log_recent_line(&v->s->log, (unsigned)back, line)) put_clean(v, line);
        end_line(v);
    }
}

/* Of a line that is too long its end is seen. */
static void draw_prompt(serve_view *v)
{
    const serve_console *c = &v->s->console;
    char                 line[SERVE_LINE];
    if (!c->editing) return;
    snprintf(line, sizeof line, "%.*s", (int)c->size, c->line);
    const char *at = line;
    for (size_t width = sb_count_columns(line); width + 4 > (size_t)v->columns && *at; width--)
        (void)sb_utf8_next(&at);
    put(v, "\033[%d;1H\033[0m> ", v->rows);
    put_clean(v, at);
    put(v, "\033[7m \033[0m%s\033[0m\033[K", c->size ? "" : "\033[2m help, status, say, kick ...");
}

void serve_view_prompt(serve_view *v)
{
    v->size = 0;
    put(v, "\033[?7l");
    draw_prompt(v);
    put(v, "\033[?7h");
    write_all(v->frame, v->size);
}

void serve_view_draw(serve_view *v)
{
    sb_time now = sb_clock_now();
    measure(v);
    count_traffic(v, v->drawn_at ? (double)(now - v->drawn_at) / 1e6 : 0);
    v->drawn_at = now;
    v->size = 0;
    v->line = 0;
    put(v, "\033[H\033[?7l");
    draw_title(v, now);
    draw_heading(v);
    for (size_t i = 0; i < v->shown; i++) {
        collect(v, i);
        if (v->line < v->rows - LEAST_LOG_LINES) draw_room(v, i);
        ask(v, i);
    }
    if (v->shown < v->s->room_count) put(v, "and %zu more rooms", v->s->room_count - v->shown);
    end_line(v);
    if (v->line < v->rows) draw_log(v);
    draw_prompt(v);
    put(v, "\033[?7h");
    write_all(v->frame, v->size);
}
