/* tests/client/drone_test.c -- drones in a room that enforces the rules, in virtual time. */
#include "client/drone.h"

#include <starbase/message.h>
#include <starbase/server.h>

#include "base/bytes.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { DRONES = 16, STEP_US = 5000 };

static const sb_endpoint host = { 0x7F000001, 22101 };

typedef struct seen {
    sb_drone *drone;
    unsigned  phases[SB_CLIENT_OVER + 1];
    unsigned  marks_sent, marks_heard, updates, states, creations;
    unsigned  left;
    uint32_t  ship;
    sb_time   first_update_at;
} seen;

typedef struct rig {
    sb_server *server;
    void      *memory, *drone_memory[DRONES];
    seen       seen[DRONES];
    size_t     count;
    sb_time    now;
    unsigned   suspicious, deaths;
    bool       cut; /* nothing reaches the drones */
} rig;

static rig *kept; /* a failed test frees nothing */

static void note_server(void *context, const sb_server_event *e)
{
    rig *r = context;
    r->suspicious += e->type == SB_SERVER_SUSPICIOUS;
    r->deaths += e->type == SB_SERVER_KILLED;
}

static void note_queued(seen *s, const sb_client_event *e)
{
    uint8_t opcode = e->bytes.data[0];
    s->marks_sent += opcode == SB_OP_CHAT;
    s->creations += opcode == SB_OP_PLAYER_OBJECT_CREATE;
    if (opcode != SB_OP_STATE_UPDATE) return;
    if (s->updates++ == 0) s->first_update_at = e->now;
    s->ship = sb_load_u32(e->bytes.data + 1);
}

static void note(void *context, const sb_client_event *e)
{
    seen *s = context;
    if (e->type == SB_CLIENT_PHASE) s->phases[e->value]++;
    s->left += e->type == SB_CLIENT_LEFT;
    if (e->type == SB_CLIENT_QUEUED) note_queued(s, e);
    if (e->type != SB_CLIENT_MESSAGE) return;
    s->marks_heard += e->bytes.data[0] == SB_OP_CHAT;
    s->states += e->bytes.data[0] == SB_OP_STATE_UPDATE;
}

static sb_endpoint address_of(size_t i)
{
    return (sb_endpoint){ 0x7F000001, (uint16_t)(30000 + i) };
}

static void start_drone(rig *r, size_t i)
{
    static const uint8_t name[] = { 'D', 0, 'r', 0, 'o', 0, 'n', 0, 'e', 0 };
    sb_drone_config      config;
    sb_drone_defaults(&config);
    config.transport.server = host;
    config.transport.local_address = address_of(i).address;
    config.transport.local_port = address_of(i).port;
    config.transport.name = (sb_span){ name, sizeof name };
    config.seed = 77 + i;
    config.place = (unsigned)i;
    config.on_event = note;
    config.event_context = &r->seen[i];
    size_t size = sb_drone_bytes(&config);
    CHECK(size > 0);
    r->drone_memory[i] = malloc(size);
    memset(r->drone_memory[i], 0xA5, size);
    r->seen[i].drone = sb_drone_init(r->drone_memory[i], &config, r->now);
}

static void release(rig *r)
{
    for (size_t i = 0; r && i < DRONES; i++) free(r->drone_memory[i]);
    if (r) free(r->memory);
    free(r);
}

static rig *open_room(size_t count)
{
    sb_server_config config;
    release(kept);
    rig *r = kept = calloc(1, sizeof *r);
    r->now = 5 * SB_SECOND;
    r->count = count;
    sb_server_defaults(&config);
    config.max_players = DRONES;
    config.combat.fidelity = SB_FIDELITY_ENFORCE;
    config.transport.peers_per_ip = 0;
    config.on_event = note_server;
    config.event_context = r;
    r->memory = calloc(1, sb_server_bytes(&config));
    r->server = sb_server_init(r->memory, &config, r->now);
    for (size_t i = 0; i < count; i++) start_drone(r, i);
    return r;
}

static void step(rig *r)
{
    uint8_t     bytes[SB_SERVER_DATAGRAM_MAX];
    sb_endpoint to;
    size_t      size;
    r->now += STEP_US;
    for (size_t i = 0; i < r->count; i++) {
        sb_drone_advance(r->seen[i].drone, r->now);
        while ((size = sb_drone_write(r->seen[i].drone, r->now, bytes)))
            (void)!sb_server_receive(r->server, r->now, address_of(i), (sb_span){ bytes, size });
    }
    sb_server_advance(r->server, r->now);
    while ((size = sb_server_write(r->server, r->now, &to, bytes)))
        if (!r->cut)
            (void)!sb_drone_receive(r->seen[to.port - 30000].drone, r->now, host,
                                    (sb_span){ bytes, size });
}

static void run_for(rig *r, sb_time duration)
{
    for (sb_time end = r->now + duration; r->now < end;) step(r);
}

static void check_all_fly(const rig *r)
{
    for (size_t i = 0; i < r->count; i++)
        CHECK_EQ(sb_drone_phase(r->seen[i].drone), SB_CLIENT_FLYING);
}

