/* src/ship/integrity.c -- the integrity hash: the properties that it folds, and their order.
 *
 * For:      starbase/integrity.h. Tables hold the order, one per section of the spec; if a capture
 *           contradicts it, move a row (spec 04 §11).
 * May use:  sb_fold_integrity of wire/hash.c.
 * Never:    decides anything about a player.
 * Spec:     04 §5.
 */
#include <starbase/integrity.h>

#include <starbase/hash.h>

#include "base/assert.h"

#include <math.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- tables: the order of the properties ---- */

typedef enum row_kind {
    ROW_FIGURES, /* float[count]; NAN: unknown */
    ROW_WHOLE,   /* int; negative: unknown */
    ROW_FLAG,    /* bool */
    ROW_ANSWER,  /* sb_property_flag */
    ROW_OFF,     /* a flag that is always off in multiplayer */
    ROW_RIGHT,   /* float[3]; unknown: forward x up */
    ROW_PRODUCT, /* float[2]: folds their product */
    ROW_TEXT,    /* const char *: folds the mirrored product of each character */
    ROW_SUM,     /* const char *: folds the sum of these products */
} row_kind;

/* The member of `record` that says where a value comes from. NO_SOURCE: the data does not say it;
 * the value then counts as known if it is present. */
typedef enum source_member { NO_SOURCE, CONDITION, PROPERTIES, POWER } source_member;

typedef struct property_row {
    const char   *property;
    row_kind      kind;
    size_t        offset; /* in the record of its table */
    int16_t       count;  /* ROW_FIGURES */
    source_member source;
    float         yes, no; /* flags: the numbers that are folded for yes and no */
    bool          assumed; /* ROW_ANSWER: the answer if it is unknown */
} property_row;

/* clang-format off */
#define ENTRY(member) offsetof(sb_subsystem_class, member)
/* §5.1. The children are folded between base_head and base_flags. */
static const property_row base_head[] = {
    { "max_condition",     ROW_FIGURES, ENTRY(max_condition),     1, CONDITION },
    { "disabled_below",    ROW_FIGURES, ENTRY(disabled_below),    1, PROPERTIES },
    { "position",          ROW_FIGURES, ENTRY(mount),             3, PROPERTIES },
    { "radius",            ROW_FIGURES, ENTRY(radius),            1, PROPERTIES },
    { "repair_complexity", ROW_FIGURES, ENTRY(repair_complexity), 1, PROPERTIES },
};
static const property_row base_flags[] = {
    { "critical",   ROW_FLAG,   ENTRY(critical),   1, PROPERTIES, 64.0002f, 76.6f },
    { "guarded",    ROW_OFF,    0,                 1, NO_SOURCE,  98.6f, 100.0f },
    { "targetable", ROW_FLAG,   ENTRY(targetable), 1, PROPERTIES, 14.3f, 456.1f },
    { "primary",    ROW_ANSWER, ENTRY(primary),    1, NO_SOURCE,  27.3f, 16.1f, true },
};
static const property_row base_power[] = {
    { "power_per_second", ROW_FIGURES, ENTRY(power_per_second), 1, POWER },
};

/* §5.3 step 2. */
static const property_row system_flags[] = {
    { "single_fire", ROW_ANSWER, ENTRY(single_fire), 1, NO_SOURCE, 0.4f, 99.1f, false },
    { "aimed",       ROW_ANSWER, ENTRY(aimed),       1, NO_SOURCE, 32.6f, 487.1f, true },
};

/* §5.2. The data sorts each pair of arc angles; the order does not matter for angles below 1, which
 * fold as 0. */
