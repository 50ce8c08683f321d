/* tests/load/definition_table_test.c -- definitions of mods' messages from Lua tables. */
#include "test.h"

#include "load/definition_table.h"

#include <string.h>

static sb_result load(sb_data *data, sb_definitions *out, const char *text)
{
    memset(out, 0, sizeof *out);
    return sb_data_load_definitions(data, (sb_data_source){ "mod.lua", text, strlen(text) }, out);
}

static void check_refused(const char *text, const char *key, const char *reason)
{
    sb_data        data = { 0 };
    sb_definitions out;
    CHECK_EQ(load(&data, &out, text), SB_BAD_VALUE);
    if (!strstr(data.error, "mod.lua: ") || !strstr(data.error, key) || !strstr(data.error, reason))
        FAIL("the error of %s is: %s", text, data.error);
    sb_data_free(&data);
}

TEST(a_definition_has_fields_lists_and_conditions)
{
    sb_data        data = { 0 };
    sb_definitions out;
    CHECK_EQ(load(&data, &out,
                  "return { { type = 0xCD, name = 'A', fields = { { 'mode', 'u8' }, { 'x', 'id', "
                  "when = 'mode is 1' }, { name = 'c', kind = 'list', count = 'u16', fields = { { "
                  "'y', 'bit' } } }, { 'rest', 'bytes' } } } }"),
             SB_OK);
    const sb_definition *d = out.of[0xCD];
    CHECK(d);
    CHECK_TEXT(d->type.name, "A");
    CHECK_EQ(d->field_count, 4);
    CHECK_TEXT(d->fields[1].field.when, "mode is 1");
    CHECK_EQ(d->fields[2].count.kind, SB_KIND_U16);
    CHECK_TEXT(d->fields[2].count.name, "c_count");
    CHECK_EQ(d->fields[2].items[0].field.kind, SB_KIND_BIT);
    CHECK_EQ(d->fields[3].field.kind, SB_KIND_BYTES);
    sb_data_free(&data);
}

TEST(a_single_definition_needs_no_list)
{
    sb_data        data = { 0 };
    sb_definitions out;
    CHECK_EQ(load(&data, &out, "return { type = 0xCD, name = 'A', fields = { { 'x', 'u8' } } }"),
             SB_OK);
    CHECK(out.of[0xCD] && out.of[0xCD]->field_count == 1);
    sb_data_free(&data);
    CHECK_EQ(load(&data, &out, "{ type = 0xCD, name = 'A', fields = {} }"), SB_BAD_VALUE);
    CHECK_TEXT(data.error,
               "mod.lua:1: unexpected symbol near '{'; write `return {` instead of `{`");
    sb_data_free(&data);
}

#define FIELDS(text) "return { { type = 205, name = 'A', fields = { " text " } } }"
TEST(wrong_definitions_are_refused_with_key_reason_and_suggestion)
{
    check_refused("return 1", "", "must return a table");
    check_refused("return { type = 205, name = 'A' }", "fields", "is missing");
    check_refused("return { { type = 0x2C, name = 'A', fields = {} } }", "[1].type", "is CHAT");
    check_refused("return { { type = 300, name = 'A', fields = {} } }", "[1].type", "255");
    check_refused("return { { type = 205, fields = {} } }", "[1].name", "missing");
    check_refused("return { { type = 205, name = 'CHAT', fields = {} } }", "[1].name", "another");
    check_refused("return { { type = 205, name = 'ModMessage', fields = {} } }", "[1].name",
                  "another");
    check_refused("return { { type = 205, name = 'A B', fields = {} } }", "[1].name", "letters");
    check_refused("return { { type = 205, name = 'A', field = {} } }", "[1].field",
                  "unknown key; did you mean `fields`?");
    check_refused(FIELDS("{ 'x', 'str16' }"), "fields[1].kind", "did you mean `lstr16`?");
    check_refused(FIELDS("{ 'x', 'quaternion of doubles' }"), "fields[1].kind", "kinds are u8");
    check_refused(FIELDS("{ 'x', 'note' }"), "fields[1].kind", "not a kind");
    check_refused(FIELDS("{ 'x' }"), "fields[1].kind", "missing");
    check_refused(FIELDS("{ 'x', 'u8', name = 'y' }"), "fields[1].name", "twice");
    check_refused(FIELDS("{ 'x', 'u8', 'u8' }"), "fields[1]", "names as keys");
    check_refused(FIELDS("{ 'x', 'u8' }, { 'x', 'u8' }"), "fields[2].name", "earlier field");
    check_refused(FIELDS("{ 'content', 'u8' }"), "fields[1].name", "reserved");
    check_refused(FIELDS("{ 'x', 'bytes' }, { 'y', 'u8' }"), "fields[2]", "to the end");
    check_refused(FIELDS("{ 'x', 'u8', when = 'x is 1' }"), "fields[1].when", "earlier field");
    check_refused(FIELDS("{ 'x', 'u8' }, { 'y', 'u8', when = 'x = 1' }"), "fields[2].when",
                  "not a condition");
    check_refused(FIELDS("{ 'x', 'f32' }, { 'y', 'u8', when = 'x is 1' }"), "fields[2].when",
                  "whole number");
    check_refused(FIELDS("{ 'x', 'list' }"), "fields[1].fields", "missing");
    check_refused(FIELDS("{ 'x', 'list', count = 'u32', fields = { { 'y', 'u8' } } }"),
                  "fields[1].count", "u16");
    check_refused(FIELDS("{ 'x', 'list', count = 'rest', fields = { { 'y', 'bit' } } }"),
                  "fields[1].fields", "not a bit");
    check_refused(FIELDS("{ 'x', 'u8', count = 'u8' }"), "fields[1]", "only a list");
    check_refused(FIELDS("{ 'x', 'list', fields = { { 'y', 'bytes' } } }"), "fields[1].fields[1]",
                  "item of a list");
    check_refused("return { { type = 205, name = 'A', fields = {} }, { type = 205, name = 'B', "
                  "fields = {} } }",
                  "[2].type", "defined already");
}
