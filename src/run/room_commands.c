/* src/run/room_commands.c -- what the commands of other threads do to a room.
 *
 * For:      room_loop.c, on the loop's thread. In this order: snapshots, memory, commands.
 * Tests:    tests/run/room_loop_test.c
 */
#include "run/room_commands.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void copy_players(const sb_server *server, sb_time now, sb_room_snapshot *out)
{
    out->player_count = 0;
    for (unsigned i = 0; i < SB_SERVER_PLAYERS_MAX; i++) {
        sb_player_snapshot *player = &out->players[i];
        if (!sb_server_player(server, i, now, &player->view)) break;
        if (player->view.ship) {
            player->ship = *player->view.ship;
            player->view.ship = &player->ship;
        }
        out->player_count++;
    }
}

static void copy_status(const sb_server *server, sb_room_snapshot *out)
{
    sb_server_status status;
    sb_server_status_of(server, &status);
    size_t size = status.system.size;
    if (size >= sizeof out->system) size = sizeof out->system - 1;
    if (size > 0) memcpy(out->system, status.system.data, size);
    out->system[size] = '\0';
    out->player_limit = status.player_limit;
}

static void copy_counters(const sb_server *server, sb_room_snapshot *out)
{
    for (int i = 0; i < SB_SERVER_COUNTER_COUNT; i++)
        out->counters[i] = sb_server_count(server, (sb_server_counter)i);
    for (int i = 0; i < SB_TRANSPORT_COUNTER_COUNT; i++)
        out->transport[i] = sb_server_transport_count(server, (sb_transport_counter)i);
    for (int i = 0; i < SB_RESPONDER_COUNTER_COUNT; i++)
        out->queries[i] = sb_server_query_count(server, (sb_responder_counter)i);
}

static void copy_masters(const sb_server *server, sb_time now, sb_room_snapshot *out)
{
    out->now = now;
    for (unsigned i = 0; i < SB_MASTERS_MAX; i++)
        if (!sb_server_master(server, i, &out->masters[i])) out->masters[i] = (sb_master_view){ 0 };
}

static void copy_running(const sb_server *server, sb_time now, sb_room_snapshot *out)
{
    const sb_match *match = sb_server_match(server);
    copy_masters(server, now, out);
    copy_players(server, now, out);
    copy_status(server, out);
    out->mode = match->config.mode;
    out->in_game = sb_server_player_count(server);
    out->load = sb_server_current_load(server);
    out->state_interval = sb_server_state_interval(server);
    out->teams = match->config.mode && match->config.mode->teams;
    out->over = match->over;
    out->seconds_left = sb_match_seconds_left(match, now);
    out->frag_limit = (int32_t)match->config.frag_limit;
    out->game_time = sb_server_game_time(server, now);
    for (int i = 0; i < 2; i++) {
        out->team_kills[i] = match->teams[i].kills;
        out->team_score[i] = match->teams[i].score;
    }
    copy_counters(server, out);
}

/* As a room that has just started. */
static void copy_dormant(const sb_server_config *config, sb_time now, sb_room_snapshot *out)
{
    sb_match match;
    sb_span  system = sb_server_system_name(config);
    size_t   size = system.size < sizeof out->system ? system.size : sizeof out->system - 1;
    sb_match_init(&match, &config->match, now);
    sb_match_stop_clock(&match);
    memset(&out->player_count, 0,
           offsetof(sb_room_snapshot, players) - offsetof(sb_room_snapshot, player_count));
    out->now = now;
    out->mode = match.config.mode;
    out->teams = match.config.mode && match.config.mode->teams;
    out->player_limit = config->max_players;
    out->seconds_left = sb_match_seconds_left(&match, now);
    out->frag_limit = (int32_t)match.config.frag_limit;
    if (size > 0) memcpy(out->system, system.data, size);
}

static void copy_snapshot(const sb_room *room, sb_time now, sb_room_snapshot *out)
{
    if (room->server) copy_running(room->server, now, out);
    else copy_dormant(&room->start, now, out);
    atomic_store_explicit(&out->done, true, memory_order_release);
}

static sb_span command_text(const sb_room_command *c)
{
    return (sb_span){ (const uint8_t *)c->text, strlen(c->text) };
}

/* ---- rooms that grow ---- */

/* Unused blocks form a list: the first bytes of each block point to the next one. */
static void retire(sb_room *room, void *block)
{
    void *next = atomic_load_explicit(&room->retired, memory_order_relaxed);
    if (!block) return;
    do memcpy(block, &next, sizeof next);
    while (!atomic_compare_exchange_weak_explicit(&room->retired, &next, block,
                                                  memory_order_release, memory_order_relaxed));
}

