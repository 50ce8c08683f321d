/* tests/server/files_test.c -- files for clients whose mission scripts differ. Spec 06 §5.4.
 *
 * For:      src/server/files.c. Rates: files_rate_test.c; new lists: files_reload_test.c.
 */
#include "mod_files.h"

#include "server/server_internal.h"

#include <string.h>

/* ---- which files ---- */

TEST(files_that_differ_are_sent_and_then_the_join_goes_on)
{
    mod  *m = make_mod(1);
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "BCD", "B");
    EXPECT_HEARD(r, s, /* Scripts/Multiplayer/A.pyc */
                 "25 19 00 53 63 72 69 70 74 73 2F 4D 75 6C 74 69 70 6C 61 79 65 72 2F 41 2E 70 79 "
                 "63 01 02 03 04");
    room_wait(r, 20 * SB_SECOND);
    EXPECT_QUIET(s); /* nothing before the acknowledgement */
    acknowledge_file(r, s);
    expect_file(r, s, m, 1);
    EXPECT_QUIET(s);
    acknowledge_file(r, s);
    expect_bundle(r, s);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_FILES_SENT), 2);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_FILE_BYTES),
             m->files[0].message.size + m->files[1].message.size);
    seat_say_hex(r, s, "2A 20");
    CHECK_EQ(sb_server_player_count(r->server), 1);
}

TEST(a_client_with_the_right_files_gets_none)
{
    mod  *m = make_mod(1);
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "ABCD", "");
    expect_bundle(r, s);
    CHECK_EQ(s->by_opcode[0x25], 0);
    CHECK_EQ(count_events_of(r, SB_SERVER_FILES_WITHHELD), 0);
    CHECK_EQ(sb_server_files_deadline(r->server), SB_TIME_NEVER);
}

TEST(a_room_without_files_sends_none)
{
    mod *m = make_mod(1);
    m->config.file_count = 0;
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "", "");
    expect_bundle(r, s);
}

TEST(a_missing_directory_needs_all_files_below_it)
{
    mod  *m = make_mod(1);
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "A", "");
    for (unsigned i = 1; i < MOD_FILES; i++) {
        expect_file(r, s, m, i);
        acknowledge_file(r, s);
    }
    expect_bundle(r, s);
    s = connect_with(r, m, "Spock", "ABC", "");
    expect_file(r, s, m, 3);
    acknowledge_file(r, s);
    expect_bundle(r, s);
}

TEST(a_missing_directory_needs_no_file_of_one_with_a_longer_name)
{
    mod *m = make_mod(1);
    m->files[1].directory = "Episode/Mission10";
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "ABC", "");
    expect_file(r, s, m, 3);
    acknowledge_file(r, s);
    expect_bundle(r, s);
}

TEST(a_client_without_any_file_gets_all)
{
    mod  *m = make_mod(1);
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "", "");
    for (unsigned i = 0; i < MOD_FILES; i++) {
        expect_file(r, s, m, i);
        acknowledge_file(r, s);
    }
    expect_bundle(r, s);
}

TEST(a_file_that_the_room_does_not_have_is_left_out)
{
    mod *m = make_mod(1);
    m->config.files = &m->files[1];
    m->config.file_count = 1;
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "CD", "");
    expect_file(r, s, m, 1);
    acknowledge_file(r, s);
    expect_bundle(r, s);
}

TEST(a_file_for_another_manifest_or_content_is_left_out)
{
    mod *m = make_mod(1);
    m->files[0].manifests = 2;
    m->files[1].content_hash++;
    m->files[2].directory = "Other";
    m->files[3].name_hash++;
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "ABCD", "ABCD");
    expect_bundle(r, s);
}

TEST(a_room_that_learns_or_does_not_check_sends_no_files)
{
    static const sb_checksum_mode modes[] = { SB_CHECKSUM_OFF, SB_CHECKSUM_LEARN };
    for (unsigned i = 0; i < 2; i++) {
        mod *m = make_mod(1);
        m->config.checksums = modes[i];
        room *r = room_open(&m->config);
        seat *s = connect_with(r, m, "Kirk", "", "");
        expect_bundle(r, s);
    }
}

