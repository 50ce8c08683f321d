/* tests/platform/log_test.c -- the form of log lines, cleaning, loss, rate limits, threads. */
#include "platform/log.h"

#include "test.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static sb_log log_;
static int    ends[2];

static void open_log(sb_log_level level, bool json)
{
    CHECK_EQ(pipe2(ends, O_NONBLOCK), 0);
    sb_log_open(&log_, &(sb_log_options){ .descriptor = ends[1], .level = level, .json = json });
}

static void close_log(void)
{
    sb_log_close(&log_);
    close(ends[0]);
    close(ends[1]);
}

static const char *read_log(void)
{
    static char text[1 << 16];
    ssize_t     size = read(ends[0], text, sizeof text - 1);
    text[size > 0 ? size : 0] = '\0';
    return text;
}

static sb_span span(const char *text)
{
    return (sb_span){ (const uint8_t *)text, strlen(text) };
}

/* The line without its time: "2026-01-31T23:59:59.999Z". */
static const char *after_time(const char *line)
{
    CHECK(strlen(line) > 24);
    CHECK_EQ(line[10], 'T');
    CHECK_EQ(line[23], 'Z');
    return line + 24;
}

TEST(a_line_has_time_level_subsystem_room_and_sentence)
{
    open_log(SB_LOG_INFO, false);
    sb_log_message(&log_, SB_LOG_INFO, "join", 3, "%s is in the game", "Alice");
    CHECK_TEXT(after_time(read_log()), " info    join     room 3: Alice is in the game\n");
    sb_log_message(&log_, SB_LOG_WARNING, "server", SB_LOG_NO_ROOM, "hm");
    CHECK_TEXT(after_time(read_log()), " warning server   hm\n");
    close_log();
}

TEST(json_lines_have_named_values_besides)
{
    sb_log_line line;
    open_log(SB_LOG_INFO, true);
    CHECK(sb_log_start(&line, &log_, SB_LOG_ERROR, "files", 1));
    sb_log_text(&line, "a \"quoted\" \\ text");
    sb_log_value_text(&line, "player", span("A\"\\\n\xC3\xA9"));
    sb_log_value_word(&line, "event", "checked");
    sb_log_value_number(&line, "peer", -2);
    sb_log_value_figure(&line, "amount", 1.5);
    sb_log_end(&line);
    const char *text = read_log();
    CHECK(strncmp(text, "{\"time\":\"", 9) == 0);
    CHECK_TEXT(after_time(text + 9),
               "\",\"level\":\"error\",\"subsystem\":\"files\",\"room\":1,"
               "\"message\":\"a \\\"quoted\\\" \\\\ text\",\"player\":\"A\\\"\\\\?\xC3\xA9\","
               "\"event\":\"checked\",\"peer\":-2,\"amount\":1.5}\n");
    close_log();
}

TEST(less_important_lines_are_not_written)
{
    sb_log_line line;
    open_log(SB_LOG_WARNING, false);
    CHECK(!sb_log_start(&line, &log_, SB_LOG_INFO, "x", 0));
    sb_log_message(&log_, SB_LOG_DEBUG, "x", 0, "no");
    CHECK_TEXT(read_log(), "");
    sb_log_set_level(&log_, SB_LOG_DEBUG);
    sb_log_message(&log_, SB_LOG_DEBUG, "x", 0, "yes");
    CHECK(strstr(read_log(), "yes"));
    close_log();
}

/* Names and chat lines are untrusted: they must not clear a terminal, fake a line or reverse the
 * text that follows. */
TEST(texts_of_strangers_are_cleaned)
{
    static const char *const dirty[] = { "a\nb",
                                         "a\033[2Jb",
                                         "a\xFF"
                                         "b",
                                         "a\xC3",
                                         "a\xC0\x80"
                                         "b",
                                         "a\xED\xA0\x80"
                                         "b",
                                         "a\xC2\x9B"
                                         "b",
                                         "a\xE2\x80\xAE"
                                         "b" };
    open_log(SB_LOG_INFO, false);
    for (size_t i = 0; i < sizeof dirty / sizeof *dirty; i++) {
        sb_log_message(&log_, SB_LOG_INFO, "chat", 1, "%s", dirty[i]);
        const char *text = strstr(read_log(), "room 1: ") + 8;
        CHECK(text[0] == 'a' && text[1] == '?');
        CHECK_EQ(strcspn(text, "\n"), strlen(text) - 1);
        CHECK(!strchr(text, '\033'));
    }
    close_log();
}

