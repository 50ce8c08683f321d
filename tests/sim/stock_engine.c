/* tests/sim/stock_engine.c -- the model: ships, orders, messages, time.
 *
 * For:      stock_engine.h.
 * Spec:     03 §4, §9 (health blocks), 08 (events), 10 (the laws).
 */
#include "tests/sim/stock_engine.h"

#include <starbase/message.h>
#include <starbase/replica.h>

#include "base/bytes.h"
#include "base/random.h"
#include "combat/combat_internal.h"
#include "ship/codes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHIPS = 32,
    ORDERS = 64,
    GATE_US = 330000,     /* a weapon looks at its orders this often */
    EXACT_VALUES = 16,    /* per ship: more than arrive during one way */
    QUIET_US = 200000,    /* beyond the round trip */
    RECHARGE_STEPS = 20,  /* steps in an interval of the shields' recharge, rounded up */
    FIRST_STEP = 1000000, /* of the model's clock; leaves room for a phase before it */
};

/* The host's values behind a block that arrives at `at`. */
typedef struct exact_values {
    sb_time         at;
    recording_exact values;
} exact_values;

#define LONG_AGO (-3600 * SB_SECOND)

typedef struct model_ship {
    bool         used, own, wreck;
    sb_ship      ship;
    sb_receiver  receiver;
    sb_time      hit_at;                       /* last hit, by the host or here */
    sb_time      told_at[SB_PARTS];            /* when the host told the condition of a part last */
    sb_time      repaired_at[SB_PARTS];        /* when the host repaired it last */
    sb_time      collided_at;                  /* when the host computed a collision last */
    float        main_battery, backup_battery; /* as the host told them */
    exact_values exact[EXACT_VALUES];          /* a ring */
    unsigned     exact_next;
} model_ship;

/* An order to a beam system: it waits until `due`, then it is in the simulation. */
typedef struct order {
    bool     used, started;
    sb_time  due;
    uint32_t ship, system, target;
    sb_cv4b  aim;
} order;

typedef struct engine {
    const stock_engine_config *config;
    stock_engine_totals        totals;
    sb_random                  random;
    sb_time                    now, delay_us;
    sb_time                    offset; /* of the model's clock */
    sb_combat                 *combat;
    bool                       sent_by_us; /* the message that is being handled */
    uint32_t                   killed;     /* a ship that died here in this step; 0: none */
    model_ship                 ships[SHIPS];
    order                      orders[ORDERS];
} engine;

static sb_time clock_of(const engine *e, sb_time now)
{
    return now + e->offset;
}

/* ---- ships ---- */

static model_ship *find_ship(engine *e, uint32_t object_id)
{
    for (unsigned i = 0; i < SHIPS; i++)
        if (e->ships[i].used && e->ships[i].ship.object_id == object_id) return &e->ships[i];
    return NULL;
}

/* The ship that has a part with this id. */
static model_ship *find_ship_of_part(engine *e, uint32_t id)
{
    for (unsigned i = 0; i < SHIPS; i++) {
        model_ship *s = &e->ships[i];
        if (s->used && s->ship.model && id >= s->ship.object_id &&
            id - s->ship.object_id < sb_ship_id_count(s->ship.model))
            return s;
    }
    return NULL;
}

static void drop_orders_of(engine *e, uint32_t object_id)
{
    for (unsigned i = 0; i < ORDERS; i++)
        if (e->orders[i].ship == object_id || e->orders[i].target == object_id)
            e->orders[i].used = false;
}

static void remove_from_combat(engine *e, uint32_t object_id)
{
    sb_combat_remove_ship(e->combat, object_id);
    drop_orders_of(e, object_id);
}

static void remove_ship(engine *e, model_ship *s)
{
    remove_from_combat(e, s->ship.object_id);
    s->used = false;
}

/* A player has one ship. */
static void remove_previous_ship(engine *e, uint32_t object_id)
{
    int slot = sb_slot_of_id(object_id);
    for (unsigned i = 0; i < SHIPS; i++)
        if (e->ships[i].used && sb_slot_of_id(e->ships[i].ship.object_id) == slot)
            remove_ship(e, &e->ships[i]);
}

