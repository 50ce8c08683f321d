/* tests/server/replacing_test.c -- new ships of players who have one, or had one a moment ago. Spec
 * 07 §2.6: nobody gains from a ship that a stock client would not have created.
 */
#include "rig.h"

#include <starbase/message.h>

#include "server/server_internal.h"

#include <string.h>

enum { AKIRA = 1, SOVEREIGN = 5, EXPLOSION_S = 10 }; /* 9.5 s, rounded up */

static const sb_vec3 middle = { 0, 0, 0 }, ahead = { 0, 20, 0 };

typedef struct scene {
    room    *r;
    seat    *a, *b;
    uint32_t ship_a, ship_b; /* Beta is ahead of Alpha */
} scene;

static scene open_scene(sb_fidelity level)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.combat.fidelity = (uint8_t)level;
    c.trace_damage = true;
    scene t = { .r = room_open(&c) };
    t.a = room_join(t.r, "Alpha");
    t.b = room_join(t.r, "Beta");
    t.ship_a = seat_spawn(t.r, t.a, SOVEREIGN, middle);
    t.ship_b = seat_spawn(t.r, t.b, SOVEREIGN, ahead);
    return t;
}

#define AT_EVERY_LEVEL(level)                                                                      \
    for (sb_fidelity level = SB_FIDELITY_RELAY; level <= SB_FIDELITY_ENFORCE; level++)

static const sb_match_row *numbers_of(const scene *t, const seat *s)
{
    return sb_match_find(sb_server_match(t->r->server), s->id);
}

/* Events of this kind about a player. */
static unsigned reports(const scene *t, const seat *s, sb_implausible what)
{
    unsigned count = 0;
    for (size_t i = 0; i < t->r->event_count; i++) {
        const sb_server_event *e = &t->r->events[i].event;
        count += e->type == SB_SERVER_SUSPICIOUS && e->peer_id == s->id && e->value == what;
    }
    return count;
}

static void fire_tubes(scene *t, seat *s, uint32_t ship, uint32_t target)
{
    seat_fire_torpedo(t->r, s, ship, target);
}

static void hurt_alpha(scene *t)
{
    seat_say_position(t->r, t->b, t->ship_b, (sb_vec3){ 0, -20, 0 }); /* behind, looks ahead */
    room_wait(t->r, 100000);
    fire_tubes(t, t->b, t->ship_b, t->ship_a);
    room_wait(t->r, 3 * SB_SECOND);
    CHECK(room_count_hits(t->r, t->ship_a) > 0);
}

/* ---- forged ones: a creation while the updates of the living ship go on ---- */

/* A tenth of a second in which Alpha flies a ship of these ids; 0: none. */
static void fly(scene *t, uint32_t ship, uint32_t other)
{
    if (ship) seat_say_position(t->r, t->a, ship, middle);
    if (other) seat_say_position(t->r, t->a, other, middle);
    room_wait(t->r, SB_SECOND / 10);
}

static void expect_unharmed(const scene *t)
{
    CHECK_EQ(seat_view(t->r, t->a).ship->object_id, t->ship_a);
    CHECK_EQ(numbers_of(t, t->a)->deaths, 0);
    CHECK_EQ(room_count_events(t->r, SB_SERVER_SUSPICIOUS), 0);
    CHECK_EQ(t->b->by_opcode[SB_OP_PLAYER_OBJECT_CREATE], 1); /* the first one */
    CHECK_EQ(t->b->by_opcode[SB_OP_PYTHON_EVENT], 0);
    CHECK_EQ(t->b->by_opcode[SB_OP_DESTROY_OBJECT], 0);
}

