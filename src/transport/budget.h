/* src/transport/budget.h -- token buckets: so much a second, so much at once. Spec 01 §10.6.
 *
 * For:      every limit on what a source may make us do.
 */
#ifndef SB_TRANSPORT_BUDGET_H
#define SB_TRANSPORT_BUDGET_H

#include <starbase/transport.h>

/* Tokens are kept in millionths, so that a microsecond's share is exact. */
typedef struct sb_budget {
    int64_t left;
    sb_time at; /* when `left` was right */
} sb_budget;

static inline void sb_budget_init(sb_budget *b, sb_time now, uint32_t burst)
{
    *b = (sb_budget){ (int64_t)burst * SB_SECOND, now };
}

/* Adds what has come in since; never above `burst`, unless extra tokens were given. */
static inline void sb_budget_refill(sb_budget *b, sb_time now, uint32_t per_s, uint32_t burst)
{
    int64_t limit = (int64_t)burst * SB_SECOND;
    sb_time past = now - b->at;
    b->at = now;
    if (b->left >= limit || past <= 0) return;
    /* Longer than it takes to fill the bucket is as good as for ever: no overflow below. */
    int64_t missing = limit - b->left;
    if (per_s == 0 || past < missing / per_s) b->left += past * per_s;
    else b->left = limit;
}

/* Nobody may have saved up more than this: the share has become smaller. */
static inline void sb_budget_cap(sb_budget *b, uint32_t burst)
{
    if (b->left > (int64_t)burst * SB_SECOND) b->left = (int64_t)burst * SB_SECOND;
}

static inline bool sb_budget_has(const sb_budget *b, uint32_t tokens)
{
    return b->left >= (int64_t)tokens * SB_SECOND;
}

/* When it will have so many, at the earliest; `at` if it has them. */
static inline sb_time sb_budget_ready_at(const sb_budget *b, uint32_t tokens, uint32_t per_s)
{
    int64_t missing = (int64_t)tokens * SB_SECOND - b->left;
    return missing <= 0 ? b->at : b->at + (missing + per_s - 1) / per_s;
}

static inline void sb_budget_spend(sb_budget *b, uint32_t tokens)
{
    b->left -= (int64_t)tokens * SB_SECOND;
}

/* For every reliable message we send, a stock peer sends nine Acks: they must not cost it its
 * budget (spec 01 §6.7 D1). `limit` bounds what can be saved up. */
static inline void sb_budget_add(sb_budget *b, uint32_t tokens, uint32_t limit)
{
    b->left += (int64_t)tokens * SB_SECOND;
    if (b->left > (int64_t)limit * SB_SECOND) b->left = (int64_t)limit * SB_SECOND;
}

#endif
