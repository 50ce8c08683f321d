/* src/load/script_blocks.c -- functions, branches and statements of a hardpoint script.
 *
 * For:      script_blocks.h.
 * Tests:    tests/load/hardpoint_script_test.c, fuzz/hardpoint_fuzz.c
 */
#include "load/script_blocks.h"

#include "base/text.h"

#include <string.h>

static const char skipped_function[] = "is a function that is not read; only LoadPropertySet is";
static const char skipped_loop[] =
    "begins a block that is not followed; write its calls one by one";
static const char skipped_branch[] = "begins a branch that is not read";
static const char guessed_branch[] = "has a condition that is not evaluated; its branch is read";
static const char skipped_import[] = "is imported; what it does is not known";
static const char unread[] = "begins a statement that is not read";
static const char too_long[] = "begins a line with more than 512 words and signs";
static const char too_many[] = "is one variable too many (2047)";

void sb_script_blocks_init(sb_script_blocks *b, void *context)
{
    memset(b, 0, sizeof *b);
    b->skipped_indent = b->load_indent = -1;
    b->context = b->values.context = context;
}

bool sb_script_blocks_is_loading(const sb_script_blocks *b)
{
    return b->load_indent >= 0;
}

static void note(sb_script_blocks *b, const sb_token *token, const char *reason)
{
    b->on_note(b->context, token->text, token->line, reason);
}

static bool is_name(const sb_token *token, const char *name)
{
    return token->kind == SB_TOKEN_NAME && sb_text_equals(token->text, name);
}

static bool is_sign(const sb_token *token, char sign)
{
    return token->kind == SB_TOKEN_SIGN && token->sign == sign;
}

static bool is_any(const sb_token *token, const char *const *names)
{
    while (*names && !is_name(token, *names)) names++;
    return *names != NULL;
}

/* The first token with this sign outside of brackets, or `end`. */
static const sb_token *find_sign(const sb_token *at, const sb_token *end, char sign)
{
    size_t depth = 0;
    for (; at < end; at++) {
        if (depth == 0 && is_sign(at, sign)) return at;
        if (is_sign(at, '(') || is_sign(at, '[') || is_sign(at, '{')) depth++;
        if (depth > 0 && (is_sign(at, ')') || is_sign(at, ']') || is_sign(at, '}'))) depth--;
    }
    return end;
}

/* ---- statements ---- */

/* Reads the whole of [at, end). An expression that is none gives an unknown value, and a note if it
 * is a statement of its own; of an assignment, only the use of the variable matters. */
static sb_script_value read_value(sb_script_blocks *b, const sb_token *at, const sb_token *end,
                                  bool is_statement)
{
    static const sb_script_value unknown = { .kind = SB_VALUE_UNKNOWN };
    b->values.at = at;
    b->values.end = end;
    sb_script_value value = sb_script_value_read(&b->values);
    if (!b->values.is_bad && b->values.at == end) return value;
    if (is_statement) note(b, at, unread);
    return unknown;
}

static void assign(sb_script_blocks *b, const sb_token *name, const sb_token *at,
                   const sb_token *end)
{
    sb_script_value value = read_value(b, at, end, false);
    if (!sb_script_variable_set(&b->values, name->text, value)) note(b, name, too_many);
}

/* import App; from App import * */
static void import(sb_script_blocks *b, const sb_token *at, const sb_token *end)
{
    static const char *const known[] = { "App", "GlobalPropertyTemplates", "string", "math", NULL };
    for (const sb_token *t = at + 1; t < end && !is_name(t, "import"); t++)
        if (t->kind == SB_TOKEN_NAME && !is_any(t, known)) {
            note(b, t, skipped_import);
            return;
        }
}

static void read_statement(sb_script_blocks *b, const sb_token *at, const sb_token *end)
{
    static const char *const silent[] = { "pass", "return", "global", "print", NULL };
    if (at == end || at->kind == SB_TOKEN_TEXT || is_any(at, silent)) return;
    if (is_name(at, "import") || is_name(at, "from")) import(b, at, end);
    else if (at->kind != SB_TOKEN_NAME) note(b, at, unread);
    else if (end - at > 2 && is_sign(at + 1, '=')) assign(b, at, at + 2, end);
    else (void)read_value(b, at, end, true);
}

