/* apps/common/usages.h -- the usage of every command, collected from the tables of the commands.
 *
 * For:      manual pages and completion, which follow from these tables alone.
 */
#ifndef SB_APPS_COMMON_USAGES_H
#define SB_APPS_COMMON_USAGES_H

#include "common/options.h"

enum { SB_USAGES_MAX = 48, SB_USAGE_NAME = 64 };

typedef struct sb_usage_entry {
    char            name[SB_USAGE_NAME]; /* "serve"; a part of a command: "ships import" */
    const char     *summary;             /* from the table of commands; NULL: a part */
    const sb_usage *usage;
} sb_usage_entry;

typedef struct sb_usages {
    size_t count;
    sb_usage_entry
        entries[SB_USAGES_MAX]; /* in the order of the help; parts follow their command */
} sb_usages;

/* Asks every command for its usage. */
void sb_usages_collect(sb_usages *out);

/* The kind of an argument: an operand or an option takes one. */
typedef enum sb_option_value {
    SB_OPTION_VALUE_NONE,
    SB_OPTION_VALUE_FILE,
    SB_OPTION_VALUE_DIRECTORY,
    SB_OPTION_VALUE_WORDS, /* one of option->words */
    SB_OPTION_VALUE_OTHER, /* a number, a name: nothing to offer */
} sb_option_value;

sb_option_value sb_option_value_of(const sb_option *option);
/* True if the synopsis names files or directories as operands. */
bool sb_usage_takes_files(const sb_usage *usage);
/* True if the option has a short form. */
bool sb_option_has_letter(const sb_option *option);

/* The row of --help, which no table has. */
extern const sb_option sb_help_option;

#endif
