/* tests/sim/attacker_test.c -- forged datagrams: their addresses, their guesses, their seeds.
 */
#include "sim/attacker.h"

#include <starbase/cipher.h>
#include <starbase/datagram.h>

#include "base/packet.h"
#include "test.h"

#include <string.h>

enum { DATAGRAMS = 400 };

static const sb_endpoint host = { 0x0A000001, 22101 };
static const sb_endpoint victims[] = { { 0x0A010001, 22101 }, { 0x0A010002, 22102 } };

static bool decode(const sim_forged *forged, uint8_t *plain, sb_datagram *out)
{
    memcpy(plain, forged->bytes, forged->size);
    sb_decrypt_datagram(plain, forged->size);
    return sb_decode_datagram((sb_span){ plain, forged->size }, out, NULL) == SB_OK;
}

static bool is_plain_bytes(sim_forgery kind)
{
    return kind == SIM_FORGE_EMPTY || kind == SIM_FORGE_GARBAGE || kind == SIM_FORGE_HOST_GARBAGE;
}

TEST(forged_datagrams_are_well_formed_but_for_the_garbage)
{
    for (int kind = 0; kind < SIM_FORGERY_COUNT; kind++) {
        sim_attacker attacker;
        sim_attacker_init(&attacker, 7, host);
        for (int i = 0; i < DATAGRAMS && !is_plain_bytes((sim_forgery)kind); i++) {
            sim_forged  forged;
            uint8_t     plain[SIM_DATAGRAM_MAX];
            sb_datagram parts;
            sim_attacker_forge(&attacker, (sim_forgery)kind, victims, 2, &forged);
            CHECK(decode(&forged, plain, &parts));
            CHECK(parts.message_count > 0);
        }
    }
}

TEST(forgeries_to_a_client_come_from_the_host)
{
    for (int kind = 0; kind < SIM_FORGERY_COUNT; kind++) {
        sim_attacker attacker;
        sim_forged   forged;
        sim_attacker_init(&attacker, 7, host);
        sim_attacker_forge(&attacker, (sim_forgery)kind, victims, 1, &forged);
        bool down = sim_forgery_is_to_client((sim_forgery)kind);
        CHECK(sb_endpoints_equal(forged.to, down ? victims[0] : host));
        CHECK_EQ(sb_endpoints_equal(forged.from, host), down);
    }
}

TEST(disconnects_are_forged_under_all_sixteen_ids)
{
    sim_attacker attacker;
    uint32_t     ids = 0;
    sim_attacker_init(&attacker, 7, host);
    for (int i = 0; i < 16; i++) {
        sim_forged forged;
        sim_attacker_forge(&attacker, SIM_FORGE_DISCONNECT, victims, 1, &forged);
        CHECK(sb_endpoints_equal(forged.from, victims[0]));
        ids |= 1u << forged.bytes[0];
    }
    CHECK_EQ(ids, 0x3FFFCu);
}

TEST(a_forged_join_goes_on_from_the_address_of_its_connect)
{
    sim_attacker attacker;
    sim_forged   connect, answer;
    sim_attacker_init(&attacker, 7, host);
    for (int join = 0; join < 8; join++) {
        sim_attacker_forge(&attacker, SIM_FORGE_JOIN, victims, 2, &connect);
        CHECK_EQ(connect.bytes[0], SB_PEER_NONE);
        for (int i = 0; i < 16; i++) {
            sim_attacker_forge(&attacker, SIM_FORGE_JOIN, victims, 2, &answer);
            CHECK(sb_endpoints_equal(answer.from, connect.from));
            CHECK(answer.bytes[0] >= 2 && answer.bytes[0] <= 17);
        }
    }
}

TEST(one_datagram_of_acks_guesses_255_numbers)
{
    sim_attacker attacker;
    sim_forged   forged;
    uint8_t      plain[SIM_DATAGRAM_MAX];
    sb_datagram  parts;
    sim_attacker_init(&attacker, 7, host);
    sim_attacker_forge(&attacker, SIM_FORGE_ACKS, victims, 1, &forged);
    CHECK(decode(&forged, plain, &parts));
    CHECK_EQ(parts.message_count, 255);
}

TEST(forged_messages_carry_the_mark_of_the_attacker)
{
    sim_attacker         attacker;
    sim_forged           forged;
    uint8_t              plain[SIM_DATAGRAM_MAX];
    sb_datagram          parts;
    sb_transport_message m;
    size_t               at = 0;
    sim_attacker_init(&attacker, 7, host);
    sim_attacker_forge(&attacker, SIM_FORGE_UNRELIABLE, victims, 1, &forged);
    CHECK(decode(&forged, plain, &parts));
    CHECK(sb_datagram_next(&parts, &at, &m));
    CHECK(sim_is_forged(m.payload));
    CHECK(!sim_is_forged((sb_span){ m.payload.data + 1, m.payload.size - 1 }));
}