TEST(spec_07_2_6_a_forged_creation_takes_no_ship_away)
{
    AT_EVERY_LEVEL(level)
    {
        scene t = open_scene(level);
        fire_tubes(&t, t.a, t.ship_a, 0); /* the tube has to be loaded again */
        fly(&t, t.ship_a, 0);
        sb_ship before = *seat_view(t.r, t.a).ship;
        seat_forget(t.b);
        uint64_t applied = COUNTED(t.r, SB_SERVER_COUNT_STATE_IN);
        (void)seat_spawn(t.r, t.a, AKIRA, ahead);
        for (unsigned i = 0; i < 30; i++) {
            uint64_t updates = t.b->by_opcode[SB_OP_STATE_UPDATE];
            fly(&t, t.ship_a, 0);
            CHECK(t.b->by_opcode[SB_OP_STATE_UPDATE] > updates);
            expect_unharmed(&t);
        }
        CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_STATE_IN), applied + 30);
        CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_SECOND_SHIP), 1);
        CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_UNKNOWN_OBJECT), 0);
        CHECK_EQ(seat_view(t.r, t.a).ship->species, before.species);
        CHECK_EQ(t.r->server->players[0].armed_at, 0);
        fire_tubes(&t, t.a, t.ship_a, t.ship_b); /* as empty as before, and not disarmed */
        room_wait(t.r, SB_SECOND / 10);
        CHECK_EQ(reports(&t, t.a, SB_IMPLAUSIBLE_UNARMED), 0);
    }
}

/* With updates of its id as well, at any rate. */
TEST(updates_of_a_forged_ship_do_not_help_it)
{
    scene    t = open_scene(SB_FIDELITY_ENFORCE);
    uint32_t forged = seat_spawn(t.r, t.a, AKIRA, ahead);
    seat_forget(t.b);
    for (unsigned i = 0; i < 20; i++) {
        for (unsigned k = 0; k < 5; k++) seat_say_position(t.r, t.a, forged, ahead);
        fly(&t, t.ship_a, forged);
        expect_unharmed(&t);
    }
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_SECOND_SHIP), 1);
    CHECK(seat_view(t.r, t.a).position.y == 0.0f);
}

TEST(many_forged_creations_take_no_ship_away)
{
    scene t = open_scene(SB_FIDELITY_ENFORCE);
    seat_forget(t.b);
    for (unsigned i = 0; i < 50; i++) {
        (void)seat_spawn(t.r, t.a, AKIRA, ahead);
        fly(&t, t.ship_a, 0);
        expect_unharmed(&t);
    }
    CHECK(COUNTED(t.r, SB_SERVER_COUNT_SECOND_SHIP) >= 40);
}

/* The first of them decides when the wait ends, so a modified client cannot prolong it. */
TEST(more_creations_do_not_prolong_the_wait)
{
    scene t = open_scene(SB_FIDELITY_ENFORCE);
    for (unsigned i = 0; i < 9; i++) {
        (void)seat_spawn(t.r, t.a, AKIRA, ahead);
        fly(&t, 0, 0);
        CHECK_EQ(numbers_of(&t, t.a)->deaths, 0);
    }
    uint32_t last = seat_spawn(t.r, t.a, SOVEREIGN, ahead);
    fly(&t, 0, 0);
    CHECK_EQ(numbers_of(&t, t.a)->deaths, 1);
    CHECK_EQ(seat_view(t.r, t.a).ship->object_id, last);
    CHECK_EQ(seat_view(t.r, t.a).ship->species, SOVEREIGN);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_SECOND_SHIP), 9);
}

/* While a creation waits, the old ship is the one that counts; updates of the new one are neither
 * applied nor answered by a request. */
TEST(a_creation_that_waits_changes_nothing_yet)
{
    scene t = open_scene(SB_FIDELITY_ENFORCE);
    seat_forget(t.b);
    uint32_t next = seat_spawn(t.r, t.a, AKIRA, ahead);
    for (unsigned i = 0; i < 9; i++) {
        fly(&t, 0, next);
        expect_unharmed(&t);
    }
    CHECK_EQ(t.a->by_opcode[SB_OP_REQUEST_OBJECT], 0);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_SECOND_SHIP), 0);
    fly(&t, 0, next);
    CHECK_EQ(seat_view(t.r, t.a).ship->object_id, next);
    CHECK_EQ(t.b->by_opcode[SB_OP_PLAYER_OBJECT_CREATE], 2);
    CHECK_EQ(numbers_of(&t, t.a)->deaths, 1);
}

