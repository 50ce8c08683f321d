/* tests/transport/guard_alone_test.c -- copies of messages that anybody could have sent.
 *
 * For:      src/transport/guard.c without a session; guard_test.c has whole hosts.
 * Spec:     01 §10.8 rule 8.
 */
#include "marks_rig.h"
#include "transport/guard.h"

/* ---- Which copies are of one message --------------------------------------- */

enum { TICK = 1 << 16 }; /* the guard's unit of time */

static sb_transport_message data(uint16_t seq, sb_span payload)
{
    return (sb_transport_message){
        .type = SB_TRANSPORT_DATA, .reliable = true, .seq = seq, .payload = payload
    };
}

static sb_guard *new_guard(void)
{
    static sb_guard g;
    sb_guard_init(&g, 0x0123456789ABCDEF);
    return &g;
}

/* Copies of this message are kept in the same set as those of number 0. */
static sb_transport_message neighbour(unsigned number)
{
    return data((uint16_t)(SB_GUARD_WHOLE_SETS * number), rig_pattern(5, number));
}

/* Gives a copy; true: it is the third or a later one, or one of those that keep coming. */
static bool counts(sb_guard *g, sb_time now, const sb_transport_message *m)
{
    sb_copy_kind kind = sb_guard_take_copy(g, now, m);
    return kind == SB_COPY_THIRD || kind == SB_COPY_LASTING;
}

/* Gives `count` copies, a second apart from `now` on; true: the last one is a third copy. */
static bool take_copies(sb_guard *g, sb_time now, const sb_transport_message *m, unsigned count)
{
    bool third = false;
    for (unsigned i = 0; i < count; i++) third = counts(g, now + i * SB_SECOND, m);
    return third;
}

/* Do two copies of the one message and one of the other make three? */
static bool is_taken_for(const sb_transport_message *m, const sb_transport_message *other)
{
    sb_guard *g = new_guard();
    CHECK(!take_copies(g, RIG_START, m, 2));
    return take_copies(g, RIG_START + 2 * SB_SECOND, other, 1);
}

/* Numbers and indices whose copies are kept in the same set. */
TEST(copies_of_other_messages_do_not_count)
{
    sb_transport_message whole = data(0, rig_pattern(3, 1)), name = whole, part = whole;
    CHECK(is_taken_for(&whole, &whole));
    for (uint16_t seq = 12; seq != 0; seq = (uint16_t)(seq << 1)) {
        sb_transport_message other = data(seq, whole.payload);
        CHECK(!is_taken_for(&whole, &other));
    }
    name.type = SB_TRANSPORT_NAME;
    sb_transport_message other = name;
    other.type = SB_TRANSPORT_DISCONNECT;
    CHECK(!is_taken_for(&name, &other));
    part.fragment = true, part.frag_total = 3;
    CHECK(is_taken_for(&part, &part));
    CHECK(!is_taken_for(&whole, &part));
    other = part, other.frag_total = 4;
    CHECK(!is_taken_for(&part, &other));
    other = part, other.frag_index = 12;
    CHECK(!is_taken_for(&part, &other));
    part = other, other.frag_index = 24;
    CHECK(!is_taken_for(&part, &other));
    other = part, other.frag_total = 9; /* only the first fragment has a total */
    CHECK(is_taken_for(&part, &other));
}

TEST(copies_with_another_byte_anywhere_do_not_count)
{
    uint8_t bytes[2][400] = { { 0 } };
    for (size_t i = 0; i < sizeof *bytes; i++) {
        sb_transport_message m = data(7, (sb_span){ bytes[0], sizeof *bytes }), other = m;
        other.payload.data = bytes[1];
        bytes[1][i] = 1;
        CHECK(!is_taken_for(&m, &other));
        bytes[1][i] = 0;
        other.payload.size--;
        CHECK(!is_taken_for(&m, &other));
    }
}

