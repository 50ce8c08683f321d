/* src/replica/receiver.c -- what is believed of a ship: parse all, check, then apply. Spec 03 §9.
 *
 * For:      the host, for what owners say, and clients, for what the host says.
 * Never:    corrects or removes anybody: what is implausible is counted (spec 04 §1, 10 §11.3).
 */
#include <starbase/replica.h>

#include "base/bytes.h"
#include "ship/codes.h"

#include <math.h>

static const float   clock_restart_s = 5.0f;
static const sb_time grace = 2 * SB_SECOND; /* after creation and warp (spec 10 §11.3) */
static const float   most_power = 1.25f;

static const struct {
    const char *name, *text;
} counters[] = {
#define ROW(name, text) { #name, text },
    SB_RECEIVER_COUNTERS(ROW)
#undef ROW
};

const char *sb_receiver_counter_name(sb_receiver_counter counter)
{
    return counter < SB_RECEIVER_COUNTER_COUNT ? counters[counter].name : "unknown";
}

const char *sb_receiver_counter_text(sb_receiver_counter counter)
{
    return counter < SB_RECEIVER_COUNTER_COUNT ? counters[counter].text : "unknown counter";
}

#define COUNT(r, name) ((r)->counters[SB_RECEIVED_##name]++)

void sb_receiver_init(sb_receiver *r, sb_receiver_role role, const sb_ship *ship, sb_time now)
{
    *r = (sb_receiver){ .role = (uint8_t)role };
    r->base = ship->motion.position;
    r->received_at = r->base_at = r->moved_at = now;
    for (size_t i = 0; i < SB_SUBSYSTEMS_MAX; i++) r->power_time[i] = -INFINITY;
}

/* ---- motion ---- */

static sb_vec3 sum(sb_vec3 a, sb_vec3 b)
{
    return (sb_vec3){ a.x + b.x, a.y + b.y, a.z + b.z };
}

static float distance(sb_vec3 a, sb_vec3 b)
{
    float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return sqrtf(x * x + y * y + z * z);
}

/* Telemetry only: a stock client has no code to be corrected with (spec 03 §9). */
static void judge_motion(sb_receiver *r, const sb_ship *ship, sb_time now, const sb_state_update *u)
{
    if (r->role != SB_RECEIVE_FROM_OWNER || !ship->model || now - r->moved_at < grace) return;
    float most = most_power * ship->model->max_speed;
    if (u->flags & SB_STATE_SPEED && fabsf(sb_decode_cf16(u->speed_code)) > most * 1.1f + 0.5f)
        COUNT(r, too_fast);
    float elapsed = (float)(now - r->base_at) / (float)SB_SECOND;
    if (u->flags & SB_STATE_POS && distance(u->position, r->base) > most * elapsed + 5.0f)
        COUNT(r, jumped);
}

static void apply_motion(sb_receiver *r, sb_ship *ship, sb_time now, const sb_state_update *u)
{
    sb_motion *m = &ship->motion;
    if (u->flags & SB_STATE_POS) {
        m->position = r->base = u->position;
        r->base_at = now;
    } else if (u->flags & SB_STATE_DELTA) {
        m->position = sb_position_within_universe(sum(r->base, sb_decode_cv4(u->delta)));
    }
    const sb_cv3 *forward = u->flags & SB_STATE_FWD ? &u->forward : NULL;
    const sb_cv3 *up = u->flags & SB_STATE_UP ? &u->up : NULL;
    if ((forward || up) && !sb_motion_read_axes(m, forward, up)) COUNT(r, bad_axes);
    if (u->flags & SB_STATE_SPEED) sb_motion_read_speed(m, u->speed_code);
    if (u->flags & SB_STATE_CLOAK && (!ship->model || ship->model->can_cloak))
        ship->cloaked = u->cloak;
}

/* ---- SUBSYS and POWER ---- */

static float clamped_power(float wanted)
{
    return wanted < most_power ? wanted : most_power;
}

static void apply_power(sb_receiver *r, sb_ship *ship, unsigned index, float wanted, float time)
{
    if (!(time > r->power_time[index])) return; /* spec 03 §4.5 */
    r->power_time[index] = time;
    ship->power_wanted[index] = clamped_power(wanted);
}

