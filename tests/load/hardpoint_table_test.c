/* tests/load/hardpoint_table_test.c -- from a hardpoint script to a ship: the example of a mod,
 * every stock ship written as a script, and scripts with missing or impossible figures.
 */
#include "load/hardpoint_table.h"

#include "load/data_file.h"
#include "ship/flatten.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_NEAR(value, expected, off) CHECK(fabs((double)(value) - (expected)) <= (off))

static sb_data              data;
static sb_hardpoint_script  script;
static const sb_ship_class *ship;
static char                *table; /* the Lua text */
static size_t               table_size;

static sb_result read_source(sb_data_source source)
{
    sb_data_free(&data);
    free(table);
    data = (sb_data){ 0 };
    table = NULL;
    ship = NULL;
    CHECK_EQ(sb_hardpoint_script_init(&script, &data), SB_OK);
    return sb_hardpoint_script_read(&script, source);
}

static void load_table(void)
{
    sb_data_source source = { .name = "tug.lua", .text = table, .size = table_size };
    sb_result      result = sb_data_load_ship(&data, source, NULL, &ship);
    CHECK_TEXT(data.error, "");
    CHECK_EQ(result, SB_OK);
}

static void import(sb_data_source source, const sb_table_options *options)
{
    CHECK_EQ(read_source(source), SB_OK);
    CHECK_EQ(sb_hardpoint_table_write(&script, options, &table, &table_size), SB_OK);
    load_table();
}

static void import_text(const char *text)
{
    static const sb_table_options options = { .species = 200 };
    import((sb_data_source){ .name = "Mods/Tug.py", .text = text, .size = strlen(text) }, &options);
}

static bool has_note(const char *subject, const char *reason)
{
    for (size_t i = 0; i < script.note_count; i++)
        if (strcmp(script.notes[i].subject, subject) == 0 &&
            strstr(script.notes[i].reason, reason) != NULL)
            return true;
    return false;
}

/* ---- the example of a mod ---- */

static const sb_subsystem_class *find_part(const char *name)
{
    for (size_t i = 0; i < ship->subsystem_count; i++)
        if (strcmp(ship->subsystems[i].name, name) == 0) return &ship->subsystems[i];
    for (size_t i = 0; i < ship->child_count; i++)
        if (strcmp(ship->children[i].name, name) == 0) return &ship->children[i];
    FAIL("no part is called %s", name);
}

static void import_lancer(const sb_table_options *options)
{
    import((sb_data_source){ .name = SB_SOURCE_DIR "/examples/mod/lancer.py" }, options);
}

TEST(the_example_becomes_a_ship_with_the_figures_of_its_script)
{
    sb_table_options options = { .species = 120 };
    import_lancer(&options);
    CHECK_EQ(ship->species, 120);
    CHECK_TEXT(ship->key, "lancer");
    CHECK_TEXT(ship->name, "Lancer");
    CHECK(ship->mass == 64 && ship->rotational_inertia == 5200);
    CHECK(ship->max_speed == 6.9f && ship->max_accel == 2.1f);
    CHECK(ship->max_angular_accel == 0.22f && ship->max_angular_velocity == 0.45f);
    CHECK(ship->shield_max[0] == 4200 && ship->shield_max[5] == 2500 && ship->shield_rate[1] == 5);
    CHECK(ship->power_output == 540 && ship->main_battery == 90000 &&
          ship->backup_battery == 45000);
    CHECK(ship->main_conduit == 620 && ship->backup_conduit == 130);
    CHECK(ship->max_repair_points == 22 && ship->repair_teams == 2);
    CHECK(ship->cloak_strength == 80 && ship->sensor_range == 1700 && ship->can_cloak);
    CHECK_EQ(ship->mass_source, SB_SOURCE_HARDPOINT);
    CHECK_NEAR(ship->bound_radius, 1.2 * sqrt(0.7 * 0.7 + 1.2 * 1.2 + 0.1 * 0.1), 1e-5);
    CHECK_EQ(ship->radius_source, SB_SOURCE_ESTIMATE);
}

