/* apps/serve/view.c -- shows rooms, players, hulls, shields and traffic in the terminal, four times
 * a second.
 *
 * For:      serve.c, with --view. In this order: the terminal, snapshots, rates, scrolling, frames.
 * Never:    blocks a room: other threads run the rooms, the view requests snapshots and draws the
 *           latest ones. Never blocks on the terminal: a stopped one (Ctrl-S) misses frames.
 * Tests:    tests/apps/view_test.py
 */
#include "serve/view.h"

#include "platform/clock.h"
#include "platform/nonblocking.h"
#include "platform/terminal.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { RESTORE_TIMEOUT_MS = 200 };

static const view_layout layouts[] = {
    { 120, 18, 13, 10, 5, true, true }, { 100, 18, 13, 10, 3, true, true },
    { 80, 12, 10, 5, 2, true, true },   { 71, 12, 10, 5, 2, true, false },
    { 60, 12, 0, 5, 2, true, false },   { 42, 12, 0, 5, 0, true, false },
    { 36, 12, 0, 0, 0, true, false },   { 0, 12, 0, 0, 0, false, false },
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
    v->shown = s->room_count < VIEW_ROOMS ? s->room_count : VIEW_ROOMS;
    v->frame.screen = sb_nonblocking_open(STDOUT_FILENO);
    v->frame.colour = sb_terminal_has_colour(stdout);
    v->answers = calloc(VIEW_REQUESTS_MAX, sizeof *v->answers);
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
    for (size_t i = 0; i < VIEW_REQUESTS_MAX; i++)
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
    for (size_t i = 0; i < VIEW_REQUESTS_MAX; i++) {
        view_request *q = &v->requests[i];
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
    for (size_t i = 0;
         i < v->shown + (others < VIEW_OTHERS_PER_DRAW ? others : VIEW_OTHERS_PER_DRAW); i++) {
        view_request *q = &v->requests[i];
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

static view_traffic read_counters(const sb_room_traffic *t)
{
    return (view_traffic){ atomic_load_explicit(&t->datagrams_in, memory_order_relaxed),
                           atomic_load_explicit(&t->bytes_in, memory_order_relaxed),
                           atomic_load_explicit(&t->datagrams_out, memory_order_relaxed),
                           atomic_load_explicit(&t->bytes_out, memory_order_relaxed) };
}

/* Averages the old and the new rate, so that the figures are readable. */
static double smooth(double before, uint64_t now, uint64_t last, double seconds)
{
    return seconds > 0 ? (before + (double)(now - last) / seconds) / 2 : before;
}

static void update_rates(view_rates *r, view_traffic *last, view_traffic now, double seconds)
{
    r->datagrams_in = smooth(r->datagrams_in, now.datagrams_in, last->datagrams_in, seconds);
    r->bytes_in = smooth(r->bytes_in, now.bytes_in, last->bytes_in, seconds);
    r->datagrams_out = smooth(r->datagrams_out, now.datagrams_out, last->datagrams_out, seconds);
    r->bytes_out = smooth(r->bytes_out, now.bytes_out, last->bytes_out, seconds);
    *last = now;
}

static void update_all_rates(serve_view *v, double seconds)
{
    view_traffic all = { 0, 0, 0, 0 };
    for (size_t i = 0; i < v->s->room_count; i++) {
        view_traffic now = read_counters(&v->s->rooms[i].room.traffic);
        all.datagrams_in += now.datagrams_in;
        all.bytes_in += now.bytes_in;
        all.datagrams_out += now.datagrams_out;
        all.bytes_out += now.bytes_out;
        size_t k = i - v->first;
        if (k < v->shown) update_rates(&v->rate[k], &v->last[k], now, seconds);
    }
    update_rates(&v->rate_all, &v->last_all, all, seconds);
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
    v->rate[fresh] = (view_rates){ 0 };
}

static void scroll_one(serve_view *v, bool down)
{
    view_rows *w = &v->rows;
    int        visible = v->frame.rows - VIEW_LOG_LINES_MIN - 2;
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
    int            page = v->frame.rows - VIEW_LOG_LINES_MIN - 3;
    int            lines = c->scroll_lines + c->scroll_pages * (page > 1 ? page : 1);
    c->scroll_lines = c->scroll_pages = 0;
    for (; lines > 0; lines--) scroll_one(v, true);
    for (; lines < 0; lines++) scroll_one(v, false);
}

/* ---- frames ---- */

/* Switches line wrapping off (?7l): the terminal may have become narrower since it was measured. */
static void start_frame(serve_view *v)
{
    v->frame.size = v->frame.sent = 0;
    v->frame.line = v->frame.column = 0;
    serve_frame_append(&v->frame, "\033[?7l");
}

static void end_frame(serve_view *v)
{
    serve_view_append_prompt(v);
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
    serve_view_measure_names(v);
    start_frame(v);
    serve_frame_append(&v->frame, "\033[H");
    serve_view_append_lines(v, now);
    request_snapshots(v);
    end_frame(v);
}
