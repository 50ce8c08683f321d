/* src/server/server.c -- a room as its caller sees it: datagrams and time in, datagrams out.
 *
 * For:      programs that own a socket and a clock.
 * May use:  every file of this folder.
 * Never:    knows a message (dispatch.c) or a rule of the game.
 * Tests:    tests/server/server_test.c, churn_test.c, match_test.c, replay_test.c, sim_test.c
 */
#include "server/server_internal.h"

#include <starbase/message.h>

#include "base/time.h"

#include <stddef.h>
#include <string.h>

/* ---- configuration ---- */

void sb_server_defaults(sb_server_config *c)
{
    *c = (sb_server_config){
        .max_players = 8,
        .system = 1,
        .collision_damage = true,
        .friendly_fire = true,
        .restart_us = 30 * SB_SECOND,
        .checksums = SB_CHECKSUM_LOG,
        .integrity = SB_INTEGRITY_MODE_REPORT,
        .list_host_as_player = true,
        .list_house = true,
        .spawn_notice = true,
        .leave_destroy = true,
        .leave_text = true,
        .score_self_on_join = true,
        .list_object = 0x064F,
        .file_bytes_per_s = 256 * 1024,
        .checksum_limit_us = 30 * SB_SECOND,
        .loading_limit_us = 120 * SB_SECOND,
        .mod_bytes_max = 1024,
        .hide_commands = true,
        .mod_per_s = 20,
    };
    static const char name[] = "Starbase";
    c->name = (sb_span){ (const uint8_t *)name, sizeof name - 1 };
    sb_match_defaults(&c->match);
    sb_transport_host_defaults(&c->transport);
    /* Cells that all players share for bursts beyond their own cells: bursts of eight players at
     * once are rare. */
    c->transport.shared_cells = 384;
    c->transport.assembly_cells = 384;
    sb_responder_defaults(&c->responder);
    sb_combat_defaults(&c->combat);
    sb_lane_options_default(&c->lanes);
}

sb_transport_host_config sb_server_transport_config(const sb_server_config *c)
{
    sb_transport_host_config t = c->transport;
    t.seed = c->seed;
    t.max_peers = c->max_players;
    t.password = c->password;
    return t;
}

static sb_replica_config replica_config(const sb_server_config *c)
{
    /* A player's old ship is removed before the new one is added. */
    sb_replica_config replica = { .max_ships = c->max_players + sb_scenery_lanes(c->max_players),
                                  .lanes = c->lanes };
    replica.lanes.interval_us = sb_server_lane_interval(c);
    return replica;
}

static sb_combat_config combat_config(const sb_server_config *c)
{
    sb_combat_config combat = c->combat;
    combat.max_ships = 2 * c->max_players; /* a player's wreck and the ship that follows it */
    combat.collision_damage = c->collision_damage;
    return combat;
}

sb_match_config sb_server_match_config(const sb_server_config *c)
{
    sb_match_config match = c->match;
    match.score_divisor = c->combat.constants.score_divisor;
    return match;
}

static size_t aligned(size_t size)
{
    return (size + 63) / 64 * 64;
}

enum { MESSAGES = 3 }; /* in, out and combat_out of sb_server */

typedef struct memory_plan {
    size_t messages, transport, responder, replica, combat, backlog, total;
} memory_plan;

/* False: the configuration is not possible. */
static bool plan_memory(const sb_server_config *c, memory_plan *plan)
{
    if (c->max_players < 1 || c->max_players > SB_SERVER_PLAYERS_MAX || !c->match.mode ||
        c->manifest_count > SB_SERVER_MANIFESTS_MAX || !sb_server_are_files_valid(c))
        return false;
    sb_transport_host_config transport = sb_server_transport_config(c);
    sb_replica_config        replica = replica_config(c);
    sb_combat_config         combat = combat_config(c);
    plan->messages = aligned(MESSAGES * sizeof(sb_message));
    plan->transport = aligned(sb_transport_host_bytes(&transport));
    plan->responder = aligned(sb_responder_bytes(&c->responder));
    plan->replica = aligned(sb_replica_bytes(&replica));
    plan->combat = aligned(sb_combat_bytes(&combat));
    plan->backlog = (size_t)c->max_players * BACKLOG_BYTES_PER_PLAYER;
    plan->total = aligned(sizeof(sb_server)) + plan->messages + plan->transport + plan->responder +
                  plan->replica + plan->combat + plan->backlog;
    return plan->transport && plan->responder && plan->replica && plan->combat;
}

size_t sb_server_bytes(const sb_server_config *config)
{
    memory_plan plan;
    return plan_memory(config, &plan) ? plan.total : 0;
}

