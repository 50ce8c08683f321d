/* apps/ships/print.h -- the outputs of `starbase ships`.
 *
 * For:      ships.c.
 */
#ifndef SB_APPS_SHIPS_PRINT_H
#define SB_APPS_SHIPS_PRINT_H

#include <starbase/ship.h>

/* One line per class; with `evidence`, how many of its figures have which source. */
void sb_ships_print_headings(bool evidence);
void sb_ships_print_line(const sb_ship_class *ship, bool evidence);
/* One class in full; with `evidence`, the source of each group and every estimate and unknown. */
void sb_ships_print_class(const sb_ship_class *ship);
void sb_ships_print_evidence(const sb_ship_class *ship);
/* One JSON object in one line. */
void sb_ships_print_json(const sb_ship_class *ship, bool evidence);

#endif
