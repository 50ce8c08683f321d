/* tests/transport/host_test.c -- a host, rule by rule: who connects and how, names, numbers, Acks,
 * repeats, fragments, liveness and goodbyes. Spec 01 §5-§8; the hostile side is in security_test.c.
 */
#include "rig.h"

#include <stdio.h>
#include <string.h>

/* ---- Connecting (spec 01 §5.3) ------------------------------------------------------------- */

TEST(a_connect_is_answered_by_its_ack_and_an_id_in_twelve_bytes)
{
    rig *r = rig_open_host(NULL);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    rig_turn(r);
    EXPECT_SENT(r, rig_endpoint(1), "01 02 01 00 00 02 03 06 C0 00 00 02");
    EXPECT_SILENCE(r);
    EXPECT_NO_EVENT(r); /* no player yet */
    CHECK_EQ(sb_transport_host_peer_count(r->host), 0);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_CONNECTS), 1);
}

TEST(an_answer_nobody_takes_is_sent_at_0_1_3_and_6_seconds_and_forgotten_after_10)
{
    rig    *r = rig_open_host(NULL);
    sb_time start = r->now;
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    rig_wait(r, 10 * SB_SECOND);
    CHECK_TEXT(rig_times(r, rig_endpoint(1), SB_TRANSPORT_CONNECT, start), "0 1000 3000 6000");
    size_t bytes = 0;
    for (size_t i = 0; i < r->sent_count; i++) bytes += r->sent[i].size;
    CHECK_EQ(bytes, 48);
    rig_forget(r);
    rig_wait(r, 60 * SB_SECOND);
    EXPECT_SILENCE(r);
    EXPECT_NO_EVENT(r);
    uint8_t ack[] = { 2, 1, 1, 0, 0, 2 };
    REFUSE(r, rig_endpoint(1), ((sb_span){ ack, sizeof ack }), SB_TRANSPORT_COUNT_UNKNOWN_SOURCE);
    CHECK_EQ(rig_join(r, rig_endpoint(2)), 2); /* the id is free again */
}

TEST(a_half_open_peer_may_still_answer_just_before_ten_seconds_have_passed)
{
    rig *r = rig_open_host(NULL);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    rig_wait(r, 10 * SB_SECOND - 1);
    GIVE(r, rig_endpoint(1), "02 01 01 00 00 02");
    EXPECT_JOINED(r, 2);
}

TEST(an_ack_of_the_answer_or_any_message_under_the_new_id_establishes_a_peer)
{
    static const char *const first[] = {
        "02 01 01 00 00 02",                               /* Ack(low 0) */
        "02 01 00 0E C0 01 00 02 0A 0A 0A EF 4B 00 00 00", /* Name; its Ack got lost */
        "02 01 02",                                        /* NoOp */
        "02 01 32 06 80 00 00 0E",                         /* Data */
        "02 01 32 04 00 1C",                               /* Data, unreliable */
    };
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        rig *r = rig_open_host(NULL);
        GIVE(r, rig_endpoint(1), RIG_CONNECT);
        rig_turn(r);
        GIVE(r, rig_endpoint(1), first[i]);
        EXPECT_JOINED(r, 2); /* always before what the datagram brings */
        CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_JOINED), 1);
    }
}

TEST(a_peer_that_speaks_under_its_id_needs_no_further_answer)
{
    rig *r = rig_open_host(NULL);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    rig_turn(r);
    GIVE(r, rig_endpoint(1), "02 02 01 00 00 02 32 06 80 00 00 0E");
    EXPECT_JOINED(r, 2);
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\x0E", 1 }));
    rig_forget(r);
    rig_wait(r, 4 * SB_SECOND);
    EXPECT_SAID(r, rig_endpoint(1), "Ack 0");
    CHECK_EQ(rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_CONNECT), 0);
}

/* ---- Ids (spec 01 §5.1) -------------------------------------------------------------------- */

TEST(ids_are_the_lowest_free_ones_from_2_and_half_open_entries_reserve_theirs)
{
    rig *r = rig_open_host(NULL);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    rig_turn(r);
    EXPECT_SENT(r, rig_endpoint(1), "01 02 01 00 00 02 03 06 C0 00 00 02");
    CHECK_EQ(rig_join(r, rig_endpoint(2)), 3);
    CHECK_EQ(rig_join(r, rig_endpoint(3)), 4);
    rig_wait(r, 10 * SB_SECOND); /* the first one is gone */
    CHECK_EQ(rig_join(r, rig_endpoint(4)), 2);
    CHECK_EQ(rig_join(r, rig_endpoint(5)), 5);
}

TEST(an_id_is_not_given_again_while_its_last_owner_lingers)
{
    rig *r = rig_host_with(2, NULL);
    GIVE(r, rig_endpoint(1), "02 01 05 0A C0 01 00 02 0A 0A 0A EF");
    EXPECT_LEFT(r, 2, SB_LEFT_QUIT);
    sb_time left = r->now;
    CHECK_EQ(rig_join(r, rig_endpoint(3)), 4);
    rig_wait_until(r, left + 5 * SB_SECOND - 1);
    GIVE(r, rig_endpoint(4), RIG_CONNECT);
    rig_turn(r);
    const rig_sent *answer = rig_next_sent_to(r, rig_endpoint(4));
    CHECK(answer != NULL);
    CHECK_EQ(answer->plain[answer->size - 1], 5);
    rig_wait(r, 1);
    CHECK_EQ(rig_join(r, rig_endpoint(5)), 2);
}

TEST(the_id_0x5C_is_never_given_because_it_would_look_like_a_query)
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

/* One Connect, one datagram of 13 bytes with the reason, and nothing else ever. */
static void expect_refused(rig *r, sb_endpoint from, const char *connect, sb_boot_reason reason)
{
    char hex[64];
    (void)snprintf(hex, sizeof hex, "01 02 01 00 00 02 04 07 C0 00 00 %02X FF", (unsigned)reason);
    uint32_t peers = sb_transport_host_peer_count(r->host);
    rig_turn(r);
    rig_forget(r);
    for (int i = 0; i < 2; i++) { /* each Connect gets its own */
        (void)!rig_give_hex(r, from, connect);
        rig_turn(r);
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

TEST(more_peers_behind_one_address_than_allowed_are_refused_with_reason_3)
{
    rig *r = rig_open_host(NULL);
    for (uint16_t i = 0; i < 4; i++)
        CHECK_EQ(rig_join(r, (sb_endpoint){ 0x0A000001, (uint16_t)(1000 + i) }), i + 2);
    expect_refused(r, (sb_endpoint){ 0x0A000001, 2000 }, RIG_CONNECT, SB_BOOT_FULL);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REFUSED_SOURCE), 2);
    CHECK_EQ(rig_join(r, rig_endpoint(2)), 6);
}

TEST(a_wrong_password_is_refused_with_reason_2_and_the_right_one_is_not)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.password = rig_wide("Nx");
    rig *r = rig_open_host(&config);
    expect_refused(r, rig_endpoint(1), RIG_CONNECT, SB_BOOT_PASSWORD); /* none */
    expect_refused(r, rig_endpoint(2),
                   "FF 01 03 13 C0 00 00 0A 0A 0A EF F9 78 00 00 4E 00 79 00 00 00",
                   SB_BOOT_PASSWORD);
    expect_refused(r, rig_endpoint(3), "FF 01 03 11 C0 00 00 0A 0A 0A EF F9 78 00 00 4E 00 00 00",
                   SB_BOOT_PASSWORD); /* only its beginning */
    expect_refused(r, rig_endpoint(4),
                   "FF 01 03 15 C0 00 00 0A 0A 0A EF F9 78 00 00 4E 00 78 00 78 00 00 00",
                   SB_BOOT_PASSWORD); /* more than it */
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REFUSED_PASSWORD), 8);
    GIVE(r, rig_endpoint(5), "FF 01 03 13 C0 00 00 0A 0A 0A EF F9 78 00 00 4E 00 78 00 00 00");
    rig_turn(r);
    EXPECT_SENT(r, rig_endpoint(5), "01 02 01 00 00 02 03 06 C0 00 00 02");
    /* Without a terminator the payload's end is the password's end (spec 01 §13 Q3). */
    GIVE(r, rig_endpoint(6), "FF 01 03 11 C0 00 00 0A 0A 0A EF F9 78 00 00 4E 00 78 00");
    rig_turn(r);
    EXPECT_SENT(r, rig_endpoint(6), "01 02 01 00 00 02 03 06 C0 00 00 03");
}

static bool admit_nobody(void *context, sb_endpoint from, const sb_connect_request *request,
                         uint8_t *boot_reason)
{
    (void)context, (void)from, (void)request;
    *boot_reason = SB_BOOT_BANNED;
    return false;
}

