/* tests/load/input_stream_test.c -- plain, packed, cut off and damaged inputs. */
#include "load/input_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "../test.h"

enum { TEXT_BYTES = 20000, PACKED_MAX = 65536, GZIP = 0, ZSTD = 1 };

static uint8_t text[TEXT_BYTES], packed[PACKED_MAX], got[PACKED_MAX];
static size_t  packed_size;

/* Bytes that compress to about a third, so that cuts fall everywhere. */
static void make_text(void)
{
    uint32_t state = 1;
    for (size_t i = 0; i < sizeof text; i++) {
        state = state * 1664525 + 1013904223;
        text[i] = (uint8_t)('a' + (state >> 24) % 6);
    }
}

static void pack_gzip(const uint8_t *bytes, size_t size)
{
    z_stream z = { .next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)size };
    CHECK_EQ(deflateInit2(&z, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_out = packed + packed_size;
    z.avail_out = (uInt)(sizeof packed - packed_size);
    CHECK_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
    packed_size += z.total_out;
    deflateEnd(&z);
}

static void pack_zstd(const uint8_t *bytes, size_t size)
{
    ZSTD_CCtx *c = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1); /* as the zstd program does */
    size_t count =
        ZSTD_compress2(c, packed + packed_size, sizeof packed - packed_size, bytes, size);
    CHECK(!ZSTD_isError(count));
    packed_size += count;
    ZSTD_freeCCtx(c);
}

static void pack(int how, const uint8_t *bytes, size_t size)
{
    if (how == GZIP) pack_gzip(bytes, size);
    else pack_zstd(bytes, size);
}

static void pack_text(int how)
{
    make_text();
    packed_size = 0;
    pack(how, text, sizeof text);
}

static sb_input *open_bytes(const void *bytes, size_t size)
{
    sb_input *input = sb_input_open(fmemopen((void *)(uintptr_t)bytes, size, "rb"));
    CHECK(input != NULL);
    return input;
}

/* Reads everything into `got`. `fault`, if not NULL, gets the fault or "". */
static size_t read_everything(sb_input *input, char *fault, size_t capacity)
{
    FILE *stream = sb_input_stream(input);
    CHECK(stream != NULL);
    size_t      size = fread(got, 1, sizeof got, stream);
    const char *why = sb_input_fault(input);
    CHECK_EQ(ferror(stream) != 0, why != NULL);
    if (fault) snprintf(fault, capacity, "%s", why ? why : "");
    fclose(stream);
    return size;
}

TEST(input_passes_plain_bytes_on)
{
    static const char *const rows[] = { "x", "1F8B", "\x1F\x8B", "\x28\xB5\x2F", "PK", "P*M", "(" };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sb_input *input = open_bytes(rows[i], strlen(rows[i]));
        CHECK(sb_input_packing(input) == NULL);
        size_t size = read_everything(input, NULL, 0);
        CHECK_BYTES(got, size, rows[i], strlen(rows[i]));
    }
}

TEST(input_unpacks_gzip_and_zstd_of_several_parts)
{
    static const char *const names[] = { "gzip", "zstd" };
    make_text();
    for (int how = GZIP; how <= ZSTD; how++) {
        char fault[256];
        packed_size = 0;
        pack(how, text, 7000);
        pack(how, text + 7000, 0);
        pack(how, text + 7000, sizeof text - 7000);
        sb_input *input = open_bytes(packed, packed_size);
        CHECK_TEXT(sb_input_packing(input), names[how]);
        size_t size = read_everything(input, fault, sizeof fault);
        CHECK_TEXT(fault, "");
        CHECK_BYTES(got, size, text, sizeof text);
    }
}

TEST(input_knows_zstd_behind_a_skippable_frame)
{
    static const uint8_t skipped[] = { 0x5A, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 'h', 'i' };
    make_text();
    memcpy(packed, skipped, sizeof skipped);
    packed_size = sizeof skipped;
    pack_zstd(text, sizeof text);
    sb_input *input = open_bytes(packed, packed_size);
    size_t    size = read_everything(input, NULL, 0);
    CHECK_BYTES(got, size, text, sizeof text);
}

TEST(input_peeks_without_consuming)
{
    for (int how = GZIP; how <= ZSTD; how++) {
        pack_text(how);
        sb_input *input = open_bytes(packed, packed_size);
        sb_span   head = sb_input_peek(input, 1);
        CHECK(head.size >= 1 && head.size <= SB_INPUT_PEEK_MAX);
        head = sb_input_peek(input, SB_INPUT_PEEK_MAX);
        CHECK_BYTES(head.data, head.size, text, SB_INPUT_PEEK_MAX);
        size_t size = read_everything(input, NULL, 0);
        CHECK_BYTES(got, size, text, sizeof text);
    }
}

