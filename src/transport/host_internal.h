/* src/transport/host_internal.h -- types and functions that the files of the host share.
 *
 * host.c          timers, events, the public functions
 * host_memory.c   the configuration and the layout of the memory
 * host_connect.c  addresses without a session: Connect, ids, refusals, changed ports
 * host_seats.c    newcomers that answer: proof that they hear us, seats, who gives way
 * host_peer.c     established peers: datagrams, budgets, names
 * host_leave.c    the ways to leave, and the notices to other peers
 * host_depart.c   Disconnects that wait for the silence of their peer
 * host_limits.c   changed limits of a running host
 */
#ifndef SB_TRANSPORT_HOST_INTERNAL_H
#define SB_TRANSPORT_HOST_INTERNAL_H

#include "transport/addresses.h"
#include "transport/bounds.h"
#include "transport/budget.h"
#include "transport/deadlines.h"
#include "transport/departure.h"
#include "transport/early_names.h"
#include "transport/link.h"
#include "transport/newcomers.h"
#include "transport/player_name.h"

enum {
    SB_REPLIES_MAX = 128,
    SB_REBINDS_PER_S = 20, /* budget of attempts to move a peer to another port */
    SB_REPLY_BYTES = 38,
    SB_LINGERING_MAX = 8, /* leaving peers beside max_peers established ones */
    SB_SEND_CELLS_MIN = 2 * SB_CONTROL_CELLS,
    SB_RECEIVE_CELLS_MIN = 48, /* 32 are reserved for the expected message */
    SB_ID_FIRST = 2,
    SB_ID_LIMIT = 0x80,   /* stock reads the id in a Boot as a signed byte (spec 01 §5.1) */
    SB_PROOF_NUMBERS = 6, /* old sequence numbers whose Acks show that a peer hears us (§5.4) */
    /* Budgets that strangers can use up in the name of a peer (spec 01 §10.6). */
    SB_DECRYPTION_PER_S = 16 << 20,
    SB_DECRYPTION_BURST = 16 << 20,
    SB_DECRYPTION_MIN = 64, /* bytes that a short datagram costs */
    SB_WITHOUT_ID_PER_S = 20,
    SB_WITHOUT_ID_BURST = 40,
};

/* FREE -> ESTABLISHED -> LINGERING -> FREE. A lingering peer has left; for a few seconds it still
 * gets Acks and retransmissions of its last control messages. */
typedef enum sb_peer_state { SB_PEER_FREE, SB_PEER_ESTABLISHED, SB_PEER_LINGERING } sb_peer_state;

/* Limits of a peer, as they were when it connected. */
typedef struct sb_peer_limits {
    sb_time  timeout_us;
    uint32_t datagrams_per_s, messages_per_s, bytes_per_s;
} sb_peer_limits;

typedef struct sb_peer {
    sb_peer_state state;
    uint8_t       id;
    bool          in_address_table; /* false: a new session took over the address */
    bool          heard_under_id; /* the peer used its id, so it got our response (spec 01 §5.2) */
    bool          queue_overflowed; /* a reliable message could not be queued: remove the peer */
    bool          is_proven;        /* the peer has shown that it hears us (spec 01 §5.4) */
    bool          is_asked;         /* it was asked to, and has not done so yet */
    uint8_t       proof;            /* is_asked: bits of the numbers it has acknowledged */
    bool          is_ready;         /* in `ready` */
    bool          has_event;        /* in `event_queue` */
    bool          is_house;         /* a player of the program itself (config.house) */
    /* Events that next_event has not returned yet. */
    bool            joined_pending, named_pending, left_pending;
    bool            name_pending; /* publish `next_name` when the rate limit of renames allows it */
    bool            name_doubted; /* `next_name` counts only if no strong evidence follows */
    sb_leave_reason reason;       /* lingering: why the peer left */
    uint8_t         boot_reason;
    sb_endpoint     address;
    uint32_t        own_address; /* the address the peer claims to have; only passed on */
    sb_player_name  name, next_name;
    sb_time         named_at;                 /* when `name` was published */
    sb_time         name_from;                /* `next_name` is published at this time or later */
    sb_time         linger_until;             /* lingering: when the entry is freed */
    sb_time         asked_at, asked_again_at; /* is_asked: the first and the last time */
    sb_time         quiet_until, quiet_from;  /* nothing is written; the next time this may begin */
    uint16_t        farewell_answers;         /* Acks of marks since 5 s after a Disconnect */
    uint16_t        proof_base;               /* is_asked: the numbers are older than this one */
    uint16_t        move_base;                /* the same, for questions to another port */
    sb_departure    departure; /* its Disconnect, which anybody could have sent (spec 01 §8.4) */
    sb_peer_limits  limits;
    sb_budget datagrams, messages, bytes; /* receive budget; only datagrams that parse use it */
    sb_budget marked;     /* datagrams with marks, if others have exhausted the budget (§10.8) */
    sb_budget decryption; /* bytes to decrypt, readable or not */
    sb_budget without_id; /* datagrams under 0xFF from the address of the peer */
    sb_budget rebinds;    /* attempts to move the peer to another port of its address (§10.5) */
    sb_link   link;
    /* Most peers use the first pages of `link` and its last one. With this size, those of eight
     * neighbours lie on the fewest pages (tests/server/memory_test.c). */
    uint8_t spread[40];
} sb_peer;

