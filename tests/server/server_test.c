/* tests/server/server_test.c -- a room as its caller sees it: configuration, memory, deadlines and
 * the end. */
#include "rig.h"

#include <starbase/message.h>

#include "combat/combat_internal.h"
#include "server/server_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- configuration ---- */

TEST(the_defaults_of_a_room_are_those_of_its_header)
{
    sb_server_config c;
    memset(&c, 0xEE, sizeof c);
    sb_server_defaults(&c);
    CHECK_EQ(c.seed, 0);
    CHECK_BYTES(c.name.data, c.name.size, "Starbase", 8);
    CHECK_EQ(c.max_players, 8);
    CHECK_EQ(c.system, 1);
    CHECK_EQ(c.system_name.size, 0);
    CHECK(c.collision_damage && c.friendly_fire);
    CHECK_EQ(c.restart_us, 30 * SB_SECOND);
    CHECK_EQ(c.password.size, 0);
    CHECK(!c.lane_distance);
    CHECK(!c.ships && !c.systems);
    CHECK_EQ(c.checksums, SB_CHECKSUM_LOG);
    CHECK_EQ(c.manifest_count, 0);
    CHECK(!c.allow_extra);
    CHECK_EQ(c.integrity, SB_INTEGRITY_MODE_REPORT);
    CHECK_EQ(c.mod_ships, SB_MOD_SHIPS_AUTO);
    CHECK_EQ(c.file_count, 0);
    CHECK_EQ(c.file_bytes_per_s, 262144);
    CHECK(c.list_host_as_player && c.spawn_notice && c.leave_destroy && c.leave_text);
    CHECK(c.score_self_on_join);
    CHECK(!c.leave_event && !c.list_older_players && !c.throttle_bit && !c.throttle_health);
    CHECK(!c.client_sets && !c.trust_clients && !c.player_restart && !c.trace_damage);
    CHECK_EQ(c.list_object, 0x064F);
    CHECK_EQ(c.checksum_limit_us, 30 * SB_SECOND);
    CHECK_EQ(c.loading_limit_us, 120 * SB_SECOND);
    for (size_t i = 0; i < 256; i++) CHECK_EQ(c.mod_policy[i], SB_MOD_DEFAULT);
    CHECK_EQ(c.mod_bytes_max, 1024);
    CHECK_EQ(c.mod_per_s, 20);
    CHECK(!c.on_event);
}

TEST(the_defaults_of_the_parts_of_a_room_are_their_own)
{
    sb_server_config c;
    sb_server_defaults(&c);
    CHECK(c.match.mode == sb_find_mode("ffa"));
    CHECK_EQ(c.transport.timeout_us, 45 * SB_SECOND);
    CHECK_EQ(c.transport.peers_per_ip, 4);
    CHECK_EQ(c.transport.shared_cells, 384);
    CHECK_EQ(c.transport.assembly_cells, 384);
    CHECK_EQ(c.responder.source_per_s, 5);
    CHECK_EQ(c.responder.heartbeat_us, 60 * SB_SECOND);
    CHECK_EQ(c.combat.fidelity, SB_FIDELITY_WEAPONS);
    CHECK_EQ(c.lanes.full_us, SB_SECOND);
}

TEST(parts_that_are_not_possible_make_no_room)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.transport.timeout_us = 0;
    CHECK_EQ(sb_server_bytes(&c), 0);
    CHECK(!sb_server_init(&c, &c, 0)); /* the memory is not used */
    sb_server_defaults(&c);
    c.lanes.full_us = 0;
    CHECK_EQ(sb_server_bytes(&c), 0);
    sb_server_defaults(&c);
    c.combat.constants.score_divisor = -1.0f;
    CHECK_EQ(sb_server_bytes(&c), 0);
}

TEST(the_transport_of_a_room_gets_seed_places_and_password)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.seed = 77;
    c.max_players = 5;
    c.password = (sb_span){ (const uint8_t *)"a\0b\0", 4 };
    sb_transport_host_config t = sb_server_transport_config(&c);
    CHECK_EQ(t.seed, 77);
    CHECK_EQ(t.max_peers, 5);
    CHECK_BYTES(t.password.data, t.password.size, "a\0b\0", 4);
}

TEST(combat_and_match_get_what_the_room_decides)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = 3;
    c.collision_damage = false;
    c.combat.constants.score_divisor = 7.0f;
    room *r = room_open(&c);
    CHECK(!r->server->combat->config.collision_damage);
    CHECK_EQ(r->server->combat->config.max_ships, 6); /* a ship and a wreck for each */
    CHECK(r->server->combat->has_effect == sb_server_has_hit_effect);
    CHECK(r->server->combat->filter_context == r->server);
    CHECK(!r->server->combat->trace_gains);
    CHECK(sb_server_match_config(&c).score_divisor == 7.0f);
    CHECK(r->server->match.config.score_divisor == 7.0f);
}

