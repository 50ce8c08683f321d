/* starbase/server.h -- a room: a whole dedicated server for one match, without a socket.
 *
 * For:      `starbase serve`, which runs many rooms; tests and simulations.
 * Never:    touches a socket, a clock, a file or the heap, and never logs: events go to a callback.
 *           The caller provides all memory at the start.
 * Spec:     05-10.
 *
 * The loop of a program, after every wake-up:
 *
 *     sb_server_receive, for each datagram that arrived
 *     sb_server_advance
 *     while sb_server_write gives a datagram: send it
 *     sleep until a datagram arrives or until sb_server_next_deadline
 *
 * A relayed message leaves after the same wake-up in which it arrived.
 */
#ifndef STARBASE_SERVER_H
#define STARBASE_SERVER_H

#include <starbase/combat.h>
#include <starbase/discovery.h>
#include <starbase/manifest.h>
#include <starbase/match.h>
#include <starbase/replica.h>
#include <starbase/transport.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SB_SERVER_DATAGRAM_MAX = 1500, /* capacity that sb_server_write needs */
    SB_SERVER_NAME_MAX = 63,
    SB_SERVER_PLAYERS_MAX = 16,
    SB_SERVER_MANIFESTS_MAX = 32,
    SB_CHAT_MAX = 255, /* bytes of text; longer lines are cut (spec 09 §4) */
};

/* The check of players' files against the manifests (spec 06 §7). */
typedef enum sb_checksum_mode {
    SB_CHECKSUM_OFF,    /* differences are ignored */
    SB_CHECKSUM_LOG,    /* differences are reported */
    SB_CHECKSUM_STRICT, /* differences are reported, and the player is refused */
    SB_CHECKSUM_LEARN,  /* as LOG; the program stores a player's files as a new manifest */
    SB_CHECKSUM_MODES
} sb_checksum_mode;

SB_API extern const char *const sb_checksum_mode_words[SB_CHECKSUM_MODES + 1]; /* ends with NULL */
SB_API const char              *sb_checksum_mode_text(sb_checksum_mode mode); /* "off", "log" ... */
SB_API bool                     sb_find_checksum_mode(const char *text, sb_checksum_mode *out);

/* The use of the integrity hashes in players' StateUpdates (spec 04 §1). */
typedef enum sb_integrity_mode {
    SB_INTEGRITY_MODE_OFF,    /* reads and ignores them */
    SB_INTEGRITY_MODE_REPORT, /* counts and reports changed and unexpected ones */
    SB_INTEGRITY_MODE_BOOT,   /* as REPORT, and removes a player whose updates have the same wrong
                                 hash ten times in a row, over five seconds or more */
    SB_INTEGRITY_MODES
} sb_integrity_mode;

/* Ships that the room has no model of: of an unknown species, or of a known one with other
 * subsystems than in its data (spec 07 §2.6). */
typedef enum sb_mod_ships {
    SB_MOD_SHIPS_AUTO, /* as NO with SB_CHECKSUM_STRICT, otherwise as YES */
    SB_MOD_SHIPS_YES,  /* they fly; they take no damage and do none */
    SB_MOD_SHIPS_NO,   /* their creations are refused */
    SB_MOD_SHIPS_CHOICES
} sb_mod_ships;

/* How a room relays a message type that the stock game does not use (spec 09 §9.1). */
typedef enum sb_mod_policy {
    SB_MOD_DEFAULT,   /* types of the stock game as the game does; all other types as OTHERS */
    SB_MOD_OTHERS,    /* to all players but the sender */
    SB_MOD_DROP,      /* to no player */
    SB_MOD_ALL,       /* to all players, the sender included */
    SB_MOD_TEAM,      /* to the sender's team but the sender */
    SB_MOD_HOST_ONLY, /* clients may not send it: as DROP */
    SB_MOD_POLICIES
} sb_mod_policy;

SB_API extern const char *const sb_mod_policy_words[SB_MOD_POLICIES + 1]; /* ends with NULL */
SB_API const char              *sb_mod_policy_text(sb_mod_policy policy); /* "others", "drop" ... */
SB_API bool                     sb_find_mod_policy(const char *text, sb_mod_policy *out);

