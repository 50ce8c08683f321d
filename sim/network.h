/* sim/network.h -- a network in memory: datagrams between endpoints, delivered in order of time.
 *
 * For:      the simulator, the scenarios and the simulated benchmarks. The same seed and the same
 *           calls give the same deliveries.
 */
#ifndef SIM_NETWORK_H
#define SIM_NETWORK_H

#include "sim/impair.h"

enum { SIM_DATAGRAM_MAX = 1500 };

typedef struct sim_network sim_network;

/* At most `capacity` datagrams are in transit; more are lost, as in a full queue, and counted. */
sim_network *sim_network_create(uint64_t seed, size_t capacity);
void         sim_network_destroy(sim_network *network);

/* Conditions of every link that has none of its own. */
void sim_network_set_default(sim_network *network, const sim_conditions *conditions);
/* Conditions from one IPv4 address (any port) to another. Ports do not matter, so that a peer that
 * changes its port keeps its link. */
void sim_network_set_link(sim_network *network, uint32_t from, uint32_t to,
                          const sim_conditions *conditions);

/* Copies the datagram. */
void sim_network_send(sim_network *network, sb_time now, sb_endpoint from, sb_endpoint to,
                      sb_span datagram);
/* Copies a datagram that arrives at `time`, unimpaired, whatever its source says: an attacker has a
 * path of its own. */
void sim_network_inject(sim_network *network, sb_time time, sb_endpoint from, sb_endpoint to,
                        sb_span datagram);
/* Time of the next delivery; SB_TIME_NEVER: none. */
sb_time sim_network_next_time(const sim_network *network);
/* The next datagram that arrives at or before `now`, lent until the next call. False: none. */
bool sim_network_receive(sim_network *network, sb_time now, sb_endpoint *from, sb_endpoint *to,
                         sb_span *datagram);
/* Every datagram carries a tag that names its real sender; the receiving endpoint does not see it.
 * set_tag sets the tag of all datagrams sent from now on (0 at first), sim_network_tag returns the
 * tag of the last datagram received. */
void     sim_network_set_tag(sim_network *network, uint32_t tag);
uint32_t sim_network_tag(const sim_network *network);
/* True: the last received datagram was cut or had bits flipped in transit. */
bool sim_network_was_damaged(const sim_network *network);

/* Totals, for invariants and tables. */
typedef struct sim_network_totals {
    uint64_t sent, bytes, lost, delivered, duplicated, damaged;
    uint64_t overflowed; /* of the lost: those that found the queue full */
} sim_network_totals;
const sim_network_totals *sim_network_totals_of(const sim_network *network);

#endif
