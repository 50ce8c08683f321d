/* src/config/play_tables.c -- the rows of `votes` and `rotation`: defaults, checks, reading,
 * printing.
 *
 * For:      play_tables.h.
 */
#include "config/play_tables.h"

#include <starbase/match.h>
#include <string.h>

/* ---- votes ---- */

/* clang-format off */
const sb_vote_row sb_vote_default_rows[] = {
    { "kick", "remove %s from the server", "kick %s voted out", SB_VOTE_PLAYER, 60, 66, 30, 120 },
    { "map", "play in %s next", "map %s", SB_VOTE_WORD, 50, 51, 30, 60 },
    { "restart", "start the match anew", "restart", SB_VOTE_NOTHING, 50, 66, 30, 60 },
};
/* clang-format on */
const size_t sb_vote_default_count = sizeof sb_vote_default_rows / sizeof *sb_vote_default_rows;

static bool is_word(const char *text)
{
    size_t size = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-");
    return size > 0 && size < SB_VOTE_WORD_MAX && text[size] == '\0';
}

/* True if `%` occurs only as one %s, and then only if the vote has an argument. */
static bool is_form(const char *text, bool argument)
{
    const char *percent = strchr(text, '%');
    if (!percent) return true;
    return argument && percent[1] == 's' && !strchr(percent + 1, '%');
}

const char *sb_vote_row_fault(const sb_vote_row *row)
{
    bool argument = row->argument != SB_VOTE_NOTHING;
    if (!is_word(row->name)) return "name must be a short word of small letters and digits";
    if (!row->text[0] || strlen(row->text) > 100) return "text must have 1 to 100 bytes";
    if (!row->command[0] || strlen(row->command) > 100) return "command must have 1 to 100 bytes";
    if (!is_form(row->text, argument) || !is_form(row->command, argument))
        return "text and command may have one %s, for the argument, and no other %";
    if (argument && !strchr(row->command, '%')) return "command must have a %s for the argument";
    if (row->quorum < 1 || row->quorum > 100) return "quorum must be 1 to 100 percent";
    if (row->majority < 50 || row->majority > 100) return "majority must be 50 to 100 percent";
    if (row->seconds < 5 || row->seconds > 600) return "seconds must be 5 to 600";
    if (row->cooldown > 3600) return "cooldown must be 0 to 3600 seconds";
    return NULL;
}

static const char *const argument_words[] = { "none", "player", "word", NULL };

static void read_vote(sb_lua *lua, void *record)
{
    static const sb_lua_field fields[] = {
        { .key = "name",
          .kind = SB_LUA_TEXT,
          .count = SB_VOTE_WORD_MAX - 1,
          .offset = offsetof(sb_vote_row, name) },
        { .key = "text", .kind = SB_LUA_TEXT, .count = 100, .offset = offsetof(sb_vote_row, text) },
        { .key = "command",
          .kind = SB_LUA_TEXT,
          .count = 100,
          .offset = offsetof(sb_vote_row, command) },
        { .key = "argument",
          .kind = SB_LUA_WORD,
          .words = argument_words,
          .optional = true,
          .offset = offsetof(sb_vote_row, argument) },
        { .key = "quorum",
          .kind = SB_LUA_U8,
          .low = 1,
          .high = 100,
          .optional = true,
          .offset = offsetof(sb_vote_row, quorum) },
        { .key = "majority",
          .kind = SB_LUA_U8,
          .low = 50,
          .high = 100,
          .optional = true,
          .offset = offsetof(sb_vote_row, majority) },
        { .key = "seconds",
          .kind = SB_LUA_INT,
          .low = 5,
          .high = 600,
          .optional = true,
          .offset = offsetof(sb_vote_row, seconds) },
        { .key = "cooldown",
          .kind = SB_LUA_INT,
          .low = 0,
          .high = 3600,
          .optional = true,
          .offset = offsetof(sb_vote_row, cooldown) },
        { 0 },
    };
    sb_vote_rows *out = record;
    sb_vote_row   row = { .quorum = 50, .majority = 51, .seconds = 30, .cooldown = 60 };
    sb_lua_read_fields(lua, fields, &row);
    const char *fault = sb_vote_row_fault(&row);
    if (fault) sb_lua_fail(lua, "%s", fault);
    for (size_t i = 0; i < out->count; i++)
        if (strcmp(out->rows[i].name, row.name) == 0)
            sb_lua_fail(lua, "there is a vote `%s` already", row.name);
    ((sb_vote_row *)(uintptr_t)out->rows)[out->count++] = row;
}

void sb_vote_rows_read(sb_lua *lua, sb_vote_rows *out)
{
    sb_vote_rows list = { sb_lua_allocate(lua, SB_VOTE_ROWS_MAX * sizeof(sb_vote_row)), 0 };
    sb_lua_read_list(lua, SB_VOTE_ROWS_MAX, read_vote, &list);
    *out = list;
}

