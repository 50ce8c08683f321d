/* tests/sim/jumps.h -- how far health blocks move what a client had computed.
 *
 * For:      jumps_test.c and the program starbase-jumps. The unit is the code: 1/255 of the maximum
 *           of a condition, facing or battery, the step of the bytes in a health block. A jump is
 *           the distance from the value that the client had computed to the value that the block
 *           puts in its place. The jump of an update is the largest jump of its bytes.
 */
#ifndef TESTS_SIM_JUMPS_H
#define TESTS_SIM_JUMPS_H

#include "tests/sim/session.h"
#include "tests/sim/stock_engine.h"

/* What is measured: the values of a block one by one, or blocks. */
typedef enum jumps_unit { JUMPS_VALUE, JUMPS_UPDATE, JUMPS_UNITS } jumps_unit;

/* A class has all conditions and facings of its updates, unless it says otherwise. */
typedef enum jumps_class {
    JUMPS_QUIET,     /* no hit on the ship within the last round trip + 0.2 s; only values that
                        clients compute (stock_engine_byte.host_only) */
    JUMPS_UNROUNDED, /* the same, if blocks carried the host's values instead of bytes */
    JUMPS_STRUCK,    /* a hit within that time */
    JUMPS_ALL,       /* quiet or not */
    JUMPS_HOST_ONLY, /* only values that no client computes, batteries among them */
    JUMPS_CLASSES
} jumps_class;

typedef struct jumps_series {
    float *values; /* in codes */
    size_t count, capacity;
} jumps_series;

typedef struct jumps {
    jumps_series        series[JUMPS_UNITS][JUMPS_CLASSES];
    stock_engine_totals totals;
    bool                beams_at_once; /* set by the caller: an option of the model */
    FILE *outliers; /* gets a line for each quiet value that jumps by a code or more */
} jumps;

typedef struct jumps_figures {
    size_t count;
    double p50, p90, p99, largest; /* codes */
    double one, above;             /* shares that jump by exactly one code, and by more */
} jumps_figures;

void jumps_clear(jumps *j);
/* Plays the recording in the model and adds the jumps of all updates. */
void jumps_add_recording(jumps *j, const recording *r, uint64_t seed);
/* Plays a match, records it and adds its jumps. */
void jumps_add_session(jumps *j, const session_config *config);
/* Sorts the series. */
jumps_figures jumps_figures_of(jumps *j, jumps_unit unit, jumps_class class_);

#endif
