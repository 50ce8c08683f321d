/* starbase/message.h -- every game message: bytes to structs and back.
 *
 * For:      whoever has the payload of a Data message in hand; byte 0 is the opcode.
 * Never:    knows how a message travels (numbers, acknowledgements: starbase/datagram.h).
 * Spec:     03 (0x1C), 06 (join), 07 (objects), 08 (events), 09 (script messages).
 *
 * Lossy fields keep their wire code (`speed_code`): starbase/compressed.h has the numbers. What
 * decodes re-encodes to the same bytes. Spans are lent from the payload that was decoded.
 */
#ifndef STARBASE_MESSAGE_H
#define STARBASE_MESSAGE_H

#include <starbase/base.h>
#include <starbase/compressed.h>
#include <starbase/field.h>
#include <starbase/protocol.h>
#include <starbase/ship.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 03 StateUpdate ---- */

enum {
    SB_STATE_POS = 0x01,
    SB_STATE_DELTA = 0x02,
    SB_STATE_FWD = 0x04,
    SB_STATE_UP = 0x08,
    SB_STATE_SPEED = 0x10,
    SB_STATE_SUBSYS = 0x20,
    SB_STATE_CLOAK = 0x40, /* on the wire before SUBSYS and POWER: spec 03 §2 */
    SB_STATE_POWER = 0x80,
};

/* One entry of a SUBSYS block; the ship's list says which members are on the wire. */
typedef struct sb_subsystem_state {
    uint8_t index; /* in the ship's top-level list */
    uint8_t condition_code;
    uint8_t children[SB_CHILDREN_MAX];
    bool    has_power; /* false towards the owner (spec 03 §4.1) */
    uint8_t power_pct_code;
    uint8_t facings[SB_FACINGS];
    uint8_t main_battery_code, backup_battery_code;
} sb_subsystem_state;

typedef struct sb_power_pair {
    uint8_t index;
    uint8_t level_code;
} sb_power_pair;

typedef struct sb_state_update {
    uint32_t object_id;
    float    game_time;
    uint8_t  flags;
    bool     has_hash, cloak;
    uint8_t  start_index, entry_count, pair_count;
    uint16_t hash, speed_code;
    sb_vec3  position;
    sb_cv4   delta;
    sb_cv3   forward, up;
    sb_span  block; /* SUBSYS bytes that no list explains: ship unknown or start_index too high */
    sb_power_pair      pairs[SB_SUBSYSTEMS_MAX]; /* more than a ship can have stay in `trailing` */
    sb_subsystem_state entries[SB_SUBSYSTEMS_MAX];
} sb_state_update;

/* ---- 06 join ---- */

typedef struct sb_settings {
    float   game_time;
    bool    collision_damage, friendly_fire, checksum_flag;
    uint8_t slot;
    sb_span map;        /* mission script path */
    sb_span correction; /* only with checksum_flag; format unknown */
} sb_settings;

typedef struct sb_checksum_request {
    uint8_t index; /* 0..3, then 0xFF */
    sb_span directory, filter;
    bool    recursive;
} sb_checksum_request;

/* The tree is lent whole and known to be well formed; sb_tree_cursor_* walk it. */
typedef struct sb_checksum_response {
    uint8_t  index;
    uint32_t ref_hash; /* only if index is 0 */
    uint32_t dir_hash;
    sb_span  tree;
} sb_checksum_response;

typedef struct sb_file_name { /* 0x22, 0x23 */
    sb_span name;
} sb_file_name;

typedef struct sb_file_transfer { /* 0x25: never sent, never obeyed (spec 06 §5.4) */
    sb_span name, content;
} sb_file_transfer;

typedef struct sb_new_player_in_game {
    bool has_flag; /* the second byte may be missing */
    bool flag;
} sb_new_player_in_game;

typedef struct sb_collision_setting { /* 0x16 */
    bool collision_damage;
} sb_collision_setting;

/* ---- 07 objects ---- */

enum { SB_CLASS_SHIP = 0x8008, SB_CLASS_TORPEDO = 0x8009 };

/* One entry of a creation snapshot (spec 07 §2.3). */
typedef struct sb_subsystem_snapshot {
    uint8_t condition_code;
    uint8_t children[SB_CHILDREN_MAX];
    int8_t  power_code; /* signed percentage: > 0 on, else off with that setting */
    uint8_t facings[SB_FACINGS];
    uint8_t main_battery_code, backup_battery_code;
    bool    weapon_bit;
    uint8_t setting; /* ammo, level or mode, by the type of the weapon system */
} sb_subsystem_snapshot;

typedef struct sb_object_create { /* 0x02, 0x03 */
    int8_t   owner_slot;
    uint8_t  peer_id; /* 0x03 only */
    uint32_t class_id, object_id;
    uint8_t  species; /* ship, or torpedo species */
    /* class SB_CLASS_SHIP */
    sb_vec3 position;
    sb_quat orientation;
    sb_cv4f velocity;
    sb_span name, set_name;
    bool    snapshot_known; /* true: `snapshot` holds one entry per subsystem of the species */
    sb_span opaque;         /* else: the snapshot as bytes; torpedo: the rest of the body */
    sb_subsystem_snapshot snapshot[SB_SUBSYSTEMS_MAX];
} sb_object_create;

