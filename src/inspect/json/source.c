/* src/inspect/json/source.c -- finds fields in a JSON object, records paths and used keys. */
#include "inspect/json/source.h"

#include "base/suggestion.h"

#include "base/assert.h"

#include <stdio.h>
#include <string.h>

static sb_json_level *top(sb_json_source *s)
{
    SB_ASSERT(s->depth > 0);
    return &s->levels[s->depth - 1];
}

/* ---- paths ---- */

static sb_json_path path_here(const sb_json_source *s)
{
    sb_json_path p = { .size = 0 };
    sb_json_path_append(&p, s->prefix);
    for (size_t i = 1; i < s->depth; i++)
        sb_json_path_step(&p, s->levels[i].name, s->levels[i].index);
    return p;
}

static sb_json_path path_of(sb_json_source *s, const char *name)
{
    sb_json_path   p = path_here(s);
    sb_json_level *level = top(s);
    sb_json_path_step(&p, level->list ? NULL : name, level->next > 0 ? level->next - 1 : 0);
    return p;
}

/* Keeps only the first error. */
static sb_answer refuse(sb_json_source *s, const sb_json_path *p, const char *reason)
{
    if (!s->failed) snprintf(s->error->text, sizeof s->error->text, "%s: %s", p->text, reason);
    s->failed = true;
    return SB_REFUSED;
}

/* ---- finding fields ---- */

static void mark_key(sb_json_level *level, const char *name, bool used)
{
    size_t i = 0;
    while (i < level->key_count && strcmp(level->keys[i], name) != 0) i++;
    if (i == level->key_count) {
        SB_ASSERT(level->key_count < SB_JSON_KEYS_MAX);
        level->keys[level->key_count++] = name;
        level->used[i] = false;
    }
    if (used) level->used[i] = true;
}

static const json_t *unless_null(const json_t *json)
{
    return json_is_null(json) ? NULL : json;
}

static const json_t *find_member(sb_json_level *level, const char *name)
{
    if (!level->json) return NULL;
    return unless_null(level->list ? json_array_get(level->json, level->next)
                                   : json_object_get(level->json, name));
}

/* Finds a member and marks it as used; in a list, moves on to the next item. */
static const json_t *use_member(sb_json_level *level, const char *name)
{
    const json_t *json = find_member(level, name);
    if (level->list) level->next++;
    else mark_key(level, name, true);
    return json;
}

static bool ask_for_field(void *self, const sb_field *field)
{
    sb_json_level *level = top(self);
    if (!level->list) mark_key(level, field->name, field->derived || field->kind == SB_KIND_NOTE);
    return find_member(level, field->name) != NULL;
}

/* Builds the payload from "message", if there is one. */
static sb_answer build_payload(sb_json_source *s, const json_t *payload, sb_value *out)
{
    const json_t *message = use_member(top(s), "message");
    if (!message) return SB_ABSENT;
    if (payload && json_is_false(json_object_get(message, "ok"))) return SB_ABSENT;
    sb_json_path p = path_of(s, "message");
    if (s->build_message(s->self, message, p.text, &out->bytes)) return SB_GIVEN;
    s->failed = true;
    return SB_REFUSED;
}

static sb_answer read_value(sb_json_source *s, const json_t *json, const sb_field *field,
                            size_t count, sb_value *out)
{
    sb_json_reason reason = { "" };
    if (!json) return SB_ABSENT;
    if (sb_json_read_value(json, field, count, s->arena, out, &reason)) return SB_GIVEN;
    sb_json_path p = path_of(s, field->name);
    return refuse(s, &p, reason.text);
}

/* Reads "payload" or builds it from "message"; if the line has both, they must agree. */
static sb_answer payload_value(sb_json_source *s, const json_t *json, const sb_field *field,
                               sb_value *out)
{
    sb_value  built = { 0 };
    sb_answer message = build_payload(s, json, &built);
    sb_answer payload = message == SB_REFUSED ? SB_REFUSED : read_value(s, json, field, 0, out);
    if (message != SB_GIVEN || payload == SB_REFUSED) return payload;
    if (payload == SB_ABSENT) out->bytes = built.bytes;
    bool same =
        out->bytes.size == built.bytes.size &&
        (built.bytes.size == 0 || memcmp(out->bytes.data, built.bytes.data, built.bytes.size) == 0);
    if (same) return SB_GIVEN;
    sb_json_path p = path_of(s, field->name);
    return refuse(s, &p, "payload and message differ; remove one");
}

static sb_answer value(void *self, const sb_field *field, sb_value *out, size_t count)
{
    sb_json_source *s = self;
    const json_t   *json = use_member(top(s), field->name);
    if (s->build_message && !top(s)->list && strcmp(field->name, "payload") == 0)
        return payload_value(s, json, field, out);
    return read_value(s, json, field, count, out);
}

static sb_answer check_group_or_list(const json_t *json, bool list, size_t max,
                                     sb_json_reason *reason)
{
    if (!json) return SB_ABSENT;
    if (list ? !json_is_array(json) : !json_is_object(json))
        sb_json_refuse(reason, "%s is not an %s", SB_JSON_DESCRIBE(json),
                       list ? "array" : "object");
    else if (list && json_array_size(json) > max)
        sb_json_refuse(reason, "%zu items, at most %zu", json_array_size(json), max);
    else return SB_GIVEN;
    return SB_REFUSED;
}

