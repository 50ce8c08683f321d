/* tests/platform/udp_test.c -- addresses, and sockets on the loopback interface. */
#include "platform/udp.h"

#include "test.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LOOPBACK = 0x7F000001 };

static sb_udp open_socket(void)
{
    sb_udp         udp;
    char           error[SB_UDP_ERROR_MAX];
    sb_udp_options options = { .local = { LOOPBACK, 0 } };
    if (sb_udp_open(&udp, &options, error) != SB_OK) FAIL("%s", error);
    return udp;
}

static void send_text(sb_udp *udp, sb_udp_batch *batch, sb_endpoint to, const char *text)
{
    memcpy(sb_udp_next_buffer(udp, batch), text, strlen(text));
    sb_udp_send(udp, batch, to, strlen(text));
}

static size_t receive(sb_udp *udp, sb_udp_batch *batch, size_t limit)
{
    struct pollfd ready = { .fd = udp->descriptor, .events = POLLIN };
    CHECK_EQ(poll(&ready, 1, 2000), 1);
    return sb_udp_receive(udp, batch, limit);
}

/* ---- addresses ---- */

TEST(endpoints_have_a_text_and_come_from_one)
{
    char        text[SB_ENDPOINT_TEXT];
    sb_endpoint e = { 0, 0 };
    sb_endpoint_text((sb_endpoint){ 0xC0A80102, 22101 }, text);
    CHECK_TEXT(text, "192.168.1.2:22101");
    sb_endpoint_text((sb_endpoint){ 0xFFFFFFFF, 65535 }, text);
    CHECK_TEXT(text, "255.255.255.255:65535");
    CHECK(sb_parse_endpoint("192.168.1.2:22105", 7, &e));
    CHECK_EQ(e.address, 0xC0A80102);
    CHECK_EQ(e.port, 22105);
    CHECK(sb_parse_endpoint("10.0.0.1", 7, &e));
    CHECK_EQ(e.port, 7);
}

TEST(what_is_no_address_is_refused)
{
    static const char *const bad[] = { "",           ":1",         "1.2.3",
                                       "1.2.3.4:",   "1.2.3.4:0",  "1.2.3.4:65536",
                                       "1.2.3.4:x",  "1.2.3.4:1x", "localhost",
                                       "1.2.3.4: 1", "256.1.1.1",  "1.2.3.4:-1" };
    sb_endpoint              e = { 1, 2 };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (sb_parse_endpoint(bad[i], 7, &e)) FAIL("%s was accepted", bad[i]);
    CHECK_EQ(e.address, 1);
}

TEST(names_are_resolved_and_unknown_ones_explained)
{
    sb_endpoint e;
    char        error[SB_UDP_ERROR_MAX] = "";
    CHECK(sb_udp_resolve_endpoint("localhost:99", 7, &e, error));
    CHECK_EQ(e.address >> 24, 127);
    CHECK_EQ(e.port, 99);
    CHECK(!sb_udp_resolve_endpoint("name.invalid", 7, &e, error));
    CHECK(strstr(error, "no address for `name.invalid`: "));
    CHECK(!sb_udp_resolve_endpoint("host:", 7, &e, error));
    CHECK_TEXT(error, "`host:` is not HOST or HOST:PORT");
}

/* ---- sockets ---- */

TEST(datagrams_arrive_whole_with_their_sender)
{
    sb_udp        a = open_socket(), b = open_socket();
    sb_udp_batch *batch = sb_udp_batch_create();
    sb_endpoint   from;
    send_text(&a, batch, b.local, "one");
    send_text(&a, batch, b.local, "");
    send_text(&a, batch, b.local, "three");
    CHECK_EQ(a.traffic.datagrams_out, 0); /* queued, not sent */
    sb_udp_flush(&a, batch);
    CHECK_EQ(a.traffic.datagrams_out, 3);
    CHECK_EQ(a.traffic.bytes_out, 8);
    CHECK_EQ(receive(&b, batch, SB_UDP_BATCH), 3);
    sb_span first = sb_udp_received(batch, 0, &from), last = sb_udp_received(batch, 2, &from);
    CHECK_BYTES(first.data, first.size, "one", 3);
    CHECK_EQ(sb_udp_received(batch, 1, &from).size, 0);
    CHECK_BYTES(last.data, last.size, "three", 5);
    CHECK_EQ(from.address, LOOPBACK);
    CHECK_EQ(from.port, a.local.port);
    CHECK_EQ(b.traffic.datagrams_in, 3);
    CHECK_EQ(b.traffic.bytes_in, 8);
    CHECK_EQ(sb_udp_receive(&b, batch, SB_UDP_BATCH), 0); /* does not wait */
    sb_udp_batch_destroy(batch);
    sb_udp_close(&a);
    sb_udp_close(&b);
}