TEST(a_refusal_names_the_password_first_then_the_ban_then_the_number_of_players)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.max_peers = 1;
    config.peers_per_ip = 1;
    rig        *r = rig_host_with(1, &config);
    sb_endpoint neighbour = { rig_endpoint(1).address, 999 };
    expect_refused(r, neighbour, RIG_CONNECT, SB_BOOT_FULL);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REFUSED_FULL),
             2); /* full, before too many of one address */
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

/* ---- Id and address (the table of spec 01 §5.2) -------------------------------------------- */

TEST(under_no_id_a_peer_may_speak_until_it_has_spoken_under_its_own)
{
    rig        *r = rig_open_host(NULL);
    sb_endpoint at = rig_endpoint(1);
    GIVE(r, at, RIG_CONNECT);
    CHECK_TEXT(rig_answer(r, at), "Ack low 0, Connect 0");
    GIVE(r, at, RIG_CONNECT); /* it has not seen our answer yet */
    EXPECT_NO_EVENT(r);
    CHECK_TEXT(rig_answer(r, at), "Ack low 0");
    GIVE(r, at, "FF 01 01 00 00 02"); /* the Ack of our answer left before the id was adopted */
    EXPECT_JOINED(r, 2);
    GIVE(r, at, "FF 01 32 06 80 00 00 AA");
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\xAA", 1 }));
    GIVE(r, at, "02 01 02");
    REFUSE(r, at, ((sb_span){ (const uint8_t *)"\xFF\x01\x02", 3 }),
           SB_TRANSPORT_COUNT_ID_MISMATCH);
}

TEST(a_connect_of_a_peer_heard_from_within_12_seconds_is_only_acknowledged)
{
    rig *r = rig_host_with(2, NULL);
    GIVE(r, rig_endpoint(1), "02 01 02");
    rig_wait(r, 12 * SB_SECOND);
    rig_forget(r);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    EXPECT_NO_EVENT(r);
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "Ack low 0");
    sb_peer_info info;
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_CONNECTS), 2); /* those of the joins */
    GIVE(r, rig_endpoint(1), "02 01 32 06 80 00 00 0E");    /* the session goes on */
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\x0E", 1 }));
}

TEST(a_connect_of_a_peer_silent_for_more_than_12_seconds_begins_a_new_session)
{
    rig *r = rig_host_with(2, NULL);
    GIVE(r, rig_endpoint(1), "02 01 02");
    rig_wait(r, 12 * SB_SECOND + 1);
    rig_forget(r);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    EXPECT_LEFT(r, 2, SB_LEFT_RESTARTED);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
    rig_turn(r);
    /* The other peer is told as for a timeout (§8.3): Boot, reason 1, peer 2. */
    const rig_sent *told = rig_next_sent_to(r, rig_endpoint(2));
    CHECK(told != NULL);
    CHECK_BYTES(told->plain, told->size, "\x01\x01\x04\x07\xC0\x01\x00\x01\x02", 9);
    r->sent_next = 0;
    const rig_sent *answer = rig_next_sent_to(r, rig_endpoint(1));
    CHECK(answer != NULL);
    CHECK_TEXT(rig_describe(answer), "Ack low 0, Connect 0"); /* numbers start at 0 again */
    uint8_t  id = answer->plain[answer->size - 1];
    rig_pack p;
    rig_pack_init(&p, id);
    rig_pack_ack(&p, true, 0);
    rig_pack_data(&p, 0, rig_pattern(5, 1));
    GIVE_PACK(r, rig_endpoint(1), &p);
    EXPECT_JOINED(r, id);
    EXPECT_DATA(r, id, rig_pattern(5, 1));
}

TEST(a_known_address_under_any_other_id_is_an_id_mismatch)
{
    rig *r = rig_host_with(2, NULL);
    for (unsigned id = 2; id <= 0x7F; id++) {
        uint8_t noop[] = { (uint8_t)id, 1, 2 };
        if (id == 2 || id == SB_GAMESPY_BYTE) continue;
        REFUSE(r, rig_endpoint(1), ((sb_span){ noop, 3 }), SB_TRANSPORT_COUNT_ID_MISMATCH);
    }
}

TEST(strangers_are_unknown_unless_they_connect)
{
    rig    *r = rig_host_with(1, NULL);
    uint8_t noop[] = { 5, 1, 2 };
    REFUSE(r, rig_endpoint(9), ((sb_span){ noop, 3 }), SB_TRANSPORT_COUNT_UNKNOWN_SOURCE);
    uint8_t bytes[64];
    size_t  size = test_hex("FF 01 32 0F 80 00 00 0A 0A 0A EF F9 78 00 00 00 00", bytes, 64);
    REFUSE(r, rig_endpoint(9), ((sb_span){ bytes, size }), SB_TRANSPORT_COUNT_NOT_A_CONNECT);
    rig_turn(r);
    EXPECT_SILENCE(r);
}

/* ---- Names (spec 01 §4.6) ------------------------------------------------------------------ */

/* The next Name in what goes to `to`, checked for its owner and text. */
static void expect_name_copy(rig *r, sb_endpoint to, uint8_t owner, const char *name)
{
    sb_transport_message m;
    for (const rig_sent *sent = rig_next_sent_to(r, to); sent; sent = rig_next_sent_to(r, to))
        for (size_t i = 0; rig_message(sent, i, &m); i++) {
            if (m.type != SB_TRANSPORT_NAME) continue;
            sb_control control;
            CHECK_EQ(sb_decode_control(m.type, SB_SIDE_HOST, m.payload, &control), SB_OK);
            CHECK_EQ(control.name.peer_id, owner);
            sb_span wide = rig_wide(name);
            CHECK(control.name.name.size >= 2);
            CHECK_BYTES(control.name.name.data, control.name.name.size - 2, wide.data, wide.size);
            return;
        }
    FAIL("no Name \"%s\"", name);
}

TEST(a_name_goes_to_all_peers_the_sender_included)
{
    rig *r = rig_host_with(3, NULL);
    rig_give_name(r, rig_endpoint(1), 2, 1,
                  (sb_span){ (const uint8_t *)"C\0a\0d\0y\0"
                                              "2\0\0",
                             12 });
    EXPECT_NAMED(r, 2, "Cady2");
    rig_turn(r); /* byte for byte as in §11.3, with each peer's own number */
    EXPECT_SENT(r, rig_endpoint(1),
                "01 02 01 01 00 02 00 16 C0 01 00 02 0A 0A 0A EF"
                "43 00 61 00 64 00 79 00 32 00 00 00");
    EXPECT_SENT(r, rig_endpoint(2),
                "01 01 00 16 C0 01 00 02 0A 0A 0A EF"
                "43 00 61 00 64 00 79 00 32 00 00 00");
    EXPECT_SENT(r, rig_endpoint(3),
                "01 01 00 16 C0 01 00 02 0A 0A 0A EF"
                "43 00 61 00 64 00 79 00 32 00 00 00");
    EXPECT_SILENCE(r);
}

TEST(a_newcomer_gets_its_own_name_and_then_those_of_the_others)
{
    rig *r = rig_host_with(3, NULL);
    rig_give_name(r, rig_endpoint(1), 2, 1, rig_wide("Kirk"));
    rig_give_name(r, rig_endpoint(2), 3, 1, rig_wide("Spock")); /* peer 4 has no name */
    rig_wait(r, SB_SECOND);
    rig_forget(r);
    CHECK_EQ(rig_join(r, rig_endpoint(4)), 5);
    rig_give_name(r, rig_endpoint(4), 5, 1, rig_wide("Bones"));
    EXPECT_NAMED(r, 5, "Bones");
    rig_turn(r);
    const rig_sent *sent = rig_next_sent_to(r, rig_endpoint(4));
    CHECK(sent != NULL);
    CHECK_TEXT(rig_describe(sent), "Ack low 1, Name 1, Name 2, Name 3");
    static const uint8_t owners[] = { 5, 2, 3 };
    for (size_t i = 0; i < 3; i++) {
        sb_transport_message m;
        CHECK(rig_message(sent, i + 1, &m));
        CHECK_EQ(m.payload.data[0], owners[i]);
    }
    r->sent_next = 0;
    expect_name_copy(r, rig_endpoint(4), 5, "Bones");
}

