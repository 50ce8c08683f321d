/* bench/transport_bench.c -- the cost of a datagram for a host with 1, 8 and 64 established peers.
 *
 * Every operation is 256 datagrams, shared evenly by all peers: 256 rounds with 1 peer, 4 with 64.
 *
 *     in        256 datagrams in: a reliable message of 30 bytes, an unreliable one of 40 and an
 *               Ack; after every fourth round the host writes each peer's Acks
 *     out       256 datagrams out: a reliable and an unreliable message of the same sizes, queued
 *               and written; after every fourth round each peer acknowledges them
 *     exchange  256 in and 256 out: each peer's datagram acknowledges the host's last message, and
 *               the host answers with two Acks and two messages
 *
 * The result includes cipher, events, queues and timers. The Acks of `in` match no message, as most
 * Acks of a stock peer (spec 01 §6.6). The peers' datagrams are made beforehand, one per sequence
 * number; all peers send the same bytes except byte 0, which is not encrypted. Floors: the cipher
 * alone on as many bytes.
 */
#include "bench.h"

#include <starbase/cipher.h>
#include <starbase/transport.h>

#include <stdlib.h>
#include <string.h>

enum {
    OPERATION = 256, /* datagrams */
    PEERS_MAX = 64,
    DEPTH = 4, /* rounds in one direction until the other direction answers */
    RELIABLE_BYTES = 30,
    UNRELIABLE_BYTES = 40,
    ACK_BYTES = 4,
    HEADER_BYTES = 2,
    BOTH_BYTES = 5 + RELIABLE_BYTES + 3 + UNRELIABLE_BYTES,
    IN_BYTES = HEADER_BYTES + ACK_BYTES + BOTH_BYTES,
    OUT_BYTES = HEADER_BYTES + BOTH_BYTES,
    /* Two Acks: for the peer's last message, and repeated for the one before (spec 01 §6.8). */
    ANSWER_BYTES = HEADER_BYTES + 2 * ACK_BYTES + BOTH_BYTES,
    ACKS_BYTES = HEADER_BYTES + DEPTH * ACK_BYTES,
    NUMBERS = 65536,
    NUMBERS_AT_ONCE = NUMBERS / 2, /* made in one go: enough for a run that counts instructions */
};

static const sb_time ROUND_US = 33333; /* a step of a server: a thirtieth of a second */

static uint8_t payload[UNRELIABLE_BYTES];
static uint8_t ring[NUMBERS][IN_BYTES]; /* n: reliable message n and an Ack of n - 1 */
static uint8_t ack_ring[NUMBERS / DEPTH][ACKS_BYTES]; /* n: DEPTH Acks from DEPTH * n on */

static void must(bool condition)
{
    if (!condition) __builtin_trap();
}

static void add(sb_datagram_writer *w, sb_transport_message m)
{
    must(sb_datagram_writer_add(w, &m) == SB_OK);
}

static void add_ack(sb_datagram_writer *w, uint16_t seq)
{
    add(w, (sb_transport_message){ .type = SB_TRANSPORT_ACK, .seq = seq });
}

static void make_datagram(uint16_t n)
{
    sb_datagram_writer w;
    sb_datagram_writer_init(&w, ring[n], IN_BYTES, SB_PEER_NONE);
    add_ack(&w, (uint16_t)(n - 1));
    add(&w, (sb_transport_message){ .type = SB_TRANSPORT_DATA,
                                    .reliable = true,
                                    .seq = n,
                                    .payload = { payload, RELIABLE_BYTES } });
    add(&w, (sb_transport_message){ .type = SB_TRANSPORT_DATA,
                                    .payload = { payload, UNRELIABLE_BYTES } });
    must(w.size == IN_BYTES);
    sb_encrypt_datagram(ring[n], IN_BYTES);
}

static void make_acks(unsigned n)
{
    sb_datagram_writer w;
    sb_datagram_writer_init(&w, ack_ring[n], ACKS_BYTES, SB_PEER_NONE);
    for (unsigned i = 0; i < DEPTH; i++) add_ack(&w, (uint16_t)(n * DEPTH + i));
    must(w.size == ACKS_BYTES);
    sb_encrypt_datagram(ack_ring[n], ACKS_BYTES);
}

