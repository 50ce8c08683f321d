/* src/admin/ban_text.c -- reads and writes lines of bans.
 *
 * For:      ban_text.h. In this order: times, words of a line, lines for editors, JSON, importing.
 */
#include "admin/ban_text.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "platform/clock.h"

/* ---- times ---- */

/* Days from 1970-01-01 to a date of the Gregorian calendar; years start in March here, so that a
 * leap day is the last day of its year. */
static int64_t day_of(int year, int month, int day)
{
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t era = y / 400, in_era = y - era * 400;
    int64_t in_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719468;
}

/* Reads exactly `digits` digits and then `after` (0: the text ends, or T or Z follows). */
static bool read_part(const char **text, int digits, char after, int low, int high, int *out)
{
    *out = 0;
    for (int i = 0; i < digits; i++, (*text)++) {
        if (**text < '0' || **text > '9') return false;
        *out = *out * 10 + (**text - '0');
    }
    if (after) {
        if (**text != after) return false;
        (*text)++;
    }
    return *out >= low && *out <= high;
}

static int days_of_month(int year, int month)
{
    static const uint8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool                 leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

bool sb_ban_parse_time(const char *text, int64_t *ms)
{
    int year, month, day, hour = 0, minute = 0, second = 0;
    if (!read_part(&text, 4, '-', 1970, 9999, &year)) return false;
    if (!read_part(&text, 2, '-', 1, 12, &month)) return false;
    if (!read_part(&text, 2, 0, 1, days_of_month(year, month), &day)) return false;
    if (*text == 'T' || *text == ' ') {
        text++;
        if (!read_part(&text, 2, ':', 0, 23, &hour)) return false;
        if (!read_part(&text, 2, 0, 0, 59, &minute)) return false;
        if (*text == ':') {
            text++;
            if (!read_part(&text, 2, 0, 0, 59, &second)) return false;
        }
        if (*text++ != 'Z') return false;
    }
    if (*text != '\0') return false;
    *ms = ((day_of(year, month, day) * 24 + hour) * 60 + minute) * 60000 + (int64_t)second * 1000;
    return *ms > 0;
}

void sb_ban_print_time(int64_t ms, char out[SB_BAN_TIME_TEXT])
{
    char text[SB_CLOCK_TEXT];
    sb_clock_text(ms * 1000, text);
    snprintf(out, SB_BAN_TIME_TEXT, "%.19sZ", text);
}

/* ---- words of a line ---- */

static void skip_blanks(const char **at)
{
    *at += strspn(*at, " \t\r");
}

/* Reads a word, or a text in quotes in which a backslash keeps the next character. False: it does
 * not fit, or the quote is missing. */
static bool read_word(const char **at, char *out, size_t capacity)
{
    size_t size = 0;
    bool   quoted = **at == '"';
    if (quoted) (*at)++;
    for (; **at && (quoted ? **at != '"' : !strchr(" \t\r", **at)); (*at)++) {
        if (quoted && **at == '\\' && (*at)[1]) (*at)++;
        if (size + 1 == capacity) return false;
        out[size++] = **at;
    }
    out[size] = '\0';
    if (!quoted) return true;
    if (**at != '"') return false;
    (*at)++;
    return true;
}

/* True, and the word is skipped, if the next word is this one. */
static bool take_word(const char **at, const char *word)
{
    size_t size = strlen(word);
    skip_blanks(at);
    if (strncmp(*at, word, size) != 0 || !strchr(" \t\r", (*at)[size])) return false;
    *at += size;
    skip_blanks(at);
    return true;
}

/* The rest of the line without blanks at its end. False: it does not fit. */
static bool read_rest(const char **at, char *out, size_t capacity)
{
    size_t size = strlen(*at);
    while (size > 0 && strchr(" \t\r", (*at)[size - 1])) size--;
    if (size >= capacity) return false;
    memcpy(out, *at, size);
    out[size] = '\0';
    *at += strlen(*at);
    return true;
}

/* ---- lines for editors ---- */

static const char *read_kind(const char **at, sb_ban *ban)
{
    for (int i = 0; sb_ban_kind_words[i]; i++)
        if (take_word(at, sb_ban_kind_words[i])) {
            ban->kind = (sb_ban_kind)i;
            return NULL;
        }
    return **at >= '0' && **at <= '9' ? NULL : "must begin with ban, kick, except or an address";
}

static const char *read_target(const char **at, sb_ban *ban, sb_ban_texts *texts)
{
    char word[32];
    if (**at >= '0' && **at <= '9') {
        if (!read_word(at, word, sizeof word) || !sb_ban_parse_range(word, &ban->range))
            return "the address must be like 203.0.113.7 or 203.0.113.0/24";
        ban->has_range = true;
    }
    if (take_word(at, "name") && !read_word(at, texts->name, sizeof texts->name))
        return "the name is too long, or its closing quote is missing";
    return NULL;
}

static const char *read_time(const char **at, bool may_be_never, int64_t *out)
{
    char word[32];
    if (!read_word(at, word, sizeof word)) return "a time must be like 2026-12-01T18:00:00Z";
    if (may_be_never && strcmp(word, "never") == 0) *out = 0;
    else if (!sb_ban_parse_time(word, out)) return "a time must be like 2026-12-01T18:00:00Z";
    return NULL;
}

static const char *read_details(const char **at, sb_ban *ban, sb_ban_texts *texts)
{
    const char *why = NULL;
    if (take_word(at, "until")) why = read_time(at, true, &ban->expires_ms);
    if (!why && take_word(at, "since")) why = read_time(at, false, &ban->created_ms);
    if (!why && take_word(at, "by") && !read_word(at, texts->by, sizeof texts->by))
        why = "the text after `by` is too long, or its closing quote is missing";
    if (!why && (take_word(at, "reason") || take_word(at, "#")) &&
        !read_rest(at, texts->reason, sizeof texts->reason))
        why = "the reason has more than 200 bytes";
    return why;
}

static const char *parse_words(const char *line, sb_ban *ban, sb_ban_texts *texts)
{
    const char *at = line;
    const char *why = read_kind(&at, ban);
    if (!why) why = read_target(&at, ban, texts);
    if (!why) why = read_details(&at, ban, texts);
    skip_blanks(&at);
    if (!why && *at && *at != '#' && *at != ';')
        why = "there is more than a target, until, since, by and reason, in this order";
    return why;
}

/* ---- JSON ---- */

/* False: not a text, or too long. A missing key or null leaves `out` empty. */
static bool copy_json_text(const json_t *object, const char *key, char *out, size_t capacity)
{
    const json_t *value = json_object_get(object, key);
    if (!value || json_is_null(value)) return true;
    if (!json_is_string(value) || json_string_length(value) >= capacity) return false;
    memcpy(out, json_string_value(value), json_string_length(value) + 1);
    return true;
}

static bool read_json_time(const json_t *object, const char *key, int64_t *out)
{
    char text[32] = "";
    if (!copy_json_text(object, key, text, sizeof text)) return false;
    return text[0] == '\0' || sb_ban_parse_time(text, out);
}

static const char *read_json_kind(const json_t *object, sb_ban *ban)
{
    char word[16] = "";
    if (!copy_json_text(object, "kind", word, sizeof word)) return "kind must be a text";
    for (int i = 0; sb_ban_kind_words[i]; i++)
        if (word[0] == '\0' || strcmp(word, sb_ban_kind_words[i]) == 0) {
            ban->kind = (sb_ban_kind)i;
            return NULL;
        }
    return "kind must be ban, kick or except";
}

static const char *read_json_range(const json_t *object, sb_ban *ban)
{
    char text[32] = "";
    if (!copy_json_text(object, "range", text, sizeof text)) return "range must be a text";
    ban->has_range = text[0] != '\0';
    if (ban->has_range && !sb_ban_parse_range(text, &ban->range))
        return "range must be like 203.0.113.7 or 203.0.113.0/24";
    return NULL;
}

static const char *parse_object(const json_t *object, sb_ban *ban, sb_ban_texts *texts)
{
    if (!json_is_object(object)) return "is no JSON object";
    const char *why = read_json_kind(object, ban);
    if (!why) why = read_json_range(object, ban);
    if (why) return why;
    if (!copy_json_text(object, "name", texts->name, sizeof texts->name))
        return "name must be a text of at most 95 bytes";
    if (!copy_json_text(object, "reason", texts->reason, sizeof texts->reason))
        return "reason must be a text of at most 200 bytes";
    if (!copy_json_text(object, "by", texts->by, sizeof texts->by))
        return "by must be a text of at most 95 bytes";
    if (!read_json_time(object, "created", &ban->created_ms) ||
        !read_json_time(object, "expires", &ban->expires_ms))
        return "created and expires must be like 2026-12-01T18:00:00Z";
    return NULL;
}

static const char *parse_json(const char *line, sb_ban *ban, sb_ban_texts *texts)
{
    json_t     *object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    const char *why = object ? parse_object(object, ban, texts) : "is no valid JSON";
    json_decref(object);
    return why;
}

sb_ban_line sb_ban_parse_line(const char *line, int64_t now_ms, sb_ban *ban, sb_ban_texts *texts,
                              const char **why)
{
    *texts = (sb_ban_texts){ .name = "" };
    *ban = (sb_ban){ .created_ms = now_ms, .name = texts->name };
    ban->reason = texts->reason;
    ban->by = texts->by;
    skip_blanks(&line);
    if (*line == '\0' || *line == '#' || *line == ';') return SB_BAN_LINE_EMPTY;
    *why = *line == '{' ? parse_json(line, ban, texts) : parse_words(line, ban, texts);
    if (!*why) *why = sb_ban_fault(ban);
    return *why ? SB_BAN_LINE_WRONG : SB_BAN_LINE_BAN;
}

/* ---- writing ---- */

typedef struct printer {
    char  *out;
    size_t size;
} printer;

/* Everything fits: texts are bounded (sb_ban_fault), and a byte becomes at most six. */
static void print_text(printer *p, const char *text)
{
    size_t size = strlen(text);
    if (size > SB_BAN_LINE_TEXT - 1 - p->size) size = SB_BAN_LINE_TEXT - 1 - p->size;
    memcpy(p->out + p->size, text, size);
    p->size += size;
    p->out[p->size] = '\0';
}

static void print_quoted(printer *p, const char *text)
{
    print_text(p, "\"");
    for (; *text; text++) {
        const char pair[] = { '\\', *text, '\0' };
        print_text(p, *text == '"' || *text == '\\' ? pair : pair + 1);
    }
    print_text(p, "\"");
}

static void print_time(printer *p, const char *before, int64_t ms, const char *after)
{
    char text[SB_BAN_TIME_TEXT];
    sb_ban_print_time(ms, text);
    print_text(p, before);
    print_text(p, text);
    print_text(p, after);
}

static void print_range(printer *p, const sb_ban *ban)
{
    char   text[SB_BAN_TARGET_TEXT];
    sb_ban range = *ban;
    range.name = "";
    sb_ban_target_text(&range, text);
    print_text(p, text);
}

size_t sb_ban_print_line(const sb_ban *ban, char out[SB_BAN_LINE_TEXT])
{
    printer p = { out, 0 };
    print_text(&p, sb_ban_kind_words[ban->kind]);
    if (ban->has_range) print_text(&p, " ");
    print_range(&p, ban);
    if (ban->name[0]) {
        print_text(&p, " name ");
        print_quoted(&p, ban->name);
    }
    if (ban->expires_ms) print_time(&p, " until ", ban->expires_ms, "");
    if (ban->created_ms) print_time(&p, " since ", ban->created_ms, "");
    if (ban->by[0]) {
        print_text(&p, " by ");
        print_quoted(&p, ban->by);
    }
    if (ban->reason[0]) print_text(&p, " reason ");
    print_text(&p, ban->reason);
    print_text(&p, "\n");
    return p.size;
}

static void print_member(printer *p, const char *key, const char *value)
{
    print_text(p, key);
    print_quoted(p, value);
}

size_t sb_ban_print_json(const sb_ban *ban, char out[SB_BAN_LINE_TEXT])
{
    printer p = { out, 0 };
    print_member(&p, "{\"kind\":", sb_ban_kind_words[ban->kind]);
    print_text(&p, ",\"range\":\"");
    print_range(&p, ban);
    print_member(&p, "\",\"name\":", ban->name);
    print_time(&p, ",\"created\":\"", ban->created_ms, "\",\"expires\":");
    if (ban->expires_ms) print_time(&p, "\"", ban->expires_ms, "\"");
    else print_text(&p, "null");
    print_member(&p, ",\"reason\":", ban->reason);
    print_member(&p, ",\"by\":", ban->by);
    print_text(&p, "}\n");
    return p.size;
}

/* ---- importing ---- */

/* FNV-1a of what makes two targets the same. */
static uint64_t hash_target(const sb_ban *ban)
{
    uint64_t hash = 0xCBF29CE484222325u;
    uint64_t head = (uint64_t)ban->range.address << 16 | (uint64_t)ban->range.bits << 8 |
                    (uint64_t)ban->kind << 1 | (uint64_t)ban->has_range;
    for (int i = 0; i < 8; i++) hash = (hash ^ (head >> 8 * i & 255)) * 0x100000001B3u;
    for (const char *c = ban->name; *c; c++) hash = (hash ^ (uint8_t)*c) * 0x100000001B3u;
    return hash;
}

/* Targets that are in the list, in a table of hashes with open addressing. */
typedef struct target_set {
    uint64_t *slots; /* 0: free */
    size_t    mask, count;
} target_set;

/* True: it was not in the set. */
static bool insert_target(target_set *set, uint64_t hash)
{
    if (hash == 0) hash = 1;
    for (size_t i = (size_t)hash & set->mask;; i = (i + 1) & set->mask) {
        if (set->slots[i] == hash) return false;
        if (set->slots[i] != 0) continue;
        set->slots[i] = hash;
        set->count++;
        return true;
    }
}

static bool make_set(target_set *set, const sb_bans *bans, size_t lines)
{
    size_t wanted = 2 * (sb_bans_count(bans) + lines + 1), size = 64;
    while (size < wanted) size *= 2;
    *set = (target_set){ .slots = calloc(size, sizeof *set->slots), .mask = size - 1 };
    for (size_t i = 0; set->slots && i < sb_bans_count(bans); i++)
        (void)insert_target(set, hash_target(sb_bans_at(bans, i)));
    return set->slots != NULL;
}

static void note_wrong(sb_ban_import *result, size_t line, const char *why)
{
    if (result->wrong++ > 0) return;
    result->line = line;
    result->why = why;
}

typedef struct importing {
    sb_bans         *bans;
    target_set       known;
    int64_t          now_ms;
    sb_ban_import_fn before;
    void            *context;
    sb_ban_import   *result;
} importing;

static void import_line(importing *m, const char *line, size_t number)
{
    sb_ban       ban;
    sb_ban_texts texts;
    const char  *why = NULL;
    sb_ban_line  kind = sb_ban_parse_line(line, m->now_ms, &ban, &texts, &why);
    if (kind == SB_BAN_LINE_EMPTY) return;
    if (kind == SB_BAN_LINE_WRONG) note_wrong(m->result, number, why);
    else if (!sb_ban_is_in_force(&ban, m->now_ms)) m->result->expired++;
    else if (m->known.count > m->known.mask / 4 * 3) m->result->full = true;
    else if (!insert_target(&m->known, hash_target(&ban))) m->result->known++;
    else if (m->before && !m->before(m->context, &ban)) note_wrong(m->result, number, "not stored");
    else if (sb_bans_add(m->bans, &ban, NULL) == SB_OK) {
        m->result->added++;
        m->result->wide += ban.has_range && ban.range.bits < 8;
    } else m->result->full = true;
}

static size_t count_lines(sb_span text)
{
    size_t count = 1;
    for (size_t i = 0; i < text.size; i++) count += text.data[i] == '\n';
    return count < SB_BANS_MAX ? count : SB_BANS_MAX;
}

void sb_bans_import(sb_bans *bans, sb_span text, int64_t now_ms, sb_ban_import_fn before,
                    void *context, sb_ban_import *result)
{
    importing m = { .bans = bans, .now_ms = now_ms, .before = before, .context = context };
    char      line[SB_BAN_LINE_MAX];
    m.result = result;
    *result = (sb_ban_import){ .added = 0 };
    if (!make_set(&m.known, bans, count_lines(text))) {
        result->full = true;
        return;
    }
    for (size_t at = 0, number = 1; at < text.size && !result->full; number++) {
        const uint8_t *end = memchr(text.data + at, '\n', text.size - at);
        size_t         size = end ? (size_t)(end - (text.data + at)) : text.size - at;
        if (size >= sizeof line) note_wrong(result, number, "is longer than 1023 bytes");
        else if (memchr(text.data + at, 0, size)) note_wrong(result, number, "has a zero byte");
        else {
            memcpy(line, text.data + at, size);
            line[size] = '\0';
            import_line(&m, line, number);
        }
        at += size + 1;
    }
    free(m.known.slots);
}
