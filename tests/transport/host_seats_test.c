/* tests/transport/host_seats_test.c -- proof that a peer hears the host, and who gives way.
 *
 * For:      src/transport/host_seats.c. host_flood_test.c has the whole under attack.
 * Spec:     01 §5.4.
 */
#include "marks_rig.h"
#include "transport/host_internal.h"
#include "transport/newcomers.h"

#include <stdlib.h>
#include <string.h>

enum { SEATS = 4 };

/* When each peer gives way, by id. */
static sb_time way_at[128];

static sb_time gives_way_at(void *context, uint8_t peer_id)
{
    (void)context;
    return way_at[peer_id];
}

static rig *open_small_host(void)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.max_peers = SEATS;
    config.gives_way_at = gives_way_at;
    for (unsigned i = 0; i < 128; i++) way_at[i] = SB_TIME_NEVER;
    return rig_open_host(&config);
}

static sb_result answer(rig *r, sb_endpoint from, uint8_t id)
{
    uint8_t ack[] = { id, 1, 1, 0, 0, 2 };
    return rig_give(r, from, (sb_span){ ack, sizeof ack });
}

/* A full host whose peers 4 and 5 have shown that they hear it, and 2 and 3 have not. */
static rig *open_full_host(void)
{
    rig *r = open_small_host();
    (void)rig_join_blindly(r, rig_endpoint(1));
    (void)rig_join_blindly(r, rig_endpoint(2));
    CHECK_EQ(rig_join(r, rig_endpoint(3)), 4);
    CHECK_EQ(rig_join(r, rig_endpoint(4)), 5);
    CHECK_EQ(sb_transport_host_peer_count(r->host), SEATS);
    return r;
}

/* ---- The question (spec 01 §5.4) ---- */

static const rig_sent *question_to(rig *r, sb_endpoint to)
{
    rig_step(r);
    for (const rig_sent *sent = rig_next_sent_to(r, to); sent; sent = rig_next_sent_to(r, to))
        if (sent->size == 38) return sent;
    return NULL;
}

TEST(a_calm_host_asks_nobody)
{
    rig *r = rig_open_host(NULL); /* 16 seats */
    for (unsigned i = 1; i <= 6; i++) {
        (void)rig_join_blindly(r, rig_endpoint(i));
        rig_wait(r, SB_SECOND);
        for (unsigned k = 1; k <= i; k++) {
            r->sent_next = 0;
            CHECK(question_to(r, rig_endpoint(k)) == NULL);
        }
    }
}

TEST(the_question_is_six_old_messages_that_every_client_drops)
{
    rig *r = open_small_host();
    (void)rig_join_blindly(r, rig_endpoint(1));
    (void)rig_join_blindly(r, rig_endpoint(2));
    uint8_t id = rig_told_id(r, rig_endpoint(3));
    CHECK_EQ(answer(r, rig_endpoint(3), id), SB_NOT_ALLOWED);
    const rig_sent *question = question_to(r, rig_endpoint(3));
    CHECK(question != NULL);
    rig                 *client = rig_open_client(NULL);
    sb_transport_message m;
    rig_join_client(client, id);
    for (size_t i = 0; i < 6; i++) {
        CHECK(rig_message(question, i, &m));
        CHECK(m.type == SB_TRANSPORT_DATA && m.reliable && !m.fragment && m.payload.size == 1);
        CHECK_EQ((uint16_t)(0xF800 - m.seq) / 1600, i); /* old, but less than 0x4000 behind 0 */
    }
    CHECK_EQ(rig_message_count(question), 6);
    CHECK_EQ(rig_give(client, rig_server(), (sb_span){ question->plain, question->size }), SB_OK);
    EXPECT_NO_EVENT(client);
    rig_step(client);
    const rig_sent *acks = rig_next_sent(client);
    CHECK(acks != NULL);
    CHECK_EQ(rig_give(r, rig_endpoint(3), (sb_span){ acks->plain, acks->size }), SB_OK);
    EXPECT_JOINED(r, id);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_PROVEN), 1);
}

/* Numbers behind what the peer has received, whatever its count is. */
TEST(the_numbers_of_a_question_are_old_for_long_sessions_too)
{
    static const uint16_t starts[] = { 0, 0x07FF, 0x3000, 0x4001, 0x8000, 0xD000, 0xFFFF };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        rig *r = rig_open_host(NULL);
        (void)rig_join_blindly(r, rig_endpoint(1));
        sb_transport_host_set_numbers(r->host, 2, starts[i], 0);
        for (unsigned k = 2; k <= 7; k++) (void)rig_join_blindly(r, rig_endpoint(k));
        rig_step(r); /* one of eight seats without proof is left: the host asks */
        r->sent_next = 0;
        const rig_sent      *question = question_to(r, rig_endpoint(1));
        sb_transport_message m;
        CHECK(question != NULL);
        for (size_t k = 0; rig_message(question, k, &m); k++) {
            int behind = (uint16_t)(starts[i] - m.seq);
            CHECK_EQ((behind - 0x800) / 1600, k);
        }
        CHECK(rig_prove(r, rig_endpoint(1), 2));
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_PROVEN), 1);
    }
}

