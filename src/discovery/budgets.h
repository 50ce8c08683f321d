/* src/discovery/budgets.h -- how many answers leave, and to whom. Spec 05 §8.
 *
 * For:      responder. Sources can be forged: what bounds the harm is what an address, its /24 and
 *           all together can be sent, never who asked.
 */
#ifndef SB_DISCOVERY_BUDGETS_H
#define SB_DISCOVERY_BUDGETS_H

#include <starbase/discovery.h>

enum { SB_BUCKET_SETS = 256, SB_BUCKET_WAYS = 4 }; /* 1024 buckets of each kind */

/* So much a second, so much at once. */
typedef struct sb_rate {
    uint32_t per_s, burst;
} sb_rate;

typedef struct sb_bucket {
    int64_t  left; /* packets in millionths: a microsecond's share is exact; below 0: a debt */
    sb_time  at;   /* when `left` was right */
    uint32_t key;
    bool     used;
} sb_bucket;

typedef struct sb_bucket_table {
    uint64_t  seed; /* nobody can choose addresses that meet in one set */
    sb_rate   rate;
    sb_bucket sets[SB_BUCKET_SETS][SB_BUCKET_WAYS];
} sb_bucket_table;

typedef struct sb_query_budgets {
    sb_bucket_table sources, networks;
    sb_rate         total_rate, master_rate;
    sb_bucket       total, masters[SB_MASTERS_MAX];
} sb_query_budgets;

typedef enum sb_budget_result {
    SB_BUDGET_GRANTED,
    SB_BUDGET_OVER_SOURCE,
    SB_BUDGET_OVER_NETWORK,
    SB_BUDGET_OVER_TOTAL,
} sb_budget_result;

void sb_query_budgets_init(sb_query_budgets *budgets, const sb_responder_config *config,
                           sb_time now);
/* Another master is at this index: it begins with a full bucket. */
void sb_query_budgets_reset_master(sb_query_budgets *budgets, unsigned index, sb_time now);

/* Spends so many packets from every bucket that is in charge of the address, or from none. `master`
 * is the index of the master that has this address, which then pays from its own bucket and no
 * other: a flood in the name of others cannot delist us. Below 0: no master. */
sb_budget_result sb_query_budgets_spend(sb_query_budgets *budgets, sb_time now, uint32_t address,
                                        int master, uint32_t packets);
/* An answer became more packets than were paid: they are owed, and later queries wait for it. */
void sb_query_budgets_overdraw(sb_query_budgets *budgets, sb_time now, uint32_t address, int master,
                               uint32_t packets);

#endif
