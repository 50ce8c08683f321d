/* apps/ships/import.h -- `starbase ships import`: the table of a ship from its hardpoint script.
 *
 * For:      ships.c, which finds the word `import`.
 */
#ifndef SB_APPS_SHIPS_IMPORT_H
#define SB_APPS_SHIPS_IMPORT_H

/* argv[0] is the word `import`. Returns an exit status. */
int sb_ships_import(int argc, char **argv);

#endif