/* A host whose newcomer 3 got a question; `p` has the Acks that prove that. */
static rig *open_asking_host(uint8_t *id, rig_pack *p)
{
    rig *r = open_small_host();
    (void)rig_join_blindly(r, rig_endpoint(1));
    (void)rig_join_blindly(r, rig_endpoint(2));
    *id = rig_told_id(r, rig_endpoint(3));
    CHECK_EQ(answer(r, rig_endpoint(3), *id), SB_NOT_ALLOWED);
    CHECK(rig_pack_proof(r, rig_endpoint(3), *id, p));
    return r;
}

static uint16_t proof_number(const rig_pack *p, unsigned index)
{
    return (uint16_t)(p->bytes[3 + 4 * index] | p->bytes[4 + 4 * index] << 8);
}

/* Each of the six numbers, with one change that makes them worthless. */
TEST(a_proof_has_all_six_numbers)
{
    enum { NEAR, FAR, LOW_CHANNEL, OTHER_TYPE, CHANGES };
    for (unsigned i = 0; i < 6 * CHANGES; i++) {
        uint8_t  id, change = (uint8_t)(i % CHANGES);
        rig_pack p;
        rig     *r = open_asking_host(&id, &p);
        uint8_t *ack = p.bytes + 2 + 4 * (i / CHANGES);
        if (change == NEAR) ack[1] ^= 1;
        if (change == FAR) ack[2] ^= 0x80;
        if (change == LOW_CHANNEL) ack[3] = SB_ACK_LOW_CHANNEL;
        if (change == OTHER_TYPE) { /* a keepalive instead */
            memmove(ack + 1, ack + 4, sizeof p.bytes - (size_t)(ack + 4 - p.bytes));
            ack[0] = SB_TRANSPORT_NOOP;
            p.writer.size -= 3;
        }
        CHECK(rig_give(r, rig_endpoint(3), rig_packed(&p)) != SB_OK);
        EXPECT_NO_EVENT(r);
        CHECK(rig_prove(r, rig_endpoint(3), id)); /* and it does not spoil the right one */
    }
}

static sb_result give_ack(rig *r, uint8_t id, uint16_t seq)
{
    rig_pack p;
    rig_pack_init(&p, id);
    rig_pack_ack(&p, false, seq);
    return rig_give(r, rig_endpoint(3), rig_packed(&p));
}

/* Some clients send every Ack in a datagram of its own. */
TEST(acks_in_datagrams_of_their_own_prove_together)
{
    uint8_t  id;
    rig_pack p;
    rig     *r = open_asking_host(&id, &p);
    for (unsigned i = 0; i < 6; i++)
        CHECK_EQ(give_ack(r, id, proof_number(&p, i)), i < 5 ? SB_NOT_ALLOWED : SB_OK);
    EXPECT_JOINED(r, id);
}

TEST(acks_prove_together_in_any_order)
{
    for (unsigned last = 0; last < 6; last++) {
        uint8_t  id;
        rig_pack p, end;
        rig     *r = open_asking_host(&id, &p);
        for (unsigned i = 1; i < 6; i++)
            CHECK_EQ(give_ack(r, id, proof_number(&p, (last + i) % 6)), SB_NOT_ALLOWED);
        rig_pack_init(&end, id);
        rig_pack_ack(&end, false, proof_number(&p, last));
        rig_pack_ack(&end, false, (uint16_t)(proof_number(&p, last) + 1)); /* not read any more */
        GIVE_PACK(r, rig_endpoint(3), &end);
        EXPECT_JOINED(r, id);
    }
}

TEST(single_acks_count_for_three_seconds)
{
    for (unsigned seconds = 2; seconds < 4; seconds++) {
        uint8_t  id;
        rig_pack p;
        rig     *r = open_asking_host(&id, &p);
        rig_wait_until(r, (r->now / SB_SECOND + seconds) * SB_SECOND);
        for (unsigned i = 0; i < 6; i++) (void)!give_ack(r, id, proof_number(&p, i));
        if (seconds == 2) EXPECT_JOINED(r, id);
        EXPECT_NO_EVENT(r);
    }
}

/* Otherwise the numbers could be guessed one by one. */
TEST(a_wrong_ack_between_single_ones_takes_the_proof_away)
{
    for (unsigned wrong = 1; wrong < 6; wrong++) {
        uint8_t  id;
        rig_pack p;
        rig     *r = open_asking_host(&id, &p);
        for (unsigned i = 0; i < 6; i++) {
            if (i == wrong) (void)!give_ack(r, id, (uint16_t)(proof_number(&p, i) + 1));
            CHECK_EQ(give_ack(r, id, proof_number(&p, i)), SB_NOT_ALLOWED);
        }
        EXPECT_NO_EVENT(r);
    }
}

