/* tests/web/connections_test.c -- who gives way when there are too many connections. */
#include "web/connections.h"

#include "test.h"

#include <string.h>

static sb_web_connections c;
static char               keys[100000];

static void clear(void)
{
    memset(&c, 0, sizeof c);
}

/* Adds a connection as http.c does, and closes the one that gives way. False: refused. */
static bool open_one(unsigned key, uint32_t address, sb_time now)
{
    void            *victim;
    sb_web_admission how = sb_web_connections_admit(&c, address, &victim);
    CHECK_EQ(how == SB_WEB_DISPLACE, victim != NULL);
    if (how == SB_WEB_REFUSE) return false;
    if (victim) CHECK(sb_web_connections_remove(&c, victim));
    sb_web_connections_add(&c, &keys[key], address, now);
    return true;
}

static bool is_open(unsigned key)
{
    for (size_t i = 0; i < c.count; i++)
        if (c.entries[i].key == &keys[key]) return true;
    return false;
}

TEST(an_address_displaces_its_own_oldest_connection)
{
    clear();
    CHECK(open_one(0, 1, 0));
    for (unsigned i = 1; i <= SB_WEB_CONNECTIONS_PER_ADDRESS; i++) CHECK(open_one(i, 2, i));
    CHECK(open_one(50, 2, 50));
    CHECK(is_open(0)); /* older, but of another address */
    CHECK(!is_open(1));
    CHECK(is_open(2) && is_open(50));
    CHECK_EQ(c.count, SB_WEB_CONNECTIONS_PER_ADDRESS + 1);
}

TEST(a_full_table_displaces_the_oldest_of_all)
{
    clear();
    for (unsigned i = 0; i < SB_WEB_CONNECTIONS_MAX; i++) CHECK(open_one(i, i, i));
    CHECK(open_one(90, 1000, 90));
    CHECK(!is_open(0) && is_open(1) && is_open(90));
    CHECK_EQ(c.count, SB_WEB_CONNECTIONS_MAX);
}

TEST(a_connection_that_has_asked_is_not_displaced)
{
    clear();
    for (unsigned i = 0; i < SB_WEB_CONNECTIONS_MAX; i++) CHECK(open_one(i, i, i));
    sb_web_connections_set_asked(&c, &keys[0]);
    CHECK(open_one(90, 1000, 90));
    CHECK(is_open(0) && !is_open(1));
    for (size_t i = 0; i < c.count; i++) c.entries[i].has_asked = true;
    CHECK(!open_one(91, 1001, 91));
    CHECK_EQ(c.count, SB_WEB_CONNECTIONS_MAX);
}

TEST(the_number_of_connections_never_exceeds_the_limit)
{
    clear();
    for (unsigned i = 0; i < sizeof keys; i++) {
        (void)open_one(i, i % 7 == 0 ? i : i % 13, i);
        if (i % 5 == 0) sb_web_connections_set_asked(&c, &keys[i]);
        if (i % 11 == 0) (void)sb_web_connections_remove(&c, &keys[i / 2]);
        CHECK(c.count <= SB_WEB_CONNECTIONS_MAX);
        for (size_t k = 1; k < c.count; k++)
            CHECK(c.entries[k - 1].opened_at <= c.entries[k].opened_at);
    }
}

TEST(every_connection_ends_after_ten_seconds)
{
    clear();
    CHECK(!sb_web_connections_expired(&c, 100));
    CHECK(open_one(0, 1, 0) && open_one(1, 1, 5));
    sb_web_connections_set_asked(&c, &keys[0]);
    CHECK(!sb_web_connections_expired(&c, SB_WEB_CONNECTION_US - 1));
    CHECK(sb_web_connections_expired(&c, SB_WEB_CONNECTION_US) == &keys[0]);
    CHECK(!sb_web_connections_remove(&c, &keys[0])); /* it has asked */
    CHECK(!sb_web_connections_expired(&c, SB_WEB_CONNECTION_US));
    CHECK(!sb_web_connections_remove(&c, &keys[0])); /* no effect */
    CHECK_EQ(c.count, 1);
}
