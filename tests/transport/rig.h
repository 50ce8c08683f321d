/* tests/transport/rig.h -- drives one endpoint by hand: time, datagrams and events.
 *
 * For:      the tests of hosts and clients. Datagrams are given and expected as the plain bytes that
 *           spec 01 prints; the rig does the cipher. Every step checks the endpoint's invariants,
 * the form of the datagrams it sends and its next deadline.
 * Never:    decides what is right beyond that.
 */
#ifndef STARBASE_RIG_H
#define STARBASE_RIG_H

#include <starbase/cipher.h>
#include <starbase/transport.h>

#include "base/random.h"
#include "test.h"
#include "transport/testing.h"

enum {
    RIG_SENT_MAX = 16384,
    RIG_EVENTS_MAX = 16384,
    RIG_BYTES_MAX = 1 << 20,
    RIG_PORT = 30000,
    RIG_STEPS_MAX = 20000, /* datagrams or events at one time: more is an endless loop */
    RIG_CLIENTS_MAX = 4,
};

#define RIG_START       (1000 * SB_SECOND)
#define RIG_MILLISECOND ((sb_time)1000)
/* A datagram with a Connect of address 10.10.10.239, without a password. */
#define RIG_CONNECT "FF 01 03 0F C0 00 00 0A 0A 0A EF F9 78 00 00 00 00"

/* One datagram the endpoint wrote, decrypted. */
typedef struct rig_sent {
    sb_time     at;
    sb_endpoint to;
    size_t      size;
    uint8_t     plain[SB_DATAGRAM_MAX];
} rig_sent;

/* One event; its bytes are copies that live until rig_forget. */
typedef struct rig_event {
    sb_time            at;
    sb_transport_event event;
} rig_event;

typedef struct rig {
    sb_transport_host   *host;   /* NULL in a client's rig */
    sb_transport_client *client; /* NULL in a host's rig */
    sb_time              now;
    void                *memory;
    rig_sent            *sent;
    size_t               sent_count, sent_next;
    rig_event           *events;
    size_t               event_count, event_next;
    uint8_t             *bytes;
    size_t               byte_count;
} rig;

/* A rig lives until eight others were opened; there is no close function. */
rig *rig_open_host(const sb_transport_host_config *config);
rig *rig_open_client(const sb_transport_client_config *config);
/* The defaults; for a client also the server (rig_server), an address and the name "Kirk". */
void        rig_host_config(sb_transport_host_config *config);
void        rig_client_config(sb_transport_client_config *config);
sb_endpoint rig_endpoint(unsigned number); /* 10.0.x.y:RIG_PORT, another IP for each number */
sb_endpoint rig_server(void);

/* Give the endpoint an encrypted datagram, or a plain one that the rig encrypts. Events are
 * drained; nothing is written. */
sb_result rig_receive(rig *r, sb_endpoint from, sb_span datagram);
sb_result rig_give(rig *r, sb_endpoint from, sb_span plain);
sb_result rig_give_hex(rig *r, sb_endpoint from, const char *plain);
/* Drains events and writes datagrams until there are no more at this time. */
void rig_step(rig *r);
/* Lets time pass, with a step at every deadline and at the end. */
void rig_wait(rig *r, sb_time duration);
void rig_wait_until(rig *r, sb_time at);
/* Forgets all stored events and datagrams. */
void rig_forget(rig *r);

/* The next event or datagram that was not read yet, or NULL. */
const rig_event *rig_next_event(rig *r);
const rig_sent  *rig_next_sent(rig *r);
/* The next datagram to `to`; those to others before it are skipped. */
const rig_sent *rig_next_sent_to(rig *r, sb_endpoint to);

/* A host with that many peers: ids from 2, addresses rig_endpoint(1) and so on. */
rig *rig_host_with(unsigned peers, const sb_transport_host_config *config);
/* The same with the defaults, but with the intervals of the game. */
rig *rig_stock_host_with(unsigned peers);
/* Queues Data at the host. */
sb_result rig_send(rig *r, uint8_t id, sb_delivery delivery, sb_span bytes);
/* Gives the host an encrypted datagram without the rig's checks, for floods; drops its events. */
sb_result rig_receive_unchecked(rig *r, sb_endpoint from, sb_span encrypted);
/* Gives the same datagram until it is refused; returns how often it was accepted. */
unsigned rig_give_until_refused(rig *r, sb_endpoint from, sb_span plain);
/* Gives a datagram of peer `id` with a Name for itself. */
void rig_give_name(rig *r, sb_endpoint from, uint8_t id, uint16_t seq, sb_span name);

