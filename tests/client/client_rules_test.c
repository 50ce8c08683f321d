/* tests/client/client_rules_test.c -- limits of the configuration, the send queue and the queries
 * of a client; and the order of its events. */
#include "client_rig.h"

#include <starbase/message.h>

#include "client/client_internal.h"
#include "client/testing.h"

#include <string.h>

static client_rig *r;

TEST(a_configuration_has_times_and_manifests_that_can_be)
{
    static const sb_manifest *const none[1] = { NULL };
    enum { FINE, LOADING, LONGEST, TOO_LONG, BEFORE, INTERVAL, FULL, NO_LIST, LIST, KINDS };
    for (int kind = 0; kind < KINDS; kind++) {
        sb_client_config config;
        client_rig_config(&config);
        bool valid = kind == FINE || kind == LOADING || kind == LONGEST || kind == LIST;
        config.lanes.interval_us = kind == INTERVAL ? 0 : 1;
        config.lanes.full_us = kind == FULL ? 0 : 1;
        if (kind == LOADING) config.load_us = 1;
        if (kind == LONGEST) config.load_us = INT64_MAX / 4 - 1;
        if (kind == TOO_LONG) config.load_us = INT64_MAX / 4;
        if (kind == BEFORE) config.load_us = -1;
        config.manifest_count = kind == NO_LIST || kind == LIST;
        config.manifests = kind == LIST ? none : NULL;
        if ((sb_client_bytes(&config) > 0) != valid) FAIL("kind %d", kind);
    }
}

TEST(a_client_has_976_cells_unless_told_otherwise)
{
    sb_client_config config;
    memset(&config, 0xFF, sizeof config);
    sb_client_defaults(&config);
    CHECK_EQ(config.transport.cells, 904);
    CHECK(!config.transport.cautious); /* names are wanted at once */
    CHECK(config.ships == NULL && config.manifests == NULL && config.on_event == NULL);
    CHECK_EQ(config.load_us, 0);
    CHECK(config.lanes.interval_us == SB_SECOND / 10);
}

TEST(a_fresh_client_knows_nothing)
{
    static const uint8_t word[] = { 'p', 0 };
    sb_client_config     config;
    client_rig_config(&config);
    config.transport.password = (sb_span){ word, sizeof word };
    r = client_rig_open(&config);
    const sb_client *c = r->client;
    EXPECT_PHASE(r, SB_CLIENT_CONNECTING);
    CHECK_EQ(sb_client_id(c), SB_PEER_NONE);
    CHECK_EQ(sb_client_slot(c), -1);
    CHECK(sb_client_game_time(c, r->now) == 0);
    CHECK(sb_client_own_ship(c) == NULL);
    CHECK(c->ready_at == SB_TIME_NEVER && c->update_at == SB_TIME_NEVER);
    CHECK(c->config.transport.name.data == NULL && c->config.transport.name.size == 0);
    CHECK(c->config.transport.password.data == NULL && c->config.transport.password.size == 0);
    CHECK(c->ships == sb_stock_ships());
    CHECK(c->now == r->now);
}

TEST(a_player_without_a_name_gets_one_from_the_id)
{
    static const uint8_t blanks[] = { ' ', 0, ' ', 0 };
    static const sb_span names[] = { { NULL, 0 }, { blanks, sizeof blanks } };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sb_client_config config;
        client_rig_config(&config);
        config.transport.name = names[i];
        r = client_rig_connected(&config);
        CHECK_TEXT(sb_client_find_player(r->client, 2)->name, "Player 1");
    }
}

TEST(phases_have_names)
{
    static const char *const names[] = { "connecting", "checking", "loading", "lobby",
                                         "flying",     "over",     "unknown", "unknown" };
    for (int i = 0; i < 8; i++) CHECK_TEXT(sb_client_phase_text((sb_client_phase)i), names[i]);
}

/* ---- the send queue ---- */

TEST(the_queue_takes_messages_that_fit_and_no_others)
{
    static uint8_t bytes[SB_PAYLOAD_MAX + 1];
    r = client_rig_connected(NULL);
    sb_client *c = r->client;
    CHECK_EQ(sb_client_send(c, r->now, SB_RELIABLE, (sb_span){ bytes, 0 }), SB_NOT_ALLOWED);
    CHECK_EQ(sb_client_send(c, r->now, SB_RELIABLE, (sb_span){ bytes, SB_PAYLOAD_MAX + 1 }),
             SB_BAD_VALUE);
    size_t room = sb_transport_client_free_bytes(c->transport);
    CHECK(room < SB_PAYLOAD_MAX);
    CHECK_EQ(sb_client_send(c, r->now, SB_RELIABLE, (sb_span){ bytes, SB_PAYLOAD_MAX }), SB_FULL);
    CHECK_EQ(sb_client_send(c, r->now, SB_RELIABLE, (sb_span){ bytes, room + 1 }), SB_FULL);
    CHECK_EQ(sb_client_send(c, r->now, SB_RELIABLE, (sb_span){ bytes, room }), SB_OK);
    EXPECT_PHASE(r, SB_CLIENT_CHECKING);
}

