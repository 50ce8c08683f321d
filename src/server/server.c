/* src/server/server.c -- the crank of a room: datagrams and time in, datagrams out. */
#include "server/server_internal.h"

#include "base/time.h"

#include <string.h>

/* ---- configuration ---- */

void sb_server_defaults(sb_server_config *c)
{
    *c = (sb_server_config){
        .max_players = 8,
        .system = 1,
        .collision_damage = true,
        .restart_us = 30 * SB_SECOND,
        .checksums = SB_CHECKSUM_LOG,
        .list_host_as_player = true,
        .spawn_notice = true,
        .leave_destroy = true,
        .leave_text = true,
        .score_self_on_join = true,
        .list_object = 0x064F,
        .checksum_limit_us = 30 * SB_SECOND,
        .loading_limit_us = 120 * SB_SECOND,
        .mod_bytes_max = 1024,
        .mod_per_s = 20,
    };
    static const char name[] = "Starbase";
    c->name = (sb_span){ (const uint8_t *)name, sizeof name - 1 };
    sb_match_defaults(&c->match);
    sb_transport_host_defaults(&c->transport);
    /* A room's players share what bursts need beyond their own: eight at once are rare. */
    c->transport.shared_cells = 384;
    c->transport.assembly_cells = 384;
    sb_responder_defaults(&c->responder);
    sb_combat_defaults(&c->combat);
    sb_lane_options_default(&c->lanes);
}

/* What the parts get from the whole. */
static sb_transport_host_config transport_config(const sb_server_config *c)
{
    sb_transport_host_config t = c->transport;
    t.seed = c->seed;
    t.max_peers = c->max_players;
    t.password = c->password;
    return t;
}

static sb_replica_config replica_config(const sb_server_config *c)
{
    sb_replica_config replica = { .max_ships = 2 * c->max_players, .lanes = c->lanes };
    sb_time           interval = (sb_time)((double)c->combat.constants.health_interval * 1e6 + 0.5);
    replica.lanes.interval_us = interval < SHORTEST_INTERVAL_US ? SHORTEST_INTERVAL_US : interval;
    return replica;
}

static sb_combat_config combat_config(const sb_server_config *c)
{
    sb_combat_config combat = c->combat;
    combat.max_ships = 2 * c->max_players; /* a wreck and its successor */
    combat.collision_damage = c->collision_damage;
    return combat;
}

static sb_match_config match_config(const sb_server_config *c)
{
    sb_match_config match = c->match;
    match.score_divisor = c->combat.constants.score_divisor;
    return match;
}

static size_t aligned(size_t size)
{
    return (size + 63) / 64 * 64;
}

typedef struct parts {
    size_t transport, responder, replica, combat, total;
} parts;

/* False: some part is not possible. */
static bool measure(const sb_server_config *c, parts *p)
{
    if (c->max_players < 1 || c->max_players > SB_SERVER_PLAYERS_MAX || !c->match.mode ||
        c->manifest_count > SB_SERVER_MANIFESTS_MAX)
        return false;
    sb_transport_host_config transport = transport_config(c);
    sb_replica_config        replica = replica_config(c);
    sb_combat_config         combat = combat_config(c);
    p->transport = aligned(sb_transport_host_bytes(&transport));
    p->responder = aligned(sb_responder_bytes());
    p->replica = aligned(sb_replica_bytes(&replica));
    p->combat = aligned(sb_combat_bytes(&combat));
    p->total = aligned(sizeof(sb_server)) + p->transport + p->responder + p->replica + p->combat;
    return p->transport && p->responder && p->replica && p->combat;
}

size_t sb_server_bytes(const sb_server_config *config)
{
    parts p;
    return measure(config, &p) ? p.total : 0;
}

/* Texts of our own: what people typed, without what would break an answer. */
static void copy_text(sb_span text, char *out, size_t capacity)
{
    size_t size = sb_gamespy_clean_value(text, (uint8_t *)out, capacity - 1);
    out[size] = 0;
}

static void copy_system(sb_server *s, const sb_server_config *c)
{
    const sb_system *system = sb_find_system(sb_stock_systems(), c->system);
    sb_span          name = c->system_name;
    if (name.size == 0) name = sb_text_span(system ? system->start_set : "Unknown");
    copy_text(name, s->system_name, sizeof s->system_name);
}

