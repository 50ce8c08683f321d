/* src/replica/creation.c -- ships from and to creation messages.
 *
 * For:      servers and headless players.
 * Spec:     07 §2.2, §2.3.
 */
#include <starbase/message_object.h>
#include <starbase/replica.h>

#include "ship/codes.h"

/* A negative code is a system that is off and keeps its setting (spec 03 §11). */
static void read_power(sb_ship *ship, unsigned index, int code)
{
    ship->on[index] = code >= 1;
    ship->power_wanted[index] = sb_power_of_percent((unsigned)(code < 0 ? -code : code));
}

static void read_entry(sb_ship *ship, unsigned index, const sb_subsystem_snapshot *e)
{
    const sb_ship_class      *model = ship->model;
    const sb_subsystem_class *s = &model->subsystems[index];
    ship->condition[index] = sb_value_of_ratio(e->condition_code, s->max_condition);
    for (unsigned i = 0; i < s->child_count; i++)
        ship->child_condition[s->first_child + i] =
            sb_value_of_ratio(e->children[i], model->children[s->first_child + i].max_condition);
    if (sb_is_powered(s)) read_power(ship, index, e->power_code);
    if (s->format == SB_FORMAT_REACTOR) {
        ship->main_battery = sb_value_of_ratio(e->main_battery_code, model->main_battery);
        ship->backup_battery = sb_value_of_ratio(e->backup_battery_code, model->backup_battery);
    }
    if (s->format == SB_FORMAT_SHIELD)
        for (unsigned i = 0; i < SB_FACINGS; i++)
            ship->facing[i] = sb_value_of_ratio(e->facings[i], model->shield_max[i]);
    bool weapon = sb_is_weapon_system(s->type);
    if (weapon) ship->weapon_bit[index] = e->weapon_bit;
    if (weapon && s->type != SB_SUBSYSTEM_PULSE_SYSTEM) ship->setting[index] = e->setting;
}

/* Sets the speed along the ship's nose; the next update corrects it (spec 07 §2.2). The speed goes
 * through its wire code, which bounds it: the message may carry any finite float. */
static void read_velocity(sb_motion *m, sb_vec3 v)
{
    sb_vec3 f = m->forward;
    sb_motion_read_speed(m, sb_encode_cf16(v.x * f.x + v.y * f.y + v.z * f.z));
}

void sb_ship_read_creation(sb_ship *ship, const sb_object_create *create, const sb_ship_set *ships)
{
    const sb_ship_class *model = sb_find_ship(ships ? ships : sb_stock_ships(), create->species);
    sb_ship_init(ship, model, create->species, create->object_id);
    sb_motion_set_quaternion(&ship->motion, create->orientation);
    ship->motion.position = create->position;
    read_velocity(&ship->motion, sb_decode_cv4f(create->velocity));
    if (!model || !create->snapshot_known) return;
    for (unsigned i = 0; i < model->subsystem_count; i++) {
        read_entry(ship, i, &create->snapshot[i]);
        if (model->subsystems[i].type == SB_SUBSYSTEM_CLOAK) ship->cloaked = ship->on[i];
    }
}

static void write_entry(const sb_ship *ship, unsigned index, sb_subsystem_snapshot *e)
{
    const sb_ship_class      *model = ship->model;
    const sb_subsystem_class *s = &model->subsystems[index];
    bool                      on = s->type == SB_SUBSYSTEM_CLOAK ? ship->cloaked : ship->on[index];
    *e = (sb_subsystem_snapshot){ .setting = ship->setting[index],
                                  .weapon_bit = ship->weapon_bit[index] };
    e->condition_code = sb_encode_ratio(sb_ship_ratio(ship, index));
    for (unsigned i = 0; i < s->child_count; i++)
        e->children[i] = sb_encode_ratio(sb_ship_child_ratio(ship, s->first_child + i));
    if (sb_is_powered(s)) e->power_code = sb_encode_power_switch(ship->power_wanted[index], on);
    if (s->format == SB_FORMAT_REACTOR) {
        e->main_battery_code = sb_code_of_ratio(ship->main_battery, model->main_battery);
        e->backup_battery_code = sb_code_of_ratio(ship->backup_battery, model->backup_battery);
    }
    if (s->format == SB_FORMAT_SHIELD)
        for (unsigned i = 0; i < SB_FACINGS; i++)
            e->facings[i] = sb_code_of_ratio(ship->facing[i], model->shield_max[i]);
}

void sb_ship_write_creation(const sb_ship *ship, sb_object_create *create)
{
    const sb_motion *m = &ship->motion;
    create->class_id = SB_CLASS_SHIP;
    create->object_id = ship->object_id;
    create->species = ship->species;
    create->position = sb_clamp_position(m->position);
    create->orientation = sb_motion_quaternion(m);
    create->velocity = sb_encode_cv4f(
        (sb_vec3){ m->forward.x * m->speed, m->forward.y * m->speed, m->forward.z * m->speed });
    create->snapshot_known = ship->model != NULL;
    if (!ship->model) return; /* `opaque` already holds the owner's bytes */
    create->opaque = (sb_span){ NULL, 0 };
    for (unsigned i = 0; i < ship->model->subsystem_count; i++)
        write_entry(ship, i, &create->snapshot[i]);
}
