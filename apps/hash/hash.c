/* apps/hash/hash.c -- `starbase hash`: computes a ship's integrity hash and prints each step.
 *
 * For:      people with a captured hash or a hardpoint file who look for the unknown inputs (spec
 *           04 §9). docs/decisions/integrity-hash.md lists the attempts so far.
 * Tests:    tests/apps/hash_test.py
 */
#include "common/commands.h"
#include "common/options.h"
#include "common/ship_list.h"

#include <starbase/hash.h>
#include <starbase/integrity.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_JSON = 256, KEY_SET, KEY_EXPECT };
enum { SETTINGS_MAX = 64, PATH_MAX_BYTES = 96, COUNTING_SHOWN = 40 };

static const sb_option options[] = {
    { 'v', "verbose", NULL, "print every step: input, value, origin, contribution to the hash" },
    { KEY_JSON, "json", NULL, "print one object per ship; with -v also its steps" },
    { KEY_SET, "set", "NAME=VALUE",
      "use VALUE for an input; may be repeated. NAME is the name that -v prints,\n"
      "or only its last part to set all unknown inputs of that name" },
    { KEY_EXPECT, "expect", "WIRE",
      "compare with the 16 bits seen in a capture; exit with 1 if no ship matches" },
    { 0, NULL, NULL, NULL },
};

static const sb_usage usage = {
    .command = "hash",
    .synopsis = "[options] [SHIP... | FILE.lua... | all]",
    .about =
        "Computes the integrity hash that clients send with absolute positions (spec 04): its 32\n"
        "bits and the 16 bits on the wire. SHIP is a key, a name or a species; FILE.lua is a ship\n"
        "as in data/ships (data/README.md). Many inputs are unknown for the stock ships: an\n"
        "unknown number is 0, an unknown text is empty, and estimates of the data files are used.\n"
        "The summary counts the unknown inputs, and those of them that change the hash: most\n"
        "parts of a ship are hashed to a float below 1, which adds nothing.",
    .options = options,
    .footer =
        "Examples:\n"
        "  starbase hash\n"
        "  starbase hash akira --expect 0xFB37\n"
        "  starbase hash akira -v --set sensor_range=2000 --set torpedoes.max_condition=5500\n"
        "  starbase hash akira --set 'torpedoes.types[0].script=PhotonTorpedo'\n",
};

typedef struct setting {
    const char *name; /* up to the '=' */
    size_t      name_size;
    const char *value;
    bool        used;
} setting;

typedef struct row {
    sb_integrity_step step;
    bool              counts; /* the step changes the hash, given the other inputs */
} row;

typedef struct job {
    setting settings[SETTINGS_MAX];
    size_t  setting_count;
    bool    json, verbose;
    long    expected; /* the 16 bits of --expect; -1: not given */
    bool    matched;
    char    complaint[256]; /* about a bad setting; "": none */
    row    *rows;           /* steps of the current ship */
    size_t  row_count, row_capacity;
} job;

/* ---- names of inputs ---- */

typedef char path_text[PATH_MAX_BYTES];

static void add_index(char *path, int16_t index)
{
    size_t at = strlen(path);
    if (index >= 0) snprintf(path + at, PATH_MAX_BYTES - at, "[%d]", index);
}

/* Writes the name of an input inside its part or child: "types[0].script", "position[1]". */
static void write_property(const sb_integrity_input *input, char *path)
{
    snprintf(path, PATH_MAX_BYTES, "%s", input->type >= 0 ? "types" : "");
    add_index(path, input->type);
    size_t at = strlen(path);
    snprintf(path + at, PATH_MAX_BYTES - at, "%s%s", at ? "." : "", input->property);
    add_index(path, input->index);
}

static void write_path(const sb_integrity_input *input, char *path)
{
    path_text property;
    write_property(input, property);
    snprintf(path, PATH_MAX_BYTES, "%s", sb_integrity_part_name(input->part));
    add_index(path, input->child);
    size_t at = strlen(path);
    snprintf(path + at, PATH_MAX_BYTES - at, ".%s", property);
}

/* ---- --set ---- */

