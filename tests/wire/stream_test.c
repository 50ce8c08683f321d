/* tests/wire/stream_test.c -- reader and writer: bounds, sticky failures, bit groups. Spec 02. */
#include "base/random.h"
#include "test.h"
#include "wire/reader.h"
#include "wire/walk.h"
#include "wire/writer.h"

TEST(reader_stays_failed_after_the_first_missing_byte)
{
    static const uint8_t bytes[] = { 0x34, 0x12, 0xFF };
    sb_reader            r;
    sb_reader_init(&r, (sb_span){ bytes, sizeof bytes }, NULL);
    CHECK_EQ(sb_reader_read_u16(&r), 0x1234);
    CHECK_EQ(sb_reader_read_u16(&r), 0); /* one byte short */
    CHECK_EQ(sb_reader_read_u8(&r), 0);  /* a byte is left, but the reader has failed */
    CHECK_EQ(sb_reader_at(&r), 2);
    CHECK_EQ(sb_reader_finish(&r), SB_TRUNCATED);
}

TEST(reader_tells_bytes_left_over_from_an_exact_end)
{
    static const uint8_t bytes[] = { 1, 2 };
    sb_reader            r;
    sb_reader_init(&r, (sb_span){ bytes, 2 }, NULL);
    CHECK_EQ(sb_reader_read_u8(&r), 1);
    CHECK_EQ(sb_reader_finish(&r), SB_TRAILING);
    CHECK_EQ(sb_reader_read_u8(&r), 2);
    CHECK_EQ(sb_reader_finish(&r), SB_OK);
}

TEST(reader_refuses_numbers_that_are_not_finite_where_they_stand)
{
    static const uint8_t odd[][4] = {
        { 0, 0, 0xC0, 0x7F }, { 0, 0, 0x80, 0x7F }, { 0, 0, 0x80, 0xFF }, { 1, 0, 0x80, 0x7F }
    };
    for (size_t i = 0; i < 4; i++) {
        sb_reader r;
        sb_reader_init(&r, (sb_span){ odd[i], 4 }, NULL);
        CHECK(sb_reader_read_f32(&r) == 0);
        CHECK_EQ(sb_reader_finish(&r), SB_BAD_VALUE);
        CHECK_EQ(sb_reader_at(&r), 0);
    }
}

TEST(a_span_beyond_the_end_is_truncated_even_if_it_would_wrap)
{
    static const uint8_t bytes[] = { 1, 2, 3 };
    sb_reader            r;
    sb_reader_init(&r, (sb_span){ bytes, 3 }, NULL);
    CHECK_EQ(sb_reader_read_u8(&r), 1);
    CHECK_EQ(sb_reader_read_span(&r, SIZE_MAX).size, 0);
    CHECK_EQ(sb_reader_finish(&r), SB_TRUNCATED);
}

/* Spec 02 §4.5. */
/* WriteCString of scripts (spec 09 §1). */
TEST(an_lstr32_has_a_length_of_four_bytes)
{
    static const uint8_t wire[] = { 2, 0, 0, 0, 'h', 'i' }, long_one[] = { 3, 0, 0, 0, 'h', 'i' };
    uint8_t              out[8];
    sb_writer            w;
    sb_reader            r;
    sb_writer_init(&w, out, sizeof out);
    sb_write_text32(&w, (sb_span){ wire + 4, 2 });
    CHECK_BYTES(out, sb_writer_at(&w), wire, sizeof wire);
    sb_reader_init(&r, (sb_span){ wire, sizeof wire }, NULL);
    sb_span text = sb_read_text32(&r);
    CHECK_BYTES(text.data, text.size, "hi", 2);
    CHECK_EQ(sb_reader_finish(&r), SB_OK);
    sb_reader_init(&r, (sb_span){ long_one, sizeof long_one }, NULL);
    (void)sb_read_text32(&r);
    CHECK_EQ(sb_reader_finish(&r), SB_TRUNCATED);
}