TEST(the_example_has_its_parts_in_the_order_of_adding)
{
    static const char *const order[] = {
        "Hull",         "Shield Generator", "Sensor Array", "Reactor",      "Impulse Engines",
        "Port Nacelle", "Star Nacelle",     "Torpedoes",    "Forward Tube", "Aft Tube",
        "Upper Beam",   "Port Impulse",     "Star Impulse", "Engineering",  "Beams",
        "Guns",         "Nose Gun",         "Tractors",     "Warp Engines", "Bridge",
        "Aft Tractor",  "Cloaking Device",
    };
    sb_table_options options = { .species = 120 };
    import_lancer(&options);
    CHECK_EQ(ship->subsystem_count, 13);
    CHECK_EQ(ship->child_count, 9);
    for (int i = 0; i < 22; i++) CHECK_EQ(find_part(order[i])->creation_index, i);
    CHECK_EQ(ship->subsystems[4].child_count, 2); /* impulse: the engine without a tag as well */
    CHECK_TEXT(ship->children[ship->subsystems[4].first_child + 1].name, "Star Impulse");
    CHECK_EQ(find_part("Warp Engines")->child_count, 2);
    CHECK_EQ(find_part("Tractors")->power_mode, SB_POWER_MAIN_BATTERY);
    CHECK_EQ(find_part("Cloaking Device")->power_mode, SB_POWER_BACKUP_ONLY);
    CHECK(find_part("Bridge")->critical && find_part("Bridge")->primary == SB_PROPERTY_NO);
    CHECK(!find_part("Guns")->targetable && find_part("Guns")->single_fire == SB_PROPERTY_NO);
}

TEST(the_weapons_of_the_example_have_axes_arcs_and_delays)
{
    sb_table_options options = { .species = 120 };
    import_lancer(&options);
    const sb_subsystem_class *beam = find_part("Upper Beam"), *gun = find_part("Nose Gun");
    const sb_weapon_class    *tube = find_part("Aft Tube")->weapon;
    CHECK(beam->mount[1] == 0.4f && beam->weapon->beam_size[0] == 0.3f);
    CHECK_NEAR(beam->position[1], 0.9, 1e-6); /* on its strip (spec 11 §9.1) */
    CHECK(beam->weapon->max_damage == 210 && beam->weapon->arc_height[1] == 1.2f);
    CHECK(gun->weapon->arc_height[0] == -0.3f && gun->weapon->arc_height[1] == 0.3f); /* sorted */
    CHECK(gun->weapon->cooldown_time == 0.25f);
    CHECK_TEXT(gun->weapon->module, "Tactical.Projectiles.PulseDisruptor");
    CHECK(tube->forward[1] == -1 && tube->right[0] == 1 && tube->reload_delay == 32);
    CHECK(tube->max_ready == 2 && tube->immediate_delay == 0.3f && tube->dumbfire);
    CHECK_EQ(tube->weapon_id, 2);
}

TEST(ammunition_has_stock_numbers_or_those_of_the_caller)
{
    sb_table_options options = { .species = 120, .projectile_count = 1 };
    options.projectiles[0] = (sb_table_projectile){ "LancerTorpedo=21", 13, 21 };
    import_lancer(&options);
    CHECK_EQ(ship->ordnance_count, 3); /* SetNumAmmoTypes(2) hides the third torpedo */
    CHECK_EQ(ship->ordnance[0].projectile_type, 2);
    CHECK(ship->ordnance[0].max_torpedoes == 120);
    CHECK_TEXT(ship->ordnance[0].script, "Tactical.Projectiles.PhotonTorpedo");
    CHECK_EQ(ship->ordnance[1].projectile_type, 21);
    CHECK_EQ(ship->ordnance[1].source, SB_SOURCE_HARDPOINT);
    CHECK_EQ(ship->ordnance[2].system_type, SB_SUBSYSTEM_PULSE_SYSTEM);
    CHECK_EQ(ship->ordnance[2].projectile_type, 8);
    CHECK(!has_note("LancerTorpedo", "not known"));
    options.projectile_count = 0;
    import_lancer(&options);
    CHECK_EQ(ship->ordnance[1].source, SB_SOURCE_ESTIMATE);
    CHECK(has_note("LancerTorpedo", "--projectile NAME=NUMBER"));
}

