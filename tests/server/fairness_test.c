/* tests/server/fairness_test.c -- limits on what one player can make others receive, and reports of
 * refused players. Spec 06 §9, 07 §1.1 to §7, 12 #8 and #9; docs/decisions/room-fairness.md.
 */
#include "rig.h"

#include <starbase/message.h>

#include "base/bytes.h"
#include "sim/match.h"

#include <stdio.h>
#include <string.h>

static const sb_vec3 here = { 38.0f, -49.0f, -35.0f };

/* An event that needs no ship and is relayed to all others: destination 0 is allowed (spec 08 §17).
 */
static const char idle_event[] = "0B 01 01 00 00 DF 00 80 00 00 00 00 00 00 00 00 00";
static const char choose_a_team[] = "41 00 00 00 00 01"; /* the server ignores the id in it */

/* Queues the message `count` times without delivering anything in between. */
static void burst(seat *s, const char *hex, unsigned count)
{
    uint8_t bytes[64];
    size_t  size = test_hex(hex, bytes, sizeof bytes);
    for (unsigned i = 0; i < count; i++)
        CHECK_EQ(sb_transport_client_send(s->client, SB_RELIABLE, (sb_span){ bytes, size }), SB_OK);
}

/* Delivers the seat's datagrams to the server, and none back. */
static void deliver_from(room *r, seat *s)
{
    uint8_t out[SB_DATAGRAM_MAX];
    for (size_t size; (size = sb_transport_client_write(s->client, r->now, out));)
        (void)!sb_server_receive(r->server, r->now, s->address, (sb_span){ out, size });
}

/* 50 ms in which the server receives everything and sends nothing: a network outage. */
static void pass_time_without_output(room *r)
{
    r->now += 50000;
    for (unsigned i = 0; i < r->seat_count; i++) deliver_from(r, &r->seats[i]);
    sb_server_advance(r->server, r->now);
}

/* A room with `count` players whose budgets are full. */
static room *open_crowd(unsigned players, const char *mode)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = players;
    c.match.mode = sb_find_mode(mode);
    c.mod_policy[0xCD] = SB_MOD_TEAM;
    room *r = room_open(&c);
    for (unsigned i = 0; i < players; i++) (void)room_join(r, "Player");
    room_wait(r, 10 * SB_SECOND);
    room_forget(r);
    return r;
}

static unsigned count_gone(const room *r, unsigned first)
{
    unsigned gone = 0;
    for (unsigned i = first; i < r->seat_count; i++) gone += r->seats[i].left;
    return gone;
}

/* ---- a sender's budget ---- */

TEST(a_newcomer_to_a_crowd_gets_no_larger_burst)
{
    enum { PLAYERS = 16, SHARE = 100, AT_ONCE = 120 };
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = PLAYERS;
    room *r = room_open(&c);
    for (unsigned i = 0; i < PLAYERS; i++) (void)room_join(r, "Player");
    room_forget(r);
    burst(&r->seats[PLAYERS - 1], idle_event, AT_ONCE); /* it has not sent any before */
    room_step(r);
    for (unsigned i = 0; i < PLAYERS - 1; i++) CHECK_EQ(r->seats[i].by_opcode[0x0B], SHARE);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_RELAY_RATE), AT_ONCE - SHARE);
    burst(&r->seats[0], idle_event, AT_ONCE); /* older players have no larger burst */
    room_step(r);
    CHECK_EQ(r->seats[1].by_opcode[0x0B], 2 * SHARE);
}

TEST(whoever_is_alone_with_one_other_has_the_whole_burst)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    burst(a, idle_event, 130);
    room_step(r);
    CHECK_EQ(b->by_opcode[0x0B], 120);
}

/* ---- eight headless players at 50 ms; some send as fast as they can ---- */

typedef void attack(sim_match *m, unsigned player, uint32_t number);

static void say(sim_match *m, unsigned player, sb_span message)
{
    (void)!sb_client_send(sim_match_client(m, player), sim_match_now(m), SB_RELIABLE, message);
}

