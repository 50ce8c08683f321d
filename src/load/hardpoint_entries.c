/* src/load/hardpoint_entries.c -- one entry per part: figures, weapon, estimates.
 *
 * For:      hardpoint_entries.h. The limits are those of the loader (part_table.c, weapon_table.c),
 *           so that a table that is written can be loaded.
 * Tests:    tests/load/hardpoint_table_test.c
 */
#include "load/hardpoint_entries.h"

#include "base/text.h"
#include "load/part_table.h"
#include "load/table_limits.h"

#include <starbase/hardpoint.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char is_missing[] =
    "is not called for a part that needs it; the table has an estimate";
static const char is_cut[] = "gives a figure that a table cannot hold; it is cut";
static const char no_type[] = "has no SetWeaponSystemType that is understood; left out";
static const char no_system[] = "belongs to a system that the script does not add; left out";
static const char bad_axis[] = "gives no direction; the table has an estimate";

/* ---- numbers and texts ---- */

void sb_table_write_number(FILE *out, double number)
{
    char  text[40];
    float wanted = (float)number;
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)wanted);
        if (strtof(text, NULL) == wanted) break;
    }
    fputs(strcmp(text, "-0") == 0 ? "0" : text, out);
}

void sb_table_write_text(FILE *out, const char *text)
{
    putc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c == '"' || *c == '\\') fprintf(out, "\\%c", *c);
        else if (*c < ' ' || *c == 0x7F) fprintf(out, "\\%03u", *c);
        else putc(*c, out);
    putc('"', out);
}

static void add_estimate(sb_table_writer *w, const char *key)
{
    size_t size = strlen(w->estimates);
    snprintf(w->estimates + size, sizeof w->estimates - size, "%s%s", size ? ", " : "", key);
}

static void note_figure(sb_table_writer *w, const sb_script_property *p, sb_script_figure figure,
                        const char *reason)
{
    sb_span setter = sb_text_span(sb_property_figure_name(p->class, figure));
    sb_hardpoint_script_note_property(w->script, p, setter, reason);
}

static double figure_within(sb_table_writer *w, const sb_script_property *p,
                            sb_script_figure figure, double low, double high)
{
    double value = (double)p->figures[figure];
    if (value >= low && value <= high) return value;
    note_figure(w, p, figure, is_cut);
    return value < low ? low : high;
}

void sb_table_write_figure(sb_table_writer *w, const sb_script_property *p, const char *key,
                           sb_script_figure figure, double low, double high, double fallback)
{
    bool known = !isnan(p->figures[figure]);
    fprintf(w->out, "%s = ", key);
    sb_table_write_number(w->out, known ? figure_within(w, p, figure, low, high) : fallback);
    if (known) return;
    note_figure(w, p, figure, is_missing);
    add_estimate(w, key);
}

static void write_optional(sb_table_writer *w, const sb_script_property *p, const char *key,
                           sb_script_figure figure, double low, double high)
{
    if (isnan(p->figures[figure])) return;
    fprintf(w->out, ", ");
    sb_table_write_figure(w, p, key, figure, low, high, 0);
}

static void write_numbers(FILE *out, const char *key, const double *values, size_t count)
{
    fprintf(out, "%s = { ", key);
    for (size_t i = 0; i < count; i++) {
        if (i) fprintf(out, ", ");
        sb_table_write_number(out, values[i]);
    }
    fprintf(out, " }");
}

/* A flag of the script as "yes" or "no"; nothing if the script does not set it. */
static void write_answer(sb_table_writer *w, const sb_script_property *p, const char *key,
                         sb_script_figure figure)
{
    if (isnan(p->figures[figure])) return;
    fprintf(w->out, ", %s = \"%s\"", key, p->figures[figure] != 0 ? "yes" : "no");
}

/* ---- which part ---- */

static int weapon_system_type(const sb_script_property *p)
{
    float type = p->figures[SB_SCRIPT_SYSTEM_TYPE];
    return type == 1   ? SB_SUBSYSTEM_PHASER_SYSTEM
           : type == 2 ? SB_SUBSYSTEM_TORPEDO_SYSTEM
           : type == 3 ? SB_SUBSYSTEM_PULSE_SYSTEM
           : type == 4 ? SB_SUBSYSTEM_TRACTOR_SYSTEM
                       : -1;
}

int sb_table_part_type(const sb_script_property *p)
{
    if (!p->class) return -1;
    if (p->class->type == SB_PROPERTY_WEAPON_TYPE) return weapon_system_type(p);
    return p->class->type >= 0 ? p->class->type : -1;
}