/* A forger can make the newcomer send them, or send them itself. */
TEST(other_acks_spoil_no_proof)
{
    uint8_t  id;
    rig_pack p, mixed;
    rig     *r = open_asking_host(&id, &p);
    for (unsigned k = 0; k < 20; k++) { /* guesses before it */
        rig_pack_init(&mixed, id);
        for (uint16_t i = 0; i < 100; i++) rig_pack_ack(&mixed, false, (uint16_t)(0xD300 + 91 * i));
        CHECK_EQ(rig_give(r, rig_endpoint(3), rig_packed(&mixed)), SB_NOT_ALLOWED);
    }
    rig_pack_init(&mixed, id);
    for (unsigned i = 6; i-- > 0;) { /* in any order, with others in front, between and behind */
        for (uint16_t k = 1; k < 20; k++)
            rig_pack_ack(&mixed, k % 2, (uint16_t)(proof_number(&p, i) + k));
        rig_pack_ack(&mixed, false, proof_number(&p, i));
    }
    rig_pack_ack(&mixed, false, 0xE777);
    GIVE_PACK(r, rig_endpoint(3), &mixed);
    EXPECT_JOINED(r, id);
}

/* Each second has other numbers, which every client acknowledges at once. */
TEST(the_numbers_of_the_last_three_seconds_count)
{
    for (unsigned seconds = 0; seconds < 5; seconds++) {
        uint8_t  id;
        rig_pack p, later;
        rig     *r = open_asking_host(&id, &p);
        sb_time  second = r->now / SB_SECOND;
        rig_wait_until(r, (second + 1) * SB_SECOND - 1);
        (void)!answer(r, rig_endpoint(3), id);
        CHECK(rig_pack_proof(r, rig_endpoint(3), id, &later));
        CHECK_BYTES(later.bytes, later.writer.size, p.bytes, p.writer.size);
        if (seconds > 0) rig_wait_until(r, (second + seconds) * SB_SECOND);
        CHECK_EQ(rig_give(r, rig_endpoint(3), rig_packed(&p)),
                 seconds < 3 ? SB_OK : SB_NOT_ALLOWED);
    }
}

TEST(numbers_of_an_old_question_prove_nothing)
{
    uint8_t  id;
    rig_pack p, later;
    rig     *r = open_asking_host(&id, &p);
    rig_wait(r, 3 * SB_SECOND);
    (void)!answer(r, rig_endpoint(3), id);
    CHECK(rig_pack_proof(r, rig_endpoint(3), id, &later));
    for (unsigned i = 0; i < 6; i++) CHECK(proof_number(&p, i) != proof_number(&later, i));
    memcpy(p.bytes + 2 + 4 * 5, later.bytes + 2 + 4 * 5, 4);
    CHECK_EQ(rig_give(r, rig_endpoint(3), rig_packed(&p)), SB_NOT_ALLOWED);
    GIVE_PACK(r, rig_endpoint(3), &later);
    EXPECT_JOINED(r, id);
}

/* A question has 38 bytes; somebody who forges its address must not multiply what they send. */
TEST(short_datagrams_get_two_questions_for_a_connect)
{
    rig *r = open_small_host();
    (void)rig_join_blindly(r, rig_endpoint(1));
    (void)rig_join_blindly(r, rig_endpoint(2));
    for (int connect = 0; connect < 2; connect++) {
        uint8_t id = rig_told_id(r, rig_endpoint(3));
        for (unsigned i = 0; i < 10; i++) {
            CHECK_EQ(answer(r, rig_endpoint(3), id), SB_NOT_ALLOWED);
            CHECK_EQ(question_to(r, rig_endpoint(3)) != NULL, i < 2);
        }
        for (unsigned size = 9; size <= 10; size++) { /* an Ack and NoOps */
            uint8_t plain[] = { id, (uint8_t)(size - 5), 1, 0, 0, 2, 2, 2, 2, 2 };
            for (unsigned i = 0; i < 10; i++) {
                CHECK_EQ(rig_give(r, rig_endpoint(3), (sb_span){ plain, size }), SB_NOT_ALLOWED);
                CHECK_EQ(question_to(r, rig_endpoint(3)) != NULL, size == 10);
            }
        }
    }
}

/* A peer in the room is asked in the same way; one that leaves cannot prove anything. */
TEST(a_peer_proves_that_it_hears_us_by_all_six_acks)
{
    rig     *r = open_small_host();
    rig_pack p, part;
    (void)rig_join_blindly(r, rig_endpoint(1));
    (void)rig_join_blindly(r, rig_endpoint(2));
    r->sent_next = 0;
    CHECK(rig_pack_proof(r, rig_endpoint(1), 2, &p));
    rig_pack_init(&part, 2);
    for (unsigned i = 0; i < 6; i++) {
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_PROVEN), 0);
        rig_pack_ack(&part, false, proof_number(&p, i));
        GIVE_PACK(r, rig_endpoint(1), &part);
    }
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_PROVEN), 1);
    rig_wait(r, SB_SECOND);
    (void)rig_told_id(r, rig_endpoint(9)); /* asks peer 3 */
    CHECK(rig_pack_proof(r, rig_endpoint(2), 3, &p));
    sb_transport_host_boot(r->host, r->now, 3, SB_BOOT_KICKED);
    rig_step(r);
    (void)!rig_give(r, rig_endpoint(2), rig_packed(&p));
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_PROVEN), 1);
}

