/* tools/compile-data.c -- converts data/ to C source: the stock data of the library.
 *
 * For:      data/meson.build, which runs it on the build machine: compile-data DATA_DIR > out.c
 * May use:  the loader of src/load, so that the stock data passes the same checks as any other.
 * Never:    is part of the library: the core has no Lua and opens no files.
 */
#include "load/data_file.h"
#include "load/manifest_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

/* The shortest decimal that reads back as the same float. */
static void print_figure(float value)
{
    char text[40];
    if (isnan(value)) {
        printf("NAN");
        return;
    }
    for (int digits = 1; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value) break;
    }
    if (!strpbrk(text, ".e")) strcat(text, ".0"); /* C does not accept 5f */
    printf("%sf", text);
}

static void print_member_figure(const char *member, float value)
{
    printf(" .%s = ", member);
    print_figure(value);
    putchar(',');
}

static void print_figures(const char *member, const float *values, size_t count)
{
    printf(" .%s = {", member);
    for (size_t i = 0; i < count; i++) {
        printf("%s ", i ? "," : "");
        print_figure(values[i]);
    }
    printf(" },");
}

/* An octal escape has at most three digits; a hexadecimal one would absorb following digits. */
static void print_text(const char *text)
{
    putchar('"');
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\' || *c == '?' || *c >= 0x7F) printf("\\%03o", (unsigned)*c);
        else putchar(*c);
    }
    putchar('"');
}

static void print_member_text(const char *member, const char *text)
{
    if (!text) return; /* unknown; the member stays NULL */
    printf(" .%s = ", member);
    print_text(text);
    putchar(',');
}

#define PRINT_FIGURE(record, member) print_member_figure(#member, (record)->member)
#define PRINT_NUMBER(record, member) printf(" .%s = %d,", #member, (int)(record)->member)
#define PRINT_TEXT(record, member)   print_member_text(#member, (record)->member)

/* ---- ships ---- */

static void print_weapon(const sb_weapon_class *w)
{
    printf("    {");
    PRINT_NUMBER(w, weapon_id);
    PRINT_FIGURE(w, max_damage);
    PRINT_FIGURE(w, max_damage_distance);
    PRINT_FIGURE(w, max_charge);
    PRINT_FIGURE(w, min_firing_charge);
    PRINT_FIGURE(w, recharge_rate);
    PRINT_FIGURE(w, discharge_rate);
    PRINT_FIGURE(w, reload_delay);
    PRINT_FIGURE(w, immediate_delay);
    PRINT_NUMBER(w, max_ready);
    PRINT_NUMBER(w, dumbfire);
    print_figures("forward", w->forward, 3);
    print_figures("up", w->up, 3);
    print_figures("arc_width", w->arc_width, 2);
    print_figures("arc_height", w->arc_height, 2);
    PRINT_FIGURE(w, damage_radius_factor);
    PRINT_FIGURE(w, cooldown_time);
    PRINT_FIGURE(w, strip_length);
    PRINT_FIGURE(w, strip_width);
    PRINT_NUMBER(w, source);
    print_figures("right", w->right, 3);
    print_figures("beam_size", w->beam_size, 2);
    PRINT_TEXT(w, module);
    printf(" },\n");
}

