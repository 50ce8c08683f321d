/* src/config/bots_table.c -- reads, prints and compares the key `bots`.
 *
 * Tests:    tests/config/bots_table_test.c
 */
#include "config/bots_table.h"

#include <string.h>
#include <strings.h>

#include "base/utf8.h"

/* "medium" is another word for "normal". */
static const char *const skill_words[] = { "easy", "normal", "hard", "medium", NULL };
static const char *const when_words[] = { "always", "players", NULL };

enum { NORMAL = 1, MEDIUM = 3, NAME_BYTES_MAX = 96 };

void sb_bots_defaults(sb_bots_config *out)
{
    *out = (sb_bots_config){ .skill = NORMAL, .count = true };
}

/* ---- reading ---- */

/* The record that sb_lua_read_fields fills. */
typedef struct bots_fields {
    int      fill;
    uint8_t  skill, when;
    bool     count, has_names;
    sb_texts names;
} bots_fields;

/* NULL: it is a name that a player can have. */
static const char *find_fault(const char *name)
{
    size_t units = 0, left = strlen(name);
    for (const uint8_t *at = (const uint8_t *)name; left > 0; units++) {
        uint32_t code;
        size_t   size = sb_utf8_read(at, left, &code);
        if (size == 0) return "must be UTF-8";
        if (!sb_is_visible(code) || code > 0xFFFF)
            return "must have only visible characters, up to U+FFFF";
        at += size;
        left -= size;
    }
    if (units > SB_BOT_NAME_UNITS) return "must have at most 28 characters";
    return strspn(name, " ") == strlen(name) ? "must not be blank" : NULL;
}

static void read_name(sb_lua *lua, void *record)
{
    sb_texts   *names = &((bots_fields *)record)->names;
    const char *name = sb_lua_read_text(lua, NAME_BYTES_MAX);
    const char *fault = find_fault(name);
    if (fault) sb_lua_fail(lua, "%s", fault);
    for (size_t i = 0; i < names->count; i++)
        if (strcasecmp(names->items[i], name) == 0)
            sb_lua_fail(lua, "is the name of another bot, too");
    names->items[names->count++] = name;
}

static void read_names(sb_lua *lua, void *record)
{
    bots_fields *fields = record;
    fields->has_names = true;
    sb_lua_read_list(lua, SB_TEXTS_MAX, read_name, record);
}

static void read_table(sb_lua *lua, sb_bots_config *bots)
{
    static const sb_lua_field rows[] = {
        { .key = "fill",
          .kind = SB_LUA_INT,
          .optional = true,
          .offset = offsetof(bots_fields, fill),
          .high = SB_SERVER_PLAYERS_MAX },
        { .key = "skill",
          .kind = SB_LUA_WORD,
          .optional = true,
          .offset = offsetof(bots_fields, skill),
          .words = skill_words },
        { .key = "when",
          .kind = SB_LUA_WORD,
          .optional = true,
          .offset = offsetof(bots_fields, when),
          .words = when_words },
        { .key = "count",
          .kind = SB_LUA_FLAG,
          .optional = true,
          .offset = offsetof(bots_fields, count) },
        { .key = "names", .kind = SB_LUA_PART, .optional = true, .read = read_names },
        { 0 },
    };
    bots_fields fields = { .fill = (int)bots->fill,
                           .skill = bots->skill,
                           .when = bots->with_players,
                           .count = bots->count };
    sb_lua_read_fields(lua, rows, &fields);
    bots->fill = (uint32_t)fields.fill;
    bots->skill = fields.skill == MEDIUM ? NORMAL : fields.skill;
    bots->with_players = fields.when == 1;
    bots->count = fields.count;
    if (fields.has_names) bots->names = fields.names;
}

static bool set_fill(sb_bots_config *bots, double number)
{
    bool fits = number >= 0 && number <= SB_SERVER_PLAYERS_MAX && number == (double)(int)number;
    if (fits) bots->fill = (uint32_t)number;
    return fits;
}

void sb_bots_read(sb_lua *lua, sb_bots_config *bots)
{
    sb_lua_value value = sb_lua_read_value(lua);
    if (value.kind == SB_LUA_IS_OTHER) read_table(lua, bots);
    else if (value.kind != SB_LUA_IS_NUMBER || !set_fill(bots, value.number))
        sb_lua_fail(lua, "must be a table, or a whole number from 0 to %d", SB_SERVER_PLAYERS_MAX);
}

bool sb_bots_set_fill(sb_bots_config *bots, const char *text, char reason[SB_KEY_REASON])
{
    double number;
    if (sb_key_parse_number(text, &number) && set_fill(bots, number)) return true;
    snprintf(reason, SB_KEY_REASON,
             "must be a whole number from 0 to %d, is `%.60s`; all else about bots is set in the "
             "file",
             SB_SERVER_PLAYERS_MAX, text);
    return false;
}

/* ---- printing and comparing ---- */

void sb_bots_print(FILE *out, const sb_bots_config *bots)
{
    fprintf(
        out, "bots = { fill = %u, skill = \"%s\", when = \"%s\", count = %s, names = ", bots->fill,
        skill_words[bots->skill], when_words[bots->with_players], bots->count ? "true" : "false");
    sb_key_print_texts(out, &bots->names);
    fprintf(out, " }");
}

bool sb_bots_are_equal(const sb_bots_config *a, const sb_bots_config *b)
{
    if (a->fill != b->fill || a->skill != b->skill || a->with_players != b->with_players ||
        a->count != b->count || a->names.count != b->names.count)
        return false;
    for (size_t i = 0; i < a->names.count; i++)
        if (strcmp(a->names.items[i], b->names.items[i]) != 0) return false;
    return true;
}