TEST(names_are_cleaned_before_anybody_sees_them)
{
    static const struct {
        const char *hex, *cleaned; /* of the cleaned one: UTF-16LE in hex */
    } cases[] = {
        { "4B 00 00 00", "4B 00" },
        { "4B 00", "4B 00" },                         /* no terminator */
        { "4B 00 6C", "4B 00" },                      /* half a unit at the end */
        { "4B 00 00 00 58 00 00 00", "4B 00" },       /* more behind the terminator */
        { "3D D8 00 DE 00 00", "3D D8 00 DE" },       /* a pair stays a pair */
        { "41 00 3D D8 42 00 00 00", "41 00 42 00" }, /* high alone */
        { "41 00 00 DE 42 00 00 00", "41 00 42 00" }, /* low alone */
        { "00 DE 3D D8 4B 00 00 00", "4B 00" },       /* the wrong way round */
        { "4B 00 3D D8", "4B 00" },                   /* cut off by the end */
        { "3D D8 3D D8 00 DE 00 00", "3D D8 00 DE" },
        { "01 00 41 00 1F 00 0A 00 42 00 7F 00 00 00", "41 00 42 00" },
        { "5C 00 41 00 5C 00 42 00 00 00", "41 00 42 00" }, /* backslash: spec 05 §2 */
        { "41 00 80 00 9F 00 42 00 00 00", "41 00 42 00" }, /* C1 */
        { "20 00 20 00 41 00 20 00 42 00 20 00 00 00", "41 00 20 00 42 00" }, /* spec 12 #6 */
        { "20 00 20 00 00 00", "50 00 6C 00 61 00 79 00 65 00 72 00 20 00 31 00" },
        { "00 00", "50 00 6C 00 61 00 79 00 65 00 72 00 20 00 31 00" },
        { "", "50 00 6C 00 61 00 79 00 65 00 72 00 20 00 31 00" },
        { "5C 00 07 00 00 00", "50 00 6C 00 61 00 79 00 65 00 72 00 20 00 31 00" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t name[64], cleaned[64];
        size_t  size = test_hex(cases[i].hex, name, sizeof name);
        size_t  expected = test_hex(cases[i].cleaned, cleaned, sizeof cleaned);
        rig    *r = rig_host_with(2, NULL);
        rig_give_name(r, rig_endpoint(1), 2, 1, (sb_span){ name, size });
        const rig_event *e = rig_next_event(r);
        CHECK(e && e->event.type == SB_EVENT_NAMED);
        CHECK_BYTES(e->event.bytes.data, e->event.bytes.size, cleaned, expected);
        rig_turn(r);
        const rig_sent      *copy = rig_next_sent_to(r, rig_endpoint(2));
        sb_transport_message m;
        CHECK(copy && rig_message(copy, 0, &m));
        CHECK_EQ(m.payload.size, 5 + expected + 2); /* always with a terminator */
        CHECK_BYTES(m.payload.data + 5, expected, cleaned, expected);
    }
}

TEST(names_are_cut_to_31_units_and_never_through_a_pair)
{
    for (unsigned units = 29; units <= 64; units++) {
        rig    *r = rig_host_with(1, NULL);
        uint8_t name[2 * 64 + 2] = { 0 };
        for (size_t i = 0; i < units; i++) name[2 * i] = (uint8_t)('A' + i % 26);
        rig_give_name(r, rig_endpoint(1), 2, 1, (sb_span){ name, 2 * units + 2u });
        const rig_event *e = rig_next_event(r);
        CHECK(e && e->event.type == SB_EVENT_NAMED);
        CHECK_EQ(e->event.bytes.size, 2 * (units < 31 ? units : 31));
        CHECK(memcmp(e->event.bytes.data, name, e->event.bytes.size) == 0);
    }
    rig    *r = rig_host_with(1, NULL);
    uint8_t name[2 * 40 + 2] = { 0 };
    for (size_t i = 0; i < 30; i++) name[2 * i] = 'A';
    memcpy(name + 60, "\x3D\xD8\x00\xDE", 4); /* units 30 and 31 */
    rig_give_name(r, rig_endpoint(1), 2, 1, (sb_span){ name, sizeof name });
    const rig_event *e = rig_next_event(r);
    CHECK(e && e->event.bytes.size == 60);
}

TEST(renames_are_passed_on_once_in_five_seconds_and_the_last_one_wins)
{
    rig *r = rig_host_with(2, NULL);
    rig_give_name(r, rig_endpoint(1), 2, 1, rig_wide("One"));
    rig_turn(r);
    sb_time first = r->now;
    expect_name_copy(r, rig_endpoint(2), 2, "One");
    GIVE(r, rig_endpoint(2), "03 01 01 01 00 02");
    GIVE(r, rig_endpoint(1), "02 01 01 01 00 02");
    for (uint16_t i = 0; i < 10; i++) {
        rig_wait(r, 100 * RIG_MILLISECOND);
        rig_give_name(r, rig_endpoint(1), 2, (uint16_t)(2 + i), rig_wide(i < 9 ? "Other" : "Last"));
    }
    rig_forget(r);
    rig_wait_until(r, first + 5 * SB_SECOND - 1);
    CHECK_EQ(rig_count_sent(r, rig_endpoint(2), SB_TRANSPORT_NAME), 0);
    rig_wait(r, 1);
    CHECK_TEXT(rig_times(r, rig_endpoint(2), SB_TRANSPORT_NAME, first), "5000");
    expect_name_copy(r, rig_endpoint(2), 2, "Last");
    GIVE(r, rig_endpoint(2), "03 01 01 02 00 02");
    GIVE(r, rig_endpoint(1), "02 01 01 02 00 02");
    rig_forget(r);
    rig_wait(r, 10 * SB_SECOND);
    CHECK_EQ(rig_count_sent(r, rig_endpoint(2), SB_TRANSPORT_NAME), 0);
    rig_give_name(r, rig_endpoint(1), 2, 12,
                  rig_wide("At once")); /* the five seconds are long over */
    rig_turn(r);
    expect_name_copy(r, rig_endpoint(2), 2, "At once");
}

TEST(a_name_for_another_player_is_acknowledged_ignored_and_counted)
{
    rig     *r = rig_host_with(2, NULL);
    rig_pack p;
    rig_pack_init(&p, 2);
    rig_pack_name(&p, 1, 3, rig_wide("Mine"));
    GIVE_PACK(r, rig_endpoint(1), &p);
    EXPECT_NO_EVENT(r);
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "Ack low 1");
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_FOREIGN_NAME), 1);
}

TEST(addresses_of_players_are_passed_on_verbatim_or_hidden_from_the_others)
{
    for (int hide = 0; hide < 2; hide++) {
        sb_transport_host_config config;
        rig_host_config(&config);
        config.hide_addresses = hide;
        rig *r = rig_host_with(2, &config);
        rig_give_name(r, rig_endpoint(1), 2, 1, rig_wide("K"));
        rig_turn(r);
        const char *other = hide ? "01 01 00 0E C0 01 00 02 00 00 00 00 4B 00 00 00"
                                 : "01 01 00 0E C0 01 00 02 0A 0A 0A EF 4B 00 00 00";
        EXPECT_SENT(r, rig_endpoint(1),
                    "01 02 01 01 00 02 00 0E C0 01 00 02 0A 0A 0A EF 4B 00 00 00");
        EXPECT_SENT(r, rig_endpoint(2), other);
        GIVE(r, rig_endpoint(2), "03 01 01 01 00 02");
        rig_forget(r);
        GIVE(r, rig_endpoint(1), "02 01 05 0A C0 02 00 02 0A 0A 0A EF");
        rig_turn(r);
        const rig_sent *passed = rig_next_sent_to(r, rig_endpoint(2));
        CHECK(passed != NULL);
        CHECK_BYTES(passed->plain + 8, 4, hide ? "\0\0\0\0" : "\x0A\x0A\x0A\xEF", 4);
    }
}

/* ---- Receiving (the table of spec 01 §6.3) -------------------------------------------------- */

typedef struct distance_case {
    int                  d;
    bool                 acknowledged, stored;
    sb_transport_counter counter; /* or SB_TRANSPORT_COUNTER_COUNT: none */
} distance_case;

static const distance_case distances[] = {
    { 0, true, false, SB_TRANSPORT_COUNTER_COUNT }, /* delivered at once */
    { 1, true, true, SB_TRANSPORT_COUNTER_COUNT },
    { 255, true, true, SB_TRANSPORT_COUNTER_COUNT },
    { 256, false, false, SB_TRANSPORT_COUNT_BEYOND_BUFFER },
    { 0x3FFF, false, false, SB_TRANSPORT_COUNT_BEYOND_BUFFER },
    { 0x4000, false, false, SB_TRANSPORT_COUNT_OUT_OF_WINDOW },
    { 0x7FFF, false, false, SB_TRANSPORT_COUNT_OUT_OF_WINDOW },
    { -1, true, false, SB_TRANSPORT_COUNT_DUPLICATE },
    { -2, true, false, SB_TRANSPORT_COUNT_DUPLICATE },
    { -0x4000, true, false, SB_TRANSPORT_COUNT_DUPLICATE },
    { -0x4001, false, false, SB_TRANSPORT_COUNT_OUT_OF_WINDOW },
    { -0x8000, false, false, SB_TRANSPORT_COUNT_OUT_OF_WINDOW },
};

