/* tests/client/act_test.c -- what a player does, byte for byte: ships, updates, weapons,
 * switches, words. Spec 03 §5, 07 §1.1, §2.5, 08. */
#include "client_rig.h"

#include <starbase/message.h>

#include "base/bytes.h"

#include <math.h>
#include <string.h>

static const sb_vec3 nose = { 0, 1, 0 }, top = { 0, 0, 1 };

static sb_result spawn(client_rig *r, uint8_t species)
{
    sb_result result = sb_client_spawn(r->client, r->now, species, (sb_vec3){ 1, 2, 3 }, nose, top);
    client_rig_run(r);
    return result;
}

static uint32_t own_id(const client_rig *r)
{
    return sb_client_own_ship(r->client)->ship.object_id;
}

/* The next StateUpdate of the client, decoded. */
static const sb_state_update *next_update(client_rig *r, const sb_ship_class *model)
{
    static sb_message m;
    while (r->sent_next < r->sent_count) {
        const client_sent *sent = &r->sent[r->sent_next++];
        if (sent->bytes[0] != SB_OP_STATE_UPDATE) continue;
        sb_message_context context = { .ship = model };
        CHECK_EQ(sent->delivery, SB_UNRELIABLE);
        CHECK_EQ(sb_decode_message((sb_span){ sent->bytes, sent->size }, &context, &m, NULL),
                 SB_OK);
        return &m.as.state_update;
    }
    FAIL("no update");
}

/* ---- ships ---- */

/* All of spec 07 §2.5 but the quaternion, which is made of axes here: 1e-6 is near enough. */
TEST(a_spawn_is_the_worked_example_of_spec_07)
{
    client_rig   *r = client_rig_in_lobby(NULL);
    const sb_quat q = { 0.771779f, -0.635891f, 0, 0 };
    sb_motion     m;
    uint8_t       expected[113];
    CHECK_EQ(test_hex("03 00 02 08 80 00 00 FF FF FF 3F 05 00 00 18 42 00 00 44 C2 00 00 0C C2"
                      "52 93 45 3F BB C9 22 BF E2 58 10 B3 25 8D 6C B2 00 00 00 00 00 00 00 05"
                      "43 61 64 79 32 06 4D 75 6C 74 69 31 FF FF 64 FF FF FF FF FF FF FF 64 FF"
                      "FF FF FF FF FF 64 FF FF FF FF FF FF FF 64 60 00 FF 64 FF FF FF FF FF FF"
                      "FF FF FF 64 01 FF FF FF FF FF 64 01 FF FF FF 64 FF",
                      expected, sizeof expected),
             113);
    sb_motion_init(&m);
    sb_motion_set_quaternion(&m, q);
    CHECK_EQ(sb_client_spawn(r->client, r->now, 5, (sb_vec3){ 38, -49, -35 }, m.forward, m.up),
             SB_OK);
    client_rig_run(r);
    const client_sent *sent = client_rig_next_sent(r);
    CHECK(sent != NULL);
    CHECK_EQ(sent->delivery, SB_RELIABLE);
    CHECK_EQ(sent->size, 113);
    for (size_t i = 0; i < 4; i++) {
        float mine = sb_bits_float(sb_load_u32(sent->bytes + 24 + 4 * i));
        float theirs = sb_bits_float(sb_load_u32(expected + 24 + 4 * i));
        CHECK(fabsf(mine - theirs) < 1e-6f);
    }
    CHECK_BYTES(sent->bytes, 24, expected, 24);
    CHECK_BYTES(sent->bytes + 40, 73, expected + 40, 73);
    const client_reported *told = EXPECT_EVENT(r, SB_CLIENT_SPAWNED);
    CHECK_EQ(told->event.object_id, 0x3FFFFFFF);
    CHECK_EQ(told->event.peer_id, 2);
    CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_PHASE)->event.value, SB_CLIENT_FLYING);
    CHECK(sb_client_own_ship(r->client)->own);
}

