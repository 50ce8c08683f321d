/* apps/common/arguments.h -- parses numbers of a command line and checks their bounds.
 *
 * For:      subcommands whose options are counts, seconds or ports.
 */
#ifndef SB_APPS_COMMON_ARGUMENTS_H
#define SB_APPS_COMMON_ARGUMENTS_H

#include <starbase/base.h>

/* Parses a whole decimal number. False: `text` is no such number from `low` to `high`. */
bool sb_argument_parse_count(const char *text, unsigned long low, unsigned long high,
                             unsigned long *out);
/* Parses seconds such as "2.5". False: `text` is no number from `low` to `high`. */
bool sb_argument_parse_seconds(const char *text, double low, double high, sb_time *out);

#endif
