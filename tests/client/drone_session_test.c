/* tests/client/drone_session_test.c -- a drone and a scripted host: what it sends, and when. A
 * whole room of drones: drone_test.c. */
#include "client/drone_internal.h"

#include <starbase/message.h>

#include "base/bytes.h"
#include "sent_message.h"
#include "ship/vectors.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLACE = 5, RECORDS = 256, START = 5000000, FIRST_ID = 0x3FFFFFFF, ROUNDS_MAX = 1000 };

#define GAME_INIT "01"
#define MISSION   "35 08 01 FF FF"
#define END_GAME  "38 00 00 00 00"
#define RESTART   "39"

static const sb_endpoint server = { 0xC0A80001, 22101 }, player = { 0x0A0A0AEF, 31000 };

typedef struct queued {
    sb_time at;
    size_t  size;
    uint8_t bytes[400];
} queued;

typedef struct rig {
    sb_drone          *drone;
    sb_transport_host *host;
    sb_time            now;
    uint8_t            peer; /* id of the drone; 0: not connected */
    queued             sent[RECORDS];
    size_t             count;
    unsigned           phases[SB_CLIENT_OVER + 1];
    unsigned           refusals;
    int32_t            refused_by; /* opcode */
} rig;

static rig *r;

/* ---- the rig ---- */

static void note(void *context, const sb_client_event *e)
{
    (void)context;
    CHECK(e->now == r->now);
    if (e->type == SB_CLIENT_PHASE) r->phases[e->value]++;
    if (e->type == SB_CLIENT_REFUSED_FILES) r->refusals++, r->refused_by = e->value;
    if (e->type != SB_CLIENT_QUEUED) return;
    CHECK(r->count < RECORDS && e->bytes.size <= sizeof r->sent->bytes);
    queued *q = &r->sent[r->count++];
    *q = (queued){ .at = e->now, .size = e->bytes.size };
    memcpy(q->bytes, e->bytes.data, e->bytes.size);
}

/* Fills the memory, because no code may rely on zeros. */
static void *allocate(void **kept, size_t bytes)
{
    CHECK(bytes > 0);
    free(*kept);
    *kept = malloc(bytes);
    CHECK(*kept != NULL);
    return memset(*kept, 0xA5, bytes);
}

static sb_drone_config config_of(unsigned place)
{
    static const uint8_t name[] = { 'C', 0, 'a', 0, 'd', 0, 'y', 0, '2', 0 };
    sb_drone_config      config;
    sb_drone_defaults(&config);
    config.transport.server = server;
    config.transport.local_address = player.address;
    config.transport.local_port = player.port;
    config.transport.name = (sb_span){ name, sizeof name };
    config.place = place;
    config.on_event = note;
    return config;
}

static void open_rig(const sb_drone_config *config)
{
    static rig               kept;
    static void             *drone, *host;
    sb_transport_host_config theirs;
    sb_transport_host_defaults(&theirs);
    theirs.seed = 1;
    kept = (rig){ .now = START };
    r = &kept;
    r->host =
        sb_transport_host_init(allocate(&host, sb_transport_host_bytes(&theirs)), &theirs, START);
    r->drone = sb_drone_init(allocate(&drone, sb_drone_bytes(config)), config, START);
}

static bool carry_up(void)
{
    uint8_t            out[SB_DATAGRAM_MAX];
    sb_transport_event event;
    size_t             size = sb_drone_write(r->drone, r->now, out);
    if (size > 0) (void)!sb_transport_host_receive(r->host, r->now, player, (sb_span){ out, size });
    while (sb_transport_host_next_event(r->host, r->now, &event)) {
        if (event.type == SB_EVENT_JOINED) r->peer = event.peer_id;
        if (event.type == SB_EVENT_MESSAGE) check_sent_message(&event);
    }
    return size > 0;
}

