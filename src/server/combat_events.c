/* src/server/combat_events.c -- turns hits, deaths and repairs that combat reports into scores and
 * messages to all players.
 *
 * For:      combat, as its callback.
 * Never:    calls combat: combat is in the middle of a step. Objects that are gone are only marked,
 *           and sb_server_after_combat removes them.
 * Spec:     08 §5, §16; 09 §6-§11; 10 §12.
 * Tests:    tests/server/combat_events_test.c, death_test.c, rules_test.c, crowd_test.c
 */
#include "server/server_internal.h"

#include <starbase/message.h>

/* ---- PythonEvent ---- */

/* Starts a PythonEvent in s->combat_out; the caller fills in the rest. */
static sb_event *init_event(sb_server *s, uint32_t event_class, uint32_t code)
{
    *s->combat_out = (sb_message){ .opcode = SB_OP_PYTHON_EVENT };
    s->combat_out->as.event = (sb_event){ .event_class = event_class, .event_code = code };
    return &s->combat_out->as.event;
}

/* True for damage to a ship that is already dying. The killing blow itself is announced, in the
 * same moment as the death; later damage is not (spec 08 §5.1, §16). */
static bool is_damage_to_wreck(const sb_server *s, const sb_combat_event *e)
{
    const sb_object *o = sb_server_find_object(s, e->object_id);
    return e->type == SB_COMBAT_REPAIR_ADDED && o && o->exploding && s->now > o->died_at;
}

/* Sends nothing while an id is unknown, because a wrong id would address the wrong object. Clients
 * then add damaged subsystems to their repair queues by themselves (spec 10 §9.2). */
static void send_repair(sb_server *s, const sb_combat_event *e)
{
    if (e->subsystem_id == 0 || e->repair_id == 0 || is_damage_to_wreck(s, e)) return;
    if (e->type == SB_COMBAT_REPAIR_ADDED) {
        sb_event *out = init_event(s, SB_EVENT_PLAIN, SB_CODE_ADD_TO_REPAIR_LIST);
        out->source = e->subsystem_id;
        out->destination = e->repair_id;
    } else {
        bool      done = e->type == SB_COMBAT_REPAIR_COMPLETED;
        sb_event *out =
            init_event(s, SB_EVENT_OBJECT_POINTER,
                       done ? SB_CODE_REPAIR_COMPLETED : SB_CODE_REPAIR_CANNOT_BE_COMPLETED);
        out->source = e->repair_id;
        out->destination = e->object_id;
        out->third = e->subsystem_id;
    }
    sb_server_send_if_fits(s, s->combat_out, REPAIR_QUEUE_RESERVE);
}

/* ---- scores ---- */

static void send_team_scores(sb_server *s)
{
    for (uint8_t team = 0; team < 2; team++) {
        *s->combat_out = (sb_message){ .opcode = SB_OP_TEAM_SCORE };
        sb_match_team_score(&s->match, team, &s->combat_out->as.team_score);
        sb_server_send_in_game(s, s->combat_out);
    }
}

void sb_server_report_score(const sb_server *s, uint8_t peer_id)
{
    const sb_match_row *row = sb_match_find(&s->match, peer_id);
    const sb_player    *p = sb_server_find_player(s, peer_id);
    if (!row) return;
    sb_server_event event = sb_server_event_about(s, SB_SERVER_SCORE, p);
    event.value = row->score;
    event.kills = row->kills;
    event.deaths = row->deaths;
    sb_server_report(s, &event, p);
}

/* The last attacker gets the kill if the owner gives the ship up. */
static void remember_hit(const sb_server *s, sb_object *victim, const sb_combat_event *e)
{
    if (e->attacker == 0 || e->attacker == victim->owner) return;
    victim->hit_by = e->attacker;
    victim->hit_by_ship = e->attacker_ship;
    victim->hit_at = s->now;
}

