/* fuzz/hardpoint_fuzz.c -- reads the input as a hardpoint script, writes its table and loads it.
 *
 * Any text may be refused, and a table that is written may be refused by the loader only for
 * reasons that a script can cause: lists that cannot be linked, or that are too long.
 */
#include "load/hardpoint_table.h"

#include "base/assert.h"
#include "load/data_file.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_about_lists(const char *error)
{
    return strstr(error, "fuzz.lua: hardpoints") == error ||
           strstr(error, "fuzz.lua: ordnance") == error;
}

static void load_table(sb_data *data, const char *text, size_t size)
{
    const sb_ship_class *ship;
    sb_data_source       source = { .name = "fuzz.lua", .text = text, .size = size };
    sb_result            result = sb_data_load_ship(data, source, NULL, &ship);
    SB_ASSERT(result == SB_OK || result == SB_BAD_VALUE);
    SB_ASSERT(result == SB_OK || is_about_lists(data->error));
}

static void convert(sb_data *data, sb_data_source source)
{
    static sb_hardpoint_script    script;
    static const sb_table_options options = { .species = 1 };
    char                         *text = NULL;
    size_t                        size = 0;
    if (sb_hardpoint_script_init(&script, data) != SB_OK) return;
    sb_result result = sb_hardpoint_script_read(&script, source);
    SB_ASSERT((result == SB_OK) == (data->error[0] == '\0'));
    if (result != SB_OK) return;
    SB_ASSERT(script.note_count <= SB_SCRIPT_NOTES_MAX);
    if (sb_hardpoint_table_write(&script, &options, &text, &size) == SB_OK)
        load_table(data, text, size);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sb_data        loaded = { 0 };
    sb_data_source source = { .name = "fuzz.py", .text = (const char *)data, .size = size };
    if (size > 0) convert(&loaded, source);
    sb_data_free(&loaded);
    return 0;
}
