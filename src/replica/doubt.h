/* src/replica/doubt.h -- game times of one ship that cannot all be its owner's.
 *
 * For:      receiver.c. Forged times a little ahead would make the owner's own updates look old:
 *           when times contradict each other, their order is in doubt.
 * Tests:    tests/replica/forged_times_test.c
 * Spec:     03 §9.
 */
#ifndef SB_REPLICA_DOUBT_H
#define SB_REPLICA_DOUBT_H

#include <starbase/replica.h>

#include <math.h>

/* Owners send every 0.1 s, and on a slow machine once per frame. So of two updates whose times are
 * closer than `spacing_min_s` one is forged, or the owner's machine had paused. If that happens
 * twice within `evidence_us`, more than a pause apart, order is in doubt for `doubt_us`. */
static const float   spacing_min_s = 0.05f;
static const sb_time pause_us = SB_SECOND / 5, evidence_us = 10 * SB_SECOND;
static const sb_time doubt_us = 30 * SB_SECOND;

static inline void sb_doubt_init(sb_receiver *r, sb_time now)
{
    r->contradicted_at = now - evidence_us;
    for (size_t i = 0; i < SB_RECENT_TIMES; i++) r->recent[i] = -INFINITY;
    r->newest_time = -INFINITY;
}

/* True if `time` and a time in that slot cannot both be the owner's. Copies have equal times. */
static inline bool sb_doubt_contradicts(const sb_receiver *r, int slot, float time)
{
    float apart = fabsf(time - r->recent[slot & (SB_RECENT_TIMES - 1)]);
    return apart < spacing_min_s && apart > 0.0f;
}

static inline void sb_doubt_note_contradiction(sb_receiver *r, sb_time now)
{
    sb_time since = now - r->contradicted_at;
    if (since < pause_us) return;
    if (since < evidence_us || now < r->doubt_until) r->doubt_until = now + doubt_us;
    r->contradicted_at = now;
}

/* Compares a time with the recent ones near it, and stores it. Each slot has the newest time that
 * belongs there: an older one must not remove the evidence, unless the clock fell by more than
 * `restart_s`. */
static inline void sb_doubt_note_time(sb_receiver *r, sb_time now, float time, float restart_s)
{
    int    slot = (int)(time / spacing_min_s);
    float *recent = &r->recent[slot & (SB_RECENT_TIMES - 1)];
    /* Most updates are newer than all others: there is nothing to compare. */
    bool newer = time >= r->newest_time + 1.25f * spacing_min_s;
    if (!newer && (sb_doubt_contradicts(r, slot - 1, time) || sb_doubt_contradicts(r, slot, time) ||
                   sb_doubt_contradicts(r, slot + 1, time)))
        sb_doubt_note_contradiction(r, now);
    if (time > *recent || *recent - time > restart_s) *recent = time;
    if (time > r->newest_time) r->newest_time = time;
}

#endif
