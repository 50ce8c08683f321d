/* starbase/datagram.h -- the contents of a decrypted datagram: transport messages.
 *
 * For:      the transport, and tools that look at datagrams.
 * Never:    keeps state: sequence numbers, Acks and reassembly belong to the transport.
 * Spec:     01 §3, §4; src/wire/datagram.c and control.c draw the layouts.
 */
#ifndef STARBASE_DATAGRAM_H
#define STARBASE_DATAGRAM_H

#include <starbase/base.h>
#include <starbase/field.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SB_DATAGRAM_MAX = 512,       /* largest datagram that a stock peer or we send */
    SB_DATAGRAM_ACCEPTED = 1500, /* largest datagram that we read (spec 01 §3) */
    SB_DATAGRAM_MESSAGES_MAX = 255,
    SB_PEER_HOST = 0x01,
    SB_PEER_NONE = 0xFF,    /* a client that has no peer id yet */
    SB_GAMESPY_BYTE = 0x5C, /* byte 0 of GameSpy datagrams, never of a game datagram (01 §1.1) */
    SB_MESSAGE_MAX = 412,   /* largest total_len of a message or fragment (spec 01 §7.1) */
};

typedef enum sb_transport_type {
    SB_TRANSPORT_NAME = 0x00,
    SB_TRANSPORT_ACK = 0x01,
    SB_TRANSPORT_NOOP = 0x02,
    SB_TRANSPORT_CONNECT = 0x03,
    SB_TRANSPORT_BOOT = 0x04,
    SB_TRANSPORT_DISCONNECT = 0x05,
    SB_TRANSPORT_DATA = 0x32,
} sb_transport_type;

/* Reasons of a Boot (spec 01 §4.9). */
typedef enum sb_boot_reason {
    SB_BOOT_DEFAULT = 0,
    SB_BOOT_TIMED_OUT = 1,
    SB_BOOT_PASSWORD = 2,
    SB_BOOT_FULL = 3,
    SB_BOOT_KICKED = 4,
    SB_BOOT_BANNED = 5,
} sb_boot_reason;

/* Bits of sb_transport_message.ack_flags (spec 01 §4.4). */
enum { SB_ACK_FRAGMENT = 0x01, SB_ACK_LOW_CHANNEL = 0x02 };

/* One message of a datagram. The type decides which members are valid. Ack: seq, ack_flags, and
 * frag_index if ack_flags has SB_ACK_FRAGMENT. NoOp: none. All others: reliable, priority,
 * fragment, payload, and seq if reliable. Data also frag_index if fragment, and frag_total if
 * frag_index is 0. */
typedef struct sb_transport_message {
    uint8_t  type;
    bool     reliable, priority, fragment;
    uint16_t seq;
    uint8_t  ack_flags;
    uint8_t  frag_index, frag_total;
    sb_span  payload;
} sb_transport_message;

/* Kinds of messages in a datagram, one bit each. */
enum {
    SB_HAS_DATA = 0x01,
    SB_HAS_NOOP = 0x02,
    SB_HAS_FAREWELL = 0x04, /* Boot or Disconnect */
    SB_HAS_CONTROL = 0x08,  /* Name or Connect */
    SB_HAS_ACK = 0x10,      /* of Data */
    SB_HAS_LOW_ACK = 0x20,  /* of a control message */
};

typedef struct sb_datagram {
    uint8_t  peer_id;        /* peer id of the sender (spec 01 §3) */
    uint8_t  msg_count;      /* count in the header */
    uint8_t  message_count;  /* messages found; less than msg_count only before an unknown type */
    bool     unknown_type;   /* `rest` starts with an undefined type (spec 01 §4.11) */
    uint8_t  kinds;          /* SB_HAS_... */
    uint8_t  reliable_count; /* messages with a number, fragments included */
    uint16_t latest_ack;     /* with SB_HAS_ACK: the greatest number, as numbers wrap */
    sb_span  messages;
    sb_span  rest; /* bytes after the last message; a receiver ignores them */
} sb_datagram;

/* Checks the whole datagram by spec 01 §4.11. `out` points into `plain`. Any result but SB_OK: drop
 * the datagram. */
SB_API SB_MUST_USE sb_result sb_decode_datagram(sb_span plain, sb_datagram *out,
                                                sb_refusal *refusal);

