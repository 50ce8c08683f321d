/* tests/transport/link_trust_signs_test.c -- messages of the peer, Acks of copies, conflicts.
 *
 * For:      src/transport/link_trust.c without a host; link_trust_alone_test.c has copies.
 * Spec:     01 §10.8.
 */
#include "link_rig.h"

static sb_transport_message text(uint16_t seq, char byte)
{
    return inbox_data(seq, rig_byte(byte));
}

static unsigned kept(const link_rig *r)
{
    return r->link.inbox.candidate_count;
}

/* ---- Messages of the peer ----------------------------------------------------------------------
 */

TEST(a_message_of_the_peer_is_kept_no_longer)
{
    link_rig *r = link_open_attacked(0);
    CHECK_TEXT(link_repeat(r, text(0, 'T'), 2), "");
    CHECK_EQ(kept(r), 1);
    CHECK_TEXT(link_prove_text(r, 0, 'T'), "T");
    CHECK_EQ(kept(r), 0);
}

TEST(a_number_that_is_taken_back_is_evidence)
{
    link_rig *r = link_open(0);
    CHECK_TEXT(link_give_text(r, 0, 'F'), "F");
    CHECK(!sb_marks_is_on(&r->link.marks, r->now));
    CHECK_TEXT(link_prove_text(r, 0, 'T'), "T");
    CHECK(sb_marks_is_on(&r->link.marks, r->now));
    CHECK(link_is_attacked(r));
}

/* Fragments that are stored can be replaced. */
TEST(a_conflict_with_stored_fragments_begins_no_dispute)
{
    link_rig *r = link_open(0);
    rig_pack  p;
    CHECK_TEXT(link_give_one(r, inbox_fragment(0, 0, 2, rig_byte('A'))), "");
    rig_pack_init(&p, 2);
    rig_pack_data(&p, 0, rig_byte('F'));
    rig_pack_data(&p, 1, rig_byte('F'));
    CHECK_TEXT(link_give(r, &p, false), "refused");
    CHECK(!sb_marks_disputes(&r->link.marks, r->now));
    CHECK(link_is_attacked(r));
}

TEST(only_a_copy_of_data_ends_a_dispute)
{
    link_rig            *r = link_open(0);
    sb_transport_message name = inbox_control(0, rig_byte('N'));
    rig_pack             p;
    rig_pack_init(&p, 2);
    rig_pack_add(&p, &name);
    rig_pack_data(&p, 0, rig_byte('A'));
    CHECK_TEXT(link_give(r, &p, false), "NA");
    rig_pack_init(&p, 2);
    rig_pack_data(&p, 0, rig_byte('B'));
    rig_pack_data(&p, 1, rig_byte('B'));
    CHECK_TEXT(link_give(r, &p, false), "refused");
    CHECK(sb_marks_disputes(&r->link.marks, r->now));
    CHECK(sb_link_take_proven(&r->link, r->now, &name));
    CHECK(sb_marks_disputes(&r->link.marks, r->now));
    CHECK_TEXT(link_prove_text(r, 0, 'A'), "");
    CHECK(!sb_marks_disputes(&r->link.marks, r->now));
}

/* ---- Acks of copies (rule 2) -------------------------------------------------------------------
 */

/* After weak evidence, of a peer that answers marks. */
static link_rig *open_answering(void)
{
    link_rig *r = link_open(0);
    sb_link_notice_forger(&r->link, r->now);
    sb_marks_note_answer(&r->link.marks, r->now);
    return r;
}

TEST(a_copy_of_a_delivered_message_is_acknowledged_later)
{
    link_rig *r = open_answering();
    CHECK_TEXT(link_give_text(r, 0, 'T'), "T");
    CHECK_EQ(link_take_acks(r), 0);
    r->now += SB_SECOND / 10;
    CHECK_TEXT(link_give_text(r, 0, 'T'), "");
    CHECK_EQ(link_take_acks(r), 0);
    r->now += SB_SECOND;
    CHECK_TEXT(link_give_text(r, 0, 'T'), "");
    CHECK_EQ(link_take_acks(r), 1);
}

