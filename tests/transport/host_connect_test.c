/* tests/transport/host_connect_test.c -- connecting to a host: answers, ids, refusals.
 *
 * For:      src/transport/host_connect.c. host_half_open_test.c and host_rebind_test.c have the rest.
 * Spec:     01 §4.9, §5.1, §5.3, §10.2.
 */
#include "rig.h"
#include "transport/bounds.h"
#include "transport/newcomers.h"

#include <stdio.h>
#include <stdlib.h>
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

#define WITH_PASSWORD "FF 01 03 13 C0 00 00 0A 0A 0A EF F9 78 00 00 4E 00 78 00 00 00"

static unsigned connect_count(rig *r, sb_endpoint from, const char *hex)
{
    uint64_t before = rig_count(r, SB_TRANSPORT_COUNT_CONNECTS);
    (void)!rig_give_hex(r, from, hex);
    rig_step(r);
    return (unsigned)(rig_count(r, SB_TRANSPORT_COUNT_CONNECTS) - before);
}

/* Datagrams that answer a Connect without a password. */
static unsigned refusal_count(rig *r, sb_endpoint from)
{
    unsigned answers = 0;
    while (rig_next_sent_to(r, from)) {
    }
    (void)!rig_give_hex(r, from, RIG_CONNECT);
    rig_step(r);
    while (rig_next_sent_to(r, from)) answers++;
    return answers;
}

/* Anybody can forge wrong passwords of an address: they cost it answers, not its place. */
TEST(forged_wrong_passwords_keep_nobody_out)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.password = rig_wide("Nx");
    rig *r = rig_open_host(&config);
    for (unsigned i = 0; i < SB_PASSWORD_TRIES; i++) CHECK_EQ(refusal_count(r, rig_endpoint(1)), 1);
    CHECK_EQ(refusal_count(r, rig_endpoint(1)), 0);
    CHECK_EQ(refusal_count(r, rig_endpoint(2)), 1); /* another address */
    CHECK_EQ(connect_count(r, rig_endpoint(1), WITH_PASSWORD), 1);
    r->now += SB_PASSWORD_TRY_SECONDS * SB_SECOND;
    CHECK_EQ(refusal_count(r, rig_endpoint(3)), 1);
    /* Many addresses do not grow the table, and the last one has its own tries. */
    for (unsigned i = 0; i < 4 * SB_PASSWORD_SOURCES; i++)
        CHECK_EQ(refusal_count(r, rig_endpoint(10 + i)), 1);
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

/* It is as long as a Connect, and answers a response that the host never sent. */
TEST(an_answer_of_somebody_who_was_told_no_id_seats_nobody)
{
    rig *r = rig_open_host(NULL);
    REFUSE(r, rig_endpoint(9), rig_hex("FF 02 01 00 00 02 32 0B 80 00 00 AA AA AA AA AA AA"),
           SB_TRANSPORT_COUNT_NOT_A_CONNECT);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 0);
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
    for (int i = 5; i < 12000; i++)
        CHECK_EQ(rig_give(r, rig_endpoint(5), (sb_span){ garbage, 17 }), SB_TRUNCATED);
    REFUSE(r, rig_endpoint(5), ((sb_span){ garbage, 17 }), SB_TRANSPORT_COUNT_CONNECT_RATE_SOURCE);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_MALFORMED), 12000);
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

/* ---- What a Connect says, and what becomes of it --------------------------------------------- */

static sb_connect_request last_request;
static uint8_t            last_password[64];

/* Remembers the request; its password is lent. Leaves the reason as it is. */
static bool admit_none_and_remember(void *context, sb_endpoint from,
                                    const sb_connect_request *request, uint8_t *boot_reason)
{
    (void)context, (void)from, (void)boot_reason;
    last_request = *request;
    CHECK(request->password.size <= sizeof last_password);
    if (request->password.size > 0)
        memcpy(last_password, request->password.data, request->password.size);
    return false;
}

static bool admit_none_as_kicked(void *context, sb_endpoint from, const sb_connect_request *request,
                                 uint8_t *boot_reason)
{
    (void)context, (void)from, (void)request;
    *boot_reason = SB_BOOT_KICKED;
    return false;
}

