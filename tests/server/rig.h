/* tests/server/rig.h -- a room and its players for tests: messages as bytes, time as an argument.
 *
 * For:      the tests of the server. A seat is a player that consists of a transport client only:
 *           it sends exactly what the test says and stores what it receives. sim/match.h has whole
 *           headless players on bad networks.
 */
#ifndef TESTS_SERVER_RIG_H
#define TESTS_SERVER_RIG_H

#include <starbase/server.h>

#include "test.h"

typedef struct sb_message sb_message; /* starbase/message.h */

enum {
    ROOM_SEATS_MAX = 24,
    SEAT_HEARD_MAX = 4096,
    ROOM_EVENTS_MAX = 4096,
};

typedef struct heard {
    sb_delivery delivery;
    size_t      size;
    uint8_t     bytes[1100];
} heard;

typedef struct seat {
    sb_transport_client *client;
    sb_endpoint          address;
    uint8_t              id;
    bool                 left, named_somebody;
    bool                 muted; /* everything it sends is lost */
    sb_leave_reason      left_reason;
    uint8_t              boot_reason;
    uint8_t              gone[16]; /* ids of players whose departure it received, in order */
    unsigned             gone_count;
    heard               *heard;
    size_t               heard_count, heard_next;
    uint64_t             by_opcode[256];
    uint64_t             datagrams_in, bytes_in; /* received, with the headers of UDP and IP */
    uint8_t             *file; /* the last FileTransfer; `heard` has only its beginning */
    size_t               file_size;
} seat;

typedef struct room_event {
    sb_server_event event; /* spans point into text */
    bool            hit;   /* SB_SERVER_COMBAT: a ship was hit */
    char            text[512], name[96];
} room_event;

typedef struct room {
    sb_server  *server;
    sb_time     now;
    seat        seats[ROOM_SEATS_MAX];
    unsigned    seat_count;
    room_event *events;
    size_t      event_count, event_next;
    uint64_t    answers, answer_bytes; /* datagrams to addresses without a seat */
    uint8_t     last_answer[SB_SERVER_DATAGRAM_MAX];
    size_t      last_answer_size;
    uint64_t    steps;
    const char *password;    /* sent by seats that connect; NULL: none */
    bool        one_address; /* seats that connect differ in their ports only */
} room;

/* The scene of most tests: a room with Alpha and Beta, both without a ship. */
typedef struct pair {
    room *r;
    seat *a, *b;
} pair;

/* Opens a room; NULL: with the default configuration. The two rooms opened last stay alive; no room
 * needs to be closed. */
room *room_open(const sb_server_config *config);
/* Delivers all datagrams without delay, both ways, until room and seats have nothing to send; then
 * checks the invariants of the room. */
void room_step(room *r);
/* The same at every deadline within `duration`. */
void room_wait(room *r, sb_time duration);
/* Changes name, damage settings, restart, manifests and files at once; match and system when empty.
 */
void room_reconfigure(room *r, const sb_server_config *config);
/* Moves the room into memory for more players; false: it does not move (sb_server_move). */
bool room_move(room *r);
/* Gives the room a datagram from any address, as on the wire. */
sb_result   room_give(room *r, sb_endpoint from, sb_span datagram);
sb_endpoint room_stranger(unsigned number);

