/* src/transport/strangers.h -- rate limits of Connects from addresses without a session.
 *
 * For:      host. A bounded table with one budget per address, and one budget for all addresses
 *           together. The total limit holds even if a flood from many forged addresses pushes
 *           entries out of the table.
 * Spec:     01 §10.6.
 */
#ifndef SB_TRANSPORT_STRANGERS_H
#define SB_TRANSPORT_STRANGERS_H

#include "transport/budget.h"

enum { SB_STRANGER_SETS = 64, SB_STRANGER_WAYS = 4 };

typedef struct sb_stranger {
    uint32_t  address;
    bool      used;
    sb_budget connects;
} sb_stranger;

/* A set-associative cache: an address maps to one set, and a new address replaces the least
 * recently used entry of its set. */
typedef struct sb_strangers {
    uint64_t    seed;
    sb_budget   total;
    sb_stranger sets[SB_STRANGER_SETS][SB_STRANGER_WAYS];
} sb_strangers;

void sb_strangers_init(sb_strangers *strangers, sb_time now, uint64_t seed);
/* Charges one Connect to the budget of `address`; false: it is exhausted. */
bool sb_strangers_spend_source(sb_strangers *strangers, sb_time now, uint32_t address);
/* Charges one Connect to the budget of all addresses; false: it is exhausted. */
bool sb_strangers_spend_total(sb_strangers *strangers, sb_time now);

#endif
