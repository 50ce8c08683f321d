/* src/transport/strangers.h -- how often strangers may knock. Spec 01 §10.6.
 *
 * For:      host. A bounded table of addresses, and one rate for all together: even if a flood from
 *           many invented addresses pushes entries out of the table, the total holds.
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

typedef struct sb_strangers {
    uint64_t    seed;
    sb_budget   total;
    sb_stranger sets[SB_STRANGER_SETS][SB_STRANGER_WAYS];
} sb_strangers;

void sb_strangers_init(sb_strangers *strangers, sb_time now, uint64_t seed);
/* May this address knock once more? Spends from its own rate. */
bool sb_strangers_spend_source(sb_strangers *strangers, sb_time now, uint32_t address);
/* May anybody? Spends from the rate of all. */
bool sb_strangers_spend_total(sb_strangers *strangers, sb_time now);

#endif