/* The last updates of a ship may arrive after the creation of the next one. */
TEST(updates_that_a_creation_has_overtaken_do_not_refute_it)
{
    for (unsigned late = 0; late < 2; late++) {
        scene    t = open_scene(SB_FIDELITY_ENFORCE);
        uint32_t next = seat_spawn(t.r, t.a, AKIRA, ahead);
        room_wait(t.r, SECOND_SHIP_GRACE_US - 1 + late);
        seat_say_position(t.r, t.a, t.ship_a, middle);
        CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_SECOND_SHIP), late);
        room_wait(t.r, SECOND_SHIP_WAIT_US);
        CHECK_EQ(seat_view(t.r, t.a).ship->object_id, late ? t.ship_a : next);
    }
}

TEST(the_wait_of_a_creation_ends_to_the_microsecond)
{
    scene t = open_scene(SB_FIDELITY_ENFORCE);
    (void)seat_spawn(t.r, t.a, AKIRA, ahead);
    room_wait(t.r, SECOND_SHIP_WAIT_US - 1);
    CHECK_EQ(numbers_of(&t, t.a)->deaths, 0);
    room_wait(t.r, 1);
    CHECK_EQ(numbers_of(&t, t.a)->deaths, 1);
}

/* A creation that was dropped by mistake is requested from its client (spec 07 §6). */
TEST(a_true_creation_that_was_dropped_comes_again)
{
    scene    t = open_scene(SB_FIDELITY_ENFORCE);
    uint32_t next = seat_spawn(t.r, t.a, AKIRA, ahead);
    for (unsigned i = 0; i < 4; i++) fly(&t, t.ship_a, 0);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_SECOND_SHIP), 1);
    fly(&t, 0, next);
    CHECK_EQ(t.a->by_opcode[SB_OP_REQUEST_OBJECT], 1);
    CHECK_EQ(seat_replace(t.r, t.a, AKIRA, ahead), next);
    CHECK_EQ(seat_view(t.r, t.a).ship->object_id, next);
}

/* Otherwise a forged creation would be the ship that the player's true one has to replace. */
TEST(a_creation_that_waits_is_dropped_when_the_ship_dies)
{
    scene t = open_scene(SB_FIDELITY_ENFORCE);
    (void)seat_spawn(t.r, t.a, AKIRA, ahead);
    seat_say_hex(t.r, t.a, "13");
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_SECOND_SHIP), 1);
    room_wait(t.r, 9500000);
    uint32_t next = seat_spawn(t.r, t.a, SOVEREIGN, middle);
    CHECK_EQ(seat_view(t.r, t.a).ship->object_id, next);
    CHECK_EQ(numbers_of(&t, t.a)->deaths, 1);
    CHECK_EQ(room_count_events(t.r, SB_SERVER_SUSPICIOUS), 0);
}

TEST(a_creation_that_waits_ends_with_its_match)
{
    scene t = open_scene(SB_FIDELITY_ENFORCE);
    (void)seat_spawn(t.r, t.a, AKIRA, ahead);
    sb_server_restart_match(t.r->server, t.r->now);
    room_wait(t.r, 2 * SB_SECOND);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_SECOND_SHIP), 1);
    CHECK(!t.r->server->players[0].ship);
    CHECK_EQ(numbers_of(&t, t.a)->deaths, 0);
}

TEST(a_player_who_is_being_removed_gets_no_other_ship)
{
    scene t = open_scene(SB_FIDELITY_ENFORCE);
    (void)seat_spawn(t.r, t.a, AKIRA, ahead);
    t.a->muted = true; /* the Boot waits for an Ack of the text */
    CHECK(sb_server_kick(t.r->server, t.r->now, t.a->id, (sb_span){ (const uint8_t *)"bye", 3 }));
    room_wait(t.r, SECOND_SHIP_WAIT_US);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_SECOND_SHIP), 1);
    CHECK_EQ(t.r->server->players[0].phase, SB_PLAYER_REFUSED);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_DEATHS), 0);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_SPAWNS), 2);
}

