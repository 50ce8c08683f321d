/* src/transport/outbox.c -- acknowledging and sending; see outbox.h. */
#include "transport/outbox_internal.h"

#include "base/assert.h"
#include "base/compiler.h"

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
    for (uint32_t i = *window_slot(c, seq); i != SB_NO_CELL;
         i = sb_outbox_entry(o, i)->next_fragment) {
        const sb_entry *e = sb_outbox_entry(o, i);
        if (e->seq != seq || (e->frag_total != 0) != fragment) return SB_NO_CELL;
        if (!fragment || e->frag_index == ack->frag_index) return i;
    }
    return SB_NO_CELL;
}

/* The first number with a message or fragment that was never sent, or next_seq. */
static uint16_t first_unsent(const sb_outbox *o, const sb_out_channel *c)
{
    uint16_t first = c->queue.count > 0 ? sb_outbox_entry(o, c->queue.first)->seq : c->next_seq;
    bool     open = o->parts.open && c == &o->channels[SB_CHANNEL_DATA];
    return open && sb_outbox_is_later(first, o->parts.seq) ? o->parts.seq : first;
}

static void advance_oldest(const sb_outbox *o, sb_out_channel *c)
{
    uint16_t end = first_unsent(o, c);
    while (c->oldest != end && *window_slot(c, c->oldest) == SB_NO_CELL) c->oldest++;
}

/* Removes an entry in flight from window and lists, and releases it. */
static void remove_in_flight(sb_outbox *o, uint32_t entry)
{
    sb_entry       *e = sb_outbox_entry(o, entry);
    sb_out_channel *c = &o->channels[channel_name(e)];
    uint32_t       *link = window_slot(c, e->seq);
    while (*link != entry) link = &sb_outbox_entry(o, *link)->next_fragment;
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
    const sb_entry *e = sb_outbox_entry(o, first);
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
    uint16_t seq = sb_outbox_entry(o, first)->seq;
    if (o->plain_count == 0) o->plain_seq = seq;
    if (o->plain_seq != seq) return false;
    c->progress_at = now;
    if (++o->plain_count < sb_outbox_entry(o, first)->frag_total) return true;
    o->plain_count = 0;
    while (*window_slot(c, seq) != SB_NO_CELL) remove_in_flight(o, *window_slot(c, seq));
    if (c->count == 0) c->progress_at = SB_TIME_NEVER;
    return true;
}

bool sb_outbox_acknowledge(sb_outbox *o, sb_time now, const sb_transport_message *ack)
{
    uint32_t entry = find_acknowledged(o, ack);
    if (entry == SB_NO_CELL) return handle_plain_ack(o, now, ack);
    sb_entry       *e = sb_outbox_entry(o, entry);
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
    const sb_entry *e = sb_outbox_entry(o, o->resend[list].first);
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
    const sb_entry *e = sb_outbox_entry(o, first);
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
        if (few[i] != SB_NO_CELL) *window_slot(c, sb_outbox_entry(o, few[i])->seq) = few[i];
}

/* Does the window allow the first queued entry of the channel? */
static bool can_send_next(const sb_outbox *o, const sb_out_channel *c)
{
    if (c->queue.count == 0) return false;
    const sb_entry *e = sb_outbox_entry(o, c->queue.first);
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
    const sb_entry      *e = sb_outbox_entry(o, entry);
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
    sb_entry *e = sb_outbox_entry(o, entry);
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
        sb_entry *e = sb_outbox_entry(o, entry);
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
        sb_entry *e = sb_outbox_entry(o, entry);
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
    for (uint32_t i = list->first; i != SB_NO_CELL; prev = i, i = sb_outbox_entry(o, i)->next) {
        SB_ASSERT(sb_outbox_entry(o, i)->prev == prev);
        *cells += sb_cells_needed(sb_outbox_entry(o, i)->size);
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
        for (uint32_t i = c->window[slot]; i != SB_NO_CELL;
             i = sb_outbox_entry(o, i)->next_fragment) {
            SB_ASSERT((sb_outbox_entry(o, i)->seq & c->mask) == slot);
            SB_ASSERT((uint16_t)(sb_outbox_entry(o, i)->seq - c->oldest) <= c->mask);
            SB_ASSERT(sb_outbox_entry(o, i)->timed_sends > 0);
            bytes += sb_outbox_entry(o, i)->size;
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
    SB_ASSERT(!o->parts.open || !sb_outbox_is_later(data->oldest, o->parts.seq));
    SB_ASSERT(!o->parts.open || sb_outbox_is_later(data->next_seq, o->parts.seq));
    SB_ASSERT(waiting == in_flight);
    SB_ASSERT(cells == o->account.used);
}
