/* tests/client/act_rules_test.c -- when a player may act: results of all actions, what they change,
 * and the object ids they take. Bytes of the messages: act_test.c. */
#include "client_rig.h"

#include <starbase/message.h>

#include "client/client_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const sb_vec3 origin = { 0, 0, 0 }, nose = { 0, 1, 0 }, top = { 0, 0, 1 };

enum { VORCHA = 7, BLOCK = 0x40000, OTHER = 0x4003FFFF };

/* Everything a player can do. */
enum {
    PLACE,
    CHAT,
    TEAM,
    SPAWN,
    SEND,
    CLOAK, /* from here on: not with a wreck */
    POWER,
    PHASER_LEVEL,
    TORPEDO_TYPE,
    REPAIR_FIRST,
    START_FIRING,
    STOP_FIRING,
    TORPEDO,
    PULSE,
    TARGET_CHANGED,
    COLLISION,
    SELF_DESTRUCT,
    ACTIONS
};

static client_rig *r;

static unsigned entry(uint8_t type)
{
    const sb_ship_class *model = sb_find_ship(sb_stock_ships(), VORCHA);
    for (unsigned i = 0; i < model->subsystem_count; i++)
        if (model->subsystems[i].type == type) return i;
    FAIL("no entry of type %u", type);
}

static sb_result act(int action, sb_time now)
{
    static const uint8_t text[] = { 'x' };
    const sb_span        word = { text, 1 };
    sb_client           *c = r->client;
    unsigned beams = entry(SB_SUBSYSTEM_PHASER_SYSTEM), tubes = entry(SB_SUBSYSTEM_TORPEDO_SYSTEM);
    switch (action) {
    case PLACE: return sb_client_place(c, now, origin, nose, top, 1);
    case CHAT: return sb_client_chat(c, now, false, word);
    case TEAM: return sb_client_team(c, now, 1);
    case SPAWN: return sb_client_spawn(c, now, VORCHA, origin, nose, top);
    case SEND: return sb_client_send(c, now, SB_RELIABLE, word);
    case CLOAK: return sb_client_cloak(c, now, true);
    case POWER: return sb_client_power(c, now, beams, 0);
    case PHASER_LEVEL: return sb_client_phaser_level(c, now, beams, 2);
    case TORPEDO_TYPE: return sb_client_torpedo_type(c, now, tubes, 1);
    case REPAIR_FIRST: return sb_client_repair_first(c, now, beams, -1);
    case START_FIRING: return sb_client_start_firing(c, now, beams, OTHER);
    case STOP_FIRING: return sb_client_stop_firing(c, now, beams);
    case TORPEDO: return sb_client_torpedo(c, now, tubes, 0, 2, nose, 0);
    case PULSE: return sb_client_pulse(c, now, entry(SB_SUBSYSTEM_PULSE_SYSTEM), 0, 1, nose, 0);
    case TARGET_CHANGED: return sb_client_target_changed(c, now, 0);
    case COLLISION: return sb_client_collision(c, now, 0, nose, 1);
    default: return sb_client_self_destruct(c, now);
    }
}

static sb_seen_ship *own(void)
{
    return &r->client->rows[r->client->own_index];
}

/* Until not even a byte fits in. */
static void fill_queue(void)
{
    static const uint8_t bytes[1000] = { 0xCD };
    r->deaf = true;
    for (size_t size = sizeof bytes; size > 0; size /= 2)
        while (sb_client_send(r->client, r->now, SB_RELIABLE, (sb_span){ bytes, size }) == SB_OK)
            continue;
}

/* ---- when ---- */

TEST(every_action_advances_the_clock_and_never_sets_it_back)
{
    for (int action = 0; action < ACTIONS; action++) {
        r = client_rig_flying(NULL, VORCHA);
        r->now += 5000;
        CHECK_EQ(act(action, r->now), SB_OK);
        if (r->client->now != r->now) FAIL("action %d", action);
        CHECK_EQ(act(action, r->now - 5000), SB_OK);
        CHECK(r->client->now == r->now);
    }
}