TEST(more_than_a_batch_is_flushed_on_the_way_and_read_in_portions)
{
    sb_udp        a = open_socket(), b = open_socket();
    sb_udp_batch *batch = sb_udp_batch_create();
    char          text[16];
    size_t        seen = 0;
    for (int i = 0; i < 150; i++) {
        snprintf(text, sizeof text, "%d", i);
        send_text(&a, batch, b.local, text);
    }
    CHECK_EQ(a.traffic.datagrams_out, 128);
    sb_udp_flush(&a, batch);
    CHECK_EQ(a.traffic.datagrams_out, 150);
    CHECK_EQ(receive(&b, batch, 10), 10); /* a limit is kept */
    seen = 10;
    while (seen < 150) {
        size_t count = receive(&b, batch, 1000);
        CHECK(count > 0 && count <= SB_UDP_BATCH);
        for (size_t i = 0; i < count; i++, seen++) {
            sb_endpoint from;
            sb_span     got = sb_udp_received(batch, i, &from);
            snprintf(text, sizeof text, "%zu", seen);
            CHECK_BYTES(got.data, got.size, text, strlen(text));
        }
    }
    sb_udp_batch_destroy(batch);
    sb_udp_close(&a);
    sb_udp_close(&b);
}

TEST(a_datagram_longer_than_any_of_ours_arrives_cut_and_too_long)
{
    sb_udp        a = open_socket(), b = open_socket();
    sb_udp_batch *batch = sb_udp_batch_create();
    sb_endpoint   from;
    memset(sb_udp_next_buffer(&a, batch), 'x', SB_UDP_DATAGRAM_MAX);
    sb_udp_send(&a, batch, b.local, SB_UDP_DATAGRAM_MAX);
    sb_udp_flush(&a, batch);
    CHECK_EQ(receive(&b, batch, 1), 1);
    CHECK(sb_udp_received(batch, 0, &from).size > 1500); /* refused as too long (spec 01 §10.2) */
    sb_udp_batch_destroy(batch);
    sb_udp_close(&a);
    sb_udp_close(&b);
}

/* A destination that the system refuses must not stop datagrams to others. On Linux an unconnected
 * socket gets no error from closed ports. */
TEST(a_refused_destination_is_counted_and_the_rest_is_sent)
{
    sb_udp        a = open_socket(), b = open_socket();
    sb_udp_batch *batch = sb_udp_batch_create();
    send_text(&a, batch, b.local, "before");
    send_text(&a, batch, (sb_endpoint){ 0xFFFFFFFF, 9 }, "broadcast is not allowed here");
    send_text(&a, batch, (sb_endpoint){ LOOPBACK, 0 }, "port 0");
    send_text(&a, batch, b.local, "after");
    sb_udp_flush(&a, batch);
    CHECK_EQ(a.traffic.datagrams_out, 2);
    CHECK_EQ(a.traffic.not_sent, 2);
    CHECK_EQ(receive(&b, batch, SB_UDP_BATCH), 2);
    sb_udp_batch_destroy(batch);
    sb_udp_close(&a);
    sb_udp_close(&b);
}

TEST(sending_where_nobody_listens_does_not_disturb_receiving)
{
    sb_udp        a = open_socket(), b = open_socket(), gone = open_socket();
    sb_udp_batch *batch = sb_udp_batch_create();
    sb_endpoint   from;
    sb_udp_close(&gone);
    for (int i = 0; i < 3; i++) {
        send_text(&a, batch, gone.local, "hello?");
        send_text(&a, batch, b.local, "hello");
        sb_udp_flush(&a, batch);
        send_text(&b, batch, a.local, "answer");
        sb_udp_flush(&b, batch);
        CHECK_EQ(receive(&a, batch, SB_UDP_BATCH), 1);
        sb_span got = sb_udp_received(batch, 0, &from);
        CHECK_BYTES(got.data, got.size, "answer", 6);
    }
    CHECK_EQ(a.traffic.datagrams_out, 6);
    sb_udp_batch_destroy(batch);
    sb_udp_close(&a);
    sb_udp_close(&b);
}

TEST(a_port_in_use_is_an_error_that_says_what_to_do)
{
    sb_udp         a = open_socket(), b;
    char           error[SB_UDP_ERROR_MAX], place[SB_ENDPOINT_TEXT];
    sb_udp_options options = { .local = a.local };
    CHECK_EQ(sb_udp_open(&b, &options, error), SB_OS_ERROR);
    CHECK_EQ(b.descriptor, -1);
    sb_endpoint_text(a.local, place);
    CHECK(strstr(error, place));
    CHECK(strstr(error, "in use"));
    CHECK(strstr(error, "--port"));
    sb_udp_close(&a);
    sb_udp_close(&b); /* of a closed one: nothing */
}

TEST(an_address_of_another_machine_is_an_error_with_advice)
{
    sb_udp         udp;
    char           error[SB_UDP_ERROR_MAX];
    sb_udp_options options = { .local = { 0xCB007101, 0 } }; /* 203.0.113.1: documentation */
    CHECK_EQ(sb_udp_open(&udp, &options, error), SB_OS_ERROR);
    CHECK(strstr(error, "--bind"));
}
