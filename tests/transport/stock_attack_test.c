/* tests/transport/stock_attack_test.c -- attacks on a stock client: its messages arrive, in time.
 *
 * For:      marks.c, guard.c, link_trust.c with a model of a stock client, which acknowledges each
 *           message by the timers of spec 01 §6.7 and knows nothing of us.
 * Spec:     01 §10.8.
 */
#include "rig.h"
#include "transport/interop_rig.h"

#include <starbase/cipher.h>

enum { STEPS_PER_SECOND = 10, MESSAGES_EVERY = 5, OLDEST_S = 16 };

typedef struct attack {
    uint32_t every; /* steps between two bursts */
    uint32_t burst;
    void (*forge)(interop *w, const interop_client *c, uint32_t i);
} attack;

static void inject(interop *w, const interop_client *c, uint8_t *plain, size_t size)
{
    sb_encrypt_datagram(plain, size);
    sim_network_inject(w->network, w->now, c->address, w->host_address, (sb_span){ plain, size });
}

/* An Ack of low 0 under the id of somebody else: it touches nothing. */
static void forge_wrong_id(interop *w, const interop_client *c, uint32_t i)
{
    uint8_t plain[] = { (uint8_t)(9 + i % 8), 1, 1, 0, 0, 2 };
    inject(w, c, plain, sizeof plain);
}

/* Data under the right id, at numbers ahead of the window and within it. */
static void forge_number(interop *w, const interop_client *c, uint32_t i)
{
    uint16_t seq = (uint16_t)((i + 3) * 7919u); /* not the next one */
    uint8_t  plain[] = {
         c->id, 1, 0x32, 7, 0x80, (uint8_t)seq, (uint8_t)(seq >> 8), 0x2C, (uint8_t)i
    };
    inject(w, c, plain, sizeof plain);
}

static void forge_fragment(interop *w, const interop_client *c, uint32_t i)
{
    uint16_t seq = (uint16_t)(i * 64u + i / 64);
    uint8_t  plain[] = {
         c->id, 1, 0x32, 8, 0xA0, (uint8_t)seq, (uint8_t)(seq >> 8), (uint8_t)(i % 3), 3, (uint8_t)i
    };
    inject(w, c, plain, sizeof plain);
}

static void forge_disconnect(interop *w, const interop_client *c, uint32_t i)
{
    uint8_t id = (uint8_t)(2 + i % 16);
    uint8_t plain[] = { id, 1, 5, 10, 0xC0, 2, 0, id, 9, 9, 9, 9 };
    inject(w, c, plain, sizeof plain);
}

/* Sends for a minute, ten updates and two reliable messages a second each way, under attack. No
 * message may wait for longer than OLDEST_S: a stock client repeats it after 1, 3, 6, 10 and 15 s.
 * Without `a`: in peace. */
static void send_for_a_minute(interop *w, interop_client *c, const attack *a)
{
    uint32_t sent_at[60 * STEPS_PER_SECOND] = { 0 };
    for (uint32_t step = 0; step < 60 * STEPS_PER_SECOND; step++) {
        for (uint32_t i = 0; a && step % a->every == 0 && i < a->burst; i++)
            a->forge(w, c, step + i);
        if (step % MESSAGES_EVERY == 0) {
            HOLDS(w, interop_send_up(w, c, true, 40));
            HOLDS(w, interop_send_down(w, c, true, 40));
        }
        (void)interop_send_up(w, c, false, 30);
        interop_run(w, SB_SECOND / STEPS_PER_SECOND);
        sent_at[step] = c->up.sent;
        if (step < OLDEST_S * STEPS_PER_SECOND) continue;
        HOLDS(w, c->up.received >= sent_at[step - OLDEST_S * STEPS_PER_SECOND]);
    }
}

/* Nothing of either end is on its way. The host may hold forgeries under numbers to come. */
static bool has_all_arrived(interop *w, const interop_client *c)
{
    sb_peer_info info;
    HOLDS(w, sb_transport_host_peer(w->our_host, c->id, &info));
    return info.unacknowledged == 0 && info.queued == 0 &&
           sim_stock_peer_waiting(&c->theirs->peer) == 0;
}

static void check_arrival(interop *w, const interop_client *c)
{
    for (sb_time end = w->now + 60 * SB_SECOND; !has_all_arrived(w, c);) {
        HOLDS(w, w->now < end);
        interop_run(w, SB_SECOND / 5);
    }
    EQUALS(w, c->at_host.left, 0);
    EQUALS(w, c->up.received, c->up.sent);
    EQUALS(w, c->up.repeated, 0);
    EQUALS(w, c->up.displaced, 0);
    EQUALS(w, c->down.received, c->down.sent);
    EQUALS(w, c->down.displaced, 0);
}

/* When the attack is over and forgotten, what the host has stored of it does no harm either. */
static void attack_stock_client(size_t weather, uint64_t seed, const attack *a,
                                sb_retransmit retransmit, bool restarts_acks)
{
    interop                 *w = interop_open(weather, seed);
    sb_transport_host_config host;
    sb_transport_host_defaults(&host);
    host.retransmit = retransmit;
    interop_add_our_host(w, &host);
    sim_stock_client_config config;
    sim_stock_client_defaults(&config);
    config.stock.duplicate_restarts_ack = restarts_acks;
    interop_client *c = interop_add_stock_client(w, &config);
    interop_run_until_joined(w, 60 * SB_SECOND);
    send_for_a_minute(w, c, a);
    check_arrival(w, c);
    interop_run(w, 40 * SB_SECOND);
    send_for_a_minute(w, c, NULL);
    check_arrival(w, c);
}

static void attack_in_all_weathers(attack a)
{
    static const sb_retransmit paces[] = { SB_RETRANSMIT_STOCK, SB_RETRANSMIT_MEASURED };
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (int i = 0; i < 4; i++) {
            attack_stock_client(INTEROP_CLEAN, seed, &a, paces[i % 2], i / 2);
            attack_stock_client(INTEROP_MILD, seed, &a, paces[i % 2], i / 2);
        }
}

TEST(wrong_ids_now_and_then_delay_nothing)
{
    attack_in_all_weathers((attack){ 200, 1, forge_wrong_id });
    attack_in_all_weathers((attack){ 10, 1, forge_wrong_id });
    attack_in_all_weathers((attack){ 1, 16, forge_wrong_id });
}

TEST(guessed_numbers_of_a_stock_client_delay_it_little)
{
    attack_in_all_weathers((attack){ 20, 1, forge_number });
    attack_in_all_weathers((attack){ 1, 16, forge_number });
}

TEST(forged_fragments_of_a_stock_client_delay_it_little)
{
    attack_in_all_weathers((attack){ 10, 4, forge_fragment });
    attack_in_all_weathers((attack){ 1, 16, forge_fragment });
}

TEST(forged_disconnects_of_a_stock_client_delay_it_little)
{
    attack_in_all_weathers((attack){ 100, 16, forge_disconnect });
}