TEST(nobody_acts_before_the_lobby_or_after_deciding_to_leave)
{
    for (int action = 0; action < ACTIONS; action++) {
        r = client_rig_connected(NULL);
        CHECK_EQ(act(action, r->now), action == SEND ? SB_OK : SB_NOT_ALLOWED);
        r = client_rig_flying(NULL, VORCHA);
        sb_client_leave(r->client, r->now + 1);
        CHECK(r->client->now == r->now + 1);
        if (act(action, r->now) != SB_NOT_ALLOWED) FAIL("action %d", action);
        r = client_rig_open(NULL); /* not connected yet */
        CHECK_EQ(act(action, r->now), SB_NOT_ALLOWED);
    }
}

TEST(a_wreck_only_drifts)
{
    for (int action = 0; action < ACTIONS; action++) {
        r = client_rig_flying(NULL, VORCHA);
        own()->exploding = true;
        own()->gone_at = r->now + SB_SECOND;
        if (act(action, r->now) != (action < CLOAK ? SB_OK : SB_NOT_ALLOWED))
            FAIL("action %d", action);
    }
}

TEST(an_action_that_does_not_fit_in_the_queue_changes_nothing)
{
    for (int action = 0; action < ACTIONS; action++) {
        r = client_rig_flying(NULL, VORCHA);
        if (action == STOP_FIRING) CHECK_EQ(act(START_FIRING, r->now), SB_OK);
        fill_queue();
        sb_seen_ship before = *own();
        uint32_t     next_id = r->client->next_id;
        if (act(action, r->now) != (action == PLACE ? SB_OK : SB_FULL)) FAIL("action %d", action);
        if (action != PLACE) CHECK(memcmp(&before, own(), sizeof before) == 0);
        CHECK_EQ(r->client->next_id, next_id);
    }
}

TEST(no_ship_is_spawned_after_the_end_of_a_match)
{
    r = client_rig_in_lobby(NULL);
    r->client->game_over = true;
    CHECK_EQ(act(SPAWN, r->now), SB_NOT_ALLOWED);
    r->client->game_over = false;
    CHECK_EQ(act(SPAWN, r->now), SB_OK);
}

/* ---- with what ---- */

static const sb_vec3 no_vectors[] = { { NAN, 0, 0 }, { 0, NAN, 0 }, { 0, 0, INFINITY } };

TEST(numbers_that_are_none_are_refused)
{
    r = client_rig_flying(NULL, VORCHA);
    sb_client *c = r->client;
    unsigned   tubes = entry(SB_SUBSYSTEM_TORPEDO_SYSTEM), pulse = entry(SB_SUBSYSTEM_PULSE_SYSTEM);
    for (int i = 0; i < 3; i++) {
        sb_vec3 v = no_vectors[i];
        CHECK_EQ(sb_client_spawn(c, r->now, VORCHA, v, nose, top), SB_BAD_VALUE);
        CHECK_EQ(sb_client_spawn(c, r->now, VORCHA, origin, v, top), SB_BAD_VALUE);
        CHECK_EQ(sb_client_spawn(c, r->now, VORCHA, origin, nose, v), SB_BAD_VALUE);
        CHECK_EQ(sb_client_place(c, r->now, v, nose, top, 1), SB_BAD_VALUE);
        CHECK_EQ(sb_client_place(c, r->now, origin, v, top, 1), SB_BAD_VALUE);
        CHECK_EQ(sb_client_place(c, r->now, origin, nose, v, 1), SB_BAD_VALUE);
        CHECK_EQ(sb_client_torpedo(c, r->now, tubes, 0, 2, v, 0), SB_BAD_VALUE);
        CHECK_EQ(sb_client_pulse(c, r->now, pulse, 0, 1, v, 0), SB_BAD_VALUE);
        CHECK_EQ(sb_client_collision(c, r->now, 0, v, 1), SB_BAD_VALUE);
    }
    CHECK_EQ(sb_client_spawn(c, r->now, 0, origin, nose, top), SB_BAD_VALUE);
    CHECK_EQ(sb_client_place(c, r->now, origin, nose, top, NAN), SB_BAD_VALUE);
    CHECK_EQ(sb_client_collision(c, r->now, 0, nose, NAN), SB_BAD_VALUE);
    CHECK_EQ(sb_client_team(c, r->now, 2), SB_BAD_VALUE);
    client_rig_run(r);
    EXPECT_SILENCE(r);
}