/* Marks and questions are Data at least 1,280 behind the first number (spec 01 §5.4, §10.8). */
static unsigned count_old(sim_forgery kind, uint16_t first, size_t payload_size)
{
    static sim_attacker attacker;
    unsigned            count = 0;
    sim_attacker_init(&attacker, 7, host);
    sim_attacker_add_first_number(&attacker, first);
    for (int i = 0; i < DATAGRAMS; i++) {
        sim_forged           forged;
        uint8_t              plain[SIM_DATAGRAM_MAX];
        sb_datagram          parts;
        sb_transport_message m;
        sim_attacker_forge(&attacker, kind, victims, 1, &forged);
        CHECK(decode(&forged, plain, &parts));
        for (size_t at = 0; sb_datagram_next(&parts, &at, &m);)
            count += m.type == SB_TRANSPORT_DATA && m.reliable && m.payload.size == payload_size &&
                     (uint16_t)(first - m.seq) >= 256 && (uint16_t)(first - m.seq) < 16384;
    }
    return count;
}

TEST(marks_and_questions_are_forged_under_old_numbers)
{
    CHECK(count_old(SIM_FORGE_MARKS, 0, 0) > DATAGRAMS);
    CHECK(count_old(SIM_FORGE_HOST_MARKS, 30000, 0) > DATAGRAMS);
    CHECK(count_old(SIM_FORGE_HOST_QUESTIONS, 30000, 1) > DATAGRAMS);
}

TEST(guesses_start_at_every_first_number_that_is_known)
{
    static sim_attacker attacker;
    unsigned            near_zero = 0, near_other = 0;
    sim_attacker_init(&attacker, 7, host);
    sim_attacker_add_first_number(&attacker, 40000);
    for (int i = 0; i < DATAGRAMS; i++) {
        sim_forged           forged;
        uint8_t              plain[SIM_DATAGRAM_MAX];
        sb_datagram          parts;
        sb_transport_message m;
        size_t               at = 0;
        sim_attacker_forge(&attacker, SIM_FORGE_GUESS, victims, 1, &forged);
        CHECK(decode(&forged, plain, &parts));
        CHECK(sb_datagram_next(&parts, &at, &m));
        near_zero += m.seq < 256;
        near_other += m.seq >= 40000 && m.seq < 40256;
    }
    CHECK(near_zero > DATAGRAMS / 8);
    CHECK(near_other > DATAGRAMS / 8);
}

TEST(copies_are_equal_and_others_follow)
{
    static sim_attacker attacker;
    static sim_forged   first[SIM_FORGED_COPIES];
    sim_forged          forged;
    sim_attacker_init(&attacker, 7, host);
    for (int i = 0; i < SIM_FORGED_COPIES; i++)
        sim_attacker_forge(&attacker, SIM_FORGE_COPIES, victims, 1, &first[i]);
    for (int copy = 1; copy < 5; copy++)
        for (int i = 0; i < SIM_FORGED_COPIES; i++) {
            sim_attacker_forge(&attacker, SIM_FORGE_COPIES, victims, 1, &forged);
            CHECK(forged.size == first[i].size);
            CHECK(memcmp(forged.bytes, first[i].bytes, forged.size) == 0);
        }
    sim_attacker_forge(&attacker, SIM_FORGE_COPIES, victims, 1, &forged);
    CHECK(memcmp(forged.bytes, first[0].bytes, forged.size) != 0);
}

TEST(half_of_a_flood_comes_from_the_network_of_the_victim)
{
    static sim_attacker attacker;
    unsigned            neighbours = 0;
    sim_attacker_init(&attacker, 7, host);
    for (int i = 0; i < DATAGRAMS; i++) {
        sim_forged forged;
        sim_attacker_forge(&attacker, SIM_FORGE_FLOOD, victims, 1, &forged);
        neighbours += forged.from.address >> 8 == victims[0].address >> 8;
    }
    CHECK(neighbours > DATAGRAMS / 3 && neighbours < DATAGRAMS * 2 / 3);
}

TEST(the_same_seed_forges_the_same_datagrams)
{
    static sim_attacker one, two, other;
    unsigned            differ = 0;
    sim_attacker_init(&one, 7, host);
    sim_attacker_init(&two, 7, host);
    sim_attacker_init(&other, 8, host);
    for (int i = 0; i < DATAGRAMS; i++) {
        sim_forged  a, b, c;
        sim_forgery kind = (sim_forgery)(i % SIM_FORGERY_COUNT);
        sim_attacker_forge(&one, kind, victims, 2, &a);
        sim_attacker_forge(&two, kind, victims, 2, &b);
        sim_attacker_forge(&other, kind, victims, 2, &c);
        CHECK(a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0);
        differ += a.size != c.size || memcmp(a.bytes, c.bytes, a.size) != 0;
    }
    CHECK(differ > DATAGRAMS / 2);
}
