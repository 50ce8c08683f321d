/* src/transport/outbox.h -- messages for a peer, from queueing to acknowledgement. Spec 01 §6,
 * §7.1.
 *
 * For:      link. Two reliable channels with their numbers and windows, the unreliable queue, and
 * the decision what is sent again and when. Never:    looks at bytes that arrived; Acks come as
 * parsed messages.
 */
#ifndef SB_TRANSPORT_OUTBOX_H
#define SB_TRANSPORT_OUTBOX_H

#include "transport/cells.h"
#include "transport/timing.h"

typedef enum sb_channel_name { SB_CHANNEL_DATA, SB_CHANNEL_LOW, SB_CHANNELS } sb_channel_name;

/* How much may be on its way (spec 01 §6.2). */
typedef struct sb_send_bounds {
    uint32_t numbers; /* of Data from the oldest unacknowledged on; a power of two */
    uint32_t bytes;   /* payload that is not acknowledged */
    uint32_t span;    /* payload from the oldest unacknowledged number on, acknowledged or not: what
                         the receiver may have to keep. What finds no room there is not
                         acknowledged, and everything behind it would wait for timers. */
} sb_send_bounds;

enum {
    SB_LOW_WINDOW = 256,
    SB_QUEUE_MAX = 1024,
    SB_CONTROL_CELLS = 32, /* never used by Data: names and notices must get through a full queue */
};

typedef struct sb_out_channel {
    uint16_t      next_seq;    /* of the next message that is queued */
    uint16_t      oldest;      /* all numbers before it are acknowledged */
    uint32_t      next_offset; /* payload bytes queued so far */
    uint32_t      bytes;       /* payload on its way */
    uint32_t      count;       /* entries on their way */
    sb_time       progress_at; /* last Ack that matched, or when the first one left */
    sb_entry_list queue;       /* numbered, never sent */
    uint32_t      mask;        /* numbers of the window - 1 */
    uint32_t     *window;      /* by number: entries on their way, linked by `other` */
} sb_out_channel;

typedef struct sb_outbox {
    sb_cells       *cells;
    sb_cell_account account;
    sb_send_bounds  bounds;
    sb_pace         pace;
    sb_round_trip   round_trip;
    uint32_t        datagram_count; /* datagrams with reliable messages so far */
    uint32_t        acked_datagram; /* the latest of them that is known to have arrived */
    bool            eight_bit;      /* the peer acknowledges low bytes only (spec 01 §6.9) */
    bool            plain_fragment_acks;
    uint16_t        plain_seq;   /* the fragmented message acknowledged without indices ... */
    uint16_t        plain_count; /* ... and how many such Acks came since it was sent whole */
    uint64_t        resent, resent_fast;
    sb_out_channel  channels[SB_CHANNELS];
    sb_entry_list   unreliable;
    /* On their way, by count of sends: equal counts wait equally long, so that each list is in the
     * order in which its entries run out, and their first ones tell the next deadline. */
    sb_entry_list resend[SB_SENDS_DISTINCT];
} sb_outbox;

/* `tables`: bounds->numbers + SB_LOW_WINDOW places, borrowed as long as the outbox is used. */
void sb_outbox_init(sb_outbox *outbox, sb_cells *cells, uint32_t guaranteed, sb_pace pace,
                    const sb_send_bounds *bounds, uint32_t *tables);
/* Releases everything; `outbox` is as after init. */
void sb_outbox_clear(sb_outbox *outbox);
/* Releases all Data; control messages stay. */
void sb_outbox_clear_data(sb_outbox *outbox);

/* Queues a control message. */
SB_MUST_USE sb_result sb_outbox_queue_control(sb_outbox *outbox, uint8_t type, sb_span payload);
/* Queues Data, in fragments where needed. SB_FULL: nothing was queued. */
SB_MUST_USE sb_result sb_outbox_queue_data(sb_outbox *outbox, sb_delivery delivery,
                                           sb_span payload);
/* Bytes of one more reliable message that would fit. */
size_t sb_outbox_free_bytes(const sb_outbox *outbox);

/* Applies an Ack; false: it acknowledges nothing we wait for (spec 01 §6.6). */
bool sb_outbox_acknowledge(sb_outbox *outbox, sb_time now, const sb_transport_message *ack);
/* Would it match? Changes nothing. */
bool sb_outbox_expects(const sb_outbox *outbox, const sb_transport_message *ack);

/* Adds to `w`, in the order of spec 01 §6.2, what is due and fits; up to `limit` messages. Returns
 * the number of reliable messages and fragments among them. */
uint32_t sb_outbox_write(sb_outbox *outbox, sb_time now, sb_datagram_writer *w, uint32_t limit);
/* Is there anything that was never sent and may leave now? */
bool sb_outbox_has_new(const sb_outbox *outbox);
/* When something is to be sent again; SB_TIME_NEVER. May lie in the past: then at once. */
sb_time sb_outbox_resend_at(const sb_outbox *outbox);
/* Since when Acks are missing: the older of both channels; SB_TIME_NEVER. */
sb_time  sb_outbox_waits_since(const sb_outbox *outbox);
uint32_t sb_outbox_unacknowledged(const sb_outbox *outbox);
uint32_t sb_outbox_queued(const sb_outbox *outbox);

void sb_outbox_check(const sb_outbox *outbox);

#endif