TEST(parts_that_are_not_there_are_refused)
{
    r = client_rig_flying(NULL, VORCHA);
    sb_client           *c = r->client;
    const sb_ship_class *model = own()->ship.model;
    unsigned             beams = entry(SB_SUBSYSTEM_PHASER_SYSTEM), end = model->subsystem_count;
    unsigned tubes = entry(SB_SUBSYSTEM_TORPEDO_SYSTEM), pulse = entry(SB_SUBSYSTEM_PULSE_SYSTEM);
    unsigned hull = entry(SB_SUBSYSTEM_HULL);
    CHECK_EQ(sb_client_power(c, r->now, end, 1), SB_BAD_VALUE);
    CHECK_EQ(sb_client_power(c, r->now, hull, 1), SB_BAD_VALUE);
    CHECK_EQ(sb_client_power(c, r->now, beams, -0.01f), SB_BAD_VALUE);
    CHECK_EQ(sb_client_power(c, r->now, beams, 1.26f), SB_BAD_VALUE);
    CHECK_EQ(sb_client_power(c, r->now, beams, 1.25f), SB_OK);
    CHECK_EQ(sb_client_phaser_level(c, r->now, end, 1), SB_BAD_VALUE);
    CHECK_EQ(sb_client_phaser_level(c, r->now, tubes, 1), SB_BAD_VALUE);
    CHECK_EQ(sb_client_phaser_level(c, r->now, beams, 3), SB_BAD_VALUE);
    CHECK_EQ(sb_client_torpedo_type(c, r->now, end, 1), SB_BAD_VALUE);
    CHECK_EQ(sb_client_torpedo_type(c, r->now, beams, 1), SB_BAD_VALUE);
    CHECK_EQ(sb_client_start_firing(c, r->now, end, 0), SB_BAD_VALUE);
    CHECK_EQ(sb_client_start_firing(c, r->now, hull, 0), SB_BAD_VALUE);
    CHECK_EQ(sb_client_stop_firing(c, r->now, end), SB_BAD_VALUE);
    CHECK_EQ(sb_client_stop_firing(c, r->now, hull), SB_BAD_VALUE);
    CHECK_EQ(sb_client_torpedo(c, r->now, end, 0, 2, nose, 0), SB_BAD_VALUE);
    CHECK_EQ(sb_client_torpedo(c, r->now, pulse, 0, 2, nose, 0), SB_BAD_VALUE);
    CHECK_EQ(sb_client_torpedo(c, r->now, tubes, model->subsystems[tubes].child_count, 2, nose, 0),
             SB_BAD_VALUE);
    CHECK_EQ(sb_client_pulse(c, r->now, end, 0, 1, nose, 0), SB_BAD_VALUE);
    CHECK_EQ(sb_client_pulse(c, r->now, tubes, 0, 1, nose, 0), SB_BAD_VALUE);
    CHECK_EQ(sb_client_pulse(c, r->now, pulse, model->subsystems[pulse].child_count, 1, nose, 0),
             SB_BAD_VALUE);
    CHECK_EQ(sb_client_repair_first(c, r->now, end, -1), SB_BAD_VALUE);
    CHECK_EQ(sb_client_repair_first(c, r->now, beams, -2), SB_BAD_VALUE);
    CHECK_EQ(sb_client_repair_first(c, r->now, beams, model->subsystems[beams].child_count),
             SB_BAD_VALUE);
    CHECK_EQ(sb_client_repair_first(c, r->now, beams, 0), SB_OK);
    CHECK_EQ(sb_client_repair_first(c, r->now, end - 1, -1), SB_OK);
    client_rig_run(r);
    CHECK_EQ(client_rig_count_sent(r, SB_OP_REPAIR_PRIORITY), 2);
}

