/* src/transport/budget.h -- token buckets: a rate per second and a burst. Spec 01 §10.6.
 *
 * For:      every limit on the work that one source can cause.
 * Tests:    tests/transport/budget_test.c, tests/transport/strangers_test.c.
 */
#ifndef SB_TRANSPORT_BUDGET_H
#define SB_TRANSPORT_BUDGET_H

#include <starbase/transport.h>

/* Tokens are counted in millionths, so that the refill of one microsecond is exact. */
typedef struct sb_budget {
    int64_t left;
    sb_time at; /* time of the last refill */
} sb_budget;

static inline void sb_budget_init(sb_budget *b, sb_time now, uint32_t burst)
{
    *b = (sb_budget){ (int64_t)burst * SB_SECOND, now };
}

/* Adds the tokens since the last refill, up to `burst`. Extra tokens above `burst` stay. */
static inline void sb_budget_refill(sb_budget *b, sb_time now, uint32_t per_s, uint32_t burst)
{
    int64_t limit = (int64_t)burst * SB_SECOND;
    sb_time past = now - b->at;
    b->at = now;
    if (b->left >= limit || past <= 0) return;
    /* Divides only after a long pause: then past * per_s could overflow. */
    int64_t missing = limit - b->left;
    bool    fills =
        past <= UINT32_MAX / 4 ? past * per_s >= missing : per_s > 0 && past >= missing / per_s;
    b->left = fills ? limit : b->left + past * per_s;
}

/* Cuts the balance to `burst`, for a burst that has become smaller. */
static inline void sb_budget_cap(sb_budget *b, uint32_t burst)
{
    if (b->left > (int64_t)burst * SB_SECOND) b->left = (int64_t)burst * SB_SECOND;
}

static inline bool sb_budget_has(const sb_budget *b, uint32_t tokens)
{
    return b->left >= (int64_t)tokens * SB_SECOND;
}

/* When the bucket will hold `tokens`; the time of the last refill if it already does. */
static inline sb_time sb_budget_ready_at(const sb_budget *b, uint32_t tokens, uint32_t per_s)
{
    int64_t missing = (int64_t)tokens * SB_SECOND - b->left;
    return missing <= 0 ? b->at : b->at + (missing + per_s - 1) / per_s;
}

static inline void sb_budget_spend(sb_budget *b, uint32_t tokens)
{
    b->left -= (int64_t)tokens * SB_SECOND;
}

/* Adds extra tokens, up to `limit`. A stock peer sends nine Acks for each reliable message it gets:
 * the extra tokens pay for them (spec 01 §6.7 D1). */
static inline void sb_budget_add(sb_budget *b, uint32_t tokens, uint32_t limit)
{
    b->left += (int64_t)tokens * SB_SECOND;
    if (b->left > (int64_t)limit * SB_SECOND) b->left = (int64_t)limit * SB_SECOND;
}

#endif