/* An id that another object of the player has got in the meantime. */
TEST(a_creation_whose_id_was_taken_while_it_waited_is_refused)
{
    scene    t = open_scene(SB_FIDELITY_ENFORCE);
    uint32_t next = seat_spawn(t.r, t.a, AKIRA, ahead);
    seat_create_scenery(t.r, t.a, next);
    room_wait(t.r, SECOND_SHIP_WAIT_US);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_KNOWN_OBJECT), 1);
    CHECK_EQ(seat_view(t.r, t.a).ship->object_id, t.ship_a);
}

TEST(creations_of_two_players_wait_each_for_itself)
{
    scene    t = open_scene(SB_FIDELITY_ENFORCE);
    uint32_t next_a = seat_spawn(t.r, t.a, AKIRA, middle);
    room_wait(t.r, SB_SECOND / 2);
    uint32_t next_b = seat_spawn(t.r, t.b, AKIRA, ahead);
    room_wait(t.r, SB_SECOND / 2);
    CHECK_EQ(seat_view(t.r, t.a).ship->object_id, next_a);
    CHECK_EQ(seat_view(t.r, t.b).ship->object_id, t.ship_b);
    room_wait(t.r, SB_SECOND / 2);
    CHECK_EQ(seat_view(t.r, t.b).ship->object_id, next_b);
}

TEST(a_second_creation_of_the_living_ship_itself_is_refused)
{
    scene   t = open_scene(SB_FIDELITY_ENFORCE);
    uint8_t bytes[CREATION_BYTES_MAX];
    size_t  size = t.r->server->players[0].ship->creation_size;
    memcpy(bytes, t.r->server->players[0].ship->creation, size);
    seat_forget(t.b);
    seat_say(t.r, t.a, SB_RELIABLE, (sb_span){ bytes, size });
    room_wait(t.r, 2 * SB_SECOND);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_KNOWN_OBJECT), 1);
    expect_unharmed(&t);
}

/* ---- what it costs ---- */

TEST(spec_07_2_6_a_ship_that_is_replaced_alive_counts_as_dead)
{
    AT_EVERY_LEVEL(level)
    {
        scene t = open_scene(level);
        seat_forget(t.b);
        uint32_t next = seat_replace(t.r, t.a, AKIRA, middle);
        CHECK_EQ(seat_view(t.r, t.a).ship->object_id, next);
        CHECK_EQ(numbers_of(&t, t.a)->deaths, 1);
        CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_DEATHS), 1);
        sb_message m;
        CHECK_EQ(sb_decode_message(seat_find(t.b, SB_OP_PYTHON_EVENT), NULL, &m, NULL), SB_OK);
        CHECK_EQ(m.as.event.event_code, SB_CODE_OBJECT_EXPLODING);
        CHECK_EQ(m.as.event.destination, t.ship_a);
        CHECK(seat_find(t.b, SB_OP_SCORE_CHANGE).size > 0);
        CHECK_EQ(t.a->by_opcode[SB_OP_PYTHON_EVENT], 0); /* its client has forgotten the ship */
    }
}

TEST(a_ship_that_is_replaced_alive_is_reported_with_evidence)
{
    AT_EVERY_LEVEL(level)
    {
        scene t = open_scene(level);
        room_wait(t.r, 3 * SB_SECOND);
        (void)seat_replace(t.r, t.a, SOVEREIGN, middle);
        const sb_server_event *e = &room_expect(t.r, SB_SERVER_SUSPICIOUS)->event;
        CHECK_EQ(e->value, SB_IMPLAUSIBLE_RECREATION);
        CHECK_EQ(e->peer_id, t.a->id);
        CHECK(e->claimed == 0 && e->possible == 9.5);
    }
}