bool sb_table_has_type(const sb_table_writer *w, int type)
{
    for (size_t i = 0; i < w->count; i++)
        if (sb_table_part_type(w->list[i]) == type) return true;
    return false;
}

static bool is_warp_engine(const sb_script_property *p)
{
    return p->figures[SB_SCRIPT_ENGINE_TYPE] == SB_ENGINE_WARP;
}

/* The type of the part, or -1 and a note if it cannot be in the table. */
static int type_of_entry(sb_table_writer *w, const sb_script_property *p)
{
    int     type = sb_table_part_type(p);
    sb_span name = sb_text_span(p->name);
    if (type < 0) {
        if (p->class && p->class->type == SB_PROPERTY_WEAPON_TYPE)
            sb_hardpoint_script_note_property(w->script, p, name, no_type);
        return -1;
    }
    sb_hardpoint hardpoint = { .part.type = (uint8_t)type };
    hardpoint.engine_tag = is_warp_engine(p) ? SB_ENGINE_WARP : SB_ENGINE_IMPULSE;
    int system = sb_hardpoint_system_type(&hardpoint);
    if (system < 0 || sb_table_has_type(w, system)) return type;
    sb_hardpoint_script_note_property(w->script, p, name, no_system);
    return -1;
}

/* ---- weapons ---- */

/* A direction of length 1, as the loader wants it. */
static bool read_axis(const sb_script_property *p, sb_script_figure first, double out[3])
{
    double length = 0;
    for (unsigned i = 0; i < 3; i++) {
        out[i] = (double)p->figures[first + i];
        length += out[i] * out[i];
    }
    length = sqrt(length);
    if (!isfinite(length) || length < 1e-6) return false;
    for (unsigned i = 0; i < 3; i++) out[i] /= length;
    return true;
}

static void write_axis(sb_table_writer *w, const sb_script_property *p, const char *key,
                       sb_script_figure first, const double fallback[3])
{
    double axis[3];
    bool   known = read_axis(p, first, axis);
    if (!known) {
        memcpy(axis, fallback, sizeof axis);
        add_estimate(w, key);
        note_figure(w, p, first, bad_axis);
    }
    write_numbers(w->out, key, axis, 3);
}

static void write_right(sb_table_writer *w, const sb_script_property *p)
{
    double axis[3];
    if (!read_axis(p, SB_SCRIPT_RIGHT, axis)) return;
    fprintf(w->out, ", ");
    write_numbers(w->out, "right", axis, 3);
}

/* Scripts give the two angles in either order. */
static void write_arc(sb_table_writer *w, const sb_script_property *p, const char *key,
                      sb_script_figure first)
{
    double angles[2] = { -0.5, 0.5 };
    bool   known = !isnan(p->figures[first]) && !isnan(p->figures[first + 1]);
    for (unsigned i = 0; known && i < 2; i++)
        angles[i] = figure_within(w, p, (sb_script_figure)(first + i), -HALF_TURN, HALF_TURN);
    if (!known) {
        add_estimate(w, key);
        note_figure(w, p, first, is_missing);
    }
    double sorted[2] = { fmin(angles[0], angles[1]), fmax(angles[0], angles[1]) };
    write_numbers(w->out, key, sorted, 2);
}

static const double ahead[3] = { 0, 1, 0 }, upward[3] = { 0, 0, 1 };

static void write_weapon_id(sb_table_writer *w, const sb_script_property *p)
{
    double id = (double)p->figures[SB_SCRIPT_WEAPON_ID];
    fprintf(w->out, "id = %d", id >= 0 && id <= 255 ? (int)id : 0);
}

/* max_ready is an integer of at most SB_TUBE_PLACES. */
static void write_tube(sb_table_writer *w, const sb_script_property *p)
{
    bool   known = !isnan(p->figures[SB_SCRIPT_MAX_READY]);
    double ready = known ? figure_within(w, p, SB_SCRIPT_MAX_READY, 1, SB_TUBE_PLACES) : 1;
    if (!known) add_estimate(w, "max_ready");
    fprintf(w->out, ", max_ready = %d, dumbfire = %s,\n                ", (int)ready,
            p->figures[SB_SCRIPT_DUMBFIRE] > 0 ? "true" : "false");
    sb_table_write_figure(w, p, "reload_delay", SB_SCRIPT_RELOAD_DELAY, 0, LIMIT, 40);
    fprintf(w->out, ", ");
    sb_table_write_figure(w, p, "immediate_delay", SB_SCRIPT_IMMEDIATE_DELAY, 0, LIMIT, 0.25);
    fprintf(w->out, ",\n                ");
    write_axis(w, p, "forward", SB_SCRIPT_FORWARD, ahead);
    write_right(w, p);
}