/* When a player chooses the larger of two teams, by two players or more (spec 09 §6). */
typedef enum sb_balance {
    SB_BALANCE_OFF,
    SB_BALANCE_TELL,    /* the player is asked to change */
    SB_BALANCE_ENFORCE, /* all are told that the player is in the other team */
    SB_BALANCE_CHOICES
} sb_balance;

SB_API extern const char *const sb_balance_words[SB_BALANCE_CHOICES + 1]; /* ends with NULL */

enum { SB_NAME_REASON_MAX = 128 }; /* capacity of a reason to refuse a name */

typedef struct sb_server_event sb_server_event;

typedef struct sb_server_config {
    uint64_t        seed;
    sb_span         name;        /* Windows-1252; copied, cut at SB_SERVER_NAME_MAX */
    uint32_t        max_players; /* 8; 1..16 */
    uint8_t         system;      /* 1..9, or a mod's (spec 07 §10) */
    sb_span         system_name; /* for status answers; empty: from the table of stock systems */
    sb_match_config match;
    bool            collision_damage; /* true; clients receive it (spec 06 §5.6) */
    bool            friendly_fire;    /* true: weapons damage ships of the own team. A rule of the
                                         server alone: nothing on the wire says it */
    sb_time restart_us; /* from the end of a match to the next: 30 s; 0: it starts when all players
                           have left, or by sb_server_restart_match */

    sb_transport_host_config transport; /* its seed, max_peers and password are overwritten */
    sb_span                  password;  /* UTF-16LE; borrowed until init returns (spec 06 §12) */
    sb_responder_config      responder;
    sb_combat_config         combat;
    sb_lane_options          lanes;         /* its interval_us is set from combat.constants */
    bool                     lane_distance; /* false; true: updates of ships far from the
                                               receiver's ship are rarer, as stock (03 §8) */
    const sb_ship_set   *ships;             /* NULL: stock */
    const sb_system_set *systems;           /* NULL: stock; borrowed as long as the server lives */

    sb_checksum_mode          checksums; /* log */
    const sb_manifest *const *manifests; /* borrowed as long as the server lives; none: vanilla */
    size_t                    manifest_count; /* at most SB_SERVER_MANIFESTS_MAX */
    bool                      allow_extra;    /* false; true accepts files that no manifest lists */
    sb_integrity_mode         integrity;      /* report */
    uint8_t                   mod_ships;      /* sb_mod_ships; SB_MOD_SHIPS_AUTO */
    /* Files for clients whose files of round FF differ, in the order in which they are sent;
     * borrowed like manifests, whose list they belong to. None: no file is ever sent. */
    const sb_client_file *files;
    size_t                file_count;       /* at most SB_CLIENT_FILES_MAX */
    uint32_t              file_bytes_per_s; /* 262,144: to all clients of the room together */

    /* Options, with their defaults and spec sections. For those down to trust_clients, the
     * behaviour of a stock server is not certain (docs/evidence/open-points.md). */
    bool list_host_as_player;   /* true (05 §3.1) */
    bool list_house;            /* true: status answers count and list house players as others */
    bool spawn_notice;          /* true (07 §5) */
    bool leave_destroy;         /* true (07 §9) */
    bool leave_event;           /* false */
    bool leave_text;            /* true */
    bool list_older_players;    /* false (07 §8) */
    bool score_self_on_join;    /* true (06 §5.11) */
    bool throttle_bit;          /* false: the second boolean of Settings (06 §5.6). Its only
                                   known readers make stock clients send less often */
    bool throttle_health;       /* false; true: with throttle_bit and two or more players, health
                                   only in full updates (03 §7) */
    bool client_sets;           /* false: an EnterSet of a client has no effect (07 §7.3) */
    bool trust_clients;         /* false: ownership is checked (07 §2.6) */
    bool player_restart;        /* false; true: a player may restart the match (09 §8) */
    bool hide_commands;         /* true: `!admin ...` of any player, and every chat line with `!` of
                                   a trusted player, is an event and is not passed on */
    bool     trace_damage;      /* false; report every event of combat */
    uint32_t list_object;       /* 0x064F: destination of PlayerList events */
    sb_time  checksum_limit_us; /* 30 s per round */
    sb_time  loading_limit_us;  /* 120 s */
    uint8_t  mod_policy[256];   /* sb_mod_policy by opcode, from SB_OP_SCRIPT_FIRST up. Any
                                   value but DEFAULT gives a stock opcode to a mod */
    uint32_t mod_bytes_max;     /* 1024 */
    uint32_t mod_per_s;         /* 20 messages of one player; the burst is twice that */

    uint8_t balance; /* sb_balance; SB_BALANCE_OFF */

    /* Refuses a player because of the name, which is UTF-8; called for each new name. True: the
     * player is told `reason` (SB_NAME_REASON_MAX, filled by the callback, UTF-8) and removed.
     * NULL: every name is accepted. A Name that could be forged removes nobody: a player in whose
     * name somebody forges messages keeps the place. */
    bool (*refuse_name)(void *context, sb_endpoint address, const char *name, char *reason);
    void *name_context;

    void (*on_event)(void *context, const sb_server_event *event); /* may be NULL */
    void *event_context;
} sb_server_config;

