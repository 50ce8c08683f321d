/* src/load/hardpoint_table.c -- the figures of a script as a Lua table.
 *
 * For:      hardpoint_table.h. The parts: hardpoint_entries.c.
 * May use:  open_memstream.
 * Tests:    tests/load/hardpoint_table_test.c
 */
#include "load/hardpoint_table.h"

#include "base/assert.h"
#include "base/text.h"
#include "load/hardpoint_entries.h"
#include "load/table_limits.h"

#include <starbase/hardpoint.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RADIUS_SHARE 1.2 /* of the distance of the farthest part (spec 11 §1.1) */

/* ---- names ---- */

/* "Hardpoints/My-Ship.py" -> "my-ship" as `key`, "My-Ship" as a name. */
static void write_file_stem(const char *file, bool lower, char out[SB_SCRIPT_NAME_MAX + 1])
{
    const char *start = file;
    for (const char *c = file; *c; c++)
        if (*c == '/' || *c == '\\') start = c + 1;
    size_t size = strcspn(start, ".");
    if (size > SB_SCRIPT_NAME_MAX) size = SB_SCRIPT_NAME_MAX;
    for (size_t i = 0; i < size; i++) {
        bool upper = lower && start[i] >= 'A' && start[i] <= 'Z';
        out[i] = upper ? (char)(start[i] - 'A' + 'a') : start[i];
    }
    out[size] = '\0';
    if (size == 0) snprintf(out, SB_SCRIPT_NAME_MAX + 1, "ship");
}

static const sb_script_property *find_type(const sb_table_writer *w, int type)
{
    for (size_t i = 0; i < w->count; i++)
        if (w->list[i]->class && w->list[i]->class->type == type) return w->list[i];
    return NULL;
}

static void write_names(sb_table_writer *w)
{
    const sb_table_options   *o = w->options;
    const sb_script_property *ship = find_type(w, SB_PROPERTY_OF_SHIP);
    char                      stem[SB_SCRIPT_NAME_MAX + 1];
    fprintf(w->out, "    species = %u,%s\n", o->species,
            o->species ? "" : " -- the ship's number in the mod, 1 to 255: fill it in");
    write_file_stem(w->script->file, true, stem);
    fprintf(w->out, "    key = ");
    sb_table_write_text(w->out, o->key ? o->key : stem);
    write_file_stem(w->script->file, false, stem);
    fprintf(w->out, ",\n    name = ");
    sb_table_write_text(w->out, o->name ? o->name : ship && ship->text ? ship->text : stem);
    fprintf(w->out, ",\n    faction = ");
    sb_table_write_text(w->out, o->faction ? o->faction : "Unknown");
    fprintf(w->out, ",%s\n    modifier_class = 1,\n    selectable = true,\n\n",
            o->faction ? "" : " -- not in the script; only people read it");
}

/* ---- figures of the ship ---- */

/* A group of figures that one property holds. */
typedef struct figure_row {
    const char *key;
    uint8_t     figure;
    double      low, high, fallback;
} figure_row;

typedef struct figure_group {
    const char       *key;    /* of the table that holds them; NULL: the ship itself */
    const char       *source; /* in class_sources */
    int               type;
    const char       *tail; /* further lines */
    const figure_row *rows;
} figure_group;