/* Characters that reverse the text, have no width or break lines. */
TEST(characters_nobody_sees_become_a_question_mark)
{
    static const char *const hidden[] = {
        "\xE2\x80\xAA",     "\xE2\x80\xAE",
        "\xE2\x81\xA6",     "\xE2\x81\xA9", /* overrides, isolates */
        "\xE2\x80\x8B",     "\xE2\x80\x8D",
        "\xE2\x80\x8F",     "\xD8\x9C", /* no width, marks */
        "\xEF\xBB\xBF",     "\xC2\xAD",
        "\xE2\x80\xA8",     "\xE2\x81\xA0", /* BOM, hyphen, line */
        "\xF3\xA0\x81\x81", "\xE3\x85\xA4", /* tag, Hangul filler */
    };
    for (int json = 0; json < 2; json++) {
        open_log(SB_LOG_INFO, json);
        for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
            sb_log_message(&log_, SB_LOG_INFO, "chat", 1, "a%sb", hidden[i]);
            const char *text = read_log();
            if (!strstr(text, "a?b")) FAIL("hidden character %zu: %s", i, text);
        }
        sb_log_message(&log_, SB_LOG_INFO, "chat", 1, "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x9A\x80");
        CHECK(strstr(read_log(), "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x9A\x80"));
        close_log();
    }
}

TEST(an_answer_is_written_whatever_the_level)
{
    open_log(SB_LOG_ERROR, false);
    CHECK(!sb_log_wants(&log_, SB_LOG_WARNING));
    sb_log_answer(&log_, "console", 2, "%d players", 3);
    CHECK_TEXT(after_time(read_log()), " info    console  room 2: 3 players\n");
    close_log();
}

TEST(long_texts_are_cut_at_a_character_and_json_stays_whole)
{
    char long_text[4000];
    for (size_t i = 0; i + 1 < sizeof long_text; i += 2) memcpy(long_text + i, "\xC3\xA9", 2);
    long_text[3998] = '\0';
    for (int json = 0; json < 2; json++) {
        sb_log_line line;
        open_log(SB_LOG_INFO, json);
        CHECK(sb_log_start(&line, &log_, SB_LOG_INFO, "x", 0));
        sb_log_span(&line, span(long_text));
        for (int i = 0; i < 5; i++) sb_log_value_text(&line, "key", span(long_text));
        sb_log_end(&line);
        const char *text = read_log();
        size_t      size = strlen(text);
        CHECK(size < 4096); /* PIPE_BUF: written at once */
        CHECK_EQ(text[size - 1], '\n');
        if (json) CHECK_BYTES(text + size - 3, 3, "\"}\n", 3);
        CHECK(!strstr(text, "\xC3\n") && !strstr(text, "\xC3\""));
        close_log();
    }
}

TEST(a_reader_who_does_not_read_loses_lines_and_holds_nobody_up)
{
    open_log(SB_LOG_INFO, false);
    int flags = fcntl(ends[1], F_GETFL);
    CHECK(fcntl(ends[1], F_SETFL, flags & ~O_NONBLOCK) == 0); /* as stderr usually is */
    for (int i = 0; i < 3000; i++)
        sb_log_message(&log_, SB_LOG_INFO, "x", 0, "%100d", i); /* a pipe holds 64 KiB */
    CHECK(log_.lost > 1000);
    close_log();
}

TEST(recent_lines_are_remembered_without_their_date)
{
    char line[SB_LOG_RECENT_MAX];
    sb_log_open(&log_, &(sb_log_options){ .descriptor = -1, .level = SB_LOG_INFO });
    CHECK(!sb_log_recent_line(&log_, 0, line));
    for (int i = 0; i < 100; i++) sb_log_message(&log_, SB_LOG_INFO, "x", 2, "line %d", i);
    CHECK(sb_log_recent_line(&log_, 0, line));
    CHECK_EQ(line[2], ':');
    CHECK(strstr(line, "Z info    x        room 2: line 99"));
    CHECK(sb_log_recent_line(&log_, SB_LOG_RECENT - 1, line));
    CHECK(strstr(line, "line 36"));
    CHECK(!sb_log_recent_line(&log_, SB_LOG_RECENT, line));
    sb_log_close(&log_);
}

/* The display shows sentences, whatever form the log has. */
TEST(recent_lines_of_a_json_log_are_text)
{
    char line[SB_LOG_RECENT_MAX];
    open_log(SB_LOG_INFO, true);
    sb_log_message(&log_, SB_LOG_INFO, "chat", 1, "Bob: \"C:\\\"");
    CHECK(sb_log_recent_line(&log_, 0, line));
    CHECK(strstr(line, "info    chat     room 1: Bob: \"C:\\\""));
    CHECK(strstr(read_log(), "\"message\":\"Bob: \\\"C:\\\\\\\"\""));
    close_log();
}

