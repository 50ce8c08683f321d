/* tests/transport/separate_acks_test.c -- a minute of guessed numbers: the messages of the peer
 * arrive once and in order, however it acknowledges.
 *
 * For:      inbox_candidates.c, guard.c, link_trust.c with models of simple programs. Most of them
 *           acknowledge in datagrams of their own, so they never send marks beside their messages:
 *           only the end of their copies shows which messages are theirs. stock_attack_test.c has
 *           the stock client.
 * Spec:     01 §10.8.
 */
#include "rig.h"

#include <stdio.h>
#include <string.h>

enum {
    PEER = 2,
    MESSAGES_MAX = 64,
    TEXT_BYTES = 20,
    STEP = 6000, /* us: 167 forged datagrams a second */
    ATTACK_S = 60,
    DELAY = 40000,
    FLIGHTS = 64,
};

typedef enum habit {
    APART,   /* one datagram with all Acks of a datagram */
    SINGLE,  /* one datagram for each Ack */
    BUNDLED, /* Acks and messages together, 30 times a second */
    HABITS,
} habit;

typedef struct flight {
    sb_time at;
    size_t  size;
    uint8_t bytes[SB_DATAGRAM_MAX];
} flight;

/* Datagrams on their way, in order. */
typedef struct path {
    unsigned in, out;
    flight   flights[FLIGHTS];
} path;

typedef struct said {
    bool     is_acked;
    unsigned sends;
    sb_time  first_at, again_at;
} said;

typedef struct player {
    rig     *r;
    habit    habit;
    bool     slows_down; /* repeats a message after 1, 2, 3, 4, 5 s; or after each second */
    unsigned count;      /* of messages; their numbers begin with 0 */
    said     said[MESSAGES_MAX];
    rig_pack next; /* BUNDLED */
    sb_time  tick_at;
    path     up, down;
    bool     was_heard[MESSAGES_MAX];
    unsigned heard, displaced; /* messages that the host has delivered, and after later ones */
    sb_time  longest;          /* time from saying a message to its delivery */
    sb_time  longest_open;     /* and to its Ack */
    unsigned soon;             /* messages that were delivered within four seconds */
} player;

/* ---- the path ---- */

static void put(player *p, path *way, const uint8_t *bytes, size_t size)
{
    flight *f = &way->flights[way->in++ % FLIGHTS];
    CHECK(way->in - way->out <= FLIGHTS);
    f->at = p->r->now + DELAY;
    f->size = size;
    memcpy(f->bytes, bytes, size);
}

/* The next datagram that has arrived; NULL: none. */
static const flight *take(const player *p, path *way)
{
    const flight *f = &way->flights[way->out % FLIGHTS];
    if (way->out == way->in || f->at > p->r->now) return NULL;
    way->out++;
    return f;
}

/* ---- the player ---- */

static void send_pack(player *p, rig_pack *pack)
{
    sb_span s = rig_packed(pack);
    if (s.data[1] > 0) put(p, &p->up, s.data, s.size);
    rig_pack_init(pack, PEER);
}

static void transmit(player *p, unsigned i)
{
    uint8_t  text[TEXT_BYTES] = { 'T', (uint8_t)i };
    rig_pack lone, *pack = p->habit == BUNDLED ? &p->next : &lone;
    said    *m = &p->said[i];
    m->sends++;
    m->again_at = p->r->now + (p->slows_down && m->sends < 5 ? m->sends : 1) * SB_SECOND;
    if (p->slows_down && m->sends >= 5) m->again_at = p->r->now + 5 * SB_SECOND;
    if (pack == &lone) rig_pack_init(&lone, PEER);
    rig_pack_data(pack, (uint16_t)i, (sb_span){ text, sizeof text });
    if (pack == &lone) send_pack(p, &lone);
}

static void repeat(player *p)
{
    for (unsigned i = 0; i < p->count; i++)
        if (!p->said[i].is_acked && p->said[i].again_at <= p->r->now) transmit(p, i);
}

static void say(player *p)
{
    CHECK(p->count < MESSAGES_MAX);
    p->said[p->count].first_at = p->r->now;
    transmit(p, p->count++);
}

