/* src/run/room_loop.h -- a thread that runs rooms: each is an sb_server on a socket of its own.
 *
 * For:      `starbase serve`. Each loop owns its rooms from start to join and shares only counters
 *           with other threads.
 * May use:  epoll, a thread, an eventfd; malloc in create.
 * Never:    polls with a fixed rate: it sleeps until a datagram arrives or a room has a deadline.
 *           It answers and relays a datagram in the step in which it arrived. Turns begin at least
 *           SB_ROOM_TURN_US apart, so that under load one wake-up serves many datagrams
 *           (docs/decisions/turns.md).
 */
#ifndef SB_RUN_ROOM_LOOP_H
#define SB_RUN_ROOM_LOOP_H

#include <starbase/server.h>
#include <stdatomic.h>

#include "platform/udp.h"
#include "run/histogram.h"

enum {
    SB_ROOM_STEP_DATAGRAMS_MAX = SB_UDP_BATCH, /* received by one room before the next room runs */
    SB_ROOM_TURN_US = 1000,
    SB_ROOM_COMMANDS_MAX = 64, /* commands in the queue of a loop */
    SB_ROOM_STOP_US = 1500000, /* time for rooms to say goodbye when they stop */
};

/* Counters of a room's socket; any thread may read them while the loop runs. */
typedef struct sb_room_traffic {
    _Atomic uint64_t datagrams_in, bytes_in, datagrams_out, bytes_out, not_sent, steps;
    /* Datagrams from the socket that name a source of the house (sb_endpoint_is_house): forged. */
    _Atomic uint64_t forged_house;
} sb_room_traffic;

/* A room as its loop runs it. The caller opens the socket and fills `start` and `memory`. The room
 * is dormant until the first datagram arrives: its memory is untouched, and it costs nothing. */
typedef struct sb_room {
    sb_udp           udp;
    sb_server       *server; /* NULL: dormant */
    sb_server_config start;  /* of a dormant room; what it borrows lives as long as the room, or
                                until a later SB_ROOM_CONFIGURE replaces it */
    /* Called on the loop's thread after each step of the room; may be NULL. The caller can read
     * counters here for which the server reports no event. */
    void (*on_step)(struct sb_room *room, sb_time now);
    sb_room_traffic traffic;
    /* Memory, for rooms that grow (SB_ROOM_CONFIGURE). The caller sets `memory`; the loop owns all
     * three while it runs, except that the caller may take `retired`. */
    void           *memory;       /* of `server`, from calloc ... */
    size_t          memory_bytes; /* ... and its size */
    void           *spare;        /* larger memory, used when the room is empty; NULL: none */
    size_t          spare_bytes;
    _Atomic(void *) retired;   /* unused blocks: see sb_room_free_retired */
    bool            has_moved; /* since on_step was last called */
    /* The players of the server itself; NULL: the room never had any. Set by
     * sb_room_loop_watch_house; borrowed until the loop has ended. */
    _Atomic(struct sb_house_link *) house;
    /* Used by the loop. */
    sb_time deadline;
    size_t  heap_place;
    bool    arrived; /* datagrams have arrived for the turn that runs */
    bool    over;    /* the server has stopped */
} sb_room;

/* One player, for a display. `view.ship` is NULL or points to `ship`. */
typedef struct sb_player_snapshot {
    sb_player_view view;
    sb_ship        ship;
} sb_player_snapshot;

/* The state of a room at one moment. It belongs to the loop from the command SB_ROOM_SNAPSHOT until
 * `done` is true. */
typedef struct sb_room_snapshot {
    atomic_bool        done;
    uint32_t           player_count; /* entries of `players`, in any phase */
    uint32_t           in_game;
    const sb_mode     *mode;       /* of the current match, not of a pending reload */
    char               system[64]; /* of the current match */
    uint32_t           player_limit;
    bool               teams, over;
    int32_t            team_kills[2], team_score[2];
    int32_t            seconds_left; /* -1: no limit */
    int32_t            frag_limit;   /* 0: none */
    float              game_time;
    sb_server_load     load;
    sb_time            state_interval; /* 0: dormant, no states go out */
    uint64_t           counters[SB_SERVER_COUNTER_COUNT];
    uint64_t           transport[SB_TRANSPORT_COUNTER_COUNT];
    uint64_t           queries[SB_RESPONDER_COUNTER_COUNT];
    sb_time            now;
    sb_master_view     masters[SB_MASTERS_MAX];        /* port 0: none at this index */
    sb_player_snapshot players[SB_SERVER_PLAYERS_MAX]; /* last: not set in a room without players */
} sb_room_snapshot;

