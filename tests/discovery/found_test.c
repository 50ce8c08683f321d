/* tests/discovery/found_test.c -- spec 05 §4 step 4: answers of our servers and of others, split,
 * reordered, repeated and forged. */
#include <starbase/discovery.h>

#include "base/random.h"
#include "discovery/testing.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Spec 05 §3.4. */
#define STOCK_PAIRS                                                                                \
    "\\gamename\\bcommander\\gamever\\60\\location\\1\\hostname\\My Game23\\missionscript"         \
    "\\Multiplayer.Episode.Mission1.Mission1\\mapname\\DM\\numplayers\\0\\maxplayers\\8"           \
    "\\gamemode\\openplaying\\timelimit\\-1\\fraglimit\\-2\\system\\Multi1\\password\\0"           \
    "\\player_0\\Dedicated Server"

static void check_span(sb_span actual, const char *expected)
{
    CHECK_BYTES(actual.data, actual.size, expected, strlen(expected));
}

static void check_found(const sb_found *found, const char *key, const char *expected)
{
    sb_span value;
    if (!sb_found_value(found, key, &value)) FAIL("no %s", key);
    check_span(value, expected);
}

/* Adds a packet from memory of exactly its size, so that sanitizers see overreads. */
static sb_result add(sb_found *found, const char *packet)
{
    size_t   size = strlen(packet);
    uint8_t *exact = malloc(size ? size : 1);
    CHECK(exact);
    memcpy(exact, packet, size);
    sb_result result = sb_found_add(found, (sb_span){ exact, size });
    free(exact);
    sb_found_check(found);
    return result;
}

static void check_not_added(sb_found *found, const char *packet, sb_result expected)
{
    sb_found before;
    memcpy(&before, found, sizeof before); /* including padding */
    CHECK_EQ(add(found, packet), expected);
    CHECK_BYTES(found, sizeof *found, &before, sizeof before);
}

TEST(found_reads_the_answer_of_a_stock_server)
{
    sb_found found = { 0 };
    sb_span  key, value;
    CHECK_EQ(add(&found, STOCK_PAIRS "\\final\\\\queryid\\2.1"), SB_OK);
    CHECK(found.complete);
    CHECK_EQ(found.query_number, 2);
    CHECK_EQ(found.packet_count, 1);
    check_found(&found, "gamename", "bcommander");
    check_found(&found, "hostname", "My Game23");
    check_found(&found, "player_0", "Dedicated Server");
    CHECK(!sb_found_value(&found, "final", &value));
    CHECK(!sb_found_value(&found, "queryid", &value));
    CHECK(!sb_found_value(&found, "players", &value));
    CHECK(sb_found_pair(&found, 0, &key, &value));
    check_span(key, "gamename");
    CHECK(sb_found_pair(&found, 13, &key, &value));
    check_span(key, "player_0");
    CHECK(!sb_found_pair(&found, 14, &key, &value));
    check_span((sb_span){ found.text, found.size }, STOCK_PAIRS);
}

TEST(found_merges_packets_in_any_order)
{
    static const char *const packets[] = { "\\a\\1\\queryid\\9.1", "\\b\\\\queryid\\9.2",
                                           "\\c\\3\\d\\4\\queryid\\9.3",
                                           "\\e\\5\\final\\\\queryid\\9.4" };
    for (unsigned order = 0; order < 256; order++) {
        unsigned at[4] = { order & 3, order >> 2 & 3, order >> 4 & 3, order >> 6 };
        if ((1u << at[0] | 1u << at[1] | 1u << at[2] | 1u << at[3]) != 15) continue;
        sb_found found = { 0 };
        for (unsigned i = 0; i < 4; i++) {
            CHECK(!found.complete);
            CHECK_EQ(add(&found, packets[at[i]]), SB_OK);
            check_not_added(&found, packets[at[i]], SB_OK); /* a repeated packet */
            check_not_added(&found, packets[at[0]], SB_OK);
        }
        CHECK(found.complete);
        check_span((sb_span){ found.text, found.size }, "\\a\\1\\b\\\\c\\3\\d\\4\\e\\5");
    }
}

