/* tests/store/outage_test.c -- the database is locked, full or away, or the server dies: nothing is
 * lost, and the store catches up by itself. Covers writer.c, and store.c at the start. */
#include "store/store.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store_rig.h"
#include "test.h"

static sqlite3 *lock_database(const char *path)
{
    sqlite3 *db;
    CHECK_EQ(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 60000);
    CHECK_EQ(sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    return db;
}

static void unlock_database(sqlite3 *db)
{
    CHECK_EQ(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* Finishes the match `uid` with one player and one kill. */
static void post_result(sb_store *s, const char *uid)
{
    sb_store_entry kill = rig_kill(uid, 1), kirk = rig_player(uid, 1, "Kirk", 3, 5);
    sb_store_entry over = rig_match(uid, "over", 9, 5000000);
    kirk.u.player.place = 1;
    sb_store_post(s, &kill);
    sb_store_post(s, &kirk);
    sb_store_post(s, &over);
}

static void check_result(const char *path, const char *uid)
{
    char sql[256];
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM match m JOIN player_match p ON p.match_id = m.id"
             " JOIN kill k ON k.match_id = m.id WHERE m.uid = '%s' AND m.state = 'over'"
             " AND p.name = 'Kirk' AND p.place = 1",
             uid);
    CHECK_EQ(rig_number(path, sql), 1);
}

static uint64_t spooled(sb_store *s)
{
    sb_store_status status;
    sb_store_get_status(s, &status);
    return status.spooled;
}

TEST(a_locked_database_is_written_when_it_is_free)
{
    const char     *path = rig_path("locked.db");
    sb_store       *s = rig_open(path);
    sb_store_status status;
    sqlite3        *holder = lock_database(path);
    post_result(s, "m");
    CHECK(rig_wait_state(s, SB_STORE_SPOOLING, false));
    while (spooled(s) < 3) usleep(1000);
    sb_store_get_status(s, &status);
    CHECK(strstr(status.last_error, "locked") != NULL);
    CHECK_EQ(status.dropped, 0);
    post_result(s, "n");
    unlock_database(holder);
    CHECK(rig_wait_state(s, SB_STORE_IS_OK, true));
    sb_store_get_status(s, &status);
    CHECK_TEXT(status.last_error, "");
    CHECK_EQ(status.written, 6);
    sb_store_close(s);
    check_result(path, "m");
    check_result(path, "n");
}

/* A limit of file sizes stands for a full disk. The WAL needs several pages for the commit, the
 * spool a few hundred bytes. */
static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    CHECK_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST(a_database_without_space_is_written_when_there_is_some)
{
    const char *path = rig_path("full.db");
    sb_store   *s = rig_open(path);
    limit_files(3000);
    post_result(s, "m");
    bool is_spooling = rig_wait_state(s, SB_STORE_SPOOLING, false);
    limit_files(RLIM_INFINITY);
    CHECK(is_spooling);
    CHECK(rig_wait_state(s, SB_STORE_IS_OK, true));
    sb_store_close(s);
    check_result(path, "m");
}

TEST(without_any_space_results_wait_in_memory)
{
    const char     *path = rig_path("nospace.db");
    sb_store       *s = rig_open(path);
    sb_store_status status;
    limit_files(0);
    post_result(s, "m");
    bool has_failed = rig_wait_state(s, SB_STORE_FAILED, false);
    sb_store_get_status(s, &status);
    limit_files(RLIM_INFINITY);
    CHECK(has_failed);
    CHECK_EQ(status.queued, 3);
    CHECK_EQ(status.dropped, 0);
    CHECK(rig_wait_state(s, SB_STORE_IS_OK, true));
    sb_store_close(s);
    check_result(path, "m");
}

/* A pipe, because limit_files would keep lines from a file. */
TEST(the_log_does_not_promise_a_spool_that_cannot_be_written)
{
    int              ends[2];
    char             error[SB_STORE_ERROR_MAX], lines[4096];
    sb_log           log;
    sb_store_options options = { .path = rig_path("promise.db"), .log = &log };
    CHECK_EQ(pipe(ends), 0);
    sb_log_open(&log, &(sb_log_options){ .descriptor = ends[1], .level = SB_LOG_INFO });
    sb_store *s = sb_store_open(&options, error);
    CHECK(s != NULL);
    limit_files(0);
    post_result(s, "m");
    bool has_failed = rig_wait_state(s, SB_STORE_FAILED, false);
    limit_files(RLIM_INFINITY);
    CHECK(has_failed);
    CHECK(rig_wait_state(s, SB_STORE_IS_OK, true));
    sb_store_close(s);
    sb_log_close(&log);
    close(ends[1]);
    ssize_t size = read(ends[0], lines, sizeof lines - 1);
    close(ends[0]);
    CHECK(size > 0);
    lines[size] = '\0';
    CHECK(strstr(lines, "neither the database nor its spool can be written") != NULL);
    CHECK(strstr(lines, "what happens is kept in") == NULL);
    CHECK(strstr(lines, "the database is written again") != NULL);
}

TEST(a_queue_that_is_full_counts_what_it_drops)
{
    const char      *path = rig_path("overflow.db");
    char             error[SB_STORE_ERROR_MAX];
    sb_store_options options = { .path = path, .queue_bytes = 8192 };
    sb_store        *s = sb_store_open(&options, error);
    sb_store_status  status;
    sb_store_ban     ban = rig_ban("192.0.2.1");
    memset(ban.reason, 'x',
           sizeof ban.reason - 1); /* longer than the entries that fill the queue */
    limit_files(0);
    sb_store_entry first = rig_kill("m", 1);
    sb_store_post(s, &first);
    /* From now on the writer holds the first entries, and takes no others from the queue. */
    bool has_failed = rig_wait_state(s, SB_STORE_FAILED, false);
    for (int i = 2; i <= 1000; i++) {
        sb_store_entry kill = rig_kill("m", i), state = rig_player("m", 1, "Kirk", i, i);
        sb_store_post(s, &kill);
        sb_store_post(s, &state); /* superseded: never counted as lost */
    }
    sb_result result = sb_store_ban_add(s, &ban, NULL);
    sb_store_get_status(s, &status);
    limit_files(RLIM_INFINITY);
    CHECK(has_failed);
    CHECK_EQ(result, SB_OS_ERROR);
    CHECK(status.dropped > 0);
    uint64_t kept = 1001 - status.dropped;
    CHECK(rig_wait_state(s, SB_STORE_IS_OK, true));
    sb_store_close(s);
    CHECK_EQ(rig_number(path, "SELECT count(*) FROM kill"), (int64_t)kept);
}

TEST(a_queue_full_of_chat_still_takes_results)
{
    const char      *path = rig_path("reserve.db");
    char             error[SB_STORE_ERROR_MAX];
    sb_store_options options = { .path = path, .queue_bytes = 8192, .rooms = 1 };
    sb_store        *s = sb_store_open(&options, error);
    sb_store_status  status;
    limit_files(0);
    sb_store_entry first = rig_kill("m", 1);
    sb_store_post(s, &first);
    bool has_failed = rig_wait_state(s, SB_STORE_FAILED, false);
    for (int i = 0; i < 1000; i++) sb_store_audit(s, 1, "chat:Kirk", "stats", "a long answer");
    sb_store_get_status(s, &status);
    uint64_t dropped = status.dropped;
    for (int i = 1; i <= 32; i++) {
        sb_store_entry row = rig_player("m", i, "Kirk", i, 1);
        row.u.player.place = i;
        sb_store_post(s, &row);
    }
    sb_store_entry over = rig_match("m", "over", 1, 5);
    sb_store_post(s, &over);
    sb_store_get_status(s, &status);
    limit_files(RLIM_INFINITY);
    CHECK(has_failed);
    CHECK(dropped > 0);
    CHECK_EQ(status.dropped, dropped);
    CHECK(rig_wait_state(s, SB_STORE_IS_OK, true));
    sb_store_close(s);
    CHECK_EQ(rig_number(path, "SELECT count(*) FROM player_match WHERE place > 0"), 32);
    CHECK_TEXT(rig_text(path, "SELECT state FROM match"), "over");
}

TEST(a_file_that_is_away_gets_its_results_when_it_is_back)
{
    const char     *path = rig_path("here.db"), *away = rig_path("away.db");
    sb_store       *s = rig_open(path);
    sb_store_status status;
    post_result(s, "before");
    CHECK(rig_wait_state(s, SB_STORE_IS_OK, true));
    CHECK_EQ(rename(path, away), 0);
    post_result(s, "m");
    CHECK(rig_wait_state(s, SB_STORE_SPOOLING, false));
    while (spooled(s) < 3) usleep(1000);
    sb_store_get_status(s, &status);
    CHECK(strstr(status.last_error, "the file is gone") != NULL);
    CHECK(access(path, F_OK) != 0); /* no new file that the old one would replace */
    CHECK_EQ(rename(away, path), 0);
    CHECK(rig_wait_state(s, SB_STORE_IS_OK, true));
    sb_store_close(s);
    check_result(path, "before");
    check_result(path, "m");
}

TEST(a_restored_file_with_other_bans_loses_no_new_one)
{
    const char  *path = rig_path("restored.db"), *backup = rig_path("backup.db");
    sb_store_ban ban = rig_ban("192.0.2.1");
    sb_store    *s = rig_open(backup);
    int64_t      id = 0;
    for (int i = 0; i < 5; i++) CHECK_EQ(sb_store_ban_add(s, &ban, NULL), SB_OK);
    sb_store_close(s);
    s = rig_open(path);
    CHECK_EQ(sb_store_ban_add(s, &ban, NULL), SB_OK);
    CHECK_EQ(rename(backup, path), 0);
    post_result(s, "m"); /* the writer opens the other file */
    CHECK(rig_wait_state(s, SB_STORE_IS_OK, true));
    CHECK_EQ(sb_store_ban_add(s, &ban, &id), SB_OK);
    CHECK_EQ(id, 6);
    CHECK_EQ(rig_number(path, "SELECT count(*) FROM ban"), 6);
    sb_store_close(s);
}

/* ---- a server that is killed ---- */

/* In a child that is killed once it has said that it is ready. */
static void run_and_kill(void (*work)(const char *path), const char *path)
{
    int  pipes[2];
    char ready;
    CHECK_EQ(pipe(pipes), 0);
    pid_t child = rig_fork();
    if (child == 0) {
        work(path);
        (void)!write(pipes[1], "y", 1);
        pause();
    }
    CHECK_EQ(read(pipes[0], &ready, 1), 1);
    CHECK_EQ(kill(child, SIGKILL), 0);
    (void)waitpid(child, NULL, 0);
    close(pipes[0]);
    close(pipes[1]);
}

static void play(const char *path)
{
    sb_store      *s = rig_open(path);
    sb_store_entry running = rig_match("m", "running", 1, 1000000);
    sb_store_entry kirk = rig_player("m", 1, "Kirk", 2, 7);
    sb_store_post(s, &running);
    sb_store_post(s, &kirk);
    while (rig_number(path, "SELECT count(*) FROM player_match") < 1) usleep(1000);
}

TEST(the_match_of_a_killed_server_is_interrupted)
{
    const char *path = rig_path("killed.db");
    run_and_kill(play, path);
    CHECK_TEXT(rig_text(path, "SELECT state FROM match"), "running");
    sb_store *s = rig_open(path);
    CHECK(rig_wait_number(path, "SELECT count(*) FROM match WHERE state = 'interrupted'", 1));
    CHECK_EQ(rig_number(path, "SELECT kills FROM player_match WHERE name = 'Kirk'"), 2);
    sb_store_close(s);
}

static sqlite3 *held; /* by the parent: a lock is not inherited */

static void play_locked(const char *path)
{
    sb_store      *s = rig_open(path);
    sb_store_entry running = rig_match("n", "running", 1, 1000000);
    sb_store_ban   ban = rig_ban("203.0.113.9");
    post_result(s, "m");
    sb_store_post(s, &running);
    sb_result result = sb_store_ban_add(s, &ban, NULL);
    CHECK_EQ(result, SB_FULL); /* spooled */
}

static void count_ban(void *context, const sb_store_ban *ban)
{
    CHECK_TEXT(ban->range, "203.0.113.9");
    ++*(int *)context;
}

TEST(the_spool_of_a_killed_server_is_stored_by_the_next)
{
    const char *path = rig_path("spooled.db");
    int         count = 0;
    sb_store_close(rig_open(path)); /* makes the file */
    pid_t locker = rig_fork();
    if (locker == 0) {
        held = lock_database(path);
        pause();
    }
    /* The child of run_and_kill must find the lock taken. */
    for (sqlite3 *db; sqlite3_open(path, &db) == SQLITE_OK; sqlite3_close(db)) {
        bool is_free = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK;
        if (is_free) (void)sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
        if (!is_free) {
            sqlite3_close(db);
            break;
        }
        usleep(1000);
    }
    run_and_kill(play_locked, path);
    sb_store *s = rig_open(path); /* still locked: the ban holds nevertheless */
    CHECK(sb_store_bans_load(s, count_ban, &count));
    CHECK_EQ(count, 1);
    CHECK_EQ(kill(locker, SIGKILL), 0);
    (void)waitpid(locker, NULL, 0);
    CHECK(rig_wait_state(s, SB_STORE_IS_OK, true));
    CHECK(rig_wait_number(path, "SELECT count(*) FROM match WHERE state = 'interrupted'", 1));
    sb_store_close(s);
    check_result(path, "m");
    CHECK_EQ(rig_number(path, "SELECT count(*) FROM ban"), 1);
}

TEST(damaged_lines_of_a_spool_are_skipped_and_counted)
{
    const char     *path = rig_path("damaged.db");
    char            line[SB_STORE_ENTRY_LINE_MAX], spool[200];
    sb_store_entry  one = rig_kill("m", 1), two = rig_kill("m", 2);
    sb_store_status status;
    snprintf(spool, sizeof spool, "%s.spool", path);
    FILE *file = fopen(spool, "w");
    (void)sb_store_entry_encode(&one, line);
    fputs(line, file);
    fputs("00000000 kill\tnonsense\n\n", file);
    (void)sb_store_entry_encode(&two, line);
    fputs(line, file);
    fwrite(line, 1, 20, file); /* cut off */
    fclose(file);
    sb_store *s = rig_open(path);
    CHECK(rig_wait_number(path, "SELECT count(*) FROM kill", 2));
    CHECK(rig_wait_state(s, SB_STORE_IS_OK, true));
    sb_store_get_status(s, &status);
    CHECK_EQ(status.damaged, 3);
    sb_store_close(s);
}

TEST(an_entry_that_the_database_refuses_is_counted)
{
    const char     *path = rig_path("refused.db");
    sb_store       *s = rig_open(path);
    sb_store_status status;
    sb_store_entry  bad = rig_match("bad", "dreaming", 1, 5);
    sb_store_post(s, &bad);
    post_result(s, "m");
    CHECK(rig_wait_state(s, SB_STORE_IS_OK, true));
    sb_store_get_status(s, &status);
    CHECK_EQ(status.refused, 1);
    sb_store_close(s);
    check_result(path, "m");
}

TEST(a_database_of_a_later_version_is_left_alone)
{
    const char *path = rig_path("newer.db");
    char        pragma[64];
    sb_store_close(rig_open(path));
    snprintf(pragma, sizeof pragma, "PRAGMA user_version = %d",
             (int)rig_number(path, "PRAGMA user_version"));
    rig_run(path, "PRAGMA user_version = 1000");
    sb_store       *s = rig_open(path);
    sb_store_status status;
    post_result(s, "m");
    CHECK(rig_wait_state(s, SB_STORE_SPOOLING, false));
    while (spooled(s) < 3) usleep(1000);
    sb_store_get_status(s, &status);
    CHECK(strstr(status.last_error, "later version") != NULL);
    sb_store_close(s);
    CHECK_EQ(rig_number(path, "SELECT count(*) FROM match"), 0);
    rig_run(path, pragma); /* as if the later version were back */
    s = rig_open(path);
    CHECK(rig_wait_number(path, "SELECT count(*) FROM match", 1));
    sb_store_close(s);
}

TEST(a_file_that_is_no_database_is_left_alone)
{
    const char *path = rig_path("letter.db");
    FILE       *file = fopen(path, "w");
    for (int i = 0; i < 500; i++) fputs("this is a letter and no database ", file);
    fclose(file);
    sb_store *s = rig_open(path);
    post_result(s, "m");
    CHECK(rig_wait_state(s, SB_STORE_SPOOLING, false));
    sb_store_close(s);
    struct stat status;
    CHECK_EQ(stat(path, &status), 0);
    CHECK_EQ(status.st_size, 500 * 33);
}