/* A host that has asked peer 2; `p` has the Acks that answer. */
static rig *open_host_that_asks_a_peer(rig_pack *p)
{
    rig *r = open_small_host();
    (void)rig_join_blindly(r, rig_endpoint(1));
    (void)rig_join_blindly(r, rig_endpoint(2));
    r->sent_next = 0;
    CHECK(rig_pack_proof(r, rig_endpoint(1), 2, p));
    return r;
}

static void give_ack_of_peer(rig *r, uint16_t seq)
{
    rig_pack p;
    rig_pack_init(&p, 2);
    rig_pack_ack(&p, false, seq);
    GIVE_PACK(r, rig_endpoint(1), &p);
}

TEST(a_peer_needs_all_six_acks_however_often_it_is_asked)
{
    for (unsigned missing = 0; missing <= 6; missing++) {
        rig_pack p;
        rig     *r = open_host_that_asks_a_peer(&p);
        rig_wait_until(r, (r->now / SB_SECOND + 1) * SB_SECOND);
        for (unsigned i = 0; i < 6; i++) { /* the host asks again every quarter of a second */
            if (i != missing) give_ack_of_peer(r, proof_number(&p, i));
            rig_wait(r, 300 * RIG_MILLISECOND);
        }
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_PROVEN), missing == 6);
    }
}

/* Their numbers lie between those of the question. */
TEST(acks_of_marks_do_not_take_the_proof_away)
{
    rig_pack p;
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = open_host_that_asks_a_peer(&p);
    REFUSE(r, rig_endpoint(1), rig_hex("03 01 02"), SB_TRANSPORT_COUNT_ID_MISMATCH);
    rig_read_marks(r, rig_endpoint(1), marks);
    for (unsigned i = 0; i < 6; i++) {
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_PROVEN), 0);
        give_ack_of_peer(r, marks[i % SB_MARKS_COUNT]);
        give_ack_of_peer(r, proof_number(&p, i));
    }
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_PROVEN), 1);
    r = open_host_that_asks_a_peer(&p);
    REFUSE(r, rig_endpoint(1), rig_hex("03 01 02"), SB_TRANSPORT_COUNT_ID_MISMATCH);
    for (unsigned i = 0; i < 6; i++) { /* those of other numbers do */
        give_ack_of_peer(r, (uint16_t)(proof_number(&p, i) + 1));
        give_ack_of_peer(r, proof_number(&p, i));
    }
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_PROVEN), 0);
}

/* Each number is one of 1,600, from 2,048 behind our own on. */
TEST(the_numbers_of_questions_fill_their_ranges)
{
    rig        *r = rig_host_with(1, NULL);
    sb_peer    *peer = &r->host->peers[0];
    unsigned    nearest = UINT16_MAX, furthest = 0;
    sb_datagram asking, answering;
    CHECK_EQ(sb_decode_datagram(rig_hex("02 05 01 00 00 00 02 02 02 02"), &asking, NULL), SB_OK);
    for (uint16_t port = 1; port <= 12000; port++) {
        sb_endpoint at = { rig_endpoint(1).address, port };
        rig_pack    p;
        rig_forget(r);
        (void)!sb_transport_host_ask_at(r->host, peer, at, &asking);
        rig_step(r);
        CHECK(rig_pack_proof(r, at, 2, &p));
        for (unsigned i = 0; i < 6; i++) {
            unsigned offset = (uint16_t)-proof_number(&p, i) - 2048u - 1600 * i;
            CHECK(offset < 1600);
            if (offset < nearest) nearest = offset;
            if (offset > furthest) furthest = offset;
        }
        CHECK_EQ(sb_decode_datagram(rig_packed(&p), &answering, NULL), SB_OK);
        CHECK(sb_transport_host_is_proof(r->host, peer, at, &answering));
    }
    CHECK_EQ(nearest, 0);
    CHECK_EQ(furthest, 1599);
}

/* Sends reliable messages to peer 2, which acknowledges each at once. */
static void send_many(rig *r, unsigned count)
{
    for (unsigned seq = 0; seq < count; seq++) {
        rig_pack p;
        CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(1, seq)), SB_OK);
        rig_step(r);
        rig_pack_init(&p, 2);
        rig_pack_ack(&p, false, (uint16_t)seq);
        GIVE_PACK(r, rig_endpoint(1), &p);
    }
}

/* Our own messages go on while the peer is asked: the numbers stay old. */
TEST(the_numbers_move_with_our_own_after_1024)
{
    for (unsigned sent = 1024; sent <= 1025; sent++) {
        rig     *r = open_full_host();
        rig_pack p, later;
        (void)rig_told_id(r, rig_endpoint(9)); /* asks peer 2 */
        CHECK(rig_pack_proof(r, rig_endpoint(1), 2, &p));
        send_many(r, sent);
        rig_wait(r, SB_SECOND / 4);
        (void)rig_told_id(r, rig_endpoint(9));
        CHECK(rig_pack_proof(r, rig_endpoint(1), 2, &later));
        for (unsigned i = 0; i < 6; i++)
            CHECK_EQ((uint16_t)(proof_number(&later, i) - proof_number(&p, i)),
                     sent > 1024 ? sent : 0);
        GIVE_PACK(r, rig_endpoint(1), &later);
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_PROVEN), 3);
    }
}

