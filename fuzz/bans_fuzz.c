/* fuzz/bans_fuzz.c -- any bytes as a list of bans that is imported.
 *
 * Every ban that is accepted is written in both forms and read again, and the map of the list
 * agrees with a plain search of it at the edges of every range. The same bytes are also lines of
 * the keys motd and rules.
 */
#include "admin/ban_map.h"
#include "admin/ban_text.h"
#include "base/assert.h"
#include "config/placeholders.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { COMPARED_MAX = 40 };

static const int64_t now_ms = 1795000000000;

static bool has_blank_edge(const char *text)
{
    size_t size = strlen(text);
    return size > 0 && (text[0] == ' ' || text[size - 1] == ' ');
}

static void check_again(const sb_ban *ban, char *line, size_t size)
{
    sb_ban       again;
    sb_ban_texts texts;
    const char  *why;
    SB_ASSERT(size > 0 && size < SB_BAN_LINE_TEXT && line[size - 1] == '\n');
    line[size - 1] = '\0';
    SB_ASSERT(sb_ban_parse_line(line, now_ms, &again, &texts, &why) == SB_BAN_LINE_BAN);
    SB_ASSERT(sb_ban_has_same_target(ban, &again));
    SB_ASSERT(strcmp(ban->by, again.by) == 0);
    SB_ASSERT(has_blank_edge(ban->reason) || strcmp(ban->reason, again.reason) == 0);
    SB_ASSERT(ban->expires_ms == again.expires_ms && ban->created_ms == again.created_ms);
}

static bool is_refused_plainly(const sb_bans *bans, uint32_t address)
{
    bool refused = false;
    for (size_t i = 0; i < sb_bans_count(bans); i++) {
        const sb_ban *ban = sb_bans_at(bans, i);
        if (!ban->has_range || ban->name[0] || !sb_ban_is_in_range(&ban->range, address)) continue;
        if (ban->kind == SB_BAN_EXCEPTION) return false;
        refused = true;
    }
    return refused;
}

static void check_map(const sb_bans *bans)
{
    sb_ban_map *map = sb_ban_map_create(bans, now_ms);
    sb_ban_hit  hit;
    SB_ASSERT(map);
    for (size_t i = 0; i < sb_bans_count(bans) && i < COMPARED_MAX; i++) {
        const sb_ban  *ban = sb_bans_at(bans, i);
        uint32_t       past = ban->range.bits == 32  ? 1
                              : ban->range.bits == 0 ? 0
                                                     : (uint32_t)1 << (32 - ban->range.bits);
        const uint32_t edges[] = { ban->range.address - 1, ban->range.address,
                                   ban->range.address + past - 1, ban->range.address + past };
        for (size_t k = 0; k < 4; k++) {
            bool refused = sb_ban_map_refuses_address(map, edges[k], now_ms, &hit);
            SB_ASSERT(refused == is_refused_plainly(bans, edges[k]));
            SB_ASSERT(!refused || hit.id > 0);
        }
        if (ban->name[0]) (void)sb_ban_map_refuses_name(map, edges[1], ban->name, now_ms, &hit);
    }
    sb_ban_map_destroy(map);
}

static void check_placeholders(const uint8_t *data, size_t size)
{
    char                        line[256], out[100];
    const sb_placeholder_values values = { .server = "S",
                                           .player = "\xC3\x96",
                                           .seconds_left = -1 };
    if (size >= sizeof line) size = sizeof line - 1;
    memcpy(line, data, size);
    line[size] = '\0';
    (void)sb_placeholder_fault(line);
    size_t written = sb_placeholder_fill(line, &values, out, sizeof out);
    SB_ASSERT(written < sizeof out && strlen(out) == written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char          line[SB_BAN_LINE_TEXT];
    sb_ban_import result;
    sb_bans      *bans = sb_bans_create();
    if (!bans) return 0;
    if (size > 0) check_placeholders(data, size);
    sb_bans_import(bans, (sb_span){ data, size }, now_ms, NULL, NULL, &result);
    SB_ASSERT(result.added == sb_bans_count(bans));
    SB_ASSERT((result.wrong > 0) == (result.line > 0 && result.why));
    for (size_t i = 0; i < sb_bans_count(bans); i++) {
        const sb_ban *ban = sb_bans_at(bans, i);
        SB_ASSERT(!sb_ban_fault(ban) && sb_ban_is_in_force(ban, now_ms));
        check_again(ban, line, sb_ban_print_line(ban, line));
        check_again(ban, line, sb_ban_print_json(ban, line));
    }
    check_map(bans);
    sb_bans_destroy(bans);
    return 0;
}
