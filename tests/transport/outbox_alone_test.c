/* tests/transport/outbox_alone_test.c -- the outbox without a session: memory, windows, repeats.
 *
 * For:      src/transport/outbox.c. outbox_test.c, parts_test.c and timing_test.c have its use.
 * Spec:     01 §6.2, §6.5, §6.6, §6.9, §7.1.
 */
#include "rig.h"
#include "transport/outbox.h"

#include <string.h>

enum { CELLS = 8192, NUMBERS = 16, CONTROL = SB_TRANSPORT_NAME };

static const sb_send_bounds wide = { NUMBERS, 1 << 20, 1 << 20 };

/* An outbox that may use `cells` cells. */
static sb_outbox *open_outbox(uint32_t cells, const sb_send_bounds *bounds, sb_resend_pace pace)
{
    static sb_outbox outbox;
    static sb_cells  pool;
    static sb_cell   memory[CELLS];
    static uint32_t  tables[NUMBERS + SB_LOW_WINDOW];
    CHECK(cells <= CELLS && bounds->numbers <= NUMBERS);
    memset(&outbox, 0xA5, sizeof outbox);
    memset(tables, 0xA5, sizeof tables);
    sb_cells_init(&pool, memory, cells, 0, 0);
    sb_outbox_init(&outbox, &pool, cells, pace, bounds, tables);
    return &outbox;
}

static sb_outbox *open_wide(sb_resend_pace pace)
{
    return open_outbox(CELLS, &wide, pace);
}

static sb_result queue(sb_outbox *o, size_t size)
{
    return sb_outbox_queue_data(o, SB_RELIABLE, rig_pattern(size, 1));
}

/* Describes the datagram that is due at `now`, with at most `limit` messages. */
static const char *written(sb_outbox *o, sb_time now, uint32_t limit)
{
    rig_sent           sent;
    sb_datagram_writer w;
    sb_datagram_writer_init(&w, sent.plain, SB_DATAGRAM_MAX, SB_PEER_HOST);
    (void)sb_outbox_write(o, now, &w, limit);
    sent.size = w.size;
    sb_outbox_check(o);
    return rig_describe(&sent);
}

/* Sends all that the window allows. */
static void write_all(sb_outbox *o, sb_time now)
{
    for (unsigned i = 0; sb_outbox_has_new(o); i++) {
        CHECK(i < 2000);
        (void)written(o, now, 255);
    }
}

static bool acknowledge(sb_outbox *o, sb_time now, uint16_t seq, uint8_t flags, uint8_t index)
{
    sb_transport_message ack = {
        .type = SB_TRANSPORT_ACK, .seq = seq, .ack_flags = flags, .frag_index = index
    };
    bool expected = sb_outbox_expects(o, &ack);
    bool matched = sb_outbox_acknowledge(o, now, &ack);
    if (!o->plain_fragment_acks) CHECK_EQ(matched, expected);
    sb_outbox_check(o);
    return matched;
}

/* ---- Windows that grow ---- */

/* An outbox with small windows that starts at the number `first`. */
static sb_outbox *open_few(uint16_t first)
{
    static const sb_send_bounds bounds = { 256, 1 << 20, 1 << 20 };
    static uint32_t             tables[256 + SB_LOW_WINDOW], few[SB_FEW_WINDOWS];
    sb_outbox                  *o = open_wide(SB_PACE_STOCK);
    sb_cells                   *pool = o->cells;
    memset(tables, 0xA5, sizeof tables);
    sb_outbox_init_few(o, pool, CELLS, SB_PACE_STOCK, &bounds, tables, few);
    o->channels[SB_CHANNEL_DATA].next_seq = o->channels[SB_CHANNEL_DATA].oldest = first;
    o->channels[SB_CHANNEL_LOW].next_seq = o->channels[SB_CHANNEL_LOW].oldest = first;
    return o;
}

TEST(a_window_grows_to_its_bound_and_forgets_nothing)
{
    for (uint16_t first = 65500; first != 100; first = (uint16_t)(first + 8)) {
        sb_outbox *o = open_few(first);
        for (unsigned i = 0; i < 64; i++) CHECK_EQ(queue(o, 1), SB_OK);
        write_all(o, 0);
        CHECK_EQ(o->tables[0], 0xA5A5A5A5); /* not touched yet */
        for (unsigned i = 0; i < 236; i++) CHECK_EQ(queue(o, i % 2 ? 1 : 500), SB_OK);
        for (unsigned i = 0; i < 300; i++)
            CHECK_EQ(sb_outbox_queue_control(o, CONTROL, rig_pattern(3, 1)), SB_OK);
        write_all(o, 0);
        CHECK_EQ(o->channels[SB_CHANNEL_DATA].queue.count, 300 - 256 + (300 - 256) / 2);
        CHECK_EQ(o->channels[SB_CHANNEL_LOW].queue.count, 300 - SB_LOW_WINDOW);
        for (unsigned i = 0; i < 256; i++) {
            uint16_t seq = (uint16_t)(first + i);
            bool     whole = i < 64 || i % 2 == 1;
            CHECK(acknowledge(o, 0, seq, SB_ACK_LOW_CHANNEL, 0));
            CHECK(acknowledge(o, 0, seq, whole ? 0 : SB_ACK_FRAGMENT, 0));
            if (!whole) CHECK(acknowledge(o, 0, seq, SB_ACK_FRAGMENT, 1));
        }
        CHECK_EQ(sb_outbox_unacknowledged(o), 0);
    }
}