TEST(the_admission_rule_sees_every_field_of_a_connect)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.admit = admit_none_and_remember;
    rig *r = rig_open_host(&config);
    expect_refused(r, rig_endpoint(1),
                   "FF 01 03 15 C0 00 00 01 02 03 04 05 06 07 08 4E 00 79 00 00 00 51 00",
                   SB_BOOT_BANNED); /* the reason if the rule names none */
    CHECK_EQ(last_request.address, 0x01020304);
    CHECK_EQ(last_request.opaque, 0x08070605);
    CHECK_BYTES(last_password, last_request.password.size, "N\0y\0", 4);
    config.admit = admit_none_as_kicked;
    expect_refused(rig_open_host(&config), rig_endpoint(1), RIG_CONNECT, SB_BOOT_KICKED);
}

TEST(half_a_letter_behind_a_password_is_ignored)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.password = rig_wide("N");
    GIVE(rig_open_host(&config), rig_endpoint(1),
         "FF 01 03 10 C0 00 00 0A 0A 0A EF F9 78 00 00 4E 00 78");
    /* A host without a password takes everybody. */
    GIVE(rig_open_host(NULL), rig_endpoint(1),
         "FF 01 03 13 C0 00 00 0A 0A 0A EF F9 78 00 00 4E 00 78 00 00 00");
}

TEST(connects_that_no_client_sends_are_refused_with_their_result)
{
    static const struct {
        const char          *hex;
        sb_transport_counter counter;
        sb_result            result;
    } cases[] = {
        { "FF 01 03 0F C0 01 00 0A 0A 0A EF F9 78 00 00 00 00", /* number 1 */
          SB_TRANSPORT_COUNT_NOT_A_CONNECT, SB_NOT_ALLOWED },
        { "FF 01 03 0F 40 0A 0A 0A EF F9 78 00 00 00 00 00 00", /* not reliable */
          SB_TRANSPORT_COUNT_NOT_A_CONNECT, SB_NOT_ALLOWED },
        { "FF 01 32 0F 80 00 00 0A 0A 0A EF F9 78 00 00 00 00", /* Data */
          SB_TRANSPORT_COUNT_NOT_A_CONNECT, SB_NOT_ALLOWED },
        { "FF 04 03 0C C0 00 00 0A 0A 0A EF F9 78 00 02 02 02", /* seven bytes */
          SB_TRANSPORT_COUNT_BAD_CONTROL, SB_BAD_VALUE },
        { "FF 01 03 0E C0 00 00 0A 0A 0A EF F9 78 00 00 00", /* 16 bytes */
          SB_TRANSPORT_COUNT_CONNECT_LENGTH, SB_BAD_VALUE },
        { "09 01 02", SB_TRANSPORT_COUNT_UNKNOWN_SOURCE, SB_NOT_ALLOWED },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rig *r = rig_open_host(NULL);
        CHECK_EQ(rig_give_hex(r, rig_endpoint(1), cases[i].hex), cases[i].result);
        CHECK_EQ(rig_count(r, cases[i].counter), 1);
        CHECK_EQ(rig_refusals(r), 1);
        rig_step(r);
        EXPECT_SILENCE(r);
    }
    /* Eight bytes are enough, without a password and its terminator. */
    rig *r = rig_open_host(NULL);
    GIVE(r, rig_endpoint(1), "FF 03 03 0D C0 00 00 0A 0A 0A EF F9 78 00 00 02 02");
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_CONNECTS), 1);
}

/* Datagrams of one /24, or of all of them, beyond the limit of a second. */
TEST(strangers_beyond_a_rate_limit_get_the_result_full)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.newcomers = sb_newcomers_init(malloc(sb_newcomers_bytes()), 7);
    rig *r = rig_open_host(&config);
    for (unsigned i = 0; i < 12000; i++)
        CHECK(sb_newcomers_spend_network(config.newcomers, r->now, 0x0A000000));
    CHECK_EQ(rig_give_hex(r, rig_endpoint(1), RIG_CONNECT), SB_FULL);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_CONNECT_RATE_SOURCE), 1);
    for (unsigned i = 0; i < 20000; i++) CHECK(sb_newcomers_spend_total(config.newcomers, r->now));
    CHECK_EQ(rig_give_hex(r, (sb_endpoint){ 0x0B000001, 5 }, RIG_CONNECT), SB_FULL);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_CONNECT_RATE_TOTAL), 1);
    free(config.newcomers);
}

