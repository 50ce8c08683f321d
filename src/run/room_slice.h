/* src/run/room_slice.h -- the figures of a few rooms of one loop, for metrics and status pages.
 *
 * For:      whoever shows all rooms of a process: the caller asks a loop for one slice after
 *           another (SB_ROOM_MEASURE), so that a loop with many rooms never pauses for all of them.
 * Never:    allocates. A dormant room costs nothing.
 * Tests:    tests/run/room_slice_test.c
 */
#ifndef SB_RUN_ROOM_SLICE_H
#define SB_RUN_ROOM_SLICE_H

#include "run/histogram.h"
#include "run/room_loop.h"

enum { SB_ROOM_SLICE_MAX = 16 }; /* rooms of a slice */

/* One player, without address. */
typedef struct sb_player_figures {
    uint8_t         peer_id, team;
    sb_player_phase phase;
    bool            exploding, mod_ship;
    bool            house; /* a bot of the server itself */
    int32_t         kills, deaths, score;
    sb_time         connected_us; /* how long */
    sb_time         round_trip_us;
    uint32_t        queued, unacknowledged, early, cells;
    uint64_t        retransmitted;
    const char     *ship;     /* NULL: none; lives as long as the data of ships */
    char            name[96]; /* UTF-8 */
} sb_player_figures;

typedef struct sb_room_figures {
    bool              started; /* false: dormant; all below is 0 */
    bool              over;    /* the match */
    uint32_t          player_count;
    uint32_t          in_game, bots; /* people and the server's own bots in the game */
    uint32_t          player_limit;
    const sb_mode    *mode;
    char              system[64];
    int32_t           seconds_left; /* -1: no limit */
    uint32_t          backlog_bytes;
    sb_server_load    load;
    sb_time           state_interval;
    sb_time           now;
    sb_master_view    masters[SB_MASTERS_MAX];        /* port 0: none at this index */
    sb_player_figures players[SB_SERVER_PLAYERS_MAX]; /* `player_count` are set */
} sb_room_figures;

/* It belongs to the loop from SB_ROOM_MEASURE until `done` is true. */
typedef struct sb_room_slice {
    size_t      first, count; /* rooms by their index in the loop; at most SB_ROOM_SLICE_MAX */
    int         wake;         /* an eventfd that is written when it is done; -1: none */
    atomic_bool done;
    /* Sums of the rooms of this slice. */
    uint64_t          messages[SB_SERVER_COUNTER_COUNT];
    uint64_t          datagrams[SB_TRANSPORT_COUNTER_COUNT];
    uint64_t          queries[SB_RESPONDER_COUNTER_COUNT];
    uint64_t          implausible[SB_IMPLAUSIBLE_COUNT];
    sb_histogram_view round_trips; /* one value per player in the game */
    sb_room_figures   rooms[SB_ROOM_SLICE_MAX];
} sb_room_slice;

/* On the loop's thread: fills the slice and reports that it is done. */
void sb_room_slice_fill(sb_room_slice *slice, sb_room *const *rooms, sb_time now);
/* The name of the ship of a player who has one; "unknown ship": of a species without a name. */
const char *sb_ship_name_of(const sb_player_view *player);

#endif
