/* apps/ships/import.c -- `starbase ships import`: reads a hardpoint script, writes a table.
 *
 * For:      modders who bring a ship to a server (docs/mods.md).
 * Tests:    tests/apps/import_test.py
 */
#include "ships/import.h"

#include "common/arguments.h"
#include "common/commands.h"
#include "common/options.h"
#include "load/data_file.h"
#include "load/hardpoint_table.h"
#include "platform/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PARENTS_MAX = 4, PATH_BYTES_MAX = 4096, LINE_COLUMNS = 100 };
enum {
    KEY_KEY = 256,
    KEY_NAME,
    KEY_FACTION,
    KEY_SPECIES,
    KEY_RADIUS,
    KEY_PROJECTILE,
    KEY_PARENT,
    KEY_FORCE
};

static const sb_option options[] = {
    { KEY_SPECIES, "species", "N",
      "the number of the ship in the mod, 1 to 255: the byte that clients send\n"
      "when they create it" },
    { KEY_KEY, "key", "KEY", "the ship's key (the name of the file in small letters)" },
    { KEY_NAME, "name", "NAME", "the ship's name (that of the script)" },
    { KEY_FACTION, "faction", "NAME", "the ship's faction (Unknown)" },
    { KEY_RADIUS, "radius", "R", "the radius of the model (an estimate: 1.2 x the farthest part)" },
    { KEY_PROJECTILE, "projectile", "NAME=N",
      "the number of a torpedo or bolt of the mod, by the name of its script;\n"
      "may be repeated" },
    { KEY_PARENT, "parent", "FILE.py",
      "the script that FILE.py builds on, if it is not beside FILE.py" },
    { 'o', "output", "FILE", "write the table to FILE, such as DIR/ships/NAME.lua (stdout)" },
    { KEY_FORCE, "force", NULL, "replace FILE if it exists" },
    { 0, NULL, NULL, NULL },
};

static const sb_usage usage = {
    .command = "ships import",
    .synopsis = "[options] FILE.py",
    .about =
        "Reads the hardpoint script of a mod's ship and writes its table for `--data DIR`. The\n"
        "script is read as text and never run: properties that it creates, figures that it sets,\n"
        "and the order in which LoadPropertySet adds them. Everything else is named in a warning\n"
        "with its line. Figures that the script does not give are estimates, and the table says\n"
        "so. docs/mods.md shows the whole way.",
    .options = options,
    .footer = "Examples:\n"
              "  starbase ships import lancer.py\n"
              "  starbase ships import lancer.py --species 120 -o mymod/ships/lancer.lua\n"
              "  starbase ships --data mymod lancer\n"
              "  starbase serve --data mymod --check-config\n",
};

typedef struct job {
    sb_table_options    table;
    const char         *file, *parent, *output;
    bool                force;
    sb_data             data;
    sb_hardpoint_script script;
    char                parents[PARENTS_MAX][PATH_BYTES_MAX]; /* the nearest first */
    size_t              parent_count;
} job;

static int report_refused(const job *j)
{
    fprintf(stderr, "starbase %s: %s\n", usage.command, j->data.error);
    return SB_EXIT_USAGE;
}

/* ---- warnings ---- */

static void print_note(const sb_script_note *n)
{
    fprintf(stderr, "starbase %s: warning: %s", usage.command, n->file);
    if (n->line) fprintf(stderr, ":%lu", (unsigned long)n->line);
    fprintf(stderr, ": %s %s", n->subject, n->reason);
    if (n->count > 1) fprintf(stderr, " (%u times, first here)", n->count);
    fprintf(stderr, "\n");
}

/* Looks and sounds: all names in one warning, since every script has dozens of them. */
static void print_notes_without_effect(const sb_hardpoint_script *script)
{
    char   item[SB_SCRIPT_NAME_MAX + 48];
    size_t column = 0;
    for (size_t i = 0; i < script->note_count; i++) {
        const sb_script_note *n = &script->notes[i];
        if (n->reason != sb_script_without_effect) continue;
        int size = snprintf(item, sizeof item, "%s (%u, line %lu)", n->subject, n->count,
                            (unsigned long)n->line);
        if (column == 0)
            fprintf(stderr, "starbase %s: warning: %s: these calls have no effect on a server",
                    usage.command, n->file);
        bool wrap = column == 0 || column + (size_t)size + 2 > LINE_COLUMNS;
        fprintf(stderr, "%s%s", wrap ? (column ? ",\n    " : ":\n    ") : ", ", item);
        column = (wrap ? 4 : column + 2) + (size_t)size;
    }
    if (column) fprintf(stderr, "\n");
}