/* The parts lie one behind the other, at multiples of 64 bytes. */
static void expect_part(const void *from, const void *to, size_t bytes)
{
    size_t between = (size_t)((const uint8_t *)to - (const uint8_t *)from);
    CHECK(between >= bytes && between < bytes + 64);
    CHECK_EQ(between % 64, 0);
}

TEST(a_room_uses_all_of_its_memory)
{
    for (uint32_t players = 1; players <= SB_SERVER_PLAYERS_MAX; players += 5) {
        sb_server_config c;
        sb_server_defaults(&c);
        c.max_players = players;
        uint8_t                 *memory = malloc(sb_server_bytes(&c));
        sb_server               *s = sb_server_init(memory, &c, 5);
        sb_transport_host_config t = sb_server_transport_config(&c);
        CHECK(s && (uint8_t *)s == memory);
        expect_part(s, s->in, sizeof *s);
        CHECK(s->out == s->in + 1 && s->combat_out == s->in + 2);
        expect_part(s->in, s->transport, 3 * sizeof *s->in);
        expect_part(s->transport, s->responder, sb_transport_host_bytes(&t));
        expect_part(s->responder, s->replica, sb_responder_bytes(&c.responder));
        sb_combat_config combat = c.combat;
        combat.max_ships = 2 * players; /* a ship and a wreck for each */
        expect_part(s->combat, s->backlog.bytes, sb_combat_bytes(&combat));
        CHECK_EQ(s->backlog.capacity, 4096 * players);
        CHECK(s->backlog.bytes + s->backlog.capacity == memory + sb_server_bytes(&c));
        CHECK_EQ(s->restarted_at, 5 - 10 * SB_SECOND); /* so players may restart at once */
        free(memory);
    }
}

/* ---- deadlines ---- */

TEST(a_room_wakes_for_whatever_comes_first)
{
    room      *r = room_open(NULL);
    sb_server *s = r->server;
    CHECK_EQ(sb_server_next_deadline(s), SB_TIME_NEVER); /* an empty room has nothing to do */
    sb_time *const fields[] = { &s->restart_at, &s->warp_next, &s->match.ends_at,
                                &s->players[s->capacity - 1].phase_ends };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        sb_time before = *fields[i];
        CHECK_EQ(before, SB_TIME_NEVER);
        *fields[i] = r->now + 5;
        CHECK_EQ(sb_server_next_deadline(s), r->now + 5);
        *fields[i] = before;
    }
    s->match.ends_at = r->now + 5;
    s->match.over = true; /* the limit of a match that is over does not count */
    CHECK_EQ(sb_server_next_deadline(s), SB_TIME_NEVER);
}

TEST(a_room_wakes_for_the_steps_and_ticks_of_a_ship)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.combat.constants.health_interval = 0.05f; /* ticks between the steps */
    room *r = room_open(&c);
    seat *a = room_join(r, "Alpha");
    seat_spawn(r, a, 5, (sb_vec3){ 0, 0, 0 });
    unsigned steps = 0, ticks = 0;
    for (unsigned i = 0; i < 30; i++) {
        sb_time at = sb_server_next_deadline(r->server);
        sb_time step = sb_combat_next_deadline(r->server->combat);
        sb_time tick = sb_replica_next_deadline(r->server->replica);
        CHECK(at <= step && at <= tick);
        steps += at == step && at < tick;
        ticks += at == tick && at < step;
        r->now = at;
        room_step(r);
    }
    CHECK(steps > 0 && ticks > 0);
}

TEST(limits_of_a_match_are_reached_to_the_microsecond)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.match.time_limit_min = 1;
    room *r = room_open(&c);
    (void)room_join(r, "Alpha");
    sb_time start = r->now;
    room_wait(r, 95 * SB_SECOND);
    CHECK_EQ(room_expect(r, SB_SERVER_MATCH_OVER)->event.now, start + 60 * SB_SECOND);
    CHECK_EQ(room_expect(r, SB_SERVER_MATCH_STARTED)->event.now, start + 90 * SB_SECOND);
}

TEST(a_match_can_be_restarted_in_the_moment_the_room_opens)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.player_restart = true;
    room *r = room_open(&c);
    seat *a = room_join(r, "Alpha"); /* takes no time */
    seat_say_hex(r, a, "39");
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_RESTART_RATE), 0);
    CHECK_EQ(room_count_events(r, SB_SERVER_MATCH_STARTED), 1);
    seat_say_hex(r, a, "39");
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_RESTART_RATE), 1);
}

/* ---- time ---- */

