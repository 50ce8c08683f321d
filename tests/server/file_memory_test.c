/* tests/server/file_memory_test.c -- what a room remembers about the files it sent, row by row.
 * Whole joins with files: files_test.c. Spec 06 §5.4. */
#include "rig.h"

#include "server/server_internal.h"

#include <string.h>

enum { FILES = 2, FIRST_FILE_BYTES = 100, SECOND_FILE_BYTES = 250 };

static room *open_room(uint32_t peers_per_ip)
{
    static uint8_t              message[SECOND_FILE_BYTES] = { SB_OP_FILE_TRANSFER };
    static const sb_client_file files[FILES] = {
        { 1, "", 1, 1, "A.pyc", { message, FIRST_FILE_BYTES } },
        { 1, "", 2, 2, "B.pyc", { message, SECOND_FILE_BYTES } },
    };
    sb_server_config c;
    sb_server_defaults(&c);
    c.files = files;
    c.file_count = FILES;
    c.transport.peers_per_ip = peers_per_ip;
    return room_open(&c);
}

/* A player as the room knows it: an address and a name. */
static sb_player player(uint32_t address, const char *name)
{
    sb_player p = { .phase = SB_PLAYER_UPDATING, .address = { address, 1 } };
    p.name_size = (uint8_t)strlen(name);
    memcpy(p.name, name, p.name_size);
    return p;
}

static void remember(room *r, uint32_t address, const char *name, size_t file)
{
    sb_player p = player(address, name);
    sb_server_remember_file(r->server, &p, file);
}

/* True if the room knows that the player has the file. */
static bool knows(const room *r, uint32_t address, const char *name, size_t file)
{
    sb_player          p = player(address, name);
    const sb_file_set *known = sb_server_recall_files(r->server, &p);
    return known && sb_file_set_has(known, file);
}

static void pass(room *r, sb_time duration)
{
    sb_server_set_time(r->server, r->now += duration);
}

/* ---- players ---- */

TEST(address_and_whole_name_recognise_a_player_with_files)
{
    room *r = open_room(0);
    CHECK(!knows(r, 10, "Kirk", 0));
    remember(r, 10, "Kirk", 0);
    CHECK(knows(r, 10, "Kirk", 0));
    CHECK(!knows(r, 10, "Kirk", 1));
    CHECK(!knows(r, 11, "Kirk", 0));
    CHECK(!knows(r, 10, "Kir", 0));
    CHECK(!knows(r, 10, "Kirks", 0));
    CHECK(!knows(r, 10, "Kirl", 0));
    remember(r, 10, "Kirk", 1);
    CHECK(knows(r, 10, "Kirk", 0) && knows(r, 10, "Kirk", 1));
}

TEST(files_of_a_player_are_known_for_ten_minutes)
{
    room *r = open_room(0);
    remember(r, 10, "Kirk", 0);
    pass(r, 600 * SB_SECOND - 1);
    CHECK(knows(r, 10, "Kirk", 0));
    pass(r, 1);
    CHECK(!knows(r, 10, "Kirk", 0));
}

TEST(of_33_players_the_one_seen_longest_ago_is_forgotten)
{
    room *r = open_room(0);
    for (uint32_t i = 1; i <= 32; i++) {
        remember(r, i, "Kirk", 0);
        pass(r, SB_SECOND);
    }
    for (uint32_t i = 1; i <= 32; i++) CHECK(knows(r, i, "Kirk", 0));
    remember(r, 32, "Kirk", 1); /* has a row already */
    CHECK(knows(r, 32, "Kirk", 0) && knows(r, 32, "Kirk", 1) && knows(r, 1, "Kirk", 0));
    pass(r, 1);
    remember(r, 1, "Kirk", 1); /* seen again: now the second one is the oldest */
    pass(r, SB_SECOND);
    for (uint32_t i = 33; i <= 64; i++) {
        remember(r, i, "Spock", 1);
        pass(r, SB_SECOND);
        for (uint32_t k = 2; k <= 32; k++) CHECK_EQ(knows(r, k, "Kirk", 0), k + 31 > i);
        CHECK_EQ(knows(r, 1, "Kirk", 1), i < 64);
        CHECK(knows(r, i, "Spock", 1) && !knows(r, i, "Spock", 0));
    }
}

TEST(a_reload_renumbers_the_files_of_all_remembered_players)
{
    room *r = open_room(0);
    for (uint32_t i = 1; i <= 32; i++) {
        remember(r, i, "Kirk", 1);
        if (i % 2) remember(r, i, "Kirk", 0);
    }
    sb_server_config      c = r->server->config;
    const sb_client_file *before = c.files;
    sb_client_file        swapped[FILES] = { before[1], before[0] };
    r->server->config.files = swapped;
    sb_server_replace_files(r->server, before, FILES);
    for (uint32_t i = 1; i <= 32; i++) {
        CHECK(knows(r, i, "Kirk", 0));
        CHECK_EQ(knows(r, i, "Kirk", 1), i % 2);
    }
    r->server->config.file_count = 1;
    sb_server_replace_files(r->server, swapped, FILES);
    CHECK(knows(r, 1, "Kirk", 0) && !knows(r, 1, "Kirk", 1));
    r->server->config = c;
}

/* ---- addresses ---- */

/* The bytes that the address may still get, which is the largest number that is allowed. */
static void expect_left(const room *r, uint32_t address, uint64_t bytes)
{
    sb_player p = player(address, "Kirk");
    CHECK(sb_server_may_send_bytes(r->server, &p, bytes));
    CHECK(!sb_server_may_send_bytes(r->server, &p, bytes + 1));
}

static void count(room *r, uint32_t address, uint64_t bytes)
{
    sb_player p = player(address, "Kirk");
    sb_server_count_file_bytes(r->server, &p, bytes);
}

TEST(an_address_may_get_all_files_once_for_each_of_its_players)
{
    enum { ALL = FIRST_FILE_BYTES + SECOND_FILE_BYTES };
    room *r = open_room(3);
    expect_left(r, 10, 3 * ALL);
    count(r, 10, 7);
    count(r, 10, 100);
    expect_left(r, 10, 3 * ALL - 107);
    expect_left(r, 11, 3 * ALL);
    r = open_room(0); /* no limit per address: as many as the room has places */
    expect_left(r, 10, 8 * ALL);
}

TEST(the_bytes_of_an_address_are_counted_for_ten_minutes)
{
    room *r = open_room(1);
    count(r, 10, 50);
    pass(r, 600 * SB_SECOND - 1);
    count(r, 10, 50); /* does not prolong the ten minutes */
    expect_left(r, 10, 250);
    pass(r, 1);
    expect_left(r, 10, 350);
    count(r, 10, 50);
    expect_left(r, 10, 300);
}

TEST(of_33_addresses_the_oldest_count_is_forgotten)
{
    room *r = open_room(1);
    for (uint32_t i = 1; i <= 32; i++) {
        count(r, i, i);
        pass(r, SB_SECOND);
    }
    for (uint32_t i = 1; i <= 32; i++) expect_left(r, i, 350 - i);
    count(r, 32, 0); /* has a row already */
    for (uint32_t i = 1; i <= 32; i++) expect_left(r, i, 350 - i);
    for (uint32_t i = 33; i <= 64; i++) {
        count(r, i, i);
        pass(r, SB_SECOND);
        for (uint32_t k = 1; k <= 64; k++) expect_left(r, k, k > i - 32 && k <= i ? 350 - k : 350);
    }
}
