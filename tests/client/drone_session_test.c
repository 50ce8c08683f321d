/* tests/client/drone_session_test.c -- a drone and a scripted host: what it sends, and when. A
 * whole room of drones: drone_test.c. */
#include "client/drone.h"

#include <starbase/message.h>

#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { PLACE = 5, RECORDS = 256, START = 5000000, FIRST_ID = 0x3FFFFFFF, ROUNDS_MAX = 1000 };

static const sb_endpoint server = { 0xC0A80001, 22101 }, player = { 0x0A0A0AEF, 31000 };

typedef struct queued {
    sb_time at;
    size_t  size;
    uint8_t bytes[400];
} queued;

typedef struct rig {
    sb_drone          *drone;
    sb_transport_host *host;
    sb_time            now;
    uint8_t            peer; /* id of the drone; 0: not connected */
    queued             sent[RECORDS];
    size_t             count;
    unsigned           phases[SB_CLIENT_OVER + 1];
    unsigned           refusals;
    int32_t            refused_by; /* opcode */
} rig;

static rig *r;

/* ---- the rig ---- */

static void note(void *context, const sb_client_event *e)
{
    (void)context;
    CHECK(e->now == r->now);
    if (e->type == SB_CLIENT_PHASE) r->phases[e->value]++;
    if (e->type == SB_CLIENT_REFUSED_FILES) r->refusals++, r->refused_by = e->value;
    if (e->type != SB_CLIENT_QUEUED) return;
    CHECK(r->count < RECORDS && e->bytes.size <= sizeof r->sent->bytes);
    queued *q = &r->sent[r->count++];
    *q = (queued){ .at = e->now, .size = e->bytes.size };
    memcpy(q->bytes, e->bytes.data, e->bytes.size);
}

/* Fills the memory, because no code may rely on zeros. */
static void *allocate(void **kept, size_t bytes)
{
    CHECK(bytes > 0);
    free(*kept);
    *kept = malloc(bytes);
    CHECK(*kept != NULL);
    return memset(*kept, 0xA5, bytes);
}

static void open_rig(unsigned place)
{
    static rig               kept;
    static void             *drone, *host;
    static const uint8_t     name[] = { 'C', 0, 'a', 0, 'd', 0, 'y', 0, '2', 0 };
    sb_drone_config          config;
    sb_transport_host_config theirs;
    sb_transport_host_defaults(&theirs);
    theirs.seed = 1;
    sb_drone_defaults(&config);
    config.transport.server = server;
    config.transport.local_address = player.address;
    config.transport.local_port = player.port;
    config.transport.name = (sb_span){ name, sizeof name };
    config.place = place;
    config.on_event = note;
    kept = (rig){ .now = START };
    r = &kept;
    r->host =
        sb_transport_host_init(allocate(&host, sb_transport_host_bytes(&theirs)), &theirs, START);
    r->drone = sb_drone_init(allocate(&drone, sb_drone_bytes(&config)), &config, START);
}

static bool carry_up(void)
{
    uint8_t            out[SB_DATAGRAM_MAX];
    sb_transport_event event;
    size_t             size = sb_drone_write(r->drone, r->now, out);
    if (size > 0) (void)!sb_transport_host_receive(r->host, r->now, player, (sb_span){ out, size });
    while (sb_transport_host_next_event(r->host, r->now, &event))
        if (event.type == SB_EVENT_JOINED) r->peer = event.peer_id;
    return size > 0;
}

static bool carry_down(void)
{
    uint8_t     out[SB_DATAGRAM_MAX];
    sb_endpoint to;
    size_t      size = sb_transport_host_write(r->host, r->now, &to, out);
    if (size > 0) (void)!sb_drone_receive(r->drone, r->now, server, (sb_span){ out, size });
    return size > 0;
}

/* A deadline that stays would let the loop of a program spin. */
static void run(void)
{
    bool up = true, down = true;
    for (int rounds = 0; up || down; rounds++) {
        CHECK(rounds < ROUNDS_MAX);
        sb_drone_advance(r->drone, r->now);
        up = carry_up();
        down = carry_down();
    }
    if (sb_drone_next_deadline(r->drone) <= r->now) FAIL("a deadline is not in the future");
}

/* Stops at every deadline on the way, at its very microsecond. */
static void wait_for(sb_time us)
{
    for (sb_time until = r->now + us; r->now < until;) {
        sb_time mine = sb_drone_next_deadline(r->drone);
        sb_time theirs = sb_transport_host_next_deadline(r->host);
        sb_time next = mine < theirs ? mine : theirs;
        r->now = next < until ? next : until;
        run();
    }
}

