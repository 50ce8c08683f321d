/* apps/lab/lab.c -- `starbase lab`: experiments with two ships.
 *
 * Tests:    tests/apps/lab_test.py
 */
#include "lab.h"

#include "common/commands.h"
#include "common/ship_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEY_ATTACKER = 256,
    KEY_TARGET,
    KEY_RANGE,
    KEY_BEARING,
    KEY_ELEVATION,
    KEY_WEAPON,
    KEY_LEVEL,
    KEY_SECONDS,
    KEY_SHIELDS,
    KEY_FACING,
    KEY_DISARMED,
    KEY_SLOT,
    KEY_SPEED,
    KEY_SET,
    KEY_DATA,
    KEY_EVERY,
    KEY_CSV,
    KEY_JSON,
    KEY_BEARINGS,
    KEY_RANGES,
};

static const sb_option options[] = {
    { KEY_ATTACKER, "attacker", "SHIP", "the ship that acts: key, name, species or FILE.lua" },
    { KEY_TARGET, "target", "SHIP", "the ship that is acted upon" },
    { KEY_RANGE, "range", "UNITS", "distance of their centres (57)" },
    { KEY_BEARING, "bearing", "DEGREES",
      "side of the target: 0 its bow, 90 starboard, 180 its stern (0)" },
    { KEY_ELEVATION, "elevation", "DEGREES", "height above the target's deck, -90 to 90 (0)" },
    { KEY_WEAPON, "weapon", "WEAPON",
      "phasers, pulses, torpedoes, everything, tractor, ram, throttle, turn,\nnothing "
      "(phasers; in a duel everything)" },
    { KEY_LEVEL, "level", "LEVEL", "low, medium or high power (phasers high, cannons medium)" },
    { KEY_SECONDS, "seconds", "N", "length of the run (12; in a duel 600)" },
    { KEY_SHIELDS, "shields", "SHARE",
      "strength of the target's facings at the start, 0 to 1 (1)" },
    { KEY_FACING, "facing", "FACING",
      "the only facing that --shields sets: front, rear, top, bottom, port,\nstarboard" },
    { KEY_DISARMED, "disarmed", NULL,
      "destroy the target's weapon systems first, as the measurements did" },
    { KEY_SLOT, "slot", "N", "change to this torpedo type at the start" },
    { KEY_SPEED, "speed", "UNITS",
      "speed of a ram (the top speed), or at the start of throttle (0)" },
    { KEY_SET, "set", "NAME=VALUE",
      "a constant of the simulation; may be repeated.\n`starbase serve --keys` lists them" },
    { KEY_DATA, "data", "DIR", "ships and projectiles of a mod instead of the stock ones" },
    { KEY_EVERY, "every", "SECONDS", "time between printed samples (table 0.5, CSV and JSON all)" },
    { KEY_CSV, "csv", NULL, "print all facings, parts, charges and batteries as CSV" },
    { KEY_JSON, "json", NULL, "print one JSON object per sample" },
    { KEY_BEARINGS, "bearings", "LIST", "duel: bearings, separated by commas (0,45,90,135,180)" },
    { KEY_RANGES, "ranges", "LIST", "duel: ranges, separated by commas (20,57,100,150,250)" },
    { 0, NULL, NULL, NULL },
};

const sb_usage lab_usage = {
    .command = "lab",
    .synopsis = "[options] --attacker SHIP --target SHIP | duel SHIP SHIP | contract [FILE]",
    .about =
        "Plays one action of one ship against another by the rules of the server and prints what\n"
        "it does: shield facings, hull, parts, charges. `duel` prints the seconds that each of "
        "two\n"
        "ships needs to kill the other, over bearings and ranges; the victim does not fire back.\n"
        "`contract` plays the scenarios that were measured on the original game and prints the\n"
        "measured value beside ours (FILE: docs/facts/engine-contract.csv). docs/lab.md explains\n"
        "the columns. The ships stand still unless WEAPON is throttle or turn. The same command\n"
        "always prints the same.",
    .options = options,
    .footer =
        "Examples:\n"
        "  starbase lab --attacker kessokheavy --target galaxy --weapon phasers --seconds 12\n"
        "  starbase lab --attacker warbird --target galaxy --weapon torpedoes --shields 0\n"
        "  starbase lab --attacker mods/defiant.lua --target akira --bearing 180 --csv\n"
        "  starbase lab duel galaxy warbird --bearings 0,180 --ranges 50,100\n"
        "  starbase lab contract\n",
};

/* ---- arguments ---- */

static bool read_number(const char *text, double low, double high, float *out)
{
    char  *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value) || value < low || value > high)
        return false;
    *out = (float)value;
    return true;
}

static int bad_number(const char *name, const char *text, double low, double high)
{
    return sb_usage_error(&lab_usage, "--%s: `%s` is not a number from %g to %g", name, text, low,
                          high);
}

static int set_number(const char *name, const char *text, double low, double high, float *out)
{
    return read_number(text, low, high, out) ? SB_EXIT_FINE : bad_number(name, text, low, high);
}

