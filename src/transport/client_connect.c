/* src/transport/client_connect.c -- from the first Connect of a client to the id of its session.
 *
 * For:      client.c. A client that is not cautious takes the first id that it is told. A cautious
 *           one takes the id under which the host hears it (told_ids.h), and reads nothing else
 *           before.
 * Tests:    tests/transport/client_test.c, client_confirm_test.c, client_departure_test.c
 * Spec:     01 §4.8, §5.3, §10.8 rule 6.
 */
#include "transport/client_internal.h"

#include "base/assert.h"
#include "base/time.h"

#include <string.h>

/* A refusal that anybody could have sent waits for an answer to the next Connect (spec 01 §5.3),
 * that of a cautious client for an answer to the next six. */
static const sb_time refusal_silence = 2 * SB_SECOND;
static const sb_time cautious_refusal_silence = 6 * SB_SECOND;
/* A host whose farewell a cautious client has heard is asked for marks so long: it may go on, and
 * only our questions be lost. */
static const sb_time farewell_patience = 20 * SB_SECOND;

/* A host that goes on may send nothing but Acks. It is asked before a silence of 6 s is over. */
static const sb_time ask_after = 9 * SB_SECOND / 2;

/* ---- control messages out ---- */

static void queue_control(sb_transport_client *c, uint8_t type, sb_span payload)
{
    if (sb_outbox_queue_control(&c->link.outbox, type, payload) != SB_OK)
        c->queue_overflowed = true;
}

static void write_address(uint8_t *out, uint32_t address)
{
    for (int i = 0; i < 4; i++) out[i] = (uint8_t)(address >> (24 - 8 * i));
}

/* Address, port in network order and two zero bytes, password (spec 01 §4.8, §13 Q3). */
void sb_transport_client_queue_connect(sb_transport_client *c, sb_span password)
{
    uint8_t payload[8 + 2 * SB_PASSWORD_UNITS + 2] = { 0 };
    write_address(payload, c->config.local_address);
    payload[4] = (uint8_t)(c->config.local_port >> 8);
    payload[5] = (uint8_t)c->config.local_port;
    if (password.size > 0) memcpy(payload + 8, password.data, password.size);
    queue_control(c, SB_TRANSPORT_CONNECT, (sb_span){ payload, 8 + password.size + 2 });
}

void sb_transport_client_queue_name(sb_transport_client *c)
{
    uint8_t payload[5 + sizeof c->name.bytes];
    payload[0] = c->id;
    write_address(payload + 1, c->config.local_address);
    memcpy(payload + 5, c->name.bytes, c->name.size);
    queue_control(c, SB_TRANSPORT_NAME, (sb_span){ payload, 5u + c->name.size });
}

void sb_transport_client_queue_disconnect(sb_transport_client *c)
{
    uint8_t payload[5] = { c->id };
    write_address(payload + 1, c->config.local_address);
    queue_control(c, SB_TRANSPORT_DISCONNECT, (sb_span){ payload, sizeof payload });
}

/* ---- the id ---- */

bool sb_transport_client_is_id(uint8_t id)
{
    return id >= 2 && id < 0x80 && id != SB_GAMESPY_BYTE;
}

/* Begins the session under this id. */
static void adopt_id(sb_transport_client *c, uint8_t id)
{
    sb_transport_message ack = { .type = SB_TRANSPORT_ACK, .ack_flags = SB_ACK_LOW_CHANNEL };
    c->id = id;
    c->state = SB_CLIENT_CONNECTED;
    c->link.waits_for_id = false;
    c->link.cautious = c->is_cautious;
    c->link.keeps_alive = true;
    c->link.farewell_id = id;
    c->link.outbox.pace = (sb_resend_pace)c->config.retransmit;
    sb_departure_init(&c->departure, c->now); /* an answer refutes a refusal */
    (void)sb_outbox_acknowledge(&c->link.outbox, c->now, &ack);
    if (c->name.size == 0) sb_player_name_clean(&c->name, (sb_span){ NULL, 0 }, id);
    sb_transport_client_queue_name(c);
    c->joined_pending = true;
}

bool sb_transport_client_handle_response(sb_transport_client *c, sb_span payload)
{
    if (payload.size < 1 || !sb_transport_client_is_id(payload.data[0])) return false;
    if (c->state != SB_CLIENT_CONNECTING) {
        SB_COUNT(c->counters.values, SB_TRANSPORT_COUNT_UNEXPECTED_CONTROL);
        return true;
    }
    adopt_id(c, payload.data[0]);
    return true;
}

