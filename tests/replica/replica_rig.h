/* tests/replica/replica_rig.h -- a host's lanes, and the messages of its last tick, decoded.
 *
 * For:      the tests of replica.c. The test sets the time.
 */
#ifndef REPLICA_REPLICA_RIG_H
#define REPLICA_REPLICA_RIG_H

#include "rig.h"

enum { SHIPS_MAX = 8, MESSAGES_MAX = 64 };

/* One message of a tick. */
typedef struct sent_message {
    uint32_t        object_id;
    sb_peer_mask    peers;
    sb_state_update update;
    uint8_t         bytes[RIG_BYTES];
    size_t          size;
} sent_message;

typedef struct replica_rig {
    sb_replica_config config;
    sb_replica       *replica;
    void             *memory;
    sb_time           now;
    sb_ship           ships[SHIPS_MAX];
    unsigned          ship_count;
    sent_message      messages[MESSAGES_MAX];
    unsigned          message_count;
} replica_rig;

/* Opens a replica without ships or peers, in memory with arbitrary contents. There is one rig: the
 * next call closes it. */
replica_rig *open_for(uint32_t max_ships, const sb_lane_options *lanes);
replica_rig *open_with(const sb_lane_options *lanes);
replica_rig *open_stock(void);
replica_rig *open_default(void);
/* Adds an intact ship. Species 0: unknown species. */
sb_ship *add_ship(replica_rig *r, uint8_t species, unsigned owner);
/* Collects all messages that are due and returns their number. */
unsigned collect(replica_rig *r);
/* Advances to the next tick and collects its messages. */
unsigned tick(replica_rig *r);

unsigned mask_count(const sb_peer_mask *mask);
/* The message about a ship that a peer got in the last tick; NULL: none. Fails if there are two. */
const sent_message *message_to(const replica_rig *r, const sb_ship *ship, unsigned peer);
/* The flags of that message; fails if there is none. */
uint8_t flags_to(const replica_rig *r, const sb_ship *ship, unsigned peer);

#endif
