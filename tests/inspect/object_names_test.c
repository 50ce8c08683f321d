/* tests/inspect/object_names_test.c -- names of players, ships and parts, also from hostile input.
 */
#include "inspect/object_names.h"

#include <starbase/field.h>
#include <starbase/message.h>
#include <stdio.h>
#include <string.h>

#include "inspect/show.h"
#include "test.h"

enum { SHIP = 0x3FFFFFFF, OTHER_SHIP = 0x4003FFFF };

static const sb_endpoint host = { 0x0A000001, 22101 }, other_host = { 0x0A000001, 22102 },
                         client = { 0x0A000002, 4001 };

static sb_object_names names;
static uint8_t         bytes[512];
static sb_message      message;
static sb_record       record;

static sb_record *start_record(sb_layer layer, sb_side from, sb_endpoint server)
{
    record = (sb_record){ .layer = layer,
                          .has_endpoints = true,
                          .source = from == SB_SIDE_HOST ? server : client,
                          .destination = from == SB_SIDE_HOST ? client : server,
                          .from = from,
                          .has_peer_id = true,
                          .peer_id = from == SB_SIDE_HOST ? 1 : 2 };
    return &record;
}

/* A Name record; `name` is ASCII. */
static const sb_record *name_record(sb_side from, sb_endpoint server, uint8_t peer_id,
                                    const char *name)
{
    sb_record *r = start_record(SB_LAYER_TRANSPORT, from, server);
    size_t     size = 0;
    bytes[size++] = peer_id;
    for (int i = 0; i < 4; i++) bytes[size++] = 10;
    for (; *name; name++) {
        bytes[size++] = (uint8_t)*name;
        bytes[size++] = 0;
    }
    bytes[size++] = 0;
    bytes[size++] = 0;
    r->has_transport = true;
    r->transport = (sb_transport_message){ .type = SB_TRANSPORT_NAME, .payload = { bytes, size } };
    return r;
}

static const sb_record *creation(sb_endpoint server, uint8_t opcode, uint32_t object_id,
                                 uint8_t peer_id, uint8_t species, const char *name)
{
    sb_record *r = start_record(SB_LAYER_MESSAGE, SB_SIDE_HOST, server);
    message = (sb_message){ .opcode = opcode };
    message.as.object_create =
        (sb_object_create){ .peer_id = peer_id,
                            .class_id = SB_CLASS_SHIP,
                            .object_id = object_id,
                            .species = species,
                            .name = { (const uint8_t *)name, strlen(name) } };
    r->message = &message;
    return r;
}

static void learn(const sb_record *r)
{
    sb_object_names_learn(&names, r);
}

/* Cady2 (peer 2) in a Sovereign, Kira (peer 3) in an Akira. */
static void learn_two_players(void)
{
    sb_object_names_init(&names);
    learn(name_record(SB_SIDE_CLIENT, host, 2, "Cady2"));
    learn(name_record(SB_SIDE_HOST, host, 3, "Kira"));
    learn(creation(host, SB_OP_PLAYER_OBJECT_CREATE, SHIP, 2, 5, "a ship"));
    learn(creation(host, SB_OP_PLAYER_OBJECT_CREATE, OTHER_SHIP, 3, 1, "a ship"));
}

/* The name on `server`, "" if there is none. */
static const char *name_of(sb_endpoint server, uint32_t id, bool exact)
{
    static char buffer[128];
    sb_text     text = { buffer, sizeof buffer - 1, 0 };
    bool known = sb_object_names_add(&names, start_record(SB_LAYER_MESSAGE, SB_SIDE_CLIENT, server),
                                     id, exact, &text);
    CHECK_EQ(known, text.size > 0);
    buffer[text.size] = '\0';
    return buffer;
}

TEST(object_names_know_ships_by_player_and_class)
{
    learn_two_players();
    CHECK_TEXT(name_of(host, SHIP, false), "Cady2/Sovereign");
    CHECK_TEXT(name_of(host, OTHER_SHIP, false), "Kira/Akira");
    CHECK_TEXT(name_of(host, 0, false), "");
    CHECK_TEXT(name_of(host, 0xFFFFFFFF, false), "");
    CHECK_TEXT(name_of(host, SHIP - 1, false), "");
    CHECK_TEXT(name_of(other_host, SHIP, false), "");
}

