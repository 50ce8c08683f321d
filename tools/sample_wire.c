/* tools/sample_wire.c -- a transport that writes its datagrams to a capture file. */
#include "sample_wire.h"

#include <starbase/cipher.h>

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"

enum {
    ETHERNET_BYTES = 14,
    IP_BYTES = 20,
    UDP_BYTES = 8,
    ACK_SENDS = 9,                /* spec 01 §6.7 D1 */
    ACK_INTERVAL_US = 667 * 1000, /* spec 01 §6.5 */
};

/* ---- the capture file: pcap, microseconds, Ethernet ---- */

void wire_open(wire *w, const char *path, int64_t start_us)
{
    uint8_t header[24] = { 0 };
    *w = (wire){ .file = fopen(path, "wb"), .start_us = start_us, .now_us = start_us };
    if (!w->file) {
        perror(path);
        exit(1);
    }
    sb_store_u32(header, 0xA1B2C3D4u);
    sb_store_u16(header + 4, 2);
    sb_store_u16(header + 6, 4);
    sb_store_u32(header + 16, 65535);
    sb_store_u32(header + 20, 1); /* Ethernet */
    fwrite(header, 1, sizeof header, w->file);
    w->bytes = sizeof header;
}

void wire_close(wire *w)
{
    if (fclose(w->file) != 0) {
        perror("closing the capture");
        exit(1);
    }
}

