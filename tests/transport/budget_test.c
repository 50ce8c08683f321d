/* tests/transport/budget_test.c -- what an established peer may send, and what a flood costs.
 *
 * For:      src/transport/budget.h and its use in host_peer.c.
 * Spec:     01 §10.2, §10.6.
 */
#include "rig.h"
#include "transport/budget.h"
#include "transport/marks.h"

#include <string.h>

/* The cipher is slow: what one address can have decrypted is bounded, readable or not. */
TEST(sixteen_mebibytes_are_decrypted_for_a_peer_each_second)
{
    rig           *r = rig_host_with(1, NULL);
    static uint8_t garbage[1024], plain[1024] = { 2, 2, 0x32, 0xFE, 0x03 };
    memcpy(garbage, plain, sizeof garbage); /* the second message is missing */
    sb_encrypt_datagram(garbage, sizeof garbage);
    for (int round = 0; round < 2; round++) { /* the first one empties the burst */
        uint64_t before = rig_count(r, SB_TRANSPORT_COUNT_MALFORMED);
        for (int i = 0; i < 40000; i++)
            (void)!rig_receive_unchecked(r, rig_endpoint(1), (sb_span){ garbage, sizeof garbage });
        if (round == 1) CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_MALFORMED), before + 16384);
        REFUSE(r, rig_endpoint(1), ((sb_span){ plain, 40 }), SB_TRANSPORT_COUNT_OVER_BUDGET);
        rig_wait(r, SB_SECOND);
    }
    REFUSE(r, rig_endpoint(1), ((sb_span){ plain, 40 }), SB_TRANSPORT_COUNT_MALFORMED);
}

TEST(a_peer_has_600_datagrams_at_once_and_300_more_each_second)
{
    rig *r = rig_host_with(1, NULL);
    rig_wait(r, 3 * SB_SECOND);
    CHECK_EQ(rig_give_until_refused(r, rig_endpoint(1), rig_hex("02 01 02")), 600);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_OVER_BUDGET), 1);
    rig_wait(r, SB_SECOND);
    CHECK_EQ(rig_give_until_refused(r, rig_endpoint(1), rig_hex("02 01 02")), 300);
    rig_wait(r, 10 * SB_SECOND);
    CHECK_EQ(rig_give_until_refused(r, rig_endpoint(1), rig_hex("02 01 02")), 600);
}

TEST(every_reliable_message_we_send_allows_ten_more_datagrams)
{
    rig *r = rig_host_with(1, NULL);
    rig_wait(r, 3 * SB_SECOND);
    for (int i = 0; i < 6; i++)
        CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE, rig_pattern(3, 0)), SB_OK);
    CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE, rig_pattern(832, 0)), SB_OK);
    rig_step(r); /* 9 messages, counting fragments */
    CHECK_EQ(rig_give_until_refused(r, rig_endpoint(1), rig_hex("02 01 02")), 690);
}

TEST(the_nine_acks_of_a_stock_peer_are_within_its_budget)
{
    rig *r = rig_host_with(1, NULL);
    for (unsigned i = 0; i < 200; i++)
        CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE, rig_pattern(3, i)), SB_OK);
    rig_step(r);
    for (int copy = 0; copy < 9; copy++)
        for (uint16_t seq = 0; seq < 200; seq++) {
            rig_pack p;
            rig_pack_init(&p, 2);
            rig_pack_ack(&p, false, seq);
            GIVE_PACK(r, rig_endpoint(1), &p);
        }
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_OVER_BUDGET), 0);
}

TEST(messages_and_bytes_have_budgets_of_their_own)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.messages_per_s = 1000;
    rig     *r = rig_host_with(1, &config);
    rig_pack p;
    rig_pack_init(&p, 2);
    for (int i = 0; i < 100; i++) rig_pack_noop(&p);
    rig_wait(r, 3 * SB_SECOND);
    CHECK_EQ(rig_give_until_refused(r, rig_endpoint(1), rig_packed(&p)), 20);
    rig_wait(r, SB_SECOND);
    CHECK_EQ(rig_give_until_refused(r, rig_endpoint(1), rig_packed(&p)), 10);
    rig_host_config(&config);
    config.bytes_per_s = 10000;
    r = rig_host_with(1, &config);
    rig_pack_init(&p, 2);
    rig_pack_unreliable(&p, rig_pattern(995, 0));
    CHECK_EQ(rig_packed(&p).size, 1000);
    rig_wait(r, 3 * SB_SECOND);
    CHECK_EQ(rig_give_until_refused(r, rig_endpoint(1), rig_packed(&p)), 20);
    rig_wait(r, SB_SECOND);
    CHECK_EQ(rig_give_until_refused(r, rig_endpoint(1), rig_packed(&p)), 10);
}