static void make_numbers(unsigned first)
{
    bench_random_bytes(3, payload, sizeof payload);
    for (unsigned n = first; n < first + NUMBERS_AT_ONCE; n++) {
        make_datagram((uint16_t)n);
        if (n % DEPTH == 0) make_acks(n / DEPTH);
    }
}

/* ---- A host with its peers ---------------------------------------------------------------- */

typedef struct scene {
    sb_transport_host *host;
    unsigned           peers;
    unsigned           round; /* next sequence number of every peer */
    sb_time            now;
    uint8_t            ids[PEERS_MAX];
} scene;

static sb_endpoint address_of(unsigned peer)
{
    return (sb_endpoint){ 0x0A000001 + peer, 22101 };
}

static void drain_events(scene *s)
{
    sb_transport_event event;
    while (sb_transport_host_next_event(s->host, s->now, &event)) bench_use(&event);
}

static void receive(scene *s, unsigned peer, uint8_t *bytes, size_t size)
{
    bytes[0] = s->ids[peer];
    must(sb_transport_host_receive(s->host, s->now, address_of(peer), (sb_span){ bytes, size }) ==
         SB_OK);
    drain_events(s);
}

static void queue(scene *s, unsigned peer)
{
    must(sb_transport_host_send(s->host, s->ids[peer], SB_RELIABLE,
                                (sb_span){ payload, RELIABLE_BYTES }) == SB_OK);
    must(sb_transport_host_send(s->host, s->ids[peer], SB_UNRELIABLE,
                                (sb_span){ payload, UNRELIABLE_BYTES }) == SB_OK);
}

/* Writes one datagram for each peer; each must have `size` bytes (0: any size). */
static void write_all(scene *s, size_t size)
{
    uint8_t     bytes[SB_DATAGRAM_MAX];
    sb_endpoint to;
    unsigned    count = 0;
    for (size_t got; (got = sb_transport_host_write(s->host, s->now, &to, bytes)) > 0; count++) {
        must(size == 0 || got == size);
        bench_use(bytes);
    }
    must(count == s->peers);
}

static void join(scene *s, unsigned peer)
{
    uint8_t     out[SB_DATAGRAM_MAX];
    uint8_t     connect[] = { 0xFF, 1, 3, 0x0F, 0xC0, 0, 0, 10, 0, 0, 1, 0, 0, 0, 0, 0, 0 };
    uint8_t     ack[] = { 0, 1, SB_TRANSPORT_ACK, 0, 0, SB_ACK_LOW_CHANNEL };
    sb_endpoint to;
    sb_datagram datagram;
    sb_transport_message m = { 0 };
    s->now += SB_SECOND / 10; /* below the rate at which strangers may connect (spec 01 §10.6) */
    s->ids[peer] = SB_PEER_NONE;
    sb_encrypt_datagram(connect, sizeof connect);
    receive(s, peer, connect, sizeof connect);
    size_t size = sb_transport_host_write(s->host, s->now, &to, out);
    must(size > 0);
    sb_decrypt_datagram(out, size);
    must(sb_decode_datagram((sb_span){ out, size }, &datagram, NULL) == SB_OK);
    for (size_t at = 0; m.type != SB_TRANSPORT_CONNECT;) must(sb_datagram_next(&datagram, &at, &m));
    s->ids[peer] = m.payload.data[0];
    sb_encrypt_datagram(ack, sizeof ack);
    receive(s, peer, ack, sizeof ack);
}

static void make_scene(scene *s, unsigned peers)
{
    sb_transport_host_config config;
    sb_transport_host_defaults(&config);
    config.max_peers = peers;
    config.peers_per_ip = 0;
    config.proof = false; /* the peers of a bench answer no questions (spec 01 §5.4) */
    config.retransmit = SB_RETRANSMIT_MEASURED;
    void *memory = calloc(1, sb_transport_host_bytes(&config));
    must(memory != NULL);
    *s = (scene){ .peers = peers, .host = sb_transport_host_init(memory, &config, 0) };
    for (unsigned i = 0; i < peers; i++) join(s, i);
    must(sb_transport_host_peer_count(s->host) == peers);
    /* Write what is left of joining. */
    uint8_t     bytes[SB_DATAGRAM_MAX];
    sb_endpoint to;
    while (sb_transport_host_write(s->host, s->now, &to, bytes) > 0) continue;
}

