/* tests/transport/early_names_test.c -- Names that come before the proof of a newcomer.
 *
 * For:      src/transport/early_names.c, and host_seats.c, which asks for the proof.
 * Spec:     01 §5.4.
 */
#include "marks_rig.h"
#include "transport/early_names.h"

#include <string.h>

enum { SEATS = 4, ID = 7 };

/* Gives a datagram with one message to `names`. */
static void note(sb_early_names *names, sb_time now, sb_endpoint from,
                 const sb_transport_message *m)
{
    rig_pack    p;
    sb_datagram datagram;
    rig_pack_init(&p, ID);
    rig_pack_add(&p, m);
    sb_span bytes = { p.bytes, p.writer.size };
    CHECK_EQ(sb_decode_datagram(bytes, &datagram, NULL), SB_OK);
    sb_early_names_note(names, now, from, ID, &datagram);
}

static sb_transport_message name_of(sb_span payload)
{
    return (sb_transport_message){
        .type = SB_TRANSPORT_NAME, .reliable = true, .priority = true, .seq = 1, .payload = payload
    };
}

static bool is_kept(sb_early_names *names, sb_time now, sb_endpoint from, uint8_t id,
                    sb_span payload)
{
    sb_transport_message m;
    if (!sb_early_names_take(names, now, from, id, &m)) return false;
    CHECK_EQ(m.type, SB_TRANSPORT_NAME);
    CHECK(m.reliable && m.priority);
    CHECK_EQ(m.seq, 1);
    CHECK_BYTES(m.payload.data, m.payload.size, payload.data, payload.size);
    return true;
}

static const sb_span kirk = { (const uint8_t *)"\x07\x0A\x0A\x0A\xEFK\0\0", 9 };
static const sb_span other = { (const uint8_t *)"\x07\x09\x09\x09\x09Q\0", 8 };

TEST(an_early_name_is_kept_for_a_second_and_taken_once)
{
    for (int late = 0; late < 2; late++) {
        sb_early_names       names = { 0 };
        sb_transport_message m = name_of(kirk);
        note(&names, RIG_START, rig_endpoint(1), &m);
        sb_time now = RIG_START + SB_SECOND + late;
        CHECK(!is_kept(&names, now, rig_endpoint(2), ID, kirk));
        CHECK(!is_kept(&names, now, rig_endpoint(1), ID + 1, kirk));
        CHECK(!is_kept(&names, now, (sb_endpoint){ rig_endpoint(1).address, 9 }, ID, kirk));
        CHECK_EQ(is_kept(&names, now, rig_endpoint(1), ID, kirk), !late);
        CHECK(!is_kept(&names, RIG_START, rig_endpoint(1), ID, kirk));
    }
}

TEST(a_later_early_name_replaces_the_first)
{
    sb_early_names       names = { 0 };
    sb_transport_message first = name_of(other), second = name_of(kirk);
    note(&names, RIG_START, rig_endpoint(1), &first);
    note(&names, RIG_START + 1, rig_endpoint(1), &second);
    CHECK(is_kept(&names, RIG_START + SB_SECOND + 1, rig_endpoint(1), ID, kirk));
    CHECK(!is_kept(&names, RIG_START, rig_endpoint(1), ID, kirk));
}

TEST(names_of_four_newcomers_are_kept)
{
    sb_early_names       names = { 0 };
    sb_transport_message m = name_of(kirk);
    for (unsigned i = 1; i <= SB_EARLY_NAMES + 1; i++) note(&names, RIG_START, rig_endpoint(i), &m);
    CHECK(!is_kept(&names, RIG_START, rig_endpoint(1), ID, kirk));
    for (unsigned i = 2; i <= SB_EARLY_NAMES + 1; i++)
        CHECK(is_kept(&names, RIG_START, rig_endpoint(i), ID, kirk));
}