static model_ship *free_row(engine *e)
{
    for (unsigned i = 0; i < SHIPS; i++)
        if (!e->ships[i].used) return &e->ships[i];
    return NULL;
}

static void keep_batteries(model_ship *s)
{
    s->main_battery = s->ship.main_battery;
    s->backup_battery = s->ship.backup_battery;
}

/* A client neither charges nor drains batteries: it has those of the last block. */
static void restore_batteries(engine *e)
{
    for (unsigned i = 0; i < SHIPS; i++) {
        model_ship *s = &e->ships[i];
        s->ship.main_battery = s->main_battery;
        s->ship.backup_battery = s->backup_battery;
    }
}

/* What the simulation of a client does otherwise than a host's. */
static void adapt_fighter(engine *e, const model_ship *s)
{
    sb_fighter *f = sb_combat_find_fighter(e->combat, s->ship.object_id);
    assert(f);
    f->added_at -= sb_random_below(&e->random, RECHARGE_STEPS);
    f->recharge_at = f->added_at;
    sb_combat_init_shields(f);
    f->repair = SB_NO_PART;
    if (s->own) f->constants.beam_recharge_others = 1.0f;
}

/* Owner 0 can be short of power (sb_combat_step_power); other owners cannot. */
static void add_to_combat(engine *e, model_ship *s)
{
    sb_result result =
        sb_combat_add_ship(e->combat, &s->ship, s->own ? 0 : 2, 1, clock_of(e, e->now));
    assert(result == SB_OK);
    (void)result;
    if (s->ship.model) adapt_fighter(e, s);
}

static void init_row(model_ship *s, bool own)
{
    *s = (model_ship){ .used = true, .own = own, .hit_at = LONG_AGO, .collided_at = LONG_AGO };
    for (unsigned i = 0; i < SB_PARTS; i++) s->repaired_at[i] = LONG_AGO;
}

static void handle_creation(engine *e, const sb_message *m)
{
    const sb_object_create *create = &m->as.object_create;
    if (create->class_id != SB_CLASS_SHIP || find_ship(e, create->object_id)) return;
    remove_previous_ship(e, create->object_id);
    model_ship *s = free_row(e);
    if (!s) return;
    init_row(s, e->sent_by_us);
    sb_ship_read_creation(&s->ship, create, NULL);
    keep_batteries(s);
    sb_receiver_init(&s->receiver, s->own ? SB_RECEIVE_OWN : SB_RECEIVE_OTHER, &s->ship, e->now);
    add_to_combat(e, s);
    e->totals.ships++;
}

static void handle_destroy(engine *e, const sb_message *m)
{
    model_ship *s = find_ship(e, m->as.object_ref.object_id);
    if (s) remove_ship(e, s);
}

/* Only the host decides deaths. */
static void handle_python_event(engine *e, const sb_message *m)
{
    const sb_event *event = &m->as.event;
    if (event->event_class != SB_EVENT_OBJECT_EXPLODING) return;
    model_ship *s = find_ship(e, event->destination);
    if (!s || s->wreck) return;
    s->wreck = true;
    remove_from_combat(e, s->ship.object_id);
    e->totals.deaths++;
}

/* ---- beams ---- */

static order *find_order(engine *e, uint32_t ship, uint32_t system)
{
    for (unsigned i = 0; i < ORDERS; i++)
        if (e->orders[i].used && e->orders[i].ship == ship && e->orders[i].system == system)
            return &e->orders[i];
    return NULL;
}

static order *free_order(engine *e)
{
    for (unsigned i = 0; i < ORDERS; i++)
        if (!e->orders[i].used) return &e->orders[i];
    return NULL;
}

static void start_order(engine *e, order *o)
{
    o->started = true;
    sb_combat_start_firing(e->combat, o->ship, o->system, o->target, o->aim);
}

static sb_time wait_of_bank(engine *e)
{
    return e->config->beams_at_once ? 0 : sb_random_below(&e->random, GATE_US);
}

