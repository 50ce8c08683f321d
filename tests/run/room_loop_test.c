/* tests/run/room_loop_test.c -- rooms on real sockets: prompt answers, fairness between rooms, no
 * wake-ups while idle, commands. */
#include "run/room_loop.h"

#include "platform/clock.h"
#include "test.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOOPBACK = 0x7F000001, ROOMS = 3 };

typedef struct rig {
    sb_room       rooms[ROOMS];
    sb_room      *order[ROOMS];
    sb_room_loop *loop;
    sb_udp        player;
    sb_udp_batch *batch;
} rig;

static sb_udp open_socket(void)
{
    sb_udp udp;
    char   error[SB_UDP_ERROR_MAX];
    if (sb_udp_open(&udp, &(sb_udp_options){ .local = { LOOPBACK, 0 } }, error) != SB_OK)
        FAIL("%s", error);
    return udp;
}

/* Dormant rooms; `running`: started ones. */
static void open_rooms(rig *r, bool running)
{
    *r = (rig){ .player = open_socket(), .batch = sb_udp_batch_create() };
    for (int i = 0; i < ROOMS; i++) {
        sb_server_config config;
        sb_server_defaults(&config);
        config.seed = 7;
        r->rooms[i].udp = open_socket();
        r->rooms[i].memory_bytes = sb_server_bytes(&config);
        r->rooms[i].memory = calloc(1, r->rooms[i].memory_bytes);
        CHECK(r->rooms[i].memory);
        r->rooms[i].start = config;
        if (running)
            r->rooms[i].server = sb_server_init(r->rooms[i].memory, &config, sb_clock_now());
        r->order[i] = &r->rooms[i];
    }
    r->loop = sb_room_loop_create(r->order, ROOMS);
    CHECK(r->loop);
}

static void open_rig(rig *r)
{
    open_rooms(r, true);
}

static void close_rig(rig *r)
{
    sb_room_loop_destroy(r->loop);
    for (int i = 0; i < ROOMS; i++) {
        sb_udp_close(&r->rooms[i].udp);
        sb_room_free_memory(&r->rooms[i]);
    }
    sb_udp_close(&r->player);
    sb_udp_batch_destroy(r->batch);
}

static void post(rig *r, sb_room_command_type type, int room)
{
    CHECK(sb_room_loop_post(r->loop, &(sb_room_command){ .type = type, .room = room }));
}

static void stop_rig(rig *r)
{
    post(r, SB_ROOM_STOP, SB_ROOM_ALL);
    sb_room_loop_join(r->loop);
}

static void send_text(rig *r, int room, const char *text)
{
    memcpy(sb_udp_next_buffer(&r->player, r->batch), text, strlen(text));
    sb_udp_send(&r->player, r->batch, r->rooms[room].udp.local, strlen(text));
    sb_udp_flush(&r->player, r->batch);
}

/* The answer of a room; empty: none within two seconds. */
static sb_span await_answer(rig *r, sb_endpoint *from)
{
    struct pollfd ready = { .fd = r->player.descriptor, .events = POLLIN };
    if (poll(&ready, 1, 2000) != 1 || sb_udp_receive(&r->player, r->batch, 1) != 1)
        return (sb_span){ NULL, 0 };
    return sb_udp_received(r->batch, 0, from);
}

static bool contains(sb_span text, const char *word)
{
    return memmem(text.data, text.size, word, strlen(word)) != NULL;
}

TEST(every_room_answers_on_its_own_socket)
{
    rig r;
    open_rig(&r);
    CHECK_EQ(sb_room_loop_start(r.loop), SB_OK);
    for (int i = 0; i < ROOMS; i++) {
        sb_endpoint from;
        send_text(&r, i, "\\basic\\");
        sb_span answer = await_answer(&r, &from);
        CHECK(contains(answer, "\\gamename\\bcommander"));
        CHECK_EQ(from.port, r.rooms[i].udp.local.port);
    }
    stop_rig(&r);
    CHECK_EQ(atomic_load(&r.rooms[1].traffic.datagrams_in), 1);
    CHECK_EQ(atomic_load(&r.rooms[1].traffic.datagrams_out), 1);
    close_rig(&r);
}

/* A loop receives the garbage in one room's socket in portions, and other rooms run in between. The
 * stop command runs in the first step, so only few portions are received. */
TEST(a_flood_on_one_room_leaves_the_others_their_turn)
{
    rig         r;
    sb_endpoint from;
    open_rig(&r);
    for (int i = 0; i < 500; i++) send_text(&r, 0, "garbage");
    send_text(&r, 2, "\\basic\\");
    post(&r, SB_ROOM_STOP, SB_ROOM_ALL);
    sb_room_loop_run(r.loop);
    CHECK(contains(await_answer(&r, &from), "\\gamename\\"));
    CHECK(atomic_load(&r.rooms[0].traffic.datagrams_in) <= 2 * SB_ROOM_STEP_DATAGRAMS_MAX);
    close_rig(&r);
}