/* Appends a word to a list that is separated by commas. */
static void add_word(char *list, size_t size, const char *word)
{
    size_t used = strlen(list);
    snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", word);
}

static int set_word(const char *name, const char *text, const char *const *words, int count,
                    int *out)
{
    for (*out = 0; *out < count; ++*out)
        if (strcmp(words[*out], text) == 0) return SB_EXIT_FINE;
    char list[128] = "";
    for (int i = 0; i < count; i++) add_word(list, sizeof list, words[i]);
    return sb_usage_error(&lab_usage, "--%s: `%s` is none of %s", name, text, list);
}

static int set_level(lab_job *job, const char *text)
{
    static const char *const levels[] = { "low", "medium", "high" };
    int                      level, status = set_word("level", text, levels, 3, &level);
    if (status == SB_EXIT_FINE) job->scenario.level = job->scenario.pulse_level = (uint8_t)level;
    return status;
}

static int set_facing(lab_job *job, const char *text)
{
    static const char *const facings[] = { "front", "rear", "top", "bottom", "port", "starboard" };
    int facing, status = set_word("facing", text, facings, SB_FACINGS, &facing);
    if (status == SB_EXIT_FINE) job->scenario.facing = (int8_t)facing;
    return status;
}

static int set_weapon(lab_job *job, const char *text)
{
    const char *words[SB_LAB_ACTION_COUNT];
    for (int i = 0; i < SB_LAB_ACTION_COUNT; i++) words[i] = sb_lab_action_name((sb_lab_action)i);
    int action, status = set_word("weapon", text, words, SB_LAB_ACTION_COUNT, &action);
    if (status == SB_EXIT_FINE) job->scenario.action = (uint8_t)action;
    return status;
}

static int set_slot(lab_job *job, const char *text)
{
    float slot = 0;
    int   status = set_number("slot", text, 0, 15, &slot);
    if (status == SB_EXIT_FINE) job->scenario.slot = (int8_t)slot;
    return status;
}

static int set_every(lab_job *job, const char *text)
{
    float every = 0;
    int   status = set_number("every", text, 0, 3600, &every);
    if (status == SB_EXIT_FINE) job->every = (double)every;
    return status;
}

static int set_constant(lab_job *job, const char *text)
{
    char   name[64];
    float  value;
    size_t size = strcspn(text, "=");
    if (text[size] != '=' || size >= sizeof name)
        return sb_usage_error(&lab_usage, "--set needs NAME=VALUE, not `%s`", text);
    if (!read_number(text + size + 1, 0, 1e9, &value))
        return bad_number("set", text + size + 1, 0, 1e9);
    memcpy(name, text, size);
    name[size] = '\0';
    if (sb_combat_constant_set(&job->scenario.constants, name, value) == SB_OK) return SB_EXIT_FINE;
    const char *removed = sb_combat_constant_removed(name);
    if (removed) {
        fprintf(stderr, "starbase lab: warning: --set: %s: has no effect any more: %s\n", name,
                removed);
        return SB_EXIT_FINE;
    }
    return sb_usage_error(
        &lab_usage, "--set: no constant is called `%s`; `starbase serve --keys` lists them", name);
}

static int set_list(const char *name, char *text, double low, double high, float *out,
                    unsigned *count)
{
    *count = 0;
    for (char *next = strtok(text, ","); next; next = strtok(NULL, ",")) {
        if (*count == LAB_LIST_MAX)
            return sb_usage_error(&lab_usage, "--%s: more than %d values", name, LAB_LIST_MAX);
        if (!read_number(next, low, high, &out[(*count)++]))
            return bad_number(name, next, low, high);
    }
    return *count > 0 ? SB_EXIT_FINE : sb_usage_error(&lab_usage, "--%s: no values", name);
}

/* ---- options ---- */

/* Words of the command line that are used after all options are known: --data may stand last. */
typedef struct names {
    const char *attacker, *target, *directory;
    bool        has_weapon, has_speed;
} names;

static int set_scenario_option(lab_job *job, int key, const char *text)
{
    sb_lab_scenario *s = &job->scenario;
    switch (key) {
    case KEY_RANGE: return set_number("range", text, 0, 1e5, &s->range);
    case KEY_BEARING: return set_number("bearing", text, -360, 360, &s->bearing);
    case KEY_ELEVATION: return set_number("elevation", text, -90, 90, &s->elevation);
    case KEY_WEAPON: return set_weapon(job, text);
    case KEY_LEVEL: return set_level(job, text);
    case KEY_SECONDS: return set_number("seconds", text, 0, 86400, &s->seconds);
    case KEY_SHIELDS: return set_number("shields", text, 0, 1, &s->shields);
    case KEY_FACING: return set_facing(job, text);
    case KEY_SLOT: return set_slot(job, text);
    case KEY_SPEED: return set_number("speed", text, 0, 1e4, &s->speed);
    case KEY_SET: return set_constant(job, text);
    default: return SB_EXIT_FINE;
    }
}

