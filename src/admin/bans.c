/* src/admin/bans.c -- bans one by one, and the list of them.
 *
 * For:      bans.h. In this order: ranges, names, one ban, the list.
 */
#include "admin/bans.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/utf8.h"

const char *const sb_ban_kind_words[SB_BAN_KINDS + 1] = { "ban", "kick", "except", NULL };

/* ---- ranges ---- */

/* Reads a decimal number of at most three digits and advances *text. */
static bool read_number(const char **text, unsigned max, unsigned *out)
{
    const char *at = *text;
    unsigned    value = 0;
    while (*at >= '0' && *at <= '9' && at - *text < 3) value = value * 10 + (unsigned)(*at++ - '0');
    if (at == *text || value > max) return false;
    *text = at;
    *out = value;
    return true;
}

static uint32_t mask_of(unsigned bits)
{
    return bits == 0 ? 0 : UINT32_MAX << (32 - bits);
}

bool sb_ban_parse_range(const char *text, sb_ban_range *out)
{
    uint32_t address = 0;
    unsigned byte, bits = 32;
    for (int i = 0; i < 4; i++) {
        if (i > 0 && *text++ != '.') return false;
        if (!read_number(&text, 255, &byte)) return false;
        address = address << 8 | byte;
    }
    if (*text == '/') {
        text++;
        if (!read_number(&text, 32, &bits)) return false;
    }
    if (*text != '\0') return false;
    *out = (sb_ban_range){ address & mask_of(bits), (uint8_t)bits };
    return true;
}

bool sb_ban_is_in_range(const sb_ban_range *range, uint32_t address)
{
    return (address & mask_of(range->bits)) == range->address;
}

/* ---- names ---- */

/* The capital letters of Windows-1252 beyond ASCII: U+00C0 to U+00DE without the sign of
 * multiplication. Their UTF-8 differs from that of the small ones in one bit. */
static bool is_capital_latin(const unsigned char *at)
{
    return at[0] == 0xC3 && at[1] >= 0x80 && at[1] <= 0x9E && at[1] != 0x97;
}

void sb_ban_fold(char *name)
{
    for (unsigned char *at = (unsigned char *)name; *at; at++) {
        if (*at >= 'A' && *at <= 'Z') *at |= 0x20;
        else if (is_capital_latin(at)) *++at |= 0x20;
    }
}

/* After a mismatch, the text that the last `*` stands for becomes one byte longer. */
bool sb_ban_name_fits(const char *pattern, const char *name)
{
    const char *star = NULL, *from = name;
    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            from = name;
        } else if (*pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name = ++from;
        } else return false;
    }
    while (*pattern == '*') pattern++;
    return *pattern == '\0';
}

/* ---- one ban ---- */

/* Well-formed, without characters that cannot be shown. */
static bool is_clean(const char *text)
{
    uint32_t code;
    for (size_t left = strlen(text), size; left > 0; text += size, left -= size) {
        size = sb_utf8_read((const uint8_t *)text, left, &code);
        if (size == 0 || !sb_is_visible(code)) return false;
    }
    return true;
}

static bool fits_every_name(const char *pattern)
{
    return pattern[0] != '\0' && pattern[strspn(pattern, "*")] == '\0';
}

const char *sb_ban_fault(const sb_ban *ban)
{
    if (!ban->has_range && ban->name[0] == '\0') return "an address, a range or a name is missing";
    if (ban->has_range && ban->range.bits > 32) return "a range has at most 32 bits";
    if (fits_every_name(ban->name)) return "a name of nothing but `*` would be every player";
    if (strlen(ban->name) > SB_BAN_NAME_MAX) return "the name is too long";
    if (strlen(ban->reason) > SB_BAN_REASON_MAX) return "the reason has more than 200 bytes";
    if (strlen(ban->by) > SB_BAN_BY_MAX) return "the text after `by` is too long";
    if (!is_clean(ban->name) || !is_clean(ban->reason) || !is_clean(ban->by))
        return "there are characters that cannot be shown";
    return NULL;
}

bool sb_ban_is_in_force(const sb_ban *ban, int64_t now_ms)
{
    return ban->expires_ms == 0 || now_ms < ban->expires_ms;
}

bool sb_ban_has_same_target(const sb_ban *a, const sb_ban *b)
{
    if (a->kind != b->kind || a->has_range != b->has_range) return false;
    if (a->has_range && (a->range.address != b->range.address || a->range.bits != b->range.bits))
        return false;
    return strcmp(a->name, b->name) == 0;
}

void sb_ban_target_text(const sb_ban *ban, char out[SB_BAN_TARGET_TEXT])
{
    uint32_t a = ban->range.address;
    size_t   at = 0;
    out[0] = '\0';
    if (ban->has_range)
        at += (size_t)snprintf(out, SB_BAN_TARGET_TEXT, "%u.%u.%u.%u", a >> 24, a >> 16 & 255,
                               a >> 8 & 255, a & 255);
    if (ban->has_range && ban->range.bits < 32)
        at += (size_t)snprintf(out + at, SB_BAN_TARGET_TEXT - at, "/%u", ban->range.bits);
    if (ban->name[0])
        snprintf(out + at, SB_BAN_TARGET_TEXT - at, "%sname %s", at ? " " : "", ban->name);
}

