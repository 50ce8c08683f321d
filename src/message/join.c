/* src/message/join.c -- messages of the join: settings, checksum rounds, failures.
 *
 * For:      Settings, the messages 0x20 to 0x28, NewPlayerInGame, UICollisionSetting; and
 *           sb_tree_cursor, which iterates over a received checksum tree.
 * Spec:     06 §5.
 * Tests:    tests/message/message_test.c, vector_test.c, table_test.c
 */
#include "message/describe.h"

SB_DESCRIBE_MESSAGE(empty, sb_message)
{
    (void)w;
    (void)how;
    (void)m;
}

/* Spec 06 §5.6. The third boolean follows the map but is stored in the group byte before the slot.
 */
SB_DESCRIBE_MESSAGE(settings, sb_settings)
{
    SB_F32(game_time, .unit = "s");
    SB_BIT(collision_damage);
    SB_BIT(throttle_bit);
    SB_U8(slot);
    SB_TEXT16(map, .published = "map name");
    if (SB_SOURCE_LACKS(SB_KIND_BIT, "checksum_flag"))
        m->checksum_flag = SB_SOURCE_HAS(SB_KIND_BYTES, "correction");
    SB_BIT(checksum_flag, .published = "checksum correction flag");
    if (how == SB_READ) m->correction = (sb_span){ NULL, 0 };
    if (m->checksum_flag) SB_BYTES(correction, .when = "checksum_flag is 1");
}

/* Spec 06 §5.1. */
SB_DESCRIBE_MESSAGE(checksum_request, sb_checksum_request)
{
    SB_U8(index);
    SB_TEXT16(directory);
    SB_TEXT16(filter);
    SB_BIT(recursive);
}

typedef struct file_entry {
    uint32_t name_hash, content_hash;
} file_entry;

static SB_ALWAYS_INLINE void file_fields(sb_walk *w, const sb_how how, file_entry *m)
{
    SB_U32(name_hash);
    SB_U32(content_hash);
}

/* The files of one directory. The count is compared with the bytes left before the first
 * file is read. */
static SB_ALWAYS_INLINE void file_list(sb_walk *w, const sb_how how)
{
    static const sb_field f_files = { SB_FIELD_NAME("files"), .kind = SB_KIND_LIST,
                                      .count = "file_count" };
    static const sb_field f_file = { SB_FIELD_NAME("file"), .kind = SB_KIND_GROUP };
    static const sb_field f_count = { SB_FIELD_NAME("file_count"), .kind = SB_KIND_U16,
                                      .derived = true };
    size_t                count = 0;
    sb_walk_count(w, how, &f_count, &f_files, &count, 0xFFFF);
    if (!sb_walk_writes(w, how) && count * 8 > w->r.left) sb_reader_fail(&w->r, SB_TRUNCATED);
    for (size_t i = 0; i < count && sb_walk_status(w, how) == SB_OK; i++) {
        file_entry file = { 0, 0 };
        SB_ENTER_GROUP(&f_file);
        file_fields(w, how, &file);
        SB_LEAVE(&f_file);
    }
    SB_LEAVE(&f_files);
}

/* The number of subdirectories and the hash of each name. Returns the number. */
static SB_ALWAYS_INLINE size_t subdirectory_names(sb_walk *w, const sb_how how)
{
    static const sb_field f_names = { SB_FIELD_NAME("subdir_names"), .kind = SB_KIND_LIST,
                                      .count = "subdir_count" };
    static const sb_field f_name = { SB_FIELD_NAME("name_hash"), .kind = SB_KIND_U32 };
    static const sb_field f_count = { SB_FIELD_NAME("subdir_count"), .kind = SB_KIND_U8,
                                      .derived = true };
    size_t                count = 0;
    sb_walk_count(w, how, &f_count, &f_names, &count, 0xFF);
    for (size_t i = 0; i < count && sb_walk_status(w, how) == SB_OK; i++) {
        uint32_t name = 0;
        sb_walk_u32(w, how, &f_name, &name);
    }
    SB_LEAVE(&f_names);
    return count;
}

/* A tree is: the files, the number of subdirectories, all their name hashes, all their trees (spec
 * 06 §5.2). */
static void tree_fields(sb_walk *w, const sb_how how, unsigned depth)
{
    static const sb_field f_dirs = {
        .name = "subdirs", .kind = SB_KIND_LIST, .fixed = true, .count = "subdir_count"
    };
    static const sb_field f_dir = { SB_FIELD_NAME("subdir"), .kind = SB_KIND_GROUP,
                                    .high = SB_TREE_DEPTH_MAX };
    if (depth > SB_TREE_DEPTH_MAX) sb_walk_fail(w, how, SB_BAD_VALUE);
    file_list(w, how);
    size_t names = subdirectory_names(w, how), trees = names;
    SB_ENTER_LIST(&f_dirs, &trees, names);
    if (trees != names) sb_walk_fail(w, how, SB_BAD_VALUE);
    for (size_t i = 0; i < trees && sb_walk_status(w, how) == SB_OK; i++) {
        SB_ENTER_GROUP(&f_dir);
        tree_fields(w, how, depth + 1);
        SB_LEAVE(&f_dir);
    }
    SB_LEAVE(&f_dirs);
}

/* A tree that the caller filled in is checked like a received one. */
static bool is_well_formed_tree(sb_span tree)
{
    sb_walk w = { 0 };
    sb_reader_init(&w.r, tree, NULL);
    tree_fields(&w, SB_READ, 0);
    return sb_reader_finish(&w.r) == SB_OK;
}

