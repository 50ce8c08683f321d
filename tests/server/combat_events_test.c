/* tests/server/combat_events_test.c -- what a room makes of each event of combat: the test reports
 * the events in combat's place. Whole fights: death_test.c, rules_test.c. Spec 08 §5, §16; 09 §11.
 */
#include "rig.h"

#include <starbase/message.h>

#include "server/server_internal.h"

#include <string.h>

enum { SOVEREIGN = 5, REPAIR_PART = 0x19, DAMAGED_PART = 2 };

static const sb_vec3 here = { 0, 0, 0 }, there = { 0, 300, 0 };

/* Beta attacks Alpha, and the witness has no ship. */
typedef struct scene {
    room    *r;
    seat    *a, *b, *w;
    uint32_t victim, attacker_ship;
} scene;

static scene open_scene(const sb_server_config *config)
{
    sb_server_config c;
    sb_server_defaults(&c);
    scene s = { .r = room_open(config ? config : &c) };
    s.a = room_join(s.r, "Alpha");
    s.b = room_join(s.r, "Beta");
    s.w = room_join(s.r, "Witness");
    s.victim = seat_spawn(s.r, s.a, SOVEREIGN, here);
    s.attacker_ship = seat_spawn(s.r, s.b, SOVEREIGN, there);
    seat_forget(s.w);
    return s;
}

static sb_combat_event event_by_beta(const scene *s, sb_combat_event_type type)
{
    return (sb_combat_event){ .type = type,
                              .object_id = s->victim,
                              .attacker = s->b->id,
                              .attacker_ship = s->attacker_ship,
                              .cause = SB_DAMAGE_TORPEDO,
                              .amount = 500,
                              .lifetime = 9.5f };
}

static void report(scene *s, const sb_combat_event *e)
{
    sb_server_on_combat(s->r->server, e);
    sb_server_after_combat(s->r->server);
    room_step(s->r);
}

static sb_message next_message(seat *s)
{
    sb_message m = { .opcode = 0 };
    sb_span    bytes = seat_next(s);
    if (bytes.size) CHECK_EQ(sb_decode_message(bytes, NULL, &m, NULL), SB_OK);
    return m;
}

static sb_object *object_of(const scene *s)
{
    return sb_server_find_object(s->r->server, s->victim);
}

/* ---- repairs (spec 08 §5) ---- */

TEST(each_kind_of_repair_has_its_own_event)
{
    scene           s = open_scene(NULL);
    sb_combat_event e = event_by_beta(&s, SB_COMBAT_REPAIR_ADDED);
    e.subsystem_id = s.victim + DAMAGED_PART;
    e.repair_id = s.victim + REPAIR_PART;
    report(&s, &e);
    sb_event out = next_message(s.w).as.event;
    CHECK_EQ(out.event_class, 0x0101);
    CHECK_EQ(out.event_code, 0x008000DF);
    CHECK_EQ(out.source, e.subsystem_id);
    CHECK_EQ(out.destination, e.repair_id);
    for (unsigned i = 0; i < 2; i++) {
        e.type = i ? SB_COMBAT_REPAIR_IMPOSSIBLE : SB_COMBAT_REPAIR_COMPLETED;
        report(&s, &e);
        sb_message m = next_message(s.w);
        CHECK_EQ(m.opcode, SB_OP_PYTHON_EVENT);
        CHECK_EQ(m.as.event.event_class, 0x010C);
        CHECK_EQ(m.as.event.event_code, i ? 0x00800075 : 0x00800074);
        CHECK_EQ(m.as.event.source, e.repair_id);
        CHECK_EQ(m.as.event.destination, s.victim);
        CHECK_EQ(m.as.event.third, e.subsystem_id);
    }
    EXPECT_QUIET(s.w);
}

TEST(repairs_without_an_id_and_other_events_send_nothing)
{
    static const sb_combat_event_type silent[] = {
        SB_COMBAT_ABSORBED,  SB_COMBAT_DAMAGED,  SB_COMBAT_SHIELD_LOST,
        SB_COMBAT_RECHARGED, SB_COMBAT_REPAIRED, SB_COMBAT_CLOAK,
    };
    scene           s = open_scene(NULL);
    sb_combat_event e = event_by_beta(&s, SB_COMBAT_REPAIR_ADDED);
    e.subsystem_id = s.victim + DAMAGED_PART;
    report(&s, &e);
    e.repair_id = s.victim + REPAIR_PART;
    e.subsystem_id = 0;
    report(&s, &e);
    e.subsystem_id = s.victim + DAMAGED_PART;
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) {
        e.type = silent[i];
        report(&s, &e);
    }
    EXPECT_QUIET(s.w);
    CHECK_EQ(COUNTED(s.r, SB_SERVER_COUNT_DEATHS), 0);
    CHECK_EQ(object_of(&s)->hit_by, 0);
}

