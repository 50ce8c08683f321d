/* src/discovery/responder.c -- accepts queries, queues them, answers them, counts refusals.
 *
 * For:      servers.
 * May use:  question (parsing), budgets (rate limits), answer (packets), masters (heartbeats).
 * Spec:     05 §3 to §8.
 */
#include <starbase/discovery.h>

#include "base/assert.h"
#include "base/counters.h"
#include "discovery/answer.h"
#include "discovery/budgets.h"
#include "discovery/masters.h"
#include "discovery/question.h"
#include "discovery/testing.h"

#include <stddef.h>
#include <string.h>

enum {
    WAITING_MAX = 64,
    FIRST_NUMBER = 1,   /* N of the first answer's queryid; it counts answers (spec 12 #15) */
    LOWEST_PORT = 1024, /* answers to lower ports would hit system services */
    GROUP_COUNT = 4,    /* packets of an answer to `\packets\` */
};

typedef struct waiting_query {
    sb_endpoint from;
    bool        is_master;
    uint32_t    packets_paid; /* packets charged to the budgets so far */
    sb_question question;
} waiting_query;

struct sb_responder {
    sb_responder_config config;
    uint64_t            counters[SB_RESPONDER_COUNTER_COUNT];
    sb_masters          masters;
    uint32_t waiting_first, waiting_count; /* of the ring buffer `waiting`: the oldest one, all */
    /* The answer that is being sent. answer_next is its next packet; answer.count: all are sent. */
    uint32_t    next_number, answer_next;
    sb_endpoint answer_to;
    sb_answer   answer; /* from here on memory is not touched before it is used, but answer.count */
    waiting_query waiting[WAITING_MAX];
    /* One; none if the budgets are shared (config.charge). */
    sb_query_budgets own_budgets[];
};

static const sb_counter_text counters[] = { SB_RESPONDER_COUNTERS(SB_COUNTER_ROW) };

const char *sb_responder_counter_name(sb_responder_counter counter)
{
    return counter < SB_RESPONDER_COUNTER_COUNT ? counters[counter].name : "unknown";
}

const char *sb_responder_counter_text(sb_responder_counter counter)
{
    return counter < SB_RESPONDER_COUNTER_COUNT ? counters[counter].text : "unknown counter";
}

uint64_t sb_responder_counter_value(const sb_responder *r, sb_responder_counter counter)
{
    return counter < SB_RESPONDER_COUNTER_COUNT ? r->counters[counter] : 0;
}

void sb_responder_defaults(sb_responder_config *config)
{
    *config = (sb_responder_config){
        .echo = SB_QUERY_LAN,
        .packets = SB_QUERY_LAN,
        .heartbeat_port = -1,
        .heartbeat_us = 60 * SB_SECOND,
        .source_per_s = 5,
        .source_burst = 15,
        .network_per_s = 20,
        .network_burst = 60,
        .total_per_s = 200,
        .master_per_s = 50,
        .master_burst = 50,
    };
}

static bool has_own_budgets(const sb_responder_config *config)
{
    return config->charge == NULL;
}

size_t sb_responder_bytes(const sb_responder_config *config)
{
    return sizeof(sb_responder) + (has_own_budgets(config) ? sizeof(sb_query_budgets) : 0);
}

/* Clamps extreme times so that sums of times cannot overflow. */
static sb_time clamp_time(sb_time now)
{
    const sb_time limit = INT64_MAX / 4;
    return now < -limit ? -limit : now < limit ? now : limit;
}

sb_responder *sb_responder_init(void *memory, const sb_responder_config *config, sb_time now)
{
    SB_ASSERT(config->heartbeat_port >= -1 && config->heartbeat_port <= UINT16_MAX);
    sb_responder *r = memory;
    memset(r, 0, offsetof(sb_responder, answer));
    r->answer.count = 0;
    r->config = *config;
    r->next_number = FIRST_NUMBER;
    if (has_own_budgets(config)) sb_query_budgets_init(r->own_budgets, config, clamp_time(now));
    sb_masters_init(&r->masters, config->heartbeat_us);
    return r;
}

/* A responder holds no pointers into itself. */
void sb_responder_succeed(sb_responder *r, const sb_responder *old)
{
    SB_ASSERT(has_own_budgets(&r->config) == has_own_budgets(&old->config));
    memcpy(r, old, sb_responder_bytes(&old->config));
}

