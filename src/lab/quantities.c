/* src/lab/quantities.c -- the quantities that rows of the contract name.
 *
 * Each is a function from the meter's record to a number or a text; docs/lab.md lists them.
 *
 * Tests:    tests/lab/quantities_test.c
 */
#include "lab/contract.h"

#include <math.h>
#include <string.h>

#define NONE NAN /* the run shows no such thing: holds no row */

/* ---- parts ---- */

/* The part of a ship with this name, as the meter numbers parts; -1: none. */
static int find_part(const sb_ship_class *model, const char *name)
{
    for (unsigned i = 0; i < model->subsystem_count; i++)
        if (strcmp(model->subsystems[i].name, name) == 0) return (int)i;
    for (unsigned i = 0; i < model->child_count; i++)
        if (strcmp(model->children[i].name, name) == 0) return (int)(SB_SUBSYSTEMS_MAX + i);
    return -1;
}

static int find_hull(const sb_ship_class *model)
{
    for (unsigned i = 0; i < model->subsystem_count; i++)
        if (model->subsystems[i].type == SB_SUBSYSTEM_HULL) return (int)i;
    return -1;
}

static const char *part_name(const sb_ship_class *model, unsigned part)
{
    return part < SB_SUBSYSTEMS_MAX ? model->subsystems[part].name
                                    : model->children[part - SB_SUBSYSTEMS_MAX].name;
}

static void append(char *list, const char *word)
{
    size_t at = strlen(list), size = strlen(word);
    if (at + size + 2 > SB_CONTRACT_TEXT) return;
    if (at > 0) list[at++] = '+';
    memcpy(list + at, word, size + 1);
}

/* A small whole number as the argument of a quantity; `otherwise` if there is none. */
static unsigned number_argument(const sb_contract_row *row, unsigned otherwise)
{
    unsigned value = 0;
    if (row->argument[0] == '\0') return otherwise;
    for (const char *p = row->argument; *p >= '0' && *p <= '9'; p++)
        value = 10 * value + (unsigned)(*p - '0');
    return value;
}

/* ---- hits ---- */

static unsigned recorded_hits(const sb_meter *m)
{
    return m->hit_count < SB_METER_HITS ? m->hit_count : SB_METER_HITS;
}

static double hit(const sb_meter *m, const sb_contract_row *row)
{
    unsigned n = number_argument(row, 1);
    return n >= 1 && n <= recorded_hits(m) ? (double)m->hits[n - 1].amount : NONE;
}

static double hits(const sb_meter *m, const sb_contract_row *row)
{
    (void)row;
    return m->hit_count;
}

static double total(const sb_meter *m, const sb_contract_row *row)
{
    (void)row;
    return m->damage;
}

/* HP per second from the first to the last hit. */
static double rate(const sb_meter *m, const sb_contract_row *row)
{
    unsigned n = recorded_hits(m);
    (void)row;
    if (n < 2 || n < m->hit_count) return NONE;
    return m->damage / ((double)m->hits[n - 1].time - (double)m->hits[0].time);
}

static double first_hit(const sb_meter *m, const sb_contract_row *row)
{
    (void)row;
    return m->hit_count > 0 ? (double)m->hits[0].time : NONE;
}

static double hit_time(const sb_meter *m, const sb_contract_row *row)
{
    unsigned n = number_argument(row, 1);
    if (n < 1 || n > recorded_hits(m)) return NONE;
    return (double)m->hits[n - 1].time - (double)m->hits[0].time;
}

/* Mean time between hits of full strength. Only for one beam at a time. */
static double period(const sb_meter *m, const sb_contract_row *row)
{
    unsigned n = recorded_hits(m), last = 0;
    (void)row;
    while (last + 1 < n && fabsf(m->hits[last + 1].amount - m->hits[0].amount) < 0.5f) last++;
    return last > 0 ? ((double)m->hits[last].time - (double)m->hits[0].time) / last : NONE;
}

static double kill_hits(const sb_meter *m, const sb_contract_row *row)
{
    unsigned count = 0;
    (void)row;
    if (m->death_time < 0.0f) return NONE;
    for (unsigned i = 0; i < recorded_hits(m); i++) count += m->hits[i].time <= m->death_time;
    return count;
}

/* ---- shields ---- */

/* Share of a hit that the facing did not take. */
static double leak(const sb_meter *m, const sb_contract_row *row)
{
    unsigned n = number_argument(row, 1);
    if (n < 1 || n > recorded_hits(m)) return NONE;
    return 1.0 - (double)m->hits[n - 1].absorbed / (double)m->hits[n - 1].amount;
}

