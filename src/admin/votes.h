/* src/admin/votes.h -- votes of the players of one room.
 *
 * For:      apps/serve: the commands `vote`, `yes` and `no`, and the end of a vote.
 * May use:  the rows of the configuration; time, players and the number of people are arguments.
 * Never:    runs a command or writes chat: it says what to run and what to say. Counts the bots of
 *           the server: the caller leaves them out of the number of people.
 * Tests:    tests/admin/votes_test.c
 *
 * A vote passes when at least `quorum` percent of the people in the game have voted and at least
 * `majority` percent of those who voted said yes. It ends before its time as soon as the people who
 * have not voted yet cannot change the result. The caller's own vote is a yes. A player who leaves
 * takes the vote along.
 */
#ifndef SB_ADMIN_VOTES_H
#define SB_ADMIN_VOTES_H

#include "config/play_tables.h"

enum {
    SB_VOTE_TEXT_MAX = 160,    /* the question: about 50 characters of it are the argument */
    SB_VOTE_COMMAND_MAX = 200, /* the command with its argument */
    SB_VOTE_ARGUMENT_MAX = 96,
    SB_VOTE_PEERS_MAX = 128,
};

typedef enum sb_vote_state {
    SB_VOTE_NONE,
    SB_VOTE_OPEN,
    SB_VOTE_PASSED,
    SB_VOTE_FAILED,
} sb_vote_state;

/* A player who called a vote that did not pass. */
typedef struct sb_vote_caller {
    uint32_t address; /* 0: free */
    sb_time  until;
} sb_vote_caller;

enum { SB_VOTE_CALLERS_MAX = 8 };

typedef struct sb_votes {
    const sb_vote_row *rows;
    size_t             row_count;
    sb_time            row_until[SB_VOTE_ROWS_MAX];
    sb_vote_caller     callers[SB_VOTE_CALLERS_MAX];
    bool               open;
    size_t             row;
    uint8_t            target; /* a peer id; 0: about no player */
    uint32_t           caller_address;
    char               argument[SB_VOTE_ARGUMENT_MAX]; /* as it is shown: a name, a system */
    sb_time            ends_at;
    uint8_t            cast[SB_VOTE_PEERS_MAX]; /* by peer id: 0 not voted, 1 no, 2 yes */
    unsigned           yes, no;
} sb_votes;

/* Rows are borrowed as long as they are used. Ends an open vote without a result. */
void sb_votes_set_rows(sb_votes *votes, const sb_vote_row *rows, size_t count);
/* The row of this name; -1: none. */
int sb_votes_find_row(const sb_votes *votes, const char *name);

/* The reason to refuse a call or a vote. */
typedef enum sb_vote_fault {
    SB_VOTE_FINE,
    SB_VOTE_IS_OPEN,      /* another vote runs */
    SB_VOTE_ROW_COOLS,    /* a vote of this row failed a moment ago */
    SB_VOTE_CALLER_COOLS, /* a vote of this caller failed a moment ago */
    SB_VOTE_AGAINST_SELF, /* the target is the caller */
    SB_VOTE_NOT_OPEN,     /* there is nothing to vote on */
    SB_VOTE_CAST_ALREADY, /* the player has cast the same vote */
} sb_vote_fault;

/* `target`: the peer id of the player whom it is about, or 0. `wait_s` (may be NULL): for the two
 * cooldowns, how long it lasts. */
sb_vote_fault sb_votes_call(sb_votes *votes, size_t row, uint8_t caller, uint32_t caller_address,
                            uint8_t target, const char *argument, sb_time now, uint32_t *wait_s);
/* A player may change the vote. */
sb_vote_fault sb_votes_cast(sb_votes *votes, uint8_t peer_id, bool yes);
/* The state after a change or at sb_votes_deadline; `people`: in the game. Anything but NONE and
 * OPEN ends the vote: the fields of *votes stay until the next call. */
sb_vote_state sb_votes_advance(sb_votes *votes, unsigned people, sb_time now);
/* A player has left the game. True: the open vote was about that player, and is over. */
bool    sb_votes_leave(sb_votes *votes, uint8_t peer_id, sb_time now);
sb_time sb_votes_deadline(const sb_votes *votes); /* SB_TIME_NEVER: no vote is open */
/* How many of `people` must vote. */
unsigned sb_votes_needed(const sb_vote_row *row, unsigned people);

/* "remove Kirk from the server" and "kick #5 voted out". */
void sb_votes_question(const sb_votes *votes, char out[SB_VOTE_TEXT_MAX]);
void sb_votes_command(const sb_votes *votes, char out[SB_VOTE_COMMAND_MAX]);
/* The command of a row with this argument, to check the argument before a vote. */
void sb_vote_row_command(const sb_vote_row *row, const char *argument,
                         char out[SB_VOTE_COMMAND_MAX]);

#endif
