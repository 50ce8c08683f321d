/* tests/wire/datagram_parse_test.c -- the fast parser of datagrams accepts and refuses the same
 * bytes as a plain one, and finds the same messages.
 *
 * The plain parser is a transcription of spec 01 §4.2 to §4.4 and §4.11 with a reader. Inputs: the
 * files of fuzz/corpus as datagrams, and a million datagrams of random messages with random damage.
 */
#include <starbase/datagram.h>

#include "base/random.h"
#include "test.h"
#include "wire/reader.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

/* ---- the plain parser ---- */

typedef struct plain_parse {
    sb_result            result;
    size_t               refused_at;
    sb_datagram          datagram; /* without `messages` and `rest`, whose sizes follow */
    size_t               messages_size;
    sb_transport_message messages[SB_DATAGRAM_MESSAGES_MAX];
} plain_parse;

static void refuse_last(sb_reader *r, size_t bytes, sb_result why)
{
    if (r->status == SB_OK) r->next -= bytes;
    sb_reader_fail(r, why);
}

static void plain_ack(sb_reader *r, sb_transport_message *m)
{
    m->seq = sb_reader_read_u16(r);
    m->ack_flags = sb_reader_read_u8(r);
    if (m->ack_flags & SB_ACK_FRAGMENT) m->frag_index = sb_reader_read_u8(r);
}

static void plain_fragment(sb_reader *r, sb_transport_message *m)
{
    m->frag_index = sb_reader_read_u8(r);
    if (m->frag_index != 0 || r->status != SB_OK) return;
    m->frag_total = sb_reader_read_u8(r);
    if (m->frag_total < 2) refuse_last(r, 1, SB_BAD_VALUE);
}

static void plain_sized(sb_reader *r, sb_transport_message *m)
{
    size_t   available = r->left + 1;
    uint16_t flags_len = sb_reader_read_u16(r);
    bool     data = m->type == SB_TRANSPORT_DATA;
    size_t   total = flags_len & (data ? 0x1FFF : 0x3FFF);
    m->reliable = flags_len & 0x8000;
    m->priority = flags_len & 0x4000;
    m->fragment = data && flags_len & 0x2000;
    if (r->status != SB_OK) return;
    if (total < 3 || total > available) {
        refuse_last(r, 2, total < 3 ? SB_BAD_VALUE : SB_TRUNCATED);
        return;
    }
    if (m->fragment && !m->reliable) {
        refuse_last(r, 2, SB_BAD_VALUE);
        return;
    }
    r->left = total - 3;
    if (m->reliable) m->seq = sb_reader_read_u16(r);
    if (m->fragment) plain_fragment(r, m);
    m->payload = sb_reader_read_rest(r);
    if (r->status == SB_OK) r->left = available - total;
}

static void plain_count(sb_datagram *d, const sb_transport_message *m)
{
    static const uint8_t kinds[] = { SB_HAS_CONTROL,  0,
                                     SB_HAS_NOOP,     SB_HAS_CONTROL,
                                     SB_HAS_FAREWELL, SB_HAS_FAREWELL };
    d->message_count++;
    d->reliable_count = (uint8_t)(d->reliable_count + m->reliable);
    if (m->type != SB_TRANSPORT_ACK) {
        d->kinds |= m->type == SB_TRANSPORT_DATA ? SB_HAS_DATA : kinds[m->type];
    } else if (m->ack_flags & SB_ACK_LOW_CHANNEL) {
        d->kinds |= SB_HAS_LOW_ACK;
    } else {
        bool later = (int16_t)(uint16_t)(m->seq - d->latest_ack) > 0;
        if (later || !(d->kinds & SB_HAS_ACK)) d->latest_ack = m->seq;
        d->kinds |= SB_HAS_ACK;
    }
}

/* False: the loop over the messages ends. */
static bool plain_message(sb_reader *r, plain_parse *out)
{
    sb_transport_message *m = &out->messages[out->datagram.message_count];
    *m = (sb_transport_message){ .type = r->left > 0 ? r->next[0] : 0 };
    bool data = m->type == SB_TRANSPORT_DATA;
    if (r->left > 0 && m->type > SB_TRANSPORT_DISCONNECT && !data) {
        out->datagram.unknown_type = true;
        return false;
    }
    (void)sb_reader_read_u8(r);
    if (r->status != SB_OK) return false;
    if (m->type == SB_TRANSPORT_ACK) plain_ack(r, m);
    else if (m->type != SB_TRANSPORT_NOOP) plain_sized(r, m);
    if (r->status == SB_OK) plain_count(&out->datagram, m);
    return r->status == SB_OK;
}

