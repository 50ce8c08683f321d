/* src/inspect/json/probe.c -- a source that changes one answer and records which fields the
 * builder then asks for.
 *
 * Tests:    tests/inspect/json/error_test.c
 */
#include "inspect/json/probe.h"

#include "base/suggestion.h"

#include "base/assert.h"

#include <stdio.h>
#include <string.h>

enum {
    CHOICES_MAX = 16,    /* fields of a unit that other fields may depend on */
    WORDS_MAX = 96,      /* keys allowed in the group of the unused key */
    NAMED_MAX = 6,       /* values that an explanation lists */
    INVENTED_ITEMS = 12, /* items of an invented list; no ship's list is longer */
    INVENTED_DEPTH = 8,  /* deeper invented lists are empty */
};

/* Answers that the probe gives by itself, without the line; a set of bits. */
typedef enum mode {
    MODE_HAS = 1,  /* every field is present */
    MODE_ONES = 2, /* flags and booleans are set */
    MODE_ZERO = 4, /* numbers are 0 instead of their default */
    MODE_COUNT = 8,
} mode;

typedef struct probe {
    sb_source             source;
    const sb_json_source *failed;
    sb_json_source       *line; /* gives the answers of the line; NULL: `mode` decides */
    unsigned              mode;
    const sb_field       *changed; /* the field whose answer is changed, or NULL */
    uint32_t              number;  /* the changed answer; for flags the bits to set */
    bool                  without; /* for flags: clear these bits instead */
    bool                  found;   /* the unused key was asked for */
    size_t                choice_count;
    const sb_field       *choices[CHOICES_MAX];
    size_t                word_count;
    const char           *words[WORDS_MAX];
    size_t                depth;
    const char           *path[SB_JSON_DEPTH_MAX]; /* NULL: an item of a list */
    bool                  list[SB_JSON_DEPTH_MAX];
} probe;

