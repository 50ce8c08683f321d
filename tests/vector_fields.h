/* tests/vector_fields.h -- records the fields of a unit under dotted paths; compares, replays.
 *
 * For:      tests that compare fields with given values, or rebuild the bytes from the fields.
 *           A path is names joined by dots, items of lists in brackets: entries[0].condition.
 */
#ifndef STARBASE_VECTOR_FIELDS_H
#define STARBASE_VECTOR_FIELDS_H

#include <starbase/field.h>

typedef struct shown_field {
    char    *path;
    sb_kind  kind;
    sb_value value; /* its bytes are a copy */
    size_t   offset, size;
    size_t   items; /* of a list */
} shown_field;

/* One open group or list. */
typedef struct field_level {
    char   base[200];
    bool   list;
    size_t item;  /* next one of a list */
    size_t field; /* recording: the list itself */
} field_level;

typedef struct field_place {
    field_level levels[40];
    size_t      depth;
} field_place;

typedef struct shown_fields {
    shown_field *fields;
    size_t       count;
    field_place  place;
} shown_fields;

void shown_fields_init(shown_fields *s);
void shown_fields_free(shown_fields *s);
/* The next fields get paths below `base` ("" for the top). */
void    shown_fields_enter(shown_fields *s, const char *base);
sb_sink shown_fields_sink(shown_fields *s);
/* Add a field that no sink reports: a number or a text. */
void shown_fields_add_number(shown_fields *s, const char *path, sb_kind kind, uint32_t number);
void shown_fields_add_text(shown_fields *s, const char *path, sb_kind kind, sb_span text);

const shown_field *shown_fields_find(const shown_fields *s, const char *path);

/* A source that answers with the recorded fields, so that building gives the same bytes. */
typedef struct field_replay {
    const shown_fields *fields;
    field_place         place;
} field_replay;

sb_source field_replay_source(field_replay *r, const shown_fields *fields);

/* Compares PATH with VALUE as vectors/README.md describes; `size` is that of the whole unit.
 * False: `why` says what was found instead. */
bool shown_fields_agree(const shown_fields *s, size_t size, const char *path, const char *value,
                        char *why, size_t capacity);
/* True if `text` is `value` to the digits written; without a point it must be exactly equal. */
bool number_agrees(double value, const char *text);
/* The same for "x, y, z". */
bool numbers_agree(const float *values, size_t count, const char *text);

#endif
