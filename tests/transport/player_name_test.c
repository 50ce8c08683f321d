/* tests/transport/player_name_test.c -- names of players, cleaned.
 *
 * For:      src/transport/player_name.c.
 * Spec:     01 §10.3; 12 #6.
 */
#include "rig.h"

#include "transport/player_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(names_are_cleaned_before_anybody_sees_them)
{
    static const struct {
        const char *hex, *cleaned; /* UTF-16LE in hex */
    } cases[] = {
        { "4B 00 00 00", "4B 00" },
        { "4B 00", "4B 00" },                         /* no terminator */
        { "4B 00 6C", "4B 00" },                      /* half a unit at the end */
        { "4B 00 00 00 58 00 00 00", "4B 00" },       /* text after the terminator */
        { "3D D8 00 DE 00 00", "3D D8 00 DE" },       /* a surrogate pair stays */
        { "41 00 3D D8 42 00 00 00", "41 00 42 00" }, /* a high surrogate alone */
        { "41 00 00 DE 42 00 00 00", "41 00 42 00" }, /* a low surrogate alone */
        { "00 DE 3D D8 4B 00 00 00", "4B 00" },       /* a pair in the wrong order */
        { "4B 00 3D D8", "4B 00" },                   /* a pair cut off at the end */
        { "3D D8 3D D8 00 DE 00 00", "3D D8 00 DE" },
        { "01 00 41 00 1F 00 0A 00 42 00 7F 00 00 00", "41 00 42 00" },
        { "5C 00 41 00 5C 00 42 00 00 00", "2F 00 41 00 2F 00 42 00" }, /* backslash: 12 #7 */
        { "41 00 80 00 9F 00 42 00 00 00", "41 00 42 00" },             /* C1 control characters */
        { "20 00 20 00 41 00 20 00 42 00 20 00 00 00",
          "41 00 20 00 42 00" }, /* outer spaces: spec 12 #6 */
        { "20 00 20 00 00 00", "50 00 6C 00 61 00 79 00 65 00 72 00 20 00 31 00" },
        { "00 00", "50 00 6C 00 61 00 79 00 65 00 72 00 20 00 31 00" },
        { "", "50 00 6C 00 61 00 79 00 65 00 72 00 20 00 31 00" },
        { "20 00 07 00 00 00", "50 00 6C 00 61 00 79 00 65 00 72 00 20 00 31 00" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t name[64], cleaned[64];
        size_t  size = test_hex(cases[i].hex, name, sizeof name);
        size_t  expected = test_hex(cases[i].cleaned, cleaned, sizeof cleaned);
        rig    *r = rig_host_with(2, NULL);
        rig_give_name(r, rig_endpoint(1), 2, 1, (sb_span){ name, size });
        const rig_event *e = rig_next_event(r);
        CHECK(e && e->event.type == SB_EVENT_NAMED);
        CHECK_BYTES(e->event.bytes.data, e->event.bytes.size, cleaned, expected);
        rig_step(r);
        const rig_sent      *copy = rig_next_sent_to(r, rig_endpoint(2));
        sb_transport_message m;
        CHECK(copy && rig_message(copy, 0, &m));
        CHECK_EQ(m.payload.size, 5 + expected + 2); /* the copy has a terminator */
        CHECK_BYTES(m.payload.data + 5, expected, cleaned, expected);
        CHECK_BYTES(m.payload.data + 5 + expected, 2, "\0", 2);
    }
}

TEST(names_are_cut_to_31_units_and_never_through_a_pair)
{
    for (unsigned units = 29; units <= 64; units++) {
        rig    *r = rig_host_with(1, NULL);
        uint8_t name[2 * 64 + 2] = { 0 };
        for (size_t i = 0; i < units; i++) name[2 * i] = (uint8_t)('A' + i % 26);
        rig_give_name(r, rig_endpoint(1), 2, 1, (sb_span){ name, 2 * units + 2u });
        const rig_event *e = rig_next_event(r);
        CHECK(e && e->event.type == SB_EVENT_NAMED);
        CHECK_EQ(e->event.bytes.size, 2 * (units < 31 ? units : 31));
        CHECK(memcmp(e->event.bytes.data, name, e->event.bytes.size) == 0);
    }
    rig    *r = rig_host_with(1, NULL);
    uint8_t name[2 * 40 + 2] = { 0 };
    for (size_t i = 0; i < 30; i++) name[2 * i] = 'A';
    memcpy(name + 60, "\x3D\xD8\x00\xDE", 4); /* units 30 and 31 */
    rig_give_name(r, rig_endpoint(1), 2, 1, (sb_span){ name, sizeof name });
    const rig_event *e = rig_next_event(r);
    CHECK(e && e->event.bytes.size == 60);
}

/* ---- the function alone ---- */

static sb_span cleaned(sb_player_name *name, const uint16_t *units, size_t count, uint8_t id)
{
    uint8_t bytes[128];
    for (size_t i = 0; i < count; i++) {
        bytes[2 * i] = (uint8_t)units[i];
        bytes[2 * i + 1] = (uint8_t)(units[i] >> 8);
    }
    sb_player_name_clean(name, (sb_span){ bytes, 2 * count }, id);
    return sb_player_name_text(name);
}

TEST(controls_vanish_from_names_and_their_neighbours_stay)
{
    for (unsigned unit = 1; unit < 0x120; unit++) {
        sb_player_name name;
        uint16_t       units[] = { 'A', (uint16_t)unit, 'B' };
        bool           control = unit < 0x20 || (unit > 0x7E && unit < 0xA0);
        sb_span        text = cleaned(&name, units, 3, 2);
        CHECK_EQ(text.size, control ? 4 : 6);
        if (!control) CHECK_EQ(text.data[2] | text.data[3] << 8, unit == '\\' ? '/' : unit);
    }
}

/* The first and the last high and low surrogate, and the units beside them. */
TEST(only_surrogates_of_a_pair_are_kept)
{
    static const struct {
        uint16_t first, second;
        unsigned kept;
    } cases[] = { { 0xD800, 0xDC00, 2 }, { 0xDBFF, 0xDFFF, 2 }, { 0xD7FF, 0xE000, 2 },
                  { 0xD800, 0xDBFF, 0 }, { 0xDBFF, 0xE000, 1 }, { 0xDC00, 0xDC00, 0 },
                  { 0xD7FF, 0xDC00, 1 }, { 0xDFFF, 0xD800, 0 }, { 0xD800, 0xD7FF, 1 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_player_name name;
        uint16_t       units[] = { 'A', cases[i].first, cases[i].second, 'B' };
        CHECK_EQ(cleaned(&name, units, 4, 2).size, 4 + 2 * cases[i].kept);
    }
}

TEST(a_player_without_a_name_is_called_by_the_number_of_the_id)
{
    for (unsigned id = 1; id < SB_PEER_NONE; id++) {
        sb_player_name name;
        char           expected[16], text[16] = "";
        sb_span        units = cleaned(&name, NULL, 0, (uint8_t)id);
        for (size_t i = 0; i < units.size; i += 2) text[i / 2] = (char)units.data[i];
        (void)snprintf(expected, sizeof expected, "Player %u", id - 1);
        CHECK_TEXT(text, expected);
    }
}

TEST(a_blank_name_stays_empty_until_the_id_is_known)
{
    static const uint16_t blank[] = { ' ', '\t', ' ' }, one[] = { ' ', 'Q' };
    sb_player_name        name;
    CHECK_EQ(cleaned(&name, blank, 3, SB_PEER_NONE).size, 0);
    CHECK_EQ(name.size, 0);
    CHECK_EQ(cleaned(&name, one, 2, SB_PEER_NONE).size, 2);
    CHECK_EQ(name.size, 4);
}

/* Nothing behind the text is read: it has exactly its bytes in memory of its own. */
TEST(a_pair_at_the_end_of_a_name_is_kept_if_it_is_whole)
{
    for (size_t size = 0; size <= 6; size++) {
        sb_player_name name;
        uint8_t       *text = malloc(size ? size : 1);
        CHECK(text != NULL);
        if (size > 0) memcpy(text, "\x41\x00\x3D\xD8\x00\xDE", size);
        sb_player_name_clean(&name, (sb_span){ text, size }, 2);
        CHECK_EQ(sb_player_name_text(&name).size, size < 2 ? 16 : size < 6 ? 2 : 6);
        free(text);
    }
}

TEST(a_name_of_31_units_ends_with_its_terminator)
{
    sb_player_name name;
    uint16_t       units[33];
    for (size_t i = 0; i < 33; i++) units[i] = i < 30 ? 'A' : ' ';
    CHECK_EQ(cleaned(&name, units, 33, 2).size, 60); /* the spaces at the end went */
    CHECK_BYTES(name.bytes + 60, 2, "\0", 2);
    units[30] = units[31] = 'B';
    CHECK_EQ(cleaned(&name, units, 33, 2).size, 62);
    CHECK_EQ(name.size, 64);
    CHECK_BYTES(name.bytes + 60, 4, "B\0\0", 4);
    units[30] = 0xD83D, units[31] = 0xDE00, units[32] = 'C'; /* a pair does not fit */
    CHECK_EQ(cleaned(&name, units, 33, 2).size, 60);         /* and nothing follows it */
}