static void check_distance(rig *r, const distance_case *c, uint16_t expected)
{
    uint16_t     seq = (uint16_t)(expected + c->d);
    char         ack[32] = "";
    uint64_t     before = c->counter < SB_TRANSPORT_COUNTER_COUNT ? rig_count(r, c->counter) : 0;
    sb_peer_info info;
    rig_pack     p;
    sb_transport_host_set_numbers(r->host, 2, 0, expected);
    rig_pack_init(&p, 2);
    rig_pack_data(&p, seq, rig_pattern(6, seq));
    GIVE_PACK(r, rig_endpoint(1), &p);
    if (c->d == 0) EXPECT_DATA(r, 2, rig_pattern(6, seq));
    EXPECT_NO_EVENT(r);
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.stored, c->stored);
    if (c->acknowledged) (void)snprintf(ack, sizeof ack, "Ack %u", seq);
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), ack);
    if (c->counter < SB_TRANSPORT_COUNTER_COUNT) CHECK_EQ(rig_count(r, c->counter), before + 1);
}

TEST(the_distance_of_a_number_decides_between_storing_acknowledging_and_neither)
{
    static const uint16_t expected[] = { 0, 5, 0x00FF, 0x0100, 0x7FFF, 0xC000, 0xFFF0, 0xFFFF };
    for (size_t e = 0; e < sizeof expected / sizeof *expected; e++)
        for (size_t i = 0; i < sizeof distances / sizeof *distances; i++)
            check_distance(rig_host_with(1, NULL), &distances[i], expected[e]);
}

TEST(what_is_stored_already_is_acknowledged_again)
{
    rig *r = rig_host_with(1, NULL);
    for (int i = 0; i < 3; i++) {
        GIVE(r, rig_endpoint(1), "02 01 32 06 80 03 00 AA");
        EXPECT_NO_EVENT(r);
        CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "Ack 3");
    }
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_DUPLICATE), 2);
}

TEST(the_low_channel_uses_the_same_window)
{
    rig                     *r = rig_host_with(1, NULL); /* low 1 is expected */
    static const char *const numbers[] = { "01", "02", "00" };
    static const char *const acks[] = { "Ack low 1", "Ack low 2", "Ack low 0" };
    for (size_t i = 0; i < 3; i++) {
        char hex[128];
        (void)snprintf(hex, sizeof hex, "02 01 00 0E C0 %s 00 02 0A 0A 0A EF 4B 00 00 00",
                       numbers[i]);
        GIVE(r, rig_endpoint(1), hex);
        rig_turn(r);
        const rig_sent      *sent = rig_next_sent_to(r, rig_endpoint(1));
        sb_transport_message m;
        CHECK(sent && rig_message(sent, 0, &m));
        CHECK(strncmp(rig_describe(sent), acks[i], strlen(acks[i])) == 0);
        rig_wait(r, 800 * RIG_MILLISECOND);
        rig_forget(r);
    }
    GIVE(r, rig_endpoint(1), "02 01 00 0E C0 03 01 02 0A 0A 0A EF 4B 00 00 00"); /* 3 + 256 */
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_BEYOND_BUFFER), 1);
}

TEST(messages_are_delivered_in_the_order_of_their_numbers_and_unreliable_ones_at_once)
{
    rig     *r = rig_host_with(1, NULL);
    rig_pack p;
    rig_pack_init(&p, 2);
    rig_pack_data(&p, 2, rig_pattern(3, 2));
    rig_pack_data(&p, 1, rig_pattern(3, 1)); /* reverse, as stock's priority messages (D4) */
    rig_pack_unreliable(&p, rig_pattern(3, 77));
    GIVE_PACK(r, rig_endpoint(1), &p);
    EXPECT_UNRELIABLE(r, 2, rig_pattern(3, 77));
    EXPECT_NO_EVENT(r); /* 0 is missing */
    rig_pack_init(&p, 2);
    rig_pack_data(&p, 0, rig_pattern(3, 0));
    rig_pack_data(&p, 3, rig_pattern(3, 3));
    GIVE_PACK(r, rig_endpoint(1), &p);
    for (unsigned i = 0; i < 4; i++) EXPECT_DATA(r, 2, rig_pattern(3, i));
    EXPECT_NO_EVENT(r);
}

TEST(an_empty_reliable_message_consumes_its_number_and_delivers_nothing)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), "02 03 32 05 80 00 00 32 03 00 32 06 80 01 00 BB");
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\xBB", 1 }));
    EXPECT_NO_EVENT(r);
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "Ack 0, Ack 1");
}

TEST(a_datagram_without_messages_is_a_sign_of_life)
{
    rig         *r = rig_host_with(1, NULL);
    sb_peer_info info;
    GIVE(r, rig_endpoint(1), "02 00");
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.heard_at, r->now);
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "");
}

/* ---- Acks (spec 01 §6.8) ------------------------------------------------------------------- */

TEST(a_burst_of_copies_gets_one_ack_and_each_later_copy_another)
{
    rig *r = rig_host_with(1, NULL);
    for (int i = 0; i < 5; i++) GIVE(r, rig_endpoint(1), "02 01 32 06 80 00 00 AA");
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "Ack 0");
    GIVE(r, rig_endpoint(1), "02 01 32 06 80 00 00 AA");
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "Ack 0");
}

TEST(an_ack_is_repeated_once_if_another_datagram_leaves_within_700_ms)
{
    rig        *r = rig_host_with(1, NULL);
    sb_endpoint at = rig_endpoint(1);
    GIVE(r, at, "02 01 32 06 80 00 00 AA");
    rig_turn(r);
    EXPECT_SENT(r, at, "01 01 01 00 00 00");
    rig_wait(r, 700 * RIG_MILLISECOND);
    EXPECT_SILENCE(r); /* it does not make a datagram leave by itself */
    CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(1, 0)), SB_OK);
    rig_turn(r);
    EXPECT_SAID(r, at, "Data, Ack 0");
    CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(1, 0)), SB_OK);
    rig_turn(r);
    EXPECT_SAID(r, at, "Data"); /* once is enough */
    GIVE(r, at, "02 01 32 06 80 01 00 AA");
    rig_turn(r);
    EXPECT_SAID(r, at, "Ack 1");
    rig_wait(r, 700 * RIG_MILLISECOND + 1);
    CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(1, 0)), SB_OK);
    rig_turn(r);
    EXPECT_SAID(r, at, "Data"); /* too late */
}

TEST(the_ack_of_a_later_copy_stands_for_the_repeat_of_the_earlier_one)
{
    rig *r = rig_host_with(1, NULL);
    for (int i = 0; i < 4;
         i++) { /* copies in quick succession: one Ack in each datagram, not two */
        GIVE(r, rig_endpoint(1), "02 01 32 06 80 00 00 AA");
        rig_turn(r);
        EXPECT_SAID(r, rig_endpoint(1), "Ack 0");
        rig_wait(r, 100 * RIG_MILLISECOND);
    }
    CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(1, 0)), SB_OK);
    rig_turn(r);
    EXPECT_SAID(r, rig_endpoint(1), "Data, Ack 0");
}

TEST(noops_are_not_acknowledged_and_carry_no_old_acks)
{
    rig        *r = rig_host_with(1, NULL);
    sb_endpoint at = rig_endpoint(1);
    GIVE(r, at, "02 01 02");
    rig_turn(r);
    rig_forget(r);
    GIVE(r, at, "02 02 32 06 80 00 00 AA 02");
    CHECK_TEXT(rig_answer(r, at), "Ack 0");
    rig_wait(r, 5 * SB_SECOND);
    EXPECT_SAID(r, at, "NoOp");
}

TEST(acks_wait_for_company_as_long_as_the_configuration_says_and_no_longer)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.ack_delay_us = 50 * RIG_MILLISECOND;
    rig        *r = rig_host_with(1, &config);
    sb_endpoint at = rig_endpoint(1);
    GIVE(r, at, "02 01 32 06 80 00 00 AA");
    rig_wait(r, 50 * RIG_MILLISECOND - 1);
    EXPECT_SILENCE(r);
    rig_wait(r, 1);
    EXPECT_SAID(r, at, "Ack 0");
    rig_wait(r, SB_SECOND);
    GIVE(r, at, "02 01 32 06 80 01 00 AA");
    CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(1, 0)), SB_OK);
    rig_turn(r);
    EXPECT_SAID(r, at, "Ack 1, Data"); /* company came */
    config.ack_delay_us = 50 * RIG_MILLISECOND + 1;
    CHECK_EQ(sb_transport_host_bytes(&config), 0); /* later than §6.3 allows */
}

