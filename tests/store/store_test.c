/* tests/store/store_test.c -- a store that works: posting, bans, state, closing. */
#include "store/store.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/clock.h"
#include "store_rig.h"
#include "test.h"

TEST(a_store_that_is_off_answers_and_does_nothing)
{
    sb_store_status status;
    sb_store_totals totals[SB_STORE_TOP_MAX];
    size_t          count;
    int64_t         id = 7;
    sb_store_ban    ban = rig_ban("192.0.2.0/24");
    sb_store_entry  match = rig_match("m", "over", 1, 5);
    sb_store_post(NULL, &match);
    sb_store_audit(NULL, 1, "console", "kick 2", "done");
    CHECK_EQ(sb_store_ban_add(NULL, &ban, &id), SB_NOT_ALLOWED);
    CHECK_EQ(id, 0);
    CHECK_EQ(sb_store_ban_remove(NULL, 1), SB_NOT_ALLOWED);
    CHECK(sb_store_bans_load(NULL, NULL, NULL));
    CHECK_EQ(sb_store_player_totals(NULL, "Kirk", 0, totals), SB_NOT_ALLOWED);
    CHECK_EQ(sb_store_top(NULL, 0, totals, &count), SB_NOT_ALLOWED);
    CHECK_TEXT(sb_store_session(NULL), "");
    sb_store_get_status(NULL, &status);
    CHECK_TEXT(sb_store_state_name(status.state), "off");
    sb_store_close(NULL);
}

TEST(what_is_posted_is_committed_and_counted)
{
    const char     *path = rig_path("posted.db");
    sb_store       *s = rig_open(path);
    sb_store_status status;
    sb_store_entry  match = rig_match("m", "over", 1, 5), kirk = rig_player("m", 1, "Kirk", 3, 1);
    sb_store_post(s, &kirk);
    sb_store_post(s, &match);
    sb_store_audit(s, 99, "ctl:ann", "kick Q", "Q is out");
    CHECK(rig_wait_number(path, "SELECT count(*) FROM audit", 1));
    CHECK(rig_wait_state(s, SB_STORE_IS_OK, true));
    sb_store_get_status(s, &status);
    CHECK_EQ(status.written, 3);
    CHECK_EQ(status.dropped, 0);
    CHECK(status.last_commit_ms > 0);
    CHECK_TEXT(status.path, path);
    CHECK_TEXT(rig_text(path, "SELECT session FROM match"), sb_store_session(s));
    CHECK_TEXT(rig_text(path, "SELECT who || command || result FROM audit"),
               "ctl:annkick QQ is out");
    sb_store_close(s);
}

TEST(closing_stores_what_is_queued)
{
    const char *path = rig_path("closed.db");
    sb_store   *s = rig_open(path);
    for (int i = 1; i <= 500; i++) {
        sb_store_entry kill = rig_kill("m", i);
        sb_store_post(s, &kill);
    }
    sb_store_close(s);
    CHECK_EQ(rig_number(path, "SELECT count(*) FROM kill"), 500);
}

TEST(a_hundred_thousand_entries_are_stored)
{
    enum { COUNT = 100000 };
    const char     *path = rig_path("many.db");
    sb_store       *s = rig_open(path);
    sb_store_status status;
    for (int i = 1; i <= COUNT; i++) {
        sb_store_entry kill = rig_kill("m", i);
        do { /* a program that posts that fast waits for the queue */
            sb_store_get_status(s, &status);
        } while (status.queued > 10000);
        sb_store_post(s, &kill);
    }
    CHECK(rig_wait_state(s, SB_STORE_IS_OK, true));
    sb_store_get_status(s, &status);
    CHECK_EQ(status.dropped, 0);
    CHECK_EQ(status.written, COUNT);
    sb_store_close(s);
    CHECK_EQ(rig_number(path, "SELECT count(*) FROM kill"), COUNT);
}

TEST(a_second_server_does_not_get_the_same_store)
{
    const char      *path = rig_path("shared.db");
    char             error[SB_STORE_ERROR_MAX];
    sb_store_options options = { .path = path };
    sb_store        *s = rig_open(path);
    CHECK(sb_store_open(&options, error) == NULL);
    CHECK(strstr(error, "another server uses this store") != NULL);
    sb_store_close(s);
    sb_store_close(rig_open(path));
}

TEST(a_symbolic_link_is_the_same_store)
{
    char             link[256], error[SB_STORE_ERROR_MAX];
    const char      *path = rig_path("linked.db");
    sb_store_options options = { .path = link };
    snprintf(link, sizeof link, "%s.link", path);
    sb_store *s = rig_open(path);
    CHECK_EQ(symlink(path, link), 0);
    CHECK(sb_store_open(&options, error) == NULL);
    CHECK(strstr(error, "another server uses this store") != NULL);
    sb_store_close(s);
    CHECK_EQ(unlink(link), 0);
}

