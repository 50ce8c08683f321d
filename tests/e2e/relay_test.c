/* tests/e2e/relay_test.c -- which players receive a message, over UDP; forged messages. Spec 07-09,
 * 01 §10. */
#include "rig.h"

#include "base/bytes.h"

#include <signal.h>
#include <string.h>

static const sb_vec3 here = { 38.0f, -49.0f, -35.0f };

/* Three players with an Akira, a Sovereign and a Bird of Prey. */
typedef struct trio {
    live *l;
    seat *a, *b, *c;
} trio;

static void forget_all(const trio *t)
{
    seat_forget(t->a);
    seat_forget(t->b);
    seat_forget(t->c);
}

static trio open_trio(void)
{
    trio t = { .l = live_open(NULL) };
    t.a = live_join(t.l, "Alpha");
    t.b = live_join(t.l, "Beta");
    t.c = live_join(t.l, "Gamma");
    (void)seat_spawn(t.a, 1, here);
    (void)seat_spawn(t.b, 5, (sb_vec3){ 200, 0, 0 });
    (void)seat_spawn(t.c, 6, (sb_vec3){ -200, 0, 0 });
    live_settle(t.l, t.a);
    live_settle(t.l, t.b);
    live_settle(t.l, t.c);
    forget_all(&t);
    return t;
}

static void expect_silence(const trio *t)
{
    EXPECT_QUIET(t->a);
    EXPECT_QUIET(t->b);
    EXPECT_QUIET(t->c);
}

/* ---- ratios: N-1, N, 0 ---- */

TEST(a_new_ship_is_relayed_unchanged_and_all_get_the_notice)
{
    static const char sovereign[] =
        "03 00 02 08 80 00 00 FF FF FF 3F 05 00 00 18 42 00 00 44 C2 00 00 0C C2 52 93 45 3F BB C9 "
        "22 BF E2 58 10 B3 25 8D 6C B2 00 00 00 00 00 00 00 05 43 61 64 79 32 06 4D 75 6C 74 69 31 "
        "FF FF 64 FF FF FF FF FF FF FF 64 FF FF FF FF FF FF 64 FF FF FF FF FF FF FF 64 60 00 FF 64 "
        "FF FF FF FF FF FF FF FF FF 64 01 FF FF FF FF FF 64 01 FF FF FF 64 FF"; /* spec 07 §2.5 */
    live *l = live_open(NULL);
    seat *a = live_join(l, "Cady2"), *b = live_join(l, "Beta");
    seat_say_hex(a, sovereign);
    EXPECT_HEARD(l, b, sovereign);
    EXPECT_HEARD(l, b, "1D FF FF FF 3F");
    EXPECT_HEARD(l, a, "1D FF FF FF 3F");
    live_settle(l, a);
    EXPECT_QUIET(a);
    EXPECT_QUIET(b);
    UNTIL(l, a->by_opcode[0x1C] >= 3 && b->by_opcode[0x1C] >= 3); /* spec 06 §4.7 */
}

TEST(messages_of_class_f_go_unchanged_to_all_others_and_not_back)
{
    static const char warp[] = "10 2A 81 00 00 EC 00 80 00 00 00 00 00 FF FF FF 3F 06 4D 75 6C 74 "
                               "69 32 00 00 C8 42 00 00 48 C2 00 00 00 00 00 00 18 41";
    static const char *const events[] = {
        "07 28 81 00 00 D8 00 80 00 00 00 00 00 05 00 00 40 00 00 00 00 00 00 00 00",
        "08 01 01 00 00 DA 00 80 00 00 00 00 00 05 00 00 40",
        "09 0C 01 00 00 DC 00 80 00 00 00 00 00 05 00 00 40 FF FF 03 40",
        "0A 04 01 00 00 DD 00 80 00 00 00 00 00 01 00 00 40 00",
        "0B 01 01 00 00 DF 00 80 00 00 00 00 00 05 00 00 40",
        "0C 01 01 00 00 01 00 80 00 00 00 00 00 05 00 00 40",
        "0E 01 01 00 00 E2 00 80 00 00 00 00 00 0B 00 00 40",
        "0F 01 01 00 00 E4 00 80 00 00 00 00 00 0B 00 00 40",
        warp,
        "11 0C 01 00 00 76 00 80 00 00 00 00 00 18 00 00 40 0D 00 00 40",
        "12 05 01 00 00 E0 00 80 00 00 00 00 00 05 00 00 40 02",
        "1B 05 01 00 00 FE 00 80 00 00 00 00 00 05 00 00 40 01",
        "19 0D 00 00 40 02 05 4C 65 00",
        "1A 08 00 00 40 02 54 5A 1E 01",
    };
    trio t = open_trio();
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) seat_say_hex(t.a, events[i]);
    live_settle(t.l, t.a);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        EXPECT_HEARD(t.l, t.b, events[i]); /* and in the order in which they were said */
        EXPECT_HEARD(t.l, t.c, events[i]);
    }
    expect_silence(&t);
}