TEST(a_ship_of_an_unknown_class_has_no_parts)
{
    r = client_rig_flying(NULL, 200);
    sb_client *c = r->client;
    CHECK(own()->ship.model == NULL);
    CHECK_EQ(sb_client_cloak(c, r->now, true), SB_NOT_ALLOWED);
    CHECK_EQ(sb_client_power(c, r->now, 0, 1), SB_BAD_VALUE);
    CHECK_EQ(sb_client_phaser_level(c, r->now, 0, 1), SB_BAD_VALUE);
    CHECK_EQ(sb_client_torpedo_type(c, r->now, 0, 1), SB_BAD_VALUE);
    CHECK_EQ(sb_client_start_firing(c, r->now, 0, 0), SB_BAD_VALUE);
    CHECK_EQ(sb_client_torpedo(c, r->now, 0, 0, 2, nose, 0), SB_BAD_VALUE);
    CHECK_EQ(sb_client_pulse(c, r->now, 0, 0, 2, nose, 0), SB_BAD_VALUE);
    CHECK_EQ(sb_client_repair_first(c, r->now, 0, -1), SB_BAD_VALUE);
    CHECK_EQ(sb_client_collision(c, r->now, OTHER, (sb_vec3){ 0, 1, 0 }, 2), SB_OK);
    client_rig_run(r); /* the contact is relative to a radius of 1; the other is the source */
    EXPECT_SENT(r, "15 24 81 00 00 50 00 80 00 FF FF 03 40 FF FF FF 3F 01 00 7F 00 FF 00 00 00 40");
}

TEST(a_class_may_lack_a_cloak_or_a_repair_bay)
{
    r = client_rig_flying(NULL, VORCHA);
    sb_ship_class              model = *own()->ship.model;
    static sb_subsystem_class *entries; /* of that length, so that a sanitizer sees its end */
    free(entries);
    entries = malloc(model.subsystem_count * sizeof *entries);
    CHECK(entries != NULL);
    memcpy(entries, model.subsystems, model.subsystem_count * sizeof *entries);
    model.subsystems = entries;
    own()->ship.model = &model;
    entries[entry(SB_SUBSYSTEM_REPAIR)].type = SB_SUBSYSTEM_SENSOR;
    CHECK_EQ(act(REPAIR_FIRST, r->now), SB_NOT_ALLOWED);
    entries[0].type = SB_SUBSYSTEM_REPAIR; /* the first of the list */
    CHECK_EQ(act(REPAIR_FIRST, r->now), SB_OK);
    model.can_cloak = false;
    CHECK_EQ(act(CLOAK, r->now), SB_NOT_ALLOWED);
    model.can_cloak = true;
    entries[entry(SB_SUBSYSTEM_CLOAK)].type = SB_SUBSYSTEM_SENSOR;
    CHECK_EQ(act(CLOAK, r->now), SB_NOT_ALLOWED);
    entries[0].type = SB_SUBSYSTEM_CLOAK;
    CHECK_EQ(act(CLOAK, r->now), SB_OK);
}

/* ---- with what effect ---- */

