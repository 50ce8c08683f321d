/* tests/config/send_files_test.c -- the keys send_files and send_files_rate.
 *
 * For:      src/config/resolve_config.c.
 */
#include "config/process_config.h"
#include "send_folder.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static sb_process_config config;

/* Loads settings "key=value"; returns the result and leaves the error in config.data.error. */
static sb_result load(const char *const *keys, const char *const *values, size_t count)
{
    sb_setting settings[8];
    for (size_t i = 0; i < count; i++) settings[i] = (sb_setting){ "--set", keys[i], values[i] };
    sb_config_sources sources = { .settings = settings, .setting_count = count };
    return sb_process_config_load(&config, &sources);
}

static sb_result load_two(const char *key, const char *value, const char *key2, const char *value2)
{
    return load((const char *const[]){ key, key2 }, (const char *const[]){ value, value2 }, 2);
}

TEST(without_send_files_no_room_has_files)
{
    CHECK_EQ(load(NULL, NULL, 0), SB_OK);
    CHECK_EQ(config.rooms[0].server.file_count, 0);
    CHECK(!config.rooms[0].server.files);
    CHECK_EQ(config.rooms[0].server.file_bytes_per_s, 256 * 1024);
    sb_process_config_free(&config);
}

TEST(rooms_share_one_copy_of_a_folder_and_the_rate)
{
    const char *folder = send_folder();
    CHECK_EQ(load_two("send_files", folder, "rooms", "4"), SB_OK);
    for (unsigned i = 0; i < 4; i++) {
        CHECK_EQ(config.rooms[i].server.file_count, 1);
        CHECK(config.rooms[i].server.files == config.rooms[0].server.files);
        CHECK_EQ(config.rooms[i].server.file_bytes_per_s, 64 * 1024);
    }
    CHECK(strncmp(config.rooms[0].server.files[0].path, "Scripts/Multiplayer/", 20) == 0);
    CHECK(sb_server_bytes(&config.rooms[0].server) > 0);
    sb_process_config_free(&config);
}

TEST(every_room_can_send_at_least_1_kib_per_second)
{
    CHECK_EQ(load_two("send_files_rate", "8", "rooms", "100"), SB_OK);
    CHECK_EQ(config.rooms[99].server.file_bytes_per_s, 1024);
    sb_process_config_free(&config);
}

static void check_refused(const char *folder, const char *key, const char *value, const char *error)
{
    CHECK_EQ(load_two("send_files", folder, key, value), SB_BAD_VALUE);
    sb_process_config_free(&config);
    CHECK(strstr(config.data.error, error) != NULL);
}

TEST(send_files_needs_a_mode_that_finds_differences)
{
    const char *folder = send_folder();
    check_refused(folder, "checksums", "off", "--set: send_files: needs checksums = ");
    check_refused(folder, "learn", "/tmp/starbase-unused.csv", "send_files: needs checksums = ");
    CHECK_EQ(load_two("send_files", folder, "checksums", "strict"), SB_OK);
    sb_process_config_free(&config);
}

TEST(a_file_that_does_not_match_the_manifest_stops_the_start)
{
    const char *folder = send_folder();
    char        error[300];
    send_folder_spoil(folder);
    snprintf(error, sizeof error, "--set: send_files: %s/", folder);
    check_refused(folder, "rooms", "1", error);
    check_refused(folder, "rooms", "1", "would still differ");
}
