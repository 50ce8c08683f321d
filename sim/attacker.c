/* sim/attacker.c -- forges datagrams of every kind from addresses and constants alone.
 *
 * For:      sim/attacker.h.
 */
#include "sim/attacker.h"

#include <starbase/cipher.h>
#include <starbase/datagram.h>

#include "base/assert.h"

#include <string.h>

enum {
    FIRST_ID = 2,
    ID_COUNT = 16,            /* a room has at most 16 players, and ids are given from 2 up */
    WINDOW = 256,             /* numbers that a receiver stores ahead (spec 01 §6.3) */
    ACKS = 255,               /* per datagram; the largest msg_count */
    MANY = 24,                /* reliable messages per datagram of a sweep */
    SWEEP_LENGTH = 2000,      /* numbers grow slowly: sweeps start anew after this */
    STRANGERS = 4096,         /* different addresses of floods and joins, in 64 networks /24 */
    COPIES = 5,               /* how often the same datagrams are sent */
    MARK_NEAREST = 1280,      /* marks and questions are at least so far behind (spec 01 §5.4, */
    MARK_RANGE = 8192 + 2048, /* §10.8), and at most so much further */
    LOW_NUMBERS = 12,         /* control messages are few: their numbers are tried from 0 up */
    STEPS_OF_JOIN = 1 + ID_COUNT, /* a Connect, then an answer under each id */
};

static const uint8_t mark[8] = { 'F', 'O', 'R', 'G', 'E', 'D', '!', 0xF0 };

typedef struct forgery_row {
    const char *name, *text;
} forgery_row;

static const forgery_row rows[] = {
#define ROW(id, name, text) [id] = { name, text },
    SIM_FORGERIES(ROW)
#undef ROW
};

const char *sim_forgery_name(sim_forgery kind)
{
    SB_ASSERT((unsigned)kind < SIM_FORGERY_COUNT);
    return rows[kind].name;
}

const char *sim_forgery_text(sim_forgery kind)
{
    SB_ASSERT((unsigned)kind < SIM_FORGERY_COUNT);
    return rows[kind].text;
}

bool sim_forgery_is_to_client(sim_forgery kind)
{
    return kind >= SIM_FORGE_HOST_BOOT;
}

bool sim_is_forged(sb_span payload)
{
    return payload.size >= sizeof mark && memcmp(payload.data, mark, sizeof mark) == 0;
}

void sim_attacker_init(sim_attacker *a, uint64_t seed, sb_endpoint host)
{
    *a = (sim_attacker){ .host = host, .next_id = FIRST_ID };
    a->first_number_count = 1; /* 0 */
    a->sweep_left = SWEEP_LENGTH;
    sb_random_init(&a->random, seed);
}

void sim_attacker_add_first_number(sim_attacker *a, uint16_t first)
{
    if (a->first_number_count < SIM_FIRST_NUMBERS)
        a->first_numbers[a->first_number_count++] = first;
}

/* ---- Guesses -------------------------------------------------------------------------------- */

static uint32_t below(sim_attacker *a, uint32_t bound)
{
    return sb_random_below(&a->random, bound);
}

static uint8_t next_id(sim_attacker *a)
{
    uint8_t id = a->next_id;
    a->next_id = id == FIRST_ID + ID_COUNT - 1 ? FIRST_ID : (uint8_t)(id + 1);
    return id;
}

static uint16_t guess_first_number(sim_attacker *a)
{
    return a->first_numbers[below(a, a->first_number_count)];
}

/* Mostly little more than a first number, since numbers grow slowly: by less than 4, 8, 16 ...
 * 4096, or any. */
static uint16_t guess_seq(sim_attacker *a)
{
    uint32_t bits = 2 + below(a, 12);
    uint32_t any = below(a, 0x10000);
    uint16_t first = guess_first_number(a);
    return (uint16_t)(bits > 12 ? any : first + (any & ((1u << bits) - 1)));
}

static uint16_t guess_low_seq(sim_attacker *a)
{
    return (uint16_t)(below(a, 8) > 0 ? below(a, LOW_NUMBERS) : guess_seq(a));
}

static uint16_t next_of_sweep(sim_attacker *a, uint16_t step)
{
    uint16_t seq = a->next_seq;
    a->next_seq = (uint16_t)(seq + step);
    a->sweep_left = (uint16_t)(a->sweep_left > step ? a->sweep_left - step : 0);
    if (a->sweep_left == 0) a->next_seq = guess_first_number(a);
    if (a->sweep_left == 0) a->sweep_left = SWEEP_LENGTH;
    return seq;
}