typedef enum sb_player_phase {
    SB_PLAYER_FREE,
    SB_PLAYER_WAITING,  /* the match is over: the join starts with the next one (spec 06 §9) */
    SB_PLAYER_CHECKING, /* checksum rounds 0 to 3 */
    SB_PLAYER_SYNCING,  /* checksum round FF */
    SB_PLAYER_UPDATING, /* gets files that differ (spec 06 §5.4) */
    SB_PLAYER_LOADING,  /* has the settings and loads the mission */
    SB_PLAYER_LOBBY,    /* in the game, without a ship */
    SB_PLAYER_FLYING,   /* in the game, with a ship or its wreck */
    SB_PLAYER_REFUSED,  /* being removed: a Boot follows */
    SB_PLAYER_PHASES
} sb_player_phase;

SB_API const char *sb_player_phase_text(sb_player_phase phase);

/* The events that on_event gets. Names and texts are UTF-8 without control characters, lent during
 * the call. */
typedef enum sb_server_event_type {
    SB_SERVER_CONNECTED,       /* a peer has connected; the join starts */
    SB_SERVER_NAMED,           /* the player has a new `name` */
    SB_SERVER_FILES_DIFFER,    /* `difference`; `text`: the manifest's name */
    SB_SERVER_CHECKED,         /* a checksum round: `value` differences, `bytes` the answer */
    SB_SERVER_FILES_STARTED,   /* the player gets `total` files, `value` bytes together */
    SB_SERVER_FILES_PROGRESS,  /* `done` of `total` files are acknowledged, `value` bytes are sent;
                                  `text`: the current file; at most every 5 s per player */
    SB_SERVER_FILES_SENT,      /* the player has acknowledged all `total` files, `value` bytes */
    SB_SERVER_FILES_STOPPED,   /* the player leaves before that; as FILES_PROGRESS */
    SB_SERVER_FILES_WITHHELD,  /* files differ and are not sent: `text` says why */
    SB_SERVER_JOIN_FAILED,     /* `text` says why */
    SB_SERVER_CONNECT_REFUSED, /* `address`; `value`: sb_boot_reason; `text` says why; `other`:
                                  sb_transport_counter of the reason */
    SB_SERVER_KICKED,          /* the server removes a player: `text` says why */
    SB_SERVER_WAITING,         /* the player came after the end of a match: `text` says when the
                                  next one starts; `value`: in how many seconds, -1: unknown */
    SB_SERVER_JOINED,          /* in the game; `value`: milliseconds since the connection */
    SB_SERVER_LEFT,    /* `text` says how; `value`: seconds connected; `other` 1: was in the game */
    SB_SERVER_CHAT,    /* `text`; `other` 1: to the team */
    SB_SERVER_COMMAND, /* `text`: a chat line that begins with `!` and was not passed on */
    SB_SERVER_TEAM,    /* `value`: the team the player chose */
    SB_SERVER_SPAWNED, /* `object_id`; `value` species */
    SB_SERVER_TARGET,  /* the first TargetChanged of a new ship; `object_id`: its third id, which is
                          0 if it names the previous target; `other` 1: the player's
                          TargetChanged name the new target (spec 08 §6) */
    SB_SERVER_KILLED,  /* the player's ship died; `other`: killer or 0; `cause` */
    SB_SERVER_SCORE,   /* `value` points, `kills`, `deaths` after a death */
    SB_SERVER_MATCH_OVER, /* `value`: sb_end_reason; `match` */
    SB_SERVER_MATCH_STARTED,
    SB_SERVER_SUSPICIOUS,   /* implausible messages: `value`: sb_implausible, `text`; `claimed`,
                               `possible`: the evidence; at most once a second per player and kind,
                               and not if lag explains them */
    SB_SERVER_HASH_CHANGED, /* the integrity hash changed during the life of `object_id`; `value`:
                               new hash, `expected_hash`: the one before; `text`: class; at most
                               once in 10 s per player, `skipped`: changes since the last event */
    SB_SERVER_HASH_DIFFERS, /* the integrity hash of `object_id` differs from `expected_hash`, which
                               is computed from the class; `value`: hash; `text`: class; `other` 1:
                               a capture has confirmed the class, 0: a prediction; once per ship */
    SB_SERVER_REFUSED,      /* a message was dropped: `value`: sb_server_counter; `bytes` */
    SB_SERVER_COMBAT,       /* with trace_damage: `combat` */
    SB_SERVER_STOPPED,
    SB_SERVER_EVENT_TYPES
} sb_server_event_type;

