/* src/message/state_update.c -- 0x1C StateUpdate: motion, cloak, subsystems, power.
 *
 * For:      message.c. 95 % of all messages are StateUpdates, so the code is written for speed.
 * Spec:     03.
 * Tests:    tests/message/message_test.c, vector_test.c, table_test.c
 *
 *      0        1 .. 4      5 .. 8      9       10
 *     +--------+-----------+-----------+-------+----------------------------------
 *     | 0x1C   | object_id | game_time | flags | the flagged fields, in this order
 *     +--------+-----------+-----------+-------+----------------------------------
 *
 *       flag           field
 *     +-------------+---------------------------------------------------------------
 *     | 0x01 POS    | x, y, z: f32 | bit has_hash | hash: u16, only with has_hash
 *     | 0x02 DELTA  | cv4: position minus that of the last POS
 *     | 0x04 FWD    | cv3: forward axis
 *     | 0x08 UP     | cv3: up axis
 *     | 0x10 SPEED  | cf16
 *     | 0x40 CLOAK  | bit
 *     | 0x20 SUBSYS | start_index: u8 | entry | entry | ...        to the end of the message
 *     | 0x80 POWER  | index: u8, level: u8 | index, level | ...    to the end; not with SUBSYS
 *     +-------------+---------------------------------------------------------------
 *
 * A bit is a boolean in a group byte (wire/reader.h). All booleans of the message share the group
 * bytes: in a message with POS, has_hash opens the group byte at offset 22, and the next four
 * booleans are stored there.
 *
 * SUBSYS has no count and no length: the entries follow the ship's list from start_index on, wrap
 * at its end, and each has the format that the list gives. Without the list the block stays opaque.
 *
 *       format      entry
 *     +-----------+---------------------------------------------------------------------
 *     | base      | condition: u8 | one condition per child
 *     | powered   | condition | children | bit has_power | power_pct: u8, only with has_power
 *     | shield    | the same as powered | 6 facings: u8
 *     | reactor   | condition | children | main_battery: u8 | backup_battery: u8
 *     +-----------+---------------------------------------------------------------------
 */
#include "message/describe.h"

/* Walks the has_power bit and returns it. Inside an entry a group byte with the count 0 is refused,
 * like one with 6 or 7: spec 12 #3. */
static SB_ALWAYS_INLINE bool walk_power_bit(sb_walk *w, const sb_how how, sb_subsystem_state *m)
{
    if (how == SB_READ) {
        bool on = sb_reader_read_group_bit(&w->r, true);
        m->has_power = on;
        return on;
    }
    if (SB_SOURCE_LACKS(SB_KIND_BIT, "has_power"))
        m->has_power = SB_SOURCE_HAS(SB_KIND_PERCENT, "power_pct");
    SB_BIT(has_power, .when = "@format is powered,shield");
    return m->has_power;
}

/* True if the sender writes the shield generator as one byte, like a hull: spec 03 §4.2, §15. */
static SB_ALWAYS_INLINE bool is_bare_shield(const sb_walk *w, unsigned format)
{
    return format == SB_FORMAT_SHIELD && sb_context_of(w)->layout == SB_SHIELD_DOCUMENTED;
}

/* Spec 03 §4.1. */
static SB_ALWAYS_INLINE void subsystem_fields(sb_walk *w, const sb_how how,
                                              const sb_subsystem_class *class,
                                              sb_subsystem_state *m)
{
    static const sb_field f_children = { SB_FIELD_NAME("children"), .kind = SB_KIND_RATIOS,
                                         .when = "@children is not 0", .count = "@children" };
    static const sb_field f_facings = {
        .name = "facings", .kind = SB_KIND_RATIOS, .when = "@format is shield", .count = "6"
    };
    const unsigned format = class->format;
    SB_RATIO(condition);
    if (class->child_count > 0)
        sb_walk_ratios(w, how, &f_children, m->children, class->child_count);
    if (format == SB_FORMAT_BASE) return;
    if (format == SB_FORMAT_REACTOR) {
        SB_NEEDS(2);
        SB_RATIO(main_battery, .when = "@format is reactor");
        SB_RATIO(backup_battery, .when = "@format is reactor");
        return;
    }
    if (is_bare_shield(w, format)) return;
    bool powered = walk_power_bit(w, how, m);
    if (powered) SB_PERCENT(power_pct, .when = "has_power is 1");
    if (powered && sb_context_of(w)->own)
        SB_NOTE("oddity", "power towards the owner (spec 03 §4.1)");
    if (format == SB_FORMAT_SHIELD) sb_walk_ratios(w, how, &f_facings, m->facings, SB_FACINGS);
}

/* Reads entries to the end of the message; a truncated last entry is ignored (spec 03 §4.5). A
 * truncated entry is rare, so the loop does not save the position before each entry: it starts
 * again and reads only the complete entries. */
