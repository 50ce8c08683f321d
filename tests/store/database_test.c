/* tests/store/database_test.c -- entries become rows; all of them may come twice. */
#include "store/database.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/query.h"
#include "store_rig.h"
#include "test.h"

static void open_new(sb_database *d, const char *path)
{
    CHECK_EQ(sb_database_open(d, path, true, 1000, 1), SB_OK);
}

static void write_one(sb_database *d, const sb_store_entry *entry)
{
    CHECK_EQ(sb_database_begin(d), SB_OK);
    CHECK_EQ(sb_database_write(d, entry), SB_OK);
    CHECK_EQ(sb_database_commit(d), SB_OK);
}

TEST(an_entry_of_every_type_is_stored_once_however_often_it_comes)
{
    static const char *const counts[SB_STORE_ENTRY_TYPES] = {
        [SB_STORE_ENTRY_MATCH] = "SELECT count(*) FROM match",
        [SB_STORE_ENTRY_PLAYER] = "SELECT count(*) FROM player_match",
        [SB_STORE_ENTRY_KILL] = "SELECT count(*) FROM kill",
        [SB_STORE_ENTRY_CHAT] = "SELECT count(*) FROM chat",
        [SB_STORE_ENTRY_BAN] = "SELECT count(*) FROM ban",
        [SB_STORE_ENTRY_UNBAN] = "SELECT 1",
        [SB_STORE_ENTRY_NAME] = "SELECT count(*) FROM name_seen",
        [SB_STORE_ENTRY_AUDIT] = "SELECT count(*) FROM audit",
    };
    const char *path = rig_path("all.db");
    sb_database d;
    open_new(&d, path);
    for (unsigned i = 0; i < SB_STORE_ENTRY_TYPES; i++) {
        sb_store_entry entry = rig_full_entry((sb_store_entry_type)i, 'x');
        if (entry.type == SB_STORE_ENTRY_MATCH)
            snprintf(entry.u.match.state, sizeof entry.u.match.state, "over");
        for (int times = 0; times < 3; times++) write_one(&d, &entry);
        CHECK_EQ(rig_number(path, counts[i]), 1);
    }
    CHECK_EQ(rig_number(path, "SELECT count(*) FROM match"), 1); /* one uid */
    sb_database_close(&d);
}

TEST(an_older_state_does_not_replace_a_newer_one)
{
    const char    *path = rig_path("order.db");
    sb_database    d;
    sb_store_entry over = rig_match("m", "over", 3, 50), running = rig_match("m", "running", 2, 90);
    sb_store_entry five = rig_player("m", 1, "Kirk", 5, 9), four = rig_player("m", 1, "Kirk", 4, 8);
    open_new(&d, path);
    write_one(&d, &over);
    write_one(&d, &running);
    CHECK_TEXT(rig_text(path, "SELECT state FROM match"), "over");
    write_one(&d, &five);
    write_one(&d, &four);
    CHECK_EQ(rig_number(path, "SELECT kills FROM player_match"), 5);
    sb_database_close(&d);
}

TEST(a_kill_may_come_before_its_match)
{
    const char    *path = rig_path("early.db");
    sb_database    d;
    sb_store_entry kill = rig_kill("m", 1), match = rig_match("m", "running", 1, 50);
    open_new(&d, path);
    write_one(&d, &kill);
    write_one(&d, &match);
    CHECK_EQ(rig_number(path, "SELECT count(*) FROM match"), 1);
    CHECK_TEXT(rig_text(path, "SELECT server FROM match JOIN kill ON match_id = id"),
               "Friday night");
    sb_database_close(&d);
}

TEST(matches_are_numbered_from_one)
{
    const char *path = rig_path("numbers.db");
    sb_database d;
    open_new(&d, path);
    for (int i = 0; i < 3; i++) {
        char uid[8];
        snprintf(uid, sizeof uid, "m%d", i);
        sb_store_entry match = rig_match(uid, "over", 1, 50);
        write_one(&d, &match);
    }
    CHECK_EQ(rig_number(path, "SELECT id FROM match WHERE uid = 'm0'"), 1);
    CHECK_EQ(rig_number(path, "SELECT id FROM match WHERE uid = 'm2'"), 3);
    sb_database_close(&d);
}

