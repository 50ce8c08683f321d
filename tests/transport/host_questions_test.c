/* tests/transport/host_questions_test.c -- when and how often a host asks for the proof of §5.4.
 *
 * For:      src/transport/host_seats.c. host_seats_test.c has what the answers do.
 * Spec:     01 §5.4.
 */
#include "rig.h"

/* A host that has asked peer 2, since it has one seat more. */
static rig *open_asking_host(void)
{
    static const uint8_t     answer[] = { 2, 1, 1, 0, 0, 2 };
    sb_transport_host_config config;
    rig_host_config(&config);
    config.max_peers = 2;
    rig *r = rig_open_host(&config);
    CHECK_EQ(rig_told_id(r, rig_endpoint(1)), 2);
    CHECK_EQ(rig_give(r, rig_endpoint(1), (sb_span){ answer, sizeof answer }), SB_OK);
    rig_wait(r, SB_SECOND);
    return r;
}

/* How many questions does the peer get within two seconds, if it sends a datagram of this size 20
 * times a second? */
static unsigned count_questions(size_t datagram_size)
{
    rig     *r = open_asking_host();
    unsigned count = 0;
    for (unsigned i = 0; i < 40; i++) {
        rig_pack p;
        rig_pack_init(&p, 2);
        rig_pack_unreliable(&p, rig_pattern(datagram_size - 5, i));
        rig_forget(r);
        GIVE_PACK(r, rig_endpoint(1), &p);
        rig_step(r);
        for (const rig_sent *sent; (sent = rig_next_sent_to(r, rig_endpoint(1))) != NULL;)
            count += sent->size == 38;
        rig_wait(r, SB_SECOND / 20);
    }
    return count;
}

TEST(short_datagrams_are_asked_four_times_a_second)
{
    CHECK_EQ(count_questions(18), 8);
}

/* They pay for a question: half as long. On a path that loses half of all datagrams, seven
 * questions in two seconds are sometimes all in vain. */
TEST(datagrams_of_19_bytes_are_asked_ten_times_a_second)
{
    CHECK_EQ(count_questions(19), 20);
}

static const rig_sent *question_to(rig *r, sb_endpoint to)
{
    rig_step(r);
    for (const rig_sent *sent = rig_next_sent_to(r, to); sent; sent = rig_next_sent_to(r, to))
        if (sent->size == 38) return sent;
    return NULL;
}

static bool is_proven(rig *r, uint8_t id)
{
    sb_peer_info info;
    CHECK(sb_transport_host_peer(r->host, id, &info));
    return info.proven;
}

TEST(a_program_may_ask_a_peer_to_show_that_it_hears_the_host)
{
    rig *r = rig_open_host(NULL);
    (void)rig_join_blindly(r, rig_endpoint(1));
    CHECK(question_to(r, rig_endpoint(1)) == NULL);
    CHECK(!is_proven(r, 2));
    CHECK(sb_transport_host_ask(r->host, 2));
    CHECK(question_to(r, rig_endpoint(1)) != NULL);
    CHECK(!sb_transport_host_ask(r->host, 3));
    CHECK(rig_prove(r, rig_endpoint(1), 2));
    CHECK(is_proven(r, 2));
    rig_wait(r, SB_SECOND);
    CHECK(sb_transport_host_ask(r->host, 2));
    CHECK(question_to(r, rig_endpoint(1)) == NULL);
    sb_transport_host_boot(r->host, r->now, 2, SB_BOOT_KICKED);
    CHECK(!sb_transport_host_ask(r->host, 2));
}
