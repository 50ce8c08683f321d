/* tests/transport/host_timers_test.c -- when a host wants to be called, and what it does then.
 *
 * For:      src/transport/host.c, host_leave.c.
 * Spec:     01 §6.2, §7.2, §8.2-§8.4.
 */
#include "rig.h"

#include <string.h>

static sb_time due(const rig *r)
{
    return sb_transport_host_next_deadline(r->host);
}

/* Gives a datagram without asking for events or datagrams. */
static void give_quietly(rig *r, sb_endpoint from, const char *hex)
{
    uint8_t bytes[64];
    size_t  size = test_hex(hex, bytes, sizeof bytes);
    sb_encrypt_datagram(bytes, size);
    CHECK_EQ(sb_transport_host_receive(r->host, r->now, from, (sb_span){ bytes, size }), SB_OK);
}

/* Writes one datagram without asking for events; false: none is due. */
static bool write_quietly(rig *r)
{
    sb_endpoint to;
    uint8_t     out[SB_DATAGRAM_MAX];
    return sb_transport_host_write(r->host, r->now, &to, out) > 0;
}

/* A host of its own time, with peer 2 at rig_endpoint(1). */
static rig *open_host_at(sb_time now)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    rig *r = rig_open_host(&config);
    r->now = now;
    r->host = sb_transport_host_init(r->memory, &config, now);
    CHECK_EQ(rig_join(r, rig_endpoint(1)), 2);
    return r;
}

TEST(a_host_with_something_to_do_wants_to_be_called_now)
{
    rig *r = rig_host_with(1, NULL);
    CHECK(due(r) > r->now);
    give_quietly(r, rig_endpoint(1), "02 01 02");
    CHECK_EQ(due(r), r->now); /* a datagram is being read */
    rig_step(r);
    CHECK(due(r) > r->now);
    CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(1, 0)), SB_OK);
    CHECK_EQ(due(r), r->now); /* a message is to be sent */
    rig_step(r);
    CHECK(due(r) > r->now);
    give_quietly(r, rig_endpoint(2), RIG_CONNECT);
    CHECK_EQ(due(r), r->now); /* an answer to a stranger */
    rig_step(r);
    CHECK(due(r) > r->now);
    sb_transport_host_boot(r->host, r->now, 2, SB_BOOT_KICKED);
    while (write_quietly(r)) continue;
    CHECK_EQ(due(r), r->now); /* an event */
    rig_step(r);
    CHECK(due(r) > r->now);
}

TEST(an_event_is_found_at_its_time_without_a_write)
{
    rig               *r = rig_host_with(1, NULL);
    sb_transport_event e;
    GIVE(r, rig_endpoint(1), "02 01 02");
    r->now += 45 * SB_SECOND;
    CHECK(sb_transport_host_next_event(r->host, r->now, &e));
    CHECK(e.type == SB_EVENT_LEFT && e.reason == SB_LEFT_TIMED_OUT);
    CHECK_EQ(e.boot_reason, SB_BOOT_TIMED_OUT);
    CHECK(!sb_transport_host_next_event(r->host, r->now, &e));
}

TEST(a_repeat_is_written_at_its_time_without_an_event)
{
    rig *r = rig_host_with(1, NULL);
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(1, 0)), SB_OK);
    rig_step(r);
    r->now += SB_SECOND - 1;
    CHECK(!write_quietly(r));
    r->now++;
    CHECK(write_quietly(r));
    CHECK(!write_quietly(r));
}

/* Measured waits: no repeat is due at the time that ends the session. */
TEST(a_peer_that_acknowledges_nothing_is_removed_after_60_s)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.retransmit = SB_RETRANSMIT_MEASURED;
    rig    *r = rig_host_with(2, &config);
    sb_time start = r->now;
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(1, 0)), SB_OK);
    for (int i = 0; i < 11; i++) {
        rig_wait(r, 5300 * RIG_MILLISECOND);
        GIVE(r, rig_endpoint(1), "02 01 02");
        GIVE(r, rig_endpoint(2), "03 01 02");
    }
    rig_wait_until(r, start + 60 * SB_SECOND - 1);
    EXPECT_NO_EVENT(r);
    rig_forget(r);
    rig_wait(r, 1);
    const rig_event *e = rig_next_event(r);
    CHECK(e && e->event.type == SB_EVENT_LEFT && e->event.reason == SB_LEFT_STALLED);
    CHECK_EQ(e->event.boot_reason, SB_BOOT_TIMED_OUT);
    const rig_sent *told = rig_next_sent_to(r, rig_endpoint(2));
    CHECK(told != NULL);
    CHECK_BYTES(told->plain, told->size, "\x01\x01\x04\x07\xC0\x01\x00\x01\x02", 9);
}