sb_server *sb_server_init(void *memory, const sb_server_config *config, sb_time now)
{
    memory_plan plan;
    uint8_t    *at = memory;
    if (!plan_memory(config, &plan)) return NULL;
    sb_server *s = memory;
    memset(s, 0, offsetof(sb_server, players));
    memset(s->players, 0, config->max_players * sizeof *s->players);
    s->config = *config;
    s->now = s->started_at = now;
    s->restart_at = s->warp_next = s->second_ship_next = SB_TIME_NEVER;
    s->capacity = s->wanted_players = config->max_players;
    for (size_t i = 0; i < s->capacity; i++) s->players[i].phase_ends = SB_TIME_NEVER;
    sb_server_own_texts(&s->config, &s->texts);
    s->restarted_at = now - RESTART_INTERVAL_SECONDS * SB_SECOND;

    sb_transport_host_config transport = sb_server_transport_config(config);
    sb_replica_config        replica = replica_config(config);
    sb_combat_config         combat = combat_config(config);
    sb_responder_config      responder = config->responder;
    transport.gives_way_at = sb_server_gives_way_at;
    transport.gives_way_context = s;
    responder.seed = config->seed;
    at += aligned(sizeof *s);
    s->in = memset(at, 0, plan.messages);
    s->out = s->in + 1;
    s->combat_out = s->in + 2;
    at += plan.messages;
    s->transport = sb_transport_host_init(at, &transport, now);
    s->config.password = sb_transport_host_password(s->transport); /* its own copy */
    at += plan.transport;
    s->responder = sb_responder_init(at, &responder, now);
    at += plan.responder;
    s->replica = sb_replica_init(at, &replica);
    at += plan.replica;
    s->combat = sb_combat_init(at, &combat, now);
    at += plan.combat;
    sb_backlog_init(&s->backlog, at, (uint32_t)plan.backlog);
    sb_combat_listen(s->combat, sb_server_on_combat, s, config->trace_damage);
    sb_combat_filter_hits(s->combat, sb_server_has_hit_effect, s);
    sb_match_config match = sb_server_match_config(config);
    sb_match_init(&s->match, &match, now);
    sb_match_stop_clock(&s->match); /* the first player starts it */
    return s;
}

bool sb_server_master(const sb_server *s, unsigned index, sb_master_view *out)
{
    return sb_responder_master(s->responder, index, out);
}

void sb_server_set_master(sb_server *s, unsigned index, sb_endpoint master, sb_time now)
{
    sb_responder_set_master(s->responder, index, master, now);
}

/* ---- input ---- */

static void handle_name(sb_server *s, const sb_transport_event *event)
{
    sb_player *p = sb_server_find_player(s, event->peer_id);
    if (!p) return;
    bool same = p->name_size > 0 && event->bytes.size == p->name_size &&
                memcmp(event->bytes.data, p->name, p->name_size) == 0;
    p->name_size =
        (uint8_t)(event->bytes.size < sizeof p->name ? event->bytes.size : sizeof p->name);
    memcpy(p->name, event->bytes.data, p->name_size);
    sb_match_rename(&s->match, p->peer_id, (sb_span){ p->name, p->name_size });
    sb_server_event named = sb_server_event_about(s, SB_SERVER_NAMED, p);
    sb_server_report(s, &named, p);
    if (!same) sb_server_check_name(s, p);
}

static void handle_message(sb_server *s, const sb_transport_event *event)
{
    sb_player *p = sb_server_find_player(s, event->peer_id);
    if (!p || event->bytes.size == 0) return;
    sb_server_dispatch(s, p, event->delivery, event->bytes);
    sb_server_after_combat(s);
}

static void drain_events(sb_server *s)
{
    sb_transport_event event;
    while (sb_transport_host_next_event(s->transport, s->now, &event)) {
        if (event.type == SB_EVENT_JOINED) sb_server_on_connect(s, event.peer_id, event.address);
        else if (event.type == SB_EVENT_NAMED) handle_name(s, &event);
        else if (event.type == SB_EVENT_MESSAGE) handle_message(s, &event);
        else if (event.type == SB_EVENT_LEFT) sb_server_on_leave(s, &event);
    }
}

static const char *refusal_text(sb_transport_counter why)
{
    switch (why) {
    case SB_TRANSPORT_COUNT_REFUSED_PASSWORD: return "wrong password";
    case SB_TRANSPORT_COUNT_REFUSED_BANNED: return "banned";
    case SB_TRANSPORT_COUNT_REFUSED_SOURCE: return "too many players from this address";
    case SB_TRANSPORT_COUNT_REFUSED_OVERLOAD: return "the machine has too much to do";
    default: return "the room is full";
    }
}