/* ---- floods in the name of a peer (spec 01 §10.6) ------------------------------------------- */

/* Forged datagrams under the address of peer 2, a given number each millisecond for 20 s, beside
 * an update of the peer each 100 ms. Returns how many of the 200 updates are lost. */
static unsigned updates_lost(rig *r, const char *forged, unsigned each_millisecond)
{
    uint8_t  update[8], other[64];
    size_t   size = test_hex("02 01 32 05 00 1C 00", update, sizeof update);
    size_t   other_size = test_hex(forged, other, sizeof other);
    unsigned lost = 0;
    sb_encrypt_datagram(update, size);
    sb_encrypt_datagram(other, other_size);
    for (unsigned i = 0; i < 20000; i++, r->now += RIG_MILLISECOND) {
        for (unsigned k = 0; k < each_millisecond; k++)
            (void)!rig_receive_unchecked(r, rig_endpoint(1), (sb_span){ other, other_size });
        if (i % 100 == 0)
            lost += rig_receive_unchecked(r, rig_endpoint(1), (sb_span){ update, size }) != SB_OK;
    }
    return lost;
}

TEST(floods_that_anybody_can_send_cost_a_peer_no_update)
{
    static const char *const floods[] = {
        "FF 00",                               /* without an id */
        RIG_CONNECT,                           /* a Connect */
        "02 02 02",                            /* malformed */
        "02 03 32 05 00 1C 00 32 05 00 1C 00", /* malformed at its end */
        "02 07 77 13 05 01",                   /* random bytes: an unknown type */
        "03 01 02",                            /* under another id */
        "02 01 05 0A C0 01 00 03 0A 0A 0A EF", /* no peer sends this */
    };
    for (size_t i = 0; i < sizeof floods / sizeof *floods; i++) {
        rig *r = rig_host_with(1, NULL);
        CHECK_EQ(updates_lost(r, floods[i], 10), 0);
        CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
    }
}

/* Half of all random bytes parse, as a message of an unknown type. */
TEST(a_datagram_that_begins_with_an_unknown_type_is_malformed)
{
    rig *r = rig_host_with(1, NULL);
    for (int i = 0; i < 1000; i++)
        REFUSE(r, rig_endpoint(1), rig_hex("02 01 77 01"), SB_TRANSPORT_COUNT_MALFORMED);
    CHECK_EQ(rig_give_until_refused(r, rig_endpoint(1), rig_hex("02 01 02")), 600);
    rig_wait(r, SB_SECOND);
    GIVE(r, rig_endpoint(1), "02 02 02 77"); /* after a message of the peer it is ignored */
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_MALFORMED), 1000);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNKNOWN_TYPE), 1001);
}

/* Somebody else may have used the budget up: the peer is asked which datagrams are its own. */
TEST(a_peer_with_an_exhausted_budget_is_asked_for_marks)
{
    rig *r = rig_host_with(1, NULL);
    rig_wait(r, 3 * SB_SECOND);
    rig_forget(r);
    CHECK_EQ(rig_give_until_refused(r, rig_endpoint(1), rig_hex("02 01 02")), 600);
    rig_step(r);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_MARKS), SB_MARKS_COUNT);
    CHECK_EQ(rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_DATA), 1);
    rig_wait(r, SB_SECOND / 10);
    GIVE(r, rig_endpoint(1), "02 01 32 06 80 00 00 AA"); /* within the budget it counts at once */
    CHECK(rig_next_event(r) != NULL);
}

TEST(datagrams_without_an_id_have_a_budget_of_their_own)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), "02 01 02");
    rig_wait(r, 3 * SB_SECOND);
    CHECK_EQ(rig_give_until_refused(r, rig_endpoint(1), rig_hex(RIG_CONNECT)), 40);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_WITHOUT_ID_RATE), 1);
    rig_wait(r, SB_SECOND);
    CHECK_EQ(rig_give_until_refused(r, rig_endpoint(1), rig_hex(RIG_CONNECT)), 20);
    CHECK_EQ(rig_give_until_refused(r, rig_endpoint(1), rig_hex("02 01 02")), 600);
}

TEST(a_flood_never_ends_a_session)
{
    rig *r = rig_host_with(2, NULL);
    (void)updates_lost(r, "02 01 02", 1); /* valid, and more than the budget */
    CHECK(rig_count(r, SB_TRANSPORT_COUNT_OVER_BUDGET) > 10000);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 2);
    rig_wait(r, SB_SECOND);
    CHECK_EQ(rig_give_hex(r, rig_endpoint(1), "02 01 02"), SB_OK);
}

