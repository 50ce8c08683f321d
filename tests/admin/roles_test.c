/* tests/admin/roles_test.c -- codes: good once, for 60 s, for one conversation; attempts. */
#include "admin/roles.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

static sb_roles roles;
static sb_role  role;

enum { ADDRESS = 0x0A000001 };

static sb_conversation player(uint8_t peer_id, uint32_t address)
{
    return (sb_conversation){ 1, peer_id, { address, 5000 }, 17 };
}

static sb_redeem redeem(sb_conversation p, const char *code, sb_time now)
{
    role = SB_ROLE_PLAYER;
    return sb_roles_redeem(&roles, &p, "Kirk", code, now, &role);
}

static sb_role role_of(sb_conversation p)
{
    return sb_roles_of(&roles, &p);
}

/* Digits of the code for a moderator. */
static const char *invite(sb_conversation p, uint64_t random, sb_time now)
{
    static char code[16];
    snprintf(code, sizeof code, "%06u",
             sb_roles_invite(&roles, &p, SB_ROLE_MODERATOR, random, now));
    return code;
}

TEST(a_code_is_good_once)
{
    sb_conversation a = player(2, ADDRESS);
    sb_roles_init(&roles);
    CHECK_TEXT(invite(a, 42, 0), "000042");
    CHECK_EQ(redeem(a, "000042", SB_SECOND), SB_REDEEM_GIVEN);
    CHECK_EQ(role, SB_ROLE_MODERATOR);
    CHECK_EQ(role_of(a), SB_ROLE_MODERATOR);
    CHECK(sb_roles_revoke(&roles, &a));
    CHECK_EQ(role_of(a), SB_ROLE_PLAYER);
    CHECK_EQ(redeem(a, "000042", 2 * SB_SECOND), SB_REDEEM_WRONG);
    CHECK(!sb_roles_revoke(&roles, &a));
}

TEST(a_code_is_good_for_sixty_seconds)
{
    sb_conversation a = player(2, ADDRESS);
    sb_roles_init(&roles);
    (void)invite(a, 123456, 0);
    CHECK_EQ(redeem(a, "123456", 60 * SB_SECOND), SB_REDEEM_WRONG);
    (void)invite(a, 123456, 0);
    CHECK_EQ(redeem(a, "123456", 60 * SB_SECOND - 1), SB_REDEEM_GIVEN);
}

TEST(a_code_is_for_one_conversation_only)
{
    sb_conversation a = player(2, ADDRESS), other = player(3, ADDRESS), later = a, moved = a;
    sb_roles_init(&roles);
    later.connected_at++;
    moved.address.port = 6000; /* a router gave another port */
    (void)invite(a, 123456, 0);
    CHECK_EQ(redeem(other, "123456", 1), SB_REDEEM_WRONG);
    CHECK_EQ(redeem(later, "123456", 1), SB_REDEEM_WRONG);
    CHECK_EQ(redeem(player(2, ADDRESS + 1), "123456", 1), SB_REDEEM_WRONG);
    CHECK_EQ(redeem(moved, "123456", 1), SB_REDEEM_GIVEN);
    CHECK_EQ(role_of(later), SB_ROLE_PLAYER);
    CHECK_EQ(role_of(other), SB_ROLE_PLAYER);
    CHECK_EQ(role_of(a), SB_ROLE_MODERATOR);
}

TEST(codes_have_exactly_six_digits)
{
    static const char *const wrong[] = { "", "42", "0000042", "00004x", "+00042" };
    sb_conversation          a = player(2, ADDRESS);
    sb_roles_init(&roles);
    (void)invite(a, 42, 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_EQ(redeem(a, wrong[i], (sb_time)(2 * i) * SB_ROLE_TRY_SECONDS * SB_SECOND) ==
                     SB_REDEEM_GIVEN,
                 false);
}

TEST(after_three_wrong_codes_the_right_one_is_not_looked_at)
{
    sb_conversation a = player(2, ADDRESS);
    sb_roles_init(&roles);
    (void)invite(a, 123456, 0);
    for (int i = 0; i < SB_ROLE_TRIES; i++) CHECK_EQ(redeem(a, "111111", 1), SB_REDEEM_WRONG);
    CHECK_EQ(redeem(a, "123456", 1), SB_REDEEM_LIMITED);
    sb_time later = SB_ROLE_TRY_SECONDS * SB_SECOND + 1;
    (void)invite(a, 123456, later);
    CHECK_EQ(redeem(a, "123456", later), SB_REDEEM_GIVEN);
}

TEST(an_address_has_six_attempts_whatever_its_conversations)
{
    unsigned looked_at = 0;
    sb_roles_init(&roles);
    for (uint8_t peer = 2; peer < 120; peer++)
        looked_at += redeem(player(peer, ADDRESS), "111111", 1) == SB_REDEEM_WRONG;
    CHECK_EQ(looked_at, SB_ROLE_ADDRESS_TRIES);
    CHECK_EQ(redeem(player(2, ADDRESS + 1), "111111", 1), SB_REDEEM_WRONG); /* somebody else */
}

TEST(others_behind_an_address_do_not_lock_out_who_was_invited)
{
    sb_conversation a = player(200, ADDRESS);
    sb_roles_init(&roles);
    for (uint8_t peer = 2; peer < 20; peer++) (void)!redeem(player(peer, ADDRESS), "111111", 1);
    CHECK_EQ(redeem(a, "123456", 1), SB_REDEEM_LIMITED);
    (void)invite(a, 123456, 1);
    CHECK_EQ(redeem(a, "123456", 2), SB_REDEEM_GIVEN);
}

TEST(attempts_from_many_addresses_do_not_grow_the_table)
{
    sb_roles_init(&roles);
    for (uint32_t i = 0; i < 4 * SB_ROLE_SOURCES_MAX; i++)
        CHECK_EQ(redeem(player((uint8_t)(i % 200 + 2), ADDRESS + i), "111111",
                        (sb_time)i * SB_ROLE_TRY_SECONDS * SB_SECOND),
                 SB_REDEEM_WRONG);
}

TEST(a_role_ends_when_the_player_leaves)
{
    sb_conversation a = player(2, ADDRESS), b = player(3, ADDRESS);
    sb_roles_init(&roles);
    (void)invite(a, 123456, 0);
    CHECK_EQ(redeem(a, "123456", 1), SB_REDEEM_GIVEN);
    (void)invite(b, 654321, 0);
    sb_roles_leave(&roles, 1, 2);
    CHECK_EQ(role_of(a), SB_ROLE_PLAYER);
    CHECK_EQ(redeem(b, "654321", 1), SB_REDEEM_GIVEN);
    sb_roles_leave(&roles, 2, 3); /* another room */
    CHECK_EQ(role_of(b), SB_ROLE_MODERATOR);
    CHECK(sb_roles_knows(&roles, ADDRESS));
    CHECK(!sb_roles_knows(&roles, ADDRESS + 1));
}

TEST(a_full_table_of_codes_gives_up_the_oldest)
{
    sb_roles_init(&roles);
    for (uint8_t i = 0; i <= SB_ROLE_CODES_MAX; i++)
        (void)invite(player((uint8_t)(i + 2), ADDRESS + i), 100000u + i, i);
    CHECK_EQ(redeem(player(2, ADDRESS), "100000", 20), SB_REDEEM_WRONG);
    CHECK_EQ(redeem(player(3, ADDRESS + 1), "100001", 20), SB_REDEEM_GIVEN);
}
