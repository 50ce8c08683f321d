/* src/run/query_limits.h -- the budgets of query answers that all rooms of a process share.
 *
 * For:      `starbase serve`. With budgets per room, each room adds to what a forged source makes
 *           the process send; with shared ones the number of rooms does not matter (spec 05 §8).
 * May use:  a mutex: rooms of different loops ask at the same time; malloc in create.
 */
#ifndef SB_RUN_QUERY_LIMITS_H
#define SB_RUN_QUERY_LIMITS_H

#include <starbase/discovery.h>

/* A master asks every room after its heartbeats: three in the first ten seconds, with up to two
 * queries each, and some to spare. */
enum { SB_MASTER_BURST_PER_ROOM = 8 };

typedef struct sb_query_limits sb_query_limits;

/* Reads only the seed and the rates of `config`; its master_burst is replaced by master_per_s and
 * SB_MASTER_BURST_PER_ROOM for each of `rooms`. Given; NULL: no memory. */
sb_query_limits *sb_query_limits_create(const sb_responder_config *config, size_t rooms,
                                        sb_time now);
void             sb_query_limits_destroy(sb_query_limits *limits); /* may be NULL */
/* Lets a room use the shared budgets; `limits` is borrowed as long as the room lives. */
void sb_query_limits_share(sb_query_limits *limits, sb_responder_config *room);
/* Changes the rates; any thread may call it. */
void sb_query_limits_set_rates(sb_query_limits *limits, const sb_responder_config *config);

#endif