TEST(the_numbers_differ_from_address_to_address_and_host_to_host)
{
    uint16_t seen[40];
    unsigned count = 0, same = 0;
    for (uint64_t seed = 0; seed < 2; seed++) {
        sb_transport_host_config config;
        rig_host_config(&config);
        config.max_peers = 1; /* its seat is only for those who hear it */
        config.seed = seed;
        rig *r = rig_open_host(&config);
        for (unsigned i = 1; i <= 20; i++) {
            sb_transport_message m;
            CHECK_EQ(answer(r, rig_endpoint(i), rig_told_id(r, rig_endpoint(i))), SB_NOT_ALLOWED);
            const rig_sent *question = question_to(r, rig_endpoint(i));
            CHECK(question && rig_message(question, 0, &m));
            seen[count++] = m.seq;
            for (unsigned k = 0; k + 1 < count; k++) same += seen[k] == m.seq;
        }
    }
    CHECK(same <= 3); /* of 1600 */
    unsigned near = 0;
    for (unsigned i = 0; i < count; i++) near += seen[i] > 0xF800 - 800; /* half of the range */
    CHECK(near > 5 && near < 35);
}

/* ---- Half of the room ---- */

TEST(half_of_the_seats_are_only_for_those_who_hear_the_host)
{
    rig *r = open_small_host();
    (void)rig_join_blindly(r, rig_endpoint(1));
    (void)rig_join_blindly(r, rig_endpoint(2));
    for (unsigned i = 3; i < 40; i++)
        CHECK_EQ(answer(r, rig_endpoint(i), rig_told_id(r, rig_endpoint(i))), SB_NOT_ALLOWED);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 2);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNPROVEN), 37);
    rig_wait(r, SB_SECOND);
    CHECK_EQ(rig_join(r, rig_endpoint(50)), 41);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 3);
}

TEST(whoever_shows_that_it_hears_the_host_makes_room_for_others)
{
    rig *r = open_small_host();
    (void)rig_join_blindly(r, rig_endpoint(1));
    (void)rig_join_blindly(r, rig_endpoint(2)); /* its Connect made the host ask peer 2 */
    r->sent_next = 0;
    CHECK(rig_prove(r, rig_endpoint(1), 2));
    (void)rig_join_blindly(r, rig_endpoint(3));
    CHECK_EQ(sb_transport_host_peer_count(r->host), 3);
}

TEST(without_proof_every_answer_gets_a_seat)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.max_peers = SEATS;
    config.proof = false;
    rig *r = rig_open_host(&config);
    for (unsigned i = 1; i <= SEATS; i++) (void)rig_join_blindly(r, rig_endpoint(i));
    CHECK_EQ(sb_transport_host_peer_count(r->host), SEATS);
    CHECK_EQ(rig_give_hex(r, rig_endpoint(9), RIG_CONNECT), SB_NOT_ALLOWED);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_PROVEN), 0);
}

/* ---- Who gives way ---- */

TEST(the_first_to_go_is_who_has_not_shown_that_it_hears_us)
{
    rig *r = open_full_host();
    way_at[4] = 0; /* it would give way too, but not before the others */
    rig_wait(r, 3 * SB_SECOND);
    uint8_t id = rig_told_id(r, rig_endpoint(9));
    CHECK_EQ(answer(r, rig_endpoint(9), id), SB_NOT_ALLOWED);
    EXPECT_NO_EVENT(r); /* nobody goes for a newcomer that may be a forgery */
    CHECK(rig_prove(r, rig_endpoint(9), id));
    EXPECT_LEFT(r, 2, SB_LEFT_GAVE_WAY);
    EXPECT_JOINED(r, id);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_GAVE_WAY), 1);
    rig_step(r);
    const rig_sent *boot = rig_next_sent_to(r, rig_endpoint(1));
    while (boot && boot->plain[2] != SB_TRANSPORT_BOOT) boot = rig_next_sent_to(r, rig_endpoint(1));
    CHECK(boot != NULL); /* it is told */
    CHECK_EQ(boot->plain[boot->size - 2], SB_BOOT_TIMED_OUT);
    CHECK_EQ(boot->plain[boot->size - 1], 2);
}

TEST(a_peer_has_two_seconds_to_show_that_it_hears_us)
{
    rig *r = open_small_host();
    for (unsigned i = 1; i <= 2; i++) (void)rig_join_blindly(r, rig_endpoint(i));
    rig_wait(r, SB_SECOND);
    for (unsigned i = 3; i <= 4; i++) { /* from now on peers 2 and 3 are asked */
        uint8_t id = rig_told_id(r, rig_endpoint(i));
        (void)!answer(r, rig_endpoint(i), id);
        CHECK(rig_prove(r, rig_endpoint(i), id));
    }
    uint8_t id = rig_told_id(r, rig_endpoint(9));
    (void)!answer(r, rig_endpoint(9), id);
    CHECK(!rig_prove(r, rig_endpoint(9), id));
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_NO_SEAT_YET), 1);
    rig_wait(r, SB_SECOND - 1);
    CHECK(!rig_prove(r, rig_endpoint(9), id));
    rig_wait(r, SB_SECOND);
    CHECK(rig_prove(r, rig_endpoint(9), id));
    EXPECT_LEFT(r, 2, SB_LEFT_GAVE_WAY);
    EXPECT_JOINED(r, id);
}

