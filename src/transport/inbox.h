/* src/transport/inbox.h -- reliable messages from a peer: once, whole and in order.
 *
 * For:      link. Decides which reliable messages and fragments to accept, stores early ones and
 *           joins fragments.
 * Never:    stores more than its bounds. A message that does not fit is not acknowledged, so the
 *           peer retransmits it.
 * Spec:     01 §6.3, §6.4, §7.2.
 */
#ifndef SB_TRANSPORT_INBOX_H
#define SB_TRANSPORT_INBOX_H

#include "transport/outbox.h"

/* Limits of messages stored until an earlier one arrives (spec 01 §6.3, §9). */
typedef struct sb_store_bounds {
    uint32_t numbers; /* size of the Data window in sequence numbers; a power of two */
    uint32_t bytes, entries;
} sb_store_bounds;

enum {
    SB_FRAGMENTS_UNTRUSTED = 64,
    SB_FRAGMENTS_TRUSTED = 255,
    SB_LOW_RECORDS = 16,
    SB_REWIND_DONE = 1024, /* powers of two */
    SB_REWIND_LOOKS = 11,  /* a message that waited at the first one has waited for 10 s */
    SB_BATCH_PROVEN = 0,   /* the batch of messages that the peer is known to have sent */
    SB_BATCH_SETTLED = 1,  /* two messages with one number were delivered: both are known */
    SB_CANDIDATES = 64,
};

/* A message that anybody could have sent, kept until an Ack of its number shows whether its copies
 * end (spec 01 §10.8 rule 8). */
typedef struct sb_candidate {
    uint32_t entry; /* number and payload; SB_NO_CELL: a free place */
    uint8_t  copies, failures;
    bool     is_acked : 1;
    bool     is_crossed : 1;    /* came once, just after an Ack of its number */
    bool     is_unsure : 1;     /* an Ack of a forgery may have taken it from its sender */
    bool     counts : 1;        /* came often enough, and an Ack of its number was not possible */
    sb_time  first_at, last_at; /* copies arrived */
    sb_time  interval;          /* between the last two */
    sb_time  acked_at;          /* the first Ack after the last copy was queued */
} sb_candidate;

/* Numbers that were used up by forgeries and are expected again (spec 01 §10.8 rule 4). */
typedef struct sb_rewind {
    bool     on;
    uint16_t end;                       /* behind the last number that was used up */
    uint32_t done[SB_REWIND_DONE / 32]; /* bits of the last numbers: the peer's own message came */
    /* By second, the present one last: the last message of the peer that waited for missing ones.
     */
    uint16_t waiting[SB_REWIND_LOOKS];
    sb_time  check_at; /* when to look again whether one waits */
} sb_rewind;

typedef struct sb_in_channel {
    uint16_t  expected; /* next sequence number to deliver */
    uint32_t  mask;     /* size of the window - 1 */
    uint32_t *slots;    /* by number & mask: entry of a whole message or an assembly; SB_NO_CELL */
    /* By the low bits of the number: the number and 16 bits of a hash of the last message that was
     * delivered or stored under it; hash 0: unknown. */
    uint32_t *records;
    uint16_t *batches; /* the datagrams that these messages came with (sb_inbox.batch) */
    uint32_t  record_mask;
    sb_rewind rewind;
} sb_in_channel;

typedef struct sb_inbox {
    sb_cells       *cells;
    sb_cell_account account;  /* pays for early messages */
    sb_cell_account assembly; /* pays for fragments of the expected message; holds a grant */
    sb_store_bounds bounds;
    uint32_t        stored, stored_bytes; /* messages and fragments, and their payload */
    uint8_t         fragments_max;
    bool            eight_bit; /* the peer's sequence numbers have 8 bits (spec 01 §6.9) */
    sb_in_channel   channels[SB_CHANNELS];
    uint32_t        low_records[SB_LOW_RECORDS];
    uint16_t        low_batches[SB_LOW_RECORDS];
    uint16_t        batch;      /* of the datagram that is being read: a number of its own ... */
    uint16_t        last_batch; /* ... after the last such number, or SB_BATCH_PROVEN */
    uint64_t     record_seed; /* of the hashes, so that nobody can construct equal ones; 0: none */
    uint32_t     candidate_count;
    uint16_t     candidate_cells; /* paid by `account` */
    uint16_t     unsure_count;    /* candidates that are unsure */
    sb_candidate candidates[SB_CANDIDATES];
} sb_inbox;