/* Settings of our own ship are our own, whatever the host says (spec 03 §4.1). */
static bool takes_power(const sb_receiver *r, const sb_subsystem_class *s, uint8_t layout)
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
    if (takes_power(r, s, layout) && e->has_power)
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
        COUNT(r, foreign_block); /* the host alone says how a ship is (spec 03 §7) */
        return;
    }
    if (!ship->model || u->entry_count == 0) COUNT(r, unread_block);
    for (unsigned i = 0; ship->model && i < u->entry_count; i++)
        apply_entry(r, ship, &u->entries[i], u->game_time, layout);
}

static void apply_pairs(sb_receiver *r, sb_ship *ship, const sb_state_update *u)
{
    if (r->role == SB_RECEIVE_OWN) return; /* our sliders are our own */
    for (unsigned i = 0; i < u->pair_count; i++) {
        unsigned index = u->pairs[i].index;
        bool     known = ship->model && index < ship->model->subsystem_count;
        uint8_t  format = known ? ship->model->subsystems[index].format : SB_FORMAT_BASE;
        if (format != SB_FORMAT_POWERED && format != SB_FORMAT_SHIELD) COUNT(r, bad_power);
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

static void note_hash(sb_receiver *r, const sb_state_update *u)
{
    if (!(u->flags & SB_STATE_POS) || !u->has_hash) return;
    COUNT(r, hash_seen);
    if (r->has_hash && r->hash != u->hash) COUNT(r, hash_changed);
    r->has_hash = true;
    r->hash = u->hash;
}

/* Unreliable delivery reorders; a clock far back was restarted (spec 03 §9). */
static bool is_new(sb_receiver *r, float time)
{
    if (!r->started || time >= r->last_time) return true;
    if (r->last_time - time <= clock_restart_s) return false;
    COUNT(r, clock_restarted);
    for (size_t i = 0; i < SB_SUBSYSTEMS_MAX; i++) r->power_time[i] = -INFINITY;
    return true;
}

static void apply(sb_receiver *r, sb_ship *ship, sb_time now, uint8_t layout,
                  const sb_state_update *u)
{
    judge_motion(r, ship, now, u);
    if (r->role != SB_RECEIVE_OWN) apply_motion(r, ship, now, u);
    else if (u->flags & MOTION) COUNT(r, foreign_motion);
    if (u->flags & SB_STATE_SUBSYS) apply_subsystems(r, ship, u, layout);
    else if (u->flags & SB_STATE_POWER) apply_pairs(r, ship, u);
    note_hash(r, u);
    if (!r->started || u->game_time != r->last_time) r->received_at = now; /* else: a copy */
    r->started = true;
    r->last_time = u->game_time;
    COUNT(r, applied);
}

sb_result sb_receiver_apply(sb_receiver *r, sb_ship *ship, sb_time now, uint8_t layout,
                            sb_span message, sb_state_update *update)
{
    sb_message             m;
    sb_message_context     context = { .ship = ship->model,
                                       .own = r->role == SB_RECEIVE_OWN,
                                       .layout = layout };
    sb_result              result = sb_decode_message(message, &context, &m, NULL);
    const sb_state_update *u = &m.as.state_update;
    if (result == SB_OK && (m.opcode != 0x1C || u->object_id != ship->object_id))
        result = SB_BAD_VALUE;
    if (result == SB_OK && !sb_bits_finite(sb_float_bits(u->game_time))) result = SB_BAD_VALUE;
    if (result != SB_OK) {
        COUNT(r, malformed);
        return result;
    }
    if (update) *update = *u;
    if (!is_new(r, u->game_time)) {
        COUNT(r, old);
        return SB_NOT_ALLOWED;
    }
    apply(r, ship, now, layout, u);
    return SB_OK;
}

sb_vec3 sb_receiver_estimate(const sb_receiver *r, const sb_ship *ship, sb_time now)
{
    return sb_motion_estimate(&ship->motion, (float)(now - r->received_at) / (float)SB_SECOND);
}
