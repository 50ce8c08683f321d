/* src/load/client_files.c -- see client_files.h. In this order: errors, names, manifests, rows,
 * files, directories.
 *
 * Tests:    tests/load/client_files_test.c
 */
#include "load/client_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <starbase/hash.h>
#include <starbase/message.h>

#include "base/assert.h"
#include "base/text.h"
#include "load/manifest_file.h"

/* A row and its place in the order of sending. */
typedef struct ranked_file {
    uint64_t       rank;
    sb_client_file file;
} ranked_file;

typedef struct loader {
    sb_data                  *data;
    const char               *root;
    const sb_manifest *const *manifests;
    size_t                    manifest_count;
    ranked_file               rows[SB_CLIENT_FILES_MAX];
    size_t                    count;
    size_t                    bytes;   /* of all messages */
    size_t                    entries; /* seen so far */
    char                      path[PATH_MAX];
    size_t                    path_size; /* of the path below the root */
} loader;

/* ---- errors ---- */

static void write_place(const loader *l, char out[SB_DATA_ERROR_MAX])
{
    snprintf(out, SB_DATA_ERROR_MAX, "%.200s%s%.250s", l->root, l->path_size ? "/" : "", l->path);
}

static sb_result refuse(loader *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

static sb_result refuse(loader *l, const char *format, ...)
{
    char    place[SB_DATA_ERROR_MAX], reason[240];
    va_list list;
    va_start(list, format);
    vsnprintf(reason, sizeof reason, format, list);
    va_end(list);
    write_place(l, place);
    return sb_data_refuse(l->data, place, "", reason);
}

static sb_result refuse_os_error(loader *l, const char *reason)
{
    char place[SB_DATA_ERROR_MAX];
    write_place(l, place);
    return sb_data_refuse_os_error(l->data, place, reason);
}

/* ---- names ---- */

/* Windows gives these names to devices, whatever extension follows. */
static bool is_device_name(const char *name)
{
    static const char *const devices[] = { "CON", "PRN",    "AUX",     "NUL",   "COM",
                                           "LPT", "CONIN$", "CONOUT$", "CLOCK$" };
    size_t                   size = strcspn(name, ".");
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        size_t device = strlen(devices[i]);
        bool   numbered = i == 4 || i == 5;
        if (strncasecmp(name, devices[i], device) != 0) continue;
        if (!numbered && size == device) return true;
        if (numbered && size == device + 1 && name[device] >= '0' && name[device] <= '9')
            return true;
    }
    return false;
}

/* Why the name could mean another file on the client's computer; NULL: it cannot. */
static const char *find_name_fault(const char *name)
{
    size_t size = strlen(name);
    for (size_t i = 0; i < size; i++) {
        if (name[i] < 0x20 || name[i] > 0x7E) return "has a name with characters other than ASCII";
        if (strchr("<>:\"/\\|?*,", name[i]))
            return "has a name with a character that Windows treats specially";
    }
    if (name[size - 1] == '.' || name[size - 1] == ' ' || name[0] == ' ')
        return "has a name with a dot or space that Windows leaves out";
    return is_device_name(name) ? "has the name of a Windows device" : NULL;
}

static bool push_name(loader *l, const char *name)
{
    int size = snprintf(l->path + l->path_size, sizeof l->path - l->path_size, "%s%s",
                        l->path_size ? "/" : "", name);
    if (size < 0 || (size_t)size >= sizeof l->path - l->path_size) return false;
    l->path_size += (size_t)size;
    return true;
}

static void pop_name(loader *l, size_t size)
{
    l->path_size = size;
    l->path[size] = '\0';
}

/* ---- manifests ---- */

/* The requested directory of round FF, without a slash at its end. */
static const char *round_directory(void)
{
    return sb_checksum_rounds()[SB_CHECKSUM_FF].directory;
}

/* The path below the folder of the round: the root may be that folder, or a folder around it. */
static const char *path_in_round(const loader *l)
{
    const char *folder = round_directory();
    size_t      size = strlen(folder);
    bool        around = strncmp(l->path, folder, size) == 0 && l->path[size] == '/';
    return around ? l->path + size + 1 : l->path;
}

/* The name that the message carries. Spec 06 §5.4: what stock writes there is not captured. */
static char *join_path(loader *l)
{
    const char *folder = round_directory(), *below = path_in_round(l);
    size_t      size = strlen(folder) + strlen(below) + 2;
    char       *path = sb_data_allocate(l->data, size);
    if (path) snprintf(path, size, "%s/%s", folder, below);
    return path;
}

