/* src/server/mod_ships.c -- ships that the room has no model of: of an unknown species, or of a
 * known species with other subsystems than its data list.
 *
 * Nobody can hit a ship without a model, and the room cannot check its motion. So it may only fly
 * where mods are allowed, and it does no damage.
 *
 * For:      objects.c.
 * Spec:     07 §2.6, 10 §15.
 * Tests:    tests/server/mod_ships_test.c
 */
#include "server/server_internal.h"

#include <starbase/message.h>

#include <string.h>

static bool may_fly(const sb_server *s)
{
    if (s->config.mod_ships == SB_MOD_SHIPS_AUTO) return s->config.checksums != SB_CHECKSUM_STRICT;
    return s->config.mod_ships == SB_MOD_SHIPS_YES;
}

/* NULL: an unknown species. */
static const sb_ship_class *class_of(const sb_server *s, uint8_t species)
{
    return sb_find_ship(s->config.ships ? s->config.ships : sb_stock_ships(), species);
}

/* The size that the creation in s->in would have with the subsystems of the class. */
static size_t expected_bytes(sb_server *s, const sb_ship_class *class)
{
    sb_ship                 ship;
    const sb_object_create *c = &s->in->as.object_create;
    sb_ship_init(&ship, class, c->species, c->object_id);
    *s->out = *s->in;
    sb_ship_write_creation(&ship, &s->out->as.object_create);
    return sb_server_encode(s, s->out).size;
}

static void report_subsystems(sb_server *s, sb_player *p, const sb_ship_class *class, sb_span bytes)
{
    sb_server_report_implausible(s, p, SB_IMPLAUSIBLE_SUBSYSTEMS, (double)bytes.size,
                                 (double)expected_bytes(s, class));
}

bool sb_server_refuse_mod_ship(sb_server *s, sb_player *p, sb_span bytes)
{
    const sb_object_create *c = &s->in->as.object_create;
    bool                    player_ship = s->in->opcode == SB_OP_PLAYER_OBJECT_CREATE;
    if (!player_ship || c->snapshot_known || may_fly(s)) return false;
    const sb_ship_class *class = class_of(s, c->species);
    sb_server_refuse(s, p, SB_SERVER_COUNT_MOD_SHIP, bytes);
    /* Its client flies on: the room must not request the ship, only to refuse it again. */
    if (c->object_id > p->highest_id) p->highest_id = c->object_id;
    if (class) report_subsystems(s, p, class, bytes);
    sb_server_tell(
        s, p,
        class ? "Your ship has other subsystems than this server knows: it is refused. "
                "Choose another one, or remove your mods."
              : "This server does not know your ship: it is refused. Choose another one, "
                "or remove your mods.");
    return true;
}

void sb_server_note_mod_ship(sb_server *s, sb_player *p, sb_object *o, sb_span bytes)
{
    const sb_object_create *c = &s->in->as.object_create;
    const sb_ship_class *class = class_of(s, c->species);
    if (c->snapshot_known || !class) return;
    o->mod_ship = true;
    sb_combat_disarm(s->combat, o->object_id, (float)MOD_SHIP_DISARMED_SECONDS);
    report_subsystems(s, p, class, bytes);
}