TEST(a_folder_that_is_missing_is_named)
{
    char             error[SB_STORE_ERROR_MAX];
    sb_store_options options = { .path = "/nonexistent/place/starbase.db" };
    CHECK(sb_store_open(&options, error) == NULL);
    CHECK(strstr(error, "/nonexistent/place/starbase.db.spool: No such file") != NULL);
    CHECK(strstr(error, "must be able to write") != NULL);
}

TEST(a_store_that_is_no_regular_file_is_refused)
{
    const char      *path = rig_path("fifo.db");
    char             error[SB_STORE_ERROR_MAX];
    sb_store_options options = { .path = path };
    CHECK_EQ(mkfifo(path, 0600), 0);
    CHECK(sb_store_open(&options, error) == NULL);
    CHECK(strstr(error, "is a pipe") != NULL);
}

/* ---- bans ---- */

typedef struct bans {
    size_t       count;
    sb_store_ban list[8];
} bans;

static void keep_ban(void *context, const sb_store_ban *ban)
{
    bans *b = context;
    CHECK(b->count < 8);
    b->list[b->count++] = *ban;
}

TEST(bans_are_on_disk_when_they_are_answered)
{
    const char  *path = rig_path("bans.db");
    int          pipes[2];
    sb_store_ban ban = rig_ban("203.0.113.0/24");
    CHECK_EQ(pipe(pipes), 0);
    pid_t child = rig_fork();
    if (child == 0) { /* dies the moment after the answer, without closing anything */
        sb_result result = sb_store_ban_add(rig_open(path), &ban, NULL);
        (void)!write(pipes[1], result == SB_OK ? "y" : "n", 1);
        (void)kill(getpid(), SIGKILL);
    }
    char answer = '?';
    CHECK_EQ(read(pipes[0], &answer, 1), 1);
    CHECK_EQ(answer, 'y');
    (void)waitpid(child, NULL, 0);
    close(pipes[0]);
    close(pipes[1]);
    bans      found = { 0 };
    sb_store *s = rig_open(path);
    CHECK(sb_store_bans_load(s, keep_ban, &found));
    CHECK_EQ(found.count, 1);
    CHECK_EQ(found.list[0].id, 1);
    CHECK_TEXT(found.list[0].range, "203.0.113.0/24");
    CHECK_TEXT(found.list[0].reason, "ramming");
    CHECK_TEXT(found.list[0].by, "console");
    CHECK_EQ(found.list[0].kind, 'b');
    CHECK_EQ(found.list[0].created_ms, 5);
    sb_store_close(s);
}

TEST(removed_and_expired_bans_are_not_loaded)
{
    const char  *path = rig_path("gone.db");
    sb_store    *s = rig_open(path);
    sb_store_ban ban = rig_ban("192.0.2.1"), over = ban, later = ban, exception = ban;
    int64_t      ids[4];
    over.expires_ms = 1000;
    later.expires_ms = sb_clock_wall_us() / 1000 + 3600000;
    later.kind = 'k';
    exception.exception = true;
    CHECK_EQ(sb_store_ban_add(s, &ban, &ids[0]), SB_OK);
    CHECK_EQ(sb_store_ban_add(s, &over, &ids[1]), SB_OK);
    CHECK_EQ(sb_store_ban_add(s, &later, &ids[2]), SB_OK);
    CHECK_EQ(sb_store_ban_add(s, &exception, &ids[3]), SB_OK);
    CHECK_EQ(sb_store_ban_remove(s, ids[0]), SB_OK);
    CHECK_EQ(sb_store_ban_remove(s, 4711), SB_OK);
    sb_store_close(s);
    bans found = { 0 };
    s = rig_open(path);
    CHECK(sb_store_bans_load(s, keep_ban, &found));
    CHECK_EQ(found.count, 2);
    CHECK_EQ(found.list[0].id, ids[2]);
    CHECK_EQ(found.list[0].kind, 'k');
    CHECK_EQ(found.list[0].expires_ms, later.expires_ms);
    CHECK(!found.list[0].exception);
    CHECK(found.list[1].exception);
    CHECK_EQ(sb_store_ban_add(s, &ban, &ids[0]), SB_OK);
    CHECK_EQ(ids[0], 5); /* numbers are not used again */
    sb_store_close(s);
    CHECK_EQ(rig_number(path, "SELECT count(*) FROM ban WHERE removed_ms > 0"), 1);
}