#define WEAPON(member) offsetof(sb_weapon_class, member)
static const property_row energy_rows[] = {
    { "damage_radius_factor", ROW_FIGURES, WEAPON(damage_radius_factor), 1 },
    { "max_charge",           ROW_FIGURES, WEAPON(max_charge),           1 },
    { "max_damage",           ROW_FIGURES, WEAPON(max_damage),           1 },
    { "max_damage_distance",  ROW_FIGURES, WEAPON(max_damage_distance),  1 },
    { "min_firing_charge",    ROW_FIGURES, WEAPON(min_firing_charge),    1 },
    { "discharge_rate",       ROW_FIGURES, WEAPON(discharge_rate),       1 },
    { "recharge_rate",        ROW_FIGURES, WEAPON(recharge_rate),        1 },
};
#define DIRECTION { "forward",    ROW_FIGURES, WEAPON(forward),    3 }
#define UP        { "up",         ROW_FIGURES, WEAPON(up),         3 }
#define RIGHT     { "right",      ROW_RIGHT,   WEAPON(right),      3 }
#define ARCS      { "arc_height", ROW_FIGURES, WEAPON(arc_height), 2 },                            \
                  { "arc_width",  ROW_FIGURES, WEAPON(arc_width),  2 }
static const property_row bank_rows[] = {
    DIRECTION, UP,
    { "beam_size", ROW_FIGURES, WEAPON(beam_size), 2 },
    ARCS,
};
static const property_row pulse_rows[] = {
    DIRECTION, UP, RIGHT, ARCS,
    { "cooldown_time", ROW_FIGURES, WEAPON(cooldown_time), 1 },
    { "module",        ROW_SUM,     WEAPON(module),        1 },
};
static const property_row projector_rows[] = { DIRECTION, UP, RIGHT, ARCS };
static const property_row tube_rows[] = {
    DIRECTION, RIGHT,
    { "immediate_delay", ROW_FIGURES, WEAPON(immediate_delay), 1 },
    { "reload_delay",    ROW_FIGURES, WEAPON(reload_delay),    1 },
    { "max_ready",       ROW_WHOLE,   WEAPON(max_ready),       1 },
};

/* §5.3 step 4. */
#define ORDNANCE(member) offsetof(sb_ordnance, member)
static const property_row torpedo_rows[] = {
    { "max_torpedoes", ROW_FIGURES, ORDNANCE(max_torpedoes), 1 },
    { "script",        ROW_TEXT,    ORDNANCE(script),        1 },
    { "type_name",     ROW_TEXT,    ORDNANCE(type_name),     1 },
    { "integers",      ROW_PRODUCT, ORDNANCE(integers),      1 },
};

/* §5.4: properties of the ship that are folded after the part. */
#define SHIP(member) offsetof(sb_ship_class, member)
static const property_row shield_rows[] = {
    { "max",  ROW_FIGURES, SHIP(shield_max),  SB_FACINGS, CONDITION },
    { "rate", ROW_FIGURES, SHIP(shield_rate), SB_FACINGS, PROPERTIES },
};
static const property_row reactor_rows[] = {
    { "main_battery",   ROW_FIGURES, SHIP(main_battery),   1, PROPERTIES },
    { "backup_battery", ROW_FIGURES, SHIP(backup_battery), 1, PROPERTIES },
    { "main_conduit",   ROW_FIGURES, SHIP(main_conduit),   1, PROPERTIES },
    { "backup_conduit", ROW_FIGURES, SHIP(backup_conduit), 1, PROPERTIES },
    { "output",         ROW_FIGURES, SHIP(power_output),   1, PROPERTIES },
};
static const property_row sensor_rows[] = {
    { "sensor_range", ROW_FIGURES, SHIP(sensor_range), 1, PROPERTIES },
};
static const property_row impulse_rows[] = { /* the order of the first three is uncertain */
    { "max_accel",            ROW_FIGURES, SHIP(max_accel),            1, PROPERTIES },
    { "max_angular_velocity", ROW_FIGURES, SHIP(max_angular_velocity), 1, PROPERTIES },
    { "max_angular_accel",    ROW_FIGURES, SHIP(max_angular_accel),    1, PROPERTIES },
    { "max_speed",            ROW_FIGURES, SHIP(max_speed),            1, PROPERTIES },
};
static const property_row repair_rows[] = {
    { "max_points", ROW_FIGURES, SHIP(max_repair_points), 1, PROPERTIES },
};

