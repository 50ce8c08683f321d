/* tests/vector_file.h -- reads the files of vectors/: golden bytes with their provenance.
 *
 * For:      the vector tests, and fuzz harnesses that seed their corpora from the same files.
 * Never:    decides whether the bytes are right. The grammar is in vectors/README.md.
 */
#ifndef STARBASE_VECTOR_FILE_H
#define STARBASE_VECTOR_FILE_H

#include <starbase/ship.h>

typedef enum vector_layer {
    VECTOR_MESSAGE,     /* payload of a Data message, opcode first */
    VECTOR_PLAIN,       /* decrypted datagram */
    VECTOR_TRANSPORT,   /* one message of a datagram, alone */
    VECTOR_GAMESPY,     /* query text */
    VECTOR_MASTER_LIST, /* what a master sends after \list\cmp\ */
    VECTOR_CIPHER,      /* bytes that need not parse: only `encrypted` is checked */
    VECTOR_TABLE,       /* many small examples; `table` says of what */
    VECTOR_LAYER_COUNT
} vector_layer;

enum { VECTOR_CELLS_MAX = 12 };

/* One line of `expect` (path, value) or of `rows` (as many cells as the table has columns). */
typedef struct vector_line {
    int         line;
    const char *cells[VECTOR_CELLS_MAX];
    size_t      count;
} vector_line;

typedef struct vector_file {
    const char  *path;
    const char  *spec, *evidence, *title, *note;
    vector_layer layer;
    sb_side      from;
    uint8_t      species; /* 0: not said */
    bool         own;
    uint8_t      shields; /* sb_shield_layout */
    sb_span      bytes;
    sb_span      encrypted; /* empty: not said */
    bool         refused;
    sb_result    result; /* with `refused` */
    size_t       offset; /* with `refused` */
    const char  *table;
    vector_line  columns;
    vector_line *lines; /* of `expect` or `rows` */
    size_t       line_count;
    void        *memory; /* everything above lies here */
} vector_file;

/* Reads one file. False: `error` says file, line and reason, and there is nothing to free. */
bool vector_read(vector_file *v, const char *path, char *error, size_t capacity);
void vector_free(vector_file *v);

/* The paths of all .vec and .table files below `root`, sorted; given to the caller. */
typedef struct vector_paths {
    char **paths;
    size_t count;
} vector_paths;

vector_paths vector_find(const char *root);
void         vector_paths_free(vector_paths *p);

/* Hex digits in pairs, blanks between them ignored. SIZE_MAX: not hex, or more than `capacity`. */
size_t vector_hex(const char *text, uint8_t *out, size_t capacity);
/* "text" with \xNN, \\ and \" to bytes. SIZE_MAX: not such a text, or more than `capacity`. */
size_t vector_unquote(const char *text, uint8_t *out, size_t capacity);

#endif