TEST(an_entry_that_the_tables_refuse_does_not_block_the_next)
{
    const char    *path = rig_path("refused.db");
    sb_database    d;
    sb_store_entry bad = rig_match("bad", "dreaming", 1, 50), good = rig_match("m", "over", 1, 50);
    open_new(&d, path);
    CHECK_EQ(sb_database_begin(&d), SB_OK);
    CHECK_EQ(sb_database_write(&d, &bad), SB_BAD_VALUE);
    CHECK_EQ(sb_database_write(&d, &good), SB_OK);
    CHECK_EQ(sb_database_commit(&d), SB_OK);
    CHECK_EQ(rig_number(path, "SELECT count(*) FROM match WHERE state = 'over'"), 1);
    sb_database_close(&d);
}

TEST(matches_of_another_session_are_interrupted)
{
    const char    *path = rig_path("interrupted.db");
    sb_database    d;
    sb_store_entry old = rig_match("old", "running", 1, 1000000), own = old;
    sb_store_entry kirk = rig_player("old", 1, "Kirk", 5, 2);
    snprintf(old.u.match.session, sizeof old.u.match.session, "before");
    snprintf(own.u.match.session, sizeof own.u.match.session, "now");
    snprintf(own.u.match.key.uid, sizeof own.u.match.key.uid, "own");
    open_new(&d, path);
    write_one(&d, &old);
    write_one(&d, &own);
    write_one(&d, &kirk); /* at 1,002,000 ms after two seconds */
    CHECK(sb_database_touch(&d, "before", 1010000));
    CHECK_EQ(rig_number(path, "SELECT updated_ms FROM match WHERE uid = 'own'"), 1000000);
    CHECK_EQ(sb_database_interrupt(&d, "now"), 1);
    CHECK_TEXT(rig_text(path, "SELECT state FROM match WHERE uid = 'old'"), "interrupted");
    CHECK_EQ(rig_number(path, "SELECT ended_ms FROM match WHERE uid = 'old'"), 1010000);
    CHECK_TEXT(rig_text(path, "SELECT state FROM match WHERE uid = 'own'"), "running");
    CHECK_EQ(rig_number(path, "SELECT kills FROM player_match"), 5);
    CHECK_EQ(rig_number(path, "SELECT seconds FROM player_match"), 10);
    CHECK_EQ(rig_number(path, "SELECT left_ms FROM player_match"), 1010000);
    CHECK_EQ(sb_database_interrupt(&d, "now"), 0);
    sb_database_close(&d);
}

static sb_store_entry seen(const char *name, const char *address, int64_t at_ms)
{
    sb_store_entry entry = { .type = SB_STORE_ENTRY_NAME };
    snprintf(entry.u.seen.name, sizeof entry.u.seen.name, "%s", name);
    snprintf(entry.u.seen.address, sizeof entry.u.seen.address, "%s", address);
    entry.u.seen.at_ms = at_ms;
    return entry;
}

TEST(old_addresses_are_erased_and_names_kept)
{
    const char          *path = rig_path("erase.db");
    sb_database          d;
    const sb_store_entry names[] = { seen("Kirk", "192.0.2.1", 10), seen("Kirk", "192.0.2.2", 30),
                                     seen("Kirk", "192.0.2.3", 2000),
                                     seen("Spock", "192.0.2.4", 5) };
    sb_store_entry old = rig_player("m", 1, "Kirk", 1, 1), new = rig_player("m", 2, "Q", 1, 1);
    open_new(&d, path);
    old.u.player.updated_ms = 999;
    new.u.player.updated_ms = 1000;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) write_one(&d, &names[i]);
    write_one(&d, &old);
    write_one(&d, &new);
    for (int times = 0; times < 2; times++) CHECK(sb_database_erase_addresses(&d, 1000));
    CHECK_TEXT(rig_text(path,
                        "SELECT group_concat(name || '/' || address || '/' || first_ms || '/' "
                        "|| last_ms) FROM (SELECT * FROM name_seen ORDER BY 1, 2)"),
               "Kirk//10/30,Kirk/192.0.2.3/2000/2000,Spock//5/5");
    CHECK_TEXT(rig_text(path, "SELECT group_concat(address, '/') FROM (SELECT * FROM player_match "
                              "ORDER BY player)"),
               "/192.0.2.7");
    sb_database_close(&d);
}

