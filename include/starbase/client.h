/* starbase/client.h -- a whole headless player, without a socket: joins any server, sees what a
 * player sees, and does what a player does. Spec 06 §10, 03, 07, 08, 09.
 *
 * For:      bots, load generators, onlookers and tests.
 * Never:    decides what to do: that is the pilot's (starbase/pilot.h) or the caller's. Never
 *           touches files: a 0x25 is refused and ends the conversation (spec 06 §5.4).
 *
 * The crank: receive each datagram; advance; write until 0; sleep until next_deadline.
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

enum {
    SB_CLIENT_SHIPS = 32,
    SB_CLIENT_PLAYERS = 32,
    SB_CLIENT_NAME_MAX = 31 * 3 + 1, /* UTF-8 of 31 units, and a NUL */
};

typedef enum sb_client_phase {
    SB_CLIENT_CONNECTING,
    SB_CLIENT_CHECKING, /* checksum rounds */
    SB_CLIENT_LOADING,  /* Settings and GameInit came; 0x2A is sent */
    SB_CLIENT_LOBBY,    /* 0x35 came: in the game, no ship */
    SB_CLIENT_FLYING,
    SB_CLIENT_OVER, /* the conversation has ended */
} sb_client_phase;

typedef struct sb_client_event sb_client_event;

typedef struct sb_client_config {
    sb_transport_client_config transport; /* server, name, password, timing */
    const sb_ship_set         *ships;     /* NULL: stock */
    /* Manifests to answer from, in order of preference; none: vanilla. The first that has files for
     * a round answers it. */
    const sb_manifest *const *manifests;
    size_t                    manifest_count;
    sb_time                   load_us; /* pretended loading time before 0x2A; 0 */
    sb_lane_options           lanes;   /* of our own updates: stock */
    void (*on_event)(void *context, const sb_client_event *event); /* may be NULL */
    void *event_context;
} sb_client_config;

typedef struct sb_seen_player {
    bool    used, in_list; /* in_list: announced by 0x17 or seen in a score or ship */
    uint8_t peer_id;
    uint8_t team;
    int32_t kills, deaths, score;
    char    name[SB_CLIENT_NAME_MAX]; /* UTF-8; "" before the Name record came */
} sb_seen_player;

typedef struct sb_seen_ship {
    bool        used, own;
    bool        exploding;
    sb_time     gone_at; /* of a wreck */
    uint8_t     peer_id; /* owner; 0: not a player's (0x02) */
    sb_ship     ship;    /* object_id, motion, conditions as the server told */
    sb_receiver receiver;
    char        set_name[33];
    char        name[64];                  /* Windows-1252 bytes of the creation, cleaned, NUL */
    bool        firing[SB_SUBSYSTEMS_MAX]; /* 0x07 without 0x08 yet */
} sb_seen_ship;

typedef enum sb_client_event_type {
    SB_CLIENT_PHASE,         /* `value`: sb_client_phase */
    SB_CLIENT_REFUSED_FILES, /* 0x22/0x23: `text` is the file; the join has failed */
    SB_CLIENT_LEFT,          /* the conversation is over: `reason`, `boot_reason` */
    SB_CLIENT_PLAYER_JOINED, /* 0x17 */
    SB_CLIENT_PLAYER_LEFT,
    SB_CLIENT_CHAT,      /* peer_id, text; `value` 1: team chat */
    SB_CLIENT_SPAWNED,   /* object_id, peer_id: a ship is there, ours included */
    SB_CLIENT_EXPLODING, /* object_id dies; `peer_id`: killer or 0 */
    SB_CLIENT_GONE,      /* object_id is not there any more */
    SB_CLIENT_SCORE,     /* 0x36: peer_id killer or 0, `value` victim */
    SB_CLIENT_FIRED, /* 0x07, 0x19, 0x1A of somebody else: object_id, `value` opcode, `target` */
    SB_CLIENT_GAME_OVER,   /* 0x38: `value` reason */
    SB_CLIENT_RESTARTED,   /* 0x39 */
    SB_CLIENT_MESSAGE,     /* every message of the server, before it is handled: `bytes` */
    SB_CLIENT_BAD_MESSAGE, /* one that could not be read or made no sense: `bytes`, `result` */
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
    sb_span              text, bytes; /* lent during the call */
};

typedef struct sb_client sb_client;

SB_API void       sb_client_defaults(sb_client_config *config);
SB_API size_t     sb_client_bytes(const sb_client_config *config); /* 0: not possible */
SB_API sb_client *sb_client_init(void *memory, const sb_client_config *config, sb_time now);

SB_API SB_MUST_USE sb_result sb_client_receive(sb_client *client, sb_time now, sb_endpoint from,
                                               sb_span datagram);
/* Timers: own updates at 10 Hz, wrecks that end. */
SB_API void    sb_client_advance(sb_client *client, sb_time now);
SB_API size_t  sb_client_write(sb_client *client, sb_time now, uint8_t *out);
SB_API sb_time sb_client_next_deadline(const sb_client *client);
SB_API void    sb_client_leave(sb_client *client, sb_time now);
SB_API bool    sb_client_is_over(const sb_client *client);

/* ---- what it sees ---- */