/* The game sends StartFiring twice; the second one only changes the aim. */
static void handle_start_firing(engine *e, const sb_message *m)
{
    const sb_event *event = &m->as.event;
    model_ship     *s = find_ship_of_part(e, event->destination);
    if (!s || s->wreck || event->event_class != SB_EVENT_START_FIRING) return;
    order *o = find_order(e, s->ship.object_id, event->destination);
    bool   again = o && o->target == event->target;
    if (!o) o = free_order(e);
    if (!o) return;
    bool started = again && o->started;
    *o = (order){ .used = true,
                  .due = again ? o->due : e->now + wait_of_bank(e),
                  .ship = s->ship.object_id,
                  .system = event->destination,
                  .target = event->target,
                  .aim = event->offset };
    if (started) start_order(e, o);
    else if (!again) e->totals.orders++;
}

/* StopFiring, and StopFiringAtTarget, which names the target. */
static void handle_stop_firing(engine *e, const sb_message *m)
{
    const sb_event *event = &m->as.event;
    uint32_t        target = event->event_class == SB_EVENT_OBJECT_POINTER ? event->third : 0;
    model_ship     *s = find_ship_of_part(e, event->destination);
    if (!s) return;
    order *o = find_order(e, s->ship.object_id, event->destination);
    if (o && target != 0 && o->target != target) return;
    if (o) o->used = false;
    sb_combat_stop_firing(e->combat, s->ship.object_id, event->destination, target);
}

/* ---- shots ---- */

/* The owner fired it, so the tube was loaded. */
static void load_tube(engine *e, uint32_t ship, uint32_t tube)
{
    sb_fighter *f = sb_combat_find_fighter(e->combat, ship);
    sb_weapon *w = f ? sb_combat_learn_weapon(e->combat, f, tube, SB_SUBSYSTEM_TORPEDO_TUBE) : NULL;
    if (!w || w->ready > 0) return;
    w->ready = 1;
    if (w->loading > 0) w->loading--;
}

static void handle_torpedo(engine *e, const sb_message *m)
{
    const sb_torpedo_fire *t = &m->as.torpedo_fire;
    model_ship            *s = find_ship_of_part(e, t->tube);
    if (!s || s->wreck) return;
    load_tube(e, s->ship.object_id, t->tube);
    sb_combat_torpedo(e->combat, s->ship.object_id, t->tube, t->projectile_type, t->direction,
                      t->target, t->aim);
    e->totals.shots++;
}

static void handle_pulse(engine *e, const sb_message *m)
{
    const sb_pulse_fire *p = &m->as.pulse_fire;
    model_ship          *s = find_ship_of_part(e, p->weapon);
    if (!s || s->wreck) return;
    sb_combat_pulse(e->combat, s->ship.object_id, p->weapon, p->projectile_type, p->direction,
                    p->flags & SB_PULSE_HAS_TARGET ? p->target : 0);
    e->totals.shots++;
}

/* ---- switches ---- */

static void handle_switch(engine *e, const sb_message *m)
{
    const sb_event *event = &m->as.event;
    model_ship     *s = find_ship_of_part(e, event->destination);
    if (s && event->event_class == SB_EVENT_BOOL)
        sb_combat_switch(e->combat, s->ship.object_id, event->destination, event->value != 0);
}

static void handle_phaser_level(engine *e, const sb_message *m)
{
    const sb_event *event = &m->as.event;
    model_ship     *s = find_ship_of_part(e, event->destination);
    if (s && event->event_class == SB_EVENT_CHAR)
        sb_combat_phaser_level(e->combat, s->ship.object_id, event->destination, event->value);
}

static void handle_torpedo_type(engine *e, const sb_message *m)
{
    const sb_event *event = &m->as.event;
    model_ship     *s = find_ship_of_part(e, event->destination);
    if (s && event->event_class == SB_EVENT_CHAR)
        sb_combat_torpedo_type(e->combat, s->ship.object_id, event->destination, event->value);
}

/* ---- health blocks ---- */

static void add_byte(stock_engine_update *u, stock_engine_byte_kind kind, unsigned index, int child,
                     uint8_t host_code, float value, float max)
{
    assert(u->count < STOCK_ENGINE_BYTES);
    u->bytes[u->count++] =
        (stock_engine_byte){ .kind = (uint8_t)kind,
                             .index = (uint8_t)index,
                             .child = (int8_t)child,
                             .host_code = host_code,
                             .host = (float)host_code,
                             .host_only = kind == STOCK_ENGINE_BATTERY,
                             .computed = max > 0.0f ? value / max * 255.0f : 0.0f };
}

