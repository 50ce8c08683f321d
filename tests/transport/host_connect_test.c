/* tests/transport/host_connect_test.c -- connecting to a host: answers, ids, refusals.
 *
 * For:      src/transport/host_connect.c. host_half_open_test.c and host_rebind_test.c have the rest.
 * Spec:     01 §4.9, §5.1, §5.3, §10.2.
 */
#include "rig.h"

#include <stdio.h>
#include <string.h>

/* ---- Connecting (spec 01 §5.3) ------------------------------------------------------------- */

TEST(a_connect_is_answered_by_its_ack_and_an_id_in_twelve_bytes)
{
    rig *r = rig_open_host(NULL);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    rig_step(r);
    EXPECT_SENT(r, rig_endpoint(1), "01 02 01 00 00 02 03 06 C0 00 00 02");
    EXPECT_SILENCE(r);
    EXPECT_NO_EVENT(r); /* not established yet */
    CHECK_EQ(sb_transport_host_peer_count(r->host), 0);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_CONNECTS), 1);
}

TEST(an_ack_or_any_message_under_the_new_id_establishes_a_peer)
{
    static const char *const first[] = {
        "02 01 01 00 00 02",                               /* Ack(low 0) */
        "02 01 00 0E C0 01 00 02 0A 0A 0A EF 4B 00 00 00", /* Name; the Ack was lost */
        "02 01 02",                                        /* NoOp */
        "02 01 32 06 80 00 00 0E",                         /* Data */
        "02 01 32 04 00 1C",                               /* Data, unreliable */
    };
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        rig *r = rig_open_host(NULL);
        GIVE(r, rig_endpoint(1), RIG_CONNECT);
        rig_step(r);
        GIVE(r, rig_endpoint(1), first[i]);
        EXPECT_JOINED(r, 2); /* before events of the datagram itself */
        CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_JOINED), 1);
    }
}

TEST(a_peer_that_speaks_under_its_id_needs_no_further_answer)
{
    rig *r = rig_open_host(NULL);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    rig_step(r);
    GIVE(r, rig_endpoint(1), "02 02 01 00 00 02 32 06 80 00 00 0E");
    EXPECT_JOINED(r, 2);
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\x0E", 1 }));
    rig_forget(r);
    rig_wait(r, 4 * SB_SECOND);
    EXPECT_SAID(r, rig_endpoint(1), "Ack 0");
    CHECK_EQ(rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_CONNECT), 0);
}

/* ---- Ids (spec 01 §5.1) -------------------------------------------------------------------- */

TEST(ids_are_the_lowest_free_from_2_and_half_open_ones_count)
{
    rig *r = rig_open_host(NULL);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    rig_step(r);
    EXPECT_SENT(r, rig_endpoint(1), "01 02 01 00 00 02 03 06 C0 00 00 02");
    CHECK_EQ(rig_join(r, rig_endpoint(2)), 3);
    CHECK_EQ(rig_join(r, rig_endpoint(3)), 4);
    rig_wait(r, 10 * SB_SECOND); /* the first entry has expired */
    CHECK_EQ(rig_join(r, rig_endpoint(4)), 2);
    CHECK_EQ(rig_join(r, rig_endpoint(5)), 5);
}

/* Stock removes a departed peer for good after 15.0 s (STBC-Reverse-Engineering, packet-bundling).
 */
TEST(an_id_is_given_again_15_seconds_after_its_owner_left)
{
    rig *r = rig_host_with(2, NULL);
    GIVE(r, rig_endpoint(1), "02 01 05 0A C0 01 00 02 0A 0A 0A EF");
    rig_wait(r, 6 * SB_SECOND);
    EXPECT_LEFT(r, 2, SB_LEFT_QUIT);
    sb_time left = r->now;
    CHECK_EQ(rig_join(r, rig_endpoint(3)), 4);
    rig_wait_until(r, left + 15 * SB_SECOND - 1);
    GIVE(r, rig_endpoint(4), RIG_CONNECT);
    rig_step(r);
    const rig_sent *answer = rig_next_sent_to(r, rig_endpoint(4));
    CHECK(answer != NULL);
    CHECK_EQ(answer->plain[answer->size - 1], 5);
    rig_wait(r, 1);
    CHECK_EQ(rig_join(r, rig_endpoint(5)), 2);
}

TEST(the_id_0x5C_is_never_given_as_it_would_look_like_a_query)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.max_peers = 100;
    config.timeout_us = 1000 * SB_SECOND;
    rig    *r = rig_open_host(&config);
    uint8_t expected = 2;
    for (unsigned i = 1; i <= 100; i++) {
        if (expected == SB_GAMESPY_BYTE) expected++;
        CHECK_EQ(rig_join(r, rig_endpoint(i)), expected);
        expected++;
    }
}

