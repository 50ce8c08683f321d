/* tools/sample_manifest.c -- encodes the file trees of a client's checksum responses. */
#include "sample_manifest.h"

#include <starbase/hash.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"

/* Splits a line into its fields, of which some may be empty. */
static void split(char *line, char *fields[9])
{
    for (size_t i = 0; i < 9; i++) fields[i] = strsep(&line, ",\r\n");
}

void manifest_load(manifest *m, const char *path)
{
    char  line[512], *fields[9];
    FILE *file = fopen(path, "r");
    if (!file || !fgets(line, sizeof line, file)) {
        perror(path);
        exit(1);
    }
    while (fgets(line, sizeof line, file)) {
        split(line, fields);
        SB_ASSERT(fields[8] != NULL);
        SB_ASSERT(m->count < sizeof m->files / sizeof *m->files);
        manifest_file *f = &m->files[m->count++];
        const char    *content = *fields[8] ? fields[8] : fields[7];
        f->round = (unsigned)strtoul(fields[0], NULL, 10);
        snprintf(f->subdir, sizeof f->subdir, "%s", fields[3]);
        f->name_hash = (uint32_t)strtoul(fields[6], NULL, 16);
        f->content_hash = (uint32_t)strtoul(content, NULL, 16);
    }
    fclose(file);
}

/* The child of `path` that contains `subdir`, `*size` characters long; NULL: none. */
static const char *child_of(const char *subdir, const char *path, size_t *size)
{
    size_t length = strlen(path);
    if (strncmp(subdir, path, length) != 0) return NULL;
    subdir += length;
    if (length > 0 && *subdir++ != '/') return NULL;
    *size = strcspn(subdir, "/");
    return *size > 0 ? subdir : NULL;
}

/* Lists each subdirectory of `path` once, in the order of the file. */
static size_t list_children(const manifest *m, unsigned round, const char *path,
                            char children[8][64])
{
    size_t count = 0, size;
    for (size_t i = 0; i < m->count; i++) {
        const char *child =
            m->files[i].round == round ? child_of(m->files[i].subdir, path, &size) : NULL;
        if (!child) continue;
        bool known = count > 0 && strlen(children[count - 1]) == size &&
                     strncmp(children[count - 1], child, size) == 0;
        if (known) continue;
        SB_ASSERT(count < 8);
        snprintf(children[count++], 64, "%.*s", (int)size, child);
    }
    return count;
}

/* A tree has its files, the names of its subdirectories, and their trees (spec 06 §5.2). */
size_t manifest_write_tree(const manifest *m, unsigned round, const char *path, uint8_t *out)
{
    char   children[8][64];
    size_t at = 2, files = 0;
    for (size_t i = 0; i < m->count; i++) {
        if (m->files[i].round != round || strcmp(m->files[i].subdir, path) != 0) continue;
        sb_store_u32(out + at, m->files[i].name_hash);
        sb_store_u32(out + at + 4, m->files[i].content_hash);
        at += 8;
        files++;
    }
    sb_store_u16(out, (uint16_t)files);
    size_t count = list_children(m, round, path, children);
    out[at++] = (uint8_t)count;
    for (size_t i = 0; i < count; i++, at += 4)
        sb_store_u32(out + at, sb_hash_string(
                                   (sb_span){ (const uint8_t *)children[i], strlen(children[i]) }));
    for (size_t i = 0; i < count; i++) {
        char child[160];
        snprintf(child, sizeof child, "%s%s%s", path, *path ? "/" : "", children[i]);
        at += manifest_write_tree(m, round, child, out + at);
    }
    return at;
}
