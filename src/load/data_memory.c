/* src/load/data_memory.c -- memory, errors and warnings of a load, and the bytes of its file.
 *
 * For:      lua_table.h, the part that knows no Lua.
 * May use:  files, malloc.
 * Tests:    tests/load/data_file_test.c
 */
#include "load/lua_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"

/* ---- memory: blocks that live until sb_data_free ---- */

struct sb_data_block {
    struct sb_data_block *next;
    max_align_t           bytes[];
};

void *sb_data_allocate(sb_data *data, size_t size)
{
    struct sb_data_block *block = calloc(1, sizeof *block + size);
    if (!block) return NULL;
    block->next = data->blocks;
    data->blocks = block;
    return block->bytes;
}

void sb_data_free(sb_data *data)
{
    while (data->blocks) {
        struct sb_data_block *next = data->blocks->next;
        free(data->blocks);
        data->blocks = next;
    }
    data->warnings = NULL;
}

/* ---- errors: "file: key: reason", one line ---- */

static void mask_control_characters(char *text)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F) *c = '?';
}

static void write_line(char out[SB_DATA_ERROR_MAX], const char *file, const char *key,
                       const char *reason)
{
    snprintf(out, SB_DATA_ERROR_MAX, "%s: %s%s%s", file, key, key[0] ? ": " : "", reason);
    mask_control_characters(out);
}

void sb_data_warn(sb_data *data, const char *file, const char *key, const char *reason)
{
    sb_data_warning  *warning = sb_data_allocate(data, sizeof *warning);
    sb_data_warning **end = &data->warnings;
    if (!warning) return;
    write_line(warning->text, file, key, reason);
    while (*end) end = &(*end)->next;
    *end = warning;
}

sb_result sb_data_refuse(sb_data *data, const char *file, const char *key, const char *reason)
{
    write_line(data->error, file, key, reason);
    return SB_BAD_VALUE;
}

sb_result sb_data_refuse_line(sb_data *data, const char *file, int line, const char *reason)
{
    snprintf(data->error, sizeof data->error, "%s:%d: %s", file, line, reason);
    mask_control_characters(data->error);
    return SB_BAD_VALUE;
}

sb_result sb_data_refuse_os_error(sb_data *data, const char *file, const char *reason)
{
    write_line(data->error, file, "", reason);
    return SB_OS_ERROR;
}

sb_result sb_data_read_file(sb_data *data, const char *name, size_t max_bytes, char **text,
                            size_t *size)
{
    const char *fault;
    FILE       *file = sb_file_open(name, &fault);
    *text = NULL;
    *size = 0;
    if (!file) return sb_data_refuse_os_error(data, name, fault);
    char *bytes = malloc(max_bytes + 1);
    errno = 0;
    *size = bytes ? fread(bytes, 1, max_bytes + 1, file) : 0;
    bool bad = !bytes || ferror(file);
    int  why = errno;
    fclose(file);
    *text = bytes;
    if (bad) return sb_data_refuse_os_error(data, name, bytes ? strerror(why) : "out of memory");
    return SB_OK;
}