TEST(the_player_who_hit_it_last_gets_the_kill)
{
    scene t = open_scene(SB_FIDELITY_WEAPONS);
    hurt_alpha(&t);
    (void)seat_replace(t.r, t.a, SOVEREIGN, middle);
    CHECK_EQ(numbers_of(&t, t.b)->kills, 1);
    CHECK(numbers_of(&t, t.b)->score > 0);
    const sb_server_event *killed = &room_expect(t.r, SB_SERVER_KILLED)->event;
    CHECK_EQ(killed->other, t.b->id);
}

TEST(a_hit_of_long_ago_is_no_kill)
{
    scene t = open_scene(SB_FIDELITY_WEAPONS);
    hurt_alpha(&t);
    room_wait(t.r, (HIT_MEMORY_SECONDS + 1) * SB_SECOND);
    (void)seat_replace(t.r, t.a, SOVEREIGN, middle);
    CHECK_EQ(numbers_of(&t, t.b)->kills, 0);
    CHECK_EQ(numbers_of(&t, t.a)->deaths, 1);
}

/* ---- what it brings: nothing ---- */

/* Alpha fires after each new ship, twice a second. Without a death before it, a ship that comes
 * while another one waits takes its place, so every second one counts. */
static unsigned hits_by_cycling(bool self_destruct)
{
    scene    t = open_scene(SB_FIDELITY_ENFORCE);
    uint32_t ship = t.ship_a;
    for (unsigned i = 0; i < 20; i++) {
        fire_tubes(&t, t.a, ship, t.ship_b);
        if (self_destruct) seat_say_hex(t.r, t.a, "13");
        sb_vec3 behind = { 0, -20 - 5 * (float)i, 0 }; /* not in the way of the torpedo */
        ship = seat_spawn(t.r, t.a, SOVEREIGN, behind);
        room_wait(t.r, SB_SECOND / 2);
    }
    room_wait(t.r, 9 * SB_SECOND);
    CHECK_EQ(reports(&t, t.a, SB_IMPLAUSIBLE_RECREATION) > 0, true);
    CHECK_EQ(numbers_of(&t, t.a)->deaths, self_destruct ? 20 : 10);
    return room_count_hits(t.r, t.ship_b);
}

/* An honest player's first torpedo hits, too; the tube needs 40 s for the next one. */
TEST(spec_07_2_6_new_ships_are_no_way_to_loaded_tubes)
{
    CHECK_EQ(hits_by_cycling(false), 1);
    CHECK_EQ(hits_by_cycling(true), 1);
}

TEST(a_ship_created_in_the_explosion_of_the_last_one_waits)
{
    scene t = open_scene(SB_FIDELITY_WEAPONS);
    seat_say_hex(t.r, t.a, "13");
    room_wait(t.r, 3 * SB_SECOND);
    uint32_t               next = seat_spawn(t.r, t.a, SOVEREIGN, middle);
    const sb_server_event *e = &room_expect(t.r, SB_SERVER_SUSPICIOUS)->event;
    CHECK_EQ(e->value, SB_IMPLAUSIBLE_RECREATION);
    CHECK(e->claimed > 2.9 && e->claimed < 3.2);
    CHECK_EQ(numbers_of(&t, t.a)->deaths, 1); /* once */
    fire_tubes(&t, t.a, next, t.ship_b);
    room_wait(t.r, 4 * SB_SECOND);
    CHECK_EQ(room_count_hits(t.r, t.ship_b), 0);
    room_wait(t.r, 3 * SB_SECOND); /* 10 s after the death */
    fire_tubes(&t, t.a, next, t.ship_b);
    room_wait(t.r, 4 * SB_SECOND);
    CHECK_EQ(room_count_hits(t.r, t.ship_b), 1);
}

TEST(beams_of_a_ship_that_came_too_early_do_nothing)
{
    scene t = open_scene(SB_FIDELITY_WEAPONS);
    t.ship_a = seat_replace(t.r, t.a, SOVEREIGN, middle);
    for (unsigned i = 0; i < 6; i++) {
        seat_open_fire(t.r, t.a, t.ship_a, t.ship_b);
        room_wait(t.r, SB_SECOND);
    }
    CHECK_EQ(room_count_hits(t.r, t.ship_b), 0);
    CHECK(reports(&t, t.a, SB_IMPLAUSIBLE_UNARMED) > 0);
}

