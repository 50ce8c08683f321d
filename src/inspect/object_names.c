/* src/inspect/object_names.c -- learns names from records and finds them by id.
 *
 * Tests:    tests/inspect/object_names_test.c, tests/apps/decode_test.py
 */
#include "inspect/object_names.h"

#include <starbase/field.h>
#include <starbase/message.h>

#include "base/utf8.h"
#include "base/windows1252.h"

void sb_object_names_init(sb_object_names *names)
{
    names->file = NULL;
    names->player_count = names->ship_count = 0;
}

static sb_endpoint host_of(const sb_record *r)
{
    return r->from == SB_SIDE_HOST ? r->source : r->destination;
}

/* ---- finding ---- */

static size_t used(size_t count, size_t capacity)
{
    return count < capacity ? count : capacity;
}

static const sb_named_player *find_player(const sb_object_names *names, sb_endpoint host,
                                          uint32_t peer_id)
{
    for (size_t i = 0; i < used(names->player_count, SB_NAMED_PLAYERS_MAX); i++) {
        const sb_named_player *p = &names->players[i];
        if (p->peer_id == peer_id && sb_endpoints_equal(p->host, host)) return p;
    }
    return NULL;
}

static unsigned part_count(const sb_ship_class *model)
{
    return model ? (unsigned)model->subsystem_count + model->child_count : 0;
}

/* Finds the ship with this id, or the ship that the part with this id belongs to. The newest ship
 * wins, because a server that starts again uses the same ids. */
static const sb_named_ship *find_ship(const sb_object_names *names, sb_endpoint host, uint32_t id)
{
    size_t count = used(names->ship_count, SB_NAMED_SHIPS_MAX);
    for (size_t i = 1; id != 0 && i <= count; i++) {
        const sb_named_ship *s = &names->ships[(names->ship_count - i) % SB_NAMED_SHIPS_MAX];
        if (id - s->object_id <= part_count(s->model) && sb_endpoints_equal(s->host, host))
            return s;
    }
    return NULL;
}

const char *sb_object_names_player(const sb_object_names *names, const sb_record *r,
                                   uint32_t peer_id)
{
    if (!r->has_endpoints) return NULL;
    const sb_named_player *p = find_player(names, host_of(r), peer_id);
    return p ? p->name : NULL;
}

/* ---- learning ---- */

/* Collects a name in UTF-8; a character that is not visible becomes '?'. */
typedef struct clean_name {
    char   bytes[SB_NAME_BYTES_MAX];
    size_t size;
} clean_name;

static void add_point(clean_name *n, uint32_t point)
{
    char   bytes[4];
    size_t count = sb_utf8_write(bytes, sb_is_visible(point) ? point : '?');
    if (n->size + count >= sizeof n->bytes) return;
    memcpy(n->bytes + n->size, bytes, count);
    n->size += count;
    n->bytes[n->size] = '\0';
}

static clean_name name_from_utf16(sb_span text)
{
    clean_name name = { .size = 0 };
    for (size_t at = 0; at < text.size;) {
        uint32_t point = 0;
        size_t   taken = 2;
        if (!sb_utf16_read_point(text, at, &point, &taken)) point = '?';
        if (point == 0) break;
        add_point(&name, point);
        at += taken;
    }
    return name;
}

static clean_name name_from_windows1252(sb_span text)
{
    clean_name name = { .size = 0 };
    for (size_t i = 0; i < text.size; i++)
        add_point(&name, sb_windows1252_code_point(text.data[i]));
    return name;
}

static sb_named_player *add_player(sb_object_names *names, sb_endpoint host, uint8_t peer_id)
{
    const sb_named_player *known = find_player(names, host, peer_id);
    size_t                 at =
        known ? (size_t)(known - names->players) : names->player_count++ % SB_NAMED_PLAYERS_MAX;
    names->players[at] = (sb_named_player){ .host = host, .peer_id = peer_id };
    return &names->players[at];
}

/* A client may name only itself. */
static void learn_player(sb_object_names *names, const sb_record *r)
{
    sb_control control;
    if (r->transport.type != SB_TRANSPORT_NAME || r->transport.fragment) return;
    if (sb_decode_control(SB_TRANSPORT_NAME, r->from, r->transport.payload, &control) != SB_OK)
        return;
    uint8_t peer_id = control.name.peer_id;
    if (r->from != SB_SIDE_HOST && r->has_peer_id && r->peer_id != peer_id) return;
    clean_name name = name_from_utf16(control.name.name);
    if (name.size == 0) return;
    memcpy(add_player(names, host_of(r), peer_id)->name, name.bytes, sizeof name.bytes);
}

/* Creations are relayed and repeated: the same ship keeps its place. Another ship with a known id
 * belongs to a later game; it becomes the newest entry, and the old one is emptied. */
static sb_named_ship *add_ship(sb_object_names *names, const sb_named_ship *new)
{
    size_t count = used(names->ship_count, SB_NAMED_SHIPS_MAX);
    for (size_t i = 0; i < count; i++) {
        sb_named_ship *s = &names->ships[i];
        if (s->object_id != new->object_id || !sb_endpoints_equal(s->host, new->host)) continue;
        if (s->species == new->species && s->peer_id == new->peer_id) return s;
        *s = (sb_named_ship){ .object_id = 0 };
    }
    return &names->ships[names->ship_count++ % SB_NAMED_SHIPS_MAX];
}

