/* fuzz/datagram_fuzz.c -- any datagram: decrypts, splits, shows and reassembles it. */
#include <starbase/cipher.h>
#include <starbase/datagram.h>
#include <starbase/message.h>

#include "base/assert.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void value(void *self, const sb_field *f, const sb_value *v, size_t at, size_t size)
{
    const sb_span *plain = self;
    (void)f, (void)v;
    SB_ASSERT(at + size <= plain->size);
}

static void bracket(void *self, const sb_field *f)
{
    (void)self, (void)f;
}

static void look_inside(const sb_transport_message *m, sb_side from)
{
    static sb_message message;
    sb_control        control;
    if (m->type == SB_TRANSPORT_DATA && !m->fragment)
        (void)!sb_decode_message(m->payload, NULL, &message, NULL);
    else if (m->type != SB_TRANSPORT_DATA)
        (void)!sb_decode_control(m->type, from, m->payload, &control);
}

static void check_datagram(sb_span plain)
{
    sb_datagram datagram;
    sb_refusal  why = { SB_OK, 0, NULL };
    sb_sink     sink = { &plain, value, bracket, bracket };
    sb_result   result = sb_decode_datagram(plain, &datagram, &why);
    sb_result   shown = sb_show_datagram(plain, &sink, NULL);
    SB_ASSERT(shown == result);
    if (result != SB_OK) {
        SB_ASSERT(why.offset <= plain.size);
        return;
    }
    uint8_t            again[SB_DATAGRAM_ACCEPTED + 2];
    sb_datagram_writer writer;
    sb_datagram_writer_init(&writer, again, sizeof again, datagram.peer_id);
    sb_side              from = datagram.peer_id == SB_PEER_HOST ? SB_SIDE_HOST : SB_SIDE_CLIENT;
    size_t               at = 0, count = 0;
    sb_transport_message m;
    while (sb_datagram_next(&datagram, &at, &m)) {
        look_inside(&m, from);
        sb_result added = sb_datagram_writer_add(&writer, &m);
        SB_ASSERT(added == SB_OK);
        count++;
    }
    SB_ASSERT(count == datagram.message_count);
    SB_ASSERT(at == datagram.messages.size);
    SB_ASSERT(writer.size - 2 == datagram.messages.size);
    SB_ASSERT(memcmp(again + 2, plain.data + 2, writer.size - 2) == 0);
    SB_ASSERT(datagram.messages.size + datagram.rest.size + 2 == plain.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t plain[SB_DATAGRAM_ACCEPTED], back[SB_DATAGRAM_ACCEPTED];
    if (size > sizeof plain) return 0;
    memcpy(plain, data, size);
    check_datagram((sb_span){ plain, size });
    sb_decrypt_datagram(plain, size);
    check_datagram((sb_span){ plain, size });
    memcpy(back, plain, size);
    sb_encrypt_datagram(back, size);
    SB_ASSERT(size == 0 || memcmp(back, data, size) == 0);
    return 0;
}
