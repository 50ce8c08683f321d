/* src/lab/contract.c -- reads a row of the contract, plays it and judges.
 *
 * Tests:    tests/lab/contract_row_test.c
 */
#include "lab/contract.h"

#include <math.h>
#include <string.h>

/* ---- cells ---- */

/* Copies the next cell of a CSV line: text up to a comma, or text in double quotes, in which ""
 * stands for one quote. False: the line is over, or the cell does not fit. */
static bool next_cell(const char **at, char *out, size_t capacity)
{
    const char *p = *at;
    size_t      size = 0;
    if (!p) return false;
    bool quoted = *p == '"';
    if (quoted) p++;
    while (*p != '\0' && (quoted || (*p != ',' && *p != '\n' && *p != '\r'))) {
        if (quoted && *p == '"' && *++p != '"') break;
        if (size + 1 >= capacity) return false;
        out[size++] = *p++;
    }
    out[size] = '\0';
    *at = *p == ',' ? p + 1 : NULL;
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A decimal number without exponent. False: `text` is anything else. */
static bool read_number(const char *text, double *out)
{
    double sign = 1.0, value = 0.0, scale = 1.0;
    if (*text == '-' || *text == '+') sign = *text++ == '-' ? -1.0 : 1.0;
    if (!is_digit(*text)) return false;
    for (; is_digit(*text); text++) value = 10.0 * value + (*text - '0');
    if (*text == '.')
        for (text++; is_digit(*text); text++) {
            value = 10.0 * value + (*text - '0');
            scale *= 10.0;
        }
    *out = sign * value / scale;
    return *text == '\0';
}

static bool read_float(const char *text, float *out)
{
    double value;
    if (!read_number(text, &value)) return false;
    *out = (float)value;
    return true;
}

/* One of several words; returns its index, or -1. */
static int find_word(const char *text, const char *const *words, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(text, words[i]) == 0) return i;
    return -1;
}

/* ---- options ---- */

typedef struct option {
    const char *name;
    size_t      offset; /* of a float in sb_lab_scenario */
} option;

static const option float_options[] = {
    { "charge", offsetof(sb_lab_scenario, charge) },
    { "generator", offsetof(sb_lab_scenario, generator) },
    { "shield_power", offsetof(sb_lab_scenario, shield_power) },
    { "weapon_power", offsetof(sb_lab_scenario, weapon_power) },
    { "wait", offsetof(sb_lab_scenario, wait) },
    { "sliders", offsetof(sb_lab_scenario, sliders) },
    { "main_battery", offsetof(sb_lab_scenario, main_battery) },
    { "speed", offsetof(sb_lab_scenario, speed) },
    { "throttle", offsetof(sb_lab_scenario, throttle) },
    { "turn_rate", offsetof(sb_lab_scenario, turn_rate) },
};

static bool set_option(sb_contract_row *row, const char *name, float value)
{
    sb_lab_scenario *s = &row->scenario;
    for (size_t i = 0; i < sizeof float_options / sizeof *float_options; i++) {
        if (strcmp(name, float_options[i].name) != 0) continue;
        memcpy((char *)s + float_options[i].offset, &value, sizeof value);
        return true;
    }
    if (strcmp(name, "from") == 0) row->from = value;
    else if (strcmp(name, "to") == 0) row->to = value;
    else if (strcmp(name, "disarmed") == 0) s->disarmed = value != 0.0f;
    else if (strcmp(name, "green") == 0) s->green = value != 0.0f;
    else if (strcmp(name, "slot") == 0) s->slot = (int8_t)value;
    else return sb_combat_constant_set(&s->constants, name, value) == SB_OK;
    return true;
}

/* "name=value name=value". */
static bool read_options(sb_contract_row *row, char *text)
{
    while (*text != '\0') {
        char *name = text, *value = strchr(text, '=');
        float number;
        if (!value) return false;
        *value++ = '\0';
        size_t size = strcspn(value, " ");
        text = value + size;
        if (*text == ' ') *text++ = '\0';
        if (!read_float(value, &number) || !set_option(row, name, number)) return false;
    }
    return true;
}

