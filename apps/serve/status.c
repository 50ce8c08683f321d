/* apps/serve/status.c -- logs the status: a line per room, a line per player with the queues of the
 * connection, and counts of refusals by reason.
 *
 * For:      SIGUSR1 and the console command `status`.
 * Tests:    tests/apps/serve_test.py
 */
#include "serve/rules.h"

#include "run/room_slice.h"

void serve_snapshot_room(serve *s, size_t index)
{
    const serve_room *r = &s->rooms[index];
    sb_room_command   c = { .type = SB_ROOM_SNAPSHOT, .room = (int)r->index };
    c.snapshot = s->snapshot;
    atomic_store_explicit(&s->snapshot->done, false, memory_order_relaxed);
    serve_post(s, r->loop, &c);
    serve_wait_done(&s->snapshot->done);
}

/* `players` are people, as in /api/status; the text counts taken seats, as browsers do. */
static void append_match(sb_log_line *line, const serve *s)
{
    const sb_room_snapshot *seen = s->snapshot;
    sb_log_text(line, ", %s in %s, %u of %u players, ", seen->mode ? seen->mode->key : "?",
                seen->system, seen->in_game, seen->player_limit);
    if (seen->over) sb_log_text(line, "match over");
    else if (seen->seconds_left >= 0)
        sb_log_text(line, "%d:%02d left", seen->seconds_left / 60, seen->seconds_left % 60);
    else sb_log_text(line, "no time limit");
    sb_log_value_word(line, "mission", seen->mode ? seen->mode->key : "?");
    sb_log_value_word(line, "system", seen->system);
    sb_log_value_number(line, "players", serve_count_people(s));
    sb_log_value_number(line, "max_players", seen->player_limit);
    sb_log_value_number(line, "over", seen->over);
    sb_log_value_number(line, "seconds_left", seen->seconds_left);
}

/* Nothing if the room gets all the time that it needs. */
static void append_load(sb_log_line *line, const sb_room_snapshot *seen)
{
    double per_second = seen->state_interval ? SB_SECOND / (double)seen->state_interval : 0;
    sb_log_value_figure(line, "states_per_s", per_second);
    if (seen->load < SB_LOAD_HALF) return;
    sb_log_text(line, "; too much to do: %.3g ship states a second%s", per_second,
                seen->load == SB_LOAD_CLOSED ? ", newcomers are refused" : "");
}

static void append_traffic(sb_log_line *line, const sb_room_traffic *t)
{
    uint64_t in = atomic_load(&t->datagrams_in), out = atomic_load(&t->datagrams_out);
    uint64_t lost = atomic_load(&t->not_sent), steps = atomic_load(&t->steps);
    sb_log_text(line, "; %llu datagrams in, %llu out, %llu not sent, %llu steps",
                (unsigned long long)in, (unsigned long long)out, (unsigned long long)lost,
                (unsigned long long)steps);
    sb_log_value_number(line, "datagrams_in", (int64_t)in);
    sb_log_value_number(line, "bytes_in", (int64_t)atomic_load(&t->bytes_in));
    sb_log_value_number(line, "datagrams_out", (int64_t)out);
    sb_log_value_number(line, "bytes_out", (int64_t)atomic_load(&t->bytes_out));
    sb_log_value_number(line, "not_sent", (int64_t)lost);
    sb_log_value_number(line, "turns", (int64_t)steps);
    sb_log_value_number(line, "forged_house", (int64_t)atomic_load(&t->forged_house));
}

static void append_queues(sb_log_line *line, const sb_peer_info *peer)
{
    double ping_ms = (double)peer->round_trip_us / 1000;
    sb_log_text(line, ", ping %.1f ms, %u queued, %u unacknowledged, %u out of order", ping_ms,
                peer->queued, peer->unacknowledged, peer->stored);
    sb_log_value_figure(line, "ping_ms", ping_ms);
    sb_log_value_number(line, "queued", peer->queued);
    sb_log_value_number(line, "unacknowledged", peer->unacknowledged);
    sb_log_value_number(line, "early", peer->stored);
    sb_log_value_number(line, "early_bytes", peer->stored_bytes);
    sb_log_value_number(line, "cells", peer->cells);
    sb_log_value_number(line, "retransmitted", (int64_t)peer->retransmitted);
}

const char *serve_name_of_ship(const sb_player_view *p)
{
    return sb_ship_name_of(p);
}

static const char *player_state(const sb_player_view *p)
{
    if (p->exploding) return "destroyed";
    if (p->ship) return serve_name_of_ship(p);
    return sb_player_phase_text(p->phase);
}

