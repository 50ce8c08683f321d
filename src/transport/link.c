/* src/transport/link.c -- see link.h. */
#include "transport/link.h"

#include <starbase/cipher.h>

#include "base/assert.h"
#include "base/compiler.h"
#include "base/time.h"
#include "transport/link_trust.h"

#include <string.h>

static const sb_time keepalive_interval = 5 * SB_SECOND; /* spec 01 §8.2 */
static const sb_time stall_timeout = 60 * SB_SECOND;     /* spec 01 §6.2 */
/* A stock peer retransmits a fragment at least every 5 s. */
static const sb_time assembly_timeout = 30 * SB_SECOND;

uint32_t sb_link_table_size(const sb_send_bounds *send, const sb_store_bounds *store)
{
    return sb_link_out_table_size(send) + sb_inbox_table_size(store);
}

uint32_t sb_link_out_table_size(const sb_send_bounds *send)
{
    return send->numbers + SB_LOW_WINDOW;
}

static void init_outbox(sb_outbox *outbox, const sb_link_config *c)
{
    if (c->few)
        sb_outbox_init_few(outbox, c->cells, c->send_cells, c->pace, &c->send, c->tables, c->few);
    else sb_outbox_init(outbox, c->cells, c->send_cells, c->pace, &c->send, c->tables);
}

void sb_link_init(sb_link *link, const sb_link_config *config, sb_time now)
{
    link->counters = config->counters;
    link->heard_at = link->sent_at = link->fragment_stored_at = now;
    link->ack_delay_us = config->ack_delay_us;
    link->message_limit = config->message_limit;
    link->waits_for_id = link->only_control = false;
    link->keeps_disconnect_number = link->cautious = false;
    link->keeps_alive = true;
    link->farewell_id = 0;
    sb_marks_init(&link->marks, config->seed, now);
    sb_mark_answers_init(&link->answers);
    sb_acks_init(&link->acks);
    sb_guard_init_blank(&link->guard, config->seed);
    if (config->firsts) sb_guard_remember_firsts(&link->guard, config->firsts);
    init_outbox(&link->outbox, config);
    sb_inbox_init(&link->inbox, config->cells, config->receive_cells, &config->store,
                  config->few ? config->in_tables
                              : config->tables + sb_link_out_table_size(&config->send));
    link->inbox.record_seed = config->seed;
    sb_budget_init(&link->numbers, now, config->store.numbers * 3 / 2);
}

void sb_link_clear(sb_link *link)
{
    sb_outbox_clear(&link->outbox);
    sb_inbox_clear(&link->inbox);
}

/* ---- in ---- */

static sb_span decrypt_into(uint8_t *plain, sb_span datagram)
{
    memcpy(plain, datagram.data, datagram.size);
    sb_decrypt_datagram(plain, datagram.size);
    return (sb_span){ plain, datagram.size };
}

/* Counts what is wrong with a parsed datagram; returns `result`. */
static inline sb_result count_faults(sb_counters *counters, sb_result result, const sb_datagram *d)
{
    if (result != SB_OK) return sb_link_refuse(counters, SB_TRANSPORT_COUNT_MALFORMED, result);
    if (d->unknown_type) SB_COUNT(counters->values, SB_TRANSPORT_COUNT_UNKNOWN_TYPE);
    else if (d->rest.size > 0) SB_COUNT(counters->values, SB_TRANSPORT_COUNT_REST_IGNORED);
    return SB_OK;
}

sb_result sb_link_open_datagram(sb_counters *counters, uint8_t *plain, sb_span datagram,
                                sb_datagram *out)
{
    sb_span bytes = decrypt_into(plain, datagram);
    return count_faults(counters, sb_decode_datagram(bytes, out, NULL), out);
}

sb_result sb_link_open_incoming(sb_counters *counters, uint8_t *plain, sb_span datagram,
                                sb_incoming *in)
{
    sb_span   bytes = decrypt_into(plain, datagram);
    sb_result result =
        sb_parse_datagram(bytes, in->messages, SB_LISTED_MESSAGES, &in->datagram, NULL);
    in->listed = result == SB_OK;
    if (result == SB_FULL) result = sb_decode_datagram(bytes, &in->datagram, NULL);
    return count_faults(counters, result, &in->datagram);
}

void sb_link_set_incoming(const sb_datagram *datagram, sb_incoming *in)
{
    in->datagram = *datagram;
    in->listed = false;
}

