/* tests/client/foreign_hosts_test.c -- the client at servers that are not ours: the models of the
 * game's own host and of an OpenBC server, over a link that loses datagrams. Spec 06 §3, §11. */
#include "client_rig.h"

#include "sim/openbc_host.h"
#include "sim/stock_host.h"

#include <stdlib.h>
#include <string.h>

enum { OTHER = 0x4003FFFF };

static const char requests[5][100] = {
    "20 00 08 00 73 63 72 69 70 74 73 2F 07 00 41 70 70 2E 70 79 63 20",
    "20 01 08 00 73 63 72 69 70 74 73 2F 0C 00 41 75 74 6F 65 78 65 63 2E 70 79 63 20",
    "20 02 0D 00 73 63 72 69 70 74 73 2F 73 68 69 70 73 05 00 2A 2E 70 79 63 21",
    "20 03 10 00 73 63 72 69 70 74 73 2F 6D 61 69 6E 6D 65 6E 75 05 00 2A 2E 70 79 63 20",
    "20 FF 13 00 53 63 72 69 70 74 73 2F 4D 75 6C 74 69 70 6C 61 79 65 72 05 00 2A 2E 70 79 63 21",
};

typedef struct foreign {
    bool            openbc;
    sim_stock_host  stock;
    sim_openbc_host other;
    sb_client      *client;
    sb_time         now;
    unsigned        datagrams, lose_every;
    unsigned        round, got[256];
    size_t          answer_bytes[5];
    bool            left;
} foreign;

static const sb_endpoint server = { 0xC0A80001, 22101 }, player = { 0x0A0A0AEF, 31000 };

static void say(foreign *f, const char *hex)
{
    uint8_t bytes[512];
    sb_span message = { bytes, test_hex(hex, bytes, sizeof bytes) };
    if (f->openbc) sim_openbc_send(&f->other, 2, bytes[0] != SB_OP_STATE_UPDATE, message);
    else sim_stock_host_send(&f->stock, 2, bytes[0] != SB_OP_STATE_UPDATE, message);
}

static void say_other_ship(foreign *f)
{
    say(f, "03 01 03 08 80 00 00 FF FF 03 40 06 00 00 18 42 00 00 44 C2 00 00 0C C2"
           "00 00 80 3F 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 06 4D 75 6C 74"
           "69 31");
}

/* OpenBC sends scores and ships with the bundle, and passes 0x2A on. */
static void say_bundle(foreign *f)
{
    if (f->openbc) say(f, "37 03 00 00 00 04 00 00 00 02 00 00 00 9C 04 00 00");
    if (f->openbc) say_other_ship(f);
    say(f, "28");
    say(f, "00 00 00 05 42 61 00 00 00");
    say(f, "01");
}

static void say_welcome(foreign *f)
{
    if (f->openbc) say(f, "2A 20");
    say(f, "35 08 01 FF FF");
    if (!f->openbc) say(f, "37 03 00 00 00 04 00 00 00 02 00 00 00 9C 04 00 00");
    if (!f->openbc) say_other_ship(f);
    say(f, "17 66 08 00 00 F1 00 80 00 00 00 00 00 4F 06 00 00 02");
}

static void answer(foreign *f, sb_span message)
{
    f->got[message.data[0]]++;
    if (message.data[0] == SB_OP_CHECKSUM_RESPONSE && f->round < 5) {
        f->answer_bytes[f->round++] = message.size;
        if (f->round < 5) say(f, requests[f->round]);
        else say_bundle(f);
    }
    if (message.data[0] == SB_OP_NEW_PLAYER_IN_GAME && f->got[0x2A] == 1) say_welcome(f);
    if (message.data[0] == SB_OP_PLAYER_OBJECT_CREATE && f->got[0x03] == 1)
        say(f, "1D FF FF FF 3F");
}

static void hook(void *context, sb_time now, const sim_foreign_event *event)
{
    foreign *f = context;
    (void)now;
    if (event->type == SIM_FOREIGN_MESSAGE) answer(f, event->bytes);
    if (event->type == SIM_FOREIGN_LEFT) f->left = true;
}

static bool is_lost(foreign *f)
{
    return f->lose_every > 0 && ++f->datagrams % f->lose_every == 0;
}