/* A peer may send 64 fragments at this stage, which limits the payload: spec 06 §5.2. */
static bool is_too_long(const sb_walk *w, const sb_how how)
{
    return sb_walk_at(w, how) > SB_CHECKSUM_RESPONSE_MAX;
}

/* A client that finds no file sends no tree: spec 06 §5.2. */
static SB_ALWAYS_INLINE void no_files(sb_walk *w, const sb_how how, sb_checksum_response *m)
{
    static const sb_field f_no_files = { SB_FIELD_NAME("no_files"), .kind = SB_KIND_BIT,
                                         .rare = true, .off_wire = true, .when = "@rest is 0" };
    if (!sb_walk_writes(w, how)) m->no_files = w->r.left == 0;
    if (how == SB_SLOW) sb_walk_rare_form(w, &f_no_files, &m->no_files);
    if (how == SB_WRITE && m->no_files && m->tree.size > 0) sb_walk_fail(w, how, SB_BAD_VALUE);
}

SB_DESCRIBE_MESSAGE(checksum_response, sb_checksum_response)
{
    static const sb_field f_tree = { SB_FIELD_NAME("tree"), .kind = SB_KIND_GROUP,
                                     .when = "no_files is not 1" };
    SB_U8(index);
    if (how == SB_READ) m->ref_hash = 0;
    if (m->index == 0) SB_U32(ref_hash, .when = "index is 0");
    SB_U32(dir_hash);
    no_files(w, how, m);
    const uint8_t *start = how == SB_READ ? w->r.next : NULL;
    if (!m->no_files && how == SB_WRITE) {
        if (!is_well_formed_tree(m->tree)) sb_walk_fail(w, how, SB_BAD_VALUE);
        sb_writer_write_bytes(&w->w, m->tree.data, m->tree.size);
    } else if (!m->no_files) {
        SB_ENTER_GROUP(&f_tree);
        tree_fields(w, how, 0);
        SB_LEAVE(&f_tree);
    }
    SB_EXACT();
    if (is_too_long(w, how)) sb_walk_fail(w, how, SB_BAD_VALUE);
    if (how == SB_READ) m->tree = (sb_span){ start, (size_t)(w->r.next - start) };
}

/* Spec 06 §5.3. */
SB_DESCRIBE_MESSAGE(file_name, sb_file_name)
{
    SB_TEXT16(name);
}

/* Spec 06 §5.4. */
SB_DESCRIBE_MESSAGE(file_transfer, sb_file_transfer)
{
    SB_TEXT16(name);
    SB_BYTES(content);
}

/* Spec 06 §5.9: the second byte may be missing. */
SB_DESCRIBE_MESSAGE(new_player_in_game, sb_new_player_in_game)
{
    SB_CHOICE(has_flag, .off_wire = true, .when = "@rest is not 0");
    if (how == SB_READ) m->flag = false;
    if (m->has_flag) SB_BIT(flag, .tentative = true, .when = "has_flag is 1");
}

/* Spec 06 §5.8. */
SB_DESCRIBE_MESSAGE(collision_setting, sb_collision_setting)
{
    SB_BIT(collision_damage);
}

/* ---- iterating over a decoded tree ---- */

static void enter_level(sb_tree_cursor *c)
{
    SB_ASSERT(c->depth <= SB_TREE_DEPTH_MAX);
    SB_ASSERT(c->at + 2 <= c->tree.size);
    c->level[c->depth].files_left = sb_load_u16(c->tree.data + c->at);
    c->at += 2;
    c->level[c->depth].directories = 0;
    c->level[c->depth].directories_left = UINT32_MAX; /* not read yet */
}

void sb_tree_cursor_init(sb_tree_cursor *c, const sb_checksum_response *response)
{
    *c = (sb_tree_cursor){ .tree = response->tree };
    if (c->tree.size > 0) enter_level(c);
}

static sb_tree_step next_file(sb_tree_cursor *c)
{
    SB_ASSERT(c->at + 8 <= c->tree.size);
    const uint8_t *p = c->tree.data + c->at;
    c->at += 8;
    c->level[c->depth].files_left--;
    return (sb_tree_step){ SB_TREE_FILE, c->depth, sb_load_u32(p), sb_load_u32(p + 4) };
}

static sb_tree_step next_directory(sb_tree_cursor *c)
{
    uint32_t done = c->level[c->depth].directories - c->level[c->depth].directories_left;
    uint32_t name = sb_load_u32(c->tree.data + c->level[c->depth].names_at + 4 * (size_t)done);
    c->level[c->depth].directories_left--;
    c->depth++;
    enter_level(c);
    return (sb_tree_step){ SB_TREE_DIRECTORY, c->depth, name, 0 };
}

sb_tree_step sb_tree_cursor_next(sb_tree_cursor *c)
{
    for (;;) {
        if (c->level[c->depth].files_left > 0) return next_file(c);
        if (c->level[c->depth].directories_left == UINT32_MAX) {
            SB_ASSERT(c->at < c->tree.size);
            uint32_t count = c->tree.data[c->at++];
            c->level[c->depth].directories = count;
            c->level[c->depth].directories_left = count;
            c->level[c->depth].names_at = c->at;
            c->at += 4 * (size_t)count;
        }
        if (c->level[c->depth].directories_left > 0) return next_directory(c);
        if (c->depth == 0) return (sb_tree_step){ SB_TREE_END, 0, 0, 0 };
        c->depth--;
    }
}
