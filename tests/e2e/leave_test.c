/* tests/e2e/leave_test.c -- goodbyes over UDP: left, vanished, removed, stopped. Spec
 * 07 §9, 06 §9. */
#include "rig.h"

#include <starbase/protocol.h>

#include "base/bytes.h"

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

TEST(ship_and_name_of_a_player_go_when_the_player_leaves)
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

/* A StateUpdate with a position and an integrity hash that no class has. */
static void say_wrong_hash(seat *s, float game_time)
{
    uint8_t bytes[25] = { SB_OP_STATE_UPDATE };
    sb_store_u32(bytes + 1, seat_first_id(s));
    sb_store_u32(bytes + 5, sb_float_bits(game_time));
    bytes[9] = SB_STATE_POS;
    bytes[22] = 0x21;
    sb_store_u16(bytes + 23, 0x1234);
    seat_say(s, SB_UNRELIABLE, (sb_span){ bytes, sizeof bytes });
}

/* Wrong integrity hashes for more than five seconds, and reliable messages among them (spec 04 §1).
 */
TEST(a_removed_player_is_told_and_so_are_the_others)
{
    pair p = open_pair((const char *const[]){ "--set", "integrity=boot", NULL });
    for (unsigned i = 0; i < 60 && !p.a->left; i++) {
        say_wrong_hash(p.a, 0.25f * (float)i);
        if (i < 12) live_settle(p.l, p.a);
        live_wait(p.l, SB_SECOND / 4);
    }
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
