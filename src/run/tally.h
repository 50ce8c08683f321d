/* src/run/tally.h -- counts how many chat lines reach the other players of a room, and how long
 * lines and changes of speed take.
 *
 * For:      `starbase swarm`, which runs both ends: each message that a player queues, and each
 *           that a player receives, is passed to the tally of its thread.
 * Never:    allocates after create, or reads a clock. One thread uses a tally at a time.
 *
 * A chat line is a mark: '@' and 16 hex digits, the time of sending. It is expected by everybody
 * who is in the game of that room when it is sent, except its sender. Each of them counts once, so
 * there are never more lines heard than expected. If a player's session ends, the lines that the
 * player has not heard are no longer expected, nor those of the player that nobody has heard.
 *
 * A change of state is a StateUpdate with another speed code than the one before. Servers pass this
 * code on unchanged (spec 03 §8), in updates of their own, so the code shows which change a
 * receiver sees. A server may leave out a change that a later one follows.
 */
#ifndef SB_RUN_TALLY_H
#define SB_RUN_TALLY_H

#include "run/latency.h"

enum {
    SB_TALLY_PLAYERS_MAX = 16, /* of a room */
    SB_TALLY_MARK_BYTES = 17,
};

/* The sums of a tally, and of several. */
typedef struct sb_tally_sums {
    uint64_t   lines_sent, lines_expected, lines_heard;
    uint64_t   changes_sent, changes_expected; /* expected by those in the game when it was sent */
    sb_latency chat, state;                    /* state.count: changes that were seen */
} sb_tally_sums;

typedef struct sb_tally sb_tally;

/* Players are numbered by room: player `i` is in room i / players. Given; NULL: no memory. */
sb_tally *sb_tally_create(size_t rooms, size_t players);
void      sb_tally_destroy(sb_tally *tally); /* also NULL */

/* While the tally is open, lines and changes that are sent count. Their arrivals count later, too.
 * Closed at first. */
void sb_tally_set_open(sb_tally *tally, bool open);
/* The player is in the game, under this peer id. */
void sb_tally_enter(sb_tally *tally, size_t player, uint8_t peer_id);
/* The player's session has ended. */
void sb_tally_leave(sb_tally *tally, size_t player);
/* The player has queued a message at `now`; received one at `now`. */
void sb_tally_sent(sb_tally *tally, size_t player, sb_time now, sb_span message);
void sb_tally_received(sb_tally *tally, size_t player, sb_time now, sb_span message);

const sb_tally_sums *sb_tally_sums_of(const sb_tally *tally);
void                 sb_tally_add(sb_tally_sums *sums, const sb_tally_sums *more);

#endif
