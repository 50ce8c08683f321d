/* src/platform/terminal.h -- properties of the terminal behind a stream.
 *
 * For:      colours, the width of lines, progress lines.
 */
#ifndef SB_PLATFORM_TERMINAL_H
#define SB_PLATFORM_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

bool sb_terminal_is_open(FILE *stream);
/* Columns of the terminal behind `stream`; 0: not a terminal, or it does not say. */
size_t sb_terminal_columns(FILE *stream);
/* True for a terminal with colours, unless NO_COLOR is set. */
bool sb_terminal_has_colour(FILE *stream);

#endif