static bool carry_down(void)
{
    uint8_t     out[SB_DATAGRAM_MAX];
    sb_endpoint to;
    size_t      size = sb_transport_host_write(r->host, r->now, &to, out);
    if (size > 0) (void)!sb_drone_receive(r->drone, r->now, server, (sb_span){ out, size });
    return size > 0;
}

/* A deadline that stays would let the loop of a program spin. */
static void run(void)
{
    bool up = true, down = true;
    for (int rounds = 0; up || down; rounds++) {
        CHECK(rounds < ROUNDS_MAX);
        sb_drone_advance(r->drone, r->now);
        up = carry_up();
        down = carry_down();
    }
    if (sb_drone_next_deadline(r->drone) <= r->now) FAIL("a deadline is not in the future");
}

/* Stops at every deadline on the way, at its very microsecond. */
static void wait_for(sb_time us)
{
    for (sb_time until = r->now + us; r->now < until;) {
        sb_time mine = sb_drone_next_deadline(r->drone);
        sb_time theirs = sb_transport_host_next_deadline(r->host);
        sb_time next = mine < theirs ? mine : theirs;
        r->now = next < until ? next : until;
        run();
    }
}

static void say(sb_span message)
{
    CHECK_EQ(sb_transport_host_send(r->host, r->peer, SB_RELIABLE, message), SB_OK);
    run();
}

static void say_hex(const char *hex)
{
    uint8_t bytes[512];
    say((sb_span){ bytes, test_hex(hex, bytes, sizeof bytes) });
}

static void say_message(const sb_message *m)
{
    uint8_t bytes[512];
    size_t  size;
    CHECK_EQ(sb_encode_message(m, NULL, bytes, sizeof bytes, &size), SB_OK);
    say((sb_span){ bytes, size });
}

static void say_exploding(uint32_t object_id, float lifetime)
{
    sb_message m = { .opcode = SB_OP_PYTHON_EVENT };
    m.as.event = (sb_event){ .event_class = SB_EVENT_OBJECT_EXPLODING,
                             .event_code = SB_CODE_OBJECT_EXPLODING,
                             .destination = object_id,
                             .lifetime = lifetime };
    say_message(&m);
}

static void say_object(uint8_t opcode, uint32_t object_id)
{
    sb_message m = { .opcode = opcode };
    m.as.object_ref.object_id = object_id;
    say_message(&m);
}

static void connect_with(const sb_drone_config *config)
{
    open_rig(config);
    run();
    CHECK_EQ(r->peer, 2);
}

static void connect_drone(unsigned place)
{
    sb_drone_config config = config_of(place);
    connect_with(&config);
}

/* Its game time is 33.25 s. */
static void say_settings(uint8_t slot)
{
    uint8_t bytes[64] = { 0 };
    size_t  size =
        test_hex("00 00 00 05 42 61 00 25 00 4D 75 6C 74 69 70 6C 61 79 65 72 2E 45 70 69 73 6F 64"
                 "65 2E 4D 69 73 73 69 6F 6E 31 2E 4D 69 73 73 69 6F 6E 31",
                 bytes, sizeof bytes);
    bytes[6] = slot;
    say((sb_span){ bytes, size });
}

static void join_with(const sb_drone_config *config)
{
    connect_with(config);
    say_settings(0);
    say_hex(GAME_INIT);
    say_hex(MISSION);
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_LOBBY);
}

static void join(unsigned place)
{
    sb_drone_config config = config_of(place);
    join_with(&config);
}

static void fly(unsigned place)
{
    join(place);
    wait_for(SB_SECOND);
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_FLYING);
}

static size_t count_sent(uint8_t opcode)
{
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++) count += r->sent[i].bytes[0] == opcode;
    return count;
}

static const queued *last_sent(uint8_t opcode)
{
    const queued *last = NULL;
    for (size_t i = 0; i < r->count; i++)
        if (r->sent[i].bytes[0] == opcode) last = &r->sent[i];
    CHECK(last != NULL);
    return last;
}