TEST(found_reads_other_servers)
{
    static const char *const packets[] = {
        "\\hostname\\X\\queryid\\4.1\\final\\",     "\\hostname\\X\\final\\\\queryid\\4.1\\",
        "\\queryid\\4.1\\final\\\\hostname\\X",     "\\final\\\\hostname\\X\\queryid\\4.1",
        "\\hostname\\X\\queryid\\4.1\\final",       "\\queryid\\4.1\\hostname\\X\\final\\",
        "\\hostname\\X\\\\\\final\\\\queryid\\4.1", "\\hostname\\X\x01\\f\x02inal\\\\queryid\\4.1",
        "\\hostname\\X\\y\\final\\\\queryid\\4.1",  "\\final\\\\queryid\\4.1\\hostname\\X",
    };
    for (size_t i = 0; i < sizeof packets / sizeof *packets; i++) {
        sb_found found = { 0 };
        CHECK_EQ(add(&found, packets[i]), SB_OK);
        CHECK(found.complete);
        CHECK_EQ(found.query_number, 4);
        check_found(&found, "hostname", "X");
    }
}

TEST(found_takes_a_final_packet_without_queryid_as_all)
{
    static const char *const packets[] = { "\\hostname\\X\\final\\",
                                           "\\hostname\\X\\final",
                                           "\\hostname\\X\\queryid\\\\final\\",
                                           "\\hostname\\X\\final\\\\queryid\\7",
                                           "\\hostname\\X\\final\\\\queryid\\7.",
                                           "\\hostname\\X\\final\\\\queryid\\7.1x",
                                           "\\hostname\\X\\final\\\\queryid\\7.:",
                                           "\\hostname\\X\\final\\\\queryid\\7/.2",
                                           "\\hostname\\X\\final\\\\queryid\\7:.2",
                                           "\\hostname\\X\\final\\\\queryid\\7-2",
                                           "\\hostname\\X\\final\\\\queryid\\.2",
                                           "\\hostname\\X\\final\\\\queryid\\4294967296.2",
                                           "\\hostname\\X\\final\\\\queryid\\99999999999.1" };
    for (size_t i = 0; i < sizeof packets / sizeof *packets; i++) {
        sb_found found = { 0 };
        CHECK_EQ(add(&found, packets[i]), SB_OK);
        CHECK(found.complete);
        check_found(&found, "hostname", "X");
        CHECK_EQ(found.size, strlen("\\hostname\\X"));
        CHECK_EQ(found.query_number, 0);
    }
}

TEST(found_reads_numbers_of_any_size)
{
    static const struct {
        const char *packet;
        uint32_t    number;
    } rows[] = { { "\\a\\1\\final\\\\queryid\\0.1", 0 },
                 { "\\a\\1\\final\\\\queryid\\1290.1", 1290 },
                 { "\\a\\1\\final\\\\queryid\\4294967295.001", UINT32_MAX } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sb_found found = { 0 };
        CHECK_EQ(add(&found, rows[i].packet), SB_OK);
        CHECK(found.complete);
        CHECK_EQ(found.query_number, rows[i].number);
    }
}

TEST(found_gives_a_last_key_without_value_an_empty_one)
{
    sb_found found = { 0 };
    CHECK_EQ(add(&found, "\\hostname\\X\\y\\final\\\\queryid\\4.1"), SB_OK);
    check_span((sb_span){ found.text, found.size }, "\\hostname\\X\\y\\");
    check_found(&found, "y", "");
    found = (sb_found){ 0 };
    CHECK_EQ(add(&found, "\\final\\\\queryid\\4.1\\hostname\\X\\y"), SB_OK);
    check_span((sb_span){ found.text, found.size }, "\\hostname\\X\\y\\");
}

