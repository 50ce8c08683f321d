/* src/load/script_values.c -- numbers, texts, names and calls; + - * / and brackets.
 *
 * For:      script_values.h. Anything else gives an unknown value.
 * Tests:    tests/load/script_values_test.c, fuzz/hardpoint_fuzz.c
 */
#include "load/script_values.h"

#include "base/assert.h"
#include "base/text.h"
#include "load/hardpoint_properties.h"

#include <math.h>
#include <string.h>

static const sb_script_value unknown = { .kind = SB_VALUE_UNKNOWN };

/* ---- variables ---- */

static sb_script_variable *find_place(sb_script_values *v, sb_span name)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < name.size; i++) hash = (hash ^ name.data[i]) * 16777619u;
    for (size_t i = hash % SB_SCRIPT_VARIABLES_MAX;; i = (i + 1) % SB_SCRIPT_VARIABLES_MAX) {
        sb_script_variable *place = &v->variables[i];
        if (place->name.size == 0) return place;
        if (place->name.size == name.size && memcmp(place->name.data, name.data, name.size) == 0)
            return place;
    }
}

sb_script_value *sb_script_variable_find(sb_script_values *v, sb_span name)
{
    sb_script_variable *place = find_place(v, name);
    return place->name.size > 0 ? &place->value : NULL;
}

bool sb_script_variable_set(sb_script_values *v, sb_span name, sb_script_value value)
{
    SB_ASSERT(name.size > 0);
    sb_script_variable *place = find_place(v, name);
    if (place->name.size == 0) {
        if (v->variable_count == SB_SCRIPT_VARIABLES_MAX - 1) return false; /* one stays free */
        v->variable_count++;
        place->name = name;
    }
    place->value = value;
    return true;
}

/* ---- tokens ---- */

static bool is_sign(const sb_script_values *v, char sign)
{
    return v->at < v->end && v->at->kind == SB_TOKEN_SIGN && v->at->sign == sign;
}

static bool take_sign(sb_script_values *v, char sign)
{
    if (!is_sign(v, sign)) return false;
    v->at++;
    return true;
}

static sb_script_value give_up(sb_script_values *v)
{
    v->is_bad = true;
    v->at = v->end;
    return unknown;
}

/* Moves past the bracket that closes the one at v->at. The tokenizer has checked that there is one
 * in the line; a line that is too long may lack it. */
static void pass_brackets(sb_script_values *v)
{
    size_t depth = 0;
    do {
        if (is_sign(v, '(') || is_sign(v, '[') || is_sign(v, '{')) depth++;
        if (is_sign(v, ')') || is_sign(v, ']') || is_sign(v, '}')) depth--;
        v->at++;
    } while (depth > 0 && v->at < v->end);
}

/* ---- paths and calls ---- */

static sb_script_value read_sum(sb_script_values *v);

static void read_arguments(sb_script_values *v, sb_script_call *call)
{
    call->argument_count = 0;
    while (!v->is_bad && !take_sign(v, ')')) {
        sb_script_value value = read_sum(v);
        if (call->argument_count < SB_SCRIPT_ARGUMENTS_MAX)
            call->arguments[call->argument_count++] = value;
        if (is_sign(v, ')')) continue;
        if (!take_sign(v, ',')) give_up(v);
    }
}

static sb_script_value value_of_path(sb_script_values *v, const sb_script_call *path)
{
    double number;
    if (path->path_count == 0) return path->has_base ? path->base : unknown;
    sb_span last = path->path[path->path_count - 1];
    if (path->path_count == 1 && !path->has_base) {
        sb_script_value *variable = sb_script_variable_find(v, last);
        if (variable) return *variable;
        if (sb_text_equals(last, "None")) return (sb_script_value){ .kind = SB_VALUE_NONE };
        return unknown;
    }
    if (sb_property_constant_find(last, &number))
        return (sb_script_value){ .kind = SB_VALUE_NUMBER, .number = number, .is_whole = true };
    return unknown;
}

static void add_name(sb_script_call *path, sb_span name, bool *is_too_long)
{
    if (path->path_count == SB_SCRIPT_PATH_MAX) *is_too_long = true;
    else path->path[path->path_count++] = name;
}

static void use_as_base(sb_script_call *path, sb_script_value value)
{
    path->base = value;
    path->has_base = true;
    path->path_count = 0;
}

