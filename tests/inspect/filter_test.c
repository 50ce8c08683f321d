/* tests/inspect/filter_test.c -- filters: which records match, and how errors are reported.
 *
 * Covers filter.c, filter_match.c, meta.c, path.c and value_numbers.c.
 */
#include "inspect/filter.h"

#include <starbase/message.h>

#include "inspect/show.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

/* Spec 03 §13.1: an Akira, flags 0x9D. */
#define STATE                                                                                      \
    "1C FF FF FF 3F 00 80 E1 41 9D 00 00 B0 42 00 00 84 C2 00 00 92 C2 21 37 FB 0B 68 46 30 BB "   \
    "5E "                                                                                          \
    "00 00 01 CC 02 CC 04 CC"
#define CHAT "2C 02 00 00 00 05 00 68 65 6C 6C 6F"

static uint8_t   bytes[512];
static sb_record record;

static const sb_record *record_of(const char *hex)
{
    static sb_message message;
    record = (sb_record){ .number = 7, .datagram = 3, .layer = SB_LAYER_MESSAGE };
    record.context.ship = sb_find_ship(sb_stock_ships(), 1);
    record.bytes = (sb_span){ bytes, test_hex(hex, bytes, sizeof bytes) };
    sb_record_decode(&record, &message);
    return &record;
}

static bool passes(const char *expression, const sb_record *r)
{
    static sb_filter filter;
    if (!sb_filter_init(&filter, expression))
        FAIL("%s: %s at %zu", expression, filter.error, filter.error_at);
    bool result = sb_filter_matches(&filter, r, 0);
    sb_filter_free(&filter);
    return result;
}

#define YES(expression) CHECK(passes(expression, r))
#define NO(expression)  CHECK(!passes(expression, r))

TEST(filters_compare_numbers_and_names)
{
    const sb_record *r = record_of(STATE);
    YES("opcode == StateUpdate");
    YES("opcode == stateupdate and object_id == 0x3FFFFFFF");
    YES("opcode == 28");
    NO("opcode == CHAT");
    YES("object_id != 1");
    YES("game_time > 28 and game_time < 29");
    YES("game_time == 28.1875");
    YES("size == 39");
    YES("speed.code == 0");
    YES("forward.code == 104");
    YES("position.x == 88 and position.y < 0");
    NO("position.y > 0");
    YES("position == -73"); /* any coordinate */
}

TEST(filters_read_numbers_as_people_write_them)
{
    const sb_record *r = record_of(STATE);
    YES("game_time == 2.81875e1 and game_time == 281875e-4 and game_time == +28.1875");
    YES("position.y == -66 and position.y == -6.6e+1 and position.y > -066.5");
    YES("pairs.level == 100% and pairs.level > .5");
    YES("size == 0x27 and size == 0X27");
    NO("hash == 39x");
    NO("hash == 0x");
    NO("hash == 1e");
    NO("game_time == 28.1875.0");
    NO("size == 1e999 or size < -1e999");
}

TEST(filters_contain_and_match_texts)
{
    const sb_record *r = record_of(CHAT);
    YES("text contains ell");
    YES("text contains \"ELL\"");
    YES("text ~ 'hello' && !(text contains goodbye)");
    NO("text contains hellos");
    YES("text matches \"^h.*o$\"");
    YES("text matches 'L{2}'");
    YES("text matches '^(hello|goodbye)$' || opcode == 1");
    NO("text matches '^ell'");
    NO("not text matches hello");
    YES("name matches '^ch' and opcode contains hat");
    YES("layer contains mess and number matches '^7$' and size contains 12");
    NO("nosuch contains x");
}

TEST(filters_contain_and_match_bytes)
{
    const sb_record *r = record_of("CD 1C 00 FF 68 65 6C 6C 6F");
    YES("content contains 1C00");
    YES("content contains 1c:00:ff");
    NO("content contains C00F"); /* not at the start of a byte */
    YES("content contains hello");
    YES("content contains \"HELLO\"");
    YES("raw contains CD1C and raw contains ello");
    YES("raw matches '^CD1C00(FF)+68'");
    NO("raw matches '^1C'");
    YES("content matches '6f$'");
}

