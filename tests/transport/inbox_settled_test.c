/* tests/transport/inbox_settled_test.c -- numbers under which two messages were delivered.
 *
 * For:      src/transport/inbox_rivals.c.
 * Spec:     01 §10.8 rule 4.
 */
#include "inbox_rig.h"

static sb_transport_message settle(sb_inbox *in, uint16_t seq, char byte)
{
    sb_transport_message m = inbox_data(seq, rig_byte(byte));
    begin(in, false);
    CHECK(sb_inbox_lacks(in, &m));
    sb_inbox_settle(in, &m);
    return m;
}

/* A forger whose copies have the right number can be the second one, too. */
TEST(a_third_message_under_a_settled_number_is_lacking)
{
    sb_inbox            *in = inbox_open(NULL);
    sb_transport_message third = inbox_data(2, rig_byte('T'));
    deliver_run(in, 4, 'F', false);
    (void)settle(in, 2, 'G');
    CHECK(!conflicts(in, 2, 'F') && !conflicts(in, 2, 'G'));
    CHECK(sb_inbox_lacks(in, &third));
    take_back(in, 2);
    CHECK_EQ(expected(in), 2);
    CHECK_EQ(inbox_give(in, 2, 'T'), SB_VERDICT_DELIVER);
    CHECK_EQ(inbox_give(in, 3, 'F'), SB_VERDICT_DUPLICATE); /* of another datagram */
    CHECK_EQ(expected(in), 4);
    CHECK(!in->channels[SB_CHANNEL_DATA].rewind.on);
    in = inbox_open(NULL); /* the second one is forgotten no sooner than the first */
    deliver_run(in, 4, 'F', false);
    (void)settle(in, 2, 'G');
    (void)settle(in, 2, 'T');
    CHECK(!conflicts(in, 2, 'G') && !conflicts(in, 2, 'T'));
}

TEST(both_messages_of_a_settled_number_are_known)
{
    for (char first = 'a'; first <= 'z'; first++) {
        sb_inbox *in = inbox_open(NULL);
        deliver_run(in, 4, first, false);
        (void)settle(in, 2, 'A');
        CHECK(!conflicts(in, 2, first) && !conflicts(in, 2, 'A'));
        (void)settle(in, 1, 'B');
        (void)settle(in, 1, (char)(first - 'a' + 'C'));
        CHECK(!conflicts(in, 1, 'B') && !conflicts(in, 1, (char)(first - 'a' + 'C')));
    }
}

/* The other number may have the peer's own message. */
TEST(a_third_message_takes_back_one_settled_number)
{
    sb_inbox *in = inbox_open(NULL);
    deliver_run(in, 4, 'F', false);
    (void)settle(in, 1, 'G');
    (void)settle(in, 2, 'G');
    take_back(in, 2);
    CHECK_EQ(expected(in), 2);
}

/* The record of two whole messages says nothing about fragments. */
TEST(a_fragment_under_a_settled_number_is_no_conflict)
{
    sb_inbox            *in = inbox_open(NULL);
    sb_transport_message fragment = inbox_fragment(2, 0, 2, rig_byte('X'));
    deliver_run(in, 4, 'F', false);
    CHECK(sb_inbox_conflicts(in, &fragment));
    (void)settle(in, 2, 'G');
    CHECK(!sb_inbox_conflicts(in, &fragment));
}

TEST(a_settled_message_does_not_come_again_after_a_rewind)
{
    sb_inbox            *in = inbox_open(NULL);
    sb_transport_message own;
    deliver_run(in, 2, 'F', false);
    deliver_run(in, 2, 'E', false);
    own = settle(in, 3, 'T');
    take_back(in, 1);
    CHECK_EQ(expected(in), 0);
    CHECK_EQ(inbox_accept(in, own), SB_VERDICT_DUPLICATE);
    CHECK_EQ(inbox_give(in, 2, 'E'), SB_VERDICT_DUPLICATE);
    CHECK_EQ(inbox_give(in, 0, 'T'), SB_VERDICT_DELIVER);
    CHECK_EQ(inbox_give(in, 1, 'T'), SB_VERDICT_DELIVER);
    CHECK_EQ(expected(in), 4);
}

TEST(a_copy_of_the_peer_confirms_one_settled_number)
{
    sb_inbox            *in = inbox_open(NULL);
    sb_transport_message own;
    deliver_run(in, 4, 'F', false);
    own = settle(in, 1, 'T');
    (void)settle(in, 2, 'G');
    begin(in, true);
    sb_inbox_confirm(in, &own);
    CHECK(!conflicts(in, 1, 'T') && conflicts(in, 1, 'F'));
    take_back(in, 1);
    CHECK_EQ(expected(in), 4);
    take_back(in, 2);
    CHECK_EQ(expected(in), 2);
}

TEST(no_copies_take_the_place_of_what_the_peer_sent)
{
    sb_inbox            *in = inbox_open(NULL);
    sb_transport_message other = inbox_data(2, rig_byte('F'));
    deliver_run(in, 4, 'T', true);
    CHECK(sb_inbox_conflicts(in, &other) && !sb_inbox_lacks(in, &other));
}
