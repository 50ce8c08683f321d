/* src/ship/arcs.h -- the firing arc of a weapon.
 *
 * For:      code that asks whether a weapon bears.
 * Spec:     10 §6.2.
 */
#ifndef SB_SHIP_ARCS_H
#define SB_SHIP_ARCS_H

#include <starbase/compressed.h>
#include <starbase/ship.h>

/* True: `to` (from the weapon, in ship-local axes, of any length) lies in the arc, widened by
 * `tolerance` radians; a negative tolerance narrows it. */
bool sb_ship_arc_contains(const sb_weapon_class *weapon, sb_vec3 to, float tolerance);

#endif
