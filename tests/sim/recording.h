/* tests/sim/recording.h -- what one client of a match received, sent and knew, in order of time.
 *
 * For:      the test of jumps. session.c writes recordings; stock_engine.c plays them. The file
 *           form lets a program that is linked with another version of the library record a match
 *           for the model of this version.
 * Format:   "SBREC1\n\0"; then per entry: u64 time in microseconds, u8 kind, u16 size, bytes. All
 *           numbers are little-endian.
 */
#ifndef TESTS_SIM_RECORDING_H
#define TESTS_SIM_RECORDING_H

#include <starbase/base.h>

#include <stdbool.h>
#include <stdio.h>

typedef enum recording_kind {
    RECORDING_LINK = 'L',     /* the client's link: u32 delay of one way in microseconds */
    RECORDING_RECEIVED = 'R', /* a game message that the client received */
    RECORDING_SENT = 'S',     /* a game message that the client sent */
    RECORDING_OWN = 'O',      /* recording_own_ship: the client's own ship, as it flies it */
    RECORDING_HIT = 'H',   /* the host computed a hit: u32 object id of the ship that was hit, u8 1:
                              by a collision */
    RECORDING_EXACT = 'X', /* recording_exact: the host's values behind the bytes that it sends */
    RECORDING_REPAIR = 'P', /* the host repaired a part: u32 object id, u8 entry, s8 child or -1 */
} recording_kind;

typedef struct recording {
    uint8_t *bytes;
    size_t   size, capacity;
} recording;

typedef struct recording_entry {
    sb_time at;
    uint8_t kind; /* recording_kind */
    sb_span bytes;
} recording_entry;

void recording_clear(recording *r);
void recording_add(recording *r, sb_time at, recording_kind kind, sb_span bytes);
/* Iterates over the entries; `*at` starts at 0. False: no more. */
bool recording_next(const recording *r, size_t *at, recording_entry *out);

/* False: the file cannot be written, or is no recording. */
bool recording_write(const recording *r, const char *path);
bool recording_read(recording *r, const char *path);

/* ---- the own ship ---- */

enum { RECORDING_ENTRIES = 16 }; /* entries of a ship's list */

/* Everything that the owner decides about a ship, and that no message tells at once. */
typedef struct recording_own_ship {
    uint32_t object_id;
    float    position[3], forward[3], up[3], speed;
    bool     cloaked;
    float    power_wanted[RECORDING_ENTRIES];
    bool     on[RECORDING_ENTRIES];
} recording_own_ship;

void recording_add_own(recording *r, sb_time at, const recording_own_ship *own);
/* False: the entry holds no ship. */
bool recording_get_own(sb_span bytes, recording_own_ship *out);

/* ---- the host's values ---- */

enum { RECORDING_CHILDREN = 96, RECORDING_FACINGS = 6 };

/* The conditions and facings of a ship at the host, in codes that are not rounded: value / maximum
 * * 255. */
typedef struct recording_exact {
    uint32_t object_id;
    uint8_t  entry_count, child_count;
    float    entries[RECORDING_ENTRIES], children[RECORDING_CHILDREN], facings[RECORDING_FACINGS];
} recording_exact;

void recording_add_exact(recording *r, sb_time at, const recording_exact *exact);
bool recording_get_exact(sb_span bytes, recording_exact *out);

#endif
