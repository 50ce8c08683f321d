/* tests/server/effects_test.c -- the effect of each event of a player on the room's own copy of the
 * ship, and on the updates that others get of it. Spec 08 §7, 10 §6 to §10.
 */
#include "rig.h"

#include <starbase/message.h>

#include "base/bytes.h"
#include "server/server_internal.h"

enum { SOVEREIGN = 5, BIRD_OF_PREY = 6 };
enum { TORPEDOES = 5, PHASERS = 7, BRIDGE = 10 }; /* entries of a Sovereign */
enum { TORPEDOES_ID = 0x05, PHASERS_ID = 0x19, REPAIR_ID = 0x18, BRIDGE_ID = 0x1C };
enum { CLOAK_ID = 0x0D }; /* of a Bird of Prey */

static const sb_vec3 middle = { 0, 0, 0 }, ahead = { 0, 20, 0 };

/* Alpha flies in the middle, Beta 20 units ahead. */
typedef struct scene {
    room    *r;
    seat    *a, *b;
    uint32_t ship_a, ship_b;
} scene;

static scene open_scene(uint8_t species_a)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.trace_damage = true;
    scene t = { .r = room_open(&c) };
    t.a = room_join(t.r, "Alpha");
    t.b = room_join(t.r, "Beta");
    t.ship_a = seat_spawn(t.r, t.a, species_a, middle);
    t.ship_b = seat_spawn(t.r, t.b, SOVEREIGN, ahead);
    room_wait(t.r, SB_SECOND);
    seat_forget(t.a);
    seat_forget(t.b);
    return t;
}

/* A CharEvent or BoolEvent of Alpha about a part of its ship. */
static void say_value(scene *t, uint8_t opcode, uint32_t event_class, uint32_t code, uint32_t part,
                      uint8_t value)
{
    sb_message m = event_message(opcode, event_class, code, t->ship_a + 1 + part);
    m.as.event.value = value;
    seat_say_message(t->r, t->a, &m);
}

/* ---- 0x08, 0x09 ---- */

/* Hits on Beta in two seconds after Alpha, who fires at Beta, has sent this. */
static unsigned hits_after_stop(uint8_t opcode, bool at_beta)
{
    scene t = open_scene(SOVEREIGN);
    bool  any = opcode == SB_OP_STOP_FIRING;
    seat_open_fire(t.r, t.a, t.ship_a, t.ship_b);
    room_wait(t.r, 2 * SB_SECOND);
    CHECK(room_count_hits(t.r, t.ship_b) > 0);
    sb_message m =
        event_message(opcode, any ? SB_EVENT_PLAIN : SB_EVENT_OBJECT_POINTER,
                      any ? SB_CODE_STOP_FIRING_NOTIFY : SB_CODE_STOP_FIRING_AT_TARGET_NOTIFY,
                      t.ship_a + 1 + PHASERS_ID);
    m.as.event.third = at_beta ? t.ship_b : t.ship_a;
    seat_say_message(t.r, t.a, &m);
    room_wait(t.r, SB_SECOND / 10); /* a step that has begun */
    unsigned before = room_count_hits(t.r, t.ship_b);
    room_wait(t.r, 2 * SB_SECOND);
    return room_count_hits(t.r, t.ship_b) - before;
}

TEST(spec_08_7_2_0x08_stops_the_beams)
{
    CHECK_EQ(hits_after_stop(SB_OP_STOP_FIRING, false), 0);
}

TEST(spec_08_7_3_0x09_stops_the_beams_at_that_target_only)
{
    CHECK_EQ(hits_after_stop(SB_OP_STOP_FIRING_AT_TARGET, true), 0);
    CHECK(hits_after_stop(SB_OP_STOP_FIRING_AT_TARGET, false) > 0);
}

/* ---- 0x11, 0x12, 0x1B ---- */

