/* src/inspect/output.h -- buffered text output.
 *
 * For:      the renderers, which print hundreds of megabytes of text for a large capture.
 * Never:    allocates or does I/O: the owner provides the buffer and the flush callback.
 */
#ifndef SB_INSPECT_OUTPUT_H
#define SB_INSPECT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct sb_output {
    char  *data;
    size_t capacity; /* at least 64 */
    size_t size;
    void (*flush)(void *self, const char *data, size_t size);
    void *self;
    bool  colour;
} sb_output;

static inline void sb_output_flush(sb_output *o)
{
    if (o->size > 0) o->flush(o->self, o->data, o->size);
    o->size = 0;
}

static inline void sb_output_write(sb_output *o, const char *text, size_t size)
{
    if (size > o->capacity - o->size) {
        sb_output_flush(o);
        if (size > o->capacity) {
            o->flush(o->self, text, size);
            return;
        }
    }
    memcpy(o->data + o->size, text, size);
    o->size += size;
}

static inline void sb_output_char(sb_output *o, char c)
{
    if (o->size == o->capacity) sb_output_flush(o);
    o->data[o->size++] = c;
}

static inline void sb_output_text(sb_output *o, const char *text)
{
    sb_output_write(o, text, strlen(text));
}

#endif
