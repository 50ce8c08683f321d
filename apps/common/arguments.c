/* apps/common/arguments.c -- parses numbers of a command line.
 *
 * Tests:    tests/apps/bot_test.py, tests/apps/swarm_test.py
 */
#include "common/arguments.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

bool sb_argument_parse_count(const char *text, unsigned long low, unsigned long high,
                             unsigned long *out)
{
    char *end;
    if (text[0] < '0' || text[0] > '9') return false; /* strtoul accepts blanks and signs */
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (*end != '\0' || errno != 0 || value < low || value > high) return false;
    *out = value;
    return true;
}

bool sb_argument_parse_seconds(const char *text, double low, double high, sb_time *out)
{
    char  *end;
    double value = strtod(text, &end);
    bool   digit = text[0] == '.' || (text[0] >= '0' && text[0] <= '9');
    if (!digit || *end != '\0' || !isfinite(value) || value < low || value > high) return false;
    *out = (sb_time)llround(value * 1e6);
    return true;
}
