/* starbase/replica.h -- ship state over the wire: StateUpdates are built, sent and applied.
 *
 * For:      the server, which applies owners' updates and builds its own for every peer, and
 *           headless players.
 * Never:    forwards an owner's bytes. A received update is stored as codes; updates to others are
 *           built anew, with baselines of our own (spec 03 §7).
 * Spec:     03.
 * Promise:  none; may change with any version.
 *
 *     ship state --frame--> codes --lane--> StateUpdate messages          (sending)
 *     StateUpdate --receiver--> ship state                                (receiving)
 *
 * A lane is the stream of updates of one ship to one receiver. A server with s ships and p peers
 * would need s x p lanes; in sb_replica, peers with the same baselines share a lane, so that each
 * message is built once.
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

enum { SB_FRAME_STORES = 16 }; /* six facings, two batteries, and nothing */

typedef struct sb_ship_frame {
    const sb_ship_class *model; /* NULL: only motion can be sent */
    uint32_t             object_id;
    sb_vec3              position;
    sb_cv3               forward, up;
    uint16_t             speed_code;
    bool                 cloaked;
    /* One bit per entry with a code that fell since the last frame, for each shield layout. The
     * documented layout sends no facings, so a hit on a facing sets no bit there. */
    uint32_t damaged[SB_SHIELD_LAYOUTS];
    uint8_t  level_codes[SB_SUBSYSTEMS_MAX]; /* wanted power, encoded as in POWER blocks */
    /* The numbers behind the codes. Lists are encoded again only if one of their numbers changed.
     */
    float condition[SB_SUBSYSTEMS_MAX], power_wanted[SB_SUBSYSTEMS_MAX];
    float child_condition[SB_SHIP_CHILDREN_MAX];
    float stores[SB_FRAME_STORES]; /* the facings, then the two batteries */
    /* Their maxima, copied from the model; infinite where the code is always 0. */
    float condition_max[SB_SUBSYSTEMS_MAX], child_max[SB_SHIP_CHILDREN_MAX];
    float stores_max[SB_FRAME_STORES];
    /* The codes in the order of the numbers; entries have copies of 16 codes for their children. */
    uint8_t condition_codes[SB_SUBSYSTEMS_MAX], stores_codes[SB_FRAME_STORES];
    uint8_t child_codes[SB_SHIP_CHILDREN_MAX + SB_CHILDREN_MAX];
    uint8_t shield, reactor; /* first entries of these formats; subsystem_count: there is none */
    uint8_t parent_count;    /* entries that have children */
    struct {
        uint8_t  entry, first_child;
        uint16_t child_bits; /* one for each child */
    } parents[SB_SUBSYSTEMS_MAX];
    sb_subsystem_state entries[SB_SUBSYSTEMS_MAX];
} sb_ship_frame;

/* Fills the first frame of a ship. No entry counts as damaged. */
SB_API void sb_frame_init(sb_ship_frame *frame, const sb_ship *ship);
/* Updates the frame for the next tick. `position` is sent in place of the ship's stored position;
 * callers pass the dead-reckoned one. */
SB_API void sb_frame_update(sb_ship_frame *frame, const sb_ship *ship, sb_vec3 position);

/* ---- lanes: the updates of one ship to one receiver ----------------------------------------- */

typedef enum sb_lane_role {
    SB_LANE_TO_HOST,   /* client, own ship: motion, cloak, POWER */
    SB_LANE_TO_OWNER,  /* host to the ship's owner: SUBSYS only, no power */
    SB_LANE_TO_OTHERS, /* host to everybody else: motion, cloak, SUBSYS with power */
} sb_lane_role;

/* Deviations from the original game that stock peers do not notice (spec 03 §17). */
typedef struct sb_lane_options {
    bool    damage_first;  /* every second update may start with damage, ahead of its turn */
    bool    rare_health;   /* SUBSYS only in full updates (spec 03 §7) */
    bool    layout_forced; /* send `layout` whatever the ship's data say */
    uint8_t layout;        /* sb_shield_layout */
    bool    on_arrival; /* hosts: send what an owner sent when it arrives, not at a common tick */
    uint8_t level_repeats; /* times a new power level is sent: 1 as stock, 3 ours (spec 03 §5) */
    sb_time interval_us;   /* time between updates: 100 ms */
    sb_time gather_us;     /* on_arrival: an update waits for the next one if that is expected
                              within this time, and both share datagrams: 10 ms */
    sb_time wait_us;       /* on_arrival: an update waits this long for others: 0, which leaves it
                              to gather_us */
    sb_time full_us;       /* an update is full if the last full one is older than this: 1 s */
    sb_time lossy_full_us; /* `full_us` for receivers that lose datagrams: 250 ms; 0: full_us */
} sb_lane_options;

