/* sim/plan.c -- derives the plan of one run from a seed.
 *
 * For:      sim/plan.h.
 */
#include "sim/plan.h"

#include "base/assert.h"

#include <stdlib.h>
#include <string.h>

typedef struct feature_row {
    const char *name, *text;
    uint32_t    percent;
} feature_row;

static const feature_row feature_rows[] = {
#define ROW(id, name, chance, text) [id] = { name, text, chance },
    SIM_FEATURES(ROW)
#undef ROW
};

_Static_assert(SIM_FEATURE_COUNT <= 64, "features are bits of one number");
_Static_assert(SIM_FORGERY_COUNT <= 64, "forgeries are bits of one number");

const char *sim_feature_name(sim_feature feature)
{
    SB_ASSERT((unsigned)feature < SIM_FEATURE_COUNT);
    return feature_rows[feature].name;
}

const char *sim_feature_text(sim_feature feature)
{
    SB_ASSERT((unsigned)feature < SIM_FEATURE_COUNT);
    return feature_rows[feature].text;
}

bool sim_plan_has(const sim_plan *plan, sim_feature feature)
{
    return plan->features >> feature & 1;
}

bool sim_plan_answers(const sim_plan *plan)
{
    static const sim_feature faults[] = {
        SIM_HAS_LOSS,   SIM_HAS_BURSTS, SIM_HAS_JITTER,     SIM_HAS_REORDER,
        SIM_HAS_DAMAGE, SIM_HAS_JUMPS,  SIM_HAS_PARTITIONS, SIM_HAS_REBIND,
        SIM_HAS_MOVE,   SIM_HAS_VANISH, SIM_HAS_AGAIN,
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (sim_plan_has(plan, faults[i])) return false;
    return true;
}

bool sim_plan_is_clean_but_attacked(const sim_plan *plan)
{
    static const sim_feature causes[] = {
        SIM_HAS_DUPLICATES, SIM_HAS_HOSTILE, SIM_HAS_REPLAY,   SIM_HAS_RECKLESS, SIM_HAS_MEMORY,
        SIM_HAS_LARGE,      SIM_HAS_FULL,    SIM_HAS_PASSWORD, SIM_HAS_ABUSE,
    };
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (sim_plan_has(plan, causes[i])) return false;
    return sim_plan_answers(plan);
}

bool sim_plan_is_clean(const sim_plan *plan)
{
    return sim_plan_is_clean_but_attacked(plan) && !sim_plan_has(plan, SIM_HAS_ATTACKER);
}

/* ---- Random numbers, a stream for every purpose -------------------------------------------- */

/* `purpose`: a feature, or a number above all features. */
static sb_random stream(uint64_t seed, uint32_t purpose, uint32_t client)
{
    sb_random random;
    sb_random_init(&random, seed * 0x9E3779B97F4A7C15u + purpose * 0x100000001B3u + client);
    (void)sb_random_next(&random);
    sb_random_init(&random, sb_random_next(&random));
    return random;
}

enum {
    ATTACKED_EVERY = 4, /* seeds */
};
enum { FOR_CHANCE_FACTOR = 100, FOR_SHAPE, FOR_START, FOR_FLOW };

static bool percent(sb_random *random, uint32_t chance)
{
    return sb_random_below(random, 100) < chance;
}

static int64_t between(sb_random *random, int64_t min, int64_t max)
{
    SB_ASSERT(min <= max);
    return min + (int64_t)(sb_random_next(random) % (uint64_t)(max - min + 1));
}

/* Prefers small values: the upper bound is divided by 4 up to three times, at random. */
static int64_t spread(sb_random *random, int64_t min, int64_t max)
{
    int64_t bound = max;
    for (uint32_t i = sb_random_below(random, 4); i > 0 && bound / 4 > min; i--) bound /= 4;
    return between(random, min, bound > min ? bound : min);
}

/* ---- Features and conditions --------------------------------------------------------------- */

/* The factor, in percent, by which the chance of each feature is multiplied. Some plans have hardly
 * any feature, so that the strictest checks apply; some have nearly all. */
static uint32_t choose_chance_factor(uint64_t seed)
{
    sb_random random = stream(seed, FOR_CHANCE_FACTOR, 0);
    uint32_t  draw = sb_random_below(&random, 100);
    return draw < 20 ? 20 : draw < 90 ? 100 : 170;
}

static bool is_about_traffic(uint32_t feature)
{
    return feature == SIM_HAS_UP || feature == SIM_HAS_DOWN || feature == SIM_HAS_UNRELIABLE ||
           feature == SIM_HAS_MEDIUM || feature == SIM_HAS_DELAY;
}

static uint64_t choose_features(const sim_request *request)
{
    uint64_t features = 0;
    uint32_t factor = choose_chance_factor(request->seed);
    for (uint32_t i = 0; i < SIM_FEATURE_COUNT; i++) {
        sb_random random = stream(request->seed, i, 0);
        uint32_t  chance = feature_rows[i].percent * (is_about_traffic(i) ? 100 : factor) / 100;
        if (percent(&random, chance)) features |= (uint64_t)1 << i;
    }
    if (request->attacker || request->seed % ATTACKED_EVERY == 0) {
        features |= (uint64_t)1 << SIM_HAS_ATTACKER;
        /* Damage cannot be detected, so it exempts sessions: none of those that are attacked. */
        features &= ~((uint64_t)1 << SIM_HAS_DAMAGE);
    }
    return features & ~request->without;
}

/* Opens the random numbers of a feature for one client. False: the plan does not have the feature.
 */
static bool open_stream(const sim_plan *plan, sim_feature feature, uint32_t client,
                        sb_random *random)
{
    *random = stream(plan->request.seed, feature, client + 1);
    return sim_plan_has(plan, feature);
}

static void choose_conditions(const sim_plan *plan, uint32_t client, sim_conditions *to)
{
    sb_random r;
    if (open_stream(plan, SIM_HAS_LOSS, client, &r)) to->loss = (uint32_t)spread(&r, 1000, 300000);
    if (open_stream(plan, SIM_HAS_BURSTS, client, &r)) {
        to->burst_begin = (uint32_t)spread(&r, 1000, 50000);
        to->burst_end = (uint32_t)between(&r, 30000, 300000);
        to->burst_loss = (uint32_t)between(&r, 500000, 1000000);
    }
    if (open_stream(plan, SIM_HAS_DUPLICATES, client, &r))
        to->duplicate = (uint32_t)spread(&r, 1000, 300000);
    if (open_stream(plan, SIM_HAS_DELAY, client, &r)) to->delay_us = spread(&r, 0, 300000);
    if (open_stream(plan, SIM_HAS_JITTER, client, &r)) to->jitter_us = spread(&r, 1000, 200000);
    if (open_stream(plan, SIM_HAS_REORDER, client, &r)) {
        to->reorder = (uint32_t)spread(&r, 10000, 300000);
        to->reorder_us = between(&r, 1000, 1500000);
    }
    if (open_stream(plan, SIM_HAS_DAMAGE, client, &r)) {
        to->corrupt = (uint32_t)between(&r, 0, 50000);
        to->truncate = (uint32_t)between(&r, 0, 30000);
    }
}

/* Clients share an address in groups of three. Returns the first client of the group. */
static uint32_t first_of_address(uint32_t client)
{
    return client / 3 * 3;
}

/* Both directions have the same conditions in half of the plans. */
static void choose_links(const sim_plan *plan, uint32_t client, sim_client_plan *to)
{
    if (sim_plan_has(plan, SIM_HAS_SHARED_ADDRESS))
        client = first_of_address(client); /* one address has one link */
    sb_random r = stream(plan->request.seed, FOR_SHAPE, client + 100);
    uint32_t  other = percent(&r, 50) ? client + 1000 : client;
    choose_conditions(plan, client, &to->conditions[SIM_UP]);
    choose_conditions(plan, other, &to->conditions[SIM_DOWN]);
}

/* ---- Clients ------------------------------------------------------------------------------- */

static sb_endpoint choose_endpoint(const sim_plan *plan, uint32_t client)
{
    uint32_t first = sim_plan_has(plan, SIM_HAS_SHARED_ADDRESS) ? first_of_address(client) : client;
    return (sb_endpoint){ 0x0A010000u + first + 1, (uint16_t)(22101 + client) };
}

static void choose_flows(const sim_plan *plan, uint32_t client, sim_client_plan *to)
{
    sb_random r = stream(plan->request.seed, FOR_FLOW, client);
    for (int way = 0; way < SIM_DIRECTIONS; way++) {
        sb_time reliable = spread(&r, 25000, 4000000);
        sb_time unreliable = spread(&r, 50000, 2000000);
        bool    has = sim_plan_has(plan, way == SIM_UP ? SIM_HAS_UP : SIM_HAS_DOWN);
        if (has) to->flow[way].reliable_gap_us = reliable;
        if (sim_plan_has(plan, SIM_HAS_UNRELIABLE)) to->flow[way].unreliable_gap_us = unreliable;
    }
}

/* A sequence number just below 0x100, 0x8000 or 0x10000, which a minute of traffic crosses. */
static uint16_t choose_first_number(sb_random *r)
{
    uint32_t wrap = percent(r, 70) ? 0x10000 : percent(r, 70) ? 0x100 : 0x8000;
    return (uint16_t)(wrap - (uint32_t)spread(r, 1, 120));
}

static sb_retransmit choose_retransmit(const sim_plan *plan, uint32_t party)
{
    sb_random r;
    bool      stock = open_stream(plan, SIM_HAS_STOCK_PACE, party, &r) && percent(&r, 60);
    return stock ? SB_RETRANSMIT_STOCK : SB_RETRANSMIT_MEASURED;
}

static void choose_client_options(const sim_plan *plan, uint32_t client, sim_client_plan *to)
{
    sb_random r;
    if (open_stream(plan, SIM_HAS_AGAIN, client, &r) && percent(&r, 60))
        to->again_us = spread(&r, 1000, 15000000);
    if (open_stream(plan, SIM_HAS_TICKS, client, &r) && percent(&r, 60))
        to->tick_us = between(&r, 5000, 95000);
    if (open_stream(plan, SIM_HAS_ACK_DELAY, client, &r) && percent(&r, 60))
        to->ack_delay_us = between(&r, 1000, 50000);
    to->retransmit = choose_retransmit(plan, client);
    to->wrong_password = open_stream(plan, SIM_HAS_PASSWORD, client, &r) && percent(&r, 30);
    to->numbers = open_stream(plan, SIM_HAS_NUMBERS, client, &r) && percent(&r, 70);
    to->first_number[SIM_UP] = choose_first_number(&r);
    to->first_number[SIM_DOWN] = choose_first_number(&r);
}

static void choose_client(const sim_plan *plan, uint32_t client, sim_client_plan *to)
{
    sb_random r = stream(plan->request.seed, FOR_START, client);
    *to = (sim_client_plan){ .endpoint = choose_endpoint(plan, client), .message_limit = 32 };
    to->start_us = percent(&r, 70) ? between(&r, 0, 2000000) : between(&r, 0, plan->length_us / 2);
    if (percent(&r, 20)) to->message_limit = (uint32_t)spread(&r, 1, 255);
    to->plain_fragment_acks = percent(&r, 60);
    to->cautious = percent(&r, 50);
    choose_links(plan, client, to);
    choose_flows(plan, client, to);
    choose_client_options(plan, client, to);
}

/* ---- Actions ------------------------------------------------------------------------------- */

static void add_action(sim_plan *plan, sb_time time, sim_action_kind kind, uint32_t client,
                       int64_t amount)
{
    if (time >= plan->length_us || plan->action_count == SIM_ACTIONS_MAX) return;
    plan->actions[plan->action_count++] =
        (sim_action){ .time = time, .kind = kind, .client = client, .amount = amount };
}

/* A time in the active part, after the first client could have joined. */
static sb_time some_time(const sim_plan *plan, sb_random *r)
{
    return between(r, 1500000, plan->length_us > 1500000 ? plan->length_us : 1500000);
}

/* Draws the time here and not in the call: C does not define the order in which arguments are
 * evaluated, so a call must not have two arguments that draw random numbers. */
static void add_action_sometime(sim_plan *plan, sb_random *r, sim_action_kind kind, uint32_t client,
                                int64_t amount)
{
    add_action(plan, some_time(plan, r), kind, client, amount);
}

static void plan_disturbances(sim_plan *plan, uint32_t client)
{
    sb_random r;
    if (open_stream(plan, SIM_HAS_PARTITIONS, client, &r) && percent(&r, 50)) {
        sb_time at = some_time(plan, &r), length = spread(&r, 1000000, 60000000);
        add_action(plan, at, SIM_ACT_PARTITION, client, between(&r, 1, 3));
        add_action(plan, at + length, SIM_ACT_HEAL, client, 0);
    }
    if (open_stream(plan, SIM_HAS_REBIND, client, &r) && percent(&r, 50))
        for (int64_t i = between(&r, 1, 3); i > 0; i--)
            add_action_sometime(plan, &r, SIM_ACT_REBIND, client, between(&r, 30000, 60000));
    if (open_stream(plan, SIM_HAS_MOVE, client, &r) && percent(&r, 50))
        add_action_sometime(plan, &r, SIM_ACT_MOVE, client, 0x0A020000 + client);
    if (open_stream(plan, SIM_HAS_JUMPS, client, &r) && percent(&r, 40))
        add_action_sometime(plan, &r, SIM_ACT_JUMP_CLIENT, client, spread(&r, 100000, 60000000));
}

static void plan_departures(sim_plan *plan, uint32_t client)
{
    sb_random r;
    if (open_stream(plan, SIM_HAS_VANISH, client, &r) && percent(&r, 50)) {
        sb_time at = some_time(plan, &r), silent = spread(&r, 100000, 60000000);
        add_action(plan, at, SIM_ACT_VANISH, client, 0);
        if (percent(&r, 70)) add_action(plan, at + silent, SIM_ACT_RESTART, client, 0);
    }
    if (open_stream(plan, SIM_HAS_LEAVE, client, &r) && percent(&r, 50))
        add_action_sometime(plan, &r, SIM_ACT_LEAVE, client, 0);
    if (open_stream(plan, SIM_HAS_BOOT, client, &r) && percent(&r, 50))
        add_action_sometime(plan, &r, SIM_ACT_BOOT, client,
                            between(&r, SB_BOOT_DEFAULT, SB_BOOT_BANNED));
    if (open_stream(plan, SIM_HAS_RENAME, client, &r) && percent(&r, 60))
        for (int64_t i = spread(&r, 1, 12); i > 0; i--)
            add_action_sometime(plan, &r, SIM_ACT_RENAME, client, i);
}

/* Sizes around the capacity of one message, of one and two fragments, and the two limits (spec 01
 * §7.1). */
static int64_t choose_large(sb_random *r)
{
    static const int64_t edges[] = { 407,  408,   811,   812,   813,
                                     1217, 25982, 25983, 50000, SB_PAYLOAD_MAX };
    if (percent(r, 50)) return edges[sb_random_below(r, sizeof edges / sizeof *edges)];
    return spread(r, 408, 30000);
}

static void plan_traffic(sim_plan *plan, uint32_t client)
{
    sb_random r;
    if (open_stream(plan, SIM_HAS_LARGE, client, &r) && percent(&r, 60))
        for (int64_t i = spread(&r, 1, 8); i > 0; i--) {
            bool up = percent(&r, 50);
            add_action_sometime(plan, &r, up ? SIM_ACT_LARGE_UP : SIM_ACT_LARGE_DOWN, client,
                                choose_large(&r));
        }
    if (open_stream(plan, SIM_HAS_BULK, client, &r) && percent(&r, 60))
        for (int64_t i = spread(&r, 1, 5); i > 0; i--) {
            bool up = percent(&r, 50);
            add_action_sometime(plan, &r, up ? SIM_ACT_BULK_UP : SIM_ACT_BULK_DOWN, client,
                                spread(&r, 5, 900));
        }
}

static void plan_strangers(sim_plan *plan)
{
    sb_random r;
    if (open_stream(plan, SIM_HAS_HOSTILE, 0, &r))
        for (int64_t i = spread(&r, 1, 20); i > 0; i--) {
            sim_action_kind kind = (sim_action_kind)between(&r, SIM_ACT_RUBBISH, SIM_ACT_FLOOD);
            uint32_t        client = sb_random_below(&r, plan->client_count);
            sb_time         at = between(&r, 0, plan->length_us);
            add_action(plan, at, kind, client, spread(&r, 1, 200));
        }
    if (open_stream(plan, SIM_HAS_REPLAY, 0, &r))
        for (int64_t i = spread(&r, 3, 60); i > 0; i--) {
            uint32_t client = sb_random_below(&r, plan->client_count);
            add_action_sometime(plan, &r, SIM_ACT_REPLAY, client, spread(&r, 1, 60));
        }
    if (open_stream(plan, SIM_HAS_ABUSE, 0, &r))
        for (int64_t i = spread(&r, 1, 20); i > 0; i--)
            add_action_sometime(plan, &r, SIM_ACT_ABUSE, 0, spread(&r, 1, 100));
    if (open_stream(plan, SIM_HAS_JUMPS, 1000, &r) && percent(&r, 40))
        add_action_sometime(plan, &r, SIM_ACT_JUMP_HOST, 0, spread(&r, 100000, 60000000));
}

bool sim_request_has_forgery(const sim_request *request, sim_forgery kind)
{
    return !(request->spared >> kind & 1);
}

static void add_attack(sim_plan *plan, sim_action action)
{
    if (!sim_request_has_forgery(&plan->request, action.forgery)) return;
    uint32_t before = plan->action_count;
    add_action(plan, action.time, action.kind, action.client, action.amount);
    if (plan->action_count > before) plan->actions[before].forgery = action.forgery;
}

/* Bursts of one kind each, some of them at the same time. Kinds that are spared are drawn, too, so
 * that sparing one leaves the rest of the plan unchanged. */
static void plan_bursts(sim_plan *plan, sb_random *r)
{
    for (int64_t i = between(r, 8, 48); i > 0; i--) {
        sim_action burst = { .kind = SIM_ACT_ATTACK };
        burst.client = sb_random_below(r, plan->client_count);
        burst.forgery = (sim_forgery)sb_random_below(r, SIM_FORGERY_COUNT);
        burst.time = between(r, 0, plan->length_us);
        burst.amount = spread(r, 16, 1500);
        add_attack(plan, burst);
    }
}

/* A datagram every few seconds for as long as the run lasts: evidence that never ends. */
static void plan_trickles(sim_plan *plan, sb_random *r)
{
    for (int64_t i = between(r, 0, 3); i > 0; i--) {
        sim_action trickle = { .kind = SIM_ACT_TRICKLE, .forgery = SIM_FORGE_WRONG_ID };
        trickle.client = sb_random_below(r, plan->client_count);
        trickle.time = between(r, 0, 5 * SB_SECOND);
        uint32_t any = sb_random_below(r, 2 * SIM_FORGERY_COUNT);
        if (any < SIM_FORGERY_COUNT) trickle.forgery = (sim_forgery)any;
        add_attack(plan, trickle);
    }
}

static void plan_attacks(sim_plan *plan)
{
    sb_random r;
    if (!open_stream(plan, SIM_HAS_ATTACKER, 0, &r)) return;
    plan_bursts(plan, &r);
    plan_trickles(plan, &r);
}

static int by_time(const void *a, const void *b)
{
    const sim_action *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->client != y->client) return x->client < y->client ? -1 : 1;
    if (x->forgery != y->forgery) return x->forgery < y->forgery ? -1 : 1;
    return (x->amount > y->amount) - (x->amount < y->amount);
}