TEST(found_drops_control_characters_and_keeps_blanks)
{
    sb_found found = { 0 };
    CHECK_EQ(add(&found, "\\host\x1Fname\\\x01My Game\xFF\\final\\\\queryid\\4.1"), SB_OK);
    check_found(&found, "hostname", "My Game\xFF");
}

TEST(found_takes_an_answer_without_pairs)
{
    static const char *const packets[] = { "\\final\\", "\\final\\\\queryid\\0.1",
                                           "\\queryid\\0.1\\final\\" };
    for (size_t i = 0; i < sizeof packets / sizeof *packets; i++) {
        sb_found found = { 0 };
        CHECK_EQ(add(&found, packets[i]), SB_OK);
        CHECK(found.complete);
        CHECK_EQ(found.size, 0);
    }
}

TEST(found_is_not_misled_by_names_of_other_servers)
{
    sb_found found = { 0 };
    CHECK_EQ(add(&found, "\\numplayers\\2\\player_0\\Ev\\numplayers\\99\\player_1\\A\\\\player_2"
                         "\\B\\queryid\\1.1\\queryid\\3.1"),
             SB_OK);
    CHECK_EQ(found.query_number, 3);
    check_found(&found, "numplayers", "2");
    check_found(&found, "player_2", "B");
    /* A player called like a key. */
    CHECK_EQ(add(&found, "\\player_3\\final\\queryid\\3.2"), SB_OK);
    CHECK_EQ(found.packet_count, 0);
    CHECK_EQ(add(&found, "\\player_4\\queryid\\final\\\\queryid\\3.3"), SB_OK);
    CHECK(found.complete);
    check_found(&found, "player_3", "final");
    check_found(&found, "player_4", "queryid");
    /* An odd number of backslashes before the tail. */
    found = (sb_found){ 0 };
    CHECK_EQ(add(&found, "\\player_0\\A\\B\\final\\\\queryid\\2.1"), SB_OK);
    CHECK(found.complete);
    CHECK_EQ(found.query_number, 2);
    found = (sb_found){ 0 };
    CHECK_EQ(add(&found, "\\player_0\\A\\B\\final\\\\queryid\\2.1\\"), SB_OK);
    CHECK(found.complete);
}

TEST(found_refuses_packets_that_are_no_answer)
{
    sb_found found = { 0 };
    check_not_added(&found, "", SB_BAD_VALUE);
    check_not_added(&found, "hello", SB_BAD_VALUE);
    check_not_added(&found, "\\", SB_NOT_ALLOWED);
    check_not_added(&found, "\\status\\", SB_NOT_ALLOWED);
    check_not_added(&found, "\\echo\\final", SB_NOT_ALLOWED);
    check_not_added(&found, "\\hostname\\X", SB_NOT_ALLOWED);
    check_not_added(&found, "\\hostname\\X\\final\\\\queryid\\1.0", SB_BAD_VALUE);
    check_not_added(&found, "\\hostname\\X\\queryid\\1.9", SB_FULL);
    check_not_added(&found, "\\hostname\\X\\queryid\\1.4294967295", SB_FULL);
    check_not_added(&found, "\\123456789012345678901234567890123\\X\\final\\\\queryid\\1.1",
                    SB_FULL);
    CHECK_EQ(add(&found, "\\12345678901234567890123456789012\\X\\final\\\\queryid\\1.1"), SB_OK);
    check_found(&found, "12345678901234567890123456789012", "X");
}

TEST(found_takes_eight_packets)
{
    sb_found found = { 0 };
    char     packet[64];
    CHECK_EQ(add(&found, "\\k\\8\\final\\\\queryid\\1.8"), SB_OK);
    for (int i = 7; i >= 1; i--) {
        CHECK(!found.complete);
        snprintf(packet, sizeof packet, "\\k\\%d\\queryid\\1.%d", i, i);
        CHECK_EQ(add(&found, packet), SB_OK);
    }
    CHECK(found.complete);
    check_span((sb_span){ found.text, found.size },
               "\\k\\1\\k\\2\\k\\3\\k\\4\\k\\5\\k\\6\\k\\7\\k\\8");
}

