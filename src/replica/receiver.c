/* src/replica/receiver.c -- applies received StateUpdates to a ship: decode all, check, then apply.
 *
 * For:      the host, which receives from owners, and clients, which receive from the host.
 * Never:    corrects or removes a player. Implausible values are counted (spec 04 §1, 10 §11.3);
 *           with `enforce` they are not applied either.
 * Spec:     03 §9.
 * Tests:    tests/replica/receiver_test.c, tests/replica/receiver_motion_test.c
 */
#include "replica/testing.h"

#include <starbase/message.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/counters.h"
#include "replica/doubt.h"
#include "replica/pace.h"
#include "replica/receiver_checks.h"
#include "replica/sender_clock.h"
#include "ship/codes.h"
#include "ship/vectors.h"

#include <math.h>

/* An older game time means that the sender's clock restarted if nothing newer has been applied for
 * as long as this (spec 03 §9). */
static const sb_time patience_us = SB_SECOND;
/* A time may be ahead of the expected one by this; of that, only a part is believed. */
static const float ahead_max_s = (float)SB_LEAD_MAX_US / (float)SB_SECOND;
static const float ahead_believed_s = 0.1f;
/* An update makes those before it old only as far as it lies behind the sender's clock by this
 * time: otherwise somebody who forges times a little ahead, again and again, would hide all true
 * ones. Less than the time between two updates, so that reordered ones are still found. */
static const float order_slack_s = 0.05f;
static const float game_time_max_s = 1e7f; /* 115 days: longer than any match */
/* A sender sends POS when its base is more than 1 s old; it checks once per tick (spec 03 §8). */
static const float base_age_max_s = 1.05f;
static const float late_max_s = 60.0f; /* an update that is later is of another clock */
/* Assumed limits of a ship without data; stock ships have at most 3 and 0.8. */
static const float unknown_ship_accel = 10.0f, unknown_ship_turn = 2.0f;

static const sb_counter_text counters[] = { SB_RECEIVER_COUNTERS(SB_COUNTER_ROW) };

const char *sb_receiver_counter_name(sb_receiver_counter counter)
{
    return counter < SB_RECEIVER_COUNTER_COUNT ? counters[counter].name : "unknown";
}

const char *sb_receiver_counter_text(sb_receiver_counter counter)
{
    return counter < SB_RECEIVER_COUNTER_COUNT ? counters[counter].text : "unknown counter";
}

/* When an update of this time was sent, by our clock; `now` if the sender's is not known. The
 * estimate of that clock may be too low, by up to a second: then it is a little in the future. */
static sb_time sent_at(const sb_receiver *r, sb_time now, float game_time)
{
    float late = r->expected_time - game_time;
    return late < late_max_s ? now - (sb_time)((double)late * SB_SECOND) : now;
}

/* A clock that falls and rises again must not make the base older. */
static void set_base(sb_receiver *r, sb_vec3 base, sb_time at, float earliest, float latest)
{
    r->base = base;
    if (at > r->base_at) r->base_at = at;
    r->base_time = earliest;
    r->base_latest = latest;
    r->delta = 0.0f;
}

void sb_receiver_init(sb_receiver *r, sb_receiver_role role, const sb_ship *ship, sb_time now)
{
    *r =
        (sb_receiver){ .role = (uint8_t)role, .expected_time = INFINITY, .latest_time = -INFINITY };
    set_base(r, ship->motion.position, now, -INFINITY, INFINITY);
    r->received_at = r->moved_at = r->rate_since = now;
    r->origin = ship->motion.position;
    for (size_t i = 0; i < SB_SUBSYSTEMS_MAX; i++) r->power_time[i] = -INFINITY;
    sb_doubt_init(r, now);
}

void sb_receiver_moved(sb_receiver *r, const sb_ship *ship, sb_time now)
{
    set_base(r, ship->motion.position, now, r->started ? r->last_time : -INFINITY, INFINITY);
    r->moved_at = r->applied_at = now;
    r->ahead = 0.0f;
    r->anchored = false;
    r->warped = true;
}

/* ---- vectors ---- */