TEST(a_wreck_announces_repairs_that_end_but_no_new_ones)
{
    scene           s = open_scene(NULL);
    sb_combat_event e = event_by_beta(&s, SB_COMBAT_REPAIR_ADDED);
    e.subsystem_id = s.victim + DAMAGED_PART;
    e.repair_id = s.victim + REPAIR_PART;
    object_of(&s)->exploding = true;
    object_of(&s)->died_at = s.r->now;
    sb_server_on_combat(s.r->server, &e); /* the killing blow itself */
    object_of(&s)->died_at = s.r->now - 1;
    sb_server_on_combat(s.r->server, &e);
    e.type = SB_COMBAT_REPAIR_COMPLETED;
    sb_server_on_combat(s.r->server, &e);
    object_of(&s)->exploding = false;
    e.type = SB_COMBAT_REPAIR_ADDED;
    sb_server_on_combat(s.r->server, &e); /* as of a living ship */
    e.object_id = 77;                     /* as of a ship that the room does not know */
    sb_server_on_combat(s.r->server, &e);
    room_step(s.r);
    static const uint32_t codes[] = { SB_CODE_ADD_TO_REPAIR_LIST, SB_CODE_REPAIR_COMPLETED,
                                      SB_CODE_ADD_TO_REPAIR_LIST, SB_CODE_ADD_TO_REPAIR_LIST };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        CHECK_EQ(next_message(s.w).as.event.event_code, codes[i]);
    EXPECT_QUIET(s.w);
}

/* ---- hits ---- */

TEST(a_hit_by_another_player_is_remembered_for_ten_seconds)
{
    scene           s = open_scene(NULL);
    sb_combat_event e = event_by_beta(&s, SB_COMBAT_HIT);
    sb_object      *o = object_of(&s);
    CHECK(!sb_server_was_just_hit(s.r->server, o));
    e.attacker = 0;
    report(&s, &e);
    e.attacker = s.a->id;
    report(&s, &e);
    CHECK_EQ(o->hit_by, 0);
    e.attacker = s.b->id;
    report(&s, &e);
    CHECK_EQ(o->hit_by, s.b->id);
    CHECK_EQ(o->hit_by_ship, s.attacker_ship);
    sb_combat_event by_nobody = event_by_beta(&s, SB_COMBAT_HIT);
    by_nobody.attacker = 0;
    report(&s, &by_nobody);
    CHECK_EQ(o->hit_by, s.b->id);
    room_wait(s.r, 10 * SB_SECOND);
    CHECK(sb_server_was_just_hit(s.r->server, o));
    room_wait(s.r, 1);
    CHECK(!sb_server_was_just_hit(s.r->server, o));
    e.object_id = 77; /* a ship that is gone */
    report(&s, &e);
}

/* The points of Beta for one hit of 500 by the cause, and the death of Alpha by nobody. The classes
 * are those of the modifiers; NO_DATA: the room has no model of the ship, NO_SHIP: no ship. */
enum { NO_DATA = 100, NO_SHIP };

static int points_for(const sb_server_config *config, sb_damage_cause cause, uint8_t by, uint8_t of)
{
    scene                s = open_scene(config);
    sb_combat_event      e = event_by_beta(&s, SB_COMBAT_HIT);
    sb_ship             *attacker = &sb_server_find_object(s.r->server, s.attacker_ship)->ship;
    sb_ship             *victim = &object_of(&s)->ship;
    const sb_ship_class *model = attacker->model;
    sb_ship_class        by_model = *model, of_model = *model;
    by_model.modifier_class = by;
    of_model.modifier_class = of;
    e.cause = (uint8_t)cause;
    if (by == NO_SHIP) e.attacker_ship = 77;
    attacker->model = by == NO_DATA ? NULL : &by_model;
    victim->model = of == NO_DATA ? NULL : &of_model;
    sb_server_on_combat(s.r->server, &e);
    attacker->model = victim->model = model;
    e = event_by_beta(&s, SB_COMBAT_EXPLODING);
    e.attacker = 0;
    sb_server_on_combat(s.r->server, &e);
    return sb_match_find(sb_server_match(s.r->server), s.b->id)->score;
}

