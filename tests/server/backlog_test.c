/* tests/server/backlog_test.c -- the ring of relayed messages that wait for space in a queue, with
 * rings of a few bytes. Whole rooms after a stall: stall_test.c. */
#include "rig.h"

#include "base/bytes.h"
#include "server/server_internal.h"

#include <string.h>

enum { RING = 64, PLAYERS = 16, FIRST = 1, LAST = 1 << 15, MOD_OPCODE = 0xCD };

static uint8_t memory[8192];

static sb_backlog make_ring(uint32_t capacity)
{
    sb_backlog b;
    memset(&b, 0xEE, sizeof b);
    sb_backlog_init(&b, memory, capacity);
    return b;
}

/* Returns how many copies are lost. */
static unsigned add(sb_backlog *b, uint16_t receivers, size_t size)
{
    static const uint8_t message[BACKLOG_MESSAGE_MAX + 1] = { MOD_OPCODE };
    unsigned             lost = sb_backlog_add(b, receivers, (sb_span){ message, size });
    sb_backlog_check(b);
    return lost;
}

TEST(a_waiting_message_takes_a_header_and_whole_words)
{
    static const uint32_t words[] = { 0, 1, 1, 1, 1, 2, 2, 2, 2, 3 };
    for (uint32_t size = 0; size < sizeof words / sizeof *words; size++) {
        sb_backlog b = make_ring(RING);
        CHECK_EQ(add(&b, FIRST, size), 0);
        CHECK_EQ(b.used, 4 + 4 * words[size]);
    }
}

TEST(a_message_that_no_ring_holds_is_lost_for_all_receivers)
{
    sb_backlog large = make_ring(sizeof memory), small = make_ring(RING);
    CHECK_EQ(add(&large, FIRST | 2 | LAST, BACKLOG_MESSAGE_MAX), 0);
    CHECK_EQ(add(&large, FIRST | 2 | LAST, BACKLOG_MESSAGE_MAX + 1), 3);
    CHECK_EQ(large.waiting[0], 1);
    CHECK_EQ(large.waiting[15], 1);
    CHECK_EQ(add(&small, FIRST, RING - 4), 0);
    CHECK_EQ(add(&small, FIRST | LAST, RING - 3), 2);
    CHECK_EQ(small.waiting[15], 0);
}

TEST(a_full_ring_drops_the_oldest_messages_and_counts_copies)
{
    sb_backlog b = make_ring(RING);
    CHECK_EQ(add(&b, FIRST | LAST, 12), 0);
    for (unsigned i = 0; i < 3; i++) CHECK_EQ(add(&b, FIRST, 12), 0);
    CHECK_EQ(b.used, RING); /* four times 16 bytes: the last one ends where the ring ends */
    CHECK_EQ(add(&b, FIRST, 12), 2);
    CHECK_EQ(b.waiting[0], 4);
    CHECK_EQ(b.waiting[15], 0);
    CHECK_EQ(add(&b, FIRST, 28), 2);
    CHECK_EQ(b.waiting[0], 3);
    CHECK_EQ(add(&b, LAST, RING - 4), 3);
    CHECK_EQ(b.waiting[0], 0);
    CHECK_EQ(b.waiting[15], 1);
    CHECK_EQ(b.used, RING);
}

TEST(a_message_never_wraps_and_leaves_the_end_of_the_ring_empty)
{
    sb_backlog b = make_ring(RING);
    for (unsigned i = 0; i < 3; i++) CHECK_EQ(add(&b, FIRST, 16), 0);
    CHECK_EQ(add(&b, FIRST, 16), 1); /* 4 bytes are left at the end: a header fills them */
    CHECK_EQ(b.used, RING);
    CHECK_EQ(b.waiting[0], 3);
    b = make_ring(RING);
    for (unsigned i = 0; i < 3; i++) CHECK_EQ(add(&b, FIRST, 12), 0);
    CHECK_EQ(add(&b, FIRST, 16), 2); /* 16 bytes at the end stay empty; the new one needs 20 */
    CHECK_EQ(b.used, 16 + 16 + 20);
    CHECK_EQ(b.waiting[0], 2);
}

TEST(messages_of_a_slot_are_forgotten_and_others_wait_on)
{
    sb_backlog b = make_ring(RING);
    CHECK_EQ(add(&b, 1u << 4, 8), 0);
    CHECK_EQ(add(&b, FIRST | 1u << 4 | LAST, 8), 0);
    CHECK_EQ(add(&b, 1u << 4 | 1u << 5, 8), 0);
    sb_backlog_forget(&b, 4);
    sb_backlog_check(&b);
    CHECK_EQ(b.waiting[4], 0);
    CHECK_EQ(b.waiting[0] + b.waiting[5] + b.waiting[15], 3);
    sb_backlog_forget(&b, 15);
    sb_backlog_check(&b);
    CHECK_EQ(b.waiting[15], 0);
    CHECK_EQ(b.waiting[0] + b.waiting[5], 2);
}

