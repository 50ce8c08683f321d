/* src/replica/receiver.c -- what is believed of a ship: parse all, check, then apply. Spec 03 §9.
 *
 * For:      the host, for what owners say, and clients, for what the host says.
 * Never:    corrects or removes anybody: what is implausible is counted (spec 04 §1, 10 §11.3), and
 *           with `enforce` not believed.
 */
#include "replica/testing.h"

#include <starbase/message.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/counters.h"
#include "ship/codes.h"
#include "ship/vectors.h"

#include <math.h>

static const float clock_restart_s = 5.0f;
static const float game_time_max_s = 1e7f; /* 115 days: no match lasts as long */
static const float base_age_max_s = 1.05f; /* of a sender: 1 s and less than a tick (spec 03 §8) */
static const sb_time grace_us = 2 * SB_SECOND; /* after creation and warp (spec 10 §11.3) */
static const float   power_max = 1.25f;
/* Of a ship nobody knows; stock: up to 3 and 0.8. */
static const float unknown_ship_accel = 10.0f, unknown_ship_turn = 2.0f;

enum { RATE_MAX = 40 }; /* updates per second and lane (spec 03 §9); honest ones: 10 */

static const sb_counter_text counters[] = { SB_RECEIVER_COUNTERS(SB_COUNTER_ROW) };

const char *sb_receiver_counter_name(sb_receiver_counter counter)
{
    return counter < SB_RECEIVER_COUNTER_COUNT ? counters[counter].name : "unknown";
}

const char *sb_receiver_counter_text(sb_receiver_counter counter)
{
    return counter < SB_RECEIVER_COUNTER_COUNT ? counters[counter].text : "unknown counter";
}

static void set_base(sb_receiver *r, sb_vec3 base, sb_time now, float earliest, float latest)
{
    r->base = base;
    r->base_at = now;
    r->base_time = earliest;
    r->base_latest = latest;
    r->delta = 0.0f;
}

void sb_receiver_init(sb_receiver *r, sb_receiver_role role, const sb_ship *ship, sb_time now)
{
    *r = (sb_receiver){ .role = (uint8_t)role };
    set_base(r, ship->motion.position, now, -INFINITY, INFINITY);
    r->received_at = r->moved_at = r->rate_since = now;
    for (size_t i = 0; i < SB_SUBSYSTEMS_MAX; i++) r->power_time[i] = -INFINITY;
}

void sb_receiver_moved(sb_receiver *r, const sb_ship *ship, sb_time now)
{
    set_base(r, ship->motion.position, now, r->started ? r->last_time : -INFINITY, INFINITY);
    r->moved_at = now;
}

/* ---- vectors ---- */

