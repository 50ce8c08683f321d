/* src/load/part_table.h -- reads the lists of parts of a ship.
 *
 * For:      ship_table.c.
 * May use:  lua_table.h.
 * Never:    knows the figures of the ship itself.
 * Spec:     03 §10 (lists), 07 §1.1 (creation index).
 */
#ifndef SB_LOAD_PART_TABLE_H
#define SB_LOAD_PART_TABLE_H

#include <starbase/hardpoint.h>

#include "load/lua_table.h"

/* The parts of a ship while its file is read. Starts with zeros. */
typedef struct sb_part_lists {
    sb_subsystem_class defaults; /* only the sources in it are used */
    sb_linked_parts    linked;   /* the lists of the finished ship */
    sb_hardpoint       hardpoints[SB_HARDPOINTS_MAX];
    size_t             hardpoint_count; /* 0: the file has `subsystems` or `subsystems_of` */
} sb_part_lists;

/* The words of sb_subsystem_type; both end with NULL. */
extern const char *const sb_part_system_words[]; /* of the top-level types */
extern const char *const sb_part_type_words[];   /* of all types */
/* Fields of the key `source` of a ship, which fill sb_part_lists.defaults, and of a part. */
extern const sb_lua_field sb_part_source_fields[];

/* The current value is an entry of `subsystems`: appends it and its children. */
void sb_part_read_subsystem(sb_lua *lua, sb_part_lists *parts);
/* The current value is an entry of `hardpoints`: appends it. */
void sb_part_read_hardpoint(sb_lua *lua, sb_part_lists *parts);
/* The current value is the ship: links its hardpoints, or refuses them. */
void sb_part_link_hardpoints(sb_lua *lua, sb_part_lists *parts);
/* The current value is the ship: refuses creation indices that contradict each other. */
void sb_part_check_creation(sb_lua *lua, const sb_part_lists *parts);

#endif
