/* src/web/status.c -- /api/status: rooms, players and the state of the process as one JSON object.
 *
 * For:      pages.h. The keys are those of the JSON log lines of subsystem `status`.
 * Never:    prints the address of a player.
 * Tests:    tests/web/status_test.c
 */
#include "web/pages.h"

#include <math.h>

/* ---- values ---- */

/* `comma`: false for the first key of an object */
static void print_key(sb_web_buffer *out, bool comma, const char *key)
{
    sb_web_print(out, "%s\"%s\":", comma ? "," : "", key);
}

static void print_word(sb_web_buffer *out, bool comma, const char *key, const char *text)
{
    print_key(out, comma, key);
    sb_web_print_json(out, text);
}

static void print_number(sb_web_buffer *out, const char *key, int64_t value)
{
    print_key(out, true, key);
    sb_web_print(out, "%lld", (long long)value);
}

static void print_figure(sb_web_buffer *out, const char *key, double value)
{
    print_key(out, true, key);
    if (isfinite(value)) sb_web_print(out, "%.6g", value);
    else sb_web_print(out, "null");
}

static void print_flag(sb_web_buffer *out, const char *key, bool value)
{
    print_key(out, true, key);
    sb_web_print(out, value ? "true" : "false");
}

/* ---- rooms and players ---- */

static void print_player(sb_web_buffer *out, const sb_player_figures *p)
{
    sb_web_print(out, "{\"peer\":%u", p->peer_id);
    print_word(out, true, "player", p->name);
    print_word(out, true, "phase", p->exploding ? "destroyed" : sb_player_phase_text(p->phase));
    if (p->ship) print_word(out, true, "ship", p->ship);
    print_flag(out, "mod_ship", p->mod_ship);
    print_flag(out, "bot", p->house);
    print_number(out, "team", p->team);
    print_number(out, "score", p->score);
    print_number(out, "kills", p->kills);
    print_number(out, "deaths", p->deaths);
    print_number(out, "connected_s", p->connected_us / SB_SECOND);
    print_figure(out, "ping_ms", (double)p->round_trip_us / 1000);
    print_number(out, "queued", p->queued);
    print_number(out, "unacknowledged", p->unacknowledged);
    print_number(out, "early", p->early);
    print_number(out, "cells", p->cells);
    print_number(out, "retransmitted", (int64_t)p->retransmitted);
    sb_web_print(out, "}");
}

static void print_traffic(sb_web_buffer *out, const sb_web_traffic *t)
{
    print_number(out, "datagrams_in", (int64_t)t->datagrams_in);
    print_number(out, "bytes_in", (int64_t)t->bytes_in);
    print_number(out, "datagrams_out", (int64_t)t->datagrams_out);
    print_number(out, "bytes_out", (int64_t)t->bytes_out);
    print_number(out, "not_sent", (int64_t)t->not_sent);
    print_number(out, "turns", (int64_t)t->turns);
    print_number(out, "forged_house", (int64_t)t->forged_house);
}

static void print_room(sb_web_buffer *out, const sb_web_room *room)
{
    const sb_room_figures *f = &room->figures;
    double per_second = f->state_interval ? SB_SECOND / (double)f->state_interval : 0;
    sb_web_print(out, "{\"room\":%u", room->number);
    print_word(out, true, "name", room->name);
    print_word(out, true, "mission", f->mode ? f->mode->key : "?");
    print_word(out, true, "system", f->system);
    print_number(out, "players", f->in_game);
    print_number(out, "bots", f->bots);
    print_number(out, "max_players", f->player_limit);
    print_flag(out, "over", f->over);
    print_number(out, "seconds_left", f->seconds_left);
    print_figure(out, "states_per_s", per_second);
    print_traffic(out, &room->traffic);
    print_key(out, true, "player_list");
    sb_web_print(out, "[");
    for (uint32_t i = 0; i < f->player_count; i++) {
        if (i > 0) sb_web_print(out, ",");
        print_player(out, &f->players[i]);
    }
    sb_web_print(out, "]}");
}

static void print_rooms(sb_web_buffer *out, const sb_web_values *v)
{
    print_key(out, true, "room_list");
    sb_web_print(out, "[");
    for (size_t i = 0; i < v->shown_rooms; i++) {
        if (i > 0) sb_web_print(out, ",");
        print_room(out, &v->rooms[i]);
    }
    sb_web_print(out, "]");
}

/* ---- the process ---- */

static void print_age(sb_web_buffer *out, const char *key, sb_time at, sb_time now)
{
    if (at != SB_TIME_NEVER) print_number(out, key, (now - at) / SB_SECOND);
}

static void print_masters(sb_web_buffer *out, const sb_web_values *v)
{
    print_key(out, true, "masters");
    sb_web_print(out, "[");
    for (size_t i = 0; i < v->master_count; i++) {
        sb_web_print(out, i > 0 ? ",{" : "{");
        print_word(out, false, "master", v->masters[i].name);
        print_flag(out, "resolved", v->masters[i].resolved);
        print_age(out, "heartbeat_s", v->masters[i].sent_at, v->taken_at);
        print_age(out, "query_s", v->masters[i].heard_at, v->taken_at);
        sb_web_print(out, "}");
    }
    sb_web_print(out, "]");
}

static void print_threads(sb_web_buffer *out, const sb_web_values *v)
{
    print_key(out, true, "threads");
    sb_web_print(out, "[");
    for (size_t i = 0; i < v->thread_count; i++) {
        const sb_web_thread *t = &v->threads[i];
        sb_web_print(out, "%s{\"thread\":%zu", i > 0 ? "," : "", i + 1);
        print_figure(out, "cpu_s", (double)t->cpu_us / 1e6);
        print_figure(out, "late_s", (double)t->late_us / 1e6);
        print_number(out, "notices_dropped", (int64_t)t->notices_dropped);
        sb_web_print(out, "}");
    }
    sb_web_print(out, "]");
}

static void print_store(sb_web_buffer *out, const sb_web_store *store)
{
    print_key(out, true, "store");
    sb_web_print(out, "{");
    print_word(out, false, "state", store->state ? store->state : "off");
    if (store->reason[0]) print_word(out, true, "last_error", store->reason);
    print_number(out, "queued", (int64_t)store->queued);
    print_number(out, "spooled", (int64_t)store->spooled);
    print_number(out, "written", (int64_t)store->written);
    print_number(out, "dropped", (int64_t)store->dropped);
    sb_web_print(out, "}");
}

void sb_web_print_status(sb_web_buffer *out, const sb_web_values *v)
{
    char reason[SB_WEB_REASON_MAX];
    bool healthy = sb_web_is_healthy(v, reason);
    sb_web_print(out, "{");
    print_word(out, false, "version", sb_version());
    print_number(out, "uptime_s", v->uptime_us / SB_SECOND);
    print_flag(out, "healthy", healthy);
    if (!healthy) print_word(out, true, "reason", reason);
    print_number(out, "rooms", (int64_t)v->room_count);
    print_number(out, "players", (int64_t)v->players);
    print_number(out, "bots", (int64_t)v->bots);
    print_number(out, "max_players", (int64_t)v->places);
    print_number(out, "matches", (int64_t)v->messages[SB_SERVER_COUNT_MATCHES]);
    print_rooms(out, v);
    print_masters(out, v);
    print_threads(out, v);
    print_store(out, &v->store);
    print_figure(out, "cpu_s", (double)v->process.cpu_us / 1e6);
    print_number(out, "memory_bytes", (int64_t)v->process.rss_bytes);
    print_number(out, "log_lines_lost", (int64_t)v->log_lines_lost);
    sb_web_print(out, "}\n");
}