TEST(found_refuses_contradictions)
{
    sb_found found = { 0 };
    CHECK_EQ(add(&found, "\\b\\2\\queryid\\1.2"), SB_OK);
    check_not_added(&found, "\\a\\1\\final\\\\queryid\\1.1",
                    SB_BAD_VALUE); /* packet 2 comes after it */
    CHECK_EQ(add(&found, "\\c\\3\\final\\\\queryid\\1.3"), SB_OK);
    check_not_added(&found, "\\d\\4\\queryid\\1.4", SB_BAD_VALUE);
    check_not_added(&found, "\\d\\4\\final\\\\queryid\\1.4", SB_BAD_VALUE);
    check_not_added(&found, "\\a\\1\\final\\\\queryid\\1.1", SB_BAD_VALUE);
    check_not_added(&found, "\\x\\9\\queryid\\1.2", SB_OK); /* the first one counts */
    CHECK_EQ(add(&found, "\\a\\1\\queryid\\1.1"), SB_OK);
    CHECK(found.complete);
    check_span((sb_span){ found.text, found.size }, "\\a\\1\\b\\2\\c\\3");
}

TEST(found_refuses_a_packet_after_the_only_one)
{
    sb_found found = { 0 };
    CHECK_EQ(add(&found, "\\a\\1\\final\\\\queryid\\1.1"), SB_OK);
    check_not_added(&found, "\\b\\2\\queryid\\1.2", SB_BAD_VALUE);
    check_not_added(&found, "\\b\\2\\queryid\\2.2", SB_OK); /* of another answer: not needed */
}

/* The later answer may have more packets than the earlier one, or fewer. */
TEST(found_compares_parts_only_within_an_answer)
{
    sb_found found = { 0 };
    CHECK_EQ(add(&found, "\\b\\old\\final\\\\queryid\\4.2"), SB_OK);
    CHECK_EQ(add(&found, "\\c\\new\\queryid\\5.3"), SB_OK);
    CHECK_EQ(found.packet_count, 0);
    check_span((sb_span){ found.text, found.size }, "\\c\\new");
    CHECK_EQ(add(&found, "\\a\\newest\\final\\\\queryid\\6.1"), SB_OK);
    CHECK(found.complete);
    check_span((sb_span){ found.text, found.size }, "\\a\\newest");
}

TEST(found_takes_the_answer_after_the_highest_number_as_later)
{
    sb_found found = { 0 };
    CHECK_EQ(add(&found, "\\a\\old\\queryid\\4294967295.1"), SB_OK);
    CHECK_EQ(add(&found, "\\a\\new\\queryid\\0.1"), SB_OK);
    check_not_added(&found, "\\b\\old\\queryid\\4294967295.2", SB_OK);
    check_found(&found, "a", "new");
}

TEST(found_keeps_two_answers_apart)
{
    sb_found found = { 0 };
    CHECK_EQ(add(&found, "\\a\\old\\queryid\\4.1"), SB_OK);
    CHECK_EQ(add(&found, "\\a\\new\\queryid\\5.1"), SB_OK);
    CHECK_EQ(found.query_number, 5);
    check_not_added(&found, "\\b\\old\\final\\\\queryid\\4.2", SB_OK);
    CHECK_EQ(add(&found, "\\b\\new\\final\\\\queryid\\5.2"), SB_OK);
    CHECK(found.complete);
    check_span((sb_span){ found.text, found.size }, "\\a\\new\\b\\new");
    check_not_added(&found, "\\a\\newer\\queryid\\6.1", SB_OK); /* the answer is complete */
}

