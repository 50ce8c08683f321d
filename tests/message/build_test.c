/* tests/message/build_test.c -- what a source may give, and what it is asked for. */
#include <starbase/datagram.h>
#include <starbase/message.h>

#include "test.h"
#include "vector_fields.h"

#include <string.h>

static const sb_ship_class *akira(void)
{
    return sb_find_ship(sb_stock_ships(), 1);
}

/* Has one list of `count` items, and its number in a field "k". The items of a tree have no list.
 */
typedef struct long_list {
    const char *name;
    size_t      count;
    uint32_t    k;
    bool        given;
} long_list;

static bool list_has(void *self, const sb_field *f)
{
    return strcmp(((long_list *)self)->name, f->name) == 0;
}

static sb_answer list_value(void *self, const sb_field *f, sb_value *v, size_t count)
{
    (void)count;
    if (strcmp(f->name, "k") != 0) return SB_ABSENT;
    v->number = ((long_list *)self)->k;
    return SB_GIVEN;
}

static sb_answer list_enter(void *self, const sb_field *f, size_t *count)
{
    long_list *l = self;
    bool       here = list_has(self, f) && !l->given;
    *count = here ? l->count : 0;
    if (here) l->given = true;
    return here ? SB_GIVEN : SB_ABSENT;
}

static void list_leave(void *self, const sb_field *f)
{
    (void)self, (void)f;
}

static sb_result build_list(uint8_t opcode, const char *name, size_t count, sb_refusal *why)
{
    static uint8_t     out[1 << 20];
    long_list          list = { name, count, 255, false };
    sb_source          source = { &list, list_has, list_value, list_enter, list_leave };
    sb_message_context context = { .ship = akira() };
    size_t             size;
    return sb_build_message(opcode, &context, &source, out, sizeof out, &size, why);
}