static sb_vec3 middle(sb_vec3 a, sb_vec3 b)
{
    return (sb_vec3){ (a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2 };
}

/* ---- plausibility: a stock client has no code to be corrected with ---- */

/* Since the base came, or since it was sent: after a stall updates come in a bunch. The clock is
 * the sender's own, so it buys no more than the stall of a link that lives. */
static float elapsed_since_base(const sb_receiver *r, sb_time now, float game_time)
{
    float arrived = (float)(now - r->base_at) / (float)SB_SECOND;
    float sent = game_time - r->base_time;
    if (!(sent > arrived) || !sb_bits_finite(sb_float_bits(sent))) return arrived;
    return sent < arrived + clock_restart_s ? sent : arrived + clock_restart_s;
}

/* How far from the base this update puts the ship. */
static float distance_from_base(const sb_receiver *r, const sb_state_update *u)
{
    if (u->flags & SB_STATE_POS) return sb_v_length(sb_v_sub(u->position, r->base));
    if (u->flags & SB_STATE_DELTA) return sb_v_length(sb_decode_cv4(u->delta));
    return 0.0f;
}

static bool is_checked(const sb_receiver *r, const sb_ship *ship, sb_time now)
{
    return r->role == SB_RECEIVE_FROM_OWNER && ship->model && now - r->moved_at >= grace_us;
}

static bool is_too_fast(const sb_ship *ship, const sb_state_update *u)
{
    return u->flags & SB_STATE_SPEED &&
           fabsf(sb_decode_cf16(u->speed_code)) > power_max * ship->model->max_speed * 1.1f + 0.5f;
}

static bool is_too_far(const sb_receiver *r, const sb_ship *ship, sb_time now,
                       const sb_state_update *u)
{
    float most = power_max * ship->model->max_speed;
    return distance_from_base(r, u) > most * elapsed_since_base(r, now, u->game_time) + 5.0f;
}

/* Returns the flags of what is not to be believed. A ship that jumped stays where it was until its
 * engines could have brought it where its owner says it is. */
static uint8_t check_motion(sb_receiver *r, const sb_ship *ship, sb_time now,
                            const sb_state_update *u)
{
    uint8_t implausible = 0;
    if (!is_checked(r, ship, now)) return 0;
    if (is_too_fast(ship, u)) {
        SB_COUNT(r->counters, SB_RECEIVED_TOO_FAST);
        implausible |= SB_STATE_SPEED;
    }
    if (is_too_far(r, ship, now, u)) {
        SB_COUNT(r->counters, SB_RECEIVED_JUMPED);
        implausible |= SB_STATE_POS | SB_STATE_DELTA;
    }
    return r->enforce ? implausible : 0;
}

/* Every update counts, whatever becomes of it. */
static void count_rate(sb_receiver *r, sb_time now)
{
    if (now - r->rate_since >= SB_SECOND) {
        r->rate_since = now;
        r->rate_count = 0;
    }
    if (++r->rate_count > RATE_MAX) SB_COUNT(r->counters, SB_RECEIVED_TOO_OFTEN);
}

/* ---- motion ---- */

/* A delta counts from the sender's last POS (spec 03 §3). If that one was lost, adding it to the
 * base we have would throw the ship back by all it flew between the two, for a second. Whether the
 * base is another one can be told. Let t be the time since the last update we applied, v the larger
 * of the speeds told then and now, a and w the most the ship can accelerate and turn, and cut what
 * truncation takes off the last two deltas, 1.4 % of their lengths and a step each (spec 02 §7):
 *
 *     reach = (v + a t) t + cut       as far as the ship can fly in the time
 *     stray = (a + v w) t^2 + cut     as far as it can get from where its axes and speeds, of then
 *                                     and of now, would take it; half would do if each change of
 *                                     those were told, but some are lost
 *
 * 1. If the sender has a new base since, the delta has grown since: it is no longer than reach. A
 *    longer one counts from the base we have.
 * 2. A sender sends POS when its base is more than a second old (spec 03 §8): a later delta counts
 *    from one that we missed.
 * 3. Some send it sooner (spec 03 §17). If the delta became shorter and would put the ship farther
 *    than stray from where it should be, engines did not take it there.
 *
 * 1 with 2 or 3: the base is inferred from where the ship should be, at most 2 reach beside the
 * truth, until the next POS. Of a host's lanes 3 may be mistaken, since a host corrects itself in
 * leaps (docs/evidence/fidelity.md); then too the ship stays within reach. All other deltas are added to
 * the base as ever. So none moves a ship farther than 2 reach, unless its sender measured more. */
typedef struct step {
    sb_vec3 reckoned;     /* where the ship should be now */
    float   reach, stray; /* without the cut */
} step;

static step measure_step(const sb_receiver *r, const sb_ship *ship, const sb_motion *before,
                         float game_time)
{
    const sb_motion *after = &ship->motion; /* its axes and speed; not yet its position */
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
        set_base(r, sb_v_sub(s->reckoned, delta), now, earliest, u->game_time);
        SB_COUNT(r->counters, SB_RECEIVED_INFERRED_BASE);
    }
    r->delta = sb_v_length(delta);
    ship->motion.position = sb_clamp_position(sb_v_add(r->base, delta));
}

static void apply_pos(sb_receiver *r, sb_ship *ship, sb_time now, const sb_state_update *u)
{
    set_base(r, u->position, now, u->game_time, u->game_time);
    ship->motion.position = u->position;
}

