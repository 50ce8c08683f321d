/* apps/common/options.c -- parses options and prints help, both from one table.
 *
 * Tests:    tests/apps/decode_test.py
 */
#include "common/options.h"

#include "common/commands.h"
#include "platform/terminal.h"

#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "base/assert.h"
#include "base/suggestion.h"

/* Set while sb_usage_of runs a command: --help stores its usage here instead of printing it. */
static bool            wants_usage;
static const sb_usage *wanted_usage;

enum { KEY_HELP = 1, HELP_COLUMN = 28, ADVICE_BYTES = 160, MESSAGE_BYTES = 4096 };

static void add_short(sb_options *o, const sb_option *option)
{
    if (option->key >= 256) return;
    size_t at = strlen(o->shorts);
    o->shorts[at] = (char)option->key;
    o->shorts[at + 1] = option->argument ? ':' : '\0';
    o->shorts[at + 2] = '\0';
}

void sb_options_init(sb_options *o, const sb_usage *usage, int argc, char **argv)
{
    *o = (sb_options){ .usage = usage, .argc = argc, .argv = argv };
    size_t count = 0;
    strcpy(o->shorts, ":h");
    for (const sb_option *option = usage->options; option->name; option++) {
        SB_ASSERT(count < SB_OPTIONS_MAX - 1);
        o->longs[count++] =
            (struct option){ option->name, option->argument ? required_argument : no_argument, NULL,
                             option->key };
        add_short(o, option);
    }
    o->longs[count] = (struct option){ "help", no_argument, NULL, KEY_HELP };
    optind = 1;
    opterr = 0;
}

static const sb_option *find_option(const sb_usage *usage, int key)
{
    for (const sb_option *option = usage->options; option->name; option++)
        if (option->key == key) return option;
    return NULL;
}

/* ---- options that do not exist ---- */

/* The name in `--name=value` or `-name`. */
static void copy_name(const char *word, char *out, size_t capacity)
{
    word += strspn(word, "-");
    snprintf(out, capacity, "%.*s", (int)strcspn(word, "="), word);
}

static const char *suggest_option(const sb_usage *usage, const char *name)
{
    sb_suggestion found = sb_suggestion_start(name);
    for (const sb_option *option = usage->options; option->name; option++)
        sb_suggestion_try(&found, option->name);
    sb_suggestion_try(&found, "help");
    return found.best;
}

static int refuse_unknown(const sb_options *o, const char *word)
{
    char        name[80], advice[ADVICE_BYTES] = "";
    const char *near;
    copy_name(word, name, sizeof name);
    bool explained =
        o->usage->explain_option && o->usage->explain_option(name, advice, sizeof advice);
    if (!explained && (near = suggest_option(o->usage, name)))
        snprintf(advice, sizeof advice, "did you mean `--%s`?", near);
    (void)sb_usage_error(o->usage, "unknown option %s%s%s", word, advice[0] ? "; " : "", advice);
    return SB_OPTIONS_BAD;
}

/* True for `-port`: a long option with one dash, which getopt would read as short options. */
static bool has_single_dash(const sb_options *o, const char *word)
{
    char name[80];
    if (word[0] != '-' || word[1] == '-' || strlen(word) < 3) return false;
    copy_name(word, name, sizeof name);
    for (const sb_option *option = o->usage->options; option->name; option++)
        if (strcmp(option->name, name) == 0) return true;
    return strcmp(name, "help") == 0;
}

static int explain(const sb_options *o, int key)
{
    const char      *word = o->argv[optind - 1];
    const sb_option *option = find_option(o->usage, optopt);
    if (key == ':' && option)
        (void)sb_usage_error(o->usage, "--%s needs %s", option->name, option->argument);
    else if (optopt > 0 && optopt < 256 && !option && word[0] == '-' && word[1] != '-')
        (void)sb_usage_error(o->usage, "unknown option -%c", optopt);
    else if (option) (void)sb_usage_error(o->usage, "--%s takes no argument", option->name);
    else return refuse_unknown(o, word);
    return SB_OPTIONS_BAD;
}

