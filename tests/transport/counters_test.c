/* tests/transport/counters_test.c -- every refusal is counted under its reason.
 *
 * For:      src/transport/counters.c.
 * Spec:     01 §10.2, §10.3.
 */
#include "rig.h"

#include <string.h>

static void give(rig *r, unsigned from, const char *hex)
{
    (void)!rig_give_hex(r, rig_endpoint(from), hex);
}

static void give_too_long(rig *r)
{
    static const uint8_t bytes[1501] = { 2, 1, 2 };
    (void)!rig_give(r, rig_endpoint(1), (sb_span){ bytes, sizeof bytes });
}

static void give_budget(rig *r)
{
    (void)rig_give_until_refused(r, rig_endpoint(1), rig_hex("02 01 02"));
}

static void give_connects(rig *r, unsigned networks, unsigned of_each)
{
    uint8_t bytes[64];
    size_t  size = test_hex(RIG_CONNECT, bytes, sizeof bytes);
    sb_encrypt_datagram(bytes, size);
    for (unsigned i = 0; i < networks; i++)
        for (unsigned k = 0; k < of_each; k++) {
            sb_endpoint from = { 0x0B000000u + (i << 8) + k % 256, (uint16_t)(1000 + k) };
            (void)!rig_receive_unchecked(r, from, (sb_span){ bytes, size });
        }
}

static void give_many_networks(rig *r)
{
    give_connects(r, 50, 450);
}

static void give_one_network(rig *r)
{
    give_connects(r, 1, 12001);
}

static sb_result answer(rig *r, sb_endpoint from, uint8_t id)
{
    uint8_t ack[] = { id, 1, 1, 0, 0, 2 };
    return rig_give(r, from, (sb_span){ ack, sizeof ack });
}

/* Ids of peers that left are not given again for 5 s. */
static void use_up_ids(rig *r)
{
    for (unsigned i = 0; i < 123; i++) {
        uint8_t id = rig_told_id(r, rig_endpoint(100 + i));
        CHECK_EQ(answer(r, rig_endpoint(100 + i), id), SB_OK);
        sb_transport_host_boot(r->host, r->now, id, SB_BOOT_KICKED);
        rig_step(r);
    }
    give(r, 300, RIG_CONNECT);
}

static void answer_under_one_id(rig *r)
{
    uint8_t id = rig_told_id(r, rig_endpoint(20));
    for (unsigned i = 0; i < 122; i++) (void)rig_told_id(r, rig_endpoint(100 + i));
    CHECK_EQ(rig_told_id(r, rig_endpoint(21)), id);
    CHECK_EQ(answer(r, rig_endpoint(21), id), SB_OK);
    (void)!answer(r, rig_endpoint(20), id);
}

static void answer_without_proof(rig *r)
{
    for (unsigned i = 10; i < 17; i++)
        (void)!answer(r, rig_endpoint(i), rig_told_id(r, rig_endpoint(i)));
}

/* The four peers of an address have had no time to answer when a fifth comes. */
static void prove_too_early(rig *r)
{
    sb_endpoint from = { 0x0A000050, 2000 };
    for (uint16_t i = 0; i < 4; i++)
        (void)rig_join(r, (sb_endpoint){ from.address, (uint16_t)(1000 + i) });
    uint8_t id = rig_told_id(r, from);
    (void)!answer(r, from, id);
    CHECK(!rig_prove(r, from, id));
}

static void join_until_full(rig *r)
{
    for (unsigned i = 10; i < 24; i++) (void)rig_join(r, rig_endpoint(i));
    rig_prove_all(r);
    (void)!rig_give_hex(r, rig_endpoint(30), RIG_CONNECT);
}

static void join_one_address(rig *r)
{
    for (uint16_t i = 0; i < 4; i++)
        (void)rig_join(r, (sb_endpoint){ 0x0A000050, (uint16_t)(1000 + i) });
    (void)!rig_give_hex(r, (sb_endpoint){ 0x0A000050, 1999 }, RIG_CONNECT);
    rig_prove_all(r);
    (void)!rig_give_hex(r, (sb_endpoint){ 0x0A000050, 2000 }, RIG_CONNECT);
}

static void give_bomb(rig *r)
{
    give(r, 1, "02 01 32 07 A0 00 00 40 AA"); /* the 65th fragment of an untrusted peer */
}

static void give_rivals(rig *r)
{
    give(r, 1, "02 01 32 06 80 01 00 AA");
    give(r, 1, "02 01 32 06 80 01 00 BB");
}