TEST(only_weapons_give_points)
{
    for (int cause = 0; cause < SB_DAMAGE_CAUSES; cause++) {
        bool weapon =
            cause == SB_DAMAGE_BEAM || cause == SB_DAMAGE_BOLT || cause == SB_DAMAGE_TORPEDO;
        CHECK_EQ(points_for(NULL, (sb_damage_cause)cause, 1, 1), weapon ? 50 : 0);
    }
}

TEST(points_depend_on_the_classes_of_both_ships)
{
    sb_server_config c;
    sb_server_defaults(&c);
    for (unsigned by = 0; by < 3; by++)
        for (unsigned of = 0; of < 3; of++) c.match.modifiers[by][of] = (float)(1 + 3 * by + of);
    CHECK_EQ(points_for(&c, SB_DAMAGE_BEAM, 2, 0), 50 * 7);
    CHECK_EQ(points_for(&c, SB_DAMAGE_BEAM, 0, 2), 50 * 3);
    CHECK_EQ(points_for(&c, SB_DAMAGE_BEAM, NO_DATA, 2), 50 * 6); /* as of class 1 */
    CHECK_EQ(points_for(&c, SB_DAMAGE_BEAM, NO_SHIP, 2), 50 * 6);
    CHECK_EQ(points_for(&c, SB_DAMAGE_BEAM, 2, NO_DATA), 50 * 8);
}

TEST(weapons_of_a_mod_ship_and_of_the_own_team_have_no_effect)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.match.mode = sb_find_mode("team");
    c.friendly_fire = false;
    scene      s = open_scene(&c);
    sb_server *server = s.r->server;
    uint8_t    a = s.a->id, b = s.b->id;
    seat_say_hex(s.r, s.a, "41 {id} 01");
    seat_say_hex(s.r, s.b, "41 {id} 01");
    CHECK(!sb_server_has_hit_effect(server, b, a));
    CHECK(sb_server_has_hit_effect(server, b, b)); /* the own ship */
    CHECK(sb_server_has_hit_effect(server, 99, a));
    CHECK(sb_server_has_hit_effect(server, s.w->id, a)); /* has no team and no ship */
    server->config.friendly_fire = true;
    CHECK(sb_server_has_hit_effect(server, b, a));
    sb_object *ship = sb_server_find_object(server, s.attacker_ship);
    ship->mod_ship = true;
    CHECK(!sb_server_has_hit_effect(server, b, a));
    CHECK(!sb_server_has_hit_effect(server, b, b));
    ship->exploding = true; /* shots in flight outlive a mod ship */
    CHECK(sb_server_has_hit_effect(server, b, a));
    ship->exploding = ship->mod_ship = false;
}

/* ---- deaths ---- */

TEST(a_death_is_counted_reported_and_announced)
{
    for (unsigned by_self = 0; by_self < 2; by_self++) {
        scene           s = open_scene(NULL);
        sb_combat_event e = event_by_beta(&s, SB_COMBAT_EXPLODING);
        e.lifetime = 3.0f;
        if (by_self) e.attacker = s.a->id;
        sb_server_on_combat(s.r->server, &e);
        CHECK_EQ(COUNTED(s.r, SB_SERVER_COUNT_DEATHS), 1);
        CHECK(object_of(&s)->exploding);
        CHECK_EQ(object_of(&s)->died_at, s.r->now);
        CHECK_EQ(sb_server_find_player(s.r->server, s.a->id)->armed_at, s.r->now + 9500000);
        CHECK_EQ(sb_server_find_player(s.r->server, s.b->id)->armed_at, 0);
        const sb_server_event *killed = &room_expect(s.r, SB_SERVER_KILLED)->event;
        CHECK_EQ(killed->peer_id, s.a->id);
        CHECK_EQ(killed->object_id, s.victim);
        CHECK_EQ(killed->other, by_self ? 0 : s.b->id);
        CHECK_EQ(killed->cause, SB_DAMAGE_TORPEDO);
        object_of(&s)->exploding = false; /* combat knows nothing of this death */
        room_step(s.r);
        sb_event out = next_message(s.w).as.event;
        CHECK_EQ(out.event_class, 0x8129);
        CHECK_EQ(out.event_code, 0x0080004E);
        CHECK_EQ(out.source, by_self ? 0 : s.attacker_ship);
        CHECK_EQ(out.destination, s.victim);
        CHECK_EQ(out.killer, by_self ? 0 : s.b->id);
        CHECK(out.lifetime == 3.0f);
        CHECK_EQ(next_message(s.w).opcode, SB_OP_SCORE_CHANGE);
        EXPECT_QUIET(s.w);
    }
}

