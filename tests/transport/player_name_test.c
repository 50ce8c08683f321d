/* tests/transport/player_name_test.c -- names of players, cleaned.
 *
 * For:      src/transport/player_name.c.
 * Spec:     01 §10.3; 12 #6.
 */
#include "rig.h"

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