#define ROWS(table) table, COUNT_OF(table)
static const struct {
    const char *name;
    uint8_t     type;
    bool        weapons; /* hashed as a weapon system, §5.3 */
    const property_row *rows;    /* properties of the ship */
    size_t      row_count;
} parts[SB_INTEGRITY_PARTS] = {
    [SB_INTEGRITY_HULL]      = { "hull",      SB_SUBSYSTEM_HULL,           false, NULL, 0 },
    [SB_INTEGRITY_SHIELDS]   = { "shields",   SB_SUBSYSTEM_SHIELD,         false, ROWS(shield_rows) },
    [SB_INTEGRITY_REACTOR]   = { "reactor",   SB_SUBSYSTEM_POWER,          false, ROWS(reactor_rows) },
    [SB_INTEGRITY_SENSORS]   = { "sensors",   SB_SUBSYSTEM_SENSOR,         false, ROWS(sensor_rows) },
    [SB_INTEGRITY_IMPULSE]   = { "impulse",   SB_SUBSYSTEM_IMPULSE,        false, ROWS(impulse_rows) },
    [SB_INTEGRITY_WARP]      = { "warp",      SB_SUBSYSTEM_WARP,           false, NULL, 0 },
    [SB_INTEGRITY_REPAIR]    = { "repair",    SB_SUBSYSTEM_REPAIR,         false, ROWS(repair_rows) },
    [SB_INTEGRITY_CLOAK]     = { "cloak",     SB_SUBSYSTEM_CLOAK,          false, NULL, 0 },
    [SB_INTEGRITY_TORPEDOES] = { "torpedoes", SB_SUBSYSTEM_TORPEDO_SYSTEM, true,  NULL, 0 },
    [SB_INTEGRITY_BEAMS]     = { "beams",     SB_SUBSYSTEM_PHASER_SYSTEM,  true,  NULL, 0 },
    [SB_INTEGRITY_PULSE]     = { "pulse",     SB_SUBSYSTEM_PULSE_SYSTEM,   true,  NULL, 0 },
    [SB_INTEGRITY_TRACTORS]  = { "tractors",  SB_SUBSYSTEM_TRACTOR_SYSTEM, true,  NULL, 0 },
};
/* clang-format on */

/* ---- one step ---- */

typedef struct walk {
    const sb_ship_class            *ship;
    const sb_integrity_assumptions *assumptions;
    const sb_integrity_sink        *sink;
    uint8_t                         part, depth;
    int16_t                         child, type; /* as in sb_integrity_input */
} walk;

/* The struct that the rows of a table read, and the sources of its values. */
typedef struct record {
    const void *data;
    uint8_t     condition_source, properties_source, power_source;
} record;

static sb_integrity_input input_of(const walk *w, const char *property, int16_t index)
{
    return (sb_integrity_input){
        .part = w->part,
        .child = w->child,
        .type = w->type,
        .index = index,
        .property = property,
    };
}

static void amend(const walk *w, sb_integrity_input *input)
{
    if (w->assumptions && w->assumptions->amend)
        w->assumptions->amend(w->assumptions->context, input);
}

static void report_step(const walk *w, const sb_integrity_step *step)
{
    if (w->sink && w->sink->step) w->sink->step(w->sink->context, step);
}

static uint32_t fold(const walk *w, uint32_t acc, const sb_integrity_input *input, float value)
{
    uint32_t          after = sb_fold_integrity(acc, value);
    sb_integrity_step step = {
        .input = *input,
        .depth = w->depth,
        .folded = true,
        .value = value,
        .contribution = (after >> 1 | after << 31) ^ acc,
        .before = acc,
        .after = after,
    };
    report_step(w, &step);
    return after;
}