/* ---- rows ---- */

/* Reads the cell of one column. Returns the fault of the cell; NULL: none. */
typedef const char *(*cell_reader)(sb_contract_row *row, char *cell, const sb_ship_set *ships);

static const char *copy_text(char *out, size_t capacity, const char *cell)
{
    size_t size = strlen(cell);
    if (size >= capacity) return "too long";
    memcpy(out, cell, size + 1);
    return NULL;
}

static const char *read_id(sb_contract_row *row, char *cell, const sb_ship_set *ships)
{
    (void)ships;
    return *cell ? copy_text(row->id, sizeof row->id, cell) : "missing";
}

static const char *read_attacker(sb_contract_row *row, char *cell, const sb_ship_set *ships)
{
    row->scenario.attacker = sb_find_ship_by_name(ships, cell);
    return row->scenario.attacker ? NULL : "no such ship";
}

static const char *read_target(sb_contract_row *row, char *cell, const sb_ship_set *ships)
{
    row->scenario.target = sb_find_ship_by_name(ships, cell);
    return row->scenario.target ? NULL : "no such ship";
}

static const char *not_a_number(bool fine)
{
    return fine ? NULL : "not a number";
}

static const char *read_range(sb_contract_row *row, char *cell, const sb_ship_set *ships)
{
    (void)ships;
    return not_a_number(read_float(cell, &row->scenario.range));
}

static const char *read_bearing(sb_contract_row *row, char *cell, const sb_ship_set *ships)
{
    (void)ships;
    return not_a_number(read_float(cell, &row->scenario.bearing));
}

static const char *read_elevation(sb_contract_row *row, char *cell, const sb_ship_set *ships)
{
    (void)ships;
    return not_a_number(read_float(cell, &row->scenario.elevation));
}

static const char *read_action(sb_contract_row *row, char *cell, const sb_ship_set *ships)
{
    sb_lab_action action;
    (void)ships;
    if (!sb_lab_find_action(cell, &action)) return "no such action";
    row->scenario.action = (uint8_t)action;
    return NULL;
}

static const char *read_level(sb_contract_row *row, char *cell, const sb_ship_set *ships)
{
    static const char *const levels[] = { "low", "medium", "high" };
    int                      level = find_word(cell, levels, 3);
    (void)ships;
    if (level < 0) return "neither low, medium nor high";
    row->scenario.level = row->scenario.pulse_level = (uint8_t)level;
    return NULL;
}

static const char *read_seconds(sb_contract_row *row, char *cell, const sb_ship_set *ships)
{
    (void)ships;
    return not_a_number(read_float(cell, &row->scenario.seconds));
}

static const char *read_shields(sb_contract_row *row, char *cell, const sb_ship_set *ships)
{
    (void)ships;
    return not_a_number(read_float(cell, &row->scenario.shields));
}

static const char *read_facing(sb_contract_row *row, char *cell, const sb_ship_set *ships)
{
    static const char *const facings[] = { "front", "rear", "top", "bottom", "port", "starboard" };
    int                      facing = find_word(cell, facings, SB_FACINGS);
    (void)ships;
    if (facing < 0 && strcmp(cell, "all") != 0) return "neither a facing nor `all`";
    row->scenario.facing = (int8_t)facing;
    return NULL;
}

static const char *read_option_list(sb_contract_row *row, char *cell, const sb_ship_set *ships)
{
    (void)ships;
    return read_options(row, cell) ? NULL : "not a list of NAME=VALUE, or an unknown name";
}

/* "name" or "name:argument". */
static const char *read_quantity(sb_contract_row *row, char *cell, const sb_ship_set *ships)
{
    char *argument = strchr(cell, ':');
    (void)ships;
    if (argument) *argument++ = '\0';
    const char *why = copy_text(row->argument, sizeof row->argument, argument ? argument : "");
    return why ? why : copy_text(row->quantity, sizeof row->quantity, cell);
}

