/* sim/match.h -- a whole room with its players over a simulated network, from one seed.
 *
 * For:      tests of the server and its clients, the program starbase-match-sim. The same seed
 * gives the same match, event for event.
 */
#ifndef SIM_MATCH_H
#define SIM_MATCH_H

#include <starbase/pilot.h>
#include <starbase/server.h>

#include "sim/network.h"

enum { SIM_MATCH_PLAYERS = 20 };

typedef struct sim_match_config {
    uint64_t         seed;
    sim_conditions   link;   /* each way, each player */
    sb_server_config server; /* seed and tell are set from here */
    /* Told everything the server tells, after the match has taken note of it; may be NULL. */
    void (*on_event)(void *context, const sb_server_event *event);
    void *event_context;
    /* Gets everything that goes into the server: a datagram; or none (data NULL), and the server is
     * advanced and written dry. May be NULL. */
    void (*tap)(void *context, sb_time now, sb_endpoint from, sb_span datagram);
    void *tap_context;
} sim_match_config;

/* Good links, a server as it comes. */
void sim_match_defaults(sim_match_config *config, uint64_t seed);
/* 5 % loss, 80 +- 40 ms, 1 % doubled, some held back. */
void sim_match_bad_link(sim_conditions *link);

typedef struct sim_match sim_match;

sim_match *sim_match_create(const sim_match_config *config);
void       sim_match_destroy(sim_match *match);
/* Lets time pass. */
void    sim_match_run(sim_match *match, sb_time duration);
sb_time sim_match_now(const sim_match *match);
/* Where the room is, for those who write to it themselves. */
sb_endpoint  sim_match_address(void);
sb_endpoint  sim_match_client_address(unsigned player);
sim_network *sim_match_network(sim_match *match);

/* A player connects; its number. With a pilot it plays by itself, without it does what the test
 * says. NULL `config`: as it comes. */
unsigned sim_match_join(sim_match *match, const char *name, const sb_pilot_config *pilot,
                        const sb_client_config *config);
/* A player that vanishes without a word. */
void sim_match_vanish(sim_match *match, unsigned player);

sb_server *sim_match_server(sim_match *match);
/* NULL: vanished. */
sb_client      *sim_match_client(sim_match *match, unsigned player);
const sb_pilot *sim_match_pilot(const sim_match *match, unsigned player);
unsigned        sim_match_player_count(const sim_match *match);

/* Mixes one event into a number over what a server told; it begins as SIM_LOG_START. */
#define SIM_LOG_START 0xCBF29CE484222325u
void sim_match_mix_event(uint64_t *hash, const sb_server_event *event);
/* A number over everything the server told, in order. */
uint64_t sim_match_log_hash(const sim_match *match);
/* How often the server told each kind of thing. */
uint64_t sim_match_told(const sim_match *match, sb_server_event_type type);
/* Whether all living clients that are in the game show the server's scores. */
bool sim_match_scores_agree(const sim_match *match);
/* Most messages ever queued or stored for one peer (transport). */
uint32_t sim_match_longest_queue(const sim_match *match);
/* Bytes a client got from the server, by player and opcode, for relay ratios: sb_client_received.
 */

#endif
