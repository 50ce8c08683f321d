/* src/client/pilot_look.c -- the view of a pilot: contacts, teams, own health, probable attacker.
 *
 * For:      pilot.c, at every decision.
 * Never:    uses anything that a player in front of the game could not see.
 * Tests:    tests/client/pilot_look_test.c, pilot_test.c
 */
#include "client/pilot_internal.h"

#include <starbase/message_join.h>

#include "base/assert.h"

#include <string.h>

enum { MAP_BYTES = 96 };

sb_pilot_axes sb_pilot_turn_axes(sb_pilot_axes frame, sb_vec3 from, sb_vec3 to)
{
    sb_vec3 k = sb_v_cross(from, to);
    float   c = sb_v_dot(from, to);
    if (c < -0.999f) { /* half a turn, about any perpendicular axis */
        sb_vec3 axis = sb_v_unit(sb_v_cross(from, frame.up), frame.forward);
        sb_vec3 f =
            sb_v_along(sb_v_scale(frame.forward, -1), axis, 2 * sb_v_dot(axis, frame.forward));
        sb_vec3 u = sb_v_along(sb_v_scale(frame.up, -1), axis, 2 * sb_v_dot(axis, frame.up));
        return (sb_pilot_axes){ f, u };
    }
    sb_vec3 axes[2] = { frame.forward, frame.up };
    for (int i = 0; i < 2; i++) { /* v + k x v + k x (k x v) / (1 + c) */
        sb_vec3 once = sb_v_cross(k, axes[i]);
        axes[i] = sb_v_along(sb_v_add(axes[i], once), sb_v_cross(k, once), 1.0f / (1.0f + c));
    }
    return (sb_pilot_axes){ axes[0], axes[1] };
}

sb_vec3 sb_pilot_random_direction(sb_pilot *pilot)
{
    for (int i = 0; i < 16; i++) {
        sb_vec3 v;
        v.x = sb_pilot_random_unit(pilot) * 2 - 1;
        v.y = sb_pilot_random_unit(pilot) * 2 - 1;
        v.z = sb_pilot_random_unit(pilot) * 2 - 1;
        float length = sb_v_length(v);
        if (length > 0.1f && length <= 1) return sb_v_scale(v, 1.0f / length);
    }
    return (sb_vec3){ 0, 1, 0 };
}

unsigned sb_pilot_facing_of(sb_vec3 v)
{
    static const uint8_t facings[SB_FACINGS] = { 0, 2, 5, 1, 3, 4 };
    float                values[SB_FACINGS] = { v.y, v.z, v.x, -v.y, -v.z, -v.x };
    unsigned             best = 0;
    for (unsigned i = 1; i < SB_FACINGS; i++)
        if (values[i] > values[best]) best = i;
    return facings[best];
}

/* ---- teams ---- */

bool sb_pilot_plays_in_teams(const sb_client *client)
{
    const sb_settings *settings = sb_client_settings(client);
    char               map[MAP_BYTES];
    if (settings->map.size == 0 || settings->map.size >= sizeof map) return false;
    memcpy(map, settings->map.data, settings->map.size);
    map[settings->map.size] = '\0';
    const sb_mode *mode = sb_find_mode(map);
    return mode && mode->teams;
}

uint8_t sb_pilot_own_team(const sb_pilot *pilot, const sb_client *client)
{
    const sb_seen_player *me = sb_client_find_player(client, sb_client_id(client));
    return me && me->team != SB_NO_TEAM ? me->team : pilot->team_sent;
}

static uint8_t team_of(const sb_client *client, uint8_t peer_id)
{
    const sb_seen_player *player = sb_client_find_player(client, peer_id);
    return player ? player->team : SB_NO_TEAM;
}

/* ---- our own ship ---- */

static unsigned find_type(const sb_ship_class *model, sb_subsystem_type type)
{
    for (unsigned i = 0; i < model->subsystem_count; i++)
        if (model->subsystems[i].type == type) return i;
    return model->subsystem_count;
}

/* Power per second that all active systems want. Tractor beams are unused, and the cloak uses the
 * backup battery (spec 10 §4.4). */
static float total_power_wanted(const sb_ship *ship)
{
    float sum = 0;
    for (unsigned i = 0; i < ship->model->subsystem_count; i++) {
        const sb_subsystem_class *s = &ship->model->subsystems[i];
        if (!ship->on[i] || !(s->power_per_second > 0)) continue;
        if (s->type == SB_SUBSYSTEM_TRACTOR_SYSTEM || s->type == SB_SUBSYSTEM_CLOAK) continue;
        sum += s->power_per_second * ship->power_wanted[i];
    }
    return sum;
}

float sb_pilot_efficiency(const sb_ship *ship)
{
    const sb_ship_class *model = ship->model;
    unsigned             reactor = find_type(model, SB_SUBSYSTEM_POWER);
    float health = reactor < model->subsystem_count ? sb_ship_ratio(ship, reactor) : 1;
    float main = model->main_conduit * health, backup = model->backup_conduit;
    if (ship->main_battery < main) main = ship->main_battery;
    if (ship->backup_battery < backup) backup = ship->backup_battery;
    float wanted = total_power_wanted(ship), there = main + backup;
    return wanted > there && wanted > 0 ? there / wanted : 1;
}

