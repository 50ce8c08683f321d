/* tests/admin/bans_test.c -- ranges, names, and the list of bans. */
#include "admin/bans.h"

#include <stdio.h>
#include <string.h>

#include "test.h"

static sb_ban of_range(const char *range)
{
    sb_ban ban = { .has_range = true, .name = "", .reason = "", .by = "" };
    CHECK(sb_ban_parse_range(range, &ban.range));
    return ban;
}

static sb_ban of_name(const char *name)
{
    return (sb_ban){ .name = name, .reason = "", .by = "" };
}

static int64_t add(sb_bans *bans, sb_ban ban)
{
    int64_t id = 0;
    CHECK_EQ(sb_bans_add(bans, &ban, &id), SB_OK);
    return id;
}

TEST(a_range_is_four_numbers_and_a_prefix)
{
    static const char *const wrong[] = { "",           "1",          "1.2.3",     "1.2.3.4.5",
                                         "256.1.1.1",  "1.2.3.4/33", "1.2.3.4/",  "1.2.3.4/x",
                                         "1.2.3.4 ",   " 1.2.3.4",   "1..3.4",    "-1.2.3.4",
                                         "1.2.3.4/-1", "1.2.3.0004", "01.2.3.4a", "1.2.3.4/032" };
    sb_ban_range             range;
    for (size_t i = 0; i + 1 < sizeof wrong / sizeof *wrong; i++)
        if (sb_ban_parse_range(wrong[i], &range)) FAIL("`%s` is accepted", wrong[i]);
    CHECK(sb_ban_parse_range("203.0.113.77/24", &range));
    CHECK_EQ(range.address, 0xCB007100); /* the rest of the address is cleared */
    CHECK_EQ(range.bits, 24);
    CHECK(sb_ban_parse_range("0.0.0.0/0", &range));
    CHECK(sb_ban_is_in_range(&range, UINT32_MAX));
    CHECK(sb_ban_parse_range("255.255.255.255", &range));
    CHECK(sb_ban_is_in_range(&range, UINT32_MAX));
    CHECK(!sb_ban_is_in_range(&range, UINT32_MAX - 1));
}

TEST(a_name_fits_a_pattern_without_regard_to_case)
{
    static const struct {
        const char *pattern, *name;
        bool        fits;
    } rows[] = {
        { "griefer", "Griefer", true },
        { "grief*", "GRIEFER 2", true },
        { "*grief*", "a griefer", true },
        { "*grief", "a griefer", false },
        { "g*f*r", "griefer", true },
        { "g*f*x", "griefer", false },
        { "griefer", "griefer ", false },
        { "*a*b*", "xxaxxbxx", true },
        { "*aab", "aaaaab", true },
        { "\xC3\x96l*", "\xC3\xB6lm", true },
        { "a*", "", false },
        { "*a", "ba", true },
        { "na\xC3\x87", "NA\xC3\xA7", true },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char pattern[32], name[32];
        snprintf(pattern, sizeof pattern, "%s", rows[i].pattern);
        snprintf(name, sizeof name, "%s", rows[i].name);
        sb_ban_fold(pattern);
        sb_ban_fold(name);
        if (sb_ban_name_fits(pattern, name) != rows[i].fits)
            FAIL("`%s` and `%s`: not as expected", rows[i].pattern, rows[i].name);
    }
}

TEST(a_ban_without_a_target_or_of_everybody_is_refused)
{
    sb_ban none = { .name = "", .reason = "", .by = "" };
    sb_ban all = of_name("**"), hidden = of_name("x\x1Bx"), malformed = of_name("x\xFF");
    CHECK(sb_ban_fault(&none) != NULL);
    CHECK(sb_ban_fault(&all) != NULL);
    CHECK(sb_ban_fault(&hidden) != NULL);
    CHECK(sb_ban_fault(&malformed) != NULL);
    char   reason[SB_BAN_REASON_MAX + 2];
    sb_ban wordy = of_range("1.2.3.4");
    memset(reason, 'x', sizeof reason);
    reason[SB_BAN_REASON_MAX + 1] = '\0';
    wordy.reason = reason;
    CHECK(sb_ban_fault(&wordy) != NULL);
    reason[SB_BAN_REASON_MAX] = '\0';
    CHECK(sb_ban_fault(&wordy) == NULL);
    all = of_range("0.0.0.0/0"); /* with exceptions, a list of those who may play */
    CHECK(sb_ban_fault(&all) == NULL);
}

