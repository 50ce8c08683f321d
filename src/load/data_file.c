/* src/load/data_file.c -- loads one ship, or a directory of ships without duplicates.
 *
 * For:      data_file.h. ship_table.c reads the table of one ship; this file resolves
 *           `subsystems_of` and checks the finished ship. data_lists.c loads the other tables.
 * May use:  directories; ship_table.h and lua_table.h.
 * Never:    touches Lua, or reads a table itself.
 */
#include "load/data_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/hull_table.h"
#include "load/ship_table.h"

/* ---- checks that need the list of subsystems, the ship's own or a shared one ---- */

static bool has_subsystem(const sb_ship_class *ship, uint8_t type)
{
    for (size_t i = 0; i < ship->subsystem_count; i++)
        if (ship->subsystems[i].type == type) return true;
    return false;
}

static sb_subsystem_class *copy_list(sb_data *data, const sb_subsystem_class *list, size_t count)
{
    sb_subsystem_class *copy = sb_data_allocate(data, count * sizeof *copy);
    if (copy && count > 0) memcpy(copy, list, count * sizeof *copy);
    return copy;
}

static sb_subsystem_class *find_part(sb_subsystem_class *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0) return &list[i];
    return NULL;
}

/* `subsystems` and `children` are copies: the lender keeps its figures. */
static sb_result change_parts(sb_data *data, const sb_ship_table *loaded,
                              sb_subsystem_class *subsystems, sb_subsystem_class *children)
{
    char key[48];
    for (size_t i = 0; i < loaded->change_count; i++) {
        const sb_ship_change *change = &loaded->changes[i];
        sb_subsystem_class   *part =
            find_part(subsystems, loaded->ship.subsystem_count, change->name);
        if (!part) part = find_part(children, loaded->ship.child_count, change->name);
        snprintf(key, sizeof key, "changes[%zu].name", i + 1);
        if (!part) return sb_data_refuse(data, loaded->file, key, "no part has this name");
        part->max_condition = change->max_condition;
        part->condition_source = change->source;
    }
    return SB_OK;
}

static sb_result copy_with_changes(sb_data *data, sb_ship_table *loaded)
{
    sb_ship_class      *ship = &loaded->ship;
    sb_subsystem_class *subsystems = copy_list(data, ship->subsystems, ship->subsystem_count);
    sb_subsystem_class *children = copy_list(data, ship->children, ship->child_count);
    if (!subsystems || !children)
        return sb_data_refuse_os_error(data, loaded->file, "out of memory");
    ship->subsystems = subsystems;
    ship->children = children;
    return change_parts(data, loaded, subsystems, children);
}

static sb_result use_subsystem_list(sb_data *data, sb_ship_table *loaded,
                                    const sb_ship_class *lender)
{
    char reason[160];
    snprintf(reason, sizeof reason, "no ship called %s has a list of its own",
             loaded->subsystems_of);
    if (!lender || lender->subsystem_count == 0)
        return sb_data_refuse(data, loaded->file, "subsystems_of", reason);
    loaded->ship.subsystems = lender->subsystems;
    loaded->ship.subsystem_count = lender->subsystem_count;
    loaded->ship.children = lender->children;
    loaded->ship.child_count = lender->child_count;
    return loaded->change_count > 0 ? copy_with_changes(data, loaded) : SB_OK;
}

/* Also fills in what the file leaves out and the list decides. */
static sb_result finish_ship(sb_data *data, sb_ship_table *loaded)
{
    sb_ship_class *ship = &loaded->ship;
    char           key[48];
    if (!has_subsystem(ship, SB_SUBSYSTEM_HULL))
        return sb_data_refuse(data, loaded->file, "subsystems", "must have a hull");
    ship->can_cloak = has_subsystem(ship, SB_SUBSYSTEM_CLOAK);
    if (!ship->can_cloak && ship->cloak_strength > 0)
        return sb_data_refuse(data, loaded->file, "cloak_strength", "no subsystem is a cloak");
    if (!sb_ship_has_box(ship)) sb_ship_estimate_box(ship);
    for (size_t i = 0; i < ship->ordnance_count; i++) {
        if (has_subsystem(ship, ship->ordnance[i].system_type)) continue;
        snprintf(key, sizeof key, "ordnance[%zu].system", i + 1);
        return sb_data_refuse(data, loaded->file, key, "the ship has no such system");
    }
    return SB_OK;
}

