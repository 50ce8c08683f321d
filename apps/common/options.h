/* apps/common/options.h -- parses command lines; one table of options serves getopt_long and
 * --help.
 *
 * For:      every subcommand. An sb_usage is constant data; an sb_options is one pass over argv.
 *
 *     sb_options o;
 *     sb_options_init(&o, &usage, argc, argv);
 *     for (int key; (key = sb_options_next(&o)) != SB_OPTIONS_END;) {
 *         if (key == SB_OPTIONS_BAD) return SB_EXIT_USAGE;   // already explained on stderr
 *         if (key == SB_OPTIONS_DONE) return SB_EXIT_FINE;   // --help was printed
 *         if (key == 'j') json = true;
 *     }
 *     // operands: argv[o.operand] ... argv[argc - 1]
 */
#ifndef SB_APPS_COMMON_OPTIONS_H
#define SB_APPS_COMMON_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct sb_option {
    int key;              /* result of sb_options_next; a character is also the short form, numbers
                             from 256 on have no short form */
    const char *name;     /* long form, without dashes */
    const char *argument; /* name of the argument in the help; NULL: the option has none */
    const char *help;     /* '\n' starts another line */
    /* The only valid arguments, for completion; ends with NULL. NULL: they are not listed. */
    const char *const *words;
} sb_option;

typedef struct sb_usage {
    const char      *command;  /* "decode" */
    const char      *synopsis; /* "[options] [HEX... | FILE...]" */
    const char      *about;    /* one paragraph */
    const sb_option *options;  /* a NULL name ends the table; --help needs no row */
    const char      *footer;   /* examples, or NULL */
    /* Writes advice about an option that the table does not have, without dashes; false: none. NULL
     * instead of a function: the nearest option of the table is advice enough. */
    bool (*explain_option)(const char *name, char *out, size_t capacity);
    /* Reports an error instead of two lines on stderr; NULL: those lines. */
    void (*report)(const char *message);
    /* Words behind the command that have a usage of their own, such as "import" of ships; ends with
     * NULL. NULL: none. */
    const char *const *parts;
    /* Other words that may stand behind the command, for completion: the word at `index`, NULL
     * after the last one. NULL instead of a function: none. */
    const char *(*word)(size_t index);
} sb_usage;

enum {
    SB_OPTIONS_END = -1,
    SB_OPTIONS_BAD = -2,
    SB_OPTIONS_DONE = -3,
    SB_OPTIONS_MAX = 64,
};

typedef struct sb_options {
    const sb_usage *usage;
    int             argc;
    char          **argv;
    const char     *argument; /* argument of the option just returned, or NULL */
    int             operand;  /* after SB_OPTIONS_END: index of the first operand in argv */
    struct option   longs[SB_OPTIONS_MAX + 1];
    char            shorts[2 * SB_OPTIONS_MAX + 3];
} sb_options;

void sb_options_init(sb_options *o, const sb_usage *usage, int argc, char **argv);
int  sb_options_next(sb_options *o);

void sb_usage_print(FILE *out, const sb_usage *usage);
/* The usage that `COMMAND [PART] --help` prints, for manual pages and completion. `run` is the
 * entry point of the command; `part` NULL: none. NULL: the command has no such help. */
const sb_usage *sb_usage_of(int (*run)(int argc, char **argv), const char *command,
                            const char *part);
/* Prints "starbase decode: <message>" and a hint about --help to stderr. Returns SB_EXIT_USAGE. */
int sb_usage_error(const sb_usage *usage, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --color always, never or auto. Auto colours terminals, unless NO_COLOR is set. */
typedef enum sb_colour { SB_COLOUR_AUTO, SB_COLOUR_ALWAYS, SB_COLOUR_NEVER } sb_colour;
bool sb_find_colour(const char *text, sb_colour *out);
bool sb_colour_is_wanted(sb_colour colour, FILE *stream);

#endif