void sb_responder_set_rates(sb_responder *r, const sb_responder_config *config)
{
    if (has_own_budgets(&r->config)) sb_query_budgets_set_rates(r->own_budgets, config);
}

/* ---- masters ---- */

void sb_responder_set_master(sb_responder *r, unsigned index, sb_endpoint master, sb_time now)
{
    sb_masters_set(&r->masters, index, master, clamp_time(now));
}

void sb_responder_state_changed(sb_responder *r, sb_time now)
{
    sb_masters_state_changed(&r->masters, clamp_time(now));
}

void sb_responder_stop(sb_responder *r, sb_time now)
{
    sb_masters_stop(&r->masters, clamp_time(now));
}

sb_time sb_responder_next_deadline(const sb_responder *r)
{
    return sb_masters_next_deadline(&r->masters);
}

bool sb_responder_master(const sb_responder *r, unsigned index, sb_master_view *out)
{
    if (index >= SB_MASTERS_MAX || r->masters.all[index].address.port == 0) return false;
    const sb_master *m = &r->masters.all[index];
    *out = (sb_master_view){
        .address = m->address,
        .sent_at = m->heartbeat_sent ? m->last_sent_at : SB_TIME_NEVER,
        .heard_at = m->heard_at,
    };
    return true;
}

/* ---- queries ---- */

static sb_result refuse(sb_responder *r, sb_responder_counter why, sb_result result)
{
    r->counters[why]++;
    return result;
}

/* Private, loopback and link-local addresses (spec 12 #16). */
static bool is_lan(uint32_t address)
{
    static const struct {
        uint32_t network, bits;
    } lans[] = {
        { 0x0A000000, 8 },  /* 10.0.0.0 */
        { 0xAC100000, 12 }, /* 172.16.0.0 */
        { 0xC0A80000, 16 }, /* 192.168.0.0 */
        { 0x7F000000, 8 },  /* 127.0.0.0 */
        { 0xA9FE0000, 16 }, /* 169.254.0.0 */
    };
    for (size_t i = 0; i < sizeof lans / sizeof *lans; i++)
        if ((address ^ lans[i].network) >> (32 - lans[i].bits) == 0) return true;
    return false;
}

static bool is_allowed(sb_query_policy policy, uint32_t address)
{
    return policy == SB_QUERY_ALWAYS || (policy == SB_QUERY_LAN && is_lan(address));
}

/* True: our own address, because we would answer ourselves, or a port below 1024, because the
 * answer to a forged source would hit a system service there. Masters may use low ports. */
static bool is_bad_source(const sb_responder *r, sb_endpoint from)
{
    sb_endpoint own = r->config.own;
    if (from.port == 0) return true;
    bool here = from.address == own.address || (own.address == 0 && from.address >> 24 == 127);
    if (here && from.port == own.port) return true; /* an unknown port of ours is 0 */
    return from.port < LOWEST_PORT && sb_masters_find(&r->masters, from.address) < 0;
}

/* Refuses everything that is not a query; each refusal is counted by reason. */
static sb_result read_query(sb_responder *r, sb_endpoint from, sb_span query, sb_question *out)
{
    sb_gamespy_text text;
    if (query.size > SB_QUERY_MAX) return refuse(r, SB_QUERY_TOO_LONG, SB_FULL);
    if (is_bad_source(r, from)) return refuse(r, SB_QUERY_BAD_SOURCE, SB_NOT_ALLOWED);
    sb_result result = sb_decode_gamespy(query, &text);
    if (result != SB_OK) return refuse(r, SB_QUERY_MALFORMED, result);
    /* A backslash after the last value starts another key, which is empty (spec 05 §2). */
    if (text.end == SB_GAMESPY_END_BACKSLASH) return refuse(r, SB_QUERY_MALFORMED, SB_BAD_VALUE);
    if (sb_question_is_answer(&text)) return refuse(r, SB_QUERY_IS_ANSWER, SB_NOT_ALLOWED);
    sb_question_parse(out, &text);
    if (out->asks == 0) return refuse(r, SB_QUERY_UNKNOWN_QUERY, SB_UNKNOWN_OPCODE);
    return SB_OK;
}