static void store_be16(uint8_t *p, unsigned v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

static void store_be32(uint8_t *p, uint32_t v)
{
    store_be16(p, v >> 16);
    store_be16(p + 2, v & 0xFFFF);
}

static void write_ethernet(uint8_t *p, sb_endpoint from, sb_endpoint to)
{
    static const uint8_t local[2] = { 0x02, 0x00 }; /* locally administered addresses */
    memcpy(p, local, 2);
    store_be32(p + 2, to.address);
    if (to.address == 0xFFFFFFFFu) memset(p, 0xFF, 6);
    memcpy(p + 6, local, 2);
    store_be32(p + 8, from.address);
    store_be16(p + 12, 0x0800);
}

static void write_ipv4(uint8_t *p, sb_endpoint from, sb_endpoint to, size_t size, size_t number)
{
    uint32_t sum = 0;
    memset(p, 0, IP_BYTES);
    p[0] = 0x45;
    store_be16(p + 2, (unsigned)(IP_BYTES + UDP_BYTES + size));
    store_be16(p + 4, (unsigned)number & 0xFFFF);
    p[8] = 128;
    p[9] = 17;
    store_be32(p + 12, from.address);
    store_be32(p + 16, to.address);
    for (size_t i = 0; i < IP_BYTES; i += 2) sum += (uint32_t)(p[i] << 8 | p[i + 1]);
    while (sum >> 16) sum = (sum & 0xFFFF) + (sum >> 16);
    store_be16(p + 10, ~sum & 0xFFFF);
}

/* The UDP checksum is 0, which means none in IPv4, so that a script may change addresses. */
static void write_packet(wire *w, sb_endpoint from, sb_endpoint to, sb_span payload)
{
    uint8_t  packet[16 + ETHERNET_BYTES + IP_BYTES + UDP_BYTES + 1500] = { 0 };
    uint8_t *ip = packet + 16 + ETHERNET_BYTES, *udp = ip + IP_BYTES;
    size_t   size = ETHERNET_BYTES + IP_BYTES + UDP_BYTES + payload.size;
    SB_ASSERT(payload.size <= 1500);
    sb_store_u32(packet, (uint32_t)(w->now_us / 1000000));
    sb_store_u32(packet + 4, (uint32_t)(w->now_us % 1000000));
    sb_store_u32(packet + 8, (uint32_t)size);
    sb_store_u32(packet + 12, (uint32_t)size);
    write_ethernet(packet + 16, from, to);
    write_ipv4(ip, from, to, payload.size, ++w->datagrams);
    store_be16(udp, from.port);
    store_be16(udp + 2, to.port);
    store_be16(udp + 4, (unsigned)(UDP_BYTES + payload.size));
    memcpy(udp + UDP_BYTES, payload.data, payload.size);
    fwrite(packet, 1, 16 + size, w->file);
    w->bytes += 16 + size;
}

void wire_text(wire *w, sb_endpoint from, sb_endpoint to, const char *text)
{
    write_packet(w, from, to, (sb_span){ (const uint8_t *)text, strlen(text) });
}

/* ---- datagrams ---- */

static direction *sending(wire *w)
{
    return w->from_host ? &w->to->down : &w->to->up;
}

static direction *receiving(wire *w)
{
    return w->from_host ? &w->to->up : &w->to->down;
}

static void add(wire *w, const sb_transport_message *m)
{
    sb_result result = sb_datagram_writer_add(&w->writer, m);
    SB_ASSERT(result == SB_OK);
}

/* True if the Ack is sent now. New Acks are always sent; copies at most every ACK_INTERVAL_US. */
static bool is_due(const wire *w, const pending_ack *ack, bool fresh)
{
    if (fresh) return ack->sends == 0;
    return ack->sends > 0 && w->now_us - ack->last_us >= ACK_INTERVAL_US;
}

bool wire_has_acks(const wire *w, const direction *l)
{
    for (size_t i = 0; i < l->ack_count; i++)
        if (l->acks[i].sends < 3 && is_due(w, &l->acks[i], l->acks[i].sends == 0)) return true;
    return false;
}

static void add_acks(wire *w, bool fresh)
{
    direction *l = sending(w);
    size_t     kept = 0;
    for (size_t i = 0; i < l->ack_count; i++) {
        pending_ack *ack = &l->acks[i];
        if (is_due(w, ack, fresh) && w->writer.capacity - w->writer.size >= 5) {
            add(w, &ack->message);
            ack->sends++;
            ack->last_us = w->now_us;
        }
        if (ack->sends < ACK_SENDS) l->acks[kept++] = *ack;
    }
    l->ack_count = kept;
}

void wire_start(wire *w, link *l, bool from_host)
{
    w->to = l;
    w->from_host = from_host;
    sb_datagram_writer_init(&w->writer, w->buffer, sizeof w->buffer,
                            from_host ? (uint8_t)SB_PEER_HOST : l->peer_id);
    add_acks(w, true);
}

/* Queues the Acks that the other side sends with its next datagram. */
static void expect_acks(wire *w)
{
    sb_datagram          datagram;
    sb_refusal           refusal;
    sb_transport_message m;
    direction           *l = receiving(w);
    sb_span              plain = { w->buffer, w->writer.size };
    sb_result            result = sb_decode_datagram(plain, &datagram, &refusal);
    SB_ASSERT(result == SB_OK);
    for (size_t at = 0; sb_datagram_next(&datagram, &at, &m);) {
        if (!m.reliable) continue;
        SB_ASSERT(l->ack_count < ACKS_MAX);
        unsigned flags = (m.fragment ? SB_ACK_FRAGMENT : 0u) |
                         (m.type == SB_TRANSPORT_DATA ? 0u : SB_ACK_LOW_CHANNEL);
        l->acks[l->ack_count++].message = (sb_transport_message){ .type = SB_TRANSPORT_ACK,
                                                                  .seq = m.seq,
                                                                  .ack_flags = (uint8_t)flags,
                                                                  .frag_index = m.frag_index };
        l->acks[l->ack_count - 1].sends = 0;
    }
}

void wire_send(wire *w)
{
    sb_endpoint host = w->to->host, client = w->to->client;
    add_acks(w, false);
    expect_acks(w);
    sending(w)->last_sent_us = w->now_us;
    sb_encrypt_datagram(w->buffer, w->writer.size);
    write_packet(w, w->from_host ? host : client, w->from_host ? client : host,
                 (sb_span){ w->buffer, w->writer.size });
}

void wire_lose(wire *w)
{
    sending(w)->last_sent_us = w->now_us;
}

/* ---- messages ---- */

void wire_retransmit(wire *w, sb_span payload, uint16_t seq)
{
    add(w, &(sb_transport_message){
               .type = SB_TRANSPORT_DATA, .reliable = true, .seq = seq, .payload = payload });
}

uint16_t wire_next_number(wire *w)
{
    return sending(w)->next_data++;
}

uint16_t wire_reliable(wire *w, sb_span payload)
{
    uint16_t seq = wire_next_number(w);
    wire_retransmit(w, payload, seq);
    return seq;
}

void wire_unreliable(wire *w, sb_span payload)
{
    add(w, &(sb_transport_message){ .type = SB_TRANSPORT_DATA, .payload = payload });
}

void wire_control(wire *w, uint8_t type, sb_span payload)
{
    add(w, &(sb_transport_message){ .type = type,
                                    .reliable = true,
                                    .priority = true,
                                    .seq = sending(w)->next_low++,
                                    .payload = payload });
}

void wire_noop(wire *w)
{
    add(w, &(sb_transport_message){ .type = SB_TRANSPORT_NOOP });
}

void wire_fragment(wire *w, uint16_t seq, uint8_t index, uint8_t total, sb_span payload)
{
    add(w, &(sb_transport_message){ .type = SB_TRANSPORT_DATA,
                                    .reliable = true,
                                    .fragment = true,
                                    .seq = seq,
                                    .frag_index = index,
                                    .frag_total = total,
                                    .payload = payload });
}