/* The last block left the host one way before it arrived. */
static void mark_host_only(const engine *e, model_ship *s, unsigned part, stock_engine_byte *byte)
{
    sb_time since = s->told_at[part] - 2 * e->delay_us;
    byte->host_only = s->repaired_at[part] > since || s->collided_at > since;
    s->told_at[part] = e->now;
}

/* NULL: not wanted, or not recorded. */
static const recording_exact *find_exact(const engine *e, const model_ship *s)
{
    for (unsigned i = 0; e->config->exact && i < EXACT_VALUES; i++)
        if (s->exact[i].at == e->now) return &s->exact[i].values;
    return NULL;
}

/* The values that the block told, before they were rounded. */
static void restore_exact(model_ship *s, const recording_exact *x, const sb_subsystem_state *entry)
{
    const sb_ship_class      *m = s->ship.model;
    const sb_subsystem_class *part = &m->subsystems[entry->index];
    s->ship.condition[entry->index] = x->entries[entry->index] / 255.0f * part->max_condition;
    for (unsigned i = part->first_child; i < part->first_child + part->child_count; i++)
        s->ship.child_condition[i] = x->children[i] / 255.0f * m->children[i].max_condition;
    if (part->format == SB_FORMAT_SHIELD)
        for (unsigned i = 0; i < SB_FACINGS; i++)
            s->ship.facing[i] = x->facings[i] / 255.0f * m->shield_max[i];
}

static float exact_value(const recording_exact *x, const sb_ship_class *m,
                         const stock_engine_byte *b)
{
    if (b->kind == STOCK_ENGINE_FACING) return x->facings[b->index];
    if (b->child < 0) return x->entries[b->index];
    return x->children[m->subsystems[b->index].first_child + (unsigned)b->child];
}

static void use_exact(model_ship *s, const recording_exact *x, const sb_state_update *state,
                      stock_engine_update *u)
{
    for (unsigned i = 0; i < state->entry_count; i++) restore_exact(s, x, &state->entries[i]);
    for (unsigned i = 0; i < u->count; i++)
        if (u->bytes[i].kind != STOCK_ENGINE_BATTERY)
            u->bytes[i].host = exact_value(x, s->ship.model, &u->bytes[i]);
}

static void compare_entry(const engine *e, model_ship *s, const sb_ship *before,
                          const sb_subsystem_state *entry, stock_engine_update *u)
{
    const sb_ship_class      *m = before->model;
    const sb_subsystem_class *part = &m->subsystems[entry->index];
    add_byte(u, STOCK_ENGINE_CONDITION, entry->index, -1, entry->condition_code,
             before->condition[entry->index], part->max_condition);
    mark_host_only(e, s, entry->index, &u->bytes[u->count - 1]);
    for (unsigned i = 0; i < part->child_count; i++) {
        unsigned child = part->first_child + i;
        add_byte(u, STOCK_ENGINE_CONDITION, entry->index, (int)i, entry->children[i],
                 before->child_condition[child], m->children[child].max_condition);
        mark_host_only(e, s, SB_CHILD_PART + child, &u->bytes[u->count - 1]);
    }
    if (part->format == SB_FORMAT_REACTOR) {
        add_byte(u, STOCK_ENGINE_BATTERY, 0, -1, entry->main_battery_code, before->main_battery,
                 m->main_battery);
        add_byte(u, STOCK_ENGINE_BATTERY, 1, -1, entry->backup_battery_code, before->backup_battery,
                 m->backup_battery);
    }
    if (part->format == SB_FORMAT_SHIELD)
        for (unsigned i = 0; i < SB_FACINGS; i++)
            add_byte(u, STOCK_ENGINE_FACING, i, -1, entry->facings[i], before->facing[i],
                     m->shield_max[i]);
}

