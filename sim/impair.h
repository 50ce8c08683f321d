/* sim/impair.h -- decides from a seed what a bad network does to one datagram.
 *
 * For:      the simulated network (network.h) and the relay between real sockets (relay.c).
 * Never:    stores a datagram: it only says which copies arrive when, and how they are damaged.
 */
#ifndef SIM_IMPAIR_H
#define SIM_IMPAIR_H

#include <starbase/base.h>

#include "base/random.h"

/* Conditions of one direction. Chances are per million and per datagram. */
typedef struct sim_conditions {
    sb_time  delay_us;    /* of every datagram */
    sb_time  jitter_us;   /* 0 to jitter_us is added to the delay of each datagram; may reorder */
    uint32_t loss;        /* lost, independently of others */
    uint32_t burst_begin; /* a burst of losses starts */
    uint32_t burst_end;   /* a burst of losses ends */
    uint32_t burst_loss;  /* lost during a burst */
    uint32_t duplicate;   /* arrives twice, the copy after a delay of its own */
    uint32_t reorder;     /* delayed by another 0 to reorder_us */
    sb_time  reorder_us;
    uint32_t corrupt;  /* one to four bits flipped */
    uint32_t truncate; /* cut to a random length below its own */
    bool     down;     /* a partition: nothing passes */
} sim_conditions;

typedef struct sim_impairment {
    sb_random random;
    bool      in_burst;
} sim_impairment;

/* One copy that arrives. */
typedef struct sim_copy {
    sb_time  delay_us;
    size_t   size;       /* <= the size that was sent */
    uint32_t flip_count; /* 0..4 */
    uint32_t flips[4];   /* positions in bits, below size * 8 */
} sim_copy;

enum { SIM_COPIES_MAX = 2 };

void sim_impairment_init(sim_impairment *impairment, uint64_t seed);
/* Returns how many copies arrive (0 to SIM_COPIES_MAX). Always draws the same number of random
 * numbers, so that changing one chance affects the rest of a run as little as possible. */
int sim_impair(sim_impairment *impairment, const sim_conditions *conditions, size_t size,
               sim_copy copies[SIM_COPIES_MAX]);
/* Applies the damage of a copy to its bytes. */
void sim_damage(const sim_copy *copy, uint8_t *bytes);

#endif
