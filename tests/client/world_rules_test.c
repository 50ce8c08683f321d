/* tests/client/world_rules_test.c -- the table of ships: its rows, its limits, requests for
 * objects, and the lives of wrecks. */
#include "client_rig.h"

#include <starbase/message.h>

#include "client/client_internal.h"

#include <math.h>
#include <string.h>

static const sb_span no_bytes = { NULL, 0 };

enum { OTHER = 0x4003FFFF, LAST = SB_CLIENT_SHIPS - 1 };

static client_rig *r;

/* Puts a ship into a row of the table. */
static sb_seen_ship *put(unsigned row, uint8_t peer_id, uint32_t id)
{
    sb_seen_ship *s = &r->client->rows[row];
    memset(s, 0, sizeof *s);
    s->used = true;
    s->peer_id = peer_id;
    sb_ship_init(&s->ship, sb_find_ship(sb_stock_ships(), 1), 1, id);
    sb_receiver_init(&s->receiver, SB_RECEIVE_OTHER, &s->ship, r->now);
    strcpy(s->set_name, "Multi1");
    r->client->row_order[row] = r->client->created_count++;
    return s;
}

/* ---- rows ---- */

TEST(rows_are_found_and_removed_to_the_last)
{
    r = client_rig_in_lobby(NULL);
    sb_client *c = r->client;
    put(0, 3, 1000);
    put(LAST, 3, 2000);
    put(5, 4, 3000);
    CHECK(sb_client_find_row(c, 1000) == &c->rows[0]);
    CHECK(sb_client_find_row(c, 2000) == &c->rows[LAST]);
    CHECK(sb_client_find_row(c, 0) == NULL); /* an unused row is nobody's */
    CHECK(sb_client_find_ship(c, 2000) == &c->rows[LAST]);
    CHECK(sb_client_ship(c, LAST) == &c->rows[LAST]);
    CHECK(sb_client_ship(c, LAST + 1) == NULL);
    CHECK(sb_client_ship(c, 1) == NULL);
    sb_client_remove_ships_of(c, 3);
    CHECK(!c->rows[0].used && !c->rows[LAST].used && c->rows[5].used);
    CHECK_EQ(client_rig_count_events(r, SB_CLIENT_GONE), 2);
    put(0, 3, 1000);
    put(LAST, 3, 2000);
    sb_client_remove_all_rows(c);
    for (unsigned i = 0; i < SB_CLIENT_SHIPS; i++) CHECK(!c->rows[i].used);
    CHECK_EQ(client_rig_count_events(r, SB_CLIENT_GONE), 5);
}

TEST(our_own_ship_stays_when_a_player_with_our_number_leaves)
{
    r = client_rig_flying(NULL, 5);
    int row = r->client->own_index;
    sb_client_remove_ships_of(r->client, r->client->id);
    CHECK_EQ(r->client->own_index, row);
    CHECK(r->client->rows[row].used);
}

TEST(the_oldest_row_makes_room)
{
    r = client_rig_in_lobby(NULL);
    sb_client *c = r->client;
    for (unsigned i = 0; i < SB_CLIENT_SHIPS; i++) {
        put(i, 3, 1000 + 100 * i);
        c->row_order[i] = 500 - i; /* the last row is the oldest */
    }
    c->created_count = 1000;
    CHECK(sb_client_allocate_row(c, false) == NULL);          /* players keep their ships, ... */
    CHECK(sb_client_allocate_row(c, true) == &c->rows[LAST]); /* ... except for our own */
    CHECK_EQ(c->row_order[LAST], 1000);
    CHECK_EQ(c->created_count, 1001);
    CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_GONE)->event.object_id, 1000 + 100 * LAST);
    put(LAST, 3, 5000);
    c->rows[10].peer_id = c->rows[20].peer_id = 0; /* no player's */
    CHECK(sb_client_allocate_row(c, true) == &c->rows[20]);
    put(20, 3, 6000);
    c->rows[10].own = true;
    c->own_index = 10;
    CHECK(sb_client_allocate_row(c, false) == NULL); /* never our own */
    c->rows[10].own = false;
    c->own_index = -1;
    c->rows[3].used = false;
    CHECK(sb_client_allocate_row(c, false) == &c->rows[3]); /* a free one first */
    put(3, 3, 7000);
    c->rows[LAST].used = false;
    CHECK(sb_client_allocate_row(c, false) == &c->rows[LAST]);
}

