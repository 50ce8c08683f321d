/* src/message/events.c -- serialized events, fire records and damage volumes.
 *
 * For:      all messages of spec 08 that carry an event, TorpedoFire, PulseFire, DamageVolume.
 * Spec:     08 §3 to §7, §10, §14, §15.
 * Tests:    tests/message/message_test.c, vector_test.c, table_test.c
 */
#include "message/describe.h"

static SB_ALWAYS_INLINE void contact_list(sb_walk *w, const sb_how how, sb_event *m)
{
    static const sb_field f_contacts = { SB_FIELD_NAME("contacts"), .kind = SB_KIND_LIST,
                                         .when = "event_class is 0x8124 and n is 0..32",
                                         .count = "n", .high = SB_CONTACTS_MAX };
    static const sb_field f_contact = { SB_FIELD_NAME("contact"), .kind = SB_KIND_CV4B };
    static const sb_field f_count = { SB_FIELD_NAME("n"), .kind = SB_KIND_U8, .derived = true,
                                      .when = "event_class is 0x8124 and @next is 0..32",
                                      .high = SB_CONTACTS_MAX };
    size_t                count = m->contact_count;
    sb_walk_count(w, how, &f_count, &f_contacts, &count, SB_CONTACTS_MAX);
    for (size_t i = 0; i < count; i++) sb_walk_cv4b(w, how, &f_contact, &m->contacts[i]);
    SB_LEAVE(&f_contacts);
    if (how == SB_READ) m->contact_count = (uint8_t)count;
}

/* Spec 08 §7.1. Reading target and offset as in TorpedoFire is an assumption (§21 Q1). */
static SB_ALWAYS_INLINE void start_firing(sb_walk *w, const sb_how how, sb_event *m)
{
    SB_ID(target, .tentative = true, .when = "event_class is 0x8128");
    SB_CV4B(offset, .tentative = true, .when = "event_class is 0x8128", .unit = SB_GAME_RADII);
}

static SB_ALWAYS_INLINE void start_warp(sb_walk *w, const sb_how how, sb_event *m)
{
    SB_TEXT8(set_name, .when = "event_class is 0x812A");
    SB_VEC3(warp_to, .when = "event_class is 0x812A", .unit = SB_GAME_UNITS);
    SB_F32(warp_speed, .when = "event_class is 0x812A");
}

static SB_ALWAYS_INLINE void exploding(sb_walk *w, const sb_how how, sb_event *m)
{
    SB_I32(killer, .when = "event_class is 0x8129");
    SB_F32(lifetime, .when = "event_class is 0x8129", .unit = "s");
}

/* True if the extension of a collision stays bytes because the contact count exceeds
 * SB_CONTACTS_MAX. CollisionEffect is then refused (spec 08 §10.1). Any other message with this
 * event class is relayed, like one with an unknown class. */
static SB_ALWAYS_INLINE bool is_collision_opaque(const sb_walk *w, const sb_how how,
                                                 const sb_event *m)
{
    if (how == SB_WRITE) return m->extension.size > 0;
    if (SB_SOURCE_HAS(SB_KIND_BYTES, "extension")) return true;
    return !sb_walk_writes(w, how) && w->r.left > 0 && w->r.next[0] > SB_CONTACTS_MAX;
}

/* The extension of each class: spec 08 §3. */
static SB_ALWAYS_INLINE void extension_fields(sb_walk *w, const sb_how how, sb_event *m)
{
    if (how == SB_READ) m->extension = (sb_span){ NULL, 0 };
    switch (m->event_class) {
    case SB_EVENT_OBJECT:
    case SB_EVENT_PLAIN: break;
    case SB_EVENT_BOOL:
    case SB_EVENT_CHAR: SB_U8(value, .when = "event_class is 0x0104,0x0105"); break;
    case SB_EVENT_OBJECT_POINTER: SB_ID(third, .when = "event_class is 0x010C"); break;
    case SB_EVENT_PLAYER: SB_U8(peer_id, .when = "event_class is 0x0866"); break;
    case SB_EVENT_COLLISION:
        if (is_collision_opaque(w, how, m)) {
            SB_BYTES(extension, .when = "event_class is 0x8124 and @next is not 0..32");
        } else {
            contact_list(w, how, m);
            SB_F32(force, .when = "event_class is 0x8124 and n is 0..32");
        }
        break;
    case SB_EVENT_START_FIRING: start_firing(w, how, m); break;
    case SB_EVENT_OBJECT_EXPLODING: exploding(w, how, m); break;
    case SB_EVENT_START_WARP: start_warp(w, how, m); break;
    default:
        SB_BYTES(extension, .when = "event_class is not 0x0002,0x0101,0x0104,0x0105,0x010C,0x0866,"
                                    "0x8124,0x8128,0x8129,0x812A");
    }
}

/* The event class of a PythonEvent with this code, for a source that gives only the code. */
static uint32_t class_of_code(uint32_t code, uint32_t by_default)
{
    if (code == SB_CODE_OBJECT_EXPLODING) return SB_EVENT_OBJECT_EXPLODING;
    if (code == SB_CODE_REPAIR_COMPLETED || code == SB_CODE_REPAIR_CANNOT_BE_COMPLETED)
        return SB_EVENT_OBJECT_POINTER;
    return by_default;
}

