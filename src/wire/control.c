/* src/wire/control.c -- payloads of Name, Connect, Boot and Disconnect.
 *
 * For:      the transport, and tools that show or build datagrams.
 * Spec:     01 §4.6, §4.8 to §4.10.
 * Tests:    tests/wire/datagram_test.c
 *
 * Offsets count from the start of the payload, which follows the control header (datagram.c).
 * The first octet of an address comes first; texts are UTF-16LE and end with 00 00.
 *
 *                        0         1         2         3         4         5         8
 *                       +---------+---------+---------+---------+---------+---------+------
 *     Name              | peer_id |                address                | name ...
 *                       +---------+---------+---------+---------+---------+----------------
 *     Connect, request  |                address                | opaque (4 bytes)  | password ...
 *                       +---------+---------+---------+---------+-------------------+------
 *     Connect, response | peer_id |
 *                       +---------+---------+
 *     Boot              | reason  | peer_id |
 *                       +---------+---------+---------+---------+---------+
 *     Disconnect        | peer_id |                address                |
 *                       +---------+---------+---------+---------+---------+
 *
 * Request and response of a Connect have the same type. A client sends the request, the host the
 * response.
 */
#include <starbase/datagram.h>

#include "wire/datagram_internal.h"
#include "wire/walk.h"

static const sb_name transport_types[] = {
    { SB_TRANSPORT_NAME, "Name", "DataMessage, keepalive" },
    { SB_TRANSPORT_ACK, "Ack", "HeaderMessage" },
    { SB_TRANSPORT_NOOP, "NoOp", "ConnectMessage" },
    { SB_TRANSPORT_CONNECT, "Connect", "ConnectAckMessage" },
    { SB_TRANSPORT_BOOT, "Boot", "BootMessage" },
    { SB_TRANSPORT_DISCONNECT, "Disconnect", "DisconnectMessage" },
    { SB_TRANSPORT_DATA, "Data", "Message" },
    { 0, NULL, NULL },
};

const sb_name *sb_transport_type_names(void)
{
    return transport_types;
}

static const sb_name boot_reasons[] = {
    { SB_BOOT_DEFAULT, "default boot", NULL },
    { SB_BOOT_TIMED_OUT, "timed out", NULL },
    { SB_BOOT_PASSWORD, "incorrect password", NULL },
    { SB_BOOT_FULL, "too many players", NULL },
    { SB_BOOT_KICKED, "server booted you", NULL },
    { SB_BOOT_BANNED, "you are banned", NULL },
    { 0, NULL, NULL },
};

const sb_name *sb_boot_reason_names(void)
{
    return boot_reasons;
}

SB_DECLARE_DESCRIPTION(name_record)
SB_DECLARE_DESCRIPTION(connect_request)
SB_DECLARE_DESCRIPTION(connect_response)
SB_DECLARE_DESCRIPTION(boot)
SB_DECLARE_DESCRIPTION(disconnect)

SB_DESCRIBE(name_record, sb_name_record)
{
    SB_U8(peer_id);
    SB_ADDRESS(address);
    SB_UTF16(name);
}

SB_DESCRIBE(connect_request, sb_connect_request)
{
    SB_ADDRESS(address);
    SB_U32(opaque, .tentative = true);
    SB_UTF16(password, .tentative = true);
}

SB_DESCRIBE(connect_response, sb_connect_response)
{
    SB_U8(peer_id);
}

SB_DESCRIBE(boot, sb_boot)
{
    SB_U8(reason, .names = sb_boot_reason_names);
    SB_U8(peer_id);
}

SB_DESCRIBE(disconnect, sb_disconnect)
{
    SB_U8(peer_id);
    SB_ADDRESS(address);
}

#define ROW(type, from, name)                                                                      \
    {                                                                                              \
        type, from, sb_read_##name, sb_write_##name, sb_walk_##name                                \
    }

static const sb_control_row rows[] = {
    ROW(SB_TRANSPORT_NAME, SB_SIDE_UNKNOWN, name_record),
    ROW(SB_TRANSPORT_CONNECT, SB_SIDE_HOST, connect_response),
    ROW(SB_TRANSPORT_CONNECT, SB_SIDE_UNKNOWN, connect_request),
    ROW(SB_TRANSPORT_BOOT, SB_SIDE_UNKNOWN, boot),
    ROW(SB_TRANSPORT_DISCONNECT, SB_SIDE_UNKNOWN, disconnect),
};

const sb_control_row *sb_find_control(uint8_t type, sb_side from)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].type == type && (rows[i].from == SB_SIDE_UNKNOWN || rows[i].from == from))
            return &rows[i];
    return NULL;
}

sb_result sb_decode_control(uint8_t type, sb_side from, sb_span payload, sb_control *out)
{
    const sb_control_row *row = sb_find_control(type, from);
    if (!row) return SB_UNKNOWN_OPCODE;
    sb_walk w = { 0 };
    sb_reader_init(&w.r, payload, NULL);
    row->read(&w, out);
    return w.r.status;
}

sb_result sb_encode_control(uint8_t type, sb_side from, const sb_control *control, uint8_t *out,
                            size_t capacity, size_t *size)
{
    const sb_control_row *row = sb_find_control(type, from);
    *size = 0;
    if (!row) return SB_UNKNOWN_OPCODE;
    sb_control copy = *control;
    sb_walk    w = { 0 };
    sb_writer_init(&w.w, out, capacity);
    row->write(&w, &copy);
    *size = sb_writer_at(&w.w);
    return sb_writer_finish(&w.w);
}