/* Reports a text or a count before the folds that follow from it. */
static void report_unfolded(const walk *w, uint32_t acc, const sb_integrity_input *input)
{
    sb_integrity_step step = {
        .input = *input,
        .depth = w->depth,
        .value = input->value,
        .before = acc,
        .after = acc,
    };
    report_step(w, &step);
}

/* §5: folds the bits of a nested accumulator as a float. */
static uint32_t fold_nested(const walk *w, uint32_t acc, const char *name, uint32_t nested)
{
    sb_integrity_input input = input_of(w, name, -1);
    input.origin = SB_INTEGRITY_NESTED;
    memcpy(&input.value, &nested, sizeof input.value);
    return fold(w, acc, &input, input.value);
}

/* ---- rows ---- */

static uint8_t origin_of(const record *r, const property_row *row, bool there)
{
    uint8_t source = row->source == CONDITION    ? r->condition_source
                     : row->source == PROPERTIES ? r->properties_source
                     : row->source == POWER      ? r->power_source
                                                 : (uint8_t)SB_SOURCE_NONE;
    if (!there) return SB_INTEGRITY_ASSUMED;
    if (source == SB_SOURCE_ESTIMATE || source == SB_SOURCE_INHERITED)
        return SB_INTEGRITY_ESTIMATED;
    return SB_INTEGRITY_KNOWN;
}

static uint32_t fold_number(const walk *w, uint32_t acc, const record *r, const property_row *row,
                            int16_t index, float value)
{
    sb_integrity_input input = input_of(w, row->property, index);
    bool               there = !isnan(value);
    input.origin = origin_of(r, row, there);
    input.value = there ? value : 0;
    amend(w, &input);
    return fold(w, acc, &input, input.value);
}

static uint32_t fold_figures(const walk *w, uint32_t acc, const record *r, const property_row *row,
                             const float *values)
{
    for (int16_t i = 0; i < row->count; i++)
        acc = fold_number(w, acc, r, row, row->count > 1 ? i : -1, values[i]);
    return acc;
}

static uint32_t fold_flag(const walk *w, uint32_t acc, const record *r, const property_row *row,
                          sb_property_flag answer)
{
    sb_integrity_input input = input_of(w, row->property, -1);
    bool               there = answer != SB_PROPERTY_UNKNOWN;
    bool               yes = there ? answer == SB_PROPERTY_YES : row->assumed;
    input.kind = SB_INTEGRITY_FLAG;
    input.origin = origin_of(r, row, there);
    input.value = yes ? 1 : 0;
    amend(w, &input);
    return fold(w, acc, &input, input.value != 0 ? row->yes : row->no);
}

/* Both products are rounded to float before the subtraction, on every machine. */
static float difference_of_products(float a, float b, float c, float d)
{
    float first = a * b, second = c * d;
    return first - second;
}

/* Computes the third axis of a weapon. Tubes have no up axis; the ship's is used instead. */
static void assume_right(const sb_weapon_class *weapon, float right[3])
{
    static const float ship_up[3] = { 0, 0, 1 };
    const float       *f = weapon->forward, *u = isnan(weapon->up[0]) ? ship_up : weapon->up;
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3, m = (i + 2) % 3;
        right[i] = difference_of_products(f[k], u[m], f[m], u[k]);
    }
}

static uint32_t fold_right(const walk *w, uint32_t acc, const property_row *row,
                           const sb_weapon_class *weapon)
{
    float right[3];
    bool  there = !isnan(weapon->right[0]);
    if (there) memcpy(right, weapon->right, sizeof right);
    else assume_right(weapon, right);
    for (int16_t i = 0; i < 3; i++) {
        sb_integrity_input input = input_of(w, row->property, i);
        input.origin = there ? SB_INTEGRITY_KNOWN : SB_INTEGRITY_ASSUMED;
        input.value = right[i];
        amend(w, &input);
        acc = fold(w, acc, &input, input.value);
    }
    return acc;
}

