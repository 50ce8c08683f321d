/* apps/common/table.h -- a table of texts in columns, for people.
 *
 * For:      subcommands that list rows of a database. Cells are added row by row, and printed when
 *           the widths of all are known.
 * Never:    passes an invisible character: cells are made safe by common/clean_text.h.
 */
#ifndef SB_APPS_COMMON_TABLE_H
#define SB_APPS_COMMON_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct sb_column {
    const char *heading;
    bool        right;  /* numbers end at the right edge */
    size_t      widest; /* longer cells are cut; 0: never */
} sb_column;

enum { SB_TABLE_COLUMNS_MAX = 16 };

typedef struct sb_table {
    const sb_column *columns;
    size_t           column_count;
    char           **cells; /* row by row */
    size_t           count, capacity;
    size_t           widths[SB_TABLE_COLUMNS_MAX];
} sb_table;

void sb_table_init(sb_table *table, const sb_column *columns, size_t column_count);
/* Adds the next cell of the row, or the first one of a new row. */
void   sb_table_add(sb_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
void   sb_table_print(const sb_table *table, FILE *out);
size_t sb_table_rows(const sb_table *table);
void   sb_table_free(sb_table *table);

#endif