TEST(an_action_shows_on_the_own_ship)
{
    r = client_rig_flying(NULL, VORCHA);
    unsigned beams = entry(SB_SUBSYSTEM_PHASER_SYSTEM), tubes = entry(SB_SUBSYSTEM_TORPEDO_SYSTEM);
    unsigned cloak = entry(SB_SUBSYSTEM_CLOAK);
    CHECK_EQ(act(CLOAK, r->now), SB_OK);
    CHECK(own()->ship.cloaked && own()->ship.on[cloak]);
    CHECK_EQ(sb_client_cloak(r->client, r->now, false), SB_OK);
    CHECK(!own()->ship.cloaked && !own()->ship.on[cloak]);
    CHECK_EQ(act(POWER, r->now), SB_OK);
    CHECK(!own()->ship.on[beams] && own()->ship.power_wanted[beams] == 0);
    CHECK_EQ(sb_client_power(r->client, r->now, beams, 0.5f), SB_OK);
    CHECK(own()->ship.on[beams] && own()->ship.power_wanted[beams] == 0.5f);
    CHECK_EQ(act(PHASER_LEVEL, r->now), SB_OK);
    CHECK_EQ(own()->ship.setting[beams], 2);
    CHECK_EQ(act(TORPEDO_TYPE, r->now), SB_OK);
    CHECK_EQ(own()->ship.setting[tubes], 1);
    CHECK_EQ(act(START_FIRING, r->now), SB_OK);
    CHECK(own()->firing[beams]);
    CHECK_EQ(own()->firing_at[beams], OTHER);
    CHECK_EQ(act(STOP_FIRING, r->now), SB_OK);
    CHECK(!own()->firing[beams]);
    CHECK_EQ(act(PLACE, r->now), SB_OK);
    CHECK(own()->ship.motion.speed > 0.9f && own()->ship.motion.position.x == 0);
}

TEST(only_sb_client_cloak_switches_the_cloaking_device)
{
    r = client_rig_flying(NULL, VORCHA);
    unsigned cloak = entry(SB_SUBSYSTEM_CLOAK), last = own()->ship.model->subsystem_count;
    CHECK_EQ(sb_client_power(r->client, r->now, cloak, 1), SB_OK); /* it is off */
    client_rig_run(r);
    EXPECT_SILENCE(r);
    CHECK(!own()->ship.on[cloak]);
    CHECK(own()->ship.power_wanted[cloak] == 1);
    unsigned switched = 0;
    for (unsigned i = 0; i < last; i++) {
        if (i == cloak || sb_client_power(r->client, r->now, i, 0) != SB_OK) continue;
        CHECK(!own()->ship.on[i]);
        switched++;
    }
    client_rig_run(r);
    CHECK_EQ(client_rig_count_sent(r, SB_OP_SUBSYSTEM_STATUS), switched);
    CHECK(switched > 5);
}

TEST(a_ship_that_is_replaced_is_reported_as_gone_first)
{
    r = client_rig_flying(NULL, VORCHA);
    uint32_t id = own()->ship.object_id;
    CHECK_EQ(act(SPAWN, r->now), SB_OK);
    const client_reported *told = EXPECT_EVENT(r, SB_CLIENT_GONE);
    CHECK_EQ(told->event.object_id, id);
    CHECK_EQ(told->event.peer_id, 2);
    told = EXPECT_EVENT(r, SB_CLIENT_SPAWNED);
    CHECK_EQ(told->event.object_id, own()->ship.object_id);
    CHECK_EQ(told->event.peer_id, 2);
    EXPECT_NOTHING(r);
    CHECK(r->client->update_at == r->now + r->client->config.lanes.interval_us);
    CHECK(own()->ship.motion.speed == 0);
}

static client_rig *watched;
static sb_result   result_in_event;
static bool        had_ship;

static void spawn_in_event(void *context, const sb_client_event *event)
{
    (void)context;
    if (event->type != SB_CLIENT_GONE) return;
    had_ship = sb_client_own_ship(watched->client) != NULL;
    result_in_event = sb_client_spawn(watched->client, watched->now, 5, origin, nose, top);
}

TEST(nobody_spawns_while_an_event_is_reported)
{
    r = watched = client_rig_flying(NULL, VORCHA);
    r->client->config.on_event = spawn_in_event;
    result_in_event = SB_OK;
    had_ship = true;
    CHECK_EQ(act(SPAWN, r->now), SB_OK);
    CHECK_EQ(result_in_event, SB_NOT_ALLOWED);
    CHECK(!had_ship);
    CHECK_EQ(act(SPAWN, r->now), SB_OK); /* afterwards it may */
}