/* `*weapon`: index of the next weapon in the ship's weapon array. */
static void print_subsystem(const sb_subsystem_class *s, unsigned species, size_t *weapon)
{
    printf("    {");
    PRINT_TEXT(s, name);
    PRINT_NUMBER(s, type);
    PRINT_NUMBER(s, format);
    PRINT_NUMBER(s, child_count);
    PRINT_NUMBER(s, first_child);
    PRINT_NUMBER(s, creation_index);
    PRINT_NUMBER(s, condition_source);
    PRINT_NUMBER(s, properties_source);
    PRINT_NUMBER(s, power_source);
    PRINT_NUMBER(s, position_source);
    PRINT_NUMBER(s, fire_source);
    PRINT_NUMBER(s, order_source);
    PRINT_NUMBER(s, creation_source);
    PRINT_NUMBER(s, power_mode);
    PRINT_NUMBER(s, critical);
    PRINT_NUMBER(s, targetable);
    PRINT_NUMBER(s, has_position);
    PRINT_FIGURE(s, max_condition);
    PRINT_FIGURE(s, disabled_below);
    PRINT_FIGURE(s, repair_complexity);
    PRINT_FIGURE(s, power_per_second);
    print_figures("position", s->position, 3);
    PRINT_FIGURE(s, radius);
    print_figures("mount", s->mount, 3);
    PRINT_NUMBER(s, primary);
    PRINT_NUMBER(s, single_fire);
    PRINT_NUMBER(s, aimed);
    if (s->weapon) printf(" .weapon = &weapons_%u[%zu],", species, (*weapon)++);
    printf(" },\n");
}

static void print_subsystems(const char *name, unsigned species, const sb_subsystem_class *list,
                             size_t count, size_t *weapon)
{
    if (count == 0) return;
    printf("static const sb_subsystem_class %s_%u[] = {\n", name, species);
    for (size_t i = 0; i < count; i++) print_subsystem(&list[i], species, weapon);
    printf("};\n");
}

static void print_weapons(const sb_ship_class *ship)
{
    bool any = false;
    for (size_t i = 0; i < ship->child_count; i++) {
        if (!ship->children[i].weapon) continue;
        if (!any) printf("static const sb_weapon_class weapons_%u[] = {\n", ship->species);
        any = true;
        print_weapon(ship->children[i].weapon);
    }
    if (any) printf("};\n");
}

static void print_ordnance(const sb_ship_class *ship)
{
    if (ship->ordnance_count == 0) return;
    printf("static const sb_ordnance ordnance_%u[] = {\n", ship->species);
    for (const sb_ordnance *o = ship->ordnance; o < ship->ordnance + ship->ordnance_count; o++) {
        printf("    {");
        PRINT_NUMBER(o, system_type);
        PRINT_NUMBER(o, slot);
        PRINT_NUMBER(o, projectile_type);
        PRINT_NUMBER(o, source);
        PRINT_TEXT(o, ground);
        PRINT_FIGURE(o, max_torpedoes);
        PRINT_TEXT(o, script);
        PRINT_TEXT(o, type_name);
        print_figures("integers", o->integers, 2);
        printf(" },\n");
    }
    printf("};\n");
}

static void print_constants(const sb_ship_class *ship)
{
    if (ship->constant_count == 0) return;
    printf("static const sb_ship_constant constants_%u[] = {\n", ship->species);
    for (size_t i = 0; i < ship->constant_count; i++) {
        printf("    {");
        PRINT_TEXT(&ship->constants[i], name);
        PRINT_FIGURE(&ship->constants[i], value);
        printf(" },\n");
    }
    printf("};\n");
}

static void print_solids(const sb_ship_class *ship)
{
    if (ship->solid_count == 0) return;
    printf("static const sb_solid solids_%u[] = {\n", ship->species);
    for (const sb_solid *s = ship->solids; s < ship->solids + ship->solid_count; s++) {
        printf("    {");
        PRINT_NUMBER(s, kind);
        print_figures("centre", s->centre, 3);
        print_figures("half", s->half, 3);
        printf(" },\n");
    }
    printf("};\n");
}

/* The ship that owns the subsystem list; a shared list is printed once, with its owner. */
static const sb_ship_class *list_owner(const sb_ship_set *set, const sb_ship_class *ship)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->ships[i].subsystems == ship->subsystems) return &set->ships[i];
    return ship;
}

