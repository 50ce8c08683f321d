/* src/transport/outbox.c -- see outbox.h. */
#include "transport/outbox.h"

#include "base/assert.h"
#include "base/compiler.h"

/* Payload limits: 412 bytes minus the header of a whole message, a first and a later fragment (spec
 * 01 §7.1). */
enum { WHOLE_MAX = 407, FIRST_FRAGMENT = 405, LATER_FRAGMENT = 406, FRAGMENTS_MAX = 255 };

static void use_window(sb_out_channel *c, uint32_t *window, uint32_t places)
{
    c->window = window;
    c->mask = places - 1;
    for (size_t i = 0; i < places; i++) window[i] = SB_NO_CELL;
}

static void init_channel(sb_out_channel *c, uint32_t *window, uint32_t places)
{
    *c = (sb_out_channel){ .progress_at = SB_TIME_NEVER };
    sb_entry_list_init(&c->queue);
    use_window(c, window, places);
}

static void init_lists(sb_outbox *o)
{
    sb_entry_list_init(&o->unreliable);
    for (size_t i = 0; i < SB_SENDS_DISTINCT; i++) sb_entry_list_init(&o->resend[i]);
}

void sb_outbox_init(sb_outbox *o, sb_cells *cells, uint32_t guaranteed, sb_resend_pace pace,
                    const sb_send_bounds *bounds, uint32_t *tables)
{
    SB_ASSERT((bounds->numbers & (bounds->numbers - 1)) == 0);
    *o = (sb_outbox){ .cells = cells,
                      .account = { 0, guaranteed },
                      .bounds = *bounds,
                      .pace = pace,
                      .tables = tables };
    init_channel(&o->channels[SB_CHANNEL_DATA], tables, bounds->numbers);
    init_channel(&o->channels[SB_CHANNEL_LOW], tables + bounds->numbers, SB_LOW_WINDOW);
    init_lists(o);
}

void sb_outbox_init_few(sb_outbox *o, sb_cells *cells, uint32_t guaranteed, sb_resend_pace pace,
                        const sb_send_bounds *bounds, uint32_t *tables, uint32_t *few)
{
    SB_ASSERT((bounds->numbers & (bounds->numbers - 1)) == 0 && bounds->numbers >= SB_FEW_NUMBERS);
    *o = (sb_outbox){ .cells = cells,
                      .account = { 0, guaranteed },
                      .bounds = *bounds,
                      .pace = pace,
                      .tables = tables };
    init_channel(&o->channels[SB_CHANNEL_DATA], few, SB_FEW_NUMBERS);
    init_channel(&o->channels[SB_CHANNEL_LOW], few + SB_FEW_NUMBERS, SB_FEW_LOW_NUMBERS);
    init_lists(o);
}

static sb_entry *get_entry(const sb_outbox *o, uint32_t entry)
{
    return sb_cells_entry(o->cells, entry);
}

static sb_channel_name channel_name(const sb_entry *e)
{
    return e->type == SB_TRANSPORT_DATA ? SB_CHANNEL_DATA : SB_CHANNEL_LOW;
}

static sb_entry_list *resend_list(sb_outbox *o, const sb_entry *e)
{
    unsigned list = e->timed_sends - 1u;
    SB_ASSERT(list < SB_SENDS_DISTINCT); /* the entry was sent at least once */
    return &o->resend[list];
}

/* ---- queueing ---- */

uint32_t sb_outbox_queued(const sb_outbox *o)
{
    return o->channels[SB_CHANNEL_DATA].queue.count + o->channels[SB_CHANNEL_LOW].queue.count +
           o->unreliable.count;
}

static uint32_t queue_entry(sb_outbox *o, sb_entry_list *list, uint8_t type, sb_span bytes)
{
    uint32_t  entry = sb_cells_allocate(o->cells, &o->account, bytes);
    sb_entry *e = get_entry(o, entry);
    e->type = type;
    sb_entry_list_append(list, o->cells, entry);
    return entry;
}

/* Queues one message or fragment under the channel's next sequence number. The caller increments
 * the number. */
static sb_entry *queue_numbered(sb_outbox *o, sb_out_channel *c, uint8_t type, sb_span bytes)
{
    sb_entry *e = get_entry(o, queue_entry(o, &c->queue, type, bytes));
    e->seq = c->next_seq;
    e->offset = c->next_offset;
    c->next_offset += e->size;
    return e;
}