/* A timeout has 1 to 5 s, of simple programs perhaps less; a copy of the network comes at once. */
TEST(copies_count_half_a_second_to_ten_seconds_after_the_last_one)
{
    static const struct {
        sb_time after;
        bool    counts;
    } cases[] = {
        { 0, false },        { 3 * TICK, false },  { 6 * TICK, false },   { 7 * TICK, true },
        { SB_SECOND, true }, { 152 * TICK, true }, { 153 * TICK, false }, { 15 * SB_SECOND, false },
    };
    sb_transport_message m = data(3, rig_pattern(5, 1));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_guard *g = new_guard();
        CHECK(!take_copies(g, RIG_START / TICK * TICK, &m, 2));
        sb_time last = RIG_START / TICK * TICK + SB_SECOND;
        CHECK_EQ(counts(g, last / TICK * TICK + cases[i].after, &m), cases[i].counts);
    }
}

/* The clock of the copies wraps after 16.8 s. */
TEST(a_copy_of_long_ago_is_forgotten)
{
    sb_transport_message m = data(3, rig_pattern(5, 1)), other = data(4, rig_pattern(5, 2));
    for (unsigned busy = 0; busy < 2; busy++)
        for (sb_time pause = 11; pause < 60; pause++) {
            sb_guard *g = new_guard();
            (void)sb_guard_take_copy(g, RIG_START, &m);
            for (sb_time at = 1; busy && at < pause; at++)
                (void)sb_guard_take_copy(g, RIG_START + at * SB_SECOND, &other);
            CHECK_EQ(sb_guard_take_copy(g, RIG_START + pause * SB_SECOND, &m), SB_COPY_FIRST);
        }
}

/* Otherwise it would be delivered again. */
TEST(a_delivered_message_is_known_for_as_long_as_it_comes)
{
    sb_transport_message m = data(3, rig_pattern(5, 1)), other = data(4, rig_pattern(5, 2));
    for (unsigned times = 1; times < 15; times++) {
        sb_guard *g = new_guard();
        sb_time   now = RIG_START;
        (void)sb_guard_take_copy(g, now, &m);
        sb_guard_note_delivered(g, now, &m);
        for (unsigned i = 0; i < times; i++)
            CHECK(sb_guard_refresh_delivered(g, now += 3 * SB_SECOND, &m));
        CHECK_EQ(sb_guard_take_copy(g, now + SB_SECOND, &other), SB_COPY_FIRST);
        CHECK_EQ(sb_guard_take_copy(g, now + 3 * SB_SECOND, &m), SB_COPY_DELIVERED);
    }
}

/* No sender repeats a message so fast: the copies that came before do not count any more. */
TEST(a_hasty_copy_begins_the_count_anew)
{
    static const struct {
        sb_time after;
        bool    anew;
    } cases[] = {
        { 3 * TICK, false }, { 4 * TICK, true }, { 6 * TICK, true }, { 7 * TICK, false }
    };
    sb_transport_message m = data(3, rig_pattern(5, 1));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_guard *g = new_guard();
        sb_time   last = RIG_START / TICK * TICK + TICK;
        CHECK(!counts(g, last, &m));
        CHECK(!counts(g, last + 16 * TICK, &m));
        (void)sb_guard_take_copy(g, last + 16 * TICK + cases[i].after, &m);
        CHECK_EQ(counts(g, last + 32 * TICK, &m), !cases[i].anew);
        CHECK(counts(g, last + 48 * TICK, &m));
    }
}

/* Gives a copy of `count` messages every 0.3 s and returns when the first one counts. */
static sb_time give_hastily(sb_guard *g, sb_time now, unsigned count, unsigned rounds,
                            unsigned *counted)
{
    sb_time first = 0;
    for (unsigned i = 0; i < rounds; i++, now += 300 * RIG_MILLISECOND)
        for (unsigned k = 0; k < count; k++) {
            sb_transport_message m = data((uint16_t)k, rig_pattern(5, k));
            if (!counts(g, now, &m)) continue;
            if ((*counted)++ == 0) first = now;
        }
    return first;
}

/* Somebody may repeat the very message of the peer, so it must count at last. */
TEST(a_message_that_comes_hastily_counts_after_eight_seconds)
{
    unsigned counted = 0;
    sb_time  start = RIG_START / TICK * TICK;
    sb_time  at = give_hastily(new_guard(), start, 1, 28, &counted);
    CHECK_EQ(counted, 0);
    at = give_hastily(new_guard(), start, 1, 29, &counted);
    CHECK_EQ(at - start, 8400 * RIG_MILLISECOND);
    CHECK_EQ(counted, 1);
}

