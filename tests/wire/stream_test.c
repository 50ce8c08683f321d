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

/* ---- limits of texts and coordinates ---- */

TEST(a_text_is_as_long_as_its_length_can_say)
{
    static uint8_t data[0x10000], out[0x10004];
    static const struct {
        void (*write)(sb_writer *w, sb_span v);
        size_t    size;
        sb_result result; /* SB_FULL: only the buffer is too small */
    } rows[] = {
        { sb_write_text8, 0xFF, SB_OK },
        { sb_write_text8, 0x100, SB_BAD_VALUE },
        { sb_write_text16, 0xFFFF, SB_OK },
        { sb_write_text16, 0x10000, SB_BAD_VALUE },
        { sb_write_text32, 0x10000, SB_OK },
        { sb_write_text32, 0x7FFFFFFF, SB_FULL },
        { sb_write_text32, 0x80000000, SB_BAD_VALUE },
        { sb_write_text32z, 0xFFFF, SB_OK },
        { sb_write_text32z, 0x10000, SB_FULL },
        { sb_write_text32z, 0x7FFFFFFE, SB_FULL },
        { sb_write_text32z, 0x7FFFFFFF, SB_BAD_VALUE },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sb_writer w;
        sb_writer_init(&w, out, sizeof out);
        rows[i].write(&w, (sb_span){ data, rows[i].size });
        CHECK_EQ(sb_writer_finish(&w), rows[i].result);
    }
}

/* Spec 12 #4. */
TEST(coordinates_end_at_ten_million)
{
    static const struct {
        float value;
        bool  allowed;
    } rows[] = { { 1e7f, true }, { -1e7f, true }, { 10000001.0f, false }, { -10000001.0f, false } };
    for (size_t i = 0; i < 4; i++)
        for (int axis = 0; axis < 3; axis++) {
            uint8_t bytes[12] = { 0 }, out[12];
            sb_vec3 v = { axis == 0 ? rows[i].value : 0, axis == 1 ? rows[i].value : 0,
                          axis == 2 ? rows[i].value : 0 };
            sb_reader r;
            sb_writer w;
            sb_store_u32(bytes + 4 * axis, sb_float_bits(rows[i].value));
            sb_reader_init(&r, (sb_span){ bytes, 12 }, NULL);
            (void)sb_read_position(&r);
            CHECK_EQ(r.status, rows[i].allowed ? SB_OK : SB_BAD_VALUE);
            sb_writer_init(&w, out, 12);
            sb_write_position(&w, v);
            CHECK_EQ(w.status, rows[i].allowed ? SB_OK : SB_BAD_VALUE);
            if (rows[i].allowed) CHECK_BYTES(out, 12, bytes, 12);
        }
}