sb_result sb_outbox_queue_control(sb_outbox *o, uint8_t type, sb_span payload)
{
    sb_out_channel *c = &o->channels[SB_CHANNEL_LOW];
    if (c->queue.count >= SB_QUEUE_MAX) return SB_FULL;
    if (!sb_cells_can_allocate(o->cells, &o->account, sb_cells_needed(payload.size)))
        return SB_FULL;
    queue_numbered(o, c, type, payload);
    c->next_seq++;
    return SB_OK;
}

static uint32_t fragment_count(size_t size)
{
    if (size <= WHOLE_MAX) return 1;
    return (uint32_t)(1 + (size - FIRST_FRAGMENT + LATER_FRAGMENT - 1) / LATER_FRAGMENT);
}

/* All fragments but the last are full. */
static uint32_t cells_for_message(size_t size)
{
    uint32_t count = fragment_count(size);
    if (count == 1) return sb_cells_needed(size);
    size_t last = size - FIRST_FRAGMENT - (size_t)(count - 2) * LATER_FRAGMENT;
    return sb_cells_needed(FIRST_FRAGMENT) + (count - 2) * sb_cells_needed(LATER_FRAGMENT) +
           sb_cells_needed(last);
}

static void queue_fragments(sb_outbox *o, sb_span payload)
{
    sb_out_channel *c = &o->channels[SB_CHANNEL_DATA];
    uint32_t        count = fragment_count(payload.size);
    size_t          at = 0;
    for (uint32_t i = 0; i < count; i++) {
        size_t part = count == 1 ? payload.size : i == 0 ? FIRST_FRAGMENT : LATER_FRAGMENT;
        if (part > payload.size - at) part = payload.size - at;
        sb_span   bytes = { payload.data ? payload.data + at : NULL, part };
        sb_entry *e = queue_numbered(o, c, SB_TRANSPORT_DATA, bytes);
        e->frag_index = (uint8_t)i;
        e->frag_total = (uint8_t)(count == 1 ? 0 : count);
        at += part;
    }
    c->next_seq++;
}

sb_result sb_outbox_queue_data(sb_outbox *o, sb_delivery delivery, sb_span payload)
{
    if (payload.size > SB_PAYLOAD_MAX) return SB_BAD_VALUE;
    if (payload.size > WHOLE_MAX) delivery = SB_RELIABLE;
    uint32_t count = fragment_count(payload.size);
    uint32_t cells = cells_for_message(payload.size) + SB_CONTROL_CELLS;
    if (!sb_cells_can_allocate(o->cells, &o->account, cells)) return SB_FULL;
    if (delivery == SB_UNRELIABLE) {
        if (o->unreliable.count >= SB_QUEUE_MAX) return SB_FULL;
        queue_entry(o, &o->unreliable, SB_TRANSPORT_DATA, payload);
        return SB_OK;
    }
    if (o->channels[SB_CHANNEL_DATA].queue.count + count > SB_QUEUE_MAX) return SB_FULL;
    queue_fragments(o, payload);
    return SB_OK;
}

/* ---- a message in parts ---- */

static bool is_later(uint16_t seq, uint16_t than)
{
    return (int16_t)(uint16_t)(seq - than) > 0;
}

/* Reserves the number and the offsets of the whole message: messages queued later get later ones,
 * and the receiver delivers them after this one. */
static void open_parts(sb_outbox *o, size_t size)
{
    sb_out_channel *c = &o->channels[SB_CHANNEL_DATA];
    o->parts = (sb_out_parts){ true, c->next_seq++, c->next_offset, (uint32_t)size };
    c->next_offset += (uint32_t)size;
}

/* Puts a fragment before later messages. Behind them it could wait for ever: the window may hold
 * them back until this message is acknowledged. */
static void queue_in_order(sb_outbox *o, uint32_t entry)
{
    sb_entry_list *queue = &o->channels[SB_CHANNEL_DATA].queue;
    uint32_t       next = queue->first;
    while (next != SB_NO_CELL && !is_later(get_entry(o, next)->seq, get_entry(o, entry)->seq))
        next = get_entry(o, next)->next;
    if (next == SB_NO_CELL) sb_entry_list_append(queue, o->cells, entry);
    else sb_entry_list_insert(queue, o->cells, entry, next);
}

