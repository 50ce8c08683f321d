/* tests/run/house_test.c -- the house fills real rooms: bots come, make room, and come back.
 *
 * For:      src/run/house.c, house_room.c, house_link.c, room_loop.c. Each test waits for a state,
 *           with a limit that only a defect exceeds.
 */
#include "run/house.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/clock.h"
#include "run/house_room.h"
#include "test.h"

enum { LOOPBACK = 0x7F000001, ROOMS = 2, PEOPLE_MAX = 8, LIMIT_S = 60 };

/* A person: a client on a socket, which only joins. */
typedef struct person {
    sb_udp      udp;
    sb_endpoint server;
    sb_client  *client;
    void       *memory;
} person;

typedef struct rig {
    sb_room           rooms[ROOMS];
    sb_room          *order[ROOMS];
    sb_room_loop     *loop;
    sb_house         *house;
    sb_udp_batch     *batch;
    person            people[PEOPLE_MAX];
    unsigned          person_count;
    sb_room_snapshot *seen;
} rig;

static sb_udp open_socket(uint32_t address)
{
    sb_udp udp;
    char   error[SB_UDP_ERROR_MAX];
    if (sb_udp_open(&udp, &(sb_udp_options){ .local = { address, 0 } }, error) != SB_OK)
        FAIL("%s", error);
    return udp;
}

/* Dormant rooms, as of `starbase serve`. */
static void open_rig(rig *r, uint32_t max_players)
{
    sb_house_place places[ROOMS] = { 0 };
    *r = (rig){ .batch = sb_udp_batch_create(), .seen = calloc(1, sizeof *r->seen) };
    for (size_t i = 0; i < ROOMS; i++) {
        sb_server_config config;
        sb_server_defaults(&config);
        config.seed = 7 + i;
        config.max_players = max_players;
        config.transport.house = true;
        r->rooms[i].udp = open_socket(LOOPBACK);
        r->rooms[i].memory_bytes = sb_server_bytes(&config);
        r->rooms[i].memory = calloc(1, r->rooms[i].memory_bytes);
        r->rooms[i].start = config;
        r->order[i] = &r->rooms[i];
    }
    r->loop = sb_room_loop_create(r->order, ROOMS);
    CHECK(r->loop && r->batch && r->seen);
    for (size_t i = 0; i < ROOMS; i++)
        places[i] = (sb_house_place){ &r->rooms[i], r->loop, i, max_players, NULL };
    r->house = sb_house_create(places, ROOMS);
    CHECK(r->house);
    CHECK_EQ(sb_room_loop_start(r->loop), SB_OK);
}

static void close_rig(rig *r)
{
    sb_house_close(r->house);
    CHECK(sb_room_loop_post(r->loop,
                            &(sb_room_command){ .type = SB_ROOM_STOP, .room = SB_ROOM_ALL }));
    sb_room_loop_join(r->loop);
    sb_house_destroy(r->house);
    sb_room_loop_destroy(r->loop);
    for (size_t i = 0; i < ROOMS; i++) {
        sb_udp_close(&r->rooms[i].udp);
        sb_room_free_memory(&r->rooms[i]);
    }
    for (unsigned i = 0; i < r->person_count; i++) {
        sb_udp_close(&r->people[i].udp);
        free(r->people[i].memory);
    }
    sb_udp_batch_destroy(r->batch);
    free(r->seen);
}

static sb_house_settings fill_with(uint32_t fill)
{
    sb_house_settings settings;
    sb_house_defaults(&settings);
    settings.fill = fill;
    return settings;
}

static void configure(rig *r, size_t room, const sb_house_settings *settings)
{
    CHECK_EQ(sb_house_configure(r->house, room, settings), SB_OK);
}

/* ---- people ---- */