TEST(the_list_owns_its_texts_and_finds_by_number)
{
    sb_bans *bans = sb_bans_create();
    char     reason[] = "spam";
    sb_ban   first = of_range("1.2.3.4");
    first.reason = reason;
    CHECK_EQ(add(bans, first), 1);
    CHECK_EQ(add(bans, of_name("X*")), 2);
    memset(reason, '?', 4);
    CHECK_TEXT(sb_bans_find(bans, 1)->reason, "spam");
    CHECK(sb_bans_find(bans, 3) == NULL);
    sb_ban stored = of_range("5.6.7.8"); /* numbers of a store need not be in order */
    stored.id = 40;
    CHECK_EQ(add(bans, stored), 40);
    stored = of_range("5.6.7.9");
    stored.id = 20;
    CHECK_EQ(add(bans, stored), 20);
    CHECK_EQ(sb_bans_add(bans, &stored, NULL), SB_NOT_ALLOWED);
    CHECK_EQ(add(bans, of_range("9.9.9.9")), 41);
    CHECK_EQ(sb_bans_at(bans, 2)->id, 20);
    CHECK(sb_bans_remove(bans, 20));
    CHECK(!sb_bans_remove(bans, 20));
    CHECK_EQ(sb_bans_count(bans), 4);
    sb_ban same = of_range("5.6.7.8");
    CHECK_EQ(sb_bans_find_same(bans, &same)->id, 40);
    same.kind = SB_BAN_EXCEPTION;
    CHECK(sb_bans_find_same(bans, &same) == NULL);
    sb_bans_destroy(bans);
}

TEST(what_has_expired_leaves_the_list)
{
    sb_bans *bans = sb_bans_create();
    sb_ban   ban = of_range("1.2.3.4");
    CHECK_EQ(sb_bans_next_expiry(bans), 0);
    add(bans, ban);
    CHECK_EQ(sb_bans_next_expiry(bans), 0);
    ban.expires_ms = 2000;
    add(bans, ban);
    ban.expires_ms = 1000;
    add(bans, ban);
    CHECK_EQ(sb_bans_next_expiry(bans), 1000);
    CHECK_EQ(sb_bans_expire(bans, 999), 0);
    CHECK_EQ(sb_bans_expire(bans, 1000), 1);
    CHECK_EQ(sb_bans_next_expiry(bans), 2000);
    CHECK_EQ(sb_bans_expire(bans, 5000), 1);
    CHECK_EQ(sb_bans_count(bans), 1);
    CHECK_EQ(sb_bans_at(bans, 0)->id, 1);
    sb_bans_destroy(bans);
}

TEST(names_with_a_star_are_few_and_others_many)
{
    sb_bans *bans = sb_bans_create();
    char     name[32];
    for (int i = 0; i < SB_BAN_PATTERNS_MAX; i++) {
        snprintf(name, sizeof name, "x%d*", i);
        add(bans, of_name(name));
    }
    sb_ban more = of_name("y*"), plain = of_name("y");
    CHECK_EQ(sb_bans_add(bans, &more, NULL), SB_FULL);
    CHECK_EQ(sb_bans_add(bans, &plain, NULL), SB_OK);
    CHECK(sb_bans_remove(bans, 1));
    CHECK_EQ(sb_bans_add(bans, &more, NULL), SB_OK);
    sb_bans_destroy(bans);
}

TEST(the_target_is_written_as_it_was_typed)
{
    char   text[SB_BAN_TARGET_TEXT];
    sb_ban ban = of_range("203.0.113.0/24");
    sb_ban_target_text(&ban, text);
    CHECK_TEXT(text, "203.0.113.0/24");
    ban.name = "Kirk";
    sb_ban_target_text(&ban, text);
    CHECK_TEXT(text, "203.0.113.0/24 name Kirk");
    ban = of_range("203.0.113.7");
    sb_ban_target_text(&ban, text);
    CHECK_TEXT(text, "203.0.113.7");
    ban = of_name("Grief*");
    sb_ban_target_text(&ban, text);
    CHECK_TEXT(text, "name Grief*");
}
