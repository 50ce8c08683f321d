/* src/server/options.c -- the words for the values of options: "strict", "host-only".
 *
 * For:      configuration files, flags and log lines, which all use these tables.
 * Tests:    tests/server/options_test.c, tests/config/read_config_test.c
 */
#include <starbase/server.h>

#include <string.h>

const char *const sb_checksum_mode_words[SB_CHECKSUM_MODES + 1] = {
    [SB_CHECKSUM_OFF] = "off",
    [SB_CHECKSUM_LOG] = "log",
    [SB_CHECKSUM_STRICT] = "strict",
    [SB_CHECKSUM_LEARN] = "learn",
};

const char *const sb_mod_policy_words[SB_MOD_POLICIES + 1] = {
    [SB_MOD_DEFAULT] = "default", [SB_MOD_OTHERS] = "others", [SB_MOD_DROP] = "drop",
    [SB_MOD_ALL] = "all",         [SB_MOD_TEAM] = "team",     [SB_MOD_HOST_ONLY] = "host-only",
};

const char *const sb_balance_words[SB_BALANCE_CHOICES + 1] = {
    [SB_BALANCE_OFF] = "off",
    [SB_BALANCE_TELL] = "tell",
    [SB_BALANCE_ENFORCE] = "enforce",
};

/* The index of `text` in a list that ends with NULL; -1: not in it. */
static int find_word(const char *const *words, const char *text)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], text) == 0) return i;
    return -1;
}

const char *sb_checksum_mode_text(sb_checksum_mode mode)
{
    return mode < SB_CHECKSUM_MODES ? sb_checksum_mode_words[mode] : "unknown";
}

bool sb_find_checksum_mode(const char *text, sb_checksum_mode *out)
{
    int found = find_word(sb_checksum_mode_words, text);
    if (found >= 0) *out = (sb_checksum_mode)found;
    return found >= 0;
}

const char *sb_mod_policy_text(sb_mod_policy policy)
{
    return policy < SB_MOD_POLICIES ? sb_mod_policy_words[policy] : "unknown";
}

bool sb_find_mod_policy(const char *text, sb_mod_policy *out)
{
    int found = find_word(sb_mod_policy_words, text);
    if (found >= 0) *out = (sb_mod_policy)found;
    return found >= 0;
}
