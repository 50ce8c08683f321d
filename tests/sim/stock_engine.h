/* tests/sim/stock_engine.h -- a model of a stock client that computes the whole fight by itself.
 *
 * In the game every client runs the engine for all ships, and the host's health blocks (flag 0x20
 * of StateUpdate) overwrite what it has computed. This model does the same: it plays the recording
 * of one client's session, computes the laws of the engine between two messages, and reports, for
 * every health block, what it had computed beside what the host says.
 *
 * The engine is the library's simulation (starbase/combat.h). What differs from the host:
 *
 *   clock      its own: steps, recharges and power budgets have other phases than the host's
 *   recharge   of shields: a random phase per ship; of banks: 1.0 for its own ship, 1.25 for others
 *   beams      start 0 to 0.33 s after the order
 *   motion     others by dead reckoning from the updates that arrive; its own ship exactly
 *   shots      a shot that the owner announces flies; a client does not doubt it
 *   power      only its own ship can be short of power
 *   batteries, repair, collision damage, deaths: only the host computes them
 *
 * For:      jumps.c.
 */
#ifndef TESTS_SIM_STOCK_ENGINE_H
#define TESTS_SIM_STOCK_ENGINE_H

#include "tests/sim/recording.h"

typedef enum stock_engine_byte_kind {
    STOCK_ENGINE_CONDITION,
    STOCK_ENGINE_FACING,
    STOCK_ENGINE_BATTERY,
} stock_engine_byte_kind;

/* One byte of a health block. */
typedef struct stock_engine_byte {
    uint8_t kind;      /* stock_engine_byte_kind */
    uint8_t index;     /* entry, facing, or battery (0 main, 1 backup) */
    int8_t  child;     /* of the entry; -1: none */
    uint8_t host_code; /* what the host says */
    float   host;      /* the same; with `exact`, the host's value before rounding, in codes */
    float   computed;  /* what the client had computed, in codes: value / maximum * 255 */
    bool    host_only; /* a battery, or a part that the host repaired or damaged by a collision
                          after it had told its condition last: no client computes these */
} stock_engine_byte;

enum { STOCK_ENGINE_BYTES = 192 };

/* One health block. */
typedef struct stock_engine_update {
    sb_time     at;
    uint32_t    object_id;
    const char *ship; /* key of the class */
    bool        own;
    bool        quiet; /* neither the client nor the host computed a hit on the ship within
                          the last round trip + 0.2 s */
    unsigned          count;
    stock_engine_byte bytes[STOCK_ENGINE_BYTES];
} stock_engine_update;

typedef struct stock_engine_config {
    uint64_t seed;
    bool     beams_at_once; /* beams start with the order, not 0 to 0.33 s after it */
    bool     exact; /* health blocks carry the host's values instead of bytes, so that nothing is
                       rounded; needs a link with a constant delay */
    void (*on_update)(void *context, const stock_engine_update *update);
    void *context;
} stock_engine_config;

typedef struct stock_engine_totals {
    unsigned ships, hits_here, hits_at_host, deaths, shots, orders;
} stock_engine_totals;

/* Health blocks of wrecks are not reported: a wreck has no bars. */
stock_engine_totals stock_engine_play(const recording *r, const stock_engine_config *config);

#endif
