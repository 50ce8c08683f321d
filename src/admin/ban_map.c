/* src/admin/ban_map.c -- ranges become a sorted list of segments, names a sorted list.
 *
 * For:      ban_map.h. Ranges of a prefix are nested or disjoint, never overlapping in part. So one
 *           pass over the sorted ranges, with a stack of those that are open, cuts all addresses
 *           into segments with one verdict each.
 */
#include "admin/ban_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

enum { NOBODY = -1 };

/* The addresses from `first` to the next segment's. */
typedef struct segment {
    uint32_t first;
    int32_t  ban;      /* index in `rows`, or NOBODY */
    bool     excepted; /* no ban holds here, not even one of names */
} segment;

struct sb_ban_map {
    sb_ban  *rows; /* their texts are in `texts`, names folded */
    size_t   count;
    segment *segments;
    size_t   segment_count;
    size_t  *names;    /* rows with a name without `*`, by name */
    size_t  *patterns; /* rows with a `*` */
    size_t   name_count, pattern_count;
    char    *texts;
};

/* ---- copying ---- */

static size_t texts_size(const sb_bans *bans)
{
    size_t size = 1;
    for (size_t i = 0; i < sb_bans_count(bans); i++)
        size += strlen(sb_bans_at(bans, i)->name) + strlen(sb_bans_at(bans, i)->reason) + 2;
    return size;
}

static char *copy_text(char *at, const char **text)
{
    size_t size = strlen(*text) + 1;
    memcpy(at, *text, size);
    *text = at;
    return at + size;
}

static void copy_rows(sb_ban_map *map, const sb_bans *bans, int64_t now_ms)
{
    char *at = map->texts;
    for (size_t i = 0; i < sb_bans_count(bans); i++) {
        if (!sb_ban_is_in_force(sb_bans_at(bans, i), now_ms)) continue;
        sb_ban *row = &map->rows[map->count++];
        *row = *sb_bans_at(bans, i);
        char *name = at;
        at = copy_text(at, &row->name);
        at = copy_text(at, &row->reason);
        row->by = "";
        sb_ban_fold(name);
    }
}

/* ---- segments ---- */

/* A range whose end has not been reached. */
typedef struct open_range {
    uint32_t last;
    int32_t  ban;
    bool     excepted;
} open_range;

typedef struct cutter {
    sb_ban_map *map;
    open_range  open[34]; /* nested ranges: each one is shorter than the one below it */
    size_t      depth;
} cutter;

static uint32_t last_address(const sb_ban_range *range)
{
    return range->bits == 32 ? range->address : range->address | UINT32_MAX >> range->bits;
}

static void emit(sb_ban_map *map, uint32_t first, int32_t ban, bool excepted)
{
    segment *s = map->segments + map->segment_count;
    if (map->segment_count > 0 && s[-1].first == first) s--;
    else map->segment_count++;
    *s = (segment){ first, ban, excepted };
}

/* Closes the ranges that end before `address`. */
static void close_before(cutter *c, uint64_t address)
{
    while (c->depth > 0 && c->open[c->depth - 1].last < address) {
        uint32_t          last = c->open[--c->depth].last;
        const open_range *outer = c->depth > 0 ? &c->open[c->depth - 1] : NULL;
        if (last == UINT32_MAX) continue;
        emit(c->map, last + 1, outer ? outer->ban : NOBODY, outer && outer->excepted);
    }
}

/* The ban that expires later. */
static int32_t later_ban(const sb_ban_map *map, int32_t a, int32_t b)
{
    if (a == NOBODY || b == NOBODY) return a == NOBODY ? b : a;
    int64_t of_a = map->rows[a].expires_ms, of_b = map->rows[b].expires_ms;
    return of_a == 0 || (of_b != 0 && of_a >= of_b) ? a : b;
}

static void open_row(cutter *c, int32_t index)
{
    const sb_ban *row = &c->map->rows[index];
    bool          exception = row->kind == SB_BAN_EXCEPTION;
    open_range    range = { last_address(&row->range), exception ? NOBODY : index, exception };
    close_before(c, row->range.address);
    open_range *outer = c->depth > 0 ? &c->open[c->depth - 1] : NULL;
    if (outer) {
        range.ban = later_ban(c->map, range.ban, outer->ban);
        range.excepted = range.excepted || outer->excepted;
    }
    if (outer && outer->last == range.last) c->depth--; /* both end here: one is enough */
    SB_ASSERT(c->depth < sizeof c->open / sizeof *c->open);
    c->open[c->depth++] = range;
    emit(c->map, row->range.address, range.ban, range.excepted);
}

static int compare_ranges(const void *left, const void *right)
{
    const sb_ban *a = *(sb_ban *const *)left, *b = *(sb_ban *const *)right;
    if (a->range.address != b->range.address) return a->range.address < b->range.address ? -1 : 1;
    if (a->range.bits != b->range.bits) return a->range.bits < b->range.bits ? -1 : 1;
    return a < b ? -1 : a > b;
}

static bool cut_segments(sb_ban_map *map)
{
    cutter   c = { .map = map };
    size_t   count = 0;
    sb_ban **sorted = malloc((map->count + 1) * sizeof *sorted);
    if (!sorted) return false;
    for (size_t i = 0; i < map->count; i++)
        if (map->rows[i].has_range && map->rows[i].name[0] == '\0') sorted[count++] = &map->rows[i];
    qsort(sorted, count, sizeof *sorted, compare_ranges);
    emit(map, 0, NOBODY, false);
    for (size_t i = 0; i < count; i++) open_row(&c, (int32_t)(sorted[i] - map->rows));
    close_before(&c, (uint64_t)UINT32_MAX + 1);
    free(sorted);
    return true;
}