TEST(absorbed_messages_and_those_only_a_server_sends_reach_nobody)
{
    static const char *const absorbed[] = {
        "0D 0C 01 00 00 58 00 80 00 00 00 00 00 FF FF FF 3F FF FF 03 40",
        "27",
        "2A 20",
        "00 00 00 05 42 61 00 01 00 4D",
        "01",
        "06 29 81 00 00 4E 00 80 00 00 00 00 00 FF FF 03 40 00 00 00 00 00 00 18 41",
        "14 FF FF 03 40",
        "16 21",
        "17 66 08 00 00 F1 00 80 00 00 00 00 00 4F 06 00 00 02",
        "18 05 00 41 6C 70 68 61",
        "28",
        "35 08 01 FF FF",
        "36 00 00 00 00 02 00 00 00 01 00 00 00 00",
        "37 03 00 00 00 04 00 00 00 02 00 00 00 9C 04 00 00",
        "38 01 00 00 00",
    };
    trio t = open_trio();
    for (size_t i = 0; i < sizeof absorbed / sizeof *absorbed; i++) seat_say_hex(t.a, absorbed[i]);
    live_settle(t.l, t.a);
    expect_silence(&t);
    CHECK(!t.a->left);
}

TEST(chat_reaches_all_and_comes_back_with_the_true_speaker)
{
    trio t = open_trio();
    seat_say_hex(t.b, "2C 02 00 00 00 05 00 68 65 6C 6C 6F"); /* claims to be Alpha */
    EXPECT_HEARD(t.l, t.a, "2C 03 00 00 00 05 00 68 65 6C 6C 6F");
    EXPECT_HEARD(t.l, t.b, "2C 03 00 00 00 05 00 68 65 6C 6C 6F");
    EXPECT_HEARD(t.l, t.c, "2C 03 00 00 00 05 00 68 65 6C 6C 6F");
    live_settle(t.l, t.b);
    expect_silence(&t);
    UNTIL(t.l, process_logged(&t.l->server, "Beta: hello"));
}

TEST(a_chat_line_of_300_bytes_reaches_all)
{
    trio    t = open_trio();
    uint8_t line[307] = { 0x2C, 2, 0, 0, 0, 0x2C, 0x01 };
    memset(line + 7, 'x', 300);
    seat_say(t.a, SB_RELIABLE, (sb_span){ line, sizeof line });
    seat *const all[] = { t.a, t.b, t.c };
    for (size_t i = 0; i < 3; i++) {
        sb_span m = seat_find(t.l, all[i], 0x2C);
        CHECK_EQ(m.size, 7 + SB_CHAT_MAX);
        CHECK_EQ(sb_load_u16(m.data + 5), SB_CHAT_MAX);
    }
}

/* ---- what is somebody else's ---- */

TEST(shots_and_positions_of_another_players_ship_are_dropped)
{
    static const char *const foreign[] = {
        "07 28 81 00 00 D8 00 80 00 00 00 00 00 05 00 04 40 00 00 00 00 00 00 00 00",
        "0A 04 01 00 00 DD 00 80 00 00 00 00 00 01 00 04 40 00",
        "19 06 00 04 40 02 05 4C 65 00",
        "1A 08 00 04 40 02 54 5A 1E 01",
        "15 24 81 00 00 50 00 80 00 00 00 00 00 FF FF 03 40 01 0D 7E 00 D9 BB 20 A0 44",
        "1F FF FF 03 40 07 00 00 00 4D 75 6C 74 69 31 00",
        "1C FF FF 03 40 00 00 80 3F 01 00 00 C8 42 00 00 48 C2 00 00 00 00 20",
    };
    trio t = open_trio();
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) seat_say_hex(t.a, foreign[i]);
    live_settle(t.l, t.a);
    expect_silence(&t);
    CHECK(!t.a->left);
    UNTIL(t.l, process_logged(&t.l->server, "Alpha: foreign_object: "));
    CHECK_EQ(kill(t.l->server.pid, SIGUSR1), 0); /* one line per player and 10 s; all are counted */
    UNTIL(t.l, process_logged(&t.l->server, " 1 foreign_state"));
}

