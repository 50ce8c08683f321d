/* sim/stock_peer.h -- one end of a conversation as the game of 2002 leads it, its defects included.
 *
 * For:      stock_client.h and stock_host.h. Written from spec 01 alone and without the transport
 *           layer, so that the two cannot share a mistake. Lists are walked from end to end, as the
 *           original does (D8); nothing is bounded but by memory.
 * Never:    used by a program; it believes what it is sent.
 * Spec:     01 §4.5, §6.2-§6.7, §7.1, §8.2, §8.4.
 */
#ifndef SIM_STOCK_PEER_H
#define SIM_STOCK_PEER_H

#include <starbase/datagram.h>

/* The defects of spec 01 §6.7 are switches; the defaults have all of them. D8, the linear scan, is
 * what the lists below are; totals.ack_scan_steps counts it. With D3, every long message fills some
 * ticks for ever, and retransmissions go first: after some dozens of fragments nothing new leaves.
 */
typedef struct sim_stock_options {
    sb_time  tick_us;                /* one datagram per peer and tick, at most (§3) */
    sb_time  keepalive_us;           /* 5 s */
    sb_time  timeout_us;             /* 45 s */
    sb_time  lifetime_us;            /* 360 s: then a reliable message is forgotten (§6.5) */
    sb_time  leave_us;               /* 4.2 s: how long a leaving peer is kept (§8.4) */
    bool     nine_acks;              /* D1; off: every Ack is sent once */
    bool     acks_wait;              /* D2; off: Acks sent 3-8 times go on alone */
    bool     endless_fragments;      /* D3; off: the form seen in the instrumented session */
    bool     reversed_priority;      /* D4; off: priority messages keep their order */
    bool     early_acks;             /* D5; off: only what passes the window is acknowledged */
    bool     believes_anyone;        /* D6; off: the source address must be the right one */
    bool     stops_at_unknown;       /* D7; off: a datagram with an unknown type is refused whole */
    bool     duplicate_restarts_ack; /* §13 Q7, unsettled; off */
    uint32_t lone_messages; /* so many first datagrams hold one message each: 0, 1 or 2 make a
                               host's answer one, two or three datagrams (§5.3) */
} sim_stock_options;

void sim_stock_defaults(sim_stock_options *options, sb_time tick_us);

typedef struct sim_stock_totals {
    uint64_t datagrams_in, datagrams_out, bytes_out;
    uint64_t malformed, unknown_types, foreign; /* datagrams not taken, or not to the end */
    uint64_t reliable_delivered, unreliable_delivered, control_delivered;
    uint64_t duplicates;        /* reliable messages and fragments that were there before */
    uint64_t acked_and_dropped; /* D5: beyond the window, lost although acknowledged */
    uint64_t acks_out, acks_in, acks_unmatched, ack_scan_steps;
    uint64_t noops_out, noops_in;
    uint64_t retransmitted, expired;
    uint32_t largest_datagram, most_messages; /* sent */
} sim_stock_totals;

/* A message that waits: for its first send, for its Ack, for its repeats, for its turn. */
typedef struct sim_stock_entry {
    struct sim_stock_entry *next;
    sb_transport_message    message; /* the payload lies in `bytes` */
    sb_time                 first_sent, last_sent;
    uint32_t                sends;
    uint8_t                 bytes[];
} sim_stock_entry;

enum { SIM_STOCK_LOW, SIM_STOCK_DATA, SIM_STOCK_CHANNELS };

/* Told about every control message and every joined Data message, in order (§6.4). */
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
    bool                     leaving; /* old Acks need no company any more (D2) */
} sim_stock_peer;

void sim_stock_peer_init(sim_stock_peer *peer, const sim_stock_options *options,
                         sim_stock_totals *totals, sb_time now);
void sim_stock_peer_clear(sim_stock_peer *peer);

/* Queues a message, cut into fragments where it must be (§7.1); control types get priority. */
void sim_stock_peer_queue(sim_stock_peer *peer, uint8_t type, bool reliable, sb_span payload);
/* The same for a control message of `from`. */
void sim_stock_peer_queue_control(sim_stock_peer *peer, uint8_t type, sb_side from,
                                  const sb_control *control);
void sim_stock_peer_receive(sim_stock_peer *peer, sb_time now, const sb_datagram *datagram);
/* The datagram of this tick, enciphered; 0: nothing to say. */
size_t sim_stock_peer_write(sim_stock_peer *peer, sb_time now, uint8_t own_id, uint8_t *out);
/* When there will be something to write; the tick after that is the time to ask. */
sb_time sim_stock_peer_due(const sim_stock_peer *peer);
/* Reliable messages and fragments that are not acknowledged, or not even sent. */
uint32_t sim_stock_peer_waiting(const sim_stock_peer *peer);

/* Deciphers and checks a datagram; false: not taken, and counted. `plain` has room for 1500. */
bool sim_stock_open(const sim_stock_options *options, sim_stock_totals *totals, sb_span datagram,
                    uint8_t *plain, sb_datagram *out);
/* The tick at or after `at`, but not before `next`; ticks are at origin + n * tick. */
sb_time sim_stock_tick_after(sb_time origin, sb_time tick_us, sb_time next, sb_time at);
/* An ASCII text as UTF-16LE with its terminator, lent from `out`. */
sb_span sim_utf16(const char *text, uint8_t *out, size_t capacity);

#endif