SB_API const char *sb_server_event_name(sb_server_event_type type); /* "joined" ... */

struct sb_server_event {
    sb_server_event_type   type;
    sb_time                now;
    uint8_t                peer_id; /* 0: the event is about no player */
    uint8_t                other;   /* as the type says */
    uint8_t                slot;
    sb_endpoint            address;
    sb_span                name; /* of peer_id */
    sb_span                text, bytes;
    uint32_t               object_id;
    int64_t                value;
    int32_t                kills, deaths;
    bool                   house;       /* peer_id is a player of the program (transport.h) */
    bool                   other_house; /* KILLED: the killer is */
    uint8_t                cause;       /* sb_damage_cause */
    uint16_t               expected_hash;
    uint32_t               skipped;
    uint32_t               done, total;       /* files */
    double                 claimed, possible; /* SUSPICIOUS: in sb_implausible_unit */
    const sb_difference   *difference;
    const sb_combat_event *combat;
    const sb_match        *match; /* lent during the call */
};

/* Counters of messages: first the reasons of refusals, then all others. X(ID, "name", "text") */
#define SB_SERVER_COUNTERS(X)                                                                      \
    X(SB_SERVER_COUNT_MALFORMED, "malformed", "messages that cannot be decoded")                   \
    X(SB_SERVER_COUNT_UNKNOWN_OPCODE, "unknown_opcode", "messages with an unknown opcode")         \
    X(SB_SERVER_COUNT_WRONG_DELIVERY, "wrong_delivery",                                            \
      "reliable messages sent unreliably, and the reverse")                                        \
    X(SB_SERVER_COUNT_TOO_EARLY, "too_early", "messages of players who are not in the game")       \
    X(SB_SERVER_COUNT_SERVER_ONLY, "server_only", "messages only a server sends")                  \
    X(SB_SERVER_COUNT_UNEXPECTED_ROUND, "unexpected_round",                                        \
      "checksum answers that were not requested")                                                  \
    X(SB_SERVER_COUNT_FILE_ACK, "file_ack",                                                        \
      "acknowledgements of files that were not sent completely")                                   \
    X(SB_SERVER_COUNT_WRONG_OWNER, "wrong_owner",                                                  \
      "creations with the owner or id of another player")                                          \
    X(SB_SERVER_COUNT_BAD_CREATION, "bad_creation", "creations with impossible values")            \
    X(SB_SERVER_COUNT_KNOWN_OBJECT, "known_object", "creations of objects that exist")             \
    X(SB_SERVER_COUNT_SECOND_SHIP, "second_ship",                                                  \
      "creations of ships by players whose own ship goes on")                                      \
    X(SB_SERVER_COUNT_MOD_SHIP, "mod_ship",                                                        \
      "creations of ships without a model, which mod_ships does not allow")                        \
    X(SB_SERVER_COUNT_FOREIGN_OBJECT, "foreign_object",                                            \
      "messages about another player's ship or weapon")                                            \
    X(SB_SERVER_COUNT_FOREIGN_STATE, "foreign_state", "StateUpdates of another player's ship")     \
    X(SB_SERVER_COUNT_UNKNOWN_OBJECT, "unknown_object", "messages about unknown objects")          \
    X(SB_SERVER_COUNT_CLIENT_SETS, "client_sets",                                                  \
      "EnterSets of clients, which have no effect without the key client_sets")                    \
    X(SB_SERVER_COUNT_NO_SHIP, "no_ship", "shots without a living ship")                           \
    X(SB_SERVER_COUNT_BAD_VALUE, "bad_value", "values outside their range")                        \
    X(SB_SERVER_COUNT_NOT_FINITE, "not_finite", "floats that are infinite or NaN")                 \
    X(SB_SERVER_COUNT_FIRE_RATE, "fire_rate", "shots beyond the rate limit of a weapon")           \
    X(SB_SERVER_COUNT_REQUEST_RATE, "request_rate", "object requests beyond the rate limit")       \
    X(SB_SERVER_COUNT_RELAY_SKIPPED, "relay_skipped",                                              \
      "copies not relayed: the receiver's queue and the backlog are full")                         \
    X(SB_SERVER_COUNT_FOREIGN_SCENERY, "foreign_scenery",                                          \
      "collisions with objects that another player created")                                       \
    X(SB_SERVER_COUNT_COLLISION_RATE, "collision_rate", "collisions beyond the rate limit")        \
    X(SB_SERVER_COUNT_RESTART_RATE, "restart_rate", "restarts too soon after the last one")        \
    X(SB_SERVER_COUNT_RELAY_RATE, "relay_rate", "messages beyond the relay budget of a player")    \
    X(SB_SERVER_COUNT_STATE_REFUSED, "state_refused", "StateUpdates that cannot be decoded")       \
    X(SB_SERVER_COUNT_STATE_AHEAD, "state_ahead", "StateUpdates with a game time of the future")   \
    X(SB_SERVER_COUNT_CHAT_RATE, "chat_rate", "chat lines beyond the rate limit")                  \
    X(SB_SERVER_COUNT_CHAT_MUTED, "chat_muted", "chat lines of muted players")                     \
    X(SB_SERVER_COUNT_TEAM_RATE, "team_rate", "choices of a team beyond the rate limit")           \
    X(SB_SERVER_COUNT_CHAT_RENAMED, "chat_renamed", "chat lines with another player's id")         \
    X(SB_SERVER_COUNT_MOD_POLICY, "mod_policy", "messages of mods that mod_policy or mods drop")   \
    X(SB_SERVER_COUNT_MOD_OVERSIZED, "mod_oversized", "messages of mods longer than mod_bytes")    \
    X(SB_SERVER_COUNT_MOD_RATE, "mod_rate", "messages of mods beyond mod_per_s")                   \
    X(SB_SERVER_COUNT_NO_TEAM_MODE, "no_team_mode", "team choices in a mode without teams")        \
    X(SB_SERVER_COUNT_NOT_OPERATOR, "not_operator", "restarts by a player who may not restart")    \
    X(SB_SERVER_COUNT_OVERSIZED, "oversized", "messages longer than the buffer of the stock game") \
    /* The rest are no refusals. */                                                                \
    X(SB_SERVER_COUNT_MESSAGES_IN, "messages_in", "messages received")                             \
    X(SB_SERVER_COUNT_RELAYED, "relayed", "copies of messages relayed")                            \
    X(SB_SERVER_COUNT_RELAY_DELAYED, "relay_delayed",                                              \
      "copies that had to wait for space in the receiver's queue")                                 \
    X(SB_SERVER_COUNT_STATE_IN, "state_in", "StateUpdates applied")                                \
    X(SB_SERVER_COUNT_STATE_OLD, "state_old", "StateUpdates that arrived after a newer one")       \
    X(SB_SERVER_COUNT_STATE_OUT, "state_out", "StateUpdates sent")                                 \
    X(SB_SERVER_COUNT_JOINS, "joins", "players who entered the game")                              \
    X(SB_SERVER_COUNT_LEAVES, "leaves", "players who left the game")                               \
    X(SB_SERVER_COUNT_FAILED_JOINS, "failed_joins", "joins that failed")                           \
    X(SB_SERVER_COUNT_FILES_SENT, "files_sent", "files sent and acknowledged")                     \
    X(SB_SERVER_COUNT_FILE_BYTES, "file_bytes", "bytes of files sent")                             \
    X(SB_SERVER_COUNT_OLD_IDS, "old_ids",                                                          \
      "creations with an id below an earlier one of the player")                                   \
    X(SB_SERVER_COUNT_NOT_KEPT, "not_kept", "creations too long to be kept for late joiners")      \
    X(SB_SERVER_COUNT_SPAWNS, "spawns", "ships created")                                           \
    X(SB_SERVER_COUNT_FIRST_TARGETS_SET, "first_targets_set",                                      \
      "first TargetChanged of a ship with an id: it is the new target")                            \
    X(SB_SERVER_COUNT_FIRST_TARGETS_EMPTY, "first_targets_empty",                                  \
      "first TargetChanged of a ship without an id: the previous target")                          \
    X(SB_SERVER_COUNT_DEATHS, "deaths", "ships destroyed")                                         \
    X(SB_SERVER_COUNT_HASH_CHANGED, "hash_changed",                                                \
      "integrity hashes that changed during the life of a ship")                                   \
    X(SB_SERVER_COUNT_HASH_DIFFERS, "hash_differs",                                                \
      "ships with another integrity hash than the computed one")                                   \
    X(SB_SERVER_COUNT_HASH_BOOTS, "hash_boots", "players removed because of their integrity hash") \
    X(SB_SERVER_COUNT_MATCHES, "matches", "matches that ended with a result")

