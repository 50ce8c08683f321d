/* apps/serve/options.c -- the command line of `starbase serve`; most options come from the table of
 * keys (config/keys.h).
 *
 * Tests:    tests/apps/serve_test.py
 */
#include "serve/serve.h"

#include "common/commands.h"
#include "config/keys.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    KEY_CHECK = 256,
    KEY_KEYS,
    KEY_EXAMPLE,
    KEY_METRICS,
    KEY_SET,
    KEY_NO_CONSOLE,
    KEY_BOTS,
    KEY_FIRST
};

static const char footer[] =
    "Every key can also be set in FILE (--example prints one) or in the environment:\n"
    "max_players is STARBASE_MAX_PLAYERS. The tables votes, rotation, mods and modifiers are\n"
    "set in FILE only. The environment overrides the file, and the command line overrides both.\n"
    "\n"
    "SIGTERM and Ctrl-C say goodbye to the players and stop the server. SIGHUP reads the\n"
    "configuration again; --keys says when a change of each key takes effect. SIGUSR1 logs the\n"
    "status. If stdin is a terminal or a pipe, the server reads commands from it; `help` lists\n"
    "them.\n"
    "\n"
    "Examples:\n"
    "  starbase serve\n"
    "  starbase serve --name 'Friday night' --mission team --system Multi3 --frag-limit 20\n"
    "  starbase serve --example > server.lua\n"
    "  starbase serve --config server.lua --rooms 4 --log-json\n"
    "  starbase serve --config server.lua --check-config\n"
    "  starbase serve -p 22102 -q\n";

/* ---- the table of options ---- */

static const sb_option own_options[] = {
    { 'c', "config", "FILE", "read the configuration FILE; also STARBASE_CONFIG" },
    { KEY_CHECK, "check-config", NULL,
      "print the effective configuration and exit; exit status 78: it\nhas an error" },
    { KEY_KEYS, "keys", NULL, "list every key with its range and default, and exit" },
    { KEY_EXAMPLE, "example", NULL, "print a server.lua with every key and its default, and exit" },
    { KEY_METRICS, "metrics", NULL,
      "print the reference of /metrics (key http) as Markdown, and exit" },
    { KEY_SET, "set", "KEY=VALUE",
      "set any key, also one without a flag of its own;\ncombat.NAME=NUMBER sets a constant of the "
      "simulation" },
    { KEY_NO_CONSOLE, "no-console", NULL, "read no commands from stdin" },
    { KEY_BOTS, "bots", "N",
      "fill every room up to N players with bots, which leave when people\nneed their seats (0)" },
    { 'q', "quiet", NULL, "log only warnings and errors: --log-level warning" },
    { 'v', "verbose", NULL, "log everything: --log-level debug" },
};

static sb_option option_rows[SB_OPTIONS_MAX];
static char      flag_names[SB_OPTIONS_MAX][SB_KEY_VARIABLE];

static bool explain_option(const char *name, char *out, size_t capacity);

static sb_usage usage = {
    .command = "serve",
    .synopsis = "[options]",
    .about =
        "Runs a dedicated server for the stock game (1.1) until a signal or `quit` stops it. It\n"
        "needs no game files. It prints a line on stdout when a room is ready, and the log on\n"
        "stderr.",
    .options = option_rows,
    .footer = footer,
    .explain_option = explain_option,
};

/* A list's flag may be repeated, so its name is singular: --manifest FILE, not --manifests. */
static void format_flag(const sb_key *key, char out[SB_KEY_VARIABLE])
{
    sb_key_flag(key, out);
    if (key->kind == SB_KEY_TEXTS) out[strlen(out) - 1] = '\0';
}

/* Explains a key that has no flag of its own, such as --timeout. */
static bool explain_option(const char *name, char *out, size_t capacity)
{
    const char   *near = sb_config_suggest_key(name);
    const sb_key *key = near ? sb_config_find_key(near) : NULL;
    if (!key || key->argument) return false;
    snprintf(out, capacity, "did you mean `--set %s=VALUE`?", key->name);
    return true;
}

