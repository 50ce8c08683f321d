/* tests/client/ship_events_rules_test.c -- which ship and which part an event is about, and which
 * events change nothing. */
#include "client_rig.h"

#include <starbase/message.h>

#include "client/client_internal.h"

#include <string.h>

static const sb_span no_bytes = { NULL, 0 };

/* A class of four entries; only the second one and its children have ids in the data. */
static const sb_subsystem_class parts[] = {
    { .type = SB_SUBSYSTEM_REPAIR, .creation_index = -1 },
    { .type = SB_SUBSYSTEM_PHASER_SYSTEM, .creation_index = 1, .child_count = 2 },
    { .type = SB_SUBSYSTEM_TORPEDO_SYSTEM, .creation_index = -1 },
    { .type = SB_SUBSYSTEM_CLOAK, .creation_index = -1 },
};
static const sb_subsystem_class children[] = { { .creation_index = 2 }, { .creation_index = 3 } };
static sb_ship_class            model = {
               .subsystems = parts, .children = children, .subsystem_count = 4, .child_count = 2
};

enum {
    OTHER = 0x4003FFFF,
    REPAIR = OTHER + 1,
    BEAMS = OTHER + 2,
    BANK = OTHER + 3,
    TUBES = OTHER + 5,
    CLOAK = OTHER + 6,
    IDS = 7,
    LAST = SB_CLIENT_SHIPS - 1,
};

static client_rig *r;

static sb_seen_ship *put(unsigned row, uint32_t id)
{
    sb_seen_ship *s = &r->client->rows[row];
    memset(s, 0, sizeof *s);
    s->used = true;
    s->peer_id = 3;
    sb_ship_init(&s->ship, &model, 200, id);
    sb_receiver_init(&s->receiver, SB_RECEIVE_OTHER, &s->ship, r->now);
    return s;
}

static sb_seen_ship *open_with(unsigned row)
{
    r = client_rig_in_lobby(NULL);
    model.can_cloak = true;
    model.repair_teams = 2;
    return put(row, OTHER);
}

typedef sb_result (*handler)(sb_client *c, const sb_message *m, sb_span bytes);

static sb_result say(handler handle, uint8_t opcode, sb_event event)
{
    sb_message m = { .opcode = opcode };
    m.as.event = event;
    return handle(r->client, &m, no_bytes);
}

static sb_result start(uint32_t part, uint32_t target)
{
    return say(
        sb_client_handle_start_firing, SB_OP_START_FIRING,
        (sb_event){ .event_class = SB_EVENT_START_FIRING, .destination = part, .target = target });
}

/* ---- whose part ---- */

