/* src/message/names.c -- the names of numbers in game messages. Spec 03 §2, 08 §3-§4, 09 §8. */
#include "message/describe.h"

#define NAMES(function, ...)                                                                       \
    const sb_name *function(void)                                                                  \
    {                                                                                              \
        static const sb_name names[] = { __VA_ARGS__, { 0, NULL, NULL } };                         \
        return names;                                                                              \
    }

/* clang-format off */
NAMES(sb_state_flag_names,
    { SB_STATE_POS,    "POS",    "POSITION_ABSOLUTE" },
    { SB_STATE_DELTA,  "DELTA",  "POSITION_DELTA" },
    { SB_STATE_FWD,    "FWD",    "ORIENTATION_FWD" },
    { SB_STATE_UP,     "UP",     "ORIENTATION_UP" },
    { SB_STATE_SPEED,  "SPEED",  NULL },
    { SB_STATE_SUBSYS, "SUBSYS", "SUBSYSTEM_STATES" },
    { SB_STATE_CLOAK,  "CLOAK",  "CLOAK_STATE" },
    { SB_STATE_POWER,  "POWER",  "WEAPON_STATES" })

NAMES(sb_class_names,
    { SB_CLASS_SHIP,    "ship",    NULL },
    { SB_CLASS_TORPEDO, "torpedo", NULL })

NAMES(sb_event_class_names,
    { SB_EVENT_OBJECT,           "object",               NULL },
    { SB_EVENT_PLAIN,            "Event",                "SubsystemEvent" },
    { SB_EVENT_BOOL,             "BoolEvent",            "SubsystemControlEvent" },
    { SB_EVENT_CHAR,             "CharEvent",            NULL },
    { SB_EVENT_OBJECT_POINTER,   "ObjPtrEvent",          NULL },
    { SB_EVENT_PLAYER,           "PlayerEvent",          NULL },
    { SB_EVENT_COLLISION,        "CollisionEvent",       NULL },
    { SB_EVENT_START_FIRING,     "StartFiringEvent",     NULL },
    { SB_EVENT_OBJECT_EXPLODING, "ObjectExplodingEvent", NULL },
    { SB_EVENT_START_WARP,       "StartWarpEvent",       NULL })

