/* src/load/manifest_file.c -- parses a manifest; every line is validated.
 *
 * For:      manifest_file.h. In this order: errors, the fields of a line, the place of a line in
 *           the tree of directories, lines, the file.
 * May use:  files, malloc.
 * Never:    copies a name: names point into the copy of the file that sb_data owns.
 * Spec:     06 §5.2 (limits of a response), §7.
 */
#include "load/manifest_file.h"

#include <starbase/hash.h>
#include <starbase/protocol.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLUMN_ROUND,
    COLUMN_DIRECTORY,
    COLUMN_NAME,
    COLUMN_NAME_HASH,
    COLUMN_CONTENT,
    COLUMN_ORIGIN,
    COLUMNS
};

static const char *const column_names[COLUMNS] = {
    "round", "directory", "name", "name_hash", "content_hash", "origin",
};

const char sb_manifest_heading[] = "round,directory,name,name_hash,content_hash,origin";

typedef struct parser {
    sb_data          *data;
    const char       *file;
    unsigned          line;
    char             *start;          /* start of the line */
    char             *cells[COLUMNS]; /* each ends in NUL */
    sb_manifest_file *files;
    size_t            count;
    size_t            first;          /* index of the first file of this round */
    size_t            response_bytes; /* size of a client's response to this round, so far */
} parser;

/* ---- errors ---- */

/* Refuses the line at position `at`. `column`: -1 if the error is not about one column. */
static sb_result refuse_at(parser *p, const char *at, int column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static sb_result refuse_at(parser *p, const char *at, int column, const char *format, ...)
{
    char    place[SB_DATA_ERROR_MAX], reason[160];
    va_list list;
    va_start(list, format);
    vsnprintf(reason, sizeof reason, format, list);
    va_end(list);
    snprintf(place, sizeof place, "%s:%u:%zu", p->file, p->line, (size_t)(at - p->start) + 1);
    return sb_data_refuse(p->data, place, column < 0 ? "" : column_names[column], reason);
}

#define REFUSE(p, column, ...) refuse_at(p, (p)->cells[column], column, __VA_ARGS__)

/* ---- fields ---- */

static bool is_name_of_size(const char *name, size_t size)
{
    if (size == 0 || size > SB_MANIFEST_NAME_MAX || name[0] == '?') return false;
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)name[i] < 0x20 || memchr(",\"/\\\x7F", name[i], 5)) return false;
    return true;
}

bool sb_manifest_file_is_name(const char *name)
{
    return is_name_of_size(name, strlen(name));
}

/* Parses exactly eight hexadecimal digits. */
static bool read_digits(const char *text, size_t size, uint32_t *out)
{
    static const char digits[] = "0123456789ABCDEFabcdef";
    uint32_t          value = 0;
    if (size != 8) return false;
    for (size_t i = 0; i < 8; i++) {
        const char *digit = memchr(digits, text[i], sizeof digits - 1);
        if (!digit) return false;
        size_t place = (size_t)(digit - digits);
        value = value << 4 | (uint32_t)(place < 16 ? place : place - 6);
    }
    *out = value;
    return true;
}

static sb_result read_hash(parser *p, int column, uint32_t *out)
{
    const char *text = p->cells[column];
    if (strncmp(text, "0x", 2) == 0 && read_digits(text + 2, strlen(text + 2), out)) return SB_OK;
    return REFUSE(p, column, "must be 0x and eight hexadecimal digits");
}

static sb_result read_round(parser *p, sb_manifest_file *out)
{
    char word[4];
    for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS; i++) {
        snprintf(word, sizeof word, "%u", sb_checksum_rounds()[i].index);
        if (strcmp(p->cells[COLUMN_ROUND], word) != 0) continue;
        out->position = (uint8_t)i;
        if (p->count > 0 && p->files[p->count - 1].position > i)
            return REFUSE(p, COLUMN_ROUND, "must not be less than that of the line before");
        return SB_OK;
    }
    return REFUSE(p, COLUMN_ROUND, "must be 0, 1, 2, 3 or 255");
}

static uint32_t hash_bytes(const char *text, size_t size)
{
    return sb_hash_string((sb_span){ (const uint8_t *)text, size });
}

/* Parses a name, or ?XXXXXXXX, which is a hash without a name. */
static bool read_component(const char *text, size_t size, uint32_t *hash)
{
    if (size > 0 && text[0] == '?') return read_digits(text + 1, size - 1, hash);
    *hash = hash_bytes(text, size);
    return is_name_of_size(text, size);
}

static sb_result read_directory(parser *p, sb_manifest_file *out)
{
    const char *part = p->cells[COLUMN_DIRECTORY];
    out->directory = part;
    out->directory_hash = 0;
    if (part[0] == '\0') return SB_OK;
    for (unsigned depth = 1;; depth++) {
        size_t size = strcspn(part, "/");
        if (depth > SB_TREE_DEPTH_MAX)
            return refuse_at(p, part, COLUMN_DIRECTORY, "is more than %d deep", SB_TREE_DEPTH_MAX);
        if (!read_component(part, size, &out->directory_hash))
            return refuse_at(p, part, COLUMN_DIRECTORY,
                             "each part must be a name of 1 to %d bytes or ? and eight "
                             "hexadecimal digits",
                             SB_MANIFEST_NAME_MAX);
        if (part[size] == '\0') return SB_OK;
        part += size + 1;
    }
}

