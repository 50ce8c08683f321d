/* apps/serve/memory.c -- turns notices into entries of the store: matches, players, kills, names.
 *
 * For:      the main thread. A match begins with its first player; each change of a score is posted
 *           at once, so that the store has the standings of a running match.
 * Never:    waits: posting copies an entry (store/store.h).
 * Tests:    tests/apps/memory_test.c, tests/apps/store_test.py
 */
#include "serve/memory.h"

#include "base/assert.h"
#include "platform/clock.h"

#include <starbase/combat.h>

#include <stdlib.h>
#include <string.h>

/* ---- entries ---- */

static void copy(char *out, size_t capacity, const char *text)
{
    snprintf(out, capacity, "%s", text);
}

static void post_match(serve *s, unsigned room, memory_room *m, const char *state,
                       const char *reason, int64_t now_ms)
{
    sb_store_entry  entry = { .type = SB_STORE_ENTRY_MATCH };
    sb_match_entry *to = &entry.u.match;
    bool            is_running = strcmp(state, "running") == 0;
    to->key = m->key;
    copy(to->server, sizeof to->server, s->rooms[room - 1].config->shown_name);
    copy(to->mission, sizeof to->mission, m->mission);
    copy(to->system, sizeof to->system, m->system);
    copy(to->state, sizeof to->state, state);
    copy(to->reason, sizeof to->reason, reason);
    to->revision = ++m->revision;
    to->updated_ms = now_ms;
    to->ended_ms = is_running ? 0 : now_ms;
    sb_store_post(s->memory->store, &entry);
}

static int64_t seconds_of(const memory_row *row, int64_t now_ms)
{
    int64_t visit = row->peer_id ? now_ms - row->entered_ms : 0;
    return row->seconds + (visit > 0 ? visit / 1000 : 0);
}

static void post_row(serve *s, const memory_room *m, memory_row *row, int64_t now_ms)
{
    sb_store_entry   entry = { .type = SB_STORE_ENTRY_PLAYER };
    sb_player_entry *to = &entry.u.player;
    to->key = m->key;
    to->player = row->number;
    copy(to->name, sizeof to->name, row->name);
    copy(to->address, sizeof to->address, row->address);
    to->is_bot = row->is_bot;
    to->team = row->team == SB_NO_TEAM ? -1 : row->team;
    to->place = row->place;
    to->kills = row->kills;
    to->deaths = row->deaths;
    to->score = row->score;
    to->bot_kills = row->bot_kills;
    to->bot_deaths = row->bot_deaths;
    to->joined_ms = row->joined_ms;
    to->left_ms = row->left_ms;
    to->seconds = seconds_of(row, now_ms);
    to->revision = ++row->revision;
    to->updated_ms = now_ms;
    sb_store_post(s->memory->store, &entry);
}

/* ---- rows ---- */

static memory_row *present_row(memory_room *m, uint8_t peer_id)
{
    for (size_t i = 0; m->is_running && peer_id && i < MEMORY_ROWS; i++)
        if (m->rows[i].number && m->rows[i].peer_id == peer_id) return &m->rows[i];
    return NULL;
}

static memory_row *returning_row(memory_room *m, const memory_seat *seat)
{
    for (size_t i = 0; i < MEMORY_ROWS; i++) {
        memory_row *row = &m->rows[i];
        if (row->number && !row->peer_id && strcmp(row->name, seat->name) == 0 &&
            strcmp(row->address, seat->address) == 0)
            return row;
    }
    return NULL;
}

/* A free row, else that of the player who left first: it is in the store. NULL: all are present. */
static memory_row *new_row(memory_room *m)
{
    memory_row *oldest = NULL;
    for (size_t i = 0; i < MEMORY_ROWS; i++) {
        memory_row *row = &m->rows[i];
        if (!row->number) return row;
        if (!row->peer_id && (!oldest || row->left_ms < oldest->left_ms)) oldest = row;
    }
    return oldest;
}