/* clang-format off */
static const figure_row mass_rows[] = {
    { "mass",               SB_SCRIPT_MASS,    MIN_DIVISOR, LIMIT, 100 },
    { "rotational_inertia", SB_SCRIPT_INERTIA, 0, LIMIT, 10000 },
    { NULL },
};
static const figure_row impulse_rows[] = {
    { "max_speed",            SB_SCRIPT_MAX_SPEED, 0, LIMIT, 0 },
    { "max_accel",            SB_SCRIPT_MAX_ACCEL, 0, LIMIT, 0 },
    { "max_angular_accel",    SB_SCRIPT_MAX_ANGULAR_ACCEL, 0, LIMIT, 0 },
    { "max_angular_velocity", SB_SCRIPT_MAX_ANGULAR_VELOCITY, 0, LIMIT, 0 },
    { NULL },
};
static const figure_row power_rows[] = {
    { "output",         SB_SCRIPT_OUTPUT, 0, LIMIT, 0 },
    { "main_battery",   SB_SCRIPT_MAIN_BATTERY, 0, LIMIT, 0 },
    { "backup_battery", SB_SCRIPT_BACKUP_BATTERY, 0, LIMIT, 0 },
    { "main_conduit",   SB_SCRIPT_MAIN_CONDUIT, 0, LIMIT, 0 },
    { "backup_conduit", SB_SCRIPT_BACKUP_CONDUIT, 0, LIMIT, 0 },
    { NULL },
};
static const figure_row repair_rows[] = {
    { "max_points", SB_SCRIPT_REPAIR_POINTS, 0, LIMIT, 0 },
    { "teams",      SB_SCRIPT_REPAIR_TEAMS, 0, 255, 0 },
    { NULL },
};
#define DRAW_SOURCE "        draw_source = \"hardpoint\",\n"
static const figure_group groups[] = {
    { NULL,      "mass",    SB_PROPERTY_OF_SHIP,  "", mass_rows },
    { "impulse", "impulse", SB_SUBSYSTEM_IMPULSE, "", impulse_rows },
    { "power",   "reactor", SB_SUBSYSTEM_POWER,   DRAW_SOURCE, power_rows },
    { "repair",  "repair",  SB_SUBSYSTEM_REPAIR,  "", repair_rows },
};
/* clang-format on */

static void add_class_source(sb_table_writer *w, const char *group, const char *source)
{
    size_t size = strlen(w->class_sources);
    snprintf(w->class_sources + size, sizeof w->class_sources - size, "%s%s = \"%s\"",
             size ? ", " : "", group, source);
}

static void write_group(sb_table_writer *w, const figure_group *g)
{
    sb_script_property        none;
    const sb_script_property *p = find_type(w, g->type);
    if (!p) {
        sb_script_property_init(&none);
        none.file = w->script->file;
        p = &none;
    }
    if (g->key) fprintf(w->out, "    %s = {\n", g->key);
    w->estimates[0] = '\0';
    for (const figure_row *r = g->rows; r->key; r++) {
        fprintf(w->out, g->key ? "        " : "    ");
        sb_table_write_figure(w, p, r->key, r->figure, r->low, r->high, r->fallback);
        fprintf(w->out, ",\n");
    }
    if (w->estimates[0]) {
        fprintf(w->out, "        -- estimates: %s\n", w->estimates);
        add_class_source(w, g->source, "estimate");
    }
    fprintf(w->out, "%s%s", g->tail, g->key ? "    },\n" : "");
}

