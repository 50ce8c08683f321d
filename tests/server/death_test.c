/* tests/server/death_test.c -- messages about kills: their order, scores, repairs and damage
 * volumes. Spec 08 §5, §15, §16; 09 §11; 10 §7, §9.2, §12.2, §13.
 */
#include "rig.h"

#include <starbase/message.h>

#include "base/bytes.h"
#include "server/server_internal.h"

#include <math.h>
#include <string.h>

enum { AKIRA = 1, SOVEREIGN = 5, PHOTON = 14 };
enum {
    SHIELDS = 0x01,
    FORWARD_TUBE = 0x06,
    PHASERS = 0x19,
    REPAIR = 0x18
}; /* indices of a Sovereign */

static const sb_vec3 middle = { 0, 0, 0 }, in_front = { 0, 20, 0 };

/* Beams that damage every part of a ship at once and kill it with one hit. */
static sb_server_config deadly_config(const char *mode)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.combat.constants.beam_medium = 3000.0f;
    c.combat.constants.beam_delay = 0;
    c.combat.constants.beam_quantum = 0.1f;            /* strikes every third step */
    c.combat.constants.beam_recharge_others = 1000.0f; /* beams never run out of charge */
    c.match.mode = sb_find_mode(mode);
    CHECK(c.match.mode != NULL);
    return c;
}

static void open_fire(room *r, seat *s, uint32_t ship, uint32_t target, sb_cv4b aim)
{
    sb_message m =
        event_message(0x07, SB_EVENT_START_FIRING, SB_CODE_START_FIRING_NOTIFY, ship + 1 + PHASERS);
    m.as.event.target = target;
    m.as.event.offset = aim;
    seat_say_message(r, s, &m);
}

static void drop_shields(room *r, seat *s, uint32_t ship)
{
    sb_message m =
        event_message(0x0A, SB_EVENT_BOOL, SB_CODE_SUBSYSTEM_STATUS_NOTIFY, ship + 1 + SHIELDS);
    m.as.event.value = 0;
    seat_say_message(r, s, &m);
}

static void wait_for_death(room *r)
{
    uint64_t before = COUNTED(r, SB_SERVER_COUNT_DEATHS);
    for (unsigned i = 0; i < 300 && COUNTED(r, SB_SERVER_COUNT_DEATHS) == before; i++)
        room_wait(r, SB_SECOND / 10);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_DEATHS), before + 1);
}

static sb_message decoded(sb_span bytes)
{
    sb_message m;
    CHECK_EQ(sb_decode_message(bytes, NULL, &m, NULL), SB_OK);
    return m;
}

/* The next message is the death of a ship, and the one after it the scores. */
static sb_message expect_death(seat *s, uint32_t ship, uint32_t killer_ship, uint8_t killer)
{
    sb_message m = decoded(seat_next(s));
    while (m.opcode == SB_OP_START_FIRING) m = decoded(seat_next(s)); /* the relayed shot */
    CHECK_EQ(m.opcode, 0x06);
    CHECK_EQ(m.as.event.event_code, SB_CODE_OBJECT_EXPLODING);
    CHECK_EQ(m.as.event.source, killer_ship);
    CHECK_EQ(m.as.event.destination, ship);
    CHECK_EQ(m.as.event.killer, killer);
    CHECK(m.as.event.lifetime == 9.5f);
    m = decoded(seat_next(s)); /* directly after it */
    CHECK_EQ(m.opcode, 0x36);
    return m;
}

