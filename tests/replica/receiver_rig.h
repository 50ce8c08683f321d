/* tests/replica/receiver_rig.h -- StateUpdates written byte by byte, and receivers that hear them.
 *
 * For:      the tests of receiver.c.
 */
#ifndef REPLICA_RECEIVER_RIG_H
#define REPLICA_RECEIVER_RIG_H

#include "rig.h"

#define COUNTED(o, counter) observer_count(&(o), counter)

typedef struct update_bytes {
    uint8_t bytes[RIG_BYTES];
    size_t  size;
} update_bytes;

/* The header of an update of RIG_SHIP; the fields that `flags` announces are appended next. */
update_bytes start_update(float game_time, uint8_t flags);
void         append_hex(update_bytes *w, const char *hex);
void         append_f32(update_bytes *w, float f);
/* The POS field, without a hash. */
void append_position(update_bytes *w, float x, float y, float z);

observer  other_client(uint8_t species);
observer  host_receiver(uint8_t species);
sb_result hear_update(observer *o, const update_bytes *w);
/* A full update without a block; `forward` +X, `up` +Z, speed 5. */
sb_result hear_full_update(observer *o, float game_time, float x, float y, float z);
/* The update is refused with that result and changes nothing of the ship. */
void check_refused(observer *o, const update_bytes *w, sb_result expected);

/* Fails unless `a` is within `margin` of `b`. */
void check_near(float a, float b, float margin);

#endif
