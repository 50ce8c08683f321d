/* tests/wire/datagram_test.c -- framing beyond the examples of spec 01 §11 (those are vectors). */
#include <starbase/datagram.h>

#include "test.h"
#include "wire/random_source.h"

#include <string.h>

static sb_result decode_hex(const char *hex, sb_datagram *out, sb_refusal *why)
{
    static uint8_t bytes[2048];
    size_t         size = test_hex(hex, bytes, sizeof bytes);
    return sb_decode_datagram((sb_span){ bytes, size }, out, why);
}

TEST(every_structural_error_drops_the_whole_datagram)
{
    static const char *const bad[] = {
        "",                           /* no header */
        "02",                         /* no count */
        "02 01",                      /* no message */
        "02 02 01 00 00 00",          /* second message missing: spec 01 §11.10 */
        "02 01 32 04 80 00 00",       /* reliable needs 5: spec 01 §11.10 */
        "02 01 32 02 00",             /* shorter than any header */
        "02 01 32 00 00",             /* a length of 0 would never end */
        "02 01 32 08 00 01 02",       /* longer than the datagram */
        "02 01 01 00 00",             /* Ack of three bytes */
        "02 01 01 00 00 01",          /* fragment Ack without its index */
        "02 01 32 04 20 01",          /* fragment that is not reliable */
        "02 01 32 07 A0 00 00 00 01", /* one fragment of one */
        "02 01 32 07 A0 00 00 00 00", /* one fragment of none */
        "02 01 32 05 A0 00 00",       /* fragment without an index */
        "02 01 32 06 A0 00 00 00",    /* first fragment without a total */
        "02 01 03 03 C0",             /* reliable control message without a number */
        "02 01 00",                   /* control message without a length */
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sb_datagram datagram;
        sb_refusal  why = { SB_OK, 0, NULL };
        sb_result   result = decode_hex(bad[i], &datagram, &why);
        if (result == SB_OK) FAIL("accepted: %s", bad[i]);
        CHECK_EQ(why.result, result);
    }
}

TEST(an_unknown_type_keeps_what_came_before_and_ignores_the_rest)
{
    sb_datagram          datagram;
    sb_transport_message m;
    size_t               at = 0;
    CHECK_EQ(decode_hex("02 03 01 04 00 00 06 FF FF 02", &datagram, NULL), SB_OK);
    CHECK_EQ(datagram.msg_count, 3);
    CHECK_EQ(datagram.message_count, 1);
    CHECK(datagram.unknown_type);
    CHECK_EQ(datagram.rest.size, 4);
    CHECK(sb_datagram_next(&datagram, &at, &m));
    CHECK_EQ(m.seq, 4);
    CHECK(!sb_datagram_next(&datagram, &at, &m));
}

TEST(bytes_behind_the_last_message_are_the_rest)
{
    sb_datagram datagram;
    CHECK_EQ(decode_hex("02 01 02 AA BB", &datagram, NULL), SB_OK);
    CHECK(!datagram.unknown_type);
    CHECK_EQ(datagram.rest.size, 2);
    CHECK_EQ(decode_hex("02 00", &datagram, NULL), SB_OK); /* count 0 is legal: spec 01 §3 */
}

TEST(a_datagram_holds_255_messages_and_no_256th)
{
    uint8_t            bytes[SB_DATAGRAM_MAX * 4];
    sb_datagram_writer w;
    sb_datagram_writer_init(&w, bytes, sizeof bytes, 3);
    for (unsigned i = 0; i < 255; i++) {
        sb_transport_message ack = { .type = SB_TRANSPORT_ACK, .seq = (uint16_t)(i * 257) };
        CHECK_EQ(sb_datagram_writer_add(&w, &ack), SB_OK);
    }
    sb_transport_message noop = { .type = SB_TRANSPORT_NOOP };
    CHECK_EQ(sb_datagram_writer_add(&w, &noop), SB_FULL);
    sb_datagram          datagram;
    sb_transport_message m;
    size_t               at = 0;
    CHECK_EQ(sb_decode_datagram((sb_span){ bytes, w.size }, &datagram, NULL), SB_OK);
    CHECK_EQ(datagram.message_count, 255);
    for (unsigned i = 0; i < 255; i++) {
        CHECK(sb_datagram_next(&datagram, &at, &m));
        CHECK_EQ(m.seq, (uint16_t)(i * 257));
    }
}

