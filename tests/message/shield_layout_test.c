/* tests/message/shield_layout_test.c -- both layouts of the shield generator, and their detection.
 *
 * The sender in these tests is the loop of spec 03 §4.3 around the encoder: it learns sizes from
 * the encoded bytes. The detector runs the same loop without encoding.
 */
#include <starbase/layout.h>
#include <starbase/message.h>

#include "base/bytes.h"
#include "base/random.h"
#include "test.h"
#include "wire/random_source.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 512 };

/* What hosts send (spec 03 §7): to the owner 0x20; to others mostly 0x3E, full updates 0x3D, with
 * the cloak bit 0x7D; and a cloak bit alone before the block. */
static const uint8_t flag_sets[] = { 0x20, 0x3E, 0x3D, 0x7D, 0x60 };
enum { FLAG_SETS = sizeof flag_sets };

/* Values that look like group bytes are the hardest case for the detector. */
typedef enum values { INTACT, RANDOM, GROUPS_ALIKE, VALUE_KINDS } values;

typedef struct sender {
    const sb_ship_class *ship;
    sb_shield_layout     layout;
    bool                 power;
    uint8_t              cursor;
    values               values;
    float                game_time;
    sb_random            random;
    unsigned             entries; /* written so far */
    bool                 shield;  /* the last block has the shield generator */
    uint8_t              bytes[ROOM];
    size_t               size;
} sender;

static sender start_sender(const sb_ship_class *ship, sb_shield_layout layout, bool power,
                           uint8_t cursor, values kind, uint64_t seed)
{
    sender s = { .ship = ship, .layout = layout, .power = power, .cursor = cursor, .values = kind };
    s.game_time = 20;
    sb_random_init(&s.random, seed);
    return s;
}

static uint8_t some_value(sender *s)
{
    static const uint8_t groups[] = { 0x20, 0x21, 0x40, 0x43, 0x60, 0x67, 0x80, 0x8F, 0xA0, 0xBF };
    if (s->values == INTACT) return 0xFF;
    if (s->values == GROUPS_ALIKE) return groups[sb_random_below(&s->random, sizeof groups)];
    return (uint8_t)sb_random_next(&s->random);
}

static void fill_entry(sender *s, sb_subsystem_state *entry)
{
    entry->condition_code = some_value(s);
    for (size_t i = 0; i < SB_CHILDREN_MAX; i++) entry->children[i] = some_value(s);
    for (size_t i = 0; i < SB_FACINGS; i++) entry->facings[i] = some_value(s);
    entry->main_battery_code = some_value(s);
    entry->backup_battery_code = some_value(s);
    entry->has_power = s->power;
    entry->power_pct_code = (uint8_t)sb_random_below(&s->random, 126);
}

static void encode(sender *s, const sb_message *m)
{
    sb_message_context context = { .ship = s->ship, .layout = (uint8_t)s->layout };
    CHECK_EQ(sb_encode_message(m, &context, s->bytes, sizeof s->bytes, &s->size), SB_OK);
}

/* Spec 03 §4.3. */
static sb_span send_block(sender *s, uint8_t flags)
{
    sb_message       m = { .opcode = SB_OP_STATE_UPDATE };
    sb_state_update *u = &m.as.state_update;
    u->object_id = 0x3FFFFFFF;
    u->game_time = s->game_time += 0.1f;
    u->cloak = sb_random_below(&s->random, 2);
    u->flags = flags & (uint8_t)~SB_STATE_SUBSYS;
    encode(s, &m);
    size_t block_at = s->size;
    u->flags = flags;
    u->start_index = s->cursor;
    s->shield = false;
    do {
        fill_entry(s, &u->entries[u->entry_count++]);
        if (s->ship->subsystems[s->cursor].format == SB_FORMAT_SHIELD) s->shield = true;
        s->cursor = (uint8_t)((s->cursor + 1) % s->ship->subsystem_count);
        s->entries++;
        encode(s, &m);
    } while (s->cursor != u->start_index && s->size - block_at < 10);
    return (sb_span){ s->bytes, s->size };
}

/* Flags as a host mixes them: a full update every eleventh time, to the owner nothing but 0x20. */
static uint8_t flags_of(const sender *s, unsigned number)
{
    if (!s->power) return 0x20;
    if (number % 11 != 0) return 0x3E;
    return s->ship->can_cloak ? 0x7D : 0x3D;
}

static void for_every_sender(values kind, void (*check)(sender *s))
{
    const sb_ship_set *stock = sb_stock_ships();
    CHECK_EQ(stock->count, 17);
    for (size_t i = 0; i < stock->count; i++)
        for (unsigned start = 0; start < stock->ships[i].subsystem_count; start++)
            for (int way = 0; way < 4; way++) {
                sender s =
                    start_sender(&stock->ships[i], (sb_shield_layout)(way & 1), way & 2,
                                 (uint8_t)start, kind, i * 1000 + start * 10 + (unsigned)way);
                check(&s);
            }
}

/* ---- the codec ---- */

static sb_message message;

static sb_result decode_hex(const char *hex, sb_shield_layout layout)
{
    static uint8_t     bytes[ROOM];
    size_t             size = test_hex(hex, bytes, sizeof bytes);
    sb_message_context context = { .ship = sb_find_ship(sb_stock_ships(), 1),
                                   .layout = (uint8_t)layout };
    return sb_decode_message((sb_span){ bytes, size }, &context, &message, NULL);
}

#define HEADER "1C FF FF FF 3F 00 00 70 42 "