/* ---- Refusals (spec 01 §5.3, §4.9) --------------------------------------------------------- */

/* Checks that each Connect gets one datagram of 13 bytes with the reason, and nothing else. */
static void expect_refused(rig *r, sb_endpoint from, const char *connect, sb_boot_reason reason)
{
    char hex[64];
    (void)snprintf(hex, sizeof hex, "01 02 01 00 00 02 04 07 C0 00 00 %02X FF", (unsigned)reason);
    uint32_t peers = sb_transport_host_peer_count(r->host);
    rig_step(r);
    rig_forget(r);
    for (int i = 0; i < 2; i++) { /* each Connect gets its own refusal */
        (void)!rig_give_hex(r, from, connect);
        rig_step(r);
        EXPECT_SENT(r, from, hex);
        EXPECT_SILENCE(r);
        rig_wait(r, 2 * SB_SECOND);
        rig_forget(r);
    }
    rig_wait(r, 10 * SB_SECOND);
    CHECK_EQ(rig_count_sent(r, from, SB_TRANSPORT_BOOT), 0);
    CHECK_EQ(sb_transport_host_peer_count(r->host), peers);
    EXPECT_NO_EVENT(r);
    rig_forget(r);
}

TEST(a_full_host_refuses_with_reason_3_in_thirteen_bytes)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.max_peers = 2;
    rig *r = rig_host_with(2, &config);
    expect_refused(r, rig_endpoint(3), RIG_CONNECT, SB_BOOT_FULL);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REFUSED_FULL), 2);
}

TEST(too_many_peers_behind_one_address_are_refused_with_reason_3)
{
    rig *r = rig_open_host(NULL);
    for (uint16_t i = 0; i < 4; i++)
        CHECK_EQ(rig_join(r, (sb_endpoint){ 0x0A000001, (uint16_t)(1000 + i) }), i + 2);
    GIVE(r, ((sb_endpoint){ 0x0A000001, 1999 }), RIG_CONNECT); /* do all four hear the host? */
    rig_prove_all(r);
    expect_refused(r, (sb_endpoint){ 0x0A000001, 2000 }, RIG_CONNECT, SB_BOOT_FULL);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REFUSED_SOURCE), 2);
    CHECK_EQ(rig_join(r, rig_endpoint(2)), 6);
}

TEST(only_a_wrong_password_is_refused_with_reason_2)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.password = rig_wide("Nx");
    rig *r = rig_open_host(&config);
    expect_refused(r, rig_endpoint(1), RIG_CONNECT, SB_BOOT_PASSWORD); /* no password */
    expect_refused(r, rig_endpoint(2),
                   "FF 01 03 13 C0 00 00 0A 0A 0A EF F9 78 00 00 4E 00 79 00 00 00",
                   SB_BOOT_PASSWORD);
    expect_refused(r, rig_endpoint(3), "FF 01 03 11 C0 00 00 0A 0A 0A EF F9 78 00 00 4E 00 00 00",
                   SB_BOOT_PASSWORD); /* only the beginning of the password */
    expect_refused(r, rig_endpoint(4),
                   "FF 01 03 15 C0 00 00 0A 0A 0A EF F9 78 00 00 4E 00 78 00 78 00 00 00",
                   SB_BOOT_PASSWORD); /* longer than the password */
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REFUSED_PASSWORD), 8);
    GIVE(r, rig_endpoint(5), "FF 01 03 13 C0 00 00 0A 0A 0A EF F9 78 00 00 4E 00 78 00 00 00");
    rig_step(r);
    EXPECT_SENT(r, rig_endpoint(5), "01 02 01 00 00 02 03 06 C0 00 00 02");
    /* A password without terminator ends with the payload (spec 01 §13 Q3). */
    GIVE(r, rig_endpoint(6), "FF 01 03 11 C0 00 00 0A 0A 0A EF F9 78 00 00 4E 00 78 00");
    rig_step(r);
    EXPECT_SENT(r, rig_endpoint(6), "01 02 01 00 00 02 03 06 C0 00 00 03");
}

static bool admit_nobody(void *context, sb_endpoint from, const sb_connect_request *request,
                         uint8_t *boot_reason)
{
    (void)context, (void)from, (void)request;
    *boot_reason = SB_BOOT_BANNED;
    return false;
}