static bool is_unknown(const sb_integrity_input *input)
{
    return input->origin == SB_INTEGRITY_ASSUMED || input->origin == SB_INTEGRITY_ESTIMATED;
}

static bool has_name(const setting *s, const char *path)
{
    return strlen(path) == s->name_size && memcmp(s->name, path, s->name_size) == 0;
}

static bool setting_names(const setting *s, const sb_integrity_input *input)
{
    path_text path;
    write_path(input, path);
    if (has_name(s, path)) return true;
    write_property(input, path);
    return is_unknown(input) && has_name(s, path);
}

static bool read_value(const setting *s, sb_integrity_input *input)
{
    char *end;
    if (input->kind == SB_INTEGRITY_TEXT) {
        input->text = s->value;
        return true;
    }
    bool yes = strcmp(s->value, "yes") == 0, no = strcmp(s->value, "no") == 0;
    if (input->kind == SB_INTEGRITY_FLAG && (yes || no)) {
        input->value = yes;
        return true;
    }
    float value = strtof(s->value, &end);
    if (end == s->value || *end != '\0' || !isfinite(value)) return false;
    if (input->kind == SB_INTEGRITY_FLAG && value != 0 && value != 1) return false;
    input->value = value;
    return true;
}

static void complain_about(job *j, const setting *s, const sb_integrity_input *input)
{
    snprintf(j->complaint, sizeof j->complaint, "%.*s must be %s, not `%s`", (int)s->name_size,
             s->name, input->kind == SB_INTEGRITY_FLAG ? "yes or no" : "a number", s->value);
}

/* Replaces an input by the last setting that names it. */
static void amend(void *context, sb_integrity_input *input)
{
    job           *j = context;
    const setting *last = NULL;
    for (size_t i = 0; i < j->setting_count; i++) {
        if (!setting_names(&j->settings[i], input)) continue;
        j->settings[i].used = true;
        last = &j->settings[i];
    }
    if (!last) return;
    if (!read_value(last, input)) complain_about(j, last, input);
    input->origin = SB_INTEGRITY_SET;
}

static bool add_setting(job *j, const char *text)
{
    size_t size = strcspn(text, "=");
    if (size == 0 || text[size] == '\0' || j->setting_count == SETTINGS_MAX) return false;
    j->settings[j->setting_count++] = (setting){ text, size, text + size + 1, false };
    return true;
}

/* ---- the steps of one ship ---- */

static void store_step(void *context, const sb_integrity_step *step)
{
    job *j = context;
    if (j->row_count == j->row_capacity) {
        j->row_capacity = j->row_capacity ? 2 * j->row_capacity : 1024;
        j->rows = realloc(j->rows, j->row_capacity * sizeof *j->rows);
        if (!j->rows) abort();
    }
    /* Inputs of a nested accumulator count only if that accumulator adds something itself. */
    bool lost = step->input.origin == SB_INTEGRITY_NESTED && step->contribution == 0;
    for (size_t i = j->row_count; lost && i-- > 0 && j->rows[i].step.depth > step->depth;)
        j->rows[i].counts = false;
    j->rows[j->row_count++] = (row){ *step, !lost };
}

static uint32_t compute(job *j, const sb_ship_class *ship)
{
    sb_integrity_assumptions assumptions = { j, amend };
    sb_integrity_sink        sink = { j, store_step };
    j->row_count = 0;
    return sb_ship_integrity(ship, &assumptions, &sink);
}

/* A text is one input, although each of its characters is a step. */
static bool is_unknown_input(const row *r)
{
    bool character = r->step.input.kind == SB_INTEGRITY_TEXT && r->step.folded;
    return is_unknown(&r->step.input) && !character;
}

static bool same_input(const sb_integrity_input *a, const sb_integrity_input *b)
{
    return a->part == b->part && a->child == b->child && a->type == b->type &&
           a->index == b->index && strcmp(a->property, b->property) == 0;
}

/* A weapon's properties are hashed twice, with its system and on its own, but are one input. */
static bool is_first(const job *j, size_t at, bool counting)
{
    for (size_t i = 0; i < at; i++)
        if (same_input(&j->rows[i].step.input, &j->rows[at].step.input) &&
            (j->rows[i].counts || !counting))
            return false;
    return true;
}

