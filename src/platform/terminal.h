/* src/platform/terminal.h -- what a program must know about the terminal it may be running in.
 *
 * For:      colours, cutting of lines, progress lines.
 */
#ifndef SB_PLATFORM_TERMINAL_H
#define SB_PLATFORM_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

bool sb_is_terminal(FILE *stream);
/* Columns of the terminal behind `stream`; 0: not a terminal, or it does not say. */
size_t sb_terminal_columns(FILE *stream);
/* True if colours are wanted there by default: a terminal that can, and NO_COLOR is not set. */
bool sb_terminal_has_colour(FILE *stream);

/* Microseconds on a clock that only goes forward; the start is arbitrary. */
int64_t sb_now_us(void);

#endif
