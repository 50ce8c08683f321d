/* tests/load/script_values_test.c -- values of expressions. */
#include "load/script_values.h"

#include "base/text.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static sb_script_values values;
static sb_script_line   line;
static sb_script_call   last; /* the last call */
static int              calls;

static sb_script_value on_call(void *context, const sb_script_call *call)
{
    (void)context;
    last = *call;
    calls++;
    return (sb_script_value){ .kind = SB_VALUE_NUMBER, .number = 7, .is_whole = true };
}

static sb_script_value read_value(const char *text)
{
    sb_script_reader reader;
    sb_script_reader_init(&reader, text, strlen(text));
    CHECK(sb_script_next_line(&reader, &line));
    values.on_call = on_call;
    values.at = line.tokens;
    values.end = line.tokens + line.count;
    calls = 0;
    sb_script_value value = sb_script_value_read(&values);
    CHECK(values.at <= values.end);
    return value;
}

static void check_number(const char *text, double number)
{
    sb_script_value value = read_value(text);
    CHECK(!values.is_bad);
    CHECK(values.at == values.end);
    CHECK_EQ(value.kind, SB_VALUE_NUMBER);
    CHECK(value.number == number);
}

static void check_unknown(const char *text)
{
    CHECK_EQ(read_value(text).kind, SB_VALUE_UNKNOWN);
}

static void check_bad(const char *text)
{
    check_unknown(text);
    CHECK(values.is_bad);
}

TEST(arithmetic_follows_python)
{
    check_number("1 + 2 * 3", 7);
    check_number("-(2.5 - 1) / 2", -0.75);
    check_number("10 - 4 - 3", 3);
    check_number("- - +2", 2);
    check_number("3 / 2", 1); /* integers round down */
    check_number("-3 / 2", -2);
    check_number("3.0 / 2", 1.5);
    check_number("100 / 4.0 * 2", 50);
}

TEST(a_value_that_only_running_would_give_is_unknown)
{
    check_unknown("nobody_knows");
    check_unknown("nobody_knows + 1");
    check_unknown("'a' * 2");
    check_unknown("[1, 2]");
    check_unknown("{'a': (1, 2)}");
    check_unknown("x[3]");
    check_unknown("1 / 0");
    check_unknown("a.b.c");
    CHECK_EQ(read_value("None").kind, SB_VALUE_NONE);
}

TEST(an_expression_that_does_not_end_well_is_bad)
{
    check_bad("1 +");
    check_bad("a.");
    check_bad("f(1 2)");
    check_bad("f(x=1)");
    check_bad("(1, 2)");
    check_bad("$");
    (void)read_value("1 2"); /* the caller sees what is left over */
    CHECK(values.at == values.end - 1);
}

TEST(nested_brackets_end_at_a_depth)
{
    char text[256] = "";
    for (int i = 0; i < SB_SCRIPT_DEPTH_MAX - 1; i++) strcat(text, "(");
    strcat(text, "5");
    for (int i = 0; i < SB_SCRIPT_DEPTH_MAX - 1; i++) strcat(text, ")");
    check_number(text, 5);
    char deeper[260];
    snprintf(deeper, sizeof deeper, "(%s)", text);
    check_bad(deeper);
}

TEST(constants_have_numbers_behind_any_object)
{
    check_number("Engine.EP_IMPULSE", 0);
    check_number("App.EngineProperty.EP_WARP", 1);
    check_number("S.RIGHT_SHIELDS", 5);
    check_number("W.WST_TRACTOR", 4);
    check_unknown("EP_WARP"); /* not a variable */
}

TEST(a_call_has_its_path_its_object_and_its_arguments)
{
    memset(&values, 0, sizeof values);
    sb_script_value point = { .kind = SB_VALUE_POINT };
    CHECK(sb_script_variable_set(&values, sb_text_span("P"), point));
    check_number("P.SetXYZ(1, -2.5, f(3))", 7);
    CHECK_EQ(calls, 2);
    CHECK_EQ(last.path_count, 2);
    CHECK(sb_text_equals(last.path[1], "SetXYZ"));
    CHECK_EQ(last.argument_count, 3);
    CHECK(last.arguments[1].number == -2.5);
    CHECK(last.arguments[2].number == 7);
    CHECK(last.object != NULL && last.object->kind == SB_VALUE_POINT);
    check_number("App.Manager.Find('x').Call()", 7);
    CHECK(last.has_base && last.object == NULL);
    CHECK_EQ(last.path_count, 1);
    check_number("a.b.c.d.e.f.g.h(1)", 7); /* too long: the call has no path */
    CHECK_EQ(last.path_count, 0);
    check_number("f(1, 2, 3, 4, 5, 6, 7, 8, 9, 10,)", 7);
    CHECK_EQ(last.argument_count, SB_SCRIPT_ARGUMENTS_MAX);
    check_number("f()", 7);
    CHECK_EQ(last.argument_count, 0);
}

TEST(variables_keep_their_last_value_up_to_a_number_of_them)
{
    static char names[SB_SCRIPT_VARIABLES_MAX][8];
    memset(&values, 0, sizeof values);
    for (int i = 0; i < SB_SCRIPT_VARIABLES_MAX; i++) {
        sb_script_value value = { .kind = SB_VALUE_NUMBER, .number = i };
        snprintf(names[i], sizeof names[i], "v%d", i);
        bool fits = sb_script_variable_set(&values, sb_text_span(names[i]), value);
        CHECK_EQ(fits, i < SB_SCRIPT_VARIABLES_MAX - 1);
    }
    sb_script_value again = { .kind = SB_VALUE_NUMBER, .number = -1 };
    CHECK(sb_script_variable_set(&values, sb_text_span("v5"), again));
    check_number("v5", -1);
    check_number("v2000 + v6", 2006);
    check_unknown("v2047");
}