/* A manifest entry beside those of the mod. */
static sb_manifest_file entry_of(uint8_t position, const char *directory, const char *name)
{
    return (sb_manifest_file){ .position = position,
                               .directory = directory,
                               .name = name,
                               .directory_hash = directory[0] ? mod_hash_of(directory) : 0,
                               .name_hash = mod_hash_of(name),
                               .content_hash = 77 };
}

TEST(differences_of_other_rounds_need_no_files)
{
    mod             *m = make_mod(1);
    sb_manifest_file entries[MOD_FILES + 1] = { entry_of(0, "", "App.pyc") };
    memcpy(entries + 1, m->entries, sizeof m->entries);
    m->manifest = (sb_manifest){ "mod", entries, MOD_FILES + 1 };
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "ABCD", ""); /* without App.pyc in round 0 */
    expect_bundle(r, s);
    CHECK(count_events_of(r, SB_SERVER_FILES_DIFFER) > 0);
}

TEST(a_file_that_the_client_has_too_much_needs_no_files)
{
    mod *m = make_mod(1);
    m->manifest.count = MOD_FILES - 1; /* without D, and so without its directory */
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "ABCD", "");
    expect_bundle(r, s);
    CHECK(count_events_of(r, SB_SERVER_FILES_DIFFER) > 0);
}

/* Two directories have the same last component, and one of them is missing. */
TEST(a_missing_directory_is_known_by_its_whole_path)
{
    mod             *m = make_mod(1);
    sb_manifest_file entries[MOD_FILES + 3];
    entries[0] = entry_of(2, "Other/Mission1", "E.pyc"); /* of another round */
    memcpy(entries + 1, m->entries, sizeof m->entries);
    entries[MOD_FILES + 1] = entry_of(SB_CHECKSUM_FF, "Episodf", "F.pyc");
    entries[MOD_FILES + 2] = entry_of(SB_CHECKSUM_FF, "Episodf/Mission1", "G.pyc");
    m->manifest = (sb_manifest){ "mod", entries, MOD_FILES + 3 };
    m->files[1].directory = "Episodf/Mission1";
    m->files[2].directory = "Other/Mission1";
    for (unsigned missing = 0; missing < 2; missing++) {
        sb_manifest_file  client[MOD_FILES + 3];
        sb_manifest       list = { "client", client, 0 };
        const char *const gone = missing ? "Episodf/Mission1" : "Episode/Mission1";
        for (size_t i = 0; i < MOD_FILES + 3; i++)
            if (strcmp(entries[i].directory, gone) != 0) client[list.count++] = entries[i];
        room *r = room_open(&m->config);
        seat *s = room_connect(r, "Kirk");
        for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS; i++) seat_answer_round(r, s, &list);
        expect_file(r, s, m, missing ? 1 : 3);
        acknowledge_file(r, s);
        expect_bundle(r, s);
    }
}

TEST(a_room_without_manifests_sends_files_of_vanilla)
{
    static sb_manifest_file entries[256];
    mod                    *m = make_mod(1);
    const sb_manifest      *vanilla = sb_vanilla_manifest();
    sb_manifest             client = { "client", entries, 0 };
    CHECK(vanilla->count <= 256);
    for (size_t i = 0; i < vanilla->count; i++)
        if (vanilla->files[i].position != SB_CHECKSUM_FF ||
            strcmp(vanilla->files[i].directory, "Episode/Mission1") != 0)
            entries[client.count++] = vanilla->files[i];
    CHECK(client.count < vanilla->count);
    m->config.manifest_count = 0;
    room *r = room_open(&m->config);
    seat *s = room_connect(r, "Kirk");
    for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS; i++) seat_answer_round(r, s, &client);
    expect_file(r, s, m, 3);
    acknowledge_file(r, s);
    expect_bundle(r, s);
}

TEST(the_files_of_the_closest_manifest_are_sent)
{
    mod               *m = make_mod(1), *other = make_mod(2);
    const sb_manifest *both[] = { &other->manifest, &m->manifest };
    m->config.manifests = both;
    m->config.manifest_count = 2;
    m->files[0].manifests = 1; /* of the other mod */
    for (unsigned i = 1; i < MOD_FILES; i++) m->files[i].manifests = 2;
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "ABCD", "AB");
    expect_file(r, s, m, 1);
    acknowledge_file(r, s);
    expect_bundle(r, s);
}

