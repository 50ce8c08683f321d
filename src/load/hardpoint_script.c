/* src/load/hardpoint_script.c -- the calls of a hardpoint script that matter, and notes about the
 * others.
 *
 * For:      hardpoint_script.h. script_blocks.c decides which statements are read; this file does
 *           what their calls say.
 * Tests:    tests/load/hardpoint_script_test.c, fuzz/hardpoint_fuzz.c
 */
#include "load/hardpoint_script.h"

#include "base/assert.h"
#include "base/text.h"
#include "load/script_blocks.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char sb_script_without_effect[] = "has no effect on a server";

static const char not_understood[] = "is not understood";
static const char not_a_number[] = "has an argument whose value only the game knows";
static const char needs_property[] = "is called with something that is no property";
static const char not_a_part[] = "is a class of properties that is not known; left out";
static const char registered_twice[] = "is registered twice; the last one counts";
static const char outside[] = "is called outside of LoadPropertySet";

static sb_result run_out(sb_hardpoint_script *script)
{
    return sb_data_refuse_os_error(script->data, script->file, "out of memory");
}

/* ---- calls ---- */

typedef struct run {
    sb_hardpoint_script *script;
    sb_script_added     *inherited; /* by the parent */
    size_t               inherited_count;
    sb_script_blocks     blocks;
    sb_result            result;
} run;

static const sb_script_value unknown = { .kind = SB_VALUE_UNKNOWN };
static const sb_script_value object = { .kind = SB_VALUE_OBJECT };

static sb_span call_name(const sb_script_call *call)
{
    static const uint8_t nameless[] = "a call";
    if (call->path_count == 0) return (sb_span){ nameless, sizeof nameless - 1 };
    return call->path[call->path_count - 1];
}

static void note_call(run *r, const sb_script_call *call, const char *reason)
{
    sb_hardpoint_script_note(r->script, call_name(call), call->line, reason);
}

static void fail(run *r, uint32_t line, const char *reason)
{
    char key[24];
    snprintf(key, sizeof key, "line %lu", (unsigned long)line);
    if (r->result == SB_OK)
        r->result = sb_data_refuse(r->script->data, r->script->file, key, reason);
}

/* "HullProperty_Create" -> "Hull". False: the function creates no property. */
static bool find_class_name(sb_span function, sb_span *out)
{
    static const char ending[] = "Property_Create";
    size_t            size = sizeof ending - 1;
    if (function.size <= size) return false;
    *out = (sb_span){ function.data, function.size - size };
    return memcmp(function.data + out->size, ending, size) == 0;
}

static sb_script_value create_property(run *r, const sb_script_call *call, sb_span class_name)
{
    sb_hardpoint_script *script = r->script;
    if (call->argument_count == 0 || call->arguments[0].kind != SB_VALUE_TEXT) {
        note_call(r, call, "needs a name in quotes");
        return unknown;
    }
    if (script->property_count == SB_SCRIPT_PROPERTIES_MAX) {
        fail(r, call->line, "creates more properties than a ship can have (512)");
        return unknown;
    }
    sb_script_property *p = &script->properties[script->property_count];
    sb_script_property_init(p);
    p->class = sb_property_class_find(class_name);
    p->file = script->file;
    p->line = call->line;
    p->name = sb_hardpoint_script_keep_text(script, call->arguments[0].text, SB_SCRIPT_NAME_MAX);
    if (!p->name) {
        r->result = run_out(script);
        return unknown;
    }
    if (!p->class) note_call(r, call, not_a_part);
    return (sb_script_value){ .kind = SB_VALUE_PROPERTY, .index = script->property_count++ };
}

static void register_property(run *r, const sb_script_call *call)
{
    sb_hardpoint_script *script = r->script;
    if (call->argument_count == 0 || call->arguments[0].kind != SB_VALUE_PROPERTY) {
        note_call(r, call, needs_property);
        return;
    }
    sb_script_property *p = &script->properties[call->arguments[0].index];
    for (size_t i = 0; i < script->property_count; i++) {
        sb_script_property *other = &script->properties[i];
        if (other == p || !other->is_registered || strcmp(other->name, p->name) != 0) continue;
        other->is_registered = false;
        if (!script->is_parent_read)
            sb_hardpoint_script_note(script, sb_text_span(p->name), call->line, registered_twice);
    }
    p->is_registered = true;
}