static sb_result queue_whole(sb_outbox *o, sb_span message, size_t *at)
{
    sb_result result = sb_outbox_queue_data(o, SB_RELIABLE, message);
    if (result == SB_OK) *at = message.size;
    return result;
}

sb_result sb_outbox_queue_part(sb_outbox *o, sb_span message, size_t *at)
{
    size_t part = *at == 0 ? FIRST_FRAGMENT : LATER_FRAGMENT;
    if (message.size > SB_PAYLOAD_MAX) return SB_BAD_VALUE;
    if (*at >= message.size || (*at > 0) != o->parts.open) return SB_NOT_ALLOWED;
    if (message.size <= WHOLE_MAX) return queue_whole(o, message, at);
    if (part > message.size - *at) part = message.size - *at;
    if (!sb_cells_can_allocate(o->cells, &o->account, sb_cells_needed(part) + SB_CONTROL_CELLS))
        return SB_FULL;
    if (o->channels[SB_CHANNEL_DATA].queue.count >= SB_QUEUE_MAX) return SB_FULL;
    if (*at == 0) open_parts(o, message.size);
    SB_ASSERT(message.size == o->parts.size);
    sb_span   bytes = { message.data + *at, part };
    uint32_t  entry = sb_cells_allocate(o->cells, &o->account, bytes);
    sb_entry *e = get_entry(o, entry);
    e->type = SB_TRANSPORT_DATA;
    e->seq = o->parts.seq;
    e->offset = o->parts.offset + (uint32_t)*at;
    e->frag_index = (uint8_t)(*at == 0 ? 0 : 1 + (*at - FIRST_FRAGMENT) / LATER_FRAGMENT);
    e->frag_total = (uint8_t)fragment_count(message.size);
    queue_in_order(o, entry);
    *at += part;
    o->parts.open = *at < message.size;
    return SB_OK;
}

size_t sb_outbox_free_bytes(const sb_outbox *o)
{
    uint32_t entries = SB_QUEUE_MAX - o->channels[SB_CHANNEL_DATA].queue.count;
    uint32_t cells = sb_cells_left(o->cells, &o->account);
    if (entries == 0 || cells <= SB_CONTROL_CELLS) return 0;
    cells -= SB_CONTROL_CELLS;
    if (cells < sb_cells_needed(WHOLE_MAX))
        return SB_ENTRY_BYTES + (size_t)(cells - 1) * SB_TAIL_BYTES;
    uint32_t fragments = cells / sb_cells_needed(LATER_FRAGMENT);
    if (fragments > entries) fragments = entries;
    if (fragments > FRAGMENTS_MAX) fragments = FRAGMENTS_MAX;
    return fragments == 1 ? WHOLE_MAX : FIRST_FRAGMENT + (size_t)(fragments - 1) * LATER_FRAGMENT;
}

/* ---- acknowledgement ---- */

static uint32_t *window_slot(const sb_out_channel *c, uint16_t seq)
{
    return &c->window[seq & c->mask];
}

/* The sequence number that an Ack refers to. A host with 8-bit numbers acknowledges only the low
 * byte (spec 01 §6.9); the window towards it has at most 256 numbers, so the low byte is unique. */
static uint16_t acknowledged_number(const sb_outbox *o, const sb_out_channel *c, uint16_t seq)
{
    return o->eight_bit ? (uint16_t)(c->oldest + (uint8_t)(seq - c->oldest)) : seq;
}

static uint32_t find_acknowledged(const sb_outbox *o, const sb_transport_message *ack)
{
    bool                  low = ack->ack_flags & SB_ACK_LOW_CHANNEL;
    bool                  fragment = ack->ack_flags & SB_ACK_FRAGMENT;
    const sb_out_channel *c = &o->channels[low ? SB_CHANNEL_LOW : SB_CHANNEL_DATA];
    uint16_t              seq = acknowledged_number(o, c, ack->seq);
    for (uint32_t i = *window_slot(c, seq); i != SB_NO_CELL; i = get_entry(o, i)->next_fragment) {
        const sb_entry *e = get_entry(o, i);
        if (e->seq != seq || (e->frag_total != 0) != fragment) return SB_NO_CELL;
        if (!fragment || e->frag_index == ack->frag_index) return i;
    }
    return SB_NO_CELL;
}