static void change_ship(sim_match *m, unsigned player, uint32_t number)
{
    sb_ship    ship;
    sb_message message = { .opcode = SB_OP_PLAYER_OBJECT_CREATE };
    uint8_t    bytes[512];
    size_t     size;
    uint32_t   id = sb_slot_first_id((uint8_t)player) + number * 64;
    sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), 15), 15, id);
    sb_ship_write_creation(&ship, &message.as.object_create);
    message.as.object_create.owner_slot = (int8_t)player;
    message.as.object_create.peer_id = sb_client_id(sim_match_client(m, player));
    message.as.object_create.set_name = (sb_span){ (const uint8_t *)"Multi1", 6 };
    CHECK_EQ(sb_encode_message(&message, NULL, bytes, sizeof bytes, &size), SB_OK);
    say(m, player, (sb_span){ bytes, size });
}

static void change_ship_and_die(sim_match *m, unsigned player, uint32_t number)
{
    static const uint8_t die = 0x13;
    change_ship(m, player, number);
    say(m, player, (sb_span){ &die, 1 });
}

static void change_team(sim_match *m, unsigned player, uint32_t number)
{
    uint8_t message[] = { 0x41, 0, 0, 0, 0, (uint8_t)(number % 2) };
    say(m, player, (sb_span){ message, sizeof message });
}

/* The longer the delay of a link, the more messages wait for Acks. */
static void expect_honest_players_stay(sb_time delay_us, const char *mode, unsigned attackers,
                                       attack *act, unsigned at_first, unsigned then)
{
    enum { PLAYERS = 8 };
    sim_match_config config;
    sim_match_defaults(&config, 3);
    config.link.delay_us = delay_us;
    config.server.match.mode = sb_find_mode(mode);
    sim_match *m = sim_match_create(&config);
    for (unsigned i = 0; i < PLAYERS; i++) {
        (void)sim_match_join(m, "Player", NULL, NULL);
        sim_match_run(m, 5 * SB_SECOND); /* all are in the game, in slots by their number */
    }
    CHECK_EQ(sb_server_player_count(sim_match_server(m)), PLAYERS);
    uint32_t number = 0;
    for (unsigned step = 0; step < 50; step++) {
        for (unsigned n = 0; n < (step ? then : at_first); n++, number++)
            for (unsigned i = 0; i < attackers; i++) act(m, i, number);
        sim_match_run(m, 100000);
    }
    sim_match_run(m, 5 * SB_SECOND);
    const sb_server *server = sim_match_server(m);
    CHECK(sb_server_count(server, SB_SERVER_COUNT_RELAY_RATE) +
              sb_server_count(server, SB_SERVER_COUNT_TEAM_RATE) >
          100);
    for (unsigned i = attackers; i < PLAYERS; i++)
        if (sb_client_is_over(sim_match_client(m, i)))
            FAIL("%u attackers at %d ms removed %u", attackers, (int)(delay_us / 1000), i);
    sim_match_destroy(m);
}

static const sb_time delays[] = { 50000, 100000, 200000 };
enum { DELAYS = sizeof delays / sizeof *delays };

TEST(floods_of_new_ships_remove_no_one)
{
    for (unsigned i = 0; i < DELAYS; i++)
        for (unsigned attackers = 3; attackers < 8; attackers++)
            expect_honest_players_stay(delays[i], "ffa", attackers, change_ship, 30, 4);
}

TEST(floods_of_new_ships_and_deaths_remove_no_one)
{
    for (unsigned i = 0; i < DELAYS; i++)
        for (unsigned attackers = 3; attackers < 8; attackers++)
            expect_honest_players_stay(delays[i], "team", attackers, change_ship_and_die, 30, 4);
}

TEST(floods_of_team_choices_remove_no_one)
{
    for (unsigned i = 0; i < DELAYS; i++) {
        expect_honest_players_stay(delays[i], "team", 3, change_team, 120, 120);
        expect_honest_players_stay(delays[i], "team", 7, change_team, 120, 120);
    }
}

/* A stock message with a mod policy loses its own rate limit. */
TEST(chat_that_is_treated_like_a_message_of_a_mod_counts_like_one)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.mod_policy[0x2C] = SB_MOD_OTHERS;
    c.mod_per_s = 1000;
    room *r = room_open(&c);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    for (unsigned i = 0; i < 300; i++) seat_say_hex(r, a, "2C {id} 01 00 61");
    CHECK_EQ(b->by_opcode[0x2C], 120);
}

/* ---- choices of teams and mod messages to teams: rate and reserve ---- */