static void report_block(engine *e, model_ship *s, const sb_ship *before,
                         const sb_state_update *state)
{
    stock_engine_update u = { .at = e->now,
                              .object_id = s->ship.object_id,
                              .ship = s->ship.model->key,
                              .own = s->own,
                              .quiet = e->now - s->hit_at > 2 * e->delay_us + QUIET_US };
    for (unsigned i = 0; i < state->entry_count; i++)
        compare_entry(e, s, before, &state->entries[i], &u);
    const recording_exact *exact = find_exact(e, s);
    if (exact) use_exact(s, exact, state, &u);
    if (!s->wreck) e->config->on_update(e->config->context, &u);
}

static void receive_state(engine *e, sb_span bytes)
{
    sb_state_update state;
    if (bytes.size < 10) return;
    model_ship *s = find_ship(e, sb_load_u32(bytes.data + 1));
    if (!s) return;
    sb_ship before = s->ship;
    if (sb_receiver_apply(&s->receiver, &s->ship, e->now, SB_SHIELD_STOCK, bytes, &state) != SB_OK)
        return;
    keep_batteries(s);
    if (!s->own) sb_combat_moved(e->combat, s->ship.object_id, clock_of(e, e->now));
    if (state.flags & SB_STATE_SUBSYS && s->ship.model) report_block(e, s, &before, &state);
}

/* ---- entries of the recording ---- */

typedef void (*message_handler)(engine *e, const sb_message *m);

static const message_handler handlers[256] = {
    [SB_OP_OBJECT_CREATE] = handle_creation,
    [SB_OP_PLAYER_OBJECT_CREATE] = handle_creation,
    [SB_OP_DESTROY_OBJECT] = handle_destroy,
    [SB_OP_PYTHON_EVENT] = handle_python_event,
    [SB_OP_START_FIRING] = handle_start_firing,
    [SB_OP_STOP_FIRING] = handle_stop_firing,
    [SB_OP_STOP_FIRING_AT_TARGET] = handle_stop_firing,
    [SB_OP_SUBSYSTEM_STATUS] = handle_switch,
    [SB_OP_PHASER_LEVEL] = handle_phaser_level,
    [SB_OP_TORPEDO_TYPE] = handle_torpedo_type,
    [SB_OP_TORPEDO_FIRE] = handle_torpedo,
    [SB_OP_PULSE_FIRE] = handle_pulse,
};

static void handle_message(engine *e, sb_span bytes)
{
    sb_message m;
    if (bytes.size == 0 || !handlers[bytes.data[0]]) return;
    if (sb_decode_message(bytes, NULL, &m, NULL) != SB_OK) return;
    handlers[bytes.data[0]](e, &m);
}

static sb_vec3 vector_of(const float *v)
{
    return (sb_vec3){ v[0], v[1], v[2] };
}

static void update_own(engine *e, sb_span bytes)
{
    recording_own_ship own;
    model_ship        *s = recording_get_own(bytes, &own) ? find_ship(e, own.object_id) : NULL;
    if (!s) return;
    s->ship.motion.position = vector_of(own.position);
    sb_motion_set_axes(&s->ship.motion, vector_of(own.forward), vector_of(own.up));
    sb_motion_set_speed(&s->ship.motion, own.speed);
    s->ship.cloaked = own.cloaked;
    for (unsigned i = 0; i < RECORDING_ENTRIES; i++) {
        s->ship.power_wanted[i] = own.power_wanted[i];
        s->ship.on[i] = own.on[i];
    }
    sb_combat_moved(e->combat, own.object_id, clock_of(e, e->now));
}

static void note_host_hit(engine *e, sb_span bytes)
{
    model_ship *s = find_ship(e, sb_load_u32(bytes.data));
    if (s) s->hit_at = e->now;
    if (s && bytes.data[4]) s->collided_at = e->now;
    e->totals.hits_at_host++;
}

static void note_host_repair(engine *e, sb_span bytes)
{
    model_ship *s = find_ship(e, sb_load_u32(bytes.data));
    if (!s || !s->ship.model || bytes.data[4] >= s->ship.model->subsystem_count) return;
    int      child = (int8_t)bytes.data[5];
    unsigned first = s->ship.model->subsystems[bytes.data[4]].first_child;
    unsigned part = child < 0 ? bytes.data[4] : SB_CHILD_PART + first + (unsigned)child;
    if (part < SB_PARTS) s->repaired_at[part] = e->now;
}