/* Beta's client sees Alpha's new ship inside Beta's own, and reports the collision. */
TEST(a_ship_that_came_too_early_rams_nobody)
{
    scene t = open_scene(SB_FIDELITY_WEAPONS);
    t.ship_a = seat_replace(t.r, t.a, SOVEREIGN, ahead);
    for (unsigned ram = 0; ram < 2; ram++) {
        sb_message m = event_message(SB_OP_COLLISION, SB_EVENT_COLLISION, 0x00800050, t.ship_b);
        m.as.event.source = t.ship_a;
        m.as.event.contact_count = 1;
        m.as.event.contacts[0] = (sb_cv4b){ { 0, -127, 0 }, 100 };
        m.as.event.force = 2000;
        seat_say_message(t.r, t.b, &m);
        CHECK_EQ(room_count_hits(t.r, t.ship_b), ram);
        room_wait(t.r, EXPLOSION_S * SB_SECOND);
    }
}

TEST(an_honest_respawn_is_armed_at_once_and_not_reported)
{
    scene t = open_scene(SB_FIDELITY_ENFORCE);
    seat_say_hex(t.r, t.a, "13");
    room_wait(t.r, 9500000);
    uint32_t next = seat_spawn(t.r, t.a, SOVEREIGN, middle);
    fire_tubes(&t, t.a, next, t.ship_b);
    room_wait(t.r, 4 * SB_SECOND);
    CHECK_EQ(room_count_hits(t.r, t.ship_b), 1);
    CHECK_EQ(sb_server_implausible(t.r->server, SB_IMPLAUSIBLE_RECREATION), 0);
}

/* All clients return to the choice of a ship. */
TEST(a_new_match_forgets_the_losses_of_the_last_one)
{
    scene t = open_scene(SB_FIDELITY_ENFORCE);
    seat_say_hex(t.r, t.a, "13");
    sb_server_restart_match(t.r->server, t.r->now);
    t.ship_b = seat_spawn(t.r, t.b, SOVEREIGN, ahead);
    t.ship_a = seat_spawn(t.r, t.a, SOVEREIGN, middle);
    fire_tubes(&t, t.a, t.ship_a, t.ship_b);
    room_wait(t.r, 4 * SB_SECOND);
    CHECK_EQ(room_count_hits(t.r, t.ship_b), 1);
    CHECK_EQ(sb_server_implausible(t.r->server, SB_IMPLAUSIBLE_RECREATION), 0);
}

/* ---- leaving ---- */

TEST(who_leaves_under_fire_gives_the_kill_to_the_attacker)
{
    scene t = open_scene(SB_FIDELITY_WEAPONS);
    hurt_alpha(&t);
    seat_leave(t.r, t.a);
    CHECK_EQ(numbers_of(&t, t.b)->kills, 1);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_DEATHS), 1);
}

TEST(who_leaves_in_peace_does_not_die)
{
    scene t = open_scene(SB_FIDELITY_WEAPONS);
    seat_leave(t.r, t.a);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_DEATHS), 0);
    CHECK_EQ(numbers_of(&t, t.b)->kills, 0);
}

TEST(an_attacker_who_left_before_gets_no_kill)
{
    scene t = open_scene(SB_FIDELITY_WEAPONS);
    hurt_alpha(&t);
    seat_leave(t.r, t.b);
    (void)seat_replace(t.r, t.a, SOVEREIGN, middle);
    const sb_server_event *killed = &room_expect(t.r, SB_SERVER_KILLED)->event;
    CHECK_EQ(killed->other, 0);
}

