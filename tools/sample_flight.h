/* tools/sample_flight.h -- ships that fly, and the StateUpdates they cause.
 *
 * For:      tools/make-sample. The rules of spec 03 §4.3, §5 and §8, in their simplest form.
 */
#ifndef SB_TOOLS_SAMPLE_FLIGHT_H
#define SB_TOOLS_SAMPLE_FLIGHT_H

#include <starbase/message.h>

/* What was last told on one lane (spec 03 §8). */
typedef struct tracker {
    bool     started;
    int64_t  last_full_us;
    sb_vec3  base;
    sb_cv4   delta;
    sb_cv3   forward, up;
    uint16_t speed_code;
    int      cloak;  /* -1: not told yet */
    unsigned subsys; /* cursors */
    unsigned power;
} tracker;

typedef struct ship {
    const sb_ship_class *class;
    bool     flying;
    uint32_t object_id;
    uint16_t hash; /* what the owner's client puts behind a position */
    sb_vec3  position, forward, up;
    float    speed, shown_speed;
    float    turn; /* sine of the angle per step, about the z axis */
    unsigned steps;
    bool     cloak;
    uint8_t  condition[SB_SUBSYSTEMS_MAX];
    uint8_t  facings[SB_FACINGS];
    tracker  up_lane, down_lanes[2];
} ship;

void ship_launch(ship *s, const sb_ship_class *class, uint32_t object_id, sb_vec3 position,
                 sb_vec3 forward);
/* A tenth of a second of flight. */
void ship_move(ship *s);

/* The owner's message to the host. Returns its size. */
size_t ship_report(ship *s, int64_t now_us, float game_time, uint8_t *out, size_t capacity);
/* The host's message about `s` to the player with this index. */
size_t ship_announce(ship *s, size_t player, bool own, int64_t now_us, float game_time,
                     uint8_t *out, size_t capacity);

/* A 0x03 of an undamaged ship. Returns its size. */
size_t ship_creation(const ship *s, int8_t slot, uint8_t peer_id, sb_span name, sb_span set_name,
                     uint8_t *out, size_t capacity);

#endif
