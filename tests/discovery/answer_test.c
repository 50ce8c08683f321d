/* tests/discovery/answer_test.c -- spec 05 §3: queries, their answers, and how answers are split.
 */
#include "discovery/answer.h"
#include "rig.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

/* ---- queries, spec 05 §3 ---- */

TEST(status_answer_is_the_worked_example_byte_for_byte)
{
    static const uint8_t query[] = { 0x5C, 0x73, 0x74, 0x61, 0x74, 0x75, 0x73, 0x5C };
    rig                  r = new_rig();
    CHECK_EQ(ask(&r, stranger, "\\basic\\"), SB_OK);
    check_next_packet(&r, stranger, BASIC "\\final\\\\queryid\\1.1");
    CHECK_EQ(sb_responder_receive(r.responder, r.now, stranger, (sb_span){ query, sizeof query }),
             SB_OK);
    check_next_packet(&r, stranger, BASIC INFO RULES PLAYERS "\\final\\\\queryid\\2.1");
    CHECK_EQ(r.size, 267);
    CHECK_EQ(counted(&r, SB_QUERY_ANSWERS), 2);
    CHECK_EQ(counted(&r, SB_QUERY_ANSWER_BYTES), 267 + strlen(BASIC) + 19);
    close_rig(&r);
}

TEST(every_query_has_its_groups)
{
    check_answer(stranger, "\\basic\\", BASIC "\\final\\\\queryid\\1.1");
    check_answer(stranger, "\\info\\", INFO "\\final\\\\queryid\\1.1");
    check_answer(stranger, "\\rules\\", RULES "\\final\\\\queryid\\1.1");
    check_answer(stranger, "\\players\\", PLAYERS "\\final\\\\queryid\\1.1");
    check_answer(stranger, "\\status\\", BASIC INFO RULES PLAYERS "\\final\\\\queryid\\1.1");
    check_answer(neighbour, "\\echo\\abc", "\\echo\\abc\\final\\\\queryid\\1.1");
    check_answer(neighbour, "\\echo\\", "\\echo\\\\final\\\\queryid\\1.1");
    check_answer(stranger, "\\basic\\\\secure\\LRPOPQ",
                 BASIC "\\validate\\hMwdTNWS\\final\\\\queryid\\1.1");
}

TEST(lone_secure_is_answered_with_group_b)
{
    rig r = new_rig();
    for (int i = 0; i < 6; i++) CHECK_EQ(ask(&r, stranger, "\\rules\\"), SB_OK);
    CHECK_EQ(drain(&r), 6);
    CHECK_EQ(ask(&r, stranger, "\\secure\\ABCDEF"), SB_OK);
    check_next_packet(&r, stranger, BASIC "\\validate\\zfmiAycI\\final\\\\queryid\\7.1");
    close_rig(&r);
}

TEST(packets_flushes_every_group_as_its_own_packet)
{
    rig r = new_rig();
    CHECK_EQ(ask(&r, neighbour, "\\packets\\"), SB_OK);
    check_next_packet(&r, neighbour, BASIC "\\queryid\\1.1");
    CHECK(sb_responder_is_waiting(r.responder));
    check_next_packet(&r, neighbour, INFO "\\queryid\\1.2");
    check_next_packet(&r, neighbour, RULES "\\queryid\\1.3");
    check_next_packet(&r, neighbour, PLAYERS "\\final\\\\queryid\\1.4");
    CHECK(!next_packet(&r));

    r.status.name_count = 0; /* the last packet is sent anyway: it has final */
    CHECK_EQ(ask(&r, neighbour, "\\echo\\x\\packets\\\\status\\\\secure\\AAAAAA"), SB_OK);
    for (int i = 0; i < 3; i++) CHECK(next_packet(&r));
    check_next_packet(&r, neighbour, "\\echo\\x\\validate\\zRNlMVhc\\final\\\\queryid\\2.4");
    CHECK(!next_packet(&r));

    CHECK_EQ(ask(&r, neighbour, "\\packets\\\\secure\\AAAAAA"), SB_OK);
    for (int i = 0; i < 3; i++) CHECK(next_packet(&r));
    check_next_packet(&r, neighbour, "\\validate\\zRNlMVhc\\final\\\\queryid\\3.4");
    close_rig(&r);
}