/* A small datagram outside of any session. */
typedef struct sb_reply {
    sb_endpoint to;
    uint8_t     size;
    uint8_t     plain[SB_REPLY_BYTES];
} sb_reply;

/* A ring of peer indices, first in, first out. Each index is in it at most once. */
typedef struct sb_index_queue {
    uint16_t *items;
    uint32_t  capacity, first, count;
} sb_index_queue;

/* Wrong passwords of one address. */
typedef struct sb_password_source {
    uint32_t address;
    uint32_t wrong; /* 0: the entry is free */
    sb_time  until; /* then they are forgotten */
} sb_password_source;

struct sb_transport_host {
    sb_transport_host_config config;
    sb_time                  now;
    bool                     stopping, closed;
    uint32_t                 peer_count;    /* entries of `peers` ... */
    uint32_t                 peer_top;      /* ... that were ever used; the others are free */
    uint32_t                 established;   /* established peers; at most `capacity` */
    uint32_t                 capacity;      /* config.max_peers at init */
    int                      reading_index; /* the peer whose datagram is being read, or -1 */
    sb_incoming              incoming;      /* position in that datagram */
    uint32_t                 unproven; /* established peers that have not shown that they hear us */
    uint64_t                 refusals; /* Connects answered with a Boot */
    sb_connect_refusal       last_refusal;
    uint32_t                 reply_first, reply_count;
    uint32_t                 password_size;
    uint8_t                  password[2 * SB_PASSWORD_UNITS];
    sb_password_source       password_sources[SB_PASSWORD_SOURCES];
    uint16_t peer_by_id[SB_ID_LIMIT]; /* index of the established peer; SB_NO_PLACE */
    /* Before this time the id is not given to another peer. */
    sb_time id_lingers_until[SB_ID_LIMIT];
    /* Before this time the id is given to another peer only if no other id is free. */
    sb_time        id_quarantined_until[SB_ID_LIMIT];
    sb_time        id_told_at[SB_ID_LIMIT]; /* to a newcomer */
    sb_counters    counters;
    sb_newcomers  *newcomers;
    sb_early_names early_names;
    sb_addresses   addresses;
    sb_deadlines   deadlines;
    sb_index_queue ready;       /* peers that may have a datagram to write */
    sb_index_queue event_queue; /* peers with a pending event */
    sb_cells       cells;
    sb_peer       *peers;
    /* Elements per peer: sb_link_out_table_size, sb_inbox_table_size, SB_FEW_WINDOWS. */
    uint32_t      *out_tables, *in_tables, *few;
    uint32_t      *firsts; /* SB_GUARD_FIRSTS elements per peer */
    sb_send_bounds send_bounds;
    uint8_t       *assembly_buffer;             /* SB_PAYLOAD_MAX bytes for a joined message */
    uint8_t        plain[SB_DATAGRAM_ACCEPTED]; /* the datagram being read, decrypted */
    sb_reply       replies[SB_REPLIES_MAX];     /* last: not touched before it is used */
};