/* The first three are acknowledged, the others are not. */
typedef enum sb_verdict {
    SB_VERDICT_DELIVER, /* expected: deliver its payload, then call sb_inbox_next */
    SB_VERDICT_STORED,  /* stored; call sb_inbox_next, a fragment may have completed a message */
    SB_VERDICT_DUPLICATE,
    SB_VERDICT_BEYOND_BUFFER,
    SB_VERDICT_OUT_OF_WINDOW,
    SB_VERDICT_NO_MEMORY,
    SB_VERDICT_BAD_FRAGMENT,
} sb_verdict;

static inline bool sb_verdict_is_acknowledged(sb_verdict verdict)
{
    return verdict <= SB_VERDICT_DUPLICATE;
}

/* Records of the window ahead, and of as many numbers behind: what is behind all of them is no late
 * copy. */
static inline uint32_t sb_inbox_record_count(const sb_store_bounds *bounds)
{
    return 2 * bounds->numbers;
}
/* Elements of `tables`: slots of both channels, records and batches of Data. */
static inline uint32_t sb_inbox_table_size(const sb_store_bounds *bounds)
{
    return bounds->numbers + SB_LOW_WINDOW + sb_inbox_record_count(bounds) * 3 / 2;
}
/* `tables` has sb_inbox_table_size elements, borrowed for the life of the inbox. */
void sb_inbox_init(sb_inbox *inbox, sb_cells *cells, uint32_t guaranteed,
                   const sb_store_bounds *bounds, uint32_t *tables);
/* Releases all stored messages. */
void sb_inbox_clear(sb_inbox *inbox);
/* Accepts or refuses a reliable message; stores a copy of an early one. */
sb_verdict sb_inbox_accept(sb_inbox *inbox, const sb_transport_message *message);
/* 16 bits, never 0, of type and payload. */
uint16_t sb_inbox_hash(const sb_inbox *inbox, const sb_transport_message *message);
static inline const sb_in_channel *sb_inbox_channel(const sb_inbox             *inbox,
                                                    const sb_transport_message *m)
{
    return &inbox->channels[m->type == SB_TRANSPORT_DATA ? SB_CHANNEL_DATA : SB_CHANNEL_LOW];
}
/* The record in the place of this number: perhaps of another number. */
static inline uint32_t sb_inbox_record(const sb_inbox *inbox, const sb_transport_message *m)
{
    const sb_in_channel *c = sb_inbox_channel(inbox, m);
    return c->records[m->seq & c->record_mask];
}
/* Is it recorded which message has this number? */
static inline bool sb_inbox_is_known(const sb_inbox *inbox, const sb_transport_message *m)
{
    uint32_t record = sb_inbox_record(inbox, m);
    return record >> 16 == m->seq && (record & 0xFFFF) != 0;
}
/* sb_inbox_conflicts if the record has the number of the message. */
bool sb_inbox_differs(const sb_inbox *inbox, const sb_transport_message *message);
/* Has another message been delivered or stored under this number? */
static inline bool sb_inbox_conflicts(const sb_inbox *inbox, const sb_transport_message *m)
{
    return sb_inbox_record(inbox, m) >> 16 == m->seq && sb_inbox_differs(inbox, m);
}
/* Distance of the message's number from the expected one; negative: behind. */
static inline int sb_inbox_ahead(const sb_inbox *inbox, const sb_transport_message *m)
{
    uint16_t ahead = (uint16_t)(m->seq - sb_inbox_channel(inbox, m)->expected);
    return inbox->eight_bit ? (int8_t)(uint8_t)ahead : (int16_t)ahead; /* spec 01 §6.3 */
}
/* The same if anything is stored. */
bool sb_inbox_stores_rival(const sb_inbox *inbox, const sb_transport_message *message);
/* Is something else stored under the number of the message: other content, another form, or
 * fragments that cannot be of the same message? */