sb_server *sb_server_init(void *memory, const sb_server_config *config, sb_time now)
{
    parts    size;
    uint8_t *at = memory;
    if (!measure(config, &size)) return NULL;
    sb_server *s = memory;
    memset(s, 0, sizeof *s);
    s->config = *config;
    s->now = s->started_at = now;
    s->restart_at = SB_TIME_NEVER;
    s->has_password = config->password.size > 0;
    for (size_t i = 0; i < SB_SERVER_PLAYERS_MAX; i++) s->players[i].phase_ends = SB_TIME_NEVER;
    copy_text(config->name, s->name, sizeof s->name);
    copy_system(s, config);
    s->restarted_at = now - RESTART_EVERY_S * SB_SECOND;

    sb_transport_host_config transport = transport_config(config);
    sb_replica_config        replica = replica_config(config);
    sb_combat_config         combat = combat_config(config);
    sb_responder_config      responder = config->responder;
    responder.seed = config->seed;
    at += aligned(sizeof *s);
    s->transport = sb_transport_host_init(at, &transport, now);
    at += size.transport;
    s->responder = sb_responder_init(at, &responder, now);
    at += size.responder;
    s->replica = sb_replica_init(at, &replica);
    at += size.replica;
    s->combat = sb_combat_init(at, &combat, now);
    sb_combat_listen(s->combat, sb_server_on_combat, s, config->trace_damage);
    sb_match_config match = match_config(config);
    sb_match_init(&s->match, &match, now);
    return s;
}

/* Clients have loaded the mission and were told system and limits: these wait for an empty room. */
static void apply_next(sb_server *s)
{
    if (!s->has_next) return;
    s->has_next = false;
    s->config.system = s->next.system;
    s->match.config = s->next.match;
    s->match.config.score_divisor = s->config.combat.constants.score_divisor; /* until a restart */
    copy_system(s, &s->next);
    sb_match_restart(&s->match, s->now);
}

void sb_server_on_empty(sb_server *s)
{
    sb_server_restart_clock(s);
    apply_next(s);
}

static void set_collision_damage(sb_server *s, bool on)
{
    if (s->config.collision_damage == on) return;
    s->config.collision_damage = on;
    sb_combat_set_collision_damage(s->combat, on);
    s->out = (sb_message){ .opcode = SB_OP_COLLISION_SETTING }; /* spec 06 §5.8 */
    s->out.as.collision_setting.collision_damage = on;
    sb_server_send_connected(s, &s->out);
}

/* Options of the server that nobody has been told. */
static void copy_options(sb_server_config *to, const sb_server_config *c)
{
    to->friendly_fire = c->friendly_fire;
    to->restart_us = c->restart_us;
    to->checksums = c->checksums;
    to->manifests = c->manifests;
    to->manifest_count = c->manifest_count <= 32 ? c->manifest_count : 32;
    to->allow_extra = c->allow_extra;
    to->list_host_as_player = c->list_host_as_player;
    to->spawn_notice = c->spawn_notice;
    to->leave_destroy = c->leave_destroy;
    to->leave_event = c->leave_event;
    to->leave_text = c->leave_text;
    to->list_older_players = c->list_older_players;
    to->score_self_on_join = c->score_self_on_join;
    to->trust_clients = c->trust_clients;
    to->checksum_limit_us = c->checksum_limit_us;
    to->loading_limit_us = c->loading_limit_us;
    memcpy(to->mod_policy, c->mod_policy, sizeof to->mod_policy);
    to->mod_bytes_max = c->mod_bytes_max;
    to->mod_per_s = c->mod_per_s;
}

void sb_server_reconfigure(sb_server *s, const sb_server_config *c)
{
    copy_text(c->name, s->name, sizeof s->name);
    copy_options(&s->config, c);
    set_collision_damage(s, c->collision_damage);
    s->next = *c;
    if (!s->next.match.mode) s->next.match.mode = s->match.config.mode;
    copy_text(c->system_name, s->next_system_name, sizeof s->next_system_name);
    s->next.system_name = sb_text_span(s->next_system_name);
    s->has_next = true;
    if (sb_transport_host_peer_count(s->transport) == 0) apply_next(s);
}

void sb_server_set_master(sb_server *s, unsigned index, sb_endpoint master, sb_time now)
{
    sb_responder_set_master(s->responder, index, master, now);
}

/* ---- in ---- */