static void enter_row(serve *s, memory_room *m, uint8_t peer_id, int64_t now_ms)
{
    const memory_seat *seat = &m->seats[peer_id];
    memory_row        *row = returning_row(m, seat);
    if (!row) {
        if (!(row = new_row(m))) return;
        *row = (memory_row){ .number = ++m->rows_made, .joined_ms = now_ms };
        copy(row->name, sizeof row->name, seat->name);
        copy(row->address, sizeof row->address, seat->address);
    }
    row->peer_id = peer_id;
    row->is_bot = seat->is_bot;
    row->team = seat->team;
    row->species = seat->species;
    row->entered_ms = now_ms;
    row->left_ms = 0;
    post_row(s, m, row, now_ms);
}

static void leave_row(serve *s, memory_room *m, memory_row *row, int64_t now_ms)
{
    row->seconds = seconds_of(row, now_ms);
    row->peer_id = 0;
    row->left_ms = now_ms;
    post_row(s, m, row, now_ms);
}

/* ---- matches ---- */

/* Bots of the server are no players here: a match that nobody plays is not stored. */
static bool has_players(const memory_room *m)
{
    for (size_t i = 0; i < SERVE_PEERS; i++)
        if (m->seats[i].in_game && !m->seats[i].is_bot) return true;
    return false;
}

/* The match of a room goes on while bots of the server stay, and keeps the numbers of players who
 * return: it is one match here, too. */
static bool has_anybody(const memory_room *m)
{
    for (size_t i = 0; i < SERVE_PEERS; i++)
        if (m->seats[i].in_game) return true;
    return false;
}

/* The notice says what the room plays. */
static void begin_match(serve *s, const sb_notice *n, memory_room *m, int64_t now_ms)
{
    memset(m->rows, 0, sizeof m->rows);
    copy(m->mission, sizeof m->mission, n->mission ? n->mission : "");
    snprintf(m->system, sizeof m->system, "%.*s", (int)sizeof m->system - 1, n->text);
    m->is_running = true;
    m->is_over = false;
    m->revision = m->rows_made = m->kills = 0;
    m->key = (sb_match_key){ .room = n->room, .started_ms = now_ms };
    snprintf(m->key.uid, sizeof m->key.uid, "%s-%lld", sb_store_session(s->memory->store),
             (long long)++s->memory->matches);
    post_match(s, n->room, m, "running", "", now_ms);
    for (unsigned i = 1; i < SERVE_PEERS; i++)
        if (m->seats[i].in_game) enter_row(s, m, (uint8_t)i, now_ms);
}

/* The rows first: a match that is stored as over has all its results. */
static void finish_match(serve *s, unsigned room, memory_room *m, const char *state,
                         const char *reason, int64_t now_ms)
{
    if (!m->is_running) return;
    for (size_t i = 0; i < MEMORY_ROWS; i++) {
        memory_row *row = &m->rows[i];
        if (row->number && row->peer_id) leave_row(s, m, row, now_ms);
        else if (row->number && row->place) post_row(s, m, row, now_ms);
    }
    post_match(s, room, m, state, reason, now_ms);
    m->is_running = false;
}

static const char *reason_word(int64_t reason)
{
    static const char *const words[] = { [SB_END_GENERIC] = "operator",
                                         [SB_END_TIME] = "time limit",
                                         [SB_END_KILLS] = "kill limit",
                                         [SB_END_SCORE] = "score limit",
                                         [SB_END_STARBASE] = "starbase destroyed" };
    bool known = reason >= 0 && reason < (int64_t)(sizeof words / sizeof *words);
    return known && words[reason] ? words[reason] : "other";
}

/* ---- notices, in the order of the table below ---- */