TEST(spec_09_11_a_kill_sends_the_scores_of_all_attackers)
{
    sb_server_config c = deadly_config("ffa");
    room            *r = room_open(&c);
    seat            *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    seat            *h = room_join(r, "Helper"), *w = room_join(r, "Witness");
    uint32_t         victim = seat_spawn(r, a, SOVEREIGN, middle);
    uint32_t         helper = seat_spawn(r, h, SOVEREIGN, (sb_vec3){ 0, -25, 0 });
    seat_fire_torpedo(r, h, helper, victim); /* hits on shields count, too */
    room_wait(r, 2 * SB_SECOND);
    uint32_t killer = seat_spawn(r, b, SOVEREIGN, (sb_vec3){ 0, -20, 0 });
    drop_shields(r, a, victim);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_DEATHS), 0);
    seat_forget(w);
    open_fire(r, b, killer, victim, (sb_cv4b){ 0 });
    wait_for_death(r);
    sb_score_change change = expect_death(w, victim, killer, b->id).as.score_change;
    CHECK_EQ(change.killer, b->id);
    CHECK_EQ(change.kills, 1);
    CHECK_EQ(change.victim, a->id);
    CHECK_EQ(change.deaths, 1);
    CHECK_EQ(change.entry_count, 1);
    CHECK_EQ(change.entries[0].player, h->id);
    CHECK(change.score > 0 && change.entries[0].score > 0);
    const sb_match *match = sb_server_match(r->server);
    CHECK_EQ(sb_match_find(match, b->id)->score, change.score);
    CHECK_EQ(sb_match_find(match, h->id)->score, change.entries[0].score);
    CHECK_EQ(sb_match_find(match, h->id)->kills, 0);
    sb_message repair = decoded(seat_next(w)); /* the part that the last hit damaged */
    CHECK_EQ(repair.as.event.event_code, SB_CODE_ADD_TO_REPAIR_LIST);
    CHECK_EQ(w->by_opcode[0x14] + w->by_opcode[0x29], 0);
    const sb_server_event *killed = &room_expect(r, SB_SERVER_KILLED)->event;
    CHECK_EQ(killed->peer_id, a->id);
    CHECK_EQ(killed->other, b->id);
    CHECK_EQ(killed->cause, SB_DAMAGE_BEAM);
}

TEST(spec_10_13_a_kill_in_the_own_team_only_costs_points)
{
    sb_server_config c = deadly_config("team");
    room            *r = room_open(&c);
    seat            *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    seat            *w = room_join(r, "Witness");
    seat_say_hex(r, a, "41 {id} 00");
    seat_say_hex(r, b, "41 {id} 00");
    uint32_t victim = seat_spawn(r, a, SOVEREIGN, in_front);
    uint32_t killer = seat_spawn(r, b, SOVEREIGN, middle);
    drop_shields(r, a, victim);
    seat_forget(w);
    open_fire(r, b, killer, victim, (sb_cv4b){ 0 });
    wait_for_death(r);
    sb_score_change change = expect_death(w, victim, killer, b->id).as.score_change;
    CHECK_EQ(change.killer, b->id);
    CHECK_EQ(change.kills, 0);
    CHECK(change.score < 0);
    CHECK_EQ(change.deaths, 1);
    for (uint8_t team = 0; team < 2; team++) {
        sb_message m = decoded(seat_next(w)); /* then both totals, then repairs (08 §16) */
        CHECK_EQ(m.opcode, 0x40);
        CHECK_EQ(m.as.team_score.team, team);
    }
    CHECK_EQ(seat_next(w).data[0], 0x06);
}

static unsigned count_repair_notices(const seat *s)
{
    unsigned count = 0;
    for (size_t i = 0; i < s->heard_count; i++)
        count += s->heard[i].bytes[0] == SB_OP_PYTHON_EVENT &&
                 sb_load_u32(s->heard[i].bytes + 5) == SB_CODE_ADD_TO_REPAIR_LIST;
    return count;
}

/* A dying ship announces no damage: its remaining life closes the gate of the notice. Our combat
 * does not damage wrecks, so the test reports the damage in its place. */
