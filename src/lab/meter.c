/* src/lab/meter.c -- see meter.h.
 *
 * Tests:    tests/lab/meter_test.c
 */
#include "lab/meter.h"

#include <string.h>

/* ---- numbers over time ---- */

static void begin_track(sb_meter_track *track, float value)
{
    *track = (sb_meter_track){ .start = value, .least = value, .now = value };
}

static void note_change(sb_meter_trend *trend, float time, float before, float after)
{
    if (trend->count++ == 0) {
        trend->first_time = time;
        trend->first_before = before;
        trend->first_after = after;
    }
    trend->last_time = time;
    trend->last_after = after;
}

static void follow_track(const sb_meter *m, sb_meter_track *track, float value)
{
    float before = track->now;
    track->now = value;
    if (value < track->least) track->least = value;
    if (!(m->time >= m->from) || !(m->time <= m->to)) return;
    if (value > before) note_change(&track->rises, m->time, before, value);
    if (value < before) note_change(&track->falls, m->time, before, value);
}

double sb_meter_rate(const sb_meter_trend *trend)
{
    double span = (double)trend->last_time - (double)trend->first_time;
    return span > 0.0 ? ((double)trend->last_after - (double)trend->first_after) / span : 0.0;
}

double sb_meter_loss(const sb_meter_track *track)
{
    return (double)track->start - (double)track->least;
}

/* ---- samples ---- */

static void track_value(sb_meter *m, sb_meter_track *track, float value)
{
    if (m->has_samples) follow_track(m, track, value);
    else begin_track(track, value);
}

static void track_parts(sb_meter *m, sb_meter_track *tracks, const sb_ship *ship)
{
    for (unsigned i = 0; i < ship->model->subsystem_count; i++)
        track_value(m, &tracks[i], ship->condition[i]);
    for (unsigned i = 0; i < ship->model->child_count; i++)
        track_value(m, &tracks[SB_SUBSYSTEMS_MAX + i], ship->child_condition[i]);
}

static sb_meter_beam *open_beam(sb_meter *m, unsigned child)
{
    unsigned count = m->beam_count < SB_METER_BEAMS ? m->beam_count : SB_METER_BEAMS;
    for (unsigned i = 0; i < count; i++)
        if (m->beams[i].child == child && !m->beams[i].ended) return &m->beams[i];
    return NULL;
}

static void track_beam(sb_meter *m, unsigned child, bool firing)
{
    sb_meter_beam *beam = open_beam(m, child);
    if (beam && !firing) {
        beam->ended = true;
        beam->stop = m->time;
    } else if (beam) {
        beam->stop = m->time;
    } else if (firing && m->beam_count++ < SB_METER_BEAMS) {
        m->beams[m->beam_count - 1] =
            (sb_meter_beam){ .child = (uint8_t)child, .start = m->time, .stop = m->time };
    }
}

static void note_motion(sb_meter *m, const sb_lab_sample *sample)
{
    if (m->motion_count == sizeof m->speeds / sizeof *m->speeds) return;
    m->speeds[m->motion_count] = sample->attacker->motion.speed;
    m->turn_rates[m->motion_count++] = sample->turn_rate;
}

static bool on_sample(void *context, const sb_lab_sample *sample)
{
    sb_meter *m = context;
    m->time = sample->time;
    note_motion(m, sample);
    m->pull = sample->pull;
    for (unsigned i = 0; i < SB_FACINGS; i++)
        track_value(m, &m->facings[i], sample->target->facing[i]);
    track_parts(m, m->target_parts, sample->target);
    track_parts(m, m->attacker_parts, sample->attacker);
    for (unsigned i = 0; i < sample->attacker->model->child_count; i++) {
        track_value(m, &m->charges[i], sample->weapons[i].charge);
        track_beam(m, i, sample->weapons[i].firing);
    }
    track_value(m, &m->main_battery, sample->attacker->main_battery);
    track_value(m, &m->backup_battery, sample->attacker->backup_battery);
    if (m->target_alive && !sample->target_alive) m->death_time = sample->time;
    m->target_alive = sample->target_alive;
    m->has_samples = true;
    return true;
}

/* ---- events ---- */

static void note_hit(sb_meter *m, float time, float amount)
{
    m->damage += (double)amount;
    if (m->hit_count++ < SB_METER_HITS)
        m->hits[m->hit_count - 1] =
            (sb_meter_hit){ .time = time, .amount = amount, .facing = SB_FACINGS };
}

/* The simulation reports a hit first, and then what it does. */
static void note_absorbed(sb_meter *m, const sb_combat_event *event)
{
    if (m->hit_count == 0 || m->hit_count > SB_METER_HITS) return;
    m->hits[m->hit_count - 1].absorbed += event->amount;
    m->hits[m->hit_count - 1].facing = event->index;
}

static void on_event(void *context, float time, const sb_combat_event *event)
{
    sb_meter *m = context;
    if (event->object_id != SB_LAB_TARGET_ID) return;
    if (event->type == SB_COMBAT_HIT) note_hit(m, time, event->amount);
    if (event->type == SB_COMBAT_ABSORBED) note_absorbed(m, event);
}

static void on_shot(void *context, float time, unsigned child)
{
    sb_meter *m = context;
    if (m->shot_count++ >= SB_METER_SHOTS) return;
    m->shot_times[m->shot_count - 1] = time;
    m->shot_children[m->shot_count - 1] = (uint8_t)child;
}

void sb_meter_init(sb_meter *m)
{
    memset(m, 0, sizeof *m);
    m->to = 1e9f;
    m->target_alive = true;
    m->death_time = -1.0f;
}

sb_lab_observer sb_meter_observer(sb_meter *m)
{
    return (sb_lab_observer){ m, on_sample, on_event, on_shot };
}