void sb_room_free_retired(sb_room *room)
{
    void *block = atomic_exchange_explicit(&room->retired, NULL, memory_order_acquire);
    while (block) {
        void *next;
        memcpy(&next, block, sizeof next);
        free(block);
        block = next;
    }
}

void sb_room_free_memory(sb_room *room)
{
    sb_room_free_retired(room);
    free(room->spare);
    free(room->memory);
    room->spare = room->memory = NULL;
}

static void take_memory(sb_room *room, const sb_room_command *c)
{
    retire(room, room->memory);
    room->memory = c->memory;
    room->memory_bytes = c->memory_bytes;
}

static void configure_dormant(sb_room *room, const sb_room_command *c)
{
    sb_server_config wanted = room->start;
    sb_server_copy_fields(&wanted, c->config, c->fields);
    size_t needed = sb_server_bytes(&wanted);
    if (needed > room->memory_bytes && c->memory_bytes >= needed) take_memory(room, c);
    else retire(room, c->memory);
    if (needed > room->memory_bytes) wanted.max_players = room->start.max_players;
    room->start = wanted;
}

static void configure(sb_room *room, const sb_room_command *c)
{
    if (!room->server) {
        configure_dormant(room, c);
        return;
    }
    sb_server_reconfigure(room->server, c->config, c->fields);
    size_t wanted = sb_server_wanted_bytes(room->server);
    if (c->memory || wanted == 0) {
        retire(room, room->spare);
        room->spare = NULL;
    }
    if (wanted > 0 && wanted <= c->memory_bytes) {
        room->spare = c->memory;
        room->spare_bytes = c->memory_bytes;
    } else retire(room, c->memory);
}

void sb_room_move(sb_room *room, sb_time now)
{
    sb_server_load load = sb_server_current_load(room->server);
    sb_server     *moved = sb_server_move(room->server, room->spare, now);
    if (!moved) return;
    retire(room, room->memory);
    room->memory = room->spare;
    room->memory_bytes = room->spare_bytes;
    room->spare = NULL;
    room->server = moved;
    room->has_moved = true;
    sb_server_set_load(moved, load);
}

/* ---- commands ---- */

void sb_room_start(sb_room *room, sb_time now)
{
    if (!room->server) room->server = sb_server_init(room->memory, &room->start, now);
}

static void mute(sb_server *server, const sb_room_command *c, sb_time now)
{
    if (!sb_server_mute(server, now, c->peer_id, c->until)) return;
    (void)sb_server_tell_player(server, now, c->peer_id, command_text(c));
}

/* A dormant room has no players who could hear, leave or play. */
static void run_on_server(sb_room *room, const sb_room_command *c, sb_time now)
{
    sb_server *server = room->server;
    if (!server) return;
    switch (c->type) {
    case SB_ROOM_STOP: sb_server_stop(server, now); break;
    case SB_ROOM_SAY: sb_server_say(server, now, command_text(c)); break;
    case SB_ROOM_TELL: (void)sb_server_tell_player(server, now, c->peer_id, command_text(c)); break;
    case SB_ROOM_KICK: (void)sb_server_kick(server, now, c->peer_id, command_text(c)); break;
    case SB_ROOM_MUTE: mute(server, c, now); break;
    case SB_ROOM_TRUST: (void)sb_server_trust(server, c->peer_id, c->index != 0); break;
    case SB_ROOM_ASK_PROOF: (void)sb_server_ask_proof(server, now, c->peer_id); break;
    case SB_ROOM_MASTER: sb_server_set_master(server, c->index, c->master, now); break;
    case SB_ROOM_END_MATCH: sb_server_end_match(server, now, SB_END_GENERIC); break;
    case SB_ROOM_RESTART_MATCH: sb_server_restart_match(server, now); break;
    case SB_ROOM_DISMISS_SHIP: (void)sb_server_dismiss_ship(server, now, c->peer_id); break;
    case SB_ROOM_RESEND: (void)sb_server_resend_settings(server, now); break;
    case SB_ROOM_PASS:
    case SB_ROOM_CONFIGURE:
    case SB_ROOM_SNAPSHOT: /* sb_room_run_command */
    case SB_ROOM_MEASURE:
    case SB_ROOM_PING: break; /* for no room: room_loop.c */
    }
}

void sb_room_run_command(sb_room *room, const sb_room_command *c, sb_time now)
{
    if (c->type == SB_ROOM_SNAPSHOT) copy_snapshot(room, now, c->snapshot);
    else if (c->type == SB_ROOM_CONFIGURE) configure(room, c);
    else {
        /* A room that is listed sends heartbeats. */
        if (c->type == SB_ROOM_MASTER && c->master.port != 0) sb_room_start(room, now);
        run_on_server(room, c, now);
    }
}