TEST(choices_of_a_team_have_a_rate_of_their_own)
{
    room *r = open_crowd(2, "team");
    seat *a = &r->seats[0], *b = &r->seats[1];
    burst(a, idle_event, 130); /* the relay budget is exhausted */
    room_step(r);
    burst(a, choose_a_team, 10);
    room_step(r);
    CHECK_EQ(b->by_opcode[0x41], 4);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_TEAM_RATE), 6);
    room_wait(r, SB_SECOND);
    burst(a, choose_a_team, 10);
    room_step(r);
    CHECK_EQ(b->by_opcode[0x41], 5);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_TEAM_RATE), 15);
    uint64_t refused = COUNTED(r, SB_SERVER_COUNT_RELAY_RATE);
    room_wait(r, 2 * SB_SECOND);
    burst(a, choose_a_team, 10);
    burst(a, idle_event, 120); /* choices of teams cost no relay budget */
    room_step(r);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_RELAY_RATE), refused);
}

/* Cuts the player's link in both directions. */
static sb_endpoint pause_link(seat *s)
{
    sb_endpoint real = s->address;
    s->address.port = 1;
    return real;
}

TEST(team_choices_do_not_remove_a_player_whose_link_pauses_5_s)
{
    room       *r = open_crowd(8, "team");
    sb_endpoint real = pause_link(&r->seats[7]);
    for (unsigned step = 0; step < 50; step++) {
        burst(&r->seats[0], choose_a_team, 12);
        room_wait(r, 100000);
        room_forget(r);
    }
    r->seats[7].address = real;
    room_wait(r, 10 * SB_SECOND);
    CHECK_EQ(count_gone(r, 0), 0);
    CHECK_EQ(sb_server_player_count(r->server), 8);
    CHECK(COUNTED(r, SB_SERVER_COUNT_TEAM_RATE) > 500);
}

TEST(team_choices_wait_for_a_receiver_with_a_nearly_full_queue)
{
    static const char line[] = "2C 00 00 00 00 01 00 61";
    room             *r = open_crowd(8, "team");
    sb_endpoint       real = pause_link(&r->seats[7]);
    for (unsigned step = 0; step < 50;
         step++) { /* events and chat fill the queue up to their reserves */
        for (unsigned i = 0; i < 7; i++) {
            burst(&r->seats[i], idle_event, 12);
            burst(&r->seats[i], line, 1);
        }
        room_wait(r, 100000);
        room_forget(r);
    }
    for (unsigned step = 0; step < 12; step++) {
        uint64_t delayed = COUNTED(r, SB_SERVER_COUNT_RELAY_DELAYED),
                 had = r->seats[6].by_opcode[0x41];
        for (unsigned i = 0; i < 7; i++) burst(&r->seats[i], choose_a_team, 1);
        room_wait(r, SB_SECOND);
        room_forget(r);
        CHECK_EQ(r->seats[6].by_opcode[0x41],
                 had + 7); /* a player with an empty queue gets all of them */
        CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_RELAY_DELAYED), delayed + 7);
    }
    r->seats[7].address = real;
    room_wait(r, 10 * SB_SECOND);
    CHECK_EQ(count_gone(r, 0), 0);
}

TEST(mod_messages_wait_for_a_receiver_with_a_nearly_full_queue)
{
    static const uint8_t large[1000] = { 0xCD };
    room                *r = open_crowd(8, "team");
    for (unsigned i = 0; i < 8; i++) seat_say_hex(r, &r->seats[i], choose_a_team);
    room_wait(r, 3 * SB_SECOND);
    for (unsigned step = 0; step < 4; step++) { /* the whole budget, for 200 ms */
        for (unsigned i = 0; i < 7; i++)
            for (unsigned n = 0; n < (step ? 1 : 4); n++)
                CHECK_EQ(sb_transport_client_send(r->seats[i].client, SB_RELIABLE,
                                                  (sb_span){ large, sizeof large }),
                         SB_OK);
        pass_time_without_output(r);
    }
    CHECK(COUNTED(r, SB_SERVER_COUNT_RELAY_DELAYED) > 0);
    room_wait(r, 5 * SB_SECOND);
    CHECK(r->seats[7].by_opcode[0xCD] > 0);
    CHECK_EQ(count_gone(r, 0), 0);
}