/* The facing that lost most; SB_FACINGS: none lost anything. */
static unsigned weakest_facing(const sb_meter *m)
{
    unsigned found = SB_FACINGS;
    double   most = 0.0;
    for (unsigned i = 0; i < SB_FACINGS; i++) {
        double loss = sb_meter_loss(&m->facings[i]);
        if (!(loss > most)) continue;
        most = loss;
        found = i;
    }
    return found;
}

static double facing(const sb_meter *m, const sb_contract_row *row)
{
    unsigned found = weakest_facing(m);
    (void)row;
    return found < SB_FACINGS ? (double)found : NONE;
}

static double facings_left(const sb_meter *m, const sb_contract_row *row)
{
    double sum = 0.0;
    (void)row;
    for (unsigned i = 0; i < SB_FACINGS; i++) sum += (double)m->facings[i].now;
    return sum;
}

static double facings_lost(const sb_meter *m, const sb_contract_row *row)
{
    double sum = 0.0;
    (void)row;
    for (unsigned i = 0; i < SB_FACINGS; i++) sum += sb_meter_loss(&m->facings[i]);
    return sum;
}

/* The facing that the row names, or the first. */
static const sb_meter_trend *regained(const sb_meter *m, const sb_contract_row *row)
{
    int8_t named = row->scenario.facing;
    return &m->facings[named < 0 ? 0 : named].rises;
}

static double regen(const sb_meter *m, const sb_contract_row *row)
{
    return sb_meter_rate(regained(m, row));
}

static double regen_step(const sb_meter *m, const sb_contract_row *row)
{
    const sb_meter_trend *t = regained(m, row);
    return t->count > 0 ? (double)t->first_after - (double)t->first_before : NONE;
}

static double regen_period(const sb_meter *m, const sb_contract_row *row)
{
    const sb_meter_trend *t = regained(m, row);
    if (t->count < 2) return NONE;
    return ((double)t->last_time - (double)t->first_time) / (t->count - 1);
}

/* ---- hull and parts ---- */

/* The start of a track less its last value: repair counts. */
static double missing(const sb_meter_track *tracks, int part)
{
    return part >= 0 ? (double)tracks[part].start - (double)tracks[part].now : NONE;
}

static double part_loss(const sb_meter *m, const sb_contract_row *row)
{
    return missing(m->target_parts, find_part(row->scenario.target, row->argument));
}

static double hull_loss(const sb_meter *m, const sb_contract_row *row)
{
    return missing(m->target_parts, find_hull(row->scenario.target));
}

static double attacker_hull_loss(const sb_meter *m, const sb_contract_row *row)
{
    return missing(m->attacker_parts, find_hull(row->scenario.attacker));
}

/* Share of all damage that reached the hull. */
static double hull_share(const sb_meter *m, const sb_contract_row *row)
{
    return m->damage > 0.0 ? hull_loss(m, row) / m->damage : NONE;
}

static double repair_rate(const sb_meter *m, const sb_contract_row *row)
{
    int part = find_part(row->scenario.target, row->argument);
    return part >= 0 ? sb_meter_rate(&m->target_parts[part].rises) : NONE;
}

/* The parts except the hull that lost anything, in list order; "none". */
static void footprint(const sb_meter *m, const sb_contract_row *row, char *out)
{
    const sb_ship_class *model = row->scenario.target;
    int                  hull = find_hull(model);
    for (unsigned i = 0; i < model->subsystem_count; i++) {
        if ((int)i != hull && sb_meter_loss(&m->target_parts[i]) > 0.0)
            append(out, part_name(model, i));
        for (unsigned j = 0; j < model->subsystems[i].child_count; j++) {
            unsigned part = SB_SUBSYSTEMS_MAX + model->subsystems[i].first_child + j;
            if (sb_meter_loss(&m->target_parts[part]) > 0.0) append(out, part_name(model, part));
        }
    }
    if (out[0] == '\0') append(out, "none");
}

/* ---- beams ---- */

static unsigned recorded_beams(const sb_meter *m)
{
    return m->beam_count < SB_METER_BEAMS ? m->beam_count : SB_METER_BEAMS;
}

static double beams(const sb_meter *m, const sb_contract_row *row)
{
    (void)row;
    return m->beam_count;
}

