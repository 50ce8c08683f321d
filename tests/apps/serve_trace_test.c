/* tests/apps/serve_trace_test.c -- log lines of --trace-damage, implausible actions and refusals:
 * events of a room go to serve_log_event, and the tests read the lines.
 */
#include "serve/serve.h"

#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SOVEREIGN = 5, BIRD_OF_PREY = 6, ALICE = 2, BOB = 3 };

#define ALICES 0x3FFFFFFFu
#define BOBS   0x4003FFFFu

/* ---- a log of a room ---- */

static serve_room the_room;
static sb_log     the_log;
static int        ends[2];
static sb_time    now;

static sb_span span(const char *text)
{
    return (sb_span){ (const uint8_t *)text, strlen(text) };
}

static void tell(sb_server_event e)
{
    e.now = now += SB_SECOND;
    serve_log_event(&the_room, &e);
}

static const char *read_log(void)
{
    static char text[1 << 16];
    ssize_t     size = read(ends[0], text, sizeof text - 1);
    text[size > 0 ? size : 0] = '\0';
    return text;
}

/* Alice in a Sovereign, Bob in a Bird of Prey. */
static void open_room(sb_log_level level, bool json)
{
    CHECK_EQ(pipe2(ends, O_NONBLOCK), 0);
    sb_log_open(&the_log, &(sb_log_options){ .descriptor = ends[1], .level = level, .json = json });
    memset(&the_room, 0, sizeof the_room);
    the_room.number = 1;
    the_room.log = &the_log;
    tell((sb_server_event){ .type = SB_SERVER_NAMED, .peer_id = ALICE, .name = span("Alice") });
    tell((sb_server_event){ .type = SB_SERVER_NAMED, .peer_id = BOB, .name = span("Bob") });
    tell((sb_server_event){
        .type = SB_SERVER_SPAWNED, .peer_id = ALICE, .object_id = ALICES, .value = SOVEREIGN });
    tell((sb_server_event){
        .type = SB_SERVER_SPAWNED, .peer_id = BOB, .object_id = BOBS, .value = BIRD_OF_PREY });
    (void)read_log();
}

static void close_room(void)
{
    sb_log_close(&the_log);
    close(ends[0]);
    close(ends[1]);
}

/* Checks the sentence for an event of a ship. */
static void expect_line(uint8_t owner, sb_combat_event c, const char *sentence)
{
    char expected[512];
    tell((sb_server_event){
        .type = SB_SERVER_COMBAT, .peer_id = owner, .object_id = c.object_id, .combat = &c });
    snprintf(expected, sizeof expected, " info    combat   room 1: %s\n", sentence);
    const char *line = read_log();
    CHECK(strlen(line) > 24);
    CHECK_TEXT(line + 24, expected); /* behind the time */
}

#define EVENT(...) ((sb_combat_event){ .child = -1, __VA_ARGS__ })

/* ---- the lines ---- */

TEST(a_torpedo_on_shields_is_explained)
{
    open_room(SB_LOG_INFO, false);
    expect_line(ALICE,
                EVENT(.type = SB_COMBAT_HIT, .object_id = ALICES, .attacker_ship = BOBS,
                      .attacker = BOB, .cause = SB_DAMAGE_TORPEDO, .shields = true, .index = 1,
                      .amount = 500),
                "Alice (Sovereign): torpedo of Bob (Bird of Prey), 500.00 HP on the rear shield");
    expect_line(ALICE,
                EVENT(.type = SB_COMBAT_ABSORBED, .object_id = ALICES, .attacker_ship = BOBS,
                      .attacker = BOB, .cause = SB_DAMAGE_TORPEDO, .index = 1, .amount = 500,
                      .left = 5000),
                "Alice (Sovereign): rear shield absorbs 500.00 HP, 5000.00 left (torpedo of Bob "
                "(Bird of Prey))");
    expect_line(ALICE,
                EVENT(.type = SB_COMBAT_ABSORBED, .object_id = ALICES, .attacker_ship = BOBS,
                      .attacker = BOB, .cause = SB_DAMAGE_BOLT, .index = 5, .amount = 1.5f),
                "Alice (Sovereign): right shield absorbs 1.50 HP, empty (bolt of Bob (Bird of "
                "Prey))");
    expect_line(
        ALICE, EVENT(.type = SB_COMBAT_SHIELD_LOST, .object_id = ALICES, .index = 1, .amount = 500),
        "Alice (Sovereign): rear shield drops with the generator, 500.00 HP");
    close_room();
}

