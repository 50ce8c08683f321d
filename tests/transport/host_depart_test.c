/* tests/transport/host_depart_test.c -- true and forged Disconnects.
 *
 * For:      src/transport/host_depart.c.
 * Spec:     01 §8.4, §10.3.
 */
#include "marks_rig.h"

/* Peer 2 "K" has told the address 10.10.10.239, and used low 1 for its Name. */
#define DISCONNECT "02 01 05 0A C0 02 00 02 0A 0A 0A EF"
#define UPDATE     "02 01 32 05 00 1C 00"

#define ASKED_AFTER (26 * SB_SECOND / 5) /* the Disconnect */

static rig *named_host(void)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), "02 01 00 0E C0 01 00 02 0A 0A 0A EF 4B 00 00 00");
    rig_step(r);
    GIVE(r, rig_endpoint(1), "02 01 01 01 00 02"); /* an Ack of the copy */
    rig_wait(r, SB_SECOND);
    rig_forget(r);
    return r;
}

/* An update of the ship of peer 2, which the room applies. */
static void give_update(rig *r)
{
    GIVE(r, rig_endpoint(1), UPDATE);
    sb_transport_host_note_update(r->host, 2);
}

static void give_updates(rig *r, sb_time duration)
{
    for (sb_time end = r->now + duration; r->now < end; rig_wait(r, 100 * RIG_MILLISECOND))
        give_update(r);
}

static uint64_t forged(const rig *r)
{
    return rig_count(r, SB_TRANSPORT_COUNT_FORGED_DISCONNECT);
}

TEST(a_flying_peer_departs_one_second_after_its_disconnect)
{
    rig *r = named_host();
    give_updates(r, SB_SECOND);
    rig_forget(r);
    GIVE(r, rig_endpoint(1), DISCONNECT);
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "Ack low 2");
    rig_wait(r, 200 * RIG_MILLISECOND - 1);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
    rig_wait(r, 1);
    EXPECT_LEFT(r, 2, SB_LEFT_QUIT);
    CHECK_EQ(forged(r), 0);
}

/* The program was stopped: a datagram that it reads later is no sign of life. */
TEST(a_peer_has_departed_before_a_datagram_that_is_read_late)
{
    for (sb_time late = 0; late < 2; late++) {
        rig *r = named_host();
        give_updates(r, SB_SECOND);
        rig_forget(r);
        GIVE(r, rig_endpoint(1), DISCONNECT);
        rig_step(r);
        r->now += SB_SECOND - 1 + late;
        (void)!rig_give_hex(r, rig_endpoint(1), UPDATE);
        if (late) EXPECT_LEFT(r, 2, SB_LEFT_QUIT);
        CHECK_EQ(sb_transport_host_peer_count(r->host), late ? 0 : 1);
    }
}

/* An Ack of a forged Disconnect would end the retransmission of a Name with the same number. */
TEST(during_an_attack_a_disconnect_gets_no_ack)
{
    rig *r = named_host();
    GIVE(r, rig_endpoint(1), "02 01 32 06 80 00 00 AA");
    rig_wait(r, SB_SECOND);
    GIVE(r, rig_endpoint(1), "02 01 32 06 80 00 00 EE"); /* somebody forges */
    rig_forget(r);
    GIVE(r, rig_endpoint(1), DISCONNECT);
    rig_step(r);
    CHECK_EQ(rig_count_acks(r), 0);
}

/* A stock client that leaves answers for 4.2 s (spec 01 §8.4): it needs its Ack. */
TEST(a_wrong_id_alone_takes_no_ack_from_a_disconnect)
{
    rig *r = named_host();
    (void)!rig_give_hex(r, rig_endpoint(1), "03 01 02");
    rig_forget(r);
    GIVE(r, rig_endpoint(1), DISCONNECT);
    rig_step(r);
    CHECK_EQ(rig_count_acks(r), 1);
}

/* From the address of its peer, somebody has tried another id: evidence of forgeries. Ten seconds
 * later the host has stopped to ask for marks. */
static rig *suspicious_host(void)
{
    rig *r = named_host();
    (void)!rig_give_hex(r, rig_endpoint(1), "03 01 02");
    rig_wait(r, 10 * SB_SECOND);
    rig_forget(r);
    return r;
}

/* Many simple programs go on acknowledging when they have left; but so does a player who only
 * listens. */
