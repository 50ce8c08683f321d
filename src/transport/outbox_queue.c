/* src/transport/outbox_queue.c -- queueing: messages, their fragments, and messages in parts.
 *
 * For:      outbox.h.
 * Spec:     01 §7.1.
 * Tests:    tests/transport/outbox_test.c, parts_test.c
 */
#include "transport/outbox_internal.h"

#include "base/assert.h"

uint32_t sb_outbox_queued(const sb_outbox *o)
{
    return o->channels[SB_CHANNEL_DATA].queue.count + o->channels[SB_CHANNEL_LOW].queue.count +
           o->unreliable.count;
}

static uint32_t queue_entry(sb_outbox *o, sb_entry_list *list, uint8_t type, sb_span bytes)
{
    uint32_t  entry = sb_cells_allocate(o->cells, &o->account, bytes);
    sb_entry *e = sb_outbox_entry(o, entry);
    e->type = type;
    sb_entry_list_append(list, o->cells, entry);
    return entry;
}

/* Queues one message or fragment under the channel's next sequence number. The caller increments
 * the number. */
static sb_entry *queue_numbered(sb_outbox *o, sb_out_channel *c, uint8_t type, sb_span bytes)
{
    sb_entry *e = sb_outbox_entry(o, queue_entry(o, &c->queue, type, bytes));
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
    while (next != SB_NO_CELL &&
           !sb_outbox_is_later(sb_outbox_entry(o, next)->seq, sb_outbox_entry(o, entry)->seq))
        next = sb_outbox_entry(o, next)->next;
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
    sb_entry *e = sb_outbox_entry(o, entry);
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
