/* fuzz/replica_fuzz.c -- arbitrary StateUpdates for any ship: applied, checked, sent on.
 *
 * Byte 0: species. Byte 1: bits 0-1 the receiver's role, bit 2 the sender's shield layout, bit 3
 * the layout that we send, bit 4 the layout is found by evidence, bit 5 the first message is a
 * creation of the ship. Then messages: length, time step in 1/16 s, bytes. Opcode and object id are
 * filled in so that the fuzzer reaches the code behind those checks. The low bits of the time step
 * also choose an event of the lanes (step_replica).
 */
#include <starbase/message.h>
#include <starbase/replica.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "options.h"
#include "replica/testing.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { OBJECT = 0x3FFFFFFF, UPDATE_MAX = 400, OWNER = 0, OTHER = 1, LOSSY = 2 };

static void check_range(float value, float max)
{
    SB_ASSERT(value >= 0.0f && value <= max);
}

static void check_axes(const sb_motion *m)
{
    sb_vec3 f = m->forward, u = m->up;
    SB_ASSERT(fabsf(f.x * f.x + f.y * f.y + f.z * f.z - 1.0f) < 1e-3f);
    SB_ASSERT(fabsf(u.x * u.x + u.y * u.y + u.z * u.z - 1.0f) < 1e-3f);
    SB_ASSERT(fabsf(f.x * u.x + f.y * u.y + f.z * u.z) < 1e-3f);
}

/* After any input the values of the ship are in their ranges. */
static void check_ship(const sb_ship *ship)
{
    const sb_ship_class *model = ship->model;
    const float          position[3] = { ship->motion.position.x, ship->motion.position.y,
                                         ship->motion.position.z };
    for (int i = 0; i < 3; i++) SB_ASSERT(position[i] >= -1e7f && position[i] <= 1e7f);
    SB_ASSERT(ship->motion.speed == sb_decode_cf16(ship->motion.speed_code));
    check_axes(&ship->motion);
    for (unsigned i = 0; model && i < model->subsystem_count; i++) {
        check_range(ship->condition[i], model->subsystems[i].max_condition);
        check_range(ship->power_wanted[i], 1.25f);
    }
    for (unsigned i = 0; model && i < model->child_count; i++)
        check_range(ship->child_condition[i], model->children[i].max_condition);
    for (unsigned i = 0; model && i < SB_FACINGS; i++)
        check_range(ship->facing[i], model->shield_max[i]);
}

/* Updates that we build from the ship can be decoded and applied by others. */
static void send_on(const sb_ship *ship, sb_lane_role role, uint8_t layout, sb_time now)
{
    static sb_message message;
    uint8_t           bytes[UPDATE_MAX];
    size_t            size;
    sb_ship_frame     frame;
    sb_lane           lane;
    sb_lane_options   options;
    sb_lane_options_default(&options);
    options.layout_forced = true;
    options.layout = layout;
    sb_frame_init(&frame, ship);
    sb_lane_init(&lane, role, &frame, &options);
    message.opcode = SB_OP_STATE_UPDATE;
    for (int i = 0; i < 3; i++) {
        sb_message_context context = sb_lane_context(&lane, &frame, &options);
        if (!sb_lane_build(&lane, &frame, &options, false, now, (float)i, &message.as.state_update))
            continue;
        sb_result encoded = sb_encode_message(&message, &context, bytes, sizeof bytes, &size);
        SB_ASSERT(encoded == SB_OK);
        sb_ship     other;
        sb_receiver reader;
        sb_ship_init(&other, ship->model, ship->species, OBJECT);
        sb_receiver_init(&reader, SB_RECEIVE_OTHER, &other, now);
        sb_result applied =
            sb_receiver_apply(&reader, &other, now, layout, (sb_span){ bytes, size }, NULL);
        SB_ASSERT(applied == SB_OK);
        check_ship(&other);
    }
}

/* A creation built from the ship encodes and decodes. */
static void send_creation(const sb_ship *ship)
{
    static sb_message create, back;
    uint8_t           bytes[512];
    size_t            size;
    sb_ship           other;
    if (!ship->model) return;
    create = (sb_message){ .opcode = SB_OP_PLAYER_OBJECT_CREATE };
    sb_ship_write_creation(ship, &create.as.object_create);
    sb_result result = sb_encode_message(&create, NULL, bytes, sizeof bytes, &size);
    SB_ASSERT(result == SB_OK);
    result = sb_decode_message((sb_span){ bytes, size }, NULL, &back, NULL);
    SB_ASSERT(result == SB_OK);
    SB_ASSERT(back.as.object_create.snapshot_known);
    sb_ship_read_creation(&other, &back.as.object_create, NULL);
    check_ship(&other);
}

