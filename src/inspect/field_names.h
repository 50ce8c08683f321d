/* src/inspect/field_names.h -- decides which names are fields, so that a misspelt name is an error.
 *
 * For:      filters and columns, whose names come from people. A name is known if it is a property
 *           of records (meta.h), or matches a field of some message, datagram or query (path.h).
 * Never:    allocates; the owner provides the memory, about half a megabyte.
 *
 * The description of a message is code and not a table, so its fields are only known from the
 * fields it asks for. Every message is therefore built many times, with other flags and choices
 * each time. A new message needs no edit here. The fields of messages that have no description,
 * such as those a user defines, are added with sb_field_names_add.
 */
#ifndef SB_INSPECT_FIELD_NAMES_H
#define SB_INSPECT_FIELD_NAMES_H

#include <starbase/definition.h>

#include "inspect/path.h"

enum { SB_FIELD_NAMES_MAX = 1024, SB_FIELD_HINT_MAX = 64 };

typedef struct sb_known_field {
    sb_path  path; /* of the groups and lists around the field */
    sb_field field;
} sb_known_field;

typedef struct sb_field_names {
    sb_known_field fields[SB_FIELD_NAMES_MAX]; /* each path once */
    size_t         count;
} sb_field_names;

/* Lists the fields of all messages, transport messages and queries. */
void sb_field_names_init(sb_field_names *names);
/* Adds a field; `path` has the groups and lists around it. Borrows the names of `field`. A full
 * table ignores the field. */
void sb_field_names_add(sb_field_names *names, const sb_path *path, const sb_field *field);

/* Adds the fields of mods' messages; `definitions` may be NULL. */
void sb_field_names_add_definitions(sb_field_names *names, const sb_definitions *definitions);

/* True if some field, or the part of its value that `name` ends with, has this name. */
bool sb_field_names_has(const sb_field_names *names, const sb_dotted *name);
/* Writes "there is no field ...; did you mean ...?" about a name that is unknown. */
void sb_field_names_explain(const sb_field_names *names, sb_span name, char *out, size_t capacity);
/* Writes the property or field that the misspelt `name` probably means to `out`. False: none is
 * similar. */
bool sb_field_names_suggest(const sb_field_names *names, sb_span name, char out[SB_FIELD_HINT_MAX]);

#endif