TEST(a_hit_by_nobody_is_credited_to_nobody)
{
    scene           s = open_scene(NULL);
    sb_combat_event e = event_by_beta(&s, SB_COMBAT_HIT);
    sb_server_on_combat(s.r->server, &e);
    e.attacker = 0;
    sb_server_on_combat(s.r->server, &e);
    e.type = SB_COMBAT_EXPLODING;
    sb_server_on_combat(s.r->server, &e);
    object_of(&s)->exploding = false;
    room_step(s.r);
    int32_t credited[4];
    CHECK_EQ(seat_find_credited(s.w, credited, 4), 1);
    CHECK_EQ(credited[0], s.b->id);
}

TEST(the_creation_of_a_dead_ship_does_not_wait_any_more)
{
    scene      s = open_scene(NULL);
    sb_object *o = object_of(&s);
    CHECK_EQ(
        sb_backlog_add(&s.r->server->backlog, 1u << 2, (sb_span){ o->creation, o->creation_size }),
        0);
    sb_combat_event e = event_by_beta(&s, SB_COMBAT_EXPLODING);
    sb_server_on_combat(s.r->server, &e);
    CHECK_EQ(s.r->server->backlog.waiting[2], 0);
}

TEST(the_death_of_a_ship_without_a_player_changes_no_scores)
{
    scene           s = open_scene(NULL);
    sb_combat_event e = event_by_beta(&s, SB_COMBAT_EXPLODING);
    object_of(&s)->owner = 99;
    sb_server_on_combat(s.r->server, &e);
    object_of(&s)->owner = s.a->id;
    object_of(&s)->exploding = false;
    room_step(s.r);
    CHECK_EQ(next_message(s.w).as.event.event_code, SB_CODE_OBJECT_EXPLODING);
    EXPECT_QUIET(s.w);
}

TEST(the_death_of_an_unknown_ship_is_ignored)
{
    scene           s = open_scene(NULL);
    sb_combat_event e = event_by_beta(&s, SB_COMBAT_EXPLODING);
    e.object_id = 77;
    report(&s, &e);
    e.type = SB_COMBAT_GONE;
    report(&s, &e);
    EXPECT_QUIET(s.w);
    CHECK_EQ(COUNTED(s.r, SB_SERVER_COUNT_DEATHS), 0);
}

static const room_event *score_of(room *r, uint8_t id)
{
    for (size_t i = 0; i < r->event_count; i++)
        if (r->events[i].event.type == SB_SERVER_SCORE && r->events[i].event.peer_id == id)
            return &r->events[i];
    FAIL("no score of player %u", id);
}

TEST(the_scores_of_victim_killer_and_helpers_are_reported)
{
    scene           s = open_scene(NULL);
    sb_combat_event e = event_by_beta(&s, SB_COMBAT_HIT);
    sb_server_on_combat(s.r->server, &e);
    e.attacker = s.w->id; /* a helper */
    e.amount = 300;
    sb_server_on_combat(s.r->server, &e);
    e = event_by_beta(&s, SB_COMBAT_EXPLODING);
    sb_server_on_combat(s.r->server, &e);
    object_of(&s)->exploding = false;
    const sb_server_event *victim = &score_of(s.r, s.a->id)->event;
    CHECK_EQ(victim->deaths, 1);
    CHECK_EQ(victim->kills, 0);
    const sb_server_event *killer = &score_of(s.r, s.b->id)->event;
    CHECK_EQ(killer->kills, 1);
    CHECK_EQ(killer->deaths, 0);
    CHECK_EQ(killer->value, 50);
    const sb_server_event *helper = &score_of(s.r, s.w->id)->event;
    CHECK_EQ(helper->value, 30);
    CHECK_EQ(helper->kills, 0);
    sb_server_report_score(s.r->server, 99); /* nobody: no event */
    CHECK_EQ(s.r->events[s.r->event_count - 1].event.peer_id, s.w->id);
}