bool sb_link_find_message(const sb_datagram *datagram, uint8_t type, sb_transport_message *out)
{
    size_t at = 0;
    while (sb_datagram_next(datagram, &at, out))
        if (out->type == type) return true;
    return false;
}

void sb_link_acknowledge(sb_link *link, sb_time now, const sb_transport_message *m)
{
    sb_ack_record ack = { .seq = m->seq };
    if (m->type != SB_TRANSPORT_DATA) ack.flags |= SB_ACK_LOW_CHANNEL;
    if (m->fragment) {
        ack.flags |= SB_ACK_FRAGMENT;
        ack.frag_index = m->frag_index;
    }
    if (!sb_acks_add(&link->acks, &ack, now + link->ack_delay_us))
        SB_COUNT(link->counters->values, SB_TRANSPORT_COUNT_DROPPED_ACK);
}

void sb_link_skip_response(sb_link *link, sb_time now)
{
    sb_link_acknowledge(link, now, &(sb_transport_message){ .type = SB_TRANSPORT_CONNECT });
    link->inbox.channels[SB_CHANNEL_LOW].expected = 1;
}

static void count_verdict(sb_counters *counters, sb_verdict verdict)
{
    switch (verdict) {
    case SB_VERDICT_DELIVER:
    case SB_VERDICT_STORED: break;
    case SB_VERDICT_DUPLICATE: SB_COUNT(counters->values, SB_TRANSPORT_COUNT_DUPLICATE); break;
    case SB_VERDICT_BEYOND_BUFFER:
        SB_COUNT(counters->values, SB_TRANSPORT_COUNT_BEYOND_BUFFER);
        break;
    case SB_VERDICT_OUT_OF_WINDOW:
        SB_COUNT(counters->values, SB_TRANSPORT_COUNT_OUT_OF_WINDOW);
        break;
    case SB_VERDICT_NO_MEMORY: SB_COUNT(counters->values, SB_TRANSPORT_COUNT_NO_ROOM); break;
    case SB_VERDICT_BAD_FRAGMENT:
        SB_COUNT(counters->values, SB_TRANSPORT_COUNT_BAD_FRAGMENT);
        break;
    }
}

/* Is it the refusal of a Connect that somebody has forged from the address of this client? */
static bool is_stray_refusal(const sb_link *link, const sb_transport_message *m)
{
    return m->type == SB_TRANSPORT_BOOT && m->seq == 0 && link->farewell_id != 0 &&
           !link->waits_for_id && m->payload.size > 1 && m->payload.data[1] == SB_PEER_NONE;
}

/* A client without an id accepts only the answer to its Connect: anything else belongs to an
 * earlier session on the same port, or is forged, or comes again. */
static bool is_of_earlier_session(const sb_link *link, const sb_transport_message *m)
{
    if (!link->waits_for_id) return false;
    return m->seq != 0 || !(m->type == SB_TRANSPORT_CONNECT || sb_link_is_farewell(link, m));
}

/* Has another message used up the number, or a later one taken the place of its record? */
static bool has_other_record(const sb_inbox *inbox, const sb_transport_message *m)
{
    uint32_t record = sb_inbox_record(inbox, m);
    return record >> 16 == m->seq ? sb_inbox_conflicts(inbox, m) : record != 0;
}

/* Handles a message that ends the session without using up its number: if it is forged, the true
 * one may have the same number. A forged message may have used the number up before: then the true
 * one counts all the same. An early one is not stored for the same reason; its sender repeats it.
 */
static bool handle_farewell(sb_link *link, sb_time now, const sb_incoming *in,
                            const sb_transport_message *m)
{
    int ahead = sb_inbox_ahead(&link->inbox, m);
    if (ahead > 0) {
        SB_COUNT(link->counters->values, SB_TRANSPORT_COUNT_EARLY_DISCONNECT);
        if (!in->proven && ahead > 1) sb_link_notice_forger(link, now); /* stock: 1 (D4) */
        return false;
    }
    /* The Ack of a forgery would end the retransmission of a true message with the same number. */
    bool doubtful = link->cautious || sb_guard_is_attacked(&link->guard, now);
    if (in->proven || !doubtful) sb_link_acknowledge(link, now, m);
    if (ahead == 0 || has_other_record(&link->inbox, m)) return true;
    SB_COUNT(link->counters->values, SB_TRANSPORT_COUNT_DUPLICATE);
    return false;
}