TEST(several_queries_give_each_group_once_in_the_specs_order)
{
    check_answer(neighbour,
                 "\\secure\\ABCDEF\\echo\\hi\\players\\\\rules\\\\info\\\\players\\\\basic\\"
                 "\\status\\\\echo\\again\\secure\\LRPOPQ",
                 BASIC INFO RULES PLAYERS "\\echo\\hi\\validate\\zfmiAycI\\final\\\\queryid\\1.1");
    check_answer(stranger, "\\players\\\\basic\\", BASIC PLAYERS "\\final\\\\queryid\\1.1");
    check_answer(stranger, "\\unknown\\1\\rules\\", RULES "\\final\\\\queryid\\1.1");
}

TEST(basic_includes_info_if_configured)
{
    rig r = { 0 };
    sb_responder_defaults(&r.config);
    CHECK(!r.config.basic_includes_info);
    r.config.basic_includes_info = true;
    open_rig(&r);
    CHECK_EQ(ask(&r, stranger, "\\basic\\"), SB_OK);
    check_next_packet(&r, stranger, BASIC INFO "\\final\\\\queryid\\1.1");
    CHECK_EQ(ask(&r, stranger, "\\secure\\ABCDEF"), SB_OK);
    check_next_packet(&r, stranger, BASIC "\\validate\\zfmiAycI\\final\\\\queryid\\2.1");
    close_rig(&r);
}

TEST(queryid_counts_answers_and_not_queries)
{
    rig r = new_rig();
    CHECK_EQ(ask(&r, stranger, "\\foo\\"), SB_UNKNOWN_OPCODE);
    CHECK_EQ(ask(&r, stranger, "\\players\\"), SB_OK);
    CHECK_EQ(ask(&r, neighbour, "\\players\\"), SB_OK);
    check_next_packet(&r, stranger, PLAYERS "\\final\\\\queryid\\1.1");
    check_next_packet(&r, neighbour, PLAYERS "\\final\\\\queryid\\2.1");
    close_rig(&r);
}

TEST(values_follow_the_status)
{
    rig r = new_rig();
    r.status.password = true;
    r.status.open = false;
    r.status.player_count = 3;
    r.status.player_limit = 16;
    r.status.time_limit = 20;
    r.status.frag_limit = 10;
    r.status.location = INT32_MIN;
    r.status.name_count = 2;
    r.status.names[1] = text("Kirk");
    CHECK_EQ(ask(&r, stranger, "\\status\\"), SB_OK);
    check_next_packet(
        &r, stranger,
        "\\gamename\\bcommander\\gamever\\60\\location\\-2147483648\\hostname\\*My Game23"
        "\\missionscript\\Multiplayer.Episode.Mission1.Mission1\\mapname\\DM\\numplayers\\3"
        "\\maxplayers\\16\\gamemode\\settings\\timelimit\\20\\fraglimit\\10"
        "\\system\\Multi1\\password\\1\\player_0\\Dedicated Server\\player_1\\Kirk"
        "\\final\\\\queryid\\1.1");
    close_rig(&r);
}

TEST(names_cannot_forge_keys)
{
    rig r = new_rig();
    r.status.names[0] = text("Ev\\numplayers\\99");
    r.status.host_name = text("a\\final\\\nb");
    r.status.mode_name = (sb_span){ (const uint8_t *)"D\0M", 3 };
    r.status.system = text("\\");
    r.status.mission_script = text("x\\y");
    static const char *const queries[] = { "\\status\\", "\\players\\\\info\\\\rules\\",
                                           "\\packets\\" };
    for (size_t i = 0; i < 3; i++) {
        sb_found found = { 0 };
        sb_span  value;
        CHECK_EQ(ask(&r, neighbour, queries[i]), SB_OK);
        while (next_packet(&r))
            CHECK_EQ(sb_found_add(&found, (sb_span){ r.packet, r.size }), SB_OK);
        CHECK(found.complete);
        CHECK(sb_found_value(&found, "player_0", &value));
        check_span(value, "Ev/numplayers/99");
        CHECK(sb_found_value(&found, "numplayers", &value));
        check_span(value, "0");
        CHECK(sb_found_value(&found, "hostname", &value));
        check_span(value, "a/final/b");
        CHECK(sb_found_value(&found, "mapname", &value));
        check_span(value, "DM");
        CHECK(sb_found_value(&found, "system", &value));
        check_span(value, "/");
        CHECK(sb_found_value(&found, "missionscript", &value));
        check_span(value, "x/y");
    }
    close_rig(&r);
}

