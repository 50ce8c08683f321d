/* tests/replica/rig.h -- a ship on a bench: one lane that speaks of it, one observer that listens.
 *
 * For:      the tests of lanes, receivers, replicas and creations. Time passes by hand.
 * Never:    decides what is right, but for `rig_check_seen`, the quantisation of spec 03 §4.1.
 */
#ifndef REPLICA_RIG_H
#define REPLICA_RIG_H

#include <starbase/message_object.h>
#include <starbase/replica.h>

#include "base/random.h"
#include "test.h"

enum {
    RIG_BYTES = 256, /* a StateUpdate of a stock ship has 52 at most (spec 03 §2) */
    RIG_SHIP = 0x3FFFFFFF,
    RIG_STOCK_SHIPS = 17, /* species 1..16 and 37 */
};

#define RIG_TICK (SB_SECOND / 10)

extern const uint8_t rig_species[RIG_STOCK_SHIPS];

/* ---- a sender ---- */

typedef struct lane_rig {
    sb_ship         ship;
    sb_ship_frame   frame;
    sb_lane         lane;
    sb_lane_options options;
    bool            lossy;
    sb_time         now;    /* of the next message */
    sb_state_update update; /* the last one ... */
    uint8_t         bytes[RIG_BYTES];
    size_t          size; /* ... on the wire */
} lane_rig;

/* Stock options, an intact ship in the origin; species 0: no list known. */
void rig_open(lane_rig *r, uint8_t species, sb_lane_role role);
/* The same with our options. */
void rig_open_default(lane_rig *r, uint8_t species, sb_lane_role role);
/* The same with other options. */
void rig_open_with(lane_rig *r, uint8_t species, sb_lane_role role, const sb_lane_options *options);
/* The next update of the ship as it is now; time goes on by one tick. False: nothing to send. */
bool rig_send(lane_rig *r);
void rig_send_many(lane_rig *r, unsigned count);
/* The same at a time of the test's choice. */
bool rig_send_at(lane_rig *r, double seconds);
/* The last update once more after the test changed r->update. */
void rig_encode(lane_rig *r);
/* Bytes of the block behind its start index, from the last message. */
unsigned rig_block_bytes(const lane_rig *r);

/* ---- an observer ---- */

typedef struct observer {
    sb_ship     ship;
    sb_receiver receiver;
    sb_time     now;
    uint8_t     layout;
} observer;

void observer_open(observer *o, uint8_t species, sb_receiver_role role);
/* Hears bytes; lets nothing time-dependent happen. */
sb_result observer_hear(observer *o, const uint8_t *bytes, size_t size);
sb_result observer_hear_hex(observer *o, const char *hex);
uint32_t  observer_count(const observer *o, sb_receiver_counter counter);

/* ---- states ---- */

/* Any state at all: motion, cloak, conditions, facings, batteries, sliders. */
void rig_randomize(sb_random *random, sb_ship *ship);
/* A number from 0 to `most`. */
float rig_random_float(sb_random *random, float most);
/* Of the same bits, field by field; says which part differs. */
void rig_check_same(const sb_ship *a, const sb_ship *b);
/* What SUBSYS blocks carry: the observer's values are those of the sender, cut down to codes.
 * `power`: the sliders too. */
void rig_check_seen(const sb_ship *sender, const sb_ship *seen, bool power);
/* What POS, FWD, UP, SPEED and CLOAK carry; the position is exact. */
void rig_check_motion_seen(const sb_ship *sender, const sb_ship *seen);

/* An entry of the ship by its type; fails the test if there is none. */
unsigned rig_entry(const sb_ship *ship, sb_subsystem_type type);

#endif