/* Acknowledges the last question of the host to this address whether it hears the host (spec 01
 * §5.4); false: there is none, or the Acks are refused. */
bool rig_prove(rig *r, sb_endpoint from, uint8_t id);
/* Lets a stranger knock, so that a host without free seats asks, and all peers answer. */
void rig_prove_all(rig *r);
/* Lets a Connect come from the address of the peer, so that the host asks it, and the peer answers.
 */
void rig_show(rig *r, sb_endpoint from, uint8_t id);
/* The id in the answer to a Connect; forgets events and datagrams before it. */
uint8_t rig_told_id(rig *r, sb_endpoint from);
/* Connects a peer, acknowledges the response, and lets a second pass so that no Ack is repeated
 * later. The peer shows that it hears the host if the host asks. Forgets events and datagrams;
 * returns the id. */
uint8_t rig_join(rig *r, sb_endpoint from);
/* The same of somebody who hears nothing but guesses the id. */
uint8_t rig_join_blindly(rig *r, sb_endpoint from);
/* Connects the client: the host gives it the id and acknowledges its Name. */
void     rig_join_client(rig *r, uint8_t id);
uint64_t rig_count(const rig *r, sb_transport_counter counter);
uint64_t rig_refusals(const rig *r); /* sum of all refusal counters */
bool     rig_info(const rig *r, uint8_t id, sb_peer_info *info);

/* Message `index` of a datagram; false: the datagram has fewer. */
bool     rig_message(const rig_sent *sent, size_t index, sb_transport_message *out);
unsigned rig_message_count(const rig_sent *sent);
/* Number of unread datagrams to `to` that have a message of this type. */
unsigned rig_count_sent(const rig *r, sb_endpoint to, uint8_t type);
/* Reads all unread datagrams; returns the number of Acks in them. */
unsigned rig_count_acks(rig *r);
/* Times of unread datagrams to `to` with this type, in milliseconds from `start`: "0 1000 3000". */
const char *rig_times(const rig *r, sb_endpoint to, uint8_t type, sb_time start);
/* Describes the datagram that goes to `to` now (rig_describe; "": none). Then lets 0.8 s pass, so
 * that no Ack is repeated later, and forgets. */
const char *rig_answer(rig *r, sb_endpoint to);
bool        rig_same_endpoint(sb_endpoint a, sb_endpoint b);

/* Bytes of a hex text; lent until four more calls. */
sb_span rig_hex(const char *hex);
/* ASCII to UTF-16LE without terminator; lent until eight more calls. */
sb_span rig_wide(const char *text);
/* `size` bytes that depend on `mark`; lent until eight more calls. */
sb_span rig_pattern(size_t size, unsigned mark);
/* Each message as "Data 5", "Ack low 0" ..., separated by ", "; lent until eight more calls. */
const char *rig_describe(const rig_sent *sent);

/* Builds a plain datagram. */
typedef struct rig_pack {
    sb_datagram_writer writer;
    uint8_t            bytes[SB_DATAGRAM_ACCEPTED];
} rig_pack;

void rig_pack_init(rig_pack *p, uint8_t peer_id);
void rig_pack_add(rig_pack *p, const sb_transport_message *m);
void rig_pack_ack(rig_pack *p, bool low, uint16_t seq);
/* The Acks that rig_prove gives; false: there is no question. */
bool rig_pack_proof(rig *r, sb_endpoint from, uint8_t id, rig_pack *p);
void rig_pack_fragment_ack(rig_pack *p, uint16_t seq, uint8_t index);
void rig_pack_noop(rig_pack *p);
void rig_pack_data(rig_pack *p, uint16_t seq, sb_span payload);
void rig_pack_unreliable(rig_pack *p, sb_span payload);
void rig_pack_fragment(rig_pack *p, uint16_t seq, uint8_t index, uint8_t total, sb_span payload);
void rig_pack_control(rig_pack *p, uint8_t type, uint16_t seq, sb_span payload);
/* A Name for `id`; `name` is UTF-16LE, copied unchanged. */
void    rig_pack_name(rig_pack *p, uint16_t seq, uint8_t id, sb_span name);
void    rig_pack_disconnect(rig_pack *p, uint16_t seq, uint8_t id);
sb_span rig_packed(const rig_pack *p);