static bool handle_reliable(sb_link *link, sb_time now, sb_incoming *in,
                            const sb_transport_message *m)
{
    bool data = m->type == SB_TRANSPORT_DATA;
    if ((data && link->only_control) || is_of_earlier_session(link, m) ||
        is_stray_refusal(link, m)) {
        SB_COUNT(link->counters->values, SB_TRANSPORT_COUNT_LATE);
        return false;
    }
    if (!data && sb_link_is_farewell(link, m)) return handle_farewell(link, now, in, m);
    if (!in->proven && !sb_link_confirm(link, now, m)) {
        SB_COUNT(link->counters->values, SB_TRANSPORT_COUNT_UNCONFIRMED);
        return false;
    }
    bool late = false;
    if (in->proven ? !sb_link_take_proven(link, now, m)
                   : !sb_link_take_unproven(link, now, m, &late))
        return late;
    sb_verdict verdict = sb_inbox_accept(&link->inbox, m);
    if (sb_link_decide_ack(link, now, verdict, in->proven, m)) sb_link_acknowledge(link, now, m);
    else if (verdict <= SB_VERDICT_STORED) sb_link_note_accepted(link, now, m);
    /* Its sender misses an Ack, which only marks can bring. */
    else if (verdict == SB_VERDICT_DUPLICATE) sb_marks_ask(&link->marks, now);
    /* A copy of what came before a rewind may free what waits behind it. */
    if (verdict <= SB_VERDICT_DUPLICATE)
        in->draining |= 1u << (data ? SB_CHANNEL_DATA : SB_CHANNEL_LOW);
    if (in->proven && verdict <= SB_VERDICT_STORED) sb_inbox_note_new(&link->inbox, now, m);
    if (verdict > SB_VERDICT_STORED) count_verdict(link->counters, verdict);
    else if (m->fragment) link->fragment_stored_at = now;
    return verdict == SB_VERDICT_DELIVER;
}

static bool handle_unreliable(const sb_link *link, const sb_transport_message *m)
{
    if (m->type == SB_TRANSPORT_DATA) {
        if (!link->waits_for_id && !link->only_control) return true;
        SB_COUNT(link->counters->values, SB_TRANSPORT_COUNT_LATE);
        return false;
    }
    SB_COUNT(link->counters->values,
             SB_TRANSPORT_COUNT_UNRELIABLE_CONTROL); /* stock sends none (spec 01 §4.2) */
    return false;
}

/* Needs a reliable message marks? Not of a peer that has never sent one beside marks: there the
 * guard decides. Of others, the next message counts without marks until a number was stolen; early
 * ones and fragments do not, since most forged ones are early. A farewell waits for silence anyway.
 */
static bool needs_marks(const sb_link *link, sb_time now, const sb_transport_message *m)
{
    if (!sb_marks_are_beside_messages(&link->marks, now)) return false;
    if (m->type != SB_TRANSPORT_DATA && sb_link_is_farewell(link, m)) return false;
    return m->fragment || sb_inbox_ahead(&link->inbox, m) > 0 ||
           sb_guard_is_attacked(&link->guard, now);
}

/* Does the message lack the marks that the peer is asked for? A forged Ack would take a message
 * from its sender that is still on its way; a true one comes again. */
static bool lacks_marks(const sb_link *link, sb_time now, const sb_incoming *in,
                        const sb_transport_message *m)
{
    if (in->proven) return false;
    if (m->type == SB_TRANSPORT_ACK) return in->unproven || sb_marks_are_awaited(&link->marks, now);
    return m->reliable && needs_marks(link, now, m);
}

static void drop_unmarked(sb_link *link, sb_time now, const sb_transport_message *m)
{
    SB_COUNT(link->counters->values, SB_TRANSPORT_COUNT_UNMARKED);
    if (m->reliable) sb_link_keep_crossed(link, now, m);
    if (m->reliable || sb_outbox_expects(&link->outbox, m)) sb_marks_ask(&link->marks, now);
}

/* Answers a mark of the other end, or a question of a host (spec 01 §5.4), whoever sent it: both
 * ends may be attacked, and each would wait for the answer of the other. If more sets come than can
 * be answered, most of them are forged: the other end is asked which ones are its own. False: it is
 * neither. */
static SB_COLD bool answer_mark(sb_link *link, sb_time now, bool proven,
                                const sb_transport_message *m)
{
    bool question = sb_guard_is_question(m);
    if ((m->payload.size > 0 && !question) || link->waits_for_id || link->only_control)
        return false;
    int ahead = sb_inbox_ahead(&link->inbox, m);
    if (!(question && ahead <= -SB_MARKS_NEAREST) && !sb_marks_is_mark(m, ahead)) return false;
    sb_mark_answers_note(&link->answers, now, link->inbox.last_batch, m, now + link->ack_delay_us,
                         proven);
    if (link->answers.is_flooded) sb_link_request_proof(link, now);
    link->answers.is_flooded = false;
    SB_COUNT(link->counters->values, SB_TRANSPORT_COUNT_DUPLICATE);
    return true;
}