static void on_connected(serve *s, memory_room *m, const sb_notice *n, int64_t now_ms)
{
    char        text[SB_ENDPOINT_TEXT];
    memory_row *row = present_row(m, n->peer_id);
    if (row) leave_row(s, m, row, now_ms); /* the notice of the end was dropped */
    sb_endpoint_text(n->address, text);
    text[strcspn(text, ":")] = '\0';
    m->seats[n->peer_id] = (memory_seat){ .team = SB_NO_TEAM, .is_bot = n->house };
    if (n->house) return;
    copy(m->seats[n->peer_id].address, sizeof m->seats->address, text);
}

static void on_named(serve *s, memory_room *m, const sb_notice *n, int64_t now_ms)
{
    memory_row *row = present_row(m, n->peer_id);
    copy(m->seats[n->peer_id].name, sizeof m->seats->name, n->name);
    if (!row || strcmp(row->name, n->name) == 0) return;
    copy(row->name, sizeof row->name, n->name);
    post_row(s, m, row, now_ms);
}

static void post_name(serve *s, const memory_seat *seat, int64_t now_ms)
{
    sb_store_entry entry = { .type = SB_STORE_ENTRY_NAME };
    if (seat->is_bot || seat->name[0] == '\0') return;
    entry.u.seen.at_ms = now_ms;
    copy(entry.u.seen.name, sizeof entry.u.seen.name, seat->name);
    copy(entry.u.seen.address, sizeof entry.u.seen.address, seat->address);
    sb_store_post(s->memory->store, &entry);
}

static void on_joined(serve *s, memory_room *m, const sb_notice *n, int64_t now_ms)
{
    memory_seat *seat = &m->seats[n->peer_id];
    if (n->name[0]) copy(seat->name, sizeof seat->name, n->name);
    seat->in_game = true;
    post_name(s, seat, now_ms);
    if (m->is_running) enter_row(s, m, n->peer_id, now_ms);
    else if (!m->is_over && !n->house) begin_match(s, n, m, now_ms);
}

static void on_left(serve *s, memory_room *m, const sb_notice *n, int64_t now_ms)
{
    memory_row *row = present_row(m, n->peer_id);
    if (row) leave_row(s, m, row, now_ms);
    if (m->seats[n->peer_id].in_game) post_name(s, &m->seats[n->peer_id], now_ms);
    m->seats[n->peer_id] = (memory_seat){ .team = SB_NO_TEAM };
    if (!has_anybody(m)) finish_match(s, n->room, m, "abandoned", "all players left", now_ms);
}

static void on_chat(serve *s, memory_room *m, const sb_notice *n, int64_t now_ms)
{
    sb_store_entry entry = { .type = SB_STORE_ENTRY_CHAT };
    sb_chat_entry *to = &entry.u.chat;
    if (!s->memory->keeps_chat) return;
    to->at_ms = now_ms;
    to->room = n->room;
    to->to_team = n->other;
    if (m->is_running) copy(to->match_uid, sizeof to->match_uid, m->key.uid);
    copy(to->name, sizeof to->name, n->name);
    copy(to->text, sizeof to->text, n->text);
    sb_store_post(s->memory->store, &entry);
}

static void on_team(serve *s, memory_room *m, const sb_notice *n, int64_t now_ms)
{
    memory_row *row = present_row(m, n->peer_id);
    m->seats[n->peer_id].team = (uint8_t)n->value;
    if (!row) return;
    row->team = (uint8_t)n->value;
    post_row(s, m, row, now_ms);
}

static void on_spawned(serve *s, memory_room *m, const sb_notice *n, int64_t now_ms)
{
    memory_row *row = present_row(m, n->peer_id);
    (void)s;
    (void)now_ms;
    m->seats[n->peer_id].species = (uint8_t)n->value;
    if (row) row->species = (uint8_t)n->value;
}

static void copy_ship(const serve *s, unsigned room, const memory_row *row, char *out,
                      size_t capacity)
{
    const sb_ship_class *ship =
        row && row->species ? serve_ship_class(&s->rooms[room - 1], row->species) : NULL;
    const char *name = row && row->species ? sb_find_name(sb_species_names(), row->species) : NULL;
    copy(out, capacity, ship ? ship->name : name ? name : "");
}