/* Three empty columns mean a directory without files. */
static bool is_directory_line(const parser *p)
{
    return !p->cells[COLUMN_NAME][0] && !p->cells[COLUMN_NAME_HASH][0] &&
           !p->cells[COLUMN_CONTENT][0];
}

static sb_result read_file_fields(parser *p, sb_manifest_file *out)
{
    const char *name = p->cells[COLUMN_NAME];
    if (is_directory_line(p)) {
        out->name = "";
        return SB_OK;
    }
    out->name = name[0] ? name : NULL;
    if (out->name && !sb_manifest_file_is_name(name))
        return REFUSE(p, COLUMN_NAME, "must be 1 to %d bytes without quote, slash or ? in front",
                      SB_MANIFEST_NAME_MAX);
    sb_result result = read_hash(p, COLUMN_NAME_HASH, &out->name_hash);
    if (result != SB_OK) return result;
    uint32_t hash = hash_bytes(name, strlen(name));
    if (out->name && hash != out->name_hash)
        return REFUSE(p, COLUMN_NAME_HASH, "must be 0x%08X, the hash of the name", (unsigned)hash);
    return read_hash(p, COLUMN_CONTENT, &out->content_hash);
}

static sb_result read_origin(parser *p, sb_manifest_file *out)
{
    const char *word = p->cells[COLUMN_ORIGIN];
    out->calculated = strcmp(word, "calc") == 0;
    if (out->calculated || strcmp(word, "wire") == 0) return SB_OK;
    return REFUSE(p, COLUMN_ORIGIN, "must be wire or calc");
}

/* ---- the place in the tree ---- */

static size_t parent_size(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) : 0;
}

static bool has_parent(const char *path, const char *parent, size_t size)
{
    return path[0] && parent_size(path) == size && memcmp(path, parent, size) == 0;
}

/* True if `path` can follow `before` in tree order: it is a child of `before`, or of a
 * directory above `before`. */
static bool is_next_in_tree(const char *path, const char *before)
{
    size_t size = parent_size(path);
    if (size == 0) return path[0] != '\0';
    return strncmp(path, before, size) == 0 && (before[size] == '\0' || before[size] == '/');
}

static sb_result check_siblings(parser *p, const sb_manifest_file *new)
{
    size_t size = parent_size(new->directory), siblings = 0;
    for (size_t i = p->first; i < p->count; i++) {
        const sb_manifest_file *f = &p->files[i];
        if (i > p->first && strcmp(f->directory, f[-1].directory) == 0) continue;
        if (!has_parent(f->directory, new->directory, size)) continue;
        siblings++;
        if (f->directory_hash == new->directory_hash)
            return REFUSE(p, COLUMN_DIRECTORY, "was listed before");
    }
    if (siblings == 0xFF)
        return REFUSE(p, COLUMN_DIRECTORY, "is the 256th directory of its parent");
    return SB_OK;
}

static sb_result start_directory(parser *p, const sb_manifest_file *new, const char *before)
{
    if (new->directory[0] == '\0')
        return before ? REFUSE(p, COLUMN_DIRECTORY, "must come before its subdirectories") : SB_OK;
    if (!is_next_in_tree(new->directory, before ? before : ""))
        return REFUSE(p, COLUMN_DIRECTORY,
                      "must come after its parent or the contents of its parent");
    p->response_bytes += 4 + 2 + 1;
    return check_siblings(p, new);
}

static sb_result continue_directory(parser *p, const sb_manifest_file *new)
{
    const char *before = p->files[p->count - 1].name;
    if (is_directory_line(p) || (before && !before[0]))
        return REFUSE(p, COLUMN_NAME,
                      "a directory has lines for files, or one line without a file");
    for (size_t i = p->count; i-- > p->first;) {
        if (strcmp(p->files[i].directory, new->directory) != 0) break;
        if (p->files[i].name_hash == new->name_hash)
            return REFUSE(p, COLUMN_NAME_HASH, "was listed before");
    }
    return SB_OK;
}

static void start_round(parser *p, unsigned position)
{
    bool has_ref_hash = sb_checksum_rounds()[position].index == 0;
    p->first = p->count;
    p->response_bytes = 2 + (has_ref_hash ? 4 : 0) + 4 + 2 + 1;
}