/* ---- creations ---- */

static void add_creation(sb_backlog *b, uint8_t opcode, uint32_t id, size_t size)
{
    uint8_t message[12] = { opcode, SB_OP_PLAYER_OBJECT_CREATE };
    size_t  offset = opcode == SB_OP_PLAYER_OBJECT_CREATE ? 7 : 6; /* spec 07 §2 */
    sb_store_u32(message + offset, id);
    CHECK_EQ(sb_backlog_add(b, FIRST | LAST, (sb_span){ message, size }), 0);
}

TEST(only_creations_of_a_removed_object_are_forgotten)
{
    static const struct {
        uint8_t  opcode, size;
        uint32_t id, forgotten;
        bool     waits;
    } rows[] = {
        { 0x03, 11, 0x3FFFFFFF, 0x3FFFFFFF, false },
        { 0x02, 10, 0x3FFFFFFF, 0x3FFFFFFF, false },
        { 0x02, 11, 0x3FFFFFFF, 0x3FFFFFFF, false },
        { 0x03, 12, 0x3FFFFFFF, 0x3FFFFFFF, false },
        { 0x03, 11, 0x3FFFFFFF, 0x3FFFFFFE, true },
        { 0x02, 10, 0x3FFFFFFF, 0x3FFFFFFE, true },
        { 0x03, 10, 0x00FFFFFF, 0x00FFFFFF, true }, /* the last byte of the id is missing */
        { 0x02, 9, 0x00FFFFFF, 0x00FFFFFF, true },
        { 0x03, 10, 1, 1, true },
        { 0x01, 12, 0x3FFFFFFF, 0x3FFFFFFF, true }, /* no creation */
        { 0x04, 12, 0x3FFFFFFF, 0x3FFFFFFF, true },
        { MOD_OPCODE, 12, 0x3FFFFFFF, 0x3FFFFFFF, true },
        { MOD_OPCODE, 12, 1, 1, true },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memset(memory, 0, sizeof memory);
        sb_backlog b = make_ring(RING);
        add_creation(&b, rows[i].opcode, rows[i].id, rows[i].size);
        sb_backlog_forget_object(&b, rows[i].forgotten);
        sb_backlog_check(&b);
        CHECK_EQ(b.waiting[0], rows[i].waits);
        CHECK_EQ(b.waiting[15], rows[i].waits);
    }
}

/* The memory behind the newest message holds creations that waited there earlier. */
TEST(a_ring_is_not_read_beyond_its_newest_message)
{
    enum { SHIP = 0x3FFFFFFF };
    sb_backlog b = make_ring(RING);
    for (unsigned i = 0; i < 4; i++) add_creation(&b, 0x03, SHIP, 11);
    b = make_ring(RING);
    add_creation(&b, 0x03, SHIP, 11);
    add_creation(&b, 0x03, SHIP - 1, 11);
    sb_backlog_forget_object(&b, SHIP);
    sb_backlog_check(&b);
    CHECK_EQ(b.waiting[0], 1);
    add_creation(&b, 0x03, SHIP, 11);
    sb_backlog_forget_object(&b, SHIP); /* an entry that waits for nobody comes first */
    sb_backlog_check(&b);
    CHECK_EQ(b.waiting[0], 1);
}

/* ---- a room with a small ring ---- */

static room *open_full_room(void)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = PLAYERS;
    room *r = room_open(&c);
    for (unsigned i = 0; i < PLAYERS; i++) (void)room_join(r, "Player");
    for (unsigned i = 0; i < PLAYERS; i++) seat_forget(&r->seats[i]);
    return r;
}

/* A ring whose memory looks like messages of two bytes for the first two players. */
static void use_small_ring(room *r, uint32_t capacity)
{
    for (uint32_t i = 0; i < sizeof memory; i += 4) memcpy(memory + i, "\x03\x00\x02\x00", 4);
    sb_backlog_init(&r->server->backlog, memory, capacity);
}

static void let_wait(room *r, uint16_t receivers, uint8_t number, size_t size)
{
    uint8_t message[BACKLOG_MESSAGE_MAX] = { MOD_OPCODE, number };
    memset(message + 2, number, size - 2);
    CHECK_EQ(sb_backlog_add(&r->server->backlog, receivers, (sb_span){ message, size }), 0);
    sb_backlog_check(&r->server->backlog);
}