/* On a bad path questions and answers are lost, and whoever sends must not be taken for a forgery.
 */
TEST(a_peer_that_sends_is_asked_four_times_a_second)
{
    rig     *r = open_full_host();
    unsigned count = 0;
    rig_wait(r, SB_SECOND);
    for (unsigned i = 0; i < 20; i++) { /* peer 2 sends ten times a second */
        rig_forget(r);
        GIVE(r, rig_endpoint(1), "02 01 32 04 00 2A");
        EXPECT_UNRELIABLE(r, 2, ((sb_span){ (const uint8_t *)"*", 1 }));
        count += question_to(r, rig_endpoint(1)) != NULL;
        rig_wait(r, SB_SECOND / 10);
    }
    CHECK_EQ(count, 7); /* every third datagram */
    EXPECT_NO_EVENT(r);
}

TEST(a_peer_that_gives_way_is_the_one_that_waited_longest)
{
    rig *r = open_small_host();
    for (unsigned i = 1; i <= SEATS; i++) (void)rig_join(r, rig_endpoint(i));
    rig_prove_all(r);
    CHECK_EQ(rig_give_hex(r, rig_endpoint(9), RIG_CONNECT), SB_NOT_ALLOWED);
    way_at[3] = r->now + 6 * SB_SECOND; /* too late for anybody to wait for it */
    CHECK_EQ(rig_give_hex(r, rig_endpoint(9), RIG_CONNECT), SB_NOT_ALLOWED);
    way_at[3] = r->now + SB_SECOND;
    way_at[5] = r->now + 2 * SB_SECOND;
    uint8_t id = rig_told_id(r, rig_endpoint(9));
    CHECK(answer(r, rig_endpoint(9), id) != SB_OK);
    CHECK(!rig_prove(r, rig_endpoint(9), id));
    EXPECT_NO_EVENT(r);
    rig_wait(r, 3 * SB_SECOND);
    CHECK_EQ(answer(r, rig_endpoint(9), id), SB_OK); /* its proof is remembered */
    EXPECT_LEFT(r, 3, SB_LEFT_GAVE_WAY);
    EXPECT_JOINED(r, id);
}

TEST(of_an_address_with_too_many_peers_one_of_them_gives_way)
{
    sb_endpoint              from = { 0x0A000001, 100 };
    sb_transport_host_config config;
    rig_host_config(&config);
    config.peers_per_ip = 2;
    rig *r = rig_open_host(&config);
    CHECK_EQ(rig_join_blindly(r, rig_endpoint(7)), 2); /* older, but of another address */
    for (uint16_t i = 0; i < 2; i++) (void)rig_join_blindly(r, (sb_endpoint){ from.address, i });
    (void)rig_told_id(r, from);
    rig_wait(r, 3 * SB_SECOND);
    uint8_t id = rig_told_id(r, from);
    CHECK(answer(r, from, id) != SB_OK);
    CHECK(rig_prove(r, from, id));
    EXPECT_LEFT(r, 3, SB_LEFT_GAVE_WAY);
    EXPECT_JOINED(r, id);
}

/* ---- Shares: unfinished joins of one address ---- */

static sb_endpoint port_of(unsigned number, uint16_t port)
{
    return (sb_endpoint){ rig_endpoint(number).address, port };
}

/* A full host: peers 2 and 3 of address 1, peer 4 of address 2 and peer 5 of address 3, which all
 * hear it. All but peer 5 have not finished their joins; they have time for another minute. */
static rig *open_shared_host(void)
{
    rig *r = open_small_host();
    (void)rig_join(r, port_of(1, 100));
    (void)rig_join(r, port_of(1, 101));
    (void)rig_join(r, rig_endpoint(2));
    (void)rig_join(r, rig_endpoint(3));
    rig_prove_all(r);
    for (unsigned id = 2; id <= 4; id++) way_at[id] = r->now + 60 * SB_SECOND - id;
    return r;
}

/* A newcomer that proves that it hears the host; true: it has a seat. */
static bool comes_in(rig *r, sb_endpoint from, uint8_t *id)
{
    *id = rig_told_id(r, from);
    (void)!answer(r, from, *id);
    return rig_prove(r, from, *id);
}

TEST(an_address_with_two_joins_gives_one_up_at_once)
{
    rig    *r = open_shared_host();
    uint8_t id;
    CHECK(comes_in(r, rig_endpoint(9), &id));
    EXPECT_LEFT(r, 3, SB_LEFT_GAVE_WAY); /* of the two, the one that has waited longer */
    EXPECT_JOINED(r, id);
    /* Now each address has one, and keeps it for its time. */
    CHECK_EQ(rig_give_hex(r, rig_endpoint(10), RIG_CONNECT), SB_NOT_ALLOWED);
    way_at[4] = r->now;
    CHECK(comes_in(r, rig_endpoint(10), &id));
    EXPECT_LEFT(r, 4, SB_LEFT_GAVE_WAY);
}