typedef enum sb_server_counter {
#define SB_COUNTER_NAME(id, name, text) id,
    SB_SERVER_COUNTERS(SB_COUNTER_NAME)
#undef SB_COUNTER_NAME
        SB_SERVER_COUNTER_COUNT
} sb_server_counter;

SB_API const char *sb_server_counter_name(sb_server_counter counter);
SB_API const char *sb_server_counter_text(sb_server_counter counter);

typedef struct sb_server sb_server;

SB_API void sb_server_defaults(sb_server_config *config);
/* The memory a room needs; 0: the configuration is not possible. */
SB_API size_t sb_server_bytes(const sb_server_config *config);
/* Builds a room in `memory` (sb_server_bytes, aligned as by malloc), which is borrowed as long as
 * the room is used. NULL: the configuration is not possible. */
SB_API sb_server *sb_server_init(void *memory, const sb_server_config *config, sb_time now);

/* Feeds one datagram, of the game or a query. Anything but SB_OK: it was dropped and counted. */
SB_API SB_MUST_USE sb_result sb_server_receive(sb_server *server, sb_time now, sb_endpoint from,
                                               sb_span datagram);
/* Advances simulation, joins and timeouts to `now`. */
SB_API void sb_server_advance(sb_server *server, sb_time now);
/* Writes one datagram into `out` (SB_SERVER_DATAGRAM_MAX) and returns its size; 0: none is due. */
SB_API size_t sb_server_write(sb_server *server, sb_time now, sb_endpoint *to, uint8_t *out);
/* When to call sb_server_advance again even if nothing arrives; SB_TIME_NEVER: only input matters.
 */
