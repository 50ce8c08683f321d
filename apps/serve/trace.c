/* apps/serve/trace.c -- `starbase serve --trace-damage`: logs every point of damage.
 *
 * For:      events.c. One hit gives several lines in this order: the hit, the absorption by a
 *           facing or the loss of each subsystem, the repair list, the death. Lines about gains
 *           (recharge, repair) have level debug: there are hundreds a second.
 * Tests:    tests/apps/serve_trace_test.c
 */
#include "serve/serve.h"

#include <string.h>

/* ---- ships ---- */

const sb_ship_class *serve_ship_class(const serve_room *r, uint8_t species)
{
    return sb_find_ship(r->ship_set ? r->ship_set : sb_stock_ships(), species);
}

void serve_store_ship(serve_room *r, const sb_server_event *e)
{
    r->ships[r->next_ship] = (serve_ship){ e->object_id, e->peer_id, (uint8_t)e->value };
    r->next_ship = (r->next_ship + 1) % SERVE_SHIPS;
}

static const serve_ship *find_ship(const serve_room *r, uint32_t object_id)
{
    for (unsigned i = 0; object_id && i < SERVE_SHIPS; i++)
        if (r->ships[i].object_id == object_id) return &r->ships[i];
    return NULL;
}

static const sb_ship_class *class_of(const serve_room *r, uint32_t object_id)
{
    const serve_ship *ship = find_ship(r, object_id);
    return ship ? serve_ship_class(r, ship->species) : NULL;
}

static const char *ship_name(const serve_room *r, uint32_t object_id)
{
    const sb_ship_class *class = class_of(r, object_id);
    return class ? class->name : "unknown ship";
}

/* ---- parts of a ship ---- */

static const char *const facings[SB_FACINGS] = {
    "front", "rear", "top", "bottom", "left", "right"
};

static const char *facing_name(unsigned facing)
{
    return facing < SB_FACINGS ? facings[facing] : "unknown";
}

/* NULL: the ship's class has no such part. */
static const char *part_name(const serve_room *r, const sb_combat_event *c)
{
    const sb_ship_class *class = class_of(r, c->object_id);
    if (!class || c->index >= class->subsystem_count) return NULL;
    const sb_subsystem_class *entry = &class->subsystems[c->index];
    if (c->child < 0) return entry->name;
    return c->child < entry->child_count ? class->children[entry->first_child + c->child].name
                                         : NULL;
}

static void append_part(const serve_room *r, sb_log_line *line, const sb_combat_event *c)
{
    const char *name = part_name(r, c);
    if (name) sb_log_text(line, "%s", name);
    else sb_log_text(line, "subsystem %u.%d", c->index, c->child);
}

static bool is_about_part(const sb_combat_event *c)
{
    return c->type == SB_COMBAT_DAMAGED || c->type == SB_COMBAT_REPAIRED ||
           c->type == SB_COMBAT_REPAIR_ADDED || c->type == SB_COMBAT_REPAIR_COMPLETED ||
           c->type == SB_COMBAT_REPAIR_IMPOSSIBLE;
}

static bool is_about_facing(const sb_combat_event *c)
{
    return c->type == SB_COMBAT_HIT || c->type == SB_COMBAT_ABSORBED ||
           c->type == SB_COMBAT_SHIELD_LOST || c->type == SB_COMBAT_RECHARGED;
}

/* ---- causes ---- */

/* Appends "torpedo of Alice (Sovereign)", "self-destruct" or "collision". */
static void append_cause(const serve_room *r, sb_log_line *line, const sb_combat_event *c)
{
    sb_log_text(line, "%s", sb_damage_cause_text((sb_damage_cause)c->cause));
    if (c->cause == SB_DAMAGE_COLLISION && c->attacker_ship) sb_log_text(line, " with ");
    else if (c->attacker_ship || c->attacker) sb_log_text(line, " of ");
    if (c->attacker) serve_append_player(r, line, c->attacker);
    if (c->attacker_ship)
        sb_log_text(line, c->attacker ? " (%s)" : "%s", ship_name(r, c->attacker_ship));
}