/* True if `part` is the name, or ? and the hash of the name. */
static bool is_same_part(const char *part, size_t size, const char *name, size_t name_size)
{
    char hash[16];
    if (size == name_size && memcmp(part, name, size) == 0) return true;
    if (size != 9 || part[0] != '?') return false;
    snprintf(hash, sizeof hash, "?%08X",
             (unsigned)sb_hash_string((sb_span){ (const uint8_t *)name, name_size }));
    return strncasecmp(part, hash, 9) == 0;
}

/* True if the manifest's directory is the one of the path `file`. */
static bool is_same_directory(const char *directory, const char *file)
{
    while (*directory) {
        size_t size = strcspn(directory, "/"), name = strcspn(file, "/");
        if (file[name] == '\0' || !is_same_part(directory, size, file, name)) return false;
        directory += size + (directory[size] == '/');
        file += name + 1;
    }
    return strchr(file, '/') == NULL;
}

/* The entry of the file `path`; NULL: the manifest does not have it. */
static const sb_manifest_file *find_entry(const sb_manifest *m, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    uint32_t    hash = sb_hash_string(sb_text_span(name));
    for (const sb_manifest_file *f = m->files; f < m->files + m->count; f++) {
        bool is_file = !f->name || f->name[0]; /* else a directory without files */
        if (f->position == SB_CHECKSUM_FF && is_file && f->name_hash == hash &&
            is_same_directory(f->directory, path))
            return f;
    }
    return NULL;
}

/* An entry that differs from the path in case only, for the error; NULL: none. */
static const sb_manifest_file *find_similar(const sb_manifest *m, const char *path)
{
    char known[PATH_MAX];
    for (const sb_manifest_file *f = m->files; f < m->files + m->count; f++) {
        if (f->position != SB_CHECKSUM_FF || !f->name) continue;
        snprintf(known, sizeof known, "%s%s%s", f->directory, f->directory[0] ? "/" : "", f->name);
        if (strcasecmp(known, path) == 0) return f;
    }
    return NULL;
}

/* It is not settled by which rule a client hashes the last bytes of a file (spec 06 §6.2): any of
 * the rules may have given the manifest's hash. The tolerant comparison would accept changed
 * words near the end of the file. */
static bool is_same_content(const sb_manifest_file *f, sb_span content)
{
    for (unsigned rule = 0; rule < SB_FILE_HASH_RULE_COUNT; rule++)
        if (sb_hash_file(content, (sb_file_hash_rule)rule) == f->content_hash) return true;
    return false;
}

/* ---- rows ---- */

static sb_result encode(loader *l, const char *path, sb_span content, sb_span *out)
{
    sb_message message = { .opcode = SB_OP_FILE_TRANSFER };
    size_t     capacity = 3 + strlen(path) + content.size, size = 0;
    uint8_t   *bytes = sb_data_allocate(l->data, capacity);
    if (!bytes) return refuse_os_error(l, "out of memory");
    message.as.file_transfer.name = sb_text_span(path);
    message.as.file_transfer.content = content;
    if (sb_encode_message(&message, NULL, bytes, capacity, &size) != SB_OK)
        return refuse(l, "cannot be sent");
    *out = (sb_span){ bytes, size };
    return SB_OK;
}

static ranked_file *find_row(loader *l, const sb_manifest_file *f)
{
    for (ranked_file *r = l->rows; r < l->rows + l->count; r++)
        if (r->file.name_hash == f->name_hash && r->file.content_hash == f->content_hash &&
            strcmp(r->file.directory, f->directory) == 0)
            return r;
    return NULL;
}

/* Adds a row for the entry, or the manifest's bit to a row that is the same. */
static sb_result add_row(loader *l, size_t manifest, const sb_manifest_file *f,
                         const sb_client_file *file)
{
    uint64_t     rank = (uint64_t)manifest << 32 | (uint64_t)(f - l->manifests[manifest]->files);
    ranked_file *row = find_row(l, f);
    if (row && row->file.path != file->path)
        return refuse(l, "is in the folder twice: as %s, too", row->file.path);
    if (!row && l->count == SB_CLIENT_FILES_MAX)
        return refuse(l, "is one file too many: a folder may hold %d", SB_CLIENT_FILES_MAX);
    if (!row) {
        row = &l->rows[l->count++];
        *row = (ranked_file){ rank, *file };
        row->file.directory = f->directory;
        row->file.name_hash = f->name_hash;
        row->file.content_hash = f->content_hash;
    }
    row->file.manifests |= (uint32_t)1 << manifest;
    return SB_OK;
}