SB_API sb_time sb_server_next_deadline(const sb_server *server);
/* The part of the service that gives way, the more a machine has to do; each step includes those
 * before it. */
typedef enum sb_server_load {
    SB_LOAD_NORMAL,
    SB_LOAD_SHARED, /* ship states wait up to 20 ms, so that more of them share datagrams */
    SB_LOAD_HALF,   /* ship states go out half as often: 5 times a second */
    SB_LOAD_THIRD,  /* 3 times a second */
    SB_LOAD_CLOSED, /* the same, and newcomers are refused */
} sb_server_load;

/* Sets the load from now on; SB_LOAD_NORMAL at first. */
SB_API void           sb_server_set_load(sb_server *server, sb_server_load load);
SB_API sb_server_load sb_server_current_load(const sb_server *server);
/* The time between two updates of a ship to the same receiver. */
SB_API sb_time sb_server_state_interval(const sb_server *server);

/* Disconnects all peers and refuses new ones; sb_server_is_stopped becomes true within 1 s. */
SB_API void sb_server_stop(sb_server *server, sb_time now);
SB_API bool sb_server_is_stopped(const sb_server *server);

/* ---- the operator ---- */

/* A range of bytes of sb_server_config, which a running room copies. */
typedef struct sb_config_field {
    size_t offset, size;
} sb_config_field;

