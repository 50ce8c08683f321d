/* src/config/key_values.c -- parses, stores, compares and prints the value of one key.
 *
 * For:      keys.h. The row of the key says how: its kind, its range and where it is stored.
 * Tests:    tests/config/read_config_test.c
 */
#include "config/keys.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/assert.h"

/* ---- storing values ---- */

static void describe_value(const sb_lua_value *value, char out[80])
{
    switch (value->kind) {
    case SB_LUA_IS_NUMBER: snprintf(out, 80, "%.14g", value->number); break;
    case SB_LUA_IS_TEXT: snprintf(out, 80, "\"%.60s\"", value->text); break;
    case SB_LUA_IS_FLAG: snprintf(out, 80, "%s", value->flag ? "true" : "false"); break;
    case SB_LUA_IS_OTHER: snprintf(out, 80, "%.60s", value->text); break;
    case SB_LUA_ABSENT: snprintf(out, 80, "nothing"); break;
    }
}

/* Adds the value to the rule, unless it is a password: errors appear in logs and on screens. */
static void write_reason(const sb_key *key, const char *rule, const sb_lua_value *value,
                         char reason[SB_KEY_REASON])
{
    char shown[80];
    describe_value(value, shown);
    if (strcmp(key->name, "password") == 0) snprintf(reason, SB_KEY_REASON, "%s", rule);
    else snprintf(reason, SB_KEY_REASON, "%s, is %s", rule, shown);
}

static bool refuse(const sb_key *key, const sb_lua_value *value, char reason[SB_KEY_REASON])
{
    char rule[150] = "must be ";
    sb_key_range_text(key, rule + strlen(rule), sizeof rule - strlen(rule));
    write_reason(key, rule, value, reason);
    return false;
}

static bool refuse_text(const sb_key *key, const char *rule, const char *text,
                        char reason[SB_KEY_REASON])
{
    sb_lua_value value = { .kind = SB_LUA_IS_TEXT, .text = text };
    write_reason(key, rule, &value, reason);
    return false;
}

static void store_number(const sb_key *key, void *record, double number)
{
    void *at = (char *)record + key->offset;
    SB_ASSERT(key->store < SB_STORE_TEXT);
    switch ((sb_key_store)key->store) {
    case SB_STORE_BOOL: *(bool *)at = number != 0; break;
    case SB_STORE_U8: *(uint8_t *)at = (uint8_t)number; break;
    case SB_STORE_U32: *(uint32_t *)at = (uint32_t)number; break;
    case SB_STORE_I32: {
        int32_t value = (int32_t)number; /* copied, because an enum is another type */
        memcpy(at, &value, sizeof value);
        break;
    }
    case SB_STORE_TIME: *(sb_time *)at = (sb_time)llround(number * 1e6); break;
    case SB_STORE_TEXT:
    case SB_STORE_TEXTS: break;
    }
}

static bool set_number(const sb_key *key, void *record, const sb_lua_value *value,
                       char reason[SB_KEY_REASON])
{
    bool is_number = value->kind == SB_LUA_IS_NUMBER;
    bool inside = is_number && value->number >= key->low && value->number <= key->high;
    if (!inside || (key->kind == SB_KEY_WHOLE && value->number != floor(value->number)))
        return refuse(key, value, reason);
    store_number(key, record, value->number);
    return true;
}

/* The text of a word; NULL: neither a text nor a flag. */
static const char *word_of(const sb_lua_value *value)
{
    if (value->kind == SB_LUA_IS_FLAG) return value->flag ? "true" : "false";
    return value->kind == SB_LUA_IS_TEXT ? value->text : NULL;
}

/* Accepts a word, the number of a level (fidelity = 2), and a flag if the words have it. */
static bool set_word(const sb_key *key, void *record, const sb_lua_value *value,
                     char reason[SB_KEY_REASON])
{
    const char *word = word_of(value);
    for (int i = 0; key->words[i]; i++) {
        bool same = word && strcasecmp(word, key->words[i]) == 0;
        bool number = key->high > 0 && value->kind == SB_LUA_IS_NUMBER && value->number == i;
        if (!same && !number) continue;
        store_number(key, record, i);
        return true;
    }
    return refuse(key, value, reason);
}

static bool has_control_character(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c < 0x20 || *c == 0x7F) return true;
    return false;
}

static bool set_text(const sb_key *key, void *record, const sb_lua_value *value,
                     char reason[SB_KEY_REASON])
{
    size_t max_bytes = key->kind == SB_KEY_NAME ? 63 : (size_t)key->high;
    if (value->kind != SB_LUA_IS_TEXT || strlen(value->text) > max_bytes ||
        has_control_character(value->text))
        return refuse(key, value, reason);
    const char *wrong = key->check ? key->check(value->text) : NULL;
    if (wrong) return refuse_text(key, wrong, value->text, reason);
    *(const char **)((char *)record + key->offset) = value->text;
    return true;
}