/* Checks the tree order, duplicates, and the size of a client's response (spec 06 §5.2). */
static sb_result check_tree_order(parser *p, const sb_manifest_file *new)
{
    if (p->count == 0 || p->files[p->count - 1].position != new->position)
        start_round(p, new->position);
    const char *before = p->count > p->first ? p->files[p->count - 1].directory : NULL;
    bool        same = before && strcmp(before, new->directory) == 0;
    sb_result   result = same ? continue_directory(p, new) : start_directory(p, new, before);
    if (result != SB_OK) return result;
    if (is_directory_line(p)) {
        if (new->directory[0] == '\0')
            return REFUSE(p, COLUMN_NAME, "the top directory needs no line without a file");
    } else {
        p->response_bytes += 8;
    }
    if (p->response_bytes > SB_CHECKSUM_RESPONSE_MAX)
        return REFUSE(p, COLUMN_ROUND, "has more files than fit into %d bytes",
                      SB_CHECKSUM_RESPONSE_MAX);
    return SB_OK;
}

/* ---- lines ---- */

static sb_result read_file_line(parser *p)
{
    sb_manifest_file file = { 0 };
    sb_result        result = read_round(p, &file);
    if (result == SB_OK) result = read_directory(p, &file);
    if (result == SB_OK) result = read_file_fields(p, &file);
    if (result == SB_OK) result = read_origin(p, &file);
    if (result == SB_OK) result = check_tree_order(p, &file);
    if (result == SB_OK) p->files[p->count++] = file;
    return result;
}

/* Splits the line, which ends with a NUL, into its fields. */
static sb_result split_line(parser *p)
{
    unsigned count = 1;
    p->cells[0] = p->start;
    for (char *c = p->start; *c; c++) {
        if (*c != ',') continue;
        if (count == COLUMNS) return refuse_at(p, c, -1, "must have %d fields", COLUMNS);
        *c = '\0';
        p->cells[count++] = c + 1;
    }
    if (count == COLUMNS) return SB_OK;
    return refuse_at(p, p->start, -1, "has %u fields, must have %d", count, COLUMNS);
}

static sb_result check_line(parser *p, const char *end)
{
    for (const char *c = p->start; c < end; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            return refuse_at(p, c, -1, "must not hold control characters");
    return SB_OK;
}

/* Parses every line and replaces its end by a NUL; the byte at `end` must be writable. */
static sb_result read_lines(parser *p, char *text, char *end)
{
    bool has_heading = false;
    for (char *next; text < end; text = next) {
        char *stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop) stop = end;
        next = stop + 1;
        if (stop > text && stop[-1] == '\r') stop--;
        p->start = text;
        p->line++;
        sb_result result = check_line(p, stop);
        if (result != SB_OK) return result;
        *stop = '\0';
        if (text[0] == '\0' || text[0] == '#') continue;
        if (!has_heading) {
            if (strcmp(text, sb_manifest_heading) != 0)
                return refuse_at(p, text, -1, "must be the heading %s", sb_manifest_heading);
            has_heading = true;
            continue;
        }
        result = split_line(p);
        if (result == SB_OK) result = read_file_line(p);
        if (result != SB_OK) return result;
    }
    if (has_heading) return SB_OK;
    return sb_data_refuse(p->data, p->file, "", "has no heading");
}

/* ---- the file ---- */

static size_t count_lines(const char *text, size_t size)
{
    size_t count = 1;
    for (size_t i = 0; i < size; i++) count += text[i] == '\n';
    return count;
}

static const char *copy_base_name(sb_data *data, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    size_t      size = strlen(base);
    if (size > 4 && strcmp(base + size - 4, ".csv") == 0) size -= 4;
    char *name = sb_data_allocate(data, size + 1);
    if (name) memcpy(name, base, size);
    return name;
}

static sb_result parse_text(sb_data *data, const char *file, const char *text, size_t size,
                            const sb_manifest **out)
{
    if (size > SB_MANIFEST_FILE_BYTES_MAX)
        return sb_data_refuse(data, file, "", "is longer than a manifest can be");
    sb_manifest *manifest = sb_data_allocate(data, sizeof *manifest);
    const char  *name = copy_base_name(data, file);
    char        *bytes = sb_data_allocate(data, size + 1);
    parser       p = { .data = data, .file = file };
    p.files = sb_data_allocate(data, count_lines(text, size) * sizeof *p.files);
    if (!manifest || !name || !bytes || !p.files)
        return sb_data_refuse_os_error(data, file, "out of memory");
    if (size > 0) memcpy(bytes, text, size);
    sb_result result = read_lines(&p, bytes, bytes + size);
    if (result != SB_OK) return result;
    *manifest = (sb_manifest){ name, p.files, p.count };
    *out = manifest;
    return SB_OK;
}

sb_result sb_data_load_manifest(sb_data *data, sb_data_source source, const sb_manifest **out)
{
    char     *text = NULL;
    size_t    size = source.size;
    sb_result result = SB_OK;
    data->error[0] = '\0';
    if (!source.text)
        result = sb_data_read_file(data, source.name, SB_MANIFEST_FILE_BYTES_MAX, &text, &size);
    if (result == SB_OK)
        result = parse_text(data, source.name, source.text ? source.text : text, size, out);
    free(text);
    return result;
}