/* ---- sentences: they follow the owner and the class of the ship ---- */

static void append_hit(const serve_room *r, sb_log_line *line, const sb_combat_event *c)
{
    append_cause(r, line, c);
    sb_log_text(line, ", %.2f HP", (double)c->amount);
    if (c->cause == SB_DAMAGE_SELF_DESTRUCT) return;
    sb_log_text(line, c->shields ? " on the %s shield" : " from the %s, not stopped by a shield",
                facing_name(c->index));
}

static void append_loss(const serve_room *r, sb_log_line *line, const sb_combat_event *c)
{
    if (c->type == SB_COMBAT_ABSORBED) sb_log_text(line, "%s shield", facing_name(c->index));
    else append_part(r, line, c);
    sb_log_text(line, c->type == SB_COMBAT_ABSORBED ? " absorbs %.2f HP" : " loses %.2f HP",
                (double)c->amount);
    if (c->left > 0) sb_log_text(line, ", %.2f left", (double)c->left);
    else sb_log_text(line, c->type == SB_COMBAT_ABSORBED ? ", empty" : ", destroyed");
    sb_log_text(line, " (");
    append_cause(r, line, c);
    sb_log_text(line, ")");
}

static void append_gain(const serve_room *r, sb_log_line *line, const sb_combat_event *c)
{
    if (c->type == SB_COMBAT_RECHARGED) sb_log_text(line, "%s shield", facing_name(c->index));
    else append_part(r, line, c);
    sb_log_text(line, " gains %.2f HP, has %.2f", (double)c->amount, (double)c->left);
}

static void append_repair(const serve_room *r, sb_log_line *line, const sb_combat_event *c)
{
    append_part(r, line, c);
    sb_log_text(line, c->type == SB_COMBAT_REPAIR_ADDED       ? " goes on the repair list"
                      : c->type == SB_COMBAT_REPAIR_COMPLETED ? " is repaired"
                                                              : " cannot be repaired");
    if (!c->subsystem_id || !c->repair_id) sb_log_text(line, " (unknown id: not sent to players)");
}

static void append_death(const serve_room *r, sb_log_line *line, const sb_combat_event *c)
{
    sb_log_text(line, "explodes: ");
    append_cause(r, line, c);
    sb_log_text(line, "; the wreck lasts %.1f s", (double)c->lifetime);
}

static const char *cloak_text(unsigned state)
{
    switch (state) {
    case SB_CLOAK_OFF: return "is visible";
    case SB_CLOAK_ENGAGING: return "cloaks";
    case SB_CLOAK_ON: return "is cloaked";
    case SB_CLOAK_DISENGAGING: return "decloaks";
    default: return "has an unknown cloak state";
    }
}

static void append_sentence(const serve_room *r, sb_log_line *line, const sb_combat_event *c)
{
    switch (c->type) {
    case SB_COMBAT_HIT: append_hit(r, line, c); break;
    case SB_COMBAT_ABSORBED:
    case SB_COMBAT_DAMAGED: append_loss(r, line, c); break;
    case SB_COMBAT_SHIELD_LOST:
        sb_log_text(line, "%s shield drops with the generator, %.2f HP", facing_name(c->index),
                    (double)c->amount);
        break;
    case SB_COMBAT_RECHARGED:
    case SB_COMBAT_REPAIRED: append_gain(r, line, c); break;
    case SB_COMBAT_REPAIR_ADDED:
    case SB_COMBAT_REPAIR_COMPLETED:
    case SB_COMBAT_REPAIR_IMPOSSIBLE: append_repair(r, line, c); break;
    case SB_COMBAT_EXPLODING: append_death(r, line, c); break;
    case SB_COMBAT_GONE: sb_log_text(line, "the wreck is gone"); break;
    case SB_COMBAT_CLOAK: sb_log_text(line, "%s", cloak_text(c->index)); break;
    case SB_COMBAT_IMPLAUSIBLE:
        sb_log_text(line, "implausible: %s", sb_implausible_text((sb_implausible)c->index));
        break;
    }
}

