/* src/store/entry.c -- the fields of each type of entry, and entries as lines.
 *
 * Tests:    tests/store/entry_test.c, fuzz/spool_fuzz.c
 */
#include "store/entry.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/utf8.h"

/* ---- the description ---- */

#define NUMBER(type, member)                                                                       \
    {                                                                                              \
        false, offsetof(type, member), sizeof(int64_t)                                             \
    }
#define TEXT(type, member)                                                                         \
    {                                                                                              \
        true, offsetof(type, member), sizeof(((type *)0)->member)                                  \
    }
#define KEY(type) TEXT(type, key.uid), NUMBER(type, key.room), NUMBER(type, key.started_ms)

static const sb_store_entry_field match_fields[] = {
    KEY(sb_match_entry),
    TEXT(sb_match_entry, session),
    TEXT(sb_match_entry, server),
    TEXT(sb_match_entry, mission),
    TEXT(sb_match_entry, system),
    TEXT(sb_match_entry, state),
    TEXT(sb_match_entry, reason),
    NUMBER(sb_match_entry, revision),
    NUMBER(sb_match_entry, updated_ms),
    NUMBER(sb_match_entry, ended_ms),
};

static const sb_store_entry_field player_fields[] = {
    KEY(sb_player_entry),
    NUMBER(sb_player_entry, player),
    TEXT(sb_player_entry, name),
    NUMBER(sb_player_entry, is_bot),
    NUMBER(sb_player_entry, team),
    NUMBER(sb_player_entry, place),
    NUMBER(sb_player_entry, kills),
    NUMBER(sb_player_entry, deaths),
    NUMBER(sb_player_entry, score),
    NUMBER(sb_player_entry, joined_ms),
    NUMBER(sb_player_entry, left_ms),
    NUMBER(sb_player_entry, seconds),
    NUMBER(sb_player_entry, bot_kills),
    NUMBER(sb_player_entry, bot_deaths),
    NUMBER(sb_player_entry, revision),
    NUMBER(sb_player_entry, updated_ms),
    TEXT(sb_player_entry, address),
};

static const sb_store_entry_field kill_fields[] = {
    KEY(sb_kill_entry),
    NUMBER(sb_kill_entry, number),
    NUMBER(sb_kill_entry, at_ms),
    NUMBER(sb_kill_entry, killer),
    NUMBER(sb_kill_entry, victim),
    TEXT(sb_kill_entry, killer_name),
    TEXT(sb_kill_entry, victim_name),
    TEXT(sb_kill_entry, killer_ship),
    TEXT(sb_kill_entry, victim_ship),
    TEXT(sb_kill_entry, cause),
};

static const sb_store_entry_field chat_fields[] = {
    TEXT(sb_chat_entry, session), NUMBER(sb_chat_entry, number),  NUMBER(sb_chat_entry, at_ms),
    NUMBER(sb_chat_entry, room),  NUMBER(sb_chat_entry, to_team), TEXT(sb_chat_entry, match_uid),
    TEXT(sb_chat_entry, name),    TEXT(sb_chat_entry, text),
};

static const sb_store_entry_field ban_fields[] = {
    NUMBER(sb_ban_entry, id),         NUMBER(sb_ban_entry, created_ms),
    NUMBER(sb_ban_entry, expires_ms), NUMBER(sb_ban_entry, exception),
    TEXT(sb_ban_entry, kind),         TEXT(sb_ban_entry, range),
    TEXT(sb_ban_entry, name),         TEXT(sb_ban_entry, reason),
    TEXT(sb_ban_entry, by),
};

static const sb_store_entry_field unban_fields[] = {
    NUMBER(sb_unban_entry, id),
    NUMBER(sb_unban_entry, removed_ms),
};

static const sb_store_entry_field seen_fields[] = {
    TEXT(sb_seen_entry, name),
    TEXT(sb_seen_entry, address),
    NUMBER(sb_seen_entry, at_ms),
};

