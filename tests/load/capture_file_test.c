/* tests/load/capture_file_test.c -- captures of every supported link type, complete and damaged. */
#include "load/capture_file.h"

#include <string.h>
#include <zstd.h>

#include "../test.h"
#include "base/bytes.h"
#include "base/random.h"

enum { ETHERNET = 1, RAW = 101, COOKED = 113, COOKED_2 = 276, NULL_LINK = 0, LOOP = 108 };

static uint8_t     file_bytes[8192];
static size_t      file_size;
static char        error[SB_CAPTURE_ERROR_MAX];
static sb_packet   packets[SB_CAPTURE_BATCH_MAX];
static sb_capture *capture;

static void append(const void *bytes, size_t size)
{
    CHECK(file_size + size <= sizeof file_bytes);
    memcpy(file_bytes + file_size, bytes, size);
    file_size += size;
}

static void append_u32(uint32_t value)
{
    uint8_t bytes[4];
    sb_store_u32(bytes, value);
    append(bytes, 4);
}

static void start_pcap(uint32_t link_type)
{
    file_size = 0;
    append_u32(0xA1B2C3D4u);
    append_u32(0x00040002);
    append_u32(0);
    append_u32(0);
    append_u32(65535);
    append_u32(link_type);
}

static void add_packet(const uint8_t *bytes, size_t size, size_t original_size)
{
    append_u32(1000);
    append_u32(250);
    append_u32((uint32_t)size);
    append_u32((uint32_t)original_size);
    append(bytes, size);
}

/* IPv4 and UDP from 10.0.0.2:4001 to 10.0.0.1:22101 with the payload "hi". */
#define IP_HEADER "45 00 00 1E 00 01 00 00 40 11 00 00 0A 00 00 02 0A 00 00 01"
#define UDP       "0F A1 56 55 00 0A 00 00 68 69"

static void add_hex(const char *hex)
{
    uint8_t bytes[256];
    size_t  size = test_hex(hex, bytes, sizeof bytes);
    add_packet(bytes, size, size);
}

static size_t read_all(uint16_t port)
{
    sb_capture_close(capture);
    capture = sb_capture_open_file(fmemopen(file_bytes, file_size, "rb"), port, error);
    if (!capture) FAIL("not opened: %s", error);
    return sb_capture_read_batch(capture, packets, SB_CAPTURE_BATCH_MAX);
}

static uint64_t skipped(sb_capture_skip reason)
{
    return sb_capture_counted(capture).skipped[reason];
}

static void check_packet(const sb_packet *p)
{
    CHECK_EQ(p->time_us, 1000000250);
    CHECK_EQ(p->source.address, 0x0A000002);
    CHECK_EQ(p->source.port, 4001);
    CHECK_EQ(p->destination.address, 0x0A000001);
    CHECK_EQ(p->destination.port, 22101);
    CHECK_BYTES(p->payload.data, p->payload.size, "hi", 2);
}

