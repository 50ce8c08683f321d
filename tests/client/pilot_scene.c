/* tests/client/pilot_scene.c -- see pilot_scene.h. */
#include "pilot_scene.h"

#include "test.h"

#include <string.h>

static sb_subsystem_class entries[SCENE_ENTRIES], children[SCENE_CHILDREN];
static sb_weapon_class    weapons[SCENE_CHILDREN];
static sb_ordnance        ordnance[2];

static void set_entries(scene *s)
{
    static const struct {
        uint8_t type, format, first_child, child_count;
        float   power;
    } rows[SCENE_ENTRIES] = {
        [HULL] = { SB_SUBSYSTEM_HULL, SB_FORMAT_BASE, 0, 0, 0 },
        [SHIELD] = { SB_SUBSYSTEM_SHIELD, SB_FORMAT_SHIELD, 0, 0, 20 },
        [REACTOR] = { SB_SUBSYSTEM_POWER, SB_FORMAT_REACTOR, 0, 0, 0 },
        [IMPULSE] = { SB_SUBSYSTEM_IMPULSE, SB_FORMAT_POWERED, FIRST_ENGINE, 2, 20 },
        [CLOAK] = { SB_SUBSYSTEM_CLOAK, SB_FORMAT_POWERED, 0, 0, 30 },
        [BEAMS] = { SB_SUBSYSTEM_PHASER_SYSTEM, SB_FORMAT_POWERED, FIRST_BANK, 2, 20 },
        [CANNONS] = { SB_SUBSYSTEM_PULSE_SYSTEM, SB_FORMAT_POWERED, FIRST_CANNON, 2, 10 },
        [TUBES] = { SB_SUBSYSTEM_TORPEDO_SYSTEM, SB_FORMAT_POWERED, FIRST_TUBE, 2, 10 },
        [TRACTOR] = { SB_SUBSYSTEM_TRACTOR_SYSTEM, SB_FORMAT_POWERED, FIRST_PROJECTOR, 1, 30 },
        [SENSORS] = { SB_SUBSYSTEM_SENSOR, SB_FORMAT_POWERED, 0, 0, 10 },
    };
    for (unsigned i = 0; i < SCENE_ENTRIES; i++) {
        s->entries[i] = (sb_subsystem_class){ .type = rows[i].type,
                                              .format = rows[i].format,
                                              .first_child = rows[i].first_child,
                                              .child_count = rows[i].child_count,
                                              .critical = i == HULL || i == REACTOR,
                                              .max_condition = 1000,
                                              .disabled_below = 0.5f,
                                              .power_per_second = rows[i].power,
                                              .single_fire = SB_PROPERTY_NO };
    }
}

static void set_children(scene *s)
{
    static const uint8_t types[SCENE_CHILDREN] = {
        SB_SUBSYSTEM_ENGINE,       SB_SUBSYSTEM_ENGINE,       SB_SUBSYSTEM_PHASER_BANK,
        SB_SUBSYSTEM_PHASER_BANK,  SB_SUBSYSTEM_PULSE_WEAPON, SB_SUBSYSTEM_PULSE_WEAPON,
        SB_SUBSYSTEM_TORPEDO_TUBE, SB_SUBSYSTEM_TORPEDO_TUBE, SB_SUBSYSTEM_TRACTOR_PROJECTOR
    };
    for (unsigned i = 0; i < SCENE_CHILDREN; i++) {
        bool astern = i == FIRST_BANK + 1 || i == FIRST_TUBE + 1;
        s->weapons[i] = (sb_weapon_class){ .max_damage = 100,
                                           .max_damage_distance = 40,
                                           .max_charge = 5,
                                           .min_firing_charge = 3,
                                           .recharge_rate = 0.2f,
                                           .discharge_rate = 1,
                                           .reload_delay = 9,
                                           .immediate_delay = 0.25f,
                                           .max_ready = 2,
                                           .forward = { 0, astern ? -1 : 1, 0 },
                                           .up = { 0, 0, 1 },
                                           .arc_width = { -0.8f, 0.8f },
                                           .arc_height = { -0.8f, 0.8f },
                                           .cooldown_time = NAN };
        s->children[i] = (sb_subsystem_class){ .type = types[i],
                                               .max_condition = 100,
                                               .disabled_below = 0.5f,
                                               .has_position = true,
                                               .weapon = &s->weapons[i] };
    }
    s->children[FIRST_ENGINE].weapon = s->children[FIRST_ENGINE + 1].weapon = NULL;
}