/* Connects; if the room refuses, the seat's id stays SB_PEER_NONE. */
seat *room_connect(room *r, const char *name);
/* The same from an address of the test's choice. */
seat *room_connect_from(room *r, const char *name, sb_endpoint address);
/* A join until the player loads the mission, before 0x2A. Forgets the received messages. */
seat *room_load(room *r, const char *name);
/* A complete join with the files of vanilla 1.1, without a ship. Forgets the received messages. */
seat *room_join(room *r, const char *name);
seat *room_join_from(room *r, const char *name, sb_endpoint address);
/* A room as of room_open that both players have joined. */
pair open_pair(const sb_server_config *config);
/* Waits as long as a client doubts a Boot (spec 01 §10); true: the seat has left by then. */
bool seat_is_removed(room *r, const seat *s);
void seat_say(room *r, seat *s, sb_delivery delivery, sb_span message);
void seat_say_message(room *r, seat *s, const sb_message *message); /* reliably */
/* An event about a part of a ship; the caller fills in the fields that its class adds. */
sb_message event_message(uint8_t opcode, uint32_t event_class, uint32_t code, uint32_t part);
/* Sends hex with blanks; {id} stands for the seat's peer id, {ship} for its first object id, each
 * as four bytes. */
void seat_say_hex(room *r, seat *s, const char *hex);
void seat_answer_round(room *r, seat *s, const sb_manifest *manifest);
/* Answers all rounds with the files of vanilla 1.1; the room must answer with GameInit. */
void seat_pass_checksums(room *r, seat *s);
/* Leaves, and waits until a Disconnect has taken effect. */
void seat_leave(room *r, seat *s);
/* Creates a ship for the seat; returns its object id. */
uint32_t seat_spawn(room *r, seat *s, uint8_t species, sb_vec3 position);
/* The same for a seat whose ship lives; waits until the new ship counts (spec 07 §2.6). */
uint32_t seat_replace(room *r, seat *s, uint8_t species, sb_vec3 position);
/* Creates a ship in another set than Multi1. */
uint32_t seat_spawn_in(room *r, seat *s, uint8_t species, sb_vec3 position, const char *set);
/* The seat's ship as the room has it; fails the test without one. */
sb_player_view seat_view(const room *r, const seat *s);
/* A StateUpdate with nothing but the position of an object. */
void seat_say_position(room *r, seat *s, uint32_t ship, sb_vec3 position);
/* Fires all phasers, or a photon torpedo along +Y, of the seat's Sovereign. */
void seat_open_fire(room *r, seat *s, uint32_t ship, uint32_t target);
void seat_fire_torpedo(room *r, seat *s, uint32_t ship, uint32_t target);
/* Reports a collision of the ship with `other` (0: with no networked object), with the contact of
 * trace D (spec 10 §8), at the bow. */
void seat_collide(room *r, seat *s, uint32_t ship, uint32_t other, float force);
void seat_forget(seat *s); /* all received messages */
void room_forget(room *r); /* those of all seats */
/* The next received message that is no StateUpdate; size 0: none. */
sb_span seat_next(seat *s);
/* The next received message with this opcode; skips others. Size 0: none. */
sb_span seat_find(seat *s, uint8_t opcode);
/* Creates an object that is no player's ship (0x02). */
void seat_create_scenery(room *r, seat *s, uint32_t id);
/* Deaths of player `id` in the next score (0x37) about that player; fails the test without one. */
int seat_find_deaths(seat *s, uint8_t id);
/* Players with points in the next score change (0x36); returns how many it lists. */
unsigned seat_find_credited(seat *s, int32_t *players, unsigned capacity);
/* The slot's first object id. */
uint32_t seat_first_id(const room *r, const seat *s);

/* Hits on the ship since the room was opened; needs trace_damage. */
unsigned room_count_hits(const room *r, uint32_t ship);
/* Events of the type since the room was opened. */
unsigned room_count_events(const room *r, sb_server_event_type type);
/* The next event of the type; fails the test if there is none. */
const room_event *room_expect(room *r, sb_server_event_type type);

/* Compares the next received message with hex as of seat_say_hex. */
void seat_expect(const char *file, int line, room *r, seat *s, const char *hex);
#define EXPECT_HEARD(r, s, hex) seat_expect(__FILE__, __LINE__, r, s, hex)
#define EXPECT_QUIET(s)         CHECK_EQ(seat_next(s).size, 0)
#define COUNTED(r, counter)     sb_server_count((r)->server, counter)

#endif
