/* src/server/lanes.c -- the StateUpdates that a room sends, built from its own copy of every ship.
 *
 * For:      server.c. A player's StateUpdate is never forwarded: relay.c applies it to the room's
 *           copy of the ship, and each receiver gets an update of its own here, at once or in one
 *           of the next turns.
 * Never:    sends reliably: a lost update is replaced by the next one.
 * Spec:     03 §17.
 * Tests:    tests/server/lanes_test.c; relay_test.c, rules_test.c, sim_test.c (lossy links)
 */
#include "server/server_internal.h"

#include "base/assert.h"
#include "ship/vectors.h"

sb_time sb_server_lane_interval(const sb_server_config *c)
{
    sb_time interval = (sb_time)((double)c->combat.constants.health_interval * 1e6 + 0.5);
    return interval < UPDATE_INTERVAL_MIN_US ? UPDATE_INTERVAL_MIN_US : interval;
}

/* Gives the replica the current position of each ship that is due, by dead reckoning. */
static void place_ships(sb_server *s)
{
    for (size_t i = 0; i < s->object_top; i++) {
        const sb_object *o = &s->objects[i];
        if (o->object_id && o->tracked && sb_replica_is_due(s->replica, o->object_id, s->now))
            sb_replica_place(s->replica, o->object_id,
                             sb_receiver_estimate(&o->receiver, &o->ship, s->now));
    }
}

/* ---- intervals by distance (spec 03 §8): 20, 40 and 60 km of the game's display ---- */

enum { CROWD = 5 }; /* from this many players on, the interval is a quarter longer */

static sb_replica_pace pace_at(float distance)
{
    static const struct {
        float           from;
        sb_replica_pace pace;
    } rows[] = {
        { 343.0f, SB_REPLICA_SILENT },
        { 228.0f, SB_REPLICA_EVERY_5_TICKS },
        { 114.0f, SB_REPLICA_EVERY_2_TICKS },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (distance >= rows[i].from) return rows[i].pace;
    return SB_REPLICA_EVERY_TICK;
}

/* A player without a ship, or with one in another set, has no distance and gets every update. A
 * ship beyond the last limit sends nothing; its next update, when it is nearer, is a full one.
 * Reliable messages about it (shots, death, creation, scores) do not depend on the distance. */
static sb_replica_pace pace_for(const sb_server *s, const sb_player *p, const sb_object *o)
{
    if (!s->config.lane_distance || !p->ship || !sb_server_is_same_set(p->ship, o))
        return SB_REPLICA_EVERY_TICK;
    sb_vec3 here = sb_receiver_estimate(&p->ship->receiver, &p->ship->ship, s->now);
    sb_vec3 there = sb_receiver_estimate(&o->receiver, &o->ship, s->now);
    return pace_at(sb_v_length(sb_v_sub(there, here)));
}

static void pace_ship(sb_server *s, const sb_object *o)
{
    for (size_t i = 0; i < s->capacity; i++) {
        const sb_player *p = &s->players[i];
        if (sb_player_is_in_game(p))
            sb_replica_set_pace(s->replica, o->object_id, p->peer_id, pace_for(s, p, o));
    }
}

/* Longer in a crowd, and when the machine has too much to do. */
sb_time sb_server_state_interval(const sb_server *s)
{
    static const double factors[] = { [SB_LOAD_NORMAL] = 1,
                                      [SB_LOAD_SHARED] = 1,
                                      [SB_LOAD_HALF] = 2,
                                      [SB_LOAD_THIRD] = 10.0 / 3,
                                      [SB_LOAD_CLOSED] = 10.0 / 3 };
    sb_time             interval = sb_server_lane_interval(&s->config);
    if (s->config.lane_distance && sb_server_player_count(s) >= CROWD) interval = interval * 5 / 4;
    return (sb_time)((double)interval * factors[s->load]);
}

void sb_server_set_load(sb_server *s, sb_server_load load)
{
    SB_ASSERT(load <= SB_LOAD_CLOSED);
    s->load = load;
    sb_replica_set_interval(s->replica, sb_server_state_interval(s));
    sb_replica_set_wait(s->replica, load >= SB_LOAD_SHARED ? SHARED_WAIT_US : 0);
    sb_transport_host_set_closed(s->transport, load == SB_LOAD_CLOSED);
}

sb_server_load sb_server_current_load(const sb_server *s)
{
    return s->load;
}

/* Runs once more after lane_distance was switched off, to undo its paces. */
static void pace_lanes(sb_server *s)
{
    bool on = s->config.lane_distance;
    if (!on && !s->lanes_paced) return;
    s->lanes_paced = on;
    sb_replica_set_interval(s->replica, sb_server_state_interval(s));
    for (size_t i = 0; i < s->object_top; i++)
        if (s->objects[i].object_id && s->objects[i].tracked) pace_ship(s, &s->objects[i]);
}

/* ---- health blocks ---- */

/* The rule that one analysis gives for a stock host (spec 03 §7). */
static bool is_health_rare(const sb_server *s)
{
    return s->config.throttle_health && s->config.throttle_bit && sb_server_player_count(s) > 1;
}

/* ---- lossy links ---- */

/* A link is lossy for a while after each retransmission to the player. */
static void update_lossy(sb_server *s, sb_player *p)
{
    sb_peer_info info;
    if (!sb_transport_host_peer(s->transport, p->peer_id, &info)) return;
    if (info.retransmitted > p->retransmitted)
        p->lossy_until = s->now + LOSSY_LINK_SECONDS * SB_SECOND;
    p->retransmitted = info.retransmitted;
    bool lossy = s->now < p->lossy_until;
    if (lossy != p->lossy) sb_replica_set_lossy(s->replica, p->peer_id, lossy);
    p->lossy = lossy;
}

/* Players on lossy links need full updates more often (spec 03 §17). Checked once a second. */
static void update_lossy_links(sb_server *s)
{
    if (s->now < s->losses_checked_next) return;
    s->losses_checked_next = s->now + SB_SECOND;
    for (size_t i = 0; i < s->capacity; i++)
        if (sb_player_is_in_game(&s->players[i])) update_lossy(s, &s->players[i]);
}

/* ---- sending ---- */

/* Fills `ids` with the peer ids of all players in the game and returns their number. */
static size_t list_receivers(const sb_server *s, uint8_t ids[SB_SERVER_PLAYERS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < s->capacity; i++)
        if (sb_player_is_in_game(&s->players[i])) ids[count++] = s->players[i].peer_id;
    return count;
}

void sb_server_advance_lanes(sb_server *s)
{
    uint8_t            ids[SB_SERVER_PLAYERS_MAX];
    sb_replica_message m;
    if (sb_replica_next_deadline(s->replica) > s->now) return;
    update_lossy_links(s);
    place_ships(s);
    pace_lanes(s);
    sb_replica_set_rare_health(s->replica, is_health_rare(s));
    size_t count = list_receivers(s, ids);
    while (sb_replica_next(s->replica, s->now, sb_server_clock(s), &m)) {
        for (size_t i = 0; i < count; i++) {
            if (!(m.peers.bits[ids[i] / 64] >> ids[i] % 64 & 1)) continue;
            (void)!sb_transport_host_send(s->transport, ids[i], SB_UNRELIABLE, m.bytes);
            SB_COUNT(s->counters, SB_SERVER_COUNT_STATE_OUT);
        }
    }
}