TEST(a_documented_shield_generator_is_its_condition_alone)
{
    const sb_state_update *u = &message.as.state_update;
    CHECK_EQ(decode_hex(HEADER "20 00 FE CC FD 43 4B FC F0 FB FA F9 F8 64", SB_SHIELD_DOCUMENTED),
             SB_OK);
    CHECK_EQ(u->entry_count, 5);
    CHECK_EQ(message.trailing.size, 0);
    CHECK_EQ(message.group_count, 0);
    CHECK_EQ(u->entries[1].condition_code, 0xCC);
    CHECK(!u->entries[1].has_power);
    CHECK_EQ(u->entries[2].condition_code, 0xFD);
    CHECK(u->entries[2].has_power);
    CHECK_EQ(u->entries[2].power_pct_code, 0x4B);
    CHECK_EQ(u->entries[3].main_battery_code, 0xF0);
    CHECK_EQ(u->entries[4].children[1], 0xF8);
}

TEST(a_documented_shield_generator_has_no_bit_and_no_facings)
{
    sb_message         m = { .opcode = SB_OP_STATE_UPDATE };
    sb_message_context context = { .ship = sb_find_ship(sb_stock_ships(), 1) };
    uint8_t            out[64];
    size_t             stock, documented;
    m.as.state_update.flags = SB_STATE_SUBSYS;
    m.as.state_update.start_index = 1;
    m.as.state_update.entry_count = 1;
    m.as.state_update.entries[0].has_power = true;
    CHECK_EQ(sb_encode_message(&m, &context, out, sizeof out, &stock), SB_OK);
    context.layout = SB_SHIELD_DOCUMENTED;
    CHECK_EQ(sb_encode_message(&m, &context, out, sizeof out, &documented), SB_OK);
    CHECK_EQ(stock, 11 + 1 + 2 + SB_FACINGS);
    CHECK_EQ(documented, 11 + 1);
}

static void check_same_entry(const sb_subsystem_class *class, sb_shield_layout layout,
                             const sb_subsystem_state *a, const sb_subsystem_state *b)
{
    bool bare = class->format == SB_FORMAT_SHIELD && layout == SB_SHIELD_DOCUMENTED;
    bool powered =
        !bare && (class->format == SB_FORMAT_POWERED || class->format == SB_FORMAT_SHIELD);
    CHECK_EQ(a->condition_code, b->condition_code);
    CHECK_BYTES(a->children, class->child_count, b->children, class->child_count);
    if (powered) CHECK_EQ(a->has_power, b->has_power);
    if (powered && a->has_power) CHECK_EQ(a->power_pct_code, b->power_pct_code);
    if (class->format == SB_FORMAT_SHIELD && !bare)
        CHECK_BYTES(a->facings, SB_FACINGS, b->facings, SB_FACINGS);
    if (class->format != SB_FORMAT_REACTOR) return;
    CHECK_EQ(a->main_battery_code, b->main_battery_code);
    CHECK_EQ(a->backup_battery_code, b->backup_battery_code);
}

/* Any number of entries with any power bits, including blocks that no sender writes. */
static void check_any_entries(sender *s)
{
    sb_message         sent = { .opcode = SB_OP_STATE_UPDATE };
    sb_message_context context = { .ship = s->ship, .layout = (uint8_t)s->layout };
    sb_state_update   *u = &sent.as.state_update;
    u->flags = flag_sets[sb_random_below(&s->random, FLAG_SETS)];
    u->start_index = s->cursor;
    u->entry_count = (uint8_t)(1 + sb_random_below(&s->random, s->ship->subsystem_count));
    for (size_t i = 0; i < u->entry_count; i++) {
        fill_entry(s, &u->entries[i]);
        u->entries[i].has_power = sb_random_below(&s->random, 2);
    }
    encode(s, &sent);
    CHECK_EQ(sb_decode_message((sb_span){ s->bytes, s->size }, &context, &message, NULL), SB_OK);
    CHECK_EQ(message.trailing.size, 0);
    CHECK_EQ(message.as.state_update.entry_count, u->entry_count);
    for (size_t i = 0; i < u->entry_count; i++) {
        size_t index = (s->cursor + i) % s->ship->subsystem_count;
        CHECK_EQ(message.as.state_update.entries[i].index, index);
        check_same_entry(&s->ship->subsystems[index], s->layout, &u->entries[i],
                         &message.as.state_update.entries[i]);
    }
}

static void check_many_entries(sender *s)
{
    for (int i = 0; i < 20; i++) check_any_entries(s);
}

TEST(any_state_of_any_ship_comes_back_in_either_layout)
{
    for_every_sender(RANDOM, check_many_entries);
}

TEST(random_updates_in_the_documented_layout_round_trip)
{
    static uint8_t     buffer[32768], bytes[32768], again[32768];
    const sb_ship_set *stock = sb_stock_ships();
    unsigned           made = 0;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        sb_message_context context = { .ship = &stock->ships[seed % stock->count],
                                       .layout = SB_SHIELD_DOCUMENTED };
        sb_random_source   random;
        size_t             size, again_size;
        sb_random_source_init(&random, seed, buffer, sizeof buffer);
        sb_source source = sb_random_source_of(&random);
        if (sb_build_message(0x1C, &context, &source, bytes, sizeof bytes, &size, NULL) != SB_OK)
            continue;
        made++;
        CHECK_EQ(sb_decode_message((sb_span){ bytes, size }, &context, &message, NULL), SB_OK);
        CHECK_EQ(sb_encode_message(&message, &context, again, sizeof again, &again_size), SB_OK);
        CHECK_BYTES(again, again_size, bytes, size);
    }
    CHECK(made > 500);
}