/* Enters a missing group or list too, because the builder asks for its fields in any case. */
static sb_answer enter(void *self, const sb_field *field, size_t *count)
{
    sb_json_source *s = self;
    bool            in_list = top(s)->list, list = field->kind == SB_KIND_LIST;
    size_t          index = top(s)->next;
    const json_t   *json = use_member(top(s), field->name);
    sb_json_reason  reason = { "" };
    sb_answer       answer = check_group_or_list(json, list, *count, &reason);
    if (answer != SB_REFUSED && s->depth == SB_JSON_DEPTH_MAX) {
        sb_json_refuse(&reason, "nested too deep");
        answer = SB_REFUSED;
    }
    if (answer == SB_REFUSED) {
        sb_json_path p = path_of(s, field->name);
        return refuse(s, &p, reason.text);
    }
    sb_json_level *level = &s->levels[s->depth++];
    level->json = json;
    level->name = in_list ? NULL : field->name;
    level->index = index;
    level->list = list;
    level->next = 0;
    level->key_count = 0;
    *count = json && list ? json_array_size(json) : json != NULL;
    return answer;
}

/* ---- unused keys ---- */

static bool was_used(const sb_json_level *level, const char *key)
{
    if (strcmp(key, "subsystem") == 0) return true; /* decode adds this note to many groups */
    for (size_t i = 0; i < level->key_count; i++)
        if (strcmp(level->keys[i], key) == 0) return level->used[i];
    return false;
}

/* Stores where the unused key is, so that probe.c can find out whether another unit of this type
 * has it. */
static void store_stray(sb_json_source *s, const char *key)
{
    if (s->failed) return;
    s->stray_depth = s->depth;
    s->stray_path = path_of(s, key);
    for (size_t i = 1; i < s->depth; i++) s->stray[i - 1] = s->levels[i].name;
    s->stray[s->depth - 1] = key;
}

static void refuse_key(sb_json_source *s, const char *key)
{
    store_stray(s, key);
    sb_json_level *level = top(s);
    sb_json_reason reason = { "" };
    const char    *open[SB_JSON_KEYS_MAX] = { NULL }; /* fields the object lacks */
    bool           asked = false;
    for (size_t i = 0; i < level->key_count; i++) {
        if (strcmp(level->keys[i], key) == 0) asked = true;
        if (!json_object_get(level->json, level->keys[i])) open[i] = level->keys[i];
    }
    const char *nearest = asked ? NULL : sb_suggestion_find(key, open, level->key_count);
    if (nearest) sb_json_refuse(&reason, "no such field here, did you mean \"%s\"?", nearest);
    else if (asked) sb_json_refuse(&reason, "not allowed here: another field excludes it");
    else sb_json_refuse(&reason, "no such field here");
    sb_json_path p = path_of(s, key);
    refuse(s, &p, reason.text);
}

static bool check_keys(sb_json_source *s)
{
    const sb_json_level *level = top(s);
    if (!level->json || level->list) return true;
    const char *key;
    json_t     *ignored;
    json_object_foreach((json_t *)(uintptr_t)level->json, key, ignored)
    {
        if (json_is_null(ignored) || was_used(level, key)) continue;
        refuse_key(s, key);
        return false;
    }
    return true;
}

static void leave(void *self, const sb_field *field)
{
    sb_json_source *s = self;
    (void)field;
    (void)check_keys(s); /* sb_json_source_finish reports a failure */
    SB_ASSERT(s->depth > 1);
    s->depth--;
}

/* ---- the whole ---- */

void sb_json_source_init(sb_json_source *s, const json_t *object, const char *prefix,
                         sb_arena *arena, sb_json_error *error)
{
    s->source = (sb_source){ s, ask_for_field, value, enter, leave };
    s->arena = arena;
    s->error = error;
    s->failed = false;
    s->prefix = prefix;
    s->build_message = NULL;
    s->self = NULL;
    s->stray_depth = 0;
    s->depth = 1;
    s->levels[0].json = object;
    s->levels[0].name = NULL;
    s->levels[0].index = 0;
    s->levels[0].list = false;
    s->levels[0].next = 0;
    s->levels[0].key_count = 0;
}

/* Reports a refusal of the builder, at the field it names or at the group that is open. */
static void refuse_result(sb_json_source *s, sb_result result, const sb_refusal *refusal)
{
    const char  *name = refusal ? refusal->field : NULL;
    bool         inside = s->depth > 1 && name && top(s)->name && strcmp(top(s)->name, name) == 0;
    sb_json_path p = name && !inside ? path_of(s, name) : path_here(s);
    bool         lacking = name && !inside && !top(s)->list && !find_member(top(s), name);
    refuse(s, &p,
           result == SB_FULL ? "too many bytes"
           : lacking         ? "missing, or outside what the spec allows"
                             : sb_result_text(result));
}

bool sb_json_source_finish(sb_json_source *s, sb_result result, const sb_refusal *refusal)
{
    if (result != SB_OK) refuse_result(s, result, refusal);
    if (!s->failed) (void)check_keys(s);
    return !s->failed;
}
