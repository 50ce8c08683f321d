/* src/server/warp.c -- changes of set: the stages of a warp, and the messages about them.
 *
 * For:      relay.c (StartWarp), objects.c (creations), dispatch.c (EnterSet of a player), lanes.c
 *           (ships that see each other), server.c (time).
 * Never:    moves a ship: its owner does. Combat and lanes have a ship in transit in the set
 *           `warp`. Late joiners are told the set that it left, until it arrives: no creation may
 *           name `warp`.
 * Spec:     07 §5, §7; 10 §11.4.
 * Tests:    tests/server/warp_test.c
 */
#include "server/server_internal.h"

#include <starbase/message.h>

#include "base/assert.h"
#include "base/time.h"

#include <string.h>

/* The stages of a warp, measured on the running engine. A stock host plays them for a ship that is
 * not its own player's; the owner's client needs longer. */
static const sb_time entry_us = 1 * SB_SECOND;
static const sb_time flight_us = 2 * SB_SECOND;                 /* at 700 units/s */
static const sb_time arrival_us = 2 * SB_SECOND;                /* then rest and 0.2 throttle */
static const sb_time owner_takes_longer_us = 7 * SB_SECOND / 2; /* 1.5 s entry, 2 s in `warp` */
/* The stay in `warp`: the fourth number of StartWarp, if it can be a time. The published analyses
 * call it a speed. */
static const float   stay_max_s = 60.0f;
static const sb_time stay_default_us = 5 * SB_SECOND;
/* The stage that starts with the EnterSet to all. Nothing shows when a stock host sends it; it
 * follows from the stages that it is at the end of the stay in `warp` (open point). */
static const sb_warp_stage enter_set_stage = SB_WARP_ARRIVING;

/* ---- sets ---- */

static bool is_name(const char *name, sb_span set)
{
    return strlen(name) == set.size && memcmp(name, set.data, set.size) == 0;
}

/* True for the sets of the present star system, which every client has loaded. False in a system
 * that the room does not know. */
static bool is_loaded_set(const sb_server *s, sb_span set)
{
    const sb_system *system = sb_server_find_system(s);
    if (!system) return false;
    if (is_name(system->start_set, set)) return true;
    for (size_t i = 0; i < system->other_set_count; i++)
        if (is_name(system->other_sets[i], set)) return true;
    return false;
}

bool sb_server_may_send_set(const sb_server *s, sb_span set)
{
    return s->config.trust_clients || !sb_server_find_system(s) || is_loaded_set(s, set);
}

static bool is_in_set(const sb_object *o, sb_span set)
{
    return o->set_size == set.size && memcmp(o->set_name, set.data, set.size) == 0;
}

void sb_server_set_set(sb_server *s, sb_object *o, sb_span set)
{
    SB_ASSERT(set.size <= sizeof o->set_name);
    o->set_size = (uint8_t)set.size;
    memcpy(o->set_name, set.data, set.size);
    o->set_changed = true;
    sb_combat_entered(s->combat, o->object_id, sb_server_hash_of_set(set), s->now);
}

static void send_enter_set(sb_server *s, const sb_object *o)
{
    *s->out = (sb_message){ .opcode = SB_OP_ENTER_SET };
    s->out->as.enter_set.object_id = o->object_id;
    s->out->as.enter_set.set_name = (sb_span){ o->set_name, o->set_size };
    sb_server_send_in_game(s, s->out);
}

void sb_server_announce_set(sb_server *s, const sb_object *o)
{
    if (!s->config.spawn_notice) return;
    *s->out = (sb_message){ .opcode = SB_OP_OBJECT_NOT_FOUND };
    s->out->as.object_ref.object_id = o->object_id;
    sb_server_send_in_game(s, s->out);
}

bool sb_server_is_same_set(const sb_object *a, const sb_object *b)
{
    bool a_in_transit = a->warp == SB_WARP_STAYING, b_in_transit = b->warp == SB_WARP_STAYING;
    if (a_in_transit || b_in_transit) return a_in_transit && b_in_transit;
    return is_in_set(a, (sb_span){ b->set_name, b->set_size });
}

/* ---- stages ---- */

static bool has_warp_engine(const sb_ship *ship)
{
    for (unsigned i = 0; ship->model && i < ship->model->subsystem_count; i++)
        if (ship->model->subsystems[i].type == SB_SUBSYSTEM_WARP) return true;
    return false;
}

static sb_time stay_of(const sb_event *e)
{
    if (!(e->warp_speed > 0.0f && e->warp_speed <= stay_max_s)) return stay_default_us;
    return (sb_time)((double)e->warp_speed * 1e6);
}

static void set_stage(sb_server *s, sb_object *o, sb_warp_stage stage, sb_time lasts)
{
    o->warp = (uint8_t)stage;
    o->warp_next = s->now + lasts;
    s->warp_next = sb_time_earlier(s->warp_next, o->warp_next);
}

/* No position of the owner is implausible until the owner has arrived, too. The ship must not use
 * that time: it does no damage until then (spec 10 §11.4). */
