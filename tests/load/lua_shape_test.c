/* tests/load/lua_shape_test.c -- lines of other languages in a configuration, and the hints that
 * they get. */
#include "load/lua_shape.h"

#include "test.h"

#include <string.h>

/* The hint for the last line of `text`, which Lua complained about. */
static void check_hint(const char *text, int line, const char *hint)
{
    sb_shape shape = { 0, "" };
    int      error_line = 1;
    for (const char *c = text; *c; c++) error_line += *c == '\n' && c[1];
    CHECK(sb_shape_explain(text, strlen(text), error_line, &shape));
    CHECK_EQ(shape.line, line);
    CHECK_TEXT(shape.hint, hint);
}

static void check_none(const char *text, int error_line)
{
    sb_shape shape;
    if (sb_shape_explain(text, strlen(text), error_line, &shape))
        FAIL("line %d: %s", shape.line, shape.hint);
}

static const char sections[] =
    "sections such as `[server]` are not known here: remove the line, and "
    "write `key = value` lines";
static const char comment[] = "a comment starts with `--`";

TEST(sections_of_toml_and_ini_are_explained)
{
    check_hint("[server]", 1, sections);
    check_hint("\n  [server] \nname = 'x'\n", 2, sections);
    check_hint("[[rooms]]", 1,
               "`[[rooms]]` is not known here: write `rooms = { { key = value }, ... }`");
}

TEST(comments_of_other_languages_are_explained)
{
    check_hint("# the port", 1, comment);
    check_hint("// the port", 1, comment);
    check_hint("; the port", 1, comment);
    check_hint("port = 22101 # the port", 1, comment);
    check_hint("name = \"a # b\" ; the name", 1, comment);
}

TEST(yaml_and_json_are_explained)
{
    check_hint("name: x", 1, "write `name = \"x\"`");
    check_hint("name: \"x\"", 1, "write `name = \"x\"`");
    check_hint("port: 22101", 1, "write `port = 22101`");
    check_hint("log_json: true", 1, "write `log_json = true`");
    check_hint("- name", 1, "a list stands in braces: write `key = { ..., ... }`");
    check_hint("{\n  \"name\": \"x\"\n}", 1,
               "write `return {` instead of `{`, and `key = value,` lines up to the `}`");
    check_hint("\"name\": \"x\",", 1, "write `name = \"x\"`");
    check_hint("\"name\" = \"x\"", 1, "a key has no quotes: write `name = \"x\"`");
}

TEST(a_key_without_an_equals_sign_is_explained)
{
    check_hint("port 22101", 1, "write `port = 22101`");
    check_hint("name \"x\"", 1, "write `name = \"x\"`");
    check_hint("name Friday night", 1, "write `name = \"Friday night\"`");
    check_hint("log_json", 1, "write `log_json = \"...\"`");
    check_hint("set port 22101", 1, "write `port = 22101`");
    check_hint("export port=22101", 1, "write `port=22101`");
}

TEST(keys_that_lua_cannot_read_are_explained)
{
    check_hint("max-players = 8", 1, "write `max_players` instead of `max-players`");
    check_hint("combat.beam_low = 0.4", 1,
               "a key has no dots: write `combat = { beam_low = ... }`, or `beam_low = ...` alone");
}

TEST(values_that_lua_cannot_read_are_explained)
{
    check_hint("name = x", 1, "texts stand in quotes: write `name = \"x\"`");
    check_hint("name = Friday night\nport = 3", 1,
               "texts stand in quotes: write `name = \"Friday night\"`");
    check_hint("bind = 0.0.0.0", 1, "texts stand in quotes: write `bind = \"0.0.0.0\"`");
    check_hint("masters = master.example.org:27900", 1,
               "texts stand in quotes: write `masters = \"master.example.org:27900\"`");
    check_hint("log_json = yes", 1, "write `log_json = true` instead of `yes`");
    check_hint("log_json = Off", 1, "write `log_json = false` instead of `Off`");
    check_hint("log_json = True", 1, "write `log_json = true` instead of `True`");
    check_hint("restart = 30s", 1,
               "a number has no unit: write `restart = 30`, or a text in quotes");
    check_hint("time_limit = 20 min", 1,
               "a number has no unit: write `time_limit = 20`, or a text in quotes");
    check_hint("masters = [\"a\", \"b\"]", 1,
               "a list stands in braces: write `masters = { \"a\", \"b\" }`");
    check_hint("name =\nport = 3", 1, "`name =` has no value: write one, or remove the line");
    check_hint("name = \xE2\x80\x9Cx\xE2\x80\x9D", 1,
               "texts stand in plain quotes, \"...\", not in typographic ones");
    check_hint(
        "name = 'x',\nport = 22101", 1,
        "remove the comma at the end, or write `return {` before the first key and `}` after "
        "the last");
}

TEST(a_password_is_never_repeated)
{
    check_hint("password = sesame", 1, "texts stand in quotes: write `password = \"...\"`");
    check_hint("password: sesame", 1, "write `password = \"...\"`");
    check_hint("password 4711", 1, "write `password = \"...\"`");
}

TEST(lines_of_lua_get_no_hint)
{
    check_none("local base = 5000\nport = base\nname = 'x' .. 'y'\nlog_json = not true\n", 99);
    check_none("rooms = {\n  [1] = { name = 'a' },\n  # nonsense\n}\n", 99); /* Lua's own message */
    check_none("--[[\n[server]\n]]\nname = [[\n; text\n]]\nfor i = 1, 2 do\nend\n", 99);
    check_none("return {\n  name = \"x\",\n  port: 3,\n}", 99);
    check_none("port = 22101\n[server]\n", 1); /* beyond the error */
    check_none("local on = true\nlog_json = on\nport = 3\n", 99);
    check_none("", 1);
}

/* Lua runs `;port = 5` as an assignment, so this comment is found without an error. */
TEST(a_comment_of_an_ini_file_is_found_without_an_error)
{
    static const char text[] = "name = 'a; b' -- c\n ; port = 5\n";
    static const char none[] = "name = 'x';\nrooms = { 1\n; 2 }\nhelp = [[\n; x\n]]\n";
    sb_shape          shape = { 0, "" };
    CHECK(sb_shape_find_silent(text, strlen(text), &shape));
    CHECK_EQ(shape.line, 2);
    CHECK_TEXT(shape.hint, comment);
    CHECK(!sb_shape_find_silent(none, strlen(none), &shape));
}

/* Lua assigns the first value and drops the others. */
TEST(several_values_of_a_key_are_found_without_an_error)
{
    static const char *const none[] = {
        "masters = { 'a', 'b' }", "name = 'a, b' -- c, d", "name = f(1, 2)",      "a, b = 1, 2",
        "for i = 1, 2 do",        "local a = 1, 2",        "name = 'x', -- last", "name = 'x',",
        "rooms = {\na = 1, b\n}", "name = [[a, b]]",       "a == 1, 2",
    };
    static const char text[] = "port = 3\nmasters = 'a, b', 'c'\n";
    sb_shape          shape = { 0, "" };
    CHECK(sb_shape_find_silent(text, strlen(text), &shape));
    CHECK_EQ(shape.line, 2);
    CHECK_TEXT(shape.hint, "`masters` has several values: write one; a list stands in braces, "
                           "`{ ..., ... }`");
    CHECK(sb_shape_find_silent("port = 22,101", 13, &shape));
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (sb_shape_find_silent(none[i], strlen(none[i]), &shape))
            FAIL("%s: %s", none[i], shape.hint);
}