TEST(erased_addresses_are_not_left_in_the_file)
{
    static char    bytes[1 << 20];
    const char    *path = rig_path("trace.db");
    sb_database    d;
    sb_store_entry name = seen("Kirk", "203.0.113.77", 10);
    open_new(&d, path);
    write_one(&d, &name);
    CHECK(sb_database_erase_addresses(&d, 1000));
    sb_database_close(&d); /* the WAL is merged into the file and removed */
    FILE  *file = fopen(path, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    CHECK(size > 0 && size < sizeof bytes);
    CHECK(memmem(bytes, size, "203.0.113.77", 12) == NULL);
    CHECK(memmem(bytes, size, "Kirk", 4) != NULL);
}

/* docs/store.md promises that a commit survives a power failure. */
TEST(a_commit_waits_for_the_disk)
{
    const char *path = rig_path("sync.db");
    sb_database d;
    int64_t     level;
    open_new(&d, path);
    CHECK_EQ(sb_query_number(d.db, "PRAGMA synchronous", &level), SB_OK);
    CHECK_EQ(level, 2); /* FULL */
    CHECK_EQ(sb_query_number(d.db, "PRAGMA secure_delete", &level), SB_OK);
    CHECK_EQ(level, 1);
    sb_database_close(&d);
    CHECK_TEXT(rig_text(path, "PRAGMA journal_mode"), "wal");
}

TEST(only_the_owner_and_the_group_may_read_the_file)
{
    const char *path = rig_path("mode.db");
    struct stat status;
    sb_database d;
    open_new(&d, path);
    CHECK_EQ(stat(path, &status), 0);
    CHECK_EQ(status.st_mode & 0777, 0640);
    sb_database_close(&d);
}

TEST(a_file_that_was_moved_or_replaced_is_noticed)
{
    const char *path = rig_path("moved.db"), *away = rig_path("away.db");
    sb_database d;
    open_new(&d, path);
    CHECK(sb_database_is_in_place(&d, path));
    CHECK_EQ(rename(path, away), 0);
    CHECK(!sb_database_is_in_place(&d, path));
    rig_run(path, "CREATE TABLE other (a)");
    CHECK(!sb_database_is_in_place(&d, path));
    sb_database_close(&d);
    CHECK_EQ(unlink(path), 0);
    CHECK_EQ(sb_database_open(&d, path, false, 100, 1), SB_OS_ERROR);
    CHECK(strstr(d.error, "the file is gone") != NULL);
}

static const char *reading_error(const char *path)
{
    static char error[SB_DATABASE_ERROR_MAX];
    error[0] = '\0';
    sqlite3 *db = sb_database_open_to_read(path, 100, error);
    if (db) sqlite3_close(db);
    return error;
}

TEST(each_file_that_cannot_be_read_says_what_to_do)
{
    const char *missing = rig_path("missing.db"), *text = rig_path("text.db");
    const char *foreign = rig_path("foreign.db"), *newer = rig_path("newer.db");
    const char *older = rig_path("older.db"), *empty = rig_path("empty.db");
    sb_database d;
    open_new(&d, newer);
    sb_database_close(&d);
    rig_run(newer, "PRAGMA user_version = 1000");
    open_new(&d, older);
    sb_database_close(&d);
    rig_run(older, "PRAGMA user_version = 1");
    rig_run(foreign, "CREATE TABLE recipes (name TEXT)");
    FILE *file = fopen(text, "w");
    for (int i = 0; i < 500; i++) fputs("this is a letter and no database ", file);
    fclose(file);
    file = fopen(empty, "w");
    fclose(file);
    CHECK(strstr(reading_error(missing), "there is no such file") != NULL);
    CHECK(strstr(reading_error(text), "file is not a database") != NULL);
    CHECK(strstr(reading_error(foreign), "another program") != NULL);
    CHECK(strstr(reading_error(newer), "later version") != NULL);
    CHECK(strstr(reading_error(older), "starbase store migrate") != NULL);
    CHECK(strstr(reading_error(empty), "is empty") != NULL);
}

/* SQLite waits at a FIFO until another program opens it. */
TEST(what_is_no_regular_file_is_refused_without_waiting)
{
    const char *fifo = rig_path("fifo.db"), *folder = rig_path("folder.db");
    sb_database d;
    CHECK_EQ(mkfifo(fifo, 0600), 0);
    CHECK_EQ(mkdir(folder, 0700), 0);
    CHECK(strstr(reading_error(fifo), "is a pipe") != NULL);
    CHECK(strstr(reading_error(folder), "Is a directory") != NULL);
    CHECK_EQ(sb_database_open(&d, fifo, true, 100, 1), SB_OS_ERROR);
    CHECK(strstr(d.error, "is a pipe") != NULL);
    CHECK_EQ(sb_database_open(&d, folder, false, 100, 1), SB_OS_ERROR);
    CHECK(strstr(d.error, "Is a directory") != NULL);
}
