/* sim/network.h -- a network in memory: datagrams between endpoints, delivered in order of time.
 *
 * For:      the simulator, the scenarios and the simulated benchmarks. Everything from one seed:
 * the same calls give the same deliveries.
 */
#ifndef SIM_NETWORK_H
#define SIM_NETWORK_H

#include "sim/impair.h"

enum { SIM_DATAGRAM_MAX = 1500 };

typedef struct sim_network sim_network;

/* `capacity` datagrams can be under way; more are lost (as in a full queue). */
sim_network *sim_network_create(uint64_t seed, size_t capacity);
void         sim_network_destroy(sim_network *network);

/* Conditions of every direction that has none of its own. */
void sim_network_set_default(sim_network *network, const sim_conditions *conditions);
/* Conditions from one IPv4 address (any port) to another; addresses are the key so that a peer that
 * changes its port stays on its link. */
void sim_network_set_link(sim_network *network, uint32_t from, uint32_t to,
                          const sim_conditions *conditions);

/* Copies the datagram. */
void sim_network_send(sim_network *network, sb_time now, sb_endpoint from, sb_endpoint to,
                      sb_span datagram);
/* Time of the next delivery; SB_TIME_NEVER. */
sb_time sim_network_next_time(const sim_network *network);
/* Gives the next datagram that arrives at or before `now`; lent until the next call. */
bool sim_network_receive(sim_network *network, sb_time now, sb_endpoint *from, sb_endpoint *to,
                         sb_span *datagram);
/* A note on everything that is sent from now on, and on what receive gave last: who really sent it,
 * which a peer cannot see but an observer wants to know. 0 at first. */
void     sim_network_set_tag(sim_network *network, uint32_t tag);
uint32_t sim_network_tag(const sim_network *network);
/* Whether what receive gave last had been cut or had bits flipped under way. */
bool sim_network_was_damaged(const sim_network *network);

/* Totals, for invariants and tables. */
typedef struct sim_network_totals {
    uint64_t sent, bytes, lost, delivered, duplicated, damaged;
} sim_network_totals;
const sim_network_totals *sim_network_totals_of(const sim_network *network);

#endif