static void parse_plainly(sb_span bytes, plain_parse *out)
{
    sb_reader r;
    sb_reader_init(&r, bytes, NULL);
    out->datagram = (sb_datagram){ 0 };
    out->datagram.peer_id = sb_reader_read_u8(&r);
    out->datagram.msg_count = sb_reader_read_u8(&r);
    for (unsigned left = out->datagram.msg_count; left > 0 && plain_message(&r, out);) left--;
    out->result = r.status;
    out->refused_at = sb_reader_at(&r);
    out->messages_size = sb_reader_at(&r) - 2;
}

/* ---- comparison ---- */

static void check_message(const sb_transport_message *is, const sb_transport_message *plain)
{
    CHECK_EQ(is->type, plain->type);
    CHECK_EQ(is->reliable, plain->reliable);
    CHECK_EQ(is->priority, plain->priority);
    CHECK_EQ(is->fragment, plain->fragment);
    CHECK_EQ(is->seq, plain->seq);
    CHECK_EQ(is->ack_flags, plain->ack_flags);
    CHECK_EQ(is->frag_index, plain->frag_index);
    CHECK_EQ(is->frag_total, plain->frag_total);
    CHECK_EQ(is->payload.size, plain->payload.size);
    if (plain->type != SB_TRANSPORT_ACK && plain->type != SB_TRANSPORT_NOOP)
        CHECK(is->payload.data == plain->payload.data);
}

static void check_datagram(sb_span bytes, const sb_datagram *is, const plain_parse *plain)
{
    CHECK_EQ(is->peer_id, plain->datagram.peer_id);
    CHECK_EQ(is->msg_count, plain->datagram.msg_count);
    CHECK_EQ(is->message_count, plain->datagram.message_count);
    if (plain->result != SB_OK) return;
    CHECK_EQ(is->unknown_type, plain->datagram.unknown_type);
    CHECK_EQ(is->kinds, plain->datagram.kinds);
    CHECK_EQ(is->reliable_count, plain->datagram.reliable_count);
    CHECK_EQ(is->latest_ack, plain->datagram.latest_ack);
    CHECK(is->messages.data == bytes.data + 2);
    CHECK_EQ(is->messages.size, plain->messages_size);
    CHECK(is->rest.data == bytes.data + 2 + plain->messages_size);
    CHECK_EQ(is->rest.size, bytes.size - 2 - plain->messages_size);
}

static void check_walk(const sb_datagram *datagram, const plain_parse *plain)
{
    sb_transport_message m;
    size_t               at = 0;
    for (unsigned i = 0; i < plain->datagram.message_count; i++) {
        CHECK(sb_datagram_next(datagram, &at, &m));
        check_message(&m, &plain->messages[i]);
    }
    CHECK(!sb_datagram_next(datagram, &at, &m));
    CHECK_EQ(at, datagram->messages.size);
}

/* Parses the bytes in every way. Returns whether they were accepted. */
static bool compare(sb_span bytes)
{
    static plain_parse          plain;
    static sb_transport_message messages[SB_DATAGRAM_MESSAGES_MAX];
    sb_datagram                 decoded, parsed;
    sb_refusal                  why[2] = { { SB_OK, 0, NULL }, { SB_OK, 0, NULL } };
    parse_plainly(bytes, &plain);
    CHECK_EQ(sb_decode_datagram(bytes, &decoded, &why[0]), plain.result);
    CHECK_EQ(sb_parse_datagram(bytes, messages, SB_DATAGRAM_MESSAGES_MAX, &parsed, &why[1]),
             plain.result);
    check_datagram(bytes, &decoded, &plain);
    check_datagram(bytes, &parsed, &plain);
    for (int i = 0; i < 2 && plain.result != SB_OK; i++) {
        CHECK_EQ(why[i].result, plain.result);
        CHECK_EQ(why[i].offset, plain.refused_at);
    }
    if (plain.result != SB_OK) return false;
    for (unsigned i = 0; i < plain.datagram.message_count; i++)
        check_message(&messages[i], &plain.messages[i]);
    check_walk(&decoded, &plain);
    return true;
}

/* ---- inputs ---- */

static size_t compare_file(const char *path)
{
    static uint8_t bytes[1 << 16];
    FILE          *file = fopen(path, "rb");
    if (!file) return 0;
    size_t size = fread(bytes, 1, sizeof bytes, file);
    (void)fclose(file);
    compare((sb_span){ bytes, size });
    for (size_t at = 0; at < size && at < 256; at++) /* as if the datagram began later */
        compare((sb_span){ bytes + at, size - at < 512 ? size - at : 512 });
    return 1;
}

