/* tests/replica/replica_test.c -- a host's lanes: who gets which message, when, and that all who
 * were told the same share one. Spec 03 §7, §8, §17.
 */
#include "rig.h"

#include <starbase/message.h>

#include "replica/testing.h"

#include <stdlib.h>
#include <string.h>

enum { SHIPS_MAX = 8, TOLD_MAX = 64, PEERS = 6 };

/* One message of a tick. */
typedef struct told {
    uint32_t        object_id;
    sb_peer_mask    peers;
    sb_state_update update;
    uint8_t         bytes[RIG_BYTES];
    size_t          size;
} told;

typedef struct replica_rig {
    sb_replica_config config;
    sb_replica       *replica;
    void             *memory;
    sb_time           now;
    sb_ship           ships[SHIPS_MAX];
    unsigned          ship_count;
    told              told[TOLD_MAX];
    unsigned          told_count;
} replica_rig;

static replica_rig the_rig;

static replica_rig *open_with(const sb_lane_options *lanes)
{
    replica_rig *r = &the_rig;
    free(r->memory);
    memset(r, 0, sizeof *r);
    r->config.max_ships = SHIPS_MAX;
    r->config.lanes = *lanes;
    size_t size = sb_replica_bytes(&r->config);
    r->memory = malloc(size);
    CHECK(r->memory);
    memset(r->memory, 0xA5, size); /* nothing may depend on what was there */
    r->replica = sb_replica_init(r->memory, &r->config);
    r->now = 100 * SB_SECOND;
    return r;
}

static replica_rig *open_stock(void)
{
    sb_lane_options o;
    sb_lane_options_stock(&o);
    return open_with(&o);
}

static replica_rig *open_default(void)
{
    sb_lane_options o;
    sb_lane_options_default(&o);
    return open_with(&o);
}

static sb_ship *add_ship(replica_rig *r, uint8_t species, unsigned owner)
{
    sb_ship *ship = &r->ships[r->ship_count];
    sb_ship_init(ship, species ? sb_find_ship(sb_stock_ships(), species) : NULL,
                 species ? species : 200, sb_slot_first_id(r->ship_count));
    r->ship_count++;
    CHECK_EQ(sb_replica_add_ship(r->replica, ship, owner, r->now), SB_OK);
    sb_replica_check(r->replica);
    return ship;
}

static void decode(replica_rig *r, told *t)
{
    sb_message         m;
    sb_message_context context = { 0 };
    for (unsigned i = 0; i < r->ship_count; i++)
        if (r->ships[i].object_id == t->object_id) context.ship = r->ships[i].model;
    CHECK_EQ(sb_decode_message((sb_span){ t->bytes, t->size }, &context, &m, NULL), SB_OK);
    t->update = m.as.state_update;
    CHECK_EQ(t->update.object_id, t->object_id);
}

/* Takes all messages that are due. */
static unsigned take(replica_rig *r)
{
    sb_replica_message m;
    sb_replica_check(r->replica);
    r->told_count = 0;
    while (sb_replica_next(r->replica, r->now, (float)((double)r->now / 1e6), &m)) {
        CHECK(r->told_count < TOLD_MAX);
        told *t = &r->told[r->told_count++];
        t->object_id = m.object_id;
        t->peers = m.peers;
        t->size = m.bytes.size;
        CHECK(m.bytes.size <= sizeof t->bytes);
        memcpy(t->bytes, m.bytes.data, m.bytes.size);
        decode(r, t);
        sb_replica_check(r->replica);
    }
    sb_replica_check(r->replica);
    return r->told_count;
}

/* The next tick, and all its messages. */
static unsigned tick(replica_rig *r)
{
    r->now += RIG_TICK;
    return take(r);
}

static unsigned mask_count(const sb_peer_mask *mask)
{
    unsigned count = 0;
    for (unsigned i = 0; i < SB_REPLICA_PEERS; i++) count += sb_peer_mask_has(mask, i);
    return count;
}

/* What a peer is told of a ship in the last tick; NULL: nothing. Fails if it is told twice. */
static const told *told_to(const replica_rig *r, const sb_ship *ship, unsigned peer)
{
    const told *found = NULL;
    for (unsigned i = 0; i < r->told_count; i++) {
        if (r->told[i].object_id != ship->object_id) continue;
        if (!sb_peer_mask_has(&r->told[i].peers, peer)) continue;
        CHECK(!found);
        found = &r->told[i];
    }
    return found;
}