int sb_options_next(sb_options *o)
{
    if (optind < o->argc && has_single_dash(o, o->argv[optind]))
        return refuse_unknown(o, o->argv[optind]);
    int key = getopt_long(o->argc, o->argv, o->shorts, o->longs, NULL);
    o->argument = optarg;
    o->operand = optind;
    if (key == -1) return SB_OPTIONS_END;
    if (key == '?' || key == ':') return explain(o, key);
    if (key != KEY_HELP && key != 'h') return key;
    if (wants_usage) wanted_usage = o->usage;
    else sb_usage_print(stdout, o->usage);
    return SB_OPTIONS_DONE;
}

/* ---- help ---- */

static void print_lines(FILE *out, const char *text, int indent)
{
    while (*text) {
        size_t size = strcspn(text, "\n");
        fprintf(out, "%.*s\n", (int)size, text);
        text += size;
        if (*text == '\n') text++;
        if (*text) fprintf(out, "%*s", indent, "");
    }
}

static void print_option(FILE *out, const sb_option *option)
{
    char        buffer[80];
    const char *blank = option->argument ? " " : "", *argument = option->argument;
    if (option->key > ' ' && option->key < 256)
        snprintf(buffer, sizeof buffer, "  -%c, --%s%s%s", option->key, option->name, blank,
                 argument ? argument : "");
    else
        snprintf(buffer, sizeof buffer, "      --%s%s%s", option->name, blank,
                 argument ? argument : "");
    fprintf(out, "%-*s", HELP_COLUMN, buffer);
    if (strlen(buffer) >= HELP_COLUMN) fprintf(out, "\n%*s", HELP_COLUMN, "");
    print_lines(out, option->help, HELP_COLUMN);
}

void sb_usage_print(FILE *out, const sb_usage *usage)
{
    static const sb_option help = { 'h', "help", NULL, "show this help" };
    fprintf(out, "Usage: starbase %s %s\n\n", usage->command, usage->synopsis);
    print_lines(out, usage->about, 0);
    fprintf(out, "\nOptions:\n");
    for (const sb_option *option = usage->options; option->name; option++)
        print_option(out, option);
    print_option(out, &help);
    if (!usage->footer) return;
    fprintf(out, "\n");
    print_lines(out, usage->footer, 0);
}

const sb_usage *sb_usage_of(int (*run)(int argc, char **argv), const char *command,
                            const char *part)
{
    static char help[] = "--help";
    char        words[2][64];
    char       *argv[] = { words[0], part ? words[1] : help, part ? help : NULL, NULL };
    snprintf(words[0], sizeof words[0], "%s", command);
    snprintf(words[1], sizeof words[1], "%s", part ? part : "");
    wants_usage = true;
    wanted_usage = NULL;
    (void)run(part ? 3 : 2, argv);
    wants_usage = false;
    return wanted_usage;
}

int sb_usage_error(const sb_usage *usage, const char *format, ...)
{
    char    message[MESSAGE_BYTES];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(message, sizeof message, format, list);
    va_end(list);
    if (usage->report) usage->report(message);
    else
        fprintf(stderr, "starbase %s: %s\nTry `starbase %s --help`.\n", usage->command, message,
                usage->command);
    return SB_EXIT_USAGE;
}

/* ---- colours ---- */

bool sb_find_colour(const char *text, sb_colour *out)
{
    static const char *const names[] = { "auto", "always", "never" };
    for (int i = 0; i < 3; i++) {
        if (strcasecmp(names[i], text) != 0) continue;
        *out = (sb_colour)i;
        return true;
    }
    return false;
}

bool sb_colour_is_wanted(sb_colour colour, FILE *stream)
{
    return colour == SB_COLOUR_ALWAYS ||
           (colour == SB_COLOUR_AUTO && sb_terminal_has_colour(stream));
}
