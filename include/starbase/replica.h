/* starbase/replica.h -- ships as others see them: who is told what, and what is believed. Spec 03.
 *
 * For:      the server (ingests owners' updates, builds its own for everybody) and headless
 * players. Never:    forwards an owner's bytes: what was received is stored as codes and sent again
 * on lanes of our own, with baselines of our own (spec 03 §7).
 *
 *     ship state --frame--> codes --lane--> StateUpdate messages          (sending)
 *     StateUpdate --receiver--> ship state                                (receiving)
 *
 * A lane is what one ship sends to one receiver. A server has ships x peers of them, but lanes of
 * the same kind that were last told the same are kept as one, and built once: sb_replica.
 */
#ifndef STARBASE_REPLICA_H
#define STARBASE_REPLICA_H

#include <starbase/compressed.h>
#include <starbase/layout.h>
#include <starbase/ship_state.h>

#ifdef __cplusplus
extern "C" {
#endif

/* starbase/message.h */
typedef struct sb_object_create sb_object_create;
typedef struct sb_state_update  sb_state_update;

/* ---- frames: a ship in wire codes, made once per tick ------------------------------------- */

typedef struct sb_ship_frame {
    const sb_ship_class *model; /* NULL: only motion can be sent */
    uint32_t             object_id;
    sb_vec3              position;
    sb_cv3               forward, up;
    uint16_t             speed_code;
    bool                 cloaked;
    /* Entries (bits) of which a code is lower than in the last frame, by layout: the documented one
     * does not tell of facings. */
    uint32_t damaged[SB_SHIELD_LAYOUTS];
    uint8_t  level_codes[SB_SUBSYSTEMS_MAX]; /* power wanted, as POWER has it */
    /* What the codes were made of: an entry whose numbers are the same needs no new ones. */
    float              condition[SB_SUBSYSTEMS_MAX], power_wanted[SB_SUBSYSTEMS_MAX];
    float              child_condition[SB_SHIP_CHILDREN_MAX];
    float              facing[SB_FACINGS], batteries[2];
    sb_subsystem_state entries[SB_SUBSYSTEMS_MAX];
} sb_ship_frame;

/* The first frame of a ship: nothing counts as damaged. */
SB_API void sb_frame_init(sb_ship_frame *frame, const sb_ship *ship);
/* The next one, `position` being where the ship is now (as a rule its estimate). */
SB_API void sb_frame_update(sb_ship_frame *frame, const sb_ship *ship, sb_vec3 position);

/* ---- lanes: what one receiver has been told ------------------------------------------------ */

typedef enum sb_lane_role {
    SB_LANE_TO_HOST,   /* client, own ship: motion, cloak, POWER */
    SB_LANE_TO_OWNER,  /* host to the ship's owner: SUBSYS only, no power */
    SB_LANE_TO_OTHERS, /* host to everybody else: motion, cloak, SUBSYS with power */
} sb_lane_role;

/* What goes beyond the game, invisible to stock peers (spec 03 §17). */
typedef struct sb_lane_options {
    bool    damage_first;  /* a damaged subsystem is in the next update, not only in its turn */
    bool    layout_forced; /* send `layout` whatever the ship's data say */
    uint8_t layout;        /* sb_shield_layout */
    uint8_t level_repeats; /* times a new power level is sent: 1 as stock, 3 ours (spec 03 §5) */
    sb_time interval_us;   /* 100 ms */
    sb_time full_us;       /* full update when more than this has passed: 1 s */
    sb_time lossy_full_us; /* the same for receivers that lose datagrams: 250 ms; 0: full_us */
} sb_lane_options;

/* Ours, and exactly what the game does. */
SB_API void sb_lane_options_default(sb_lane_options *options);
SB_API void sb_lane_options_stock(sb_lane_options *options);

typedef struct sb_lane {
    uint8_t  role; /* sb_lane_role */
    bool     started, cloak_known, cloak;
    uint8_t  subsys_cursor, power_cursor;
    bool     jumped; /* the last block was for damage: the next one goes on in turn */
    sb_time  last_full;
    sb_vec3  base; /* position in the last POS */
    sb_cv4   delta;
    sb_cv3   forward, up;
    uint16_t speed_code;
    uint32_t damaged;                       /* entries not yet told */
    uint8_t  levels[SB_SUBSYSTEMS_MAX];     /* last sent ... */
    uint8_t  level_left[SB_SUBSYSTEMS_MAX]; /* ... and how often more */
} sb_lane;

SB_API void sb_lane_init(sb_lane *lane, sb_lane_role role, const sb_ship_frame *frame,
                         const sb_lane_options *options);
/* Builds the next update and books it as sent; encode it in the context of sb_lane_context. False:
 * nothing to send (a host that does not know the ship's list has nothing for its owner). */
SB_API bool sb_lane_build(sb_lane *lane, const sb_ship_frame *frame, const sb_lane_options *options,
                          bool lossy, sb_time now, float game_time, sb_state_update *out);
/* The context in which messages of this lane are encoded and decoded. */
SB_API sb_message_context sb_lane_context(const sb_lane *lane, const sb_ship_frame *frame,
                                          const sb_lane_options *options);

/* ---- a host's lanes: ships x peers ---------------------------------------------------------- */

typedef struct sb_replica sb_replica;

enum { SB_REPLICA_PEERS = 128 }; /* peers are numbered 0..127; a peer id will do */

typedef struct sb_replica_config {
    uint32_t        max_ships; /* 16 */
    sb_lane_options lanes;
} sb_replica_config;

/* Which peers a message is for. */
typedef struct sb_peer_mask {
    uint64_t bits[SB_REPLICA_PEERS / 64];
} sb_peer_mask;

SB_API bool sb_peer_mask_has(const sb_peer_mask *mask, unsigned peer);

typedef struct sb_replica_message {
    uint32_t     object_id;
    sb_peer_mask peers;
    sb_span      bytes; /* lent until the next call */
} sb_replica_message;

SB_API size_t      sb_replica_bytes(const sb_replica_config *config); /* 0: not possible */
SB_API sb_replica *sb_replica_init(void *memory, const sb_replica_config *config);

/* Peers that get updates. A new peer gets a full update of every ship at once. */
SB_API void sb_replica_add_peer(sb_replica *replica, unsigned peer);
SB_API void sb_replica_remove_peer(sb_replica *replica, unsigned peer);
/* Its datagrams get lost: absolute positions more often (spec 03 §17), from the next tick on. */
SB_API void sb_replica_set_lossy(sb_replica *replica, unsigned peer, bool lossy);

/* `ship` is borrowed until it is removed; `owner` is its peer, or any other number for none.
 * SB_FULL: max_ships; SB_NOT_ALLOWED: the id is there. */
SB_API SB_MUST_USE sb_result sb_replica_add_ship(sb_replica *replica, const sb_ship *ship,
                                                 unsigned owner, sb_time now);
SB_API void                  sb_replica_remove_ship(sb_replica *replica, uint32_t object_id);
SB_API bool                  sb_replica_has_ship(const sb_replica *replica, uint32_t object_id);
/* The peer asked for the object: it is told everything anew (spec 03 §8). */
SB_API void sb_replica_repeat(sb_replica *replica, uint32_t object_id, unsigned peer);
/* Where a ship is now, if not where its state says; the default is its state's position. */
SB_API void sb_replica_place(sb_replica *replica, uint32_t object_id, sb_vec3 position);

/* Gives the next message that is due at `now`; false: no more. `game_time` goes into the messages.
 */
SB_API bool    sb_replica_next(sb_replica *replica, sb_time now, float game_time,
                               sb_replica_message *out);
SB_API sb_time sb_replica_next_deadline(const sb_replica *replica);

/* ---- receivers: what is believed of one ship ------------------------------------------------ */

typedef enum sb_receiver_role {
    SB_RECEIVE_FROM_OWNER, /* host: motion, cloak and power settings of the ship's owner */
    SB_RECEIVE_OWN,        /* client, own ship: SUBSYS only */
    SB_RECEIVE_OTHER,      /* client, somebody else's ship */
} sb_receiver_role;

/* X(name, what it counts) -- telemetry, never a reason to remove anybody. */
#define SB_RECEIVER_COUNTERS(X)                                                                    \
    X(SB_RECEIVED_APPLIED, "applied", "updates applied")                                           \
    X(SB_RECEIVED_MALFORMED, "malformed", "updates that cannot be read")                           \
    X(SB_RECEIVED_ABSURD_TIME, "absurd_time", "updates of a time that no clock shows, refused")    \
    X(SB_RECEIVED_OLD, "old", "updates older than the last one")                                   \
    X(SB_RECEIVED_TOO_OFTEN, "too_often", "updates beyond 40 within a second")                     \
    X(SB_RECEIVED_CLOCK_RESTARTED, "clock_restarted", "times the sender's clock jumped back")      \
    X(SB_RECEIVED_BAD_AXES, "bad_axes", "orientations without direction")                          \
    X(SB_RECEIVED_FOREIGN_BLOCK, "foreign_block", "SUBSYS blocks of clients, ignored")             \
    X(SB_RECEIVED_FOREIGN_MOTION, "foreign_motion", "motion of the receiver's own ship, ignored")  \
    X(SB_RECEIVED_UNREAD_BLOCK, "unread_block",                                                    \
      "SUBSYS blocks beyond the list or of an unknown ship")                                       \
    X(SB_RECEIVED_TRUNCATED, "truncated", "SUBSYS blocks whose last entry is cut short")           \
    X(SB_RECEIVED_BAD_POWER, "bad_power", "power settings for entries that have none")             \
    X(SB_RECEIVED_HASH_SEEN, "hash_seen", "integrity hashes")                                      \
    X(SB_RECEIVED_HASH_CHANGED, "hash_changed",                                                    \
      "integrity hashes that differ from the one before")                                          \
    X(SB_RECEIVED_TOO_FAST, "too_fast", "speeds beyond what the engines can do")                   \
    X(SB_RECEIVED_JUMPED, "jumped", "positions farther from the last one than the engines can go") \
    X(SB_RECEIVED_INFERRED_BASE, "inferred_base",                                                  \
      "deltas from an absolute position that did not come")                                        \
    X(SB_RECEIVED_LATE_BASE, "late_base",                                                          \
      "absolute positions that came late and serve later deltas")

typedef enum sb_receiver_counter {
#define SB_COUNTER_NAME(id, name, text) id,
    SB_RECEIVER_COUNTERS(SB_COUNTER_NAME)
#undef SB_COUNTER_NAME
        SB_RECEIVER_COUNTER_COUNT
} sb_receiver_counter;

SB_API const char *sb_receiver_counter_name(sb_receiver_counter counter);
SB_API const char *sb_receiver_counter_text(sb_receiver_counter counter);

typedef struct sb_receiver {
    uint8_t  role; /* sb_receiver_role */
    bool     started, has_hash;
    bool     enforce;   /* false; true: what is implausible is not applied (spec 10 §15) */
    uint16_t hash;      /* the last one seen: telemetry (spec 04 §1) */
    float    last_time; /* game_time of the last update that was applied */
    sb_time  received_at;
    sb_vec3  base; /* what deltas count from: the last POS, the creation, or inferred */
    float    base_time, base_latest; /* its game_time is between these; of a POS they are equal */
    sb_time  base_at;                /* when it came; for plausibility */
    float    delta;                  /* length of the last DELTA since */
    sb_time  moved_at;               /* created, respawned, warped: 2 s of grace (spec 10 §11.3) */
    sb_time  rate_since;             /* a second in which updates are counted ... */
    uint32_t rate_count;             /* ... and how many came in it */
    float    power_time[SB_SUBSYSTEMS_MAX]; /* of the last setting per entry (spec 03 §4.5) */
    uint32_t counters[SB_RECEIVER_COUNTER_COUNT];
} sb_receiver;

/* The ship has just been created: its position is the base. */
SB_API void sb_receiver_init(sb_receiver *receiver, sb_receiver_role role, const sb_ship *ship,
                             sb_time now);
/* The ship was put where it is now by something else than its updates (it entered another set,
 * 0x1F): its position is the base, and for a while nothing is judged. Times and counters stay. */
SB_API void sb_receiver_moved(sb_receiver *receiver, const sb_ship *ship, sb_time now);
/* Parses the whole message, checks it, then applies it. Anything but SB_OK: counted, and the ship
 * is as before: SB_NOT_ALLOWED is an update that came too late. `layout`: the sender's, as known
 * beforehand or from sb_layout_evidence_choose; with SB_LAYOUT_EITHER of a block with the shield
 * generator is taken what both layouts say: the entries before it, and its condition. `update` (may
 * be NULL) gets what was read. The caller has checked that the sender may speak for the object. */
SB_API SB_MUST_USE sb_result sb_receiver_apply(sb_receiver *receiver, sb_ship *ship, sb_time now,
                                               uint8_t layout, sb_span message,
                                               sb_state_update *update);
/* Where the ship is now, by dead reckoning (spec 10 §11.2). */
SB_API sb_vec3 sb_receiver_estimate(const sb_receiver *receiver, const sb_ship *ship, sb_time now);

/* ---- creation messages (spec 07 §2.2, §2.3) ------------------------------------------------- */

/* Fills the ship from a creation message that was decoded with the same ship set. */
SB_API void sb_ship_read_creation(sb_ship *ship, const sb_object_create *create,
                                  const sb_ship_set *ships);
/* Fills the ship's part of a creation message: everything but slot, peer id, name and set. */
SB_API void sb_ship_write_creation(const sb_ship *ship, sb_object_create *create);

#ifdef __cplusplus
}
#endif
#endif
