/* src/load/data_file.h -- ships, species, projectiles and systems from Lua files.
 *
 * For:      `starbase serve --data DIR` and tools/compile-data, which makes the stock set.
 * May use:  files and directories, malloc; Lua only as lua_table.h bounds it.
 * Never:    accepts a file in part: an unknown, missing or impossible value refuses it, with
 *           file, key and reason.
 * Spec:     11 (figures), 03 §10 (lists). data/ships/akira.lua shows the form of a file.
 */
#ifndef SB_LOAD_DATA_FILE_H
#define SB_LOAD_DATA_FILE_H

#include <starbase/ship.h>

#include "load/lua_table.h"

/* All loads: SB_BAD_VALUE, the table is refused; SB_OS_ERROR, it could not be read or memory ran
 * out; data->error says why and *out is unchanged. What *out points at is lent until sb_data_free.
 */

/* One ship. With `subsystems_of` its list is that of a ship in `lenders` (which may be NULL and
 * must outlive the result). */
SB_MUST_USE sb_result sb_data_load_ship(sb_data *data, sb_data_source source,
                                        const sb_ship_set *lenders, const sb_ship_class **out);
/* Every *.lua of a directory, ascending by species; `subsystems_of` names another of them. */
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