/* Otherwise a sweep through all numbers would use up many at once. */
TEST(of_the_messages_that_come_hastily_one_counts_in_four_seconds)
{
    unsigned  counted = 0;
    sb_guard *g = new_guard();
    sb_time   start = RIG_START / TICK * TICK;
    sb_time   first = give_hastily(g, start, 20, 29, &counted);
    CHECK_EQ(counted, 1);
    sb_transport_message m = data(1, rig_pattern(5, 1));
    for (sb_time at = 300; at < 4000; at += 300)
        CHECK(!counts(g, first + at * RIG_MILLISECOND, &m));
    CHECK(counts(g, first + 4200 * RIG_MILLISECOND, &m));
}

/* The same for one whose copies went on after an Ack, at any pace. */
TEST(a_message_that_seems_forged_counts_after_eight_seconds)
{
    sb_guard            *g = new_guard();
    sb_time              start = RIG_START / TICK * TICK;
    sb_transport_message m = data(1, rig_pattern(5, 1));
    (void)sb_guard_take_copy(g, start, &m);
    sb_guard_note_forged(g, start, &m);
    for (int i = 1; i < 10; i++)
        CHECK_EQ(sb_guard_take_copy(g, start + i * SB_SECOND, &m),
                 i < 9 ? SB_COPY_FORGED : SB_COPY_LASTING);
}

/* No sender repeats a message so fast, unless the network does. */
TEST(a_hasty_copy_of_a_kept_message_shows_that_it_is_forged)
{
    sb_guard            *g = new_guard();
    sb_time              start = RIG_START / TICK * TICK;
    sb_transport_message m = data(1, rig_pattern(5, 1));
    (void)sb_guard_take_copy(g, start, &m);
    sb_guard_note_kept(g, start, &m, true);
    CHECK_EQ(sb_guard_take_copy(g, start + 3 * TICK, &m), SB_COPY_IGNORED);
    CHECK_EQ(sb_guard_take_copy(g, start + 7 * TICK, &m), SB_COPY_KEPT);
    CHECK_EQ(sb_guard_take_copy(g, start + 13 * TICK, &m), SB_COPY_FORGED);
    CHECK_EQ(sb_guard_take_copy(g, start + 30 * TICK, &m), SB_COPY_FORGED);
}

TEST(a_message_is_alone_if_no_other_one_waits_for_its_ack)
{
    sb_guard            *g = new_guard();
    sb_transport_message m = neighbour(0), other = neighbour(1);
    CHECK(sb_guard_is_alone(g, RIG_START, &m));
    (void)sb_guard_take_copy(g, RIG_START, &m);
    CHECK(sb_guard_is_alone(g, RIG_START, &m));
    (void)sb_guard_take_copy(g, RIG_START, &other); /* came once: its sender repeats it after 1 s */
    CHECK(!sb_guard_is_alone(g, RIG_START + 3 * SB_SECOND / 2, &m));
    CHECK(sb_guard_is_alone(g, RIG_START + 7 * SB_SECOND / 4, &m));
    (void)sb_guard_take_copy(g, RIG_START + 2 * SB_SECOND, &other); /* twice: after 5 s */
    CHECK(!sb_guard_is_alone(g, RIG_START + 7 * SB_SECOND, &m));
    CHECK(sb_guard_is_alone(g, RIG_START + 8 * SB_SECOND, &m));
    (void)sb_guard_take_copy(g, RIG_START + 8 * SB_SECOND, &other);
    sb_guard_note_kept(g, RIG_START + 8 * SB_SECOND, &other, true);
    CHECK(sb_guard_is_alone(g, RIG_START + 8 * SB_SECOND, &m));
    CHECK_EQ(sb_guard_take_copy(g, RIG_START + 9 * SB_SECOND, &other), SB_COPY_KEPT);
    sb_guard_note_kept(g, RIG_START + 9 * SB_SECOND, &other, false);
    CHECK(!sb_guard_is_alone(g, RIG_START + 9 * SB_SECOND, &m));
    sb_guard_note_delivered(g, RIG_START + 9 * SB_SECOND, &other);
    CHECK(sb_guard_is_alone(g, RIG_START + 9 * SB_SECOND, &m));
}

