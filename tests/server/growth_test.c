/* tests/server/growth_test.c -- a room that moves into larger memory. From outside:
 * reconfigure_test.c. */
#include "rig.h"

#include "server/server_internal.h"

static room *room_that_wants(uint32_t players)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = 2;
    room *r = room_open(&c);
    r->server->wanted_players = players;
    return r;
}

TEST(a_room_that_moves_keeps_every_counter_and_record)
{
    room      *r = room_that_wants(3);
    sb_server *old = r->server;
    old->counters[0] = 11;
    old->counters[SB_SERVER_COUNTER_COUNT - 1] = 12;
    old->implausible[0] = 13;
    old->implausible[SB_IMPLAUSIBLE_COUNT - 1] = 14;
    old->file_records[0].address = 15;
    old->file_records[FILE_RECORDS_MAX - 1].address = 16;
    old->file_sources[0].bytes = 17;
    old->file_sources[FILE_SOURCES_MAX - 1].bytes = 18;
    old->refusals_reported = 19;
    sb_server_config c = old->config;
    c.max_players = 3;
    CHECK_EQ(sb_server_wanted_bytes(old), sb_server_bytes(&c));
    r->now += 5 * SB_SECOND;
    CHECK(room_move(r));
    const sb_server *s = r->server;
    CHECK(s != old);
    CHECK_EQ(s->now, r->now);
    CHECK_EQ(s->started_at, r->now);
    CHECK_EQ(s->capacity, 3);
    CHECK_EQ(s->config.max_players, 3);
    CHECK_EQ(s->counters[0], 11);
    CHECK_EQ(s->counters[SB_SERVER_COUNTER_COUNT - 1], 12);
    CHECK_EQ(s->implausible[0], 13);
    CHECK_EQ(s->implausible[SB_IMPLAUSIBLE_COUNT - 1], 14);
    CHECK_EQ(s->file_records[0].address, 15);
    CHECK_EQ(s->file_records[FILE_RECORDS_MAX - 1].address, 16);
    CHECK_EQ(s->file_sources[0].bytes, 17);
    CHECK_EQ(s->file_sources[FILE_SOURCES_MAX - 1].bytes, 18);
    CHECK_EQ(s->refusals_reported, 19);
    CHECK_EQ(sb_server_wanted_bytes(s), 0);
}

TEST(masters_are_told_of_a_room_that_has_moved)
{
    room *r = room_that_wants(3);
    sb_server_set_master(r->server, 0, (sb_endpoint){ 0x51CD5D5E, SB_MASTER_PORT }, r->now);
    room_wait(r, 30 * SB_SECOND);
    uint64_t told = r->answers;
    CHECK(room_move(r));
    CHECK_EQ(r->answers, told + 1);
}

TEST(a_room_stays_where_it_is_without_a_reason_to_move)
{
    room *r = room_that_wants(2);
    CHECK_EQ(sb_server_wanted_bytes(r->server), 0);
    CHECK(!sb_server_move(r->server, NULL, r->now)); /* the memory is not used */
    r = room_that_wants(3);
    r->server->has_next = true; /* a configuration that waits for the room to be empty */
    CHECK(!sb_server_move(r->server, NULL, r->now));
    r->server->has_next = false;
    seat *s = room_connect(r, "Alpha");
    CHECK(!sb_server_move(r->server, NULL, r->now));
    CHECK(sb_server_kick(r->server, r->now, s->id, (sb_span){ NULL, 0 }));
    CHECK(seat_is_removed(r, s));
    sb_server_stop(r->server, r->now);
    CHECK(!sb_server_move(r->server, NULL, r->now));
    room_wait(r, 5 * SB_SECOND);
    CHECK(!sb_server_move(r->server, NULL, r->now));
}
