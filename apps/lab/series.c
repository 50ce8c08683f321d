/* apps/lab/series.c -- one experiment, printed as a table, CSV or JSON lines.
 *
 * Tests:    tests/apps/lab_test.py
 */
#include "lab.h"

#include "common/commands.h"

#include "lab/meter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 8, WIDTH_MIN = 9 };

static const char *const facing_names[SB_FACINGS] = { "front",  "rear", "top",
                                                      "bottom", "port", "starboard" };

/* A run that is being printed. */
typedef struct series {
    const lab_job       *job;
    const sb_ship_class *attacker, *target;
    double               every;
    unsigned             printed;                                  /* samples */
    unsigned             part_count, weapon_count;                 /* columns of the table */
    unsigned             parts[COLUMNS_MAX], weapons[COLUMNS_MAX]; /* as the meter numbers them */
    unsigned             parts_left_out, weapons_left_out;
} series;

static float condition_of(const sb_ship *ship, unsigned part)
{
    return part < SB_SUBSYSTEMS_MAX ? ship->condition[part]
                                    : ship->child_condition[part - SB_SUBSYSTEMS_MAX];
}

static const char *name_of(const sb_ship_class *model, unsigned part)
{
    return part < SB_SUBSYSTEMS_MAX ? model->subsystems[part].name
                                    : model->children[part - SB_SUBSYSTEMS_MAX].name;
}

/* Calls `visit` for every part in list order: each entry, then its children. */
static void visit_parts(const sb_ship_class *model, void *context,
                        void (*visit)(void *context, unsigned part))
{
    for (unsigned i = 0; i < model->subsystem_count; i++) {
        visit(context, i);
        for (unsigned j = 0; j < model->subsystems[i].child_count; j++)
            visit(context, SB_SUBSYSTEMS_MAX + model->subsystems[i].first_child + j);
    }
}

static bool has_charge(const sb_ship_class *model, unsigned child)
{
    unsigned type = model->children[child].type;
    return type == SB_SUBSYSTEM_PHASER_BANK || type == SB_SUBSYSTEM_PULSE_WEAPON;
}

/* True if the sample is the first in its interval, or the last. */
static bool is_wanted(const series *s, float time)
{
    return (double)time + 1e-4 >= s->printed * s->every || time >= s->job->scenario.seconds;
}

/* ---- CSV ---- */

static void print_csv_name(void *context, unsigned part)
{
    const series *s = context;
    printf(",%s", name_of(s->target, part));
}

static void print_csv_head(series *s)
{
    printf("time");
    for (unsigned i = 0; i < SB_FACINGS; i++) printf(",%s", facing_names[i]);
    visit_parts(s->target, s, print_csv_name);
    for (unsigned i = 0; i < s->attacker->child_count; i++)
        if (has_charge(s->attacker, i)) printf(",charge of %s", s->attacker->children[i].name);
    printf(",main battery,backup battery,speed,turn rate\n");
}

typedef struct csv_line {
    const series  *s;
    const sb_ship *ship;
} csv_line;

static void print_csv_part(void *context, unsigned part)
{
    const csv_line *line = context;
    printf(",%.2f", (double)condition_of(line->ship, part));
}

static void print_csv_sample(series *s, const sb_lab_sample *sample)
{
    csv_line line = { s, sample->target };
    printf("%.4f", (double)sample->time);
    for (unsigned i = 0; i < SB_FACINGS; i++) printf(",%.2f", (double)sample->target->facing[i]);
    visit_parts(s->target, &line, print_csv_part);
    for (unsigned i = 0; i < s->attacker->child_count; i++)
        if (has_charge(s->attacker, i)) printf(",%.4f", (double)sample->weapons[i].charge);
    printf(",%.1f,%.1f,%.4f,%.4f\n", (double)sample->attacker->main_battery,
           (double)sample->attacker->backup_battery, (double)sample->attacker->motion.speed,
           (double)sample->turn_rate);
}

/* ---- JSON ---- */

