/* tests/client/ship_events_test.c -- what a player learns of other ships: warps, sets, repair
 * queues, damage volumes; and that no message of a server is forgotten. Spec 07 §7, 08 §5, §7, §15.
 */
#include "client_rig.h"

#include <starbase/message.h>

#include "client/testing.h"

#include <stdio.h>
#include <string.h>

enum { OTHER = CLIENT_RIG_OTHER, SENSORS = 0x40040002, ENGINES = 0x40040005, REPAIR = 0x40040018 };

static const sb_seen_ship *other(const client_rig *r)
{
    return sb_client_find_ship(r->client, OTHER);
}

/* ---- the table ---- */

/* Stock clients do not act on ChecksumComplete either (spec 06 §5.5). */
TEST(every_message_that_a_host_sends_has_an_effect)
{
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        const sb_message_type *row = sb_find_message_type((uint8_t)opcode);
        bool host_sends = row->relay != SB_RELAY_IGNORE && row->relay != SB_RELAY_CONFIGURABLE &&
                          row->direction != SB_FROM_CLIENT;
        if (!host_sends || opcode == SB_OP_CHECKSUM_COMPLETE) continue;
        if (!sb_client_handles((uint8_t)opcode)) FAIL("0x%02X %s is ignored", opcode, row->name);
    }
}

/* ---- warps and sets ---- */

/* To Multi2 at (100, -50, 0); `time` are the four bytes of the warp time. */
static void say_warp(client_rig *r, const char *time)
{
    char hex[200] = "10 2A 81 00 00 EC 00 80 00 00 00 00 00 FF FF 03 40 06 4D 75 6C 74 69 32"
                    "00 00 C8 42 00 00 48 C2 00 00 00 00";
    client_rig_say_hex(r, strcat(hex, time));
}

TEST(a_warp_is_known_until_the_ship_enters_its_set)
{
    client_rig *r = client_rig_with_other(5);
    say_warp(r, "00 00 18 41"); /* 9.5 */
    CHECK(sb_client_is_warping(other(r), r->now));
    CHECK_TEXT(other(r)->warp_set, "Multi2");
    CHECK(other(r)->warp_to.x == 100 && other(r)->warp_to.y == -50);
    CHECK_TEXT(other(r)->set_name, "Multi1"); /* still there */
    CHECK(!sb_client_can_meet(other(r), sb_client_own_ship(r->client), r->now));
    SAY(r, "1F FF FF 03 40 07 00 00 00 4D 75 6C 74 69 32 00");
    CHECK(!sb_client_is_warping(other(r), r->now));
    CHECK_TEXT(other(r)->set_name, "Multi2");
    CHECK(!sb_client_can_meet(other(r), sb_client_own_ship(r->client), r->now));
    SAY(r, "1F FF FF FF 3F 07 00 00 00 4D 75 6C 74 69 32 00"); /* ours follows */
    CHECK(sb_client_can_meet(other(r), sb_client_own_ship(r->client), r->now));
}

static sb_time warp_lasts(const char *time)
{
    client_rig *r = client_rig_with_other(5);
    say_warp(r, time);
    return other(r)->warp_until - r->now;
}

TEST(a_warp_without_an_enter_set_ends_by_itself)
{
    CHECK_EQ(warp_lasts("00 00 18 41"), 20 * SB_SECOND); /* 9.5 and 10.5 for the other stages */
    CHECK_EQ(warp_lasts("00 00 C8 42"), 15500000);       /* 100: no warp time, so 5 */
    CHECK_EQ(warp_lasts("00 00 80 BF"), 15500000);       /* -1 */
    client_rig *r = client_rig_with_other(5);
    say_warp(r, "00 00 80 3F"); /* 1 */
    CHECK(sb_client_is_warping(other(r), r->now + 11 * SB_SECOND));
    CHECK(!sb_client_is_warping(other(r), r->now + 12 * SB_SECOND));
}

TEST(a_set_of_64_bytes_is_kept_whole)
{
    client_rig *r = client_rig_with_other(5);
    char        hex[300] = "1F FF FF 03 40 41 00 00 00 ";
    for (unsigned i = 0; i < 64; i++) strcat(hex, "61");
    client_rig_say_hex(r, strcat(hex, "00"));
    CHECK_EQ(strlen(other(r)->set_name), 64);
}

TEST(an_unknown_object_that_enters_a_set_is_asked_for)
{
    client_rig *r = client_rig_flying(NULL, 5);
    for (int i = 0; i < 5; i++) SAY(r, "1F FF FF 03 40 07 00 00 00 4D 75 6C 74 69 32 00");
    EXPECT_SENT(r, "1D FF FF 03 40"); /* spec 07 §5: ObjectNotFound, once a second */
    CHECK(client_rig_next_sent(r) == NULL);
}

/* ---- repairs ---- */

static void expect_queue(const client_rig *r, unsigned count, const uint32_t *parts)
{
    CHECK_EQ(other(r)->repair_count, count);
    for (unsigned i = 0; i < count; i++) CHECK_EQ(other(r)->repairs[i], parts[i]);
}
#define EXPECT_QUEUE(r, ...)                                                                       \
    expect_queue(r, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4,                                 \
                 (const uint32_t[]){ __VA_ARGS__ })

#define ADD_SENSORS "06 01 01 00 00 DF 00 80 00 02 00 04 40 18 00 04 40"
#define ADD_ENGINES "06 01 01 00 00 DF 00 80 00 05 00 04 40 18 00 04 40"