/* As in print_config.c: texts have no control characters. */
static void print_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void print_vote(FILE *out, const sb_vote_row *row)
{
    fprintf(out, "\n    { name = \"%s\", text = ", row->name);
    print_text(out, row->text);
    fprintf(out, ", command = ");
    print_text(out, row->command);
    fprintf(out, ",\n      argument = \"%s\", quorum = %u, majority = %u, seconds = %d, ",
            argument_words[row->argument], row->quorum, row->majority, row->seconds);
    fprintf(out, "cooldown = %d },", row->cooldown);
}

void sb_vote_rows_print(FILE *out, const sb_vote_rows *rows)
{
    fprintf(out, "{");
    for (size_t i = 0; i < rows->count; i++) print_vote(out, &rows->rows[i]);
    fprintf(out, rows->count > 0 ? "\n}" : "}");
}

bool sb_vote_rows_are_equal(const sb_vote_rows *a, const sb_vote_rows *b)
{
    for (size_t i = 0; a->count == b->count && i < a->count; i++) {
        const sb_vote_row *x = &a->rows[i], *y = &b->rows[i];
        if (strcmp(x->name, y->name) != 0 || strcmp(x->text, y->text) != 0 ||
            strcmp(x->command, y->command) != 0 || x->argument != y->argument ||
            x->quorum != y->quorum || x->majority != y->majority || x->seconds != y->seconds ||
            x->cooldown != y->cooldown)
            return false;
    }
    return a->count == b->count;
}

/* ---- rotation ---- */

const char *const sb_rotate_words[] = { "empty", "rejoin", NULL };

/* A number of a system stands for its text, as for the key `system`. */
static void read_system(sb_lua *lua, void *record)
{
    char         digits[16];
    sb_lua_value value = sb_lua_read_value(lua);
    const char **out = record;
    if (value.kind == SB_LUA_IS_TEXT) *out = value.text;
    else if (value.kind == SB_LUA_IS_NUMBER && value.number >= 1 && value.number <= 255) {
        snprintf(digits, sizeof digits, "%.0f", value.number);
        *out = sb_lua_copy(lua, digits, sizeof digits, 1);
    } else sb_lua_fail(lua, "must be the number or the name of a star system");
}

static void read_entry(sb_lua *lua, void *record)
{
    static const sb_lua_field fields[] = {
        { .key = "system", .kind = SB_LUA_PART, .optional = true, .read = read_system },
        { .key = "mission",
          .kind = SB_LUA_TEXT,
          .count = 63,
          .optional = true,
          .offset = offsetof(sb_rotation_entry, mission) },
        { .key = "time_limit",
          .kind = SB_LUA_INT,
          .low = 0,
          .high = 254,
          .optional = true,
          .offset = offsetof(sb_rotation_entry, time_limit) },
        { .key = "frag_limit",
          .kind = SB_LUA_INT,
          .low = 0,
          .high = 254,
          .optional = true,
          .offset = offsetof(sb_rotation_entry, frag_limit) },
        { 0 },
    };
    _Static_assert(offsetof(sb_rotation_entry, system) == 0, "read_system fills the first field");
    sb_rotation_entries *out = record;
    sb_rotation_entry    entry = { .time_limit = -1, .frag_limit = -1 };
    sb_lua_read_fields(lua, fields, &entry);
    if (!entry.system && !entry.mission) sb_lua_fail(lua, "must have a system or a mission");
    if (entry.mission && !sb_find_mode(entry.mission))
        sb_lua_fail_at(lua, "mission",
                       "must be ffa, team, faction, assault or the script of one of them");
    ((sb_rotation_entry *)(uintptr_t)out->entries)[out->count++] = entry;
}

void sb_rotation_entries_read(sb_lua *lua, sb_rotation_entries *out)
{
    sb_rotation_entries list = { sb_lua_allocate(lua, SB_ROTATION_MAX * sizeof(sb_rotation_entry)),
                                 0 };
    sb_lua_read_list(lua, SB_ROTATION_MAX, read_entry, &list);
    *out = list;
}

static void print_entry(FILE *out, const sb_rotation_entry *e)
{
    const char *comma = "";
    fprintf(out, " { ");
    if (e->system) {
        fprintf(out, "system = ");
        print_text(out, e->system);
        comma = ", ";
    }
    if (e->mission) {
        fprintf(out, "%smission = ", comma);
        print_text(out, e->mission);
    }
    if (e->time_limit >= 0) fprintf(out, ", time_limit = %d", e->time_limit);
    if (e->frag_limit >= 0) fprintf(out, ", frag_limit = %d", e->frag_limit);
    fprintf(out, " },");
}

void sb_rotation_entries_print(FILE *out, const sb_rotation_entries *entries)
{
    fprintf(out, "{");
    for (size_t i = 0; i < entries->count; i++) print_entry(out, &entries->entries[i]);
    fprintf(out, " }");
}

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool sb_rotation_entries_are_equal(const sb_rotation_entries *a, const sb_rotation_entries *b)
{
    for (size_t i = 0; a->count == b->count && i < a->count; i++) {
        const sb_rotation_entry *x = &a->entries[i], *y = &b->entries[i];
        if (!is_same_text(x->system, y->system) || !is_same_text(x->mission, y->mission) ||
            x->time_limit != y->time_limit || x->frag_limit != y->frag_limit)
            return false;
    }
    return a->count == b->count;
}