static void expect_number(seat *s, uint8_t number, size_t size)
{
    uint8_t expected[BACKLOG_MESSAGE_MAX] = { MOD_OPCODE, number };
    memset(expected + 2, number, size - 2);
    sb_span message = seat_next(s);
    CHECK_BYTES(message.data, message.size, expected, size);
}

TEST(waiting_messages_reach_their_receivers_in_order)
{
    room    *r = open_full_room();
    seat    *first = &r->seats[0], *last = &r->seats[PLAYERS - 1];
    uint64_t relayed = COUNTED(r, SB_SERVER_COUNT_RELAYED);
    use_small_ring(r, RING);
    for (uint8_t n = 1; n < 100; n++) { /* around the ring, several times */
        size_t one = 2 + n % 11, other = 2 + n % 7;
        let_wait(r, FIRST | LAST, n, one);
        let_wait(r, FIRST, n, other);
        sb_server_advance(r->server, r->now); /* one call passes both on */
        CHECK_EQ(r->server->backlog.used, 0);
        room_step(r);
        expect_number(first, n, one);
        expect_number(first, n, other);
        expect_number(last, n, one);
        EXPECT_QUIET(first);
        EXPECT_QUIET(last);
        relayed += 3;
        CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_RELAYED), relayed);
    }
    EXPECT_QUIET(&r->seats[1]);
}

/* Lines of the server, which need no reserve, fill the queue of a player whose link is cut. */
static void fill_queue(room *r, seat *s)
{
    s->address.port = 1;
    while (sb_transport_host_free_bytes(r->server->transport, s->id) > RELAY_QUEUE_RESERVE + 600) {
        sb_server_say(r->server, r->now, (sb_span){ (const uint8_t *)"fill", 4 });
        room_step(r);
    }
    for (unsigned i = 0; i < r->seat_count; i++) seat_forget(&r->seats[i]);
}

TEST(a_message_waits_until_it_fits_and_none_overtakes_it)
{
    room       *r = open_full_room();
    seat       *slow = &r->seats[0], *other = &r->seats[1];
    sb_endpoint real = slow->address;
    fill_queue(r, slow);
    use_small_ring(r, sizeof memory);
    size_t fits =
        sb_transport_host_free_bytes(r->server->transport, slow->id) - RELAY_QUEUE_RESERVE;
    let_wait(r, FIRST | 2, 1, fits + 1);
    let_wait(r, FIRST | 2, 2, 4);
    room_step(r);
    expect_number(other, 1, fits + 1);
    expect_number(other, 2, 4);
    CHECK_EQ(r->server->backlog.waiting[0], 2);
    CHECK(sb_server_backlog_bytes(r->server) > 0);
    let_wait(r, 2, 3, 4); /* the slow player is not ready, and keeps its messages */
    room_step(r);
    expect_number(other, 3, 4);
    CHECK_EQ(r->server->backlog.waiting[0], 2);
    slow->address = real;
    room_wait(r, 5 * SB_SECOND);
    while (slow->heard_next < slow->heard_count &&
           slow->heard[slow->heard_next].bytes[0] != MOD_OPCODE)
        slow->heard_next++; /* what filled the queue */
    expect_number(slow, 1, fits + 1);
    expect_number(slow, 2, 4);
    EXPECT_QUIET(slow);
}

TEST(a_message_that_leaves_exactly_the_reserve_is_passed_on)
{
    room *r = open_full_room();
    seat *slow = &r->seats[0];
    fill_queue(r, slow);
    use_small_ring(r, sizeof memory);
    size_t free_bytes = sb_transport_host_free_bytes(r->server->transport, slow->id);
    let_wait(r, FIRST, 1, free_bytes - RELAY_QUEUE_RESERVE);
    room_step(r);
    CHECK_EQ(r->server->backlog.used, 0);
}

TEST(a_player_who_is_being_removed_gets_no_waiting_message)
{
    room *r = open_full_room();
    seat *kicked = &r->seats[0];
    use_small_ring(r, RING);
    let_wait(r, FIRST | LAST, 1, 8);
    CHECK(sb_server_kick(r->server, r->now, kicked->id, (sb_span){ (const uint8_t *)"out", 3 }));
    CHECK(seat_is_removed(r, kicked));
    CHECK_EQ(kicked->by_opcode[MOD_OPCODE], 0);
    expect_number(&r->seats[PLAYERS - 1], 1, 8);
    CHECK_EQ(r->server->backlog.used, 0);
    CHECK_EQ(sb_server_backlog_bytes(r->server), 0);
}