/* ---- splitting, spec 05 §3.3 ---- */

static size_t payload_of(const rig *r)
{
    static const char mark[] = "\\queryid\\";
    for (size_t at = r->size; at-- > 0;)
        if (r->size - at >= 9 && memcmp(r->packet + at, mark, 9) == 0) return at;
    FAIL("no queryid");
}

TEST(long_answers_are_split_between_pairs)
{
    rig     r = unlimited_rig();
    uint8_t letters[300];
    make_longest(&r, letters);
    CHECK_EQ(ask(&r, stranger,
                 "\\status\\\\secure\\"
                 "1234567890123456789012345678901234567890123456789012345678901234"),
             SB_OK);
    sb_found found = { 0 };
    unsigned packets = 0;
    while (next_packet(&r)) {
        char id[32];
        snprintf(id, sizeof id, "\\queryid\\1.%u", ++packets);
        size_t payload = payload_of(&r);
        CHECK(payload <= SB_ANSWER_PAYLOAD_MAX);
        CHECK_BYTES(r.packet + payload, r.size - payload, id, strlen(id));
        CHECK_EQ(r.packet[0], '\\');
        bool final = memcmp(r.packet + payload - 7, "\\final\\", 7) == 0;
        CHECK_EQ(final, !sb_responder_is_waiting(r.responder));
        CHECK_EQ(sb_found_add(&found, (sb_span){ r.packet, r.size }), SB_OK);
    }
    CHECK_EQ(packets, 3);
    CHECK(found.complete);
    CHECK_EQ(found.size, 3767 - 38 - 7); /* without echo and final */
    sb_span key, value;
    CHECK(sb_found_pair(&found, 3, &key, &value));
    check_span(key, "hostname");
    CHECK_EQ(value.size, 255);
    CHECK_EQ(value.data[0], '*');
    CHECK(sb_found_pair(&found, 44, &key, &value));
    check_span(key, "player_31");
    CHECK_EQ(value.size, 64);
    CHECK(sb_found_pair(&found, 45, &key, &value));
    check_span(key, "validate");
    CHECK_EQ(value.size, 88);
    CHECK(!sb_found_pair(&found, 46, &key, &value));
    close_rig(&r);
}

TEST(longest_answers_apart_have_six_packets_at_most)
{
    rig     r = unlimited_rig();
    uint8_t letters[300];
    make_longest(&r, letters);
    CHECK_EQ(ask(&r, neighbour,
                 "\\packets\\\\echo\\12345678901234567890123456789012\\secure\\"
                 "1234567890123456789012345678901234567890123456789012345678901234"),
             SB_OK);
    sb_found found = { 0 };
    unsigned packets = 0;
    while (next_packet(&r)) {
        packets++;
        CHECK_EQ(sb_found_add(&found, (sb_span){ r.packet, r.size }), SB_OK);
    }
    CHECK(packets >= 5 && packets <= 6);
    CHECK(found.complete);
    CHECK_EQ(found.size, 3767 - 7);
    close_rig(&r);
}

