/* tests/transport/house_peers_test.c -- players of the program itself have seats as long as nobody
 * else needs them.
 *
 * For:      src/transport/host_seats.c, host_connect.c, host_leave.c.
 */
#include "marks_rig.h"
#include "transport/host_internal.h"

#include <string.h>

enum { SEATS = 4 };

static sb_time fought_at[128]; /* by id */

static sb_time last_fight(void *context, uint8_t peer_id)
{
    (void)context;
    return fought_at[peer_id];
}

static sb_endpoint house(unsigned number)
{
    return (sb_endpoint){ number, (uint16_t)(2000 + number) };
}

static void house_config(sb_transport_host_config *config)
{
    rig_host_config(config);
    config->max_peers = SEATS;
    config->peers_per_ip = 1;
    config->house = true;
    config->gives_way_at = last_fight;
    for (unsigned i = 0; i < 128; i++) fought_at[i] = SB_TIME_NEVER; /* a person keeps its seat */
}

/* A host whose seats all belong to the house; ids 2 to 5. */
static rig *open_full_house(void)
{
    sb_transport_host_config config;
    house_config(&config);
    rig *r = rig_open_host(&config);
    for (unsigned i = 1; i <= SEATS; i++) CHECK_EQ(rig_join(r, house(i)), i + 1);
    for (unsigned i = 2; i <= SEATS + 1; i++) fought_at[i] = i;
    return r;
}

static sb_result answer(rig *r, sb_endpoint from, uint8_t id)
{
    uint8_t ack[] = { id, 1, 1, 0, 0, 2 };
    return rig_give(r, from, (sb_span){ ack, sizeof ack });
}

/* Connects a client that hears the host; `gone` leaves for it. */
static uint8_t join_in_place_of(rig *r, sb_endpoint from, uint8_t gone)
{
    uint8_t id = rig_told_id(r, from);
    CHECK_EQ(answer(r, from, id), SB_NOT_ALLOWED);
    EXPECT_NO_EVENT(r); /* an answer without proof may be forged */
    CHECK(rig_prove(r, from, id));
    EXPECT_LEFT(r, gone, SB_LEFT_MADE_ROOM);
    EXPECT_JOINED(r, id);
    CHECK_EQ(sb_transport_host_peer_count(r->host), SEATS);
    rig_wait(r, SB_SECOND);
    return id;
}

TEST(every_seat_of_the_house_is_for_people)
{
    rig *r = open_full_house();
    for (unsigned i = 1; i <= SEATS; i++)
        (void)join_in_place_of(r, rig_endpoint(i), (uint8_t)(i + 1));
    CHECK_EQ(rig_give_hex(r, rig_endpoint(9), RIG_CONNECT), SB_NOT_ALLOWED);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REFUSED_FULL), 1);
}

TEST(the_house_peer_goes_whose_last_fight_is_longest_ago)
{
    rig *r = open_full_house();
    fought_at[2] = r->now;
    fought_at[3] = r->now - 1;
    fought_at[4] = INT64_MIN; /* never */
    fought_at[5] = r->now - 2;
    (void)join_in_place_of(r, rig_endpoint(1), 4);
    (void)join_in_place_of(r, rig_endpoint(2), 5);
    (void)join_in_place_of(r, rig_endpoint(3), 3);
    (void)join_in_place_of(r, rig_endpoint(4), 2);
}

/* A Connect and an answer that guesses the id, from addresses that hear nothing. */
TEST(a_flood_of_forged_joins_takes_no_seat_of_the_house)
{
    rig *r = open_full_house();
    for (unsigned i = 0; i < 10000; i++) {
        sb_endpoint from = rig_endpoint(100 + i);
        (void)!rig_give_hex(r, from, RIG_CONNECT);
        for (uint8_t id = 6; id < 10; id++) (void)!answer(r, from, id);
        rig_forget(r);
        rig_wait(r, SB_SECOND / 1000); /* nobody is silent for so long that it times out */
        EXPECT_NO_EVENT(r);
        rig_forget(r);
    }
    for (uint8_t id = 2; id <= SEATS + 1; id++) CHECK(r->host->peer_by_id[id] != SB_NO_PLACE);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_GAVE_WAY), 0);
    (void)join_in_place_of(r, rig_endpoint(1), 2);
}

