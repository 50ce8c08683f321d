/* sim/stock_host.h -- a model of the stock game as the host, as far as the transport is concerned.
 *
 * For:      interop tests and the simulator; used as foreign.h describes.
 * Spec:     01 §4.6-§4.10, §5.3, §8; defects by sim_stock_options.
 */
#ifndef SIM_STOCK_HOST_H
#define SIM_STOCK_HOST_H

#include "sim/foreign.h"
#include "sim/stock_peer.h"

enum { SIM_STOCK_PEERS = 16 };

typedef struct sim_stock_host_config {
    sim_stock_options stock;
    uint32_t          max_players;
    uint32_t          local_address;
    sb_span           first_message; /* Data that follows the Connect response; borrowed */
    sim_foreign_hook  hook;
} sim_stock_host_config;

typedef struct sim_stock_host sim_stock_host;

typedef struct sim_stock_host_peer {
    sim_stock_host *host;
    bool            used;
    bool            player; /* false: refused, or leaving */
    uint8_t         id;     /* 0xFF: refused */
    sb_endpoint     address;
    sb_time         gone_at; /* of a leaving peer: when it is removed */
    sim_stock_peer  peer;
} sim_stock_host_peer;

struct sim_stock_host {
    sim_stock_host_config config;
    sim_stock_totals      totals;
    sim_stock_host_peer   peers[SIM_STOCK_PEERS];
    sb_time               origin, next_tick;
    size_t                turn; /* index of the next peer that may write in this tick */
    bool                  stopped;
};

/* A 33 ms tick, 8 players, all defects on. */
void sim_stock_host_defaults(sim_stock_host_config *config);
/* `host` must not move afterwards. */
void sim_stock_host_init(sim_stock_host *host, const sim_stock_host_config *config, sb_time now);
void sim_stock_host_clear(sim_stock_host *host);

void sim_stock_host_receive(sim_stock_host *host, sb_time now, sb_endpoint from, sb_span datagram);
void sim_stock_host_tick(sim_stock_host *host, sb_time now);
size_t  sim_stock_host_write(sim_stock_host *host, sb_time now, sb_endpoint *to, uint8_t *out);
sb_time sim_stock_host_next_deadline(const sim_stock_host *host);

void sim_stock_host_send(sim_stock_host *host, uint8_t peer_id, bool reliable, sb_span message);
/* Sends Boot with this reason to all players, the removed one included (§8.3). */
void sim_stock_host_kick(sim_stock_host *host, sb_time now, uint8_t peer_id, uint8_t reason);
/* Sends a Disconnect with the host's id to all players. */
void sim_stock_host_stop(sim_stock_host *host, sb_time now);

/* The player with this id; NULL: none. */
sim_stock_host_peer *sim_stock_host_find(sim_stock_host *host, uint8_t peer_id);
uint32_t             sim_stock_host_players(const sim_stock_host *host);

#endif