static void guess_class(sb_walk *w, sb_event *m)
{
    static const sb_field f_code = { SB_FIELD_NAME("event_code"), .kind = SB_KIND_U32,
                                     .names = sb_event_code_names };
    sb_value              value = { .number = m->event_code };
    if (w->source->value(w->source->self, &f_code, &value, 0) == SB_GIVEN)
        m->event_class = class_of_code(value.number, m->event_class);
}

/* `only_class`: the only event class that is accepted; 0: any. */
static SB_ALWAYS_INLINE void fields_of_event(sb_walk *w, const sb_how how,
                                             const uint32_t only_class, sb_event *m)
{
    if (SB_SOURCE_LACKS(SB_KIND_U32, "event_class")) guess_class(w, m);
    SB_U32(event_class, .names = sb_event_class_names, .published = "factory id", .is_class = true,
           .implied = true);
    SB_NAME_NOTE("class_name", sb_class_name(m->event_class));
    if (only_class && m->event_class != only_class) sb_walk_fail(w, how, SB_BAD_VALUE);
    SB_U32(event_code, .names = sb_event_code_names);
    SB_ID(source);
    SB_ID(destination);
    extension_fields(w, how, m);
    if (sb_walk_at(w, how) > SB_EVENT_MAX) sb_walk_fail(w, how, SB_BAD_VALUE);
}

SB_DESCRIBE_MESSAGE(event, sb_event)
{
    fields_of_event(w, how, 0, m);
}

/* Spec 08 §10: only this event class (spec 12 #5), and the exact length. */
SB_DESCRIBE_MESSAGE(collision_effect, sb_event)
{
    fields_of_event(w, how, SB_EVENT_COLLISION, m);
    if (m->extension.size > 0) sb_walk_fail(w, how, SB_BAD_VALUE); /* too many contacts */
    SB_EXACT();
}

enum { DOCUMENTED_TARGET_BYTES = 9 }; /* target and cv4 */

/* Finds out whether this is the documented form: bit 1 of the flags is set, and a target and a cv4
 * follow. No message of a stock client has this length (spec 08 §14.1). */
static SB_ALWAYS_INLINE void documented_form(sb_walk *w, const sb_how how, sb_torpedo_fire *m)
{
    static const sb_field f_documented = { SB_FIELD_NAME("documented"), .kind = SB_KIND_BIT,
                                           .when = "flags has 0x02 and @rest is 9", .rare = true,
                                           .off_wire = true };
    bool                  possible = m->flags & SB_TORPEDO_MODE_2;
    if (!sb_walk_writes(w, how)) m->documented = possible && w->r.left == DOCUMENTED_TARGET_BYTES;
    if (how == SB_SLOW && possible) sb_walk_rare_form(w, &f_documented, &m->documented);
    if (how == SB_WRITE && m->documented && !possible) sb_walk_fail(w, how, SB_BAD_VALUE);
}

/* Spec 08 §14.1: in the stock form bit 2 of the flags alone decides whether a target follows. */
SB_DESCRIBE_MESSAGE(torpedo_fire, sb_torpedo_fire)
{
    SB_ID(tube);
    SB_U8(projectile_type, .names = sb_projectile_names);
    if (SB_SOURCE_LACKS(SB_KIND_FLAGS, "flags"))
        m->flags = SB_SOURCE_HAS(SB_KIND_ID, "target")
                       ? SB_FIRE_MODE_1
                       : SB_FIRE_MODE_1 | SB_TORPEDO_NO_TARGET; /* spec 08 §21 Q7 */
    SB_FLAGS(flags, .names = sb_torpedo_flag_names);
    SB_CV3(direction);
    if (how == SB_READ) {
        m->target = 0;
        m->aim = (sb_cv4b){ 0 };
        m->aim_distance = (sb_cv4){ 0 };
    }
    documented_form(w, how, m);
    if (m->flags & SB_TORPEDO_NO_TARGET && !m->documented) return;
    SB_ID(target, .when = "documented is 1 or flags lacks 0x04");
    if (m->documented) SB_CV4(aim_distance, .when = "documented is 1", .unit = SB_GAME_UNITS);
    else SB_CV4B(aim, .when = "documented is not 1 and flags lacks 0x04", .unit = SB_GAME_RADII);
}

/* Spec 08 §14.2: bit 1 of the flags alone decides whether a target follows. */
SB_DESCRIBE_MESSAGE(pulse_fire, sb_pulse_fire)
{
    SB_ID(weapon);
    SB_U8(projectile_type, .names = sb_projectile_names, .tentative = true);
    SB_CV3(direction);
    if (SB_SOURCE_LACKS(SB_KIND_FLAGS, "flags"))
        m->flags = SB_SOURCE_HAS(SB_KIND_ID, "target") ? SB_FIRE_MODE_1 | SB_PULSE_HAS_TARGET
                                                       : SB_FIRE_MODE_1;
    SB_FLAGS(flags, .names = sb_pulse_flag_names);
    if (how == SB_READ) m->target = 0;
    if (m->flags & SB_PULSE_HAS_TARGET) SB_ID(target, .when = "flags has 0x02");
}

/* Spec 08 §15. */
SB_DESCRIBE_MESSAGE(damage_volume, sb_damage_volume)
{
    SB_ID(object_id);
    SB_CV4(centre, .unit = SB_GAME_UNITS);
    SB_CF16(radius, .unit = SB_GAME_UNITS);
    SB_CF16(strength, .published = "damage");
}