/* A refused Connect has no player, so the event carries the address of its sender. */
static void report_refused_connects(sb_server *s)
{
    sb_connect_refusal refusal;
    uint64_t           refusals = sb_transport_host_refusals(s->transport, &refusal);
    if (refusals == s->refusals_reported) return;
    s->refusals_reported = refusals;
    sb_server_event event = sb_server_event_about(s, SB_SERVER_CONNECT_REFUSED, NULL);
    event.address = refusal.address;
    event.value = refusal.boot_reason;
    event.other = (uint8_t)refusal.why;
    bool by_rule = refusal.why == SB_TRANSPORT_COUNT_REFUSED_BANNED;
    bool banned = refusal.boot_reason == SB_BOOT_BANNED;
    event.text =
        sb_text_span(by_rule && !banned ? "the room takes nobody now" : refusal_text(refusal.why));
    sb_server_report(s, &event, NULL);
}

sb_result sb_server_receive(sb_server *s, sb_time now, sb_endpoint from, sb_span datagram)
{
    sb_server_set_time(s, now);
    drain_events(s); /* the transport requires it: stop and kick may have removed peers */
    if (datagram.size && datagram.data[0] == '\\')
        return sb_responder_receive(s->responder, s->now, from, datagram);
    sb_result result = sb_transport_host_receive(s->transport, s->now, from, datagram);
    report_refused_connects(s);
    drain_events(s);
    return result;
}

/* ---- time ---- */

void sb_server_restart_clock(sb_server *s)
{
    s->started_at = s->now;
}

static void report_stopped(sb_server *s)
{
    if (!s->stopping || s->stopped_reported || !sb_transport_host_is_stopped(s->transport)) return;
    s->stopped_reported = true;
    sb_server_event event = sb_server_event_about(s, SB_SERVER_STOPPED, NULL);
    sb_server_report(s, &event, NULL);
}

void sb_server_advance(sb_server *s, sb_time now)
{
    sb_server_set_time(s, now);
    drain_events(s);
    if (sb_combat_next_deadline(s->combat) <= s->now) sb_combat_advance(s->combat, s->now);
    if (s->now >= s->second_ship_next) sb_server_advance_second_ships(s);
    sb_server_after_combat(s);
    sb_server_advance_warps(s);
    if (s->now >= s->restart_at) sb_server_start_match(s);
    sb_server_advance_joins(s);
    sb_server_advance_files(s);
    drain_events(s); /* departures that the lines above caused */
    sb_server_advance_backlog(s);
    sb_server_advance_lanes(s);
    report_stopped(s);
}

sb_time sb_server_next_deadline(const sb_server *s)
{
    sb_time next = sb_transport_host_next_deadline(s->transport);
    next = sb_time_earlier(next, sb_responder_next_deadline(s->responder));
    next = sb_time_earlier(next, sb_combat_next_deadline(s->combat));
    next = sb_time_earlier(next, sb_replica_next_deadline(s->replica));
    next = sb_time_earlier(next, sb_server_joins_deadline(s));
    next = sb_time_earlier(next, sb_server_files_deadline(s));
    next = sb_time_earlier(next, s->restart_at);
    next = sb_time_earlier(next, s->warp_next);
    next = sb_time_earlier(next, s->second_ship_next);
    if (!s->match.over) next = sb_time_earlier(next, s->match.ends_at);
    return next;
}

/* ---- output: the game first, then answers to queries (spec 05 §8) ---- */

static size_t write_answer(sb_server *s, sb_endpoint *to, uint8_t *out)
{
    sb_server_status status;
    if (!sb_responder_is_waiting(s->responder) && sb_responder_next_deadline(s->responder) > s->now)
        return 0;
    sb_server_status_of(s, &status);
    return sb_responder_write(s->responder, s->now, &status, to, out);
}

size_t sb_server_write(sb_server *s, sb_time now, sb_endpoint *to, uint8_t *out)
{
    sb_server_set_time(s, now);
    size_t size = sb_transport_host_write(s->transport, s->now, to, out);
    if (!size) size = write_answer(s, to, out);
    if (!size) report_stopped(s); /* the stop may have waited for the last datagram to be written */
    return size;
}

void sb_server_stop(sb_server *s, sb_time now)
{
    sb_server_set_time(s, now);
    s->stopping = true;
    sb_responder_stop(s->responder, s->now);
    sb_transport_host_stop(s->transport, s->now);
}

bool sb_server_is_stopped(const sb_server *s)
{
    return s->stopping && sb_transport_host_is_stopped(s->transport);
}