static void store_exact(engine *e, sb_span bytes)
{
    recording_exact exact;
    model_ship     *s = recording_get_exact(bytes, &exact) ? find_ship(e, exact.object_id) : NULL;
    if (!s || !s->ship.model || exact.entry_count != s->ship.model->subsystem_count ||
        exact.child_count != s->ship.model->child_count)
        return;
    s->exact[s->exact_next] = (exact_values){ e->now + e->delay_us, exact };
    s->exact_next = (s->exact_next + 1) % EXACT_VALUES;
}

static void handle_entry(engine *e, const recording_entry *entry)
{
    sb_span bytes = entry->bytes;
    if (entry->kind == RECORDING_LINK) e->delay_us = sb_load_u32(bytes.data);
    if (entry->kind == RECORDING_OWN) update_own(e, bytes);
    if (entry->kind == RECORDING_HIT) note_host_hit(e, bytes);
    if (entry->kind == RECORDING_EXACT && e->config->exact) store_exact(e, bytes);
    if (entry->kind == RECORDING_REPAIR) note_host_repair(e, bytes);
    e->sent_by_us = entry->kind == RECORDING_SENT;
    if (e->sent_by_us) handle_message(e, bytes);
    if (entry->kind != RECORDING_RECEIVED) return;
    if (bytes.size && bytes.data[0] == SB_OP_STATE_UPDATE) receive_state(e, bytes);
    else handle_message(e, bytes);
}

/* ---- time ---- */

static void on_combat(void *context, const sb_combat_event *event)
{
    engine *e = context;
    if (event->type == SB_COMBAT_EXPLODING) e->killed = event->object_id;
    if (event->type != SB_COMBAT_HIT) return;
    model_ship *s = find_ship(e, event->object_id);
    if (s) s->hit_at = e->now;
    e->totals.hits_here++;
}

/* A ship that has lost a critical part here lives on until the host reports its death. The death
 * has stopped the beams of and at the ship: they go on. */
static void revive(engine *e)
{
    sb_fighter *f = sb_combat_find_fighter(e->combat, e->killed);
    uint32_t    id = e->killed;
    e->killed = 0;
    if (!f) return;
    f->life = SB_LIFE_ALIVE;
    for (unsigned i = 0; i < ORDERS; i++) {
        order *o = &e->orders[i];
        if (o->used && o->started && (o->ship == id || o->target == id)) start_order(e, o);
    }
}

static void start_due_orders(engine *e)
{
    for (unsigned i = 0; i < ORDERS; i++) {
        order *o = &e->orders[i];
        if (o->used && !o->started && o->due <= e->now) start_order(e, o);
    }
}

static void advance(engine *e, sb_time until)
{
    for (;;) {
        sb_time due = sb_combat_next_deadline(e->combat);
        if (due == SB_TIME_NEVER || due - e->offset > until) break;
        e->now = due - e->offset;
        start_due_orders(e);
        sb_combat_advance(e->combat, due);
        if (e->killed) revive(e);
        restore_batteries(e);
    }
    e->now = until;
}

/* ---- a session ---- */

static sb_combat *create_combat(void)
{
    sb_combat_config config;
    sb_combat_defaults(&config);
    config.max_ships = SHIPS;
    config.constants.torpedo_tolerance = 1e6f;
    config.constants.pulse_tolerance = 1e6f;
    config.constants.cooldown_tolerance = 1e6f;
    void *memory = malloc(sb_combat_bytes(&config));
    assert(memory);
    sb_combat *combat = sb_combat_init(memory, &config, 0);
    combat->step = FIRST_STEP;
    return combat;
}

stock_engine_totals stock_engine_play(const recording *r, const stock_engine_config *config)
{
    engine *e = calloc(1, sizeof *e);
    assert(e);
    e->config = config;
    sb_random_init(&e->random, config->seed);
    e->offset = sb_random_below(&e->random, 1000000);
    e->combat = create_combat();
    sb_combat_listen(e->combat, on_combat, e, false);
    recording_entry entry;
    for (size_t at = 0; recording_next(r, &at, &entry);) {
        advance(e, entry.at);
        handle_entry(e, &entry);
    }
    stock_engine_totals totals = e->totals;
    free(e->combat);
    free(e);
    return totals;
}
