/* tests/replica/receiver_checks_test.c -- what counts of the updates of a new ship.
 *
 * For:      src/replica/receiver_checks.c; receiver_motion_test.c has ships in flight.
 * Spec:     10 §11.3.
 */
#include "receiver_rig.h"

#include <math.h>

/* A position together with a speed that no engine has. */
static void hear_too_fast(observer *o)
{
    update_bytes w = start_update(1, SB_STATE_POS | SB_STATE_SPEED);
    uint16_t     code = sb_encode_cf16(5000);
    append_position(&w, 7, 0, 0);
    w.bytes[w.size++] = (uint8_t)code;
    w.bytes[w.size++] = (uint8_t)(code >> 8);
    CHECK_EQ(hear_update(o, &w), SB_OK);
}

TEST(the_speed_of_a_new_ship_does_not_hold_its_position)
{
    for (int enforce = 0; enforce < 2; enforce++) {
        observer o = host_receiver(1);
        o.receiver.enforce = enforce;
        hear_too_fast(&o);
        CHECK_EQ(COUNTED(o, SB_RECEIVED_TOO_FAST), 1);
        check_near(o.ship.motion.position.x, 7, 0);
        CHECK_EQ(o.ship.motion.speed_code, sb_encode_cf16(enforce ? 0 : 5000));
    }
}

/* At once after the creation the engines have moved it nowhere. */
TEST(a_position_20_units_from_its_creation_is_the_owners)
{
    for (int beyond = 0; beyond < 2; beyond++) {
        observer o = host_receiver(1);
        CHECK_EQ(hear_full_update(&o, 1, beyond ? nextafterf(20, 21) : 20, 0, 0), SB_OK);
        CHECK_EQ(o.receiver.anchored, !beyond);
    }
}