static void print_lists(const sb_ship_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        const sb_ship_class *ship = &set->ships[i];
        size_t               weapon = 0;
        printf("\n/* %s */\n", ship->key);
        print_ordnance(ship);
        print_constants(ship);
        print_solids(ship);
        if (list_owner(set, ship) != ship) continue;
        print_weapons(ship);
        print_subsystems("children", ship->species, ship->children, ship->child_count, &weapon);
        print_subsystems("subsystems", ship->species, ship->subsystems, ship->subsystem_count,
                         &weapon);
    }
}

static void print_ship(const sb_ship_class *s, unsigned owner)
{
    printf("    {");
    PRINT_NUMBER(s, species);
    PRINT_TEXT(s, key);
    PRINT_TEXT(s, name);
    PRINT_TEXT(s, faction);
    PRINT_NUMBER(s, modifier_class);
    PRINT_NUMBER(s, selectable);
    PRINT_NUMBER(s, can_cloak);
    PRINT_FIGURE(s, cloak_strength);
    PRINT_FIGURE(s, mass);
    PRINT_FIGURE(s, rotational_inertia);
    PRINT_FIGURE(s, max_speed);
    PRINT_FIGURE(s, max_accel);
    PRINT_FIGURE(s, max_angular_accel);
    PRINT_FIGURE(s, max_angular_velocity);
    PRINT_FIGURE(s, bound_radius);
    print_figures("box_centre", s->box_centre, 3);
    print_figures("box_half", s->box_half, 3);
    PRINT_NUMBER(s, radius_source);
    PRINT_NUMBER(s, box_source);
    PRINT_NUMBER(s, centre_source);
    PRINT_NUMBER(s, mass_source);
    PRINT_NUMBER(s, impulse_source);
    PRINT_NUMBER(s, shield_source);
    PRINT_NUMBER(s, rate_source);
    PRINT_NUMBER(s, repair_source);
    PRINT_NUMBER(s, reactor_source);
    PRINT_NUMBER(s, sensor_source);
    print_figures("shield_max", s->shield_max, SB_FACINGS);
    print_figures("shield_rate", s->shield_rate, SB_FACINGS);
    PRINT_FIGURE(s, power_output);
    PRINT_FIGURE(s, main_battery);
    PRINT_FIGURE(s, backup_battery);
    PRINT_FIGURE(s, main_conduit);
    PRINT_FIGURE(s, backup_conduit);
    PRINT_FIGURE(s, max_repair_points);
    PRINT_NUMBER(s, repair_teams);
    PRINT_NUMBER(s, shield_layout);
    PRINT_NUMBER(s, figures_source);
    PRINT_NUMBER(s, class_source);
    PRINT_FIGURE(s, sensor_range);
    PRINT_NUMBER(s, captured_hash);
    printf(" .subsystems = subsystems_%u,", owner);
    if (s->child_count) printf(" .children = children_%u,", owner);
    if (s->ordnance_count) printf(" .ordnance = ordnance_%u,", s->species);
    if (s->constant_count) printf(" .constants = constants_%u,", s->species);
    if (s->solid_count) printf(" .solids = solids_%u,", s->species);
    PRINT_NUMBER(s, subsystem_count);
    PRINT_NUMBER(s, child_count);
    PRINT_NUMBER(s, ordnance_count);
    PRINT_NUMBER(s, constant_count);
    PRINT_NUMBER(s, solid_count);
    printf(" },\n");
}

static void print_ships(const sb_ship_set *set)
{
    print_lists(set);
    printf("\nstatic const sb_ship_class ships[] = {\n");
    for (size_t i = 0; i < set->count; i++)
        print_ship(&set->ships[i], list_owner(set, &set->ships[i])->species);
    printf("};\nstatic const sb_ship_set ship_set = {\n    ships, %zu,\n    {", set->count);
    for (size_t i = 0; i < set->count; i++)
        printf(" [%u] = &ships[%zu],", set->ships[i].species, i);
    printf(" },\n};\n\nconst sb_ship_set *sb_stock_ships(void)\n{\n    return &ship_set;\n}\n");
}

