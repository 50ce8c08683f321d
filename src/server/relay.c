/* src/server/relay.c -- actions of players' ships: events, shots, collisions, StateUpdates.
 *
 * Events and shots are relayed (spec 08 §1.2): the room validates them, sends the same bytes to
 * every other player in the game, then applies them to its own copy of the world. An event that
 * does not apply to the current ship is relayed all the same. StateUpdates are applied and never
 * forwarded: lanes.c sends new ones, built from the room's copy. Collisions and self-destructs are
 * applied and not relayed: combat computes the consequences, and combat_events.c sends them.
 * TargetChanged is not relayed either; it may name the target of beams.
 *
 * For:      dispatch.c, through the table in opcodes.c.
 * Spec:     03, 08.
 * Tests:    tests/server/relay_test.c, relay_edges_test.c, cheat_test.c, rules_test.c, time_test.c
 */
#include "server/server_internal.h"

#include <starbase/message.h>

#include "base/assert.h"
#include "base/bytes.h"

#include <math.h>
#include <string.h>

static const sb_time excuse_us = 3 * SB_SECOND; /* see judge_change */
static const double  clock_error_max = 300e-6;

/* ---- ownership ---- */

/* An id must lie in the block of the sender's slot; 0 means no object (spec 08 §17). */
static bool is_own_id(const sb_server *s, const sb_player *p, uint32_t id)
{
    return id == 0 || s->config.trust_clients || sb_slot_of_id(id) == (int)(p - s->players);
}

/* Fire without a living ship. A client that has not heard of its death yet fires on. */
static void refuse_without_ship(sb_server *s, sb_player *p, sb_span bytes)
{
    sb_server_refuse(s, p, SB_SERVER_COUNT_NO_SHIP, bytes);
    sb_server_report_implausible(s, p, SB_IMPLAUSIBLE_NO_SHIP, 1.0, 0.0);
}

/* True for the ids of the player's living ship and its parts. An event about another id of the
 * player is relayed but not applied: the client may not have noticed yet that its ship was replaced
 * (spec 08 §17). */
static bool is_part_of_ship(const sb_player *p, uint32_t id)
{
    if (!sb_player_has_living_ship(p)) return false;
    uint32_t first = p->ship->object_id, count = sb_ship_id_count(p->ship->ship.model);
    return id >= first && (count == 0 || id - first < count);
}

/* ---- events ---- */

void sb_server_apply_start_firing(sb_server *s, uint32_t ship, const sb_event *e)
{
    bool     aimed = e->event_class == SB_EVENT_START_FIRING;
    uint32_t target = aimed ? e->target : 0;
    sb_combat_start_firing(s->combat, ship, e->destination, target,
                           aimed ? e->offset : (sb_cv4b){ 0 });
}

void sb_server_apply_stop_firing(sb_server *s, uint32_t ship, const sb_event *e)
{
    uint32_t target = e->event_class == SB_EVENT_OBJECT_POINTER ? e->third : 0;
    sb_combat_stop_firing(s->combat, ship, e->destination, target);
}

void sb_server_apply_switch(sb_server *s, uint32_t ship, const sb_event *e)
{
    if (e->event_class == SB_EVENT_BOOL)
        sb_combat_switch(s->combat, ship, e->destination, e->value != 0);
}

void sb_server_apply_repair_priority(sb_server *s, uint32_t ship, const sb_event *e)
{
    if (e->event_class == SB_EVENT_OBJECT_POINTER)
        sb_combat_repair_first(s->combat, ship, e->destination, e->third);
}

void sb_server_apply_phaser_level(sb_server *s, uint32_t ship, const sb_event *e)
{
    if (e->event_class == SB_EVENT_CHAR)
        sb_combat_phaser_level(s->combat, ship, e->destination, e->value);
}

void sb_server_apply_torpedo_type(sb_server *s, uint32_t ship, const sb_event *e)
{
    if (e->event_class == SB_EVENT_CHAR)
        sb_combat_torpedo_type(s->combat, ship, e->destination, e->value);
}

void sb_server_apply_start_cloaking(sb_server *s, uint32_t ship, const sb_event *e)
{
    (void)e; /* its class is not known (spec 08 §7.6) */
    sb_combat_cloak(s->combat, ship, true);
}

void sb_server_apply_stop_cloaking(sb_server *s, uint32_t ship, const sb_event *e)
{
    (void)e;
    sb_combat_cloak(s->combat, ship, false);
}

