/* src/load/data_directory.c -- loads a directory of data files that replaces the stock data.
 *
 * For:      `starbase serve --data DIR`.
 * May use:  data_file.h for each table.
 * Never:    adds stock data: a table that the directory does not hold stays NULL, and the caller
 *           chooses another.
 * Tests:    tests/config/read_config_test.c
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "load/data_file.h"
#include "platform/file.h"

/* False: there is no such file. Else *out is its path, lent until sb_data_free. */
static bool find_file(sb_data *data, const char *directory, const char *name, const char **out)
{
    char path[PATH_MAX];
    int  size = snprintf(path, sizeof path, "%s/%s", directory, name);
    if (size < 0 || (size_t)size >= sizeof path || !sb_file_exists(path)) return false;
    char *copy = sb_data_allocate(data, (size_t)size + 1);
    if (!copy) return false;
    *out = memcpy(copy, path, (size_t)size + 1);
    return true;
}

sb_result sb_data_load_directory(sb_data *data, const char *directory, sb_data_tables *out)
{
    const char *why = sb_file_directory_error(directory), *path;
    sb_result   result = SB_OK;
    if (why) return sb_data_refuse_os_error(data, directory, why);
    *out = (sb_data_tables){ 0 };
    if (find_file(data, directory, "ships", &path))
        result = sb_data_load_ships(data, path, &out->ships);
    if (result == SB_OK && find_file(data, directory, "projectiles.lua", &path))
        result =
            sb_data_load_projectiles(data, (sb_data_source){ .name = path }, &out->projectiles);
    if (result == SB_OK && find_file(data, directory, "systems.lua", &path))
        result = sb_data_load_systems(data, (sb_data_source){ .name = path }, &out->systems);
    if (result == SB_OK && !out->ships && !out->projectiles && !out->systems)
        result = sb_data_refuse(data, directory, "",
                                "has neither ships/ nor projectiles.lua nor systems.lua");
    return result;
}