static inline bool sb_inbox_has_rival(const sb_inbox *inbox, const sb_transport_message *m)
{
    return inbox->stored > 0 && sb_inbox_stores_rival(inbox, m);
}
/* Drops the fragments of the expected message, if there are some, and the memory that is kept for
 * the others. */
void sb_inbox_drop_assembly(sb_inbox *inbox);
/* Releases what is stored under the number of the message; of a fragment: its rivals. */
void sb_inbox_discard(sb_inbox *inbox, const sb_transport_message *message);
/* Begins a datagram; `proven`: the peer is known to have sent it. */
static inline void sb_inbox_begin_batch(sb_inbox *inbox, bool proven)
{
    if (++inbox->last_batch <= SB_BATCH_SETTLED) inbox->last_batch = SB_BATCH_SETTLED + 1;
    inbox->batch = proven ? (uint16_t)SB_BATCH_PROVEN : inbox->last_batch;
}
/* The datagram that the message under this number came with. */
static inline uint16_t sb_inbox_batch(const sb_inbox *inbox, const sb_transport_message *m)
{
    const sb_in_channel *c = sb_inbox_channel(inbox, m);
    return c->batches[m->seq & c->record_mask];
}
/* Was another message delivered under this number that is not known to be the peer's, and this one
 * was not? */
static inline bool sb_inbox_lacks(const sb_inbox *inbox, const sb_transport_message *m)
{
    return sb_inbox_conflicts(inbox, m) && sb_inbox_batch(inbox, m) != SB_BATCH_PROVEN;
}
/* Did a message before this one come with the batch, and this number has another batch? */
bool sb_inbox_follows(const sb_inbox *inbox, const sb_transport_message *message, uint16_t batch);
/* The message was delivered although another one had its number. */
void sb_inbox_settle(sb_inbox *inbox, const sb_transport_message *message);
/* The message is the peer's own, and another one has its number, or two others have, and this one
 * was not delivered: all that came with that one is forged. Releases it if it is stored; if it was
 * delivered, its numbers are expected again, and all later ones whose messages are not known to be
 * the peer's. */
void sb_inbox_take_back(sb_inbox *inbox, sb_time now, const sb_transport_message *message);
/* Is the number so far from the expected one that the peer cannot use it, unless forgeries have
 * used up all numbers between? */
bool sb_inbox_is_lost(const sb_inbox *inbox, const sb_transport_message *message);
/* The message is the peer's own and is_lost: its number is the next one. */
void sb_inbox_find_again(sb_inbox *inbox, sb_time now, const sb_transport_message *message);
/* Does the message, which is the peer's own and known, show that the datagram which brought it
 * first was the peer's, and was this not known? Of fragments, only fragment 0 does. */
bool sb_inbox_shows(const sb_inbox *inbox, const sb_transport_message *message);
/* The message is the peer's own and was there before: all that came with it is the peer's. */
void sb_inbox_confirm(sb_inbox *inbox, const sb_transport_message *message);
/* The batch of the message that sb_inbox_next would return. */
uint16_t sb_inbox_next_batch(const sb_inbox *inbox, sb_channel_name channel);
/* Ends the wait for numbers that were taken back and did not arrive; returns a bit per channel
 * whose stored messages may be ready. */
unsigned           sb_inbox_end_rewinds(sb_inbox *inbox, sb_time now);
static inline bool sb_inbox_is_rewound(const sb_inbox *inbox)
{
    return inbox->channels[SB_CHANNEL_DATA].rewind.on || inbox->channels[SB_CHANNEL_LOW].rewind.on;
}
/* Is the message new, and at most `ahead` numbers from the expected one? (spec 01 §10.5) */
bool sb_inbox_is_plausible(const sb_inbox *inbox, const sb_transport_message *message, int ahead);
/* Results of a challenge: is the message, which anybody could have sent, the peer's own? */
typedef enum sb_challenge {
    SB_CHALLENGE_WAITS,
    SB_CHALLENGE_ACK,    /* acknowledge it now: if it is the peer's, its copies end */
    SB_CHALLENGE_FAILED, /* its copies go on although it was acknowledged: it is forged */
} sb_challenge;