/* ---- Matching Acks (spec 01 §6.6) ---------------------------------------------------------- */

TEST(an_ack_matches_by_channel_number_kind_and_index_and_removes_one_entry)
{
    static const struct {
        const char *ack;
        unsigned    left;
    } steps[] = {
        { "02 01 01 00 00 02", 4 },    /* low 0: not data 0 */
        { "02 01 01 00 00 01 00", 4 }, /* a fragment of 0: 0 is whole */
        { "02 01 01 01 00 00", 4 },    /* 1 as a whole: it is in fragments */
        { "02 01 01 01 00 01 03", 4 }, /* an index it does not have */
        { "02 01 01 02 00 00", 4 },    /* a number never sent */
        { "02 01 01 00 00 00", 3 },
        { "02 01 01 00 00 00", 3 }, /* again: nothing more to remove */
        { "02 01 01 01 00 01 02", 2 },
        { "02 01 01 01 00 01 00", 1 },
        { "02 01 01 01 00 FD 01", 0 }, /* bits 2-7 of the flags are ignored (§4.4) */
    };
    rig         *r = rig_host_with(1, NULL);
    sb_peer_info info;
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(10, 0)), SB_OK);
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(832, 0)), SB_OK);
    rig_turn(r);
    uint64_t unmatched = rig_count(r, SB_TRANSPORT_COUNT_UNMATCHED_ACK);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        GIVE(r, rig_endpoint(1), steps[i].ack);
        CHECK(rig_info(r, 2, &info));
        CHECK_EQ(info.unacknowledged, steps[i].left);
    }
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNMATCHED_ACK), unmatched + 6);
}

/* ---- Repeats (spec 01 §6.5) ---------------------------------------------------------------- */

TEST(stock_repeats_come_1_3_6_10_15_and_20_seconds_after_the_first_send)
{
    rig    *r = rig_host_with(1, NULL);
    sb_time start = r->now;
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(10, 0)), SB_OK);
    rig_wait(r, 26 * SB_SECOND);
    CHECK_TEXT(rig_times(r, rig_endpoint(1), SB_TRANSPORT_DATA, start),
               "0 1000 3000 6000 10000 15000 20000 25000");
    sb_peer_info info;
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.retransmitted, 7);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_RETRANSMITTED), 7);
    CHECK_EQ(info.resend_us, SB_SECOND);
}

TEST(only_fragments_that_are_not_acknowledged_are_sent_again)
{
    rig *r = rig_host_with(1, NULL);
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(832, 0)), SB_OK);
    rig_turn(r);
    GIVE(r, rig_endpoint(1), "02 02 01 00 00 01 00 01 00 00 01 02");
    rig_forget(r);
    rig_wait(r, SB_SECOND);
    EXPECT_SAID(r, rig_endpoint(1), "Data 0/1");
    EXPECT_SILENCE(r);
}

/* Sends one message and acknowledges it so much later. */
static void sample(rig *r, uint16_t seq, sb_time round_trip)
{
    rig_pack p;
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(10, seq)), SB_OK);
    rig_turn(r);
    r->now += round_trip;
    rig_pack_init(&p, 2);
    rig_pack_ack(&p, false, seq);
    GIVE_PACK(r, rig_endpoint(1), &p);
    rig_turn(r);
    rig_forget(r);
}

/* One peer with one sample: Data 0 took 100 ms. */
static rig *measured_host(void)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.retransmit = SB_RETRANSMIT_MEASURED;
    rig *r = rig_host_with(1, &config);
    sample(r, 0, 100 * RIG_MILLISECOND);
    return r;
}

TEST(measured_waits_follow_the_round_trips_within_their_bounds)
{
    rig         *r = measured_host();
    sb_peer_info info;
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.round_trip_us, 100 * RIG_MILLISECOND);
    /* srtt 100, rttvar 50 after the first sample: 100 + 4 * 50 + 100 ms. */
    CHECK_EQ(info.resend_us, 400 * RIG_MILLISECOND);
    uint16_t seq = 1;
    while (seq < 60) sample(r, seq++, 10 * RIG_MILLISECOND);
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.resend_us, 250 * RIG_MILLISECOND); /* never below */
    CHECK(info.round_trip_us < 12 * RIG_MILLISECOND);
    while (seq < 120) sample(r, seq++, 240 * RIG_MILLISECOND); /* below the wait: no repeats */
    CHECK(rig_info(r, 2, &info));
    CHECK(info.round_trip_us > 235 * RIG_MILLISECOND &&
          info.round_trip_us <= 240 * RIG_MILLISECOND);
    CHECK(info.resend_us >= 340 * RIG_MILLISECOND && info.resend_us < 400 * RIG_MILLISECOND);
}

TEST(before_any_sample_a_measured_first_wait_is_one_second_and_grows_by_half_up_to_five)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.retransmit = SB_RETRANSMIT_MEASURED;
    rig *r = rig_open_host(&config);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    rig_turn(r);
    GIVE(r, rig_endpoint(1), "02 01 02"); /* established without an Ack: nothing measured */
    sb_peer_info info;
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.round_trip_us, 0);
    CHECK_EQ(info.resend_us, SB_SECOND);
    sb_time start = r->now;
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(10, 0)), SB_OK);
    rig_wait(r, 26 * SB_SECOND);
    CHECK_TEXT(rig_times(r, rig_endpoint(1), SB_TRANSPORT_DATA, start),
               "0 1000 2500 4750 8125 13125 18125 23125");
}

TEST(repeated_messages_give_no_samples)
{
    rig         *r = measured_host();
    sb_peer_info before, after;
    CHECK(rig_info(r, 2, &before));
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(10, 0)), SB_OK);
    rig_wait(r, 500 * RIG_MILLISECOND); /* sent again at 400 ms */
    CHECK_EQ(rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_DATA), 2);
    GIVE(r, rig_endpoint(1), "02 01 01 01 00 00");
    CHECK(rig_info(r, 2, &after));
    CHECK_EQ(after.unacknowledged, 0);
    CHECK_EQ(after.round_trip_us, before.round_trip_us);
    CHECK_EQ(after.resend_us, before.resend_us);
}

TEST(an_ack_of_something_three_datagrams_later_brings_a_measured_message_back_at_once)
{
    rig *r = measured_host();
    for (unsigned i = 1; i <= 6; i++) { /* each in a datagram of its own, 5 ms apart */
        CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(10, i)), SB_OK);
        rig_turn(r);
        rig_wait(r, 5 * RIG_MILLISECOND);
    }
    rig_wait(r, 60 * RIG_MILLISECOND);
    rig_forget(r);
    GIVE(r, rig_endpoint(1), "02 02 01 02 00 00 01 03 00 00"); /* 2 and 3: may be reordering */
    rig_turn(r);
    EXPECT_SILENCE(r);
    GIVE(r, rig_endpoint(1), "02 01 01 04 00 00");
    rig_turn(r);
    EXPECT_SAID(r, rig_endpoint(1), "Data 1");
    GIVE(r, rig_endpoint(1), "02 02 01 05 00 00 01 06 00 00");
    rig_turn(r);
    EXPECT_SILENCE(r); /* these left before the repeat */
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_RETRANSMITTED_FAST), 1);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_RETRANSMITTED), 0);
    GIVE(r, rig_endpoint(1), "02 01 01 01 00 00");
    rig_wait(r, 4 * SB_SECOND);
    CHECK_EQ(rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_DATA), 0);
}

TEST(an_ack_of_anything_later_brings_a_measured_message_back_after_a_round_trip_and_a_bit)
{
    rig    *r = measured_host(); /* srtt 100 ms, rttvar 50 ms: 100 + 2 * 50 ms */
    sb_time start = r->now;
    for (unsigned i = 1; i <= 2; i++) {
        CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(10, i)), SB_OK);
        rig_turn(r);
    }
    rig_wait(r, 100 * RIG_MILLISECOND);
    rig_forget(r);
    GIVE(r, rig_endpoint(1), "02 01 01 02 00 00");
    rig_wait(r, 300 * RIG_MILLISECOND);
    sb_peer_info info;
    CHECK(rig_info(r, 2, &info));
    /* The Ack was a sample of 100 ms too: rttvar is 37.5 ms now, so 100 + 2 * 37.5. */
    CHECK_TEXT(rig_times(r, rig_endpoint(1), SB_TRANSPORT_DATA, start), "175");
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_RETRANSMITTED_FAST), 1);
}

