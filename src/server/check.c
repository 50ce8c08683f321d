/* src/server/check.c -- the invariants of a room between two steps.
 *
 * For:      tests, the simulator and the fuzz harness, after every step (testing.h).
 * Never:    changes anything. Not for programs: it is slow, because it searches every table for
 *           every row.
 * Tests:    tests/server/rig.c calls it in every test of a room.
 */
#include "server/testing.h"

#include "base/assert.h"
#include "base/bytes.h"
#include "combat/testing.h"
#include "game/testing.h"
#include "replica/testing.h"
#include "server/server_internal.h"
#include "transport/testing.h"

#include <string.h>

static void check_vector(sb_vec3 v)
{
    SB_ASSERT(sb_float_is_finite(v.x));
    SB_ASSERT(sb_float_is_finite(v.y));
    SB_ASSERT(sb_float_is_finite(v.z));
}

/* ---- objects ---- */

/* Combat and replica compute with these numbers. */
static void check_ship(const sb_ship *ship)
{
    const sb_ship_class *model = ship->model;
    check_vector(ship->motion.position);
    check_vector(ship->motion.forward);
    check_vector(ship->motion.up);
    SB_ASSERT(sb_float_is_finite(ship->motion.speed));
    for (unsigned i = 0; model && i < model->subsystem_count; i++) {
        SB_ASSERT(ship->condition[i] >= 0.0f);
        SB_ASSERT(ship->condition[i] <= model->subsystems[i].max_condition);
        SB_ASSERT(ship->power_wanted[i] >= 0.0f);
        SB_ASSERT(ship->power_wanted[i] <= 1.25f);
    }
    for (unsigned i = 0; model && i < SB_SHIP_CHILDREN_MAX; i++)
        SB_ASSERT(sb_float_is_finite(ship->child_condition[i]) && ship->child_condition[i] >= 0.0f);
    for (unsigned i = 0; model && i < SB_FACINGS; i++)
        SB_ASSERT(sb_float_is_finite(ship->facing[i]) && ship->facing[i] >= 0.0f);
    SB_ASSERT(sb_float_is_finite(ship->main_battery));
    SB_ASSERT(sb_float_is_finite(ship->backup_battery));
}

/* Replica and combat borrow the ships of players; both have a row for each, so they never refuse a
 * ship. Of other objects replica borrows at most sb_scenery_lanes, combat none. */
static void check_borrowers(const sb_server *s, const sb_object *o)
{
    sb_vec3 position;
    bool    ship = o->opcode == SB_OP_PLAYER_OBJECT_CREATE;
    SB_ASSERT(o->tracked || !ship);
    SB_ASSERT(sb_replica_has_ship(s->replica, o->object_id) == o->tracked);
    bool in_combat = sb_combat_position(s->combat, o->object_id, s->now, &position);
    SB_ASSERT(in_combat == ship);
    SB_ASSERT(sb_combat_is_alive(s->combat, o->object_id) == (ship && !o->exploding));
}

static void check_creation(const sb_object *o)
{
    SB_ASSERT(o->creation_size <= sizeof o->creation);
    SB_ASSERT(o->name_offset + o->name_size <= sizeof o->creation);
    SB_ASSERT(o->wanted_by == 0 || (o->creation_size == 0 && !o->ship.model));
    if (o->creation_size == 0) { /* it was too long */
        SB_ASSERT(o->ship.model || o->tracked == (o->opcode == SB_OP_PLAYER_OBJECT_CREATE));
    } else {
        SB_ASSERT(o->creation[0] == o->opcode);
        SB_ASSERT(o->name_offset + o->name_size <= o->creation_size);
    }
    SB_ASSERT(o->set_size <= sizeof o->set_name);
}

static void check_warp(const sb_server *s, const sb_object *o)
{
    SB_ASSERT(o->warp <= SB_WARP_ARRIVING);
    SB_ASSERT(o->warp_set_size <= sizeof o->warp_set);
    if (o->warp == SB_WARP_NONE) return;
    SB_ASSERT(o->warp_set_size > 0);
    SB_ASSERT(s->warp_next <= o->warp_next);
}