NAMES(sb_event_code_names,
    { 0x008000D8, "START_FIRING_NOTIFY",           NULL },
    { 0x008000D7, "START_FIRING",                  NULL },
    { 0x008000DA, "STOP_FIRING_NOTIFY",            NULL },
    { 0x008000D9, "STOP_FIRING",                   NULL },
    { 0x008000DC, "STOP_FIRING_AT_TARGET_NOTIFY",  NULL },
    { 0x008000DB, "STOP_FIRING_AT_TARGET",         NULL },
    { 0x008000DD, "SUBSYSTEM_STATUS_NOTIFY",       NULL },
    { 0x008000DF, "ADD_TO_REPAIR_LIST",            NULL },
    { 0x008000E0, "SET_PHASER_LEVEL",              NULL },
    { 0x008000E2, "START_CLOAKING_NOTIFY",         NULL },
    { 0x008000E3, "START_CLOAKING",                NULL },
    { 0x008000E4, "STOP_CLOAKING_NOTIFY",          NULL },
    { 0x008000E5, "STOP_CLOAKING",                 NULL },
    { 0x008000EC, "START_WARP_NOTIFY",             NULL },
    { 0x008000ED, "START_WARP",                    NULL },
    { 0x00800076, "REPAIR_LIST_PRIORITY",          NULL },
    { 0x008000FE, "TORPEDO_TYPE_CHANGE_NOTIFY",    NULL },
    { 0x008000FD, "TORPEDO_TYPE_CHANGE",           NULL },
    { 0x00800050, "COLLISION",                     NULL },
    { 0x008000FC, "HOST_COLLISION",                NULL },
    { 0x0080004E, "OBJECT_EXPLODING",              NULL },
    { 0x00800074, "REPAIR_COMPLETED",              NULL },
    { 0x00800075, "REPAIR_CANNOT_BE_COMPLETED",    NULL },
    { 0x00800058, "TARGET_WAS_CHANGED",            NULL },
    { 0x008000F1, "NEW_PLAYER_IN_GAME",            NULL },
    { 0x00060005, "NETWORK_DELETE_PLAYER",         NULL },
    /* never sent by a stock peer; named all the same (spec 08 §4) */
    { 0x0080000E, "SET_PLAYER",                    NULL },
    { 0x00800053, "COLLISION_DAMAGE",              NULL },
    { 0x0080005D, "ENTERED_SET",                   NULL },
    { 0x00800065, "RELOAD_TORPEDO",                NULL },
    { 0x00800066, "TORPEDO_FIRED",                 NULL },
    { 0x00800067, "AMMO_TYPE_CHANGED",             NULL },
    { 0x00800068, "AMMO_SWITCH_STARTED",           NULL },
    { 0x0080006B, "SUBSYSTEM_HIT",                 NULL },
    { 0x0080006C, "SUBSYSTEM_STATUS",              NULL },
    { 0x00800070, "SUBSYSTEM_DAMAGED",             NULL },
    { 0x00800078, "CLOAK_COMPLETE",                NULL },
    { 0x00800079, "DECLOAK_BEGINNING",             NULL },
    { 0x0080007A, "DECLOAK_COMPLETED",             NULL },
    { 0x0080007C, "WEAPON_FIRED",                  NULL },
    { 0x0080007D, "TRACTOR_STARTED_FIRING",        NULL },
    { 0x0080007F, "TRACTOR_STOPPED_FIRING",        NULL },
    { 0x00800081, "PHASER_STARTED_FIRING",         NULL },
    { 0x00800083, "PHASER_STOPPED_FIRING",         NULL },
    { 0x00800085, "TRACTOR_TARGET_DOCKED",         NULL },
    { 0x00800088, "SENSORS_SHIP_IDENTIFIED",       NULL },
    { 0x008000C5, "EXITED_WARP",                   NULL },
    { 0x008000C8, "OBJECT_CREATED",                NULL },
    { 0x008000E6, "CHECKSUM_RESULT_E6",            NULL },
    { 0x008000E7, "CHECKSUM_RESULT_E7",            NULL },
    { 0x008000E8, "CHECKSUM_RESULT_E8",            NULL },
    { 0x008000E9, "KILL_GAME",                     NULL },
    { 0x008000F6, "BOOT_PLAYER",                   NULL },
    { 0x008000FF, "RETRY_CONNECT",                 NULL },
    { 0x00060001, "NETWORK_MESSAGE",               NULL },
    { 0x00060003, "NETWORK_DISCONNECT",            NULL },
    { 0x00060004, "NETWORK_NEW_PLAYER",            NULL })

NAMES(sb_end_reason_names,
    { 0, "generic",              NULL },
    { 1, "time up",              NULL },
    { 2, "frag limit",           NULL },
    { 3, "score limit",          NULL },
    { 4, "starbase lost",        NULL },
    { 5, "Borg destroyed",       NULL },
    { 6, "Enterprise destroyed", NULL })

NAMES(sb_phaser_level_names,
    { 0, "low", NULL }, { 1, "medium", NULL }, { 2, "high", NULL })

NAMES(sb_tractor_mode_names,
    { 0, "hold", NULL }, { 1, "tow", NULL }, { 2, "pull", NULL }, { 3, "push", NULL },
    { 4, "docking 1", NULL }, { 5, "docking 2", NULL })

NAMES(sb_torpedo_flag_names,
    { 0x01, "mode 1", NULL }, { 0x02, "mode 2", NULL }, { SB_TORPEDO_NO_TARGET, "no target", NULL })

NAMES(sb_pulse_flag_names,
    { 0x01, "mode 1", NULL }, { SB_PULSE_HAS_TARGET, "target", NULL })
/* clang-format on */
