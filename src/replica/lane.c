/* src/replica/lane.c -- the next StateUpdate of one ship to one receiver.
 *
 * For:      every sender of StateUpdates.
 * Spec:     03 §4.3 (SUBSYS), §5 (POWER), §6 (cloak), §8 (full updates).
 * Tests:    tests/replica/lane_test.c, tests/replica/lane_blocks_test.c
 */
#include "replica/testing.h"

#include <starbase/message_object.h>

#include "base/assert.h"
#include "ship/codes.h"
#include "ship/vectors.h"

#include <math.h>
#include <string.h>

enum {
    SUBSYS_FULL_BYTES = 10,  /* a SUBSYS block this long, start index included, gets no further
                              * entry (spec 03 §4.3); the last entry may exceed it */
    PAIRS_MAX = 3,           /* pairs of a POWER block: 6 bytes (spec 03 §5) */
    GROUP_BITS = 5,          /* booleans in one group byte (spec 02 §4) */
    DELTA_MAX_UNITS = 10000, /* a ship this far from its base sends POS (spec 03 §8) */
};

void sb_lane_options_default(sb_lane_options *o)
{
    *o = (sb_lane_options){ .damage_first = true,
                            .on_arrival = true,
                            .level_repeats = 3,
                            .interval_us = SB_SECOND / 10,
                            .gather_us = 10000,
                            .full_us = SB_SECOND,
                            .lossy_full_us = SB_SECOND / 4 };
}

void sb_lane_options_stock(sb_lane_options *o)
{
    *o = (sb_lane_options){ .level_repeats = 1,
                            .interval_us = SB_SECOND / 10,
                            .full_us = SB_SECOND };
}

void sb_lane_init(sb_lane *lane, sb_lane_role role, const sb_ship_frame *frame,
                  const sb_lane_options *options)
{
    SB_ASSERT(options->layout < SB_SHIELD_LAYOUTS);
    memset(lane, 0, sizeof *lane);
    lane->role = (uint8_t)role;
    if (!frame->model) return;
    for (unsigned i = 0; i < frame->model->subsystem_count; i++)
        if (sb_is_powered(&frame->model->subsystems[i]))
            lane->level_left[i] = options->level_repeats;
}

static uint8_t layout_of(const sb_ship_frame *frame, const sb_lane_options *options)
{
    if (options->layout_forced || !frame->model) return options->layout;
    return frame->model->shield_layout;
}

sb_message_context sb_lane_context(const sb_lane *lane, const sb_ship_frame *frame,
                                   const sb_lane_options *options)
{
    return (sb_message_context){ .ship = frame->model,
                                 .own = lane->role == SB_LANE_TO_OWNER,
                                 .layout = layout_of(frame, options) };
}

/* ---- motion ---- */

