/* src/message/objects.c -- creation, removal and recovery of objects.
 *
 * For:      ObjectCreate, PlayerObjectCreate, DestroyObject, ObjectNotFound, RequestObject,
 *           EnterSet, PlayerLeftText.
 * Spec:     07; 08 §9, §13.
 * Tests:    tests/message/message_test.c, vector_test.c, table_test.c
 *
 * Creation messages. peer_id is present in 0x03 only; offsets of the rest count from class_id:
 *
 *      0            1            2         +0          +4          +8
 *     +------------+------------+---------+-----------+-----------+-------
 *     | 0x02, 0x03 | owner_slot | peer_id | class_id  | object_id | body
 *     +------------+------------+---------+-----------+-----------+-------
 *      u8           s8           u8        u32         u32
 *
 * Body of a ship (class 0x8008); the body of a torpedo (0x8009) is its species and unknown bytes:
 *
 *      0         1 .. 12    13 .. 28      29 .. 35   36
 *     +---------+----------+-------------+----------+--------+------+--------+----------+----------
 *     | species | position | orientation | velocity | length | name | length | set_name | snapshot
 *     +---------+----------+-------------+----------+--------+------+--------+----------+----------
 *      u8        x, y, z:   w, x, y, z:   cv4f       u8              u8
 *                f32        f32
 *
 * The snapshot is one entry for each subsystem of the ship's list, in list order, to the end of the
 * message. An entry has these parts, in this order:
 *
 *     +-----------+-------------------+-------+---------+-----------+-------------+---------------+
 *     | condition | child conditions  | power | facings | batteries | weapon_bit  | setting       |
 *     +-----------+-------------------+-------+---------+-----------+-------------+---------------+
 *      u8          u8 for each child   s8      6 u8      2 u8        bit           u8
 *      always      always              powered shield    reactor     weapon        torpedo, phaser,
 *                                      and     format    format      systems       tractor systems
 *                                      shield
 *                                      formats
 *
 * Power is a percentage; 0 or negative: switched off. The weapon bits of all systems share
 * group bytes (wire/reader.h).
 */
#include "message/describe.h"

#include "ship/codes.h"

#define IF_SHIP "class_id is 0x8008"

/* Walks the byte after the bit of a weapon system; its name depends on the type. Pulse weapon
 * systems have no such byte (length of a captured Bird of Prey, spec 07 §2.3). */
static SB_ALWAYS_INLINE void weapon_setting(sb_walk *w, const sb_how how, uint8_t type,
                                            sb_subsystem_snapshot *m)
{
    static const sb_field f_ammo = { SB_FIELD_NAME("ammo"), .kind = SB_KIND_U8,
                                     .when = "@type is 0x801E" };
    static const sb_field f_level = { SB_FIELD_NAME("level"), .kind = SB_KIND_U8,
                                      .names = sb_phaser_level_names, .when = "@type is 0x801F" };
    static const sb_field f_mode = { SB_FIELD_NAME("mode"), .kind = SB_KIND_U8,
                                     .names = sb_tractor_mode_names, .when = "@type is 0x8021" };
    if (type == SB_SUBSYSTEM_TORPEDO_SYSTEM) sb_walk_u8(w, how, &f_ammo, &m->setting);
    if (type == SB_SUBSYSTEM_PHASER_SYSTEM) sb_walk_u8(w, how, &f_level, &m->setting);
    if (type == SB_SUBSYSTEM_TRACTOR_SYSTEM) sb_walk_u8(w, how, &f_mode, &m->setting);
}

/* One entry, spec 07 §2.3. */
static SB_ALWAYS_INLINE void snapshot_fields(sb_walk *w, const sb_how how,
                                             const sb_subsystem_class *class,
                                             sb_subsystem_snapshot *m)
{
    static const sb_field f_children = { SB_FIELD_NAME("children"), .kind = SB_KIND_RATIOS,
                                         .when = "@children is not 0", .count = "@children" };
    static const sb_field f_facings = {
        .name = "facings", .kind = SB_KIND_RATIOS, .when = "@format is shield", .count = "6"
    };
    SB_RATIO(condition);
    if (class->child_count > 0)
        sb_walk_ratios(w, how, &f_children, m->children, class->child_count);
    if (class->format == SB_FORMAT_POWERED || class->format == SB_FORMAT_SHIELD)
        SB_SWITCH(power, .when = "@format is powered,shield");
    if (class->format == SB_FORMAT_SHIELD)
        sb_walk_ratios(w, how, &f_facings, m->facings, SB_FACINGS);
    if (class->format == SB_FORMAT_REACTOR) {
        SB_RATIO(main_battery, .when = "@format is reactor");
        SB_RATIO(backup_battery, .when = "@format is reactor");
    }
    if (sb_is_weapon_system(class->type)) {
        SB_BIT(weapon_bit, .tentative = true, .when = "@type is 0x801E,0x801F,0x8020,0x8021");
        weapon_setting(w, how, class->type, m);
    }
}