/* Each from an address of its own, as a server accepts few players from one. */
static person *add_person(rig *r, size_t room, const char *name)
{
    CHECK(r->person_count < PEOPLE_MAX);
    person          *p = &r->people[r->person_count++];
    sb_client_config config;
    uint8_t          wide[2 * SB_NAME_UNITS] = { 0 };
    for (size_t i = 0; name[i]; i++) wide[2 * i] = (uint8_t)name[i];
    p->udp = open_socket(LOOPBACK + r->person_count);
    sb_client_defaults(&config);
    config.transport.server = p->server = r->rooms[room].udp.local;
    config.transport.local_address = p->udp.local.address;
    config.transport.name = (sb_span){ wide, 2 * strlen(name) };
    p->memory = calloc(1, sb_client_bytes(&config));
    CHECK(p->memory);
    p->client = sb_client_init(p->memory, &config, sb_clock_now());
    return p;
}

static void step_person(rig *r, person *p)
{
    sb_endpoint from;
    sb_time     now = sb_clock_now();
    size_t      size, count = sb_udp_receive(&p->udp, r->batch, SB_UDP_BATCH);
    for (size_t i = 0; i < count; i++) {
        sb_span datagram = sb_udp_received(r->batch, i, &from);
        (void)!sb_client_receive(p->client, now, from, datagram);
    }
    sb_client_advance(p->client, now);
    while ((size = sb_client_write(p->client, now, sb_udp_next_buffer(&p->udp, r->batch))))
        sb_udp_send(&p->udp, r->batch, p->server, size);
    sb_udp_flush(&p->udp, r->batch);
}

static void step_people(rig *r)
{
    for (unsigned i = 0; i < r->person_count; i++) {
        person *p = &r->people[i];
        if (!sb_client_is_over(p->client)) step_person(r, p);
    }
}

/* ---- what a room says of its players ---- */

typedef struct census {
    unsigned bots, people; /* in the game */
} census;

static const sb_room_snapshot *look(rig *r, size_t room)
{
    atomic_store(&r->seen->done, false);
    CHECK(sb_room_loop_post(
        r->loop,
        &(sb_room_command){ .type = SB_ROOM_SNAPSHOT, .room = (int)room, .snapshot = r->seen }));
    while (!atomic_load(&r->seen->done)) (void)usleep(200);
    return r->seen;
}

static census count_players(rig *r, size_t room)
{
    census                  c = { 0, 0 };
    const sb_room_snapshot *seen = look(r, room);
    for (uint32_t i = 0; i < seen->player_count; i++) {
        const sb_player_view *p = &seen->players[i].view;
        bool                  in_game = p->phase == SB_PLAYER_LOBBY || p->phase == SB_PLAYER_FLYING;
        c.bots += in_game && p->house;
        c.people += in_game && !p->house;
    }
    return c;
}

static void expect_players(const char *file, int line, rig *r, size_t room, unsigned people,
                           unsigned bots)
{
    census  c = { 0, 0 };
    sb_time limit = sb_clock_now() + LIMIT_S * SB_SECOND;
    while (sb_clock_now() < limit) {
        c = count_players(r, room);
        if (c.people == people && c.bots == bots) return;
        for (int i = 0; i < 10; i++) {
            step_people(r);
            (void)usleep(2000);
        }
    }
    test_fail(file, line, "%u people and %u bots instead of %u and %u", c.people, c.bots, people,
              bots);
}
#define EXPECT_PLAYERS(r, room, people, bots)                                                      \
    expect_players(__FILE__, __LINE__, r, room, people, bots)

static void play_for(rig *r, sb_time duration)
{
    for (sb_time end = sb_clock_now() + duration; sb_clock_now() < end;) {
        step_people(r);
        (void)usleep(2000);
    }
}

/* ---- how many ---- */

static uint32_t wanted(uint32_t fill, bool always, sb_server_seats seats)
{
    sb_house_settings settings = fill_with(fill);
    settings.always = always;
    return sb_house_wanted_bots(&settings, &seats);
}

TEST(people_and_bots_together_fill_a_room)
{
    CHECK_EQ(wanted(4, true, (sb_server_seats){ .limit = 8 }), 4);
    CHECK_EQ(wanted(4, true, (sb_server_seats){ .limit = 8, .people = 1, .others = 1 }), 3);
    CHECK_EQ(wanted(4, true, (sb_server_seats){ .limit = 8, .people = 5, .others = 5 }), 0);
    CHECK_EQ(wanted(16, true, (sb_server_seats){ .limit = 8 }), 8);
    CHECK_EQ(wanted(8, true, (sb_server_seats){ .limit = 8, .people = 1, .others = 3 }), 5);
    CHECK_EQ(wanted(0, true, (sb_server_seats){ .limit = 8 }), 0);
}