static void on_killed(serve *s, memory_room *m, const sb_notice *n, int64_t now_ms)
{
    sb_store_entry entry = { .type = SB_STORE_ENTRY_KILL };
    sb_kill_entry *to = &entry.u.kill;
    memory_row    *victim = present_row(m, n->peer_id), *killer = present_row(m, n->other);
    if (!m->is_running) return;
    to->key = m->key;
    to->number = ++m->kills;
    to->at_ms = now_ms;
    to->killer = killer ? killer->number : 0;
    to->victim = victim ? victim->number : 0;
    if (killer) copy(to->killer_name, sizeof to->killer_name, killer->name);
    if (victim) copy(to->victim_name, sizeof to->victim_name, victim->name);
    copy_ship(s, n->room, killer, to->killer_ship, sizeof to->killer_ship);
    copy_ship(s, n->room, victim, to->victim_ship, sizeof to->victim_ship);
    copy(to->cause, sizeof to->cause, sb_damage_cause_text((sb_damage_cause)n->cause));
    if (killer && victim && victim->is_bot) killer->bot_kills++;
    if (killer && victim && killer->is_bot) victim->bot_deaths++;
    sb_store_post(s->memory->store, &entry);
}

/* After a death, for each player whose numbers changed. */
static void on_score(serve *s, memory_room *m, const sb_notice *n, int64_t now_ms)
{
    memory_row *row = present_row(m, n->peer_id);
    if (!row) return;
    row->kills = n->kills;
    row->deaths = n->deaths;
    row->score = n->score;
    post_row(s, m, row, now_ms);
}

static void on_started(serve *s, memory_room *m, const sb_notice *n, int64_t now_ms)
{
    finish_match(s, n->room, m, "stopped", "restarted", now_ms);
    m->is_over = false;
    if (has_players(m)) begin_match(s, n, m, now_ms);
}

/* The row of a player who has left: by name, one that has no place yet. */
static memory_row *absent_row(memory_room *m, const char *name)
{
    for (size_t i = 0; i < MEMORY_ROWS; i++) {
        memory_row *row = &m->rows[i];
        if (row->number && !row->peer_id && !row->place && strcmp(row->name, name) == 0) return row;
    }
    return NULL;
}

/* A row at the end of a match; finish_match posts it. */
static void on_standing(serve *s, memory_room *m, const sb_notice *n, int64_t now_ms)
{
    memory_row *row = n->other ? present_row(m, n->peer_id) : absent_row(m, n->name);
    (void)s;
    (void)now_ms;
    if (!m->is_running || !row) return;
    row->place = n->value;
    row->kills = n->kills;
    row->deaths = n->deaths;
    row->score = n->score;
    row->team = n->team;
}

static void on_over(serve *s, memory_room *m, const sb_notice *n, int64_t now_ms)
{
    finish_match(s, n->room, m, "over", reason_word(n->value), now_ms);
    m->is_over = true;
}

static void (*const handlers[SB_NOTICE_TYPES])(serve *s, memory_room *m, const sb_notice *n,
                                               int64_t now_ms) = {
    [SB_NOTICE_CONNECTED] = on_connected, [SB_NOTICE_NAMED] = on_named,
    [SB_NOTICE_JOINED] = on_joined,       [SB_NOTICE_LEFT] = on_left,
    [SB_NOTICE_CHAT] = on_chat,           [SB_NOTICE_TEAM] = on_team,
    [SB_NOTICE_SPAWNED] = on_spawned,     [SB_NOTICE_KILLED] = on_killed,
    [SB_NOTICE_SCORE] = on_score,         [SB_NOTICE_MATCH_STARTED] = on_started,
    [SB_NOTICE_STANDING] = on_standing,   [SB_NOTICE_MATCH_OVER] = on_over,
};