/* Our options. */
SB_API void sb_lane_options_default(sb_lane_options *options);
/* The options that behave exactly as the original game. */
SB_API void sb_lane_options_stock(sb_lane_options *options);

typedef struct sb_lane {
    uint8_t  role;    /* sb_lane_role */
    bool     started; /* false: the next update is a full one */
    bool     cloak_known, cloak;
    uint8_t  subsys_cursor, power_cursor; /* entry at which the next block starts */
    bool     jumped; /* the last block started at a damaged entry: the next one at the cursor */
    sb_time  last_full;
    sb_vec3  base; /* position in the last POS */
    sb_cv4   delta;
    sb_cv3   forward, up;
    uint16_t speed_code;
    uint32_t damaged;                       /* bits of damaged entries not sent yet */
    uint8_t  levels[SB_SUBSYSTEMS_MAX];     /* power level last sent or waiting to be sent */
    uint8_t  level_left[SB_SUBSYSTEMS_MAX]; /* times that the level is still to be sent */
} sb_lane;

SB_API void sb_lane_init(sb_lane *lane, sb_lane_role role, const sb_ship_frame *frame,
                         const sb_lane_options *options);
/* Builds the next update and records it as sent. Encode it with the context of sb_lane_context.
 * False: nothing to send (a host without the ship's subsystem list has nothing for its owner). */
SB_API bool sb_lane_build(sb_lane *lane, const sb_ship_frame *frame, const sb_lane_options *options,
                          bool lossy, sb_time now, float game_time, sb_state_update *out);
/* To be called for a frame of which the lane builds no update: its damaged entries still come first
 * in the next block. */
SB_API void sb_lane_skip(sb_lane *lane, const sb_ship_frame *frame, const sb_lane_options *options);
/* The context in which messages of this lane are encoded and decoded. */
SB_API sb_message_context sb_lane_context(const sb_lane *lane, const sb_ship_frame *frame,
                                          const sb_lane_options *options);

/* ---- a host's lanes: ships x peers ---------------------------------------------------------- */

typedef struct sb_replica sb_replica;

enum { SB_REPLICA_PEERS = 128 }; /* peers are numbered 0..127; transport peer ids fit */

typedef struct sb_replica_config {
    uint32_t        max_ships; /* 16 */
    sb_lane_options lanes;
} sb_replica_config;

/* A set of peers, one bit each. */
typedef struct sb_peer_mask {
    uint64_t bits[SB_REPLICA_PEERS / 64];
} sb_peer_mask;

SB_API bool sb_peer_mask_has(const sb_peer_mask *mask, unsigned peer);

typedef struct sb_replica_message {
    uint32_t     object_id;
    sb_peer_mask peers; /* receivers of the message */
    sb_span      bytes; /* lent until the next call */
} sb_replica_message;

SB_API size_t      sb_replica_bytes(const sb_replica_config *config); /* 0: invalid configuration */
SB_API sb_replica *sb_replica_init(void *memory, const sb_replica_config *config);

/* Adds a peer that gets updates. Its first update of every ship is a full one. */
SB_API void sb_replica_add_peer(sb_replica *replica, unsigned peer);
SB_API void sb_replica_remove_peer(sb_replica *replica, unsigned peer);
/* A lossy peer loses datagrams and gets absolute positions more often (spec 03 §17). Takes effect
 * in the next turn. */
SB_API void sb_replica_set_lossy(sb_replica *replica, unsigned peer, bool lossy);

/* How often a peer gets the updates of another player's ship. */
typedef enum sb_replica_pace {
    SB_REPLICA_EVERY_TICK, /* the default */
    SB_REPLICA_EVERY_2_TICKS,
    SB_REPLICA_EVERY_5_TICKS,
    SB_REPLICA_SILENT, /* none at all */
    SB_REPLICA_PACES
} sb_replica_pace;

/* Sets the pace of one ship's updates to `peer`; an owner's own ship keeps its pace. The first
 * update at a new pace is a full one, so a peer that got none for a while starts from a position.
 * Not to be called while sb_replica_next gives the messages of a turn. */
SB_API void sb_replica_set_pace(sb_replica *replica, uint32_t object_id, unsigned peer,
                                sb_replica_pace pace);
/* Sends one ship's updates only every `ticks` times the interval of their pace; 1..255, at first 1.
 * Several ships that share the traffic of one get their number. */
SB_API void sb_replica_set_share(sb_replica *replica, uint32_t object_id, unsigned ticks);
/* Sets the time between two ticks, from the next tick on. */
SB_API void sb_replica_set_interval(sb_replica *replica, sb_time interval_us);
/* Changes wait_us of config.lanes, for updates that arrive later. */
SB_API void sb_replica_set_wait(sb_replica *replica, sb_time wait_us);
/* Changes rare_health of config.lanes. */
SB_API void sb_replica_set_rare_health(sb_replica *replica, bool rare);