/* EnterSet (spec 07 §7). */
TEST(the_length_of_an_lstr32_with_nul_counts_the_nul)
{
    static const uint8_t wire[] = { 3, 0, 0, 0, 'h', 'i', 0 };
    static const uint8_t bad[][7] = { { 2, 0, 0, 0, 'h', 'i', 0 }, { 0, 0, 0, 0, 0, 0, 0 } };
    uint8_t              out[8];
    sb_writer            w;
    sb_reader            r;
    sb_writer_init(&w, out, sizeof out);
    sb_write_text32z(&w, (sb_span){ wire + 4, 2 });
    CHECK_BYTES(out, sb_writer_at(&w), wire, sizeof wire);
    sb_reader_init(&r, (sb_span){ wire, sizeof wire }, NULL);
    sb_span text = sb_read_text32z(&r);
    CHECK_BYTES(text.data, text.size, "hi", 2);
    CHECK_EQ(sb_reader_finish(&r), SB_OK);
    for (size_t i = 0; i < 2; i++) {
        sb_reader_init(&r, (sb_span){ bad[i], sizeof bad[i] }, NULL);
        CHECK_EQ(sb_read_text32z(&r).size, 0);
        CHECK_EQ(sb_reader_finish(&r), SB_BAD_VALUE);
    }
    sb_reader_init(&r, (sb_span){ wire, sizeof wire - 1 }, NULL);
    CHECK_EQ(sb_read_text32z(&r).size, 0);
    CHECK_EQ(sb_reader_finish(&r), SB_TRUNCATED);
}

TEST(booleans_go_back_into_the_group_that_is_open)
{
    uint8_t   bytes[8];
    sb_writer w;
    sb_writer_init(&w, bytes, sizeof bytes);
    const bool first[] = { 1, 0, 1, 1, 0 };
    for (int i = 0; i < 5; i++) sb_writer_write_bit(&w, first[i]);
    sb_writer_write_u8(&w, 0xAA);
    sb_writer_write_bit(&w, 1);
    sb_writer_write_u16(&w, 0x1234);
    sb_writer_write_bit(&w, 0);
    static const uint8_t expected[] = { 0xAD, 0xAA, 0x41, 0x34, 0x12 };
    CHECK_EQ(sb_writer_finish(&w), SB_OK);
    CHECK_BYTES(bytes, sb_writer_at(&w), expected, sizeof expected);
}

TEST(the_reader_is_driven_by_the_count_in_the_group_byte)
{
    static const uint8_t bytes[] = { 0x41, 0xAA, 0x21 }; /* two booleans, a byte, a new group */
    uint8_t              groups[SB_GROUPS_MAX];
    sb_reader            r;
    sb_reader_init(&r, (sb_span){ bytes, 3 }, groups);
    CHECK_EQ(sb_reader_read_bit(&r), 1);
    CHECK_EQ(sb_reader_read_u8(&r), 0xAA);
    CHECK_EQ(sb_reader_read_bit(&r), 0);
    CHECK_EQ(sb_reader_read_bit(&r), 1);
    CHECK_EQ(sb_reader_finish(&r), SB_OK);
    CHECK(!sb_reader_groups_are_canonical(&r)); /* our writer would make one group of three */
}

TEST(group_count_0_is_one_boolean_and_6_or_7_is_malformed)
{
    uint8_t groups[SB_GROUPS_MAX];
    for (unsigned byte = 0; byte < 256; byte++) {
        uint8_t   one = (uint8_t)byte;
        sb_reader r;
        sb_reader_init(&r, (sb_span){ &one, 1 }, groups);
        bool bit = sb_reader_read_bit(&r);
        CHECK_EQ(r.status, byte >= 0xC0 ? SB_BAD_VALUE : SB_OK);
        if (byte < 0xC0) CHECK_EQ(bit, byte & 1);
        if (byte < 0x40) CHECK_EQ(r.group_left, 0); /* closed again after one */
        CHECK_EQ(sb_reader_groups_are_canonical(&r) && r.status == SB_OK,
                 byte == 0x20 || byte == 0x21);
    }
}