static void decode(const queued *q, sb_message *m)
{
    CHECK_EQ(sb_decode_message((sb_span){ q->bytes, q->size }, NULL, m, NULL), SB_OK);
}

/* ---- the join ---- */

TEST(a_drone_connects_before_it_is_checked)
{
    sb_drone_config config = config_of(0);
    open_rig(&config);
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_CONNECTING);
    CHECK_EQ(sb_drone_id(r->drone), SB_PEER_NONE);
    run();
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_CHECKING);
    CHECK_EQ(r->phases[SB_CLIENT_CHECKING], 1);
}

TEST(a_drone_says_once_that_it_is_in_the_game)
{
    static const uint8_t ready[] = { SB_OP_NEW_PLAYER_IN_GAME, 0x20 };
    join(0);
    CHECK_EQ(count_sent(SB_OP_NEW_PLAYER_IN_GAME), 1);
    const queued *q = last_sent(SB_OP_NEW_PLAYER_IN_GAME);
    CHECK_BYTES(q->bytes, q->size, ready, sizeof ready);
    CHECK(q->at == START);
}

TEST(a_drone_whose_files_are_refused_says_why_and_leaves)
{
    static const struct {
        const char *message;
        uint8_t     opcode;
    } refusals[] = { { "22 07 00 41 70 70 2E 70 79 63", SB_OP_CHECKSUM_FAIL },
                     { "23 07 00 41 70 70 2E 70 79 63", SB_OP_VERSION_MISMATCH } };
    for (size_t i = 0; i < 2; i++) {
        connect_drone(0);
        say_hex(refusals[i].message);
        CHECK_EQ(r->refusals, 1);
        CHECK_EQ(r->refused_by, refusals[i].opcode);
        wait_for(5 * SB_SECOND);
        CHECK(sb_drone_is_over(r->drone));
    }
}

TEST(a_drone_acknowledges_a_file)
{
    connect_drone(0);
    say_hex("25 05 00 41 2E 70 79 63 00 01 02");
    CHECK_EQ(r->count, 1);
    CHECK_EQ(r->sent[0].bytes[0], SB_OP_FILE_TRANSFER_ACK);
    CHECK_EQ(r->sent[0].size, 1);
}

/* Loading has three steps; only all of them lead to the game. */
TEST(a_drone_enters_the_game_when_all_is_loaded)
{
    connect_drone(0);
    say_hex(GAME_INIT); /* without Settings it means nothing */
    CHECK_EQ(r->count, 0);
    say_hex(MISSION);
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_CHECKING);
    say_settings(SB_SLOTS); /* no such slot */
    say_hex(GAME_INIT);
    CHECK_EQ(r->count, 0);
    say_settings(15);
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_CHECKING);
    say_hex(GAME_INIT);
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_LOBBY);
    say_hex(GAME_INIT);
    CHECK_EQ(count_sent(SB_OP_NEW_PLAYER_IN_GAME), 1);
    wait_for(SB_SECOND);
    CHECK_EQ(r->drone->ship.object_id, sb_slot_first_id(15));
}

TEST(second_settings_start_a_new_game_with_another_ship)
{
    fly(PLACE);
    say_settings(3);
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_LOBBY);
    size_t updates = count_sent(SB_OP_STATE_UPDATE);
    wait_for(3 * SB_SECOND);
    CHECK_EQ(count_sent(SB_OP_STATE_UPDATE), updates);
    CHECK_EQ(count_sent(SB_OP_PLAYER_OBJECT_CREATE), 1);
    CHECK_EQ(count_sent(SB_OP_NEW_PLAYER_IN_GAME), 1);
    sb_time began = r->now;
    say_hex(GAME_INIT);
    CHECK_EQ(count_sent(SB_OP_NEW_PLAYER_IN_GAME), 2);
    wait_for(2 * SB_SECOND);
    const queued *q = last_sent(SB_OP_PLAYER_OBJECT_CREATE);
    sb_message    m;
    decode(q, &m);
    CHECK_EQ(q->at - began, SB_SECOND);
    CHECK_EQ(m.as.object_create.object_id, sb_slot_first_id(3));
    CHECK_EQ(m.as.object_create.owner_slot, 3);
}

