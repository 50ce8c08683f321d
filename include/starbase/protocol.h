/* starbase/protocol.h -- the numbers of the game protocol, with their names.
 *
 * For:      code that reads or writes messages. The opcode table is the only place that declares a
 *           message: codecs, printers, fuzzers and `starbase messages` iterate over it.
 * Never:    describes the layout of a message; src/message does.
 * Spec:     03, 06 to 10; tests compare the table with the index of docs/spec/README.md and with
 *           the captures counted in docs/facts/opcodes.csv.
 */
#ifndef STARBASE_PROTOCOL_H
#define STARBASE_PROTOCOL_H

#include <starbase/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One row per message. `description` is the name of its description in src/message; `delivery` is
 * that of a stock peer; event class and code are defaults for building an event. */
/* clang-format off */
/*  X(code  id                           name                      published name          description           sender          delivery            relay            spec               event class              event code */
#define SB_MESSAGE_TABLE(X)                                                                                                                                                                                                                             \
    X(0x00, SB_OP_SETTINGS,              "Settings",               NULL,                   settings,             SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER, "06 §5.6",         0,                       0)                                    \
    X(0x01, SB_OP_GAME_INIT,             "GameInit",               NULL,                   empty,                SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER, "06 §5.7",         0,                       0)                                    \
    X(0x02, SB_OP_OBJECT_CREATE,         "ObjectCreate",           "ObjCreate",            object_create,        SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS, "07 §2",           0,                       0)                                    \
    X(0x03, SB_OP_PLAYER_OBJECT_CREATE,  "PlayerObjectCreate",     "ObjCreateTeam",        player_object_create, SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS, "07 §2",           0,                       0)                                    \
    X(0x06, SB_OP_PYTHON_EVENT,          "PythonEvent",            NULL,                   event,                SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER, "08 §5",           SB_EVENT_PLAIN,          SB_CODE_ADD_TO_REPAIR_LIST)           \
    X(0x07, SB_OP_START_FIRING,          "StartFiring",            NULL,                   event,                SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS, "08 §7.1",         SB_EVENT_START_FIRING,   SB_CODE_START_FIRING_NOTIFY)          \
    X(0x08, SB_OP_STOP_FIRING,           "StopFiring",             NULL,                   event,                SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS, "08 §7.2",         SB_EVENT_PLAIN,          SB_CODE_STOP_FIRING_NOTIFY)           \
    X(0x09, SB_OP_STOP_FIRING_AT_TARGET, "StopFiringAtTarget",     NULL,                   event,                SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS, "08 §7.3",         SB_EVENT_OBJECT_POINTER, SB_CODE_STOP_FIRING_AT_TARGET_NOTIFY) \
    X(0x0A, SB_OP_SUBSYSTEM_STATUS,      "SubsystemStatusChanged", NULL,                   event,                SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS, "08 §7.4",         SB_EVENT_BOOL,           SB_CODE_SUBSYSTEM_STATUS_NOTIFY)      \
    X(0x0B, SB_OP_ADD_TO_REPAIR_LIST,    "AddToRepairList",        NULL,                   event,                SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS, "08 §7.5",         SB_EVENT_PLAIN,          SB_CODE_ADD_TO_REPAIR_LIST)           \
    X(0x0C, SB_OP_CLIENT_EVENT,          "ClientEvent",            NULL,                   event,                SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS, "08 §7.5",         SB_EVENT_PLAIN,          0)                                    \
    X(0x0D, SB_OP_TARGET_CHANGED,        "PythonEvent2",           "TargetChanged",        event,                SB_FROM_CLIENT, SB_RELIABLE,        SB_RELAY_ABSORB, "08 §6",           SB_EVENT_OBJECT_POINTER, SB_CODE_TARGET_WAS_CHANGED)           \
    X(0x0E, SB_OP_START_CLOAKING,        "StartCloaking",          NULL,                   event,                SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS, "08 §7.6",         SB_EVENT_PLAIN,          SB_CODE_START_CLOAKING_NOTIFY)        \
    X(0x0F, SB_OP_STOP_CLOAKING,         "StopCloaking",           NULL,                   event,                SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS, "08 §7.6",         SB_EVENT_PLAIN,          SB_CODE_STOP_CLOAKING_NOTIFY)         \
    X(0x10, SB_OP_START_WARP,            "StartWarp",              NULL,                   event,                SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS, "08 §7.7",         SB_EVENT_START_WARP,     SB_CODE_START_WARP_NOTIFY)            \
    X(0x11, SB_OP_REPAIR_PRIORITY,       "RepairListPriority",     NULL,                   event,                SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS, "08 §7.8",         SB_EVENT_OBJECT_POINTER, SB_CODE_REPAIR_LIST_PRIORITY)         \
    X(0x12, SB_OP_PHASER_LEVEL,          "SetPhaserLevel",         NULL,                   event,                SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS, "08 §7.9",         SB_EVENT_CHAR,           SB_CODE_SET_PHASER_LEVEL)             \
    X(0x13, SB_OP_SELF_DESTRUCT,         "HostMsg",                "SelfDestruct",         empty,                SB_FROM_CLIENT, SB_EITHER_DELIVERY, SB_RELAY_ABSORB, "08 §8",           0,                       0)                                    \
    X(0x14, SB_OP_DESTROY_OBJECT,        "DestroyObject",          NULL,                   object_ref,           SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER, "07 §3; 08 §9",    0,                       0)                                    \
    X(0x15, SB_OP_COLLISION,             "CollisionEffect",        NULL,                   collision_effect,     SB_FROM_CLIENT, SB_RELIABLE,        SB_RELAY_ABSORB, "08 §10",          SB_EVENT_COLLISION,      SB_CODE_COLLISION)                    \
    X(0x16, SB_OP_COLLISION_SETTING,     "UICollisionSetting",     NULL,                   collision_setting,    SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER, "06 §5.8; 08 §11", 0,                       0)                                    \
    X(0x17, SB_OP_PLAYER_LIST,           "PlayerListEvent",        "DeletePlayerUI",       event,                SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER, "07 §8; 08 §12",   SB_EVENT_PLAYER,         SB_CODE_NEW_PLAYER_IN_GAME)           \
    X(0x18, SB_OP_PLAYER_LEFT_TEXT,      "PlayerLeftText",         "DeletePlayerAnim",     player_left,          SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER, "07 §9; 08 §13",   0,                       0)                                    \
    X(0x19, SB_OP_TORPEDO_FIRE,          "TorpedoFire",            NULL,                   torpedo_fire,         SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS, "08 §14.1",        0,                       0)                                    \
    X(0x1A, SB_OP_PULSE_FIRE,            "PulseFire",              "BeamFire",             pulse_fire,           SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS, "08 §14.2",        0,                       0)                                    \
    X(0x1B, SB_OP_TORPEDO_TYPE,          "TorpedoTypeChange",      NULL,                   event,                SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS, "08 §7.10",        SB_EVENT_CHAR,           SB_CODE_TORPEDO_TYPE_CHANGE_NOTIFY)   \
    X(0x1C, SB_OP_STATE_UPDATE,          "StateUpdate",            NULL,                   state_update,         SB_FROM_EITHER, SB_UNRELIABLE,      SB_RELAY_STATE,  "03",              0,                       0)                                    \
    X(0x1D, SB_OP_OBJECT_NOT_FOUND,      "ObjectNotFound",         "ObjNotFound",          object_ref,           SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_ABSORB, "07 §5",           0,                       0)                                    \
    X(0x1E, SB_OP_REQUEST_OBJECT,        "RequestObject",          "RequestObj",           object_ref,           SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_ABSORB, "07 §6",           0,                       0)                                    \
    X(0x1F, SB_OP_ENTER_SET,             "EnterSet",               NULL,                   enter_set,            SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_SERVER, "07 §7",           0,                       0)                                    \
    X(0x20, SB_OP_CHECKSUM_REQUEST,      "ChecksumRequest",        NULL,                   checksum_request,     SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER, "06 §5.1",         0,                       0)                                    \
    X(0x21, SB_OP_CHECKSUM_RESPONSE,     "ChecksumResponse",       NULL,                   checksum_response,    SB_FROM_CLIENT, SB_RELIABLE,        SB_RELAY_ABSORB, "06 §5.2",         0,                       0)                                    \
    X(0x22, SB_OP_CHECKSUM_FAIL,         "SystemChecksumFail",     NULL,                   file_name,            SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER, "06 §5.3",         0,                       0)                                    \
    X(0x23, SB_OP_VERSION_MISMATCH,      "VersionMismatch",        NULL,                   file_name,            SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER, "06 §5.3",         0,                       0)                                    \
    X(0x25, SB_OP_FILE_TRANSFER,         "FileTransfer",           NULL,                   file_transfer,        SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER, "06 §5.4",         0,                       0)                                    \
    X(0x27, SB_OP_FILE_TRANSFER_ACK,     "FileTransferAck",        NULL,                   empty,                SB_FROM_CLIENT, SB_RELIABLE,        SB_RELAY_ABSORB, "06 §5.4",         0,                       0)                                    \
    X(0x28, SB_OP_CHECKSUM_COMPLETE,     "ChecksumComplete",       NULL,                   empty,                SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER, "06 §5.5",         0,                       0)                                    \
    X(0x29, SB_OP_DAMAGE_VOLUME,         "DamageVolume",           "Explosion",            damage_volume,        SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER, "08 §15",          0,                       0)                                    \
    X(0x2A, SB_OP_NEW_PLAYER_IN_GAME,    "NewPlayerInGame",        NULL,                   new_player_in_game,   SB_FROM_CLIENT, SB_RELIABLE,        SB_RELAY_ABSORB, "06 §5.9",         0,                       0)                                    \
    X(0x2C, SB_OP_CHAT,                  "CHAT",                   "CHAT_MESSAGE",         chat,                 SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_ALL,    "09 §4",           0,                       0)                                    \
    X(0x2D, SB_OP_TEAM_CHAT,             "TEAM_CHAT",              "TEAM_CHAT_MESSAGE",    chat,                 SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_TEAM,   "09 §4",           0,                       0)                                    \
    X(0x35, SB_OP_MISSION_INIT,          "MISSION_INIT",           "MISSION_INIT_MESSAGE", mission_init,         SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER, "09 §5",           0,                       0)                                    \
    X(0x36, SB_OP_SCORE_CHANGE,          "SCORE_CHANGE",           "SCORE_CHANGE_MESSAGE", score_change,         SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER, "09 §6",           0,                       0)                                    \
    X(0x37, SB_OP_SCORE,                 "SCORE",                  "SCORE_MESSAGE",        score,                SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER, "09 §7",           0,                       0)                                    \
    X(0x38, SB_OP_END_GAME,              "END_GAME",               "END_GAME_MESSAGE",     end_game,             SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER, "09 §8",           0,                       0)                                    \
    X(0x39, SB_OP_RESTART_GAME,          "RESTART_GAME",           "RESTART_GAME_MESSAGE", empty,                SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_ACTING, "09 §8",           0,                       0)                                    \
    X(0x3F, SB_OP_SCORE_INIT,            "SCORE_INIT",             "SCORE_INIT_MESSAGE",   score_init,           SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER, "09 §7",           0,                       0)                                    \
    X(0x40, SB_OP_TEAM_SCORE,            "TEAM_SCORE",             "TEAM_SCORE_MESSAGE",   team_score,           SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER, "09 §7",           0,                       0)                                    \
    X(0x41, SB_OP_TEAM,                  "TEAM",                   "TEAM_MESSAGE",         team,                 SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_ALL,    "09 §7",           0,                       0)
