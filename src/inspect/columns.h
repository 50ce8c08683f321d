/* src/inspect/columns.h -- chosen values of a record, separated by tabs.
 *
 * For:      `starbase decode --fields opcode,name,object_id`, for cut, awk and spreadsheets.
 * Never:    allocates; a value that occurs several times is listed with commas between.
 */
#ifndef SB_INSPECT_COLUMNS_H
#define SB_INSPECT_COLUMNS_H

#include "inspect/meta.h"
#include "inspect/path.h"
#include "inspect/render.h"

enum { SB_COLUMNS_MAX = 32, SB_COLUMN_TEXT_MAX = 4096 };

typedef struct sb_column {
    const sb_meta *meta;
    sb_dotted      name;
    sb_span        text; /* as it was asked for */
    bool           there;
} sb_column;

typedef struct sb_columns {
    sb_column columns[SB_COLUMNS_MAX];
    size_t    count;
} sb_columns;

/* "opcode,name,entries.condition"; the text is borrowed. False: an empty name, or too many. */
bool sb_columns_init(sb_columns *columns, const char *text);
void sb_render_columns(sb_render *render, sb_columns *columns, const sb_record *record);

#endif