TEST(a_player_without_budget_for_events_can_still_talk)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    burst(a, idle_event, 130);
    room_step(r);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_RELAY_RATE), 10);
    for (unsigned i = 0; i < 7; i++) seat_say_hex(r, a, "2C {id} 02 00 6F 6B");
    CHECK_EQ(b->by_opcode[0x2C], 5);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_CHAT_RATE), 2); /* a limit of its own (spec 09 §4) */
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_RELAY_RATE), 10);
}

/* ---- scenery and newcomers ---- */

enum { SCENERY = 40, SCENERY_BYTES = 500, NEWCOMERS = 6 };

static uint32_t scenery_id(const room *r, unsigned number)
{
    return seat_first_id(r, &r->seats[0]) + 100 * number;
}

/* A creation of a mod's species, as long as the room stores. */
static void announce_scenery(room *r, unsigned number)
{
    static const char head[] = "02 00 08 80 00 00 00 00 00 00 C8 00 00 18 42 00 00 44 C2 00 00 0C "
                               "C2 00 00 80 3F 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 "
                               "00 00 01 41 06 4D 75 6C 74 69 31";
    uint8_t           bytes[SCENERY_BYTES];
    memset(bytes, 0xFF, sizeof bytes);
    (void)test_hex(head, bytes, sizeof bytes);
    sb_store_u32(bytes + 6, scenery_id(r, number));
    seat_say(r, &r->seats[0], SB_RELIABLE, (sb_span){ bytes, sizeof bytes });
    room_wait(r, 200000);
    room_forget(r);
}

static bool has_heard_of(const seat *s, uint32_t object_id)
{
    for (size_t i = 0; i < s->heard_count; i++)
        if (s->heard[i].bytes[0] == SB_OP_OBJECT_CREATE &&
            sb_load_u32(s->heard[i].bytes + 6) == object_id)
            return true;
    return false;
}

static unsigned ask_for_what_is_missing(room *r, seat *s)
{
    unsigned missing = 0;
    for (unsigned i = 0; i < SCENERY; i++) {
        uint8_t request[5] = { 0x1E };
        sb_store_u32(request + 1, scenery_id(r, i));
        if (has_heard_of(s, scenery_id(r, i))) continue;
        seat_say(r, s, SB_RELIABLE, (sb_span){ request, sizeof request });
        room_wait(r, SB_SECOND / 10);
        missing++;
        CHECK(has_heard_of(s, scenery_id(r, i)));
    }
    return missing;
}

TEST(scenery_that_does_not_fit_is_left_out_and_can_be_requested)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = 16;
    room *r = room_open(&c);
    (void)room_join(r, "Alpha");
    for (unsigned i = 0; i < SCENERY; i++) announce_scenery(r, i);
    seat *newcomers[NEWCOMERS];
    for (unsigned i = 0; i < NEWCOMERS; i++) newcomers[i] = room_load(r, "Newcomer");
    for (unsigned i = 0; i < NEWCOMERS; i++) { /* all at once, before the room sends anything */
        burst(newcomers[i], "2A 20", 1);
        deliver_from(r, newcomers[i]);
    }
    room_wait(r, 5 * SB_SECOND);
    CHECK_EQ(count_gone(r, 0), 0);
    CHECK_EQ(sb_server_player_count(r->server), 1 + NEWCOMERS);
    unsigned missing = 0;
    for (unsigned i = 0; i < NEWCOMERS; i++) {
        CHECK_EQ(newcomers[i]->by_opcode[0x35], 1);
        CHECK(newcomers[i]->by_opcode[0x02] > 0); /* objects that fit were sent without a request */
        missing += ask_for_what_is_missing(r, newcomers[i]);
    }
    CHECK(missing > 0); /* else everything fitted, and the test proves nothing */
}

/* ---- creations: owner, id, contents ---- */

/* The shortest valid creation of a Sovereign by Alpha; the test fills in qw and the set. */
static const char creation_body[] =
    " 00 00 18 42 00 00 44 C2 00 00 0C C2 %s 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 "
    "00 01 41 %s";

typedef struct creation {
    unsigned    slot, species;
    const char *id;
    const char *w; /* qw of a quaternion whose other parts are 0 */
    const char *set_name;
} creation;