void sb_link_answer_question(sb_link *link, sb_time now, const uint16_t *numbers, unsigned count)
{
    static const uint8_t payload[] = { SB_QUESTION_PAYLOAD };
    sb_inbox_begin_batch(&link->inbox, false); /* each question came in a datagram of its own */
    for (unsigned i = 0; i < count; i++) {
        sb_transport_message m = { .type = SB_TRANSPORT_DATA,
                                   .reliable = true,
                                   .seq = numbers[i],
                                   .payload = { payload, sizeof payload } };
        sb_mark_answers_note(&link->answers, now, link->inbox.last_batch, &m,
                             now + link->ack_delay_us, false);
    }
}

/* Handles one message; true: deliver its payload. */
static bool handle_message(sb_link *link, sb_time now, sb_incoming *in,
                           const sb_transport_message *m)
{
    if (m->type == SB_TRANSPORT_NOOP) return false;
    if (m->reliable && m->payload.size <= 1 && answer_mark(link, now, in->proven, m)) return false;
    if (sb_marks_is_on(&link->marks, now) && lacks_marks(link, now, in, m)) {
        drop_unmarked(link, now, m);
        return false;
    }
    if (m->type == SB_TRANSPORT_ACK) {
        /* Only a response ends the retransmission of a Connect: a host that mistakes the client for
         * a peer it knows sends an Ack alone (spec 01 §5.2). */
        if (link->waits_for_id) return false;
        if (!sb_outbox_acknowledge(&link->outbox, now, m))
            SB_COUNT(link->counters->values, SB_TRANSPORT_COUNT_UNMATCHED_ACK);
        return false;
    }
    return m->reliable ? handle_reliable(link, now, in, m) : handle_unreliable(link, m);
}

/* Is the next stored Data in dispute? During an attack, Data that was stored before may be forged:
 * if later Data follows that is the peer's own, a copy of the peer's own one is on its way. */
static bool disputes_next(sb_link *link, sb_time now)
{
    if (!sb_guard_is_attacked(&link->guard, now) &&
        !sb_marks_are_beside_messages(&link->marks, now))
        return false;
    uint16_t batch = sb_inbox_next_batch(&link->inbox, SB_CHANNEL_DATA);
    if (batch == SB_BATCH_PROVEN) return sb_marks_disputes(&link->marks, now);
    sb_marks_await(&link->marks, now, batch);
    return false;
}

static bool next_stored_of(sb_link *link, sb_time now, sb_incoming *in, sb_channel_name name,
                           uint8_t *buffer, sb_delivered *out)
{
    uint16_t seq = link->inbox.channels[name].expected;
    if (!(in->draining & 1u << name)) return false;
    if (name == SB_CHANNEL_DATA && disputes_next(link, now)) return false;
    if (!sb_inbox_next(&link->inbox, name, &out->type, &out->payload, buffer)) {
        in->draining &= ~(1u << name);
        return false;
    }
    sb_transport_message m = {
        .type = out->type, .reliable = true, .seq = seq, .payload = out->payload
    };
    sb_link_note_delivered(link, now, &m);
    return true;
}

static bool next_stored(sb_link *link, sb_time now, sb_incoming *in, uint8_t *buffer,
                        sb_delivered *out)
{
    if (in->draining == 0 || link->inbox.stored == 0) return false;
    out->delivery = SB_RELIABLE;
    return next_stored_of(link, now, in, SB_CHANNEL_LOW, buffer, out) ||
           next_stored_of(link, now, in, SB_CHANNEL_DATA, buffer, out);
}

/* The next message of the datagram, from the list or parsed into `m`; NULL: no more. */
static const sb_transport_message *next_received(sb_incoming *in, sb_transport_message *m)
{
    if (!in->listed) return sb_datagram_next(&in->datagram, &in->at, m) ? m : NULL;
    return in->at < in->datagram.message_count ? &in->messages[in->at++] : NULL;
}

