/* sim/fight.h -- a fight of up to eight ships over lossy links, from one seed, with its invariants.
 *
 * For:      tests/replica/fight_test.c and the program starbase-fight-sim. Owners fly and send
 *           updates, a host applies them and sends its own, clients apply those. Only the simulator
 *           knows the true state, and compares all views with it.
 * Never:    uses the transport: links lose, duplicate, delay and reorder whole datagrams; only
 *           creations are reliable.
 *
 * fight_bounds.c derives the bounds on positions, fight_checks.c states the other invariants.
 */
#ifndef SIM_FIGHT_H
#define SIM_FIGHT_H

#include <starbase/replica.h>

#include "sim/impair.h"

enum {
    FIGHT_SHIPS_MAX = 8,
    FIGHT_SIZES = 64,     /* a StateUpdate of a stock ship has 52 bytes at most (spec 03 §2) */
    FIGHT_BINS = 4096,    /* bins of a distribution */
    FIGHT_PER_UNIT = 100, /* bins per unit of distance, or per second */
};

typedef struct fight_config {
    uint64_t        seed;
    unsigned        ships; /* 2 .. FIGHT_SHIPS_MAX, each with its player */
    sb_time         length;
    sim_conditions  link; /* of each direction and player */
    sb_lane_options lanes;
    bool            deaths;  /* ships are damaged until they die, and come back */
    bool            session; /* two players with the manoeuvres and the ship changes of trace B */
} fight_config;

/* Eight different ships, our own lane options, five minutes: 5 % loss, 80 ms +- 40 ms, 1 %
 * duplicated, some delayed further. */
void fight_config_battle(fight_config *config, uint64_t seed);
/* Two players with stock lane options for the length of trace B, to compare with spec 03 §7, §14.
 */
void fight_config_session(fight_config *config, uint64_t seed);

/* A distribution of non-negative numbers. */
typedef struct fight_spread {
    uint64_t bins[FIGHT_BINS]; /* the last bin holds all larger values */
    uint64_t count;
    double   sum, max;
} fight_spread;

double fight_spread_mean(const fight_spread *spread);
/* The value below which `share` (0..1) of the numbers lie. */
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
    fight_spread host_error;                    /* of all ships, as the host believes them to be */
    fight_spread client_error[FIGHT_SHIPS_MAX]; /* of all other ships, as this player sees them */
    fight_spread
        change_delay[2]; /* seconds until a lasting change is seen: by the owner, by others */
    fight_spread  age;   /* age of every subsystem entry that a player sees, in seconds */
    fight_traffic up, down;
    uint64_t      lost, late, duplicated, deaths, settings_lost;
    uint64_t      inferred;            /* bases of deltas that receivers inferred */
    double        largest_error_ratio; /* error / bound, for bounds above one unit */
} fight_report;

/* Adds the results of another fight; the first failure is kept. */
void fight_report_add(fight_report *total, const fight_report *report);

/* True: all invariants held. */
bool fight_run(const fight_config *config, fight_report *report);

#endif
