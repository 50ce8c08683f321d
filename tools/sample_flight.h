/* tools/sample_flight.h -- moves ships and encodes their StateUpdates.
 *
 * For:      tools/make-sample.
 * Spec:     03 §4.3, §5 and §8, in their simplest form.
 */
#ifndef SB_TOOLS_SAMPLE_FLIGHT_H
#define SB_TOOLS_SAMPLE_FLIGHT_H

#include <starbase/message.h>

/* The state sent last on one lane (spec 03 §8). */
typedef struct tracker {
    bool     started;
    int64_t  last_full_us;
    sb_vec3  base;
    sb_cv4   delta;
    sb_cv3   forward, up;
    uint16_t speed_code;
    int      cloak;  /* -1: not sent yet */
    unsigned subsys; /* index of the next SUBSYS entry */
    unsigned power;  /* index of the next POWER pair */
} tracker;

typedef struct ship {
    const sb_ship_class *class;
    bool     flying;
    uint32_t object_id;
    uint16_t hash; /* the owner's client sends it with each absolute position */
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
/* Moves the ship by a tenth of a second. */
void ship_move(ship *s);

/* Encodes the owner's StateUpdate to the host. Returns its size. */
size_t ship_report(ship *s, int64_t now_us, float game_time, uint8_t *out, size_t capacity);
/* Encodes the host's StateUpdate about `s` to the player with this index. Returns its size. */
size_t ship_announce(ship *s, size_t player, bool own, int64_t now_us, float game_time,
                     uint8_t *out, size_t capacity);

/* Encodes the PlayerObjectCreate of an undamaged ship. Returns its size. */
size_t ship_creation(const ship *s, int8_t slot, uint8_t peer_id, sb_span name, sb_span set_name,
                     uint8_t *out, size_t capacity);

#endif
