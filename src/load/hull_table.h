/* src/load/hull_table.h -- the shape of a ship: the box around its model and the solids of its
 * hull.
 *
 * For:      ship_table.c, which finds the key `hull` of a ship, and data_file.c, which needs a box
 *           for a ship without one.
 * May use:  lua_table.h.
 * Never:    decides what a shot hits: src/combat intersects rays with this shape.
 * Spec:     11 §9 (boxes and solids), 10 §5.1 and §7 (their use).
 */
#ifndef SB_LOAD_HULL_TABLE_H
#define SB_LOAD_HULL_TABLE_H

#include <starbase/ship.h>

#include "load/lua_table.h"

/* The current value is the table `hull`; `record` begins with the sb_ship_class to fill. */
void sb_ship_read_hull(sb_lua *lua, void *record);

/* Whether the file of the ship gave a box. */
bool sb_ship_has_box(const sb_ship_class *ship);
/* The box that spans the positions of all parts, scaled so that its half diagonal is 0.93 times
 * bound_radius. A ship without positions gets a cube around its origin. */
void sb_ship_estimate_box(sb_ship_class *ship);

#endif