/* Type 0x05 and a chat line, as the real player would number them (spec 01 §4.10). */
static size_t forge_goodbye(uint8_t id, uint16_t seq, uint8_t *out)
{
    uint8_t bytes[] = { id, 1, 0x05, 0x0A, 0xC0, 0, 0, id, 10, 10, 10, 1 };
    sb_store_u16(bytes + 5, seq);
    memcpy(out, bytes, sizeof bytes);
    return sizeof bytes;
}

static size_t forge_chat(uint8_t id, uint16_t seq, uint8_t *out)
{
    uint8_t bytes[] = { id, 1, 0x32, 0x0D, 0x80, 0, 0, 0x2C, id, 0, 0, 0, 1, 0, 'x' };
    sb_store_u16(bytes + 5, seq);
    memcpy(out, bytes, sizeof bytes);
    return sizeof bytes;
}

/* Every sequence number that the real player may use next. */
static void send_forgeries(const live *l, const sb_udp *udp, uint8_t id)
{
    uint8_t bytes[64];
    for (uint16_t seq = 0; seq < 24; seq++) {
        live_send_game(l, udp, bytes, forge_goodbye(id, seq, bytes));
        live_send_game(l, udp, bytes, forge_chat(id, seq, bytes));
    }
}

static void expect_nothing_forged(trio *t)
{
    live_settle(t->l, t->a);
    live_settle(t->l, t->b);
    expect_silence(t);
    CHECK(!t->a->left && !t->b->left);
    CHECK_EQ(t->a->gone_count + t->b->gone_count + t->c->gone_count, 0);
}

TEST(goodbyes_and_chat_from_another_address_or_port_are_ignored)
{
    trio           t = open_trio();
    sb_udp         stranger, neighbour;
    char           error[SB_UDP_ERROR_MAX];
    sb_udp_options same_address = { .local = { t.b->udp.local.address, 0 } };
    live_open_stranger(&stranger, 1);
    send_forgeries(t.l, &stranger, t.b->id);
    (void)live_ask(t.l, &stranger); /* it has taken them */
    sb_udp_close(&stranger);
    expect_nothing_forged(&t);
    CHECK_EQ(sb_udp_open(&neighbour, &same_address, error), SB_OK);
    send_forgeries(t.l, &neighbour, t.b->id);
    (void)live_ask(t.l, &neighbour);
    sb_udp_close(&neighbour);
    expect_nothing_forged(&t);
}

TEST(a_player_cannot_speak_under_another_players_id)
{
    trio t = open_trio();
    send_forgeries(t.l, &t.a->udp, t.b->id);
    send_forgeries(t.l, &t.a->udp, SB_PEER_HOST);
    expect_nothing_forged(&t);
}

TEST(messages_that_arrive_twice_are_executed_once)
{
    trio    t = open_trio();
    uint8_t bytes[64];
    for (unsigned i = 0; i < 3; i++) {
        uint8_t line[] = { 0x2C, 2, 0, 0, 0, 1, 0, (uint8_t)('a' + i) };
        seat_say(t.a, SB_RELIABLE, (sb_span){ line, sizeof line });
    }
    live_settle(t.l, t.a);
    for (uint16_t seq = 0; seq < 10; seq++) /* numbers that were used: a repetition, other words */
        live_send_game(t.l, &t.a->udp, bytes, forge_chat(2, seq, bytes));
    live_settle(t.l, t.a);
    CHECK_EQ(t.b->by_opcode[0x2C], 3);
    CHECK_EQ(t.a->by_opcode[0x2C], 3);
}
