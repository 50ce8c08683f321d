/* tests/inspect/field_names_test.c -- every field that a record can show is a known name. */
#include "inspect/field_names.h"

#include <starbase/datagram.h>
#include <starbase/message.h>
#include <stdio.h>
#include <string.h>

#include "../test.h"
#include "inspect/show.h"
#include "message/table.h"
#include "wire/random_source.h"

enum { ROUNDS = 60, UNIT_MAX = 1 << 16 };

static sb_field_names names;
static uint8_t        bytes[UNIT_MAX], buffer[UNIT_MAX];

static bool is_known(const char *text)
{
    sb_dotted dotted;
    CHECK(sb_dotted_init(&dotted, text, strlen(text)));
    return sb_field_names_has(&names, &dotted);
}

/* Asks for the path of each field, or its end if it has more names than a filter may have. */
static void check_known(const sb_path *path, const sb_field *f)
{
    char   text[256];
    size_t at = 0, first = path->depth, count = 1;
    while (first > 0 && count < SB_PATH_NAMES_MAX) count += path->names[--first] != NULL;
    for (size_t i = first; i < path->depth; i++)
        if (path->names[i])
            at += (size_t)snprintf(text + at, sizeof text - at, "%s.", path->names[i]);
    if (path->lists[path->depth - 1]) text[at - 1] = '\0'; /* an item has the name of its list */
    else snprintf(text + at, sizeof text - at, "%s", f->name);
    if (!is_known(text)) FAIL("unknown: %s", text);
}

static void shown_value(void *self, const sb_field *f, const sb_value *v, size_t at, size_t size)
{
    (void)v, (void)at, (void)size;
    check_known(self, f);
}

static void shown_enter(void *self, const sb_field *f)
{
    check_known(self, f);
    sb_path_push(self, f);
}

static void shown_leave(void *self, const sb_field *f)
{
    (void)f;
    sb_path_pop(self);
}

static void check_record(const sb_record *r)
{
    sb_path       path;
    const sb_sink sink = { &path, shown_value, shown_enter, shown_leave };
    sb_path_init(&path);
    (void)!sb_show_record(r, &sink, NULL);
}

TEST(field_names_know_every_field_of_random_messages)
{
    sb_field_names_init(&names);
    const sb_ship_set *ships = sb_stock_ships();
    for (unsigned opcode = 0; opcode < 256; opcode++)
        for (uint64_t round = 0; round < ROUNDS; round++) {
            sb_random_source random;
            sb_record        r = { .layer = SB_LAYER_MESSAGE };
            sb_random_source_init(&random, opcode * 1000 + round, buffer, sizeof buffer);
            sb_source source = sb_random_source_of(&random);
            r.context = (sb_message_context){ .ship = &ships->ships[round % ships->count],
                                              .own = round % 2 != 0 };
            size_t size = 0;
            if (sb_build_message((uint8_t)opcode, &r.context, &source, bytes, sizeof bytes, &size,
                                 NULL) != SB_OK)
                continue;
            r.bytes = (sb_span){ bytes, size };
            check_record(&r);
        }
}

TEST(field_names_know_every_field_of_random_datagrams)
{
    sb_field_names_init(&names);
    for (uint64_t round = 0; round < 20 * ROUNDS; round++) {
        sb_random_source random;
        sb_record        r = { .layer = round % 2 ? SB_LAYER_PLAIN : SB_LAYER_TRANSPORT,
                               .from = (sb_side)(round / 2 % 3) };
        sb_random_source_init(&random, round, buffer, sizeof buffer);
        sb_source source = sb_random_source_of(&random);
        size_t    size = 0;
        sb_result built =
            r.layer == SB_LAYER_PLAIN
                ? sb_build_datagram(&source, bytes, sizeof bytes, &size, NULL)
                : sb_build_transport_message(&source, r.from, bytes, sizeof bytes, &size, NULL);
        if (built != SB_OK) continue;
        r.bytes = (sb_span){ bytes, size };
        check_record(&r);
    }
}

TEST(field_names_know_queries_and_messages_in_datagrams)
{
    static const char query[] = "\\hostname\\x\\final\\";
    sb_field_names_init(&names);
    check_record(&(sb_record){ .layer = SB_LAYER_GAMESPY,
                               .bytes = { (const uint8_t *)query, sizeof query - 1 } });
    uint8_t data[64];
    size_t  size = test_hex("01 01 32 0800 1D FFFFFF3F", data, sizeof data);
    check_record(&(sb_record){ .layer = SB_LAYER_PLAIN, .bytes = { data, size } });
    CHECK(is_known("message.fields.object_id"));
    CHECK(is_known("messages.message.fields.entries.condition"));
    CHECK(!is_known("message.fields.nosuch"));
}

TEST(field_names_accept_parts_of_values_that_have_them)
{
    static const struct {
        const char *name;
        bool        known;
    } rows[] = {
        { "object_id", true },
        { "OBJECT_ID", true },
        { "position.x", true },
        { "position.w", false },
        { "orientation.w", true },
        { "object_id.x", false },
        { "speed.code", true },
        { "delta.magnitude", true },
        { "position.magnitude", false },
        { "entries.condition", true },
        { "entries.condition.code", true },
        { "fields.object_id", true },
        { "condition.entries", false },
        { "POSITION_ABSOLUTE", true },
        { "entries.subsystem", true },
        { "pairs.level", true },
        { "entries.children.code", true },
        { "entries.x", false },
        { "block", true },
        { "extension", true },
        { "rest", true },
        { "trailing", true },
        { "groups", true },
        { "numbers", true },
        { "nosuch", false },
        { "object", false },
    };
    sb_field_names_init(&names);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is_known(rows[i].name) != rows[i].known) FAIL("%s", rows[i].name);
}

TEST(field_names_suggest_the_nearest_name)
{
    static const struct {
        const char *wrong, *right;
    } rows[] = {
        { "objekt_id", "object_id" },
        { "positon", "position" },
        { "entries.conditon", "entries.condition" },
        { "elapsd", "elapsed" },
        { "opcod", "opcode" },
        { "nonsense_of_somebody", NULL },
    };
    sb_field_names_init(&names);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char    hint[SB_FIELD_HINT_MAX] = "";
        sb_span wrong = { (const uint8_t *)rows[i].wrong, strlen(rows[i].wrong) };
        CHECK_EQ(sb_field_names_suggest(&names, wrong, hint), rows[i].right != NULL);
        if (rows[i].right) CHECK_TEXT(hint, rows[i].right);
    }
}

TEST(field_names_take_fields_of_messages_without_description)
{
    static const sb_field warp = { .name = "warp_core", .kind = SB_KIND_U16 };
    sb_path               path;
    sb_field_names_init(&names);
    CHECK(!is_known("warp_core"));
    sb_path_init(&path);
    sb_field_names_add(&names, &path, &warp);
    size_t count = names.count;
    sb_field_names_add(&names, &path, &warp);
    CHECK_EQ(names.count, count);
    CHECK(is_known("warp_core"));
    CHECK(is_known("fields.warp_core"));
}