/* ---- Memory ---- */

/* Cells of the parts that spec 01 §7.1 makes of a payload. */
static uint32_t cells_of(size_t size)
{
    uint32_t cells = 0;
    if (size <= 407) return sb_cells_needed(size);
    for (size_t at = 0, part = 405; at < size; at += part, part = 406)
        cells += sb_cells_needed(size - at < part ? size - at : part);
    return cells;
}

TEST(a_message_is_queued_exactly_if_its_cells_are_free)
{
    static const size_t sizes[] = { 1,    84,   85,   407,  408,  488,   489,   490,
                                    612,  613,  811,  812,  895,  896,   1217,  1218,
                                    1301, 1302, 2029, 2030, 9999, 25983, 25984, SB_PAYLOAD_MAX };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint32_t   cells = cells_of(sizes[i]);
        sb_outbox *o = open_outbox(SB_CONTROL_CELLS + cells, &wide, SB_PACE_STOCK);
        CHECK_EQ(queue(o, sizes[i]), SB_OK);
        CHECK_EQ(o->account.used, cells);
        o = open_outbox(SB_CONTROL_CELLS + cells - 1, &wide, SB_PACE_STOCK);
        CHECK_EQ(queue(o, sizes[i]), SB_FULL);
        CHECK_EQ(sb_outbox_queued(o), 0);
        sb_outbox_check(o);
    }
}

TEST(free_bytes_are_what_the_free_cells_can_hold)
{
    static const size_t cases[][2] = {
        { 0, 0 },
        { 1, 84 },
        { 2, 208 },
        { 3, 332 },
        { 4, 407 },
        { 5, 407 },
        { 7, 407 },
        { 8, 811 },
        { 9, 811 },
        { 11, 811 },
        { 12, 1217 },
        { 15, 1217 },
        { 16, 1623 },
        { 1019, 103123 },
        { 1020, SB_PAYLOAD_MAX },
        { 1024, SB_PAYLOAD_MAX },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t   cells = SB_CONTROL_CELLS + (uint32_t)cases[i][0];
        sb_outbox *o = open_outbox(cells, &wide, SB_PACE_STOCK);
        CHECK_EQ(sb_outbox_free_bytes(o), cases[i][1]);
        if (cases[i][1] > 0) CHECK_EQ(queue(o, cases[i][1]), SB_OK); /* it is true */
    }
    CHECK_EQ(sb_outbox_free_bytes(open_outbox(SB_CONTROL_CELLS - 1, &wide, SB_PACE_STOCK)), 0);
}

TEST(free_bytes_count_the_free_entries_of_the_queue)
{
    sb_outbox *o = open_wide(SB_PACE_STOCK);
    for (unsigned i = 0; i < SB_QUEUE_MAX - 3; i++) CHECK_EQ(queue(o, 1), SB_OK);
    CHECK_EQ(sb_outbox_free_bytes(o), 1217);
    CHECK_EQ(queue(o, 1218), SB_FULL); /* four fragments */
    CHECK_EQ(queue(o, 1), SB_OK);
    CHECK_EQ(sb_outbox_free_bytes(o), 811);
    CHECK_EQ(queue(o, 1), SB_OK);
    CHECK_EQ(sb_outbox_free_bytes(o), 407);
    CHECK_EQ(queue(o, 407), SB_OK);
    CHECK_EQ(sb_outbox_free_bytes(o), 0);
    CHECK_EQ(queue(o, 1), SB_FULL);
    CHECK_EQ(sb_outbox_queued(o), SB_QUEUE_MAX);
}

TEST(each_of_the_three_queues_holds_1024_messages)
{
    sb_outbox *o = open_wide(SB_PACE_STOCK);
    sb_span    byte = rig_pattern(1, 0);
    for (unsigned i = 0; i < SB_QUEUE_MAX; i++) {
        CHECK_EQ(queue(o, 1), SB_OK);
        CHECK_EQ(sb_outbox_queue_data(o, SB_UNRELIABLE, byte), SB_OK);
        CHECK_EQ(sb_outbox_queue_control(o, CONTROL, byte), SB_OK);
    }
    CHECK_EQ(queue(o, 1), SB_FULL);
    CHECK_EQ(sb_outbox_queue_data(o, SB_UNRELIABLE, byte), SB_FULL);
    CHECK_EQ(sb_outbox_queue_control(o, CONTROL, byte), SB_FULL);
    CHECK_EQ(sb_outbox_queued(o), 3 * SB_QUEUE_MAX);
    size_t at = 0;
    CHECK_EQ(sb_outbox_queue_part(o, rig_pattern(500, 0), &at), SB_FULL);
    CHECK_EQ(at, 0);
    sb_outbox_check(o);
}

TEST(a_part_needs_one_entry_of_the_queue_of_data)
{
    sb_outbox *o = open_wide(SB_PACE_STOCK);
    sb_span    message = rig_pattern(500, 0);
    size_t     at = 0;
    for (unsigned i = 0; i < SB_QUEUE_MAX - 1; i++) CHECK_EQ(queue(o, 1), SB_OK);
    CHECK_EQ(sb_outbox_queue_part(o, message, &at), SB_OK);
    CHECK_EQ(at, 405);
    CHECK_EQ(sb_outbox_queue_part(o, message, &at), SB_FULL);
    CHECK_EQ(at, 405);
}