TEST(a_clock_never_goes_back)
{
    uint8_t out[SB_DATAGRAM_MAX];
    r = client_rig_in_lobby(NULL);
    sb_client *c = r->client;
    sb_time    now = r->now;
    (void)sb_client_write(c, now + 1, out);
    CHECK(c->now == now + 1);
    (void)!sb_client_receive(c, now + 2, (sb_endpoint){ 0 }, (sb_span){ out, 0 });
    CHECK(c->now == now + 2);
    sb_client_advance(c, now + 3);
    CHECK(c->now == now + 3);
    (void)sb_client_write(c, now, out);
    (void)!sb_client_receive(c, now, (sb_endpoint){ 0 }, (sb_span){ out, 0 });
    sb_client_advance(c, now);
    CHECK(c->now == now + 3);
    r->now = now + 3;
    CHECK_EQ(sb_client_send(c, now + 3, SB_RELIABLE, (sb_span){ NULL, 0 }), SB_NOT_ALLOWED);
}

/* ---- events ---- */

static unsigned messages, depth, deepest;
static uint8_t  last_opcode;

static void count_event(void *context, const sb_client_event *event)
{
    const sb_client *c = context;
    if (event->type != SB_CLIENT_MESSAGE) return;
    depth = c->reporting;
    if (depth > deepest) deepest = depth;
    last_opcode = event->bytes.data[0];
    messages++;
}

TEST(every_message_is_reported_before_it_is_handled)
{
    r = client_rig_in_lobby(NULL);
    r->client->config.on_event = count_event;
    r->client->config.event_context = r->client;
    messages = deepest = 0;
    SAY(r, "35 08 01 FF FF");
    CHECK_EQ(messages, 1);
    CHECK_EQ(last_opcode, 0x35);
    CHECK_EQ(deepest, 1);
    CHECK_EQ(r->client->reporting, 0);
    SAY(r, "CD 01");
    CHECK_EQ(messages, 2);
    CHECK_EQ(sb_client_received(r->client, 0xCD), 1);
    r->client->config.on_event = NULL; /* nobody listens */
    SAY(r, "CD 01");
    CHECK_EQ(sb_client_received(r->client, 0xCD), 2);
}

TEST(a_client_that_leaves_does_nothing_but_leave)
{
    r = client_rig_flying(NULL, 5);
    sb_client *c = r->client;
    sb_client_leave(c, r->now);
    CHECK(c->leaving);
    c->update_at = c->ready_at = r->now; /* due, but not done any more */
    size_t sent = client_rig_count_sent(r, SB_OP_STATE_UPDATE);
    sb_client_advance(c, r->now);
    CHECK_EQ(client_rig_count_sent(r, SB_OP_STATE_UPDATE), sent);
    CHECK(c->update_at == r->now && c->ready_at == r->now);
    CHECK(sb_client_next_deadline(c) == sb_transport_client_next_deadline(c->transport));
    SAY(r, "2C 03 00 00 00 01 00 78"); /* chat */
    CHECK_EQ(client_rig_count_events(r, SB_CLIENT_CHAT), 0);
    CHECK_EQ(sb_client_received(c, SB_OP_CHAT), 0);
}

TEST(a_client_is_over_when_its_session_is_over_too)
{
    r = client_rig_in_lobby(NULL);
    CHECK(!sb_client_is_over(r->client));
    r->client->phase = SB_CLIENT_OVER; /* the session still has something to say */
    CHECK(!sb_client_is_over(r->client));
}

TEST(a_received_message_is_handled_at_once)
{
    static const uint8_t message[] = { 0xCD, 1 };
    uint8_t              out[SB_DATAGRAM_MAX];
    sb_endpoint          to;
    size_t               size;
    r = client_rig_in_lobby(NULL);
    CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE, (sb_span){ message, 2 }), SB_OK);
    while ((size = sb_transport_host_write(r->host, r->now, &to, out)) > 0)
        CHECK_EQ(sb_client_receive(r->client, r->now, (sb_endpoint){ 0xC0A80001, 22101 },
                                   (sb_span){ out, size }),
                 SB_OK);
    CHECK_EQ(sb_client_received(r->client, 0xCD), 1);
}

TEST(a_player_whose_connection_ends_is_reported)
{
    r = client_rig_in_lobby(NULL);
    client_rig_add_guest(r);
    CHECK(sb_client_find_player(r->client, 3) != NULL);
    sb_transport_host_boot(r->host, r->now, 3, SB_BOOT_KICKED);
    client_rig_wait(r, 3 * SB_SECOND);
    CHECK(sb_client_find_player(r->client, 3) == NULL);
    CHECK_EQ(client_rig_count_events(r, SB_CLIENT_PLAYER_LEFT), 1);
}

