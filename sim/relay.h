/* sim/relay.h -- a UDP relay between real sockets that impairs the datagrams it forwards.
 *
 * For:      the program starbase-relay, the comparison over real sockets, and tests that need a
 *           lossy path where the system offers none.
 * Never:    looks into a datagram, or holds more clients or datagrams than configured.
 *
 * Clients send to the relay's port on the loopback address. Each source address gets a socket of
 * its own towards the target, so that the target sees one source per client. Every client has its
 * own random numbers per direction, derived from one seed: the impairment of the n-th datagram of a
 * client does not depend on the traffic of others.
 */
#ifndef SIM_RELAY_H
#define SIM_RELAY_H

#include "sim/impair.h"

enum {
    SIM_RELAY_CLIENTS_LIMIT = 64,
    SIM_RELAY_CAPACITY_LIMIT = 65536,
    SIM_RELAY_DATAGRAM_MAX = 1500, /* longer ones are dropped and counted */
};

typedef struct sim_relay_config {
    uint16_t       listen_port; /* 0: the system chooses (sim_relay_port) */
    sb_endpoint    target;
    uint64_t       seed;        /* 1 */
    uint32_t       max_clients; /* 64; at most SIM_RELAY_CLIENTS_LIMIT */
    uint32_t       capacity;    /* 4096 datagrams in transit; more are lost, as in a full queue */
    sb_time        idle_us;     /* 60 s: a client idle for this long may be replaced by another */
    sim_conditions to_target;   /* none */
    sim_conditions to_client;   /* none */
} sim_relay_config;

/* Counters of one direction: received + duplicated = lost + dropped + sent + those in transit. */
typedef struct sim_relay_counts {
    uint64_t received, bytes; /* datagrams received, and their bytes */
    uint64_t lost;            /* lost by the conditions */
    uint64_t duplicated;      /* second copies */
    uint64_t damaged;         /* copies with flipped bits or cut short */
    uint64_t dropped;         /* copies beyond the capacity, or that could not be sent */
    uint64_t sent;            /* copies forwarded */
} sim_relay_counts;

typedef struct sim_relay_totals {
    sim_relay_counts to_target, to_client;
    uint64_t         clients;  /* sources that got a socket */
    uint64_t         refused;  /* datagrams of sources that got no socket */
    uint64_t         too_long; /* datagrams above SIM_RELAY_DATAGRAM_MAX, both directions */
} sim_relay_totals;

typedef struct sim_relay sim_relay;

/* The monotonic clock of the relay. */
sb_time sim_relay_now(void);

void sim_relay_defaults(sim_relay_config *config);

/* NULL: invalid configuration (errno EINVAL), or the system refused (errno says why, for instance
 * EADDRINUSE). Free the relay with sim_relay_destroy. */
sim_relay *sim_relay_create(const sim_relay_config *config);
void       sim_relay_destroy(sim_relay *relay);

/* The port on which the relay listens. */
uint16_t sim_relay_port(const sim_relay *relay);

/* Waits until a datagram arrives or is due, at most `wait_us` (a signal ends the wait, too), and
 * forwards all that are due. Call it in a loop. */
void sim_relay_step(sim_relay *relay, sb_time wait_us);

/* Datagrams in transit. */
size_t                  sim_relay_pending(const sim_relay *relay);
const sim_relay_totals *sim_relay_totals_of(const sim_relay *relay);

#endif