/* ---- one block ---- */

static sb_layout_fit fit_hex(const char *hex)
{
    uint8_t bytes[ROOM];
    size_t  size = test_hex(hex, bytes, sizeof bytes);
    return sb_fit_shield_layout(sb_find_ship(sb_stock_ships(), 1), (sb_span){ bytes, size });
}

TEST(captured_blocks_fit_the_stock_layout_only)
{
    /* spec 03 §13.2, and §4.4: an Akira from start 0 to its owner */
    CHECK_EQ(fit_hex("1C FF FF FF 3F 00 A0 1B 42 20 08 FF 60 FF FF FF FF FF FF FF FF FF FF FF FF"),
             SB_FIT_STOCK);
    CHECK_EQ(fit_hex(HEADER "20 00 FF FF 20 FF FF FF FF FF FF"), SB_FIT_STOCK);
}

TEST(a_block_without_the_shield_generator_fits_both)
{
    CHECK_EQ(fit_hex("1C FF FF FF 3F 66 66 70 42 3E 4C 65 00 1B 47 00 7F 00 00 00 7F F3 49 05 FF "
                     "FF FF FF FF FF FF FF FF 21 64"),
             SB_FIT_BOTH);
}

TEST(a_block_shares_the_group_byte_of_the_booleans_before_it)
{
    /* spec 03 §13.3: the byte at offset 22 holds has_hash and two power bits */
#define EXAMPLE_C(group, more)                                                                     \
    "1C FF FF FF 3F 00 00 70 42 3D 00 00 C9 42 00 00 A2 C1 00 00 40 40 " group                     \
    " 00 7F 00 00 00 7F F3 49 02 CC 4B FF F0 FF FF FF 80 7D" more
    CHECK_EQ(fit_hex(EXAMPLE_C("66", "")), SB_FIT_BOTH);
    CHECK_EQ(fit_hex(EXAMPLE_C("86", "")), SB_FIT_NEITHER); /* says there are four */
    CHECK_EQ(fit_hex(EXAMPLE_C("46", "")), SB_FIT_NEITHER); /* ... two */
    CHECK_EQ(fit_hex(EXAMPLE_C("62", "")), SB_FIT_NEITHER); /* one subsystem on, one off */
    CHECK_EQ(fit_hex(EXAMPLE_C("66", " FF")), SB_FIT_NEITHER);
}

TEST(a_block_that_no_sender_writes_fits_neither)
{
    CHECK_EQ(fit_hex(HEADER "20 00 FF FF 20 FF FF FF FF FF"), SB_FIT_NEITHER); /* a byte short */
    CHECK_EQ(fit_hex(HEADER "20 00 FF FF 20 FF FF FF FF FF FF FF"), SB_FIT_NEITHER);
    CHECK_EQ(fit_hex(HEADER "20 00 FF FF 30 FF FF FF FF FF FF"), SB_FIT_NEITHER); /* a stray bit */
    CHECK_EQ(fit_hex(HEADER "20 00 FF FF E0 FF FF FF FF FF FF"), SB_FIT_NEITHER);
    /* engineering with a percentage, the others without: to the owner or to others, not both */
    CHECK_EQ(fit_hex(HEADER "20 08 FF 61 64 FF FF FF FF FF FF FF FF FF FF FF FF"), SB_FIT_NEITHER);
    CHECK_EQ(fit_hex(HEADER "20 00"), SB_FIT_NEITHER);
    CHECK_EQ(fit_hex(HEADER "20"), SB_FIT_NEITHER);
    CHECK_EQ(fit_hex(HEADER "20 0B FF FF FF FF FF FF FF FF FF"), SB_FIT_NEITHER);
    CHECK_EQ(fit_hex(HEADER "20 FF FF FF FF FF FF FF FF FF FF"), SB_FIT_NEITHER);
}

TEST(messages_without_a_block_fit_nothing)
{
    sb_span block = { (const uint8_t *)"\x1C\xFF\xFF\xFF\x3F\0\0\0\0\x20\0\xFF", 12 };
    CHECK_EQ(fit_hex(HEADER "80 01 CC"), SB_FIT_NO_BLOCK);
    CHECK_EQ(fit_hex(HEADER "00"), SB_FIT_NO_BLOCK);
    CHECK_EQ(fit_hex("1C FF FF FF"), SB_FIT_NO_BLOCK);
    CHECK_EQ(fit_hex("2C 02 00 00 00 05 00 68 65 6C 6C 6F"), SB_FIT_NO_BLOCK);
    CHECK_EQ(sb_fit_shield_layout(NULL, block), SB_FIT_NO_BLOCK);
    CHECK_EQ(sb_fit_shield_layout(sb_find_ship(sb_stock_ships(), 1), (sb_span){ NULL, 0 }),
             SB_FIT_NO_BLOCK);
}

static void check_own_fit(sender *s)
{
    sb_layout_fit own = s->layout == SB_SHIELD_STOCK ? SB_FIT_STOCK : SB_FIT_DOCUMENTED;
    for (size_t i = 0; i < 8 * FLAG_SETS; i++) {
        sb_layout_fit fit = sb_fit_shield_layout(s->ship, send_block(s, flag_sets[i % FLAG_SETS]));
        if (fit != own && fit != SB_FIT_BOTH)
            FAIL("%s: a block of its own layout does not fit", s->ship->name);
        if (!s->shield) CHECK_EQ(fit, SB_FIT_BOTH);
    }
}