static void add_name(run *r, const char *name, uint32_t line)
{
    sb_hardpoint_script *script = r->script;
    if (!name) r->result = run_out(script);
    else if (script->added_count == SB_SCRIPT_PROPERTIES_MAX)
        fail(r, line, "adds more properties than a ship can have (512)");
    else script->added[script->added_count++] = (sb_script_added){ name, line };
}

static void add_to_set(run *r, const sb_script_call *call)
{
    const sb_script_value *what = call->argument_count > 1 ? &call->arguments[1] : &unknown;
    if (!sb_script_blocks_is_loading(&r->blocks)) note_call(r, call, outside);
    else if (what->kind == SB_VALUE_TEMPLATE)
        add_name(r, sb_hardpoint_script_keep_text(r->script, what->text, SB_SCRIPT_NAME_MAX),
                 call->line);
    else if (what->kind == SB_VALUE_PROPERTY)
        add_name(r, r->script->properties[what->index].name, call->line);
    else note_call(r, call, needs_property);
}

static sb_script_value find_by_name(run *r, const sb_script_call *call)
{
    if (call->argument_count == 0 || call->arguments[0].kind != SB_VALUE_TEXT) {
        note_call(r, call, not_a_number);
        return unknown;
    }
    return (sb_script_value){ .kind = SB_VALUE_TEMPLATE, .text = call->arguments[0].text };
}

/* ParentModule = __import__("ships.Hardpoints.keldon", ...): only the last name is kept. */
static sb_script_value import_parent(run *r, const sb_script_call *call)
{
    if (call->argument_count == 0 || call->arguments[0].kind != SB_VALUE_TEXT) return unknown;
    sb_span name = call->arguments[0].text;
    for (size_t i = name.size; i-- > 0;)
        if (name.data[i] == '.') {
            name = (sb_span){ name.data + i + 1, name.size - i - 1 };
            break;
        }
    r->script->parent = sb_hardpoint_script_keep_text(r->script, name, SB_SCRIPT_NAME_MAX);
    r->script->parent_line = call->line;
    if (!r->script->parent) r->result = run_out(r->script);
    return (sb_script_value){ .kind = SB_VALUE_PARENT };
}

static void load_parent(run *r, const sb_script_call *call)
{
    if (!call->object || call->object->kind != SB_VALUE_PARENT) note_call(r, call, not_understood);
    else if (!sb_script_blocks_is_loading(&r->blocks)) note_call(r, call, outside);
    else
        for (size_t i = 0; i < r->inherited_count; i++)
            add_name(r, r->inherited[i].name, call->line);
}

/* ---- setters ---- */

/* A number beyond those of a float becomes the largest one. */
static float to_float(double number)
{
    return (float)fmax(-(double)FLT_MAX, fmin((double)FLT_MAX, number));
}

static bool read_numbers(const sb_script_call *call, size_t count, float *out)
{
    if (call->argument_count < count) return false;
    for (size_t i = 0; i < count; i++) {
        if (call->arguments[i].kind != SB_VALUE_NUMBER) return false;
        out[i] = to_float(call->arguments[i].number);
    }
    return true;
}

static bool read_point(const sb_script_call *call, size_t at, float *out)
{
    if (at >= call->argument_count || call->arguments[at].kind != SB_VALUE_POINT) return false;
    memcpy(out, call->arguments[at].point, 3 * sizeof *out);
    return true;
}

static bool read_orientation(const sb_script_call *call, float *out)
{
    bool third = call->argument_count > 2;
    return read_point(call, 0, out) && read_point(call, 1, out + 3) &&
           (!third || read_point(call, 2, out + 6));
}

/* An index from 0 to `max` as the first argument. */
static bool read_index(const sb_script_call *call, double max, size_t *out)
{
    if (call->argument_count < 2 || call->arguments[0].kind != SB_VALUE_NUMBER) return false;
    double index = call->arguments[0].number;
    if (!(index >= 0 && index <= max) || index != floor(index)) return false;
    *out = (size_t)index;
    return true;
}

static bool set_facing(const sb_script_call *call, const sb_property_setter *setter, float *figures)
{
    size_t facing;
    if (!read_index(call, setter->count - 1, &facing)) return false;
    if (call->arguments[1].kind != SB_VALUE_NUMBER) return false;
    figures[setter->figure + facing] = to_float(call->arguments[1].number);
    return true;
}