/* Condition of the Bridge three seconds after a collision damaged it with seven other parts. */
static float bridge_after_repairs(bool first)
{
    scene      t = open_scene(SOVEREIGN);
    sb_message m = event_message(SB_OP_COLLISION, SB_EVENT_COLLISION, SB_CODE_COLLISION, t.ship_a);
    m.as.event.contact_count = 1;
    m.as.event.contacts[0] = (sb_cv4b){ { -7, 126, 2 }, 216 }; /* from trace D */
    m.as.event.force = 5.0f;
    seat_say_message(t.r, t.a, &m);
    room_wait(t.r, SB_SECOND / 20);
    m = event_message(SB_OP_REPAIR_PRIORITY, SB_EVENT_OBJECT_POINTER, SB_CODE_REPAIR_LIST_PRIORITY,
                      t.ship_a + 1 + REPAIR_ID);
    m.as.event.third = t.ship_a + 1 + BRIDGE_ID;
    if (first) seat_say_message(t.r, t.a, &m);
    room_wait(t.r, 3 * SB_SECOND);
    return seat_view(t.r, t.a).ship->condition[BRIDGE];
}

TEST(spec_08_7_8_0x11_lets_a_part_be_repaired_first)
{
    CHECK(bridge_after_repairs(true) > bridge_after_repairs(false));
}

/* What four seconds of beams at this level take from the facings of Beta's ship. */
static float shields_lost_at_level(uint8_t level)
{
    scene t = open_scene(SOVEREIGN);
    say_value(&t, SB_OP_PHASER_LEVEL, SB_EVENT_CHAR, SB_CODE_SET_PHASER_LEVEL, PHASERS_ID, level);
    CHECK_EQ(seat_view(t.r, t.a).ship->setting[PHASERS], level);
    float before = 0, after = 0;
    for (unsigned i = 0; i < SB_FACINGS; i++) before += seat_view(t.r, t.b).ship->facing[i];
    seat_open_fire(t.r, t.a, t.ship_a, t.ship_b);
    room_wait(t.r, 4 * SB_SECOND);
    for (unsigned i = 0; i < SB_FACINGS; i++) after += seat_view(t.r, t.b).ship->facing[i];
    return before - after;
}

TEST(spec_08_7_9_0x12_changes_the_damage_of_beams)
{
    CHECK(shields_lost_at_level(0) < shields_lost_at_level(2));
}

/* True if a torpedo, fired right after Alpha chose a type, hits Beta. The ship starts with type 0.
 */
static bool hits_after_choice(uint8_t type)
{
    scene t = open_scene(SOVEREIGN);
    say_value(&t, SB_OP_TORPEDO_TYPE, SB_EVENT_CHAR, SB_CODE_TORPEDO_TYPE_CHANGE_NOTIFY,
              TORPEDOES_ID, type);
    CHECK_EQ(seat_view(t.r, t.a).ship->setting[TORPEDOES], type);
    CHECK_EQ(t.b->by_opcode[SB_OP_TORPEDO_TYPE], 1);
    seat_fire_torpedo(t.r, t.a, t.ship_a, t.ship_b);
    room_wait(t.r, 3 * SB_SECOND);
    return room_count_hits(t.r, t.ship_b) > 0;
}

/* Another type must be loaded first. */
TEST(spec_08_7_10_0x1b_empties_the_tubes)
{
    CHECK(hits_after_choice(0));
    CHECK(!hits_after_choice(1));
}

/* ---- 0x1E ---- */

/* Flags of the next StateUpdate of the ship that the seat receives. */
static uint8_t next_flags(room *r, seat *s, uint32_t ship)
{
    for (;;) {
        sb_span bytes = seat_find(s, SB_OP_STATE_UPDATE);
        if (bytes.size == 0) room_wait(r, SB_SECOND / 20);
        else if (sb_load_u32(bytes.data + 1) == ship) return bytes.data[9];
    }
}

