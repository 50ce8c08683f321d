/* tests/e2e/leave_test.c -- goodbyes over UDP: left, vanished, removed, stopped. Spec
 * 07 §9, 06 §9. */
#include "rig.h"

#include <string.h>

static const sb_vec3 here = { 38.0f, -49.0f, -35.0f };

typedef struct pair {
    live *l;
    seat *a, *b;
} pair;

/* Alpha has a ship. */
static pair open_pair(const char *const *arguments)
{
    pair p = { .l = live_open(arguments) };
    p.a = live_join(p.l, "Alpha");
    p.b = live_join(p.l, "Beta");
    (void)seat_spawn(p.a, 5, here);
    live_settle(p.l, p.a);
    seat_forget(p.a);
    seat_forget(p.b);
    return p;
}

static void expect_leave_sequence(pair *p, sb_leave_reason reason)
{
    EXPECT_HEARD(p->l, p->b, "14 FF FF FF 3F");
    EXPECT_HEARD(p->l, p->b, "18 05 00 41 6C 70 68 61");
    UNTIL(p->l, p->b->gone_count > 0);
    CHECK_EQ(p->b->gone[0], 2);
    CHECK_EQ(p->b->gone_reasons[0], reason);
    live_settle(p->l, p->b);
    EXPECT_QUIET(p->b);
    CHECK_EQ(p->b->gone_count, 1);
    CHECK(!p->b->left);
}

TEST(a_player_who_leaves_takes_ship_and_name_with_him)
{
    pair p = open_pair(NULL);
    seat_leave(p.a);
    expect_leave_sequence(&p, SB_LEFT_QUIT);
    UNTIL(p.l, p.a->left);
    CHECK_EQ(p.a->left_reason, SB_LEFT_QUIT);
    UNTIL(p.l, process_logged(&p.l->server, "Alpha left after "));
}

TEST(a_player_who_falls_silent_is_missed_after_the_timeout)
{
    pair p = open_pair((const char *const[]){ "--set", "timeout=12", NULL });
    p.a->mute = true;
    while (p.b->gone_count == 0) { /* the other player sends, or it would time out, too */
        live_settle(p.l, p.b);
        live_wait(p.l, SB_SECOND / 4);
    }
    expect_leave_sequence(&p, SB_LEFT_BOOTED);
    CHECK(process_logged(&p.l->server, "timed out"));
}

/* Three creations in a row that are not its own (spec 07 §2.6). */
TEST(a_removed_player_is_told_and_so_are_the_others)
{
    static const char foreign[] = "03 01 02 08 80 00 00 40 00 00 40 05 00 00 18 42 00 00 44 C2 00 "
                                  "00 0C C2 00 00 80 3F 00 00 00 00 00 00 00 00 00 00 00 00 00 00 "
                                  "00 00 00 00 00 01 41 06 4D 75 6C 74 69 31";
    pair              p = open_pair(NULL);
    for (unsigned i = 0; i < 3; i++) seat_say_hex(p.a, foreign);
    UNTIL(p.l, p.a->left);
    CHECK_EQ(p.a->left_reason, SB_LEFT_BOOTED);
    expect_leave_sequence(&p, SB_LEFT_BOOTED);
}

TEST(players_do_not_hear_of_one_who_leaves_before_the_game)
{
    live *l = live_open(NULL);
    seat *a = live_join(l, "Alpha"), *b = live_connect(l, "Beta");
    seat_leave(b);
    UNTIL(l, b->left && a->gone_count == 1); /* the transport's notice: it had been told the name */
    live_settle(l, a);
    EXPECT_QUIET(a);
}

TEST(sigterm_tells_everybody_and_ends_with_0_within_two_seconds)
{
    pair    p = open_pair(NULL);
    seat   *joining = live_connect(p.l, "Gamma");
    sb_time duration;
    CHECK_EQ(live_stop(p.l, &duration), 0);
    CHECK(duration < 2 * SB_SECOND);
    UNTIL(p.l, p.a->left && p.b->left && joining->left);
    CHECK_EQ(p.a->left_reason, SB_LEFT_HOST_CLOSED);
    CHECK_EQ(p.b->left_reason, SB_LEFT_HOST_CLOSED);
    CHECK_EQ(joining->left_reason, SB_LEFT_HOST_CLOSED);
    CHECK(process_logged(&p.l->server, "stopped"));
}

TEST(sigterm_ends_it_within_two_seconds_also_when_nobody_answers)
{
    pair    p = open_pair(NULL);
    sb_time duration;
    p.a->mute = p.b->mute = true;
    CHECK_EQ(live_stop(p.l, &duration), 0);
    CHECK(duration < 2 * SB_SECOND);
}