/* ---- Plans --------------------------------------------------------------------------------- */

static void choose_host(sim_plan *plan)
{
    sb_random r;
    plan->host = (sb_endpoint){ 0x0A000001, 22101 };
    plan->max_peers = 16;
    plan->peers_per_ip = 4;
    if (open_stream(plan, SIM_HAS_FULL, 0, &r)) {
        plan->max_peers = (uint32_t)between(&r, 1, plan->client_count);
        plan->peers_per_ip = (uint32_t)between(&r, 1, 4);
    }
    if (open_stream(plan, SIM_HAS_TICKS, 1000, &r) && percent(&r, 60))
        plan->host_tick_us = between(&r, 5000, 95000);
    if (open_stream(plan, SIM_HAS_ACK_DELAY, 1000, &r) && percent(&r, 60))
        plan->host_ack_delay_us = between(&r, 1000, 50000);
    plan->host_retransmit = choose_retransmit(plan, 1000);
}

static void choose_memory(sim_plan *plan)
{
    sb_random r;
    if (!open_stream(plan, SIM_HAS_MEMORY, 0, &r)) return;
    plan->send_cells = (uint32_t)between(&r, 64, 160);
    plan->receive_cells =
        (uint32_t)between(&r, 48, 96); /* fewer are legal, but very slow after a loss */
    plan->shared_cells = (uint32_t)spread(&r, 0, 1024);
    plan->client_cells = (uint32_t)between(&r, 192, 4096);
}