TEST(a_copy_gets_no_ack_if_other_messages_have_marks_beside_them)
{
    link_rig *r = open_answering();
    CHECK_TEXT(link_give_text(r, 0, 'T'), "T");
    r->link.marks.messages_at = r->now;
    r->now += SB_SECOND;
    CHECK_TEXT(link_give_text(r, 0, 'T'), "");
    CHECK_EQ(link_take_acks(r), 0);
}

/* A fragment of the next message is only stored: it may still be forged. */
TEST(a_copy_of_a_stored_fragment_gets_no_ack)
{
    link_rig *r = open_answering();
    for (int copy = 0; copy < 3; copy++) {
        CHECK_TEXT(link_repeat(r, inbox_fragment(0, 0, 2, rig_byte('A')), 1), "");
        CHECK_EQ(r->link.inbox.stored, 1);
        CHECK_EQ(link_take_acks(r), 0);
    }
}

/* During an attack the guard has judged the message before; otherwise it gets to know it. */
TEST(a_message_that_counted_is_remembered_unless_it_was_contested)
{
    for (int attacked = 0; attacked < 2; attacked++) {
        link_rig            *r = attacked ? link_open_attacked(0) : link_open(0);
        sb_transport_message m = text(0, 'T');
        sb_link_note_accepted(&r->link, r->now, &m);
        CHECK_EQ(sb_guard_knows(&r->link.guard, r->now, &m), !attacked);
    }
}

/* ---- Signs -------------------------------------------------------------------------------------
 */

static bool has_only_repeats(link_rig *r, uint16_t seq, char byte)
{
    sb_datagram datagram;
    rig_pack    p;
    rig_pack_init(&p, 2);
    rig_pack_ack(&p, false, 0);
    rig_pack_data(&p, seq, rig_byte(byte));
    CHECK_EQ(sb_decode_datagram(rig_packed(&p), &datagram, NULL), SB_OK);
    return sb_link_has_only_repeats(&r->link, r->now, &datagram);
}

TEST(another_message_under_a_known_number_is_no_repeat)
{
    link_rig *r = link_open(0);
    CHECK_TEXT(link_give_text(r, 0, 'T'), "T");
    CHECK(has_only_repeats(r, 0, 'T'));
    CHECK(!has_only_repeats(r, 0, 'F'));
    CHECK(!has_only_repeats(r, 1, 'T'));
}

/* They have no numbers, and a farewell waits for silence. */
TEST(of_a_refused_datagram_only_reliable_messages_have_come_once)
{
    link_rig            *r = link_open(0);
    sb_transport_message farewell = { .type = SB_TRANSPORT_DISCONNECT, .reliable = true };
    farewell.payload = rig_pattern(5, 0);
    rig_pack p;
    CHECK_TEXT(link_give_text(r, 0, 'T'), "T");
    rig_pack_init(&p, 2);
    rig_pack_add(&p, &farewell);
    rig_pack_unreliable(&p, rig_byte('U'));
    rig_pack_data(&p, 0, rig_byte('F'));
    CHECK_TEXT(link_give(r, &p, false), "refused");
    sb_transport_message loose = text(0, 'U'), forged = text(0, 'F');
    CHECK(sb_guard_knows(&r->link.guard, r->now, &forged));
    CHECK(!sb_guard_knows(&r->link.guard, r->now, &loose));
    CHECK(!sb_guard_knows(&r->link.guard, r->now, &farewell));
}

/* ---- The budget of new numbers -----------------------------------------------------------------
 */

/* There is nothing to ask with. */
TEST(without_a_secret_numbers_are_not_limited)
{
    link_rig *r = link_open(0);
    r->link.marks.seed = r->link.inbox.record_seed = 0;
    for (uint16_t seq = 0; seq < 400; seq++) CHECK_TEXT(link_give_text(r, seq, 'T'), "T");
    CHECK(!link_is_attacked(r));
}
