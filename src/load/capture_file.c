/* src/load/capture_file.c -- reads packets with libpcap and strips link, IP and UDP headers. */
#include "load/capture_file.h"

#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

enum {
    PAYLOAD_MAX = 65535,
    ETHERTYPE_IPV4 = 0x0800,
    ETHERTYPE_VLAN = 0x8100,
    ETHERTYPE_VLAN_OUTER = 0x88A8,
    IP_PROTOCOL_UDP = 17,
    VLAN_TAGS_MAX = 4,
    SKIPS_MAX = 1 << 16, /* packets skipped in one call, so that the caller can stop */
    OTHERS_MAX = 16,     /* stored ids of fragmented packets for other ports */
};

/* Identifies the IP packet to which fragments belong. */
typedef struct packet_id {
    uint32_t source, destination;
    uint16_t id;
} packet_id;

struct sb_capture {
    pcap_t           *pcap;
    int               link_type;
    uint16_t          port;
    sb_input         *input; /* owned by the stream, which libpcap closes */
    bool              ended; /* no more packets */
    bool              failed;
    sb_capture_counts counts;
    packet_id others[OTHERS_MAX]; /* ring of the latest fragmented packets for other ports */
    unsigned  other_count;
    char      error[SB_CAPTURE_ERROR_MAX];
    uint8_t (*payloads)[PAYLOAD_MAX + 1];
};

/* The rest of a packet while its headers are stripped. */
typedef struct packet_rest {
    const uint8_t *data;
    size_t         size;
    bool           cut_off; /* the capture has fewer bytes than the packet had */
} packet_rest;

const char *sb_capture_skip_text(sb_capture_skip reason)
{
    static const char *const texts[SB_CAPTURE_SKIP_COUNT] = {
        [SB_CAPTURE_NOT_IPV4] = "not IPv4",
        [SB_CAPTURE_NOT_UDP] = "not UDP",
        [SB_CAPTURE_IP_FRAGMENT] = "IP fragment",
        [SB_CAPTURE_CUT_OFF] = "cut off by the capture",
        [SB_CAPTURE_BAD_LENGTH] = "headers with impossible lengths",
        [SB_CAPTURE_OTHER_PORT] = "other port",
    };
    SB_ASSERT((unsigned)reason < SB_CAPTURE_SKIP_COUNT);
    return texts[reason];
}

bool sb_capture_may_start(sb_span head)
{
    static const uint8_t marks[][SB_CAPTURE_MARK_BYTES] = {
        { 0xD4, 0xC3, 0xB2, 0xA1 }, { 0xA1, 0xB2, 0xC3, 0xD4 }, /* pcap, microseconds */
        { 0x4D, 0x3C, 0xB2, 0xA1 }, { 0xA1, 0xB2, 0x3C, 0x4D }, /* pcap, nanoseconds */
        { 0x0A, 0x0D, 0x0D, 0x0A },                             /* pcapng */
    };
    size_t size = head.size < sizeof marks[0] ? head.size : sizeof marks[0];
    for (size_t i = 0; size > 0 && i < sizeof marks / sizeof *marks; i++)
        if (memcmp(head.data, marks[i], size) == 0) return true;
    return size == 0;
}

bool sb_capture_is_magic(sb_span head)
{
    return head.size >= SB_CAPTURE_MARK_BYTES && sb_capture_may_start(head);
}

/* ---- headers ---- */

static unsigned load_be16(const uint8_t *p)
{
    return (unsigned)p[0] << 8 | p[1];
}

static uint32_t load_be32(const uint8_t *p)
{
    return (uint32_t)load_be16(p) << 16 | load_be16(p + 2);
}

static bool skip_bytes(packet_rest *h, size_t count)
{
    if (count > h->size) return false;
    h->data += count;
    h->size -= count;
    return true;
}

/* The functions below return NOT_SKIPPED or an sb_capture_skip. */
enum { NOT_SKIPPED = -1 };