bool sb_key_set(const sb_key *key, void *record, const sb_lua_value *value,
                char reason[SB_KEY_REASON])
{
    switch ((sb_key_kind)key->kind) {
    case SB_KEY_FLAG:
        if (value->kind != SB_LUA_IS_FLAG) return refuse(key, value, reason);
        store_number(key, record, value->flag);
        return true;
    case SB_KEY_WHOLE:
    case SB_KEY_SECONDS: return set_number(key, record, value, reason);
    case SB_KEY_WORD: return set_word(key, record, value, reason);
    case SB_KEY_TEXT:
    case SB_KEY_NAME: return set_text(key, record, value, reason);
    case SB_KEY_TEXTS: return refuse(key, value, reason);
    }
    return false;
}

/* ---- parsing texts of the environment and the command line ---- */

bool sb_key_parse_flag(const char *text, bool *out)
{
    static const char *const words[] = { "no", "yes", "false", "true", "off", "on", "0", "1" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(text, words[i]) != 0) continue;
        *out = i & 1;
        return true;
    }
    return false;
}

bool sb_key_parse_number(const char *text, double *out)
{
    char *end;
    if (text[0] == '\0' || isspace((unsigned char)text[0])) return false;
    *out = strtod(text, &end);
    return *end == '\0' && isfinite(*out);
}

/* `text` is behind the opening quote. Removes the backslashes before quotes and backslashes, in
 * place, and ends the text there. Returns what is behind the closing quote; NULL: there is none. */
static char *end_quoted(char *text)
{
    char *out = text;
    for (; *text && *text != '"'; *out++ = *text++)
        if (*text == '\\' && (text[1] == '"' || text[1] == '\\')) text++;
    if (!*text) return NULL;
    *out = '\0';
    return text + 1;
}

/* The end of the entry at `text`: its comma, or the end of the list. */
static char *end_plain(char *text)
{
    char *comma = text + strcspn(text, ","), *end = comma;
    while (end > text && end[-1] == ' ') end--;
    if (end < comma) *end = '\0';
    return comma;
}

/* Cuts off an entry without the blanks around it; one in quotes may have commas. NULL: it is wrong,
 * and `*wrong` says why. */
static char *next_entry(char **rest, const char **wrong)
{
    char *entry = *rest + strspn(*rest, " "), *end;
    if (*entry == '"') {
        end = end_quoted(++entry);
        if (!end) {
            *wrong = "a quote is not closed";
            return NULL;
        }
        end += strspn(end, " ");
        if (*end && *end != ',') {
            *wrong = "a comma must follow an entry in quotes";
            return NULL;
        }
    } else end = end_plain(entry);
    *rest = *end ? end + 1 : end;
    *end = '\0';
    return entry;
}

/* NULL, or what is wrong with an entry. */
static const char *entry_fault(const sb_key *key, const char *entry)
{
    if (strlen(entry) > (size_t)key->high) return "entries must have at most 255 bytes";
    return key->check ? key->check(entry) : NULL;
}

/* Splits the text at commas that are not in quotes. Nothing between two commas is no entry. */
static bool set_texts(const sb_key *key, void *record, const char *text, sb_data *data,
                      char reason[SB_KEY_REASON])
{
    sb_texts list = { .count = 0 };
    size_t   size = strlen(text) + 1;
    char    *rest = sb_data_allocate(data, size);
    if (text[strspn(text, " ")] == '{')
        return refuse_text(key, "outside the file, entries are separated by commas, without braces",
                           text, reason);
    if (!rest) {
        snprintf(reason, SB_KEY_REASON, "out of memory");
        return false;
    }
    memcpy(rest, text, size);
    while (rest += strspn(rest, ","), *rest) {
        const char *wrong = NULL, *entry = next_entry(&rest, &wrong);
        if (!entry) return refuse_text(key, wrong, text, reason);
        if (list.count == SB_TEXTS_MAX || has_control_character(entry) || !*entry) {
            sb_lua_value whole = { .kind = SB_LUA_IS_TEXT, .text = text };
            return refuse(key, &whole, reason);
        }
        wrong = entry_fault(key, entry);
        if (wrong) return refuse_text(key, wrong, entry, reason);
        list.items[list.count++] = entry;
    }
    *(sb_texts *)((char *)record + key->offset) = list;
    return true;
}

bool sb_key_set_text(const sb_key *key, void *record, const char *text, sb_data *data,
                     char reason[SB_KEY_REASON])
{
    sb_lua_value value = { .kind = SB_LUA_IS_TEXT, .text = text };
    bool         numeric = key->kind == SB_KEY_WHOLE || key->kind == SB_KEY_SECONDS;
    if (key->kind == SB_KEY_TEXTS) return set_texts(key, record, text, data, reason);
    if (key->kind == SB_KEY_FLAG && sb_key_parse_flag(text, &value.flag))
        value.kind = SB_LUA_IS_FLAG;
    if ((numeric || key->kind == SB_KEY_WORD) && sb_key_parse_number(text, &value.number))
        value.kind = SB_LUA_IS_NUMBER;
    return sb_key_set(key, record, &value, reason);
}

