/* tests/discovery/responder_test.c -- spec 05 §8: refused queries, policies, the queue. */
#include "rig.h"
#include "test.h"

#include <string.h>

TEST(malformed_row_not_qr1)
{
    check_refused(stranger, "status\\", SB_BAD_VALUE, SB_QUERY_MALFORMED);
    check_refused(stranger, "", SB_BAD_VALUE, SB_QUERY_MALFORMED);
}

TEST(malformed_row_empty_keys)
{
    check_refused(stranger, "\\", SB_BAD_VALUE, SB_QUERY_MALFORMED);
    check_refused(stranger, "\\\\status\\", SB_BAD_VALUE, SB_QUERY_MALFORMED);
    check_refused(stranger, "\\status\\\\\\rules\\", SB_BAD_VALUE, SB_QUERY_MALFORMED);
    check_refused(stranger, "\\status\\\\", SB_BAD_VALUE, SB_QUERY_MALFORMED);
}

TEST(malformed_row_unknown_keys_only)
{
    check_refused(stranger, "\\foo\\bar", SB_UNKNOWN_OPCODE, SB_QUERY_UNKNOWN_QUERY);
    /* A query is a whole key at a key's position; case matters. */
    check_refused(stranger, "\\foo\\status", SB_UNKNOWN_OPCODE, SB_QUERY_UNKNOWN_QUERY);
    check_refused(stranger, "\\foo\\status\\bar\\basic", SB_UNKNOWN_OPCODE, SB_QUERY_UNKNOWN_QUERY);
    check_refused(stranger, "\\numplayers\\3", SB_UNKNOWN_OPCODE, SB_QUERY_UNKNOWN_QUERY);
    check_refused(stranger, "\\statusx\\", SB_UNKNOWN_OPCODE, SB_QUERY_UNKNOWN_QUERY);
    check_refused(stranger, "\\statu\\", SB_UNKNOWN_OPCODE, SB_QUERY_UNKNOWN_QUERY);
    check_refused(stranger, "\\STATUS\\", SB_UNKNOWN_OPCODE, SB_QUERY_UNKNOWN_QUERY);
    check_refused(stranger, "\\heartbeat\\0", SB_UNKNOWN_OPCODE, SB_QUERY_UNKNOWN_QUERY);
}

TEST(malformed_row_control_bytes)
{
    check_refused(stranger, "\\status\\\n", SB_BAD_VALUE, SB_QUERY_MALFORMED);
    check_refused_bytes(stranger, (sb_span){ (const uint8_t *)"\\status\\\0", 9 }, SB_BAD_VALUE,
                        SB_QUERY_MALFORMED);
    check_refused_bytes(stranger, (sb_span){ (const uint8_t *)"\\sta\0tus\\", 9 }, SB_BAD_VALUE,
                        SB_QUERY_MALFORMED);
}

TEST(malformed_row_challenges_that_cannot_be_answered)
{
    check_answer(stranger, "\\secure\\", BASIC "\\final\\\\queryid\\1.1");
    check_answer(stranger, "\\secure", BASIC "\\final\\\\queryid\\1.1");
    check_answer(stranger,
                 "\\rules\\\\secure\\"
                 "12345678901234567890123456789012345678901234567890123456789012345",
                 RULES "\\final\\\\queryid\\1.1");
    rig r = new_rig(); /* challenges of 1 and of 64 bytes are answered */
    CHECK_EQ(ask(&r, stranger, "\\secure\\A"), SB_OK);
    CHECK(next_packet(&r));
    CHECK_BYTES(r.packet + strlen(BASIC), 10, "\\validate\\", 10);
    CHECK_EQ(ask(&r, stranger,
                 "\\secure\\1234567890123456789012345678901234567890123456789012345678901234"),
             SB_OK);
    CHECK(next_packet(&r));
    CHECK_BYTES(r.packet + strlen(BASIC), 10, "\\validate\\", 10);
    CHECK_EQ(r.size, strlen(BASIC) + 10 + 88 + 19);
    close_rig(&r);
}

TEST(malformed_row_status_without_its_backslash)
{
    check_answer(stranger, "\\status", BASIC INFO RULES PLAYERS "\\final\\\\queryid\\1.1");
}