TEST(options_replace_names_and_radius)
{
    sb_table_options options = {
        .species = 9, .key = "pike", .name = "P\"i\\ke", .faction = "Free", .radius = 2.5f
    };
    import_lancer(&options);
    CHECK_TEXT(ship->key, "pike");
    CHECK_TEXT(ship->name, "P\"i\\ke");
    CHECK_TEXT(ship->faction, "Free");
    CHECK(ship->bound_radius == 2.5f);
    CHECK_EQ(ship->radius_source, SB_SOURCE_DOCUMENTED);
}

TEST(a_table_without_a_species_is_refused_by_the_loader)
{
    sb_table_options options = { .species = 0 };
    CHECK_EQ(read_source((sb_data_source){ .name = SB_SOURCE_DIR "/examples/mod/lancer.py" }),
             SB_OK);
    CHECK_EQ(sb_hardpoint_table_write(&script, &options, &table, &table_size), SB_OK);
    CHECK(strstr(table, "species = 0, -- the ship's number in the mod, 1 to 255: fill it in"));
    sb_data_source source = { .name = "lancer.lua", .text = table, .size = table_size };
    CHECK_EQ(sb_data_load_ship(&data, source, NULL, &ship), SB_BAD_VALUE);
    CHECK_TEXT(data.error, "lancer.lua: species: must be a whole number from 1 to 255, is 0");
}

/* ---- stock ships as scripts ---- */

static FILE *out;

static void print_number(const char *setter, float value)
{
    if (!isnan(value)) fprintf(out, "X.%s(%.9g)\n", setter, (double)value);
}

static void print_point(const char *name, const float v[3])
{
    fprintf(out, "%s = App.TGPoint3()\n%s.SetXYZ(%.9g, %.9g, %.9g)\n", name, name, (double)v[0],
            (double)v[1], (double)v[2]);
}

static void print_flag(const char *setter, uint8_t flag)
{
    if (flag) fprintf(out, "X.%s(%d)\n", setter, flag == SB_PROPERTY_YES);
}

static void print_weapon(const sb_weapon_class *g, uint8_t type)
{
    fprintf(out, "X.SetWeaponID(%d)\nX.SetDumbfire(%d)\n", g->weapon_id, g->dumbfire);
    print_number("SetDamageRadiusFactor", g->damage_radius_factor);
    print_point("F", g->forward);
    if (type == SB_SUBSYSTEM_TORPEDO_TUBE) {
        fprintf(out, "X.SetDirection(F)\nX.SetMaxReady(%d)\n", g->max_ready);
        print_number("SetReloadDelay", g->reload_delay);
        print_number("SetImmediateDelay", g->immediate_delay);
        return;
    }
    print_point("U", g->up);
    fprintf(out, "X.SetOrientation(F, U)\nX.SetArcWidthAngles(%.9g, %.9g)\n",
            (double)g->arc_width[1], (double)g->arc_width[0]);
    fprintf(out, "X.SetArcHeightAngles(%.9g, %.9g)\n", (double)g->arc_height[0],
            (double)g->arc_height[1]);
    print_number("SetMaxCharge", g->max_charge);
    print_number("SetMaxDamage", g->max_damage);
    print_number("SetMaxDamageDistance", g->max_damage_distance);
    print_number("SetMinFiringCharge", g->min_firing_charge);
    print_number("SetNormalDischargeRate", g->discharge_rate);
    print_number("SetRechargeRate", g->recharge_rate);
    print_number("SetWidth", g->strip_width);
    print_number("SetLength", g->strip_length);
    print_number("SetCooldownTime", g->cooldown_time);
}