static void print_notes(const job *j)
{
    const sb_hardpoint_script *script = &j->script;
    for (size_t i = 0; i < script->note_count; i++)
        if (script->notes[i].reason != sb_script_without_effect) print_note(&script->notes[i]);
    print_notes_without_effect(script);
    if (script->notes_lost)
        fprintf(stderr, "starbase %s: warning: and %u warnings more\n", usage.command,
                script->notes_lost);
    if (!j->table.species)
        fprintf(stderr,
                "starbase %s: warning: the species is not in a script: give --species N, or "
                "replace the 0 in the table\n",
                usage.command);
}

/* ---- scripts that build on each other ---- */

static bool is_module_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    return name[0] != '\0' && name[strspn(name, letters)] == '\0';
}

static bool can_read(const char *path)
{
    const char *ignored;
    FILE       *file = sb_file_open(path, &ignored);
    if (file) fclose(file);
    return file != NULL;
}

/* The script `name` in the folder of `file`, as written or in small letters. */
static bool find_beside(const char *file, const char *name, char out[PATH_BYTES_MAX])
{
    const char *slash = strrchr(file, '/');
    int         folder = slash ? (int)(slash - file + 1) : 0;
    int         size = snprintf(out, PATH_BYTES_MAX, "%.*s%s.py", folder, file, name);
    if (!is_module_name(name) || size >= PATH_BYTES_MAX) return false;
    if (can_read(out)) return true;
    for (char *c = out + folder; *c; c++)
        if (*c >= 'A' && *c <= 'Z') *c = (char)(*c - 'A' + 'a');
    return can_read(out);
}

static int find_parent(job *j, const char *file, char out[PATH_BYTES_MAX])
{
    bool first = j->parent_count == 0;
    if (first && j->parent) {
        snprintf(out, PATH_BYTES_MAX, "%s", j->parent);
        return SB_EXIT_FINE;
    }
    if (find_beside(file, j->script.parent, out)) return SB_EXIT_FINE;
    fprintf(stderr,
            "starbase %s: %s:%lu: builds on the script %s.py, which is not beside it; name it with "
            "--parent FILE.py\n",
            usage.command, file, (unsigned long)j->script.parent_line, j->script.parent);
    return SB_EXIT_USAGE;
}

static int read_script(job *j, const char *file)
{
    sb_data_source source = { .name = file };
    return sb_hardpoint_script_read(&j->script, source) == SB_OK ? SB_EXIT_FINE : report_refused(j);
}

static int start_script(job *j)
{
    return sb_hardpoint_script_init(&j->script, &j->data) == SB_OK ? SB_EXIT_FINE
                                                                   : report_refused(j);
}

/* Reads each script on its own to learn its parent. */
static int find_parents(job *j)
{
    const char *file = j->file;
    for (;;) {
        int status = start_script(j);
        if (status == SB_EXIT_FINE) status = read_script(j, file);
        if (status != SB_EXIT_FINE || !j->script.parent) return status;
        if (j->parent_count == PARENTS_MAX)
            return sb_usage_error(&usage, "%s: builds on more than %d scripts", j->file,
                                  PARENTS_MAX);
        status = find_parent(j, file, j->parents[j->parent_count]);
        if (status != SB_EXIT_FINE) return status;
        file = j->parents[j->parent_count++];
    }
}

static int read_scripts(job *j)
{
    int status = find_parents(j);
    if (status == SB_EXIT_FINE && j->parent && j->parent_count == 0)
        return sb_usage_error(&usage, "--parent: %s builds on no other script", j->file);
    if (status == SB_EXIT_FINE) status = start_script(j);
    for (size_t i = j->parent_count; status == SB_EXIT_FINE && i-- > 0;)
        status = read_script(j, j->parents[i]);
    return status == SB_EXIT_FINE ? read_script(j, j->file) : status;
}

/* ---- the table ---- */

/* Loads the table before anybody sees it. A missing species is not an error yet. */
static int check_table(job *j, char *text, size_t size)
{
    static const char missing[] = "\n    species = 0,";
    char             *place = j->table.species ? NULL : strstr(text, missing);
    sb_data_source    source = { .name = j->file, .text = text, .size = size };
    if (place) place[sizeof missing - 3] = '1';
    const sb_ship_class *ship;
    sb_result            result = sb_data_load_ship(&j->data, source, NULL, &ship);
    if (place) place[sizeof missing - 3] = '0';
    return result == SB_OK ? SB_EXIT_FINE : report_refused(j);
}