/* A host and clients with a lossy network between them; one seed decides all losses. */
typedef struct rig_flight {
    sb_time  at;
    uint64_t order;
    int      to; /* client, or -1: the host */
    int      from;
    size_t   size;
    uint8_t  bytes[SB_DATAGRAM_MAX];
} rig_flight;

enum { RIG_FLIGHTS_MAX = 4096 };

typedef struct rig_link {
    rig       *host;
    rig       *clients[RIG_CLIENTS_MAX];
    size_t     client_count;
    sb_random  random;
    uint32_t   loss, duplicate; /* per thousand */
    sb_time    delay, jitter;
    uint64_t   order;
    size_t     count;
    rig_flight flights[RIG_FLIGHTS_MAX];
} rig_link;

/* Client number i has the address rig_endpoint(i + 1). The link is static: one at a time. */
rig_link *rig_link_open(rig *host, uint64_t seed);
void      rig_link_add(rig_link *link, rig *client);
/* Lets time pass; datagrams of all endpoints travel over the network. */
void rig_link_run(rig_link *link, sb_time duration);

/* Checks that report file and line of the test. */
void rig_expect_sent(const char *file, int line, rig *r, sb_endpoint to, const char *hex);
void rig_expect_said(const char *file, int line, rig *r, sb_endpoint to, const char *described);
void rig_expect_silence(const char *file, int line, rig *r);
void rig_expect_no_event(const char *file, int line, rig *r);
void rig_expect_event(const char *file, int line, rig *r, sb_transport_event_type type, uint8_t id);
void rig_expect_left(const char *file, int line, rig *r, uint8_t id, sb_leave_reason reason);
void rig_expect_message(const char *file, int line, rig *r, uint8_t id, sb_delivery delivery,
                        sb_span bytes);
void rig_expect_named(const char *file, int line, rig *r, uint8_t id, const char *name);
void rig_expect_refusal(const char *file, int line, rig *r, sb_endpoint from, sb_span plain,
                        sb_transport_counter counter);

/* Checks that two endpoints have the same peers, traffic counters, unread events and datagrams. */
void rig_expect_same(const char *file, int line, const rig *a, const rig *b);

#define EXPECT_SAME(a, b)     rig_expect_same(__FILE__, __LINE__, a, b)
#define GIVE(r, from, hex)    CHECK_EQ(rig_give_hex(r, from, hex), SB_OK)
#define GIVE_PACK(r, from, p) CHECK_EQ(rig_give(r, from, rig_packed(p)), SB_OK)
/* The next unread datagram, byte for byte. */
#define EXPECT_SENT(r, to, hex) rig_expect_sent(__FILE__, __LINE__, r, to, hex)
/* The next datagram to `to`, as rig_describe prints it. */
#define EXPECT_SAID(r, to, described) rig_expect_said(__FILE__, __LINE__, r, to, described)
#define EXPECT_SILENCE(r)             rig_expect_silence(__FILE__, __LINE__, r)
#define EXPECT_NO_EVENT(r)            rig_expect_no_event(__FILE__, __LINE__, r)
#define EXPECT_JOINED(r, id)          rig_expect_event(__FILE__, __LINE__, r, SB_EVENT_JOINED, id)
#define EXPECT_LEFT(r, id, reason)    rig_expect_left(__FILE__, __LINE__, r, id, reason)
#define EXPECT_NAMED(r, id, name)     rig_expect_named(__FILE__, __LINE__, r, id, name)
#define EXPECT_DATA(r, id, bytes)     rig_expect_message(__FILE__, __LINE__, r, id, SB_RELIABLE, bytes)
#define EXPECT_UNRELIABLE(r, id, bytes)                                                            \
    rig_expect_message(__FILE__, __LINE__, r, id, SB_UNRELIABLE, bytes)
/* Gives a plain datagram that must be refused: no event, and this counter grows by one. */
#define REFUSE(r, from, plain, counter)                                                            \
    rig_expect_refusal(__FILE__, __LINE__, r, from, plain, counter)

#endif