TEST(what_comes_too_often_is_one_line_a_second_with_a_count)
{
    sb_log_limit limit = { 0 };
    uint64_t     skipped = 99, lines = 0, told = 0;
    for (int ms = 5000; ms < 8000; ms += 10) {
        if (!sb_log_limit_spend(&limit, ms * (sb_time)1000, 1, &skipped)) continue;
        lines++;
        told += skipped + 1;
    }
    CHECK_EQ(lines, 3);
    CHECK_EQ(told, 201); /* the 99 of the last second wait for the next line */
    CHECK(sb_log_limit_spend(&limit, 9000 * (sb_time)1000, 1, &skipped));
    CHECK_EQ(skipped, 99);
}

TEST(a_limit_may_allow_several_lines_a_second)
{
    sb_log_limit limit = { 0 };
    uint64_t     skipped, lines = 0;
    for (int i = 0; i < 100; i++) lines += sb_log_limit_spend(&limit, SB_SECOND, 20, &skipped);
    CHECK_EQ(lines, 20);
    CHECK(sb_log_limit_spend(&limit, 2 * SB_SECOND, 20, &skipped));
    CHECK_EQ(skipped, 80);
    CHECK(sb_log_limit_spend(&limit, 2 * SB_SECOND, 20, &skipped));
    CHECK_EQ(skipped, 0);
}

/* ---- threads ---- */

enum { THREADS = 4, LINES = 200 };

static void *write_lines(void *context)
{
    for (int i = 0; i < LINES; i++)
        sb_log_message(&log_, SB_LOG_INFO, "thread", (unsigned)(size_t)context, "%060d", i);
    return NULL;
}

TEST(lines_of_threads_do_not_mix)
{
    char      path[] = "/tmp/starbase-log-XXXXXX", line[256];
    int       file = mkstemp(path), count = 0;
    pthread_t threads[THREADS];
    CHECK(file >= 0);
    sb_log_open(&log_, &(sb_log_options){ .descriptor = file, .level = SB_LOG_INFO });
    for (size_t i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, write_lines, (void *)(i + 1)), 0);
    for (size_t i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    FILE *in = fopen(path, "r");
    CHECK(in);
    for (; fgets(line, sizeof line, in); count++) {
        unsigned room, number;
        CHECK_EQ(sscanf(line + 24, " info thread room %u: %u\n", &room, &number), 2);
        CHECK_EQ(strlen(line), 24 + 18 + 8 + 60 + 1);
    }
    CHECK_EQ(count, THREADS * LINES);
    fclose(in);
    close(file);
    unlink(path);
    sb_log_close(&log_);
}

/* ---- lists ---- */

static void add_item(sb_log_line *line, int number, const char *name)
{
    sb_log_start_item(line);
    sb_log_value_number(line, "number", number);
    sb_log_value_text(line, "name", span(name));
    sb_log_end_item(line);
}

static const char *line_with_names(unsigned items, bool json, size_t name_size)
{
    char        name[101] = "";
    sb_log_line line;
    memset(name, 'x', name_size);
    open_log(SB_LOG_INFO, json);
    CHECK(sb_log_start(&line, &log_, SB_LOG_INFO, "game", 0));
    sb_log_text(&line, "over");
    sb_log_start_list(&line, "list");
    for (unsigned i = 0; i < items; i++) add_item(&line, (int)i, items > 2 ? name : "\"");
    sb_log_end_list(&line);
    sb_log_value_number(&line, "after", 1);
    sb_log_end(&line);
    const char *text = read_log();
    close_log();
    return text;
}

static const char *line_with_list(unsigned items, bool json)
{
    return line_with_names(items, json, 100);
}

TEST(a_json_line_can_hold_a_list_of_objects)
{
    CHECK(strstr(line_with_list(2, true),
                 "\"message\":\"over\",\"list\":[{\"number\":0,\"name\":"
                 "\"\\\"\"},{\"number\":1,\"name\":\"\\\"\"}],\"after\":1}\n"));
    CHECK(strstr(line_with_list(0, true), "\"list\":[],\"after\":1}\n"));
    CHECK_TEXT(after_time(line_with_list(2, false)), " info    game     over\n");
}

