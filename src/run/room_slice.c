/* src/run/room_slice.c -- see room_slice.h. */
#include "run/room_slice.h"

#include <string.h>
#include <unistd.h>

#include "base/assert.h"

const char *sb_ship_name_of(const sb_player_view *p)
{
    if (p->ship->model) return p->ship->model->name;
    const char *species = p->mod_ship ? sb_find_name(sb_species_names(), p->ship->species) : NULL;
    return species ? species : "unknown ship";
}

static void copy_player(const sb_player_view *view, sb_time now, sb_player_figures *out)
{
    *out = (sb_player_figures){
        .peer_id = view->peer_id,
        .team = view->team,
        .phase = view->phase,
        .exploding = view->exploding,
        .mod_ship = view->mod_ship,
        .house = view->house,
        .kills = view->kills,
        .deaths = view->deaths,
        .score = view->score,
        .connected_us = now - view->connected_at,
        .round_trip_us = view->peer.round_trip_us,
        .queued = view->peer.queued,
        .unacknowledged = view->peer.unacknowledged,
        .early = view->peer.stored,
        .cells = view->peer.cells,
        .retransmitted = view->peer.retransmitted,
        .ship = view->ship ? sb_ship_name_of(view) : NULL,
    };
    memcpy(out->name, view->name, sizeof out->name);
    out->name[sizeof out->name - 1] = '\0';
}

static bool is_in_game(const sb_player_view *view)
{
    return view->phase == SB_PLAYER_LOBBY || view->phase == SB_PLAYER_FLYING;
}

static void copy_players(const sb_server *server, sb_time now, sb_room_figures *out,
                         sb_histogram_view *round_trips)
{
    sb_player_view view;
    for (unsigned i = 0; i < SB_SERVER_PLAYERS_MAX; i++) {
        if (!sb_server_player(server, i, now, &view)) break;
        copy_player(&view, now, &out->players[out->player_count++]);
        if (is_in_game(&view)) *(view.house ? &out->bots : &out->in_game) += 1;
        if (!view.house && view.peer.round_trip_us > 0)
            sb_histogram_view_add(round_trips, view.peer.round_trip_us);
    }
}

static void copy_text(sb_span text, char *out, size_t capacity)
{
    size_t size = text.size < capacity ? text.size : capacity - 1;
    if (size > 0) memcpy(out, text.data, size);
    out[size] = '\0';
}

static void copy_room(const sb_server *server, sb_time now, sb_room_slice *slice,
                      sb_room_figures *out)
{
    const sb_match  *match = sb_server_match(server);
    sb_server_status status;
    sb_server_status_of(server, &status);
    copy_text(status.system, out->system, sizeof out->system);
    out->player_limit = status.player_limit;
    out->mode = match->config.mode;
    out->over = match->over;
    out->seconds_left = sb_match_seconds_left(match, now);
    out->backlog_bytes = sb_server_backlog_bytes(server);
    out->load = sb_server_current_load(server);
    out->state_interval = sb_server_state_interval(server);
    for (unsigned i = 0; i < SB_MASTERS_MAX; i++)
        if (!sb_server_master(server, i, &out->masters[i])) out->masters[i] = (sb_master_view){ 0 };
    copy_players(server, now, out, &slice->round_trips);
}

static void add_counters(const sb_server *server, sb_room_slice *slice)
{
    for (int i = 0; i < SB_SERVER_COUNTER_COUNT; i++)
        slice->messages[i] += sb_server_count(server, (sb_server_counter)i);
    for (int i = 0; i < SB_TRANSPORT_COUNTER_COUNT; i++)
        slice->datagrams[i] += sb_server_transport_count(server, (sb_transport_counter)i);
    for (int i = 0; i < SB_RESPONDER_COUNTER_COUNT; i++)
        slice->queries[i] += sb_server_query_count(server, (sb_responder_counter)i);
    for (int i = 0; i < SB_IMPLAUSIBLE_COUNT; i++)
        slice->implausible[i] += sb_server_implausible(server, (sb_implausible)i);
}

static void clear_sums(sb_room_slice *slice)
{
    memset(slice->messages, 0, sizeof slice->messages);
    memset(slice->datagrams, 0, sizeof slice->datagrams);
    memset(slice->queries, 0, sizeof slice->queries);
    memset(slice->implausible, 0, sizeof slice->implausible);
    slice->round_trips = (sb_histogram_view){ { 0 }, 0 };
}

/* A room that has not started yet has only what its configuration says. */
static void measure_room(const sb_room *room, sb_time now, sb_room_slice *slice,
                         sb_room_figures *out)
{
    memset(out, 0, offsetof(sb_room_figures, players)); /* players are set one by one */
    out->now = now;
    if (room->server) {
        out->started = true;
        add_counters(room->server, slice);
        copy_room(room->server, now, slice, out);
        return;
    }
    out->mode = room->start.match.mode;
    out->player_limit = room->start.max_players;
    out->seconds_left = -1;
    copy_text(sb_server_system_name(&room->start), out->system, sizeof out->system);
}

void sb_room_slice_fill(sb_room_slice *slice, sb_room *const *rooms, sb_time now)
{
    const uint64_t one = 1;
    int            wake = slice->wake;
    SB_ASSERT(slice->count <= SB_ROOM_SLICE_MAX);
    clear_sums(slice);
    for (size_t i = 0; i < slice->count; i++)
        measure_room(rooms[slice->first + i], now, slice, &slice->rooms[i]);
    atomic_store_explicit(&slice->done, true, memory_order_release);
    if (wake >= 0) (void)!write(wake, &one, sizeof one);
}