static size_t count_unknown(const job *j, bool counting)
{
    size_t count = 0;
    for (size_t i = 0; i < j->row_count; i++)
        if (is_unknown_input(&j->rows[i]) && (j->rows[i].counts || !counting))
            count += is_first(j, i, counting);
    return count;
}

/* ---- for people ---- */

static void print_step(const row *r)
{
    path_text path;
    char      value[160];
    write_path(&r->step.input, path);
    if (r->step.input.kind == SB_INTEGRITY_TEXT && !r->step.folded)
        snprintf(value, sizeof value, "\"%s\"", r->step.input.text);
    else snprintf(value, sizeof value, "%.9g", (double)r->step.value);
    printf("%*s%-*s %-14s %-9s ", 2 * r->step.depth, "", 40 - 2 * r->step.depth, path, value,
           sb_integrity_origin_name(r->step.input.origin));
    if (!r->step.folded) printf("-\n");
    else printf("%08X %08X %s\n", r->step.contribution, r->step.after, r->counts ? "counts" : "-");
}

static void print_steps(const job *j, const sb_ship_class *ship)
{
    printf("%s\n%-40s %-14s %-9s %-8s %s\n", ship->name, "input", "value", "origin", "adds",
           "accumulator");
    for (size_t i = 0; i < j->row_count; i++) print_step(&j->rows[i]);
    printf("\n");
}

static void print_inputs_that_count(const job *j)
{
    path_text path;
    size_t    shown = 0, all = count_unknown(j, true);
    if (all > 0) printf("  unknown inputs that change the hash:\n");
    for (size_t i = 0; i < j->row_count && shown < COUNTING_SHOWN; i++) {
        const row *r = &j->rows[i];
        if (!r->counts || !is_unknown_input(r) || !is_first(j, i, true)) continue;
        write_path(&r->step.input, path);
        printf("    %s = %.9g, %s\n", path, (double)r->step.value,
               sb_integrity_origin_name(r->step.input.origin));
        shown++;
    }
    if (all > shown) printf("    and %zu more\n", all - shown);
}

/* The hash is linear in the contribution of each step. So for every input of the ship's own
 * accumulator there is one 16-bit number that gives the expected hash, if all other inputs keep
 * their values. */
static uint16_t number_needed(const job *j, size_t at, uint16_t missing)
{
    unsigned rotations = 0;
    for (size_t i = at; i < j->row_count; i++)
        rotations += j->rows[i].step.depth == 0 && j->rows[i].step.folded;
    rotations %= 16;
    uint16_t rotated =
        (uint16_t)((unsigned)missing >> rotations | (unsigned)missing << (16 - rotations));
    uint32_t now = j->rows[at].step.contribution;
    return (uint16_t)(rotated ^ now ^ now >> 16);
}

static void print_needed(const job *j, uint16_t wire)
{
    path_text path;
    for (size_t i = 0; i < j->row_count; i++) {
        const row *r = &j->rows[i];
        if (r->step.depth > 0 || !is_unknown_input(r)) continue;
        write_path(&r->step.input, path);
        printf("  would match with %s = %u\n", path,
               number_needed(j, i, (uint16_t)(wire ^ (uint16_t)j->expected)));
    }
}