static void write_charges(sb_table_writer *w, const sb_script_property *p)
{
    float charge = p->figures[SB_SCRIPT_MAX_CHARGE];
    /* A weapon that needs more charge than it can hold never fires; a table cannot say that. */
    double most = isnan(charge) ? 5 : fmin(fmax((double)charge, MIN_DIVISOR), LIMIT);
    sb_table_write_figure(w, p, "max_charge", SB_SCRIPT_MAX_CHARGE, MIN_DIVISOR, LIMIT, 5);
    fprintf(w->out, ", ");
    sb_table_write_figure(w, p, "min_firing_charge", SB_SCRIPT_MIN_FIRING_CHARGE, 0, most, most);
    fprintf(w->out, ",\n                ");
    sb_table_write_figure(w, p, "recharge_rate", SB_SCRIPT_RECHARGE_RATE, 0, LIMIT, 0.1);
    fprintf(w->out, ", ");
    sb_table_write_figure(w, p, "discharge_rate", SB_SCRIPT_DISCHARGE_RATE, 0, LIMIT, 1);
}

static void write_energy(sb_table_writer *w, const sb_script_property *p)
{
    fprintf(w->out, ", ");
    sb_table_write_figure(w, p, "max_damage", SB_SCRIPT_MAX_DAMAGE, 0, LIMIT, 0);
    fprintf(w->out, ", ");
    sb_table_write_figure(w, p, "max_damage_distance", SB_SCRIPT_MAX_DAMAGE_DISTANCE, 0, LIMIT, 0);
    fprintf(w->out, ",\n                ");
    write_charges(w, p);
    fprintf(w->out, ",\n                ");
    write_axis(w, p, "forward", SB_SCRIPT_FORWARD, ahead);
    fprintf(w->out, ", ");
    write_axis(w, p, "up", SB_SCRIPT_UP, upward);
    fprintf(w->out, ",\n                ");
    write_arc(w, p, "arc_width", SB_SCRIPT_ARC_WIDTH);
    fprintf(w->out, ", ");
    write_arc(w, p, "arc_height", SB_SCRIPT_ARC_HEIGHT);
}

static bool has_strip(const sb_script_property *p)
{
    return p->figures[SB_SCRIPT_STRIP_LENGTH] >= 0 && p->figures[SB_SCRIPT_STRIP_WIDTH] >= 0;
}

/* Width and length also are the two beam dimensions of the integrity hash, in the order of the
 * calls (spec 04 §5.2). */
static void write_strip(sb_table_writer *w, const sb_script_property *p)
{
    if (!has_strip(p)) return;
    double size[2] = { fmin((double)p->figures[SB_SCRIPT_STRIP_WIDTH], MAX_DISTANCE),
                       fmin((double)p->figures[SB_SCRIPT_STRIP_LENGTH], MAX_DISTANCE) };
    fprintf(w->out, ",\n                strip_length = ");
    sb_table_write_number(w->out, size[1]);
    fprintf(w->out, ", strip_width = ");
    sb_table_write_number(w->out, size[0]);
    fprintf(w->out, ", ");
    write_numbers(w->out, "beam_size", size, 2);
}

static void write_cannon(sb_table_writer *w, const sb_script_property *p)
{
    write_optional(w, p, "cooldown_time", SB_SCRIPT_COOLDOWN, 0, LIMIT);
    if (!p->text || !p->text[0]) return;
    fprintf(w->out, ",\n                module = ");
    sb_table_write_text(w->out, p->text);
}

static void write_weapon(sb_table_writer *w, const sb_script_property *p, int type)
{
    fprintf(w->out, "            weapon = {\n                ");
    write_weapon_id(w, p);
    if (type == SB_SUBSYSTEM_TORPEDO_TUBE) write_tube(w, p);
    else write_energy(w, p);
    write_optional(w, p, "damage_radius_factor", SB_SCRIPT_DAMAGE_RADIUS_FACTOR, 0, LIMIT);
    if (type == SB_SUBSYSTEM_PHASER_BANK) write_strip(w, p);
    if (type == SB_SUBSYSTEM_PULSE_WEAPON) write_cannon(w, p);
    if (type == SB_SUBSYSTEM_PULSE_WEAPON || type == SB_SUBSYSTEM_TRACTOR_PROJECTOR)
        write_right(w, p);
    fprintf(w->out, ",\n            },\n");
}

/* ---- parts ---- */