static void say(sb_span message)
{
    CHECK_EQ(sb_transport_host_send(r->host, r->peer, SB_RELIABLE, message), SB_OK);
    run();
}

static void say_hex(const char *hex)
{
    uint8_t bytes[512];
    say((sb_span){ bytes, test_hex(hex, bytes, sizeof bytes) });
}

static void say_message(const sb_message *m)
{
    uint8_t bytes[512];
    size_t  size;
    CHECK_EQ(sb_encode_message(m, NULL, bytes, sizeof bytes, &size), SB_OK);
    say((sb_span){ bytes, size });
}

static void say_exploding(uint32_t object_id, float lifetime)
{
    sb_message m = { .opcode = SB_OP_PYTHON_EVENT };
    m.as.event = (sb_event){ .event_class = SB_EVENT_OBJECT_EXPLODING,
                             .event_code = SB_CODE_OBJECT_EXPLODING,
                             .destination = object_id,
                             .lifetime = lifetime };
    say_message(&m);
}

static void say_object(uint8_t opcode, uint32_t object_id)
{
    sb_message m = { .opcode = opcode };
    m.as.object_ref.object_id = object_id;
    say_message(&m);
}

static void connect_drone(unsigned place)
{
    open_rig(place);
    run();
    CHECK_EQ(r->peer, 2);
}

/* Settings with slot 0, GameInit, MissionInit. */
static void join(unsigned place)
{
    connect_drone(place);
    say_hex("00 00 00 05 42 61 00 25 00 4D 75 6C 74 69 70 6C 61 79 65 72 2E 45 70 69 73 6F 64 65"
            "2E 4D 69 73 73 69 6F 6E 31 2E 4D 69 73 73 69 6F 6E 31");
    say_hex("01");
    say_hex("35 08 01 FF FF");
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_LOBBY);
}

static void fly(unsigned place)
{
    join(place);
    wait_for(SB_SECOND);
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_FLYING);
}

static size_t count_sent(uint8_t opcode)
{
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++) count += r->sent[i].bytes[0] == opcode;
    return count;
}

static const queued *last_sent(uint8_t opcode)
{
    const queued *last = NULL;
    for (size_t i = 0; i < r->count; i++)
        if (r->sent[i].bytes[0] == opcode) last = &r->sent[i];
    CHECK(last != NULL);
    return last;
}

static void decode(const queued *q, sb_message *m)
{
    CHECK_EQ(sb_decode_message((sb_span){ q->bytes, q->size }, NULL, m, NULL), SB_OK);
}

/* ---- the join ---- */

TEST(a_drone_connects_before_it_is_checked)
{
    open_rig(0);
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_CONNECTING);
    run();
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_CHECKING);
    CHECK_EQ(r->phases[SB_CLIENT_CHECKING], 1);
}

TEST(a_drone_says_once_that_it_is_in_the_game)
{
    static const uint8_t ready[] = { SB_OP_NEW_PLAYER_IN_GAME, 0x20 };
    join(0);
    CHECK_EQ(count_sent(SB_OP_NEW_PLAYER_IN_GAME), 1);
    const queued *q = last_sent(SB_OP_NEW_PLAYER_IN_GAME);
    CHECK_BYTES(q->bytes, q->size, ready, sizeof ready);
    CHECK(q->at == START);
}

TEST(a_drone_whose_files_are_refused_says_why_and_leaves)
{
    static const struct {
        const char *message;
        uint8_t     opcode;
    } refusals[] = { { "22 07 00 41 70 70 2E 70 79 63", SB_OP_CHECKSUM_FAIL },
                     { "23 07 00 41 70 70 2E 70 79 63", SB_OP_VERSION_MISMATCH } };
    for (size_t i = 0; i < 2; i++) {
        connect_drone(0);
        say_hex(refusals[i].message);
        CHECK_EQ(r->refusals, 1);
        CHECK_EQ(r->refused_by, refusals[i].opcode);
        wait_for(5 * SB_SECOND);
        CHECK(sb_drone_is_over(r->drone));
    }
}

TEST(a_drone_acknowledges_a_file)
{
    connect_drone(0);
    say_hex("25 05 00 41 2E 70 79 63 00 01 02");
    CHECK_EQ(r->count, 1);
    CHECK_EQ(r->sent[0].bytes[0], SB_OP_FILE_TRANSFER_ACK);
    CHECK_EQ(r->sent[0].size, 1);
}

/* ---- the ship ---- */