TEST(an_idle_loop_sleeps)
{
    rig r;
    open_rig(&r);
    for (int i = 0; i < ROOMS; i++) /* what an empty room still has to do is its own affair */
        CHECK_EQ(sb_server_next_deadline(r.rooms[i].server), SB_TIME_NEVER);
    CHECK_EQ(sb_room_loop_start(r.loop), SB_OK);
    usleep(100000);
    CHECK_EQ(sb_room_loop_wakeups(r.loop), 0);
    stop_rig(&r);
    close_rig(&r);
}

static sb_room_snapshot snapshot;

TEST(a_snapshot_is_given_back_when_it_is_taken)
{
    rig r;
    open_rig(&r);
    CHECK_EQ(sb_room_loop_start(r.loop), SB_OK);
    atomic_store(&snapshot.done, false);
    snapshot.player_count = 99;
    snapshot.mode = NULL;
    CHECK(sb_room_loop_post(
        r.loop, &(sb_room_command){ .type = SB_ROOM_SNAPSHOT, .room = 1, .snapshot = &snapshot }));
    for (int i = 0; i < 2000 && !atomic_load(&snapshot.done); i++) usleep(1000);
    CHECK(atomic_load(&snapshot.done));
    CHECK_EQ(snapshot.player_count, 0);
    CHECK_EQ(snapshot.seconds_left, -1);
    CHECK_TEXT(snapshot.mode->key, "ffa");
    CHECK_TEXT(snapshot.system, "Multi1");
    CHECK_EQ(snapshot.player_limit, 8);
    CHECK(!snapshot.over);
    stop_rig(&r);
    close_rig(&r);
}

TEST(a_reconfigured_room_has_its_new_name)
{
    static const char             name[] = "renamed";
    static const sb_config_field  name_field = SB_CONFIG_FIELD(name);
    static const sb_config_fields fields = { .now = &name_field, .now_count = 1 };
    rig                           r;
    sb_server_config              config;
    atomic_bool                   done = false;
    sb_endpoint                   from;
    open_rig(&r);
    CHECK_EQ(sb_room_loop_start(r.loop), SB_OK);
    sb_server_defaults(&config);
    config.name = (sb_span){ (const uint8_t *)name, sizeof name - 1 };
    CHECK(sb_room_loop_post(r.loop, &(sb_room_command){ .type = SB_ROOM_CONFIGURE,
                                                        .room = 0,
                                                        .config = &config,
                                                        .fields = &fields,
                                                        .done = &done }));
    for (int i = 0; i < 2000 && !atomic_load(&done); i++) usleep(1000);
    CHECK(atomic_load(&done));
    send_text(&r, 0, "\\info\\");
    CHECK(contains(await_answer(&r, &from), "renamed"));
    send_text(&r, 1, "\\info\\");
    CHECK(!contains(await_answer(&r, &from), "renamed"));
    stop_rig(&r);
    close_rig(&r);
}

TEST(commands_beyond_the_queue_are_refused)
{
    rig r;
    open_rig(&r); /* not started: nobody takes them */
    for (int i = 0; i < SB_ROOM_COMMANDS_MAX; i++) post(&r, SB_ROOM_SAY, 0);
    CHECK(!sb_room_loop_post(r.loop, &(sb_room_command){ .type = SB_ROOM_SAY }));
    close_rig(&r);
}

/* ---- dormant rooms ---- */

TEST(a_room_starts_when_the_first_datagram_arrives)
{
    rig         r;
    sb_endpoint from;
    open_rooms(&r, false);
    CHECK_EQ(sb_room_loop_start(r.loop), SB_OK);
    send_text(&r, 1, "\\basic\\");
    CHECK(contains(await_answer(&r, &from), "\\gamename\\bcommander"));
    CHECK_EQ(from.port, r.rooms[1].udp.local.port);
    stop_rig(&r);
    CHECK(r.rooms[0].server == NULL);
    CHECK(r.rooms[1].server != NULL);
    CHECK(r.rooms[2].server == NULL);
    close_rig(&r);
}

TEST(a_dormant_room_is_shown_as_an_empty_one)
{
    rig r;
    open_rooms(&r, false);
    CHECK_EQ(sb_room_loop_start(r.loop), SB_OK);
    memset(&snapshot, 0xA5, sizeof snapshot);
    atomic_store(&snapshot.done, false);
    CHECK(sb_room_loop_post(
        r.loop, &(sb_room_command){ .type = SB_ROOM_SNAPSHOT, .room = 1, .snapshot = &snapshot }));
    for (int i = 0; i < 2000 && !atomic_load(&snapshot.done); i++) usleep(1000);
    CHECK(atomic_load(&snapshot.done));
    CHECK_EQ(snapshot.player_count, 0);
    CHECK_EQ(snapshot.in_game, 0);
    CHECK_EQ(snapshot.seconds_left, -1);
    CHECK_TEXT(snapshot.mode->key, "ffa");
    CHECK_TEXT(snapshot.system, "Multi1");
    CHECK_EQ(snapshot.player_limit, 8);
    CHECK(!snapshot.over && !snapshot.teams);
    CHECK_EQ(snapshot.load, SB_LOAD_NORMAL);
    CHECK_EQ(snapshot.transport[0], 0);
    CHECK_EQ(snapshot.masters[0].address.port, 0);
    stop_rig(&r);
    CHECK(r.rooms[1].server == NULL);
    close_rig(&r);
}

