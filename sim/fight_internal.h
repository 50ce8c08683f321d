/* sim/fight_internal.h -- the state of a fight, shared by the files sim/fight*.c.
 *
 * For:      the files that the head of sim/fight.c lists.
 */
#ifndef SIM_FIGHT_INTERNAL_H
#define SIM_FIGHT_INTERNAL_H

#include "sim/fight.h"

#include "base/random.h"

enum {
    FIGHT_STEP_US = 10000,  /* the simulation runs at 100 Hz */
    FIGHT_TICK_US = 100000, /* the host sends at 10 Hz */
    FIGHT_HISTORY = 32,     /* ticks remembered: longer than any datagram is in transit */
    FIGHT_FLIGHTS = 64,     /* datagrams in transit on one link */
    FIGHT_CREATIONS = 128,  /* creations in transit */
    FIGHT_CREATION_BYTES = 160,
    FIGHT_HOST = -1, /* receiver of a creation: the host, not a player */
};

/* Facts about a message that only the simulator knows. */
typedef struct fight_record {
    sb_time  sent_at, base_at;         /* of the message, of the POS that its delta counts from */
    double   source_error, base_error; /* error of the sender's belief at these times */
    unsigned tick;                     /* index in the sender's history */
} fight_record;

typedef struct fight_packet {
    fight_record known;
    uint8_t      size;
    uint8_t      bytes[FIGHT_SIZES];
} fight_packet;

/* One datagram in transit. */
typedef struct fight_flight {
    sb_time      arrives;
    unsigned     count;
    fight_packet packets[FIGHT_SHIPS_MAX];
} fight_flight;

/* One direction between a player and the host. */
typedef struct fight_link {
    sim_impairment impairment;
    unsigned       flight_count;
    fight_flight   flights[FIGHT_FLIGHTS];
} fight_link;

/* One ship as one observer believes it to be. fight_bounds.c explains the error terms. */
typedef struct fight_view {
    bool               present; /* the observer has received the creation */
    sb_ship            ship;
    sb_receiver        receiver;
    fight_record       position;           /* of the last update with POS or DELTA */
    double             rounding, mismatch; /* Q and M of that update */
    double             inferred;           /* error of a base that the receiver inferred */
    sb_time            base_at;            /* build time of the base that the receiver uses */
    double             base_error;
    sb_time            last_sent_at;                  /* build time of the last applied update */
    sb_time            carried_at[SB_SUBSYSTEMS_MAX]; /* build time of the last carrier, by entry */
    bool               change_seen[SB_SUBSYSTEMS_MAX]; /* the last change was seen, by entry */
    sb_subsystem_state expected[SB_SUBSYSTEMS_MAX];    /* as the last carrier said */
} fight_view;

/* The present manoeuvre of a player. */
typedef struct fight_pilot {
    sb_time until;
    float   speed_wanted, speed;
    float   wobble; /* random variation of the speed, as a share */
    sb_vec3 turn;   /* radians per second about right, forward, up */
} fight_pilot;

typedef struct fight_player {
    fight_pilot   pilot;
    uint8_t       species;
    uint32_t      next_id;
    int           steps_to_spawn; /* until the next ship spawns; 0: the ship flies */
    bool          alive;          /* has a ship or its wreck */
    sb_lane       lane;
    sb_ship_frame frame;
    sb_time       next_send, base_at;
    unsigned      tick;
    sb_ship_frame history[FIGHT_HISTORY]; /* the frames it sent */
    fight_view    views[FIGHT_SHIPS_MAX]; /* the player's own ship here is the true motion */
    fight_link    up, down;
} fight_player;

