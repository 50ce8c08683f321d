/* src/transport/host_internal.h -- the host endpoint from inside: what its files share.
 *
 * host.c          memory, the crank, the public calls
 * host_connect.c  strangers: Connect, half-open entries, refusals, moves to another port
 * host_peer.c     established peers: datagrams, budgets, names
 * host_leave.c    the ways to leave, and who is told
 */
#ifndef SB_TRANSPORT_HOST_INTERNAL_H
#define SB_TRANSPORT_HOST_INTERNAL_H

#include "transport/addresses.h"
#include "transport/bounds.h"
#include "transport/budget.h"
#include "transport/deadlines.h"
#include "transport/link.h"
#include "transport/player_name.h"
#include "transport/strangers.h"

enum {
    SB_HALF_OPEN_MAX = 32,
    SB_HALF_OPEN_PER_IP = 4,
    SB_REPLIES_MAX = 64,
    SB_REPLY_BYTES = 13,
    SB_LINGERING_MAX = 8, /* peers that leave while as many others already take their places */
    SB_SEND_CELLS_MIN = 2 * SB_CONTROL_CELLS,
    SB_RECEIVE_CELLS_MIN = 48, /* early messages leave 32 for the one they wait for */
    SB_ID_FIRST = 2,
    SB_ID_LIMIT = 0x80,    /* stock reads the id of a Boot as a signed byte (spec 01 §5.1) */
    SB_HALF_OPEN = 0x8000, /* marks places of half-open entries in the address table */
};

typedef enum sb_peer_state { SB_PEER_FREE, SB_PEER_ESTABLISHED, SB_PEER_LINGERING } sb_peer_state;

typedef struct sb_peer {
    sb_peer_state   state;
    uint8_t         id;
    bool            in_address_table; /* the address table leads here */
    bool            heard_under_id;   /* it has seen our answer (spec 01 §5.2) */
    bool            quit_received;    /* its Disconnect was read */
    bool            queue_overflowed; /* a reliable message could not be queued */
    bool            is_ready;         /* in the list of those that may have something to write */
    bool            has_news;         /* in the list of those about whom there is an event */
    bool            joined_pending, named_pending, left_pending;
    bool            name_pending; /* `next_name` is to be published when the limit allows it */
    sb_leave_reason reason;
    uint8_t         boot_reason;
    sb_endpoint     address;
    uint32_t        own_address; /* what it believes its own address to be; only passed on */
    sb_player_name  name, next_name;
    sb_time         named_at;                        /* when its name was passed on last */
    sb_time         linger_until;                    /* lingering: the end */
    sb_time         flood_started_at, flood_last_at; /* the current run of going over its budget */
    sb_budget       datagrams, messages, bytes;
    sb_budget       rebinds; /* datagrams of its id from other ports of its address */
    sb_link         link;
} sb_peer;

typedef struct sb_half_open {
    bool        used;
    bool        refused; /* no place was left when it answered; each datagram gets a Boot */
    uint8_t     id;
    uint8_t     responses_sent;
    uint8_t     datagram_count; /* received so far */
    sb_endpoint address;
    sb_time     opened_at, send_at;
} sb_half_open;

/* A small datagram to somebody who has no peer. */
typedef struct sb_reply {
    sb_endpoint to;
    uint8_t     size;
    uint8_t     plain[SB_REPLY_BYTES];
} sb_reply;

/* First in, first out; each index at most once. */
typedef struct sb_index_queue {
    uint16_t *items;
    uint32_t  capacity, first, count;
} sb_index_queue;