TEST(spec_08_5_1_damage_to_a_dying_ship_is_not_announced)
{
    sb_server_config c = deadly_config("ffa");
    room            *r = room_open(&c);
    seat            *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    uint32_t         victim = seat_spawn(r, a, SOVEREIGN, in_front);
    uint32_t         killer = seat_spawn(r, b, SOVEREIGN, middle);
    sb_combat_event  damage = { .type = SB_COMBAT_REPAIR_ADDED,
                                .object_id = victim,
                                .subsystem_id = victim + 1 + SHIELDS,
                                .repair_id = victim + 1 + REPAIR };
    seat_forget(b);
    sb_server_on_combat(r->server, &damage);
    room_step(r);
    CHECK_EQ(count_repair_notices(b), 1); /* at once: there is no grace after a spawn */
    drop_shields(r, a, victim);
    open_fire(r, b, killer, victim, (sb_cv4b){ 0 });
    wait_for_death(r);
    CHECK(count_repair_notices(b) > 1); /* the killing blow */
    seat_forget(b);
    room_wait(r, SB_SECOND);
    sb_server_on_combat(r->server, &damage);
    room_step(r);
    CHECK_EQ(count_repair_notices(b), 0);
}

static bool has_combat_event(const room *r)
{
    for (size_t i = 0; i < r->event_count; i++)
        if (r->events[i].event.type == SB_SERVER_COMBAT) return true;
    return false;
}

/* Beta, in the middle, fires at Alpha, `distance` in front. */
typedef struct duel {
    room    *r;
    seat    *a, *b;
    uint32_t victim, shooter;
} duel;

static duel start_duel(float distance, bool friendly_fire, const char *mode,
                       const char *team_of_beta)
{
    sb_server_config c = deadly_config(mode);
    c.friendly_fire = friendly_fire;
    c.trace_damage = true;
    duel d = { .r = room_open(&c) };
    d.a = room_join(d.r, "Alpha");
    d.b = room_join(d.r, "Beta");
    seat_say_hex(d.r, d.a, "41 {id} 01");
    seat_say_hex(d.r, d.b, team_of_beta);
    d.victim = seat_spawn(d.r, d.a, SOVEREIGN, (sb_vec3){ 0, distance, 0 });
    d.shooter = seat_spawn(d.r, d.b, SOVEREIGN, middle);
    return d;
}

/* Beams and a torpedo, aimed. True: something hit. */
static bool hits_when_aimed(bool friendly_fire, const char *mode, const char *team_of_beta)
{
    duel d = start_duel(20, friendly_fire, mode, team_of_beta);
    seat_fire_torpedo(d.r, d.b, d.shooter, d.victim);
    open_fire(d.r, d.b, d.shooter, d.victim, (sb_cv4b){ 0 });
    CHECK(seat_find(d.a, SB_OP_TORPEDO_FIRE).size > 0); /* relayed in all cases */
    CHECK(seat_find(d.a, SB_OP_START_FIRING).size > 0);
    room_wait(d.r, 3 * SB_SECOND);
    return has_combat_event(d.r);
}

TEST(without_friendly_fire_weapons_spare_the_own_team)
{
    static const char same[] = "41 {id} 01", other[] = "41 {id} 00";
    CHECK(hits_when_aimed(true, "team", same));
    CHECK(!hits_when_aimed(false, "team", same));
    CHECK(hits_when_aimed(false, "team", other));
    CHECK(hits_when_aimed(false, "ffa", same)); /* a mode without teams */
}

/* A torpedo without a target flies straight ahead, into Alpha. */
TEST(without_friendly_fire_a_stray_torpedo_spares_the_own_team)
{
    for (unsigned friendly_fire = 0; friendly_fire < 2; friendly_fire++) {
        duel d = start_duel(20, friendly_fire, "team", "41 {id} 01");
        seat_fire_torpedo(d.r, d.b, d.shooter, 0);
        room_wait(d.r, 3 * SB_SECOND);
        CHECK_EQ(has_combat_event(d.r), friendly_fire);
    }
}