static void set_model(scene *s)
{
    s->entries = entries;
    s->children = children;
    s->weapons = weapons;
    s->ordnance = ordnance;
    set_entries(s);
    set_children(s);
    s->ordnance[0] =
        (sb_ordnance){ .system_type = SB_SUBSYSTEM_TORPEDO_SYSTEM, .projectile_type = 2 };
    s->ordnance[1] =
        (sb_ordnance){ .system_type = SB_SUBSYSTEM_PULSE_SYSTEM, .projectile_type = 1 };
    s->model = (sb_ship_class){ .species = 200,
                                .can_cloak = true,
                                .mass = 100,
                                .max_speed = 10,
                                .max_accel = 1,
                                .max_angular_accel = 0.25f,
                                .max_angular_velocity = 0.5f,
                                .bound_radius = 4,
                                .main_battery = 1000,
                                .backup_battery = 200,
                                .main_conduit = 100,
                                .backup_conduit = 20,
                                .subsystems = s->entries,
                                .children = s->children,
                                .ordnance = s->ordnance,
                                .subsystem_count = SCENE_ENTRIES,
                                .child_count = SCENE_CHILDREN,
                                .ordnance_count = 2 };
    for (unsigned i = 0; i < SB_FACINGS; i++) s->model.shield_max[i] = 1000;
}

static void give_ship(scene *s, sb_client *c, sb_vec3 position)
{
    world_put(c, 1, position, (sb_vec3){ 0, 1, 0 });
    sb_ship_init(&c->ship.ship, &s->model, 200, c->ship.ship.object_id);
    sb_motion_set_axes(&c->ship.ship.motion, (sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, 0, 1 });
    c->ship.ship.motion.position = position;
}

void scene_init(scene *s, sb_skill skill)
{
    sb_pilot_config config;
    memset(s, 0, sizeof *s);
    world_init(&s->w);
    s->w.now = 1000 * SB_SECOND;
    s->w.harmless = true;
    set_model(s);
    sb_pilot_defaults(&config);
    config.skill = (uint8_t)skill;
    config.arena = 500;
    s->me = world_add_pilot(&s->w, &config);
    give_ship(s, s->me, (sb_vec3){ 0, 0, 0 });
    s->pilot = &s->me->pilot;
    s->ship = &s->me->ship.ship;
    s->pilot->ship_id = s->ship->object_id;
    s->pilot->felt_hull = 1;
    s->pilot->stance = 1;
    memcpy(s->pilot->felt, s->ship->facing, sizeof s->pilot->felt);
    sb_pilot_load_weapons(s->pilot, s->ship);
}

sb_client *scene_add(scene *s, sb_vec3 position)
{
    sb_client *c = world_add_dummy(&s->w, 1, position, (sb_vec3){ 0, 1, 0 }, 0);
    give_ship(s, c, position);
    return c;
}

sb_view *scene_look(scene *s)
{
    world_refresh(s->me);
    sb_pilot_build_view(s->pilot, s->me, &s->me->ship, s->w.now, &s->view);
    return &s->view;
}

sb_view *scene_aim(scene *s, const sb_client *target)
{
    scene_look(s);
    s->view.target = sb_pilot_find_contact(&s->view, target->ship.ship.object_id);
    s->view.threat = s->view.target;
    CHECK(s->view.target != NULL);
    return &s->view;
}

void spread_add(spread *sp, sb_time time)
{
    if (sp->count == 0 || time < sp->shortest) sp->shortest = time;
    if (sp->count == 0 || time > sp->longest) sp->longest = time;
    sp->count++;
}

void spread_check(const spread *sp, sb_time least, sb_time most)
{
    sb_time slack = (most - least) / 50 + 1;
    CHECK(sp->count > 0);
    if (sp->shortest < least || sp->shortest >= least + slack)
        FAIL("shortest %lld", (long long)sp->shortest);
    if (sp->longest >= most || sp->longest < most - slack)
        FAIL("longest %lld", (long long)sp->longest);
}

bool is_near(float a, float b, float tolerance)
{
    return fabsf(a - b) <= tolerance;
}

bool is_same_vector(sb_vec3 a, sb_vec3 b)
{
    return sb_v_length(sb_v_sub(a, b)) < 1e-4f;
}
