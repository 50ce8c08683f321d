/* tests/load/masters_file_test.c -- masterserver.txt. */
#include "load/masters_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

static char path[] = "/tmp/starbase-masters-XXXXXX";

static const char *refuse_bad(const char *text)
{
    return strcmp(text, "bad") == 0 ? "must not be bad" : NULL;
}

static void write_file(const char *text)
{
    strcpy(path + strlen(path) - 6, "XXXXXX");
    int  fd = mkstemp(path);
    bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0) (void)close(fd);
    CHECK(written);
}

TEST(lines_are_masters_blanks_and_comments_are_not)
{
    sb_data     data = { 0 };
    const char *items[4] = { "first" };
    size_t      count = 1;
    write_file("# comment\r\n\r\n  one.example:27900  # inline\n// old\ntwo.example\n");
    CHECK_EQ(sb_data_load_masters(&data, path, refuse_bad, items, 4, &count), SB_OK);
    (void)unlink(path);
    CHECK_EQ(count, 3);
    CHECK_TEXT(items[0], "first");
    CHECK_TEXT(items[1], "one.example:27900");
    CHECK_TEXT(items[2], "two.example");
    sb_data_free(&data);
}

TEST(a_wrong_line_refuses_the_masters_file_by_its_number)
{
    sb_data     data = { 0 };
    const char *items[1];
    size_t      count = 0;
    char        error[200];
    write_file("one\ntwo\n\nbad\n"); /* `two` does not fit, and the lines after it are checked */
    CHECK_EQ(sb_data_load_masters(&data, path, refuse_bad, items, 1, &count), SB_BAD_VALUE);
    (void)unlink(path);
    snprintf(error, sizeof error, "%s: line 4: must not be bad", path);
    CHECK_TEXT(data.error, error);
    sb_data_free(&data);
}

TEST(a_missing_masters_file_is_an_error_of_the_system)
{
    sb_data     data = { 0 };
    const char *items[1];
    size_t      count = 0;
    CHECK_EQ(sb_data_load_masters(&data, "/", refuse_bad, items, 1, &count), SB_OS_ERROR);
    CHECK_TEXT(data.error, "/: Is a directory");
    CHECK_EQ(sb_data_load_masters(&data, "/no.txt", refuse_bad, items, 1, &count), SB_OS_ERROR);
    CHECK_TEXT(data.error, "/no.txt: No such file or directory");
    sb_data_free(&data);
}