/* The first number with a message or fragment that was never sent, or next_seq. */
static uint16_t first_unsent(const sb_outbox *o, const sb_out_channel *c)
{
    uint16_t first = c->queue.count > 0 ? get_entry(o, c->queue.first)->seq : c->next_seq;
    bool     open = o->parts.open && c == &o->channels[SB_CHANNEL_DATA];
    return open && is_later(first, o->parts.seq) ? o->parts.seq : first;
}

static void advance_oldest(const sb_outbox *o, sb_out_channel *c)
{
    uint16_t end = first_unsent(o, c);
    while (c->oldest != end && *window_slot(c, c->oldest) == SB_NO_CELL) c->oldest++;
}

/* Removes an entry in flight from window and lists, and releases it. */
static void remove_in_flight(sb_outbox *o, uint32_t entry)
{
    sb_entry       *e = get_entry(o, entry);
    sb_out_channel *c = &o->channels[channel_name(e)];
    uint32_t       *link = window_slot(c, e->seq);
    while (*link != entry) link = &get_entry(o, *link)->next_fragment;
    *link = e->next_fragment;
    sb_entry_list_remove(resend_list(o, e), o->cells, entry);
    c->bytes -= e->size;
    c->count--;
    sb_cells_release(o->cells, &o->account, entry);
    advance_oldest(o, c);
}

/* Adds a round trip sample and updates acked_datagram. A retransmitted message gives no sample,
 * because its Ack may be for any copy. If that Ack comes at least 7/8 of the longest plausible
 * round trip after the last copy, it counts as the Ack of the last copy. Without this rule, while
 * the window is full and no new message leaves, a lost retransmission would be detected only by its
 * timeout. */
static void measure_round_trip(sb_outbox *o, sb_time now, const sb_entry *e)
{
    sb_time taken = now - e->sent_at;
    if (e->timed_sends > 1) sb_timing_add_ambiguous(&o->round_trip, taken, e->timed_sends);
    sb_time longest = sb_timing_longest_trip(&o->round_trip);
    if (!e->repeated) sb_timing_add_sample(&o->round_trip, taken);
    else if (taken < longest - longest / 8) return;
    if ((int32_t)(e->datagram_number - o->acked_datagram) > 0)
        o->acked_datagram = e->datagram_number;
}

/* Finds the fragmented message that an Ack without an index refers to; SB_NO_CELL: none. */
static uint32_t find_plain_ack_target(const sb_outbox *o, const sb_transport_message *ack)
{
    if (!o->plain_fragment_acks || ack->ack_flags != 0) return SB_NO_CELL;
    const sb_out_channel *c = &o->channels[SB_CHANNEL_DATA];
    uint16_t              seq = acknowledged_number(o, c, ack->seq);
    uint32_t              first = *window_slot(c, seq);
    if (first == SB_NO_CELL) return SB_NO_CELL;
    const sb_entry *e = get_entry(o, first);
    if (e->seq != seq || e->frag_total == 0) return SB_NO_CELL;
    return first_unsent(o, c) == e->seq ? SB_NO_CELL : first;
}

/* Handles an Ack from a host that acknowledges fragments without their index (spec 01 §12 row 9):
 * after as many such Acks as the message has fragments, all fragments have arrived. */
static bool handle_plain_ack(sb_outbox *o, sb_time now, const sb_transport_message *ack)
{
    sb_out_channel *c = &o->channels[SB_CHANNEL_DATA];
    uint32_t        first = find_plain_ack_target(o, ack);
    if (first == SB_NO_CELL) return false;
    uint16_t seq = get_entry(o, first)->seq;
    if (o->plain_count == 0) o->plain_seq = seq;
    if (o->plain_seq != seq) return false;
    c->progress_at = now;
    if (++o->plain_count < get_entry(o, first)->frag_total) return true;
    o->plain_count = 0;
    while (*window_slot(c, seq) != SB_NO_CELL) remove_in_flight(o, *window_slot(c, seq));
    if (c->count == 0) c->progress_at = SB_TIME_NEVER;
    return true;
}

bool sb_outbox_acknowledge(sb_outbox *o, sb_time now, const sb_transport_message *ack)
{
    uint32_t entry = find_acknowledged(o, ack);
    if (entry == SB_NO_CELL) return handle_plain_ack(o, now, ack);
    sb_entry       *e = get_entry(o, entry);
    sb_out_channel *c = &o->channels[channel_name(e)];
    measure_round_trip(o, now, e);
    remove_in_flight(o, entry);
    c->progress_at = c->count > 0 ? now : SB_TIME_NEVER;
    return true;
}