sb_result sb_data_load_ship(sb_data *data, sb_data_source source, const sb_ship_set *lenders,
                            const sb_ship_class **out)
{
    sb_ship_table loaded;
    sb_result     result = sb_data_load_ship_table(data, source, &loaded);
    if (result == SB_OK && loaded.subsystems_of) {
        const char *name = loaded.subsystems_of;
        result =
            use_subsystem_list(data, &loaded, lenders ? sb_find_ship_by_name(lenders, name) : NULL);
    }
    if (result == SB_OK) result = finish_ship(data, &loaded);
    if (result != SB_OK) return result;
    sb_ship_class *ship = sb_data_allocate(data, sizeof *ship);
    if (!ship) return sb_data_refuse_os_error(data, source.name, "out of memory");
    *ship = loaded.ship;
    *out = ship;
    return SB_OK;
}

/* ---- a directory of ships ---- */

enum { SHIPS_MAX = 255 }; /* species 1..255 */

static bool is_data_file(const char *name)
{
    size_t size = strlen(name);
    return name[0] != '.' && size > 4 && strcmp(name + size - 4, ".lua") == 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Fills names[] with the paths of the data files. They are sorted, so that the first error does not
 * depend on the file system. */
static sb_result list_files(sb_data *data, const char *directory, char *names[], size_t *count)
{
    DIR *listing = opendir(directory);
    if (!listing) return sb_data_refuse_os_error(data, directory, strerror(errno));
    sb_result result = SB_OK;
    *count = 0;
    for (struct dirent *file; result == SB_OK && (file = readdir(listing));) {
        if (!is_data_file(file->d_name)) continue;
        size_t size = strlen(directory) + strlen(file->d_name) + 2;
        char  *name = sb_data_allocate(data, size);
        if (*count == SHIPS_MAX)
            result = sb_data_refuse(data, directory, "", "holds more than 255 ships");
        else if (!name) result = sb_data_refuse_os_error(data, directory, "out of memory");
        else {
            snprintf(name, size, "%s/%s", directory, file->d_name);
            names[(*count)++] = name;
        }
    }
    closedir(listing);
    if (result == SB_OK) qsort(names, *count, sizeof names[0], compare_names);
    return result;
}

static sb_result check_duplicates(sb_data *data, const sb_ship_table *ships, size_t count)
{
    const sb_ship_table *last = &ships[count - 1];
    char                 reason[320];
    for (const sb_ship_table *s = ships; s < last; s++) {
        bool species = s->ship.species == last->ship.species;
        if (!species && strcmp(s->ship.key, last->ship.key) != 0) continue;
        snprintf(reason, sizeof reason, "is the same as in %s", s->file);
        return sb_data_refuse(data, last->file, species ? "species" : "key", reason);
    }
    return SB_OK;
}

static const sb_ship_class *find_lender(const sb_ship_table *ships, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++)
        if (!ships[i].subsystems_of && strcmp(ships[i].ship.key, key) == 0) return &ships[i].ship;
    return NULL;
}

static sb_result load_directory(sb_data *data, char *names[], size_t count, sb_ship_table *ships)
{
    sb_result result = SB_OK;
    for (size_t i = 0; i < count && result == SB_OK; i++) {
        result = sb_data_load_ship_table(data, (sb_data_source){ .name = names[i] }, &ships[i]);
        if (result == SB_OK) result = check_duplicates(data, ships, i + 1);
    }
    for (size_t i = 0; i < count && result == SB_OK; i++) {
        const char *key = ships[i].subsystems_of;
        if (key) result = use_subsystem_list(data, &ships[i], find_lender(ships, count, key));
        if (result == SB_OK) result = finish_ship(data, &ships[i]);
    }
    return result;
}

static int compare_species(const void *a, const void *b)
{
    const sb_ship_table *x = a, *y = b;
    return x->ship.species - y->ship.species;
}

sb_result sb_data_load_ships(sb_data *data, const char *directory, const sb_ship_set **out)
{
    char         *names[SHIPS_MAX];
    sb_ship_table ships[SHIPS_MAX];
    size_t        count = 0;
    data->error[0] = '\0';
    sb_result result = list_files(data, directory, names, &count);
    if (result == SB_OK && count == 0)
        return sb_data_refuse(data, directory, "", "holds no data file (*.lua)");
    if (result == SB_OK) result = load_directory(data, names, count, ships);
    if (result != SB_OK) return result;
    qsort(ships, count, sizeof ships[0], compare_species);

    sb_ship_set   *set = sb_data_allocate(data, sizeof *set);
    sb_ship_class *kept = sb_data_allocate(data, count * sizeof *kept);
    if (!set || !kept) return sb_data_refuse_os_error(data, directory, "out of memory");
    for (size_t i = 0; i < count; i++) {
        kept[i] = ships[i].ship;
        set->by_species[kept[i].species] = &kept[i];
    }
    set->ships = kept;
    set->count = count;
    *out = set;
    return SB_OK;
}
