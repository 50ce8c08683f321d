/* apps/serve/view_draw.c -- what a frame of --view shows: a title, rooms with their players, the
 * latest lines of the log, the line for commands.
 *
 * For:      view.h.
 * Tests:    tests/apps/view_test.py
 */
#include "serve/view.h"

#include "base/utf8.h"
#include "common/clean_text.h"

#include <string.h>

/* ---- rooms and players ---- */

static bool has_free_line(const serve_view *v)
{
    return v->frame.line < v->frame.rows - VIEW_LOG_LINES_MIN;
}

/* A row above the screen is taken back, so that the next one has its place. */
static void end_row(serve_view *v)
{
    view_rows *w = &v->rows;
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
    const view_layout *l = v->layout;
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
static void append_rates(serve_view *v, const view_rates *r)
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
    view_rows *w = &v->rows;
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

/* ---- what stands around the rooms ---- */

/* The columns that the row of a player needs beside the name. */
static int columns_beside_name(const view_layout *l)
{
    return 4 + (l->ship ? 1 + l->ship : 0) + (l->hull ? 1 + l->hull : 0) +
           (l->facing ? SB_FACINGS * (1 + l->facing) : 0) + (l->tallies ? 12 : 0) + 8 +
           (l->ping ? 9 : 0);
}

void serve_view_measure_names(serve_view *v)
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
    const view_layout       *l = v->layout;
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

void serve_view_append_lines(serve_view *v, sb_time now)
{
    draw_title(v, now);
    draw_heading(v);
    draw_rooms(v);
    draw_below(v);
    if (v->frame.line < v->frame.rows) draw_log(v);
}

/* Shows the end of a line that is too long. */
void serve_view_append_prompt(serve_view *v)
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
