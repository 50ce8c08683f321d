/* tests/run/player_loop_test.c -- headless players in a room, over real sockets. */
#include "run/player_loop.h"

#include "base/random.h"
#include "platform/clock.h"
#include "run/room_loop.h"
#include "test.h"
#include "transport/deadlines.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { LOOPBACK = 0x7F000001, PLAYERS = 6 };

/* ---- a room on a thread of its own ---- */

typedef struct rig {
    sb_room       room, *rooms[1];
    sb_room_loop *loop;
    void         *memory;
} rig;

static void open_room(rig *r)
{
    char             error[SB_UDP_ERROR_MAX];
    sb_udp_options   options = { .local = { LOOPBACK, 0 } };
    sb_server_config config;
    memset(r, 0, sizeof *r);
    sb_server_defaults(&config);
    r->memory = calloc(1, sb_server_bytes(&config));
    r->room.server = sb_server_init(r->memory, &config, sb_clock_now());
    if (sb_udp_open(&r->room.udp, &options, error) != SB_OK) FAIL("%s", error);
    r->rooms[0] = &r->room;
    r->loop = sb_room_loop_create(r->rooms, 1);
    CHECK(r->loop != NULL);
    CHECK_EQ(sb_room_loop_start(r->loop), SB_OK);
}

static void close_room(rig *r)
{
    sb_room_command stop = { .type = SB_ROOM_STOP, .room = SB_ROOM_ALL };
    CHECK(sb_room_loop_post(r->loop, &stop));
    sb_room_loop_join(r->loop);
    sb_room_loop_destroy(r->loop);
    sb_udp_close(&r->room.udp);
    free(r->memory);
}

/* ---- players ---- */

typedef struct seen {
    unsigned        joined, left, marks, messages;
    sb_leave_reason reason[PLAYERS];
} seen;

static void note(void *context, size_t index, const sb_client *client, const sb_client_event *e)
{
    seen *s = context;
    s->joined += e->type == SB_CLIENT_PHASE && e->value == SB_CLIENT_LOBBY;
    s->messages += e->type == SB_CLIENT_MESSAGE;
    if (e->type == SB_CLIENT_CHAT && e->peer_id != sb_client_id(client)) s->marks++;
    if (e->type != SB_CLIENT_LEFT) return;
    s->left++;
    s->reason[index] = e->reason;
}

static sb_player_loop *start(seen *s, sb_endpoint server, size_t count, sb_time connect_limit)
{
    static const char *const names[PLAYERS] = { "Ann", "Ben", "Cid", "Dot", "Eve", "Fox" };
    char                     error[SB_UDP_ERROR_MAX];
    sb_player_seat           seats[PLAYERS];
    sb_player_loop_config    config = {
           .seats = seats, .count = count, .on_event = note, .event_context = s
    };
    memset(s, 0, sizeof *s);
    sb_client_defaults(&config.client);
    config.client.transport.connect_limit_us = connect_limit;
    for (size_t i = 0; i < count; i++) {
        seats[i] = (sb_player_seat){ .server = server,
                                     .local_address = sb_player_loop_source_address(server, i),
                                     .name = names[i] };
        sb_pilot_defaults(&seats[i].pilot);
        seats[i].pilot.seed = i;
        seats[i].pilot.latency_marks = true;
    }
    sb_player_loop *loop = sb_player_loop_create(&config, error);
    if (!loop) FAIL("%s", error);
    return loop;
}

/* Steps until *count is `wanted`, at most 20 s. */
static void run_until(sb_player_loop *loop, const unsigned *count, unsigned wanted)
{
    sb_time end = sb_clock_now() + 20 * SB_SECOND;
    while (*count < wanted && sb_clock_now() < end) sb_player_loop_step(loop, end);
    CHECK(*count >= wanted);
}

static void run_out(sb_player_loop *loop)
{
    sb_time end = sb_clock_now() + 5 * SB_SECOND;
    while (!sb_player_loop_is_over(loop) && sb_clock_now() < end) sb_player_loop_step(loop, end);
    CHECK(sb_player_loop_is_over(loop));
}