/* A number that its receiver has passed long ago, or takes for such a one. */
static uint16_t guess_old_seq(sim_attacker *a)
{
    uint16_t first = guess_first_number(a);
    uint32_t ahead = below(a, 2) ? below(a, 1024) : 0;
    return (uint16_t)(first + ahead - MARK_NEAREST - below(a, MARK_RANGE));
}

/* The address that the victim says it has: the one that is seen, or one of a home network. */
static uint32_t guess_local_address(sim_attacker *a, sb_endpoint victim)
{
    switch (below(a, 4)) {
    case 0: return victim.address;
    case 1: return 0xC0A80000u + below(a, 256);
    case 2: return 0x0A0A0A00u + below(a, 256);
    default: return (uint32_t)sb_random_next(&a->random);
    }
}

/* ---- Parts of datagrams --------------------------------------------------------------------- */

static void add(sb_datagram_writer *w, const sb_transport_message *m)
{
    (void)!sb_datagram_writer_add(w, m); /* full: the rest is left out */
}

static void add_control(sb_datagram_writer *w, uint8_t type, sb_side from, uint16_t seq,
                        const sb_control *control)
{
    uint8_t payload[64];
    size_t  size;
    if (sb_encode_control(type, from, control, payload, sizeof payload, &size) != SB_OK) return;
    add(w, &(sb_transport_message){ .type = type,
                                    .reliable = true,
                                    .priority = true,
                                    .seq = seq,
                                    .payload = { payload, size } });
}

static void add_ack(sb_datagram_writer *w, uint16_t seq, uint8_t flags, uint8_t index)
{
    add(w, &(sb_transport_message){
               .type = SB_TRANSPORT_ACK, .seq = seq, .ack_flags = flags, .frag_index = index });
}

static size_t write_payload(sim_attacker *a, uint8_t id, uint8_t *out)
{
    if (a->payload) return a->payload(a->payload_context, &a->random, id, out);
    memcpy(out, mark, sizeof mark);
    memcpy(out + sizeof mark, &a->serial, sizeof a->serial);
    a->serial++;
    return sizeof mark + sizeof a->serial;
}

static void add_data(sim_attacker *a, sb_datagram_writer *w, bool reliable, uint16_t seq)
{
    uint8_t payload[SIM_FORGED_PAYLOAD];
    size_t  size = write_payload(a, w->data[0], payload);
    add(w, &(sb_transport_message){ .type = SB_TRANSPORT_DATA,
                                    .reliable = reliable,
                                    .seq = seq,
                                    .payload = { payload, size } });
}

static void add_fragment(sim_attacker *a, sb_datagram_writer *w, uint16_t seq, uint8_t index,
                         uint8_t total)
{
    uint8_t payload[SIM_FORGED_PAYLOAD];
    size_t  size = write_payload(a, w->data[0], payload);
    add(w, &(sb_transport_message){ .type = SB_TRANSPORT_DATA,
                                    .reliable = true,
                                    .fragment = true,
                                    .seq = seq,
                                    .frag_index = index,
                                    .frag_total = total,
                                    .payload = { payload, size } });
}

/* ---- Kinds that both directions have -------------------------------------------------------- */

/* A run of consecutive numbers from a guess, with the flags of one channel, or single guesses. */
static void write_acks(sim_attacker *a, sb_datagram_writer *w)
{
    uint16_t seq = guess_seq(a);
    uint8_t  flags = (uint8_t)(below(a, 3) == 0 ? SB_ACK_LOW_CHANNEL : below(a, 6) == 0);
    bool     single = below(a, 4) == 0;
    if (flags & SB_ACK_LOW_CHANNEL) seq = 0;
    for (uint32_t i = 0; i < ACKS; i++) {
        uint16_t guess = guess_seq(a);
        add_ack(w, single ? guess : (uint16_t)(seq + i), flags, (uint8_t)below(a, 4));
    }
}

/* A few low numbers at once or one: the same Name under each. */
static void write_names(sim_attacker *a, sb_datagram_writer *w, sb_side from, uint8_t id,
                        uint32_t address)
{
    static const uint8_t name[] = { 'F', 0, 'o', 0, 'r', 0, 'g', 0, 'e', 0, 'd', 0, 0, 0 };
    sb_control control = { .name = { .peer_id = id, .address = address, .name = { name, 14 } } };
    uint16_t   seq = guess_low_seq(a);
    for (uint32_t i = below(a, 2) ? 1 : LOW_NUMBERS; i > 0; i--)
        add_control(w, SB_TRANSPORT_NAME, from, seq++, &control);
}