/* The same, and puts the messages into the caller's array in the same pass: `message_count` of
 * them, whose payloads point into `plain`. SB_FULL: the header counts more than `capacity`
 * messages; SB_DATAGRAM_MESSAGES_MAX always suffices. After a refusal the array holds nothing of
 * use. */
SB_API SB_MUST_USE sb_result sb_parse_datagram(sb_span plain, sb_transport_message *messages,
                                               size_t capacity, sb_datagram *out,
                                               sb_refusal *refusal);

/* Iterates over the messages; `*at` starts at 0. False: no more. The payload points into the
 * datagram. */
SB_API bool sb_datagram_next(const sb_datagram *datagram, size_t *at, sb_transport_message *out);

/* Appends messages to a datagram in the caller's buffer. */
typedef struct sb_datagram_writer {
    uint8_t *data;
    size_t   capacity, size;
} sb_datagram_writer;

/* Starts an empty datagram; `capacity` >= 2, at most SB_DATAGRAM_MAX towards stock peers. */
SB_API void sb_datagram_writer_init(sb_datagram_writer *w, uint8_t *data, size_t capacity,
                                    uint8_t peer_id);
/* SB_FULL: the message does not fit, or the datagram has 255 messages; nothing is written.
 * SB_BAD_VALUE: no reader would accept the message: for example, its length exceeds the length
 * field, or a fragment is not reliable. */
SB_API SB_MUST_USE sb_result sb_datagram_writer_add(sb_datagram_writer         *w,
                                                    const sb_transport_message *message);

/* Size of the message in a datagram, header included. */
SB_API size_t sb_transport_message_bytes(const sb_transport_message *message);

/* Payloads of the control types (spec 01 §4.6-§4.10). Texts are UTF-16LE with their terminator. */
typedef struct sb_name_record {
    uint8_t  peer_id;
    uint32_t address; /* the address that the client claims to have; never trust it */
    sb_span  name;
} sb_name_record;

typedef struct sb_connect_request {
    uint32_t address;
    uint32_t opaque; /* differs per session (spec 01 §13 Q3) */
    sb_span  password;
} sb_connect_request;

typedef struct sb_connect_response {
    uint8_t peer_id;
} sb_connect_response;

typedef struct sb_boot {
    uint8_t reason;
    uint8_t peer_id; /* the removed peer; SB_PEER_NONE: the receiver, which has no id yet */
} sb_boot;

typedef struct sb_disconnect {
    uint8_t  peer_id;
    uint32_t address;
} sb_disconnect;

typedef union sb_control {
    sb_name_record      name;
    sb_connect_request  connect_request;  /* sent by a client */
    sb_connect_response connect_response; /* sent by the host */
    sb_boot             boot;
    sb_disconnect       disconnect;
} sb_control;

/* Decode and encode the payload of a control message. `from` distinguishes the request of a
 * Connect from its response. Bytes after the last field are ignored. SB_UNKNOWN_OPCODE: not a
 * control type. */
SB_API SB_MUST_USE sb_result sb_decode_control(uint8_t type, sb_side from, sb_span payload,
                                               sb_control *out);
SB_API SB_MUST_USE sb_result sb_encode_control(uint8_t type, sb_side from,
                                               const sb_control *control, uint8_t *out,
                                               size_t capacity, size_t *size);

/* Reports every field of a decrypted datagram to `sink`, the payload of Data as bytes. */
SB_API SB_MUST_USE sb_result sb_show_datagram(sb_span plain, const sb_sink *sink,
                                              sb_refusal *refusal);
/* Reports the fields of one transport message; `message` holds nothing else. */
SB_API SB_MUST_USE sb_result sb_show_transport_message(sb_span message, sb_side from,
                                                       const sb_sink *sink, sb_refusal *refusal);
/* The reverse of both: ask `source` for each field and write it. */
SB_API SB_MUST_USE sb_result sb_build_datagram(const sb_source *source, uint8_t *out,
                                               size_t capacity, size_t *size, sb_refusal *refusal);
SB_API SB_MUST_USE sb_result sb_build_transport_message(const sb_source *source, sb_side from,
                                                        uint8_t *out, size_t capacity, size_t *size,
                                                        sb_refusal *refusal);

/* Names of the transport types and of the Boot reasons. */
SB_API const sb_name *sb_transport_type_names(void);
SB_API const sb_name *sb_boot_reason_names(void);

#ifdef __cplusplus
}
#endif
#endif
