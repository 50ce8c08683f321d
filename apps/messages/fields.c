/* apps/messages/fields.c -- lists the fields of a message by building it from a special source.
 *
 * The description of a message is code that asks a source for each field. The source in this file
 * prints each field it is asked for. Some fields exclude each other (a StateUpdate has SUBSYS or
 * POWER), so the message is built twice, with different fields withheld; each path is printed once.
 *
 * Tests:    tools/check-reference compares `starbase messages --markdown` with docs/messages.md
 */
#include "messages/fields.h"

#include "inspect/kinds.h"

#include <starbase/message.h>

#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 12, PATH_MAX_BYTES = 200, PATHS_MAX = 200 };

typedef struct listing {
    char               seen[PATHS_MAX][PATH_MAX_BYTES];
    size_t             seen_count;
    const char        *path[DEPTH_MAX];
    size_t             depth;
    const char *const *withheld;
} listing;

/* False: the path was listed before. */
static bool add_path(listing *l, const char *path)
{
    for (size_t i = 0; i < l->seen_count; i++)
        if (strcmp(l->seen[i], path) == 0) return false;
    if (l->seen_count < PATHS_MAX) snprintf(l->seen[l->seen_count++], PATH_MAX_BYTES, "%s", path);
    return true;
}

static void print_remarks(const sb_field *f)
{
    if (f->derived) printf("  (follows from the list)");
    if (f->rare) printf("  (left out if false)");
    if (f->tentative) printf("  (tentative)");
    if (f->published) printf("  published: %s", f->published);
    const sb_name *names = f->names ? f->names() : NULL;
    for (int i = 0; names && names[i].name; i++) {
        printf("%s%s", i ? ", " : "  ", i < 8 ? names[i].name : "...");
        if (i == 8) break;
    }
}

static void list_field(listing *l, const sb_field *f)
{
    char   path[PATH_MAX_BYTES];
    size_t at = 0;
    path[0] = '\0';
    for (size_t i = 0; i < l->depth; i++)
        at += (size_t)snprintf(path + at, sizeof path - at, "%s.", l->path[i]);
    snprintf(path + at, sizeof path - at, "%s", f->name);
    if (!add_path(l, path)) return;
    bool plain = !f->derived && !f->rare && !f->tentative && !f->published && !f->names;
    printf("  %*s%-*s%-*s", (int)(2 * l->depth), "", (int)(26 - 2 * l->depth), f->name,
           plain ? 0 : 18, sb_kind_name(f->kind));
    print_remarks(f);
    printf("\n");
}

/* The description chooses between alternatives by these answers. */
static bool has(void *self, const sb_field *f)
{
    listing *l = self;
    for (const char *const *name = l->withheld; *name; name++)
        if (strcmp(*name, f->name) == 0) return false;
    return true;
}

static sb_answer value(void *self, const sb_field *f, sb_value *v, size_t count)
{
    list_field(self, f);
    (void)count;
    if (f->kind == SB_KIND_TEXT32Z) v->bytes = (sb_span){ (const uint8_t *)"x", 1 };
    if (strcmp(f->name, "species") == 0) v->number = 1; /* any ship with a subsystem list */
    if (strcmp(f->name, "killer") == 0) v->number = 1;
    if (strcmp(f->name, "time_limit") == 0) v->number = 0;
    return strcmp(f->name, "event_class") == 0 ? SB_ABSENT : SB_GIVEN;
}

static sb_answer enter(void *self, const sb_field *f, size_t *count)
{
    listing *l = self;
    bool     item = f->kind == SB_KIND_GROUP && l->depth > 0;
    if (!item) list_field(l, f);
    if (l->depth < DEPTH_MAX) l->path[l->depth++] = item ? "" : f->name;
    if (f->kind == SB_KIND_LIST && !f->fixed) *count = l->depth > 4 ? 0 : *count <= 32 ? *count : 1;
    return SB_GIVEN;
}

static void leave(void *self, const sb_field *f)
{
    listing *l = self;
    (void)f;
    l->depth--;
}

void sb_messages_print_fields(uint8_t opcode)
{
    /* The second walk also withholds the SUBSYS block, so that the description asks for the POWER
     * block, and offers the numbers of a SCORE_CHANGE without ids. */
    static const char *const first_withholds[] = { "flags",   "has_hash", "has_power", "trailing",
                                                   "groups",  "opaque",   "block",     "extension",
                                                   "numbers", NULL };
    static const char *const second_withholds[] = { "flags",    "has_hash",  "has_power",
                                                    "trailing", "groups",    "opaque",
                                                    "block",    "extension", "start_index",
                                                    "entries",  NULL };
    static const char *const *const walks[] = { first_withholds, second_withholds };
    static listing                  l;
    static uint8_t                  out[1 << 16];
    l.seen_count = 0;
    for (size_t i = 0; i < 2; i++) {
        size_t             size;
        sb_message_context context = { .ship = sb_find_ship(sb_stock_ships(), 1) };
        sb_source          source = { &l, has, value, enter, leave };
        l.depth = 0;
        l.withheld = walks[i];
        (void)!sb_build_message(opcode, &context, &source, out, sizeof out, &size, NULL);
    }
    if (l.seen_count == 0) printf("  no fields\n");
}