TEST(a_drone_creates_its_ship_on_its_own_circle)
{
    static const struct {
        unsigned place;
        float    x, z;
    } cases[] = { { 0, 40, -60 }, { 5, -40, -20 }, { 8, 40, 4 }, { 15, -40, 60 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_message m;
        fly(cases[i].place);
        CHECK_EQ(count_sent(SB_OP_PLAYER_OBJECT_CREATE), 1);
        decode(last_sent(SB_OP_PLAYER_OBJECT_CREATE), &m);
        const sb_object_create *c = &m.as.object_create;
        CHECK(c->position.x == cases[i].x);
        CHECK(c->position.y == 0);
        CHECK(c->position.z == cases[i].z);
        CHECK_BYTES(c->name.data, c->name.size, "Cady2", 5);
        CHECK_EQ(c->object_id, FIRST_ID);
        CHECK_EQ(c->peer_id, r->peer);
    }
}

TEST(a_drone_describes_its_own_ship_when_it_is_asked_for)
{
    sb_message m;
    join(PLACE);
    say_object(SB_OP_REQUEST_OBJECT, FIRST_ID);
    CHECK_EQ(count_sent(SB_OP_PLAYER_OBJECT_CREATE), 0); /* none yet */
    wait_for(SB_SECOND);
    say_object(SB_OP_REQUEST_OBJECT, FIRST_ID + 1);
    CHECK_EQ(count_sent(SB_OP_PLAYER_OBJECT_CREATE), 1);
    say_object(SB_OP_REQUEST_OBJECT, FIRST_ID);
    CHECK_EQ(count_sent(SB_OP_PLAYER_OBJECT_CREATE), 2);
    decode(last_sent(SB_OP_PLAYER_OBJECT_CREATE), &m);
    CHECK_EQ(m.as.object_create.object_id, FIRST_ID);
}

/* The time from the death of a ship to the creation of the next one. */
static sb_time pause_after(float lifetime)
{
    fly(PLACE);
    sb_time died = r->now;
    say_exploding(FIRST_ID + 1, lifetime); /* another ship */
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_FLYING);
    say_exploding(FIRST_ID, lifetime);
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_LOBBY);
    wait_for(15 * SB_SECOND);
    CHECK_EQ(count_sent(SB_OP_PLAYER_OBJECT_CREATE), 2);
    return last_sent(SB_OP_PLAYER_OBJECT_CREATE)->at - died;
}

TEST(a_drone_returns_three_seconds_after_its_wreck_is_gone)
{
    CHECK_EQ(pause_after(2), 5 * SB_SECOND);
    CHECK_EQ(pause_after(9.5f), 12500000);
    CHECK_EQ(pause_after(0), 13 * SB_SECOND); /* not a lifetime: as if it were 10 s */
    CHECK_EQ(pause_after(-1), 13 * SB_SECOND);
    CHECK_EQ(pause_after(60), 13 * SB_SECOND);
}

TEST(a_drone_returns_a_second_after_its_ship_was_removed)
{
    fly(PLACE);
    sb_time removed = r->now;
    say_object(SB_OP_DESTROY_OBJECT, FIRST_ID + 1);
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_FLYING);
    say_object(SB_OP_DESTROY_OBJECT, FIRST_ID);
    CHECK_EQ(sb_drone_phase(r->drone), SB_CLIENT_LOBBY);
    wait_for(2 * SB_SECOND);
    CHECK_EQ(last_sent(SB_OP_PLAYER_OBJECT_CREATE)->at - removed, SB_SECOND);
}

/* ---- marks ---- */

static sb_time time_in(sb_span mark)
{
    char digits[17] = { 0 }, *end;
    CHECK_EQ(mark.size, 17);
    CHECK_EQ(mark.data[0], '@');
    memcpy(digits, mark.data + 1, 16);
    sb_time time = (sb_time)strtoull(digits, &end, 16);
    CHECK(*end == '\0');
    return time;
}

TEST(a_mark_names_its_time_and_comes_at_it)
{
    fly(PLACE);
    wait_for(5 * SB_SECOND);
    CHECK(count_sent(SB_OP_CHAT) >= 5);
    sb_time last = 0;
    for (size_t i = 0; i < r->count; i++) {
        sb_message m;
        if (r->sent[i].bytes[0] != SB_OP_CHAT) continue;
        decode(&r->sent[i], &m);
        CHECK_EQ(m.as.chat.sender, r->peer);
        CHECK_EQ(time_in(m.as.chat.text), r->sent[i].at);
        if (last > 0) CHECK_EQ(r->sent[i].at - last, SB_SECOND);
        last = r->sent[i].at;
    }
}