static void learn_ship(sb_object_names *names, const sb_record *r)
{
    const sb_object_create *m = &r->message->as.object_create;
    bool                    of_player = r->message->opcode == SB_OP_PLAYER_OBJECT_CREATE;
    if (!of_player && r->message->opcode != SB_OP_OBJECT_CREATE) return;
    if (m->class_id != SB_CLASS_SHIP) return;
    const sb_ship_set *set = r->context.ships ? r->context.ships : sb_stock_ships();
    clean_name         name = name_from_windows1252(m->name);
    sb_named_ship      ship = { .host = host_of(r),
                                .object_id = m->object_id,
                                .peer_id = of_player ? m->peer_id : 0,
                                .species = m->species,
                                .model = sb_find_ship(set, m->species) };
    memcpy(ship.name, name.bytes, sizeof name.bytes);
    if (ship.object_id != 0) *add_ship(names, &ship) = ship;
}

void sb_object_names_learn(sb_object_names *names, const sb_record *r)
{
    if (!r->has_endpoints || r->from == SB_SIDE_UNKNOWN || r->result != SB_OK) return;
    if (r->file != names->file) {
        sb_object_names_init(names);
        names->file = r->file;
    }
    if (r->layer == SB_LAYER_TRANSPORT && r->has_transport) learn_player(names, r);
    if (r->layer == SB_LAYER_MESSAGE && r->message) learn_ship(names, r);
}

/* ---- adding ---- */

/* Words for weapons, which people count per ship. Other parts have names of their own. */
static const char *const weapon_words[SB_SUBSYSTEM_TYPE_COUNT] = {
    [SB_SUBSYSTEM_PHASER_BANK] = "Phaser bank",
    [SB_SUBSYSTEM_PULSE_WEAPON] = "Pulse cannon",
    [SB_SUBSYSTEM_TORPEDO_TUBE] = "Torpedo tube",
    [SB_SUBSYSTEM_TRACTOR_PROJECTOR] = "Tractor beam",
};

static void add_child(const sb_ship_class *model, const sb_subsystem_class *child, bool exact,
                      sb_text *t)
{
    const char *word = weapon_words[child->type];
    if (!word) {
        sb_text_add_string(t, child->name);
        return;
    }
    int64_t number = 1;
    for (const sb_subsystem_class *c = model->children; c < child; c++)
        number += c->type == child->type;
    sb_text_add_string(t, word);
    sb_text_add_char(t, ' ');
    sb_text_add_number(t, number);
    if (!exact) return;
    sb_text_add_string(t, " (");
    sb_text_add_string(t, child->name);
    sb_text_add_char(t, ')');
}

/* Adds the name of the part with this creation index. The order of the parts is not known for every
 * ship (spec 08 §2.1): "part 8" is the ninth that its script adds. */
static void add_part(const sb_ship_class *model, unsigned index, bool exact, sb_text *t)
{
    for (size_t i = 0; i < model->subsystem_count; i++)
        if (model->subsystems[i].creation_index == (int)index) {
            sb_text_add_string(t, model->subsystems[i].name);
            return;
        }
    for (size_t i = 0; i < model->child_count; i++)
        if (model->children[i].creation_index == (int)index) {
            add_child(model, &model->children[i], exact, t);
            return;
        }
    sb_text_add_string(t, "part ");
    sb_text_add_number(t, index);
}

static void add_owner(const sb_object_names *names, const sb_named_ship *s, sb_text *t)
{
    const sb_named_player *p = s->peer_id ? find_player(names, s->host, s->peer_id) : NULL;
    const char            *name = p ? p->name : s->name;
    if (name[0] == '\0') return;
    sb_text_add_string(t, name);
    sb_text_add_char(t, '/');
}

static void add_class(const sb_named_ship *s, sb_text *t)
{
    const char *name = s->model ? s->model->name : sb_find_name(sb_species_names(), s->species);
    if (name) {
        sb_text_add_string(t, name);
        return;
    }
    sb_text_add_string(t, "species ");
    sb_text_add_number(t, s->species);
}

bool sb_object_names_add(const sb_object_names *names, const sb_record *r, uint32_t object_id,
                         bool exact, sb_text *t)
{
    const sb_named_ship *s = r->has_endpoints ? find_ship(names, host_of(r), object_id) : NULL;
    if (!s) return false;
    add_owner(names, s, t);
    if (object_id == s->object_id) add_class(s, t);
    else add_part(s->model, object_id - s->object_id - 1, exact, t);
    return true;
}

/* Fields that are peer ids (spec 08 §2, 09 §2). */
static bool is_peer_field(const sb_field *f)
{
    static const char *const fields[] = { "sender", "killer", "victim", "player", "peer_id" };
    if (f->kind != SB_KIND_I32 && f->kind != SB_KIND_U8) return false;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(f->name, fields[i]) == 0) return true;
    return false;
}

bool sb_object_names_add_value(const sb_object_names *names, const sb_record *r, const sb_field *f,
                               const sb_value *v, bool exact, sb_text *t)
{
    if (f->kind == SB_KIND_ID) return sb_object_names_add(names, r, v->number, exact, t);
    const char *name = is_peer_field(f) ? sb_object_names_player(names, r, v->number) : NULL;
    if (name) sb_text_add_string(t, name);
    return name != NULL;
}
