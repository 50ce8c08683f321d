/* src/server/lanes.c -- the StateUpdates that a room sends, built from its own copy of every ship.
 *
 * For:      server.c, once per tick. A player's StateUpdate is never forwarded: relay.c applies it
 *           to the room's copy of the ship, and each receiver gets an update of its own here.
 * Never:    sends reliably: a lost update is replaced by the next one.
 * Spec:     03 §17.
 * Tests:    tests/server/relay_test.c, rules_test.c, sim_test.c (lossy links)
 */
#include "server/server_internal.h"

/* Gives the replica the current position of each ship, by dead reckoning. */
static void place_ships(sb_server *s)
{
    for (size_t i = 0; i < OBJECTS_MAX; i++) {
        const sb_object *o = &s->objects[i];
        if (o->object_id && o->tracked)
            sb_replica_place(s->replica, o->object_id,
                             sb_receiver_estimate(&o->receiver, &o->ship, s->now));
    }
}

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
    for (size_t i = 0; i < SB_SERVER_PLAYERS_MAX; i++)
        if (sb_player_is_in_game(&s->players[i])) update_lossy(s, &s->players[i]);
}

void sb_server_advance_lanes(sb_server *s)
{
    if (sb_replica_next_deadline(s->replica) > s->now) return;
    update_lossy_links(s);
    place_ships(s);
    sb_replica_message message;
    while (sb_replica_next(s->replica, s->now, sb_server_clock(s), &message)) {
        for (size_t i = 0; i < SB_SERVER_PLAYERS_MAX; i++) {
            const sb_player *p = &s->players[i];
            if (!sb_player_is_in_game(p) || !sb_peer_mask_has(&message.peers, p->peer_id)) continue;
            (void)!sb_transport_host_send(s->transport, p->peer_id, SB_UNRELIABLE, message.bytes);
            SB_COUNT(s->counters, SB_SERVER_COUNT_STATE_OUT);
        }
    }
}
