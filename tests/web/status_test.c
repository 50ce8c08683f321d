/* tests/web/status_test.c -- /api/status: valid JSON with stable keys. */
#include "sample.h"

#include "test.h"

#include <jansson.h>
#include <string.h>

static json_t *parse(const char *text)
{
    json_error_t error;
    json_t      *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!root) FAIL("%s at %d of %s", error.text, error.position, text);
    return root;
}

static const char *word(json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "(missing)";
}

static long long number(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    if (!json_is_integer(value)) FAIL("%s is no whole number", key);
    return json_integer_value(value);
}

TEST(the_status_lists_rooms_and_players)
{
    json_t *root = parse(sample_status(sample_values()));
    CHECK_TEXT(word(root, "version"), sb_version());
    CHECK_EQ(number(root, "uptime_s"), 90);
    CHECK_EQ(number(root, "rooms"), 2);
    CHECK_EQ(number(root, "players"), 1);
    CHECK(json_is_true(json_object_get(root, "healthy")));
    json_t *room = json_array_get(json_object_get(root, "room_list"), 0);
    CHECK_TEXT(word(room, "name"), "Friday \"night\"");
    CHECK_TEXT(word(room, "mission"), "ffa");
    CHECK_TEXT(word(room, "system"), "Multi1");
    CHECK_EQ(number(room, "seconds_left"), -1);
    CHECK_EQ(number(room, "bytes_in"), 12345);
    CHECK_EQ(number(room, "forged_house"), 6);
    json_t *player = json_array_get(json_object_get(room, "player_list"), 0);
    CHECK_TEXT(word(player, "player"), "Al\\pha");
    CHECK_TEXT(word(player, "ship"), "Akira");
    CHECK_EQ(number(player, "score"), 900);
    CHECK(json_real_value(json_object_get(player, "ping_ms")) == 23.5);
    CHECK(!json_object_get(player, "address"));
    json_t *empty = json_array_get(json_object_get(root, "room_list"), 1);
    CHECK_EQ(json_array_size(json_object_get(empty, "player_list")), 0);
    json_decref(root);
}

TEST(the_status_shows_masters_threads_and_the_store)
{
    sb_web_values *v = sample_values();
    v->store.is_open = v->store.has_failed = true;
    v->store.state = "failed";
    strcpy(v->store.reason, "locked");
    json_t *root = parse(sample_status(v));
    json_t *master = json_array_get(json_object_get(root, "masters"), 0);
    CHECK_TEXT(word(master, "master"), "master.example.org");
    CHECK_EQ(number(master, "heartbeat_s"), 5);
    CHECK(!json_object_get(master, "query_s"));
    CHECK_EQ(json_array_size(json_object_get(root, "threads")), 2);
    CHECK_TEXT(word(json_object_get(root, "store"), "state"), "failed");
    CHECK_TEXT(word(root, "reason"), "the store has failed: locked");
    CHECK(json_is_false(json_object_get(root, "healthy")));
    json_decref(root);
}

TEST(a_hostile_name_keeps_the_status_valid)
{
    sb_web_values *v = sample_values();
    for (int i = 0; i < 95; i++) v->rooms[0].figures.players[0].name[i] = (char)(i * 7 + 1);
    v->rooms[0].figures.players[0].name[95] = '\0';
    json_decref(parse(sample_status(v)));
    memset(v->rooms[0].figures.players[0].name, '"', 95);
    json_decref(parse(sample_status(v)));
}