static const char *read_expected(sb_contract_row *row, char *cell, const sb_ship_set *ships)
{
    (void)ships;
    if (!read_number(cell, &row->expected_number)) row->expected_number = 0.0;
    return copy_text(row->expected, sizeof row->expected, cell);
}

static const char *read_tolerance(sb_contract_row *row, char *cell, const sb_ship_set *ships)
{
    (void)ships;
    return not_a_number(read_number(cell, &row->tolerance));
}

static const char *read_kind(sb_contract_row *row, char *cell, const sb_ship_set *ships)
{
    static const char *const kinds[] = { "abs", "rel", "exact" };
    int                      kind = find_word(cell, kinds, SB_CONTRACT_KINDS);
    (void)ships;
    if (kind < 0) return "neither abs, rel nor exact";
    row->kind = (uint8_t)kind;
    return NULL;
}

static const char *read_source(sb_contract_row *row, char *cell, const sb_ship_set *ships)
{
    (void)ships;
    return *cell ? copy_text(row->source, sizeof row->source, cell) : "missing";
}

static const char *read_status(sb_contract_row *row, char *cell, const sb_ship_set *ships)
{
    static const char *const states[] = { "holds", "cannot" };
    int                      state = find_word(cell, states, 2);
    (void)ships;
    if (state < 0) return "neither holds nor cannot";
    row->cannot = state == 1;
    return NULL;
}

static const char *read_reason(sb_contract_row *row, char *cell, const sb_ship_set *ships)
{
    (void)ships;
    if (row->cannot && *cell == '\0') return "missing: a row that cannot hold says why";
    return copy_text(row->reason, sizeof row->reason, cell);
}

static const cell_reader columns[] = {
    read_id,        read_attacker,    read_target,   read_range,    read_bearing,
    read_elevation, read_action,      read_level,    read_seconds,  read_shields,
    read_facing,    read_option_list, read_quantity, read_expected, read_tolerance,
    read_kind,      read_source,      read_status,   read_reason,
};

sb_result sb_contract_read_row(const char *line, const sb_ship_set *ships, sb_contract_row *row,
                               const char **why)
{
    char cell[SB_CONTRACT_TEXT];
    memset(row, 0, sizeof *row);
    sb_lab_defaults(&row->scenario);
    row->to = 1e9f;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        *why = "a cell is missing or too long";
        if (!next_cell(&line, cell, sizeof cell)) return SB_BAD_VALUE;
        *why = columns[i](row, cell, ships);
        if (*why) return SB_BAD_VALUE;
    }
    if (!line) return SB_OK;
    *why = "there are too many cells";
    return SB_BAD_VALUE;
}

/* ---- measuring ---- */

static bool is_within(const sb_contract_row *row, const sb_contract_result *result)
{
    if (result->is_text) return strcmp(result->text, row->expected) == 0;
    double difference = fabs(result->number - row->expected_number);
    switch (row->kind) {
    case SB_CONTRACT_ABSOLUTE: return difference <= row->tolerance + 1e-6;
    case SB_CONTRACT_RELATIVE: return difference <= row->tolerance * fabs(row->expected_number);
    default: return difference <= 1e-6;
    }
}

sb_result sb_contract_measure(sb_contract_bench *bench, const sb_contract_row *row,
                              sb_contract_result *result)
{
    sb_meter_init(&bench->meter);
    bench->meter.from = row->from;
    bench->meter.to = row->to;
    sb_lab_observer observer = sb_meter_observer(&bench->meter);
    sb_result       played = sb_lab_run(bench->memory, &row->scenario, &observer);
    if (played != SB_OK) return played;
    memset(result, 0, sizeof *result);
    if (!sb_contract_reduce(&bench->meter, row, result)) return SB_BAD_VALUE;
    result->holds = is_within(row, result);
    return SB_OK;
}
