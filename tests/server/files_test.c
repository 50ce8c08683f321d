/* tests/server/files_test.c -- files for clients whose mission scripts differ. Spec 06 §5.4.
 *
 * For:      src/server/files.c, file_memory.c.
 */
#include "rig.h"

#include <starbase/hash.h>

#include <string.h>

/* ---- a mod with four files ---- */

enum { FILES = 4, BIG = 60000 };

static const char *const directories[FILES] = { "", "Episode", "Episode", "Episode/Mission1" };
static const char *const names[FILES] = { "A.pyc", "B.pyc", "C.pyc", "D.pyc" };
static const char *const paths[FILES] = {
    "Scripts/Multiplayer/A.pyc",
    "Scripts/Multiplayer/Episode/B.pyc",
    "Scripts/Multiplayer/Episode/C.pyc",
    "Scripts/Multiplayer/Episode/Mission1/D.pyc",
};
static const size_t sizes[FILES] = { 4, 1000, BIG, 700 };

typedef struct mod {
    sb_manifest_file   entries[FILES];
    sb_manifest        manifest;
    const sb_manifest *list[1];
    sb_client_file     files[FILES];
    uint8_t            messages[FILES][BIG + 100];
    sb_server_config   config;
} mod;

static uint32_t hash_of(const char *text)
{
    const char *slash = strrchr(text, '/');
    if (slash) text = slash + 1;
    return sb_hash_string((sb_span){ (const uint8_t *)text, strlen(text) });
}

static void fill_file(mod *m, unsigned i, uint8_t mark)
{
    uint8_t *at = m->messages[i];
    size_t   name = strlen(paths[i]);
    *at++ = 0x25;
    *at++ = (uint8_t)name;
    *at++ = 0;
    memcpy(at, paths[i], name);
    at += name;
    for (size_t k = 0; k < sizes[i]; k++) at[k] = (uint8_t)(mark + k);
    uint32_t content = sb_hash_file((sb_span){ at, sizes[i] }, SB_FILE_HASH_RULE_DEFAULT);
    m->entries[i] = (sb_manifest_file){
        .position = SB_CHECKSUM_FF,
        .directory = directories[i],
        .name = names[i],
        .directory_hash = directories[i][0] ? hash_of(directories[i]) : 0,
        .name_hash = hash_of(names[i]),
        .content_hash = content,
    };
    m->files[i] =
        (sb_client_file){ 1,       directories[i], hash_of(names[i]),
                          content, paths[i],       { m->messages[i], 3 + name + sizes[i] } };
}

/* `mark` decides the contents. Lent until four more calls. */
static mod *make_mod(uint8_t mark)
{
    static mod      mods[4];
    static unsigned next;
    mod            *m = &mods[next++ % 4];
    for (unsigned i = 0; i < FILES; i++) fill_file(m, i, mark);
    m->manifest = (sb_manifest){ "mod", m->entries, FILES };
    m->list[0] = &m->manifest;
    sb_server_defaults(&m->config);
    m->config.manifests = m->list;
    m->config.manifest_count = 1;
    m->config.files = m->files;
    m->config.file_count = FILES;
    m->config.transport.peers_per_ip = 0;
    return m;
}

/* A client that has those of the mod's files whose letters are in `has`; the content of those in
 * `changed` is another. Lent until the next call. */
static const sb_manifest *client_files(const mod *m, const char *has, const char *changed)
{
    static sb_manifest_file entries[FILES];
    static sb_manifest      manifest;
    manifest = (sb_manifest){ "client", entries, 0 };
    for (unsigned i = 0; i < FILES; i++) {
        if (!strchr(has, names[i][0])) continue;
        entries[manifest.count] = m->entries[i];
        if (strchr(changed, names[i][0])) entries[manifest.count].content_hash ^= 0x80000000u;
        manifest.count++;
    }
    return &manifest;
}

static void answer_rounds(room *r, seat *s, const mod *m, const char *has, const char *changed)
{
    for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS; i++)
        seat_answer_round(r, s, client_files(m, has, changed));
}

static seat *connect_with(room *r, const mod *m, const char *name, const char *has,
                          const char *changed)
{
    seat *s = room_connect(r, name);
    answer_rounds(r, s, m, has, changed);
    return s;
}

