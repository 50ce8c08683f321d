/* bench/replica_bench.c -- one tick of a host's lanes with 8, 16 and 64 ships and as many peers;
 * all ships turn, fly and are hit.
 *
 *     tick_N       all messages of one tick, from ship states to bytes: N frames, 2 N messages (one
 *                  to the owner, one to the others), N x N deliveries
 *     lanes_N      the reference, the obvious implementation: one lane per ship and peer, N x N
 *                  messages built from N frames
 *     deliver_N    the floor: copies of all delivered bytes, message by message and peer by peer
 *     frame        the frame of one ship
 *     frame_and_to_owner, frame_and_to_others
 *                  the frame of one ship and one message
 *     update_20, update_3E, update_9E
 *                  frame, message and bytes for one receiver: the owner, another player, the host;
 * a Sovereign. Nothing changes but the motion in 3E and 9E; _hit: one condition falls, too; _all:
 * every condition, facing, battery and power setting changes
 *
 * Nothing is allocated between two ticks: a scene allocates its memory at its first use.
 */
#include "bench.h"

#include <starbase/message.h>
#include <starbase/replica.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHIPS_MAX = 64,
    POSES = 64,       /* positions that each ship flies through in turn */
    OWNER_BYTES = 22, /* average size of a message (spec 03 §14) */
    OTHERS_BYTES = 35,
};

static const uint8_t classes[15] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

static void must(bool condition)
{
    if (!condition) __builtin_trap();
}

/* A circle flown at varying speed: every update has all four motion fields. */
static void make_poses(sb_motion *poses)
{
    for (unsigned i = 0; i < POSES; i++) {
        float     angle = (float)i * 0.098f, c = cosf(angle), s = sinf(angle);
        sb_motion m;
        sb_motion_init(&m);
        m.position = (sb_vec3){ 60 * c, 60 * s, 6 * s };
        sb_motion_set_axes(&m, (sb_vec3){ -s, c, 0.3f * c }, (sb_vec3){ 0.3f * s, 0.2f, 1 });
        sb_motion_set_speed(&m, 5 + s);
        poses[i] = m;
    }
}

typedef struct scene {
    unsigned    ships;
    unsigned    tick;
    sb_time     now;
    sb_replica *replica; /* NULL: not made yet */
    sb_motion   poses[POSES];
    sb_ship     ship[SHIPS_MAX];
} scene;

/* Advances one ship by a tick: it moves, one subsystem is hit, one shield facing changes. */
static void change_ship(scene *s, unsigned i)
{
    sb_ship *ship = &s->ship[i];
    unsigned part = (s->tick + i) % ship->model->subsystem_count;
    ship->motion = s->poses[(s->tick + i) % POSES];
    ship->condition[part] *= 0.98f;
    if (ship->condition[part] < 1)
        ship->condition[part] = ship->model->subsystems[part].max_condition;
    ship->facing[s->tick % SB_FACINGS] =
        ship->model->shield_max[s->tick % SB_FACINGS] * (float)(s->tick % 16) / 16;
}

static void init_ships(scene *s, unsigned ships)
{
    s->ships = ships;
    s->now = 10 * SB_SECOND;
    make_poses(s->poses);
    for (unsigned i = 0; i < ships; i++) {
        uint8_t species = classes[i % sizeof classes];
        sb_ship_init(&s->ship[i], sb_find_ship(sb_stock_ships(), species), species,
                     sb_slot_first_id(0) + 64 * i);
    }
}

static void make_scene(scene *s, unsigned ships)
{
    sb_replica_config config = { .max_ships = ships };
    sb_lane_options_default(&config.lanes);
    init_ships(s, ships);
    void *memory = malloc(sb_replica_bytes(&config));
    must(memory != NULL);
    s->replica = sb_replica_init(memory, &config);
    for (unsigned i = 0; i < ships; i++) sb_replica_add_peer(s->replica, i);
    for (unsigned i = 0; i < ships; i++)
        must(sb_replica_add_ship(s->replica, &s->ship[i], i, s->now) == SB_OK);
}

static void run_ticks(scene *s, unsigned ships, size_t count)
{
    if (!s->replica) make_scene(s, ships);
    while (count-- > 0) {
        sb_replica_message m;
        unsigned           built = 0;
        for (unsigned i = 0; i < s->ships; i++) change_ship(s, i);
        for (; sb_replica_next(s->replica, s->now, (float)s->tick * 0.1f, &m); built++)
            bench_use(m.bytes.data);
        must(built == 2 * s->ships);
        s->now += SB_SECOND / 10;
        s->tick++;
    }
}