static const creation good = { 0, 5, "FF FF FF 3F", "00 00 80 3F", "06 4D 75 6C 74 69 31" };

static void create(room *r, seat *s, creation c)
{
    char head[64], body[320], hex[400];
    snprintf(head, sizeof head, "03 %02X 02 08 80 00 00 %s %02X", c.slot, c.id, c.species);
    snprintf(body, sizeof body, creation_body, c.w, c.set_name);
    snprintf(hex, sizeof hex, "%s%s", head, body);
    seat_say_hex(r, s, hex);
}

static creation foreign_one(void)
{
    creation c = good;
    c.slot = 1;
    return c;
}

TEST(no_number_of_refused_creations_removes_a_player)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha");
    create(r, a, good);
    for (unsigned i = 0; i < 100; i++) {
        create(r, a, good); /* a known id */
        create(r, a, foreign_one());
        seat_say_hex(r, a, "03 05"); /* cannot be decoded */
        room_wait(r, SB_SECOND / 5);
    }
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_KNOWN_OBJECT), 100);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_WRONG_OWNER), 100);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_MALFORMED), 100);
    CHECK(!a->left);
    CHECK(seat_view(r, a).ship != NULL);
}

TEST(an_id_below_an_earlier_one_is_counted_and_accepted)
{
    static const char *const ids[] = { "3F 00 00 40", "7F 00 00 40", "5F 00 00 40", "BF 00 00 40" };
    static const unsigned    old[] = { 0, 0, 1, 1 };
    room                    *r = room_open(NULL);
    seat                    *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    for (unsigned i = 0; i < 4; i++) {
        creation c = good;
        c.id = ids[i];
        create(r, a, c);
        room_wait(r, SB_SECOND); /* it replaces the last one */
        CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_OLD_IDS), old[i]);
        CHECK_EQ(b->by_opcode[0x03], i + 1);
    }
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_SPAWNS), 4);
    CHECK(!a->left);
}

static const char empty_set[] = "00", odd_set[] = "03 4D 07 31";
static const char set_of_32[] =
    "20 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 "
    "41 41 41 41 41 41 41 41 41 41";
static const char set_of_33[] =
    "21 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 "
    "41 41 41 41 41 41 41 41 41 41 41";

/* True if a room with this trust_clients relays the creation. */
static bool is_passed_on(bool trust, creation c)
{
    sb_server_config config;
    sb_server_defaults(&config);
    config.trust_clients = trust;
    room *r = room_open(&config);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    create(r, a, c);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_BAD_CREATION) + b->by_opcode[0x03], 1);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_BAD_CREATION) + COUNTED(r, SB_SERVER_COUNT_SPAWNS), 1);
    return b->by_opcode[0x03] == 1;
}

/* Id 0 means no object. A ship with this id would be a free row, and its successor, which replaces
 * it, would fail an assertion. */
TEST(trust_clients_still_refuses_a_ship_without_an_id)
{
    sb_server_config config;
    sb_server_defaults(&config);
    config.trust_clients = true;
    room    *r = room_open(&config);
    seat    *a = room_join(r, "Alpha");
    creation c = good;
    c.id = "00 00 00 00";
    create(r, a, c);
    create(r, a, good);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_BAD_CREATION), 1);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_SPAWNS), 1);
}

/* A reload can switch trust_clients off while ships with ids of other slots fly. */
TEST(ids_of_trusted_clients_outlive_trust_clients)
{
    static const sb_config_field  trust[] = { SB_CONFIG_FIELD(trust_clients) };
    static const sb_config_fields fields = { trust, 1, NULL, 0 };
    sb_server_config              config;
    sb_server_defaults(&config);
    config.trust_clients = true;
    room    *r = room_open(&config);
    seat    *a = room_join(r, "Alpha");
    creation c = good;
    c.id = "FF FF 07 40"; /* of slot 2 */
    create(r, a, c);
    config.trust_clients = false;
    sb_server_reconfigure(r->server, &config, &fields);
    room_wait(r, SB_SECOND);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_SPAWNS), 1);
    CHECK(!a->left);
}