/* Removes the parts that this source may not ask for; the rest is answered (spec 05 §8). */
static void apply_policy(sb_responder *r, uint32_t address, sb_question *q)
{
    uint8_t refused = 0;
    if (!is_allowed(r->config.echo, address) || q->echo_size > SB_ECHO_MAX) refused |= SB_ASKS_ECHO;
    if (!is_allowed(r->config.packets, address)) refused |= SB_ASKS_PACKETS;
    if (q->asks & refused) r->counters[SB_QUERY_NOT_ALLOWED]++;
    q->asks = (uint8_t)(q->asks & ~refused);
    if (q->asks == SB_ASKS_SECURE) q->asks |= SB_ASKS_BASIC; /* spec 05 §6 */
    else if (q->asks & SB_ASKS_BASIC && r->config.basic_includes_info) q->asks |= SB_ASKS_INFO;
}

static waiting_query *query_at(sb_responder *r, uint32_t index)
{
    return &r->waiting[(r->waiting_first + index) % WAITING_MAX];
}

/* The slot for a new query: at the end of the queue. If the queue is full, a master's query
 * replaces the last query that is not a master's, so that a flood cannot delist us. NULL: none. */
static waiting_query *find_queue_slot(sb_responder *r, bool is_master)
{
    if (r->waiting_count < WAITING_MAX) return query_at(r, r->waiting_count);
    for (uint32_t i = WAITING_MAX; is_master && i-- > 0;)
        if (!query_at(r, i)->is_master) return query_at(r, i);
    return NULL;
}

static sb_budget_result charge(sb_responder *r, const sb_query_charge *c)
{
    if (has_own_budgets(&r->config)) return sb_query_budgets_charge(r->own_budgets, c);
    return r->config.charge(r->config.charge_context, c);
}

static sb_result spend_budget(sb_responder *r, const sb_query_charge *c)
{
    switch (charge(r, c)) {
    case SB_BUDGET_OVER_SOURCE: return refuse(r, SB_QUERY_OVER_SOURCE, SB_FULL);
    case SB_BUDGET_OVER_NETWORK: return refuse(r, SB_QUERY_OVER_NETWORK, SB_FULL);
    case SB_BUDGET_OVER_TOTAL: return refuse(r, SB_QUERY_OVER_TOTAL, SB_FULL);
    case SB_BUDGET_GRANTED: break;
    }
    return SB_OK;
}

/* Budgets count packets, because packets are what a victim would receive. A query is charged when
 * it arrives for the packets that it certainly costs: one, or the four of `\packets\`. Names of
 * players may add packets; those are charged when the answer is built. */
static sb_result queue_query(sb_responder *r, sb_time now, sb_endpoint from, const sb_question *q)
{
    bool           is_master = sb_masters_find(&r->masters, from.address) >= 0;
    uint32_t       packets = q->asks & SB_ASKS_PACKETS ? GROUP_COUNT : 1;
    waiting_query *slot = find_queue_slot(r, is_master);
    if (!slot) return refuse(r, SB_QUERY_QUEUE_FULL, SB_FULL);
    sb_query_charge c = {
        .now = now, .address = from.address, .packets = packets, .is_master = is_master
    };
    sb_result result = spend_budget(r, &c);
    if (result != SB_OK) return result;
    if (r->waiting_count < WAITING_MAX) r->waiting_count++;
    else r->counters[SB_QUERY_QUEUE_FULL]++; /* counts the query that is replaced */
    *slot = (waiting_query){ from, is_master, packets, *q };
    return SB_OK;
}

sb_result sb_responder_receive(sb_responder *r, sb_time now, sb_endpoint from, sb_span query)
{
    sb_question question;
    r->counters[SB_QUERY_QUERIES]++;
    sb_result result = read_query(r, from, query, &question);
    if (result != SB_OK) return result;
    sb_masters_handle_query(&r->masters, from.address, clamp_time(now));
    apply_policy(r, from.address, &question);
    if (question.asks == 0) return SB_NOT_ALLOWED;
    return queue_query(r, clamp_time(now), from, &question);
}

/* ---- sending ---- */

static bool has_packets_left(const sb_responder *r)
{
    return r->answer_next < r->answer.count;
}

