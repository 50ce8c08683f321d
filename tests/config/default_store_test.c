/* tests/config/default_store_test.c -- where the store is if the configuration does not say it. */
#include "config/process_config.h"

#include "test.h"

static sb_process_config config;

/* Loads the defaults with one variable of the environment, and STARBASE_STORE if `store` is given.
 */
static const char *store_with(const char *variable, const char *store)
{
    const char *const environment[] = { variable, store, NULL };
    sb_config_sources sources = { .environment = environment };
    sb_process_config_free(&config);
    CHECK_EQ(sb_process_config_load(&config, &sources), SB_OK);
    return config.store;
}

TEST(the_default_store_is_in_the_folder_that_systemd_gives)
{
    CHECK_TEXT(store_with("HOME=/", NULL), SB_STORE_PATH);
    CHECK_TEXT(store_with("STATE_DIRECTORY=/var/lib/starbase", NULL), SB_STORE_PATH);
    CHECK_TEXT(store_with("STATE_DIRECTORY=/var/lib/starbase/friday", NULL),
               "/var/lib/starbase/friday/starbase.db");
    CHECK_TEXT(store_with("STATE_DIRECTORY=/a:/b", NULL), "/a/starbase.db");
    sb_process_config_free(&config);
}

TEST(a_folder_that_systemd_would_not_give_is_ignored)
{
    char too_long[400] = "STATE_DIRECTORY=/";
    for (size_t i = 17; i < sizeof too_long - 1; i++) too_long[i] = 'x';
    CHECK_TEXT(store_with("STATE_DIRECTORY=relative", NULL), SB_STORE_PATH);
    CHECK_TEXT(store_with("STATE_DIRECTORY=", NULL), SB_STORE_PATH);
    CHECK_TEXT(store_with(too_long, NULL), SB_STORE_PATH);
    sb_process_config_free(&config);
}

TEST(a_store_that_is_named_wins)
{
    CHECK_TEXT(store_with("STATE_DIRECTORY=/a", "STARBASE_STORE=own.db"), "own.db");
    sb_process_config_free(&config);
}
