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

TEST(the_first_and_the_last_opcode_can_be_defined)
{
    static const sb_definition  first = { TYPE(0x00, "FIRST"), warp_fields, 2 };
    static const sb_definition  last = { TYPE(0xFF, "LAST"), warp_fields, 2 };
    static const sb_definitions ends = { .of = { [0x00] = &first, [0xFF] = &last } };
    CHECK_EQ(sb_find_defined_type_by_name(&ends, "FIRST")->opcode, 0x00);
    CHECK_EQ(sb_find_defined_type_by_name(&ends, "LAST")->opcode, 0xFF);
    CHECK(!sb_find_defined_type_by_name(&ends, "FIRST2"));
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
    CHECK_EQ(count, 0); /* no field is a list of ratios */
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

TEST(text_runs_have_four_printable_bytes_or_more)
{
    static const struct {
        const char *content, *text; /* NULL: no text is shown */
    } rows[] = {
        { "abc", NULL },
        { "abcd", "abcd" },
        { "\x1F   ~\x7F", "   ~" },
        { "\x1F  ~\x7F", NULL },
        { "abc\x01"
          "defg\x02hij",
          "defg" },
        { "abcd\x01"
          "efgh",
          "abcd efgh" },
        { "", NULL },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t bytes[32] = { 0xD0 };
        size_t  size = strlen(rows[i].content);
        memcpy(bytes + 1, rows[i].content, size);
        CHECK(!check_shown_builds_the_same((sb_span){ bytes, 1 + size }));
        const entry *text = find_leftover(&shown, "text");
        CHECK_EQ(text != NULL, rows[i].text != NULL);
        if (text)
            CHECK_BYTES(text->value.bytes.data, text->value.bytes.size, rows[i].text,
                        strlen(rows[i].text));
    }
}

/* Runs of `first` and `second` bytes; a blank joins them. */
static size_t shown_run_bytes(size_t first, size_t second)
{
    uint8_t bytes[300] = { 0xD0 };
    memset(bytes + 1, 'a', first);
    memset(bytes + 2 + first, 'b', second);
    CHECK(!check_shown_builds_the_same((sb_span){ bytes, 2 + first + second }));
    return find_leftover(&shown, "text")->value.bytes.size;
}

TEST(text_runs_end_after_120_bytes)
{
    CHECK_EQ(shown_run_bytes(119, 0), 119);
    CHECK_EQ(shown_run_bytes(120, 0), 120);
    CHECK_EQ(shown_run_bytes(121, 0), 120);
    CHECK_EQ(shown_run_bytes(110, 9), 120);
    CHECK_EQ(shown_run_bytes(110, 10), 120);
    CHECK_EQ(shown_run_bytes(118, 4), 120); /* a blank and one byte fit */
    CHECK_EQ(shown_run_bytes(119, 4), 119); /* no blank without a byte behind it */
    CHECK_EQ(shown_run_bytes(120, 4), 120);
}

static bool notes_that_it_was_asked(void *self, const sb_field *f)
{
    if (strcmp(f->name, "text") == 0) *(bool *)self = true;
    return false;
}

static sb_answer gives_nothing(void *self, const sb_field *f, sb_value *v, size_t count)
{
    (void)self, (void)f, (void)v, (void)count;
    return SB_ABSENT;
}

/* Else a source that rejects unknown keys would reject what was shown. */
TEST(a_source_is_asked_for_the_text_beside_bytes)
{
    bool      asked = false;
    sb_source source = { &asked, notes_that_it_was_asked, gives_nothing, NULL, NULL };
    uint8_t   out[8];
    size_t    size;
    CHECK_EQ(sb_build_message(0xD0, &context, &source, out, sizeof out, &size, NULL), SB_OK);
    CHECK_EQ(size, 1);
    CHECK(asked);
}

/* ---- conditions ---- */

/* Shows the bytes by these fields; returns the number of values. */
static size_t count_shown(const sb_defined_field *fields, size_t count, sb_span bytes)
{
    static sb_definition  definition = { TYPE(0xD1, "NOW") };
    static sb_definitions now = { .of = { [0xD1] = &definition } };
    definition.fields = fields;
    definition.field_count = count;
    sb_message_context with = { .definitions = &now };
    shown.count = shown.next = shown.used = shown.depth = 0;
    sb_sink sink = { &shown, record_value, record_enter, record_leave };
    CHECK_EQ(sb_show_message(bytes, &with, &sink, NULL), SB_OK);
    return shown.count;
}

TEST(conditions_read_every_kind_of_number)
{
    static const struct {
        sb_kind     kind;
        const char *hex;
        const char *holds, *fails;
    } rows[] = {
        { SB_KIND_U8, "D1 85 07", "n is 0x85", "n is 5" },
        { SB_KIND_FLAGS, "D1 85 07", "n has 0x84", "n lacks 0x80" },
        { SB_KIND_I8, "D1 FE 07", "n is 0xFFFFFFFE", "n is 0xFE" },
        { SB_KIND_U16, "D1 34 12 07", "n is 0x1234", "n is 0x34" },
        { SB_KIND_U32, "D1 04 03 02 01 07", "n is 0x01020304", "n is 0x0304" },
        { SB_KIND_I32, "D1 FF FF FF FF 07", "n is 0xFFFFFFFF", "n is 0xFF" },
        { SB_KIND_ID, "D1 FF FF 03 40 07", "n is 0x4003FFFF", "n is not 0x4003FFFF" },
        { SB_KIND_BIT, "D1 21 07", "n is 1", "n is 0" },
        { SB_KIND_BIT, "D1 20 07", "n is 0", "n is 1" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t          bytes[16];
        sb_span          span = { bytes, test_hex(rows[i].hex, bytes, sizeof bytes) };
        sb_defined_field fields[] = { F("n", U8), F("more", U8) };
        fields[0].field.kind = rows[i].kind;
        fields[1].field.when = rows[i].holds;
        CHECK_EQ(count_shown(fields, 2, span), 2);
        CHECK_TEXT(shown.entries[1].name, "more");
        CHECK_EQ(shown.entries[1].value.number, 7);
        fields[1].field.when = rows[i].fails;
        CHECK_EQ(count_shown(fields, 2, span), 2);
        CHECK_TEXT(shown.entries[1].name, "trailing");
    }
}

static bool same_reals(const sb_value *v, size_t count, const float *expected)
{
    for (size_t i = 0; i < count; i++)
        if (v->real[i] != expected[i]) return false;
    return true;
}

TEST(values_of_every_compressed_kind_are_shown_decoded)
{
    static const struct {
        sb_kind     kind;
        const char *hex;
        uint32_t    number;
        size_t      count;
        float       real[4];
    } rows[] = {
        { SB_KIND_RATIO, "D1 33", 0x33, 1, { 0.2f } },
        { SB_KIND_PERCENT, "D1 32", 0x32, 1, { 0.5f } },
        { SB_KIND_LEVEL, "D1 66", 0x66, 1, { 0.5f } },
        { SB_KIND_SWITCH, "D1 CE", 0xFFFFFFCE, 1, { 0.5f } },
        { SB_KIND_CF16, "D1 00 80", 0x8000, 1, { -0.0f } },
        { SB_KIND_CV3, "D1 7F 00 81", 0, 3, { 1, 0, -1 } },
        { SB_KIND_CV4, "D1 00 7F 81 00 00", 0, 3, { 0, 0, 0 } },
        { SB_KIND_CV4B, "D1 00 7F 81 FF", 0xFF, 3, { 0, 1, -1 } },
        { SB_KIND_CV4F, "D1 00 7F 81 00 00 00 3F", 0, 4, { 0, 0.5f, -0.5f, 0.5f } },
        { SB_KIND_F32, "D1 00 00 00 3F", 0, 1, { 0.5f } },
        { SB_KIND_VEC3, "D1 00 00 80 3F 00 00 00 40 00 00 40 40", 0, 3, { 1, 2, 3 } },
        { SB_KIND_QUAT,
          "D1 00 00 80 3F 00 00 00 40 00 00 40 40 00 00 80 40",
          0,
          4,
          { 1, 2, 3, 4 } },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t          bytes[24];
        sb_span          span = { bytes, test_hex(rows[i].hex, bytes, sizeof bytes) };
        sb_defined_field field = F("v", U8);
        field.field.kind = rows[i].kind;
        CHECK_EQ(count_shown(&field, 1, span), 1);
        CHECK_EQ(shown.entries[0].value.number, rows[i].number);
        if (!same_reals(&shown.entries[0].value, rows[i].count, rows[i].real))
            FAIL("%s has another value", rows[i].hex);
    }
    static const uint8_t far[] = { 0xD1, 0x7F, 0, 0, 0xFF, 0x7F };
    sb_defined_field     field = F("v", CV4);
    CHECK_EQ(count_shown(&field, 1, (sb_span){ far, sizeof far }), 1);
    CHECK(shown.entries[0].value.real[0] > 9999.0f);
}

TEST(conditions_know_only_the_fields_before_them)
{
    static const uint8_t          bytes[] = { 0xD1, 0, 0, 0, 0 };
    static const sb_defined_field fields[] = {
        F("a", U8),                       /* 0 */
        F("b", U8, .when = "c is 0"),     /* absent: c comes later */
        F("c", U8),                       /* 0 */
        F("d", U8, .when = "b is 0"),     /* absent: b is absent */
        F("e", U8, .when = "b is not 0"), /* there, for the same reason */
        F("f", U8, .when = "e is 0"),     /* there */
    };
    CHECK_EQ(count_shown(fields, 6, (sb_span){ bytes, sizeof bytes }), 4);
    CHECK_TEXT(shown.entries[1].name, "c");
    CHECK_TEXT(shown.entries[2].name, "e");
    CHECK_TEXT(shown.entries[3].name, "f");
}

/* ---- lists ---- */

/* A source of lists with this many items; every value is the default. */
static sb_answer enter_many(void *self, const sb_field *f, size_t *count)
{
    *count = f->kind == SB_KIND_LIST ? *(size_t *)self : 1;
    return SB_GIVEN;
}

static bool has_nothing(void *self, const sb_field *f)
{
    (void)self, (void)f;
    return false;
}

static void leave_any(void *self, const sb_field *f)
{
    (void)self, (void)f;
}

TEST(a_list_has_as_many_items_as_its_count_can_say)
{
    static const sb_defined_field item[] = { F("x", U8) };
    static uint8_t                out[1 << 17];
    static const struct {
        bool    to_the_end;
        sb_kind count_kind;
        size_t  head, most; /* bytes before the items */
    } rows[] = {
        { false, SB_KIND_U8, 2, 255 },
        { false, SB_KIND_U16, 3, 65535 },
        { true, SB_KIND_U8, 1, 65535 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sb_defined_field   list = { .field = { .name = "xs", .kind = SB_KIND_LIST },
                                    .count = { .name = "n", .kind = rows[i].count_kind },
                                    .to_the_end = rows[i].to_the_end,
                                    .items = item,
                                    .item_count = 1 };
        sb_definition      one = { TYPE(0xD1, "NOW"), &list, 1 };
        sb_definitions     now = { .of = { [0xD1] = &one } };
        sb_message_context with = { .definitions = &now };
        for (size_t count = rows[i].most - 1; count <= rows[i].most + 1; count++) {
            sb_source source = { &count, has_nothing, gives_nothing, enter_many, leave_any };
            size_t    size;
            bool      fits = count <= rows[i].most;
            CHECK_EQ(sb_build_message(0xD1, &with, &source, out, sizeof out, &size, NULL),
                     fits ? SB_OK : SB_BAD_VALUE);
            if (!fits) continue;
            CHECK_EQ(size, rows[i].head + count);
            if (rows[i].head > 1) CHECK_EQ(out[1], count & 0xFF);
            if (rows[i].head > 2) CHECK_EQ(out[2], count >> 8);
            CHECK_EQ(out[rows[i].head], 0);
            CHECK_EQ(out[size - 1], 0);
        }
    }
}

TEST(fields_follow_a_list_with_a_count)
{
    static const uint8_t          bytes[] = { 0xD1, 2, 0, 10, 11, 12, 13 };
    static const sb_defined_field item[] = { F("x", U8) };
    static const sb_defined_field list[] = { { .field = { .name = "xs", .kind = SB_KIND_LIST },
                                               .count = { .name = "n", .kind = SB_KIND_U16 },
                                               .items = item,
                                               .item_count = 1 },
                                             F("behind", U8) };
    CHECK_EQ(count_shown(list, 2, (sb_span){ bytes, sizeof bytes }), 11);
    CHECK_EQ(shown.entries[1].count, 2);
    CHECK_EQ(shown.entries[3].value.number, 10);
    CHECK_EQ(shown.entries[6].value.number, 11);
    CHECK_TEXT(shown.entries[9].name, "behind");
    CHECK_EQ(shown.entries[9].value.number, 12);
    CHECK_TEXT(shown.entries[10].name, "trailing");
}

TEST(items_to_the_end_end_with_the_message)
{
    static const uint8_t bytes[] = { 0xCF, 1, 0, 0, 0, 0x41, 1, 'a', 2, 0, 0, 0, 2, 'b', 'c' };
    CHECK(check_shown_builds_the_same((sb_span){ bytes, sizeof bytes }));
    CHECK_EQ(shown.entries[0].count, 2);
    CHECK_EQ(shown.entries[2].value.number, 1);
    CHECK_EQ(shown.entries[7].value.number, 2);
    CHECK_EQ(shown.count, 12);
    CHECK(!check_shown_builds_the_same((sb_span){ bytes, sizeof bytes - 1 })); /* half an item */
    CHECK(check_shown_builds_the_same((sb_span){ bytes, 1 }));                 /* no item */
}

/* Its note names the field and the reason. */
static void check_misfit(const sb_defined_field *fields, size_t count, sb_span bytes,
                         const char *text)
{
    (void)count_shown(fields, count, bytes);
    const entry *misfit = find_leftover(&shown, "misfit");
    CHECK(misfit);
    CHECK_BYTES(misfit->value.bytes.data, misfit->value.bytes.size, text, strlen(text));
}

TEST(an_item_without_bytes_is_no_endless_list)
{
    static const uint8_t          bytes[24] = { 0xD1 };
    static const sb_defined_field never[] = { F("x", U8, .when = "y is 1") };
    static const sb_defined_field list[] = { F("head", VEC3),
                                             F("more", U32),
                                             F("three", CV3),
                                             { .field = { .name = "xs", .kind = SB_KIND_LIST },
                                               .to_the_end = true,
                                               .items = never,
                                               .item_count = 1 } };
    check_misfit(list, 4, (sb_span){ bytes, sizeof bytes },
                 "not as NOW is defined: item at offset 20: a value is outside the range "
                 "that the spec allows");
    static const sb_defined_field nine[] = { F("more", U32),
                                             F("most", U32),
                                             { .field = { .name = "xs", .kind = SB_KIND_LIST },
                                               .to_the_end = true,
                                               .items = never,
                                               .item_count = 1 } };
    check_misfit(nine, 3, (sb_span){ bytes, sizeof bytes },
                 "not as NOW is defined: item at offset 9: a value is outside the range "
                 "that the spec allows");
}

TEST(a_misfit_note_is_cut_after_199_bytes)
{
    static const uint8_t bytes[] = { 0xD1 };
    char                 name[300], text[200] = "not as NOW is defined: ";
    sb_defined_field     field = F(name, U8);
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    memset(text + strlen(text), 'x', 199 - strlen(text));
    check_misfit(&field, 1, (sb_span){ bytes, 1 }, text);
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