/* Fires 30 degrees above Alpha, with Alpha as the target: only a guided torpedo hits. */
static bool hits_around_the_corner(const char *last_bytes, unsigned flags)
{
    duel    d = start_duel(100, true, "ffa", "41 {id} 01");
    uint8_t bytes[19] = {
        SB_OP_TORPEDO_FIRE, [5] = PHOTON, [6] = (uint8_t)flags, [8] = 110, [9] = 64
    };
    sb_store_u32(bytes + 1, d.shooter + 1 + FORWARD_TUBE);
    sb_store_u32(bytes + 10, d.victim);
    size_t size = 14 + strlen(last_bytes);
    memcpy(bytes + 14, last_bytes, strlen(last_bytes));
    seat_say(d.r, d.b, SB_RELIABLE, (sb_span){ bytes, size });
    sb_span relayed = seat_find(d.a, SB_OP_TORPEDO_FIRE);
    CHECK(relayed.size == size && memcmp(relayed.data, bytes, size) == 0);
    room_wait(d.r, 20 * SB_SECOND);
    return has_combat_event(d.r);
}

TEST(spec_08_14_1_torpedoes_of_18_and_19_bytes_fly_guided)
{
    CHECK(hits_around_the_corner("\x01\x7F\x01\x01", 1));     /* stock, 18 bytes */
    CHECK(hits_around_the_corner("\x01\x7F\x01\x01\x41", 7)); /* documented, 19 bytes */
    CHECK(!hits_around_the_corner("\x01\x7F\x01\x01", 7));    /* stock: no target */
    CHECK(!hits_around_the_corner("\x01\x7F\x01\x01\x41", 5));
}

/* The creation order of an Akira's parts is unknown, so their ids are unknown. */
TEST(spec_10_9_2_repairs_of_unknown_ids_are_not_sent)
{
    room    *r = room_open(NULL);
    seat    *a = room_join(r, "Alpha"), *w = room_join(r, "Witness");
    uint32_t ship = seat_spawn(r, a, AKIRA, middle);
    seat_forget(w);
    sb_message m = event_message(0x15, SB_EVENT_COLLISION, SB_CODE_COLLISION, ship);
    m.as.event.contact_count = 1;
    m.as.event.contacts[0] = (sb_cv4b){ { 0, 127, 0 }, 200 };
    m.as.event.force = 50;
    seat_say_message(r, a, &m);
    sb_player_view view;
    CHECK(sb_server_player(r->server, 0, r->now, &view));
    unsigned damaged = 0;
    for (unsigned i = 0; i < view.ship->model->subsystem_count; i++)
        damaged += view.ship->condition[i] < view.ship->model->subsystems[i].max_condition;
    for (unsigned i = 0; i < view.ship->model->child_count; i++)
        damaged += view.ship->child_condition[i] < view.ship->model->children[i].max_condition;
    CHECK(damaged > 0);
    EXPECT_QUIET(w);
    seat_say_hex(r, a, "13");
    (void)expect_death(w, ship, 0, 0);
    EXPECT_QUIET(w);
    room_wait(r, 15 * SB_SECOND);
    CHECK_EQ(w->by_opcode[0x06], 1);
}

/* 08 §15: 49.98 and 5997.8, as captured; a light one just above the floor of 0.1 game units. */
TEST(spec_08_15_volumes_match_the_capture_and_a_death_has_none)
{
    room              *r = room_open(NULL);
    seat              *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    uint32_t           ship = seat_spawn(r, a, SOVEREIGN, middle);
    static const float forces[] = { 450, 0.77f }; /* the second is in the dead zone (10 §8) */
    for (size_t i = 0; i < 2; i++) {
        sb_message m = event_message(0x15, SB_EVENT_COLLISION, SB_CODE_COLLISION, ship);
        m.as.event.contact_count = 1;
        m.as.event.contacts[0] = (sb_cv4b){ { 0, 0, -127 }, 255 };
        m.as.event.force = forces[i];
        seat_say_message(r, a, &m);
        room_wait(r, SB_SECOND);
    }
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_DEATHS), 0);
    for (unsigned again = 0; again < 2;
         again++) { /* RequestObject and ObjectNotFound get the same answer */
        seat_forget(b);
        seat_say_hex(r, b, again ? "1D FF FF FF 3F" : "1E FF FF FF 3F");
        CHECK_EQ(seat_next(b).data[0], 0x03);
        sb_damage_volume hard = decoded(seat_next(b)).as.damage_volume;
        sb_damage_volume light = decoded(seat_next(b)).as.damage_volume;
        CHECK(fabsf(sb_decode_cf16(hard.radius_code) - 49.98f) < 0.01f);
        CHECK(fabsf(sb_decode_cf16(hard.strength_code) - 5997.8f) < 0.1f);
        CHECK_EQ(light.strength_code, hard.strength_code);
        CHECK_EQ(light.radius_code, 0x5003);
        sb_vec3 at = sb_decode_cv4(hard.centre); /* ship-local, 100 units per game unit */
        float   depth = 100 * sb_find_ship(sb_stock_ships(), SOVEREIGN)->bound_radius;
        CHECK(fabsf(at.x) < 1 && fabsf(at.y) < 1 && at.z < -0.95f * depth && at.z >= -depth);
        room_wait(r, 2 * SB_SECOND);
    }
    uint64_t volumes = b->by_opcode[0x29];
    seat_say_hex(r, a, "13");
    room_wait(r, 15 * SB_SECOND);
    CHECK_EQ(b->by_opcode[0x29], volumes);
    CHECK_EQ(a->by_opcode[0x29], 0); /* never sent to the owner */
}

