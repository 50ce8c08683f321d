/* src/client/drone.h -- a player that costs as little as possible: it joins as every client does,
 * flies a circle, and keeps nothing about other ships.
 *
 * For:      load tests with thousands of players (`starbase swarm --cheap`). It has a true session
 *           over the transport, answers checksum requests, creates a ship and sends StateUpdates.
 * Never:    exceeds the engines of its ship, fires, or decodes messages that it does not need: all
 *           are reported (SB_CLIENT_MESSAGE, SB_CLIENT_QUEUED), so that the caller can count.
 * Spec:     06 §10, 03, 07 §2, 10 §11.3.
 *
 * The main loop of a caller is that of starbase/client.h, without a pilot.
 */
#ifndef SB_CLIENT_DRONE_H
#define SB_CLIENT_DRONE_H

#include <starbase/client.h>

typedef struct sb_drone_config {
    sb_transport_client_config transport; /* server, name, password, timing */
    uint64_t                   seed;      /* of its ship class and of the phases of its clocks */
    unsigned                   place;     /* 0 to 15: which circle; no two of them cross */
    sb_time                    mark_interval_us; /* between two chat lines */
    /* Events: PHASE, REFUSED_FILES, LEFT, MESSAGE, QUEUED; may be NULL. */
    void (*on_event)(void *context, const sb_client_event *event);
    void *event_context;
} sb_drone_config;

typedef struct sb_drone sb_drone;

void sb_drone_defaults(sb_drone_config *config);
/* The memory that sb_drone_init needs; 0: the configuration is not valid. */
size_t sb_drone_bytes(const sb_drone_config *config);
/* Like sb_client_init. */
sb_drone *sb_drone_init(void *memory, const sb_drone_config *config, sb_time now);

/* Receive, write, leave and is_over work like those of sb_client. */
SB_MUST_USE sb_result sb_drone_receive(sb_drone *drone, sb_time now, sb_endpoint from,
                                       sb_span datagram);
/* Runs the timers: spawns, flies, sends a StateUpdate about every 100 ms, and marks: chat lines
 * "@<16 hex digits of the time>". */
void    sb_drone_advance(sb_drone *drone, sb_time now);
size_t  sb_drone_write(sb_drone *drone, sb_time now, uint8_t *out);
sb_time sb_drone_next_deadline(const sb_drone *drone);
/* Like sb_client_send. */
SB_MUST_USE sb_result sb_drone_send(sb_drone *drone, sb_time now, sb_delivery delivery,
                                    sb_span message);
void                  sb_drone_leave(sb_drone *drone, sb_time now);
bool                  sb_drone_is_over(const sb_drone *drone);

uint8_t                    sb_drone_id(const sb_drone *drone); /* SB_PEER_NONE: not known yet */
sb_client_phase            sb_drone_phase(const sb_drone *drone);
const sb_transport_client *sb_drone_transport(const sb_drone *drone);

#endif
