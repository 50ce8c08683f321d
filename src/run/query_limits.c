/* src/run/query_limits.c -- see query_limits.h. */
#include "run/query_limits.h"

#include <pthread.h>
#include <stdlib.h>

#include "discovery/budgets.h"

struct sb_query_limits {
    size_t           rooms;
    pthread_mutex_t  lock; /* protects `budgets` */
    sb_query_budgets budgets;
};

static sb_responder_config rates_of(const sb_query_limits *l, const sb_responder_config *config)
{
    sb_responder_config rates = *config;
    rates.master_burst = rates.master_per_s + (uint32_t)l->rooms * SB_MASTER_BURST_PER_ROOM;
    return rates;
}

sb_query_limits *sb_query_limits_create(const sb_responder_config *config, size_t rooms,
                                        sb_time now)
{
    sb_query_limits *l = malloc(sizeof *l);
    if (!l) return NULL;
    l->rooms = rooms;
    pthread_mutex_init(&l->lock, NULL);
    sb_responder_config rates = rates_of(l, config);
    sb_query_budgets_init(&l->budgets, &rates, now);
    return l;
}

void sb_query_limits_destroy(sb_query_limits *l)
{
    if (!l) return;
    pthread_mutex_destroy(&l->lock);
    free(l);
}

/* Clocks of two loops may differ by some microseconds: a bucket ignores a time before its last. */
static sb_budget_result charge_shared(void *context, const sb_query_charge *charge)
{
    sb_query_limits *l = context;
    pthread_mutex_lock(&l->lock);
    sb_budget_result result = sb_query_budgets_charge(&l->budgets, charge);
    pthread_mutex_unlock(&l->lock);
    return result;
}

void sb_query_limits_share(sb_query_limits *l, sb_responder_config *room)
{
    room->charge = charge_shared;
    room->charge_context = l;
}

void sb_query_limits_set_rates(sb_query_limits *l, const sb_responder_config *config)
{
    sb_responder_config rates = rates_of(l, config);
    pthread_mutex_lock(&l->lock);
    sb_query_budgets_set_rates(&l->budgets, &rates);
    pthread_mutex_unlock(&l->lock);
}