void sb_server_apply_warp(sb_server *s, uint32_t ship, const sb_event *e)
{
    sb_object *o = sb_server_find_object(s, ship);
    if (o) sb_server_start_warp(s, o, e);
}

static bool has_value(const sb_event *e)
{
    return e->event_class == SB_EVENT_BOOL || e->event_class == SB_EVENT_CHAR;
}

static bool is_above_max(const sb_event *e, const sb_event_rule *rule)
{
    return has_value(e) && rule->max_value > 0 && e->value > rule->max_value;
}

/* True for a warp to a possible set name, and for all other events. */
static bool is_valid_warp(const sb_event *e)
{
    if (e->event_class != SB_EVENT_START_WARP) return true;
    return e->set_name.size <= ENTER_SET_MAX && sb_server_is_printable(e->set_name);
}

void sb_server_handle_event(sb_server *s, sb_player *p, sb_span bytes)
{
    const sb_event      *e = &s->in->as.event;
    const sb_event_rule *rule = &sb_server_opcodes[s->in->opcode].event;
    if (!is_own_id(s, p, e->destination))
        sb_server_refuse(s, p, SB_SERVER_COUNT_FOREIGN_OBJECT, bytes);
    else if (rule->needs_ship && !sb_player_has_living_ship(p)) refuse_without_ship(s, p, bytes);
    else if (is_above_max(e, rule) || !is_valid_warp(e))
        sb_server_refuse(s, p, SB_SERVER_COUNT_BAD_VALUE, bytes);
    else {
        p->active_at = s->now;
        sb_server_relay(s, bytes, SB_RELIABLE, p);
        if (rule->apply && is_part_of_ship(p, e->destination))
            rule->apply(s, p->ship->object_id, e);
    }
}

/* ---- TargetChanged ---- */

/* The third id is the previous target in one analysis and the new one in another. The first
 * TargetChanged of a ship decides: a new ship has no previous target, so an id names the new one.
 * All later ones of this player are then read the same way; without an id they stay unused. */
static void read_first_target(sb_server *s, sb_player *p, uint32_t third)
{
    SB_COUNT(s->counters,
             third ? SB_SERVER_COUNT_FIRST_TARGETS_SET : SB_SERVER_COUNT_FIRST_TARGETS_EMPTY);
    p->target_seen = true;
    if (third) p->target_is_new = true;
    sb_server_event event = sb_server_event_about(s, SB_SERVER_TARGET, p);
    event.object_id = third;
    event.other = p->target_is_new;
    sb_server_report(s, &event, p);
}

/* Not relayed (spec 08 §6). The target serves beams whose StartFiring names none. */
void sb_server_handle_target(sb_server *s, sb_player *p, sb_span bytes)
{
    (void)bytes;
    const sb_event *e = &s->in->as.event;
    bool            changed = e->event_class == SB_EVENT_OBJECT_POINTER &&
                   e->event_code == SB_CODE_TARGET_WAS_CHANGED && sb_player_has_living_ship(p) &&
                   e->destination == p->ship->object_id;
    if (!changed) return;
    if (!p->target_seen) read_first_target(s, p, e->third);
    if (p->target_is_new) sb_combat_target(s->combat, p->ship->object_id, e->third);
}

/* ---- shots ---- */

/* Charges the weapon's budget; false if it is exhausted (spec 08 §17). A weapon without a record
 * replaces the oldest record. */
static bool spend_shot(sb_server *s, sb_player *p, uint32_t weapon)
{
    for (size_t i = 0; i < FIRE_RECORDS_MAX; i++)
        if (p->fire[i].weapon == weapon)
            return sb_server_spend_token(s, &p->fire[i].budget, SHOTS_PER_SECOND, SHOTS_BURST);
    SB_ASSERT(p->next_fire_index < FIRE_RECORDS_MAX);
    sb_fire_record *r = &p->fire[p->next_fire_index];
    p->next_fire_index = (uint8_t)((p->next_fire_index + 1) % FIRE_RECORDS_MAX);
    r->weapon = weapon;
    sb_budget_init(&r->budget, s->now, SHOTS_BURST - 1);
    return true;
}

