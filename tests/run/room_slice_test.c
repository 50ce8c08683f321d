/* tests/run/room_slice_test.c -- what a slice shows of dormant rooms, rooms and players. */
#include "run/room_slice.h"

#include "server/rig.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static sb_room        rooms[3];
static sb_room       *order[3] = { &rooms[0], &rooms[1], &rooms[2] };
static sb_room_slice *slice;

/* The first room is dormant, the second one empty, the third one has two players. */
static room *open_slice(size_t first, size_t count)
{
    sb_server_config config;
    sb_server_defaults(&config);
    room *r = room_open(NULL);
    rooms[0] = (sb_room){ .start = config };
    rooms[1] = (sb_room){ .server = room_open(NULL)->server };
    rooms[2] = (sb_room){ .server = r->server };
    slice = malloc(sizeof *slice);
    CHECK(slice);
    memset(slice, 0xA5, sizeof *slice);
    slice->first = first;
    slice->count = count;
    slice->wake = -1;
    atomic_init(&slice->done, false);
    return r;
}

TEST(a_slice_has_the_rooms_that_were_asked_for)
{
    room *r = open_slice(1, 2);
    (void)room_join(r, "Alpha");
    (void)room_join(r, "Beta");
    sb_room_slice_fill(slice, order, r->now);
    CHECK(atomic_load(&slice->done));
    CHECK(slice->rooms[0].started);
    CHECK_EQ(slice->rooms[0].player_count, 0);
    const sb_room_figures *f = &slice->rooms[1];
    CHECK_EQ(f->in_game, 2);
    CHECK_EQ(f->player_count, 2);
    CHECK_EQ(f->player_limit, 8);
    CHECK_TEXT(f->system, "Multi1");
    CHECK_TEXT(f->mode->key, "ffa");
    CHECK_TEXT(f->players[0].name, "Alpha");
    CHECK_TEXT(f->players[1].name, "Beta");
    CHECK(f->players[0].ship == NULL);
    CHECK_EQ(slice->messages[SB_SERVER_COUNT_JOINS], 2);
    CHECK(slice->datagrams[SB_TRANSPORT_COUNT_DATAGRAMS_IN] > 0);
    free(slice);
}

TEST(a_dormant_room_shows_its_configuration)
{
    room *r = open_slice(0, 1);
    sb_room_slice_fill(slice, order, r->now);
    const sb_room_figures *f = &slice->rooms[0];
    CHECK(!f->started && !f->over);
    CHECK_EQ(f->player_count, 0);
    CHECK_EQ(f->player_limit, 8);
    CHECK_EQ(f->seconds_left, -1);
    CHECK_EQ(f->masters[0].address.port, 0);
    CHECK_TEXT(f->system, "Multi1");
    CHECK_EQ(slice->messages[SB_SERVER_COUNT_MESSAGES_IN], 0);
    CHECK_EQ(slice->round_trips.sum_us, 0);
    CHECK(rooms[0].server == NULL);
    free(slice);
}

TEST(a_finished_slice_wakes_its_reader)
{
    room    *r = open_slice(0, 3);
    uint64_t count = 0;
    slice->wake = eventfd(0, EFD_NONBLOCK);
    sb_room_slice_fill(slice, order, r->now);
    CHECK_EQ(read(slice->wake, &count, sizeof count), (long long)sizeof count);
    CHECK_EQ(count, 1);
    close(slice->wake);
    free(slice);
}

TEST(a_match_that_ends_is_counted)
{
    room *r = open_slice(2, 1);
    (void)room_join(r, "Alpha");
    sb_server_end_match(r->server, r->now, SB_END_GENERIC);
    sb_room_slice_fill(slice, order, r->now);
    CHECK_EQ(slice->messages[SB_SERVER_COUNT_MATCHES], 1);
    CHECK(slice->rooms[0].over);
    free(slice);
}