TEST(a_beam_on_the_hull_is_explained_subsystem_by_subsystem)
{
    const sb_ship_class *bird = sb_find_ship(sb_stock_ships(), BIRD_OF_PREY);
    unsigned             system = 0;
    while (bird->subsystems[system].child_count == 0) system++;
    const char *child = bird->children[bird->subsystems[system].first_child].name;
    char        sentence[256];
    open_room(SB_LOG_INFO, false);
    expect_line(
        BOB,
        EVENT(.type = SB_COMBAT_HIT, .object_id = BOBS, .attacker_ship = ALICES, .attacker = ALICE,
              .cause = SB_DAMAGE_BEAM, .amount = 4.25f),
        "Bob (Bird of Prey): beam of Alice (Sovereign), 4.25 HP from the front, not stopped "
        "by a shield");
    snprintf(sentence, sizeof sentence,
             "Bob (Bird of Prey): %s loses 4.25 HP, 10.00 left (beam of Alice (Sovereign))",
             bird->subsystems[1].name);
    expect_line(BOB,
                EVENT(.type = SB_COMBAT_DAMAGED, .object_id = BOBS, .attacker_ship = ALICES,
                      .attacker = ALICE, .cause = SB_DAMAGE_BEAM, .index = 1, .amount = 4.25f,
                      .left = 10),
                sentence);
    snprintf(sentence, sizeof sentence,
             "Bob (Bird of Prey): %s loses 4.25 HP, destroyed (beam of Alice (Sovereign))", child);
    expect_line(BOB,
                (sb_combat_event){ .type = SB_COMBAT_DAMAGED,
                                   .object_id = BOBS,
                                   .attacker_ship = ALICES,
                                   .attacker = ALICE,
                                   .cause = SB_DAMAGE_BEAM,
                                   .index = (uint8_t)system,
                                   .child = 0,
                                   .amount = 4.25f },
                sentence);
    snprintf(sentence, sizeof sentence, "Bob (Bird of Prey): %s goes on the repair list", child);
    expect_line(BOB,
                (sb_combat_event){ .type = SB_COMBAT_REPAIR_ADDED,
                                   .object_id = BOBS,
                                   .index = (uint8_t)system,
                                   .child = 0,
                                   .subsystem_id = BOBS + 9,
                                   .repair_id = BOBS + 4 },
                sentence);
    expect_line(BOB,
                EVENT(.type = SB_COMBAT_EXPLODING, .object_id = BOBS, .attacker_ship = ALICES,
                      .attacker = ALICE, .cause = SB_DAMAGE_BEAM, .lifetime = 9.5f),
                "Bob (Bird of Prey): explodes: beam of Alice (Sovereign); the wreck lasts 9.5 s");
    close_room();
}

TEST(collisions_and_self_destructs_are_explained)
{
    open_room(SB_LOG_INFO, false);
    expect_line(
        ALICE,
        EVENT(.type = SB_COMBAT_HIT, .object_id = ALICES, .cause = SB_DAMAGE_COLLISION,
              .amount = 11066.67f),
        "Alice (Sovereign): collision, 11066.67 HP from the front, not stopped by a shield");
    expect_line(ALICE,
                EVENT(.type = SB_COMBAT_HIT, .object_id = ALICES, .cause = SB_DAMAGE_COLLISION,
                      .attacker_ship = BOBS, .attacker = BOB, .amount = 700, .index = 2),
                "Alice (Sovereign): collision with Bob (Bird of Prey), 700.00 HP from the top, not "
                "stopped by a shield");
    expect_line(ALICE,
                EVENT(.type = SB_COMBAT_HIT, .object_id = ALICES, .cause = SB_DAMAGE_SELF_DESTRUCT,
                      .amount = 12000),
                "Alice (Sovereign): self-destruct, 12000.00 HP");
    expect_line(ALICE,
                EVENT(.type = SB_COMBAT_DAMAGED, .object_id = ALICES,
                      .cause = SB_DAMAGE_SELF_DESTRUCT, .amount = 12000),
                "Alice (Sovereign): Hull loses 12000.00 HP, destroyed (self-destruct)");
    expect_line(ALICE,
                EVENT(.type = SB_COMBAT_HIT, .object_id = ALICES, .cause = SB_DAMAGE_SPLASH,
                      .attacker_ship = BOBS, .amount = 60, .shields = true),
                "Alice (Sovereign): explosion nearby of Bird of Prey, 60.00 HP on the front "
                "shield");
    close_room();
}