/* Sovereign, Galaxy, Ambassador: the ids a stock client took (spec 08 §2.1). */
TEST(ships_and_shots_take_consecutive_ids)
{
    client_rig *r = client_rig_in_lobby(NULL);
    CHECK_EQ(spawn(r, 5), SB_OK);
    CHECK_EQ(own_id(r), 0x3FFFFFFF);
    CHECK_EQ(spawn(r, 3), SB_OK);
    CHECK_EQ(own_id(r), 0x40000021);
    CHECK_EQ(spawn(r, 2), SB_OK);
    CHECK_EQ(own_id(r), 0x40000044);
    for (unsigned i = 0; i < 4; i++)
        CHECK_EQ(sb_client_torpedo(r->client, r->now, 7, i, 2, nose, 0), SB_OK);
    CHECK_EQ(spawn(r, 200), SB_OK); /* of a mod: nobody knows its parts */
    CHECK_EQ(own_id(r), 0x40000062 + 4);
    CHECK_EQ(spawn(r, 1), SB_OK);
    CHECK_EQ(own_id(r), 0x40000062 + 4 + 64);
    CHECK_EQ(client_rig_count_events(r, SB_CLIENT_GONE), 4); /* each replaced the one before */
    CHECK_EQ(client_rig_count_events(r, SB_CLIENT_PHASE), 1);
}

TEST(ids_in_use_by_a_former_owner_of_our_slot_are_skipped)
{
    client_rig *r = client_rig_in_lobby(NULL);
    client_rig_say_ship(r, 0x03, 7, 0x3FFFFFFF, 5, (sb_vec3){ 0 });
    CHECK_EQ(spawn(r, 5), SB_OK);
    CHECK_EQ(own_id(r), 0x40000021);
}

TEST(ids_start_over_at_the_end_of_the_block)
{
    client_rig *r = client_rig_flying(NULL, 6);
    for (unsigned i = 0; i < 0x40000 - 17 - 10; i++) {
        CHECK_EQ(sb_client_pulse(r->client, r->now, 3, i & 1, 2, nose, 0), SB_OK);
        if (i % 64 == 0) {
            r->now += 40 * CLIENT_RIG_MILLISECOND;
            client_rig_run(r);
            client_rig_forget(r);
        }
    }
    uint32_t before = own_id(r);
    CHECK_EQ(spawn(r, 6), SB_OK);
    CHECK_EQ(sb_slot_of_id(own_id(r)), 0);
    CHECK_EQ(sb_slot_of_id(own_id(r) + 16), 0);
    CHECK_EQ(before, 0x3FFFFFFF);
    CHECK_EQ(own_id(r), 0x3FFFFFFF + 17); /* not those of the ship that was there until now */
}

TEST(nobody_spawns_outside_the_game_or_with_numbers_that_are_none)
{
    client_rig *r = client_rig_connected(NULL);
    CHECK_EQ(spawn(r, 5), SB_NOT_ALLOWED);
    r = client_rig_in_lobby(NULL);
    CHECK_EQ(spawn(r, 0), SB_BAD_VALUE);
    CHECK_EQ(sb_client_spawn(r->client, r->now, 5, (sb_vec3){ NAN, 0, 0 }, nose, top),
             SB_BAD_VALUE);
    CHECK_EQ(
        sb_client_spawn(r->client, r->now, 5, (sb_vec3){ 0 }, (sb_vec3){ INFINITY, 0, 0 }, top),
        SB_BAD_VALUE);
    EXPECT_PHASE(r, SB_CLIENT_LOBBY);
    EXPECT_SILENCE(r);
}

TEST(a_ship_asked_for_is_announced_again_once_a_second)
{
    client_rig *r = client_rig_flying(NULL, 5);
    SAY(r, "1E FF FF FF 3F");
    SAY(r, "1E FF FF FF 3F");
    SAY(r, "1E FF FF 03 40");
    CHECK_EQ(client_rig_count_sent(r, 0x03), 1);
    client_rig_wait(r, SB_SECOND);
    SAY(r, "1E FF FF FF 3F");
    CHECK_EQ(client_rig_count_sent(r, 0x03), 2);
    CHECK_EQ(spawn(r, 5), SB_OK);
    SAY(r, "1E 21 00 00 40"); /* another ship, another second */
    CHECK_EQ(client_rig_count_sent(r, 0x03), 4);
}

/* ---- updates ---- */

TEST(updates_leave_ten_times_a_second_with_power_flag_and_clock)
{
    client_rig *r = client_rig_flying(NULL, 1);
    client_rig_wait(r, 5 * SB_SECOND);
    CHECK_EQ(client_rig_count_sent(r, 0x1C), 50);
    const sb_ship_class   *akira = sb_find_ship(sb_stock_ships(), 1);
    const sb_state_update *u = next_update(r, akira);
    CHECK_EQ(u->flags, 0x9D); /* spec 03 §13.1 */
    CHECK(fabsf(u->game_time - 33.35f) < 1e-4f);
    CHECK(!u->has_hash);
    CHECK_EQ(u->position.x, 38);
    CHECK_EQ(u->pair_count, 3);
    CHECK_EQ(next_update(r, akira)->pair_count, 3);
    CHECK_EQ(next_update(r, akira)->pair_count, 2);
    CHECK_EQ(next_update(r, akira)->flags, 0x80);
}

