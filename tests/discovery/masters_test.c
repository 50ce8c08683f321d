/* tests/discovery/masters_test.c -- spec 05 §5: contents and times of heartbeats. */
#include "discovery/masters.h"
#include "rig.h"
#include "test.h"

#include <stdlib.h>

#define PLAIN   "\\heartbeat\\22101\\gamename\\bcommander"
#define CHANGED PLAIN "\\statechanged\\1"
#define STOPPED PLAIN "\\statechanged\\2"

/* Expects the next heartbeat exactly `after_us` from now. */
static void check_heartbeat(rig *r, sb_time after_us, const char *expected)
{
    CHECK_EQ(sb_responder_next_deadline(r->responder) - r->now, after_us);
    if (after_us > 0) {
        CHECK(!next_packet(r));
        r->now += after_us - 1;
        CHECK(!next_packet(r));
        r->now += 1;
    }
    check_next_packet(r, master, expected);
    CHECK(!next_packet(r));
}

/* Three heartbeats in the first ten seconds (spec 05 §5.2). */
static void open_master(rig *r)
{
    sb_responder_set_master(r->responder, 0, master, r->now);
    check_heartbeat(r, 0, PLAIN);
    check_heartbeat(r, 4 * SB_SECOND, PLAIN);
    check_heartbeat(r, 4 * SB_SECOND, PLAIN);
}

static rig registered_rig(void)
{
    rig r = new_rig();
    CHECK_EQ(sb_responder_next_deadline(r.responder), SB_TIME_NEVER);
    open_master(&r);
    return r;
}

static bool is_heard(const rig *r, unsigned index)
{
    sb_master_view view;
    return sb_responder_master(r->responder, index, &view) && view.heard_at != SB_TIME_NEVER;
}

static void be_asked(rig *r, sb_endpoint by)
{
    CHECK_EQ(ask(r, by, "\\basic\\"), SB_OK);
    CHECK_EQ(drain(r), 1);
}

TEST(heartbeats_repeat_ten_times_until_a_query_comes)
{
    rig r = registered_rig();
    for (int i = 0; i < 10; i++) check_heartbeat(&r, 30 * SB_SECOND, PLAIN);
    for (int i = 0; i < 20; i++) check_heartbeat(&r, 60 * SB_SECOND, PLAIN);
    CHECK_EQ(counted(&r, SB_QUERY_HEARTBEATS), 33);
    CHECK_EQ(counted(&r, SB_QUERY_ANSWERS), 0);
    be_asked(&r, stranger); /* a query restarts the repeats */
    check_heartbeat(&r, 60 * SB_SECOND, PLAIN);
    for (int i = 0; i < 10; i++) check_heartbeat(&r, 30 * SB_SECOND, PLAIN);
    check_heartbeat(&r, 60 * SB_SECOND, PLAIN);
    close_rig(&r);
}

TEST(heartbeats_are_steady_while_queries_come)
{
    rig r = registered_rig();
    for (int i = 0; i < 20; i++) {
        r.now += 10 * SB_SECOND;
        be_asked(&r, stranger);
        check_heartbeat(&r, 50 * SB_SECOND, PLAIN);
    }
    close_rig(&r);
}

TEST(malformed_queries_do_not_end_the_repeating)
{
    rig r = registered_rig();
    CHECK(ask(&r, master, "\\foo\\") != SB_OK);
    CHECK(ask(&r, master, "\\final\\") != SB_OK);
    CHECK(!is_heard(&r, 0));
    check_heartbeat(&r, 30 * SB_SECOND, PLAIN);
    close_rig(&r);
}

TEST(state_changes_are_announced_at_most_every_5_s)
{
    rig r = registered_rig();
    be_asked(&r, stranger);
    r.now += SB_SECOND;
    sb_responder_state_changed(r.responder, r.now);
    check_heartbeat(&r, 0, CHANGED);
    r.now += SB_SECOND;
    sb_responder_state_changed(r.responder, r.now);
    r.now += SB_SECOND;
    sb_responder_state_changed(r.responder, r.now);
    check_heartbeat(&r, 3 * SB_SECOND, CHANGED);
    be_asked(&r, stranger);
    check_heartbeat(&r, 60 * SB_SECOND, PLAIN); /* counted from the last heartbeat of any kind */
    close_rig(&r);
}

