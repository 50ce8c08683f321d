/* src/load/part_table.h -- reads the lists of parts of a ship.
 *
 * For:      ship_table.c.
 * May use:  lua_table.h.
 * Never:    knows the figures of the ship itself.
 * Spec:     03 §10 (lists), 07 §1.1 (creation index).
 */
#ifndef SB_LOAD_PART_TABLE_H
#define SB_LOAD_PART_TABLE_H

#include <starbase/ship.h>
#include <starbase/ship_state.h>

#include "load/lua_table.h"

/* The parts of a ship while its file is read. Starts with zeros. */
typedef struct sb_part_lists {
    sb_subsystem_class defaults; /* only the sources in it are used */
    sb_subsystem_class subsystems[SB_SUBSYSTEMS_MAX];
    sb_subsystem_class children[SB_SHIP_CHILDREN_MAX];
    uint8_t            subsystem_count, child_count;
} sb_part_lists;

/* The words of the top-level types of sb_subsystem_type; ends with NULL. */
extern const char *const sb_part_type_words[];
/* Fields of the key `source` of a ship, which fill sb_part_lists.defaults, and of a part. */
extern const sb_lua_field sb_part_source_fields[];

/* The current value is an entry of `subsystems`: appends it and its children. */
void sb_part_read_subsystem(sb_lua *lua, sb_part_lists *parts);
/* The current value is the ship: refuses creation indices that contradict each other. */
void sb_part_check_creation(sb_lua *lua, const sb_part_lists *parts);

#endif