/* Reports a text and returns its input, whose `text` is never NULL. */
static sb_integrity_input report_text(const walk *w, uint32_t acc, const property_row *row,
                                      const char *text)
{
    sb_integrity_input input = input_of(w, row->property, -1);
    input.kind = SB_INTEGRITY_TEXT;
    input.origin = text ? SB_INTEGRITY_KNOWN : SB_INTEGRITY_ASSUMED;
    input.text = text;
    amend(w, &input);
    if (!input.text) input.text = "";
    input.value = (float)strlen(input.text);
    report_unfolded(w, acc, &input);
    return input;
}

/* Character j times the character at the same distance from the end. */
static unsigned mirrored_product(const char *text, size_t length, size_t j)
{
    return (unsigned)(unsigned char)text[j] * (unsigned char)text[length - 1 - j];
}

static uint32_t fold_text(const walk *w, uint32_t acc, const property_row *row, const char *text)
{
    sb_integrity_input input = report_text(w, acc, row, text);
    size_t             length = strlen(input.text);
    for (size_t j = 0; j < length; j++) {
        input.index = (int16_t)j;
        acc = fold(w, acc, &input, (float)mirrored_product(input.text, length, j));
    }
    return acc;
}

static uint32_t fold_sum(const walk *w, uint32_t acc, const property_row *row, const char *text)
{
    sb_integrity_input input = report_text(w, acc, row, text);
    size_t             length = strlen(input.text);
    unsigned           sum = 0;
    for (size_t j = 0; j < length; j++) sum += mirrored_product(input.text, length, j);
    return fold(w, acc, &input, (float)sum);
}

static sb_property_flag answer_at(const uint8_t *at)
{
    return (sb_property_flag)*at;
}

static uint32_t fold_row(const walk *w, uint32_t acc, const record *r, const property_row *row)
{
    const void *at = (const char *)r->data + row->offset;
    switch (row->kind) {
    case ROW_FIGURES: return fold_figures(w, acc, r, row, at);
    case ROW_WHOLE: {
        int whole = *(const int *)at;
        return fold_number(w, acc, r, row, -1, whole < 0 ? NAN : (float)whole);
    }
    case ROW_FLAG:
        return fold_flag(w, acc, r, row, *(const bool *)at ? SB_PROPERTY_YES : SB_PROPERTY_NO);
    case ROW_ANSWER: return fold_flag(w, acc, r, row, answer_at(at));
    case ROW_OFF: return fold_flag(w, acc, r, row, SB_PROPERTY_NO);
    case ROW_RIGHT: return fold_right(w, acc, row, r->data);
    case ROW_PRODUCT: {
        const float *factors = at;
        return fold_number(w, acc, r, row, -1, factors[0] * factors[1]);
    }
    case ROW_TEXT: return fold_text(w, acc, row, *(const char *const *)at);
    case ROW_SUM: return fold_sum(w, acc, row, *(const char *const *)at);
    }
    SB_ASSERT(false);
    return acc;
}

static uint32_t fold_rows(const walk *w, uint32_t acc, record r, const property_row *rows,
                          size_t count)
{
    for (size_t i = 0; i < count; i++) acc = fold_row(w, acc, &r, &rows[i]);
    return acc;
}

/* ---- subsystems ---- */

static record record_of(const sb_subsystem_class *s)
{
    return (record){ s, s->condition_source, s->properties_source, s->power_source };
}

static const sb_subsystem_class *child_of(const walk *w, const sb_subsystem_class *s, int16_t k)
{
    SB_ASSERT(s->first_child + k < w->ship->child_count);
    return &w->ship->children[s->first_child + k];
}

/* A copy of the walk for a nested accumulator: that of child `k`, or of the part itself if -1. */
static walk nested_walk(const walk *w, int16_t k)
{
    walk inner = *w;
    inner.depth++;
    inner.child = k;
    return inner;
}