/* ---- the arithmetic ---- */

TEST(a_budget_is_refilled_to_the_microsecond_up_to_its_burst)
{
    sb_budget b;
    sb_budget_init(&b, 100, 3);
    CHECK(sb_budget_has(&b, 3));
    CHECK(!sb_budget_has(&b, 4));
    sb_budget_spend(&b, 3);
    CHECK(sb_budget_has(&b, 0));
    CHECK(!sb_budget_has(&b, 1));
    sb_budget_refill(&b, 100 + 333333, 3, 3); /* 0.999999 tokens */
    CHECK(!sb_budget_has(&b, 1));
    sb_budget_refill(&b, 100 + 333334, 3, 3);
    CHECK(sb_budget_has(&b, 1));
    sb_budget_refill(&b, 100 + 333334, 3, 3); /* the same moment gives nothing */
    sb_budget_refill(&b, 50, 3, 3);           /* nor does an earlier one */
    CHECK_EQ(b.left, 1000002);
    sb_budget_refill(&b, 50 + 666666, 3, 3);
    CHECK_EQ(b.left, 3 * SB_SECOND);
    sb_budget_refill(&b, 60 * SB_SECOND, 3, 3);
    CHECK_EQ(b.left, 3 * SB_SECOND);
}

/* From 18 minutes on, a product of time and rate could overflow. */
TEST(a_budget_is_refilled_after_any_pause)
{
    static const struct {
        sb_time  past;
        uint32_t per_s, burst;
        int64_t  left, after;
    } cases[] = {
        { 1000000000, 3, 3001, 999999, 3000999999 }, /* one millionth short of a full bucket */
        { UINT32_MAX / 4, 2, 2148, 516353, 2147999999 },
        { 1200000000, 3, 3601, 999999, 3601000000 }, /* from here on it is given */
        { 2000000000, 3, 6001, 999999, 6001000000 },
        { 2000000000, 1, 10000, 0, 2000000000 },
        { 2000000000, 5, 10000, 0, 10000000000 },
        { 2000000000, 0, 10000, 7, 7 },
        { 2000000000, 1, 0, 0, 0 },
        { INT64_MAX / 2, UINT32_MAX, UINT32_MAX, 0, UINT32_MAX * SB_SECOND },
        { INT64_MAX / 2, 1, UINT32_MAX, 0, UINT32_MAX * SB_SECOND },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_budget b = { cases[i].left, 0 };
        sb_budget_refill(&b, cases[i].past, cases[i].per_s, cases[i].burst);
        CHECK_EQ(b.left, cases[i].after);
        CHECK_EQ(b.at, cases[i].past);
    }
}

TEST(extra_tokens_stay_until_they_are_spent_or_cut)
{
    sb_budget b;
    sb_budget_init(&b, 0, 2);
    sb_budget_add(&b, 3, 6);
    CHECK_EQ(b.left, 5 * SB_SECOND);
    sb_budget_refill(&b, SB_SECOND, 1, 2); /* above the burst: nothing is added, nothing lost */
    CHECK_EQ(b.left, 5 * SB_SECOND);
    sb_budget_add(&b, 3, 6);
    CHECK_EQ(b.left, 6 * SB_SECOND);
    sb_budget_cap(&b, 6);
    CHECK_EQ(b.left, 6 * SB_SECOND);
    sb_budget_cap(&b, 4);
    CHECK_EQ(b.left, 4 * SB_SECOND);
}

TEST(a_budget_says_when_it_will_have_enough)
{
    sb_budget b = { SB_SECOND, 500 };
    CHECK_EQ(sb_budget_ready_at(&b, 0, 3), 500);
    CHECK_EQ(sb_budget_ready_at(&b, 1, 3), 500);
    CHECK_EQ(sb_budget_ready_at(&b, 2, 3), 500 + 333334);
    CHECK_EQ(sb_budget_ready_at(&b, 4, 3), 500 + SB_SECOND);
    b.left--;
    CHECK_EQ(sb_budget_ready_at(&b, 1, 3), 501);
    sb_time ready = sb_budget_ready_at(&b, 2, 3);
    sb_budget_refill(&b, ready - 1, 3, 5);
    CHECK(!sb_budget_has(&b, 2));
    sb_budget_refill(&b, ready, 3, 5);
    CHECK(sb_budget_has(&b, 2));
}