TEST(queries_above_255_bytes_are_not_read)
{
    char query[300];
    memset(query, 'x', sizeof query);
    memcpy(query, "\\status\\", 8);
    query[255] = '\0';
    check_answer(stranger, query, BASIC INFO RULES PLAYERS "\\final\\\\queryid\\1.1");
    query[255] = 'x';
    query[256] = '\0';
    check_refused(stranger, query, SB_FULL, SB_QUERY_TOO_LONG);
}

TEST(queries_beyond_the_limits_of_the_grammar_are_malformed)
{
    char query[256] = "\\status\\";
    for (int i = 0; i < 32; i++) strcat(query, "\\a\\");
    check_refused(stranger, query, SB_FULL, SB_QUERY_MALFORMED);
    check_refused(stranger, "\\status\\\\123456789012345678901234567890123\\", SB_FULL,
                  SB_QUERY_MALFORMED);
}

TEST(answers_are_never_answered)
{
    check_refused(stranger, "\\status\\\\final\\", SB_NOT_ALLOWED, SB_QUERY_IS_ANSWER);
    check_refused(stranger, "\\status\\\\queryid\\1.1", SB_NOT_ALLOWED, SB_QUERY_IS_ANSWER);
    check_refused(stranger, "\\gamename\\bcommander\\players\\", SB_NOT_ALLOWED,
                  SB_QUERY_IS_ANSWER);
    check_refused(stranger, "\\basic\\\\validate\\x", SB_NOT_ALLOWED, SB_QUERY_IS_ANSWER);
    check_refused(stranger, "\\heartbeat\\0\\gamename\\bcommander\\statechanged\\1", SB_NOT_ALLOWED,
                  SB_QUERY_IS_ANSWER);
    /* A value of that name is no key. */
    check_answer(neighbour, "\\echo\\final", "\\echo\\final\\final\\\\queryid\\1.1");
}

TEST(two_responders_have_nothing_to_say_to_each_other)
{
    static const char *const queries[] = { "\\status\\", "\\players\\", "\\echo\\status",
                                           "\\packets\\", "\\secure\\ABCDEF" };
    rig                      a = unlimited_rig(), b = unlimited_rig();
    a.status.name_count = b.status.name_count = 0;
    for (size_t i = 0; i < 5; i++) {
        CHECK_EQ(ask(&a, neighbour, queries[i]), SB_OK);
        while (next_packet(&a))
            CHECK(sb_responder_receive(b.responder, b.now, neighbour,
                                       (sb_span){ a.packet, a.size }) != SB_OK);
    }
    CHECK(!sb_responder_is_waiting(b.responder));
    close_rig(&a);
    close_rig(&b);
}

TEST(sources_with_low_ports_and_ourselves_get_nothing)
{
    sb_endpoint own = { 0xCB007101, 22101 }, other_port = { 0xCB007101, 22102 };
    sb_endpoint zero = { stranger.address, 0 }, low = { stranger.address, 1023 };
    sb_endpoint lowest = { stranger.address, 1024 };
    check_refused(zero, "\\status\\", SB_NOT_ALLOWED, SB_QUERY_BAD_SOURCE);
    check_refused(low, "\\status\\", SB_NOT_ALLOWED, SB_QUERY_BAD_SOURCE);
    check_refused(own, "\\status\\", SB_NOT_ALLOWED, SB_QUERY_BAD_SOURCE);
    check_answer(lowest, "\\rules\\", RULES "\\final\\\\queryid\\1.1");
    check_answer(other_port, "\\rules\\", RULES "\\final\\\\queryid\\1.1");
}

/* Bound to all addresses, the server knows only the loopback as its own. */
TEST(bound_to_any_address_loopback_with_our_port_is_ourselves)
{
    rig r = new_rig();
    close_rig(&r);
    r.config.own = (sb_endpoint){ 0, 22101 };
    open_rig(&r);
    CHECK_EQ(ask(&r, (sb_endpoint){ 0x7F000001, 22101 }, "\\rules\\"), SB_NOT_ALLOWED);
    CHECK_EQ(counted(&r, SB_QUERY_BAD_SOURCE), 1);
    CHECK_EQ(ask(&r, (sb_endpoint){ 0x7F000001, 22102 }, "\\rules\\"), SB_OK);
    CHECK_EQ(ask(&r, (sb_endpoint){ stranger.address, 22101 }, "\\rules\\"), SB_OK);
    close_rig(&r);
}