#define SB_CONFIG_FIELD(member)                                                                    \
    {                                                                                              \
        offsetof(sb_server_config, member), sizeof(((const sb_server_config *)0)->member)          \
    }

typedef struct sb_config_fields {
    const sb_config_field *now; /* not match, system and system_name: clients have loaded them */
    size_t                 now_count;
    const sb_config_field *when_empty;
    size_t                 when_empty_count;
} sb_config_fields;

/* Copies exactly `fields` of `config`: `now` at once, `when_empty` as soon as no player is
 * connected, which also starts a new match. The texts `name` and `system_name` are copied,
 * manifests and files are borrowed as by init; the lists are read before the function returns.
 * `files` and `file_count` belong to `now`. A player who is getting a file that the new list does
 * not have, or has with another content, is removed.
 *
 * `now` may list the limits of newcomers: password, max_players, and of `transport` peers_per_ip,
 * timeout_us, datagrams_per_s, messages_per_s and bytes_per_s. They hold for players who connect
 * later; nobody is removed. It may also list the rates and bursts of `responder`, which hold for
 * later queries. max_players above its value at init is reached by sb_server_move. Other
 * fields that only init reads (seed, the rest of transport and responder, combat, lanes, ships,
 * trace_damage) must not be listed: to change them, create a new server. */
SB_API void sb_server_reconfigure(sb_server *server, const sb_server_config *config,
                                  const sb_config_fields *fields);
/* The size of the memory that the room needs for the configured max_players; 0: it has enough. */
SB_API size_t sb_server_wanted_bytes(const sb_server *server);
/* Creates the room anew in `memory` (sb_server_wanted_bytes, as for init), with its configuration,
 * masters, counters and rate limits, and with a new match. NULL: there is nothing to gain, a player
 * is connected, or a departure is not complete; `memory` is not used. Otherwise the old memory is
 * not used any more. */
SB_API sb_server *sb_server_move(sb_server *server, void *memory, sb_time now);
/* Sends a chat line of the server (peer id 1, Windows-1252) to all players in the game. */
SB_API void sb_server_say(sb_server *server, sb_time now, sb_span text);
/* The same to one player in the game, unless their queue is full. False: no such player. */
SB_API bool sb_server_tell_player(sb_server *server, sb_time now, uint8_t peer_id, sb_span text);
/* Stops passing on what the player writes, until that time; SB_TIME_NEVER: until the player leaves;
 * 0: passes it on again. False: no such player. */
SB_API bool sb_server_mute(sb_server *server, sb_time now, uint8_t peer_id, sb_time until);
/* Chat lines of a trusted player that begin with `!` are reported and not passed on
 * (hide_commands), until the player leaves. False: no such player. */
SB_API bool sb_server_trust(sb_server *server, uint8_t peer_id, bool trusted);
/* Asks the player's client to show that it hears the server (peer.proven of sb_player_view, spec 01
 * §5.4): the whole join of one that never does may be forged. False: no such player. */
SB_API bool sb_server_ask_proof(sb_server *server, sb_time now, uint8_t peer_id);
/* Removes a player; a non-empty text is first sent as a chat line. False: no such player, or the
 * Boot of the player was already sent. */
SB_API bool sb_server_kick(sb_server *server, sb_time now, uint8_t peer_id, sb_span text);
/* Destroys the player's ship, as a self-destruct does: the player may choose another one. False: no
 * such player, or no living ship. */