static uint8_t flags_to(const replica_rig *r, const sb_ship *ship, unsigned peer)
{
    const told *t = told_to(r, ship, peer);
    CHECK(t);
    return t->update.flags;
}

/* ---- sizes and bounds ---- */

TEST(a_configuration_that_is_not_possible_has_no_size)
{
    sb_replica_config c = { .max_ships = 16 };
    sb_lane_options_default(&c.lanes);
    CHECK(sb_replica_bytes(&c) > 0);
    c.max_ships = 0;
    CHECK_EQ(sb_replica_bytes(&c), 0);
    c.max_ships = 16;
    c.lanes.interval_us = 0;
    CHECK_EQ(sb_replica_bytes(&c), 0);
    c.lanes.interval_us = RIG_TICK;
    c.lanes.layout = SB_SHIELD_LAYOUTS;
    CHECK_EQ(sb_replica_bytes(&c), 0);
}

TEST(ships_beyond_the_bound_and_ids_that_are_there_are_refused)
{
    replica_rig *r = open_stock();
    sb_ship      more;
    for (unsigned i = 0; i < SHIPS_MAX; i++) (void)add_ship(r, 1, i);
    CHECK_EQ(sb_replica_add_ship(r->replica, &r->ships[3], 3, r->now), SB_NOT_ALLOWED);
    sb_ship_init(&more, r->ships[0].model, 1, sb_slot_first_id(12));
    CHECK_EQ(sb_replica_add_ship(r->replica, &more, 12, r->now), SB_FULL);
    sb_replica_remove_ship(r->replica, r->ships[3].object_id);
    CHECK_EQ(sb_replica_add_ship(r->replica, &more, 12, r->now), SB_OK);
}

/* ---- who is told what ---- */

TEST(the_owner_gets_subsystems_and_all_others_share_one_message)
{
    replica_rig *r = open_stock();
    for (unsigned peer = 0; peer < PEERS; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 2);
    CHECK_EQ(take(r), 2);
    CHECK_EQ(flags_to(r, ship, 2), 0x20);
    CHECK_EQ(mask_count(&told_to(r, ship, 2)->peers), 1);
    CHECK_EQ(flags_to(r, ship, 0), 0x3D);
    CHECK_EQ(mask_count(&told_to(r, ship, 0)->peers), PEERS - 1);
}

TEST(a_ship_without_a_present_owner_is_sent_to_all)
{
    replica_rig *r = open_stock();
    for (unsigned peer = 0; peer < PEERS; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 200);
    CHECK_EQ(take(r), 1);
    CHECK_EQ(mask_count(&told_to(r, ship, 0)->peers), PEERS);
}

TEST(without_peers_nothing_is_built)
{
    replica_rig *r = open_stock();
    (void)add_ship(r, 1, 0);
    CHECK_EQ(take(r), 0);
    sb_replica_add_peer(r->replica, 0);
    CHECK_EQ(tick(r), 1); /* the owner alone */
    sb_replica_remove_peer(r->replica, 0);
    CHECK_EQ(tick(r), 0);
}

TEST(the_owner_of_a_ship_without_a_list_gets_nothing)
{
    replica_rig *r = open_stock();
    for (unsigned peer = 0; peer < 3; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 0, 0);
    CHECK_EQ(take(r), 1);
    CHECK(!told_to(r, ship, 0));
    CHECK_EQ(flags_to(r, ship, 1), 0x1D);
    CHECK_EQ(tick(r), 0);
}

TEST(peers_up_to_127_are_served)
{
    replica_rig *r = open_stock();
    for (unsigned peer = 0; peer < SB_REPLICA_PEERS; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 127);
    CHECK_EQ(take(r), 2);
    CHECK_EQ(flags_to(r, ship, 127), 0x20);
    CHECK_EQ(mask_count(&told_to(r, ship, 64)->peers), 127);
}

/* ---- time ---- */