bool sb_outbox_expects(const sb_outbox *o, const sb_transport_message *ack)
{
    return find_acknowledged(o, ack) != SB_NO_CELL;
}

/* ---- sending ---- */

/* When the first entry of a list is retransmitted: at its timeout, or earlier (`*fast`, spec 01
 * §6.5) if a datagram sent later has been acknowledged. If that datagram was sent at least
 * SB_LOST_BEHIND datagrams later, the entry counts as lost; otherwise it may only be reordered, and
 * counts as lost after sb_timing_reorder_time. */
static sb_time list_resend_at(const sb_outbox *o, size_t list, bool *fast)
{
    const sb_entry *e = get_entry(o, o->resend[list].first);
    sb_time         wait = sb_timing_resend_after(o->pace, &o->round_trip, (unsigned)list + 1);
    int32_t         behind = (int32_t)(o->acked_datagram - e->datagram_number);
    *fast = false;
    if (o->pace == SB_PACE_MEASURED && behind > 0 && e->fast_resends < SB_FAST_MAX) {
        sb_time sooner =
            behind >= SB_LOST_BEHIND ? SB_FAST_US : sb_timing_reorder_time(&o->round_trip);
        if (sooner < SB_FAST_US) sooner = SB_FAST_US;
        *fast = sooner < wait;
        if (*fast) wait = sooner;
    }
    return e->sent_at + wait;
}

/* The entry to retransmit, or SB_NO_CELL; `*fast` as in list_resend_at. Entries with the most sends
 * go first: they are usually the oldest, and a receiver short of memory accepts only the message
 * that it expects next. */
static uint32_t next_resend(const sb_outbox *o, sb_time now, bool *fast)
{
    if (sb_outbox_unacknowledged(o) == 0) return SB_NO_CELL;
    for (size_t i = SB_SENDS_DISTINCT; i-- > 0;)
        if (o->resend[i].count > 0 && list_resend_at(o, i, fast) <= now) return o->resend[i].first;
    return SB_NO_CELL;
}

sb_time sb_outbox_resend_at(const sb_outbox *o)
{
    sb_time  at = SB_TIME_NEVER;
    bool     fast;
    uint32_t left = sb_outbox_unacknowledged(o); /* entries in the lists from `i` on */
    for (size_t i = 0; i < SB_SENDS_DISTINCT && left > 0; left -= o->resend[i++].count) {
        if (o->resend[i].count == 0) continue;
        sb_time expires = list_resend_at(o, i, &fast);
        if (expires < at) at = expires;
    }
    return at;
}

/* Offset of the first payload byte of the oldest unacknowledged message. */
static uint32_t oldest_offset(const sb_outbox *o, const sb_out_channel *c)
{
    uint32_t first = *window_slot(c, c->oldest);
    if (o->parts.open && c == &o->channels[SB_CHANNEL_DATA] && c->oldest == o->parts.seq)
        return o->parts.offset;
    if (first == SB_NO_CELL) first = c->queue.first;
    const sb_entry *e = get_entry(o, first);
    if (e->frag_index == 0) return e->offset;
    return e->offset - FIRST_FRAGMENT - (e->frag_index - 1u) * LATER_FRAGMENT;
}

/* Numbers that may be in flight. */
static uint32_t window_size(const sb_outbox *o, const sb_out_channel *c)
{
    return c == &o->channels[SB_CHANNEL_DATA] ? o->bounds.numbers : SB_LOW_WINDOW;
}

/* Moves what is in flight to the largest window. Entries of one number stay linked. */
static SB_COLD void widen(sb_outbox *o, sb_out_channel *c)
{
    const uint32_t *few = c->window;
    uint32_t        places = c->mask + 1;
    bool            data = c == &o->channels[SB_CHANNEL_DATA];
    SB_ASSERT(places < window_size(o, c));
    use_window(c, o->tables + (data ? 0 : o->bounds.numbers), window_size(o, c));
    for (uint32_t i = 0; i < places; i++)
        if (few[i] != SB_NO_CELL) *window_slot(c, get_entry(o, few[i])->seq) = few[i];
}

