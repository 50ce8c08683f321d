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

#define EVENT_NAME(class, id, name, published) { id, name, published },
const sb_name *sb_event_class_names(void)
{
    static const sb_name names[] = { SB_EVENT_CLASSES(EVENT_NAME) { 0, NULL, NULL } };
    return names;
}

NAMES(sb_object_class_names,
    { SB_CLASS_SHIP,    "ship",    NULL },
    { SB_CLASS_TORPEDO, "torpedo", NULL })

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

/* ---- class ids ---- */

#define EVENT_ROW(class, id, name, published) { class, SB_CLASS_KIND_EVENT, name, NULL },
#define CLASS_ROW(class, kind, name, remark)  { class, kind, name, remark },
static const sb_class_id class_ids[] = { SB_EVENT_CLASSES(EVENT_ROW) SB_CLASS_IDS(CLASS_ROW) };

const sb_class_id *sb_class_id_list(size_t *count)
{
    *count = sizeof class_ids / sizeof *class_ids;
    return class_ids;
}

const sb_class_id *sb_find_class_id(uint32_t id)
{
    for (size_t i = 0; i < sizeof class_ids / sizeof *class_ids; i++)
        if (class_ids[i].id == id) return &class_ids[i];
    return NULL;
}

const char *sb_class_name(uint32_t id)
{
    const sb_class_id *c = sb_find_class_id(id);
    return c ? c->name : NULL;
}

const char *sb_class_kind_text(sb_class_kind kind)
{
    static const char *const texts[SB_CLASS_KIND_COUNT] = { "event",  "object", "base",
                                                            "system", "child",  "property" };
    return (size_t)kind < SB_CLASS_KIND_COUNT ? texts[kind] : "?";
}
