/* tests/platform/file_test.c -- checks on paths. */
#include "platform/file.h"

#include <stdio.h>
#include <string.h>

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