TEST(a_drone_that_joins_after_the_end_waits_for_the_restart)
{
    connect_drone(0);
    say_settings(0);
    say_hex(END_GAME);
    say_hex(GAME_INIT);
    say_hex(MISSION);
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_LOBBY);
    wait_for(3 * SB_SECOND);
    CHECK_EQ(count_sent(SB_OP_PLAYER_OBJECT_CREATE), 0);
    say_hex(RESTART);
    wait_for(SB_SECOND);
    CHECK_EQ(count_sent(SB_OP_PLAYER_OBJECT_CREATE), 1);
}

TEST(a_drone_that_leaves_sends_and_reports_nothing_more)
{
    fly(PLACE);
    sb_drone_leave(r->drone, r->now);
    CHECK(!sb_drone_is_over(r->drone));
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_FLYING);
    size_t count = r->count;
    sb_drone_leave(r->drone, r->now); /* once is enough */
    wait_for(10 * SB_SECOND);
    CHECK_EQ(r->count, count);
    CHECK(sb_drone_is_over(r->drone));
    CHECK_EQ(r->phases[SB_CLIENT_OVER], 1);
}

TEST(an_invalid_place_has_no_memory)
{
    sb_drone_config config = config_of(SB_SLOTS - 1);
    CHECK(sb_drone_bytes(&config) > 0);
    config.place = SB_SLOTS;
    CHECK_EQ(sb_drone_bytes(&config), 0);
}

/* ---- the ship ---- */

TEST(a_drone_creates_its_ship_on_its_own_circle)
{
    static const struct {
        unsigned place;
        float    x, z;
    } cases[] = { { 0, 40, -60 }, { 5, -40, -20 }, { 8, 40, 4 }, { 15, -40, 60 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_message m;
        fly(cases[i].place);
        CHECK_EQ(count_sent(SB_OP_PLAYER_OBJECT_CREATE), 1);
        decode(last_sent(SB_OP_PLAYER_OBJECT_CREATE), &m);
        const sb_object_create *c = &m.as.object_create;
        CHECK(c->position.x == cases[i].x);
        CHECK(c->position.y == 0);
        CHECK(c->position.z == cases[i].z);
        CHECK_BYTES(c->name.data, c->name.size, "Cady2", 5);
        CHECK_EQ(c->object_id, FIRST_ID);
        CHECK_EQ(c->peer_id, r->peer);
    }
}

TEST(a_drone_describes_its_own_ship_when_it_is_asked_for)
{
    sb_message m;
    join(PLACE);
    say_object(SB_OP_REQUEST_OBJECT, FIRST_ID);
    CHECK_EQ(count_sent(SB_OP_PLAYER_OBJECT_CREATE), 0); /* none yet */
    wait_for(SB_SECOND);
    say_object(SB_OP_REQUEST_OBJECT, FIRST_ID + 1);
    CHECK_EQ(count_sent(SB_OP_PLAYER_OBJECT_CREATE), 1);
    say_object(SB_OP_REQUEST_OBJECT, FIRST_ID);
    CHECK_EQ(count_sent(SB_OP_PLAYER_OBJECT_CREATE), 2);
    decode(last_sent(SB_OP_PLAYER_OBJECT_CREATE), &m);
    CHECK_EQ(m.as.object_create.object_id, FIRST_ID);
}

/* The time from the death of a ship to the creation of the next one. */
static sb_time pause_after(float lifetime)
{
    fly(PLACE);
    sb_time died = r->now;
    say_exploding(FIRST_ID + 1, lifetime); /* another ship */
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_FLYING);
    say_exploding(FIRST_ID, lifetime);
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_LOBBY);
    wait_for(lifetime > 10 && lifetime < 60 ? 65 * SB_SECOND : 15 * SB_SECOND);
    CHECK_EQ(count_sent(SB_OP_PLAYER_OBJECT_CREATE), 2);
    return last_sent(SB_OP_PLAYER_OBJECT_CREATE)->at - died;
}