static sb_script_torpedo *find_torpedo(run *r, const sb_script_property *system, size_t slot)
{
    sb_hardpoint_script *script = r->script;
    for (size_t i = 0; i < script->torpedo_count; i++)
        if (script->torpedoes[i].system == system && script->torpedoes[i].slot == slot)
            return &script->torpedoes[i];
    if (script->torpedo_count == SB_SCRIPT_TORPEDOES_MAX) return NULL;
    script->torpedoes[script->torpedo_count] =
        (sb_script_torpedo){ .system = system, .slot = (unsigned)slot, .count = NAN };
    return &script->torpedoes[script->torpedo_count++];
}

static bool set_torpedo(run *r, const sb_script_call *call, const sb_property_setter *setter,
                        const sb_script_property *system)
{
    size_t slot;
    if (!read_index(call, 255, &slot)) return false;
    const sb_script_value *what = &call->arguments[1];
    bool                   script = setter->kind == SB_SETTER_TORPEDO_SCRIPT;
    if (what->kind != (script ? SB_VALUE_TEXT : SB_VALUE_NUMBER)) return false;
    sb_script_torpedo *torpedo = find_torpedo(r, system, slot);
    if (!torpedo) note_call(r, call, "has too many slots; the others are left out");
    else if (!script) torpedo->count = to_float(what->number);
    else
        torpedo->script =
            sb_hardpoint_script_keep_text(r->script, what->text, SB_SCRIPT_MODULE_MAX);
    return true;
}

static bool set_text(run *r, const sb_script_call *call, sb_script_property *p, size_t max_bytes)
{
    if (call->argument_count == 0 || call->arguments[0].kind != SB_VALUE_TEXT) return false;
    p->text = sb_hardpoint_script_keep_text(r->script, call->arguments[0].text, max_bytes);
    return true;
}

/* False: the arguments are not those of the call. */
static bool set_figure(run *r, const sb_script_call *call, const sb_property_setter *setter,
                       sb_script_property *p)
{
    float *place = &p->figures[setter->figure];
    switch (setter->kind) {
    case SB_SETTER_NUMBERS: return read_numbers(call, setter->count, place);
    case SB_SETTER_POINT: return read_point(call, 0, place) || read_numbers(call, 3, place);
    case SB_SETTER_FACING: return set_facing(call, setter, p->figures);
    case SB_SETTER_ORIENTATION: return read_orientation(call, place);
    case SB_SETTER_NAME: return set_text(r, call, p, SB_SCRIPT_NAME_MAX);
    case SB_SETTER_MODULE: return set_text(r, call, p, SB_SCRIPT_MODULE_MAX);
    default: return set_torpedo(r, call, setter, p);
    }
}

static void set_property(run *r, const sb_script_call *call)
{
    sb_script_property *p = &r->script->properties[call->object->index];
    if (!p->class || p->class->type == SB_PROPERTY_WITHOUT_PART) return; /* as a whole left out */
    const sb_property_setter *setter = sb_property_setter_find(p->class, call_name(call));
    if (!setter) note_call(r, call, not_understood);
    else if (setter->kind == SB_SETTER_WITHOUT_EFFECT) note_call(r, call, sb_script_without_effect);
    else if (!set_figure(r, call, setter, p)) note_call(r, call, not_a_number);
}

/* SetXYZ of a point. Points are copied into the figures that they set, so later changes of a point
 * do not reach them. */
static void set_point(run *r, const sb_script_call *call)
{
    bool known = sb_text_equals(call_name(call), "SetXYZ");
    if (!known) note_call(r, call, not_understood);
    else if (!read_numbers(call, 3, call->object->point)) note_call(r, call, not_a_number);
}

static sb_script_value call_method(run *r, const sb_script_call *call)
{
    switch (call->object ? call->object->kind : SB_VALUE_UNKNOWN) {
    case SB_VALUE_PROPERTY: set_property(r, call); return object;
    case SB_VALUE_POINT: set_point(r, call); return object;
    case SB_VALUE_OBJECT: return object;
    default: note_call(r, call, not_understood); return unknown;
    }
}