/* ---- ids of parts ---- */

TEST(spec_08_2_1_parts_without_a_known_id_are_numbered)
{
    static const sb_subsystem_class parts[] = {
        { .creation_index = -1 },
        { .creation_index = -1, .child_count = 2, .first_child = 0 },
        { .creation_index = 40, .child_count = 1, .first_child = 2 },
    };
    static const sb_subsystem_class children[] = { { .creation_index = -1 },
                                                   { .creation_index = 50 },
                                                   { .creation_index = -1 } };
    static const sb_ship_class      model = {
             .subsystems = parts, .children = children, .subsystem_count = 3, .child_count = 3
    };
    static const struct {
        unsigned index;
        int      child;
        uint32_t id; /* of a ship with the id 1000; 0: none */
    } cases[] = { { 0, -1, 1001 }, { 0, 0, 0 },  { 1, -1, 1002 }, { 1, 0, 1003 },
                  { 1, 1, 1051 },  { 1, 2, 0 },  { 2, -1, 1041 }, { 2, 0, 1006 },
                  { 2, 1, 0 },     { 3, -1, 0 }, { 99, -1, 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_EQ(sb_client_part_id(&model, 1000, cases[i].index, cases[i].child), cases[i].id);
    CHECK_EQ(sb_client_part_id(NULL, 1000, 0, -1), 0);
    CHECK_EQ(sb_client_id_count(&model), 7);
    CHECK_EQ(sb_client_id_count(&(sb_ship_class){ 0 }), 1);
    CHECK_EQ(sb_client_id_count(NULL), 64);
}

/* ---- requests for objects ---- */

static sb_result say_not_found(uint32_t id)
{
    sb_message m = { .opcode = SB_OP_OBJECT_NOT_FOUND };
    m.as.object_ref.object_id = id;
    return sb_client_handle_not_found(r->client, &m, no_bytes);
}

/* Whether the client asks for this object now. */
static bool asks_for(uint32_t id)
{
    client_rig_run(r);
    size_t before = client_rig_count_sent(r, SB_OP_REQUEST_OBJECT);
    CHECK_EQ(say_not_found(id), SB_OK);
    client_rig_run(r);
    return client_rig_count_sent(r, SB_OP_REQUEST_OBJECT) > before;
}

TEST(spec_07_6_an_object_is_asked_for_once_a_second)
{
    r = client_rig_in_lobby(NULL);
    CHECK(asks_for(OTHER));
    EXPECT_SENT(r, "1E FF FF 03 40");
    r->now += 999999;
    CHECK(!asks_for(OTHER));
    r->now += 1;
    CHECK(asks_for(OTHER));
    CHECK(!asks_for(0));
    CHECK(!asks_for(0x3FFFFFFF)); /* of our own block */
    put(3, 3, OTHER + 100);
    CHECK(!asks_for(OTHER + 100)); /* known */
    r = client_rig_connected(NULL);
    CHECK(!asks_for(OTHER)); /* not in the game yet */
}

TEST(an_object_can_be_asked_for_in_the_first_second)
{
    r = client_rig_in_lobby(NULL);
    r->client->now = 500000;
    CHECK_EQ(say_not_found(OTHER), SB_OK);
    CHECK_EQ(r->client->requests[0].object_id + r->client->requests[15].object_id, OTHER);
}

TEST(spec_07_6_sixteen_objects_are_asked_for_in_a_second)
{
    r = client_rig_in_lobby(NULL);
    for (uint32_t i = 0; i < 16; i++) {
        CHECK(asks_for(OTHER + i));
        r->now += 1000;
    }
    CHECK(!asks_for(OTHER + 16));
    r->now += SB_SECOND - 16000 - 1; /* the first request is not a second old */
    CHECK(!asks_for(OTHER + 16));
    r->now += 1;
    CHECK(asks_for(OTHER + 16));
    CHECK(!asks_for(OTHER + 17)); /* the second one is younger */
    r->now += 1000;
    CHECK(asks_for(OTHER + 17));
    CHECK(!asks_for(OTHER + 17));
    CHECK(!asks_for(OTHER + 15)); /* still remembered: in the last entry */
    r->now += SB_SECOND;
    CHECK(asks_for(OTHER + 15));
    CHECK(asks_for(OTHER)); /* forgotten since */
}

/* ---- texts ---- */

TEST(texts_are_cut_and_cleaned)
{
    static const struct {
        const char *text, *is;
        size_t      capacity;
    } cases[] = {
        { "Multi1", "Multi1", 7 },
        { "Multi1", "Multi", 6 },
        { "Multi1", "Multi1", 8 },
        { "", "", 4 },
        { "a\x1F"
          "b\x20"
          "c",
          "a b c", 9 },
        { "\x7E\x7F\x80\xFF", "\x7E \x80\xFF", 9 },
        { "\x01\n\t", "   ", 9 },
        { "abc", "", 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[12];
        memset(out, '#', sizeof out);
        sb_client_copy_text(out, cases[i].capacity,
                            (sb_span){ (const uint8_t *)cases[i].text, strlen(cases[i].text) });
        CHECK_TEXT(out, cases[i].is);
        for (size_t k = strlen(out) + 1; k < sizeof out; k++) CHECK_EQ(out[k], '#');
    }
}

/* ---- creations ---- */

static sb_result say_creation(uint8_t opcode, uint8_t peer_id, uint32_t id, uint8_t species)
{
    static const char name[] = "Other";
    sb_message        m = { .opcode = opcode };
    sb_ship           ship;
    sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), species), species, id);
    sb_ship_write_creation(&ship, &m.as.object_create);
    m.as.object_create.peer_id = peer_id;
    m.as.object_create.name = (sb_span){ (const uint8_t *)name, 5 };
    return sb_client_handle_object_create(r->client, &m, no_bytes);
}