static void print_figures_of_class(const sb_ship_class *s, uint8_t type)
{
    if (type == SB_SUBSYSTEM_IMPULSE) {
        print_number("SetMaxSpeed", s->max_speed);
        print_number("SetMaxAccel", s->max_accel);
        print_number("SetMaxAngularAccel", s->max_angular_accel);
        print_number("SetMaxAngularVelocity", s->max_angular_velocity);
    } else if (type == SB_SUBSYSTEM_POWER) {
        print_number("SetPowerOutput", s->power_output);
        print_number("SetMainBatteryLimit", s->main_battery);
        print_number("SetBackupBatteryLimit", s->backup_battery);
        print_number("SetMainConduitCapacity", s->main_conduit);
        print_number("SetBackupConduitCapacity", s->backup_conduit);
    } else if (type == SB_SUBSYSTEM_REPAIR) {
        print_number("SetMaxRepairPoints", s->max_repair_points);
        fprintf(out, "X.SetNumRepairTeams(%d)\n", s->repair_teams);
    } else if (type == SB_SUBSYSTEM_SENSOR) print_number("SetBaseSensorRange", s->sensor_range);
    else if (type == SB_SUBSYSTEM_CLOAK) print_number("SetCloakStrength", s->cloak_strength);
    for (int i = 0; type == SB_SUBSYSTEM_SHIELD && i < SB_FACINGS; i++)
        fprintf(out, "X.SetMaxShields(%d, %.9g)\nX.SetShieldChargePerSecond(%d, %.9g)\n", i,
                (double)s->shield_max[i], i, (double)s->shield_rate[i]);
}

static void print_ammunition(const sb_ship_class *s, uint8_t type)
{
    for (size_t i = 0; i < s->ordnance_count; i++) {
        const sb_ordnance *o = &s->ordnance[i];
        if (o->system_type != type || type != SB_SUBSYSTEM_TORPEDO_SYSTEM) continue;
        if (!isnan(o->max_torpedoes))
            fprintf(out, "X.SetMaxTorpedoes(%u, %.9g)\n", o->slot, (double)o->max_torpedoes);
        fprintf(out, "X.SetTorpedoScript(%u, \"Tactical.Projectiles.%s\")\n", o->slot,
                sb_find_projectile(sb_stock_projectiles(), o->projectile_type)->name);
    }
}

static void print_part(const sb_ship_class *s, const sb_hardpoint *h)
{
    static const char *const classes[] = {
        "Hull",          "Shield",       "Sensor",          "Power",
        "ImpulseEngine", "WarpEngine",   "RepairSubsystem", "CloakingSubsystem",
        "WeaponSystem",  "WeaponSystem", "TorpedoSystem",   "WeaponSystem",
        "Phaser",        "PulseWeapon",  "TorpedoTube",     "TractorBeam",
        "Engine",
    };
    static const int          systems[] = { 1, 3, 2, 4 }; /* WST_... */
    const sb_subsystem_class *p = &h->part;
    fprintf(out, "X = App.%sProperty_Create(\"%s\")\n", classes[p->type], p->name);
    print_number("SetMaxCondition", p->max_condition);
    print_number("SetDisabledPercentage", p->disabled_below);
    print_number("SetRepairComplexity", p->repair_complexity);
    fprintf(out, "X.SetCritical(%d)\nX.SetTargetable(%d)\n", p->critical, p->targetable);
    print_flag("SetPrimary", p->primary);
    if (p->has_position)
        fprintf(out, "X.SetPosition(%.9g, %.9g, %.9g)\nX.SetRadius(%.9g)\n", (double)p->mount[0],
                (double)p->mount[1], (double)p->mount[2], (double)p->radius);
    if (p->power_source) print_number("SetNormalPowerPerSecond", p->power_per_second);
    if (p->type >= SB_SUBSYSTEM_PHASER_SYSTEM && p->type <= SB_SUBSYSTEM_TRACTOR_SYSTEM) {
        fprintf(out, "X.SetWeaponSystemType(%d)\n", systems[p->type - SB_SUBSYSTEM_PHASER_SYSTEM]);
        print_flag("SetSingleFire", p->single_fire);
        print_flag("SetAimedWeapon", p->aimed);
    }
    if (h->engine_tag) fprintf(out, "X.SetEngineType(X.EP_WARP)\n");
    print_figures_of_class(s, p->type);
    print_ammunition(s, p->type);
    if (p->weapon) print_weapon(p->weapon, p->type);
    fprintf(out, "App.g_kModelPropertyManager.RegisterLocalTemplate(X)\n");
}