/* 257 cells are enough for the largest message of a peer that is not trusted. The fragment may be
 * of a stranger: the peer stays, and its own message counts. */
TEST(fragments_are_dropped_after_30_s_if_memory_is_short)
{
    for (uint32_t less = 0; less < 2; less++) {
        sb_transport_host_config config;
        rig_host_config(&config);
        config.retransmit = SB_RETRANSMIT_MEASURED;
        config.assembly_cells = 257 + 9 - less; /* nine are granted: two fragments */
        rig     *r = rig_host_with(1, &config);
        rig_pack p;
        rig_pack_init(&p, 2);
        rig_pack_fragment(&p, 0, 0, 2, rig_pattern(405, 0));
        GIVE_PACK(r, rig_endpoint(1), &p);
        sb_time start = r->now;
        rig_wait(r, 300 * RIG_MILLISECOND);
        CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(1, 0)), SB_OK); /* NoOps come later */
        for (int i = 0; i < 5; i++) {
            rig_wait(r, 5300 * RIG_MILLISECOND);
            GIVE(r, rig_endpoint(1), "02 01 02");
        }
        rig_wait_until(r, start + 30 * SB_SECOND - 1);
        EXPECT_NO_EVENT(r);
        rig_wait(r, 1);
        EXPECT_NO_EVENT(r);
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_NO_ROOM), less);
        GIVE(r, rig_endpoint(1), "02 01 02");
        rig_wait(r, 30 * SB_SECOND); /* the wait starts again */
        EXPECT_NO_EVENT(r);
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_NO_ROOM), less);
        if (!less) continue;
        rig_pack_init(&p, 2);
        for (uint8_t i = 0; i < 2; i++) rig_pack_fragment(&p, 0, i, 2, rig_pattern(1, i));
        GIVE_PACK(r, rig_endpoint(1), &p);
        const rig_event *e = rig_next_event(r);
        CHECK(e && e->event.type == SB_EVENT_MESSAGE && e->event.bytes.size == 2);
    }
}

TEST(a_host_without_peers_waits_for_nothing)
{
    rig *r = rig_host_with(1, NULL);
    sb_transport_host_boot(r->host, r->now, 2, SB_BOOT_KICKED);
    rig_wait(r, 5 * SB_SECOND - 1);
    CHECK_EQ(due(r), r->now + 1);
    rig_wait(r, 1);
    CHECK_EQ(due(r), SB_TIME_NEVER);
    CHECK(sb_transport_host_is_idle(r->host));
    rig_forget(r);
    CHECK_EQ(rig_join(r, rig_endpoint(2)), 3);
    sb_transport_host_boot(r->host, r->now, 3, SB_BOOT_KICKED);
    rig_step(r);
    GIVE(r, rig_endpoint(2), "03 01 01 01 00 02"); /* it knows that it has left ... */
    GIVE(r, rig_endpoint(2), RIG_CONNECT);         /* ... and comes back */
    CHECK(sb_transport_host_is_idle(r->host));
    rig_step(r);
    CHECK_EQ(due(r), SB_TIME_NEVER);
}

TEST(a_clock_may_start_below_zero)
{
    static const sb_time earliest = -(INT64_MAX / 4);
    const sb_time        starts[] = { -1000 * SB_SECOND, -3 * SB_SECOND, 0, earliest };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        sb_peer_info info;
        rig         *r = open_host_at(starts[i]);
        GIVE(r, rig_endpoint(1), "02 01 02");
        CHECK(rig_info(r, 2, &info));
        CHECK_EQ(info.heard_at, r->now);
        CHECK(info.heard_at < starts[i] + 5 * SB_SECOND);
        rig_wait(r, 45 * SB_SECOND - 1);
        EXPECT_NO_EVENT(r);
        rig_wait(r, 1);
        EXPECT_LEFT(r, 2, SB_LEFT_TIMED_OUT);
    }
}

/* Nobody has called the host for a while. */
TEST(a_boot_and_a_stop_count_from_their_own_time)
{
    rig *r = rig_host_with(1, NULL);
    r->now += 4 * SB_SECOND;
    sb_transport_host_boot(r->host, r->now, 2, SB_BOOT_KICKED);
    rig_wait(r, 5 * SB_SECOND - 1);
    CHECK(!sb_transport_host_is_idle(r->host));
    rig_wait(r, 1);
    CHECK(sb_transport_host_is_idle(r->host));
    r = rig_host_with(1, NULL);
    r->now += 4 * SB_SECOND;
    sb_transport_host_stop(r->host, r->now);
    rig_wait(r, SB_SECOND - 1);
    CHECK(!sb_transport_host_is_stopped(r->host));
    rig_wait(r, 1);
    CHECK(sb_transport_host_is_stopped(r->host));
}