/* Leaving and returning is no faster way to loaded tubes than dying. */
TEST(the_ship_of_a_player_who_returns_at_once_waits)
{
    for (unsigned early = 0; early < 2; early++) {
        scene       t = open_scene(SB_FIDELITY_ENFORCE);
        sb_endpoint home = t.a->address;
        seat_leave(t.r, t.a);
        if (!early) room_wait(t.r, EXPLOSION_S * SB_SECOND);
        home.port++;
        seat    *again = room_join_from(t.r, "Alpha", home);
        uint32_t next = seat_spawn(t.r, again, SOVEREIGN, middle);
        fire_tubes(&t, again, next, t.ship_b);
        room_wait(t.r, 4 * SB_SECOND);
        CHECK_EQ(room_count_hits(t.r, t.ship_b), !early);
    }
}

/* ---- edges ---- */

TEST(a_new_ship_is_reported_with_id_and_species)
{
    scene t = open_scene(SB_FIDELITY_WEAPONS);
    (void)room_expect(t.r, SB_SERVER_SPAWNED);
    const sb_server_event *e = &room_expect(t.r, SB_SERVER_SPAWNED)->event;
    CHECK_EQ(e->peer_id, t.b->id);
    CHECK_EQ(e->object_id, t.ship_b);
    CHECK_EQ(e->value, SOVEREIGN);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_SPAWNS), 2);
}

/* A client counts the 9.5 s by its own clock: half a second too early is no reason for a report. */
TEST(a_respawn_half_a_second_early_is_not_reported)
{
    for (unsigned early = 0; early < 2; early++) {
        scene t = open_scene(SB_FIDELITY_WEAPONS);
        seat_say_hex(t.r, t.a, "13");
        sb_time armed_at = t.r->server->players[0].armed_at;
        room_wait(t.r, armed_at - SB_SECOND / 2 - early - t.r->now);
        (void)seat_spawn(t.r, t.a, SOVEREIGN, middle);
        CHECK_EQ(sb_server_implausible(t.r->server, SB_IMPLAUSIBLE_RECREATION), early);
    }
}

/* The first TargetChanged of each ship shows how its client reads the third id (spec 08 §6). */
TEST(a_new_ship_has_seen_no_target_yet)
{
    scene t = open_scene(SB_FIDELITY_WEAPONS);
    for (unsigned i = 1; i <= 2; i++) {
        sb_message m = event_message(SB_OP_TARGET_CHANGED, SB_EVENT_OBJECT_POINTER,
                                     SB_CODE_TARGET_WAS_CHANGED, t.ship_a);
        m.as.event.third = t.ship_b;
        seat_say_message(t.r, t.a, &m);
        CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_FIRST_TARGETS_SET), i);
        t.ship_a = seat_replace(t.r, t.a, SOVEREIGN, middle);
    }
}

/* The loss of one player is none of another who comes from elsewhere. */
TEST(a_ship_of_another_address_does_not_wait)
{
    scene t = open_scene(SB_FIDELITY_ENFORCE);
    seat_leave(t.r, t.a);
    seat    *other = room_join(t.r, "Gamma");
    uint32_t ship = seat_spawn(t.r, other, SOVEREIGN, middle);
    fire_tubes(&t, other, ship, t.ship_b);
    room_wait(t.r, 4 * SB_SECOND);
    CHECK_EQ(room_count_hits(t.r, t.ship_b), 1);
}

TEST(a_new_match_forgets_who_left)
{
    scene       t = open_scene(SB_FIDELITY_ENFORCE);
    sb_endpoint home = t.a->address;
    seat_leave(t.r, t.a);
    sb_server_restart_match(t.r->server, t.r->now);
    home.port++;
    seat *again = room_join_from(t.r, "Alpha", home);
    t.ship_b = seat_spawn(t.r, t.b, SOVEREIGN, ahead);
    uint32_t ship = seat_spawn(t.r, again, SOVEREIGN, middle);
    fire_tubes(&t, again, ship, t.ship_b);
    room_wait(t.r, 4 * SB_SECOND);
    CHECK_EQ(room_count_hits(t.r, t.ship_b), 1);
}

/* ---- the table of departures ---- */