static void add_hit_to_score(sb_server *s, const sb_combat_event *e)
{
    sb_object *victim = sb_server_find_object(s, e->object_id);
    if (victim) remember_hit(s, victim, e);
    sb_object *attacker = sb_server_find_object(s, e->attacker_ship);
    bool       weapon =
        e->cause == SB_DAMAGE_BEAM || e->cause == SB_DAMAGE_BOLT || e->cause == SB_DAMAGE_TORPEDO;
    if (!victim || e->attacker == 0 || !weapon) return;
    uint8_t by = attacker && attacker->ship.model ? attacker->ship.model->modifier_class : 1;
    uint8_t of = victim->ship.model ? victim->ship.model->modifier_class : 1;
    sb_match_hit(&s->match, e->attacker, by, victim->owner, e->object_id, of, e->amount,
                 e->shields);
}

/* ---- death: ObjectExploding, then SCORE_CHANGE, then the teams' scores (spec 08 §16) ---- */

/* Reports every player whose score changed. */
static void report_scores(const sb_server *s, const sb_score_change *change)
{
    sb_server_report_score(s, (uint8_t)change->victim);
    if (change->killer) sb_server_report_score(s, (uint8_t)change->killer);
    for (size_t i = 0; i < change->entry_count; i++)
        sb_server_report_score(s, (uint8_t)change->entries[i].player);
}

/* The sort key of an attacker. Players who left come last. */
static int slot_of(const sb_server *s, int32_t peer_id)
{
    const sb_player *p = sb_server_find_player(s, (uint8_t)peer_id);
    return p ? (int)(p - s->players) : SB_SERVER_PLAYERS_MAX;
}

/* Sorts the other attackers by ascending slot (spec 12 #13). */
static void sort_by_slot(const sb_server *s, sb_score_change *change)
{
    for (size_t i = 1; i < change->entry_count; i++)
        for (size_t at = i; at > 0; at--) {
            sb_score_entry *a = &change->entries[at - 1], *b = &change->entries[at];
            if (slot_of(s, a->player) <= slot_of(s, b->player)) break;
            sb_score_entry swapped = *a;
            *a = *b;
            *b = swapped;
        }
}

static void send_score_change(sb_server *s, const sb_object *o, uint8_t killer)
{
    sb_score_change *change = &s->combat_out->as.score_change;
    *s->combat_out = (sb_message){ .opcode = SB_OP_SCORE_CHANGE };
    if (!sb_match_death(&s->match, o->owner, o->object_id, killer, change)) return;
    sort_by_slot(s, change);
    sb_server_send_in_game(s, s->combat_out);
    report_scores(s, change);
    if (s->match.config.mode->teams) send_team_scores(s);
}

/* To all in the game but `except` (may be NULL). */
static void send_exploding(sb_server *s, const sb_combat_event *e, uint8_t killer,
                           const sb_player *except)
{
    sb_event *out = init_event(s, SB_EVENT_OBJECT_EXPLODING, SB_CODE_OBJECT_EXPLODING);
    out->source = killer ? e->attacker_ship : 0;
    out->destination = e->object_id;
    out->killer = killer;
    out->lifetime = e->lifetime;
    for (size_t i = 0; i < s->capacity; i++)
        if (&s->players[i] != except && sb_player_is_in_game(&s->players[i]))
            sb_server_send(s, &s->players[i], s->combat_out);
}

/* A ship that its own player destroyed has no killer (spec 09 §11). */
static void announce_death(sb_server *s, sb_object *o, const sb_combat_event *e,
                           const sb_player *except)
{
    o->exploding = true;
    sb_backlog_forget_object(&s->backlog, o->object_id);
    o->died_at = s->now;
    SB_COUNT(s->counters, SB_SERVER_COUNT_DEATHS);
    uint8_t         killer = e->attacker == o->owner ? 0 : e->attacker;
    sb_player      *p = sb_server_find_player(s, o->owner);
    sb_player      *by = killer ? sb_server_find_player(s, killer) : NULL;
    sb_server_event event = sb_server_event_about(s, SB_SERVER_KILLED, p);
    event.object_id = e->object_id;
    event.other = killer;
    event.other_house = by && sb_server_is_house(s, by);
    event.cause = e->cause;
    sb_server_report(s, &event, p);
    if (p) sb_server_delay_arms(s, p);
    send_exploding(s, e, killer, except);
    send_score_change(s, o, killer);
}

