/* src/message/shield_layout.c -- decides whether a sender of a layout could have written a block.
 *
 * For:      starbase/layout.h.
 * Spec:     03 §4.3 (the sender's loop), §15; 02 §4 (bit groups).
 *
 * The check runs the sender's loop without values. The ship's list, the start index and the power
 * bits, which are all 0 or all 1, determine the positions of the entries and group bytes and the
 * end of the block.
 */
#include <starbase/layout.h>
#include <starbase/message.h>

#include <string.h>

#include "base/assert.h"

enum {
    FLAGS_AT = 9,      /* offset of the flags in a StateUpdate */
    BLOCK_BUDGET = 10, /* bytes after which a sender starts no further entry (spec 03 §4.3) */
    GROUP_BITS = 5,    /* booleans in a full group byte */
    NO_END = 0xFF,     /* in place of an index */
};

/* Updates of a lane are 0.1 s apart, nine of ten at most 0.11 s (spec 03 §8). Two updates that are
 * closer than this have no lost update between them. */
static const float max_successor_seconds = 0.15f;

/* A SUBSYS block with the booleans that were written before it. */
typedef struct subsys_block {
    uint32_t object_id;
    float    game_time;
    uint8_t  start;
    sb_span  bytes;      /* without the start index */
    unsigned bits;       /* booleans before the block: has_hash and cloak, as present */
    unsigned bit_values; /* their values, the first in bit 0 */
    uint8_t  group;      /* their group byte; 0: none */
} subsys_block;

/* Finds the group byte of the booleans before the block. If it holds only has_hash and cloak, the
 * decoder keeps no copy, and the byte is computed from both; otherwise the decoder keeps a copy. A
 * sender that gives each of the two a byte of its own fits nothing: the first byte counts one. */
static void find_open_group(const sb_message *m, subsys_block *block)
{
    const sb_state_update *u = &m->as.state_update;
    if (u->flags & SB_STATE_POS) block->bit_values |= (unsigned)u->has_hash << block->bits++;
    if (u->flags & SB_STATE_CLOAK) block->bit_values |= (unsigned)u->cloak << block->bits++;
    block->group = (uint8_t)(block->bits << 5 | block->bit_values);
    if (m->group_count > 0) block->group = m->groups[0];
}

/* Finds the block by decoding the message without a ship, which leaves the block as bytes; so only
 * the description knows the fields before the block. False: no block, or a malformed message. */
static bool find_block(sb_span payload, subsys_block *block)
{
    static const sb_message_context no_ship = { 0 };
    sb_message                      m;
    if (sb_decode_message(payload, &no_ship, &m, NULL) != SB_OK) return false;
    *block = (subsys_block){ .object_id = m.as.state_update.object_id,
                             .game_time = m.as.state_update.game_time,
                             .start = m.as.state_update.start_index,
                             .bytes = m.as.state_update.block };
    find_open_group(&m, block);
    return true;
}

/* The state of the simulated sender: the bytes and booleans written so far. */
typedef struct sender {
    const subsys_block *block;
    size_t              at;     /* bytes of the block without the start index */
    unsigned            bits;   /* number of booleans in the open group */
    unsigned            values; /* values of these booleans */
    uint8_t             group;  /* the received group byte at that position */
    bool                power_known;
    unsigned            power;  /* once known: the value of all power bits */
    bool                shield; /* the shield generator was written */
} sender;

/* True if the received group byte holds the count and the booleans and nothing else: spec 02 §4.2.
 */
static bool is_group_right(const sender *s)
{
    return s->bits == 0 || s->group == (s->bits << 5 | s->values);
}

/* Writes a power bit and, if it is 1, the percentage. The bits are 0 towards the owner and 1
 * towards others (spec 03 §4.1); an observer may not know the owner, so the first bit decides.
 * False: the group byte differs from the one that this sender would write, or the block has ended.
 */
static bool write_power(sender *s)
{
    if (s->bits == GROUP_BITS || s->bits == 0) {
        if (!is_group_right(s) || s->at >= s->block->bytes.size) return false;
        s->group = s->block->bytes.data[s->at++];
        s->bits = s->values = 0;
    }
    if (!s->power_known) s->power = s->group >> s->bits & 1;
    s->power_known = true;
    s->values |= s->power << s->bits++;
    s->at += s->power; /* the percentage */
    return true;
}