SB_API bool sb_server_dismiss_ship(sb_server *server, sb_time now, uint8_t peer_id);
/* Applies what waits for an empty room now, starts a new match, and sends the settings of the
 * mission (MissionInit, spec 06 §5.10) to all players in the game. It is not known how stock
 * clients take them. False: nothing waits, or it has another mission: clients have loaded theirs.
 */
SB_API bool sb_server_resend_settings(sb_server *server, sb_time now);
/* Copies the fields as sb_server_reconfigure would, for a room that has not started yet. */
SB_API void sb_server_copy_fields(sb_server_config *to, const sb_server_config *from,
                                  const sb_config_fields *fields);
/* The name of the star system in status answers. */
SB_API sb_span sb_server_system_name(const sb_server_config *config);
/* Ends the match; no effect if it is already over. */
SB_API void sb_server_end_match(sb_server *server, sb_time now, sb_end_reason reason);
/* Starts a new match at once: scores are reset and all ships removed. */
SB_API void sb_server_restart_match(sb_server *server, sb_time now);
/* Sets the address of the master server number `index`, which gets heartbeats. */
SB_API void sb_server_set_master(sb_server *server, unsigned index, sb_endpoint master,
                                 sb_time now);
/* The state of a master; false: there is none at this index. */
SB_API bool sb_server_master(const sb_server *server, unsigned index, sb_master_view *out);

/* ---- views, for displays and tests ---- */

typedef struct sb_player_view {
    uint8_t         peer_id, slot, team;
    sb_player_phase phase;
    sb_endpoint     address;
    char            name[96]; /* UTF-8 */
    int32_t         kills, deaths, score;
    sb_time         connected_at;
    sb_time         active_at; /* when the player last chatted, acted, steered or chose a ship */
    const sb_ship  *ship;      /* NULL: none; lent until the next call that takes a time */
    bool            exploding;
    bool            mod_ship; /* a known species with other subsystems: no model, no damage */
    bool            muted;
    bool            house;    /* a player of the program itself (transport.h) */
    sb_vec3         position; /* now, by dead reckoning */
    sb_peer_info    peer;     /* round trip time, losses, queues */
} sb_player_view;

/* The player number `index` in the order of slots, in any phase; false: there are fewer. */
SB_API bool     sb_server_player(const sb_server *server, unsigned index, sb_time now,
                                 sb_player_view *out);
SB_API uint32_t sb_server_player_count(const sb_server *server); /* in the game */
/* The seats of a room and their owners, for a program that fills it with house players. */
typedef struct sb_server_seats {
    uint32_t    limit;  /* max_players in force */
    uint32_t    people; /* players who are no house players and have answered a checksum round */
    uint32_t    others; /* connected peers that are no house players, `people` among them */
    uint32_t    house;  /* connected house players */
    sb_endpoint house_peers[SB_SERVER_PLAYERS_MAX]; /* their addresses, in the order of slots */
    bool        wants_empty; /* a change of the configuration waits until the room is empty */
} sb_server_seats;
SB_API void            sb_server_seats_of(const sb_server *server, sb_server_seats *out);
SB_API const sb_match *sb_server_match(const sb_server *server);
SB_API float           sb_server_game_time(const sb_server *server, sb_time now);
SB_API uint64_t        sb_server_count(const sb_server *server, sb_server_counter counter);
SB_API uint64_t sb_server_transport_count(const sb_server *server, sb_transport_counter counter);
SB_API uint64_t sb_server_query_count(const sb_server *server, sb_responder_counter counter);
/* All implausible messages of a kind (spec 10 §8, §11.3), also those that were not reported. */
SB_API uint64_t sb_server_implausible(const sb_server *server, sb_implausible what);
/* Bytes of relayed messages that wait for space in the queues of their receivers. */
SB_API uint32_t sb_server_backlog_bytes(const sb_server *server);
/* The content of status answers; its texts are lent until the next call. */
SB_API void sb_server_status_of(const sb_server *server, sb_server_status *out);

#ifdef __cplusplus
}
#endif
#endif
