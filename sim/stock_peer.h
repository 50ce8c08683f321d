/* sim/stock_peer.h -- one end of a session as the game of 2002 implements it, with its defects.
 *
 * For:      stock_client.h and stock_host.h. Written from spec 01 alone and without src/transport,
 *           so that the two cannot share a mistake. Lists are searched linearly, as in the original
 *           (D8), and only memory limits them.
 * Never:    used by a program: it trusts what it receives.
 * Spec:     01 §4.5, §6.2-§6.7, §7.1, §8.2, §8.4.
 */
#ifndef SIM_STOCK_PEER_H
#define SIM_STOCK_PEER_H

#include <starbase/datagram.h>

/* The defects of spec 01 §6.7 are options; the defaults enable all of them. D8, the linear search,
 * is always there; totals.ack_scan_steps counts its steps. With D3 every long message is
 * retransmitted for ever, and retransmissions go first: after some dozens of fragments nothing new
 * is sent. */
typedef struct sim_stock_options {
    sb_time  tick_us;      /* at most one datagram per peer and tick (§3) */
    sb_time  keepalive_us; /* 5 s */
    sb_time  timeout_us;   /* 45 s */
    sb_time  lifetime_us;  /* 360 s; a reliable message is dropped after that (§6.5) */
    sb_time  leave_us;     /* 4.2 s: a leaving peer is kept this long (§8.4) */
    bool     nine_acks;    /* D1; off: every Ack is sent once */
    bool     acks_wait;    /* D2; off: Acks sent 3 to 8 times are repeated without other messages */
    bool     endless_fragments;      /* D3; off: an Ack ends the repeats (§12 row 9) */
    bool     reversed_priority;      /* D4; off: priority messages keep their order */
    bool     early_acks;             /* D5; off: only messages within the window are acknowledged */
    bool     believes_anyone;        /* D6; off: the source address must match */
    bool     stops_at_unknown;       /* D7; off: a datagram with an unknown type is refused whole */
    bool     duplicate_restarts_ack; /* §13 Q7, open question; default off */
    uint32_t lone_messages; /* this many first datagrams hold one message each: 0, 1 or 2 make a
                               host's answer one, two or three datagrams (§5.3) */
} sim_stock_options;

void sim_stock_defaults(sim_stock_options *options, sb_time tick_us);

typedef struct sim_stock_totals {
    uint64_t datagrams_in, datagrams_out, bytes_out;
    uint64_t malformed, unknown_types, foreign; /* datagrams refused, or not parsed to the end */
    uint64_t reliable_delivered, unreliable_delivered, control_delivered;
    uint64_t duplicates;        /* reliable messages and fragments received before */
    uint64_t acked_and_dropped; /* D5: beyond the window, dropped although acknowledged */
    uint64_t acks_out, acks_in, acks_unmatched, ack_scan_steps;
    uint64_t noops_out, noops_in;
    uint64_t retransmitted, expired;
    uint32_t largest_datagram, most_messages; /* sent */
} sim_stock_totals;

/* A message that waits for its first send, its Ack, its repetitions, or its turn for delivery. */
typedef struct sim_stock_entry {
    struct sim_stock_entry *next;
    sb_transport_message    message; /* the payload is in `bytes` */
    sb_time                 first_sent, last_sent;
    uint32_t                sends;
    uint8_t                 bytes[];
} sim_stock_entry;

enum { SIM_STOCK_LOW, SIM_STOCK_DATA, SIM_STOCK_CHANNELS };

/* Called for every control message and every reassembled Data message, in order (§6.4). */
typedef void sim_stock_deliver(void *context, sb_time now, const sb_transport_message *message);

typedef struct sim_stock_peer {
    const sim_stock_options *options; /* borrowed */
    sim_stock_totals        *totals;  /* borrowed, may be shared by peers */
    sim_stock_deliver       *deliver;
    void                    *context;
    sim_stock_entry         *queue;  /* not sent yet */
    sim_stock_entry         *resend; /* reliable, sent, not acknowledged */
    sim_stock_entry         *acks;   /* the Ack outbox */
    sim_stock_entry         *stored[SIM_STOCK_CHANNELS];
    uint16_t                 next_seq[SIM_STOCK_CHANNELS], expected[SIM_STOCK_CHANNELS];
    sb_time                  heard_at, sent_at;
    uint64_t                 datagrams_out;
    bool                     leaving; /* old Acks are sent without other messages, too (D2) */
} sim_stock_peer;

void sim_stock_peer_init(sim_stock_peer *peer, const sim_stock_options *options,
                         sim_stock_totals *totals, sb_time now);
void sim_stock_peer_clear(sim_stock_peer *peer);

/* Queues a message, in fragments if it is long (§7.1); control types have priority. */
void sim_stock_peer_queue(sim_stock_peer *peer, uint8_t type, bool reliable, sb_span payload);
/* Queues a control message of side `from`. */
void sim_stock_peer_queue_control(sim_stock_peer *peer, uint8_t type, sb_side from,
                                  const sb_control *control);
void sim_stock_peer_receive(sim_stock_peer *peer, sb_time now, const sb_datagram *datagram);
/* Writes the encrypted datagram of this tick and returns its size; 0: nothing is due. */
size_t sim_stock_peer_write(sim_stock_peer *peer, sb_time now, uint8_t own_id, uint8_t *out);
/* When something is due; it is written at the first tick after that. */
sb_time sim_stock_peer_due(const sim_stock_peer *peer);
/* Reliable messages and fragments that are not acknowledged or not sent yet. */
uint32_t sim_stock_peer_waiting(const sim_stock_peer *peer);

/* Decrypts and checks a datagram; false: refused and counted. `plain` has a capacity of 1500 bytes.
 */
bool sim_stock_open(const sim_stock_options *options, sim_stock_totals *totals, sb_span datagram,
                    uint8_t *plain, sb_datagram *out);
/* The first tick at or after `at`, but not before `next`; ticks are at origin + n * tick. */
sb_time sim_stock_tick_after(sb_time origin, sb_time tick_us, sb_time next, sb_time at);
/* An ASCII text as UTF-16LE with its terminator, lent from `out`. */
sb_span sim_utf16(const char *text, uint8_t *out, size_t capacity);

#endif
