/* src/lab/lab.c -- the scenario of an experiment: two ships, their state at time 0, and the run.
 *
 * For:      starbase/lab.h.
 * Tests:    tests/lab/lab_test.c
 */
#include "lab/lab_internal.h"

#include "base/assert.h"
#include "base/bytes.h"
#include "ship/codes.h"
#include "ship/vectors.h"

#include <string.h>

#define PI 3.14159265358979323846

enum {
    SET = 1,
    ATTACKER_OWNER = 2, /* peer ids */
    TARGET_OWNER = 3,
    DISCHARGE_STEPS_MAX = 120 * SB_COMBAT_STEPS_PER_S, /* a bank that never empties ends there */
};

static const char *const action_names[SB_LAB_ACTION_COUNT] = {
    "nothing", "phasers", "pulses", "torpedoes", "everything", "tractor", "ram", "throttle", "turn",
};

const char *sb_lab_action_name(sb_lab_action action)
{
    SB_ASSERT((unsigned)action < SB_LAB_ACTION_COUNT);
    return action_names[action];
}

bool sb_lab_find_action(const char *name, sb_lab_action *out)
{
    for (unsigned i = 0; i < SB_LAB_ACTION_COUNT; i++) {
        if (strcmp(action_names[i], name) != 0) continue;
        *out = (sb_lab_action)i;
        return true;
    }
    return false;
}

/* ---- the scenario ---- */