static uint32_t base_of_child(const walk *w, const sb_subsystem_class *child)
{
    record   r = record_of(child);
    uint32_t acc = fold_rows(w, 0, r, ROWS(base_head));
    return fold_rows(w, acc, r, ROWS(base_flags)); /* children are never powered, spec 03 §4.1 */
}

/* §5.1. */
static uint32_t base_of(const walk *w, const sb_subsystem_class *s)
{
    record   r = record_of(s);
    uint32_t acc = fold_rows(w, 0, r, ROWS(base_head));
    for (int16_t k = 0; k < s->child_count; k++) {
        walk     inner = nested_walk(w, k);
        uint32_t base = base_of_child(&inner, child_of(w, s, k));
        inner.depth--;
        acc = fold_nested(&inner, acc, "base", base);
    }
    acc = fold_rows(w, acc, r, ROWS(base_flags));
    if (s->format == SB_FORMAT_POWERED || s->format == SB_FORMAT_SHIELD)
        acc = fold_rows(w, acc, r, ROWS(base_power));
    return acc;
}

/* §5.2. */
static uint32_t weapon_of(const walk *w, const sb_subsystem_class *child)
{
    walk     inner = nested_walk(w, w->child);
    uint32_t acc = fold_nested(w, 0, "base", base_of_child(&inner, child));
    record   r = { .data = child->weapon };
    if (!child->weapon) return acc;
    if (child->type != SB_SUBSYSTEM_TORPEDO_TUBE) acc = fold_rows(w, acc, r, ROWS(energy_rows));
    switch (child->type) {
    case SB_SUBSYSTEM_PHASER_BANK: return fold_rows(w, acc, r, ROWS(bank_rows));
    case SB_SUBSYSTEM_PULSE_WEAPON: return fold_rows(w, acc, r, ROWS(pulse_rows));
    case SB_SUBSYSTEM_TRACTOR_PROJECTOR: return fold_rows(w, acc, r, ROWS(projector_rows));
    case SB_SUBSYSTEM_TORPEDO_TUBE: return fold_rows(w, acc, r, ROWS(tube_rows));
    default: return acc;
    }
}

static const sb_ordnance *torpedo_in_slot(const sb_ship_class *ship, int slot)
{
    for (size_t i = 0; i < ship->ordnance_count; i++)
        if (ship->ordnance[i].system_type == SB_SUBSYSTEM_TORPEDO_SYSTEM &&
            ship->ordnance[i].slot == slot)
            return &ship->ordnance[i];
    return NULL;
}

/* Reports and returns the number of torpedo types. The stock data has estimates (spec 11 §7); an
 * entry with a script name is known. */
static int16_t report_type_count(const walk *w, uint32_t acc)
{
    sb_integrity_input input = input_of(w, "types", -1);
    input.kind = SB_INTEGRITY_COUNT;
    input.origin = SB_INTEGRITY_ASSUMED;
    for (int slot = 0; slot < SB_INTEGRITY_TYPES_MAX; slot++) {
        const sb_ordnance *type = torpedo_in_slot(w->ship, slot);
        if (!type) continue;
        input.value = (float)(slot + 1);
        input.origin = type->script ? SB_INTEGRITY_KNOWN : SB_INTEGRITY_ESTIMATED;
    }
    amend(w, &input);
    if (!(input.value >= 0)) input.value = 0; /* also NAN */
    if (input.value > SB_INTEGRITY_TYPES_MAX) input.value = SB_INTEGRITY_TYPES_MAX;
    report_unfolded(w, acc, &input);
    return (int16_t)input.value;
}

static uint32_t fold_torpedo_types(const walk *w, uint32_t acc)
{
    static const sb_ordnance unknown = { .max_torpedoes = NAN, .integers = { NAN, NAN } };
    int16_t                  count = report_type_count(w, acc);
    for (int16_t t = 0; t < count; t++) {
        const sb_ordnance *type = torpedo_in_slot(w->ship, t);
        walk               inner = *w;
        inner.type = t;
        acc =
            fold_rows(&inner, acc, (record){ .data = type ? type : &unknown }, ROWS(torpedo_rows));
    }
    return acc;
}

