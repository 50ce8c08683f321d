/* apps/common/options.h -- command lines: one table of options serves getopt_long and the help.
 *
 * For:      every subcommand. A usage is constant data; an sb_options is one pass over argv.
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
    int key;              /* what sb_options_next returns; a character is also the short form,
                             numbers from 256 up have only the long one */
    const char *name;     /* long form, without dashes */
    const char *argument; /* how the help calls it; NULL: the option takes none */
    const char *help;     /* '\n' starts another line */
} sb_option;

typedef struct sb_usage {
    const char      *command;  /* "decode" */
    const char      *synopsis; /* "[options] [HEX... | FILE...]" */
    const char      *about;    /* what it does, one paragraph */
    const sb_option *options;  /* ends with a NULL name; --help needs no row */
    const char      *footer;   /* examples, or NULL */
} sb_usage;

enum {
    SB_OPTIONS_END = -1,
    SB_OPTIONS_BAD = -2,
    SB_OPTIONS_DONE = -3,
    SB_OPTIONS_MAX = 40,
};

typedef struct sb_options {
    const sb_usage *usage;
    int             argc;
    char          **argv;
    const char     *argument; /* of the option just returned, or NULL */
    int             operand;  /* after SB_OPTIONS_END: index of the first operand in argv */
    struct option   longs[SB_OPTIONS_MAX + 1];
    char            shorts[2 * SB_OPTIONS_MAX + 3];
} sb_options;

void sb_options_init(sb_options *o, const sb_usage *usage, int argc, char **argv);
int  sb_options_next(sb_options *o);

void sb_usage_print(FILE *out, const sb_usage *usage);
/* "starbase decode: <message>" and where to find help, on stderr. Returns SB_EXIT_USAGE. */
int sb_usage_error(const sb_usage *usage, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --color: always, never, auto. Auto means: on a terminal, unless NO_COLOR is set. */
typedef enum sb_colour { SB_COLOUR_AUTO, SB_COLOUR_ALWAYS, SB_COLOUR_NEVER } sb_colour;
bool sb_find_colour(const char *text, sb_colour *out);
bool sb_colour_is_wanted(sb_colour colour, FILE *stream);

#endif