/* Nothing lags here, so nothing may fire early or outside its arc. */
static void remove_tolerances(sb_combat_constants *constants)
{
    static const char *const names[] = { "arc_tolerance", "cooldown_tolerance", "pulse_tolerance",
                                         "torpedo_tolerance" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        (void)!sb_combat_constant_set(constants, names[i], 0.0f);
}

void sb_lab_defaults(sb_lab_scenario *s)
{
    *s = (sb_lab_scenario){
        .range = 57.0f,
        .action = SB_LAB_PHASERS,
        .level = 2,
        .pulse_level = 1,
        .seconds = 12.0f,
        .shields = 1.0f,
        .facing = -1,
        .generator = 1.0f,
        .shield_power = 1.0f,
        .wait = 1.0f, /* as the captures: their order comes 1.0 s after the first sample */
        .charge = -1.0f,
        .weapon_power = 1.0f,
        .sliders = 1.0f,
        .main_battery = 1.0f,
        .slot = -1,
        .throttle = 1.0f,
        .turn_rate = -1.0f,
    };
    sb_combat_constants_default(&s->constants);
    remove_tolerances(&s->constants);
}

static bool is_between(float value, float least, float most)
{
    return value >= least && value <= most; /* false for NaN */
}

static bool is_valid_class(const sb_ship_class *c)
{
    return c && c->subsystem_count > 0 && c->subsystem_count <= SB_SUBSYSTEMS_MAX &&
           c->child_count <= SB_SHIP_CHILDREN_MAX;
}

static bool is_valid_scenario(const sb_lab_scenario *s)
{
    return is_valid_class(s->attacker) && is_valid_class(s->target) &&
           is_between(s->range, 0.0f, 1e5f) && is_between(s->bearing, -360.0f, 360.0f) &&
           is_between(s->elevation, -90.0f, 90.0f) && s->action < SB_LAB_ACTION_COUNT &&
           s->level <= 2 && s->pulse_level <= 2 && is_between(s->seconds, 0.0f, 86400.0f) &&
           is_between(s->shields, 0.0f, 1.0f) && s->facing < SB_FACINGS &&
           is_between(s->generator, 0.0f, 1.0f) && is_between(s->shield_power, 0.0f, 1.25f) &&
           is_between(s->weapon_power, 0.0f, 1.25f) && is_between(s->sliders, 0.0f, 1.25f) &&
           is_between(s->main_battery, 0.0f, 1.0f) && is_between(s->speed, 0.0f, 1e4f) &&
           is_between(s->wait, 0.0f, 60.0f) && is_between(s->throttle, -2.0f, 2.0f) &&
           is_between(s->turn_rate, -1.0f, 100.0f);
}

/* ---- memory ---- */

static void set_combat_config(sb_combat_config *config)
{
    sb_combat_defaults(config);
    config->max_ships = SB_LAB_SHIPS;
}

size_t sb_lab_bytes(void)
{
    sb_combat_config config;
    set_combat_config(&config);
    return sizeof(sb_lab) + sb_combat_bytes(&config);
}

_Static_assert(sizeof(sb_lab) % sizeof(void *) == 0, "the simulation follows, aligned");

/* ---- ships ---- */

/* Makes a copy of a class in which every part has an id. */
static const sb_ship_class *copy_class(sb_lab *lab, unsigned ship, const sb_ship_class *from)
{
    sb_ship_class      *to = &lab->models[ship];
    sb_subsystem_class *entries = lab->subsystems[ship], *children = lab->children[ship];
    int16_t             next = 0;
    *to = *from;
    for (unsigned i = 0; i < from->subsystem_count; i++) entries[i] = from->subsystems[i];
    for (unsigned i = 0; i < from->child_count; i++) children[i] = from->children[i];
    for (unsigned i = 0; i < from->subsystem_count; i++) {
        entries[i].creation_index = next++;
        for (unsigned j = 0; j < entries[i].child_count; j++)
            children[entries[i].first_child + j].creation_index = next++;
    }
    to->subsystems = entries;
    to->children = children;
    return to;
}

uint32_t sb_lab_part_id(const sb_lab *lab, unsigned ship, unsigned index, int child)
{
    return sb_subsystem_id(&lab->models[ship], lab->ships[ship].object_id, index, child);
}

/* Cosine and sine of an angle, the same on every machine: the angle is brought into -45..45
 * degrees, where a Taylor series of 7 terms is exact in float. */
static void rotate(float degrees, float *cosine, float *sine)
{
    int    quarter = 0;
    double rest = (double)degrees;
    while (rest > 45.0) rest -= 90.0, quarter++;
    while (rest < -45.0) rest += 90.0, quarter--;
    double x = rest * (PI / 180.0), square = x * x, c = 0.0, s = 0.0;
    for (int n = 14; n > 0; n -= 2) {
        c = (1.0 + c) * -square / ((n - 1) * n);
        s = (1.0 + s) * -square / (n * (n + 1));
    }
    c += 1.0;
    s = x * (1.0 + s);
    double swapped[4] = { c, -s, -c, s };
    *cosine = (float)swapped[quarter & 3];
    *sine = (float)swapped[(quarter + 3) & 3];
}

/* The attacker stands at range, bearing and elevation, its bow to the target, its deck level. */
static void place_ships(sb_lab *lab)
{
    const sb_lab_scenario *s = &lab->scenario;
    float                  cb, sb, ce, se;
    rotate(s->bearing, &cb, &sb);
    rotate(s->elevation, &ce, &se);
    sb_vec3    outward = { sb * ce, cb * ce, se }, up = { -sb * se, -cb * se, ce };
    sb_motion *m = &lab->ships[SB_LAB_ATTACKER].motion;
    m->position = sb_v_scale(outward, s->range);
    sb_motion_set_axes(m, sb_v_scale(outward, -1.0f), up);
    if (s->action == SB_LAB_THROTTLE) sb_motion_set_speed(m, s->speed);
}

static void set_attacker(sb_lab *lab)
{
    const sb_lab_scenario *s = &lab->scenario;
    sb_ship               *ship = &lab->ships[SB_LAB_ATTACKER];
    ship->main_battery = ship->model->main_battery * s->main_battery;
    ship->backup_battery = ship->model->backup_battery;
    for (unsigned i = 0; i < ship->model->subsystem_count; i++) {
        unsigned type = ship->model->subsystems[i].type;
        bool     tractor = type == SB_SUBSYSTEM_TRACTOR_SYSTEM;
        bool     weapon = sb_is_weapon_system(type) && !tractor;
        ship->power_wanted[i] =
            sb_is_weapon_system(type) && s->weapon_power != 1.0f ? s->weapon_power : s->sliders;
        if (type == SB_SUBSYSTEM_PULSE_SYSTEM) ship->setting[i] = s->pulse_level;
        if (s->green && (weapon || type == SB_SUBSYSTEM_SHIELD)) ship->on[i] = false;
    }
}

static void set_target(sb_lab *lab)
{
    const sb_lab_scenario *s = &lab->scenario;
    sb_ship               *ship = &lab->ships[SB_LAB_TARGET];
    sb_ship_init(ship, ship->model, ship->species, ship->object_id);
    for (int i = 0; i < SB_FACINGS; i++)
        if (s->facing < 0 || s->facing == i) ship->facing[i] *= s->shields;
    for (unsigned i = 0; i < ship->model->subsystem_count; i++) {
        unsigned type = ship->model->subsystems[i].type;
        if (type == SB_SUBSYSTEM_SHIELD) {
            ship->condition[i] *= s->generator;
            ship->power_wanted[i] = s->shield_power;
        }
        if (s->disarmed && sb_is_weapon_system(type) && type != SB_SUBSYSTEM_TRACTOR_SYSTEM)
            ship->condition[i] = 0.0f;
    }
}

static void on_event(void *context, const sb_combat_event *event)
{
    sb_lab *lab = context;
    if (lab->silent || !lab->observer.on_event) return;
    /* Events of a step carry the time at which the step ends. */
    lab->observer.on_event(lab->observer.context, sb_lab_time(lab), event);
}

static void init(sb_lab *lab, const sb_lab_scenario *scenario, const sb_lab_observer *observer)
{
    sb_combat_config config;
    memset(lab, 0, sizeof *lab);
    lab->scenario = *scenario;
    if (observer) lab->observer = *observer;
    set_combat_config(&config);
    config.constants = scenario->constants;
    config.projectiles = scenario->projectiles;
    lab->combat = sb_combat_init(lab + 1, &config, 0);
    sb_combat_listen(lab->combat, on_event, lab, true);
    const sb_ship_class *a = copy_class(lab, SB_LAB_ATTACKER, scenario->attacker);
    const sb_ship_class *t = copy_class(lab, SB_LAB_TARGET, scenario->target);
    sb_ship_init(&lab->ships[SB_LAB_ATTACKER], a, a->species, SB_LAB_ATTACKER_ID);
    sb_ship_init(&lab->ships[SB_LAB_TARGET], t, t->species, SB_LAB_TARGET_ID);
    set_attacker(lab);
    set_target(lab);
    place_ships(lab);
}

static void add_ships(sb_lab *lab)
{
    sb_result attacker =
        sb_combat_add_ship(lab->combat, &lab->ships[SB_LAB_ATTACKER], ATTACKER_OWNER, SET, 0);
    sb_result target =
        sb_combat_add_ship(lab->combat, &lab->ships[SB_LAB_TARGET], TARGET_OWNER, SET, 0);
    SB_ASSERT(attacker == SB_OK);
    SB_ASSERT(target == SB_OK);
}

/* ---- the run ---- */

float sb_lab_time(const sb_lab *lab)
{
    return (float)lab->step / SB_COMBAT_STEPS_PER_S;
}

static void advance(sb_lab *lab)
{
    sb_time due = sb_combat_next_deadline(lab->combat);
    lab->step++;
    if (!lab->silent) sb_lab_steer(lab, due);
    sb_combat_advance(lab->combat, due);
}

static void read_weapons(sb_lab *lab)
{
    const sb_ship_class *m = &lab->models[SB_LAB_ATTACKER];
    for (unsigned i = 0; i < m->subsystem_count; i++)
        for (unsigned j = 0; j < m->subsystems[i].child_count; j++) {
            sb_weapon_state *state = &lab->weapons[m->subsystems[i].first_child + j];
            if (!sb_combat_weapon(lab->combat, SB_LAB_ATTACKER_ID, i, j, state))
                *state = (sb_weapon_state){ 0 };
        }
}

/* The target's own client moves it; here it stands still, and the pull is only computed. */
static sb_pull pull_on_target(const sb_lab *lab)
{
    const sb_ship *a = &lab->ships[SB_LAB_ATTACKER], *t = &lab->ships[SB_LAB_TARGET];
    sb_vec3        to = sb_v_sub(t->motion.position, a->motion.position);
    sb_pull        sum = { 0 };
    if (lab->scenario.action != SB_LAB_TRACTOR) return sum;
    for (unsigned i = 0; i < a->model->subsystem_count; i++)
        sum = sb_pull_add(sum, sb_ship_pull(a, i, to, t->model->mass));
    return sum;
}

static void report_sample(sb_lab *lab)
{
    if (!lab->observer.on_sample) return;
    read_weapons(lab);
    sb_lab_sample sample = {
        .time = sb_lab_time(lab),
        .attacker = &lab->ships[SB_LAB_ATTACKER],
        .target = &lab->ships[SB_LAB_TARGET],
        .turn_rate = lab->turn_rate,
        .pull = pull_on_target(lab),
        .weapons = lab->weapons,
        .target_alive = sb_combat_is_alive(lab->combat, SB_LAB_TARGET_ID),
    };
    if (!lab->observer.on_sample(lab->observer.context, &sample)) lab->ended = true;
}

/* True while a bank has more charge than the scenario wants and can still spend it. */
static bool is_discharging(const sb_lab *lab)
{
    for (unsigned i = 0; i < lab->models[SB_LAB_ATTACKER].child_count; i++)
        if (lab->weapons[i].firing && lab->weapons[i].charge > lab->scenario.charge) return true;
    return lab->step < SB_COMBAT_STEPS_PER_S; /* banks take a moment to start */
}

/* Brings the banks down to the wanted charge by firing them, and then repairs the target. */
static void discharge(sb_lab *lab)
{
    lab->silent = true;
    sb_lab_open_fire(lab);
    while (lab->step < DISCHARGE_STEPS_MAX && is_discharging(lab)) {
        advance(lab);
        read_weapons(lab);
        set_target(lab);
    }
    sb_lab_cease_fire(lab);
    advance(lab);
    set_target(lab);
    lab->step = 0;
    lab->silent = false;
}

/* Lets time pass without callbacks, and then restores both ships. */
static void wait(sb_lab *lab)
{
    lab->silent = true;
    while (sb_lab_time(lab) < lab->scenario.wait) advance(lab);
    set_attacker(lab);
    set_target(lab);
    lab->step = 0;
    lab->silent = false;
}

/* The impulse of an elastic collision does damage to both ships; each is reported by its owner
 * (spec 08 §10.3). */
static void ram(sb_lab *lab)
{
    const sb_ship_class *a = &lab->models[SB_LAB_ATTACKER], *t = &lab->models[SB_LAB_TARGET];
    float   impulse = 2.0f * a->mass * t->mass * lab->scenario.speed / (a->mass + t->mass);
    sb_vec3 outward = lab->ships[SB_LAB_ATTACKER].motion.forward;
    sb_cv4b bow = sb_encode_cv4b((sb_vec3){ 0.0f, a->bound_radius, 0.0f }, a->bound_radius);
    sb_cv4b side = sb_encode_cv4b(sb_v_scale(outward, -t->bound_radius), t->bound_radius);
    sb_time now = sb_combat_next_deadline(lab->combat);
    sb_combat_collision(lab->combat, SB_LAB_TARGET_ID, SB_LAB_ATTACKER_ID, SB_LAB_TARGET_ID, &side,
                        1, impulse, now);
    sb_combat_collision(lab->combat, SB_LAB_ATTACKER_ID, SB_LAB_TARGET_ID, SB_LAB_ATTACKER_ID, &bow,
                        1, impulse, now);
}

static bool is_over(const sb_lab *lab)
{
    if (lab->ended || sb_lab_time(lab) >= lab->scenario.seconds) return true;
    return lab->scenario.until_death && !sb_combat_is_alive(lab->combat, SB_LAB_TARGET_ID);
}

/* Wrecks are removed after a while; the simulation needs at least one ship to run. */
static void play(sb_lab *lab)
{
    report_sample(lab);
    if (lab->scenario.action == SB_LAB_RAM) ram(lab);
    else sb_lab_open_fire(lab);
    while (!is_over(lab) && sb_combat_next_deadline(lab->combat) != SB_TIME_NEVER) {
        sb_lab_fire(lab);
        advance(lab);
        report_sample(lab);
    }
}

sb_result sb_lab_run(void *memory, const sb_lab_scenario *scenario, const sb_lab_observer *observer)
{
    sb_lab *lab = memory;
    if (!is_valid_scenario(scenario)) return SB_BAD_VALUE;
    init(lab, scenario, observer);
    if (!sb_lab_has_weapon(lab)) return SB_NOT_ALLOWED;
    add_ships(lab);
    if (scenario->charge >= 0.0f) discharge(lab);
    wait(lab);
    play(lab);
    return SB_OK;
}
