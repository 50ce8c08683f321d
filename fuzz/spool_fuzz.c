/* fuzz/spool_fuzz.c -- lines of a spool file: a file that a crash, a disk or a person has changed.
 *
 * Checks: reading never fails badly, and a line that is read encodes to the same bytes.
 */
#include "store/entry.h"
#include "store/spool.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_line(void *context, const char *line, size_t size)
{
    char           again[SB_STORE_ENTRY_LINE_MAX];
    sb_store_entry entry;
    (void)context;
    if (sb_store_entry_decode(line, size, &entry) != SB_OK) return;
    (void)sb_store_entry_is_superseded(&entry);
    size_t written = sb_store_entry_encode(&entry, again);
    if (written != size + 1 || memcmp(again, line, size) != 0) abort();
}

/* A random line almost never has the right checksum, so the fields are also read with the checksum
 * that encode gives them. */
static void check_fields(const char *text, size_t size)
{
    char           line[SB_STORE_ENTRY_LINE_MAX];
    sb_store_entry entry = { .type =
                                 (sb_store_entry_type)((uint8_t)text[0] % SB_STORE_ENTRY_TYPES) };
    size_t         used = size - 1 < sizeof entry.u ? size - 1 : sizeof entry.u;
    memcpy(&entry.u, text + 1, used);
    size_t written = sb_store_entry_encode(&entry, line);
    if (sb_store_entry_decode(line, written - 1, &entry) != SB_OK) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) return 0;
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    size_t used = sb_spool_each_line(text, size, check_line, NULL);
    if (used > size) abort();
    if (size > 0) check_fields(text, size);
    free(text);
    return 0;
}