TEST(without_evidence_a_peer_that_only_acknowledges_departs_late)
{
    for (int stays = 0; stays < 2; stays++) {
        rig     *r = named_host();
        sb_time  start = r->now;
        uint16_t marks[SB_MARKS_COUNT];
        GIVE(r, rig_endpoint(1), DISCONNECT);
        rig_wait(r, ASKED_AFTER);
        rig_read_marks(r, rig_endpoint(1), marks);
        rig_pack p;
        rig_pack_init_marked(&p, 2, marks);
        GIVE_PACK(r, rig_endpoint(1), &p);
        CHECK_EQ(forged(r), 0);
        rig_wait_until(r, start + 16 * SB_SECOND - 1);
        CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
        if (stays) GIVE(r, rig_endpoint(1), "02 01 02");
        rig_wait(r, 1);
        CHECK_EQ(sb_transport_host_peer_count(r->host), stays);
    }
}

/* During an attack the host does not acknowledge what a leaving client said last. */
TEST(messages_that_came_before_do_not_refute_a_disconnect)
{
    rig *r = suspicious_host();
    GIVE(r, rig_endpoint(1), "02 01 32 06 80 00 00 2C");
    GIVE(r, rig_endpoint(1), DISCONNECT);
    for (int i = 0; i < 4; i++) {
        rig_wait(r, SB_SECOND);
        GIVE(r, rig_endpoint(1), "02 02 01 00 00 02 32 06 80 00 00 2C");
    }
    CHECK_EQ(forged(r), 0);
    rig_wait(r, 2 * SB_SECOND);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 0);
}

/* The same for one that waits for its copies, because a number was stolen. */
TEST(messages_that_wait_do_not_refute_a_disconnect)
{
    rig *r = named_host();
    GIVE(r, rig_endpoint(1), "02 01 32 06 80 00 00 2C");
    GIVE(r, rig_endpoint(1), "02 01 32 06 80 00 00 EE");
    GIVE(r, rig_endpoint(1), "02 01 32 06 80 01 00 2C");
    GIVE(r, rig_endpoint(1), DISCONNECT);
    rig_wait(r, SB_SECOND);
    GIVE(r, rig_endpoint(1), "02 01 32 06 80 01 00 2C");
    CHECK_EQ(forged(r), 0);
    GIVE(r, rig_endpoint(1), "02 02 32 06 80 01 00 2C 32 06 80 02 00 2C"); /* a new one */
    CHECK_EQ(forged(r), 1);
}

/* A forged datagram under a wrong id makes the host ask at once. */
TEST(a_peer_that_answers_marks_after_five_seconds_stays)
{
    for (int late = 0; late < 2; late++) {
        rig     *r = suspicious_host();
        uint16_t marks[SB_MARKS_COUNT];
        rig_pack p;
        sb_time  start = r->now;
        GIVE(r, rig_endpoint(1), DISCONNECT);
        (void)!rig_give_hex(r, rig_endpoint(1), "03 01 02");
        rig_read_marks(r, rig_endpoint(1), marks);
        rig_wait_until(r, start + 5 * SB_SECOND - 1 + late);
        rig_pack_init_marked(&p, 2, marks);
        GIVE_PACK(r, rig_endpoint(1), &p);
        CHECK_EQ(forged(r), late); /* one that leaves answers so long */
        rig_wait(r, 2 * SB_SECOND);
        CHECK_EQ(sb_transport_host_peer_count(r->host), late);
    }
}

/* A NoOp of the peer comes 5 s after its last datagram, unless it has answered. */
TEST(a_peer_that_said_goodbye_is_asked_after_5200_ms)
{
    rig     *r = named_host();
    uint16_t marks[SB_MARKS_COUNT];
    GIVE(r, rig_endpoint(1), DISCONNECT);
    rig_wait(r, SB_SECOND);
    GIVE(r, rig_endpoint(1), DISCONNECT); /* a repeat changes nothing */
    rig_wait(r, ASKED_AFTER - SB_SECOND - 1);
    CHECK_EQ(rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_DATA), 0);
    rig_forget(r);
    rig_wait(r, 1);
    rig_read_marks(r, rig_endpoint(1), marks);
}

/* An idle stock-like client: acknowledges marks at once, and sends a NoOp when it has sent nothing
 * for 5 s. */
typedef struct idle_peer {
    rig    *r;
    sb_time sent_at;
} idle_peer;

static void advance_idle_peer(idle_peer *peer, sb_time duration)
{
    rig *r = peer->r;
    for (sb_time end = r->now + duration; r->now < end;) {
        rig_wait(r, 20 * RIG_MILLISECOND);
        bool asked = rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_DATA) > 0;
        if (asked) {
            uint16_t marks[SB_MARKS_COUNT];
            rig_pack p;
            rig_read_marks(r, rig_endpoint(1), marks);
            rig_pack_init_marked(&p, 2, marks);
            GIVE_PACK(r, rig_endpoint(1), &p);
        } else if (r->now - peer->sent_at >= 5 * SB_SECOND) {
            GIVE(r, rig_endpoint(1), "02 01 02");
        } else {
            rig_forget(r);
            continue;
        }
        peer->sent_at = r->now;
        rig_forget(r);
    }
}