TEST(repairs_cloaks_and_deaths_are_logged_gains_only_for_debug)
{
    open_room(SB_LOG_INFO, false);
    expect_line(ALICE,
                EVENT(.type = SB_COMBAT_REPAIR_COMPLETED, .object_id = ALICES, .subsystem_id = 1,
                      .repair_id = 2),
                "Alice (Sovereign): Hull is repaired");
    expect_line(ALICE, EVENT(.type = SB_COMBAT_REPAIR_IMPOSSIBLE, .object_id = ALICES),
                "Alice (Sovereign): Hull cannot be repaired (unknown id: not sent to players)");
    expect_line(BOB, EVENT(.type = SB_COMBAT_CLOAK, .object_id = BOBS, .index = 2),
                "Bob (Bird of Prey): cloaks");
    expect_line(BOB, EVENT(.type = SB_COMBAT_GONE, .object_id = BOBS),
                "Bob (Bird of Prey): the wreck is gone");
    expect_line(BOB,
                EVENT(.type = SB_COMBAT_DAMAGED, .object_id = 77, .index = 200, .amount = 1,
                      .left = 1, .cause = SB_DAMAGE_BEAM),
                "Bob (unknown ship): subsystem 200.-1 loses 1.00 HP, 1.00 left (beam)");
    sb_combat_event gain = EVENT(.type = SB_COMBAT_RECHARGED, .object_id = ALICES, .amount = 1);
    tell((sb_server_event){ .type = SB_SERVER_COMBAT, .peer_id = ALICE, .combat = &gain });
    CHECK_TEXT(read_log(), "");
    close_room();
}