TEST(filters_contain_and_match_numbers_as_printed)
{
    const sb_record *r = record_of(STATE);
    YES("flags contains POS");
    YES("flags matches 'FWD|UP'");
    YES("object_id matches '^0x3FFF'");
    YES("entries.subsystem contains hull or pairs.level matches 100%");
}

TEST(filters_know_operators_as_words)
{
    const sb_record *r = record_of(STATE);
    YES("opcode eq StateUpdate and size ne 40 and size gt 38 and size ge 39");
    YES("size lt 40 && size le 39");
    NO("size lt 39 || size gt 39");
}

TEST(filters_bound_their_patterns)
{
    static sb_filter filter;
    char             expression[SB_FILTER_PATTERN_MAX + 40] = "text matches '";
    size_t           start = strlen(expression);
    memset(expression + start, 'a', SB_FILTER_PATTERN_MAX);
    strcpy(expression + start + SB_FILTER_PATTERN_MAX, "'");
    CHECK(sb_filter_init(&filter, expression));
    sb_filter_free(&filter);
    strcpy(expression + start + SB_FILTER_PATTERN_MAX, "a'");
    CHECK(!sb_filter_init(&filter, expression));
    CHECK_EQ(filter.error_at, start - 1);
    sb_filter_free(&filter);
    CHECK(!sb_filter_init(&filter, "name == CHAT and text matches '(a)\\1'"));
    CHECK(strstr(filter.error, "back references") != NULL);
    CHECK(!sb_filter_init(&filter, "text matches '(a'"));
    CHECK_EQ(filter.error_at, 13);
    CHECK(strstr(filter.error, "POSIX extended") != NULL);
    CHECK(!sb_filter_init(&filter, "text matches"));
}

TEST(filters_refuse_names_that_no_message_has)
{
    static sb_filter      filter;
    static sb_field_names names;
    sb_field_names_init(&names);
    CHECK(sb_filter_init(&filter, "opcode == 1 and (time or fields.entries.condition < 1)"));
    CHECK(sb_filter_check_names(&filter, &names));
    CHECK(sb_filter_init(&filter, "opcode == 1 and objekt_id == 1"));
    CHECK(!sb_filter_check_names(&filter, &names));
    CHECK_EQ(filter.error_at, 16);
    CHECK_TEXT(filter.error, "no message has a field `objekt_id`; did you mean `object_id`?");
}

static void check_filter_error(const char *text, size_t at, const char *error)
{
    static sb_filter filter;
    CHECK(!sb_filter_init(&filter, text));
    CHECK_EQ(filter.error_at, at);
    CHECK_TEXT(filter.error, error);
}

TEST(filters_suggest_messages_and_operators)
{
    static const char chat[] = "no message has this name; did you mean `CHAT`?";
    static const char unknown[] = "no message has this name; `starbase messages` lists the names";
    static sb_filter  filter;
    check_filter_error("opcode == Chta", 10, chat);
    check_filter_error("ok and name == chta", 15, chat);
    check_filter_error("name != StateUpdte", 8,
                       "no message has this name; did you mean `StateUpdate`?");
    check_filter_error("name == Xyzzyxyzzy", 8, unknown);
    check_filter_error("opcode == Xyzzyxyzzy", 10, unknown);
    check_filter_error("text contain 'a'", 5, "unknown operator; did you mean `contains`?");
    check_filter_error("text macthes 'a'", 5, "unknown operator; did you mean `matches`?");
    check_filter_error("ok 5", 3, "expected `and`, `or`, an operator or the end");
    static const char *const names[] = { "CHAT_MESSAGE", "ModMessage",  "ack", "Datagram",
                                         "GameSpy",      "\"(empty)\"", "Data" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[64];
        snprintf(text, sizeof text, "name == %s", names[i]);
        CHECK(sb_filter_init(&filter, text));
    }
    CHECK(sb_filter_init(&filter, "name contains Chta")); /* a part of a name is no name */
}

TEST(filters_know_flags_by_both_names)
{
    const sb_record *r = record_of(STATE);
    YES("flags & POS");
    YES("flags & WEAPON_STATES");
    YES("flags & SUBSYS|POWER");
    NO("flags & SUBSYS");
    YES("flags == 0x9D");
    YES("flags == POS|FWD|UP|SPEED|POWER");
}

