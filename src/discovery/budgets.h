/* src/discovery/budgets.h -- rate limits for answers: token buckets per address, /24 and overall.
 *
 * For:      responder.c, and src/run/query_limits.c for all rooms of a process. Source addresses
 *           can be forged, so the limits apply to the receiver of the answers: an attacker cannot
 *           make us send a victim more than this.
 * Spec:     05 §8.
 */
#ifndef SB_DISCOVERY_BUDGETS_H
#define SB_DISCOVERY_BUDGETS_H

#include <starbase/discovery.h>

enum {
    SB_BUCKET_SETS = 256,
    SB_BUCKET_WAYS = 4,     /* 1024 buckets of each kind */
    SB_MASTER_BUCKETS = 64, /* distinct masters of all rooms; the least recently used is replaced */
};

typedef struct sb_rate {
    uint32_t per_s, burst; /* packets */
} sb_rate;

typedef struct sb_bucket {
    /* Tokens in millionths of a packet, so that the refill of one microsecond is exact. Below 0: a
     * debt (an owed charge). */
    int64_t  left;
    sb_time  at; /* time of the last refill */
    uint32_t key;
    bool     used;
} sb_bucket;

/* A set-associative table; within a set the least recently used bucket is replaced. */
typedef struct sb_bucket_table {
    uint64_t  seed; /* secret, so that nobody can choose addresses that collide in one set */
    sb_rate   rate;
    sb_bucket sets[SB_BUCKET_SETS][SB_BUCKET_WAYS];
} sb_bucket_table;

typedef struct sb_query_budgets {
    sb_bucket_table sources, networks;
    sb_rate         total_rate, master_rate;
    sb_bucket       total, masters[SB_MASTER_BUCKETS]; /* masters by address */
} sb_query_budgets;

void sb_query_budgets_init(sb_query_budgets *budgets, const sb_responder_config *config,
                           sb_time now);
/* Changes the rates; buckets keep their tokens, up to the new bursts. */
void sb_query_budgets_set_rates(sb_query_budgets *budgets, const sb_responder_config *config);

/* Charges the packets to the buckets of the address, of its /24 and of all, or to none of them if
 * one is empty. A master is charged to a bucket of its own alone, so that a flood from other
 * addresses cannot delist us. An owed charge is always granted: the buckets may go below 0, and
 * later queries are refused until they are refilled. */
sb_budget_result sb_query_budgets_charge(sb_query_budgets *budgets, const sb_query_charge *charge);
/* Stops the program (SB_ASSERT) when two fields contradict each other. */
void sb_query_budgets_check(const sb_query_budgets *budgets);

#endif
