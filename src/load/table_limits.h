/* src/load/table_limits.h -- limits of the figures in the table of a ship.
 *
 * For:      the lists of fields in ship_table.c, part_table.c, weapon_table.c and hull_table.c.
 */
#ifndef SB_LOAD_TABLE_LIMITS_H
#define SB_LOAD_TABLE_LIMITS_H

#include "load/lua_table.h"

#define MIN_DIVISOR  0.001 /* of quantities that the simulation divides by */
#define LIMIT        SB_DATA_FIGURE_MAX
#define MAX_DISTANCE 1e6
#define HALF_TURN    3.1416 /* radians; data files round pi up to 3.141593 */

enum { SCRIPT_BYTES_MAX = 127 }; /* names of Python modules, with their packages */

#endif