TEST(a_repair_queue_follows_the_hosts_notices)
{
    client_rig *r = client_rig_with_other(5);
    SAY(r, ADD_SENSORS);
    SAY(r, ADD_ENGINES);
    SAY(r, ADD_SENSORS); /* is in the queue */
    EXPECT_QUEUE(r, SENSORS, ENGINES);
    SAY(r, "06 0C 01 00 00 74 00 80 00 18 00 04 40 FF FF 03 40 02 00 04 40"); /* completed */
    EXPECT_QUEUE(r, ENGINES);
    SAY(r, "06 0C 01 00 00 75 00 80 00 18 00 04 40 FF FF 03 40 05 00 04 40"); /* impossible */
    CHECK_EQ(other(r)->repair_count, 0);
    SAY(r, "06 01 01 00 00 DF 00 80 00 02 00 00 40 18 00 04 40"); /* a part of another ship */
    CHECK_EQ(other(r)->repair_count, 0);
}

TEST(a_players_own_repair_list_events_are_applied)
{
    client_rig *r = client_rig_with_other(5);
    SAY(r, "0B 01 01 00 00 DF 00 80 00 02 00 04 40 18 00 04 40");
    SAY(r, "0C 01 01 00 00 DF 00 80 00 05 00 04 40 18 00 04 40");
    EXPECT_QUEUE(r, SENSORS, ENGINES);
    SAY(r, "0C 29 81 00 00 4E 00 80 00 00 00 00 00 FF FF 03 40 00 00 00 00 00 00 18 41");
    CHECK(!other(r)->exploding); /* deaths come from the host only */
    SAY(r, "0B 01 01 00 00 DF 00 80 00 02 00 00 40 18 00 00 40");
    CHECK_EQ(sb_client_own_ship(r->client)->repair_count, 0); /* an echo of our own */
}

#define PRIORITY(part) "11 0C 01 00 00 76 00 80 00 00 00 00 00 18 00 04 40 " part

TEST(priority_moves_a_part_to_the_head_or_to_the_tail)
{
    client_rig *r = client_rig_with_other(5);
    unsigned    teams = other(r)->ship.model->repair_teams;
    char        hex[100];
    CHECK(teams >= 1 && teams < 8);
    for (unsigned i = 1; i <= teams + 2; i++) {
        snprintf(hex, sizeof hex, "06 01 01 00 00 DF 00 80 00 %02X 00 04 40 18 00 04 40", i);
        client_rig_say_hex(r, hex);
    }
    uint32_t first = SENSORS - 1, last = SENSORS - 1 + teams + 1;
    snprintf(hex, sizeof hex, PRIORITY("%02X 00 04 40"), teams + 2);
    client_rig_say_hex(r, hex); /* waits: to the head */
    CHECK_EQ(other(r)->repairs[0], last);
    CHECK_EQ(other(r)->repairs[1], first);
    client_rig_say_hex(r, hex); /* a team works on it: to the tail */
    CHECK_EQ(other(r)->repairs[0], first);
    CHECK_EQ(other(r)->repairs[teams + 1], last);
    SAY(r, PRIORITY("1F 00 04 40")); /* not in the queue */
    CHECK_EQ(other(r)->repair_count, teams + 2);
}

TEST(a_full_repair_queue_and_a_dying_ship_take_no_more)
{
    client_rig *r = client_rig_with_other(0x77); /* unknown: 64 ids */
    char        hex[100];
    for (unsigned i = 1; i < 64; i++) {
        snprintf(hex, sizeof hex, "06 01 01 00 00 DF 00 80 00 %02X 00 04 40 3E 00 04 40", i - 1);
        client_rig_say_hex(r, hex);
        sb_client_check(r->client);
    }
    CHECK_EQ(other(r)->repair_count, SB_CLIENT_REPAIRS);
    say_warp(r, "00 00 18 41");
    SAY(r, "06 29 81 00 00 4E 00 80 00 00 00 00 00 FF FF 03 40 00 00 00 00 00 00 18 41");
    CHECK_EQ(other(r)->repair_count, 0);
    CHECK(!sb_client_is_warping(other(r), r->now));
    SAY(r, ADD_SENSORS);
    say_warp(r, "00 00 18 41");
    CHECK_EQ(other(r)->repair_count, 0);
    CHECK(!sb_client_is_warping(other(r), r->now));
}

/* ---- damage volumes ---- */

TEST(damage_volumes_of_a_ship_are_kept)
{
    client_rig *r = client_rig_with_other(5);
    SAY(r, "29 FF FF 03 40 00 7F 00 5A 60 AA 52 E3 70"); /* the example of spec 08 §15 */
    CHECK_EQ(other(r)->volume_count, 1);
    const sb_seen_volume *v = &other(r)->volumes[0];
    CHECK(v->centre.y > 119.7f && v->centre.y < 119.9f && v->centre.x == 0);
    CHECK(v->radius > 24.9f && v->radius < 25.0f);
    CHECK(v->strength > 1498 && v->strength < 1499);
    SAY(r, "29 FF FF 07 40 00 7F 00 5A 60 AA 52 E3 70"); /* unknown ship: ignored */
    CHECK(client_rig_next_sent(r) == NULL);
}

TEST(the_latest_damage_volumes_replace_the_oldest)
{
    client_rig *r = client_rig_with_other(5);
    for (unsigned i = 0; i < SB_CLIENT_VOLUMES + 3; i++) {
        char hex[100];
        snprintf(hex, sizeof hex, "29 FF FF 03 40 00 7F 00 5A 60 AA 52 %02X 70", i);
        client_rig_say_hex(r, hex);
        sb_client_check(r->client);
    }
    CHECK_EQ(other(r)->volume_count, SB_CLIENT_VOLUMES);
    float oldest = other(r)->volumes[0].strength;
    CHECK(oldest == sb_decode_cf16(0x7003));
    CHECK(other(r)->volumes[SB_CLIENT_VOLUMES - 1].strength == sb_decode_cf16(0x7022));
}
