/* src/run/room_loop.h -- a thread that runs rooms: each an sb_server on a socket of its own.
 *
 * For:      `starbase serve`. Rooms are spread over loops; a loop owns its rooms from start to
 *           join, and shares nothing with others but counters.
 * May use:  epoll, a thread, an eventfd. What it needs is allocated by create.
 * Never:    ticks: it sleeps until a datagram arrives or the next deadline of a room. What arrives
 *           is answered and passed on in the same turn.
 */
#ifndef SB_RUN_ROOM_LOOP_H
#define SB_RUN_ROOM_LOOP_H

#include <starbase/server.h>
#include <stdatomic.h>

#include "platform/udp.h"

enum {
    SB_ROOM_STEP_DATAGRAMS_MAX =
        SB_UDP_BATCH,          /* datagrams of one room before it is the next one's turn */
    SB_ROOM_COMMANDS_MAX = 64, /* that may wait */
    SB_ROOM_STOP_US = 1500000, /* a room that has not said goodbye by then is left alone */
};

/* What went over a room's socket; any thread may read it while the loop runs. */
typedef struct sb_room_traffic {
    _Atomic uint64_t datagrams_in, bytes_in, datagrams_out, bytes_out, not_sent, steps;
} sb_room_traffic;

typedef struct sb_room {
    sb_udp     udp;    /* open */
    sb_server *server; /* ready */
    /* Called after each of the room's steps, on its thread; may be NULL. For what a server counts
     * and does not tell. */
    void (*on_step)(struct sb_room *room, sb_time now);
    sb_room_traffic traffic;
    sb_time         deadline; /* the loop's own */
    bool            over;     /* likewise */
} sb_room;

/* One player as a display needs him. `view.ship` is NULL or points to `ship`. */
typedef struct sb_player_snapshot {
    sb_player_view view;
    sb_ship        ship;
} sb_player_snapshot;

/* A room at one moment. The caller has it, gives it away with a command, and has it back when
 * `done` is true. */
typedef struct sb_room_snapshot {
    atomic_bool        done;
    uint32_t           player_count; /* entries below, whatever their phase */
    uint32_t           in_game;
    sb_player_snapshot players[SB_SERVER_PLAYERS_MAX];
    const sb_mode     *mode;       /* that is played, whatever the configuration says by now */
    char               system[64]; /* likewise */
    uint32_t           player_limit;
    bool               teams, over;
    int32_t            team_kills[2], team_score[2];
    int32_t            seconds_left; /* -1: no limit */
    float              game_time;
    uint64_t           counters[SB_SERVER_COUNTER_COUNT];
    uint64_t           transport[SB_TRANSPORT_COUNTER_COUNT];
    uint64_t           queries[SB_RESPONDER_COUNTER_COUNT];
} sb_room_snapshot;

typedef enum sb_room_command_type {
    SB_ROOM_STOP,      /* says goodbye to all; the loop ends when all rooms have */
    SB_ROOM_CONFIGURE, /* `fields` of `config`; both borrowed until `done` is true */
    SB_ROOM_SAY,       /* `text` */
    SB_ROOM_KICK,      /* `peer_id`, `text` */
    SB_ROOM_MASTER,    /* `master`, `index` */
    SB_ROOM_SNAPSHOT,  /* `snapshot` */
    SB_ROOM_END_MATCH,
    SB_ROOM_RESTART_MATCH,
} sb_room_command_type;

enum { SB_ROOM_ALL = -1 };

typedef struct sb_room_command {
    sb_room_command_type    type;
    int                     room; /* index in the loop, or SB_ROOM_ALL */
    const sb_server_config *config;
    const sb_config_fields *fields;
    atomic_bool            *done; /* set when it was carried out; may be NULL */
    sb_room_snapshot       *snapshot;
    sb_endpoint             master;
    unsigned                index;
    uint8_t                 peer_id;
    char                    text[SB_CHAT_MAX + 1]; /* Windows-1252 */
} sb_room_command;

typedef struct sb_room_loop sb_room_loop;

/* Given; NULL: no memory, or the system refused (errno). `rooms` and what they point to are
 * borrowed until destroy. */
sb_room_loop *sb_room_loop_create(sb_room *const *rooms, size_t count);
/* Runs on a new thread, with all signals blocked; SB_OS_ERROR: there is none to be had. */
SB_MUST_USE sb_result sb_room_loop_start(sb_room_loop *loop);
/* Hands a copy of the command over; from any thread. False: too many wait. */
bool sb_room_loop_post(sb_room_loop *loop, const sb_room_command *command);
/* Waits for the end that SB_ROOM_STOP begins. */
void sb_room_loop_join(sb_room_loop *loop);
/* After join, or before start. Rooms and sockets stay the caller's. */
void sb_room_loop_destroy(sb_room_loop *loop);

/* Runs on this thread instead: steps until all rooms have stopped. */
void sb_room_loop_run(sb_room_loop *loop);
/* How often it woke up; any thread may ask. */
uint64_t sb_room_loop_wakeups(const sb_room_loop *loop);

#endif