/* Two parts of a ship have different names, else a script could not add both. */
static char *write_script(const sb_ship_class *s, const sb_hardpoint *parts, size_t count)
{
    char  *text = NULL;
    size_t size = 0;
    out = open_memstream(&text, &size);
    CHECK(out != NULL);
    fprintf(out, "X = App.ShipProperty_Create(\"the ship\")\nX.SetShipName(\"%s\")\n", s->name);
    print_number("SetMass", s->mass);
    print_number("SetRotationalInertia", s->rotational_inertia);
    fprintf(out, "App.g_kModelPropertyManager.RegisterLocalTemplate(X)\n");
    for (size_t i = 0; i < count; i++) print_part(s, &parts[i]);
    fprintf(out, "def LoadPropertySet(pObj):\n");
    for (size_t i = 0; i <= count; i++)
        fprintf(out,
                "\tprop = App.g_kModelPropertyManager.FindByName(\"%s\", 0)\n"
                "\tif (prop != None):\n\t\tpObj.AddToSet(\"Scene Root\", prop)\n",
                i ? parts[i - 1].part.name : "the ship");
    CHECK_EQ(fclose(out), 0);
    return text;
}

#define SAME(member) CHECK(memcmp(&a->member, &b->member, sizeof a->member) == 0)

static void check_same_weapon(const sb_weapon_class *a, const sb_weapon_class *b)
{
    SAME(weapon_id);
    SAME(max_damage);
    SAME(max_damage_distance);
    SAME(max_charge);
    SAME(min_firing_charge);
    SAME(recharge_rate);
    SAME(discharge_rate);
    SAME(reload_delay);
    SAME(immediate_delay);
    SAME(max_ready);
    SAME(damage_radius_factor);
    SAME(cooldown_time);
    SAME(strip_length);
    SAME(strip_width);
    SAME(arc_width);
    SAME(arc_height);
    if (a->max_ready > 0) CHECK_EQ(a->dumbfire, b->dumbfire);
    for (int i = 0; i < 3; i++) CHECK_NEAR(a->forward[i], (double)b->forward[i], 1e-6);
}

static void check_same_part(const sb_subsystem_class *a, const sb_subsystem_class *b)
{
    CHECK_TEXT(a->name, b->name);
    SAME(type);
    SAME(format);
    SAME(child_count);
    SAME(first_child);
    SAME(power_mode);
    SAME(critical);
    SAME(targetable);
    SAME(has_position);
    SAME(max_condition);
    SAME(disabled_below);
    SAME(repair_complexity);
    SAME(power_per_second);
    SAME(radius);
    SAME(mount);
    SAME(single_fire);
    SAME(primary);
    SAME(aimed);
    if (b->creation_index >= 0) CHECK_EQ(a->creation_index, b->creation_index);
    CHECK_EQ(a->weapon != NULL, b->weapon != NULL);
    if (b->weapon) check_same_weapon(a->weapon, b->weapon);
    bool placed_by_rule = b->weapon && !isnan(b->weapon->strip_length);
    for (int i = 0; placed_by_rule && i < 3; i++)
        CHECK_NEAR(a->position[i], (double)b->position[i], 1e-3);
}

static void check_same_class(const sb_ship_class *a, const sb_ship_class *b)
{
    CHECK_TEXT(a->name, b->name);
    SAME(mass);
    SAME(rotational_inertia);
    SAME(max_speed);
    SAME(max_accel);
    SAME(max_angular_accel);
    SAME(max_angular_velocity);
    SAME(shield_max);
    SAME(shield_rate);
    SAME(power_output);
    SAME(main_battery);
    SAME(backup_battery);
    SAME(main_conduit);
    SAME(backup_conduit);
    SAME(max_repair_points);
    SAME(repair_teams);
    SAME(cloak_strength);
    SAME(can_cloak);
    if (!isnan(b->sensor_range)) SAME(sensor_range);
    SAME(subsystem_count);
    SAME(child_count);
    for (size_t i = 0; i < a->subsystem_count; i++)
        check_same_part(&a->subsystems[i], &b->subsystems[i]);
    for (size_t i = 0; i < a->child_count; i++) check_same_part(&a->children[i], &b->children[i]);
}

