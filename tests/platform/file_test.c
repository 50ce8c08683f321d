/* tests/platform/file_test.c -- regular files are opened, everything else is refused by name. */
#include "platform/file.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "test.h"

#define MISSING "/nowhere/at/all"

TEST(a_file_and_a_directory_exist_a_missing_path_does_not)
{
    CHECK(sb_file_exists(SB_SOURCE_DIR "/meson.build"));
    CHECK(sb_file_exists(SB_SOURCE_DIR));
    CHECK(!sb_file_exists(MISSING));
}

TEST(a_missing_directory_is_an_error_in_the_system_s_words)
{
    CHECK(!sb_file_directory_error(SB_SOURCE_DIR));
    CHECK_TEXT(sb_file_directory_error(MISSING), "No such file or directory");
}

TEST(a_directory_cannot_be_replaced_by_a_file)
{
    CHECK_TEXT(sb_file_replace_error("/tmp"), "Is a directory");
    CHECK_TEXT(sb_file_replace_error(MISSING), "No such file or directory");
    CHECK(!sb_file_replace_error("/tmp/a-name-that-need-not-exist.csv"));
    CHECK(!sb_file_replace_error("learned.csv")); /* tests run in a directory they can write */
}

TEST(a_device_or_pipe_cannot_be_replaced_by_a_file)
{
    CHECK_TEXT(sb_file_replace_error("/dev/null"),
               "is a device, no regular file: name a regular file");
}

/* ---- opening ---- */

static const char *refusal_of(const char *path)
{
    const char *why = NULL;
    CHECK(!sb_file_open(path, &why));
    CHECK(why);
    return why;
}

TEST(a_regular_file_is_opened_also_through_a_link)
{
    char        link[64], line[16];
    const char *why;
    snprintf(link, sizeof link, "/tmp/starbase-link-%ld", (long)getpid());
    CHECK_EQ(symlink(SB_SOURCE_DIR "/meson.build", link), 0);
    FILE *file = sb_file_open(link, &why);
    (void)unlink(link);
    CHECK(file && !why);
    CHECK(fgets(line, sizeof line, file) && strncmp(line, "project(", 8) == 0);
    fclose(file);
}

TEST(devices_and_directories_are_refused_by_name)
{
    CHECK_TEXT(refusal_of("/dev/zero"), "is a device, no regular file: name a regular file");
    CHECK_TEXT(refusal_of("/dev/null"), "is a device, no regular file: name a regular file");
    CHECK_TEXT(refusal_of("/tmp"), "Is a directory");
    CHECK_TEXT(refusal_of(MISSING), "No such file or directory");
}

/* Without a writer, a plain open would wait for ever: the watchdog would end this test. */
TEST(a_pipe_without_a_writer_is_refused_at_once)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/starbase-pipe-%ld", (long)getpid());
    CHECK_EQ(mkfifo(path, 0600), 0);
    const char *why = refusal_of(path), *replace = sb_file_replace_error(path);
    (void)unlink(path);
    CHECK_TEXT(why, "is a pipe, no regular file: save its contents and name that file");
    CHECK_TEXT(replace, why);
}

TEST(a_socket_is_refused)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int                socket_of = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "/tmp/starbase-sock-%ld", (long)getpid());
    CHECK(socket_of >= 0);
    CHECK_EQ(bind(socket_of, (struct sockaddr *)&address, sizeof address), 0);
    const char *why = refusal_of(address.sun_path);
    (void)unlink(address.sun_path);
    (void)close(socket_of);
    CHECK_TEXT(why, "is a socket, no regular file: name a regular file");
}
