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
    sb_data        data = { 0 };
    const char    *items[4] = { "first" };
    sb_master_list list = { items, 1, 4 };
    write_file("# comment\r\n\r\n  one.example:27900  # inline\n// old\ntwo.example\n");
    CHECK_EQ(sb_data_load_masters(&data, path, refuse_bad, &list), SB_OK);
    (void)unlink(path);
    CHECK_EQ(list.count, 3);
    CHECK_TEXT(items[0], "first");
    CHECK_TEXT(items[1], "one.example:27900");
    CHECK_TEXT(items[2], "two.example");
    sb_data_free(&data);
}

TEST(a_wrong_line_refuses_the_masters_file_by_its_number)
{
    sb_data        data = { 0 };
    const char    *items[1];
    sb_master_list list = { items, 0, 1 };
    char           error[200];
    write_file("one\ntwo\n\nbad\n"); /* `two` does not fit, and the lines after it are checked */
    CHECK_EQ(sb_data_load_masters(&data, path, refuse_bad, &list), SB_BAD_VALUE);
    (void)unlink(path);
    snprintf(error, sizeof error, "%s: line 4: must not be bad", path);
    CHECK_TEXT(data.error, error);
    sb_data_free(&data);
}

TEST(a_missing_masters_file_is_an_error_of_the_system)
{
    sb_data        data = { 0 };
    const char    *items[1];
    sb_master_list list = { items, 0, 1 };
    CHECK_EQ(sb_data_load_masters(&data, "/", refuse_bad, &list), SB_OS_ERROR);
    CHECK_TEXT(data.error, "/: Is a directory");
    CHECK_EQ(sb_data_load_masters(&data, "/no.txt", refuse_bad, &list), SB_OS_ERROR);
    CHECK_TEXT(data.error, "/no.txt: No such file or directory");
    sb_data_free(&data);
}

TEST(a_masters_file_has_an_end)
{
    sb_data        data = { 0 };
    const char    *items[1];
    sb_master_list list = { items, 0, 1 };
    CHECK_EQ(sb_data_load_masters(&data, "/dev/zero", refuse_bad, &list), SB_OS_ERROR);
    CHECK_TEXT(data.error, "/dev/zero: is a device, no regular file: name a regular file");
    sb_data_free(&data);
}

static sb_result load_of_size(sb_data *data, size_t size, char fill)
{
    static char    text[SB_MASTERS_FILE_BYTES_MAX + 2];
    const char    *items[1];
    sb_master_list list = { items, 0, 1 };
    memset(text, fill, sizeof text);
    text[size] = '\0';
    write_file(text);
    sb_result result = sb_data_load_masters(data, path, refuse_bad, &list);
    (void)unlink(path);
    return result;
}

TEST(a_masters_file_has_64_kib_at_most)
{
    sb_data data = { 0 };
    CHECK_EQ(load_of_size(&data, SB_MASTERS_FILE_BYTES_MAX, '\n'), SB_OK);
    CHECK_EQ(load_of_size(&data, SB_MASTERS_FILE_BYTES_MAX + 1, '\n'), SB_BAD_VALUE);
    CHECK(strstr(data.error, "is longer than 64 KiB"));
    sb_data_free(&data);
}

TEST(a_masters_file_with_zero_bytes_is_refused)
{
    sb_data        data = { 0 };
    const char    *items[1];
    sb_master_list list = { items, 0, 1 };
    write_file("");
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite("one\0two\n", 1, 8, file) == 8 && fclose(file) == 0);
    CHECK_EQ(sb_data_load_masters(&data, path, refuse_bad, &list), SB_BAD_VALUE);
    (void)unlink(path);
    CHECK(strstr(data.error, "is no text"));
    CHECK_EQ(list.count, 0);
    sb_data_free(&data);
}