/* At any moment between two NoOps. The questions of the host must not put the next NoOp off: it was
 * the only thing that refuted the Disconnect. */
TEST(no_forged_disconnects_remove_an_idle_peer)
{
    static const sb_time intervals[] = { 60 * SB_SECOND, SB_SECOND, 3 * SB_SECOND,
                                         11 * SB_SECOND / 2 };
    for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++)
        for (sb_time phase = 0; phase < 5 * SB_SECOND; phase += 300 * RIG_MILLISECOND) {
            idle_peer peer = { .r = named_host() };
            GIVE(peer.r, rig_endpoint(1), "02 01 02");
            peer.sent_at = peer.r->now;
            advance_idle_peer(&peer, phase);
            for (sb_time end = peer.r->now + 60 * SB_SECOND; peer.r->now < end;) {
                GIVE(peer.r, rig_endpoint(1), DISCONNECT);
                advance_idle_peer(&peer, intervals[i]);
                CHECK_EQ(sb_transport_host_peer_count(peer.r->host), 1);
            }
        }
}

/* Some clients send every Ack in a datagram of its own. */
TEST(two_acks_of_marks_in_datagrams_of_their_own_are_an_answer)
{
    rig     *r = suspicious_host();
    uint16_t marks[SB_MARKS_COUNT];
    sb_time  start = r->now;
    GIVE(r, rig_endpoint(1), DISCONNECT);
    rig_wait_until(r, start + ASKED_AFTER);
    rig_read_marks(r, rig_endpoint(1), marks);
    for (unsigned i = 0; i < 2; i++) {
        rig_pack p;
        CHECK_EQ(forged(r), 0);
        rig_pack_init(&p, 2);
        rig_pack_ack(&p, false, marks[i]);
        GIVE_PACK(r, rig_endpoint(1), &p);
    }
    CHECK_EQ(forged(r), 1);
}

/* It is the Disconnect of a client that leaves, repeated, beside its answers. */
TEST(answers_beside_a_disconnect_refute_nothing)
{
    rig     *r = suspicious_host();
    uint16_t marks[SB_MARKS_COUNT];
    rig_pack p;
    GIVE(r, rig_endpoint(1), DISCONNECT);
    rig_wait(r, ASKED_AFTER);
    rig_read_marks(r, rig_endpoint(1), marks);
    rig_pack_init_marked(&p, 2, marks);
    rig_pack_disconnect(&p, 2, 2);
    GIVE_PACK(r, rig_endpoint(1), &p);
    CHECK_EQ(forged(r), 0);
    rig_wait(r, SB_SECOND);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 0);
}

TEST(an_idle_peer_departs_six_seconds_after_its_disconnect)
{
    rig *r = named_host();
    GIVE(r, rig_endpoint(1), "02 01 02"); /* a NoOp says that the peer is idle */
    GIVE(r, rig_endpoint(1), DISCONNECT);
    rig_wait(r, 6 * SB_SECOND - 1);
    EXPECT_NO_EVENT(r);
    rig_wait(r, 1);
    EXPECT_LEFT(r, 2, SB_LEFT_QUIT);
}

/* A lobby player who has just chatted, or whose updates no ship has. */
TEST(data_that_is_no_update_of_a_ship_does_not_shorten_the_wait)
{
    rig *r = named_host();
    GIVE(r, rig_endpoint(1), "02 01 32 06 80 00 00 2C");
    GIVE(r, rig_endpoint(1), UPDATE);
    rig_forget(r);
    GIVE(r, rig_endpoint(1), DISCONNECT);
    rig_wait(r, 6 * SB_SECOND - 1);
    EXPECT_NO_EVENT(r);
    rig_wait(r, 1);
    EXPECT_LEFT(r, 2, SB_LEFT_QUIT);
}

TEST(acks_and_repeats_neither_stop_nor_prolong_the_wait)
{
    rig *r = named_host();
    give_update(r);
    rig_forget(r);
    GIVE(r, rig_endpoint(1), DISCONNECT);
    sb_time start = r->now;
    for (int i = 0; i < 9; i++) {
        rig_wait(r, 100 * RIG_MILLISECOND);
        GIVE(r, rig_endpoint(1), "02 02 01 00 00 02 01 01 00 02");
        GIVE(r, rig_endpoint(1), "02 02 01 00 00 02 05 0A C0 02 00 02 0A 0A 0A EF");
    }
    rig_wait_until(r, start + SB_SECOND - 1);
    EXPECT_NO_EVENT(r);
    rig_wait(r, 1);
    EXPECT_LEFT(r, 2, SB_LEFT_QUIT);
}

