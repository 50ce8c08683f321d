/* src/run/player_loop.h -- a thread that runs headless players: each an sb_client with an sb_pilot
 * on a socket of its own.
 *
 * For:      `starbase bot` and `starbase swarm`: one player or a thousand.
 * May use:  epoll; sockets through udp.h. What all players need is allocated by create.
 * Never:    allocates in a turn, ticks, or prints: what happens is told to the caller.
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
    SB_LOOP_WATCHED_MAX = 8, /* descriptors of the caller's */
};

/* One player. */
typedef struct sb_player_seat {
    sb_endpoint     server;
    uint32_t        local_address; /* to send from; 0: whichever the system takes */
    const char     *name;          /* UTF-8; cut at SB_NAME_UNITS; copied */
    const char     *password;      /* UTF-8 or NULL; copied */
    sb_time         start_us;      /* begins to join so long after create */
    sb_pilot_config pilot;
} sb_player_seat;

/* What happens to player `index`. SB_CLIENT_MESSAGE is not told. Called during a turn; may not call
 * the loop but for what only looks. */
typedef void (*sb_player_event_fn)(void *context, size_t index, const sb_client *client,
                                   const sb_client_event *event);

typedef struct sb_player_loop_config {
    sb_client_config client; /* of all; its server, name, password, ports and on_event are set */
    const sb_player_seat *seats; /* copied */
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

/* Calls `read` in the turn in which something is to be read there. False: no more room, or the
 * system refuses. */
bool sb_player_loop_watch(sb_player_loop *loop, int descriptor, void (*read)(void *context),
                          void *context);

/* Sleeps until something arrives, a player has something to do, or `until`, and does what is to be
 * done then: a bounded amount, so that nobody who has received something waits for all others. */
void sb_player_loop_step(sb_player_loop *loop, sb_time until);
/* The player says goodbye; one who has not begun never will. Over within 3 s, if turns go on. Not
 * to be called from `on_event`. */
void sb_player_loop_leave(sb_player_loop *loop, size_t index);
void sb_player_loop_leave_all(sb_player_loop *loop);
/* All conversations have ended. */
bool sb_player_loop_is_over(const sb_player_loop *loop);

/* The player; NULL: has not begun. Lent until destroy. */
const sb_client *sb_player_loop_client(const sb_player_loop *loop, size_t index);
const sb_pilot  *sb_player_loop_pilot(const sb_player_loop *loop, size_t index);
/* What went over all sockets. */
sb_udp_traffic sb_player_loop_traffic(const sb_player_loop *loop);
uint64_t       sb_player_loop_wakeups(const sb_player_loop *loop);

/* ---- where players come from ---- */

/* A server on this machine sees every player behind the same address, and lets few of them in at
 * once (spec 01 §10.6). All of 127.0.0.0/8 is this machine: four players share one. 0 for a server
 * elsewhere. */
uint32_t sb_player_loop_source_address(sb_endpoint server, size_t index);
/* When player `index` of those who join one server may begin, so that none is refused for haste. */
sb_time sb_player_loop_start_delay(sb_endpoint server, size_t index);

#endif
