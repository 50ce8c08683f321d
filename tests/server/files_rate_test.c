/* tests/server/files_rate_test.c -- how fast a room sends files, and how long it waits. Spec 06
 * §5.4.
 *
 * For:      src/server/files.c.
 */
#include "mod_files.h"

#include "player_messages.h"
#include "server/server_internal.h"

#include <string.h>

static sb_peer_info peer_of(const room *r, const seat *s)
{
    sb_player_view view;
    for (unsigned i = 0; sb_server_player(r->server, i, r->now, &view); i++)
        if (view.peer_id == s->id) return view.peer;
    FAIL("player %u is not there", s->id);
}

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
    CHECK(count_events_of(r, SB_SERVER_LEFT) == 1);
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
    CHECK(taken >= (sb_time)(MOD_BIG - 8192 - 500) * SB_SECOND / 65536);
    CHECK(taken <= (sb_time)(MOD_BIG - 8192 + 2000) * SB_SECOND / 65536);
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

static const sb_player *player_of(const room *r, const seat *s)
{
    return sb_server_find_player(r->server, s->id);
}

/* Advances to the moment before the next fragment: nothing is sent. Then to that moment. */
static void expect_next_fragment_at(room *r, sb_time at)
{
    uint64_t before = COUNTED(r, SB_SERVER_COUNT_FILE_BYTES);
    CHECK_EQ(sb_server_files_deadline(r->server), at);
    CHECK(sb_server_next_deadline(r->server) <= at);
    r->now = at - 1;
    room_step(r);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_FILE_BYTES), before);
    CHECK_EQ(sb_server_files_deadline(r->server), at);
    r->now = at;
    room_step(r);
    CHECK(COUNTED(r, SB_SERVER_COUNT_FILE_BYTES) > before);
}

/* The room's burst is a quarter of its rate, and at least one fragment of 406 bytes. */
TEST(a_fragment_waits_until_the_rooms_budget_has_406_bytes)
{
    static const struct {
        uint32_t rate, burst;
    } rows[] = { { 4096, 1024 }, { 1000, 406 }, { 1628, 407 }, { 1624, 406 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mod *m = make_mod(1);
        m->config.file_bytes_per_s = rows[i].rate;
        room   *r = room_open(&m->config);
        seat   *s = connect_with(r, m, "Kirk", "ABD", "");
        sb_time start = r->now, rate = rows[i].rate;
        for (unsigned n = 0; n < 3; n++) {
            sb_time sent = (sb_time)COUNTED(r, SB_SERVER_COUNT_FILE_BYTES);
            CHECK(sent > 0);
            sb_time due = 406 + sent - rows[i].burst; /* bytes that the rate must bring */
            expect_next_fragment_at(r, start + (due * SB_SECOND + rate - 1) / rate);
        }
        CHECK(!s->left);
    }
}

TEST(a_fragment_waits_until_the_clients_budget_has_406_bytes)
{
    mod    *m = make_mod(1);
    room   *r = room_open(&m->config);
    seat   *s = connect_with(r, m, "Kirk", "ABD", "");
    sb_time start = r->now;
    for (unsigned n = 0; n < 3; n++) {
        sb_time sent = (sb_time)COUNTED(r, SB_SERVER_COUNT_FILE_BYTES);
        sb_time due = 406 + sent - 8192;
        expect_next_fragment_at(r, start + (due * SB_SECOND + 65535) / 65536);
    }
    int64_t  left = player_of(r, s)->files.budget.left;
    uint64_t before = COUNTED(r, SB_SERVER_COUNT_FILE_BYTES);
    r->now += 1000; /* 65,536 bytes per second */
    room_step(r);
    uint64_t sent = COUNTED(r, SB_SERVER_COUNT_FILE_BYTES) - before;
    CHECK_EQ(player_of(r, s)->files.budget.left, left + 1000 * 65536 - (int64_t)sent * SB_SECOND);
}

/* In millionths of a byte: exactly 6195 us at 65,536 bytes per second, and a little more. */
TEST(the_next_fragment_is_due_to_the_microsecond)
{
    enum { MISSING = 6195 * 65536 };
    mod       *m = make_mod(1);
    room      *r = room_open(&m->config);
    seat      *s = connect_with(r, m, "Kirk", "ABD", "");
    sb_budget *budget = &sb_server_find_player(r->server, s->id)->files.budget;
    budget->left = 406 * SB_SECOND - MISSING;
    CHECK_EQ(sb_server_files_deadline(r->server), r->now + 6195);
    budget->left--;
    CHECK_EQ(sb_server_files_deadline(r->server), r->now + 6196);
}

/* Answers the last round without letting the room send; nothing is acknowledged after that. */
static void start_files_in_silence(room *r, seat *s, const mod *m, const char *has)
{
    for (unsigned i = 0; i < SB_CHECKSUM_FF; i++) seat_answer_round(r, s, client_files(m, has, ""));
    s->muted = true;
    sb_server_handle_checksums(
        r->server, sb_server_find_player(r->server, s->id),
        player_checksum_answer(seat_find(s, 0x20), client_files(m, has, "")));
}

TEST(one_call_sends_all_fragments_that_a_new_transfer_may_have)
{
    mod       *m = make_mod(1);
    room      *r = room_open(&m->config);
    seat      *s = room_connect(r, "Kirk");
    sb_budget *budget = &sb_server_find_player(r->server, s->id)->files.budget;
    *budget = (sb_budget){ 0, r->now }; /* a transfer starts with a full one */
    start_files_in_silence(r, s, m, "ABD");
    CHECK_EQ(budget->left, 8192 * SB_SECOND);
    sb_server_advance(r->server, r->now);
    uint64_t sent = COUNTED(r, SB_SERVER_COUNT_FILE_BYTES);
    CHECK(sent > 15 * 400 && sent <= 16 * 406);
}

TEST(a_client_saves_up_to_8192_bytes_between_two_files)
{
    mod  *m = make_mod(1);
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "BD", ""); /* A has 32 bytes, C many */
    expect_file(r, s, m, 0);
    room_wait(r, SB_SECOND);
    uint64_t before = COUNTED(r, SB_SERVER_COUNT_FILE_BYTES);
    sb_time  start = r->now;
    acknowledge_file(r, s);
    sb_time sent = (sb_time)(COUNTED(r, SB_SERVER_COUNT_FILE_BYTES) - before);
    CHECK(sent > 8192 - 406);
    expect_next_fragment_at(r, start + ((406 + sent - 8192) * SB_SECOND + 65535) / 65536);
}