TEST(state_changes_do_not_use_up_the_repetitions)
{
    rig r = registered_rig();
    for (int i = 0; i < 30; i++) {
        r.now += 6 * SB_SECOND;
        sb_responder_state_changed(r.responder, r.now);
        check_heartbeat(&r, 0, CHANGED);
    }
    for (int i = 0; i < 10; i++) check_heartbeat(&r, 30 * SB_SECOND, PLAIN);
    check_heartbeat(&r, 60 * SB_SECOND, PLAIN);
    close_rig(&r);
}

TEST(stopping_is_announced_once)
{
    rig r = registered_rig();
    sb_responder_state_changed(r.responder, r.now);
    check_heartbeat(&r, 0, CHANGED);
    sb_responder_state_changed(r.responder, r.now);
    sb_responder_stop(r.responder, r.now);
    check_heartbeat(&r, 0, STOPPED);
    sb_responder_stop(r.responder, r.now);
    sb_responder_state_changed(r.responder, r.now);
    sb_responder_set_master(r.responder, 1, (sb_endpoint){ 1, 2 }, r.now);
    CHECK_EQ(sb_responder_next_deadline(r.responder), SB_TIME_NEVER);
    r.now += 1000 * SB_SECOND;
    CHECK(!next_packet(&r));
    close_rig(&r);
}

TEST(announced_port_is_configurable)
{
    rig r = { 0 };
    sb_responder_defaults(&r.config);
    r.config.heartbeat_port = 0;
    r.config.own.port = 22101;
    open_rig(&r);
    sb_responder_set_master(r.responder, 0, master, r.now);
    sb_responder_state_changed(r.responder, r.now);
    check_next_packet(&r, master, "\\heartbeat\\0\\gamename\\bcommander\\statechanged\\1");
    CHECK_EQ(r.size, 47); /* spec 05 §5.1 */
    r.config.heartbeat_port = 65535;
    sb_responder_init(r.responder, &r.config, r.now);
    sb_responder_set_master(r.responder, 0, master, r.now);
    check_next_packet(&r, master, "\\heartbeat\\65535\\gamename\\bcommander");
    close_rig(&r);
}

TEST(short_steady_intervals_are_kept)
{
    rig r = { 0 };
    sb_responder_defaults(&r.config);
    r.config.heartbeat_us = 10 * SB_SECOND;
    r.config.own.port = 22101;
    open_rig(&r);
    open_master(&r);
    check_heartbeat(&r, 10 * SB_SECOND, PLAIN);
    close_rig(&r);
}

TEST(heartbeats_that_are_due_do_not_tell_of_changes_too_early)
{
    rig r = { 0 };
    sb_responder_defaults(&r.config);
    r.config.heartbeat_us = 2 * SB_SECOND;
    r.config.own.port = 22101;
    open_rig(&r);
    sb_responder_set_master(r.responder, 0, master, r.now);
    sb_responder_state_changed(r.responder, r.now);
    check_heartbeat(&r, 0, CHANGED);
    sb_responder_state_changed(r.responder, r.now);
    check_heartbeat(&r, 2 * SB_SECOND, PLAIN);
    check_heartbeat(&r, 2 * SB_SECOND, PLAIN);
    check_heartbeat(&r, 1 * SB_SECOND, CHANGED);
    check_heartbeat(&r, 2 * SB_SECOND, PLAIN);
    close_rig(&r);
}

TEST(masters_are_independent_and_can_change)
{
    rig         r = new_rig();
    sb_endpoint second = { 0x01020304, 1234 }, moved = { 0x01020305, 1234 };
    sb_responder_set_master(r.responder, 0, master, r.now);
    sb_responder_set_master(r.responder, SB_MASTERS_MAX - 1, second, r.now);
    sb_responder_set_master(r.responder, 5, (sb_endpoint){ 0, 27900 }, r.now);
    sb_responder_set_master(r.responder, 6, (sb_endpoint){ 1, 0 }, r.now);
    for (int i = 0; i < 3; i++) {
        check_next_packet(&r, master, PLAIN);
        check_next_packet(&r, second, PLAIN);
        CHECK(!next_packet(&r));
        if (i < 2) r.now += 4 * SB_SECOND;
    }

    r.now += 10 * SB_SECOND; /* resolved again: the first is the same, the second moved */
    sb_responder_set_master(r.responder, 0, master, r.now);
    sb_responder_set_master(r.responder, SB_MASTERS_MAX - 1, moved, r.now);
    check_next_packet(&r, moved, PLAIN);
    CHECK(!next_packet(&r));
    for (int i = 0; i < 2; i++) {
        r.now += 4 * SB_SECOND;
        check_next_packet(&r, moved, PLAIN);
        CHECK(!next_packet(&r));
    }
    r.now += 12 * SB_SECOND;
    check_next_packet(&r, master, PLAIN);
    CHECK(!next_packet(&r));
    sb_responder_set_master(r.responder, 0, (sb_endpoint){ 0, 0 }, r.now);
    sb_responder_stop(r.responder, r.now);
    check_next_packet(&r, moved, STOPPED);
    CHECK(!next_packet(&r));
    close_rig(&r);
}