static bool starts_with(sb_span text, const char *start)
{
    size_t size = strlen(start);
    return text.size >= size && memcmp(text.data, start, size) == 0;
}

static sb_script_value on_call(void *context, const sb_script_call *call)
{
    run    *r = context;
    sb_span name = call_name(call), class_name;
    if (find_class_name(name, &class_name)) return create_property(r, call, class_name);
    if (sb_text_equals(name, "FindByName")) return find_by_name(r, call);
    if (sb_text_equals(name, "__import__")) return import_parent(r, call);
    if (sb_text_equals(name, "TGPoint3")) return (sb_script_value){ .kind = SB_VALUE_POINT };
    if (sb_text_equals(name, "RegisterLocalTemplate")) register_property(r, call);
    else if (sb_text_equals(name, "AddToSet")) add_to_set(r, call);
    else if (sb_text_equals(name, "LoadPropertySet")) load_parent(r, call);
    else if (!starts_with(name, "TG") && !sb_text_equals(name, "reload") &&
             !sb_text_equals(name, "globals") && !sb_text_equals(name, "locals") &&
             !sb_text_equals(name, "dir"))
        return call_method(r, call);
    return object;
}

static void on_note(void *context, sb_span subject, uint32_t line, const char *reason)
{
    run *r = context;
    sb_hardpoint_script_note(r->script, subject, line, reason);
}

/* A later LoadPropertySet replaces an earlier one. */
static void on_load(void *context)
{
    run *r = context;
    r->script->added_count = 0;
}

/* ---- a whole script ---- */

sb_result sb_hardpoint_script_init(sb_hardpoint_script *script, sb_data *data)
{
    *script = (sb_hardpoint_script){ .data = data, .file = "" };
    script->properties =
        sb_data_allocate(data, SB_SCRIPT_PROPERTIES_MAX * sizeof *script->properties);
    script->added = sb_data_allocate(data, SB_SCRIPT_PROPERTIES_MAX * sizeof *script->added);
    return script->properties && script->added ? SB_OK : run_out(script);
}

static sb_result run_text(run *r, const char *text, size_t size)
{
    char key[24];
    if (memchr(text, '\0', size))
        return sb_data_refuse(r->script->data, r->script->file, "",
                              "is not a text; name the .py, not the compiled .pyc");
    sb_script_blocks_run(&r->blocks, text, size);
    if (r->result != SB_OK) return r->result;
    if (!r->blocks.reader.error) return SB_OK;
    snprintf(key, sizeof key, "line %lu", (unsigned long)r->blocks.reader.error_line);
    return sb_data_refuse(r->script->data, r->script->file, key, r->blocks.reader.error);
}

/* The names that the parent adds become the inherited ones. */
static bool start_run(run *r, sb_hardpoint_script *script)
{
    size_t bytes = SB_SCRIPT_PROPERTIES_MAX * sizeof *script->added;
    r->script = script;
    r->result = SB_OK;
    r->inherited = sb_data_allocate(script->data, bytes);
    if (!r->inherited) return false;
    memcpy(r->inherited, script->added, script->added_count * sizeof *script->added);
    r->inherited_count = script->added_count;
    script->is_parent_read = script->property_count > 0;
    script->added_count = 0;
    script->parent = NULL;
    sb_script_blocks_init(&r->blocks, r);
    r->blocks.values.on_call = on_call;
    r->blocks.on_note = on_note;
    r->blocks.on_load = on_load;
    r->blocks.stop = &r->result;
    return true;
}

sb_result sb_hardpoint_script_read(sb_hardpoint_script *script, sb_data_source source)
{
    char       *text = NULL;
    const char *bytes = source.text;
    size_t      size = source.size;
    sb_result   result = SB_OK;
    script->file = source.name;
    script->data->error[0] = '\0';
    run *r = sb_data_allocate(script->data, sizeof *r);
    if (!r || !start_run(r, script)) return run_out(script);
    if (!bytes) {
        result = sb_data_read_file(script->data, source.name, SB_DATA_FILE_BYTES_MAX, &text, &size);
        bytes = text;
    }
    if (result == SB_OK && size > SB_DATA_FILE_BYTES_MAX)
        result = sb_data_refuse(script->data, source.name, "", "is longer than 1 MiB");
    if (result == SB_OK && size > 0) result = run_text(r, bytes, size);
    free(text);
    return result;
}