TEST(an_event_belongs_to_the_ship_with_this_range_of_ids)
{
    static const struct {
        uint32_t part;
        bool     reported; /* as fired by the ship */
        int      entry;    /* that fires; -1: none */
    } cases[] = {
        { OTHER - 1, false, -1 }, { OTHER, true, -1 },        { REPAIR, true, 0 },
        { BEAMS, true, 1 },       { BANK, true, -1 },         { TUBES, true, 2 },
        { CLOAK, true, 3 },       { OTHER + IDS, false, -1 }, { OTHER + 4, true, -1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned row = 0; row < SB_CLIENT_SHIPS; row += LAST) {
            sb_seen_ship *s = open_with(row);
            CHECK_EQ(start(cases[i].part, 77), SB_OK);
            for (int k = 0; k < SB_SUBSYSTEMS_MAX; k++) {
                if (s->firing[k] != (k == cases[i].entry)) FAIL("case %zu, entry %d", i, k);
                CHECK_EQ(s->firing_at[k], k == cases[i].entry ? 77 : 0);
            }
            if (!cases[i].reported) {
                EXPECT_NOTHING(r);
                continue;
            }
            const client_reported *told = EXPECT_EVENT(r, SB_CLIENT_FIRED);
            CHECK_EQ(told->event.object_id, OTHER);
            CHECK_EQ(told->event.peer_id, 3);
            CHECK_EQ(told->event.value, SB_OP_START_FIRING);
            CHECK_EQ(told->event.target, 77);
        }
}

TEST(where_ranges_overlap_the_nearest_id_below_counts)
{
    for (int order = 0; order < 2; order++) {
        sb_seen_ship *first = open_with(order ? 5 : 9);
        sb_seen_ship *second = put(order ? 9 : 5, OTHER + 3);
        CHECK_EQ(start(OTHER + 4, 0), SB_OK); /* the first entry of the second ship */
        CHECK(second->firing[0]);
        CHECK(!first->firing[0] && !first->firing[1]);
        second->used = second->firing[0] = false;
        CHECK_EQ(start(OTHER + 4, 0), SB_OK); /* a row that is not used is nobody's */
        CHECK(!second->firing[0]);
        CHECK_EQ(start(BEAMS, 0), SB_OK);
        CHECK(first->firing[1]);
    }
}

TEST(a_ship_of_an_unknown_class_fires_but_nobody_knows_what)
{
    sb_seen_ship *s = open_with(0);
    s->ship.model = NULL;
    CHECK_EQ(start(OTHER + 63, 5), SB_OK);
    EXPECT_EVENT(r, SB_CLIENT_FIRED);
    CHECK_EQ(start(OTHER + 64, 5), SB_OK);
    EXPECT_NOTHING(r);
    for (int k = 0; k < SB_SUBSYSTEMS_MAX; k++) CHECK(!s->firing[k]);
}

TEST(echoes_of_our_own_events_are_ignored)
{
    r = client_rig_flying(NULL, 5);
    const sb_seen_ship *own = sb_client_own_ship(r->client);
    uint32_t            id = own->ship.object_id;
    CHECK_EQ(start(id + 1, 7), SB_OK);
    EXPECT_NOTHING(r);
    CHECK_EQ(say(sb_client_handle_cloaking, SB_OP_START_CLOAKING, (sb_event){ .destination = id }),
             SB_OK);
    CHECK(!own->ship.cloaked);
}

/* ---- firing ---- */

TEST(a_wreck_is_reported_to_fire_but_does_not)
{
    sb_seen_ship *s = open_with(0);
    s->exploding = true;
    s->gone_at = r->now + SB_SECOND;
    CHECK_EQ(start(BEAMS, 77), SB_OK);
    CHECK(!s->firing[1]);
    EXPECT_EVENT(r, SB_CLIENT_FIRED);
}

TEST(an_event_of_another_class_names_no_target)
{
    sb_seen_ship *s = open_with(0);
    CHECK_EQ(say(sb_client_handle_start_firing, SB_OP_START_FIRING,
                 (sb_event){ .event_class = SB_EVENT_BOOL, .destination = BEAMS, .target = 77 }),
             SB_OK);
    CHECK(s->firing[1]);
    CHECK_EQ(s->firing_at[1], 0);
    CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_FIRED)->event.target, 0);
}

