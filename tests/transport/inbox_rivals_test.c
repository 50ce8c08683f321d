/* tests/transport/inbox_rivals_test.c -- what a forged datagram used up is taken back.
 *
 * For:      src/transport/inbox_rivals.c. marks_test.c has single stolen numbers.
 * Spec:     01 §10.8 rule 4.
 */
#include "marks_rig.h"

enum { PEER = 2 };

/* One datagram with Data from `first` on. */
static sb_result give_run(rig *r, uint16_t first, unsigned count, char text, const uint16_t *marks)
{
    rig_pack p;
    rig_pack_init_marked(&p, PEER, marks);
    for (unsigned i = 0; i < count; i++) rig_pack_data(&p, (uint16_t)(first + i), rig_byte(text));
    return rig_give(r, rig_endpoint(1), rig_packed(&p));
}

static void expect_run(rig *r, unsigned count, char text)
{
    for (unsigned i = 0; i < count; i++) EXPECT_DATA(r, PEER, rig_byte(text));
    EXPECT_NO_EVENT(r);
}

/* A sweep has used up Data 1 to 5, and the peer's own Data 1 has shown it. */
static rig *host_after_theft(uint16_t marks[SB_MARKS_COUNT])
{
    rig *r = rig_host_with_history();
    CHECK_EQ(give_run(r, 1, 5, 'F', NULL), SB_OK);
    expect_run(r, 5, 'F');
    rig_wait(r, SB_SECOND);
    rig_forget(r);
    CHECK_EQ(give_run(r, 1, 1, 'T', NULL), SB_OK);
    EXPECT_NO_EVENT(r);
    rig_read_marks(r, rig_endpoint(1), marks);
    rig_forget(r);
    return r;
}

TEST(a_stolen_run_of_numbers_is_expected_again_in_order)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = host_after_theft(marks);
    CHECK_EQ(give_run(r, 3, 1, 'V', marks), SB_OK); /* the peer's 1 and 2 are lost */
    EXPECT_NO_EVENT(r);
    CHECK_EQ(give_run(r, 1, 2, 'T', marks), SB_OK);
    EXPECT_DATA(r, PEER, rig_byte('T'));
    EXPECT_DATA(r, PEER, rig_byte('T'));
    EXPECT_DATA(r, PEER, rig_byte('V'));
    CHECK_EQ(give_run(r, 4, 3, 'W', marks), SB_OK);
    expect_run(r, 3, 'W');
    CHECK_EQ(give_run(r, 1, 6, 'W', marks), SB_OK); /* nothing comes twice */
    EXPECT_NO_EVENT(r);
}

TEST(a_stolen_number_can_be_that_of_a_message_in_fragments)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = host_after_theft(marks);
    rig_pack p;
    CHECK_EQ(give_run(r, 2, 1, 'U', marks), SB_OK); /* shows that the sweep was forged */
    EXPECT_NO_EVENT(r);
    for (uint8_t i = 0; i < 2; i++) {
        rig_pack_init_marked(&p, PEER, marks);
        rig_pack_fragment(&p, 1, i, 2, rig_byte((char)('a' + i)));
        GIVE_PACK(r, rig_endpoint(1), &p);
    }
    EXPECT_DATA(r, PEER, ((sb_span){ (const uint8_t *)"ab", 2 }));
    EXPECT_DATA(r, PEER, rig_byte('U'));
}

/* One datagram with both fragments of Data 1; `order`: which of them comes first. */
static sb_result give_fragments(rig *r, const char text[2], uint8_t order, const uint16_t *marks)
{
    rig_pack p;
    rig_pack_init_marked(&p, PEER, marks);
    for (uint8_t i = 0; i < 2; i++)
        rig_pack_fragment(&p, 1, i ^ order, 2, rig_byte(text[i ^ order]));
    return rig_give(r, rig_endpoint(1), rig_packed(&p));
}

/* Fragment 0 shows who has sent the message, whichever came first. */
TEST(a_number_that_forged_fragments_stole_is_taken_back)
{
    for (uint8_t order = 0; order < 2; order++) {
        uint16_t marks[SB_MARKS_COUNT];
        rig     *r = rig_host_with_history();
        CHECK_EQ(give_fragments(r, "FG", order, NULL), SB_OK);
        EXPECT_DATA(r, PEER, ((sb_span){ (const uint8_t *)"FG", 2 }));
        rig_wait(r, SB_SECOND);
        rig_forget(r);
        CHECK_EQ(give_fragments(r, "ab", 0, NULL), SB_NOT_ALLOWED);
        EXPECT_NO_EVENT(r);
        rig_read_marks(r, rig_endpoint(1), marks);
        CHECK_EQ(give_fragments(r, "ab", 0, marks), SB_OK);
        EXPECT_DATA(r, PEER, ((sb_span){ (const uint8_t *)"ab", 2 }));
        CHECK_EQ(give_fragments(r, "ab", 0, marks), SB_OK);
        EXPECT_NO_EVENT(r);
    }
}

