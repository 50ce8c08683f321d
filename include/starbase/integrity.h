/* starbase/integrity.h -- computes the integrity hash of a ship class, input by input.
 *
 * For:      servers, which compare it with the hashes of players, and the search for the unknown
 *           inputs (spec 04 §9). docs/decisions/integrity-hash.md explains a mismatch.
 * Never:    hides an assumption: unknown inputs get the defaults below, and the sink is told the
 *           origin of every value.
 * Spec:     04.
 * Promise:  none; may change with any version.
 */
#ifndef STARBASE_INTEGRITY_H
#define STARBASE_INTEGRITY_H

#include <starbase/ship.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Parts of a ship in the order of folding (spec 04 §5.4). A ship may lack some. */
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

/* Origin of a value. */
typedef enum sb_integrity_origin {
    SB_INTEGRITY_KNOWN,
    SB_INTEGRITY_ESTIMATED, /* in the data as an estimate, or inherited from a parent */
    SB_INTEGRITY_ASSUMED,   /* not in the data. Defaults: 0, the empty text; `primary` and `aimed`
                               yes, `single_fire` no, `right` = forward x up */
    SB_INTEGRITY_SET,       /* set by the caller's `amend` */
    SB_INTEGRITY_NESTED,    /* not an input: an accumulator, read as a float (spec 04 §5) */
    SB_INTEGRITY_ORIGINS
} sb_integrity_origin;

typedef enum sb_integrity_kind {
    SB_INTEGRITY_NUMBER,
    SB_INTEGRITY_FLAG,  /* value 0 or 1; spec 04 §5 has the two numbers that are folded for it */
    SB_INTEGRITY_TEXT,  /* `text`; the folds of its characters follow */
    SB_INTEGRITY_COUNT, /* number of torpedo types that follow; not folded itself */
} sb_integrity_kind;

enum { SB_INTEGRITY_TYPES_MAX = 16 }; /* further torpedo types are not folded */

/* One input: a property of the ship, of a system, of a child or of a torpedo type. */
typedef struct sb_integrity_input {
    uint8_t     part;     /* sb_integrity_part */
    uint8_t     kind;     /* sb_integrity_kind */
    uint8_t     origin;   /* sb_integrity_origin */
    int16_t     child;    /* index among the children of the part; -1: the part itself */
    int16_t     type;     /* index of the torpedo type; -1: not a torpedo type */
    int16_t     index;    /* in a vector, the facings or a text; -1: a single value */
    const char *property; /* key in data/, such as "max_condition", or name of the accumulator */
    const char *text;     /* of kind TEXT; NULL: unknown */
    float       value;
} sb_integrity_input;

/* One step of the calculation. The steps of a nested accumulator precede the step that folds it,
 * and have a greater depth. */
typedef struct sb_integrity_step {
    sb_integrity_input input;
    uint8_t            depth;  /* 0: the accumulator of the ship */
    bool               folded; /* false: of kind TEXT or COUNT, which announces the next steps */
    float              value;  /* the folded value; for a flag, one of its two numbers */
    uint32_t           contribution;  /* spec 04 §4 */
    uint32_t           before, after; /* value of the accumulator */
} sb_integrity_step;

typedef struct sb_integrity_assumptions {
    void *context;
    /* Called once for every input before its use. May change `value` or `text`; must then set
     * `origin` to SB_INTEGRITY_SET. `text` is borrowed until sb_ship_integrity returns. */
    void (*amend)(void *context, sb_integrity_input *input);
} sb_integrity_assumptions;

typedef struct sb_integrity_sink {
    void *context;
    void (*step)(void *context, const sb_integrity_step *step);
} sb_integrity_sink;

/* The 32-bit hash; sb_integrity_wire of starbase/hash.h gives the 16 bits of a StateUpdate.
 * `assumptions` and `sink` may be NULL. */
SB_API uint32_t sb_ship_integrity(const sb_ship_class            *ship,
                                  const sb_integrity_assumptions *assumptions,
                                  const sb_integrity_sink        *sink);

/* The hash that an update of this class should have. */
typedef struct sb_integrity_prediction {
    uint16_t wire;      /* computed from the class */
    bool     confirmed; /* a captured update of a stock client has this hash; false: a prediction */
} sb_integrity_prediction;

SB_API sb_integrity_prediction sb_ship_predict_integrity(const sb_ship_class *ship);

/* Names such as "torpedoes" and "known". NULL: no such part or origin. */
SB_API const char *sb_integrity_part_name(uint8_t part);
SB_API const char *sb_integrity_origin_name(uint8_t origin);

#ifdef __cplusplus
}
#endif
#endif