TEST(found_is_bounded)
{
    sb_found found = { 0 };
    char     packet[1600] = "", value[256];
    memset(value, 'v', 255);
    value[255] = '\0';
    for (int i = 0; i < 5; i++) strcat(strcat(packet, "\\k\\"), value);
    size_t size = strlen(packet); /* 1290 bytes: three packets fit */
    for (int i = 1; i <= 4; i++) {
        snprintf(packet + size, sizeof packet - size, "\\queryid\\1.%d", i);
        if (i < 4) CHECK_EQ(add(&found, packet), SB_OK);
        else check_not_added(&found, packet, SB_FULL);
    }
    CHECK_EQ(found.size, 3 * size);
    CHECK_EQ(add(&found, "\\z\\1\\final\\\\queryid\\1.4"), SB_OK);
    CHECK(found.complete);
    CHECK(found.size < SB_FOUND_TEXT_MAX);

    memset(packet, 'x', sizeof packet);
    memcpy(packet, "\\final\\\\k\\", 10);
    packet[1501] = '\0';
    sb_found none = { 0 };
    check_not_added(&none, packet, SB_FULL); /* too long */
    packet[10 + 256] = '\0';
    check_not_added(&none, packet, SB_FULL); /* a long value */
    packet[10 + 255] = '\0';
    CHECK_EQ(add(&none, packet), SB_OK);
}

/* Fills `packet` with pairs of `size` bytes in all. */
static size_t write_pairs(char *packet, size_t size)
{
    size_t at = 0;
    for (size_t left = size; left > 0;) {
        size_t pair = left > 200 ? 100 : left > 100 ? left / 2 : left;
        memset(packet + at, 'v', pair);
        memcpy(packet + at, "\\k\\", 3);
        at += pair;
        left -= pair;
    }
    return at;
}

TEST(found_holds_4096_bytes_and_no_more)
{
    for (size_t more = 0; more < 2; more++) {
        sb_found found = { 0 };
        char     packet[1600];
        for (int i = 1; i <= 3; i++) {
            size_t size = write_pairs(packet, i < 3 ? 1400 : SB_FOUND_TEXT_MAX - 2800 + more);
            snprintf(packet + size, sizeof packet - size, "\\queryid\\1.%d", i);
            if (i == 3 && more > 0) check_not_added(&found, packet, SB_FULL);
            else CHECK_EQ(add(&found, packet), SB_OK);
        }
        CHECK_EQ(found.size, more > 0 ? 2800 : SB_FOUND_TEXT_MAX);
    }
}

TEST(found_takes_packets_of_1500_bytes_and_no_more)
{
    static const char tail[] = "\\final\\\\queryid\\1.1";
    for (size_t more = 0; more < 2; more++) {
        sb_found found = { 0 };
        char     packet[1600];
        size_t   size = write_pairs(packet, 1500 + more - strlen(tail));
        strcpy(packet + size, tail);
        if (more > 0) check_not_added(&found, packet, SB_FULL);
        else CHECK_EQ(add(&found, packet), SB_OK);
    }
}

TEST(found_survives_anything)
{
    static const char *const words[] = { "\\",        "\\final\\", "\\queryid\\", "\\hostname\\",
                                         "1.1",       "1.2",       "2.1",         "\\final",
                                         "\\\\",      "x",         "\x01",        "9.8",
                                         "\\queryid", "." };
    sb_random                random;
    sb_random_init(&random, 11);
    for (unsigned round = 0; round < 20000; round++) {
        sb_found found = { 0 };
        for (unsigned i = 0; i < 6; i++) {
            char packet[256] = "\\";
            for (uint32_t n = sb_random_below(&random, 9); n > 0; n--)
                strcat(packet, words[sb_random_below(&random, 14)]);
            sb_found before;
            memcpy(&before, &found, sizeof before);
            if (add(&found, packet) != SB_OK)
                CHECK_BYTES(&found, sizeof found, &before, sizeof before);
            size_t sum = 0, seen = 0;
            for (unsigned k = 0; k < 8; k++) sum += found.part_size[k];
            CHECK_EQ(sum, found.size);
            for (unsigned k = 0; k < 8; k++) seen += found.packets_seen >> k & 1;
            CHECK_EQ(found.complete, found.packet_count > 0 && seen == found.packet_count);
        }
    }
}