SB_API sb_client_phase sb_client_phase_of(const sb_client *client);
SB_API const char     *sb_client_phase_text(sb_client_phase phase);
SB_API uint8_t         sb_client_id(const sb_client *client); /* SB_PEER_NONE before it is known */
SB_API int             sb_client_slot(const sb_client *client); /* -1 before Settings */
/* The server's clock, in seconds, as ours runs (spec 06 §5.6). */
SB_API float sb_client_game_time(const sb_client *client, sb_time now);
/* Settings and 0x35; zeros before they came. Spans are lent until the next Settings. */
SB_API const sb_settings     *sb_client_settings(const sb_client *client);
SB_API const sb_mission_init *sb_client_mission(const sb_client *client);
SB_API bool                   sb_client_is_game_over(const sb_client *client);
/* Tables, by index; NULL: an unused row or beyond the end. */
SB_API const sb_seen_ship   *sb_client_ship(const sb_client *client, unsigned index);
SB_API const sb_seen_player *sb_client_player(const sb_client *client, unsigned index);
SB_API const sb_seen_ship   *sb_client_find_ship(const sb_client *client, uint32_t object_id);
SB_API const sb_seen_player *sb_client_find_player(const sb_client *client, uint8_t peer_id);
SB_API const sb_seen_ship   *sb_client_own_ship(const sb_client *client); /* NULL: none */
/* Where a ship is now (dead reckoning; for our own its state). */
SB_API sb_vec3 sb_client_position(const sb_client *client, const sb_seen_ship *ship, sb_time now);
SB_API sb_layout_verdict sb_client_layout(const sb_client *client);
SB_API int32_t sb_client_team_score(const sb_client *client, unsigned team, int32_t *kills);
SB_API const sb_transport_client *sb_client_transport(const sb_client *client);
/* Messages of the server by opcode, counted. */
SB_API uint64_t sb_client_received(const sb_client *client, uint8_t opcode);

/* ---- what it does; SB_NOT_ALLOWED: not in this phase, or no ship ---- */

/* A new ship of our own: 0x03 with the next object id of our block (spec 07 §1.1). A living ship is
 * replaced. */
SB_API SB_MUST_USE sb_result sb_client_spawn(sb_client *client, sb_time now, uint8_t species,
                                             sb_vec3 position, sb_vec3 forward, sb_vec3 up);
/* Where our ship is; it is told at 10 Hz. The caller integrates the motion. */
SB_API SB_MUST_USE sb_result sb_client_place(sb_client *client, sb_time now, sb_vec3 position,
                                             sb_vec3 forward, sb_vec3 up, float speed);
SB_API SB_MUST_USE sb_result sb_client_cloak(sb_client *client, sb_time now, bool on);
/* Power wanted of a top-level entry, 0..1.25; at 0 it is switched off and 0x0A is sent. */
SB_API SB_MUST_USE sb_result sb_client_power(sb_client *client, sb_time now, unsigned index,
                                             float wanted);
/* The stock sequences (spec 08 §7.1: 0x07 goes out twice). `index`: a weapon system's entry. */
SB_API SB_MUST_USE sb_result sb_client_start_firing(sb_client *client, sb_time now, unsigned index,
                                                    uint32_t target);
SB_API SB_MUST_USE sb_result sb_client_stop_firing(sb_client *client, sb_time now, unsigned index);
/* One torpedo from tube `child` of the entry, one bolt from a cannon; direction in world axes. */
SB_API SB_MUST_USE sb_result sb_client_torpedo(sb_client *client, sb_time now, unsigned index,
                                               unsigned child, uint8_t projectile_type,
                                               sb_vec3 direction, uint32_t target);
SB_API SB_MUST_USE sb_result sb_client_pulse(sb_client *client, sb_time now, unsigned index,
                                             unsigned child, uint8_t projectile_type,
                                             sb_vec3 direction, uint32_t target);
SB_API SB_MUST_USE sb_result sb_client_phaser_level(sb_client *client, sb_time now, unsigned index,
                                                    uint8_t level);
SB_API SB_MUST_USE sb_result sb_client_torpedo_type(sb_client *client, sb_time now, unsigned index,
                                                    uint8_t type);
SB_API SB_MUST_USE sb_result sb_client_repair_first(sb_client *client, sb_time now, unsigned index,
                                                    int child);
/* 0x0D: `previous` is what was targeted before (spec 08 §6). */
SB_API SB_MUST_USE sb_result sb_client_target_changed(sb_client *client, sb_time now,
                                                      uint32_t previous);
/* 0x15 for our own ship; `contact` in ship-local units; `other` 0: scenery. */
SB_API SB_MUST_USE sb_result sb_client_collision(sb_client *client, sb_time now, uint32_t other,
                                                 sb_vec3 contact, float force);
SB_API SB_MUST_USE sb_result sb_client_self_destruct(sb_client *client, sb_time now); /* 0x13 */
SB_API SB_MUST_USE sb_result sb_client_chat(sb_client *client, sb_time now, bool team,
                                            sb_span text);
SB_API SB_MUST_USE sb_result sb_client_team(sb_client *client, sb_time now, uint8_t team);
/* Any bytes, as they are: mods, tests, mischief. */
SB_API SB_MUST_USE sb_result sb_client_send(sb_client *client, sb_time now, sb_delivery delivery,
                                            sb_span message);

#ifdef __cplusplus
}
#endif
#endif