/* The bounding radius; 8 for a species without data (a ship of a mod, or a station). */
float sb_pilot_radius(const sb_ship *ship)
{
    return ship->model && ship->model->bound_radius > 0 ? ship->model->bound_radius : 8;
}

static float worst_critical_ratio(const sb_ship *ship)
{
    float worst = 1;
    for (unsigned i = 0; i < ship->model->subsystem_count; i++) {
        float ratio = sb_ship_ratio(ship, i);
        if (ship->model->subsystems[i].critical && ratio < worst) worst = ratio;
    }
    return worst;
}

static float shield_ratio(const sb_ship *ship)
{
    float sum = 0, most = 0;
    for (unsigned i = 0; i < SB_FACINGS; i++) {
        sum += ship->facing[i];
        most += ship->model->shield_max[i];
    }
    return most > 0 ? sum / most : 0;
}

/* ---- contacts ---- */

static void add_contact(const sb_pilot *pilot, sb_view *view, const sb_seen_ship *seen,
                        uint8_t team)
{
    SB_ASSERT(view->count < SB_CLIENT_SHIPS);
    sb_contact *c = &view->contacts[view->count];
    c->seen = seen;
    c->position = sb_client_position(view->client, seen, view->now);
    c->velocity = sb_v_scale(seen->ship.motion.forward, seen->ship.motion.speed);
    c->offset = sb_v_sub(c->position, pilot->position);
    c->distance = sb_v_length(c->offset);
    c->radius = sb_pilot_radius(&seen->ship);
    if (!(c->distance < 1e6f) || !(sb_v_length(c->velocity) < 1e4f)) return; /* rejects NaN, too */

    uint8_t theirs = team_of(view->client, seen->peer_id);
    bool    known = team != SB_NO_TEAM && theirs != SB_NO_TEAM;
    c->visible = !seen->ship.cloaked;
    c->mate = view->teams && (!known || theirs == team); /* unknown teams count as friends */
    c->foe = seen->peer_id != 0 && !seen->exploding && c->visible && !c->mate;
    view->count++;
}

void sb_pilot_build_view(sb_pilot *pilot, const sb_client *client, const sb_seen_ship *own,
                         sb_time now, sb_view *out)
{
    *out = (sb_view){ .client = client, .own = own, .ship = &own->ship, .now = now };
    out->model = own->ship.model;
    out->efficiency = sb_pilot_efficiency(out->ship);
    out->speed_limit = sb_ship_speed_limit(out->ship, out->efficiency, 0);
    out->hull = worst_critical_ratio(out->ship);
    out->shields = shield_ratio(out->ship);
    out->range = sb_pilot_fighting_range(out->model);
    out->teams = sb_pilot_plays_in_teams(client);
    uint8_t team = sb_pilot_own_team(pilot, client);
    for (unsigned i = 0; i < SB_CLIENT_SHIPS; i++) {
        const sb_seen_ship *seen = sb_client_ship(client, i);
        if (!seen || !seen->used || seen->own || seen == own) continue;
        if (!sb_client_can_meet(seen, own, now)) continue; /* in another set, or warping */
        add_contact(pilot, out, seen, team);
    }
}

const sb_contact *sb_pilot_find_contact(const sb_view *view, uint32_t object_id)
{
    for (unsigned i = 0; i < view->count; i++)
        if (view->contacts[i].seen->ship.object_id == object_id) return &view->contacts[i];
    return NULL;
}

/* ---- hits ---- */

static bool is_firing(const sb_seen_ship *seen)
{
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++)
        if (seen->firing[i]) return true;
    return false;
}

/* No message names the shooter (spec 10 §1). The guess: the nearest foe on the side that was hit,
 * preferably one that is firing. */
static void guess_attacker(sb_pilot *pilot, const sb_view *view, unsigned facing)
{
    float best = 1e9f;
    for (unsigned i = 0; i < view->count; i++) {
        const sb_contact *c = &view->contacts[i];
        if (!c->foe) continue;
        sb_vec3 local = sb_pilot_to_local(sb_pilot_axes_of(pilot), c->offset);
        float   penalty = c->distance;
        if (facing < SB_FACINGS && sb_pilot_facing_of(local) != facing) penalty += 200;
        if (!is_firing(c->seen)) penalty += 50;
        if (penalty >= best) continue;
        best = penalty;
        pilot->attacker = c->seen->ship.object_id;
    }
    pilot->attacked_at = view->now;
}

void sb_pilot_detect_hits(sb_pilot *pilot, const sb_view *view)
{
    const sb_ship *ship = view->ship;
    unsigned       facing = SB_FACINGS;
    float          worst = 0.006f; /* a share of the facing; one step of the wire code is smaller */
    for (unsigned i = 0; i < SB_FACINGS; i++) {
        float most = view->model->shield_max[i];
        float lost = most > 0 ? (pilot->felt[i] - ship->facing[i]) / most : 0;
        pilot->felt[i] = ship->facing[i];
        if (lost <= worst) continue;
        worst = lost;
        facing = i;
    }
    bool wounded = pilot->felt_hull - view->hull > 0.006f;
    pilot->felt_hull = view->hull;
    if (facing < SB_FACINGS || wounded) guess_attacker(pilot, view, facing);
}
