/* src/load/masters_file.c -- parses a masterserver.txt: one HOST[:PORT] per line. */
#include "load/masters_file.h"

#include <errno.h>
#include <stdio.h>
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

static sb_result parse_lines(sb_data *data, const char *path, FILE *file, sb_master_check check,
                             const char **items, size_t capacity, size_t *count)
{
    char line[300];
    for (int number = 1; fgets(line, sizeof line, file); number++) {
        char *text = strip_line(line);
        if (text[0] == '\0') continue;
        const char *wrong = check(text);
        if (wrong) return refuse_line(data, path, number, wrong);
        if (*count == capacity) continue;
        size_t size = strlen(text) + 1;
        char  *copy = sb_data_allocate(data, size);
        if (!copy) return sb_data_refuse_os_error(data, path, "out of memory");
        items[(*count)++] = memcpy(copy, text, size);
    }
    if (!ferror(file)) return SB_OK;
    return sb_data_refuse_os_error(data, path, strerror(errno)); /* such as: Is a directory */
}

sb_result sb_data_load_masters(sb_data *data, const char *path, sb_master_check check,
                               const char **items, size_t capacity, size_t *count)
{
    FILE *file = fopen(path, "r");
    if (!file) return sb_data_refuse_os_error(data, path, strerror(errno));
    sb_result result = parse_lines(data, path, file, check, items, capacity, count);
    fclose(file);
    return result;
}