/* ---- the other files ---- */

static void print_name(unsigned value, const char *name)
{
    printf("    { %u, ", value);
    print_text(name);
    printf(", NULL },\n");
}

static void print_species(const sb_species_set *set)
{
    printf("\nstatic const sb_species species[] = {\n");
    for (size_t i = 0; i < set->count; i++) {
        printf("    {");
        PRINT_NUMBER(&set->species[i], species);
        PRINT_TEXT(&set->species[i], name);
        PRINT_TEXT(&set->species[i], faction);
        printf(" },\n");
    }
    printf("};\nstatic const sb_species_set species_set = { species, %zu };\n", set->count);
    printf("static const sb_name species_names[] = {\n");
    for (size_t i = 0; i < set->count; i++)
        print_name(set->species[i].species, set->species[i].name);
    printf("    { 0, NULL, NULL },\n};\n");
    printf("\nconst sb_species_set *sb_stock_species(void)\n{\n    return &species_set;\n}\n");
    printf("\nconst sb_name *sb_species_names(void)\n{\n    return species_names;\n}\n");
}

static void print_projectile(const sb_projectile_class *p)
{
    printf("    {");
    PRINT_NUMBER(p, type);
    PRINT_NUMBER(p, kind);
    PRINT_TEXT(p, name);
    PRINT_TEXT(p, label);
    PRINT_FIGURE(p, damage);
    PRINT_FIGURE(p, launch_speed);
    PRINT_FIGURE(p, power_cost);
    PRINT_FIGURE(p, guidance_lifetime);
    PRINT_FIGURE(p, max_angular_accel);
    PRINT_FIGURE(p, lifetime);
    PRINT_FIGURE(p, damage_radius_factor);
    PRINT_NUMBER(p, source);
    printf(" },\n");
}

static void print_projectiles(const sb_projectile_set *set)
{
    printf("\nstatic const sb_projectile_class projectiles[] = {\n");
    for (size_t i = 0; i < set->count; i++) print_projectile(&set->projectiles[i]);
    printf("};\nstatic const sb_projectile_set projectile_set = {\n    projectiles, %zu,\n    {",
           set->count);
    for (size_t i = 0; i < set->count; i++)
        printf(" [%u] = &projectiles[%zu],", set->projectiles[i].type, i);
    printf(" },\n};\nstatic const sb_name projectile_names[] = {\n");
    for (size_t i = 0; i < set->count; i++)
        print_name(set->projectiles[i].type, set->projectiles[i].name);
    printf("    { 0, NULL, NULL },\n};\n");
    printf("\nconst sb_projectile_set *sb_stock_projectiles(void)\n{\n"
           "    return &projectile_set;\n}\n");
    printf("\nconst sb_name *sb_projectile_names(void)\n{\n    return projectile_names;\n}\n");
}

static void print_other_sets(const sb_system *s)
{
    if (s->other_set_count == 0) return;
    printf("static const char *const other_sets_%u[] = {", s->index);
    for (size_t i = 0; i < s->other_set_count; i++) {
        printf("%s ", i ? "," : "");
        print_text(s->other_sets[i]);
    }
    printf(" };\n");
}

static void print_system(const sb_system *s)
{
    printf("    {");
    PRINT_NUMBER(s, index);
    PRINT_TEXT(s, name);
    PRINT_TEXT(s, start_set);
    PRINT_TEXT(s, script);
    PRINT_TEXT(s, label);
    PRINT_NUMBER(s, campaign);
    PRINT_NUMBER(s, other_set_count);
    if (s->other_set_count) printf(" .other_sets = other_sets_%u,", s->index);
    printf(" },\n");
}

