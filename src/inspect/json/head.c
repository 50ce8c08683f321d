/* src/inspect/json/head.c -- reads the keys beside `fields`: opcode, ship, sender.
 *
 * Tests:    tests/inspect/json/line_test.c, tests/inspect/json/error_test.c
 */
#include "inspect/json/internal.h"

#include <starbase/datagram.h>
#include <starbase/definition.h>
#include <starbase/layout.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const json_t *sb_json_member(const sb_json_line *l, const char *key)
{
    const json_t *json = json_object_get(l->object, key);
    return json_is_null(json) ? NULL : json;
}

bool sb_json_read_fields(sb_json_line *l, const json_t **fields)
{
    *fields = sb_json_member(l, "fields");
    return !*fields || json_is_object(*fields) || sb_json_fail_at(l, "fields", "not an object");
}

/* ---- opcode and ship ---- */

static bool is_called(const sb_message_type *type, const char *name)
{
    return strcasecmp(type->name, name) == 0 ||
           (type->published && strcasecmp(type->published, name) == 0);
}

/* True for "ModMessage", which names many opcodes. */
static bool is_shared_name(const json_t *name)
{
    unsigned count = 0;
    for (unsigned i = 0; json_is_string(name) && i <= UINT8_MAX; i++)
        count += strcasecmp(sb_find_message_type((uint8_t)i)->name, json_string_value(name)) == 0;
    return count > 1;
}

static bool find_by_name(sb_json_line *l, const char *key, const json_t *json, uint8_t *opcode)
{
    const sb_message_type *type =
        json_is_string(json) ? sb_find_defined_type_by_name(l->defaults->context.definitions,
                                                            json_string_value(json))
                             : NULL;
    if (!type) {
        sb_json_refuse(&l->reason,
                       is_shared_name(json) ? "%s names several messages: give the opcode"
                                            : "%s is not a message",
                       SB_JSON_DESCRIBE(json));
        return sb_json_fail_at(l, key, l->reason.text);
    }
    *opcode = type->opcode;
    return true;
}

bool sb_json_read_opcode(sb_json_line *l, uint8_t *opcode)
{
    const json_t *json = sb_json_member(l, "opcode"), *name = sb_json_member(l, "name");
    if (!json && !name) return sb_json_fail_at(l, "opcode", "missing, and so is \"name\"");
    if (!json) return find_by_name(l, "name", name, opcode);
    uint32_t number;
    if (sb_json_read_integer(json, 0, 255, NULL, &number, &l->reason)) *opcode = (uint8_t)number;
    else if (!json_is_string(json)) return sb_json_fail_at(l, "opcode", l->reason.text);
    else if (!find_by_name(l, "opcode", json, opcode)) return false;
    if (!name) return true;
    const sb_message_type *type = sb_find_defined_type(l->defaults->context.definitions, *opcode);
    if (json_is_string(name) && is_called(type, json_string_value(name))) return true;
    if (type->relay == SB_RELAY_CONFIGURABLE && is_shared_name(name)) return true; /* ModMessage */
    sb_json_refuse(&l->reason, "opcode %u is called \"%s\"", *opcode, type->name);
    return sb_json_fail_at(l, "name", l->reason.text);
}

const sb_ship_class *sb_json_find_ship(const sb_ship_set *ships, const char *text,
                                       sb_json_reason *reason)
{
    const sb_ship_set   *set = ships ? ships : sb_stock_ships();
    const sb_ship_class *ship = sb_find_ship_by_name(set, text);
    uint32_t             species = 0;
    if (ship) return ship;
    json_t *json = json_string(text); /* NULL: not UTF-8 */
    bool known = json && sb_json_read_integer(json, 0, 255, sb_species_names(), &species, reason);
    if (known) ship = sb_find_ship(set, (uint8_t)species);
    if (known && !ship)
        sb_json_refuse(reason, "no subsystem list is known for species %u", species);
    if (!json) sb_json_refuse(reason, "not UTF-8");
    json_decref(json);
    return ship;
}

/* Leaves the default if the line has no such key. */
static bool read_shields(sb_json_line *l, sb_message_context *context)
{
    const json_t    *json = sb_json_member(l, "shields");
    sb_shield_layout layout = SB_SHIELD_STOCK;
    if (!json) return true;
    if (!json_is_string(json) || !sb_find_shield_layout(json_string_value(json), &layout))
        return sb_json_fail_at(l, "shields", "not \"stock\" or \"documented\"");
    context->layout = (uint8_t)layout;
    return true;
}

bool sb_json_read_context(sb_json_line *l, sb_message_context *context)
{
    *context = l->defaults->context;
    if (!read_shields(l, context)) return false;
    const json_t *species = sb_json_member(l, "species"), *own = sb_json_member(l, "own");
    if (own && !json_is_boolean(own)) return sb_json_fail_at(l, "own", "not true or false");
    if (own) context->own = json_is_true(own);
    if (!species) return true;
    char buffer[64];
    if (json_is_number(species))
        snprintf(buffer, sizeof buffer, "%.0f", json_number_value(species));
    const char *text = json_is_number(species) ? buffer : json_string_value(species);
    if (!text) return sb_json_fail_at(l, "species", "not a number or a name");
    context->ship = sb_json_find_ship(context->ships, text, &l->reason);
    return context->ship || sb_json_fail_at(l, "species", l->reason.text);
}

/* ---- sender and transport type ---- */

bool sb_json_read_side(sb_json_line *l, sb_side *from)
{
    const json_t *json = sb_json_member(l, "side");
    *from = l->defaults->from;
    if (!json) return true;
    const char *text = json_string_value(json);
    if (!text || (strcmp(text, "host") != 0 && strcmp(text, "client") != 0))
        return sb_json_fail_at(l, "side", "not \"client\" or \"host\"");
    *from = strcmp(text, "host") == 0 ? SB_SIDE_HOST : SB_SIDE_CLIENT;
    return true;
}

bool sb_json_read_transport_type(sb_json_line *l, const json_t *fields, uint8_t *type, bool *known,
                                 bool *named)
{
    const json_t *json = json_object_get(fields, "type"), *name = sb_json_member(l, "name");
    uint32_t      stated = 0;
    double        found = 0;
    bool          has_type = json && !json_is_null(json);
    *named = name;
    *known = name || has_type;
    if (has_type &&
        !sb_json_read_integer(json, 0, UINT8_MAX, sb_transport_type_names(), &stated, &l->reason))
        return sb_json_fail_at(l, "fields.type", l->reason.text);
    *type = (uint8_t)stated;
    if (!name) return true;
    if (!json_is_string(name) ||
        !sb_json_find_name(sb_transport_type_names(), json_string_value(name),
                           json_string_length(name), &found)) {
        sb_json_refuse(&l->reason, "%s is not a transport message", SB_JSON_DESCRIBE(name));
        return sb_json_fail_at(l, "name", l->reason.text);
    }
    *type = (uint8_t)found;
    if (!has_type || *type == stated) return true;
    sb_json_refuse(&l->reason, "%s is type %u, but fields.type is %u; remove one of them",
                   SB_JSON_DESCRIBE(name), *type, stated);
    return sb_json_fail_at(l, "name", l->reason.text);
}
