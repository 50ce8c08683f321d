/* apps/messages/ids.c -- see ids.h.
 *
 * Tests:    tests/apps/messages_test.py
 */
#include "messages/ids.h"

#include <starbase/protocol.h>

#include <stdio.h>
#include <stdlib.h>

enum { IDS_MAX = 128 };

static int compare(const void *left, const void *right)
{
    const sb_class_id *const *l = left, *const *r = right;
    return (int)(*l)->id - (int)(*r)->id;
}

static void print_text(const sb_class_id *c)
{
    printf("0x%04X  %-9s %s", c->id, sb_class_kind_text(c->kind), c->name);
    if (c->remark) printf(" (%s)", c->remark);
    printf("\n");
}

static void print_json(const sb_class_id *c)
{
    printf("{\"class_id\":%u,\"kind\":\"%s\",\"name\":\"%s\",\"remark\":", c->id,
           sb_class_kind_text(c->kind), c->name);
    if (c->remark) printf("\"%s\"}\n", c->remark);
    else printf("null}\n");
}

void sb_messages_print_ids(bool as_json)
{
    const sb_class_id *sorted[IDS_MAX] = { NULL };
    size_t             count;
    const sb_class_id *ids = sb_class_id_list(&count);
    if (count > IDS_MAX) count = IDS_MAX;
    for (size_t i = 0; i < count; i++) sorted[i] = &ids[i];
    qsort(sorted, count, sizeof *sorted, compare);
    for (size_t i = 0; i < count; i++)
        if (as_json) print_json(sorted[i]);
        else print_text(sorted[i]);
}