static void log_player(serve *s, unsigned room, const sb_player_view *p)
{
    sb_log_line line;
    char        address[SB_ENDPOINT_TEXT];
    sb_endpoint_text(p->address, address);
    sb_log_start_answer(&line, s->answers, "status", room);
    sb_log_text(&line, "%s %u %s, %s%s, %d points, %d kills, %d deaths",
                p->house ? "bot" : "player", p->peer_id, p->name[0] ? p->name : "?",
                player_state(p), p->mod_ship ? " (other subsystems: takes and does no damage)" : "",
                p->score, p->kills, p->deaths);
    sb_log_value_number(&line, "peer", p->peer_id);
    sb_log_value_word(&line, "player", p->name);
    if (!p->house) sb_log_value_word(&line, "address", address);
    sb_log_value_word(&line, "phase", sb_player_phase_text(p->phase));
    if (p->ship) sb_log_value_word(&line, "ship", serve_name_of_ship(p));
    sb_log_value_number(&line, "mod_ship", p->mod_ship);
    sb_log_value_number(&line, "bot", p->house);
    sb_log_value_number(&line, "score", p->score);
    sb_log_value_number(&line, "kills", p->kills);
    sb_log_value_number(&line, "deaths", p->deaths);
    append_queues(&line, &p->peer);
    if (!p->house) sb_log_text(&line, ", %s", address);
    sb_log_end(&line);
}

/* ---- counters ---- */

enum { COUNTS_PER_LINE = 12 }; /* counters that fit into a log line */

/* `count` counters of one layer, from `first` on. */
typedef struct layer {
    const char     *kind; /* "refused", "normal" */
    const char     *what;
    const uint64_t *counts;
    int             first, count;
    const char *(*name)(int counter);
} layer;

static const char *message_counter(int counter)
{
    return sb_server_counter_name((sb_server_counter)counter);
}

static const char *datagram_counter(int counter)
{
    return sb_transport_counter_name((sb_transport_counter)counter);
}

static const char *query_counter(int counter)
{
    return sb_responder_counter_name((sb_responder_counter)counter);
}

/* Logs the counters above zero; no line if there are none. */
static void log_layer(serve *s, unsigned room, const layer *l)
{
    sb_log_line line;
    int         written = 0;
    for (int i = l->first; i < l->first + l->count; i++) {
        if (l->counts[i] == 0) continue;
        if (written % COUNTS_PER_LINE == 0) {
            if (written > 0) sb_log_end(&line);
            sb_log_start_answer(&line, s->answers, "status", room);
            sb_log_text(&line, "%s %s:", l->kind, l->what);
            sb_log_value_word(&line, l->kind, l->what);
        }
        sb_log_text(&line, "%s %llu %s", written++ % COUNTS_PER_LINE ? "," : "",
                    (unsigned long long)l->counts[i], l->name(i));
        sb_log_value_number(&line, l->name(i), (int64_t)l->counts[i]);
    }
    if (written > 0) sb_log_end(&line);
}

/* Duplicates, unmatched Acks and old StateUpdates have no effect, but stock clients and lossy links
 * cause them all the time: they are no refusals. */
static void log_counters(serve *s, unsigned room)
{
    const sb_room_snapshot *seen = s->snapshot;

    const layer layers[] = {
        { "refused", "messages", seen->counters, 0, SB_SERVER_COUNT_MESSAGES_IN, message_counter },
        { "refused", "datagrams", seen->transport, 0, SB_TRANSPORT_REFUSAL_COUNT,
          datagram_counter },
        { "refused", "queries", seen->queries, SB_QUERY_TOO_LONG,
          SB_RESPONDER_COUNTER_COUNT - SB_QUERY_TOO_LONG, query_counter },
        { "normal", "messages", seen->counters, SB_SERVER_COUNT_STATE_OLD, 1, message_counter },
        { "normal", "datagrams", seen->transport, SB_TRANSPORT_COUNT_DUPLICATE, 2,
          datagram_counter },
    };
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) log_layer(s, room, &layers[i]);
}

static void log_draining(serve *s)
{
    if (!atomic_load(&s->access.draining)) return;
    sb_log_answer(
        s->answers, "status", SB_LOG_NO_ROOM,
        "draining: no new players are admitted; the server stops when the matches are over "
        "(`drain off` takes it back)");
}

void serve_log_status(serve *s, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++) {
        const serve_room *r = &s->rooms[i];
        sb_log_line       line;
        serve_snapshot_room(s, i);
        sb_log_start_answer(&line, s->answers, "status", r->number);
        sb_log_text(&line, "%s", r->config->shown_name);
        sb_log_value_word(&line, "name", r->config->shown_name);
        append_match(&line, s);
        append_load(&line, s->snapshot);
        append_traffic(&line, &r->room.traffic);
        serve_append_bots(s, i, &line);
        sb_log_end(&line);
        for (uint32_t k = 0; k < s->snapshot->player_count; k++)
            log_player(s, r->number, &s->snapshot->players[k].view);
        serve_log_masters(s, i);
        log_counters(s, r->number);
        serve_log_hash_counts(s, r->number);
    }
    serve_log_store(s);
    log_draining(s);
}