static void check_object(const sb_server *s, const sb_object *o)
{
    const sb_player *owner = sb_server_find_player(s, o->owner);
    SB_ASSERT(sb_server_find_object(s, o->object_id) == o); /* each id once */
    SB_ASSERT(owner);
    SB_ASSERT(o->any_slot || sb_slot_of_id(o->object_id) == (int)(owner - s->players));
    SB_ASSERT(o->opcode == SB_OP_OBJECT_CREATE || o->opcode == SB_OP_PLAYER_OBJECT_CREATE);
    SB_ASSERT((o->opcode == SB_OP_PLAYER_OBJECT_CREATE) == (owner->ship == o));
    SB_ASSERT(!o->gone); /* sb_server_after_combat has removed it */
    SB_ASSERT(!s->match.over);
    SB_ASSERT(o->order > 0 && o->order <= s->last_object_order);
    SB_ASSERT(o->ship.object_id == o->object_id);
    check_creation(o);
    check_warp(s, o);
    check_borrowers(s, o);
    check_ship(&o->ship);
    check_vector(sb_receiver_estimate(&o->receiver, &o->ship, s->now));
}

static void check_objects(const sb_server *s)
{
    unsigned lanes = 0;
    for (size_t i = 0; i < s->object_top; i++) {
        if (!s->objects[i].object_id) continue;
        check_object(s, &s->objects[i]);
        lanes += sb_object_is_scenery(&s->objects[i]) && s->objects[i].tracked;
        for (size_t j = 0; j < i; j++)
            SB_ASSERT(!s->objects[j].object_id || s->objects[j].order != s->objects[i].order);
    }
    SB_ASSERT(s->object_top <= OBJECTS_MAX);
    SB_ASSERT(!s->has_gone_objects);
    SB_ASSERT(lanes <= sb_scenery_lanes(s->capacity));
}

/* ---- players ---- */

static void check_budget(const sb_server *s, const sb_budget *b, uint32_t burst)
{
    SB_ASSERT(b->left >= 0);
    SB_ASSERT(b->left <= (int64_t)burst * SB_SECOND);
    SB_ASSERT(b->at <= s->now);
}

static void check_budgets(const sb_server *s, const sb_player *p)
{
    check_budget(s, &p->chat, CHAT_BURST);
    check_budget(s, &p->chat_attacked, CHAT_ATTACKED_BURST);
    check_budget(s, &p->teams, TEAM_BURST);
    check_budget(s, &p->mods, UINT32_MAX); /* no limit: the operator may have lowered mod_per_s */
    check_budget(s, &p->requests, REQUESTS_PER_SECOND);
    check_budget(s, &p->asks, ASKS_PER_SECOND);
    check_budget(s, &p->relay, RELAY_BURST_CELLS);
    check_budget(s, &p->effects, EFFECT_BURST_CELLS);
    check_budget(s, &p->stops, STOPS_BURST);
    check_budget(s, &p->collisions, COLLISIONS_BURST);
    for (size_t i = 0; i < FIRE_RECORDS_MAX; i++) check_budget(s, &p->fire[i].budget, SHOTS_BURST);
    SB_ASSERT(p->next_fire_index < FIRE_RECORDS_MAX);
    SB_ASSERT(p->next_request_index < REQUEST_RECORDS_MAX);
}

/* A phase has a time limit unless it can last for the whole match. */
static void check_phase(const sb_player *p)
{
    bool unlimited = sb_player_is_in_game(p) || p->phase == SB_PLAYER_WAITING;
    SB_ASSERT(p->phase < SB_PLAYER_PHASES);
    SB_ASSERT((p->phase_ends == SB_TIME_NEVER) == unlimited);
    SB_ASSERT(p->phase != SB_PLAYER_CHECKING || p->round < SB_CHECKSUM_FF);
    SB_ASSERT(p->phase != SB_PLAYER_SYNCING || p->round == SB_CHECKSUM_FF);
    SB_ASSERT(p->phase != SB_PLAYER_FLYING || p->ship);
    SB_ASSERT(p->phase != SB_PLAYER_LOBBY || !p->ship);
    SB_ASSERT(!sb_player_is_in_game(p) || p->was_in_game);
    SB_ASSERT(p->was_in_game || !p->ship);
}