TEST(a_strict_room_sends_files_of_round_ff)
{
    mod *m = make_mod(1);
    m->config.checksums = SB_CHECKSUM_STRICT;
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "BCD", "");
    expect_file(r, s, m, 0);
    acknowledge_file(r, s);
    expect_bundle(r, s);
}

TEST(impossible_lists_of_files_are_refused)
{
    static sb_client_file many[SB_CLIENT_FILES_MAX + 1];
    mod                  *m = make_mod(1);
    CHECK(sb_server_bytes(&m->config) > 0);
    m->messages[0][0] = 0x26;
    CHECK_EQ(sb_server_bytes(&m->config), 0);
    m->messages[0][0] = 0x25;
    m->files[0].message.size = SB_PAYLOAD_MAX;
    CHECK(sb_server_bytes(&m->config) > 0);
    m->files[0].message.size = SB_PAYLOAD_MAX + 1;
    CHECK_EQ(sb_server_bytes(&m->config), 0);
    m->files[0].message.size = 0;
    CHECK_EQ(sb_server_bytes(&m->config), 0);
    m->files[0].message.size = 1;
    CHECK(sb_server_bytes(&m->config) > 0);
    m->files[MOD_FILES - 1].message.size = 0;
    CHECK_EQ(sb_server_bytes(&m->config), 0);
    m->config.file_count--;
    CHECK(sb_server_bytes(&m->config) > 0);
    m->config.files = NULL;
    CHECK_EQ(sb_server_bytes(&m->config), 0);
    m->config.file_count = 0;
    m->config.file_bytes_per_s = 0;
    CHECK(sb_server_bytes(&m->config) > 0);
    m = make_mod(1);
    m->config.file_bytes_per_s = 0;
    CHECK_EQ(sb_server_bytes(&m->config), 0);
    m->config.file_count = 1;
    CHECK_EQ(sb_server_bytes(&m->config), 0);
    m = make_mod(1);
    for (size_t i = 0; i < SB_CLIENT_FILES_MAX + 1; i++) many[i] = m->files[0];
    m->config.files = many;
    m->config.file_count = SB_CLIENT_FILES_MAX;
    CHECK(sb_server_bytes(&m->config) > 0);
    m->config.file_count++;
    CHECK_EQ(sb_server_bytes(&m->config), 0);
}

/* ---- acknowledgements ---- */

TEST(early_acknowledgements_are_counted_and_dropped)
{
    mod  *m = make_mod(1);
    room *r = room_open(&m->config);
    seat *s = room_connect(r, "Kirk");
    acknowledge_file(r, s); /* in round 0 */
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_FILE_ACK), 1);
    answer_rounds(r, s, m, "ABD", "");
    CHECK_EQ(s->by_opcode[0x25], 0); /* C has 60,000 bytes: the rest waits for the rate limit */
    for (unsigned i = 0; i < 200; i++) acknowledge_file(r, s);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_FILE_ACK), 201);
    expect_file(r, s, m, 2); /* complete all the same */
    seat_say_hex(r, s, "27 00");
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_MALFORMED), 1);
    room_step(r);
    EXPECT_QUIET(s);
    acknowledge_file(r, s);
    expect_bundle(r, s);
    acknowledge_file(r, s);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_FILE_ACK), 202);
    CHECK(!s->left);
}

TEST(a_second_answer_to_round_ff_starts_nothing_again)
{
    mod  *m = make_mod(1);
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "BCD", "");
    expect_file(r, s, m, 0);
    for (unsigned i = 0; i < 5; i++)
        seat_say_hex(r, s, "21 FF 40 D1 94 87"); /* a client without such files (spec 06 §5.2) */
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_UNEXPECTED_ROUND), 5);
    acknowledge_file(r, s);
    expect_bundle(r, s);
    CHECK_EQ(s->by_opcode[0x25], 1);
}

TEST(a_file_without_acknowledgement_ends_the_join_after_120_s)
{
    mod  *m = make_mod(1);
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "BCD", "");
    room_wait(r, 119 * SB_SECOND);
    CHECK(!s->left);
    room_wait(r, 2 * SB_SECOND);
    CHECK(seat_is_removed(r, s));
    const room_event *stopped = room_expect(r, SB_SERVER_FILES_STOPPED);
    CHECK_EQ(stopped->event.done, 0);
    CHECK_TEXT(stopped->text, mod_paths[0]);
    CHECK(strstr(room_expect(r, SB_SERVER_JOIN_FAILED)->text, "acknowledge a file") != NULL);
}