static void depart(room *r, uint32_t address, sb_time armed_after)
{
    sb_player gone = { .peer_id = 100, .address = { address, 1 } };
    gone.armed_at = r->now + armed_after;
    sb_server_remember_departure(r->server, &gone);
}

/* When the ship of the next player from the address may fire; 0: at once. */
static sb_time wait_of(const room *r, uint32_t address)
{
    sb_time found = 0;
    for (size_t i = 0; i < SB_SERVER_PLAYERS_MAX; i++) {
        const sb_loss_record *d = &r->server->losses[i];
        if (!d->armed_at || d->address != address) continue;
        CHECK_EQ(found, 0); /* one record per address */
        found = d->armed_at - r->now;
    }
    return found;
}

TEST(a_full_table_of_departures_forgets_what_ends_first)
{
    room *r = room_open(NULL);
    for (uint32_t i = 1; i <= SB_SERVER_PLAYERS_MAX; i++)
        depart(r, i, (5 + (i + 8) % 16) * SB_SECOND);
    for (uint32_t i = 1; i <= SB_SERVER_PLAYERS_MAX; i++)
        CHECK_EQ(wait_of(r, i), (5 + (i + 8) % 16) * SB_SECOND);
    depart(r, 99, 9 * SB_SECOND);
    CHECK_EQ(wait_of(r, 99), 9 * SB_SECOND);
    CHECK_EQ(wait_of(r, 8), 0); /* its time would have ended first */
    for (uint32_t i = 1; i <= SB_SERVER_PLAYERS_MAX; i++) CHECK((wait_of(r, i) == 0) == (i == 8));
    sb_server_restart_match(r->server, r->now);
    for (size_t i = 0; i < SB_SERVER_PLAYERS_MAX; i++) CHECK_EQ(r->server->losses[i].armed_at, 0);
}

TEST(an_address_has_one_record_and_only_a_loss_changes_it)
{
    room *r = room_open(NULL);
    depart(r, 7, 5 * SB_SECOND);
    depart(r, 8, 5 * SB_SECOND);
    depart(r, 7, 9 * SB_SECOND);
    depart(r, 8, 8 * SB_SECOND);
    CHECK_EQ(wait_of(r, 7), 9 * SB_SECOND);
    CHECK_EQ(wait_of(r, 8), 8 * SB_SECOND);
    depart(r, 7, -SB_SECOND); /* another player from there, who lost nothing */
    CHECK_EQ(wait_of(r, 7), 9 * SB_SECOND);
}

TEST(the_departure_in_the_last_record_makes_a_ship_wait)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.trace_damage = true;
    room *r = room_open(&c);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    for (uint32_t i = 1; i < SB_SERVER_PLAYERS_MAX; i++) depart(r, i, 60 * SB_SECOND);
    depart(r, a->address.address, 60 * SB_SECOND);
    CHECK_EQ(r->server->losses[SB_SERVER_PLAYERS_MAX - 1].address, a->address.address);
    uint32_t ship = seat_spawn(r, a, SOVEREIGN, middle);
    uint32_t victim = seat_spawn(r, b, SOVEREIGN, ahead);
    seat_fire_torpedo(r, a, ship, victim);
    room_wait(r, 4 * SB_SECOND);
    CHECK_EQ(room_count_hits(r, victim), 0);
}

TEST(a_new_match_arms_the_player_in_the_last_slot_too)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = SB_SERVER_PLAYERS_MAX;
    room *r = room_open(&c);
    for (unsigned i = 0; i < SB_SERVER_PLAYERS_MAX; i++) (void)room_join(r, "Player");
    (void)seat_spawn(r, &r->seats[SB_SERVER_PLAYERS_MAX - 1], SOVEREIGN, middle);
    seat_say_hex(r, &r->seats[SB_SERVER_PLAYERS_MAX - 1], "13");
    CHECK(r->server->players[SB_SERVER_PLAYERS_MAX - 1].armed_at > r->now);
    sb_server_restart_match(r->server, r->now);
    CHECK_EQ(r->server->players[SB_SERVER_PLAYERS_MAX - 1].armed_at, 0);
}
