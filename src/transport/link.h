/* src/transport/link.h -- one session: the part that host and client have in common.
 *
 * For:      host and client. Messages of parsed datagrams go in and come out once and in order;
 *           datagrams are filled with messages that are due.
 * Never:    knows addresses, names or who may connect.
 * Spec:     01 §6-§8.2.
 */
#ifndef SB_TRANSPORT_LINK_H
#define SB_TRANSPORT_LINK_H

#include "base/assert.h"
#include "base/counters.h"
#include "transport/acks.h"
#include "transport/budget.h"
#include "transport/guard.h"
#include "transport/inbox.h"
#include "transport/marks.h"
#include "transport/outbox.h"

typedef struct sb_counters {
    uint64_t values[SB_TRANSPORT_COUNTER_COUNT];
} sb_counters;

/* Counts a refusal and returns `result`. */
static inline sb_result sb_link_refuse(sb_counters *counters, sb_transport_counter reason,
                                       sb_result result)
{
    SB_ASSERT(reason < SB_TRANSPORT_REFUSAL_COUNT);
    SB_COUNT(counters->values, reason);
    return result;
}

typedef struct sb_link {
    sb_counters *counters;           /* of the endpoint */
    sb_time      heard_at;           /* the last valid datagram arrived */
    sb_time      sent_at;            /* the last datagram left */
    sb_time      fragment_stored_at; /* the last fragment was stored, of whichever message */
    sb_time      ack_delay_us;
    uint32_t     message_limit; /* messages per datagram */
    bool         waits_for_id;  /* client: Data and Acks are held back until the host gives an id */
    bool         keeps_alive;   /* sends NoOps when idle */
    bool         only_control;  /* leaving: Data is dropped and not acknowledged */
    /* Messages that end the session are acknowledged and delivered, but their numbers stay free
     * (spec 01 §8.4). Host: Disconnects. Client: Boots and Disconnects for this id, if not 0. */
    uint8_t farewell_id;
    bool    keeps_disconnect_number;
    bool cautious; /* client: control messages and fragments need proof that the host sent them */
    sb_budget       numbers; /* new Data numbers that anybody could have used */
    sb_marks        marks;
    sb_mark_answers answers;
    sb_outbox       outbox;
    sb_inbox        inbox;
    /* Most peers never touch the end of `guard` and the beginning of `acks`: pages of memory
     * between them stay unused. */
    sb_guard guard;
    sb_acks  acks;
} sb_link;

typedef struct sb_link_config {
    sb_cells    *cells;
    sb_counters *counters;
    uint32_t    *tables; /* sb_link_table_size elements */
    /* SB_FEW_WINDOWS elements; or NULL. With them, `tables` is for the outbox alone, and is touched
     * only if much is in flight; `in_tables` has sb_inbox_table_size elements. */
    uint32_t       *few, *in_tables;
    uint32_t       *firsts; /* SB_GUARD_FIRSTS elements; or NULL */
    sb_send_bounds  send;
    sb_store_bounds store;
    uint32_t        send_cells, receive_cells; /* guaranteed cells of outbox and inbox */
    sb_resend_pace  pace;
    sb_time         ack_delay_us;
    uint32_t        message_limit;
    uint64_t        seed; /* of marks and hashes; nobody can guess it; 0: no guard */
} sb_link_config;

/* Number of table elements that a link with these bounds needs. */
uint32_t sb_link_table_size(const sb_send_bounds *send, const sb_store_bounds *store);
uint32_t sb_link_out_table_size(const sb_send_bounds *send); /* of the outbox alone */
void     sb_link_init(sb_link *link, const sb_link_config *config, sb_time now);
/* Releases all queued and stored messages. */
void sb_link_clear(sb_link *link);

/* Expects low number 1 and acknowledges 0: the Connect response did not go through the inbox. */
void sb_link_skip_response(sb_link *link, sb_time now);

/* Messages that are listed when a datagram is parsed: 98 % of datagrams have fewer (spec 01 §3).
 * Others are parsed again message by message. */
enum { SB_LISTED_MESSAGES = 7 };

/* A datagram that is being read. */
typedef struct sb_incoming {
    sb_datagram          datagram; /* points into the endpoint's buffer `plain` */
    size_t               at;       /* messages read if they are listed, otherwise bytes */
    unsigned             draining; /* bit per channel whose stored messages may be ready */
    bool                 listed;   /* `messages` has all messages of the datagram */
    bool                 unproven; /* its Acks do not count (spec 01 §10.8) */
    bool                 proven;   /* the peer is known to have sent it */
    sb_transport_message messages[SB_LISTED_MESSAGES];
} sb_incoming;

/* Decrypts a copy into `plain` (SB_DATAGRAM_ACCEPTED bytes) and parses it. Counts datagrams that it
 * refuses and bytes that it ignores (spec 01 §4.11). */
SB_MUST_USE sb_result sb_link_open_datagram(sb_counters *counters, uint8_t *plain, sb_span datagram,
                                            sb_datagram *out);

/* The same for a datagram that is to be read with sb_link_next_message. */
SB_MUST_USE sb_result sb_link_open_incoming(sb_counters *counters, uint8_t *plain, sb_span datagram,
                                            sb_incoming *incoming);
/* Sets `incoming` to a datagram that sb_link_open_datagram has opened. */
void sb_link_set_incoming(const sb_datagram *datagram, sb_incoming *incoming);

/* Finds the first message of that type; false: the datagram has none. */
bool sb_link_find_message(const sb_datagram *datagram, uint8_t type, sb_transport_message *out);

