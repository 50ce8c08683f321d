/* tests/discovery/browse_test.c -- spec 05 §7: a browser's session with a master. */
#include <starbase/discovery.h>

#include "test.h"

#include <string.h>

static sb_browse browse;

static void receive(const void *bytes, size_t size, bool closed)
{
    sb_browse_receive(&browse, (sb_span){ bytes, size }, closed);
}

static void greet(void)
{
    static const char greeting[] = "\\basic\\\\secure\\LRPOPQ";
    sb_browse_init(&browse);
    receive(greeting, sizeof greeting - 1, false);
    CHECK_EQ(browse.state, SB_BROWSE_LISTING);
}

TEST(a_master_is_answered_with_the_bytes_of_the_trace)
{
    greet();
    static const char expected[] =
        "\\gamename\\bcommander\\gamever\\1.6\\location\\0\\validate\\hMwdTNWS\\final\\"
        "\\queryid\\1.1\\\\list\\cmp\\gamename\\bcommander\\final\\";
    sb_span request = sb_browse_request(&browse);
    CHECK_BYTES(request.data, request.size, expected, sizeof expected - 1);
    CHECK_EQ(request.size, 81 + 36);
}

TEST(a_challenge_has_six_bytes)
{
    static const char greeting[] = "\\basic\\\\secure\\LRPOPQ";
    sb_browse_init(&browse);
    for (size_t i = 0; i < sizeof greeting - 1; i++) {
        CHECK_EQ(browse.state, SB_BROWSE_GREETING);
        CHECK_EQ(sb_browse_request(&browse).size, 0);
        receive(greeting + i, 1, false);
    }
    CHECK_EQ(browse.state, SB_BROWSE_LISTING);
}

TEST(a_list_is_read_byte_by_byte)
{
    static const char list[] = "\xCB\x00\x71\x05\x56\x55\xCB\x00\x71\x06\x74\xB4\\final\\";
    greet();
    for (size_t i = 0; i < sizeof list - 1; i++) {
        CHECK_EQ(browse.state, SB_BROWSE_LISTING);
        receive(list + i, 1, false);
    }
    CHECK_EQ(browse.state, SB_BROWSE_DONE);
    CHECK_EQ(browse.count, 2);
    CHECK_EQ(browse.servers[0].address, 0xCB007105);
    CHECK_EQ(browse.servers[0].port, 22101);
    CHECK_EQ(browse.servers[1].port, 29876);
}

/* `\final` is also an address and a port: 92.102.105.110:24940. */
TEST(an_entry_with_the_bytes_of_the_end_mark_is_an_entry)
{
    static const char first[] = "\\final\\", rest[] = "\x01\x02\x03\x04\x05\\final\\";
    greet();
    receive(first, sizeof first - 1, false);
    CHECK_EQ(browse.state, SB_BROWSE_DONE);
    CHECK_EQ(browse.count, 0);
    receive(rest, 1, false);
    CHECK_EQ(browse.state, SB_BROWSE_LISTING);
    receive(rest + 1, sizeof rest - 2, false);
    CHECK_EQ(browse.state, SB_BROWSE_DONE);
    CHECK_EQ(browse.count, 2);
    CHECK_EQ(browse.servers[0].address, 0x5C66696E);
    CHECK_EQ(browse.servers[0].port, 24940);
    CHECK_EQ(browse.servers[1].address, 0x5C010203);
    CHECK_EQ(browse.servers[1].port, 0x0405);
}

TEST(entries_without_address_or_port_are_left_out)
{
    static const char list[] = "\0\0\0\0\x56\x55\xCB\0\x71\x05\0\0\xCB\0\x71\x05\x56\x55\\final\\";
    greet();
    receive(list, sizeof list - 1, true);
    CHECK_EQ(browse.state, SB_BROWSE_DONE);
    CHECK_EQ(browse.count, 1);
}

/* Bytes after the end mark of a closed session are ignored, also when nothing more comes. */
TEST(a_list_that_is_done_stays_done)
{
    static const char list[] = "\xCB\0\x71\x05\x56\x55\\final\\tail";
    greet();
    receive(list, sizeof list - 1, true);
    CHECK_EQ(browse.state, SB_BROWSE_DONE);
    receive(NULL, 0, false);
    CHECK_EQ(browse.state, SB_BROWSE_DONE);
    CHECK_EQ(browse.count, 1);
}

