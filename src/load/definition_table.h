/* src/load/definition_table.h -- loads definitions of mods' messages from a Lua file.
 *
 * For:      `--define FILE` of decode, encode and messages. examples/mod_messages.lua shows the
 *           form, docs/mods.md explains it.
 * May use:  files; Lua only as lua_table.h bounds it.
 */
#ifndef SB_LOAD_DEFINITION_TABLE_H
#define SB_LOAD_DEFINITION_TABLE_H

#include <starbase/definition.h>

#include "load/lua_table.h"

/* Adds the definitions of a file to `out`, which borrows memory of `data` until sb_data_free. After
 * anything but SB_OK, data->error says why. */
SB_MUST_USE sb_result sb_data_load_definitions(sb_data *data, sb_data_source source,
                                               sb_definitions *out);

#endif