/* Charges the weapon's budget; false: the shot was refused and reported. */
static bool accept_shot(sb_server *s, sb_player *p, uint32_t weapon, sb_span bytes)
{
    if (!is_own_id(s, p, weapon)) sb_server_refuse(s, p, SB_SERVER_COUNT_FOREIGN_OBJECT, bytes);
    else if (!sb_player_has_living_ship(p)) refuse_without_ship(s, p, bytes);
    else if (!spend_shot(s, p, weapon)) sb_server_refuse(s, p, SB_SERVER_COUNT_FIRE_RATE, bytes);
    else {
        p->active_at = s->now;
        return true;
    }
    return false;
}

/* The documented form has an aim in units, combat takes it as a fraction of the target's radius. */
static sb_cv4b aim_of(const sb_server *s, const sb_torpedo_fire *t)
{
    const sb_object *at = sb_server_find_object(s, t->target);
    if (!t->documented) return t->aim;
    if (!at || !at->ship.model) return (sb_cv4b){ 0 };
    return sb_encode_cv4b(sb_decode_cv4(t->aim_distance), at->ship.model->bound_radius);
}

void sb_server_handle_torpedo(sb_server *s, sb_player *p, sb_span bytes)
{
    const sb_torpedo_fire *t = &s->in->as.torpedo_fire;
    if (!accept_shot(s, p, t->tube, bytes)) return;
    sb_server_relay(s, bytes, SB_RELIABLE, p);
    if (!is_part_of_ship(p, t->tube)) return;
    sb_combat_torpedo(s->combat, p->ship->object_id, t->tube, t->projectile_type, t->direction,
                      t->target, aim_of(s, t));
}

void sb_server_handle_pulse(sb_server *s, sb_player *p, sb_span bytes)
{
    const sb_pulse_fire *f = &s->in->as.pulse_fire;
    if (!accept_shot(s, p, f->weapon, bytes)) return;
    sb_server_relay(s, bytes, SB_RELIABLE, p);
    if (is_part_of_ship(p, f->weapon))
        sb_combat_pulse(s->combat, p->ship->object_id, f->weapon, f->projectile_type, f->direction,
                        f->target);
}

/* ---- collisions and self-destruct ---- */

/* Stock clients create no scenery. A player must not put objects into the way of others. */
static bool is_scenery_of_another(const sb_server *s, const sb_player *p, uint32_t object_id)
{
    const sb_object *o = sb_server_find_object(s, object_id);
    return o && sb_object_is_scenery(o) && o->owner != p->peer_id && !s->config.trust_clients;
}

/* The report of a collision may be retransmitted, and come after the updates that show it. */
static void excuse_motion(const sb_server *s, sb_object *ship, float push)
{
    sb_pace_push(&ship->pace, &ship->ship, push, s->now);
    ship->turn.until = ship->acceleration.until = 0;
}

void sb_server_handle_collision(sb_server *s, sb_player *p, sb_span bytes)
{
    const sb_event *e = &s->in->as.event;
    if (!p->ship || (e->destination != p->ship->object_id && e->source != p->ship->object_id)) {
        sb_server_refuse(s, p, SB_SERVER_COUNT_FOREIGN_OBJECT, bytes);
        return;
    }
    if (e->force < 0.0f) { /* the decoder refuses NaN and other classes of events */
        sb_server_refuse(s, p, SB_SERVER_COUNT_BAD_VALUE, bytes);
        return;
    }
    if (!sb_server_spend_token(s, &p->collisions, COLLISIONS_PER_SECOND, COLLISIONS_BURST)) {
        sb_server_refuse(s, p, SB_SERVER_COUNT_COLLISION_RATE, bytes);
        return;
    }
    if (is_scenery_of_another(s, p, e->source)) {
        sb_server_refuse(s, p, SB_SERVER_COUNT_FOREIGN_SCENERY, bytes);
        return;
    }
    float push = sb_combat_collision(s->combat, p->ship->object_id, e->source, e->destination,
                                     e->contacts, e->contact_count, e->force, s->now);
    if (push > 0.0f) excuse_motion(s, p->ship, push);
}

void sb_server_handle_self_destruct(sb_server *s, sb_player *p, sb_span bytes)
{
    if (sb_player_has_living_ship(p)) sb_combat_self_destruct(s->combat, p->ship->object_id);
    else sb_server_refuse(s, p, SB_SERVER_COUNT_NO_SHIP, bytes);
}

bool sb_server_dismiss_ship(sb_server *s, sb_time now, uint8_t peer_id)
{
    sb_server_set_time(s, now);
    sb_player *p = sb_server_find_player(s, peer_id);
    if (!p || !sb_player_has_living_ship(p)) return false;
    sb_combat_self_destruct(s->combat, p->ship->object_id);
    sb_server_after_combat(s);
    return true;
}

