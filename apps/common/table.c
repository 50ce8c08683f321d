/* apps/common/table.c -- see table.h. */
#include "common/table.h"

#include "common/clean_text.h"

#include "base/assert.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_BYTES = 512 };

void sb_table_init(sb_table *t, const sb_column *columns, size_t column_count)
{
    SB_ASSERT(column_count > 0);
    SB_ASSERT(column_count <= SB_TABLE_COLUMNS_MAX);
    *t = (sb_table){ .columns = columns, .column_count = column_count };
    for (size_t i = 0; i < column_count; i++) t->widths[i] = strlen(columns[i].heading);
}

static void widen(sb_table *t, const char *cell)
{
    size_t column = t->count % t->column_count, width = sb_clean_columns(cell);
    size_t widest = t->columns[column].widest;
    if (widest && width > widest) width = widest;
    if (width > t->widths[column]) t->widths[column] = width;
}

void sb_table_add(sb_table *t, const char *format, ...)
{
    char    raw[CELL_BYTES], clean[CELL_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    (void)sb_clean_utf8(raw, clean, sizeof clean);
    if (t->count == t->capacity) {
        size_t capacity = t->capacity ? 2 * t->capacity : 64;
        char **more = realloc(t->cells, capacity * sizeof *more);
        if (!more) abort();
        t->cells = more;
        t->capacity = capacity;
    }
    widen(t, clean);
    if (!(t->cells[t->count++] = strdup(clean))) abort();
}

static void print_cell(const sb_table *t, FILE *out, size_t column, const char *cell)
{
    bool   is_last = column + 1 == t->column_count;
    size_t width = t->widths[column], used = sb_clean_columns(cell);
    if (t->columns[column].right) {
        for (size_t i = used; i < width; i++) fputc(' ', out);
        fputs(cell, out);
    } else if (is_last) fputs(cell, out);
    else sb_clean_print_cell(out, cell, width);
    fputs(is_last ? "\n" : "  ", out);
}

void sb_table_print(const sb_table *t, FILE *out)
{
    SB_ASSERT(t->column_count > 0); /* sb_table_init */
    for (size_t i = 0; i < t->column_count; i++) print_cell(t, out, i, t->columns[i].heading);
    for (size_t i = 0; i < t->count; i++) print_cell(t, out, i % t->column_count, t->cells[i]);
}

size_t sb_table_rows(const sb_table *t)
{
    return t->count / t->column_count;
}

void sb_table_free(sb_table *t)
{
    for (size_t i = 0; i < t->count; i++) free(t->cells[i]);
    free(t->cells);
    *t = (sb_table){ .cells = NULL };
}