TEST(quitting_and_closing_name_no_reason_of_a_boot)
{
    rig *r = rig_host_with(2, NULL);
    GIVE(r, rig_endpoint(1), "02 01 05 0A C0 01 00 02 0A 0A 0A EF");
    rig_wait(r, 6 * SB_SECOND);
    const rig_event *e = rig_next_event(r);
    CHECK(e && e->event.reason == SB_LEFT_QUIT);
    CHECK_EQ(e->event.boot_reason, SB_BOOT_DEFAULT);
    sb_transport_host_stop(r->host, r->now);
    rig_step(r);
    e = rig_next_event(r);
    CHECK(e && e->event.reason == SB_LEFT_HOST_CLOSED);
    CHECK_EQ(e->event.boot_reason, SB_BOOT_DEFAULT);
}

TEST(a_stopping_host_repeats_what_is_not_acknowledged)
{
    rig *r = rig_host_with(3, NULL);
    sb_transport_host_boot(r->host, r->now, 4, SB_BOOT_KICKED);
    rig_step(r);
    sb_transport_host_stop(r->host, r->now);
    rig_step(r);
    GIVE(r, rig_endpoint(1), "02 02 01 01 00 02 01 02 00 02"); /* the notice and the Disconnect */
    rig_forget(r);
    rig_wait(r, 600 * RIG_MILLISECOND);
    CHECK_EQ(rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_DISCONNECT), 0);
    CHECK_EQ(rig_count_sent(r, rig_endpoint(2), SB_TRANSPORT_DISCONNECT), 1);
    CHECK_EQ(rig_count_sent(r, rig_endpoint(3), SB_TRANSPORT_BOOT), 1);
    CHECK(!sb_transport_host_is_stopped(r->host));
    GIVE(r, rig_endpoint(3), "04 01 01 01 00 02"); /* the Boot */
    rig_wait(r, 400 * RIG_MILLISECOND);
    CHECK(sb_transport_host_is_stopped(r->host)); /* who was booted before is no reason to wait */
    CHECK(!sb_transport_host_is_idle(r->host));   /* but still gets its Acks */
}

TEST(a_booted_peer_lingers_though_it_has_acknowledged)
{
    rig *r = rig_host_with(1, NULL);
    sb_transport_host_boot(r->host, r->now, 2, SB_BOOT_KICKED);
    rig_step(r);
    GIVE(r, rig_endpoint(1), "02 01 01 01 00 02");
    rig_wait(r, 5 * SB_SECOND - 1);
    CHECK(!sb_transport_host_is_idle(r->host)); /* late datagrams get their Acks */
    rig_wait(r, 1);
    CHECK(sb_transport_host_is_idle(r->host));
}

TEST(a_queue_that_overflows_ends_the_session_at_once)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.send_cells = 64;
    config.shared_cells = 0;
    rig               *r = rig_host_with(1, &config);
    sb_transport_event e;
    size_t             at = 0;
    for (unsigned i = 0; i < 32; i++)
        CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(1, i)), SB_OK);
    CHECK_EQ(sb_transport_host_free_bytes(r->host, 2), 0);
    CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(1, 0)), SB_FULL); /* that is no reason */
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_DROPPED_UNRELIABLE), 1);
    CHECK(!sb_transport_host_next_event(r->host, r->now, &e));
    rig_step(r);
    GIVE(r, rig_endpoint(1), "02 01 01 00 00 00"); /* one cell is free */
    CHECK_EQ(sb_transport_host_free_bytes(r->host, 2), 84);
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(85, 0)), SB_FULL);
    CHECK_EQ(sb_transport_host_free_bytes(r->host, 2), 0); /* the session is over */
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(1, 0)), SB_NOT_ALLOWED);
    CHECK_EQ(sb_transport_host_send_part(r->host, 2, rig_pattern(1, 0), &at), SB_NOT_ALLOWED);
    CHECK(sb_transport_host_next_event(r->host, r->now, &e));
    CHECK(e.type == SB_EVENT_LEFT && e.reason == SB_LEFT_STALLED);
}

/* ---- Entries of leaving peers ---- */

/* Joins without letting time pass; returns the id. */
static uint8_t join_fast(rig *r, sb_endpoint from)
{
    rig_forget(r);
    GIVE(r, from, RIG_CONNECT);
    rig_step(r);
    const rig_sent *answer = rig_next_sent_to(r, from);
    CHECK(answer && answer->size == 12);
    uint8_t id = answer->plain[11], ack[] = { id, 1, 1, 0, 0, 2 };
    CHECK_EQ(rig_give(r, from, (sb_span){ ack, sizeof ack }), SB_OK);
    EXPECT_JOINED(r, id);
    return id;
}

