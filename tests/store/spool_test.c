/* tests/store/spool_test.c -- the file of entries that wait. */
#include "store/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store_rig.h"
#include "test.h"

enum { LIMIT = 1 << 20 };

static int64_t size_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? status.st_size : -1;
}

static void append(sb_spool *s, const char *text, uint64_t lines)
{
    CHECK(sb_spool_append(s, text, strlen(text), lines));
}

static void collect(void *context, const char *line, size_t size)
{
    char *out = context;
    strncat(out, line, size);
    strcat(out, "|");
}

static const char *content(const char *path)
{
    static char text[512];
    text[0] = '\0';
    CHECK(sb_spool_each(path, collect, text));
    return text;
}

TEST(lines_come_back_in_order_and_an_empty_spool_is_empty)
{
    static char chunk[SB_SPOOL_CHUNK];
    const char *path = rig_path("spool");
    sb_spool    s;
    CHECK_EQ(sb_spool_open(&s, path, LIMIT), SB_OK);
    CHECK(!sb_spool_has_lines(&s));
    append(&s, "one\ntwo\n", 2);
    append(&s, "three\n", 1);
    CHECK_EQ(s.lines, 3);
    CHECK_EQ(sb_spool_read(&s, chunk), 14);
    CHECK_BYTES(chunk, 14, "one\ntwo\nthree\n", 14);
    sb_spool_advance(&s, 8, 2);
    CHECK_EQ(s.lines, 1);
    CHECK_EQ(sb_spool_read(&s, chunk), 6);
    sb_spool_advance(&s, 6, 1);
    CHECK(!sb_spool_has_lines(&s));
    CHECK_EQ(size_of(path), 0);
    sb_spool_close(&s);
}

TEST(lines_survive_a_restart_and_are_counted_again)
{
    const char *path = rig_path("spool");
    sb_spool    s;
    CHECK_EQ(sb_spool_open(&s, path, LIMIT), SB_OK);
    append(&s, "one\ntwo\n", 2);
    sb_spool_close(&s);
    CHECK_EQ(sb_spool_open(&s, path, LIMIT), SB_OK);
    CHECK_EQ(s.lines, 2);
    append(&s, "three\n", 1);
    sb_spool_close(&s);
    CHECK_TEXT(content(path), "one|two|three|");
}

TEST(a_line_that_a_crash_has_cut_off_spoils_no_other)
{
    const char *path = rig_path("spool");
    FILE       *file = fopen(path, "w");
    sb_spool    s;
    fputs("one\ntw", file);
    fclose(file);
    CHECK_EQ(sb_spool_open(&s, path, LIMIT), SB_OK);
    CHECK_EQ(s.lines, 2);
    append(&s, "three\n", 1);
    sb_spool_close(&s);
    CHECK_TEXT(content(path), "one|tw|three|");
}

TEST(a_second_process_does_not_get_the_spool)
{
    const char *path = rig_path("spool");
    sb_spool    s, other;
    CHECK_EQ(sb_spool_open(&s, path, LIMIT), SB_OK);
    CHECK_EQ(sb_spool_open(&other, path, LIMIT), SB_NOT_ALLOWED);
    sb_spool_close(&s);
    CHECK_EQ(sb_spool_open(&other, path, LIMIT), SB_OK);
    sb_spool_close(&other);
}

TEST(links_folders_and_pipes_are_no_spool)
{
    const char *link = rig_path("link"), *pipe = rig_path("pipe"), *folder = rig_path("folder");
    sb_spool    s;
    CHECK_EQ(symlink("/tmp/starbase-nothing", link), 0);
    CHECK_EQ(mkfifo(pipe, 0600), 0);
    CHECK_EQ(mkdir(folder, 0700), 0);
    CHECK_EQ(sb_spool_open(&s, link, LIMIT), SB_OS_ERROR);
    CHECK_EQ(sb_spool_open(&s, pipe, LIMIT), SB_OS_ERROR);
    CHECK_EQ(sb_spool_open(&s, folder, LIMIT), SB_OS_ERROR);
}

TEST(a_full_spool_takes_nothing_and_keeps_what_it_has)
{
    const char *path = rig_path("spool");
    sb_spool    s;
    CHECK_EQ(sb_spool_open(&s, path, 10), SB_OK);
    append(&s, "12345678\n", 1);
    CHECK(!sb_spool_append(&s, "9\n", 2, 1));
    CHECK_EQ(errno, EFBIG);
    CHECK_EQ(s.lines, 1);
    sb_spool_close(&s);
    CHECK_TEXT(content(path), "12345678|");
}

/* The limit of file sizes stands for a full disk: the write fails in the middle of a line. */
TEST(a_write_that_fails_half_way_leaves_no_half_line)
{
    struct rlimit before, small = { 12, RLIM_INFINITY };
    const char   *path = rig_path("spool");
    sb_spool      s;
    CHECK_EQ(sb_spool_open(&s, path, LIMIT), SB_OK);
    append(&s, "12345678\n", 1);
    CHECK_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    small.rlim_max = before.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    bool fits = sb_spool_append(&s, "abcdefgh\n", 9, 1);
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    CHECK(!fits);
    CHECK_EQ(size_of(path), 9);
    append(&s, "abcdefgh\n", 1);
    sb_spool_close(&s);
    CHECK_TEXT(content(path), "12345678|abcdefgh|");
}

TEST(a_removed_spool_is_made_anew)
{
    const char *path = rig_path("spool");
    sb_spool    s;
    CHECK_EQ(sb_spool_open(&s, path, LIMIT), SB_OK);
    append(&s, "one\n", 1);
    CHECK_EQ(unlink(path), 0);
    append(&s, "two\n", 1);
    CHECK_TEXT(content(path), "two|");
    sb_spool_close(&s);
}

TEST(a_spool_that_somebody_emptied_has_no_lines)
{
    static char chunk[SB_SPOOL_CHUNK];
    const char *path = rig_path("spool");
    sb_spool    s;
    CHECK_EQ(sb_spool_open(&s, path, LIMIT), SB_OK);
    append(&s, "one\n", 1);
    CHECK_EQ(truncate(path, 0), 0);
    CHECK_EQ(sb_spool_read(&s, chunk), 0);
    CHECK(!sb_spool_has_lines(&s));
    append(&s, "two\n", 1);
    CHECK_TEXT(content(path), "two|");
    sb_spool_close(&s);
}

TEST(a_chunk_ends_with_a_whole_line)
{
    static char chunk[SB_SPOOL_CHUNK], lines[SB_SPOOL_CHUNK];
    const char *path = rig_path("spool");
    sb_spool    s;
    size_t      total = 0;
    memset(lines, 'x', sizeof lines);
    for (size_t i = 999; i < sizeof lines; i += 1000) lines[i] = '\n';
    size_t whole = sizeof lines / 1000 * 1000;
    CHECK_EQ(sb_spool_open(&s, path, LIMIT), SB_OK);
    for (int i = 0; i < 3; i++) CHECK(sb_spool_append(&s, lines, whole, whole / 1000));
    while (sb_spool_has_lines(&s)) {
        size_t size = sb_spool_read(&s, chunk);
        CHECK(size > 0 && size % 1000 == 0);
        total += size;
        sb_spool_advance(&s, size, size / 1000);
    }
    CHECK_EQ(total, 3 * whole);
    CHECK_EQ(s.lines, 0);
    sb_spool_close(&s);
}