TEST(a_creation_needs_an_id_and_a_species)
{
    static const struct {
        uint32_t  id;
        uint8_t   species;
        sb_result result;
    } cases[] = {
        { OTHER, 1, SB_OK },          { 0, 1, SB_BAD_VALUE }, { UINT32_MAX, 1, SB_BAD_VALUE },
        { UINT32_MAX - 1, 1, SB_OK }, { 1, 1, SB_OK },        { OTHER, 0, SB_BAD_VALUE },
        { OTHER, 2, SB_OK }
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        r = client_rig_in_lobby(NULL);
        CHECK_EQ(say_creation(SB_OP_PLAYER_OBJECT_CREATE, 3, cases[i].id, cases[i].species),
                 cases[i].result);
        CHECK_EQ(sb_client_find_ship(r->client, cases[i].id) != NULL, cases[i].result == SB_OK);
    }
}

TEST(an_object_of_no_player_has_no_owner)
{
    static const struct {
        uint8_t opcode, peer_id, is;
    } cases[] = { { SB_OP_PLAYER_OBJECT_CREATE, 3, 3 },
                  { SB_OP_PLAYER_OBJECT_CREATE, 0, 0 },
                  { SB_OP_PLAYER_OBJECT_CREATE, 255, 0 },
                  { SB_OP_OBJECT_CREATE, 3, 0 },
                  { SB_OP_PLAYER_OBJECT_CREATE, 1, 1 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        r = client_rig_in_lobby(NULL);
        CHECK_EQ(say_creation(cases[i].opcode, cases[i].peer_id, OTHER, 1), SB_OK);
        CHECK_EQ(sb_client_find_ship(r->client, OTHER)->peer_id, cases[i].is);
        CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_SPAWNED)->event.peer_id, cases[i].is);
        CHECK_EQ(sb_client_find_player(r->client, 3) != NULL, cases[i].is == 3);
    }
}