static SB_ALWAYS_INLINE void read_entries(sb_walk *w, const sb_ship_class *ship, sb_state_update *m)
{
    const sb_reader_mark start = sb_reader_marked(&w->r);
    const unsigned       count = ship->subsystem_count;
    unsigned             max_entries = count, read;
    do {
        const sb_subsystem_class *next = &ship->subsystems[m->start_index];
        unsigned                  index = m->start_index;
        for (read = 0; w->r.left > 0 && read < max_entries; read++) {
            sb_subsystem_state *entry = &m->entries[read];
            subsystem_fields(w, SB_READ, next, entry);
            if (SB_UNLIKELY(w->r.status != SB_OK)) break;
            entry->index = (uint8_t)index;
            next++;
            if (++index == count) {
                index = 0;
                next = ship->subsystems;
            }
        }
        if (SB_LIKELY(w->r.status == SB_OK)) break;
        sb_reader_return(&w->r, &start);
        max_entries = read;
    } while (true);
    m->entry_count = (uint8_t)read;
}

/* Defaults for the fields that a source does not give. */
static const sb_subsystem_state intact = {
    .condition_code = 0xFF,
    .children = { 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                  0xFF, 0xFF, 0xFF },
    .power_pct_code = 100,
    .facings = { 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF },
    .main_battery_code = 0xFF,
    .backup_battery_code = 0xFF,
};

static SB_ALWAYS_INLINE void entry_list(sb_walk *w, const sb_how how, const sb_ship_class *ship,
                                        sb_state_update *m)
{
    static const sb_field           f_entries = { SB_FIELD_NAME("entries"), .kind = SB_KIND_LIST,
                                                  .when = "flags has 0x20 and @list is not 0",
                                                  .count = "@rest" };
    static const sb_field           f_entry = { SB_FIELD_NAME("entry"), .kind = SB_KIND_GROUP };
    const size_t                    length = ship->subsystem_count;
    size_t                          count = m->entry_count;
    const sb_subsystem_class *const list = ship->subsystems, *class = list + m->start_index;
    if (how == SB_WRITE && count > length) { /* a reader stops after one cycle: spec 03 §4.5 */
        sb_walk_fail(w, how, SB_BAD_VALUE);
        return;
    }
    SB_ENTER_LIST(&f_entries, &count, length);
    for (size_t i = 0; i < count; i++) {
        SB_ENTER_GROUP(&f_entry);
        SB_NOTE("subsystem", class->name);
        if (how == SB_SLOW && sb_walk_builds(w)) m->entries[i] = intact;
        subsystem_fields(w, how, class, &m->entries[i]);
        SB_LEAVE(&f_entry);
        if (++class == list + length) class = list;
    }
    SB_LEAVE(&f_entries);
}

/* Counts the complete entries before they are shown. */
static void count_entries(sb_walk *w, const sb_ship_class *ship, sb_state_update *m)
{
    sb_reader_mark mark = sb_reader_marked(&w->r);
    read_entries(w, ship, m);
    sb_reader_return(&w->r, &mark);
}

/* True if the block stays bytes: the ship's list is unknown, start_index lies beyond its end, or
 * the caller or the source gives the block as bytes. */
static SB_ALWAYS_INLINE bool is_block_opaque(const sb_walk *w, const sb_how how,
                                             const sb_ship_class *ship, const sb_state_update *m)
{
    if (!ship || m->start_index >= ship->subsystem_count) return true;
    if (how == SB_WRITE) return m->block.size > 0;
    return SB_SOURCE_HAS(SB_KIND_BYTES, "block");
}

/* Spec 03 §4. */
static SB_ALWAYS_INLINE void subsys_block(sb_walk *w, const sb_how how, sb_state_update *m)
{
    const sb_ship_class *ship = sb_context_of(w)->ship;
    SB_NEEDS(1); /* SUBSYS without a start index is malformed: spec 12 #2 */
    SB_U8(start_index, .when = "flags has 0x20");
    if (how == SB_SLOW && sb_walk_status(w, how) != SB_OK) return;
    if (is_block_opaque(w, how, ship, m)) {
        if (how == SB_WRITE && m->entry_count > 0) sb_walk_fail(w, how, SB_BAD_VALUE);
        SB_BYTES(block, .when = "flags has 0x20 and @list is 0");
    } else if (how == SB_READ) {
        read_entries(w, ship, m);
    } else {
        if (how == SB_SLOW && !sb_walk_builds(w)) count_entries(w, ship, m);
        entry_list(w, how, ship, m);
    }
}

static SB_ALWAYS_INLINE void pair_fields(sb_walk *w, const sb_how how, sb_power_pair *m)
{
    SB_NEEDS(2);
    SB_U8(index);
    SB_LEVEL(level);
}