/* To the other players it has quit; it is told that it has to go. */
TEST(a_house_peer_that_makes_room_is_told_and_announced)
{
    rig *r = open_full_house();
    (void)join_in_place_of(r, rig_endpoint(1), 2);
    r->sent_next = 0;
    CHECK(rig_count_sent(r, house(1), SB_TRANSPORT_BOOT) > 0);
    CHECK(rig_count_sent(r, house(2), SB_TRANSPORT_DISCONNECT) > 0);
    CHECK_EQ(rig_count_sent(r, house(2), SB_TRANSPORT_BOOT), 0);
}

/* Nobody can forge it, so it need not wait for silence. */
TEST(a_disconnect_of_the_house_takes_effect_at_once)
{
    rig     *r = open_full_house();
    rig_pack p;
    rig_pack_init(&p, 3);
    rig_pack_disconnect(&p, 1, 3);
    GIVE_PACK(r, house(2), &p);
    rig_wait(r, SB_SECOND / 1000);
    EXPECT_LEFT(r, 3, SB_LEFT_QUIT);
    CHECK_EQ(sb_transport_host_peer_count(r->host), SEATS - 1);
}

TEST(the_house_takes_no_seat_from_anybody)
{
    rig *r = open_full_house();
    for (unsigned i = 1; i <= 2; i++) (void)join_in_place_of(r, rig_endpoint(i), (uint8_t)(i + 1));
    fought_at[6] = fought_at[7] = 0; /* people who have not finished their joins */
    CHECK_EQ(rig_give_hex(r, (sb_endpoint){ 9, 9 }, RIG_CONNECT), SB_NOT_ALLOWED);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REFUSED_FULL), 1);
    CHECK_EQ(sb_transport_host_peer_count(r->host), SEATS);
}

static bool refuse_all(void *context, sb_endpoint from, const sb_connect_request *request,
                       uint8_t *boot_reason)
{
    (void)context;
    (void)from;
    (void)request;
    *boot_reason = SB_BOOT_BANNED;
    return false;
}

TEST(the_house_needs_no_password_admission_or_proof)
{
    sb_transport_host_config config;
    house_config(&config);
    config.password = rig_wide("sesame");
    config.admit = refuse_all;
    rig *r = rig_open_host(&config);
    for (unsigned i = 1; i <= SEATS; i++) CHECK_EQ(rig_join(r, house(i)), i + 1);
    CHECK_EQ(rig_give_hex(r, rig_endpoint(1), RIG_CONNECT), SB_NOT_ALLOWED);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REFUSED_PASSWORD), 1);
}

TEST(limits_of_an_address_do_not_bind_the_house)
{
    sb_transport_host_config config;
    house_config(&config);
    rig *r = rig_open_host(&config);
    CHECK_EQ(rig_join(r, (sb_endpoint){ 1, 1 }), 2);
    CHECK_EQ(rig_join(r, (sb_endpoint){ 1, 2 }), 3);
    (void)rig_join(r, (sb_endpoint){ 0x0A0A0A0A, 1 });
    CHECK_EQ(rig_give_hex(r, (sb_endpoint){ 0x0A0A0A0A, 2 }, RIG_CONNECT), SB_NOT_ALLOWED);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REFUSED_SOURCE), 1);
}

/* For programs that do not filter their sources. */
TEST(without_the_option_the_house_is_a_network_like_others)
{
    sb_transport_host_config config;
    house_config(&config);
    config.house = false;
    config.password = rig_wide("sesame");
    rig *r = rig_open_host(&config);
    CHECK_EQ(rig_give_hex(r, house(1), RIG_CONNECT), SB_NOT_ALLOWED);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REFUSED_PASSWORD), 1);
}

TEST(addresses_of_the_house_are_those_no_network_delivers)
{
    CHECK(!sb_endpoint_is_house((sb_endpoint){ 0, 5 })); /* a host without an address yet */
    CHECK(sb_endpoint_is_house((sb_endpoint){ 1, 5 }));
    CHECK(sb_endpoint_is_house((sb_endpoint){ 0x00FFFFFF, 5 }));
    CHECK(!sb_endpoint_is_house((sb_endpoint){ 0x01000000, 5 }));
    CHECK(!sb_endpoint_is_house((sb_endpoint){ 0x7F000001, 5 }));
}