static void check_files(const sb_server *s, const sb_player *p)
{
    const sb_file_progress *f = &p->files;
    if (p->phase != SB_PLAYER_UPDATING) return;
    SB_ASSERT(p->round == SB_CHECKSUM_FF);
    SB_ASSERT(f->index < s->config.file_count);
    SB_ASSERT(sb_file_set_has(&f->wanted, f->index));
    SB_ASSERT(f->at <= s->config.files[f->index].message.size);
    SB_ASSERT(f->done < f->total);
    check_budget(s, &f->budget, FILE_CLIENT_BURST);
    for (size_t i = s->config.file_count; i < SB_CLIENT_FILES_MAX; i++)
        SB_ASSERT(!sb_file_set_has(&f->wanted, i));
}

static void check_player(const sb_server *s, const sb_player *p)
{
    sb_peer_info info;
    SB_ASSERT((size_t)(p - s->players) < s->capacity);
    SB_ASSERT(sb_server_find_player(s, p->peer_id) == p); /* each id once */
    SB_ASSERT(p->peer_id > SB_PEER_HOST && p->peer_id < 128);
    bool has_peer = sb_transport_host_peer(s->transport, p->peer_id, &info);
    SB_ASSERT(s->stopping || has_peer);
    SB_ASSERT(p->name_size <= sizeof p->name);
    SB_ASSERT(p->name_size % 2 == 0);
    SB_ASSERT(p->connected_at <= s->now);
    SB_ASSERT(!p->ship || (p->ship->object_id && p->ship->owner == p->peer_id));
    SB_ASSERT(!p->ship || p->highest_id >= p->ship->object_id);
    if (p->second.object_id) {
        SB_ASSERT(sb_player_has_living_ship(p));
        SB_ASSERT(p->second.size > 0 && p->second.size <= sizeof p->second.bytes);
        SB_ASSERT(p->second.since <= s->now);
        SB_ASSERT(s->second_ship_next <= p->second.since + SECOND_SHIP_WAIT_US);
    }
    SB_ASSERT(!p->was_in_game == !sb_match_find(&s->match, p->peer_id));
    check_phase(p);
    check_files(s, p);
    check_budgets(s, p);
    for (size_t i = 0; i < SB_IMPLAUSIBLE_COUNT; i++) {
        SB_ASSERT(p->implausible[i].since <= s->now);
        SB_ASSERT(p->implausible[i].quiet_until <= s->now + SB_SECOND);
        SB_ASSERT(p->implausible[i].count <= s->implausible[i]);
    }
}

/* A free row holds nothing of the player who had it. */
static void check_free_player(const sb_player *p)
{
    SB_ASSERT(p->peer_id == 0);
    SB_ASSERT(!p->ship);
    SB_ASSERT(!p->was_in_game);
    SB_ASSERT(p->phase_ends == SB_TIME_NEVER);
}

/* Messages wait only for players in the game and those who just left it. */
static void check_backlog(const sb_server *s)
{
    sb_backlog_check(&s->backlog);
    for (size_t i = 0; i < SB_SERVER_PLAYERS_MAX; i++)
        SB_ASSERT(s->backlog.waiting[i] == 0 || (i < s->capacity && s->players[i].was_in_game));
}

