/* src/inspect/columns.h -- prints chosen values of a record, separated by tabs.
 *
 * For:      `starbase decode --fields opcode,name,object_id`; cut, awk and spreadsheets read it.
 * Never:    allocates.
 *
 * If a record has several fields of a name, their column lists all values, separated by commas.
 */
#ifndef SB_INSPECT_COLUMNS_H
#define SB_INSPECT_COLUMNS_H

#include "inspect/field_names.h"
#include "inspect/meta.h"
#include "inspect/path.h"
#include "inspect/render.h"

enum { SB_COLUMNS_MAX = 32, SB_COLUMN_TEXT_MAX = 4096 };

typedef struct sb_column {
    const sb_meta *meta;
    sb_dotted      name;
    sb_span        text;  /* as the user wrote it */
    bool           found; /* some record had a field of this name */
} sb_column;

typedef struct sb_columns {
    sb_column columns[SB_COLUMNS_MAX];
    size_t    count;
} sb_columns;

/* Parses "opcode,name,entries.condition"; borrows `text` for the life of `columns`. False: a name
 * is empty, or there are more than SB_COLUMNS_MAX. */
bool sb_columns_init(sb_columns *columns, const char *text);
/* False: a name is no property and no field; `error` says which. */
bool sb_columns_check_names(const sb_columns *columns, const sb_field_names *names, char *error,
                            size_t capacity);
/* Prints the names of the columns as the user wrote them. */
void sb_render_column_names(sb_render *render, const sb_columns *columns);
void sb_render_columns(sb_render *render, sb_columns *columns, const sb_record *record);

#endif
