/* src/load/ship_table.h -- one ship as its data file describes it.
 *
 * For:      data_file.c, which lends it a list of subsystems where it names another ship's.
 * May use:  lua_table.h.
 * Never:    knows of other ships: a name in `subsystems_of` stays a name here.
 * Spec:     11 (figures), 03 §10 (lists). data/ships/akira.lua shows the form of a file.
 */
#ifndef SB_LOAD_SHIP_TABLE_H
#define SB_LOAD_SHIP_TABLE_H

#include <starbase/ship.h>

#include "load/lua_table.h"

typedef struct sb_ship_table {
    sb_ship_class ship;          /* without a list when subsystems_of is given */
    const char   *file;          /* borrowed: the name of its source */
    const char   *subsystems_of; /* NULL: it has its own list */
} sb_ship_table;

/* What *out points at is lent until sb_data_free. Anything but SB_OK: as sb_data_load_table. */
SB_MUST_USE sb_result sb_data_load_ship_table(sb_data *data, sb_data_source source,
                                              sb_ship_table *out);

#endif
