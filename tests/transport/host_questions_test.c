/* tests/transport/host_questions_test.c -- how often a host asks a peer that may give way.
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
