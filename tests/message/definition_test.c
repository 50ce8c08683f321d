/* tests/message/definition_test.c -- messages of mods, shown and built by their definitions. */
#include "test.h"

#include <starbase/message.h>

#include "wire/random_source.h"

#include <starbase/definition.h>
#include <string.h>

#define F(name_, kind_, ...)                                                                       \
    {                                                                                              \
        .field = {.name = name_, .kind = SB_KIND_##kind_, __VA_ARGS__ }                            \
    }

static const sb_defined_field item_fields[] = { F("id", ID), F("on", BIT), F("name", TEXT8) };
static const sb_defined_field all_kinds[] = {
    F("u8", U8),
    F("s8", I8),
    F("u16", U16),
    F("u32", U32),
    F("i32", I32),
    F("ship", ID),
    F("flags", FLAGS),
    F("bit", BIT),
    F("f32", F32),
    F("vec3", VEC3),
    F("position", POSITION),
    F("quat", QUAT),
    F("cf16", CF16),
    F("cv3", CV3),
    F("cv4", CV4),
    F("cv4f", CV4F),
    F("cv4b", CV4B),
    F("ratio", RATIO),
    F("percent", PERCENT),
    F("level", LEVEL),
    F("switch", SWITCH),
    F("lstr8", TEXT8),
    F("lstr16", TEXT16),
    F("lstr32", TEXT32),
    F("lstr32z", TEXT32Z),
    F("ipv4", ADDRESS),
    F("only_if", U16, .when = "bit is 1"),
    F("or_if", U8, .when = "u8 is 0..99 or bit is 1 and flags lacks 0x80"),
    { .field = { .name = "items", .kind = SB_KIND_LIST },
      .count = { .name = "items_count", .kind = SB_KIND_U8, .derived = true },
      .items = item_fields,
      .item_count = 3 },
    F("rest", BYTES),
};
static const sb_defined_field list_to_end[] = {
    { .field = { .name = "items", .kind = SB_KIND_LIST },
      .to_the_end = true,
      .items = item_fields,
      .item_count = 3 },
};
static const sb_defined_field warp_fields[] = { F("ship", ID), F("text", TEXT16) };

#define TYPE(opcode_, name_)                                                                       \
    .type = { .opcode = opcode_, .name = name_, .relay = SB_RELAY_CONFIGURABLE }
static const sb_definition  warp_core = { TYPE(0xCD, "WARP_CORE"), warp_fields, 2 };
static const sb_definition  kinds = { TYPE(0xCE, "KINDS"), all_kinds,
                                      sizeof all_kinds / sizeof *all_kinds };
static const sb_definition  to_end = { TYPE(0xCF, "TO_END"), list_to_end, 1 };
static const sb_definitions definitions = {
    .of = { [0xCD] = &warp_core, [0xCE] = &kinds, [0xCF] = &to_end }
};
static const sb_message_context context = { .definitions = &definitions };

TEST(a_defined_message_is_found_by_opcode_and_name)
{
    CHECK_TEXT(sb_find_defined_type(&definitions, 0xCD)->name, "WARP_CORE");
    CHECK_TEXT(sb_find_defined_type(&definitions, 0xD0)->name, "ModMessage");
    CHECK_TEXT(sb_find_defined_type(NULL, 0xCD)->name, "ModMessage");
    CHECK_EQ(sb_find_defined_type_by_name(&definitions, "warp_core")->opcode, 0xCD);
    CHECK_EQ(sb_find_defined_type_by_name(&definitions, "CHAT")->opcode, SB_OP_CHAT);
    CHECK(!sb_find_defined_type_by_name(NULL, "WARP_CORE"));
}

/* ---- what a sink gets, and the same as a source ---- */

enum { ENTRIES_MAX = 4096, TEXT_BYTES = 1 << 16 };

typedef struct entry {
    const char *name;
    sb_kind     kind;
    sb_value    value;
    int         bracket; /* 1: enter, -1: leave */
    size_t      count;   /* enter: items */
} entry;

typedef struct recording {
    entry   entries[ENTRIES_MAX];
    size_t  count, next, open[8], depth;
    uint8_t text[TEXT_BYTES];
    size_t  used;
} recording;

static void record_value(void *self, const sb_field *f, const sb_value *v, size_t at, size_t size)
{
    recording *r = self;
    (void)at, (void)size;
    CHECK(r->count < ENTRIES_MAX);
    entry *e = &r->entries[r->count++];
    *e = (entry){ .name = f->name, .kind = f->kind, .value = *v };
    if (v->bytes.size == 0) return;
    CHECK(r->used + v->bytes.size <= TEXT_BYTES);
    memcpy(r->text + r->used, v->bytes.data, v->bytes.size);
    e->value.bytes.data = r->text + r->used;
    r->used += v->bytes.size;
}

static void record_enter(void *self, const sb_field *f)
{
    recording *r = self;
    CHECK(r->count < ENTRIES_MAX);
    if (r->depth > 0) r->entries[r->open[r->depth - 1]].count++;
    r->open[r->depth++] = r->count;
    r->entries[r->count++] = (entry){ .name = f->name, .kind = f->kind, .bracket = 1 };
}

static void record_leave(void *self, const sb_field *f)
{
    recording *r = self;
    r->depth--;
    r->entries[r->count++] = (entry){ .name = f->name, .kind = f->kind, .bracket = -1 };
}

static bool is_next(recording *r, const sb_field *f)
{
    while (r->next < r->count && r->entries[r->next].bracket == 0 &&
           (r->entries[r->next].kind == SB_KIND_NOTE || strstr(r->entries[r->next].name, "_count")))
        r->next++;
    return r->next < r->count && strcmp(r->entries[r->next].name, f->name) == 0;
}

/* A source has "groups" and "trailing" at any time, so they are searched from the end. */
static const entry *find_leftover(const recording *r, const char *name)
{
    for (size_t i = r->count; i > 0; i--)
        if (strcmp(r->entries[i - 1].name, name) == 0) return &r->entries[i - 1];
    return NULL;
}

static bool is_leftover(const sb_field *f)
{
    return strcmp(f->name, "groups") == 0 || strcmp(f->name, "trailing") == 0 ||
           strcmp(f->name, "content") == 0;
}

static bool replay_has(void *self, const sb_field *f)
{
    recording *r = self;
    return is_leftover(f) ? find_leftover(r, f->name) != NULL : is_next(r, f);
}

static sb_answer replay_value(void *self, const sb_field *f, sb_value *v, size_t count)
{
    recording   *r = self;
    const entry *left = is_leftover(f) ? find_leftover(r, f->name) : NULL;
    (void)count;
    if (left) {
        *v = left->value;
        return SB_GIVEN;
    }
    if (!is_next(r, f)) return SB_ABSENT;
    *v = r->entries[r->next++].value;
    return SB_GIVEN;
}

static sb_answer replay_enter(void *self, const sb_field *f, size_t *count)
{
    recording *r = self;
    if (!is_next(r, f)) return SB_ABSENT;
    *count = f->kind == SB_KIND_LIST ? r->entries[r->next].count : 1;
    r->next++;
    return SB_GIVEN;
}

static void replay_leave(void *self, const sb_field *f)
{
    recording *r = self;
    (void)f;
    r->next++;
}

static recording shown;

/* Returns whether the fields were shown, and not the bytes. */
static bool check_shown_builds_the_same(sb_span bytes)
{
    static uint8_t again[TEXT_BYTES];
    size_t         size;
    shown.count = shown.next = shown.used = shown.depth = 0;
    sb_sink sink = { &shown, record_value, record_enter, record_leave };
    CHECK_EQ(sb_show_message(bytes, &context, &sink, NULL), SB_OK);
    sb_source source = { &shown, replay_has, replay_value, replay_enter, replay_leave };
    CHECK_EQ(sb_build_message(bytes.data[0], &context, &source, again, sizeof again, &size, NULL),
             SB_OK);
    CHECK_BYTES(again, size, bytes.data, bytes.size);
    return !find_leftover(&shown, "content");
}

TEST(fields_of_a_defined_message_are_shown)
{
    static const uint8_t bytes[] = { 0xCD, 1, 2, 3, 0x40, 2, 0, 'h', 'i' };
    CHECK(check_shown_builds_the_same((sb_span){ bytes, sizeof bytes }));
    CHECK_EQ(shown.count, 2);
    CHECK_EQ(shown.entries[0].value.number, 0x40030201);
    CHECK_BYTES(shown.entries[1].value.bytes.data, shown.entries[1].value.bytes.size, "hi", 2);
}

TEST(bytes_behind_the_fields_are_kept)
{
    static const uint8_t bytes[] = { 0xCD, 1, 2, 3, 0x40, 0, 0, 9, 9 };
    CHECK(check_shown_builds_the_same((sb_span){ bytes, sizeof bytes }));
    CHECK_TEXT(shown.entries[2].name, "trailing");
}

TEST(a_message_unlike_its_definition_is_shown_as_bytes)
{
    static const uint8_t bytes[] = { 0xCD, 1, 2, 3, 0x40, 9, 0, 'h', 'i' };
    CHECK(!check_shown_builds_the_same((sb_span){ bytes, sizeof bytes }));
    const entry *misfit = find_leftover(&shown, "misfit");
    CHECK(misfit);
    char text[200] = "";
    memcpy(text, misfit->value.bytes.data, misfit->value.bytes.size);
    CHECK(strstr(text, "WARP_CORE") && strstr(text, "text at offset 5"));
}

TEST(text_runs_are_shown_beside_bytes)
{
    static const uint8_t bytes[] = { 0xD0, 1,   'h', 'e', 'l', 'l', 'o', 0,
                                     'a',  'b', 0,   'W', 'a', 'r', 'p' };
    CHECK(!check_shown_builds_the_same((sb_span){ bytes, sizeof bytes }));
    const entry *text = find_leftover(&shown, "text");
    CHECK(text);
    CHECK_BYTES(text->value.bytes.data, text->value.bytes.size, "hello Warp", 10);
}

/* ---- properties ---- */

TEST(random_defined_messages_build_and_show_the_same)
{
    static uint8_t buffer[TEXT_BYTES], bytes[TEXT_BYTES];
    unsigned       made = 0;
    for (unsigned seed = 0; seed < 3000; seed++) {
        sb_random_source random;
        size_t           size;
        sb_random_source_init(&random, seed, buffer, sizeof buffer);
        sb_source source = sb_random_source_of(&random);
        uint8_t   opcode = (uint8_t)(0xCD + seed % 3);
        if (sb_build_message(opcode, &context, &source, bytes, sizeof bytes, &size, NULL) != SB_OK)
            continue;
        made++;
        (void)check_shown_builds_the_same((sb_span){ bytes, size });
        if (size > 4) bytes[size / 2] ^= (uint8_t)(1 + seed % 255);
        (void)check_shown_builds_the_same((sb_span){ bytes, size });
        (void)check_shown_builds_the_same((sb_span){ bytes, 1 + size / 2 });
    }
    CHECK(made > 2000);
}