static bool same_step(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool in_list(const probe *p)
{
    return p->depth > 0 && p->list[p->depth - 1];
}

static void store_word(probe *p, const char *word)
{
    for (size_t i = 0; i < p->word_count; i++)
        if (strcmp(p->words[i], word) == 0) return;
    if (p->word_count < WORDS_MAX) p->words[p->word_count++] = word;
}

static void watch(probe *p, const sb_field *field)
{
    const sb_json_source *f = p->failed;
    if (p->depth + 1 != f->stray_depth || in_list(p)) return;
    for (size_t i = 0; i < p->depth; i++)
        if (!same_step(p->path[i], f->stray[i])) return;
    store_word(p, field->name);
    if (strcmp(field->name, f->stray[p->depth]) == 0) p->found = true;
}

static bool is_choice(const sb_field *field)
{
    return field->kind == SB_KIND_BIT || (field->names && field->kind <= SB_KIND_FLAGS);
}

static void store_choice(probe *p, const sb_field *field)
{
    if (!is_choice(field) || p->choice_count == CHOICES_MAX) return;
    for (size_t i = 0; i < p->choice_count; i++)
        if (p->choices[i] == field) return;
    p->choices[p->choice_count++] = field;
}

static bool is_changed(const probe *p, const sb_field *field)
{
    return p->changed && strcmp(p->changed->name, field->name) == 0;
}

static bool has(void *self, const sb_field *field)
{
    probe *p = self;
    bool   there = p->line ? p->line->source.has(p->line, field) : (p->mode & MODE_HAS) != 0;
    return is_changed(p, field) || there;
}

static sb_answer invent_value(const probe *p, const sb_field *field, sb_value *out)
{
    bool     bits = field->kind == SB_KIND_BIT || field->kind == SB_KIND_FLAGS;
    uint32_t ones = field->kind == SB_KIND_BIT ? 1 : UINT8_MAX;
    if (!bits && (field->kind > SB_KIND_ID || !(p->mode & MODE_ZERO))) return SB_ABSENT;
    out->number = bits && (p->mode & MODE_ONES) ? ones : 0;
    return SB_GIVEN;
}

static sb_answer value(void *self, const sb_field *field, sb_value *out, size_t count)
{
    probe *p = self;
    watch(p, field);
    store_choice(p, field);
    sb_answer answer =
        p->line ? p->line->source.value(p->line, field, out, count) : invent_value(p, field, out);
    if (!is_changed(p, field) || answer == SB_REFUSED) return answer;
    if (field->kind != SB_KIND_FLAGS) out->number = p->number;
    else out->number = p->without ? out->number & ~p->number : out->number | p->number;
    return SB_GIVEN;
}

static sb_answer invent_list(const probe *p, const sb_field *field, size_t *count)
{
    size_t max = p->depth < 2 ? INVENTED_ITEMS : p->depth < INVENTED_DEPTH ? 1 : 0;
    if (field->kind != SB_KIND_LIST) max = 1;
    if (*count > max) *count = max;
    return SB_GIVEN;
}

static sb_answer enter(void *self, const sb_field *field, size_t *count)
{
    probe *p = self;
    watch(p, field);
    if (p->depth == SB_JSON_DEPTH_MAX) return SB_REFUSED;
    sb_answer answer =
        p->line ? p->line->source.enter(p->line, field, count) : invent_list(p, field, count);
    if (answer == SB_REFUSED) return answer;
    p->path[p->depth] = in_list(p) ? NULL : field->name;
    p->list[p->depth++] = field->kind == SB_KIND_LIST;
    return answer;
}

static void leave(void *self, const sb_field *field)
{
    probe *p = self;
    SB_ASSERT(p->depth > 0);
    p->depth--;
    if (p->line) p->line->source.leave(p->line, field);
}

/* ---- trying ---- */

typedef struct attempt {
    probe           probe;
    sb_json_rebuild rebuild;
    void           *self;
    sb_json_source  line;
    sb_json_error   ignored;
    sb_arena        arena; /* reset before each try, as there may be hundreds */
} attempt;

static bool asks_for_key(attempt *a, bool as_line, const sb_field *changed, uint32_t number)
{
    probe *p = &a->probe;
    p->line = as_line ? &a->line : NULL;
    p->changed = changed;
    p->number = number;
    p->found = false;
    p->depth = 0;
    const sb_json_source *f = p->failed;
    sb_arena_reset(&a->arena);
    if (as_line)
        sb_json_source_init(&a->line, f->levels[0].json, f->prefix, &a->arena, &a->ignored);
    a->rebuild(a->self, &p->source);
    return p->found;
}

/* Tries each value of `field`; `reason` lists those with which the builder asks for the key. */
static bool try_field(attempt *a, const sb_field *field, bool without, sb_json_reason *reason)
{
    static const sb_name bits[] = { { 1, "true", NULL }, { 0, "false", NULL }, { 0 } };
    const sb_name       *names = field->names ? field->names() : bits;
    size_t               count = 0, size = 0;
    a->probe.without = without;
    for (; names->name && count <= NAMED_MAX; names++) {
        if (!asks_for_key(a, true, field, names->value)) continue;
        char start[80];
        snprintf(start, sizeof start, "only with%s %.40s ", without ? "out" : "", field->name);
        int more = snprintf(reason->text + size, sizeof reason->text - size, "%s%.20s",
                            count == 0           ? start
                            : count == NAMED_MAX ? ", ..."
                                                 : " or ",
                            count == NAMED_MAX ? "" : names->name);
        size += (size_t)more;
        count++;
    }
    a->probe.without = false;
    return count > 0;
}

/* Builds from the line with one choice changed at a time. */
static bool try_choices(attempt *a, sb_json_reason *reason)
{
    if (asks_for_key(a, true, NULL, 0)) /* unchanged: another item of the list uses the key */
        return !sb_json_refuse(reason, "not allowed in this item");
    for (size_t i = 0; i < a->probe.choice_count; i++) {
        const sb_field *field = a->probe.choices[i];
        if (try_field(a, field, false, reason)) return true;
        if (field->kind == SB_KIND_FLAGS && try_field(a, field, true, reason)) return true;
    }
    return false;
}

/* True if any unit of this type asks for the key, independent of the line. */
static bool any_unit_asks(attempt *a)
{
    for (a->probe.mode = 0; a->probe.mode < MODE_COUNT; a->probe.mode++)
        if (asks_for_key(a, false, NULL, 0)) return true;
    a->probe.mode = 0;
    for (size_t i = 0; i < a->probe.choice_count; i++) {
        const sb_field *field = a->probe.choices[i];
        for (const sb_name *n = field->names ? field->names() : NULL; n && n->name; n++)
            if (asks_for_key(a, false, field, n->value)) return true;
    }
    return false;
}

static bool explain(attempt *a, sb_json_reason *reason)
{
    const sb_json_source *failed = a->probe.failed;
    if (try_choices(a, reason)) return true;
    if (any_unit_asks(a))
        return !sb_json_refuse(reason, "not allowed here: another field excludes it");
    const char *key = failed->stray[failed->stray_depth - 1];
    const char *nearest = sb_suggestion_find(key, a->probe.words, a->probe.word_count);
    if (!nearest) return false;
    return !sb_json_refuse(reason, "no such field here, did you mean \"%s\"?", nearest);
}

bool sb_json_explain_stray(const sb_json_source *failed, sb_json_rebuild rebuild, void *self,
                           sb_json_reason *reason)
{
    SB_ASSERT(failed->stray_depth > 0);
    attempt a = { .rebuild = rebuild, .self = self };
    a.probe.source = (sb_source){ &a.probe, has, value, enter, leave };
    a.probe.failed = failed;
    bool explained = explain(&a, reason);
    sb_arena_free(&a.arena);
    return explained;
}