TEST(a_datagram_is_filled_to_its_last_byte)
{
    sb_outbox *o = open_wide(SB_PACE_STOCK);
    CHECK_EQ(queue(o, 407), SB_OK);
    CHECK_EQ(queue(o, 93), SB_OK);
    CHECK_TEXT(written(o, RIG_START, 255), "Data 0, Data 1"); /* 2 + 412 + 98 bytes */
    CHECK_EQ(queue(o, 407), SB_OK);
    CHECK_EQ(queue(o, 94), SB_OK);
    CHECK_TEXT(written(o, RIG_START, 255), "Data 2");
}

TEST(control_messages_use_the_cells_that_data_leaves)
{
    sb_outbox *o = open_outbox(SB_CONTROL_CELLS + 1, &wide, SB_PACE_STOCK);
    CHECK_EQ(queue(o, 1), SB_OK);
    CHECK_EQ(sb_outbox_queue_data(o, SB_UNRELIABLE, rig_pattern(1, 0)), SB_FULL);
    for (unsigned i = 0; i < SB_CONTROL_CELLS - 1; i++)
        CHECK_EQ(sb_outbox_queue_control(o, CONTROL, rig_pattern(9, 0)), SB_OK);
    CHECK_EQ(sb_outbox_queue_control(o, CONTROL, rig_pattern(85, 0)), SB_FULL); /* two cells */
    CHECK_EQ(sb_outbox_queue_control(o, CONTROL, rig_pattern(84, 0)), SB_OK);
    CHECK_EQ(sb_outbox_queue_control(o, CONTROL, rig_pattern(1, 0)), SB_FULL);
}

TEST(a_message_of_407_bytes_is_whole_and_one_of_408_is_not)
{
    sb_outbox *o = open_wide(SB_PACE_STOCK);
    CHECK_EQ(sb_outbox_queue_data(o, SB_UNRELIABLE, rig_pattern(407, 0)), SB_OK);
    CHECK_TEXT(written(o, RIG_START, 255), "Data");
    CHECK_EQ(sb_outbox_queue_data(o, SB_UNRELIABLE, rig_pattern(408, 0)), SB_OK);
    CHECK_TEXT(written(o, RIG_START, 255), "Data 0/0, Data 0/1");
    size_t at = 0;
    CHECK_EQ(sb_outbox_queue_part(o, rig_pattern(407, 0), &at), SB_OK);
    CHECK_EQ(at, 407);
    CHECK_TEXT(written(o, RIG_START, 255), "Data 1");
    at = 0;
    CHECK_EQ(sb_outbox_queue_part(o, rig_pattern(408, 0), &at), SB_OK);
    CHECK_EQ(at, 405);
    CHECK_TEXT(written(o, RIG_START, 255), "Data 2/0");
}

TEST(control_messages_have_priority_and_data_has_none)
{
    rig_sent             sent;
    sb_datagram_writer   w;
    sb_transport_message m;
    sb_outbox           *o = open_wide(SB_PACE_STOCK);
    CHECK_EQ(queue(o, 1), SB_OK);
    CHECK_EQ(sb_outbox_queue_control(o, CONTROL, rig_pattern(9, 0)), SB_OK);
    sb_datagram_writer_init(&w, sent.plain, SB_DATAGRAM_MAX, SB_PEER_HOST);
    CHECK_EQ(sb_outbox_write(o, RIG_START, &w, 255), 2);
    sent.size = w.size;
    for (size_t i = 0; i < 2; i++) {
        CHECK(rig_message(&sent, i, &m));
        CHECK_EQ(m.priority, m.type == CONTROL);
        CHECK(m.reliable && !m.fragment);
    }
}

/* ---- A message in parts ---- */

TEST(a_part_needs_its_own_cells_and_those_of_control_messages)
{
    size_t     at = 0;
    sb_span    message = rig_pattern(405 + 84, 0);
    sb_outbox *o = open_outbox(SB_CONTROL_CELLS + 3, &wide, SB_PACE_STOCK);
    CHECK_EQ(sb_outbox_queue_part(o, message, &at), SB_FULL); /* four cells */
    CHECK_EQ(at, 0);
    CHECK_EQ(sb_outbox_queue_part(o, rig_pattern(332, 0), &at), SB_OK); /* short: three */
    at = 0;
    o = open_outbox(SB_CONTROL_CELLS + 4, &wide, SB_PACE_STOCK);
    CHECK_EQ(sb_outbox_queue_part(o, message, &at), SB_OK);
    CHECK_EQ(sb_outbox_queue_part(o, message, &at), SB_FULL);
    CHECK_EQ(at, 405);
    at = 0;
    o = open_outbox(SB_CONTROL_CELLS + 5, &wide, SB_PACE_STOCK);
    CHECK_EQ(sb_outbox_queue_part(o, message, &at), SB_OK);
    CHECK_EQ(sb_outbox_queue_part(o, message, &at), SB_OK); /* the last part has 84 bytes */
    CHECK_EQ(at, message.size);
    CHECK_EQ(sb_outbox_queue_part(o, message, &at), SB_NOT_ALLOWED);
}