TEST(players_join_over_sockets_hear_each_other_and_leave)
{
    rig  r;
    seen s;
    open_room(&r);
    sb_player_loop *loop = start(&s, r.room.udp.local, PLAYERS, 15 * SB_SECOND);
    run_until(loop, &s.joined, PLAYERS);
    run_until(loop, &s.marks, PLAYERS * (PLAYERS - 1));
    CHECK_EQ(s.left, 0);
    CHECK_EQ(s.messages, 0);
    for (size_t i = 0; i < PLAYERS; i++) CHECK(sb_player_loop_client(loop, i) != NULL);
    CHECK(sb_player_loop_client(loop, PLAYERS) == NULL);
    CHECK(sb_player_loop_traffic(loop).datagrams_in > PLAYERS);
    sb_player_loop_leave_all(loop);
    run_out(loop);
    CHECK_EQ(s.left, PLAYERS);
    for (size_t i = 0; i < PLAYERS; i++) CHECK_EQ(s.reason[i], SB_LEFT_QUIT);
    sb_player_loop_destroy(loop);
    close_room(&r);
}

/* ---- drones ---- */

typedef struct drones_seen {
    unsigned joined, left, sent, received;
} drones_seen;

static void note_drone(void *context, size_t index, const sb_client *client,
                       const sb_client_event *e)
{
    drones_seen *s = context;
    CHECK(index < PLAYERS && !client);
    s->joined += e->type == SB_CLIENT_PHASE && e->value == SB_CLIENT_FLYING;
    s->left += e->type == SB_CLIENT_LEFT && e->reason == SB_LEFT_QUIT;
    s->sent += e->type == SB_CLIENT_QUEUED && e->bytes.data[0] == SB_OP_STATE_UPDATE;
    s->received += e->type == SB_CLIENT_MESSAGE && e->bytes.data[0] == SB_OP_STATE_UPDATE;
}

TEST(drones_join_over_sockets_fly_and_leave)
{
    rig                   r;
    drones_seen           s = { 0 };
    char                  error[SB_UDP_ERROR_MAX];
    sb_player_seat        seats[PLAYERS];
    sb_player_loop_config config = { .seats = seats,
                                     .count = PLAYERS,
                                     .drones = true,
                                     .messages = true,
                                     .on_event = note_drone,
                                     .event_context = &s };
    open_room(&r);
    for (unsigned i = 0; i < PLAYERS; i++) {
        sb_endpoint server = r.room.udp.local;
        seats[i] = (sb_player_seat){ .server = server,
                                     .local_address = sb_player_loop_source_address(server, i),
                                     .name = "Drone",
                                     .place = i,
                                     .pilot = { .seed = i } };
    }
    sb_player_loop *loop = sb_player_loop_create(&config, error);
    CHECK(loop != NULL);
    CHECK(sb_player_loop_transport(loop, 0) == NULL);
    run_until(loop, &s.joined, PLAYERS);
    run_until(loop, &s.received, 10 * PLAYERS);
    CHECK(s.sent > PLAYERS);
    CHECK(sb_player_loop_client(loop, 0) == NULL);
    CHECK(sb_player_loop_pilot(loop, 0) == NULL);
    CHECK(sb_player_loop_transport(loop, 0) != NULL);
    sb_player_loop_leave_all(loop);
    run_out(loop);
    CHECK_EQ(s.left, PLAYERS);
    sb_player_loop_destroy(loop);
    close_room(&r);
}

/* ---- others ---- */

TEST(players_at_play_allocate_nothing)
{
    rig  r;
    seen s;
    open_room(&r);
    sb_player_loop *loop = start(&s, r.room.udp.local, 4, 15 * SB_SECOND);
    run_until(loop, &s.joined, 4);
    struct mallinfo2 before = mallinfo2();
    run_until(loop, &s.marks, 24);
    struct mallinfo2 after = mallinfo2();
    CHECK_EQ(after.uordblks, before.uordblks);
    CHECK_EQ(after.hblkhd, before.hblkhd);
    sb_player_loop_destroy(loop);
    close_room(&r);
}

TEST(a_player_whom_nobody_answers_is_told_so)
{
    seen           s;
    char           error[SB_UDP_ERROR_MAX];
    sb_udp         mute; /* a port that is taken, but where nobody answers */
    sb_udp_options options = { .local = { LOOPBACK, 0 } };
    if (sb_udp_open(&mute, &options, error) != SB_OK) FAIL("%s", error);
    sb_player_loop *loop = start(&s, mute.local, 1, SB_SECOND / 5);
    run_until(loop, &s.left, 1);
    CHECK_EQ(s.reason[0], SB_LEFT_NO_ANSWER);
    CHECK_EQ(s.joined, 0);
    run_out(loop);
    sb_player_loop_destroy(loop);
    sb_udp_close(&mute);
}