/* Otherwise whoever restarts its joins in time could push out one that loads for long. */
TEST(an_address_with_more_joins_goes_before_one_whose_time_is_up)
{
    rig    *r = open_shared_host();
    uint8_t id;
    way_at[4] = r->now - 60 * SB_SECOND;
    CHECK(comes_in(r, rig_endpoint(9), &id));
    EXPECT_LEFT(r, 3, SB_LEFT_GAVE_WAY);
}

TEST(an_address_takes_no_seat_of_one_with_as_few_joins)
{
    rig    *r = open_shared_host();
    uint8_t id;
    way_at[2] = SB_TIME_NEVER; /* it is in the game: each of the two addresses has one join */
    way_at[3] = way_at[4] = r->now;
    CHECK_EQ(rig_give_hex(r, rig_endpoint(2), RIG_CONNECT), SB_OK); /* a copy: nothing happens */
    CHECK_EQ(rig_give_hex(r, port_of(1, 102), RIG_CONNECT), SB_NOT_ALLOWED);
    CHECK_EQ(rig_give_hex(r, port_of(2, 102), RIG_CONNECT), SB_NOT_ALLOWED);
    CHECK(comes_in(r, port_of(3, 102), &id)); /* it has none, but a player in the game */
    EXPECT_LEFT(r, 3, SB_LEFT_GAVE_WAY);
}

TEST(an_address_with_one_join_less_waits_for_its_time)
{
    rig    *r = open_shared_host();
    uint8_t id;
    CHECK_EQ(rig_give_hex(r, port_of(2, 102), RIG_CONNECT), SB_NOT_ALLOWED);
    way_at[4] = r->now; /* its own one: that would gain it nothing */
    CHECK_EQ(rig_give_hex(r, port_of(2, 102), RIG_CONNECT), SB_NOT_ALLOWED);
    way_at[2] = r->now;
    CHECK(comes_in(r, port_of(2, 102), &id));
    EXPECT_LEFT(r, 2, SB_LEFT_GAVE_WAY);
}

/* A stranger who forges joins in the name of a client that loads must not cost it its seat. */
TEST(forged_joins_of_an_address_do_not_count)
{
    rig    *r = open_small_host();
    uint8_t id;
    for (unsigned i = 1; i <= 3; i++) (void)rig_join(r, rig_endpoint(i));
    rig_prove_all(r);
    for (unsigned k = 2; k < 10; k++) way_at[k] = r->now + 60 * SB_SECOND;
    uint8_t forged = rig_join_blindly(r, port_of(2, 100));
    CHECK_EQ(sb_transport_host_peer_count(r->host), SEATS);
    CHECK(!comes_in(r, rig_endpoint(9), &id));
    EXPECT_NO_EVENT(r);
    rig_wait(r, 2 * SB_SECOND);
    CHECK(rig_prove(r, rig_endpoint(9), id));
    EXPECT_LEFT(r, forged, SB_LEFT_GAVE_WAY);
    EXPECT_JOINED(r, id);
    CHECK_EQ(rig_give_hex(r, rig_endpoint(10), RIG_CONNECT), SB_NOT_ALLOWED);
}

/* ---- Edges of seats ---- */

/* A host of four seats whose peers 2 to 5 have shown that they hear it. */
static rig *open_proven_host(void)
{
    rig *r = open_small_host();
    for (unsigned i = 1; i <= SEATS; i++) (void)rig_join(r, rig_endpoint(i));
    rig_prove_all(r);
    return r;
}

TEST(a_newcomer_waits_up_to_five_seconds_for_a_seat)
{
    rig    *r = open_proven_host();
    uint8_t id;
    way_at[4] = r->now + 5 * SB_SECOND + 1;
    CHECK_EQ(rig_give_hex(r, rig_endpoint(9), RIG_CONNECT), SB_NOT_ALLOWED);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REFUSED_FULL), 2); /* rig_prove_all knocked too */
    way_at[4] = r->now + 5 * SB_SECOND;
    CHECK(!comes_in(r, rig_endpoint(9), &id));
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_NO_SEAT_YET), 1);
    way_at[4] = r->now + 1;
    rig_pack p;
    CHECK(rig_pack_proof(r, rig_endpoint(9), id, &p));
    CHECK_EQ(rig_give(r, rig_endpoint(9), rig_packed(&p)), SB_NOT_ALLOWED);
    way_at[4] = r->now;
    CHECK(rig_prove(r, rig_endpoint(9), id));
    EXPECT_LEFT(r, 4, SB_LEFT_GAVE_WAY);
    EXPECT_JOINED(r, id);
}