TEST(messages_of_one_datagram_do_not_overtake_each_other)
{
    rig    *r = measured_host();
    sb_time start = r->now;
    for (unsigned i = 1; i <= 5; i++)
        CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(10, i)), SB_OK);
    rig_turn(r);
    rig_wait(r, 50 * RIG_MILLISECOND);
    rig_forget(r);
    GIVE(r, rig_endpoint(1), "02 04 01 02 00 00 01 03 00 00 01 04 00 00 01 05 00 00");
    rig_turn(r);
    EXPECT_SILENCE(r); /* it arrived with them: only its Ack is missing */
    rig_wait(r, SB_SECOND);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_RETRANSMITTED_FAST), 0);
    CHECK(r->sent_count > 0);
    CHECK(r->sent[0].at - start >= 250 * RIG_MILLISECOND);
}

TEST(stock_repeats_do_not_come_early_whatever_is_acknowledged)
{
    rig    *r = rig_host_with(1, NULL);
    sb_time start = r->now;
    for (unsigned i = 0; i < 6; i++) {
        CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(10, i)), SB_OK);
        rig_turn(r);
    }
    rig_forget(r);
    GIVE(r, rig_endpoint(1), "02 05 01 01 00 00 01 02 00 00 01 03 00 00 01 04 00 00 01 05 00 00");
    rig_wait(r, 1500 * RIG_MILLISECOND);
    CHECK_TEXT(rig_times(r, rig_endpoint(1), SB_TRANSPORT_DATA, start), "1000");
}

/* ---- What fits into a datagram (spec 01 §3, §6.2) ------------------------------------------ */

TEST(a_datagram_holds_acks_repeats_control_reliable_and_unreliable_in_this_order)
{
    rig        *r = rig_host_with(2, NULL);
    sb_endpoint at = rig_endpoint(1);
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(10, 0)), SB_OK);
    rig_turn(r);
    rig_forget(r);
    r->now += SB_SECOND; /* Data 0 is due again */
    CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(3, 0)), SB_OK);
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(10, 1)), SB_OK);
    rig_give_name(r, rig_endpoint(2), 3, 1, rig_wide("Kirk"));
    GIVE(r, at, "02 02 32 06 80 00 00 AA 32 06 80 01 00 AA");
    rig_turn(r);
    EXPECT_SAID(r, at, "Ack 0, Ack 1, Data 0, Name 1, Data 1, Data");
}

TEST(datagrams_are_filled_but_never_beyond_512_bytes)
{
    rig     *r = rig_host_with(1, NULL);
    unsigned left = 0;
    for (unsigned i = 0; i < 200; i++)
        CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(1 + i % 90, i)), SB_OK);
    rig_turn(r);
    for (const rig_sent *sent = rig_next_sent(r); sent; sent = rig_next_sent(r)) {
        left += rig_message_count(sent);
        if (left < 200) CHECK(sent->size > 512 - 93); /* the next one did not fit */
    }
    CHECK_EQ(left, 200);
    for (size_t size = 380; size <= 407; size++) { /* with an Ack and another: around the border */
        rig_forget(r);
        CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(size, 0)), SB_OK);
        CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(512 - 2 - 3 - 3 - 394, 0)), SB_OK);
        rig_turn(r);
        CHECK_EQ(r->sent_count, size <= 394 ? 1 : 2);
        if (size == 394) CHECK_EQ(r->sent[0].size, 512);
    }
}

TEST(datagrams_are_full_by_their_bytes_before_they_hold_255_messages)
{
    rig *r = rig_host_with(1, NULL);
    for (int i = 0; i < 300; i++) CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(0, 0)), SB_OK);
    rig_turn(r);
    unsigned most = 0, sum = 0;
    for (const rig_sent *sent = rig_next_sent(r); sent; sent = rig_next_sent(r)) {
        if (rig_message_count(sent) > most) most = rig_message_count(sent);
        sum += rig_message_count(sent);
    }
    CHECK_EQ(sum, 300); /* 3 bytes each: 170 fill the 510 bytes before the count does */
    CHECK_EQ(most, 170);
}

/* ---- Fragments (spec 01 §7.1) -------------------------------------------------------------- */

/* Sends a payload, acknowledging all the time, and prints the totals of its messages. */
static size_t count_split(rig *r, size_t payload, char *out, size_t room)
{
    size_t               count = 0, at = 0;
    sb_transport_message m;
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(payload, 1)), SB_OK);
    rig_turn(r);
    for (const rig_sent *sent = rig_next_sent(r); sent; sent = rig_next_sent(r)) {
        rig_pack p;
        rig_pack_init(&p, 2);
        for (size_t i = 0; rig_message(sent, i, &m); i++) {
            CHECK_EQ(m.type, SB_TRANSPORT_DATA);
            if (at + 8 < room)
                at += (size_t)snprintf(out + at, room - at, "%s%zu", count ? " " : "",
                                       sb_transport_message_bytes(&m));
            CHECK_EQ(m.fragment, payload > 407);
            if (m.fragment) CHECK_EQ(m.frag_index, count);
            if (m.fragment) rig_pack_fragment_ack(&p, m.seq, m.frag_index);
            else rig_pack_ack(&p, false, m.seq);
            count++;
        }
        GIVE_PACK(r, rig_endpoint(1), &p);
        rig_turn(r); /* the window moves on */
    }
    return count;
}

TEST(payloads_are_split_as_the_table_says)
{
    static const struct {
        size_t      payload;
        const char *totals;
    } cases[] = {
        { 1, "6" },
        { 268, "273" },
        { 407, "412" },
        { 408, "412 9" },
        { 811, "412 412" },
        { 812, "412 412 7" },
        { 832, "412 412 27" },
        { 1217, "412 412 412" },
        { 1218, "412 412 412 7" },
    };
    rig *r = rig_host_with(1, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char totals[64];
        count_split(r, cases[i].payload, totals, sizeof totals);
        CHECK_TEXT(totals, cases[i].totals);
        rig_forget(r);
    }
}

TEST(the_largest_payload_has_255_fragments_and_one_byte_more_is_refused)
{
    rig *r = rig_host_with(1, NULL);
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, (sb_span){ NULL, SB_PAYLOAD_MAX + 1 }), SB_BAD_VALUE);
    CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, (sb_span){ NULL, SB_PAYLOAD_MAX + 1 }), SB_BAD_VALUE);
    CHECK(sb_transport_host_free_bytes(r->host, 2) >= SB_PAYLOAD_MAX);
    char totals[32];
    CHECK_EQ(count_split(r, SB_PAYLOAD_MAX, totals, sizeof totals), 255);
    CHECK_EQ(sb_transport_host_free_bytes(r->host, 9), 0);
}

TEST(an_unreliable_message_too_long_for_one_becomes_reliable)
{
    rig *r = rig_host_with(1, NULL);
    CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(409, 0)), SB_OK);
    rig_turn(r);
    EXPECT_SAID(r, rig_endpoint(1), "Data 0/0, Data 0/1");
    CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(407, 0)), SB_OK);
    rig_turn(r);
    EXPECT_SAID(r, rig_endpoint(1), "Data"); /* 410 with its header */
}

/* ---- Limits of sending (spec 01 §6.2) ------------------------------------------------------ */

TEST(at_most_256_messages_are_on_their_way_and_the_rest_wait)
{
    rig         *r = rig_host_with(1, NULL);
    sb_peer_info info;
    for (unsigned i = 0; i < 300; i++)
        CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(2, i)), SB_OK);
    rig_turn(r);
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.unacknowledged, 256);
    CHECK_EQ(info.queued, 44);
    GIVE(r, rig_endpoint(1), "02 01 01 05 00 00"); /* not the oldest: the window does not move */
    rig_turn(r);
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.queued, 44);
    GIVE(r, rig_endpoint(1), "02 01 01 00 00 00");
    rig_turn(r);
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.unacknowledged, 255);
    CHECK_EQ(info.queued, 43);
}

/* Counted from the oldest that is not acknowledged: what the receiver may have to keep. */
TEST(at_most_64_kib_are_on_their_way_and_the_rest_wait)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.shared_cells = 8192;
    rig         *r = rig_host_with(1, &config);
    sb_peer_info info;
    for (unsigned i = 0; i < 200; i++)
        CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(400, i)), SB_OK);
    rig_turn(r);
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.unacknowledged, 65536 / 400);
    CHECK_EQ(info.queued, 200 - 65536 / 400);
    GIVE(r, rig_endpoint(1), "02 01 01 09 00 00"); /* not the oldest */
    rig_turn(r);
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.queued, 200 - 65536 / 400);
    GIVE(r, rig_endpoint(1), "02 01 01 00 00 00");
    rig_turn(r);
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.queued, 199 - 65536 / 400);
}