static void handle_death(sb_server *s, const sb_combat_event *e)
{
    sb_object *o = sb_server_find_object(s, e->object_id);
    if (o) announce_death(s, o, e, NULL);
}

bool sb_server_was_just_hit(const sb_server *s, const sb_object *o)
{
    return o->hit_by && s->now - o->hit_at <= HIT_MEMORY_SECONDS * SB_SECOND;
}

void sb_server_give_up_ship(sb_server *s, sb_object *o)
{
    bool            hit = sb_server_was_just_hit(s, o);
    sb_combat_event e = { .object_id = o->object_id,
                          .cause = SB_DAMAGE_SELF_DESTRUCT,
                          .attacker = hit ? o->hit_by : 0,
                          .attacker_ship = hit ? o->hit_by_ship : 0,
                          .lifetime = s->config.combat.constants.explosion_lifetime };
    announce_death(s, o, &e, sb_server_find_player(s, o->owner));
}

static void mark_gone(sb_server *s, uint32_t object_id)
{
    sb_object *o = sb_server_find_object(s, object_id);
    if (!o) return;
    o->gone = true;
    s->has_gone_objects = true;
}

static void report_combat_event(sb_server *s, const sb_combat_event *e)
{
    const sb_object *o = sb_server_find_object(s, e->object_id);
    const sb_player *p = o ? sb_server_find_player(s, o->owner) : NULL;
    sb_server_event  event = sb_server_event_about(s, SB_SERVER_COMBAT, p);
    event.object_id = e->object_id;
    event.other = e->attacker;
    event.cause = e->cause;
    event.combat = e;
    sb_server_report(s, &event, p);
}

static void report_implausible(sb_server *s, const sb_combat_event *e)
{
    sb_server_report_implausible(s, sb_server_find_player(s, e->attacker), (sb_implausible)e->index,
                                 (double)e->claimed, (double)e->possible);
}

static bool flies_mod_ship(const sb_server *s, uint8_t peer_id)
{
    const sb_player *p = sb_server_find_player(s, peer_id);
    return p && p->ship && p->ship->mod_ship && !p->ship->exploding;
}

/* Weapons of a player who flies a ship without a model do nothing, shots in flight included.
 * Without friendly_fire the weapons of a player do no damage to ships of the player's team, aimed
 * at or hit by chance (spec 09 §10). They still damage the player's own ship. */
bool sb_server_has_hit_effect(const void *server, uint8_t attacker, uint8_t owner)
{
    const sb_server *s = server;
    if (flies_mod_ship(s, attacker)) return false;
    return s->config.friendly_fire || attacker == owner ||
           !sb_match_same_team(&s->match, attacker, owner);
}

void sb_server_on_combat(void *server, const sb_combat_event *e)
{
    sb_server *s = server;
    if (s->config.trace_damage) report_combat_event(s, e);
    if (e->type == SB_COMBAT_HIT) add_hit_to_score(s, e);
    else if (e->type == SB_COMBAT_EXPLODING) handle_death(s, e);
    else if (e->type == SB_COMBAT_GONE) mark_gone(s, e->object_id);
    else if (e->type == SB_COMBAT_IMPLAUSIBLE) report_implausible(s, e);
    else if (e->type == SB_COMBAT_REPAIR_ADDED || e->type == SB_COMBAT_REPAIR_COMPLETED ||
             e->type == SB_COMBAT_REPAIR_IMPOSSIBLE)
        send_repair(s, e);
}
