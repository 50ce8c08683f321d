/* src/replica/pace.h -- how fast a ship may turn and change its speed.
 *
 * For:      receiver.c, which checks the updates of owners; the server, which has a sb_pace for
 *           every ship.
 * Spec:     10 §11.3.
 */
#ifndef SB_REPLICA_PACE_H
#define SB_REPLICA_PACE_H

#include <starbase/replica.h>

/* A value of a ship that changes at a limited rate. */
typedef struct sb_pace_value {
    sb_time     since;   /* when the present value was sent, by the receiver's clock */
    float       ahead;   /* by how much the value is beyond what the limit allows */
    bool        refused; /* a newer value was refused */
    uint32_t    counted; /* changes beyond the limit ... */
    sb_evidence last;    /* ... and the last of them */
} sb_pace_value;

typedef struct sb_pace {
    sb_time       heard;       /* when the newest update was sent */
    sb_pace_value axes, speed; /* rad, units/s */
    sb_time       pushed_at;   /* the last collision, and what is left of it: */
    float         push, spin;  /* change of speed, units/s; turn rate, rad/s */
    bool          suspect;     /* something was counted; the owner of the record clears it */
} sb_pace;

void sb_pace_init(sb_pace *pace, sb_time now);
/* The ship collided, which changed its speed by `push` units/s and made it spin. */
void sb_pace_push(sb_pace *pace, const sb_ship *ship, float push, sb_time now);
/* Judges the axes and the speed of an update that was sent at `sent`, by the receiver's clock. The
 * ship has the update's axes already, instead of those of `before`, and still its old speed. Counts
 * changes that engines cannot have made, and returns the flags of these fields. Fields that are
 * `believed` are the new values all the same. */
uint8_t sb_pace_check(sb_pace *pace, const sb_ship *ship, const sb_motion *before,
                      const sb_state_update *update, sb_time sent, bool believed);
/* Takes the values of an update that is not judged. */
void sb_pace_skip(sb_pace *pace, sb_time sent);
/* To be called after each update. */
static inline void sb_pace_hear(sb_pace *pace, sb_time sent)
{
    if (sent > pace->heard) pace->heard = sent;
}

#endif