static sb_result refuse_unknown(loader *l)
{
    const char *path = path_in_round(l);
    for (size_t i = 0; i < l->manifest_count; i++) {
        const sb_manifest_file *f = find_similar(l->manifests[i], path);
        if (f)
            return refuse(l, "is in no manifest, but %s%s%s is: upper and lower case must match",
                          f->directory, f->directory[0] ? "/" : "", f->name);
    }
    return refuse(l, "is in no manifest: remove it, or learn a manifest with it (key learn)");
}

static sb_result refuse_content(loader *l, const sb_manifest *m, const sb_manifest_file *f,
                                sb_span content)
{
    uint32_t hash = sb_hash_file(content, SB_FILE_HASH_RULE_DEFAULT);
    return refuse(l,
                  "has the hash %08X, but the manifest %.60s says %08X: a client with this file "
                  "would still differ",
                  (unsigned)hash, m->name, (unsigned)f->content_hash);
}

/* Adds the file for every manifest that has it with this content; there must be one. */
static sb_result add_content(loader *l, sb_span content)
{
    const sb_manifest_file *other = NULL;
    const sb_manifest      *other_manifest = NULL;
    sb_client_file          file = { 0 };
    sb_result               result = SB_OK;
    for (size_t i = 0; result == SB_OK && i < l->manifest_count; i++) {
        const sb_manifest_file *f = find_entry(l->manifests[i], path_in_round(l));
        if (f && !is_same_content(f, content)) {
            other = f;
            other_manifest = l->manifests[i];
            continue;
        }
        if (!f) continue;
        if (!file.path && !(file.path = join_path(l))) return refuse_os_error(l, "out of memory");
        if (!file.message.data) result = encode(l, file.path, content, &file.message);
        if (result == SB_OK) result = add_row(l, i, f, &file);
    }
    l->bytes += file.message.size;
    if (result == SB_OK && l->bytes > SB_CLIENT_FILES_BYTES_MAX)
        return refuse(l, "is one file too many: a folder may hold %d MiB",
                      SB_CLIENT_FILES_BYTES_MAX >> 20);
    if (result != SB_OK || file.path) return result;
    return other ? refuse_content(l, other_manifest, other, content) : refuse_unknown(l);
}

/* ---- files ---- */

static bool is_pyc(const char *name)
{
    size_t size = strlen(name);
    return size > 4 && strcmp(name + size - 4, ".pyc") == 0;
}

/* Reads until the end of the file, but not more than `capacity`. False: errno says why. */
static bool read_all(int file, uint8_t *out, size_t capacity, size_t *size)
{
    for (*size = 0; *size < capacity;) {
        ssize_t got = read(file, out + *size, capacity - *size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return false;
        if (got == 0) break;
        *size += (size_t)got;
    }
    return true;
}

static sb_result read_open_file(loader *l, int file)
{
    struct stat status;
    size_t      size = 0, path = strlen(round_directory()) + 1 + strlen(path_in_round(l));
    size_t      limit = SB_CLIENT_FILE_MESSAGE_MAX - 3 - path;
    if (fstat(file, &status) != 0) return refuse_os_error(l, strerror(errno));
    if (!S_ISREG(status.st_mode)) return refuse(l, "is no regular file");
    uint8_t *content = malloc(limit + 1);
    if (!content) return refuse_os_error(l, "out of memory");
    sb_result result = SB_OK;
    if (!read_all(file, content, limit + 1, &size)) result = refuse_os_error(l, strerror(errno));
    else if (size > limit)
        result = refuse(l, "is longer than %zu bytes, the most that one message can carry", limit);
    else result = add_content(l, (sb_span){ content, size });
    free(content);
    return result;
}

/* O_NONBLOCK: a pipe that took the file's place must not hold up the server. */
static sb_result load_file(loader *l, int directory, const char *name)
{
    if (!is_pyc(name))
        return refuse(l, "is no .pyc file: clients report, and servers send, only those");
    int file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return refuse_os_error(l, strerror(errno));
    sb_result result = read_open_file(l, file);
    close(file);
    return result;
}

/* ---- directories ---- */

static sb_result load_directory(loader *l, int directory, unsigned depth);

static sb_result load_subdirectory(loader *l, int directory, const char *name, unsigned depth)
{
    if (depth > SB_TREE_DEPTH_MAX + 2) /* Scripts and Multiplayer may lie around the others */
        return refuse(l, "lies more than %d directories deep", SB_TREE_DEPTH_MAX);
    int below = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below < 0) return refuse_os_error(l, strerror(errno));
    return load_directory(l, below, depth);
}