static void print_json_text(const char *text)
{
    putchar('"');
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c == '"' || *c == '\\' || *c < 0x20 || *c > 0x7E) printf("\\u%04x", *c);
        else putchar(*c);
    putchar('"');
}

typedef struct json_line {
    const series  *s;
    const sb_ship *ship;
    bool           any;
} json_line;

static void print_json_part(void *context, unsigned part)
{
    json_line *line = context;
    if (line->any) putchar(',');
    line->any = true;
    print_json_text(name_of(line->s->target, part));
    printf(":%.2f", (double)condition_of(line->ship, part));
}

static void print_json_charges(const series *s, const sb_lab_sample *sample)
{
    bool any = false;
    for (unsigned i = 0; i < s->attacker->child_count; i++) {
        if (!has_charge(s->attacker, i)) continue;
        if (any) putchar(',');
        any = true;
        print_json_text(s->attacker->children[i].name);
        printf(":{\"charge\":%.4f,\"firing\":%s}", (double)sample->weapons[i].charge,
               sample->weapons[i].firing ? "true" : "false");
    }
}

static void print_json_sample(series *s, const sb_lab_sample *sample)
{
    json_line line = { s, sample->target, false };
    printf("{\"time\":%.4f,\"facings\":[", (double)sample->time);
    for (unsigned i = 0; i < SB_FACINGS; i++)
        printf("%s%.2f", i ? "," : "", (double)sample->target->facing[i]);
    printf("],\"parts\":{");
    visit_parts(s->target, &line, print_json_part);
    printf("},\"weapons\":{");
    print_json_charges(s, sample);
    printf("},\"batteries\":[%.1f,%.1f],\"speed\":%.4f,\"turn_rate\":%.4f,\"alive\":%s}\n",
           (double)sample->attacker->main_battery, (double)sample->attacker->backup_battery,
           (double)sample->attacker->motion.speed, (double)sample->turn_rate,
           sample->target_alive ? "true" : "false");
}

/* ---- the table ---- */

typedef struct choice {
    series         *s;
    const sb_meter *meter;
} choice;

/* Parts that lose something get a column, the hull always. */
static void choose_part(void *context, unsigned part)
{
    choice *c = context;
    bool    hull =
        part < SB_SUBSYSTEMS_MAX && c->s->target->subsystems[part].type == SB_SUBSYSTEM_HULL;
    if (!(sb_meter_loss(&c->meter->target_parts[part]) > 0.0) && !(hull && c->s->part_count == 0))
        return;
    if (c->s->part_count < COLUMNS_MAX) c->s->parts[c->s->part_count++] = part;
    else c->s->parts_left_out++;
}

static void choose_weapons(series *s, const sb_meter *meter)
{
    for (unsigned i = 0; i < s->attacker->child_count; i++) {
        if (meter->charges[i].falls.count == 0) continue;
        if (s->weapon_count < COLUMNS_MAX) s->weapons[s->weapon_count++] = i;
        else s->weapons_left_out++;
    }
}

/* The width of a column: that of its name. */
static int width_of(const char *name)
{
    int width = (int)strlen(name);
    return width > WIDTH_MIN ? width : WIDTH_MIN;
}

static const char *weapon_name(const series *s, unsigned column)
{
    return s->attacker->children[s->weapons[column]].name;
}

static bool is_helm(const series *s)
{
    unsigned action = s->job->scenario.action;
    return action == SB_LAB_THROTTLE || action == SB_LAB_TURN;
}

static void print_table_head(const series *s)
{
    const sb_lab_scenario *x = &s->job->scenario;
    printf("%s: %s at %s, range %g, bearing %g, elevation %g\n", s->attacker->name,
           sb_lab_action_name((sb_lab_action)x->action), s->target->name, (double)x->range,
           (double)x->bearing, (double)x->elevation);
    printf("%8s", "time");
    for (unsigned i = 0; i < SB_FACINGS; i++) printf(" %9s", facing_names[i]);
    for (unsigned i = 0; i < s->part_count; i++)
        printf(" %*s", WIDTH_MIN, name_of(s->target, s->parts[i]));
    for (unsigned i = 0; i < s->weapon_count; i++) printf(" %*s", WIDTH_MIN, weapon_name(s, i));
    if (is_helm(s)) printf(" %9s %9s", "speed", "turn rate");
    printf("\n");
}