TEST(commands_to_players_start_no_dormant_room)
{
    rig r;
    open_rooms(&r, false);
    CHECK_EQ(sb_room_loop_start(r.loop), SB_OK);
    post(&r, SB_ROOM_SAY, 0);
    post(&r, SB_ROOM_KICK, 0);
    post(&r, SB_ROOM_END_MATCH, 0);
    post(&r, SB_ROOM_RESTART_MATCH, SB_ROOM_ALL);
    stop_rig(&r);
    for (int i = 0; i < ROOMS; i++) CHECK(r.rooms[i].server == NULL);
    close_rig(&r);
}

TEST(a_room_with_a_master_starts_at_once)
{
    rig             r;
    sb_room_command c = { .type = SB_ROOM_MASTER, .room = 2 };
    open_rooms(&r, false);
    CHECK(sb_room_loop_post(r.loop, &c)); /* no master */
    c.room = 1;
    c.master = r.player.local;
    CHECK(sb_room_loop_post(r.loop, &c));
    CHECK_EQ(sb_room_loop_start(r.loop), SB_OK);
    sb_endpoint from;
    CHECK(contains(await_answer(&r, &from), "\\heartbeat\\"));
    stop_rig(&r);
    CHECK(r.rooms[1].server != NULL);
    CHECK(r.rooms[2].server == NULL);
    close_rig(&r);
}

/* ---- turns ---- */

/* Datagrams that come fast share wake-ups: at most one for each SB_ROOM_TURN_US. */
TEST(datagrams_that_come_fast_share_turns)
{
    rig r;
    open_rig(&r);
    CHECK_EQ(sb_room_loop_start(r.loop), SB_OK);
    sb_time start = sb_clock_now();
    for (int i = 0; i < 400; i++) {
        send_text(&r, i % ROOMS, "garbage");
        usleep(50);
    }
    uint64_t wakeups = sb_room_loop_wakeups(r.loop);
    sb_time  turns = (sb_clock_now() - start) / SB_ROOM_TURN_US;
    CHECK(turns >= 20);
    CHECK(wakeups >= 1);
    CHECK(wakeups <= (uint64_t)turns * 2 + 2); /* the first of a dense time polls twice */
    stop_rig(&r);
    uint64_t in = 0;
    for (int i = 0; i < ROOMS; i++) in += atomic_load(&r.rooms[i].traffic.datagrams_in);
    CHECK_EQ(in, 400);
    close_rig(&r);
}

/* ---- rooms that grow ---- */

/* Configures room 0 with another number of players and waits. The room gets the memory for it. */
static void set_players(rig *r, uint32_t max_players)
{
    static const sb_config_field  now[] = { SB_CONFIG_FIELD(max_players) };
    static const sb_config_fields fields = { now, 1, NULL, 0 };
    atomic_bool                   done = false;
    sb_server_config              config;
    sb_server_defaults(&config);
    config.max_players = max_players;
    sb_room_command c = { .type = SB_ROOM_CONFIGURE, .config = &config, .fields = &fields };
    c.memory_bytes = sb_server_bytes(&config);
    c.memory = calloc(1, c.memory_bytes);
    c.done = &done;
    CHECK(c.memory && sb_room_loop_post(r->loop, &c));
    while (!atomic_load(&done)) usleep(1000);
}

TEST(a_dormant_room_starts_as_it_was_last_configured)
{
    rig         r;
    sb_endpoint from;
    open_rooms(&r, false);
    CHECK_EQ(sb_room_loop_start(r.loop), SB_OK);
    set_players(&r, 12);
    CHECK(atomic_load(&r.rooms[0].retired) != NULL); /* the memory for 8 players */
    sb_room_free_retired(&r.rooms[0]);
    set_players(&r, 5);
    set_players(&r, 11); /* fits into the memory for 12 */
    send_text(&r, 0, "\\info\\");
    CHECK(contains(await_answer(&r, &from), "\\maxplayers\\11\\"));
    stop_rig(&r);
    close_rig(&r);
}

TEST(an_empty_room_grows_into_the_memory_it_is_given)
{
    rig         r;
    sb_endpoint from;
    open_rig(&r);
    CHECK_EQ(sb_room_loop_start(r.loop), SB_OK);
    set_players(&r, 12);
    send_text(&r, 0, "\\info\\");
    CHECK(contains(await_answer(&r, &from), "\\maxplayers\\12\\"));
    CHECK(atomic_load(&r.rooms[0].retired) != NULL); /* the memory of 8 players */
    sb_room_free_retired(&r.rooms[0]);
    set_players(&r, 5); /* fits: the memory that was given is not needed */
    send_text(&r, 0, "\\info\\");
    CHECK(contains(await_answer(&r, &from), "\\maxplayers\\5\\"));
    CHECK(atomic_load(&r.rooms[0].retired) != NULL);
    stop_rig(&r);
    close_rig(&r);
}