static const segment *find_segment(const sb_ban_map *map, uint32_t address)
{
    size_t low = 0, high = map->segment_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (map->segments[middle].first <= address) low = middle;
        else high = middle;
    }
    return &map->segments[low];
}

/* ---- names ---- */

/* Rows whose names are the same stand together, in the order of the list. */
static void insert_names(sb_ban_map *map)
{
    for (size_t i = 0; i < map->count; i++) {
        if (map->rows[i].name[0] == '\0') continue;
        if (strchr(map->rows[i].name, '*')) map->patterns[map->pattern_count++] = i;
        else map->names[map->name_count++] = i;
    }
}

/* A key of a row for sorting: qsort has no context. */
typedef struct name_key {
    const char *name;
    size_t      row;
} name_key;

static int compare_names(const void *left, const void *right)
{
    const name_key *a = left, *b = right;
    int             order = strcmp(a->name, b->name);
    if (order != 0) return order;
    return a->row < b->row ? -1 : a->row > b->row;
}

static bool sort_names(sb_ban_map *map)
{
    name_key *keys = malloc((map->name_count + 1) * sizeof *keys);
    if (!keys) return false;
    for (size_t i = 0; i < map->name_count; i++)
        keys[i] = (name_key){ map->rows[map->names[i]].name, map->names[i] };
    qsort(keys, map->name_count, sizeof *keys, compare_names);
    for (size_t i = 0; i < map->name_count; i++) map->names[i] = keys[i].row;
    free(keys);
    return true;
}

/* The place of the first name that is not before `name`. */
static size_t find_name(const sb_ban_map *map, const char *name)
{
    size_t low = 0, high = map->name_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(map->rows[map->names[middle]].name, name) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* ---- the map ---- */

sb_ban_map *sb_ban_map_create(const sb_bans *bans, int64_t now_ms)
{
    size_t      count = sb_bans_count(bans);
    sb_ban_map *map = calloc(1, sizeof *map);
    if (!map) return NULL;
    map->rows = malloc((count + 1) * sizeof *map->rows);
    map->segments = malloc((2 * count + 2) * sizeof *map->segments);
    map->names = malloc((count + 1) * sizeof *map->names);
    map->patterns = malloc((count + 1) * sizeof *map->patterns);
    map->texts = malloc(texts_size(bans));
    bool fine = map->rows && map->segments && map->names && map->patterns && map->texts;
    if (fine) copy_rows(map, bans, now_ms);
    if (fine) insert_names(map);
    if (fine && cut_segments(map) && sort_names(map)) return map;
    sb_ban_map_destroy(map);
    return NULL;
}

void sb_ban_map_destroy(sb_ban_map *map)
{
    if (!map) return;
    free(map->rows);
    free(map->segments);
    free(map->names);
    free(map->patterns);
    free(map->texts);
    free(map);
}

bool sb_ban_map_is_empty(const sb_ban_map *map)
{
    return map->count == 0;
}

static void fill_hit(const sb_ban *row, sb_ban_hit *hit)
{
    *hit = (sb_ban_hit){ row->id, row->expires_ms, row->kind, row->reason };
}

bool sb_ban_map_refuses_address(const sb_ban_map *map, uint32_t address, int64_t now_ms,
                                sb_ban_hit *hit)
{
    const segment *s = find_segment(map, address);
    if (s->ban == NOBODY || s->excepted) return false;
    const sb_ban *row = &map->rows[s->ban];
    if (!sb_ban_is_in_force(row, now_ms)) return false;
    fill_hit(row, hit);
    return true;
}

/* The sum of the rows with a name that fit one player. */
typedef struct verdict {
    const sb_ban *ban;
    bool          excepted;
} verdict;

static void judge(verdict *v, const sb_ban *row, uint32_t address, int64_t now_ms)
{
    if (row->has_range && !sb_ban_is_in_range(&row->range, address)) return;
    if (!sb_ban_is_in_force(row, now_ms)) return;
    if (row->kind == SB_BAN_EXCEPTION) v->excepted = true;
    else if (!v->ban) v->ban = row;
}

bool sb_ban_map_refuses_name(const sb_ban_map *map, uint32_t address, const char *name,
                             int64_t now_ms, sb_ban_hit *hit)
{
    char    folded[SB_BAN_NAME_MAX + 1];
    verdict v = { NULL, find_segment(map, address)->excepted };
    size_t  size = strlen(name);
    if (map->name_count + map->pattern_count == 0 || v.excepted) return false;
    if (size >= sizeof folded) size = sizeof folded - 1;
    memcpy(folded, name, size);
    folded[size] = '\0';
    sb_ban_fold(folded);
    for (size_t i = find_name(map, folded); i < map->name_count; i++) {
        if (strcmp(map->rows[map->names[i]].name, folded) != 0) break;
        judge(&v, &map->rows[map->names[i]], address, now_ms);
    }
    for (size_t i = 0; i < map->pattern_count; i++)
        if (sb_ban_name_fits(map->rows[map->patterns[i]].name, folded))
            judge(&v, &map->rows[map->patterns[i]], address, now_ms);
    if (!v.ban || v.excepted) return false;
    fill_hit(v.ban, hit);
    return true;
}