/* ---- the aim of StartFiring, and the option no_damage ---- */

static float condition_of(room *r, const seat *s, unsigned entry)
{
    sb_player_view view;
    for (unsigned i = 0; sb_server_player(r->server, i, r->now, &view); i++)
        if (view.peer_id == s->id && view.ship) return view.ship->condition[entry];
    FAIL("no ship of player %u", s->id);
}

static float hull_condition(room *r, const seat *s)
{
    return condition_of(r, s, 0);
}

static float sensor_condition(room *r, const seat *s)
{
    return condition_of(r, s, 2);
}

/* The shot comes from above and behind: the sensors lie in the saucer, the Hull entry, where shots
 * without an aim go, does not. */
TEST(spec_10_7_the_aim_offset_of_0x07_decides_where_a_beam_hits)
{
    const sb_ship_class *model = sb_find_ship(sb_stock_ships(), SOVEREIGN);
    CHECK_EQ(model->subsystems[2].type, SB_SUBSYSTEM_SENSOR);
    const float *sensors = model->subsystems[2].position;
    for (unsigned aimed = 0; aimed < 2; aimed++) {
        room    *r = room_open(NULL);
        seat    *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
        uint32_t victim = seat_spawn(r, a, SOVEREIGN, (sb_vec3){ 0, 20, -20 });
        uint32_t shooter = seat_spawn(r, b, SOVEREIGN, middle);
        sb_cv4b  aim =
            sb_encode_cv4b((sb_vec3){ sensors[0], sensors[1], sensors[2] }, model->bound_radius);
        drop_shields(r, a, victim);
        open_fire(r, b, shooter, victim, aimed ? aim : (sb_cv4b){ 0 });
        room_wait(r, 2 * SB_SECOND); /* two strikes */
        CHECK(hull_condition(r, a) < 12000);
        if (aimed) CHECK(sensor_condition(r, a) < 8000);
        else CHECK(sensor_condition(r, a) == 8000);
    }
}

/* The condition of the sensors after a torpedo at them, or at no point in particular. */
static float torpedo_sensors(bool documented, bool aimed)
{
    const sb_ship_class *model = sb_find_ship(sb_stock_ships(), SOVEREIGN);
    const float         *at = model->subsystems[2].position;
    sb_vec3              point = aimed ? (sb_vec3){ at[0], at[1], at[2] } : (sb_vec3){ 0 };
    room                *r = room_open(NULL);
    seat                *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    uint32_t             victim = seat_spawn(r, a, SOVEREIGN, (sb_vec3){ 0, 20, -20 });
    uint32_t             shooter = seat_spawn(r, b, SOVEREIGN, middle);
    sb_message           m = { .opcode = SB_OP_TORPEDO_FIRE };
    m.as.torpedo_fire = (sb_torpedo_fire){ .tube = shooter + 1 + FORWARD_TUBE,
                                           .projectile_type = PHOTON,
                                           .flags = documented ? 7 : 1,
                                           .direction = sb_encode_cv3((sb_vec3){ 0, 1, -1 }),
                                           .documented = documented,
                                           .target = victim,
                                           .aim = sb_encode_cv4b(point, model->bound_radius),
                                           .aim_distance = sb_encode_cv4(point) };
    drop_shields(r, a, victim);
    seat_say_message(r, b, &m);
    room_wait(r, 5 * SB_SECOND);
    CHECK(hull_condition(r, a) < 12000);
    return sensor_condition(r, a);
}