static bool next_message(sb_link *link, sb_time now, sb_incoming *in, uint8_t *buffer,
                         sb_delivered *out)
{
    sb_transport_message m;
    if (link->inbox.candidate_count > 0 && sb_link_next_ended(link, now, buffer, &m)) {
        in->draining |= 1u << (m.type == SB_TRANSPORT_DATA ? SB_CHANNEL_DATA : SB_CHANNEL_LOW);
        *out = (sb_delivered){ m.type, SB_RELIABLE, m.payload };
        return true;
    }
    for (;;) {
        if (next_stored(link, now, in, buffer, out)) return true;
        const sb_transport_message *next = next_received(in, &m);
        if (!next) return false;
        if (!handle_message(link, now, in, next)) continue;
        sb_delivery delivery = next->reliable ? SB_RELIABLE : SB_UNRELIABLE;
        *out = (sb_delivered){ next->type, delivery, next->payload };
        return true;
    }
}

bool sb_link_next_message(sb_link *link, sb_time now, sb_incoming *in, uint8_t *buffer,
                          sb_delivered *out)
{
    /* Empty Data uses up its number and is not delivered (spec 01 §4.11 rule 5). */
    while (next_message(link, now, in, buffer, out))
        if (out->payload.size > 0 || out->type != SB_TRANSPORT_DATA) return true;
    return false;
}

/* ---- out ---- */

/* Not before the session begins: a host reads only a Connect. Not while it ends: after a Disconnect
 * marks would be a sign of life. */
static bool may_send_marks(const sb_link *link)
{
    return !link->waits_for_id && !link->only_control;
}

static sb_time marks_due_at(const sb_link *link)
{
    return may_send_marks(link) ? sb_marks_ask_at(&link->marks) : SB_TIME_NEVER;
}

/* When a datagram other than a keepalive is due. */
static sb_time due_at(const sb_link *link)
{
    if (sb_outbox_has_new(&link->outbox)) return INT64_MIN;
    sb_time at = sb_time_earlier(sb_outbox_resend_at(&link->outbox), marks_due_at(link));
    if (link->waits_for_id) return at;
    return sb_time_earlier(at, sb_time_earlier(link->acks.due_at, link->answers.due_at));
}

static size_t write_noop(uint8_t peer_id, uint8_t *out)
{
    out[0] = peer_id;
    out[1] = 1;
    out[2] = SB_TRANSPORT_NOOP;
    return 3;
}

/* Asks for marks when this is due, and beside reliable messages, so that their Acks come together
 * with those of the marks. */
static void write_marks(sb_link *link, sb_time now, bool beside_reliable, sb_datagram_writer *w)
{
    bool beside = beside_reliable && sb_marks_is_on(&link->marks, now) && may_send_marks(link);
    if (!beside && marks_due_at(link) > now) return;
    uint16_t oldest = link->outbox.channels[SB_CHANNEL_DATA].oldest;
    link->counters->values[SB_TRANSPORT_COUNT_MARKS] +=
        sb_marks_write(&link->marks, now, oldest, w);
}

/* Messages that a datagram may have before our marks are added. Answers to the other end's marks
 * count, but always leave room for one other message. */
static uint32_t limit_of_messages(const sb_link *link, sb_time now, uint32_t answers)
{
    bool     asks = sb_marks_is_on(&link->marks, now) || marks_due_at(link) <= now;
    uint32_t limit = link->message_limit, marks = asks ? SB_MARKS_COUNT : 0;
    return limit > answers + marks ? limit - marks : answers + 1;
}

/* Writes messages and leaves space for marks, unless one message needs it. A peer that acknowledges
 * every datagram by itself could never show that the Acks of full ones are its own. */
static uint32_t write_messages(sb_link *link, sb_time now, sb_datagram_writer *w, uint32_t limit)
{
    bool     asks = sb_marks_is_on(&link->marks, now) && may_send_marks(link);
    uint8_t  before = w->data[1];
    uint32_t reliable = 0;
    if (asks && w->capacity - w->size > SB_MARKS_BYTES) {
        w->capacity -= SB_MARKS_BYTES;
        reliable = sb_outbox_write(&link->outbox, now, w, limit);
        w->capacity += SB_MARKS_BYTES;
    }
    return w->data[1] > before ? reliable : sb_outbox_write(&link->outbox, now, w, limit);
}