/* ---- reconnects ---- */

TEST(a_reconnect_goes_on_with_the_first_unacknowledged_file)
{
    mod  *m = make_mod(1);
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "", "");
    expect_file(r, s, m, 0);
    acknowledge_file(r, s);
    expect_file(r, s, m, 1);
    acknowledge_file(r, s);
    room_wait(r, 100000); /* in the middle of C */
    leave_room(r, s);
    const room_event *stopped = room_expect(r, SB_SERVER_FILES_STOPPED);
    CHECK_EQ(stopped->event.done, 2);
    CHECK_EQ(stopped->event.total, 4);
    seat *again = reconnect(r, s, "Kirk");
    answer_rounds(r, again, m, "", ""); /* whatever the client reports */
    CHECK_EQ(room_expect(r, SB_SERVER_FILES_STARTED)->event.total, 2);
    expect_file(r, again, m, 2);
    acknowledge_file(r, again);
    expect_file(r, again, m, 3);
    acknowledge_file(r, again);
    expect_bundle(r, again);
    leave_room(r, again);
    again = reconnect(r, again, "Kirk");
    answer_rounds(r, again, m, "", "");
    expect_bundle(r, again);
    CHECK(strstr(room_expect(r, SB_SERVER_FILES_WITHHELD)->text, "acknowledged") != NULL);
}

TEST(another_name_or_address_or_ten_minutes_start_anew)
{
    mod  *m = make_mod(1);
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "", "");
    expect_file(r, s, m, 0);
    acknowledge_file(r, s);
    leave_room(r, s);
    seat *other = reconnect(r, s, "Spock");
    answer_rounds(r, other, m, "", "");
    expect_file(r, other, m, 0);
    leave_room(r, other);
    other = connect_with(r, m, "Kirk", "", ""); /* another address */
    expect_file(r, other, m, 0);
    leave_room(r, other);
    other = reconnect(r, s, "Kirk");
    answer_rounds(r, other, m, "", "");
    expect_file(r, other, m, 1);
    leave_room(r, other);
    room_wait(r, 600 * SB_SECOND);
    other = reconnect(r, s, "Kirk");
    answer_rounds(r, other, m, "", "");
    expect_file(r, other, m, 0);
}

TEST(an_address_gets_every_file_once_per_player_in_ten_minutes)
{
    static const char *const names_used[] = { "K1", "K2", "K3", "K4" };
    mod                     *m = make_mod(1);
    uint64_t                 total = 0;
    m->config.transport.peers_per_ip = 2;
    for (unsigned i = 0; i < MOD_FILES; i++) total += m->files[i].message.size;
    room *r = room_open(&m->config);
    seat *s = NULL;
    for (unsigned i = 0; i < 2; i++) {
        s = s ? reconnect(r, s, names_used[i]) : room_connect(r, names_used[i]);
        answer_rounds(r, s, m, "", "");
        for (unsigned k = 0; k < MOD_FILES; k++) {
            expect_file(r, s, m, k);
            acknowledge_file(r, s);
        }
        leave_room(r, s);
    }
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_FILE_BYTES), 2 * total);
    s = reconnect(r, s, names_used[2]);
    answer_rounds(r, s, m, "", "");
    expect_bundle(r, s); /* the join goes on without the files */
    CHECK(strstr(room_expect(r, SB_SERVER_FILES_WITHHELD)->text, "10 minutes") != NULL);
    leave_room(r, s);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_FILE_BYTES), 2 * total);
    seat *other = connect_with(r, m, "Spock", "BCD", ""); /* another address */
    expect_file(r, other, m, 0);
    leave_room(r, other);
    room_wait(r, 600 * SB_SECOND);
    s = reconnect(r, s, names_used[3]);
    answer_rounds(r, s, m, "", "");
    expect_file(r, s, m, 0);
}