void serve_remember(serve *s, const sb_notice *n)
{
    if (!s->memory || !handlers[n->type] || n->peer_id >= SERVE_PEERS) return;
    SB_ASSERT(n->room >= 1 && n->room <= s->room_count);
    memory_room **room = &s->memory->rooms[n->room - 1];
    if (!*room && !(*room = calloc(1, sizeof **room))) return;
    int64_t ago_us = sb_clock_now() - n->now;
    int64_t now_ms = (sb_clock_wall_us() - (ago_us > 0 ? ago_us : 0)) / 1000;
    handlers[n->type](s, *room, n, now_ms);
}

/* ---- status ---- */

void serve_log_store(serve *s)
{
    sb_log_line     line;
    sb_store_status seen;
    sb_store_get_status(serve_store(s), &seen);
    sb_log_start_answer(&line, s->answers, "status", SB_LOG_NO_ROOM);
    sb_log_text(&line, "store %s", sb_store_state_name(seen.state));
    sb_log_value_word(&line, "store", sb_store_state_name(seen.state));
    if (seen.state != SB_STORE_OFF) {
        sb_log_text(&line, ": %s, %llu entries written, %llu queued, %llu in the spool", seen.path,
                    (unsigned long long)seen.written, (unsigned long long)seen.queued,
                    (unsigned long long)seen.spooled);
        if (seen.dropped) sb_log_text(&line, ", %llu lost", (unsigned long long)seen.dropped);
        if (seen.last_error[0]) sb_log_text(&line, "; %s", seen.last_error);
        sb_log_value_word(&line, "path", seen.path);
        sb_log_value_number(&line, "written", (int64_t)seen.written);
        sb_log_value_number(&line, "queued", (int64_t)seen.queued);
        sb_log_value_number(&line, "spooled", (int64_t)seen.spooled);
        sb_log_value_number(&line, "dropped", (int64_t)seen.dropped);
        sb_log_value_word(&line, "error", seen.last_error);
    }
    sb_log_end(&line);
}

/* ---- opening and closing ---- */

sb_store *serve_store(const serve *s)
{
    return s->memory ? s->memory->store : NULL;
}

/* The default store needs a folder that only an installed server has. */
static bool go_without(serve *s, const char *error)
{
    bool is_default = strcmp(s->first->store, SB_STORE_PATH) == 0;
    if (is_default)
        sb_log_message(&s->log, SB_LOG_INFO, "store", SB_LOG_NO_ROOM,
                       "off: results and bans last until the server stops: %s; --store PATH names "
                       "a file",
                       error);
    else sb_log_message(&s->log, SB_LOG_ERROR, "store", SB_LOG_NO_ROOM, "%s", error);
    return is_default;
}

bool serve_open_memory(serve *s)
{
    char             error[SB_STORE_ERROR_MAX];
    sb_store_options options = { .path = s->first->store, .log = &s->log };
    options.keep_days = s->first->keep_days;
    options.rooms = s->first->room_count;
    if (options.path[0] == '\0') return true;
    serve_memory *memory = calloc(1, sizeof *memory);
    if (memory) memory->rooms = calloc(s->first->room_count, sizeof *memory->rooms);
    if (memory && memory->rooms) memory->store = sb_store_open(&options, error);
    else snprintf(error, sizeof error, "out of memory");
    if (memory && memory->store) {
        memory->keeps_chat = s->first->store_chat;
        s->memory = memory;
        return true;
    }
    if (memory) free(memory->rooms);
    free(memory);
    return go_without(s, error);
}

void serve_finish_matches(serve *s)
{
    int64_t now_ms = sb_clock_wall_us() / 1000;
    for (size_t i = 0; s->memory && i < s->room_count; i++)
        if (s->memory->rooms[i])
            finish_match(s, (unsigned)i + 1, s->memory->rooms[i], "stopped", "server stopped",
                         now_ms);
}

void serve_close_memory(serve *s)
{
    if (!s->memory) return;
    sb_store_close(s->memory->store);
    for (size_t i = 0; i < s->first->room_count; i++) free(s->memory->rooms[i]);
    free(s->memory->rooms);
    free(s->memory);
    s->memory = NULL;
}