/* Spec 08 §2.1: the Sovereign has 33 parts; tubes are 6 to 11, Repair is 24. */
TEST(object_names_know_parts_of_ships)
{
    learn_two_players();
    CHECK_TEXT(name_of(host, SHIP + 1, false), "Cady2/Hull");
    CHECK_TEXT(name_of(host, SHIP + 1 + 7, false), "Cady2/Torpedo tube 2");
    CHECK_TEXT(name_of(host, SHIP + 1 + 7, true), "Cady2/Torpedo tube 2 (Forward Torpedo 2)");
    CHECK_TEXT(name_of(host, SHIP + 1 + 11, false), "Cady2/Torpedo tube 6");
    CHECK_TEXT(name_of(host, SHIP + 1 + 13, false), "Cady2/Phaser bank 2");
    CHECK_TEXT(name_of(host, SHIP + 1 + 20, false), "Cady2/Port Impulse");
    CHECK_TEXT(name_of(host, SHIP + 1 + 24, false), "Cady2/Repair");
    CHECK_TEXT(name_of(host, SHIP + 1 + 32, false), "Cady2/Tractor beam 4");
    CHECK_TEXT(name_of(host, SHIP + 1 + 33, false), ""); /* the player's next object */
}

TEST(object_names_say_part_where_the_order_is_not_known)
{
    const sb_ship_class *akira = sb_find_ship(sb_stock_ships(), 1);
    bool                 known[256] = { false };
    learn_two_players();
    for (int i = 0; i < akira->subsystem_count; i++)
        if (akira->subsystems[i].creation_index >= 0)
            known[akira->subsystems[i].creation_index] = true;
    for (int i = 0; i < akira->child_count; i++)
        if (akira->children[i].creation_index >= 0) known[akira->children[i].creation_index] = true;
    for (unsigned k = 0; k < (unsigned)akira->subsystem_count + akira->child_count; k++) {
        char wanted[32];
        snprintf(wanted, sizeof wanted, "Kira/part %u", k);
        CHECK_EQ(strcmp(name_of(host, OTHER_SHIP + 1 + k, false), wanted) == 0, !known[k]);
    }
}

TEST(object_names_use_the_ships_name_without_a_player)
{
    sb_object_names_init(&names);
    learn(creation(host, SB_OP_PLAYER_OBJECT_CREATE, SHIP, 2, 5, "Enterprise"));
    learn(creation(host, SB_OP_OBJECT_CREATE, OTHER_SHIP, 2, 1, ""));
    CHECK_TEXT(name_of(host, SHIP, false), "Enterprise/Sovereign");
    CHECK_TEXT(name_of(host, OTHER_SHIP, false), "Akira");
    learn(name_record(SB_SIDE_HOST, host, 2, "Cady2"));
    CHECK_TEXT(name_of(host, SHIP, false), "Cady2/Sovereign");
}

TEST(object_names_show_ships_without_a_list_of_parts)
{
    sb_object_names_init(&names);
    learn(creation(host, SB_OP_PLAYER_OBJECT_CREATE, SHIP, 2, 251, "Mod"));
    CHECK_TEXT(name_of(host, SHIP, false), "Mod/species 251");
    CHECK_TEXT(name_of(host, SHIP + 1, false), "");
}

TEST(object_names_follow_new_ships_and_new_players)
{
    learn_two_players();
    learn(creation(host, SB_OP_PLAYER_OBJECT_CREATE, SHIP + 34, 2, 1, "x"));
    CHECK_TEXT(name_of(host, SHIP + 34, false), "Cady2/Akira");
    CHECK_TEXT(name_of(host, SHIP, false), "Cady2/Sovereign"); /* late messages are about it */
    learn(
        creation(host, SB_OP_PLAYER_OBJECT_CREATE, SHIP, 3, 1, "x")); /* the server starts again */
    CHECK_TEXT(name_of(host, SHIP, false), "Kira/Akira");
    learn(name_record(SB_SIDE_HOST, host, 3, "Ezri"));
    CHECK_TEXT(name_of(host, SHIP, false), "Ezri/Akira");
}

/* A server that starts again uses the same ids: SHIP + 16 was a part and is a ship now, and after
 * that SHIP is a ship with parts beyond it. */