TEST(items_that_do_not_fit_are_left_out_whole)
{
    const char *text = line_with_list(40, true);
    CHECK(strstr(text, "xx\"}],\"after\":1}\n") || strstr(text, "xx\"}]}\n"));
    CHECK(strstr(text, "\"number\":10,"));
    CHECK(!strstr(text, "\"number\":39,"));
}

/* With some of these sizes the list leaves not a single byte. */
TEST(nothing_follows_a_list_that_fills_the_line)
{
    for (size_t size = 20; size <= 100; size++) {
        const char *text = line_with_names(200, true, size);
        size_t      end = strlen(text);
        CHECK(end > 3000 && end < SB_LOG_BYTES_MAX);
        CHECK(strcmp(text + end - 6, "x\"}]}\n") == 0 || strstr(text, "x\"}],\"after\":1}\n"));
        CHECK_EQ(strspn(text, "{"), 1);
    }
}

/* 31 characters of three bytes in UTF-8 each. */
TEST(a_json_line_holds_the_results_of_sixteen_players)
{
    char        name[94] = "";
    sb_log_line line;
    while (strlen(name) < 93) memcpy(name + strlen(name), "\xE2\x82\xAC", 3);
    open_log(SB_LOG_INFO, true);
    CHECK(sb_log_start(&line, &log_, SB_LOG_INFO, "game", 1));
    sb_log_text(&line, "the match is over: kill limit reached; %s wins", name);
    sb_log_value_text(&line, "winner", span(name));
    sb_log_start_list(&line, "standings");
    for (int i = 0; i < 16; i++) {
        sb_log_start_item(&line);
        sb_log_value_number(&line, "peer", 200 + i);
        sb_log_value_text(&line, "player", span(name));
        for (int k = 0; k < 4; k++) sb_log_value_number(&line, "deaths", -10000);
        sb_log_end_item(&line);
    }
    sb_log_end_list(&line);
    sb_log_end(&line);
    CHECK(strstr(read_log(), "\"peer\":215,"));
    close_log();
}

TEST(a_long_text_gives_way_to_values)
{
    char        quotes[1001] = "";
    sb_log_line line;
    memset(quotes, '"', 1000);
    open_log(SB_LOG_INFO, true);
    CHECK(sb_log_start(&line, &log_, SB_LOG_INFO, "game", 1));
    sb_log_span(&line, span(quotes));
    for (int i = 0; i < 200; i++) sb_log_value_number(&line, "a_long_key_of_a_number", i);
    sb_log_end(&line);
    const char *text = read_log();
    CHECK(strlen(text) < SB_LOG_BYTES_MAX);
    CHECK(strstr(text, "\\\"\",\"a_long_key_of_a_number\":0,"));
    CHECK(strstr(text, "}\n"));
    close_log();
}

/* ---- the journal ---- */

static void set_journal(int descriptor, unsigned more)
{
    struct stat is;
    char        stream[64];
    CHECK_EQ(fstat(descriptor, &is), 0);
    snprintf(stream, sizeof stream, "%llu:%llu", (unsigned long long)is.st_dev,
             (unsigned long long)is.st_ino + more);
    setenv("JOURNAL_STREAM", stream, 1);
}

TEST(the_journal_is_recognised_by_device_and_inode)
{
    unsetenv("JOURNAL_STREAM");
    open_log(SB_LOG_INFO, false);
    CHECK(!sb_log_is_journal(ends[1]));
    set_journal(ends[1], 0);
    CHECK(sb_log_is_journal(ends[1]));
    set_journal(ends[1], 1);
    CHECK(!sb_log_is_journal(ends[1]));
    setenv("JOURNAL_STREAM", "nonsense", 1);
    CHECK(!sb_log_is_journal(ends[1]));
    unsetenv("JOURNAL_STREAM");
    close_log();
}

TEST(lines_for_the_journal_begin_with_their_priority)
{
    static const char *const starts[] = { "<3>20", "<4>20", "<6>20", "<7>20" };
    open_log(SB_LOG_DEBUG, false);
    log_.options.priorities = true;
    for (int i = 0; i < SB_LOG_LEVELS; i++) {
        sb_log_message(&log_, (sb_log_level)i, "server", SB_LOG_NO_ROOM, "x");
        CHECK(strncmp(read_log(), starts[i], 5) == 0);
    }
    sb_log_answer(&log_, "server", SB_LOG_NO_ROOM, "x");
    CHECK(strncmp(read_log(), "<6>20", 5) == 0);
    log_.options.json = true;
    sb_log_message(&log_, SB_LOG_ERROR, "server", SB_LOG_NO_ROOM, "x");
    CHECK(strncmp(read_log(), "<3>{\"time\":", 11) == 0);
    close_log();
}

