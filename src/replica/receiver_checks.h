/* src/replica/receiver_checks.h -- can a ship have moved as an update says?
 *
 * For:      receiver.c. The host checks the updates of owners: what a ship's engines cannot do is
 *           counted, and with `enforce` it is not applied.
 * Never:    corrects the sender: a stock client has no code to accept a correction.
 * Spec:     10 §11.3, §15.
 * Tests:    tests/replica/receiver_motion_test.c
 */
#ifndef SB_REPLICA_RECEIVER_CHECKS_H
#define SB_REPLICA_RECEIVER_CHECKS_H

#include <starbase/replica.h>

#include "base/bytes.h"

static const float sb_power_max = 1.25f;
/* A game time that falls by more than this means that the sender's clock restarted (03 §9). */
static const float sb_clock_restart_s = 5.0f;

static inline bool sb_receiver_is_clock_known(const sb_receiver *r)
{
    return sb_bits_finite(sb_float_bits(r->expected_time));
}

/* Was the ship created, or did it arrive from a warp, less than 2 s ago? */
bool sb_receiver_is_in_grace(const sb_receiver *r, sb_time now);
/* Are positions of the ship checked now? */
bool sb_receiver_is_checked(const sb_receiver *r, const sb_ship *ship, sb_time now);
/* Counts implausible fields and returns the flags of those not to apply, none without `enforce`. A
 * ship that jumped stays where it was until its engines could have reached the owner's position.
 * `checked`: the answer of sb_receiver_is_checked; false: only the speed of a new ship is checked.
 */
uint8_t sb_receiver_check_motion(sb_receiver *r, const sb_ship *ship, bool checked, sb_time now,
                                 sb_time sent, const sb_state_update *u);
/* The same for a position that comes too late to move the ship. False: it may not be the base. */
bool sb_receiver_check_late_base(sb_receiver *r, const sb_ship *ship, sb_time sent,
                                 const sb_state_update *u);
/* Counts every update, whether it is applied or refused. */
void sb_receiver_count_rate(sb_receiver *r, sb_time now);

#endif