TEST(a_drone_returns_three_seconds_after_its_wreck_is_gone)
{
    CHECK_EQ(pause_after(2), 5 * SB_SECOND);
    CHECK_EQ(pause_after(9.5f), 12500000);
    CHECK_EQ(pause_after(0.5f), 3500000);
    CHECK_EQ(pause_after(59.5f), 62500000);
    CHECK_EQ(pause_after(0), 13 * SB_SECOND); /* not a lifetime: as if it were 10 s */
    CHECK_EQ(pause_after(-1), 13 * SB_SECOND);
    CHECK_EQ(pause_after(60), 13 * SB_SECOND);
}

TEST(a_second_ship_starts_as_slowly_as_the_first)
{
    fly(PLACE);
    wait_for(10 * SB_SECOND);
    CHECK(r->drone->updates > 90);
    say_exploding(FIRST_ID, 2);
    wait_for(5 * SB_SECOND);
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_FLYING);
    CHECK_EQ(r->drone->updates, 0);
    wait_for(r->drone->update_at - r->now);
    CHECK_EQ(r->drone->updates, 1);
    CHECK(r->drone->ship.motion.speed > 0);
    CHECK(r->drone->ship.motion.speed < 0.111f * r->drone->ship.model->max_accel);
}

TEST(other_events_about_a_ship_do_not_end_it)
{
    sb_message m = { .opcode = SB_OP_PYTHON_EVENT };
    fly(PLACE);
    m.as.event = (sb_event){ .event_class = SB_EVENT_OBJECT_EXPLODING,
                             .event_code = SB_CODE_OBJECT_EXPLODING + 1,
                             .destination = FIRST_ID,
                             .lifetime = 2 };
    say_message(&m);
    m.as.event = (sb_event){ .event_class = SB_EVENT_OBJECT_POINTER,
                             .event_code = SB_CODE_OBJECT_EXPLODING,
                             .destination = FIRST_ID };
    say_message(&m);
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_FLYING);
}

TEST(a_drone_returns_a_second_after_its_ship_was_removed)
{
    fly(PLACE);
    sb_time removed = r->now;
    say_object(SB_OP_DESTROY_OBJECT, FIRST_ID + 1);
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_FLYING);
    say_object(SB_OP_DESTROY_OBJECT, FIRST_ID);
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_LOBBY);
    wait_for(2 * SB_SECOND);
    CHECK_EQ(last_sent(SB_OP_PLAYER_OBJECT_CREATE)->at - removed, SB_SECOND);
}

static void check_start_set(const char *mission, const char *set)
{
    sb_message m;
    connect_drone(0);
    say_settings(0);
    say_hex(GAME_INIT);
    say_hex(mission);
    wait_for(SB_SECOND);
    decode(last_sent(SB_OP_PLAYER_OBJECT_CREATE), &m);
    const sb_object_create *c = &m.as.object_create;
    CHECK_BYTES(c->set_name.data, c->set_name.size, set, strlen(set));
}

TEST(a_ship_starts_in_the_first_set_of_the_system)
{
    check_start_set(MISSION, sb_find_system(sb_stock_systems(), 1)->start_set);
    check_start_set("35 08 03 FF FF", sb_find_system(sb_stock_systems(), 3)->start_set);
    check_start_set("35 08 C8 FF FF", "Multi1"); /* unknown */
}

TEST(drones_choose_among_the_selectable_classes)
{
    const sb_ship_set *set = sb_stock_ships();
    bool               seen[64] = { false };
    CHECK(set->count <= 64);
    for (uint64_t seed = 1; seed <= 300; seed++) {
        sb_drone_config config = config_of(0);
        config.seed = seed;
        join_with(&config);
        wait_for(SB_SECOND);
        for (size_t i = 0; i < set->count; i++) seen[i] |= r->drone->ship.model == &set->ships[i];
    }
    for (size_t i = 0; i < set->count; i++) CHECK_EQ(seen[i], set->ships[i].selectable);
}

