/* tests/load/client_files_test.c -- folders of files for clients: what is sent, and what is
 * refused. Spec 06 §5.4.
 *
 * For:      src/load/client_files.c.
 */
#include "load/client_files.h"

#include <starbase/hash.h>
#include <starbase/message.h>

#include "load/manifest_file.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define HEADING "round,directory,name,name_hash,content_hash,origin\n"

/* ---- folders ---- */

static char folder[64];

static const char *path_of(const char *name)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void remove_tree(const char *path)
{
    char command[700];
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    CHECK_EQ(system(command), 0);
}

static void open_folder(void)
{
    strcpy(folder, "/tmp/starbase-files-XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
}

static void write_bytes(const char *name, const void *bytes, size_t size)
{
    FILE *f = fopen(path_of(name), "wb");
    if (!f) FAIL("%s: %s", name, strerror(errno));
    CHECK_EQ(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static void write_text(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text));
}

static void make_directory(const char *name)
{
    CHECK_EQ(mkdir(path_of(name), 0700), 0);
}

/* ---- manifests ---- */

static uint32_t text_hash(const char *text)
{
    return sb_hash_file((sb_span){ (const uint8_t *)text, strlen(text) },
                        SB_FILE_HASH_RULE_DEFAULT);
}

static uint32_t name_hash(const char *name)
{
    return sb_hash_string((sb_span){ (const uint8_t *)name, strlen(name) });
}

/* Appends the line of a file of round FF with the content `text`. */
static void add_line(char *csv, const char *directory, const char *name, const char *text)
{
    sprintf(csv + strlen(csv), "255,%s,%s,0x%08X,0x%08X,wire\n", directory, name,
            (unsigned)name_hash(name), (unsigned)text_hash(text));
}

static const sb_manifest *load_manifest(sb_data *data, const char *csv)
{
    const sb_manifest *m = NULL;
    sb_data_source     source = { .name = "mod.csv", .text = csv, .size = strlen(csv) };
    sb_result          result = sb_data_load_manifest(data, source, &m);
    CHECK_TEXT(data->error, "");
    CHECK_EQ(result, SB_OK);
    return m;
}

/* A.pyc and Z.pyc above, Episode/B.pyc below; each content is the name. */
static const sb_manifest *mod_manifest(sb_data *data)
{
    char csv[1000] = HEADING;
    add_line(csv, "", "A.pyc", "content A");
    add_line(csv, "", "Z.pyc", "content Z");
    add_line(csv, "Episode", "B.pyc", "content B");
    return load_manifest(data, csv);
}

static sb_client_files load_one(sb_data *data, const sb_manifest *m)
{
    sb_client_files files = { 0 };
    sb_result       result = sb_data_load_client_files(data, folder, &m, 1, &files);
    CHECK_TEXT(data->error, "");
    CHECK_EQ(result, SB_OK);
    return files;
}

/* Fails the test unless the folder is refused with "FOLDER/place: reason". Removes the folder. */
static void check_refused(const char *place, const char *reason)
{
    sb_data            data = { 0 };
    const sb_manifest *m = mod_manifest(&data);
    sb_client_files    files = { 0 };
    char               expected[700];
    sb_result          result = sb_data_load_client_files(&data, folder, &m, 1, &files);
    snprintf(expected, sizeof expected, "%s%s%s: %s", folder, place[0] ? "/" : "", place, reason);
    sb_data_free(&data);
    remove_tree(folder);
    CHECK_TEXT(data.error, expected);
    CHECK(result == SB_BAD_VALUE || result == SB_OS_ERROR);
    CHECK(!files.files);
}

static void check_name_refused(const char *name, const char *reason)
{
    open_folder();
    write_text(name, "content A");
    check_refused(name, reason);
}

/* ---- accepted folders ---- */

TEST(a_folder_becomes_messages_in_the_order_of_the_manifest)
{
    sb_data data = { 0 };
    open_folder();
    make_directory("Episode");
    write_text("Episode/B.pyc", "content B");
    write_text("Z.pyc", "content Z");
    write_text("A.pyc", "content A");
    sb_client_files f = load_one(&data, mod_manifest(&data));
    remove_tree(folder);
    CHECK_EQ(f.count, 3);
    CHECK_TEXT(f.files[0].path, "Scripts/Multiplayer/A.pyc");
    CHECK_TEXT(f.files[1].path, "Scripts/Multiplayer/Z.pyc");
    CHECK_TEXT(f.files[2].path, "Scripts/Multiplayer/Episode/B.pyc");
    CHECK_TEXT(f.files[2].directory, "Episode");
    CHECK_EQ(f.files[2].name_hash, name_hash("B.pyc"));
    CHECK_EQ(f.files[2].content_hash, text_hash("content B"));
    CHECK_EQ(f.files[2].manifests, 1);
    static const char expected[] = "\x25\x19\0Scripts/Multiplayer/A.pyccontent A";
    CHECK_BYTES(f.files[0].message.data, f.files[0].message.size, expected, sizeof expected - 1);
    sb_data_free(&data);
}

TEST(a_folder_may_hold_the_folders_of_the_game)
{
    sb_data data = { 0 };
    open_folder();
    make_directory("Scripts");
    make_directory("Scripts/Multiplayer");
    make_directory("Scripts/Multiplayer/Episode");
    write_text("Scripts/Multiplayer/Episode/B.pyc", "content B");
    sb_client_files f = load_one(&data, mod_manifest(&data));
    remove_tree(folder);
    CHECK_EQ(f.count, 1);
    CHECK_TEXT(f.files[0].path, "Scripts/Multiplayer/Episode/B.pyc");
    sb_data_free(&data);
}

/* A learned manifest has hashes for names that vanilla 1.1 does not have. */
TEST(a_learned_manifest_without_names_is_matched_by_hashes)
{
    sb_data data = { 0 };
    char    csv[1000] = HEADING;
    sprintf(csv + strlen(csv), "255,?%08X,,0x%08X,0x%08X,wire\n", (unsigned)name_hash("Mine"),
            (unsigned)name_hash("New.pyc"), (unsigned)text_hash("fresh"));
    open_folder();
    make_directory("Mine");
    write_text("Mine/New.pyc", "fresh");
    sb_client_files f = load_one(&data, load_manifest(&data, csv));
    remove_tree(folder);
    CHECK_EQ(f.count, 1);
    CHECK_TEXT(f.files[0].path, "Scripts/Multiplayer/Mine/New.pyc");
    CHECK_EQ(f.files[0].directory[0], '?'); /* what a difference will name */
    sb_data_free(&data);
}

TEST(each_manifest_with_the_file_has_a_bit_or_a_row)
{
    sb_data         data = { 0 };
    char            same[500] = HEADING, other[500] = HEADING;
    sb_client_files f = { 0 };
    add_line(same, "", "A.pyc", "content A");
    add_line(other, "", "A.pyc", "another A");
    const sb_manifest *list[] = { load_manifest(&data, other), mod_manifest(&data),
                                  load_manifest(&data, same) };
    open_folder();
    write_text("A.pyc", "content A");
    CHECK_EQ(sb_data_load_client_files(&data, folder, list, 3, &f), SB_OK);
    remove_tree(folder);
    CHECK_EQ(f.count, 1);
    CHECK_EQ(f.files[0].manifests, 6);
    sb_data_free(&data);
}

/* The rule for the last one to three bytes of a file is not settled (spec 06 §6.2). */
TEST(the_tail_of_a_file_may_be_hashed_by_another_rule)
{
    static const char text[] = "content \x11\x22\x33";
    sb_data           data = { 0 };
    char              csv[500] = HEADING;
    uint32_t          rule_a =
        sb_hash_file((sb_span){ (const uint8_t *)text, sizeof text - 1 }, SB_FILE_HASH_RULE_A);
    CHECK(rule_a != text_hash(text));
    sprintf(csv + strlen(csv), "255,,A.pyc,0x%08X,0x%08X,wire\n", (unsigned)name_hash("A.pyc"),
            (unsigned)rule_a);
    open_folder();
    write_text("A.pyc", text);
    CHECK_EQ(load_one(&data, load_manifest(&data, csv)).count, 1);
    remove_tree(folder);
    sb_data_free(&data);
}

static size_t big_limit(void)
{
    return SB_CLIENT_FILE_MESSAGE_MAX - 3 - strlen("Scripts/Multiplayer/A.pyc");
}

static sb_result load_big(sb_data *data, size_t size, sb_client_files *out)
{
    char     csv[500] = HEADING;
    uint8_t *bytes = calloc(1, size);
    uint32_t hash = sb_hash_file((sb_span){ bytes, size }, SB_FILE_HASH_RULE_DEFAULT);
    sprintf(csv + strlen(csv), "255,,A.pyc,0x%08X,0x%08X,wire\n", (unsigned)name_hash("A.pyc"),
            (unsigned)hash);
    const sb_manifest *m = load_manifest(data, csv);
    open_folder();
    write_bytes("A.pyc", bytes, size);
    sb_result result = sb_data_load_client_files(data, folder, &m, 1, out);
    remove_tree(folder);
    free(bytes);
    return result;
}

TEST(the_longest_file_fits_into_one_message)
{
    sb_data         data = { 0 };
    sb_client_files f = { 0 };
    CHECK_EQ(load_big(&data, big_limit(), &f), SB_OK);
    CHECK_EQ(f.files[0].message.size, SB_CLIENT_FILE_MESSAGE_MAX);
    CHECK_EQ(load_big(&data, big_limit() + 1, &f), SB_BAD_VALUE);
    CHECK(strstr(data.error, "A.pyc: is longer than 103501 bytes") != NULL);
    sb_data_free(&data);
}

/* ---- refused folders ---- */

TEST(a_file_that_no_manifest_names_is_refused)
{
    open_folder();
    write_text("C.pyc", "content A");
    check_refused("C.pyc", "is in no manifest: remove it, or learn a manifest with it (key learn)");
    open_folder(); /* right name, wrong directory */
    make_directory("Episode");
    write_text("Episode/A.pyc", "content A");
    check_refused("Episode/A.pyc",
                  "is in no manifest: remove it, or learn a manifest with it (key learn)");
    open_folder();
    write_text("B.pyc", "content B");
    check_refused("B.pyc", "is in no manifest: remove it, or learn a manifest with it (key learn)");
}

TEST(a_file_of_another_round_is_refused)
{
    sb_data            data = { 0 };
    sb_client_files    files = { 0 };
    char               csv[500] = HEADING;
    const sb_manifest *m;
    sprintf(csv + strlen(csv), "0,,App.pyc,0x%08X,0x%08X,wire\n", (unsigned)name_hash("App.pyc"),
            (unsigned)text_hash("app"));
    m = load_manifest(&data, csv);
    open_folder();
    write_text("App.pyc", "app");
    CHECK_EQ(sb_data_load_client_files(&data, folder, &m, 1, &files), SB_BAD_VALUE);
    remove_tree(folder);
    sb_data_free(&data);
}

TEST(a_file_with_another_content_is_refused)
{
    char reason[200];
    open_folder();
    write_text("A.pyc", "Content A");
    snprintf(reason, sizeof reason,
             "has the hash %08X, but the manifest mod says %08X: a client with this file would "
             "still differ",
             (unsigned)text_hash("Content A"), (unsigned)text_hash("content A"));
    check_refused("A.pyc", reason);
}

TEST(case_tricks_are_refused)
{
    open_folder();
    write_text("a.pyc", "content A");
    check_refused("a.pyc", "is in no manifest, but A.pyc is: upper and lower case must match");
    open_folder();
    make_directory("episode");
    write_text("episode/B.pyc", "content B");
    check_refused("episode/B.pyc",
                  "is in no manifest, but Episode/B.pyc is: upper and lower case must match");
    open_folder();
    write_text("A.pyc", "content A");
    write_text("a.pyc", "content A");
    check_refused("a.pyc", "and A.pyc differ only in case: Windows takes them for one file");
    open_folder();
    write_text("A.PYC", "content A");
    check_refused("A.PYC", "is no .pyc file: clients report, and servers send, only those");
    open_folder();
    make_directory("scripts");
    make_directory("scripts/multiplayer");
    write_text("scripts/multiplayer/A.pyc", "content A");
    check_refused("scripts/multiplayer/A.pyc",
                  "is in no manifest: remove it, or learn a manifest with it (key learn)");
}

TEST(links_are_refused_wherever_they_point)
{
    static const char reason[] = "is a symbolic link: put the file itself there";
    open_folder();
    CHECK_EQ(symlink("/etc/passwd", path_of("A.pyc")), 0);
    check_refused("A.pyc", reason);
    open_folder();
    CHECK_EQ(symlink("..", path_of("Episode")), 0);
    check_refused("Episode", reason);
    open_folder(); /* even to a file of the folder */
    write_text("A.pyc", "content A");
    CHECK_EQ(symlink("A.pyc", path_of("Z.pyc")), 0);
    check_refused("Z.pyc", reason);
    open_folder();
    CHECK_EQ(symlink("nowhere", path_of("A.pyc")), 0);
    check_refused("A.pyc", reason);
}

TEST(pipes_and_sockets_are_refused_without_waiting)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    open_folder();
    CHECK_EQ(mkfifo(path_of("A.pyc"), 0600), 0);
    check_refused("A.pyc", "is no regular file");
    open_folder();
    int s = socket(AF_UNIX, SOCK_DGRAM, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s/A.pyc", folder);
    CHECK_EQ(bind(s, (const struct sockaddr *)&address, sizeof address), 0);
    close(s);
    check_refused("A.pyc", "is no regular file");
}

TEST(names_that_windows_reads_otherwise_are_refused)
{
    static const char special[] = "has a name with a character that Windows treats specially";
    static const char left_out[] = "has a name with a dot or space that Windows leaves out";
    static const char device[] = "has the name of a Windows device";
    check_name_refused("..\\..\\A.pyc", special);
    check_name_refused("C:A.pyc", special);
    check_name_refused("A.pyc:stream", special);
    check_name_refused("A*.pyc", special);
    check_name_refused("?12345678.pyc", special);
    check_name_refused("A.pyc.", left_out);
    check_name_refused("A.pyc ", left_out);
    check_name_refused(" A.pyc", left_out);
    check_name_refused("...", left_out);
    check_name_refused("nul.pyc", device);
    check_name_refused("COM1.pyc", device);
    check_name_refused("Aux", device);
    check_name_refused("\xC3\x84.pyc", "has a name with characters other than ASCII");
}

TEST(names_that_only_begin_like_a_device_are_no_devices)
{
    static const char unknown[] =
        "is in no manifest: remove it, or learn a manifest with it (key learn)";
    check_name_refused("Console.pyc", unknown);
    check_name_refused("COM.pyc", unknown);
    check_name_refused("COMx.pyc", unknown);
    check_name_refused("lpt12.pyc", unknown);
}

TEST(other_files_are_refused)
{
    static const char reason[] = "is no .pyc file: clients report, and servers send, only those";
    check_name_refused("README.txt", reason);
    check_name_refused(".htaccess", reason);
    check_name_refused("A.pyc~", reason);
    check_name_refused(".pyc", reason);
}

TEST(a_file_in_both_layouts_is_refused)
{
    open_folder();
    write_text("A.pyc", "content A");
    make_directory("Scripts");
    make_directory("Scripts/Multiplayer");
    write_text("Scripts/Multiplayer/A.pyc", "content A");
    check_refused("Scripts/Multiplayer/A.pyc",
                  "is in the folder twice: as Scripts/Multiplayer/A.pyc, too");
}

TEST(an_empty_or_missing_folder_is_refused)
{
    open_folder();
    check_refused("", "holds no file");
    open_folder();
    make_directory("Episode");
    check_refused("", "holds no file");
    open_folder();
    remove_tree(folder);
    check_refused("", "No such file or directory");
    open_folder();
    remove_tree(folder);
    FILE *f = fopen(folder, "w");
    fclose(f);
    check_refused("", "Not a directory");
}

TEST(a_folder_with_too_many_entries_or_levels_is_refused)
{
    char name[300] = "d";
    open_folder();
    for (unsigned i = 0; i <= SB_CLIENT_FILES_ENTRIES_MAX; i++) {
        snprintf(name, sizeof name, "d%u", i);
        make_directory(name);
    }
    check_refused("", "holds more than 4096 files and directories");
    open_folder();
    strcpy(name, "d");
    for (unsigned i = 0; i < 11; i++) {
        make_directory(name);
        if (i < 10) strcat(name, "/d");
    }
    check_refused(name, "lies more than 8 directories deep");
}

/* 600 files, and files of more than 16 MiB together. */
static void check_too_many(unsigned count, size_t size, const char *reason)
{
    static char csv[1 << 17];
    static char content[100000];
    char        name[32];
    sb_data     data = { 0 };
    uint32_t    hash = sb_hash_file((sb_span){ (uint8_t *)content, size }, SB_FILE_HASH_RULE_B);
    strcpy(csv, HEADING);
    open_folder();
    for (unsigned i = 0; i < count; i++) {
        snprintf(name, sizeof name, "F%03u.pyc", i);
        write_bytes(name, content, size);
        sprintf(csv + strlen(csv), "255,,%s,0x%08X,0x%08X,wire\n", name, (unsigned)name_hash(name),
                (unsigned)hash);
    }
    const sb_manifest *m = load_manifest(&data, csv);
    sb_client_files    files = { 0 };
    CHECK_EQ(sb_data_load_client_files(&data, folder, &m, 1, &files), SB_BAD_VALUE);
    remove_tree(folder);
    sb_data_free(&data);
    CHECK(strstr(data.error, reason) != NULL);
}

TEST(a_folder_with_too_many_files_or_bytes_is_refused)
{
    check_too_many(513, 8, "F512.pyc: is one file too many: a folder may hold 512");
    check_too_many(170, 100000, "is one file too many: a folder may hold 16 MiB");
}