/* ---- host_memory.c ---- */

/* Guaranteed cells of a lingering peer, for its last control messages. */
uint32_t sb_transport_host_linger_cells(uint32_t capacity);

/* ---- host.c ---- */

uint16_t sb_transport_host_peer_index(const sb_transport_host *h, const sb_peer *peer);
/* Queues the peer in `ready`: it may have a datagram to write, or an earlier deadline. */
void sb_transport_host_queue_ready(sb_transport_host *h, sb_peer *peer);
/* Queues the peer in `event_queue`: it has at least one pending event. */
void sb_transport_host_queue_event(sb_transport_host *h, sb_peer *peer);

/* Is it the address of a house peer? */
static inline bool sb_transport_host_is_house(const sb_transport_host *h, sb_endpoint from)
{
    return h->config.house && sb_endpoint_is_house(from);
}

/* ---- host_connect.c ---- */

/* Handles a datagram from an address without a session. */
SB_MUST_USE sb_result sb_transport_host_receive_stranger(sb_transport_host *h, sb_endpoint from,
                                                         sb_span datagram);
/* Handles a datagram without a peer id (0xFF), which should hold a Connect. `known` is the peer
 * that has this address and gives it up when the client answers; NULL: none. */
SB_MUST_USE sb_result sb_transport_host_receive_connect(sb_transport_host *h, sb_endpoint from,
                                                        sb_span datagram, sb_peer *known);
/* Is the peer with this id silent, so that it may have moved to this port of its address? */
bool sb_transport_host_may_move(const sb_transport_host *h, sb_endpoint from, uint8_t id);
/* Handles a datagram of such a peer: it has to show that it hears us there. `known` has that port
 * now and gives it up then; NULL: nobody has. */
SB_MUST_USE sb_result sb_transport_host_receive_moved(sb_transport_host *h, sb_endpoint from,
                                                      sb_span datagram, sb_peer *known);
/* Writes one plain datagram that is due; returns its size, 0: none is due. */
size_t sb_transport_host_write_reply(sb_transport_host *h, sb_endpoint *to, uint8_t *out);
/* Queues a plain datagram outside of any session. */
void sb_transport_host_queue_reply(sb_transport_host *h, sb_endpoint to, const uint8_t *plain,
                                   size_t size);
void sb_transport_host_note_refusal(sb_transport_host *h, sb_endpoint from, uint8_t boot_reason,
                                    sb_transport_counter why);
/* Charges a datagram of a stranger before it is decrypted; anything but SB_OK: drop it. */
SB_MUST_USE sb_result sb_transport_host_charge_stranger(sb_transport_host *h, sb_endpoint from);

/* ---- host_seats.c ---- */

enum { SB_SEAT_GRANTED = SB_TRANSPORT_COUNTER_COUNT }; /* no reason to refuse */

/* The id that this address was told and may answer under; SB_ID_NONE: none. */
uint8_t sb_transport_host_id_told(const sb_transport_host *h, sb_endpoint from);
/* SB_SEAT_GRANTED: one more peer of this address has a seat after `known` (may be NULL) leaves, or
 * another peer may give way to it within a few seconds. */
sb_transport_counter sb_transport_host_seek_seat(sb_transport_host *h, sb_endpoint from,
                                                 const sb_peer *known);
/* Handles a datagram of an address that was told `id`, under that id or under none. */
SB_MUST_USE sb_result sb_transport_host_receive_newcomer(sb_transport_host *h, sb_endpoint from,
                                                         uint8_t id, sb_span datagram,
                                                         sb_peer *known);
/* Handles its first datagram once it is decrypted: the newcomer gets a seat, has to prove that it
 * hears us, or is refused. */
SB_MUST_USE sb_result sb_transport_host_seat_newcomer(sb_transport_host *h, sb_endpoint from,
                                                      uint8_t id, const sb_datagram *datagram,
                                                      sb_peer *known);
/* Ends the session of a peer whose address another one has now, after it has shown that it hears us
 * there: the client has returned from the same port, or somebody had forged its join. */