bool sb_responder_is_waiting(const sb_responder *r)
{
    return r->waiting_count > 0 || has_packets_left(r);
}

/* Charges the packets of the started answer that were not paid when its query arrived. */
static void charge_owed(sb_responder *r, sb_time now, const waiting_query *query)
{
    SB_ASSERT(r->answer.count >= query->packets_paid);
    sb_query_charge c = {
        .now = now,
        .address = query->from.address,
        .packets = r->answer.count - query->packets_paid,
        .is_master = sb_masters_find(&r->masters, query->from.address) >= 0,
        .owed = true,
    };
    if (c.packets > 0) (void)charge(r, &c); /* an owed charge is never refused */
}

static void start_answer(sb_responder *r, sb_time now, const sb_server_status *status)
{
    const waiting_query *query = query_at(r, 0);
    sb_answer_build(&r->answer, &query->question, status, r->next_number++);
    r->answer_next = 0;
    r->answer_to = query->from;
    charge_owed(r, now, query);
    r->waiting_first = (r->waiting_first + 1) % WAITING_MAX;
    r->waiting_count--;
}

static size_t write_answer_packet(sb_responder *r, sb_endpoint *to, uint8_t *out)
{
    SB_ASSERT(has_packets_left(r));
    size_t size = r->answer.sizes[r->answer_next];
    memcpy(out, r->answer.packets[r->answer_next], size);
    r->answer_next++;
    *to = r->answer_to;
    r->counters[SB_QUERY_ANSWERS]++;
    r->counters[SB_QUERY_ANSWER_BYTES] += size;
    return size;
}

/* 0 means "the source port of this datagram"; used until our port is known (spec 05 §5.1). */
static uint32_t announced_port(const sb_responder *r)
{
    return r->config.heartbeat_port < 0 ? r->config.own.port : (uint32_t)r->config.heartbeat_port;
}

static size_t write_heartbeat(sb_responder *r, sb_time now, sb_endpoint *to, uint8_t *out)
{
    size_t size = sb_masters_write(&r->masters, now, announced_port(r), to, out, SB_ANSWER_MAX);
    if (size > 0) r->counters[SB_QUERY_HEARTBEATS]++;
    return size;
}

/* Packets of a started answer come first, so that it stays together; then heartbeats, which are
 * few; then the next query. */
size_t sb_responder_write(sb_responder *r, sb_time now, const sb_server_status *status,
                          sb_endpoint *to, uint8_t *out)
{
    if (has_packets_left(r)) return write_answer_packet(r, to, out);
    size_t size = write_heartbeat(r, clamp_time(now), to, out);
    if (size > 0) return size;
    if (r->waiting_count == 0 || !status) return 0;
    start_answer(r, clamp_time(now), status);
    return write_answer_packet(r, to, out);
}

/* ---- invariants ---- */

static void check_query(const sb_responder *r, uint32_t index)
{
    const waiting_query *query = &r->waiting[(r->waiting_first + index) % WAITING_MAX];
    const sb_question   *q = &query->question;
    SB_ASSERT(q->asks != 0);
    SB_ASSERT(query->packets_paid == (q->asks & SB_ASKS_PACKETS ? GROUP_COUNT : 1u));
    SB_ASSERT(!(q->asks & SB_ASKS_ECHO) || q->echo_size <= SB_ECHO_MAX);
    SB_ASSERT(q->challenge_size <= SB_GAMESPY_CHALLENGE_MAX);
}

void sb_responder_check(const sb_responder *r)
{
    SB_ASSERT(r->waiting_first < WAITING_MAX);
    SB_ASSERT(r->waiting_count <= WAITING_MAX);
    for (uint32_t i = 0; i < r->waiting_count; i++) check_query(r, i);
    SB_ASSERT(r->answer.count <= SB_ANSWER_PACKETS_MAX);
    SB_ASSERT(r->answer_next <= r->answer.count);
    for (uint32_t i = 0; i < r->answer.count; i++) SB_ASSERT(r->answer.sizes[i] <= SB_ANSWER_MAX);
    if (has_own_budgets(&r->config)) sb_query_budgets_check(r->own_budgets);
    sb_masters_check(&r->masters);
}