/* False: this sender cannot have written the block. */
static bool write_entry(sender *s, const sb_subsystem_class *class, sb_shield_layout layout)
{
    bool shield = class->format == SB_FORMAT_SHIELD;
    s->at += 1u + class->child_count;
    if (shield) s->shield = true;
    if (class->format == SB_FORMAT_BASE || (shield && layout == SB_SHIELD_DOCUMENTED)) return true;
    if (class->format == SB_FORMAT_REACTOR) {
        s->at += 2;
        return true;
    }
    if (!write_power(s)) return false;
    if (shield) s->at += SB_FACINGS; /* after the bit and the percentage: spec 03 §4.2 */
    return true;
}

/* The index of the entry after the last one; NO_END: a sender of this layout did not write the
 * block. Sets `*shield` if the block holds the shield generator; without it the layouts are equal.
 */
static uint8_t find_end(const subsys_block *block, const sb_ship_class *ship,
                        sb_shield_layout layout, bool *shield)
{
    sender s = {
        .block = block, .bits = block->bits, .values = block->bit_values, .group = block->group
    };
    unsigned index = block->start;
    bool     possible;
    do {
        possible = write_entry(&s, &ship->subsystems[index], layout);
        if (++index == ship->subsystem_count) index = 0;
    } while (possible && index != block->start && s.at + 1 < BLOCK_BUDGET);
    *shield = s.shield;
    return possible && s.at == block->bytes.size && is_group_right(&s) ? (uint8_t)index : NO_END;
}

/* Finds the block and its end in each layout. */
static sb_layout_fit fit_block(const sb_ship_class *ship, sb_span payload, subsys_block *block,
                               uint8_t ends[SB_SHIELD_LAYOUTS])
{
    unsigned fit = 0;
    bool     shield;
    if (!ship || payload.size <= FLAGS_AT || payload.data[0] != SB_OP_STATE_UPDATE)
        return SB_FIT_NO_BLOCK;
    if (!(payload.data[FLAGS_AT] & SB_STATE_SUBSYS)) return SB_FIT_NO_BLOCK;
    if (!find_block(payload, block) || block->start >= ship->subsystem_count) return SB_FIT_NEITHER;
    ends[SB_SHIELD_STOCK] = find_end(block, ship, SB_SHIELD_STOCK, &shield);
    ends[SB_SHIELD_DOCUMENTED] = ends[SB_SHIELD_STOCK];
    if (shield) ends[SB_SHIELD_DOCUMENTED] = find_end(block, ship, SB_SHIELD_DOCUMENTED, &shield);
    for (unsigned i = 0; i < SB_SHIELD_LAYOUTS; i++)
        if (ends[i] != NO_END) fit |= 1u << i;
    return fit ? (sb_layout_fit)fit : SB_FIT_NEITHER;
}

sb_layout_fit sb_fit_shield_layout(const sb_ship_class *ship, sb_span payload)
{
    subsys_block block;
    uint8_t      ends[SB_SHIELD_LAYOUTS];
    return fit_block(ship, payload, &block, ends);
}

/* ---- the evidence about one sender ---- */

static void remove_open(sb_layout_evidence *e, size_t at)
{
    SB_ASSERT(at < e->open_count);
    e->open_count--;
    memmove(&e->open[at], &e->open[at + 1], (e->open_count - at) * sizeof *e->open);
}

static void await_successor(sb_layout_evidence *e, const subsys_block *block,
                            const uint8_t ends[SB_SHIELD_LAYOUTS])
{
    if (e->open_count == SB_LAYOUT_OPEN_MAX) remove_open(e, 0);
    sb_layout_open *open = &e->open[e->open_count++];
    open->object_id = block->object_id;
    open->game_time = block->game_time;
    memcpy(open->next, ends, sizeof open->next);
}

/* The layouts in which the previous block of the ship ended where this block begins; 0: no
 * evidence. */