TEST(trust_clients_still_refuses_ships_that_break_computation)
{
    creation c = good;
    CHECK(is_passed_on(true, c) && is_passed_on(false, c));
    c.species = 0;
    CHECK(is_passed_on(true, c) && !is_passed_on(false, c));
    c = good;
    c.set_name = empty_set;
    CHECK(is_passed_on(true, c) && !is_passed_on(false, c));
    c.set_name = odd_set;
    CHECK(is_passed_on(true, c) && !is_passed_on(false, c));
    c.set_name = set_of_32;
    CHECK(is_passed_on(true, c) && is_passed_on(false, c));
    c.set_name = set_of_33;
    CHECK(!is_passed_on(true, c) && !is_passed_on(false, c));
    c = good;
    c.w = "00 00 00 00"; /* a quaternion of length 0 */
    CHECK(!is_passed_on(true, c) && !is_passed_on(false, c));
    c.w = "00 00 80 40"; /* a quaternion of length 4 */
    CHECK(!is_passed_on(true, c) && !is_passed_on(false, c));
}

/* ---- requests ---- */

TEST(nine_objects_that_are_asked_for_twice_at_once_come_once_each)
{
    enum { OTHERS = 9 };
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = 1 + OTHERS;
    room    *r = room_open(&c);
    seat    *a = room_join(r, "Alpha");
    uint32_t ids[OTHERS];
    for (unsigned i = 0; i < OTHERS; i++)
        ids[i] = seat_spawn(r, room_join(r, "Other"), 1, (sb_vec3){ 100.0f * (float)i, 0, 0 });
    room_wait(r, 3 * SB_SECOND);
    for (unsigned second = 1; second <= 2; second++) {
        uint64_t before = a->by_opcode[0x03];
        for (unsigned i = 0; i < 2 * OTHERS; i++) {
            uint8_t request[5] = { 0x1E };
            sb_store_u32(request + 1, ids[i % OTHERS]);
            seat_say(r, a, SB_RELIABLE, (sb_span){ request, sizeof request });
        }
        CHECK_EQ(a->by_opcode[0x03] - before, OTHERS);
        CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_REQUEST_RATE), second * OTHERS);
        room_wait(r, SB_SECOND + 100000);
    }
}

/* ---- sets (spec 07 §7) ---- */

static void enter_set(room *r, seat *s, uint8_t size)
{
    uint8_t bytes[9 + 256 + 1] = { 0x1F };
    sb_store_u32(bytes + 1, seat_first_id(r, s));
    sb_store_u32(bytes + 5, size + 1u); /* the length counts the NUL */
    memset(bytes + 9, 'A', size);
    seat_say(r, s, SB_RELIABLE, (sb_span){ bytes, 10u + size });
}

TEST(an_entered_set_of_up_to_64_bytes_reaches_late_joiners)
{
    static const uint8_t sizes[] = { 40, 64 };
    sb_server_config     c;
    sb_server_defaults(&c);
    c.system = 99; /* a mod's, whose sets the room does not know */
    c.client_sets = true;
    room    *r = room_open(&c);
    seat    *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    uint32_t ship = seat_spawn(r, a, 5, here);
    char     name[65] = "";
    memset(name, 'A', 64);
    for (unsigned i = 0; i < 2; i++) {
        enter_set(r, a, sizes[i]);
        CHECK_EQ(b->by_opcode[0x1F], i + 1);
        seat      *late = room_load(r, "Newcomer");
        sb_message m;
        burst(late, "2A 20", 1);
        room_step(r);
        CHECK_EQ(sb_decode_message(seat_find(late, 0x03), NULL, &m, NULL), SB_OK);
        CHECK_EQ(m.as.object_create.object_id, ship);
        CHECK_BYTES(m.as.object_create.set_name.data, m.as.object_create.set_name.size, name,
                    sizes[i]);
    }
    uint64_t refused =
        COUNTED(r, SB_SERVER_COUNT_MALFORMED) + COUNTED(r, SB_SERVER_COUNT_BAD_VALUE);
    enter_set(r, a, 65);
    CHECK_EQ(b->by_opcode[0x1F], 2);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_MALFORMED) + COUNTED(r, SB_SERVER_COUNT_BAD_VALUE),
             refused + 1);
}