static void print_table_sample(const series *s, const sb_lab_sample *sample)
{
    printf("%8.2f", (double)sample->time);
    for (unsigned i = 0; i < SB_FACINGS; i++) printf(" %9.1f", (double)sample->target->facing[i]);
    for (unsigned i = 0; i < s->part_count; i++)
        printf(" %*.1f", width_of(name_of(s->target, s->parts[i])),
               (double)condition_of(sample->target, s->parts[i]));
    for (unsigned i = 0; i < s->weapon_count; i++)
        printf(" %*.2f", width_of(weapon_name(s, i)),
               (double)sample->weapons[s->weapons[i]].charge);
    if (is_helm(s))
        printf(" %9.3f %9.3f", (double)sample->attacker->motion.speed, (double)sample->turn_rate);
    printf("\n");
}

static void print_rate(const sb_meter *m)
{
    unsigned count = m->hit_count < SB_METER_HITS ? m->hit_count : SB_METER_HITS;
    if (count < 2) return;
    double first = (double)m->hits[0].time, last = first;
    for (unsigned i = 1; i < count; i++) last = (double)m->hits[i].time;
    if (last > first)
        printf(", %.0f HP/s from the first hit at %.2f s to the last at %.2f s",
               m->damage / (last - first), first, last);
}

static void print_summary(const series *s, const sb_meter *m)
{
    printf("\n%u hit%s, %.0f HP", m->hit_count, m->hit_count == 1 ? "" : "s", m->damage);
    print_rate(m);
    printf("\n");
    if (m->death_time >= 0.0f)
        printf("%s explodes at %.2f s\n", s->target->name, (double)m->death_time);
    if (s->parts_left_out + s->weapons_left_out > 0)
        printf("columns left out: %u; --csv prints all\n", s->parts_left_out + s->weapons_left_out);
}

/* ---- the run ---- */

static bool on_sample(void *context, const sb_lab_sample *sample)
{
    series *s = context;
    if (!is_wanted(s, sample->time)) return true;
    if (s->job->format == LAB_CSV) print_csv_sample(s, sample);
    else if (s->job->format == LAB_JSON) print_json_sample(s, sample);
    else print_table_sample(s, sample);
    s->printed++;
    return true;
}

/* The table needs to know beforehand which columns change, so the experiment runs twice. */
static int prepare_table(lab_job *job, series *s, sb_meter *meter)
{
    sb_meter_init(meter);
    sb_lab_observer observer = sb_meter_observer(meter);
    int             status = lab_play(job, &observer);
    if (status != SB_EXIT_FINE) return status;
    choice c = { s, meter };
    visit_parts(s->target, &c, choose_part);
    choose_weapons(s, meter);
    print_table_head(s);
    return SB_EXIT_FINE;
}

int lab_print_series(lab_job *job)
{
    series s = { .job = job, .attacker = job->scenario.attacker, .target = job->scenario.target };
    sb_meter       *meter = calloc(1, sizeof *meter);
    sb_lab_observer observer = { &s, on_sample, NULL, NULL };
    int             status = SB_EXIT_FINE;
    if (!meter) abort();
    s.every = job->every >= 0.0 ? job->every : job->format == LAB_TABLE ? 0.5 : 0.0;
    if (job->format == LAB_TABLE) status = prepare_table(job, &s, meter);
    if (job->format == LAB_CSV) print_csv_head(&s);
    if (status == SB_EXIT_FINE) status = lab_play(job, &observer);
    if (status == SB_EXIT_FINE && job->format == LAB_TABLE) print_summary(&s, meter);
    free(meter);
    return status;
}