TEST(ticks_come_every_tenth_of_a_second)
{
    replica_rig *r = open_stock();
    CHECK_EQ(sb_replica_next_deadline(r->replica), SB_TIME_NEVER);
    sb_replica_add_peer(r->replica, 1);
    (void)add_ship(r, 1, 0);
    CHECK_EQ(sb_replica_next_deadline(r->replica), r->now);
    CHECK_EQ(take(r), 1);
    CHECK_EQ(take(r), 0);
    CHECK_EQ(sb_replica_next_deadline(r->replica), r->now + RIG_TICK);
    r->now += RIG_TICK - 1;
    CHECK_EQ(take(r), 0);
    r->now += 1;
    CHECK_EQ(take(r), 1);
}

TEST(a_late_tick_keeps_the_rhythm_and_missed_ticks_are_skipped)
{
    replica_rig *r = open_stock();
    sb_replica_add_peer(r->replica, 1);
    (void)add_ship(r, 1, 0);
    CHECK_EQ(take(r), 1);
    sb_time first = r->now;
    r->now += RIG_TICK + 30000;
    CHECK_EQ(take(r), 1);
    CHECK_EQ(sb_replica_next_deadline(r->replica), first + 2 * RIG_TICK);
    r->now += 10 * SB_SECOND;
    CHECK_EQ(take(r), 1);
    CHECK_EQ(take(r), 0);
    CHECK_EQ(sb_replica_next_deadline(r->replica), r->now + RIG_TICK);
}

TEST(a_new_ship_is_sent_within_two_tenths_of_a_second)
{
    replica_rig *r = open_stock();
    for (unsigned peer = 0; peer < 3; peer++) sb_replica_add_peer(r->replica, peer);
    (void)add_ship(r, 1, 0);
    (void)take(r);
    r->now += 1000;
    sb_ship *late = add_ship(r, 5, 1);
    CHECK_EQ(take(r), 0);
    r->now += RIG_TICK - 1000; /* spec 03 §16 */
    CHECK_EQ(take(r), 4);
    CHECK_EQ(flags_to(r, late, 1), 0x20);
    CHECK_EQ(flags_to(r, late, 2), 0x3D);
}

TEST(when_the_last_ship_is_gone_there_is_no_deadline)
{
    replica_rig *r = open_stock();
    sb_replica_add_peer(r->replica, 1);
    sb_ship *ship = add_ship(r, 1, 0);
    (void)take(r);
    sb_replica_remove_ship(r->replica, ship->object_id);
    CHECK_EQ(sb_replica_next_deadline(r->replica), SB_TIME_NEVER);
    CHECK_EQ(tick(r), 0);
    CHECK_EQ(sb_replica_add_ship(r->replica, ship, 0, r->now), SB_OK);
    CHECK_EQ(take(r), 1);
}

TEST(a_ship_removed_during_a_tick_is_not_sent)
{
    replica_rig       *r = open_stock();
    sb_replica_message m;
    for (unsigned peer = 0; peer < 3; peer++) sb_replica_add_peer(r->replica, peer);
    (void)add_ship(r, 1, 0);
    (void)add_ship(r, 5, 1);
    CHECK(sb_replica_next(r->replica, r->now, 1, &m));
    sb_replica_remove_ship(r->replica, r->ships[0].object_id);
    CHECK_EQ(take(r), 2); /* the owner and the others of the second */
    CHECK_EQ(r->told[0].object_id, r->ships[1].object_id);
}

/* ---- newcomers ---- */

/* Moves a bit, so that no update is empty. */
static void drift(sb_ship *ship, unsigned n)
{
    ship->motion.position.x += 0.3f;
    sb_motion_set_speed(&ship->motion, 3 + (float)(n % 2));
}