static void note_ack(player *p, unsigned i)
{
    sb_time open = p->r->now - p->said[i].first_at;
    if (!p->said[i].is_acked && open > p->longest_open) p->longest_open = open;
    p->said[i].is_acked = true;
}

/* Acknowledges everything that has a number, as all programs do. */
static void hear(player *p, const flight *f)
{
    rig_sent             sent = { .size = f->size };
    rig_pack             acks;
    sb_transport_message m;
    memcpy(sent.plain, f->bytes, f->size);
    rig_pack_init(&acks, PEER);
    for (size_t i = 0; rig_message(&sent, i, &m); i++) {
        bool low = m.type == SB_TRANSPORT_ACK ? m.ack_flags & SB_ACK_LOW_CHANNEL
                                              : m.type != SB_TRANSPORT_DATA;
        if (m.type == SB_TRANSPORT_ACK && !low && m.seq < p->count) note_ack(p, m.seq);
        if (!m.reliable) continue;
        rig_pack_ack(p->habit == BUNDLED ? &p->next : &acks, low, m.seq);
        if (p->habit == SINGLE) send_pack(p, &acks);
    }
    send_pack(p, &acks);
}

/* Reads what has arrived at both ends. */
static void exchange(player *p)
{
    const rig_sent *sent;
    while ((sent = rig_next_sent_to(p->r, rig_endpoint(1))))
        put(p, &p->down, sent->plain, sent->size);
    for (const flight *f; (f = take(p, &p->down));) hear(p, f);
    if (p->habit == BUNDLED && p->r->now >= p->tick_at) {
        p->tick_at = p->r->now + SB_SECOND / 30;
        send_pack(p, &p->next);
    }
    for (const flight *f; (f = take(p, &p->up));)
        (void)!rig_give(p->r, rig_endpoint(1), (sb_span){ f->bytes, f->size });
}

/* Forged messages may come between those of the player. */
static void check_events(player *p)
{
    for (const rig_event *e; (e = rig_next_event(p->r));) {
        CHECK(e->event.type != SB_EVENT_LEFT);
        if (e->event.type != SB_EVENT_MESSAGE || e->event.bytes.data[0] != 'T') continue;
        unsigned i = e->event.bytes.data[1];
        CHECK(!p->was_heard[i]);
        p->was_heard[i] = true;
        p->displaced += i < p->heard;
        p->heard++;
        sb_time delay = p->r->now - p->said[i].first_at;
        if (delay > p->longest) p->longest = delay;
        p->soon += delay <= 4 * SB_SECOND;
    }
    rig_forget(p->r);
}

/* ---- the stranger ---- */

static void forge(rig *r, uint8_t id, unsigned first, unsigned count, const char *text)
{
    rig_pack pack;
    rig_pack_init(&pack, id);
    for (unsigned i = 0; i < count; i++)
        rig_pack_data(&pack, (uint16_t)(first + i),
                      (sb_span){ (const uint8_t *)text, strlen(text) });
    (void)!rig_give(r, rig_endpoint(1), rig_packed(&pack));
}

static unsigned below(sb_random *random, unsigned limit)
{
    return (unsigned)sb_random_below(random, limit);
}

static void forge_anywhere(rig *r, sb_random *random, unsigned i)
{
    (void)i;
    forge(r, PEER, below(random, 65536), 1, "Forged");
}

static void forge_low(rig *r, sb_random *random, unsigned i)
{
    (void)i;
    forge(r, PEER, below(random, 256), 1, "Forged");
}

static void forge_very_low(rig *r, sb_random *random, unsigned i)
{
    (void)i;
    forge(r, PEER, below(random, 64), 1, "Forged");
}

/* Each number comes as regularly as the retransmissions of a player. */
static void forge_regularly(rig *r, sb_random *random, unsigned i)
{
    (void)random;
    forge(r, PEER, i % 200, 1, "Forged");
}

static void forge_other_texts(rig *r, sb_random *random, unsigned i)
{
    char text[20];
    snprintf(text, sizeof text, "Forged %u", i);
    forge(r, PEER, below(random, 64), 1, text);
}

static void forge_three_texts(rig *r, sb_random *random, unsigned i)
{
    char text[20];
    (void)i;
    snprintf(text, sizeof text, "Forged %u", below(random, 3));
    forge(r, PEER, below(random, 64), 1, text);
}