static void give_contradiction(rig *r)
{
    give(r, 1, "02 02 32 08 A0 00 00 00 02 AA 32 07 A0 00 00 02 AA");
}

static void leave_and_talk(rig *r)
{
    give(r, 1, "02 01 05 0A C0 01 00 02 0A 0A 0A EF");
    rig_wait(r, 6 * SB_SECOND);
    give(r, 1, "02 01 32 06 80 00 00 AA");
}

static void owe_many_acks(rig *r)
{
    for (uint16_t i = 0; i < 1200; i = (uint16_t)(i + 100)) {
        rig_pack p;
        rig_pack_init(&p, 2);
        for (uint16_t k = 0; k < 100; k++) rig_pack_data(&p, (uint16_t)(i + k), rig_pattern(1, 0));
        GIVE_PACK(r, rig_endpoint(1), &p);
        r->now += 2 * SB_SECOND; /* so that nobody takes it for a sweep */
    }
}

static void send_without_room(rig *r)
{
    for (int i = 0; i < 5000; i++)
        if (sb_transport_host_send(r->host, 2, SB_UNRELIABLE, rig_pattern(300, 0)) != SB_OK) return;
}

/* Gives copies of a Connect without writing the replies, until the reply queue overflows. */
static void ask_without_waiting(rig *r)
{
    uint8_t     bytes[64];
    size_t      size = test_hex("FF 01 03 0F C0 00 00 0A 0A 0A EF F9 78 00 00 00 00", bytes, 64);
    sb_endpoint from[2] = { { 0x0B000001, 7001 }, { 0x0B000001, 7002 } };
    sb_encrypt_datagram(bytes, size);
    for (int i = 0; i < 200; i++)
        (void)!rig_receive_unchecked(r, from[i % 2], (sb_span){ bytes, size });
}

static void rename_twice(rig *r)
{
    give(r, 1, "02 01 00 0E C0 01 00 02 0A 0A 0A EF 4B 00 00 00");
    give(r, 1, "02 01 00 0E C0 02 00 02 0A 0A 0A EF 4C 00 00 00");
    give(r, 1, "02 01 00 0E C0 03 00 02 0A 0A 0A EF 4D 00 00 00");
}

static void leave_and_stay(rig *r)
{
    give(r, 1, "02 01 05 0A C0 01 00 02 0A 0A 0A EF");
    give(r, 1, "02 01 02");
}

static void give_without_id(rig *r)
{
    (void)rig_give_until_refused(r, rig_endpoint(1), rig_hex(RIG_CONNECT));
}

static void give_two_under_one_number(rig *r)
{
    give(r, 1, "02 01 32 06 80 00 00 AA");
    give(r, 1, "02 01 32 06 80 00 00 BB");
}

static void give_in_an_attack(rig *r)
{
    give_two_under_one_number(r);
    give(r, 1, "02 01 01 00 00 00"); /* an Ack, while the first answer to the marks is awaited */
}

static void acknowledge_everything(rig *r)
{
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(1, 0)), SB_OK);
    rig_step(r);
    give(r, 1, "02 02 01 00 00 00 01 01 00 00");
}

static bool admit_nobody(void *context, sb_endpoint from, const sb_connect_request *request,
                         uint8_t *boot_reason)
{
    const bool *closed = context;
    (void)from, (void)request, (void)boot_reason;
    return !*closed;
}

static bool closed_now;

static void close_the_door(rig *r)
{
    closed_now = true;
    give(r, 9, RIG_CONNECT);
}

static void give_to_overloaded_host(rig *r)
{
    sb_transport_host_set_closed(r->host, true);
    give(r, 9, RIG_CONNECT);
}