TEST(a_player_who_has_not_begun_leaves_at_once)
{
    char                  error[SB_UDP_ERROR_MAX];
    sb_player_seat        seat = { .server = { LOOPBACK, 9 },
                                   .name = "Late",
                                   .start_us = 3600 * SB_SECOND };
    sb_player_loop_config config = { .seats = &seat, .count = 1 };
    sb_client_defaults(&config.client);
    sb_pilot_defaults(&seat.pilot);
    sb_player_loop *loop = sb_player_loop_create(&config, error);
    CHECK(loop != NULL);
    CHECK(sb_player_loop_client(loop, 0) == NULL);
    CHECK(sb_player_loop_pilot(loop, 0) == NULL);
    CHECK(!sb_player_loop_is_over(loop));
    sb_player_loop_leave_all(loop);
    CHECK(sb_player_loop_is_over(loop));
    sb_player_loop_destroy(loop);
}

static void count_read(void *context)
{
    uint64_t value;
    int     *descriptor = context;
    if (read(*descriptor, &value, sizeof value) != (ssize_t)sizeof value) FAIL("nothing there");
    *descriptor = -1;
}

TEST(descriptors_of_the_caller_wake_the_loop)
{
    seen            s;
    sb_endpoint     nowhere = { LOOPBACK, 9 };
    sb_player_loop *loop = start(&s, nowhere, 1, 15 * SB_SECOND);
    int             fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK), place = fd;
    CHECK(sb_player_loop_watch(loop, fd, count_read, &place));
    for (int i = 0; i < 100 && place >= 0; i++)
        sb_player_loop_step(loop, sb_clock_now() + SB_SECOND);
    CHECK_EQ(place, -1);
    for (int i = 1; i < SB_LOOP_WATCHED_MAX; i++) {
        int other = eventfd(0, EFD_CLOEXEC);
        CHECK(sb_player_loop_watch(loop, other, count_read, &place));
    }
    CHECK(!sb_player_loop_watch(loop, STDIN_FILENO, count_read, &place));
    sb_player_loop_destroy(loop);
    (void)close(fd);
}

TEST(a_turn_ends_when_the_caller_wants_it_to)
{
    seen            s;
    sb_endpoint     nowhere = { LOOPBACK, 9 };
    sb_player_loop *loop = start(&s, nowhere, 1, 15 * SB_SECOND);
    sb_time         end = sb_clock_now() + SB_SECOND / 10;
    while (sb_clock_now() < end) sb_player_loop_step(loop, end);
    CHECK(sb_clock_now() < end + 5 * SB_SECOND);
    CHECK(sb_player_loop_wakeups(loop) < 200); /* nobody spins */
    sb_player_loop_destroy(loop);
}

/* ---- addresses ---- */

TEST(on_this_machine_four_players_share_an_address)
{
    sb_endpoint here = { LOOPBACK, 22101 }, there = { 0xC0000207, 22101 };
    CHECK_EQ(sb_player_loop_source_address(here, 0), LOOPBACK);
    CHECK_EQ(sb_player_loop_source_address(here, 3), LOOPBACK);
    CHECK_EQ(sb_player_loop_source_address(here, 4), LOOPBACK + 1);
    CHECK_EQ(sb_player_loop_source_address(here, 1000000) >> 24, 127);
    CHECK_EQ(sb_player_loop_source_address(there, 4), 0);
    CHECK(sb_player_loop_start_delay(there, 20) > sb_player_loop_start_delay(here, 20));
    CHECK_EQ(sb_player_loop_start_delay(here, 0), 0);
}

/* ---- the heap that the loop sleeps by ---- */

enum { KEYS = 97 };

static sb_time earliest(const sb_time *times)
{
    sb_time least = SB_TIME_NEVER;
    for (int i = 0; i < KEYS; i++)
        if (times[i] < least) least = times[i];
    return least;
}

TEST(the_earliest_deadline_is_found_whatever_moves)
{
    sb_deadline  items[KEYS];
    sb_deadlines heap;
    sb_time      times[KEYS];
    sb_random    random;
    sb_random_init(&random, 7);
    sb_deadlines_init(&heap, items, KEYS);
    for (int i = 0; i < KEYS; i++) times[i] = SB_TIME_NEVER;
    for (int i = 0; i < 20000; i++) {
        uint16_t key = (uint16_t)sb_random_below(&random, KEYS);
        bool     never = sb_random_below(&random, 4) == 0;
        times[key] = never ? SB_TIME_NEVER : (sb_time)sb_random_below(&random, 1000);
        sb_deadlines_set(&heap, key, times[key]);
        CHECK_EQ(sb_deadlines_next(&heap), earliest(times));
        if (heap.count > 0) CHECK_EQ(times[sb_deadlines_first(&heap)], earliest(times));
    }
}