TEST(programs_get_names_and_numbers_of_every_point)
{
    open_room(SB_LOG_INFO, true);
    sb_combat_event hit =
        EVENT(.type = SB_COMBAT_DAMAGED, .object_id = ALICES, .attacker_ship = BOBS,
              .attacker = BOB, .cause = SB_DAMAGE_TORPEDO, .amount = 500, .left = 11500);
    tell((sb_server_event){ .type = SB_SERVER_COMBAT, .peer_id = ALICE, .combat = &hit });
    const char              *line = read_log();
    static const char *const values[] = {
        "\"event\":\"combat\"",   "\"player\":\"Alice\"",
        "\"combat\":\"damaged\"", "\"class\":\"Sovereign\"",
        "\"cause\":\"torpedo\"",  "\"attacker_name\":\"Bob\"",
        "\"subsystem\":\"Hull\"", "\"attacker_class\":\"Bird of Prey\"",
        "\"amount\":500",         "\"left\":11500",
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (!strstr(line, values[i])) FAIL("no %s in %s", values[i], line);
    close_room();
}

TEST(a_suspicion_is_a_warning_with_player_and_reason)
{
    open_room(SB_LOG_INFO, false);
    tell((sb_server_event){ .type = SB_SERVER_SUSPICIOUS,
                            .peer_id = BOB,
                            .object_id = BOBS,
                            .value = SB_IMPLAUSIBLE_POSITION,
                            .claimed = 512.25,
                            .possible = 12.9,
                            .text = span(sb_implausible_text(SB_IMPLAUSIBLE_POSITION)) });
    const char *line = read_log();
    CHECK(strlen(line) > 24);
    CHECK_TEXT(line + 24,
               " warning cheat    room 1: Bob: position: positions farther from the last "
               "one than the engines can reach (512.2 units, possible 12.9)\n");
    close_room();
}

/* ---- and all of it together: every point a real fight takes is in the lines ---- */

static sb_ship fighters[2];

static void on_combat(void *context, const sb_combat_event *c)
{
    (void)context;
    uint8_t owner = c->object_id == ALICES ? ALICE : BOB;
    serve_log_event(&the_room, &(sb_server_event){ .type = SB_SERVER_COMBAT,
                                                   .peer_id = owner,
                                                   .object_id = c->object_id,
                                                   .combat = c,
                                                   .now = now });
}

/* The sum of the HP after the word, in all lines since the last call. */
static double sum_after(const char *lines, const char *word)
{
    double sum = 0;
    for (const char *at = lines; (at = strstr(at, word)); at += strlen(word))
        sum += atof(at + strlen(word));
    return sum;
}

static double health(const sb_ship *ship)
{
    double sum = 0;
    for (unsigned i = 0; i < ship->model->subsystem_count; i++) sum += (double)ship->condition[i];
    for (unsigned i = 0; i < ship->model->child_count; i++) sum += (double)ship->child_condition[i];
    for (unsigned i = 0; i < SB_FACINGS; i++) sum += (double)ship->facing[i];
    return sum;
}

TEST(the_lines_of_a_fight_add_up_to_what_the_ships_lost)
{
    sb_combat_config config;
    sb_combat_defaults(&config);
    open_room(SB_LOG_DEBUG, false); /* with the lines of repairs */
    void      *memory = malloc(sb_combat_bytes(&config));
    sb_combat *combat = sb_combat_init(memory, &config, 0);
    sb_combat_listen(combat, on_combat, NULL, true);
    for (unsigned i = 0; i < 2; i++) {
        uint8_t species = i ? BIRD_OF_PREY : SOVEREIGN;
        sb_ship_init(&fighters[i], sb_find_ship(sb_stock_ships(), species), species,
                     i ? BOBS : ALICES);
        fighters[i].motion.position.y = i ? 15 : 0;
        CHECK_EQ(sb_combat_add_ship(combat, &fighters[i], i ? BOB : ALICE, 1, 0), SB_OK);
    }
    fighters[1].on[1] = false; /* shields down: hits reach the hull */
    sb_combat_torpedo(combat, ALICES, ALICES + 1 + 6, 2, (sb_cv3){ 0, 127, 0 }, BOBS,
                      (sb_cv4b){ 0 });
    sb_combat_start_firing(combat, ALICES, ALICES + 1 + 0x19, BOBS, (sb_cv4b){ 0 });
    double told = 0, before = health(&fighters[1]);
    for (unsigned i = 1; i <= 60; i++) { /* two strikes of the beams, and the torpedo */
        sb_combat_advance(combat, (sb_time)i * SB_SECOND / 30);
        const char *lines = read_log();
        told += sum_after(lines, " loses ") + sum_after(lines, " absorbs ");
        told -= sum_after(lines, " gains ");
        CHECK_EQ(the_log.lost, 0);
    }
    double lost = before - health(&fighters[1]);
    CHECK(lost > 100);
    CHECK(told > 0.99 * lost && told < 1.01 * lost); /* lines have two decimals */
    free(memory);
    close_room();
}

/* ---- files that differ ---- */

static unsigned count_lines(const char *text, const char *word)
{
    unsigned count = 0;
    for (; (text = strstr(text, word)); text++) count++;
    return count;
}

/* All at one moment. */
static void tell_now(sb_server_event e)
{
    e.now = now;
    serve_log_event(&the_room, &e);
}

/* Five rounds of a client with a mod: `files` differ in each. */
static void tell_rounds(uint8_t peer_id, unsigned files)
{
    for (uint8_t round = 0; round < 5; round++) {
        for (unsigned i = 0; i < files; i++) {
            char          name[32];
            sb_difference d = { .position = round, .directory = "", .name = name, .found = i };
            snprintf(name, sizeof name, "peer%u-%u-%u.pyc", peer_id, round, i);
            tell_now((sb_server_event){
                .type = SB_SERVER_FILES_DIFFER, .peer_id = peer_id, .difference = &d });
        }
        tell_now(
            (sb_server_event){ .type = SB_SERVER_CHECKED, .peer_id = peer_id, .value = files });
    }
}

TEST(files_of_several_players_who_join_at_once_are_all_named)
{
    open_room(SB_LOG_WARNING, false);
    for (uint8_t peer_id = 2; peer_id < 5; peer_id++) tell_rounds(peer_id, 30);
    const char *text = read_log();
    for (unsigned peer_id = 2; peer_id < 5; peer_id++)
        for (unsigned round = 0; round < 5; round++) {
            char word[32];
            snprintf(word, sizeof word, "peer%u-%u-", peer_id, round);
            CHECK_EQ(count_lines(text, word), 8);
        }
    CHECK_EQ(count_lines(text, "not logged"), 0);
    close_room();
}

TEST(a_player_who_sends_files_again_and_again_is_limited)
{
    open_room(SB_LOG_WARNING, false);
    for (int i = 0; i < 10; i++) tell_rounds(ALICE, 30);
    const char *text = read_log();
    CHECK_EQ(count_lines(text, "peer2-"), 40);
    now += 2 * SB_SECOND;
    tell_rounds(ALICE, 1);
    text = read_log();
    CHECK_EQ(count_lines(text, "360 events of type `files-differ` were not logged"), 1);
    CHECK_EQ(count_lines(text, "peer2-"), 5);
    close_room();
}

/* ---- who may not come, who must go ---- */

TEST(a_refused_connect_is_logged_with_its_address_and_limited)
{
    sb_server_event e = { .type = SB_SERVER_CONNECT_REFUSED,
                          .address = { 0x0A000001, 4000 },
                          .value = SB_BOOT_PASSWORD,
                          .other = SB_TRANSPORT_COUNT_REFUSED_PASSWORD,
                          .text = span("wrong password") };
    open_room(SB_LOG_INFO, true);
    tell_now(e);
    const char *text = read_log();
    CHECK_EQ(count_lines(text, "\"message\":\"10.0.0.1:4000 is refused: wrong password\""), 1);
    CHECK_EQ(count_lines(text, "\"event\":\"connect-refused\",\"address\":\"10.0.0.1:4000\","
                               "\"reason\":\"wrong password\",\"cause\":\"refused_password\","
                               "\"boot_reason\":2,\"skipped\":0}"),
             1);
    for (int i = 0; i < 50; i++) { /* a stranger can have any port: nine seconds, no line */
        e.address.port++;
        if (i < 9) tell(e);
        else tell_now(e);
    }
    CHECK_TEXT(read_log(), "");
    tell(e);
    CHECK(strstr(read_log(), "is refused: wrong password, and 50 times before\""));
    close_room();
}

/* Lines about refused Connects are limited for all addresses together. */
TEST(connects_from_everywhere_are_limited_together)
{
    sb_server_event e = { .type = SB_SERVER_CONNECT_REFUSED, .text = span("full") };
    open_room(SB_LOG_INFO, false);
    for (uint32_t i = 1; i <= 1000; i++) {
        e.address = (sb_endpoint){ 0x0A000000 + i, 4000 };
        tell_now(e);
    }
    CHECK_EQ(count_lines(read_log(), "is refused"), 2);
    e.address = (sb_endpoint){ 0x0B000001, 4000 };
    tell(e);
    const char *text = read_log();
    CHECK_EQ(count_lines(text, "998 events of type `connect-refused` were not logged"), 1);
    CHECK_EQ(count_lines(text, "11.0.0.1:4000 is refused: full"), 1);
    close_room();
}

/* ---- refusals: one line per source and 10 s (spec 01 §10.3) ---- */

static sb_server_event refusal(uint8_t peer_id, sb_server_counter why)
{
    return (sb_server_event){ .type = SB_SERVER_REFUSED,
                              .peer_id = peer_id,
                              .address = { 0x0A000001, (uint16_t)(4000 + peer_id) },
                              .value = why,
                              .text = span(sb_server_counter_text(why)) };
}

TEST(a_player_who_is_always_refused_has_a_line_in_ten_seconds)
{
    open_room(SB_LOG_INFO, false);
    for (int i = 0; i < 10; i++) { /* a second each */
        tell(refusal(ALICE, SB_SERVER_COUNT_MALFORMED));
        tell_now(refusal(ALICE, SB_SERVER_COUNT_FOREIGN_OBJECT));
        tell_now(refusal(ALICE, SB_SERVER_COUNT_BAD_VALUE));
    }
    const char *text = read_log();
    CHECK_EQ(count_lines(text, "Alice: "), 1);
    CHECK_EQ(count_lines(text, "Alice: malformed: messages that cannot be decoded\n"), 1);
    tell(refusal(ALICE, SB_SERVER_COUNT_BAD_VALUE));
    text = read_log();
    CHECK_EQ(
        count_lines(text, "Alice: bad_value: values outside their range, and 29 times before\n"),
        1);
    close_room();
}

TEST(refusals_of_one_player_do_not_hide_those_of_another)
{
    open_room(SB_LOG_INFO, false);
    for (int i = 0; i < 100; i++) tell_now(refusal(ALICE, SB_SERVER_COUNT_MALFORMED));
    tell_now(refusal(BOB, SB_SERVER_COUNT_MALFORMED)); /* behind the same address */
    const char *text = read_log();
    CHECK_EQ(count_lines(text, "Alice: "), 1);
    CHECK_EQ(count_lines(text, "Bob: malformed"), 1);
    close_room();
}

TEST(sources_beyond_the_table_take_the_place_of_the_oldest)
{
    open_room(SB_LOG_INFO, false);
    sb_server_event e = refusal(ALICE, SB_SERVER_COUNT_MALFORMED);
    for (uint16_t i = 0; i < 3 * SERVE_SOURCES; i++) {
        e.address.port = (uint16_t)(5000 + i);
        now += SB_SECOND / 10;
        tell_now(e);
    }
    CHECK_EQ(the_room.players.count, SERVE_SOURCES);
    CHECK_EQ(count_lines(read_log(), "Alice: malformed"), 3 * SERVE_SOURCES);
    tell_now(e); /* the latest is still known */
    e.address.port = 5000 + 2 * SERVE_SOURCES;
    tell_now(e); /* and the oldest that has kept its place */
    CHECK_TEXT(read_log(), "");
    close_room();
}

/* ---- Connects that the transport only counts ---- */

static void knock(sb_server *server, unsigned times)
{
    static const uint8_t connect[] = { 0xFF, 0xD7, 0x33, 0x61, 0x38, 0xB3, 0x5B, 0x33, 0x4D,
                                       0x60, 0xF3, 0x4D, 0xC9, 0xC2, 0xF6, 0x0E, 0x8D };
    for (unsigned i = 0; i < times; i++) {
        sb_endpoint from = { 0x0A000000 + i % 256, 4000 };
        (void)!sb_server_receive(server, now, from, (sb_span){ connect, sizeof connect });
        serve_log_refused_connects(&the_room.room, now);
    }
}

TEST(a_flood_of_connects_is_a_warning_every_ten_seconds)
{
    sb_server_config config;
    sb_server_defaults(&config);
    config.on_event = serve_log_event;
    config.event_context = &the_room;
    open_room(SB_LOG_INFO, true);
    void *memory = calloc(1, sb_server_bytes(&config));
    the_room.room.server = sb_server_init(memory, &config, now);
    knock(the_room.room.server, 8);
    CHECK_TEXT(read_log(), "");         /* nothing unusual */
    knock(the_room.room.server, 13000); /* a /24 has 12,000 a second (spec 01 §10.6) */
    const char *text = read_log();
    CHECK_EQ(count_lines(text, "\"level\":\"warning\""), 1);
    CHECK_EQ(count_lines(text, "\"event\":\"connects-unanswered\""), 1);
    now += 9 * SB_SECOND;
    knock(the_room.room.server, 13000);
    CHECK_TEXT(read_log(), "");
    now += SB_SECOND;
    serve_log_refused_connects(&the_room.room, now);
    text = read_log();
    CHECK_EQ(count_lines(text, "\"event\":\"connects-unanswered\""), 1);
    CHECK_EQ(count_lines(text, "\"connect_rate_source\":"), 1);
    CHECK_EQ(count_lines(text, "\"connect_rate_total\":"), 1);
    now += 60 * SB_SECOND;
    serve_log_refused_connects(&the_room.room, now); /* it is over: no more of it */
    CHECK_TEXT(read_log(), "");
    free(memory);
    close_room();
}

TEST(a_player_who_is_removed_is_logged_with_the_reason)
{
    open_room(SB_LOG_INFO, false);
    tell((sb_server_event){ .type = SB_SERVER_KICKED, .peer_id = ALICE, .text = span("spam") });
    CHECK(strstr(read_log(), " warning leave    room 1: Alice is removed: spam\n"));
    tell((sb_server_event){ .type = SB_SERVER_KICKED, .peer_id = BOB });
    CHECK(strstr(read_log(), " warning leave    room 1: Bob is removed\n"));
    close_room();
}