static void write_disconnects(sim_attacker *a, sb_datagram_writer *w, sb_side from, uint8_t id,
                              uint32_t address)
{
    sb_control control = { .disconnect = { .peer_id = id, .address = address } };
    uint16_t   seq = below(a, 2) ? 2 : guess_low_seq(a);
    for (uint32_t i = below(a, 2) ? 1 : LOW_NUMBERS; i > 0; i--)
        add_control(w, SB_TRANSPORT_DISCONNECT, from, seq++, &control);
}

/* Old Data, as an end sends it that wants to know who hears it: without payload, or a question. */
static void write_old(sim_attacker *a, sb_datagram_writer *w, size_t payload_size)
{
    static const uint8_t question[1] = { 0x04 };
    for (uint32_t i = 1 + below(a, MANY); i > 0; i--)
        add(w, &(sb_transport_message){ .type = SB_TRANSPORT_DATA,
                                        .reliable = true,
                                        .seq = guess_old_seq(a),
                                        .payload = { question, payload_size } });
}

static void write_sweeps(sim_attacker *a, sb_datagram_writer *w)
{
    for (uint32_t i = 0; i < MANY; i++) add_data(a, w, true, next_of_sweep(a, 1));
}

/* Per window: fragment 9, then a fragment 0 that allows only two, three times; or single guesses
 * of a message in two parts. */
static void write_fragments(sim_attacker *a, sb_datagram_writer *w)
{
    bool blind = below(a, 2) == 0;
    for (uint32_t i = 0; i < MANY; i++) {
        uint16_t seq = blind ? next_of_sweep(a, WINDOW) : guess_seq(a);
        add_fragment(a, w, seq, blind ? 9 : 1, 0);
        for (uint32_t k = blind ? 3 : 1; k > 0; k--) add_fragment(a, w, seq, 0, 2);
    }
}

/* One to four of each: reliable and unreliable Data, Acks, NoOps; or, once, control messages. */
static void write_mixed(sim_attacker *a, sb_datagram_writer *w, sb_side from, uint8_t id,
                        uint32_t address)
{
    if (below(a, 3) == 0) write_names(a, w, from, id, address);
    else if (below(a, 2)) write_disconnects(a, w, from, id, address);
    for (uint32_t i = 1 + below(a, 4); i > 0; i--) {
        uint16_t number = guess_seq(a), acknowledged = guess_seq(a);
        bool     reliable = below(a, 4) > 0;
        add_data(a, w, reliable, number);
        add_ack(w, acknowledged, (uint8_t)(below(a, 3) ? 0 : SB_ACK_LOW_CHANNEL), 0);
        if (below(a, 2)) add(w, &(sb_transport_message){ .type = SB_TRANSPORT_NOOP });
        if (below(a, 2)) write_old(a, w, below(a, 2));
    }
}

/* Half of the first bytes are legal ones. */
static size_t write_garbage(sim_attacker *a, uint8_t first, uint8_t *out)
{
    size_t size = 1 + below(a, below(a, 4) ? 60 : SIM_DATAGRAM_MAX);
    for (size_t i = 0; i < size; i++) out[i] = (uint8_t)sb_random_next(&a->random);
    if (below(a, 2)) out[0] = first;
    return size;
}

/* ---- Towards the host ----------------------------------------------------------------------- */

static void write_connect(sim_attacker *a, sb_datagram_writer *w, sb_endpoint from)
{
    static const uint8_t empty[2] = { 0, 0 };
    sb_control           control = { .connect_request = { .password = { empty, 2 } } };
    control.connect_request.address = guess_local_address(a, from);
    control.connect_request.opaque = below(a, 0x10000);
    add_control(w, SB_TRANSPORT_CONNECT, SB_SIDE_CLIENT, 0, &control);
}

