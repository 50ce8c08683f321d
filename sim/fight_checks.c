/* sim/fight_checks.c -- the invariants of a fight, checked against the truth that only the
 * simulator knows.
 *
 * For:      sim/fight.c, after every step and every message.
 * Spec:     03 §4.4, §5, §17.
 *
 * POSITIONS stay within the bounds that sim/fight_bounds.c derives.
 *
 * STATES. Every subsystem entry is in one of CYCLE consecutive messages of a lane: 8 by the round
 * robin (spec 03 §4.4), twice that where damage goes first, because then the round robin gets every
 * other block (§17). An observer's entry is exactly as in its last carrier, which is the last
 * applied message that contained the entry. Therefore a lasting change is seen after one cycle and
 * the transit time, plus one cycle for each carrier that is lost. Both halves are checked: the
 * sender's cycle, and the observer's state against the messages it has applied.
 *
 * ORDER. The build times of applied messages never decrease, entry by entry, and a message that is
 * not applied changes nothing (sim/fight_receive.c checks this where it applies messages).
 */
#include "sim/fight_internal.h"

#include <starbase/protocol.h>

#include <math.h>
#include <string.h>

enum { CYCLE = 8 };

/* ---- positions ---- */

static void check_position(fight *f, const fight_view *v, sb_vec3 truth, const char *who,
                           unsigned observer, fight_spread *spread)
{
    double error = fight_distance(fight_estimate(f, v), truth), bound = fight_error_bound(f, v);
    fight_spread_add(spread, error);
    if (bound > 1 && error / bound > f->report->largest_error_ratio)
        f->report->largest_error_ratio = error / bound;
    if (!(error <= bound))
        fight_fail(f, "%s %u: the position error of the %s is %.3f; the bound is %.3f", who,
                   observer, v->ship.model->name, error, bound);
}

/* True: owner, host and observer all have the ship that is flown now. */
static bool is_same_ship(const fight *f, unsigned of, const fight_view *v)
{
    const fight_player *p = &f->players[of];
    uint32_t            id = p->views[of].ship.object_id;
    return p->alive && f->host[of].listed && f->host[of].view.ship.object_id == id && v->present &&
           v->ship.object_id == id;
}

void fight_check_positions(fight *f)
{
    for (unsigned of = 0; of < f->config.ships; of++) {
        sb_vec3 truth = f->players[of].views[of].ship.motion.position;
        if (is_same_ship(f, of, &f->host[of].view))
            check_position(f, &f->host[of].view, truth, "host", 0, &f->report->host_error);
        for (unsigned i = 0; i < f->config.ships; i++) {
            const fight_view *v = &f->players[i].views[of];
            if (i != of && is_same_ship(f, of, v))
                check_position(f, v, truth, "player", i, &f->report->client_error[i]);
        }
    }
}

void fight_check_step(fight *f, const fight_view *v, sb_vec3 before, double bound)
{
    double step = fight_distance(before, v->ship.motion.position);
    if (!(step <= bound))
        fight_fail(f, "a delta moved the %s by %.3f; the bound is %.3f", v->ship.model->name, step,
                   bound);
}

/* ---- states ---- */

static bool is_same_ratio(float value, uint8_t code, float max)
{
    return sb_encode_ratio(value / max) == code; /* compares as wire codes */
}

/* True: the entry of the ship has the codes of `e`; with `power`, the power setting too. */
static bool entry_has_codes(const sb_ship *ship, unsigned i, const sb_subsystem_state *e,
                            bool power)
{
    const sb_ship_class      *m = ship->model;
    const sb_subsystem_class *s = &m->subsystems[i];
    bool ok = is_same_ratio(ship->condition[i], e->condition_code, s->max_condition);
    for (unsigned c = 0; c < s->child_count; c++)
        ok &= is_same_ratio(ship->child_condition[s->first_child + c], e->children[c],
                            m->children[s->first_child + c].max_condition);
    if (s->format == SB_FORMAT_REACTOR)
        ok &= is_same_ratio(ship->main_battery, e->main_battery_code, m->main_battery) &&
              is_same_ratio(ship->backup_battery, e->backup_battery_code, m->backup_battery);
    if (s->format == SB_FORMAT_SHIELD)
        for (unsigned k = 0; k < SB_FACINGS; k++)
            ok &= is_same_ratio(ship->facing[k], e->facings[k], m->shield_max[k]);
    if (power && (s->format == SB_FORMAT_POWERED || s->format == SB_FORMAT_SHIELD))
        ok &= sb_encode_power_pct(ship->power_wanted[i]) == e->power_pct_code;
    return ok;
}

/* Every entry is as in the last applied message that carried it. */
void fight_check_entries(fight *f, const fight_view *v, bool power, unsigned observer)
{
    for (unsigned i = 0; i < v->ship.model->subsystem_count; i++)
        if (v->carried_at[i] > 0 && !entry_has_codes(&v->ship, i, &v->expected[i], power))
            fight_fail(f, "player %u: entry %u of the %s differs from its last carrier", observer,
                       i, v->ship.model->name);
}