/* Spec 03 §5. An odd last byte is ignored. */
static SB_ALWAYS_INLINE void power_block(sb_walk *w, const sb_how how, sb_state_update *m)
{
    static const sb_field f_pairs = { SB_FIELD_NAME("pairs"), .kind = SB_KIND_LIST,
                                      .when = "flags has 0x80 and flags lacks 0x20",
                                      .count = "@rest" };
    static const sb_field f_pair = { SB_FIELD_NAME("pair"), .kind = SB_KIND_GROUP };
    const sb_ship_class  *ship = sb_context_of(w)->ship;
    if (!sb_walk_writes(w, how)) {
        size_t available = w->r.left / 2;
        m->pair_count = (uint8_t)(available < SB_SUBSYSTEMS_MAX ? available : SB_SUBSYSTEMS_MAX);
    }
    size_t count = m->pair_count;
    if (how == SB_WRITE && count > SB_SUBSYSTEMS_MAX) {
        sb_walk_fail(w, how, SB_BAD_VALUE);
        return;
    }
    SB_ENTER_LIST(&f_pairs, &count, SB_SUBSYSTEMS_MAX);
    for (size_t i = 0; i < count; i++) {
        SB_ENTER_GROUP(&f_pair);
        pair_fields(w, how, &m->pairs[i]);
        if (how == SB_SLOW && ship && m->pairs[i].index < ship->subsystem_count)
            SB_NOTE("subsystem", ship->subsystems[m->pairs[i].index].name);
        SB_LEAVE(&f_pair);
    }
    SB_LEAVE(&f_pairs);
}

/* The flags of the fields that the source has. */
static uint8_t flags_of_source(sb_walk *w)
{
    static const struct {
        const char *name;
        uint8_t     flag;
    } rows[] = {
        { "position", SB_STATE_POS },       { "delta", SB_STATE_DELTA },
        { "forward", SB_STATE_FWD },        { "up", SB_STATE_UP },
        { "speed", SB_STATE_SPEED },        { "cloak", SB_STATE_CLOAK },
        { "start_index", SB_STATE_SUBSYS }, { "entries", SB_STATE_SUBSYS },
        { "pairs", SB_STATE_POWER },
    };
    unsigned flags = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sb_field f = { .name = rows[i].name };
        if (w->source->has(w->source->self, &f)) flags |= rows[i].flag;
    }
    return (uint8_t)flags;
}

enum { MOTION_FLAGS = SB_STATE_DELTA | SB_STATE_FWD | SB_STATE_UP | SB_STATE_SPEED };

static SB_ALWAYS_INLINE void motion_fields(sb_walk *w, const sb_how how, const unsigned flags,
                                           sb_state_update *m)
{
    if (flags & SB_STATE_DELTA)
        SB_CV4(delta, .published = "POSITION_DELTA", .when = "flags has 0x02",
               .unit = SB_GAME_UNITS);
    if (flags & SB_STATE_FWD)
        SB_CV3(forward, .published = "ORIENTATION_FWD", .when = "flags has 0x04");
    if (flags & SB_STATE_UP) SB_CV3(up, .published = "ORIENTATION_UP", .when = "flags has 0x08");
    if (flags & SB_STATE_SPEED)
        SB_CF16(speed, .published = "SPEED", .when = "flags has 0x10", .unit = SB_GAME_UNITS "/s");
}

SB_DESCRIBE_MESSAGE(state_update, sb_state_update)
{
    if (how == SB_READ) memset(m, 0, offsetof(sb_state_update, pairs));
    SB_NEEDS(9);
    SB_ID(object_id);
    SB_F32(game_time, .unit = "s");
    if (SB_SOURCE_LACKS(SB_KIND_FLAGS, "flags")) m->flags = flags_of_source(w);
    SB_FLAGS(flags, .names = sb_state_flag_names, .published = "dirty flags");
    const unsigned flags = m->flags;
    if (flags & SB_STATE_POS) {
        SB_POSITION(position, .published = "POSITION_ABSOLUTE", .when = "flags has 0x01",
                    .unit = SB_GAME_UNITS);
        if (SB_SOURCE_LACKS(SB_KIND_BIT, "has_hash"))
            m->has_hash = SB_SOURCE_HAS(SB_KIND_U16, "hash");
        SB_BIT(has_hash, .when = "flags has 0x01");
        if (m->has_hash)
            SB_U16(hash, .published = "subsystem integrity hash", .when = "has_hash is 1");
    }
    /* Nearly every update of a moving ship has all four motion fields (spec 03 §7): check their
     * size once. */
    if ((flags & MOTION_FLAGS) == MOTION_FLAGS) {
        SB_NEEDS(13);
        motion_fields(w, how, MOTION_FLAGS, m);
    } else if (flags & MOTION_FLAGS) {
        motion_fields(w, how, flags, m);
    }
    /* CLOAK precedes the two blocks that extend to the end: spec 03 §2. */
    if (flags & SB_STATE_CLOAK) SB_BIT(cloak, .published = "CLOAK_STATE", .when = "flags has 0x40");
    if (flags & SB_STATE_SUBSYS) subsys_block(w, how, m);
    else if (flags & SB_STATE_POWER) power_block(w, how, m);
}