static bool same_direction(sb_cv3 a, sb_cv3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same_delta(sb_cv4 a, sb_cv4 b)
{
    return same_direction(a.direction, b.direction) && a.magnitude_code == b.magnitude_code;
}

static bool is_far(sb_vec3 d)
{
    return !(sb_v_dot(d, d) < (float)DELTA_MAX_UNITS * DELTA_MAX_UNITS);
}

static void add_position(sb_lane *lane, const sb_ship_frame *frame, bool full, sb_state_update *out)
{
    sb_vec3 away = sb_v_sub(frame->position, lane->base);
    if (full || is_far(away)) {
        out->flags |= SB_STATE_POS;
        out->position = lane->base = frame->position;
        lane->delta = (sb_cv4){ 0 };
        return;
    }
    sb_cv4 delta = sb_encode_cv4(away);
    if (same_delta(delta, lane->delta)) return;
    out->flags |= SB_STATE_DELTA;
    out->delta = lane->delta = delta;
}

static void add_motion(sb_lane *lane, const sb_ship_frame *frame, bool full, sb_state_update *out)
{
    add_position(lane, frame, full, out);
    if (full || !same_direction(frame->forward, lane->forward)) out->flags |= SB_STATE_FWD;
    if (full || !same_direction(frame->up, lane->up)) out->flags |= SB_STATE_UP;
    if (full || frame->speed_code != lane->speed_code) out->flags |= SB_STATE_SPEED;
    out->forward = lane->forward = frame->forward;
    out->up = lane->up = frame->up;
    out->speed_code = lane->speed_code = frame->speed_code;
}

/* Adds CLOAK to every full update and whenever it changed (spec 03 §6). */
static void add_cloak(sb_lane *lane, const sb_ship_frame *frame, bool full, sb_state_update *out)
{
    if (!frame->model || !frame->model->can_cloak) return;
    if (!full && lane->cloak_known && lane->cloak == frame->cloaked) return;
    out->flags |= SB_STATE_CLOAK;
    out->cloak = lane->cloak = frame->cloaked;
    lane->cloak_known = true;
}

/* ---- SUBSYS ---- */

/* Size of an entry. `*bits` counts the booleans of the message so far; every sixth opens another
 * group byte. */
static unsigned entry_bytes(const sb_subsystem_class *s, bool power, uint8_t layout, unsigned *bits)
{
    unsigned bytes = 1u + s->child_count;
    if (s->format == SB_FORMAT_REACTOR) return bytes + 2;
    if (s->format == SB_FORMAT_BASE) return bytes;
    if (s->format == SB_FORMAT_SHIELD) {
        if (layout == SB_SHIELD_DOCUMENTED) return bytes;
        bytes += SB_FACINGS;
    }
    if ((*bits)++ % GROUP_BITS == 0) bytes++;
    return bytes + power;
}

/* The lowest set bit at or above `start`, else the lowest of all. `entries` is not 0. */
static unsigned first_entry_from(uint32_t entries, unsigned start)
{
    uint32_t from_start = entries >> start << start;
    return (unsigned)__builtin_ctz(from_start != 0 ? from_start : entries);
}

/* The block starts at the cursor. With damage_first every second block may start at a damaged entry
 * instead, so that damage arrives early and the cycle still completes (spec 03 §17). */
static unsigned choose_first_entry(sb_lane *lane, const sb_ship_frame *frame,
                                   const sb_lane_options *options, uint8_t layout)
{
    unsigned cursor = lane->subsys_cursor;
    lane->damaged |= frame->damaged[layout];
    bool     jump = options->damage_first && lane->damaged != 0 && !lane->jumped;
    unsigned start = jump ? first_entry_from(lane->damaged, cursor) : cursor;
    lane->jumped = start != cursor;
    return start;
}

static void add_subsystems(sb_lane *lane, const sb_ship_frame *frame,
                           const sb_lane_options *options, sb_state_update *out)
{
    const sb_subsystem_class *list = frame->model->subsystems;
    const unsigned            length = frame->model->subsystem_count;
    uint8_t                   layout = layout_of(frame, options);
    bool                      power = lane->role == SB_LANE_TO_OTHERS;
    unsigned bits = (out->flags & SB_STATE_POS ? 1u : 0) + (out->flags & SB_STATE_CLOAK ? 1u : 0);
    unsigned start = choose_first_entry(lane, frame, options, layout), at = start, bytes = 1;
    uint32_t sent = 0;
    sb_subsystem_state *entry = out->entries;
    do {
        *entry = frame->entries[at];
        entry->has_power = power;
        entry++;
        bytes += entry_bytes(&list[at], power, layout, &bits);
        sent |= 1u << at;
        if (++at == length) at = 0;
    } while (at != start && bytes < SUBSYS_FULL_BYTES);
    out->flags |= SB_STATE_SUBSYS;
    out->start_index = (uint8_t)start;
    out->entry_count = (uint8_t)(entry - out->entries);
    lane->damaged &= ~sent;
    if (!lane->jumped) lane->subsys_cursor = (uint8_t)at;
}

/* ---- POWER ---- */

static void update_levels(sb_lane *lane, const sb_ship_frame *frame, const sb_lane_options *options)
{
    for (unsigned i = 0; i < frame->model->subsystem_count; i++) {
        if (frame->level_codes[i] == lane->levels[i]) continue;
        lane->levels[i] = frame->level_codes[i];
        if (sb_is_powered(&frame->model->subsystems[i]))
            lane->level_left[i] = options->level_repeats;
    }
}

/* Sends only new levels, but always the POWER flag (spec 03 §5). */
static void add_power(sb_lane *lane, const sb_ship_frame *frame, const sb_lane_options *options,
                      sb_state_update *out)
{
    out->flags |= SB_STATE_POWER;
    if (!frame->model) return;
    unsigned count = frame->model->subsystem_count, at = lane->power_cursor;
    update_levels(lane, frame, options);
    for (unsigned n = 0; n < count && out->pair_count < PAIRS_MAX; n++) {
        if (lane->level_left[at] > 0) {
            lane->level_left[at]--;
            out->pairs[out->pair_count++] = (sb_power_pair){ (uint8_t)at, lane->levels[at] };
        }
        at = at + 1 < count ? at + 1 : 0;
    }
    lane->power_cursor = (uint8_t)at;
}

/* ---- the update ---- */

static bool is_full_due(const sb_lane *lane, const sb_lane_options *options, bool lossy,
                        sb_time now)
{
    sb_time max_age_us =
        lossy && options->lossy_full_us > 0 ? options->lossy_full_us : options->full_us;
    return !lane->started || now - lane->last_full > max_age_us;
}

bool sb_lane_build(sb_lane *lane, const sb_ship_frame *frame, const sb_lane_options *options,
                   bool lossy, sb_time now, float game_time, sb_state_update *out)
{
    bool full = is_full_due(lane, options, lossy, now);
    memset(out, 0, offsetof(sb_state_update, pairs));
    out->object_id = frame->object_id;
    out->game_time = game_time;
    if (lane->role != SB_LANE_TO_OWNER) {
        add_motion(lane, frame, full, out);
        add_cloak(lane, frame, full, out);
    }
    if (lane->role == SB_LANE_TO_HOST) add_power(lane, frame, options, out);
    else if (options->rare_health && !full) sb_lane_skip(lane, frame, options);
    else if (frame->model) add_subsystems(lane, frame, options, out);
    if (full) lane->last_full = now;
    lane->started = true;
    return out->flags != 0;
}

void sb_lane_skip(sb_lane *lane, const sb_ship_frame *frame, const sb_lane_options *options)
{
    if (lane->role != SB_LANE_TO_HOST) lane->damaged |= frame->damaged[layout_of(frame, options)];
}

/* ---- invariants ---- */

static void check_levels(const sb_lane *lane, const sb_ship_frame *frame,
                         const sb_lane_options *options)
{
    unsigned count = frame->model ? frame->model->subsystem_count : 0;
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++) {
        bool powered = i < count && sb_is_powered(&frame->model->subsystems[i]);
        SB_ASSERT(lane->level_left[i] <= (powered ? options->level_repeats : 0));
        SB_ASSERT(i < count || lane->levels[i] == 0);
    }
}

void sb_lane_check(const sb_lane *lane, const sb_ship_frame *frame, const sb_lane_options *options)
{
    unsigned count = frame->model ? frame->model->subsystem_count : 0;
    bool     can_cloak = frame->model && frame->model->can_cloak;
    SB_ASSERT(lane->role <= SB_LANE_TO_OTHERS);
    SB_ASSERT(lane->subsys_cursor < count || lane->subsys_cursor == 0);
    SB_ASSERT(lane->power_cursor < count || lane->power_cursor == 0);
    SB_ASSERT(((uint64_t)lane->damaged >> count) == 0);
    SB_ASSERT(!lane->jumped || options->damage_first);
    SB_ASSERT(!lane->cloak_known || can_cloak);
    bool sends_subsys = lane->role != SB_LANE_TO_HOST; /* else POWER */
    bool sends_motion = lane->role != SB_LANE_TO_OWNER;
    SB_ASSERT(sends_subsys || (lane->subsys_cursor == 0 && lane->damaged == 0));
    SB_ASSERT(!sends_subsys || lane->power_cursor == 0);
    SB_ASSERT(sends_motion || !lane->cloak_known);
    check_levels(lane, frame, options);
}
