/* tests/apps/encode_test.c -- the command `starbase encode`: files, exit codes, messages. */
#include "common/commands.h"
#include "inspect/json/line.h"

#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct outcome {
    int    code;
    char   out[1024], err[1024];
    size_t out_size;
} outcome;

static size_t read_file(const char *path, char *to, size_t capacity)
{
    FILE *file = fopen(path, "rb");
    CHECK(file);
    size_t size = fread(to, 1, capacity - 1, file);
    to[size] = '\0';
    fclose(file);
    return size;
}

/* Makes a file with this content and returns its name; `run` removes the file. */
static char *make_file(const char *content, size_t size)
{
    static char path[64];
    strcpy(path, "/tmp/starbase-encode-XXXXXX");
    int file = mkstemp(path);
    CHECK(file >= 0);
    CHECK_EQ(write(file, content, size), (long long)size);
    close(file);
    return path;
}

/* Runs `starbase encode -o FILE EXTRA INPUT`; stderr goes to a file as well. */
static outcome run(char *extra, char *input)
{
    char  out[] = "/tmp/starbase-out-XXXXXX", err[] = "/tmp/starbase-err-XXXXXX";
    char  name[] = "encode", output[] = "-o";
    int   out_file = mkstemp(out), err_file = mkstemp(err), kept = dup(STDERR_FILENO);
    char *argv[] = { name, output, out, input, extra, NULL };
    CHECK(out_file >= 0 && err_file >= 0 && kept >= 0);
    fflush(stderr);
    dup2(err_file, STDERR_FILENO);
    outcome o = { .code = sb_run_encode(extra ? 5 : 4, argv) };
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    o.out_size = read_file(out, o.out, sizeof o.out);
    (void)read_file(err, o.err, sizeof o.err);
    close(out_file), close(err_file), close(kept);
    unlink(out), unlink(err), unlink(input);
    return o;
}

static outcome run_text(char *extra, const char *text)
{
    return run(extra, make_file(text, strlen(text)));
}

TEST(each_line_becomes_a_line_of_hex)
{
    outcome o = run_text(NULL, "{\"name\":\"CHAT\",\"fields\":{\"sender\":2,\"text\":\"hello\"}}\n"
                               "\n  \r\n"
                               "{\"opcode\":1}");
    CHECK_EQ(o.code, SB_EXIT_FINE);
    CHECK_TEXT(o.out, "2C02000000050068656C6C6F\n01\n");
    CHECK_TEXT(o.err, "");
}

TEST(a_byte_order_mark_and_carriage_returns_are_skipped)
{
    outcome o = run_text(NULL, "\xEF\xBB\xBF{\"opcode\":1}\r\n{\"opcode\":57}\r\n");
    CHECK_EQ(o.code, SB_EXIT_FINE);
    CHECK_TEXT(o.out, "01\n39\n");
    o = run_text(NULL, "{\"opcode\":1}\n\xEF\xBB\xBF{\"opcode\":57}\n");
    CHECK_EQ(o.code, SB_EXIT_NEGATIVE);
}

TEST(a_refused_line_is_reported_and_the_others_are_encoded)
{
    outcome o =
        run_text(NULL, "{\"opcode\":1}\n{\"opcode\":1,\"fields\":{\"x\":1}}\n{\"opcode\":57}\n");
    CHECK_EQ(o.code, SB_EXIT_NEGATIVE);
    CHECK_TEXT(o.out, "01\n39\n");
    CHECK(strstr(o.err, "line 2: fields.x: no such field here\n"));
}

TEST(options_are_defaults_for_keys_a_line_lacks)
{
    char    binary[] = "--binary", akira[] = "--species=akira", host[] = "--from=host";
    outcome o = run_text(binary, "{\"opcode\":1}\n{\"opcode\":57}\n");
    CHECK_BYTES(o.out, o.out_size, "\x01\x39", 2);
    o = run_text(akira, "{\"opcode\":28,\"fields\":{\"start_index\":10,\"entries\":[{}]}}\n");
    CHECK_TEXT(o.out, "1C0000000000000000200AFF\n");
    o = run_text(host,
                 "{\"layer\":\"transport\",\"fields\":{\"type\":\"Connect\",\"peer_id\":2}}\n");
    CHECK_TEXT(o.out, "0306C0000002\n");
}

TEST(bad_usage_and_bad_lines_have_different_exit_codes)
{
    char moon[] = "--species=moon", nobody[] = "--from=nobody", wrong[] = "--wrong";
    char missing[] = "/nonexistent/file";
    CHECK_EQ(run_text(moon, "").code, SB_EXIT_USAGE);
    CHECK_EQ(run_text(nobody, "").code, SB_EXIT_USAGE);
    CHECK_EQ(run_text(wrong, "").code, SB_EXIT_USAGE);
    outcome o = run(NULL, missing);
    CHECK_EQ(o.code, SB_EXIT_USAGE);
    CHECK(strstr(o.err, "/nonexistent/file: No such file or directory\n"));
}

TEST(a_line_beyond_the_limit_is_refused_and_the_next_one_read)
{
    size_t size = SB_JSON_LINE_MAX + 1000;
    char  *text = malloc(size + 16);
    CHECK(text);
    memset(text, ' ', size);
    text[0] = '{';
    memcpy(text + size, "\n{\"opcode\":1}\n", 15);
    outcome o = run(NULL, make_file(text, size + 14));
    free(text);
    CHECK_EQ(o.code, SB_EXIT_NEGATIVE);
    CHECK_TEXT(o.out, "01\n");
    CHECK(strstr(o.err, "line 1: longer than 4194304 bytes\n"));
}
/* Like /dev/zero: zeros without a newline, 16 MiB of them and then a good line. */
TEST(a_file_with_an_endless_line_is_not_read_to_its_end)
{
    static const char line[] = "\n{\"opcode\":1}\n";
    for (size_t more = 0; more < 2; more++) {
        char *path = make_file("", 0);
        FILE *file = fopen(path, "rb+");
        CHECK(file && fseek(file, 4 * SB_JSON_LINE_MAX - 1 + (long)more, SEEK_SET) == 0);
        CHECK_EQ(fwrite(line, 1, sizeof line - 1, file), sizeof line - 1);
        fclose(file);
        outcome o = run(NULL, path);
        CHECK_EQ(o.code, more ? SB_EXIT_USAGE : SB_EXIT_NEGATIVE);
        CHECK_TEXT(o.out, more ? "" : "01\n");
        CHECK(strstr(o.err, more ? ": a line does not end; are these JSON lines?\n"
                                 : ": line 1: longer than 4194304 bytes\n"));
    }
}
