/* src/client/check.c -- the invariants of a headless player.
 *
 * For:      tests, the simulator and the fuzz harness, after every step (client/testing.h).
 * Never:    changes the client, or runs in a program.
 * Tests:    tests/client/client_rig.c calls it after every step of every client test.
 */
#include "client/testing.h"

#include "base/assert.h"
#include "base/bytes.h"
#include "client/client_internal.h"
#include "transport/testing.h"

#include <string.h>

/* ---- the join ---- */

static void check_join(const sb_client *c)
{
    bool in_game = c->phase == SB_CLIENT_LOBBY || c->phase == SB_CLIENT_FLYING;
    SB_ASSERT(c->phase <= SB_CLIENT_OVER);
    SB_ASSERT(c->phase != SB_CLIENT_CONNECTING || c->id == SB_PEER_NONE);
    SB_ASSERT(c->id != SB_PEER_NONE || c->phase == SB_CLIENT_CONNECTING ||
              c->phase == SB_CLIENT_OVER);
    SB_ASSERT(c->phase != SB_CLIENT_OVER || c->leaving);
    SB_ASSERT(c->phase != SB_CLIENT_LOADING || c->has_settings);
    SB_ASSERT(!in_game || (c->has_settings && c->has_mission));
    SB_ASSERT(!in_game || c->ready_at == SB_TIME_NEVER);
}

static void check_settings(const sb_client *c)
{
    uint32_t slot = c->settings.slot;
    SB_ASSERT(sb_bits_finite(sb_float_bits(sb_client_game_time(c, c->now))));
    if (!c->has_settings) return;
    SB_ASSERT(slot < SB_SLOTS);
    SB_ASSERT(c->settings_at <= c->now);
    SB_ASSERT(c->settings.map.data == c->map);
    SB_ASSERT(c->settings.map.size <= sizeof c->map);
    SB_ASSERT(c->next_id >= sb_slot_first_id(slot));
    SB_ASSERT(c->next_id <= sb_slot_first_id(slot + 1)); /* equal: the next id starts over */
}

/* ---- ships ---- */

static void check_motion(const sb_motion *motion)
{
    const float numbers[] = { motion->position.x, motion->position.y, motion->position.z,
                              motion->forward.x,  motion->forward.y,  motion->forward.z,
                              motion->up.x,       motion->up.y,       motion->up.z,
                              motion->speed };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        SB_ASSERT(sb_bits_finite(sb_float_bits(numbers[i])));
}

static void check_ship(const sb_ship *ship)
{
    const sb_ship_class *model = ship->model;
    SB_ASSERT(ship->object_id != 0);
    SB_ASSERT(ship->object_id != UINT32_MAX);
    check_motion(&ship->motion);
    for (unsigned i = 0; model && i < model->subsystem_count; i++) {
        SB_ASSERT(ship->condition[i] >= 0.0f);
        SB_ASSERT(ship->condition[i] <= model->subsystems[i].max_condition);
    }
}

/* Dead reckoning stays within the limits of sb_clamp_position. */
static void check_estimate(const sb_client *c, const sb_seen_ship *row)
{
    sb_vec3 at = sb_client_position(c, row, c->now + SB_SECOND);
    SB_ASSERT(at.x >= -1e7f && at.x <= 1e7f);
    SB_ASSERT(at.y >= -1e7f && at.y <= 1e7f);
    SB_ASSERT(at.z >= -1e7f && at.z <= 1e7f);
}

/* A wreck fires nothing. */
static void check_firing(const sb_seen_ship *row)
{
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++) SB_ASSERT(!row->firing[i] || !row->exploding);
}