TEST(at_the_measured_pace_1024_messages_and_100_kib_are_on_their_way)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.shared_cells = 8192;
    config.retransmit = SB_RETRANSMIT_MEASURED;
    rig         *small = rig_host_with(1, &config), *large = rig_host_with(1, &config);
    sb_peer_info info;
    for (unsigned i = 0; i < 2000; i++) {
        CHECK_EQ(rig_send(small, 2, SB_RELIABLE, rig_pattern(2, i)), SB_OK);
        if (i % 500 == 499) rig_turn(small);
    }
    CHECK(rig_info(small, 2, &info));
    CHECK_EQ(info.unacknowledged, 1024);
    for (unsigned i = 0; i < 400; i++)
        CHECK_EQ(rig_send(large, 2, SB_RELIABLE, rig_pattern(400, i)), SB_OK);
    rig_turn(large);
    CHECK(rig_info(large, 2, &info));
    CHECK_EQ(info.unacknowledged, 102400 / 400);
}

TEST(more_than_1024_queued_messages_end_the_conversation)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.shared_cells = 8192;
    rig *r = rig_host_with(1, &config);
    for (unsigned i = 0; i < 256; i++)
        CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(2, i)), SB_OK);
    rig_turn(r);
    for (unsigned i = 0; i < 1024; i++)
        CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(2, i)), SB_OK);
    rig_turn(r);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(2, 0)), SB_FULL);
    rig_turn(r);
    EXPECT_LEFT(r, 2, SB_LEFT_STALLED);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 0);
}

TEST(unreliable_messages_that_find_no_room_are_lost_counted_and_nothing_else)
{
    rig      *r = rig_host_with(1, NULL);
    sb_result result = SB_OK;
    for (unsigned i = 0; i < 5000 && result == SB_OK; i++)
        result = rig_send(r, 2, SB_UNRELIABLE, rig_pattern(100, i));
    CHECK_EQ(result, SB_FULL);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_DROPPED_UNRELIABLE), 1);
    rig_turn(r);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
    CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(100, 0)), SB_OK);
}

TEST(sixty_seconds_without_progress_of_acks_end_the_conversation)
{
    rig    *r = rig_host_with(2, NULL);
    sb_time start = r->now;
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(2, 0)), SB_OK);
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(2, 1)), SB_OK);
    rig_turn(r);
    for (int i = 0; i < 4; i++) { /* alive: but it acknowledges nothing we sent */
        rig_wait(r, 10 * SB_SECOND);
        GIVE(r, rig_endpoint(1), "02 02 02 01 07 00 00");
        GIVE(r, rig_endpoint(2), "03 01 02");
    }
    GIVE(r, rig_endpoint(1), "02 01 01 00 00 00"); /* progress, at 40 s */
    sb_time progress = r->now;
    CHECK_EQ(progress, start + 40 * SB_SECOND);
    for (int i = 0; i < 5; i++) {
        rig_wait(r, 10 * SB_SECOND);
        GIVE(r, rig_endpoint(1), "02 01 02");
        GIVE(r, rig_endpoint(2), "03 01 02");
    }
    rig_wait_until(r, progress + 60 * SB_SECOND - 1);
    EXPECT_NO_EVENT(r);
    rig_wait(r, 1);
    EXPECT_LEFT(r, 2, SB_LEFT_STALLED);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
}

TEST(a_message_to_nobody_is_not_allowed)
{
    rig *r = rig_host_with(1, NULL);
    CHECK_EQ(rig_send(r, 3, SB_RELIABLE, rig_pattern(1, 0)), SB_NOT_ALLOWED);
    CHECK_EQ(rig_send(r, 0, SB_RELIABLE, rig_pattern(1, 0)), SB_NOT_ALLOWED);
    CHECK_EQ(rig_send(r, SB_PEER_NONE, SB_UNRELIABLE, rig_pattern(1, 0)), SB_NOT_ALLOWED);
    CHECK_EQ(rig_send(r, SB_PEER_HOST, SB_UNRELIABLE, rig_pattern(1, 0)), SB_NOT_ALLOWED);
    GIVE(r, rig_endpoint(2), RIG_CONNECT);
    rig_turn(r);
    CHECK_EQ(rig_send(r, 3, SB_RELIABLE, rig_pattern(1, 0)), SB_NOT_ALLOWED); /* half-open */
}

/* ---- Liveness and leaving (spec 01 §8) ----------------------------------------------------- */

TEST(any_accepted_datagram_keeps_a_peer_and_a_refused_one_does_not)
{
    static const struct {
        const char *hex;
        bool        keeps;
    } cases[] = {
        { "02 01 02", true },
        { "02 00", true },
        { "02 01 01 63 00 00", true },       /* an Ack of nothing */
        { "02 01 32 06 80 00 90 AA", true }, /* a number from nowhere in a valid datagram */
        { "02 01 32 04 80 00 00", false },   /* malformed */
        { "02 02 01 00 00 00", false },      /* malformed */
        { "03 01 02", false },               /* under another id */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rig *r = rig_host_with(1, NULL);
        GIVE(r, rig_endpoint(1), "02 01 02");
        rig_wait(r, 40 * SB_SECOND);
        sb_result result = rig_give_hex(r, rig_endpoint(1), cases[i].hex);
        CHECK_EQ(result == SB_OK, cases[i].keeps);
        rig_wait(r, 5 * SB_SECOND);
        CHECK_EQ(sb_transport_host_peer_count(r->host), cases[i].keeps);
    }
}

TEST(a_timeout_is_told_to_the_others_as_boot_with_reason_1)
{
    rig *r = rig_host_with(3, NULL);
    GIVE(r, rig_endpoint(1), "02 01 02");
    sb_time heard = r->now;
    for (int i = 0; i < 4; i++) {
        rig_wait(r, 10 * SB_SECOND);
        GIVE(r, rig_endpoint(2), "03 01 02");
        GIVE(r, rig_endpoint(3), "04 01 02");
    }
    rig_wait_until(r, heard + 45 * SB_SECOND - 1);
    EXPECT_NO_EVENT(r);
    rig_forget(r);
    rig_wait(r, 1);
    EXPECT_LEFT(r, 2, SB_LEFT_TIMED_OUT);
    EXPECT_NO_EVENT(r);
    for (unsigned i = 2; i <= 3; i++) {
        r->sent_next = 0;
        const rig_sent *told = rig_next_sent_to(r, rig_endpoint(i));
        CHECK(told != NULL);
        CHECK_BYTES(told->plain, told->size, "\x01\x01\x04\x07\xC0\x01\x00\x01\x02", 9);
    }
}

TEST(the_timeout_is_what_the_configuration_says)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.timeout_us = 30 * SB_SECOND;
    rig *r = rig_host_with(1, &config);
    GIVE(r, rig_endpoint(1), "02 01 02");
    rig_wait(r, 30 * SB_SECOND - 1);
    EXPECT_NO_EVENT(r);
    rig_wait(r, 1);
    EXPECT_LEFT(r, 2, SB_LEFT_TIMED_OUT);
}

TEST(a_disconnect_is_acknowledged_at_once_and_passed_on_to_the_others)
{
    rig *r = rig_host_with(3, NULL);
    GIVE(r, rig_endpoint(2), "03 01 05 0A C0 01 00 03 C0 A8 00 C4");
    EXPECT_LEFT(r, 3, SB_LEFT_QUIT);
    EXPECT_NO_EVENT(r);
    rig_turn(r);
    r->sent_next = 0;
    EXPECT_SAID(r, rig_endpoint(2), "Ack low 1");
    r->sent_next = 0;
    const rig_sent *told = rig_next_sent_to(r, rig_endpoint(1));
    CHECK(told != NULL);
    CHECK_BYTES(told->plain, told->size, "\x01\x01\x05\x0A\xC0\x01\x00\x03\xC0\xA8\x00\xC4", 12);
    r->sent_next = 0;
    told = rig_next_sent_to(r, rig_endpoint(3));
    CHECK(told != NULL);
    CHECK_BYTES(told->plain, told->size, "\x01\x01\x05\x0A\xC0\x01\x00\x03\xC0\xA8\x00\xC4", 12);
}

