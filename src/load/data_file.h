/* src/load/data_file.h -- loads ships, species, projectiles and systems from Lua files.
 *
 * For:      `starbase serve --data DIR` and tools/compile-data, which makes the stock set.
 * May use:  files and directories, malloc; Lua only as lua_table.h bounds it.
 * Never:    accepts a file in part: an unknown, missing or impossible value refuses it, and the
 *           error names file, key and reason.
 * Spec:     11 (figures), 03 §10 (lists). data/ships/akira.lua shows the form of a file.
 */
#ifndef SB_LOAD_DATA_FILE_H
#define SB_LOAD_DATA_FILE_H

#include <starbase/ship.h>

#include "load/lua_table.h"

/* Results of all loads: SB_BAD_VALUE: the table is refused. SB_OS_ERROR: the file could not be
 * read, or memory ran out. In both cases data->error says why and *out is unchanged. After SB_OK
 * *out points at memory that is lent until sb_data_free. */

/* Loads one ship. A ship with `subsystems_of` shares the list of another ship in `lenders`, which
 * must outlive the result and may be NULL. */
SB_MUST_USE sb_result sb_data_load_ship(sb_data *data, sb_data_source source,
                                        const sb_ship_set *lenders, const sb_ship_class **out);
/* Loads every *.lua of a directory, sorted by species; `subsystems_of` names another of them. */
SB_MUST_USE sb_result sb_data_load_ships(sb_data *data, const char *directory,
                                         const sb_ship_set **out);
SB_MUST_USE sb_result sb_data_load_species(sb_data *data, sb_data_source source,
                                           const sb_species_set **out);
SB_MUST_USE sb_result sb_data_load_projectiles(sb_data *data, sb_data_source source,
                                               const sb_projectile_set **out);
SB_MUST_USE sb_result sb_data_load_systems(sb_data *data, sb_data_source source,
                                           const sb_system_set **out);

/* The tables that a data directory may hold. */
typedef struct sb_data_tables {
    const sb_ship_set       *ships;       /* NULL: no ships/ there */
    const sb_projectile_set *projectiles; /* NULL: no projectiles.lua there */
    const sb_system_set     *systems;     /* NULL: no systems.lua there */
} sb_data_tables;

/* Loads every table that `directory` holds. A directory that holds none is refused. */
SB_MUST_USE sb_result sb_data_load_directory(sb_data *data, const char *directory,
                                             sb_data_tables *out);

#endif