TEST(the_first_update_of_each_ship_is_complete)
{
    client_rig *r = client_rig_flying(NULL, 1);
    for (int i = 0; i < 2; i++) {
        client_rig_wait(r, SB_SECOND / 2);
        CHECK_EQ(next_update(r, sb_find_ship(sb_stock_ships(), 1))->flags, 0x9D);
        CHECK_EQ(spawn(r, 1), SB_OK);
        client_rig_forget(r);
    }
}

TEST(updates_that_were_missed_are_not_made_up_for)
{
    client_rig *r = client_rig_flying(NULL, 1);
    r->now += 5 * SB_SECOND;
    client_rig_run(r);
    CHECK_EQ(client_rig_count_sent(r, 0x1C), 1);
    client_rig_wait(r, SB_SECOND);
    CHECK_EQ(client_rig_count_sent(r, 0x1C), 11);
}

TEST(a_placed_ship_is_told_where_it_is)
{
    client_rig          *r = client_rig_flying(NULL, 1);
    const sb_ship_class *akira = sb_find_ship(sb_stock_ships(), 1);
    client_rig_wait(r, SB_SECOND / 2);
    client_rig_forget(r);
    CHECK_EQ(sb_client_place(r->client, r->now, (sb_vec3){ 39, -49, -35 }, (sb_vec3){ 1, 0, 0 },
                             top, 5.0f),
             SB_OK);
    CHECK(sb_client_position(r->client, sb_client_own_ship(r->client), r->now + SB_SECOND).x == 39);
    client_rig_wait(r, SB_SECOND / 10);
    const sb_state_update *u = next_update(r, akira);
    CHECK_EQ(u->flags, 0x96);
    CHECK_EQ(u->forward.x, 127);
    CHECK_EQ(sb_client_place(r->client, r->now, (sb_vec3){ 0 }, nose, top, NAN), SB_BAD_VALUE);
}

TEST(a_moved_slider_is_told_and_zero_switches_off)
{
    client_rig          *r = client_rig_flying(NULL, 5);
    const sb_ship_class *sovereign = sb_find_ship(sb_stock_ships(), 5);
    client_rig_wait(r, SB_SECOND / 2);
    client_rig_forget(r);
    CHECK_EQ(sb_client_power(r->client, r->now, 2, 0.5f), SB_OK);
    CHECK_EQ(sb_client_power(r->client, r->now, 1, 0.0f), SB_OK);
    client_rig_wait(r, SB_SECOND / 10);
    EXPECT_SENT(r, "0A 04 01 00 00 DD 00 80 00 00 00 00 00 01 00 00 40 00"); /* spec 08 §7.4 */
    r->sent_next = 0;
    const sb_state_update *u = next_update(r, sovereign);
    CHECK_EQ(u->pair_count, 2);
    for (int i = 0; i < 2; i++) CHECK_EQ(u->pairs[i].level_code, u->pairs[i].index == 2 ? 0x66 : 0);
    client_rig_forget(r);
    CHECK_EQ(sb_client_power(r->client, r->now, 1, 1.25f), SB_OK);
    client_rig_run(r);
    EXPECT_SENT(r, "0A 04 01 00 00 DD 00 80 00 00 00 00 00 01 00 00 40 01");
    CHECK_EQ(sb_client_power(r->client, r->now, 0, 1.0f), SB_BAD_VALUE); /* the hull */
    CHECK_EQ(sb_client_power(r->client, r->now, 1, 1.26f), SB_BAD_VALUE);
    CHECK_EQ(sb_client_power(r->client, r->now, 1, NAN), SB_BAD_VALUE);
    CHECK_EQ(sb_client_power(r->client, r->now, 99, 1.0f), SB_BAD_VALUE);
}