/* Waits for the next file; fails the test unless it is file `i` of the mod, byte for byte. */
static void expect_file(room *r, seat *s, const mod *m, unsigned i)
{
    uint64_t before = s->by_opcode[0x25];
    for (unsigned k = 0; k < 100 && !seat_find(s, 0x25).size; k++) room_wait(r, 50000);
    CHECK(s->file_size > 0);
    CHECK(s->by_opcode[0x25] <= before + 1);
    CHECK_BYTES(s->file, s->file_size, m->files[i].message.data, m->files[i].message.size);
    s->file_size = 0;
}

static void acknowledge(room *r, seat *s)
{
    seat_say_hex(r, s, "27");
}

static void expect_bundle(room *r, seat *s)
{
    room_step(r);
    CHECK(seat_find(s, 0x28).size > 0);
    CHECK(seat_find(s, 0x00).size > 0);
    EXPECT_HEARD(r, s, "01");
    EXPECT_QUIET(s);
}

static void leave(room *r, seat *s)
{
    sb_transport_client_leave(s->client, r->now);
    room_step(r);
    CHECK(s->left);
    room_wait(r, 7 * SB_SECOND); /* the silence of an idle player (spec 01 §8.4) */
}

static sb_peer_info peer_of(const room *r, const seat *s)
{
    sb_player_view view;
    for (unsigned i = 0; sb_server_player(r->server, i, r->now, &view); i++)
        if (view.peer_id == s->id) return view.peer;
    FAIL("player %u is not there", s->id);
}

static unsigned count_events(const room *r, sb_server_event_type type)
{
    unsigned count = 0;
    for (size_t i = 0; i < r->event_count; i++) count += r->events[i].event.type == type;
    return count;
}

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
    acknowledge(r, s);
    expect_file(r, s, m, 1);
    EXPECT_QUIET(s);
    acknowledge(r, s);
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
    for (unsigned i = 1; i < FILES; i++) {
        expect_file(r, s, m, i);
        acknowledge(r, s);
    }
    expect_bundle(r, s);
    s = connect_with(r, m, "Spock", "ABC", "");
    expect_file(r, s, m, 3);
    acknowledge(r, s);
    expect_bundle(r, s);
}

TEST(a_missing_directory_needs_no_file_of_one_with_a_longer_name)
{
    mod *m = make_mod(1);
    m->files[1].directory = "Episode/Mission10";
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "ABC", "");
    expect_file(r, s, m, 3);
    acknowledge(r, s);
    expect_bundle(r, s);
}

TEST(a_client_without_any_file_gets_all)
{
    mod  *m = make_mod(1);
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "", "");
    for (unsigned i = 0; i < FILES; i++) {
        expect_file(r, s, m, i);
        acknowledge(r, s);
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
    acknowledge(r, s);
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

TEST(a_strict_room_sends_files_of_round_ff)
{
    mod *m = make_mod(1);
    m->config.checksums = SB_CHECKSUM_STRICT;
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "BCD", "");
    expect_file(r, s, m, 0);
    acknowledge(r, s);
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
    m->files[0].message.size = SB_PAYLOAD_MAX + 1;
    CHECK_EQ(sb_server_bytes(&m->config), 0);
    m->files[0].message.size = 0;
    CHECK_EQ(sb_server_bytes(&m->config), 0);
    m = make_mod(1);
    m->config.file_bytes_per_s = 0;
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
    acknowledge(r, s); /* in round 0 */
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_FILE_ACK), 1);
    answer_rounds(r, s, m, "ABD", "");
    CHECK_EQ(s->by_opcode[0x25], 0); /* C has 60,000 bytes: the rest waits for the rate limit */
    for (unsigned i = 0; i < 200; i++) acknowledge(r, s);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_FILE_ACK), 201);
    expect_file(r, s, m, 2); /* complete all the same */
    seat_say_hex(r, s, "27 00");
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_MALFORMED), 1);
    room_step(r);
    EXPECT_QUIET(s);
    acknowledge(r, s);
    expect_bundle(r, s);
    acknowledge(r, s);
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
    acknowledge(r, s);
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
    CHECK_TEXT(stopped->text, paths[0]);
    CHECK(strstr(room_expect(r, SB_SERVER_JOIN_FAILED)->text, "acknowledge a file") != NULL);
}

/* ---- limits ---- */