TEST(the_first_to_give_way_goes_whatever_its_id)
{
    static const uint8_t orders[][4] = { { 2, 3, 4, 5 }, { 5, 4, 3, 2 }, { 3, 5, 2, 4 } };
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        rig    *r = open_proven_host();
        uint8_t id;
        for (unsigned k = 0; k < 4; k++) way_at[orders[i][k]] = r->now - 10 + k;
        for (unsigned k = 0; k < 3; k++) {
            CHECK(comes_in(r, rig_endpoint(20 + k), &id));
            EXPECT_LEFT(r, orders[i][k], SB_LEFT_GAVE_WAY);
            EXPECT_JOINED(r, id);
        }
    }
}

TEST(a_peer_that_was_asked_gives_way_after_exactly_two_seconds)
{
    for (int late = 0; late < 2; late++) {
        rig    *r = open_full_host();
        uint8_t id;
        rig_wait(r, 10 * SB_SECOND); /* who was asked before has had its time */
        rig_prove_all(r);            /* all hear the host now ... */
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_PROVEN), SEATS);
        sb_transport_host_boot(r->host, r->now, 4, SB_BOOT_KICKED);
        rig_wait(r, 6 * SB_SECOND);
        (void)rig_join_blindly(r, rig_endpoint(30)); /* ... but for one, which is asked at once */
        sb_time asked = r->now;
        CHECK(!comes_in(r, rig_endpoint(9), &id));
        rig_wait_until(r, asked + 2 * SB_SECOND - 1 + late);
        CHECK_EQ(rig_prove(r, rig_endpoint(9), id), late);
    }
}

TEST(an_address_may_have_one_peer_only)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.peers_per_ip = 1;
    rig        *r = rig_host_with(1, &config);
    sb_endpoint neighbour = { rig_endpoint(1).address, 5 };
    CHECK_EQ(rig_give_hex(r, neighbour, RIG_CONNECT), SB_NOT_ALLOWED);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REFUSED_SOURCE), 1);
    config.peers_per_ip = 0; /* no limit */
    CHECK_EQ(rig_join(rig_host_with(1, &config), neighbour), 3);
}

/* A silent peer that starts again needs no seat beside its own; one that has left has none. */
TEST(a_client_that_returns_has_the_seat_that_it_still_holds)
{
    rig *r = open_proven_host();
    for (unsigned i = 0; i < 3; i++) {
        rig_wait(r, 5 * SB_SECOND);
        GIVE(r, rig_endpoint(2), "03 01 02");
        GIVE(r, rig_endpoint(3), "04 01 02");
        GIVE(r, rig_endpoint(4), "05 01 02");
    }
    CHECK(rig_told_id(r, rig_endpoint(1)) >= 6); /* silent for 15 s */
    r = open_proven_host();
    sb_transport_host_boot(r->host, r->now, 2, SB_BOOT_KICKED);
    rig_step(r);
    uint8_t id;
    CHECK(comes_in(r, rig_endpoint(9), &id)); /* the seat has another owner */
    CHECK_EQ(rig_give_hex(r, rig_endpoint(1), RIG_CONNECT), SB_NOT_ALLOWED);
}

TEST(an_answer_makes_the_host_ask_again_after_a_quarter_second)
{
    for (int later = 0; later < 2; later++) {
        rig *r = open_small_host();
        (void)rig_join_blindly(r, rig_endpoint(1));
        (void)rig_join_blindly(r, rig_endpoint(2));
        uint8_t id = rig_told_id(r, rig_endpoint(3));
        rig_wait(r, SB_SECOND / 4 - 1 + later);
        rig_forget(r);
        CHECK_EQ(answer(r, rig_endpoint(3), id), SB_NOT_ALLOWED);
        CHECK_EQ(question_to(r, rig_endpoint(1)) != NULL, later);
    }
}

TEST(a_refused_answer_is_remembered_for_the_log)
{
    rig               *r = open_proven_host();
    sb_connect_refusal last;
    way_at[3] = r->now;
    uint8_t  id = rig_told_id(r, rig_endpoint(9));
    uint64_t before = sb_transport_host_refusals(r->host, &last);
    way_at[3] = SB_TIME_NEVER;
    CHECK_EQ(answer(r, rig_endpoint(9), id), SB_NOT_ALLOWED);
    CHECK_EQ(sb_transport_host_refusals(r->host, &last), before + 1);
    CHECK(rig_same_endpoint(last.address, rig_endpoint(9)));
    CHECK_EQ(last.boot_reason, SB_BOOT_FULL);
    CHECK_EQ(last.why, SB_TRANSPORT_COUNT_REFUSED_FULL);
}

TEST(a_newcomer_that_has_joined_has_no_entry_any_more)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.newcomers = sb_newcomers_init(malloc(sb_newcomers_bytes()), 7);
    rig            *r = rig_open_host(&config);
    sb_newcomer_key key = sb_newcomers_key(config.newcomers, config.seed, rig_endpoint(1));
    uint8_t         id = rig_told_id(r, rig_endpoint(1));
    CHECK_EQ(sb_newcomers_find(config.newcomers, r->now, key), id);
    CHECK_EQ(answer(r, rig_endpoint(1), id), SB_OK);
    CHECK_EQ(sb_newcomers_find(config.newcomers, r->now, key), SB_ID_NONE);
    free(config.newcomers);
}