/* Does the window allow the first queued entry of the channel? */
static bool can_send_next(const sb_outbox *o, const sb_out_channel *c)
{
    if (c->queue.count == 0) return false;
    const sb_entry *e = get_entry(o, c->queue.first);
    uint16_t        ahead = (uint16_t)(e->seq - c->oldest);
    if (ahead > c->mask && ahead >= window_size(o, c)) return false;
    if (c->bytes + e->size > o->bounds.bytes) return false;
    /* The receiver always keeps memory for the oldest message (spec 01 §6.3). */
    return e->seq == c->oldest || e->offset + e->size - oldest_offset(o, c) <= o->bounds.span;
}

bool sb_outbox_has_new(const sb_outbox *o)
{
    return o->unreliable.count > 0 || can_send_next(o, &o->channels[SB_CHANNEL_LOW]) ||
           can_send_next(o, &o->channels[SB_CHANNEL_DATA]);
}

static bool write_entry(const sb_outbox *o, uint32_t entry, bool reliable, sb_datagram_writer *w,
                        uint32_t limit)
{
    if (w->data[1] >= limit) return false;
    uint8_t              buffer[SB_MESSAGE_MAX];
    const sb_entry      *e = get_entry(o, entry);
    sb_transport_message m = { .type = e->type,
                               .reliable = reliable,
                               .priority = e->type != SB_TRANSPORT_DATA,
                               .fragment = e->frag_total != 0,
                               .seq = e->seq,
                               .frag_index = e->frag_index,
                               .frag_total = e->frag_total };
    m.payload = (sb_span){ NULL, e->size };
    if (sb_transport_message_bytes(&m) > w->capacity - w->size) return false;
    m.payload = sb_cells_payload(o->cells, entry, buffer);
    return sb_datagram_writer_add(w, &m) == SB_OK;
}

/* Records a send: the entry moves to the end of the list with its timeout. A fast retransmission
 * answers an observed loss and does not make the next timeout longer. */
static void mark_sent(sb_outbox *o, sb_time now, uint32_t entry, bool fast)
{
    sb_entry *e = get_entry(o, entry);
    e->sent_at = now;
    e->datagram_number = o->datagram_count + 1; /* number of the datagram being written */
    e->repeated = e->timed_sends > 0;
    if (fast) e->fast_resends++;
    else if (e->timed_sends < SB_SENDS_DISTINCT) e->timed_sends++;
    sb_entry_list_append(resend_list(o, e), o->cells, entry);
}

static uint32_t write_resends(sb_outbox *o, sb_time now, sb_datagram_writer *w, uint32_t limit)
{
    uint32_t written = 0, entry;
    bool     fast;
    while ((entry = next_resend(o, now, &fast)) != SB_NO_CELL) {
        if (!write_entry(o, entry, true, w, limit)) break;
        sb_entry *e = get_entry(o, entry);
        sb_entry_list_remove(resend_list(o, e), o->cells, entry);
        mark_sent(o, now, entry, fast);
        /* A retransmission of fragment 0 starts a new count of Acks without index. */
        if (e->frag_total != 0 && e->frag_index == 0 && e->seq == o->plain_seq) o->plain_count = 0;
        o->resent++;
        o->resent_fast += fast;
        written++;
    }
    return written;
}

static uint32_t write_new(sb_outbox *o, sb_channel_name name, sb_time now, sb_datagram_writer *w,
                          uint32_t limit)
{
    sb_out_channel *c = &o->channels[name];
    uint32_t        written = 0;
    while (can_send_next(o, c)) {
        uint32_t  entry = c->queue.first;
        sb_entry *e = get_entry(o, entry);
        if (!write_entry(o, entry, true, w, limit)) break;
        sb_entry_list_remove(&c->queue, o->cells, entry);
        if ((uint16_t)(e->seq - c->oldest) > c->mask) widen(o, c);
        uint32_t *window = window_slot(c, e->seq);
        e->next_fragment = *window;
        *window = entry;
        c->bytes += e->size;
        if (c->count++ == 0) c->progress_at = now;
        mark_sent(o, now, entry, false);
        written++;
    }
    return written;
}

static void write_unreliable(sb_outbox *o, sb_datagram_writer *w, uint32_t limit)
{
    while (o->unreliable.count > 0) {
        uint32_t entry = o->unreliable.first;
        if (!write_entry(o, entry, false, w, limit)) return;
        sb_entry_list_remove(&o->unreliable, o->cells, entry);
        sb_cells_release(o->cells, &o->account, entry);
    }
}

