/* src/load/masters_file.c -- parses a masterserver.txt: one HOST[:PORT] per line. */
#include "load/masters_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cuts blanks and comments off `line`. Returns "" for a line without a master. */
static char *strip_line(char *line)
{
    char *text = line + strspn(line, " \t\r\n");
    text[strcspn(text, " \t\r\n#")] = '\0';
    if (strncmp(text, "//", 2) == 0) text[0] = '\0';
    return text;
}

static sb_result refuse_line(sb_data *data, const char *path, int number, const char *reason)
{
    char line[24];
    snprintf(line, sizeof line, "line %d", number);
    return sb_data_refuse(data, path, line, reason);
}

/* Appends the master of a line, if it has one. */
static sb_result add_line(sb_data *data, const char *path, int number, const char *text,
                          sb_master_check check, sb_master_list *list)
{
    if (text[0] == '\0') return SB_OK;
    const char *wrong = check(text);
    if (wrong) return refuse_line(data, path, number, wrong);
    if (list->count == list->capacity) return SB_OK;
    size_t size = strlen(text) + 1;
    char  *copy = sb_data_allocate(data, size);
    if (!copy) return sb_data_refuse_os_error(data, path, "out of memory");
    list->items[list->count++] = memcpy(copy, text, size);
    return SB_OK;
}

/* `text` ends with '\0' and is changed. */
static sb_result parse_lines(sb_data *data, const char *path, char *text, sb_master_check check,
                             sb_master_list *list)
{
    sb_result result = SB_OK;
    for (int number = 1; text && result == SB_OK; number++) {
        char *end = strchr(text, '\n');
        if (end) *end = '\0';
        result = add_line(data, path, number, strip_line(text), check, list);
        text = end ? end + 1 : NULL;
    }
    return result;
}

sb_result sb_data_load_masters(sb_data *data, const char *path, sb_master_check check,
                               sb_master_list *list)
{
    char     *text;
    size_t    size;
    sb_result result = sb_data_read_file(data, path, SB_MASTERS_FILE_BYTES_MAX, &text, &size);
    if (result == SB_OK && size > SB_MASTERS_FILE_BYTES_MAX)
        result = sb_data_refuse(data, path, "", "is longer than 64 KiB: is this the right file?");
    if (result == SB_OK && memchr(text, '\0', size))
        result = sb_data_refuse(data, path, "", "is no text: it has zero bytes");
    if (result == SB_OK) {
        text[size] = '\0';
        result = parse_lines(data, path, text, check, list);
    }
    free(text);
    return result;
}