/* The next message in order, for the endpoint to handle. */
typedef struct sb_delivered {
    uint8_t     type; /* sb_transport_type: Data or a control type */
    sb_delivery delivery;
    sb_span     payload; /* lent until the next call */
} sb_delivered;

/* Is a look at each message needed before the first one is handled? A lone message is checked when
 * it is handled: most datagrams need no look before that. */
static inline bool sb_link_may_have_signs(const sb_link *link, sb_time now, const sb_datagram *d)
{
    if (d->reliable_count > 1 || sb_marks_are_chosen(&link->marks, now)) return true;
    if (sb_outbox_unacknowledged(&link->outbox) == 0) return false;
    if (d->kinds & SB_HAS_LOW_ACK && d->message_count > 1) return true;
    return d->kinds & SB_HAS_ACK && sb_outbox_is_ahead(&link->outbox, d->latest_ack, 0);
}
/* Looks at each message. */
void sb_link_collect_signs(const sb_link *link, const sb_datagram *datagram, sb_signs *signs);
/* Finds the signs in a datagram. */
static inline void sb_link_find_signs(const sb_link *link, sb_time now, const sb_datagram *datagram,
                                      sb_signs *signs)
{
    *signs = (sb_signs){ 0 };
    if (sb_link_may_have_signs(link, now, datagram)) sb_link_collect_signs(link, datagram, signs);
}
/* Is a datagram with these signs known to come from the peer? */
static inline bool sb_link_is_marked(const sb_link *link, sb_time now, const sb_signs *signs)
{
    return signs->marked && sb_marks_are_chosen(&link->marks, now);
}
/* Decides about signs that may be of somebody else. */
SB_MUST_USE sb_result sb_link_judge_signs(sb_link *link, sb_time now, const sb_datagram *datagram,
                                          const sb_signs *signs);
/* Refuses a datagram that somebody else sent: with another message under a number of the peer, or
 * with Acks of messages in flight and of numbers that we have not used. */
SB_MUST_USE static inline sb_result
sb_link_check_signs(sb_link *link, sb_time now, const sb_datagram *datagram, const sb_signs *signs)
{
    if (!signs->conflict && !signs->ack_ahead) return SB_OK;
    return sb_link_judge_signs(link, now, datagram, signs);
}
/* Does the datagram hold nothing but Acks and messages that have come before? A peer that has left
 * may still repeat those that it has no Ack of. */
bool sb_link_has_only_repeats(const sb_link *link, sb_time now, const sb_datagram *datagram);
/* Asks the other end for marks although there is no evidence of an attack. */
void sb_link_request_proof(sb_link *link, sb_time now);
/* Answers a question (spec 01 §5.4) that came before the session began. */
void sb_link_answer_question(sb_link *link, sb_time now, const uint16_t *numbers, unsigned count);
/* There is evidence of a forger: something in the peer's name that the peer never sends. */
void sb_link_notice_forger(sb_link *link, sb_time now);
/* Starts to read `incoming`, whose datagram and messages are set and have these signs. */
static inline void sb_link_start_reading(sb_link *link, sb_time now, const sb_signs *signs,
                                         sb_incoming *in)
{
    in->at = 0;
    in->draining = sb_inbox_is_rewound(&link->inbox) ? sb_inbox_end_rewinds(&link->inbox, now) : 0;
    in->proven = sb_link_is_marked(link, now, signs);
    if (in->proven) sb_marks_note_answer(&link->marks, now);
    in->unproven = !in->proven && sb_marks_are_needed(&link->marks, now);
    sb_inbox_begin_batch(&link->inbox, in->proven);
    /* Stored messages may have waited for the end of a dispute. */
    if (link->inbox.stored > 0 && sb_marks_is_on(&link->marks, now))
        in->draining |= 1u << SB_CHANNEL_DATA;
}
/* Continues to read `incoming`; `buffer` has SB_PAYLOAD_MAX bytes. False: no more messages. */
bool sb_link_next_message(sb_link *link, sb_time now, sb_incoming *incoming, uint8_t *buffer,
                          sb_delivered *out);

/* Fills a plain datagram from `peer_id` with all that is due; returns its size, 0: nothing is due.
 * `out` has SB_DATAGRAM_MAX bytes; `*reliable` gets the number of reliable messages. */
size_t sb_link_write_datagram(sb_link *link, sb_time now, uint8_t peer_id, uint8_t *out,
                              uint32_t *reliable);
/* When the next datagram is due; a time in the past means at once. */
sb_time sb_link_write_at(const sb_link *link);
/* When the session ends because Acks are missing (spec 01 §6.2). */
sb_time sb_link_stalls_at(const sb_link *link);
/* When 30 s have passed without a fragment while a message in fragments holds granted memory;
 * SB_TIME_NEVER: none does. */
sb_time sb_link_assembly_expires_at(const sb_link *link);

/* Limits a time so that sums of times cannot overflow. */
static inline sb_time sb_transport_clamp_time(sb_time now)
{
    const sb_time edge = INT64_MAX / 4;
    return now < -edge ? -edge : now < edge ? now : edge;
}

/* Fills all members of `info` except peer_id and address. */
void sb_link_info(const sb_link *link, sb_time now, sb_peer_info *info);
/* Asserts every invariant. */
void sb_link_check(const sb_link *link);
/* See testing.h. */
void sb_link_set_numbers(sb_link *link, uint16_t send, uint16_t expect);

#endif