static const struct stimulus {
    sb_transport_counter counter;
    unsigned             from; /* endpoint number, with `hex` */
    const char          *hex;
    void (*run)(rig *r);
} stimuli[] = {
    { SB_TRANSPORT_COUNT_TOO_SHORT, 1, "02", NULL },
    { SB_TRANSPORT_COUNT_TOO_LONG, 0, NULL, give_too_long },
    { SB_TRANSPORT_COUNT_NOT_GAME, 1, "5C 73 74 61 74 75 73 5C", NULL },
    { SB_TRANSPORT_COUNT_WRONG_DIRECTION, 1, "01 01 02", NULL },
    { SB_TRANSPORT_COUNT_BAD_ID, 1, "80 01 02", NULL },
    { SB_TRANSPORT_COUNT_UNKNOWN_SOURCE, 9, "02 01 02", NULL },
    { SB_TRANSPORT_COUNT_ID_MISMATCH, 1, "03 01 02", NULL },
    { SB_TRANSPORT_COUNT_OVER_BUDGET, 0, NULL, give_budget },
    { SB_TRANSPORT_COUNT_WITHOUT_ID_RATE, 0, NULL, give_without_id },
    { SB_TRANSPORT_COUNT_CONNECT_LENGTH, 9, "FF 01 02", NULL },
    { SB_TRANSPORT_COUNT_NOT_A_CONNECT, 9, "FF 01 32 0F 80 00 00 0A 0A 0A EF F9 78 00 00 00 00",
      NULL },
    { SB_TRANSPORT_COUNT_CONNECT_RATE_SOURCE, 0, NULL, give_one_network },
    { SB_TRANSPORT_COUNT_CONNECT_RATE_TOTAL, 0, NULL, give_many_networks },
    { SB_TRANSPORT_COUNT_NO_ID, 0, NULL, use_up_ids },
    { SB_TRANSPORT_COUNT_ID_COLLISION, 0, NULL, answer_under_one_id },
    { SB_TRANSPORT_COUNT_UNPROVEN, 0, NULL, answer_without_proof },
    { SB_TRANSPORT_COUNT_NO_SEAT_YET, 0, NULL, prove_too_early },
    { SB_TRANSPORT_COUNT_REFUSED_FULL, 0, NULL, join_until_full },
    { SB_TRANSPORT_COUNT_REFUSED_SOURCE, 0, NULL, join_one_address },
    { SB_TRANSPORT_COUNT_REFUSED_OVERLOAD, 0, NULL, give_to_overloaded_host },
    { SB_TRANSPORT_COUNT_REFUSED_BANNED, 0, NULL, close_the_door },
    { SB_TRANSPORT_COUNT_MALFORMED, 1, "02 02 02", NULL },
    { SB_TRANSPORT_COUNT_UNKNOWN_TYPE, 1, "02 01 06", NULL },
    { SB_TRANSPORT_COUNT_REST_IGNORED, 1, "02 01 02 AA", NULL },
    { SB_TRANSPORT_COUNT_BEYOND_BUFFER, 1, "02 01 32 06 80 00 01 AA", NULL },
    { SB_TRANSPORT_COUNT_OUT_OF_WINDOW, 1, "02 01 32 06 80 00 40 AA", NULL },
    { SB_TRANSPORT_COUNT_UNCONFIRMED, 0, NULL, give_rivals },
    { SB_TRANSPORT_COUNT_NO_ROOM, 0, NULL, give_bomb },
    { SB_TRANSPORT_COUNT_BAD_FRAGMENT, 0, NULL, give_contradiction },
    { SB_TRANSPORT_COUNT_UNRELIABLE_CONTROL, 1, "02 01 00 0C 40 02 0A 0A 0A EF 4B 00 00 00", NULL },
    { SB_TRANSPORT_COUNT_BAD_CONTROL, 1, "02 01 05 07 C0 01 00 02 0A", NULL },
    { SB_TRANSPORT_COUNT_UNEXPECTED_CONTROL, 1, "02 01 04 07 C0 01 00 04 03", NULL },
    { SB_TRANSPORT_COUNT_FOREIGN_NAME, 1, "02 01 00 0E C0 01 00 03 0A 0A 0A EF 4B 00 00 00", NULL },
    { SB_TRANSPORT_COUNT_FOREIGN_DISCONNECT, 1, "02 01 05 0A C0 01 00 03 0A 0A 0A EF", NULL },
    { SB_TRANSPORT_COUNT_EARLY_DISCONNECT, 1, "02 01 05 0A C0 02 00 02 0A 0A 0A EF", NULL },
    { SB_TRANSPORT_COUNT_FORGED_DISCONNECT, 0, NULL, leave_and_stay },
    { SB_TRANSPORT_COUNT_FORGED_ACKS, 0, NULL, acknowledge_everything },
    { SB_TRANSPORT_COUNT_CONFLICT, 0, NULL, give_two_under_one_number },
    { SB_TRANSPORT_COUNT_UNMARKED, 0, NULL, give_in_an_attack },
    { SB_TRANSPORT_COUNT_LATE, 0, NULL, leave_and_talk },
    { SB_TRANSPORT_COUNT_DROPPED_ACK, 0, NULL, owe_many_acks },
    { SB_TRANSPORT_COUNT_DROPPED_UNRELIABLE, 0, NULL, send_without_room },
    { SB_TRANSPORT_COUNT_DROPPED_EVENT, 0, NULL, rename_twice },
    { SB_TRANSPORT_COUNT_DROPPED_ANSWER, 0, NULL, ask_without_waiting },
};