TEST(a_lower_rate_cuts_what_the_room_has_saved)
{
    mod  *m = make_mod(1);
    room *r = room_open(&m->config);
    seat *first = connect_with(r, m, "Kirk", "BCD", ""); /* A: the room has 65,536 bytes */
    expect_file(r, first, m, 0);
    m->config.file_bytes_per_s = 4096;
    room_reconfigure(r, &m->config);
    uint64_t before = COUNTED(r, SB_SERVER_COUNT_FILE_BYTES);
    (void)connect_with(r, m, "Spock", "ABD", "");
    CHECK(COUNTED(r, SB_SERVER_COUNT_FILE_BYTES) - before <= 1024);
}

TEST(a_full_queue_is_tried_again_after_a_tenth_of_a_second)
{
    mod *m = make_mod(1);
    m->config.transport.send_cells = 64;
    m->config.transport.shared_cells = 0;
    room *r = room_open(&m->config);
    seat *s = room_connect(r, "Kirk");
    start_files_in_silence(r, s, m, "ABD"); /* no Ack frees the queue */
    sb_time start = r->now;
    room_step(r);
    uint64_t sent = COUNTED(r, SB_SERVER_COUNT_FILE_BYTES);
    CHECK(sent > 406 && sent < 16 * 406);
    CHECK_EQ(sb_server_files_deadline(r->server), start + 100000);
    s->muted = false;
    r->now = start + 99999;
    room_step(r);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_FILE_BYTES), sent);
    room_wait(r, 5 * SB_SECOND);
    CHECK_EQ(s->by_opcode[0x25], 1);
}

TEST(players_in_the_last_slots_get_their_share_of_the_rate)
{
    mod *m = make_mod(1);
    m->config.max_players = SB_SERVER_PLAYERS_MAX;
    m->config.file_bytes_per_s = 16384;
    room *r = room_open(&m->config);
    for (unsigned i = 0; i < 13; i++) (void)connect_with(r, m, "Other", "ABCD", "");
    seat *seats[3];
    for (unsigned i = 0; i < 3; i++) seats[i] = connect_with(r, m, "Kirk", "ABD", "");
    room_wait(r, 5 * SB_SECOND);
    uint64_t least = UINT64_MAX, most = 0;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t bytes = player_of(r, seats[i])->files.bytes;
        if (bytes < least) least = bytes;
        if (bytes > most) most = bytes;
    }
    CHECK(least > 10000);
    CHECK(most - least <= 4096 + 406); /* the burst went to the one who came first */
}

TEST(each_fragment_of_a_file_gives_the_client_more_time)
{
    mod *m = make_mod(1);
    m->config.file_bytes_per_s = 406; /* 60,000 bytes need 148 s */
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "ABD", "");
    CHECK_EQ(sb_server_gives_way_at(r->server, s->id), r->now + 30 * SB_SECOND);
    for (unsigned i = 0; i < 140; i++) {
        sb_time deadline = sb_server_joins_deadline(r->server);
        CHECK(deadline > r->now + 118 * SB_SECOND && deadline <= r->now + 120 * SB_SECOND);
        room_wait(r, SB_SECOND);
    }
    room_wait(r, 10 * SB_SECOND);
    CHECK_EQ(s->by_opcode[0x25], 1);
}

TEST(each_file_gives_the_client_more_time)
{
    mod  *m = make_mod(1);
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "CD", "");
    CHECK_EQ(sb_server_joins_deadline(r->server), r->now + 120 * SB_SECOND);
    room_wait(r, 20 * SB_SECOND);
    acknowledge_file(r, s);
    CHECK_EQ(sb_server_joins_deadline(r->server), r->now + 120 * SB_SECOND);
    expect_file(r, s, m, 1);
    m->config.file_bytes_per_s = 406; /* after A, which has 28 bytes, B must wait */
    r = room_open(&m->config);
    s = connect_with(r, m, "Kirk", "CD", "");
    expect_file(r, s, m, 0);
    room_wait(r, SB_SECOND / 20);
    acknowledge_file(r, s);
    CHECK(sb_server_files_deadline(r->server) > r->now);
    CHECK_EQ(sb_server_joins_deadline(r->server), r->now + 120 * SB_SECOND);
}
