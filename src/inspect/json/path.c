/* src/inspect/json/path.c -- appends to the path of a value.
 *
 * Tests:    tests/inspect/json/error_test.c
 */
#include "inspect/json/path.h"

#include <stdio.h>

void sb_json_path_append(sb_json_path *p, const char *text)
{
    size_t left = sizeof p->text - p->size;
    int    size = snprintf(p->text + p->size, left, "%s", text);
    p->size += (size_t)size < left ? (size_t)size : left - 1;
}

void sb_json_path_step(sb_json_path *p, const char *name, size_t index)
{
    char number[32];
    snprintf(number, sizeof number, "[%zu]", index);
    if (name) sb_json_path_append(p, ".");
    sb_json_path_append(p, name ? name : number);
}