/* `ship` is borrowed until it is removed. `owner` is the owner's peer number; the ship has no
 * owner if no present peer has that number. SB_FULL: max_ships reached; SB_NOT_ALLOWED: the object
 * id is in use. */
SB_API SB_MUST_USE sb_result sb_replica_add_ship(sb_replica *replica, const sb_ship *ship,
                                                 unsigned owner, sb_time now);
SB_API void                  sb_replica_remove_ship(sb_replica *replica, uint32_t object_id);
SB_API bool                  sb_replica_has_ship(const sb_replica *replica, uint32_t object_id);
/* The next update of the ship to `peer` is a full one: the peer asked for the object (spec 03 §8).
 */
SB_API void sb_replica_repeat(sb_replica *replica, uint32_t object_id, unsigned peer);
/* An update of the ship's owner was applied. With `on_arrival` the ship follows its owner from now
 * on: its update is due at once if that keeps the rate of one in interval_us. */
SB_API void sb_replica_note_arrival(sb_replica *replica, uint32_t object_id, sb_time now);
/* True if sb_replica_next gives messages of this ship at `now`. */
SB_API bool sb_replica_is_due(const sb_replica *replica, uint32_t object_id, sb_time now);
/* Sets the position that the next turn of the ship sends; without a call it sends the ship's own.
 */
SB_API void sb_replica_place(sb_replica *replica, uint32_t object_id, sb_vec3 position);

/* Gives the next message that is due at `now`; false: no more. `game_time` goes into the messages.
 */
SB_API bool    sb_replica_next(sb_replica *replica, sb_time now, float game_time,
                               sb_replica_message *out);
SB_API sb_time sb_replica_next_deadline(const sb_replica *replica);

/* ---- receivers: applying the updates of one ship -------------------------------------------- */

typedef enum sb_receiver_role {
    SB_RECEIVE_FROM_OWNER, /* host: motion, cloak and power settings of the ship's owner */
    SB_RECEIVE_OWN,        /* client, own ship: SUBSYS only */
    SB_RECEIVE_OTHER,      /* client, another player's ship */
} sb_receiver_role;

/* X(ID, "name", "text") -- telemetry; no counter is a reason to remove a player. */
#define SB_RECEIVER_COUNTERS(X)                                                                    \
    X(SB_RECEIVED_APPLIED, "applied", "updates applied")                                           \
    X(SB_RECEIVED_MALFORMED, "malformed", "updates refused: cannot be decoded")                    \
    X(SB_RECEIVED_ABSURD_TIME, "absurd_time", "updates refused: game time out of range")           \
    X(SB_RECEIVED_AHEAD, "ahead",                                                                  \
      "updates refused: game time more than 1 s ahead of the expected one")                        \
    X(SB_RECEIVED_OLD, "old", "updates dropped: older than the last one applied")                  \
    X(SB_RECEIVED_DISORDERED, "disordered",                                                        \
      "updates applied although they are older: game times are forged")                            \
    X(SB_RECEIVED_TOO_OFTEN, "too_often", "updates beyond 40 within one second")                   \
    X(SB_RECEIVED_CLOCK_RESTARTED, "clock_restarted",                                              \
      "game times that fell by more than 5 s, or after 1 s without a newer one")                   \
    X(SB_RECEIVED_BAD_AXES, "bad_axes", "orientations ignored: an axis has no direction")          \
    X(SB_RECEIVED_FOREIGN_BLOCK, "foreign_block", "SUBSYS blocks ignored: sent by a client")       \
    X(SB_RECEIVED_FOREIGN_MOTION, "foreign_motion",                                                \
      "motion fields ignored: they move the receiver's own ship")                                  \
    X(SB_RECEIVED_UNREAD_BLOCK, "unread_block",                                                    \
      "SUBSYS blocks ignored: unknown ship, or start index beyond its subsystems")                 \
    X(SB_RECEIVED_TRUNCATED, "truncated", "SUBSYS blocks with a last entry cut short")             \
    X(SB_RECEIVED_BAD_POWER, "bad_power", "power settings ignored: the entry has no power")        \
    X(SB_RECEIVED_BAD_CLOAK, "bad_cloak", "cloaks ignored: the ship cannot cloak")                 \
    X(SB_RECEIVED_HASH_SEEN, "hash_seen", "integrity hashes received")                             \
    X(SB_RECEIVED_HASH_CHANGED, "hash_changed",                                                    \
      "integrity hashes that differ from the previous one")                                        \
    X(SB_RECEIVED_TOO_FAST, "too_fast", "speeds above the maximum of the engines")                 \
    X(SB_RECEIVED_JUMPED, "jumped", "positions farther from the last one than the engines reach")  \
    X(SB_RECEIVED_INFERRED_BASE, "inferred_base",                                                  \
      "deltas applied to an inferred base: the absolute position was lost")                        \
    X(SB_RECEIVED_LATE_BASE, "late_base",                                                          \
      "late absolute positions used as the base of later deltas")

