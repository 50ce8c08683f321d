/* src/load/weapon_table.h -- reads the key `weapon` of a part.
 *
 * For:      part_table.c.
 * May use:  lua_table.h.
 */
#ifndef SB_LOAD_WEAPON_TABLE_H
#define SB_LOAD_WEAPON_TABLE_H

#include <starbase/ship.h>

#include "load/lua_table.h"

/* The current value is the table `weapon` of a part with this type. `source` is the evidence if the
 * table names none. Lent until sb_data_free. */
const sb_weapon_class *sb_ship_read_weapon(sb_lua *lua, uint8_t type, uint8_t source);

#endif