TEST(refusals_are_remembered_for_the_log)
{
    sb_connect_refusal       last;
    sb_transport_host_config config;
    rig_host_config(&config);
    config.password = rig_wide("Nx");
    rig *r = rig_open_host(&config);
    CHECK_EQ(sb_transport_host_refusals(r->host, &last), 0);
    for (unsigned i = 1; i <= 2; i++) {
        CHECK_EQ(rig_give_hex(r, rig_endpoint(i), RIG_CONNECT), SB_NOT_ALLOWED);
        CHECK_EQ(sb_transport_host_refusals(r->host, &last), i);
        CHECK(rig_same_endpoint(last.address, rig_endpoint(i)));
        CHECK_EQ(last.boot_reason, SB_BOOT_PASSWORD);
        CHECK_EQ(last.why, SB_TRANSPORT_COUNT_REFUSED_PASSWORD);
    }
}

TEST(a_stopping_host_refuses_strangers_and_newcomers_as_late)
{
    rig *r = rig_open_host(NULL);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    sb_transport_host_stop(r->host, r->now);
    CHECK_EQ(rig_give_hex(r, rig_endpoint(2), RIG_CONNECT), SB_NOT_ALLOWED);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_LATE), 1);
    CHECK_EQ(rig_give_hex(r, rig_endpoint(1), "02 01 01 00 00 02"), SB_NOT_ALLOWED);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_LATE), 2);
    CHECK_EQ(rig_refusals(r), 2);
}

/* ---- Answers that wait ----------------------------------------------------------------------- */

TEST(answers_wait_in_order_and_beyond_128_are_not_sent)
{
    rig *r = rig_open_host(NULL);
    for (unsigned round = 1; round <= 3; round++) { /* the queue is a ring */
        rig_forget(r);
        for (unsigned i = 0; i < 130; i++) GIVE(r, rig_endpoint(256 * round + i), RIG_CONNECT);
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_DROPPED_ANSWER), 2 * round);
        rig_step(r);
        CHECK_EQ(r->sent_count, 128);
        for (unsigned i = 0; i < 128; i++)
            CHECK(rig_same_endpoint(r->sent[i].to, rig_endpoint(256 * round + i)));
        if (round == 1) GIVE(r, rig_endpoint(9), RIG_CONNECT); /* starts the next round at 1 */
        rig_step(r);
    }
}

/* ---- Ids that run short (spec 01 §5.1) ------------------------------------------------------- */

static sb_result answer_under(rig *r, sb_endpoint from, uint8_t id)
{
    uint8_t ack[] = { id, 1, 1, 0, 0, 2 };
    return rig_give(r, from, (sb_span){ ack, sizeof ack });
}

/* A host of one seat, without proof, so that a peer joins in no time. */
static rig *open_host_of_one(sb_time now)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.max_peers = 1;
    config.proof = false;
    rig *r = rig_open_host(&config);
    r->now = now;
    r->host = sb_transport_host_init(r->memory, &config, now);
    return r;
}