/* ---- reading values ---- */

static double number_of(const sb_key *key, const void *record)
{
    const void *at = (const char *)record + key->offset;
    switch ((sb_key_store)key->store) {
    case SB_STORE_BOOL: return *(const bool *)at;
    case SB_STORE_U8: return *(const uint8_t *)at;
    case SB_STORE_U32: return *(const uint32_t *)at;
    case SB_STORE_TIME: return (double)*(const sb_time *)at / 1e6;
    case SB_STORE_I32: {
        int32_t value;
        memcpy(&value, at, sizeof value);
        return value;
    }
    default: return 0;
    }
}

static bool are_equal(const sb_texts *a, const sb_texts *b)
{
    for (size_t i = 0; a->count == b->count && i < a->count; i++)
        if (strcmp(a->items[i], b->items[i]) != 0) return false;
    return a->count == b->count;
}

bool sb_key_is_equal(const sb_key *key, const void *record, const void *other)
{
    const void *a = (const char *)record + key->offset, *b = (const char *)other + key->offset;
    if (key->store == SB_STORE_TEXTS) return are_equal(a, b);
    if (key->store == SB_STORE_TEXT)
        return strcmp(*(const char *const *)a, *(const char *const *)b) == 0;
    return number_of(key, record) == number_of(key, other);
}

static void print_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\') fputc('\\', out);
        fputc(*c, out);
    }
    fputc('"', out);
}

void sb_key_print_texts(FILE *out, const sb_texts *texts)
{
    fprintf(out, "{ ");
    for (size_t i = 0; i < texts->count; i++) {
        print_quoted(out, texts->items[i]);
        fprintf(out, i + 1 < texts->count ? ", " : " ");
    }
    fprintf(out, "}");
}

static const char *word_at(const sb_key *key, size_t index)
{
    for (size_t i = 0; i <= index; i++) SB_ASSERT(key->words[i]);
    return key->words[index];
}

void sb_key_print_value(FILE *out, const sb_key *key, const void *record)
{
    const void *at = (const char *)record + key->offset;
    double      number = number_of(key, record);
    switch ((sb_key_kind)key->kind) {
    case SB_KEY_FLAG: fprintf(out, "%s", number != 0 ? "true" : "false"); break;
    case SB_KEY_WHOLE:
    case SB_KEY_SECONDS: fprintf(out, "%.12g", number); break;
    case SB_KEY_WORD: fprintf(out, "\"%s\"", word_at(key, (size_t)number)); break;
    case SB_KEY_TEXT:
    case SB_KEY_NAME: print_quoted(out, *(const char *const *)at); break;
    case SB_KEY_TEXTS: sb_key_print_texts(out, at); break;
    }
}

static void list_words(const char *const *words, char *out, size_t capacity)
{
    size_t at = (size_t)snprintf(out, capacity, "one of ");
    for (size_t i = 0; words[i] && at < capacity; i++)
        at += (size_t)snprintf(out + at, capacity - at, "%s%s", i ? ", " : "", words[i]);
}

void sb_key_range_text(const sb_key *key, char *out, size_t capacity)
{
    switch ((sb_key_kind)key->kind) {
    case SB_KEY_FLAG: snprintf(out, capacity, "true or false"); break;
    case SB_KEY_WHOLE:
        snprintf(out, capacity, "a whole number from %.10g to %.10g", key->low, key->high);
        break;
    case SB_KEY_SECONDS:
        snprintf(out, capacity, "seconds from %.10g to %.10g", key->low, key->high);
        break;
    case SB_KEY_TEXT:
        snprintf(out, capacity, "a text of at most %.0f bytes, without control characters",
                 key->high);
        break;
    case SB_KEY_WORD: list_words(key->words, out, capacity); break;
    case SB_KEY_NAME: snprintf(out, capacity, "a number or a name"); break;
    case SB_KEY_TEXTS: snprintf(out, capacity, "a list of at most %d texts", SB_TEXTS_MAX); break;
    }
}

void sb_key_variable(const sb_key *key, char out[SB_KEY_VARIABLE])
{
    snprintf(out, SB_KEY_VARIABLE, "STARBASE_%s", key->name);
    for (char *c = out; *c; c++) *c = (char)toupper((unsigned char)*c);
}

void sb_key_flag(const sb_key *key, char out[SB_KEY_VARIABLE])
{
    snprintf(out, SB_KEY_VARIABLE, "%s", key->name);
    for (char *c = out; *c; c++)
        if (*c == '_') *c = '-';
}