TEST(messages_name_the_slot_and_the_target)
{
    r = client_rig_in_lobby(NULL);
    r->client->settings.slot = 3;
    r->client->next_id = sb_slot_first_id(3);
    CHECK_EQ(act(SPAWN, r->now), SB_OK);
    CHECK_EQ(act(START_FIRING, r->now), SB_OK);
    client_rig_run(r);
    const client_sent *sent = client_rig_next_sent(r);
    CHECK_EQ(sent->bytes[0], SB_OP_PLAYER_OBJECT_CREATE);
    CHECK_EQ(sent->bytes[1], 3);
    CHECK_EQ(sent->bytes[2], 2); /* our peer id */
    sent = client_rig_next_sent(r);
    CHECK_EQ(sent->bytes[0], SB_OP_START_FIRING);
    CHECK_BYTES(sent->bytes + 17, 4, "\xFF\xFF\x03\x40", 4);
}

/* ---- sets and names ---- */

TEST(ships_start_in_the_set_of_the_mission_or_of_others)
{
    static const struct {
        uint8_t     system;
        const char *other; /* set of another ship; NULL: none */
        bool        used, own;
        const char *set;
    } cases[] = {
        { 1, "Mod1", true, false, "Multi1" },    { 2, "Mod1", true, false, "Multi2" },
        { 200, "Mod1", true, false, "Mod1" },    { 200, "X", true, false, "X" },
        { 200, NULL, true, false, "Multi1" },    { 200, "", true, false, "Multi1" },
        { 200, "Mod1", false, false, "Multi1" }, { 200, "Mod1", true, true, "Multi1" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned row = 0; row < SB_CLIENT_SHIPS; row += SB_CLIENT_SHIPS - 1) {
            r = client_rig_in_lobby(NULL);
            r->client->mission.system = cases[i].system;
            sb_seen_ship *other = &r->client->rows[row];
            other->used = cases[i].used && cases[i].other;
            other->own = cases[i].own;
            other->ship.object_id = OTHER;
            if (cases[i].other) strcpy(other->set_name, cases[i].other);
            CHECK_EQ(act(SPAWN, r->now), SB_OK);
            CHECK_TEXT(own()->set_name, cases[i].set);
            CHECK_TEXT(own()->name, "Cady2");
        }
}

TEST(a_ship_has_the_name_of_its_player_in_the_games_alphabet)
{
    static const uint8_t name[] = { 'Z', 0, 0xE9, 0, 0xAC, 0x20, 0x16, 0x04, '!', 0 };
    sb_client_config     config;
    client_rig_config(&config);
    config.transport.name = (sb_span){ name, sizeof name };
    r = client_rig_flying(&config, VORCHA);
    CHECK_TEXT(own()->name,
               "Z\xE9\x80?!"); /* the euro sign is 0x80; the Cyrillic letter has none */
}

TEST(the_longest_name_of_a_player_fits)
{
    uint8_t          name[62] = { 0 };
    sb_client_config config;
    for (int i = 0; i < 31; i++) name[2 * i] = 'N';
    client_rig_config(&config);
    config.transport.name = (sb_span){ name, sizeof name };
    r = client_rig_flying(&config, VORCHA);
    CHECK_EQ(strlen(own()->name), 31);
    CHECK_EQ(strlen(sb_client_find_player(r->client, 2)->name), 31);
}

/* ---- object ids ---- */

enum { SHIP_IDS = 17, FIRST = 0x3FFFFFFF, END = FIRST + BLOCK, BIRD_OF_PREY = 6 };

/* A Bird of Prey takes 17 ids; `other`, of the same class, is known. */
TEST(spec_07_1_a_ship_takes_the_next_ids_that_nobody_uses)
{
    static const struct {
        const char *about;
        uint32_t    next, other, id;
    } cases[] = {
        { "nobody there", FIRST + 100, 1, FIRST + 100 },
        { "the last ids of the block", END - SHIP_IDS, 1, END - SHIP_IDS },
        { "too near to its end", END - SHIP_IDS + 1, 1, FIRST },
        { "just behind another", FIRST + 100, FIRST + 100 - SHIP_IDS, FIRST + 100 },
        { "at the end of another", FIRST + 100, FIRST + 101 - SHIP_IDS, FIRST + 101 },
        { "the same", FIRST + 100, FIRST + 100, FIRST + 117 },
        { "another begins within", FIRST + 100, FIRST + 116, FIRST + 133 },
        { "just before another", FIRST + 100, FIRST + 117, FIRST + 100 },
        { "another at the end", END - SHIP_IDS, END - SHIP_IDS, FIRST },
        { "another leaves just enough", END - 2 * SHIP_IDS, END - 2 * SHIP_IDS, END - SHIP_IDS },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned row = 0; row < SB_CLIENT_SHIPS; row += SB_CLIENT_SHIPS - 1)
            for (int used = 0; used < 2; used++) {
                r = client_rig_in_lobby(NULL);
                sb_seen_ship *other = &r->client->rows[row];
                sb_ship_init(&other->ship, sb_find_ship(sb_stock_ships(), BIRD_OF_PREY),
                             BIRD_OF_PREY, cases[i].other);
                other->used = used;
                r->client->next_id = cases[i].next;
                CHECK_EQ(sb_client_spawn(r->client, r->now, BIRD_OF_PREY, origin, nose, top),
                         SB_OK);
                uint32_t alone = cases[i].next > END - SHIP_IDS ? FIRST : cases[i].next;
                uint32_t id = used ? cases[i].id : alone;
                if (own()->ship.object_id != id) FAIL("%s: %x", cases[i].about, id);
                CHECK_EQ(r->client->next_id, id + SHIP_IDS);
            }
}

TEST(a_ship_finds_ids_behind_a_table_full_of_others)
{
    r = client_rig_in_lobby(NULL);
    for (uint32_t i = 0; i < SB_CLIENT_SHIPS; i++) {
        sb_seen_ship *other = &r->client->rows[i];
        sb_ship_init(&other->ship, sb_find_ship(sb_stock_ships(), BIRD_OF_PREY), BIRD_OF_PREY,
                     FIRST + SHIP_IDS * i);
        other->used = true;
    }
    CHECK_EQ(sb_client_spawn(r->client, r->now, BIRD_OF_PREY, origin, nose, top), SB_OK);
    CHECK_EQ(own()->ship.object_id, FIRST + SHIP_IDS * SB_CLIENT_SHIPS);
}

TEST(spec_07_1_1_each_shot_takes_an_id_of_the_block)
{
    r = client_rig_flying(NULL, VORCHA);
    r->client->next_id = END - 2;
    CHECK_EQ(act(TORPEDO, r->now), SB_OK);
    CHECK_EQ(r->client->next_id, END - 1);
    CHECK_EQ(act(PULSE, r->now), SB_OK);
    CHECK_EQ(r->client->next_id, FIRST);
    CHECK_EQ(act(TORPEDO, r->now), SB_OK);
    CHECK_EQ(r->client->next_id, FIRST + 1);
}

/* ---- updates ---- */

TEST(an_update_is_due_at_its_time_and_not_before)
{
    r = client_rig_flying(NULL, VORCHA);
    sb_time interval = r->client->config.lanes.interval_us, due = r->client->update_at;
    r->now = due - 1;
    client_rig_run(r);
    CHECK_EQ(client_rig_count_sent(r, SB_OP_STATE_UPDATE), 0);
    r->now = due;
    client_rig_run(r);
    CHECK_EQ(client_rig_count_sent(r, SB_OP_STATE_UPDATE), 1);
    CHECK(r->client->update_at == due + interval);
    r->now = due + interval + 10; /* late: the next one is not */
    client_rig_run(r);
    CHECK_EQ(client_rig_count_sent(r, SB_OP_STATE_UPDATE), 2);
    CHECK(r->client->update_at == due + 2 * interval);
    r->now = due + 3 * interval; /* one is skipped */
    client_rig_run(r);
    CHECK_EQ(client_rig_count_sent(r, SB_OP_STATE_UPDATE), 3);
    CHECK(r->client->update_at == r->now + interval);
}