/* Most beams that are on at the same time. */
static double beams_at_once(const sb_meter *m, const sb_contract_row *row)
{
    unsigned most = 0;
    (void)row;
    for (unsigned i = 0; i < recorded_beams(m); i++) {
        unsigned count = 0;
        for (unsigned j = 0; j < recorded_beams(m); j++)
            count += m->beams[j].start <= m->beams[i].start &&
                     (!m->beams[j].ended || m->beams[j].stop > m->beams[i].start);
        if (count > most) most = count;
    }
    return most;
}

static double windup(const sb_meter *m, const sb_contract_row *row)
{
    (void)row;
    if (m->beam_count == 0 || m->hit_count == 0) return NONE;
    return (double)m->hits[0].time - (double)m->beams[0].start;
}

static double beam_time(const sb_meter *m, const sb_contract_row *row)
{
    unsigned n = number_argument(row, 1);
    if (n < 1 || n > recorded_beams(m) || !m->beams[n - 1].ended) return NONE;
    return (double)m->beams[n - 1].stop - (double)m->beams[n - 1].start;
}

/* From the start of the first beam to the start of the next. */
static double beam_turn(const sb_meter *m, const sb_contract_row *row)
{
    (void)row;
    return m->beam_count > 1 ? (double)m->beams[1].start - (double)m->beams[0].start : NONE;
}

static double beam_gap(const sb_meter *m, const sb_contract_row *row)
{
    (void)row;
    return m->beam_count > 1 ? (double)m->beams[1].start - (double)m->beams[0].stop : NONE;
}

/* HP of the first beam. Only for one beam at a time. */
static double beam_total(const sb_meter *m, const sb_contract_row *row)
{
    double sum = 0.0;
    (void)row;
    if (m->beam_count == 0) return NONE;
    for (unsigned i = 0; i < recorded_hits(m); i++)
        if (m->hits[i].time <= m->beams[0].stop) sum += (double)m->hits[i].amount;
    return sum;
}

/* The bank that fires after the one that the row names; "none". */
static void beam_after(const sb_meter *m, const sb_contract_row *row, char *out)
{
    const sb_subsystem_class *banks = row->scenario.attacker->children;
    for (unsigned i = 0; i + 1 < recorded_beams(m) && out[0] == '\0'; i++)
        if (strcmp(banks[m->beams[i].child].name, row->argument) == 0)
            append(out, banks[m->beams[i + 1].child].name);
    if (out[0] == '\0') append(out, "none");
}

static double discharge_rate(const sb_meter *m, const sb_contract_row *row)
{
    (void)row;
    return m->beam_count > 0 ? -sb_meter_rate(&m->charges[m->beams[0].child].falls) : NONE;
}

static double recharge_rate(const sb_meter *m, const sb_contract_row *row)
{
    (void)row;
    if (m->beam_count > 0) return sb_meter_rate(&m->charges[m->beams[0].child].rises);
    return m->shot_count > 0 ? sb_meter_rate(&m->charges[m->shot_children[0]].rises) : NONE;
}

/* ---- bolts and torpedoes ---- */

static unsigned recorded_shots(const sb_meter *m)
{
    return m->shot_count < SB_METER_SHOTS ? m->shot_count : SB_METER_SHOTS;
}

static double shots(const sb_meter *m, const sb_contract_row *row)
{
    (void)row;
    return m->shot_count;
}

static double first_shot(const sb_meter *m, const sb_contract_row *row)
{
    (void)row;
    return m->shot_count > 0 ? (double)m->shot_times[0] : NONE;
}

/* When the n-th shot left, counted from the first. */
static double shot_time(const sb_meter *m, const sb_contract_row *row)
{
    unsigned n = number_argument(row, 2);
    if (n < 1 || n > recorded_shots(m)) return NONE;
    return (double)m->shot_times[n - 1] - (double)m->shot_times[0];
}

static void shot_order(const sb_meter *m, const sb_contract_row *row, char *out)
{
    for (unsigned i = 0; i < recorded_shots(m); i++)
        append(out, row->scenario.attacker->children[m->shot_children[i]].name);
}

static double flight(const sb_meter *m, const sb_contract_row *row)
{
    (void)row;
    if (m->shot_count == 0 || m->hit_count == 0) return NONE;
    return (double)m->hits[0].time - (double)m->shot_times[0];
}

static double charge_per_shot(const sb_meter *m, const sb_contract_row *row)
{
    (void)row;
    if (m->shot_count == 0) return NONE;
    const sb_meter_trend *t = &m->charges[m->shot_children[0]].falls;
    return t->count > 0 ? (double)t->first_before - (double)t->first_after : NONE;
}

/* ---- motion ---- */