TEST(more_groups_than_any_message_has_are_refused)
{
    uint8_t   bytes[SB_GROUPS_MAX + 1], groups[SB_GROUPS_MAX];
    sb_reader r;
    memset(bytes, 0x20, sizeof bytes);
    sb_reader_init(&r, (sb_span){ bytes, sizeof bytes }, groups);
    for (int i = 0; i < SB_GROUPS_MAX; i++) (void)sb_reader_read_bit(&r);
    CHECK_EQ(r.status, SB_OK);
    (void)sb_reader_read_bit(&r);
    CHECK_EQ(r.status, SB_BAD_VALUE);
}

TEST(writer_never_writes_past_its_capacity)
{
    uint8_t   bytes[8];
    sb_writer w;
    memset(bytes, 0xA5, sizeof bytes);
    sb_writer_init(&w, bytes, 3);
    sb_writer_write_u16(&w, 1);
    sb_writer_write_u32(&w, 2); /* does not fit: nothing of it is written */
    sb_writer_write_u8(&w, 3);  /* would fit, but the writer has failed */
    sb_writer_write_bit(&w, 1);
    CHECK_EQ(sb_writer_finish(&w), SB_FULL);
    CHECK_EQ(sb_writer_at(&w), 2);
    for (int i = 2; i < 8; i++) CHECK_EQ(bytes[i], 0xA5);
}

/* Any mixture of booleans and bytes round-trips through a writer without a plan, as plain groups.
 */
TEST(random_mixtures_of_booleans_and_bytes_come_back)
{
    sb_random random;
    sb_random_init(&random, 7);
    for (int round = 0; round < 2000; round++) {
        uint8_t   bytes[128], groups[SB_GROUPS_MAX], values[60];
        bool      is_bit[60];
        unsigned  count = sb_random_below(&random, 60);
        sb_writer w;
        sb_writer_init(&w, bytes, sizeof bytes);
        for (unsigned i = 0; i < count; i++) {
            is_bit[i] = sb_random_below(&random, 2);
            values[i] =
                (uint8_t)(is_bit[i] ? sb_random_below(&random, 2) : sb_random_next(&random));
            if (is_bit[i]) sb_writer_write_bit(&w, values[i]);
            else sb_writer_write_u8(&w, values[i]);
        }
        sb_reader r;
        sb_reader_init(&r, (sb_span){ bytes, sb_writer_at(&w) }, groups);
        for (unsigned i = 0; i < count; i++)
            CHECK_EQ(is_bit[i] ? sb_reader_read_bit(&r) : sb_reader_read_u8(&r), values[i]);
        CHECK_EQ(sb_reader_finish(&r), SB_OK);
        CHECK(sb_reader_groups_are_canonical(&r));
    }
}

/* A writer with the sender's group bytes as its plan reproduces any grouping of the booleans. */
TEST(a_plan_reproduces_any_grouping)
{
    sb_random random;
    sb_random_init(&random, 8);
    for (int round = 0; round < 5000; round++) {
        uint8_t bytes[64], groups[SB_GROUPS_MAX], again[64];
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)sb_random_below(&random, 0xC0);
        bool      is_bit[40], bits[40];
        uint8_t   plain[40];
        sb_reader r;
        sb_reader_init(&r, (sb_span){ bytes, sizeof bytes }, groups);
        for (int i = 0; i < 30; i++) {
            is_bit[i] = sb_random_below(&random, 2);
            if (is_bit[i]) bits[i] = sb_reader_read_bit(&r);
            else plain[i] = sb_reader_read_u8(&r);
        }
        CHECK_EQ(r.status, SB_OK);
        sb_writer w;
        sb_writer_init(&w, again, sizeof again);
        w.plan = groups;
        w.plan_count = r.group_count;
        for (int i = 0; i < 30; i++) {
            if (is_bit[i]) sb_writer_write_bit(&w, bits[i]);
            else sb_writer_write_u8(&w, plain[i]);
        }
        CHECK_BYTES(again, sb_writer_at(&w), bytes, sb_reader_at(&r));
    }
}
