/* fuzz/room_world.h -- a small room with a running match, put back into place for every input.
 *
 * For:      server_fuzz.c. Room, seats and their transport clients are plain memory without
 *           pointers to anything that changes outside of it: copying the saved bytes back restores
 *           all of them.
 */
#ifndef SB_FUZZ_ROOM_WORLD_H
#define SB_FUZZ_ROOM_WORLD_H

#include "server/server_internal.h"

enum {
    FLYING,
    LOBBY,
    JOINING,
    FRESH,
    HONEST,
    SEATS,
    SOURCES = 16, /* addresses: those of the seats, then strangers */
    ROOM_KINDS = 128,
};

typedef struct seat {
    sb_transport_client *client;
    uint16_t             port;
    uint8_t              id; /* SB_PEER_NONE: not connected */
    bool                 there;
    bool                 deaf; /* receives and acknowledges nothing */
    bool                 mute; /* everything it sends is lost */
    bool                 left;
    size_t               last_size;
    uint8_t              last[SB_DATAGRAM_MAX]; /* its last datagram */
} seat;

typedef struct world {
    sb_time    now;
    sb_server *server;
    seat       seats[SEATS];
    bool       house; /* FLYING and JOINING are house players (transport.h) */
    bool       stopped;
    unsigned   steps;
    uint64_t   digest; /* of all datagrams of the room */
} world;

/* A room in its starting state. `kind`, bit 0: an empty room instead of a running match; bits 1-2:
 * fidelity level; bit 3: team mode, files for clients, two sets; bit 4: strict checksums, updates
 * by distance, EnterSet of clients; bit 5: trust_clients; bit 6: two house players, a rule for
 * names, hidden commands, balanced teams. */
world *restore_world(unsigned kind);

sb_endpoint address_of(const world *w, unsigned who);
/* NULL: the seat has no player in the room. */
sb_player *player_of(world *w, unsigned who);
/* An object id: the player's own ship, an id in the player's block or in another block, or a small
 * number. */
uint32_t object_of(world *w, unsigned who, uint8_t which);

/* Delivers all datagrams until nobody has anything to send; then the room has nothing left to do at
 * this time, and the honest player is still connected. Every 64th call checks the
 * invariants of the room. */
void step_world(world *w);
/* The invariants, and the views of the room that displays use. */
void check_world(world *w);

void connect_seat(world *w, unsigned who);
/* Queues a message of a seat; no effect if the seat is not connected. */
void send_data(world *w, unsigned who, sb_delivery delivery, const void *bytes, size_t size);
/* Sends the honest answer to the pending message of the join, if there is one. */
void continue_join(world *w, unsigned who);
/* A creation by the rules; returns its size, 0: it cannot be encoded. */
typedef struct creation {
    uint32_t object_id;
    uint8_t  species;
    bool     is_scenery, long_snapshot, is_mod;
    sb_vec3  position;
    sb_span  name, set_name;
} creation;
size_t make_creation(world *w, unsigned who, const creation *c, uint8_t *out, size_t capacity);

#endif
