/* tests/discovery/rig.c -- see rig.h. */
#include "rig.h"

#include "discovery/testing.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define START (1000 * SB_SECOND)

const sb_endpoint stranger = { 0xCB007105, 40000 }; /* 203.0.113.5 */
const sb_endpoint neighbour = { 0xC0A80107, 40000 };
const sb_endpoint master = { 0x51CD5D5E, SB_MASTER_PORT };

sb_span text(const char *s)
{
    return (sb_span){ (const uint8_t *)s, strlen(s) };
}

void check_span(sb_span actual, const char *expected)
{
    CHECK_BYTES(actual.data, actual.size, expected, strlen(expected));
}

/* The server of spec 05 §3.4. */
static sb_server_status stock_status(void)
{
    return (sb_server_status){
        .host_name = text("My Game23"),
        .mission_script = text("Multiplayer.Episode.Mission1.Mission1"),
        .mode_name = text("DM"),
        .system = text("Multi1"),
        .player_limit = 8,
        .time_limit = -1,
        .frag_limit = -2,
        .location = 1,
        .open = true,
        .name_count = 1,
        .names = { text("Dedicated Server") },
    };
}

void open_rig(rig *r)
{
    r->responder =
        malloc(sb_responder_bytes(&r->config)); /* exact, so that sanitizers see the edge */
    CHECK(r->responder);
    r->now = START;
    r->status = stock_status();
    CHECK(sb_responder_init(r->responder, &r->config, r->now) == r->responder);
}

rig new_rig(void)
{
    rig r = { 0 };
    sb_responder_defaults(&r.config);
    r.config.seed = 7;
    r.config.own = (sb_endpoint){ 0xCB007101, 22101 };
    open_rig(&r);
    return r;
}

rig unlimited_rig(void)
{
    rig r = { 0 };
    sb_responder_defaults(&r.config);
    r.config.source_burst = r.config.network_burst = r.config.total_per_s = 100000;
    open_rig(&r);
    return r;
}

void close_rig(rig *r)
{
    free(r->responder);
}

sb_result ask(rig *r, sb_endpoint from, const char *query)
{
    sb_result result = sb_responder_receive(r->responder, r->now, from, text(query));
    sb_responder_check(r->responder);
    return result;
}

bool next_packet(rig *r)
{
    memset(r->packet, 0xEE, sizeof r->packet);
    r->size = sb_responder_write(r->responder, r->now, &r->status, &r->to, r->packet);
    CHECK(r->size <= SB_ANSWER_MAX);
    sb_responder_check(r->responder);
    return r->size > 0;
}

unsigned drain(rig *r)
{
    unsigned count = 0;
    while (next_packet(r)) count++;
    return count;
}

void check_next_packet(rig *r, sb_endpoint to, const char *expected)
{
    CHECK(next_packet(r));
    CHECK_BYTES(r->packet, r->size, expected, strlen(expected));
    CHECK_EQ(r->to.address, to.address);
    CHECK_EQ(r->to.port, to.port);
}

uint64_t counted(const rig *r, sb_responder_counter counter)
{
    return sb_responder_counter_value(r->responder, counter);
}

unsigned ask_many(rig *r, sb_endpoint from, const char *query, unsigned times)
{
    unsigned answered = 0;
    for (unsigned i = 0; i < times; i++) {
        if (ask(r, from, query) == SB_OK) answered++;
        drain(r);
    }
    return answered;
}

void make_longest(rig *r, uint8_t *letters)
{
    memset(letters, 'x', 300);
    sb_span longest = { letters, 300 };
    r->status = (sb_server_status){ longest,    longest,   longest,        longest,   UINT32_MAX,
                                    UINT32_MAX, INT32_MIN, INT32_MIN,      INT32_MIN, true,
                                    true,       32,        { { NULL, 0 } } };
    for (size_t i = 0; i < SB_STATUS_PLAYERS_MAX; i++) r->status.names[i] = longest;
}

void check_answer(sb_endpoint from, const char *query, const char *expected)
{
    rig r = new_rig();
    CHECK_EQ(ask(&r, from, query), SB_OK);
    CHECK(sb_responder_is_waiting(r.responder));
    check_next_packet(&r, from, expected);
    CHECK(!next_packet(&r));
    CHECK(!sb_responder_is_waiting(r.responder));
    close_rig(&r);
}

void check_refused_bytes(sb_endpoint from, sb_span query, sb_result result,
                         sb_responder_counter counter)
{
    rig      r = new_rig();
    uint8_t *exact = malloc(query.size ? query.size : 1);
    CHECK(exact);
    if (query.size > 0) memcpy(exact, query.data, query.size);
    CHECK_EQ(sb_responder_receive(r.responder, r.now, from, (sb_span){ exact, query.size }),
             result);
    CHECK_EQ(counted(&r, counter), 1);
    CHECK_EQ(counted(&r, SB_QUERY_QUERIES), 1);
    CHECK(!sb_responder_is_waiting(r.responder));
    CHECK(!next_packet(&r));
    free(exact);
    close_rig(&r);
}

void check_refused(sb_endpoint from, const char *query, sb_result result,
                   sb_responder_counter counter)
{
    check_refused_bytes(from, text(query), result, counter);
}