TEST(the_longest_message_fits_in_parts_and_no_longer_one)
{
    size_t     at = 0;
    sb_outbox *o = open_wide(SB_PACE_STOCK);
    sb_span    message = rig_pattern(SB_PAYLOAD_MAX, 0);
    for (unsigned i = 0; i < 255; i++) CHECK_EQ(sb_outbox_queue_part(o, message, &at), SB_OK);
    CHECK_EQ(at, SB_PAYLOAD_MAX);
    CHECK_EQ(sb_outbox_queued(o), 255);
    at = 0;
    message.size++;
    CHECK_EQ(sb_outbox_queue_part(o, message, &at), SB_BAD_VALUE);
    CHECK_EQ(queue(o, SB_PAYLOAD_MAX), SB_OK);
    CHECK_EQ(sb_outbox_queue_data(o, SB_RELIABLE, message), SB_BAD_VALUE);
}

TEST(a_cleared_outbox_begins_a_new_message_in_parts)
{
    size_t     at = 0;
    sb_outbox *o = open_wide(SB_PACE_STOCK);
    sb_span    message = rig_pattern(1000, 0);
    CHECK_EQ(sb_outbox_queue_part(o, message, &at), SB_OK);
    CHECK_EQ(queue(o, 5), SB_OK);
    CHECK_EQ(sb_outbox_queue_data(o, SB_UNRELIABLE, rig_pattern(9, 0)), SB_OK);
    CHECK_EQ(sb_outbox_queue_control(o, CONTROL, rig_pattern(9, 0)), SB_OK);
    (void)written(o, RIG_START, 2);
    CHECK_EQ(sb_outbox_unacknowledged(o), 2); /* the control message and the first part */
    sb_outbox_clear_data(o);
    sb_outbox_check(o);
    CHECK_EQ(sb_outbox_unacknowledged(o), 1); /* the control message stays */
    CHECK_EQ(sb_outbox_queued(o), 0);
    CHECK_EQ(sb_outbox_waits_since(o), RIG_START);
    at = 0;
    CHECK_EQ(sb_outbox_queue_part(o, message, &at), SB_OK);
    CHECK_TEXT(written(o, RIG_START, 255), "Data 2/0"); /* numbers go on */
    sb_outbox_clear(o);
    sb_outbox_check(o);
    CHECK_EQ(sb_outbox_unacknowledged(o), 0);
    CHECK_EQ(sb_outbox_waits_since(o), SB_TIME_NEVER);
    CHECK_EQ(sb_outbox_resend_at(o), SB_TIME_NEVER);
    CHECK_EQ(o->account.used, 0);
}

/* Numbers that were cleared unsent are behind the window. */
TEST(a_cleared_outbox_has_its_whole_window)
{
    sb_outbox *o = open_wide(SB_PACE_STOCK);
    for (unsigned i = 0; i < NUMBERS; i++) CHECK_EQ(queue(o, 1), SB_OK);
    sb_outbox_clear_data(o);
    CHECK_EQ(queue(o, 1), SB_OK);
    CHECK_TEXT(written(o, RIG_START, 255), "Data 16");
}

/* ---- Windows ---- */

TEST(the_bytes_in_flight_are_limited_to_the_byte)
{
    sb_send_bounds bounds = { NUMBERS, 1000, 1 << 20 };
    sb_outbox     *o = open_outbox(CELLS, &bounds, SB_PACE_STOCK);
    CHECK_EQ(queue(o, 400), SB_OK);
    CHECK_EQ(queue(o, 400), SB_OK);
    CHECK_EQ(queue(o, 200), SB_OK);
    CHECK_EQ(queue(o, 1), SB_OK);
    write_all(o, RIG_START);
    CHECK_EQ(sb_outbox_unacknowledged(o), 3); /* 1000 bytes */
    CHECK(acknowledge(o, RIG_START, 2, 0, 0));
    CHECK(sb_outbox_has_new(o));
    CHECK_TEXT(written(o, RIG_START, 255), "Data 3");
}

TEST(the_bytes_since_the_oldest_message_are_limited_to_the_byte)
{
    sb_send_bounds bounds = { NUMBERS, 1 << 20, 1000 };
    sb_outbox     *o = open_outbox(CELLS, &bounds, SB_PACE_STOCK);
    CHECK_EQ(queue(o, 400), SB_OK);
    CHECK_EQ(queue(o, 400), SB_OK);
    CHECK_EQ(queue(o, 200), SB_OK);
    CHECK_EQ(queue(o, 1), SB_OK);
    write_all(o, RIG_START);
    CHECK_EQ(sb_outbox_unacknowledged(o), 3);
    CHECK(acknowledge(o, RIG_START, 1, 0, 0));
    CHECK(acknowledge(o, RIG_START, 2, 0, 0));
    CHECK(!sb_outbox_has_new(o)); /* the receiver keeps both until it has the first */
    CHECK(acknowledge(o, RIG_START, 0, 0, 0));
    CHECK_TEXT(written(o, RIG_START, 255), "Data 3");
}

