/* starbase/layout.h -- which layout of the shield generator a sender uses, told from its blocks.
 *
 * For:      receivers and onlookers: stock hosts write the shield generator in eight parts, others
 *           in one byte, and nothing on the wire says which (spec 03 §4.2, §15).
 * Never:    allocates or remembers ships: the evidence about one sender is a small struct.
 * Spec:     03 §4.3 (where a block stops), 02 §4 (bit groups).
 *
 *     sb_layout_evidence peer = { 0 };
 *     uint8_t layout = sb_layout_evidence_move(&peer, ship->model, payload); // each 0x1C, first
 *     sb_receiver_apply(&receiver, ship, now, layout, payload, NULL);
 *
 * A block fits a layout if a sender of that layout could have written it: it ends where the budget
 * of ten bytes or the whole list ends it, and every group byte is the one that sender would have
 * written, with all power bits 1 or all 0. What a sender writes always fits its own layout, so one
 * that keeps to the rule never gives evidence for the other one.
 *
 * Blocks without the shield generator fit both, and a few with it do, too: those a Bird of Prey's
 * owner gets from such a sender all the time. But their entries are not the same, so the next block
 * of the ship tells them apart by where it begins.
 */
#ifndef STARBASE_LAYOUT_H
#define STARBASE_LAYOUT_H

#include <starbase/base.h>
#include <starbase/ship.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The layouts that explain a block: a set of 1 << sb_shield_layout, if it is not empty. */
typedef enum sb_layout_fit {
    SB_FIT_NO_BLOCK = 0, /* no StateUpdate with SUBSYS, or of a ship without a list */
    SB_FIT_STOCK = 1 << SB_SHIELD_STOCK,
    SB_FIT_DOCUMENTED = 1 << SB_SHIELD_DOCUMENTED,
    SB_FIT_BOTH = SB_FIT_STOCK | SB_FIT_DOCUMENTED,
    SB_FIT_NEITHER,
    SB_LAYOUT_FITS
} sb_layout_fit;

enum {
    SB_LAYOUT_SETTLES = 3,   /* so much evidence for one layout, none between against ... */
    SB_LAYOUT_OVERTURNS = 6, /* ... and so much to overturn that: hosts seldom change */
    SB_LAYOUT_OPEN_MAX = 8,  /* blocks whose successors are awaited */
};

typedef enum sb_layout_verdict {
    SB_LAYOUT_UNKNOWN, /* read it as stock */
    SB_LAYOUT_STOCK,
    SB_LAYOUT_DOCUMENTED,
} sb_layout_verdict;

/* A block that ends at another entry in either layout; its successor tells in which. */
typedef struct sb_layout_open {
    uint32_t object_id;
    float    game_time;
    uint8_t  next[SB_SHIELD_LAYOUTS]; /* where its successor begins; 0xFF: it does not fit */
} sb_layout_open;

/* What is known about one sender. All zero is the start. */
typedef struct sb_layout_evidence {
    uint32_t fits[SB_LAYOUT_FITS]; /* blocks by sb_layout_fit; they stop at their largest number */
    uint8_t  verdict;              /* sb_layout_verdict */
    uint8_t  run_fit;              /* what spoke last for one layout only spoke for this one ... */
    uint8_t  run_count; /* ... so often in a row, less one for each block that fits neither */
    uint8_t  open_count;
    sb_layout_open open[SB_LAYOUT_OPEN_MAX]; /* the oldest first */
} sb_layout_evidence;

/* How one StateUpdate fits. `payload`: the whole message, opcode first: booleans before the block
 * share its group bytes. `ship` may be NULL. */
SB_API sb_layout_fit sb_fit_shield_layout(const sb_ship_class *ship, sb_span payload);

/* Takes one message of the sender into account, whatever it is, and returns how it fits. */
SB_API sb_layout_fit sb_layout_evidence_add(sb_layout_evidence *e, const sb_ship_class *ship,
                                            sb_span payload);

/* The same for a receiver: returns what to read this message with, for sb_receiver_apply and
 * sb_message_context.layout. A block that fits one layout only is read in that one, whatever the
 * verdict; any other in that of the verdict. A block that fits both before there is a verdict gives
 * SB_LAYOUT_EITHER: nobody knows yet what stands behind the generator's condition. */
enum { SB_LAYOUT_EITHER = SB_SHIELD_LAYOUTS }; /* decoders read it as stock */
SB_API uint8_t sb_layout_evidence_move(sb_layout_evidence *e, const sb_ship_class *ship,
                                       sb_span payload);

SB_API sb_layout_verdict sb_layout_evidence_verdict(const sb_layout_evidence *e);
/* For sb_message_context.layout: stock until the verdict is another. */
SB_API sb_shield_layout sb_layout_evidence_layout(const sb_layout_evidence *e);
/* "unknown", "stock", "documented" */
SB_API const char *sb_layout_verdict_text(sb_layout_verdict verdict);

/* "stock", "documented": the words of options, JSON and ship data. */
SB_API const char *sb_shield_layout_text(sb_shield_layout layout);
/* False: neither of these words; `*out` is as before. */
SB_API bool sb_find_shield_layout(const char *text, sb_shield_layout *out);

#ifdef __cplusplus
}
#endif
#endif