/* The reason why a packet ends inside a header. */
static int short_packet_reason(const packet_rest *h)
{
    return h->cut_off ? (int)SB_CAPTURE_CUT_OFF : (int)SB_CAPTURE_BAD_LENGTH;
}

/* Strips a link header of `size` bytes, whose last two are an ethertype, and VLAN tags. */
static int strip_ethernet(packet_rest *h, size_t size)
{
    if (!skip_bytes(h, size)) return short_packet_reason(h);
    unsigned type = load_be16(h->data - 2);
    for (int i = 0; i < VLAN_TAGS_MAX; i++) {
        if (type != ETHERTYPE_VLAN && type != ETHERTYPE_VLAN_OUTER) break;
        if (!skip_bytes(h, 4)) return short_packet_reason(h);
        type = load_be16(h->data - 2);
    }
    return type == ETHERTYPE_IPV4 ? NOT_SKIPPED : (int)SB_CAPTURE_NOT_IPV4;
}

/* The address family is in the byte order of the capturing machine (DLT_NULL) or in network byte
 * order (DLT_LOOP). */
static int strip_address_family(packet_rest *h)
{
    if (!skip_bytes(h, 4)) return short_packet_reason(h);
    const uint8_t *family = h->data - 4;
    bool           ipv4 = load_be32(family) == 2 || load_be32(family) == 0x02000000u;
    return ipv4 ? NOT_SKIPPED : (int)SB_CAPTURE_NOT_IPV4;
}

/* A "cooked v2" header has 20 bytes; the protocol comes first. */
static int strip_cooked_v2(packet_rest *h)
{
    if (!skip_bytes(h, 20)) return short_packet_reason(h);
    return load_be16(h->data - 20) == ETHERTYPE_IPV4 ? NOT_SKIPPED : (int)SB_CAPTURE_NOT_IPV4;
}

static bool is_known_link(int link_type)
{
    switch (link_type) {
    case DLT_EN10MB:
    case DLT_LINUX_SLL:
    case DLT_LINUX_SLL2:
    case DLT_NULL:
    case DLT_LOOP:
    case DLT_RAW:
    case DLT_IPV4: return true;
    default: return false;
    }
}

/* Strips the link header; an IPv4 packet is left. */
static int strip_link_header(packet_rest *h, int link_type)
{
    switch (link_type) {
    case DLT_EN10MB: return strip_ethernet(h, 14);
    case DLT_LINUX_SLL: return strip_ethernet(h, 16);
    case DLT_LINUX_SLL2: return strip_cooked_v2(h);
    case DLT_NULL:
    case DLT_LOOP: return strip_address_family(h);
    default: return NOT_SKIPPED;
    }
}

/* True if an incomplete packet has both of its ports and neither is the wanted one. */
static bool is_for_other_port(const sb_capture *capture, const packet_rest *h, size_t header)
{
    if (capture->port == 0 || h->size < header + 4) return false;
    const uint8_t *udp = h->data + header;
    return load_be16(udp) != capture->port && load_be16(udp + 2) != capture->port;
}

/* Only the first fragment has the ports; later ones are recognised by the packet's id. */
static int skip_fragment(sb_capture *capture, const packet_rest *h, size_t header)
{
    const uint8_t *ip = h->data;
    packet_id      p = { load_be32(ip + 12), load_be32(ip + 16), (uint16_t)load_be16(ip + 4) };
    if ((load_be16(ip + 6) & 0x1FFF) == 0) {
        if (!is_for_other_port(capture, h, header)) return SB_CAPTURE_IP_FRAGMENT;
        capture->others[capture->other_count++ % OTHERS_MAX] = p;
        return SB_CAPTURE_OTHER_PORT;
    }
    for (size_t i = 0; i < OTHERS_MAX && i < capture->other_count; i++) {
        const packet_id *o = &capture->others[i];
        if (o->source == p.source && o->destination == p.destination && o->id == p.id)
            return SB_CAPTURE_OTHER_PORT;
    }
    return SB_CAPTURE_IP_FRAGMENT;
}