TEST(a_set_name_without_nul_is_refused_and_not_relayed)
{
    static const char *const names[] = { "1F FF FF FF 3F 06 00 00 00 4D 75 6C 74 69 32",
                                         "1F FF FF FF 3F 06 00 00 00 4D 75 6C 74 69 32 00" };
    room                    *r = room_open(NULL);
    seat                    *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    (void)seat_spawn(r, a, 5, here);
    for (unsigned i = 0; i < 2; i++) {
        seat_say_hex(r, a, names[i]);
        CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_BAD_VALUE), i + 1);
        CHECK_EQ(b->by_opcode[0x1F], 0);
    }
}

/* ---- failed checksum rounds (spec 12 #9) ---- */

static room *open_checked(sb_checksum_mode mode)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.checksums = mode;
    return room_open(&c);
}

static const char round_2[] =
    "20 02 0D 00 73 63 72 69 70 74 73 2F 73 68 69 70 73 05 00 2A 2E 70 79 63 21";
static const char round_3[] =
    "20 03 10 00 73 63 72 69 70 74 73 2F 6D 61 69 6E 6D 65 6E 75 05 00 2A 2E 70 79 63 20";

static void expect_unreadable(sb_checksum_mode mode, const char *answer, unsigned offset)
{
    room *r = open_checked(mode);
    seat *s = room_connect(r, "Alpha");
    for (unsigned i = 0; i < 2; i++) seat_answer_round(r, s, sb_vanilla_manifest());
    seat_say_hex(r, s, answer);
    char expected[160];
    snprintf(expected, sizeof expected,
             "the answer to checksum round 02 (scripts/ships/*.pyc) cannot be read at byte %u",
             offset);
    const room_event *e = room_expect(r, SB_SERVER_REFUSED);
    CHECK_EQ(e->event.value, SB_SERVER_COUNT_MALFORMED);
    CHECK_TEXT(e->text, expected);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_MALFORMED), 1);
    if (mode == SB_CHECKSUM_STRICT) {
        CHECK_TEXT(room_expect(r, SB_SERVER_JOIN_FAILED)->text, expected);
        CHECK(seat_is_removed(r, s));
        CHECK_EQ(s->boot_reason, SB_BOOT_KICKED);
    } else {
        EXPECT_HEARD(r, s, round_2);
        EXPECT_HEARD(r, s, round_3); /* the join continues */
    }
}

TEST(an_unreadable_checksum_answer_is_reported_with_its_offset)
{
    static const struct {
        const char *answer;
        unsigned    offset;
    } unreadable[] = {
        { "21 02 11 22", 2 },                                     /* half a hash */
        { "21 02 11 22 33 44 02 00 01 02 03 04 05 06 07 08", 8 }, /* one file of two */
        { "21 02 11 22 33 44 00 00 00 AA BB", 9 }, /* complete, with trailing bytes */
    };
    for (size_t i = 0; i < sizeof unreadable / sizeof *unreadable; i++) {
        expect_unreadable(SB_CHECKSUM_LOG, unreadable[i].answer, unreadable[i].offset);
        expect_unreadable(SB_CHECKSUM_STRICT, unreadable[i].answer, unreadable[i].offset);
    }
}

static void expect_late(sb_checksum_mode mode, unsigned answered, const char *round)
{
    room *r = open_checked(mode);
    seat *s = room_connect(r, "Alpha");
    for (unsigned i = 0; i < answered; i++) seat_answer_round(r, s, sb_vanilla_manifest());
    room_wait(r, 29 * SB_SECOND);
    CHECK(!s->left);
    room_wait(r, 2 * SB_SECOND);
    CHECK(seat_is_removed(r, s));
    CHECK_EQ(s->boot_reason, SB_BOOT_TIMED_OUT);
    char expected[160];
    snprintf(expected, sizeof expected, "no answer to checksum round %s in time", round);
    CHECK_TEXT(room_expect(r, SB_SERVER_JOIN_FAILED)->text, expected);
}

TEST(a_missing_checksum_answer_is_reported_with_its_round)
{
    expect_late(SB_CHECKSUM_LOG, 0, "00 (scripts/App.pyc)");
    expect_late(SB_CHECKSUM_STRICT, 0, "00 (scripts/App.pyc)");
    expect_late(SB_CHECKSUM_LOG, 2, "02 (scripts/ships/*.pyc)");
    expect_late(SB_CHECKSUM_STRICT, 4, "FF (Scripts/Multiplayer/*.pyc)");
}
