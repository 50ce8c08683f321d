/* tests/client/client_rig.h -- a headless player and a scripted host, joined by memory.
 *
 * For:      the client's tests. The host is a transport and nothing else: what it says is in the
 *           test, what the client sent and told is noted and asked for in order.
 */
#ifndef CLIENT_RIG_H
#define CLIENT_RIG_H

#include <starbase/client.h>

#include "test.h"

enum {
    CLIENT_RIG_NOTES = 2048,
    CLIENT_RIG_BYTES = 1100,
    CLIENT_RIG_START = 5000000, /* microseconds */
};

#define CLIENT_RIG_MILLISECOND ((sb_time)1000)

typedef struct client_sent {
    sb_delivery delivery;
    size_t      size;
    uint8_t     bytes[CLIENT_RIG_BYTES];
} client_sent;

typedef struct client_told {
    sb_client_event event;    /* spans are gone ... */
    char            text[64]; /* ... but this much of the text */
} client_told;

typedef struct client_rig {
    sb_client         *client;
    sb_transport_host *host;
    /* Somebody else, who has a name and says nothing; NULL: not there. */
    sb_transport_client *guest;
    sb_time              now;
    uint8_t              peer; /* of the client; 0: not there, or gone */
    bool                 deaf; /* datagrams of the client get lost */
    client_sent          sent[CLIENT_RIG_NOTES];
    client_told          told[CLIENT_RIG_NOTES];
    size_t               sent_count, sent_next, told_count, told_next;
} client_rig;

/* "Cady2", default manifests, 2 ms from the host to the client and back at no time at all. */
void client_rig_config(sb_client_config *config);
/* NULL: as above. The rig lives until the next one is opened. */
client_rig *client_rig_open(const sb_client_config *config);
/* Further on the ladder: up to JOINED, up to 0x35 (slot 0, free for all, Multi1). */
client_rig *client_rig_connected(const sb_client_config *config);
client_rig *client_rig_in_lobby(const sb_client_config *config);
/* The Sovereign of spec 07 §2.5, and nothing noted yet. */
client_rig *client_rig_flying(const sb_client_config *config, uint8_t species);

/* "Ünï" joins, as far as a transport goes; he is player 3. */
void client_rig_add_guest(client_rig *r);

/* Datagrams go to and fro until none is left; time stands still. */
void client_rig_turn(client_rig *r);
void client_rig_wait(client_rig *r, sb_time us);
/* Forgets what was sent and told. */
void client_rig_forget(client_rig *r);

/* The host says this, and the client hears it. */
void client_rig_say(client_rig *r, sb_delivery delivery, sb_span message);
void client_rig_say_hex(client_rig *r, const char *hex);
/* 0x03 of a healthy ship at rest. */
void client_rig_say_ship(client_rig *r, uint8_t opcode, uint8_t peer_id, uint32_t object_id,
                         uint8_t species, sb_vec3 position);

/* The next message of the client that is no StateUpdate; NULL: none. */
const client_sent *client_rig_next_sent(client_rig *r);
/* The next event but MESSAGE; NULL: none. */
const client_told *client_rig_next_told(client_rig *r);
size_t             client_rig_count_sent(const client_rig *r, uint8_t opcode);
size_t             client_rig_count_told(const client_rig *r, sb_client_event_type type);

void client_rig_expect_sent(const char *file, int line, client_rig *r, const char *hex);
void client_rig_expect_phase(const char *file, int line, client_rig *r, sb_client_phase phase);
const client_told *client_rig_expect_told(const char *file, int line, client_rig *r,
                                          sb_client_event_type type);

#define SAY(r, hex)          client_rig_say_hex(r, hex)
#define EXPECT_SENT(r, hex)  client_rig_expect_sent(__FILE__, __LINE__, r, hex)
#define EXPECT_TOLD(r, type) client_rig_expect_told(__FILE__, __LINE__, r, type)
#define EXPECT_PHASE(r, p)   client_rig_expect_phase(__FILE__, __LINE__, r, p)
#define EXPECT_SILENCE(r)    CHECK(client_rig_next_sent(r) == NULL)
#define EXPECT_NOTHING(r)    CHECK(client_rig_next_told(r) == NULL)

#endif
