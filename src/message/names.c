/* src/message/names.c -- see names.h.
 *
 * Tests:    tests/message/message_test.c
 */
#include "message/names.h"

#include <starbase/protocol.h>

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

#define CODE_NAME(code, id, name) { id, name, NULL },
const sb_name *sb_event_code_names(void)
{
    static const sb_name names[] = { SB_EVENT_CODES(CODE_NAME) { 0, NULL, NULL } };
    return names;
}

NAMES(sb_end_reason_names,
    { SB_END_GENERIC,    "generic",              NULL },
    { SB_END_TIME,       "time up",              NULL },
    { SB_END_KILLS,      "frag limit",           NULL },
    { SB_END_SCORE,      "score limit",          NULL },
    { SB_END_STARBASE,   "starbase lost",        NULL },
    { SB_END_BORG,       "Borg destroyed",       NULL },
    { SB_END_ENTERPRISE, "Enterprise destroyed", NULL })

NAMES(sb_phaser_level_names,
    { SB_PHASER_LOW, "low", NULL }, { SB_PHASER_MEDIUM, "medium", NULL }, { SB_PHASER_HIGH, "high", NULL })

NAMES(sb_tractor_mode_names,
    { 0, "hold", NULL }, { 1, "tow", NULL }, { 2, "pull", NULL }, { 3, "push", NULL },
    { 4, "docking 1", NULL }, { 5, "docking 2", NULL })

NAMES(sb_torpedo_flag_names,
    { SB_FIRE_MODE_1, "mode 1", NULL }, { SB_TORPEDO_MODE_2, "mode 2", NULL },
    { SB_TORPEDO_NO_TARGET, "no target", NULL })

NAMES(sb_pulse_flag_names,
    { SB_FIRE_MODE_1, "mode 1", NULL }, { SB_PULSE_HAS_TARGET, "target", NULL })
/* clang-format on */