TEST(filters_look_into_lists)
{
    const sb_record *r = record_of(STATE);
    YES("pairs.index == 4");
    YES("pairs.level >= 100%");
    YES("index == 2");
    NO("fields.index == 2"); /* matches only an index at the top level */
    YES("fields.pairs.index == 2");
    YES("pairs.subsystem ~ shield");
    NO("pairs.index > 4");
}

TEST(a_name_alone_tests_whether_the_field_exists)
{
    const sb_record *r = record_of(STATE);
    YES("hash");
    YES("pairs");
    NO("entries");
    NO("retransmission");
    YES("ok");
    YES("not entries and not (retransmission or late)");
}

TEST(a_missing_field_passes_no_comparison)
{
    const sb_record *r = record_of(STATE);
    NO("nothing == 1");
    NO("nothing != 1");
    YES("not nothing == 1");
    NO("seq == 0");
    NO("time > 0");
}

TEST(filters_compare_texts)
{
    const sb_record *r = record_of(CHAT);
    YES("text == hello");
    YES("text == \"HELLO\"");
    YES("text ~ ell");
    NO("text ~ elll");
    YES("name == CHAT and sender == 2");
    YES("opcode == CHAT_MESSAGE");
    YES("layer == message");
}

TEST(operators_bind_as_usual)
{
    const sb_record *r = record_of(CHAT);
    YES("ok or ok and size == 0");
    NO("(ok or ok) and size == 0");
    YES("not size == 0 and ok");
    YES("!(size == 0) && (ok || size == 0)");
}

TEST(refused_records_can_be_found)
{
    const sb_record *r = record_of("1C FF FF");
    YES("not ok");
    YES("error == TRUNCATED");
    YES("opcode == StateUpdate and ok == false");
}

static void check_error(const char *expression, size_t at)
{
    static sb_filter filter;
    if (sb_filter_init(&filter, expression)) FAIL("%s was accepted", expression);
    CHECK(filter.error[0] != '\0');
    CHECK_EQ(filter.error_at, at);
}

TEST(parse_errors_have_their_offset)
{
    check_error("", 0);
    check_error("opcode ==", 9);
    check_error("opcode == StatUpdate", 10);
    check_error("size > 1 and", 12);
    check_error("size > 1 size", 9);
    check_error("(size > 1", 0);
    check_error("size > 1)", 8);
    check_error("text == \"abc", 8);
    check_error("a..b", 0);
    check_error("== 3", 0);
    check_error("size == many", 8);
    check_error("peer_id == 39x", 11);
    char deep[200];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    check_error(deep, 32);
}

TEST(too_long_expressions_are_refused)
{
    static char text[4000];
    text[0] = '\0';
    for (int i = 0; i < 100; i++) strcat(text, "size == 1 or ");
    strcat(text, "ok");
    sb_filter filter;
    CHECK(!sb_filter_init(&filter, text));
}

TEST(names_that_no_record_has_give_a_warning)
{
    sb_filter filter;
    char      text[200];
    size_t    index = 0;
    CHECK(sb_filter_init(&filter, "objekt_id == 3 or projectile_type == Foton or size == 1"));
    (void)sb_filter_matches(&filter, record_of("19 07 00 00 40 02 05 00 7F 00"), 0);
    CHECK(sb_filter_next_warning(&filter, &index, text, sizeof text));
    CHECK_TEXT(text, "no record in the input has a field `objekt_id`");
    CHECK(sb_filter_next_warning(&filter, &index, text, sizeof text));
    CHECK_TEXT(text, "`projectile_type` has no value named `Foton`");
    CHECK(!sb_filter_next_warning(&filter, &index, text, sizeof text));
}

TEST(sides_and_addresses_are_compared)
{
    record_of(CHAT);
    record.from = SB_SIDE_CLIENT;
    record.has_endpoints = true;
    record.source = (sb_endpoint){ 0x0A000001, 50001 };
    record.destination = (sb_endpoint){ 0x0A000002, 22101 };
    const sb_record *r = &record;
    YES("from == client");
    YES("to == host");
    NO("to == client");
    YES("from == 10.0.0.1");
    YES("from == 10.0.0.1:50001");
    NO("from == 10.0.0.1:50002");
    YES("to ~ 22101");
    YES("side == client");
}