/* The observer's half of STATES: once a carrier built after the last change of an entry is applied,
 * the observer has the changed state. */
static void check_seen_by(fight *f, unsigned of, unsigned observer)
{
    const fight_hosted *h = &f->host[of];
    fight_view         *v = &f->players[observer].views[of];
    for (unsigned i = 0; i < v->ship.model->subsystem_count; i++) {
        if (v->carried_at[i] == 0) continue;
        fight_spread_add(&f->report->age, fight_seconds(f->now - v->carried_at[i]));
        if (v->carried_at[i] < h->changed_at[i] || v->change_seen[i]) continue;
        v->change_seen[i] = true;
        fight_spread_add(&f->report->change_delay[observer != of],
                         fight_seconds(f->now - h->changed_at[i]));
        if (!entry_has_codes(&v->ship, i, &h->frame.entries[i], observer != of))
            fight_fail(f, "player %u received entry %u of the %s but has another state", observer,
                       i, v->ship.model->name);
    }
}

void fight_check_changes_seen(fight *f)
{
    for (unsigned of = 0; of < f->config.ships; of++)
        for (unsigned i = 0; i < f->config.ships; i++)
            if (is_same_ship(f, of, &f->players[i].views[of])) check_seen_by(f, of, i);
}

static bool is_same_code(sb_cv3 a, sb_cv3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* A full update replaces the whole motion. */
void fight_check_full_update(fight *f, const fight_view *v, const sb_ship_frame *sent)
{
    const sb_motion *m = &v->ship.motion;
    if (!is_same_code(m->forward_code, sent->forward) || !is_same_code(m->up_code, sent->up) ||
        m->speed_code != sent->speed_code || v->ship.cloaked != sent->cloaked ||
        fight_distance(m->position, sent->position) > 0)
        fight_fail(f, "a full update of the %s left an old value in place", v->ship.model->name);
}

/* ---- messages of the host ---- */

/* The sender's half of the invariant STATES (head of this file): no entry is left out for longer
 * than a cycle, or than two where damage goes first. */
void fight_check_cycle(fight *f, const fight_hosted *h, unsigned peer)
{
    sb_time max = (f->config.lanes.damage_first ? 2 * CYCLE : CYCLE) * FIGHT_TICK_US;
    for (unsigned i = 0; i < h->view.ship.model->subsystem_count; i++)
        if (f->now - h->carried_at[peer][i] > max)
            fight_fail(f, "entry %u of the %s was not sent to player %u for %.1f s", i,
                       h->view.ship.model->name, peer,
                       fight_seconds(f->now - h->carried_at[peer][i]));
}

void fight_check_downstream(fight *f, const sb_replica_message *m, unsigned owner)
{
    uint8_t flags = m->bytes.data[9];
    bool    to_owner = sb_peer_mask_has(&m->peers, owner);
    uint8_t blocks = flags & (SB_STATE_SUBSYS | SB_STATE_POWER);
    if ((to_owner ? flags : blocks) != SB_STATE_SUBSYS)
        fight_fail(f, "a downstream update has flags %02X", flags);
    if (m->bytes.size > 50) fight_fail(f, "a downstream update has %zu bytes", m->bytes.size);
}

/* ---- at the end ---- */

/* Counters of refusals that must never happen between two of our own endpoints. */
void fight_check_counters(fight *f, const fight_view *v)
{
    static const sb_receiver_counter never[] = {
        SB_RECEIVED_MALFORMED,     SB_RECEIVED_CLOCK_RESTARTED, SB_RECEIVED_BAD_AXES,
        SB_RECEIVED_FOREIGN_BLOCK, SB_RECEIVED_FOREIGN_MOTION,  SB_RECEIVED_UNREAD_BLOCK,
        SB_RECEIVED_BAD_POWER,     SB_RECEIVED_TOO_FAST,        SB_RECEIVED_JUMPED,
        SB_RECEIVED_ABSURD_TIME,   SB_RECEIVED_TOO_OFTEN,       SB_RECEIVED_TRUNCATED,
    };
    for (size_t i = 0; v->present && i < sizeof never / sizeof *never; i++)
        if (v->receiver.counters[never[i]] > 0)
            fight_fail(f, "counted: %s", sb_receiver_counter_text(never[i]));
}

/* Settings that never reached the host, because all their copies were lost (spec 03 §5). */
void fight_count_lost_settings(fight *f)
{
    for (unsigned of = 0; of < f->config.ships; of++) {
        const sb_ship *own = &f->players[of].views[of].ship, *host = &f->host[of].view.ship;
        if (!is_same_ship(f, of, &f->host[of].view)) continue;
        for (unsigned i = 0; i < own->model->subsystem_count; i++) {
            uint8_t format = own->model->subsystems[i].format;
            if (format != SB_FORMAT_POWERED && format != SB_FORMAT_SHIELD) continue;
            f->report->settings_lost += fabsf(own->power_wanted[i] - host->power_wanted[i]) > 0.01f;
        }
    }
}