TEST(lists_of_a_source_are_as_long_as_the_message_allows)
{
    static const struct {
        uint8_t     opcode;
        const char *name;
        size_t      most;
    } rows[] = {
        { SB_OP_COLLISION, "contacts", SB_CONTACTS_MAX },   { SB_OP_SCORE_CHANGE, "entries", 255 },
        { SB_OP_SCORE_CHANGE, "numbers", 2 * 255 - 1 }, /* one id of 255 is missing */
        { SB_OP_STATE_UPDATE, "pairs", SB_SUBSYSTEMS_MAX }, { SB_OP_STATE_UPDATE, "entries", 11 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sb_refusal why;
        CHECK_EQ(build_list(rows[i].opcode, rows[i].name, rows[i].most, NULL), SB_OK);
        CHECK_EQ(build_list(rows[i].opcode, rows[i].name, rows[i].most + 1, &why), SB_BAD_VALUE);
        CHECK_TEXT(why.field, rows[i].name);
    }
}

/* The counts of a tree have one byte and two; all of it has 25983 bytes (spec 06 §5.2). */
TEST(a_tree_of_a_source_is_as_large_as_the_message_allows)
{
    static const struct {
        const char *name;
        size_t      count;
        const char *refused; /* the field; NULL: none */
    } rows[] = {
        { "subdir_names", 255, "subdirs" }, /* names without trees */
        { "subdir_names", 256, "subdir_names" },
        { "files", 3246, NULL },
        { "files", 3247, "subdirs" }, /* the last field of a message that is too long */
        { "files", 65535, "subdirs" },
        { "files", 65536, "files" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sb_refusal why = { 0 };
        sb_result  result = build_list(SB_OP_CHECKSUM_RESPONSE, rows[i].name, rows[i].count, &why);
        CHECK_EQ(result, rows[i].refused ? SB_BAD_VALUE : SB_OK);
        if (rows[i].refused) CHECK_TEXT(why.field, rows[i].refused);
    }
}

/* The source has only group bytes, of this kind. */
static sb_result build_groups(sb_kind kind, const uint8_t *groups, size_t count, sb_refusal *why)
{
    shown_fields given;
    field_replay replay;
    uint8_t      out[8];
    size_t       size;
    shown_fields_init(&given);
    shown_fields_add_text(&given, "groups", kind, (sb_span){ groups, count });
    sb_source source = field_replay_source(&replay, &given);
    sb_result result =
        sb_build_message(SB_OP_NEW_PLAYER_IN_GAME, NULL, &source, out, sizeof out, &size, why);
    if (result == SB_OK) CHECK_EQ(out[1], groups[0] & 0xFE); /* the flag is off by default */
    shown_fields_free(&given);
    return result;
}

/* Spec 02 §4.3: a count of 6 or 7 is malformed. */
TEST(a_source_gives_up_to_40_group_bytes)
{
    uint8_t    groups[41];
    sb_refusal why = { .offset = 9 };
    memset(groups, 0xBF, sizeof groups);
    CHECK_EQ(build_groups(SB_KIND_BYTES, groups, 1, &why), SB_OK);
    CHECK_EQ(build_groups(SB_KIND_BYTES, groups, 40, &why), SB_OK);
    CHECK_EQ(why.offset, 9); /* there is nothing to say */
    CHECK_EQ(build_groups(SB_KIND_BYTES, groups, 41, &why), SB_BAD_VALUE);
    CHECK_EQ(why.result, SB_BAD_VALUE);
    CHECK_EQ(why.offset, 0);
    CHECK_TEXT(why.field, "groups");
    CHECK_EQ(build_groups(SB_KIND_BYTES, groups, 0, NULL), SB_BAD_VALUE);
    CHECK_EQ(build_groups(SB_KIND_U8, groups, 1, NULL), SB_BAD_VALUE); /* the source refuses */
    groups[39] = 0xC0;
    CHECK_EQ(build_groups(SB_KIND_BYTES, groups, 40, NULL), SB_BAD_VALUE);
    CHECK_EQ(build_groups(SB_KIND_BYTES, groups, 39, NULL), SB_OK);
    groups[0] = 0xC0;
    CHECK_EQ(build_groups(SB_KIND_BYTES, groups, 1, NULL), SB_BAD_VALUE);
}

/* One entry, of the phasers, with this many conditions of banks. */
static sb_answer phaser_value(void *self, const sb_field *f, sb_value *v, size_t count)
{
    static const uint8_t codes[16] = { 0 };
    CHECK_EQ(count, f->kind == SB_KIND_RATIOS ? 8 : 0);
    if (strcmp(f->name, "start_index") == 0) v->number = 5;
    else if (f->kind == SB_KIND_RATIOS) v->bytes = (sb_span){ codes, *(size_t *)self };
    else return SB_ABSENT;
    return SB_GIVEN;
}

static bool has_entries(void *self, const sb_field *f)
{
    (void)self;
    return strcmp(f->name, "entries") == 0;
}

static sb_answer enter_one(void *self, const sb_field *f, size_t *count)
{
    (void)self, (void)f;
    CHECK_EQ(*count, f->kind == SB_KIND_LIST ? 11 : 1); /* the most that may be given */
    *count = 1;
    return SB_GIVEN;
}

TEST(a_source_gives_a_condition_for_every_child)
{
    for (size_t given = 7; given <= 9; given++) {
        sb_source          source = { &given, has_entries, phaser_value, enter_one, list_leave };
        sb_message_context context = { .ship = akira() };
        sb_refusal         why;
        uint8_t            out[64];
        size_t             size;
        sb_result          result =
            sb_build_message(SB_OP_STATE_UPDATE, &context, &source, out, sizeof out, &size, &why);
        CHECK_EQ(result, given == 8 ? SB_OK : SB_BAD_VALUE);
        if (given != 8) CHECK_TEXT(why.field, "children");
    }
}

static bool is_named(void *self, const sb_field *f)
{
    return strcmp(f->name, self) == 0;
}

static sb_answer refuse_named(void *self, const sb_field *f, sb_value *v, size_t count)
{
    (void)v, (void)count;
    return is_named(self, f) ? SB_REFUSED : SB_ABSENT;
}

static sb_answer enter_nothing(void *self, const sb_field *f, size_t *count)
{
    (void)self, (void)f, (void)count;
    return SB_ABSENT;
}

/* A choice, a rare form, a boolean, a number and a text. */
TEST(what_a_source_refuses_is_refused_with_its_name)
{
    static const struct {
        uint8_t opcode;
        char    field[16];
    } rows[] = {
        { SB_OP_NEW_PLAYER_IN_GAME, "has_flag" },
        { SB_OP_NEW_PLAYER_IN_GAME, "flag" },
        { SB_OP_CHECKSUM_RESPONSE, "no_files" },
        { SB_OP_CHECKSUM_RESPONSE, "dir_hash" },
        { SB_OP_CHAT, "text" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char       name[16];
        sb_source  source = { strcpy(name, rows[i].field), is_named, refuse_named, enter_nothing,
                              list_leave };
        sb_refusal why = { 0 };
        uint8_t    out[64];
        size_t     size;
        CHECK_EQ(sb_build_message(rows[i].opcode, NULL, &source, out, sizeof out, &size, &why),
                 SB_BAD_VALUE);
        CHECK_TEXT(why.field, rows[i].field);
    }
}

static sb_answer species_value(void *self, const sb_field *f, sb_value *v, size_t count)
{
    (void)self, (void)count;
    if (strcmp(f->name, "species") != 0) return SB_ABSENT;
    v->number = 1;
    return SB_GIVEN;
}

static bool has_nothing(void *self, const sb_field *f)
{
    (void)self, (void)f;
    return false;
}

static sb_answer enter_no_list(void *self, const sb_field *f, size_t *count)
{
    (void)count;
    CHECK_TEXT(f->name, "snapshot");
    ++*(int *)self;
    return SB_ABSENT;
}

static void leave_list(void *self, const sb_field *f)
{
    CHECK_TEXT(f->name, "snapshot");
    --*(int *)self;
}

TEST(a_source_without_a_snapshot_is_asked_for_no_entry_of_it)
{
    int       depth = 0;
    sb_source source = { &depth, has_nothing, species_value, enter_no_list, leave_list };
    uint8_t   out[256];
    size_t    size;
    CHECK_EQ(sb_build_message(SB_OP_OBJECT_CREATE, NULL, &source, out, sizeof out, &size, NULL),
             SB_OK);
    CHECK_EQ(depth, 0);
}

/* ---- What a source does not give ---- */

/* Gives a number for one field. */
typedef struct one_number {
    const char *name;
    uint32_t    number;
} one_number;

static bool number_has(void *self, const sb_field *f)
{
    return strcmp(((one_number *)self)->name, f->name) == 0;
}

static sb_answer number_value(void *self, const sb_field *f, sb_value *v, size_t count)
{
    (void)count;
    if (!number_has(self, f)) return SB_ABSENT;
    v->number = ((one_number *)self)->number;
    return SB_GIVEN;
}

static void build_default(uint8_t opcode, one_number given, sb_message *m)
{
    static uint8_t     out[1024];
    sb_source          source = { &given, number_has, number_value, enter_nothing, list_leave };
    sb_message_context context = { .ships = sb_stock_ships() };
    sb_refusal         why = { 0 };
    size_t             size = 0;
    CHECK_EQ(sb_build_message(opcode, &context, &source, out, sizeof out, &size, &why), SB_OK);
    CHECK_EQ(sb_decode_message((sb_span){ out, size }, &context, m, &why), SB_OK);
}

/* Intact, power at 100 %, cloak off (spec 07 §2.3). */
TEST(a_ship_of_which_nothing_is_given_is_new)
{
    for (uint8_t species = 1; species <= 15; species++) {
        const sb_ship_class *ship = sb_find_ship(sb_stock_ships(), species);
        sb_message           m;
        if (!ship) continue;
        build_default(SB_OP_OBJECT_CREATE, (one_number){ "species", species }, &m);
        CHECK_EQ(m.as.object_create.class_id, SB_CLASS_SHIP);
        CHECK_EQ(m.as.object_create.species, species);
        for (unsigned i = 0; i < ship->subsystem_count; i++) {
            const sb_subsystem_snapshot *s = &m.as.object_create.snapshot[i];
            CHECK_EQ(s->condition_code, 0xFF);
            for (unsigned k = 0; k < ship->subsystems[i].child_count; k++)
                CHECK_EQ(s->children[k], 0xFF);
            unsigned format = ship->subsystems[i].format;
            if (format == SB_FORMAT_POWERED || format == SB_FORMAT_SHIELD)
                CHECK_EQ(s->power_code,
                         ship->subsystems[i].type == SB_SUBSYSTEM_CLOAK ? -100 : 100);
        }
    }
}

TEST(a_torpedo_of_which_nothing_is_given_is_a_photon)
{
    sb_message m;
    build_default(SB_OP_TORPEDO_FIRE, (one_number){ "none", 0 }, &m);
    CHECK_EQ(m.as.torpedo_fire.projectile_type, 2);
    build_default(SB_OP_PULSE_FIRE, (one_number){ "none", 0 }, &m);
    CHECK_EQ(m.as.pulse_fire.projectile_type, 2);
}

TEST(a_transport_message_of_which_nothing_is_given_is_data)
{
    one_number given = { "none", 0 };
    sb_source  source = { &given, number_has, number_value, enter_nothing, list_leave };
    uint8_t    out[64];
    size_t     size = 0;
    CHECK_EQ(sb_build_transport_message(&source, SB_SIDE_HOST, out, sizeof out, &size, NULL),
             SB_OK);
    CHECK(size > 0);
    CHECK_EQ(out[0], SB_TRANSPORT_DATA);
}
