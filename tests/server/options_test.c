/* tests/server/options_test.c -- the words of options: each value has one, and each finds its
 * value. */
#include <starbase/server.h>

#include "test.h"

TEST(every_checksum_mode_has_a_word_that_finds_it)
{
    static const char *const words[SB_CHECKSUM_MODES] = { [SB_CHECKSUM_OFF] = "off",
                                                          [SB_CHECKSUM_LOG] = "log",
                                                          [SB_CHECKSUM_STRICT] = "strict",
                                                          [SB_CHECKSUM_LEARN] = "learn" };
    for (unsigned i = 0; i < SB_CHECKSUM_MODES; i++) {
        sb_checksum_mode found = SB_CHECKSUM_MODES;
        CHECK_TEXT(sb_checksum_mode_text((sb_checksum_mode)i), words[i]);
        CHECK(sb_find_checksum_mode(words[i], &found));
        CHECK_EQ(found, i);
    }
    sb_checksum_mode kept = SB_CHECKSUM_LEARN;
    CHECK(!sb_find_checksum_mode("on", &kept));
    CHECK_EQ(kept, SB_CHECKSUM_LEARN);
    CHECK_TEXT(sb_checksum_mode_text(SB_CHECKSUM_MODES), "unknown");
}

TEST(every_mod_policy_has_a_word_that_finds_it)
{
    static const char *const words[SB_MOD_POLICIES] = {
        [SB_MOD_DEFAULT] = "default", [SB_MOD_OTHERS] = "others", [SB_MOD_DROP] = "drop",
        [SB_MOD_ALL] = "all",         [SB_MOD_TEAM] = "team",     [SB_MOD_HOST_ONLY] = "host-only",
    };
    for (unsigned i = 0; i < SB_MOD_POLICIES; i++) {
        sb_mod_policy found = SB_MOD_POLICIES;
        CHECK_TEXT(sb_mod_policy_text((sb_mod_policy)i), words[i]);
        CHECK(sb_find_mod_policy(words[i], &found));
        CHECK_EQ(found, i);
    }
    sb_mod_policy kept = SB_MOD_TEAM;
    CHECK(!sb_find_mod_policy("nobody", &kept));
    CHECK_EQ(kept, SB_MOD_TEAM);
    CHECK_TEXT(sb_mod_policy_text(SB_MOD_POLICIES), "unknown");
}