static void write_position(sb_table_writer *w, const sb_script_property *p, int type)
{
    double at[3];
    for (unsigned i = 0; i < 3; i++) {
        if (isnan(p->figures[SB_SCRIPT_POSITION + i])) return;
        at[i] = figure_within(w, p, (sb_script_figure)(SB_SCRIPT_POSITION + i), -MAX_DISTANCE,
                              MAX_DISTANCE);
    }
    bool mounted = type == SB_SUBSYSTEM_PHASER_BANK && has_strip(p);
    fprintf(w->out, "            ");
    write_numbers(w->out, mounted ? "mount" : "position", at, 3);
    fprintf(w->out, ", ");
    sb_table_write_figure(w, p, "radius", SB_SCRIPT_RADIUS, 0, MAX_DISTANCE, 0.25);
    fprintf(w->out, ",\n");
}

/* Tractors draw on the main battery, cloaks on the backup battery (spec 10 §4.4). */
static void write_power(sb_table_writer *w, const sb_script_property *p, int type)
{
    uint8_t format = sb_subsystem_entry_format((uint8_t)type);
    if (format != SB_FORMAT_POWERED && format != SB_FORMAT_SHIELD) return;
    if (sb_subsystem_child_type((uint8_t)type) == 0 && type >= SB_SUBSYSTEM_PHASER_BANK) return;
    fprintf(w->out, "            ");
    sb_table_write_figure(w, p, "power_per_second", SB_SCRIPT_POWER_PER_SECOND, 0, LIMIT, 0);
    if (type == SB_SUBSYSTEM_TRACTOR_SYSTEM) fprintf(w->out, ", power_mode = \"main_battery\"");
    if (type == SB_SUBSYSTEM_CLOAK) fprintf(w->out, ", power_mode = \"backup_only\"");
    write_answer(w, p, "single_fire", SB_SCRIPT_SINGLE_FIRE);
    write_answer(w, p, "aimed", SB_SCRIPT_AIMED);
    fprintf(w->out, ",\n");
}

static void write_first_line(sb_table_writer *w, const sb_script_property *p, int type)
{
    fprintf(w->out, "            type = \"%s\"", sb_part_type_words[type]);
    if (type == SB_SUBSYSTEM_ENGINE)
        fprintf(w->out, ", engine = \"%s\"", is_warp_engine(p) ? "warp" : "impulse");
    fprintf(w->out, ", name = ");
    sb_table_write_text(w->out, p->name[0] ? p->name : "unnamed");
    if (p->figures[SB_SCRIPT_CRITICAL] > 0) fprintf(w->out, ", critical = true");
    if (p->figures[SB_SCRIPT_TARGETABLE] == 0) fprintf(w->out, ", targetable = false");
    write_answer(w, p, "primary", SB_SCRIPT_PRIMARY);
    fprintf(w->out, ",\n            ");
    sb_table_write_figure(w, p, "max_condition", SB_SCRIPT_MAX_CONDITION, MIN_DIVISOR, LIMIT, 1000);
    fprintf(w->out, ", ");
    sb_table_write_figure(w, p, "disabled_below", SB_SCRIPT_DISABLED_BELOW, 0, 1, 0.5);
    fprintf(w->out, ", ");
    sb_table_write_figure(w, p, "repair_complexity", SB_SCRIPT_REPAIR_COMPLEXITY, MIN_DIVISOR,
                          LIMIT, 1);
    fprintf(w->out, ",\n");
}

static bool is_weapon(int type)
{
    return type >= SB_SUBSYSTEM_PHASER_BANK && type != SB_SUBSYSTEM_ENGINE;
}

/* The sources follow from the names of the keys that are guesses. */
static void write_estimates(sb_table_writer *w)
{
    if (!w->estimates[0]) return;
    bool condition = strstr(w->estimates, "max_condition") != NULL;
    bool power = strstr(w->estimates, "power_per_second") != NULL;
    fprintf(
        w->out,
        "            -- estimates: %s\n            source = { properties = \"estimate\"%s%s },\n",
        w->estimates, condition ? ", condition = \"estimate\"" : "",
        power ? ", power = \"estimate\"" : "");
}

static void write_entry(sb_table_writer *w, const sb_script_property *p, int type)
{
    w->estimates[0] = '\0';
    fprintf(w->out, "        {\n");
    write_first_line(w, p, type);
    write_power(w, p, type);
    write_position(w, p, type);
    if (is_weapon(type)) write_weapon(w, p, type);
    write_estimates(w);
    fprintf(w->out, "        },\n");
}

void sb_table_write_entries(sb_table_writer *w)
{
    for (size_t i = 0; i < w->count; i++) {
        int type = type_of_entry(w, w->list[i]);
        if (type >= 0) write_entry(w, w->list[i], type);
    }
}