static float farthest_part(const sb_table_writer *w)
{
    float farthest = 0;
    for (size_t i = 0; i < w->count; i++) {
        const float *at = &w->list[i]->figures[SB_SCRIPT_POSITION];
        float        distance = sqrtf(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
        if (isfinite(distance) && distance > farthest) farthest = distance;
    }
    return farthest;
}

static void write_radius(sb_table_writer *w)
{
    double farthest = (double)farthest_part(w);
    double estimate = farthest > 0 ? RADIUS_SHARE * farthest : 1;
    double radius = w->options->radius > 0 ? (double)w->options->radius : estimate;
    fprintf(w->out, "    bound_radius = ");
    sb_table_write_number(w->out, fmin(fmax(radius, MIN_DIVISOR), MAX_DISTANCE));
    fprintf(w->out, ",%s\n",
            w->options->radius > 0 ? ""
                                   : " -- estimate: 1.2 x the farthest part (the model knows)");
}

static void write_facings(sb_table_writer *w, const sb_script_property *p, const char *key,
                          unsigned first)
{
    fprintf(w->out, "        %s = { ", key);
    for (unsigned i = 0; i < SB_FACINGS; i++) {
        float value = p ? p->figures[first + i] : NAN;
        if (isnan(value)) value = 0;
        if (i) fprintf(w->out, ", ");
        sb_table_write_number(w->out, fmin(fmax((double)value, 0), LIMIT));
    }
    fprintf(w->out, " },\n");
}

static void write_shields(sb_table_writer *w)
{
    const sb_script_property *p = find_type(w, SB_SUBSYSTEM_SHIELD);
    fprintf(w->out, "    shields = { -- front, rear, top, bottom, left, right%s\n",
            p ? "" : "; the script has no shield generator");
    write_facings(w, p, "max", SB_SCRIPT_SHIELD_MAX);
    write_facings(w, p, "rate", SB_SCRIPT_SHIELD_RATE);
    fprintf(w->out, "    },\n");
}

static void write_optional(sb_table_writer *w, const char *key, int type, sb_script_figure figure)
{
    const sb_script_property *p = find_type(w, type);
    if (!p || isnan(p->figures[figure])) return;
    fprintf(w->out, "    ");
    sb_table_write_figure(w, p, key, figure, 0, LIMIT, 0);
    fprintf(w->out, ",\n");
}

/* ---- ordnance ---- */

static bool equals_ignoring_case(sb_span a, const char *b)
{
    size_t size = strlen(b);
    if (a.size != size) return false;
    for (size_t i = 0; i < size; i++)
        if ((a.data[i] | 0x20) != ((unsigned char)b[i] | 0x20)) return false;
    return true;
}

static sb_span without_packages(const char *script)
{
    const char *dot = strrchr(script, '.');
    return sb_text_span(dot ? dot + 1 : script);
}

/* The projectile type of a script by option or by its name in the stock game. False: unknown. */
static bool find_projectile(const sb_table_writer *w, sb_span name, uint8_t *out)
{
    const sb_projectile_set *stock = sb_stock_projectiles();
    for (size_t i = 0; i < w->options->projectile_count; i++) {
        const sb_table_projectile *p = &w->options->projectiles[i];
        if (p->script_size != name.size || memcmp(p->script, name.data, name.size) != 0) continue;
        *out = p->type;
        return true;
    }
    for (size_t i = 0; i < stock->count; i++)
        if (equals_ignoring_case(name, stock->projectiles[i].name)) {
            *out = stock->projectiles[i].type;
            return true;
        }
    return false;
}

enum { FALLBACK_TORPEDO = 2, FALLBACK_BOLT = 8 }; /* PhotonTorpedo, PulseDisruptor */

static void write_ordnance_row(sb_table_writer *w, const char *system, unsigned slot,
                               const char *script, uint8_t fallback)
{
    uint8_t type = fallback;
    sb_span name = script ? without_packages(script) : (sb_span){ NULL, 0 };
    bool    known = script && find_projectile(w, name, &type);
    if (script && !known)
        sb_hardpoint_script_note(w->script, name, 0,
                                 "is a projectile whose number is not known; give it with "
                                 "--projectile NAME=NUMBER");
    fprintf(w->out, "        { system = \"%s\", slot = %u, projectile = %u, ground = \"%s\",\n",
            system, slot, type, known ? "hardpoint script" : "a guess: number unknown");
    fprintf(w->out, "          source = \"%s\"", known ? "hardpoint" : "estimate");
}

static void write_torpedo(sb_table_writer *w, const sb_script_torpedo *t)
{
    write_ordnance_row(w, "torpedo_system", t->slot, t->script, FALLBACK_TORPEDO);
    if (!isnan(t->count)) {
        fprintf(w->out, ", max_torpedoes = ");
        sb_table_write_number(w->out, fmin(fmax((double)t->count, 0), MAX_DISTANCE));
    }
    if (t->script && t->script[0]) {
        fprintf(w->out, ", script = ");
        sb_table_write_text(w->out, t->script);
    }
    fprintf(w->out, " },\n");
}

static void write_torpedoes(sb_table_writer *w, const sb_script_property *system)
{
    float types = system->figures[SB_SCRIPT_AMMO_TYPES];
    for (size_t i = 0; i < w->script->torpedo_count; i++) {
        const sb_script_torpedo *t = &w->script->torpedoes[i];
        bool                     counts = isnan(types) || (float)t->slot < types;
        if (t->system == system && counts) write_torpedo(w, t);
    }
}

/* One kind of bolt per ship: that of the first cannon. */
static void write_bolt(sb_table_writer *w)
{
    const sb_script_property *cannon = find_type(w, SB_SUBSYSTEM_PULSE_WEAPON);
    write_ordnance_row(w, "pulse_system", 0, cannon ? cannon->text : NULL, FALLBACK_BOLT);
    fprintf(w->out, " },\n");
    for (size_t i = 0; cannon && cannon->text && i < w->count; i++) {
        const sb_script_property *p = w->list[i];
        if (p->class == cannon->class && p->text && strcmp(p->text, cannon->text) != 0)
            sb_hardpoint_script_note_property(
                w->script, p, sb_text_span(p->name),
                "fires other bolts than the first cannon; a table has one "
                "kind");
    }
}

static void write_ordnance(sb_table_writer *w)
{
    fprintf(w->out, "    ordnance = {\n");
    for (size_t i = 0; i < w->count; i++) {
        int type = sb_table_part_type(w->list[i]);
        if (type == SB_SUBSYSTEM_TORPEDO_SYSTEM) write_torpedoes(w, w->list[i]);
    }
    if (sb_table_has_type(w, SB_SUBSYSTEM_PULSE_SYSTEM)) write_bolt(w);
    fprintf(w->out, "    },\n");
}

/* ---- the whole table ---- */

static void write_head(FILE *out, const sb_table_writer *w)
{
    char stem[SB_SCRIPT_NAME_MAX + 1];
    write_file_stem(w->script->file, false, stem);
    for (char *c = stem; *c; c++)
        if ((unsigned char)*c < ' ') *c = ' '; /* a line end would end the comment */
    fprintf(out,
            "-- Written by `starbase ships import` from the hardpoint script of %s.\n"
            "--\n"
            "-- The order of `hardpoints` is the order of adding in the script. Figures that the\n"
            "-- script does not give are marked as estimates. data/README.md explains all keys.\n"
            "\n"
            "return {\n",
            stem);
}

static void write_body(sb_table_writer *w)
{
    write_names(w);
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        write_group(w, &groups[i]);
        if (i == 0) write_radius(w);
        if (i == 1) write_shields(w);
    }
    write_optional(w, "cloak_strength", SB_SUBSYSTEM_CLOAK, SB_SCRIPT_CLOAK_STRENGTH);
    write_optional(w, "sensor_range", SB_SUBSYSTEM_SENSOR, SB_SCRIPT_SENSOR_RANGE);
    if (w->options->radius > 0) add_class_source(w, "radius", "documented");
    if (w->class_sources[0]) fprintf(w->out, "    class_sources = { %s },\n", w->class_sources);
    write_ordnance(w);
    fprintf(w->out, "\n    source = { condition = \"hardpoint\", properties = \"hardpoint\", "
                    "power = \"hardpoint\" },\n"
                    "    hardpoints = {\n");
    sb_table_write_entries(w);
    fprintf(w->out, "    },\n}\n");
}