/* The short form of a key's flag; 0: it has none. */
static int short_flag(const sb_key *key)
{
    return strcmp(key->name, "port") == 0 ? 'p' : 0;
}

static void build_options(void)
{
    const sb_key *keys = sb_config_keys();
    size_t        count = sizeof own_options / sizeof *own_options;
    memcpy(option_rows, own_options, sizeof own_options);
    for (int i = 0; keys[i].name; i++) {
        const char *argument = keys[i].argument;
        if (!argument || count == SB_OPTIONS_MAX - 1) continue;
        format_flag(&keys[i], flag_names[count]);
        int letter = short_flag(&keys[i]);
        option_rows[count] =
            (sb_option){ letter ? letter : KEY_FIRST + i, flag_names[count],
                         argument[0] ? argument : NULL, keys[i].help, keys[i].words };
        count++;
    }
}

/* ---- reading them ---- */

/* Takes ownership of `text`: it is freed with the options, or at once on failure. */
static bool store_text(serve_options *o, char *text)
{
    if (!text || o->text_count == SB_SETTINGS_MAX) {
        free(text);
        return false;
    }
    o->texts[o->text_count++] = text;
    return true;
}

/* Appends the value of a repeated flag to the earlier value. */
static bool join_value(serve_options *o, sb_setting *earlier, const char *value)
{
    size_t size = strlen(earlier->value) + strlen(value) + 2;
    char  *text = malloc(size);
    if (text) snprintf(text, size, "%s,%s", earlier->value, value);
    if (!store_text(o, text)) return false;
    earlier->value = text;
    return true;
}

static int add_setting(serve_options *o, const char *flag, const char *key, const char *value)
{
    const sb_key *known = sb_config_find_key(key);
    for (size_t i = 0; known && known->kind == SB_KEY_TEXTS && i < o->sources.setting_count; i++)
        if (strcmp(o->settings[i].key, key) == 0)
            return join_value(o, &o->settings[i], value) ? SB_OPTIONS_END
                                                         : sb_usage_error(&usage, "out of memory");
    if (o->sources.setting_count == SB_SETTINGS_MAX)
        return sb_usage_error(&usage, "more than %d settings", SB_SETTINGS_MAX);
    o->settings[o->sources.setting_count++] = (sb_setting){ flag, key, value };
    return SB_OPTIONS_END;
}

static int add_pair(serve_options *o, const char *pair)
{
    size_t size = strcspn(pair, "=");
    if (size == 0 || pair[size] == '\0')
        return sb_usage_error(&usage, "--set needs KEY=VALUE, is `%s`", pair);
    char *key = strndup(pair, size);
    if (!store_text(o, key)) return sb_usage_error(&usage, "out of memory");
    for (char *c = key; *c; c++)
        if (*c == '-') *c = '_';
    return add_setting(o, "--set", key, pair + size + 1);
}

static int apply_option(serve_options *o, int key, const char *argument)
{
    static char flags[SB_OPTIONS_MAX][SB_KEY_VARIABLE + 2];
    if (key == 'c' && argument[0] == '\0') return sb_usage_error(&usage, "--config needs a FILE");
    if (key == 'c') o->sources.file = argument;
    else if (key == KEY_CHECK) o->check = true;
    else if (key == KEY_KEYS) o->list_keys = true;
    else if (key == KEY_EXAMPLE) o->print_example = true;
    else if (key == KEY_METRICS) o->print_metrics = true;
    else if (key == KEY_SET) return add_pair(o, argument);
    else if (key == KEY_NO_CONSOLE) return add_setting(o, "--no-console", "console", "no");
    else if (key == KEY_BOTS) return add_setting(o, "--bots", "bots", argument);
    else if (key == 'p') return add_setting(o, "--port", "port", argument);
    else if (key == 'q') return add_setting(o, "--quiet", "log_level", "warning");
    else if (key == 'v') return add_setting(o, "--verbose", "log_level", "debug");
    for (size_t i = 0; key >= KEY_FIRST && option_rows[i].name; i++) {
        if (option_rows[i].key != key) continue;
        snprintf(flags[i], sizeof flags[i], "--%s", option_rows[i].name);
        return add_setting(o, flags[i], sb_config_keys()[key - KEY_FIRST].name,
                           argument ? argument : "yes");
    }
    return SB_OPTIONS_END;
}