static sb_vec3 middle(sb_vec3 a, sb_vec3 b)
{
    return (sb_vec3){ (a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2 };
}

/* ---- motion ---- */

/* A delta counts from the sender's last POS (spec 03 §3). If that POS was lost, adding the delta to
 * our older base would throw the ship back by the distance between the two bases, for a second. We
 * can detect a missing base. Let t be the time since the last update we applied, v the larger of
 * the speeds in the last update and in this one, a and w the maximum acceleration and turn rate of
 * the ship, and `cut` the truncation error of the last two deltas: 1.4 % of their lengths and one
 * step each (spec 02 §7).
 *
 *     reach = (v + a t) t + cut       the farthest the ship can fly in t
 *     stray = (a + v w) t^2 + cut     the farthest it can be from its dead-reckoned position, which
 *                                     is averaged over the old and the new axes and speeds. The
 *                                     factor is 1, not 1/2, because an update that changed the
 *                                     axes or the speed may have been lost.
 *
 * 1. If the sender took a new base since the last update, its delta restarted at 0 and is at most
 *    reach. A longer delta counts from the base we have.
 * 2. A sender sends POS when its base is more than a second old (spec 03 §8). If our base is older
 *    than that, we missed a POS, and the delta counts from it.
 * 3. Some senders send POS sooner (spec 03 §17). If the delta became shorter and would put the ship
 *    farther than stray from its dead-reckoned position, the base must have changed.
 *
 * If the delta is at most reach, and 2 or 3 holds, we infer the base from the dead-reckoned
 * position. Until the next POS the inferred base is wrong by at most 2 reach. On a host's lanes
 * rule 3 may be mistaken, since a host corrects positions in leaps (docs/evidence/fidelity.md); the
 * ship then still stays within reach. All other deltas are added to the base we have. So no delta
 * moves a ship farther than 2 reach, unless the delta itself is longer. */
typedef struct step {
    sb_vec3 reckoned;     /* dead-reckoned position of the ship at the time of the update */
    float   reach, stray; /* without `cut` */
} step;

static step measure_step(const sb_receiver *r, const sb_ship *ship, const sb_motion *before,
                         float game_time)
{
    const sb_motion *after = &ship->motion; /* has the new axes and speed, but the old position */
    float            t = r->started ? fmaxf(game_time - r->last_time, 0.0f) : 0.0f;
    float            v = fmaxf(fabsf(before->speed), fabsf(after->speed));
    float            a = ship->model ? ship->model->max_accel : unknown_ship_accel;
    float            w = ship->model ? ship->model->max_angular_velocity : unknown_ship_turn;
    return (step){ .reckoned = middle(sb_motion_estimate(before, t), sb_motion_estimate(after, t)),
                   .reach = (v + a * t) * t,
                   .stray = (a + v * w) * t * t };
}

static bool is_base_missing(const sb_receiver *r, const step *s, sb_vec3 delta, float game_time)
{
    float now = sb_v_length(delta), cut = 0.02f * (now + r->delta) + 0.02f;
    if (now > s->reach + cut) return false;
    if (game_time - r->base_latest > base_age_max_s) return true;
    return now < r->delta &&
           sb_v_length(sb_v_sub(sb_v_add(r->base, delta), s->reckoned)) > s->stray + cut;
}

static void apply_delta(sb_receiver *r, sb_ship *ship, sb_time now, const step *s,
                        const sb_state_update *u)
{
    sb_vec3 delta = sb_decode_cv4(u->delta);
    if (is_base_missing(r, s, delta, u->game_time)) {
        float earliest = fminf(r->last_time, u->game_time); /* the clock may have restarted */
        set_base(r, sb_v_sub(s->reckoned, delta), sent_at(r, now, earliest), earliest,
                 u->game_time);
        SB_COUNT(r->counters, SB_RECEIVED_INFERRED_BASE);
    }
    r->delta = sb_v_length(delta);
    ship->motion.position = sb_clamp_position(sb_v_add(r->base, delta));
}

static void apply_pos(sb_receiver *r, sb_ship *ship, sb_time sent, const sb_state_update *u)
{
    set_base(r, u->position, sent, u->game_time, u->game_time);
    ship->motion.position = u->position;
}

/* A POS that is too old to move the ship can still be the base of later deltas. */
static void store_late_base(sb_receiver *r, const sb_ship *ship, sb_time now, sb_time sent,
                            const sb_state_update *u)
{
    if (r->role == SB_RECEIVE_OWN || !(u->flags & SB_STATE_POS)) return;
    if (!(u->game_time > r->base_time)) return;
    if (sb_receiver_is_checked(r, ship, now) && !sb_receiver_check_late_base(r, ship, sent, u))
        return;
    set_base(r, u->position, sent, u->game_time, u->game_time);
    SB_COUNT(r->counters, SB_RECEIVED_LATE_BASE);
}

/* Judges turns and changes of speed, but not in the first 2 s: when the first update of a player
 * was sent is not known, and a later one would seem to give the engines no time. With `enforce`
 * takes back the axes that the ship has just got, and takes the speed from the update. */
static void check_pace(const sb_receiver *r, sb_ship *ship, const sb_motion *before, bool checked,
                       sb_time now, sb_time sent, sb_state_update *u)
{
    uint8_t implausible = 0;
    if (!checked || sb_receiver_is_in_grace(r, now)) sb_pace_skip(r->pace, sent);
    else if (u->flags & (SB_STATE_FWD | SB_STATE_UP | SB_STATE_SPEED))
        implausible = sb_pace_check(r->pace, ship, before, u, sent, !r->enforce);
    sb_pace_hear(r->pace, sent < now ? sent : now); /* a forged time ahead ends no turn */
    if (!implausible || !r->enforce) return;
    u->flags &= (uint8_t)~implausible;
    if (implausible & SB_STATE_FWD) ship->motion = *before;
}

static void apply_motion(sb_receiver *r, sb_ship *ship, sb_time now, sb_time sent, bool checked,
                         sb_state_update *u)
{
    sb_motion    *m = &ship->motion, before = *m;
    const sb_cv3 *forward = u->flags & SB_STATE_FWD ? &u->forward : NULL;
    const sb_cv3 *up = u->flags & SB_STATE_UP ? &u->up : NULL;
    if ((forward || up) && !sb_motion_read_axes(m, forward, up))
        SB_COUNT(r->counters, SB_RECEIVED_BAD_AXES);
    if (r->pace) check_pace(r, ship, &before, checked, now, sent, u);
    if (u->flags & SB_STATE_SPEED) sb_motion_read_speed(m, u->speed_code);
    if (u->flags & SB_STATE_POS) {
        apply_pos(r, ship, sent, u);
    } else if (u->flags & SB_STATE_DELTA) {
        step s = measure_step(r, ship, &before, u->game_time);
        apply_delta(r, ship, now, &s, u);
    }
    bool can_cloak = !ship->model || ship->model->can_cloak;
    if (u->flags & SB_STATE_CLOAK && can_cloak) ship->cloaked = u->cloak;
    else if (u->flags & SB_STATE_CLOAK && u->cloak) SB_COUNT(r->counters, SB_RECEIVED_BAD_CLOAK);
}

/* ---- SUBSYS and POWER ---- */

static float clamped_power(float wanted)
{
    return wanted < sb_power_max ? wanted : sb_power_max;
}

static void apply_power(sb_receiver *r, sb_ship *ship, unsigned index, float wanted, float time)
{
    if (!(time > r->power_time[index])) return; /* spec 03 §4.5 */
    r->power_time[index] = time;
    ship->power_wanted[index] = clamped_power(wanted);
}

/* True: the entry has a power setting that applies. A client keeps the settings of its own ship,
 * whatever the host sends (spec 03 §4.1). */
static bool has_power_setting(const sb_receiver *r, const sb_subsystem_class *s, uint8_t layout)
{
    if (r->role == SB_RECEIVE_OWN) return false;
    return s->format == SB_FORMAT_POWERED ||
           (s->format == SB_FORMAT_SHIELD && layout == SB_SHIELD_STOCK);
}

static void apply_entry(sb_receiver *r, sb_ship *ship, const sb_subsystem_state *e, float time,
                        uint8_t layout)
{
    const sb_ship_class *model = ship->model;
    SB_ASSERT(e->index < model->subsystem_count); /* the decoder had the same ship */
    const sb_subsystem_class *s = &model->subsystems[e->index];
    ship->condition[e->index] = sb_value_of_ratio(e->condition_code, s->max_condition);
    for (unsigned i = 0; i < s->child_count; i++)
        ship->child_condition[s->first_child + i] =
            sb_value_of_ratio(e->children[i], model->children[s->first_child + i].max_condition);
    if (has_power_setting(r, s, layout) && e->has_power)
        apply_power(r, ship, e->index, sb_power_of_percent(e->power_pct_code), time);
    if (s->format == SB_FORMAT_REACTOR) {
        ship->main_battery = sb_value_of_ratio(e->main_battery_code, model->main_battery);
        ship->backup_battery = sb_value_of_ratio(e->backup_battery_code, model->backup_battery);
    }
    if (s->format == SB_FORMAT_SHIELD && layout == SB_SHIELD_STOCK)
        for (unsigned i = 0; i < SB_FACINGS; i++)
            ship->facing[i] = sb_value_of_ratio(e->facings[i], model->shield_max[i]);
}

static void apply_subsystems(sb_receiver *r, sb_ship *ship, const sb_state_update *u,
                             uint8_t layout)
{
    if (r->role == SB_RECEIVE_FROM_OWNER) {
        /* Only the host decides conditions (spec 03 §7). */
        SB_COUNT(r->counters, SB_RECEIVED_FOREIGN_BLOCK);
        return;
    }
    if (!ship->model || u->entry_count == 0) {
        SB_COUNT(r->counters, SB_RECEIVED_UNREAD_BLOCK);
        return;
    }
    for (unsigned i = 0; i < u->entry_count; i++) {
        apply_entry(r, ship, &u->entries[i], u->game_time, layout);
        bool shield = ship->model->subsystems[u->entries[i].index].format == SB_FORMAT_SHIELD;
        if (shield && layout == SB_LAYOUT_EITHER) break; /* from here on the layouts differ */
    }
}

static void apply_pairs(sb_receiver *r, sb_ship *ship, const sb_state_update *u)
{
    if (r->role == SB_RECEIVE_OWN) return; /* a client keeps its own settings */
    for (unsigned i = 0; i < u->pair_count; i++) {
        unsigned index = u->pairs[i].index;
        bool     known = ship->model && index < ship->model->subsystem_count;
        uint8_t  format = known ? ship->model->subsystems[index].format : SB_FORMAT_BASE;
        if (format != SB_FORMAT_POWERED && format != SB_FORMAT_SHIELD) {
            SB_COUNT(r->counters, SB_RECEIVED_BAD_POWER);
            continue;
        }
        apply_power(r, ship, index, sb_decode_power_level(u->pairs[i].level_code), u->game_time);
    }
}

/* ---- the update ---- */

enum {
    MOTION =
        SB_STATE_POS | SB_STATE_DELTA | SB_STATE_FWD | SB_STATE_UP | SB_STATE_SPEED | SB_STATE_CLOAK
};

/* A stranger can forge single updates, and with a game time of the near future also drop the
 * owner's next ones as old. So an old update, too, ends the run of updates with one hash, and so
 * does a position without a hash: the owner sends one of them about every second (spec 04 §1). */
static void end_hash_run(sb_receiver *r, const sb_state_update *u)
{
    if (!(u->flags & SB_STATE_POS)) return;
    if (!u->has_hash || u->hash != r->hash) r->hash_run = 0;
}

static void store_hash(sb_receiver *r, sb_time now, const sb_state_update *u, bool is_duplicate)
{
    end_hash_run(r, u);
    if (!(u->flags & SB_STATE_POS) || !u->has_hash) return;
    SB_COUNT(r->counters, SB_RECEIVED_HASH_SEEN);
    if (r->has_hash && r->hash != u->hash) SB_COUNT(r->counters, SB_RECEIVED_HASH_CHANGED);
    if (r->hash_run == 0) r->hash_since = now;
    if (r->hash_run == 0 || (!is_duplicate && r->hash_run < UINT16_MAX)) r->hash_run++;
    r->has_hash = true;
    r->hash = u->hash;
}

/* True if the last update has a time of the future that was accepted while the sender's clock was
 * not known yet. (The estimate may have fallen a little since an honest one.) */
static bool was_forged(const sb_receiver *r)
{
    return r->last_time > r->expected_time + 2 * ahead_believed_s;
}

/* Unreliable delivery reorders updates. A time much further back means that the sender's clock
 * restarted, and so does silence of all newer times: if the last update was forged, the owner's own
 * updates count again. */
static bool is_reordered(const sb_receiver *r, sb_time now, float time)
{
    return r->started && time < r->order_time && r->order_time - time <= sb_clock_restart_s &&
           now - r->applied_at < patience_us && !was_forged(r);
}

/* Times of the old clock cannot be compared with the new one. So the base is dated `time`, and the
 * next power setting of every entry is accepted. */
static void handle_clock_restart(sb_receiver *r, float time)
{
    SB_COUNT(r->counters, SB_RECEIVED_CLOCK_RESTARTED);
    r->base_time = r->base_latest = time;
    for (size_t i = 0; i < SB_SUBSYSTEMS_MAX; i++) r->power_time[i] = -INFINITY;
}

/* An update that is applied although it is old leaves the order as it was. */
static void set_order(sb_receiver *r, float time, bool is_old)
{
    if (is_old) return;
    float order = fminf(time, r->expected_time - order_slack_s);
    bool  restarted = r->started && time < r->order_time;
    if (!r->started || restarted || order > r->order_time) r->order_time = order;
    r->last_time = time;
}

static void apply(sb_receiver *r, sb_ship *ship, sb_time now, sb_time sent, uint8_t layout,
                  sb_state_update *u, bool is_old)
{
    bool    checked = sb_receiver_is_checked(r, ship, now);
    uint8_t implausible = sb_receiver_check_motion(r, ship, checked, now, sent, u);
    /* A creation says nothing about when it was sent: after it, the link may be as slow. */
    if (!checked && sent < r->base_at) r->base_at = sent;
    bool is_duplicate = r->started && u->game_time == r->last_time;
    store_hash(r, now, u, is_duplicate);
    u->flags &= (uint8_t)~implausible;
    if (!r->started) r->base_latest = u->game_time; /* a lane starts with a POS (spec 03 §8) */
    if (r->role != SB_RECEIVE_OWN) apply_motion(r, ship, now, sent, checked, u);
    else if (u->flags & MOTION) SB_COUNT(r->counters, SB_RECEIVED_FOREIGN_MOTION);
    if (u->flags & SB_STATE_SUBSYS) apply_subsystems(r, ship, u, layout);
    else if (u->flags & SB_STATE_POWER) apply_pairs(r, ship, u);
    /* After a duplicate or a refused position, dead reckoning continues from the older update. */
    if (!is_duplicate && !(implausible & SB_STATE_POS)) r->received_at = now;
    set_order(r, u->game_time, is_old);
    r->started = true;
    r->applied_at = now;
    SB_COUNT(r->counters, SB_RECEIVED_APPLIED);
}

/* The decoder reads complete entries. Bytes left over are the start of an incomplete entry (spec 03
 * §4.5), unless the block already has every entry of the list. A block that starts beyond the list
 * is read as bytes, so nothing is left over. */
static bool is_cut_short(const sb_receiver *r, const sb_ship *ship, const sb_message *m)
{
    const sb_state_update *u = &m->as.state_update;
    return u->flags & SB_STATE_SUBSYS && r->role != SB_RECEIVE_FROM_OWNER && ship->model &&
           m->trailing.size > 0 && u->entry_count < ship->model->subsystem_count;
}

/* Decodes an update of this ship. A refusal is counted. */
static sb_result decode_update(sb_receiver *r, const sb_ship *ship, uint8_t layout, sb_span message,
                               sb_message *m)
{
    sb_message_context context = { .ship = ship->model,
                                   .own = r->role == SB_RECEIVE_OWN,
                                   .layout = layout };
    sb_result          result = sb_decode_message(message, &context, m, NULL);
    if (result == SB_OK &&
        (m->opcode != SB_OP_STATE_UPDATE || m->as.state_update.object_id != ship->object_id))
        result = SB_BAD_VALUE;
    if (result != SB_OK) {
        SB_COUNT(r->counters, SB_RECEIVED_MALFORMED);
        return result;
    }
    if (fabsf(m->as.state_update.game_time) <= game_time_max_s) return SB_OK;
    SB_COUNT(r->counters, SB_RECEIVED_ABSURD_TIME);
    return SB_BAD_VALUE;
}

/* A stranger can pull the estimate down by a flood of old times. So in doubt all times count that a
 * clock set to ours can have. */
static bool is_possible(const sb_receiver *r, sb_time now, float time)
{
    return now < r->doubt_until && time <= r->latest_time + ahead_max_s;
}

/* A time ahead of the sender's clock makes the updates that follow look old. So it counts as a
 * little ahead at most; false: it is too far ahead to be honest. */
static bool correct_time(sb_receiver *r, sb_time now, sb_state_update *u)
{
    float ahead = u->game_time - r->expected_time;
    if (ahead > ahead_max_s && !is_possible(r, now, u->game_time)) {
        SB_COUNT(r->counters, SB_RECEIVED_AHEAD);
        return false;
    }
    if (ahead > ahead_believed_s) u->game_time = r->expected_time + ahead_believed_s;
    return true;
}

sb_result sb_receiver_apply(sb_receiver *r, sb_ship *ship, sb_time now, uint8_t layout,
                            sb_span message, sb_state_update *update)
{
    sb_message       m;
    sb_result        result = decode_update(r, ship, layout, message, &m);
    sb_state_update *u = &m.as.state_update;
    sb_receiver_count_rate(r, now);
    if (result != SB_OK) return result;
    if (update) *update = *u;
    sb_time sent = sent_at(r, now, u->game_time);
    if (!correct_time(r, now, u)) return SB_NOT_ALLOWED;
    bool is_old = is_reordered(r, now, u->game_time);
    if (sb_receiver_is_clock_known(r)) sb_doubt_note_time(r, now, u->game_time, sb_clock_restart_s);
    if (is_old && now >= r->doubt_until) {
        SB_COUNT(r->counters, SB_RECEIVED_OLD);
        end_hash_run(r, u);
        store_late_base(r, ship, now, sent, u);
        return SB_NOT_ALLOWED;
    }
    if (is_old) SB_COUNT(r->counters, SB_RECEIVED_DISORDERED);
    else if (r->started && u->game_time < r->order_time) handle_clock_restart(r, u->game_time);
    if (is_cut_short(r, ship, &m)) SB_COUNT(r->counters, SB_RECEIVED_TRUNCATED);
    apply(r, ship, now, sent, layout, u, is_old);
    return SB_OK;
}

sb_vec3 sb_receiver_estimate(const sb_receiver *r, const sb_ship *ship, sb_time now)
{
    return sb_motion_estimate(&ship->motion, (float)(now - r->received_at) / (float)SB_SECOND);
}

/* ---- invariants ---- */

void sb_receiver_check(const sb_receiver *r)
{
    SB_ASSERT(r->role <= SB_RECEIVE_OTHER);
    SB_ASSERT(r->base_time <= r->base_latest);
    SB_ASSERT(r->delta >= 0.0f);
    SB_ASSERT(fabsf(r->last_time) <= game_time_max_s);
    SB_ASSERT(!r->has_hash || r->started);
    SB_ASSERT(r->hash_run == 0 || r->has_hash);
    /* All times come from applied updates: the newest was at most so long before the last one. */
    float newest = r->started ? r->last_time + 2 * (ahead_believed_s + order_slack_s) : -INFINITY;
    SB_ASSERT(r->base_time <= newest);
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++) SB_ASSERT(r->power_time[i] <= newest);
}