static unsigned fit_predecessor(sb_layout_evidence *e, const subsys_block *block)
{
    unsigned fit = 0;
    size_t   at = 0;
    while (at < e->open_count && e->open[at].object_id != block->object_id) at++;
    if (at == e->open_count) return 0;
    sb_layout_open open = e->open[at];
    float          elapsed = block->game_time - open.game_time;
    remove_open(e, at);
    if (!(elapsed > 0 && elapsed < max_successor_seconds))
        return 0; /* a duplicate, reordered, or after a loss */
    for (unsigned i = 0; i < SB_SHIELD_LAYOUTS; i++)
        if (open.next[i] == block->start) fit |= 1u << i;
    return fit;
}

/* Counts a block that fits exactly one layout, and sets the verdict when enough of them agree. */
static void count_evidence(sb_layout_evidence *e, unsigned fit)
{
    if (fit != SB_FIT_STOCK && fit != SB_FIT_DOCUMENTED) return;
    if (fit != e->run_fit) e->run_count = 0;
    e->run_fit = (uint8_t)fit;
    if (e->run_count < SB_LAYOUT_OVERTURNS) e->run_count++;
    unsigned needed = e->verdict == SB_LAYOUT_UNKNOWN ? SB_LAYOUT_SETTLES : SB_LAYOUT_OVERTURNS;
    if (e->run_count < needed) return;
    e->verdict = fit == SB_FIT_STOCK ? SB_LAYOUT_STOCK : SB_LAYOUT_DOCUMENTED;
}

sb_layout_fit sb_layout_evidence_add(sb_layout_evidence *e, const sb_ship_class *ship,
                                     sb_span payload)
{
    subsys_block  block;
    uint8_t       ends[SB_SHIELD_LAYOUTS];
    sb_layout_fit fit = fit_block(ship, payload, &block, ends);
    if (fit == SB_FIT_NO_BLOCK) return fit;
    if (e->fits[fit] < UINT32_MAX) e->fits[fit]++;
    if (fit == SB_FIT_NEITHER) { /* our list may be wrong; other fits may then be coincidence */
        if (e->run_count > 0) e->run_count--;
        return fit;
    }
    count_evidence(e, fit_predecessor(e, &block));
    count_evidence(e, fit);
    if (ends[SB_SHIELD_STOCK] != ends[SB_SHIELD_DOCUMENTED]) await_successor(e, &block, ends);
    return fit;
}

uint8_t sb_layout_evidence_choose(sb_layout_evidence *e, const sb_ship_class *ship, sb_span payload)
{
    sb_layout_fit fit = sb_layout_evidence_add(e, ship, payload);
    if (fit == SB_FIT_STOCK) return SB_SHIELD_STOCK;
    if (fit == SB_FIT_DOCUMENTED) return SB_SHIELD_DOCUMENTED;
    if (fit == SB_FIT_BOTH && e->verdict == SB_LAYOUT_UNKNOWN) return SB_LAYOUT_EITHER;
    return (uint8_t)sb_layout_evidence_layout(e);
}

sb_layout_verdict sb_layout_evidence_verdict(const sb_layout_evidence *e)
{
    return (sb_layout_verdict)e->verdict;
}

sb_shield_layout sb_layout_evidence_layout(const sb_layout_evidence *e)
{
    return e->verdict == SB_LAYOUT_DOCUMENTED ? SB_SHIELD_DOCUMENTED : SB_SHIELD_STOCK;
}

const char *sb_layout_verdict_text(sb_layout_verdict verdict)
{
    if (verdict == SB_LAYOUT_STOCK) return sb_shield_layout_text(SB_SHIELD_STOCK);
    if (verdict == SB_LAYOUT_DOCUMENTED) return sb_shield_layout_text(SB_SHIELD_DOCUMENTED);
    return "unknown";
}

const char *sb_shield_layout_text(sb_shield_layout layout)
{
    static const char *const texts[SB_SHIELD_LAYOUTS] = { "stock", "documented" };
    SB_ASSERT((unsigned)layout < SB_SHIELD_LAYOUTS);
    return texts[layout];
}

bool sb_find_shield_layout(const char *text, sb_shield_layout *out)
{
    for (int i = 0; i < SB_SHIELD_LAYOUTS; i++) {
        if (strcmp(sb_shield_layout_text((sb_shield_layout)i), text) != 0) continue;
        *out = (sb_shield_layout)i;
        return true;
    }
    return false;
}