TEST(whatever_else_a_peer_sends_refutes_its_disconnect)
{
    static const char *const signs[] = {
        UPDATE,                                            /* flying */
        "02 01 02",                                        /* in the lobby: a NoOp */
        "02 00",                                           /* nothing at all */
        "02 01 32 06 80 00 00 AA",                         /* loading: a reliable message */
        "02 01 32 08 A0 00 00 00 02 AA",                   /* a fragment */
        "02 01 00 0E C0 02 00 02 0A 0A 0A EF 4C 00 00 00", /* a new name, with that number */
    };
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        rig *r = named_host();
        GIVE(r, rig_endpoint(1), UPDATE);
        GIVE(r, rig_endpoint(1), DISCONNECT);
        rig_wait(r, 900 * RIG_MILLISECOND);
        GIVE(r, rig_endpoint(1), signs[i]);
        rig_wait(r, 40 * SB_SECOND);
        CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
        CHECK_EQ(forged(r), 1);
    }
}

TEST(the_true_disconnect_is_obeyed_after_a_forged_one)
{
    rig *r = named_host();
    give_updates(r, SB_SECOND);
    GIVE(r, rig_endpoint(1), DISCONNECT);
    rig_wait(r, 100 * RIG_MILLISECOND);
    give_updates(r, 3 * SB_SECOND);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
    rig_forget(r);
    GIVE(r, rig_endpoint(1), DISCONNECT); /* under the same number */
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "Ack low 2");
    rig_wait(r, 200 * RIG_MILLISECOND);
    EXPECT_LEFT(r, 2, SB_LEFT_QUIT);
}

TEST(a_disconnect_with_another_address_uses_up_no_number)
{
    rig *r = named_host();
    GIVE(r, rig_endpoint(1), UPDATE);
    REFUSE(r, rig_endpoint(1), rig_hex("02 01 05 0A C0 02 00 02 09 09 09 09"),
           SB_TRANSPORT_COUNT_FOREIGN_DISCONNECT);
    rig_wait(r, 10 * SB_SECOND);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
    CHECK_EQ(forged(r), 0);
    rig_forget(r);
    GIVE(r, rig_endpoint(1), DISCONNECT);
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "Ack low 2");
}

TEST(a_peer_without_a_name_may_give_any_address)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), "02 01 05 0A C0 01 00 02 09 09 09 09");
    rig_wait(r, 6 * SB_SECOND);
    EXPECT_LEFT(r, 2, SB_LEFT_QUIT);
}

TEST(an_early_disconnect_is_not_stored)
{
    rig *r = named_host();
    GIVE(r, rig_endpoint(1), "02 01 05 0A C0 03 00 02 0A 0A 0A EF"); /* low 2 is missing */
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "");
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_EARLY_DISCONNECT), 1);
    GIVE(r, rig_endpoint(1), "02 01 00 0E C0 02 00 02 0A 0A 0A EF 4C 00 00 00");
    rig_wait(r, 10 * SB_SECOND);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
    GIVE(r, rig_endpoint(1), "02 01 05 0A C0 03 00 02 0A 0A 0A EF");
    rig_wait(r, 6 * SB_SECOND);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 0);
}

/* A Disconnect can overtake an update; its sender is gone and will not repeat it. */
TEST(a_disconnect_that_overtook_data_counts_after_12_seconds)
{
    rig *r = named_host();
    give_update(r);
    GIVE(r, rig_endpoint(1), DISCONNECT);
    rig_wait(r, 100 * RIG_MILLISECOND);
    GIVE(r, rig_endpoint(1), UPDATE);
    rig_wait(r, 12 * SB_SECOND - 1);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
    rig_wait(r, 1);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 0);
}

TEST(a_peer_that_is_attacked_departs_only_by_long_silence)
{
    rig *r = named_host();
    for (int i = 0; i < 600; i++) { /* a minute in the lobby: ten Disconnects for each second */
        if (i % 50 == 0) GIVE(r, rig_endpoint(1), "02 01 02");
        GIVE(r, rig_endpoint(1), DISCONNECT);
        rig_wait(r, 100 * RIG_MILLISECOND);
    }
    CHECK_EQ(forged(r), 11);
    rig_wait(r, 9 * SB_SECOND); /* one NoOp is lost */
    CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
    GIVE(r, rig_endpoint(1), "02 01 02");
    GIVE(r, rig_endpoint(1), DISCONNECT);
    rig_wait(r, 16 * SB_SECOND - 1);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
    rig_wait(r, 1);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 0);
}

