/* src/config/placeholders.h -- placeholders such as %server% in lines that players are told.
 *
 * For:      the keys `motd` and `rules`: keys.c checks them, apps/serve fills them in.
 * Never:    writes more than the capacity: a line that becomes too long is cut between characters.
 * Tests:    tests/config/placeholders_test.c
 */
#ifndef SB_CONFIG_PLACEHOLDERS_H
#define SB_CONFIG_PLACEHOLDERS_H

#include <starbase/base.h>

/* The values of the placeholders of a line. Texts are UTF-8; NULL is the empty text. */
typedef struct sb_placeholder_values {
    const char *server, *player, *system, *mission, *next_system, *next_mission;
    uint32_t    players, max_players;
    int32_t     seconds_left; /* of the match; -1: no limit */
    int32_t     frag_limit;   /* 0: none */
} sb_placeholder_values;

/* NULL, or what is wrong with a line: an unknown word between two `%`. A single `%` is fine. */
const char *sb_placeholder_fault(const char *line);
/* Fills the line in; returns its size without the NUL. */
size_t sb_placeholder_fill(const char *line, const sb_placeholder_values *values, char *out,
                           size_t capacity);

#endif