TEST(a_message_that_does_not_fit_leaves_the_datagram_as_it_was)
{
    static const uint8_t payload[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    uint8_t              bytes[20];
    sb_datagram_writer   w;
    memset(bytes, 0xA5, sizeof bytes);
    sb_datagram_writer_init(&w, bytes, 16, 1);
    sb_transport_message m = { .type = SB_TRANSPORT_DATA,
                               .reliable = true,
                               .payload = { payload, 9 } };
    CHECK_EQ(sb_datagram_writer_add(&w, &m), SB_OK);
    CHECK_EQ(w.size, 16);
    sb_transport_message noop = { .type = SB_TRANSPORT_NOOP };
    CHECK_EQ(sb_datagram_writer_add(&w, &noop), SB_FULL);
    CHECK_EQ(bytes[1], 1);
    for (int i = 16; i < 20; i++) CHECK_EQ(bytes[i], 0xA5);
}

TEST(messages_no_reader_would_accept_are_not_written)
{
    static uint8_t             payload[0x4000];
    static uint8_t             bytes[0x8000];
    const sb_transport_message bad[] = {
        { .type = 0x06 },
        { .type = SB_TRANSPORT_DATA, .fragment = true, .frag_index = 1 },
        { .type = SB_TRANSPORT_DATA, .reliable = true, .fragment = true, .frag_total = 1 },
        { .type = SB_TRANSPORT_NAME, .reliable = true, .fragment = true, .frag_index = 1 },
        { .type = SB_TRANSPORT_DATA, .payload = { payload, 0x1FFD } },
        { .type = SB_TRANSPORT_NAME, .reliable = true, .payload = { payload, 0x3FFB } },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sb_datagram_writer w;
        sb_datagram_writer_init(&w, bytes, sizeof bytes, 1);
        CHECK_EQ(sb_datagram_writer_add(&w, &bad[i]), SB_BAD_VALUE);
        CHECK_EQ(w.size, 2);
    }
}

/* ---- random datagrams: build -> decode -> write -> the same bytes; every cut is refused ---- */

static size_t random_datagram(uint64_t seed, uint8_t *out, size_t capacity)
{
    static uint8_t   buffer[8192];
    sb_random_source random;
    size_t           size;
    sb_random_source_init(&random, seed, buffer, sizeof buffer);
    sb_source source = sb_random_source_of(&random);
    return sb_build_datagram(&source, out, capacity, &size, NULL) == SB_OK ? size : 0;
}

static void rewrite(const sb_datagram *datagram, sb_datagram_writer *w)
{
    size_t               at = 0;
    sb_transport_message m;
    while (sb_datagram_next(datagram, &at, &m)) CHECK_EQ(sb_datagram_writer_add(w, &m), SB_OK);
}

TEST(random_datagrams_come_back_and_their_truncations_are_refused)
{
    unsigned built = 0;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        uint8_t bytes[1500], again[1500];
        size_t  size = random_datagram(seed, bytes, sizeof bytes);
        if (size == 0) continue;
        built++;
        sb_datagram datagram;
        CHECK_EQ(sb_decode_datagram((sb_span){ bytes, size }, &datagram, NULL), SB_OK);
        sb_datagram_writer w;
        sb_datagram_writer_init(&w, again, sizeof again, datagram.peer_id);
        rewrite(&datagram, &w);
        CHECK_BYTES(again, w.size, bytes, size);
        for (size_t cut = 0; cut < size; cut++)
            if (sb_decode_datagram((sb_span){ bytes, cut }, &datagram, NULL) == SB_OK)
                FAIL("seed %llu: %zu of %zu bytes are accepted", (unsigned long long)seed, cut,
                     size);
    }
    CHECK(built > 300);
}

TEST(control_payloads_come_back)
{
    static const uint8_t name[] = { 'C', 0, 'a', 0, 0, 0 };
    sb_control           control = { .name = { 2, 0x0A0A0AEF, { name, 6 } } }, back;
    uint8_t              bytes[32];
    size_t               size;
    CHECK_EQ(sb_encode_control(SB_TRANSPORT_NAME, SB_SIDE_CLIENT, &control, bytes, 32, &size),
             SB_OK);
    CHECK_EQ(size, 11);
    CHECK_EQ(sb_decode_control(SB_TRANSPORT_NAME, SB_SIDE_CLIENT, (sb_span){ bytes, size }, &back),
             SB_OK);
    CHECK_EQ(back.name.address, 0x0A0A0AEF);
    CHECK_BYTES(back.name.name.data, back.name.name.size, name, 6);
    CHECK_EQ(sb_decode_control(SB_TRANSPORT_BOOT, SB_SIDE_HOST, (sb_span){ bytes, 1 }, &back),
             SB_TRUNCATED);
    CHECK_EQ(sb_decode_control(SB_TRANSPORT_DATA, SB_SIDE_HOST, (sb_span){ bytes, 1 }, &back),
             SB_UNKNOWN_OPCODE);
}
