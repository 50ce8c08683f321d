/* tests/ship/flatten.c -- merges the list of systems and the lists of their children. */
#include "ship/flatten.h"

#include "test.h"

#include <string.h>

enum { FREE = SB_HARDPOINTS_MAX };

typedef struct node {
    const sb_subsystem_class *part;
    uint8_t                   tag;
    int                       before; /* the previous node of the same list, or -1 */
    int                       deadline;
    bool                      placed;
} node;

typedef struct graph {
    node   nodes[SB_HARDPOINTS_MAX];
    size_t count;
} graph;

static int add(graph *g, const sb_subsystem_class *part, uint8_t parent_type, int before)
{
    CHECK(g->count < SB_HARDPOINTS_MAX);
    uint8_t tag = parent_type == SB_SUBSYSTEM_WARP ? SB_ENGINE_WARP : SB_ENGINE_IMPULSE;
    g->nodes[g->count] = (node){ .part = part, .tag = tag, .before = before };
    return (int)g->count++;
}

static void collect(graph *g, const sb_ship_class *ship)
{
    g->count = 0;
    for (int i = 0, before = -1; i < ship->subsystem_count; i++)
        before = add(g, &ship->subsystems[i], 0, before);
    for (size_t i = 0; i < ship->subsystem_count; i++) {
        const sb_subsystem_class *s = &ship->subsystems[i];
        for (int k = 0, before = -1; k < s->child_count; k++)
            before = add(g, &ship->children[s->first_child + k], s->type, before);
    }
}

/* A part must stand before the next part of its list whose index is known. */
static void set_deadlines(graph *g)
{
    for (size_t i = g->count; i-- > 0;) {
        node *n = &g->nodes[i];
        n->deadline = n->part->creation_index >= 0 ? n->part->creation_index : FREE;
        for (size_t k = i + 1; k < g->count; k++)
            if (g->nodes[k].before == (int)i && g->nodes[k].deadline - 1 < n->deadline)
                n->deadline = g->nodes[k].deadline - 1;
    }
}

static bool is_ready(const graph *g, const node *n)
{
    return !n->placed && (n->before < 0 || g->nodes[n->before].placed);
}

static int node_with_index(const graph *g, size_t index)
{
    for (size_t i = 0; i < g->count; i++)
        if (g->nodes[i].part->creation_index == (int)index) return (int)i;
    return -1;
}

static int most_urgent(const graph *g)
{
    int best = -1;
    for (size_t i = 0; i < g->count; i++) {
        const node *n = &g->nodes[i];
        if (!is_ready(g, n) || n->part->creation_index >= 0) continue;
        if (best < 0 || n->deadline < g->nodes[best].deadline) best = (int)i;
    }
    return best;
}

static int any_ready(const graph *g, uint32_t *random)
{
    size_t ready = 0, pick;
    for (size_t i = 0; i < g->count; i++) ready += is_ready(g, &g->nodes[i]);
    *random = *random * 1664525u + 1013904223u;
    pick = (*random >> 8) % ready;
    for (size_t i = 0; i < g->count; i++)
        if (is_ready(g, &g->nodes[i]) && pick-- == 0) return (int)i;
    return -1;
}

static void take(graph *g, int at, sb_hardpoint *out)
{
    CHECK(at >= 0 && is_ready(g, &g->nodes[at]));
    g->nodes[at].placed = true;
    *out = (sb_hardpoint){ .part = *g->nodes[at].part, .engine_tag = g->nodes[at].tag };
}

size_t flatten_ship(const sb_ship_class *ship, sb_hardpoint out[SB_HARDPOINTS_MAX])
{
    graph g;
    collect(&g, ship);
    set_deadlines(&g);
    for (size_t k = 0; k < g.count; k++) {
        int known = node_with_index(&g, k);
        take(&g, known >= 0 ? known : most_urgent(&g), &out[k]);
    }
    return g.count;
}

size_t flatten_ship_at_random(const sb_ship_class *ship, uint32_t seed,
                              sb_hardpoint out[SB_HARDPOINTS_MAX])
{
    graph g;
    collect(&g, ship);
    for (size_t k = 0; k < g.count; k++) take(&g, any_ready(&g, &seed), &out[k]);
    return g.count;
}

/* Bit for bit: figures that do not apply are NAN. */
void flatten_check_same(const sb_subsystem_class *a, const sb_subsystem_class *b)
{
#define CHECK_SAME(member) CHECK(memcmp(&a->member, &b->member, sizeof a->member) == 0)
    CHECK_TEXT(a->name, b->name);
    CHECK_SAME(type);
    CHECK_SAME(format);
    CHECK_SAME(child_count);
    CHECK_SAME(first_child);
    CHECK_SAME(condition_source);
    CHECK_SAME(properties_source);
    CHECK_SAME(power_source);
    CHECK_SAME(position_source);
    CHECK_SAME(fire_source);
    CHECK_SAME(order_source);
    CHECK_SAME(power_mode);
    CHECK_SAME(critical);
    CHECK_SAME(targetable);
    CHECK_SAME(has_position);
    CHECK_SAME(max_condition);
    CHECK_SAME(disabled_below);
    CHECK_SAME(repair_complexity);
    CHECK_SAME(power_per_second);
    CHECK_SAME(position);
    CHECK_SAME(radius);
    CHECK_SAME(mount);
    CHECK_SAME(weapon);
    CHECK_SAME(single_fire);
    CHECK_SAME(primary);
    CHECK_SAME(aimed);
}