TEST(spec_07_6_0x1e_brings_a_full_update)
{
    scene   t = open_scene(SOVEREIGN);
    uint8_t request[5] = { SB_OP_REQUEST_OBJECT };
    sb_store_u32(request + 1, t.ship_a);
    for (unsigned asked = 0; asked < 2; asked++) {
        seat_forget(t.b);
        while (!(next_flags(t.r, t.b, t.ship_a) & SB_STATE_POS)) continue;
        if (asked) seat_say(t.r, t.b, SB_RELIABLE, (sb_span){ request, sizeof request });
        CHECK_EQ((next_flags(t.r, t.b, t.ship_a) & SB_STATE_POS) != 0, asked != 0);
    }
}

/* ---- 0x0E, 0x0F, 0x0A and the cloak bit: the newest counts ---- */

static void say_cloak(scene *t, uint8_t opcode)
{
    sb_message m = event_message(opcode, SB_EVENT_PLAIN,
                                 opcode == SB_OP_START_CLOAKING ? SB_CODE_START_CLOAKING_NOTIFY
                                                                : SB_CODE_STOP_CLOAKING_NOTIFY,
                                 t->ship_a + 1 + CLOAK_ID);
    seat_say_message(t->r, t->a, &m);
}

static void start_cloaking(scene *t)
{
    say_cloak(t, SB_OP_START_CLOAKING);
}

static void stop_cloaking(scene *t)
{
    say_cloak(t, SB_OP_STOP_CLOAKING);
}

static void switch_on(scene *t)
{
    say_value(t, SB_OP_SUBSYSTEM_STATUS, SB_EVENT_BOOL, SB_CODE_SUBSYSTEM_STATUS_NOTIFY, CLOAK_ID,
              1);
}

static void switch_off(scene *t)
{
    say_value(t, SB_OP_SUBSYSTEM_STATUS, SB_EVENT_BOOL, SB_CODE_SUBSYSTEM_STATUS_NOTIFY, CLOAK_ID,
              0);
}

/* An update with nothing but the cloak bit. */
static void say_bit(scene *t, bool on)
{
    uint8_t update[] = "\x1C....tttt\x40\x20";
    sb_store_u32(update + 1, t->ship_a);
    sb_store_u32(update + 5, sb_float_bits((float)(t->r->now - 1000 * SB_SECOND) / 1e6f));
    update[10] = (uint8_t)(0x20 | on);
    seat_say(t->r, t->a, SB_UNRELIABLE, (sb_span){ update, sizeof update - 1 });
}

static void bit_on(scene *t)
{
    say_bit(t, true);
}

static void bit_off(scene *t)
{
    say_bit(t, false);
}

/* The cloak bits of all updates of Alpha's ship that Beta has received; fails if there is none. */
static bool cloak_seen_by_beta(scene *t)
{
    unsigned on = 0, off = 0;
    seat_forget(t->b);
    room_wait(t->r, 5 * SB_SECOND / 2); /* two full updates */
    for (size_t i = 0; i < t->b->heard_count; i++) {
        sb_message         m;
        const heard       *h = &t->b->heard[i];
        sb_message_context context = { .ship = sb_find_ship(sb_stock_ships(), BIRD_OF_PREY),
                                       .layout = SB_SHIELD_STOCK };
        if (h->bytes[0] != SB_OP_STATE_UPDATE || sb_load_u32(h->bytes + 1) != t->ship_a) continue;
        CHECK_EQ(sb_decode_message((sb_span){ h->bytes, h->size }, &context, &m, NULL), SB_OK);
        if (!(m.as.state_update.flags & SB_STATE_CLOAK)) continue;
        if (m.as.state_update.cloak) on++;
        else off++;
    }
    CHECK(on + off >= 2);
    CHECK(on == 0 || off == 0); /* the updates do not contradict each other */
    return on > 0;
}

/* The device draws 380 a second from the backup battery while it is engaged (10 §4.4). */
static bool is_engaged(scene *t)
{
    float before = seat_view(t->r, t->a).ship->backup_battery;
    room_wait(t->r, SB_SECOND);
    return seat_view(t->r, t->a).ship->backup_battery < before - 100.0f;
}

