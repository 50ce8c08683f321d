/* sim/relay.h -- a bad network between real sockets: a UDP relay that impairs what it forwards.
 *
 * For:      the program starbase-relay, the comparison over real sockets, and tests that need a
 *           path with loss where the system offers none.
 * Never:    looks into a datagram, and never holds more clients or datagrams than it was told.
 *
 * Clients send to the relay's port on the loopback address. Each source address gets a socket of
 * its own towards the target, so that the target sees as many sources as there are clients. Every
 * client has its own random numbers per direction, all from one seed: what happens to the n-th
 * datagram of a client does not depend on when the others send.
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
    uint16_t       listen_port; /* 0: the system chooses; sim_relay_port tells */
    sb_endpoint    target;
    uint64_t       seed;        /* 1 */
    uint32_t       max_clients; /* 64; at most SIM_RELAY_CLIENTS_LIMIT */
    uint32_t       capacity;    /* 4096 datagrams under way; more are lost, as in a full queue */
    sb_time        idle_us;     /* 60 s: a client silent for so long makes room for another */
    sim_conditions to_target;   /* none */
    sim_conditions to_client;   /* none */
} sim_relay_config;

/* Counts of one direction. received + duplicated = lost + no_room + sent + what is under way. */
typedef struct sim_relay_counts {
    uint64_t received, bytes; /* datagrams that came, and their bytes */
    uint64_t lost;            /* by the conditions */
    uint64_t duplicated;      /* second copies */
    uint64_t damaged;         /* copies with flipped bits or cut short */
    uint64_t no_room;         /* copies beyond the capacity, or refused by the system */
    uint64_t sent;            /* copies passed on */
} sim_relay_counts;

typedef struct sim_relay_totals {
    sim_relay_counts to_target, to_client;
    uint64_t         clients;  /* sources that got a socket */
    uint64_t         refused;  /* datagrams of sources for which there was none */
    uint64_t         too_long; /* datagrams above SIM_RELAY_DATAGRAM_MAX, both directions */
} sim_relay_totals;

typedef struct sim_relay sim_relay;

void sim_relay_defaults(sim_relay_config *config);

/* NULL: impossible configuration (errno EINVAL) or the system refused (errno says why, such as
 * EADDRINUSE). Otherwise given: end it with sim_relay_destroy. */
sim_relay *sim_relay_create(const sim_relay_config *config);
void       sim_relay_destroy(sim_relay *relay);

/* The port on which clients are heard. */
uint16_t sim_relay_port(const sim_relay *relay);

/* Waits until a datagram arrives or is due, at most `wait_us` (a signal ends the wait too), and
 * moves what there is to move. Call it in a loop. */
void sim_relay_step(sim_relay *relay, sb_time wait_us);

/* Datagrams under way. */
size_t                  sim_relay_pending(const sim_relay *relay);
const sim_relay_totals *sim_relay_totals_of(const sim_relay *relay);

#endif