/* ---- named values of JSON lines ---- */

static const char *event_word(sb_combat_event_type type)
{
    static const char *const words[] = {
        [SB_COMBAT_HIT] = "hit",
        [SB_COMBAT_ABSORBED] = "absorbed",
        [SB_COMBAT_DAMAGED] = "damaged",
        [SB_COMBAT_SHIELD_LOST] = "shield-lost",
        [SB_COMBAT_RECHARGED] = "recharged",
        [SB_COMBAT_REPAIRED] = "repaired",
        [SB_COMBAT_REPAIR_ADDED] = "repair-added",
        [SB_COMBAT_REPAIR_COMPLETED] = "repair-completed",
        [SB_COMBAT_REPAIR_IMPOSSIBLE] = "repair-impossible",
        [SB_COMBAT_EXPLODING] = "exploding",
        [SB_COMBAT_GONE] = "gone",
        [SB_COMBAT_CLOAK] = "cloak",
        [SB_COMBAT_IMPLAUSIBLE] = "implausible",
    };
    return (size_t)type < sizeof words / sizeof *words ? words[type] : "unknown";
}

static bool has_cause(const sb_combat_event *c)
{
    return c->type == SB_COMBAT_HIT || c->type == SB_COMBAT_ABSORBED ||
           c->type == SB_COMBAT_DAMAGED || c->type == SB_COMBAT_EXPLODING;
}

static void append_cause_values(const serve_room *r, sb_log_line *line, const sb_combat_event *c)
{
    sb_log_value_word(line, "cause", sb_damage_cause_text((sb_damage_cause)c->cause));
    sb_log_value_number(line, "attacker", c->attacker_ship);
    sb_log_value_number(line, "attacker_peer", c->attacker);
    if (c->attacker_ship) sb_log_value_word(line, "attacker_class", ship_name(r, c->attacker_ship));
    if (c->attacker && c->attacker < SERVE_PEERS && r->names[c->attacker][0])
        sb_log_value_word(line, "attacker_name", r->names[c->attacker]);
}

static void append_values(const serve_room *r, sb_log_line *line, const sb_combat_event *c)
{
    const char *part = is_about_part(c) ? part_name(r, c) : NULL;
    sb_log_value_word(line, "combat", event_word(c->type));
    sb_log_value_number(line, "ship", c->object_id);
    sb_log_value_word(line, "class", ship_name(r, c->object_id));
    if (has_cause(c)) append_cause_values(r, line, c);
    if (is_about_facing(c)) sb_log_value_word(line, "facing", facing_name(c->index));
    if (part) sb_log_value_word(line, "subsystem", part);
    sb_log_value_number(line, "index", c->index);
    sb_log_value_number(line, "child", c->child);
    if (c->type == SB_COMBAT_HIT) sb_log_value_word(line, "stopped", c->shields ? "yes" : "no");
    sb_log_value_figure(line, "amount", (double)c->amount);
    sb_log_value_figure(line, "left", (double)c->left);
}

void serve_log_combat(serve_room *r, const sb_server_event *e)
{
    sb_log_line            line;
    const sb_combat_event *c = e->combat;
    if (!c) return;
    bool gain = c->type == SB_COMBAT_RECHARGED || c->type == SB_COMBAT_REPAIRED;
    if (!serve_start_line(r, &line, e, gain ? SB_LOG_DEBUG : SB_LOG_INFO, "combat")) return;
    sb_log_text(&line, e->peer_id ? " (%s): " : "%s: ", ship_name(r, c->object_id));
    append_sentence(r, &line, c);
    append_values(r, &line, c);
    sb_log_end(&line);
}