/* Reads the argument, seconds such as "1.5", as the number of a sample. */
static unsigned sample_argument(const sb_contract_row *row)
{
    double      seconds = 0.0, unit = 1.0;
    const char *p = row->argument;
    for (; *p >= '0' && *p <= '9'; p++) seconds = 10.0 * seconds + (*p - '0');
    if (*p == '.')
        for (p++; *p >= '0' && *p <= '9'; p++) seconds += (*p - '0') * (unit /= 10.0);
    return (unsigned)(seconds * SB_COMBAT_STEPS_PER_S + 0.5);
}

static double speed(const sb_meter *m, const sb_contract_row *row)
{
    unsigned n = sample_argument(row);
    return n < m->motion_count ? (double)m->speeds[n] : NONE;
}

static double turn_rate(const sb_meter *m, const sb_contract_row *row)
{
    unsigned n = sample_argument(row);
    return n < m->motion_count ? (double)m->turn_rates[n] : NONE;
}

/* ---- power and tractor ---- */

static double per_second(const sb_meter *m, const sb_meter_track *track)
{
    return m->time > 0.0f ? ((double)track->now - (double)track->start) / (double)m->time : NONE;
}

static double main_rate(const sb_meter *m, const sb_contract_row *row)
{
    (void)row;
    return per_second(m, &m->main_battery);
}

static double backup_rate(const sb_meter *m, const sb_contract_row *row)
{
    (void)row;
    return per_second(m, &m->backup_battery);
}

/* The speed of a target that flies at the row's speed while it is held. */
static double pulled_speed(const sb_meter *m, const sb_contract_row *row)
{
    return (double)sb_pull_speed(&m->pull, row->scenario.speed);
}

/* The speed at which a parked target is drawn nearer. */
static double drift(const sb_meter *m, const sb_contract_row *row)
{
    sb_vec3 d = m->pull.drift;
    (void)row;
    return sqrt((double)(d.x * d.x + d.y * d.y + d.z * d.z));
}

/* ---- the table ---- */

typedef struct quantity {
    const char *name;
    double (*number)(const sb_meter *m, const sb_contract_row *row);
    void (*text)(const sb_meter *m, const sb_contract_row *row, char *out);
} quantity;

static const quantity quantities[] = {
    { "hit", hit, NULL },
    { "hits", hits, NULL },
    { "total", total, NULL },
    { "rate", rate, NULL },
    { "first_hit", first_hit, NULL },
    { "hit_time", hit_time, NULL },
    { "period", period, NULL },
    { "kill_hits", kill_hits, NULL },
    { "leak", leak, NULL },
    { "facing", facing, NULL },
    { "facings_left", facings_left, NULL },
    { "facings_lost", facings_lost, NULL },
    { "regen", regen, NULL },
    { "regen_step", regen_step, NULL },
    { "regen_period", regen_period, NULL },
    { "part_loss", part_loss, NULL },
    { "hull_loss", hull_loss, NULL },
    { "attacker_hull_loss", attacker_hull_loss, NULL },
    { "hull_share", hull_share, NULL },
    { "repair_rate", repair_rate, NULL },
    { "footprint", NULL, footprint },
    { "beams", beams, NULL },
    { "beams_at_once", beams_at_once, NULL },
    { "windup", windup, NULL },
    { "beam_time", beam_time, NULL },
    { "beam_turn", beam_turn, NULL },
    { "beam_gap", beam_gap, NULL },
    { "beam_total", beam_total, NULL },
    { "beam_after", NULL, beam_after },
    { "discharge_rate", discharge_rate, NULL },
    { "recharge_rate", recharge_rate, NULL },
    { "shots", shots, NULL },
    { "first_shot", first_shot, NULL },
    { "shot_time", shot_time, NULL },
    { "shot_order", NULL, shot_order },
    { "flight", flight, NULL },
    { "charge_per_shot", charge_per_shot, NULL },
    { "speed", speed, NULL },
    { "turn_rate", turn_rate, NULL },
    { "pulled_speed", pulled_speed, NULL },
    { "drift", drift, NULL },
    { "main_rate", main_rate, NULL },
    { "backup_rate", backup_rate, NULL },
};

bool sb_contract_reduce(const sb_meter *m, const sb_contract_row *row, sb_contract_result *result)
{
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++) {
        const quantity *q = &quantities[i];
        if (strcmp(q->name, row->quantity) != 0) continue;
        result->is_text = q->text != NULL;
        if (q->text) q->text(m, row, result->text);
        else result->number = q->number(m, row);
        return true;
    }
    return false;
}