TEST(what_a_sender_writes_always_fits_its_own_layout)
{
    for (int kind = 0; kind < VALUE_KINDS; kind++) for_every_sender((values)kind, check_own_fit);
}

/* Each in a block of its own size: the address sanitizer finds reads behind its end. */
static void check_cut_blocks(sender *s)
{
    for (size_t i = 0; i < FLAG_SETS; i++) {
        sb_span whole = send_block(s, flag_sets[i]);
        for (size_t size = 0; size < whole.size; size++) {
            uint8_t *cut = malloc(size > 0 ? size : 1);
            CHECK(cut);
            memcpy(cut, whole.data, size);
            sb_layout_fit fit = sb_fit_shield_layout(s->ship, (sb_span){ cut, size });
            free(cut);
            CHECK(size >= 10 || fit == SB_FIT_NO_BLOCK);
            CHECK(size < 10 || fit != SB_FIT_NO_BLOCK);
        }
    }
}

TEST(a_block_that_is_cut_is_read_no_further)
{
    for_every_sender(RANDOM, check_cut_blocks);
}

/* Blocks with the shield generator that fit both layouts whatever the values are: as many bytes and
 * booleans either way. All others differ in size or by a group byte that no condition imitates
 * while the ship is intact. */
static const struct {
    uint8_t     species;
    bool        power;
    uint8_t     flags;
    const char *starts[SB_SHIELD_LAYOUTS];
} ambiguous[] = {
    { 1, 0, 0x3D, { "0", "0" } },     { 1, 0, 0x7D, { "0", "0" } },
    { 1, 0, 0x60, { "0", "0" } },     { 1, 1, 0x3D, { "1", "1" } },
    { 1, 1, 0x7D, { "1", "1" } },     { 1, 1, 0x60, { "1", "1" } },
    { 2, 0, 0x3D, { "0", "0" } },     { 2, 0, 0x7D, { "0", "0" } },
    { 2, 0, 0x60, { "0", "0" } },     { 2, 1, 0x3D, { "1", "1" } },
    { 2, 1, 0x7D, { "1", "1" } },     { 2, 1, 0x60, { "1", "1" } },
    { 4, 0, 0x3D, { "0", "0" } },     { 4, 0, 0x7D, { "0", "0" } },
    { 4, 0, 0x60, { "0", "0" } },     { 4, 1, 0x3D, { "1", "1" } },
    { 4, 1, 0x7D, { "1", "1" } },     { 4, 1, 0x60, { "1", "1" } },
    { 5, 0, 0x3D, { "0", "0" } },     { 5, 0, 0x7D, { "0", "0" } },
    { 5, 0, 0x60, { "0", "0" } },     { 5, 1, 0x3D, { "1", "1" } },
    { 5, 1, 0x7D, { "1", "1" } },     { 5, 1, 0x60, { "1", "1" } },
    { 37, 0, 0x3D, { "0", "0" } },    { 37, 0, 0x7D, { "0", "0" } },
    { 37, 0, 0x60, { "0", "0" } },    { 37, 1, 0x3D, { "1", "1" } },
    { 37, 1, 0x7D, { "1", "1" } },    { 37, 1, 0x60, { "1", "1" } },
    { 6, 0, 0x20, { "89", "89" } },   { 6, 0, 0x3E, { "89", "89" } },
    { 6, 0, 0x3D, { "789", "789" } }, { 6, 0, 0x7D, { "89", "89" } },
    { 6, 0, 0x60, { "789", "789" } }, { 6, 1, 0x20, { "9", "9" } },
    { 6, 1, 0x3E, { "9", "9" } },     { 6, 1, 0x3D, { "09", "09" } },
    { 6, 1, 0x7D, { "09", "09" } },   { 6, 1, 0x60, { "09", "09" } },
    { 14, 1, 0x7D, { "", "2" } },
};

static const char *known_ambiguous(const sb_ship_class *ship, bool power, uint8_t flags,
                                   sb_shield_layout layout)
{
    for (size_t i = 0; i < sizeof ambiguous / sizeof *ambiguous; i++)
        if (ambiguous[i].species == ship->species && ambiguous[i].power == power &&
            ambiguous[i].flags == flags)
            return ambiguous[i].starts[layout];
    return "";
}

/* True if every such block fits both layouts, with intact values and with many random ones. */
static bool is_always_ambiguous(const sender *like, uint8_t flags)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        sender s = start_sender(like->ship, like->layout, like->power, like->cursor,
                                seed == 0 ? INTACT : RANDOM, seed);
        if (sb_fit_shield_layout(s.ship, send_block(&s, flags)) != SB_FIT_BOTH) return false;
        if (!s.shield) return false;
    }
    return true;
}

static void check_ambiguity(sender *s)
{
    for (size_t i = 0; i < FLAG_SETS; i++) {
        const char *starts = known_ambiguous(s->ship, s->power, flag_sets[i], s->layout);
        bool        known = s->cursor < 10 && strchr(starts, '0' + s->cursor) != NULL;
        if (is_always_ambiguous(s, flag_sets[i]) != known)
            FAIL("%s, flags 0x%02X, power %d, layout %d, start %u: ambiguous is not %d",
                 s->ship->name, flag_sets[i], s->power, s->layout, s->cursor, known);
    }
}

TEST(the_blocks_that_fit_both_layouts_are_known)
{
    for_every_sender(INTACT, check_ambiguity);
}