/* Creation index 13, captured (spec 08 §2.1): 0x3FFFFFFF + 1 + 13. */
TEST(a_cloak_travels_as_0A_and_as_a_bit)
{
    client_rig *r = client_rig_flying(NULL, 6);
    client_rig_wait(r, SB_SECOND / 2);
    client_rig_forget(r);
    CHECK_EQ(sb_client_cloak(r->client, r->now, true), SB_OK);
    CHECK_EQ(sb_client_cloak(r->client, r->now, true), SB_OK); /* nothing new */
    client_rig_wait(r, SB_SECOND / 10);
    EXPECT_SENT(r, "0A 04 01 00 00 DD 00 80 00 00 00 00 00 0D 00 00 40 01");
    EXPECT_SILENCE(r);
    r->sent_next = 0;
    const sb_state_update *u = next_update(r, sb_find_ship(sb_stock_ships(), 6));
    CHECK_EQ(u->flags, 0xC0);
    CHECK(u->cloak);
    r = client_rig_flying(NULL, 5);
    CHECK_EQ(sb_client_cloak(r->client, r->now, true), SB_NOT_ALLOWED);
}

/* ---- weapons (spec 08 §7, §14) ---- */

TEST(firing_starts_twice_and_stops_once_as_in_trace_A)
{
    client_rig *r = client_rig_flying(NULL, 1);
    CHECK_EQ(sb_client_start_firing(r->client, r->now, 5, 0), SB_OK);
    client_rig_run(r);
    for (int i = 0; i < 2; i++)
        EXPECT_SENT(r,
                    "07 28 81 00 00 D8 00 80 00 00 00 00 00 05 00 00 40 00 00 00 00 00 00 00 00");
    CHECK(sb_client_own_ship(r->client)->firing[5]);
    CHECK_EQ(sb_client_stop_firing(r->client, r->now, 5), SB_OK);
    client_rig_run(r);
    EXPECT_SENT(r, "08 01 01 00 00 DA 00 80 00 00 00 00 00 05 00 00 40");
    EXPECT_SILENCE(r);
    CHECK(!sb_client_own_ship(r->client)->firing[5]);
    CHECK_EQ(sb_client_start_firing(r->client, r->now, 0, 0), SB_BAD_VALUE);
    CHECK_EQ(sb_client_start_firing(r->client, r->now, 11, 0), SB_BAD_VALUE);
}

TEST(torpedoes_have_18_bytes_with_and_10_without_a_target)
{
    client_rig *r = client_rig_flying(NULL, 5);
    CHECK_EQ(sb_client_torpedo(r->client, r->now, 5, 1, 3, nose, 0x4003FFFF), SB_OK);
    CHECK_EQ(sb_client_torpedo(r->client, r->now, 5, 0, 2, (sb_vec3){ 0.6f, 0.8f, 0 }, 0), SB_OK);
    client_rig_run(r);
    EXPECT_SENT(r, "19 07 00 00 40 03 01 00 7F 00 FF FF 03 40 00 00 00 00");
    EXPECT_SENT(r, "19 06 00 00 40 02 05 4C 65 00");
    CHECK_EQ(sb_client_torpedo(r->client, r->now, 5, 6, 2, nose, 0), SB_BAD_VALUE);
    CHECK_EQ(sb_client_torpedo(r->client, r->now, 7, 0, 2, nose, 0), SB_BAD_VALUE); /* phasers */
    CHECK_EQ(sb_client_torpedo(r->client, r->now, 5, 0, 2, (sb_vec3){ NAN, 0, 0 }, 0),
             SB_BAD_VALUE);
}

/* Bird of Prey: cannons are creation indices 4 and 5, captured. */
TEST(bolts_have_14_bytes_with_and_10_without_a_target)
{
    client_rig *r = client_rig_flying(NULL, 6);
    CHECK_EQ(sb_client_pulse(r->client, r->now, 3, 0, 2, nose, 0x40080068), SB_OK);
    CHECK_EQ(sb_client_pulse(r->client, r->now, 3, 1, 2, nose, 0), SB_OK);
    client_rig_run(r);
    EXPECT_SENT(r, "1A 04 00 00 40 02 00 7F 00 03 68 00 08 40");
    EXPECT_SENT(r, "1A 05 00 00 40 02 00 7F 00 01");
}