/* Whichever fragments of the oldest message are acknowledged, it counts from its first byte. */
TEST(an_oldest_message_in_fragments_counts_from_its_first_byte)
{
    for (unsigned acked = 0; acked < 7; acked++)
        for (uint32_t less = 0; less < 2; less++) {
            sb_send_bounds bounds = { NUMBERS, 1 << 20, 50 + 1217 + 400 - less };
            sb_outbox     *o = open_outbox(CELLS, &bounds, SB_PACE_STOCK);
            CHECK_EQ(queue(o, 50), SB_OK);
            CHECK_EQ(queue(o, 1217), SB_OK);
            write_all(o, RIG_START);
            CHECK_EQ(sb_outbox_unacknowledged(o), 4);
            for (uint8_t i = 0; i < 3; i++)
                if (acked >> i & 1) CHECK(acknowledge(o, RIG_START, 1, SB_ACK_FRAGMENT, i));
            CHECK_EQ(queue(o, 400), SB_OK);
            CHECK_EQ(sb_outbox_has_new(o), less == 0);
            CHECK(acknowledge(o, RIG_START, 0, 0, 0)); /* 50 bytes less */
            CHECK_EQ(queue(o, 50), SB_OK);
            write_all(o, RIG_START);
            CHECK_EQ(sb_outbox_queued(o), less);
        }
}

TEST(an_open_message_counts_with_all_its_bytes)
{
    for (uint32_t less = 0; less < 2; less++)
        for (int older = 0; older < 2; older++) {
            uint32_t       before = older ? 400 : 0;
            sb_send_bounds bounds = { NUMBERS, 1 << 20, before + 1217 + 400 - less };
            sb_outbox     *o = open_outbox(CELLS, &bounds, SB_PACE_STOCK);
            size_t         at = 0;
            if (older) CHECK_EQ(queue(o, 400), SB_OK);
            CHECK_EQ(sb_outbox_queue_part(o, rig_pattern(1217, 0), &at), SB_OK);
            CHECK_EQ(queue(o, 400), SB_OK);
            write_all(o, RIG_START);
            CHECK_EQ(sb_outbox_queued(o), less);
            CHECK(acknowledge(o, RIG_START, older ? 1 : 0, SB_ACK_FRAGMENT, 0));
            CHECK_EQ(sb_outbox_has_new(o), false); /* the message is not over */
        }
}

TEST(a_part_has_its_place_behind_the_messages_before_it)
{
    for (uint32_t less = 0; less < 2; less++) {
        sb_send_bounds bounds = { NUMBERS, 1 << 20, 400 + 405 + 406 - less };
        sb_outbox     *o = open_outbox(CELLS, &bounds, SB_PACE_STOCK);
        size_t         at = 0;
        CHECK_EQ(queue(o, 400), SB_OK);
        for (unsigned i = 0; i < 2; i++)
            CHECK_EQ(sb_outbox_queue_part(o, rig_pattern(1217, 0), &at), SB_OK);
        write_all(o, RIG_START);
        CHECK_EQ(sb_outbox_queued(o), less);
    }
    sb_send_bounds bounds = { NUMBERS, 1 << 20, 400 + 404 };
    sb_outbox     *o = open_outbox(CELLS, &bounds, SB_PACE_STOCK);
    size_t         at = 0;
    CHECK_EQ(queue(o, 400), SB_OK);
    CHECK_EQ(sb_outbox_queue_part(o, rig_pattern(1217, 0), &at), SB_OK);
    write_all(o, RIG_START);
    CHECK_EQ(sb_outbox_queued(o), 1);
}

/* The window of control messages does not depend on a message in parts under the same number. */
TEST(the_two_channels_count_their_bytes_apart)
{
    sb_send_bounds bounds = { NUMBERS, 1 << 20, 1000 };
    sb_outbox     *o = open_outbox(CELLS, &bounds, SB_PACE_STOCK);
    size_t         at = 0;
    CHECK_EQ(queue(o, 400), SB_OK);
    CHECK_EQ(sb_outbox_queue_part(o, rig_pattern(500, 0), &at), SB_OK); /* 1, at 400 */
    CHECK_EQ(sb_outbox_queue_control(o, CONTROL, rig_pattern(300, 0)), SB_OK);
    write_all(o, RIG_START);
    CHECK(acknowledge(o, RIG_START, 0, SB_ACK_LOW_CHANNEL, 0));
    CHECK(acknowledge(o, RIG_START, 0, 0, 0));
    for (unsigned i = 0; i < 3; i++) /* low 1 starts at 300 */
        CHECK_EQ(sb_outbox_queue_control(o, CONTROL, rig_pattern(300, 0)), SB_OK);
    CHECK_EQ(sb_outbox_queue_control(o, CONTROL, rig_pattern(101, 0)), SB_OK);
    write_all(o, RIG_START);
    CHECK_EQ(sb_outbox_queued(o), 1);
    CHECK(acknowledge(o, RIG_START, 1, SB_ACK_LOW_CHANNEL, 0));
    write_all(o, RIG_START);
    CHECK_EQ(sb_outbox_queued(o), 0);
}

TEST(at_most_16_or_256_numbers_are_in_flight)
{
    sb_outbox *o = open_wide(SB_PACE_STOCK);
    for (unsigned i = 0; i < 300; i++) {
        CHECK_EQ(queue(o, 1), SB_OK);
        CHECK_EQ(sb_outbox_queue_control(o, CONTROL, rig_pattern(1, 0)), SB_OK);
    }
    write_all(o, RIG_START);
    CHECK_EQ(sb_outbox_unacknowledged(o), NUMBERS + SB_LOW_WINDOW);
    CHECK(!acknowledge(o, RIG_START, NUMBERS, 0, 0)); /* shares its place with 0 */
    CHECK(!acknowledge(o, RIG_START, 256, SB_ACK_LOW_CHANNEL, 0));
    CHECK(acknowledge(o, RIG_START, 0, 0, 0));
    CHECK(acknowledge(o, RIG_START, 0, SB_ACK_LOW_CHANNEL, 0));
    CHECK_TEXT(written(o, RIG_START, 255), "Name 256, Data 16");
}