TEST(fragments_of_other_totals_are_of_other_messages)
{
    rig     *r = rig_host_with_history();
    rig_pack p;
    CHECK_EQ(give_fragments(r, "ab", 0, NULL), SB_OK);
    EXPECT_DATA(r, PEER, ((sb_span){ (const uint8_t *)"ab", 2 }));
    rig_pack_init(&p, PEER);
    rig_pack_fragment(&p, 1, 0, 3, rig_byte('a'));
    GIVE_PACK(r, rig_endpoint(1), &p);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_CONFLICT), 1);
}

/* Other fragments than the first do not show it: here they are the same. */
TEST(a_fragment_does_not_make_a_forged_message_true)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = rig_host_with_history();
    rig_pack p;
    CHECK_EQ(give_fragments(r, "Fb", 0, NULL), SB_OK);
    EXPECT_DATA(r, PEER, ((sb_span){ (const uint8_t *)"Fb", 2 }));
    CHECK_EQ(give_run(r, 0, 1, 'X', NULL), SB_OK); /* evidence */
    rig_read_marks(r, rig_endpoint(1), marks);
    CHECK_EQ(give_run(r, 0, 1, '\xAA', marks), SB_OK); /* which message it was */
    rig_pack_init_marked(&p, PEER, marks);
    rig_pack_fragment(&p, 1, 1, 0, rig_byte('b'));
    GIVE_PACK(r, rig_endpoint(1), &p);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(give_fragments(r, "ab", 0, marks), SB_OK);
    EXPECT_DATA(r, PEER, ((sb_span){ (const uint8_t *)"ab", 2 }));
}

TEST(copies_of_a_fragment_are_no_message)
{
    rig     *r = rig_host_with_history();
    rig_pack p;
    CHECK_EQ(give_fragments(r, "FG", 0, NULL), SB_OK);
    EXPECT_DATA(r, PEER, ((sb_span){ (const uint8_t *)"FG", 2 }));
    for (int copy = 0; copy < 5; copy++) {
        rig_wait(r, SB_SECOND);
        rig_pack_init(&p, PEER);
        rig_pack_fragment(&p, 1, 0, 2, rig_byte('a'));
        (void)!rig_give(r, rig_endpoint(1), rig_packed(&p));
        EXPECT_NO_EVENT(r);
    }
}

/* The peer's own message says so: then all of that datagram is the peer's. */
TEST(a_run_of_the_peer_is_not_taken_back)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = rig_host_with_history();
    CHECK_EQ(give_run(r, 1, 3, 'T', NULL), SB_OK);
    expect_run(r, 3, 'T');
    rig_wait(r, SB_SECOND);
    rig_forget(r);
    CHECK_EQ(give_run(r, 2, 1, 'F', NULL), SB_OK); /* forged */
    EXPECT_NO_EVENT(r);
    rig_read_marks(r, rig_endpoint(1), marks);
    CHECK_EQ(give_run(r, 1, 1, 'T', marks), SB_OK); /* a late copy of the peer */
    EXPECT_NO_EVENT(r);
    CHECK_EQ(give_run(r, 4, 1, 'U', marks), SB_OK);
    expect_run(r, 1, 'U');
}

TEST(early_forgeries_of_a_datagram_go_together)
{
    uint16_t     marks[SB_MARKS_COUNT];
    sb_peer_info info;
    rig         *r = rig_host_with_history();
    CHECK_EQ(give_run(r, 5, 4, 'F', NULL), SB_OK); /* stored */
    CHECK(rig_info(r, PEER, &info));
    CHECK_EQ(info.stored, 4);
    CHECK_EQ(give_run(r, 6, 1, 'T', NULL), SB_OK);
    rig_read_marks(r, rig_endpoint(1), marks);
    CHECK_EQ(give_run(r, 6, 1, 'T', marks), SB_OK);
    CHECK(rig_info(r, PEER, &info));
    CHECK_EQ(info.stored, 1); /* the peer's own */
}