TEST(the_share_of_an_address_can_end_between_two_files)
{
    mod *m = make_mod(1);
    m->config.max_players = 1;
    m->config.files = &m->files[0]; /* A and B: the allowance is one of each */
    m->config.file_count = 2;
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "K1", "BCD", "");
    expect_file(r, s, m, 0);
    room_wait(r, 2 * SB_SECOND); /* its name comes again: the only seat is for proven peers */
    leave_room(r, s);
    s = reconnect(r, s, "K2");
    answer_rounds(r, s, m, "CD", "");
    expect_file(r, s, m, 0);
    acknowledge_file(r, s);
    expect_bundle(r, s);
    CHECK_EQ(s->by_opcode[0x25], 1);
    CHECK(room_expect(r, SB_SERVER_FILES_WITHHELD) != NULL);
}

/* ---- reports ---- */

TEST(progress_is_reported_at_most_every_five_seconds)
{
    mod *m = make_mod(1);
    m->config.file_bytes_per_s = 4096;
    room             *r = room_open(&m->config);
    seat             *s = connect_with(r, m, "Kirk", "ABD", "");
    const room_event *started = room_expect(r, SB_SERVER_FILES_STARTED);
    CHECK_EQ(started->event.total, 1);
    CHECK_EQ(started->event.value, (int64_t)m->files[2].message.size);
    room_wait(r, 11 * SB_SECOND);
    CHECK_EQ(count_events_of(r, SB_SERVER_FILES_PROGRESS), 2);
    const room_event *progress = room_expect(r, SB_SERVER_FILES_PROGRESS);
    CHECK_TEXT(progress->text, mod_paths[2]);
    CHECK_EQ(progress->event.done, 0);
    CHECK(progress->event.value >= 5 * 4096 - 406);
    room_wait(r, 20 * SB_SECOND);
    acknowledge_file(r, s);
    const room_event *sent = room_expect(r, SB_SERVER_FILES_SENT);
    CHECK_EQ(sent->event.done, 1);
    CHECK_EQ(sent->event.value, (int64_t)m->files[2].message.size);
    CHECK_EQ(count_events_of(r, SB_SERVER_FILES_STOPPED), 0);
}

TEST(a_progress_report_names_done_and_total_after_exactly_5_s)
{
    mod    *m = make_mod(1);
    room   *r = room_open(&m->config);
    seat   *s = connect_with(r, m, "Kirk", "C", "");
    int64_t bytes = (int64_t)(m->files[0].message.size + m->files[1].message.size);
    CHECK_EQ(room_expect(r, SB_SERVER_FILES_STARTED)->event.total, 3);
    room_wait(r, 5 * SB_SECOND - 1);
    acknowledge_file(r, s);
    CHECK_EQ(count_events_of(r, SB_SERVER_FILES_PROGRESS), 0);
    room_wait(r, 1);
    acknowledge_file(r, s);
    const room_event *progress = room_expect(r, SB_SERVER_FILES_PROGRESS);
    CHECK_EQ(progress->event.done, 2);
    CHECK_EQ(progress->event.total, 3);
    CHECK_EQ(progress->event.value, bytes);
    CHECK_TEXT(progress->text, mod_paths[1]);
    acknowledge_file(r, s);
    const room_event *sent = room_expect(r, SB_SERVER_FILES_SENT);
    CHECK_EQ(sent->event.done, 3);
    CHECK_EQ(sent->event.total, 3);
    CHECK_EQ(sent->event.value, bytes + (int64_t)m->files[3].message.size);
    CHECK_EQ(count_events_of(r, SB_SERVER_FILES_PROGRESS), 1);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_FILES_SENT), 3);
}

TEST(a_kick_during_a_file_is_reported_like_any_other_stop)
{
    mod  *m = make_mod(1);
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "BD", "");
    expect_file(r, s, m, 0);
    acknowledge_file(r, s);
    CHECK(sb_server_kick(r->server, r->now, s->id, (sb_span){ NULL, 0 }));
    const room_event *stopped = room_expect(r, SB_SERVER_FILES_STOPPED);
    CHECK_EQ(stopped->event.done, 1);
    CHECK_EQ(stopped->event.total, 2);
    CHECK_TEXT(stopped->text, mod_paths[2]);
    room_wait(r, 2 * SB_SECOND);
    CHECK_EQ(count_events_of(r, SB_SERVER_FILES_STOPPED), 1);
}
