/* tests/client/client_rig.h -- a client and a scripted host, connected in memory.
 *
 * For:      the client's tests. The host is a bare transport: the test decides what it sends. The rig
 *           records the messages and events of the client, and tests read them in order.
 */
#ifndef CLIENT_RIG_H
#define CLIENT_RIG_H

#include <starbase/client.h>

#include "test.h"

enum {
    CLIENT_RIG_RECORDS = 2048,
    CLIENT_RIG_BYTES = 1100,
    CLIENT_RIG_START = 5000000,    /* microseconds */
    CLIENT_RIG_OTHER = 0x4003FFFF, /* object id of the ship of player 3 */
};

#define CLIENT_RIG_MILLISECOND ((sb_time)1000)

typedef struct client_sent {
    sb_delivery delivery;
    size_t      size;
    uint8_t     bytes[CLIENT_RIG_BYTES];
} client_sent;

typedef struct client_reported {
    sb_client_event event;    /* without its spans */
    char            text[64]; /* the start of its text */
} client_reported;

typedef struct client_rig {
    sb_client         *client;
    sb_transport_host *host;
    /* Another client, which has a name and sends nothing; NULL: none. */
    sb_transport_client *guest;
    sb_time              now;
    uint8_t              peer;       /* id of the client; 0: not connected */
    bool                 deaf;       /* datagrams of the client are lost */
    bool                 may_refuse; /* the client may refuse messages; else that fails the test */
    size_t               said_size;  /* the last message of the host */
    uint8_t              said[2048];
    client_sent          sent[CLIENT_RIG_RECORDS];
    client_reported      events[CLIENT_RIG_RECORDS];
    size_t               sent_count, sent_next, event_count, event_next;
    size_t               queued_count; /* messages that the client reported as its own */
    client_sent          queued;       /* the last of them: its size, its first bytes */
} client_rig;

/* A client called "Cady2" with default manifests. */
void client_rig_config(sb_client_config *config);
/* Opens a rig; NULL: with client_rig_config. It lives until the next one is opened. */
client_rig *client_rig_open(const sb_client_config *config);
/* Rigs further in the handshake: connected, and in the lobby (slot 0, free for all, Multi1). */
client_rig *client_rig_connected(const sb_client_config *config);
client_rig *client_rig_in_lobby(const sb_client_config *config);
/* A rig with a ship in space, the Sovereign of spec 07 §2.5 for species 5, and no records. */
client_rig *client_rig_flying(const sb_client_config *config, uint8_t species);
/* The same as a Sovereign, with a ship of player 3 at (10, 20, 30): CLIENT_RIG_OTHER. */
client_rig *client_rig_with_other(uint8_t species);

/* Connects another client called "Ünï", which becomes player 3. */
void client_rig_add_guest(client_rig *r);

/* Passes datagrams on until none is left; time does not advance. */
void client_rig_run(client_rig *r);
/* Advances the time, with all deadlines on the way. */
void client_rig_wait(client_rig *r, sb_time us);
/* Deletes the records of messages and events. */
void client_rig_forget(client_rig *r);

/* The host sends a message, and the client receives it. */
void client_rig_say(client_rig *r, sb_delivery delivery, sb_span message);
void client_rig_say_hex(client_rig *r, const char *hex);
/* The host sends the creation of an undamaged ship at rest. */
void client_rig_say_ship(client_rig *r, uint8_t opcode, uint8_t peer_id, uint32_t object_id,
                         uint8_t species, sb_vec3 position);

/* The next recorded message but StateUpdates; NULL: none. */
const client_sent *client_rig_next_sent(client_rig *r);
/* The next recorded event but MESSAGE; NULL: none. */
const client_reported *client_rig_next_event(client_rig *r);
size_t                 client_rig_count_sent(const client_rig *r, uint8_t opcode);
size_t                 client_rig_count_events(const client_rig *r, sb_client_event_type type);

void client_rig_expect_sent(const char *file, int line, client_rig *r, const char *hex);
void client_rig_expect_phase(const char *file, int line, client_rig *r, sb_client_phase phase);
const client_reported *client_rig_expect_event(const char *file, int line, client_rig *r,
                                               sb_client_event_type type);

#define SAY(r, hex)           client_rig_say_hex(r, hex)
#define EXPECT_SENT(r, hex)   client_rig_expect_sent(__FILE__, __LINE__, r, hex)
#define EXPECT_EVENT(r, type) client_rig_expect_event(__FILE__, __LINE__, r, type)
#define EXPECT_PHASE(r, p)    client_rig_expect_phase(__FILE__, __LINE__, r, p)
#define EXPECT_SILENCE(r)     CHECK(client_rig_next_sent(r) == NULL)
#define EXPECT_NOTHING(r)     CHECK(client_rig_next_event(r) == NULL)

#endif