/* ---- the verdict ---- */

static sb_layout_verdict verdict_of(sb_shield_layout layout)
{
    return layout == SB_SHIELD_STOCK ? SB_LAYOUT_STOCK : SB_LAYOUT_DOCUMENTED;
}

/* The largest number of blocks and cycles until the verdict, over all senders. */
static unsigned max_blocks, max_cycles_percent;

/* Checks that there is no wrong verdict at any time, and the right verdict after `blocks`. */
static void check_verdict(sender *s, unsigned blocks, unsigned offset, unsigned loss_percent)
{
    sb_layout_evidence e = { 0 };
    unsigned           number = 0;
    while (number < blocks && sb_layout_evidence_verdict(&e) == SB_LAYOUT_UNKNOWN) {
        sb_span block = send_block(s, flags_of(s, ++number + offset));
        CHECK_EQ(sb_layout_evidence_layout(&e), SB_SHIELD_STOCK);
        if (sb_random_below(&s->random, 100) < loss_percent) continue;
        (void)sb_layout_evidence_add(&e, s->ship, block);
    }
    if (sb_layout_evidence_verdict(&e) != verdict_of(s->layout))
        FAIL("%s, layout %d, power %d: %s after %u blocks", s->ship->name, s->layout, s->power,
             sb_layout_verdict_text(sb_layout_evidence_verdict(&e)), number);
    unsigned cycles_percent = 100 * s->entries / s->ship->subsystem_count;
    if (number > max_blocks) max_blocks = number;
    if (cycles_percent > max_cycles_percent) max_cycles_percent = cycles_percent;
    CHECK_EQ(sb_layout_evidence_layout(&e), s->layout);
}

static void check_new_lane(sender *s)
{
    if (s->cursor != 0) return;
    for (unsigned offset = 0; offset < 11; offset++) {
        sender again = *s;
        check_verdict(&again, 20, offset, 0);
    }
}

TEST(the_verdict_about_a_new_lane_takes_two_cycles)
{
    max_blocks = max_cycles_percent = 0;
    for_every_sender(INTACT, check_new_lane);
    CHECK(max_blocks <= 7);
    CHECK(max_cycles_percent <= 225); /* cycles do not end with a block */
}

static void check_any_lane(sender *s)
{
    for (unsigned offset = 0; offset < 11; offset++) {
        sender again = *s;
        sb_random_init(&again.random, offset);
        check_verdict(&again, 24, offset, 0);
    }
}

TEST(the_verdict_is_right_whatever_the_values_and_the_start_are)
{
    for (int kind = 0; kind < VALUE_KINDS; kind++) {
        max_blocks = max_cycles_percent = 0;
        for_every_sender((values)kind, check_any_lane);
        CHECK(max_blocks <= (kind == GROUPS_ALIKE ? 20 : 14));
    }
}

static void check_lossy_lane(sender *s)
{
    check_verdict(s, 400, 0, 30);
}

TEST(loss_delays_the_verdict_and_never_turns_it)
{
    for (int kind = 0; kind < VALUE_KINDS; kind++) for_every_sender((values)kind, check_lossy_lane);
}

/* From the first block on, the chosen layout is right, or EITHER where the block is ambiguous. */
static void check_reading(sender *s)
{
    sb_layout_evidence e = { 0 };
    for (unsigned number = 0; number < 40; number++) {
        sb_span       block = send_block(s, flags_of(s, number));
        sb_layout_fit fit = sb_fit_shield_layout(s->ship, block);
        uint8_t       layout = sb_layout_evidence_choose(&e, s->ship, block);
        bool          known = sb_layout_evidence_verdict(&e) != SB_LAYOUT_UNKNOWN;
        if (fit != SB_FIT_BOTH || known) CHECK_EQ(layout, s->layout);
        else CHECK_EQ(layout, SB_LAYOUT_EITHER);
    }
    CHECK(sb_layout_evidence_verdict(&e) == verdict_of(s->layout));
}

TEST(no_block_is_read_in_the_layout_that_it_is_not_in)
{
    for (int kind = 0; kind < VALUE_KINDS; kind++) for_every_sender((values)kind, check_reading);
}

TEST(what_fits_neither_layout_is_read_in_that_of_the_verdict)
{
    static const uint8_t neither[] = { 0x1C, 0xFF, 0xFF, 0xFF, 0x3F, 0, 0, 0, 0, 0x20, 0, 0xFF };
    sb_span              block = { neither, sizeof neither };
    const sb_ship_class *akira = sb_find_ship(sb_stock_ships(), 1);
    sb_layout_evidence   e = { 0 };
    CHECK_EQ(sb_fit_shield_layout(akira, block), SB_FIT_NEITHER);
    CHECK_EQ(sb_layout_evidence_choose(&e, akira, block), SB_SHIELD_STOCK);
    CHECK_EQ(sb_layout_evidence_choose(&e, NULL, block), SB_SHIELD_STOCK);
    e.verdict = SB_LAYOUT_DOCUMENTED;
    CHECK_EQ(sb_layout_evidence_choose(&e, akira, block), SB_SHIELD_DOCUMENTED);
}