static void forge_sweep(rig *r, sb_random *random, unsigned i)
{
    (void)random;
    forge(r, PEER, i * 24, 24, "Forged");
}

static void forge_low_sweep(rig *r, sb_random *random, unsigned i)
{
    (void)random;
    forge(r, PEER, i % 85 * 24, 24, "Forged");
}

static void forge_under_all_ids(rig *r, sb_random *random, unsigned i)
{
    forge(r, (uint8_t)(2 + i % 16), below(random, 256), 1, "Forged");
}

static void forge_fragments(rig *r, sb_random *random, unsigned i)
{
    rig_pack pack;
    (void)i;
    rig_pack_init(&pack, PEER);
    for (unsigned k = 0; k < 8; k++) {
        uint16_t seq = (uint16_t)below(random, 256);
        rig_pack_fragment(&pack, seq, 9, 0, rig_pattern(1, 1));
        rig_pack_fragment(&pack, seq, 0, 2, rig_pattern(1, 1));
    }
    (void)!rig_give(r, rig_endpoint(1), rig_packed(&pack));
}

static void forge_wrong_ids(rig *r, sb_random *random, unsigned i)
{
    forge(r, (uint8_t)(PEER + 1 + i % 13), below(random, 256), 1, "Forged");
}

static unsigned expected; /* the number of the player's next message: a stranger can estimate it */

static void forge_near(rig *r, sb_random *random, unsigned i)
{
    char     text[20];
    unsigned seq = expected + below(random, 13);
    snprintf(text, sizeof text, "Forged %u", i);
    forge(r, PEER, seq < 4 ? 0 : seq - 4, 1, text);
}

static void forge_names(rig *r, sb_random *random, unsigned i)
{
    rig_pack pack;
    (void)i;
    rig_pack_init(&pack, PEER);
    rig_pack_name(&pack, (uint16_t)below(random, 6), PEER, rig_wide("Forged"));
    (void)!rig_give(r, rig_endpoint(1), rig_packed(&pack));
}

static void forge_disconnects(rig *r, sb_random *random, unsigned i)
{
    rig_pack pack;
    (void)i;
    rig_pack_init(&pack, PEER);
    rig_pack_disconnect(&pack, (uint16_t)below(random, 6), PEER);
    (void)!rig_give(r, rig_endpoint(1), rig_packed(&pack));
}

static void forge_acks(rig *r, sb_random *random, unsigned i)
{
    unsigned first = below(random, 300);
    rig_pack pack;
    (void)i;
    rig_pack_init(&pack, PEER);
    for (unsigned k = 0; k < 125; k++) rig_pack_ack(&pack, below(random, 2), (uint16_t)(first + k));
    (void)!rig_give(r, rig_endpoint(1), rig_packed(&pack));
}

static void forge_unreliable(rig *r, sb_random *random, unsigned i)
{
    rig_pack pack;
    (void)random;
    (void)i;
    rig_pack_init(&pack, PEER);
    rig_pack_unreliable(&pack, rig_pattern(2, 3));
    (void)!rig_give(r, rig_endpoint(1), rig_packed(&pack));
}

/* ---- a minute ---- */

typedef void forger(rig *r, sb_random *random, unsigned i);

/* Any of the attacks above at a time. */
static void forge_everything(rig *r, sb_random *random, unsigned i)
{
    static forger *const kinds[] = {
        forge_anywhere,    forge_low,         forge_very_low,      forge_regularly,
        forge_other_texts, forge_three_texts, forge_sweep,         forge_low_sweep,
        forge_fragments,   forge_wrong_ids,   forge_under_all_ids, forge_near,
        forge_names,       forge_disconnects, forge_acks,          forge_unreliable,
    };
    kinds[below(random, sizeof kinds / sizeof *kinds)](r, random, i);
}

static void run(player *p, sb_random *random, forger *attack, sb_time every, sb_time seconds)
{
    sb_time say_at = p->r->now + 2 * SB_SECOND, end = p->r->now + seconds * SB_SECOND;
    for (unsigned i = 0; p->r->now < end; i++) {
        expected = p->count;
        if (attack) attack(p->r, random, i);
        repeat(p);
        if (attack && p->r->now >= say_at) {
            say(p);
            say_at += every;
        }
        rig_wait(p->r, STEP);
        exchange(p);
        check_events(p);
    }
}

