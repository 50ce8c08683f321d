/* tests/wire/datagram_test.c -- framing beyond the examples of spec 01 §11 (those are vectors). */
#include <starbase/datagram.h>

#include "test.h"
#include "vector_fields.h"
#include "wire/datagram_internal.h"
#include "wire/random_source.h"

#include <stdlib.h>
#include <string.h>

static sb_result decode_hex(const char *hex, sb_datagram *out, sb_refusal *why)
{
    static uint8_t bytes[2048];
    size_t         size = test_hex(hex, bytes, sizeof bytes);
    return sb_decode_datagram((sb_span){ bytes, size }, out, why);
}

static const struct {
    const char *hex;
    sb_result   result;
    size_t      offset;
    const char *field; /* that is refused */
    const char *last;  /* that is shown before */
} broken[] = {
    /* no header */
    { "", SB_TRUNCATED, 0, "peer_id", NULL },
    /* no count */
    { "02", SB_TRUNCATED, 1, "msg_count", "peer_id" },
    /* no message */
    { "02 01", SB_TRUNCATED, 2, "type", "messages[0]" },
    /* second message missing: spec 01 §11.10 */
    { "02 02 01 00 00 00", SB_TRUNCATED, 6, "type", "messages[1]" },
    /* reliable needs 5: spec 01 §11.10 */
    { "02 01 32 04 80 00 00", SB_TRUNCATED, 5, "seq", "messages[0].fragment" },
    /* shorter than any header */
    { "02 01 32 02 00", SB_BAD_VALUE, 3, "flags_len", "messages[0].fragment" },
    /* a length of 0 would never end */
    { "02 01 32 00 00", SB_BAD_VALUE, 3, "flags_len", "messages[0].fragment" },
    /* longer than the datagram */
    { "02 01 32 08 00 01 02", SB_TRUNCATED, 3, "flags_len", "messages[0].fragment" },
    /* by one byte */
    { "02 01 32 04 00", SB_TRUNCATED, 3, "flags_len", "messages[0].fragment" },
    /* the same for control messages */
    { "02 01 00 02 00", SB_BAD_VALUE, 3, "flags_len", "messages[0].priority" },
    { "02 01 00 04 00", SB_TRUNCATED, 3, "flags_len", "messages[0].priority" },
    /* Ack of two bytes */
    { "02 01 01 00", SB_TRUNCATED, 3, "seq", "messages[0].type" },
    /* Ack of three bytes */
    { "02 01 01 00 00", SB_TRUNCATED, 5, "flags", "messages[0].seq" },
    /* fragment Ack without its index */
    { "02 01 01 00 00 01", SB_TRUNCATED, 6, "frag_index", "messages[0].flags" },
    /* fragment that is not reliable */
    { "02 01 32 04 20 01", SB_BAD_VALUE, 3, "fragment", "messages[0].fragment" },
    /* one fragment of one */
    { "02 01 32 07 A0 00 00 00 01", SB_BAD_VALUE, 8, "frag_total", "messages[0].frag_total" },
    /* one fragment of none */
    { "02 01 32 07 A0 00 00 00 00", SB_BAD_VALUE, 8, "frag_total", "messages[0].frag_total" },
    /* fragment without an index */
    { "02 01 32 05 A0 00 00", SB_TRUNCATED, 7, "frag_index", "messages[0].seq" },
    /* first fragment without a total */
    { "02 01 32 06 A0 00 00 00", SB_TRUNCATED, 8, "frag_total", "messages[0].frag_index" },
    /* reliable control message without a number */
    { "02 01 03 03 C0", SB_TRUNCATED, 5, "seq", "messages[0].priority" },
    /* control message without a length */
    { "02 01 00", SB_TRUNCATED, 3, "flags_len", "messages[0].type" },
    /* Data without a length */
    { "02 01 32", SB_TRUNCATED, 3, "flags_len", "messages[0].type" },
    /* Data with half a length */
    { "02 01 32 05", SB_TRUNCATED, 3, "flags_len", "messages[0].type" },
    /* behind a NoOp */
    { "02 02 02 32 05", SB_TRUNCATED, 4, "flags_len", "messages[1].type" },
};
enum { BROKEN = sizeof broken / sizeof *broken };

TEST(every_structural_error_drops_the_whole_datagram)
{
    for (size_t i = 0; i < BROKEN; i++) {
        sb_datagram datagram;
        sb_refusal  why = { SB_OK, 99, NULL };
        sb_result   result = decode_hex(broken[i].hex, &datagram, &why);
        if (result == SB_OK) FAIL("accepted: %s", broken[i].hex);
        CHECK_EQ(result, broken[i].result);
        CHECK_EQ(why.result, result);
        CHECK_EQ(why.offset, broken[i].offset);
        CHECK_EQ(decode_hex(broken[i].hex, &datagram, NULL), result);
    }
}

