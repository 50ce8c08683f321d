/* tests/transport/host_depart_answers_test.c -- a peer that said goodbye answers marks, or does
 * not.
 *
 * For:      src/transport/host_depart.c; host_depart_test.c has whole departures.
 * Spec:     01 §8.4.
 */
#include "marks_rig.h"

/* Peer 2 "K" has told the address 10.10.10.239, and used low 1 for its Name. */
#define DISCONNECT "02 01 05 0A C0 02 00 02 0A 0A 0A EF"
#define NOOP       "02 01 02"

#define ASKED_AFTER (26 * SB_SECOND / 5) /* the Disconnect */

static uint64_t forged(const rig *r)
{
    return rig_count(r, SB_TRANSPORT_COUNT_FORGED_DISCONNECT);
}

/* Data 0 of the peer was delivered. `suspicious`: somebody has tried another id from its address;
 * ten seconds later the host has stopped to ask for marks. */
static rig *named_host(bool suspicious)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), "02 01 00 0E C0 01 00 02 0A 0A 0A EF 4B 00 00 00");
    GIVE(r, rig_endpoint(1), "02 01 32 06 80 00 00 AA");
    rig_step(r);
    GIVE(r, rig_endpoint(1), "02 01 01 01 00 02"); /* an Ack of the copy of its Name */
    rig_wait(r, SB_SECOND);
    if (suspicious) (void)!rig_give_hex(r, rig_endpoint(1), "03 01 02");
    rig_wait(r, 10 * SB_SECOND);
    rig_forget(r);
    return r;
}

/* A host with a Disconnect of its peer 5.2 s ago; it asks for these marks. */
static rig *asking_host(bool suspicious, uint16_t marks[SB_MARKS_COUNT])
{
    rig *r = named_host(suspicious);
    GIVE(r, rig_endpoint(1), DISCONNECT);
    rig_wait(r, ASKED_AFTER);
    rig_read_marks(r, rig_endpoint(1), marks);
    rig_forget(r);
    return r;
}

static void give_mark(rig *r, uint16_t mark)
{
    rig_pack p;
    rig_pack_init(&p, 2);
    rig_pack_ack(&p, false, mark);
    GIVE_PACK(r, rig_endpoint(1), &p);
}

/* Does the host ask within the next half second? */
static bool is_asking(rig *r)
{
    rig_forget(r);
    rig_wait(r, SB_SECOND / 2);
    return rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_DATA) > 0;
}

/* Nor does it matter what else is in the datagram, as long as it is no farewell. */
TEST(answers_beside_repeated_data_refute_a_disconnect)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = asking_host(true, marks);
    rig_pack p;
    rig_pack_init_marked(&p, 2, marks);
    rig_pack_data(&p, 0, rig_byte('\xAA'));
    GIVE_PACK(r, rig_endpoint(1), &p);
    CHECK_EQ(forged(r), 1);
}

TEST(a_repeated_disconnect_does_not_undo_an_answer)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = asking_host(true, marks);
    give_mark(r, marks[0]);
    GIVE(r, rig_endpoint(1), DISCONNECT);
    CHECK_EQ(forged(r), 0);
    give_mark(r, marks[1]);
    CHECK_EQ(forged(r), 1);
}

TEST(answers_to_an_earlier_disconnect_do_not_count)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = asking_host(true, marks);
    give_mark(r, marks[0]);
    GIVE(r, rig_endpoint(1), NOOP);
    CHECK_EQ(forged(r), 1);
    GIVE(r, rig_endpoint(1), DISCONNECT);
    rig_wait(r, ASKED_AFTER);
    rig_read_marks(r, rig_endpoint(1), marks);
    give_mark(r, marks[0]);
    CHECK_EQ(forged(r), 1);
}

/* Otherwise its answers would put the next NoOp off. */
TEST(without_evidence_a_peer_that_has_answered_is_not_asked_again)
{
    for (int suspicious = 0; suspicious < 2; suspicious++) {
        uint16_t marks[SB_MARKS_COUNT];
        rig     *r = asking_host(suspicious, marks);
        CHECK(is_asking(r));
        rig_read_marks(r, rig_endpoint(1), marks);
        give_mark(r, marks[0]);
        give_mark(r, marks[1]);
        CHECK_EQ(is_asking(r), suspicious);
    }
}

TEST(without_evidence_a_sign_of_life_ends_the_questions)
{
    for (int suspicious = 0; suspicious < 2; suspicious++) {
        uint16_t marks[SB_MARKS_COUNT];
        rig     *r = asking_host(suspicious, marks);
        GIVE(r, rig_endpoint(1), NOOP);
        CHECK_EQ(forged(r), 1);
        CHECK_EQ(is_asking(r), suspicious);
    }
}

/* A player who hears us answers a dozen questions in this time. */
TEST(a_peer_that_has_ever_answered_departs_after_8_s)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = asking_host(true, marks);
    rig_pack p;
    rig_pack_init_marked(&p, 2, marks);
    GIVE_PACK(r, rig_endpoint(1), &p);
    for (int i = 0; i < 3; i++) { /* somebody forges Disconnects again and again */
        GIVE(r, rig_endpoint(1), DISCONNECT);
        rig_wait(r, SB_SECOND);
        GIVE(r, rig_endpoint(1), NOOP);
    }
    GIVE(r, rig_endpoint(1), DISCONNECT);
    rig_wait(r, 8 * SB_SECOND - 1);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
    rig_wait(r, 1);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 0);
}
