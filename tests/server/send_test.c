/* tests/server/send_test.c -- who gets the messages of a room, and what a nearly full queue holds
 * back. docs/decisions/room-fairness.md.
 */
#include "rig.h"

#include <starbase/message.h>

#include "base/bytes.h"
#include "server/server_internal.h"

#include <string.h>

enum { MOD = 0xCD, LINE = 200 };

static const sb_vec3 middle = { 0, 0, 0 };

/* ---- receivers ---- */

TEST(the_last_of_sixteen_players_gets_every_kind_of_message)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = SB_SERVER_PLAYERS_MAX;
    room *r = room_open(&c);
    for (unsigned i = 0; i < SB_SERVER_PLAYERS_MAX; i++) (void)room_join(r, "Player");
    seat *a = &r->seats[0], *last = &r->seats[SB_SERVER_PLAYERS_MAX - 1];
    (void)seat_spawn(r, a, 5, middle);
    seat_forget(last);
    uint64_t relayed = COUNTED(r, SB_SERVER_COUNT_RELAYED);
    seat_say_hex(r, a, "CD 01"); /* relayed */
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_RELAYED), relayed + SB_SERVER_PLAYERS_MAX - 1);
    CHECK(seat_find(last, MOD).size > 0);
    sb_server_say(r->server, r->now, sb_text_span("hello")); /* to all in the game */
    room_step(r);
    CHECK(seat_find(last, SB_OP_CHAT).size > 0);
    seat_say_hex(r, a, "13"); /* a part is added to the repair list, if the queue has space */
    room_wait(r, SB_SECOND / 10);
    CHECK_EQ(last->by_opcode[SB_OP_PYTHON_EVENT], 2);
    sb_server_end_match(r->server, r->now, SB_END_GENERIC); /* to all who are connected */
    room_step(r);
    CHECK(seat_find(last, SB_OP_END_GAME).size > 0);
}

TEST(joining_players_get_what_concerns_all_who_are_connected)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *waiting, *late = room_connect(r, "Late");
    (void)seat_spawn(r, a, 5, middle);
    seat_say_hex(r, a, "CD 01");
    seat_say_hex(r, a, "13");
    room_wait(r, SB_SECOND / 10);
    sb_server_say(r->server, r->now, sb_text_span("hello"));
    sb_server_end_match(r->server, r->now, SB_END_GENERIC);
    waiting = room_connect(r, "Waiting");
    sb_server_restart_match(r->server, r->now);
    room_step(r);
    CHECK_EQ(late->by_opcode[MOD] + late->by_opcode[SB_OP_PYTHON_EVENT], 0);
    CHECK_EQ(late->by_opcode[SB_OP_CHAT], 0);
    CHECK_EQ(late->by_opcode[SB_OP_END_GAME], 1);
    CHECK_EQ(waiting->by_opcode[SB_OP_RESTART_GAME], 1);
}

/* ---- messages that cannot be encoded ---- */

TEST(a_message_longer_than_the_buffer_is_not_sent)
{
    static uint8_t text[ENCODED_MESSAGE_MAX + 1];
    room          *r = room_open(NULL);
    seat          *a = room_join(r, "Alpha");
    sb_message     m = { .opcode = SB_OP_CHAT };
    m.as.chat.text = (sb_span){ text, sizeof text };
    CHECK_EQ(sb_server_encode(r->server, &m).size, 0);
    sb_server_send(r->server, &r->server->players[0], &m);
    sb_server_send_in_game(r->server, &m);
    sb_server_send_connected(r->server, &m);
    sb_server_send_if_fits(r->server, &m, 0);
    room_step(r);
    CHECK_EQ(a->heard_count, 0);
    m.as.chat.text.size = 100;
    CHECK_EQ(sb_server_encode(r->server, &m).size, 107);
}

/* ---- full queues ---- */

/* Beta's Acks are lost, so its queue fills. */
typedef struct stall {
    room *r;
    seat *a, *b;
} stall;

static size_t free_bytes(const stall *t)
{
    return sb_transport_host_free_bytes(t->r->server->transport, t->b->id);
}

/* Fills the queue with lines of the server until at most `most` bytes are free. */
static stall open_stall(size_t most)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.transport.shared_cells = 0;
    c.mod_bytes_max = 4000;
    stall t = { .r = room_open(&c) };
    t.a = room_join(t.r, "Alpha");
    t.b = room_join(t.r, "Beta");
    (void)seat_spawn(t.r, t.a, 5, middle);
    room_wait(t.r, 5 * SB_SECOND);
    t.b->muted = true;
    char line[LINE];
    memset(line, 'x', sizeof line);
    while (free_bytes(&t) > most) {
        sb_server_say(t.r->server, t.r->now, (sb_span){ (const uint8_t *)line, sizeof line });
        room_step(t.r);
    }
    return t;
}

static void say_mod(stall *t, sb_delivery delivery, size_t size)
{
    uint8_t bytes[4000] = { MOD };
    CHECK(size <= sizeof bytes);
    seat_say(t->r, t->a, delivery, (sb_span){ bytes, size });
}

/* A message that leaves RELAY_QUEUE_RESERVE bytes free is queued; one byte more has to wait. */
TEST(relayed_messages_leave_the_reserve_free)
{
    for (unsigned more = 0; more < 2; more++) {
        stall    t = open_stall(RELAY_QUEUE_RESERVE + 1000);
        uint64_t relayed = COUNTED(t.r, SB_SERVER_COUNT_RELAYED);
        size_t   size = free_bytes(&t) - RELAY_QUEUE_RESERVE;
        CHECK(size > 0 && size < 1000);
        say_mod(&t, SB_RELIABLE, size + more);
        CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_RELAY_DELAYED), more);
        CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_RELAYED), relayed + !more);
        CHECK_EQ(t.r->server->backlog.waiting[1], more);
    }
}

