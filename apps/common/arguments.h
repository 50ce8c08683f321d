/* apps/common/arguments.h -- numbers of a command line, within bounds.
 *
 * For:      subcommands that take counts, seconds and ports.
 */
#ifndef SB_APPS_COMMON_ARGUMENTS_H
#define SB_APPS_COMMON_ARGUMENTS_H

#include <starbase/base.h>

/* A whole decimal number from low to high. False: `text` is none. */
bool sb_argument_parse_count(const char *text, unsigned long low, unsigned long high,
                             unsigned long *out);
/* Seconds such as "2.5", from low to high. */
bool sb_argument_parse_seconds(const char *text, double low, double high, sb_time *out);

#endif
