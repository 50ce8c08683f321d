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
    receive(rest, sizeof rest - 1, false);
    CHECK_EQ(browse.state, SB_BROWSE_DONE);
    CHECK_EQ(browse.count, 2);
}

TEST(entries_without_address_or_port_are_left_out)
{
    static const char list[] = "\0\0\0\0\x56\x55\xCB\0\x71\x05\0\0\xCB\0\x71\x05\x56\x55\\final\\";
    greet();
    receive(list, sizeof list - 1, true);
    CHECK_EQ(browse.state, SB_BROWSE_DONE);
    CHECK_EQ(browse.count, 1);
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
    receive("more", 4, true); /* nothing happens after a failure */
    CHECK_EQ(browse.state, SB_BROWSE_FAILED);
}
