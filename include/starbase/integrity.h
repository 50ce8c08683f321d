/* starbase/integrity.h -- the integrity hash of a ship class, input by input. Spec 04.
 *
 * For:      reports, and people who look for the inputs that are not known (spec 04 §9). Never a
 *           reason to remove a player: docs/decisions/integrity-hash.md.
 * Never:    guesses in silence: what the data does not say is folded as stated below, and every
 *           fold tells the sink where its value comes from.
 */
#ifndef STARBASE_INTEGRITY_H
#define STARBASE_INTEGRITY_H

#include <starbase/ship.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In the order in which they are folded (spec 04 §5.4). A ship need not have all. */
typedef enum sb_integrity_part {
    SB_INTEGRITY_HULL,
    SB_INTEGRITY_SHIELDS,
    SB_INTEGRITY_REACTOR,
    SB_INTEGRITY_SENSORS,
    SB_INTEGRITY_IMPULSE,
    SB_INTEGRITY_WARP,
    SB_INTEGRITY_REPAIR,
    SB_INTEGRITY_CLOAK,
    SB_INTEGRITY_TORPEDOES,
    SB_INTEGRITY_BEAMS,
    SB_INTEGRITY_PULSE,
    SB_INTEGRITY_TRACTORS,
    SB_INTEGRITY_PARTS
} sb_integrity_part;

/* Where a value comes from. */
typedef enum sb_integrity_origin {
    SB_INTEGRITY_KNOWN,
    SB_INTEGRITY_ESTIMATED, /* in the data, as an estimate or taken over from a parent */
    SB_INTEGRITY_ASSUMED,   /* not in the data: a number or text is taken as 0 or empty, `primary`
                               and `aimed` as yes, `single_fire` as no, `right` as forward x up */
    SB_INTEGRITY_SET,       /* by the caller's `amend` */
    SB_INTEGRITY_NESTED,    /* no input: an accumulator, read as a float (spec 04 §5) */
    SB_INTEGRITY_ORIGINS
} sb_integrity_origin;

typedef enum sb_integrity_kind {
    SB_INTEGRITY_NUMBER,
    SB_INTEGRITY_FLAG,  /* value 0 or 1; which numbers are folded for it: spec 04 §5 */
    SB_INTEGRITY_TEXT,  /* `text`; its characters follow as folds of their own */
    SB_INTEGRITY_COUNT, /* how many torpedo types follow; not folded itself */
} sb_integrity_kind;

enum { SB_INTEGRITY_TYPES_MAX = 16 }; /* torpedo types that are folded at most */

/* One input: a property of the ship, of a system, of one of its children or torpedo types. */
typedef struct sb_integrity_input {
    uint8_t     part;     /* sb_integrity_part */
    uint8_t     kind;     /* sb_integrity_kind */
    uint8_t     origin;   /* sb_integrity_origin */
    int16_t     child;    /* index among the children of the part; -1: the part itself */
    int16_t     type;     /* index of the torpedo type; -1: not about one */
    int16_t     index;    /* in a vector, in six facings, of a character; -1: a single value */
    const char *property; /* "max_condition": the name of the key in data/, or of the accumulator */
    const char *text;     /* of kind TEXT; NULL: unknown */
    float       value;
} sb_integrity_input;

/* One step of the calculation. Steps inside a nested accumulator come before the step that folds
 * it, and have a greater depth. */
typedef struct sb_integrity_step {
    sb_integrity_input input;
    uint8_t            depth;         /* 0: the accumulator of the ship */
    bool               folded;        /* false: kinds TEXT and COUNT, which say what follows */
    float              value;         /* what is folded: for a flag, one of its two numbers */
    uint32_t           contribution;  /* spec 04 §4 */
    uint32_t           before, after; /* the accumulator */
} sb_integrity_step;

typedef struct sb_integrity_assumptions {
    void *context;
    /* Shown every input once before it is used. May change `value` or `text`, and then sets
     * `origin` to SB_INTEGRITY_SET. `text` is borrowed until sb_ship_integrity returns. */
    void (*amend)(void *context, sb_integrity_input *input);
} sb_integrity_assumptions;

typedef struct sb_integrity_sink {
    void *context;
    void (*step)(void *context, const sb_integrity_step *step);
} sb_integrity_sink;

/* The 32-bit hash; sb_integrity_wire of starbase/hash.h makes of it what a StateUpdate carries.
 * `assumptions` and `sink` may be NULL. */
SB_API uint32_t sb_ship_integrity(const sb_ship_class            *ship,
                                  const sb_integrity_assumptions *assumptions,
                                  const sb_integrity_sink        *sink);

/* "torpedoes"; "known". NULL: no such part or origin. */
SB_API const char *sb_integrity_part_name(uint8_t part);
SB_API const char *sb_integrity_origin_name(uint8_t origin);

#ifdef __cplusplus
}
#endif
#endif
