/* tests/load/tug.h -- the ship of the tests of ship files: all its keys but `source` and the lists
 * of parts.
 */
#ifndef TESTS_LOAD_TUG_H
#define TESTS_LOAD_TUG_H

/* clang-format off */
#define TUG_KEYS \
    "  species = 60, key = 'tug', name = 'Tug', faction = 'Nobody', modifier_class = 1,\n"         \
    "  selectable = false, mass = 10, rotational_inertia = 20, bound_radius = 5,\n"                \
    "  impulse = { max_speed = 5, max_accel = 1, max_angular_accel = 0.1,\n"                       \
    "              max_angular_velocity = 0.3 },\n"                                                \
    "  shields = { max = { 1, 2, 3, 4, 5, 6 }, rate = { 1, 1, 1, 1, 1, 0.5 } },\n"                 \
    "  power = { output = 100, main_battery = 1000, backup_battery = 500, main_conduit = 120,\n"   \
    "            backup_conduit = 20, draw_source = 'estimate' },\n"                               \
    "  repair = { max_points = 5, teams = 1 },\n"
/* clang-format on */

#endif