TEST(a_master_that_asks_after_a_heartbeat_is_registered)
{
    rig         r = new_rig();
    sb_endpoint asking = { master.address, 27901 };
    sb_responder_set_master(r.responder, 2, master, r.now);
    CHECK_EQ(ask(&r, asking, "\\status\\"), SB_OK); /* before the heartbeat */
    CHECK(!is_heard(&r, 2));
    CHECK_EQ(drain(&r), 2);
    be_asked(&r, stranger);
    CHECK(!is_heard(&r, 2));
    be_asked(&r, asking);
    CHECK(is_heard(&r, 2));
    CHECK(!is_heard(&r, 1));
    CHECK(!is_heard(&r, SB_MASTERS_MAX));
    sb_responder_set_master(r.responder, 2, (sb_endpoint){ 1, 2 }, r.now);
    CHECK(!is_heard(&r, 2));
    close_rig(&r);
}

TEST(the_view_of_a_master_has_both_times)
{
    rig            r = new_rig();
    sb_master_view view;
    CHECK(!sb_responder_master(r.responder, 0, &view));
    sb_responder_set_master(r.responder, 0, master, r.now);
    CHECK(sb_responder_master(r.responder, 0, &view));
    CHECK(view.sent_at == SB_TIME_NEVER && view.heard_at == SB_TIME_NEVER);
    CHECK_EQ(view.address.address, master.address);
    sb_time first = r.now;
    check_heartbeat(&r, 0, PLAIN);
    r.now += SB_SECOND;
    be_asked(&r, master);
    CHECK(sb_responder_master(r.responder, 0, &view));
    CHECK(view.sent_at == first && view.heard_at == r.now);
    sb_responder_set_master(r.responder, SB_MASTERS_MAX - 1, (sb_endpoint){ 1, 2 }, r.now);
    CHECK(sb_responder_master(r.responder, SB_MASTERS_MAX - 1, &view));
    CHECK(view.address.address == 1 && view.address.port == 2);
    close_rig(&r);
}

/* A query of a stranger proves nothing about the heartbeat; one of the master does. */
TEST(only_the_master_itself_ends_the_first_heartbeats)
{
    rig r = new_rig();
    sb_responder_set_master(r.responder, 0, master, r.now);
    check_heartbeat(&r, 0, PLAIN);
    be_asked(&r, stranger);
    check_heartbeat(&r, 4 * SB_SECOND, PLAIN);
    be_asked(&r, master);
    check_heartbeat(&r, 60 * SB_SECOND, PLAIN);
    close_rig(&r);
}

TEST(heartbeats_precede_queries_but_do_not_split_an_answer)
{
    rig r = new_rig();
    CHECK_EQ(ask(&r, neighbour, "\\packets\\"), SB_OK);
    CHECK_EQ(ask(&r, neighbour, "\\rules\\"), SB_OK);
    CHECK(next_packet(&r));
    sb_responder_set_master(r.responder, 0, master, r.now);
    for (int i = 0; i < 3; i++) {
        CHECK(next_packet(&r));
        CHECK_EQ(r.to.address, neighbour.address);
    }
    check_next_packet(&r, master, PLAIN);
    check_next_packet(&r, neighbour, RULES "\\final\\\\queryid\\2.1");
    close_rig(&r);
}

TEST(times_at_the_edge_do_no_harm)
{
    static const sb_time times[] = { INT64_MIN, -1, 0, INT64_MAX };
    rig                  r = new_rig();
    for (size_t i = 0; i < 4; i++) {
        r.now = times[i];
        sb_responder_set_master(r.responder, (unsigned)i, (sb_endpoint){ 1, 2 }, r.now);
        sb_responder_state_changed(r.responder, r.now);
        CHECK_EQ(ask(&r, stranger, "\\rules\\"), SB_OK);
        CHECK(drain(&r) >= 2);
    }
    r.now = INT64_MIN; /* a clock that jumps back */
    sb_responder_stop(r.responder, r.now);
    CHECK_EQ(ask(&r, stranger, "\\rules\\"), SB_OK);
    CHECK_EQ(drain(&r), 5);
    close_rig(&r);
}

/* ---- the whole table ---- */