TEST(object_names_prefer_the_newest_of_overlapping_ships)
{
    learn_two_players();
    learn(creation(host, SB_OP_PLAYER_OBJECT_CREATE, SHIP + 16, 3, 15, "x"));
    CHECK_EQ(strncmp(name_of(host, SHIP + 16, false), "Kira/", 5), 0);
    CHECK_TEXT(name_of(host, SHIP + 15, false), "Cady2/Phaser bank 3");
    learn(creation(host, SB_OP_PLAYER_OBJECT_CREATE, SHIP, 3, 5, "x"));
    CHECK_TEXT(name_of(host, SHIP + 1 + 24, false), "Kira/Repair");
    CHECK_TEXT(name_of(host, SHIP + 16, false), "Kira/Phaser bank 4");
    CHECK_TEXT(name_of(host, 0, false), "");
    learn(creation(host, SB_OP_PLAYER_OBJECT_CREATE, 0, 3, 5, "x"));
    CHECK_TEXT(name_of(host, 0, false), "");
}

TEST(object_names_start_anew_with_another_input)
{
    learn_two_players();
    const sb_record *r = name_record(SB_SIDE_HOST, host, 4, "Worf");
    record.file = "second.pcap";
    learn(r);
    CHECK_TEXT(name_of(host, SHIP, false), "");
    CHECK_TEXT(sb_object_names_player(&names, &record, 4), "Worf");
}

TEST(object_names_ignore_a_client_that_names_another)
{
    learn_two_players();
    learn(name_record(SB_SIDE_CLIENT, host, 3, "Not Kira")); /* sent by peer 2 */
    CHECK_TEXT(name_of(host, OTHER_SHIP, false), "Kira/Akira");
}

TEST(object_names_are_clean_and_bounded)
{
    char long_name[200];
    sb_object_names_init(&names);
    learn(name_record(SB_SIDE_HOST, host, 2, "a\033[31mb\nc\td"));
    CHECK_TEXT(sb_object_names_player(&names, &record, 2), "a?[31mb?c?d");
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    learn(name_record(SB_SIDE_HOST, host, 3, long_name));
    CHECK_EQ(strlen(sb_object_names_player(&names, &record, 3)), SB_NAME_BYTES_MAX - 1);
    learn(creation(host, SB_OP_PLAYER_OBJECT_CREATE, SHIP, 9, 5, "\033]0;x\007\x9B"));
    for (const char *c = name_of(host, SHIP, false); *c; c++)
        CHECK((unsigned char)*c >= 0x20 && *c != 0x7F);
}

TEST(object_names_forget_the_oldest_when_full)
{
    learn_two_players();
    for (uint32_t i = 0; i < SB_NAMED_SHIPS_MAX - 1; i++)
        learn(creation(host, SB_OP_OBJECT_CREATE, 0x50000000 + i * 256, 0, 1, "x"));
    CHECK_TEXT(name_of(host, SHIP, false), "");
    CHECK_TEXT(name_of(host, OTHER_SHIP, false), "Kira/Akira");
    for (unsigned i = 0; i < SB_NAMED_PLAYERS_MAX - 1; i++) {
        sb_endpoint server = { 0x0B000000 + i, 22101 };
        learn(name_record(SB_SIDE_HOST, server, 5, "x"));
    }
    start_record(SB_LAYER_MESSAGE, SB_SIDE_HOST, host);
    CHECK(sb_object_names_player(&names, &record, 2) == NULL);
    CHECK_TEXT(sb_object_names_player(&names, &record, 3), "Kira");
}

TEST(object_names_serve_ids_and_peer_ids_only)
{
    static const struct {
        sb_field    field;
        uint32_t    number;
        const char *wanted;
    } rows[] = {
        { { .name = "object_id", .kind = SB_KIND_ID }, SHIP, "Cady2/Sovereign" },
        { { .name = "sender", .kind = SB_KIND_I32 }, 2, "Cady2" },
        { { .name = "peer_id", .kind = SB_KIND_U8 }, 3, "Kira" },
        { { .name = "killer", .kind = SB_KIND_I32 }, 7, "" },
        { { .name = "kills", .kind = SB_KIND_I32 }, 2, "" },
        { { .name = "opaque", .kind = SB_KIND_U32 }, SHIP, "" },
    };
    learn_two_players();
    start_record(SB_LAYER_MESSAGE, SB_SIDE_HOST, host);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char     buffer[64] = "";
        sb_text  text = { buffer, sizeof buffer - 1, 0 };
        sb_value value = { .number = rows[i].number };
        bool     known =
            sb_object_names_add_value(&names, &record, &rows[i].field, &value, false, &text);
        CHECK_EQ(known, rows[i].wanted[0] != '\0');
        CHECK_TEXT(buffer, rows[i].wanted);
    }
}