TEST(blocks_that_fit_both_are_told_apart_by_what_follows_them)
{
    /* The lane of a Bird of Prey's owner: starts 4 and 8 for ever, nothing of which fits one only.
     */
    sender s =
        start_sender(sb_find_ship(sb_stock_ships(), 6), SB_SHIELD_DOCUMENTED, false, 4, INTACT, 1);
    sb_layout_evidence e = { 0 };
    for (int i = 0; i < 6; i++) (void)sb_layout_evidence_add(&e, s.ship, send_block(&s, 0x20));
    CHECK_EQ(sb_layout_evidence_verdict(&e), SB_LAYOUT_UNKNOWN);
    (void)sb_layout_evidence_add(&e, s.ship, send_block(&s, 0x20));
    CHECK_EQ(sb_layout_evidence_verdict(&e), SB_LAYOUT_DOCUMENTED);
    CHECK_EQ(e.fits[SB_FIT_BOTH], 7);
    CHECK_EQ(e.fits[SB_FIT_DOCUMENTED], 0);
}

TEST(what_follows_after_a_loss_tells_nothing)
{
    sender s =
        start_sender(sb_find_ship(sb_stock_ships(), 6), SB_SHIELD_DOCUMENTED, false, 8, INTACT, 1);
    sb_layout_evidence e = { 0 };
    for (int i = 0; i < 20; i++) {
        (void)sb_layout_evidence_add(&e, s.ship, send_block(&s, 0x20)); /* start 8 */
        s.game_time += 0.1f;
        (void)sb_layout_evidence_add(&e, s.ship, send_block(&s, 0x20)); /* start 4, late */
    }
    CHECK_EQ(e.run_count, 0);
    CHECK_EQ(sb_layout_evidence_verdict(&e), SB_LAYOUT_UNKNOWN);
}

TEST(what_came_before_is_no_successor)
{
    /* After start 8 the next is 4; at 2 a stock sender would go on, but this one is older. */
    const sb_ship_class *bird = sb_find_ship(sb_stock_ships(), 6);
    sender               late = start_sender(bird, SB_SHIELD_DOCUMENTED, false, 2, INTACT, 1);
    sender               s = start_sender(bird, SB_SHIELD_DOCUMENTED, false, 8, INTACT, 1);
    sb_layout_evidence   e = { 0 };
    s.game_time += 0.05f;
    (void)sb_layout_evidence_add(&e, bird, send_block(&s, 0x20));
    CHECK_EQ(e.open_count, 1);
    CHECK_EQ(sb_layout_evidence_add(&e, bird, send_block(&late, 0x20)), SB_FIT_BOTH);
    CHECK_EQ(e.run_count, 0);
}

TEST(old_ships_give_way_to_new_ones)
{
    const sb_ship_class *bird = sb_find_ship(sb_stock_ships(), 6);
    sb_layout_evidence   e = { 0 };
    for (unsigned i = 0; i < 3 * SB_LAYOUT_OPEN_MAX; i++) {
        sender  s = start_sender(bird, SB_SHIELD_DOCUMENTED, false, 8, INTACT, 1);
        sb_span block = send_block(&s, 0x20);
        s.bytes[1] = (uint8_t)i; /* of a ship that never sends another */
        (void)sb_layout_evidence_add(&e, bird, block);
        CHECK_EQ(e.open_count, i < SB_LAYOUT_OPEN_MAX ? i + 1 : SB_LAYOUT_OPEN_MAX);
    }
    sender s = start_sender(bird, SB_SHIELD_DOCUMENTED, false, 8, INTACT, 1);
    for (int i = 0; i < 2; i++) (void)sb_layout_evidence_add(&e, bird, send_block(&s, 0x20));
    CHECK_EQ(e.run_count, 1);
}

static unsigned add_until(sb_layout_evidence *e, sender *s, sb_layout_verdict wanted)
{
    unsigned count = 0;
    while (sb_layout_evidence_verdict(e) != wanted) {
        CHECK(++count < 100);
        (void)sb_layout_evidence_add(e, s->ship, send_block(s, 0x20));
    }
    return count;
}

TEST(a_sender_that_changes_its_layout_changes_the_verdict)
{
    const sb_ship_class *akira = sb_find_ship(sb_stock_ships(), 1);
    sender               stock = start_sender(akira, SB_SHIELD_STOCK, false, 0, RANDOM, 1);
    sender             documented = start_sender(akira, SB_SHIELD_DOCUMENTED, false, 0, RANDOM, 2);
    sb_layout_evidence e = { 0 };
    unsigned           first = add_until(&e, &stock, SB_LAYOUT_STOCK);
    for (int i = 0; i < 1000; i++)
        (void)sb_layout_evidence_add(&e, akira, send_block(&stock, 0x20));
    CHECK_EQ(sb_layout_evidence_verdict(&e), SB_LAYOUT_STOCK);
    unsigned changed = add_until(&e, &documented, SB_LAYOUT_DOCUMENTED);
    CHECK(changed > first); /* changing a verdict takes more evidence than the first one */
    CHECK(changed <= 16);
    CHECK(add_until(&e, &stock, SB_LAYOUT_STOCK) <= 16);
}

/* Blocks that fit only one layout alternate between the two layouts. */
TEST(a_sender_that_contradicts_itself_gets_no_verdict)
{
    const sb_ship_class *akira = sb_find_ship(sb_stock_ships(), 1);
    sb_layout_evidence   e = { 0 };
    for (unsigned i = 0; i < 50; i++) {
        sender s = start_sender(akira, (sb_shield_layout)(i & 1), false, 0, INTACT, i);
        (void)sb_layout_evidence_add(&e, akira, send_block(&s, 0x20));
    }
    CHECK_EQ(e.fits[SB_FIT_STOCK], 25);
    CHECK_EQ(e.fits[SB_FIT_DOCUMENTED], 25);
    CHECK_EQ(sb_layout_evidence_verdict(&e), SB_LAYOUT_UNKNOWN);
}