/* ---- StateUpdates ---- */

/* Refuses a StateUpdate for an unknown object. An id above all known ids of the sender is a new
 * ship whose creation the room does not have: the room requests it (spec 07 §6). */
static void handle_unknown_state(sb_server *s, sb_player *p, uint32_t object_id, sb_span bytes)
{
    if (sb_slot_of_id(object_id) != (int)(p - s->players)) {
        sb_server_refuse(s, p, SB_SERVER_COUNT_FOREIGN_STATE, bytes);
        return;
    }
    sb_server_refuse(s, p, SB_SERVER_COUNT_UNKNOWN_OBJECT, bytes);
    if (object_id > p->highest_id && object_id != p->second.object_id && !s->match.over)
        sb_server_request_object(s, p, object_id);
}

/* Counters of a receiver for values that only a modified client sends (spec 10 §15.1). */
typedef struct state_check {
    uint8_t counter; /* sb_receiver_counter */
    uint8_t what;    /* sb_implausible */
} state_check;

enum { STATE_CHECKS = 5 };

static const state_check state_checks[STATE_CHECKS] = {
    { SB_RECEIVED_TOO_FAST, SB_IMPLAUSIBLE_SPEED },
    { SB_RECEIVED_JUMPED, SB_IMPLAUSIBLE_POSITION },
    { SB_RECEIVED_FOREIGN_BLOCK, SB_IMPLAUSIBLE_HEALTH },
    { SB_RECEIVED_BAD_POWER, SB_IMPLAUSIBLE_POWER },
    { SB_RECEIVED_BAD_CLOAK, SB_IMPLAUSIBLE_CLOAK },
};

typedef struct implausible_counts {
    uint32_t of[STATE_CHECKS];
} implausible_counts;

static implausible_counts counts_of(const sb_receiver *r)
{
    implausible_counts counts;
    for (size_t i = 0; i < STATE_CHECKS; i++) counts.of[i] = r->counters[state_checks[i].counter];
    return counts;
}

/* Reports what the receiver has counted since `before`. False: the position was refused. Which
 * parts of a ship without a model have power is not known. */
static bool report_implausible_state(sb_server *s, sb_player *p, const sb_object *o,
                                     const implausible_counts *before)
{
    const sb_receiver *r = &o->receiver;
    bool               refused = false;
    for (size_t i = 0; i < STATE_CHECKS; i++) {
        if (r->counters[state_checks[i].counter] == before->of[i]) continue;
        sb_implausible what = (sb_implausible)state_checks[i].what;
        if (what == SB_IMPLAUSIBLE_POWER && !o->ship.model) continue;
        bool speed = what == SB_IMPLAUSIBLE_SPEED, place = what == SB_IMPLAUSIBLE_POSITION;
        const sb_evidence *e = speed ? &r->speed : place ? &r->distance : NULL;
        sb_server_report_implausible(s, p, what, e ? (double)e->claimed : 1.0,
                                     e ? (double)e->possible : 0.0);
        refused |= place && r->enforce;
    }
    return !refused;
}

/* A turn or a change of speed is reported if no collision follows within 3 s: the report of one may
 * be lost twice, and come that late. A wreck tumbles. */
static void judge_change(sb_server *s, sb_player *p, const sb_object *o, sb_excuse *x,
                         const sb_pace_value *v, sb_implausible what)
{
    if (v->counted != x->counted && !x->until) {
        x->until = s->now + excuse_us;
        x->evidence = v->last;
    }
    x->counted = v->counted;
    if (!x->until || s->now < x->until) return;
    x->until = 0;
    if (!o->exploding)
        sb_server_report_implausible(s, p, what, (double)x->evidence.claimed,
                                     (double)x->evidence.possible);
}

static void judge_pace(sb_server *s, sb_player *p, sb_object *o)
{
    judge_change(s, p, o, &o->turn, &o->pace.axes, SB_IMPLAUSIBLE_TURN);
    judge_change(s, p, o, &o->acceleration, &o->pace.speed, SB_IMPLAUSIBLE_ACCELERATION);
    o->pace.suspect = o->turn.until || o->acceleration.until;
}

