/* src/config/play_tables.h -- the tables `votes` and `rotation` of the configuration.
 *
 * For:      read_file.c, print_config.c and reload_config.c; admin/votes.h and admin/rotation.h,
 *           which act by them.
 * May use:  lua_table.h to read them.
 * Never:    accepts a row in part: an error names the row, the key and the reason.
 * Tests:    tests/config/play_tables_test.c
 */
#ifndef SB_CONFIG_PLAY_TABLES_H
#define SB_CONFIG_PLAY_TABLES_H

#include <starbase/base.h>
#include <stdio.h>

#include "load/lua_table.h"

enum {
    SB_VOTE_ROWS_MAX = 16,
    SB_VOTE_WORD_MAX = 24,
    SB_ROTATION_MAX = 32,
};

/* ---- votes ---- */

/* The kind of argument that a vote takes. */
typedef enum sb_vote_argument_kind {
    SB_VOTE_NOTHING,
    SB_VOTE_PLAYER, /* a player of the room: %s of the command becomes #ID */
    SB_VOTE_WORD,   /* one word; the command refuses a wrong one before the vote starts */
    SB_VOTE_ARGUMENTS
} sb_vote_argument_kind;

/* A kind of vote: a row of the configuration. */
typedef struct sb_vote_row {
    const char *name;             /* "kick": what a player types after !vote */
    const char *text;             /* "remove %s from the server": %s is the argument */
    const char *command;          /* "kick %s voted out" */
    uint8_t     argument;         /* sb_vote_argument_kind */
    uint8_t     quorum, majority; /* percent */
    int         seconds;          /* for voting */
    int         cooldown;         /* seconds after a vote of this row that did not pass; twice that
                                     for its caller, for any vote */
} sb_vote_row;

/* The rows if the key is missing: kick, map, restart. */
extern const sb_vote_row sb_vote_default_rows[];
extern const size_t      sb_vote_default_count;

/* NULL, or what is wrong with the row. */
const char *sb_vote_row_fault(const sb_vote_row *row);

/* The rows of a room; lent by the sb_data of the configuration. */
typedef struct sb_vote_rows {
    const sb_vote_row *rows;
    size_t             count;
} sb_vote_rows;

/* ---- rotation ---- */

/* "empty", "rejoin"; ends with NULL. */
extern const char *const sb_rotate_words[];

typedef enum sb_rotate {
    SB_ROTATE_EMPTY,
    SB_ROTATE_REJOIN,
    SB_ROTATE_RESEND, /* not a word of the key: resend_settings selects it */
} sb_rotate;

/* A game of a room. A NULL text or -1 keeps what the configuration says. */
typedef struct sb_rotation_entry {
    const char *system, *mission;
    int         time_limit, frag_limit; /* minutes; kills */
} sb_rotation_entry;

typedef struct sb_rotation_entries {
    const sb_rotation_entry *entries;
    size_t                   count;
} sb_rotation_entries;

/* ---- reading, printing, comparing ---- */

/* Read the current value of Lua. */
void sb_vote_rows_read(sb_lua *lua, sb_vote_rows *out);
void sb_rotation_entries_read(sb_lua *lua, sb_rotation_entries *out);
/* Print the value in Lua: { { name = "kick", ... }, ... } */
void sb_vote_rows_print(FILE *out, const sb_vote_rows *rows);
void sb_rotation_entries_print(FILE *out, const sb_rotation_entries *entries);
bool sb_vote_rows_are_equal(const sb_vote_rows *a, const sb_vote_rows *b);
bool sb_rotation_entries_are_equal(const sb_rotation_entries *a, const sb_rotation_entries *b);

#endif