static int strip_ipv4(sb_capture *capture, packet_rest *h, sb_packet *out)
{
    if (h->size < 1) return short_packet_reason(h);
    if (h->data[0] >> 4 != 4) return SB_CAPTURE_NOT_IPV4;
    if (h->size < 20) return short_packet_reason(h);
    const uint8_t *ip = h->data;
    size_t         header = (size_t)(ip[0] & 0x0F) * 4;
    size_t         total = load_be16(ip + 2);
    if (header < 20 || total < header) return SB_CAPTURE_BAD_LENGTH;
    if (ip[9] != IP_PROTOCOL_UDP) return SB_CAPTURE_NOT_UDP;
    if (load_be16(ip + 6) & 0x3FFF) return skip_fragment(capture, h, header);
    if (total > h->size)
        return is_for_other_port(capture, h, header) ? (int)SB_CAPTURE_OTHER_PORT
                                                     : short_packet_reason(h);
    out->source.address = load_be32(ip + 12);
    out->destination.address = load_be32(ip + 16);
    h->size = total; /* link padding may follow */
    (void)skip_bytes(h, header);
    return NOT_SKIPPED;
}

static int strip_udp(packet_rest *h, uint16_t port, sb_packet *out)
{
    if (!skip_bytes(h, 8)) return SB_CAPTURE_BAD_LENGTH;
    const uint8_t *udp = h->data - 8;
    out->source.port = (uint16_t)load_be16(udp);
    out->destination.port = (uint16_t)load_be16(udp + 2);
    if (port != 0 && out->source.port != port && out->destination.port != port)
        return SB_CAPTURE_OTHER_PORT;
    size_t length = load_be16(udp + 4);
    if (length < 8 || length - 8 > h->size) return SB_CAPTURE_BAD_LENGTH;
    out->payload = (sb_span){ h->data, length - 8 };
    return NOT_SKIPPED;
}

static int strip_headers(sb_capture *capture, packet_rest *h, sb_packet *out)
{
    int skip = strip_link_header(h, capture->link_type);
    if (skip == NOT_SKIPPED) skip = strip_ipv4(capture, h, out);
    if (skip == NOT_SKIPPED) skip = strip_udp(h, capture->port, out);
    return skip;
}

/* ---- the file ---- */

static sb_capture *fail_open(sb_capture *capture, char error[SB_CAPTURE_ERROR_MAX], const char *why)
{
    snprintf(error, SB_CAPTURE_ERROR_MAX, "%s", why);
    sb_capture_close(capture);
    return NULL;
}

static sb_capture *create_capture(char error[SB_CAPTURE_ERROR_MAX])
{
    sb_capture *capture = calloc(1, sizeof *capture);
    if (!capture) return fail_open(NULL, error, "out of memory");
    capture->payloads = malloc(SB_CAPTURE_BATCH_MAX * sizeof *capture->payloads);
    if (!capture->payloads) return fail_open(capture, error, "out of memory");
    return capture;
}

/* Gives the input to libpcap. False: `reason` says why, and the input is closed. */
static bool open_pcap(sb_capture *capture, sb_input *input, char reason[PCAP_ERRBUF_SIZE])
{
    FILE *stream = sb_input_stream(input);
    if (!stream) {
        snprintf(reason, PCAP_ERRBUF_SIZE, "out of memory");
        sb_input_close(input);
        return false;
    }
    capture->input = input;
    capture->pcap = pcap_fopen_offline(stream, reason);
    if (capture->pcap) return true;
    if (sb_input_fault(input)) snprintf(reason, PCAP_ERRBUF_SIZE, "%s", sb_input_fault(input));
    fclose(stream);
    return false;
}