TEST(a_small_message_does_not_overtake_one_that_waits)
{
    stall  t = open_stall(RELAY_QUEUE_RESERVE + 1000);
    size_t size = free_bytes(&t) - RELAY_QUEUE_RESERVE;
    say_mod(&t, SB_RELIABLE, size + 1);
    say_mod(&t, SB_RELIABLE, 2);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_RELAY_DELAYED), 2);
    uint64_t relayed = COUNTED(t.r, SB_SERVER_COUNT_RELAYED);
    say_mod(&t, SB_UNRELIABLE, 2); /* waits for nothing */
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_RELAY_DELAYED), 2);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_RELAYED), relayed + 1);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_RELAY_SKIPPED), 0);
    t.b->muted = false;
    room_wait(t.r, 20 * SB_SECOND);
    CHECK_EQ(t.b->by_opcode[MOD], 3);
}

TEST(a_message_too_long_for_the_backlog_is_counted_as_lost)
{
    stall t = open_stall(RELAY_QUEUE_RESERVE);
    say_mod(&t, SB_RELIABLE, BACKLOG_MESSAGE_MAX + 1);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_RELAY_SKIPPED), 1);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_RELAY_DELAYED), 1);
    CHECK_EQ(t.r->server->backlog.waiting[1], 0);
}

/* An event of 17 bytes about a part that is damaged. */
TEST(repairs_are_left_out_below_their_reserve)
{
    static const size_t most[] = { REPAIR_QUEUE_RESERVE + 1000, REPAIR_QUEUE_RESERVE };
    for (unsigned full = 0; full < 2; full++) {
        stall t = open_stall(most[full]);
        CHECK(full || free_bytes(&t) >= REPAIR_QUEUE_RESERVE + 300);
        seat_say_hex(t.r, t.a, "13");
        room_wait(t.r, SB_SECOND / 10);
        CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_RELAY_SKIPPED), full);
        t.b->muted = false;
        room_wait(t.r, 20 * SB_SECOND);
        CHECK_EQ(t.b->by_opcode[SB_OP_PYTHON_EVENT], 2u - full); /* the death always comes */
    }
}

/* A creation that waits must not come after the room's own message that the object is gone. */
TEST(the_creation_of_a_removed_object_does_not_wait_any_more)
{
    stall t = open_stall(RELAY_QUEUE_RESERVE);
    seat_create_scenery(t.r, t.a, 0x40001000);
    CHECK_EQ(t.r->server->backlog.waiting[1], 1);
    sb_server_remove_object(t.r->server, sb_server_find_object(t.r->server, 0x40001000));
    CHECK_EQ(t.r->server->backlog.waiting[1], 0);
}

/* ---- lines of the server ---- */

TEST(lines_of_the_server_leave_their_reserve_free)
{
    for (unsigned more = 0; more < 2; more++) {
        stall  t = open_stall(CHAT_QUEUE_RESERVE + 450);
        char   line[512] = "";
        size_t size = free_bytes(&t) - CHAT_QUEUE_RESERVE;
        CHECK(size > 0 && size < 450);
        memset(line, 'y', size + more);
        size_t left = free_bytes(&t);
        sb_server_tell(t.r->server, &t.r->server->players[1], line);
        CHECK_EQ(free_bytes(&t) == left, more);
    }
}

/* ---- objects ---- */

/* Players' ships are always sent; their damage volumes only if the queue has space. */
TEST(a_nearly_full_queue_gets_ships_without_volumes)
{
    static const size_t most[] = { VOLUME_QUEUE_RESERVE + 2000, VOLUME_QUEUE_RESERVE };
    for (unsigned full = 0; full < 2; full++) {
        stall      t = open_stall(most[full]);
        sb_message m =
            event_message(SB_OP_COLLISION, SB_EVENT_COLLISION, SB_CODE_COLLISION, 0x3FFFFFFF);
        m.as.event.contact_count = 1;
        m.as.event.contacts[0] = (sb_cv4b){ { -7, 126, 2 }, 216 };
        m.as.event.force = 400.0f;
        seat_say_message(t.r, t.a, &m);
        uint64_t ships = t.b->by_opcode[SB_OP_PLAYER_OBJECT_CREATE];
        sb_server_send_object(t.r->server, &t.r->server->players[1], &t.r->server->objects[0]);
        t.b->muted = false;
        room_wait(t.r, 20 * SB_SECOND);
        CHECK_EQ(t.b->by_opcode[SB_OP_PLAYER_OBJECT_CREATE], ships + 1);
        CHECK_EQ(t.b->by_opcode[SB_OP_DAMAGE_VOLUME], !full);
    }
}

/* Scenery of a mod whose creation leaves just the reserve free, or one byte less. */
TEST(scenery_leaves_the_reserve_free)
{
    for (unsigned more = 0; more < 2; more++) {
        stall     t = open_stall(VOLUME_QUEUE_RESERVE + 450);
        sb_object o = { .object_id = 0x40001000, .opcode = SB_OP_OBJECT_CREATE };
        size_t    left = free_bytes(&t);
        o.creation_size = (uint16_t)(left - VOLUME_QUEUE_RESERVE + more);
        CHECK(o.creation_size > 100 && o.creation_size <= CREATION_BYTES_MAX);
        sb_server_send_object(t.r->server, &t.r->server->players[1], &o);
        CHECK_EQ(free_bytes(&t) == left, more);
    }
}
