/* src/combat/repair.c -- the repair queue of a ship.
 *
 * For:      combat.c: announcements at the end of a step, repair once per step; orders.c: priority.
 * Spec:     10 §9, 08 §5.1, §5.2. Measured on a Galaxy; the engine adds the points every 0.33 s,
 *           here every step does.
 * Tests:    tests/combat/repair_test.c
 */
#include "combat/combat_internal.h"

#include "base/assert.h"

#include <string.h>

static void report_repair(const sb_combat *c, const sb_fighter *f, sb_combat_event_type type,
                          unsigned part)
{
    sb_combat_event e = { .type = type,
                          .object_id = f->object_id,
                          .subsystem_id = sb_combat_part_id(f, part),
                          .repair_id = sb_combat_part_id(f, f->repair),
                          .left = *sb_combat_part_condition(f->ship, part) };
    sb_combat_locate_part(f->ship->model, part, &e.index, &e.child);
    sb_combat_report(c, &e);
}

/* §9.2: a destroyed part is not queued. */
static void queue_part(sb_fighter *f, unsigned part)
{
    SB_ASSERT(!sb_part_set_has(&f->queued, part)); /* sb_combat_finish_hit */
    if (!(*sb_combat_part_condition(f->ship, part) > 0.0f)) return;
    SB_ASSERT(f->queue_size < SB_PARTS);
    f->queue[f->queue_size++] = (uint8_t)part;
    sb_part_set_add(&f->queued, part);
}

/* note_hit of §9.2: a destroyed part is announced, too. */
static void announce_hit(const sb_combat *c, sb_fighter *f, unsigned part)
{
    queue_part(f, part);
    report_repair(c, f, SB_COMBAT_REPAIR_ADDED, part);
}

/* In list order, the hull last, as the damage was done (§7): while five parts of a captured Galaxy
 * waited for its three teams, the hull regained nothing. */
void sb_combat_announce_hits(const sb_combat *c, sb_fighter *f)
{
    sb_part_set hit = f->hit_parts;
    if (sb_part_set_is_empty(&hit)) return;
    f->hit_parts = (sb_part_set){ { 0, 0 } };
    if (f->repair == SB_NO_PART) return;
    for (unsigned part = 0; part != SB_NO_PART; part = sb_combat_next_part(f->ship->model, part))
        if (part != f->hull && sb_part_set_has(&hit, part)) announce_hit(c, f, part);
    if (f->hull != SB_NO_PART && sb_part_set_has(&hit, f->hull)) announce_hit(c, f, f->hull);
}

/* ---- one step, §9.1 ---- */

/* Raises a condition: set_condition of §3.2. Unlike damage, a rise queues nothing. */
static void add_condition(const sb_combat *c, sb_fighter *f, unsigned part, float points)
{
    const sb_subsystem_class *s = sb_combat_part_class(f->ship->model, part);
    float *condition = sb_combat_part_condition(f->ship, part), before = *condition;
    float  complexity = s->repair_complexity > 0.0f ? s->repair_complexity : 1.0f;
    *condition = sb_smaller(before + points / complexity, s->max_condition);
    if (!c->trace_gains || *condition == before) return;
    sb_combat_event e = { .type = SB_COMBAT_REPAIRED,
                          .object_id = f->object_id,
                          .amount = *condition - before,
                          .left = *condition };
    sb_combat_locate_part(f->ship->model, part, &e.index, &e.child);
    sb_combat_report(c, &e);
}

static void remove_done(sb_fighter *f, const sb_part_set *done)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < f->queue_size; i++) {
        if (sb_part_set_has(done, f->queue[i])) sb_part_set_remove(&f->queued, f->queue[i]);
        else f->queue[kept++] = f->queue[i];
    }
    f->queue_size = (uint8_t)kept;
}

/* One step of one queue entry. True: a team works on it. Entries that leave the queue are added to
 * `done`. */
static bool repair_entry(const sb_combat *c, sb_fighter *f, unsigned part, float share,
                         bool team_free, sb_part_set *done)
{
    if (!(*sb_combat_part_condition(f->ship, part) > 0.0f)) {
        report_repair(c, f, SB_COMBAT_REPAIR_IMPOSSIBLE, part);
        sb_part_set_add(done, part);
        return false;
    }
    if (!team_free) return false;
    add_condition(c, f, part, share);
    if (*sb_combat_part_condition(f->ship, part) >=
        sb_combat_part_class(f->ship->model, part)->max_condition) {
        report_repair(c, f, SB_COMBAT_REPAIR_COMPLETED, part);
        sb_part_set_add(done, part);
    }
    return true;
}

void sb_combat_step_repair(sb_combat *c, sb_fighter *f)
{
    unsigned teams = f->ship->model->repair_teams;
    if (f->queue_size == 0) return;
    SB_ASSERT(f->repair != SB_NO_PART); /* sb_combat_announce_hits */
    if (!f->ship->on[f->repair]) return;
    float points =
        f->ship->model->max_repair_points * sb_ship_ratio(f->ship, f->repair) * SB_STEP_SECONDS;
    unsigned    sharing = f->queue_size < teams ? f->queue_size : teams;
    float       share = sharing > 0 ? points / (float)sharing : 0.0f;
    unsigned    used = 0;
    sb_part_set done = { { 0, 0 } };
    for (unsigned i = 0; i < f->queue_size; i++)
        used += repair_entry(c, f, f->queue[i], share, used < teams, &done);
    if (!sb_part_set_is_empty(&done)) remove_done(f, &done);
}

/* ---- priority, §9.3 ---- */

static unsigned index_in_queue(const sb_fighter *f, unsigned part)
{
    unsigned i = 0;
    while (i < f->queue_size && f->queue[i] != part) i++;
    return i;
}

void sb_combat_toggle_repair_priority(sb_fighter *f, unsigned part)
{
    unsigned at = index_in_queue(f, part);
    if (at == f->queue_size) return;
    if (at < f->ship->model->repair_teams) {
        memmove(&f->queue[at], &f->queue[at + 1], f->queue_size - at - 1u);
        f->queue[f->queue_size - 1] = (uint8_t)part;
    } else {
        memmove(&f->queue[1], &f->queue[0], at);
        f->queue[0] = (uint8_t)part;
    }
}