struct sb_transport_host {
    sb_transport_host_config config;
    sb_time                  now;
    bool                     stopping;
    uint32_t                 peer_count;    /* entries of `peers` */
    uint32_t                 established;   /* at most config.max_peers */
    int                      reading_index; /* the peer whose datagram is being read, or -1 */
    sb_incoming              incoming;
    sb_time                  half_open_due_at; /* next time a half-open entry needs something */
    uint32_t                 half_open_count;
    uint64_t                 refusals; /* Connects answered with a Boot; the last one: */
    sb_endpoint              refused_address;
    uint8_t                  refused_reason;
    uint32_t                 reply_first, reply_count;
    uint32_t                 password_size;
    uint8_t                  password[2 * SB_PASSWORD_UNITS];
    uint16_t                 peer_by_id[SB_ID_LIMIT]; /* established peers; SB_NO_PLACE */
    sb_time                  id_lingers_until[SB_ID_LIMIT];
    sb_time        id_quarantined_until[SB_ID_LIMIT]; /* nobody can still believe to own it */
    sb_half_open   half_open[SB_HALF_OPEN_MAX];
    sb_reply       replies[SB_REPLIES_MAX];
    sb_counters    counters;
    sb_strangers   strangers;
    sb_addresses   addresses;
    sb_deadlines   deadlines;
    sb_index_queue ready, news;
    sb_cells       cells;
    sb_peer       *peers;
    uint32_t      *tables; /* of each peer, one after the other */
    sb_send_bounds send_bounds;
    uint8_t       *assembly_buffer; /* SB_PAYLOAD_MAX bytes for a message put together */
    uint8_t        plain[SB_DATAGRAM_ACCEPTED];
};

/* ---- host.c ---- */
/* Memory of one that leaves: its last control messages. */
uint32_t sb_transport_host_linger_cells(const sb_transport_host_config *config);
uint16_t sb_transport_host_peer_index(const sb_transport_host *h, const sb_peer *peer);
/* It may have something to write, or a new deadline. */
void sb_transport_host_queue_ready(sb_transport_host *h, sb_peer *peer);
/* There is an event about it. */
void sb_transport_host_queue_news(sb_transport_host *h, sb_peer *peer);

/* ---- host_connect.c ---- */
/* A datagram from an address nobody has. */
SB_MUST_USE sb_result sb_transport_host_receive_stranger(sb_transport_host *h, sb_endpoint from,
                                                         sb_span datagram);
/* A first datagram, as it seems: under 0xFF. `replaced` is who had the address and makes way if
 * the Connect is welcome; NULL: nobody. */
SB_MUST_USE sb_result sb_transport_host_receive_connect(sb_transport_host *h, sb_endpoint from,
                                                        sb_span datagram, sb_peer *replaced);
SB_MUST_USE sb_result sb_transport_host_receive_half_open(sb_transport_host *h, sb_half_open *half,
                                                          sb_span datagram);
/* Sends what is due and forgets what is too old. */
void   sb_transport_host_expire_half_open(sb_transport_host *h);
size_t sb_transport_host_write_reply(sb_transport_host *h, sb_endpoint *to, uint8_t *out);
size_t sb_transport_host_write_half_open(sb_transport_host *h, sb_endpoint *to, uint8_t *out);
void   sb_transport_host_free_half_open(sb_transport_host *h, sb_half_open *half);

/* ---- host_peer.c ---- */
SB_MUST_USE sb_result sb_transport_host_receive_peer(sb_transport_host *h, sb_peer *peer,
                                                     sb_span datagram);
void sb_transport_host_count_received(sb_transport_host *h, const sb_datagram *datagram);
/* The datagram is parsed and belongs to the peer: read it from now on. */
void sb_transport_host_start_reading(sb_transport_host *h, sb_peer *peer,
                                     const sb_datagram *datagram);
/* Goes on with the current datagram; true: `event` is a message. */
bool sb_transport_host_next_message(sb_transport_host *h, sb_transport_event *event);
void sb_transport_host_publish_name(sb_transport_host *h, sb_peer *peer);
/* When a waiting name may be published; SB_TIME_NEVER. */
sb_time sb_transport_host_name_due_at(const sb_peer *peer);
void    sb_transport_host_send_control(sb_transport_host *h, sb_peer *peer, uint8_t type,
                                       const sb_control *control);

/* ---- host_leave.c ---- */
/* Ends the conversation: notices, event, lingering. */
void sb_transport_host_remove(sb_transport_host *h, sb_peer *peer, sb_leave_reason reason,
                              uint8_t boot_reason);
/* Forgets it altogether. */
void sb_transport_host_free_peer(sb_transport_host *h, sb_peer *peer);

#endif