static void turn(foreign *f)
{
    uint8_t     out[SB_DATAGRAM_MAX];
    size_t      size;
    sb_endpoint to;
    sb_client_advance(f->client, f->now);
    while ((size = sb_client_write(f->client, f->now, out)) > 0) {
        if (is_lost(f)) continue;
        if (f->openbc) sim_openbc_receive(&f->other, f->now, player, (sb_span){ out, size });
        else sim_stock_host_receive(&f->stock, f->now, player, (sb_span){ out, size });
    }
    if (f->openbc) sim_openbc_tick(&f->other, f->now);
    else sim_stock_host_tick(&f->stock, f->now);
    while ((size = f->openbc ? sim_openbc_write(&f->other, f->now, &to, out)
                             : sim_stock_host_write(&f->stock, f->now, &to, out)) > 0) {
        if (is_lost(f)) continue;
        sb_result result = sb_client_receive(f->client, f->now, server, (sb_span){ out, size });
        CHECK(result == SB_OK || sb_client_phase_of(f->client) == SB_CLIENT_OVER);
    }
}

static void fly(foreign *f, sb_time us)
{
    for (sb_time until = f->now + us; f->now < until; f->now += 11 * CLIENT_RIG_MILLISECOND)
        turn(f);
}

static foreign *open_foreign(bool openbc, unsigned lose_every)
{
    static foreign        f;
    static void          *memory;
    static uint8_t        first[64];
    sb_client_config      config;
    sim_stock_host_config stock;
    sim_openbc_config     other;
    sb_span               request = { first, test_hex(requests[0], first, sizeof first) };
    sim_stock_host_clear(&f.stock);
    sim_openbc_clear(&f.other);
    memset(&f, 0, sizeof f);
    f.openbc = openbc;
    f.lose_every = lose_every;
    f.now = CLIENT_RIG_START;
    sim_stock_host_defaults(&stock);
    sim_openbc_defaults(&other);
    stock.first_message = other.first_message = request;
    stock.hook = other.hook = (sim_foreign_hook){ hook, &f };
    sim_stock_host_init(&f.stock, &stock, f.now);
    sim_openbc_init(&f.other, &other, f.now);
    client_rig_config(&config);
    config.transport.eight_bit_host = openbc;
    free(memory);
    memory = malloc(sb_client_bytes(&config));
    CHECK(memory != NULL);
    f.client = sb_client_init(memory, &config, f.now);
    return &f;
}

static void close_foreign(foreign *f)
{
    sim_stock_host_clear(&f->stock);
    sim_openbc_clear(&f->other);
}

static void check_joined(foreign *f)
{
    CHECK_TEXT(sb_client_phase_text(sb_client_phase_of(f->client)), "lobby");
    CHECK_EQ(f->round, 5);
    CHECK_EQ(f->answer_bytes[2], 832);
    CHECK_EQ(f->answer_bytes[4], 268);
    CHECK_EQ(f->got[0x2A], 1);
    CHECK_EQ(sb_client_find_player(f->client, 3)->score, 1180);
    CHECK_EQ(sb_client_find_ship(f->client, OTHER)->ship.species, 6);
}

/* More reliable messages than OpenBC can count to, both ways. */
static void talk(foreign *f)
{
    for (unsigned i = 0; i < 300; i++) {
        say(f, "2C 03 00 00 00 02 00 68 69");
        CHECK_EQ(sb_client_chat(f->client, f->now, false, (sb_span){ (const uint8_t *)"yo", 2 }),
                 SB_OK);
        fly(f, 50 * CLIENT_RIG_MILLISECOND);
    }
}

static void play(foreign *f)
{
    fly(f, 20 * SB_SECOND);
    check_joined(f);
    CHECK_EQ(sb_client_spawn(f->client, f->now, 5, (sb_vec3){ 1, 2, 3 }, (sb_vec3){ 0, 1, 0 },
                             (sb_vec3){ 0, 0, 1 }),
             SB_OK);
    talk(f);
    fly(f, 10 * SB_SECOND);
    CHECK_TEXT(sb_client_phase_text(sb_client_phase_of(f->client)), "flying");
    CHECK(f->got[0x03] >= 1);
    CHECK(f->got[0x1C] > 180);
    CHECK_EQ(sb_client_received(f->client, 0x2C), 300);
    sb_client_leave(f->client, f->now);
    fly(f, 4 * SB_SECOND);
    CHECK(sb_client_is_over(f->client));
}

TEST(a_client_plays_at_a_stock_host_that_loses_datagrams)
{
    for (unsigned lose = 0; lose < 12; lose += 5) {
        foreign *f = open_foreign(false, lose);
        play(f);
        CHECK_EQ(f->got[0x2C], 300);
        CHECK(f->left);
        close_foreign(f);
    }
}

/* Its repeats are delivered twice: nothing keeps them apart there. */
TEST(a_client_joins_and_plays_at_an_openbc_host)
{
    for (unsigned lose = 0; lose < 18; lose += 17) {
        foreign *f = open_foreign(true, lose);
        play(f);
        CHECK(f->got[0x2C] >= 300);
        close_foreign(f);
    }
}