static void take_name(sb_server *s, const sb_transport_event *event)
{
    sb_player *p = sb_server_find_player(s, event->peer_id);
    if (!p) return;
    p->name_size =
        (uint8_t)(event->bytes.size < sizeof p->name ? event->bytes.size : sizeof p->name);
    memcpy(p->name, event->bytes.data, p->name_size);
    sb_match_rename(&s->match, p->peer_id, (sb_span){ p->name, p->name_size });
    sb_server_event told = sb_server_event_about(s, SB_SERVER_NAMED, p);
    sb_server_report(s, &told, p);
}

static void take_message(sb_server *s, const sb_transport_event *event)
{
    sb_player *p = sb_server_find_player(s, event->peer_id);
    if (!p || event->bytes.size == 0) return;
    sb_server_dispatch(s, p, event->delivery, event->bytes);
    sb_server_after_combat(s);
}

static void take_events(sb_server *s)
{
    sb_transport_event event;
    while (sb_transport_host_next_event(s->transport, s->now, &event)) {
        if (event.type == SB_EVENT_JOINED) sb_server_on_connect(s, event.peer_id, event.address);
        else if (event.type == SB_EVENT_NAMED) take_name(s, &event);
        else if (event.type == SB_EVENT_MESSAGE) take_message(s, &event);
        else if (event.type == SB_EVENT_LEFT) sb_server_on_leave(s, &event);
    }
}

/* A Connect that was refused concerns nobody here, but whoever runs the server wants to know. */
static void tell_refused_connects(sb_server *s)
{
    sb_endpoint from;
    uint8_t     reason;
    uint64_t    refusals = sb_transport_host_refusals(s->transport, &from, &reason);
    if (refusals == s->refusals_told) return;
    s->refusals_told = refusals;
    sb_server_event event = sb_server_event_about(s, SB_SERVER_CONNECT_REFUSED, NULL);
    event.address = from;
    event.value = reason;
    event.text = sb_text_span(reason == SB_BOOT_PASSWORD ? "wrong password"
                              : reason == SB_BOOT_BANNED ? "banned"
                                                         : "no place: too many players, or too "
                                                           "many behind one address");
    sb_server_report(s, &event, NULL);
}

sb_result sb_server_receive(sb_server *s, sb_time now, sb_endpoint from, sb_span datagram)
{
    sb_server_set_time(s, now);
    take_events(s); /* of whom stop and kick removed since the last turn: the transport insists */
    if (datagram.size && datagram.data[0] == '\\')
        return sb_responder_receive(s->responder, s->now, from, datagram);
    sb_result result = sb_transport_host_receive(s->transport, s->now, from, datagram);
    tell_refused_connects(s);
    take_events(s);
    return result;
}

/* ---- time ---- */

static void tell_stopped(sb_server *s)
{
    if (!s->stopping || s->stopped_told || !sb_transport_host_is_stopped(s->transport)) return;
    s->stopped_told = true;
    sb_server_event event = sb_server_event_about(s, SB_SERVER_STOPPED, NULL);
    sb_server_report(s, &event, NULL);
}

void sb_server_advance(sb_server *s, sb_time now)
{
    sb_server_set_time(s, now);
    take_events(s);
    if (sb_combat_next_deadline(s->combat) <= s->now) sb_combat_advance(s->combat, s->now);
    sb_server_after_combat(s);
    if (s->now >= s->restart_at) sb_server_begin_match(s);
    sb_server_advance_joins(s);
    take_events(s); /* of peers that were removed just now */
    sb_server_advance_lanes(s);
    tell_stopped(s);
}

sb_time sb_server_next_deadline(const sb_server *s)
{
    sb_time next = sb_transport_host_next_deadline(s->transport);
    next = sb_time_earlier(next, sb_responder_next_deadline(s->responder));
    next = sb_time_earlier(next, sb_combat_next_deadline(s->combat));
    next = sb_time_earlier(next, sb_replica_next_deadline(s->replica));
    next = sb_time_earlier(next, sb_server_joins_deadline(s));
    next = sb_time_earlier(next, s->restart_at);
    if (!s->match.over) next = sb_time_earlier(next, s->match.ends_at);
    return next;
}

/* ---- out: the game first, then queries (spec 05 §8) ---- */

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
    if (!size) tell_stopped(s); /* the last word may have been the last thing to do */
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
