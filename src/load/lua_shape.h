/* src/load/lua_shape.h -- recognises lines of a configuration that are written in another language.
 *
 * For:      lua_table.c, when a file of `key = value` lines fails to run: people write TOML, INI,
 *           YAML, JSON or shell variables, and Lua's own message would not say what to write.
 * May use:  the text of the file. Knows no key and no value.
 * Never:    decides whether a file is right: Lua does. The exceptions are two lines that Lua runs in
 *           another sense: `;port = 5`, a comment in INI files, and `masters = "a", "b"`.
 */
#ifndef SB_LOAD_LUA_SHAPE_H
#define SB_LOAD_LUA_SHAPE_H

#include <starbase/base.h>

enum { SB_SHAPE_HINT = 300 };

typedef struct sb_shape {
    int  line; /* from 1 */
    char hint[SB_SHAPE_HINT];
} sb_shape;

/* Finds the first line, up to `error_line`, that Lua cannot have understood as its writer meant it,
 * and says what to write instead. Lines inside brackets, strings and comments are not considered.
 * False: all lines look like Lua. */
bool sb_shape_explain(const char *text, size_t size, int error_line, sb_shape *out);
/* Finds the first line that starts with `;`, or assigns several values to one key: mistakes about
 * which Lua says nothing. */
bool sb_shape_find_silent(const char *text, size_t size, sb_shape *out);

#endif