static sb_result run_out(sb_hardpoint_script *script)
{
    return sb_data_refuse_os_error(script->data, script->file, "out of memory");
}

static sb_result check_list(sb_table_writer *w)
{
    if (w->count == 0)
        return sb_data_refuse(w->script->data, w->script->file, "",
                              "adds no properties: a hardpoint script has a function "
                              "LoadPropertySet with calls of AddToSet");
    if (!sb_table_has_type(w, SB_SUBSYSTEM_HULL))
        return sb_data_refuse(w->script->data, w->script->file, "",
                              "adds no hull (HullProperty): this is no ship");
    return SB_OK;
}

sb_result sb_hardpoint_table_write(sb_hardpoint_script *script, const sb_table_options *options,
                                   char **text, size_t *size)
{
    *text = NULL;
    sb_table_writer *w = sb_data_allocate(script->data, sizeof *w);
    if (!w) return run_out(script);
    w->script = script;
    w->options = options;
    w->count = sb_hardpoint_script_list(script, w->list);
    sb_result result = check_list(w);
    if (result != SB_OK) return result;
    FILE *out = open_memstream(text, size);
    if (!out) return run_out(script);
    w->out = out;
    write_head(out, w);
    write_body(w);
    if (fclose(out) == 0) return SB_OK;
    free(*text);
    *text = NULL;
    return run_out(script);
}
