/* src/transport/client_internal.h -- the state of a client, shared by client.c and
 * client_connect.c.
 *
 * For:      client.c (a session), client_connect.c (from the first Connect to the id).
 */
#ifndef SB_TRANSPORT_CLIENT_INTERNAL_H
#define SB_TRANSPORT_CLIENT_INTERNAL_H

#include <starbase/transport.h>

#include "transport/budget.h"
#include "transport/departure.h"
#include "transport/link.h"
#include "transport/player_name.h"
#include "transport/told_ids.h"

typedef enum sb_client_state {
    SB_CLIENT_CONNECTING,
    SB_CLIENT_CONNECTED,
    SB_CLIENT_LEAVING,
    SB_CLIENT_OVER,
} sb_client_state;

struct sb_transport_client {
    sb_transport_client_config config;
    sb_client_state            state;
    uint8_t                    id;      /* SB_PEER_NONE until the host gives one */
    bool                       reading; /* `incoming` has unread messages */
    bool            queue_overflowed;   /* a reliable message could not be queued: give up */
    bool            joined_pending;     /* JOINED is the next event */
    bool            joined;             /* JOINED was reported */
    bool            is_cautious;        /* believes only what the host is known to have sent */
    sb_time         now, started_at, leaving_at;
    sb_told_ids     ids;       /* of a cautious client that is connecting */
    sb_departure    departure; /* a Boot or Disconnect of the host, which anybody could have sent */
    sb_leave_reason departure_reason;
    uint8_t         departure_boot_reason;
    sb_incoming     incoming;
    sb_player_name  name;           /* the client's own */
    sb_player_name  announced_name; /* holds the bytes of the last NAMED event */
    sb_counters     counters;
    sb_cells        cells;
    uint8_t        *assembly_buffer;
    sb_budget       datagrams; /* send budget */
    sb_link         link;
    uint8_t         plain[SB_DATAGRAM_ACCEPTED];
};

/* ---- client_connect.c ---- */

void sb_transport_client_queue_connect(sb_transport_client *client, sb_span password);
void sb_transport_client_queue_name(sb_transport_client *client);
void sb_transport_client_queue_disconnect(sb_transport_client *client);
/* Spec 01 §1.1, §5.1: an id of 0x5C would make a datagram look like a GameSpy query. */
bool sb_transport_client_is_id(uint8_t id);
/* Handles the payload of a Connect response; false: it is malformed. */
bool sb_transport_client_handle_response(sb_transport_client *client, sb_span payload);
/* The session ends when the host falls silent (spec 01 §8.4). */
void sb_transport_client_start_departure(sb_transport_client *client, sb_leave_reason reason,
                                         uint8_t boot_reason);

/* Was a cautious client told ids, and knows not yet which is its own? */
bool sb_transport_client_is_confirming(const sb_transport_client *client);
/* Takes the first id that the client was told, to leave: the host may have begun the session. */
void sb_transport_client_take_first_id(sb_transport_client *client);
/* Reads a datagram before a cautious client has its id. True: it proves the id, and its messages
 * are still to be read. */
bool sb_transport_client_read_connecting(sb_transport_client *client, const sb_datagram *datagram);
/* Writes the next datagram that asks for the id, and returns its size; 0: none is due. */
size_t sb_transport_client_write_question(sb_transport_client *client, uint8_t *out);

#endif
