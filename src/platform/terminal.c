/* src/platform/terminal.c -- isatty, window size, NO_COLOR.
 *
 * Tests:    tests/apps/view_test.py
 */
#include "platform/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

bool sb_terminal_is_open(FILE *stream)
{
    return isatty(fileno(stream)) == 1;
}

size_t sb_terminal_columns(FILE *stream)
{
    struct winsize size;
    if (!sb_terminal_is_open(stream)) return 0;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0) return 0;
    return size.ws_col;
}

bool sb_terminal_has_colour(FILE *stream)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    if (no_color && no_color[0] != '\0') return false;
    if (term && strcmp(term, "dumb") == 0) return false;
    return sb_terminal_is_open(stream);
}
