/* starbase/client.h -- a complete headless player without a socket. It joins any server, keeps the
 * state that a player sees, and sends the actions of a player.
 *
 * For:      bots, load generators, observers and tests.
 * Never:    decides what to do: the pilot (starbase/pilot.h) or the caller does. Never touches
 *           files: it answers a FileTransfer and drops its content (spec 06 §5.4).
 * Spec:     06 §10, 03, 07, 08, 09.
 *
 * The main loop of a caller: pass each received datagram to sb_client_receive; call
 * sb_client_advance; send what sb_client_write returns until it returns 0; sleep until
 * sb_client_next_deadline or the next datagram.
 */
#ifndef STARBASE_CLIENT_H
#define STARBASE_CLIENT_H

#include <starbase/layout.h>
#include <starbase/manifest.h>
#include <starbase/match.h>
#include <starbase/replica.h>
#include <starbase/transport.h>

#ifdef __cplusplus
extern "C" {
#endif

/* starbase/message.h */
typedef struct sb_mission_init sb_mission_init;
typedef struct sb_settings     sb_settings;

enum {
    SB_CLIENT_SHIPS = 32,
    SB_CLIENT_REPAIRS = 48, /* parts in the repair queue of a ship */
    SB_CLIENT_VOLUMES = 32, /* damage volumes of a ship, as our server keeps them */
    SB_CLIENT_PLAYERS = 32,
    SB_CLIENT_NAME_MAX = 31 * 3 + 1, /* bytes: 31 UTF-16 units as UTF-8, and a NUL */
};

typedef enum sb_client_phase {
    SB_CLIENT_CONNECTING,
    SB_CLIENT_CHECKING, /* connected; checksum rounds */
    SB_CLIENT_LOADING,  /* Settings and GameInit received; NewPlayerInGame sent, or soon */
    SB_CLIENT_LOBBY,    /* MissionInit received: in the game, without a ship */
    SB_CLIENT_FLYING,   /* in the game, with a ship or its wreck */
    SB_CLIENT_OVER,     /* the session has ended; the last phase */
} sb_client_phase;

typedef struct sb_client_event sb_client_event;

typedef struct sb_client_config {
    sb_transport_client_config transport; /* server, name, password, timing */
    const sb_ship_set         *ships;     /* NULL: stock */
    /* Manifests that answer checksum requests, in order of preference: the first one that has files
     * for the requested round answers. None: the vanilla manifest. They must outlive the client. */
    const sb_manifest *const *manifests;
    size_t                    manifest_count;
    sb_time                   load_us; /* simulated loading time before NewPlayerInGame; 0 */
    sb_lane_options           lanes;   /* how the own ship's updates are built; stock */
    void (*on_event)(void *context, const sb_client_event *event); /* may be NULL */
    void *event_context;
} sb_client_config;

typedef struct sb_seen_player {
    bool    used;
    bool    in_list; /* announced by PlayerList, or mentioned by a score, a team or a ship */
    uint8_t peer_id;
    uint8_t team; /* SB_NO_TEAM: none */
    int32_t kills, deaths, score;
    char    name[SB_CLIENT_NAME_MAX]; /* UTF-8; "" until the Name record arrives */
} sb_seen_player;

/* A volume of hull damage, in model units of the ship (spec 08 §15). */
typedef struct sb_seen_volume {
    sb_vec3 centre;
    float   radius, strength;
} sb_seen_volume;

typedef struct sb_seen_ship {
    bool        used, own;
    bool        exploding; /* a wreck, which disappears at `gone_at` */
    uint8_t     peer_id;   /* the owner; 0: no player's (ObjectCreate) */
    uint8_t     repair_count, volume_count;
    sb_time     gone_at;
    sb_ship     ship; /* object id, motion and conditions, as the server reported them */
    sb_receiver receiver;
    char        set_name[65];              /* the set (region of space) it is in; NUL-terminated */
    char        name[64];                  /* Windows-1252, control characters replaced; NUL */
    bool        firing[SB_SUBSYSTEMS_MAX]; /* by entry: StartFiring without StopFiring so far */
    uint32_t    firing_at[SB_SUBSYSTEMS_MAX]; /* while firing: the target that StartFiring named */

    /* Its last warp (spec 08 §7.7): see sb_client_is_warping. */
    sb_time warp_until; /* 0: no warp */
    char    warp_set[65];
    sb_vec3 warp_to;

    /* Object ids of parts in its repair queue, the next one first, as far as the host told. */
    uint32_t       repairs[SB_CLIENT_REPAIRS];
    sb_seen_volume volumes[SB_CLIENT_VOLUMES]; /* the oldest first */
} sb_seen_ship;

/* Each comment names the fields of sb_client_event that are set, beside `type` and `now`. */
typedef enum sb_client_event_type {
    SB_CLIENT_PHASE,         /* the phase has changed; `value`: sb_client_phase */
    SB_CLIENT_REFUSED_FILES, /* VersionMismatch, ChecksumFail: the join failed; `text`: the file,
                                `value`: the opcode, `bytes` */
    SB_CLIENT_FILE_OFFERED,  /* FileTransfer, answered but not written; `text`: the file, `bytes` */
    SB_CLIENT_LEFT,          /* the session has ended; `reason`, `boot_reason`, `peer_id`: own */
    SB_CLIENT_PLAYER_JOINED, /* `peer_id` */
    SB_CLIENT_PLAYER_LEFT,   /* `peer_id` */
    SB_CLIENT_CHAT,          /* `peer_id`, `text`, `value` 1: to the team only; `bytes` */
    SB_CLIENT_SPAWNED,       /* a ship appeared, maybe the own one; `object_id`, `peer_id` */
    SB_CLIENT_EXPLODING,     /* a ship dies; `object_id`, `peer_id`: the killer or 0 */
    SB_CLIENT_GONE,          /* an object was removed; `object_id`, `peer_id` */
    SB_CLIENT_SCORE,         /* ScoreChange; `peer_id`: killer or 0, `value`: victim, `bytes` */
    SB_CLIENT_FIRED,         /* another ship fired; `object_id`, `peer_id`, `value`: the opcode
                                (StartFiring, TorpedoFire, PulseFire), `target`: object id or 0 */
    SB_CLIENT_GAME_OVER,     /* EndGame; `value`: the reason, `bytes` */
    SB_CLIENT_RESTARTED,     /* RestartGame; `bytes` */
    SB_CLIENT_MESSAGE,       /* any message of the server, before it is handled; `bytes` */
    SB_CLIENT_BAD_MESSAGE,   /* a message that is malformed or makes no sense; `bytes`, `result` */
    SB_CLIENT_QUEUED,        /* a message of our own was queued; `bytes` */
} sb_client_event_type;

struct sb_client_event {
    sb_client_event_type type;
    sb_time              now;
    uint8_t              peer_id;
    uint32_t             object_id, target;
    int32_t              value;
    sb_leave_reason      reason;
    uint8_t              boot_reason;
    sb_result            result;
    sb_span              text, bytes; /* lent during the call of on_event */
};

typedef struct sb_client sb_client;

SB_API void sb_client_defaults(sb_client_config *config);
/* The memory that sb_client_init needs; 0: the configuration is not valid. */
SB_API size_t sb_client_bytes(const sb_client_config *config);
/* Builds a client in `memory`, which must be aligned as malloc does it. Copies the configuration;
 * name and password are borrowed until the call returns. */
SB_API sb_client *sb_client_init(void *memory, const sb_client_config *config, sb_time now);

/* Feeds one datagram. Any result but SB_OK: it was dropped and counted (sb_client_transport). */
SB_API SB_MUST_USE sb_result sb_client_receive(sb_client *client, sb_time now, sb_endpoint from,
                                               sb_span datagram);
/* Runs the timers: loading time, updates of the own ship at 10 Hz, removal of wrecks. */
SB_API void sb_client_advance(sb_client *client, sb_time now);
/* Writes one datagram that is due into `out` (SB_DATAGRAM_MAX bytes) and returns its size; 0: none
 * is due at `now`. */
SB_API size_t sb_client_write(sb_client *client, sb_time now, uint8_t *out);
/* When to call again even if nothing arrives. */
SB_API sb_time sb_client_next_deadline(const sb_client *client);
/* Starts to disconnect. Keep calling until sb_client_is_over, so that the server learns of it. */
SB_API void sb_client_leave(sb_client *client, sb_time now);
SB_API bool sb_client_is_over(const sb_client *client);

/* ---- state ---- */

SB_API sb_client_phase sb_client_phase_of(const sb_client *client);
SB_API const char     *sb_client_phase_text(sb_client_phase phase);
/* The own peer id; SB_PEER_NONE before it is known. */
SB_API uint8_t sb_client_id(const sb_client *client);
/* The own slot; -1 before Settings. */
SB_API int sb_client_slot(const sb_client *client);
/* The server's game time in seconds: the time in Settings plus the time since Settings arrived
 * (spec 06 §5.6). */
SB_API float sb_client_game_time(const sb_client *client, sb_time now);
/* The last Settings and MissionInit; zeros before they arrive. Their spans are lent until the next
 * Settings. */
SB_API const sb_settings     *sb_client_settings(const sb_client *client);
SB_API const sb_mission_init *sb_client_mission(const sb_client *client);
SB_API bool                   sb_client_is_game_over(const sb_client *client);
/* Rows of the tables of ships and players, by index; NULL: unused, or beyond the end. Rows are lent
 * until the next call that feeds, advances or acts. */
SB_API const sb_seen_ship   *sb_client_ship(const sb_client *client, unsigned index);
SB_API const sb_seen_player *sb_client_player(const sb_client *client, unsigned index);
SB_API const sb_seen_ship   *sb_client_find_ship(const sb_client *client, uint32_t object_id);
SB_API const sb_seen_player *sb_client_find_player(const sb_client *client, uint8_t peer_id);
SB_API const sb_seen_ship   *sb_client_own_ship(const sb_client *client); /* NULL: none */
/* The position of a ship at `now`, by dead reckoning; for the own ship, the position set last. */
SB_API sb_vec3 sb_client_position(const sb_client *client, const sb_seen_ship *ship, sb_time now);
/* True: the ship is between two places or sets, and nobody can meet it. */
SB_API bool sb_client_is_warping(const sb_seen_ship *ship, sb_time now);
/* True: both ships are in the same set and neither is warping. */
SB_API bool sb_client_can_meet(const sb_seen_ship *a, const sb_seen_ship *b, sb_time now);
/* The pull of all tractor beams of other ships that hold our ship at `now`. The client does not
 * apply it: the caller does, as part of the motion of our ship (starbase/ship_state.h). */
SB_API sb_pull sb_client_pull(const sb_client *client, sb_time now);
/* The shield layout that the server seems to use, inferred from its updates. */
SB_API sb_layout_verdict sb_client_layout(const sb_client *client);
/* The score of team 0 or 1; 0 for any other. `kills` gets the team's kills and may be NULL. */
SB_API int32_t sb_client_team_score(const sb_client *client, unsigned team, int32_t *kills);
SB_API const sb_transport_client *sb_client_transport(const sb_client *client);
/* How many messages with this opcode the server has sent; at most 2^32 - 1. */
SB_API uint64_t sb_client_received(const sb_client *client, uint8_t opcode);

/* ---- actions ----
 *
 * Results of all actions: SB_NOT_ALLOWED: not in this phase, or not without a ship. SB_BAD_VALUE:
 * an argument is out of range. SB_FULL: the send queue is full; nothing was sent and nothing has
 * changed. */

/* Spawns a ship of our own with the next object id of our block (spec 07 §1.1). A ship that is
 * still there is replaced. Not allowed from on_event. */
SB_API SB_MUST_USE sb_result sb_client_spawn(sb_client *client, sb_time now, uint8_t species,
                                             sb_vec3 position, sb_vec3 forward, sb_vec3 up);
/* Sets where our ship is. The caller integrates the motion; updates go out at 10 Hz. */
SB_API SB_MUST_USE sb_result sb_client_place(sb_client *client, sb_time now, sb_vec3 position,
                                             sb_vec3 forward, sb_vec3 up, float speed);
SB_API SB_MUST_USE sb_result sb_client_cloak(sb_client *client, sb_time now, bool on);
/* Sets the power of a top-level entry, 0..1.25. 0 switches it off. */
SB_API SB_MUST_USE sb_result sb_client_power(sb_client *client, sb_time now, unsigned index,
                                             float wanted);
/* Starts or stops firing a weapon system; `index` is its top-level entry. */
SB_API SB_MUST_USE sb_result sb_client_start_firing(sb_client *client, sb_time now, unsigned index,
                                                    uint32_t target);
SB_API SB_MUST_USE sb_result sb_client_stop_firing(sb_client *client, sb_time now, unsigned index);
/* Fires one torpedo or one pulse bolt from tube or cannon `child` of the entry. The direction is in
 * world axes; `target` is an object id or 0. */
SB_API SB_MUST_USE sb_result sb_client_torpedo(sb_client *client, sb_time now, unsigned index,
                                               unsigned child, uint8_t projectile_type,
                                               sb_vec3 direction, uint32_t target);
SB_API SB_MUST_USE sb_result sb_client_pulse(sb_client *client, sb_time now, unsigned index,
                                             unsigned child, uint8_t projectile_type,
                                             sb_vec3 direction, uint32_t target);
/* The intensity of a phaser system, 0 to 2 (spec 08 §7.9). */
SB_API SB_MUST_USE sb_result sb_client_phaser_level(sb_client *client, sb_time now, unsigned index,
                                                    uint8_t level);
/* The torpedo type that a torpedo system loads, as an index into the ship's types. */
SB_API SB_MUST_USE sb_result sb_client_torpedo_type(sb_client *client, sb_time now, unsigned index,
                                                    uint8_t type);
/* Moves a subsystem to the front of the repair queue; `child` -1: the entry itself. */
SB_API SB_MUST_USE sb_result sb_client_repair_first(sb_client *client, sb_time now, unsigned index,
                                                    int child);
/* Tells the server that the target has changed; `previous` is the object targeted before (spec 08
 * §6). */
SB_API SB_MUST_USE sb_result sb_client_target_changed(sb_client *client, sb_time now,
                                                      uint32_t previous);
/* Reports a collision of our ship with object `other` (0: scenery); `contact` is in ship-local
 * units. */
SB_API SB_MUST_USE sb_result sb_client_collision(sb_client *client, sb_time now, uint32_t other,
                                                 sb_vec3 contact, float force);
SB_API SB_MUST_USE sb_result sb_client_self_destruct(sb_client *client, sb_time now);
/* Sends a chat line of at most 249 bytes of Windows-1252; `team`: to the own team only. */
SB_API SB_MUST_USE sb_result sb_client_chat(sb_client *client, sb_time now, bool team,
                                            sb_span text);
/* Chooses team 0 or 1. The choice takes effect when the server confirms it. */
SB_API SB_MUST_USE sb_result sb_client_team(sb_client *client, sb_time now, uint8_t team);
/* Sends any message as it is, in any phase after connecting: for mods and tests. */
SB_API SB_MUST_USE sb_result sb_client_send(sb_client *client, sb_time now, sb_delivery delivery,
                                            sb_span message);

#ifdef __cplusplus
}
#endif
#endif