static void choose_shape(sim_plan *plan)
{
    sb_random r = stream(plan->request.seed, FOR_SHAPE, 0);
    plan->client_count = (uint32_t)(percent(&r, 50) ? between(&r, 1, 3) : between(&r, 2, 8));
    uint32_t crowd = (uint32_t)between(&r, 9, SIM_CLIENTS_MAX);
    if (sim_plan_has(plan, SIM_HAS_CROWD)) plan->client_count = crowd;
    plan->length_us = percent(&r, 75) ? between(&r, 20, 60) : between(&r, 30, 120);
    plan->length_us *= SB_SECOND;
    uint32_t max = plan->request.max_clients;
    if (max > 0 && plan->client_count > max) plan->client_count = max;
}

/* Actions are drawn for the full length and then cut, so that a shorter run starts like the full
 * one.
 */
static void cut_to_length(sim_plan *plan)
{
    sb_time max = plan->request.max_length;
    if (max <= 0 || max >= plan->length_us) return;
    plan->length_us = max;
    while (plan->action_count > 0 && plan->actions[plan->action_count - 1].time >= max)
        plan->action_count--;
}

void sim_plan_make(sim_plan *plan, const sim_request *request)
{
    *plan = (sim_plan){ .request = *request };
    plan->features = choose_features(request);
    choose_shape(plan);
    choose_host(plan);
    choose_memory(plan);
    for (uint32_t i = 0; i < plan->client_count; i++) {
        choose_client(plan, i, &plan->clients[i]);
        plan_disturbances(plan, i);
        plan_departures(plan, i);
        plan_traffic(plan, i);
    }
    plan_strangers(plan);
    plan_attacks(plan);
    qsort(plan->actions, plan->action_count, sizeof *plan->actions, by_time);
    cut_to_length(plan);
}