TEST(a_refusal_names_password_before_ban_before_full)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.max_peers = 1;
    config.peers_per_ip = 1;
    rig        *r = rig_host_with(1, &config);
    sb_endpoint neighbour = { rig_endpoint(1).address, 999 };
    expect_refused(r, neighbour, RIG_CONNECT, SB_BOOT_FULL);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REFUSED_FULL),
             2); /* "full" is checked before "too many of one address" */
    config.admit = admit_nobody;
    r = rig_open_host(&config);
    expect_refused(r, rig_endpoint(1), RIG_CONNECT, SB_BOOT_BANNED);
    config.password = rig_wide("Nx");
    r = rig_open_host(&config);
    expect_refused(r, rig_endpoint(1), RIG_CONNECT, SB_BOOT_PASSWORD);
}

static bool admit_odd(void *context, sb_endpoint from, const sb_connect_request *request,
                      uint8_t *boot_reason)
{
    unsigned *asked = context;
    ++*asked;
    *boot_reason = SB_BOOT_BANNED;
    return request->address == 0x0A0A0AEF && from.address % 2 == 1;
}

TEST(the_admission_rule_refuses_with_its_own_reason)
{
    sb_transport_host_config config;
    unsigned                 asked = 0;
    rig_host_config(&config);
    config.admit = admit_odd;
    config.admit_context = &asked;
    rig *r = rig_open_host(&config);
    CHECK_EQ(rig_join(r, rig_endpoint(1)), 2);
    CHECK_EQ(asked, 1);
    expect_refused(r, rig_endpoint(2), RIG_CONNECT, SB_BOOT_BANNED);
    CHECK_EQ(asked, 3);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REFUSED_BANNED), 2);
}

/* ---- Checks before decryption (spec 01 §5.2, §10.2) ----------------------------------------- */

TEST(strangers_are_unknown_unless_they_connect)
{
    rig    *r = rig_host_with(1, NULL);
    uint8_t noop[] = { 5, 1, 2 };
    REFUSE(r, rig_endpoint(9), ((sb_span){ noop, 3 }), SB_TRANSPORT_COUNT_UNKNOWN_SOURCE);
    uint8_t bytes[64];
    size_t  size = test_hex("FF 01 32 0F 80 00 00 0A 0A 0A EF F9 78 00 00 00 00", bytes, 64);
    REFUSE(r, rig_endpoint(9), ((sb_span){ bytes, size }), SB_TRANSPORT_COUNT_NOT_A_CONNECT);
    rig_step(r);
    EXPECT_SILENCE(r);
}

TEST(strangers_are_refused_before_decryption)
{
    rig           *r = rig_host_with(1, NULL);
    static uint8_t garbage[200];
    memset(garbage, 0x32, sizeof garbage); /* malformed if parsed */
    garbage[0] = 9; /* not 0xFF: never parsed, so never counted as malformed */
    REFUSE(r, rig_endpoint(5), ((sb_span){ garbage, 40 }), SB_TRANSPORT_COUNT_UNKNOWN_SOURCE);
    garbage[0] = SB_PEER_NONE;
    REFUSE(r, rig_endpoint(5), ((sb_span){ garbage, 16 }), SB_TRANSPORT_COUNT_CONNECT_LENGTH);
    REFUSE(r, rig_endpoint(5), ((sb_span){ garbage, 151 }), SB_TRANSPORT_COUNT_CONNECT_LENGTH);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_MALFORMED), 0);
    for (int i = 0; i < 5; i++)
        REFUSE(r, rig_endpoint(5), ((sb_span){ garbage, i % 2 ? 17u : 150u }),
               SB_TRANSPORT_COUNT_MALFORMED);
    for (int i = 0; i < 1995; i++) (void)!rig_give(r, rig_endpoint(5), (sb_span){ garbage, 17 });
    REFUSE(r, rig_endpoint(5), ((sb_span){ garbage, 17 }), SB_TRANSPORT_COUNT_CONNECT_RATE_SOURCE);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_MALFORMED), 2000);
}

TEST(a_connect_may_have_17_to_150_bytes)
{
    for (size_t size = 17; size <= 150; size += 133) {
        rig    *r = rig_open_host(NULL);
        uint8_t bytes[150] = { 0xFF, 1, 3, (uint8_t)(size - 2), 0xC0, 0, 0 };
        CHECK_EQ(rig_give(r, rig_endpoint(1), (sb_span){ bytes, size }), SB_OK);
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_CONNECTS), 1);
    }
}

TEST(peers_per_address_can_be_raised_or_unlimited)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.peers_per_ip = 0;
    rig *r = rig_open_host(&config);
    for (uint16_t i = 0; i < 10; i++)
        CHECK_EQ(rig_join(r, (sb_endpoint){ 0x0A000001, (uint16_t)(1000 + i) }), i + 2);
}
