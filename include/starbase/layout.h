/* starbase/layout.h -- detects the layout of the shield generator that a sender uses.
 *
 * For:      receivers and observers. Stock hosts write the shield generator in eight parts, other
 *           hosts in one byte, and no field on the wire says which (spec 03 §4.2, §15).
 * Never:    allocates or stores ships: the evidence about one sender is a small struct.
 * Spec:     03 §4.3 (the end of a block), 02 §4 (bit groups).
 * Promise:  none; may change with any version.
 *
 *     sb_layout_evidence peer = { 0 };
 *     // for each StateUpdate of the peer:
 *     uint8_t layout = sb_layout_evidence_choose(&peer, ship->model, payload);
 *     sb_receiver_apply(&receiver, ship, now, layout, payload, NULL);
 *
 * A block fits a layout if a sender of that layout could have written it: the block ends where that
 * sender stops, after ten bytes or one pass over the list, and every group byte is the one that the
 * sender would have written, with all power bits 1 or all 0. A block always fits the layout of its
 * sender, so a sender that follows the rule gives no evidence for the other layout.
 *
 * Blocks without the shield generator fit both layouts. A few blocks with the shield generator fit
 * both, too, such as those to the owner of a Bird of Prey. The layouts then disagree about the last
 * entry of the block, so the start index of the ship's next block decides.
 */
#ifndef STARBASE_LAYOUT_H
#define STARBASE_LAYOUT_H

#include <starbase/base.h>
#include <starbase/ship.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The layouts that a block fits: a set of bits 1 << sb_shield_layout, or a value of its own if the
 * set is empty. */
typedef enum sb_layout_fit {
    SB_FIT_NO_BLOCK = 0, /* not a StateUpdate with SUBSYS, or the ship has no list */
    SB_FIT_STOCK = 1 << SB_SHIELD_STOCK,
    SB_FIT_DOCUMENTED = 1 << SB_SHIELD_DOCUMENTED,
    SB_FIT_BOTH = SB_FIT_STOCK | SB_FIT_DOCUMENTED,
    SB_FIT_NEITHER,
    SB_LAYOUT_FITS
} sb_layout_fit;

enum {
    SB_LAYOUT_SETTLES = 3,   /* consecutive evidence for one layout, for the first verdict */
    SB_LAYOUT_OVERTURNS = 6, /* the same, to change a verdict: hosts seldom change */
    SB_LAYOUT_OPEN_MAX = 8,  /* blocks that wait for their successor */
};

typedef enum sb_layout_verdict {
    SB_LAYOUT_UNKNOWN, /* read blocks as stock */
    SB_LAYOUT_STOCK,
    SB_LAYOUT_DOCUMENTED,
} sb_layout_verdict;

/* A block that ends at a different entry in each layout; its successor decides. */
typedef struct sb_layout_open {
    uint32_t object_id;
    float    game_time;
    /* By layout: the start index that the successor must have; 0xFF: the block does not fit. */
    uint8_t next[SB_SHIELD_LAYOUTS];
} sb_layout_open;

/* The evidence about one sender. Starts as all zero. */
typedef struct sb_layout_evidence {
    uint32_t fits[SB_LAYOUT_FITS]; /* number of blocks by sb_layout_fit; saturates */
    uint8_t  verdict;              /* sb_layout_verdict */
    uint8_t  run_fit;              /* the layout of the last evidence */
    uint8_t  run_count; /* evidence for run_fit in a row, minus one per block that fits neither */
    uint8_t  open_count;
    sb_layout_open open[SB_LAYOUT_OPEN_MAX]; /* the oldest first */
} sb_layout_evidence;

/* The layouts that the block of a StateUpdate fits. `payload` is the whole message with its opcode,
 * because booleans before the block share its group bytes. `ship` may be NULL. */
SB_API sb_layout_fit sb_fit_shield_layout(const sb_ship_class *ship, sb_span payload);

/* Adds any message of the sender to the evidence and returns the layouts that it fits. */
SB_API sb_layout_fit sb_layout_evidence_add(sb_layout_evidence *e, const sb_ship_class *ship,
                                            sb_span payload);

/* Adds a message to the evidence and returns the layout in which to read it, for sb_receiver_apply
 * and sb_message_context.layout. A block that fits one layout is read in that layout; any other in
 * the layout of the verdict. SB_LAYOUT_EITHER: the block fits both and there is no verdict yet, so
 * the bytes after the generator's condition are ambiguous. */
enum { SB_LAYOUT_EITHER = SB_SHIELD_LAYOUTS }; /* decoders read it as stock */
SB_API uint8_t sb_layout_evidence_choose(sb_layout_evidence *e, const sb_ship_class *ship,
                                         sb_span payload);

SB_API sb_layout_verdict sb_layout_evidence_verdict(const sb_layout_evidence *e);
/* The layout of the verdict, for sb_message_context.layout; stock while unknown. */
SB_API sb_shield_layout sb_layout_evidence_layout(const sb_layout_evidence *e);
/* "unknown", "stock", "documented" */
SB_API const char *sb_layout_verdict_text(sb_layout_verdict verdict);

/* "stock" or "documented", as in options, JSON and ship data. */
SB_API const char *sb_shield_layout_text(sb_shield_layout layout);
/* False: neither of these words; `*out` is unchanged. */
SB_API bool sb_find_shield_layout(const char *text, sb_shield_layout *out);

#ifdef __cplusplus
}
#endif
#endif