typedef enum sb_receiver_counter {
#define SB_COUNTER_NAME(id, name, text) id,
    SB_RECEIVER_COUNTERS(SB_COUNTER_NAME)
#undef SB_COUNTER_NAME
        SB_RECEIVER_COUNTER_COUNT
} sb_receiver_counter;

SB_API const char *sb_receiver_counter_name(sb_receiver_counter counter);
SB_API const char *sb_receiver_counter_text(sb_receiver_counter counter);

/* The value in an implausible update, and the largest possible one. */
typedef struct sb_evidence {
    float claimed, possible;
} sb_evidence;

enum { SB_RECENT_TIMES = 16 }; /* a power of two */

typedef struct sb_receiver {
    uint8_t  role; /* sb_receiver_role */
    bool     started, has_hash;
    bool     enforce;   /* true: implausible values are not applied (spec 10 §15); default false */
    uint16_t hash;      /* last integrity hash (spec 04 §1) ... */
    uint16_t hash_run;  /* ... number of updates in a row that had it, at most 65535: no copies, and
                           none with another hash or with a POS without one in between ... */
    sb_time hash_since; /* ... and the arrival of the first of them */
    float   order_time; /* updates of an earlier game_time come too late */
    float   last_time;  /* game_time of the last update that was applied in order */
    sb_time applied_at; /* arrival of the last update that was applied */
    float   recent[SB_RECENT_TIMES]; /* game times by 0.05 s, the newest of each slot; -INFINITY */
    float   newest_time;             /* of them */
    sb_vec3 origin;                  /* position at the creation */
    sb_time contradicted_at;         /* when two of them could last not both be the owner's ... */
    sb_time doubt_until;   /* ... and until when this has put order in doubt (spec 03 §9) */
    float   expected_time; /* the sender's game time now, as the caller estimates it; INFINITY, the
                              default: unknown */
    float latest_time;     /* no clock that was set to ours is later now; -INFINITY, the default:
                              unknown. Counts while order is in doubt */
    sb_time received_at;
    sb_vec3 base; /* origin of deltas: the last POS, the position at creation, or inferred */
    float   base_time, base_latest; /* bounds of the base's game_time; equal if it was a POS */
    bool    anchored;    /* a position within reach of `origin` was applied since the creation */
    bool    warped;      /* moved since the creation by another message than a StateUpdate */
    sb_time base_at;     /* when the base was sent, for plausibility checks; its
                            arrival as long as the sender's clock is not known */
    float   delta;       /* length of the last DELTA from this base */
    float   ahead;       /* units by which the base is beyond what the engines allow; 0..20 */
    sb_time moved_at;    /* creation, respawn or warp; 2 s without checks follow, unless anchored
                            (spec 10 §11.3) */
    sb_time  rate_since; /* start of the one-second window in which updates are counted */
    uint32_t rate_count; /* updates in that window */
    float    power_time[SB_SUBSYSTEMS_MAX]; /* game_time of each entry's last setting (03 §4.5) */
    struct sb_pace *pace; /* borrowed; NULL, the default: turns and accelerations are not checked */
    sb_evidence     speed, distance; /* of the last implausible one: units/s, units */
    uint32_t        counters[SB_RECEIVER_COUNTER_COUNT];
} sb_receiver;

/* Starts with a ship that was just created; its position is the base. */
SB_API void sb_receiver_init(sb_receiver *receiver, sb_receiver_role role, const sb_ship *ship,
                             sb_time now);
/* The ship was moved by another message than a StateUpdate (0x1F EnterSet): its position becomes
 * the base, and plausibility checks pause for 2 s. Times and counters stay. */
SB_API void sb_receiver_moved(sb_receiver *receiver, const sb_ship *ship, sb_time now);
/* Decodes the whole message, checks it, then applies it. Anything but SB_OK is counted and leaves
 * the ship unchanged; SB_NOT_ALLOWED means that a newer update was applied before, or that the game
 * time is too far ahead of `expected_time`. `layout` is the
 * sender's shield layout, known beforehand or from sb_layout_evidence_choose. SB_LAYOUT_EITHER
 * applies only what both layouts agree on: the entries before the shield generator, and its
 * condition. `update` (may be NULL) gets the decoded message. The caller has checked that the
 * sender owns the object. */
SB_API SB_MUST_USE sb_result sb_receiver_apply(sb_receiver *receiver, sb_ship *ship, sb_time now,
                                               uint8_t layout, sb_span message,
                                               sb_state_update *update);
/* The ship's position now, by dead reckoning (spec 10 §11.2). */
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
