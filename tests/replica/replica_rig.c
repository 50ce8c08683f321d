/* tests/replica/replica_rig.c -- see replica_rig.h. */
#include "replica_rig.h"

#include <starbase/message.h>

#include "replica/testing.h"

#include <stdlib.h>
#include <string.h>

static replica_rig the_rig;

replica_rig *open_for(uint32_t max_ships, const sb_lane_options *lanes)
{
    replica_rig *r = &the_rig;
    free(r->memory);
    memset(r, 0, sizeof *r);
    r->config.max_ships = max_ships;
    r->config.lanes = *lanes;
    size_t size = sb_replica_bytes(&r->config);
    r->memory = malloc(size);
    CHECK(r->memory);
    memset(r->memory, 0xA5, size); /* nothing may depend on old memory */
    r->replica = sb_replica_init(r->memory, &r->config);
    r->now = 100 * SB_SECOND;
    return r;
}

replica_rig *open_with(const sb_lane_options *lanes)
{
    return open_for(SHIPS_MAX, lanes);
}

replica_rig *open_stock(void)
{
    sb_lane_options o;
    sb_lane_options_stock(&o);
    return open_with(&o);
}

replica_rig *open_default(void)
{
    sb_lane_options o;
    sb_lane_options_default(&o);
    return open_with(&o);
}

sb_ship *add_ship(replica_rig *r, uint8_t species, unsigned owner)
{
    sb_ship *ship = &r->ships[r->ship_count];
    sb_ship_init(ship, species ? sb_find_ship(sb_stock_ships(), species) : NULL,
                 species ? species : 200, sb_slot_first_id(r->ship_count));
    r->ship_count++;
    CHECK_EQ(sb_replica_add_ship(r->replica, ship, owner, r->now), SB_OK);
    sb_replica_check(r->replica);
    return ship;
}

static void decode(replica_rig *r, sent_message *t)
{
    sb_message         m;
    sb_message_context context = { 0 };
    for (unsigned i = 0; i < r->ship_count; i++)
        if (r->ships[i].object_id == t->object_id) context.ship = r->ships[i].model;
    CHECK_EQ(sb_decode_message((sb_span){ t->bytes, t->size }, &context, &m, NULL), SB_OK);
    t->update = m.as.state_update;
    CHECK_EQ(t->update.object_id, t->object_id);
}

unsigned collect(replica_rig *r)
{
    sb_replica_message m;
    sb_replica_check(r->replica);
    r->message_count = 0;
    while (sb_replica_next(r->replica, r->now, (float)((double)r->now / 1e6), &m)) {
        CHECK(r->message_count < MESSAGES_MAX);
        sent_message *t = &r->messages[r->message_count++];
        t->object_id = m.object_id;
        t->peers = m.peers;
        t->size = m.bytes.size;
        CHECK(m.bytes.size <= sizeof t->bytes);
        memcpy(t->bytes, m.bytes.data, m.bytes.size);
        decode(r, t);
        sb_replica_check(r->replica);
    }
    sb_replica_check(r->replica);
    return r->message_count;
}

unsigned tick(replica_rig *r)
{
    r->now += RIG_TICK;
    return collect(r);
}

unsigned mask_count(const sb_peer_mask *mask)
{
    unsigned count = 0;
    for (unsigned i = 0; i < SB_REPLICA_PEERS; i++) count += sb_peer_mask_has(mask, i);
    return count;
}

const sent_message *message_to(const replica_rig *r, const sb_ship *ship, unsigned peer)
{
    const sent_message *found = NULL;
    for (unsigned i = 0; i < r->message_count; i++) {
        if (r->messages[i].object_id != ship->object_id) continue;
        if (!sb_peer_mask_has(&r->messages[i].peers, peer)) continue;
        CHECK(!found);
        found = &r->messages[i];
    }
    return found;
}

uint8_t flags_to(const replica_rig *r, const sb_ship *ship, unsigned peer)
{
    const sent_message *t = message_to(r, ship, peer);
    CHECK(t);
    return t->update.flags;
}