/* Returns the scene of a benchmark, with datagrams for `rounds` more rounds. Both are made at first
 * use; they cost the same in short and long runs, so the difference of two runs does not include
 * them. */
static scene *get_scene(scene *s, unsigned peers, size_t rounds)
{
    static unsigned made;
    if (!s->host) make_scene(s, peers);
    for (; made < NUMBERS && made < s->round + rounds; made += NUMBERS_AT_ONCE) make_numbers(made);
    return s;
}

static void advance(scene *s)
{
    s->round++;
    s->now += ROUND_US;
}

/* ---- The three operations ----------------------------------------------------------------- */

static void receive_round(scene *s)
{
    for (unsigned i = 0; i < s->peers; i++) receive(s, i, ring[s->round % NUMBERS], IN_BYTES);
}

static void run_in(scene *s, unsigned peers, size_t bench_count)
{
    unsigned rounds = OPERATION / peers;
    get_scene(s, peers, bench_count * rounds);
    BENCH_LOOP
    {
        for (unsigned i = 0; i < rounds; i++) {
            receive_round(s);
            if (s->round % DEPTH == DEPTH - 1) write_all(s, 0);
            advance(s);
        }
    }
}

static void receive_acks(scene *s)
{
    for (unsigned i = 0; i < s->peers; i++)
        receive(s, i, ack_ring[s->round % NUMBERS / DEPTH], ACKS_BYTES);
}

static void run_out(scene *s, unsigned peers, size_t bench_count)
{
    unsigned rounds = OPERATION / peers;
    get_scene(s, peers, bench_count * rounds);
    BENCH_LOOP
    {
        for (unsigned i = 0; i < rounds; i++) {
            for (unsigned k = 0; k < peers; k++) queue(s, k);
            write_all(s, OUT_BYTES);
            if (s->round % DEPTH == DEPTH - 1) receive_acks(s);
            advance(s);
        }
    }
}

static void run_exchange(scene *s, unsigned peers, size_t bench_count)
{
    unsigned rounds = OPERATION / peers;
    get_scene(s, peers, bench_count * rounds);
    BENCH_LOOP
    {
        for (unsigned i = 0; i < rounds; i++) {
            receive_round(s);
            for (unsigned k = 0; k < peers; k++) queue(s, k);
            write_all(s, s->round == 0 ? 0 : ANSWER_BYTES);
            advance(s);
        }
    }
}

/* ---- Floors ------------------------------------------------------------------------------- */

static uint8_t work[SB_DATAGRAM_MAX];

static void decrypt_all(size_t size)
{
    for (unsigned i = 0; i < OPERATION; i++) {
        sb_decrypt_datagram(work, size);
        bench_use(work);
    }
}

static void encrypt_all(size_t size)
{
    for (unsigned i = 0; i < OPERATION; i++) {
        sb_encrypt_datagram(work, size);
        bench_use(work);
    }
}

BENCH(cipher_in_256)
{
    BENCH_LOOP decrypt_all(IN_BYTES);
}

BENCH(cipher_out_256)
{
    BENCH_LOOP encrypt_all(OUT_BYTES);
}

BENCH(cipher_exchange_256)
{
    BENCH_LOOP
    {
        decrypt_all(IN_BYTES);
        encrypt_all(ANSWER_BYTES);
    }
}

#define PEERS(n)                                                                                   \
    BENCH(in_256_peers_##n, .floor = "cipher_in_256")                                              \
    {                                                                                              \
        static scene s;                                                                            \
        run_in(&s, n, bench_count);                                                                \
    }                                                                                              \
    BENCH(out_256_peers_##n, .floor = "cipher_out_256")                                            \
    {                                                                                              \
        static scene s;                                                                            \
        run_out(&s, n, bench_count);                                                               \
    }                                                                                              \
    BENCH(exchange_256_peers_##n, .floor = "cipher_exchange_256")                                  \
    {                                                                                              \
        static scene s;                                                                            \
        run_exchange(&s, n, bench_count);                                                          \
    }
PEERS(1)
PEERS(8)
PEERS(64)