static rig *open_host_of_one(void)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.max_peers = 1;
    config.proof = false;
    config.shared_cells = 0;
    config.assembly_cells = 0;
    config.send_cells = 64;
    config.receive_cells = 48;
    return rig_open_host(&config);
}

TEST(eight_leaving_peers_have_a_place_and_then_the_first_goes)
{
    rig *r = open_host_of_one();
    for (unsigned i = 1; i <= 9; i++) {
        sb_transport_host_boot(r->host, r->now, join_fast(r, rig_endpoint(i)), SB_BOOT_KICKED);
        rig_wait(r, 10 * RIG_MILLISECOND);
    }
    rig_forget(r);
    rig_wait(r, 450 * RIG_MILLISECOND);
    for (unsigned i = 1; i <= 4; i++) /* the ninth one has the place of the seat */
        CHECK(rig_count_sent(r, rig_endpoint(i), SB_TRANSPORT_BOOT) > 0);
    (void)join_fast(r, rig_endpoint(10));
    rig_forget(r);
    rig_wait(r, SB_SECOND);
    for (unsigned i = 1; i <= 9; i++)
        CHECK_EQ(rig_count_sent(r, rig_endpoint(i), SB_TRANSPORT_BOOT) > 0, i > 1);
}

TEST(peers_that_leave_give_all_their_memory_back)
{
    rig *r = open_host_of_one();
    for (unsigned i = 0; i < 250; i++) { /* more than the host has cells */
        uint8_t id = join_fast(r, rig_endpoint(1 + i));
        CHECK_EQ(rig_send(r, id, SB_RELIABLE, rig_pattern(300, i)), SB_OK);
        rig_step(r);
        sb_transport_host_boot(r->host, r->now, id, SB_BOOT_KICKED);
        rig_wait(r, 5 * SB_SECOND);
        CHECK(sb_transport_host_is_idle(r->host));
    }
}

/* A peer whose control messages fill its last cells has acknowledged nothing for long. */
TEST(a_peer_that_owes_more_than_nine_acks_gets_no_boot)
{
    for (unsigned names = 8; names <= 9; names++) {
        rig *r = open_host_of_one();
        CHECK_EQ(join_fast(r, rig_endpoint(1)), 2);
        for (uint16_t i = 1; i <= names; i++) {
            rig_give_name(r, rig_endpoint(1), 2, i, rig_wide("K"));
            rig_wait(r, 5 * SB_SECOND);
        }
        rig_forget(r);
        sb_transport_host_boot(r->host, r->now, 2, SB_BOOT_KICKED);
        rig_wait(r, SB_SECOND);
        CHECK_EQ(rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_BOOT) > 0, names == 8);
        EXPECT_LEFT(r, 2, SB_LEFT_BOOTED);
    }
}

TEST(a_peer_that_quit_is_sent_nothing_any_more)
{
    rig *r = rig_host_with(2, NULL);
    rig_give_name(r, rig_endpoint(2), 3, 1, rig_wide("K")); /* peer 2 does not acknowledge it */
    GIVE(r, rig_endpoint(1), "02 01 05 0A C0 01 00 02 0A 0A 0A EF");
    rig_wait(r, 6 * SB_SECOND);
    EXPECT_NAMED(r, 3, "K");
    EXPECT_LEFT(r, 2, SB_LEFT_QUIT);
    rig_forget(r);
    rig_wait(r, 6 * SB_SECOND);
    CHECK(rig_next_sent_to(r, rig_endpoint(1)) == NULL);
}

/* The old session had messages in flight. */
TEST(a_restarted_session_leaves_nothing_behind)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.max_peers = 1; /* the restarted client takes its own seat */
    rig *r = rig_host_with(1, &config);
    GIVE(r, rig_endpoint(1), "02 01 02");
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(9, 0)), SB_OK);
    rig_wait(r, 12 * SB_SECOND + 1);
    rig_forget(r);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    rig_step(r);
    (void)!rig_give_hex(r, rig_endpoint(1), "03 01 01 00 00 02");
    CHECK(rig_prove(r, rig_endpoint(1), 3));
    EXPECT_LEFT(r, 2, SB_LEFT_RESTARTED);
    EXPECT_JOINED(r, 3);
    rig_forget(r);
    rig_wait(r, 2 * SB_SECOND);
    CHECK_EQ(rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_DATA), 0);
    GIVE(r, rig_endpoint(1), "03 01 05 0A C0 01 00 03 0A 0A 0A EF");
    rig_wait(r, 11 * SB_SECOND);
    CHECK(sb_transport_host_is_idle(r->host));
    CHECK_EQ(due(r), SB_TIME_NEVER);
}