static sb_result load_entry(loader *l, int directory, const char *name, unsigned depth)
{
    struct stat status;
    const char *fault = find_name_fault(name);
    if (fault) return refuse(l, "%s", fault);
    if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return refuse_os_error(l, strerror(errno));
    if (S_ISLNK(status.st_mode)) return refuse(l, "is a symbolic link: put the file itself there");
    if (S_ISDIR(status.st_mode)) return load_subdirectory(l, directory, name, depth + 1);
    if (!S_ISREG(status.st_mode)) return refuse(l, "is no regular file");
    return load_file(l, directory, name);
}

/* Names that differ in case only become neighbours. */
static int compare_names(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    int         order = strcasecmp(x, y);
    return order ? order : strcmp(x, y);
}

static sb_result list_names(loader *l, DIR *listing, char **names, size_t *count)
{
    for (struct dirent *entry; (entry = readdir(listing));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (++l->entries > SB_CLIENT_FILES_ENTRIES_MAX)
            return refuse(l, "holds more than %d files and directories",
                          SB_CLIENT_FILES_ENTRIES_MAX);
        names[*count] = strdup(entry->d_name);
        if (!names[*count]) return refuse_os_error(l, "out of memory");
        (*count)++;
    }
    qsort(names, *count, sizeof *names, compare_names);
    return SB_OK;
}

static sb_result load_names(loader *l, int directory, char *const *names, size_t count,
                            unsigned depth)
{
    sb_result result = SB_OK;
    for (size_t i = 0; result == SB_OK && i < count; i++) {
        size_t before = l->path_size;
        if (!push_name(l, names[i])) return refuse(l, "holds a path that is too long");
        if (i > 0 && strcasecmp(names[i - 1], names[i]) == 0)
            result = refuse(l, "and %.80s differ only in case: Windows takes them for one file",
                            names[i - 1]);
        else result = load_entry(l, directory, names[i], depth);
        pop_name(l, before);
    }
    return result;
}

/* Takes `directory`. */
static sb_result load_directory(loader *l, int directory, unsigned depth)
{
    DIR   *listing = fdopendir(directory);
    char **names = calloc(SB_CLIENT_FILES_ENTRIES_MAX, sizeof *names);
    size_t count = 0;
    if (!listing || !names) {
        if (listing) closedir(listing);
        else close(directory);
        free(names);
        return refuse_os_error(l, "out of memory");
    }
    sb_result result = list_names(l, listing, names, &count);
    if (result == SB_OK) result = load_names(l, directory, names, count, depth);
    for (size_t i = 0; i < count; i++) free(names[i]);
    free(names);
    closedir(listing);
    return result;
}

/* ---- the folder ---- */

static int compare_rank(const void *a, const void *b)
{
    const ranked_file *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static sb_result copy_rows(loader *l, sb_client_files *out)
{
    sb_client_file *files = sb_data_allocate(l->data, l->count * sizeof *files);
    if (!files) return refuse_os_error(l, "out of memory");
    qsort(l->rows, l->count, sizeof *l->rows, compare_rank);
    for (size_t i = 0; i < l->count; i++) files[i] = l->rows[i].file;
    *out = (sb_client_files){ files, l->count, l->bytes };
    return SB_OK;
}

static sb_result load_root(loader *l)
{
    int root = open(l->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0) return refuse_os_error(l, strerror(errno));
    sb_result result = load_directory(l, root, 0);
    if (result == SB_OK && l->count == 0) return refuse(l, "holds no file");
    return result;
}

sb_result sb_data_load_client_files(sb_data *data, const char *directory,
                                    const sb_manifest *const *manifests, size_t count,
                                    sb_client_files *out)
{
    const sb_manifest *vanilla = sb_vanilla_manifest();
    loader            *l = calloc(1, sizeof *l);
    data->error[0] = '\0';
    if (!l) return sb_data_refuse_os_error(data, directory, "out of memory");
    l->data = data;
    l->root = directory;
    l->manifests = count ? manifests : &vanilla;
    l->manifest_count = count ? count : 1;
    sb_result result = load_root(l);
    if (result == SB_OK) result = copy_rows(l, out);
    free(l);
    return result;
}
