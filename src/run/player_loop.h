/* src/run/player_loop.h -- runs headless players on one thread: each is an sb_client with an
 * sb_pilot, or an sb_drone, on a socket of its own.
 *
 * For:      `starbase bot` and `starbase swarm`: one player or a thousand.
 * May use:  epoll; sockets through udp.h; malloc in create.
 * Never:    allocates in a step, polls with a fixed rate, or prints: events go to a callback.
 *
 *     while (!done && !sb_player_loop_is_over(loop))
 *         sb_player_loop_step(loop, next_thing_of_my_own);
 */
#ifndef SB_RUN_PLAYER_LOOP_H
#define SB_RUN_PLAYER_LOOP_H

#include <starbase/pilot.h>

#include "platform/udp.h"

enum {
    SB_LOOP_PLAYERS_MAX = 16384,
    SB_LOOP_WATCHED_MAX = 8, /* descriptors that the caller adds */
};

/* The configuration of one player. */
typedef struct sb_player_seat {
    sb_endpoint     server;
    uint32_t        local_address; /* source address; 0: the system chooses */
    const char     *name;          /* UTF-8; cut at SB_NAME_UNITS; copied */
    const char     *password;      /* UTF-8 or NULL; copied */
    sb_time         start_us;      /* delay between create and the start of the join */
    uint64_t        seed;          /* of the marks of an attacked host; 0: none (spec 01 §10.8) */
    sb_pilot_config pilot;
    unsigned        place; /* of a drone: its circle, 0 to 15 */
} sb_player_seat;

/* Reports an event of player `index`. `client` is NULL if the players are drones. Called during a
 * step; the callback may only call functions that take a const loop. */
typedef void (*sb_player_event_fn)(void *context, size_t index, const sb_client *client,
                                   const sb_client_event *event);

typedef struct sb_player_loop_config {
    sb_client_config client; /* shared; server, name, password, ports and on_event are replaced */
    bool             drones; /* the players are drones: pilot is ignored, except its seed */
    sb_time          mark_interval_us; /* of drones, between two chat lines; 0: a second */
    bool             messages;         /* also report SB_CLIENT_MESSAGE and SB_CLIENT_QUEUED */
    const sb_player_seat *seats;       /* copied */
    size_t                count;
    sb_player_event_fn    on_event; /* may be NULL */
    void                 *event_context;
} sb_player_loop_config;

typedef struct sb_player_loop sb_player_loop;

/* Opens all sockets. Given; NULL: `error` says why. Manifests and ships of the configuration are
 * borrowed until destroy. */
sb_player_loop *sb_player_loop_create(const sb_player_loop_config *config,
                                      char                         error[SB_UDP_ERROR_MAX]);
void            sb_player_loop_destroy(sb_player_loop *loop); /* also NULL */

/* Calls `read` in a step in which the descriptor is readable. False: too many descriptors, or the
 * system refused. */
bool sb_player_loop_watch(sb_player_loop *loop, int descriptor, void (*read)(void *context),
                          void *context);

/* Sleeps until a datagram arrives, a player has a deadline, or `until`; then receives and runs a
 * limited number of players, so that arrivals do not wait for all players. */
void sb_player_loop_step(sb_player_loop *loop, sb_time until);
/* Makes the player leave; a player who has not started yet never will. The player is gone within 3
 * s if the caller goes on calling step. Must not be called from `on_event`. */
void sb_player_loop_leave(sb_player_loop *loop, size_t index);
void sb_player_loop_leave_all(sb_player_loop *loop);
/* True if all players have left. */
bool sb_player_loop_is_over(const sb_player_loop *loop);

/* The player's client and pilot; NULL: not started, or a drone. Lent until destroy. */
const sb_client *sb_player_loop_client(const sb_player_loop *loop, size_t index);
const sb_pilot  *sb_player_loop_pilot(const sb_player_loop *loop, size_t index);
/* The transport of any player; NULL: not started. */
const sb_transport_client *sb_player_loop_transport(const sb_player_loop *loop, size_t index);
/* The sum over all sockets. */
sb_udp_traffic sb_player_loop_traffic(const sb_player_loop *loop);
uint64_t       sb_player_loop_wakeups(const sb_player_loop *loop);

/* ---- source addresses and start times ---- */

/* A source address for player `index`. A server accepts few players from one address (spec 01
 * §10.6), but every address of 127.0.0.0/8 is this machine: four players share one. 0: the server
 * is on another machine. */
uint32_t sb_player_loop_source_address(sb_endpoint server, size_t index);
/* The delay before player `index` of one server joins, so that no join exceeds the rate limit. */
sb_time sb_player_loop_start_delay(sb_endpoint server, size_t index);

#endif