TEST(all_ids_from_2_to_127_are_given_and_none_for_5_s_after)
{
    rig    *r = open_host_of_one(-1000 * SB_SECOND); /* whatever the clock says */
    uint8_t expected = 2;
    for (unsigned i = 1; i <= 125; i++, expected++) {
        if (expected == SB_GAMESPY_BYTE) expected++;
        CHECK_EQ(rig_told_id(r, rig_endpoint(i)), expected);
        CHECK_EQ(answer_under(r, rig_endpoint(i), expected), SB_OK);
        CHECK_EQ(rig_send(r, expected, SB_RELIABLE, rig_pattern(1, 0)), SB_OK);
        sb_transport_host_boot(r->host, r->now, expected, SB_BOOT_KICKED);
        rig_step(r);
    }
    CHECK_EQ(expected, 128);
    sb_time left = r->now;
    rig_forget(r);
    CHECK_EQ(rig_give_hex(r, rig_endpoint(300), RIG_CONNECT), SB_FULL);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_NO_ID), 1);
    rig_step(r);
    EXPECT_SILENCE(r);
    rig_wait_until(r, left + 5 * SB_SECOND - 1);
    CHECK_EQ(rig_give_hex(r, rig_endpoint(300), RIG_CONNECT), SB_FULL);
    rig_wait(r, 1);
    CHECK_EQ(rig_told_id(r, rig_endpoint(300)), 2); /* better a quarantined id than none */
}

TEST(an_id_is_told_again_after_exactly_ten_seconds)
{
    for (int early = 0; early < 2; early++) {
        rig *r = rig_open_host(NULL);
        CHECK_EQ(rig_told_id(r, rig_endpoint(1)), 2);
        rig_wait(r, 10 * SB_SECOND - early);
        CHECK_EQ(rig_told_id(r, rig_endpoint(2)), early ? 3 : 2);
    }
}

/* All other ids were told in the last seconds: one of them, not one that a peer may still use. */
TEST(an_id_that_was_only_told_is_better_than_a_quarantined_one)
{
    rig *r = open_host_of_one(RIG_START);
    CHECK_EQ(rig_told_id(r, rig_endpoint(1)), 2);
    CHECK_EQ(answer_under(r, rig_endpoint(1), 2), SB_OK);
    sb_transport_host_boot(r->host, r->now, 2, SB_BOOT_KICKED);
    rig_wait(r, 6 * SB_SECOND);
    for (unsigned i = 0; i < 124; i++) {
        (void)rig_told_id(r, rig_endpoint(100 + i));
        rig_wait(r, RIG_MILLISECOND);
    }
    CHECK_EQ(rig_told_id(r, rig_endpoint(300)), 3);
    CHECK_EQ(rig_told_id(r, rig_endpoint(301)), 4);
}

/* Two newcomers were told the id; one used it and left. */
TEST(an_id_of_a_leaving_peer_is_refused_for_5_s)
{
    for (int late = 0; late < 2; late++) {
        rig *r = open_host_of_one(RIG_START);
        CHECK_EQ(rig_told_id(r, rig_endpoint(1)), 2);
        for (unsigned i = 0; i < 124; i++) (void)rig_told_id(r, rig_endpoint(100 + i));
        CHECK_EQ(rig_told_id(r, rig_endpoint(2)), 2);
        CHECK_EQ(answer_under(r, rig_endpoint(2), 2), SB_OK);
        CHECK_EQ(answer_under(r, rig_endpoint(1), 2), SB_NOT_ALLOWED); /* it has an owner */
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_ID_COLLISION), 1);
        sb_transport_host_boot(r->host, r->now, 2, SB_BOOT_KICKED);
        rig_wait(r, 5 * SB_SECOND - 1 + late);
        CHECK_EQ(answer_under(r, rig_endpoint(1), 2), late ? SB_OK : SB_NOT_ALLOWED);
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_ID_COLLISION), late ? 1 : 2);
    }
}

TEST(a_half_open_entry_that_has_to_go_is_counted)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.newcomers = sb_newcomers_init(malloc(sb_newcomers_bytes()), 7);
    rig *r = rig_open_host(&config);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    GIVE(r, rig_endpoint(1), RIG_CONNECT); /* its own entry */
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_HALF_OPEN_REPLACED), 0);
    for (uint32_t set = 0; set < SB_NEWCOMER_SETS_SHARED; set++)
        for (uint64_t i = 1; i <= SB_NEWCOMER_WAYS; i++)
            (void)sb_newcomers_put(config.newcomers, r->now, (sb_newcomer_key){ i << 41 | set }, 9);
    GIVE(r, rig_endpoint(2), RIG_CONNECT);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_HALF_OPEN_REPLACED), 1);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_CONNECTS), 3);
    free(config.newcomers);
}