/* ---- Since when the peer owes an Ack ---- */

TEST(acks_are_awaited_since_the_first_send_or_the_last_ack)
{
    sb_outbox *o = open_wide(SB_PACE_STOCK);
    sb_time    t = RIG_START;
    CHECK_EQ(sb_outbox_waits_since(o), SB_TIME_NEVER);
    CHECK_EQ(queue(o, 1), SB_OK);
    CHECK_EQ(sb_outbox_waits_since(o), SB_TIME_NEVER); /* not sent yet */
    (void)written(o, t, 255);
    CHECK_EQ(queue(o, 1), SB_OK);
    (void)written(o, t + 10, 255);
    CHECK_EQ(sb_outbox_waits_since(o), t);
    CHECK(!acknowledge(o, t + 15, 7, 0, 0));
    CHECK_EQ(sb_outbox_waits_since(o), t); /* an Ack of nothing */
    CHECK_EQ(sb_outbox_queue_control(o, CONTROL, rig_pattern(1, 0)), SB_OK);
    (void)written(o, t + 20, 255);
    CHECK_EQ(sb_outbox_waits_since(o), t);
    CHECK(acknowledge(o, t + 30, 1, 0, 0));
    CHECK_EQ(sb_outbox_waits_since(o), t + 20); /* the control message */
    CHECK(acknowledge(o, t + 40, 0, SB_ACK_LOW_CHANNEL, 0));
    CHECK_EQ(sb_outbox_waits_since(o), t + 30);
    CHECK(acknowledge(o, t + 50, 0, 0, 0));
    CHECK_EQ(sb_outbox_waits_since(o), SB_TIME_NEVER);
    CHECK_EQ(queue(o, 1), SB_OK);
    (void)written(o, t + 60, 255);
    CHECK_EQ(sb_outbox_waits_since(o), t + 60);
}

/* ---- Retransmission ---- */

TEST(waits_grow_until_the_ninth_send_and_stay)
{
    static const sb_time waits[] = { 250000,  375000,  562500,  843750, 1265625,
                                     1898437, 2847655, 4271482, 5000000 };
    sb_outbox           *o = open_wide(SB_PACE_MEASURED);
    sb_time              now = RIG_START;
    sb_timing_add_sample(&o->round_trip, 1);
    CHECK_EQ(queue(o, 1), SB_OK);
    for (unsigned i = 0; i < 20; i++) {
        CHECK_TEXT(written(o, now, 255), "Data 0");
        CHECK_EQ(sb_outbox_resend_at(o), now + waits[i < 9 ? i : 8]);
        CHECK_TEXT(written(o, sb_outbox_resend_at(o) - 1, 255), "");
        now = sb_outbox_resend_at(o);
        CHECK_EQ(o->resent, i);
    }
}

TEST(what_was_sent_most_often_is_repeated_first)
{
    sb_outbox *o = open_wide(SB_PACE_STOCK);
    CHECK_EQ(queue(o, 1), SB_OK);
    (void)written(o, 0, 255);
    (void)written(o, SB_SECOND, 255); /* due again at 3 s */
    CHECK_EQ(queue(o, 1), SB_OK);
    (void)written(o, 3 * SB_SECOND / 2, 255); /* due again at 2.5 s */
    CHECK_EQ(sb_outbox_resend_at(o), 5 * SB_SECOND / 2);
    CHECK_EQ(queue(o, 1), SB_OK);
    CHECK_TEXT(written(o, 3 * SB_SECOND, 255), "Data 0, Data 1, Data 2");
    CHECK_EQ(o->resent, 3); /* Data 0 twice */
    CHECK_EQ(o->resent_fast, 0);
}

/* Sends each message in a datagram of its own. */
static void send_apart(sb_outbox *o, sb_time now, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        CHECK_EQ(queue(o, 1), SB_OK);
        CHECK(written(o, now, 1)[0] != 0);
    }
}

/* A measuring outbox with one round trip of `sample`, and Data 1 in flight. */
static sb_outbox *open_measured(sb_time now, sb_time sample)
{
    sb_outbox *o = open_wide(SB_PACE_MEASURED);
    send_apart(o, now - sample, 1);
    CHECK(acknowledge(o, now, 0, 0, 0));
    CHECK_EQ(o->round_trip.smoothed_us, sample);
    send_apart(o, now, 1);
    return o;
}

