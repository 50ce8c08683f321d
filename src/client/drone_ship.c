/* src/client/drone_ship.c -- the ship of a drone: its creation, its circle, its updates.
 *
 * For:      drone.c, which calls it when the drone is in the game.
 * Never:    exceeds the engines (spec 10 §11.3), so that no server finds the ship implausible.
 * Spec:     03 §7, §8, 07 §1, §2.
 * Tests:    tests/client/drone_test.c, tests/client/drone_session_test.c
 */
#include "client/drone_internal.h"

#include <starbase/message.h>

#include "base/assert.h"
#include "base/text.h"
#include "client/client_internal.h"
#include "ship/vectors.h"

enum {
    UPDATE_MAX = 400, /* bytes of a StateUpdate */
    /* The clock of a drone is as uneven as that of a client that draws 30 to 60 frames a second.
     * So the phases of a room drift, and a run measures all of them. */
    UPDATE_MIN_US = 90000,
    UPDATE_SPREAD_US = 20000,
    UPDATES_PER_CODE = 2, /* updates between two changes of the speed code */
    SPEED_CODES = 64,     /* codes that follow one another: 12 s */
};

static const float circle = 40.0f;      /* radius, in units */
static const float circle_apart = 8.0f; /* height between two circles; no ship is as large */
static const float cruise = 0.6f;       /* share of the highest speed */
/* Below this difference the speed is set, not approached: a share of the acceleration of a second.
 * Servers must allow much more (spec 10 §11.3). */
static const float speed_step = 0.1f;

/* ---- the ship ---- */

static const sb_ship_class *choose_class(sb_drone *d)
{
    const sb_ship_set *set = sb_stock_ships();
    uint32_t           selectable = 0;
    for (size_t i = 0; i < set->count; i++) selectable += set->ships[i].selectable;
    SB_ASSERT(selectable > 0);
    uint32_t nth = sb_random_below(&d->random, selectable);
    for (size_t i = 0; i < set->count; i++)
        if (set->ships[i].selectable && nth-- == 0) return &set->ships[i];
    return &set->ships[0];
}

static sb_vec3 centre_of(const sb_drone *d)
{
    return (sb_vec3){ 0, 0, circle_apart * ((float)d->config.place - 7.5f) };
}

/* Puts the ship where its spoke points, with its nose along the circle. */
static void place_ship(sb_drone *d)
{
    static const sb_vec3 up = { 0, 0, 1 };
    d->ship.motion.position = sb_v_along(centre_of(d), d->spoke, circle);
    sb_motion_set_axes(&d->ship.motion, sb_v_cross(up, d->spoke), up);
}

/* Half of the drones start on one side of their circle, half on the other. */
static void init_ship(sb_drone *d)
{
    const sb_ship_class *model = choose_class(d);
    uint32_t             first = sb_slot_first_id(d->slot), end = sb_slot_first_id(d->slot + 1u);
    uint32_t             count = sb_client_id_count(model);
    if (d->next_id > end - count) d->next_id = first;
    sb_ship_init(&d->ship, model, model->species, d->next_id);
    d->next_id += count;
    d->spoke = (sb_vec3){ d->config.place % 2 == 0 ? 1.0f : -1.0f, 0, 0 };
    place_ship(d);
}

static void write_creation(const sb_drone *d, sb_message *m)
{
    const sb_system  *system = sb_find_system(sb_stock_systems(), d->system);
    sb_object_create *create = &m->as.object_create;
    *m = (sb_message){ .opcode = SB_OP_PLAYER_OBJECT_CREATE };
    sb_ship_write_creation(&d->ship, create);
    create->owner_slot = (int8_t)d->slot;
    create->peer_id = d->id;
    create->name = sb_text_span(d->name);
    create->set_name = sb_text_span(system ? system->start_set : "Multi1");
}

sb_result sb_drone_queue_creation(sb_drone *d)
{
    sb_message m;
    write_creation(d, &m);
    return sb_drone_queue_message(d, &m);
}

void sb_drone_advance_spawn(sb_drone *d)
{
    if (d->now < d->spawn_at || d->game_over) return;
    init_ship(d);
    d->spawn_at = d->now + SB_DRONE_RETRY_US;
    if (sb_drone_queue_creation(d) != SB_OK) return;
    d->spawn_at = SB_TIME_NEVER;
    sb_frame_init(&d->frame, &d->ship);
    sb_lane_init(&d->lane, SB_LANE_TO_HOST, &d->frame, &d->lanes);
    d->updates = 0;
    d->moved_at = d->now;
    d->update_at = d->now + UPDATE_MIN_US + sb_drone_random_us(d, UPDATE_SPREAD_US);
    sb_drone_set_phase(d, SB_CLIENT_FLYING);
}

/* ---- flight ---- */

/* The speed to be reached: the cruising speed plus a few of the smallest steps that a speed code
 * can express, so that every code names one change. */
static uint16_t wanted_code(const sb_drone *d)
{
    uint16_t first = sb_encode_cf16(cruise * d->ship.model->max_speed);
    return (uint16_t)(first + d->updates / UPDATES_PER_CODE % SPEED_CODES);
}

static void change_speed(sb_drone *d, float seconds)
{
    const sb_ship_class *model = d->ship.model;
    uint16_t             code = wanted_code(d);
    float                wanted = sb_decode_cf16(code), left = wanted - d->ship.motion.speed;
    if (left < speed_step * model->max_accel && left > -speed_step * model->max_accel)
        sb_motion_read_speed(&d->ship.motion, code);
    else
        sb_motion_set_speed(&d->ship.motion, sb_motion_approach(d->ship.motion.speed, wanted,
                                                                model->max_accel, seconds));
}

/* Moves the spoke by the distance flown. The arc is so short that its chord is as good. */
static void move_ship(sb_drone *d)
{
    float   seconds = (float)(d->now - d->moved_at) / (float)SB_SECOND;
    float   arc = d->ship.motion.speed * seconds / circle;
    sb_vec3 moved = sb_v_along(d->spoke, d->ship.motion.forward, arc);
    d->spoke = sb_v_scale(moved, 1.0f / sb_v_length(moved));
    d->moved_at = d->now;
    place_ship(d);
    change_speed(d, seconds);
}

static float game_time(const sb_drone *d)
{
    return (float)((double)d->game_time + (double)(d->now - d->settings_at) / SB_SECOND);
}

static void send_update(sb_drone *d)
{
    sb_message m = { .opcode = SB_OP_STATE_UPDATE };
    uint8_t    bytes[UPDATE_MAX];
    size_t     size;
    sb_frame_update(&d->frame, &d->ship, d->ship.motion.position);
    sb_message_context context = sb_lane_context(&d->lane, &d->frame, &d->lanes);
    if (!sb_lane_build(&d->lane, &d->frame, &d->lanes, false, d->now, game_time(d),
                       &m.as.state_update))
        return;
    if (sb_encode_message(&m, &context, bytes, sizeof bytes, &size) == SB_OK)
        (void)!sb_drone_queue(d, SB_UNRELIABLE, (sb_span){ bytes, size });
}

void sb_drone_advance_flight(sb_drone *d)
{
    if (d->now < d->update_at) return;
    d->update_at += UPDATE_MIN_US + sb_drone_random_us(d, UPDATE_SPREAD_US);
    if (d->update_at <= d->now) d->update_at = d->now + UPDATE_MIN_US;
    move_ship(d);
    send_update(d);
    d->updates++;
}