/* An empty variable counts as unset: scripts and unit files cannot always leave one out. */
static const char *config_file_variable(void)
{
    const char *file = getenv("STARBASE_CONFIG");
    return file && file[0] ? file : NULL;
}

int serve_read_options(serve_options *o, int argc, char **argv)
{
    sb_options pass;
    *o = (serve_options){ .check = false };
    o->sources.file = config_file_variable();
    o->sources.environment = (const char *const *)environ;
    o->sources.settings = o->settings;
    build_options();
    if (serve_asks_for_json(argc, argv)) usage.report = serve_report_json;
    sb_options_init(&pass, &usage, argc, argv);
    for (int key; (key = sb_options_next(&pass)) != SB_OPTIONS_END;) {
        if (key == SB_OPTIONS_BAD) return SB_EXIT_USAGE;
        if (key == SB_OPTIONS_DONE) return SB_EXIT_FINE;
        int status = apply_option(o, key, pass.argument);
        if (status != SB_OPTIONS_END) return status;
    }
    if (pass.operand < argc)
        return sb_usage_error(&usage, "unexpected argument `%s`", argv[pass.operand]);
    return SB_OPTIONS_END;
}

void serve_free_options(serve_options *o)
{
    for (size_t i = 0; i < o->text_count; i++) free(o->texts[i]);
}

/* ---- --keys and --example ---- */

/* Prints a text of the table on one line. */
static void print_help(const char *text)
{
    for (; *text; text++) putchar(*text == '\n' ? ' ' : *text);
    putchar('\n');
}

static void print_key(const sb_process_config *defaults, const sb_key *key)
{
    char range[160], variable[SB_KEY_VARIABLE];
    sb_key_range_text(key, range, sizeof range);
    sb_key_variable(key, variable);
    printf("%s = ", key->name);
    sb_key_print_default(stdout, key, defaults);
    printf("\n    %s; %s%s\n    a change takes effect %s\n    ", range, variable,
           key->of_room ? "; rooms may differ" : "",
           sb_key_change_text((sb_key_change)key->change));
    print_help(key->help);
}

/* The constants that the table `combat` may set, from SB_COMBAT_CONSTANTS. */
static void print_combat_constants(void)
{
    const char *name, *tag, *text;
    float       value;
    printf("    a default rests on [T] traces, [E] measurements on the running game, [R] published "
           "analyses\n    or [I] our inference:\n");
    for (size_t i = 0; sb_combat_constant_at(i, &name, &value, &tag, &text); i++)
        printf("        %s = %g [%s] %s\n", name, (double)value, tag, text);
}

static void print_table(const sb_table_key *table)
{
    printf("%s = ", table->name);
    print_help(table->form);
    printf("    a table; set %s; rooms may differ\n    a change takes effect %s\n    ",
           table->where, sb_key_change_text(table->change));
    print_help(table->help);
    if (strcmp(table->name, "combat") == 0) print_combat_constants();
}

static void print_keys(const sb_process_config *defaults)
{
    for (const sb_key *key = sb_config_keys(); key->name; key++) print_key(defaults, key);
    for (const sb_table_key *table = sb_config_tables; table->name; table++) print_table(table);
}

static void print_example(const sb_process_config *defaults)
{
    sb_process_config_print_example(stdout, defaults);
}

/* Calls `print` with the default configuration: no file, no environment, no flags. */
static void print_defaults(void (*print)(const sb_process_config *defaults))
{
    sb_process_config *defaults = malloc(sizeof *defaults);
    sb_config_sources  none = { 0 };
    if (!defaults) return;
    if (sb_process_config_load(defaults, &none) == SB_OK) print(defaults);
    sb_process_config_free(defaults);
    free(defaults);
}

void serve_print_keys(void)
{
    print_defaults(print_keys);
}

void serve_print_example(void)
{
    print_defaults(print_example);
}
