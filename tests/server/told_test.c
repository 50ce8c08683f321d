/* tests/server/told_test.c -- lines of the server to one player: reasons of a removal, which arrive
 * before the Boot, and refused chat. Spec 06 §9, 09 §4. */
#include "rig.h"

#include "base/bytes.h"
#include "sim/match.h"

#include <stdio.h>
#include <string.h>

/* True if the seat has received this line of the server. */
static bool was_told(const seat *s, const char *text)
{
    for (size_t i = 0; i < s->heard_count; i++) {
        const heard *h = &s->heard[i];
        if (h->bytes[0] == SB_OP_CHAT && sb_load_u32(h->bytes + 1) == SB_PEER_HOST &&
            h->size == 7 + strlen(text) && memcmp(h->bytes + 7, text, strlen(text)) == 0)
            return true;
    }
    return false;
}

/* ---- removals ---- */

TEST(a_joining_player_is_told_why_before_the_boot)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.checksums = SB_CHECKSUM_STRICT;
    room *r = room_open(&c);
    seat *a = room_connect(r, "Alpha");
    seat_say_hex(r, a, "21 00 FF");
    CHECK(seat_is_removed(r, a));
    CHECK_EQ(a->boot_reason, SB_BOOT_KICKED);
    CHECK(was_told(a, "You are removed: the answer to checksum round 00 (scripts/App.pyc) cannot "
                      "be read at byte 2"));
}

TEST(a_kick_during_the_join_sends_its_reason_too)
{
    room *r = room_open(NULL);
    seat *a = room_connect(r, "Alpha");
    CHECK(sb_server_kick(r->server, r->now, a->id, (sb_span){ (const uint8_t *)"private", 7 }));
    CHECK(seat_is_removed(r, a));
    CHECK(was_told(a, "private"));
}

/* A Boot right behind the text would overtake it: the transport drops queued messages. */
TEST(a_boot_waits_for_the_ack_of_its_reason)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha");
    a->muted = true; /* its Acks are lost */
    CHECK(sb_server_kick(r->server, r->now, a->id, (sb_span){ (const uint8_t *)"reason", 6 }));
    room_wait(r, 3 * SB_SECOND);
    CHECK(was_told(a, "reason"));
    CHECK(!a->left);
    room_wait(r, 2 * SB_SECOND);
    CHECK(seat_is_removed(r, a));
}

/* ---- the same with the client of the library ---- */

typedef struct story {
    char     line[256]; /* the last line of the server */
    bool     told_first;
    unsigned boots;
} story;

static void follow(void *context, const sb_client_event *e)
{
    story *t = context;
    if (e->type == SB_CLIENT_CHAT && e->peer_id == SB_PEER_HOST)
        snprintf(t->line, sizeof t->line, "%.*s", (int)e->text.size, (const char *)e->text.data);
    if (e->type != SB_CLIENT_LEFT || e->reason != SB_LEFT_BOOTED) return;
    t->told_first = t->line[0] != 0;
    t->boots++;
}

/* A player of a match over a bad network: 5 % loss. */
static sim_match *join_followed(uint64_t seed, story *t)
{
    sim_match_config config;
    sb_client_config client;
    sim_match_defaults(&config, seed);
    sim_match_bad_link(&config.link);
    sim_match *m = sim_match_create(&config);
    sb_client_defaults(&client);
    client.on_event = follow;
    client.event_context = t;
    (void)sim_match_join(m, "Player", NULL, &client);
    sim_match_run(m, 20 * SB_SECOND);
    CHECK_EQ(sb_server_player_count(sim_match_server(m)), 1);
    return m;
}

TEST(a_client_shows_the_reason_of_a_kick_before_it_is_out)
{
    static const char why[] = "no ramming please";
    for (uint64_t seed = 1; seed <= 20; seed++) {
        story      t = { .boots = 0 };
        sim_match *m = join_followed(seed, &t);
        CHECK(sb_server_kick(sim_match_server(m), sim_match_now(m),
                             sb_client_id(sim_match_client(m, 0)),
                             (sb_span){ (const uint8_t *)why, strlen(why) }));
        sim_match_run(m, 10 * SB_SECOND);
        CHECK_EQ(t.boots, 1);
        CHECK(t.told_first);
        CHECK_TEXT(t.line, why);
        sim_match_destroy(m);
    }
}

/* ---- refused chat ---- */

static const char not_sent[] = "Your last line was not sent: too many lines. Wait a few seconds.";

static void say_lines(room *r, seat *s, unsigned count)
{
    for (unsigned i = 0; i < count; i++) seat_say_hex(r, s, "2C {id} 01 00 61");
}

TEST(a_speaker_is_told_once_per_burst_that_lines_were_not_sent)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    say_lines(r, a, 9);
    CHECK_EQ(b->by_opcode[0x2C], 5); /* a private line: Beta gets only Alpha's */
    CHECK_EQ(a->by_opcode[0x2C], 5 + 1);
    CHECK(was_told(a, not_sent));
    CHECK(!was_told(b, not_sent));
    room_wait(r, 3 * SB_SECOND);
    seat_forget(a);
    say_lines(r, a, 6); /* three are sent; the next burst is told once more */
    CHECK_EQ(b->by_opcode[0x2C], 8);
    CHECK_EQ(a->by_opcode[0x2C], 8 + 2);
    CHECK(was_told(a, not_sent));
}