TEST(the_first_update_for_a_newcomer_is_a_full_one_of_every_ship)
{
    replica_rig *r = open_stock();
    for (unsigned peer = 0; peer < 3; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *a = add_ship(r, 1, 0), *b = add_ship(r, 6, 1);
    for (unsigned n = 0; n < 5; n++) (void)(n ? tick(r) : take(r));
    CHECK_EQ(flags_to(r, a, 2), 0x20); /* nothing moves */
    sb_replica_add_peer(r->replica, 5);
    (void)tick(r);
    CHECK_EQ(flags_to(r, a, 5), 0x3D);
    CHECK_EQ(flags_to(r, b, 5), 0x7D);
}

/* What a newcomer needs reaches the others too, so that afterwards one message serves all. */
TEST(after_a_newcomer_all_others_still_share_one_lane)
{
    replica_rig *r = open_stock();
    for (unsigned peer = 0; peer < 3; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    for (unsigned n = 0; n < 40; n++) {
        drift(ship, n);
        if (n == 13) sb_replica_add_peer(r->replica, 5);
        if (n == 17) sb_replica_add_peer(r->replica, 4);
        if (n == 29) sb_replica_remove_peer(r->replica, 1);
        CHECK_EQ(n ? tick(r) : take(r), 2);
        int others = 2 + (n >= 13) + (n >= 17) - (n >= 29);
        CHECK_EQ(mask_count(&told_to(r, ship, 2)->peers), others);
        bool full = n == 0 || n == 11 || n == 13 || n == 17 || n == 28 || n == 39;
        CHECK_EQ(flags_to(r, ship, 2), full ? 0x3D : 0x32);
    }
}

TEST(a_peer_that_asks_for_a_ship_gets_a_full_update_of_it)
{
    replica_rig *r = open_stock();
    for (unsigned peer = 0; peer < 3; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *a = add_ship(r, 1, 0), *b = add_ship(r, 5, 1);
    (void)take(r);
    (void)tick(r);
    sb_replica_repeat(r->replica, a->object_id, 2);
    (void)tick(r);
    CHECK_EQ(flags_to(r, a, 2), 0x3D);
    CHECK_EQ(flags_to(r, b, 2), 0x20);
    sb_replica_repeat(r->replica, 0x1234, 2); /* no such ship, no such peer: nothing */
    sb_replica_repeat(r->replica, a->object_id, 77);
    sb_replica_repeat(r->replica, a->object_id, 4000);
    (void)tick(r);
    CHECK_EQ(flags_to(r, a, 2), 0x20);
    CHECK_EQ(mask_count(&told_to(r, a, 2)->peers), 2);
}

TEST(a_peer_that_left_gets_nothing_and_comes_back_as_a_newcomer)
{
    replica_rig *r = open_stock();
    for (unsigned peer = 0; peer < 3; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    (void)take(r);
    sb_replica_remove_peer(r->replica, 2);
    sb_replica_remove_peer(r->replica, 0);
    CHECK_EQ(tick(r), 1);
    CHECK(!told_to(r, ship, 2));
    CHECK(!told_to(r, ship, 0));
    sb_replica_add_peer(r->replica, 2);
    (void)tick(r);
    CHECK_EQ(flags_to(r, ship, 2), 0x3D);
}

TEST(a_recreated_ship_begins_again)
{
    replica_rig *r = open_stock();
    for (unsigned peer = 0; peer < 2; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    for (unsigned n = 0; n < 4; n++) (void)(n ? tick(r) : take(r));
    sb_replica_remove_ship(r->replica, ship->object_id);
    sb_ship_init(ship, ship->model, 1, ship->object_id + 32);
    CHECK_EQ(sb_replica_add_ship(r->replica, ship, 0, r->now), SB_OK);
    (void)tick(r);
    CHECK_EQ(flags_to(r, ship, 1), 0x3D);
    CHECK_EQ(told_to(r, ship, 1)->update.start_index, 0);
    CHECK_EQ(told_to(r, ship, 0)->update.start_index, 0);
}

/* ---- peers that lose datagrams ---- */

TEST(lossy_peers_share_a_lane_with_full_updates_every_250_ms)
{
    replica_rig *r = open_default();
    for (unsigned peer = 0; peer < PEERS; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    sb_replica_set_lossy(r->replica, 3, true);
    sb_replica_set_lossy(r->replica, 4, true);
    for (unsigned n = 0; n < 24; n++) {
        CHECK_EQ(n ? tick(r) : take(r), 3);
        CHECK_EQ(mask_count(&told_to(r, ship, 3)->peers), 2);
        CHECK(told_to(r, ship, 3) == told_to(r, ship, 4));
        CHECK_EQ(flags_to(r, ship, 3), n % 3 == 0 ? 0x3D : 0x20);
        CHECK_EQ(flags_to(r, ship, 1), n % 11 == 0 ? 0x3D : 0x20);
        CHECK_EQ(flags_to(r, ship, 0), 0x20);
    }
}

TEST(a_peer_that_changes_lanes_gets_a_full_update_at_once)
{
    replica_rig *r = open_default();
    for (unsigned peer = 0; peer < 3; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    (void)take(r);
    (void)tick(r);
    sb_replica_set_lossy(r->replica, 2, true);
    CHECK_EQ(tick(r), 3);
    CHECK_EQ(flags_to(r, ship, 2), 0x3D);
    CHECK_EQ(flags_to(r, ship, 1), 0x20);
    sb_replica_set_lossy(r->replica, 2, true); /* known: no further one */
    (void)tick(r);
    CHECK_EQ(flags_to(r, ship, 2), 0x20);
    sb_replica_set_lossy(r->replica, 2, false);
    CHECK_EQ(tick(r), 2);
    CHECK_EQ(flags_to(r, ship, 2), 0x3D);
    CHECK_EQ(mask_count(&told_to(r, ship, 2)->peers), 2);
}

TEST(a_peer_that_joins_the_lossy_lane_gets_a_full_update)
{
    replica_rig *r = open_default();
    for (unsigned peer = 0; peer < 4; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    sb_replica_set_lossy(r->replica, 3, true);
    (void)take(r);
    (void)tick(r);
    CHECK_EQ(flags_to(r, ship, 3), 0x20); /* it runs; the next full one is two ticks away */
    sb_replica_set_lossy(r->replica, 2, true);
    CHECK_EQ(tick(r), 3);
    CHECK_EQ(flags_to(r, ship, 2), 0x3D);
    CHECK(told_to(r, ship, 2) == told_to(r, ship, 3));
    CHECK_EQ(flags_to(r, ship, 1), 0x20);
}

/* Else it would get two messages of the same time with different baselines. */
TEST(a_peer_that_becomes_lossy_changes_lanes_at_the_next_tick)
{
    replica_rig       *r = open_default();
    sb_replica_message m;
    bool               first = true;
    for (unsigned peer = 0; peer < 4; peer++) sb_replica_add_peer(r->replica, peer);
    sb_replica_set_lossy(r->replica, 3, true);
    sb_ship *ship = add_ship(r, 1, 0);
    for (unsigned n = 0; n < 2; n++) { /* to lossy and back: after the others, before them */
        unsigned count[4] = { 0 };
        if (!first) r->now += RIG_TICK;
        first = false;
        while (sb_replica_next(r->replica, r->now, (float)((double)r->now / 1e6), &m)) {
            for (unsigned peer = 0; peer < 4; peer++)
                count[peer] += sb_peer_mask_has(&m.peers, peer);
            if (sb_peer_mask_has(&m.peers, n ? 0 : 2)) sb_replica_set_lossy(r->replica, 2, !n);
            sb_replica_check(r->replica);
        }
        for (unsigned peer = 0; peer < 4; peer++) CHECK_EQ(count[peer], 1);
    }
    CHECK_EQ(tick(r), 3);
    CHECK_EQ(flags_to(r, ship, 2), 0x3D);
    CHECK(told_to(r, ship, 2) == told_to(r, ship, 1));
}

TEST(an_owner_that_loses_datagrams_keeps_the_owners_lane)
{
    replica_rig *r = open_default();
    for (unsigned peer = 0; peer < 2; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    sb_replica_set_lossy(r->replica, 0, true);
    for (unsigned n = 0; n < 8; n++) {
        CHECK_EQ(n ? tick(r) : take(r), 2);
        CHECK_EQ(flags_to(r, ship, 0), 0x20);
    }
}

TEST(with_stock_options_lossy_peers_are_like_all_others)
{
    replica_rig *r = open_stock();
    for (unsigned peer = 0; peer < 3; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    sb_replica_set_lossy(r->replica, 2, true);
    (void)take(r);
    for (unsigned n = 1; n < 11; n++) {
        CHECK_EQ(tick(r), 2);
        CHECK_EQ(flags_to(r, ship, 2), 0x20);
    }
}

TEST(the_damage_of_a_ship_is_in_the_next_update_of_every_lane)
{
    replica_rig *r = open_default();
    for (unsigned peer = 0; peer < 3; peer++) sb_replica_add_peer(r->replica, peer);
    sb_replica_set_lossy(r->replica, 2, true);
    sb_ship *ship = add_ship(r, 1, 0);
    (void)take(r);
    ship->condition[8] *= 0.5f;
    CHECK_EQ(tick(r), 3);
    for (unsigned peer = 0; peer < 3; peer++) {
        CHECK_EQ(told_to(r, ship, peer)->update.start_index, 8);
        CHECK_EQ(told_to(r, ship, peer)->update.entries[0].condition_code, 127);
    }
}

/* ---- positions ---- */

TEST(a_placed_ship_is_sent_there_and_else_where_its_state_is)
{
    replica_rig *r = open_stock();
    for (unsigned peer = 0; peer < 2; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    ship->motion.position = (sb_vec3){ 10, 0, 0 };
    sb_replica_place(r->replica, ship->object_id, (sb_vec3){ 11, 0, 0 });
    sb_replica_place(r->replica, 0x1234, (sb_vec3){ 99, 0, 0 });
    (void)take(r);
    CHECK(told_to(r, ship, 1)->update.position.x == 11);
    (void)tick(r);
    CHECK_EQ(flags_to(r, ship, 1), 0x22); /* one unit back: where the state says */
    CHECK_EQ(told_to(r, ship, 1)->update.delta.direction.x, -127);
    CHECK(ship->motion.position.x == 10);
}

/* Beyond 1e7 a position is absurd (spec 12 #4), but a delta or an estimate can lead there from one
 * that was not: nobody may bring a host down with it, nor make it send what all others drop. */
TEST(a_ship_beyond_the_universe_is_sent_at_its_edge)
{
    replica_rig *r = open_stock();
    observer     seer;
    for (unsigned peer = 0; peer < 2; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    observer_open(&seer, 1, SB_RECEIVE_OTHER);
    ship->motion.position = (sb_vec3){ 1e7f, 0, -1e7f };
    sb_motion_set_axes(&ship->motion, (sb_vec3){ 1, 0, -1 }, (sb_vec3){ 0, 1, 0 });
    sb_motion_set_speed(&ship->motion, 10000);
    for (unsigned n = 0; n < 24; n++) {
        sb_replica_place(r->replica, ship->object_id, sb_motion_estimate(&ship->motion, 0.5f));
        (void)(n ? tick(r) : take(r));
        const told *t = told_to(r, ship, 1);
        CHECK(t);
        CHECK_EQ(observer_hear(&seer, t->bytes, t->size), SB_OK);
    }
    CHECK(seer.ship.motion.position.x > 9.9e6f);
    CHECK(seer.ship.motion.position.z < -9.9e6f);
}

TEST(messages_carry_the_game_time_of_their_tick)
{
    replica_rig *r = open_stock();
    sb_replica_add_peer(r->replica, 1);
    sb_ship *ship = add_ship(r, 1, 0);
    (void)take(r);
    CHECK(told_to(r, ship, 1)->update.game_time == 100.0f);
}

/* A host passes on codes, not the owner's bytes: its own flags, base and time (spec 03 §7). */
TEST(an_owners_state_goes_out_on_the_hosts_own_lanes)
{
    replica_rig *r = open_stock();
    lane_rig     owner;
    sb_receiver  receiver;
    for (unsigned peer = 0; peer < 2; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    sb_receiver_init(&receiver, SB_RECEIVE_FROM_OWNER, ship, r->now);
    rig_open(&owner, 1, SB_LANE_TO_HOST);
    sb_motion_set_speed(&owner.ship.motion, 5);
    for (unsigned n = 0; n < 30; n++) {
        owner.ship.motion.position.x += 0.5f;
        CHECK(rig_send(&owner));
        CHECK_EQ(sb_receiver_apply(&receiver, ship, r->now, 0, (sb_span){ owner.bytes, owner.size },
                                   NULL),
                 SB_OK);
        (void)(n ? tick(r) : take(r));
        const told *t = told_to(r, ship, 1);
        CHECK_EQ(t->update.flags & 0xA0, 0x20);
        CHECK(!t->update.has_hash);
        CHECK(t->update.game_time >= 100);
        if (n % 11 == 0) CHECK_EQ(t->update.speed_code, owner.ship.motion.speed_code);
    }
}