TEST(a_lost_message_is_repeated_fast_at_most_six_times)
{
    sb_outbox *o = open_measured(RIG_START, 10000);
    sb_time    now = RIG_START;
    for (uint16_t low = 0; low < 24;) {
        for (int i = 0; i < 3; i++, low++) { /* three later datagrams arrive */
            CHECK_EQ(sb_outbox_queue_control(o, CONTROL, rig_pattern(1, 0)), SB_OK);
            CHECK(written(o, now, 1)[0] == 'N');
            CHECK(acknowledge(o, now, low, SB_ACK_LOW_CHANNEL, 0));
        }
        if (low > 18) break;
        CHECK_EQ(sb_outbox_resend_at(o), now + 20000);
        now += 20000;
        CHECK_TEXT(written(o, now - 1, 1), "");
        CHECK_TEXT(written(o, now, 1), "Data 1");
    }
    CHECK_EQ(o->resent_fast, 6);
    CHECK_EQ(sb_outbox_resend_at(o), now + 250000); /* its first timeout */
}

TEST(acks_of_two_datagrams_in_turn_show_a_loss)
{
    sb_outbox *o = open_measured(RIG_START, 100000);
    send_apart(o, RIG_START, 3);
    CHECK(acknowledge(o, RIG_START + 100000, 3, 0, 0));
    CHECK(sb_outbox_resend_at(o) > RIG_START + 100000); /* two later: it may be reordered */
    CHECK(acknowledge(o, RIG_START + 100000, 4, 0, 0));
    CHECK_EQ(sb_outbox_resend_at(o), RIG_START + 20000);
}

TEST(a_repeat_comes_20_ms_after_its_message_at_the_earliest)
{
    sb_outbox *o = open_measured(RIG_START, 1000); /* a round trip of a millisecond */
    send_apart(o, RIG_START, 1);
    CHECK(acknowledge(o, RIG_START + 1000, 2, 0, 0));
    CHECK_EQ(sb_outbox_resend_at(o), RIG_START + 20000);
    o = open_wide(SB_PACE_MEASURED);
    o->round_trip = (sb_round_trip){ 9999, 6666 }; /* after the next sample: 9999 + 2 * 5000 */
    send_apart(o, RIG_START, 2);
    CHECK(acknowledge(o, RIG_START + 9999, 1, 0, 0));
    CHECK_EQ(sb_outbox_resend_at(o), RIG_START + 20000);
}

TEST(a_repeat_at_its_timeout_is_no_fast_one)
{
    sb_outbox *o = open_wide(SB_PACE_MEASURED);
    o->round_trip = (sb_round_trip){ 400000, 0 }; /* both waits are 500 ms */
    send_apart(o, RIG_START, 2);
    CHECK(acknowledge(o, RIG_START + 400000, 1, 0, 0));
    CHECK_EQ(sb_outbox_resend_at(o), RIG_START + 500000);
    CHECK_TEXT(written(o, RIG_START + 500000, 255), "Data 0");
    CHECK_EQ(o->resent, 1);
    CHECK_EQ(o->resent_fast, 0);
}

/* Datagrams without reliable messages say nothing about losses. */
TEST(only_datagrams_with_reliable_messages_count_as_later)
{
    sb_outbox *o = open_measured(RIG_START, 100000);
    for (unsigned i = 0; i < 5; i++) {
        CHECK_EQ(sb_outbox_queue_data(o, SB_UNRELIABLE, rig_pattern(1, 0)), SB_OK);
        CHECK_TEXT(written(o, RIG_START, 255), "Data");
    }
    send_apart(o, RIG_START, 1);
    CHECK(acknowledge(o, RIG_START + 100000, 2, 0, 0));
    CHECK_EQ(sb_outbox_resend_at(o), RIG_START + 175000); /* it may only be reordered */
}

/* A late Ack of a repeated message is that of the last copy: what was sent before it is lost. */
TEST(an_ack_after_seven_eighths_of_a_trip_is_of_the_last_copy)
{
    for (sb_time less = 0; less < 2; less++) {
        sb_outbox *o = open_measured(RIG_START, 80000); /* variation 40 ms: 340 ms to wait */
        send_apart(o, RIG_START, 1);
        sb_time again = RIG_START + 340000;
        CHECK_EQ(sb_outbox_resend_at(o), again);
        CHECK_TEXT(written(o, again, 1), "Data 1");
        CHECK_TEXT(written(o, again, 1), "Data 2");
        CHECK(acknowledge(o, again + 70000 - less, 2, 0, 0));
        CHECK_EQ(o->round_trip.smoothed_us, 80000); /* no sample either way */
        CHECK_EQ(sb_outbox_resend_at(o), again + (less ? 510000 : 160000));
    }
}

/* ---- Hosts with numbers of 8 bits, and Acks of fragments without an index ---- */

TEST(an_eight_bit_host_acknowledges_by_the_low_byte)
{
    sb_outbox *o = open_wide(SB_PACE_STOCK);
    o->eight_bit = true;
    for (unsigned i = 0; i < 600; i++) {
        CHECK_EQ(queue(o, 1), SB_OK);
        CHECK_EQ(queue(o, 1), SB_OK);
        write_all(o, RIG_START);
        CHECK(!sb_outbox_is_ahead(o, (uint8_t)(2 * i + 9), 0)); /* it cannot be told */
        CHECK(!acknowledge(o, RIG_START, (uint8_t)(2 * i + 2), 0, 0));
        CHECK(acknowledge(o, RIG_START, (uint8_t)(2 * i + 1), 0, 0));
        CHECK(acknowledge(o, RIG_START, (uint8_t)(2 * i), 0, 0));
    }
}