static void check_same_torpedoes(const sb_ship_class *a, const sb_ship_class *b)
{
    for (size_t i = 0, k = 0; i < b->ordnance_count; i++) {
        if (b->ordnance[i].system_type != SB_SUBSYSTEM_TORPEDO_SYSTEM) continue;
        CHECK_EQ(a->ordnance[k].projectile_type, b->ordnance[i].projectile_type);
        CHECK_EQ(a->ordnance[k].slot, b->ordnance[i].slot);
        k++;
    }
}

TEST(every_stock_ship_comes_back_from_a_script_with_its_figures)
{
    sb_hardpoint parts[SB_HARDPOINTS_MAX];
    for (size_t i = 0; i < sb_stock_ships()->count; i++) {
        const sb_ship_class *stock = &sb_stock_ships()->ships[i];
        char                *text = write_script(stock, parts, flatten_ship(stock, parts));
        import_text(text);
        free(text);
        check_same_class(ship, stock);
        check_same_torpedoes(ship, stock);
        CHECK(!has_note("SetMaxCondition", "estimate"));
    }
}

/* ---- scripts with gaps ---- */

/* A script in the making: the parts, and the calls that add them. */
static char parts_text[4096], adds_text[4096];

static void append(char *text, const char *format, const char *a, const char *b, const char *c)
{
    size_t size = strlen(text);
    snprintf(text + size, sizeof parts_text - size, format, a, b, c);
}

static void begin_script(void)
{
    parts_text[0] = adds_text[0] = '\0';
}

/* A registered property X of this class; `calls` set its figures. It is added to the ship. */
static void add_part(const char *class, const char *name, const char *calls)
{
    append(parts_text,
           "X = App.%sProperty_Create(\"%s\")\n%s\n"
           "App.g_kModelPropertyManager.RegisterLocalTemplate(X)\n",
           class, name, calls);
    append(adds_text,
           "\tprop = App.g_kModelPropertyManager.FindByName(\"%s\", 0)\n"
           "\tif (prop != None):\n\t\tpObj.AddToSet(\"Scene Root\", prop)%s%s\n",
           name, "", "");
}

static const char *end_script(void)
{
    static char text[sizeof parts_text + sizeof adds_text + 64];
    snprintf(text, sizeof text, "%sdef LoadPropertySet(pObj):\n%s\tpass\n", parts_text, adds_text);
    return text;
}

TEST(figures_that_a_script_does_not_set_are_marked_as_estimates)
{
    begin_script();
    add_part("Hull", "Hull", "");
    import_text(end_script());
    CHECK_TEXT(ship->key, "tug");
    CHECK_TEXT(ship->name, "Tug"); /* from the name of the file */
    CHECK_EQ(ship->subsystems[0].condition_source, SB_SOURCE_ESTIMATE);
    CHECK_EQ(ship->subsystems[0].properties_source, SB_SOURCE_ESTIMATE);
    CHECK(!ship->subsystems[0].has_position);
    CHECK_EQ(ship->mass_source, SB_SOURCE_ESTIMATE);
    CHECK_EQ(ship->impulse_source, SB_SOURCE_ESTIMATE);
    CHECK_EQ(ship->repair_source, SB_SOURCE_ESTIMATE);
    CHECK_EQ(ship->reactor_source, SB_SOURCE_ESTIMATE);
    CHECK(strstr(table, "-- estimates: max_condition, disabled_below, repair_complexity\n"));
    CHECK(strstr(table, "-- estimates: mass, rotational_inertia\n"));
    CHECK(has_note("SetMaxCondition", "the table has an estimate"));
    CHECK(has_note("SetMass", "the table has an estimate"));
}

TEST(figures_of_a_part_that_a_table_cannot_hold_are_cut)
{
    begin_script();
    add_part("Hull", "Hull",
             "X.SetMaxCondition(999999986991104.0)\nX.SetDisabledPercentage(1.5)\n"
             "X.SetRepairComplexity(0)\nX.SetPosition(0, 1e9, 0)");
    import_text(end_script());
    const sb_subsystem_class *hull = &ship->subsystems[0];
    CHECK(hull->max_condition == 1e9f && hull->disabled_below == 1);
    CHECK(hull->repair_complexity == 0.001f);
    CHECK(hull->position[1] == 1e6f && hull->radius == 0.25f);
    CHECK(has_note("SetMaxCondition", "cannot hold"));
    CHECK(has_note("SetRadius", "the table has an estimate"));
}