/* A wreck neither warps nor is repaired. Each part is in the queue once. */
static void check_ship_events(const sb_seen_ship *row)
{
    SB_ASSERT(memchr(row->warp_set, 0, sizeof row->warp_set) != NULL);
    SB_ASSERT(!row->exploding || (row->warp_until == 0 && row->repair_count == 0));
    SB_ASSERT(row->volume_count <= SB_CLIENT_VOLUMES);
    SB_ASSERT(row->repair_count <= SB_CLIENT_REPAIRS);
    for (unsigned i = 0; i < row->repair_count; i++) {
        SB_ASSERT(row->repairs[i] != 0);
        for (unsigned k = 0; k < i; k++) SB_ASSERT(row->repairs[k] != row->repairs[i]);
    }
}

static void check_ship_row(const sb_client *c, unsigned index)
{
    const sb_seen_ship *row = &c->rows[index];
    SB_ASSERT(memchr(row->name, 0, sizeof row->name) != NULL);
    SB_ASSERT(memchr(row->set_name, 0, sizeof row->set_name) != NULL);
    SB_ASSERT(row->own == (c->own_index == (int)index));
    SB_ASSERT(row->receiver.role == (row->own ? SB_RECEIVE_OWN : SB_RECEIVE_OTHER));
    SB_ASSERT(row->peer_id == 0 || sb_client_is_player_id(row->peer_id));
    SB_ASSERT(sb_client_find_ship(c, row->ship.object_id) == row); /* each id once */
    SB_ASSERT(c->row_order[index] < c->created_count);
    check_ship(&row->ship);
    check_estimate(c, row);
    check_firing(row);
    check_ship_events(row);
}

static void check_ship_rows(const sb_client *c)
{
    for (unsigned i = 0; i < SB_CLIENT_SHIPS; i++)
        if (c->rows[i].used) check_ship_row(c, i);
}

/* After the end of the session the own ship keeps its last state. */
static void check_own_ship(const sb_client *c)
{
    SB_ASSERT(c->own_index >= -1 && c->own_index < SB_CLIENT_SHIPS);
    SB_ASSERT((c->phase == SB_CLIENT_FLYING) == (c->own_index >= 0) || c->phase == SB_CLIENT_OVER);
    SB_ASSERT((c->update_at != SB_TIME_NEVER) == (c->own_index >= 0));
    if (c->own_index < 0) return;
    const sb_seen_ship *own = &c->rows[c->own_index];
    SB_ASSERT(own->used);
    SB_ASSERT(own->own);
    SB_ASSERT(own->peer_id == c->id);
    SB_ASSERT(sb_slot_of_id(own->ship.object_id) == c->settings.slot);
    SB_ASSERT(c->frame.object_id == own->ship.object_id);
    SB_ASSERT(c->lane.role == SB_LANE_TO_HOST);
    SB_ASSERT(!c->game_over);
    SB_ASSERT(!c->answered || c->answered_at <= c->now);
}

static void check_requests(const sb_client *c)
{
    for (unsigned i = 0; i < SB_CLIENT_REQUESTS_MAX; i++) {
        if (c->requests[i].object_id == 0) continue;
        SB_ASSERT(c->requests[i].at <= c->now);
        for (unsigned k = 0; k < i; k++)
            SB_ASSERT(c->requests[k].object_id != c->requests[i].object_id);
    }
}

/* ---- players ---- */

static void check_players(const sb_client *c)
{
    for (unsigned i = 0; i < SB_CLIENT_PLAYERS; i++) {
        const sb_seen_player *row = &c->players[i];
        if (!row->used) continue;
        SB_ASSERT(sb_client_is_player_id(row->peer_id));
        SB_ASSERT(memchr(row->name, 0, sizeof row->name) != NULL);
        SB_ASSERT(sb_client_find_player(c, row->peer_id) == row); /* each id once */
    }
    SB_ASSERT(c->id == SB_PEER_NONE || sb_client_find_player(c, c->id) != NULL);
    SB_ASSERT(c->id == SB_PEER_NONE || c->name.size > 0);
}

void sb_client_check(const sb_client *c)
{
    SB_ASSERT(c->reporting == 0);
    check_join(c);
    check_settings(c);
    check_ship_rows(c);
    check_own_ship(c);
    check_requests(c);
    check_players(c);
    sb_transport_client_check(c->transport);
}
