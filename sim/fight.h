/* sim/fight.h -- a fight of up to eight ships over bad links, from one seed, with what must hold.
 *
 * For:      tests/replica/fight_test.c and the program starbase-fight-sim. Owners fly, a host
 *           ingests what they say and tells everybody, clients look on; the simulator alone knows
 *           the truth and compares.
 * Never:    the transport: links lose, double, delay and reorder whole datagrams; only creations
 *           are reliable.
 *
 * What must hold is derived in fight.c, above the code that checks it.
 */
#ifndef SIM_FIGHT_H
#define SIM_FIGHT_H

#include <starbase/replica.h>

#include "sim/impair.h"

enum {
    FIGHT_SHIPS_MAX = 8,
    FIGHT_SIZES = 64,     /* a StateUpdate of a stock ship has 52 bytes at most (spec 03 §2) */
    FIGHT_BINS = 4096,    /* of a distribution ... */
    FIGHT_PER_UNIT = 100, /* ... each a hundredth of a unit or of a second wide */
};

typedef struct fight_config {
    uint64_t        seed;
    unsigned        ships; /* 2 .. FIGHT_SHIPS_MAX, each with its player */
    sb_time         length;
    sim_conditions  link; /* each way, each player */
    sb_lane_options lanes;
    bool            deaths;  /* ships are damaged until they die, and come back */
    bool            session; /* two people as in trace B: how they fly, who flies what when */
} fight_config;

/* Eight different ships, our own lanes, five minutes: 5 % loss, 80 ms +- 40 ms, 1 % doubled, some
 * held back. */
void fight_config_battle(fight_config *config, uint64_t seed);
/* Two players with stock lanes for as long as trace B, for comparison with spec 03 §7 and §14. */
void fight_config_session(fight_config *config, uint64_t seed);

/* A distribution of numbers from 0 on. */
typedef struct fight_spread {
    uint64_t bins[FIGHT_BINS]; /* the last holds all that is beyond */
    uint64_t count;
    double   sum, max;
} fight_spread;

double fight_spread_mean(const fight_spread *spread);
/* The value below which `share` (0..1) of the numbers are. */
double fight_spread_below(const fight_spread *spread, double share);

/* Messages of one direction. */
typedef struct fight_traffic {
    uint64_t count, bytes;
    uint64_t by_flags[256], bytes_by_flags[256];
    uint8_t  min[256], max[256]; /* bytes, by flags */
    uint64_t by_size[FIGHT_SIZES];
} fight_traffic;

typedef struct fight_report {
    bool         failed;
    char         reason[200];
    sb_time      failed_at;
    fight_spread host_error;                    /* of all ships, as the host believes them */
    fight_spread client_error[FIGHT_SHIPS_MAX]; /* of all others, as this player sees them */
    fight_spread
        settled[2];    /* seconds until a change that stays is seen: by the owner, by others */
    fight_spread  age; /* seconds since the state that is seen, of every entry seen */
    fight_traffic up, down;
    uint64_t      lost, late, duplicated, deaths, settings_lost;
    uint64_t      inferred; /* bases that were not told */
    double        closest;  /* the largest share of its bound (above one unit) that an error had */
} fight_report;

/* Adds what another fight gave; the first failure stays. */
void fight_report_add(fight_report *total, const fight_report *report);

/* True: everything held. */
bool fight_run(const fight_config *config, fight_report *report);

#endif