static size_t write_list(uint8_t *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        memcpy(out + i * SB_GAMESPY_ENTRY_BYTES, "\xCB\0\x71\x05\x56\x55", SB_GAMESPY_ENTRY_BYTES);
    memcpy(out + count * SB_GAMESPY_ENTRY_BYTES, "\\final\\", 7);
    return count * SB_GAMESPY_ENTRY_BYTES + 7;
}

static void expect_failure(const void *bytes, size_t size, bool closed, const char *word)
{
    receive(bytes, size, closed);
    CHECK_EQ(browse.state, SB_BROWSE_FAILED);
    CHECK(strstr(browse.error, word) != NULL);
}

TEST(sessions_that_are_no_masters_fail_with_a_reason)
{
    static char long_text[SB_BROWSE_GREETING_MAX];
    memset(long_text, 'x', sizeof long_text);
    sb_browse_init(&browse);
    expect_failure(long_text, sizeof long_text, false, "not a master");
    sb_browse_init(&browse);
    expect_failure("\\basic\\", 7, true, "before it sent a challenge");
    greet();
    expect_failure("\xCB\x00\x71", 3, true, "within its list");
    static uint8_t endless[SB_BROWSE_BYTES_MAX + 1];
    greet();
    expect_failure(endless, sizeof endless, false, "too long");
    receive("\\final\\", 7, true); /* nothing happens after a failure */
    CHECK_EQ(browse.state, SB_BROWSE_FAILED);
}

TEST(a_list_has_4096_servers_at_most)
{
    static uint8_t list[(SB_BROWSE_MAX + 1) * SB_GAMESPY_ENTRY_BYTES + 7];
    greet();
    receive(list, write_list(list, SB_BROWSE_MAX), false);
    CHECK_EQ(browse.state, SB_BROWSE_DONE);
    CHECK_EQ(browse.count, SB_BROWSE_MAX);
    CHECK_EQ(browse.servers[SB_BROWSE_MAX - 1].address, 0xCB007105);
    greet();
    expect_failure(list, write_list(list, SB_BROWSE_MAX + 1), false, "too long");
}

TEST(the_longest_list_may_have_a_tail)
{
    static uint8_t list[SB_BROWSE_BYTES_MAX];
    (void)write_list(list, SB_BROWSE_MAX);
    greet();
    receive(list, sizeof list, true);
    CHECK_EQ(browse.state, SB_BROWSE_DONE);
    CHECK_EQ(browse.count, SB_BROWSE_MAX);
}

TEST(bytes_that_do_not_fit_are_not_copied)
{
    static uint8_t endless[2 * SB_BROWSE_BYTES_MAX];
    greet();
    expect_failure(endless, sizeof endless, false, "too long");
    CHECK_EQ(browse.size, 0);
    greet();
    receive(endless, 5, false);
    CHECK_EQ(browse.state, SB_BROWSE_LISTING);
    expect_failure(endless, SB_BROWSE_BYTES_MAX - 4, false, "too long");
    CHECK_EQ(browse.size, 5);
}

TEST(a_greeting_may_have_255_bytes_before_it_is_none)
{
    static char text[SB_BROWSE_GREETING_MAX];
    memset(text, 'x', sizeof text);
    sb_browse_init(&browse);
    receive(text, sizeof text - 1, false);
    CHECK_EQ(browse.state, SB_BROWSE_GREETING);
    expect_failure("x", 1, false, "not a master");
}

TEST(a_challenge_above_64_bytes_cannot_be_answered)
{
    static char text[] =
        "\\secure\\1234567890123456789012345678901234567890123456789012345678901234x";
    sb_browse_init(&browse);
    receive(text, sizeof text - 2, false);
    CHECK_EQ(browse.state, SB_BROWSE_LISTING);
    sb_browse_init(&browse);
    expect_failure(text, sizeof text - 1, false, "cannot be answered");
    CHECK_EQ(sb_browse_request(&browse).size, 0);
}
