/* src/transport/outbox.h -- messages for a peer, from queueing to acknowledgement.
 *
 * For:      link. Two reliable channels with sequence numbers and windows, the unreliable queue,
 *           and the decision when a message is retransmitted.
 * Never:    reads bytes that arrived; Acks come as parsed messages.
 * Spec:     01 §6, §7.1.
 */
#ifndef SB_TRANSPORT_OUTBOX_H
#define SB_TRANSPORT_OUTBOX_H

#include "transport/cells.h"
#include "transport/timing.h"

typedef enum sb_channel_name { SB_CHANNEL_DATA, SB_CHANNEL_LOW, SB_CHANNELS } sb_channel_name;

/* Limits of messages in flight: sent and not acknowledged (spec 01 §6.2). */
typedef struct sb_send_bounds {
    uint32_t numbers; /* size of the Data window in sequence numbers; a power of two */
    uint32_t bytes;   /* payload in flight */
    /* Payload sent since the oldest unacknowledged message, acknowledged or not. The receiver may
     * have to store all of it; messages beyond its memory get no Ack and wait for a timeout. */
    uint32_t span;
} sb_send_bounds;

enum {
    SB_LOW_WINDOW = 256,
    /* Sizes of the windows until more is in flight, for those who provide memory for both. */
    SB_FEW_NUMBERS = 64,
    SB_FEW_LOW_NUMBERS = 16,
    SB_FEW_WINDOWS = SB_FEW_NUMBERS + SB_FEW_LOW_NUMBERS,
    SB_QUEUE_MAX = 1024,
    SB_CONTROL_CELLS = 32, /* not usable by Data, so that control messages pass a full queue */
};

typedef struct sb_out_channel {
    uint16_t      next_seq;    /* number of the next message that is queued */
    uint16_t      oldest;      /* all earlier numbers are acknowledged */
    uint32_t      next_offset; /* payload bytes queued so far */
    uint32_t      bytes;       /* payload in flight */
    uint32_t      count;       /* entries in flight */
    sb_time       progress_at; /* time of the last matching Ack, or of the first send */
    sb_entry_list queue;       /* numbered entries that were never sent */
    uint32_t      mask;        /* places of `window` - 1; more are added when they are needed */
    uint32_t     *window;      /* by number & mask: entries in flight, linked by next_fragment */
} sb_out_channel;

/* A reliable message whose fragments are queued one by one, so that a long message needs no more
 * cells than its fragments in flight. */
typedef struct sb_out_parts {
    bool     open; /* more fragments follow */
    uint16_t seq;
    uint32_t offset; /* of its first payload byte */
    uint32_t size;   /* of the whole message */
} sb_out_parts;

typedef struct sb_outbox {
    sb_cells       *cells;
    sb_cell_account account;
    sb_send_bounds  bounds;
    uint32_t        datagram_count; /* datagrams with reliable messages so far */
    sb_round_trip   round_trip;
    uint32_t        acked_datagram; /* number of the latest one that is known to have arrived */
    bool            eight_bit;      /* the peer acknowledges low bytes only (spec 01 §6.9) */
    bool            plain_fragment_acks;
    uint16_t        plain_seq;   /* the fragmented message that is acknowledged without indices */
    uint16_t        plain_count; /* such Acks since all its fragments were sent */
    sb_resend_pace  pace : 8;
    sb_entry_list   unreliable;
    uint64_t        resent, resent_fast;
    uint32_t       *tables; /* the largest windows of both channels */
    sb_out_channel  channels[SB_CHANNELS];
    sb_out_parts    parts; /* of the Data channel */
    /* Entries in flight, by timed_sends - 1. Equal counts have equal timeouts, so each list is in
     * the order of its deadlines and its first entry has the earliest deadline. */
    sb_entry_list resend[SB_SENDS_DISTINCT];
} sb_outbox;

/* `tables` has bounds->numbers + SB_LOW_WINDOW elements, borrowed for the life of the outbox. */
void sb_outbox_init(sb_outbox *outbox, sb_cells *cells, uint32_t guaranteed, sb_resend_pace pace,
                    const sb_send_bounds *bounds, uint32_t *tables);
/* The same; `tables` is not touched before more is in flight than `few` has places for:
 * SB_FEW_WINDOWS elements, borrowed like `tables`. */
void sb_outbox_init_few(sb_outbox *outbox, sb_cells *cells, uint32_t guaranteed,
                        sb_resend_pace pace, const sb_send_bounds *bounds, uint32_t *tables,
                        uint32_t *few);
/* Releases all messages; sequence numbers go on. */
void sb_outbox_clear(sb_outbox *outbox);
/* Releases all Data; control messages stay. */
void sb_outbox_clear_data(sb_outbox *outbox);

/* Queues a control message. SB_FULL: nothing was queued. */
SB_MUST_USE sb_result sb_outbox_queue_control(sb_outbox *outbox, uint8_t type, sb_span payload);
/* Queues Data, in fragments if needed. SB_FULL: nothing was queued. */
SB_MUST_USE sb_result sb_outbox_queue_data(sb_outbox *outbox, sb_delivery delivery,
                                           sb_span payload);
/* Queues the fragment of `message` that starts at `*at`, and adds its size to `*at`; see
 * sb_transport_host_send_part. SB_FULL: nothing was queued. */
SB_MUST_USE sb_result sb_outbox_queue_part(sb_outbox *outbox, sb_span message, size_t *at);
/* Size of the longest reliable message that is certain to fit. */
size_t sb_outbox_free_bytes(const sb_outbox *outbox);

/* Applies an Ack; false: it matches no message in flight (spec 01 §6.6). */
bool sb_outbox_acknowledge(sb_outbox *outbox, sb_time now, const sb_transport_message *ack);
/* Would the Ack match a message in flight? Changes nothing. */
bool sb_outbox_expects(const sb_outbox *outbox, const sb_transport_message *ack);
/* Is the Ack for a number that was not given to any message yet? */
static inline bool sb_outbox_is_ahead(const sb_outbox *outbox, uint16_t seq, uint8_t ack_flags)
{
    bool     low = ack_flags & SB_ACK_LOW_CHANNEL;
    uint16_t next = outbox->channels[low ? SB_CHANNEL_LOW : SB_CHANNEL_DATA].next_seq;
    return (int16_t)(uint16_t)(seq - next) >= 0 && !outbox->eight_bit;
}

/* Appends messages that are due to `w`, in the order of spec 01 §6.2, until it is full or has
 * `limit` messages. Returns the number of reliable messages and fragments among them. */
uint32_t sb_outbox_write(sb_outbox *outbox, sb_time now, sb_datagram_writer *w, uint32_t limit);
/* Can a message leave now that was never sent? */
bool sb_outbox_has_new(const sb_outbox *outbox);
/* When the next retransmission is due; a time in the past means at once; SB_TIME_NEVER. */
sb_time sb_outbox_resend_at(const sb_outbox *outbox);
/* Since when messages in flight wait for Acks: the earlier progress_at of the two channels;
 * SB_TIME_NEVER: nothing is in flight. */
sb_time                sb_outbox_waits_since(const sb_outbox *outbox);
static inline uint32_t sb_outbox_unacknowledged(const sb_outbox *outbox)
{
    return outbox->channels[SB_CHANNEL_DATA].count + outbox->channels[SB_CHANNEL_LOW].count;
}
uint32_t sb_outbox_queued(const sb_outbox *outbox);

/* Asserts every invariant. */
void sb_outbox_check(const sb_outbox *outbox);

#endif