/* The stock form has the aim as a part of the target's radius, the documented one in units. */
TEST(spec_08_14_1_both_forms_of_torpedoes_hit_their_aim)
{
    float aimed = torpedo_sensors(false, true);
    CHECK(aimed < 8000);
    CHECK(torpedo_sensors(false, false) > aimed);
    CHECK(torpedo_sensors(true, false) == torpedo_sensors(false, false));
    CHECK(fabsf(torpedo_sensors(true, true) - aimed) < 20);
}

TEST(spec_10_3_3_without_damage_even_self_destruct_kills_no_one)
{
    sb_server_config c = deadly_config("ffa");
    c.combat.no_damage = true;
    room    *r = room_open(&c);
    seat    *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    uint32_t victim = seat_spawn(r, a, SOVEREIGN, in_front);
    uint32_t shooter = seat_spawn(r, b, SOVEREIGN, middle);
    drop_shields(r, a, victim);
    open_fire(r, b, shooter, victim, (sb_cv4b){ 0 });
    room_wait(r, 5 * SB_SECOND);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_DEATHS), 0);
    CHECK(sensor_condition(r, a) == 8000);
    seat_say_hex(r, a, "13"); /* 08 §8 */
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_DEATHS), 0);
}

/* ---- a ship of a mod, without data (10 §15) ---- */

TEST(spec_10_15_a_self_destructed_mod_ship_explodes_and_scores)
{
    enum { UNKNOWN = 200 };
    sb_server_config c;
    sb_server_defaults(&c);
    c.match.mode = sb_find_mode("assault"); /* the only mode in which a suicide is a kill */
    c.match.frag_limit = 2;
    room *r = room_open(&c);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    seat_say_hex(r, a, "41 {id} 00");
    for (unsigned death = 1; death <= 2; death++) {
        uint32_t ship = seat_spawn(r, a, UNKNOWN, (sb_vec3){ 10, 0, 0 });
        seat_forget(b);
        seat_say_hex(r, a, "13");
        sb_message m = decoded(seat_next(b));
        CHECK_EQ(m.opcode, SB_OP_PYTHON_EVENT);
        CHECK_EQ(m.as.event.event_code, SB_CODE_OBJECT_EXPLODING);
        CHECK_EQ(m.as.event.destination, ship);
        CHECK_EQ(m.as.event.source, 0);
        CHECK_EQ(m.as.event.killer, 0);
        CHECK(m.as.event.lifetime == 9.5f);
        m = decoded(seat_next(b));
        CHECK_EQ(m.opcode, SB_OP_SCORE_CHANGE);
        CHECK_EQ(m.as.score_change.killer, 0);
        CHECK_EQ(m.as.score_change.victim, a->id);
        CHECK_EQ(m.as.score_change.deaths, (int)death);
        if (death == 2) break;
        uint64_t updates = b->by_opcode[SB_OP_STATE_UPDATE];
        room_wait(r, 9 * SB_SECOND);
        CHECK(b->by_opcode[SB_OP_STATE_UPDATE] > updates); /* the wreck drifts on */
        sb_player_view view;
        CHECK(sb_server_player(r->server, 0, r->now, &view) && view.exploding);
        room_wait(r, SB_SECOND);
        CHECK(sb_server_player(r->server, 0, r->now, &view) && !view.ship);
    }
    CHECK(sb_server_match(r->server)->over); /* the limit counts these deaths, too */
}