/* Finds the length of the last name at which the payload is exactly full. */
TEST(payload_of_1349_bytes_is_one_packet_and_1350_are_two)
{
    uint8_t letters[300];
    rig     r = unlimited_rig();
    memset(letters, 'x', sizeof letters);
    r.status.name_count = 16;
    for (size_t i = 0; i < 15; i++) r.status.names[i] = (sb_span){ letters, 60 };
    size_t used = strlen(BASIC INFO RULES) + 10 * (10 + 60) + 5 * (11 + 60) + 11 + 7;
    CHECK(used < SB_ANSWER_PAYLOAD_MAX);
    size_t rest = SB_ANSWER_PAYLOAD_MAX - used;
    CHECK(rest <= 64 + 60);
    /* The host name takes the bytes that do not fit into a name. */
    r.status.names[15] = (sb_span){ letters, rest / 2 };
    r.status.host_name = (sb_span){ letters, 9 + rest - rest / 2 };
    CHECK_EQ(ask(&r, stranger, "\\status\\"), SB_OK);
    CHECK(next_packet(&r));
    CHECK_EQ(payload_of(&r), SB_ANSWER_PAYLOAD_MAX);
    CHECK(!next_packet(&r));

    r.status.host_name.size++;
    CHECK_EQ(ask(&r, stranger, "\\status\\"), SB_OK);
    CHECK(next_packet(&r));
    CHECK_EQ(payload_of(&r), SB_ANSWER_PAYLOAD_MAX - 6);
    check_next_packet(&r, stranger, "\\final\\\\queryid\\2.2");
    CHECK(!next_packet(&r));
    close_rig(&r);
}

TEST(the_longest_queryid_fits)
{
    static const char last[] = "\\final\\\\queryid\\4294967295.4";
    static sb_answer  answer;
    rig               r = new_rig();
    sb_question       question = { .asks = SB_ASKS_PACKETS };
    sb_answer_build(&answer, &question, &r.status, UINT32_MAX);
    CHECK_EQ(answer.count, 4);
    CHECK_EQ(answer.sizes[3], strlen(PLAYERS) + strlen(last));
    CHECK_BYTES(answer.packets[3] + strlen(PLAYERS), strlen(last), last, strlen(last));
    close_rig(&r);
}

TEST(every_player_has_a_number_of_its_own)
{
    rig      r = new_rig();
    char     expected[600] = "", pair[32];
    uint32_t count = SB_STATUS_PLAYERS_MAX;
    r.status.name_count = count;
    for (uint32_t i = 0; i < count; i++) {
        r.status.names[i] = text("N");
        snprintf(pair, sizeof pair, "\\player_%u\\N", i);
        strcat(expected, pair);
    }
    CHECK_EQ(ask(&r, stranger, "\\players\\"), SB_OK);
    check_next_packet(&r, stranger, strcat(expected, "\\final\\\\queryid\\1.1"));
    close_rig(&r);
}

TEST(answer_that_has_begun_keeps_its_status)
{
    rig r = new_rig();
    CHECK_EQ(ask(&r, neighbour, "\\packets\\"), SB_OK);
    CHECK(next_packet(&r));
    r.status.host_name = text("Other");
    r.status.name_count = 0;
    check_next_packet(&r, neighbour, INFO "\\queryid\\1.2");
    CHECK_EQ(sb_responder_write(r.responder, r.now, NULL, &r.to, r.packet),
             strlen(RULES "\\queryid\\1.3"));
    check_next_packet(&r, neighbour, PLAYERS "\\final\\\\queryid\\1.4");
    close_rig(&r);
}

TEST(without_a_status_nothing_is_answered_yet)
{
    rig r = new_rig();
    CHECK_EQ(ask(&r, stranger, "\\rules\\"), SB_OK);
    CHECK_EQ(sb_responder_write(r.responder, r.now, NULL, &r.to, r.packet), 0);
    CHECK(sb_responder_is_waiting(r.responder));
    check_next_packet(&r, stranger, RULES "\\final\\\\queryid\\1.1");
    close_rig(&r);
}

TEST(counters_have_names)
{
    CHECK_TEXT(sb_responder_counter_name(SB_QUERY_QUERIES), "queries");
    CHECK_TEXT(sb_responder_counter_name(SB_QUERY_QUEUE_FULL), "queue_full");
    CHECK_TEXT(sb_responder_counter_text(SB_QUERY_ANSWERS), "answer packets sent");
    CHECK_TEXT(sb_responder_counter_text(SB_QUERY_QUEUE_FULL), "queries dropped: 64 are waiting");
    CHECK_TEXT(sb_responder_counter_name(SB_RESPONDER_COUNTER_COUNT), "unknown");
    CHECK_TEXT(sb_responder_counter_text(SB_RESPONDER_COUNTER_COUNT), "unknown counter");
}
