/* src/transport/acks.c -- see acks.h. */
#include "transport/acks.h"

#include "base/assert.h"
#include "base/compiler.h"

#include <string.h>

static const uint32_t repeat_within_us = 700000; /* spec 01 §6.8 */

void sb_acks_init(sb_acks *acks)
{
    /* Not 0, so that a 0 in `recent` is a position before the ring. */
    acks->repeat = acks->fresh = acks->end = SB_ACKS_KEPT;
    acks->places = SB_ACKS_FEW;
    acks->due_at = SB_TIME_NEVER;
}

static sb_ack_record *record_at(sb_acks *acks, uint32_t at)
{
    return &acks->ring[SB_ACKS_KEPT - acks->places + (at & (acks->places - 1))];
}

static uint16_t *recent_slot(sb_acks *acks, const sb_ack_record *ack)
{
    uint32_t low = ack->flags & SB_ACK_LOW_CHANNEL ? SB_ACKS_RECENT / 2 : 0;
    return &acks->recent[(ack->seq + ack->frag_index * 67u + low) % SB_ACKS_RECENT];
}

static bool is_same(const sb_ack_record *a, const sb_ack_record *b)
{
    return a->seq == b->seq && a->flags == b->flags && a->frag_index == b->frag_index;
}

/* Uses all places of the ring from now on. */
static SB_COLD void widen(sb_acks *acks)
{
    sb_ack_record few[SB_ACKS_FEW];
    uint32_t      count = acks->end - acks->repeat;
    SB_ASSERT(acks->places == SB_ACKS_FEW && count <= SB_ACKS_FEW);
    for (uint32_t i = 0; i < count; i++) few[i] = *record_at(acks, acks->repeat + i);
    acks->places = SB_ACKS_KEPT;
    memset(acks->recent, 0, sizeof acks->recent);
    for (uint32_t i = 0; i < count; i++) {
        *record_at(acks, acks->repeat + i) = few[i];
        *recent_slot(acks, &few[i]) = (uint16_t)(acks->repeat + i);
    }
}

/* Makes room for one more Ack: in a full ring the oldest one goes. False: that Ack was never sent.
 */
static bool make_room(sb_acks *acks)
{
    if (acks->end - acks->repeat < acks->places) return true;
    if (acks->places < SB_ACKS_KEPT) {
        widen(acks);
        return true;
    }
    bool unsent = acks->repeat == acks->fresh;
    if (unsent) acks->fresh++;
    acks->repeat++;
    return !unsent;
}

/* The position of the last Ack for the message, or `end`: none is in the ring. */
static uint32_t find_last(sb_acks *acks, const sb_ack_record *ack)
{
    uint32_t at = acks->end;
    if (acks->places == SB_ACKS_KEPT) {
        uint16_t since = (uint16_t)(*recent_slot(acks, ack) - acks->repeat);
        at = acks->repeat + since; /* the ring is shorter than 65,536 */
        bool kept = since < acks->end - acks->repeat;
        return kept && is_same(record_at(acks, at), ack) ? at : acks->end;
    }
    const sb_ack_record *few = &acks->ring[SB_ACKS_KEPT - SB_ACKS_FEW];
    for (uint32_t left = at - acks->repeat; left > 0; left--)
        if (is_same(&few[--at % SB_ACKS_FEW], ack)) return at;
    return acks->end;
}

bool sb_acks_add(sb_acks *acks, const sb_ack_record *ack, sb_time due_at)
{
    uint32_t at = find_last(acks, ack);
    if (at != acks->end) {
        if (at - acks->fresh < acks->end - acks->fresh)
            return true; /* one Ack per message and datagram */
        record_at(acks, at)->flags |= SB_ACK_OBSOLETE;
    }
    bool fitted = make_room(acks);
    if (acks->fresh == acks->end) acks->due_at = due_at;
    if (acks->places == SB_ACKS_KEPT) *recent_slot(acks, ack) = (uint16_t)acks->end;
    *record_at(acks, acks->end++) = *ack;
    return fitted;
}

void sb_acks_cancel(sb_acks *acks)
{
    acks->repeat = acks->fresh = acks->end;
    acks->due_at = SB_TIME_NEVER;
}

static bool write_ack(const sb_ack_record *ack, sb_datagram_writer *w, uint32_t limit)
{
    if (w->data[1] >= limit) return false;
    sb_transport_message m = { .type = SB_TRANSPORT_ACK,
                               .seq = ack->seq,
                               .ack_flags = (uint8_t)(ack->flags & ~SB_ACK_OBSOLETE),
                               .frag_index = ack->frag_index };
    return sb_datagram_writer_add(w, &m) == SB_OK;
}

void sb_acks_write_fresh(sb_acks *acks, sb_time now, sb_datagram_writer *w, uint32_t limit)
{
    while (acks->fresh != acks->end) {
        sb_ack_record *ack = record_at(acks, acks->fresh);
        if (!write_ack(ack, w, limit)) return; /* the datagram is full; due_at stays for the rest */
        ack->sent_us = (uint32_t)now;
        acks->fresh++;
    }
    acks->due_at = SB_TIME_NEVER;
}

void sb_acks_write_repeats(sb_acks *acks, sb_time now, uint32_t end, sb_datagram_writer *w,
                           uint32_t limit)
{
    for (; acks->repeat != end; acks->repeat++) {
        const sb_ack_record *ack = record_at(acks, acks->repeat);
        if (ack->flags & SB_ACK_OBSOLETE) continue;
        if ((uint32_t)now - ack->sent_us > repeat_within_us) continue;
        if (!write_ack(ack, w, limit)) return;
    }
}