static void write_as_client(sim_attacker *a, sim_forgery kind, sb_datagram_writer *w,
                            sb_endpoint victim)
{
    uint8_t  id = w->data[0];
    uint32_t address = guess_local_address(a, victim);
    switch (kind) {
    case SIM_FORGE_DISCONNECT: write_disconnects(a, w, SB_SIDE_CLIENT, id, address); break;
    case SIM_FORGE_ACKS: write_acks(a, w); break;
    case SIM_FORGE_NAMES: write_names(a, w, SB_SIDE_CLIENT, id, address); break;
    case SIM_FORGE_GUESS: add_data(a, w, true, guess_seq(a)); break;
    case SIM_FORGE_SWEEP: add_data(a, w, true, next_of_sweep(a, 1)); break;
    case SIM_FORGE_SWEEPS: write_sweeps(a, w); break;
    case SIM_FORGE_COPIES: write_sweeps(a, w); break;
    case SIM_FORGE_FRAGMENTS: write_fragments(a, w); break;
    case SIM_FORGE_MARKS: write_old(a, w, 0); break;
    case SIM_FORGE_MIXED: write_mixed(a, w, SB_SIDE_CLIENT, id, address); break;
    case SIM_FORGE_WRONG_ID: add(w, &(sb_transport_message){ .type = SB_TRANSPORT_NOOP }); break;
    case SIM_FORGE_UNRELIABLE: add_data(a, w, false, 0); break;
    case SIM_FORGE_REBIND:
        add_data(a, w, true, guess_seq(a));
        add_ack(w, guess_seq(a), 0, 0);
        break;
    default: SB_ASSERT(false);
    }
}

static sb_endpoint draw_stranger(sim_attacker *a)
{
    uint32_t draw = below(a, STRANGERS);
    return (sb_endpoint){ 0x2D000000u + (draw >> 6 << 8) + (draw & 63) + 1, 22101 };
}

/* A stranger, or somebody in the network /24 of a client. */
static sb_endpoint draw_flooder(sim_attacker *a, sb_endpoint victim)
{
    sb_endpoint stranger = draw_stranger(a);
    uint32_t    neighbour = (victim.address & ~0xFFu) + below(a, 256);
    return below(a, 2) ? stranger : (sb_endpoint){ neighbour, 22101 };
}

/* The address of a forged join: a stranger's, or a client's own, or another port of it. */
static sb_endpoint draw_joiner(sim_attacker *a, sb_endpoint victim)
{
    switch (below(a, 4)) {
    case 0: return victim;
    case 1: return (sb_endpoint){ victim.address, (uint16_t)(40000 + below(a, 16)) };
    default: return draw_stranger(a);
    }
}

/* A Connect, then under each id what a client says next: Acks of the answer and of the first game
 * message, and its Name (spec 01 §5.3). */
static void write_join(sim_attacker *a, sb_datagram_writer *w, sb_endpoint victim, sim_forged *out)
{
    if (a->join_steps == 0) {
        a->join_steps = STEPS_OF_JOIN;
        a->joiner = draw_joiner(a, victim);
    }
    bool first = a->join_steps-- == STEPS_OF_JOIN;
    out->from = a->joiner;
    sb_datagram_writer_init(w, out->bytes, sizeof out->bytes, first ? SB_PEER_NONE : next_id(a));
    if (first) {
        write_connect(a, w, a->joiner);
        return;
    }
    add_ack(w, 0, SB_ACK_LOW_CHANNEL, 0);
    add_ack(w, 0, 0, 0);
    write_names(a, w, SB_SIDE_CLIENT, w->data[0], a->joiner.address);
    add_data(a, w, true, 0);
}

static void forge_to_host(sim_attacker *a, sim_forgery kind, sb_endpoint victim, sim_forged *out)
{
    sb_datagram_writer w;
    bool               connects = kind == SIM_FORGE_CONNECT || kind == SIM_FORGE_FLOOD;
    bool               empty = kind == SIM_FORGE_EMPTY;
    out->from = kind == SIM_FORGE_FLOOD ? draw_flooder(a, victim) : victim;
    out->to = a->host;
    if (kind == SIM_FORGE_REBIND) out->from.port = (uint16_t)(40000 + below(a, 16));
    sb_datagram_writer_init(&w, out->bytes, sizeof out->bytes,
                            connects || empty ? SB_PEER_NONE : next_id(a));
    if (connects) write_connect(a, &w, out->from);
    else if (kind == SIM_FORGE_JOIN) write_join(a, &w, victim, out);
    else if (!empty) write_as_client(a, kind, &w, victim);
    out->size = w.size;
    if (!empty) sb_encrypt_datagram(out->bytes, w.size);
}

/* ---- Towards a client ----------------------------------------------------------------------- */