static int set_option(lab_job *job, names *n, int key, char *text)
{
    if (key == KEY_ATTACKER) n->attacker = text;
    if (key == KEY_TARGET) n->target = text;
    if (key == KEY_DATA) n->directory = text;
    if (key == KEY_WEAPON) n->has_weapon = true;
    if (key == KEY_SPEED) n->has_speed = true;
    if (key == KEY_SECONDS) job->has_seconds = true;
    if (key == KEY_DISARMED) job->scenario.disarmed = true;
    if (key == KEY_CSV) job->format = LAB_CSV;
    if (key == KEY_JSON) job->format = LAB_JSON;
    if (key == KEY_EVERY) return set_every(job, text);
    if (key == KEY_BEARINGS)
        return set_list("bearings", text, -360, 360, job->bearings, &job->bearing_count);
    if (key == KEY_RANGES) return set_list("ranges", text, 0, 1e5, job->ranges, &job->range_count);
    return set_scenario_option(job, key, text);
}

/* ---- commands ---- */

int lab_play(lab_job *job, const sb_lab_observer *observer)
{
    sb_result result = sb_lab_run(job->memory, &job->scenario, observer);
    if (result == SB_OK) return SB_EXIT_FINE;
    if (result == SB_NOT_ALLOWED)
        return sb_usage_error(&lab_usage, "%s has no %s", job->scenario.attacker->name,
                              sb_lab_action_name((sb_lab_action)job->scenario.action));
    return sb_usage_error(&lab_usage, "this scenario cannot be played");
}

static int run_series(lab_job *job, const names *n)
{
    sb_lab_scenario *s = &job->scenario;
    if (!n->attacker || !n->target)
        return sb_usage_error(&lab_usage, "--attacker SHIP and --target SHIP are needed, or a "
                                          "command: duel, contract");
    if (job->bearing_count > 0 || job->range_count > 0)
        return sb_usage_error(&lab_usage, "--bearings and --ranges are for a duel; here, --bearing "
                                          "and --range");
    int status = lab_find_ship(job, n->attacker, &s->attacker);
    if (status == SB_EXIT_FINE) status = lab_find_ship(job, n->target, &s->target);
    if (status != SB_EXIT_FINE) return status;
    if (!n->has_speed && s->action == SB_LAB_RAM) s->speed = s->attacker->max_speed;
    return lab_print_series(job);
}

static int run_duel(lab_job *job, const names *n, int count, char **operands)
{
    static const float   bearings[] = { 0, 45, 90, 135, 180 }, ranges[] = { 20, 57, 100, 150, 250 };
    const sb_ship_class *first, *second;
    if (count != 2 || n->attacker || n->target)
        return sb_usage_error(&lab_usage, "a duel needs two ships and no other: duel SHIP SHIP");
    int status = lab_find_ship(job, operands[0], &first);
    if (status == SB_EXIT_FINE) status = lab_find_ship(job, operands[1], &second);
    if (status != SB_EXIT_FINE) return status;
    if (!n->has_weapon) job->scenario.action = SB_LAB_EVERYTHING;
    if (!job->has_seconds) job->scenario.seconds = 600;
    if (job->bearing_count == 0) {
        memcpy(job->bearings, bearings, sizeof bearings);
        job->bearing_count = 5;
    }
    if (job->range_count == 0) {
        memcpy(job->ranges, ranges, sizeof ranges);
        job->range_count = 5;
    }
    return lab_print_duel(job, first, second);
}

static int run_command(lab_job *job, const names *n, int count, char **operands)
{
    if (n->directory) {
        int status = lab_load_directory(job, n->directory);
        if (status != SB_EXIT_FINE) return status;
    }
    if (count == 0) return run_series(job, n);
    if (strcmp(operands[0], "duel") == 0) return run_duel(job, n, count - 1, operands + 1);
    if (strcmp(operands[0], "contract") == 0 && count <= 2)
        return lab_print_contract(job, count == 2 ? operands[1] : "docs/facts/engine-contract.csv");
    return sb_usage_error(&lab_usage, "unknown command `%s`; there are duel and contract",
                          operands[0]);
}

int sb_run_lab(int argc, char **argv)
{
    static lab_job job;
    names          n = { 0 };
    sb_options     o;
    job = (lab_job){ .ships = sb_stock_ships(), .every = -1.0 };
    sb_lab_defaults(&job.scenario);
    sb_options_init(&o, &lab_usage, argc, argv);
    for (int key; (key = sb_options_next(&o)) != SB_OPTIONS_END;) {
        if (key == SB_OPTIONS_BAD) return SB_EXIT_USAGE;
        if (key == SB_OPTIONS_DONE) return SB_EXIT_FINE;
        int status = set_option(&job, &n, key, (char *)o.argument);
        if (status != SB_EXIT_FINE) return status;
    }
    job.memory = malloc(sb_lab_bytes());
    if (!job.memory) abort();
    int status = run_command(&job, &n, argc - o.operand, argv + o.operand);
    free(job.memory);
    sb_print_data_warnings(&lab_usage, &job.data);
    sb_data_free(&job.data);
    return status;
}