static int report_output(const job *j)
{
    if (errno == EEXIST)
        fprintf(stderr, "starbase %s: %s exists; --force replaces it\n", usage.command, j->output);
    else if (errno == ENOENT)
        fprintf(stderr, "starbase %s: %s: its folder does not exist; create it with mkdir -p\n",
                usage.command, j->output);
    else fprintf(stderr, "starbase %s: %s: %s\n", usage.command, j->output, strerror(errno));
    return SB_EXIT_NEGATIVE;
}

static int write_output(const job *j, const char *text, size_t size)
{
    FILE *out = j->output ? fopen(j->output, j->force ? "wb" : "wbx") : stdout;
    if (!out) return report_output(j);
    bool fine = fwrite(text, 1, size, out) == size;
    if (j->output) fine = fclose(out) == 0 && fine;
    if (!fine) return report_output(j);
    if (j->output)
        fprintf(stderr, "starbase %s: wrote %s; `starbase ships %s` shows the ship\n",
                usage.command, j->output, j->output);
    return SB_EXIT_FINE;
}

static int convert(job *j)
{
    char  *text = NULL;
    size_t size = 0;
    int    status = read_scripts(j);
    if (status != SB_EXIT_FINE) return status;
    sb_result result = sb_hardpoint_table_write(&j->script, &j->table, &text, &size);
    print_notes(j);
    if (result != SB_OK) return report_refused(j);
    status = check_table(j, text, size);
    if (status == SB_EXIT_FINE) status = write_output(j, text, size);
    free(text);
    return status;
}

/* ---- options ---- */

static bool read_projectile(sb_table_options *table, const char *text)
{
    unsigned long type;
    size_t        size = strcspn(text, "=");
    if (size == 0 || text[size] == '\0' || table->projectile_count == SB_TABLE_PROJECTILES_MAX)
        return false;
    if (!sb_argument_parse_count(text + size + 1, 0, 255, &type)) return false;
    table->projectiles[table->projectile_count++] =
        (sb_table_projectile){ text, size, (uint8_t)type };
    return true;
}

static bool read_radius(const char *text, float *out)
{
    char *end;
    *out = strtof(text, &end);
    return end != text && *end == '\0' && *out >= 0.001f && *out <= 1e6f;
}

static bool is_word(const char *text)
{
    return text[0] != '\0' && strlen(text) <= SB_DATA_NAME_MAX;
}

/* SB_EXIT_FINE, or the status of a complaint. */
static int take_option(job *j, int key, const char *text)
{
    unsigned long species;
    if (key == 'o') j->output = text;
    else if (key == KEY_FORCE) j->force = true;
    else if (key == KEY_PARENT) j->parent = text;
    else if (key == KEY_SPECIES) {
        if (!sb_argument_parse_count(text, 1, 255, &species))
            return sb_usage_error(&usage, "--species: `%s` is no number from 1 to 255", text);
        j->table.species = (uint8_t)species;
    } else if (key == KEY_RADIUS) {
        if (!read_radius(text, &j->table.radius))
            return sb_usage_error(&usage, "--radius: `%s` is no number above 0", text);
    } else if (key == KEY_PROJECTILE) {
        if (!read_projectile(&j->table, text))
            return sb_usage_error(&usage, "--projectile needs NAME=NUMBER, number 0 to 255");
    } else if (!is_word(text))
        return sb_usage_error(&usage, "`%s`: a key or name has 1 to %d bytes", text,
                              SB_DATA_NAME_MAX);
    else if (key == KEY_KEY) j->table.key = text;
    else if (key == KEY_NAME) j->table.name = text;
    else if (key == KEY_FACTION) j->table.faction = text;
    return SB_EXIT_FINE;
}

static int run(job *j, int count, char **operands)
{
    if (count != 1) return sb_usage_error(&usage, "needs one hardpoint script, FILE.py");
    j->file = operands[0];
    int status = convert(j);
    sb_data_free(&j->data);
    return status;
}

int sb_ships_import(int argc, char **argv)
{
    static job j; /* too large for a stack */
    sb_options o;
    j = (job){ 0 };
    sb_options_init(&o, &usage, argc, argv);
    for (int key; (key = sb_options_next(&o)) != SB_OPTIONS_END;) {
        if (key == SB_OPTIONS_BAD) return SB_EXIT_USAGE;
        if (key == SB_OPTIONS_DONE) return SB_EXIT_FINE;
        int status = take_option(&j, key, o.argument);
        if (status != SB_EXIT_FINE) return status;
    }
    return run(&j, argc - o.operand, argv + o.operand);
}