typedef struct sb_object_ref { /* 0x14, 0x1D, 0x1E */
    uint32_t object_id;
} sb_object_ref;

typedef struct sb_enter_set { /* 0x1F */
    uint32_t object_id;
    sb_span  set_name;
    bool     has_terminator;
    uint8_t  terminator;
} sb_enter_set;

typedef struct sb_player_left { /* 0x18 */
    sb_span name;
} sb_player_left;

/* ---- 08 events and fire records ---- */

enum {
    SB_CONTACTS_MAX = 32, /* of a 0x15 (spec 08 §10.1) */
    SB_EVENT_MAX = 1024,  /* opcode and the game's own buffer of 1023 bytes (spec 08 §1.3) */
};

/* Every event message; the class says which members of the extension count. */
typedef struct sb_event {
    uint32_t event_class, event_code;
    uint32_t source, destination;
    uint8_t  value;         /* BOOL, CHAR */
    uint32_t third;         /* OBJECT_POINTER */
    uint8_t  peer_id;       /* PLAYER */
    uint32_t target;        /* START_FIRING */
    sb_cv4b  offset;        /* START_FIRING */
    int32_t  killer;        /* OBJECT_EXPLODING: peer id */
    float    lifetime;      /* OBJECT_EXPLODING */
    sb_span  set_name;      /* START_WARP */
    sb_vec3  warp_to;       /* START_WARP */
    float    warp_speed;    /* START_WARP */
    uint8_t  contact_count; /* COLLISION */
    sb_cv4b  contacts[SB_CONTACTS_MAX];
    float    force;     /* COLLISION */
    sb_span  extension; /* any other class */
} sb_event;

enum {
    SB_TORPEDO_NO_TARGET = 0x04, /* flags of 0x19 */
    SB_PULSE_HAS_TARGET = 0x02,  /* flags of 0x1A */
};

typedef struct sb_torpedo_fire { /* 0x19 */
    uint32_t tube;
    uint8_t  projectile_type, flags;
    sb_cv3   direction;
    uint32_t target;
    sb_cv4b  aim;
} sb_torpedo_fire;

typedef struct sb_pulse_fire { /* 0x1A */
    uint32_t weapon;
    uint8_t  projectile_type;
    sb_cv3   direction;
    uint8_t  flags;
    uint32_t target;
} sb_pulse_fire;

typedef struct sb_damage_volume { /* 0x29 */
    uint32_t object_id;
    sb_cv4   centre;
    uint16_t radius_code, strength_code;
} sb_damage_volume;

/* ---- 09 script messages ---- */

typedef struct sb_chat { /* 0x2C, 0x2D */
    int32_t sender;
    sb_span text;
} sb_chat;

typedef struct sb_mission_init {                          /* 0x35 */
    uint8_t player_limit, system, time_limit, frag_limit; /* limits: 0xFF = none */
    int32_t end_time;                                     /* only if time_limit is not 0xFF */
} sb_mission_init;

typedef struct sb_score_entry {
    int32_t player, score;
} sb_score_entry;

enum { SB_SCORES_MAX = 255 };

typedef struct sb_score_change {         /* 0x36 */
    int32_t        killer, kills, score; /* kills and score only if killer is not 0 */
    int32_t        victim, deaths;
    uint8_t        entry_count;
    sb_score_entry entries[SB_SCORES_MAX];
} sb_score_change;

typedef struct sb_score { /* 0x37, 0x3F */
    int32_t player, kills, deaths, score;
    uint8_t team; /* 0x3F only; 255 = none yet */
} sb_score;

typedef struct sb_team_score { /* 0x40 */
    uint8_t team;
    int32_t kills, score;
} sb_team_score;

typedef struct sb_team { /* 0x41 */
    int32_t player;
    uint8_t team;
} sb_team;

typedef struct sb_end_game { /* 0x38 */
    int32_t reason;
} sb_end_game;

typedef struct sb_mod_message { /* types the stock game does not use: opaque (spec 09 §9.1) */
    sb_span content;
} sb_mod_message;

/* ---- one message ---- */

typedef struct sb_message {
    uint8_t opcode;
    uint8_t group_count; /* 0 normally; else the odd group bytes of the sender, kept ... */
    uint8_t groups[40];  /* ... so that encoding gives back the same bytes (spec 02 §4.3) */
    sb_span trailing;    /* bytes behind the last field: ignored, kept (spec 02 §9) */
    union {
        sb_state_update       state_update;
        sb_settings           settings;
        sb_checksum_request   checksum_request;
        sb_checksum_response  checksum_response;
        sb_file_name          file_name;
        sb_file_transfer      file_transfer;
        sb_new_player_in_game new_player_in_game;
        sb_collision_setting  collision_setting;
        sb_object_create      object_create;
        sb_object_ref         object_ref;
        sb_enter_set          enter_set;
        sb_player_left        player_left;
        sb_event              event;
        sb_torpedo_fire       torpedo_fire;
        sb_pulse_fire         pulse_fire;
        sb_damage_volume      damage_volume;
        sb_chat               chat;
        sb_mission_init       mission_init;
        sb_score_change       score_change;
        sb_score              score;
        sb_team_score         team_score;
        sb_team               team;
        sb_end_game           end_game;
        sb_mod_message        mod_message;
    } as;
} sb_message;