/* ---- refusals ---- */

void sb_transport_client_start_departure(sb_transport_client *c, sb_leave_reason reason,
                                         uint8_t boot_reason)
{
    bool connecting = c->state == SB_CLIENT_CONNECTING;
    if (!connecting && !c->is_cautious && c->departure.at == SB_TIME_NEVER)
        sb_marks_request_later(&c->link.marks, c->now, c->now + ask_after);
    if (!connecting && !c->is_cautious) sb_departure_start(&c->departure, c->now);
    else if (!connecting) sb_departure_start_after(&c->departure, c->now, farewell_patience);
    else
        sb_departure_start_after(&c->departure, c->now,
                                 c->is_cautious ? cautious_refusal_silence : refusal_silence);
    if (connecting && c->is_cautious) c->link.outbox.pace = SB_PACE_LEAVING; /* asks more often */
    if (c->link.cautious) sb_link_request_proof(&c->link, c->now);
    c->departure_reason = reason;
    c->departure_boot_reason = boot_reason;
}

/* ---- a cautious client that is connecting ---- */

bool sb_transport_client_is_confirming(const sb_transport_client *c)
{
    return c->state == SB_CLIENT_CONNECTING && c->ids.count > 0;
}

void sb_transport_client_take_first_id(sb_transport_client *c)
{
    SB_ASSERT(sb_transport_client_is_confirming(c));
    sb_link_skip_response(&c->link, c->now);
    adopt_id(c, c->ids.first);
}

/* Most hosts ask a newcomer at the moment when they give it the seat: the question comes just
 * before the datagram that proves the id, and a client that did not answer could lose the seat. */
static void answer_questions(sb_transport_client *c)
{
    const uint16_t *numbers;
    for (unsigned age = SB_MARK_ANSWERS; age-- > 0;)
        if ((numbers = sb_told_ids_question(&c->ids, age)))
            sb_link_answer_question(&c->link, c->now, numbers, SB_QUESTION_NUMBERS);
}

static void believe_proven(sb_transport_client *c, uint8_t id)
{
    uint16_t marks[SB_MARKS_COUNT];
    sb_told_ids_marks(&c->ids, id, marks);
    sb_marks_adopt(&c->link.marks, c->now, marks);
    sb_link_skip_response(&c->link, c->now);
    adopt_id(c, id);
    answer_questions(c);
}

static void read_control(sb_transport_client *c, const sb_transport_message *m)
{
    sb_span p = m->payload;
    bool    response = m->type == SB_TRANSPORT_CONNECT && m->seq == 0 && p.size >= 1;
    if (response && sb_transport_client_is_id(p.data[0])) {
        sb_told_ids_add(&c->ids, c->now, p.data[0]);
        sb_departure_init(&c->departure, c->now); /* an answer refutes a refusal */
    } else if (m->type == SB_TRANSPORT_BOOT && p.size >= 2) {
        sb_transport_client_start_departure(c, SB_LEFT_BOOTED, p.data[0]);
    } else if (m->type == SB_TRANSPORT_DISCONNECT) {
        sb_transport_client_start_departure(c, SB_LEFT_HOST_CLOSED, 0);
    } else {
        SB_COUNT(c->counters.values, SB_TRANSPORT_COUNT_LATE);
    }
}

bool sb_transport_client_read_connecting(sb_transport_client *c, const sb_datagram *datagram)
{
    sb_transport_message m;
    uint8_t              id = sb_told_ids_find_proven(&c->ids, datagram);
    if (id != 0) believe_proven(c, id);
    if (id != 0) return true;
    sb_told_ids_note_question(&c->ids, c->now, datagram);
    for (size_t at = 0; sb_datagram_next(datagram, &at, &m);)
        if (m.reliable && m.type != SB_TRANSPORT_DATA) read_control(c, &m);
    return false;
}

size_t sb_transport_client_write_question(sb_transport_client *c, uint8_t *out)
{
    sb_datagram_writer w;
    if (!sb_transport_client_is_confirming(c) || c->ids.ask_at > c->now) return 0;
    sb_told_ids_write(&c->ids, c->now, &w, out);
    c->counters.values[SB_TRANSPORT_COUNT_MARKS] += out[1];
    c->counters.values[SB_TRANSPORT_COUNT_BYTES_OUT] += w.size;
    c->counters.values[SB_TRANSPORT_COUNT_MESSAGES_OUT] += out[1];
    SB_COUNT(c->counters.values, SB_TRANSPORT_COUNT_DATAGRAMS_OUT);
    return w.size;
}