TEST(every_weapon_of_every_selectable_ship_has_an_id_of_its_own)
{
    for (uint8_t species = 1; species <= 15; species++) {
        client_rig          *r = client_rig_flying(NULL, species);
        const sb_ship_class *model = sb_find_ship(sb_stock_ships(), species);
        uint32_t             seen[256], count = 0;
        for (unsigned i = 0; i < model->subsystem_count; i++) {
            const sb_subsystem_class *s = &model->subsystems[i];
            if (s->type == SB_SUBSYSTEM_PHASER_SYSTEM)
                CHECK_EQ(sb_client_start_firing(r->client, r->now, i, 0), SB_OK);
            for (unsigned k = 0; k < s->child_count; k++) {
                if (s->type == SB_SUBSYSTEM_TORPEDO_SYSTEM)
                    CHECK_EQ(sb_client_torpedo(r->client, r->now, i, k, 2, nose, 0), SB_OK);
                if (s->type == SB_SUBSYSTEM_PULSE_SYSTEM)
                    CHECK_EQ(sb_client_pulse(r->client, r->now, i, k, 2, nose, 0), SB_OK);
            }
        }
        client_rig_run(r);
        for (const client_sent *sent; (sent = client_rig_next_sent(r)) != NULL;) {
            uint32_t id =
                sb_load_u32(sent->bytes + (sent->bytes[0] == SB_OP_START_FIRING ? 13 : 1));
            if (sent->bytes[0] == SB_OP_START_FIRING) client_rig_next_sent(r); /* its double */
            CHECK(id > 0x3FFFFFFF && id < 0x3FFFFFFF + sb_ship_id_count(model));
            for (uint32_t i = 0; i < count; i++) CHECK(seen[i] != id);
            seen[count++] = id;
        }
        CHECK(count > 0);
    }
}

TEST(switches_of_weapons_and_repair_are_the_examples_of_spec_08)
{
    client_rig *r = client_rig_flying(NULL, 5);
    CHECK_EQ(sb_client_phaser_level(r->client, r->now, 7, 2), SB_OK);
    CHECK_EQ(sb_client_torpedo_type(r->client, r->now, 5, 0), SB_OK); /* as it is: not sent */
    CHECK_EQ(sb_client_torpedo_type(r->client, r->now, 5, 1), SB_OK);
    CHECK_EQ(sb_client_repair_first(r->client, r->now, 7, 0), SB_OK);
    CHECK_EQ(sb_client_target_changed(r->client, r->now, 0x4003FFFF), SB_OK);
    client_rig_run(r);
    EXPECT_SENT(r, "12 05 01 00 00 E0 00 80 00 00 00 00 00 19 00 00 40 02");
    EXPECT_SENT(r, "1B 05 01 00 00 FE 00 80 00 00 00 00 00 05 00 00 40 01");
    const client_sent *repair = client_rig_next_sent(r);
    CHECK_EQ(repair->size, 21);
    CHECK_BYTES(repair->bytes, 17, "\x11\x0C\x01\0\0\x76\0\x80\0\0\0\0\0\x18\0\0\x40", 17);
    CHECK(repair->bytes[17] >= 0x0C && repair->bytes[17] <= 0x13); /* a bank: k 0x0C to 0x13 */
    EXPECT_SENT(r, "0D 0C 01 00 00 58 00 80 00 00 00 00 00 FF FF FF 3F FF FF 03 40");
    CHECK_EQ(sb_client_phaser_level(r->client, r->now, 7, 3), SB_BAD_VALUE);
    CHECK_EQ(sb_client_phaser_level(r->client, r->now, 5, 1), SB_BAD_VALUE);
    CHECK_EQ(sb_client_repair_first(r->client, r->now, 7, 8), SB_BAD_VALUE);
    CHECK_EQ(sb_client_repair_first(r->client, r->now, 7, -2), SB_BAD_VALUE);
}

TEST(a_collision_has_one_contact_relative_to_the_radius)
{
    client_rig *r = client_rig_flying(NULL, 5);
    float       radius = sb_find_ship(sb_stock_ships(), 5)->bound_radius;
    sb_vec3     contact = { 0.1034f * radius, radius, 0 };
    CHECK_EQ(sb_client_collision(r->client, r->now, 0, contact, 1281.023f), SB_OK);
    client_rig_run(r);
    EXPECT_SENT(r, "15 24 81 00 00 50 00 80 00 00 00 00 00 FF FF FF 3F 01 0D 7E 00 FF BC 20 A0 44");
    CHECK_EQ(sb_client_collision(r->client, r->now, 0, contact, INFINITY), SB_BAD_VALUE);
}

