/* tests/vector_cells.c -- see vector_cells.h. */
#include "vector_cells.h"

#include "vector_fields.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const vector_file *table;
const vector_line *line;
bool               table_failed;

void complain(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    printf("    %s:%d: ", table->path, line->line);
    vprintf(format, list);
    printf("\n");
    va_end(list);
    table_failed = true;
}

unsigned long number_in(size_t column)
{
    char         *end;
    unsigned long value = strtoul(line->cells[column], &end, 0);
    if (*end || end == line->cells[column]) complain("'%s' is not a number", line->cells[column]);
    return value;
}

unsigned long hex_number_in(size_t column)
{
    char         *end;
    unsigned long value = strtoul(line->cells[column], &end, 16);
    if (*end || end == line->cells[column]) complain("'%s' is not hex", line->cells[column]);
    return value;
}

float real_in(size_t column)
{
    char *end;
    float value = strtof(line->cells[column], &end);
    if (*end || end == line->cells[column]) complain("'%s' is not a number", line->cells[column]);
    return value;
}

bool yes_in(size_t column)
{
    bool yes = strcmp(line->cells[column], "yes") == 0;
    if (!yes && strcmp(line->cells[column], "no") != 0) complain("yes or no is needed");
    return yes;
}

sb_vec3 vector_in(size_t column)
{
    float v[3] = { 0, 0, 0 };
    char *at = (char *)(uintptr_t)line->cells[column];
    for (int i = 0; i < 3; i++) {
        char *end = at;
        v[i] = strtof(at, &end);
        if (end == at || *end != (i < 2 ? ',' : '\0')) {
            complain("'%s' is not a vector", line->cells[column]);
            break;
        }
        at = end + 1;
    }
    return (sb_vec3){ v[0], v[1], v[2] };
}

sb_span bytes_in(size_t column)
{
    static uint8_t bytes[1024];
    const char    *text = strcmp(line->cells[column], "-") == 0 ? "" : line->cells[column];
    size_t         size = vector_hex(text, bytes, sizeof bytes);
    if (size == SIZE_MAX) complain("'%s' is not hex", text);
    return (sb_span){ bytes, size == SIZE_MAX ? 0 : size };
}

sb_span text_in(size_t column)
{
    static uint8_t bytes[1024];
    size_t         size = vector_unquote(line->cells[column], bytes, sizeof bytes);
    if (size == SIZE_MAX) complain("'%s' is not a quoted text", line->cells[column]);
    return (sb_span){ bytes, size == SIZE_MAX ? 0 : size };
}

const sb_ship_class *ship_in(size_t column)
{
    const sb_ship_class *ship = sb_find_ship(sb_stock_ships(), (uint8_t)number_in(column));
    if (!ship) complain("no such ship");
    return ship;
}

void check_number(const char *what, unsigned long actual, unsigned long expected)
{
    if (actual != expected)
        complain("%s is %lu (0x%lX), expected %lu (0x%lX)", what, actual, actual, expected,
                 expected);
}

void check_bytes(const char *what, const uint8_t *actual, size_t size, size_t column)
{
    sb_span expected = bytes_in(column);
    if (size == expected.size && memcmp(actual, expected.data, size) == 0) return;
    char   hex[128] = "";
    size_t at = 0;
    for (size_t i = 0; i < size && at + 4 < sizeof hex; i++)
        at += (size_t)snprintf(hex + at, sizeof hex - at, " %02X", actual[i]);
    complain("%s gives%s instead of %s", what, hex, line->cells[column]);
}

void check_text(const char *what, const char *actual, size_t column)
{
    if (strcmp(actual, line->cells[column]) != 0)
        complain("%s: %s instead of %s", what, actual, line->cells[column]);
}

void check_vector(const char *what, sb_vec3 v, size_t column)
{
    float values[3] = { v.x, v.y, v.z };
    if (!numbers_agree(values, 3, line->cells[column]))
        complain("%s is %.9g, %.9g, %.9g instead of %s", what, (double)v.x, (double)v.y,
                 (double)v.z, line->cells[column]);
}