/* In a block of its own size: the address sanitizer finds reads behind its end. */
TEST(a_broken_datagram_is_shown_up_to_the_bad_field)
{
    for (size_t i = 0; i < BROKEN; i++) {
        uint8_t *bytes = malloc(16);
        CHECK(bytes);
        size_t size = test_hex(broken[i].hex, bytes, 16);
        bytes = realloc(bytes, size > 0 ? size : 1);
        CHECK(bytes);
        shown_fields s;
        sb_refusal   why = { SB_OK, 99, NULL };
        shown_fields_init(&s);
        sb_sink sink = shown_fields_sink(&s);
        CHECK_EQ(sb_show_datagram((sb_span){ bytes, size }, &sink, &why), broken[i].result);
        CHECK_EQ(why.result, broken[i].result);
        CHECK_EQ(why.offset, broken[i].offset);
        CHECK_TEXT(why.field, broken[i].field);
        CHECK_EQ(s.count > 0, broken[i].last != NULL);
        if (s.count > 0) CHECK_TEXT(s.fields[s.count - 1].path, broken[i].last);
        CHECK_EQ(sb_show_datagram((sb_span){ bytes, size }, &sink, NULL), broken[i].result);
        shown_fields_free(&s);
        free(bytes);
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

TEST(a_decoded_datagram_says_what_is_in_it)
{
    static const struct {
        const char *hex;
        uint8_t     kinds, reliable;
        uint16_t    latest_ack;
    } rows[] = {
        { "02 00", 0, 0, 0 },
        { "02 01 02", SB_HAS_NOOP, 0, 0 },
        { "02 01 01 05 00 00", SB_HAS_ACK, 0, 5 },
        { "02 01 01 05 00 02", SB_HAS_LOW_ACK, 0, 0 },
        { "02 02 01 05 00 00 01 04 00 00", SB_HAS_ACK, 0, 5 },
        { "02 02 01 05 00 00 01 06 00 00", SB_HAS_ACK, 0, 6 },
        { "02 02 01 FF FF 00 01 01 00 00", SB_HAS_ACK, 0, 1 }, /* wraps */
        { "02 02 01 01 00 00 01 FF FF 00", SB_HAS_ACK, 0, 1 }, /* ... backwards */
        { "02 02 01 F0 FF 00 01 00 00 02", SB_HAS_ACK | SB_HAS_LOW_ACK, 0, 0xFFF0 },
        { "02 01 32 03 00", SB_HAS_DATA, 0, 0 },
        { "02 01 32 05 80 00 00", SB_HAS_DATA, 1, 0 },
        { "02 03 32 05 80 00 00 32 05 80 01 00 02", SB_HAS_DATA | SB_HAS_NOOP, 2, 0 },
        { "02 01 00 05 C0 00 00", SB_HAS_CONTROL, 1, 0 },
        { "02 01 03 03 00", SB_HAS_CONTROL, 0, 0 },
        { "02 01 04 03 00", SB_HAS_FAREWELL, 0, 0 },
        { "02 01 05 03 00", SB_HAS_FAREWELL, 0, 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sb_datagram datagram;
        memset(&datagram, 0xEE, sizeof datagram);
        CHECK_EQ(decode_hex(rows[i].hex, &datagram, NULL), SB_OK);
        CHECK_EQ(datagram.peer_id, 2);
        CHECK_EQ(datagram.kinds, rows[i].kinds);
        CHECK_EQ(datagram.reliable_count, rows[i].reliable);
        CHECK_EQ(datagram.latest_ack, rows[i].latest_ack);
        CHECK_EQ(datagram.message_count, datagram.msg_count);
    }
}

/* Acks, NoOps and Data have no channel of control messages. */
TEST(four_types_are_control_messages)
{
    for (unsigned type = 0; type <= UINT8_MAX; type++)
        CHECK_EQ(sb_transport_type_is_control((uint8_t)type),
                 type == SB_TRANSPORT_NAME || type == SB_TRANSPORT_CONNECT ||
                     type == SB_TRANSPORT_BOOT || type == SB_TRANSPORT_DISCONNECT);
}

/* A payload that its description does not fit stays bytes. */
TEST(a_control_message_that_is_too_short_is_shown_as_bytes)
{
    static const struct {
        const char *hex, *last;
    } rows[] = {
        { "01 01 04 06 C0 00 00 01", "messages[0].payload" }, /* a Boot without a peer id */
        { "01 01 04 07 C0 00 00 01 02", "messages[0].peer_id" },
        { "01 01 04 08 C0 00 00 01 02 03", "messages[0].trailing" },
        { "02 01 03 05 C0 00 00", "messages[0].payload" },
        { "01 01 05 03 00", "messages[0].payload" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t      bytes[16];
        size_t       size = test_hex(rows[i].hex, bytes, sizeof bytes);
        shown_fields s;
        shown_fields_init(&s);
        sb_sink sink = shown_fields_sink(&s);
        CHECK_EQ(sb_show_datagram((sb_span){ bytes, size }, &sink, NULL), SB_OK);
        CHECK_TEXT(s.fields[s.count - 1].path, rows[i].last);
        CHECK_EQ(s.place.depth, 1);
        shown_fields_free(&s);
    }
}

TEST(messages_that_nobody_has_checked_end_at_the_first_bad_one)
{
    static const uint8_t bytes[] = { 0x02, 0x32, 0x02, 0x00 };
    sb_datagram          unchecked = { .messages = { bytes, sizeof bytes } };
    sb_transport_message m;
    size_t               at = 0;
    CHECK(sb_datagram_next(&unchecked, &at, &m));
    CHECK_EQ(at, 1);
    CHECK(!sb_datagram_next(&unchecked, &at, &m));
    CHECK_EQ(at, 1);
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

/* The length has 13 bits in Data and 14 in control messages, and counts the header. */
TEST(the_longest_message_is_written_and_its_size_known)
{
    static uint8_t payload[0x4000], bytes[0x8000];
    static const struct {
        sb_transport_message m;
        size_t               header, most; /* `most` 0: has no payload */
    } rows[] = {
        { { .type = SB_TRANSPORT_NOOP }, 1, 0 },
        { { .type = SB_TRANSPORT_ACK }, 4, 0 },
        { { .type = SB_TRANSPORT_ACK, .ack_flags = SB_ACK_FRAGMENT }, 5, 0 },
        { { .type = SB_TRANSPORT_ACK, .ack_flags = SB_ACK_LOW_CHANNEL }, 4, 0 },
        { { .type = SB_TRANSPORT_DATA }, 3, 0x1FFF },
        { { .type = SB_TRANSPORT_DATA, .reliable = true }, 5, 0x1FFF },
        { { .type = SB_TRANSPORT_DATA, .reliable = true, .fragment = true, .frag_total = 2 },
          7,
          0x1FFF },
        { { .type = SB_TRANSPORT_DATA, .reliable = true, .fragment = true, .frag_index = 1 },
          6,
          0x1FFF },
        { { .type = SB_TRANSPORT_NAME, .reliable = true }, 5, 0x3FFF },
        { { .type = SB_TRANSPORT_DISCONNECT }, 3, 0x3FFF },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sb_transport_message m = rows[i].m;
        m.payload = (sb_span){ payload, rows[i].most ? rows[i].most - rows[i].header : 9 };
        sb_datagram_writer w;
        sb_datagram_writer_init(&w, bytes, sizeof bytes, 1);
        size_t size = rows[i].most ? rows[i].most : rows[i].header;
        CHECK_EQ(sb_transport_message_bytes(&m), size);
        CHECK_EQ(sb_datagram_writer_add(&w, &m), SB_OK);
        CHECK_EQ(w.size, 2 + size);
        sb_datagram datagram;
        CHECK_EQ(sb_decode_datagram((sb_span){ bytes, w.size }, &datagram, NULL), SB_OK);
        CHECK_EQ(datagram.rest.size, 0);
        if (!rows[i].most) continue;
        m.payload.size++;
        CHECK_EQ(sb_datagram_writer_add(&w, &m), SB_BAD_VALUE);
    }
    sb_transport_message endless = { .type = SB_TRANSPORT_DATA, .payload = { payload, SIZE_MAX } };
    sb_datagram_writer   w;
    sb_datagram_writer_init(&w, bytes, sizeof bytes, 1);
    CHECK_EQ(sb_datagram_writer_add(&w, &endless), SB_BAD_VALUE);
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

static bool has_no_field(void *self, const sb_field *f)
{
    (void)self, (void)f;
    return false;
}

/* Every message is a NoOp. */
static sb_answer give_noop(void *self, const sb_field *f, sb_value *v, size_t count)
{
    (void)self;
    CHECK_EQ(count, 0);
    if (strcmp(f->name, "type") != 0) return SB_ABSENT;
    v->number = SB_TRANSPORT_NOOP;
    return SB_GIVEN;
}

static sb_answer enter_many(void *self, const sb_field *f, size_t *count)
{
    *count = f->kind == SB_KIND_LIST ? *(size_t *)self : 1;
    return SB_GIVEN;
}

static void leave_any(void *self, const sb_field *f)
{
    (void)self, (void)f;
}

TEST(a_datagram_is_built_of_up_to_255_messages)
{
    for (size_t count = 254; count <= 256; count++) {
        uint8_t   out[300];
        size_t    size;
        sb_source source = { &count, has_no_field, give_noop, enter_many, leave_any };
        sb_result result = sb_build_datagram(&source, out, sizeof out, &size, NULL);
        CHECK_EQ(result, count < 256 ? SB_OK : SB_BAD_VALUE);
        if (result != SB_OK) continue;
        CHECK_EQ(size, 2 + count);
        CHECK_EQ(out[1], count);
        CHECK_EQ(out[size - 1], SB_TRANSPORT_NOOP);
    }
}

static sb_answer refuse_named(void *self, const sb_field *f, sb_value *v, size_t count)
{
    (void)v, (void)count;
    return strcmp(f->name, self) == 0 ? SB_REFUSED : SB_ABSENT;
}

static sb_answer enter_one(void *self, const sb_field *f, size_t *count)
{
    (void)self, (void)f;
    *count = 1;
    return SB_GIVEN;
}

TEST(what_a_source_refuses_of_a_datagram_is_refused)
{
    static const char names[][12] = { "peer_id", "type", "reliable", "seq", "payload" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char       name[12];
        sb_source  source = { strcpy(name, names[i]), has_no_field, refuse_named, enter_one,
                              leave_any };
        sb_refusal why = { 0 };
        uint8_t    out[64];
        size_t     size;
        CHECK_EQ(sb_build_datagram(&source, out, sizeof out, &size, &why), SB_BAD_VALUE);
        CHECK_EQ(why.result, SB_BAD_VALUE);
        CHECK_TEXT(why.field, names[i]);
    }
}

TEST(an_empty_datagram_needs_two_bytes)
{
    shown_fields nothing;
    shown_fields_init(&nothing);
    for (size_t capacity = 0; capacity < 3; capacity++) {
        field_replay replay;
        uint8_t     *out = capacity > 0 ? malloc(capacity) : NULL;
        size_t       size;
        sb_refusal   why = { SB_OK, 9, NULL };
        sb_source    source = field_replay_source(&replay, &nothing);
        CHECK_EQ(sb_build_datagram(&source, out, capacity, &size, &why),
                 capacity < 2 ? SB_FULL : SB_OK);
        CHECK_EQ(size, capacity);
        CHECK_EQ(why.offset, capacity < 2 ? capacity : 9);
        if (size == 2) CHECK_BYTES(out, size, "\1\0", 2); /* from the host */
        source = field_replay_source(&replay, &nothing);
        CHECK_EQ(sb_build_datagram(&source, out, capacity, &size, NULL),
                 capacity < 2 ? SB_FULL : SB_OK);
        free(out);
    }
    shown_fields_free(&nothing);
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
    size = 7;
    CHECK_EQ(sb_encode_control(SB_TRANSPORT_ACK, SB_SIDE_HOST, &control, bytes, 32, &size),
             SB_UNKNOWN_OPCODE);
    CHECK_EQ(size, 0);
    CHECK_EQ(sb_encode_control(SB_TRANSPORT_NAME, SB_SIDE_CLIENT, &control, bytes, 10, &size),
             SB_FULL);
    CHECK(size <= 10);
}

/* A transport message on its own ends with its last byte. */
TEST(bytes_behind_a_transport_message_are_refused)
{
    static const uint8_t bytes[] = { 0x02, 0xAA };
    shown_fields         s;
    sb_refusal           why = { SB_OK, 9, "x" };
    shown_fields_init(&s);
    sb_sink sink = shown_fields_sink(&s);
    CHECK_EQ(sb_show_transport_message((sb_span){ bytes, 2 }, SB_SIDE_HOST, &sink, &why),
             SB_TRAILING);
    CHECK_EQ(why.result, SB_TRAILING);
    CHECK_EQ(why.offset, 1);
    CHECK(!why.field);
    CHECK_EQ(sb_show_transport_message((sb_span){ bytes, 2 }, SB_SIDE_HOST, &sink, NULL),
             SB_TRAILING);
    why = (sb_refusal){ SB_FULL, 9, "x" };
    CHECK_EQ(sb_show_transport_message((sb_span){ bytes, 1 }, SB_SIDE_HOST, &sink, &why), SB_OK);
    CHECK_EQ(why.result, SB_FULL); /* there is nothing to say */
    CHECK_EQ(why.offset, 9);
    CHECK_EQ(sb_show_transport_message((sb_span){ bytes + 1, 1 }, SB_SIDE_HOST, &sink, &why),
             SB_UNKNOWN_OPCODE);
    CHECK_EQ(why.offset, 0);
    CHECK_TEXT(why.field, "type");
    shown_fields_free(&s);
}