TEST(a_client_that_acknowledges_nothing_holds_16_fragments)
{
    mod  *m = make_mod(1);
    room *r = room_open(&m->config);
    seat *other = room_connect(r, "Spock");
    answer_rounds(r, other, m, "ABCD", "");
    seat *s = connect_with(r, m, "Kirk", "ABD", "");
    s->muted = true;
    room_wait(r, 20 * SB_SECOND);
    sb_peer_info info = peer_of(r, s);
    CHECK_EQ(info.unacknowledged + info.queued, 16);
    CHECK(info.cells <= 4 * 16);
    room_wait(r, 60 * SB_SECOND);
    CHECK(count_events(r, SB_SERVER_LEFT) == 1);
    CHECK(!other->left);
}

TEST(one_client_gets_at_most_64_kib_per_second)
{
    mod    *m = make_mod(1);
    room   *r = room_open(&m->config);
    seat   *s = connect_with(r, m, "Kirk", "ABD", "");
    sb_time start = r->now;
    while (s->by_opcode[0x25] == 0) room_wait(r, 1000);
    sb_time taken = r->now - start;
    CHECK(taken >= (sb_time)(BIG - 8192 - 500) * SB_SECOND / 65536);
    CHECK(taken <= (sb_time)(BIG - 8192 + 2000) * SB_SECOND / 65536);
}

TEST(all_clients_of_a_room_share_its_rate_in_equal_parts)
{
    mod *m = make_mod(1);
    m->config.file_bytes_per_s = 16384;
    room *r = room_open(&m->config);
    room_wait(r, SB_SECOND);
    seat *seats[3];
    for (unsigned i = 0; i < 3; i++) seats[i] = connect_with(r, m, "Kirk", "ABD", "");
    uint64_t before = COUNTED(r, SB_SERVER_COUNT_FILE_BYTES);
    CHECK(before <= 16384 / 4);
    room_wait(r, 5 * SB_SECOND);
    uint64_t sent = COUNTED(r, SB_SERVER_COUNT_FILE_BYTES) - before;
    CHECK(sent <= 5 * 16384 + 406);
    CHECK(sent >= 5 * 16384 - 3 * 406);
    while (seats[0]->by_opcode[0x25] == 0) room_wait(r, 10000);
    room_wait(r, SB_SECOND);
    for (unsigned i = 0; i < 3; i++) CHECK_EQ(seats[i]->by_opcode[0x25], 1);
}

/* ---- reconnects ---- */

/* The same player from another port. */
static seat *reconnect(room *r, const seat *before, const char *name)
{
    sb_endpoint address = before->address;
    address.port = (uint16_t)(address.port + 100 + r->seat_count);
    return room_connect_from(r, name, address);
}

TEST(a_reconnect_goes_on_with_the_first_unacknowledged_file)
{
    mod  *m = make_mod(1);
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "", "");
    expect_file(r, s, m, 0);
    acknowledge(r, s);
    expect_file(r, s, m, 1);
    acknowledge(r, s);
    room_wait(r, 100000); /* in the middle of C */
    leave(r, s);
    const room_event *stopped = room_expect(r, SB_SERVER_FILES_STOPPED);
    CHECK_EQ(stopped->event.done, 2);
    CHECK_EQ(stopped->event.total, 4);
    seat *again = reconnect(r, s, "Kirk");
    answer_rounds(r, again, m, "", ""); /* whatever the client reports */
    CHECK_EQ(room_expect(r, SB_SERVER_FILES_STARTED)->event.total, 2);
    expect_file(r, again, m, 2);
    acknowledge(r, again);
    expect_file(r, again, m, 3);
    acknowledge(r, again);
    expect_bundle(r, again);
    leave(r, again);
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
    acknowledge(r, s);
    leave(r, s);
    seat *other = reconnect(r, s, "Spock");
    answer_rounds(r, other, m, "", "");
    expect_file(r, other, m, 0);
    leave(r, other);
    other = connect_with(r, m, "Kirk", "", ""); /* another address */
    expect_file(r, other, m, 0);
    leave(r, other);
    other = reconnect(r, s, "Kirk");
    answer_rounds(r, other, m, "", "");
    expect_file(r, other, m, 1);
    leave(r, other);
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
    for (unsigned i = 0; i < FILES; i++) total += m->files[i].message.size;
    room *r = room_open(&m->config);
    seat *s = NULL;
    for (unsigned i = 0; i < 2; i++) {
        s = s ? reconnect(r, s, names_used[i]) : room_connect(r, names_used[i]);
        answer_rounds(r, s, m, "", "");
        for (unsigned k = 0; k < FILES; k++) {
            expect_file(r, s, m, k);
            acknowledge(r, s);
        }
        leave(r, s);
    }
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_FILE_BYTES), 2 * total);
    s = reconnect(r, s, names_used[2]);
    answer_rounds(r, s, m, "", "");
    expect_bundle(r, s); /* the join goes on without the files */
    CHECK(strstr(room_expect(r, SB_SERVER_FILES_WITHHELD)->text, "10 minutes") != NULL);
    leave(r, s);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_FILE_BYTES), 2 * total);
    seat *other = connect_with(r, m, "Spock", "BCD", ""); /* another address */
    expect_file(r, other, m, 0);
    leave(r, other);
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
    leave(r, s);
    s = reconnect(r, s, "K2");
    answer_rounds(r, s, m, "CD", "");
    expect_file(r, s, m, 0);
    acknowledge(r, s);
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
    CHECK_EQ(count_events(r, SB_SERVER_FILES_PROGRESS), 2);
    const room_event *progress = room_expect(r, SB_SERVER_FILES_PROGRESS);
    CHECK_TEXT(progress->text, paths[2]);
    CHECK_EQ(progress->event.done, 0);
    CHECK(progress->event.value >= 5 * 4096 - 406);
    room_wait(r, 20 * SB_SECOND);
    acknowledge(r, s);
    const room_event *sent = room_expect(r, SB_SERVER_FILES_SENT);
    CHECK_EQ(sent->event.done, 1);
    CHECK_EQ(sent->event.value, (int64_t)m->files[2].message.size);
    CHECK_EQ(count_events(r, SB_SERVER_FILES_STOPPED), 0);
}

