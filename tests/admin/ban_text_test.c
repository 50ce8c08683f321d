/* tests/admin/ban_text_test.c -- lists of bans as text: lines for editors, JSON lines, importing.
 */
#include "admin/ban_text.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "test.h"

static const int64_t now_ms = 1795000000000;

static sb_ban_texts texts;

static sb_ban parse(const char *line)
{
    sb_ban      ban;
    const char *why = "";
    if (sb_ban_parse_line(line, now_ms, &ban, &texts, &why) != SB_BAN_LINE_BAN)
        FAIL("`%s` is refused: %s", line, why);
    return ban;
}

static const char *fault(const char *line)
{
    sb_ban      ban;
    const char *why = "";
    sb_ban_line kind = sb_ban_parse_line(line, now_ms, &ban, &texts, &why);
    return kind == SB_BAN_LINE_WRONG ? why : kind == SB_BAN_LINE_EMPTY ? "empty" : "fine";
}

TEST(times_are_read_and_written_in_utc)
{
    int64_t ms;
    char    text[SB_BAN_TIME_TEXT];
    CHECK(sb_ban_parse_time("1970-01-01T00:00:01Z", &ms) && ms == 1000);
    CHECK(!sb_ban_parse_time("1970-01-01", &ms)); /* 0 would mean never */
    CHECK(sb_ban_parse_time("2026-12-01T18:00:00Z", &ms));
    sb_ban_print_time(ms, text);
    CHECK_TEXT(text, "2026-12-01T18:00:00Z");
    CHECK(sb_ban_parse_time("2024-02-29", &ms));
    sb_ban_print_time(ms, text);
    CHECK_TEXT(text, "2024-02-29T00:00:00Z");
    CHECK(sb_ban_parse_time("2000-03-01T12:34Z", &ms));
    sb_ban_print_time(ms, text);
    CHECK_TEXT(text, "2000-03-01T12:34:00Z");
    static const char *const wrong[] = {
        "",          "2026-13-01",  "2026-00-01",        "2023-02-29",          "2100-02-29",
        "2026-1-1",  "2026-12-01T", "2026-12-01T25:00Z", "2026-12-01T18:00:00", "2026-12-01x",
        "1969-12-31"
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (sb_ban_parse_time(wrong[i], &ms)) FAIL("`%s` is accepted", wrong[i]);
}

TEST(a_line_for_editors_has_all_parts)
{
    sb_ban ban = parse("ban 203.0.113.7/24 name \"Kirk \\\"x\\\"\" until 2026-12-01T18:00:00Z "
                       "since 2026-11-19T03:00:00Z by \"ctl:anna\" reason  team kills ");
    CHECK_EQ(ban.kind, SB_BAN_BAN);
    CHECK_EQ(ban.range.address, 0xCB007100);
    CHECK_TEXT(ban.name, "Kirk \"x\"");
    CHECK_TEXT(ban.by, "ctl:anna");
    CHECK_TEXT(ban.reason, "team kills");
    CHECK(ban.expires_ms > ban.created_ms && ban.created_ms > 0);
    ban = parse("except name Spock");
    CHECK_EQ(ban.kind, SB_BAN_EXCEPTION);
    CHECK(!ban.has_range);
    CHECK_EQ(ban.expires_ms, 0);
    CHECK_EQ(ban.created_ms, now_ms);
    CHECK_EQ(parse("kick 1.2.3.4 until never").expires_ms, 0);
}

TEST(lists_of_other_programs_are_lines_of_addresses)
{
    CHECK_EQ(parse("198.51.100.0/25").range.bits, 25);
    CHECK_TEXT(parse("198.51.100.9 # spammer").reason, "spammer");
    CHECK_EQ(parse("198.51.100.9\r").range.bits, 32);
    CHECK_TEXT(fault("# comment"), "empty");
    CHECK_TEXT(fault("  \t"), "empty");
    CHECK_TEXT(fault("; comment"), "empty");
}

TEST(wrong_lines_say_what_is_wrong)
{
    static const char *const rows[][2] = {
        { "bann 1.2.3.4", "must begin" },
        { "ban", "missing" },
        { "ban 1.2.3", "the address must be" },
        { "ban name *", "every player" },
        { "ban name \"open", "quote" },
        { "ban 1.2.3.4 until soon", "a time must be" },
        { "ban 1.2.3.4 since never", "a time must be" },
        { "ban 1.2.3.4 reason x\x01", "cannot be shown" },
        { "ban 1.2.3.4 by anna until 2026-12-01", "in this order" },
        { "{\"range\":\"1.2.3.4\"", "no valid JSON" },
        { "{\"range\":7}", "range must be" },
        { "{\"range\":\"1.2.3.4\",\"expires\":\"soon\"}", "created and expires" },
        { "{\"range\":\"1.2.3.4\",\"kind\":\"x\"}", "kind must be" },
        { "{}", "missing" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strstr(fault(rows[i][0]), rows[i][1])) FAIL("`%s`: %s", rows[i][0], fault(rows[i][0]));
}

static void check_same(const sb_ban *a, const sb_ban *b)
{
    CHECK(sb_ban_has_same_target(a, b));
    CHECK_EQ(a->created_ms, b->created_ms);
    CHECK_EQ(a->expires_ms, b->expires_ms);
    CHECK_TEXT(a->reason, b->reason);
    CHECK_TEXT(a->by, b->by);
}

TEST(what_is_written_is_read_again_in_both_forms)
{
    static const char *const names[] = { "", "Grief*", "a \"b\\ c\"", "\xC3\x96l # x" };
    char                     line[SB_BAN_LINE_TEXT];
    for (size_t i = 0; i < 4; i++) {
        sb_ban ban = { .kind = (sb_ban_kind)(i % SB_BAN_KINDS),
                       .has_range = i != 1,
                       .name = names[i],
                       .reason = i ? "be \"nice\" \\ # now" : "",
                       .by = i ? "chat:A B" : "",
                       .created_ms = now_ms,
                       .expires_ms = i == 2 ? 0 : now_ms + 1000 };
        ban.range = (sb_ban_range){ 0xCB007100, 24 };
        size_t size = sb_ban_print_line(&ban, line);
        CHECK(size > 0 && line[size - 1] == '\n');
        line[size - 1] = '\0';
        sb_ban read = parse(line);
        check_same(&read, &ban);
        size = sb_ban_print_json(&ban, line);
        line[size - 1] = '\0';
        read = parse(line);
        check_same(&read, &ban);
    }
}

TEST(the_longest_ban_fits_a_line)
{
    char   name[SB_BAN_NAME_MAX + 1], reason[SB_BAN_REASON_MAX + 1], by[SB_BAN_BY_MAX + 1];
    char   line[SB_BAN_LINE_TEXT];
    sb_ban ban = { .has_range = true, .name = name, .reason = reason, .by = by };
    memset(name, '"', sizeof name);
    memset(reason, '\\', sizeof reason);
    memset(by, '"', sizeof by);
    name[sizeof name - 1] = reason[sizeof reason - 1] = by[sizeof by - 1] = '\0';
    ban.created_ms = ban.expires_ms = now_ms + 1;
    ban.range = (sb_ban_range){ 0xFFFFFF00, 24 };
    size_t size = sb_ban_print_json(&ban, line);
    CHECK(size < SB_BAN_LINE_MAX); /* it can be read again */
    line[size - 1] = '\0';
    sb_ban read = parse(line);
    CHECK_TEXT(read.reason, reason);
    CHECK(sb_ban_print_line(&ban, line) < SB_BAN_LINE_MAX);
}

static sb_ban_import import(sb_bans *bans, const char *text)
{
    sb_ban_import result;
    sb_bans_import(bans, sb_text_span(text), now_ms, NULL, NULL, &result);
    return result;
}

TEST(importing_adds_what_is_new_and_names_the_first_wrong_line)
{
    sb_bans      *bans = sb_bans_create();
    sb_ban_import r = import(bans, "# my bans\n1.2.3.4\n\nban name Kirk\nnonsense\nworse\n"
                                   "ban 9.9.9.9 until 2001-01-01\n1.2.3.4");
    CHECK_EQ(r.added, 2);
    CHECK_EQ(r.known, 1);
    CHECK_EQ(r.expired, 1);
    CHECK_EQ(r.wrong, 2);
    CHECK_EQ(r.line, 5);
    r = import(bans, "1.2.3.4\nexcept 1.2.3.4\nban name Kirk");
    CHECK_EQ(r.added, 1); /* an exception is another target */
    CHECK_EQ(r.known, 2);
    CHECK_EQ(sb_bans_count(bans), 3);
    CHECK_EQ(r.wide, 0);
    CHECK_EQ(import(bans, "except 0.0.0.0/0\n10.0.0.0/8\nban name Spock\n8.0.0.0/7").wide, 2);
    char long_line[SB_BAN_LINE_MAX + 8];
    memset(long_line, 'x', sizeof long_line - 1);
    long_line[sizeof long_line - 1] = '\0';
    CHECK_TEXT(import(bans, long_line).why, "is longer than 1023 bytes");
    sb_bans_import(bans, (sb_span){ (const uint8_t *)"1.1.1.1\0", 8 }, now_ms, NULL, NULL, &r);
    CHECK_TEXT(r.why, "has a zero byte");
    sb_bans_destroy(bans);
}
