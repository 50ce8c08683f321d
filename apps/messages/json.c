/* apps/messages/json.c -- prints the fields of a message as JSON: the machine-readable description.
 *
 * docs/message-schema.md explains the keys, docs/message.schema.json is their schema. Every key is
 * always there; null means none.
 *
 * Tests:    tests/apps/messages_test.py, tests/apps/description_test.py
 */
#include "messages/fields.h"

#include "message/when.h"
#include "messages/model.h"
#include "wire/kind_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Names and remarks are our own texts, or checked by the loader: they need no escapes. */
static void print_text(const char *key, const char *text)
{
    if (text) printf(",\"%s\":\"%s\"", key, text);
    else printf(",\"%s\":null", key);
}

static void print_flag(const char *key, bool flag)
{
    printf(",\"%s\":%s", key, flag ? "true" : "false");
}

static void print_bound(const char *key, bool bounded, double bound)
{
    if (bounded) printf(",\"%s\":%.10g", key, bound);
    else printf(",\"%s\":null", key);
}

static void print_bounds(const sb_field *f)
{
    double low, high;
    bool   bounded = sb_kind_bounds(f->kind, &low, &high);
    if (f->low != 0 || f->high != 0) {
        bounded = true;
        low = f->low;
        high = f->high;
    }
    print_bound("min", bounded, low);
    print_bound("max", bounded, high);
}

/* ---- conditions ---- */

static void print_value(const sb_when_value *v)
{
    if (!v->is_number) printf("\"%.*s\"", (int)v->text.size, (const char *)v->text.data);
    else if (v->low == v->high) printf("%" PRIu32, v->low);
    else printf("[%" PRIu32 ",%" PRIu32 "]", v->low, v->high);
}

static void print_clause(const sb_when_clause *c)
{
    sb_span       values = c->values;
    sb_when_value value;
    printf("{\"field\":\"%.*s\",\"op\":\"%s\",\"values\":[", (int)c->name.size,
           (const char *)c->name.data, sb_when_relation_text(c->relation));
    for (bool first = true; sb_when_next_value(&values, &value); first = false) {
        if (!first) printf(",");
        print_value(&value);
    }
    printf("]}");
}

/* A list of alternatives; each is a list of clauses that must all hold. */
static void print_when(const char *text)
{
    sb_when_clause clause;
    bool           first = true;
    printf(",\"when\":");
    if (!text) {
        printf("null");
        return;
    }
    for (printf("["); text && sb_when_next_clause(&text, &clause); first = false) {
        if (clause.starts) printf(first ? "[" : "],[");
        else printf(",");
        print_clause(&clause);
    }
    printf("]]");
}

static void print_count(const char *count)
{
    bool is_number = count && count[0] >= '0' && count[0] <= '9';
    if (is_number) printf(",\"count\":%s", count);
    else print_text("count", count);
}

/* ---- fields ---- */

static void print_names(const sb_field *f)
{
    const sb_name *names = f->names ? f->names() : NULL;
    printf(",\"names\":");
    if (!names) {
        printf("null");
        return;
    }
    for (const sb_name *n = names; n->name; n++) {
        printf("%s{\"value\":%" PRIu32 ",\"name\":\"%s\"", n == names ? "[" : ",", n->value,
               n->name);
        print_text("published", n->published);
        printf("}");
    }
    printf("]");
}

static void print_field(const sb_model *m, int node);

/* Notes are not on the wire; they follow from other fields. */
static void print_children(const sb_model *m, int first)
{
    bool any = false;
    for (int i = first; i != SB_MODEL_NONE; i = m->nodes[i].next) {
        if (any) printf(",");
        print_field(m, i);
        any = true;
    }
}

static void print_inside(const sb_model *m, int node)
{
    const sb_model_node *n = &m->nodes[node];
    const sb_field      *same = sb_model_same_as(m, node);
    if (n->field.kind == SB_KIND_GROUP && !same) {
        printf(",\"fields\":[");
        print_children(m, n->first);
        printf("]");
    } else {
        printf(",\"fields\":null");
    }
    if (n->field.kind == SB_KIND_LIST && n->first != SB_MODEL_NONE) {
        printf(",\"item\":");
        print_field(m, n->first);
    } else {
        printf(",\"item\":null");
    }
    print_text("same_as", same ? same->name : NULL);
}

static void print_field(const sb_model *m, int node)
{
    const sb_field *f = &m->nodes[node].field;
    size_t          bytes = sb_kind_bytes(f->kind);
    printf("{\"name\":\"%s\",\"kind\":\"%s\"", f->name, sb_kind_word(f->kind));
    if (bytes > 0) printf(",\"bytes\":%zu", bytes);
    else printf(",\"bytes\":null");
    print_text("published", f->published);
    print_text("unit", f->unit);
    print_bounds(f);
    print_when(f->when);
    print_count(f->count);
    print_flag("on_wire", !f->off_wire);
    print_flag("derived", f->derived);
    print_flag("tentative", f->tentative);
    print_names(f);
    print_inside(m, node);
    printf("}");
}

void sb_messages_print_json_fields(uint8_t opcode, const sb_definitions *definitions)
{
    static sb_model model; /* large */
    sb_model_init(&model, opcode, definitions, true);
    print_flag("exact", model.is_exact);
    printf(",\"fields\":[");
    print_children(&model, model.first);
    printf("]");
}