static const sb_ship_class *class_of(const sb_walk *w, uint8_t species)
{
    const sb_ship_set   *ships = sb_context_of(w)->ships;
    const sb_ship_class *ship = sb_find_ship(ships ? ships : sb_stock_ships(), species);
    return ship;
}

/* Reads the snapshot if the rest of the message has exactly its length. False: the length
 * differs; the reader has not moved, and the bytes stay opaque (spec 07 §2.3). */
static bool read_snapshot(sb_walk *w, const sb_ship_class *ship, sb_object_create *m)
{
    sb_reader_mark mark = sb_reader_marked(&w->r);
    for (unsigned i = 0; i < ship->subsystem_count; i++)
        snapshot_fields(w, SB_READ, &ship->subsystems[i], &m->snapshot[i]);
    if (w->r.status == SB_OK && w->r.left == 0) return true;
    sb_reader_return(&w->r, &mark);
    return false;
}

static SB_ALWAYS_INLINE void snapshot_list(sb_walk *w, const sb_how how, const sb_ship_class *ship,
                                           sb_object_create *m)
{
    static const sb_field f_snapshot = { SB_FIELD_NAME("snapshot"), .kind = SB_KIND_LIST,
                                         .fixed = true, .when = IF_SHIP " and @list is not 0",
                                         .count = "@list" };
    static const sb_field f_entry = { SB_FIELD_NAME("entry"), .kind = SB_KIND_GROUP };
    size_t                count = ship->subsystem_count;
    SB_ENTER_LIST(&f_snapshot, &count, ship->subsystem_count);
    const bool listed = count > 0;
    if (listed && count != ship->subsystem_count) sb_walk_fail(w, how, SB_BAD_VALUE);
    for (unsigned i = 0; i < ship->subsystem_count; i++) {
        if (listed) SB_ENTER_GROUP(&f_entry);
        SB_NOTE("subsystem", ship->subsystems[i].name);
        snapshot_fields(w, how, &ship->subsystems[i], &m->snapshot[i]);
        if (listed) SB_LEAVE(&f_entry);
    }
    SB_LEAVE(&f_snapshot);
}

static SB_ALWAYS_INLINE void walk_snapshot(sb_walk *w, const sb_how how, sb_object_create *m)
{
    static const sb_field f_opaque = { SB_FIELD_NAME("opaque"), .kind = SB_KIND_BYTES,
                                       .when = IF_SHIP " and @list is 0" };
    const sb_ship_class  *ship = class_of(w, m->species);
    bool                  shows = how == SB_SLOW && !sb_walk_builds(w);
    if (how == SB_READ) {
        m->snapshot_known = ship && read_snapshot(w, ship, m);
    } else if (shows) {
        sb_reader_mark mark = sb_reader_marked(&w->r);
        m->snapshot_known = ship && read_snapshot(w, ship, m);
        sb_reader_return(&w->r, &mark);
    } else if (how == SB_SLOW) {
        m->snapshot_known = ship && !w->source->has(w->source->self, &f_opaque);
    }
    if (how == SB_WRITE && m->snapshot_known && !ship) sb_walk_fail(w, how, SB_BAD_VALUE);
    if (m->snapshot_known && ship) {
        if (how != SB_READ) snapshot_list(w, how, ship, m);
    } else {
        sb_walk_bytes(w, how, &f_opaque, &m->opaque);
    }
}

/* Defaults for the fields that a source does not give: an intact ship, power at 100 %, cloak off.
 */
static void set_defaults(sb_walk *w, sb_object_create *m)
{
    const sb_ship_class *ship = class_of(w, m->species);
    if (!ship) return;
    for (unsigned i = 0; i < ship->subsystem_count; i++) {
        sb_subsystem_snapshot *s = &m->snapshot[i];
        memset(s, 0xFF, sizeof *s);
        uint8_t type = ship->subsystems[i].type;
        s->power_code = type == SB_SUBSYSTEM_CLOAK ? -100 : 100; /* 9C: spec 07 §2.3 */
        s->weapon_bit = false;
        s->setting = type == SB_SUBSYSTEM_TORPEDO_SYSTEM ? 0 : 1;
    }
}

