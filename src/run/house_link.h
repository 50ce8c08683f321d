/* src/run/house_link.h -- between a room and the house, the thread that plays the server's own
 * players.
 *
 * For:      room_loop.c and house.c. The room's loop reads `to_room`, writes `from_room` and
 *           publishes who has seats; the house does the reverse.
 * May use:  malloc and an eventfd in create.
 * Never:    makes one side wait for the other.
 */
#ifndef SB_RUN_HOUSE_LINK_H
#define SB_RUN_HOUSE_LINK_H

#include <starbase/server.h>
#include <stdatomic.h>

#include "run/datagram_ring.h"

typedef struct sb_house_link {
    sb_datagram_ring *to_room, *from_room;
    int               wake; /* an eventfd that the room's loop watches (sb_room_loop_watch_house) */
    /* sb_server_seats, after the room's last step. A dormant room has nobody. */
    _Atomic uint32_t limit, people, others, house;
    _Atomic uint64_t house_peers[SB_SERVER_PLAYERS_MAX]; /* address << 16 | port; 0: none */
    atomic_bool      wants_empty;
} sb_house_link;

/* Given; `limit` is what the room starts with. NULL: no memory, or no descriptor. */
sb_house_link *sb_house_link_create(uint32_t limit);
void           sb_house_link_destroy(sb_house_link *link); /* also NULL */
/* The house: wakes the room's loop after it has pushed datagrams. */
void sb_house_link_wake(const sb_house_link *link);
/* The room's loop, after a step. */
void sb_house_link_publish(sb_house_link *link, const sb_server *server);
/* Any thread; all but `house_peers`. */
void sb_house_link_seats(const sb_house_link *link, sb_server_seats *out);
/* Any thread: has this house peer a seat? */
bool sb_house_link_is_seated(const sb_house_link *link, sb_endpoint peer);

#endif