/* The host's side of a ship. */
typedef struct fight_hosted {
    fight_view    view; /* view.ship has the true conditions */
    bool          listed;
    sb_ship_frame frame;
    sb_ship_frame history[FIGHT_HISTORY];
    sb_time       changed_at[SB_SUBSYSTEMS_MAX];
    sb_time       base_at[FIGHT_SHIPS_MAX]; /* by peer */
    double        base_error[FIGHT_SHIPS_MAX];
    sb_time       carried_at[FIGHT_SHIPS_MAX][SB_SUBSYSTEMS_MAX]; /* by peer and entry */
} fight_hosted;

/* A creation in transit. */
typedef struct fight_creation {
    sb_time  arrives;
    int      to; /* a player, or FIGHT_HOST */
    unsigned of; /* the player that owns the ship */
    size_t   size;
    uint8_t  bytes[FIGHT_CREATION_BYTES];
} fight_creation;

typedef struct fight {
    fight_config   config;
    fight_report  *report;
    sb_random      random;
    sb_time        now, next_tick;
    unsigned       tick;
    sb_replica    *replica;
    fight_player   players[FIGHT_SHIPS_MAX];
    fight_hosted   host[FIGHT_SHIPS_MAX];
    fight_creation creations[FIGHT_CREATIONS];
    unsigned       creation_count;
} fight;

/* ---- fight_report.c ---- */

/* Records a broken invariant; the fight ends after the step. printf-like. */
void fight_fail(fight *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
void fight_spread_add(fight_spread *spread, double value);
void fight_count_message(fight_traffic *t, uint8_t flags, size_t size);

/* ---- fight_bounds.c ---- */

double fight_seconds(sb_time t);
double fight_distance(sb_vec3 a, sb_vec3 b);
double fight_top_speed(const sb_ship *ship);
/* How far the belief of `v` may be from the truth now. */
double fight_error_bound(const fight *f, const fight_view *v);
/* How far an update with this delta may move the ship of `v`. */
double fight_step_bound(const fight_view *v, const fight_record *known, const sb_state_update *u,
                        bool inferred);
/* The receiver now counts deltas from the base of this message; `inferred`: the error of a base
 * that it inferred, else 0. */
void fight_set_base(fight_view *v, const fight_record *known, double inferred);
/* Updates the error terms after an applied update. */
void fight_update_position(fight_view *v, const fight_record *known, const sb_state_update *u,
                           bool inferred);

/* ---- fight_checks.c ---- */

void fight_check_positions(fight *f);
void fight_check_step(fight *f, const fight_view *v, sb_vec3 before, double bound);
void fight_check_entries(fight *f, const fight_view *v, bool power, unsigned observer);
void fight_check_changes_seen(fight *f);
void fight_check_full_update(fight *f, const fight_view *v, const sb_ship_frame *sent);
void fight_check_cycle(fight *f, const fight_hosted *h, unsigned peer);
void fight_check_downstream(fight *f, const sb_replica_message *m, unsigned owner);
void fight_check_counters(fight *f, const fight_view *v);
void fight_count_lost_settings(fight *f);

/* ---- fight_receive.c ---- */

/* Where the observer believes the ship to be now. */
sb_vec3 fight_estimate(const fight *f, const fight_view *v);
/* Starts the view of a new ship, whose position is known within `error`. */
void fight_init_view(fight *f, fight_view *v, sb_receiver_role role, double error);
void fight_host_receives(fight *f, unsigned from);
void fight_client_receives(fight *f, unsigned index);
void fight_deliver_creations(fight *f);

/* ---- fight_send.c ---- */

sb_time fight_creation_delay(const fight *f);
void    fight_send_creation(fight *f, unsigned of, int to, const sb_ship *ship, sb_time delay);
void    fight_send_to_host(fight *f, unsigned index);
/* The host's tick: builds updates, sends them, checks its cycles. */
void fight_tick_host(fight *f);

/* ---- fight_pilots.c ---- */

void fight_create_ship(fight *f, unsigned index);
void fight_fly(fight *f, unsigned index);
void fight_change_settings(fight *f, unsigned index);
void fight_damage_ship(fight *f, unsigned index);
void fight_update_life(fight *f, unsigned index);

#endif
