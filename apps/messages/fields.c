/* apps/messages/fields.c -- prints the fields of a message as text.
 *
 * Tests:    tools/check-reference compares `starbase messages --markdown` with docs/messages.md
 */
#include "messages/fields.h"

#include "inspect/kinds.h"
#include "messages/model.h"

#include <stdio.h>

enum { NAMES_SHOWN_MAX = 8 };

static void print_remarks(const sb_field *f)
{
    if (f->derived) printf("  (follows from the list)");
    if (f->rare) printf("  (left out if false)");
    if (f->tentative) printf("  (tentative)");
    if (f->unit) printf("  in %s", f->unit);
    if (f->when) printf("  if %s", f->when);
    if (f->published) printf("  published: %s", f->published);
    const sb_name *names = f->names ? f->names() : NULL;
    for (int i = 0; names && names[i].name; i++) {
        printf("%s%s", i ? ", " : "  ", i < NAMES_SHOWN_MAX ? names[i].name : "...");
        if (i == NAMES_SHOWN_MAX) break;
    }
}

static bool is_plain(const sb_field *f)
{
    return !f->derived && !f->rare && !f->tentative && !f->published && !f->names && !f->when &&
           !f->unit;
}

static void print_level(const sb_model *m, int first, int depth)
{
    for (int i = first; i != SB_MODEL_NONE; i = m->nodes[i].next) {
        const sb_model_node *n = &m->nodes[i];
        if (n->field.derived) continue;
        bool in_list = n->parent != SB_MODEL_NONE && m->nodes[n->parent].field.kind == SB_KIND_LIST;
        if (!in_list || n->field.kind != SB_KIND_GROUP) { /* items of a list have no name */
            printf("  %*s%-*s%-*s", 2 * depth, "", 26 - 2 * depth, n->field.name,
                   is_plain(&n->field) ? 0 : 18, sb_kind_name(n->field.kind));
            print_remarks(&n->field);
            printf("\n");
        }
        if (!sb_model_same_as(m, i)) print_level(m, n->first, depth + 1);
    }
}

void sb_messages_print_fields(uint8_t opcode, const sb_definitions *definitions)
{
    static sb_model model; /* large */
    sb_model_init(&model, opcode, definitions, false);
    print_level(&model, model.first, 0);
    if (model.count == 0) printf("  no fields\n");
}
