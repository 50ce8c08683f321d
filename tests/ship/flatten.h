/* tests/ship/flatten.h -- turns the lists of a ship back into the flat list of a script.
 *
 * For:      tests of linking and of the import of scripts.
 */
#ifndef STARBASE_TEST_FLATTEN_H
#define STARBASE_TEST_FLATTEN_H

#include <starbase/hardpoint.h>

/* Writes the parts of `ship` in an order of adding that agrees with its lists and with its known
 * creation indices. Returns their number; fails the test if there is no such order. */
size_t flatten_ship(const sb_ship_class *ship, sb_hardpoint out[SB_HARDPOINTS_MAX]);
/* The same in an order chosen by `seed` that agrees with the lists only. */
size_t flatten_ship_at_random(const sb_ship_class *ship, uint32_t seed,
                              sb_hardpoint out[SB_HARDPOINTS_MAX]);
/* Fails the test unless two parts are equal, creation index and its source aside. */
void flatten_check_same(const sb_subsystem_class *a, const sb_subsystem_class *b);

#endif