/* Between them came a message of the peer, in a datagram of its own, which it repeats. */
TEST(a_copy_of_a_delivered_message_frees_what_waits_behind_it)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = rig_host_with_history();
    CHECK_EQ(give_run(r, 1, 1, 'F', NULL), SB_OK); /* forged */
    CHECK_EQ(give_run(r, 2, 1, 'U', NULL), SB_OK);
    EXPECT_DATA(r, PEER, rig_byte('F'));
    EXPECT_DATA(r, PEER, rig_byte('U'));
    CHECK_EQ(give_run(r, 1, 1, 'T', NULL), SB_OK);
    rig_read_marks(r, rig_endpoint(1), marks);
    CHECK_EQ(give_run(r, 1, 1, 'T', marks), SB_OK);
    expect_run(r, 1, 'T');
    CHECK_EQ(give_run(r, 3, 1, 'V', marks), SB_OK); /* stored: nothing is in dispute any more */
    CHECK_EQ(give_run(r, 4, 1, 'V', marks), SB_OK);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNMARKED), 0);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(give_run(r, 2, 1, 'U', marks), SB_OK); /* it is not delivered twice */
    expect_run(r, 2, 'V');
}

/* One forged datagram has Data 3 and 5 in fragments, another one 1, 2, 4 and 6. When the second one
 * is taken back, 3 and 5 may still be the peer's; its own 3 shows that neither is. */
TEST(a_second_forged_datagram_is_taken_back_whole)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = rig_host_with_history();
    rig_pack p;
    rig_pack_init(&p, PEER);
    for (uint8_t i = 0; i < 4; i++)
        rig_pack_fragment(&p, (uint16_t)(3 + i / 2 * 2), i % 2, 2, rig_byte('F'));
    GIVE_PACK(r, rig_endpoint(1), &p);
    rig_pack_init(&p, PEER);
    for (uint16_t seq = 1; seq <= 6; seq++)
        if (seq != 3 && seq != 5) rig_pack_data(&p, seq, rig_byte('G'));
    GIVE_PACK(r, rig_endpoint(1), &p);
    while (rig_next_event(r)) continue; /* six forged messages count */
    CHECK_EQ(give_run(r, 1, 1, 'T', NULL), SB_OK);
    rig_read_marks(r, rig_endpoint(1), marks);
    CHECK_EQ(give_run(r, 1, 6, 'T', marks), SB_OK);
    expect_run(r, 6, 'T');
}

/* Acks of forgeries have reached the peer: it does not repeat 1 and 2. Its 1 came when it showed
 * the forgery, and counts when 3 waits for it and it does not come again for 8 s. */
TEST(a_missing_message_is_given_up_after_ten_seconds)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = host_after_theft(marks);
    CHECK_EQ(give_run(r, 3, 1, 'V', marks), SB_OK);
    for (int i = 0; i < 9; i++) {
        rig_wait(r, SB_SECOND);
        rig_renew_marks(r, rig_endpoint(1), marks);
        CHECK_EQ(give_run(r, 3, 1, 'V', marks), SB_OK);
        if (i == 7) EXPECT_DATA(r, PEER, rig_byte('T'));
        EXPECT_NO_EVENT(r);
    }
    rig_wait(r, 2 * SB_SECOND);
    rig_renew_marks(r, rig_endpoint(1), marks);
    CHECK_EQ(give_run(r, 3, 1, 'V', marks), SB_OK);
    expect_run(r, 1, 'V');
    CHECK_EQ(give_run(r, 4, 1, 'W', marks), SB_OK);
    expect_run(r, 1, 'W');
}

/* Until a later message of the peer shows that it was missing: it may be one more forgery. */
TEST(a_message_that_crossed_an_ack_waits_for_later_ones)
{
    uint16_t marks[SB_MARKS_COUNT];
    for (int missing = 0; missing < 2; missing++) {
        rig *r = host_after_theft(marks);
        if (!missing) CHECK_EQ(give_run(r, 1, 1, 'U', marks), SB_OK); /* the peer's own */
        if (!missing) expect_run(r, 1, 'U');
        for (int i = 0; i < 9; i++) {
            rig_wait(r, SB_SECOND);
            rig_renew_marks(r, rig_endpoint(1), marks);
            EXPECT_NO_EVENT(r);
        }
        for (int i = 0; i < 2; i++) CHECK_EQ(give_run(r, 2, 1, 'V', marks), SB_OK);
        if (missing) EXPECT_DATA(r, PEER, rig_byte('T'));
        expect_run(r, 1, 'V');
    }
}

TEST(a_message_that_the_peer_repeats_comes_once)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = host_after_theft(marks);
    CHECK_EQ(give_run(r, 2, 1, 'V', marks), SB_OK);
    rig_wait(r, SB_SECOND);
    rig_renew_marks(r, rig_endpoint(1), marks);
    CHECK_EQ(give_run(r, 1, 1, 'T', marks), SB_OK);
    EXPECT_DATA(r, PEER, rig_byte('T'));
    expect_run(r, 1, 'V');
    for (int i = 0; i < 9; i++) {
        rig_wait(r, SB_SECOND);
        rig_renew_marks(r, rig_endpoint(1), marks);
    }
    CHECK_EQ(give_run(r, 3, 1, 'W', marks), SB_OK);
    expect_run(r, 1, 'W');
    EXPECT_NO_EVENT(r);
}

