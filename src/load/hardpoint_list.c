/* src/load/hardpoint_list.c -- the properties that a script adds to a ship; notes and texts.
 *
 * For:      hardpoint_script.h. hardpoint_script.c fills the script, this file reads it.
 * Tests:    tests/load/hardpoint_script_test.c
 */
#include "load/hardpoint_script.h"

#include "base/assert.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

static const char added_twice[] = "is added twice; only the first time counts";
static const char no_template[] = "is added, but no registered property has this name";
static const char never_added[] = "is registered, but LoadPropertySet does not add it; left out";

/* ---- notes and texts ---- */

static void add_note(sb_hardpoint_script *script, sb_span subject, const sb_script_note *new_note)
{
    sb_script_note note = *new_note;
    sb_utf8_from_windows1252(subject, note.subject, sizeof note.subject);
    for (size_t i = 0; i < script->note_count; i++) {
        sb_script_note *known = &script->notes[i];
        if (known->reason != note.reason || strcmp(known->subject, note.subject) != 0) continue;
        known->count++;
        return;
    }
    if (script->note_count == SB_SCRIPT_NOTES_MAX) script->notes_lost++;
    else script->notes[script->note_count++] = note;
}

void sb_hardpoint_script_note(sb_hardpoint_script *script, sb_span subject, uint32_t line,
                              const char *reason)
{
    sb_script_note note = { .reason = reason, .count = 1, .file = script->file, .line = line };
    add_note(script, subject, &note);
}

void sb_hardpoint_script_note_property(sb_hardpoint_script *script, const sb_script_property *p,
                                       sb_span subject, const char *reason)
{
    sb_script_note note = { .reason = reason, .count = 1, .file = p->file, .line = p->line };
    add_note(script, subject, &note);
}

static char unescape(uint8_t c)
{
    return c == 'n' ? '\n' : c == 't' ? '\t' : (char)c;
}

/* The text between two quotes: \n, \t, \\, \" and \' stand for one character, as in Python; before
 * anything else the backslash stays. Cut after `max_bytes`. */
static size_t unescape_text(sb_span text, uint8_t *out, size_t max_bytes)
{
    size_t size = 0;
    for (size_t i = 0; i < text.size && size < max_bytes; i++) {
        bool escape = text.data[i] == '\\' && i + 1 < text.size &&
                      memchr("nt\\\"'", text.data[i + 1], 5) != NULL;
        if (escape) i++;
        out[size++] = escape ? (uint8_t)unescape(text.data[i]) : text.data[i];
    }
    return size;
}

const char *sb_hardpoint_script_keep_text(sb_hardpoint_script *script, sb_span text,
                                          size_t max_bytes)
{
    uint8_t plain[SB_SCRIPT_MODULE_MAX];
    SB_ASSERT(max_bytes <= sizeof plain);
    sb_span span = { plain, unescape_text(text, plain, max_bytes) };
    char   *copy = sb_data_allocate(script->data, max_bytes + 1);
    if (copy) sb_utf8_from_windows1252(span, copy, max_bytes + 1);
    return copy;
}

void sb_script_property_init(sb_script_property *p)
{
    *p = (sb_script_property){ .name = "", .file = "" };
    for (size_t i = 0; i < SB_SCRIPT_FIGURE_COUNT; i++) p->figures[i] = NAN;
}

/* ---- the properties of the ship ---- */

static const sb_script_property *find_registered(const sb_hardpoint_script *script,
                                                 const char                *name)
{
    for (size_t i = 0; i < script->property_count; i++)
        if (script->properties[i].is_registered && strcmp(script->properties[i].name, name) == 0)
            return &script->properties[i];
    return NULL;
}

static bool is_listed(const sb_script_property *const *list, size_t count,
                      const sb_script_property *p)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == p) return true;
    return false;
}

static void note_unused(sb_hardpoint_script *script, const sb_script_property *const *list,
                        size_t count)
{
    for (size_t i = 0; i < script->property_count; i++) {
        const sb_script_property *p = &script->properties[i];
        if (p->is_registered && p->class && p->class->type != SB_PROPERTY_WITHOUT_PART &&
            !is_listed(list, count, p))
            sb_hardpoint_script_note_property(script, p, sb_text_span(p->name), never_added);
    }
}

size_t sb_hardpoint_script_list(sb_hardpoint_script      *script,
                                const sb_script_property *out[SB_SCRIPT_PROPERTIES_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < script->added_count; i++) {
        const sb_script_added    *a = &script->added[i];
        const sb_script_property *p = find_registered(script, a->name);
        if (!p) sb_hardpoint_script_note(script, sb_text_span(a->name), a->line, no_template);
        else if (!is_listed(out, count, p)) out[count++] = p;
        else if (!script->is_parent_read)
            sb_hardpoint_script_note(script, sb_text_span(a->name), a->line, added_twice);
    }
    note_unused(script, out, count);
    return count;
}
