/* tests/e2e/files_test.c -- files for a client whose mission scripts differ, over UDP. Spec 06
 * §5.4.
 *
 * For:      send_files from the folder to the log. The client of this test keeps the files in
 *           memory; no client of the project writes them.
 */
#include "rig.h"

#include <starbase/hash.h>
#include <starbase/message.h>

#include "base/text.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 3, SIZE = 1000 }; /* three fragments each */

static const char *const directories[FILES] = { "", "", "Episode" };
static const char *const names[FILES] = { "A.pyc", "B.pyc", "C.pyc" };

static char folder[32], manifest_path[40];

static uint32_t hash_name(const char *name)
{
    return sb_hash_string(sb_text_span(name));
}

static void path_of(unsigned i, char out[100])
{
    snprintf(out, 100, "%s/%s%s%s", folder, directories[i], directories[i][0] ? "/" : "", names[i]);
}

static void write_script(unsigned i, uint8_t bytes[SIZE])
{
    char path[100];
    for (size_t k = 0; k < SIZE; k++) bytes[k] = (uint8_t)(k * 7 + i);
    path_of(i, path);
    FILE *f = fopen(path, "wb");
    CHECK(f != NULL);
    CHECK_EQ(fwrite(bytes, 1, SIZE, f), SIZE);
    fclose(f);
}