TEST(spec_08_7_6_the_newest_order_to_cloak_counts)
{
    static const struct {
        void (*first)(scene *t);
        void (*second)(scene *t);
        bool cloaked;
    } rows[] = {
        { NULL, NULL, false },
        { NULL, start_cloaking, true },
        { start_cloaking, stop_cloaking, false },
        { start_cloaking, bit_off, false },
        { bit_on, stop_cloaking, false },
        { stop_cloaking, bit_on, true },
        { bit_off, start_cloaking, true },
        { NULL, switch_on, true },
        { switch_on, stop_cloaking, false },
        { start_cloaking, switch_off, false },
        { bit_on, switch_off, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene t = open_scene(BIRD_OF_PREY);
        if (rows[i].first) rows[i].first(&t);
        room_wait(t.r, SB_SECOND);
        if (rows[i].second) rows[i].second(&t);
        CHECK_EQ(cloak_seen_by_beta(&t), rows[i].cloaked);
        room_wait(t.r, 5 * SB_SECOND);
        CHECK_EQ(is_engaged(&t), rows[i].cloaked);
    }
}

TEST(spec_08_7_6_0x0e_reaches_late_joiners)
{
    scene      t = open_scene(BIRD_OF_PREY);
    sb_message m;
    start_cloaking(&t);
    CHECK_EQ(t.b->by_opcode[SB_OP_START_CLOAKING], 1); /* relayed */
    seat *late = room_load(t.r, "Late");
    seat_say_hex(t.r, late, "2A 20");
    CHECK_EQ(sb_decode_message(seat_find(late, SB_OP_PLAYER_OBJECT_CREATE), NULL, &m, NULL), SB_OK);
    CHECK_EQ(m.as.object_create.species, BIRD_OF_PREY);
    CHECK(m.as.object_create.snapshot[7].power_code > 0); /* the device is on */
}

/* The client may not know yet that its ship was replaced (08 §17). */
TEST(a_start_of_cloaking_of_a_former_ship_is_only_relayed)
{
    scene t = open_scene(BIRD_OF_PREY);
    (void)seat_replace(t.r, t.a, BIRD_OF_PREY, middle);
    start_cloaking(&t); /* of the first ship */
    CHECK_EQ(t.b->by_opcode[SB_OP_START_CLOAKING], 1);
    CHECK(!seat_view(t.r, t.a).ship->cloaked);
}

TEST(a_ship_without_a_cloaking_device_does_not_cloak)
{
    scene t = open_scene(SOVEREIGN);
    start_cloaking(&t);
    room_wait(t.r, SB_SECOND);
    CHECK(!seat_view(t.r, t.a).ship->cloaked);
}

/* True if Beta's beams hit Alpha some seconds after a StartCloaking. */
static bool is_hit_after(unsigned seconds)
{
    scene t = open_scene(BIRD_OF_PREY);
    t.ship_b = seat_replace(t.r, t.b, SOVEREIGN, (sb_vec3){ 0, -20, 0 }); /* Alpha is ahead */
    room_wait(t.r, 10 * SB_SECOND); /* a ship that replaces a living one may not fire before */
    start_cloaking(&t);
    room_wait(t.r, seconds * SB_SECOND);
    seat_open_fire(t.r, t.b, t.ship_b, t.ship_a);
    room_wait(t.r, 2 * SB_SECOND);
    return room_count_hits(t.r, t.ship_a) > 0;
}

TEST(spec_10_10_0x0e_hides_a_ship_after_five_seconds)
{
    CHECK(is_hit_after(0));
    CHECK(is_hit_after(3));
    CHECK(!is_hit_after(6));
}

/* ---- Settings ---- */

TEST(spec_06_5_6_the_second_bit_of_settings_follows_its_own_key)
{
    for (unsigned i = 0; i < 8; i++) {
        sb_message       m;
        sb_server_config c;
        sb_server_defaults(&c);
        c.throttle_bit = i & 1;
        c.friendly_fire = i & 2;
        c.collision_damage = i & 4;
        room *r = room_open(&c);
        seat *s = room_connect(r, "Alpha");
        for (unsigned n = 0; n < SB_CHECKSUM_ROUNDS; n++)
            seat_answer_round(r, s, sb_vanilla_manifest());
        CHECK_EQ(sb_decode_message(seat_find(s, SB_OP_SETTINGS), NULL, &m, NULL), SB_OK);
        CHECK_EQ(m.as.settings.throttle_bit, c.throttle_bit);
        CHECK_EQ(m.as.settings.collision_damage, c.collision_damage);
    }
}

/* ---- a torpedo that outlives its ship ---- */

/* Alpha's torpedo hits the next ship of Alpha, which has hardly any hull. */
TEST(spec_09_11_ones_own_late_torpedo_is_a_death_without_killer)
{
    scene t = open_scene(SOVEREIGN);
    (void)seat_replace(t.r, t.b, SOVEREIGN, (sb_vec3){ 5000, 0, 0 }); /* out of the way */
    seat_fire_torpedo(t.r, t.a, t.ship_a, 0);
    uint32_t next = seat_replace(t.r, t.a, SOVEREIGN, (sb_vec3){ 0, 60, 0 });
    sb_ship *ship = (sb_ship *)(uintptr_t)seat_view(t.r, t.a).ship;
    ship->condition[0] = 1.0f;
    for (unsigned i = 0; i < SB_FACINGS; i++) ship->facing[i] = 0;
    seat_forget(t.b);
    uint64_t before = COUNTED(t.r, SB_SERVER_COUNT_DEATHS); /* of the ships that were replaced */
    t.r->event_next = t.r->event_count;
    room_wait(t.r, 3 * SB_SECOND);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_DEATHS), before + 1);
    const sb_server_event *killed = &room_expect(t.r, SB_SERVER_KILLED)->event;
    CHECK_EQ(killed->object_id, next);
    CHECK_EQ(killed->peer_id, t.a->id);
    CHECK_EQ(killed->other, 0);
    CHECK_EQ(killed->cause, SB_DAMAGE_TORPEDO);
    sb_message m;
    do CHECK_EQ(sb_decode_message(seat_find(t.b, SB_OP_PYTHON_EVENT), NULL, &m, NULL), SB_OK);
    while (m.as.event.event_code != SB_CODE_OBJECT_EXPLODING);
    CHECK_EQ(m.as.event.destination, next);
    CHECK_EQ(m.as.event.source, 0);
    CHECK_EQ(m.as.event.killer, 0);
    CHECK_EQ(sb_decode_message(seat_find(t.b, SB_OP_SCORE_CHANGE), NULL, &m, NULL), SB_OK);
    CHECK_EQ(m.as.score_change.killer, 0);
    CHECK_EQ(m.as.score_change.victim, t.a->id);
    CHECK_EQ(m.as.score_change.deaths, 2);
    CHECK_EQ(m.as.score_change.entry_count, 0);
    const sb_match_row *row = sb_match_find(sb_server_match(t.r->server), t.a->id);
    CHECK_EQ(row->kills, 0);
    CHECK_EQ(row->score, 0);
}

/* Combat names no player as the killer of the player's own ship; the room does not rely on it. */
TEST(spec_09_11_a_player_is_never_the_killer_of_their_own_ship)
{
    scene           t = open_scene(SOVEREIGN);
    sb_combat_event death = { .type = SB_COMBAT_EXPLODING,
                              .object_id = t.ship_a,
                              .attacker = t.a->id,
                              .attacker_ship = t.ship_a,
                              .cause = SB_DAMAGE_TORPEDO };
    sb_server_on_combat(t.r->server, &death);
    CHECK_EQ(room_expect(t.r, SB_SERVER_KILLED)->event.other, 0);
    CHECK_EQ(sb_match_find(sb_server_match(t.r->server), t.a->id)->kills, 0);
}
