/* src/admin/rotation.h -- what a room plays next: the list of the configuration, and choices of
 * operators and votes.
 *
 * For:      apps/serve: the commands next, map and mission, and the end of a match.
 * May use:  the entries of the configuration; time and the state of the room are arguments.
 * Never:    changes a room or writes chat: it says what is to be done.
 * Tests:    tests/admin/rotation_test.c
 *
 * A stock client is told system and mission once, at its join (spec 06 §4.4, §5.10). So a change
 * counts at once in an empty room. With players it waits until the room is empty; or, with
 * SB_ROTATE_REJOIN, the match ends, the players are told to join again, and are removed after
 * SB_ROTATION_REJOIN_SECONDS. SB_ROTATE_RESEND sends the settings again to those who are there:
 * what stock clients do with them is not known (docs/evidence/open-points.md).
 */
#ifndef SB_ADMIN_ROTATION_H
#define SB_ADMIN_ROTATION_H

#include "config/play_tables.h"

enum {
    SB_ROTATION_TEXT = 64,
    SB_ROTATION_REJOIN_SECONDS = 15,
};

/* A choice that is on its way into the room. */
typedef struct sb_rotation_choice {
    char    system[SB_ROTATION_TEXT], mission[SB_ROTATION_TEXT]; /* "": as configured */
    int32_t time_limit, frag_limit;                              /* -1: as configured */
} sb_rotation_choice;

typedef enum sb_rotation_step {
    SB_ROTATION_IDLE,
    SB_ROTATION_WAITS,  /* until the room is empty */
    SB_ROTATION_WARNED, /* the players were told to join again; `at`: their removal */
    SB_ROTATION_CLOSED, /* they are being removed; newcomers are refused until the room is empty */
} sb_rotation_step;

typedef struct sb_rotation {
    const sb_rotation_entry *entries;
    size_t                   count;
    size_t                   position;   /* of the entry that is played or comes next */
    bool                     has_choice; /* `choice` differs from the configuration */
    bool                     by_hand;    /* `choice` comes from `map`, `mission` or a vote */
    sb_rotation_choice       choice;     /* what is played, or comes next */
    sb_rotation_step         step;
    sb_time                  at;
} sb_rotation;

/* Entries are borrowed as long as they are used. The first one is played: the configuration says
 * the same. Keeps the position if the list is as long as before, and what was chosen by hand. */
void sb_rotation_set_entries(sb_rotation *rotation, const sb_rotation_entry *entries, size_t count);
/* The configuration names another system or mission: what was chosen by hand is over. Before
 * sb_rotation_set_entries. */
void sb_rotation_forget_choice(sb_rotation *rotation);
/* Takes the next entry of the list. False: the list is empty, and there is nothing to take. */
bool sb_rotation_next(sb_rotation *rotation);
/* The entry that would come next; NULL: the list is empty. */
const sb_rotation_entry *sb_rotation_peek(const sb_rotation *rotation);
/* Takes another system or mission ("" or NULL: unchanged); the place in the list stays. */
void sb_rotation_choose(sb_rotation *rotation, const char *system, const char *mission);

/* The next step of the caller. */
typedef enum sb_rotation_action {
    SB_ROTATION_NOTHING,
    SB_ROTATION_CONFIGURE, /* the room takes the choice when it is empty: at once, if it is */
    SB_ROTATION_WARN,      /* the same, and: end the match, tell the players to join again */
    SB_ROTATION_RESEND,    /* the room takes the choice now and sends it to the players */
    SB_ROTATION_REMOVE,    /* remove the players who are there, and refuse newcomers */
} sb_rotation_action;

/* A choice was made: the room is `empty` or not. */
sb_rotation_action sb_rotation_begin(sb_rotation *rotation, sb_rotate how, bool empty, sb_time now);
/* The match of a room with players is over. */
sb_rotation_action sb_rotation_match_over(sb_rotation *rotation, sb_rotate how, sb_time now);
/* At sb_rotation_deadline. REMOVE: call it again a second later, as long as it is not told that the
 * room is empty. */
sb_rotation_action sb_rotation_advance(sb_rotation *rotation, sb_time now);
/* The room has no players. */
void sb_rotation_emptied(sb_rotation *rotation);
/* The room has no people, but bots, which make room: if a choice waits, the next deadline is now.
 */
void    sb_rotation_clear(sb_rotation *rotation, sb_time now);
sb_time sb_rotation_deadline(const sb_rotation *rotation);
/* True while newcomers are refused. */
bool sb_rotation_is_closed(const sb_rotation *rotation);

#endif
