/* tests/load/lua_table_test.c -- keys that became obsolete; data_file_test.c has the rest of
 * src/load/lua_table.c. */
#include "load/lua_table.h"

#include <string.h>

#include "test.h"

typedef struct figures {
    float mass, speed;
} figures;

static const char *removed_key(const char *key)
{
    return strcmp(key, "drag") == 0   ? "ships fly without drag"
           : strcmp(key, "mass") == 0 ? "this sentence must not be used: the key still exists"
                                      : NULL;
}

static void read_figures(sb_lua *lua, void *record)
{
    static const sb_lua_field fields[] = {
        { .key = "mass", .optional = true, .offset = offsetof(figures, mass), .high = 10 },
        { .key = "speed", .optional = true, .offset = offsetof(figures, speed), .high = 10 },
        { 0 },
    };
    sb_lua_read_fields_warning(lua, fields, record, removed_key);
}

static sb_result load(sb_data *data, const char *text, figures *out)
{
    sb_data_source source = { .name = "tug.lua", .text = text, .size = strlen(text) };
    return sb_data_load_table(data, source, read_figures, out);
}

TEST(an_obsolete_key_is_a_warning_and_the_rest_is_read)
{
    sb_data data = { 0 };
    figures out = { 0 };
    CHECK_EQ(load(&data, "return { drag = 'strong', speed = 3 }", &out), SB_OK);
    CHECK(out.speed == 3);
    CHECK(data.warnings != NULL);
    CHECK_TEXT(data.warnings->text,
               "tug.lua: drag: has no effect any more: ships fly without drag");
    CHECK(data.warnings->next == NULL);
    sb_data_free(&data);
    CHECK(data.warnings == NULL);
}

TEST(a_key_that_still_exists_is_read_without_a_warning)
{
    sb_data data = { 0 };
    figures out = { 0 };
    CHECK_EQ(load(&data, "return { mass = 2 }", &out), SB_OK);
    CHECK(out.mass == 2);
    CHECK(data.warnings == NULL);
    sb_data_free(&data);
}

TEST(an_unknown_key_beside_an_obsolete_one_is_refused)
{
    sb_data data = { 0 };
    figures out = { 0 };
    CHECK_EQ(load(&data, "return { drag = 1, masss = 2 }", &out), SB_BAD_VALUE);
    CHECK_TEXT(data.error, "tug.lua: masss: unknown key; did you mean `mass`?");
    sb_data_free(&data);
}

TEST(warnings_stay_in_the_order_of_the_loads)
{
    sb_data data = { 0 };
    sb_data_warn(&data, "first.lua", "a", "x");
    sb_data_warn(&data, "second.lua", "", "y\n");
    CHECK_TEXT(data.warnings->text, "first.lua: a: x");
    CHECK_TEXT(data.warnings->next->text, "second.lua: y?");
    sb_data_free(&data);
}
