/* apps/manual/keys.c -- the manual page of the server's configuration, from the table of keys.
 *
 * Tests:    tests/apps/manual_test.py
 */
#include "manual/manual.h"

#include "config/keys.h"

#include <stdlib.h>

static const char introduction[] =
    "`starbase serve --config FILE` reads its configuration from a file. Each line is `key =\n"
    "value`: texts stand in quotes, lists in braces, and two hyphens start a comment. The file is\n"
    "Lua: `local` names avoid repetition, and a file may also return one table. It cannot access\n"
    "files, the clock or the network. All keys are optional.";

static const char sources[] =
    "Each key can also be set in the environment or with `--set KEY=VALUE` on the command line. "
    "The\n"
    "environment overrides the file, and the command line overrides both. `rooms` is a number, or\n"
    "a list of rooms; a room of the list overrides the values that all rooms share.";

static const char reloading[] = "SIGHUP (`systemctl reload starbase`) makes a running server read "
                                "the file again. Each key says\n"
                                "when a change takes effect; the log names every change. `starbase "
                                "serve --check-config` prints\n"
                                "the effective configuration, `--example` a file with every key.";

/* Prints what `print` writes, in the markup of pages, without its last newline. */
static bool print_default(FILE *out, const sb_key *key, const sb_process_config *defaults)
{
    char  *text = NULL;
    size_t size = 0;
    FILE  *memory = open_memstream(&text, &size);
    if (!memory) return false;
    sb_key_print_default(memory, key, defaults);
    bool written = fclose(memory) == 0;
    if (written) manual_print_text(out, text, false);
    free(text);
    return written;
}

static bool print_key(FILE *out, const sb_key *key, const sb_process_config *defaults)
{
    char range[160], variable[SB_KEY_VARIABLE], last[400];
    if (sb_key_section(key)) {
        fprintf(out, ".SS ");
        manual_print_text(out, sb_key_section(key), false);
    }
    fprintf(out, ".TP\n\\fB%s\\fR = ", key->name);
    if (!print_default(out, key, defaults)) return false;
    manual_print_text(out, key->help, true);
    sb_key_range_text(key, range, sizeof range);
    sb_key_variable(key, variable);
    snprintf(last, sizeof last, "%s; in the environment %s%s; a change takes effect %s", range,
             variable, key->of_room ? "; rooms may differ" : "",
             sb_key_change_text((sb_key_change)key->change));
    fprintf(out, ".br\n");
    manual_print_text(out, last, false);
    return true;
}

static void print_table(FILE *out, const sb_table_key *table)
{
    char last[300];
    fprintf(out, ".TP\n\\fB%s\\fR = ", table->name);
    manual_print_text(out, table->form, false);
    manual_print_text(out, table->help, true);
    snprintf(last, sizeof last, "set %s; rooms may differ; a change takes effect %s", table->where,
             sb_key_change_text(table->change));
    fprintf(out, ".br\n");
    manual_print_text(out, last, false);
}

static bool print_keys(FILE *out, const sb_process_config *defaults)
{
    fprintf(out, ".SH KEYS\nEach key is shown with its default.\n");
    for (const sb_key *key = sb_config_keys(); key->name; key++)
        if (!print_key(out, key, defaults)) return false;
    fprintf(out, ".SS Tables\n");
    for (const sb_table_key *table = sb_config_tables; table->name; table++)
        print_table(out, table);
    return true;
}

static void print_end(FILE *out)
{
    fprintf(out, ".SH EXAMPLES\n.EX\n"
                 "name = \"Friday night\"\n"
                 "frag_limit = 20\n"
                 "rooms = {\n"
                 "    { name = \"Beginners\", collision_damage = false },\n"
                 "    { name = \"Teams\", mission = \"team\", port = 22150 },\n"
                 "}\n.EE\n"
                 ".SH FILES\n"
                 ".TP\n.I /etc/starbase/server.lua\nof starbase.service\n"
                 ".TP\n.I /etc/starbase/NAME.lua\nof starbase@NAME.service\n"
                 ".SH SEE ALSO\n.BR starbase\\-serve (1),\n.BR starbase\\-doctor (1),\n"
                 ".BR starbase (1)\n");
}

bool manual_print_keys(FILE *out)
{
    sb_process_config *defaults = malloc(sizeof *defaults);
    sb_config_sources  none = { 0 };
    if (!defaults) return false;
    bool fine = sb_process_config_load(defaults, &none) == SB_OK;
    manual_print_head(out, "starbase-server.lua", 5);
    fprintf(out, ".SH NAME\nstarbase\\-server.lua \\- configuration of the Starbase game server\n"
                 ".SH DESCRIPTION\n");
    manual_print_text(out, introduction, true);
    fprintf(out, ".PP\n");
    manual_print_text(out, sources, true);
    fprintf(out, ".PP\n");
    manual_print_text(out, reloading, true);
    fine = fine && print_keys(out, defaults);
    print_end(out);
    sb_process_config_free(defaults);
    free(defaults);
    return fine;
}
