/* tests/store/entry_test.c -- entries as lines of the queue and the spool. */
#include "store/entry.h"

#include <stdio.h>
#include <string.h>

#include "store_rig.h"
#include "test.h"

static sb_result decode_text(const char *line, sb_store_entry *out)
{
    return sb_store_entry_decode(line, strlen(line), out);
}

TEST(every_type_comes_back_from_its_line_unchanged)
{
    for (unsigned i = 0; i < SB_STORE_ENTRY_TYPES; i++) {
        char           line[SB_STORE_ENTRY_LINE_MAX];
        sb_store_entry entry = rig_full_entry((sb_store_entry_type)i, 'x'), back;
        size_t         size = sb_store_entry_encode(&entry, line);
        CHECK_EQ(line[size - 1], '\n');
        CHECK_EQ(sb_store_entry_decode(line, size - 1, &back), SB_OK);
        CHECK_BYTES(&back, sizeof back, &entry, sizeof entry);
    }
}

/* Escapes double the size of a text; nothing may be left out. */
TEST(the_longest_entry_of_escapes_fits_into_a_line)
{
    for (unsigned i = 0; i < SB_STORE_ENTRY_TYPES; i++) {
        char           line[SB_STORE_ENTRY_LINE_MAX];
        sb_store_entry entry = rig_full_entry((sb_store_entry_type)i, '\\'), back;
        size_t         size = sb_store_entry_encode(&entry, line);
        CHECK_EQ(sb_store_entry_decode(line, size - 1, &back), SB_OK);
        CHECK_BYTES(&back, sizeof back, &entry, sizeof entry);
    }
}

TEST(the_checksum_is_the_usual_crc_32)
{
    char           line[SB_STORE_ENTRY_LINE_MAX];
    sb_store_entry entry = { .type = SB_STORE_ENTRY_UNBAN };
    entry.u.unban = (sb_unban_entry){ 7, 1763521200000 };
    (void)sb_store_entry_encode(&entry, line);
    /* python3: "%08x" % zlib.crc32(b"unban\t7\t1763521200000") */
    CHECK_TEXT(line, "42aeb8d0 unban\t7\t1763521200000\n");
}

TEST(tabs_newlines_and_backslashes_survive)
{
    char           line[SB_STORE_ENTRY_LINE_MAX];
    sb_store_entry entry = rig_audit("console", "say a\tb\nc\\d"), back;
    size_t         size = sb_store_entry_encode(&entry, line);
    CHECK_EQ(strlen(line), size);
    CHECK(memchr(line, '\n', size - 1) == NULL);
    CHECK_EQ(sb_store_entry_decode(line, size - 1, &back), SB_OK);
    CHECK_TEXT(back.u.audit.command, "say a\tb\nc\\d");
}

TEST(control_characters_and_broken_utf8_become_question_marks)
{
    char           line[SB_STORE_ENTRY_LINE_MAX];
    sb_store_entry entry = rig_audit("a\x1b[2J", "caf\xc3\xa9 \xc3"), back;
    size_t         size = sb_store_entry_encode(&entry, line);
    CHECK_EQ(sb_store_entry_decode(line, size - 1, &back), SB_OK);
    CHECK_TEXT(back.u.audit.who, "a?[2J");
    CHECK_TEXT(back.u.audit.command, "caf\xc3\xa9 ?");
}

TEST(any_changed_or_missing_byte_is_refused)
{
    char           line[SB_STORE_ENTRY_LINE_MAX];
    sb_store_entry entry = rig_kill("0123456789abcdef-1", 3), back;
    size_t         size = sb_store_entry_encode(&entry, line) - 1;
    for (size_t i = 0; i < size; i++) {
        CHECK_EQ(sb_store_entry_decode(line, i, &back), SB_BAD_VALUE);
        line[i] ^= 1;
        CHECK_EQ(sb_store_entry_decode(line, size, &back), SB_BAD_VALUE);
        line[i] ^= 1;
    }
    CHECK_EQ(sb_store_entry_decode(line, size, &back), SB_OK);
}

TEST(a_number_of_another_form_or_out_of_range_is_refused)
{
    /* Each with the right checksum: only the form is wrong. */
    static const char *const lines[] = { "b6b92097 unban\t07\t1",
                                         "1185b950 unban\t-0\t1",
                                         "31a1f009 unban\t+7\t1",
                                         "ef418745 unban\t\t1",
                                         "ad5e49e8 unban\t-\t1",
                                         "86ffcf39 unban\t9223372036854775808\t1",
                                         "7945662c unban\t-9223372036854775809\t1",
                                         "355eb234 unban\t99999999999999999999999\t1",
                                         "5a9c02ff unban\t7",
                                         "eb3b5a9b unban\t7\t1\t2",
                                         "88f86fd2 unbans\t7\t1",
                                         "fd74d8f0 \t7\t1",
                                         "3207addb unban\t7 \t1" };
    sb_store_entry           back;
    CHECK_EQ(decode_text("33608537 unban\t-9223372036854775808\t9223372036854775807", &back),
             SB_OK);
    CHECK_EQ(back.u.unban.id, INT64_MIN);
    CHECK_EQ(back.u.unban.removed_ms, INT64_MAX);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        CHECK_EQ(decode_text(lines[i], &back), SB_BAD_VALUE);
}

TEST(only_states_of_what_still_runs_are_superseded)
{
    sb_store_entry running = rig_match("m", "running", 1, 5), over = rig_match("m", "over", 2, 6);
    sb_store_entry present = rig_player("m", 1, "Kirk", 2, 1), left = present, placed = present;
    sb_store_entry kill = rig_kill("m", 1);
    left.u.player.left_ms = 9;
    placed.u.player.place = 1;
    CHECK(sb_store_entry_is_superseded(&running));
    CHECK(sb_store_entry_is_superseded(&present));
    CHECK(!sb_store_entry_is_superseded(&over));
    CHECK(!sb_store_entry_is_superseded(&left));
    CHECK(!sb_store_entry_is_superseded(&placed));
    CHECK(!sb_store_entry_is_superseded(&kill));
    CHECK(!sb_store_entry_is_result(&running));
    CHECK(!sb_store_entry_is_result(&present));
    CHECK(sb_store_entry_is_result(&over));
    CHECK(sb_store_entry_is_result(&left));
    CHECK(sb_store_entry_is_result(&placed));
    CHECK(!sb_store_entry_is_result(&kill));
}