TEST(object_ids_start_over_when_the_range_of_the_slot_ends)
{
    for (int late = 0; late < 2; late++) {
        fly(PLACE);
        uint32_t used = r->drone->next_id - FIRST_ID;
        CHECK(used > 1);
        join(PLACE); /* the same seed, so the same class */
        uint32_t last = sb_slot_first_id(1) - used;
        r->drone->next_id = last + (uint32_t)late;
        wait_for(SB_SECOND);
        CHECK_EQ(r->drone->ship.object_id, late ? FIRST_ID : last);
    }
}

/* ---- the flight ---- */

TEST(a_ship_keeps_to_its_circle_and_flies_as_fast_as_it_says)
{
    fly(PLACE);
    for (int i = 0; i < 12; i++) {
        r->count = 0;
        wait_for(SB_SECOND);
    }
    for (int i = 0; i < 60; i++) {
        sb_motion before = r->drone->ship.motion;
        sb_time   from = r->drone->moved_at;
        r->count = 0;
        wait_for(SB_SECOND / 5);
        const sb_motion *m = &r->drone->ship.motion;
        sb_vec3          arm = { m->position.x, m->position.y, 0 };
        float            seconds = (float)(r->drone->moved_at - from) / (float)SB_SECOND;
        float            way = sb_v_length(sb_v_sub(m->position, before.position));
        CHECK(fabsf(sb_v_length(arm) - 40) < 0.01f);
        CHECK(m->position.z == -20);
        CHECK(fabsf(sb_v_dot(arm, m->forward)) < 0.01f);
        CHECK(sb_v_dot(sb_v_sub(m->position, before.position), m->forward) > 0);
        CHECK(fabsf(way - before.speed * seconds) < 0.05f * way);
        CHECK(before.speed > 0.5f * r->drone->ship.model->max_speed);
    }
}

TEST(updates_name_the_ship_and_the_game_time)
{
    connect_drone(PLACE);
    wait_for(2 * SB_SECOND);
    sb_time settings_at = r->now;
    say_settings(0);
    wait_for(SB_SECOND);
    say_hex(GAME_INIT);
    say_hex(MISSION);
    wait_for(5 * SB_SECOND);
    unsigned updates = 0;
    for (size_t i = 0; i < r->count; i++) {
        uint32_t code;
        float    time;
        if (r->sent[i].bytes[0] != SB_OP_STATE_UPDATE) continue;
        CHECK_EQ(sb_load_u32(r->sent[i].bytes + 1), FIRST_ID);
        code = sb_load_u32(r->sent[i].bytes + 5);
        memcpy(&time, &code, sizeof time);
        double wanted = 33.25 + (double)(r->sent[i].at - settings_at) / SB_SECOND;
        CHECK(fabs((double)time - wanted) < 0.001);
        updates++;
    }
    CHECK(updates >= 38);
}

TEST(updates_are_90_to_110_milliseconds_apart)
{
    fly(PLACE);
    sb_time last = 0, shortest = SB_SECOND, longest = 0;
    for (int second = 0; second < 60; second++) {
        r->count = 0;
        wait_for(SB_SECOND);
        for (size_t i = 0; i < r->count; i++) {
            if (r->sent[i].bytes[0] != SB_OP_STATE_UPDATE) continue;
            sb_time gap = r->sent[i].at - last;
            if (last > 0 && gap < shortest) shortest = gap;
            if (last > 0 && gap > longest) longest = gap;
            last = r->sent[i].at;
        }
    }
    CHECK(shortest >= 90000 && shortest < 91000);
    CHECK(longest < 110000 && longest > 109000);
}

/* ---- late and full ---- */