TEST(each_call_brings_the_room_to_its_time)
{
    room *r = room_open(NULL);
    room_wait(r, SB_SECOND);
    CHECK_EQ(r->server->now, r->now);
    (void)!sb_server_receive(r->server, r->now + 1, room_stranger(1), (sb_span){ NULL, 0 });
    CHECK_EQ(r->server->now, r->now + 1);
    uint8_t     out[SB_SERVER_DATAGRAM_MAX];
    sb_endpoint to;
    CHECK_EQ(sb_server_write(r->server, r->now + 2, &to, out), 0);
    CHECK_EQ(r->server->now, r->now + 2);
    sb_server_advance(r->server, r->now + 3);
    CHECK_EQ(r->server->now, r->now + 3);
    sb_server_advance(r->server, r->now); /* a clock that goes back stands still */
    CHECK_EQ(r->server->now, r->now + 3);
    CHECK(!sb_server_kick(r->server, r->now + 4, 99, (sb_span){ NULL, 0 }));
    CHECK_EQ(r->server->now, r->now + 4);
    sb_server_stop(r->server, r->now + 5);
    CHECK_EQ(r->server->now, r->now + 5);
}

/* ---- names and messages ---- */

TEST(a_new_name_is_reported_and_stands_in_the_match)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha");
    CHECK_TEXT(room_expect(r, SB_SERVER_NAMED)->name, "Alpha");
    room_wait(r, 6 * SB_SECOND); /* one rename per 5 s (spec 01 §10.3) */
    r->event_next = r->event_count;
    CHECK_EQ(sb_transport_client_rename(a->client, (sb_span){ (const uint8_t *)"O\0m\0", 4 }),
             SB_OK);
    room_wait(r, SB_SECOND);
    const room_event *named = room_expect(r, SB_SERVER_NAMED);
    CHECK_TEXT(named->name, "Om");
    CHECK_EQ(named->event.peer_id, a->id);
    const sb_match_row *row = sb_match_find(sb_server_match(r->server), a->id);
    CHECK_BYTES(row->name, row->name_size, "O\0m\0", 4);
}

TEST(an_empty_message_is_ignored)
{
    room    *r = room_open(NULL);
    seat    *a = room_join(r, "Alpha");
    uint64_t before = COUNTED(r, SB_SERVER_COUNT_MESSAGES_IN);
    seat_say(r, a, SB_RELIABLE, (sb_span){ (const uint8_t *)"", 0 });
    seat_say(r, a, SB_RELIABLE, (sb_span){ (const uint8_t *)"\xCD", 1 });
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_MESSAGES_IN), before + 1); /* the one with a byte */
    CHECK(!a->left);
}

static uint64_t refusals(const room *r)
{
    return sb_server_transport_count(r->server, SB_TRANSPORT_COUNT_REFUSED_PASSWORD);
}

TEST(each_refused_connect_is_reported_once)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.password = (sb_span){ (const uint8_t *)"x\0", 2 };
    room *r = room_open(&c);
    for (unsigned i = 0; i < 2; i++) {
        seat *s = room_connect(r, "Alpha"); /* without a password */
        CHECK(seat_is_removed(r, s));
        CHECK_EQ(room_count_events(r, SB_SERVER_CONNECT_REFUSED), refusals(r));
        r->event_next = r->event_count - 1; /* the last one is about this seat */
        const room_event *e = room_expect(r, SB_SERVER_CONNECT_REFUSED);
        CHECK_EQ(e->event.peer_id, 0);
        CHECK_EQ(e->event.address.address, s->address.address);
        CHECK_EQ(e->event.value, s->boot_reason);
        CHECK_EQ(e->event.other, SB_TRANSPORT_COUNT_REFUSED_PASSWORD);
        CHECK_TEXT(e->text, "wrong password");
    }
    (void)!room_give(r, room_stranger(1), (sb_span){ (const uint8_t *)"no", 2 });
    (void)!room_give(r, room_stranger(1), (sb_span){ NULL, 0 });
    CHECK_EQ(room_count_events(r, SB_SERVER_CONNECT_REFUSED), refusals(r));
}

/* ---- what one call does ---- */

static void give_query(room *r)
{
    static const char query[] = "\\status\\";
    CHECK_EQ(sb_server_receive(r->server, r->now, room_stranger(1),
                               (sb_span){ (const uint8_t *)query, sizeof query - 1 }),
             SB_OK);
}

TEST(departures_are_reported_before_anything_else_happens)
{
    for (unsigned by_query = 0; by_query < 2; by_query++) {
        room *r = room_open(NULL);
        (void)room_join(r, "Alpha");
        r->server->match.ends_at = r->now; /* the last player leaves before the match ends */
        sb_server_stop(r->server, r->now);
        CHECK_EQ(room_count_events(r, SB_SERVER_LEFT), 0);
        if (by_query) give_query(r);
        else sb_server_advance(r->server, r->now);
        CHECK_EQ(room_count_events(r, SB_SERVER_LEFT), 1);
        CHECK_EQ(room_count_events(r, SB_SERVER_MATCH_OVER), 0);
    }
}