/* The sender of what was forgotten would take an Ack for its own. */
TEST(no_message_is_alone_after_another_one_was_forgotten)
{
    sb_guard            *g = new_guard();
    sb_transport_message m = data(1, rig_pattern(5, 1));
    for (unsigned i = 0; i <= SB_GUARD_WAYS; i++) {
        sb_transport_message other = neighbour(i);
        (void)sb_guard_take_copy(g, RIG_START, &other);
        CHECK_EQ(sb_guard_is_alone(g, RIG_START, &m), i < SB_GUARD_WAYS);
    }
    CHECK(!sb_guard_is_alone(g, RIG_START + 11 * SB_SECOND / 2 - 1, &m));
    CHECK(sb_guard_is_alone(g, RIG_START + 11 * SB_SECOND / 2, &m));
}

/* A sweep through old numbers must not push out the copies of those that are due. */
TEST(old_numbers_have_places_of_their_own)
{
    sb_guard *g = new_guard();
    g->next = 1000;
    for (uint16_t i = 0; i < SB_GUARD_WAYS; i++) {
        sb_transport_message m = data((uint16_t)(512 + 64 * i), rig_pattern(5, i));
        CHECK(!counts(g, RIG_START, &m));
    }
    for (uint16_t seq = 0; seq < 499; seq++) {
        sb_transport_message m = data(seq, rig_pattern(5, 77));
        CHECK(!counts(g, RIG_START, &m));
    }
    for (uint16_t i = 0; i < SB_GUARD_WAYS; i++) {
        sb_transport_message m = data((uint16_t)(512 + 64 * i), rig_pattern(5, i));
        CHECK(take_copies(g, RIG_START + SB_SECOND, &m, 2));
    }
}

TEST(every_copy_after_the_third_counts)
{
    sb_guard            *g = new_guard();
    sb_transport_message m = data(3, rig_pattern(5, 1));
    for (unsigned i = 1; i <= 9; i++) CHECK_EQ(counts(g, RIG_START + i * SB_SECOND, &m), i >= 3);
}

/* Otherwise a forger could push out what is still needed. */
static void check_useless(unsigned useless, uint32_t turn)
{
    sb_guard            *g = new_guard();
    sb_transport_message m = neighbour(useless);
    g->turn = (uint16_t)turn;
    CHECK(!counts(g, RIG_START - 9 * SB_SECOND, &m));
    for (unsigned i = 0; i < 2 * SB_GUARD_WAYS; i++) { /* two copies of each */
        m = neighbour(i % SB_GUARD_WAYS);
        sb_time at = i < SB_GUARD_WAYS ? RIG_START : RIG_START + SB_SECOND;
        if (i % SB_GUARD_WAYS != useless) (void)sb_guard_take_copy(g, at, &m);
    }
    m = neighbour(99);
    CHECK(!counts(g, RIG_START + 3 * SB_SECOND, &m));
    for (unsigned i = 0; i < SB_GUARD_WAYS; i++) {
        m = neighbour(i);
        if (i != useless) CHECK(take_copies(g, RIG_START + 4 * SB_SECOND, &m, 1));
    }
}

TEST(a_copy_takes_the_place_of_one_that_is_of_no_use)
{
    for (unsigned useless = 0; useless < SB_GUARD_WAYS; useless++)
        for (uint32_t turn = 0; turn < 8; turn++) check_useless(useless, turn);
}

/* The digests do not depend on the content alone: nobody can construct equal ones. */
TEST(the_digests_of_guards_differ)
{
    sb_transport_message m = data(7, rig_pattern(9, 1));
    sb_guard            *g = new_guard(), other;
    sb_guard_init(&other, 2);
    (void)sb_guard_take_copy(g, RIG_START, &m);
    (void)sb_guard_take_copy(&other, RIG_START, &m);
    CHECK(g->copies[7][0].digest != other.copies[7][0].digest);
}