TEST(a_late_drone_makes_up_for_nothing)
{
    fly(PLACE);
    wait_for(SB_SECOND);
    r->count = 0;
    r->now += 4500000;
    for (int i = 0; i < 3; i++) sb_drone_advance(r->drone, r->now);
    CHECK_EQ(count_sent(SB_OP_CHAT), 1);
    CHECK_EQ(count_sent(SB_OP_STATE_UPDATE), 1);
    CHECK_EQ(r->drone->mark_at, r->now + SB_SECOND);
    CHECK_EQ(r->drone->update_at, r->now + 90000);
}

/* Nothing reaches the host until the next run. */
static void fill_queue(void)
{
    static const uint8_t mod[300] = { 0xCD };
    size_t               before = r->count, size = sizeof mod;
    while (size > 0)
        if (sb_drone_send(r->drone, r->now, SB_RELIABLE, (sb_span){ mod, size }) == SB_FULL) size--;
        else r->count = before;
}

TEST(a_full_queue_delays_a_ship_by_half_a_second)
{
    join(PLACE);
    fill_queue();
    sb_time due = r->drone->spawn_at;
    r->now = due;
    sb_drone_advance(r->drone, r->now);
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_LOBBY);
    CHECK_EQ(r->drone->spawn_at, due + 500000);
    run();
    wait_for(SB_SECOND);
    CHECK_EQ(last_sent(SB_OP_PLAYER_OBJECT_CREATE)->at, due + 500000);
}

TEST(a_full_queue_delays_the_entry_by_half_a_second)
{
    connect_drone(PLACE);
    say_settings(0);
    say_hex(MISSION);
    CHECK_EQ(sb_transport_host_send(r->host, r->peer, SB_RELIABLE,
                                    (sb_span){ (const uint8_t[]){ SB_OP_GAME_INIT }, 1 }),
             SB_OK);
    fill_queue();
    while (carry_down()) continue;
    CHECK_EQ(count_sent(SB_OP_NEW_PLAYER_IN_GAME), 0);
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_CHECKING);
    sb_time due = r->now + 500000;
    run();
    wait_for(SB_SECOND);
    CHECK_EQ(last_sent(SB_OP_NEW_PLAYER_IN_GAME)->at, due);
    CHECK(sb_drone_phase(r->drone) >= SB_CLIENT_LOBBY);
}

TEST(a_full_queue_leaves_a_mark_out_and_the_session_alive)
{
    fly(PLACE);
    fill_queue();
    size_t marks = count_sent(SB_OP_CHAT);
    r->now = r->drone->mark_at;
    sb_drone_advance(r->drone, r->now);
    CHECK_EQ(count_sent(SB_OP_CHAT), marks);
    CHECK_EQ(r->drone->mark_at, r->now + SB_SECOND);
    run();
    wait_for(2 * SB_SECOND);
    CHECK_EQ(count_sent(SB_OP_CHAT), marks + 2);
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_FLYING);
}

/* ---- marks ---- */

static sb_time time_in(sb_span mark)
{
    char digits[17] = { 0 }, *end;
    CHECK_EQ(mark.size, 17);
    CHECK_EQ(mark.data[0], '@');
    memcpy(digits, mark.data + 1, 16);
    sb_time time = (sb_time)strtoull(digits, &end, 16);
    CHECK(*end == '\0');
    return time;
}

TEST(a_mark_names_its_time_and_comes_at_it)
{
    fly(PLACE);
    wait_for(5 * SB_SECOND);
    CHECK(count_sent(SB_OP_CHAT) >= 5);
    sb_time last = 0;
    for (size_t i = 0; i < r->count; i++) {
        sb_message m;
        if (r->sent[i].bytes[0] != SB_OP_CHAT) continue;
        decode(&r->sent[i], &m);
        CHECK_EQ(m.as.chat.sender, r->peer);
        CHECK_EQ(time_in(m.as.chat.text), r->sent[i].at);
        if (last > 0) CHECK_EQ(r->sent[i].at - last, SB_SECOND);
        last = r->sent[i].at;
    }
}