/* Game time of the sender at s->now; INFINITY: unknown. */
static float expected_time(const sb_server *s, const sb_player *p)
{
    sb_time lead = sb_sender_clock_lead(&p->clock, s->now);
    if (lead == SB_LEAD_UNKNOWN) return INFINITY;
    return (float)((double)(s->now - s->started_at + lead) / SB_SECOND);
}

/* Game time of a sender whose clock is as fast as a clock can be. */
static float latest_time(const sb_server *s, const sb_player *p)
{
    double fastest = (double)(s->now - p->connected_at) * clock_error_max;
    return (float)(((double)(s->now - s->started_at) + fastest) / SB_SECOND);
}

/* Follows the sender's clock by an update that was decoded, whether it was applied or not. */
static void hear_time(const sb_server *s, sb_player *p, sb_span bytes)
{
    SB_ASSERT(bytes.size >= 9);
    double  game_time = sb_bits_float(sb_load_u32(bytes.data + 5));
    sb_time time = (sb_time)(game_time * SB_SECOND);
    sb_sender_clock_hear(&p->clock, s->now, time - (s->now - s->started_at));
}

/* Applies an update of the player's object. Anything but SB_OK was counted. */
static sb_result apply_state(sb_server *s, sb_player *p, sb_object *o, sb_span bytes)
{
    sb_receiver *r = &o->receiver;
    uint32_t     ahead = r->counters[SB_RECEIVED_AHEAD];
    r->expected_time = expected_time(s, p);
    if (s->now < r->doubt_until) r->latest_time = latest_time(s, p);
    r->pace = &o->pace; /* a room may have moved */
    sb_result result = sb_receiver_apply(r, &o->ship, s->now, SB_SHIELD_STOCK, bytes, NULL);
    if (o->exploding)
        o->ship.cloaked = false; /* the update may be older than the death (spec 10 §12.2) */
    if (result == SB_OK || result == SB_NOT_ALLOWED) hear_time(s, p, bytes);
    if (r->counters[SB_RECEIVED_AHEAD] != ahead)
        sb_server_refuse(s, p, SB_SERVER_COUNT_STATE_AHEAD, bytes);
    else if (result == SB_NOT_ALLOWED) SB_COUNT(s->counters, SB_SERVER_COUNT_STATE_OLD);
    else if (result != SB_OK) sb_server_refuse(s, p, SB_SERVER_COUNT_STATE_REFUSED, bytes);
    return result;
}

/* A ship that nobody steers keeps its codes of speed and direction. */
static bool has_steered(const sb_motion *now, uint16_t speed, const sb_cv3 *forward)
{
    return now->speed_code != speed || memcmp(&now->forward_code, forward, sizeof *forward) != 0;
}

void sb_server_handle_state(sb_server *s, sb_player *p, sb_span bytes)
{
    if (bytes.size < 5) {
        sb_server_refuse(s, p, SB_SERVER_COUNT_MALFORMED, bytes);
        return;
    }
    uint32_t   object_id = sb_load_u32(bytes.data + 1);
    sb_object *o = sb_server_find_object(s, object_id);
    if (!o || o->gone) {
        handle_unknown_state(s, p, object_id, bytes);
        return;
    }
    if (o->owner != p->peer_id) {
        sb_server_refuse(s, p, SB_SERVER_COUNT_FOREIGN_STATE, bytes);
        return;
    }
    implausible_counts before = counts_of(&o->receiver);
    sb_hash_state      hashes = sb_server_hash_state(o);
    uint16_t           speed = o->ship.motion.speed_code;
    sb_cv3             forward = o->ship.motion.forward_code;
    sb_result          result = apply_state(s, p, o, bytes);
    bool               moved = report_implausible_state(s, p, o, &before);
    if (p->second.object_id && o == p->ship) sb_server_doubt_second_ship(s, p);
    if (o->pace.suspect) judge_pace(s, p, o);
    if (result != SB_OK) return;
    SB_COUNT(s->counters, SB_SERVER_COUNT_STATE_IN);
    if (has_steered(&o->ship.motion, speed, &forward)) p->active_at = s->now;
    if (o == p->ship && !o->exploding) sb_transport_host_note_update(s->transport, p->peer_id);
    sb_server_judge_hash(s, p, o, hashes);
    if (!o->tracked) sb_server_track_scenery(s, o);
    if (o == p->ship) sb_replica_note_arrival(s->replica, object_id, s->now);
    if (moved) sb_combat_moved(s->combat, object_id, s->now);
}
