/* sim/attacker.h -- an off-path attacker: forges datagrams from addresses and constants alone.
 *
 * For:      the simulated world (world_attack.c) and simulated matches under attack. A caller names
 *           a kind and the addresses that the attacker knows, gets one datagram, and sends it.
 * Never:    hears an answer, sees a datagram of others, or knows any state: no id, no sequence
 *           number, no time of an event. It knows addresses, ports and every constant of the
 *           protocol: cipher, framing, all layouts, that ids start at 2, and the first sequence
 *           numbers: 0, and in simulations that start at others, all of these.
 */
#ifndef SIM_ATTACKER_H
#define SIM_ATTACKER_H

#include "sim/network.h"

/* The kinds of forgeries. X(id, name, text) */
#define SIM_FORGERIES(X)                                                                           \
    X(SIM_FORGE_DISCONNECT, "disconnect", "Disconnects of a client, all ids, addresses guessed")   \
    X(SIM_FORGE_CONNECT, "connect", "Connects under the address of a client")                      \
    X(SIM_FORGE_EMPTY, "empty", "two bytes, FF 00, under the address of a client")                 \
    X(SIM_FORGE_GARBAGE, "garbage", "random bytes under the address of a client")                  \
    X(SIM_FORGE_ACKS, "acks", "255 Acks of guessed numbers in one datagram")                       \
    X(SIM_FORGE_NAMES, "names", "Names of a client, all ids, low numbers guessed")                 \
    X(SIM_FORGE_GUESS, "guess", "reliable messages with guessed numbers")                          \
    X(SIM_FORGE_SWEEP, "sweep", "reliable messages with ascending numbers, one per datagram")      \
    X(SIM_FORGE_SWEEPS, "sweeps", "reliable messages with ascending numbers, many per datagram")   \
    X(SIM_FORGE_COPIES, "copies", "the same reliable messages several times, a while apart")       \
    X(SIM_FORGE_FRAGMENTS, "fragments", "contradicting fragments, one per window of 256 numbers")  \
    X(SIM_FORGE_MARKS, "marks", "Data without payload under old numbers")                          \
    X(SIM_FORGE_MIXED, "mixed", "Data, Acks, NoOps and control messages in one datagram")          \
    X(SIM_FORGE_WRONG_ID, "wrong_id", "a NoOp of a client under each id in turn")                  \
    X(SIM_FORGE_UNRELIABLE, "unnumbered", "unreliable messages, all ids")                          \
    X(SIM_FORGE_REBIND, "other_port", "datagrams of a client from another port of its address")    \
    X(SIM_FORGE_FLOOD, "flood", "Connects from random addresses, half of them near a client")      \
    X(SIM_FORGE_JOIN, "join", "whole joins, from random addresses and from those of clients")      \
    X(SIM_FORGE_HOST_BOOT, "host_boot", "to a client: Boots, low numbers guessed")                 \
    X(SIM_FORGE_HOST_LEAVE, "host_leave", "to a client: Disconnects of the host and of players")   \
    X(SIM_FORGE_HOST_ACKS, "host_acks", "to a client: 255 Acks of guessed numbers")                \
    X(SIM_FORGE_HOST_NAMES, "host_names", "to a client: Names of players")                         \
    X(SIM_FORGE_HOST_ID, "host_id", "to a client: answers to a Connect, ids guessed")              \
    X(SIM_FORGE_HOST_GUESS, "host_guess", "to a client: reliable messages with guessed numbers")   \
    X(SIM_FORGE_HOST_SWEEPS, "host_sweeps", "to a client: ascending numbers, many per datagram")   \
    X(SIM_FORGE_HOST_COPIES, "host_copies", "to a client: the same messages several times")        \
    X(SIM_FORGE_HOST_FRAGMENTS, "host_fragments", "to a client: contradicting fragments")          \
    X(SIM_FORGE_HOST_MARKS, "host_marks", "to a client: Data without payload, old numbers")        \
    X(SIM_FORGE_HOST_QUESTIONS, "host_questions",                                                  \
      "to a client: questions whether it hears us, old numbers")                                   \
    X(SIM_FORGE_HOST_MIXED, "host_mixed",                                                          \
      "to a client: Data, Acks, NoOps and control messages in one datagram")                       \
    X(SIM_FORGE_HOST_UNRELIABLE, "host_unnumbered", "to a client: unreliable messages")            \
    X(SIM_FORGE_HOST_GARBAGE, "host_garbage", "to a client: random bytes")

typedef enum sim_forgery {
#define SIM_FORGERY_ID(id, name, text) id,
    SIM_FORGERIES(SIM_FORGERY_ID)
#undef SIM_FORGERY_ID
        SIM_FORGERY_COUNT
} sim_forgery;

const char *sim_forgery_name(sim_forgery kind);
const char *sim_forgery_text(sim_forgery kind);
/* True: towards a client, with the host's address as its source. */
bool sim_forgery_is_to_client(sim_forgery kind);

/* Writes the payload of one forged Data message, at most SIM_FORGED_PAYLOAD bytes, and returns its
 * size. `peer_id`: the id under which it is sent. */
enum { SIM_FORGED_PAYLOAD = 200 };
typedef size_t sim_forged_payload(void *context, sb_random *random, uint8_t peer_id, uint8_t *out);

typedef struct sim_forged {
    sb_endpoint from, to;
    size_t      size;
    uint8_t     bytes[SIM_DATAGRAM_MAX];
} sim_forged;

enum { SIM_FORGED_COPIES = 20, SIM_FIRST_NUMBERS = 33 };

typedef struct sim_attacker {
    sb_random           random;
    sb_endpoint         host;
    sim_forged_payload *payload; /* NULL: the mark (sim_is_forged) and a serial number */
    void               *payload_context;
    uint32_t            serial;     /* of messages with the mark */
    uint8_t             next_id;    /* ids are tried in turn, 2..17 */
    uint16_t            next_seq;   /* of sweeps; starts anew now and then */
    uint16_t            sweep_left; /* numbers until the sweep starts anew */
    sb_endpoint         joiner;     /* the address of the present forged join */
    uint32_t            join_steps; /* datagrams that are left of it */
    /* Constants: where the numbers of sessions start. */
    uint16_t first_numbers[SIM_FIRST_NUMBERS];
    uint32_t first_number_count;
    /* Datagrams that are sent several times, by direction, and how often they are still sent. */
    sim_forged kept[2][SIM_FORGED_COPIES];
    uint32_t   kept_sent[2];
} sim_attacker;

void sim_attacker_init(sim_attacker *attacker, uint64_t seed, sb_endpoint host);
/* Tells a first sequence number besides 0. */
void sim_attacker_add_first_number(sim_attacker *attacker, uint16_t first);
/* Makes the next datagram of this kind against one of the addresses (`count` >= 1). */
void sim_attacker_forge(sim_attacker *attacker, sim_forgery kind, const sb_endpoint *victims,
                        size_t count, sim_forged *out);
/* True: the payload of a Data message has the attacker's mark. */
bool sim_is_forged(sb_span payload);

#endif