/* No refusals: stock peers repeat their messages and Acks. */
static const struct stimulus normal_stimuli[] = {
    { SB_TRANSPORT_COUNT_DUPLICATE, 1, "02 01 32 06 80 FF FF AA", NULL },
    { SB_TRANSPORT_COUNT_UNMATCHED_ACK, 1, "02 01 01 07 00 00", NULL },
};

static void check_stimulus(const struct stimulus *s)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.admit = admit_nobody;
    config.admit_context = &closed_now;
    closed_now = false;
    rig     *r = rig_host_with(2, &config);
    uint64_t before = rig_count(r, s->counter);
    if (s->run) s->run(r);
    else give(r, s->from, s->hex);
    if (rig_count(r, s->counter) == before)
        FAIL("%s did not count", sb_transport_counter_name(s->counter));
}

TEST(every_reason_to_refuse_has_a_counter_that_counts)
{
    unsigned seen = 0;
    for (size_t i = 0; i < sizeof stimuli / sizeof *stimuli; i++, seen++)
        check_stimulus(&stimuli[i]);
    /* refused_password needs a host with a password: host_connect_test.c. */
    CHECK_EQ(seen + 1, SB_TRANSPORT_REFUSAL_COUNT);
    for (int c = 0; c < SB_TRANSPORT_COUNTER_COUNT; c++) {
        CHECK(strlen(sb_transport_counter_name((sb_transport_counter)c)) > 2);
        CHECK(strlen(sb_transport_counter_text((sb_transport_counter)c)) > 8);
    }
    CHECK_TEXT(sb_transport_counter_name(SB_TRANSPORT_COUNT_TOO_SHORT), "too_short");
    for (int c = 0; c < SB_LEFT_REASON_COUNT; c++)
        CHECK(strlen(sb_leave_reason_text((sb_leave_reason)c)) > 2);
}

TEST(repeated_messages_and_acks_are_counted_apart_from_refusals)
{
    for (size_t i = 0; i < sizeof normal_stimuli / sizeof *normal_stimuli; i++) {
        check_stimulus(&normal_stimuli[i]);
        CHECK(normal_stimuli[i].counter >= SB_TRANSPORT_REFUSAL_COUNT);
    }
}

TEST(accepted_and_sent_traffic_is_counted)
{
    rig     *r = rig_host_with(1, NULL);
    uint64_t in = rig_count(r, SB_TRANSPORT_COUNT_DATAGRAMS_IN),
             bytes = rig_count(r, SB_TRANSPORT_COUNT_BYTES_IN);
    uint64_t messages = rig_count(r, SB_TRANSPORT_COUNT_MESSAGES_IN);
    GIVE(r, rig_endpoint(1), "02 03 02 02 32 06 80 00 00 AA");
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_DATAGRAMS_IN), in + 1);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_BYTES_IN), bytes + 10);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_MESSAGES_IN), messages + 3);
    uint64_t out = rig_count(r, SB_TRANSPORT_COUNT_DATAGRAMS_OUT);
    bytes = rig_count(r, SB_TRANSPORT_COUNT_BYTES_OUT);
    messages = rig_count(r, SB_TRANSPORT_COUNT_MESSAGES_OUT);
    CHECK_EQ(sb_transport_host_send(r->host, 2, SB_UNRELIABLE, rig_pattern(5, 0)), SB_OK);
    rig_step(r);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_DATAGRAMS_OUT), out + 1);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_BYTES_OUT), bytes + 2 + 4 + 8);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_MESSAGES_OUT), messages + 2);
}

TEST(numbers_that_are_no_counter_or_reason_have_a_text_too)
{
    rig                 *r = rig_host_with(1, NULL);
    sb_transport_counter none = SB_TRANSPORT_COUNTER_COUNT;
    sb_transport_counter last = (sb_transport_counter)(none - 1);
    CHECK_TEXT(sb_transport_counter_name(last), "rebound");
    CHECK_TEXT(sb_transport_counter_name(none), "unknown");
    CHECK_TEXT(sb_transport_counter_text(last),
               "peers that moved to another port of their address");
    CHECK_TEXT(sb_transport_counter_text(none), "unknown counter");
    CHECK_TEXT(sb_leave_reason_text(SB_LEFT_NO_ANSWER), "no answer");
    CHECK_TEXT(sb_leave_reason_text((sb_leave_reason)(SB_LEFT_REASON_COUNT - 1)),
               "made room for a newcomer");
    CHECK_TEXT(sb_leave_reason_text(SB_LEFT_REASON_COUNT), "unknown reason");
    CHECK_EQ(rig_count(r, none), 0);
}