/* clang-format on */

/* Opcodes below SB_OP_SCRIPT_FIRST without a message: X(code, spec, what is known). */
/* clang-format off */
#define SB_UNUSED_OPCODES(X)                                                                                           \
    X(0x04, "08 §18",  "dead: the game has no handler for it; a kick is a Boot of the transport (01 §4.9)")             \
    X(0x05, "08 §18",  "dead: the game has no handler for it; a kick is a Boot of the transport (01 §4.9)")             \
    X(0x24, "06 §5.4", "unused: a free number among the file messages; neither sent nor handled by the game; ignored") \
    X(0x26, "06 §5.4", "unused: a free number among the file messages; neither sent nor handled by the game; ignored")
/* clang-format on */

typedef enum sb_opcode {
#define SB_OPCODE_ID(code, id, name, published, description, sender, delivery, relay, spec,        \
                     event_class, event_code)                                                      \
    id = code,
    SB_MESSAGE_TABLE(SB_OPCODE_ID)
#undef SB_OPCODE_ID
} sb_opcode;

/* The side that may send a message. */
typedef enum sb_direction {
    SB_FROM_NOBODY,
    SB_FROM_HOST,
    SB_FROM_CLIENT,
    SB_FROM_EITHER
} sb_direction;

/* How a server handles a message from a client (spec 08 §1.2, 09 §9). */
typedef enum sb_relay {
    SB_RELAY_SERVER,       /* drops it: only a server may send it */
    SB_RELAY_OTHERS,       /* relays the same bytes to every other player in the game */
    SB_RELAY_ABSORB,       /* handles it, never relays it */
    SB_RELAY_STATE,        /* applies it; sends updates of its own to others */
    SB_RELAY_ALL,          /* relays it to all players in the game, the sender included */
    SB_RELAY_TEAM,         /* relays it to the sender's team, the sender included */
    SB_RELAY_ACTING,       /* obeys at most the acting host (spec 09 §8) */
    SB_RELAY_CONFIGURABLE, /* mod message: the configuration decides */
    SB_RELAY_IGNORE,       /* unused opcode */
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

/* The row of an opcode. Never NULL; opcodes without a message have SB_RELAY_IGNORE. */
SB_API const sb_message_type *sb_find_message_type(uint8_t opcode);
/* The row with this name or published name, ASCII case ignored; NULL: none. */
SB_API const sb_message_type *sb_find_message_type_by_name(const char *name);
SB_API const char            *sb_direction_text(sb_direction direction);
SB_API const char            *sb_delivery_text(sb_delivery delivery);
SB_API const char            *sb_relay_text(sb_relay relay);
/* Adds one sentence to the row of an opcode without a plain message; NULL: nothing to add. */
SB_API const char *sb_find_opcode_remark(uint8_t opcode);

/* Opcodes from this one up are script messages; those without a row belong to mods (spec 09 §9.1).
 */
enum { SB_OP_SCRIPT_FIRST = 0x2B };

/* Fields of a StateUpdate that are present: bits of its flags byte (spec 03 §2). */
typedef enum sb_state_flag {
    SB_STATE_POS = 0x01,
    SB_STATE_DELTA = 0x02,
    SB_STATE_FWD = 0x04,
    SB_STATE_UP = 0x08,
    SB_STATE_SPEED = 0x10,
    SB_STATE_SUBSYS = 0x20,
    SB_STATE_CLOAK = 0x40, /* precedes SUBSYS and POWER on the wire */
    SB_STATE_POWER = 0x80,
} sb_state_flag;

/* The other class ids of the engine: objects, subsystems (the CT_ constants) and the properties of
 * hardpoint files. X(class id, kind, name, remark or NULL). On the wire a class id is the class_id
 * of 0x02 and 0x03, and the event_class of an event. Tests compare the rows with
 * docs/facts/class_ids.csv. */
/* clang-format off */
#define SB_CLASS_IDS(X)                                                                             \
    X(0x0865, SB_CLASS_KIND_EVENT,      "network event",                "use unknown")              \
    X(0x0867, SB_CLASS_KIND_EVENT,      "network event",                "use unknown")              \
    X(0x8007, SB_CLASS_KIND_OBJECT,     "damageable object",            NULL)                       \
    X(0x8008, SB_CLASS_KIND_OBJECT,     "ship",                         "also station or asteroid") \
    X(0x8009, SB_CLASS_KIND_OBJECT,     "torpedo",                      "projectile")               \
    X(0x801B, SB_CLASS_KIND_BASE,       "ship subsystem",               NULL)                       \
    X(0x801C, SB_CLASS_KIND_BASE,       "powered subsystem",            NULL)                       \
    X(0x801D, SB_CLASS_KIND_BASE,       "weapon system",                NULL)                       \
    X(0x801E, SB_CLASS_KIND_SYSTEM,     "torpedo system",               NULL)                       \
    X(0x801F, SB_CLASS_KIND_SYSTEM,     "phaser system",                NULL)                       \
    X(0x8020, SB_CLASS_KIND_SYSTEM,     "pulse weapon system",          NULL)                       \
    X(0x8021, SB_CLASS_KIND_SYSTEM,     "tractor beam system",          NULL)                       \
    X(0x8022, SB_CLASS_KIND_SYSTEM,     "power subsystem",              "reactor")                  \
    X(0x8023, SB_CLASS_KIND_SYSTEM,     "sensors",                      NULL)                       \
    X(0x8024, SB_CLASS_KIND_SYSTEM,     "cloaking device",              NULL)                       \
    X(0x8025, SB_CLASS_KIND_SYSTEM,     "warp engines",                 NULL)                       \
    X(0x8026, SB_CLASS_KIND_SYSTEM,     "impulse engines",              NULL)                       \
    X(0x8027, SB_CLASS_KIND_SYSTEM,     "hull",                         "also bridge")              \
    X(0x8028, SB_CLASS_KIND_SYSTEM,     "shield generator",             NULL)                       \
    X(0x8029, SB_CLASS_KIND_SYSTEM,     "repair",                       NULL)                       \
    X(0x802A, SB_CLASS_KIND_BASE,       "weapon",                       NULL)                       \
    X(0x802B, SB_CLASS_KIND_BASE,       "energy weapon",                NULL)                       \
    X(0x802C, SB_CLASS_KIND_CHILD,      "phaser bank",                  NULL)                       \
    X(0x802D, SB_CLASS_KIND_CHILD,      "pulse weapon",                 NULL)                       \
    X(0x802E, SB_CLASS_KIND_CHILD,      "tractor beam projector",       NULL)                       \
    X(0x802F, SB_CLASS_KIND_CHILD,      "torpedo tube",                 NULL)                       \
    X(0x812B, SB_CLASS_KIND_PROPERTY,   "subsystem property",           NULL)                       \
    X(0x812C, SB_CLASS_KIND_PROPERTY,   "powered subsystem property",   NULL)                       \
    X(0x812E, SB_CLASS_KIND_PROPERTY,   "property",                     "use unknown")              \
    X(0x812F, SB_CLASS_KIND_PROPERTY,   "weapon system property",       NULL)                       \
    X(0x8132, SB_CLASS_KIND_PROPERTY,   "phaser property",              NULL)                       \
    X(0x8133, SB_CLASS_KIND_PROPERTY,   "torpedo system property",      NULL)                       \
    X(0x8134, SB_CLASS_KIND_PROPERTY,   "torpedo tube property",        NULL)                       \
    X(0x8135, SB_CLASS_KIND_PROPERTY,   "pulse weapon property",        NULL)                       \
    X(0x8136, SB_CLASS_KIND_PROPERTY,   "tractor beam property",        NULL)                       \
    X(0x8137, SB_CLASS_KIND_PROPERTY,   "shield property",              NULL)                       \
    X(0x8138, SB_CLASS_KIND_PROPERTY,   "hull property",                NULL)                       \
    X(0x8139, SB_CLASS_KIND_PROPERTY,   "sensor property",              NULL)                       \
    X(0x813A, SB_CLASS_KIND_PROPERTY,   "cloaking subsystem property",  NULL)                       \
    X(0x813B, SB_CLASS_KIND_PROPERTY,   "warp engine property",         NULL)                       \
    X(0x813C, SB_CLASS_KIND_PROPERTY,   "impulse engine property",      NULL)                       \
    X(0x813D, SB_CLASS_KIND_PROPERTY,   "engine property",              "single engine")            \
    X(0x813E, SB_CLASS_KIND_PROPERTY,   "power property",               NULL)                       \
    X(0x813F, SB_CLASS_KIND_PROPERTY,   "repair subsystem property",    NULL)                       \
    X(0x8145, SB_CLASS_KIND_PROPERTY,   "property",                     "use unknown")
/* clang-format on */

typedef enum sb_class_kind {
    SB_CLASS_KIND_EVENT,
    SB_CLASS_KIND_OBJECT,   /* objects in space */
    SB_CLASS_KIND_BASE,     /* subsystems: base classes, never created themselves */
    SB_CLASS_KIND_SYSTEM,   /* subsystems of a ship's list */
    SB_CLASS_KIND_CHILD,    /* children of such a subsystem */
    SB_CLASS_KIND_PROPERTY, /* entries of a hardpoint file; each creates a subsystem */
    SB_CLASS_KIND_COUNT
} sb_class_kind;

typedef struct sb_class_id {
    uint16_t      id;
    sb_class_kind kind;
    const char   *name;
    const char   *remark; /* or NULL */
} sb_class_id;

/* All known class ids: first the serialized events, then the others in ascending order. */
SB_API const sb_class_id *sb_class_id_list(size_t *count);
/* NULL: unknown. */
SB_API const sb_class_id *sb_find_class_id(uint32_t id);
SB_API const char        *sb_class_kind_text(sb_class_kind kind);

/* Class ids of ObjectCreate and PlayerObjectCreate (spec 07 §2). */
typedef enum sb_object_class {
    SB_CLASS_SHIP = 0x8008,
    SB_CLASS_TORPEDO = 0x8009,
} sb_object_class;

/* Bits of the flags byte of a fire record (spec 08 §14.1, §14.2). */
enum {
    SB_FIRE_MODE_1 = 0x01, /* TorpedoFire, PulseFire; set in every captured shot (spec 08 §14) */
    SB_TORPEDO_MODE_2 = 0x02,    /* TorpedoFire */
    SB_TORPEDO_NO_TARGET = 0x04, /* TorpedoFire */
    SB_PULSE_HAS_TARGET = 0x02,  /* PulseFire */
};

/* Limits of messages. */
enum {
    SB_CONTACTS_MAX = 32,  /* of a collision (spec 08 §10.1) */
    SB_EVENT_MAX = 1024,   /* opcode and the game's buffer of 1023 bytes (spec 08 §1.3) */
    SB_SCORES_MAX = 255,   /* of a SCORE_CHANGE: its count is one byte (spec 09 §6) */
    SB_TREE_DEPTH_MAX = 8, /* nesting depth of directories (spec 06 §5.2) */
    SB_CHECKSUM_RESPONSE_MAX = 25983, /* bytes of a ChecksumResponse (spec 06 §5.2) */
};

/* Classes of serialized events (spec 08 §3): X(class id, id, name, published name). */
/* clang-format off */
#define SB_EVENT_CLASSES(X)                                                                 \
    X(0x0002, SB_EVENT_OBJECT,            "object",                NULL)                    \
    X(0x0101, SB_EVENT_PLAIN,             "Event",                 "SubsystemEvent")        \
    X(0x0104, SB_EVENT_BOOL,              "BoolEvent",             "SubsystemControlEvent") \
    X(0x0105, SB_EVENT_CHAR,              "CharEvent",             NULL)                    \
    X(0x010C, SB_EVENT_OBJECT_POINTER,    "ObjPtrEvent",           NULL)                    \
    X(0x0866, SB_EVENT_PLAYER,            "PlayerEvent",           NULL)                    \
    X(0x8124, SB_EVENT_COLLISION,         "CollisionEvent",        NULL)                    \
    X(0x8128, SB_EVENT_START_FIRING,      "StartFiringEvent",      NULL)                    \
    X(0x8129, SB_EVENT_OBJECT_EXPLODING,  "ObjectExplodingEvent",  NULL)                    \
    X(0x812A, SB_EVENT_START_WARP,        "StartWarpEvent",        NULL)
/* clang-format on */

typedef enum sb_event_class {
#define SB_EVENT_CLASS_ID(class, id, name, published) id = class,
    SB_EVENT_CLASSES(SB_EVENT_CLASS_ID)
#undef SB_EVENT_CLASS_ID
} sb_event_class;

/* Codes of serialized events (spec 08 §4): X(code, id, name). */
/* clang-format off */
#define SB_EVENT_CODES(X)                                                     \
    X(0x008000D8, SB_CODE_START_FIRING_NOTIFY,             "START_FIRING_NOTIFY")\
    X(0x008000D7, SB_CODE_START_FIRING,                    "START_FIRING")    \
    X(0x008000DA, SB_CODE_STOP_FIRING_NOTIFY,              "STOP_FIRING_NOTIFY")\
    X(0x008000D9, SB_CODE_STOP_FIRING,                     "STOP_FIRING")     \
    X(0x008000DC, SB_CODE_STOP_FIRING_AT_TARGET_NOTIFY,    "STOP_FIRING_AT_TARGET_NOTIFY")\
    X(0x008000DB, SB_CODE_STOP_FIRING_AT_TARGET,           "STOP_FIRING_AT_TARGET")\
    X(0x008000DD, SB_CODE_SUBSYSTEM_STATUS_NOTIFY,         "SUBSYSTEM_STATUS_NOTIFY")\
    X(0x008000DF, SB_CODE_ADD_TO_REPAIR_LIST,              "ADD_TO_REPAIR_LIST")\
    X(0x008000E0, SB_CODE_SET_PHASER_LEVEL,                "SET_PHASER_LEVEL")\
    X(0x008000E1, SB_CODE_REPAIR_LIST_PRIORITY_E1,         "REPAIR_LIST_PRIORITY_E1")\
    X(0x008000E2, SB_CODE_START_CLOAKING_NOTIFY,           "START_CLOAKING_NOTIFY")\
    X(0x008000E3, SB_CODE_START_CLOAKING,                  "START_CLOAKING")  \
    X(0x008000E4, SB_CODE_STOP_CLOAKING_NOTIFY,            "STOP_CLOAKING_NOTIFY")\
    X(0x008000E5, SB_CODE_STOP_CLOAKING,                   "STOP_CLOAKING")   \
    X(0x008000EC, SB_CODE_START_WARP_NOTIFY,               "START_WARP_NOTIFY")\
    X(0x008000ED, SB_CODE_START_WARP,                      "START_WARP")      \
    X(0x00800076, SB_CODE_REPAIR_LIST_PRIORITY,            "REPAIR_LIST_PRIORITY")\
    X(0x008000FE, SB_CODE_TORPEDO_TYPE_CHANGE_NOTIFY,      "TORPEDO_TYPE_CHANGE_NOTIFY")\
    X(0x008000FD, SB_CODE_TORPEDO_TYPE_CHANGE,             "TORPEDO_TYPE_CHANGE")\
    X(0x00800050, SB_CODE_COLLISION,                       "COLLISION")       \
    X(0x008000FC, SB_CODE_HOST_COLLISION,                  "HOST_COLLISION")  \
    X(0x0080004E, SB_CODE_OBJECT_EXPLODING,                "OBJECT_EXPLODING")\
    X(0x00800074, SB_CODE_REPAIR_COMPLETED,                "REPAIR_COMPLETED")\
    X(0x00800075, SB_CODE_REPAIR_CANNOT_BE_COMPLETED,      "REPAIR_CANNOT_BE_COMPLETED")\
    X(0x00800058, SB_CODE_TARGET_WAS_CHANGED,              "TARGET_WAS_CHANGED")\
    X(0x008000F1, SB_CODE_NEW_PLAYER_IN_GAME,              "NEW_PLAYER_IN_GAME")\
    X(0x00060005, SB_CODE_NETWORK_DELETE_PLAYER,           "NETWORK_DELETE_PLAYER")\
    /* stock peers never send the following (spec 08 §4) */                    \
    X(0x0080000E, SB_CODE_SET_PLAYER,                      "SET_PLAYER")      \
    X(0x00800053, SB_CODE_COLLISION_DAMAGE,                "COLLISION_DAMAGE")\
    X(0x0080005C, SB_CODE_SHIP_ENTERED_SET,                "SHIP_ENTERED_SET")\
    X(0x0080005D, SB_CODE_ENTERED_SET,                     "ENTERED_SET")     \
    X(0x0080005E, SB_CODE_SHIP_LEFT_SET,                   "SHIP_LEFT_SET")   \
    X(0x0080005F, SB_CODE_LEFT_SET,                        "LEFT_SET")        \
    X(0x00800065, SB_CODE_RELOAD_TORPEDO,                  "RELOAD_TORPEDO")  \
    X(0x00800066, SB_CODE_TORPEDO_FIRED,                   "TORPEDO_FIRED")   \
    X(0x00800067, SB_CODE_AMMO_TYPE_CHANGED,               "AMMO_TYPE_CHANGED")\
    X(0x00800068, SB_CODE_AMMO_SWITCH_STARTED,             "AMMO_SWITCH_STARTED")\
    X(0x0080006B, SB_CODE_SUBSYSTEM_HIT,                   "SUBSYSTEM_HIT")   \
    X(0x0080006C, SB_CODE_SUBSYSTEM_STATUS,                "SUBSYSTEM_STATUS")\
    X(0x00800070, SB_CODE_SUBSYSTEM_REBUILT,               "SUBSYSTEM_REBUILT")\
    X(0x00800077, SB_CODE_CLOAK_BEGINNING,                 "CLOAK_BEGINNING") \
    X(0x00800078, SB_CODE_CLOAK_COMPLETE,                  "CLOAK_COMPLETE")  \
    X(0x00800079, SB_CODE_DECLOAK_BEGINNING,               "DECLOAK_BEGINNING")\
    X(0x0080007A, SB_CODE_DECLOAK_COMPLETED,               "DECLOAK_COMPLETED")\
    X(0x0080007B, SB_CODE_SHIELDS_SHOWN_OR_HIDDEN,         "SHIELDS_SHOWN_OR_HIDDEN")\
    X(0x0080007C, SB_CODE_WEAPON_FIRED,                    "WEAPON_FIRED")    \
    X(0x0080007D, SB_CODE_TRACTOR_STARTED_FIRING,          "TRACTOR_STARTED_FIRING")\
    X(0x0080007F, SB_CODE_TRACTOR_STOPPED_FIRING,          "TRACTOR_STOPPED_FIRING")\
    X(0x00800081, SB_CODE_PHASER_STARTED_FIRING,           "PHASER_STARTED_FIRING")\
    X(0x00800083, SB_CODE_PHASER_STOPPED_FIRING,           "PHASER_STOPPED_FIRING")\
    X(0x00800085, SB_CODE_TRACTOR_TARGET_DOCKED,           "TRACTOR_TARGET_DOCKED")\
    X(0x00800088, SB_CODE_SENSORS_SHIP_IDENTIFIED,         "SENSORS_SHIP_IDENTIFIED")\
    X(0x0080008C, SB_CODE_POWER_CHANGED,                   "POWER_CHANGED")   \
    X(0x008000C5, SB_CODE_EXITED_WARP,                     "EXITED_WARP")     \
    X(0x008000C8, SB_CODE_OBJECT_CREATED,                  "OBJECT_CREATED")  \
    X(0x008000E6, SB_CODE_CHECKSUM_RESULT_E6,              "CHECKSUM_RESULT_E6")\
    X(0x008000E7, SB_CODE_CHECKSUM_RESULT_E7,              "CHECKSUM_RESULT_E7")\
    X(0x008000E8, SB_CODE_CHECKSUM_RESULT_E8,              "CHECKSUM_RESULT_E8")\
    X(0x008000E9, SB_CODE_KILL_GAME,                       "KILL_GAME")       \
    X(0x008000F6, SB_CODE_BOOT_PLAYER,                     "BOOT_PLAYER")     \
    X(0x008000FF, SB_CODE_RETRY_CONNECT,                   "RETRY_CONNECT")   \
    X(0x00060001, SB_CODE_NETWORK_MESSAGE,                 "NETWORK_MESSAGE") \
    X(0x00060003, SB_CODE_NETWORK_DISCONNECT,              "NETWORK_DISCONNECT")\
    X(0x00060004, SB_CODE_NETWORK_NEW_PLAYER,              "NETWORK_NEW_PLAYER")
/* clang-format on */

typedef enum sb_event_code {
#define SB_EVENT_CODE_ID(code, id, name) id = code,
    SB_EVENT_CODES(SB_EVENT_CODE_ID)
#undef SB_EVENT_CODE_ID
} sb_event_code;

/* Reasons of END_GAME (spec 09 §8). */
typedef enum sb_end_reason {
    SB_END_NONE = -1, /* not on the wire: the match goes on */
    SB_END_GENERIC = 0,
    SB_END_TIME = 1,
    SB_END_KILLS = 2,
    SB_END_SCORE = 3,
    SB_END_STARBASE = 4,
    SB_END_BORG = 5,
    SB_END_ENTERPRISE = 6,
} sb_end_reason;

/* Numbers of the stock missions, as in their script names (spec 09 §10). */
typedef enum sb_mission {
    SB_MISSION_FREE_FOR_ALL = 1,
    SB_MISSION_TEAM = 2,
    SB_MISSION_FACTION = 3,
    SB_MISSION_ASSAULT = 5,
} sb_mission;

/* States of a cloaking device, numbered as in the original engine (spec 10 §10). */
typedef enum sb_cloak_state {
    SB_CLOAK_OFF = 0,
    SB_CLOAK_ENGAGING = 2,
    SB_CLOAK_ON = 3,
    SB_CLOAK_DISENGAGING = 5,
} sb_cloak_state;

/* Values of the CHAR extension of SetPhaserLevel (spec 08 §7.9). */
typedef enum sb_phaser_level {
    SB_PHASER_LOW = 0,
    SB_PHASER_MEDIUM = 1,
    SB_PHASER_HIGH = 2,
} sb_phaser_level;

#ifdef __cplusplus
}
#endif
#endif