/* Spec 03 §17: a sender may start its next block at any entry. */
static void check_jumping_lane(sender *s)
{
    sb_layout_evidence e = { 0 };
    for (unsigned i = 0; i < 100; i++) {
        if (sb_random_below(&s->random, 4) == 0)
            s->cursor = (uint8_t)sb_random_below(&s->random, s->ship->subsystem_count);
        (void)sb_layout_evidence_add(&e, s->ship, send_block(s, flags_of(s, i)));
        sb_layout_verdict verdict = sb_layout_evidence_verdict(&e);
        CHECK(verdict == verdict_of(s->layout) || verdict == SB_LAYOUT_UNKNOWN);
    }
    CHECK_EQ(sb_layout_evidence_verdict(&e), verdict_of(s->layout));
}

TEST(a_sender_that_jumps_to_damaged_entries_is_recognised)
{
    for (int kind = 0; kind < VALUE_KINDS; kind++)
        for_every_sender((values)kind, check_jumping_lane);
}

/* A mod may have given the species another list. */
TEST(a_wrong_list_of_subsystems_leads_to_no_wrong_verdict)
{
    const sb_ship_set *stock = sb_stock_ships();
    for (size_t i = 0; i < 17 * 17 * 4; i++) {
        const sb_ship_class *sent = &stock->ships[i % 17], *read = &stock->ships[i / 17 % 17];
        sb_shield_layout     layout = (sb_shield_layout)(i / 289 & 1);
        sender               s = start_sender(sent, layout, i / 578 & 1, 0, RANDOM, i);
        sb_layout_evidence   e = { 0 };
        for (unsigned k = 0; k < 100; k++)
            (void)sb_layout_evidence_add(&e, read, send_block(&s, flags_of(&s, k)));
        sb_layout_verdict verdict = sb_layout_evidence_verdict(&e);
        if (verdict != verdict_of(layout) && verdict != SB_LAYOUT_UNKNOWN)
            FAIL("%s read as %s: %s", sent->name, read->name, sb_layout_verdict_text(verdict));
    }
}

TEST(only_blocks_count_and_many_ships_do_no_harm)
{
    const sb_ship_set *stock = sb_stock_ships();
    sb_layout_evidence e = { 0 };
    static sender      lanes[17];
    for (size_t i = 0; i < 17; i++)
        lanes[i] = start_sender(&stock->ships[i], SB_SHIELD_DOCUMENTED, true, 0, RANDOM, i);
    for (unsigned round = 0; round < 20; round++)
        for (size_t i = 0; i < 17; i++) {
            sb_span block = send_block(&lanes[i], 0x3E);
            lanes[i].bytes[1] = (uint8_t)i; /* another ship */
            (void)sb_layout_evidence_add(&e, lanes[i].ship, block);
            (void)sb_layout_evidence_add(&e, lanes[i].ship, (sb_span){ block.data, 9 });
            CHECK(e.open_count <= SB_LAYOUT_OPEN_MAX);
        }
    CHECK_EQ(sb_layout_evidence_verdict(&e), SB_LAYOUT_DOCUMENTED);
    CHECK_EQ(e.fits[SB_FIT_STOCK] + e.fits[SB_FIT_NEITHER] + e.fits[SB_FIT_NO_BLOCK], 0);
    CHECK_EQ(e.fits[SB_FIT_DOCUMENTED] + e.fits[SB_FIT_BOTH], 20 * 17);
}

TEST(a_block_of_one_layout_is_read_in_it_whatever_the_verdict_is)
{
    const sb_ship_class *akira = sb_find_ship(sb_stock_ships(), 1);
    for (int layout = 0; layout < SB_SHIELD_LAYOUTS; layout++) {
        sender             s = start_sender(akira, (sb_shield_layout)layout, false, 0, INTACT, 1);
        sb_layout_evidence e = { 0 };
        e.verdict = layout == SB_SHIELD_STOCK ? SB_LAYOUT_DOCUMENTED : SB_LAYOUT_STOCK;
        CHECK_EQ(sb_layout_evidence_choose(&e, akira, send_block(&s, 0x20)), layout);
        CHECK_EQ(sb_layout_evidence_layout(&e), !layout);
    }
}

/* Adds blocks of an Akira that fit one layout only. */
static void add_blocks(sb_layout_evidence *e, sb_shield_layout layout, unsigned count)
{
    const sb_ship_class *akira = sb_find_ship(sb_stock_ships(), 1);
    for (unsigned i = 0; i < count; i++) {
        sender        s = start_sender(akira, layout, false, 0, INTACT, i);
        sb_layout_fit own = layout == SB_SHIELD_STOCK ? SB_FIT_STOCK : SB_FIT_DOCUMENTED;
        CHECK_EQ(sb_layout_evidence_add(e, akira, send_block(&s, 0x20)), own);
    }
}

static void add_blocks_of_no_layout(sb_layout_evidence *e, unsigned count)
{
    static const uint8_t neither[] = { 0x1C, 0xFF, 0xFF, 0xFF, 0x3F, 0, 0, 0, 0, 0x20, 0, 0xFF };
    const sb_ship_class *akira = sb_find_ship(sb_stock_ships(), 1);
    for (unsigned i = 0; i < count; i++)
        CHECK_EQ(sb_layout_evidence_add(e, akira, (sb_span){ neither, sizeof neither }),
                 SB_FIT_NEITHER);
}

