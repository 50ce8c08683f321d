/* apps/messages/model.c -- see model.h.
 *
 * Tests:    tests/apps/messages_test.py, tests/apps/description_test.py
 */
#include "messages/model.h"

#include "message/names.h"
#include "message/table.h"

#include <string.h>

enum {
    DEPTH_MAX = 12,
    UNKNOWN_CLASS = 0x0865, /* an event class without a known extension */
};

/* The choices of one build. 0: as the description prefers. */
typedef struct plan {
    uint32_t           event_class, class_id;
    uint8_t            species, flags;
    bool               rare;     /* give rare forms */
    bool               opaque;   /* give bytes instead of decoded blocks */
    bool               shipless; /* the ship of a StateUpdate is unknown */
    const char *const *withheld; /* the source lacks these fields */
} plan;

typedef struct walker {
    sb_model   *model;
    const plan *plan;
    int         parent[DEPTH_MAX], last[DEPTH_MAX]; /* open groups; the field before the next */
    bool        is_list[DEPTH_MAX];
    size_t      depth;
} walker;

/* ---- remembering fields ---- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_field(const sb_field *a, const sb_field *b)
{
    return a->kind == b->kind && strcmp(a->name, b->name) == 0 && same_text(a->when, b->when);
}

static int *first_of(sb_model *m, int parent)
{
    return parent == SB_MODEL_NONE ? &m->first : &m->nodes[parent].first;
}

static int find_child(sb_model *m, int parent, const sb_field *f)
{
    for (int i = *first_of(m, parent); i != SB_MODEL_NONE; i = m->nodes[i].next)
        if (same_field(&m->nodes[i].field, f)) return i;
    return SB_MODEL_NONE;
}

/* Inserts the field behind the one that the walk saw before it. */
static int remember(walker *w, const sb_field *f)
{
    sb_model *m = w->model;
    int       parent = w->parent[w->depth], *last = &w->last[w->depth];
    int       at = find_child(m, parent, f);
    if (at == SB_MODEL_NONE && m->count < SB_MODEL_NODES_MAX) {
        at = m->count++;
        int *link = *last == SB_MODEL_NONE ? first_of(m, parent) : &m->nodes[*last].next;
        m->nodes[at] = (sb_model_node){ *f, parent, SB_MODEL_NONE, *link };
        *link = at;
    }
    if (at != SB_MODEL_NONE) *last = at;
    return at;
}

/* ---- the source ---- */

static bool is_block(const char *name)
{
    return strcmp(name, "extension") == 0 || strcmp(name, "block") == 0 ||
           strcmp(name, "opaque") == 0;
}

/* The description chooses between alternatives by these answers. */
static bool has(void *self, const sb_field *f)
{
    walker *w = self;
    if (f->derived) (void)remember(w, f); /* the count of a list: only asked for */
    if (is_block(f->name)) return w->plan->opaque;
    if (strcmp(f->name, "flags") == 0) return w->plan->flags != 0;
    for (const char *const *name = w->plan->withheld; *name; name++)
        if (strcmp(*name, f->name) == 0) return false;
    return true;
}

static void choose_number(const plan *p, const sb_field *f, sb_value *v)
{
    if (f->kind == SB_KIND_BIT) v->number = !f->rare || p->rare;
    if (strcmp(f->name, "species") == 0)
        v->number = p->species ? p->species : 1; /* 1: a ship with a subsystem list */
    if (strcmp(f->name, "killer") == 0 || strcmp(f->name, "k") == 0) v->number = 1;
    if (strcmp(f->name, "time_limit") == 0) v->number = 0;
    if (strcmp(f->name, "flags") == 0 && p->flags) v->number = p->flags;
    if (strcmp(f->name, "class_id") == 0 && p->class_id) v->number = p->class_id;
    if (strcmp(f->name, "event_class") == 0 && p->event_class) v->number = p->event_class;
}

static sb_answer value(void *self, const sb_field *f, sb_value *v, size_t count)
{
    walker *w = self;
    (void)count;
    (void)remember(w, f);
    if (f->kind == SB_KIND_TEXT32 || f->kind == SB_KIND_TEXT32Z || f->kind == SB_KIND_BYTES)
        v->bytes = (sb_span){ (const uint8_t *)"x", 1 };
    choose_number(w->plan, f, v);
    return SB_GIVEN;
}

static sb_answer enter(void *self, const sb_field *f, size_t *count)
{
    walker *w = self;
    int     at = remember(w, f);
    if (w->depth + 1 < DEPTH_MAX) w->depth++;
    w->parent[w->depth] = at;
    w->last[w->depth] = SB_MODEL_NONE;
    w->is_list[w->depth] = f->kind == SB_KIND_LIST;
    if (f->kind == SB_KIND_LIST && !f->fixed) *count = w->depth > 4 ? 0 : *count <= 32 ? *count : 1;
    return SB_GIVEN;
}

static void leave(void *self, const sb_field *f)
{
    walker *w = self;
    (void)f;
    if (w->depth > 0) w->depth--;
}