TEST(the_next_deadline_is_the_first_of_all)
{
    r = client_rig_in_lobby(NULL);
    sb_client *c = r->client;
    sb_time    transport = sb_transport_client_next_deadline(c->transport);
    CHECK(sb_client_next_deadline(c) == transport);
    CHECK(transport > r->now + 100);
    c->ready_at = r->now + 50;
    CHECK(sb_client_next_deadline(c) == r->now + 50);
    c->update_at = r->now + 40;
    CHECK(sb_client_next_deadline(c) == r->now + 40);
    c->rows[3].used = c->rows[3].exploding = true;
    c->rows[3].gone_at = r->now + 30;
    CHECK(sb_client_next_deadline(c) == r->now + 30);
    c->rows[3].gone_at = r->now - 30; /* overdue: now */
    CHECK(sb_client_next_deadline(c) == r->now);
}

/* ---- the pull of tractor beams ---- */

enum { HOLDER = 0x4003FFFF, GALAXY = 3 };

/* A Galaxy 5 units behind us holds our ship with its tractor beams. */
static sb_seen_ship *add_holder(unsigned row)
{
    r = client_rig_flying(NULL, GALAXY);
    const sb_seen_ship *own = sb_client_own_ship(r->client);
    sb_seen_ship       *s = &r->client->rows[row];
    s->used = true;
    s->peer_id = 3;
    sb_ship_init(&s->ship, own->ship.model, GALAXY, HOLDER);
    s->ship.motion.position = own->ship.motion.position;
    s->ship.motion.position.y -= 5;
    sb_receiver_init(&s->receiver, SB_RECEIVE_OTHER, &s->ship, r->now);
    strcpy(s->set_name, own->set_name);
    for (unsigned i = 0; i < own->ship.model->subsystem_count; i++) {
        if (own->ship.model->subsystems[i].type != SB_SUBSYSTEM_TRACTOR_SYSTEM) continue;
        s->firing[i] = true;
        s->firing_at[i] = own->ship.object_id;
    }
    return s;
}

TEST(only_ships_that_hold_us_here_pull_us)
{
    enum { HELD, UNUSED, ANOTHER_SET, WARPING, LET_GO, ANOTHER_TARGET, OURSELVES, KINDS };
    for (int kind = 0; kind < KINDS; kind++)
        for (unsigned row = 1; row < SB_CLIENT_SHIPS; row += SB_CLIENT_SHIPS - 2) {
            sb_seen_ship *s = add_holder(row);
            if (kind == UNUSED) s->used = false;
            if (kind == ANOTHER_SET) strcpy(s->set_name, "Multi9");
            if (kind == WARPING) s->warp_until = r->now + 1;
            if (kind == LET_GO) memset(s->firing, 0, sizeof s->firing);
            if (kind == ANOTHER_TARGET)
                for (int i = 0; i < SB_SUBSYSTEMS_MAX; i++) s->firing_at[i] = 5;
            if (kind == OURSELVES) s->own = true;
            sb_pull pull = sb_client_pull(r->client, r->now);
            if ((pull.force > 0) != (kind == HELD)) FAIL("kind %d, row %u", kind, row);
        }
}

TEST(a_holder_in_the_first_row_pulls_with_its_first_entry)
{
    static sb_subsystem_class entries[SB_SUBSYSTEMS_MAX];
    sb_seen_ship             *s = add_holder(1);
    sb_client                *c = r->client;
    sb_ship_class             model = *s->ship.model;
    memcpy(entries, model.subsystems, model.subsystem_count * sizeof *entries);
    for (unsigned i = 0; i < model.subsystem_count; i++)
        if (s->firing[i]) entries[0] = entries[i];
    model.subsystems = entries;
    s->ship.model = &model;
    memset(s->firing, 0, sizeof s->firing);
    s->firing[0] = true;
    s->firing_at[0] = sb_client_own_ship(c)->ship.object_id;
    CHECK(sb_client_pull(c, r->now).force > 0);
    sb_seen_ship first = c->rows[0]; /* the two change places */
    c->rows[0] = c->rows[1];
    c->rows[1] = first;
    c->own_index = 1;
    CHECK(sb_client_pull(c, r->now).force > 0);
}

TEST(two_holders_pull_twice_and_nobody_pulls_without_a_ship)
{
    add_holder(1);
    sb_pull one = sb_client_pull(r->client, r->now);
    r->client->rows[5] = r->client->rows[1];
    CHECK(sb_client_pull(r->client, r->now).force == 2 * one.force);
    sb_client_own_ship(r->client);
    r->client->rows[r->client->own_index].ship.model = NULL;
    CHECK(sb_client_pull(r->client, r->now).force == 0);
    r->client->own_index = -1;
    CHECK(sb_client_pull(r->client, r->now).force == 0);
}