static const sb_store_entry_field audit_fields[] = {
    TEXT(sb_audit_entry, session), NUMBER(sb_audit_entry, number), NUMBER(sb_audit_entry, at_ms),
    TEXT(sb_audit_entry, who),     TEXT(sb_audit_entry, command),  TEXT(sb_audit_entry, result),
};

#define SHAPE(id, name, member)                                                                    \
    [id] = { name, sizeof member##_fields / sizeof *member##_fields, member##_fields },

static const sb_store_entry_shape shapes[SB_STORE_ENTRY_TYPES] = { SB_STORE_ENTRIES(SHAPE) };

#define FITS(id, name, member)                                                                     \
    _Static_assert(sizeof member##_fields / sizeof *member##_fields <= SB_STORE_ENTRY_FIELDS_MAX,  \
                   "more fields than SB_STORE_ENTRY_FIELDS_MAX");
SB_STORE_ENTRIES(FITS)

const sb_store_entry_shape *sb_store_entry_shape_of(sb_store_entry_type type)
{
    SB_ASSERT((unsigned)type < SB_STORE_ENTRY_TYPES);
    return &shapes[type];
}

bool sb_store_entry_is_superseded(const sb_store_entry *entry)
{
    if (entry->type == SB_STORE_ENTRY_MATCH) return strcmp(entry->u.match.state, "running") == 0;
    return entry->type == SB_STORE_ENTRY_PLAYER && entry->u.player.left_ms == 0 &&
           entry->u.player.place == 0;
}

bool sb_store_entry_is_result(const sb_store_entry *entry)
{
    bool of_match = entry->type == SB_STORE_ENTRY_MATCH || entry->type == SB_STORE_ENTRY_PLAYER;
    return of_match && !sb_store_entry_is_superseded(entry);
}

/* ---- writing ---- */

static uint32_t checksum(const char *text, size_t size)
{
    static const uint32_t table[16] = { /* of the reversed polynomial 0xEDB88320, by four bits */
                                        0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC,
                                        0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
                                        0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
                                        0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C
    };
    uint32_t crc = 0xFFFFFFFF;
    for (size_t i = 0; i < size; i++) {
        crc ^= (uint8_t)text[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

enum { CHECKSUM_DIGITS = 8, FIELDS_AT = CHECKSUM_DIGITS + 1 };

typedef struct line {
    char  *out;
    size_t size;
} line;

/* Leaves out a text that does not fit; the longest entry fits (entry_test.c). */
static void put(line *l, const char *text, size_t size)
{
    if (size > SB_STORE_ENTRY_LINE_MAX - 2 - l->size) return;
    memcpy(l->out + l->size, text, size);
    l->size += size;
}

static const char *escape_of(uint32_t code_point)
{
    switch (code_point) {
    case '\t': return "\\t";
    case '\n': return "\\n";
    case '\\': return "\\\\";
    default: return code_point < 0x20 || code_point == 0x7F ? "?" : NULL;
    }
}

/* `capacity` counts the NUL: a text without one ends there. */
static void put_text(line *l, const char *text, size_t capacity)
{
    size_t left = strnlen(text, capacity - 1);
    for (size_t size; left > 0; text += size, left -= size) {
        uint32_t code = 0;
        size = sb_utf8_read((const uint8_t *)text, left, &code);
        const char *escape = size == 0 ? "?" : escape_of(code);
        if (size == 0) size = 1;
        put(l, escape ? escape : text, escape ? strlen(escape) : size);
    }
}

static void put_number(line *l, int64_t number)
{
    char text[24];
    put(l, text, (size_t)snprintf(text, sizeof text, "%lld", (long long)number));
}

size_t sb_store_entry_encode(const sb_store_entry *entry, char out[SB_STORE_ENTRY_LINE_MAX])
{
    const sb_store_entry_shape *shape = sb_store_entry_shape_of(entry->type);
    const char                 *values = (const char *)&entry->u;
    line                        l = { out, FIELDS_AT };
    char                        digits[FIELDS_AT + 1];
    put(&l, shape->name, strlen(shape->name));
    for (size_t i = 0; i < shape->count; i++) {
        const sb_store_entry_field *f = &shape->fields[i];
        int64_t                     number;
        put(&l, "\t", 1);
        if (!f->is_text) memcpy(&number, values + f->offset, sizeof number);
        if (f->is_text) put_text(&l, values + f->offset, f->capacity);
        else put_number(&l, number);
    }
    snprintf(digits, sizeof digits, "%08x ", checksum(out + FIELDS_AT, l.size - FIELDS_AT));
    memcpy(out, digits, FIELDS_AT);
    out[l.size] = '\n';
    out[l.size + 1] = '\0';
    return l.size + 1;
}

/* ---- reading ---- */

static bool read_text(const char *from, size_t size, char *out, size_t capacity)
{
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        char c = from[i];
        if (c == '\\') {
            if (++i == size) return false;
            c = from[i] == 't' ? '\t' : from[i] == 'n' ? '\n' : from[i];
        }
        if (used + 1 >= capacity) return false;
        out[used++] = c;
    }
    out[used] = '\0';
    return true;
}

static bool read_number(const char *from, size_t size, int64_t *out)
{
    enum { DIGITS_MAX = 20 };
    bool     negative = size > 0 && from[0] == '-';
    uint64_t value = 0, limit = (uint64_t)INT64_MAX + negative;
    if (size == negative || size > DIGITS_MAX) return false;
    for (size_t i = negative; i < size; i++) {
        unsigned digit = (unsigned)(from[i] - '0');
        if (digit > 9 || value > (limit - digit) / 10) return false;
        value = 10 * value + digit;
    }
    *out = negative ? (int64_t)(0 - value) : (int64_t)value;
    return true;
}

static bool read_field(const sb_store_entry_field *f, const char *from, size_t size, char *values)
{
    int64_t number;
    if (f->is_text) return read_text(from, size, values + f->offset, f->capacity);
    if (!read_number(from, size, &number)) return false;
    memcpy(values + f->offset, &number, sizeof number);
    return true;
}

/* The end of the field that starts at `at`. */
static size_t end_of_field(const char *text, size_t at, size_t size)
{
    const char *tab = memchr(text + at, '\t', size - at);
    return tab ? (size_t)(tab - text) : size;
}

static bool find_type(const char *name, size_t size, sb_store_entry_type *out)
{
    for (unsigned i = 0; i < SB_STORE_ENTRY_TYPES; i++) {
        if (strlen(shapes[i].name) != size || memcmp(shapes[i].name, name, size) != 0) continue;
        *out = (sb_store_entry_type)i;
        return true;
    }
    return false;
}

static bool read_fields(const char *text, size_t size, sb_store_entry *out)
{
    size_t at = end_of_field(text, 0, size);
    if (!find_type(text, at, &out->type)) return false;
    const sb_store_entry_shape *shape = &shapes[out->type];
    for (size_t i = 0; i < shape->count; i++) {
        if (at == size) return false;
        size_t start = at + 1;
        at = end_of_field(text, start, size);
        if (!read_field(&shape->fields[i], text + start, at - start, (char *)&out->u)) return false;
    }
    return at == size;
}

sb_result sb_store_entry_decode(const char *text, size_t size, sb_store_entry *out)
{
    char again[SB_STORE_ENTRY_LINE_MAX];
    memset(out, 0, sizeof *out);
    if (size <= FIELDS_AT || size >= SB_STORE_ENTRY_LINE_MAX) return SB_BAD_VALUE;
    if (!read_fields(text + FIELDS_AT, size - FIELDS_AT, out)) return SB_BAD_VALUE;
    /* Comparing with the one form that encode writes also checks the checksum. */
    size_t same = sb_store_entry_encode(out, again) - 1;
    return same == size && memcmp(again, text, size) == 0 ? SB_OK : SB_BAD_VALUE;
}
