/* src/lab/meter.h -- watches an experiment and reduces it to single quantities.
 *
 * For:      the contract (contract.h) and `starbase lab duel`.
 * Never:    changes the experiment.
 */
#ifndef SB_LAB_METER_H
#define SB_LAB_METER_H

#include <starbase/lab.h>

enum {
    SB_METER_HITS = 1024, /* recorded of each kind; later ones are only counted */
    SB_METER_SHOTS = 256,
    SB_METER_BEAMS = 64,
    SB_METER_SECONDS = 60,                                     /* of the attacker's motion */
    SB_METER_PARTS = SB_SUBSYSTEMS_MAX + SB_SHIP_CHILDREN_MAX, /* entries, then children */
};

/* One hit on the target. */
typedef struct sb_meter_hit {
    float   time;
    float   amount;   /* HP, before the shields */
    float   absorbed; /* HP that the facing took */
    uint8_t facing;   /* that took it; SB_FACINGS: none */
} sb_meter_hit;

/* One beam, from the first to the last sample in which its bank fires. */
typedef struct sb_meter_beam {
    uint8_t child; /* the bank in model->children */
    bool    ended;
    float   start, stop;
} sb_meter_beam;

/* The changes of one number in one direction. */
typedef struct sb_meter_trend {
    unsigned count;
    float    first_time, first_before, first_after;
    float    last_time, last_after;
} sb_meter_trend;

/* One number over time: its extremes, and its changes inside the window. */
typedef struct sb_meter_track {
    float          start, least, now;
    sb_meter_trend rises, falls;
} sb_meter_track;

typedef struct sb_meter {
    float from, to; /* the window in which trends are recorded; defaults: the whole run */

    unsigned       hit_count, shot_count, beam_count;
    sb_meter_hit   hits[SB_METER_HITS];
    float          shot_times[SB_METER_SHOTS];
    uint8_t        shot_children[SB_METER_SHOTS];
    sb_meter_beam  beams[SB_METER_BEAMS];
    double         damage; /* sum of all hits */
    bool           has_samples, target_alive;
    float          time, death_time;
    sb_meter_track facings[SB_FACINGS];
    sb_meter_track target_parts[SB_METER_PARTS], attacker_parts[SB_METER_PARTS];
    sb_meter_track charges[SB_SHIP_CHILDREN_MAX];
    sb_meter_track main_battery, backup_battery; /* of the attacker */
    sb_pull        pull;                         /* on the target, in the last sample */
    unsigned       motion_count;
    float speeds[SB_METER_SECONDS * SB_COMBAT_STEPS_PER_S + 1]; /* of the attacker, by step */
    float turn_rates[SB_METER_SECONDS * SB_COMBAT_STEPS_PER_S + 1];
} sb_meter;

void sb_meter_init(sb_meter *meter);
/* An observer that fills `meter`, which is borrowed during the run. */
sb_lab_observer sb_meter_observer(sb_meter *meter);

/* Change per second between the first and the last change; 0: fewer than two changes. */
double sb_meter_rate(const sb_meter_trend *trend);
/* The start of a track less its lowest value. */
double sb_meter_loss(const sb_meter_track *track);

#endif