TEST(utf16_ends_behind_its_terminator_or_at_the_end)
{
    static const struct {
        uint8_t bytes[8];
        size_t  size, text;
    } rows[] = {
        { { 0 }, 0, 0 },
        { { 'a' }, 1, 1 },
        { { 0, 0 }, 2, 2 },
        { { 'a', 0, 0, 0, 'b' }, 5, 4 },
        { { 'a', 0, 0, 0 }, 3, 3 },       /* half a terminator */
        { { 'a', 0, 0, 1, 0, 0 }, 6, 6 }, /* 00 00 begins in the middle of a unit */
        { { 'a', 0, 'b', 0 }, 4, 4 },     /* none */
        { { 0, 1, 1, 0, 0, 0, 9 }, 7, 6 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sb_reader r;
        sb_reader_init(&r, (sb_span){ rows[i].bytes, rows[i].size }, NULL);
        CHECK_EQ(sb_read_utf16(&r).size, rows[i].text);
        CHECK_EQ(r.status, SB_OK);
        CHECK_EQ(r.left, rows[i].size - rows[i].text);
    }
}

TEST(up_to_16_bytes_are_copied_and_no_other_is_touched)
{
    for (size_t count = 0; count <= 16; count++) {
        uint8_t from[16], to[18], expected[18];
        for (size_t i = 0; i < 16; i++) from[i] = (uint8_t)(i + 1);
        memset(to, 0xA5, sizeof to);
        memset(expected, 0xA5, sizeof expected);
        memcpy(expected + 1, from, count);
        sb_copy_few(to + 1, from, count);
        CHECK_BYTES(to, sizeof to, expected, sizeof expected);
    }
}

/* ---- more about groups ---- */

/* Inside an entry of a StateUpdate: spec 12 #3. */
TEST(a_strict_group_has_1_to_5_booleans)
{
    uint8_t groups[SB_GROUPS_MAX];
    for (unsigned byte = 0; byte < 256; byte++) {
        uint8_t   one = (uint8_t)byte;
        sb_reader r;
        sb_reader_init(&r, (sb_span){ &one, 1 }, groups);
        bool bit = sb_reader_read_group_bit(&r, true);
        bool allowed = byte >= 0x20 && byte < 0xC0;
        CHECK_EQ(r.status, allowed ? SB_OK : SB_BAD_VALUE);
        CHECK_EQ(bit, allowed && (byte & 1));
        if (allowed) CHECK_EQ(r.group_left, (byte >> 5) - 1);
    }
}

TEST(canonical_groups_are_full_except_for_the_last)
{
    static const struct {
        uint8_t  groups[3];
        size_t   count;
        unsigned booleans; /* that are read */
        bool     canonical;
    } rows[] = {
        { { 0 }, 0, 0, true },
        { { 0x20 }, 1, 1, true },
        { { 0x22 }, 1, 1, false }, /* a bit above the count */
        { { 0x00 }, 1, 1, false }, /* a count of 0 */
        { { 0x40 }, 1, 1, false }, /* a boolean that nobody reads */
        { { 0x43 }, 1, 2, true },
        { { 0x44 }, 1, 2, false },
        { { 0x9F }, 1, 4, false },
        { { 0x8F }, 1, 4, true },
        { { 0xBF }, 1, 5, true },
        { { 0xBF, 0x21 }, 2, 6, true },
        { { 0x8F, 0x21 }, 2, 5, false }, /* the first is not full */
        { { 0xBF, 0x22 }, 2, 6, false },
        { { 0xBF, 0xBF, 0x20 }, 3, 11, true },
        { { 0x8F, 0xBF, 0x20 }, 3, 10, false },
        { { 0xBF, 0x8F, 0x20 }, 3, 10, false },
        { { 0xBF, 0xBF, 0x00 }, 3, 11, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t   groups[SB_GROUPS_MAX];
        sb_reader r;
        sb_reader_init(&r, (sb_span){ rows[i].groups, rows[i].count }, groups);
        for (unsigned k = 0; k < rows[i].booleans; k++) (void)sb_reader_read_bit(&r);
        CHECK_EQ(sb_reader_finish(&r), SB_OK);
        CHECK_EQ(sb_reader_groups_are_canonical(&r), rows[i].canonical);
    }
}

TEST(a_reader_returns_to_its_mark_and_forgets_failures)
{
    static const uint8_t bytes[] = { 0x65, 0xAA, 0x21, 0xBB };
    uint8_t              groups[SB_GROUPS_MAX];
    sb_reader            r;
    sb_reader_init(&r, (sb_span){ bytes, 4 }, groups);
    CHECK_EQ(sb_reader_read_bit(&r), 1);
    sb_reader_mark mark = sb_reader_marked(&r);
    for (int round = 0; round < 3; round++) {
        CHECK_EQ(sb_reader_at(&r), 1);
        CHECK_EQ(r.left, 3);
        CHECK_EQ(r.group_byte - r.data, 0);
        CHECK_EQ(sb_reader_read_bit(&r), 0);
        CHECK_EQ(sb_reader_read_bit(&r), 1);
        CHECK_EQ(sb_reader_read_u8(&r), 0xAA);
        CHECK_EQ(sb_reader_read_bit(&r), 1); /* opens another group */
        CHECK_EQ(r.group_byte - r.data, 2);
        CHECK_EQ(r.group_count, 2);
        (void)sb_reader_read_u16(&r); /* fails */
        CHECK_EQ(r.status, SB_TRUNCATED);
        sb_reader_return(&r, &mark);
        CHECK_EQ(r.status, SB_OK);
        CHECK_EQ(r.group_count, 1);
    }
}

TEST(what_is_missing_reads_as_zero)
{
    static const uint8_t ones[3] = { 1, 1, 1 };
    sb_reader            r;
    sb_reader_init(&r, (sb_span){ ones, 3 }, NULL);
    CHECK_EQ(sb_read_address(&r), 0);
    sb_reader_init(&r, (sb_span){ ones, 3 }, NULL);
    CHECK_EQ(sb_reader_read_u32(&r), 0);
    sb_reader_init(&r, (sb_span){ ones, 3 }, NULL);
    CHECK(sb_reader_read_f32(&r) == 0);
    sb_reader_init(&r, (sb_span){ ones, 2 }, NULL);
    sb_cv3 direction = sb_read_cv3(&r);
    CHECK_EQ(direction.x | direction.y | direction.z, 0);
    sb_reader_init(&r, (sb_span){ ones, 1 }, NULL);
    CHECK_EQ(sb_reader_read_u16(&r), 0);
    sb_reader_init(&r, (sb_span){ NULL, 0 }, NULL);
    CHECK_EQ(sb_reader_read_u8(&r), 0);
    CHECK(!sb_reader_read_bit(&r));
    CHECK_EQ(sb_reader_read_span(&r, 1).size, 0);
    static const uint8_t stray[] = { 0x22, 0xC1 }; /* one boolean, a stray bit, a bad group */
    uint8_t              groups[SB_GROUPS_MAX];
    for (size_t size = 1; size <= 2; size++) {
        sb_reader_init(&r, (sb_span){ stray, size }, groups);
        CHECK(!sb_reader_read_bit(&r));
        CHECK(!sb_reader_read_bit(&r));
        CHECK_EQ(r.status, size == 1 ? SB_TRUNCATED : SB_BAD_VALUE);
    }
}

static void ignore_value(void *self, const sb_field *f, const sb_value *v, size_t at, size_t size)
{
    (void)self, (void)f, (void)v, (void)at, (void)size;
}

static void ignore_bracket(void *self, const sb_field *f)
{
    (void)self, (void)f;
}

/* Lists of at most three items. */
TEST(a_count_beyond_its_list_is_refused_and_counts_nothing)
{
    static const sb_field narrow = { .name = "n", .kind = SB_KIND_U8 };
    static const sb_field wide = { .name = "n", .kind = SB_KIND_U16 };
    static const sb_field list = { .name = "xs", .kind = SB_KIND_LIST };
    static const struct {
        const sb_field *count;
        uint8_t         bytes[2];
        size_t          size, read; /* items */
        sb_result       result;
    } rows[] = {
        { &narrow, { 3 }, 1, 3, SB_OK },         { &narrow, { 4 }, 1, 0, SB_BAD_VALUE },
        { &narrow, { 0 }, 0, 0, SB_TRUNCATED },  { &wide, { 3, 0 }, 2, 3, SB_OK },
        { &wide, { 2, 1 }, 2, 0, SB_BAD_VALUE }, { &wide, { 3 }, 1, 0, SB_TRUNCATED },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sb_walk w = { 0 };
        uint8_t out[2];
        size_t  count = 9;
        sb_reader_init(&w.r, (sb_span){ rows[i].bytes, rows[i].size }, NULL);
        sb_walk_count(&w, SB_READ, rows[i].count, &list, &count, 3);
        CHECK_EQ(w.r.status, rows[i].result);
        CHECK_EQ(count, rows[i].read);
        static const sb_sink sink = { NULL, ignore_value, ignore_bracket, ignore_bracket };
        sb_walk              shows = { .sink = &sink };
        count = 9;
        sb_reader_init(&shows.r, (sb_span){ rows[i].bytes, rows[i].size }, NULL);
        sb_walk_count(&shows, SB_SLOW, rows[i].count, &list, &count, 3);
        CHECK_EQ(shows.r.status, rows[i].result);
        CHECK_EQ(count, rows[i].read);
        if (rows[i].result == SB_TRUNCATED) continue;
        count = rows[i].result == SB_OK ? 3 : 4;
        sb_writer_init(&w.w, out, sizeof out);
        sb_walk_count(&w, SB_WRITE, rows[i].count, &list, &count, 3);
        CHECK_EQ(w.w.status, rows[i].result);
        CHECK_EQ(count, rows[i].read);
        if (count > 0) CHECK_BYTES(out, sb_writer_at(&w.w), rows[i].bytes, rows[i].size);
    }
}

TEST(readers_and_writers_start_anew_in_any_memory)
{
    static const uint8_t wire[] = { 0x41, 0xAA };
    uint8_t              out[2], groups[SB_GROUPS_MAX];
    sb_writer            w;
    sb_reader            r;
    memset(&w, 0xEE, sizeof w);
    memset(&r, 0xEE, sizeof r);
    sb_writer_init(&w, out, sizeof out);
    sb_writer_write_bit(&w, true);
    sb_writer_write_u8(&w, 0xAA);
    sb_writer_write_bit(&w, false);
    CHECK_EQ(sb_writer_finish(&w), SB_OK);
    CHECK_BYTES(out, sb_writer_at(&w), wire, sizeof wire);
    sb_reader_init(&r, (sb_span){ wire, sizeof wire }, groups);
    CHECK_EQ(sb_reader_read_bit(&r), 1);
    CHECK_EQ(sb_reader_read_u8(&r), 0xAA);
    CHECK_EQ(sb_reader_read_bit(&r), 0);
    CHECK_EQ(sb_reader_finish(&r), SB_OK);
    CHECK(sb_reader_groups_are_canonical(&r));
}

TEST(the_first_failure_is_kept)
{
    uint8_t   bytes[4] = { 0 };
    sb_reader r;
    sb_writer w;
    sb_reader_init(&r, (sb_span){ bytes, 4 }, NULL);
    sb_reader_fail(&r, SB_BAD_VALUE);
    CHECK_EQ(sb_reader_read_u8(&r), 0);
    sb_reader_fail(&r, SB_TRAILING);
    CHECK_EQ(sb_reader_finish(&r), SB_BAD_VALUE);
    sb_writer_init(&w, bytes, 4);
    sb_writer_fail(&w, SB_BAD_VALUE);
    sb_writer_write_u8(&w, 1);
    CHECK_EQ(sb_writer_finish(&w), SB_BAD_VALUE);
    CHECK_EQ(sb_writer_at(&w), 0);
    sb_reader_init(&r, (sb_span){ NULL, 0 }, NULL);
    CHECK_EQ(sb_reader_at(&r), 0);
    CHECK_EQ(sb_reader_read_rest(&r).size, 0);
    CHECK_EQ(sb_reader_finish(&r), SB_OK);
    sb_writer_init(&w, NULL, 0);
    CHECK_EQ(sb_writer_at(&w), 0);
}

TEST(numbers_that_are_not_finite_are_not_written)
{
    static const uint32_t odd[] = { 0x7FC00000, 0x7F800000, 0xFF800000, 0x7F800001 };
    for (size_t i = 0; i < 4; i++) {
        uint8_t   bytes[8];
        sb_writer w;
        sb_writer_init(&w, bytes, sizeof bytes);
        sb_writer_write_f32(&w, sb_bits_float(odd[i]));
        CHECK_EQ(sb_writer_finish(&w), SB_BAD_VALUE);
        CHECK_EQ(sb_writer_at(&w), 0);
    }
}