TEST(figures_of_weapons_that_a_table_cannot_hold_are_cut)
{
    begin_script();
    add_part("Hull", "Hull", "");
    add_part("WeaponSystem", "S", "X.SetWeaponSystemType(1)");
    add_part("Phaser", "P",
             "X.SetMaxCharge(-1)\nX.SetMinFiringCharge(10)\nX.SetArcWidthAngles(-9, 9)\n"
             "X.SetWeaponID(300)");
    add_part("TorpedoSystem", "T", "");
    add_part("TorpedoTube", "U", "X.SetMaxReady(8)");
    import_text(end_script());
    const sb_weapon_class *bank = ship->children[0].weapon, *tube = ship->children[1].weapon;
    CHECK(bank->max_charge == 0.001f && bank->min_firing_charge == 0.001f);
    CHECK(bank->arc_width[1] > 3.14f && bank->forward[1] == 1 && bank->up[2] == 1);
    CHECK_EQ(tube->max_ready, SB_TUBE_PLACES);
    CHECK(has_note("SetMaxReady", "cannot hold"));
    CHECK(has_note("SetOrientation", "gives no direction"));
    CHECK(has_note("SetDirection", "gives no direction"));
}

TEST(directions_get_the_length_1)
{
    begin_script();
    add_part("Hull", "Hull", "");
    add_part("TorpedoSystem", "T", "");
    add_part("TorpedoTube", "U", "X.SetDirection(3, 4, 0)");
    import_text(end_script());
    CHECK_NEAR(ship->children[0].weapon->forward[0], 0.6, 1e-6);
    CHECK_NEAR(ship->children[0].weapon->forward[1], 0.8, 1e-6);
}

TEST(parts_without_a_system_are_left_out_with_a_note)
{
    begin_script();
    add_part("Phaser", "P", "");
    add_part("Hull", "Hull", "");
    add_part("Engine", "E", "X.SetEngineType(1)");
    add_part("ImpulseEngine", "I", "");
    add_part("WeaponSystem", "S", "");
    add_part("ObjectEmitter", "V", "");
    import_text(end_script());
    CHECK_EQ(ship->subsystem_count, 2);
    CHECK_EQ(ship->child_count, 0);
    CHECK(has_note("P", "belongs to a system that the script does not add"));
    CHECK(has_note("E", "belongs to a system that the script does not add"));
    CHECK(has_note("S", "has no SetWeaponSystemType"));
    CHECK(!has_note("V", ""));
}

TEST(cannons_with_different_bolts_are_noted)
{
    begin_script();
    add_part("Hull", "Hull", "");
    add_part("WeaponSystem", "S", "X.SetWeaponSystemType(3)");
    add_part("PulseWeapon", "A", "X.SetModuleName(\"x.fusionbolt\")");
    add_part("PulseWeapon", "B", "X.SetModuleName(\"x.Disruptor\")");
    import_text(end_script());
    CHECK_EQ(ship->ordnance_count, 1);
    CHECK_EQ(ship->ordnance[0].projectile_type, 9); /* FusionBolt, whatever its letters */
    CHECK(has_note("B", "fires other bolts"));
}

static void check_not_written(const char *text, const char *error)
{
    static const sb_table_options options = { .species = 200 };
    sb_data_source                source = { .name = "tug.py", .text = text, .size = strlen(text) };
    CHECK_EQ(read_source(source), SB_OK);
    CHECK_EQ(sb_hardpoint_table_write(&script, &options, &table, &table_size), SB_BAD_VALUE);
    CHECK_TEXT(data.error, error);
    CHECK(table == NULL);
}

TEST(a_script_that_adds_no_ship_is_refused)
{
    static const char nothing[] = "tug.py: adds no properties: a hardpoint script has a function "
                                  "LoadPropertySet with calls of AddToSet";
    check_not_written("", nothing);
    begin_script();
    add_part("Hull", "Hull", "");
    check_not_written(parts_text, nothing);
    begin_script();
    add_part("Sensor", "S", "");
    check_not_written(end_script(), "tug.py: adds no hull (HullProperty): this is no ship");
}