static void read_call(sb_script_values *v, sb_script_call *path, bool is_too_long)
{
    path->line = v->at->line;
    v->at++;
    read_arguments(v, path);
    if (v->is_bad) return;
    if (is_too_long) path->path_count = 0;
    path->object =
        path->path_count > 1 && !path->has_base ? sb_script_variable_find(v, path->path[0]) : NULL;
    use_as_base(path, v->on_call(v->context, path));
}

/* a, a.b, a.b(x), a.b(x).c(y), a[x]. */
static sb_script_value read_path(sb_script_values *v)
{
    sb_script_call path = { .line = v->at->line };
    bool           is_too_long = false;
    add_name(&path, v->at->text, &is_too_long);
    v->at++;
    while (!v->is_bad) {
        if (take_sign(v, '.')) {
            if (v->at == v->end || v->at->kind != SB_TOKEN_NAME) return give_up(v);
            add_name(&path, v->at->text, &is_too_long);
            v->at++;
        } else if (is_sign(v, '(')) {
            read_call(v, &path, is_too_long);
            is_too_long = false;
        } else if (is_sign(v, '[')) {
            pass_brackets(v);
            use_as_base(&path, unknown);
        } else return is_too_long ? unknown : value_of_path(v, &path);
    }
    return unknown;
}

/* ---- expressions ---- */

static sb_script_value read_brackets(sb_script_values *v)
{
    v->at++;
    sb_script_value value = read_sum(v);
    if (take_sign(v, ')')) return value;
    return give_up(v); /* a tuple, or something else that no figure is made of */
}

static sb_script_value read_simple(sb_script_values *v)
{
    if (v->at >= v->end) return give_up(v);
    const sb_token *t = v->at;
    if (t->kind == SB_TOKEN_NAME) return read_path(v);
    if (is_sign(v, '(')) return read_brackets(v);
    if (is_sign(v, '[') || is_sign(v, '{')) {
        pass_brackets(v);
        return unknown;
    }
    if (t->kind == SB_TOKEN_SIGN) return give_up(v);
    v->at++;
    if (t->kind == SB_TOKEN_TEXT)
        return (sb_script_value){ .kind = SB_VALUE_TEXT, .text = t->text };
    return (
        sb_script_value){ .kind = SB_VALUE_NUMBER, .number = t->number, .is_whole = t->is_whole };
}

static sb_script_value read_signed(sb_script_values *v)
{
    bool negative = false;
    while (is_sign(v, '-') || is_sign(v, '+')) {
        negative ^= is_sign(v, '-');
        v->at++;
    }
    sb_script_value value = read_simple(v);
    value.number = negative ? -value.number : value.number;
    return value;
}

/* Python 1.5 rounds the quotient of two integers down. */
static sb_script_value combine(sb_script_value a, char sign, sb_script_value b)
{
    if (a.kind != SB_VALUE_NUMBER || b.kind != SB_VALUE_NUMBER) return unknown;
    sb_script_value out = { .kind = SB_VALUE_NUMBER, .is_whole = a.is_whole && b.is_whole };
    switch (sign) {
    case '+': out.number = a.number + b.number; break;
    case '-': out.number = a.number - b.number; break;
    case '*': out.number = a.number * b.number; break;
    default:
        if (b.number == 0) return unknown;
        out.number = out.is_whole ? floor(a.number / b.number) : a.number / b.number;
        break;
    }
    return out;
}

static sb_script_value read_product(sb_script_values *v)
{
    sb_script_value value = read_signed(v);
    while (is_sign(v, '*') || is_sign(v, '/')) {
        char sign = v->at->sign;
        v->at++;
        value = combine(value, sign, read_signed(v));
    }
    return value;
}

static sb_script_value read_sum(sb_script_values *v)
{
    if (v->depth == SB_SCRIPT_DEPTH_MAX) return give_up(v);
    v->depth++;
    sb_script_value value = read_product(v);
    while (is_sign(v, '+') || is_sign(v, '-')) {
        char sign = v->at->sign;
        v->at++;
        value = combine(value, sign, read_product(v));
    }
    v->depth--;
    return v->is_bad ? unknown : value;
}

sb_script_value sb_script_value_read(sb_script_values *v)
{
    v->is_bad = false;
    v->depth = 0;
    return read_sum(v);
}
