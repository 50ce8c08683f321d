/* tests/inspect/kinds_test.c -- every kind of field has a text, numbers and names. */
#include "inspect/kinds.h"

#include "inspect/value_numbers.h"
#include "inspect/value_text.h"
#include "test.h"

static bool has_value(sb_kind kind)
{
    return kind != SB_KIND_GROUP && kind != SB_KIND_LIST;
}

static size_t count_numbers(sb_kind kind, sb_part part)
{
    static const uint8_t bytes[] = { 0x41, 0x00, 0x00, 0x00 };
    sb_field             field = { .name = "x", .kind = kind };
    sb_value             value = { .bytes = { bytes, sizeof bytes } };
    double               numbers[SB_VALUE_NUMBERS_MAX];
    return sb_value_numbers(&field, &value, part, numbers);
}

TEST(every_kind_with_a_value_has_a_text)
{
    static const uint8_t bytes[] = { 0x41, 0x00, 0x00, 0x00 };
    for (int kind = 0; kind < SB_KIND_COUNT; kind++) {
        if (!has_value((sb_kind)kind)) continue;
        char     buffer[256];
        sb_text  brief = { buffer, sizeof buffer, 0 };
        sb_field field = { .name = "x", .kind = (sb_kind)kind };
        sb_value value = { .bytes = { bytes, sizeof bytes } };
        sb_text_add_value(&brief, &field, &value, SB_DETAIL_BRIEF);
        CHECK(brief.size > 0);
        sb_text full = { buffer, sizeof buffer, 0 };
        sb_text_add_value(&full, &field, &value, SB_DETAIL_FULL);
        CHECK(full.size >= brief.size);
    }
}

TEST(kinds_have_as_many_numbers_as_their_value_has_parts)
{
    CHECK_EQ(count_numbers(SB_KIND_U8, SB_PART_ALL), 1);
    CHECK_EQ(count_numbers(SB_KIND_VEC3, SB_PART_ALL), 3);
    CHECK_EQ(count_numbers(SB_KIND_QUAT, SB_PART_ALL), 4);
    CHECK_EQ(count_numbers(SB_KIND_RATIOS, SB_PART_ALL), 4);
    CHECK_EQ(count_numbers(SB_KIND_CV4, SB_PART_VALUE), 3);
    CHECK_EQ(count_numbers(SB_KIND_CV4, SB_PART_CODE), 4);
    CHECK_EQ(count_numbers(SB_KIND_CV4F, SB_PART_CODE), 3);
    CHECK_EQ(count_numbers(SB_KIND_TEXT8, SB_PART_ALL), 0);
    CHECK_EQ(count_numbers(SB_KIND_BYTES, SB_PART_ALL), 0);
}

TEST(only_vectors_have_coordinates_and_only_cv4_a_magnitude)
{
    CHECK_EQ(count_numbers(SB_KIND_POSITION, SB_PART_X), 1);
    CHECK_EQ(count_numbers(SB_KIND_POSITION, SB_PART_W), 0);
    CHECK_EQ(count_numbers(SB_KIND_QUAT, SB_PART_W), 1);
    CHECK_EQ(count_numbers(SB_KIND_U8, SB_PART_X), 0);
    CHECK_EQ(count_numbers(SB_KIND_RATIOS, SB_PART_X), 0);
    CHECK_EQ(count_numbers(SB_KIND_CV3, SB_PART_MAGNITUDE), 0);
    CHECK_EQ(count_numbers(SB_KIND_CV4, SB_PART_MAGNITUDE), 1);
    CHECK_EQ(count_numbers(SB_KIND_CV4F, SB_PART_MAGNITUDE), 1);
    CHECK_EQ(count_numbers(SB_KIND_CV4B, SB_PART_MAGNITUDE), 1);
}

TEST(kinds_have_names_and_published_names)
{
    for (int kind = 0; kind < SB_KIND_COUNT; kind++)
        CHECK((sb_kind_name((sb_kind)kind)[0] == '\0') == (kind == SB_KIND_NOTE));
    CHECK_TEXT(sb_kind_published(SB_KIND_CF16), "CompressedFloat16");
    CHECK(!sb_kind_published(SB_KIND_U8));
    CHECK(sb_kind_is_long(SB_KIND_TEXT8));
    CHECK(!sb_kind_is_long(SB_KIND_CF16));
}