/* Also the first seconds of a ship, when it speeds up. */
TEST(a_server_that_enforces_finds_nothing_suspicious_in_drones)
{
    rig *r = open_room(DRONES);
    run_for(r, 90 * SB_SECOND);
    check_all_fly(r);
    for (int i = 0; i < SB_IMPLAUSIBLE_COUNT; i++)
        if (sb_server_implausible(r->server, (sb_implausible)i) > 0)
            FAIL("%llu of %s",
                 (unsigned long long)sb_server_implausible(r->server, (sb_implausible)i),
                 sb_implausible_name((sb_implausible)i));
    CHECK_EQ(r->suspicious, 0);
    CHECK_EQ(r->deaths, 0);
    for (int i = 0; i < SB_SERVER_COUNT_MESSAGES_IN; i++)
        if (sb_server_count(r->server, (sb_server_counter)i) > 0)
            FAIL("refused: %s", sb_server_counter_name((sb_server_counter)i));
}

TEST(a_drone_sends_ten_updates_and_one_mark_a_second)
{
    rig *r = open_room(2);
    run_for(r, 5 * SB_SECOND);
    check_all_fly(r);
    seen before[2] = { r->seen[0], r->seen[1] };
    run_for(r, 20 * SB_SECOND);
    for (unsigned i = 0; i < 2; i++) {
        unsigned updates = r->seen[i].updates - before[i].updates;
        unsigned heard = r->seen[i].marks_heard - before[i].marks_heard;
        CHECK_EQ(r->seen[i].marks_sent - before[i].marks_sent, 20);
        CHECK(heard >= 39 && heard <= 41); /* its own come back, too */
        CHECK(updates >= 190 && updates <= 210);
        CHECK(r->seen[i].states - before[i].states >= 190);
        CHECK_EQ(r->seen[i].creations, 1);
    }
}

/* Otherwise one run would measure one difference between two clocks only. */
TEST(the_clocks_of_two_drones_have_random_phases)
{
    rig *r = open_room(DRONES);
    run_for(r, 10 * SB_SECOND);
    unsigned early = 0;
    for (size_t i = 0; i < DRONES; i++) early += r->seen[i].first_update_at % 100000 < 50000;
    CHECK(early > 2 && early < DRONES - 2);
}

TEST(the_server_sees_five_other_speeds_a_second)
{
    rig *r = open_room(1);
    run_for(r, 10 * SB_SECOND); /* it has its cruising speed */
    unsigned       changes = 0;
    uint16_t       last = 0;
    sb_player_view view;
    for (unsigned i = 0; i < 200; i++) {
        run_for(r, 50000);
        CHECK(sb_server_player(r->server, 0, r->now, &view));
        changes += view.ship->motion.speed_code != last;
        CHECK(sb_decode_cf16(view.ship->motion.speed_code) < 0.7f * view.ship->model->max_speed);
        last = view.ship->motion.speed_code;
    }
    CHECK(changes >= 48 && changes <= 52);
}

TEST(drones_fly_again_after_a_restart_of_the_match)
{
    rig *r = open_room(2);
    run_for(r, 5 * SB_SECOND);
    sb_server_end_match(r->server, r->now, SB_END_TIME);
    run_for(r, 5 * SB_SECOND);
    CHECK_EQ(sb_drone_phase(r->seen[0].drone), SB_CLIENT_LOBBY);
    CHECK_EQ(r->seen[0].creations, 1);
    sb_server_restart_match(r->server, r->now);
    run_for(r, 5 * SB_SECOND);
    check_all_fly(r);
    CHECK_EQ(r->seen[0].creations, 2);
}

TEST(a_drone_that_leaves_is_gone_at_once)
{
    rig *r = open_room(2);
    run_for(r, 5 * SB_SECOND);
    sb_drone_leave(r->seen[0].drone, r->now);
    run_for(r, SB_SECOND);
    CHECK(sb_drone_is_over(r->seen[0].drone));
    CHECK_EQ(r->seen[0].left, 1);
    CHECK_EQ(r->seen[0].phases[SB_CLIENT_OVER], 1);
    CHECK_EQ(sb_drone_phase(r->seen[1].drone), SB_CLIENT_FLYING);
}

TEST(a_drone_without_a_server_gives_up)
{
    rig *r = open_room(1);
    run_for(r, 3 * SB_SECOND);
    r->cut = true;
    run_for(r, 70 * SB_SECOND);
    CHECK_EQ(sb_drone_phase(r->seen[0].drone), SB_CLIENT_OVER);
    CHECK_EQ(r->seen[0].left, 1);
}

TEST(a_drone_whose_ship_dies_gets_another_one)
{
    static const uint8_t self_destruct[] = { SB_OP_SELF_DESTRUCT };
    rig                 *r = open_room(2);
    run_for(r, 5 * SB_SECOND);
    uint32_t ship = r->seen[0].ship;
    CHECK_EQ(sb_drone_send(r->seen[0].drone, r->now, SB_UNRELIABLE,
                           (sb_span){ self_destruct, sizeof self_destruct }),
             SB_OK);
    run_for(r, 2 * SB_SECOND);
    CHECK_EQ(r->deaths, 1);
    CHECK_EQ(sb_drone_phase(r->seen[0].drone), SB_CLIENT_LOBBY);
    run_for(r, 30 * SB_SECOND);
    check_all_fly(r);
    CHECK(r->seen[0].ship != ship);
    CHECK_EQ(r->suspicious, 0);
}