TEST(firing_stops_for_its_target_or_for_any)
{
    static const struct {
        uint32_t part, event_class, named, fires_at;
        bool     stops;
    } cases[] = {
        { BEAMS, SB_EVENT_OBJECT_POINTER, 77, 77, true },
        { BEAMS, SB_EVENT_OBJECT_POINTER, 78, 77, false },
        { BEAMS, SB_EVENT_OBJECT_POINTER, 0, 77, true },
        { BEAMS, SB_EVENT_OBJECT_POINTER, 78, 0, true },
        { BEAMS, SB_EVENT_OBJECT_POINTER, 1, 77, false },
        { BEAMS, SB_EVENT_OBJECT_POINTER, 78, 1, false },
        { BEAMS, SB_EVENT_PLAIN, 78, 77, true },
        { TUBES, SB_EVENT_PLAIN, 0, 77, false },
        { BANK, SB_EVENT_PLAIN, 0, 77, false },
        { OTHER + IDS, SB_EVENT_PLAIN, 0, 77, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_seen_ship *s = open_with(0);
        s->firing[1] = true;
        s->firing_at[1] = cases[i].fires_at;
        CHECK_EQ(say(sb_client_handle_stop_firing, SB_OP_STOP_FIRING,
                     (sb_event){ .event_class = cases[i].event_class,
                                 .destination = cases[i].part,
                                 .third = cases[i].named }),
                 SB_OK);
        if (s->firing[1] == cases[i].stops) FAIL("case %zu", i);
    }
}

TEST(shots_of_ships_that_are_not_known_are_ignored)
{
    open_with(0);
    for (int known = 0; known < 2; known++) {
        sb_message m = { .opcode = SB_OP_TORPEDO_FIRE };
        m.as.torpedo_fire.tube = known ? TUBES : OTHER + IDS;
        m.as.torpedo_fire.target = 9;
        CHECK_EQ(sb_client_handle_torpedo(r->client, &m, no_bytes), SB_OK);
        CHECK_EQ(client_rig_count_events(r, SB_CLIENT_FIRED), 2 * known + (known ? -1 : 0));
        m = (sb_message){ .opcode = SB_OP_PULSE_FIRE };
        m.as.pulse_fire.weapon = known ? BANK : OTHER + IDS;
        m.as.pulse_fire.target = 8;
        CHECK_EQ(sb_client_handle_pulse(r->client, &m, no_bytes), SB_OK);
        CHECK_EQ(client_rig_count_events(r, SB_CLIENT_FIRED), 2 * known);
    }
    const client_reported *told = EXPECT_EVENT(r, SB_CLIENT_FIRED);
    CHECK_EQ(told->event.value, SB_OP_TORPEDO_FIRE);
    CHECK_EQ(told->event.target, 9);
    told = EXPECT_EVENT(r, SB_CLIENT_FIRED);
    CHECK_EQ(told->event.value, SB_OP_PULSE_FIRE);
    CHECK_EQ(told->event.target, 8);
    CHECK_EQ(told->event.peer_id, 3);
}

/* ---- switches ---- */

TEST(a_status_switches_an_entry_and_the_cloak)
{
    static const struct {
        uint32_t event_class, part;
        uint8_t  value;
        int      entry; /* that is switched; -1: none */
    } cases[] = {
        { SB_EVENT_BOOL, BEAMS, 0, 1 },        { SB_EVENT_BOOL, CLOAK, 1, 3 },
        { SB_EVENT_CHAR, BEAMS, 0, -1 },       { SB_EVENT_BOOL, BANK, 0, -1 },
        { SB_EVENT_BOOL, OTHER + IDS, 0, -1 }, { SB_EVENT_BOOL, REPAIR, 0, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_seen_ship *s = open_with(0);
        CHECK_EQ(say(sb_client_handle_status, SB_OP_SUBSYSTEM_STATUS,
                     (sb_event){ .event_class = cases[i].event_class,
                                 .destination = cases[i].part,
                                 .value = cases[i].value }),
                 SB_OK);
        for (int k = 0; k < 4; k++)
            CHECK_EQ(s->ship.on[k], k == cases[i].entry ? cases[i].value != 0 : k != 3);
        CHECK_EQ(s->ship.cloaked, cases[i].entry == 3);
        if (!s->ship.cloaked) continue;
        CHECK_EQ(say(sb_client_handle_status, SB_OP_SUBSYSTEM_STATUS,
                     (sb_event){ .event_class = SB_EVENT_BOOL, .destination = CLOAK }),
                 SB_OK);
        CHECK(!s->ship.cloaked && !s->ship.on[3]);
    }
}

TEST(the_cloak_events_of_mods_count_for_ships_that_can_cloak)
{
    enum { FINE, UNKNOWN_SHIP, UNKNOWN_CLASS, CANNOT, KINDS };
    for (int kind = 0; kind < KINDS; kind++) {
        sb_seen_ship  *s = open_with(0);
        const sb_event e = { .destination = kind == UNKNOWN_SHIP ? OTHER + IDS : OTHER };
        model.can_cloak = kind != CANNOT;
        if (kind == UNKNOWN_CLASS) s->ship.model = NULL;
        CHECK_EQ(say(sb_client_handle_cloaking, SB_OP_START_CLOAKING, e), SB_OK);
        CHECK_EQ(s->ship.cloaked, kind == FINE);
        CHECK_EQ(say(sb_client_handle_cloaking, SB_OP_STOP_CLOAKING, e), SB_OK);
        CHECK(!s->ship.cloaked);
    }
}

TEST(settings_of_weapons_are_kept_within_their_range)
{
    static const struct {
        uint8_t   opcode, value;
        uint32_t  event_class, part;
        sb_result result;
        int       entry; /* whose setting changes; -1: none */
    } cases[] = {
        { SB_OP_PHASER_LEVEL, 2, SB_EVENT_CHAR, BEAMS, SB_OK, 1 },
        { SB_OP_PHASER_LEVEL, 3, SB_EVENT_CHAR, BEAMS, SB_BAD_VALUE, -1 },
        { SB_OP_TORPEDO_TYPE, 3, SB_EVENT_CHAR, TUBES, SB_OK, 2 },
        { SB_OP_PHASER_LEVEL, 2, SB_EVENT_BOOL, BEAMS, SB_OK, -1 },
        { SB_OP_PHASER_LEVEL, 2, SB_EVENT_CHAR, BANK, SB_OK, -1 },
        { SB_OP_PHASER_LEVEL, 3, SB_EVENT_CHAR, OTHER + IDS, SB_OK, -1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_seen_ship *s = open_with(0);
        memset(s->ship.setting, 7, sizeof s->ship.setting);
        CHECK_EQ(say(sb_client_handle_setting, cases[i].opcode,
                     (sb_event){ .event_class = cases[i].event_class,
                                 .destination = cases[i].part,
                                 .value = cases[i].value }),
                 cases[i].result);
        for (int k = 0; k < 4; k++)
            CHECK_EQ(s->ship.setting[k], k == cases[i].entry ? cases[i].value : 7);
    }
}

/* ---- warps ---- */

TEST(spec_07_7_a_warp_lasts_its_time_and_ten_seconds_and_a_half)
{
    static const struct {
        float   speed;
        sb_time lasts;
    } cases[] = { { 9.5f, 20000000 }, { 0, 15500000 },     { -1, 15500000 },
                  { 60, 70500000 },   { 60.5f, 15500000 }, { 0.5f, 11000000 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_seen_ship *s = open_with(0);
        sb_event      e = { .event_class = SB_EVENT_START_WARP,
                            .destination = OTHER,
                            .warp_speed = cases[i].speed,
                            .warp_to = { 1, 2, 3 },
                            .set_name = { (const uint8_t *)"Multi2", 6 } };
        CHECK_EQ(say(sb_client_handle_warp, SB_OP_START_WARP, e), SB_OK);
        CHECK_EQ(s->warp_until - r->now, cases[i].lasts);
        CHECK_TEXT(s->warp_set, "Multi2");
        CHECK(s->warp_to.y == 2);
        CHECK(sb_client_is_warping(s, s->warp_until - 1));
        CHECK(!sb_client_is_warping(s, s->warp_until));
        for (int kind = 0; kind < 3; kind++) { /* another class, another ship, a wreck */
            s->warp_until = 0;
            e.event_class = kind == 0 ? SB_EVENT_PLAIN : SB_EVENT_START_WARP;
            e.destination = kind == 1 ? OTHER + IDS : OTHER;
            s->exploding = kind == 2;
            CHECK_EQ(say(sb_client_handle_warp, SB_OP_START_WARP, e), SB_OK);
            CHECK(s->warp_until == 0);
        }
    }
}

TEST(ships_meet_in_the_same_set_while_neither_warps)
{
    sb_seen_ship a = { .set_name = "Multi1" }, b = { .set_name = "Multi1" };
    CHECK(sb_client_can_meet(&a, &b, 10));
    a.warp_until = 11;
    CHECK(!sb_client_can_meet(&a, &b, 10));
    CHECK(!sb_client_can_meet(&b, &a, 10));
    CHECK(sb_client_can_meet(&a, &b, 11));
    strcpy(b.set_name, "Multi2");
    CHECK(!sb_client_can_meet(&a, &b, 11));
}

/* ---- repairs ---- */

static void set_queue(sb_seen_ship *s, unsigned count)
{
    for (unsigned i = 0; i < count; i++) s->repairs[i] = OTHER + 1 + i;
    s->repair_count = (uint8_t)count;
}

TEST(spec_08_7_8_a_part_that_a_team_works_on_goes_to_the_tail)
{
    static const struct {
        uint32_t event_class, ship, part;
        bool     known; /* the class; it has two teams, else one is assumed */
        uint32_t queue[4];
    } cases[] = {
        { SB_EVENT_OBJECT_POINTER, OTHER, OTHER + 1, true, { 2, 3, 4, 1 } },
        { SB_EVENT_OBJECT_POINTER, OTHER, OTHER + 2, true, { 1, 3, 4, 2 } },
        { SB_EVENT_OBJECT_POINTER, OTHER, OTHER + 3, true, { 3, 1, 2, 4 } },
        { SB_EVENT_OBJECT_POINTER, OTHER, OTHER + 4, true, { 4, 1, 2, 3 } },
        { SB_EVENT_OBJECT_POINTER, OTHER, OTHER + 1, false, { 2, 3, 4, 1 } },
        { SB_EVENT_OBJECT_POINTER, OTHER, OTHER + 2, false, { 2, 1, 3, 4 } },
        { SB_EVENT_OBJECT_POINTER, OTHER, OTHER + 5, true, { 1, 2, 3, 4 } },
        { SB_EVENT_PLAIN, OTHER, OTHER + 3, true, { 1, 2, 3, 4 } },
        { SB_EVENT_OBJECT_POINTER, OTHER + 99, OTHER + 3, true, { 1, 2, 3, 4 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_seen_ship *s = open_with(0);
        set_queue(s, 4);
        if (!cases[i].known) s->ship.model = NULL;
        CHECK_EQ(say(sb_client_handle_repair_priority, SB_OP_REPAIR_PRIORITY,
                     (sb_event){ .event_class = cases[i].event_class,
                                 .destination = cases[i].ship,
                                 .third = cases[i].part }),
                 SB_OK);
        CHECK_EQ(s->repair_count, 4);
        for (int k = 0; k < 4; k++) CHECK_EQ(s->repairs[k], OTHER + cases[i].queue[k]);
    }
}

TEST(repair_notices_add_and_remove_parts)
{
    static const struct {
        uint32_t event_class, code, destination, source, third;
        int      count; /* of three before */
    } cases[] = {
        { SB_EVENT_PLAIN, SB_CODE_ADD_TO_REPAIR_LIST, REPAIR, OTHER + 5, 0, 4 },
        { SB_EVENT_PLAIN, SB_CODE_ADD_TO_REPAIR_LIST, REPAIR, OTHER + 2, 0, 3 }, /* there already */
        { SB_EVENT_PLAIN, SB_CODE_ADD_TO_REPAIR_LIST, REPAIR, 0, 0, 3 },
        { SB_EVENT_PLAIN, SB_CODE_ADD_TO_REPAIR_LIST, REPAIR, OTHER + IDS, 0, 3 }, /* another's */
        { SB_EVENT_PLAIN, SB_CODE_ADD_TO_REPAIR_LIST, OTHER + IDS, OTHER + 5, 0, 3 },
        { SB_EVENT_OBJECT_POINTER, SB_CODE_REPAIR_COMPLETED, REPAIR, 0, OTHER + 1, 2 },
        { SB_EVENT_OBJECT_POINTER, SB_CODE_REPAIR_CANNOT_BE_COMPLETED, REPAIR, 0, OTHER + 3, 2 },
        { SB_EVENT_OBJECT_POINTER, SB_CODE_REPAIR_COMPLETED, REPAIR, 0, OTHER + 5, 3 },
        { SB_EVENT_PLAIN, SB_CODE_REPAIR_COMPLETED, REPAIR, 0, OTHER + 1, 3 },
        { SB_EVENT_OBJECT_POINTER, SB_CODE_REPAIR_COMPLETED, OTHER + IDS, 0, OTHER + 1, 3 },
        { SB_EVENT_OBJECT_POINTER, SB_CODE_NEW_PLAYER_IN_GAME, REPAIR, OTHER + 5, OTHER + 1, 3 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int own_event = 0; own_event < 2; own_event++) { /* of the player or of the host */
            sb_seen_ship *s = open_with(0);
            set_queue(s, 3);
            const sb_event e = { .event_class = cases[i].event_class,
                                 .event_code = cases[i].code,
                                 .destination = cases[i].destination,
                                 .source = cases[i].source,
                                 .third = cases[i].third };
            CHECK_EQ(say(own_event ? sb_client_handle_repair_list : sb_client_handle_python_event,
                         own_event ? SB_OP_ADD_TO_REPAIR_LIST : SB_OP_PYTHON_EVENT, e),
                     SB_OK);
            if (s->repair_count != cases[i].count) FAIL("case %zu: %u", i, s->repair_count);
            if (cases[i].count == 4) CHECK_EQ(s->repairs[3], OTHER + 5);
            if (cases[i].third == OTHER + 1 && cases[i].count == 2)
                CHECK(s->repairs[0] == OTHER + 2 && s->repairs[1] == OTHER + 3);
        }
}

TEST(a_repair_queue_has_48_places_and_a_wreck_none)
{
    const sb_event e = { .event_code = SB_CODE_ADD_TO_REPAIR_LIST,
                         .destination = REPAIR,
                         .source = OTHER + 5 };
    for (int kind = 0; kind < 3; kind++) {
        sb_seen_ship *s = open_with(0);
        memset(s->repairs, 0x11, sizeof s->repairs);
        s->repair_count = kind == 0 ? 47 : 48;
        if (kind == 2) s->repair_count = 0;
        s->exploding = kind == 2;
        CHECK_EQ(say(sb_client_handle_python_event, SB_OP_PYTHON_EVENT, e), SB_OK);
        CHECK_EQ(s->repair_count, kind == 2 ? 0 : 48);
    }
}

TEST(a_ship_keeps_its_latest_32_damage_volumes)
{
    sb_seen_ship *s = open_with(LAST);
    for (unsigned i = 0; i < 34; i++) {
        sb_message m = { .opcode = SB_OP_DAMAGE_VOLUME };
        m.as.damage_volume = (sb_damage_volume){ .object_id = OTHER };
        m.as.damage_volume.radius_code = sb_encode_cf16((float)i);
        m.as.damage_volume.strength_code = sb_encode_cf16(100);
        CHECK_EQ(sb_client_handle_volume(r->client, &m, no_bytes), SB_OK);
        CHECK_EQ(s->volume_count, i < 32 ? i + 1 : 32);
        m.as.damage_volume.object_id = OTHER + 1; /* no ship */
        CHECK_EQ(sb_client_handle_volume(r->client, &m, no_bytes), SB_OK);
    }
    for (unsigned i = 0; i < 32; i++) {
        float radius = sb_decode_cf16(sb_encode_cf16((float)(i + 2)));
        CHECK(s->volumes[i].radius == radius);
        CHECK(s->volumes[i].strength == sb_decode_cf16(sb_encode_cf16(100)));
    }
}