static void write_boots(sim_attacker *a, sb_datagram_writer *w)
{
    sb_control control = { .boot = { .reason = (uint8_t)below(a, 6) } };
    control.boot.peer_id = below(a, 4) ? next_id(a) : SB_PEER_NONE;
    uint16_t seq = guess_low_seq(a);
    for (uint32_t i = below(a, 2) ? 1 : LOW_NUMBERS; i > 0; i--)
        add_control(w, SB_TRANSPORT_BOOT, SB_SIDE_HOST, seq++, &control);
}

static void write_id(sim_attacker *a, sb_datagram_writer *w)
{
    sb_control control = { .connect_response = { .peer_id = next_id(a) } };
    add_ack(w, 0, SB_ACK_LOW_CHANNEL, 0);
    add_control(w, SB_TRANSPORT_CONNECT, SB_SIDE_HOST, 0, &control);
}

static void write_as_host(sim_attacker *a, sim_forgery kind, sb_datagram_writer *w,
                          sb_endpoint victim)
{
    uint32_t address = guess_local_address(a, victim);
    uint8_t  about = below(a, 2) ? SB_PEER_HOST : next_id(a);
    switch (kind) {
    case SIM_FORGE_HOST_BOOT: write_boots(a, w); break;
    case SIM_FORGE_HOST_LEAVE: write_disconnects(a, w, SB_SIDE_HOST, about, address); break;
    case SIM_FORGE_HOST_ACKS: write_acks(a, w); break;
    case SIM_FORGE_HOST_NAMES: write_names(a, w, SB_SIDE_HOST, next_id(a), address); break;
    case SIM_FORGE_HOST_ID: write_id(a, w); break;
    case SIM_FORGE_HOST_GUESS: add_data(a, w, true, guess_seq(a)); break;
    case SIM_FORGE_HOST_SWEEPS: write_sweeps(a, w); break;
    case SIM_FORGE_HOST_COPIES: write_sweeps(a, w); break;
    case SIM_FORGE_HOST_FRAGMENTS: write_fragments(a, w); break;
    case SIM_FORGE_HOST_MARKS: write_old(a, w, 0); break;
    case SIM_FORGE_HOST_QUESTIONS: write_old(a, w, 1); break;
    case SIM_FORGE_HOST_MIXED: write_mixed(a, w, SB_SIDE_HOST, about, address); break;
    case SIM_FORGE_HOST_UNRELIABLE: add_data(a, w, false, 0); break;
    default: SB_ASSERT(false);
    }
}

static void forge_to_client(sim_attacker *a, sim_forgery kind, sb_endpoint victim, sim_forged *out)
{
    sb_datagram_writer w;
    out->from = a->host;
    out->to = victim;
    sb_datagram_writer_init(&w, out->bytes, sizeof out->bytes, SB_PEER_HOST);
    write_as_host(a, kind, &w, victim);
    out->size = w.size;
    sb_encrypt_datagram(out->bytes, w.size);
}

static void forge_new(sim_attacker *a, sim_forgery kind, sb_endpoint victim, sim_forged *out)
{
    if (kind == SIM_FORGE_GARBAGE) {
        out->from = victim;
        out->to = a->host;
        out->size = write_garbage(a, below(a, 2) ? SB_PEER_NONE : next_id(a), out->bytes);
    } else if (kind == SIM_FORGE_HOST_GARBAGE) {
        out->from = a->host;
        out->to = victim;
        out->size = write_garbage(a, SB_PEER_HOST, out->bytes);
    } else if (sim_forgery_is_to_client(kind)) {
        forge_to_client(a, kind, victim, out);
    } else {
        forge_to_host(a, kind, victim, out);
    }
}

/* Sends twenty datagrams again and again, in the same order, and then makes new ones. */
static void forge_copy(sim_attacker *a, sim_forgery kind, sb_endpoint victim, sim_forged *out)
{
    int         way = sim_forgery_is_to_client(kind);
    uint32_t    sent = a->kept_sent[way]++ % (COPIES * SIM_FORGED_COPIES);
    sim_forged *kept = &a->kept[way][sent % SIM_FORGED_COPIES];
    if (sent < SIM_FORGED_COPIES) forge_new(a, kind, victim, kept);
    *out = *kept;
}

void sim_attacker_forge(sim_attacker *a, sim_forgery kind, const sb_endpoint *victims, size_t count,
                        sim_forged *out)
{
    SB_ASSERT(count > 0);
    sb_endpoint victim = victims[below(a, (uint32_t)count)];
    bool        copies = kind == SIM_FORGE_COPIES || kind == SIM_FORGE_HOST_COPIES;
    if (copies) forge_copy(a, kind, victim, out);
    else forge_new(a, kind, victim, out);
}