typedef enum sb_room_command_type {
    SB_ROOM_STOP, /* says goodbye to all players; the loop ends when all rooms have stopped */
    /* `fields` of `config`; both borrowed until `done` is true. `memory` is for a room that needs
     * more than it has (sb_server_wanted_bytes): the loop uses it when the room is empty. */
    SB_ROOM_CONFIGURE,
    SB_ROOM_SAY,          /* `text`, to all players in the game */
    SB_ROOM_TELL,         /* `peer_id`, `text`, to one of them */
    SB_ROOM_KICK,         /* `peer_id`, `text` */
    SB_ROOM_MUTE,         /* `peer_id`, `until` (sb_server_mute), `text`: told to the player */
    SB_ROOM_TRUST,        /* `peer_id`, `index`: 1 or 0 (sb_server_trust) */
    SB_ROOM_ASK_PROOF,    /* `peer_id` (sb_server_ask_proof) */
    SB_ROOM_MASTER,       /* `master`, `index` */
    SB_ROOM_SNAPSHOT,     /* `snapshot` */
    SB_ROOM_DISMISS_SHIP, /* `peer_id` */
    SB_ROOM_RESEND,       /* sb_server_resend_settings */
    SB_ROOM_PASS,         /* nothing: `done` says that the loop has left the turn it was in */
    SB_ROOM_END_MATCH,
    SB_ROOM_RESTART_MATCH,
    /* For no room (SB_ROOM_NONE): they cost the rooms no step. */
    SB_ROOM_MEASURE, /* `slice` (room_slice.h) */
    SB_ROOM_PING,    /* sets `done`: the loop runs */
} sb_room_command_type;

enum { SB_ROOM_ALL = -1, SB_ROOM_NONE = -2 };

typedef struct sb_room_command {
    sb_room_command_type    type;
    int                     room; /* index in the loop, SB_ROOM_ALL or SB_ROOM_NONE */
    const sb_server_config *config;
    const sb_config_fields *fields;
    void                   *memory; /* SB_ROOM_CONFIGURE: given, from malloc; NULL: none */
    size_t                  memory_bytes;
    atomic_bool            *done; /* set when the command has run; may be NULL */
    sb_room_snapshot       *snapshot;
    struct sb_room_slice   *slice;
    sb_endpoint             master;
    unsigned                index;
    uint8_t                 peer_id;
    sb_time                 until;
    char                    text[SB_CHAT_MAX + 1]; /* Windows-1252 */
} sb_room_command;

/* Frees the memory that the room does not use any more; any one thread may call it. */
void sb_room_free_retired(sb_room *room);
/* Frees all memory of a room whose loop has ended. */
void sb_room_free_memory(sb_room *room);

typedef struct sb_room_loop sb_room_loop;

/* Given; NULL: no memory, or the system refused (errno). `rooms` and all that they point to are
 * borrowed until destroy. */
sb_room_loop *sb_room_loop_create(sb_room *const *rooms, size_t count);
/* Reports what gives way from now on, and whether there is more or less of it. Called on the loop's
 * thread. */
typedef void (*sb_room_load_fn)(void *context, sb_server_load load, bool worse);
/* Call it before start. */
void sb_room_loop_on_load(sb_room_loop *loop, sb_room_load_fn report, void *context);
/* Connects the room with this index to the house, once; also while the loop runs. Datagrams of
 * house peers then come from and go to `link`. SB_OS_ERROR: the system refused (errno). */
SB_MUST_USE sb_result sb_room_loop_watch_house(sb_room_loop *loop, size_t index,
                                               struct sb_house_link *link);
/* Runs the loop on a new thread with all signals blocked. SB_OS_ERROR: no thread. */
SB_MUST_USE sb_result sb_room_loop_start(sb_room_loop *loop);
/* Queues a copy of the command; any thread may call it. False: the queue is full. */
bool sb_room_loop_post(sb_room_loop *loop, const sb_room_command *command);
/* Waits until the loop has ended after SB_ROOM_STOP. */
void sb_room_loop_join(sb_room_loop *loop);
/* Call it after join, or before start. Rooms and sockets stay the caller's. */
void sb_room_loop_destroy(sb_room_loop *loop);

/* Runs the loop on this thread until all rooms have stopped. */
void sb_room_loop_run(sb_room_loop *loop);
/* How often the loop woke up; any thread may call it. */
uint64_t sb_room_loop_wakeups(const sb_room_loop *loop);
/* How long turns took, from the wake-up until all answers were sent; any thread may read it. */
const sb_histogram *sb_room_loop_turns(const sb_room_loop *loop);
/* Processor time of the loop's thread, between start and join; any thread may call it. */
sb_time sb_room_loop_cpu_us(const sb_room_loop *loop);

#endif