TEST(a_lingering_peer_has_repeated_disconnects_acknowledged_for_5_seconds_and_gets_nothing_else)
{
    static const char disconnect[] = "02 01 05 0A C0 01 00 02 0A 0A 0A EF";
    rig              *r = rig_host_with(1, NULL);
    sb_endpoint       at = rig_endpoint(1);
    GIVE(r, at, disconnect);
    sb_time left = r->now;
    EXPECT_LEFT(r, 2, SB_LEFT_QUIT);
    CHECK_TEXT(rig_answer(r, at), "Ack low 1");
    for (int i = 0; i < 4; i++) {
        (void)!rig_give_hex(r, at, disconnect);
        CHECK_TEXT(rig_answer(r, at), "Ack low 1");
    }
    (void)!rig_give_hex(r, at, "02 02 32 06 80 00 00 AA 32 04 00 1C"); /* Data comes too late */
    EXPECT_NO_EVENT(r);
    CHECK_TEXT(rig_answer(r, at), "");
    CHECK(rig_count(r, SB_TRANSPORT_COUNT_LATE) > 0);
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(1, 0)), SB_NOT_ALLOWED);
    rig_wait_until(r, left + 5 * SB_SECOND);
    EXPECT_SILENCE(r);
    uint8_t bytes[16];
    sb_span plain = { bytes, test_hex(disconnect, bytes, sizeof bytes) };
    REFUSE(r, at, plain, SB_TRANSPORT_COUNT_UNKNOWN_SOURCE);
    EXPECT_NO_EVENT(r);
}

TEST(a_disconnect_for_somebody_else_is_acknowledged_and_ignored)
{
    rig *r = rig_host_with(2, NULL);
    GIVE(r, rig_endpoint(1), "02 01 05 0A C0 01 00 03 0A 0A 0A EF");
    EXPECT_NO_EVENT(r);
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "Ack low 1");
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_FOREIGN_DISCONNECT), 1);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 2);
}

TEST(a_kick_sends_boot_to_the_kicked_and_to_all_others_until_acknowledged)
{
    rig *r = rig_host_with(3, NULL);
    sb_transport_host_boot(r->host, r->now, 3, SB_BOOT_KICKED);
    rig_turn(r);
    const rig_event *e = rig_next_event(r);
    CHECK(e != NULL);
    CHECK_EQ(e->event.type, SB_EVENT_LEFT);
    CHECK_EQ(e->event.peer_id, 3);
    CHECK_EQ(e->event.reason, SB_LEFT_BOOTED);
    CHECK_EQ(e->event.boot_reason, SB_BOOT_KICKED);
    EXPECT_NO_EVENT(r);
    for (unsigned i = 1; i <= 3; i++) {
        r->sent_next = 0;
        const rig_sent *boot = rig_next_sent_to(r, rig_endpoint(i));
        CHECK(boot != NULL);
        CHECK_BYTES(boot->plain, boot->size, "\x01\x01\x04\x07\xC0\x01\x00\x04\x03", 9);
    }
    GIVE(r, rig_endpoint(1), "02 01 01 01 00 02");
    rig_forget(r);
    rig_wait(r, 2 * SB_SECOND);
    CHECK_EQ(rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_BOOT), 0);
    CHECK(rig_count_sent(r, rig_endpoint(3), SB_TRANSPORT_BOOT) > 0); /* did not acknowledge */
    CHECK_EQ(sb_transport_host_peer_count(r->host), 2);
    sb_transport_host_boot(r->host, r->now, 3, SB_BOOT_KICKED); /* nobody there: nothing happens */
    rig_turn(r);
    EXPECT_NO_EVENT(r);
}

TEST(a_boot_is_repeated_during_the_linger_with_the_control_messages_before_it)
{
    rig    *r = rig_host_with(2, NULL);
    sb_time start = r->now;
    rig_give_name(r, rig_endpoint(2), 3, 1,
                  rig_wide("Kirk")); /* peer 2 does not acknowledge its copy */
    rig_turn(r);
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(9, 0)), SB_OK);
    rig_turn(r);
    rig_forget(r);
    sb_transport_host_boot(r->host, r->now, 2, SB_BOOT_KICKED);
    rig_wait(r, 60 * SB_SECOND);
    CHECK_TEXT(rig_times(r, rig_endpoint(1), SB_TRANSPORT_BOOT, start),
               "0 500 1000 2000 3000 4000");
    CHECK(rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_NAME) > 0);
    CHECK_EQ(rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_DATA), 0);
}

TEST(without_leave_notices_the_others_are_told_nothing)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.leave_notice = false;
    rig *r = rig_host_with(3, &config);
    GIVE(r, rig_endpoint(1), "02 01 05 0A C0 01 00 02 0A 0A 0A EF");
    sb_transport_host_boot(r->host, r->now, 3, SB_BOOT_KICKED);
    rig_wait(r, SB_SECOND);
    CHECK_EQ(rig_count_sent(r, rig_endpoint(2), SB_TRANSPORT_BOOT) > 0, true); /* the kicked one */
    CHECK_EQ(rig_count_sent(r, rig_endpoint(3), SB_TRANSPORT_BOOT), 0);
    CHECK_EQ(rig_count_sent(r, rig_endpoint(3), SB_TRANSPORT_DISCONNECT), 0);
}

TEST(a_stopping_host_says_goodbye_to_each_peer_and_waits_for_acks)
{
    rig *r = rig_host_with(2, NULL);
    CHECK(!sb_transport_host_is_stopped(r->host));
    sb_transport_host_stop(r->host, r->now);
    rig_turn(r);
    for (unsigned i = 1; i <= 2; i++) {
        r->sent_next = 0;
        const rig_sent *bye = rig_next_sent_to(r, rig_endpoint(i));
        CHECK(bye != NULL);
        CHECK_BYTES(bye->plain, 8, "\x01\x01\x05\x0A\xC0\x01\x00\x01", 8);
        CHECK_EQ(bye->size, 12);
    }
    CHECK(!sb_transport_host_is_stopped(r->host));
    (void)!rig_give_hex(r, rig_endpoint(1), "02 01 01 01 00 02");
    rig_turn(r);
    CHECK(!sb_transport_host_is_stopped(r->host));
    (void)!rig_give_hex(r, rig_endpoint(2), "03 01 01 01 00 02");
    rig_turn(r);
    CHECK(sb_transport_host_is_stopped(r->host));
}

TEST(a_stopping_host_waits_one_second_at_most_and_accepts_nobody)
{
    rig *r = rig_host_with(1, NULL);
    sb_transport_host_stop(r->host, r->now);
    rig_turn(r);
    rig_forget(r);
    CHECK(rig_give_hex(r, rig_endpoint(5), RIG_CONNECT) != SB_OK);
    rig_wait(r, SB_SECOND - 1);
    CHECK_EQ(rig_count_sent(r, rig_endpoint(5), SB_TRANSPORT_CONNECT), 0);
    CHECK(!sb_transport_host_is_stopped(r->host));
    rig_wait(r, 1);
    CHECK(sb_transport_host_is_stopped(r->host));
    rig_forget(r);
    rig_wait(r, 60 * SB_SECOND);
    EXPECT_SILENCE(r);
}

TEST(a_host_without_peers_is_stopped_at_once)
{
    rig *r = rig_open_host(NULL);
    sb_transport_host_stop(r->host, r->now);
    rig_turn(r);
    CHECK(sb_transport_host_is_stopped(r->host));
}

/* ---- No relay (spec 01 §8.6), configuration ------------------------------------------------ */

TEST(data_of_one_peer_is_never_passed_on_by_the_transport)
{
    rig *r = rig_host_with(2, NULL);
    GIVE(r, rig_endpoint(1), "02 02 32 06 80 00 00 AA 32 04 00 1C");
    rig_turn(r);
    for (const rig_sent *sent = rig_next_sent(r); sent; sent = rig_next_sent(r))
        CHECK(rig_same_endpoint(sent->to, rig_endpoint(1)));
}

TEST(impossible_configurations_need_no_memory)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    CHECK(sb_transport_host_bytes(&config) > 0);
    config.max_peers = 0;
    CHECK_EQ(sb_transport_host_bytes(&config), 0);
    config.max_peers = SB_PEERS_LIMIT + 1;
    CHECK_EQ(sb_transport_host_bytes(&config), 0);
    config.max_peers = SB_PEERS_LIMIT;
    CHECK(sb_transport_host_bytes(&config) > 0);
    config.password = rig_wide("a password of thirty-two letters");
    CHECK_EQ(config.password.size, 64);
    CHECK_EQ(sb_transport_host_bytes(&config), 0);
    config.password.size -= 2;
    CHECK(sb_transport_host_bytes(&config) > 0);
}

TEST(time_that_goes_back_counts_as_the_latest_time)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), "02 01 02");
    sb_time latest = r->now;
    r->now -= 100 * SB_SECOND;
    CHECK_EQ(rig_give_hex(r, rig_endpoint(1), "02 01 02"), SB_OK);
    sb_peer_info info;
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.heard_at, latest);
    r->now = latest;
    rig_wait(r, 45 * SB_SECOND - 1);
    EXPECT_NO_EVENT(r);
    rig_wait(r, 1);
    EXPECT_LEFT(r, 2, SB_LEFT_TIMED_OUT);
}