/* A POS that comes too late to move the ship, but not to be what later deltas count from. */
static void store_late_base(sb_receiver *r, const sb_ship *ship, sb_time now,
                            const sb_state_update *u)
{
    if (r->role == SB_RECEIVE_OWN || !(u->flags & SB_STATE_POS)) return;
    if (!(u->game_time > r->base_time)) return;
    if (is_checked(r, ship, now) && is_too_far(r, ship, now, u)) {
        SB_COUNT(r->counters, SB_RECEIVED_JUMPED); /* or a base would be a way to jump unseen */
        if (r->enforce) return;
    }
    set_base(r, u->position, now, u->game_time, u->game_time);
    SB_COUNT(r->counters, SB_RECEIVED_LATE_BASE);
}

static void apply_motion(sb_receiver *r, sb_ship *ship, sb_time now, const sb_state_update *u)
{
    sb_motion    *m = &ship->motion, before = *m;
    const sb_cv3 *forward = u->flags & SB_STATE_FWD ? &u->forward : NULL;
    const sb_cv3 *up = u->flags & SB_STATE_UP ? &u->up : NULL;
    if ((forward || up) && !sb_motion_read_axes(m, forward, up))
        SB_COUNT(r->counters, SB_RECEIVED_BAD_AXES);
    if (u->flags & SB_STATE_SPEED) sb_motion_read_speed(m, u->speed_code);
    if (u->flags & SB_STATE_POS) {
        apply_pos(r, ship, now, u);
    } else if (u->flags & SB_STATE_DELTA) {
        step s = measure_step(r, ship, &before, u->game_time);
        apply_delta(r, ship, now, &s, u);
    }
    if (u->flags & SB_STATE_CLOAK && (!ship->model || ship->model->can_cloak))
        ship->cloaked = u->cloak;
}

/* ---- SUBSYS and POWER ---- */

static float clamped_power(float wanted)
{
    return wanted < power_max ? wanted : power_max;
}

static void apply_power(sb_receiver *r, sb_ship *ship, unsigned index, float wanted, float time)
{
    if (!(time > r->power_time[index])) return; /* spec 03 §4.5 */
    r->power_time[index] = time;
    ship->power_wanted[index] = clamped_power(wanted);
}

/* Settings of our own ship are our own, whatever the host says (spec 03 §4.1). */
static bool has_power_setting(const sb_receiver *r, const sb_subsystem_class *s, uint8_t layout)
{
    if (r->role == SB_RECEIVE_OWN) return false;
    return s->format == SB_FORMAT_POWERED ||
           (s->format == SB_FORMAT_SHIELD && layout == SB_SHIELD_STOCK);
}

static void apply_entry(sb_receiver *r, sb_ship *ship, const sb_subsystem_state *e, float time,
                        uint8_t layout)
{
    const sb_ship_class      *model = ship->model;
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
        SB_COUNT(r->counters,
                 SB_RECEIVED_FOREIGN_BLOCK); /* the host alone says how a ship is (spec 03 §7) */
        return;
    }
    if (!ship->model || u->entry_count == 0) SB_COUNT(r->counters, SB_RECEIVED_UNREAD_BLOCK);
    for (unsigned i = 0; ship->model && i < u->entry_count; i++) {
        apply_entry(r, ship, &u->entries[i], u->game_time, layout);
        bool shield = ship->model->subsystems[u->entries[i].index].format == SB_FORMAT_SHIELD;
        if (shield && layout == SB_LAYOUT_EITHER) break; /* from here on the layouts differ */
    }
}

static void apply_pairs(sb_receiver *r, sb_ship *ship, const sb_state_update *u)
{
    if (r->role == SB_RECEIVE_OWN) return; /* our sliders are our own */
    for (unsigned i = 0; i < u->pair_count; i++) {
        unsigned index = u->pairs[i].index;
        bool     known = ship->model && index < ship->model->subsystem_count;
        uint8_t  format = known ? ship->model->subsystems[index].format : SB_FORMAT_BASE;
        if (format != SB_FORMAT_POWERED && format != SB_FORMAT_SHIELD)
            SB_COUNT(r->counters, SB_RECEIVED_BAD_POWER);
        else
            apply_power(r, ship, index, sb_decode_power_level(u->pairs[i].level_code),
                        u->game_time);
    }
}

/* ---- the whole ---- */

enum {
    MOTION =
        SB_STATE_POS | SB_STATE_DELTA | SB_STATE_FWD | SB_STATE_UP | SB_STATE_SPEED | SB_STATE_CLOAK
};