/* §5.3. */
static uint32_t weapon_system_of(const walk *w, const sb_subsystem_class *s)
{
    walk     inner = nested_walk(w, -1);
    uint32_t acc = fold_nested(w, 0, "base", base_of(&inner, s));
    acc = fold_rows(w, acc, record_of(s), ROWS(system_flags));
    for (int16_t k = 0; k < s->child_count; k++) {
        inner = nested_walk(w, k);
        uint32_t weapon = weapon_of(&inner, child_of(w, s, k));
        inner.depth--;
        acc = fold_nested(&inner, acc, "weapon", weapon);
    }
    if (s->type == SB_SUBSYSTEM_TORPEDO_SYSTEM) acc = fold_torpedo_types(w, acc);
    return acc;
}

/* ---- the ship ---- */

/* The first subsystem of the type: the list has the hull before the bridge, which is not hashed. */
static const sb_subsystem_class *find_part(const sb_ship_class *ship, uint8_t type)
{
    for (size_t i = 0; i < ship->subsystem_count; i++)
        if (ship->subsystems[i].type == type) return &ship->subsystems[i];
    return NULL;
}

/* The properties of the ship that are folded with a part, and their sources. */
static record class_record(const sb_ship_class *ship, uint8_t part)
{
    record r = { .data = ship, .properties_source = ship->class_source };
    switch (part) {
    case SB_INTEGRITY_SHIELDS:
        r.condition_source = ship->shield_source;
        r.properties_source = ship->rate_source;
        break;
    case SB_INTEGRITY_REACTOR: r.properties_source = ship->reactor_source; break;
    case SB_INTEGRITY_SENSORS: r.properties_source = ship->sensor_source; break;
    case SB_INTEGRITY_IMPULSE: r.properties_source = ship->impulse_source; break;
    case SB_INTEGRITY_REPAIR: r.properties_source = ship->repair_source; break;
    default: break;
    }
    return r;
}

/* §5.4, one part. */
static uint32_t fold_part(walk *w, uint32_t acc, uint8_t part)
{
    const sb_subsystem_class *s = find_part(w->ship, parts[part].type);
    record                    r = class_record(w->ship, part);
    if (!s) return acc;
    w->part = part;
    walk inner = nested_walk(w, -1);
    if (parts[part].weapons) acc = fold_nested(w, acc, "system", weapon_system_of(&inner, s));
    else acc = fold_nested(w, acc, "base", base_of(&inner, s));
    return fold_rows(w, acc, r, parts[part].rows, parts[part].row_count);
}

uint32_t sb_ship_integrity(const sb_ship_class *ship, const sb_integrity_assumptions *assumptions,
                           const sb_integrity_sink *sink)
{
    walk     w = { ship, assumptions, sink, .child = -1, .type = -1 };
    uint32_t acc = 0;
    for (unsigned part = 0; part < SB_INTEGRITY_PARTS; part++)
        acc = fold_part(&w, acc, (uint8_t)part);
    return acc;
}

sb_integrity_prediction sb_ship_predict_integrity(const sb_ship_class *ship)
{
    uint16_t wire = sb_integrity_wire(sb_ship_integrity(ship, NULL, NULL));
    return (sb_integrity_prediction){ wire, ship->captured_hash == wire && wire != 0 };
}

const char *sb_integrity_part_name(uint8_t part)
{
    return part < SB_INTEGRITY_PARTS ? parts[part].name : NULL;
}

const char *sb_integrity_origin_name(uint8_t origin)
{
    static const char *const names[] = { "known", "estimated", "assumed", "set", "nested" };
    _Static_assert(COUNT_OF(names) == SB_INTEGRITY_ORIGINS, "a name for every origin");
    return origin < SB_INTEGRITY_ORIGINS ? names[origin] : NULL;
}