TEST(a_self_destruct_is_one_byte_and_reliable)
{
    client_rig *r = client_rig_flying(NULL, 5);
    CHECK_EQ(sb_client_self_destruct(r->client, r->now), SB_OK);
    client_rig_run(r);
    const client_sent *sent = client_rig_next_sent(r);
    CHECK_EQ(sent->delivery, SB_RELIABLE);
    CHECK_BYTES(sent->bytes, sent->size, "\x13", 1);
}

/* ---- words ---- */

TEST(chat_and_team_are_the_examples_of_spec_09)
{
    client_rig *r = client_rig_in_lobby(NULL);
    sb_span     hello = { (const uint8_t *)"hello", 5 };
    uint8_t     longest[250] = { 0 };
    CHECK_EQ(sb_client_chat(r->client, r->now, false, hello), SB_OK);
    CHECK_EQ(sb_client_chat(r->client, r->now, true, hello), SB_OK);
    CHECK_EQ(sb_client_team(r->client, r->now, 1), SB_OK);
    client_rig_run(r);
    EXPECT_SENT(r, "2C 02 00 00 00 05 00 68 65 6C 6C 6F");
    EXPECT_SENT(r, "2D 02 00 00 00 05 00 68 65 6C 6C 6F");
    EXPECT_SENT(r, "41 02 00 00 00 01");
    CHECK_EQ(sb_client_team(r->client, r->now, 2), SB_BAD_VALUE);
    CHECK_EQ(sb_client_chat(r->client, r->now, false, (sb_span){ longest, 249 }), SB_OK);
    CHECK_EQ(sb_client_chat(r->client, r->now, false, (sb_span){ longest, 250 }), SB_BAD_VALUE);
    CHECK_EQ(sb_client_find_player(r->client, 2)->team, SB_NO_TEAM); /* until it comes back */
    SAY(r, "41 02 00 00 00 01");
    CHECK_EQ(sb_client_find_player(r->client, 2)->team, 1);
}

TEST(any_bytes_can_be_sent_as_they_are)
{
    client_rig *r = client_rig_connected(NULL);
    sb_span     mischief = { (const uint8_t *)"\xCD\x2A\0\0\0", 5 };
    CHECK_EQ(sb_client_send(r->client, r->now, SB_UNRELIABLE, mischief), SB_OK);
    client_rig_run(r);
    const client_sent *sent = client_rig_next_sent(r);
    CHECK_EQ(sent->delivery, SB_UNRELIABLE);
    CHECK_BYTES(sent->bytes, sent->size, mischief.data, 5);
    CHECK_EQ(sb_client_send(r->client, r->now, SB_RELIABLE, (sb_span){ NULL, 0 }), SB_NOT_ALLOWED);
}

TEST(without_a_ship_nothing_is_done_with_one)
{
    client_rig *r = client_rig_in_lobby(NULL);
    CHECK_EQ(sb_client_place(r->client, r->now, nose, nose, top, 0), SB_NOT_ALLOWED);
    CHECK_EQ(sb_client_cloak(r->client, r->now, true), SB_NOT_ALLOWED);
    CHECK_EQ(sb_client_power(r->client, r->now, 1, 1), SB_NOT_ALLOWED);
    CHECK_EQ(sb_client_start_firing(r->client, r->now, 5, 0), SB_NOT_ALLOWED);
    CHECK_EQ(sb_client_stop_firing(r->client, r->now, 5), SB_NOT_ALLOWED);
    CHECK_EQ(sb_client_torpedo(r->client, r->now, 5, 0, 2, nose, 0), SB_NOT_ALLOWED);
    CHECK_EQ(sb_client_pulse(r->client, r->now, 5, 0, 2, nose, 0), SB_NOT_ALLOWED);
    CHECK_EQ(sb_client_phaser_level(r->client, r->now, 7, 1), SB_NOT_ALLOWED);
    CHECK_EQ(sb_client_torpedo_type(r->client, r->now, 5, 1), SB_NOT_ALLOWED);
    CHECK_EQ(sb_client_repair_first(r->client, r->now, 5, -1), SB_NOT_ALLOWED);
    CHECK_EQ(sb_client_target_changed(r->client, r->now, 0), SB_NOT_ALLOWED);
    CHECK_EQ(sb_client_collision(r->client, r->now, 0, nose, 1), SB_NOT_ALLOWED);
    CHECK_EQ(sb_client_self_destruct(r->client, r->now), SB_NOT_ALLOWED);
    client_rig_run(r);
    EXPECT_SILENCE(r);
}
