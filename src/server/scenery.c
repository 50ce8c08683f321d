/* src/server/scenery.c -- objects that are no player's ship (ObjectCreate): their lanes, their
 * place in the table of objects, their removal.
 *
 * For:      objects.c (a full table), relay.c (StateUpdates), leaving.c.
 * Never:    lets one player's scenery cost the others more than a second ship of that player would:
 *           all scenery of one player shares the updates of one ship, and a player with more
 *           objects gives way to a player with fewer.
 * Spec:     07 §11.1.
 * Tests:    tests/server/scenery_test.c
 */
#include "server/server_internal.h"

#include <starbase/message.h>

#include "base/assert.h"

/* After this time without an update, another object may take over the lanes of an object. */
static const sb_time idle_us = 10 * SB_SECOND;

_Static_assert((int)OBJECTS_MAX > (int)SB_SERVER_PLAYERS_MAX,
               "a full table holds an object that is no player's ship");

bool sb_object_is_scenery(const sb_object *o)
{
    return o->object_id != 0 && o->opcode == SB_OP_OBJECT_CREATE;
}

static bool has_lanes(const sb_object *o)
{
    return sb_object_is_scenery(o) && o->tracked;
}

/* Objects of one player, or of all if `owner` is 0, for which `is` holds. */
static unsigned count_objects(const sb_server *s, bool (*is)(const sb_object *o), uint8_t owner)
{
    unsigned count = 0;
    for (size_t i = 0; i < s->object_top; i++)
        count += is(&s->objects[i]) && (owner == 0 || s->objects[i].owner == owner);
    return count;
}

/* ---- lanes ---- */

uint32_t sb_scenery_lanes(uint32_t places)
{
    uint32_t lanes = SCENERY_LANES_PER_PLAYER * places;
    return lanes < SCENERY_LANES_MAX ? lanes : SCENERY_LANES_MAX;
}

/* All scenery of a player together gets as many updates as one ship. */
static void share_updates(sb_server *s, uint8_t owner)
{
    unsigned count = count_objects(s, has_lanes, owner);
    for (size_t i = 0; i < s->object_top; i++)
        if (has_lanes(&s->objects[i]) && s->objects[i].owner == owner)
            sb_replica_set_share(s->replica, s->objects[i].object_id, count);
}

void sb_server_untrack_scenery(sb_server *s, sb_object *o)
{
    if (!has_lanes(o)) return;
    sb_replica_remove_ship(s->replica, o->object_id);
    o->tracked = false;
    share_updates(s, o->owner);
}

/* The object whose lanes an object of `owner` may take over: idle, or of a player who keeps at
 * least as many as `owner` has then. Of several the one without updates for longest; NULL: none. */
static sb_object *find_lanes_to_take(sb_server *s, uint8_t owner)
{
    sb_object *found = NULL;
    unsigned   own = count_objects(s, has_lanes, owner);
    for (size_t i = 0; i < s->object_top; i++) {
        sb_object *o = &s->objects[i];
        if (!has_lanes(o)) continue;
        bool idle = s->now - o->receiver.received_at >= idle_us;
        if (!idle && count_objects(s, has_lanes, o->owner) < own + 2) continue;
        if (!found || o->receiver.received_at < found->receiver.received_at) found = o;
    }
    return found;
}

void sb_server_track_scenery(sb_server *s, sb_object *o)
{
    SB_ASSERT(sb_object_is_scenery(o));
    SB_ASSERT(!o->tracked);
    if (sb_object_is_creation_unknown(o)) return; /* late joiners do not have it */
    if (count_objects(s, has_lanes, 0) >= sb_scenery_lanes(s->capacity)) {
        sb_object *other = find_lanes_to_take(s, o->owner);
        if (!other) return;
        sb_server_untrack_scenery(s, other);
    }
    o->tracked = sb_replica_add_ship(s->replica, &o->ship, o->owner, s->now) == SB_OK;
    share_updates(s, o->owner);
}

/* ---- removal ---- */

/* Sends DestroyObject to all in the game, the owner included, whose client still has the object. */
static void destroy(sb_server *s, sb_object *o)
{
    *s->out = (sb_message){ .opcode = SB_OP_DESTROY_OBJECT };
    s->out->as.object_ref.object_id = o->object_id;
    sb_server_relay(s, sb_server_encode(s, s->out), SB_RELIABLE, NULL);
    sb_server_remove_object(s, o);
}

/* True if `a` is to be evicted rather than `b`: its player has more scenery, `creator` counted with
 * the object that is being created; in a tie that of `creator`, then the older object. */
static bool is_evicted_before(const sb_server *s, const sb_object *a, const sb_object *b,
                              uint8_t creator)
{
    unsigned more = count_objects(s, sb_object_is_scenery, a->owner) + (a->owner == creator);
    unsigned less = count_objects(s, sb_object_is_scenery, b->owner) + (b->owner == creator);
    if (more != less) return more > less;
    if (a->owner != b->owner && (a->owner == creator || b->owner == creator))
        return a->owner == creator;
    return a->order < b->order;
}

sb_object *sb_server_evict_scenery(sb_server *s, uint8_t creator)
{
    sb_object *found = NULL;
    for (size_t i = 0; i < s->object_top; i++) {
        sb_object *o = &s->objects[i];
        if (!sb_object_is_scenery(o)) continue;
        if (!found || is_evicted_before(s, o, found, creator)) found = o;
    }
    SB_ASSERT(found); /* at most one row per player is a ship (sb_server_check) */
    destroy(s, found);
    return found;
}

void sb_server_destroy_scenery_of(sb_server *s, uint8_t owner)
{
    for (size_t i = 0; i < s->object_top; i++)
        if (sb_object_is_scenery(&s->objects[i]) && s->objects[i].owner == owner)
            destroy(s, &s->objects[i]);
}