static void check_players(const sb_server *s)
{
    uint64_t in_game = 0, present = 0;
    for (size_t i = 0; i < s->capacity; i++) {
        const sb_player *p = &s->players[i];
        if (p->phase == SB_PLAYER_FREE) check_free_player(p);
        else check_player(s, p);
        in_game += p->was_in_game;
    }
    for (size_t i = 0; i < SB_MATCH_PLAYERS; i++)
        present += s->match.rows[i].used && s->match.rows[i].present;
    SB_ASSERT(present == in_game);
    SB_ASSERT(s->counters[SB_SERVER_COUNT_JOINS] == s->counters[SB_SERVER_COUNT_LEAVES] + in_game);
    SB_ASSERT(s->counters[SB_SERVER_COUNT_DEATHS] <= s->counters[SB_SERVER_COUNT_SPAWNS]);
}

/* ---- the room ---- */

/* The configuration points at the room's own texts, not at its caller's. */
static void check_texts(const sb_server_config *c, const sb_server_texts *texts)
{
    SB_ASSERT((const char *)c->name.data == texts->name);
    SB_ASSERT(c->name.size == strlen(texts->name));
    SB_ASSERT(c->name.size < sizeof texts->name);
    SB_ASSERT((const char *)c->system_name.data == texts->system_name);
    SB_ASSERT(c->system_name.size == strlen(texts->system_name));
    SB_ASSERT(c->system_name.size < sizeof texts->system_name);
}

static void check_config(const sb_server *s)
{
    SB_ASSERT(s->capacity <= SB_SERVER_PLAYERS_MAX && s->wanted_players <= SB_SERVER_PLAYERS_MAX);
    SB_ASSERT(s->config.max_players >= 1 && s->config.max_players <= s->capacity);
    SB_ASSERT(s->wanted_players >= s->config.max_players);
    SB_ASSERT(s->config.manifest_count <= SB_SERVER_MANIFESTS_MAX);
    SB_ASSERT(s->config.manifest_count == 0 || s->config.manifests);
    SB_ASSERT(s->config.checksums < SB_CHECKSUM_MODES);
    SB_ASSERT(sb_server_are_files_valid(&s->config));
    SB_ASSERT(s->file_turn < s->capacity);
    for (size_t i = 0; i < 256; i++) SB_ASSERT(s->config.mod_policy[i] < SB_MOD_POLICIES);
    SB_ASSERT(s->match.config.mode);
    SB_ASSERT(s->match.config.mode == s->config.match.mode);
    SB_ASSERT(s->match.config.frag_limit == s->config.match.frag_limit);
    SB_ASSERT(s->match.config.time_limit_min == s->config.match.time_limit_min);
    SB_ASSERT(!s->has_next || s->next.match.mode);
    check_texts(&s->config, &s->texts);
    if (s->has_next) check_texts(&s->next, &s->next_texts);
}

static void check_timers(const sb_server *s)
{
    SB_ASSERT(s->started_at <= s->now);
    SB_ASSERT(s->restarted_at <= s->now);
    SB_ASSERT(s->losses_checked_next <= s->now + SB_SECOND);
    SB_ASSERT(s->restart_at == SB_TIME_NEVER || s->match.over);
    SB_ASSERT(sb_float_is_finite(sb_server_clock(s)));
    SB_ASSERT(!s->stopped_reported || s->stopping);
    /* A match without players is as new. */
    SB_ASSERT(sb_server_has_players(s) || (!s->match.over && s->match.ends_at == SB_TIME_NEVER));
}

void sb_server_check(const sb_server *s)
{
    sb_transport_host_check(s->transport);
    sb_replica_check(s->replica);
    sb_match_check(&s->match);
    sb_combat_check(s->combat);
    check_config(s);
    check_timers(s);
    check_objects(s);
    check_players(s);
    check_backlog(s);
}

sb_time sb_server_lead(const sb_server *s, uint8_t peer_id)
{
    for (size_t i = 0; i < s->capacity; i++) {
        const sb_player *p = &s->players[i];
        if (p->phase != SB_PLAYER_FREE && p->peer_id == peer_id)
            return sb_sender_clock_lead(&p->clock, s->now);
    }
    return SB_LEAD_UNKNOWN;
}