TEST(a_message_can_end_the_match_at_once)
{
    room   *r = room_open(NULL);
    seat   *a = room_join(r, "Alpha");
    uint8_t out[SB_DATAGRAM_MAX];
    size_t  size;
    r->server->match.ends_at = r->now;
    CHECK_EQ(
        sb_transport_client_send(a->client, SB_RELIABLE, (sb_span){ (const uint8_t *)"\xCD", 1 }),
        SB_OK);
    while ((size = sb_transport_client_write(a->client, r->now, out)))
        (void)!sb_server_receive(r->server, r->now, a->address, (sb_span){ out, size });
    CHECK_EQ(room_count_events(r, SB_SERVER_MATCH_OVER), 1);
}

TEST(an_advance_ends_warps_and_passes_waiting_messages_on)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    seat_spawn(r, a, 5, (sb_vec3){ 0, 0, 0 });
    sb_object *ship = r->server->players[0].ship;
    ship->warp = SB_WARP_ARRIVING;
    ship->warp_next = r->server->warp_next = r->now;
    ship->warp_set_size = 6;
    memcpy(ship->warp_set, "Multi1", 6);
    CHECK_EQ(sb_backlog_add(&r->server->backlog, 1u << 1, (sb_span){ (const uint8_t *)"\xCD", 1 }),
             0);
    sb_server_advance(r->server, r->now);
    CHECK_EQ(ship->warp, SB_WARP_NONE);
    CHECK_EQ(r->server->warp_next, SB_TIME_NEVER);
    CHECK_EQ(r->server->backlog.used, 0);
    room_step(r);
    CHECK_EQ(b->by_opcode[0xCD], 1);
}

TEST(a_client_that_answers_nothing_gives_way_to_a_newcomer)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = 2;
    room *r = room_open(&c);
    (void)room_connect(r, "Idle");
    (void)room_connect(r, "Idle");
    room_wait(r, 7 * SB_SECOND);
    seat *s = room_connect(r, "Newcomer");
    room_wait(r, 2 * SB_SECOND);
    CHECK(!s->left && s->by_opcode[SB_OP_CHECKSUM_REQUEST] > 0);
}

/* ---- masters, and the end ---- */

TEST(a_master_hears_of_the_room_every_minute_and_of_its_end)
{
    room *r = room_open(NULL);
    sb_server_set_master(r->server, 0, (sb_endpoint){ 0x51CD5D5E, SB_MASTER_PORT }, r->now);
    room_wait(r, 10 * SB_SECOND); /* the first ones come quickly */
    uint64_t told = r->answers;
    CHECK(told > 0);
    sb_time next = sb_server_next_deadline(r->server);
    CHECK(next > r->now && next <= r->now + 60 * SB_SECOND);
    room_wait(r, next - r->now - 1);
    CHECK_EQ(r->answers, told);
    room_wait(r, 1);
    CHECK_EQ(r->answers, told + 1);
    sb_master_view view;
    CHECK(sb_server_master(r->server, 0, &view));
    sb_server_stop(r->server, r->now);
    room_step(r);
    CHECK(r->answers > told + 1);
}

TEST(the_end_of_a_room_is_reported_once_when_all_are_gone)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha");
    CHECK(!sb_server_is_stopped(r->server));
    CHECK_EQ(room_count_events(r, SB_SERVER_STOPPED), 0);
    a->muted = true; /* does not acknowledge */
    sb_server_stop(r->server, r->now);
    room_step(r);
    CHECK(!sb_server_is_stopped(r->server));
    CHECK_EQ(room_count_events(r, SB_SERVER_STOPPED), 0);
    room_wait(r, SB_SECOND);
    CHECK(sb_server_is_stopped(r->server));
    room_wait(r, SB_SECOND);
    CHECK_EQ(room_count_events(r, SB_SERVER_STOPPED), 1);
}

/* A program that stops writes its last datagrams and does not advance any more. */
TEST(the_last_datagram_reports_the_end_of_a_room)
{
    room *r = room_open(NULL);
    sb_server_stop(r->server, r->now);
    sb_server_advance(r->server, r->now); /* nor does it wait for a datagram if there is none */
    CHECK_EQ(room_count_events(r, SB_SERVER_STOPPED), 1);
    r = room_open(NULL);
    CHECK(!sb_server_is_stopped(r->server));
    sb_server_stop(r->server, r->now);
    CHECK_EQ(room_count_events(r, SB_SERVER_STOPPED), 0);
    uint8_t     out[SB_SERVER_DATAGRAM_MAX];
    sb_endpoint to;
    while (sb_server_write(r->server, r->now, &to, out)) continue;
    CHECK_EQ(room_count_events(r, SB_SERVER_STOPPED), 1);
    CHECK(sb_server_is_stopped(r->server));
}
