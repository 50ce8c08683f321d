/* src/load/lua_internal.h -- the state of one Lua file that is being run and read.
 *
 * For:      lua_sandbox.c (runs the file), lua_table.c (reads its table).
 *
 * All calls of Lua run inside one lua_pcall, and every failure is a lua_error, because Lua itself
 * reports lack of memory that way. lua_error jumps over the readers, so they own no memory: sb_data
 * owns every block as soon as it is allocated.
 */
#ifndef SB_LOAD_LUA_INTERNAL_H
#define SB_LOAD_LUA_INTERNAL_H

#include "load/lua_table.h"

#include <lua.h>

enum { SB_LUA_REASON_BYTES = 240 };

struct sb_lua {
    sb_data      *data;
    lua_State    *state;
    const char   *file;
    const char   *text;
    size_t        size;
    size_t        used;         /* bytes Lua holds */
    int           instructions; /* counted so far */
    double        started_s;    /* on the clock of cpu_seconds */
    char          path[200];    /* of the value being read: subsystems[5].children[2].radius */
    size_t        path_size;
    bool          accepts_lines;
    bool          failed; /* data->error is written */
    bool          out_of_memory;
    sb_lua_reader read;
    void         *out;
};

#endif