TEST(a_new_guard_has_places_for_four_of_a_set_at_any_time)
{
    for (unsigned tick = 0; tick < 256; tick += 5) {
        sb_guard *g = new_guard();
        for (unsigned i = 0; i < 3 * SB_GUARD_WAYS; i++) {
            sb_transport_message m = neighbour(i % SB_GUARD_WAYS);
            sb_time              at = (sb_time)tick * TICK + i / SB_GUARD_WAYS * SB_SECOND;
            CHECK_EQ(counts(g, at, &m), i / SB_GUARD_WAYS == 2);
        }
    }
}

/* One of the others loses its place, and nothing else does. */
TEST(a_full_set_has_a_place_for_one_more_and_takes_none_of_others)
{
    for (uint16_t set = 0; set < SB_GUARD_WHOLE_SETS; set++)
        for (unsigned turn = 0; turn < 8; turn++) {
            sb_guard *g = new_guard();
            g->turn = (uint16_t)turn;
            for (unsigned i = 0; i < SB_GUARD_WAYS; i++) {
                sb_transport_message m = neighbour(i);
                m.seq = (uint16_t)(m.seq + set);
                CHECK(!counts(g, RIG_START, &m));
            }
            sb_guard             before = *g;
            sb_transport_message m =
                data((uint16_t)(40 * SB_GUARD_WHOLE_SETS + set), rig_pattern(9, 9));
            CHECK(take_copies(g, RIG_START + SB_SECOND, &m, 3));
            for (uint16_t i = 0; i < SB_GUARD_SETS; i++)
                if (i != set)
                    CHECK_BYTES((const uint8_t *)g->copies[i], sizeof g->copies[i],
                                (const uint8_t *)before.copies[i], sizeof g->copies[i]);
        }
}

/* The sets are full of guesses: a true copy has to survive the next guess. */
TEST(a_guess_seldom_replaces_the_copy_before_it)
{
    sb_guard *g = new_guard();
    unsigned  survived = 0;
    for (unsigned i = 0; i < SB_GUARD_WAYS; i++) {
        sb_transport_message guess = neighbour(1000 + i);
        (void)sb_guard_take_copy(g, RIG_START, &guess);
    }
    for (unsigned i = 0; i < 64; i++) {
        sb_transport_message m = neighbour(i), guess = neighbour(2000 + i);
        sb_time              now = RIG_START + i * 5;
        CHECK(!counts(g, now, &m));
        CHECK(!counts(g, now, &guess));
        sb_guard copy = *g;
        survived += take_copies(&copy, now + SB_SECOND, &m, 2);
    }
    CHECK(survived >= 32);
}

TEST(control_messages_and_data_with_one_number_have_other_places)
{
    sb_guard *g = new_guard();
    for (unsigned i = 0; i < 2 * SB_GUARD_WAYS; i++) {
        sb_transport_message m = neighbour(i / 2);
        if (i % 2) m.type = SB_TRANSPORT_NAME;
        CHECK(!counts(g, RIG_START, &m));
    }
    for (unsigned i = 0; i < 2 * SB_GUARD_WAYS; i++) {
        sb_transport_message m = neighbour(i / 2);
        if (i % 2) m.type = SB_TRANSPORT_NAME;
        CHECK(take_copies(g, RIG_START + SB_SECOND, &m, 2));
    }
}

TEST(fragments_of_a_message_have_other_places)
{
    sb_guard            *g = new_guard();
    sb_transport_message m = data(5, rig_pattern(5, 1));
    m.fragment = true;
    for (int round = 0; round < 3; round++)
        for (uint8_t i = 0; i < 48; i++) {
            m.frag_index = i, m.frag_total = 48;
            CHECK_EQ(counts(g, RIG_START + round * SB_SECOND, &m), round == 2);
        }
}

/* ---- Evidence and admission ------------------------------------------------- */

