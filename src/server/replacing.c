/* src/server/replacing.c -- a player's next ship, and what becomes of the last one.
 *
 * A stock client creates a ship only when it has none: at its start, and when the explosion of the
 * last one is over. So a ship that comes earlier must not be of any use: the last ship counts as
 * destroyed, and the new one does no damage until that explosion would be over. A stranger can
 * forge such a creation, so it counts only after the updates of the last ship have ended.
 *
 * For:      objects.c (creations), combat_events.c (deaths), leaving.c, match.c.
 * Spec:     07 §2.6; docs/decisions/replaced-ships.md.
 * Tests:    tests/server/replacing_test.c
 */
#include "server/server_internal.h"

#include <starbase/message.h>

#include "base/assert.h"
#include "base/time.h"

#include <string.h>

/* A client counts the seconds of an explosion by its own clock. */
static const sb_time explosion_tolerance_us = SB_SECOND / 2;

static sb_time explosion_us(const sb_server *s)
{
    return (sb_time)((double)s->config.combat.constants.explosion_lifetime * 1e6);
}

void sb_server_delay_arms(sb_server *s, sb_player *p)
{
    sb_server_drop_second_ship(s, p);
    p->armed_at = s->now + explosion_us(s);
}

/* ---- players who leave and return ---- */

/* The record of the address, a free one, or the one that ends first. */
static sb_loss_record *choose_record(sb_server *s, uint32_t address)
{
    sb_loss_record *chosen = &s->losses[0];
    for (size_t i = 0; i < SB_SERVER_PLAYERS_MAX; i++) {
        sb_loss_record *d = &s->losses[i];
        if (d->armed_at && d->address == address) return d;
        if (d->armed_at < chosen->armed_at) chosen = d;
    }
    return chosen;
}

/* Leaving must not be a way out of a fight, nor a way to a full ship: the kill counts, and a ship
 * of the same address waits as after any death. The server's own bots leave for others and share
 * few addresses: theirs are not remembered. */
void sb_server_remember_departure(sb_server *s, sb_player *p)
{
    bool alive = sb_player_has_living_ship(p);
    if (alive && sb_server_was_just_hit(s, p->ship)) sb_server_give_up_ship(s, p->ship);
    if (alive) sb_server_delay_arms(s, p);
    if (p->armed_at <= s->now) return;
    if (sb_server_is_house(s, p)) return;
    *choose_record(s, p->address.address) =
        (sb_loss_record){ .address = p->address.address, .armed_at = p->armed_at };
}

static sb_time departure_of(const sb_server *s, uint32_t address)
{
    for (size_t i = 0; i < SB_SERVER_PLAYERS_MAX; i++)
        if (s->losses[i].armed_at && s->losses[i].address == address) return s->losses[i].armed_at;
    return 0;
}

void sb_server_forget_losses(sb_server *s)
{
    for (size_t i = 0; i < s->capacity; i++) s->players[i].armed_at = 0;
    memset(s->losses, 0, sizeof s->losses);
}

/* ---- a creation while the last ship lives ---- */

/* The latest creation waits: forged ones must not keep the player's own away. The time runs from
 * the first one, so that more of them change nothing. */
void sb_server_delay_second_ship(sb_server *s, sb_player *p, sb_span bytes)
{
    sb_second_ship *w = &p->second;
    sb_time         since = w->object_id ? w->since : s->now;
    SB_ASSERT(bytes.size <= sizeof w->bytes);
    sb_server_drop_second_ship(s, p);
    w->object_id = s->in->as.object_create.object_id;
    w->since = since;
    w->size = (uint16_t)bytes.size;
    memcpy(w->bytes, bytes.data, bytes.size);
    s->second_ship_next = sb_time_earlier(s->second_ship_next, since + SECOND_SHIP_WAIT_US);
}

void sb_server_drop_second_ship(sb_server *s, sb_player *p)
{
    sb_second_ship *w = &p->second;
    if (!w->object_id) return;
    w->object_id = 0;
    sb_server_refuse(s, p, SB_SERVER_COUNT_SECOND_SHIP, (sb_span){ w->bytes, w->size });
}

void sb_server_doubt_second_ship(sb_server *s, sb_player *p)
{
    if (s->now - p->second.since >= SECOND_SHIP_GRACE_US) sb_server_drop_second_ship(s, p);
}

/* A player who is being removed has no next ship. */
static void end_wait(sb_server *s, sb_player *p)
{
    sb_second_ship *w = &p->second;
    if (p->phase != SB_PLAYER_FLYING) {
        sb_server_drop_second_ship(s, p);
        return;
    }
    w->object_id = 0;
    sb_server_accept_second_ship(s, p, (sb_span){ w->bytes, w->size });
}

void sb_server_advance_second_ships(sb_server *s)
{
    s->second_ship_next = SB_TIME_NEVER;
    for (size_t i = 0; i < s->capacity; i++) {
        sb_player *p = &s->players[i];
        if (!p->second.object_id) continue;
        sb_time end = p->second.since + SECOND_SHIP_WAIT_US;
        if (s->now >= end) end_wait(s, p);
        else s->second_ship_next = sb_time_earlier(s->second_ship_next, end);
    }
}

/* ---- the next ship ---- */

bool sb_server_charge_loss(sb_server *s, sb_player *p)
{
    return !sb_player_has_living_ship(p) ||
           sb_server_charge_effect(s, p, sb_server_opcodes[SB_OP_SELF_DESTRUCT].effect_cost);
}

/* The evidence is the time since the last ship was lost, 0 while it lives, and the time that its
 * explosion takes. */
static void report_early_ship(sb_server *s, sb_player *p)
{
    sb_time left = p->armed_at - s->now, whole = explosion_us(s);
    if (left <= explosion_tolerance_us) return;
    sb_server_report_implausible(s, p, SB_IMPLAUSIBLE_RECREATION, (double)(whole - left) * 1e-6,
                                 (double)whole * 1e-6);
}

static void disarm_early_ship(sb_server *s, const sb_player *p)
{
    sb_time armed_at = departure_of(s, p->address.address);
    if (p->armed_at > armed_at) armed_at = p->armed_at;
    if (armed_at <= s->now) return;
    sb_combat_disarm(s->combat, p->ship->object_id, (float)(armed_at - s->now) * 1e-6f);
}

/* The other clients remove a wreck by themselves. */
static void remove_last_ship(sb_server *s, sb_player *p)
{
    sb_object *old = p->ship;
    if (!old) return;
    if (!old->exploding) sb_server_give_up_ship(s, old);
    sb_server_remove_object(s, old);
}

void sb_server_replace_ship(sb_server *s, sb_player *p, sb_object *o)
{
    remove_last_ship(s, p);
    report_early_ship(s, p);
    p->ship = o;
    p->target_seen = false;
    sb_player_set_phase(p, SB_PLAYER_FLYING, SB_TIME_NEVER);
    o->tracked = sb_replica_add_ship(s->replica, &o->ship, p->peer_id, s->now) == SB_OK;
    uint32_t set = sb_server_hash_of_set((sb_span){ o->set_name, o->set_size });
    (void)!sb_combat_add_ship(s->combat, &o->ship, p->peer_id, set, s->now);
    disarm_early_ship(s, p);
    SB_COUNT(s->counters, SB_SERVER_COUNT_SPAWNS);
    sb_server_event event = sb_server_event_about(s, SB_SERVER_SPAWNED, p);
    event.object_id = o->object_id;
    event.value = o->ship.species;
    sb_server_report(s, &event, p);
}