static player *new_player(habit acks, bool slows_down)
{
    static player p;
    memset(&p, 0, sizeof p);
    p.r = rig_host_with(1, NULL);
    p.habit = acks;
    p.slows_down = slows_down;
    rig_pack_init(&p.next, PEER);
    return &p;
}

static player *attack_player(forger *attack, habit acks, bool slows_down, sb_time every,
                             sb_time patience)
{
    player   *p = new_player(acks, slows_down);
    sb_random random;
    sb_random_init(&random, 1 + acks * 2 + slows_down);
    say(p); /* in peace: until there is evidence, a forgery can meet the player's first message */
    run(p, &random, NULL, every, 1);
    run(p, &random, attack, every, ATTACK_S);
    for (int i = 0; i < 60 && p->heard < p->count; i++) run(p, &random, NULL, every, 1);
    CHECK_EQ(p->heard, p->count);
    CHECK(p->displaced <= 1); /* docs/security.md, known gaps */
    CHECK(p->longest <= patience);
    return p;
}

static void attack_all(forger *attack, sb_time patience)
{
    for (habit h = 0; h < HABITS; h++)
        for (int slow = 0; slow < 2; slow++) {
            (void)attack_player(attack, h, slow, SB_SECOND, patience);
            (void)attack_player(attack, h, slow, 8 * SB_SECOND, patience);
        }
}

#define ATTACK(name, forger)                                                                       \
    TEST(name)                                                                                     \
    {                                                                                              \
        attack_all(forger, 60 * SB_SECOND);                                                        \
    }

ATTACK(numbers_guessed_anywhere_take_no_message, forge_anywhere)
ATTACK(low_numbers_that_are_guessed_take_no_message, forge_low)
ATTACK(very_low_numbers_that_are_guessed_take_no_message, forge_very_low)
ATTACK(numbers_that_are_guessed_regularly_take_no_message, forge_regularly)
ATTACK(other_texts_under_each_number_take_no_message, forge_other_texts)
ATTACK(three_texts_under_each_number_take_no_message, forge_three_texts)
ATTACK(a_sweep_through_all_numbers_takes_no_message, forge_sweep)
ATTACK(sweeps_through_low_numbers_take_no_message, forge_low_sweep)
ATTACK(numbers_guessed_under_all_ids_take_no_message, forge_under_all_ids)
ATTACK(forged_fragments_take_no_message, forge_fragments)

/* Thirteen others a second under each number: the third copy of a message comes after 2 or 3 s. */
TEST(new_texts_under_due_numbers_delay_messages_by_three_seconds)
{
    attack_all(forge_near, 3 * SB_SECOND + SB_SECOND / 5);
}

/* Many texts come again and again under each number, among ever new ones: Acks are seldom possible,
 * and each delay lasts for later messages, too. */
TEST(all_attacks_at_once_delay_most_messages_by_four_seconds)
{
    unsigned heard = 0, soon = 0;
    for (habit h = APART; h <= SINGLE; h++)
        for (int slow = 0; slow < 2; slow++)
            for (sb_time every = SB_SECOND; every <= 8 * SB_SECOND; every += 7 * SB_SECOND) {
                const player *p = attack_player(forge_everything, h, slow, every, 10 * SB_SECOND);
                heard += p->heard;
                soon += p->soon;
            }
    CHECK(2 * soon > heard);
    (void)attack_player(forge_everything, BUNDLED, true, SB_SECOND, SB_SECOND / 5);
}

/* Nothing was stolen: the messages count at once, and the second copy gets the Ack. */
TEST(evidence_without_a_stolen_number_leaves_no_message_open)
{
    for (habit h = 0; h < HABITS; h++)
        for (int slow = 0; slow < 2; slow++) {
            const player *p = attack_player(forge_wrong_ids, h, slow, SB_SECOND, SB_SECOND / 5);
            for (unsigned i = 0; i + 2 < p->count; i++) CHECK(p->said[i].is_acked);
            CHECK(p->longest_open <= SB_SECOND + SB_SECOND / 4);
        }
}