/* Numbers that nobody uses are for marks: two messages with one number are the only evidence. */
TEST(no_number_alone_is_evidence)
{
    static const int aheads[] = { 0, 1, 2048, 2049, 16000, -1, -2048, -2049, -16000 };
    for (size_t i = 0; i < sizeof aheads / sizeof *aheads; i++) {
        sb_guard            *g = new_guard();
        sb_transport_message m = data(0, rig_pattern(1, 1));
        CHECK_EQ(sb_guard_admit(g, RIG_START, &m, aheads[i], false), SB_ADMITTED);
        CHECK(!sb_guard_is_attacked(g, RIG_START));
    }
}

TEST(evidence_lasts_half_a_minute_from_its_last_sign)
{
    sb_guard *g = new_guard();
    sb_guard_suspect(g, RIG_START);
    CHECK(sb_guard_is_attacked(g, RIG_START + 30 * SB_SECOND - 1));
    CHECK(!sb_guard_is_attacked(g, RIG_START + 30 * SB_SECOND));
    sb_guard_suspect(g, RIG_START + SB_SECOND);
    CHECK(sb_guard_is_attacked(g, RIG_START + 31 * SB_SECOND - 1));
    CHECK(!sb_guard_is_attacked(g, RIG_START + 31 * SB_SECOND));
}

TEST(a_new_guard_sees_no_attack_at_any_time)
{
    CHECK(!sb_guard_is_attacked(new_guard(), -100 * SB_SECOND));
    CHECK(!sb_guard_is_attacked(new_guard(), 0));
    sb_transport_message m = data(0, rig_pattern(1, 1));
    CHECK_EQ(sb_guard_judge(new_guard(), RIG_START, &m, 0, false), SB_ADMITTED);
}

/* Numbers beyond 2048 are refused anyway (spec 01 §6.3). */
TEST(during_an_attack_numbers_32_to_2048_ahead_wait)
{
    sb_transport_message m = data(0, rig_pattern(1, 1));
    sb_guard            *g = new_guard();
    sb_guard_suspect(g, RIG_START);
    CHECK_EQ(sb_guard_admit(g, RIG_START, &m, 2048, false), SB_WAITS);
    CHECK_EQ(sb_guard_admit(g, RIG_START, &m, 2049, false), SB_ADMITTED);
}

TEST(during_an_attack_copies_decide_up_to_31_ahead)
{
    for (int ahead = 0; ahead <= 32; ahead++) {
        sb_guard            *g = new_guard();
        sb_transport_message m = data((uint16_t)ahead, rig_pattern(1, 1));
        sb_guard_suspect(g, RIG_START);
        CHECK_EQ(sb_guard_admit(g, RIG_START, &m, ahead, false),
                 ahead < 32 ? SB_CONTESTED : SB_WAITS);
    }
}

TEST(copies_decide_about_a_rival_until_it_was_delivered)
{
    sb_guard            *g = new_guard();
    sb_transport_message m = data(3, rig_pattern(1, 1));
    for (unsigned copy = 1; copy <= 3; copy++) {
        CHECK_EQ(sb_guard_admit(g, RIG_START + copy * SB_SECOND, &m, -1, true), SB_CONTESTED);
        (void)sb_guard_take_copy(g, RIG_START + copy * SB_SECOND, &m);
        CHECK(sb_guard_is_attacked(g, RIG_START + (30 + copy) * SB_SECOND - 1));
    }
    sb_guard_note_delivered(g, RIG_START + 3 * SB_SECOND, &m);
    CHECK_EQ(sb_guard_admit(g, RIG_START + 4 * SB_SECOND, &m, -1, true), SB_ADMITTED);
    CHECK(!sb_guard_is_attacked(g, RIG_START + 33 * SB_SECOND)); /* a duplicate is no evidence */
    CHECK_EQ(sb_guard_admit(g, RIG_START, &m, -1, false), SB_ADMITTED);
}

/* A fragment alone cannot be delivered. */
TEST(a_fragment_whose_number_is_used_up_waits)
{
    sb_guard            *g = new_guard();
    sb_transport_message m = data(3, rig_pattern(1, 1));
    m.fragment = true;
    CHECK_EQ(sb_guard_admit(g, RIG_START, &m, -1, true), SB_WAITS);
}