TEST(capture_reads_every_link_type_it_claims_to)
{
    static const struct {
        uint32_t    link_type;
        const char *header;
    } rows[] = {
        { ETHERNET, "02 00 00 00 00 01 02 00 00 00 00 02 08 00" },
        { ETHERNET, "02 00 00 00 00 01 02 00 00 00 00 02 81 00 00 07 08 00" },
        { ETHERNET, "02 00 00 00 00 01 02 00 00 00 00 02 88 A8 00 07 81 00 00 08 08 00" },
        { COOKED, "00 00 00 01 00 06 02 00 00 00 00 02 00 00 08 00" },
        { COOKED_2, "08 00 00 00 00 00 00 02 00 01 00 06 02 00 00 00 00 02 00 00" },
        { RAW, "" },
        { NULL_LINK, "02 00 00 00" },
        { LOOP, "00 00 00 02" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char hex[512];
        start_pcap(rows[i].link_type);
        snprintf(hex, sizeof hex, "%s " IP_HEADER " " UDP, rows[i].header);
        add_hex(hex);
        CHECK_EQ(read_all(22101), 1);
        check_packet(&packets[0]);
        CHECK_EQ(sb_capture_read_batch(capture, packets, 1), 0);
        CHECK(sb_capture_error(capture) == NULL);
    }
}

TEST(capture_ignores_the_padding_of_short_frames)
{
    start_pcap(RAW);
    add_hex(IP_HEADER " " UDP " 00 00 00 00 00 00");
    CHECK_EQ(read_all(0), 1);
    check_packet(&packets[0]);
}

TEST(capture_reads_pcapng)
{
    uint8_t packet[64];
    size_t  size = test_hex(IP_HEADER " " UDP, packet, sizeof packet);
    file_size = 0;
    append_u32(0x0A0D0D0A); /* section */
    append_u32(28);
    append_u32(0x1A2B3C4D);
    append_u32(1);
    append_u32(0xFFFFFFFF);
    append_u32(0xFFFFFFFF);
    append_u32(28);
    append_u32(1); /* interface */
    append_u32(20);
    append_u32(RAW);
    append_u32(65535);
    append_u32(20);
    append_u32(6); /* packet; microseconds since the epoch in two halves */
    append_u32(64);
    append_u32(0);
    append_u32((uint32_t)(1000000250u >> 31 >> 1));
    append_u32(1000000250u);
    append_u32((uint32_t)size);
    append_u32((uint32_t)size);
    append(packet, 32);
    append_u32(64);
    CHECK_EQ(size, 30);
    CHECK_EQ(read_all(22101), 1);
    check_packet(&packets[0]);
}

TEST(capture_counts_what_it_passes_over_by_reason)
{
    start_pcap(RAW);
    add_hex("60 00 00 00 00 00 11 40");                                          /* IPv6 */
    add_hex("45 00 00 1E 00 01 00 00 40 06 00 00 0A 00 00 02 0A 00 00 01 " UDP); /* TCP */
    add_hex("45 00 00 1E 00 01 20 00 40 11 00 00 0A 00 00 02 0A 00 00 01 " UDP); /* first part */
    add_hex("45 00 00 1E 00 01 00 08 40 11 00 00 0A 00 00 02 0A 00 00 01 " UDP); /* later part */
    add_hex("44 00 00 1E 00 01 00 00 40 11 00 00 0A 00 00 02 0A 00 00 01 " UDP); /* short IP */
    add_hex("45 00 00 10 00 01 00 00 40 11 00 00 0A 00 00 02 0A 00 00 01 " UDP); /* total */
    add_hex("45 00 00 1F 00 01 00 00 40 11 00 00 0A 00 00 02 0A 00 00 01 " UDP); /* beyond */
    add_hex(IP_HEADER " 0F A1 56 55 00 07 00 00 68 69");                         /* UDP length */
    add_hex(IP_HEADER " 0F A1 56 55 00 0B 00 00 68 69");
    add_hex(IP_HEADER " 0F A1 00 35 00 0A 00 00 68 69"); /* port 53 */
    add_hex(IP_HEADER " " UDP);
    CHECK_EQ(read_all(22101), 1);
    CHECK_EQ(skipped(SB_CAPTURE_NOT_IPV4), 1);
    CHECK_EQ(skipped(SB_CAPTURE_NOT_UDP), 1);
    CHECK_EQ(skipped(SB_CAPTURE_IP_FRAGMENT), 2);
    CHECK_EQ(skipped(SB_CAPTURE_BAD_LENGTH), 5);
    CHECK_EQ(skipped(SB_CAPTURE_OTHER_PORT), 1);
    CHECK_EQ(sb_capture_counted(capture).packets, 11);
    CHECK_EQ(sb_capture_counted(capture).accepted, 1);
    for (unsigned i = 0; i < SB_CAPTURE_SKIP_COUNT; i++)
        CHECK(strlen(sb_capture_skip_text((sb_capture_skip)i)) > 3);
}

TEST(capture_knows_a_packet_that_was_captured_in_part)
{
    uint8_t packet[64];
    size_t  size = test_hex(IP_HEADER " " UDP, packet, sizeof packet);
    start_pcap(RAW);
    for (size_t kept = 1; kept < size; kept++) add_packet(packet, kept, size);
    while (read_all(22101) > 0) FAIL("a part was taken for the whole");
    CHECK_EQ(skipped(SB_CAPTURE_CUT_OFF), size - 1);
}

TEST(capture_takes_any_port_when_asked_for_port_0)
{
    start_pcap(RAW);
    add_hex(IP_HEADER " 0F A1 00 35 00 0A 00 00 68 69");
    CHECK_EQ(read_all(22101), 0);
    CHECK_EQ(read_all(53), 1);
    CHECK_EQ(read_all(4001), 1);
    CHECK_EQ(read_all(0), 1);
}

TEST(capture_hands_out_batches_whose_payloads_stay)
{
    start_pcap(RAW);
    for (int i = 0; i < 40; i++) {
        char hex[256];
        snprintf(hex, sizeof hex, IP_HEADER " 0F A1 56 55 00 0A 00 00 68 %02X", i);
        add_hex(hex);
    }
    size_t seen = 0;
    for (size_t count = read_all(0); count > 0;
         count = sb_capture_read_batch(capture, packets, SB_CAPTURE_BATCH_MAX))
        for (size_t i = 0; i < count; i++) CHECK_EQ(packets[i].payload.data[1], seen++);
    CHECK_EQ(seen, 40);
}

TEST(capture_tells_where_a_broken_file_ends)
{
    start_pcap(RAW);
    add_hex(IP_HEADER " " UDP);
    add_hex(IP_HEADER " " UDP);
    file_size -= 5;
    CHECK_EQ(read_all(22101), 1);
    CHECK(sb_capture_error(capture) != NULL);
    CHECK_EQ(sb_capture_read_batch(capture, packets, 1), 0);
}

TEST(capture_refuses_what_is_none_or_not_supported)
{
    memcpy(file_bytes, "1C FF FF FF 3F and more text", 28);
    CHECK(sb_capture_open_file(fmemopen(file_bytes, 28, "rb"), 0, error) == NULL);
    CHECK(strlen(error) > 0);
    start_pcap(105); /* 802.11 */
    CHECK(sb_capture_open_file(fmemopen(file_bytes, file_size, "rb"), 0, error) == NULL);
    CHECK(strstr(error, "not supported") != NULL);
    CHECK(sb_capture_open("/no/such/file", 0, error) == NULL);
    CHECK(strstr(error, "No such file") != NULL);
}

TEST(capture_reads_packed_files)
{
    static uint8_t packed[4096];
    start_pcap(RAW);
    for (int i = 0; i < 3; i++) add_hex(IP_HEADER " " UDP);
    size_t size = ZSTD_compress(packed, sizeof packed, file_bytes, file_size, 1);
    CHECK(!ZSTD_isError(size));
    sb_capture_close(capture);
    capture = sb_capture_open_file(fmemopen(packed, size, "rb"), 0, error);
    CHECK_EQ(sb_capture_read_batch(capture, packets, SB_CAPTURE_BATCH_MAX), 3);
    check_packet(&packets[2]);
    CHECK(sb_capture_error(capture) == NULL);
    sb_capture_close(capture);
    capture = NULL;
    CHECK(sb_capture_open_file(fmemopen(packed, size - 1, "rb"), 0, error) == NULL);
    CHECK(strstr(error, "zstd data is cut off") != NULL);
}

/* The archive ends exactly behind a packet: libpcap sees a whole file, but its end is missing. */
TEST(capture_reports_an_archive_that_is_cut_behind_a_packet)
{
    static uint8_t packed[4096];
    ZSTD_CCtx     *c = ZSTD_createCCtx();
    start_pcap(RAW);
    add_hex(IP_HEADER " " UDP);
    ZSTD_inBuffer  from = { file_bytes, file_size, 0 };
    ZSTD_outBuffer to = { packed, sizeof packed, 0 };
    CHECK_EQ(ZSTD_compressStream2(c, &to, &from, ZSTD_e_flush), 0);
    ZSTD_freeCCtx(c);
    sb_capture_close(capture);
    capture = sb_capture_open_file(fmemopen(packed, to.pos, "rb"), 0, error);
    CHECK_EQ(sb_capture_read_batch(capture, packets, SB_CAPTURE_BATCH_MAX), 1);
    check_packet(&packets[0]);
    CHECK(strstr(sb_capture_error(capture), "cut off after byte") != NULL);
}

/* Gives the header of a capture, then zeros without end. */
static ssize_t read_endless(void *cookie, char *out, size_t size)
{
    size_t *at = cookie;
    size_t  count = file_size - *at < size ? file_size - *at : size;
    if (count == 0) {
        memset(out, 0, size);
        return (ssize_t)size;
    }
    memcpy(out, file_bytes + *at, count);
    *at += count;
    return (ssize_t)count;
}

/* An archive of a few kilobytes can unpack to gigabytes of empty packets: the caller must be able
 * to stop. */
TEST(capture_returns_while_it_skips_endless_packets)
{
    static const cookie_io_functions_t functions = { .read = read_endless };
    size_t                             at = 0;
    start_pcap(RAW);
    sb_capture_close(capture);
    capture = sb_capture_open_file(fopencookie(&at, "rb", functions), 0, error);
    for (uint64_t round = 1; round <= 3; round++) {
        CHECK_EQ(sb_capture_read_batch(capture, packets, SB_CAPTURE_BATCH_MAX), 0);
        CHECK(!sb_capture_has_ended(capture));
        CHECK_EQ(sb_capture_counted(capture).packets, round << 16);
    }
    sb_capture_close(capture);
    capture = NULL;
}

TEST(capture_is_known_by_its_first_bytes)
{
    CHECK(sb_capture_is_magic((sb_span){ (const uint8_t *)"\xD4\xC3\xB2\xA1", 4 }));
    CHECK(sb_capture_is_magic((sb_span){ (const uint8_t *)"\x0A\x0D\x0D\x0A", 4 }));
    CHECK(!sb_capture_is_magic((sb_span){ (const uint8_t *)"\x0A\x0D\x0D", 3 }));
    CHECK(!sb_capture_is_magic((sb_span){ (const uint8_t *)"\\status\\", 8 }));
}

TEST(capture_survives_noise_in_every_byte)
{
    sb_random random;
    sb_random_init(&random, 42);
    for (int round = 0; round < 3000; round++) {
        static const uint32_t links[] = { ETHERNET, RAW, COOKED, COOKED_2, NULL_LINK, LOOP };
        start_pcap(links[round % 6]);
        for (int i = 0; i < 4; i++)
            add_hex("02 00 00 00 00 01 02 00 00 00 00 02 81 00 00 07 08 00 " IP_HEADER " " UDP);
        for (int i = 0; i < 6; i++)
            file_bytes[24 + sb_random_below(&random, (uint32_t)file_size - 24)] =
                (uint8_t)sb_random_next(&random);
        sb_capture_close(capture);
        capture = sb_capture_open_file(fmemopen(file_bytes, file_size, "rb"), 0, error);
        if (!capture) continue;
        while (sb_capture_read_batch(capture, packets, 3) > 0) {
        }
    }
    sb_capture_close(capture);
    capture = NULL;
}
