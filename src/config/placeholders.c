/* src/config/placeholders.c -- finds placeholders and fills them in.
 *
 * For:      placeholders.h.
 */
#include "config/placeholders.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"

enum { VALUE_MAX = 128 };

typedef sb_placeholder_values values;

/* Where the value of a placeholder comes from: a text or a function. */
typedef struct placeholder {
    const char *name;
    size_t      text; /* offset of a const char * in the values, if `print` is NULL */
    void (*print)(const values *v, char out[VALUE_MAX]);
} placeholder;

static void print_players(const values *v, char out[VALUE_MAX])
{
    snprintf(out, VALUE_MAX, "%u", v->players);
}

static void print_max_players(const values *v, char out[VALUE_MAX])
{
    snprintf(out, VALUE_MAX, "%u", v->max_players);
}

static void print_time_left(const values *v, char out[VALUE_MAX])
{
    if (v->seconds_left < 0) snprintf(out, VALUE_MAX, "no limit");
    else snprintf(out, VALUE_MAX, "%d:%02d", v->seconds_left / 60, v->seconds_left % 60);
}

static void print_frag_limit(const values *v, char out[VALUE_MAX])
{
    if (v->frag_limit > 0) snprintf(out, VALUE_MAX, "%d", v->frag_limit);
    else snprintf(out, VALUE_MAX, "no limit");
}

static const placeholder placeholders[] = {
    { "server", offsetof(values, server), NULL },
    { "player", offsetof(values, player), NULL },
    { "players", 0, print_players },
    { "max_players", 0, print_max_players },
    { "system", offsetof(values, system), NULL },
    { "mission", offsetof(values, mission), NULL },
    { "next_system", offsetof(values, next_system), NULL },
    { "next_mission", offsetof(values, next_mission), NULL },
    { "time_left", 0, print_time_left },
    { "frag_limit", 0, print_frag_limit },
};

static const char all[] = "has an unknown placeholder; there are %server%, %player%, %players%, "
                          "%max_players%, %system%, %mission%, %next_system%, %next_mission%, "
                          "%time_left%, %frag_limit%";

/* The size of a word of letters between two `%` that starts at `text`; 0: there is none. */
static size_t word_size(const char *text)
{
    size_t size = strspn(text + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    return text[0] == '%' && size > 0 && text[1 + size] == '%' ? size : 0;
}

static const placeholder *find(const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof placeholders / sizeof *placeholders; i++)
        if (strlen(placeholders[i].name) == size && memcmp(placeholders[i].name, name, size) == 0)
            return &placeholders[i];
    return NULL;
}

const char *sb_placeholder_fault(const char *line)
{
    for (const char *at = strchr(line, '%'); at; at = strchr(at, '%')) {
        size_t size = word_size(at);
        if (size > 0 && !find(at + 1, size)) return all;
        at += size > 0 ? size + 2 : 1;
    }
    return NULL;
}

static void print_value(const placeholder *p, const values *v, char out[VALUE_MAX])
{
    const char *text = NULL;
    if (p->print) {
        p->print(v, out);
        return;
    }
    memcpy(&text, (const char *)v + p->text, sizeof text);
    snprintf(out, VALUE_MAX, "%s", text ? text : "");
}

/* Appends as many whole characters as fit. */
static size_t append(char *out, size_t at, size_t capacity, const char *text, size_t size)
{
    if (size > capacity - 1 - at) {
        size = capacity - 1 - at;
        while (size > 0 && ((unsigned char)text[size] & 0xC0) == 0x80) size--;
    }
    memcpy(out + at, text, size);
    out[at + size] = '\0';
    return at + size;
}

size_t sb_placeholder_fill(const char *line, const sb_placeholder_values *v, char *out,
                           size_t capacity)
{
    size_t at = 0;
    SB_ASSERT(capacity > 0);
    out[0] = '\0';
    while (*line) {
        size_t             size = word_size(line);
        const placeholder *p = size > 0 ? find(line + 1, size) : NULL;
        if (p) {
            char value[VALUE_MAX];
            print_value(p, v, value);
            at = append(out, at, capacity, value, strlen(value));
            line += size + 2;
        } else {
            size_t plain = 1 + strcspn(line + 1, "%");
            at = append(out, at, capacity, line, plain);
            line += plain;
        }
    }
    return at;
}