/* What a few messages need to be understood. All zero is a fine start. */
typedef struct sb_message_context {
    const sb_ship_set   *ships; /* for 0x02/0x03; NULL: the stock set */
    const sb_ship_class *ship;  /* for 0x1C: the class of the ship it is about; NULL: unknown */
    bool                 own;   /* for 0x1C: the receiver owns the ship */
    uint8_t layout; /* for 0x1C: sb_shield_layout of the sender; 0 is what the game does */
} sb_message_context;

/* ---- the opcode table ---- */

typedef enum sb_direction {
    SB_FROM_NOBODY,
    SB_FROM_HOST,
    SB_FROM_CLIENT,
    SB_FROM_EITHER
} sb_direction;

/* What a server does with a message a client sent (spec 08 §1.2, 09 §9). */
typedef enum sb_relay {
    SB_RELAY_SERVER,       /* only a server sends it: drop */
    SB_RELAY_OTHERS,       /* class F: the same bytes to every other client in game */
    SB_RELAY_ABSORB,       /* process, never send on */
    SB_RELAY_STATE,        /* owner input; the server builds its own */
    SB_RELAY_ALL,          /* to all in game, the sender included */
    SB_RELAY_TEAM,         /* to the sender's team, the sender included */
    SB_RELAY_CONFIGURABLE, /* mod types: by policy */
    SB_RELAY_IGNORE,       /* dead */
    SB_RELAY_COUNT
} sb_relay;

typedef struct sb_message_type {
    uint8_t      opcode;
    const char  *name;
    const char  *published; /* other names in the published descriptions, or NULL */
    sb_direction direction;
    sb_delivery  delivery;
    sb_relay     relay;
    const char  *spec; /* "08 §7.1" */
} sb_message_type;

/* The row of an opcode. Never NULL; SB_RELAY_IGNORE marks opcodes without a message. */
SB_API const sb_message_type *sb_find_message_type(uint8_t opcode);
/* By name or published name, ASCII case ignored; NULL: none. */
SB_API const sb_message_type *sb_find_message_type_by_name(const char *name);
SB_API const char            *sb_direction_text(sb_direction direction);
SB_API const char            *sb_delivery_text(sb_delivery delivery);
SB_API const char            *sb_relay_text(sb_relay relay);

/* ---- bytes <-> struct ---- */

/* Decodes one payload. `context` and `refusal` may be NULL. Anything but SB_OK: `out` is not to
 * be used, and `refusal` says where and why. */
SB_API SB_MUST_USE sb_result sb_decode_message(sb_span payload, const sb_message_context *context,
                                               sb_message *out, sb_refusal *refusal);

/* Writes the payload. SB_FULL: `capacity` is too small. SB_BAD_VALUE: no reader would accept it. */
SB_API SB_MUST_USE sb_result sb_encode_message(const sb_message         *message,
                                               const sb_message_context *context, uint8_t *out,
                                               size_t capacity, size_t *size);

/* ---- bytes -> sink, source -> bytes (starbase/field.h) ---- */

SB_API SB_MUST_USE sb_result sb_show_message(sb_span payload, const sb_message_context *context,
                                             const sb_sink *sink, sb_refusal *refusal);

SB_API SB_MUST_USE sb_result sb_build_message(uint8_t opcode, const sb_message_context *context,
                                              const sb_source *source, uint8_t *out,
                                              size_t capacity, size_t *size, sb_refusal *refusal);

/* ---- walking a checksum tree (spec 06 §5.2) ---- */

enum { SB_TREE_DEPTH_MAX = 8, SB_CHECKSUM_RESPONSE_MAX = 25983 };

typedef enum sb_tree_kind { SB_TREE_FILE, SB_TREE_DIRECTORY, SB_TREE_END } sb_tree_kind;

typedef struct sb_tree_step {
    sb_tree_kind kind;
    unsigned     depth;     /* 0: the requested directory */
    uint32_t     name_hash; /* of the file, or of the directory that is entered now */
    uint32_t     content_hash;
} sb_tree_step;

/* Goes through the tree of a decoded message (never of one filled in by hand), depth first: each
 * directory's files, then its subdirectories. */
typedef struct sb_tree_cursor {
    sb_span  tree;
    size_t   at;
    unsigned depth;
    struct {
        uint32_t files_left, directories, directories_left;
        size_t   names_at;
    } level[SB_TREE_DEPTH_MAX + 1];
} sb_tree_cursor;

SB_API void         sb_tree_cursor_init(sb_tree_cursor *c, const sb_checksum_response *response);
SB_API sb_tree_step sb_tree_cursor_next(sb_tree_cursor *c);

#ifdef __cplusplus
}
#endif
#endif