TEST(three_blocks_settle_a_verdict_and_six_overturn_it)
{
    sb_layout_evidence e = { 0 };
    add_blocks(&e, SB_SHIELD_STOCK, 2);
    CHECK_EQ(sb_layout_evidence_verdict(&e), SB_LAYOUT_UNKNOWN);
    add_blocks(&e, SB_SHIELD_STOCK, 1);
    CHECK_EQ(sb_layout_evidence_verdict(&e), SB_LAYOUT_STOCK);
    add_blocks(&e, SB_SHIELD_DOCUMENTED, 5);
    CHECK_EQ(sb_layout_evidence_verdict(&e), SB_LAYOUT_STOCK);
    add_blocks(&e, SB_SHIELD_DOCUMENTED, 1);
    CHECK_EQ(sb_layout_evidence_verdict(&e), SB_LAYOUT_DOCUMENTED);
    add_blocks(&e, SB_SHIELD_DOCUMENTED, 300);
    CHECK_EQ(e.run_count, SB_LAYOUT_OVERTURNS);
}

TEST(a_block_of_no_layout_takes_back_one_piece_of_evidence)
{
    sb_layout_evidence e = { 0 };
    add_blocks_of_no_layout(&e, 2); /* there is nothing to take back */
    add_blocks(&e, SB_SHIELD_DOCUMENTED, 2);
    CHECK_EQ(e.run_count, 2);
    add_blocks_of_no_layout(&e, 1);
    CHECK_EQ(e.run_count, 1);
    add_blocks(&e, SB_SHIELD_DOCUMENTED, 1);
    CHECK_EQ(sb_layout_evidence_verdict(&e), SB_LAYOUT_UNKNOWN);
    add_blocks(&e, SB_SHIELD_DOCUMENTED, 1);
    CHECK_EQ(sb_layout_evidence_verdict(&e), SB_LAYOUT_DOCUMENTED);
    CHECK_EQ(e.fits[SB_FIT_NEITHER], 3);
}

TEST(the_numbers_of_blocks_saturate)
{
    sb_layout_evidence e = { 0 };
    e.fits[SB_FIT_STOCK] = UINT32_MAX - 1;
    add_blocks(&e, SB_SHIELD_STOCK, 1);
    CHECK_EQ(e.fits[SB_FIT_STOCK], UINT32_MAX);
    add_blocks(&e, SB_SHIELD_STOCK, 1);
    CHECK_EQ(e.fits[SB_FIT_STOCK], UINT32_MAX);
}

/* The start index of a Bird of Prey's next block decides: nothing else differs. */
static unsigned evidence_after(float seconds)
{
    sender s =
        start_sender(sb_find_ship(sb_stock_ships(), 6), SB_SHIELD_DOCUMENTED, false, 8, INTACT, 1);
    sb_layout_evidence e = { 0 };
    s.game_time = -0.1f; /* of the first block: 0 */
    (void)sb_layout_evidence_add(&e, s.ship, send_block(&s, 0x20));
    s.game_time = seconds - 0.1f;
    sb_span block = send_block(&s, 0x20);
    sb_store_u32(s.bytes + 5, sb_float_bits(seconds)); /* exactly */
    (void)sb_layout_evidence_add(&e, s.ship, block);
    return e.run_count;
}

TEST(a_successor_follows_within_0_15_seconds)
{
    CHECK_EQ(evidence_after(0.0f), 0); /* a duplicate */
    CHECK_EQ(evidence_after(0.001f), 1);
    CHECK_EQ(evidence_after(0.1f), 1);
    CHECK_EQ(evidence_after(0.149f), 1);
    CHECK_EQ(evidence_after(0.15f), 0);
    CHECK_EQ(evidence_after(0.2f), 0);
}

/* Each ship of the sender has its own predecessor. */
TEST(blocks_of_different_ships_do_not_follow_each_other)
{
    const sb_ship_class *bird = sb_find_ship(sb_stock_ships(), 6);
    sender               first = start_sender(bird, SB_SHIELD_DOCUMENTED, false, 8, INTACT, 1);
    sender               second = start_sender(bird, SB_SHIELD_DOCUMENTED, false, 8, INTACT, 1);
    sb_layout_evidence   e = { 0 };
    for (unsigned i = 0; i < 2; i++) {
        (void)sb_layout_evidence_add(&e, bird, send_block(&first, 0x20));
        sb_span block = send_block(&second, 0x20);
        second.bytes[1] = 7;
        (void)sb_layout_evidence_add(&e, bird, block);
        CHECK_EQ(e.run_count, 2 * i);
    }
    CHECK_EQ(e.fits[SB_FIT_BOTH], 4);
}

TEST(layouts_have_words)
{
    sb_shield_layout layout = SB_SHIELD_DOCUMENTED;
    CHECK(sb_find_shield_layout("stock", &layout));
    CHECK_EQ(layout, SB_SHIELD_STOCK);
    CHECK(sb_find_shield_layout("documented", &layout));
    CHECK_EQ(layout, SB_SHIELD_DOCUMENTED);
    CHECK(!sb_find_shield_layout("auto", &layout));
    CHECK_TEXT(sb_layout_verdict_text(SB_LAYOUT_UNKNOWN), "unknown");
    CHECK_TEXT(sb_layout_verdict_text(SB_LAYOUT_STOCK), "stock");
    CHECK_TEXT(sb_layout_verdict_text(SB_LAYOUT_DOCUMENTED), "documented");
}
