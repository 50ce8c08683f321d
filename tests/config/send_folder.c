/* tests/config/send_folder.c -- see send_folder.h. */
#include "send_folder.h"

#include <starbase/manifest.h>

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FOLDERS_MAX = 8 };

static char     folders[FOLDERS_MAX][40], paths[FOLDERS_MAX][300];
static unsigned count;

static void remove_folders(void)
{
    for (unsigned i = 0; i < count; i++) {
        unlink(paths[i]);
        rmdir(folders[i]);
    }
}

static const sb_manifest_file *any_script(void)
{
    const sb_manifest *m = sb_vanilla_manifest();
    for (size_t i = 0; i < m->count; i++)
        if (m->files[i].position == SB_CHECKSUM_FF && !m->files[i].directory[0])
            return &m->files[i];
    FAIL("the vanilla manifest has no mission script");
}

static void write_word(const char *path, uint32_t word)
{
    uint8_t bytes[] = { (uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                        (uint8_t)(word >> 24) };
    FILE   *file = fopen(path, "wb");
    CHECK(file != NULL);
    CHECK_EQ(fwrite(bytes, 1, sizeof bytes, file), sizeof bytes);
    fclose(file);
}

const char *send_folder(void)
{
    CHECK(count < FOLDERS_MAX);
    if (count == 0) atexit(remove_folders);
    const sb_manifest_file *script = any_script();
    uint32_t                hash = script->content_hash;
    char                   *folder = folders[count], *path = paths[count++];
    snprintf(folder, sizeof folders[0], "/tmp/starbase-send-XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof paths[0], "%s/%s", folder, script->name);
    write_word(path, hash >> 1 | hash << 31);
    return folder;
}

void send_folder_spoil(const char *folder)
{
    for (unsigned i = 0; i < count; i++)
        if (folder == folders[i]) write_word(paths[i], 0x12345678);
}