static size_t compare_folder(const char *folder)
{
    char   path[1024];
    size_t count = 0;
    snprintf(path, sizeof path, "%s/fuzz/corpus/%s", SB_SOURCE_DIR, folder);
    DIR *directory = opendir(path);
    if (!directory) FAIL("cannot open %s", path);
    size_t length = strlen(path);
    for (struct dirent *e; (e = readdir(directory));) {
        if (e->d_name[0] == '.') continue;
        snprintf(path + length, sizeof path - length, "/%s", e->d_name);
        count += compare_file(path);
    }
    (void)closedir(directory);
    return count;
}

TEST(datagrams_of_the_fuzz_corpus_are_parsed_as_plainly)
{
    CHECK(compare_folder("datagram") > 0);
    CHECK(compare_folder("transport") > 0);
    CHECK(compare_folder("server") > 0);
    CHECK(compare_folder("client") > 0);
}

static void add_random_message(sb_random *random, sb_datagram_writer *w)
{
    static const uint8_t types[] = { SB_TRANSPORT_DATA, SB_TRANSPORT_DATA, SB_TRANSPORT_DATA,
                                     SB_TRANSPORT_ACK,  SB_TRANSPORT_ACK,  SB_TRANSPORT_NOOP,
                                     SB_TRANSPORT_NAME, SB_TRANSPORT_BOOT };
    static const uint8_t payload[64];
    uint32_t             bits = (uint32_t)sb_random_next(random);
    sb_transport_message m = { .type = types[bits % sizeof types],
                               .reliable = bits >> 8 & 1,
                               .priority = (bits >> 9 & 7) == 0,
                               .seq = (uint16_t)(bits >> 16),
                               .payload = { payload, bits >> 12 & 15 } };
    m.fragment = m.type == SB_TRANSPORT_DATA && m.reliable && (bits >> 20 & 3) == 0;
    m.frag_index = (uint8_t)(bits >> 22 & 3);
    m.frag_total = 2;
    m.ack_flags = m.type == SB_TRANSPORT_ACK ? (uint8_t)(bits >> 24) : 0;
    (void)!sb_datagram_writer_add(w, &m); /* or the datagram is full */
}

static size_t make_random_datagram(sb_random *random, uint8_t *bytes, size_t capacity)
{
    sb_datagram_writer w;
    uint32_t           bits = (uint32_t)sb_random_next(random);
    sb_datagram_writer_init(&w, bytes, capacity, (uint8_t)bits);
    for (uint32_t count = bits >> 8 & 7; count > 0; count--) add_random_message(random, &w);
    return w.size;
}

/* Changes up to three bytes, or the size, or nothing. */
static size_t damage(sb_random *random, uint8_t *bytes, size_t size)
{
    uint32_t bits = (uint32_t)sb_random_next(random);
    for (uint32_t changes = bits & 3; changes > 0; changes--) {
        uint32_t change = (uint32_t)sb_random_next(random);
        size_t   at = change % size;
        if (change >> 16 & 1) bytes[at] = (uint8_t)(change >> 24);
        else bytes[at] ^= (uint8_t)(1u << (change >> 24 & 7));
    }
    if ((bits >> 2 & 7) == 0) return (bits >> 8) % (size + 1);
    return size;
}

TEST(a_million_damaged_datagrams_are_parsed_as_plainly)
{
    uint8_t   bytes[SB_DATAGRAM_MAX];
    sb_random random;
    unsigned  accepted = 0;
    sb_random_init(&random, 1);
    for (unsigned i = 0; i < 1000000; i++) {
        size_t size = make_random_datagram(&random, bytes, sizeof bytes);
        accepted += compare((sb_span){ bytes, damage(&random, bytes, size) });
    }
    CHECK(accepted > 300000 && accepted < 900000); /* both outcomes are common */
}

TEST(datagram_with_more_messages_than_the_array_is_refused)
{
    static const uint8_t bytes[] = { 0x02, 0x02, 0x02, 0x02 };
    sb_transport_message messages[2];
    sb_datagram          datagram;
    sb_refusal           why;
    CHECK_EQ(sb_parse_datagram((sb_span){ bytes, 4 }, messages, 1, &datagram, &why), SB_FULL);
    CHECK_EQ(why.offset, 1);
    CHECK_EQ(datagram.message_count, 0);
    CHECK_EQ(sb_parse_datagram((sb_span){ bytes, 4 }, messages, 2, &datagram, NULL), SB_OK);
    CHECK_EQ(datagram.message_count, 2);
}