/* Fills the ship from a creation message. False: the message is malformed or creates no ship. */
static bool read_creation(sb_ship *ship, uint8_t species, const uint8_t *bytes, size_t size)
{
    static sb_message m;
    uint8_t           payload[1 + 255] = { 0x03 };
    memcpy(payload + 1, bytes, size);
    if (size > 10) { /* fill in class, object id and species (spec 07 §2.1) */
        sb_store_u32(payload + 3, SB_CLASS_SHIP);
        sb_store_u32(payload + 7, OBJECT);
        payload[11] = species;
    }
    if (sb_decode_message((sb_span){ payload, 1 + size }, NULL, &m, NULL) != SB_OK) return false;
    if (m.as.object_create.class_id != SB_CLASS_SHIP) return false;
    sb_ship_read_creation(ship, &m.as.object_create, NULL);
    ship->object_id = OBJECT;
    return true;
}

/* ---- a host's lanes of the ship ---- */

static sb_replica *open_replica(const sb_ship *ship, uint8_t layout, sb_time now)
{
    static _Alignas(max_align_t) uint8_t memory[1 << 16];
    sb_replica_config                    config = { .max_ships = 2 };
    sb_lane_options_default(&config.lanes);
    config.lanes.layout_forced = true;
    config.lanes.layout = layout;
    SB_ASSERT(sb_replica_bytes(&config) <= sizeof memory);
    sb_replica *replica = sb_replica_init(memory, &config);
    for (unsigned peer = OWNER; peer <= LOSSY; peer++) sb_replica_add_peer(replica, peer);
    sb_result result = sb_replica_add_ship(replica, ship, OWNER, now);
    SB_ASSERT(result == SB_OK);
    sb_replica_check(replica);
    return replica;
}

/* Applies one event to the lanes, then builds all updates that are due. */
static void step_replica(sb_replica *replica, const sb_ship *ship, uint8_t action, sb_time now)
{
    sb_replica_message m;
    if (action % 4 == 1) sb_replica_set_lossy(replica, LOSSY, action & 4);
    if (action % 4 == 2 && action & 4) sb_replica_remove_peer(replica, OTHER);
    if (action % 4 == 2 && !(action & 4)) sb_replica_add_peer(replica, OTHER);
    if (action % 4 == 3) sb_replica_repeat(replica, ship->object_id, OTHER);
    if (action & 0x40)
        sb_replica_set_pace(replica, ship->object_id, action & 0x20 ? LOSSY : OTHER,
                            (sb_replica_pace)((action >> 3) % SB_REPLICA_PACES));
    sb_replica_check(replica);
    while (sb_replica_next(replica, now, (float)now / SB_SECOND, &m)) sb_replica_check(replica);
    sb_replica_check(replica);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sb_ship            ship;
    sb_receiver        receiver;
    sb_layout_evidence evidence = { 0 };
    sb_time            now = SB_SECOND;
    sb_replica        *replica;
    if (size < 2) return 0;
    sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), data[0]), data[0], OBJECT);
    uint8_t layout = data[1] >> 2 & 1, layout_sent = data[1] >> 3 & 1;
    bool    by_evidence = data[1] >> 4 & 1, created = data[1] >> 5 & 1;
    sb_receiver_init(&receiver, (sb_receiver_role)(data[1] % 3), &ship, now);
    replica = open_replica(&ship, layout_sent, now);
    for (size_t at = 2; at + 2 <= size;) {
        uint8_t message[5 + 255] = { 0x1C };
        size_t  length = data[at] < size - at - 2 ? data[at] : size - at - 2;
        sb_span bytes = { message, 5 + length };
        sb_store_u32(message + 1, OBJECT);
        memcpy(message + 5, data + at + 2, length);
        now += data[at + 1] * SB_SECOND / 16;
        if (created && read_creation(&ship, data[0], data + at + 2, length)) {
            sb_receiver_init(&receiver, (sb_receiver_role)(data[1] % 3), &ship, now);
            replica = open_replica(&ship, layout_sent, now);
        } else {
            if (by_evidence) layout = sb_layout_evidence_choose(&evidence, ship.model, bytes);
            (void)!sb_receiver_apply(&receiver, &ship, now, layout, bytes, NULL);
        }
        created = false;
        sb_receiver_check(&receiver);
        check_ship(&ship);
        ship.motion.position = sb_receiver_estimate(&receiver, &ship, now + SB_SECOND);
        check_ship(&ship);
        step_replica(replica, &ship, data[at + 1], now);
        at += 2 + length;
    }
    for (int role = SB_LANE_TO_HOST; role <= SB_LANE_TO_OTHERS; role++)
        send_on(&ship, (sb_lane_role)role, layout_sent, now);
    send_creation(&ship);
    return 0;
}