TEST(bots_for_people_need_people)
{
    CHECK_EQ(wanted(4, false, (sb_server_seats){ .limit = 8 }), 0);
    CHECK_EQ(wanted(4, false, (sb_server_seats){ .limit = 8, .others = 1 }), 0);
    CHECK_EQ(wanted(4, false, (sb_server_seats){ .limit = 8, .people = 1, .others = 1 }), 3);
}

TEST(bots_leave_a_room_that_waits_to_be_empty)
{
    sb_server_seats seats = { .limit = 8, .wants_empty = true };
    CHECK_EQ(wanted(4, true, seats), 0);
    seats.people = seats.others = 1; /* it is not empty without them either */
    CHECK_EQ(wanted(4, true, seats), 3);
}

/* ---- in rooms ---- */

TEST(bots_fill_a_room_and_leave_the_other_dormant)
{
    rig               r;
    sb_house_settings settings = fill_with(3);
    open_rig(&r, 8);
    configure(&r, 0, &settings);
    EXPECT_PLAYERS(&r, 0, 0, 3);
    CHECK_EQ(look(&r, 1)->state_interval, 0);
    sb_house_view view;
    sb_house_view_room(r.house, 0, &view);
    CHECK(view.fill == 3 && view.present == 3 && view.datagrams_in > 0 && view.dropped == 0);
    settings.fill = 1;
    configure(&r, 0, &settings);
    EXPECT_PLAYERS(&r, 0, 0, 1);
    settings.fill = 0;
    configure(&r, 0, &settings);
    EXPECT_PLAYERS(&r, 0, 0, 0);
    close_rig(&r);
}

TEST(bots_fly_and_fight)
{
    rig               r;
    sb_house_settings settings = fill_with(4);
    settings.skill = SB_SKILL_HARD;
    open_rig(&r, 8);
    configure(&r, 0, &settings);
    EXPECT_PLAYERS(&r, 0, 0, 4);
    sb_time limit = sb_clock_now() + LIMIT_S * SB_SECOND;
    while (look(&r, 0)->counters[SB_SERVER_COUNT_SPAWNS] < 4 && sb_clock_now() < limit)
        (void)usleep(20000);
    CHECK(r.seen->counters[SB_SERVER_COUNT_SPAWNS] >= 4);
    uint64_t before = r.seen->counters[SB_SERVER_COUNT_STATE_IN];
    while (look(&r, 0)->counters[SB_SERVER_COUNT_STATE_IN] < before + 100 && sb_clock_now() < limit)
        (void)usleep(20000);
    CHECK(r.seen->counters[SB_SERVER_COUNT_STATE_IN] >= before + 100);
    for (int i = 0; i < SB_SERVER_COUNT_MESSAGES_IN; i++) /* nothing of a bot is refused */
        if (r.seen->counters[i] && i != SB_SERVER_COUNT_FIRE_RATE)
            FAIL("%s", sb_server_counter_name((sb_server_counter)i));
    close_rig(&r);
}

TEST(people_get_all_seats_of_a_full_room_and_bots_return)
{
    rig               r;
    sb_house_settings settings = fill_with(4);
    open_rig(&r, 4);
    configure(&r, 0, &settings);
    EXPECT_PLAYERS(&r, 0, 0, 4);
    for (unsigned i = 0; i < 4; i++) {
        (void)add_person(&r, 0, "Person");
        EXPECT_PLAYERS(&r, 0, i + 1, 3 - i);
    }
    for (unsigned i = 0; i < 4; i++) sb_client_leave(r.people[i].client, sb_clock_now());
    EXPECT_PLAYERS(&r, 0, 0, 4);
    close_rig(&r);
}