TEST(only_a_first_name_under_the_right_id_is_kept)
{
    uint8_t              longest[SB_EARLY_NAME_BYTES + 1] = { ID };
    sb_early_names       names = { 0 };
    sb_transport_message m = name_of(kirk);
    m.seq = 2;
    note(&names, RIG_START, rig_endpoint(1), &m);
    m = name_of(kirk), m.reliable = m.priority = false;
    note(&names, RIG_START, rig_endpoint(1), &m);
    m = name_of(kirk), m.type = SB_TRANSPORT_DISCONNECT;
    note(&names, RIG_START, rig_endpoint(1), &m);
    m = name_of(rig_hex("08 0A 0A 0A EF 4B 00 00 00"));
    note(&names, RIG_START, rig_endpoint(1), &m);
    m = name_of(rig_hex("07 0A 0A 0A"));
    note(&names, RIG_START, rig_endpoint(1), &m);
    m = name_of((sb_span){ longest, sizeof longest });
    note(&names, RIG_START, rig_endpoint(1), &m);
    CHECK(!is_kept(&names, RIG_START, rig_endpoint(1), ID, kirk));
    m.payload.size--;
    note(&names, RIG_START, rig_endpoint(1), &m);
    CHECK(is_kept(&names, RIG_START, rig_endpoint(1), ID, m.payload));
    m = name_of(rig_hex("07 0A 0A 0A EF"));
    note(&names, RIG_START, rig_endpoint(1), &m);
    CHECK(is_kept(&names, RIG_START, rig_endpoint(1), ID, m.payload));
}

/* ---- At a host that asks newcomers for proof ---- */

static rig *open_asking_host(uint8_t *id)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.max_peers = SEATS;
    rig *r = rig_open_host(&config);
    for (unsigned i = 1; i <= 2; i++) {
        uint8_t ack[] = { rig_told_id(r, rig_endpoint(i)), 1, 1, 0, 0, 2 };
        CHECK_EQ(rig_give(r, rig_endpoint(i), (sb_span){ ack, sizeof ack }), SB_OK);
        EXPECT_JOINED(r, ack[0]);
    }
    *id = rig_told_id(r, rig_endpoint(3));
    return r;
}

static sb_result give_name(rig *r, uint8_t id, const char *name)
{
    rig_pack p;
    rig_pack_init(&p, id);
    rig_pack_name(&p, 1, id, rig_wide(name));
    return rig_give(r, rig_endpoint(3), rig_packed(&p));
}

/* Otherwise a stranger would have a second to name the player. */
TEST(a_newcomer_has_the_name_that_it_sent_before_its_proof)
{
    uint8_t id;
    rig    *r = open_asking_host(&id);
    CHECK_EQ(give_name(r, id, "Kirk"), SB_NOT_ALLOWED);
    CHECK(rig_prove(r, rig_endpoint(3), id));
    EXPECT_JOINED(r, id);
    EXPECT_NAMED(r, id, "Kirk");
    rig_wait(r, SB_SECOND);
    CHECK_EQ(rig_count_acks(r), 0); /* a stranger may have sent it: the client repeats its own */
    CHECK_EQ(give_name(r, id, "Kirk"), SB_OK);
    EXPECT_NO_EVENT(r); /* once */
    rig_step(r);
    CHECK_EQ(rig_count_acks(r), 1);
    (void)give_name(r, id, "Forged");
    rig_wait(r, 10 * SB_SECOND);
    EXPECT_NO_EVENT(r);
}

TEST(a_newcomer_without_an_early_name_sends_it_later)
{
    uint8_t id;
    rig    *r = open_asking_host(&id);
    CHECK_EQ(give_name(r, id, "Old"), SB_NOT_ALLOWED);
    rig_wait(r, SB_SECOND + 1);
    CHECK(rig_prove(r, rig_endpoint(3), id));
    EXPECT_JOINED(r, id);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(give_name(r, id, "Kirk"), SB_OK);
    EXPECT_NAMED(r, id, "Kirk");
}

/* Whoever forges a join before the player comes may have sent the early Name. */
TEST(the_own_name_replaces_the_early_one_of_a_stranger)
{
    uint8_t  id;
    rig     *r = open_asking_host(&id);
    rig_pack p;
    uint16_t marks[SB_MARKS_COUNT];
    CHECK_EQ(give_name(r, id, "Forged"), SB_NOT_ALLOWED);
    CHECK(rig_prove(r, rig_endpoint(3), id));
    EXPECT_JOINED(r, id);
    EXPECT_NAMED(r, id, "Forged");
    rig_forget(r);
    (void)give_name(r, id, "Kirk"); /* one of the two is forged: the host asks */
    rig_read_marks(r, rig_endpoint(3), marks);
    rig_pack_init_marked(&p, id, marks);
    rig_pack_name(&p, 1, id, rig_wide("Kirk"));
    GIVE_PACK(r, rig_endpoint(3), &p);
    rig_wait(r, 5 * SB_SECOND);
    EXPECT_NAMED(r, id, "Kirk");
}
