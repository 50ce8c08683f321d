/* apps/ships/print.c -- ships as text, for people.
 *
 * For:      print.h.
 * Tests:    tests/apps/ships_test.py
 */
#include "ships/print.h"

#include "ships/figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- one line per class ---- */

typedef struct tally {
    size_t by_source[SB_SOURCE_COUNT];
} tally;

static void count_figure(void *context, const sb_ship_figure *f)
{
    tally *t = context;
    t->by_source[f->source]++;
}

/* The columns of --evidence: unknown figures come last. */
static const uint8_t evidence_columns[] = {
    SB_SOURCE_ENGINE,    SB_SOURCE_HARDPOINT, SB_SOURCE_DOCUMENTED, SB_SOURCE_TRACE, SB_SOURCE_RULE,
    SB_SOURCE_CATALOGUE, SB_SOURCE_INHERITED, SB_SOURCE_ESTIMATE,   SB_SOURCE_NONE,
};
_Static_assert(sizeof evidence_columns == SB_SOURCE_COUNT, "a column for every source");

static const char *source_word(uint8_t source)
{
    return source == SB_SOURCE_NONE ? "unknown" : sb_figure_source_name(source);
}

void sb_ships_print_headings(bool evidence)
{
    if (!evidence) {
        printf("%-14s %-21s %7s %6s %-35s %5s %5s %7s\n", "key", "name", "species", "hull",
               "shields (front rear top bottom l r)", "mass", "speed", "radius");
        return;
    }
    printf("%-14s", "key");
    for (size_t i = 0; i < sizeof evidence_columns; i++)
        printf(" %10s", source_word(evidence_columns[i]));
    printf("\n");
}

static void print_tally(const sb_ship_class *ship)
{
    tally t = { { 0 } };
    sb_ships_walk_figures(ship, count_figure, &t);
    printf("%-14s", ship->key);
    for (size_t i = 0; i < sizeof evidence_columns; i++)
        printf(" %10zu", t.by_source[evidence_columns[i]]);
    printf("\n");
}

static float hull_of(const sb_ship_class *ship)
{
    for (size_t i = 0; i < ship->subsystem_count; i++)
        if (ship->subsystems[i].type == SB_SUBSYSTEM_HULL) return ship->subsystems[i].max_condition;
    return NAN;
}

void sb_ships_print_line(const sb_ship_class *ship, bool evidence)
{
    char         shields[128];
    const float *m = ship->shield_max;
    if (evidence) {
        print_tally(ship);
        return;
    }
    snprintf(shields, sizeof shields, "%g %g %g %g %g %g", (double)m[0], (double)m[1], (double)m[2],
             (double)m[3], (double)m[4], (double)m[5]);
    printf("%-14s %-21s %7u %6g %-35s %5g %5g %7g\n", ship->key, ship->name, ship->species,
           (double)hull_of(ship), shields, (double)ship->mass, (double)ship->max_speed,
           (double)ship->bound_radius);
}

/* ---- one class in full ---- */

static void print_title(const sb_ship_class *ship)
{
    printf("%s (%s), species %u, %s%s%s\n", ship->name, ship->key, ship->species, ship->faction,
           ship->can_cloak ? ", has a cloak" : "", ship->selectable ? "" : ", not selectable");
}

typedef struct page {
    const char *part; /* of the last line */
} page;

/* The name of a part, indented below its system, then its figures on lines of their own. */
static void print_figure(void *context, const sb_ship_figure *f)
{
    page *p = context;
    int   indent = f->child ? 4 : 0;
    if (strcmp(f->name, "order") == 0) return; /* the page is in list order itself */
    bool same = p->part && strcmp(p->part, f->part) == 0;
    if (!same || strcmp(f->name, "condition") == 0) printf("\n%*s%s\n", indent, "", f->part);
    p->part = f->part;
    printf("%*s%-20s  %-*s  %s\n", indent + 2, "", f->name, 60 - indent, f->source ? f->value : "-",
           source_word(f->source));
}

void sb_ships_print_class(const sb_ship_class *ship)
{
    page p = { NULL };
    print_title(ship);
    sb_ships_walk_figures(ship, print_figure, &p);
}

/* ---- evidence of one class ---- */

typedef struct wanted {
    uint8_t source;
    size_t  count;
} wanted;

static void print_if_wanted(void *context, const sb_ship_figure *f)
{
    wanted *w = context;
    if (f->source != w->source) return;
    if (f->value[0]) printf("  %s: %s = %s\n", f->part, f->name, f->value);
    else printf("  %s: %s\n", f->part, f->name);
    w->count++;
}

static void print_figures_from(const sb_ship_class *ship, uint8_t source)
{
    tally t = { { 0 } };
    sb_ships_walk_figures(ship, count_figure, &t);
    printf("\n%s: %zu\n", source_word(source), t.by_source[source]);
    wanted w = { source, 0 };
    sb_ships_walk_figures(ship, print_if_wanted, &w);
}

/* The figures of the ship itself, with their sources. */
static void print_own_source(void *context, const sb_ship_figure *f)
{
    (void)context;
    if (strcmp(f->part, "ship") == 0) printf("  %-14s %s\n", f->name, source_word(f->source));
}

typedef struct groups {
    const char *name;
    tally       t;
} groups;

static void count_group(void *context, const sb_ship_figure *f)
{
    groups *g = context;
    if (strcmp(f->part, "ship") != 0 && strcmp(f->name, g->name) == 0) g->t.by_source[f->source]++;
}

/* "position: 20 engine, 4 estimate" */
static void print_group(const sb_ship_class *ship, const char *name)
{
    groups      g = { name, { { 0 } } };
    const char *between = "";
    sb_ships_walk_figures(ship, count_group, &g);
    printf("  %-14s ", name);
    for (size_t i = 0; i < sizeof evidence_columns; i++) {
        uint8_t source = evidence_columns[i];
        if (g.t.by_source[source] == 0) continue;
        printf("%s%zu %s", between, g.t.by_source[source], source_word(source));
        between = ", ";
    }
    printf("%s\n", *between ? "" : "-");
}

void sb_ships_print_evidence(const sb_ship_class *ship)
{
    static const char *const names[] = { "condition", "properties",     "power",  "position",
                                         "order",     "creation_index", "weapon", "projectile" };
    print_title(ship);
    printf("\nthe ship\n");
    sb_ships_walk_figures(ship, print_own_source, NULL);
    printf("\nits parts\n");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) print_group(ship, names[i]);
    print_figures_from(ship, SB_SOURCE_ESTIMATE);
    print_figures_from(ship, SB_SOURCE_INHERITED);
    print_figures_from(ship, SB_SOURCE_NONE);
}