static void free_motion(sb_server *s, sb_object *o)
{
    sb_time lasts = entry_us + flight_us + o->warp_stay + arrival_us + owner_takes_longer_us;
    o->receiver.moved_at = s->now + lasts;
    sb_combat_disarm(s->combat, o->object_id, (float)lasts / (float)SB_SECOND);
}

static bool can_leave(const sb_server *s, const sb_object *o, const sb_event *e)
{
    return e->event_class == SB_EVENT_START_WARP && has_warp_engine(&o->ship) &&
           is_loaded_set(s, e->set_name) && !is_in_set(o, e->set_name);
}

/* A ship of a known system that goes nowhere keeps the checks of its motion. The sets of an unknown
 * system are not known, and neither is the layout of a mod's ship: the checks pause. */
static void refuse_to_leave(sb_server *s, sb_object *o)
{
    if (sb_server_find_system(s) && o->ship.model)
        sb_server_report_implausible(s, sb_server_find_player(s, o->owner), SB_IMPLAUSIBLE_WARP,
                                     1.0, 0.0);
    else if (o->receiver.moved_at < s->now) o->receiver.moved_at = s->now;
}

void sb_server_start_warp(sb_server *s, sb_object *o, const sb_event *e)
{
    if (o->warp != SB_WARP_NONE) return; /* in transit: the first StartWarp counts */
    if (!can_leave(s, o, e)) {
        refuse_to_leave(s, o);
        return;
    }
    SB_ASSERT(e->set_name.size <= sizeof o->warp_set);
    o->warp_set_size = (uint8_t)e->set_name.size;
    memcpy(o->warp_set, e->set_name.data, e->set_name.size);
    o->warp_stay = stay_of(e);
    free_motion(s, o);
    set_stage(s, o, SB_WARP_LEAVING, entry_us + flight_us);
}

/* Enters `warp`: no message (spec 07 §7.1). */
static void start_transit(sb_server *s, sb_object *o)
{
    uint32_t set = sb_server_hash_of_set(sb_text_span("warp"));
    sb_combat_entered(s->combat, o->object_id, set, s->now);
    set_stage(s, o, SB_WARP_STAYING, o->warp_stay);
}

static void next_stage(sb_server *s, sb_object *o)
{
    if (o->warp == SB_WARP_LEAVING) start_transit(s, o);
    else if (o->warp == SB_WARP_STAYING) set_stage(s, o, SB_WARP_ARRIVING, arrival_us);
    else o->warp = SB_WARP_NONE;
    if (o->warp != enter_set_stage) return;
    sb_server_set_set(s, o, (sb_span){ o->warp_set, o->warp_set_size });
    send_enter_set(s, o);
}

/* ---- EnterSet of a player: no stock client sends it ---- */

/* False: the message was refused and reported. */
static bool accept_enter_set(sb_server *s, sb_player *p, const sb_enter_set *enter, sb_span bytes)
{
    bool own = p->ship && p->ship->object_id == enter->object_id;
    /* A stock receiver reads past a name without NUL, and a set that it has not loaded may crash it
     * (spec 07 §7). */
    bool usable = enter->set_name.size <= ENTER_SET_MAX && !enter->unterminated &&
                  sb_server_is_printable(enter->set_name) &&
                  sb_server_may_send_set(s, enter->set_name);
    if (!own) sb_server_refuse(s, p, SB_SERVER_COUNT_FOREIGN_OBJECT, bytes);
    else if (!usable) sb_server_refuse(s, p, SB_SERVER_COUNT_BAD_VALUE, bytes);
    else if (!s->config.client_sets) sb_server_refuse(s, p, SB_SERVER_COUNT_CLIENT_SETS, bytes);
    else return true;
    return false;
}

void sb_server_handle_enter_set(sb_server *s, sb_player *p, sb_span bytes)
{
    const sb_enter_set *enter = &s->in->as.enter_set;
    sb_object          *o = p->ship;
    if (!accept_enter_set(s, p, enter, bytes)) return;
    sb_server_relay(s, bytes, SB_RELIABLE, p);
    sb_server_set_set(s, o, enter->set_name);
    sb_receiver_moved(&o->receiver, &o->ship, s->now);
    if (o->warp == SB_WARP_NONE) sb_server_announce_set(s, o);
    o->warp = SB_WARP_NONE; /* the player's EnterSet ends the warp */
}

void sb_server_advance_warps(sb_server *s)
{
    if (s->now < s->warp_next) return;
    s->warp_next = SB_TIME_NEVER;
    for (size_t i = 0; i < s->object_top; i++) {
        if (!s->objects[i].object_id || s->objects[i].warp == SB_WARP_NONE) continue;
        sb_object *o = &s->objects[i];
        if (o->exploding) o->warp = SB_WARP_NONE;
        else if (s->now >= o->warp_next) next_stage(s, o);
        else s->warp_next = sb_time_earlier(s->warp_next, o->warp_next);
    }
}
