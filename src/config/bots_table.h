/* src/config/bots_table.h -- the key `bots`: how many bots fill a room, and what kind.
 *
 * For:      read_config.c, read_file.c, read_settings.c, print_config.c, reload_config.c. The value
 *           is a table, or the number `fill` alone.
 * May use:  lua_table.h for the values.
 * Tests:    tests/config/bots_table_test.c
 */
#ifndef SB_CONFIG_BOTS_TABLE_H
#define SB_CONFIG_BOTS_TABLE_H

#include "config/keys.h"

void sb_bots_defaults(sb_bots_config *out);
/* Reads the current value; what it leaves out stays. A list of names replaces the last one. */
void sb_bots_read(sb_lua *lua, sb_bots_config *bots);
/* Sets `fill` from a text. False: `reason` says what is wrong. */
bool sb_bots_set_fill(sb_bots_config *bots, const char *text, char reason[SB_KEY_REASON]);
/* Prints `bots = { ... }`. */
void sb_bots_print(FILE *out, const sb_bots_config *bots);
bool sb_bots_are_equal(const sb_bots_config *a, const sb_bots_config *b);

#endif