sb_capture *sb_capture_open_input(sb_input *input, uint16_t port, char error[SB_CAPTURE_ERROR_MAX])
{
    char        reason[PCAP_ERRBUF_SIZE] = "";
    sb_capture *capture = create_capture(error);
    if (!capture) {
        sb_input_close(input);
        return NULL;
    }
    capture->port = port;
    if (!open_pcap(capture, input, reason)) return fail_open(capture, error, reason);
    capture->link_type = pcap_datalink(capture->pcap);
    if (!is_known_link(capture->link_type)) {
        const char *name = pcap_datalink_val_to_description_or_dlt(capture->link_type);
        snprintf(reason, sizeof reason, "packets of link type %s are not supported", name);
        return fail_open(capture, error, reason);
    }
    return capture;
}

sb_capture *sb_capture_open_file(FILE *file, uint16_t port, char error[SB_CAPTURE_ERROR_MAX])
{
    sb_input *input = sb_input_open(file);
    if (!input) return fail_open(NULL, error, "out of memory");
    return sb_capture_open_input(input, port, error);
}

sb_capture *sb_capture_open(const char *path, uint16_t port, char error[SB_CAPTURE_ERROR_MAX])
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!file) {
        snprintf(error, SB_CAPTURE_ERROR_MAX, "%m");
        return NULL;
    }
    return sb_capture_open_file(file, port, error);
}

/* False: no more packets. */
static bool read_packet(sb_capture *capture, packet_rest *h, int64_t *time_us)
{
    struct pcap_pkthdr *header;
    const u_char       *data;
    int                 status = pcap_next_ex(capture->pcap, &header, &data);
    if (status != 1) {
        capture->ended = true;
        capture->failed = status != PCAP_ERROR_BREAK;
        const char *fault = sb_input_fault(capture->input); /* it says more than libpcap */
        if (capture->failed)
            snprintf(capture->error, sizeof capture->error, "%s",
                     fault ? fault : pcap_geterr(capture->pcap));
        return false;
    }
    *h = (packet_rest){ data, header->caplen, header->caplen < header->len };
    *time_us = (int64_t)header->ts.tv_sec * 1000000 + header->ts.tv_usec;
    capture->counts.packets++;
    return true;
}

size_t sb_capture_read_batch(sb_capture *capture, sb_packet *out, size_t capacity)
{
    SB_ASSERT(capacity <= SB_CAPTURE_BATCH_MAX);
    size_t      count = 0, skipped = 0;
    packet_rest h;
    while (count < capacity && skipped < SKIPS_MAX && !capture->ended) {
        sb_packet *packet = &out[count];
        if (!read_packet(capture, &h, &packet->time_us)) break;
        int skip = strip_headers(capture, &h, packet);
        if (skip != NOT_SKIPPED) {
            SB_ASSERT((unsigned)skip < SB_CAPTURE_SKIP_COUNT);
            capture->counts.skipped[skip]++;
            skipped++;
            continue;
        }
        /* libpcap reuses its buffer for the next packet. */
        SB_ASSERT(packet->payload.size <= PAYLOAD_MAX);
        memcpy(capture->payloads[count], packet->payload.data, packet->payload.size);
        packet->payload.data = capture->payloads[count++];
    }
    capture->counts.accepted += count;
    return count;
}

bool sb_capture_has_ended(const sb_capture *capture)
{
    return capture->ended;
}

const char *sb_capture_error(const sb_capture *capture)
{
    return capture->failed ? capture->error : NULL;
}

sb_capture_counts sb_capture_counted(const sb_capture *capture)
{
    return capture->counts;
}

uint64_t sb_capture_position(const sb_capture *capture)
{
    return sb_input_position(capture->input);
}

uint64_t sb_capture_bytes(const sb_capture *capture)
{
    return sb_input_bytes(capture->input);
}

void sb_capture_close(sb_capture *capture)
{
    if (!capture) return;
    if (capture->pcap) pcap_close(capture->pcap);
    free(capture->payloads);
    free(capture);
}
