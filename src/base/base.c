/* src/base/base.c -- names and texts of results, lookup in name tables, the version, the assert
 * handler.
 *
 * Tests:    tests/message/message_test.c, tests/message/table_test.c
 */
#include <starbase/base.h>

#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct result_row {
    const char *name, *text;
} result_row;

static const result_row results[] = {
    [SB_OK] = { "OK", "no error" },
    [SB_TRUNCATED] = { "TRUNCATED", "the bytes ended inside a value" },
    [SB_TRAILING] = { "TRAILING", "bytes follow where the exact length is required" },
    [SB_BAD_VALUE] = { "BAD_VALUE", "a value is outside the range that the spec allows" },
    [SB_UNKNOWN_OPCODE] = { "UNKNOWN_OPCODE", "no message has this opcode" },
    [SB_NOT_ALLOWED] = { "NOT_ALLOWED", "not from this sender, or not in this state" },
    [SB_FULL] = { "FULL", "a limit is reached" },
    [SB_OS_ERROR] = { "OS_ERROR", "the operating system refused" },
};

_Static_assert(sizeof results / sizeof *results == SB_RESULT_COUNT, "one row per result");

const char *sb_result_text(sb_result result)
{
    return (unsigned)result < SB_RESULT_COUNT ? results[result].text : "unknown result";
}

const char *sb_result_name(sb_result result)
{
    return (unsigned)result < SB_RESULT_COUNT ? results[result].name : "UNKNOWN";
}

const char *sb_find_name(const sb_name *table, uint32_t value)
{
    if (!table) return NULL;
    for (; table->name; table++)
        if (table->value == value) return table->name;
    return NULL;
}

const char *sb_version(void)
{
    return SB_VERSION;
}

_Noreturn void sb_assert_failed(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}