static sb_endpoint endpoint_of(unsigned index)
{
    return (sb_endpoint){ 0x50000000 + index, SB_MASTER_PORT };
}

/* A table with all masters, in memory of its exact size, so that sanitizers see overreads. */
static sb_masters *new_full_table(void)
{
    sb_masters *m = malloc(sizeof *m);
    CHECK(m);
    sb_masters_init(m, 60 * SB_SECOND);
    for (unsigned i = 0; i < SB_MASTERS_MAX; i++) sb_masters_set(m, i, endpoint_of(i), 0);
    return m;
}

/* Expects one heartbeat to each master, in their order, and nothing after them. */
static void check_round(sb_masters *m, sb_time now, const char *expected)
{
    uint8_t     out[SB_ANSWER_MAX];
    sb_endpoint to;
    for (unsigned i = 0; i < SB_MASTERS_MAX; i++) {
        check_span((sb_span){ out, sb_masters_write(m, now, 22101, &to, out, sizeof out) },
                   expected);
        CHECK_EQ(to.address, endpoint_of(i).address);
    }
    CHECK_EQ(sb_masters_write(m, now, 22101, &to, out, sizeof out), 0);
    sb_masters_check(m);
}

TEST(every_master_is_found_by_its_address)
{
    sb_masters *m = new_full_table();
    for (unsigned i = 0; i < SB_MASTERS_MAX; i++)
        CHECK_EQ(sb_masters_find(m, endpoint_of(i).address), i);
    CHECK_EQ(sb_masters_find(m, stranger.address), -1);
    sb_masters_set(m, 3, (sb_endpoint){ 0, 0 }, 0);
    CHECK_EQ(sb_masters_find(m, endpoint_of(3).address), -1);
    CHECK_EQ(sb_masters_find(m, 0), -1);
    free(m);
}

TEST(every_master_gets_heartbeats_changes_and_the_stop)
{
    sb_masters *m = new_full_table();
    check_round(m, 0, PLAIN);
    CHECK_EQ(sb_masters_next_deadline(m), 4 * SB_SECOND);
    sb_masters_state_changed(m, SB_SECOND);
    check_round(m, SB_SECOND, CHANGED);
    sb_masters_state_changed(m, 2 * SB_SECOND); /* not told any more */
    sb_masters_stop(m, 3 * SB_SECOND);
    CHECK_EQ(sb_masters_next_deadline(m), 3 * SB_SECOND);
    check_round(m, 3 * SB_SECOND, STOPPED);
    CHECK_EQ(sb_masters_next_deadline(m), SB_TIME_NEVER);
    free(m);
}

TEST(a_query_is_noted_for_every_master)
{
    sb_masters *m = new_full_table();
    for (int i = 0; i < 3; i++) check_round(m, i * 4 * SB_SECOND, PLAIN);
    CHECK_EQ(sb_masters_next_deadline(m), (8 + 30) * SB_SECOND);
    sb_masters_handle_query(m, stranger.address, 9 * SB_SECOND);
    CHECK_EQ(sb_masters_next_deadline(m), (8 + 60) * SB_SECOND);
    for (unsigned i = 0; i < SB_MASTERS_MAX; i++) {
        CHECK_EQ(m->all[i].heard_at, SB_TIME_NEVER);
        sb_masters_handle_query(m, endpoint_of(i).address, 10 * SB_SECOND + i);
        CHECK_EQ(m->all[i].heard_at, 10 * SB_SECOND + i);
    }
    free(m);
}

TEST(the_last_master_alone_has_a_deadline)
{
    sb_masters *m = new_full_table();
    check_round(m, 0, PLAIN);
    for (unsigned i = 0; i + 1 < SB_MASTERS_MAX; i++)
        sb_masters_set(m, i, (sb_endpoint){ 0, 0 }, 0);
    CHECK_EQ(sb_masters_next_deadline(m), 4 * SB_SECOND);
    free(m);
}

TEST(a_heartbeat_beyond_the_end_of_time_is_never_due)
{
    sb_masters *m = new_full_table();
    sb_time     last = SB_TIME_NEVER - 4 * SB_SECOND;
    check_round(m, last - 1, PLAIN);
    CHECK_EQ(sb_masters_next_deadline(m), SB_TIME_NEVER - 1);
    sb_masters_init(m, 60 * SB_SECOND);
    for (unsigned i = 0; i < SB_MASTERS_MAX; i++) sb_masters_set(m, i, endpoint_of(i), 0);
    check_round(m, last + 1, PLAIN);
    CHECK_EQ(sb_masters_next_deadline(m), SB_TIME_NEVER);
    free(m);
}