/* ---- the list ---- */

struct sb_bans {
    sb_ban *rows; /* by id; each owns its texts in one block, which starts at `name` */
    size_t  count, capacity;
    size_t  patterns; /* rows with a `*` in the name */
    int64_t next_id;
};

static bool is_pattern(const sb_ban *ban)
{
    return strchr(ban->name, '*') != NULL;
}

sb_bans *sb_bans_create(void)
{
    sb_bans *bans = calloc(1, sizeof *bans);
    if (bans) bans->next_id = 1;
    return bans;
}

static void free_texts(const sb_ban *ban)
{
    free((void *)(uintptr_t)ban->name);
}

void sb_bans_destroy(sb_bans *bans)
{
    if (!bans) return;
    for (size_t i = 0; i < bans->count; i++) free_texts(&bans->rows[i]);
    free(bans->rows);
    free(bans);
}

/* Copies the three texts into one block. */
static bool own_texts(sb_ban *ban)
{
    size_t name = strlen(ban->name) + 1, reason = strlen(ban->reason) + 1, by = strlen(ban->by) + 1;
    char  *block = malloc(name + reason + by);
    if (!block) return false;
    memcpy(block, ban->name, name);
    memcpy(block + name, ban->reason, reason);
    memcpy(block + name + reason, ban->by, by);
    ban->name = block;
    ban->reason = block + name;
    ban->by = block + name + reason;
    return true;
}

static bool grow(sb_bans *bans)
{
    size_t capacity = bans->capacity ? 2 * bans->capacity : 16;
    if (bans->count < bans->capacity) return true;
    sb_ban *rows = realloc(bans->rows, capacity * sizeof *rows);
    if (!rows) return false;
    bans->rows = rows;
    bans->capacity = capacity;
    return true;
}

/* The place of the first row with this id or a higher one. */
static size_t place_of(const sb_bans *bans, int64_t id)
{
    size_t low = 0, high = bans->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (bans->rows[middle].id < id) low = middle + 1;
        else high = middle;
    }
    return low;
}

sb_result sb_bans_add(sb_bans *bans, const sb_ban *ban, int64_t *id)
{
    sb_ban row = *ban;
    if (sb_ban_fault(ban)) return SB_BAD_VALUE;
    if (row.id <= 0) row.id = bans->next_id;
    if (sb_bans_find(bans, row.id)) return SB_NOT_ALLOWED;
    if (bans->count == SB_BANS_MAX || row.id == INT64_MAX) return SB_FULL;
    if (is_pattern(ban) && bans->patterns == SB_BAN_PATTERNS_MAX) return SB_FULL;
    if (!grow(bans) || !own_texts(&row)) return SB_FULL;
    size_t place = place_of(bans, row.id);
    memmove(bans->rows + place + 1, bans->rows + place, (bans->count - place) * sizeof *bans->rows);
    bans->rows[place] = row;
    bans->count++;
    bans->patterns += is_pattern(&row);
    if (row.id >= bans->next_id) bans->next_id = row.id + 1;
    if (id) *id = row.id;
    return SB_OK;
}

bool sb_bans_remove(sb_bans *bans, int64_t id)
{
    size_t place = place_of(bans, id);
    if (place == bans->count || bans->rows[place].id != id) return false;
    bans->patterns -= is_pattern(&bans->rows[place]);
    free_texts(&bans->rows[place]);
    bans->count--;
    memmove(bans->rows + place, bans->rows + place + 1, (bans->count - place) * sizeof *bans->rows);
    return true;
}

size_t sb_bans_expire(sb_bans *bans, int64_t now_ms)
{
    size_t kept = 0, before = bans->count;
    for (size_t i = 0; i < before; i++) {
        sb_ban row = bans->rows[i];
        if (sb_ban_is_in_force(&row, now_ms)) bans->rows[kept++] = row;
        else {
            bans->patterns -= is_pattern(&row);
            free_texts(&row);
        }
    }
    bans->count = kept;
    return before - kept;
}

int64_t sb_bans_next_expiry(const sb_bans *bans)
{
    int64_t next = 0;
    for (size_t i = 0; i < bans->count; i++) {
        int64_t at = bans->rows[i].expires_ms;
        if (at != 0 && (next == 0 || at < next)) next = at;
    }
    return next;
}

size_t sb_bans_count(const sb_bans *bans)
{
    return bans->count;
}

const sb_ban *sb_bans_at(const sb_bans *bans, size_t index)
{
    SB_ASSERT(index < bans->count);
    return &bans->rows[index];
}

const sb_ban *sb_bans_find(const sb_bans *bans, int64_t id)
{
    size_t place = place_of(bans, id);
    return place < bans->count && bans->rows[place].id == id ? &bans->rows[place] : NULL;
}

const sb_ban *sb_bans_find_same(const sb_bans *bans, const sb_ban *ban)
{
    for (size_t i = 0; i < bans->count; i++)
        if (sb_ban_has_same_target(&bans->rows[i], ban)) return &bans->rows[i];
    return NULL;
}