TEST(a_bot_leaves_for_each_person_above_fill)
{
    rig               r;
    sb_house_settings settings = fill_with(2);
    open_rig(&r, 8);
    configure(&r, 0, &settings);
    EXPECT_PLAYERS(&r, 0, 0, 2);
    (void)add_person(&r, 0, "Ada");
    EXPECT_PLAYERS(&r, 0, 1, 1);
    (void)add_person(&r, 0, "Bob");
    EXPECT_PLAYERS(&r, 0, 2, 0);
    (void)add_person(&r, 0, "Cay");
    EXPECT_PLAYERS(&r, 0, 3, 0);
    close_rig(&r);
}

TEST(bots_for_people_come_and_go_with_them)
{
    rig               r;
    sb_house_settings settings = fill_with(3);
    settings.always = false;
    open_rig(&r, 8);
    configure(&r, 0, &settings);
    play_for(&r, SB_SECOND / 2);
    CHECK_EQ(look(&r, 0)->state_interval, 0); /* dormant */
    person *p = add_person(&r, 0, "Ada");
    EXPECT_PLAYERS(&r, 0, 1, 2);
    sb_client_leave(p->client, sb_clock_now());
    EXPECT_PLAYERS(&r, 0, 0, 0);
    close_rig(&r);
}

static bool has_name(const sb_room_snapshot *seen, const char *name, bool house)
{
    for (uint32_t i = 0; i < seen->player_count; i++)
        if (seen->players[i].view.house == house && strcmp(seen->players[i].view.name, name) == 0)
            return true;
    return false;
}

TEST(a_bot_gives_its_name_up_to_a_person)
{
    rig               r;
    sb_house_settings settings = fill_with(3);
    settings.name_count = 2;
    strcpy(settings.names[0], "Ada");
    strcpy(settings.names[1], "Bob");
    open_rig(&r, 8);
    configure(&r, 0, &settings);
    EXPECT_PLAYERS(&r, 0, 0, 3);
    CHECK(has_name(look(&r, 0), "Ada", true));
    CHECK(has_name(r.seen, "Bob", true) && has_name(r.seen, "Ada 2", true));
    (void)add_person(&r, 0, "ada");
    sb_time limit = sb_clock_now() + LIMIT_S * SB_SECOND;
    while (has_name(look(&r, 0), "Ada", true) && sb_clock_now() < limit) play_for(&r, 20000);
    CHECK(!has_name(r.seen, "Ada", true));
    EXPECT_PLAYERS(&r, 0, 1, 2);
    CHECK(!has_name(look(&r, 0), "Ada", true) && has_name(r.seen, "ada", false));
    close_rig(&r);
}

/* What the operator changed takes effect although bots are there all the time. */
TEST(a_change_for_an_empty_room_reaches_a_room_of_bots)
{
    static const sb_config_field  limit_field[] = { SB_CONFIG_FIELD(match.frag_limit) };
    static const sb_config_fields fields = { .when_empty = limit_field, .when_empty_count = 1 };
    rig                           r;
    sb_server_config              config;
    atomic_bool                   done = false;
    sb_house_settings             settings = fill_with(2);
    open_rig(&r, 8);
    configure(&r, 0, &settings);
    EXPECT_PLAYERS(&r, 0, 0, 2);
    config = r.rooms[0].start;
    config.match.frag_limit = 9;
    CHECK(sb_room_loop_post(r.loop, &(sb_room_command){ .type = SB_ROOM_CONFIGURE,
                                                        .config = &config,
                                                        .fields = &fields,
                                                        .done = &done }));
    EXPECT_PLAYERS(&r, 0, 0, 0);
    EXPECT_PLAYERS(&r, 0, 0, 2);
    close_rig(&r);
}

TEST(a_house_without_bots_has_nothing_to_do)
{
    rig               r;
    sb_house_settings settings = fill_with(0);
    sb_house_view     view;
    open_rig(&r, 8);
    configure(&r, 0, &settings);
    sb_house_view_room(r.house, 0, &view);
    CHECK(view.fill == 0 && view.present == 0 && !atomic_load(&r.rooms[0].house));
    close_rig(&r);
}
