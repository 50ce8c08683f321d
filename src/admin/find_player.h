/* src/admin/find_player.h -- the player that a person means: by name, unique prefix, id or address.
 *
 * For:      arguments of commands and of votes.
 * Never:    guesses: if several players fit, the answer lists them.
 * Tests:    tests/admin/find_player_test.c
 */
#ifndef SB_ADMIN_FIND_PLAYER_H
#define SB_ADMIN_FIND_PLAYER_H

#include "admin/effects.h"

typedef enum sb_find {
    SB_FIND_ONE,
    SB_FIND_NONE,
    SB_FIND_SEVERAL,
    SB_FIND_NEEDS_ROOM, /* an id, or many rooms: the room must be given */
} sb_find;

enum { SB_FIND_TEXT_MAX = 400, SB_FIND_ROOMS_MAX = 64 };

/* The rooms to look in. */
typedef struct sb_find_rooms {
    const sb_effects *effects;
    size_t            first, count;
    const char       *mark; /* before the names of commands in explanations: sb_call_mark */
} sb_find_rooms;

/* Finds the player that the start of *text names, and moves *text behind the name. A name may have
 * blanks: the longest name that is there wins over a prefix. Unless SB_FIND_ONE, `out->text` is the
 * word as written and `explanation` a sentence for people. */
sb_find sb_find_player(const sb_find_rooms *rooms, char **text, sb_argument_value *out,
                       char explanation[SB_FIND_TEXT_MAX]);

#endif