static void print_systems(const sb_system_set *set)
{
    printf("\n");
    for (size_t i = 0; i < set->count; i++) print_other_sets(&set->systems[i]);
    printf("static const sb_system systems[] = {\n");
    for (size_t i = 0; i < set->count; i++) print_system(&set->systems[i]);
    printf("};\nstatic const sb_system_set system_set = { systems, %zu };\n", set->count);
    printf("static const sb_name system_names[] = {\n");
    for (size_t i = 0; i < set->count; i++) print_name(set->systems[i].index, set->systems[i].name);
    printf("    { 0, NULL, NULL },\n};\n");
    printf("\nconst sb_system_set *sb_stock_systems(void)\n{\n    return &system_set;\n}\n");
    printf("\nconst sb_name *sb_system_names(void)\n{\n    return system_names;\n}\n");
}

/* ---- the manifest of the vanilla game ---- */

static void print_manifest_file(const sb_manifest_file *f)
{
    printf("    {");
    PRINT_NUMBER(f, position);
    PRINT_TEXT(f, directory);
    PRINT_TEXT(f, name);
    printf(" .directory_hash = 0x%08X, .name_hash = 0x%08X, .content_hash = 0x%08X,",
           (unsigned)f->directory_hash, (unsigned)f->name_hash, (unsigned)f->content_hash);
    PRINT_NUMBER(f, calculated);
    printf(" },\n");
}

static void print_manifest(const sb_manifest *m)
{
    printf("\nstatic const sb_manifest_file vanilla_files[] = {\n");
    for (size_t i = 0; i < m->count; i++) print_manifest_file(&m->files[i]);
    printf("};\nstatic const sb_manifest vanilla = { \"vanilla 1.1\", vanilla_files, %zu };\n"
           "\nconst sb_manifest *sb_vanilla_manifest(void)\n{\n    return &vanilla;\n}\n",
           m->count);
}

/* ---- the program ---- */

typedef struct stock {
    const sb_ship_set       *ships;
    const sb_species_set    *species;
    const sb_projectile_set *projectiles;
    const sb_system_set     *systems;
    const sb_manifest       *manifest;
} stock;

static sb_result load_stock(sb_data *data, const char *directory, stock *out)
{
    char      path[5][1024];
    sb_result result;
    snprintf(path[0], sizeof path[0], "%s/ships", directory);
    snprintf(path[1], sizeof path[1], "%s/species.lua", directory);
    snprintf(path[2], sizeof path[2], "%s/projectiles.lua", directory);
    snprintf(path[3], sizeof path[3], "%s/systems.lua", directory);
    snprintf(path[4], sizeof path[4], "%s/manifests/vanilla-1.1.csv", directory);
    result = sb_data_load_ships(data, path[0], &out->ships);
    if (result != SB_OK) return result;
    result = sb_data_load_species(data, (sb_data_source){ .name = path[1] }, &out->species);
    if (result != SB_OK) return result;
    result = sb_data_load_projectiles(data, (sb_data_source){ .name = path[2] }, &out->projectiles);
    if (result != SB_OK) return result;
    result = sb_data_load_systems(data, (sb_data_source){ .name = path[3] }, &out->systems);
    if (result != SB_OK) return result;
    return sb_data_load_manifest(data, (sb_data_source){ .name = path[4] }, &out->manifest);
}

int main(int argc, char **argv)
{
    sb_data data = { 0 };
    stock   all;
    if (argc != 2) {
        fprintf(stderr, "usage: compile-data DATA_DIR > stock_data.c\n");
        return 2;
    }
    if (load_stock(&data, argv[1], &all) != SB_OK) {
        fprintf(stderr, "%s\n", data.error);
        sb_data_free(&data);
        return 1;
    }
    printf("/* Generated by tools/compile-data from data/. Edit those files, not this one. */\n"
           "#include <starbase/manifest.h>\n#include <starbase/ship.h>\n\n#include <math.h>\n");
    print_ships(all.ships);
    print_species(all.species);
    print_projectiles(all.projectiles);
    print_systems(all.systems);
    print_manifest(all.manifest);
    sb_data_free(&data);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