uint32_t sb_outbox_write(sb_outbox *o, sb_time now, sb_datagram_writer *w, uint32_t limit)
{
    uint32_t reliable = write_resends(o, now, w, limit);
    reliable += write_new(o, SB_CHANNEL_LOW, now, w, limit);
    reliable += write_new(o, SB_CHANNEL_DATA, now, w, limit);
    write_unreliable(o, w, limit);
    if (reliable > 0) o->datagram_count++;
    return reliable;
}

sb_time sb_outbox_waits_since(const sb_outbox *o)
{
    sb_time data = o->channels[SB_CHANNEL_DATA].progress_at;
    sb_time low = o->channels[SB_CHANNEL_LOW].progress_at;
    return data < low ? data : low;
}

/* ---- clearing ---- */

static void clear_list(sb_outbox *o, sb_entry_list *list)
{
    while (list->count > 0) {
        uint32_t entry = list->first;
        sb_entry_list_remove(list, o->cells, entry);
        sb_cells_release(o->cells, &o->account, entry);
    }
}

static void clear_channel(sb_outbox *o, sb_out_channel *c)
{
    clear_list(o, &c->queue);
    for (size_t i = 0; i <= c->mask; i++)
        while (c->window[i] != SB_NO_CELL) remove_in_flight(o, c->window[i]);
    c->oldest = c->next_seq;
    c->progress_at = SB_TIME_NEVER;
}

void sb_outbox_clear_data(sb_outbox *o)
{
    o->parts.open = false;
    clear_list(o, &o->unreliable);
    clear_channel(o, &o->channels[SB_CHANNEL_DATA]);
}

void sb_outbox_clear(sb_outbox *o)
{
    sb_outbox_clear_data(o);
    clear_channel(o, &o->channels[SB_CHANNEL_LOW]);
    SB_ASSERT(o->account.used == 0);
}

/* ---- invariants ---- */

static uint32_t check_list(const sb_outbox *o, const sb_entry_list *list, uint32_t *cells)
{
    uint32_t count = 0, prev = SB_NO_CELL;
    for (uint32_t i = list->first; i != SB_NO_CELL; prev = i, i = get_entry(o, i)->next) {
        SB_ASSERT(get_entry(o, i)->prev == prev);
        *cells += sb_cells_needed(get_entry(o, i)->size);
        count++;
    }
    SB_ASSERT(list->last == prev);
    SB_ASSERT(list->count == count);
    return count;
}

static uint32_t check_window(const sb_outbox *o, const sb_out_channel *c)
{
    uint32_t count = 0, bytes = 0;
    for (size_t slot = 0; slot <= c->mask; slot++)
        for (uint32_t i = c->window[slot]; i != SB_NO_CELL; i = get_entry(o, i)->next_fragment) {
            SB_ASSERT((get_entry(o, i)->seq & c->mask) == slot);
            SB_ASSERT((uint16_t)(get_entry(o, i)->seq - c->oldest) <= c->mask);
            SB_ASSERT(get_entry(o, i)->timed_sends > 0);
            bytes += get_entry(o, i)->size;
            count++;
        }
    SB_ASSERT(c->mask < window_size(o, c));
    SB_ASSERT(count == c->count);
    SB_ASSERT(bytes == c->bytes);
    SB_ASSERT(bytes <= o->bounds.bytes);
    SB_ASSERT(c->queue.count <= SB_QUEUE_MAX);
    SB_ASSERT((c->progress_at == SB_TIME_NEVER) == (count == 0));
    return count;
}

void sb_outbox_check(const sb_outbox *o)
{
    uint32_t cells = 0, waiting = 0, in_flight = 0;
    check_list(o, &o->unreliable, &cells);
    for (size_t i = 0; i < SB_CHANNELS; i++) {
        check_list(o, &o->channels[i].queue, &cells);
        in_flight += check_window(o, &o->channels[i]);
    }
    for (size_t i = 0; i < SB_SENDS_DISTINCT; i++) waiting += check_list(o, &o->resend[i], &cells);
    const sb_out_channel *data = &o->channels[SB_CHANNEL_DATA];
    SB_ASSERT(!o->parts.open || !is_later(data->oldest, o->parts.seq));
    SB_ASSERT(!o->parts.open || is_later(data->next_seq, o->parts.seq));
    SB_ASSERT(waiting == in_flight);
    SB_ASSERT(cells == o->account.used);
}
