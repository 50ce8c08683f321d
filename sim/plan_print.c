/* sim/plan_print.c -- plans and requests as text.
 *
 * For:      sim/plan.h.
 */
#include "sim/plan.h"

#include "base/assert.h"

static const char *const action_names[SIM_ACT_COUNT] = {
    [SIM_ACT_PARTITION] = "partition",
    [SIM_ACT_HEAL] = "partition ends",
    [SIM_ACT_REBIND] = "new port",
    [SIM_ACT_MOVE] = "new address",
    [SIM_ACT_VANISH] = "vanishes",
    [SIM_ACT_RESTART] = "restarts",
    [SIM_ACT_LEAVE] = "leaves",
    [SIM_ACT_BOOT] = "is booted",
    [SIM_ACT_RENAME] = "renames itself",
    [SIM_ACT_JUMP_HOST] = "host's clock jumps (us)",
    [SIM_ACT_JUMP_CLIENT] = "clock jumps (us)",
    [SIM_ACT_LARGE_UP] = "large message to the host (bytes)",
    [SIM_ACT_LARGE_DOWN] = "large message from the host (bytes)",
    [SIM_ACT_BULK_UP] = "many messages to the host",
    [SIM_ACT_BULK_DOWN] = "many messages from the host",
    [SIM_ACT_RUBBISH] = "rubbish from strangers",
    [SIM_ACT_STOLEN_ID] = "datagrams under its id from strangers",
    [SIM_ACT_FLOOD] = "Connects from strangers",
    [SIM_ACT_REPLAY] = "repeated datagrams",
    [SIM_ACT_ABUSE] = "lies",
    [SIM_ACT_ATTACK] = "is attacked, forged datagrams",
    [SIM_ACT_TRICKLE] = "is attacked slowly",
};

const char *sim_action_name(sim_action_kind kind)
{
    SB_ASSERT((unsigned)kind < SIM_ACT_COUNT);
    return action_names[kind];
}

static const char *mode_name(sb_retransmit mode)
{
    return mode == SB_RETRANSMIT_STOCK ? "stock" : "measured";
}

static void print_conditions(const char *direction, const sim_conditions *c, FILE *out)
{
    fprintf(out, "    %s: delay %lld+%lld us", direction, (long long)c->delay_us,
            (long long)c->jitter_us);
    if (c->loss) fprintf(out, ", loss %.2f %%", c->loss / 1e4);
    if (c->burst_begin)
        fprintf(out, ", bursts %.2f/%.1f/%.0f %%", c->burst_begin / 1e4, c->burst_end / 1e4,
                c->burst_loss / 1e4);
    if (c->duplicate) fprintf(out, ", twice %.2f %%", c->duplicate / 1e4);
    if (c->reorder)
        fprintf(out, ", held back %.2f %% up to %lld us", c->reorder / 1e4,
                (long long)c->reorder_us);
    if (c->corrupt) fprintf(out, ", flipped %.2f %%", c->corrupt / 1e4);
    if (c->truncate) fprintf(out, ", cut %.2f %%", c->truncate / 1e4);
    fprintf(out, "\n");
}

static void print_client(const sim_client_plan *c, uint32_t index, FILE *out)
{
    fprintf(out, "  client %u from %.3f s, port %u, %s", index, (double)c->start_us / 1e6,
            c->endpoint.port, mode_name(c->retransmit));
    if (c->tick_us) fprintf(out, ", tick %lld us", (long long)c->tick_us);
    if (c->ack_delay_us) fprintf(out, ", acks after %lld us", (long long)c->ack_delay_us);
    if (c->wrong_password) fprintf(out, ", wrong password");
    if (c->cautious) fprintf(out, ", cautious");
    if (c->numbers)
        fprintf(out, ", numbers from %u up and %u down", c->first_number[SIM_UP],
                c->first_number[SIM_DOWN]);
    if (c->again_us) fprintf(out, ", comes back after %.3f s", (double)c->again_us / 1e6);
    fprintf(out, "\n");
    print_conditions("up  ", &c->conditions[SIM_UP], out);
    print_conditions("down", &c->conditions[SIM_DOWN], out);
    for (int way = 0; way < SIM_DIRECTIONS; way++)
        fprintf(out, "    %s: a reliable message per %.3f s, an unreliable one per %.3f s\n",
                way == SIM_UP ? "up  " : "down", (double)c->flow[way].reliable_gap_us / 1e6,
                (double)c->flow[way].unreliable_gap_us / 1e6);
}

void sim_plan_print(const sim_plan *plan, FILE *out)
{
    fprintf(out, "plan of seed %llu: %u clients, %.1f s;", (unsigned long long)plan->request.seed,
            plan->client_count, (double)plan->length_us / 1e6);
    for (uint32_t i = 0; i < SIM_FEATURE_COUNT; i++)
        if (plan->features >> i & 1) fprintf(out, " %s", sim_feature_name((sim_feature)i));
    fprintf(out, "\n  host: %s, at most %u peers, tick %lld us, acks after %lld us\n",
            mode_name(plan->host_retransmit), plan->max_peers, (long long)plan->host_tick_us,
            (long long)plan->host_ack_delay_us);
    if (sim_plan_has(plan, SIM_HAS_MEMORY))
        fprintf(out, "  cells: %u to send, %u to receive, %u shared; %u of a client\n",
                plan->send_cells, plan->receive_cells, plan->shared_cells, plan->client_cells);
    for (uint32_t i = 0; i < plan->client_count; i++) print_client(&plan->clients[i], i, out);
    for (uint32_t i = 0; i < plan->action_count; i++) {
        const sim_action *a = &plan->actions[i];
        fprintf(out, "  %10.6f client %u: %s", (double)a->time / 1e6, a->client,
                action_names[a->kind]);
        if (a->amount) fprintf(out, ", %lld", (long long)a->amount);
        if (a->kind == SIM_ACT_ATTACK || a->kind == SIM_ACT_TRICKLE)
            fprintf(out, " %s", sim_forgery_name(a->forgery));
        fprintf(out, "\n");
    }
}

void sim_request_print(const sim_request *request, FILE *out)
{
    const char *separator = " --without ";
    for (uint32_t i = 0; i < SIM_FEATURE_COUNT; i++)
        if (request->without >> i & 1) {
            fprintf(out, "%s%s", separator, sim_feature_name((sim_feature)i));
            separator = ",";
        }
    for (uint32_t i = 0; i < SIM_FORGERY_COUNT; i++)
        if (request->spared >> i & 1) {
            fprintf(out, "%s%s", separator, sim_forgery_name((sim_forgery)i));
            separator = ",";
        }
    if (request->attacker) fprintf(out, " --attacker");
    if (request->max_clients) fprintf(out, " --clients %u", request->max_clients);
    if (request->max_length) fprintf(out, " --length %.6f", (double)request->max_length / 1e6);
}