static void print_text(const job *j, const sb_ship_class *ship, uint32_t hash)
{
    uint16_t wire = sb_integrity_wire(hash);
    if (j->verbose) print_steps(j, ship);
    printf("%-14s hash 0x%08X  wire 0x%04X  unknown inputs: %zu, changing the hash: %zu\n",
           ship->key, hash, wire, count_unknown(j, false), count_unknown(j, true));
    if (j->expected < 0) return;
    printf("  expected 0x%04lX: %s\n", (unsigned long)j->expected,
           wire == j->expected ? "match" : "no match");
    print_inputs_that_count(j);
    if (wire != j->expected) print_needed(j, wire);
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

static void print_json_step(const row *r)
{
    path_text path;
    write_path(&r->step.input, path);
    printf("{\"input\":\"%s\",\"origin\":\"%s\",\"depth\":%u", path,
           sb_integrity_origin_name(r->step.input.origin), r->step.depth);
    if (r->step.input.kind == SB_INTEGRITY_TEXT && !r->step.folded) {
        printf(",\"text\":");
        print_json_text(r->step.input.text);
    }
    if (isfinite(r->step.value)) printf(",\"value\":%.9g", (double)r->step.value);
    else printf(",\"value\":null"); /* an accumulator can be any float */
    if (r->step.folded)
        printf(",\"adds\":%u,\"accumulator\":%u,\"counts\":%s", r->step.contribution, r->step.after,
               r->counts ? "true" : "false");
    printf("}");
}

static void print_json(const job *j, const sb_ship_class *ship, uint32_t hash)
{
    uint16_t wire = sb_integrity_wire(hash);
    printf("{\"ship\":");
    print_json_text(ship->key);
    printf(",\"species\":%u,\"hash\":%u,\"wire\":%u,\"unknown\":%zu,\"counting\":%zu",
           ship->species, hash, wire, count_unknown(j, false), count_unknown(j, true));
    if (j->expected >= 0)
        printf(",\"expected\":%ld,\"match\":%s", j->expected,
               wire == j->expected ? "true" : "false");
    if (j->verbose) printf(",\"steps\":[");
    for (size_t i = 0; j->verbose && i < j->row_count; i++) {
        if (i) putchar(',');
        print_json_step(&j->rows[i]);
    }
    printf(j->verbose ? "]}\n" : "}\n");
}

/* ---- the command ---- */

/* Checks before anything is printed that each setting names an input. */
static int check_settings(job *j, const sb_ship_list *f)
{
    if (j->setting_count == 0) return SB_EXIT_FINE;
    for (size_t i = 0; i < f->count; i++) (void)compute(j, f->ships[i]);
    if (j->complaint[0]) return sb_usage_error(&usage, "%s", j->complaint);
    for (size_t i = 0; i < j->setting_count; i++)
        if (!j->settings[i].used)
            return sb_usage_error(&usage, "no input has the name `%.*s`; -v lists the inputs",
                                  (int)j->settings[i].name_size, j->settings[i].name);
    return SB_EXIT_FINE;
}

static int run(job *j, int count, char **operands)
{
    sb_ship_list f;
    sb_ship_list_init(&f);
    int status = sb_ship_list_add(&f, &usage, count, operands);
    if (status == SB_EXIT_FINE) status = check_settings(j, &f);
    for (size_t i = 0; status == SB_EXIT_FINE && i < f.count; i++) {
        uint32_t hash = compute(j, f.ships[i]);
        if (sb_integrity_wire(hash) == j->expected) j->matched = true;
        if (j->json) print_json(j, f.ships[i], hash);
        else print_text(j, f.ships[i], hash);
    }
    sb_ship_list_free(&f);
    free(j->rows);
    if (status == SB_EXIT_FINE && j->expected >= 0 && !j->matched) return SB_EXIT_NEGATIVE;
    return status;
}

static bool read_expected(const char *text, long *out)
{
    char *end;
    *out = strtol(text, &end, 0);
    return end != text && *end == '\0' && *out >= 0 && *out <= 0xFFFF;
}

int sb_run_hash(int argc, char **argv)
{
    job        j = { .expected = -1 };
    sb_options o;
    sb_options_init(&o, &usage, argc, argv);
    for (int key; (key = sb_options_next(&o)) != SB_OPTIONS_END;) {
        if (key == SB_OPTIONS_BAD) return SB_EXIT_USAGE;
        if (key == SB_OPTIONS_DONE) return SB_EXIT_FINE;
        if (key == KEY_JSON) j.json = true;
        else if (key == 'v') j.verbose = true;
        else if (key == KEY_SET && !add_setting(&j, o.argument))
            return sb_usage_error(&usage, "--set needs NAME=VALUE, at most %d times", SETTINGS_MAX);
        else if (key == KEY_EXPECT && !read_expected(o.argument, &j.expected))
            return sb_usage_error(&usage, "--expect: `%s` is not a 16-bit number such as 0xFB37",
                                  o.argument);
    }
    return run(&j, argc - o.operand, argv + o.operand);
}