/* The folder of a mod with three files, and its manifest. */
static void make_mod(void)
{
    uint8_t bytes[SIZE];
    char    below[48];
    strcpy(folder, "/tmp/starbase-mod-XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    snprintf(below, sizeof below, "%s/Episode", folder);
    CHECK_EQ(mkdir(below, 0700), 0);
    snprintf(manifest_path, sizeof manifest_path, "%s.csv", folder);
    FILE *csv = fopen(manifest_path, "w");
    CHECK(csv != NULL);
    fprintf(csv, "round,directory,name,name_hash,content_hash,origin\n");
    for (unsigned i = 0; i < FILES; i++) {
        write_script(i, bytes);
        fprintf(csv, "255,%s,%s,0x%08X,0x%08X,wire\n", directories[i], names[i],
                (unsigned)hash_name(names[i]),
                (unsigned)sb_hash_file((sb_span){ bytes, SIZE }, SB_FILE_HASH_RULE_DEFAULT));
    }
    fclose(csv);
}

static void remove_mod(void)
{
    char path[100];
    for (unsigned i = 0; i < FILES; i++) {
        path_of(i, path);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/Episode", folder);
    rmdir(path);
    rmdir(folder);
    unlink(manifest_path);
}

/* ---- a client that keeps files in memory ---- */

static sb_manifest_file entries[FILES];
static sb_manifest      own = { "client", entries, FILES };

static void start_with_old_files(void)
{
    for (unsigned i = 0; i < FILES; i++)
        entries[i] =
            (sb_manifest_file){ .position = SB_CHECKSUM_FF,
                                .directory = directories[i],
                                .name = names[i],
                                .directory_hash = directories[i][0] ? hash_name(directories[i]) : 0,
                                .name_hash = hash_name(names[i]),
                                .content_hash = 1 };
}

static const char *path_in_game(unsigned i)
{
    static char path[100];
    snprintf(path, sizeof path, "Scripts/Multiplayer/%s%s%s", directories[i],
             directories[i][0] ? "/" : "", names[i]);
    return path;
}

/* Waits for file `i`, checks its bytes and takes it over. */
static void receive_file(live *l, seat *s, unsigned i)
{
    uint8_t    expected[SIZE];
    sb_message m;
    sb_span    message = seat_find(l, s, 0x25);
    CHECK_EQ(sb_decode_message(message, NULL, &m, NULL), SB_OK);
    const sb_file_transfer *f = &m.as.file_transfer;
    CHECK_BYTES(f->name.data, f->name.size, path_in_game(i), strlen(path_in_game(i)));
    for (size_t k = 0; k < SIZE; k++) expected[k] = (uint8_t)(k * 7 + i);
    CHECK_BYTES(f->content.data, f->content.size, expected, SIZE);
    entries[i].content_hash = sb_hash_file(f->content, SB_FILE_HASH_RULE_DEFAULT);
}

static seat *connect_client(live *l, const char *name)
{
    seat *s = live_connect(l, name);
    for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS; i++) seat_answer_round(l, s, &own);
    return s;
}

static void finish_join(live *l, seat *s)
{
    EXPECT_HEARD(l, s, "28");
    (void)seat_find(l, s, 0x01);
    seat_say_hex(s, "2A 20");
    (void)seat_find(l, s, 0x35);
}

TEST(a_client_gets_the_files_joins_and_then_passes_the_checksums)
{
    make_mod();
    start_with_old_files();
    live *l = LIVE("--manifest", manifest_path, "--send-files", folder, "--log-json");
    seat *s = connect_client(l, "Kirk");
    for (unsigned i = 0; i < FILES; i++) {
        receive_file(l, s, i);
        seat_say_hex(s, "27");
    }
    finish_join(l, s);
    UNTIL(l, process_logged(&l->server, "\"event\":\"files-started\""));
    UNTIL(l, process_logged(&l->server, "Kirk gets 3 files, "));
    UNTIL(l, process_logged(&l->server, "Kirk has acknowledged 3 files, "));
    UNTIL(l, process_logged(&l->server, "\"event\":\"files-sent\""));
    /* The first fragment of the first file, as the transport sends it: number 5, 3 fragments. */
    CHECK(seat_tapped(s, "32 9C A1 05 00 00 03 25 19 00 53 63 72 69 70 74 73 2F 4D 75 6C 74 69 70 "
                         "6C 61 79 65 72 2F 41 2E 70 79 63 00 07 0E 15"));
    seat_leave(s);
    UNTIL(l, s->left);
    l->one_address = true;
    seat *again = connect_client(l, "Kirk");
    finish_join(l, again);
    CHECK_EQ(again->by_opcode[0x25], 0);
    remove_mod();
}

TEST(a_client_that_comes_back_goes_on_with_the_next_file)
{
    make_mod();
    start_with_old_files();
    live *l = LIVE("--manifest", manifest_path, "--send-files", folder);
    seat *s = connect_client(l, "Kirk");
    receive_file(l, s, 0);
    seat_say_hex(s, "27");
    (void)seat_find(l, s, 0x25); /* B has come and is not acknowledged */
    seat_leave(s);
    UNTIL(l, s->left);
    UNTIL(l, process_logged(&l->server, "Kirk leaves with 1 of 3 files"));
    l->one_address = true;
    start_with_old_files(); /* what was acknowledged does not come again, whatever is reported */
    seat *again = connect_client(l, "Kirk");
    receive_file(l, again, 1);
    seat_say_hex(again, "27");
    receive_file(l, again, 2);
    seat_say_hex(again, "27");
    finish_join(l, again);
    remove_mod();
}

TEST(a_reload_reads_the_folder_again)
{
    uint8_t bytes[SIZE];
    char    path[100];
    make_mod();
    start_with_old_files();
    path_of(1, path);
    unlink(path);
    live *l = LIVE("--manifest", manifest_path, "--send-files", folder);
    write_script(1, bytes);
    CHECK_EQ(kill(l->server.pid, SIGHUP), 0);
    UNTIL(l, process_logged(&l->server, "reloaded"));
    seat *s = connect_client(l, "Kirk");
    for (unsigned i = 0; i < FILES; i++) {
        receive_file(l, s, i);
        seat_say_hex(s, "27");
    }
    finish_join(l, s);
    FILE *f = fopen(path, "wb"); /* a wrong file: the old list stays */
    fclose(f);
    CHECK_EQ(kill(l->server.pid, SIGHUP), 0);
    UNTIL(l, process_logged(&l->server, "not reloaded: "));
    start_with_old_files();
    seat *other = connect_client(l, "Spock");
    receive_file(l, other, 0);
    remove_mod();
}
