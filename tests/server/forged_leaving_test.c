/* tests/server/forged_leaving_test.c -- forged and true Disconnects of a player who flies, who is
 * silent in the lobby, who only listens in a busy room, and who loads the mission. Spec 01 §8.4.
 */
#include <starbase/cipher.h>

#include "rig.h"

#include "base/bytes.h"

typedef enum stage { FLYING, SILENT, LISTENING, LOADING, STAGES } stage;

enum {
    NEXT_LOW = 2, /* a player who has joined has used 0 for Connect and 1 for its Name */
    MILLISECOND = 1000,
    LONGER_THAN_A_DISCONNECT_WAITS = 8,
};

/* Alpha is the victim, Beta the witness. */
typedef struct scene {
    room    *r;
    seat    *a, *b;
    stage    stage;
    uint32_t ship;
} scene;

static scene open_scene(stage where)
{
    scene t = { .r = room_open(NULL), .stage = where };
    t.b = room_join(t.r, "Beta");
    seat_spawn(t.r, t.b, 5, (sb_vec3){ 0, 50, 0 });
    t.a = where == LOADING ? room_load(t.r, "Alpha") : room_join(t.r, "Alpha");
    if (where == FLYING) t.ship = seat_spawn(t.r, t.a, 5, (sb_vec3){ 0, 0, 0 });
    return t;
}

/* A tenth of a second of what Alpha and Beta do at this stage. */
static void live_a_moment(scene *t)
{
    static const sb_vec3 here = { 0, 0, 0 };
    bool                 there = t->a && !t->a->left;
    if (t->stage == FLYING && there) seat_say_position(t->r, t->a, t->ship, here);
    if (t->stage == LISTENING)
        seat_say_hex(t->r, t->b, "08 01 01 00 00 DA 00 80 00 00 00 00 00 {ship}"); /* StopFiring */
    room_forget(t->r);
    room_wait(t->r, 100 * MILLISECOND);
}

static void live(scene *t, unsigned seconds)
{
    for (unsigned i = 0; i < 10 * seconds; i++) live_a_moment(t);
}

/* A Disconnect under Alpha's address. */
static void forge(scene *t, uint8_t id, uint16_t number, uint32_t address)
{
    uint8_t bytes[] = { id, 1, 0x05, 0x0A, 0xC0, 0, 0, id, 0, 0, 0, 0 };
    sb_store_u16(bytes + 5, number);
    for (unsigned i = 0; i < 4; i++) bytes[8 + i] = (uint8_t)(address >> (24 - 8 * i));
    sb_encrypt_datagram(bytes, sizeof bytes);
    (void)!room_give(t->r, t->a->address, (sb_span){ bytes, sizeof bytes });
}

static uint64_t counted(const scene *t, sb_transport_counter counter)
{
    return sb_server_transport_count(t->r->server, counter);
}

/* Every guess but the last is wrong in one field; each gets the time to take effect. */
static void forge_all(scene *t)
{
    uint32_t address = t->a->address.address;
    forge(t, (uint8_t)(t->a->id + 1), NEXT_LOW, address);
    live(t, LONGER_THAN_A_DISCONNECT_WAITS);
    forge(t, t->a->id, NEXT_LOW, address + 1);
    live(t, LONGER_THAN_A_DISCONNECT_WAITS);
    CHECK_EQ(counted(t, SB_TRANSPORT_COUNT_FOREIGN_DISCONNECT), 1);
    forge(t, t->a->id, NEXT_LOW + 1, address);
    live(t, LONGER_THAN_A_DISCONNECT_WAITS);
    CHECK_EQ(counted(t, SB_TRANSPORT_COUNT_EARLY_DISCONNECT), 1);
    CHECK_EQ(counted(t, SB_TRANSPORT_COUNT_FORGED_DISCONNECT), 0);
    forge(t, t->a->id, NEXT_LOW, address);
    live(t, LONGER_THAN_A_DISCONNECT_WAITS);
    CHECK_EQ(counted(t, SB_TRANSPORT_COUNT_FORGED_DISCONNECT), 1);
}

/* In tenths of a second. */
static unsigned time_until_gone(scene *t)
{
    unsigned moments = 0;
    for (; !t->b->gone_count && moments < 200; moments++) live_a_moment(t);
    CHECK_EQ(t->b->gone_count, 1);
    CHECK_EQ(t->b->gone[0], t->a->id);
    return moments;
}

TEST(spec_01_8_4_a_forged_disconnect_removes_nobody_at_any_stage)
{
    for (stage where = 0; where < STAGES; where++) {
        scene t = open_scene(where);
        forge_all(&t);
        CHECK(!t.a->left && !t.b->left);
        CHECK_EQ(t.b->gone_count, 0);
        CHECK_EQ(t.a->by_opcode[SB_OP_STOP_FIRING], where == LISTENING ? 320 : 0);
        CHECK_EQ(room_count_events(t.r, SB_SERVER_LEFT), 0);
        CHECK_EQ(room_count_events(t.r, SB_SERVER_JOIN_FAILED), 0);
    }
}

TEST(spec_01_8_4_the_true_disconnect_is_obeyed_after_a_forged_one)
{
    for (stage where = 0; where < STAGES; where++) {
        scene t = open_scene(where);
        forge_all(&t);
        sb_transport_client_leave(t.a->client, t.r->now);
        t.a->left = true; /* says nothing more */
        CHECK_EQ(time_until_gone(&t), where == FLYING ? 10 : 60);
        CHECK_EQ(counted(&t, SB_TRANSPORT_COUNT_FORGED_DISCONNECT), 1);
    }
}

/* Half a second later a new session comes from the old port: it waits for nothing. */
TEST(spec_01_8_4_who_leaves_returns_from_the_same_port)
{
    for (stage where = 0; where < STAGES; where++) {
        scene       t = open_scene(where);
        sb_endpoint address = t.a->address;
        uint8_t     old_id = t.a->id;
        forge_all(&t);
        sb_transport_client_leave(t.a->client, t.r->now);
        t.a->left = true;
        room_wait(t.r, SB_SECOND / 2);
        t.a->address.port = 1; /* the old session is over */
        t.a = room_join_from(t.r, "Alpha", address);
        CHECK(t.a->id != old_id);
        CHECK_EQ(t.b->gone_count, 1);
        CHECK_EQ(t.b->gone[0], old_id);
        t.stage = SILENT;
        live(&t, 2 * LONGER_THAN_A_DISCONNECT_WAITS);
        CHECK(!t.a->left);
        CHECK_EQ(t.b->gone_count, 1);
        seat_say_hex(t.r, t.a, "2C {id} 02 00 68 69");
        CHECK(seat_find(t.b, 0x2C).size > 0);
    }
}