TEST(a_players_new_ship_replaces_the_one_in_the_same_slot)
{
    static const struct {
        uint8_t  row_peer, new_peer;
        uint32_t row_id, new_id;
        bool     replaced;
    } cases[] = {
        { 3, 3, OTHER, OTHER + 50, true },  { 3, 4, OTHER, OTHER + 50, false },
        { 0, 0, OTHER, OTHER + 50, false }, { 3, 3, OTHER, 0x4007FFFF, false },
        { 1, 1, OTHER, OTHER + 50, true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned row = 0; row < SB_CLIENT_SHIPS; row += LAST) {
            r = client_rig_in_lobby(NULL);
            put(row, cases[i].row_peer, cases[i].row_id);
            CHECK_EQ(
                say_creation(SB_OP_PLAYER_OBJECT_CREATE, cases[i].new_peer, cases[i].new_id, 1),
                SB_OK);
            CHECK_EQ(sb_client_find_ship(r->client, cases[i].row_id) == NULL, cases[i].replaced);
            CHECK(sb_client_find_ship(r->client, cases[i].new_id) != NULL);
        }
}

TEST(a_table_full_of_players_takes_no_more_ships)
{
    r = client_rig_in_lobby(NULL);
    for (unsigned i = 0; i < SB_CLIENT_SHIPS; i++) put(i, 3, 1000 + 100 * i);
    CHECK_EQ(say_creation(SB_OP_PLAYER_OBJECT_CREATE, 4, OTHER, 1), SB_FULL);
    CHECK_EQ(say_creation(SB_OP_OBJECT_CREATE, 0, OTHER, 1), SB_FULL);
}

/* ---- updates ---- */

TEST(an_update_has_ten_bytes_or_more)
{
    static const uint8_t update[11] = { SB_OP_STATE_UPDATE, 0xFF, 0xFF, 0x03, 0x40 };
    r = client_rig_in_lobby(NULL);
    CHECK_EQ(sb_client_handle_state_update(r->client, NULL, (sb_span){ update, 9 }), SB_TRUNCATED);
    client_rig_run(r);
    EXPECT_SILENCE(r);
    CHECK_EQ(sb_client_handle_state_update(r->client, NULL, (sb_span){ update, 10 }), SB_OK);
    client_rig_run(r);
    EXPECT_SENT(r, "1D FF FF 03 40"); /* unknown: asked for */
}

TEST(a_dying_ship_is_not_announced_again)
{
    sb_message m = { .opcode = SB_OP_REQUEST_OBJECT };
    for (int kind = 0; kind < 4; kind++) {
        r = client_rig_flying(NULL, 5);
        sb_seen_ship *own = &r->client->rows[r->client->own_index];
        m.as.object_ref.object_id = own->ship.object_id + (kind == 1);
        own->exploding = kind == 2;
        own->gone_at = r->now + SB_SECOND;
        r->client->answered = kind == 3;
        r->client->answered_at = r->now - 999999;
        CHECK_EQ(sb_client_handle_request_object(r->client, &m, no_bytes), SB_OK);
        client_rig_run(r);
        CHECK_EQ(client_rig_count_sent(r, SB_OP_PLAYER_OBJECT_CREATE), kind == 0);
        r->client->answered_at = r->now - 1000000;
        CHECK_EQ(sb_client_handle_request_object(r->client, &m, no_bytes), SB_OK);
        CHECK(r->client->answered_at == (kind == 0 || kind == 3 ? r->now : r->now - 1000000));
    }
}

/* ---- deaths ---- */

static void explode(uint32_t id, float lifetime, int32_t killer)
{
    sb_message m = { .opcode = SB_OP_PYTHON_EVENT };
    m.as.event = (sb_event){ .event_class = SB_EVENT_OBJECT_EXPLODING,
                             .event_code = SB_CODE_OBJECT_EXPLODING,
                             .destination = id,
                             .killer = killer,
                             .lifetime = lifetime };
    CHECK_EQ(sb_client_handle_python_event(r->client, &m, no_bytes), SB_OK);
}

TEST(a_wreck_burns_as_long_as_the_host_says_up_to_a_minute)
{
    static const struct {
        float   lifetime;
        sb_time burns;
        int32_t killer, named;
    } cases[] = {
        { 9.5f, 9500000, 3, 3 },     { 0.5f, 500000, 3, 3 },  { 0, 0, 0, 0 },
        { -5, 0, 255, 0 },           { 60, 60000000, -1, 0 }, { 59.5f, 59500000, 254, 254 },
        { 60.5f, 60000000, 256, 0 }, { 1000, 60000000, 1, 1 }
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned row = 0; row < SB_CLIENT_SHIPS; row += LAST) {
            r = client_rig_in_lobby(NULL);
            sb_seen_ship *s = put(row, 3, OTHER);
            s->ship.cloaked = true;
            s->warp_until = r->now + 1;
            s->repair_count = 2;
            memset(s->firing, 1, sizeof s->firing);
            explode(OTHER, cases[i].lifetime, cases[i].killer);
            CHECK(s->exploding && !s->ship.cloaked);
            CHECK(s->warp_until == 0);
            CHECK_EQ(s->repair_count, 0);
            for (int k = 0; k < SB_SUBSYSTEMS_MAX; k++) CHECK(!s->firing[k]);
            CHECK_EQ(s->gone_at - r->now, cases[i].burns);
            const client_reported *told = EXPECT_EVENT(r, SB_CLIENT_EXPLODING);
            CHECK_EQ(told->event.object_id, OTHER);
            CHECK_EQ(told->event.peer_id, cases[i].named);
            CHECK(sb_client_world_deadline(r->client) == s->gone_at);
            CHECK(sb_client_next_deadline(r->client) <= s->gone_at);
            explode(OTHER, 30, 4); /* it dies once */
            EXPECT_NOTHING(r);
            if (cases[i].burns == 0) continue;
            sb_time end = s->gone_at;
            r->client->now = r->now = end - 1;
            sb_client_advance_world(r->client);
            CHECK(s->used);
            r->client->now = r->now = end;
            sb_client_advance_world(r->client);
            CHECK(!s->used);
            CHECK(sb_client_world_deadline(r->client) == SB_TIME_NEVER);
        }
}

TEST(only_an_exploding_event_with_its_code_is_a_death)
{
    static const struct {
        uint32_t event_class, code;
        bool     dies;
    } cases[] = { { SB_EVENT_OBJECT_EXPLODING, SB_CODE_OBJECT_EXPLODING, true },
                  { SB_EVENT_OBJECT_EXPLODING, SB_CODE_OBJECT_EXPLODING + 1, false },
                  { SB_EVENT_PLAIN, SB_CODE_OBJECT_EXPLODING, false } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_message m = { .opcode = SB_OP_PYTHON_EVENT };
        r = client_rig_in_lobby(NULL);
        put(4, 3, OTHER);
        m.as.event = (sb_event){ .event_class = cases[i].event_class,
                                 .event_code = cases[i].code,
                                 .destination = OTHER };
        CHECK_EQ(sb_client_handle_python_event(r->client, &m, no_bytes), SB_OK);
        CHECK_EQ(r->client->rows[4].exploding, cases[i].dies);
    }
}

TEST(a_ship_that_enters_a_set_does_not_warp_any_more)
{
    sb_message m = { .opcode = SB_OP_ENTER_SET };
    r = client_rig_in_lobby(NULL);
    sb_seen_ship *s = put(4, 3, OTHER);
    s->warp_until = r->now + SB_SECOND;
    m.as.enter_set.object_id = OTHER;
    m.as.enter_set.set_name = (sb_span){ (const uint8_t *)"Multi3", 6 };
    CHECK_EQ(sb_client_handle_enter_set(r->client, &m, no_bytes), SB_OK);
    CHECK_TEXT(s->set_name, "Multi3");
    CHECK(s->warp_until == 0);
}

TEST(the_first_wreck_to_go_is_the_next_deadline)
{
    r = client_rig_in_lobby(NULL);
    put(4, 3, OTHER);
    put(9, 4, OTHER + 100);
    put(20, 5, OTHER + 200)->gone_at = 1; /* alive */
    explode(OTHER, 5, 0);
    explode(OTHER + 100, 4, 0);
    CHECK(sb_client_world_deadline(r->client) == r->now + 4 * SB_SECOND);
    CHECK(sb_client_next_deadline(r->client) <= r->now + 4 * SB_SECOND);
    r->client->rows[9].used = false;
    CHECK(sb_client_world_deadline(r->client) == r->now + 5 * SB_SECOND);
}