TEST(a_flying_peer_that_is_attacked_departs_after_six_seconds)
{
    rig *r = named_host();
    for (int i = 0; i < 20; i++) {
        give_update(r);
        GIVE(r, rig_endpoint(1), DISCONNECT);
        rig_wait(r, 100 * RIG_MILLISECOND);
    }
    CHECK_EQ(forged(r), 19);
    give_update(r);
    GIVE(r, rig_endpoint(1), DISCONNECT);
    rig_wait(r, 6 * SB_SECOND - 1);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
    rig_wait(r, 1);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 0);
}

/* ---- a client that returns from the same port ----------------------------------------------- */

#define ANSWER "03 02 01 00 00 02 00 0E C0 01 00 03 0A 0A 0A EF 4B 00 00 00"

TEST(a_client_that_returns_gets_in_at_once_with_a_proof)
{
    rig *r = named_host();
    give_update(r);
    GIVE(r, rig_endpoint(1), DISCONNECT);
    rig_wait(r, 300 * RIG_MILLISECOND);
    CHECK_EQ(rig_told_id(r, rig_endpoint(1)), 3);
    REFUSE(r, rig_endpoint(1), rig_hex(ANSWER), SB_TRANSPORT_COUNT_UNPROVEN);
    CHECK(rig_prove(r, rig_endpoint(1), 3));
    EXPECT_LEFT(r, 2, SB_LEFT_QUIT);
    EXPECT_JOINED(r, 3);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
}

/* A message that was on its way has refuted a true Disconnect. */
TEST(a_client_may_return_for_12_s_after_a_refuted_disconnect)
{
    for (int late = 0; late < 2; late++) {
        rig *r = named_host();
        rig_show(r, rig_endpoint(1), 2);
        GIVE(r, rig_endpoint(1), DISCONNECT);
        rig_wait(r, SB_SECOND);
        GIVE(r, rig_endpoint(1), UPDATE);
        CHECK_EQ(forged(r), 1);
        for (int i = 0; i < 2; i++) { /* the peer, or a forger, goes on */
            rig_wait(r, 5 * SB_SECOND);
            GIVE(r, rig_endpoint(1), UPDATE);
        }
        rig_wait(r, 2 * SB_SECOND - 1 + late);
        rig_forget(r);
        GIVE(r, rig_endpoint(1), RIG_CONNECT);
        rig_step(r);
        EXPECT_SAID(r, rig_endpoint(1), late ? "Ack low 0" : "Ack low 0, Connect 0");
    }
}

/* All that a forger can write, under the id that the newcomer was told, too. */
TEST(a_forged_disconnect_and_connect_end_no_session)
{
    rig *r = named_host();
    for (int i = 0; i < 100; i++) {
        GIVE(r, rig_endpoint(1), UPDATE);
        GIVE(r, rig_endpoint(1), DISCONNECT);
        GIVE(r, rig_endpoint(1), RIG_CONNECT);
        REFUSE(r, rig_endpoint(1), rig_hex(ANSWER), SB_TRANSPORT_COUNT_UNPROVEN);
        rig_wait(r, 100 * RIG_MILLISECOND);
    }
    sb_peer_info info;
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_JOINED), 1);
}

/* It repeats the Connect, and an Ack alone would end that: it would never learn its id. */
TEST(a_client_that_has_not_heard_its_id_gets_no_seat)
{
    rig     *r = named_host();
    rig_pack p;
    GIVE(r, rig_endpoint(1), DISCONNECT);
    CHECK_EQ(rig_told_id(r, rig_endpoint(1)), 3); /* the answer is lost */
    REFUSE(r, rig_endpoint(1), rig_hex(ANSWER), SB_TRANSPORT_COUNT_UNPROVEN);
    CHECK(rig_pack_proof(r, rig_endpoint(1), SB_PEER_NONE, &p));
    REFUSE(r, rig_endpoint(1), rig_packed(&p), SB_TRANSPORT_COUNT_NOT_A_CONNECT);
    CHECK_EQ(rig_told_id(r, rig_endpoint(1)), 3);
    rig_pack_ack(&p, true, 0); /* after Acks of other numbers */
    GIVE_PACK(r, rig_endpoint(1), &p);
    EXPECT_LEFT(r, 2, SB_LEFT_QUIT);
    EXPECT_JOINED(r, 3);
}
