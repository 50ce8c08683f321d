/* src/load/ship_table.h -- reads the table of one ship.
 *
 * For:      data_file.c, which then replaces `subsystems_of` by the list of the other ship.
 * May use:  lua_table.h.
 * Never:    knows other ships: `subsystems_of` stays a name here.
 * Spec:     11 (figures), 03 §10 (lists). data/ships/akira.lua shows the form of a file.
 */
#ifndef SB_LOAD_SHIP_TABLE_H
#define SB_LOAD_SHIP_TABLE_H

#include <starbase/ship.h>

#include "load/lua_table.h"

/* The words of sb_figure_source in every table; ends with NULL. */
extern const char *const sb_source_words[];

/* A part in which a ship differs from the ship whose list it uses. */
typedef struct sb_ship_change {
    const char *name;
    float       max_condition;
    uint8_t     source; /* sb_figure_source */
} sb_ship_change;

typedef struct sb_ship_table {
    sb_ship_class         ship;          /* without subsystems if subsystems_of is set */
    const char           *file;          /* borrowed: the name of its source */
    const char           *subsystems_of; /* NULL: the ship has its own list */
    const sb_ship_change *changes;       /* to the list of the other ship */
    size_t                change_count;
} sb_ship_table;

/* The pointers in *out are lent until sb_data_free. Results as sb_data_load_table. */
SB_MUST_USE sb_result sb_data_load_ship_table(sb_data *data, sb_data_source source,
                                              sb_ship_table *out);

#endif