/* ---- the reference ---- */

typedef struct plain_scene {
    scene           scene;
    bool            made;
    sb_lane_options options;
    sb_ship_frame   frames[SHIPS_MAX];
    sb_lane         lanes[SHIPS_MAX][SHIPS_MAX];
    sb_message      message;
    uint8_t         bytes[512];
} plain_scene;

static void make_plain(plain_scene *p, unsigned ships)
{
    p->made = true;
    sb_lane_options_default(&p->options);
    init_ships(&p->scene, ships);
    for (unsigned i = 0; i < ships; i++) {
        sb_frame_init(&p->frames[i], &p->scene.ship[i]);
        for (unsigned peer = 0; peer < ships; peer++)
            sb_lane_init(&p->lanes[i][peer], peer == i ? SB_LANE_TO_OWNER : SB_LANE_TO_OTHERS,
                         &p->frames[i], &p->options);
    }
}

static void build_one(plain_scene *p, unsigned ship, unsigned peer)
{
    sb_lane           *lane = &p->lanes[ship][peer];
    sb_message_context context = sb_lane_context(lane, &p->frames[ship], &p->options);
    size_t             size;
    p->message.opcode = SB_OP_STATE_UPDATE;
    must(sb_lane_build(lane, &p->frames[ship], &p->options, false, p->scene.now,
                       (float)p->scene.tick * 0.1f, &p->message.as.state_update));
    must(sb_encode_message(&p->message, &context, p->bytes, sizeof p->bytes, &size) == SB_OK);
    bench_use(p->bytes);
}

static void run_plain(plain_scene *p, unsigned ships, size_t count)
{
    if (!p->made) make_plain(p, ships);
    while (count-- > 0) {
        for (unsigned i = 0; i < ships; i++) {
            sb_ship *ship = &p->scene.ship[i];
            change_ship(&p->scene, i);
            sb_frame_update(&p->frames[i], ship, ship->motion.position);
            for (unsigned peer = 0; peer < ships; peer++) build_one(p, i, peer);
        }
        p->scene.now += SB_SECOND / 10;
        p->scene.tick++;
    }
}

/* ---- the floor ---- */

static void run_copies(unsigned ships, size_t count)
{
    static uint8_t from[64], to[SHIPS_MAX * OTHERS_BYTES];
    bench_use(from);
    while (count-- > 0)
        for (unsigned ship = 0; ship < ships; ship++) {
            memcpy(to, from, OWNER_BYTES);
            for (unsigned peer = 1; peer < ships; peer++)
                memcpy(to + (size_t)peer * OTHERS_BYTES, from, OTHERS_BYTES);
            bench_use(to);
        }
}