TEST(the_longest_line_with_a_priority_is_still_whole)
{
    char        long_text[SB_LOG_LINE_MAX];
    sb_log_line line;
    memset(long_text, '"', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    open_log(SB_LOG_DEBUG, true);
    log_.options.priorities = true;
    CHECK(sb_log_start(&line, &log_, SB_LOG_WARNING, "subsystem", 4096));
    sb_log_text(&line, "%s", long_text);
    for (int i = 0; i < 20; i++) sb_log_value_word(&line, "key", long_text);
    sb_log_end(&line);
    const char *text = read_log();
    CHECK(strlen(text) > 3500 && strlen(text) <= 4096); /* one write to a pipe */
    CHECK_TEXT(text + strlen(text) - 2, "}\n");
    close_log();
}

/* ---- other readers of lines ---- */

static char   taken[4096];
static size_t taken_size;

static void tap_line(void *context, const char *json, size_t size)
{
    (void)context;
    CHECK(taken_size + size < sizeof taken);
    memcpy(taken + taken_size, json, size);
    taken_size += size;
    taken[taken_size] = '\0';
}

TEST(a_tap_gets_each_written_line_as_json_with_its_values)
{
    sb_log_line line;
    taken_size = 0;
    open_log(SB_LOG_INFO, false);
    sb_log_set_tap(&log_, tap_line, NULL);
    CHECK(sb_log_start(&line, &log_, SB_LOG_INFO, "join", 3));
    sb_log_text(&line, "hello");
    sb_log_value_number(&line, "peer", 7);
    sb_log_end(&line);
    sb_log_message(&log_, SB_LOG_DEBUG, "join", 3, "not written");
    CHECK(strstr(read_log(), "room 3: hello\n"));
    CHECK(strstr(taken, "\"message\":\"hello\",\"peer\":7}\n"));
    CHECK(!strstr(taken, "not written"));
    sb_log_set_tap(&log_, NULL, NULL);
    taken_size = 0;
    sb_log_message(&log_, SB_LOG_INFO, "join", 3, "later");
    CHECK_EQ(taken_size, 0);
    close_log();
}

TEST(a_tap_hears_of_events_that_a_quiet_log_does_not_write)
{
    taken_size = 0;
    open_log(SB_LOG_ERROR, false);
    sb_log_set_tap(&log_, tap_line, NULL);
    sb_log_message(&log_, SB_LOG_INFO, "join", 3, "followed");
    sb_log_message(&log_, SB_LOG_DEBUG, "join", 3, "detail");
    sb_log_message(&log_, SB_LOG_ERROR, "join", 3, "written");
    const char *log = read_log();
    CHECK(strstr(log, "room 3: written\n") && !strstr(log, "followed"));
    CHECK(strstr(taken, "\"message\":\"followed\"") && strstr(taken, "\"message\":\"written\""));
    CHECK(!strstr(taken, "detail"));
    sb_log_set_tap(&log_, NULL, NULL);
    CHECK(!sb_log_wants(&log_, SB_LOG_INFO));
    close_log();
}

static void take_line(void *context, const sb_log_line *line)
{
    char json[SB_LOG_BYTES_MAX];
    tap_line(context, json, sb_log_format_json(line, json));
}

TEST(answers_can_be_taken_instead_of_written)
{
    sb_log answers = { .options = { .descriptor = -1, .json = true, .take = take_line } };
    taken_size = 0;
    sb_log_answer(&answers, "ctl", 2, "done");
    CHECK(strstr(taken, "\"subsystem\":\"ctl\",\"room\":2,\"message\":\"done\"}\n"));
}

TEST(a_line_erases_the_prompt_and_asks_for_it_again)
{
    int      wake[2];
    uint64_t count = 0;
    CHECK_EQ(pipe2(wake, O_NONBLOCK), 0);
    open_log(SB_LOG_INFO, false);
    sb_log_set_prompt(&log_, wake[1]);
    sb_log_message(&log_, SB_LOG_INFO, "join", 0, "hello");
    CHECK_EQ(strncmp(read_log(), "\r\033[K2", 5), 0);
    CHECK_EQ(read(wake[0], &count, sizeof count), sizeof count);
    CHECK_EQ(count, 1);
    sb_log_set_prompt(&log_, -1);
    sb_log_message(&log_, SB_LOG_INFO, "join", 0, "hello");
    CHECK_EQ(read_log()[0], '2');
    close_log();
    close(wake[0]);
    close(wake[1]);
}