static size_t write_due(sb_link *link, sb_time now, uint8_t peer_id, uint8_t *out,
                        uint32_t *reliable)
{
    sb_datagram_writer w;
    uint32_t           sent_before = link->acks.fresh, limit;
    uint64_t           resent = link->outbox.resent, fast = link->outbox.resent_fast;
    sb_datagram_writer_init(&w, out, SB_DATAGRAM_MAX, peer_id);
    if (!link->waits_for_id) {
        uint32_t answers = sb_mark_answers_write(&link->answers, now, &w);
        link->counters->values[SB_TRANSPORT_COUNT_MARKS] += answers;
    }
    limit = limit_of_messages(link, now, w.data[1]);
    if (!link->waits_for_id) sb_acks_write_fresh(&link->acks, now, &w, limit);
    *reliable = write_messages(link, now, &w, limit);
    sb_acks_write_repeats(&link->acks, now, sent_before, &w, limit);
    write_marks(link, now, *reliable > 0, &w);
    fast = link->outbox.resent_fast - fast;
    link->counters->values[SB_TRANSPORT_COUNT_RETRANSMITTED] += link->outbox.resent - resent - fast;
    link->counters->values[SB_TRANSPORT_COUNT_RETRANSMITTED_FAST] += fast;
    return w.data[1] > 0 ? w.size : 0; /* answers that came too late are not sent */
}

size_t sb_link_write_datagram(sb_link *link, sb_time now, uint8_t peer_id, uint8_t *out,
                              uint32_t *reliable)
{
    size_t size = 0;
    *reliable = 0;
    if (due_at(link) <= now) size = write_due(link, now, peer_id, out, reliable);
    if (size == 0 && link->keeps_alive && now - link->sent_at >= keepalive_interval)
        size = write_noop(peer_id, out);
    if (size == 0) return 0;
    link->sent_at = now;
    SB_COUNT(link->counters->values, SB_TRANSPORT_COUNT_DATAGRAMS_OUT);
    link->counters->values[SB_TRANSPORT_COUNT_BYTES_OUT] += size;
    link->counters->values[SB_TRANSPORT_COUNT_MESSAGES_OUT] += out[1];
    return size;
}

sb_time sb_link_write_at(const sb_link *link)
{
    sb_time at = due_at(link);
    return link->keeps_alive && link->sent_at + keepalive_interval < at
               ? link->sent_at + keepalive_interval
               : at;
}

sb_time sb_link_stalls_at(const sb_link *link)
{
    sb_time since = sb_outbox_waits_since(&link->outbox);
    return since == SB_TIME_NEVER ? SB_TIME_NEVER : since + stall_timeout;
}

sb_time sb_link_assembly_expires_at(const sb_link *link)
{
    return link->inbox.assembly.guaranteed > 0 ? link->fragment_stored_at + assembly_timeout
                                               : SB_TIME_NEVER;
}

void sb_link_info(const sb_link *link, sb_time now, sb_peer_info *info)
{
    const sb_outbox *o = &link->outbox;
    info->heard_at = link->heard_at;
    info->round_trip_us = o->round_trip.smoothed_us;
    info->resend_us = sb_timing_resend_after(o->pace, &o->round_trip, 1);
    info->unacknowledged = sb_outbox_unacknowledged(o);
    info->queued = sb_outbox_queued(o);
    info->stored = link->inbox.stored;
    info->stored_bytes = link->inbox.stored_bytes;
    info->cells = o->account.used + link->inbox.account.used + link->inbox.assembly.used;
    info->retransmitted = o->resent;
    info->attacked = sb_guard_is_attacked(&link->guard, now);
}

void sb_link_check(const sb_link *link)
{
    const sb_acks *a = &link->acks;
    SB_ASSERT(a->places == SB_ACKS_FEW || a->places == SB_ACKS_KEPT);
    SB_ASSERT(a->fresh - a->repeat <= a->places);
    SB_ASSERT(a->end - a->repeat <= a->places);
    SB_ASSERT(a->end - a->fresh <= a->end - a->repeat);
    SB_ASSERT((a->due_at == SB_TIME_NEVER) == (a->fresh == a->end));
    sb_outbox_check(&link->outbox);
    sb_inbox_check(&link->inbox);
}

void sb_link_set_numbers(sb_link *link, uint16_t send, uint16_t expect)
{
    sb_out_channel *out = &link->outbox.channels[SB_CHANNEL_DATA];
    SB_ASSERT(out->count == 0 && out->queue.count == 0);
    sb_in_channel *in = &link->inbox.channels[SB_CHANNEL_DATA];
    for (uint32_t i = 0; i <= in->mask; i++) SB_ASSERT(in->slots[i] == SB_NO_CELL);
    out->next_seq = out->oldest = send;
    in->expected = expect;
    sb_marks_init(&link->marks, link->marks.seed, link->heard_at); /* chosen for other numbers */
}