#define SCENE(n)                                                                                   \
    BENCH(deliver_##n)                                                                             \
    {                                                                                              \
        run_copies(n, bench_count);                                                                \
    }                                                                                              \
    BENCH(lanes_##n)                                                                               \
    {                                                                                              \
        static plain_scene p;                                                                      \
        run_plain(&p, n, bench_count);                                                             \
    }                                                                                              \
    BENCH(tick_##n, .floor = "deliver_" #n, .reference = "lanes_" #n)                              \
    {                                                                                              \
        static scene s;                                                                            \
        run_ticks(&s, n, bench_count);                                                             \
    }

SCENE(8)
SCENE(16)
SCENE(64)

/* ---- one ship ---- */

static plain_scene single;

/* Builds the frame of one ship and its message to `peer`; SHIPS_MAX: only the frame. */
static void run_single(unsigned peer, size_t count)
{
    if (!single.made) make_plain(&single, 2);
    while (count-- > 0) {
        change_ship(&single.scene, 0);
        sb_frame_update(&single.frames[0], &single.scene.ship[0],
                        single.scene.ship[0].motion.position);
        if (peer < SHIPS_MAX) build_one(&single, 0, peer);
        bench_use(&single.frames[0]);
        single.scene.now += SB_SECOND / 10;
        single.scene.tick++;
    }
}

BENCH(frame)
{
    run_single(SHIPS_MAX, bench_count);
}

BENCH(frame_and_to_owner, .floor = "frame")
{
    run_single(0, bench_count);
}

BENCH(frame_and_to_others, .floor = "frame")
{
    run_single(1, bench_count);
}

/* ---- updates for one receiver ---- */

typedef enum change { CHANGE_NONE, CHANGE_HIT, CHANGE_ALL } change;

typedef struct sender {
    bool            made;
    unsigned        tick;
    sb_time         now;
    sb_motion       poses[POSES];
    sb_ship         ship;
    sb_ship_frame   frame;
    sb_lane         lane;
    sb_lane_options options;
    sb_message      message;
    uint8_t         bytes[512];
} sender;

static void make_sender(sender *s, sb_lane_role role)
{
    enum { SOVEREIGN = 5 };
    s->made = true;
    s->now = 10 * SB_SECOND;
    make_poses(s->poses);
    sb_ship_init(&s->ship, sb_find_ship(sb_stock_ships(), SOVEREIGN), SOVEREIGN,
                 sb_slot_first_id(0));
    sb_lane_options_stock(&s->options);
    s->options.full_us = 1000000 * SB_SECOND; /* only the first update is full */
    sb_frame_init(&s->frame, &s->ship);
    sb_lane_init(&s->lane, role, &s->frame, &s->options);
    s->message.opcode = SB_OP_STATE_UPDATE;
}

static void change_all(sb_ship *ship, unsigned tick)
{
    float fraction = 0.25f + (float)(63 - tick % 64) / 128;
    for (unsigned i = 0; i < ship->model->subsystem_count; i++)
        ship->condition[i] = ship->model->subsystems[i].max_condition * fraction;
    for (unsigned i = 0; i < ship->model->child_count; i++)
        ship->child_condition[i] = ship->model->children[i].max_condition * fraction;
    for (unsigned i = 0; i < SB_FACINGS; i++)
        ship->facing[i] = ship->model->shield_max[i] * fraction;
    ship->main_battery = ship->model->main_battery * fraction;
    ship->backup_battery = ship->model->backup_battery * fraction;
}

static void change_one(sb_ship *ship, unsigned tick)
{
    unsigned part = tick % ship->model->subsystem_count;
    ship->condition[part] =
        ship->model->subsystems[part].max_condition * (1 - (float)(tick / 64 % 64) / 64);
}

static void change_sender(sender *s, change what)
{
    if (s->lane.role != SB_LANE_TO_OWNER) s->ship.motion = s->poses[s->tick % POSES];
    if (what == CHANGE_HIT) change_one(&s->ship, s->tick);
    if (what == CHANGE_ALL) change_all(&s->ship, s->tick);
}

static void send_updates(sender *s, sb_lane_role role, change what, size_t count)
{
    if (!s->made) make_sender(s, role);
    while (count-- > 0) {
        size_t size;
        change_sender(s, what);
        sb_frame_update(&s->frame, &s->ship, s->ship.motion.position);
        must(sb_lane_build(&s->lane, &s->frame, &s->options, false, s->now, (float)s->tick * 0.1f,
                           &s->message.as.state_update));
        sb_message_context context = sb_lane_context(&s->lane, &s->frame, &s->options);
        must(sb_encode_message(&s->message, &context, s->bytes, sizeof s->bytes, &size) == SB_OK);
        bench_use(s->bytes);
        s->now += SB_SECOND / 10;
        s->tick++;
    }
}

/* The cost of the changes alone, to be subtracted. */
#define ONLY(change)                                                                               \
    BENCH(only_##change)                                                                           \
    {                                                                                              \
        static sender s;                                                                           \
        if (!s.made) make_sender(&s, SB_LANE_TO_OWNER);                                            \
        BENCH_LOOP                                                                                 \
        {                                                                                          \
            change(&s.ship, s.tick++);                                                             \
            bench_use(&s.ship);                                                                    \
        }                                                                                          \
    }

ONLY(change_one)
ONLY(change_all)

#define UPDATE(name, role, what)                                                                   \
    BENCH(name)                                                                                    \
    {                                                                                              \
        static sender s;                                                                           \
        send_updates(&s, role, what, bench_count);                                                 \
    }

UPDATE(update_20, SB_LANE_TO_OWNER, CHANGE_NONE)
UPDATE(update_20_hit, SB_LANE_TO_OWNER, CHANGE_HIT)
UPDATE(update_20_all, SB_LANE_TO_OWNER, CHANGE_ALL)
UPDATE(update_3E, SB_LANE_TO_OTHERS, CHANGE_NONE)
UPDATE(update_3E_hit, SB_LANE_TO_OTHERS, CHANGE_HIT)
UPDATE(update_3E_all, SB_LANE_TO_OTHERS, CHANGE_ALL)
UPDATE(update_9E, SB_LANE_TO_HOST, CHANGE_NONE)