/* ---- a new list ---- */

static void erase(mod *m)
{
    memset(m->messages, 0xEE, sizeof m->messages);
    memset(m->files, 0xEE, sizeof m->files);
}

TEST(a_reload_with_the_same_file_goes_on_in_the_middle)
{
    mod  *m = make_mod(1), *next = make_mod(1);
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "", "");
    expect_file(r, s, m, 0);
    acknowledge(r, s);
    expect_file(r, s, m, 1);
    acknowledge(r, s);
    room_wait(r, 100000);
    next->config.files = &next->files[1]; /* without A: the others get other numbers */
    next->config.file_count = 3;
    room_reconfigure(r, &next->config);
    erase(m);
    expect_file(r, s, next, 2);
    acknowledge(r, s);
    leave(r, s);
    s = reconnect(r, s, "Kirk");
    answer_rounds(r, s, next, "", "");
    expect_file(r, s, next, 3); /* what was acknowledged is still known */
}

TEST(a_reload_keeps_what_a_player_has_acknowledged)
{
    mod  *m = make_mod(1), *next = make_mod(1);
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "", "");
    for (unsigned i = 0; i < 2; i++) {
        expect_file(r, s, m, i);
        acknowledge(r, s);
    }
    leave(r, s);
    next->config.files = &next->files[1];
    next->config.file_count = 3;
    room_reconfigure(r, &next->config);
    erase(m);
    s = reconnect(r, s, "Kirk");
    answer_rounds(r, s, next, "", "");
    expect_file(r, s, next, 2);
}

/* The hash of a file leaves out its time stamp, bytes 4 to 7 (spec 06 §6.2). */
TEST(a_reload_with_another_time_stamp_ends_the_join)
{
    mod  *m = make_mod(1), *next = make_mod(1);
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "ABD", "");
    next->messages[2][3 + strlen(paths[2]) + 4] ^= 1;
    room_reconfigure(r, &next->config);
    room_wait(r, SB_SECOND);
    CHECK(s->left);
}

TEST(a_reload_that_changes_the_current_file_ends_the_join)
{
    mod  *m = make_mod(1), *next = make_mod(2);
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "ABD", "");
    room_reconfigure(r, &next->config);
    erase(m);
    room_wait(r, SB_SECOND);
    CHECK(s->left);
    CHECK(strstr(room_expect(r, SB_SERVER_JOIN_FAILED)->text, "join again") != NULL);
    s = reconnect(r, s, "Kirk");
    answer_rounds(r, s, next, "ABD", "");
    expect_file(r, s, next, 2);
}

TEST(a_reload_without_files_ends_a_transfer)
{
    mod  *m = make_mod(1), *next = make_mod(1);
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "ABD", "");
    next->config.files = NULL;
    next->config.file_count = 0;
    room_reconfigure(r, &next->config);
    room_wait(r, SB_SECOND);
    CHECK(s->left);
}