static void store_hash(sb_receiver *r, const sb_state_update *u)
{
    if (!(u->flags & SB_STATE_POS) || !u->has_hash) return;
    SB_COUNT(r->counters, SB_RECEIVED_HASH_SEEN);
    if (r->has_hash && r->hash != u->hash) SB_COUNT(r->counters, SB_RECEIVED_HASH_CHANGED);
    r->has_hash = true;
    r->hash = u->hash;
}

/* Unreliable delivery reorders; a clock far back was restarted (spec 03 §9). */
static bool is_new(sb_receiver *r, float time)
{
    if (!r->started || time >= r->last_time) return true;
    if (r->last_time - time <= clock_restart_s) return false;
    SB_COUNT(r->counters, SB_RECEIVED_CLOCK_RESTARTED);
    r->base_time = r->base_latest = time; /* its own is of no use any more */
    for (size_t i = 0; i < SB_SUBSYSTEMS_MAX; i++) r->power_time[i] = -INFINITY;
    return true;
}

static void apply(sb_receiver *r, sb_ship *ship, sb_time now, uint8_t layout, sb_state_update *u)
{
    uint8_t implausible = check_motion(r, ship, now, u);
    u->flags &= (uint8_t)~implausible;
    if (!r->started) r->base_latest = u->game_time; /* a lane begins with a POS (spec 03 §8) */
    if (r->role != SB_RECEIVE_OWN) apply_motion(r, ship, now, u);
    else if (u->flags & MOTION) SB_COUNT(r->counters, SB_RECEIVED_FOREIGN_MOTION);
    if (u->flags & SB_STATE_SUBSYS) apply_subsystems(r, ship, u, layout);
    else if (u->flags & SB_STATE_POWER) apply_pairs(r, ship, u);
    store_hash(r, u);
    bool copy = r->started && u->game_time == r->last_time;
    if (!copy && !(implausible & SB_STATE_POS)) r->received_at = now; /* else it reckons on */
    r->started = true;
    r->last_time = u->game_time;
    SB_COUNT(r->counters, SB_RECEIVED_APPLIED);
}

/* Entries are read while they are whole; what is left over then is one that is not (spec 03 §4.5),
 * unless there was one of each. */
static bool is_cut_short(const sb_receiver *r, const sb_ship *ship, const sb_message *m)
{
    const sb_state_update *u = &m->as.state_update;
    return u->flags & SB_STATE_SUBSYS && r->role != SB_RECEIVE_FROM_OWNER && ship->model &&
           u->start_index < ship->model->subsystem_count && m->trailing.size > 0 &&
           u->entry_count < ship->model->subsystem_count;
}

sb_result sb_receiver_apply(sb_receiver *r, sb_ship *ship, sb_time now, uint8_t layout,
                            sb_span message, sb_state_update *update)
{
    sb_message         m;
    sb_message_context context = { .ship = ship->model,
                                   .own = r->role == SB_RECEIVE_OWN,
                                   .layout = layout };
    sb_result          result = sb_decode_message(message, &context, &m, NULL);
    sb_state_update   *u = &m.as.state_update;
    count_rate(r, now);
    if (result == SB_OK && (m.opcode != SB_OP_STATE_UPDATE || u->object_id != ship->object_id))
        result = SB_BAD_VALUE;
    if (result != SB_OK) {
        SB_COUNT(r->counters, SB_RECEIVED_MALFORMED);
        return result;
    }
    if (!(fabsf(u->game_time) <= game_time_max_s)) {
        SB_COUNT(r->counters, SB_RECEIVED_ABSURD_TIME);
        return SB_BAD_VALUE;
    }
    if (update) *update = *u;
    if (!is_new(r, u->game_time)) {
        SB_COUNT(r->counters, SB_RECEIVED_OLD);
        store_late_base(r, ship, now, u);
        return SB_NOT_ALLOWED;
    }
    if (is_cut_short(r, ship, &m)) SB_COUNT(r->counters, SB_RECEIVED_TRUNCATED);
    apply(r, ship, now, layout, u);
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
    /* Only updates that were applied, the last of them at `last_time`, leave times behind. */
    float newest = r->started ? r->last_time : -INFINITY;
    SB_ASSERT(r->base_time <= newest);
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++) SB_ASSERT(r->power_time[i] <= newest);
}