TEST(as_many_plain_acks_as_fragments_acknowledge_a_message)
{
    sb_outbox *o = open_wide(SB_PACE_STOCK);
    o->plain_fragment_acks = true;
    CHECK_EQ(queue(o, 1217), SB_OK);
    CHECK_EQ(queue(o, 500), SB_OK);
    (void)written(o, RIG_START, 255);
    CHECK(!acknowledge(o, RIG_START, 0, 0, 0)); /* not all fragments were sent */
    write_all(o, RIG_START);
    CHECK_EQ(sb_outbox_unacknowledged(o), 5);
    CHECK(!acknowledge(o, RIG_START, 0, SB_ACK_LOW_CHANNEL, 0));
    CHECK(!acknowledge(o, RIG_START, 2, 0, 0));
    CHECK(!acknowledge(o, RIG_START, NUMBERS, 0, 0)); /* shares its place with 0 */
    CHECK(acknowledge(o, RIG_START + 1, 0, 0, 0));
    CHECK_EQ(sb_outbox_waits_since(o), RIG_START + 1);
    CHECK(!acknowledge(o, RIG_START, 1, 0, 0)); /* one message at a time */
    CHECK(acknowledge(o, RIG_START + 2, 0, 0, 0));
    CHECK_EQ(sb_outbox_unacknowledged(o), 5);
    CHECK(acknowledge(o, RIG_START + 3, 0, 0, 0));
    CHECK_EQ(sb_outbox_unacknowledged(o), 2);
    CHECK_EQ(sb_outbox_waits_since(o), RIG_START + 3);
    CHECK(!acknowledge(o, RIG_START, 0, 0, 0));
    CHECK(acknowledge(o, RIG_START + 4, 1, 0, 0));
    CHECK(acknowledge(o, RIG_START + 5, 1, 0, 0));
    CHECK_EQ(sb_outbox_unacknowledged(o), 0);
    CHECK_EQ(sb_outbox_waits_since(o), SB_TIME_NEVER);
}

TEST(a_repeated_first_fragment_starts_counting_again)
{
    sb_outbox *o = open_wide(SB_PACE_STOCK);
    o->plain_fragment_acks = true;
    CHECK_EQ(queue(o, 800), SB_OK);
    write_all(o, RIG_START);
    CHECK(acknowledge(o, RIG_START, 0, 0, 0));
    (void)written(o, RIG_START + SB_SECOND, 255);
    (void)written(o, RIG_START + SB_SECOND, 255);
    CHECK_EQ(o->resent, 2);
    CHECK(acknowledge(o, RIG_START + SB_SECOND, 0, 0, 0));
    CHECK_EQ(sb_outbox_unacknowledged(o), 2);
    CHECK(acknowledge(o, RIG_START + SB_SECOND, 0, 0, 0));
    CHECK_EQ(sb_outbox_unacknowledged(o), 0);
}

TEST(other_repeats_leave_the_count_of_plain_acks)
{
    sb_outbox *o = open_wide(SB_PACE_STOCK);
    sb_time    t = RIG_START, tenth = SB_SECOND / 10;
    o->plain_fragment_acks = true;
    CHECK_EQ(queue(o, 800), SB_OK);
    CHECK_TEXT(written(o, t, 1), "Data 0/0");
    CHECK_TEXT(written(o, t + tenth, 1), "Data 0/1");
    CHECK_EQ(queue(o, 1), SB_OK);
    CHECK_TEXT(written(o, t + 2 * tenth, 1), "Data 1");
    CHECK_EQ(queue(o, 800), SB_OK);
    CHECK_TEXT(written(o, t + 3 * tenth, 1), "Data 2/0");
    CHECK_TEXT(written(o, t + 10 * tenth, 1), "Data 0/0");
    CHECK(acknowledge(o, t + 10 * tenth, 0, 0, 0));
    CHECK_TEXT(written(o, t + 11 * tenth, 1), "Data 0/1");
    CHECK_TEXT(written(o, t + 12 * tenth, 1), "Data 1");
    CHECK_TEXT(written(o, t + 13 * tenth, 1), "Data 2/0");
    CHECK_EQ(o->resent, 4);
    CHECK(acknowledge(o, t + 13 * tenth, 0, 0, 0)); /* the second of two */
    CHECK_EQ(sb_outbox_unacknowledged(o), 2);
}

TEST(a_host_that_knows_indices_gets_no_plain_acks_counted)
{
    sb_outbox *o = open_wide(SB_PACE_STOCK);
    o->plain_fragment_acks = false;
    CHECK_EQ(queue(o, 800), SB_OK);
    write_all(o, RIG_START);
    for (unsigned i = 0; i < 4; i++) CHECK(!acknowledge(o, RIG_START, 0, 0, 0));
    CHECK_EQ(sb_outbox_unacknowledged(o), 2);
}

TEST(an_ack_is_ahead_from_the_next_number_to_half_the_circle)
{
    sb_outbox *o = open_wide(SB_PACE_STOCK);
    CHECK_EQ(queue(o, 1), SB_OK);
    CHECK(!sb_outbox_is_ahead(o, 0, 0));
    CHECK(sb_outbox_is_ahead(o, 1, 0));
    CHECK(sb_outbox_is_ahead(o, 0x8000, 0));
    CHECK(!sb_outbox_is_ahead(o, 0x8001, 0));
    CHECK(sb_outbox_is_ahead(o, 0, SB_ACK_LOW_CHANNEL));
}
