/* tests/server/files_reload_test.c -- a new list of files while clients get some of the old one.
 *
 * For:      src/server/files.c (sb_server_replace_files).
 */
#include "mod_files.h"

#include "server/server_internal.h"

#include <string.h>

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
    acknowledge_file(r, s);
    expect_file(r, s, m, 1);
    acknowledge_file(r, s);
    room_wait(r, 100000);
    next->config.files = &next->files[1]; /* without A: the others get other numbers */
    next->config.file_count = 3;
    room_reconfigure(r, &next->config);
    erase(m);
    expect_file(r, s, next, 2);
    acknowledge_file(r, s);
    leave_room(r, s);
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
        acknowledge_file(r, s);
    }
    leave_room(r, s);
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
    next->messages[2][3 + strlen(mod_paths[2]) + 4] ^= 1;
    room_reconfigure(r, &next->config);
    CHECK(seat_is_removed(r, s));
}

TEST(a_reload_that_changes_the_current_file_ends_the_join)
{
    mod  *m = make_mod(1), *next = make_mod(2);
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "ABD", "");
    room_reconfigure(r, &next->config);
    erase(m);
    CHECK(seat_is_removed(r, s));
    CHECK(strstr(room_expect(r, SB_SERVER_JOIN_FAILED)->text, "join again") != NULL);
    s = reconnect(r, s, "Kirk");
    answer_rounds(r, s, next, "ABD", "");
    expect_file(r, s, next, 2);
}

/* Changes one property of file C, which a player is getting. */
static void change_file(mod *m, unsigned property)
{
    sb_client_file *f = &m->files[2];
    if (property == 1) f->message.size--;
    if (property == 2) f->directory = "Episodf";
    if (property == 3) f->content_hash++;
    if (property == 4) f->name_hash++;
    if (property == 5) m->messages[2][MOD_BIG]++;
    if (property == 6) f->path = "Scripts/Multiplayer/Episode/Other.pyc"; /* only for reports */
}

TEST(a_reload_ends_a_transfer_if_the_file_differs_in_anything)
{
    for (unsigned property = 0; property <= 6; property++) {
        mod  *m = make_mod(1), *next = make_mod(1);
        room *r = room_open(&m->config);
        seat *s = connect_with(r, m, "Kirk", "ABD", "");
        change_file(next, property);
        room_reconfigure(r, &next->config);
        CHECK_EQ(seat_is_removed(r, s), property >= 1 && property <= 5);
        CHECK_EQ(s->by_opcode[0x25], property < 1 || property > 5);
    }
}

TEST(a_reload_without_a_later_file_leaves_that_file_out)
{
    mod  *m = make_mod(1), *next = make_mod(1);
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "AB", ""); /* C now, then D */
    next->config.file_count = MOD_FILES - 1;
    room_reconfigure(r, &next->config);
    expect_file(r, s, next, 2);
    acknowledge_file(r, s);
    expect_bundle(r, s);
}

TEST(a_reload_renumbers_the_files_of_the_last_slot)
{
    mod *m = make_mod(1), *next = make_mod(1);
    m->config.max_players = SB_SERVER_PLAYERS_MAX;
    room *r = room_open(&m->config);
    for (unsigned i = 0; i < SB_SERVER_PLAYERS_MAX - 1; i++)
        (void)connect_with(r, m, "Other", "ABCD", "");
    seat *s = connect_with(r, m, "Kirk", "AB", "");
    CHECK(sb_server_files_deadline(r->server) < SB_TIME_NEVER);
    next->config.files = &next->files[2]; /* C and D get other numbers */
    next->config.file_count = 2;
    room_reconfigure(r, &next->config);
    erase(m);
    expect_file(r, s, next, 2);
    acknowledge_file(r, s);
    expect_file(r, s, next, 3);
}

TEST(a_reload_without_files_ends_a_transfer)
{
    mod  *m = make_mod(1), *next = make_mod(1);
    room *r = room_open(&m->config);
    seat *s = connect_with(r, m, "Kirk", "ABD", "");
    next->config.files = NULL;
    next->config.file_count = 0;
    room_reconfigure(r, &next->config);
    CHECK(seat_is_removed(r, s));
}