void sb_transport_host_remove_known(sb_transport_host *h, sb_peer *peer);
/* Does a datagram from this port of the peer's address show that the peer hears us there? */
bool sb_transport_host_is_proof(const sb_transport_host *h, const sb_peer *peer, sb_endpoint from,
                                const sb_datagram *datagram);
/* Asks for it; refuses the datagram that was received. */
SB_MUST_USE sb_result sb_transport_host_ask_at(sb_transport_host *h, sb_peer *peer, sb_endpoint at,
                                               const sb_datagram *datagram);
/* Asks the peer to show that it hears us, at most four times a second. */
void sb_transport_host_ask_peer(sb_transport_host *h, sb_peer *peer);
/* Looks for the proof that was asked for (is_asked). */
void sb_transport_host_read_proof(sb_transport_host *h, sb_peer *peer, const sb_datagram *datagram);

/* ---- host_peer.c ---- */

SB_MUST_USE sb_result sb_transport_host_receive_peer(sb_transport_host *h, sb_peer *peer,
                                                     sb_span datagram);
/* A client has been told an id at the address of the peer, which has left, or whose join somebody
 * may have forged: nothing of the peer's session is sent for a while. */
void               sb_transport_host_quiet(sb_transport_host *h, sb_peer *peer);
static inline bool sb_transport_host_is_quiet(const sb_transport_host *h, const sb_peer *peer)
{
    return h->now < peer->quiet_until;
}
void sb_transport_host_count_received(sb_transport_host *h, const sb_datagram *datagram);
/* Starts to read a parsed datagram of the peer; sb_transport_host_next_message continues. Anything
 * but SB_OK: the peer cannot have sent the datagram, and it is dropped. */
SB_MUST_USE sb_result sb_transport_host_start_reading(sb_transport_host *h, sb_peer *peer,
                                                      const sb_datagram *datagram);
/* Continues to read the current datagram; true: `event` is a message. */
bool sb_transport_host_next_message(sb_transport_host *h, sb_transport_event *event);
/* Handles the payload of a Name, which has the peer's id and address. */
void sb_transport_host_handle_name(sb_transport_host *h, sb_peer *peer, sb_span payload);
void sb_transport_host_publish_name(sb_transport_host *h, sb_peer *peer);
/* When the pending name may be published; SB_TIME_NEVER: none is pending. */
sb_time sb_transport_host_name_due_at(const sb_peer *peer);
/* Queues a control message for the peer; if the queue is full, sets queue_overflowed. */
void sb_transport_host_send_control(sb_transport_host *h, sb_peer *peer, uint8_t type,
                                    const sb_control *control);

/* ---- host_depart.c ---- */

/* Handles a Disconnect of the peer: it begins to wait, if none does. */
/* Did a Disconnect of the peer come in the last 12 s, or does one wait? It may be forged. */
bool sb_transport_host_said_goodbye(const sb_transport_host *h, const sb_peer *peer);
void sb_transport_host_start_departure(sb_transport_host *h, sb_peer *peer);
/* Handles the types of messages in a datagram of the peer: some refute a waiting Disconnect. */
void sb_transport_host_note_signs_of_life(sb_transport_host *h, sb_peer *peer,
                                          const sb_datagram *datagram, unsigned mark_acks);
/* When the peer is removed because it quit; SB_TIME_NEVER: it did not. */
static inline sb_time sb_transport_host_departs_at(const sb_peer *peer)
{
    if (!sb_departure_is_open(&peer->departure)) return SB_TIME_NEVER;
    if (peer->is_house) return peer->link.heard_at; /* nobody forges its datagrams */
    return sb_departure_ends_at(&peer->departure, peer->link.heard_at);
}

/* ---- host_leave.c ---- */

/* Ends the session of an established peer: event, notices, then the peer lingers. */
void sb_transport_host_remove(sb_transport_host *h, sb_peer *peer, sb_leave_reason reason,
                              uint8_t boot_reason);
/* Releases a peer's memory, address and entry. */
/* The address is another session's from now on: the lingering peer sends nothing more. */
void sb_transport_host_unmap_address(sb_transport_host *h, sb_peer *peer);
void sb_transport_host_free_peer(sb_transport_host *h, sb_peer *peer);

#endif