TEST(attackers_who_left_stand_behind_the_last_slot)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = SB_SERVER_PLAYERS_MAX;
    room *r = room_open(&c);
    for (unsigned i = 0; i < SB_SERVER_PLAYERS_MAX; i++) (void)room_join(r, "Player");
    seat           *a = &r->seats[0], *last = &r->seats[SB_SERVER_PLAYERS_MAX - 1];
    uint32_t        victim = seat_spawn(r, a, SOVEREIGN, here);
    static uint8_t  order[] = { 7, 4, 15, 2 }; /* seats 7 and 4 leave */
    sb_combat_event e = { .type = SB_COMBAT_HIT, .object_id = victim, .amount = 500 };
    for (unsigned i = 0; i < 4; i++) {
        e.attacker = r->seats[order[i]].id;
        sb_server_on_combat(r->server, &e);
    }
    int32_t left[] = { r->seats[7].id, r->seats[4].id };
    CHECK(sb_server_kick(r->server, r->now, r->seats[7].id, (sb_span){ NULL, 0 }));
    CHECK(sb_server_kick(r->server, r->now, r->seats[4].id, (sb_span){ NULL, 0 }));
    room_wait(r, 2 * SB_SECOND);
    CHECK_EQ(sb_server_player_count(r->server), 14);
    seat_forget(last);
    e = (sb_combat_event){ .type = SB_COMBAT_EXPLODING, .object_id = victim };
    sb_server_on_combat(r->server, &e);
    sb_server_find_object(r->server, victim)->exploding = false;
    room_step(r);
    CHECK_EQ(next_message(last).as.event.destination, victim); /* the last slot hears of it */
    int32_t credited[8];
    CHECK_EQ(seat_find_credited(last, credited, 8), 4);
    CHECK_EQ(credited[0], r->seats[2].id);
    CHECK_EQ(credited[1], last->id);
    CHECK_EQ(credited[2], left[0]); /* as they came */
    CHECK_EQ(credited[3], left[1]);
}

TEST(a_ship_that_is_given_up_after_a_hit_has_a_killer)
{
    for (unsigned hit = 0; hit < 2; hit++) {
        scene           s = open_scene(NULL);
        sb_combat_event e = event_by_beta(&s, SB_COMBAT_HIT);
        if (hit) sb_server_on_combat(s.r->server, &e);
        seat_forget(s.a);
        sb_server_give_up_ship(s.r->server, object_of(&s));
        object_of(&s)->exploding = false;
        room_step(s.r);
        const sb_server_event *killed = &room_expect(s.r, SB_SERVER_KILLED)->event;
        CHECK_EQ(killed->other, hit ? s.b->id : 0);
        CHECK_EQ(killed->cause, SB_DAMAGE_SELF_DESTRUCT);
        sb_event out = next_message(s.w).as.event;
        CHECK_EQ(out.source, hit ? s.attacker_ship : 0);
        CHECK(out.lifetime == 9.5f);
        CHECK_EQ(next_message(s.a).opcode, SB_OP_SCORE_CHANGE); /* the owner knows of it */
    }
}

TEST(a_ship_whose_explosion_is_over_is_removed)
{
    scene           s = open_scene(NULL);
    sb_combat_event e = event_by_beta(&s, SB_COMBAT_GONE);
    report(&s, &e);
    CHECK(!object_of(&s));
    CHECK(sb_server_find_object(s.r->server, s.attacker_ship) != NULL);
}

/* ---- reports to the program ---- */

TEST(a_traced_event_names_owner_attacker_and_cause)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.trace_damage = true;
    scene           s = open_scene(&c);
    sb_combat_event e = event_by_beta(&s, SB_COMBAT_DAMAGED);
    s.r->event_next = s.r->event_count;
    sb_server_on_combat(s.r->server, &e);
    const sb_server_event *traced = &room_expect(s.r, SB_SERVER_COMBAT)->event;
    CHECK_EQ(traced->peer_id, s.a->id);
    CHECK_EQ(traced->object_id, s.victim);
    CHECK_EQ(traced->other, s.b->id);
    CHECK_EQ(traced->cause, SB_DAMAGE_TORPEDO);
    CHECK(traced->combat == &e);
    e.object_id = 77;
    sb_server_on_combat(s.r->server, &e);
    CHECK_EQ(room_expect(s.r, SB_SERVER_COMBAT)->event.peer_id, 0);
}

TEST(an_implausible_act_is_counted_for_its_player)
{
    scene           s = open_scene(NULL);
    sb_combat_event e = event_by_beta(&s, SB_COMBAT_IMPLAUSIBLE);
    e.index = SB_IMPLAUSIBLE_COUNT - 1;
    e.claimed = 7;
    e.possible = 3;
    for (unsigned i = 0; i <= sb_implausible_lag((sb_implausible)e.index); i++) {
        CHECK_EQ(sb_server_implausible(s.r->server, (sb_implausible)e.index), i);
        sb_server_on_combat(s.r->server, &e);
    }
    const sb_server_event *told = &room_expect(s.r, SB_SERVER_SUSPICIOUS)->event;
    CHECK_EQ(told->peer_id, s.b->id);
    CHECK_EQ(told->value, e.index);
    CHECK(told->claimed == 7 && told->possible == 3);
}
