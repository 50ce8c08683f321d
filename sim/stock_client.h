/* sim/stock_client.h -- a model of the stock game as a client, as far as the transport is
 * concerned.
 *
 * For:      interop tests and the simulator; used as foreign.h describes.
 * Spec:     01 §4.6-§4.10, §5.3, §8; defects by sim_stock_options.
 */
#ifndef SIM_STOCK_CLIENT_H
#define SIM_STOCK_CLIENT_H

#include "sim/foreign.h"
#include "sim/stock_peer.h"

typedef struct sim_stock_client_config {
    sim_stock_options stock;
    sb_endpoint       server;
    uint32_t          local_address; /* announced in the Connect, never the real one (§4.6) */
    uint32_t          opaque;        /* of the Connect (§13 Q3) */
    const char       *name;          /* ASCII, at most 30 characters; borrowed */
    const char       *password;      /* ASCII, at most 30 characters; borrowed; "": none */
    sim_foreign_hook  hook;
} sim_stock_client_config;

typedef enum sim_stock_client_state {
    SIM_STOCK_CONNECTING,
    SIM_STOCK_PLAYING,
    SIM_STOCK_LEAVING, /* sends Disconnect, or acknowledges a Boot */
    SIM_STOCK_OVER,
} sim_stock_client_state;

typedef struct sim_stock_client {
    sim_stock_client_config config;
    sim_stock_totals        totals;
    sim_stock_peer          peer;
    sim_stock_client_state  state;
    uint8_t                 id;
    sb_time                 origin, next_tick, over_at;
    bool                    turn; /* the datagram of this tick is not written yet */
    bool unplugged;               /* set by a test: receives and sends nothing, and does not end */
} sim_stock_client;

/* A 16 ms tick, all defects on. */
void sim_stock_client_defaults(sim_stock_client_config *config);
/* Starts to connect. `client` must not move afterwards. */
void sim_stock_client_init(sim_stock_client *client, const sim_stock_client_config *config,
                           sb_time now);
void sim_stock_client_clear(sim_stock_client *client);

void    sim_stock_client_receive(sim_stock_client *client, sb_time now, sb_endpoint from,
                                 sb_span datagram);
void    sim_stock_client_tick(sim_stock_client *client, sb_time now);
size_t  sim_stock_client_write(sim_stock_client *client, sb_time now, uint8_t *out);
sb_time sim_stock_client_next_deadline(const sim_stock_client *client);

void sim_stock_client_send(sim_stock_client *client, bool reliable, sb_span message);
void sim_stock_client_rename(sim_stock_client *client, const char *name);
void sim_stock_client_leave(sim_stock_client *client, sb_time now);

#endif