/* Keeps a message that came again. `crossed`: it came for the first time, but its number has been
 * acknowledged. False: no memory. */
bool sb_inbox_keep(sb_inbox *inbox, sb_time now, const sb_transport_message *message, bool crossed);
/* Keeps a message that came once, and whose number has another one. If the peer takes our Ack of
 * the other one for its own, it does not repeat this message: then this one counts, when it has
 * been missing for 8 s and later messages of the peer wait for it. Otherwise it has no effect. */
void sb_inbox_keep_unsure(sb_inbox *inbox, sb_time now, const sb_transport_message *message);
/* See sb_inbox_note_new. */
void sb_inbox_doubt_later(sb_inbox *inbox, sb_time now, const sb_transport_message *message);
/* A message that is known to be the peer's has come for the first time. Its sender has not sent the
 * later ones long before it, and repeats those that miss their Acks after 1 and 3 s. */
static inline void sb_inbox_note_new(sb_inbox *inbox, sb_time now, const sb_transport_message *m)
{
    if (inbox->unsure_count > 0) sb_inbox_doubt_later(inbox, now, m);
}
bool sb_inbox_is_kept(const sb_inbox *inbox, const sb_transport_message *message);
/* Has the number been acknowledged so recently that the sender of this message, which comes for the
 * first time, takes the Ack for its own and never repeats it? `grace`: copies that come this soon
 * after an Ack have crossed it. */
bool sb_inbox_has_crossed(const sb_inbox *inbox, sb_time now, const sb_transport_message *message,
                          sb_time grace);
/* A copy of a message came; if it is kept and `may_ack`, its number may be acknowledged. */
sb_challenge sb_inbox_challenge(sb_inbox *inbox, sb_time now, const sb_transport_message *message,
                                bool may_ack, sb_time grace);
/* The copies of the message so far do not suffice: it counts only if one more comes. */
void sb_inbox_discount(sb_inbox *inbox, const sb_transport_message *message);
/* Is another message kept under the number? */
bool sb_inbox_has_other(const sb_inbox *inbox, const sb_transport_message *message);
/* Has the message come three times while an Ack of its number was not possible, and does no earlier
 * one wait that came before it? */
bool sb_inbox_is_repeated(const sb_inbox *inbox, sb_time now, const sb_transport_message *message);
/* Forgets the message, if it is kept: it was delivered. */
void sb_inbox_drop_candidate(sb_inbox *inbox, const sb_transport_message *message);
/* Why a message that was kept is delivered. */
typedef enum sb_candidate_end {
    SB_CANDIDATE_NONE,
    SB_CANDIDATE_ENDED,    /* its copies have ended with an Ack */
    SB_CANDIDATE_REPEATED, /* it has come often enough */
} sb_candidate_end;

/* Removes the next message that is to be delivered, and copies its payload to `buffer`.
 * `has_numbers`: a message that was only repeated may use the next number. */
sb_candidate_end sb_inbox_next_candidate(sb_inbox *inbox, sb_time now, bool has_numbers,
                                         sb_transport_message *out, uint8_t *buffer);
/* Releases all that are kept. */
void sb_inbox_clear_candidates(sb_inbox *inbox);

/* Removes the next stored message of the channel if it is the expected one, and copies its payload
 * to `buffer` (SB_PAYLOAD_MAX bytes). False: none is ready. */
bool sb_inbox_next(sb_inbox *inbox, sb_channel_name channel, uint8_t *type, sb_span *payload,
                   uint8_t *buffer);

/* Was Data under the number that the Ack names delivered, or is it stored? */
bool sb_inbox_has(const sb_inbox *inbox, const sb_transport_message *ack);
/* Asserts every invariant. */
void sb_inbox_check(const sb_inbox *inbox);

#endif