/* Spec 07 §2.2. */
static SB_ALWAYS_INLINE void ship_body(sb_walk *w, const sb_how how, sb_object_create *m)
{
    SB_U8(species, .names = sb_species_names, .when = IF_SHIP);
    SB_POSITION(position, .when = IF_SHIP, .unit = SB_GAME_UNITS);
    SB_QUAT(orientation, .when = IF_SHIP);
    SB_CV4F(velocity, .when = IF_SHIP, .unit = SB_GAME_UNITS "/s");
    SB_TEXT8(name, .when = IF_SHIP);
    SB_TEXT8(set_name, .when = IF_SHIP);
    if (sb_walk_status(w, how) != SB_OK) return; /* the species may be missing */
    if (how == SB_SLOW && sb_walk_builds(w)) set_defaults(w, m);
    walk_snapshot(w, how, m);
}

/* Spec 07 §2.4: only the species is known. */
static SB_ALWAYS_INLINE void torpedo_body(sb_walk *w, const sb_how how, sb_object_create *m)
{
    SB_U8(species, .names = sb_projectile_names, .published = "torpedo species",
          .when = "class_id is 0x8009");
    SB_BYTES(opaque, .when = "class_id is 0x8009");
}

static SB_ALWAYS_INLINE void object_fields(sb_walk *w, const sb_how how, sb_object_create *m)
{
    SB_U32(class_id, .names = sb_object_class_names, .is_class = true, .implied = true);
    SB_NAME_NOTE("class_name", sb_class_name(m->class_id));
    bool known = m->class_id == SB_CLASS_SHIP || m->class_id == SB_CLASS_TORPEDO;
    if (!known) { /* a stock receiver crashes on an unknown class: spec 07 §2.1 */
        sb_walk_fail(w, how, SB_BAD_VALUE);
        return;
    }
    SB_ID(object_id);
    if (how == SB_READ) {
        m->snapshot_known = false;
        m->opaque = (sb_span){ NULL, 0 };
    }
    if (m->class_id == SB_CLASS_SHIP) ship_body(w, how, m);
    else torpedo_body(w, how, m);
}

SB_DESCRIBE_MESSAGE(object_create, sb_object_create)
{
    SB_I8(owner_slot);
    object_fields(w, how, m);
}

SB_DESCRIBE_MESSAGE(player_object_create, sb_object_create)
{
    SB_I8(owner_slot);
    SB_U8(peer_id, .published = "team"); /* spec 07 §2: the owner's peer id */
    object_fields(w, how, m);
}

/* Spec 07 §3, §5, §6. */
SB_DESCRIBE_MESSAGE(object_ref, sb_object_ref)
{
    SB_ID(object_id);
}

/* True if a complete name follows that does not end with NUL. */
static bool lacks_nul(const sb_reader *r)
{
    uint32_t size = r->status == SB_OK && r->left >= 4 ? sb_load_u32(r->next) : 0;
    return size > 0 && size <= r->left - 4 && r->next[4 + size - 1] != 0;
}

/* Spec 07 §7: the length counts the name's NUL. A stock receiver reads past a name without NUL; it
 * is accepted here, and a server does not relay it. */
SB_DESCRIBE_MESSAGE(enter_set, sb_enter_set)
{
    static const sb_field f_unterminated = { SB_FIELD_NAME("unterminated"), .kind = SB_KIND_BIT,
                                             .rare = true, .off_wire = true,
                                             .when = "@terminator is not 0" };
    SB_ID(object_id);
    if (!sb_walk_writes(w, how)) m->unterminated = lacks_nul(&w->r);
    if (how == SB_SLOW) sb_walk_rare_form(w, &f_unterminated, &m->unterminated);
    if (m->unterminated) SB_TEXT32(set_name, .when = "unterminated is 1", .low = 1, .high = 64);
    else SB_TEXT32Z(set_name, .when = "unterminated is not 1", .low = 1, .high = 64);
    const sb_span name = m->set_name;
    if (name.size < 1 || name.size > 64 || (m->unterminated && name.data[name.size - 1] == 0))
        sb_walk_fail(w, how, SB_BAD_VALUE);
}

/* Spec 07 §9. */
SB_DESCRIBE_MESSAGE(player_left, sb_player_left)
{
    SB_TEXT16(name);
}