static void read_statements(sb_script_blocks *b, const sb_token *at, const sb_token *end)
{
    while (at < end && *b->stop == SB_OK) {
        const sb_token *next = find_sign(at, end, ';');
        read_statement(b, at, next);
        at = next < end ? next + 1 : end;
    }
}

/* ---- blocks ---- */

static void skip_block(sb_script_blocks *b)
{
    b->skipped_indent = (int)b->line.indent;
}

static bool is_about_editor(const sb_token *at, const sb_token *end)
{
    for (; at < end; at++)
        if (at->kind == SB_TOKEN_TEXT && sb_text_equals(at->text, "g_bIsModelPropertyEditor"))
            return true;
    return false;
}

/* prop, prop != None: templates that are added exist, else the game would add nothing. */
static bool is_found(const sb_token *at, const sb_token *end)
{
    while (at < end && is_sign(at, '(')) at++;
    while (end > at && is_sign(end - 1, ')')) end--;
    if (end - at == 1) return at->kind == SB_TOKEN_NAME;
    return end - at == 3 && at->kind == SB_TOKEN_NAME && is_sign(at + 1, SB_SIGN_COMPARE) &&
           sb_text_equals(at[1].text, "!=") && is_name(at + 2, "None");
}

/* True if the branch is read. */
static bool decide(sb_script_blocks *b, const sb_token *keyword, const sb_token *end)
{
    if (is_about_editor(keyword + 1, end)) return is_name(keyword + 1, "not");
    if (!is_found(keyword + 1, end)) note(b, keyword, guessed_branch);
    return true;
}

static void begin_function(sb_script_blocks *b, const sb_token *name)
{
    if (!is_name(name, "LoadPropertySet")) {
        note(b, name, skipped_function);
        skip_block(b);
        return;
    }
    b->load_indent = (int)b->line.indent;
    b->on_load(b->context);
}

/* True if the block behind the colon is read. */
static bool begin_block(sb_script_blocks *b, const sb_token *keyword, const sb_token *colon)
{
    static const char *const branches[] = { "else", "elif", "except", NULL };
    if (is_name(keyword, "if")) return decide(b, keyword, colon);
    if (is_name(keyword, "try") || is_name(keyword, "finally")) return true;
    note(b, keyword, is_any(keyword, branches) ? skipped_branch : skipped_loop);
    return false;
}

static void read_block(sb_script_blocks *b, const sb_token *at, const sb_token *end)
{
    const sb_token *colon = find_sign(at, end, ':');
    if (colon == end) {
        note(b, at, unread);
        return;
    }
    if (is_name(at, "def")) begin_function(b, at + 1);
    else if (!begin_block(b, at, colon)) skip_block(b);
    if (b->skipped_indent < 0) read_statements(b, colon + 1, end);
}

static void read_line(sb_script_blocks *b)
{
    static const char *const heads[] = { "def",   "class", "if",     "elif",    "else", "for",
                                         "while", "try",   "except", "finally", NULL };
    const sb_token          *at = b->line.tokens, *end = at + b->line.count;
    int                      indent = (int)b->line.indent;
    if (b->skipped_indent >= 0 && indent > b->skipped_indent) return;
    b->skipped_indent = -1;
    if (b->load_indent >= 0 && indent <= b->load_indent) b->load_indent = -1;
    if (b->line.is_too_long) note(b, at, too_long);
    else if (is_any(at, heads)) read_block(b, at, end);
    else read_statements(b, at, end);
}

void sb_script_blocks_run(sb_script_blocks *b, const char *text, size_t size)
{
    sb_script_reader_init(&b->reader, text, size);
    while (*b->stop == SB_OK && sb_script_next_line(&b->reader, &b->line)) read_line(b);
}
