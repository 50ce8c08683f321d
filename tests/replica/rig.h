/* tests/replica/rig.h -- a ship with one lane that sends its updates, and an observer that applies
 * them.
 *
 * For:      the tests of lanes, receivers, replicas and creations. The test sets the time.
 * Never:    contains expectations, except the quantisation of spec 03 §4.1 in rig_check_seen.
 */
#ifndef REPLICA_RIG_H
#define REPLICA_RIG_H

#include <starbase/message_object.h>
#include <starbase/replica.h>

#include "base/random.h"
#include "test.h"

enum {
    RIG_BYTES = 256, /* a StateUpdate of a stock ship has at most 52 (spec 03 §2) */
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
    sb_time         now;    /* time of the next message */
    sb_state_update update; /* the last update */
    uint8_t         bytes[RIG_BYTES];
    size_t          size; /* bytes of the last update */
} lane_rig;

/* Opens a lane with stock options and an intact ship at the origin. Species 0: unknown species. */
void rig_open(lane_rig *r, uint8_t species, sb_lane_role role);
/* Opens a lane with our options. */
void rig_open_default(lane_rig *r, uint8_t species, sb_lane_role role);
/* Opens a lane with the given options. */
void rig_open_with(lane_rig *r, uint8_t species, sb_lane_role role, const sb_lane_options *options);
/* Builds the next update and advances by one tick. False: nothing to send. */
bool rig_send(lane_rig *r);
void rig_send_many(lane_rig *r, unsigned count);
/* Like rig_send, at the given time. */
bool rig_send_at(lane_rig *r, double seconds);
/* Encodes r->update, which the test may have changed. */
void rig_encode(lane_rig *r);
/* Size of the SUBSYS block in the last message, without its start index. */
unsigned rig_block_bytes(const lane_rig *r);

/* ---- a ship class of a mod ---- */

typedef struct rig_mod {
    sb_subsystem_class list[SB_SUBSYSTEMS_MAX], children[SB_CHILDREN_MAX];
    sb_ship_class      model;
} rig_mod;

/* Makes a class of `count` entries, all powered, with 100 hit points and without children. Tests
 * change it as they need it. */
void rig_mod_init(rig_mod *mod, unsigned count);
/* Opens a lane with stock options and an intact ship of the class. */
void rig_open_mod(lane_rig *r, const rig_mod *mod, sb_lane_role role);

/* ---- an observer ---- */

typedef struct observer {
    sb_ship     ship;
    sb_receiver receiver;
    sb_time     now;
    uint8_t     layout;
} observer;

void observer_open(observer *o, uint8_t species, sb_receiver_role role);
/* Applies an update at o->now. */
sb_result observer_hear(observer *o, const uint8_t *bytes, size_t size);
sb_result observer_hear_hex(observer *o, const char *hex);
uint32_t  observer_count(const observer *o, sb_receiver_counter counter);

/* ---- states ---- */

/* Sets random motion, cloak, conditions, facings, batteries and sliders. */
void rig_randomize(sb_random *random, sb_ship *ship);
/* A random number from 0 to `max`. */
float rig_random_float(sb_random *random, float max);
/* Fails, naming the field, unless all fields have equal bits. */
void rig_check_same(const sb_ship *a, const sb_ship *b);
/* Checks the contents of SUBSYS blocks: the observer's values are the sender's, truncated to codes.
 * `power`: checks the sliders too. */
void rig_check_seen(const sb_ship *sender, const sb_ship *seen, bool power);
/* Checks the contents of POS, FWD, UP, SPEED and CLOAK; the position is exact. */
void rig_check_motion_seen(const sb_ship *sender, const sb_ship *seen);

/* Index of the ship's entry of this type; fails if there is none. */
unsigned rig_entry(const sb_ship *ship, sb_subsystem_type type);

#endif