/* The peer has the Ack of the fragment, and will not repeat it. */
TEST(a_fragment_does_not_give_way_to_one_that_crossed_an_ack)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = host_after_theft(marks);
    rig_pack p;
    CHECK_EQ(give_run(r, 3, 1, 'V', marks), SB_OK);
    for (int i = 0; i < 2; i++) {
        rig_pack_init_marked(&p, PEER, marks);
        rig_pack_fragment(&p, 1, (uint8_t)i, 2, rig_byte((char)('a' + i)));
        GIVE_PACK(r, rig_endpoint(1), &p);
        for (int k = 0; i == 0 && k < 9; k++) {
            rig_wait(r, SB_SECOND);
            rig_renew_marks(r, rig_endpoint(1), marks);
            CHECK_EQ(give_run(r, 3, 1, 'V', marks), SB_OK);
        }
        if (i == 0) EXPECT_NO_EVENT(r);
    }
    EXPECT_DATA(r, PEER, ((sb_span){ (const uint8_t *)"ab", 2 }));
}

/* Nothing of the peer waits: the next message may come at any time. */
TEST(a_peer_that_says_nothing_loses_nothing)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = host_after_theft(marks);
    CHECK_EQ(give_run(r, 1, 1, 'T', marks), SB_OK);
    expect_run(r, 1, 'T');
    for (int i = 0; i < 14; i++) {
        rig_wait(r, SB_SECOND);
        GIVE(r, rig_endpoint(1), "02 01 02");
    }
    CHECK_EQ(give_run(r, 2, 1, 'U', marks), SB_OK);
    expect_run(r, 1, 'U');
}

/* The peer's next number is behind all records. */
/* Data 1 to 600 have come: more than there are records. */
static rig *host_far_ahead(char text)
{
    rig *r = rig_host_with_history();
    for (uint16_t seq = 1; seq < 601; seq = (uint16_t)(seq + 20)) {
        CHECK_EQ(give_run(r, seq, 20, text, NULL), SB_OK);
        expect_run(r, 20, text);
        rig_wait(r, SB_SECOND); /* so slowly that the numbers alone are no evidence */
    }
    return r;
}

TEST(a_sweep_that_ran_far_ahead_is_taken_back)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = host_far_ahead('F');
    rig_wait(r, SB_SECOND);
    rig_forget(r);
    CHECK_EQ(give_run(r, 1, 1, 'T', NULL), SB_OK);
    EXPECT_NO_EVENT(r);
    rig_step(r);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNCONFIRMED), 1);
    rig_wait(r, SB_SECOND / 10);
    rig_read_marks(r, rig_endpoint(1), marks);
    for (int copy = 1; copy < 3; copy++) {
        EXPECT_NO_EVENT(r);
        rig_wait(r, SB_SECOND);
        CHECK_EQ(rig_count_acks(r), 0); /* with an Ack it would not come again */
        CHECK_EQ(give_run(r, 1, 3, 'T', marks), SB_OK);
    }
    expect_run(r, 3, 'T');
    rig_step(r);
    CHECK_EQ(rig_count_acks(r), 3);
}

TEST(datagrams_that_the_network_held_back_change_nothing)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = host_far_ahead('T');
    CHECK_EQ(give_run(r, 1, 3, 'T', NULL), SB_OK);
    rig_wait(r, SB_SECOND / 10);
    rig_read_marks(r, rig_endpoint(1), marks);
    for (int copy = 0; copy < 2; copy++) {
        CHECK_EQ(give_run(r, 1, 3, 'T', marks), SB_OK);
        EXPECT_NO_EVENT(r);
        rig_wait(r, SB_SECOND);
    }
    CHECK_EQ(give_run(r, 601, 1, 'U', marks), SB_OK);
    expect_run(r, 1, 'U');
}

TEST(evidence_cancels_acks_that_were_to_be_repeated)
{
    rig *r = rig_host_with_history();
    CHECK_EQ(give_run(r, 1, 3, 'F', NULL), SB_OK);
    expect_run(r, 3, 'F');
    rig_step(r);
    CHECK_EQ(rig_count_acks(r), 3);
    CHECK_EQ(give_run(r, 1, 1, 'T', NULL), SB_OK);
    CHECK_EQ(rig_send(r, PEER, SB_UNRELIABLE, rig_pattern(1, 0)), SB_OK);
    rig_step(r);
    CHECK_EQ(rig_count_acks(r), 0); /* an Ack of Data 1 would be taken for that of the peer's own */
}