/* ---- the builds ---- */

/* Withheld fields follow from others. The second list lacks the SUBSYS block, so that the
 * description asks for the POWER block, and offers the numbers of a SCORE_CHANGE without ids. */
static const char *const usual[] = {
    "has_hash", "has_power", "trailing", "groups", "numbers", NULL
};
static const char *const others[] = { "has_hash", "has_power",   "trailing", "groups",
                                      "entries",  "start_index", NULL };

/* False: the description refuses these choices; the model is unchanged. */
static bool build(sb_model *model, uint8_t opcode, const plan *choices)
{
    static uint8_t     out[1 << 16];
    static sb_model    before;
    size_t             size;
    sb_message         message;
    walker             w = { .model = model, .plan = choices };
    sb_source          source = { &w, has, value, enter, leave };
    sb_message_context context = { 0 };
    if (!choices->shipless) context.ship = sb_find_ship(sb_stock_ships(), 1);
    w.parent[0] = w.last[0] = SB_MODEL_NONE;
    before = *model;
    if (sb_build_message(opcode, &context, &source, out, sizeof out - 1, &size, NULL) != SB_OK) {
        *model = before;
        return false;
    }
    out[size] = 0xFF; /* behind the last field */
    sb_result longer = sb_decode_message((sb_span){ out, size + 1 }, &context, &message, NULL);
    if (longer == SB_TRAILING) model->is_exact = true;
    return true;
}

/* A message that accepts only one event class has that class as its bounds. */
static void build_event_classes(sb_model *model, uint8_t opcode)
{
    unsigned accepted = 0;
    uint32_t only = 0;
    for (const sb_name *n = sb_event_class_names(); n->name; n++) {
        plan p = { .event_class = n->value, .withheld = usual };
        if (!build(model, opcode, &p)) continue;
        accepted++;
        only = n->value;
    }
    if (accepted == 1) model->nodes[model->first].field.low = only;
    if (accepted == 1) model->nodes[model->first].field.high = only;
    const plan opaque[] = {
        { .event_class = SB_EVENT_COLLISION, .opaque = true, .withheld = usual },
        { .event_class = UNKNOWN_CLASS, .opaque = true, .withheld = usual },
    };
    for (size_t i = 0; i < 2; i++) (void)build(model, opcode, &opaque[i]);
}

/* ---- definitions, which are tables ---- */

static void add_defined(walker *w, const sb_defined_field *fields, size_t count)
{
    static const sb_field item = { .name = "item", .kind = SB_KIND_GROUP };
    for (size_t i = 0; i < count; i++) {
        const sb_defined_field *f = &fields[i];
        size_t                  one = 1;
        if (f->field.kind == SB_KIND_LIST && !f->to_the_end) (void)remember(w, &f->count);
        if (f->field.kind != SB_KIND_LIST) {
            (void)remember(w, &f->field);
            continue;
        }
        (void)enter(w, &f->field, &one);
        (void)enter(w, &item, &one);
        add_defined(w, f->items, f->item_count);
        leave(w, &item);
        leave(w, &f->field);
    }
}

static void add_definition(sb_model *model, const sb_definition *d)
{
    walker w = { .model = model };
    w.parent[0] = w.last[0] = SB_MODEL_NONE;
    add_defined(&w, d->fields, d->field_count);
}

void sb_model_init(sb_model *model, uint8_t opcode, const sb_definitions *definitions,
                   bool all_forms)
{
    const plan plans[] = {
        { .withheld = usual },
        { .withheld = others },
        { .withheld = usual, .rare = true, .flags = SB_FIRE_MODE_1 | SB_TORPEDO_MODE_2 },
        { .withheld = usual, .class_id = SB_CLASS_TORPEDO },
        { .withheld = usual, .species = UINT8_MAX, .opaque = true, .shipless = true },
    };
    size_t count = all_forms ? sizeof plans / sizeof *plans : 2;
    model->count = 0;
    model->first = SB_MODEL_NONE;
    model->is_exact = false;
    if (definitions && definitions->of[opcode]) {
        add_definition(model, definitions->of[opcode]);
        return;
    }
    for (size_t i = 0; i < count; i++) (void)build(model, opcode, &plans[i]);
    if (all_forms && sb_find_row(opcode)->event_class != 0) build_event_classes(model, opcode);
}

/* A group inside a list that contains a list of the same name repeats the group around that list.
 */
const sb_field *sb_model_same_as(const sb_model *model, int node)
{
    const sb_model_node *n = &model->nodes[node];
    if (n->field.kind != SB_KIND_GROUP || n->parent == SB_MODEL_NONE) return NULL;
    const sb_model_node *list = &model->nodes[n->parent];
    if (list->parent == SB_MODEL_NONE) return NULL;
    for (int i = n->first; i != SB_MODEL_NONE; i = model->nodes[i].next)
        if (strcmp(model->nodes[i].field.name, list->field.name) == 0)
            return &model->nodes[list->parent].field;
    return NULL;
}
