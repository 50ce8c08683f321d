/* tests/transport/host_quiet_test.c -- seats at whose address a client has been told an id.
 *
 * For:      src/transport/host_peer.c, host_leave.c.
 * Spec:     01 §5.2, §5.4.
 */
#include "marks_rig.h"

static rig *open_host_of_four(void)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.max_peers = 4;
    return rig_open_host(&config);
}

/* Datagrams with Data to the address that are written within the time. */
static unsigned count_data(rig *r, sb_endpoint to, sb_time duration)
{
    unsigned count = 0;
    rig_forget(r);
    rig_wait(r, duration);
    for (const rig_sent *sent; (sent = rig_next_sent_to(r, to)) != NULL;) {
        sb_transport_message m;
        CHECK(rig_message(sent, 0, &m));
        count += m.type == SB_TRANSPORT_DATA;
    }
    return count;
}

/* Whoever is told an id takes what comes for its own. If the join was forged, the seat's Data is
 * not for the client that comes. */
TEST(a_seat_without_proof_is_quiet_for_2_s_after_an_id_was_told)
{
    for (int proven = 0; proven < 2; proven++) {
        rig    *r = open_host_of_four();
        uint8_t id = proven ? rig_join(r, rig_endpoint(1)) : rig_join_blindly(r, rig_endpoint(1));
        rig_wait(r, 13 * SB_SECOND);
        CHECK_EQ(rig_send(r, id, SB_RELIABLE, rig_byte('D')), SB_OK);
        sb_time told_at = r->now;
        (void)rig_told_id(r, rig_endpoint(1));
        CHECK_EQ(rig_send(r, id, SB_RELIABLE, rig_byte('E')), SB_OK);
        CHECK_EQ(count_data(r, rig_endpoint(1), 2 * SB_SECOND - 1) > 0, proven);
        if (!proven) CHECK(count_data(r, rig_endpoint(1), SB_SECOND) > 0);
        (void)rig_told_id(r, rig_endpoint(1)); /* not again so soon: the Connects may be forged */
        CHECK_EQ(rig_send(r, id, SB_RELIABLE, rig_byte('F')), SB_OK);
        CHECK(count_data(r, rig_endpoint(1), SB_SECOND) > 0);
        rig_wait(r, told_at + 12 * SB_SECOND - 1 - r->now);
        (void)rig_told_id(r, rig_endpoint(1));
        CHECK_EQ(rig_send(r, id, SB_RELIABLE, rig_byte('H')), SB_OK);
        CHECK(count_data(r, rig_endpoint(1), SB_SECOND) > 0);
        (void)rig_told_id(r, rig_endpoint(1)); /* 12 s after the first one it is */
        CHECK_EQ(rig_send(r, id, SB_RELIABLE, rig_byte('G')), SB_OK);
        CHECK_EQ(count_data(r, rig_endpoint(1), 2 * SB_SECOND - 1) > 0, proven);
    }
}

/* Datagrams to the address within the time. */
static unsigned count_sent(rig *r, sb_endpoint to, sb_time duration)
{
    unsigned count = 0;
    rig_forget(r);
    rig_wait(r, duration);
    while (rig_next_sent_to(r, to) != NULL) count++;
    return count;
}

/* A client that starts again takes control messages of the session before for its own: the name of
 * a player who has left meanwhile, under a number that it expects. */
TEST(a_seat_that_was_left_is_quiet_for_half_a_second)
{
    rig    *r = rig_host_with(2, NULL);
    sb_time left = r->now;
    sb_transport_host_boot(r->host, r->now, 2, SB_BOOT_KICKED);
    CHECK(count_sent(r, rig_endpoint(1), SB_SECOND / 4) > 0); /* the Boot, not acknowledged */
    CHECK_EQ(rig_told_id(r, rig_endpoint(1)), 4);
    sb_time told = r->now;
    CHECK_EQ(count_sent(r, rig_endpoint(1), SB_SECOND / 2 - 1), 0);
    CHECK(count_sent(r, rig_endpoint(1), 1) > 0); /* the Connect may be forged: the Boot again */
    (void)rig_told_id(r, rig_endpoint(1));        /* not again so soon */
    CHECK(count_sent(r, rig_endpoint(1), left + 5 * SB_SECOND - r->now) > 0);
    CHECK(r->now < told + 12 * SB_SECOND);
}
