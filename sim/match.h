/* sim/match.h -- a server and its players over a simulated network, from one seed.
 *
 * For:      tests of the server and its clients, the program starbase-match-sim. The same seed
 *           gives the same match, event for event.
 */
#ifndef SIM_MATCH_H
#define SIM_MATCH_H

#include <starbase/pilot.h>
#include <starbase/server.h>

#include "sim/network.h"

enum { SIM_MATCH_PLAYERS = 20 };

typedef struct sim_match_config {
    uint64_t         seed;
    sim_conditions   link;           /* each way, each player */
    uint32_t         clock_ppm;      /* players' clocks are too fast or too slow by up to this */
    bool             extreme_clocks; /* by all of it: fast for even numbers, slow for odd ones */
    bool             hiccups;        /* now and then a player's machine stalls, or its link lags */
    sb_server_config server;         /* seed, on_event and event_context are replaced */
    void            *server_memory;  /* sb_server_bytes, borrowed; NULL: allocated */
    /* Called for every event of the server, after the match has counted it; may be NULL. */
    void (*on_event)(void *context, const sb_server_event *event);
    void *event_context;
    /* Called for every input of the server: a datagram; or, with data NULL, a step in which the
     * server advances and writes all its datagrams. May be NULL. */
    void (*tap)(void *context, sb_time now, sb_endpoint from, sb_span datagram);
    /* Called for every datagram that the server or a player sends, before the network takes it. May
     * be NULL. */
    void (*sent)(void *context, sb_time now, sb_endpoint from, sb_endpoint to, sb_span datagram);
    void *tap_context; /* of `tap` and `sent` */
} sim_match_config;

/* Perfect links, a server with default configuration. */
void sim_match_defaults(sim_match_config *config, uint64_t seed);
/* 5 % loss, 80 +- 40 ms, 1 % duplicated, some delayed further. */
void sim_match_bad_link(sim_conditions *link);
/* Conditions of players at home: bad links, clocks that are wrong by up to 300 ppm, stalls of up to
 * 2.5 s, and links that lag by up to 1.5 s for some seconds. */
void sim_match_at_home(sim_match_config *config);

typedef struct sim_match sim_match;

sim_match *sim_match_create(const sim_match_config *config);
void       sim_match_destroy(sim_match *match);
/* Advances the simulated time. */
void    sim_match_run(sim_match *match, sb_time duration);
sb_time sim_match_now(const sim_match *match);
/* The same moment by the player's own clock. */
sb_time sim_match_client_now(const sim_match *match, unsigned player);
/* The largest difference between the error of a player's clock and the server's estimate of it
 * (spec 03 §9). */
sb_time sim_match_misjudged_clock(const sim_match *match);
/* The server's address, for tests that send to it themselves. */
sb_endpoint  sim_match_address(void);
sb_endpoint  sim_match_client_address(unsigned player);
sim_network *sim_match_network(sim_match *match);

/* A player connects; returns its number. A player with a pilot acts by itself; without a pilot,
 * the test acts for the player. NULL `config`: the default. */
unsigned sim_match_join(sim_match *match, const char *name, const sb_pilot_config *pilot,
                        const sb_client_config *config);
/* The player falls silent without a Disconnect. */
void sim_match_vanish(sim_match *match, unsigned player);

sb_server *sim_match_server(sim_match *match);
/* NULL: vanished. */
sb_client      *sim_match_client(sim_match *match, unsigned player);
const sb_pilot *sim_match_pilot(const sim_match *match, unsigned player);
unsigned        sim_match_player_count(const sim_match *match);

/* Mixes one event into a hash of server events, which starts as SIM_LOG_START. */
#define SIM_LOG_START 0xCBF29CE484222325u
void sim_match_mix_event(uint64_t *hash, const sb_server_event *event);
/* The hash of all server events so far. */
uint64_t sim_match_log_hash(const sim_match *match);
/* How many events of this type the server has reported. */
uint64_t sim_match_told(const sim_match *match, sb_server_event_type type);
/* True: all connected clients that are in the game have the server's scores. */
bool sim_match_scores_agree(const sim_match *match);
/* The largest number of messages ever queued or unacknowledged for one peer. */
uint32_t sim_match_longest_queue(const sim_match *match);

#endif
