/* src/client/drone_internal.h -- the state of a drone, for drone.c and drone_ship.c.
 *
 * For:      drone.c      the session: join, messages, the main loop
 *           drone_ship.c the ship: creation, flight, StateUpdates
 */
#ifndef SB_CLIENT_DRONE_INTERNAL_H
#define SB_CLIENT_DRONE_INTERNAL_H

#include "client/drone.h"

#include "base/random.h"

typedef struct sb_message sb_message; /* starbase/message.h */

enum { SB_DRONE_NAME_MAX = 31, SB_DRONE_RETRY_US = 500000 };

struct sb_drone {
    sb_drone_config      config;
    sb_transport_client *transport;
    sb_time              now;
    sb_random            random;
    uint8_t              phase; /* sb_client_phase */
    uint8_t              id;    /* SB_PEER_NONE before it is known */
    bool                 leaving, has_settings, has_game_init, has_mission, game_over;
    uint8_t              slot, system; /* of Settings and MissionInit */
    float                game_time;    /* at settings_at */
    sb_time              settings_at, ready_at;
    char                 name[SB_DRONE_NAME_MAX + 1]; /* Windows-1252 */

    /* The ship; `spawn_at` is SB_TIME_NEVER while there is one. */
    sb_time         spawn_at, update_at, moved_at, mark_at;
    uint32_t        next_id;
    sb_ship         ship;
    sb_ship_frame   frame;
    sb_lane         lane;
    sb_lane_options lanes;
    sb_vec3         spoke;   /* unit vector from the centre of the circle to the ship */
    uint32_t        updates; /* sent by this ship */
};

/* ---- drone.c ---- */

/* A random time from 0 to `below` - 1. */
sb_time sb_drone_random_us(sb_drone *d, uint32_t below);
/* Changes the phase and reports the change. */
void sb_drone_set_phase(sb_drone *d, sb_client_phase phase);
/* Queues one message. SB_FULL: the send queue lacks the capacity, nothing has changed. */
sb_result sb_drone_queue(sb_drone *d, sb_delivery delivery, sb_span message);
/* Encodes and queues a message, reliably. */
sb_result sb_drone_queue_message(sb_drone *d, const sb_message *m);

/* ---- drone_ship.c ---- */

/* Creates a ship when one is due. */
void sb_drone_advance_spawn(sb_drone *d);
/* Moves the ship and sends its StateUpdate when it is due. */
void sb_drone_advance_flight(sb_drone *d);
/* Queues the creation of the ship in its present state. */
sb_result sb_drone_queue_creation(sb_drone *d);

#endif