TEST(masters_may_use_low_ports)
{
    rig         r = new_rig();
    sb_endpoint low = { master.address, 53 }, none = { master.address, 0 };
    CHECK_EQ(ask(&r, low, "\\rules\\"), SB_NOT_ALLOWED);
    sb_responder_set_master(r.responder, 3, master, r.now);
    drain(&r);
    CHECK_EQ(ask(&r, low, "\\rules\\"), SB_OK);
    check_next_packet(&r, low, RULES "\\final\\\\queryid\\1.1");
    CHECK_EQ(ask(&r, none, "\\rules\\"), SB_NOT_ALLOWED); /* port 0 cannot be answered */
    close_rig(&r);
}

TEST(echo_and_packets_are_for_the_lan)
{
    static const struct {
        uint32_t address;
        bool     lan;
    } rows[] = {
        { 0x0A000001, true },  { 0x0AFFFFFF, true },  { 0x0B000000, false }, { 0x09FFFFFF, false },
        { 0xAC100000, true },  { 0xAC1FFFFF, true },  { 0xAC200000, false }, { 0xAC0FFFFF, false },
        { 0xC0A80000, true },  { 0xC0A8FFFF, true },  { 0xC0A90000, false }, { 0xC0A7FFFF, false },
        { 0x7F000001, true },  { 0x80000000, false }, { 0x7EFFFFFF, false }, { 0xA9FE0001, true },
        { 0xA9FF0000, false }, { 0xA9FDFFFF, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rig         r = new_rig();
        sb_endpoint from = { rows[i].address, 40000 };
        sb_result   expected = rows[i].lan ? SB_OK : SB_NOT_ALLOWED;
        CHECK_EQ(ask(&r, from, "\\echo\\a"), expected);
        CHECK_EQ(ask(&r, from, "\\packets\\"), expected);
        CHECK_EQ(counted(&r, SB_QUERY_NOT_ALLOWED), rows[i].lan ? 0 : 2);
        CHECK_EQ(drain(&r), rows[i].lan ? 5 : 0);
        close_rig(&r);
    }
}

TEST(refused_parts_leave_the_rest_of_the_query)
{
    check_answer(stranger, "\\rules\\\\echo\\a", RULES "\\final\\\\queryid\\1.1");
    check_answer(stranger, "\\packets\\\\rules\\", RULES "\\final\\\\queryid\\1.1");
    check_answer(stranger, "\\packets\\\\secure\\ABCDEF",
                 BASIC "\\validate\\zfmiAycI\\final\\\\queryid\\1.1");
}

TEST(policies_are_configurable)
{
    rig r = { 0 };
    sb_responder_defaults(&r.config);
    r.config.echo = SB_QUERY_NEVER;
    r.config.packets = SB_QUERY_ALWAYS;
    open_rig(&r);
    CHECK_EQ(ask(&r, neighbour, "\\echo\\a"), SB_NOT_ALLOWED);
    CHECK_EQ(ask(&r, stranger, "\\packets\\"), SB_OK);
    CHECK_EQ(drain(&r), 4);
    close_rig(&r);
}

TEST(echo_has_at_most_32_bytes)
{
    check_answer(neighbour, "\\echo\\12345678901234567890123456789012",
                 "\\echo\\12345678901234567890123456789012\\final\\\\queryid\\1.1");
    check_refused(neighbour, "\\echo\\123456789012345678901234567890123", SB_NOT_ALLOWED,
                  SB_QUERY_NOT_ALLOWED);
    char longest[] =
        "\\echo\\..............................................................."
        "................................................................................"
        "...........................................................................";
    check_refused(neighbour, longest, SB_NOT_ALLOWED, SB_QUERY_NOT_ALLOWED);
}

TEST(sixty_four_queries_wait)
{
    rig r = unlimited_rig();
    for (unsigned i = 0; i < 64; i++) CHECK_EQ(ask(&r, stranger, "\\rules\\"), SB_OK);
    CHECK_EQ(ask(&r, stranger, "\\rules\\"), SB_FULL);
    CHECK_EQ(counted(&r, SB_QUERY_QUEUE_FULL), 1);
    CHECK(next_packet(&r));
    CHECK_EQ(ask(&r, stranger, "\\basic\\"), SB_OK);
    for (unsigned i = 0; i < 63; i++) CHECK(next_packet(&r));
    check_next_packet(&r, stranger,
                      BASIC "\\final\\\\queryid\\65.1"); /* answered in order of arrival */
    CHECK(!next_packet(&r));
    close_rig(&r);
}

TEST(a_master_finds_a_place_among_many)
{
    rig r = unlimited_rig();
    sb_responder_set_master(r.responder, 0, master, r.now);
    drain(&r);
    for (unsigned i = 0; i < 64; i++) CHECK_EQ(ask(&r, stranger, "\\rules\\"), SB_OK);
    CHECK_EQ(ask(&r, master, "\\basic\\"), SB_OK);
    CHECK_EQ(ask(&r, master, "\\players\\"), SB_OK); /* does not replace the other master's query */
    CHECK_EQ(counted(&r, SB_QUERY_QUEUE_FULL), 2);
    for (unsigned i = 0; i < 62; i++) {
        CHECK(next_packet(&r));
        CHECK_EQ(r.to.address, stranger.address);
    }
    check_next_packet(&r, master, PLAYERS "\\final\\\\queryid\\63.1");
    check_next_packet(&r, master, BASIC "\\final\\\\queryid\\64.1");
    CHECK(!next_packet(&r));
    close_rig(&r);
}

TEST(a_master_takes_the_place_of_the_only_other_query)
{
    rig         r = unlimited_rig();
    sb_endpoint second = { master.address + 1, SB_MASTER_PORT };
    sb_responder_set_master(r.responder, 0, master, r.now);
    sb_responder_set_master(r.responder, 1, second, r.now);
    drain(&r);
    CHECK_EQ(ask(&r, stranger, "\\rules\\"), SB_OK);
    for (unsigned i = 1; i < 64; i++)
        CHECK_EQ(ask(&r, i % 2 ? master : second, "\\rules\\"), SB_OK);
    CHECK_EQ(ask(&r, second, "\\basic\\"), SB_OK);
    check_next_packet(&r, second, BASIC "\\final\\\\queryid\\1.1");
    CHECK_EQ(drain(&r), 63);
    close_rig(&r);
}

TEST(masters_do_not_push_each_other_out)
{
    rig         r = unlimited_rig();
    sb_endpoint second = { master.address + 1, SB_MASTER_PORT };
    sb_responder_set_master(r.responder, 0, master, r.now);
    sb_responder_set_master(r.responder, 1, second, r.now);
    drain(&r);
    for (unsigned i = 0; i < 64; i++)
        CHECK_EQ(ask(&r, i % 2 ? master : second, "\\rules\\"), SB_OK);
    CHECK_EQ(ask(&r, master, "\\rules\\"), SB_FULL);
    CHECK_EQ(counted(&r, SB_QUERY_QUEUE_FULL), 1);
    CHECK_EQ(drain(&r), 64);
    close_rig(&r);
}

TEST(every_master_may_use_a_low_port_and_no_one_else)
{
    rig r = new_rig();
    for (unsigned i = 0; i < SB_MASTERS_MAX; i++) {
        sb_endpoint at = { 0x50000000 + i, SB_MASTER_PORT }, low = { at.address, 1023 };
        CHECK_EQ(ask(&r, low, "\\rules\\"), SB_NOT_ALLOWED);
        sb_responder_set_master(r.responder, i, at, r.now);
        CHECK_EQ(ask(&r, low, "\\rules\\"), SB_OK);
        drain(&r);
    }
    CHECK_EQ(ask(&r, (sb_endpoint){ 0x60000000, 1024 }, "\\rules\\"), SB_OK);
    close_rig(&r);
}

TEST(a_counter_that_does_not_exist_is_zero)
{
    rig r = new_rig();
    CHECK_EQ(sb_responder_counter_value(r.responder, SB_RESPONDER_COUNTER_COUNT), 0);
    CHECK_EQ(sb_responder_counter_value(r.responder, SB_RESPONDER_COUNTER_COUNT + 1), 0);
    close_rig(&r);
}