TEST(input_says_how_far_a_cut_archive_is_sound)
{
    for (int how = GZIP; how <= ZSTD; how++) {
        pack_text(how);
        for (size_t cut = 5; cut < packed_size; cut += 37) {
            char   fault[256], wanted[256];
            size_t size = read_everything(open_bytes(packed, cut), fault, sizeof fault);
            CHECK(size <= sizeof text);
            CHECK_BYTES(got, size, text, size);
            snprintf(wanted, sizeof wanted,
                     "the %s data is cut off after byte %zu (%zu bytes unpacked)",
                     how == GZIP ? "gzip" : "zstd", cut, size);
            CHECK_TEXT(fault, wanted);
        }
    }
}

TEST(input_reports_damage_in_every_byte)
{
    for (int how = GZIP; how <= ZSTD; how++) {
        pack_text(how);
        for (size_t at = 4; at < packed_size; at += 29) {
            char fault[256];
            packed[at] ^= 0x55;
            size_t size = read_everything(open_bytes(packed, packed_size), fault, sizeof fault);
            bool   same = size == sizeof text && memcmp(got, text, size) == 0;
            if (fault[0] == '\0' && !same) FAIL("damage at %zu of %d is not reported", at, how);
            packed[at] ^= 0x55;
        }
        memset(packed + packed_size, 'x', 8); /* bytes behind the archive */
        packed_size += 8;
        char fault[256];
        CHECK_EQ(read_everything(open_bytes(packed, packed_size), fault, sizeof fault),
                 sizeof text);
        CHECK(strstr(fault, "data is damaged at byte") != NULL);
    }
}

/* 1 GB of zeros: only as much is unpacked as is asked for. */
TEST(input_unpacks_a_bomb_piece_by_piece)
{
    static uint8_t zeros[1 << 20], piece[1 << 16];
    ZSTD_CCtx     *c = ZSTD_createCCtx();
    ZSTD_outBuffer to = { packed, sizeof packed, 0 };
    for (int i = 0; i < 1024; i++) {
        ZSTD_inBuffer from = { zeros, sizeof zeros, 0 };
        while (from.pos < from.size)
            CHECK(!ZSTD_isError(ZSTD_compressStream2(c, &to, &from, ZSTD_e_continue)));
    }
    ZSTD_inBuffer none = { NULL, 0, 0 };
    CHECK_EQ(ZSTD_compressStream2(c, &to, &none, ZSTD_e_end), 0);
    ZSTD_freeCCtx(c);
    sb_input *input = open_bytes(packed, to.pos);
    FILE     *stream = sb_input_stream(input);
    uint64_t  total = 0;
    CHECK_EQ(sb_input_peek(input, 1).size <= SB_INPUT_PEEK_MAX, true);
    for (size_t count; (count = fread(piece, 1, sizeof piece, stream)) > 0;) total += count;
    CHECK_EQ(total, UINT64_C(1) << 30);
    CHECK(sb_input_fault(input) == NULL);
    fclose(stream);
}

TEST(input_refuses_a_zstd_window_above_its_bound)
{
    /* A frame header with a window of 2^31 bytes. */
    static const uint8_t frame[] = { 0x28, 0xB5, 0x2F, 0xFD, 0x00, 0xA8, 0x01, 0x00, 0x00 };
    char                 fault[256];
    CHECK_EQ(read_everything(open_bytes(frame, sizeof frame), fault, sizeof fault), 0);
    CHECK(strstr(fault, "damaged at byte") != NULL);
}

TEST(input_does_not_wait_for_bytes_it_does_not_need)
{
    int ends[2];
    CHECK_EQ(pipe(ends), 0);
    CHECK_EQ(write(ends[1], "13", 2), 2); /* the writer stays open */
    sb_input *input = sb_input_open(fdopen(ends[0], "rb"));
    sb_span   head = sb_input_peek(input, 1);
    CHECK_BYTES(head.data, head.size, "13", 2);
    close(ends[1]);
    sb_input_close(input);
}

TEST(input_reports_an_unreadable_file)
{
    sb_input *input = sb_input_open(fopen("/", "rb"));
    CHECK_EQ(sb_input_peek(input, 1).size, 0);
    CHECK_EQ(sb_input_errno(input), EISDIR);
    CHECK(sb_input_fault(input) != NULL);
    sb_input_close(input);
}

TEST(input_knows_position_and_size_of_a_file)
{
    char path[] = "/tmp/input-XXXXXX";
    int  descriptor = mkstemp(path);
    pack_text(GZIP);
    CHECK_EQ(write(descriptor, packed, packed_size), (ssize_t)packed_size);
    close(descriptor);
    sb_input *input = sb_input_open(fopen(path, "rb"));
    unlink(path);
    CHECK_EQ(sb_input_bytes(input), packed_size);
    CHECK_EQ(sb_input_position(input), 3);
    CHECK(sb_input_peek(input, SB_INPUT_PEEK_MAX).size == SB_INPUT_PEEK_MAX);
    CHECK_EQ(sb_input_position(input), packed_size);
    sb_input_close(input);
}
